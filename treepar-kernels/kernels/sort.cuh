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
            mine.add(digit * BINS + byte_of(key, digit), 1);
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

// Replaces the counts of a digit by the first row of each bin. Sets same[k] to 1 if all `n` keys have one digit k. A block
// takes a digit.
template <u32 THREADS>
TREEPAR_DEVICE void sort_starts(u64 n, const Array<u32>& counts, const Array<u32>& same) {
    static_assert(THREADS == BINS, "a thread a bin");
    const usize bin = usize(block()) * BINS + thread();
    const u32 count = counts.get(bin);
    u32 whole;
    counts.set(bin, block_scan<Count, THREADS>(count, whole));
    if (count == n) {
        same.set(block(), 1);
    }
}

// The tiles that a thread polls at once.
constexpr u32 POLLED = 4;

// The first word of the bins among the words of a launch. Word 0 is the next tile's number. Then come zeros, as of tiles that
// have published nothing: they are polled together with the first tiles. Bins begin at a cache line.
constexpr u32 FIRST_BIN = 16 + (POLLED - 1) * BINS;

// Returns the number of rows of bin `bin` in earlier tiles, of a tile with `count` of them. Each thread looks back for its
// bin.
TREEPAR_DEVICE u32 rows_before(const Array<u64>& words, u32 tile, u32 bin, u32 count) {
    const auto word = [](Published kind, u32 value) { return u64(kind) << 32 | value; };
    const usize own = FIRST_BIN + usize(tile) * BINS + bin;
    u32 before = 0;
    if (tile > 0) {
        words.store_fresh(own, word(SUM, count));
        // The first tile publishes no sum, so the search ends there.
        usize nearest = own - BINS;
        // A number of tiles that means: the last of them has a prefix.
        constexpr u32 FOUND = POLLED + 1;
        u32 taken;
        do {
            u64 polled[POLLED];
            TREEPAR_UNROLL
            for (u32 k = 0; k < POLLED; k += 1) {
                polled[k] = words.load_fresh(nearest - k * BINS);
            }
            // In order, up to the first that has published nothing.
            taken = 0;
            TREEPAR_UNROLL
            for (u32 k = 0; k < POLLED; k += 1) {
                if (polled[k] < word(SUM, 0)) {
                    break;
                }
                before += u32(polled[k]);
                taken = k + 1;
                if (polled[k] >= word(PREFIX, 0)) {
                    taken = FOUND;
                    break;
                }
            }
            nearest -= taken * BINS;
            if (taken == 0) {
                wait_a_little();
            }
        } while (taken != FOUND);
    }
    words.store_fresh(own, word(PREFIX, before + count));
    return before;
}

// A number per bin and warp, in shared memory.
template <u32 WARPS>
struct BinsOfWarps {
    static constexpr u64 BYTES = sizeof(u32) * WARPS * BINS;
    Shared<u32, BINS> warp[WARPS];
};

// A row in shared memory: a key, with its payload if one access moves both.
template <class K>
struct KeyRow {
    static constexpr bool IS_PAIR = false;
    using Row = K;
    static TREEPAR_DEVICE Row of(K key, u32) { return key; }
    static TREEPAR_DEVICE K key(const Row& row) { return row; }
};
struct alignas(8) Pair {
    u32 key;
    u32 payload;
};
template <>
struct KeyRow<u32> {
    static constexpr bool IS_PAIR = true;
    using Row = Pair;
    static TREEPAR_DEVICE Row of(u32 key, u32 payload) { return {key, payload}; }
    static TREEPAR_DEVICE u32 key(const Row& row) { return row.key; }
};

