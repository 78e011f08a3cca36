// Operations of all threads of a block: scan and reduce one value per thread, in the order of threads.
//
// All threads of the block call each function. There are THREADS of them, a multiple of a warp.

#pragma once

namespace treepar {

// Returns the combined value of a lane and all lanes before it.
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

// Returns the combined value of all threads before this one, and in `total` the value of all threads. Valid in all threads.
template <class M, u32 THREADS>
TREEPAR_DEVICE typename M::T block_scan(typename M::T value, typename M::T& total) {
    using T = typename M::T;
    constexpr u32 WARPS = THREADS / WARP;
    using Sums = Shared<T, WARPS>;
    TREEPAR_SHARED(Sums, sums);
    const T with = warp_scan<M>(value);
    // Until here, threads may read the sums of an earlier call.
    barrier();
    if (lane() == WARP - 1) {
        sums.set(thread() / WARP, with);
    }
    barrier();
    // Each run of WARPS lanes scans the sums of all warps.
    static_assert(WARP % WARPS == 0, "runs of lanes");
    T all = sums.get(lane() % WARPS);
    TREEPAR_UNROLL
    for (u32 distance = 1; distance < WARPS; distance *= 2) {
        const T before = shuffle_up(all, distance);
        if (lane() % WARPS >= distance) {
            all = M::combine(before, all);
        }
    }
    const u32 warp = thread() / WARP;
    total = shuffle_from(all, WARPS - 1);
    const T earlier = shuffle_from(all, warp - (warp > 0));
    const T before = warp == 0 ? M::identity() : earlier;
    const T in_warp = shuffle_up(with, 1);
    return lane() == 0 ? before : M::combine(before, in_warp);
}

// The rows of a tile: `rows` rows from row `first`. The last tile has fewer than the others. A column has less than 2^32
// rows, so 32 bits are enough.
struct Tile {
    u32 first;
    u32 rows;

    // `true` if it has `size` rows, as all tiles but the last. Then its rows need no condition, and their distances are parts
    // of instructions.
    TREEPAR_DEVICE bool is_full(u32 size) const { return rows == size; }
    TREEPAR_DEVICE bool has(u32 row) const { return row < rows; }
    // The index in the column of a row of the tile. After the last row it is the last row again: loads without a condition
    // are in flight at the same time.
    TREEPAR_DEVICE u64 at(u32 row) const { return first + least(row, rows - 1); }
};

// Returns tile `number`, for tiles of `size` rows that end at row `end`.
TREEPAR_DEVICE Tile tile_of(u64 number, u32 size, u64 end) {
    const u64 first = number * size;
    return {u32(first), u32(least(u64(size), end - first))};
}

// Returns the rows per thread that a tile which is not full evaluates together, where a full one evaluates `at_once`.
constexpr TREEPAR_DEVICE u32 part_of(u32 at_once) {
    return at_once < 4 ? at_once : 4;
}

// The layout of rows in shared memory, where neighbouring threads write neighbouring rows, and then each thread reads ITEMS
// consecutive rows.
template <class M, u32 THREADS, u32 ITEMS>
struct TileRows {
    using T = typename M::T;
    static constexpr u32 ROWS = THREADS * ITEMS;
    // After every LINE rows, which use each bank once, one row stays free. Then threads that read their first rows use
    // different banks.
    static constexpr u32 LINE = sizeof(T) <= 4 ? 32 : sizeof(T) <= 8 ? 16 : sizeof(T) <= 16 ? 8 : 32;
    static constexpr TREEPAR_DEVICE u32 slot(u32 row) { return row + row / LINE; }
    using Memory = Shared<T, ROWS + (ROWS - 1) / LINE>;

    // The slots of row k of rows that are STRIDE apart, from slot row `first`, and of the thread's own row k. The part that
    // depends on k is a constant.
    template <u32 STRIDE>
    static TREEPAR_DEVICE i32 strided(u32 first, u32 k) {
        static_assert(STRIDE % LINE == 0, "a stride of whole lines");
        return i32(slot(first)) + i32(k * (STRIDE + STRIDE / LINE));
    }
    static TREEPAR_DEVICE i32 own(u32 k) {
        static_assert(LINE % ITEMS == 0, "a thread's rows are in one line");
        return i32(slot(thread() * ITEMS)) + i32(k);
    }

    // Returns the combined value of a thread's rows.
    static TREEPAR_DEVICE T sum_of_thread(Memory& rows) {
        T sum = M::identity();
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            sum = M::combine(sum, rows.get(own(k)));
        }
        return sum;
    }

    // Writes `element(i)` of the rows `begin`, `begin + STRIDE`, .. of a tile, and identities after its last row; `first` is
    // the row of shared memory for `begin`. Evaluates AT_ONCE rows together.
    template <u32 STRIDE, u32 AT_ONCE, class Element>
    static TREEPAR_DEVICE void load(const Tile& tile, u32 begin, u32 first, const Element& element, Memory& rows) {
        if (AT_ONCE == ITEMS && ITEMS > 1 && tile.is_full(STRIDE * ITEMS)) {
            T mine[ITEMS];
            const u64 from = u64(tile.first) + begin;
            TREEPAR_UNROLL
            for (u32 k = 0; k < ITEMS; k += 1) {
                mine[k] = element(from + k * STRIDE);
            }
            loads_are_under_way();
            TREEPAR_UNROLL
            for (u32 k = 0; k < ITEMS; k += 1) {
                rows.set(strided<STRIDE>(first, k), mine[k]);
            }
            return;
        }
        constexpr u32 PART = part_of(AT_ONCE);
        TREEPAR_ROLLED
        for (u32 part = 0; part < ITEMS; part += PART) {
            T mine[PART];
            if (tile.has(part * STRIDE)) {
                TREEPAR_UNROLL
                for (u32 k = 0; k < PART; k += 1) {
                    mine[k] = element(tile.at(begin + (part + k) * STRIDE));
                }
            }
            loads_are_under_way();
            TREEPAR_UNROLL
            for (u32 k = 0; k < PART; k += 1) {
                const bool has = tile.has(begin + (part + k) * STRIDE);
                rows.set(strided<STRIDE>(first, part + k), has ? mine[k] : M::identity());
            }
        }
    }
};

}  // namespace treepar
