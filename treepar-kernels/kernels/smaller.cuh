// All nearest smaller values: `previous_smaller` and `next_smaller_or_equal`.
//
// The next smaller or equal key is the previous one in the reverse order of rows. So within a tile both searches go to earlier
// rows, and `NEXT` reverses only the order in which a tile is loaded and written. A row finds its answer in one of three steps:
//
// 1. among the rows of its thread, which are consecutive and in registers: each is compared with each earlier one;
// 2. among the threads of its block: windows of 1, 2, 4, .. threads with their minima find the thread, and a tree of minima
//    over its rows the row. Both take a fixed number of steps, so lanes stay together;
// 3. in other tiles: levels of minima of groups of 16. The few rows of this step are spread over the threads of the block.
//
// A thread searches only for keys that are less than all keys before in its rows. Equal ones have the same answer.

#pragma once

namespace treepar {

// Rows of a group, and groups of a group of the next level.
constexpr u32 GROUP = 16;

constexpr u32 NOWHERE = ~0u;

struct Least {
    using T = u32;
    static TREEPAR_DEVICE u32 identity() { return ~0u; }
    static TREEPAR_DEVICE u32 combine(u32 a, u32 b) { return least(a, b); }
};

TREEPAR_DEVICE u32 last_bit(u32 bits) { return WARP - 1 - leading_zeros(bits); }

// Returns the size of a level with a last minimum, in whole groups. The last minimum of the next level has its number without
// four bits.
TREEPAR_DEVICE u32 level_size(u32 last) { return (last | (GROUP - 1)) + 1; }

// Returns the slot of a tile's row k x THREADS + thread().
template <bool NEXT, u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE i32 slot_of(u32 k) {
    using Slots = TileRows<Least, THREADS, ITEMS>;
    const u32 first = NEXT ? THREADS - 1 - thread() : thread();
    return Slots::template strided<THREADS>(first, NEXT ? ITEMS - 1 - k : k);
}

// Loads the keys of a tile from row `first` into shared memory, in the order of the search. After the last row they are the
// greatest.
template <bool NEXT, u32 THREADS, u32 ITEMS, class Memory>
TREEPAR_DEVICE void load_keys(const Column<u32>& keys, u64 first, Memory& rows) {
    const u64 n = keys.size();
    const u64 begin = first + thread();
    u32 key[ITEMS];
    if (first + THREADS * ITEMS <= n) {
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            key[k] = keys[begin + k * THREADS];
        }
    } else {
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            const u64 i = begin + k * THREADS;
            key[k] = i < n ? keys[i] : ~0u;
        }
    }
    loads_are_under_way();
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        rows.set(slot_of<NEXT, THREADS, ITEMS>(k), key[k]);
    }
}

// Computes three levels of minima: of the rows of a thread, of 16 threads, and of a block. `last` is the number of the last
// minimum of the lowest level.
template <u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void minima(const Column<u32>& keys, u32 last, const Array<u32>& out) {
    static_assert(ITEMS == GROUP && THREADS == GROUP * GROUP, "a level per thread, half a warp and block");
    using Slots = TileRows<Least, THREADS, ITEMS>;
    using Memory = typename Slots::Memory;
    using Halves = Shared<u32, GROUP>;
    TREEPAR_SHARED(Memory, rows);
    TREEPAR_SHARED(Halves, halves);
    load_keys<false, THREADS, ITEMS>(keys, u64(block()) * (THREADS * ITEMS), rows);
    barrier();
    const u32 tile = block();
    u32 key = Slots::sum_of_thread(rows);
    const u32 group = tile * THREADS + thread();
    const u32 above = level_size(last);
    if (group < above) {
        out.set(group, key);
    }
    TREEPAR_UNROLL
    for (u32 distance = 1; distance < GROUP; distance *= 2) {
        key = least(key, shuffle_from(key, lane() ^ distance));
    }
    if (thread() % GROUP == 0) {
        halves.set(thread() / GROUP, key);
        if (group / GROUP < level_size(last / GROUP)) {
            out.set(above + group / GROUP, key);
        }
    }
    barrier();
    if (thread() == 0) {
        TREEPAR_UNROLL
        for (u32 k = 1; k < GROUP; k += 1) {
            key = least(key, halves.get(k));
        }
        out.set(above + level_size(last / GROUP) + tile, key);
    }
    // The rest of the last group.
    const u32 rest = tile + thread();
    if (tile == blocks() - 1 && rest > tile && rest < level_size(last / (GROUP * GROUP))) {
        out.set(above + level_size(last / GROUP) + rest, ~0u);
    }
}

