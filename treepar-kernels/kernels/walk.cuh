// Template `walk_down`, and the tile that all walks share. A walk is one launch, for trees of any height.
//
// In preorder, a node's index is greater than its parent's. A thread takes consecutive rows, its run. A row with descendants
// in a later run is open at the runs between. The rows that are open at a run are the ancestors of its first row: one path.
//
// A device function can be anything, so the rows of a path are computed one by one, in order, by one thread with the value in
// its registers. But a path costs no barriers, and no thread polls for its rows. Runs are halved: the path at the middle run
// of a tile has one thread, then the paths at the middles of the two halves have one each, and so on. A thread takes the rows
// of its path that no earlier one took, so the paths of a round are disjoint. After them each thread computes the other rows
// of its run. So a tile has as many barriers as a run's number has bits, whatever its height.

#pragma once

namespace treepar {

constexpr u32 NO_NODE = ~0u;

// In place of the parent of a row with a value, and of one whose value other tiles may read. No row has these numbers.
constexpr u32 DONE = ~0u - 1;
constexpr u32 PUBLISHED = ~0u - 2;

// Ends a list of rows.
constexpr u32 NO_ROW = ~0u;

template <class V>
struct Of {
    using T = V;
};

// The rows of a tile.
template <u32 THREADS, u32 ITEMS>
struct RunsOfTile {
    static constexpr u32 ROWS = THREADS * ITEMS;
    u32 first;
    u32 rows;

    // The row number in the tile of a node. It is at least `rows` for nodes of earlier tiles and NO_NODE.
    TREEPAR_DEVICE u32 row_of(u32 node) const { return node - first; }

    // Calls `take(k)` for the thread's rows k * THREADS + thread() of the tile, with k from FROM to TO.
    template <u32 FROM = 0, u32 TO = ITEMS, class Take>
    TREEPAR_DEVICE void each_row(const Take& take) const {
        if (rows == ROWS) {
            TREEPAR_UNROLL
            for (u32 k = FROM; k < TO; k += 1) {
                take(k);
            }
        } else {
            TREEPAR_UNROLL
            for (u32 k = FROM; k < TO; k += 1) {
                if (k * THREADS + thread() < rows) {
                    take(k);
                }
            }
        }
    }

    // Returns the number of rows of the thread's run.
    TREEPAR_DEVICE u32 rows_of_run() const {
        const u32 begin = thread() * ITEMS;
        return begin < rows ? least(ITEMS, rows - begin) : 0;
    }

    // Returns the parent of the row after the thread's run, from the parent of the row after the tile. `parent(row)` is the
    // parent of a row of the tile.
    template <class Parent>
    TREEPAR_DEVICE u32 parent_after_run(u32 end_parent, const Parent& parent) const {
        const u32 end = (thread() + 1) * ITEMS;
        return end < rows ? parent(end) : end == rows ? end_parent : NO_NODE;
    }
};

// The parents and values of a tile's rows in shared memory.
template <class T, u32 THREADS, u32 ITEMS>
struct WalkTile : RunsOfTile<THREADS, ITEMS> {
    using Runs = RunsOfTile<THREADS, ITEMS>;
    using Parents = TileRows<Of<u32>, THREADS, ITEMS>;
    using Values = TileRows<Of<T>, THREADS, ITEMS>;
    using Runs::first;
    typename Parents::Memory& parents;
    typename Values::Memory& values;

    TREEPAR_DEVICE u32 parent(u32 row) const { return parents.get(i32(Parents::slot(row))); }
    TREEPAR_DEVICE void set_parent(u32 row, u32 parent) const { parents.set(i32(Parents::slot(row)), parent); }
    TREEPAR_DEVICE T value(u32 row) const { return values.get(i32(Values::slot(row))); }
    TREEPAR_DEVICE void set_value(u32 row, const T& value) const { values.set(i32(Values::slot(row)), value); }
    TREEPAR_DEVICE u32 parent_after_run(u32 end_parent) const {
        return Runs::parent_after_run(end_parent, [&](u32 row) { return parent(row); });
    }

    // Loads the parents; DONE after the last row.
    TREEPAR_DEVICE void load(const Column<u32>& column) const {
        const u64 begin = u64(first) + thread();
        u32 parent[ITEMS];
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            parent[k] = DONE;
        }
        Runs::each_row([&](u32 k) { parent[k] = column[begin + k * THREADS]; });
        loads_are_under_way();
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            parents.set(Parents::template strided<THREADS>(thread(), k), parent[k]);
        }
    }
};

// Waits until a word is not 0. Writes before the word are visible afterwards.
TREEPAR_DEVICE u64 wait_for(const Array<u64>& words, u64 index) {
    while (true) {
        const u64 word = words.load_fresh(index);
        if (word != 0) {
            fence();
            return word;
        }
        wait_a_little();
    }
}

// The summaries that tiles of an upward walk publish. `words` are zero at the start: the next tile's number, then two words per
// tile.
struct OpenTiles {
    const Array<u64>& words;

    // `open`: 1 + the last row before the tile that is open at its end, or 0. `list`: the tile has entries, the first of which
    // is its first row. `inside`: rows of the tile are open at its end.
    struct Summary {
        u32 open;
        bool list;
        bool inside;
    };

    // Writes of the thread before are visible to readers of the summary.
    TREEPAR_DEVICE void publish(u32 tile, const Summary& summary) const {
        fence();
        const u64 flags = u64(1) | u64(summary.list) << 1 | u64(summary.inside) << 2;
        words.store_fresh(1 + 2 * u64(tile), flags << 32 | summary.open);
    }
    TREEPAR_DEVICE Summary summary(u32 tile) const {
        const u64 word = wait_for(words, 1 + 2 * u64(tile));
        return {u32(word), (word >> 33 & 1) != 0, (word >> 34 & 1) != 0};
    }

