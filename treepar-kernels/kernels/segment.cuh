// Templates `segmented_scan` and `segmented_reduce`: a scan of elements with a mark for the first of a segment.

#pragma once

namespace treepar {

// The type of a mark beside a value: as wide as the value's alignment, so that no byte between or behind them is unwritten.
template <u32 ALIGNMENT>
struct Mark {
    using Type = u32;
};
template <>
struct Mark<8> {
    using Type = u64;
};

// The combined value of one or more elements, and whether a segment begins among them. One load reads 8 or 16 bytes.
template <class T>
struct Beside {
    T value;
    typename Mark<alignof(T)>::Type head;
};
template <class T>
struct alignas(sizeof(Beside<T>) == 8 || sizeof(Beside<T>) == 16 ? sizeof(Beside<T>) : alignof(Beside<T>)) Headed {
    T value;
    typename Mark<alignof(T)>::Type head;
};

template <class M>
struct Segmented : Resets {
    using T = Headed<typename M::T>;
    static TREEPAR_DEVICE T identity() { return {M::identity(), 0}; }
    static TREEPAR_DEVICE T combine(const T& a, const T& b) {
        return {b.head ? b.value : M::combine(a.value, b.value), a.head | b.head};
    }
    static TREEPAR_DEVICE bool resets(const T& a) { return a.head != 0; }
};

// Four neighbouring offsets, from that of segment `first` on. After the last segment they are `n`, the number of rows.
TREEPAR_DEVICE FourWords four_offsets(const Column<u32>& offsets, u32 first, u32 n) {
    if (u64(first) + 4 <= offsets.size()) {
        return load_four(offsets, first);
    }
    FourWords four;
    TREEPAR_UNROLL
    for (u32 k = 0; k < 4; k += 1) {
        four.word[k] = first + k < offsets.size() ? offsets[first + k] : n;
    }
    return four;
}

// Marks the first row of each segment, one bit per row. A thread takes four neighbouring segments, and writes the marks of those
// that are in one word together.
template <u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void segment_heads(const Column<u32>& offsets, u64 n, const Array<u32>& heads) {
    static_assert(ITEMS == 4, "one load");
    const u32 first = (block() * THREADS + thread()) * ITEMS;
    if (first >= offsets.size()) {
        return;
    }
    const u32 rows = u32(n);
    const FourWords four = four_offsets(offsets, first, rows);
    const u32 begin = four.word[0];
    u32 marks = bit_of_word(begin);
    // Offsets rise: if the last one is within the rows and in the first one's word, all are.
    if (four.word[3] < rows && (four.word[3] ^ begin) < WARP) {
        TREEPAR_UNROLL
        for (u32 k = 1; k < ITEMS; k += 1) {
            marks |= bit_of_word(four.word[k]);
        }
        heads.bit_or(begin / WARP, marks);
        return;
    }
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u32 offset = four.word[k];
        const u32 next = k + 1 < ITEMS ? four.word[k + 1] : rows;
        const u32 mark_of_next = bit_of_word(next);
        if (next < rows && (next ^ offset) < WARP) {
            marks |= mark_of_next;
        } else {
            if (offset < rows) {
                heads.bit_or(offset / WARP, marks);
            }
            marks = mark_of_next;
        }
    }
}

// Returns the value of a segment of one row. It differs from the row if that is a NaN, which a least number does not keep.
template <class M>
TREEPAR_DEVICE typename M::T first_of_fold(const typename M::T& row) {
    return M::combine(M::identity(), row);
}

// A tile of rows in shared memory, with marks of the rows of a thread. Values and marks are separate: a mark is a bit.
template <class M, u32 THREADS, u32 ITEMS>
struct HeadedTile {
    using T = typename M::T;
    using Rows = TileRows<M, THREADS, ITEMS>;
    using Memory = typename Rows::Memory;

    Tile tile;
    // Bit k is set if a segment begins with the thread's row k.
    u32 heads;
    // The value of the segment of the row before the thread's rows, up to that row.
    T before;

    static TREEPAR_DEVICE bool has_bit(u32 bits, u32 k) { return (bits & (1u << k)) != 0; }

