//! The rules of x86-64, and the patterns of bytes.

use super::each_operation;
use refcompiler::ir::frame::Frame;
use refcompiler::ir::held::held_data;
use refcompiler::ir::instruction::{BRANCH, Instruction, Jump, NO_PATTERN, immediate, nothing};
use refcompiler::ir::kinds::{Kind, Role, Type};
use refcompiler::ir::operation::Operation;
use refcompiler::ir::registers::{NOWHERE, SPILLED, STACK, result_register};
use refcompiler::ir::rows::{HostLocated, Located, LocatedRow, RowId, before};
use refcompiler::passes::lower::operands::operation;
use refcompiler::target::Target;
use refcompiler::target::x86_64::assembly::target;
use refcompiler::target::x86_64::choice::{choice, is_linked_pattern, linked_jump};
use refcompiler::target::x86_64::decode::decode;
use refcompiler::target::x86_64::encode::{encode, length as bytes_of};
use refcompiler::target::x86_64::isa::FORMS;
use refcompiler::target::x86_64::jumps::{bytes_before_linking, form, has_one_form, is_linked, shortest};
use refcompiler::target::x86_64::registers::{R11, R12, R15, RBX, RDI, XMM0, XMM8, XMM9, XMM13};
use refcompiler::target::x86_64::rules::{contains_sum, instruction, jump_length, length};
use refcompiler::target::x86_64::variants::pattern_bytes;
use refcompiler::target::x86_64::vectors::named;
use refcompiler::target::x86_64::words::pattern_word;

/// Calls a function with operations of every kind, type, role and location class, and with frames of several sizes.
fn each_row(check: &mut dyn FnMut(Operation, Frame)) {
    each_operation([RBX, R12, R11, XMM9], |s, near, k| {
        check(s, Frame { bytes: near * (k % 3), nested: k >> 1, ..Frame::default() });
    });
}

#[test]
fn lengths_equal_numbers_of_instructions() {
    super::lengths_equal_numbers_of_instructions(each_row, length, instruction);
}

/// The bytes of each instruction are one instruction, and jumps within a row go to one of its instructions or to its end.
#[test]
fn bytes_are_the_instructions_of_the_row() {
    let (mut decoded, mut jumps) = (0, 0);
    each_row(&mut |s, frame| {
        let (mut starts, mut targets, mut at) = (vec![0], Vec::new(), 0);
        for x in (0..length(s, frame)).map(|k| instruction(s, frame, k)) {
            // The data of some rows name no operation on vectors.
            let is_known = || !FORMS[usize::from(x.op)].is_vector() || named(x.op, x.imm, x.rd & 15).is_some();
            if x.op != BRANCH && !is_linked(x.op) && is_known() {
                let mut bytes = Vec::new();
                encode(x, &mut bytes);
                let (found, count) = decode(&bytes).unwrap_or_else(|| panic!("{x:?} of {s:?}: {bytes:02x?}"));
                assert_eq!((found.op, count), (x.op, bytes_of(x) as usize), "{x:?} of {s:?}: {bytes:02x?}");
                targets.extend(target(at, x));
                decoded += 1;
            }
            at += bytes_before_linking(x);
            starts.push(at);
        }
        jumps += targets.len();
        assert!(targets.iter().all(|to| starts.contains(to)), "{targets:?} of {s:?}: {starts:?}");
    });
    assert!(decoded > 200_000 && jumps > 500, "only {decoded} instructions, {jumps} jumps");
}

