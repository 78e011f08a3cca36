// Templates `scan`, `scan_map`, `compact` and `partition`: one pass over tiles, each of which gets its prefix from the tiles
// before it.

#pragma once

namespace treepar {

// A tile whose rows are folded.
template <class T>
struct FoldedTile {
    u32 number;
    Tile tile;
    // The combined value of all rows up to the last row of this thread.
    T after;
};

// Takes the next tile, and writes `fold(before, element, with)` of each row i to shared memory, with `element` =
// `element(i)`. `before` and `with` are the exclusive and the inclusive prefix.
//
// Neighbouring threads read neighbouring rows. To combine them, each thread takes ITEMS consecutive rows from shared
// memory, and writes their folded values there.
template <class M, u32 THREADS, u32 ITEMS, class Element, class Fold>
TREEPAR_DEVICE FoldedTile<typename M::T> fold_tile(u64 n, const Element& element, const Fold& fold,
                                                   const Tiles<typename M::T>& tiles,
                                                   typename TileRows<M, THREADS, ITEMS>::Memory& rows) {
    using T = typename M::T;
    using Rows = TileRows<M, THREADS, ITEMS>;
    const u32 number = next_tile(tiles.words);
    const Tile tile = tile_of(number, Rows::ROWS, n);
    Rows::template load<THREADS>(tile, thread(), thread(), element, rows);
    barrier();
    T whole;
    const T in_tile = block_scan<M, THREADS>(Rows::sum_of_thread(rows), whole);
    T before = M::combine(look_back<M>(tiles, number, whole), in_tile);
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const T own = rows.get(Rows::own(k));
        const T with = M::combine(before, own);
        rows.set(Rows::own(k), fold(before, own, with));
        before = with;
    }
    barrier();
    return {number, tile, before};
}

// Calls `put(i, make(i, folded))` for each row i, with the value of `fold_tile`. Writes the value of all rows to `total`. R is
// the type that `make` returns. Neighbouring threads write neighbouring rows.
template <class M, class R, u32 THREADS, u32 ITEMS, class Element, class Fold, class Make, class Put>
TREEPAR_DEVICE void scan_tile(u64 n, const Element& element, const Fold& fold, const Make& make, const Put& put,
                              const Tiles<typename M::T>& tiles, const Array<typename M::T>& total) {
    using Rows = TileRows<M, THREADS, ITEMS>;
    using Memory = typename Rows::Memory;
    TREEPAR_SHARED(Memory, rows);
    const FoldedTile<typename M::T> folded = fold_tile<M, THREADS, ITEMS>(n, element, fold, tiles, rows);
    const Tile tile = folded.tile;
    if (thread() == THREADS - 1 && tile.first + u64(Rows::ROWS) >= n) {
        total.set(0, folded.after);
    }
    const auto make_row = [&](u64 i, u32 k) { return make(i, rows.get(Rows::template strided<THREADS>(thread(), k))); };
    rows_of_thread<R, THREADS, ITEMS>(tile, make_row, put);
}

template <class M, u32 THREADS, u32 ITEMS, class F>
TREEPAR_DEVICE void scan(u64 n, bool inclusive, const F& f, const Array<typename M::T>& out,
                         const Tiles<typename M::T>& tiles, const Array<typename M::T>& total) {
    using T = typename M::T;
    const auto fold = [&](const T& before, const T&, const T& with) { return inclusive ? with : before; };
    const auto make = [](u64, const T& folded) { return folded; };
    const auto put = [&](u64 i, const T& row) { out.set(i, row); };
    scan_tile<M, T, THREADS, ITEMS>(n, f, fold, make, put, tiles, total);
}

template <class M, u32 THREADS, u32 ITEMS, class R, class G, class F>
TREEPAR_DEVICE void scan_map(u64 n, const F& f, const G& g, const Output<R>& out, const Tiles<typename M::T>& tiles,
                             const Array<typename M::T>& total) {
    using T = typename M::T;
    const auto fold = [](const T& before, const T&, const T&) { return before; };
    const auto put = [&](u64 i, const R& row) { out.set(i, row); };
    scan_tile<M, R, THREADS, ITEMS>(n, f, fold, g, put, tiles, total);
}

