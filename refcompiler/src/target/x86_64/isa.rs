//! The instructions of x86-64 that the compiler emits: one table, from which encoding, decoding and assembly text follow.
//!
//! ```text
//! prefix   REX        opcode    ModRM          SIB                  offset or immediate
//! [66 f3]  0100WRXB   1 or 2    mod reg r/m    scale index base     0, 1 or 4 bytes
//! ```
//!
//! The number of bytes of an instruction depends on its operation, and on whether a register [needs](NEEDS_REX) the REX prefix. Offsets and
//! immediates of 8 and of 32 bits belong to different operations. A base is neither `rsp` nor `r12`, which would need one byte more; `rsp`
//! has operations of its own.
//!
//! Vector instructions have operations for their forms only. The immediate of such an operation has the opcode, the prefixes and the
//! offset or number; see [`vectors`](super::vectors).
//!
//! ```text
//! byte of the immediate    0 opcode    1 prefix, or byte with vvvv    2 byte with the map    3 offset or number
//! SSE    [1] REX 0f [0] ModRM ..       VEX   c4 [2] [1] [0] ModRM ..       EVEX   62 [2] [1] 48 [0] ModRM ..
//! ```
//!
//! An operation is a row number of this table. Operands are written as in assembly, the destination last. Their letters give the
//! width: `r` 32 bits, `q` 64, `w` 16, `b` 8, and `f` a float register.

/// In the table: no REX prefix.
pub const NO_REX: u8 = 0;
/// A REX prefix, if a register needs it. Encoding adds the high bits of registers.
pub const REX: u8 = 0x40;
/// A REX prefix, also if no register needs it.
pub const REX_KEPT: u8 = 4;
/// A REX prefix of an operation on 64 bits, to which the same bits are added.
pub const REX_W: u8 = 0x48;
/// A VEX prefix of three bytes, instead of a REX prefix.
pub const VEX: u8 = 1;
/// An EVEX prefix for registers of 512 bits.
pub const EVEX: u8 = 2;
/// The same, with the mask `k1`.
pub const EVEX_MASK: u8 = 3;

/// The form of an instruction: the registers of its fields, and its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Form {
    /// No registers.
    BARE,
    /// r/m is rd, reg is rs1.
    TO,
    /// reg is rd, r/m is rs1.
    FROM,
    /// r/m is rs1, reg is rs2.
    PAIR,
    /// reg is rs1, r/m is rs2.
    COMPARE,
    /// r/m is rd.
    ONE,
    /// r/m is rs1.
    READ,
    /// rd is a part of the opcode.
    PLUS,
    /// A distance of 8 bits from the end of the instruction.
    JUMP8,
    /// A distance of 32 bits from the end of the instruction.
    JUMP32,
    /// reg is rd; rs1 and 8 bits.
    LOAD8,
    /// reg is rd; rs1 and 32 bits.
    LOAD32,
    /// reg is rd; rsp and 8 bits.
    LOADSP8,
    /// reg is rd; rsp and 32 bits.
    LOADSP32,
    /// reg is rd; rs1, four times rs2, and 8 bits.
    LOADAT,
    /// reg is rd; 32 bits from the end of the instruction.
    LOADRIP,
    /// reg is rd; rs1, rs2, and 8 bits.
    LOADONCE,
    /// reg is rd; rs1, twice rs2, and 8 bits.
    LOADTWICE,
    /// reg is rs2; rs1 and 8 bits.
    STORE8,
    /// reg is rs2; rs1 and 32 bits.
    STORE32,
    /// reg is rs2; rsp and 8 bits.
    STORESP8,
    /// reg is rs2; rsp and 32 bits.
    STORESP32,
    /// reg is rd; rs1, four times rs2, and 8 bits.
    STOREAT,
    /// A vector instruction: reg is rd, r/m is rs1.
    VECTOR,
    /// A vector instruction with three registers: reg is rd, vvvv is rs1, r/m is rs2.
    VECTOR3,
    /// A vector instruction on memory: reg is rd; rs1, rs2, and 8 bits.
    VECTORAT1,
    /// The same, with twice rs2.
    VECTORAT2,
    /// The same, with four times rs2.
    VECTORAT4,
    /// A vector instruction on a register and memory: reg is rd, vvvv is rs1; rs2, rax, and 8 bits.
    VECTORMEM1,
    /// The same, with twice rax.
    VECTORMEM2,
    /// The same, with four times rax.
    VECTORMEM4,
}

impl Form {
    /// Returns whether the immediate has the opcode.
    pub const fn is_vector(self) -> bool {
        matches!(self, Form::VECTOR | Form::VECTOR3) || self.is_vector_memory()
    }

    /// Returns whether this is the form of a vector instruction on memory.
    pub const fn is_vector_memory(self) -> bool {
        matches!(self, Form::VECTORAT1 | Form::VECTORAT2 | Form::VECTORAT4) || self.has_memory_operand()
    }

    /// Returns whether this is the form of a vector instruction on a register and memory.
    pub const fn has_memory_operand(self) -> bool {
        matches!(self, Form::VECTORMEM1 | Form::VECTORMEM2 | Form::VECTORMEM4)
    }
}

/// The fields of an instruction that take registers.
#[derive(Clone, Copy)]
enum Field {
    None,
    Rd,
    Rs1,
    Rs2,
}

/// The parts of a form.
struct Shape {
    reg: Field,
    rm: Field,
    index: Field,
    source: Field,
    /// `true` if there is a ModRM byte.
    has_modrm: bool,
    /// The bits of mod and r/m that no register fills.
    modrm: u8,
    /// The SIB byte without registers, if there is one.
    sib: Option<u8>,
    /// The number of bytes of the distance or offset.
    offset: u8,
}