/// The choices of rows of every kind, with some locations, values and roles, have the bytes of the instructions.
#[test]
fn patterns_equal_instructions() {
    let (mut cases, mut kinds) = (0, 0);
    let registers = |ty: Type| if ty.is_float() { [XMM8, XMM0, XMM13, XMM8] } else { [RBX, RDI, R15, R12] };
    let values = [0, 5, 127, 128, -128i32 as u32, -129i32 as u32, 70_000, 0x3f80_0000, u32::MAX];
    for (kind, ty) in Kind::ALL.iter().flat_map(|&kind| [Type::Void, Type::Int, Type::Float].map(|ty| (kind, ty))) {
        // A row with a value has a type, which is int for some kinds.
        let needs_type = kind.is_transparent() || kind.type_of_value(Type::Int) != Type::Void;
        let is_int_only = kind.is_int_only() || kind == Kind::HeldWord;
        if ty == Type::Void && needs_type || ty.is_float() && is_int_only {
            continue;
        }
        let other = if ty.is_float() { Type::Int } else { Type::Float };
        let left = if kind == Kind::Cast { other } else { ty };
        let left = if kind.is_access() { Type::Int } else { left };
        let right = if kind.is_store() { ty } else { left };
        let value = if kind.is_transparent() { left } else { kind.type_of_value(ty) };
        let before = cases;
        for (k, data) in (0..64).flat_map(|k| values.map(|data| (k, data))) {
            let at = |ty: Type, k: usize| (registers(ty)[k & 3], ty);
            let own = if value == Type::Void { (NOWHERE, ty) } else { (registers(value)[k >> 4], ty) };
            for role in [Role::Operand, Role::Discarded, Role::Condition, Role::Again, Role::Jump, Role::Returned] {
                let own = match role {
                    Role::Discarded => (NOWHERE, ty),
                    Role::Returned if value != Type::Void => (result_register(Target::X86_64, value.is_float()), ty),
                    _ => own,
                };
                let places = [(NOWHERE, Type::Void), at(left, k), at(right, k >> 2), own];
                let numbers = 0..=u32::from(kind.is_flagged());
                let arguments = [u32::from(places[1].0), STACK];
                let auxes = if kind == Kind::Param { arguments.to_vec() } else { numbers.collect() };
                for aux in auxes {
                    cases += same_bytes(kind, role, data, aux, places) as usize;
                }
            }
        }
        kinds += (cases > before) as usize;
    }
    assert!(cases > 50_000 && kinds > 80, "only {cases} cases, {kinds} kinds with a type");
}

/// Compares the bytes of the choice of a row with its instructions. Returns whether it has a pattern. `places` are the locations
/// and types of the rows up to this row.
fn same_bytes(kind: Kind, role: Role, data: u32, aux: u32, places: [(u8, Type); 4]) -> bool {
    let variable = held_data(places[1].0.into(), data & 0xff_ffff);
    let data = if kind.reads_held() { variable } else { data };
    let row = |(place, ty): (u8, Type)| LocatedRow { kind: Kind::Literal, ty, place, ..LocatedRow::default() };
    let [none, left, right, own] = places.map(row);
    let mut host = vec![none, left, right];
    let has_sum = kind == Kind::Load && aux == 1;
    if has_sum {
        host.push(LocatedRow { kind: Kind::AddWords, operand: RowId::new(1), place: SPILLED, ..left });
    }
    let r = RowId::new(host.len() as u32);
    let (operand, aux) = if has_sum { (before(r), 0) } else { (RowId::new(1), aux) };
    host.push(LocatedRow { kind, role, data, operand, aux, ..own });
    let host: HostLocated = host.into_iter().collect();
    let rows = <Located as treepar::device::Table>::view_host(&host);
    let frame = Frame { bytes: 16, ..Frame::default() };
    if has_sum && contains_sum(r, rows) {
        let sum = choice(before(r), rows, frame).choice;
        assert!(sum.pattern != NO_PATTERN && pattern_bytes(sum) == 0, "{sum:?}");
    }
    let choice = choice(r, rows, frame).choice;
    if choice.pattern == NO_PATTERN {
        return false;
    }
    let s = operation(r, rows, frame, r.get(), Target::X86_64);
    let mut expected = Vec::new();
    let mut linked = None;
    for k in 0..length(s, frame) - jump_length(kind, s.ty, role) {
        let x = instruction(s, frame, k);
        if has_one_form(x.op) {
            linked = Some((expected.len(), x));
            encode(Instruction { op: form(x, false), ..immediate(0, 0, 0, choice.immediate) }, &mut expected);
        } else {
            encode(x, &mut expected);
        }
    }
    assert_eq!(linked.is_some(), is_linked_pattern(choice.pattern), "{s:?} {choice:?}");
    if let Some((before, first)) = linked {
        let jump = linked_jump(r, choice, s.data);
        let rest = expected.len() as u32 - shortest(first.op);
        let expected = Jump { row: r.get(), before: before as u32, rest, first, branch: nothing() };
        assert_eq!(jump, expected, "{s:?} {choice:?}");
    }
    let words = pattern_bytes(choice).div_ceil(8);
    let found: Vec<u8> = (0..words).flat_map(|k| pattern_word(choice, k).to_le_bytes()).collect();
    expected.resize(found.len(), 0);
    assert_eq!(found, expected, "{s:?} {choice:?}");
    true
}
