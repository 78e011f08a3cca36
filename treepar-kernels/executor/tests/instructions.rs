//! Instructions of one lane, compared with Rust on edge values.

mod support;

use std::cmp::Ordering::{Greater, Less};
use support::{binary, ternary, unary};

#[test]
fn arithmetic_of_integers_wraps() {
    binary("add.s32", |a: i32, b: i32| a.wrapping_add(b));
    binary("add.u16", |a: u16, b: u16| a.wrapping_add(b));
    binary("sub.s64", |a: i64, b: i64| a.wrapping_sub(b));
    binary("mul.lo.s32", |a: i32, b: i32| a.wrapping_mul(b));
    binary("mul.lo.u64", |a: u64, b: u64| a.wrapping_mul(b));
    binary("mul.lo.s16", |a: i16, b: i16| a.wrapping_mul(b));
    unary("neg.s32", |a: i32| a.wrapping_neg());
    unary("abs.s32", |a: i32| a.wrapping_abs());
    unary("abs.s64", |a: i64| a.wrapping_abs());
    ternary("mad.lo.s32", |a: i32, b: i32, c: i32| a.wrapping_mul(b).wrapping_add(c));
    ternary("sad.u32", |a: u32, b: u32, c: u32| a.abs_diff(b).wrapping_add(c));
    ternary("sad.s32", |a: i32, b: i32, c: i32| c.wrapping_add(a.abs_diff(b) as i32));
    binary("add.sat.s32", |a: i32, b: i32| a.saturating_add(b));
    binary("sub.sat.s32", |a: i32, b: i32| a.saturating_sub(b));
}

#[test]
fn wide_products() {
    binary("mul.wide.u16", |a: u16, b: u16| u32::from(a) * u32::from(b));
    binary("mul.wide.s16", |a: i16, b: i16| i32::from(a) * i32::from(b));
    binary("mul.wide.u32", |a: u32, b: u32| u64::from(a) * u64::from(b));
    binary("mul.wide.s32", |a: i32, b: i32| i64::from(a) * i64::from(b));
    binary("mul.hi.u32", |a: u32, b: u32| ((u64::from(a) * u64::from(b)) >> 32) as u32);
    binary("mul.hi.s32", |a: i32, b: i32| ((i64::from(a) * i64::from(b)) >> 32) as i32);
    binary("mul.hi.u64", |a: u64, b: u64| ((u128::from(a) * u128::from(b)) >> 64) as u64);
    binary("mul.hi.s64", |a: i64, b: i64| ((i128::from(a) * i128::from(b)) >> 64) as i64);
    ternary("mad.wide.u32", |a: u32, b: u32, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c));
    ternary("mad.hi.s32", |a: i32, b: i32, c: i32| (((i64::from(a) * i64::from(b)) >> 32) as i32).wrapping_add(c));
}

#[test]
fn quotients_of_integers() {
    binary("div.u32", |a: u32, b: u32| a.checked_div(b).unwrap_or(!0));
    binary("rem.u32", |a: u32, b: u32| a.checked_rem(b).unwrap_or(a));
    binary("div.s32", |a: i32, b: i32| if b == 0 { -1 } else { a.wrapping_div(b) });
    binary("rem.s32", |a: i32, b: i32| if b == 0 { a } else { a.wrapping_rem(b) });
    binary("div.u64", |a: u64, b: u64| a.checked_div(b).unwrap_or(!0));
    binary("rem.s64", |a: i64, b: i64| if b == 0 { a } else { a.wrapping_rem(b) });
    binary("div.u16", |a: u16, b: u16| a.checked_div(b).unwrap_or(!0));
}

#[test]
fn extremes_of_integers() {
    binary("min.s32", |a: i32, b: i32| a.min(b));
    binary("max.u32", |a: u32, b: u32| a.max(b));
    binary("min.u64", |a: u64, b: u64| a.min(b));
    binary("max.s64", |a: i64, b: i64| a.max(b));
    binary("max.u16", |a: u16, b: u16| a.max(b));
    binary("min.s16", |a: i16, b: i16| a.min(b));
}

