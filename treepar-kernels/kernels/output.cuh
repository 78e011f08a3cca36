// The results of a template per row: an element, or a tuple with one column per part.

#pragma once

namespace treepar {

// The columns of rows of type R.
template <class R>
struct Output {
    Array<R> column;

    TREEPAR_DEVICE void set(usize i, const R& row) const { column.set(i, row); }
};

template <class... T>
struct Output<Tuple<T...>> {
    void* data[sizeof...(T)];
    u64 rows;

    TREEPAR_DEVICE void set(usize i, const Tuple<T...>& row) const { set_from<0>(i, row); }

    template <u32 K, class First, class... Rest>
    TREEPAR_DEVICE void set_from(usize i, const Tuple<First, Rest...>& row) const {
        Array<First>{static_cast<First*>(data[K]), rows}.set(i, row.first);
        if constexpr (sizeof...(Rest) > 0) {
            set_from<K + 1>(i, row.rest);
        }
    }
};

}  // namespace treepar
