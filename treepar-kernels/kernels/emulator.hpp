// The primitives of `machine.cuh` on a host, with checks.
//
// A thread of a grid is a fiber with its own stack. A few blocks run at once and begin in a random order. Whenever a fiber
// waits, the next one is random too, from a generator with a seed, so that a run can be repeated. A launch ends at the first
// fault: ARCHITECTURE.md has the table.

#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef __x86_64__
#include <ucontext.h>
#endif

#include <utility>

#define __global__
#define __launch_bounds__(...)
#define TREEPAR_UNROLL
#define TREEPAR_ROLLED

// Defines two functions next to an entry: one calls it with pointers to its arguments; the other returns the number of the
// parameters and the size of each in bytes.
#define TREEPAR_ENTRY(name, ...)                                                                                \
    extern "C" void call_##name(void** arguments) { ::treepar::emulator::call<__VA_ARGS__>(&name, arguments); } \
    extern "C" void sizes_##name(::treepar::u64* sizes) { ::treepar::emulator::sizes_of<__VA_ARGS__>(sizes); }

namespace treepar {

constexpr u32 WARP = 32;

namespace emulator {

template <class... P, size_t... K>
void call_with(void (*entry)(P...), void** arguments, std::index_sequence<K...>) {
    entry(*static_cast<P*>(arguments[K])...);
}
template <class... P>
void call(void (*entry)(P...), void** arguments) {
    call_with(entry, arguments, std::index_sequence_for<P...>());
}
template <class... P>
void sizes_of(u64* sizes) {
    const u64 all[] = {sizeof...(P), sizeof(P)...};
    memcpy(sizes, all, sizeof all);
}

// Sizes in bytes: a fiber's stack, the largest value that lanes exchange, and the shared memory of a block.
constexpr u64 STACK = 64 * 1024;
constexpr u32 LARGEST = 144;
constexpr u64 SHARED_BYTES = 48 * 1024;
// The number of blocks that run at once, and of shared arrays per block.
constexpr u32 RESIDENT = 6;
constexpr u32 ARRAYS = 24;
// The number of consecutive polls by all fibers, without any other progress, that counts as a deadlock.
constexpr u64 PATIENCE = 20000000;

enum class State : u8 { RUNS, BARRIER, WARP, ENDED };

#ifdef __x86_64__
using Context = void*;
// Saves the registers that a call preserves on the stack, and continues with another stack.
extern "C" void treepar_switch(Context* from, Context to);
asm(R"(
.weak treepar_switch
.type treepar_switch, @function
treepar_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size treepar_switch, .-treepar_switch
)");
#else
using Context = ucontext_t;
#endif

struct Block;

struct Thread {
    Context context;
    Block* block;
    u32 index;
    State state;
    // The file and line at which it waits.
    const char* file;
    u32 line;
    // The number of collective operations of its warp that it took part in.
    u32 rounds;
    // The time of its last fence, and the rows that it wrote since.
    u64 fenced;
    const void** unpublished;
    u32 unpublished_count;
    u32 unpublished_room;
};

// The values that the lanes of a warp exchange, by the parity of the operation's number.
struct Warp {
    u32 arrived;
    u32 epoch;
    const char* file;
    u32 line;
    u32 size;
    alignas(16) unsigned char values[2][WARP][LARGEST];
};

struct SharedArray {
    const void* key;
    void* memory;
};

// The writer of a row, and its launch. Only the latest rows are kept, because a flag is read soon after it is written.
constexpr u64 WRITTEN = 1 << 14;
struct Written {
    const void* address;
    u64 launch;
    u32 block;
    u32 thread;
    // The number of the block's barriers until then, and the time of the writer's next fence, or 0.
    u32 epoch;
    u64 published;
};

struct Block {
    u32 index;
    u32 alive;
    u32 waiting;
    u32 epoch;
    // The number of threads with a true value at the current barrier (`votes`) and at the last one (`result`).
    u32 votes;
    u32 result;
    const char* file;
    u32 line;
    bool busy;
    // The time of the last fence that a barrier orders before the current work of its threads.
    u64 fenced;
    Thread* threads;
    Warp* warps;
    SharedArray shared[ARRAYS];
    u64 shared_bytes;
};

struct Grid {
    u32 blocks;
    u32 threads;
    u64 random;
    Context scheduler;
    Thread* running;
    // Threads that can continue.
    Thread** ready;
    u32 ready_count;
    u64 idle;
    bool failed;
    char* fault;
    u64 fault_size;
    void (*entry)(void**);
    void** arguments;
    const char* name;
    // The latest written rows, by address; the number of fences so far.
    Written* written;
    u64 launch;
    u64 fences;
};

// Fibers stay on the host's thread that launched them. The storage model is the compiler's default for libraries: with the
// faster "initial-exec" model, a process can load only about forty units.
static thread_local Grid* grid_here;
static thread_local Thread* self;

inline u64 draw(Grid& grid) {
    grid.random ^= grid.random << 13;
    grid.random ^= grid.random >> 7;
    grid.random ^= grid.random << 17;
    return grid.random;
}

inline void switch_to(Context* from, Context* to) {
#ifdef __x86_64__
    treepar_switch(from, *to);
#else
    swapcontext(from, to);
#endif
}

// Switches to the scheduler. This fiber continues when it is chosen.
__attribute__((noinline)) inline void leave() { switch_to(&self->context, &grid_here->scheduler); }

// Ends the launch. Fibers own nothing that must be freed.
template <class... T>
[[noreturn]] __attribute__((noinline)) inline void fault(const char* format, T... values) {
    Grid& grid = *grid_here;
    if (!grid.failed) {
        grid.failed = true;
        int used = 0;
        if (self) {
            used = snprintf(grid.fault, grid.fault_size, "block %u, thread %u: ", self->block->index, self->index);
        }
        snprintf(grid.fault + used, grid.fault_size - u64(used), format, values...);
    }
    leave();
    abort();
}

}  // namespace emulator

namespace emulator {

// Returns the slot of a row in the table, if no other row has replaced it.
inline Written& place_of(const void* address) {
    return grid_here->written[(reinterpret_cast<u64>(address) * 0x9e3779b97f4a7c15ull >> 32) % WRITTEN];
}
inline bool is_of(const Written& row, const void* address) {
    return row.address == address && row.launch == grid_here->launch;
}

inline void note_write(const void* address) {
    place_of(address) = {address, grid_here->launch, self->block->index, self->index, self->block->epoch, 0};
    if (self->unpublished_count == self->unpublished_room) {
        const u32 room = self->unpublished_room ? 2 * self->unpublished_room : 8;
        void* memory = realloc(self->unpublished, room * sizeof(void*));
        if (!memory) {
            fault("the host has no memory for %u rows that are written", room);
        }
        self->unpublished = static_cast<const void**>(memory);
        self->unpublished_room = room;
    }
    self->unpublished[self->unpublished_count] = address;
    self->unpublished_count += 1;
}

// A fence counts for its thread, and after a barrier for all threads of its block.
inline void note_fence() {
    Grid& grid = *grid_here;
    grid.fences += 1;
    self->fenced = grid.fences;
    for (u32 k = 0; k < self->unpublished_count; k += 1) {
        Written& row = place_of(self->unpublished[k]);
        const bool mine = row.block == self->block->index && row.thread == self->index;
        if (mine && is_of(row, self->unpublished[k]) && row.published == 0) {
            row.published = grid.fences;
        }
    }
    self->unpublished_count = 0;
}

inline void check_order(const void* address) {
    const Written& row = place_of(address);
    const bool same_block = row.block == self->block->index;
    if (!is_of(row, address) || (same_block && (row.thread == self->index || row.epoch != self->block->epoch))) {
        return;
    }
    if (row.published == 0) {
        fault("read of a row that thread %u of block %u wrote: it has had no fence since", row.thread, row.block);
    }
    if (self->fenced <= row.published && self->block->fenced <= row.published) {
        fault("read of a row that thread %u of block %u wrote: no fence here since it had one", row.thread, row.block);
    }
}

}  // namespace emulator

inline void check_read(const void* address) { emulator::check_order(address); }

[[noreturn]] inline void read_outside(u64 i, u64 rows) {
    emulator::fault("read of row %llu of a column with %llu rows", i, rows);
}

namespace emulator {

inline void make_ready(Thread* thread) {
    thread->state = State::RUNS;
    grid_here->ready[grid_here->ready_count] = thread;
    grid_here->ready_count += 1;
}

// Lets other threads run, at a point where a GPU could.
inline void pause() {
    make_ready(self);
    leave();
}
inline void pause_by_chance() {
    if ((draw(*grid_here) & 15) == 0) {
        pause();
    }
}

inline void release(Block& block) {
    block.result = block.votes;
    block.votes = 0;
    block.waiting = 0;
    block.epoch += 1;
    for (u32 t = 0; t < grid_here->threads; t += 1) {
        block.fenced = block.fenced < block.threads[t].fenced ? block.threads[t].fenced : block.fenced;
        block.warps[t / WARP].epoch += t % WARP == 0;
        if (block.threads[t].state == State::BARRIER) {
            make_ready(&block.threads[t]);
        }
    }
}

// Returns the number of threads with a true value.
inline u32 wait_for_block(bool value, const char* file, u32 line) {
    Block& block = *self->block;
    if (block.waiting > 0 && (block.line != line || strcmp(block.file, file) != 0)) {
        fault("divergent barrier: this thread waits at %s:%u, others at %s:%u", file, line, block.file, block.line);
    }
    if (block.alive < grid_here->threads) {
        fault("divergent barrier: this thread waits at %s:%u, %u others have ended", file, line,
              grid_here->threads - block.alive);
    }
    block.file = file;
    block.line = line;
    block.votes += value;
    block.waiting += 1;
    self->state = State::BARRIER;
    if (block.waiting == block.alive) {
        release(block);
    }
    leave();
    return block.result;
}

// Exchanges values between the lanes of the warp, and returns all of them by lane.
inline const unsigned char (*exchange(const void* value, u32 size, const char* file, u32 line))[LARGEST] {
    Warp& warp = self->block->warps[self->index / WARP];
    const u32 parity = self->rounds % 2;
    self->rounds += 1;
    if (warp.arrived > 0 && (warp.line != line || warp.size != size || strcmp(warp.file, file) != 0)) {
        fault("divergent warp: this lane is at %s:%u, others at %s:%u", file, line, warp.file, warp.line);
    }
    warp.file = file;
    warp.line = line;
    warp.size = size;
    memcpy(warp.values[parity][self->index % WARP], value, size);
    warp.arrived += 1;
    if (warp.arrived == WARP) {
        warp.arrived = 0;
        warp.epoch += 1;
        Thread* first = self - self->index % WARP;
        for (u32 k = 0; k < WARP; k += 1) {
            if (first[k].state == State::WARP) {
                make_ready(&first[k]);
            }
        }
        make_ready(self);
    } else {
        self->state = State::WARP;
    }
    leave();
    return warp.values[parity];
}

// Returns the shared memory of a block for the address of a name.
template <class S>
S& shared(const void* key) {
    SharedArray* at = self->block->shared;
    u32 k = 0;
    while (k < ARRAYS && at[k].key && at[k].key != key) {
        k += 1;
    }
    if (k == ARRAYS) {
        fault("more than %u shared arrays", ARRAYS);
    }
    if (!at[k].key) {
        self->block->shared_bytes += S::BYTES;
        if (self->block->shared_bytes > SHARED_BYTES) {
            fault("%llu bytes of shared memory, and a block may have %llu", self->block->shared_bytes, SHARED_BYTES);
        }
        at[k].key = key;
        at[k].memory = calloc(1, sizeof(S));
    }
    return *static_cast<S*>(at[k].memory);
}

// The last accesses of a row of shared memory.
struct Access {
    // The thread's number plus 1, or 0.
    u32 thread;
    u32 epoch;
    u32 warp_epoch;
    // For writes: `true` if atomic. For reads: `true` if threads of several warps read.
    bool special;
};

inline Access access_here(bool special) {
    return {self->index + 1, self->block->epoch, self->block->warps[self->index / WARP].epoch, special};
}

// Returns whether nothing orders an access of another thread before one of this thread.
inline bool unordered(const Access& other) {
    if (other.thread == 0 || other.thread == self->index + 1 || other.epoch != self->block->epoch) {
        return false;
    }
    const bool same_warp = (other.thread - 1) / WARP == self->index / WARP;
    return !same_warp || other.warp_epoch == self->block->warps[self->index / WARP].epoch;
}

inline void start() {
    grid_here->entry(grid_here->arguments);
    Block& block = *self->block;
    self->state = State::ENDED;
    block.alive -= 1;
    grid_here->idle = 0;
    if (block.waiting > 0) {
        fault("divergent barrier: this thread has ended, others wait at %s:%u", block.file, block.line);
    }
    if (block.warps[self->index / WARP].arrived > 0) {
        const Warp& warp = block.warps[self->index / WARP];
        fault("divergent warp: this lane has ended, others wait at %s:%u", warp.file, warp.line);
    }
    leave();
    abort();
}

inline void prepare(Thread& thread, char* stack) {
#ifdef __x86_64__
    void** top = reinterpret_cast<void**>(stack + STACK - 64);
    // The state of the stack after a call: aligned to 16 bytes below the return address, which is not used.
    *--top = nullptr;
    *--top = reinterpret_cast<void*>(&start);
    for (u32 k = 0; k < 6; k += 1) {
        *--top = nullptr;
    }
    thread.context = top;
#else
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = stack;
    thread.context.uc_stack.ss_size = STACK;
    thread.context.uc_link = nullptr;
    makecontext(&thread.context, &start, 0);
#endif
}

// The stacks of a host's thread, kept between launches.
struct Stacks {
    char* memory = nullptr;
    u64 bytes = 0;