    // The end of the last row of a tile that is open at the tile's end, as 63 bits. It is published when all such rows have
    // values.
    TREEPAR_DEVICE void publish_end(u32 tile, u64 end) const {
        fence();
        words.store_fresh(2 + 2 * u64(tile), u64(1) << 63 | end);
    }
    TREEPAR_DEVICE u64 end(u32 tile) const { return wait_for(words, 2 + 2 * u64(tile)) & ~(u64(1) << 63); }
};

// out[i] = f(i, out[parents[i]]). Tiles start in order. `words` are zero at the start: the next tile's number, and a word per
// tile that is not 0 when the rows that are open at its end are written.
//
// The parents in earlier tiles are all ancestors of the tile's first row. So their values are written when one word is.
template <u32 THREADS, u32 ITEMS, class T, class F>
struct WalkDown {
    using Tile = WalkTile<T, THREADS, ITEMS>;
    const Tile tile;
    const T& root;
    const F& f;
    const Array<u64>& words;
    const Array<T>& out;

    // Returns the value of a node that is not in the tile, or of the root's parent.
    TREEPAR_DEVICE T value_outside(u32 node) const { return node == NO_NODE ? root : out.get(node); }

    // Computes the values of the rows from `node` up that have none. On the way up each row notes, in place of its parent,
    // the row that it was reached from. MARK is noted on the way down.
    template <u32 MARK>
    TREEPAR_DEVICE void compute_path(u32 node) const {
        u32 below = NO_ROW;
        u32 row = tile.row_of(node);
        while (row < tile.rows) {
            const u32 above = tile.parent(row);
            if (above >= PUBLISHED && above != NO_NODE) {
                break;
            }
            tile.set_parent(row, below);
            below = row;
            node = above;
            row = tile.row_of(node);
        }
        if (below == NO_ROW) {
            return;
        }
        if (MARK == PUBLISHED && node != NO_NODE) {
            wait_for(words, 1 + node / Tile::ROWS);
        }
        T value = row < tile.rows ? tile.value(row) : value_outside(node);
        while (below != NO_ROW) {
            row = below;
            below = tile.parent(row);
            value = f(u64(tile.first) + row, value);
            tile.set_value(row, value);
            tile.set_parent(row, MARK);
            if (MARK == PUBLISHED) {
                out.set(u64(tile.first) + row, value);
            }
        }
    }

    // Computes the rows of the thread's run that have no value.
    TREEPAR_DEVICE void compute_run() const {
        TREEPAR_ROLLED
        for (u32 k = 0; k < ITEMS; k += 1) {
            const u32 above = tile.parents.get(Tile::Parents::own(k));
            if (above >= PUBLISHED && above != NO_NODE) {
                continue;
            }
            const u32 row = tile.row_of(above);
            const T value = row < tile.rows ? tile.value(row) : value_outside(above);
            tile.values.set(Tile::Values::own(k), f(u64(tile.first) + (thread() * ITEMS + k), value));
        }
    }
};

template <u32 THREADS, u32 ITEMS, class T, class F>
TREEPAR_DEVICE void walk_down(const Column<u32>& parents, const T& root, const F& f, const Array<u64>& words,
                              const Array<T>& out) {
    using Tile = WalkTile<T, THREADS, ITEMS>;
    using ParentRows = typename Tile::Parents::Memory;
    using ValueRows = typename Tile::Values::Memory;
    TREEPAR_SHARED(ParentRows, parents_here);
    TREEPAR_SHARED(ValueRows, values_here);
    const u32 number = next_tile(words);
    const u32 n = u32(parents.size());
    const u32 first = number * Tile::ROWS;
    const Tile tile{{first, least(Tile::ROWS, n - first)}, parents_here, values_here};
    const WalkDown<THREADS, ITEMS, T, F> walk{tile, root, f, words, out};
    tile.load(parents);
    barrier();
    if (thread() == 0) {
        // Later tiles wait for these rows, so they come first.
        const u32 end = first + tile.rows;
        const u32 open = end < n ? parents[end] : NO_NODE;
        // Until it is marked, the first row has its parent, which is in an earlier tile.
        const u32 outside = tile.parent(0);
        if (tile.row_of(open) < tile.rows) {
            walk.template compute_path<PUBLISHED>(open);
            fence();
            words.store_fresh(1 + u64(number), 1);
        }
        if (outside != NO_NODE) {
            wait_for(words, 1 + outside / Tile::ROWS);
        }
    }
    barrier();
    TREEPAR_ROLLED
    for (u32 half = THREADS / 2; half > 0; half /= 2) {
        const u32 run = (2 * thread() + 1) * half;
        if (run < THREADS && run * ITEMS < tile.rows) {
            const u32 above = tile.parent(run * ITEMS);
            if (above < PUBLISHED) {
                walk.template compute_path<DONE>(above);
            }
        }
        barrier();
    }
    walk.compute_run();
    barrier();
    const u64 begin = u64(first) + thread();
    tile.each_row([&](u32 k) {
        if (tile.parents.get(Tile::Parents::template strided<THREADS>(thread(), k)) != PUBLISHED) {
            out.set(begin + k * THREADS, tile.values.get(Tile::Values::template strided<THREADS>(thread(), k)));
        }
    });
}

}  // namespace treepar