    // Returns the marks of row `row` and of all after it in its word. After the last row, those of the last row.
    static TREEPAR_DEVICE u32 marks_from(const Array<u32>& heads, u64 row, u64 n) {
        return heads.get(least(row, n - 1) / WARP) >> (row % WARP);
    }

    // Replaces each of a thread's rows in shared memory by the inclusive or the exclusive prefix in its segment, from the first of
    // the thread's rows on. Returns the value of the segment of the last of them.
    static TREEPAR_DEVICE T fold(bool inclusive, u32 heads, Memory& rows) {
        T sum = M::identity();
        if (inclusive) {
            TREEPAR_UNROLL
            for (u32 k = 0; k < ITEMS; k += 1) {
                const T own = rows.get(Rows::own(k));
                sum = has_bit(heads, k) ? own : M::combine(sum, own);
                rows.set(Rows::own(k), sum);
            }
        } else {
            TREEPAR_UNROLL
            for (u32 k = 0; k < ITEMS; k += 1) {
                const T own = rows.get(Rows::own(k));
                sum = has_bit(heads, k) ? M::identity() : sum;
                rows.set(Rows::own(k), sum);
                sum = M::combine(sum, own);
            }
        }
        return sum;
    }

    // Takes the next tile, writes the rows to shared memory, folds them, and looks back.
    template <u32 AT_ONCE, class F>
    static TREEPAR_DEVICE HeadedTile open(u64 n, bool inclusive, const Array<u32>& heads, const F& f,
                                          const Tiles<typename Segmented<M>::T>& tiles, Memory& rows) {
        const u32 number = next_tile(tiles.words);
        const Tile tile = tile_of(number, Rows::ROWS, n);
        const auto element = [&](u64 i) { return first_of_fold<M>(f(i)); };
        const u32 mine = marks_from(heads, u64(tile.first) + thread() * ITEMS, n) & u32((u64(1) << ITEMS) - 1);
        Rows::template load<THREADS, AT_ONCE>(tile, thread(), thread(), element, rows);
        barrier();
        const T sum = fold(inclusive, mine, rows);
        typename Segmented<M>::T whole;
        const auto in_tile = block_scan<Segmented<M>, THREADS>({sum, mine != 0}, whole);
        const auto before = Segmented<M>::combine(look_back<Segmented<M>>(tiles, number, whole), in_tile);
        return {tile, mine, before.value};
    }

    // Adds the value before the thread's rows to row k of them.
    TREEPAR_DEVICE void add_before(u32 k, Memory& rows) const {
        rows.set(Rows::own(k), M::combine(before, rows.get(Rows::own(k))));
    }
};

template <class M, u32 THREADS, u32 ITEMS, u32 AT_ONCE, class F>
TREEPAR_DEVICE void segmented_scan(u64 n, bool inclusive, const Array<u32>& heads, const F& f,
                                   const Array<typename M::T>& out, const Tiles<typename Segmented<M>::T>& tiles) {
    using T = typename M::T;
    using Open = HeadedTile<M, THREADS, ITEMS>;
    using Memory = typename Open::Memory;
    TREEPAR_SHARED(Memory, rows);
    const Open open = Open::template open<AT_ONCE>(n, inclusive, heads, f, tiles, rows);
    // The rows before the first segment of the thread continue an earlier one.
    if (open.heads == 0) {
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            open.add_before(k, rows);
        }
    } else {
        const u32 first = trailing_zeros(open.heads);
        TREEPAR_ROLLED
        for (u32 k = 0; k < first; k += 1) {
            open.add_before(k, rows);
        }
    }
    barrier();
    const auto make = [&](u64, u32 k) { return rows.get(Open::Rows::template strided<THREADS>(thread(), k)); };
    const auto put = [&](u64 i, const T& row) { out.set(i, row); };
    rows_of_thread<T, THREADS, ITEMS>(open.tile, make, put);
}

