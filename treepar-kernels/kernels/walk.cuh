// Templates `walk_down`, `walk_up` and `walk_slots`: one launch each, for trees of any height.
//
// In preorder, a node's index is greater than its parent's. A downward walk starts tiles in order, an upward walk in reverse
// order, so that a node waits only for tiles that have begun. A walk takes one memory round trip per level, instead of one
// launch per level.

#pragma once

namespace treepar {

constexpr u32 NO_NODE = ~0u;

// out[i] = f(i, out[parents[i]]). `ready[i]` is 0 until out[i] is written.
//
// Values of parents in the same tile are in shared memory. The tile computes in rounds between barriers, one per level of its
// part of the tree. It publishes its rows to other tiles when a round computes none: one fence for all finished rows.
template <u32 THREADS, u32 ITEMS, class T, class F>
TREEPAR_DEVICE void walk_down(const Column<u32>& parents, const T& root, const F& f, const Array<u64>& words,
                              const Array<u8>& ready, const Array<T>& out) {
    constexpr u32 ROWS = THREADS * ITEMS;
    using Values = Shared<T, ROWS>;
    using Done = Shared<u32, ROWS>;
    TREEPAR_SHARED(Values, values);
    TREEPAR_SHARED(Done, done);
    const u64 first = u64(next_tile(words)) * ROWS;
    const u64 n = parents.size();
    u32 parent[ITEMS];
    // One bit per row of the thread. `waiting`: rows without a value. `outside`: rows whose parents are in earlier tiles.
    // `unpublished`: rows with a value that other tiles cannot see yet.
    u32 waiting = 0;
    u32 outside = 0;
    u32 unpublished = 0;
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        const u64 i = first + k * THREADS + thread();
        parent[k] = parents[least(i, n - 1)];
        waiting |= u32(i < n) << k;
        outside |= u32(i < n && parent[k] != NO_NODE && parent[k] < first) << k;
    }
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        done.set(k * THREADS + thread(), 0);
    }
    barrier();
    while (true) {
        // `arrived`: rows whose parents in earlier tiles have a value.
        u32 arrived = 0;
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            if (waiting & outside & (1u << k)) {
                arrived |= u32(ready.load_fresh(parent[k]) != 0) << k;
            }
        }
        if (arrived) {
            fence();
        } else if (waiting & outside) {
            wait_a_little();
        }
        u32 now;
        do {
            T value[ITEMS];
            now = 0;
            TREEPAR_UNROLL
            for (u32 k = 0; k < ITEMS; k += 1) {
                if (!(waiting >> k & 1u)) {
                    continue;
                }
                bool known = true;
                T above = root;
                if (outside >> k & 1u) {
                    known = arrived >> k & 1u;
                    if (known) {
                        above = out.get(parent[k]);
                    }
                } else if (parent[k] != NO_NODE) {
                    known = done.get(u32(parent[k] - first));
                    if (known) {
                        above = values.get(u32(parent[k] - first));
                    }
                }
                if (known) {
                    value[k] = f(first + k * THREADS + thread(), above);
                    now |= 1u << k;
                }
            }
            barrier();
            TREEPAR_UNROLL
            for (u32 k = 0; k < ITEMS; k += 1) {
                if (now >> k & 1u) {
                    const u32 row = k * THREADS + thread();
                    values.set(row, value[k]);
                    done.set(row, 1);
                    out.set(first + row, value[k]);
                }
            }
            waiting &= ~now;
            unpublished |= now;
        } while (barrier_count(now != 0) > 0);
        if (unpublished) {
            fence();
            TREEPAR_UNROLL
            for (u32 k = 0; k < ITEMS; k += 1) {
                if (unpublished >> k & 1u) {
                    ready.store_fresh(first + k * THREADS + thread(), 1);
                }
            }
            unpublished = 0;
        }
        if (barrier_and(waiting == 0)) {
            return;
        }
    }
}

