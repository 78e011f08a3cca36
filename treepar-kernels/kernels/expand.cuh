// Template `expand`: out[offsets[owner] + k] = f(owner, k). Each tile of rows looks up its first and its last owner, and
// each row its own between them, in shared memory if they are no more than rows.

#pragma once

namespace treepar {

// The last owner between `low` and `high` whose rows begin at or before row `i`; the first does.
template <class Offsets>
TREEPAR_DEVICE u32 owner_of(u64 i, u32 low, u32 high, const Offsets& offset) {
    while (low < high) {
        const u32 middle = low + (high - low + 1) / 2;
        if (offset(middle) <= i) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

// The same, by all lanes of a warp: each round asks 32 owners at once, so that memory is waited for seldom.
template <class Offsets>
TREEPAR_DEVICE u32 owner_by_warp(u64 i, u32 low, u32 high, const Offsets& offset) {
    while (low < high) {
        const u64 step = (high - low) / WARP + 1;
        const u64 asked = low + (lane() + 1) * step;
        const bool begun = asked <= high && offset(u32(asked)) <= i;
        const u64 found = low + count_ones(ballot(begun)) * step;
        high = u32(least(u64(high), found + step - 1));
        low = u32(found);
    }
    return low;
}

template <u32 THREADS, u32 ITEMS, class R, class F>
TREEPAR_DEVICE void expand(const Column<u32>& offsets, u64 m, const F& f, const Output<R>& out) {
    constexpr u32 ROWS = THREADS * ITEMS;
    using Ends = Shared<u32, 2>;
    using Offsets = Shared<u32, ROWS>;
    TREEPAR_SHARED(Ends, ends);
    TREEPAR_SHARED(Offsets, near);
    const u64 first = u64(block()) * ROWS;
    const u64 last = first + ROWS < m ? first + ROWS - 1 : m - 1;
    const auto everywhere = [&](u32 owner) { return offsets[owner]; };
    static_assert(THREADS >= 2 * WARP, "a warp for each end");
    const u32 warp = thread() / WARP;
    if (warp < 2) {
        const u32 owner = owner_by_warp(warp == 0 ? first : last, 0, u32(offsets.size() - 1), everywhere);
        if (lane() == 0) {
            ends.set(warp, owner);
        }
    }
    barrier();
    const u32 low = ends.get(0);
    const u32 high = ends.get(1);
    const bool few = high - low < ROWS;
    if (few) {
        for (u32 k = thread(); k <= high - low; k += THREADS) {
            near.set(k, offsets[low + k]);
        }
    }
    barrier();
    const auto nearby = [&](u32 owner) { return near.get(owner - low); };
    const auto make = [&](u64 i, u32) {
        const u32 owner = few ? owner_of(i, low, high, nearby) : owner_of(i, low, high, everywhere);
        return f(owner, i - (few ? nearby(owner) : everywhere(owner)));
    };
    const auto put = [&](u64 i, const R& row) { out.set(i, row); };
    rows_of_thread<R, THREADS, ITEMS>(first + thread(), m, make, put);
}

}  // namespace treepar