#[test]
fn shifts_clamp() {
    binary("shl.b32", |a: u32, b: u32| if b > 31 { 0 } else { a << b });
    binary("shr.u32", |a: u32, b: u32| if b > 31 { 0 } else { a >> b });
    binary("shr.s32", |a: i32, b: u32| a >> b.min(31));
    binary("shl.b64", |a: u64, b: u32| if b > 63 { 0 } else { a << b });
    binary("shr.u64", |a: u64, b: u32| if b > 63 { 0 } else { a >> b });
    binary("shr.s64", |a: i64, b: u32| a >> b.min(63));
    binary("shl.b16", |a: u16, b: u32| if b > 15 { 0 } else { a << b });
    binary("shr.s16", |a: i16, b: u32| a >> b.min(15));
    let joined = |a: u32, b: u32| u64::from(b) << 32 | u64::from(a);
    ternary("shf.l.wrap.b32", |a: u32, b: u32, c: u32| (joined(a, b) << (c % 32) >> 32) as u32);
    ternary("shf.r.wrap.b32", |a: u32, b: u32, c: u32| (joined(a, b) >> (c % 32)) as u32);
    ternary("shf.l.clamp.b32", |a: u32, b: u32, c: u32| if c >= 32 { a } else { (joined(a, b) << c >> 32) as u32 });
    ternary("shf.r.clamp.b32", |a: u32, b: u32, c: u32| if c >= 32 { b } else { (joined(a, b) >> c) as u32 });
}

#[test]
fn logic() {
    binary("and.b16", |a: u16, b: u16| a & b);
    binary("or.b32", |a: u32, b: u32| a | b);
    binary("xor.b64", |a: u64, b: u64| a ^ b);
    unary("not.b64", |a: u64| !a);
    unary("not.b16", |a: u16| !a);
    unary("cnot.b32", |a: u32| u32::from(a == 0));
    binary("and.pred", |a: bool, b: bool| a & b);
    binary("xor.pred", |a: bool, b: bool| a ^ b);
    unary("not.pred", |a: bool| !a);
}

#[test]
fn logic_of_three_operands() {
    for table in [0x80u32, 0xfe, 0x96, 0xea, 0x1b, 0] {
        ternary_with(table);
    }
}

fn ternary_with(table: u32) {
    let edges = [0u32, !0, 0xf0f0_1234, 0x8000_0001];
    let rows: Vec<Vec<u64>> = (0..64).map(|k| [k & 3, k >> 2 & 3, k >> 4].map(|e| edges[e].into()).to_vec()).collect();
    let forms = [support::form::<u32>(); 3];
    let results = support::evaluate::<u32>(&format!("lop3.b32 %result, %a, %b, %c, {table};"), &forms, &rows);
    for (row, result) in rows.iter().zip(results) {
        let expected = (0..32).fold(0, |word, bit| {
            let index = row.iter().fold(0, |index, value| index << 1 | value >> bit & 1);
            word | u64::from(table >> index & 1) << bit
        });
        assert_eq!(result, expected, "{table:#x} {row:x?}");
    }
}

#[test]
fn counts_of_bits() {
    unary("popc.b32", |a: u32| a.count_ones());
    unary("popc.b64", |a: u64| a.count_ones());
    unary("clz.b32", |a: u32| a.leading_zeros());
    unary("clz.b64", |a: u64| a.leading_zeros());
    unary("brev.b32", |a: u32| a.reverse_bits());
    unary("brev.b64", |a: u64| a.reverse_bits());
    unary("bfind.u32", |a: u32| a.checked_ilog2().unwrap_or(!0));
    unary("bfind.s32", |a: i32| (if a < 0 { !a } else { a }).checked_ilog2().unwrap_or(!0));
    unary("bfind.shiftamt.u32", |a: u32| if a == 0 { !0 } else { 31 - a.ilog2() });
    unary("bfind.u64", |a: u64| a.checked_ilog2().unwrap_or(!0));
}

