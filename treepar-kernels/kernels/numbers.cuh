// Rust's i8, i16 and f64: types and operators, as in `types.cuh`. Only units that use them contain this text.

#pragma once

namespace treepar {

using i8 = signed char;
using i16 = short;
using f64 = double;

static_assert(sizeof(i8) == 1 && sizeof(i16) == 2 && sizeof(f64) == 8, "the widths of Rust");

#ifdef __CUDACC__
TREEPAR_DEVICE u64 to_bits(f64 a) { return u64(__double_as_longlong(a)); }
TREEPAR_DEVICE f64 from_bits(u64 a) { return __longlong_as_double(i64(a)); }
TREEPAR_DEVICE f64 add(f64 a, f64 b) { return __dadd_rn(a, b); }
TREEPAR_DEVICE f64 sub(f64 a, f64 b) { return __dsub_rn(a, b); }
TREEPAR_DEVICE f64 mul(f64 a, f64 b) { return __dmul_rn(a, b); }
TREEPAR_DEVICE f64 div(f64 a, f64 b) { return __ddiv_rn(a, b); }
#else
inline u64 to_bits(f64 a) {
    u64 bits;
    std::memcpy(&bits, &a, sizeof bits);
    return bits;
}
inline f64 from_bits(u64 bits) {
    f64 a;
    std::memcpy(&a, &bits, sizeof a);
    return a;
}
inline f64 add(f64 a, f64 b) { return a + b; }
inline f64 sub(f64 a, f64 b) { return a - b; }
inline f64 mul(f64 a, f64 b) { return a * b; }
inline f64 div(f64 a, f64 b) { return a / b; }
#endif
TREEPAR_DEVICE f64 rem(f64 a, f64 b) { return fmod(a, b); }
TREEPAR_DEVICE f64 neg(f64 a) { return from_bits(to_bits(a) ^ 0x8000000000000000ull); }
// As for f32: a number wins over a NaN, and of two zeros the first is taken.
TREEPAR_DEVICE f64 least(f64 a, f64 b) { return a != a || b < a ? b : a; }
TREEPAR_DEVICE f64 greatest(f64 a, f64 b) { return a != a || a < b ? b : a; }

template <class To>
struct Cast<To, f64> {
    static TREEPAR_DEVICE To cast(f64 a) {
        constexpr To most = is_signed<To> ? To((To(1) << (width_of<To> - 2)) - 1 + (To(1) << (width_of<To> - 2))) : To(-1);
        constexpr To little = is_signed<To> ? To(-most - 1) : To(0);
        // The first float that is too large: a power of two.
        const f64 limit = 2.0 * f64(u64(1) << (width_of<To> - 1 - (is_signed<To> ? 1 : 0)));
        if (!(a == a)) {
            return To(0);
        }
        if (a >= limit) {
            return most;
        }
        if (is_signed<To> ? a < -limit : a <= -1.0) {
            return little;
        }
        return To(a);
    }
};
// Rounded to the nearest float; of two that are equally near, to the even one.
template <>
struct Cast<f32, f64> {
    static TREEPAR_DEVICE f32 cast(f64 a) { return f32(a); }
};
template <>
struct Cast<f64, f32> {
    static TREEPAR_DEVICE f64 cast(f32 a) { return f64(a); }
};
template <>
struct Cast<f64, f64> {
    static TREEPAR_DEVICE f64 cast(f64 a) { return a; }
};

}  // namespace treepar
