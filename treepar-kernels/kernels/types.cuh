// Types and operators of device functions: Rust's meaning in C++.
//
// NVIDIA's compilers and a host's compile the same text. Arithmetic wraps: it uses unsigned numbers of at least 32 bits, so
// that nothing is promoted to a signed type, which could overflow. Each addition and multiplication of floats rounds by
// itself: on a GPU they are intrinsics, which are never contracted; on a host, -ffp-contract=off.

#pragma once

#ifdef __CUDACC__
#define TREEPAR_DEVICE __device__ inline
#else
#include <cmath>
#include <cstddef>
#include <cstring>
#define __device__
#define TREEPAR_DEVICE inline
#endif

namespace treepar {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i32 = int;
using i64 = long long;
using f32 = float;
using usize = unsigned long long;

static_assert(sizeof(u16) == 2 && sizeof(u32) == 4 && sizeof(u64) == 8, "the widths of Rust");

// An index outside a column is undefined on a GPU. The emulator ends the launch; another host counts it and reads zeros.
#ifdef TREEPAR_EMULATE
[[noreturn]] void read_outside(u64 i, u64 rows);
void check_read(const void* address);
#elif !defined(__CUDACC__)
inline u64& outside() {
    static u64 count = 0;
    return count;
}
#endif

// A column that is read.
template <class T>
struct Column {
    const T* data;
    u32 rows;

    TREEPAR_DEVICE usize size() const { return rows; }

    TREEPAR_DEVICE T operator[](usize i) const {
#ifdef TREEPAR_EMULATE
        if (i >= rows) {
            read_outside(i, rows);
        }
        check_read(data + i);
#elif !defined(__CUDACC__)
        if (i >= rows) {
            outside() += 1;
            return T{};
        }
#endif
        return data[i];
    }
};

// The results of a function for several columns.
template <class... T>
struct Tuple;

template <>
struct Tuple<> {};

template <class First, class... Rest>
struct Tuple<First, Rest...> {
    First first;
    Tuple<Rest...> rest;

