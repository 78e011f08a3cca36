// Templates `scan`, `scan_map` and `compact`: one pass over tiles, each of which gets its prefix from the tiles
// before it.

#pragma once

namespace treepar {

// A tile whose elements are in shared memory.
template <class T>
struct OpenTile {
    u32 number;
    Tile tile;
    // The combined value of all rows before this thread's rows.
    T before;
};

// Takes the next tile, writes `element(i)` of each row i to shared memory, and looks back. Evaluates AT_ONCE elements
// together.
//
// Neighbouring threads read neighbouring rows. To combine them, each thread takes ITEMS consecutive rows from shared memory.
template <class M, u32 THREADS, u32 ITEMS, u32 AT_ONCE, class Element>
TREEPAR_DEVICE OpenTile<typename M::T> open_tile(u64 n, const Element& element, const Tiles<typename M::T>& tiles,
                                                 typename TileRows<M, THREADS, ITEMS>::Memory& rows) {
    using T = typename M::T;
    using Rows = TileRows<M, THREADS, ITEMS>;
    const u32 number = next_tile(tiles.words);
    const Tile tile = tile_of(number, Rows::ROWS, n);
    Rows::template load<THREADS, AT_ONCE>(tile, thread(), thread(), element, rows);
    barrier();
    T whole;
    const T in_tile = block_scan<M, THREADS>(Rows::sum_of_thread(rows), whole);
    return {number, tile, M::combine(look_back<M>(tiles, number, whole), in_tile)};
}

// Replaces each of a thread's rows in shared memory by the inclusive or the exclusive prefix. `before` is the value of all
// rows before them. Returns the value up to the last of them.
template <class M, u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE typename M::T fold_rows(bool inclusive, typename M::T before,
                                       typename TileRows<M, THREADS, ITEMS>::Memory& rows) {
    using T = typename M::T;
    using Rows = TileRows<M, THREADS, ITEMS>;
    const auto fold = [&](const auto& chosen) {
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            const T with = M::combine(before, rows.get(Rows::own(k)));
            rows.set(Rows::own(k), chosen(before, with));
            before = with;
        }
    };
    if (inclusive) {
        fold([](const T&, const T& with) { return with; });
    } else {
        fold([](const T& before, const T&) { return before; });
    }
    barrier();
    return before;
}

// Calls `put(i, make(i, prefix))` for each row i, with its inclusive or exclusive prefix. Writes the value of all rows to
// `total`. R is the type that `make` returns. Neighbouring threads write neighbouring rows. Evaluates AT_ONCE elements
// together, and MAKE_AT_ONCE results.
template <class M, class R, u32 THREADS, u32 ITEMS, u32 AT_ONCE, u32 MAKE_AT_ONCE, class Element, class Make, class Put>
TREEPAR_DEVICE void scan_tile(u64 n, bool inclusive, const Element& element, const Make& make, const Put& put,
                              const Tiles<typename M::T>& tiles, const Array<typename M::T>& total) {
    using T = typename M::T;
    using Rows = TileRows<M, THREADS, ITEMS>;
    using Memory = typename Rows::Memory;
    TREEPAR_SHARED(Memory, rows);
    const OpenTile<T> open = open_tile<M, THREADS, ITEMS, AT_ONCE>(n, element, tiles, rows);
    const T after = fold_rows<M, THREADS, ITEMS>(inclusive, open.before, rows);
    if (thread() == THREADS - 1 && open.tile.first + u64(Rows::ROWS) >= n) {
        total.set(0, after);
    }
    const auto make_row = [&](u64 i, u32 k) { return make(i, rows.get(Rows::template strided<THREADS>(thread(), k))); };
    rows_of_thread<R, THREADS, ITEMS, MAKE_AT_ONCE>(open.tile, make_row, put);
}

template <class M, u32 THREADS, u32 ITEMS, u32 AT_ONCE, class F>
TREEPAR_DEVICE void scan(u64 n, bool inclusive, const F& f, const Array<typename M::T>& out,
                         const Tiles<typename M::T>& tiles, const Array<typename M::T>& total) {
    using T = typename M::T;
    const auto make = [](u64, const T& folded) { return folded; };
    const auto put = [&](u64 i, const T& row) { out.set(i, row); };
    scan_tile<M, T, THREADS, ITEMS, AT_ONCE, ITEMS>(n, inclusive, f, make, put, tiles, total);
}

template <class M, u32 THREADS, u32 ITEMS, u32 AT_ONCE, u32 MAKE_AT_ONCE, class R, class G, class F>
TREEPAR_DEVICE void scan_map(u64 n, const F& f, const G& g, const Output<R>& out, const Tiles<typename M::T>& tiles,
                             const Array<typename M::T>& total) {
    const auto put = [&](u64 i, const R& row) { out.set(i, row); };
    scan_tile<M, R, THREADS, ITEMS, AT_ONCE, MAKE_AT_ONCE>(n, false, f, g, put, tiles, total);
}

// A sum of counts.
struct Count {
    using T = u32;
    static TREEPAR_DEVICE T identity() { return 0; }
    static TREEPAR_DEVICE T combine(T a, T b) { return a + b; }
};

