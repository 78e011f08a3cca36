// The prefix of a tile, from values that the tiles before it publish: Merrill and Garland, "Single-pass Parallel Prefix
// Scan with Decoupled Look-back".
//
// A tile first publishes its own sum, then the inclusive prefix. A tile that needs its prefix looks back over tiles that
// have only published their sum. Tiles take numbers as they begin, so a tile waits only for tiles that have begun.

#pragma once

namespace treepar {

enum Published : u32 { NOTHING = 0, SUM = 1, PREFIX = 2 };

// `true` if a value is published in words of 64 bits: each has four bytes of the value, and its kind. Words are written one
// by one. A value is complete when all of its words have the same kind, so no fence is needed.
template <class T>
constexpr bool fits_words = sizeof(T) <= 16;

// The values that the tiles of a launch publish. Words are zero at the start; the first is the next tile's number.
template <class T>
struct Tiles {
    Array<u64> words;
    // Values that do not fit words: first the sums of all tiles, then the prefixes.
    Array<T> values;

    static constexpr u32 COUNT = Words<T>::COUNT;
    static TREEPAR_DEVICE usize word_of(u32 tile, u32 k) { return 1 + usize(tile) * COUNT + k; }

    TREEPAR_DEVICE void publish(u32 tile, Published kind, const T& value) const {
        if constexpr (fits_words<T>) {
            const Words<T> all = words_of(value);
            TREEPAR_UNROLL
            for (u32 k = 0; k < COUNT; k += 1) {
                words.store_fresh(word_of(tile, k), u64(kind) << 32 | all.word[k]);
            }
        } else {
            values.set((kind == SUM ? 0 : values.rows / 2) + tile, value);
            fence();
            words.store_fresh(1 + usize(tile), kind);
        }
    }

    // Waits until a tile has published a value, and returns its kind. Each thread polls for itself.
    TREEPAR_DEVICE Published poll(u32 tile, T& value) const {
        if constexpr (fits_words<T>) {
            while (true) {
                u64 word[COUNT];
                TREEPAR_UNROLL
                for (u32 k = 0; k < COUNT; k += 1) {
                    word[k] = words.load_fresh(word_of(tile, k));
                }
                Words<T> all;
                const u32 kind = u32(word[0] >> 32);
                bool whole = kind != NOTHING;
                TREEPAR_UNROLL
                for (u32 k = 0; k < COUNT; k += 1) {
                    whole = whole && u32(word[k] >> 32) == kind;
                    all.word[k] = u32(word[k]);
                }
                if (whole) {
                    value = value_of(all);
                    return Published(kind);
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
            return Published(word);
        }
    }
};

// Returns the number of this block's tile, in all threads.
TREEPAR_DEVICE u32 next_tile(const Array<u64>& words) {
    using Number = Shared<u32, 1>;
    TREEPAR_SHARED(Number, number);
    // Until here, threads may read the number of an earlier call.
    barrier();
    if (thread() == 0) {
        number.set(0, u32(words.add(0, 1)));
    }
    barrier();
    return number.get(0);
}

// The base of a monoid with `resets(a)`, which returns whether `combine(before, a)` is a for each `before`.
struct Resets {};

// Returns whether all values before `sum` are hidden by it.
template <class M>
TREEPAR_DEVICE bool hides_all_before(const typename M::T& sum) {
    if constexpr (__is_base_of(Resets, M)) {
        return M::resets(sum);
    } else {
        return false;
    }
}

// Returns the combined value of all rows before a tile, in all threads. `sum` is the value of the tile's rows. If it hides all
// values before it, it is the tile's prefix and is published as such, so that later tiles need not wait for earlier ones.
template <class M>
TREEPAR_DEVICE typename M::T look_back(const Tiles<typename M::T>& tiles, u32 tile, typename M::T sum) {
    using T = typename M::T;
    using Before = Shared<T, 1>;
    TREEPAR_SHARED(Before, shared_before);
    if (thread() < WARP) {
        T before = M::identity();
        const bool hides = hides_all_before<M>(sum);
        if (lane() == 0 && (tile > 0 || hides)) {
            tiles.publish(tile, hides ? PREFIX : SUM, sum);
        }
        if (tile > 0) {
            // Each lane polls one tile, lane 0 the nearest.
            for (u32 nearest = tile; true; nearest -= WARP) {
                T value = M::identity();
                Published kind = PREFIX;
                if (lane() < nearest) {
                    kind = tiles.poll(nearest - 1 - lane(), value);
                }
                // Lanes return from polling at different times.
                warp_barrier();
                const u32 prefixes = ballot(kind == PREFIX);
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
            if (!hides) {
                tiles.publish(tile, PREFIX, M::combine(before, sum));
            }
            shared_before.set(0, before);
        }
    }
    barrier();
    return shared_before.get(0);
}

}  // namespace treepar
