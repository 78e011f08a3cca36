// Template `reduce`: each warp combines consecutive rows, then a block the values of its warps, and one block the values of
// all blocks. The order of rows is kept, because a monoid need not commute.

#pragma once

namespace treepar {

// Returns the combined value of all lanes, in their order. Valid in lane 0.
template <class M>
TREEPAR_DEVICE typename M::T warp_reduce(typename M::T value) {
    TREEPAR_UNROLL
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        value = M::combine(value, shuffle_down(value, distance));
    }
    return value;
}

// Returns the combined value of `element(first) .. element(end - 1)`, in all threads.
//
// Each warp takes consecutive rows, a piece at a time, without barriers of the block: while one warp waits for memory, others
// combine.
template <class M, u32 THREADS, u32 ITEMS, u32 AT_ONCE, class Element>
TREEPAR_DEVICE typename M::T reduce_rows(u64 first, u64 end, const Element& element) {
    using T = typename M::T;
    using Rows = TileRows<M, THREADS, ITEMS>;
    using Memory = typename Rows::Memory;
    constexpr u32 WARPS = THREADS / WARP;
    constexpr u32 PIECE = WARP * ITEMS;
    using Sums = Shared<T, WARPS>;
    TREEPAR_SHARED(Memory, rows);
    TREEPAR_SHARED(Sums, sums);
    const u32 warp = thread() / WARP;
    const u64 pieces = (end - first + Rows::ROWS - 1) / Rows::ROWS;
    const u64 begin = first + warp * pieces * PIECE;
    T sum = M::identity();
    for (u64 at = begin; at < least(begin + pieces * PIECE, end); at += PIECE) {
        const Tile piece{u32(at), u32(least(u64(PIECE), end - at))};
        // Until here, lanes may read the previous piece.
        warp_barrier();
        Rows::template load<WARP, AT_ONCE>(piece, lane(), warp * PIECE + lane(), element, rows);
        warp_barrier();
        sum = M::combine(sum, warp_reduce<M>(Rows::sum_of_thread(rows)));
    }
    if (lane() == 0) {
        sums.set(warp, sum);
    }
    barrier();
    T all = M::identity();
    TREEPAR_UNROLL
    for (u32 w = 0; w < WARPS; w += 1) {
        all = M::combine(all, sums.get(w));
    }
    return all;
}

// Each block takes `share` rows, a multiple of a tile.
template <class M, u32 THREADS, u32 ITEMS, u32 AT_ONCE, class F>
TREEPAR_DEVICE void reduce(u64 n, u64 share, const F& f, const Array<typename M::T>& out) {
    const u64 first = u64(block()) * share;
    const typename M::T sum = reduce_rows<M, THREADS, ITEMS, AT_ONCE>(first, least(first + share, n), f);
    if (thread() == 0) {
        out.set(block(), sum);
    }
}

template <class M, u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void reduce_final(const Array<typename M::T>& sums, const Array<typename M::T>& total) {
    const auto element = [&](u64 i) { return sums.get(i); };
    const typename M::T sum = reduce_rows<M, THREADS, ITEMS, ITEMS>(0, sums.rows, element);
    if (thread() == 0) {
        total.set(0, sum);
    }
}

}  // namespace treepar
