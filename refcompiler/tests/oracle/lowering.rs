//! Instructions of rows, written one after another.

use refcompiler::ir::frame::Frame;
use refcompiler::ir::instruction::{CALL, CHECK_AT_LEAST, CHECK_BELOW, CHECK_RANGE, CHECK_SAME, Instruction};
use refcompiler::ir::kinds::{kind, role, ty};
use refcompiler::ir::registers::{NOWHERE, SPILLED};
use refcompiler::ir::tree::runtime;
use refcompiler::target::riscv::isa::*;
use refcompiler::target::riscv::registers::*;

use super::compiler::{Row, calls, is_binary, operands, saved_registers, value};
use super::operators::operator;

struct Writer<'a> {
    out: Vec<Instruction>,
    /// Instructions whose immediate becomes the first instruction of a row.
    jumps: Vec<(usize, usize)>,
    rows: &'a [Row],
    frames: &'a [Frame],
    /// The last row of each function.
    lasts: Vec<usize>,
}

/// Returns the instructions of all rows, and the first instruction of each row.
pub fn lower(rows: &[Row], frames: &[Frame]) -> (Vec<Instruction>, Vec<usize>) {
    let is_last = |r: &usize| matches!(rows[*r].kind, kind::FUNCTION | kind::EXTERN);
    let lasts = (0..rows.len()).filter(is_last).collect();
    let mut w = Writer { out: Vec::new(), jumps: Vec::new(), rows, frames, lasts };
    let mut starts = Vec::new();
    for r in 0..rows.len() {
        starts.push(w.out.len());
        w.row(r);
    }
    for (at, row) in w.jumps {
        w.out[at].imm = starts[row] as u32;
    }
    (w.out, starts)
}

fn fits(value: i32) -> bool {
    (-2048..2048).contains(&value)
}

/// Splits a value for `lui` and an immediate of 12 bits.
fn split(value: i32) -> (u32, u32) {
    let low = (value << 20) >> 20;
    (value.wrapping_sub(low) as u32, low as u32)
}

