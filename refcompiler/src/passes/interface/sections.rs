//! The sections of functions between Par and C.
//!
//! ```text
//! stage      0      1                      2                3                   4
//! sections   begin  parameters ..  open    ready ..  call   arguments ..  -     given back ..  end
//! ```
//!
//! A function of x86-64 that C calls has *open* in *begin*, because its parameters are variables of the block: see [`frame`](super::frame).

use treepar::device::device;
use treepar::monoid::{Or, Sum};

use super::forms::{Form, part, step_of_child};
use super::slots::Slot;
use super::words::words_of;
use super::{CrossingId, Crossings, HeadId, Heads};
use crate::ir::kinds::{Kind, Type};
use crate::passes::templates::items::Item;
use crate::passes::templates::rules::HEAD;
use crate::target::Target;

/// An index of a section.
#[device(index)]
pub struct SectionId(u32);

/// A section of a function.
#[device(columns(Sections, index = SectionId))]
pub struct Section {
    /// The form.
    pub form: Form,
    /// The function.
    pub crossing: CrossingId,
    /// The number of its parameter, or the number of parameters for *open*, *call* and *end*.
    pub number: u32,
    /// The parameter, `NONE` in other sections.
    pub parameter: HeadId,
    /// How many sections of the function come before.
    pub before: u32,
}

/// Where the nodes of a section are.
#[device(columns(Places, index = SectionId))]
pub struct Place {
    /// The first node.
    pub first: u32,
    /// The words that C passes as parameters of earlier sections: see [`words`](super::words).
    pub words: u64,
}

/// A node of a section.
#[device]
pub struct Spot {
    /// The section.
    pub section: SectionId,
    /// The node.
    pub item: Item,
    /// The number of the repetition of its piece.
    pub repetition: u32,
    /// By how much it is deeper.
    pub shift: u32,
}

/// Returns section `number` of a stage of the function that section `s` belongs to.
#[device]
pub fn section_of(s: SectionId, stage: u32, number: u32, sections: &Sections, crossings: &Crossings) -> SectionId {
    let begin = s.get() - sections.before[s];
    if stage == 0 {
        return SectionId::new(begin);
    }
    SectionId::new(begin + 1 + (stage - 1) * (crossings.parameters[sections.crossing[s]] + 1) + number)
}

/// The number of ways in which functions cross: Par calls C; C calls Par with addresses that Par has; C calls Par with any addresses.
const WAYS: usize = 3;
/// The number of kinds of parameters: a number, an array, an array that is unique.
const PARAMETERS: usize = 3;
/// The number of kinds of results: none, an int, a float, an array.
const RESULTS: usize = 4;
/// The number of stages after *begin*.
pub const STAGES: u32 = 4;

/// Returns rows of forms.
macro_rules! rows {
    ($([$($form:ident),*],)*) => { [$([$(Form::$form),*],)*] };
}

/// The sections of each kind of parameter for each way.
const OF_PARAMETERS: [[Form; STAGES as usize]; WAYS * PARAMETERS] = rows! {
    [Word, Nothing, Number, Nothing],
    [Word, Nothing, Parts, Nothing],
    [Word, Take, Parts, Nothing],
    [Word, Nothing, Number, Nothing],
    [Words, View, Passed, Nothing],
    [Words, View, Passed, Nothing],
    [Loaded, Nothing, Number, Nothing],
    [LoadedWords, FarView, Passed, Nothing],
    [LoadedWords, FarView, Passed, GiveBack],
};

/// The last sections of the stages of each kind of result for each way.
const OF_RESULTS: [[Form; STAGES as usize]; WAYS * RESULTS] = rows! {
    [Open, CallVoid, Nothing, Leave],
    [Open, CallInt, Nothing, Nothing],
    [Open, CallFloat, Nothing, Nothing],
    [Open, CallRoom, Nothing, Receive],
    [Open, CallVoid, Nothing, Leave],
    [Open, CallInt, Nothing, Nothing],
    [Open, CallFloat, Nothing, Nothing],
    [OpenOuts, KeptInt, Nothing, HandOver],
    [Nothing, CallVoid, Nothing, Leave],
    [Nothing, KeptInt, Nothing, LeaveInt],
    [Nothing, KeptFloat, Nothing, LeaveFloat],
    [LoadedRoom, KeptInt, Nothing, HandOverFar],
};

/// The first row of results in both tables together, and the number of rows.
const FIRST_RESULT: usize = OF_PARAMETERS.len();
const ROWS: usize = FIRST_RESULT + OF_RESULTS.len();

