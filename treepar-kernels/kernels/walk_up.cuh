// Template `walk_up`: out[i] = f(i, c0 · c1 · ..) with the values of the children of i, in order.
//
// Each thread first computes the rows of its run from the last to the first, except the rows that are open at its end. Each
// value joins the children of its parent, if that is in the run. The others are entries: a list of sums of neighbouring
// siblings, each with a parent in an earlier run. In the order of rows, parents of entries never get deeper.
//
// Then neighbouring runs become blocks of 2, 4, 8, .. runs. One thread joins two of them: the rows that are open between, from
// the deepest up, take the first entries of the right block, and rows that end in it get their values. The
// other entries follow the entries of the left block. So a tile has as many barriers as a run's number has bits, whatever its
// height, and each row and each entry is taken once.
//
// Between tiles one thread does the same, for the rows that are open at the tile's end. A tile publishes its entries, and
// later the value of the topmost such row with the position after its last descendant.

#pragma once

namespace treepar {

// A position in the entries of all tiles: a tile, and an entry or NO_ROW after the last.
struct Position {
    u32 tile;
    u32 entry;
};

// The entries that tiles publish: the sum and the next entry of each, by its first row. After the rows, `sums` have the value
// of the topmost row of each tile that is open at its end.
template <class T>
struct WalkEntries {
    const OpenTiles& tiles;
    const Array<T>& sums;
    const Array<u32>& next;
    u32 n;
    u32 tile_rows;

    TREEPAR_DEVICE void publish(u32 tile, const Position& position, const T& value) const {
        sums.set(u64(n) + tile, value);
        const u64 entry = position.entry == NO_ROW ? tile_rows : position.entry - position.tile * tile_rows;
        tiles.publish_end(tile, entry << 32 | position.tile);
    }
    TREEPAR_DEVICE Position position(u32 tile) const {
        const u64 end = tiles.end(tile);
        const u32 entry = u32(end >> 32);
        return {u32(end), entry == tile_rows ? NO_ROW : u32(end) * tile_rows + entry};
    }
    TREEPAR_DEVICE u32 first_entry(u32 tile, const OpenTiles::Summary& summary) const {
        return summary.list ? tile * tile_rows : NO_ROW;
    }
};

template <class M, u32 THREADS, u32 ITEMS, class F>
struct WalkUp {
    using T = typename M::T;
    using Tile = WalkTile<T, THREADS, ITEMS>;
    using Next = Shared<u16, Tile::ROWS>;
    using PerRun = Shared<u32, THREADS>;
    static constexpr u16 NO_ENTRY = 0xffff;
    const Tile tile;
    const F& f;
    const Array<T>& out;
    // The next entry of each. A block is named by its first run, and its entries begin with its first row.
    Next& next;
    // The last entry of each block, or NO_ROW.
    PerRun& last;
    // 1 + the last row before the block that is open at its end, or 0.
    PerRun& open;

    // Computes the rows of the thread's run that are not open at its end, from the last. Returns a bit per row that has a parent in an
    // earlier run. `end_parent` is the parent of the row after the run, or NO_NODE.
    TREEPAR_DEVICE u32 compute_run(u32 end_parent) const {
        const u32 run = thread() * ITEMS;
        u32 still_open = end_parent + 1;
        u32 outside = 0;
        TREEPAR_ROLLED
        for (u32 left = tile.rows_of_run(); left > 0; left -= 1) {
            const u32 k = left - 1;
            const u32 row = run + k;
            const u32 above = tile.parents.get(Tile::Parents::own(k));
            if (tile.first + row + 1 == still_open) {
                still_open = above + 1;
                continue;
            }
            const T value = f(u64(tile.first) + row, tile.values.get(Tile::Values::own(k)));
            tile.values.set(Tile::Values::own(k), value);
            const u32 place = above - tile.first - run;
            if (place < k) {
                const i32 slot = Tile::Values::own(place);
                tile.values.set(slot, M::combine(value, tile.values.get(slot)));
            } else {
                outside |= u32(above != NO_NODE) << k;
            }
        }
        open.set(thread(), still_open);
        return outside;
    }