/// The manual's loop for `bfe`.
fn extracted(a: u64, at: u32, len: u32, signed: bool, bits: u32) -> u64 {
    let (at, len) = (at & 0xff, len & 0xff);
    let bit = |k: u32| a >> k & 1;
    let sign = if !signed || len == 0 { 0 } else { bit((at + len - 1).min(bits - 1)) };
    (0..bits).fold(0, |d, k| d | (if k < len && at + k < bits { bit(at + k) } else { sign }) << k)
}

#[test]
fn fields_of_bits() {
    ternary("bfe.u32", |a: u32, b: u32, c: u32| extracted(a.into(), b, c, false, 32) as u32);
    ternary("bfe.s32", |a: i32, b: u32, c: u32| extracted((a as u32).into(), b, c, true, 32) as i32);
    ternary("bfe.u64", |a: u64, b: u32, c: u32| extracted(a, b, c, false, 64));
    ternary("bfe.s64", |a: i64, b: u32, c: u32| extracted(a as u64, b, c, true, 64) as i64);
    for (at, len) in [(0, 32), (0, 0), (4, 8), (31, 1), (31, 5), (32, 4), (255, 255), (16, 16), (0, 255)] {
        let rows: Vec<Vec<u64>> = vec![vec![0xffff_ffff, 0], vec![0, 0xffff_ffff], vec![0x1234_5678, 0x9abc_def0]];
        let forms = [support::form::<u32>(); 2];
        let results = support::evaluate::<u32>(&format!("bfi.b32 %result, %a, %b, {at}, {len};"), &forms, &rows);
        for (row, result) in rows.iter().zip(results) {
            let expected = (0..32u32).fold(0, |d, k| {
                let inside = k >= at && k - at < len;
                d | (if inside { row[0] >> (k - at) } else { row[1] >> k } & 1) << k
            });
            assert_eq!(result, expected, "bfi {at} {len}");
        }
    }
}

#[test]
fn permutations_of_bytes() {
    let cases = [
        ("prmt.b32", 0x3210, 0x4433_2211u64),
        ("prmt.b32", 0x7654, 0x8877_6655),
        ("prmt.b32", 0x0246, 0x1133_5577),
        ("prmt.b32", 0xf888, 0xff00_0000),
        ("prmt.b32.f4e", 1, 0x5544_3322),
        ("prmt.b32.b4e", 1, 0x7788_1122),
        ("prmt.b32.rc8", 2, 0x3333_3333),
        ("prmt.b32.ecl", 2, 0x4433_3333),
        ("prmt.b32.ecr", 1, 0x2222_2211),
        ("prmt.b32.rc16", 1, 0x4433_4433),
    ];
    for (name, selector, expected) in cases {
        let instruction = format!("{name} %result, %a, %b, {selector};");
        let result =
            support::evaluate::<u32>(&instruction, &[support::form::<u32>(); 2], &[vec![0x4433_2211, 0x8877_6655]]);
        assert_eq!(result, [expected], "{name} {selector:#x}: {:#x}", result[0]);
    }
}

#[test]
fn comparisons() {
    binary("setp.lt.s32", |a: i32, b: i32| a < b);
    binary("setp.lt.u32", |a: u32, b: u32| a < b);
    binary("setp.hs.u32", |a: u32, b: u32| a >= b);
    binary("setp.eq.b64", |a: u64, b: u64| a == b);
    binary("setp.gt.s64", |a: i64, b: i64| a > b);
    binary("setp.le.s16", |a: i16, b: i16| a <= b);
    binary("setp.ne.s16", |a: i16, b: i16| a != b);
    binary("setp.eq.f32", |a: f32, b: f32| a == b);
    binary("setp.ne.f32", |a: f32, b: f32| !a.is_nan() && !b.is_nan() && a != b);
    binary("setp.neu.f32", |a: f32, b: f32| a != b);
    binary("setp.lt.f32", |a: f32, b: f32| a < b);
    binary("setp.geu.f32", |a: f32, b: f32| a.partial_cmp(&b) != Some(Less));
    binary("setp.leu.f64", |a: f64, b: f64| a.partial_cmp(&b) != Some(Greater));
    binary("setp.nan.f32", |a: f32, b: f32| a.is_nan() || b.is_nan());
    binary("setp.num.f64", |a: f64, b: f64| !a.is_nan() && !b.is_nan());
    binary("setp.lt.ftz.f32", |a: f32, b: f32| flushed(a) < flushed(b));
    ternary("setp.lt.and.s32", |a: i32, b: i32, c: bool| a < b && c);
    ternary("setp.eq.xor.u32", |a: u32, b: u32, c: bool| (a == b) ^ c);
    binary("set.lt.u32.s32", |a: i32, b: i32| if a < b { !0u32 } else { 0 });
    binary("set.ge.f32.u32", |a: u32, b: u32| if a >= b { 1f32 } else { 0.0 });
}