// Writes the combined value of each segment at its last row.
template <class M, u32 THREADS, u32 ITEMS, u32 AT_ONCE, class F>
TREEPAR_DEVICE void segmented_reduce(u64 n, const Array<u32>& heads, const F& f, const Array<typename M::T>& at_last,
                                     const Tiles<typename Segmented<M>::T>& tiles) {
    using T = typename M::T;
    using Open = HeadedTile<M, THREADS, ITEMS>;
    using Memory = typename Open::Memory;
    using Lasts = Shared<u32, THREADS>;
    TREEPAR_SHARED(Memory, rows);
    TREEPAR_SHARED(Lasts, lasts);
    const Open open = Open::template open<AT_ONCE>(n, true, heads, f, tiles, rows);
    // A row is the last of its segment if the next one is the first of another, or if it is the last of all.
    const u32 begin = thread() * ITEMS;
    const u32 here = begin < open.tile.rows ? least(ITEMS, open.tile.rows - begin) : 0;
    const u32 end = open.tile.first + begin + here;
    const u32 all = (1u << here) - 1;
    const u32 next = Open::marks_from(heads, u64(open.tile.first) + begin + ITEMS, n) << (ITEMS - 1);
    const u32 mine = ((open.heads >> 1 | next) & all) | (end == u32(n) ? (all + 1) >> 1 : 0);
    lasts.set(thread(), mine);
    // Only the first segment that ends in the thread's rows can have begun before them.
    const u32 first = trailing_zeros(mine | 1u << (ITEMS - 1));
    if ((open.heads & ((2u << first) - 1)) == 0) {
        open.add_before(first, rows);
    }
    barrier();
    // A row's mark is the bit of the thread that folded it.
    const u32 bit = 1u << (thread() % ITEMS);
    const u64 row = u64(open.tile.first) + thread();
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        if ((lasts.get(i32(thread() / ITEMS) + i32(k * (THREADS / ITEMS))) & bit) != 0) {
            at_last.set(row + k * THREADS, rows.get(Open::Rows::template strided<THREADS>(thread(), k)));
        }
    }
}

// Copies from the last row of each segment to the row of the segment; the identity for an empty segment.
template <class M, u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void segmented_reduce_gather(const Column<u32>& offsets, u64 n, const Array<typename M::T>& at_last,
                                            const Array<typename M::T>& out) {
    using T = typename M::T;
    const u64 first = u64(block()) * (THREADS * ITEMS) + thread();
    const auto copy = [&](u32 end, u32 begin) { return begin < end ? at_last.get(usize(end) - 1) : M::identity(); };
    if (block() + 1 == blocks()) {
        TREEPAR_ROLLED
        for (u64 s = first; s < offsets.size(); s += THREADS) {
            out.set(s, copy(s + 1 < offsets.size() ? offsets[s + 1] : u32(n), offsets[s]));
        }
        return;
    }
    u32 begin[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        begin[k] = offsets[first + k * THREADS];
    }
    // The next lane has the next segment.
    u32 end[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        end[k] = shuffle_down(begin[k], 1);
    }
    if (lane() == WARP - 1) {
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            end[k] = offsets[first + k * THREADS + 1];
        }
    }
    constexpr u32 TOGETHER = together(sizeof(T), ITEMS);
    TREEPAR_UNROLL
    for (u32 part = 0; part < ITEMS; part += TOGETHER) {
        T row[TOGETHER];
        TREEPAR_UNROLL
        for (u32 k = 0; k < TOGETHER; k += 1) {
            row[k] = copy(end[part + k], begin[part + k]);
        }
        loads_are_under_way();
        TREEPAR_UNROLL
        for (u32 k = 0; k < TOGETHER; k += 1) {
            out.set(first + (part + k) * THREADS, row[k]);
        }
    }
}

// Writes to `wrong` a 1 and the number of the last segment that does not end within the rows, or after its successor.
template <u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void check_offsets(const Column<u32>& offsets, u64 n, const Array<u32>& wrong) {
    static_assert(ITEMS == 4, "one load");
    const u32 first = (block() * THREADS + thread()) * ITEMS;
    const FourWords four = four_offsets(offsets, first, u32(n));
    u32 next = shuffle_down(four.word[0], 1);
    if (lane() == WARP - 1) {
        next = u64(first) + ITEMS < offsets.size() ? offsets[first + ITEMS] : u32(n);
    }
    const auto falls = [&](u32 k) { return four.word[k] > (k + 1 < ITEMS ? four.word[k + 1] : next); };
    if (falls(0) | falls(1) | falls(2) | falls(3)) {
        wrong.max(0, first + 1 + (falls(3) ? 3 : falls(2) ? 2 : falls(1) ? 1 : 0));
    }
}

}  // namespace treepar
