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

// A tile's rows in shared memory: neighbouring threads write neighbouring rows, then each thread takes ITEMS rows that
// follow each other.
template <class M, u32 THREADS, u32 ITEMS>
struct TileRows {
    using T = typename M::T;
    static constexpr u32 ROWS = THREADS * ITEMS;
    // A row is left free behind as many as meet each bank once: so do threads that read their first rows.
    static constexpr u32 LINE = sizeof(T) <= 4 ? 32 : sizeof(T) <= 8 ? 16 : sizeof(T) <= 16 ? 8 : 32;
    static constexpr TREEPAR_DEVICE u32 place(u32 row) { return row + row / LINE; }
    using Memory = Shared<T, ROWS + (ROWS - 1) / LINE>;

    // What a thread's rows come to.
    static TREEPAR_DEVICE T sum_of_thread(Memory& rows) {
        T sum = M::identity();
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            sum = M::combine(sum, rows.get(place(thread() * ITEMS + k)));
        }
        return sum;
    }
};

// `element(first) ..`, before row `end`, into shared memory, and a thread's own into `mine`; identities behind the last
// row, where that one is computed again: what is done without a condition is under way at once.
template <class M, u32 THREADS, u32 ITEMS, class Element>
TREEPAR_DEVICE void load_tile(u64 first, u64 end, const Element& element, typename M::T (&mine)[ITEMS],
                              typename TileRows<M, THREADS, ITEMS>::Memory& rows) {
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        mine[k] = element(least(first + k * THREADS + thread(), end - 1));
    }
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 row = k * THREADS + thread();
        if (first + row >= end) {
            mine[k] = M::identity();
        }
        rows.set(TileRows<M, THREADS, ITEMS>::place(row), mine[k]);
    }
    barrier();
}

}  // namespace treepar
