// Template `intern`: out[i] is the first row with the key f(i). A hash table has the keys and, for each, its least row. Rows
// find their slots in a first launch and read its row in a second.

#pragma once

namespace treepar {

// A slot without a key. A row with this key uses the last slot, which other keys leave free.
constexpr u64 NO_KEY = ~u64(0);

// Writes the slot of each row to `slots`. There are 2^(64 - shift) keys, at least two, all NO_KEY at the start, and as many
// `firsts`, all ones. Other launches' tables have other sizes, so the result does not depend on slots.
template <u32 THREADS, u32 ITEMS, class F>
TREEPAR_DEVICE void intern(u64 n, u32 shift, const F& f, const Array<u64>& keys, const Array<u32>& firsts,
                           const Array<u32>& slots) {
    const u64 last = keys.rows - 1;
    const auto put = [&](u64 i, u64 key) {
        u64 slot = last;
        if (key != NO_KEY) {
            // Fibonacci hashing. The last slot is left free, and one slot at least is empty, so the search ends.
            slot = key * 0x9e3779b97f4a7c15ull >> shift;
            slot = slot == last ? 0 : slot;
            while (true) {
                u64 found = keys.load_fresh(slot);
                if (found == NO_KEY) {
                    found = keys.swap_if(slot, NO_KEY, key);
                }
                if (found == NO_KEY || found == key) {
                    break;
                }
                slot = slot + 1 == last ? 0 : slot + 1;
            }
        }
        slots.set(i, u32(slot));
        // Rows come almost in order, so few have to write.
        if (firsts.load_fresh(slot) > u32(i)) {
            firsts.min(slot, u32(i));
        }
    };
    rows_of_block<u64, THREADS, ITEMS>(n, f, put);
}

// Writes the least row of each row's slot.
template <u32 THREADS, u32 ITEMS>
TREEPAR_DEVICE void intern_firsts(const Column<u32>& slots, const Array<u32>& firsts, const Array<u32>& out) {
    const auto put = [&](u64 i, u32 first) { out.set(i, first); };
    rows_of_block<u32, THREADS, ITEMS>(slots.size(), [&](u64 i) { return firsts.get(slots[i]); }, put);
}

}  // namespace treepar
