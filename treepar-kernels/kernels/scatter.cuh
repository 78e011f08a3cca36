// Templates without a device function that move rows: `scatter`, `fill`, `histogram`. A row is a few units of one width,
// the widest that divides it: columns begin at multiples of 256 bytes, so all units are aligned.

#pragma once

namespace treepar {

// A unit of 16 bytes.
struct alignas(16) Sixteen {
    u64 low;
    u64 high;
};

// target[indices[i]] = values[i], where there is such a row; a row is `units` units. A block takes THREADS * ITEMS rows.
template <u32 THREADS, u32 ITEMS, class Unit>
TREEPAR_DEVICE void scatter(const Column<u32>& indices, const Array<Unit>& values, u32 units, const Array<Unit>& target) {
    constexpr u32 ROWS = THREADS * ITEMS;
    const u64 n = indices.size();
    const u64 first = u64(block()) * ROWS;
    if (units == 1) {
        u32 to[ITEMS];
        Unit row[ITEMS];
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            const u64 i = least(first + k * THREADS + thread(), n - 1);
            to[k] = indices[i];
            row[k] = values.get(i);
        }
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            if (first + k * THREADS + thread() < n && to[k] < target.rows) {
                target.set(to[k], row[k]);
            }
        }
        return;
    }
    // Neighbouring threads take neighbouring units; numbers inside a tile are small, and quick to divide.
    const u32 rows = u32(least(u64(ROWS), n - first));
    for (u32 at = thread(); at < rows * units; at += THREADS) {
        const u32 row = at / units;
        const u64 to = u64(indices[first + row]) * units + (at - row * units);
        if (to < target.rows) {
            target.set(to, values.get(first * units + at));
        }
    }
}

// Writes to `again` 1 and a target below `rows` that two indices name. Bits in `seen` are zero.
TREEPAR_DEVICE void scatter_check(const Column<u32>& indices, u64 rows, const Array<u32>& seen, const Array<u32>& again) {
    const u64 i = u64(block()) * threads() + thread();
    if (i < indices.size() && indices[i] < rows) {
        const u32 bit = 1u << (indices[i] % 32);
        if (seen.bit_or(indices[i] / 32, bit) & bit) {
            again.max(0, indices[i] + 1);
        }
    }
}

// `out` is `pattern` again and again.
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

// Calls `take(key)` for keys of a grid that goes over all of them in strides. A few keys are under way at once.
template <u32 THREADS, class K, class Take>
TREEPAR_DEVICE void keys_in_strides(const Column<K>& keys, const Take& take) {
    constexpr u32 TOGETHER = 4;
    const u64 n = keys.size();
    const u64 stride = u64(blocks()) * THREADS;
    for (u64 i = u64(block()) * THREADS + thread(); i < n; i += TOGETHER * stride) {
        K key[TOGETHER];
        TREEPAR_UNROLL
        for (u32 k = 0; k < TOGETHER; k += 1) {
            key[k] = keys[least(i + k * stride, n - 1)];
        }
        TREEPAR_UNROLL
        for (u32 k = 0; k < TOGETHER; k += 1) {
            if (i + k * stride < n) {
                take(key[k]);
            }
        }
    }
}

// out[b] is how many keys are b; others are skipped. Few bins are counted in each block first.
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

TREEPAR_DEVICE void histogram(const Column<u32>& keys, const Array<u32>& out) {
    const u64 i = u64(block()) * threads() + thread();
    if (i < keys.size() && keys[i] < out.rows) {
        out.add(keys[i], 1);
    }
}

}  // namespace treepar
