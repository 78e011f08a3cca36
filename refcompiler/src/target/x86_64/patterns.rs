//! Patterns of bytes: constant bytes with holes for the numbers of registers and for an immediate.
//!
//! ```text
//! Add, d = a    add d, b               REX.RB 01 modrm(b, d)      REX only if b or d needs it
//! Add, d != a   mov d, a; add d, b     REX.RB 89 modrm(a, d) REX.RB 01 modrm(b, d)
//! Name, near    mov d, i(rsp)          REX.R 8b modrm(d) 24 i
//! ```
//!
//! The line of a kind in the table of [rules](super::rules) is evaluated at compile time with registers that no rule names itself.
//! Where one of them appears, the pattern has a hole. A byte is its base, plus the lower three bits of each register times a factor,
//! plus the upper bit of each register times another factor. The immediate fills one hole of 1 or 4 bytes. In a pattern with a call or a
//! branch to an [exit](super::exits), the hole is the distance, which is known after linking.
//!
//! ```text
//! Div           mov a, eax; mov b, ecx; lea; cmp; jbe i; cdq; idiv ecx; mov eax, d
//! ```
//!
//! A pattern has all REX prefixes. Its [variants](super::variants) leave out those that its registers do not need. Rows are encoded by
//! [words](super::words) of eight bytes.
//!
//! A row has a form: whether its immediate needs more than 8 bits, whether the value and the left operand have the same register,
//! whether the value is dropped, and its `aux`. Pairs of a kind and a form with equal bytes share a pattern.

use treepar::device::device;

use super::encode::{byte_with_rex, longest};
use super::isa::{self, FIELDS, Form, NEEDS_REX, REX_AT, SLOT, slot};
use super::jumps::{form as form_of, has_one_form};
use super::registers::{RAX, XMM0};
use super::rules::{operation, operation_length};
use super::sequences::copy;
use crate::ir::frame::Frame;
use crate::ir::instruction::{CALL, Instruction, NO_PATTERN, NOTHING};
use crate::ir::kinds::{Kind, PAIRS, Role, Type, kind};
use crate::ir::operation::{NO_OFFSET, Operation};
use crate::ir::registers::NOWHERE;
use crate::ir::rows::RowId;

/// The bit of a form whose immediate needs 32 bits.
pub const FAR: u32 = 1;
/// The bit of a form whose value and left operand have the same location.
pub const SAME: u32 = 2;
/// The bit of a form whose value has no location.
pub const DROPPED: u32 = 4;
/// The bit of a form whose `aux` is 1.
pub const FLAGGED: u32 = 8;
/// The number of forms.
pub const FORMS: usize = 16;

/// The limit of the number of patterns.
pub const LIMIT: usize = 256;

/// The limit of the number of bytes of all patterns.
const SIZE: usize = 4096;

/// The holes: the value, the left operand, the right operand.
pub(super) const HOLES: usize = 3;

/// Returns the index of a form and a [pair](PAIRS) in the table of patterns.
#[device]
pub const fn row(form: u32, pair: usize) -> usize {
    form as usize * PAIRS + pair
}

/// The registers of the holes. No rule names them itself. The number of a float is greater by [`FLOAT`].
const MARKS: [u8; HOLES] = [11, 13, 14];

/// The number of the first float register.
const FLOAT: u8 = 32;

/// The immediates that mark their hole, near and far. No rule has them.
const IMMEDIATES: [u32; 2] = [0x5b, 0x5b5b_5b5b];

/// The kinds whose instructions depend on more of the frame than the offset of a variable.
const WITHOUT: [Kind; 17] = [
    Kind::Header,
    Kind::Function,
    Kind::Param,
    Kind::Count,
    Kind::For,
    Kind::HeldParam,
    // The instructions of these depend on the data.
    Kind::VectorLoop,
    Kind::VectorCount,
    Kind::VectorBase,
    Kind::VectorWrite,
    Kind::VectorRead,
    Kind::VectorUnary,
    Kind::VectorBinary,
    Kind::VectorSelect,
    Kind::VectorSplat,
    Kind::VectorReduce,
    Kind::VectorEnd,
];

/// Bytes by their index in all patterns.
pub(super) type Bytes = [u8; SIZE];

/// The kinds of bytes.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// A REX prefix that is there if a register needs it.
    Rex,
    /// The distance of a jump within the pattern.
    Distance,
    /// Another byte.
    Other,
}

/// The number of buckets of patterns, among which an equal one is looked for.
const BUCKETS: usize = 64;

