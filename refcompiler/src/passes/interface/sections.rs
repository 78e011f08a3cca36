//! The sections of functions between Par and C.
//!
//! ```text
//! stage      0      1                      2                      3
//! sections   begin  parameters ..  open    ready ..  call         arguments ..  end
//! ```

use treepar::device::device;
use treepar::monoid::{Or, Sum};

use super::forms::{Form, part, step_of_child};
use super::slots::Slot;
use super::{CrossingId, Crossings, HeadId, Heads};
use crate::ir::kinds::{Kind, Type};
use crate::passes::templates::items::Item;
use crate::passes::templates::rules::HEAD;

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
    /// The number of words that C passes as parameters of earlier sections.
    pub words: u32,
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

/// Returns the form of a section for a parameter.
#[device]
fn parameter_form(stage: u32, ty: Type, is_unique: bool, is_extern: bool) -> Form {
    let is_array = ty.is_array();
    match stage {
        0 => {
            if is_array & !is_extern {
                Form::Words
            } else {
                Form::Word
            }
        }
        1 => {
            if !is_array {
                Form::Nothing
            } else if !is_extern {
                Form::View
            } else if is_unique {
                Form::Take
            } else {
                Form::Nothing
            }
        }
        _ => {
            if !is_array {
                Form::Number
            } else if is_extern {
                Form::Parts
            } else {
                Form::Passed
            }
        }
    }
}

/// Returns the form of the call.
#[device]
fn call_form(result: Type, is_extern: bool) -> Form {
    if result.is_array() {
        return if is_extern { Form::CallRoom } else { Form::CallArray };
    }
    match result {
        Type::Void => Form::CallVoid,
        Type::Float => Form::CallFloat,
        _ => Form::CallInt,
    }
}

/// Returns the form of the end.
#[device]
fn end_form(result: Type, is_extern: bool) -> Form {
    if result.is_array() {
        return if is_extern { Form::Receive } else { Form::HandOver };
    }
    if result == Type::Void { Form::Leave } else { Form::Nothing }
}

/// Returns section `k` of a function.
#[device(expand)]
pub fn section(c: CrossingId, k: u32, crossings: &Crossings, heads: &Heads) -> Section {
    let count = crossings.parameters[c];
    let result = crossings.result[c];
    let is_extern = crossings.kind[c] == Kind::Extern;
    if k == 0 {
        return Section { form: Form::Begin, crossing: c, number: 0, parameter: HeadId::NONE, before: 0 };
    }
    let stage = (k - 1) / (count + 1);
    let number = (k - 1) % (count + 1);
    if number < count {
        let h = crossings.first[c].plus(number);
        let form = parameter_form(stage, heads.ty[h], heads.data[h] == 1, is_extern);
        return Section { form, crossing: c, number, parameter: h, before: k };
    }
    let form = match stage {
        0 => {
            if result.is_array() & !is_extern {
                Form::OpenOuts
            } else {
                Form::Open
            }
        }
        1 => call_form(result, is_extern),
        _ => end_form(result, is_extern),
    };
    Section { form, crossing: c, number, parameter: HeadId::NONE, before: k }
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

/// Returns the number of words that C passes for the parameter of a section.
#[device(scan(Sum))]
pub fn words_of_parameter(s: SectionId, sections: &Sections, heads: &Heads) -> u32 {
    let form = sections.form[s];
    if (form != Form::Word) & (form != Form::Words) {
        return 0;
    }
    1 + heads.ty[sections.parameter[s]].rank()
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
