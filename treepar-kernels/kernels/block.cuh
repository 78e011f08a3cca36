// What the threads of a block do together: scan and reduce one value a thread, in the order of threads.
//
// All threads of the block call each function; there are as many as THREADS says, a multiple of a warp.

#pragma once

namespace treepar {

// What a lane's value and those of the lanes before it come to.
template <class M>
TREEPAR_DEVICE typename M::T warp_scan(typename M::T value) {
    TREEPAR_UNROLL
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        const typename M::T before = shuffle_up(value, distance);
        if (lane() >= distance) {
            value = M::combine(before, value);
        }
    }
    return value;
}

// What the threads' values before a thread's own come to; `total`: all of them. Results are valid in all threads.
template <class M, u32 THREADS>
TREEPAR_DEVICE typename M::T block_scan(typename M::T value, typename M::T& total) {
    using T = typename M::T;
    constexpr u32 WARPS = THREADS / WARP;
    using Sums = Shared<T, WARPS>;
    TREEPAR_SHARED(Sums, sums);
    const T with = warp_scan<M>(value);
    // Nobody reads the sums of a call before any more.
    barrier();
    if (lane() == WARP - 1) {
        sums.set(thread() / WARP, with);
    }
    barrier();
    T before = M::identity();
    total = M::identity();
    TREEPAR_UNROLL
    for (u32 w = 0; w < WARPS; w += 1) {
        if (w == thread() / WARP) {
            before = total;
        }
        total = M::combine(total, sums.get(w));
    }
    const T in_warp = shuffle_up(with, 1);
    return lane() == 0 ? before : M::combine(before, in_warp);
}

// The rows of a tile: `rows`, from row `first` on; in the last tile fewer than in others. There are less than 2^32 rows in
// all, and it is in 32 bits that they are counted.
struct Tile {
    u32 first;
    u32 rows;

    TREEPAR_DEVICE bool has(u32 row) const { return row < rows; }
    // A row of the tile in the column; behind the last one that one again: what is done without a condition is under way
    // at once.
    TREEPAR_DEVICE u64 at(u32 row) const { return first + least(row, rows - 1); }
};

// Tile `number` of those of `size` rows, below row `end`.
TREEPAR_DEVICE Tile tile_of(u64 number, u32 size, u64 end) {
    const u64 first = number * size;
    return {u32(first), u32(least(u64(size), end - first))};
}

// Where rows stand in shared memory that neighbouring threads write side by side, and of which then each thread takes ITEMS
// that follow each other.
template <class M, u32 THREADS, u32 ITEMS>
struct TileRows {
    using T = typename M::T;
    static constexpr u32 ROWS = THREADS * ITEMS;
    // A row is left free behind as many as meet each bank once: so do threads that read their first rows.
    static constexpr u32 LINE = sizeof(T) <= 4 ? 32 : sizeof(T) <= 8 ? 16 : sizeof(T) <= 16 ? 8 : 32;
    static constexpr TREEPAR_DEVICE u32 place(u32 row) { return row + row / LINE; }
    using Memory = Shared<T, ROWS + (ROWS - 1) / LINE>;

    // Of rows that stand STRIDE rows apart, row k behind row `first`; and row k of the thread's own. What k adds is known when
    // it is compiled.
    template <u32 STRIDE>
    static TREEPAR_DEVICE i32 strided(u32 first, u32 k) {
        static_assert(STRIDE % LINE == 0, "whole lines between them");
        return i32(place(first)) + i32(k * (STRIDE + STRIDE / LINE));
    }
    static TREEPAR_DEVICE i32 own(u32 k) {
        static_assert(LINE % ITEMS == 0, "no thread's rows are in two lines");
        return i32(place(thread() * ITEMS)) + i32(k);
    }

    // What a thread's rows come to.
    static TREEPAR_DEVICE T sum_of_thread(Memory& rows) {
        T sum = M::identity();
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            sum = M::combine(sum, rows.get(own(k)));
        }
        return sum;
    }

    // Writes `element(i)` of rows `begin`, `begin + STRIDE`, .. of a tile, identities behind the last; `first` is where
    // `begin` stands.
    template <u32 STRIDE, class Element>
    static TREEPAR_DEVICE void load(const Tile& tile, u32 begin, u32 first, const Element& element, Memory& rows) {
        T mine[ITEMS];
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            mine[k] = element(tile.at(begin + k * STRIDE));
        }
        loads_are_under_way();
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            rows.set(strided<STRIDE>(first, k), tile.has(begin + k * STRIDE) ? mine[k] : M::identity());
        }
    }
};

}  // namespace treepar
