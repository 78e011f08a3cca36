// Template `expand`: out[offsets[owner] + k] = f(owner, k). Each tile of rows searches for its first and its last owner. Those
// between them mark their first rows, and a scan of the marks gives each row its owner.

#pragma once

namespace treepar {

// A monoid: the later of two.
struct Last {
    using T = u32;
    static TREEPAR_DEVICE T identity() { return 0; }
    static TREEPAR_DEVICE T combine(T a, T b) { return greatest(a, b); }
};

// Returns the last owner whose rows begin at or before row `i`; the first owner always does. All lanes of a warp search: each
// round reads 32 offsets at once, so that there are few round trips.
TREEPAR_DEVICE u32 owner_by_warp(const Column<u32>& offsets, u64 i) {
    u32 low = 0;
    u32 high = u32(offsets.size() - 1);
    while (low < high) {
        const u64 step = (high - low) / WARP + 1;
        const u64 probe = low + (lane() + 1) * step;
        const bool begun = probe <= high && offsets[probe] <= i;
        const u64 found = low + count_ones(ballot(begun)) * step;
        high = u32(least(u64(high), found + step - 1));
        low = u32(found);
    }
    return low;
}

template <u32 THREADS, u32 ITEMS, class R, class F>
TREEPAR_DEVICE void expand(const Column<u32>& offsets, u64 m, const F& f, const Output<R>& out) {
    using Rows = TileRows<Last, THREADS, ITEMS>;
    using Memory = typename Rows::Memory;
    using Ends = Shared<u32, 2>;
    TREEPAR_SHARED(Ends, ends);
    TREEPAR_SHARED(Memory, marks);
    const Tile tile = tile_of(block(), Rows::ROWS, m);
    static_assert(THREADS >= 2 * WARP, "a warp for each end");
    const u32 warp = thread() / WARP;
    if (warp < 2) {
        const u32 owner = owner_by_warp(offsets, tile.at(warp == 0 ? 0 : Rows::ROWS));
        if (lane() == 0) {
            ends.set(warp, owner);
        }
    }
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        marks.set(Rows::template strided<THREADS>(thread(), k), 0);
    }
    barrier();
    const u32 low = ends.get(0);
    const u32 high = ends.get(1);
    for (u64 owner = u64(low) + thread(); owner <= high; owner += THREADS) {
        const u32 begin = offsets[owner];
        // If owners have the same offset, only the last has rows.
        if (begin >= tile.first && (owner == high || offsets[owner + 1] > begin)) {
            marks.set(Rows::slot(begin - tile.first), u32(owner - low));
        }
    }
    barrier();
    u32 whole;
    u32 before = block_scan<Last, THREADS>(Rows::sum_of_thread(marks), whole);
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        before = Last::combine(before, marks.get(Rows::own(k)));
        marks.set(Rows::own(k), before);
    }
    barrier();
    const auto make = [&](u64 i, u32 k) {
        const u32 owner = low + marks.get(Rows::template strided<THREADS>(thread(), k));
        return f(owner, i - offsets[owner]);
    };
    const auto put = [&](u64 i, const R& row) { out.set(i, row); };
    rows_of_thread<R, THREADS, ITEMS>(tile, make, put);
}

}  // namespace treepar
