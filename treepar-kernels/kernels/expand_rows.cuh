// Template `expand_rows`: the first rows of each owner's four, one owner after another. One pass over tiles of owners, which
// look back for the number of rows before them.

#pragma once

namespace treepar {

// The rows that an owner makes, of which it keeps the first ones.
constexpr u32 MADE = 4;

// Writes the index of each owner's first row to `offsets`, and the number of all rows to `total`. Neighbouring threads take
// neighbouring owners. A tile's rows come together in shared memory, so that neighbouring threads write neighbouring rows.
template <u32 THREADS, u32 ITEMS, class T, class F>
TREEPAR_DEVICE void expand_rows(u64 n, const F& f, const Array<T>& out, const Array<u32>& offsets, const Tiles<u32>& tiles,
                                const Array<u32>& total) {
    constexpr u32 OWNERS = THREADS * ITEMS;
    using Rows = Shared<T, OWNERS * MADE>;
    TREEPAR_SHARED(Rows, rows);
    const u32 number = next_tile(tiles.words);
    const Tile tile = tile_of(number, OWNERS, n);
    Tuple<T, T, T, T, u32> made[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        made[k] = f(tile.at(k * THREADS + thread()));
    }
    loads_are_under_way();
    u32 first[ITEMS];
    u32 whole = 0;
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 count = tile.has(k * THREADS + thread()) ? least(get<4>(made[k]), MADE) : 0;
        u32 of_round;
        first[k] = whole + block_scan<Count, THREADS>(count, of_round);
        whole += of_round;
        const T row[MADE] = {get<0>(made[k]), get<1>(made[k]), get<2>(made[k]), get<3>(made[k])};
        TREEPAR_UNROLL
        for (u32 r = 0; r < MADE; r += 1) {
            if (r < count) {
                rows.set(first[k] + r, row[r]);
            }
        }
    }
    // Its barrier comes after the writes to `rows`.
    const u32 before = look_back<Count>(tiles, number, whole);
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        if (tile.has(k * THREADS + thread())) {
            offsets.set(tile.first + k * THREADS + thread(), before + first[k]);
        }
    }
    for (u32 r = thread(); r < whole; r += THREADS) {
        out.set(before + r, rows.get(r));
    }
    if (thread() == 0 && tile.first + u64(OWNERS) >= n) {
        total.set(0, before + whole);
    }
}

}  // namespace treepar
