// Template `walk_slots`: out[i] = f(i, values[i * slots ..]), after each child has written its slot.
//
// Runs and tiles take the order of `walk_up`. Values of children are in memory, so there are no entries.

#pragma once

namespace treepar {

// A row's parent, and its number among its siblings. One load reads both.
struct alignas(8) Link {
    u32 parent;
    u32 child;
};

template <u32 THREADS, u32 ITEMS, class T, class F>
struct WalkSlots {
    using Runs = RunsOfTile<THREADS, ITEMS>;
    using Links = TileRows<Of<Link>, THREADS, ITEMS>;
    using PerRun = Shared<u32, THREADS>;
    const Runs tile;
    typename Links::Memory& links;
    u32 slots;
    const F& f;
    const Array<T>& values;
    const Array<T>& out;
    // 1 + the last row before each block of runs that is open at its end, or 0.
    PerRun& open;

    TREEPAR_DEVICE Link link(u32 row) const { return links.get(i32(Links::slot(row))); }

    // Loads the parents and numbers of the tile's rows in two parts: all loads together would need too many registers.
    TREEPAR_DEVICE void load(const Column<u32>& parents, const Column<u32>& child) const {
        load_part<0, ITEMS / 2>(parents, child);
        load_part<ITEMS / 2, ITEMS>(parents, child);
    }
    template <u32 FROM, u32 TO>
    TREEPAR_DEVICE void load_part(const Column<u32>& parents, const Column<u32>& child) const {
        const u64 begin = u64(tile.first) + thread();
        Link mine[TO - FROM];
        TREEPAR_UNROLL
        for (u32 k = FROM; k < TO; k += 1) {
            mine[k - FROM] = {NO_NODE, 0};
        }
        const auto take = [&](u32 k) { mine[k - FROM] = {parents[begin + k * THREADS], child[begin + k * THREADS]}; };
        tile.template each_row<FROM, TO>(take);
        loads_are_under_way();
        TREEPAR_UNROLL
        for (u32 k = FROM; k < TO; k += 1) {
            links.set(Links::template strided<THREADS>(thread(), k), mine[k - FROM]);
        }
    }

    // Computes a node.
    TREEPAR_DEVICE void compute(u32 node, const Link& link) const {
        const T value = f(node, Column<T>{values.from(node * slots).data, slots});
        out.set(node, value);
        if (link.parent != NO_NODE && link.child < slots) {
            values.from(link.parent * slots + link.child).set(0, value);
        }
    }

    // Computes the rows of the thread's run that are not open at its end. `end_parent` is the parent of the row after it.
    // Returns the first parent of them.
    TREEPAR_DEVICE u32 compute_run(u32 end_parent) const {
        const u32 run = tile.first + thread() * ITEMS;
        u32 still_open = end_parent;
        u32 first_parent = NO_NODE;
        TREEPAR_ROLLED
        for (u32 k = tile.rows_of_run(); k > 0; k -= 1) {
            const u32 node = run + (k - 1);
            const Link link = links.get(Links::own(k - 1));
            if (node == still_open) {
                still_open = link.parent;
            } else {
                compute(node, link);
                first_parent = least(first_parent, link.parent);
            }
        }
        open.set(i32(thread()), still_open + 1);
        return first_parent;
    }

    // Computes the rows of the left block of two that end in the right one. Returns the first parent of them.
    TREEPAR_DEVICE u32 join_blocks(u32 left, u32 right) const {
        const u32 begin = left * ITEMS;
        const u32 middle = right * ITEMS;
        const u32 open_at_end = open.get(i32(right));
        u32 first_parent = NO_NODE;
        u32 node = link(middle).parent;
        while (tile.row_of(node) - begin < middle - begin) {
            if (node < open_at_end) {
                return first_parent;
            }
            const Link above = link(tile.row_of(node));
            compute(node, above);
            first_parent = least(first_parent, above.parent);
            node = above.parent;
        }
        open.set(i32(left), open_at_end);
        return first_parent;
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
            const Link above = link(tile.row_of(node));
            compute(node, above);
            node = above.parent;
        }
        tiles.publish_end(number, at);
    }
};

template <u32 THREADS, u32 ITEMS, class T, class F>
TREEPAR_DEVICE void walk_slots(const Column<u32>& parents, const Column<u32>& child, u32 slots, const F& f,
                               const Array<u64>& words, const Array<T>& values, const Array<T>& out) {
    using Walk = WalkSlots<THREADS, ITEMS, T, F>;
    using Runs = typename Walk::Runs;
    using Links = typename Walk::Links::Memory;
    using PerRun = typename Walk::PerRun;
    TREEPAR_SHARED(Links, links);
    TREEPAR_SHARED(PerRun, open);
    const u32 n = u32(parents.size());
    const u32 number = (n - 1) / Runs::ROWS - next_tile(words);
    const u32 first = number * Runs::ROWS;
    const Runs tile{first, least(Runs::ROWS, n - first)};
    const Walk walk{tile, links, slots, f, values, out, open};
    walk.load(parents, child);
    const u32 end = first + tile.rows;
    const u32 end_parent = end < n ? parents[end] : NO_NODE;
    barrier();
    u32 first_parent =
        walk.compute_run(tile.parent_after_run(end_parent, [&](u32 row) { return walk.link(row).parent; }));
    barrier();
    TREEPAR_ROLLED
    for (u32 runs = 1; runs < THREADS; runs *= 2) {
        const u32 left = 2 * thread() * runs;
        if (left < THREADS && (left + runs) * ITEMS < tile.rows) {
            first_parent = least(first_parent, walk.join_blocks(left, left + runs));
        }
        barrier();
    }
    // Earlier tiles read the slots that this one writes.
    if (first_parent < first) {
        fence();
    }
    barrier();
    if (thread() == 0) {
        walk.join_tiles(OpenTiles{words}, number, end_parent);
    }
}

}  // namespace treepar
