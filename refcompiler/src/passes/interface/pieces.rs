//! The pieces of sections: runs of nodes in preorder, each with its depth, its type and the source of its data.

use treepar::device::device;

use super::forms::Form;
use super::sections::{Places, SectionId, Sections, Spot, parameter_rank, section_of};
use super::{Crossings, Heads};
use crate::ir::kinds::{Kind, Type};
use crate::ir::tree::runtime::{
    ARENA, CHECK_FAILED, COUNT_OF, FITTING, FOREIGN_RESULT, FOREIGN_ROOM, FOREIGN_VIEW, HAND_OVER, LEAVE, LEAVE_ARRAY,
    LEAVE_FLOAT, LEAVE_INT, TAKE,
};
use crate::passes::templates::items::{
    FLOAT, INT, Item, OTHER_TYPES, OWN, VOID, arg, constant, expression, node, pieces, sources,
};

sources! {
    /// The id of the function in between.
    Function,
    /// The id of the function that it calls.
    Callee,
    /// One more than the position of the function's name.
    Position,
    /// The rank of the parameter's array, or of the result.
    Rank,
    /// 1 if the parameter is unique.
    Unique,
    /// The offset of word `c` in the head of an array, counted from the word of the repetition.
    Word,
    /// The number of the argument that the repetition says, `c` later, as the function that is called counts.
    Argument,
    /// From here on, variables. The parameter, or the first word of it.
    Parameter,
    /// The extent that the number of the repetition says, among the words of the parameter.
    Extent,
    /// The array of Par for the parameter.
    View,
    /// Where memory ends when the function begins.
    Mark,
    /// The result.
    Array,
    /// Parameter `c` of three for the result.
    Out,
}

/// The type of the result, of numbers only.
const RESULT: u32 = OTHER_TYPES;

/// The offset of the first extent in the head of an array, in words.
const EXTENTS: u32 = 1;

/// A call of a function of the runtime.
const fn call(depth: u32, ty: u32, id: u32) -> Item {
    item(depth, Kind::Call, ty, Source::Constant, id)
}

/// A variable that is an int.
const fn int(depth: u32, source: Source, c: u32) -> Item {
    item(depth, Kind::Name, INT, source, c)
}

/// The rank, as a literal.
const fn rank(depth: u32) -> Item {
    item(depth, Kind::Literal, INT, Source::Rank, 0)
}

/// A word of the head of an array, which follows.
const fn word(depth: u32, c: u32) -> Item {
    item(depth, Kind::Load, INT, Source::Word, c)
}

/// A check, with the position of the function.
const fn check(depth: u32, kind: Kind) -> Item {
    item(depth, kind, INT, Source::Position, 0)
}

/// Returns a call in a `return`, which releases memory and passes the result on.
const fn returned(ty: u32, leave: u32) -> [Item; 6] {
    [
        node(2, Kind::Return, VOID),
        call(3, ty, leave),
        arg(4, 0),
        int(5, Source::Mark, 0),
        item(4, Kind::Arg, ty, Source::Constant, 1),
        item(5, Kind::Call, ty, Source::Callee, 0),
    ]
}

