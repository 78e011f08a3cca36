// Templates `segmented_scan` and `segmented_reduce`: a scan of elements with a mark for the first of a segment.

#pragma once

namespace treepar {

// The combined value of one or more elements, and whether a segment begins among them. One load reads 8 or 16 bytes.
template <class T>
struct Beside {
    T value;
    u32 head;
};
template <class T>
struct alignas(sizeof(Beside<T>) == 8 || sizeof(Beside<T>) == 16 ? sizeof(Beside<T>) : alignof(Beside<T>)) Headed {
    T value;
    u32 head;
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

// Marks the first row of each segment, one bit per row.
template <u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void segment_heads(const Column<u32>& offsets, u64 n, const Array<u32>& heads) {
    const auto make = [&](u64 s) { return offsets[s]; };
    const auto put = [&](u64, u32 offset) {
        if (offset < n) {
            heads.bit_or(offset / 32, 1u << (offset % 32));
        }
    };
    rows_of_block<u32, THREADS, ITEMS>(offsets.size(), make, put);
}

TREEPAR_DEVICE u32 is_head(const Array<u32>& heads, u64 i) { return heads.get(i / 32) >> (i % 32) & 1u; }

// Returns the value of a segment of one row. It differs from the row if that is a NaN, which a least number does not keep.
template <class M>
TREEPAR_DEVICE typename M::T first_of_fold(const typename M::T& row) {
    return M::combine(M::identity(), row);
}

template <class M, u32 THREADS, u32 ITEMS, class F>
TREEPAR_DEVICE void segmented_scan(u64 n, bool inclusive, const Array<u32>& heads, const F& f,
                                   const Array<typename M::T>& out, const Tiles<typename Segmented<M>::T>& tiles,
                                   const Array<typename Segmented<M>::T>& total) {
    using T = typename Segmented<M>::T;
    const auto element = [&](u64 i) { return T{first_of_fold<M>(f(i)), is_head(heads, i)}; };
    const auto fold = [&](const T& before, const T& element, const T& with) {
        return inclusive ? with : element.head ? Segmented<M>::identity() : before;
    };
    using Value = typename M::T;
    const auto make = [](u64, const T& folded) { return folded.value; };
    const auto put = [&](u64 i, const Value& row) { out.set(i, row); };
    scan_tile<Segmented<M>, Value, THREADS, ITEMS>(n, element, fold, make, put, tiles, total);
}

// Writes the combined value of each segment at its last row.
template <class M, u32 THREADS, u32 ITEMS, class F>
TREEPAR_DEVICE void segmented_reduce(u64 n, const Array<u32>& heads, const F& f, const Array<typename M::T>& at_last,
                                     const Tiles<typename Segmented<M>::T>& tiles,
                                     const Array<typename Segmented<M>::T>& total) {
    using T = typename Segmented<M>::T;
    const auto element = [&](u64 i) { return T{first_of_fold<M>(f(i)), is_head(heads, i)}; };
    const auto fold = [](const T&, const T&, const T& with) { return with; };
    // The mark of a result: `true` for the last row of a segment.
    const auto make = [&](u64 i, const T& folded) {
        return T{folded.value, i + 1 == n ? 1 : is_head(heads, i + 1)};
    };
    const auto put = [&](u64 i, const T& row) {
        if (row.head) {
            at_last.set(i, row.value);
        }
    };
    scan_tile<Segmented<M>, T, THREADS, ITEMS>(n, element, fold, make, put, tiles, total);
}

// Copies from the last row of each segment to the row of the segment; the identity for an empty segment.
template <class M, u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void segmented_reduce_gather(const Column<u32>& offsets, u64 n, const Array<typename M::T>& at_last,
                                            const Array<typename M::T>& out) {
    using T = typename M::T;
    const auto make = [&](u64 s) {
        const u64 end = s + 1 < offsets.size() ? offsets[s + 1] : n;
        return offsets[s] < end ? at_last.get(end - 1) : M::identity();
    };
    rows_of_block<T, THREADS, ITEMS>(offsets.size(), make, [&](u64 s, const T& row) { out.set(s, row); });
}

// Writes to `wrong` a 1 and the number of the last segment that does not end within the rows, or after its successor.
template <u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void check_offsets(const Column<u32>& offsets, u64 n, const Array<u32>& wrong) {
    const auto make = [&](u64 s) { return offsets[s] > (s + 1 < offsets.size() ? offsets[s + 1] : n); };
    const auto put = [&](u64 s, bool falls) {
        if (falls) {
            wrong.max(0, u32(s) + 1);
        }
    };
    rows_of_block<bool, THREADS, ITEMS>(offsets.size(), make, put);
}

}  // namespace treepar