// A thread's rows of a tile: their parents and another column. `present` has a bit per row inside the column, `outside` a bit
// per row whose parent is in an earlier tile.
template <u32 THREADS, u32 ITEMS>
struct WalkRows {
    u32 parent[ITEMS];
    u32 other[ITEMS];
    u32 present;
    u32 outside;

    TREEPAR_DEVICE WalkRows(const Column<u32>& parents, const Column<u32>& others, u64 first) : present(0), outside(0) {
        const u64 n = parents.size();
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            const u64 i = first + k * THREADS + thread();
            parent[k] = parents[least(i, n - 1)];
            other[k] = others[least(i, n - 1)];
            present |= u32(i < n) << k;
            outside |= u32(i < n && parent[k] != NO_NODE && parent[k] < first) << k;
        }
    }
};

// Returns the rows of `polling` that no longer wait for a later tile. Writes by those tiles are visible after this call.
template <u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE u32 arrivals(const Array<u32>& waits, u64 first, u32 polling, const WalkRows<THREADS, ITEMS>&) {
    u32 arrived = 0;
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        if (polling >> k & 1u) {
            arrived |= u32(waits.load_fresh(first + k * THREADS + thread()) == 0) << k;
        }
    }
    if (arrived) {
        fence();
    } else if (polling) {
        wait_a_little();
    }
    return arrived;
}

// Counts, for each node, its children with slots in later tiles. `waits` is zero at the start.
template <u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void walk_slots_count(const Column<u32>& parents, const Column<u32>& child, u32 slots, const Array<u32>& waits) {
    constexpr u32 ROWS = THREADS * ITEMS;
    const auto make = [&](u64 i) { return child[i] < slots ? parents[i] : NO_NODE; };
    const auto put = [&](u64 i, u32 parent) {
        if (parent != NO_NODE && parent / ROWS != i / ROWS) {
            waits.add(parent, 1);
        }
    };
    rows_of_block<u32, THREADS, ITEMS>(parents.size(), make, put);
}

// out[i] = f(i, values[i * slots ..]), after each child has written its slot.
//
// Rounds between barriers wait for children in the same tile, and order their writes to slots. Counts in memory wait for
// children in later tiles.
template <u32 THREADS, u32 ITEMS, class T, class F>
TREEPAR_DEVICE void walk_slots(const Column<u32>& parents, const Column<u32>& child, u32 slots, const F& f,
                               const Array<u64>& words, const Array<u32>& waits, const Array<T>& values,
                               const Array<T>& out) {
    constexpr u32 ROWS = THREADS * ITEMS;
    using Marks = Shared<u32, ROWS>;
    // The number of children in the tile without a value.
    TREEPAR_SHARED(Marks, left);
    const u64 n = parents.size();
    const u64 first = ((n + ROWS - 1) / ROWS - 1 - next_tile(words)) * ROWS;
    const WalkRows<THREADS, ITEMS> mine(parents, child, first);
    u32 waiting = mine.present;
    // `polling`: rows that may wait for later tiles. `inside` and `outside`: rows that write a slot of a node in this tile, or
    // in an earlier one.
    u32 polling = mine.present;
    u32 inside = 0;
    u32 outside = 0;
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        left.set(k * THREADS + thread(), 0);
        const u32 writes = u32((waiting >> k & 1u) && mine.parent[k] != NO_NODE && mine.other[k] < slots) << k;
        outside |= writes & mine.outside;
        inside |= writes & ~mine.outside;
    }
    barrier();
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        if (inside >> k & 1u) {
            left.add(u32(mine.parent[k] - first), 1);
        }
    }
    barrier();
    while (true) {
        polling &= ~arrivals(waits, first, polling, mine);
        u32 unpublished = 0;
        u32 now;
        do {
            now = 0;
            TREEPAR_UNROLL
            for (u32 k = 0; k < ITEMS; k += 1) {
                const u64 i = first + k * THREADS + thread();
                if (!(waiting & ~polling & (1u << k)) || left.get(k * THREADS + thread()) != 0) {
                    continue;
                }
                const T value = f(i, Column<T>{values.data + i * slots, slots});
                out.set(i, value);
                if ((inside | outside) >> k & 1u) {
                    values.set(u64(mine.parent[k]) * slots + mine.other[k], value);
                }
                now |= 1u << k;
            }
            barrier();
            TREEPAR_UNROLL
            for (u32 k = 0; k < ITEMS; k += 1) {
                if (now & inside & (1u << k)) {
                    left.add(u32(mine.parent[k] - first), ~0u);
                }
            }
            waiting &= ~now;
            unpublished |= now & outside;
        } while (barrier_count(now != 0) > 0);
        if (unpublished) {
            fence();
            TREEPAR_UNROLL
            for (u32 k = 0; k < ITEMS; k += 1) {
                if (unpublished >> k & 1u) {
                    waits.add(mine.parent[k], ~0u);
                }
            }
        }
        if (barrier_and(waiting == 0)) {
            return;
        }
    }
}

