// Templates `segmented_scan` and `segmented_reduce`: a scan of elements that know whether a segment begins with them.

#pragma once

namespace treepar {

// An element, or what several come to, and whether a segment begins among them.
template <class T>
struct Headed {
    T value;
    u32 head;
};

template <class M>
struct Segmented {
    using T = Headed<typename M::T>;
    static TREEPAR_DEVICE T identity() { return {M::identity(), 0}; }
    static TREEPAR_DEVICE T combine(const T& a, const T& b) {
        return {b.head ? b.value : M::combine(a.value, b.value), a.head | b.head};
    }
};

// Marks the rows that segments begin with, a bit each.
TREEPAR_DEVICE void segment_heads(const Column<u32>& offsets, u64 n, const Array<u32>& heads) {
    const u64 s = u64(block()) * threads() + thread();
    if (s < offsets.size() && offsets[s] < n) {
        heads.bit_or(offsets[s] / 32, 1u << (offsets[s] % 32));
    }
}

TREEPAR_DEVICE u32 is_head(const Array<u32>& heads, u64 i) { return heads.get(i / 32) >> (i % 32) & 1u; }

template <class M, u32 THREADS, u32 ITEMS, class F>
TREEPAR_DEVICE void segmented_scan(u64 n, bool inclusive, const Array<u32>& heads, const F& f,
                                   const Array<typename M::T>& out, const Tiles<typename Segmented<M>::T>& tiles,
                                   const Array<typename Segmented<M>::T>& total) {
    using T = typename Segmented<M>::T;
    const auto element = [&](u64 i) { return T{f(i), is_head(heads, i)}; };
    using Value = typename M::T;
    const auto make = [&](u64, const T& before, const T& element) {
        const T with = Segmented<M>::combine(before, element);
        return inclusive ? with.value : element.head ? M::identity() : before.value;
    };
    const auto put = [&](u64 i, const Value& row) { out.set(i, row); };
    scan_tile<Segmented<M>, Value, THREADS, ITEMS>(n, element, make, put, tiles, total);
}

// What each segment comes to, at its last row.
template <class M, u32 THREADS, u32 ITEMS, class F>
TREEPAR_DEVICE void segmented_reduce(u64 n, const Array<u32>& heads, const F& f, const Array<typename M::T>& at_last,
                                     const Tiles<typename Segmented<M>::T>& tiles,
                                     const Array<typename Segmented<M>::T>& total) {
    using T = typename Segmented<M>::T;
    const auto element = [&](u64 i) { return T{f(i), is_head(heads, i)}; };
    // The mark of a result: whether the row is the last of its segment.
    const auto make = [&](u64 i, const T& before, const T& element) {
        const u32 last = i + 1 == n ? 1 : is_head(heads, i + 1);
        return T{Segmented<M>::combine(before, element).value, last};
    };
    const auto put = [&](u64 i, const T& row) {
        if (row.head) {
            at_last.set(i, row.value);
        }
    };
    scan_tile<Segmented<M>, T, THREADS, ITEMS>(n, element, make, put, tiles, total);
}

// From the last row of each segment to its place; the identity for an empty one.
template <class M>
TREEPAR_DEVICE void segmented_reduce_gather(const Column<u32>& offsets, u64 n, const Array<typename M::T>& at_last,
                                            const Array<typename M::T>& out) {
    const u64 s = u64(block()) * threads() + thread();
    if (s < offsets.size()) {
        const u64 end = s + 1 < offsets.size() ? offsets[s + 1] : n;
        out.set(s, offsets[s] < end ? at_last.get(end - 1) : M::identity());
    }
}

// Writes to `wrong` 1 and the number of the last segment that does not end inside the rows and its successor.
TREEPAR_DEVICE void check_offsets(const Column<u32>& offsets, u64 n, const Array<u32>& wrong) {
    const u64 s = u64(block()) * threads() + thread();
    if (s < offsets.size()) {
        const u64 limit = s + 1 < offsets.size() ? offsets[s + 1] : n;
        if (offsets[s] > limit) {
            wrong.max(0, u32(s) + 1);
        }
    }
}

}  // namespace treepar