    // Makes the entries of the thread's run. A sum replaces the first value, which was written to `out`.
    TREEPAR_DEVICE void make_entries(u32 outside) const {
        const u32 run = thread() * ITEMS;
        u32 tail = NO_ROW;
        u32 parent = NO_NODE;
        for (; outside != 0; outside &= outside - 1) {
            const u32 k = trailing_zeros(outside);
            const u32 above = tile.parents.get(Tile::Parents::own(k));
            if (above == parent) {
                join(tail, run + k);
            } else {
                append(tail, run + k);
                tail = run + k;
                parent = above;
            }
        }
        last.set(thread(), tail);
    }

    TREEPAR_DEVICE void join(u32 entry, u32 other) const {
        tile.set_value(entry, M::combine(tile.value(entry), tile.value(other)));
    }
    TREEPAR_DEVICE void append(u32 tail, u32 entry) const {
        if (tail != NO_ROW) {
            next.set(i32(tail), u16(entry));
        }
        next.set(i32(entry), NO_ENTRY);
    }
    TREEPAR_DEVICE u32 next_of(u32 entry) const {
        const u16 following = next.get(i32(entry));
        return following == NO_ENTRY ? NO_ROW : following;
    }

    // Joins the blocks of `runs` runs that begin with the runs `left` and `right`.
    TREEPAR_DEVICE void join_blocks(u32 left, u32 right) const {
        const u32 begin = left * ITEMS;
        const u32 middle = right * ITEMS;
        const u32 open_at_end = open.get(i32(right));
        const u32 right_tail = last.get(i32(right));
        u32 entry = right_tail == NO_ROW ? NO_ROW : middle;
        u32 node = tile.parent(middle);
        u32 top = NO_ROW;
        T value = M::identity();
        while (tile.row_of(node) - begin < middle - begin) {
            const u32 row = tile.row_of(node);
            T children = tile.value(row);
            if (top != NO_ROW) {
                children = M::combine(children, value);
            }
            while (entry != NO_ROW && tile.parent(entry) == node) {
                children = M::combine(children, tile.value(entry));
                entry = next_of(entry);
            }
            if (node < open_at_end) {
                tile.set_value(row, children);
                return;
            }
            value = f(node, children);
            out.set(node, value);
            top = row;
            node = tile.parent(row);
        }
        open.set(i32(left), open_at_end);
        u32 tail = last.get(i32(left));
        if (top != NO_ROW && node != NO_NODE) {
            tile.set_value(top, value);
            if (tail != NO_ROW && tile.parent(tail) == node) {
                join(tail, top);
            } else {
                append(tail, top);
                tail = top;
            }
        }
        if (entry != NO_ROW) {
            if (tile.parent(tail) == tile.parent(entry)) {
                join(tail, entry);
                entry = next_of(entry);
            }
            if (entry != NO_ROW) {
                next.set(i32(tail), u16(entry));
                tail = right_tail;
            }
        }
        last.set(i32(left), tail);
    }