// Moves the rows into the order of digit `digit`. `starts` has the first row of each bin; THREADS is BINS.
template <class K, u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void sort_pass(u32 digit, const Column<K>& keys, const Column<u32>& payload, const Column<u32>& starts,
                              const Array<u64>& words, const Array<K>& keys_out, const Array<u32>& payload_out) {
    static_assert(THREADS == BINS, "a thread a bin");
    constexpr u32 ROWS = THREADS * ITEMS;
    constexpr u32 WARPS = THREADS / WARP;
    using Counts = BinsOfWarps<WARPS>;
    using Bins = Shared<u32, BINS>;
    using Row = typename KeyRow<K>::Row;
    using Rows = Shared<Row, ROWS>;
    // The payload of rows that are not pairs.
    using Payload = Shared<u32, KeyRow<K>::IS_PAIR ? 1 : ROWS>;
    TREEPAR_SHARED(Counts, counts);
    TREEPAR_SHARED(Bins, moved);
    TREEPAR_SHARED(Rows, moving);
    TREEPAR_SHARED(Payload, moving_payload);
    const u32 number = next_tile(words);
    const Tile tile = tile_of(number, ROWS, keys.size());
    const bool full = tile.is_full(ROWS);
    Shared<u32, BINS>& of_own_warp = counts.warp[thread() / WARP];
    const auto bin_of = [=](K key) { return byte_of(key, digit); };
    // A warp takes consecutive rows, 32 at a time. Rows after the last one count as the greatest digit, so they come after all
    // rows of the tile.
    const u32 own = thread() / WARP * (ITEMS * WARP) + lane();
    const u64 first = u64(tile.first) + own;
    K key[ITEMS];
    if (full) {
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            key[k] = keys[first + k * WARP];
        }
    } else {
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            key[k] = keys[tile.at(own + k * WARP)];
        }
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            key[k] = tile.has(own + k * WARP) ? key[k] : K(~K(0));
        }
    }
    loads_are_under_way();
    TREEPAR_UNROLL
    for (u32 w = 0; w < WARPS; w += 1) {
        counts.warp[w].set(i32(thread()), 0);
    }
    barrier();
    // The rank of each row among its warp's rows of the same bin; later among the tile's. The last of them counts them.
    const u32 earlier_lanes = (1u << lane()) - 1;
    const u32 lanes_so_far = earlier_lanes << 1 | 1;
    u32 rank[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 bin = bin_of(key[k]);
        const auto counter = of_own_warp.cursor(i32(bin));
        const u32 same = match_lanes<8>(bin);
        const u32 before = counter.get();
        warp_barrier();
        rank[k] = before + count_ones(same & earlier_lanes);
        if (same <= lanes_so_far) {
            counter.set(rank[k] + 1);
        }
        warp_barrier();
    }
    barrier();
    // In flight while this tile waits for others.
    u32 payload_here[ITEMS];
    if (full) {
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            payload_here[k] = payload[first + k * WARP];
        }
    } else {
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            payload_here[k] = tile.has(own + k * WARP) ? payload[first + k * WARP] : 0;
        }
    }
    loads_are_under_way();
    // Each thread takes a bin: the number of its rows in the tile, and the first one of each warp.
    u32 of_warp[WARPS];
    u32 count = 0;
    TREEPAR_UNROLL
    for (u32 w = 0; w < WARPS; w += 1) {
        of_warp[w] = count;
        count += counts.warp[w].get(i32(thread()));
    }
    u32 whole;
    const u32 first_of_bin = block_scan<Count, THREADS>(count, whole);
    TREEPAR_UNROLL
    for (u32 w = 0; w < WARPS; w += 1) {
        counts.warp[w].set(i32(thread()), first_of_bin + of_warp[w]);
    }
    // At least as many rows have lower bins in all tiles as in this one.
    moved.set(thread(), starts[thread()] + rows_before(words, number, thread(), count) - first_of_bin);
    barrier();
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        rank[k] += of_own_warp.cursor(i32(bin_of(key[k]))).get();
    }
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        moving.cursor(i32(rank[k])).set(KeyRow<K>::of(key[k], payload_here[k]));
        if constexpr (!KeyRow<K>::IS_PAIR) {
            moving_payload.cursor(i32(rank[k])).set(payload_here[k]);
        }
    }
    barrier();
    // In the tile's new order, so that neighbouring threads write rows of one bin.
    const Array<K> keys_from = keys_out.from(thread());
    const Array<u32> payload_from = payload_out.from(thread());
    const auto put = [&](u32 k) {
        const i32 slot = i32(thread()) + i32(k * THREADS);
        const Row row = moving.get(slot);
        const u32 to = moved.cursor(i32(bin_of(KeyRow<K>::key(row)))).get();
        keys_from.from(to).set(k * THREADS, KeyRow<K>::key(row));
        if constexpr (KeyRow<K>::IS_PAIR) {
            payload_from.from(to).set(k * THREADS, row.payload);
        } else {
            payload_from.from(to).set(k * THREADS, moving_payload.get(slot));
        }
    };
    if (full) {
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            put(k);
        }
    } else {
        TREEPAR_ROLLED
        for (u32 k = 0; k < ITEMS; k += 1) {
            if (tile.has(k * THREADS + thread())) {
                put(k);
            }
        }
    }
}

}  // namespace treepar