const fn shape(form: Form) -> Shape {
    use Field::{None as No, Rd, Rs1, Rs2};
    // Values of r/m: a SIB byte follows; an offset from the end of the instruction.
    const SIB: u8 = 4;
    const RIP: u8 = 5;
    // Values of mod: no memory, an offset of 8 bits, an offset of 32 bits.
    const REGISTERS: u8 = 3 << 6;
    const NEAR: u8 = 1 << 6;
    const FAR: u8 = 2 << 6;
    // SIB bytes: rsp without an index; two and four times an index.
    const RSP: u8 = 4 << 3 | 4;
    const TWO: u8 = 1 << 6;
    const FOUR: u8 = 2 << 6;
    let source = if matches!(form, Form::VECTOR3) || form.has_memory_operand() { Rs1 } else { No };
    let (reg, rm, index, has_modrm, modrm, sib, offset) = match form {
        Form::BARE => (No, No, No, false, 0, None, 0),
        Form::TO => (Rs1, Rd, No, true, REGISTERS, None, 0),
        Form::FROM => (Rd, Rs1, No, true, REGISTERS, None, 0),
        Form::PAIR => (Rs2, Rs1, No, true, REGISTERS, None, 0),
        Form::COMPARE => (Rs1, Rs2, No, true, REGISTERS, None, 0),
        Form::ONE => (No, Rd, No, true, REGISTERS, None, 0),
        Form::READ => (No, Rs1, No, true, REGISTERS, None, 0),
        Form::PLUS => (No, Rd, No, false, 0, None, 0),
        Form::JUMP8 => (No, No, No, false, 0, None, 1),
        Form::JUMP32 => (No, No, No, false, 0, None, 4),
        Form::LOAD8 => (Rd, Rs1, No, true, NEAR, None, 1),
        Form::LOAD32 => (Rd, Rs1, No, true, FAR, None, 4),
        Form::LOADSP8 => (Rd, No, No, true, NEAR | SIB, Some(RSP), 1),
        Form::LOADSP32 => (Rd, No, No, true, FAR | SIB, Some(RSP), 4),
        Form::LOADRIP => (Rd, No, No, true, RIP, None, 4),
        Form::STORE8 => (Rs2, Rs1, No, true, NEAR, None, 1),
        Form::STORE32 => (Rs2, Rs1, No, true, FAR, None, 4),
        Form::STORESP8 => (Rs2, No, No, true, NEAR | SIB, Some(RSP), 1),
        Form::STORESP32 => (Rs2, No, No, true, FAR | SIB, Some(RSP), 4),
        Form::VECTOR => (Rd, Rs1, No, true, REGISTERS, None, 0),
        Form::VECTOR3 => (Rd, Rs2, No, true, REGISTERS, None, 0),
        Form::LOADONCE | Form::VECTORAT1 => (Rd, Rs1, Rs2, true, NEAR | SIB, Some(0), 1),
        Form::LOADTWICE | Form::VECTORAT2 => (Rd, Rs1, Rs2, true, NEAR | SIB, Some(TWO), 1),
        // The number of rax is 0, as that of no index.
        Form::VECTORMEM1 => (Rd, Rs2, No, true, NEAR | SIB, Some(0), 1),
        Form::VECTORMEM2 => (Rd, Rs2, No, true, NEAR | SIB, Some(TWO), 1),
        Form::VECTORMEM4 => (Rd, Rs2, No, true, NEAR | SIB, Some(FOUR), 1),
        Form::LOADAT | Form::STOREAT | Form::VECTORAT4 => (Rd, Rs1, Rs2, true, NEAR | SIB, Some(FOUR), 1),
    };
    Shape { reg, rm, index, source, has_modrm, modrm, sib, offset }
}

/// The number of bytes of each row of the tables below. No instruction is longer.
pub const LIMIT: usize = 16;

/// The content of a byte in addition to its [base](BASE).
pub mod slot {
    /// Nothing.
    pub const FIXED: u8 = 0;
    /// The high bits of all registers.
    pub const REX: u8 = 1;
    /// The lower bits of the register of r/m.
    pub const RM: u8 = 2;
    /// The lower bits of the register of reg.
    pub const REG: u8 = 3;
    /// The lower bits of the registers of reg and r/m.
    pub const BOTH: u8 = 4;
    /// The lower bits of the registers of index and r/m.
    pub const SIB: u8 = 5;
    /// The third byte of the immediate, with the inverted high bits of reg, index and r/m.
    pub const VEX_HIGH: u8 = 6;
    /// The second byte of the immediate, with the inverted register vvvv.
    pub const VEX_SOURCE: u8 = 7;
    /// The lowest byte of the offset or immediate. The next bytes have the next numbers.
    pub const VALUE: u8 = 8;
}

/// The bytes of an operation.
struct Bytes {
    count: u8,
    base: [u8; LIMIT],
    slot: [u8; LIMIT],
}

impl Bytes {
    const fn with(mut self, base: u8, slot: u8) -> Bytes {
        self.base[self.count as usize] = base;
        self.slot[self.count as usize] = slot;
        self.count += 1;
        self
    }
}

