// What stands before a tile, from what the tiles before it have said: Merrill and Garland, "Single-pass Parallel Prefix
// Scan with Decoupled Look-back".
//
// A tile says first what its rows come to, then what all rows up to its end come to; one that needs what stands before it
// goes back over those that said only the first. Tiles take numbers as they begin, so that a tile waits only for tiles
// that have begun.

#pragma once

namespace treepar {

enum Said : u32 { NOTHING = 0, SUM = 1, PREFIX = 2 };

// Whether a value goes from tile to tile in words of 64 bits, four bytes of it in each, and beside them what it is. Words
// are written one by one: a value is there when all of its words say the same. So nobody waits for a fence.
template <class T>
constexpr bool fits_words = sizeof(T) <= 16;

// What the tiles of a launch say. Words are zero when it begins; the first is the next tile's number.
template <class T>
struct Tiles {
    Array<u64> words;
    // Where a value does not fit its words: sums of tiles, then prefixes.
    Array<T> values;

    static constexpr u32 COUNT = Words<T>::COUNT;
    static TREEPAR_DEVICE usize word_of(u32 tile, u32 k) { return 1 + usize(tile) * COUNT + k; }

    TREEPAR_DEVICE void say(u32 tile, Said what, const T& value) const {
        if constexpr (fits_words<T>) {
            const Words<T> all = words_of(value);
            TREEPAR_UNROLL
            for (u32 k = 0; k < COUNT; k += 1) {
                words.store_fresh(word_of(tile, k), u64(what) << 32 | all.word[k]);
            }
        } else {
            values.set((what == SUM ? 0 : values.rows / 2) + tile, value);
            fence();
            words.store_fresh(1 + usize(tile), what);
        }
    }

    // What a tile has said; waits until it says something. Each thread for itself.
    TREEPAR_DEVICE Said hear(u32 tile, T& value) const {
        if constexpr (fits_words<T>) {
            while (true) {
                u64 word[COUNT];
                TREEPAR_UNROLL
                for (u32 k = 0; k < COUNT; k += 1) {
                    word[k] = words.load_fresh(word_of(tile, k));
                }
                Words<T> all;
                const u32 said = u32(word[0] >> 32);
                bool whole = said != NOTHING;
                TREEPAR_UNROLL
                for (u32 k = 0; k < COUNT; k += 1) {
                    whole = whole && u32(word[k] >> 32) == said;
                    all.word[k] = u32(word[k]);
                }
                if (whole) {
                    value = value_of(all);
                    return Said(said);
                }
                wait_a_little();
            }
        } else {
            u64 word = words.load_fresh(1 + usize(tile));
            while (word == NOTHING) {
                wait_a_little();
                word = words.load_fresh(1 + usize(tile));
            }
            fence();
            value = values.get((word == SUM ? 0 : values.rows / 2) + tile);
            return Said(word);
        }
    }
};

// The number of the tile that this block does: valid in all threads.
TREEPAR_DEVICE u32 next_tile(const Array<u64>& words) {
    using Number = Shared<u32, 1>;
    TREEPAR_SHARED(Number, number);
    // Nobody reads the number of a call before any more.
    barrier();
    if (thread() == 0) {
        number.set(0, u32(words.add(0, 1)));
    }
    barrier();
    return number.get(0);
}

// What all rows before a tile come to, whose own come to `sum`; valid in all threads.
template <class M>
TREEPAR_DEVICE typename M::T look_back(const Tiles<typename M::T>& tiles, u32 tile, typename M::T sum) {
    using T = typename M::T;
    using Before = Shared<T, 1>;
    TREEPAR_SHARED(Before, shared_before);
    if (thread() < WARP) {
        T before = M::identity();
        if (tile > 0) {
            if (lane() == 0) {
                tiles.say(tile, SUM, sum);
            }
            // Each lane hears one tile, lane 0 the nearest.
            for (u32 nearest = tile; true; nearest -= WARP) {
                T value = M::identity();
                Said said = PREFIX;
                if (lane() < nearest) {
                    said = tiles.hear(nearest - 1 - lane(), value);
                }
                // Lanes that heard at different times come together again.
                warp_barrier();
                const u32 prefixes = ballot(said == PREFIX);
                const u32 last = prefixes ? trailing_zeros(prefixes) : WARP - 1;
                if (lane() > last) {
                    value = M::identity();
                }
                TREEPAR_UNROLL
                for (u32 distance = 1; distance < WARP; distance *= 2) {
                    const T farther = shuffle_down(value, distance);
                    if (lane() + distance < WARP) {
                        value = M::combine(farther, value);
                    }
                }
                before = M::combine(shuffle_from(value, 0), before);
                if (prefixes) {
                    break;
                }
            }
        }
        if (lane() == 0) {
            tiles.say(tile, PREFIX, M::combine(before, sum));
            shared_before.set(0, before);
        }
    }
    barrier();
    return shared_before.get(0);
}

}  // namespace treepar