// Returns a bit per row that leads a run. A run is the children of a node in one later tile. They combine to one value, which
// the node waits for. The first member leads it; the others are marked in `follows`. `outside` has a bit per row whose parent
// is in an earlier tile.
template <u32 THREADS, u32 ITEMS, class Follows>
TREEPAR_DEVICE u32 leaders(const Column<u32>& parents, u64 first, u32 rows, const u32 (&parent)[ITEMS],
                           const u32 (&end)[ITEMS], u32 outside, Follows& follows) {
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        follows.set(k * THREADS + thread(), 0);
    }
    barrier();
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        // The row after a node's last descendant is its next sibling, if it has one.
        if ((outside >> k & 1u) && end[k] < first + rows && parents[end[k]] == parent[k]) {
            follows.set(u32(end[k] - first), 1);
        }
    }
    barrier();
    u32 leading = 0;
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        if (outside >> k & 1u) {
            leading |= u32(follows.get(k * THREADS + thread()) == 0) << k;
        }
    }
    return leading;
}

// Counts the runs that each node waits for. `waits` is zero at the start.
template <u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void walk_up_runs(const Column<u32>& parents, const Column<u32>& ends, const Array<u32>& waits) {
    constexpr u32 ROWS = THREADS * ITEMS;
    using Marks = Shared<u32, ROWS>;
    TREEPAR_SHARED(Marks, follows);
    const u64 first = u64(block()) * ROWS;
    const u32 rows = u32(least(u64(ROWS), parents.size() - first));
    const WalkRows<THREADS, ITEMS> mine(parents, ends, first);
    const u32 leading = leaders<THREADS>(parents, first, rows, mine.parent, mine.other, mine.outside, follows);
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        if (leading >> k & 1u) {
            waits.add(mine.parent[k], 1);
        }
    }
}

