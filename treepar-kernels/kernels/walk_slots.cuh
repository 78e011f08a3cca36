// Template `walk_slots`: out[i] = f(i, values[i * slots ..]), after each child has written its slot.
//
// Runs and tiles take the order of `walk_up`. Values of children are in memory, so there are no entries.

#pragma once

namespace treepar {

template <u32 THREADS, u32 ITEMS, class T, class F>
struct WalkSlots {
    using Tile = WalkTile<u32, THREADS, ITEMS>;
    using PerRun = Shared<u32, THREADS>;
    // The values of a row are its number among its siblings.
    const Tile tile;
    u32 slots;
    const F& f;
    const Array<T>& values;
    const Array<T>& out;
    // 1 + the last row before each block of runs that is open at its end, or 0.
    PerRun& open;

    // Computes a row. Returns whether its parent is in an earlier tile.
    TREEPAR_DEVICE bool compute(u32 row, u32 above) const {
        const u64 i = u64(tile.first) + row;
        const T value = f(i, Column<T>{values.data + i * slots, slots});
        out.set(i, value);
        const u32 child = tile.value(row);
        if (above == NO_NODE || child >= slots) {
            return false;
        }
        values.set(u64(above) * slots + child, value);
        return above < tile.first;
    }

    // Computes the rows of the thread's run that are not open at its end. `end_parent` is the parent of the row after it.
    TREEPAR_DEVICE bool compute_run(u32 end_parent) const {
        const u32 run = thread() * ITEMS;
        u32 still_open = end_parent + 1;
        bool outside = false;
        TREEPAR_ROLLED
        for (u32 k = tile.rows_of_run(); k > 0; k -= 1) {
            const u32 row = run + (k - 1);
            const u32 above = tile.parent(row);
            if (tile.first + row + 1 == still_open) {
                still_open = above + 1;
            } else {
                outside |= compute(row, above);
            }
        }
        open.set(i32(thread()), still_open);
        return outside;
    }

    // Computes the rows of the left block of two that end in the right one.
    TREEPAR_DEVICE bool join_blocks(u32 left, u32 right) const {
        const u32 begin = left * ITEMS;
        const u32 middle = right * ITEMS;
        const u32 open_at_end = open.get(i32(right));
        bool outside = false;
        u32 node = tile.parent(middle);
        while (tile.row_of(node) - begin < middle - begin) {
            if (node < open_at_end) {
                return outside;
            }
            const u32 above = tile.parent(tile.row_of(node));
            outside |= compute(tile.row_of(node), above);
            node = above;
        }
        open.set(i32(left), open_at_end);
        return outside;
    }

    // Computes the rows that are open at the tile's end, when later tiles have computed their descendants.
    TREEPAR_DEVICE void join_tiles(const OpenTiles& tiles, u32 number, u32 end_parent) const {
        u32 node = end_parent;
        const bool inside = tile.row_of(node) < tile.rows;
        tiles.publish(number, {open.get(0), false, inside});
        if (!inside) {
            return;
        }
        u32 at = number + 1;
        OpenTiles::Summary summary = tiles.summary(at);
        while (tile.row_of(node) < tile.rows) {
            while (node < summary.open) {
                at = summary.inside ? u32(tiles.end(at)) : at + 1;
                summary = tiles.summary(at);
            }
            const u32 above = tile.parent(tile.row_of(node));
            compute(tile.row_of(node), above);
            node = above;
        }
        tiles.publish_end(number, at);
    }
};

template <u32 THREADS, u32 ITEMS, class T, class F>
TREEPAR_DEVICE void walk_slots(const Column<u32>& parents, const Column<u32>& child, u32 slots, const F& f,
                               const Array<u64>& words, const Array<T>& values, const Array<T>& out) {
    using Walk = WalkSlots<THREADS, ITEMS, T, F>;
    using Tile = typename Walk::Tile;
    using Rows = typename Tile::Parents::Memory;
    using PerRun = typename Walk::PerRun;
    TREEPAR_SHARED(Rows, parents_here);
    TREEPAR_SHARED(Rows, child_here);
    TREEPAR_SHARED(PerRun, open);
    const u32 n = u32(parents.size());
    const u32 number = (n - 1) / Tile::ROWS - next_tile(words);
    const u32 first = number * Tile::ROWS;
    const Tile tile{parents_here, child_here, first, least(Tile::ROWS, n - first)};
    const Tile numbers{child_here, child_here, first, tile.rows};
    const Walk walk{tile, slots, f, values, out, open};
    tile.load(parents);
    numbers.load(child);
    const u32 end = first + tile.rows;
    const u32 end_parent = end < n ? parents[end] : NO_NODE;
    barrier();
    bool outside = walk.compute_run(tile.parent_after_run(end_parent));
    barrier();
    TREEPAR_ROLLED
    for (u32 runs = 1; runs < THREADS; runs *= 2) {
        const u32 left = 2 * thread() * runs;
        if (left < THREADS && (left + runs) * ITEMS < tile.rows) {
            outside |= walk.join_blocks(left, left + runs);
        }
        barrier();
    }
    // Earlier tiles read the slots that this one writes.
    if (outside) {
        fence();
    }
    barrier();
    if (thread() == 0) {
        walk.join_tiles(OpenTiles{words}, number, end_parent);
    }
}

}  // namespace treepar
