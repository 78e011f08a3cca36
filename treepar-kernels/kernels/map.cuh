// Template `map`: out[i] = f(i). Neighbouring threads take neighbouring rows.

#pragma once

namespace treepar {

// How many of `items` rows of `bytes` bytes a thread makes before it writes them. No load goes past a store, which might be of the
// same memory: so what is read for all of them is under way at once. Large rows would not stay in registers.
constexpr TREEPAR_DEVICE u32 together(u32 bytes, u32 items) {
    return bytes * items <= 64 || items % 2 != 0 ? items : together(bytes, items / 2);
}

// Rows `first`, `first + THREADS`, .. below `n`: made by `make(i, k)`, then written by `put(i, row)`. What is behind the
// last row is made from that one again: a row without a condition can be made while others are.
template <class R, u32 THREADS, u32 ITEMS, class Make, class Put>
TREEPAR_DEVICE void rows_of_thread(u64 first, u64 n, const Make& make, const Put& put) {
    constexpr u32 TOGETHER = together(sizeof(R), ITEMS);
    TREEPAR_UNROLL
    for (u32 begin = 0; begin < ITEMS; begin += TOGETHER) {
        R row[TOGETHER];
        TREEPAR_UNROLL
        for (u32 k = 0; k < TOGETHER; k += 1) {
            row[k] = make(least(first + (begin + k) * THREADS, n - 1), begin + k);
        }
        TREEPAR_UNROLL
        for (u32 k = 0; k < TOGETHER; k += 1) {
            const u64 i = first + (begin + k) * THREADS;
            if (i < n) {
                put(i, row[k]);
            }
        }
    }
}

template <u32 THREADS, u32 ITEMS, class R, class F>
TREEPAR_DEVICE void map(u64 n, const F& f, const Output<R>& out) {
    const auto make = [&](u64 i, u32) { return f(i); };
    const auto put = [&](u64 i, const R& row) { out.set(i, row); };
    rows_of_thread<R, THREADS, ITEMS>(u64(block()) * (THREADS * ITEMS) + thread(), n, make, put);
}

}  // namespace treepar
