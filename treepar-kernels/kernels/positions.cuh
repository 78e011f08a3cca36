// Template `positions`: the rows 64 w + k of each bit k that is set in g(w, f(0) · .. · f(w - 1)), in order. One pass over
// tiles of words, each of which looks back twice: for the value before its words, then for the number of marks before them.

#pragma once

namespace treepar {

// The rows that a word marks.
constexpr u32 MARKS = 64;

// Writes the number of all marks to `total`. A thread takes ITEMS consecutive words, as in `scan`. A warp writes the rows of a
// word together, a bit for each lane, so that neighbouring lanes write neighbouring rows.
template <class M, u32 THREADS, u32 ITEMS, u32 AT_ONCE, class F, class G>
TREEPAR_DEVICE void positions(u64 n, const F& f, const G& g, const Array<u32>& out, const Tiles<typename M::T>& tiles,
                              const Tiles<u32>& counts, const Array<u32>& total) {
    using T = typename M::T;
    using Rows = TileRows<M, THREADS, ITEMS>;
    using Memory = typename Rows::Memory;
    using Marked = Shared<u64, Rows::ROWS>;
    using Firsts = Shared<u32, Rows::ROWS>;
    TREEPAR_SHARED(Memory, rows);
    TREEPAR_SHARED(Marked, words);
    TREEPAR_SHARED(Firsts, firsts);
    const OpenTile<T> open = open_tile<M, THREADS, ITEMS, AT_ONCE>(n, f, tiles, rows);
    fold_rows<M, THREADS, ITEMS>(false, open.before, rows);
    const Tile tile = open.tile;
    // Neighbouring threads make neighbouring words. A word after the last one has no marks.
    u64 made[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        made[k] = g(tile.at(k * THREADS + thread()), rows.get(Rows::template strided<THREADS>(thread(), k)));
    }
    loads_are_under_way();
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        words.set(k * THREADS + thread(), tile.has(k * THREADS + thread()) ? made[k] : 0);
    }
    barrier();
    u32 count = 0;
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        count += count_ones(words.get(thread() * ITEMS + k));
    }
    u32 in_all;
    const u32 of_thread = block_scan<Count, THREADS>(count, in_all);
    const u32 before_tile = look_back<Count>(counts, open.number, in_all);
    u32 first = before_tile + of_thread;
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        firsts.set(thread() * ITEMS + k, first);
        first += count_ones(words.get(thread() * ITEMS + k));
    }
    if (thread() == 0 && tile.first + u64(Rows::ROWS) >= n) {
        total.set(0, before_tile + in_all);
    }
    barrier();
    for (u32 w = thread() / WARP; w < tile.rows; w += THREADS / WARP) {
        const u64 word = words.get(w);
        const u32 row = (tile.first + w) * MARKS;
        TREEPAR_UNROLL
        for (u32 k = 0; k < MARKS; k += WARP) {
            const u32 bit = k + lane();
            if ((word >> bit & 1) != 0) {
                out.set(firsts.get(w) + count_ones(word & ((u64(1) << bit) - 1)), row + bit);
            }
        }
    }
}

}  // namespace treepar