/// The function in the data of a row.
pub const OF_ROW: u32 = u32::MAX;

/// The patterns of all kinds in all forms. Pattern 0 is [`NO_PATTERN`].
pub struct Patterns {
    pub(super) count: usize,
    end: usize,
    /// The newest pattern of each bucket, and the next older one of each pattern; 0 if there is none.
    newest: [u8; BUCKETS],
    older: [u8; LIMIT],
    /// The pattern by form and by kind with type.
    pub of: [u8; FORMS * PAIRS],
    /// The index of the first byte of each pattern.
    pub(super) first: [u16; LIMIT],
    /// The number of bytes of each pattern.
    pub(super) length: [u8; LIMIT],
    /// The offset of the immediate in each pattern.
    pub(super) at: [u8; LIMIT],
    /// The bits of the immediate that each pattern has.
    pub(super) mask: [u32; LIMIT],
    /// The operation of the call or the branch to an exit in each pattern, [`NOTHING`] if there is none.
    pub link: [u8; LIMIT],
    /// The function that it calls, [`OF_ROW`] for the one in the data of the row.
    pub callee: [u32; LIMIT],
    /// For d, a and b: the bits of which one makes a REX prefix necessary, or 0 if a pattern does not have this register.
    pub has: [[u8; LIMIT]; HOLES],
    /// The kind of each byte.
    pub(super) part: [Part; SIZE],
    /// The bytes without registers and immediates.
    pub(super) base: Bytes,
    /// The factors of the lower three bits of d, a and b.
    pub(super) low: [Bytes; HOLES],
    /// The factors of the upper bit of d, a and b.
    pub(super) high: [Bytes; HOLES],
}

/// All patterns.
pub const PATTERNS: Patterns = {
    let mut patterns = Patterns::new();
    let mut code = 0;
    while code < Kind::COUNT {
        let types = [Type::Void, Type::Int, Type::Float];
        let mut k = 0;
        while k < types.len() * FORMS {
            patterns.add(Kind::ALL[code], types[k / FORMS], (k % FORMS) as u32);
            k += 1;
        }
        code += 1;
    }
    patterns
};

impl Patterns {
    const fn new() -> Patterns {
        const NONE: Bytes = [0; SIZE];
        Patterns {
            count: 0,
            end: 0,
            newest: [0; BUCKETS],
            older: [0; LIMIT],
            of: [NO_PATTERN; FORMS * PAIRS],
            first: [0; LIMIT],
            length: [0; LIMIT],
            at: [0; LIMIT],
            mask: [0; LIMIT],
            link: [NOTHING; LIMIT],
            callee: [0; LIMIT],
            has: [[0; LIMIT]; HOLES],
            part: [Part::Other; SIZE],
            base: NONE,
            low: [NONE; HOLES],
            high: [NONE; HOLES],
        }
    }

    /// Adds the pattern of a kind with a type in a form, if its instructions are fixed and it is not an older one.
    const fn add(&mut self, kind: Kind, ty: Type, form: u32) {
        let mut k = 0;
        while k < WITHOUT.len() {
            if WITHOUT[k].code() == kind.code() {
                return;
            }
            k += 1;
        }
        let is_flagged = form & FLAGGED != 0;
        // A pattern without an immediate is the same near and far.
        let near = self.of[row(form & !FAR, kind.with(ty))];
        if form & FAR != 0 && near != NO_PATTERN && self.mask[near as usize] == 0 {
            self.of[row(form, kind.with(ty))] = near;
            return;
        }
        if is_flagged && !kind.is_flagged() || !is_flagged && kind.has_optional_operand() {
            return;
        }
        let s = marked(kind, ty, form);
        let count = operation_length(s, FRAME);
        let p = self.count + 1;
        assert!(p < LIMIT, "too many patterns");
        let begin = self.end;
        self.first[p] = begin as u16;
        let mut k = 0;
        while k < count {
            let x = operation(s, FRAME, k);
            if has_one_form(x.op) {
                self.link[p] = x.op;
                self.callee[p] = if kind.code() == kind::CALL { OF_ROW } else { x.imm };
                let jump = Instruction { op: form_of(x, false), rd: 0, rs1: 0, rs2: 0, imm: IMMEDIATES[1] };
                self.instruction(p, jump);
            } else if x.op >= CALL {
                return self.drop_last(begin);
            } else {
                self.instruction(p, x);
            }
            k += 1;
        }
        if s.destination != s.source {
            self.instruction(p, copy(s.destination, s.source));
        }
        // A value without location has its register in no instruction.
        if form & DROPPED != 0 && self.has[0][p] != 0 {
            return self.drop_last(begin);
        }
        self.length[p] = (self.end - begin) as u8;
        let bucket = self.bucket(p);
        let (mut first, mut q) = (p, self.newest[bucket] as usize);
        while q > 0 {
            if self.equal(q, p, form & SAME != 0) {
                first = q;
            }
            q = self.older[q] as usize;
        }
        self.of[row(form, kind.with(ty))] = first as u8;
        if first < p {
            return self.drop_last(begin);
        }
        (self.older[p], self.newest[bucket]) = (self.newest[bucket], p as u8);
        self.count = p;
    }

