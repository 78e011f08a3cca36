//! The passes of the front end as two lists: passes that need one part of a program, and passes that need all parts.
//!
//! ```text
//! outline   lex          text                              -> tokens, names
//!           classes      tokens                            -> class of each token, keys
//!           syntax       classes, keys                     -> nearest smaller keys, violations of the grammar
//!           parse        tokens                            -> syntax tree, literals, origins of types
//!           library      names                             -> functions of the runtime
//!           signatures   functions and parameters          -> the function table
//!           choices      conditional expressions           -> the parts with their types
//!           resolve      names of variables                -> declarations
//!           calls        names of functions                -> functions of the part
//!           assertions   calls by the name `assert`        -> their positions
//!           arguments    arguments                         -> their indices
//!           warnings     statements, reads of variables    -> the number of possible warnings
//! analyse   callees      calls                             -> functions of the program
//!           parameters   arguments                         -> types of parameters
//!           types        origins                           -> the type of each node
//!           returns      statements                        -> functions without a value at their end
//!           operations   calls of operations               -> kinds of their own
//! ```
//!
//! Between the two, a part learns the functions that other parts declare: [`Imports`]. A program that is one part imports
//! nothing.
//!
//! The analysis is one-sided. A program that it accepts is one that the sequential front end accepts, with the same tree. It
//! finds the number of errors, and not their positions: the sequential front end reports those.

use treepar::backend::Later;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use super::arguments::{argument_rows, arguments, parameters};
use super::arrays::forms::{Marked, Meaning, mark_forms, name_functions};
use super::arrays::rebuild::{Source, Tree as Rebuilt, rebuild};
use super::arrays::types::array_types;
use super::assertions::{assertion_rows, assertions, mark_assertions};
use super::brackets::brackets;
use super::callees::{Callees, call_rows, callees, calls};
use super::choices::check_choices;
use super::classes::{Prefix, classified_tokens};
use super::functions::declarations;
use super::lex;
use super::library::{forms, library};
use super::operations::operations;
use super::parse::parse;
use super::resolve::{MOST_TOKENS, binding_rows, resolve};
use super::returns::returns;
use super::signatures::{signature_rows, signatures};
use super::syntax::{self, Checking};
use super::types::{checked_rows, types};
use super::warnings::doubts;
use crate::ir::kinds::Type;
use crate::ir::meaning::{
    Arguments, Assertions, Bindings, Callables, Calls, Declared, HostCallables, HostDeclared, Origin, Signatures, Typed,
};
use crate::ir::nodes::NodeId;
use crate::ir::positions::Positions;
use crate::ir::syntax::{Checked, Class, Classified, Parsed, SyntaxNodes, SyntaxTokens, TreeNodes};
use crate::ir::text::Text;
use crate::ir::tokens::{Lexed, Names, TokenId, Tokens};
use crate::ir::tree::runtime;

/// A result of passes that are one-sided.
pub enum Found<T> {
    /// The program is valid so far.
    Valid(T),
    /// The program may have errors. Only the sequential front end knows them.
    Unknown {
        /// The number of errors that were found. Later passes did not run.
        errors: u32,
        /// The number of forms that only the sequential front end decides.
        unsure: u32,
    },
}

/// Returns the value of a valid result, or returns from the function with the other.
macro_rules! valid {
    ($found:expr) => {
        match $found {
            $crate::frontend::analysis::Found::Valid(value) => value,
            $crate::frontend::analysis::Found::Unknown { errors, unsure } => {
                return Ok($crate::frontend::analysis::Found::Unknown { errors, unsure });
            }
        }
    };
}
pub(super) use valid;

/// Returns from a function that has found errors.
macro_rules! give_up {
    ($errors:expr, $unsure:expr) => {
        let (errors, unsure) = ($errors, $unsure);
        if errors != 0 || unsure != 0 {
            return Ok(Found::Unknown { errors, unsure });
        }
    };
}

