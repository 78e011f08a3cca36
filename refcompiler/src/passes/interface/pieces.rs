//! The pieces of sections: runs of nodes in preorder, each with its depth, its type and the source of its data.

use treepar::device::device;

use super::forms::Form;
use super::frame::place_in_frame;
use super::sections::{Places, SectionId, Sections, Spot, parameter_rank, section_of};
use super::words::{floats_of, ints_of};
use super::{Crossings, Heads};
use crate::ir::kinds::{Kind, Type};
use crate::ir::tree::runtime::{
    ARENA, CHECK_FAILED, COUNT_OF, FETCH, FITTING, FOREIGN_RESULT, FOREIGN_ROOM, FOREIGN_VIEW, GIVE_BACK, HAND_OVER,
    HAND_OVER_FAR, LEAVE, LEAVE_ARRAY, LEAVE_FLOAT, LEAVE_INT, TAKE,
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
    /// The offset in the frame of word `c` of the parameter or of the result, counted from the word of the repetition.
    Place,
    /// From here on, variables. The address of the frame.
    Frame,
    /// The parameter, or the first word of it.
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

/// Returns a variable for word `number` of a parameter.
const fn loaded(ty: u32, number: u32) -> [Item; 6] {
    let [add, frame, place] = in_frame(5, number);
    [expression(2), node(3, Kind::Declare, ty), node(4, Kind::Load, ty), add, frame, place]
}

/// Returns the address of word `number` of a parameter.
const fn in_frame(depth: u32, number: u32) -> [Item; 3] {
    [
        node(depth, Kind::Add, INT),
        int(depth + 1, Source::Frame, 0),
        item(depth + 1, Kind::Literal, INT, Source::Place, number),
    ]
}

/// Returns the call of a function of the runtime with an array of C, the address of C's address, and the rank.
const fn with_pointer(id: u32) -> [Item; 10] {
    let [add, frame, place] = in_frame(5, 0);
    [
        expression(2),
        call(3, VOID, id),
        arg(4, 0),
        int(5, Source::View, 0),
        arg(4, 1),
        add,
        frame,
        place,
        arg(4, 2),
        rank(5),
    ]
}

/// Returns the end of a function, which releases memory and returns the variable of the call.
const fn left(ty: u32, leave: u32) -> [Item; 6] {
    [
        node(2, Kind::Return, VOID),
        call(3, ty, leave),
        arg(4, 0),
        int(5, Source::Mark, 0),
        item(4, Kind::Arg, ty, Source::Constant, 1),
        item(5, Kind::Name, ty, Source::Array, 0),
    ]
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
    /// The elements of an array have room in C.
    CheckRoom = [
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
    ];
    /// C gets the elements of an array and their extents.
    HandOver = [
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
    /// The same where C has addresses that Par has not.
    HandOverFar = [
        expression(2),
        call(3, VOID, HAND_OVER_FAR),
        arg(4, 0),
        int(5, Source::Array, 0),
        arg(4, 1),
        rank(5),
        arg(4, 2),
        in_frame(5, 0)[0],
        in_frame(5, 0)[1],
        in_frame(5, 0)[2],
        arg(4, 3),
        in_frame(5, 2)[0],
        in_frame(5, 2)[1],
        in_frame(5, 2)[2],
    ];
    /// The variable for a number in the frame.
    Loaded = loaded(OWN, 0);
    /// The variable for the lower half of an address in the frame, or for an extent.
    LoadedWord = loaded(INT, 0);
    /// The room for a result.
    LoadedRoom = loaded(INT, 1);
    /// An array of C gets a copy of its data where it needs one.
    Fetch = with_pointer(FETCH);
    /// C gets such a copy back.
    GiveBack = with_pointer(GIVE_BACK);
    /// The call of a function whose result, an int or an array of Par, is a variable.
    KeptInt = [expression(2), node(3, Kind::Declare, INT), item(4, Kind::Call, INT, Source::Callee, 0)];
    /// The same of a float.
    KeptFloat = [expression(2), node(3, Kind::Declare, FLOAT), item(4, Kind::Call, FLOAT, Source::Callee, 0)];
    /// The end of a function whose result is an int.
    LeaveInt = left(INT, LEAVE_INT);
    /// The same of a float.
    LeaveFloat = left(FLOAT, LEAVE_FLOAT);
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

/// Returns the words of C before a section, from the beginning of its function.
#[device]
fn words_before(s: SectionId, sections: &Sections, places: &Places, crossings: &Crossings) -> u64 {
    places.words[s] - places.words[section_of(s, 0, 0, sections, crossings)]
}

/// Returns the section of the parameter that section `s` is about, or the one after all parameters.
#[device]
fn parameter_of(s: SectionId, sections: &Sections, crossings: &Crossings) -> SectionId {
    section_of(s, 1, sections.number[s], sections, crossings)
}

/// Returns the number of the argument that section `s` begins with, as C counts. The arguments for a result come after all parameters.
#[device]
fn argument_of_c(s: SectionId, sections: &Sections, places: &Places, crossings: &Crossings) -> u32 {
    let words = words_before(parameter_of(s, sections, crossings), sections, places, crossings);
    ints_of(words) + floats_of(words)
}

/// Returns where C passes word `number` of the parameter or the result that section `s` is about.
#[device]
fn place(s: SectionId, number: u32, sections: &Sections, places: &Places, crossings: &Crossings, heads: &Heads) -> u32 {
    let parameter = sections.parameter[s];
    let is_float = !parameter.is_none() && heads.ty[parameter] == Type::Float;
    let words = words_before(parameter_of(s, sections, crossings), sections, places, crossings);
    place_in_frame(ints_of(words) + number, floats_of(words), is_float)
}

/// Returns the first variable of a parameter's section, or of the one after all parameters.
#[device]
fn first_variable(s: SectionId, sections: &Sections, places: &Places) -> u32 {
    let form = sections.form[s];
    let is_loaded = (form == Form::Loaded) | (form == Form::LoadedWords) | (form == Form::LoadedRoom);
    places.first[s] + is_loaded as u32
}

/// Returns the variable that says where memory ends when the function of section `s` begins.
#[device]
fn mark(s: SectionId, sections: &Sections, places: &Places, crossings: &Crossings) -> u32 {
    let begin = section_of(s, 0, 0, sections, crossings);
    if sections.form[begin] == Form::BeginFrame {
        return places.first[begin] + Piece::Begin.length() + Piece::IntWord.length() + 2;
    }
    let open = section_of(s, 1, crossings.parameters[sections.crossing[s]], sections, crossings);
    let outs = if sections.form[open] == Form::OpenOuts { Piece::Outs.length() } else { 0 };
    places.first[open] + outs + 2
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
    let parameter = parameter_of(s, sections, crossings);
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
        Source::Place => place(s, number + spot.repetition, sections, places, crossings, heads),
        Source::Frame => base + places.first[section_of(s, 0, 0, sections, crossings)] + Piece::Begin.length(),
        Source::Mark => base + mark(s, sections, places, crossings),
        Source::Out => {
            let open = section_of(s, 1, crossings.parameters[c], sections, crossings);
            let is_loaded = sections.form[open] == Form::LoadedRoom;
            base + first_variable(open, sections, places) + if is_loaded { 0 } else { number }
        }
        Source::Array => base + places.first[section_of(s, 2, crossings.parameters[c], sections, crossings)] + 1,
        Source::View => base + places.first[section_of(s, 2, sections.number[s], sections, crossings)] + 1,
        Source::Extent => {
            let is_loaded = sections.form[parameter] == Form::LoadedWords;
            let step = if is_loaded { Piece::LoadedWord.length() } else { 1 };
            base + first_variable(parameter, sections, places) + (1 + spot.repetition) * step
        }
        _ => base + first_variable(parameter, sections, places),
    }
}
