// Template `sort_by_key`: stable radix sort, digits of eight bits, the least significant first.
//
// All digits are counted in one read. Then each digit is one read and one write of the rows: a tile learns by look-back, a
// bin a thread, how many rows of each bin stand before its own (Adinets and Merrill, "Onesweep").

#pragma once

namespace treepar {

constexpr u32 BINS = 256;

// counts[BINS * k + b] is how many keys have b for digit k. Counts are zero when it begins.
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

// How many rows of bin `bin` stand before a tile, which has `count` of them. Each thread for its bin.
TREEPAR_DEVICE u32 rows_before(const Array<u64>& words, u32 tile, u32 bin, u32 count) {
    const auto word = [](Said what, u32 value) { return u64(what) << 32 | value; };
    const auto place = [=](u32 of) { return 1 + usize(of) * BINS + bin; };
    u32 before = 0;
    if (tile > 0) {
        words.store_fresh(place(tile), word(SUM, count));
        for (u32 nearest = tile; true; nearest -= 1) {
            u64 heard = words.load_fresh(place(nearest - 1));
            while (heard >> 32 == NOTHING) {
                wait_a_little();
                heard = words.load_fresh(place(nearest - 1));
            }
            before += u32(heard);
            if (heard >> 32 == PREFIX) {
                break;
            }
        }
    }
    words.store_fresh(place(tile), word(PREFIX, before + count));
    return before;
}

// Moves the rows to where digit `digit` says. `starts` are the first rows of the bins; THREADS is BINS.
template <class K, u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void sort_pass(u32 digit, const Column<K>& keys, const Column<u32>& payload, const Column<u32>& starts,
                              const Array<u64>& words, const Array<K>& keys_out, const Array<u32>& payload_out) {
    static_assert(THREADS == BINS, "a thread a bin");
    constexpr u32 ROWS = THREADS * ITEMS;
    constexpr u32 WARPS = THREADS / WARP;
    using Counts = Shared<u32, WARPS * BINS>;
    using Bins = Shared<u32, BINS>;
    using Keys = Shared<K, ROWS>;
    using Payload = Shared<u32, ROWS>;
    TREEPAR_SHARED(Counts, counts);
    TREEPAR_SHARED(Bins, in_tile);
    TREEPAR_SHARED(Bins, moved);
    TREEPAR_SHARED(Keys, tile_keys);
    TREEPAR_SHARED(Payload, tile_payload);
    const u32 tile = next_tile(words);
    const u64 n = keys.size();
    const u64 first = u64(tile) * ROWS;
    const u32 rows = first + ROWS < n ? ROWS : u32(n - first);
    const u32 warp = thread() / WARP;
    // What is behind the last row counts as the greatest, and stands behind all rows of the tile. All loads come first:
    // none goes past a barrier.
    K key[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 row = (warp * ITEMS + k) * WARP + lane();
        key[k] = row < rows ? keys[first + row] : K(~K(0));
    }
    TREEPAR_UNROLL
    for (u32 w = 0; w < WARPS; w += 1) {
        counts.set(w * BINS + thread(), 0);
    }
    barrier();
    // A warp takes rows that follow each other, 32 at a time: which of its rows of the bin each is.
    u32 rank[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 bin = u32(key[k] >> (8 * digit)) % BINS;
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
    // Under way while this tile waits for others.
    u32 moving_payload[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 row = (warp * ITEMS + k) * WARP + lane();
        moving_payload[k] = row < rows ? payload[first + row] : 0;
    }
    // Each thread a bin: what the warps before have of it, and the tile.
    u32 count = 0;
    TREEPAR_UNROLL
    for (u32 w = 0; w < WARPS; w += 1) {
        const u32 of_warp = counts.get(w * BINS + thread());
        counts.set(w * BINS + thread(), count);
        count += of_warp;
    }
    const u32 before = rows_before(words, tile, thread(), count);
    u32 whole;
    const u32 place = block_scan<Count, THREADS>(count, whole);
    in_tile.set(thread(), place);
    moved.set(thread(), starts[thread()] + before - place);
    barrier();
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 bin = u32(key[k] >> (8 * digit)) % BINS;
        const u32 to = in_tile.get(bin) + counts.get(warp * BINS + bin) + rank[k];
        tile_keys.set(to, key[k]);
        tile_payload.set(to, moving_payload[k]);
    }
    barrier();
    // In the tile's new order, so that rows of a bin are written side by side.
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 at = k * THREADS + thread();
        if (at < rows) {
            const K moving = tile_keys.get(at);
            const u32 to = moved.get(u32(moving >> (8 * digit)) % BINS) + at;
            keys_out.set(to, moving);
            payload_out.set(to, tile_payload.get(at));
        }
    }
}

}  // namespace treepar