/// As `give_up`. Where a name was taken for one of a variable and not of an operation, errors may come from that.
macro_rules! refuse {
    ($errors:expr, $unsure:expr, $guesses:expr) => {
        let (errors, unsure) = ($errors, $unsure);
        give_up!(if $guesses > 0 { 0 } else { errors }, if $guesses > 0 { errors + unsure } else { unsure });
    };
}

/// A part of a program, as far as it can be understood without the other parts. It no longer refers to tokens.
pub struct Outline<B: Backend> {
    /// The tree.
    pub nodes: TreeNodes<B>,
    /// The origin of each node's type.
    origins: B::Vec<Origin>,
    /// Literals, function ids of functions, declarations of variables, functions of `return`.
    data: B::Vec<u32>,
    /// The functions and calls by name.
    calls: Calls<B>,
    /// The arguments of all calls.
    arguments: Arguments<B>,
    /// The calls that may be assertions.
    assertions: Assertions<B>,
    /// The functions that calls can mean.
    callables: Callables<B>,
    /// The types of the parameters of these functions.
    pub types: B::Vec<Type>,
    /// The function that each name means if this part declares none of that name, `u32::MAX` if there is none.
    library: B::Vec<u32>,
    /// `true` if a function with a value does not end with a `return`.
    is_open: bool,
    /// The number of names that were taken for names of variables, and not of operations.
    guesses: u32,
    /// The number of possible warnings, 0 if it was not asked for.
    doubts: u32,
    /// How many forms of arrays have each name, `None` if the part has none.
    formed: Option<B::Vec<u32>>,
    /// The offset of each node in the text of the part, if somebody asks.
    pub positions: Positions<B>,
}

impl<B: Backend> Outline<B> {
    /// Returns whether the part has forms of arrays.
    pub fn has_arrays(&self) -> bool {
        self.formed.is_some()
    }

    /// Returns the number of possible warnings, 0 if it was not asked for.
    pub fn doubts(&self) -> u32 {
        self.doubts
    }
}

/// A part that was outlined.
pub struct Outlined<B: Backend> {
    /// The part, for [`analyse`].
    pub outline: Outline<B>,
    /// The functions that it declares.
    pub declared: HostDeclared,
    /// The names.
    pub names: Names<B>,
    /// The tokens.
    pub tokens: SyntaxTokens<B>,
}

/// The facts of the whole program that a part needs.
pub struct Joined {
    /// The functions of other parts.
    pub imports: Imports,
    /// The id in the program of each function of the part, and of each function that it imports.
    pub ids: Vec<u32>,
    /// The position of the first byte of the part.
    pub first: u32,
    /// `true` if a part has forms of arrays.
    pub arrays: bool,
}

/// The functions of other parts that a part can call. Their ids follow the ids of the part's own functions.
#[derive(Default)]
pub struct Imports {
    /// The name of each function in this part.
    pub names: Vec<u32>,
    /// The functions. `first` counts the parameters of imported functions only.
    pub callables: HostCallables,
    /// The types of the parameters of all imported functions.
    pub types: Vec<Type>,
}

/// The tree of a valid part, with the functions of the program.
pub struct TypedTree<B: Backend> {
    /// The tree.
    pub nodes: TreeNodes<B>,
    /// The type of each node.
    pub types: B::Vec<Type>,
    /// Further data of each node's kind.
    pub data: B::Vec<u32>,
    /// The number of calls of each function from outside of it.
    pub uses: Vec<u32>,
    /// The number of possible warnings, 0 if it was not asked for.
    pub doubts: u32,
}

/// The tokens and the tree of a part that is in the grammar.
struct Syntax<B: Backend> {
    names: Names<B>,
    tokens: SyntaxTokens<B>,
    nodes: SyntaxNodes<B>,
    data: B::Vec<u32>,
    origins: B::Vec<Origin>,
    choices: B::Vec<u32>,
    /// `true` if the program has forms of arrays.
    arrays: bool,
}

/// Tokens with their classes, before the host knows any number about them.
struct Classifying<B: Backend> {
    classified: Classified<B>,
    all: B::Value<Prefix>,
    checking: Checking<B>,
}

