// Template `map`: out[i] = f(i). Neighbouring threads take neighbouring rows.

#pragma once

namespace treepar {

// Returns the number of rows that a thread computes before it writes them: at most `items`, each of `bytes` bytes. No load
// moves past a store, which might be to the same memory, so the loads of these rows are in flight together. Large rows would
// not fit in registers.
constexpr TREEPAR_DEVICE u32 together(u32 bytes, u32 items) {
    return bytes * items <= 64 || items % 2 != 0 ? items : together(bytes, items / 2);
}

// For rows of a tile that are a block's width apart: computes them by `make(i, k)`, then writes them by `put(i, row)`. At most
// AT_ONCE of them are computed together. If they are fewer than ITEMS, `make` is long, and is in the code that often.
template <class R, u32 THREADS, u32 ITEMS, u32 AT_ONCE = ITEMS, class Make, class Put>
TREEPAR_DEVICE void rows_of_thread(const Tile& tile, const Make& make, const Put& put) {
    if (AT_ONCE == ITEMS && ITEMS > 1 && tile.is_full(THREADS * ITEMS)) {
        constexpr u32 TOGETHER = together(sizeof(R), ITEMS);
        const u64 first = u64(tile.first) + thread();
        TREEPAR_UNROLL
        for (u32 begin = 0; begin < ITEMS; begin += TOGETHER) {
            R made[TOGETHER];
            TREEPAR_UNROLL
            for (u32 k = 0; k < TOGETHER; k += 1) {
                made[k] = make(first + (begin + k) * THREADS, begin + k);
            }
            loads_are_under_way();
            TREEPAR_UNROLL
            for (u32 k = 0; k < TOGETHER; k += 1) {
                put(first + (begin + k) * THREADS, made[k]);
            }
        }
        return;
    }
    constexpr u32 PART = together(sizeof(R), part_of(AT_ONCE));
    TREEPAR_ROLLED
    for (u32 begin = 0; begin < ITEMS && begin * THREADS < tile.rows; begin += PART) {
        R made[PART];
        TREEPAR_UNROLL
        for (u32 k = 0; k < PART; k += 1) {
            made[k] = make(tile.at((begin + k) * THREADS + thread()), begin + k);
        }
        loads_are_under_way();
        TREEPAR_UNROLL
        for (u32 k = 0; k < PART; k += 1) {
            const u32 row = (begin + k) * THREADS + thread();
            if (tile.has(row)) {
                put(u64(tile.first) + row, made[k]);
            }
        }
    }
}

// The same for the tile with the block's number.
template <class R, u32 THREADS, u32 ITEMS, class Make, class Put>
TREEPAR_DEVICE void rows_of_block(u64 n, const Make& make, const Put& put) {
    const auto make_row = [&](u64 i, u32) { return make(i); };
    rows_of_thread<R, THREADS, ITEMS>(tile_of(block(), THREADS * ITEMS, n), make_row, put);
}

template <u32 THREADS, u32 ITEMS, class R, class F>
TREEPAR_DEVICE void map(u64 n, const F& f, const Output<R>& out) {
    rows_of_block<R, THREADS, ITEMS>(n, f, [&](u64 i, const R& row) { out.set(i, row); });
}

}  // namespace treepar