    char* of(u64 wanted) {
        if (wanted > bytes) {
            if (memory) {
                munmap(memory, bytes);
            }
            void* mapped = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            memory = mapped == MAP_FAILED ? nullptr : static_cast<char*>(mapped);
            bytes = memory ? wanted : 0;
        }
        return memory;
    }
    ~Stacks() {
        if (memory) {
            munmap(memory, bytes);
        }
    }
};

inline void begin(Grid& grid, Block& block, u32 index, char* stacks) {
    block.index = index;
    block.alive = grid.threads;
    block.waiting = block.votes = block.result = block.epoch = 0;
    block.fenced = 0;
    block.busy = true;
    const u32 warps = (grid.threads + WARP - 1) / WARP;
    for (u32 w = 0; w < warps; w += 1) {
        block.warps[w].arrived = block.warps[w].epoch = 0;
    }
    for (u32 t = 0; t < grid.threads; t += 1) {
        Thread& thread = block.threads[t];
        thread.block = &block;
        thread.index = t;
        thread.rounds = thread.unpublished_count = 0;
        thread.fenced = 0;
        prepare(thread, stacks + t * STACK);
        make_ready(&thread);
    }
}

inline void end(Block& block) {
    for (SharedArray& array : block.shared) {
        free(array.memory);
        array = {nullptr, nullptr};
    }
    block.shared_bytes = 0;
    block.busy = false;
}

// Runs a grid, and returns whether it ended without a fault.
inline bool run(Grid& grid) {
    static thread_local Stacks* stacks_here;
    static thread_local Written* written_here;
    static thread_local u64 launches_here;
    if (!stacks_here) {
        stacks_here = new Stacks;
        written_here = static_cast<Written*>(calloc(WRITTEN, sizeof(Written)));
    }
    launches_here += 1;
    grid.written = written_here;
    grid.launch = launches_here;
    const u32 resident = 1 + u32(draw(grid) % RESIDENT);
    char* stacks = stacks_here->of(u64(RESIDENT) * grid.threads * STACK);
    const u32 warps = (grid.threads + WARP - 1) / WARP;
    Block blocks[RESIDENT] = {};
    grid.ready = static_cast<Thread**>(malloc(sizeof(Thread*) * resident * grid.threads));
    bool memory = stacks && grid.ready && grid.written;
    for (u32 b = 0; b < resident; b += 1) {
        blocks[b].threads = static_cast<Thread*>(calloc(grid.threads, sizeof(Thread)));
        blocks[b].warps = static_cast<Warp*>(calloc(warps, sizeof(Warp)));
        memory = memory && blocks[b].threads && blocks[b].warps;
    }
    grid_here = &grid;
    self = nullptr;
    if (!memory) {
        grid.failed = true;
        snprintf(grid.fault, grid.fault_size, "the host has no memory for %u threads", grid.threads);
    }
    // Blocks begin in a random order: steps of a number that is coprime to the number of blocks.
    u64 step = 1 + draw(grid) % grid.blocks;
    const u64 offset = draw(grid) % grid.blocks;
    auto shares_factor = [&](u64 a) {
        u64 b = grid.blocks;
        while (b) {
            const u64 rest = a % b;
            a = b;
            b = rest;
        }
        return a != 1;
    };
    while (shares_factor(step)) {
        step += 1;
    }
    u32 begun = 0;
    u32 left = grid.blocks;
    while (!grid.failed && left > 0) {
        for (u32 b = 0; b < resident; b += 1) {
            if (!blocks[b].busy && begun < grid.blocks) {
                begin(grid, blocks[b], u32((offset + u64(begun) * step) % grid.blocks), stacks + u64(b) * grid.threads * STACK);
                begun += 1;
            }
        }
        if (grid.ready_count == 0) {
            self = nullptr;
            if (!grid.failed) {
                grid.failed = true;
                snprintf(grid.fault, grid.fault_size, "threads wait for each other, some at a barrier and some in a warp");
            }
            break;
        }
        if (grid.idle > PATIENCE) {
            grid.failed = true;
            snprintf(grid.fault, grid.fault_size, "blocks wait for what none of those that run will write");
            break;
        }
        const u32 at = u32(draw(grid) % grid.ready_count);
        self = grid.ready[at];
        grid.ready_count -= 1;
        grid.ready[at] = grid.ready[grid.ready_count];
        switch_to(&grid.scheduler, &self->context);
        if (self->state == State::ENDED && self->block->alive == 0) {
            end(*self->block);
            left -= 1;
        }
    }
    for (u32 b = 0; b < resident; b += 1) {
        end(blocks[b]);
        for (u32 t = 0; blocks[b].threads && t < grid.threads; t += 1) {
            free(blocks[b].threads[t].unpublished);
        }
        free(blocks[b].threads);
        free(blocks[b].warps);
    }
    free(grid.ready);
    self = nullptr;
    grid_here = nullptr;
    return !grid.failed;
}

}  // namespace emulator

inline u32 thread() { return emulator::self->index; }
inline u32 threads() { return emulator::grid_here->threads; }
inline u32 block() { return emulator::self->block->index; }
inline u32 blocks() { return emulator::grid_here->blocks; }
inline u32 lane() { return emulator::self->index % WARP; }

template <class T>
struct Array {
    T* data;
    u64 rows;