// The search in other tiles: earlier ones, or later ones if NEXT. Rows, minima and tiles have the order of the column.
template <bool NEXT>
struct OtherTiles {
    const Column<u32>& keys;
    // Levels of minima, concatenated, the lowest first.
    const Column<u32>& levels;
    // The number of the last minimum of the lowest level.
    u32 last;

    static TREEPAR_DEVICE bool answers(u32 other, u32 key) { return NEXT ? other <= key : other < key; }
    TREEPAR_DEVICE u32 last_of(u32 height) const { return last >> (4 * height); }

    // Returns the nearest of a group that answers `key`, or GROUP: the last before `limit`, or the first from there on if NEXT.
    static TREEPAR_DEVICE u32 nearest(const u32 (&group)[GROUP], u32 limit, u32 key) {
        u32 found = GROUP;
        TREEPAR_UNROLL
        for (u32 j = 0; j < GROUP; j += 1) {
            const u32 k = NEXT ? GROUP - 1 - j : j;
            found = (NEXT ? k >= limit : k < limit) && answers(group[k], key) ? k : found;
        }
        return found;
    }
    TREEPAR_DEVICE u32 nearest_minimum(u32 begin, u32 limit, u32 key) const {
        u32 group[GROUP];
        TREEPAR_UNROLL
        for (u32 k = 0; k < GROUP; k += 1) {
            group[k] = levels[u64(begin) + k];
        }
        return nearest(group, limit, key);
    }

    // Returns the least key of all tiles that are searched from a tile, in each lane of the calling warp.
    TREEPAR_DEVICE u32 least_key(u32 tile) const {
        u32 key = ~0u;
        u32 at = tile;
        u32 height = 2;
        u32 begin = level_size(last) + level_size(last_of(1));
        while (at != (NEXT ? last_of(height) : 0)) {
            if (lane() < GROUP && (NEXT ? lane() > at % GROUP : lane() < at % GROUP)) {
                key = least(key, levels[u64(begin) + at / GROUP * GROUP + lane()]);
            }
            begin += level_size(last_of(height));
            at /= GROUP;
            height += 1;
        }
        TREEPAR_UNROLL
        for (u32 distance = 1; distance < GROUP; distance *= 2) {
            key = least(key, shuffle_from(key, lane() ^ distance));
        }
        return shuffle_from(key, 0);
    }

    // Returns the nearest row outside a tile that answers `key`, or `none`.
    TREEPAR_DEVICE u32 search(u32 tile, u32 key, u32 none) const {
        constexpr u32 ALL = NEXT ? 0 : GROUP;
        u32 at = tile;
        u32 height = 2;
        u32 begin = level_size(last) + level_size(last_of(1));
        u32 found = GROUP;
        while (at != (NEXT ? last_of(height) : 0)) {
            found = nearest_minimum(begin + at / GROUP * GROUP, at % GROUP + NEXT, key);
            if (found != GROUP) {
                break;
            }
            begin += level_size(last_of(height));
            at /= GROUP;
            height += 1;
        }
        at = at / GROUP * GROUP + found;
        // A group has minima after the last, which answer the greatest key.
        if (found == GROUP || at > last_of(height)) {
            return none;
        }
        while (height > 0) {
            height -= 1;
            begin -= level_size(last_of(height));
            at = at * GROUP + nearest_minimum(begin + at * GROUP, ALL, key);
        }
        const u32 first = at * GROUP;
        u32 group[GROUP];
        TREEPAR_UNROLL
        for (u32 k = 0; k < GROUP; k += 1) {
            // Earlier tiles are whole.
            group[k] = keys[NEXT ? u64(least(first + k, u32(keys.size()) - 1)) : u64(first) + k];
        }
        const u32 row = first + nearest(group, ALL, key);
        return NEXT ? least(row, none) : row;
    }
};

