//! The section `.debug_frame`: how the caller of each function is found.

use gimli::write::{
    CallFrameInstruction, CieId, CommonInformationEntry, Expression, FrameDescriptionEntry, FrameTable,
};
use gimli::{Encoding, Register};

use super::{Debug, FunctionCode};
use crate::object::Image;
use crate::target::Target;
use crate::target::prelude::START;
use crate::target::unwind::{Change, Rule};

/// Returns the table of all functions of an image: compiled functions and functions of machine code.
pub(super) fn frame_table(image: &Image, debug: &Debug, encoding: Encoding) -> FrameTable {
    let target = image.target;
    let mut table = FrameTable::default();
    // Version 1 of this section is the first, and belongs to DWARF 2.
    let encoding = Encoding { version: 4, ..encoding };
    let unit = target.unit() as u8;
    let mut common = CommonInformationEntry::new(encoding, unit, -4, Register(target.return_register()));
    for rule in target.at_entry() {
        common.add_instruction(instruction(target, rule));
    }
    let common = table.add_cie(common);
    for &FunctionCode { offset, size, parts, frame, .. } in &debug.functions {
        add(&mut table, common, target, (offset, size), &target.in_function(frame, parts));
    }
    let bytes = image.bytes();
    for symbol in &image.symbols {
        let is_compiled = debug.functions.binary_search_by_key(&symbol.offset, |function| function.offset).is_ok();
        let range = symbol.offset as usize..(symbol.offset + symbol.size) as usize;
        if let Some(code) = bytes.get(range).filter(|_| !is_compiled) {
            let changes = target.in_machine_code(code, symbol.name == START);
            add(&mut table, common, target, (symbol.offset, symbol.size), &changes);
        }
    }
    table
}

/// Adds a function with its offset and size.
fn add(table: &mut FrameTable, common: CieId, target: Target, (offset, size): (u32, u32), changes: &[Change]) {
    if size == 0 {
        return;
    }
    let mut entry = FrameDescriptionEntry::new(super::dwarf::address(offset), size);
    for change in changes {
        entry.add_instruction(change.offset, instruction(target, change.rule));
    }
    table.add_fde(common, entry);
}

/// Returns the instruction that states a rule.
fn instruction(target: Target, rule: Rule) -> CallFrameInstruction {
    let register = |r: u8| Register(target.debugger_register(r));
    match rule {
        Rule::Cfa(r, bytes) => CallFrameInstruction::Cfa(register(r), bytes as i32),
        Rule::CfaInMemory(at, bytes) => {
            let mut expression = Expression::new();
            expression.op_breg(register(target.stack_pointer()), i64::from(at as i32));
            expression.op_deref();
            expression.op_plus_uconst(u64::from(bytes));
            CallFrameInstruction::CfaExpression(expression)
        }
        Rule::Saved(r, below) => CallFrameInstruction::Offset(register(r), -(below as i32)),
        Rule::Moved(r, to) => CallFrameInstruction::Register(register(r), register(to)),
        Rule::Kept(r) => CallFrameInstruction::SameValue(register(r)),
        Rule::NoCaller => CallFrameInstruction::Undefined(Register(target.return_register())),
    }
}