/// Returns the bytes of an operation. `digit` is the content of reg if no register is.
const fn bytes(form: Form, prefix: u8, rex: u8, opcode: u32, digit: u8, immediate: u8) -> Bytes {
    let shape = shape(form);
    if form.is_vector() {
        return vector_bytes(shape, prefix, rex, immediate);
    }
    let mut bytes = Bytes { count: 0, base: [0; LIMIT], slot: [slot::FIXED; LIMIT] };
    if prefix != 0 {
        bytes = bytes.with(prefix, slot::FIXED);
    }
    if rex != NO_REX {
        bytes = bytes.with(if rex == REX_KEPT { REX } else { rex }, slot::REX);
    }
    if opcode > 0xff {
        bytes = bytes.with((opcode >> 8) as u8, slot::FIXED);
    }
    bytes = bytes.with(opcode as u8, if matches!(form, Form::PLUS) { slot::RM } else { slot::FIXED });
    if shape.has_modrm {
        let content = if shape.sib.is_some() { slot::REG } else { slot::BOTH };
        bytes = bytes.with(shape.modrm | digit << 3, content);
    }
    if let Some(sib) = shape.sib {
        bytes = bytes.with(sib, slot::SIB);
    }
    assert!(shape.offset == 0 || immediate == 0, "an offset and an immediate");
    let mut k = 0;
    while k < shape.offset + immediate {
        bytes = bytes.with(0, slot::VALUE + k);
        k += 1;
    }
    bytes
}

/// Returns the bytes of a vector instruction, with a prefix of SSE or a number or without.
const fn vector_bytes(shape: Shape, prefix: u8, rex: u8, immediate: u8) -> Bytes {
    let mut bytes = Bytes { count: 0, base: [0; LIMIT], slot: [slot::FIXED; LIMIT] };
    if rex == REX {
        if prefix != 0 {
            bytes = bytes.with(0, slot::VALUE + 1);
        }
        bytes = bytes.with(REX, slot::REX).with(0x0f, slot::FIXED);
    } else {
        let is_evex = rex != VEX;
        bytes = bytes.with(if is_evex { 0x62 } else { 0xc4 }, slot::FIXED);
        bytes = bytes.with(0, slot::VEX_HIGH).with(0, slot::VEX_SOURCE);
        if is_evex {
            bytes = bytes.with(if rex == EVEX_MASK { 0x49 } else { 0x48 }, slot::FIXED);
        }
    }
    bytes = bytes.with(0, slot::VALUE);
    bytes = bytes.with(shape.modrm, if shape.sib.is_some() { slot::REG } else { slot::BOTH });
    if let Some(sib) = shape.sib {
        bytes = bytes.with(sib, slot::SIB);
    }
    if shape.offset + immediate > 0 { bytes.with(0, slot::VALUE + 3) } else { bytes }
}

/// Returns 15 if `field` takes `register`, else 0.
const fn mask(field: Field, register: Field) -> u8 {
    if field as u8 == register as u8 { 15 } else { 0 }
}

/// Returns the registers of each field: for reg, r/m, index and vvvv, masks of rd, rs1 and rs2.
const fn fields(form: Form) -> [[u8; 3]; 4] {
    let Shape { reg, rm, index, source, .. } = shape(form);
    [
        [mask(reg, Field::Rd), mask(reg, Field::Rs1), mask(reg, Field::Rs2)],
        [mask(rm, Field::Rd), mask(rm, Field::Rs1), mask(rm, Field::Rs2)],
        [mask(index, Field::Rd), mask(index, Field::Rs1), mask(index, Field::Rs2)],
        [mask(source, Field::Rd), mask(source, Field::Rs1), mask(source, Field::Rs2)],
    ]
}

