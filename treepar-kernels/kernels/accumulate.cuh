// Template `accumulate`: out[index] += weight with (index, weight) = f(i). Indices outside are skipped.

#pragma once

namespace treepar {

// Neighbouring lanes with equal indices add once: neighbouring rows often name one row. A sum of a run is the difference of
// two sums of the warp, since sums wrap.
template <u32 THREADS, u32 ITEMS, class F>
TREEPAR_DEVICE void accumulate(u64 n, const F& f, const Array<u32>& out) {
    const Tile tile = tile_of(block(), THREADS * ITEMS, n);
    u32 index[ITEMS];
    u32 weight[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const Tuple<u32, u32> row = f(tile.at(k * THREADS + thread()));
        index[k] = get<0>(row);
        weight[k] = get<1>(row);
    }
    loads_are_under_way();
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const bool counted = tile.has(k * THREADS + thread()) && index[k] < out.rows;
        // The lanes at which a run of equal indices begins. Each row that is not counted is its own run.
        const u32 before = shuffle_up(index[k], 1);
        const u32 begins = ballot(lane() == 0 || before != index[k] || !counted);
        u32 sum = weight[k];
        // The same in all lanes.
        if (begins != 0xffffffffu) {
            const u32 with = warp_scan<Count>(sum);
            const u32 later = begins & ~((2u << lane()) - 1);
            sum += shuffle_from(with, (later ? trailing_zeros(later) : WARP) - 1) - with;
        }
        if (counted && (begins >> lane() & 1u)) {
            out.add(index[k], sum);
        }
    }
}

}  // namespace treepar
