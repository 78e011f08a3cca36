// The primitives of a GPU that kernels use: memory, threads, barriers, warps, atomics.
//
// Kernels use only these names, so that `emulator.hpp` can define them on a host. Memory that other threads write is accessed
// by `load_fresh` and `store_fresh`. A writer stores a value, calls `fence`, and stores a flag; a reader loads the flag, calls
// `fence`, and loads the value.

#pragma once

// The description of an entry, for the emulator only.
#define TREEPAR_ENTRY(...)

// Unrolls the following loop, which has a constant number of rounds. Then its arrays are in registers, and its loads are in
// flight together.
#define TREEPAR_UNROLL _Pragma("unroll")

// Keeps the following loop a loop, so that its body is in the code once.
#define TREEPAR_ROLLED _Pragma("unroll 1")

namespace treepar {

// Threads of a warp.
constexpr u32 WARP = 32;

// A grid has one dimension.
TREEPAR_DEVICE u32 thread() { return threadIdx.x; }
TREEPAR_DEVICE u32 threads() { return blockDim.x; }
TREEPAR_DEVICE u32 block() { return blockIdx.x; }
TREEPAR_DEVICE u32 blocks() { return gridDim.x; }
TREEPAR_DEVICE u32 lane() { return threadIdx.x % WARP; }

// Loads and stores that all blocks see in one order per address, and that no compiler merges, splits or moves. They access
// the cache that all blocks share.
TREEPAR_DEVICE u8 load_relaxed(const u8* from) {
    u32 value;
    asm volatile("ld.relaxed.gpu.global.u8 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(from)) : "memory");
    return u8(value);
}
TREEPAR_DEVICE u32 load_relaxed(const u32* from) {
    u32 value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(from)) : "memory");
    return value;
}
TREEPAR_DEVICE u64 load_relaxed(const u64* from) {
    u64 value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(__cvta_generic_to_global(from)) : "memory");
    return value;
}
TREEPAR_DEVICE void store_relaxed(u8* to, u8 value) {
    asm volatile("st.relaxed.gpu.global.u8 [%0], %1;" : : "l"(__cvta_generic_to_global(to)), "r"(u32(value)) : "memory");
}
TREEPAR_DEVICE void store_relaxed(u32* to, u32 value) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(__cvta_generic_to_global(to)), "r"(value) : "memory");
}
TREEPAR_DEVICE void store_relaxed(u64* to, u64 value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(__cvta_generic_to_global(to)), "l"(value) : "memory");
}

// Memory of the device that a kernel writes, and may read.
template <class T>
struct Array {
    T* data;
    u64 rows;

    TREEPAR_DEVICE T get(usize i) const { return data[i]; }
    TREEPAR_DEVICE void set(usize i, T value) const { data[i] = value; }
    // Returns the rows from row `first` on, by one instruction. The compiler does not see how their address was made, so that it
    // adds nothing to it but a constant.
    TREEPAR_DEVICE Array from(u32 first) const {
        usize address;
        asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(address) : "r"(first), "n"(sizeof(T)), "l"(__cvta_generic_to_global(data)));
        return {static_cast<T*>(__cvta_global_to_generic(address)), rows - first};
    }
    // The same row as one access that bypasses caches of single multiprocessors.
    TREEPAR_DEVICE T load_fresh(usize i) const { return load_relaxed(data + i); }
    TREEPAR_DEVICE void store_fresh(usize i, T value) const { store_relaxed(data + i, value); }
    TREEPAR_DEVICE T add(usize i, T value) const { return atomicAdd(data + i, value); }
    TREEPAR_DEVICE T max(usize i, T value) const { return atomicMax(data + i, value); }
    TREEPAR_DEVICE T min(usize i, T value) const { return atomicMin(data + i, value); }
    TREEPAR_DEVICE T bit_or(usize i, T value) const { return atomicOr(data + i, value); }
    // Writes `value` if the row is `expected`.
    TREEPAR_DEVICE T swap_if(usize i, T expected, T value) const { return atomicCAS(data + i, expected, value); }
};

// Four neighbouring words of a column. One load reads them.
struct alignas(16) FourWords {
    u32 word[4];
};

// Returns rows `first` to `first + 3` of a column. `first` is a multiple of four: columns begin at multiples of 16 bytes.
TREEPAR_DEVICE FourWords load_four(const Column<u32>& column, usize first) {
    return *reinterpret_cast<const FourWords*>(column.data + first);
}

// Returns 1 << (bit % 32) by one instruction.
TREEPAR_DEVICE u32 bit_of_word(u32 bit) { return __funnelshift_l(0, 1, bit); }

// Stores eight bytes to shared memory.
TREEPAR_DEVICE void store_eight(u32 at, u64 value) {
    asm volatile("st.shared.u64 [%0], %1;" : : "r"(at), "l"(value) : "memory");
}
template <class T>
TREEPAR_DEVICE void store_eight(u32 at, const T& value) {
    static_assert(sizeof(T) == 8, "two words");
    const Words<T> words = words_of(value);
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" : : "r"(at), "r"(words.word[0]), "r"(words.word[1]) : "memory");
}

// Memory of a block, which `TREEPAR_SHARED(Type, name);` declares in a function. Indices are signed, because signed arithmetic
// need not wrap: a constant added to an index becomes part of the instruction.
template <class T, u32 N>
struct Shared {
    T data[N];