/// The codes of the forms of both tables.
const FORMS: [u8; ROWS * STAGES as usize] = {
    let mut codes = [0; ROWS * STAGES as usize];
    let mut at = 0;
    while at < codes.len() {
        let (row, stage) = (at / STAGES as usize, at % STAGES as usize);
        let is_parameter = row < FIRST_RESULT;
        let form = if is_parameter { OF_PARAMETERS[row][stage] } else { OF_RESULTS[row - FIRST_RESULT][stage] };
        codes[at] = form.code();
        at += 1;
    }
    codes
};

/// Returns the form of a section of stage `stage` in a row of the tables.
#[device]
fn form(row: usize, stage: u32) -> Form {
    Form::from_code(FORMS[STAGES as usize * row + (stage - 1) as usize])
}

/// Returns the way in which a function crosses on a target.
#[device]
fn way(kind: Kind, target: Target) -> usize {
    if kind == Kind::Extern {
        0
    } else if target == Target::X86_64 {
        2
    } else {
        1
    }
}

/// Returns the row of a result.
#[device]
fn row_of_result(way: usize, result: Type) -> usize {
    let kind = if result.is_array() {
        3
    } else if result == Type::Void {
        0
    } else if result == Type::Float {
        2
    } else {
        1
    };
    FIRST_RESULT + RESULTS * way + kind
}

/// Returns the number of sections of a function with some parameters.
#[device]
pub fn count(parameters: u32) -> u32 {
    1 + STAGES * (parameters + 1)
}

/// Returns section `k` of a function.
#[device(expand)]
pub fn section(c: CrossingId, k: u32, crossings: &Crossings, heads: &Heads, target: Target) -> Section {
    let count = crossings.parameters[c];
    let way = way(crossings.kind[c], target);
    if k == 0 {
        let begin = if way == 2 { Form::BeginFrame } else { Form::Begin };
        return Section { form: begin, crossing: c, number: 0, parameter: HeadId::NONE, before: 0 };
    }
    let stage = 1 + (k - 1) / (count + 1);
    let number = (k - 1) % (count + 1);
    if number == count {
        let form = form(row_of_result(way, crossings.result[c]), stage);
        return Section { form, crossing: c, number, parameter: HeadId::NONE, before: k };
    }
    let h = crossings.first[c].plus(number);
    let kind = if heads.ty[h].is_array() { 1 + (heads.data[h] == 1) as usize } else { 0 };
    Section { form: form(PARAMETERS * way + kind, stage), crossing: c, number, parameter: h, before: k }
}

/// Returns the rank of the array that a section is about: the parameter, or the result.
#[device]
pub fn parameter_rank(s: SectionId, sections: &Sections, crossings: &Crossings, heads: &Heads) -> u32 {
    let parameter = sections.parameter[s];
    if parameter.is_none() { crossings.result[sections.crossing[s]].rank() } else { heads.ty[parameter].rank() }
}

/// Returns the nodes of a section.
#[device]
fn nodes_of(s: SectionId, sections: &Sections, crossings: &Crossings, heads: &Heads) -> Slot {
    let rank = parameter_rank(s, sections, crossings, heads);
    let mut nodes = part(sections.form[s], HEAD, rank);
    nodes.more = (rank + 1) as u8;
    nodes
}

/// Returns the number of nodes of a section.
#[device(scan(Sum))]
pub fn length(s: SectionId, sections: &Sections, crossings: &Crossings, heads: &Heads) -> u32 {
    nodes_of(s, sections, crossings, heads).length()
}

/// Returns the words that C passes for the parameter of a section.
#[device(scan(Sum))]
pub fn words_of_parameter(s: SectionId, sections: &Sections, heads: &Heads) -> u64 {
    let form = sections.form[s];
    let is_passed = (form == Form::Word) | (form == Form::Words) | (form == Form::Loaded) | (form == Form::LoadedWords);
    if is_passed { words_of(heads.ty[sections.parameter[s]]) } else { 0 }
}

/// Returns the bit of a section's form.
#[device(reduce(Or))]
pub fn form_bit(s: SectionId, sections: &Sections) -> u32 {
    1 << sections.form[s].code() as u32
}

/// Returns node `k` of section `s`.
#[device]
pub fn item(s: SectionId, k: u32, sections: &Sections, crossings: &Crossings, heads: &Heads) -> Spot {
    let found = nodes_of(s, sections, crossings, heads).find(k);
    let form = sections.form[s];
    // Arguments are as deep as the call wants them.
    let call = section_of(s, 2, crossings.parameters[sections.crossing[s]], sections, crossings);
    let is_argument = (form == Form::Number) | (form == Form::Passed) | (form == Form::Parts);
    let shift = if is_argument { step_of_child(sections.form[call], 0) } else { 0 };
    Spot { section: s, item: found.item, repetition: found.repetition, shift }
}