    T* at(usize i, const char* doing) const {
        if (i >= rows) {
            emulator::fault("%s of row %llu of an array with %llu rows", doing, i, rows);
        }
        return data + i;
    }
    Array from(u32 first) const { return {data + first, first < rows ? rows - first : 0}; }
    T get(usize i) const {
        emulator::check_order(at(i, "read"));
        return data[i];
    }
    void set(usize i, T value) const {
        emulator::note_write(at(i, "write"));
        data[i] = value;
    }
    T load_fresh(usize i) const {
        emulator::pause_by_chance();
        return *at(i, "read");
    }
    void store_fresh(usize i, T value) const {
        emulator::pause_by_chance();
        *at(i, "write") = value;
        emulator::grid_here->idle = 0;
    }
    T change(usize i, T value) const {
        T* row = at(i, "atomic operation");
        const T before = *row;
        *row = value;
        emulator::grid_here->idle = 0;
        emulator::pause_by_chance();
        return before;
    }
    T add(usize i, T value) const { return change(i, T(*at(i, "atomic operation") + value)); }
    T max(usize i, T value) const { return change(i, *at(i, "atomic operation") < value ? value : data[i]); }
    T min(usize i, T value) const { return change(i, value < *at(i, "atomic operation") ? value : data[i]); }
    T swap_if(usize i, T expected, T value) const {
        const T before = *at(i, "atomic operation");
        return change(i, before == expected ? value : before);
    }
    T bit_or(usize i, T value) const { return change(i, T(*at(i, "atomic operation") | value)); }
};

struct FourWords {
    u32 word[4];
};

inline FourWords load_four(const Column<u32>& column, usize first) {
    if (first % 4 != 0) {
        emulator::fault("read of four rows from row %llu of a column, which is not a multiple of four", first);
    }
    return {{column[first], column[first + 1], column[first + 2], column[first + 3]}};
}

inline u32 bit_of_word(u32 bit) { return 1u << (bit % 32); }

template <class T, u32 N>
struct Shared {
    static constexpr u64 BYTES = sizeof(T) * N;
    T data[N];
    emulator::Access written[N];
    emulator::Access read[N];