    TREEPAR_DEVICE T get(i32 i) const { return data[i]; }
    TREEPAR_DEVICE void set(i32 i, T value) { data[i] = value; }
    TREEPAR_DEVICE T add(i32 i, T value) { return atomicAdd(data + i, value); }

    // A row by its address, which has 32 bits in shared memory: a computed row takes one instruction, and so does a step of a
    // search. Only for elements of four or eight bytes.
    struct Cursor {
        u32 at;

        template <i32 OFFSET = 0>
        TREEPAR_DEVICE T get() const {
            static_assert(sizeof(T) == 4, "a word");
            u32 word;
            asm volatile("ld.shared.u32 %0, [%1+%2];" : "=r"(word) : "r"(at), "n"(OFFSET * 4) : "memory");
            return bits_to<T>(word);
        }
        TREEPAR_DEVICE void set(const T& value) const {
            if constexpr (sizeof(T) == 4) {
                asm volatile("st.shared.u32 [%0], %1;" : : "r"(at), "r"(to_word(value)) : "memory");
            } else {
                store_eight(at, value);
            }
        }
        // Moves by ROWS rows if `a` is less than `b`, or at most `b`: a step of a search without a branch.
        template <i32 ROWS>
        TREEPAR_DEVICE void move_if_less(u32 a, u32 b) {
            asm("{ .reg .pred p; setp.lt.u32 p, %1, %2; @p add.s32 %0, %0, %3; }" : "+r"(at) : "r"(a), "r"(b), "n"(ROWS * 4));
        }
        template <i32 ROWS>
        TREEPAR_DEVICE void move_if_at_most(u32 a, u32 b) {
            asm("{ .reg .pred p; setp.le.u32 p, %1, %2; @p add.s32 %0, %0, %3; }" : "+r"(at) : "r"(a), "r"(b), "n"(ROWS * 4));
        }
    };
    TREEPAR_DEVICE Cursor cursor(i32 i) {
        u32 at;
        asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(at) : "r"(i), "n"(sizeof(T)), "r"(u32(__cvta_generic_to_shared(data))));
        return {at};
    }
    TREEPAR_DEVICE u32 row(const Cursor& cursor) { return (cursor.at - u32(__cvta_generic_to_shared(data))) / 4; }
};
#define TREEPAR_SHARED(Type, name) __shared__ Type name

// All threads of the block.
TREEPAR_DEVICE void barrier() { __syncthreads(); }
TREEPAR_DEVICE bool barrier_and(bool value) { return __syncthreads_and(value); }
TREEPAR_DEVICE u32 barrier_count(bool value) { return u32(__syncthreads_count(value)); }

// For all threads of the warp: values of any type, one word at a time.
constexpr u32 ALL_LANES = 0xffffffffu;
TREEPAR_DEVICE void warp_barrier() { __syncwarp(); }
TREEPAR_DEVICE u32 ballot(bool value) { return __ballot_sync(ALL_LANES, value); }
// Returns the lanes with the same value as this lane, for values of BITS bits.
template <u32 BITS>
TREEPAR_DEVICE u32 match_lanes(u32 value) {
    return __match_any_sync(ALL_LANES, value);
}
template <class T, class Shuffle>
TREEPAR_DEVICE T shuffle_words(T value, const Shuffle& shuffle) {
    if constexpr (sizeof(T) <= 4) {
        return bits_to<T>(shuffle(to_word(value)));
    } else {
        Words<T> words = words_of(value);
        TREEPAR_UNROLL
        for (u32 k = 0; k < Words<T>::COUNT; k += 1) {
            words.word[k] = shuffle(words.word[k]);
        }
        return value_of(words);
    }
}
template <class T>
TREEPAR_DEVICE T shuffle_from(T value, u32 from) {
    return shuffle_words(value, [=](u32 word) { return __shfl_sync(ALL_LANES, word, int(from)); });
}
// Returns the value of the lane `distance` before, or after, this one; its own if there is none.
template <class T>
TREEPAR_DEVICE T shuffle_up(T value, u32 distance) {
    return shuffle_words(value, [=](u32 word) { return __shfl_up_sync(ALL_LANES, word, distance); });
}
template <class T>
TREEPAR_DEVICE T shuffle_down(T value, u32 distance) {
    return shuffle_words(value, [=](u32 word) { return __shfl_down_sync(ALL_LANES, word, distance); });
}

// Returns byte `k` of a key.
TREEPAR_DEVICE u32 byte_of(u32 key, u32 k) { return __byte_perm(key, 0, 0x4440 + k); }
TREEPAR_DEVICE u32 byte_of(u64 key, u32 k) {
    u64 byte;
    asm("bfe.u64 %0, %1, %2, 8;" : "=l"(byte) : "l"(key), "r"(8 * k));
    return u32(byte);
}

// Issues all earlier loads before this point: a compiler must not move a load to its use after it.
TREEPAR_DEVICE void loads_are_under_way() { asm volatile("" : : : "memory"); }

// Orders a value and its flag. For the writer: who sees the flag sees the value. For the reader: the value is not older than
// the flag, because the multiprocessor's own cache is emptied. It is weaker and faster than `__threadfence`, which also
// orders all fences.
TREEPAR_DEVICE void fence() { asm volatile("fence.acq_rel.gpu;" : : : "memory"); }
// Pauses a thread that polls another block.
TREEPAR_DEVICE void wait_a_little() { __nanosleep(20); }

}  // namespace treepar