// A sum of counts.
struct Count {
    using T = u32;
    static TREEPAR_DEVICE T identity() { return 0; }
    static TREEPAR_DEVICE T combine(T a, T b) { return a + b; }
};

// Calls `put(i, kept, before)` for each row i: `kept` is `keep(i)`, and `before` is the number of kept rows before row i.
// Writes the number of all kept rows to `total`.
//
// A warp's lanes take a run of 32 neighbouring rows. Their answers are the bits of one word, and the counts of the runs are
// scanned.
template <u32 THREADS, u32 ITEMS, class Keep, class Put>
TREEPAR_DEVICE void count_tile(u64 n, const Keep& keep, const Put& put, const Tiles<u32>& tiles, const Array<u32>& total) {
    constexpr u32 ROWS = THREADS * ITEMS;
    constexpr u32 WARPS = THREADS / WARP;
    constexpr u32 OWN = WARPS * ITEMS / WARP;
    static_assert(WARPS * ITEMS % WARP == 0, "as many runs for each lane of a warp");
    using Runs = Shared<u32, WARPS * ITEMS>;
    TREEPAR_SHARED(Runs, runs);
    const u32 number = next_tile(tiles.words);
    const Tile tile = tile_of(number, ROWS, n);
    const u32 warp = thread() / WARP;
    bool kept[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        kept[k] = keep(tile.at(k * THREADS + thread()));
    }
    u32 run[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        run[k] = ballot(kept[k] && tile.has(k * THREADS + thread()));
        if (lane() == 0) {
            runs.set(k * WARPS + warp, count_ones(run[k]));
        }
    }
    barrier();
    // The first warp scans the counts of the tile, and writes the prefix of each run.
    u32 whole = 0;
    if (warp == 0) {
        u32 count[OWN];
        TREEPAR_UNROLL
        for (u32 k = 0; k < OWN; k += 1) {
            count[k] = runs.get(lane() * OWN + k);
            whole += count[k];
        }
        const u32 with = warp_scan<Count>(whole);
        u32 before = with - whole;
        TREEPAR_UNROLL
        for (u32 k = 0; k < OWN; k += 1) {
            runs.set(lane() * OWN + k, before);
            before += count[k];
        }
        whole = shuffle_from(with, WARP - 1);
    }
    const u32 before = look_back<Count>(tiles, number, whole);
    if (thread() == 0 && tile.first + u64(ROWS) >= n) {
        total.set(0, before + whole);
    }
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 row = k * THREADS + thread();
        if (tile.has(row)) {
            const u32 in_run = count_ones(run[k] & ((1u << lane()) - 1));
            put(tile.first + row, (run[k] >> lane() & 1u) != 0, before + runs.get(k * WARPS + warp) + in_run);
        }
    }
}

template <u32 THREADS, u32 ITEMS, class F>
TREEPAR_DEVICE void compact(u64 n, const F& keep, const Array<u32>& out, const Tiles<u32>& tiles, const Array<u32>& total) {
    const auto put = [&](u32 i, bool kept, u32 before) {
        if (kept) {
            out.set(before, i);
        }
    };
    count_tile<THREADS, ITEMS>(n, keep, put, tiles, total);
}

// Writes the rows for which `keep` returns true, then the others. `kept_in_all` is the number of the first.
template <u32 THREADS, u32 ITEMS, class F>
TREEPAR_DEVICE void partition(u64 n, u32 kept_in_all, const F& keep, const Array<u32>& out, const Tiles<u32>& tiles,
                              const Array<u32>& total) {
    const auto put = [&](u32 i, bool kept, u32 before) { out.set(kept ? before : kept_in_all + (i - before), i); };
    count_tile<THREADS, ITEMS>(n, keep, put, tiles, total);
}

}  // namespace treepar