macro_rules! instructions {
    ($($name:ident = $form:ident($prefix:literal, $rex:ident, $opcode:literal, $digit:literal, $immediate:literal)
        $text:literal $operands:literal;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Number { $($name),* }
        $(
            #[doc = concat!("`", $text, " ", $operands, "`")]
            pub const $name: u8 = Number::$name as u8;
        )*
        /// The number of operations.
        pub const COUNT: u8 = [$($text),*].len() as u8;
        /// The assembly name of each operation.
        pub const NAMES: [&str; COUNT as usize] = [$($text),*];
        /// The operands of each operation in assembly.
        pub const OPERANDS: [&str; COUNT as usize] = [$($operands),*];
        /// The [`Form`] of each operation.
        pub const FORMS: [Form; COUNT as usize] = [$(Form::$form),*];
        /// For each operation, the masks of rd, rs1 and rs2 for the fields reg, r/m, index and vvvv.
        pub const FIELDS: [[[u8; 3]; 4]; COUNT as usize] = [$(fields(Form::$form)),*];
        const PREFIXES: [u8; COUNT as usize] = [$($rex),*];
        const BYTES: [Bytes; COUNT as usize] =
            [$(bytes(Form::$form, $prefix, $rex, $opcode, $digit, $immediate)),*];
    };
}

/// The number of bytes of each operation, with a REX prefix if it can have one.
pub const LENGTH: [u8; COUNT as usize] = {
    let mut length = [0; COUNT as usize];
    let mut op = 0;
    while op < COUNT as usize {
        length[op] = BYTES[op].count;
        op += 1;
    }
    length
};

/// The constant part of each byte: byte `k` of operation `op` at `op * LIMIT + k`.
pub const BASE: [u8; COUNT as usize * LIMIT] = {
    let mut base = [0; COUNT as usize * LIMIT];
    let mut k = 0;
    while k < base.len() {
        base[k] = BYTES[k / LIMIT].base[k % LIMIT];
        k += 1;
    }
    base
};

/// The [other content](slot) of each byte, with the same index as in [`BASE`].
pub const SLOT: [u8; COUNT as usize * LIMIT] = {
    let mut slot = [0; COUNT as usize * LIMIT];
    let mut k = 0;
    while k < slot.len() {
        slot[k] = BYTES[k / LIMIT].slot[k % LIMIT];
        k += 1;
    }
    slot
};

/// For each operation, the bits of rd, rs1 and rs2 of which one makes a REX prefix necessary: the bit of the upper registers, and for the
/// lower 8 bits of a register also that of `rsp` to `rdi`.
pub const NEEDS_REX: [[u8; 3]; COUNT as usize] = {
    let mut needs = [[0; 3]; COUNT as usize];
    let mut k = 0;
    while k < 3 * COUNT as usize {
        let (op, register) = (k / 3, k % 3);
        let [reg, rm, index, _] = FIELDS[op];
        let is_used = reg[register] | rm[register] | index[register] != 0;
        let bits = if has_byte(OPERANDS[op].as_bytes(), register) { 12 } else { 8 };
        needs[op][register] = if is_used { bits } else { 0 };
        k += 1;
    }
    needs
};

/// Returns whether operands have the lower 8 bits of a register: of rd, rs1 or rs2.
const fn has_byte(operands: &[u8], register: usize) -> bool {
    const NAMES: [&[u8]; 3] = [b"bd", b"bs1", b"bs2"];
    let name = NAMES[register];
    let mut at = 0;
    while at + name.len() <= operands.len() {
        let mut k = 0;
        while k < name.len() && operands[at + k] == name[k] {
            k += 1;
        }
        if k == name.len() {
            return true;
        }
        at += 1;
    }
    false
}

/// The index of the REX prefix of each operation that may go without it; [`LIMIT`] if there is none.
pub const REX_AT: [u8; COUNT as usize] = {
    let mut found = [LIMIT as u8; COUNT as usize];
    let mut k = 0;
    while k < SLOT.len() {
        if SLOT[k] == slot::REX && PREFIXES[k / LIMIT] == REX {
            found[k / LIMIT] = (k % LIMIT) as u8;
        }
        k += 1;
    }
    found
};

instructions! {
    // Ints of 32 bits, between registers.
    MOV = TO(0, REX, 0x89, 0, 0) "mov" "rs1, rd";
    ADD = TO(0, REX, 0x01, 0, 0) "add" "rs1, rd";
    OR = TO(0, REX, 0x09, 0, 0) "or" "rs1, rd";
    SBB = TO(0, REX, 0x19, 0, 0) "sbb" "rs1, rd";
    AND = TO(0, REX, 0x21, 0, 0) "and" "rs1, rd";
    SUB = TO(0, REX, 0x29, 0, 0) "sub" "rs1, rd";
    XOR = TO(0, REX, 0x31, 0, 0) "xor" "rs1, rd";
    CMP = PAIR(0, REX, 0x39, 0, 0) "cmp" "rs2, rs1";
    TEST = PAIR(0, REX, 0x85, 0, 0) "test" "rs2, rs1";
    // The comparison of a check, in which a reporter finds the registers.
    CMP_CHECKED = COMPARE(0, REX_KEPT, 0x3b, 0, 0) "cmp" "rs2, rs1";
    IMUL = FROM(0, REX, 0x0faf, 0, 0) "imul" "rs1, rd";
    NOT = ONE(0, REX, 0xf7, 2, 0) "not" "rd";
    NEG = ONE(0, REX, 0xf7, 3, 0) "neg" "rd";
    MUL = READ(0, REX, 0xf7, 4, 0) "mul" "rs1";
    DIV = READ(0, REX, 0xf7, 6, 0) "div" "rs1";
    IDIV = READ(0, REX, 0xf7, 7, 0) "idiv" "rs1";
    CDQ = BARE(0, NO_REX, 0x99, 0, 0) "cdq" "";
    SHL = ONE(0, REX, 0xd3, 4, 0) "shl" "%cl, rd";
    SHR = ONE(0, REX, 0xd3, 5, 0) "shr" "%cl, rd";
    SAR = ONE(0, REX, 0xd3, 7, 0) "sar" "%cl, rd";
    // With an immediate of 8 bits, which is sign-extended except for shifts, or of 32 bits.
    SHL_I8 = ONE(0, REX, 0xc1, 4, 1) "shl" "$imm, rd";
    SHR_I8 = ONE(0, REX, 0xc1, 5, 1) "shr" "$imm, rd";
    SAR_I8 = ONE(0, REX, 0xc1, 7, 1) "sar" "$imm, rd";
    ADD_I8 = ONE(0, REX, 0x83, 0, 1) "add" "$imm, rd";
    ADD_I32 = ONE(0, REX, 0x81, 0, 4) "add" "$imm, rd";
    OR_I8 = ONE(0, REX, 0x83, 1, 1) "or" "$imm, rd";
    OR_I32 = ONE(0, REX, 0x81, 1, 4) "or" "$imm, rd";
    AND_I8 = ONE(0, REX, 0x83, 4, 1) "and" "$imm, rd";
    AND_I32 = ONE(0, REX, 0x81, 4, 4) "and" "$imm, rd";
    SUB_I8 = ONE(0, REX, 0x83, 5, 1) "sub" "$imm, rd";
    SUB_I32 = ONE(0, REX, 0x81, 5, 4) "sub" "$imm, rd";
    XOR_I8 = ONE(0, REX, 0x83, 6, 1) "xor" "$imm, rd";
    XOR_I32 = ONE(0, REX, 0x81, 6, 4) "xor" "$imm, rd";
    CMP_I8 = READ(0, REX, 0x83, 7, 1) "cmp" "$imm, rs1";
    CMP_I32 = READ(0, REX, 0x81, 7, 4) "cmp" "$imm, rs1";
    IMUL_I8 = FROM(0, REX, 0x6b, 0, 1) "imul" "$imm, rs1, rd";
    IMUL_I32 = FROM(0, REX, 0x69, 0, 4) "imul" "$imm, rs1, rd";
    MOV_I32 = PLUS(0, REX, 0xb8, 0, 4) "mov" "$imm, rd";
    // Extensions of the lower 8 or 16 bits of a register.
    MOVZX_B = FROM(0, REX, 0x0fb6, 0, 0) "movzbl" "bs1, rd";
    MOVSX_S = FROM(0, REX, 0x0fbf, 0, 0) "movswl" "ws1, rd";
    // Memory: 8 or 32 bits of offset from a register, 8 or 32 bits from rsp, or an index of four bytes and 8 bits from a register.
    LOAD = LOAD8(0, REX, 0x8b, 0, 0) "mov" "imm(qs1), rd";
    LOAD_FAR = LOAD32(0, REX, 0x8b, 0, 0) "mov" "imm(qs1), rd";
    LOAD_SP = LOADSP8(0, REX, 0x8b, 0, 0) "mov" "imm(%rsp), rd";
    LOAD_SP_FAR = LOADSP32(0, REX, 0x8b, 0, 0) "mov" "imm(%rsp), rd";
    LOAD_AT = LOADAT(0, REX, 0x8b, 0, 0) "mov" "imm(qs1, qs2, 4), rd";
    STORE = STORE8(0, REX, 0x89, 0, 0) "mov" "rs2, imm(qs1)";
    STORE_FAR = STORE32(0, REX, 0x89, 0, 0) "mov" "rs2, imm(qs1)";
    STORE_SP = STORESP8(0, REX, 0x89, 0, 0) "mov" "rs2, imm(%rsp)";
    STORE_SP_FAR = STORESP32(0, REX, 0x89, 0, 0) "mov" "rs2, imm(%rsp)";
    STORE_AT = STOREAT(0, REX, 0x89, 0, 0) "mov" "rd, imm(qs1, qs2, 4)";
    LOAD_B = LOAD8(0, REX, 0x0fb6, 0, 0) "movzbl" "imm(qs1), rd";
    LOAD_B_FAR = LOAD32(0, REX, 0x0fb6, 0, 0) "movzbl" "imm(qs1), rd";
    LOAD_B_SP = LOADSP8(0, REX, 0x0fb6, 0, 0) "movzbl" "imm(%rsp), rd";
    LOAD_B_SP_FAR = LOADSP32(0, REX, 0x0fb6, 0, 0) "movzbl" "imm(%rsp), rd";
    STORE_B = STORE8(0, REX, 0x88, 0, 0) "mov" "bs2, imm(qs1)";
    STORE_B_FAR = STORE32(0, REX, 0x88, 0, 0) "mov" "bs2, imm(qs1)";
    STORE_B_SP = STORESP8(0, REX, 0x88, 0, 0) "mov" "bs2, imm(%rsp)";
    STORE_B_SP_FAR = STORESP32(0, REX, 0x88, 0, 0) "mov" "bs2, imm(%rsp)";
    LOAD_S = LOAD8(0, REX, 0x0fbf, 0, 0) "movswl" "imm(qs1), rd";
    LOAD_S_FAR = LOAD32(0, REX, 0x0fbf, 0, 0) "movswl" "imm(qs1), rd";
    LOAD_S_SP = LOADSP8(0, REX, 0x0fbf, 0, 0) "movswl" "imm(%rsp), rd";
    LOAD_S_SP_FAR = LOADSP32(0, REX, 0x0fbf, 0, 0) "movswl" "imm(%rsp), rd";
    STORE_S = STORE8(0x66, REX, 0x89, 0, 0) "mov" "ws2, imm(qs1)";
    STORE_S_FAR = STORE32(0x66, REX, 0x89, 0, 0) "mov" "ws2, imm(qs1)";
    STORE_S_SP = STORESP8(0x66, REX, 0x89, 0, 0) "mov" "ws2, imm(%rsp)";
    STORE_S_SP_FAR = STORESP32(0x66, REX, 0x89, 0, 0) "mov" "ws2, imm(%rsp)";
    LOAD_F = LOAD8(0xf3, REX, 0x0f10, 0, 0) "movss" "imm(qs1), fd";
    LOAD_F_FAR = LOAD32(0xf3, REX, 0x0f10, 0, 0) "movss" "imm(qs1), fd";
    LOAD_F_SP = LOADSP8(0xf3, REX, 0x0f10, 0, 0) "movss" "imm(%rsp), fd";
    LOAD_F_SP_FAR = LOADSP32(0xf3, REX, 0x0f10, 0, 0) "movss" "imm(%rsp), fd";
    LOAD_F_AT = LOADAT(0xf3, REX, 0x0f10, 0, 0) "movss" "imm(qs1, qs2, 4), fd";
    STORE_F = STORE8(0xf3, REX, 0x0f11, 0, 0) "movss" "fs2, imm(qs1)";
    STORE_F_FAR = STORE32(0xf3, REX, 0x0f11, 0, 0) "movss" "fs2, imm(qs1)";
    STORE_F_SP = STORESP8(0xf3, REX, 0x0f11, 0, 0) "movss" "fs2, imm(%rsp)";
    STORE_F_SP_FAR = STORESP32(0xf3, REX, 0x0f11, 0, 0) "movss" "fs2, imm(%rsp)";
    STORE_F_AT = STOREAT(0xf3, REX, 0x0f11, 0, 0) "movss" "fd, imm(qs1, qs2, 4)";
    CMP_M = STORE8(0, REX, 0x39, 0, 0) "cmp" "rs2, imm(qs1)";
    CMP_M_FAR = STORE32(0, REX, 0x39, 0, 0) "cmp" "rs2, imm(qs1)";
    CMP_M_SP = STORESP8(0, REX, 0x39, 0, 0) "cmp" "rs2, imm(%rsp)";
    CMP_M_SP_FAR = STORESP32(0, REX, 0x39, 0, 0) "cmp" "rs2, imm(%rsp)";
    LOAD_Q = LOAD8(0, REX_W, 0x8b, 0, 0) "mov" "imm(qs1), qd";
    LOAD_Q_FAR = LOAD32(0, REX_W, 0x8b, 0, 0) "mov" "imm(qs1), qd";
    LOAD_Q_SP = LOADSP8(0, REX_W, 0x8b, 0, 0) "mov" "imm(%rsp), qd";
    LOAD_Q_SP_FAR = LOADSP32(0, REX_W, 0x8b, 0, 0) "mov" "imm(%rsp), qd";
    STORE_Q = STORE8(0, REX_W, 0x89, 0, 0) "mov" "qs2, imm(qs1)";
    STORE_Q_FAR = STORE32(0, REX_W, 0x89, 0, 0) "mov" "qs2, imm(qs1)";
    STORE_Q_SP = STORESP8(0, REX_W, 0x89, 0, 0) "mov" "qs2, imm(%rsp)";
    STORE_Q_SP_FAR = STORESP32(0, REX_W, 0x89, 0, 0) "mov" "qs2, imm(%rsp)";
    LEA = LOAD8(0, REX, 0x8d, 0, 0) "lea" "imm(qs1), rd";
    LEA_FAR = LOAD32(0, REX, 0x8d, 0, 0) "lea" "imm(qs1), rd";
    LEA_SP = LOADSP8(0, REX, 0x8d, 0, 0) "lea" "imm(%rsp), rd";
    LEA_SP_FAR = LOADSP32(0, REX, 0x8d, 0, 0) "lea" "imm(%rsp), rd";
    LEA_SUM = LOADONCE(0, REX, 0x8d, 0, 0) "lea" "imm(qs1, qs2, 1), rd";
    LEA_WORDS = LOADAT(0, REX, 0x8d, 0, 0) "lea" "imm(qs1, qs2, 4), rd";
    LEA_SHORTS = LOADTWICE(0, REX, 0x8d, 0, 0) "lea" "imm(qs1, qs2, 2), rd";
    LEA_RIP = LOADRIP(0, REX_W, 0x8d, 0, 0) "lea" "imm(%rip), qd";
    LOAD_FOUR = LOAD8(0, REX, 0x0f10, 0, 0) "movups" "imm(qs1), fd";
    STORE_FOUR = STORE8(0, REX, 0x0f11, 0, 0) "movups" "fs2, imm(qs1)";
    // 64 bits.
    MOV_Q = TO(0, REX_W, 0x89, 0, 0) "mov" "qs1, qd";
    ADD_Q = TO(0, REX_W, 0x01, 0, 0) "add" "qs1, qd";
    SUB_Q = TO(0, REX_W, 0x29, 0, 0) "sub" "qs1, qd";
    CMP_Q = PAIR(0, REX_W, 0x39, 0, 0) "cmp" "qs2, qs1";
    TEST_Q = PAIR(0, REX_W, 0x85, 0, 0) "test" "qs2, qs1";
    ADD_Q_I8 = ONE(0, REX_W, 0x83, 0, 1) "add" "$imm, qd";
    ADD_Q_I32 = ONE(0, REX_W, 0x81, 0, 4) "add" "$imm, qd";
    AND_Q_I8 = ONE(0, REX_W, 0x83, 4, 1) "and" "$imm, qd";
    AND_Q_I32 = ONE(0, REX_W, 0x81, 4, 4) "and" "$imm, qd";
    SUB_Q_I8 = ONE(0, REX_W, 0x83, 5, 1) "sub" "$imm, qd";
    SUB_Q_I32 = ONE(0, REX_W, 0x81, 5, 4) "sub" "$imm, qd";
    CMP_Q_I8 = READ(0, REX_W, 0x83, 7, 1) "cmp" "$imm, qs1";
    SHR_Q_I8 = ONE(0, REX_W, 0xc1, 5, 1) "shr" "$imm, qd";
    PUSH = PLUS(0, REX, 0x50, 0, 0) "push" "qd";
    POP = PLUS(0, REX, 0x58, 0, 0) "pop" "qd";
    // Floats.
    MOVAPS = FROM(0, REX, 0x0f28, 0, 0) "movaps" "fs1, fd";
    SQRTSS = FROM(0xf3, REX, 0x0f51, 0, 0) "sqrtss" "fs1, fd";
    ADDSS = FROM(0xf3, REX, 0x0f58, 0, 0) "addss" "fs1, fd";
    MULSS = FROM(0xf3, REX, 0x0f59, 0, 0) "mulss" "fs1, fd";
    SUBSS = FROM(0xf3, REX, 0x0f5c, 0, 0) "subss" "fs1, fd";
    MINSS = FROM(0xf3, REX, 0x0f5d, 0, 0) "minss" "fs1, fd";
    DIVSS = FROM(0xf3, REX, 0x0f5e, 0, 0) "divss" "fs1, fd";
    MAXSS = FROM(0xf3, REX, 0x0f5f, 0, 0) "maxss" "fs1, fd";
    ANDPS = FROM(0, REX, 0x0f54, 0, 0) "andps" "fs1, fd";
    ANDNPS = FROM(0, REX, 0x0f55, 0, 0) "andnps" "fs1, fd";
    ORPS = FROM(0, REX, 0x0f56, 0, 0) "orps" "fs1, fd";
    XORPS = FROM(0, REX, 0x0f57, 0, 0) "xorps" "fs1, fd";
    UCOMISS = COMPARE(0, REX, 0x0f2e, 0, 0) "ucomiss" "fs2, fs1";
    CMPSS = FROM(0xf3, REX, 0x0fc2, 0, 1) "cmpss" "$imm, fs1, fd";
    CVTSI2SS = FROM(0xf3, REX, 0x0f2a, 0, 0) "cvtsi2ss" "rs1, fd";
    CVTTSS2SI = FROM(0xf3, REX, 0x0f2c, 0, 0) "cvttss2si" "fs1, rd";
    MOVD_F_R = FROM(0x66, REX, 0x0f6e, 0, 0) "movd" "rs1, fd";
    MOVD_R_F = TO(0x66, REX, 0x0f7e, 0, 0) "movd" "fs1, rd";
    // Control.
    JMP = JUMP8(0, NO_REX, 0xeb, 0, 0) "jmp" "label";
    JMP_NEAR = JUMP32(0, NO_REX, 0xe9, 0, 0) "jmp" "label";
    CALL_NEAR = JUMP32(0, NO_REX, 0xe8, 0, 0) "call" "label";
    CALL_R = READ(0, REX, 0xff, 2, 0) "call" "*qs1";
    RET = BARE(0, NO_REX, 0xc3, 0, 0) "ret" "";
    SYSCALL = BARE(0, NO_REX, 0x0f05, 0, 0) "syscall" "";
    UD2 = BARE(0, NO_REX, 0x0f0b, 0, 0) "ud2" "";
    INT3 = BARE(0, NO_REX, 0xcc, 0, 0) "int3" "";
    JO = JUMP8(0, NO_REX, 0x70, 0, 0) "jo" "label";
    JNO = JUMP8(0, NO_REX, 0x71, 0, 0) "jno" "label";
    JB = JUMP8(0, NO_REX, 0x72, 0, 0) "jb" "label";
    JAE = JUMP8(0, NO_REX, 0x73, 0, 0) "jae" "label";
    JE = JUMP8(0, NO_REX, 0x74, 0, 0) "je" "label";
    JNE = JUMP8(0, NO_REX, 0x75, 0, 0) "jne" "label";
    JBE = JUMP8(0, NO_REX, 0x76, 0, 0) "jbe" "label";
    JA = JUMP8(0, NO_REX, 0x77, 0, 0) "ja" "label";
    JS = JUMP8(0, NO_REX, 0x78, 0, 0) "js" "label";
    JNS = JUMP8(0, NO_REX, 0x79, 0, 0) "jns" "label";
    JP = JUMP8(0, NO_REX, 0x7a, 0, 0) "jp" "label";
    JNP = JUMP8(0, NO_REX, 0x7b, 0, 0) "jnp" "label";
    JL = JUMP8(0, NO_REX, 0x7c, 0, 0) "jl" "label";
    JGE = JUMP8(0, NO_REX, 0x7d, 0, 0) "jge" "label";
    JLE = JUMP8(0, NO_REX, 0x7e, 0, 0) "jle" "label";
    JG = JUMP8(0, NO_REX, 0x7f, 0, 0) "jg" "label";
    JO_NEAR = JUMP32(0, NO_REX, 0x0f80, 0, 0) "jo" "label";
    JNO_NEAR = JUMP32(0, NO_REX, 0x0f81, 0, 0) "jno" "label";
    JB_NEAR = JUMP32(0, NO_REX, 0x0f82, 0, 0) "jb" "label";
    JAE_NEAR = JUMP32(0, NO_REX, 0x0f83, 0, 0) "jae" "label";
    JE_NEAR = JUMP32(0, NO_REX, 0x0f84, 0, 0) "je" "label";
    JNE_NEAR = JUMP32(0, NO_REX, 0x0f85, 0, 0) "jne" "label";
    JBE_NEAR = JUMP32(0, NO_REX, 0x0f86, 0, 0) "jbe" "label";
    JA_NEAR = JUMP32(0, NO_REX, 0x0f87, 0, 0) "ja" "label";
    JS_NEAR = JUMP32(0, NO_REX, 0x0f88, 0, 0) "js" "label";
    JNS_NEAR = JUMP32(0, NO_REX, 0x0f89, 0, 0) "jns" "label";
    JP_NEAR = JUMP32(0, NO_REX, 0x0f8a, 0, 0) "jp" "label";
    JNP_NEAR = JUMP32(0, NO_REX, 0x0f8b, 0, 0) "jnp" "label";
    JL_NEAR = JUMP32(0, NO_REX, 0x0f8c, 0, 0) "jl" "label";
    JGE_NEAR = JUMP32(0, NO_REX, 0x0f8d, 0, 0) "jge" "label";
    JLE_NEAR = JUMP32(0, NO_REX, 0x0f8e, 0, 0) "jle" "label";
    JG_NEAR = JUMP32(0, NO_REX, 0x0f8f, 0, 0) "jg" "label";
    SETO = ONE(0, REX, 0x0f90, 0, 0) "seto" "bd";
    SETNO = ONE(0, REX, 0x0f91, 0, 0) "setno" "bd";
    SETB = ONE(0, REX, 0x0f92, 0, 0) "setb" "bd";
    SETAE = ONE(0, REX, 0x0f93, 0, 0) "setae" "bd";
    SETE = ONE(0, REX, 0x0f94, 0, 0) "sete" "bd";
    SETNE = ONE(0, REX, 0x0f95, 0, 0) "setne" "bd";
    SETBE = ONE(0, REX, 0x0f96, 0, 0) "setbe" "bd";
    SETA = ONE(0, REX, 0x0f97, 0, 0) "seta" "bd";
    SETS = ONE(0, REX, 0x0f98, 0, 0) "sets" "bd";
    SETNS = ONE(0, REX, 0x0f99, 0, 0) "setns" "bd";
    SETP = ONE(0, REX, 0x0f9a, 0, 0) "setp" "bd";
    SETNP = ONE(0, REX, 0x0f9b, 0, 0) "setnp" "bd";
    SETL = ONE(0, REX, 0x0f9c, 0, 0) "setl" "bd";
    SETGE = ONE(0, REX, 0x0f9d, 0, 0) "setge" "bd";
    SETLE = ONE(0, REX, 0x0f9e, 0, 0) "setle" "bd";
    SETG = ONE(0, REX, 0x0f9f, 0, 0) "setg" "bd";
    CMOVO = FROM(0, REX, 0x0f40, 0, 0) "cmovo" "rs1, rd";
    CMOVNO = FROM(0, REX, 0x0f41, 0, 0) "cmovno" "rs1, rd";
    CMOVB = FROM(0, REX, 0x0f42, 0, 0) "cmovb" "rs1, rd";
    CMOVAE = FROM(0, REX, 0x0f43, 0, 0) "cmovae" "rs1, rd";
    CMOVE = FROM(0, REX, 0x0f44, 0, 0) "cmove" "rs1, rd";
    CMOVNE = FROM(0, REX, 0x0f45, 0, 0) "cmovne" "rs1, rd";
    CMOVBE = FROM(0, REX, 0x0f46, 0, 0) "cmovbe" "rs1, rd";
    CMOVA = FROM(0, REX, 0x0f47, 0, 0) "cmova" "rs1, rd";
    CMOVS = FROM(0, REX, 0x0f48, 0, 0) "cmovs" "rs1, rd";
    CMOVNS = FROM(0, REX, 0x0f49, 0, 0) "cmovns" "rs1, rd";
    CMOVP = FROM(0, REX, 0x0f4a, 0, 0) "cmovp" "rs1, rd";
    CMOVNP = FROM(0, REX, 0x0f4b, 0, 0) "cmovnp" "rs1, rd";
    CMOVL = FROM(0, REX, 0x0f4c, 0, 0) "cmovl" "rs1, rd";
    CMOVGE = FROM(0, REX, 0x0f4d, 0, 0) "cmovge" "rs1, rd";
    CMOVLE = FROM(0, REX, 0x0f4e, 0, 0) "cmovle" "rs1, rd";
    CMOVG = FROM(0, REX, 0x0f4f, 0, 0) "cmovg" "rs1, rd";
    // The forms of vector instructions. SSE without a prefix and with one, each perhaps with a number; VEX; EVEX.
    V_SSE = VECTOR(0, REX, 0, 0, 0) "" "";
    V_SSE_I = VECTOR(0, REX, 0, 0, 1) "" "";
    V_SSE_P = VECTOR(1, REX, 0, 0, 0) "" "";
    V_SSE_PI = VECTOR(1, REX, 0, 0, 1) "" "";
    V_VEX = VECTOR3(0, VEX, 0, 0, 0) "" "";
    V_VEX_I = VECTOR3(0, VEX, 0, 0, 1) "" "";
    V_EVEX = VECTOR3(0, EVEX, 0, 0, 0) "" "";
    V_EVEX_I = VECTOR3(0, EVEX, 0, 0, 1) "" "";
    V_EVEX_K = VECTOR3(0, EVEX_MASK, 0, 0, 0) "" "";
    // On memory: with once, twice and four times the index.
    V_SSE_AT = VECTORAT1(0, REX, 0, 0, 0) "" "";
    V_SSE_AT2 = VECTORAT2(0, REX, 0, 0, 0) "" "";
    V_SSE_AT4 = VECTORAT4(0, REX, 0, 0, 0) "" "";
    V_SSE_P_AT = VECTORAT1(1, REX, 0, 0, 0) "" "";
    V_SSE_P_AT2 = VECTORAT2(1, REX, 0, 0, 0) "" "";
    V_SSE_P_AT4 = VECTORAT4(1, REX, 0, 0, 0) "" "";
    V_VEX_AT = VECTORAT1(0, VEX, 0, 0, 0) "" "";
    V_VEX_AT2 = VECTORAT2(0, VEX, 0, 0, 0) "" "";
    V_VEX_AT4 = VECTORAT4(0, VEX, 0, 0, 0) "" "";
    V_EVEX_AT = VECTORAT1(0, EVEX, 0, 0, 0) "" "";
    V_EVEX_AT2 = VECTORAT2(0, EVEX, 0, 0, 0) "" "";
    V_EVEX_AT4 = VECTORAT4(0, EVEX, 0, 0, 0) "" "";
    // On a register and memory.
    V_VEX_WITH = VECTORMEM1(0, VEX, 0, 0, 0) "" "";
    V_VEX_WITH2 = VECTORMEM2(0, VEX, 0, 0, 0) "" "";
    V_VEX_WITH4 = VECTORMEM4(0, VEX, 0, 0, 0) "" "";
    V_EVEX_WITH = VECTORMEM1(0, EVEX, 0, 0, 0) "" "";
    V_EVEX_WITH2 = VECTORMEM2(0, EVEX, 0, 0, 0) "" "";
    V_EVEX_WITH4 = VECTORMEM4(0, EVEX, 0, 0, 0) "" "";
    VZEROUPPER = BARE(0xc5, NO_REX, 0xf877, 0, 0) "vzeroupper" "";
}