// Searches the rows of each thread for answers, and writes these to `results`; keys where there is none. Then `rows` are a
// tree of minima: row r has the least key of as many rows from r on as the greatest power of two that divides r. Returns a bit
// per row without an answer, and in `sum` the least key. `first` is the number of the thread's first row in the column.
template <bool NEXT, u32 THREADS, u32 ITEMS, class Memory>
TREEPAR_DEVICE u32 search_thread(u32 first, Memory& rows, Memory& results, u32& sum) {
    using Slots = TileRows<Least, THREADS, ITEMS>;
    using Other = OtherTiles<NEXT>;
    u32 key[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        key[k] = rows.get(Slots::own(k));
    }
    results.set(Slots::own(0), key[0]);
    u32 open = 1;
    sum = key[0];
    TREEPAR_UNROLL
    for (u32 k = 1; k < ITEMS; k += 1) {
        u32 found = 0;
        TREEPAR_UNROLL
        for (u32 j = 1; j < k; j += 1) {
            found = Other::answers(key[j], key[k]) ? j : found;
        }
        const bool answered = Other::answers(sum, key[k]);
        results.set(Slots::own(k), answered ? (NEXT ? first - found : first + found) : key[k]);
        open |= answered ? 0 : 1u << k;
        sum = least(sum, key[k]);
    }
    TREEPAR_UNROLL
    for (u32 width = 1; width < ITEMS; width *= 2) {
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 2 * width) {
            key[k] = least(key[k], key[k + width]);
        }
    }
    TREEPAR_UNROLL
    for (u32 k = 2; k < ITEMS; k += 2) {
        rows.set(Slots::own(k), key[k]);
    }
    return open;
}

// Moves down by `2^(STEPS - 1)`, .., 2, 1 threads while the window there has no answer.
template <bool NEXT, u32 STEPS, u32 THREADS, class Cursor>
TREEPAR_DEVICE void pass_windows(u32 key, Cursor& at) {
    if constexpr (STEPS > 0) {
        constexpr i32 DOWN = -(1 << (STEPS - 1));
        const u32 window = at.template get<(STEPS - 1) * THREADS>();
        if constexpr (NEXT) {
            at.template move_if_less<DOWN>(key, window);
        } else {
            at.template move_if_at_most<DOWN>(key, window);
        }
        pass_windows<NEXT, STEPS - 1, THREADS>(key, at);
    }
}

// Descends into the later half of a tree of minima if it has an answer.
template <bool NEXT, u32 HALF, class Cursor>
TREEPAR_DEVICE void descend(u32 key, Cursor& at) {
    if constexpr (HALF > 0) {
        const u32 half = at.template get<HALF>();
        if constexpr (NEXT) {
            at.template move_if_at_most<HALF>(half, key);
        } else {
            at.template move_if_less<HALF>(half, key);
        }
        descend<NEXT, HALF / 2>(key, at);
    }
}

// Returns the last row of the tile before the thread's rows that answers `key`. There is one.
template <bool NEXT, u32 STEPS, u32 THREADS, u32 ITEMS, class Memory, class Windows>
TREEPAR_DEVICE u32 search_block(u32 key, Memory& rows, Windows& windows) {
    using Slots = TileRows<Least, THREADS, ITEMS>;
    auto window = windows.cursor(i32(thread()) - 1);
    pass_windows<NEXT, STEPS, THREADS>(key, window);
    const u32 first = windows.row(window) * ITEMS;
    auto row = rows.cursor(i32(Slots::slot(first)));
    descend<NEXT, ITEMS / 2>(key, row);
    // Rows of a thread are in one line.
    return rows.row(row) - first / Slots::LINE;
}

