//! Kernels of one instruction, and kernels given as text.

#![allow(dead_code)]

use treepar_executor::{Counts, Fault, Launch, Machine, Memory, Module};

/// A type of PTX, with values that are likely to be treated wrongly.
pub trait Value: Copy + 'static {
    /// The type of a register.
    const REGISTER: &'static str;
    /// Instructions that make a value `%from` of the low bits of `%bits`.
    const LOAD: &'static str;
    /// Instructions that make `%bits` of `%result`.
    const STORE: &'static str;
    fn bits(self) -> u64;
    fn edges() -> Vec<Self>;
}

macro_rules! integers {
    ($($ty:ident $unsigned:ident $register:literal $load:literal $store:literal,)*) => {$(impl Value for $ty {
        const REGISTER: &'static str = $register;
        const LOAD: &'static str = $load;
        const STORE: &'static str = $store;
        fn bits(self) -> u64 {
            self as $unsigned as u64
        }
        fn edges() -> Vec<$ty> {
            let bits = $ty::BITS;
            let mut all = vec![0, 1, 2, 3, 7, 31, 32, 33, 100, $ty::MIN, $ty::MAX, $ty::MIN + 1, $ty::MAX - 1];
            all.extend([1 << (bits - 1), 1 << (bits / 2), (1 << (bits / 2)) - 1, !0, !1, (0x9e3779b97f4a7c15u64 >> 3) as $ty]);
            all
        }
    })*};
}

integers! {
    u16 u16 ".b16" "cvt.u16.u64 %from, %bits;" "cvt.u64.u16 %bits, %result;",
    i16 u16 ".b16" "cvt.u16.u64 %from, %bits;" "cvt.u64.u16 %bits, %result;",
    u32 u32 ".b32" "cvt.u32.u64 %from, %bits;" "cvt.u64.u32 %bits, %result;",
    i32 u32 ".b32" "cvt.u32.u64 %from, %bits;" "cvt.u64.u32 %bits, %result;",
    u64 u64 ".b64" "mov.u64 %from, %bits;" "mov.u64 %bits, %result;",
    i64 u64 ".b64" "mov.u64 %from, %bits;" "mov.u64 %bits, %result;",
}

impl Value for f32 {
    const REGISTER: &'static str = ".f32";
    const LOAD: &'static str = "{ .reg .b32 %low; cvt.u32.u64 %low, %bits; mov.b32 %from, %low; }";
    const STORE: &'static str = "{ .reg .b32 %low; mov.b32 %low, %result; cvt.u64.u32 %bits, %low; }";
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
    fn edges() -> Vec<f32> {
        let positive = [
            0.0,
            1.0,
            1.5,
            0.5,
            3.0,
            0.1,
            1e-40,
            f32::MIN_POSITIVE,
            f32::MAX,
            f32::INFINITY,
            2147483648.0,
            1e10,
            16777217.0,
            0.49999997,
        ];
        positive.into_iter().flat_map(|value| [value, -value]).chain([f32::NAN]).collect()
    }
}

impl Value for f64 {
    const REGISTER: &'static str = ".f64";
    const LOAD: &'static str = "mov.b64 %from, %bits;";
    const STORE: &'static str = "mov.b64 %bits, %result;";
    fn bits(self) -> u64 {
        self.to_bits()
    }
    fn edges() -> Vec<f64> {
        let positive = [0.0, 1.0, 1.5, 0.1, 1e-310, 1e-45, f64::MAX, f64::INFINITY, 4294967296.5, 1e20, 16777217.0];
        positive.into_iter().flat_map(|value| [value, -value]).chain([f64::NAN]).collect()
    }
}

impl Value for bool {
    const REGISTER: &'static str = ".pred";
    const LOAD: &'static str = "setp.ne.s64 %from, %bits, 0;";
    const STORE: &'static str = "selp.u64 %bits, 1, 0, %result;";
    fn bits(self) -> u64 {
        self.into()
    }
    fn edges() -> Vec<bool> {
        vec![false, true]
    }
}

/// The form of an operand: its register and how it is loaded.
#[derive(Clone, Copy)]
pub struct Form(pub &'static str, pub &'static str);

pub fn form<T: Value>() -> Form {
    Form(T::REGISTER, T::LOAD)
}