    // Publishes the entries of the tile, computes the rows that are open at its end, and publishes the topmost value.
    // `end_parent` is the parent of the row after the tile, or NO_NODE.
    TREEPAR_DEVICE void join_tiles(const Column<u32>& parents, const WalkEntries<T>& entries, u32 number, u32 end_parent) const {
        const bool list = last.get(0) != NO_ROW;
        for (u32 entry = list ? 0 : NO_ROW; entry != NO_ROW;) {
            const u32 following = next_of(entry);
            entries.sums.set(u64(tile.first) + entry, tile.value(entry));
            entries.next.set(u64(tile.first) + entry, following == NO_ROW ? NO_ROW : tile.first + following);
            entry = following;
        }
        u32 node = end_parent;
        const bool inside = tile.row_of(node) < tile.rows;
        entries.tiles.publish(number, {open.get(0), list, inside});
        if (!inside) {
            return;
        }
        u32 at = number + 1;
        OpenTiles::Summary summary = entries.tiles.summary(at);
        u32 entry = entries.first_entry(at, summary);
        bool first = true;
        T value = M::identity();
        while (tile.row_of(node) < tile.rows) {
            const u32 row = tile.row_of(node);
            T children = tile.value(row);
            if (!first) {
                children = M::combine(children, value);
            }
            while (true) {
                while (entry != NO_ROW && parents[entry] == node) {
                    children = M::combine(children, entries.sums.get(entry));
                    entry = entries.next.get(entry);
                }
                if (entry != NO_ROW || node >= summary.open) {
                    break;
                }
                // The node is open at the end of tile `at`.
                if (summary.inside) {
                    const Position position = entries.position(at);
                    children = M::combine(children, entries.sums.get(u64(entries.n) + at));
                    at = position.tile;
                    entry = position.entry;
                    summary = entries.tiles.summary(at);
                } else {
                    at += 1;
                    summary = entries.tiles.summary(at);
                    entry = entries.first_entry(at, summary);
                }
            }
            value = f(node, children);
            out.set(node, value);
            first = false;
            node = tile.parent(row);
        }
        entries.publish(number, {at, entry}, value);
    }
};

template <class M, u32 THREADS, u32 ITEMS, class F>
TREEPAR_DEVICE void walk_up(const Column<u32>& parents, const F& f, const Array<u64>& words,
                            const Array<typename M::T>& sums, const Array<u32>& next, const Array<typename M::T>& out) {
    using T = typename M::T;
    using Walk = WalkUp<M, THREADS, ITEMS, F>;
    using Tile = typename Walk::Tile;
    using ParentRows = typename Tile::Parents::Memory;
    using ValueRows = typename Tile::Values::Memory;
    using Next = typename Walk::Next;
    using PerRun = typename Walk::PerRun;
    TREEPAR_SHARED(ParentRows, parents_here);
    TREEPAR_SHARED(ValueRows, values_here);
    TREEPAR_SHARED(Next, next_here);
    TREEPAR_SHARED(PerRun, last);
    TREEPAR_SHARED(PerRun, open);
    const u32 n = u32(parents.size());
    const u32 number = (n - 1) / Tile::ROWS - next_tile(words);
    const u32 first = number * Tile::ROWS;
    const Tile tile{{first, least(Tile::ROWS, n - first)}, parents_here, values_here};
    const Walk walk{tile, f, out, next_here, last, open};
    tile.load(parents);
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        tile.values.set(Tile::Values::template strided<THREADS>(thread(), k), M::identity());
    }
    const u32 end = first + tile.rows;
    const u32 end_parent = end < n ? parents[end] : NO_NODE;
    barrier();
    const u32 outside = walk.compute_run(tile.parent_after_run(end_parent));
    barrier();
    // Rows without a value are written again later.
    const u64 begin = u64(first) + thread();
    tile.each_row([&](u32 k) {
        out.set(begin + k * THREADS, tile.values.get(Tile::Values::template strided<THREADS>(thread(), k)));
    });
    barrier();
    walk.make_entries(outside);
    barrier();
    TREEPAR_ROLLED
    for (u32 runs = 1; runs < THREADS; runs *= 2) {
        const u32 left = 2 * thread() * runs;
        if (left < THREADS && (left + runs) * ITEMS < tile.rows) {
            walk.join_blocks(left, left + runs);
        }
        barrier();
    }
    if (thread() == 0) {
        walk.join_tiles(parents, {OpenTiles{words}, sums, next, n, Tile::ROWS}, number, end_parent);
    }
}

}  // namespace treepar
