//! Forms of arrays that are written as calls: indices of variables, and the operations of [`forms`](crate::ir::forms).
//!
//! ```text
//! program  a[f[x]] + iota[3]          a: no function
//! kind     add  call arg     call arg x  call      arg      3
//! becomes  add  name address call arg x  sequence  address  3
//! part     plain plain base  plain ..    built     argument plain
//! ```
//!
//! The kinds make the forms invisible to passes that look for calls and arguments. The parts say what becomes of the nodes when the
//! tree is [rebuilt](super::rebuild).
//!
//! Cost: work O(n + m log n) for m functions and calls: the search of [`callees`](crate::frontend::callees), one map over nodes.

use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use crate::ir::forms::{ARGUMENT_PARTS, FORM_KINDS, FORM_PARTS, Form, Part};
use crate::ir::kinds::{Kind, WITH_LAMBDA};
use crate::ir::meaning::{CallId, Calls};
use crate::ir::nodes::NodeId;
use crate::ir::scopes::bracket_of;
use crate::ir::syntax::{BARE_LISTS, BOUNDARIES, Class, SyntaxNodes, SyntaxTokens};
use crate::ir::tokens::{TokenId, TokenKind};

/// No function.
const NONE: u32 = u32::MAX;

/// The most parameters of a function that is an argument by its name.
const MOST_NAMED: u32 = 4;

/// A call that is a form.
#[device(columns(Found, index = CallId))]
struct FoundForm {
    /// The node, `NONE` if the call is no form.
    node: u32,
    /// The kind until the tree is rebuilt.
    kind: Kind,
    /// The name, `NONE` if it can only mean a function.
    name: u32,
}