impl Writer<'_> {
    fn put(&mut self, op: u8, rd: u8, rs1: u8, rs2: u8, imm: u32) {
        self.out.push(Instruction { op, rd, rs1, rs2, imm });
    }

    fn jump(&mut self, op: u8, rd: u8, rs1: u8, row: usize) {
        self.jumps.push((self.out.len(), row));
        self.put(op, rd, rs1, ZERO, 0);
    }

    fn memory(&mut self, load: bool, r: u8, base: u8, offset: u32) {
        let (mut base, mut low) = (base, offset);
        if !fits(offset as i32) {
            let high;
            (high, low) = split(offset as i32);
            self.put(LUI, T1, 0, 0, high);
            self.put(ADD, T1, T1, base, 0);
            base = T1;
        }
        match (load, r >= 32) {
            (true, false) => self.put(LW, r, base, 0, low),
            (true, true) => self.put(FLW, r, base, 0, low),
            (false, false) => self.put(SW, 0, base, r, low),
            (false, true) => self.put(FSW, 0, base, r, low),
        }
    }

    fn copy(&mut self, to: u8, from: u8) {
        match (to >= 32, from >= 32) {
            (false, false) => self.put(ADDI, to, from, 0, 0),
            (false, true) => self.put(FMV_X_W, to, from, 0, 0),
            (true, false) => self.put(FMV_W_X, to, from, 0, 0),
            (true, true) => self.put(FSGNJ, to, from, from, 0),
        }
    }

    fn constant(&mut self, r: u8, value: u32) {
        let (high, low) = split(value as i32);
        if fits(value as i32) {
            self.put(ADDI, r, ZERO, 0, value);
        } else {
            self.put(LUI, r, 0, 0, high);
            if low != 0 {
                self.put(ADDI, r, r, 0, low);
            }
        }
    }

    fn call(&mut self, id: u32) {
        self.put(CALL, RA, 0, 0, id);
    }

    /// Puts the frame that is `hops` links away into `r`.
    fn chain(&mut self, r: u8, hops: u32, frame: &Frame) {
        if hops > 0 {
            self.memory(true, r, SP, frame.bytes.wrapping_sub(8));
            for _ in 1..hops {
                self.put(LW, r, r, 0, -8i32 as u32);
            }
        }
    }

    fn move_sp(&mut self, bytes: u32, down: bool) {
        if bytes == 0 {
        } else if fits(bytes as i32) {
            self.put(ADDI, SP, SP, 0, if down { bytes.wrapping_neg() } else { bytes });
        } else {
            let (high, low) = split(bytes as i32);
            self.put(LUI, T1, 0, 0, high);
            self.put(ADDI, T1, T1, 0, low);
            self.put(if down { SUB } else { ADD }, SP, SP, T1, 0);
        }
    }

    fn row(&mut self, r: usize) {
        let row = self.rows[r].clone();
        let frame = self.frames[row.function];
        let value_type = value(&row);
        let count = operands(&row);
        let spill = |row: &Row| frame.spills + 4 * (row.ints + row.floats);
        // Operands: the last is the row before, unless it is an argument's value.
        let mut registers = Vec::new();
        let left = if row.kind == kind::ARG || count == 2 { row.operand as usize } else { r.wrapping_sub(1) };
        for (k, operand) in [left, r.wrapping_sub(1)].into_iter().take(count).enumerate() {
            let from = self.rows[operand].clone();
            let is_float = value(&from) == ty::FLOAT;
            let scratch = match (calls(&row), is_float) {
                _ if row.kind == kind::ARG && row.place != SPILLED => row.place,
                (true, _) => FA0 + k as u8,
                (false, true) => FT0 + k as u8,
                (false, false) => T0 + k as u8,
            };
            if from.place == SPILLED {
                self.memory(true, scratch, SP, spill(&from));
                registers.push(scratch);
            } else {
                registers.push(from.place);
            }
        }
        let [a, b] = [registers.first(), registers.get(1)].map(|r| r.copied().unwrap_or(ZERO));
        let scratch = if value_type == ty::FLOAT { FT0 } else { T0 };
        let d = if row.place < 64 { row.place } else { scratch };
        let holds = self.operation(r, &row, &frame, d, a, b);
        let is_variable = matches!(row.kind, kind::PARAM | kind::HEADER);
        if row.kind == kind::CHOOSE {
            if row.role == role::CONDITION && row.place == SPILLED {
                self.memory(true, d, SP, spill(&row));
            }
            if row.role == role::CONDITION {
                self.jump(BEQ, 0, d, row.target as usize);
            }
            return;
        }
        if !is_variable && row.place == SPILLED {
            let at = if row.kind == kind::ARG { 4 * row.word } else { spill(&row) };
            self.memory(false, holds, SP, at);
        } else if !is_variable && row.place != NOWHERE && row.place != holds {
            self.copy(row.place, holds);
        }
        if row.role == role::CONDITION {
            let condition = if row.place < 64 { row.place } else { holds };
            self.jump(BEQ, 0, condition, row.target as usize);
        }
        if row.kind == kind::THEN {
            self.jump(JAL, ZERO, 0, row.target as usize);
        }
    }

    /// Writes the operation itself; returns the register that holds the value.
    fn operation(&mut self, r: usize, row: &Row, frame: &Frame, d: u8, a: u8, b: u8) -> u8 {
        let own = frame.bytes.wrapping_add(row.data);
        // The operands of a unary operation have its type, but for casts.
        let is_float = match row.kind {
            kind::CAST => value(&self.rows[r - 1]) == ty::FLOAT,
            _ => row.ty == ty::FLOAT,
        };
        match row.kind {
            kind::REM if is_float => {
                self.copy(FA0, a);
                self.copy(FA1, b);
                self.call(runtime::REMAINDER);
                return FA0;
            }
            k if is_binary(k) => {
                let operator = operator(k);
                let code = if is_float { operator.float_code } else { operator.int_code };
                self.out.extend(code(d, a, b));
            }
            kind::NEGATE if is_float => self.put(FSGNJN, d, a, a, 0),
            kind::NEGATE => self.put(SUB, d, ZERO, a, 0),
            kind::NOT => self.put(SLTIU, d, a, 0, 1),
            kind::SQRT => self.put(FSQRT, d, a, 0, 0),
            kind::ABS if is_float => self.put(FSGNJX, d, a, a, 0),
            kind::ABS => {
                self.put(SRAI, T1, a, 0, 31);
                self.put(XOR, d, a, T1, 0);
                self.put(SUB, d, d, T1, 0);
            }
            kind::COMPLEMENT => self.put(XORI, d, a, 0, -1i32 as u32),
            kind::CAST if is_float == (row.ty == ty::FLOAT) => return a,
            kind::CAST => self.put(if is_float { FCVT_W_S } else { FCVT_S_W }, d, a, 0, 0),
            kind::ASCRIBE | kind::ARG | kind::THEN | kind::OTHERWISE | kind::SEQUENCE => return a,
            kind::LITERAL if row.ty == ty::INT => self.constant(d, row.data),
            kind::LITERAL if row.data == 0 => self.copy(d, ZERO),
            kind::LITERAL => {
                self.constant(T0, row.data);
                self.copy(d, T0);
            }
            kind::NAME | kind::DATA | kind::EXTENT | kind::ASSIGN => {
                self.chain(T2, row.aux, frame);
                let (base, offset) = if row.aux == 0 { (SP, own) } else { (T2, row.data) };
                let is_read = row.kind != kind::ASSIGN;
                self.memory(is_read, if is_read { d } else { a }, base, offset);
                if matches!(row.kind, kind::DATA | kind::EXTENT) {
                    self.memory(true, d, d, if row.kind == kind::DATA { 0 } else { 4 });
                }
                return if is_read { d } else { a };
            }
            kind::ADDRESS => {
                self.chain(T2, row.aux, frame);
                let (base, offset) = if row.aux == 0 { (SP, own) } else { (T2, row.data) };
                if fits(offset as i32) {
                    self.put(ADDI, d, base, 0, offset);
                } else {
                    let (high, low) = split(offset as i32);
                    self.put(LUI, d, 0, 0, high);
                    self.put(ADD, d, d, base, 0);
                    self.put(ADDI, d, d, 0, low);
                }
            }
            kind::LOAD_BYTE | kind::LOAD_SHORT | kind::STORE_BYTE | kind::STORE_SHORT => {
                let (mut base, mut offset) = (a, row.data);
                if !fits(offset as i32) {
                    let high;
                    (high, offset) = split(offset as i32);
                    self.put(LUI, T2, 0, 0, high);
                    self.put(ADD, T2, T2, base, 0);
                    base = T2;
                }
                match row.kind {
                    kind::LOAD_BYTE => self.put(LBU, d, base, 0, offset),
                    kind::LOAD_SHORT => self.put(LH, d, base, 0, offset),
                    kind::STORE_BYTE => self.put(SB, 0, base, b, offset),
                    _ => self.put(SH, 0, base, b, offset),
                }
            }
            kind::LOAD | kind::STORE => {
                let (mut base, mut offset) = (a, row.data);
                if !fits(offset as i32) {
                    let high;
                    (high, offset) = split(offset as i32);
                    self.put(LUI, T2, 0, 0, high);
                    self.put(ADD, T2, T2, base, 0);
                    base = T2;
                }
                self.memory(row.kind == kind::LOAD, if row.kind == kind::LOAD { d } else { b }, base, offset);
            }
            kind::ADD_WORDS | kind::ADD_SHORTS => {
                self.put(SLLI, T1, b, 0, if row.kind == kind::ADD_WORDS { 2 } else { 1 });
                self.put(ADD, d, a, T1, 0);
            }
            kind::DECLARE => {
                self.memory(false, a, SP, own);
                return a;
            }
            kind::COUNT => {
                self.put(ADDI, T2, a, 0, -1i32 as u32);
                self.memory(false, T2, SP, own.wrapping_sub(4));
                self.memory(false, ZERO, SP, own);
                self.put(SLT, d, ZERO, a, 0);
            }
            kind::FOR => {
                self.memory(true, T0, SP, own);
                self.put(ADDI, T0, T0, 0, 1);
                self.memory(false, T0, SP, own);
                self.memory(true, T2, SP, own.wrapping_sub(4));
                self.put(SLT, T0, T2, T0, 0);
            }
            kind::PARAM if row.aux < 64 => self.memory(false, row.aux as u8, SP, own),
            kind::PARAM => {}
            kind::CHECK_INDEX | kind::CHECK_SIZE | kind::CHECK_EQUAL | kind::CHECK_SLICE => {
                let check = match row.kind {
                    kind::CHECK_INDEX => CHECK_BELOW,
                    kind::CHECK_SIZE => CHECK_AT_LEAST,
                    kind::CHECK_EQUAL => CHECK_SAME,
                    _ => CHECK_RANGE,
                };
                self.put(check, RA, a, b, runtime::CHECK_FAILED);
                return a;
            }
            kind::CALL => {
                match row.aux {
                    0 => {}
                    1 if fits(frame.bytes as i32) => self.put(ADDI, T0, SP, 0, frame.bytes),
                    1 => {
                        let (high, low) = split(frame.bytes as i32);
                        self.put(LUI, T0, 0, 0, high);
                        self.put(ADDI, T0, T0, 0, low);
                        self.put(ADD, T0, T0, SP, 0);
                    }
                    hops => self.chain(T0, hops - 1, frame),
                }
                self.call(row.data);
                return if row.ty == ty::FLOAT { FA0 } else { A0 };
            }
            kind::RETURN => {
                let last = self.lasts[row.function];
                self.jump(JAL, ZERO, 0, last);
            }
            kind::BLOCK if row.role == role::JUMP => self.jump(JAL, ZERO, 0, row.target as usize),
            kind::HEADER => {
                self.move_sp(frame.bytes, true);
                if frame.calls > 0 {
                    self.memory(false, RA, SP, frame.bytes.wrapping_sub(4));
                }
                if frame.nested > 0 {
                    self.memory(false, T0, SP, frame.bytes.wrapping_sub(8));
                }
                for (register, at) in saved_registers(frame) {
                    self.memory(false, register, SP, at);
                }
            }
            kind::FUNCTION => {
                if frame.calls > 0 {
                    self.memory(true, RA, SP, frame.bytes.wrapping_sub(4));
                }
                for (register, at) in saved_registers(frame) {
                    self.memory(true, register, SP, at);
                }
                self.move_sp(frame.bytes, false);
                self.put(JALR, ZERO, RA, 0, 0);
            }
            _ => {}
        }
        d
    }
}