pieces! {
    /// No node.
    Nothing = [];
    /// The function and its HEADER.
    Begin = [item(0, Kind::Function, RESULT, Source::Function, 0), node(1, Kind::Header, VOID)];
    /// A parameter.
    Word = [node(1, Kind::Param, OWN)];
    /// A parameter that is an int.
    IntWord = [node(1, Kind::Param, INT)];
    /// Three parameters for a result: the address of the data, how many elements have room, and the address of the extents.
    Outs = [node(1, Kind::Param, INT), node(1, Kind::Param, INT), node(1, Kind::Param, INT)];
    /// The block, which remembers where memory ends.
    Open = [
        node(1, Kind::Block, VOID),
        expression(2),
        node(3, Kind::Declare, INT),
        node(4, Kind::Load, INT),
        call(5, INT, ARENA),
    ];
    /// A variable for an array of Par whose data belong to C.
    View = [
        expression(2),
        node(3, Kind::Declare, INT),
        call(4, INT, FOREIGN_VIEW),
        arg(5, 0),
        int(6, Source::Parameter, 0),
        arg(5, 1),
        rank(6),
        arg(5, 2),
        item(6, Kind::Literal, INT, Source::Unique, 0),
    ];
    /// An extent of it.
    StoreExtent = [
        item(2, Kind::Store, INT, Source::Word, EXTENTS),
        int(3, Source::View, 0),
        check(3, Kind::CheckSize),
        int(4, Source::Extent, 0),
        constant(4, 0),
    ];
    /// An array of its own for a parameter that C may change.
    Take = [
        expression(2),
        item(3, Kind::Assign, INT, Source::Parameter, 0),
        call(4, INT, TAKE),
        arg(5, 0),
        item(6, Kind::Address, INT, Source::Parameter, 0),
        arg(5, 1),
        int(6, Source::Parameter, 0),
        arg(5, 2),
        rank(6),
    ];
    /// The call of a function whose result is an int.
    CallInt = returned(INT, LEAVE_INT);
    /// The same of a float.
    CallFloat = returned(FLOAT, LEAVE_FLOAT);
    /// The same without a result.
    CallVoid = [expression(2), item(3, Kind::Call, VOID, Source::Callee, 0)];
    /// The same of an array of Par.
    CallArray = [expression(2), node(3, Kind::Declare, INT), item(4, Kind::Call, INT, Source::Callee, 0)];
    /// Memory for a result of C.
    Room = [expression(2), node(3, Kind::Declare, INT), call(4, INT, FOREIGN_ROOM), arg(5, 0), rank(6)];
    /// An argument.
    Number = [item(4, Kind::Arg, OWN, Source::Argument, 0), item(5, Kind::Name, OWN, Source::Parameter, 0)];
    /// An array of Par as an argument.
    Passed = [item(4, Kind::Arg, INT, Source::Argument, 0), int(5, Source::View, 0)];
    /// A word of the head of an array as an argument: the address of its data, or an extent.
    Part = [item(4, Kind::Arg, INT, Source::Argument, 0), word(5, 0), int(6, Source::Parameter, 0)];
    /// The arguments for a result of C: the data, the room and the extents. The first extent is the room until C writes it.
    RoomParts = [
        item(4, Kind::Arg, INT, Source::Argument, 0),
        node(5, Kind::Load, INT),
        int(6, Source::Array, 0),
        item(4, Kind::Arg, INT, Source::Argument, 1),
        word(5, EXTENTS),
        int(6, Source::Array, 0),
        item(4, Kind::Arg, INT, Source::Argument, 2),
        node(5, Kind::Add, INT),
        int(6, Source::Array, 0),
        constant(6, 4 * EXTENTS),
    ];
    /// The check of an extent that C has written.
    CheckExtent = [
        expression(2),
        check(3, Kind::CheckSize),
        word(4, EXTENTS),
        int(5, Source::Array, 0),
        constant(4, 0),
    ];
    /// The end of a function that gets an array from C.
    ReturnArray = [
        node(2, Kind::Return, VOID),
        call(3, INT, LEAVE_ARRAY),
        arg(4, 0),
        int(5, Source::Mark, 0),
        arg(4, 1),
        call(5, INT, FOREIGN_RESULT),
        arg(6, 0),
        int(7, Source::Array, 0),
        arg(6, 1),
        rank(7),
        arg(4, 2),
        rank(5),
    ];
    /// A function that gives C an array: the elements have room, and C gets them and their extents.
    HandOver = [
        expression(2),
        check(3, Kind::CheckEqual),
        call(4, INT, COUNT_OF),
        arg(5, 0),
        int(6, Source::Array, 0),
        arg(5, 1),
        constant(6, 0),
        arg(5, 2),
        rank(6),
        call(4, INT, FITTING),
        arg(5, 0),
        int(6, Source::Array, 0),
        arg(5, 1),
        rank(6),
        arg(5, 2),
        int(6, Source::Out, 1),
        expression(2),
        call(3, VOID, HAND_OVER),
        arg(4, 0),
        int(5, Source::Array, 0),
        arg(4, 1),
        rank(5),
        arg(4, 2),
        int(5, Source::Out, 0),
        arg(4, 3),
        int(5, Source::Out, 2),
    ];
    /// The end of a function without a result.
    Leave = [expression(2), call(3, VOID, LEAVE), arg(4, 0), int(5, Source::Mark, 0)];
}

