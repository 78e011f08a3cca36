// Methods of Rust's numbers that `types.cuh` lacks. Only units that use one contain this text.
//
// The namespace keeps them apart from variables of the same name. A function yields the same bits on each machine: it
// consists of operators, of square root and fused multiply-add, which IEEE 754 rounds, and of rounding to integers.

#pragma once

namespace treepar {
namespace rust {

template <class T>
struct Unsigned {
    using Type = T;
};
template <>
struct Unsigned<i8> {
    using Type = u8;
};
template <>
struct Unsigned<i16> {
    using Type = u16;
};
template <>
struct Unsigned<i32> {
    using Type = u32;
};
template <>
struct Unsigned<i64> {
    using Type = u64;
};
template <class T>
using UnsignedOf = typename Unsigned<T>::Type;

// The greatest and the least number of a type.
template <class T>
constexpr T most = T(UnsignedOf<T>(UnsignedOf<T>(-1) >> (is_signed<T> ? 1 : 0)));
template <class T>
constexpr T fewest = T(is_signed<T> ? -most<T> - 1 : 0);

// The bits of the sign and of the exponent of a float.
template <class T>
struct Float {
    static constexpr bool IS_FLOAT = false;
};
template <>
struct Float<f32> {
    static constexpr bool IS_FLOAT = true;
    static constexpr u32 SIGN = 0x80000000u;
    static constexpr u32 EXPONENT = 0x7f800000u;
};
template <>
struct Float<f64> {
    static constexpr bool IS_FLOAT = true;
    static constexpr u64 SIGN = 0x8000000000000000ull;
    static constexpr u64 EXPONENT = 0x7ff0000000000000ull;
};

#ifdef __CUDACC__
TREEPAR_DEVICE f32 sqrt(f32 a) { return __fsqrt_rn(a); }
TREEPAR_DEVICE f64 sqrt(f64 a) { return __dsqrt_rn(a); }
TREEPAR_DEVICE f32 mul_add(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
TREEPAR_DEVICE f64 mul_add(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
#else
inline f32 sqrt(f32 a) { return ::sqrtf(a); }
inline f64 sqrt(f64 a) { return ::sqrt(a); }
inline f32 mul_add(f32 a, f32 b, f32 c) { return ::fmaf(a, b, c); }
inline f64 mul_add(f64 a, f64 b, f64 c) { return ::fma(a, b, c); }
#endif
TREEPAR_DEVICE f32 floor(f32 a) { return ::floorf(a); }
TREEPAR_DEVICE f64 floor(f64 a) { return ::floor(a); }
TREEPAR_DEVICE f32 ceil(f32 a) { return ::ceilf(a); }
TREEPAR_DEVICE f64 ceil(f64 a) { return ::ceil(a); }
TREEPAR_DEVICE f32 trunc(f32 a) { return ::truncf(a); }
TREEPAR_DEVICE f64 trunc(f64 a) { return ::trunc(a); }
TREEPAR_DEVICE f32 round_ties_even(f32 a) { return ::rintf(a); }
TREEPAR_DEVICE f64 round_ties_even(f64 a) { return ::rint(a); }

template <class T>
TREEPAR_DEVICE T copysign(T a, T b) {
    return from_bits((to_bits(a) & ~Float<T>::SIGN) | (to_bits(b) & Float<T>::SIGN));
}
template <class T>
TREEPAR_DEVICE T fract(T a) {
    return sub(a, trunc(a));
}
// A half rounds away from zero. The fraction is exact, and so is one more than a number that has one.
template <class T>
TREEPAR_DEVICE T round(T a) {
    const T whole = trunc(a);
    const T rest = sub(a, whole);
    return rest >= T(0.5) || rest <= T(-0.5) ? add(whole, copysign(T(1), a)) : whole;
}
template <class T>
TREEPAR_DEVICE T recip(T a) {
    return div(T(1), a);
}
template <class T>
TREEPAR_DEVICE bool is_nan(T a) {
    return a != a;
}
template <class T>
TREEPAR_DEVICE bool is_finite(T a) {
    return (to_bits(a) & Float<T>::EXPONENT) != Float<T>::EXPONENT;
}
template <class T>
TREEPAR_DEVICE bool is_infinite(T a) {
    return (to_bits(a) & ~Float<T>::SIGN) == Float<T>::EXPONENT;
}
template <class T>
TREEPAR_DEVICE bool is_sign_negative(T a) {
    return (to_bits(a) & Float<T>::SIGN) != 0;
}
template <class T>
TREEPAR_DEVICE bool is_sign_positive(T a) {
    return (to_bits(a) & Float<T>::SIGN) == 0;
}

// The least integer remains, as in Rust without checks of overflow.
template <class T>
TREEPAR_DEVICE T abs(T a) {
    if constexpr (Float<T>::IS_FLOAT) {
        return from_bits(to_bits(a) & ~Float<T>::SIGN);
    } else {
        return a < T(0) ? neg(a) : a;
    }
}
template <class T>
TREEPAR_DEVICE UnsignedOf<T> unsigned_abs(T a) {
    return UnsignedOf<T>(abs(a));
}
template <class T>
TREEPAR_DEVICE UnsignedOf<T> abs_diff(T a, T b) {
    return UnsignedOf<T>(a < b ? sub(b, a) : sub(a, b));
}
// The signum of a float is never zero: it has the sign of the zero.
template <class T>
TREEPAR_DEVICE T signum(T a) {
    if constexpr (Float<T>::IS_FLOAT) {
        return a != a ? a : copysign(T(1), a);
    } else {
        return T(int(a > T(0)) - int(a < T(0)));
    }
}
template <class T>
TREEPAR_DEVICE bool is_positive(T a) {
    return a > T(0);
}
template <class T>
TREEPAR_DEVICE bool is_negative(T a) {
    return a < T(0);
}
template <class T>
TREEPAR_DEVICE T rem_euclid(T a, T b) {
    const T rest = rem(a, b);
    return rest < T(0) ? add(rest, abs(b)) : rest;
}
template <class T>
TREEPAR_DEVICE T div_euclid(T a, T b) {
    T whole = div(a, b);
    if constexpr (Float<T>::IS_FLOAT) {
        whole = trunc(whole);
    }
    if (rem(a, b) < T(0)) {
        return b > T(0) ? sub(whole, T(1)) : add(whole, T(1));
    }
    return whole;
}
template <class T>
TREEPAR_DEVICE T clamp(T a, T low, T high) {
    if (a < low) {
        a = low;
    }
    return a > high ? high : a;
}

template <class T>
TREEPAR_DEVICE T saturating_add(T a, T b) {
    const T sum = add(a, b);
    if constexpr (is_signed<T>) {
        return T((a ^ sum) & (b ^ sum)) < T(0) ? (a < T(0) ? fewest<T> : most<T>) : sum;
    } else {
        return sum < a ? most<T> : sum;
    }
}
template <class T>
TREEPAR_DEVICE T saturating_sub(T a, T b) {
    const T difference = sub(a, b);
    if constexpr (is_signed<T>) {
        return T((a ^ b) & (a ^ difference)) < T(0) ? (a < T(0) ? fewest<T> : most<T>) : difference;
    } else {
        return a < b ? T(0) : difference;
    }
}
template <class T>
TREEPAR_DEVICE T saturating_mul(T a, T b) {
    const T product = mul(a, b);
    bool fits = a == T(0) || div(product, a) == b;
    if constexpr (is_signed<T>) {
        // The quotient wraps too.
        fits = fits && !(a == T(-1) && b == fewest<T>);
        return fits ? product : ((a < T(0)) == (b < T(0)) ? most<T> : fewest<T>);
    } else {
        return fits ? product : most<T>;
    }
}
template <class T>
TREEPAR_DEVICE T pow(T a, u32 exponent) {
    T power = T(1);
    while (exponent != 0) {
        if ((exponent & 1u) != 0) {
            power = mul(power, a);
        }
        a = mul(a, a);
        exponent >>= 1;
    }
    return power;
}

template <class T>
TREEPAR_DEVICE u32 count_zeros(T a) {
    return width_of<T> - count_ones(a);
}
template <class T>
TREEPAR_DEVICE u32 leading_ones(T a) {
    return leading_zeros(T(~a));
}
template <class T>
TREEPAR_DEVICE u32 trailing_ones(T a) {
    return trailing_zeros(T(~a));
}
template <class T>
TREEPAR_DEVICE bool is_power_of_two(T a) {
    return a != T(0) && T(a & sub(a, T(1))) == T(0);
}

}  // namespace rust
}  // namespace treepar
