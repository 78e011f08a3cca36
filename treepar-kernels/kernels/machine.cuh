// What a kernel needs of the machine, on a GPU: memory, threads, barriers, warps, atomics.
//
// Kernels use these names and no others, so that `emulator.hpp` can give them on a host. Memory that other threads
// write is read and written by `load_fresh` and `store_fresh`; a value behind a flag is written before `fence` and the
// flag, and read behind the flag and `fence`.

#pragma once

// What the emulator needs to know of an entry.
#define TREEPAR_ENTRY(...)

// Before a loop whose number of rounds is known when it is compiled: all rounds are written out, so that what it keeps
// in an array stays in registers, and its loads are under way at once.
#define TREEPAR_UNROLL _Pragma("unroll")

namespace treepar {

// Threads of a warp.
constexpr u32 WARP = 32;

// All of a grid's threads are in one dimension.
TREEPAR_DEVICE u32 thread() { return threadIdx.x; }
TREEPAR_DEVICE u32 threads() { return blockDim.x; }
TREEPAR_DEVICE u32 block() { return blockIdx.x; }
TREEPAR_DEVICE u32 blocks() { return gridDim.x; }
TREEPAR_DEVICE u32 lane() { return threadIdx.x % WARP; }

// Loads and stores that all blocks see in one order for each address, and that no compiler joins, splits or moves. They go
// to the cache that the blocks share.
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
    // The same row, past the caches that other blocks do not see, as a whole.
    TREEPAR_DEVICE T load_fresh(usize i) const { return load_relaxed(data + i); }
    TREEPAR_DEVICE void store_fresh(usize i, T value) const { store_relaxed(data + i, value); }
    TREEPAR_DEVICE T add(usize i, T value) const { return atomicAdd(data + i, value); }
    TREEPAR_DEVICE T max(usize i, T value) const { return atomicMax(data + i, value); }
    TREEPAR_DEVICE T bit_or(usize i, T value) const { return atomicOr(data + i, value); }
};

// Memory of a block: `TREEPAR_SHARED(Type, name);` in a function declares some. Rows are counted in signed numbers, which a
// compiler need not wrap: so what is added to one becomes a part of the instruction.
template <class T, u32 N>
struct Shared {
    T data[N];

    TREEPAR_DEVICE T get(i32 i) const { return data[i]; }
    TREEPAR_DEVICE void set(i32 i, T value) { data[i] = value; }
    TREEPAR_DEVICE T add(i32 i, T value) { return atomicAdd(data + i, value); }
};
#define TREEPAR_SHARED(Type, name) __shared__ Type name

// All threads of the block.
TREEPAR_DEVICE void barrier() { __syncthreads(); }
TREEPAR_DEVICE bool barrier_and(bool value) { return __syncthreads_and(value); }
TREEPAR_DEVICE u32 barrier_count(bool value) { return u32(__syncthreads_count(value)); }

// All threads of the warp. Values of any type, a word at a time.
constexpr u32 ALL_LANES = 0xffffffffu;
TREEPAR_DEVICE void warp_barrier() { __syncwarp(); }
TREEPAR_DEVICE u32 ballot(bool value) { return __ballot_sync(ALL_LANES, value); }
// The lanes whose values are this lane's, of values with `bits` bits.
template <u32 BITS>
TREEPAR_DEVICE u32 match_lanes(u32 value) {
    return __match_any_sync(ALL_LANES, value);
}
template <class T>
TREEPAR_DEVICE T shuffle_from(T value, u32 from) {
    if constexpr (sizeof(T) <= 4) {
        return bits_to<T>(__shfl_sync(ALL_LANES, to_word(value), int(from)));
    } else {
        Words<T> words = words_of(value);
        TREEPAR_UNROLL
        for (u32 k = 0; k < Words<T>::COUNT; k += 1) {
            words.word[k] = __shfl_sync(ALL_LANES, words.word[k], int(from));
        }
        return value_of(words);
    }
}
// The value of the lane `distance` before this one, or behind it; its own where there is none.
template <class T>
TREEPAR_DEVICE T shuffle_up(T value, u32 distance) {
    return shuffle_from(value, lane() >= distance ? lane() - distance : lane());
}
template <class T>
TREEPAR_DEVICE T shuffle_down(T value, u32 distance) {
    return shuffle_from(value, lane() + distance < WARP ? lane() + distance : lane());
}

// What was read before is under way here: a compiler that would rather load a row where it is used does not put that off.
TREEPAR_DEVICE void loads_are_under_way() { asm volatile("" : : : "memory"); }

// Between a value and the flag that tells of it: on the writer's side whoever sees the flag can see the value, on the
// reader's side the value is not older than the flag, and the multiprocessor's own cache forgets what it held. Weaker, and
// faster, than `__threadfence`, which also puts all fences in one order.
TREEPAR_DEVICE void fence() { asm volatile("fence.acq_rel.gpu;" : : : "memory"); }
// A thread that waits for another block.
TREEPAR_DEVICE void wait_a_little() { __nanosleep(20); }

}  // namespace treepar