#[test]
fn selections() {
    ternary("selp.b32", |a: u32, b: u32, c: bool| if c { a } else { b });
    ternary("selp.u64", |a: u64, b: u64, c: bool| if c { a } else { b });
    ternary("slct.u32.s32", |a: u32, b: u32, c: i32| if c >= 0 { a } else { b });
    ternary("slct.u64.f32", |a: u64, b: u64, c: f32| if c >= 0.0 { a } else { b });
}

fn flushed(a: f32) -> f32 {
    if a.is_subnormal() { 0f32.copysign(a) } else { a }
}

fn canonical(a: f32) -> f32 {
    // By bits: LLVM may replace "one NaN for all NaNs" by the value itself.
    let bits = a.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { 0x7fff_ffff } else { bits })
}

#[test]
fn arithmetic_of_floats() {
    binary("add.f32", |a: f32, b: f32| canonical(a + b));
    binary("sub.rn.f32", |a: f32, b: f32| canonical(a - b));
    binary("mul.rn.f32", |a: f32, b: f32| canonical(a * b));
    binary("div.rn.f32", |a: f32, b: f32| canonical(a / b));
    binary("mul.rn.ftz.f32", |a: f32, b: f32| canonical(flushed(flushed(a) * flushed(b))));
    binary("add.sat.f32", |a: f32, b: f32| if (a + b).is_nan() { 0.0 } else { (a + b).clamp(0.0, 1.0) + 0.0 });
    ternary("fma.rn.f32", |a: f32, b: f32, c: f32| canonical(a.mul_add(b, c)));
    unary("sqrt.rn.f32", |a: f32| canonical(a.sqrt()));
    unary("rcp.rn.f32", |a: f32| canonical(1.0 / a));
    unary("neg.f32", |a: f32| -a);
    unary("abs.f32", |a: f32| a.abs());
    binary("add.f64", |a: f64, b: f64| std::hint::black_box(a) + b);
}

/// The negative zero is less than the positive one. A NaN loses.
fn least(a: f32, b: f32) -> f32 {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => canonical(a),
        (true, false) => b,
        (false, true) => a,
        _ if a == 0.0 && b == 0.0 => {
            if a.is_sign_negative() {
                a
            } else {
                b
            }
        }
        _ => a.min(b),
    }
}

#[test]
fn extremes_of_floats() {
    binary("min.f32", least);
    binary("max.f32", |a: f32, b: f32| canonical(-least(-a, -b)));
    binary("min.NaN.f32", |a: f32, b: f32| if a.is_nan() || b.is_nan() { canonical(f32::NAN) } else { least(a, b) });
}

