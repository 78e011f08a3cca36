// Templates `scan`, `scan_map`, `compact` and `partition`: one pass over tiles, each of which learns from those before it
// what stands before its rows.

#pragma once

namespace treepar {

// Calls `put(i, make(i, before, element))` for each row i, with what `element(0) .. element(i - 1)` come to; writes what
// all come to to `total`. R is what `make` returns.
//
// Neighbouring threads read and write neighbouring rows. To combine them, each thread takes ITEMS rows that follow each
// other from shared memory, and puts there what stands before each.
template <class M, class R, u32 THREADS, u32 ITEMS, class Element, class Make, class Put>
TREEPAR_DEVICE void scan_tile(u64 n, const Element& element, const Make& make, const Put& put,
                              const Tiles<typename M::T>& tiles, const Array<typename M::T>& total) {
    using T = typename M::T;
    using Tile = TileRows<M, THREADS, ITEMS>;
    using Memory = typename Tile::Memory;
    TREEPAR_SHARED(Memory, rows);
    const u32 tile = next_tile(tiles.words);
    const u64 first = u64(tile) * Tile::ROWS;
    T mine[ITEMS];
    load_tile<M, THREADS, ITEMS>(first, n, element, mine, rows);
    const T sum = Tile::sum_of_thread(rows);
    T whole;
    const T in_tile = block_scan<M, THREADS>(sum, whole);
    T before = M::combine(look_back<M>(tiles, tile, whole), in_tile);
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 row = Tile::place(thread() * ITEMS + k);
        const T with = M::combine(before, rows.get(row));
        rows.set(row, before);
        before = with;
    }
    if (thread() == THREADS - 1 && first + Tile::ROWS >= n) {
        total.set(0, before);
    }
    barrier();
    const auto make_row = [&](u64 i, u32 k) { return make(i, rows.get(Tile::place(k * THREADS + thread())), mine[k]); };
    rows_of_thread<R, THREADS, ITEMS>(first + thread(), n, make_row, put);
}

template <class M, u32 THREADS, u32 ITEMS, class F>
TREEPAR_DEVICE void scan(u64 n, bool inclusive, const F& f, const Array<typename M::T>& out,
                         const Tiles<typename M::T>& tiles, const Array<typename M::T>& total) {
    using T = typename M::T;
    const auto make = [&](u64, const T& before, const T& element) {
        return inclusive ? M::combine(before, element) : before;
    };
    const auto put = [&](u64 i, const T& row) { out.set(i, row); };
    scan_tile<M, T, THREADS, ITEMS>(n, f, make, put, tiles, total);
}

template <class M, u32 THREADS, u32 ITEMS, class R, class G, class F>
TREEPAR_DEVICE void scan_map(u64 n, const F& f, const G& g, const Output<R>& out, const Tiles<typename M::T>& tiles,
                             const Array<typename M::T>& total) {
    using T = typename M::T;
    const auto make = [&](u64 i, const T& before, const T&) { return g(i, before); };
    const auto put = [&](u64 i, const R& row) { out.set(i, row); };
    scan_tile<M, R, THREADS, ITEMS>(n, f, make, put, tiles, total);
}

// Where a row goes, and whether it goes there.
struct Place {
    u32 to;
    bool kept;
};

// How many there are of something.
struct Count {
    using T = u32;
    static TREEPAR_DEVICE T identity() { return 0; }
    static TREEPAR_DEVICE T combine(T a, T b) { return a + b; }
};

template <u32 THREADS, u32 ITEMS, class F>
TREEPAR_DEVICE void compact(u64 n, const F& keep, const Array<u32>& out, const Tiles<u32>& tiles, const Array<u32>& total) {
    const auto element = [&](u64 i) { return u32(keep(i) ? 1 : 0); };
    const auto make = [&](u64, u32 before, u32 kept) { return Place{before, kept != 0}; };
    const auto put = [&](u64 i, const Place& place) {
        if (place.kept) {
            out.set(place.to, u32(i));
        }
    };
    scan_tile<Count, Place, THREADS, ITEMS>(n, element, make, put, tiles, total);
}

// The rows that `keep` holds for, of which there are `kept_in_all`, then the others.
template <u32 THREADS, u32 ITEMS, class F>
TREEPAR_DEVICE void partition(u64 n, u32 kept_in_all, const F& keep, const Array<u32>& out, const Tiles<u32>& tiles,
                              const Array<u32>& total) {
    const auto element = [&](u64 i) { return u32(keep(i) ? 1 : 0); };
    const auto make = [&](u64 i, u32 before, u32 kept) { return kept ? before : kept_in_all + (u32(i) - before); };
    const auto put = [&](u64 i, u32 to) { out.set(to, u32(i)); };
    scan_tile<Count, u32, THREADS, ITEMS>(n, element, make, put, tiles, total);
}

}  // namespace treepar
