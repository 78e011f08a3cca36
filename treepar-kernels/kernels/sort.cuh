// Template `sort_by_key`: stable radix sort, digits of eight bits, the least significant first.
//
// All digits are counted in one read. Then each digit is one read and one write of the rows. By look-back, one thread per
// bin finds the number of rows of the bin in earlier tiles (Adinets and Merrill, "Onesweep").

#pragma once

namespace treepar {

constexpr u32 BINS = 256;

// Sets counts[BINS * k + b] to the number of keys whose digit k is b. Counts are zero at the start.
template <class K, u32 THREADS>
TREEPAR_DEVICE void sort_count(const Column<K>& keys, const Array<u32>& counts) {
    constexpr u32 DIGITS = sizeof(K);
    using Counts = Shared<u32, DIGITS * BINS>;
    TREEPAR_SHARED(Counts, mine);
    for (u32 b = thread(); b < DIGITS * BINS; b += THREADS) {
        mine.set(b, 0);
    }
    barrier();
    keys_in_strides<THREADS>(keys, [&](K key) {
        TREEPAR_UNROLL
        for (u32 digit = 0; digit < DIGITS; digit += 1) {
            mine.add(digit * BINS + u32(key >> (8 * digit)) % BINS, 1);
        }
    });
    barrier();
    for (u32 b = thread(); b < DIGITS * BINS; b += THREADS) {
        const u32 count = mine.get(b);
        if (count) {
            counts.add(b, count);
        }
    }
}

// The first word of the bins among the words of a launch. Word 0 is the next tile's number; bins begin at a cache line.
constexpr u32 FIRST_BIN = 16;

// Returns the number of rows of bin `bin` in earlier tiles, of a tile with `count` of them. Each thread looks back for its
// bin, and polls a few tiles at a time.
TREEPAR_DEVICE u32 rows_before(const Array<u64>& words, u32 tile, u32 bin, u32 count) {
    constexpr u32 AT_ONCE = 4;
    const auto word = [](Published kind, u32 value) { return u64(kind) << 32 | value; };
    const auto word_index = [=](u32 of) { return FIRST_BIN + usize(of) * BINS + bin; };
    u32 before = 0;
    if (tile > 0) {
        words.store_fresh(word_index(tile), word(SUM, count));
        u32 nearest = tile;
        bool found = false;
        while (!found) {
            u64 word_of_tile[AT_ONCE];
            TREEPAR_UNROLL
            for (u32 k = 0; k < AT_ONCE; k += 1) {
                word_of_tile[k] = nearest > k ? words.load_fresh(word_index(nearest - 1 - k)) : word(NOTHING, 0);
            }
            // In order, up to the first that has published nothing.
            u32 taken = 0;
            TREEPAR_UNROLL
            for (u32 k = 0; k < AT_ONCE; k += 1) {
                if (!found && taken == k && word_of_tile[k] >> 32 != NOTHING) {
                    before += u32(word_of_tile[k]);
                    found = word_of_tile[k] >> 32 == PREFIX;
                    taken += 1;
                }
            }
            nearest -= taken;
            if (taken == 0) {
                wait_a_little();
            }
        }
    }
    words.store_fresh(word_index(tile), word(PREFIX, before + count));
    return before;
}

// Moves the rows into the order of digit `digit`. `starts` has the first row of each bin; THREADS is BINS.
template <class K, u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void sort_pass(u32 digit, const Column<K>& keys, const Column<u32>& payload, const Column<u32>& starts,
                              const Array<u64>& words, const Array<K>& keys_out, const Array<u32>& payload_out) {
    static_assert(THREADS == BINS, "a thread a bin");
    constexpr u32 ROWS = THREADS * ITEMS;
    constexpr u32 WARPS = THREADS / WARP;
    using Counts = Shared<u32, WARPS * BINS>;
    using Bins = Shared<u32, BINS>;
    using Moving = Shared<K, ROWS>;
    TREEPAR_SHARED(Counts, counts);
    TREEPAR_SHARED(Bins, moved);
    // Keys, then payload.
    TREEPAR_SHARED(Moving, moving);
    const u32 number = next_tile(words);
    const Tile tile = tile_of(number, ROWS, keys.size());
    const u32 warp = thread() / WARP;
    const auto bin_of = [=](K key) { return u32(key >> (8 * digit)) % BINS; };
    // A warp takes consecutive rows, 32 at a time. Rows after the last one count as the greatest digit, so they come after all
    // rows of the tile.
    const u32 own = warp * (ITEMS * WARP) + lane();
    K key[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        key[k] = keys[tile.at(own + k * WARP)];
    }
    loads_are_under_way();
    TREEPAR_UNROLL
    for (u32 w = 0; w < WARPS; w += 1) {
        counts.set(w * BINS + thread(), 0);
    }
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        key[k] = tile.has(own + k * WARP) ? key[k] : K(~K(0));
    }
    barrier();
    // The rank of each row among its warp's rows of the same bin; later among the tile's.
    u32 rank[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 bin = bin_of(key[k]);
        const u32 same = match_lanes<8>(bin);
        const u32 before = counts.get(warp * BINS + bin);
        warp_barrier();
        rank[k] = before + count_ones(same & ((1u << lane()) - 1));
        if (trailing_zeros(same) == lane()) {
            counts.set(warp * BINS + bin, before + count_ones(same));
        }
        warp_barrier();
    }
    barrier();
    // In flight while this tile waits for others.
    u32 payload_here[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        payload_here[k] = payload[tile.at(own + k * WARP)];
    }
    loads_are_under_way();
    // Each thread takes a bin: the number of its rows in the tile, and the first one of each warp.
    u32 count = 0;
    TREEPAR_UNROLL
    for (u32 w = 0; w < WARPS; w += 1) {
        count += counts.get(w * BINS + thread());
    }
    u32 whole;
    const u32 place = block_scan<Count, THREADS>(count, whole);
    u32 of_warp = place;
    TREEPAR_UNROLL
    for (u32 w = 0; w < WARPS; w += 1) {
        const u32 next = of_warp + counts.get(w * BINS + thread());
        counts.set(w * BINS + thread(), of_warp);
        of_warp = next;
    }
    moved.set(thread(), starts[thread()] + rows_before(words, number, thread(), count) - place);
    barrier();
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        rank[k] += counts.get(warp * BINS + bin_of(key[k]));
        moving.set(rank[k], key[k]);
    }
    barrier();
    // In the tile's new order, so that neighbouring threads write rows of one bin.
    u32 to[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 row = k * THREADS + thread();
        const K moved_key = moving.get(row);
        to[k] = moved.get(bin_of(moved_key)) + row;
        if (tile.has(row)) {
            keys_out.set(to[k], moved_key);
        }
    }
    barrier();
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        moving.set(rank[k], payload_here[k]);
    }
    barrier();
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 row = k * THREADS + thread();
        if (tile.has(row)) {
            payload_out.set(to[k], u32(moving.get(row)));
        }
    }
}

}  // namespace treepar
