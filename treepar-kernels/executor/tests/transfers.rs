//! Loads and stores of all lanes at once, compared with those of lane after lane: generic addresses are accessed so.

mod support;

use support::run;
use treepar_executor::{FaultKind, Machine};

/// The words of memory that lanes access, before those of the results.
const WORDS: u32 = 256;

/// The elements that an instruction may have, and the register of one.
const ELEMENTS: [(&str, &str, usize); 13] = [
    ("u8", "%r", 1),
    ("s8", "%r", 1),
    ("u16", "%r", 1),
    ("s16", "%r", 1),
    ("u32", "%r", 1),
    ("u64", "%rd", 1),
    ("v2.u8", "%r", 2),
    ("v4.s8", "%r", 4),
    ("v2.u16", "%r", 2),
    ("v4.u16", "%r", 4),
    ("v2.u32", "%r", 2),
    ("v4.u32", "%r", 4),
    ("v2.u64", "%rd", 2),
];

/// Instructions that compute the offset `%r10` of lane `%tid`, as a multiple of the size `%r11` of what it accesses.
const PATTERNS: [(&str, &str); 8] = [
    ("one for all", "mov.u32 %r10, 4;"),
    ("a row", "add.u32 %r10, %tid, 4;"),
    ("a row backwards", "sub.u32 %r10, 35, %tid;"),
    ("every second", "shl.b32 %r10, %tid, 1;"),
    ("some several times", "mul.lo.u32 %r10, %tid, 7; rem.u32 %r10, %r10, 11;"),
    ("a row with a gap", "setp.gt.u32 %p2, %tid, 20; selp.u32 %r10, 1, 0, %p2; add.u32 %r10, %r10, %tid;"),
    ("one far outside", "setp.eq.u32 %p2, %tid, 19; selp.u32 %r10, 100000, 3, %p2;"),
    ("a row over the end", "div.u32 %r10, 1024, %r11; sub.u32 %r10, %r10, 20; add.u32 %r10, %r10, %tid;"),
];

/// Conditions of the lanes that access memory.
const LANES: [&str; 4] = [
    "setp.ge.u32 %p1, %tid, 0;",
    "setp.lt.u32 %p1, %tid, 13;",
    "and.b32 %r12, %tid, 1; setp.eq.u32 %p1, %r12, 1;",
    "setp.eq.u32 %p1, %tid, 19;",
];

/// Returns memory after a kernel of one warp, in which `space` is part of the instruction, or the fault and its thread.
fn memory(
    space: &str,
    setup: &str,
    instruction: &str,
    elements: (&str, &str, usize),
) -> Result<Vec<u32>, (FaultKind, u32)> {
    let (ty, register, count) = elements;
    let registers: Vec<String> = (1..=count).map(|k| format!("{register}{k}")).collect();
    let list = if count > 1 { format!("{{{}}}", registers.join(", ")) } else { registers[0].clone() };
    let value = |k: usize| match register {
        "%r" => format!("mad.lo.u32 %r{k}, %tid, 0x9e3779b1, {k};\n"),
        _ => format!("cvt.u64.u32 %rd{k}, %tid; mad.lo.u64 %rd{k}, %rd{k}, 0x9e3779b97f4a7c15, {k};\n"),
    };
    let values: String = (1..=count).map(value).collect();
    let access = match instruction {
        "ld" => format!("@%p1 ld.{space}{ty} {list}, [%rd10];"),
        _ => format!("@%p1 st.{space}{ty} [%rd10], {list};"),
    };
    let result = |k: usize| {
        let wide =
            if register == "%r" { format!("cvt.u64.u32 %rd12, %r{k};") } else { format!("mov.u64 %rd12, %rd{k};") };
        format!("{wide} st.u64 [%rd11 + {}], %rd12;\n", 8 * (k - 1))
    };
    let results: String = (1..=count).map(result).collect();
    let body = format!(
        "{values}{setup}
        mul.lo.u32 %r10, %r10, %r11; cvt.u64.u32 %rd10, %r10; add.u64 %rd10, %rd10, %words;
        {access}
        mul.wide.u32 %rd11, %tid, 32; add.u64 %rd11, %rd11, %words; add.u64 %rd11, %rd11, {};
        {results}ret;",
        4 * WORDS
    );
    let mut words: Vec<u32> = (0..WORDS * 2).map(|k| k.wrapping_mul(0x85eb_ca6b) ^ k << 7).collect();
    match run(&Machine::default(), &body, 1, 32, &mut words) {
        Ok(_) => Ok(words),
        Err(fault) => Err((fault.kind, fault.site.unwrap().thread)),
    }
}

#[test]
fn lanes_at_once_access_what_lane_after_lane_does() {
    let (mut same, mut faults) = (0, 0);
    for elements in ELEMENTS {
        let (ty, _, count) = elements;
        let bits: usize = ty.rsplit(['u', 's']).next().unwrap().parse().unwrap();
        for (pattern, offset) in PATTERNS {
            // A byte more is misaligned in some lanes, except for single bytes.
            let sizes = [bits * count / 8, bits * count / 8 + 1];
            let cases = sizes.into_iter().flat_map(|size| LANES.map(|lanes| (size, lanes)));
            for ((size, lanes), instruction) in
                cases.flat_map(|case| ["ld", "st"].map(|instruction| (case, instruction)))
            {
                let setup = format!("mov.u32 %r11, {size}; {offset} {lanes}");
                let at_once = memory("global.", &setup, instruction, elements);
                let one_by_one = memory("", &setup, instruction, elements);
                assert_eq!(at_once, one_by_one, "{instruction} {ty} of {size} bytes, {pattern}, {lanes}");
                same += usize::from(at_once.is_ok());
                faults += usize::from(at_once.is_err());
            }
        }
    }
    assert!(same > 500 && faults > 200, "{same} without a fault, {faults} with one");
}