impl Piece {
    /// Returns the functions of the runtime that its nodes call, with the one that a check calls.
    pub fn calls(self) -> impl Iterator<Item = u32> {
        (0..self.length()).map(move |k| self.item(k)).filter_map(|item| match item.kind() {
            Kind::Call if item.source() == u32::from(Source::Constant.code()) => Some(item.number()),
            kind if kind.is_check() => Some(CHECK_FAILED),
            _ => None,
        })
    }
}

/// Returns the type of a value as a number: an array is an address.
#[device]
fn number(ty: Type) -> Type {
    if ty.is_array() { Type::Int } else { ty }
}

/// Returns the type of a node.
#[device]
pub fn type_of(spot: Spot, sections: &Sections, crossings: &Crossings, heads: &Heads) -> Type {
    let c = sections.crossing[spot.section];
    match spot.item.ty() {
        OWN => number(heads.ty[sections.parameter[spot.section]]),
        RESULT => {
            let result = crossings.result[c];
            if result.is_array() & (crossings.kind[c] == Kind::Function) { Type::Void } else { number(result) }
        }
        code => Type::from_code(code as u8),
    }
}

/// Returns the number of the argument that section `s` begins with, as C counts.
#[device]
fn argument_of_c(s: SectionId, sections: &Sections, places: &Places, crossings: &Crossings) -> u32 {
    let begin = section_of(s, 0, 0, sections, crossings);
    // The arguments for a result come after all parameters.
    let of_parameter = section_of(s, 1, sections.number[s], sections, crossings);
    places.words[of_parameter] - places.words[begin]
}

/// Returns the data of a node.
#[device]
pub fn data_of(
    spot: Spot,
    sections: &Sections,
    places: &Places,
    crossings: &Crossings,
    heads: &Heads,
    base: u32,
) -> u32 {
    let s = spot.section;
    let c = sections.crossing[s];
    let number = spot.item.number();
    let is_extern = crossings.kind[c] == Kind::Extern;
    let open = section_of(s, 1, crossings.parameters[c], sections, crossings);
    match Source::from_code(spot.item.source() as u8) {
        Source::Own => 0,
        Source::Constant => number,
        Source::Function => {
            if is_extern {
                crossings.id[c]
            } else {
                crossings.other[c]
            }
        }
        Source::Callee => {
            if is_extern {
                crossings.other[c]
            } else {
                crossings.id[c]
            }
        }
        Source::Position => crossings.position[c] + 1,
        Source::Rank => parameter_rank(s, sections, crossings, heads),
        Source::Unique => (heads.data[sections.parameter[s]] == 1) as u32,
        Source::Word => 4 * (number + spot.repetition),
        Source::Argument => {
            let first = if is_extern { argument_of_c(s, sections, places, crossings) } else { sections.number[s] };
            first + number + spot.repetition
        }
        Source::Mark => {
            let outs = if sections.form[open] == Form::OpenOuts { Piece::Outs.length() } else { 0 };
            base + places.first[open] + outs + 2
        }
        Source::Out => base + places.first[open] + number,
        Source::Array => base + places.first[section_of(s, 2, crossings.parameters[c], sections, crossings)] + 1,
        Source::View => base + places.first[section_of(s, 2, sections.number[s], sections, crossings)] + 1,
        Source::Extent => {
            base + places.first[section_of(s, 1, sections.number[s], sections, crossings)] + 1 + spot.repetition
        }
        _ => base + places.first[section_of(s, 1, sections.number[s], sections, crossings)],
    }
}