template <bool NEXT, u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void nearest_smaller(const Column<u32>& keys, const Column<u32>& levels, const Array<u32>& out) {
    constexpr u32 ROWS = THREADS * ITEMS;
    using Slots = TileRows<Least, THREADS, ITEMS>;
    using Other = OtherTiles<NEXT>;
    using Memory = typename Slots::Memory;
    // Row s of `windows` has, for each thread, the least key of 2^s threads up to it.
    constexpr u32 STEPS = THREADS == 256 ? 8 : 0;
    static_assert(STEPS > 0, "a window per power of two");
    using Windows = Shared<u32, STEPS * THREADS>;
    using Count = Shared<u32, 1>;
    TREEPAR_SHARED(Memory, rows);
    TREEPAR_SHARED(Memory, results);
    TREEPAR_SHARED(Windows, windows);
    TREEPAR_SHARED(Count, count);
    const u32 n = u32(keys.size());
    const u32 me = thread();
    const u32 begin = block() * ROWS;
    // The row of the column for row 0 of the tile.
    const u32 origin = NEXT ? begin + (ROWS - 1) : begin;
    load_keys<NEXT, THREADS, ITEMS>(keys, begin, rows);
    if (me == 0) {
        count.set(0, 0);
    }
    barrier();
    u32 window;
    const u32 own = me * ITEMS;
    u32 left = search_thread<NEXT, THREADS, ITEMS>(NEXT ? origin - own : origin + own, rows, results, window);
    windows.set(i32(me), window);
    TREEPAR_UNROLL
    for (u32 s = 0; s + 1 < STEPS; s += 1) {
        barrier();
        if (me >= 1u << s) {
            window = least(window, windows.get(i32(me) + i32(s * THREADS) - (1 << s)));
        }
        windows.set(i32(me) + i32((s + 1) * THREADS), window);
    }
    barrier();
    // The least key of the threads before: two windows cover them.
    u32 before = ~0u;
    if (me > 0) {
        const u32 s = last_bit(me);
        before = least(windows.get(i32(s * THREADS + me - 1)), windows.get(i32(s * THREADS + (1u << s) - 1)));
    }
    // Keys without an answer never rise.
    const u32 row_before = me > 0 ? rows.get(i32(Slots::slot(own - 1))) : 0;
    // The last key with an answer, and the answer. The row before the thread is the next one with at most its own key. No key is
    // less than 0.
    u32 answered = NEXT ? row_before : 0;
    u32 answer = NEXT ? origin + 1 - own : 0;
    while (left != 0 && me > 0) {
        const auto at = results.cursor(Slots::own(trailing_zeros(left)));
        const u32 key = at.get();
        if (!Other::answers(before, key)) {
            break;
        }
        if (key != answered) {
            // The row before the thread answers often.
            const u32 found = Other::answers(row_before, key)
                                  ? own - 1
                                  : search_block<NEXT, STEPS, THREADS, ITEMS>(key, rows, windows);
            answer = NEXT ? origin - found : origin + found;
            answered = key;
        }
        at.set(answer);
        left &= left - 1;
    }
    // A row whose key is the least of the threads before has the answer of the row with that key. A row with the key of an
    // earlier row of the thread has its answer.
    const bool linked = !NEXT && me > 0 && left != 0 && results.get(Slots::own(trailing_zeros(left))) == before;
    const u32 link = trailing_zeros(left | 1u << (ITEMS - 1));
    const u32 pending = left;
    if (!NEXT && left != 0) {
        const u32 first_key = results.get(Slots::own(trailing_zeros(left)));
        if (results.get(Slots::own(last_bit(left))) == first_key) {
            // All rows have this key.
            left &= linked ? 0 : ~(left - 1);
        } else {
            u32 last = linked ? before : ~first_key;
            for (u32 rest = pending; rest != 0; rest &= rest - 1) {
                const u32 k = trailing_zeros(rest);
                const u32 key = results.get(Slots::own(k));
                left &= key == last ? ~(1u << k) : ~0u;
                last = key;
            }
        }
    }
    const u32 many = barrier_count(count_ones(left) > ITEMS / 2);
    // Until here, threads search `windows` and `rows`. Now `rows` list the rows to search in other tiles, and `windows` have
    // the last such row of each thread, and a bit per thread with any.
    if (!NEXT) {
        windows.set(i32(me), last_bit(left | 1));
        const u32 lanes = ballot(left != 0);
        if (lane() == 0) {
            windows.set(i32(THREADS + me / WARP), lanes);
        }
    }
    const Other others{keys, levels, blocks() * THREADS - 1};
    const u32 none = NEXT ? n : NOWHERE;
    // If the rows are many, most of them can be without an answer: the least key of other tiles decides that. No key is less
    // than 0.
    u32 least_outside = 0;
    u32 listed = left;
    if (many > THREADS / 2) {
        if (me < WARP) {
            windows.set(i32(2 * THREADS + me), others.least_key(block()));
        }
        barrier();
        least_outside = windows.get(2 * THREADS);
        // The first key of a thread is the greatest.
        if (left != 0 && !Other::answers(least_outside, results.get(Slots::own(trailing_zeros(left))))) {
            for (; listed != 0; listed &= listed - 1) {
                results.cursor(Slots::own(trailing_zeros(listed))).set(none);
            }
        }
    }
    if (listed != 0) {
        u32 entry = count.add(0, count_ones(listed));
        for (u32 rest = listed; rest != 0; rest &= rest - 1) {
            rows.set(i32(entry), u32(Slots::own(trailing_zeros(rest))));
            entry += 1;
        }
    }
    barrier();
    const u32 entries = count.get(0);
    for (u32 entry = me; entry < entries; entry += THREADS) {
        const i32 slot = i32(rows.get(i32(entry)));
        const u32 key = results.get(slot);
        results.set(slot, Other::answers(least_outside, key) ? others.search(block(), key, none) : none);
    }
    barrier();
    if (linked) {
        u32 warp = me / WARP;
        u32 bits = windows.get(i32(THREADS + warp)) & ((1u << lane()) - 1);
        while (bits == 0 && warp > 0) {
            warp -= 1;
            bits = windows.get(i32(THREADS + warp));
        }
        const u32 other = warp * WARP + last_bit(bits);
        results.set(Slots::own(link), results.get(i32(Slots::slot(other * ITEMS) + windows.get(i32(other)))));
    }
    if (pending != left) {
        const u32 same = pending & ~left & ~(linked ? 1u << link : 0);
        // The first of them has an answer.
        answer = results.get(Slots::own(trailing_zeros(pending)));
        u32 rest = pending & (pending - 1);
        if (same == (1u << ITEMS) - 2) {
            // All rows but the first, as in a star.
            TREEPAR_UNROLL
            for (u32 k = 1; k < ITEMS; k += 1) {
                results.set(Slots::own(k), answer);
            }
            rest = 0;
        } else if (same == rest) {
            for (; rest != 0; rest &= rest - 1) {
                results.cursor(Slots::own(trailing_zeros(rest))).set(answer);
            }
        }
        for (; rest != 0; rest &= rest - 1) {
            const u32 k = trailing_zeros(rest);
            if (same >> k & 1u) {
                results.set(Slots::own(k), answer);
            } else {
                answer = results.get(Slots::own(k));
            }
        }
    }
    barrier();
    if (u64(begin) + ROWS <= n) {
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            out.set(u64(begin) + me + k * THREADS, results.get(slot_of<NEXT, THREADS, ITEMS>(k)));
        }
    } else {
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            const u64 i = u64(begin) + me + k * THREADS;
            if (i < n) {
                // After the last row keys are the greatest, which answer the greatest.
                out.set(i, least(results.get(slot_of<NEXT, THREADS, ITEMS>(k)), NEXT ? n : NOWHERE));
            }
        }
    }
}

}  // namespace treepar