/// Returns the bits of an instruction's results. `{}` of the instruction is not replaced: it uses `%result`, `%a`, `%b`, `%c`
/// and `%d`.
pub fn evaluate<R: Value>(instruction: &str, forms: &[Form], rows: &[Vec<u64>]) -> Vec<u64> {
    let names = ["%a", "%b", "%c", "%d"];
    let mut body = String::new();
    for (k, Form(register, load)) in forms.iter().enumerate() {
        body += &format!(".reg {register} {};\n", names[k]);
        body += &format!("ld.global.u64 %bits, [%in + {}];\n{}\n", 8 * k, load.replace("%from", names[k]));
    }
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry one(.param .u64 in, .param .u64 out, .param .u32 rows)\n{{
        .reg .b64 %in, %out, %bits; .reg .b32 %t, %u, %rows; .reg .pred %outside; .reg {result} %result;
        ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %rows, [rows];
        mov.u32 %t, %tid.x; mov.u32 %u, %ctaid.x; mad.lo.s32 %t, %u, 64, %t;
        setp.ge.u32 %outside, %t, %rows;
        @%outside bra END;
        mul.wide.u32 %bits, %t, {width}; add.s64 %in, %in, %bits;
        mul.wide.u32 %bits, %t, 8; add.s64 %out, %out, %bits;
        {body}
        {instruction}
        {store}
        st.global.u64 [%out], %bits;
        END: ret;\n}}",
        result = R::REGISTER,
        width = 8 * forms.len(),
        store = R::STORE,
    );
    let module = Module::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut memory = Memory::new();
    let flat: Vec<u8> = rows.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
    let (input, output) = (memory.allocate(flat.len()), memory.allocate(rows.len() * 8));
    memory.write(input, &flat).unwrap();
    let arguments: Vec<u8> =
        [input, output, rows.len() as u64].iter().flat_map(|value| value.to_le_bytes()).take(20).collect();
    let entry = module.entry("one").unwrap();
    let grid = [(rows.len() as u32).div_ceil(64), 1, 1];
    let launch = Launch { entry, grid, block: [64, 1, 1], shared: 0, arguments: &arguments };
    Machine::default().launch(&mut memory, launch).unwrap_or_else(|fault| panic!("{fault}\n{text}"));
    let mut bytes = vec![0; rows.len() * 8];
    memory.read(output, &mut bytes).unwrap();
    bytes.as_chunks::<8>().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect()
}

/// Compares an instruction of one operand with a function, for all edges.
pub fn unary<A: Value, R: Value>(instruction: &str, of: impl Fn(A) -> R) {
    let all = A::edges();
    let rows: Vec<Vec<u64>> = all.iter().map(|a| vec![a.bits()]).collect();
    let results = evaluate::<R>(&format!("{instruction} %result, %a;"), &[form::<A>()], &rows);
    for (a, result) in all.iter().zip(results) {
        assert_eq!(result, of(*a).bits(), "{instruction} of {:#x}: {result:#x}", a.bits());
    }
}

/// Compares an instruction of two operands with a function, for all pairs of edges.
pub fn binary<A: Value, B: Value, R: Value>(instruction: &str, of: impl Fn(A, B) -> R) {
    let all: Vec<(A, B)> = A::edges().iter().flat_map(|&a| B::edges().into_iter().map(move |b| (a, b))).collect();
    let rows: Vec<Vec<u64>> = all.iter().map(|(a, b)| vec![a.bits(), b.bits()]).collect();
    let results = evaluate::<R>(&format!("{instruction} %result, %a, %b;"), &[form::<A>(), form::<B>()], &rows);
    for ((a, b), result) in all.iter().zip(results) {
        assert_eq!(result, of(*a, *b).bits(), "{instruction} of {:#x}, {:#x}: {result:#x}", a.bits(), b.bits());
    }
}

/// Compares an instruction of three operands with a function, for all triples of edges.
pub fn ternary<A: Value, B: Value, C: Value, R: Value>(instruction: &str, of: impl Fn(A, B, C) -> R) {
    let mut all = Vec::new();
    for &a in &A::edges() {
        for &b in &B::edges() {
            all.extend(C::edges().into_iter().map(|c| (a, b, c)));
        }
    }
    let rows: Vec<Vec<u64>> = all.iter().map(|(a, b, c)| vec![a.bits(), b.bits(), c.bits()]).collect();
    let forms = [form::<A>(), form::<B>(), form::<C>()];
    let results = evaluate::<R>(&format!("{instruction} %result, %a, %b, %c;"), &forms, &rows);
    for ((a, b, c), result) in all.iter().zip(results) {
        let (expected, all) = (of(*a, *b, *c).bits(), [a.bits(), b.bits(), c.bits()]);
        assert_eq!(result, expected, "{instruction} of {all:#x?}: {result:#x}");
    }
}

/// Runs an entry `main(.param .u64 words)` on a column of words, whose bytes are all written.
pub fn run(machine: &Machine, body: &str, grid: u32, block: u32, words: &mut [u32]) -> Result<Counts, Fault> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry main(.param .u64 words)\n{{
        .reg .b64 %words, %rd<20>; .reg .b32 %r<40>; .reg .pred %p<20>; .reg .b32 %tid, %ctaid;
        ld.param.u64 %words, [words]; mov.u32 %tid, %tid.x; mov.u32 %ctaid, %ctaid.x;\n{body}\n}}"
    );
    let module = Module::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    launch(machine, &module, grid, block, words)
}

/// Runs the entry `main` of a module on a column of words.
pub fn launch(machine: &Machine, module: &Module, grid: u32, block: u32, words: &mut [u32]) -> Result<Counts, Fault> {
    let mut module = module.clone();
    let mut memory = Memory::new();
    module.load(&mut memory)?;
    let column = memory.allocate(words.len() * 4);
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.write(column, &bytes)?;
    let entry = module.entry("main").expect("an entry");
    let arguments = column.to_le_bytes();
    let launch = Launch { entry, grid: [grid, 1, 1], block: [block, 1, 1], shared: 0, arguments: &arguments };
    let counts = machine.launch(&mut memory, launch)?;
    memory.read(column, &mut bytes)?;
    words.iter_mut().zip(bytes.as_chunks::<4>().0).for_each(|(word, bytes)| *word = u32::from_le_bytes(*bytes));
    Ok(counts)
}