    /// Returns a number below [`BUCKETS`] that is the same for equal patterns.
    const fn bucket(&self, p: usize) -> usize {
        let first = self.first[p] as usize;
        let (mut sum, mut k) = (0usize, 0);
        while k < self.length[p] as usize {
            sum = 5 * sum + self.base[first + k] as usize;
            sum %= 1 << 16;
            k += 1;
        }
        sum % BUCKETS
    }

    /// Removes the bytes of the pattern after the last. They begin at `begin`.
    const fn drop_last(&mut self, begin: usize) {
        while self.end > begin {
            self.end -= 1;
            self.base[self.end] = 0;
            self.part[self.end] = Part::Other;
            let mut hole = 0;
            while hole < HOLES {
                self.low[hole][self.end] = 0;
                self.high[hole][self.end] = 0;
                hole += 1;
            }
        }
        let p = self.count + 1;
        (self.at[p], self.mask[p], self.length[p]) = (0, 0, 0);
        (self.link[p], self.callee[p]) = (NOTHING, 0);
        let mut hole = 0;
        while hole < HOLES {
            self.has[hole][p] = 0;
            hole += 1;
        }
    }

    /// Adds an instruction to pattern `p`.
    const fn instruction(&mut self, p: usize, x: Instruction) {
        let begin = self.end - self.first[p] as usize;
        let has_immediate = x.imm == IMMEDIATES[0] || x.imm == IMMEDIATES[1];
        let plain = Instruction {
            op: x.op,
            rd: unmarked(x.rd),
            rs1: unmarked(x.rs1),
            rs2: unmarked(x.rs2),
            imm: if has_immediate { 0 } else { x.imm },
        };
        self.add_needs(p, x);
        let registers = [field(x, 0), field(x, 1), field(x, 2)];
        let mut k = 0;
        while k < longest(x.op) {
            self.base[self.end] = byte_with_rex(plain, k);
            let content = SLOT[(x.op as usize) * isa::LIMIT + k as usize];
            self.part[self.end] = if k == REX_AT[x.op as usize] as u32 {
                Part::Rex
            } else if matches!(isa::FORMS[x.op as usize], Form::JUMP8) && content == slot::VALUE {
                Part::Distance
            } else {
                Part::Other
            };
            // The factors of the fields reg, r/m and index.
            let (low, high) = match content {
                slot::REX => ([0, 0, 0], [4, 1, 2]),
                slot::RM => ([0, 1, 0], [0, 0, 0]),
                slot::REG => ([8, 0, 0], [0, 0, 0]),
                slot::BOTH => ([8, 1, 0], [0, 0, 0]),
                slot::SIB => ([0, 1, 8], [0, 0, 0]),
                _ => ([0, 0, 0], [0, 0, 0]),
            };
            if has_immediate && content >= slot::VALUE {
                let part = (content - slot::VALUE) as u32;
                if part == 0 {
                    assert!(self.mask[p] == 0, "two immediates");
                    self.at[p] = begin as u8 + k as u8;
                }
                self.mask[p] |= 0xff << (8 * part);
            }
            let mut hole = 0;
            while hole < HOLES * registers.len() {
                let (h, f) = (hole % HOLES, hole / HOLES);
                if registers[f] == MARKS[h] {
                    self.low[h][self.end] += low[f];
                    self.high[h][self.end] += high[f];
                }
                hole += 1;
            }
            self.end += 1;
            k += 1;
        }
    }