// A run of 32 neighbouring rows: a bit for each kept row, and the number of kept rows of the tile before the run. One load reads
// both.
struct alignas(8) KeptRun {
    u32 kept;
    u32 before;
};

// Calls `put(i, kept, before)` for each row i: `kept` is `keep(i)`, and `before` is the number of kept rows before row i.
// Writes the number of all kept rows to `total`. Evaluates `keep` for AT_ONCE rows together.
//
// A warp's lanes take a run of 32 neighbouring rows, and the counts of the runs are scanned.
template <u32 THREADS, u32 ITEMS, u32 AT_ONCE, class Keep, class Put>
TREEPAR_DEVICE void count_tile(u64 n, const Keep& keep, const Put& put, const Tiles<u32>& tiles, const Array<u32>& total) {
    constexpr u32 ROWS = THREADS * ITEMS;
    constexpr u32 WARPS = THREADS / WARP;
    constexpr u32 OWN = WARPS * ITEMS / WARP;
    static_assert(WARPS * ITEMS % WARP == 0, "as many runs for each lane of a warp");
    using Runs = Shared<KeptRun, WARPS * ITEMS>;
    TREEPAR_SHARED(Runs, runs);
    const u32 number = next_tile(tiles.words);
    const Tile tile = tile_of(number, ROWS, n);
    const u32 warp = thread() / WARP;
    const auto answer = [&](u32 k, bool kept) {
        const u32 run = ballot(kept);
        if (lane() == 0) {
            runs.set(k * WARPS + warp, {run, 0});
        }
    };
    if (AT_ONCE == ITEMS && tile.is_full(ROWS)) {
        const u64 first = u64(tile.first) + thread();
        bool kept[ITEMS];
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            kept[k] = keep(first + k * THREADS);
        }
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            answer(k, kept[k]);
        }
    } else {
        constexpr u32 PART = part_of(AT_ONCE);
        TREEPAR_ROLLED
        for (u32 begin = 0; begin < ITEMS; begin += PART) {
            bool kept[PART];
            TREEPAR_UNROLL
            for (u32 k = 0; k < PART; k += 1) {
                kept[k] = keep(tile.at((begin + k) * THREADS + thread()));
            }
            TREEPAR_UNROLL
            for (u32 k = 0; k < PART; k += 1) {
                answer(begin + k, kept[k] && tile.has((begin + k) * THREADS + thread()));
            }
        }
    }
    barrier();
    // The first warp scans the counts of the tile, and writes the prefix of each run.
    u32 whole = 0;
    if (warp == 0) {
        KeptRun run[OWN];
        TREEPAR_UNROLL
        for (u32 k = 0; k < OWN; k += 1) {
            run[k] = runs.get(lane() * OWN + k);
            whole += count_ones(run[k].kept);
        }
        const u32 with = warp_scan<Count>(whole);
        u32 before = with - whole;
        TREEPAR_UNROLL
        for (u32 k = 0; k < OWN; k += 1) {
            runs.set(lane() * OWN + k, {run[k].kept, before});
            before += count_ones(run[k].kept);
        }
        whole = shuffle_from(with, WARP - 1);
    }
    const u32 before = look_back<Count>(tiles, number, whole);
    if (thread() == 0 && tile.first + u64(ROWS) >= n) {
        total.set(0, before + whole);
    }
    const u32 earlier_lanes = (1u << lane()) - 1;
    const u32 own_lane = 1u << lane();
    const auto make = [&](u64, u32 k) { return runs.get(k * WARPS + warp); };
    const auto put_row = [&](u64 i, const KeptRun& run) {
        put(u32(i), (run.kept & own_lane) != 0, before + run.before + count_ones(run.kept & earlier_lanes));
    };
    rows_of_thread<KeptRun, THREADS, ITEMS>(tile, make, put_row);
}

// Writes the rows for which `keep` returns true, in order. If `others`, writes the other rows too: the first at the end of
// `out`, the second before it, and so on.
template <u32 THREADS, u32 ITEMS, u32 AT_ONCE, class F>
TREEPAR_DEVICE void compact(u64 n, bool others, const F& keep, const Array<u32>& out, const Tiles<u32>& tiles,
                            const Array<u32>& total) {
    const auto put = [&](u32 i, bool kept, u32 before) {
        if (kept || others) {
            out.set(kept ? before : u32(n) - 1 - (i - before), i);
        }
    };
    count_tile<THREADS, ITEMS, AT_ONCE>(n, keep, put, tiles, total);
}

// Reverses the rows after the first `kept[0]`: the other rows of a partition come in order.
template <u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void partition_others(u64 n, const Array<u32>& kept, const Array<u32>& out) {
    const u64 first = kept.get(0);
    const u64 pairs = (n - first) / 2;
    const u64 begin = u64(block()) * (THREADS * ITEMS) + thread();
    u32 low[ITEMS];
    u32 high[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u64 pair = begin + k * THREADS;
        low[k] = pair < pairs ? out.get(first + pair) : 0;
        high[k] = pair < pairs ? out.get(n - 1 - pair) : 0;
    }
    loads_are_under_way();
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u64 pair = begin + k * THREADS;
        if (pair < pairs) {
            out.set(first + pair, high[k]);
            out.set(n - 1 - pair, low[k]);
        }
    }
}

}  // namespace treepar
