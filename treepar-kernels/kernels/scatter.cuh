// Templates without a device function that move rows: `scatter`, `fill`, `histogram`. A row is a few units of one width,
// the widest that divides it: columns begin at multiples of 256 bytes, so all units are aligned.

#pragma once

namespace treepar {

// A unit of 16 bytes.
struct alignas(16) Sixteen {
    u64 low;
    u64 high;
};

// target[indices[i]] = values[i], if there is such a row; a row is `units` units. A block takes THREADS * ITEMS rows.
template <u32 THREADS, u32 ITEMS, class Unit>
TREEPAR_DEVICE void scatter(const Column<u32>& indices, const Array<Unit>& values, u32 units, const Array<Unit>& target) {
    const Tile tile = tile_of(block(), THREADS * ITEMS, indices.size());
    if (units == 1) {
        struct Move {
            Unit unit;
            u32 to;
        };
        const auto make = [&](u64 i, u32) { return Move{values.get(i), indices[i]}; };
        const auto put = [&](u64, const Move& move) {
            if (move.to < target.rows) {
                target.set(move.to, move.unit);
            }
        };
        rows_of_thread<Move, THREADS, ITEMS>(tile, make, put);
        return;
    }
    // ITEMS units per thread at a time. Numbers within a tile are small, and fast to divide.
    for (u32 begin = thread(); begin < tile.rows * units; begin += THREADS * ITEMS) {
        u64 to[ITEMS];
        Unit moving[ITEMS];
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            const u32 unit = least(begin + k * THREADS, tile.rows * units - 1);
            const u32 row = unit / units;
            to[k] = u64(indices[tile.first + row]) * units + (unit - row * units);
            moving[k] = values.get(u64(tile.first) * units + unit);
        }
        loads_are_under_way();
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            if (begin + k * THREADS < tile.rows * units && to[k] < target.rows) {
                target.set(to[k], moving[k]);
            }
        }
    }
}

// Writes to `again` a 1 and a target below `rows` that two indices have. Bits in `seen` are zero at the start.
template <u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void scatter_check(const Column<u32>& indices, u64 rows, const Array<u32>& seen, const Array<u32>& again) {
    const auto put = [&](u64, u32 index) {
        if (index < rows) {
            const u32 bit = 1u << (index % 32);
            if (seen.bit_or(index / 32, bit) & bit) {
                again.max(0, index + 1);
            }
        }
    };
    rows_of_block<u32, THREADS, ITEMS>(indices.size(), [&](u64 i) { return indices[i]; }, put);
}

// Fills `out` with copies of `pattern`.
template <u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void fill(const Array<Sixteen>& pattern, const Array<Sixteen>& out) {
    constexpr u32 ROWS = THREADS * ITEMS;
    const u64 first = u64(block()) * ROWS;
    const u32 length = u32(pattern.rows);
    const u32 phase = length == 1 ? 0 : u32(first % length);
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 at = k * THREADS + thread();
        if (first + at < out.rows) {
            out.set(first + at, pattern.get(length == 1 ? 0 : (phase + at) % length));
        }
    }
}

// Calls `take(key)` for all keys, by a grid with a stride. The loads of a few keys are in flight together.
template <u32 THREADS, class K, class Take>
TREEPAR_DEVICE void keys_in_strides(const Column<K>& keys, const Take& take) {
    constexpr u32 TOGETHER = 4;
    const u64 n = keys.size();
    const u64 stride = u64(blocks()) * THREADS;
    for (u64 i = u64(block()) * THREADS + thread(); i < n; i += TOGETHER * stride) {
        if (i + (TOGETHER - 1) * stride < n) {
            K key[TOGETHER];
            TREEPAR_UNROLL
            for (u32 k = 0; k < TOGETHER; k += 1) {
                key[k] = keys[i + k * stride];
            }
            loads_are_under_way();
            TREEPAR_UNROLL
            for (u32 k = 0; k < TOGETHER; k += 1) {
                take(key[k]);
            }
        } else {
            TREEPAR_ROLLED
            for (u64 rest = i; rest < n; rest += stride) {
                take(keys[rest]);
            }
        }
    }
}

// Sets out[b] to the number of keys equal to b; greater keys are skipped. Few bins are first counted per block.
template <u32 THREADS, u32 BINS>
TREEPAR_DEVICE void histogram_few(const Column<u32>& keys, const Array<u32>& out) {
    using Counts = Shared<u32, BINS>;
    TREEPAR_SHARED(Counts, counts);
    for (u32 b = thread(); b < BINS; b += THREADS) {
        counts.set(b, 0);
    }
    barrier();
    keys_in_strides<THREADS>(keys, [&](u32 key) {
        if (key < out.rows) {
            counts.add(key, 1);
        }
    });
    barrier();
    for (u32 b = thread(); b < out.rows; b += THREADS) {
        const u32 count = counts.get(b);
        if (count) {
            out.add(b, count);
        }
    }
}

// The same for many bins. Neighbouring lanes with equal keys add once: often a row has the key of the row before it, as
// sibling leaves have one parent.
template <u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void histogram(const Column<u32>& keys, const Array<u32>& out) {
    const Tile tile = tile_of(block(), THREADS * ITEMS, keys.size());
    u32 key[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        key[k] = keys[tile.at(k * THREADS + thread())];
    }
    loads_are_under_way();
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const bool counted = tile.has(k * THREADS + thread()) && key[k] < out.rows;
        // The lanes at which a run of equal keys begins. Each row that is not counted is its own run.
        const u32 before = shuffle_up(key[k], 1);
        const u32 begins = ballot(lane() == 0 || before != key[k] || !counted);
        if (counted && (begins >> lane() & 1u)) {
            const u32 later = begins & ~((2u << lane()) - 1);
            out.add(key[k], (later ? trailing_zeros(later) : WARP) - lane());
        }
    }
}

}  // namespace treepar