/// Returns whether the call at `node` is an expression statement by itself.
#[device]
fn is_statement(node: NodeId, nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> bool {
    let before = tokens.class[nodes.token[node].minus(1)];
    nodes.kind[node.minus(1)] == Kind::Expression && BOUNDARIES.contains(before)
}

/// Returns the form in row `r`. `variables` has the declaration of each name in front of a bracket, `NONE` if it has none, and 0 if
/// nothing is known. If `is_first` is 1, all names that may have a declaration become names of variables.
#[device(map)]
fn form(
    r: CallId,
    calls: &Calls,
    nodes: &SyntaxNodes,
    tokens: &SyntaxTokens,
    forms: &[Form],
    library: &[u32],
    variables: &[u32],
    is_first: u32,
) -> FoundForm {
    let no_form = FoundForm { node: NONE, kind: Kind::Call, name: NONE };
    let node = NodeId::new(calls.node[r]);
    let name = (calls.key[r] >> 32) as u32;
    let found = calls.previous[r];
    if nodes.kind[node] != Kind::Call {
        return no_form;
    }
    let operation = forms[name as usize];
    let bracket = nodes.token[node].plus(1);
    let is_bracket = tokens.class[bracket] == Class::CallBracket;
    let is_target = is_bracket && tokens.class[TokenId::new(tokens.next[bracket]).plus(1)] == Class::Update;
    let is_function = found != NONE && (calls.key[CallId::new(found)] >> 32) as u32 == name;
    if tokens.class[nodes.token[node]] == Class::Name {
        // The name of a function as an argument.
        let is_form = !is_function && operation != Form::None;
        return if is_form { FoundForm { node: node.get(), kind: Kind::Lambda, name } } else { no_form };
    }
    // A variable hides the operation if it is an array. If it is none, the program is refused with the types.
    let variable = variables[node.index()];
    let is_declared = is_first == 1 || (variable != 0 && variable != NONE);
    let is_hidden = is_bracket && !is_function && operation.is_hidden_by_arrays() && is_declared;
    if is_hidden && !is_target {
        return FoundForm { node: node.get(), kind: Kind::Name, name };
    }
    if is_target && !is_hidden && (is_function || operation != Form::None || library[name as usize] != NONE) {
        // An update without an array is refused with the types.
        let hidden = if operation.is_hidden_by_arrays() { name } else { NONE };
        return FoundForm { node: node.get(), kind: Kind::Update, name: hidden };
    }
    if is_target {
        return FoundForm { node: node.get(), kind: Kind::Assign, name };
    }
    if is_function {
        return no_form;
    }
    if operation != Form::None {
        // The name counts wherever it is, because an array may hide it.
        let is_misplaced = operation == Form::Print && !is_statement(node, nodes, tokens);
        let kind = FORM_KINDS[operation.code() as usize];
        return FoundForm { node: if is_misplaced { NONE } else { node.get() }, kind, name };
    }
    if library[name as usize] != NONE || !is_bracket {
        return no_form;
    }
    if variable == NONE { no_form } else { FoundForm { node: node.get(), kind: Kind::Name, name } }
}

/// Returns whether node `i` is the literal that is the second and last argument of a `size`.
#[device]
fn is_dimension(i: NodeId, nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> bool {
    let t = nodes.token[i];
    if nodes.kind[i] != Kind::Literal || tokens.kind[t] != TokenKind::Int || i.get() < 3 {
        return false;
    }
    let argument = i.minus(1);
    if nodes.kind[argument] != Kind::Arg || nodes.end[argument] != i.get() + 1 {
        return false;
    }
    let bracket = bracket_of(nodes.token[argument].minus(1), tokens);
    if BARE_LISTS.contains(tokens.class[bracket]) {
        return false;
    }
    let call = NodeId::new(tokens.node[bracket.minus(1)]);
    nodes.kind[call] == Kind::Size
        && nodes.end[call.plus(1)] == argument.get()
        && nodes.end[call] == nodes.end[argument]
}

/// Returns the operation that the call at token `t` names.
#[device]
fn operation_at(t: TokenId, tokens: &SyntaxTokens, forms: &[Form]) -> Form {
    forms[tokens.value[t] as usize]
}

/// Returns the part of node `i`, which is an ARG.
#[device]
fn part_of_argument(i: NodeId, nodes: &SyntaxNodes, tokens: &SyntaxTokens, forms: &[Form]) -> Part {
    let before = nodes.token[i].minus(1);
    let bracket = bracket_of(before, tokens);
    if BARE_LISTS.contains(tokens.class[bracket]) {
        return Part::Removed;
    }
    let call = NodeId::new(tokens.node[bracket.minus(1)]);
    let kind = nodes.kind[call];
    let is_first = before.get() == bracket.get();
    if kind == Kind::Call || kind == Kind::Update {
        return Part::Plain;
    }
    if kind == Kind::Name || kind == Kind::Assign {
        return if is_first { Part::Base } else { Part::Removed };
    }
    let is_second = nodes.end[call.plus(1)] == i.get();
    let index = if is_first { 0 } else { 2 - is_second as usize };
    ARGUMENT_PARTS[3 * operation_at(bracket.minus(1), tokens, forms).code() as usize + index]
}

/// Returns the kind of node `i`. That of a name that is the first argument of a call becomes CALL if the call may be an operation with a
/// function.
#[device(map)]
fn kind_of_name(i: NodeId, nodes: &SyntaxNodes, tokens: &SyntaxTokens, forms: &[Form]) -> Kind {
    let kind = nodes.kind[i];
    if kind != Kind::Name || i.get() < 2 || tokens.class[nodes.token[i]] != Class::Name {
        return kind;
    }
    let argument = i.minus(1);
    let bracket = nodes.token[i].minus(1);
    let is_first = tokens.class[bracket] == Class::CallBracket || tokens.class[bracket] == Class::CallParen;
    let is_argument = nodes.kind[argument] == Kind::Arg && nodes.end[argument] == nodes.end[i];
    if is_first && is_argument && operation_at(bracket.minus(1), tokens, forms).takes_function() {
        Kind::Call
    } else {
        kind
    }
}

/// Makes calls of the names that may be functions as arguments, so that the functions with these names are found. Returns the new kinds.
pub fn name_functions<B: Backend>(
    backend: &B,
    nodes: &SyntaxNodes<B>,
    tokens: &SyntaxTokens<B>,
    forms: &B::Vec<Form>,
) -> Result<B::Vec<Kind>> {
    backend.map(kind_of_name::of(nodes, tokens, forms))
}

/// Returns the part of the function with the name at token `t`, `Part::Plain` if it can be no argument. Its node is a call, or a LAMBDA if
/// the name means an operation.
#[device]
fn part_of_function(t: TokenId, kind: Kind, nodes: &SyntaxNodes, tokens: &SyntaxTokens, forms: &[Form]) -> Part {
    if kind == Kind::Lambda {
        return match operation_at(t, tokens, forms) {
            Form::Min => Part::Least,
            Form::Max => Part::Greatest,
            _ => Part::Plain,
        };
    }
    let call = NodeId::new(tokens.node[t.minus(2)]);
    let mut parameters = 2;
    if nodes.kind[call] == Kind::Filter {
        parameters = 1;
    } else if nodes.kind[call] == Kind::Map {
        // The arguments after the first.
        parameters = 0;
        let mut argument = nodes.end[call.plus(1)];
        while argument < nodes.end[call] && parameters <= MOST_NAMED {
            argument = nodes.end[NodeId::new(argument)];
            parameters += 1;
        }
    }
    match parameters {
        1 => Part::Named1,
        2 => Part::Named2,
        3 => Part::Named3,
        4 => Part::Named4,
        _ => Part::Plain,
    }
}

/// Returns the kind and the part of node `i` until the tree is rebuilt.
#[device(map)]
fn marked(i: NodeId, nodes: &SyntaxNodes, tokens: &SyntaxTokens, forms: &[Form]) -> (Kind, Part) {
    let kind = nodes.kind[i];
    if kind == Kind::Arg {
        let part = part_of_argument(i, nodes, tokens, forms);
        return (if part == Part::Plain { kind } else { Kind::Address }, part);
    }
    let t = nodes.token[i];
    let is_called = tokens.class[t] == Class::Callee;
    if is_called && kind == Kind::Assign || is_dimension(i, nodes, tokens) {
        return (kind, Part::Removed);
    }
    if kind == Kind::Lambda && tokens.class[t] == Class::Section {
        return (kind, Part::Section);
    }
    if tokens.class[t] == Class::Name && (kind == Kind::Call || kind == Kind::Lambda) {
        if !WITH_LAMBDA.contains(nodes.kind[NodeId::new(tokens.node[t.minus(2)])]) {
            return (Kind::Name, Part::Plain);
        }
        // A LAMBDA without children refuses the program with the types.
        let part = part_of_function(t, kind, nodes, tokens, forms);
        return (if part == Part::Plain { Kind::Lambda } else { kind }, part);
    }
    if !is_called {
        return (kind, Part::Plain);
    }
    let operation = operation_at(t, tokens, forms).code() as usize;
    let is_form = kind != Kind::Call && kind == FORM_KINDS[operation];
    (kind, if is_form { FORM_PARTS[operation] } else { Part::Plain })
}

/// Returns the name of a row and 1.
#[device(accumulate)]
fn name(r: usize, names: &[u32]) -> (u32, u32) {
    (names[r], 1)
}

/// Returns 1 if node `i` declares a variable that may hide an operation which the part uses.
#[device(reduce(Sum))]
fn hides(i: NodeId, nodes: &SyntaxNodes, tokens: &SyntaxTokens, forms: &[Form], formed: &[u32]) -> u32 {
    let kind = nodes.kind[i];
    if kind != Kind::Param && kind != Kind::Element && !kind.is_declaration() {
        return 0;
    }
    let name = tokens.value[nodes.token[i]] as usize;
    (forms[name].is_hidden_by_arrays() && formed[name] > 0) as u32
}

/// The forms of a part.
pub struct Marked<B: Backend> {
    /// The part of each node.
    pub parts: B::Vec<Part>,
    /// How many forms have each name.
    pub formed: B::Vec<u32>,
}

/// Gives the calls that are forms of arrays, and their arguments, the kinds that they have until the tree is rebuilt. `forms` has the
/// operation with each name, and `library` the function of the runtime. `variables` has the declaration of each name in front of a bracket,
/// `u32::MAX` if it has none, and 0 if nothing is known; in the first of two calls, names that may have a declaration are marked as such.
pub fn mark_forms<B: Backend>(
    backend: &B,
    calls: &Calls<B>,
    nodes: &mut SyntaxNodes<B>,
    tokens: &SyntaxTokens<B>,
    (forms, library): (&B::Vec<Form>, &B::Vec<u32>),
    (variables, is_first): (&B::Vec<u32>, bool),
) -> Result<Marked<B>> {
    let form = form::of(calls, nodes, tokens, forms, library, variables, is_first as u32);
    let Found { node, kind, name } = backend.map(form.rows(calls.len()))?;
    backend.scatter(&mut nodes.kind, &node, &kind)?;
    let (kinds, parts) = backend.map(marked::of(nodes, tokens, forms))?;
    nodes.kind = kinds;
    let mut formed = backend.filled(forms.len(), 0)?;
    backend.accumulate(&mut formed, name::of(&name))?;
    Ok(Marked { parts, formed })
}

/// Returns the number of variables of a part that may hide operations which it uses.
pub fn hidden<B: Backend>(
    backend: &B,
    nodes: &SyntaxNodes<B>,
    tokens: &SyntaxTokens<B>,
    (forms, formed): (&B::Vec<Form>, &B::Vec<u32>),
) -> Result<u32> {
    backend.reduce(hides::of(nodes, tokens, forms, formed), Sum)
}