    Tuple() = default;
    TREEPAR_DEVICE Tuple(First first, Rest... rest) : first(first), rest{rest...} {}
};

template <int K, class First, class... Rest>
TREEPAR_DEVICE auto get(const Tuple<First, Rest...>& tuple) {
    if constexpr (K == 0) {
        return tuple.first;
    } else {
        return get<K - 1>(tuple.rest);
    }
}

// The unsigned type in which arithmetic of a type is done, and its width.
template <class T>
struct Wide {
    using Type = u32;
};
template <>
struct Wide<u64> {
    using Type = u64;
};
template <>
struct Wide<i64> {
    using Type = u64;
};

template <class T>
constexpr u32 width_of = 8 * sizeof(T);

template <class T>
constexpr bool is_signed = T(-1) < T(0);

template <class T>
TREEPAR_DEVICE T add(T a, T b) {
    using W = typename Wide<T>::Type;
    return T(W(a) + W(b));
}
template <class T>
TREEPAR_DEVICE T sub(T a, T b) {
    using W = typename Wide<T>::Type;
    return T(W(a) - W(b));
}
template <class T>
TREEPAR_DEVICE T mul(T a, T b) {
    using W = typename Wide<T>::Type;
    return T(W(a) * W(b));
}
template <class T>
TREEPAR_DEVICE T neg(T a) {
    using W = typename Wide<T>::Type;
    return T(W(0) - W(a));
}

// Division by zero yields any value. The least number divided by -1 would trap on some machines.
template <class T>
TREEPAR_DEVICE T div(T a, T b) {
    if (b == T(0)) {
        return T(0);
    }
    if (is_signed<T> && b == T(-1)) {
        return neg(a);
    }
    return T(a / b);
}
template <class T>
TREEPAR_DEVICE T rem(T a, T b) {
    if (b == T(0) || (is_signed<T> && b == T(-1))) {
        return T(0);
    }
    return T(a % b);
}

// Shift amounts are modulo the width; shifting a signed number right keeps its sign.
template <class T>
TREEPAR_DEVICE T shl(T a, u32 amount) {
    using W = typename Wide<T>::Type;
    return T(W(a) << (amount & (width_of<T> - 1)));
}
template <class T>
TREEPAR_DEVICE T shr(T a, u32 amount) {
    return T(a >> (amount & (width_of<T> - 1)));
}

template <class T>
TREEPAR_DEVICE T rotate_left(T a, u32 amount) {
    using W = typename Wide<T>::Type;
    const W low = W(W(a) << (8 * sizeof(W) - width_of<T>)) >> (8 * sizeof(W) - width_of<T>);
    const u32 left = amount & (width_of<T> - 1);
    const u32 right = (width_of<T> - left) & (width_of<T> - 1);
    return T((low << left) | (low >> right));
}
template <class T>
TREEPAR_DEVICE T rotate_right(T a, u32 amount) {
    return rotate_left(a, (width_of<T> - (amount & (width_of<T> - 1))) & (width_of<T> - 1));
}

template <class T>
TREEPAR_DEVICE T least(T a, T b) {
    return b < a ? b : a;
}
template <class T>
TREEPAR_DEVICE T greatest(T a, T b) {
    return a < b ? b : a;
}

#ifdef __CUDACC__
// Numbers narrower than a word are extended by zeros.
template <class T>
TREEPAR_DEVICE u64 bits_of(T a) {
    return sizeof(T) < 8 ? u64(a) & ((u64(1) << (width_of<T> % 64)) - 1) : u64(a);
}
template <class T>
TREEPAR_DEVICE u32 count_ones(T a) {
    return sizeof(T) < 8 ? u32(__popc(u32(bits_of(a)))) : u32(__popcll(bits_of(a)));
}
template <class T>
TREEPAR_DEVICE u32 trailing_zeros(T a) {
    if (a == T(0)) {
        return width_of<T>;
    }
    return u32((sizeof(T) < 8 ? __ffs(i32(bits_of(a))) : __ffsll(i64(bits_of(a)))) - 1);
}
template <class T>
TREEPAR_DEVICE u32 leading_zeros(T a) {
    return sizeof(T) < 8 ? u32(__clz(i32(bits_of(a)))) - (32 - width_of<T>) : u32(__clzll(i64(bits_of(a))));
}
#else
template <class T>
TREEPAR_DEVICE u32 count_ones(T a) {
    u32 count = 0;
    for (u32 k = 0; k < width_of<T>; k += 1) {
        count += u32(u64(a) >> k) & 1u;
    }
    return count;
}
template <class T>
TREEPAR_DEVICE u32 trailing_zeros(T a) {
    u32 count = 0;
    while (count < width_of<T> && (u32(u64(a) >> count) & 1u) == 0) {
        count += 1;
    }
    return count;
}
template <class T>
TREEPAR_DEVICE u32 leading_zeros(T a) {
    u32 count = 0;
    while (count < width_of<T> && (u32(u64(a) >> (width_of<T> - 1 - count)) & 1u) == 0) {
        count += 1;
    }
    return count;
}
#endif

#ifdef __CUDACC__
TREEPAR_DEVICE u32 to_bits(f32 a) { return __float_as_uint(a); }
TREEPAR_DEVICE f32 from_bits(u32 a) { return __uint_as_float(a); }
TREEPAR_DEVICE f32 add(f32 a, f32 b) { return __fadd_rn(a, b); }
TREEPAR_DEVICE f32 sub(f32 a, f32 b) { return __fsub_rn(a, b); }
TREEPAR_DEVICE f32 mul(f32 a, f32 b) { return __fmul_rn(a, b); }
TREEPAR_DEVICE f32 div(f32 a, f32 b) { return __fdiv_rn(a, b); }
#else
inline u32 to_bits(f32 a) {
    u32 bits;
    std::memcpy(&bits, &a, sizeof bits);
    return bits;
}
inline f32 from_bits(u32 bits) {
    f32 a;
    std::memcpy(&a, &bits, sizeof a);
    return a;
}
inline f32 add(f32 a, f32 b) { return a + b; }
inline f32 sub(f32 a, f32 b) { return a - b; }
inline f32 mul(f32 a, f32 b) { return a * b; }
inline f32 div(f32 a, f32 b) { return a / b; }
#endif
TREEPAR_DEVICE f32 rem(f32 a, f32 b) { return fmodf(a, b); }
TREEPAR_DEVICE f32 neg(f32 a) { return from_bits(to_bits(a) ^ 0x80000000u); }
// A number wins over a NaN. Rust does not specify the sign of the least of two zeros; here it is the first, as on x86.
TREEPAR_DEVICE f32 least(f32 a, f32 b) { return a != a || b < a ? b : a; }
TREEPAR_DEVICE f32 greatest(f32 a, f32 b) { return a != a || a < b ? b : a; }

// Casts: integers are truncated or extended; floats become the nearest number of the type, and a NaN becomes 0.
template <class To, class From>
struct Cast {
    static TREEPAR_DEVICE To cast(From a) { return To(a); }
};
template <class To>
struct Cast<To, f32> {
    static TREEPAR_DEVICE To cast(f32 a) {
        constexpr To most = is_signed<To> ? To((To(1) << (width_of<To> - 2)) - 1 + (To(1) << (width_of<To> - 2))) : To(-1);
        constexpr To little = is_signed<To> ? To(-most - 1) : To(0);
        // The first float that is too large: a power of two.
        const f32 limit = 2.0f * f32(u64(1) << (width_of<To> - 1 - (is_signed<To> ? 1 : 0)));
        if (!(a == a)) {
            return To(0);
        }
        if (a >= limit) {
            return most;
        }
        if (is_signed<To> ? a < -limit : a <= -1.0f) {
            return little;
        }
        return To(a);
    }
};
template <>
struct Cast<f32, f32> {
    static TREEPAR_DEVICE f32 cast(f32 a) { return a; }
};

template <class To, class From>
TREEPAR_DEVICE To cast(From a) {
    return Cast<To, From>::cast(a);
}

}  // namespace treepar