    void check(u32 i, const char* doing) const {
        if (i >= N) {
            emulator::fault("%s of row %u of shared memory with %u rows", doing, i, N);
        }
    }
    void write(u32 i, T value, bool atomic, const char* doing) {
        check(i, doing);
        const emulator::Access &before = written[i], &reader = read[i];
        if (emulator::unordered(before) && !(atomic && before.special)) {
            emulator::fault("%s of row %u of shared memory that thread %u writes: no barrier between", doing, i, before.thread - 1);
        }
        if (emulator::unordered(reader) || (reader.special && reader.epoch == emulator::self->block->epoch)) {
            emulator::fault("%s of row %u of shared memory that thread %u reads: no barrier between", doing, i, reader.thread - 1);
        }
        data[i] = value;
        written[i] = emulator::access_here(atomic);
    }
    T get(u32 i) {
        check(i, "read");
        if (written[i].thread == 0) {
            emulator::fault("read of row %u of shared memory that was never written", i);
        }
        if (emulator::unordered(written[i])) {
            emulator::fault("read of row %u of shared memory that thread %u writes: no barrier between", i, written[i].thread - 1);
        }
        const bool others = read[i].thread != 0 && read[i].epoch == emulator::self->block->epoch &&
                            (read[i].special || (read[i].thread - 1) / WARP != emulator::self->index / WARP);
        read[i] = emulator::access_here(others);
        return data[i];
    }
    void set(u32 i, T value) { write(i, value, false, "write"); }
    T add(u32 i, T value) {
        check(i, "atomic addition");
        if (written[i].thread == 0) {
            emulator::fault("atomic addition to row %u of shared memory that was never written", i);
        }
        const T before = data[i];
        write(i, T(before + value), true, "atomic addition");
        return before;
    }