impl<B: Backend> Classifying<B> {
    /// Finds the classes of tokens, and begins the check of the syntax.
    fn new(backend: &B, tokens: &Tokens<B>) -> Result<Classifying<B>> {
        let (classified, all) = classified_tokens(backend, tokens)?;
        let checking = syntax::begin(backend, &classified)?;
        Ok(Classifying { classified, all, checking })
    }
}

/// Finds the tokens and the tree of a part of a program, which uses arrays if `arrays` is `true`.
fn read<B: Backend>(backend: &B, text: &Text<B>, arrays: bool) -> Result<Found<Syntax<B>>> {
    // The host needs no value before all of these have begun.
    let lexing = lex::begin(backend, text)?;
    give_up!(0, u32::from(lexing.tokens.len() > MOST_TOKENS));
    let mut classifying = Classifying::new(backend, &lexing.tokens)?;
    let (Lexed { mut tokens, mut names, unsure }, is_changed) = lexing.finished(backend, text)?;
    if is_changed {
        // Rare: a float is malformed, or has an exponent with a sign.
        classifying = Classifying::new(backend, &tokens)?;
    }
    let Classifying { mut classified, all, checking } = classifying;
    // A gap byte inside an input would end it.
    give_up!(0, unsure + all.read()?.ends.abs_diff(text.inputs as u32));
    let mut checked = checking.finished(backend, &classified)?;
    let arrays = arrays || checked.errors > 0;
    if arrays {
        let bracketed = brackets(backend, &tokens)?;
        names.first = bracketed.first_tokens(backend, &names)?;
        tokens = bracketed.tokens;
        let again = Classifying::new(backend, &tokens)?;
        checked = again.checking.finished(backend, &again.classified)?;
        classified = again.classified;
    }
    give_up!(checked.errors, 0);
    let Parsed { nodes, node, data, origins, choices } = parse(backend, &tokens, &classified, &checked)?;
    let Tokens { start, kind, value } = tokens;
    let (Classified { class, .. }, Checked { previous, next, .. }) = (classified, checked);
    let tokens = SyntaxTokens { start, kind, value, class, previous, next, node };
    Ok(Found::Valid(Syntax { names, tokens, nodes, data, origins, choices, arrays }))
}

/// A question about a part of a program.
#[derive(Clone, Copy)]
pub struct Question {
    /// `true` if there is no other part.
    pub is_whole: bool,
    /// `true` if possible warnings are counted.
    pub warnings: bool,
    /// `true` if brackets may be forms of arrays although the tokens do not show it, as in `x[0]`.
    pub arrays: bool,
    /// `true` if the positions of nodes are kept.
    pub lines: bool,
}