    /// Adds the bits of registers that make a REX prefix of an instruction of pattern `p` necessary.
    const fn add_needs(&mut self, p: usize, x: Instruction) {
        let registers = [x.rd, x.rs1, x.rs2];
        let mut hole = 0;
        while hole < HOLES {
            let (mut needs, mut k) = (0, 0);
            while k < registers.len() {
                if registers[k] & 15 == MARKS[hole] {
                    needs |= NEEDS_REX[x.op as usize][k];
                }
                k += 1;
            }
            let own = &mut self.has[hole][p];
            assert!(needs == 0 || *own == 0 || needs == *own, "a register needs REX in two ways");
            *own |= needs;
            hole += 1;
        }
        let mut k = 0;
        while k < registers.len() {
            let is_byte = NEEDS_REX[x.op as usize][k] & 4 != 0;
            assert!(!is_byte || unmarked(registers[k]) < 4, "a byte register that needs REX");
            k += 1;
        }
    }

    /// Returns whether patterns `p` and `q` are equal, if the value and the left operand are the same or not.
    const fn equal(&self, q: usize, p: usize, same: bool) -> bool {
        if self.length[q] != self.length[p] || self.at[q] != self.at[p] || self.mask[q] != self.mask[p] {
            return false;
        }
        if self.link[q] != self.link[p] || self.callee[q] != self.callee[p] {
            return false;
        }
        let mut k = 0;
        while k < self.length[p] as usize {
            let (i, j) = (self.first[q] as usize + k, self.first[p] as usize + k);
            if self.base[i] != self.base[j]
                || !equal_factors(&self.low, i, j, same)
                || !equal_factors(&self.high, i, j, same)
            {
                return false;
            }
            k += 1;
        }
        true
    }
}

/// Returns whether bytes `i` and `j` have equal factors, or equal sums of the factors of d and a if these are the same.
const fn equal_factors(factors: &[Bytes; HOLES], i: usize, j: usize, same: bool) -> bool {
    let [d, a, b] = factors;
    let equal = if same { d[i] + a[i] == d[j] + a[j] } else { d[i] == d[j] && a[i] == a[j] };
    equal && b[i] == b[j]
}

/// The frame in which lines are evaluated.
const FRAME: Frame = Frame { bytes: 0, spills: 0, saves: 0, ints: 0, floats: 0, calls: 0, nested: 0, held: 0 };

/// Returns a row of a kind in a form, with marks for its registers and its immediate.
const fn marked(kind: Kind, ty: Type, form: u32) -> Operation {
    let is_cast = kind.code() == kind::CAST;
    let left = if kind.is_access() {
        Type::Int
    } else if is_cast {
        if ty.is_float() { Type::Int } else { Type::Float }
    } else {
        ty
    };
    let is_kept = kind.is_transparent() || kind.has_optional_operand() || kind.is_check();
    let is_call = kind.is_call(ty);
    // A part of a conditional expression has no value of its own, but moves its operand.
    let value = if is_kept { left } else { kind.type_of_value(ty) };
    let a = mark(1, left);
    let d = if form & SAME != 0 { a } else { mark(0, value) };
    let is_dropped = form & DROPPED != 0;
    let of_call = if value.is_float() { XMM0 } else { RAX };
    let source = if is_call {
        of_call
    } else if is_kept {
        a
    } else {
        d
    };
    Operation {
        kind,
        ty: left,
        role: if is_dropped { Role::Discarded } else { Role::None },
        memory: 0,
        left: a,
        right: mark(2, if kind.is_access() { ty } else { left }),
        // A dropped value stays in its source.
        destination: if is_dropped { source } else { d },
        source,
        left_at: NO_OFFSET,
        right_at: NO_OFFSET,
        store_at: NO_OFFSET,
        data: IMMEDIATES[(form & FAR) as usize],
        hops: (form & FLAGGED != 0) as u32,
        target: RowId::new(0),
    }
}

/// Returns the mark of a hole, a register of a type.
const fn mark(hole: usize, ty: Type) -> u8 {
    MARKS[hole] + if ty.is_float() { FLOAT } else { 0 }
}

/// Returns a register, or register 0 if it is a mark.
const fn unmarked(r: u8) -> u8 {
    let number = r & 15;
    if number == MARKS[0] || number == MARKS[1] || number == MARKS[2] { 0 } else { r }
}

/// Returns the number of the register in field reg, r/m or index of an instruction; [`NOWHERE`] if it has none.
const fn field(x: Instruction, field: usize) -> u8 {
    let [rd, rs1, rs2] = FIELDS[x.op as usize][field];
    if rd | rs1 | rs2 == 0 { NOWHERE } else { x.rd & rd | x.rs1 & rs1 | x.rs2 & rs2 }
}