// out[i] = f(i, c0 · c1 · ..) with the values of the children of i. `ends[i]` is the row after the last descendant of i.
//
// Values of children in the same tile are in shared memory, and rounds between barriers compute them, as in `walk_down`. Only
// the few nodes with descendants in later tiles poll for runs. A run is published when a round computes no row.
template <class M, u32 THREADS, u32 ITEMS, class F>
TREEPAR_DEVICE void walk_up(const Column<u32>& parents, const Column<u32>& ends, const F& f, const Array<u64>& words,
                            const Array<u32>& waits, const Array<typename M::T>& run_values, const Array<u32>& run_ends,
                            const Array<typename M::T>& out) {
    using T = typename M::T;
    constexpr u32 ROWS = THREADS * ITEMS;
    constexpr u32 DONE = ~0u;
    using Values = Shared<T, ROWS>;
    using Marks = Shared<u32, ROWS>;
    TREEPAR_SHARED(Values, values);
    TREEPAR_SHARED(Marks, after);
    TREEPAR_SHARED(Marks, left);
    TREEPAR_SHARED(Marks, follows);
    const u64 n = parents.size();
    const u64 first = ((n + ROWS - 1) / ROWS - 1 - next_tile(words)) * ROWS;
    const u32 rows = u32(least(u64(ROWS), n - first));
    const u64 tile_end = first + rows;
    const WalkRows<THREADS, ITEMS> mine(parents, ends, first);
    // `after`: the row after a node's last descendant. `left`: the number of children in the tile without a value, or DONE.
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        after.set(k * THREADS + thread(), mine.other[k]);
        left.set(k * THREADS + thread(), 0);
    }
    u32 leading = leaders<THREADS>(parents, first, rows, mine.parent, mine.other, mine.outside, follows);
    const u32 inside = mine.present & ~mine.outside;
    u32 waiting = mine.present;
    // `polling`: rows that may wait for runs. `reached`, for leaders: the member whose value is needed next.
    u32 polling = 0;
    u32 reached[ITEMS];
    TREEPAR_UNROLL
    for (u32 k = 0; k < ITEMS; k += 1) {
        reached[k] = k * THREADS + thread();
        polling |= u32((waiting >> k & 1u) && mine.other[k] > tile_end) << k;
        if ((inside >> k & 1u) && mine.parent[k] != NO_NODE) {
            left.add(u32(mine.parent[k] - first), 1);
        }
    }
    barrier();
    while (true) {
        polling &= ~arrivals(waits, first, polling, mine);
        u32 now;
        do {
            T value[ITEMS];
            now = 0;
            TREEPAR_UNROLL
            for (u32 k = 0; k < ITEMS; k += 1) {
                const u32 row = k * THREADS + thread();
                if (!(waiting & ~polling & (1u << k)) || left.get(row) != 0) {
                    continue;
                }
                T children = M::identity();
                u32 child = u32(first) + row + 1;
                while (child < mine.other[k] && child < tile_end) {
                    children = M::combine(children, values.get(u32(child - first)));
                    child = after.get(u32(child - first));
                }
                while (child < mine.other[k]) {
                    children = M::combine(children, run_values.get(child));
                    child = run_ends.get(child);
                }
                value[k] = f(first + row, children);
                now |= 1u << k;
            }
            barrier();
            TREEPAR_UNROLL
            for (u32 k = 0; k < ITEMS; k += 1) {
                if (now >> k & 1u) {
                    const u32 row = k * THREADS + thread();
                    values.set(row, value[k]);
                    left.set(row, DONE);
                    out.set(first + row, value[k]);
                    if ((inside >> k & 1u) && mine.parent[k] != NO_NODE) {
                        left.add(u32(mine.parent[k] - first), ~0u);
                    }
                }
            }
            waiting &= ~now;
        } while (barrier_count(now != 0) > 0);
        // Leaders advance from member to member while they have values.
        u32 whole = 0;
        TREEPAR_UNROLL
        for (u32 k = 0; k < ITEMS; k += 1) {
            if (!(leading >> k & 1u)) {
                continue;
            }
            while (left.get(reached[k]) == DONE) {
                const u32 next = after.get(reached[k]);
                if (next < tile_end && follows.get(u32(next - first))) {
                    reached[k] = u32(next - first);
                    continue;
                }
                T sum = M::identity();
                const u32 leader = k * THREADS + thread();
                for (u32 member = leader; true; member = u32(after.get(member) - first)) {
                    sum = M::combine(sum, values.get(member));
                    if (member == reached[k]) {
                        break;
                    }
                }
                run_values.set(first + leader, sum);
                run_ends.set(first + leader, next);
                whole |= 1u << k;
                break;
            }
        }
        if (whole) {
            fence();
            TREEPAR_UNROLL
            for (u32 k = 0; k < ITEMS; k += 1) {
                if (whole >> k & 1u) {
                    waits.add(mine.parent[k], ~0u);
                }
            }
            leading &= ~whole;
        }
        if (barrier_and(waiting == 0)) {
            return;
        }
    }
}

}  // namespace treepar