/// Returns where node `i` begins: its token, and of indices the value before them.
#[device(map)]
fn start_of_node(i: NodeId, nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> u32 {
    let t = nodes.token[i];
    let is_index = tokens.class[t] == Class::IndexOpen;
    tokens.start[if is_index { TokenId::new(tokens.previous[t].wrapping_add(1)) } else { t }]
}

/// Finds the tree, the functions and the variables of a part of a program, and the number of possible warnings.
///
/// # Errors
/// Only errors of the backend.
pub fn outline<B: Backend>(backend: &B, text: &Text<B>, question: Question) -> Result<Found<Outlined<B>>> {
    let Question { is_whole, warnings, arrays, lines } = question;
    let Syntax { names, tokens, mut nodes, mut data, mut origins, choices, arrays } =
        valid!(read(backend, text, arrays)?);
    let library = library(backend, text, &tokens, &names)?;
    let mut marked = None;
    let mut guesses = 0;
    if arrays {
        let forms = forms(backend, text, &tokens, &names)?;
        nodes.kind = name_functions(backend, &nodes, &tokens, &forms)?;
        let calls = calls(backend, &call_rows(backend, &nodes)?, &nodes, &tokens, names.len())?;
        let mut variables = backend.filled(nodes.len(), 0)?;
        let kinds = nodes.kind.try_clone()?;
        let mark = |nodes: &mut SyntaxNodes<B>, variables: &B::Vec<u32>, meaning| {
            nodes.kind = kinds.try_clone()?;
            mark_forms(backend, &calls, nodes, &tokens, (&forms, &library), (variables, meaning))
        };
        let mut found = None;
        if is_whole {
            let first = mark(&mut nodes, &variables, Meaning::Operation)?;
            let hiding = first.hiding(backend, &nodes, &tokens, &forms)?;
            found = Some(first).filter(|_| hiding == 0);
        }
        let found = match found {
            Some(found) => found,
            // A name before a bracket is one of a variable if there is a declaration. Without one, it may be a function of another part.
            None => {
                mark(&mut nodes, &variables, Meaning::Variable)?;
                let rows = binding_rows(backend, &nodes)?;
                let Bindings { rows, data, .. } = resolve(backend, rows, &nodes, &tokens, names.len())?;
                backend.scatter(&mut variables, &rows, &data)?;
                let found = mark(&mut nodes, &variables, Meaning::Declared)?;
                guesses = found.guesses(backend, &forms)?;
                found
            }
        };
        marked = Some((found, forms));
    }
    // First the rows of all passes, so that the host waits for their numbers once.
    let signature_rows = signature_rows(backend, &nodes)?;
    let binding_rows = binding_rows(backend, &nodes)?;
    let call_rows = call_rows(backend, &nodes)?;
    let argument_rows = argument_rows(backend, &nodes)?;

    let Signatures { mut declared, types } = signatures(backend, &signature_rows, &nodes, &tokens, &mut data)?;
    drop(signature_rows);
    give_up!(check_choices(backend, &nodes, &choices, &mut data)?, 0);
    let Bindings { rows, data: variables, errors } = resolve(backend, binding_rows, &nodes, &tokens, names.len())?;
    // Where there are errors, uses mean no node. Until their number is known, only `doubts` reads these, and skips them.
    backend.scatter(&mut data, &rows, &variables)?;
    drop(variables);
    let doubts = match warnings {
        true => Some(doubts(backend, &rows, &nodes, (&tokens, &names), &data)?),
        false => None,
    };
    drop(rows);
    let mut calls = calls(backend, &call_rows, &nodes, &tokens, names.len())?;
    drop(call_rows);
    let assertion_rows = assertion_rows(backend, &calls, &library)?;
    let mut arguments = arguments(backend, &argument_rows, &nodes, &tokens)?;
    drop(argument_rows);
    let mut positions = match lines {
        true => Positions::of(backend.map(start_of_node::of(&nodes, &tokens).rows(nodes.len()))?),
        false => Positions::none(),
    };
    let mut tree = None;
    let mut formed = None;
    if let Some((Marked { parts, formed: counts, .. }, forms)) = marked {
        // Uses without a declaration mean no node.
        refuse!(errors.read()?, 0, guesses);
        let positions = std::mem::take(&mut positions);
        let (nodes, parts, data, origins) = (&nodes, &parts, &data, &origins);
        let source = Source { nodes, parts, data, origins, tokens: &tokens, forms: &forms, positions };
        tree = Some(rebuild(backend, source, (&mut calls, &mut arguments), &mut declared)?);
        formed = Some(counts);
    }
    let host = declarations(backend, &declared)?;
    refuse!(errors.read()?, 0, guesses);
    let assertions = assertions(backend, assertion_rows, &calls, &tokens)?;
    let doubts = doubts.map_or(Ok(0), |doubts| doubts.read())?;
    let is_open = host.is_open.contains(&1);

    let SyntaxNodes { depth, kind, end, .. } = nodes;
    let mut nodes = TreeNodes { depth, kind, end };
    if let Some(rebuilt) = tree {
        Rebuilt { nodes, origins, data, positions } = rebuilt;
    }
    let Declared { node, first, parameters, result, .. } = declared;
    let callables = Callables { node, first, parameters, result };
    let outline = Outline {
        nodes,
        origins,
        data,
        calls,
        arguments,
        assertions,
        callables,
        types,
        library,
        is_open,
        guesses,
        doubts,
        formed,
        positions,
    };
    Ok(Found::Valid(Outlined { outline, declared: host, names, tokens }))
}

/// Returns how many forms of arrays have the name of function `k` of another part.
#[device(reduce(Sum))]
fn taken(k: usize, names: &[u32], formed: &[u32]) -> u32 {
    formed[names[k] as usize]
}

/// Adds the functions of other parts to the functions of a part, and to the functions that its names can mean.
fn import<B: Backend>(backend: &B, outline: &mut Outline<B>, imports: &Imports) -> Result<()> {
    if imports.names.is_empty() {
        return Ok(());
    }
    let Outline { callables, types, library, .. } = outline;
    let (functions, before) = (callables.len() as u32, types.len() as u32);
    let ids: Vec<u32> = (functions..functions + imports.names.len() as u32).collect();
    backend.scatter(library, &backend.upload(&imports.names)?, &backend.upload(&ids)?)?;
    let mut imported = imports.callables.clone();
    for first in &mut imported.first {
        *first += before;
    }
    let imported = Callables::upload(backend, &imported)?;
    *callables = Callables {
        node: backend.concat(&[&callables.node, &imported.node])?,
        first: backend.concat(&[&callables.first, &imported.first])?,
        parameters: backend.concat(&[&callables.parameters, &imported.parameters])?,
        result: backend.concat(&[&callables.result, &imported.result])?,
    };
    *types = backend.concat(&[types, &backend.upload(&imports.types)?])?;
    Ok(())
}

/// Finds the functions that a part calls, and the types of its nodes.
///
/// # Errors
/// Only errors of the backend.
pub fn analyse<B: Backend>(backend: &B, mut outline: Outline<B>, joined: &Joined) -> Result<Found<TypedTree<B>>> {
    import(backend, &mut outline, &joined.imports)?;
    let Outline {
        nodes,
        mut origins,
        mut data,
        calls,
        arguments,
        assertions,
        callables,
        types: parameter_types,
        library,
        formed,
        ..
    } = outline;
    if let Some(formed) = formed {
        // The name of a function of another part was taken for that of a variable or of an operation.
        let imported = backend.upload(&joined.imports.names)?;
        give_up!(0, backend.reduce(taken::of(&imported, &formed).rows(imported.len()), Sum)?);
    }
    let checked = checked_rows(backend, &nodes)?;
    let Callees { functions, origins: results, mut uses, refusals } =
        callees(backend, &calls, &nodes, &data, (&library, &callables))?;
    refuse!(refusals.errors, refusals.unsure, outline.guesses);
    backend.scatter(&mut data, &calls.node, &functions)?;
    backend.scatter(&mut origins, &calls.node, &results)?;
    parameters(backend, &arguments, (&mut data, &mut origins), (&callables, &parameter_types))?;

    let ids = backend.upload(&joined.ids)?;
    let (typed, unsure) = if joined.arrays {
        array_types(backend, &nodes, (&origins, &data), (&callables, &parameter_types, &ids), joined.first)?
    } else {
        (types(backend, (&nodes, &checked), &origins, &data, (&callables, &ids))?, 0)
    };
    let Typed { types, data: mut moved, errors, remainders } = typed;
    refuse!(errors, unsure, outline.guesses);
    if outline.is_open {
        give_up!(returns(backend, &nodes, &data, &types)?, 0);
    }
    mark_assertions(backend, &assertions, &calls, &functions, (&mut moved, joined.first))?;
    uses[runtime::REMAINDER as usize] += remainders;
    let mut nodes = nodes;
    if uses[runtime::SQRT as usize] + uses[runtime::ABS as usize] > 0 {
        (nodes.kind, moved) = operations(backend, &nodes.kind, &moved)?;
        uses[runtime::SQRT as usize] = 0;
        uses[runtime::ABS as usize] = 0;
    }
    Ok(Found::Valid(TypedTree { nodes, types, data: moved, uses, doubts: outline.doubts }))
}