    struct Cursor {
        Shared* memory;
        i32 at;

        template <i32 OFFSET = 0>
        T get() const {
            return memory->get(u32(at + OFFSET));
        }
        void set(const T& value) const { memory->set(u32(at), value); }
        template <i32 ROWS>
        void move_if_less(u32 a, u32 b) {
            at += a < b ? ROWS : 0;
        }
        template <i32 ROWS>
        void move_if_at_most(u32 a, u32 b) {
            at += a <= b ? ROWS : 0;
        }
    };
    Cursor cursor(i32 i) { return {this, i}; }
    u32 row(const Cursor& cursor) const { return u32(cursor.at); }
};
#define TREEPAR_SHARED(Type, name)  \
    static const char name##_key = 0; \
    Type& name = ::treepar::emulator::shared<Type>(&name##_key)

inline void barrier(const char* file = __builtin_FILE(), u32 line = __builtin_LINE()) {
    emulator::wait_for_block(false, file, line);
}
inline bool barrier_and(bool value, const char* file = __builtin_FILE(), u32 line = __builtin_LINE()) {
    return emulator::wait_for_block(value, file, line) == threads();
}
inline u32 barrier_count(bool value, const char* file = __builtin_FILE(), u32 line = __builtin_LINE()) {
    return emulator::wait_for_block(value, file, line);
}

template <class K>
u32 byte_of(K key, u32 k) {
    return u32(key >> (8 * k)) % 256;
}

inline void warp_barrier(const char* file = __builtin_FILE(), u32 line = __builtin_LINE()) {
    emulator::exchange("", 1, file, line);
}
inline u32 ballot(bool value, const char* file = __builtin_FILE(), u32 line = __builtin_LINE()) {
    const auto values = emulator::exchange(&value, 1, file, line);
    u32 lanes = 0;
    for (u32 k = 0; k < WARP; k += 1) {
        lanes |= u32(values[k][0] != 0) << k;
    }
    return lanes;
}
template <u32 BITS>
u32 match_lanes(u32 value, const char* file = __builtin_FILE(), u32 line = __builtin_LINE()) {
    const auto values = emulator::exchange(&value, 4, file, line);
    u32 lanes = 0;
    for (u32 k = 0; k < WARP; k += 1) {
        lanes |= u32(memcmp(values[k], &value, 4) == 0) << k;
    }
    return lanes;
}
template <class T>
T shuffle_from(T value, u32 from, const char* file = __builtin_FILE(), u32 line = __builtin_LINE()) {
    static_assert(sizeof(T) <= emulator::LARGEST, "lanes exchange values of at most 144 bytes");
    T result;
    memcpy(&result, emulator::exchange(&value, sizeof(T), file, line)[from % WARP], sizeof(T));
    return result;
}
template <class T>
T shuffle_up(T value, u32 distance, const char* file = __builtin_FILE(), u32 line = __builtin_LINE()) {
    return shuffle_from(value, lane() >= distance ? lane() - distance : lane(), file, line);
}
template <class T>
T shuffle_down(T value, u32 distance, const char* file = __builtin_FILE(), u32 line = __builtin_LINE()) {
    return shuffle_from(value, lane() + distance < WARP ? lane() + distance : lane(), file, line);
}

inline void loads_are_under_way() {}
inline void fence() { emulator::note_fence(); }
inline void wait_a_little() {
    emulator::grid_here->idle += 1;
    emulator::pause();
}

}  // namespace treepar

// Runs `blocks` blocks of `threads` threads. Returns 0, or 1 with a message in `fault`.
extern "C" int treepar_emulate(void (*entry)(void**), void** arguments, treepar::u32 blocks, treepar::u32 threads,
                                      treepar::u64 seed, char* fault, treepar::u64 fault_size) {
    treepar::emulator::Grid grid = {};
    grid.blocks = blocks;
    grid.threads = threads;
    grid.random = seed * 2654435769ull + 88172645463325252ull;
    grid.entry = entry;
    grid.arguments = arguments;
    grid.fault = fault;
    grid.fault_size = fault_size;
    return treepar::emulator::run(grid) ? 0 : 1;
}
