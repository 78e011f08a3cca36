// All nearest smaller values: `previous_smaller` and `next_smaller_or_equal`.
//
// A tile first searches its own rows, in a tree of minima. A row without an answer there ascends levels of minima, each over
// groups of 32 of the level below, until a group contains the answer. Then it descends into that group. A group is one cache
// line. `add` is added to each key, wrapping, so that parents can serve as keys: a root's key is then the least.

#pragma once

namespace treepar {

constexpr u32 GROUP = 32;

// Computes the least key of each group. A warp takes a few groups, whose loads are in flight together.
template <u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void minima(const Column<u32>& keys, u32 add, const Array<u32>& out) {
    static_assert(GROUP == WARP, "a lane a row");
    const u64 first = u64(block()) * (THREADS * ITEMS) + thread();
    u32 key[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u64 i = first + k * THREADS;
        // To read the last row again does not change the minimum of its group.
        key[k] = keys[least(i, keys.size() - 1)] + add;
    }
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        TREEPAR_UNROLL
        for (u32 distance = 1; distance < WARP; distance *= 2) {
            key[k] = least(key[k], shuffle_down(key[k], distance));
        }
        const u64 group = (first + k * THREADS) / GROUP;
        if (lane() == 0 && group < out.rows) {
            out.set(group, key[k]);
        }
    }
}

// A search for the first later row with a smaller or equal key (NEXT), or the last earlier row with a smaller key.
template <bool NEXT>
struct Nearest {
    const Column<u32>& keys;
    u32 add;
    // Levels of minima, concatenated, the lowest first.
    const Column<u32>& levels;

    static TREEPAR_DEVICE bool answers(u32 other, u32 key) { return NEXT ? other <= key : other < key; }
    TREEPAR_DEVICE u32 key(u64 i) const { return keys[i] + add; }

    // Returns the nearest such row outside the tile of rows `first` to `end - 1`, or `none`.
    TREEPAR_DEVICE u32 search(u32 key_sought, u64 first, u64 end, u32 none) const {
        // The rows of the level, the offset of its first row, and the last group of the level that was read.
        u64 rows = (keys.size() + GROUP - 1) / GROUP;
        u64 begin = 0;
        u64 at = NEXT ? (end - 1) / GROUP : first / GROUP;
        u32 height = 0;
        while (true) {
            // The other groups that form one group of the next level.
            const u64 last = NEXT ? least(rows, (at / GROUP + 1) * GROUP) : at / GROUP * GROUP;
            while (NEXT ? at + 1 < last : at > last) {
                at = NEXT ? at + 1 : at - 1;
                if (answers(levels[begin + at], key_sought)) {
                    return descend(key_sought, at, height, begin, none);
                }
            }
            if (rows <= GROUP) {
                return none;
            }
            begin += rows;
            rows = (rows + GROUP - 1) / GROUP;
            at /= GROUP;
            height += 1;
        }
    }

    // Returns the answer, which is in group `at` of a level.
    TREEPAR_DEVICE u32 descend(u32 key_sought, u64 at, u32 height, u64 begin, u32 none) const {
        while (true) {
            // The rows of the level below, and the offset of its first row.
            u64 rows = keys.size();
            for (u32 k = 0; k < height; k += 1) {
                rows = (rows + GROUP - 1) / GROUP;
            }
            begin -= height > 0 ? rows : 0;
            const u64 first = at * GROUP;
            const u64 end = least(first + GROUP, rows);
            u64 found = NEXT ? first : end - 1;
            while (!answers(height > 0 ? levels[begin + found] : key(found), key_sought)) {
                if (NEXT ? found + 1 == end : found == first) {
                    return none;
                }
                found = NEXT ? found + 1 : found - 1;
            }
            if (height == 0) {
                return u32(found);
            }
            at = found;
            height -= 1;
        }
    }
};

template <bool NEXT, u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void nearest_smaller(const Column<u32>& keys, u32 add, const Column<u32>& levels, const Array<u32>& out) {
    constexpr u32 ROWS = THREADS * ITEMS;
    using Tree = Shared<u32, 2 * ROWS>;
    TREEPAR_SHARED(Tree, tree);
    const Nearest<NEXT> nearest{keys, add, levels};
    const u64 n = keys.size();
    const u64 first = u64(block()) * ROWS;
    // The leaves are the rows; node k has the children 2k and 2k + 1.
    u32 keys_here[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        keys_here[k] = nearest.key(least(first + k * THREADS + thread(), n - 1));
    }
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 row = k * THREADS + thread();
        tree.set(ROWS + row, first + row < n ? keys_here[k] : ~0u);
    }
    barrier();
    TREEPAR_UNROLL
    for (u32 width = ROWS / 2; width > 0; width /= 2) {
        for (u32 node = width + thread(); node < 2 * width; node += THREADS) {
            tree.set(node, least(tree.get(2 * node), tree.get(2 * node + 1)));
        }
        barrier();
    }
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 row = k * THREADS + thread();
        if (first + row >= n) {
            continue;
        }
        const u32 key = tree.get(ROWS + row);
        u32 node = ROWS + row;
        while (node > 1 && !((node % 2 == 1) != NEXT && Nearest<NEXT>::answers(tree.get(node ^ 1u), key))) {
            node /= 2;
        }
        const u32 none = NEXT ? u32(n) : ~0u;
        u32 found;
        if (node > 1) {
            node ^= 1u;
            while (node < ROWS) {
                const u32 near = 2 * node + (NEXT ? 0 : 1);
                node = Nearest<NEXT>::answers(tree.get(near), key) ? near : near ^ 1u;
            }
            const u64 at = first + (node - ROWS);
            found = at < n ? u32(at) : none;
        } else {
            found = nearest.search(key, first, first + ROWS, none);
        }
        out.set(first + row, found);
    }
}

}  // namespace treepar
