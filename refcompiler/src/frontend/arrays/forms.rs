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

use crate::ir::forms::{ARGUMENT_PARTS, FORM_KINDS, FORM_PARTS, Form, HIDDEN_BY_ARRAYS, Part, TAKE_FUNCTION};
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

/// The meaning of a name in front of a bracket that can be one of an operation and one of a variable.
#[device]
pub enum Meaning {
    /// The operation.
    Operation,
    /// The variable.
    Variable,
    /// The variable, if there is a declaration of it.
    Declared,
}

/// The calls of a part, and what their names can mean.
#[device(tables)]
struct Names {
    calls: &Calls,
    nodes: &SyntaxNodes,
    tokens: &SyntaxTokens,
    /// The operation with each name.
    forms: &[Form],
    /// The function of the runtime with each name.
    library: &[u32],
    /// The declaration of each name in front of a bracket, `NONE` if it has none, and 0 if nothing is known.
    variables: &[u32],
}

/// Returns the form in row `r`.
#[device(map)]
fn form(r: CallId, names: &Names, meaning: Meaning) -> FoundForm {
    let no_form = FoundForm { node: NONE, kind: Kind::Call, name: NONE };
    let node = NodeId::new(names.calls.node[r]);
    let name = (names.calls.key[r] >> 32) as u32;
    let found = names.calls.previous[r];
    if names.nodes.kind[node] != Kind::Call {
        return no_form;
    }
    let t = names.nodes.token[node];
    let operation = names.forms[name as usize];
    let is_function = found != NONE && (names.calls.key[CallId::new(found)] >> 32) as u32 == name;
    if names.tokens.class[t] == Class::Name {
        // The name of a function as an argument.
        let is_form = !is_function && operation != Form::None;
        return if is_form { FoundForm { node: node.get(), kind: Kind::Lambda, name } } else { no_form };
    }
    let is_library = names.library[name as usize] != NONE;
    let bracket = t.plus(1);
    let is_bracket = names.tokens.class[bracket] == Class::CallBracket;
    let after = TokenId::new(names.tokens.next[bracket]).plus(1);
    let is_target = is_bracket && names.tokens.class[after] == Class::Update;
    // A variable hides the operation if it is an array. If it is none, the program is refused with the types.
    let variable = names.variables[node.index()];
    let is_declared = meaning == Meaning::Declared && variable != 0 && variable != NONE;
    let is_variable = meaning == Meaning::Variable || is_declared;
    let is_hidden = is_bracket && !is_function && HIDDEN_BY_ARRAYS.contains(operation) && is_variable;
    if is_hidden && !is_target {
        return FoundForm { node: node.get(), kind: Kind::Name, name };
    }
    if is_target && !is_hidden && (is_function || operation != Form::None || is_library) {
        // An update without an array is refused with the types.
        let hidden = if HIDDEN_BY_ARRAYS.contains(operation) { name } else { NONE };
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
        let is_misplaced = operation == Form::Print && !is_statement(node, names.nodes, names.tokens);
        let kind = FORM_KINDS[operation.code() as usize];
        return FoundForm { node: if is_misplaced { NONE } else { node.get() }, kind, name };
    }
    if is_library || !is_bracket || variable == NONE {
        return no_form;
    }
    FoundForm { node: node.get(), kind: Kind::Name, name }
}

/// Returns 1 for a name that is taken for one of a variable, and not of an operation.
#[device(reduce(Sum))]
fn is_guess(r: CallId, found: &Found, forms: &[Form]) -> u32 {
    let name = found.name[r];
    if name == NONE {
        return 0;
    }
    let is_variable = found.kind[r] == Kind::Name || found.kind[r] == Kind::Assign;
    (is_variable && HIDDEN_BY_ARRAYS.contains(forms[name as usize])) as u32
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
    if is_first && is_argument && TAKE_FUNCTION.contains(operation_at(bracket.minus(1), tokens, forms)) {
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
    (HIDDEN_BY_ARRAYS.contains(forms[name]) && formed[name] > 0) as u32
}

/// The forms of a part.
pub struct Marked<B: Backend> {
    /// The part of each node.
    pub parts: B::Vec<Part>,
    /// How many forms have each name.
    pub formed: B::Vec<u32>,
    found: Found<B>,
}

impl<B: Backend> Marked<B> {
    /// Returns the number of variables of the part that may hide operations which it uses.
    pub fn hiding(
        &self,
        backend: &B,
        nodes: &SyntaxNodes<B>,
        tokens: &SyntaxTokens<B>,
        forms: &B::Vec<Form>,
    ) -> Result<u32> {
        backend.reduce(hides::of(nodes, tokens, forms, &self.formed), Sum)
    }

    /// Returns the number of names that were taken for names of variables, and not of operations.
    pub fn guesses(&self, backend: &B, forms: &B::Vec<Form>) -> Result<u32> {
        backend.reduce(is_guess::of(&self.found, forms).rows(self.found.len()), Sum)
    }
}

/// Gives the calls that are forms of arrays, and their arguments, the kinds that they have until the tree is rebuilt. `forms` has the
/// operation with each name, `library` the function of the runtime, and `variables` the declaration of each name in front of a bracket:
/// `u32::MAX` if it has none, and 0 if nothing is known.
pub fn mark_forms<B: Backend>(
    backend: &B,
    calls: &Calls<B>,
    nodes: &mut SyntaxNodes<B>,
    tokens: &SyntaxTokens<B>,
    (forms, library): (&B::Vec<Form>, &B::Vec<u32>),
    (variables, meaning): (&B::Vec<u32>, Meaning),
) -> Result<Marked<B>> {
    let names = NamesOn { calls, nodes, tokens, forms, library, variables };
    let found: Found<B> = backend.map(form::of(&names, meaning).rows(calls.len()))?;
    backend.scatter(&mut nodes.kind, &found.node, &found.kind)?;
    let (kinds, parts) = backend.map(marked::of(nodes, tokens, forms))?;
    nodes.kind = kinds;
    let mut formed = backend.filled(forms.len(), 0)?;
    backend.accumulate(&mut formed, name::of(&found.name))?;
    Ok(Marked { parts, formed, found })
}
