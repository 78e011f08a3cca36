// Template `reduce`: each block takes rows that follow each other, then one block what they came to. The order of rows
// is kept, since a monoid need not commute.

#pragma once

namespace treepar {

// What `element(first) .. element(end - 1)` come to; valid in all threads.
template <class M, u32 THREADS, u32 ITEMS, class Element>
TREEPAR_DEVICE typename M::T reduce_rows(u64 first, u64 end, const Element& element) {
    using T = typename M::T;
    using Tile = TileRows<M, THREADS, ITEMS>;
    using Memory = typename Tile::Memory;
    TREEPAR_SHARED(Memory, rows);
    T sum = M::identity();
    for (; first < end; first += Tile::ROWS) {
        T mine[ITEMS];
        load_tile<M, THREADS, ITEMS>(first, end, element, mine, rows);
        T whole;
        block_scan<M, THREADS>(Tile::sum_of_thread(rows), whole);
        sum = M::combine(sum, whole);
    }
    return sum;
}

// `share` rows for each block, a multiple of a tile's.
template <class M, u32 THREADS, u32 ITEMS, class F>
TREEPAR_DEVICE void reduce(u64 n, u64 share, const F& f, const Array<typename M::T>& out) {
    const u64 first = u64(block()) * share;
    const typename M::T sum = reduce_rows<M, THREADS, ITEMS>(first, first + share < n ? first + share : n, f);
    if (thread() == 0) {
        out.set(block(), sum);
    }
}

template <class M, u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void reduce_final(const Array<typename M::T>& sums, const Array<typename M::T>& total) {
    const auto element = [&](u64 i) { return sums.get(i); };
    const typename M::T sum = reduce_rows<M, THREADS, ITEMS>(0, sums.rows, element);
    if (thread() == 0) {
        total.set(0, sum);
    }
}

}  // namespace treepar