/// Checks a directed rounding against its definition, by exact products.
#[test]
fn directed_roundings() {
    fn down(exact: f64) -> f32 {
        let nearest = exact as f32;
        if f64::from(nearest) > exact { nearest.next_down() } else { nearest }
    }
    fn up(exact: f64) -> f32 {
        -down(-exact)
    }
    binary("mul.rm.f32", |a: f32, b: f32| canonical(down(f64::from(a) * f64::from(b))));
    binary("mul.rp.f32", |a: f32, b: f32| canonical(up(f64::from(a) * f64::from(b))));
    binary("mul.rz.f32", |a: f32, b: f32| {
        let exact = f64::from(a) * f64::from(b);
        canonical(if exact < 0.0 { up(exact) } else { down(exact) })
    });
    // Neither sum is exact in double precision: 1 + 1e-40, and 3.4e38 - 1e-40.
    let rows = vec![
        vec![1f32.to_bits().into(), 1e-40f32.to_bits().into()],
        vec![f32::MAX.to_bits().into(), (-1e-40f32).to_bits().into()],
    ];
    let forms = [support::form::<f32>(); 2];
    let results = |name: &str| support::evaluate::<f32>(&format!("{name} %result, %a, %b;"), &forms, &rows);
    let bits = |values: [f32; 2]| values.map(|value| u64::from(value.to_bits())).to_vec();
    assert_eq!(results("add.rp.f32"), bits([1f32.next_up(), f32::MAX]));
    assert_eq!(results("add.rm.f32"), bits([1.0, f32::MAX.next_down()]));
    assert_eq!(results("add.rz.f32"), bits([1.0, f32::MAX.next_down()]));
    // An exact zero is negative only if rounded down.
    let rows = vec![vec![1f32.to_bits().into(), (-1f32).to_bits().into()], vec![0, 0]];
    assert_eq!(support::evaluate::<f32>("add.rm.f32 %result, %a, %b;", &forms, &rows), bits([-0.0, 0.0]));
    assert_eq!(support::evaluate::<f32>("add.rp.f32 %result, %a, %b;", &forms, &rows), bits([0.0, 0.0]));
}

#[test]
fn conversions_of_integers() {
    unary("cvt.u64.u32", |a: u32| u64::from(a));
    unary("cvt.s64.s32", |a: i32| i64::from(a));
    unary("cvt.s32.s8", |a: i32| i32::from(a as i8));
    unary("cvt.u16.u8", |a: u16| a & 0xff);
    unary("cvt.s32.s16", |a: i16| i32::from(a));
    unary("cvt.u32.u16", |a: u16| u32::from(a));
    unary("cvt.u32.u64", |a: u64| a as u32);
    unary("cvt.s16.s8", |a: i16| i16::from(a as i8));
    unary("cvt.u32.u8", |a: u32| a & 0xff);
    unary("cvt.sat.u8.s32", |a: i32| u32::from(a.clamp(0, 255) as u8));
    unary("cvt.sat.s8.s32", |a: i32| i32::from(a.clamp(-128, 127) as i8));
    unary("cvt.sat.u32.s64", |a: i64| a.clamp(0, u32::MAX.into()) as u32);
    unary("cvt.sat.s32.u64", |a: u64| a.min(i32::MAX as u64) as i32);
    // Registers may be wider than types.
    unary("cvt.s8.s64", |a: i64| a as i8 as i64);
    unary("cvt.u64.u16", |a: u64| a & 0xffff);
}

#[test]
fn conversions_of_floats() {
    unary("cvt.rn.f32.u64", |a: u64| a as f32);
    unary("cvt.rn.f32.s32", |a: i32| a as f32);
    unary("cvt.rn.f64.s64", |a: i64| a as f64);
    unary("cvt.rzi.s32.f32", |a: f32| a as i32);
    unary("cvt.rzi.u32.f32", |a: f32| a as u32);
    unary("cvt.rzi.u16.f32", |a: f32| a as u16);
    unary("cvt.rni.s32.f32", |a: f32| a.round_ties_even() as i32);
    unary("cvt.rmi.s64.f32", |a: f32| if a.is_nan() { i64::MIN } else { a.floor() as i64 });
    unary("cvt.rpi.u64.f64", |a: f64| if a.is_nan() { 1 << 63 } else { a.ceil() as u64 });
    unary("cvt.f64.f32", |a: f32| f64::from(a));
    unary("cvt.rn.f32.f64", |a: f64| canonical(a as f32));
    unary("cvt.rz.f32.u32", |a: u32| {
        let nearest = a as f32;
        if f64::from(nearest) > f64::from(a) { nearest.next_down() } else { nearest }
    });
    unary("cvt.rni.f32.f32", |a: f32| canonical(a.round_ties_even()));
    unary("cvt.ftz.f32.f32", flushed);
    unary("cvt.sat.f32.f32", |a: f32| if a.is_nan() { 0.0 } else { a.clamp(0.0, 1.0) + 0.0 });
}

#[test]
fn carries() {
    let wide = "{ .reg .b32 %l<4>, %h<4>; mov.b64 {%l0, %h0}, %a; mov.b64 {%l1, %h1}, %b;
        OPERATION.cc.u32 %l2, %l0, %l1; OPERATIONc.u32 %h2, %h0, %h1; mov.b64 %result, {%l2, %h2}; }";
    type Operation = fn(u64, u64) -> u64;
    for (name, of) in [("add", u64::wrapping_add as Operation), ("sub", u64::wrapping_sub)] {
        let edges = [0, 1, u64::MAX, 1 << 32, u32::MAX.into(), 1 << 63];
        let rows: Vec<Vec<u64>> = edges.iter().flat_map(|&a| edges.map(|b| vec![a, b])).collect();
        let results = support::evaluate::<u64>(&wide.replace("OPERATION", name), &[support::form::<u64>(); 2], &rows);
        for (row, result) in rows.iter().zip(results) {
            assert_eq!(result, of(row[0], row[1]), "{name} {row:x?}");
        }
    }
}

#[test]
fn vectors_of_registers() {
    let swap = "{ .reg .b32 %l, %h; mov.b64 {%l, %h}, %a; mov.b64 %result, {%h, %l}; }";
    assert_eq!(support::evaluate::<u64>(swap, &[support::form::<u64>()], &[vec![0x1_0000_0002]]), [0x2_0000_0001]);
    let halves = "{ .reg .b16 %l, %h; mov.b32 {%l, %h}, %a; mov.b32 %result, {%h, %l}; }";
    assert_eq!(support::evaluate::<u32>(halves, &[support::form::<u32>()], &[vec![0x1111_2222]]), [0x2222_1111]);
    let high = "{ .reg .b32 %h; mov.b64 {_, %h}, %a; mov.b32 %result, %h; }";
    assert_eq!(support::evaluate::<u32>(high, &[support::form::<u64>()], &[vec![7 << 32]]), [7]);
    let both = "{ .reg .pred %p, %q; setp.lt.s32 %p|%q, %a, 5; selp.b32 %result, 1, 2, %q; @%p mov.b32 %result, 3; }";
    assert_eq!(support::evaluate::<u32>(both, &[support::form::<u32>()], &[vec![4], vec![5]]), [3, 1]);
}

#[test]
fn unknown_instructions_are_named_with_their_line() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry e()\n{\n.reg .b32 %r<4>;\n INSTRUCTION \nret;\n}";
    for (instruction, problem) in [
        ("frobnicate.u32 %r1, %r2;", "unknown instruction `frobnicate.u32`"),
        ("add.u31 %r1, %r2, %r3;", "unknown instruction `add.u31`"),
        ("ld.global.f16 %r1, [%r2];", "unknown instruction `ld.global.f16`"),
        ("add.s32 %r1, %r2;", "3 operands are expected"),
        ("add.s64 %r1, %r2, %r3;", "an operand is a Word, not a Long"),
        ("add.s32 %r1, %r2, %r9;", "no register `%r9` is declared"),
        ("bra NOWHERE;", "no label `NOWHERE` is defined"),
        ("ld.global.u32 %r1, [nothing];", "no variable `nothing` is declared"),
        ("mov.u32 %r1, %envreg3;", "special register `%envreg3` is not known"),
        ("shfl.idx.b32 %r1, %r2, %r3, 31;", "unknown instruction `shfl.idx.b32`"),
    ] {
        let error = treepar_executor::Module::parse(&text.replace("INSTRUCTION", instruction)).unwrap_err();
        assert_eq!((error.line, &*error.problem, &*error.text), (7, problem, instruction), "{error}");
    }
}
