//! Functions: each call finds the function that it calls.
//!
//! ```text
//! program   fn f[] { f[]; { g[]; fn g[] { } } }   fn g[] { f[]; }
//! begins    f: 0     f: own   g: own  g: `{`      g: 0     f: own    a function is visible in all its block
//! reaches   f: end   f: own   g: own  g: `}`      g: end   f: own
//! sorted    f: 0 end, own, own        g: 0 end, `{` `}`, own         by name, then by the first token
//! finds           f    f                                 nested g
//! ```
//!
//! Of the functions of its name that begin before a call and reach beyond it, the last is the innermost. With complements
//! as keys it is the previous smaller key. This needs only the part: [`calls`]. A name that finds no function can be one of
//! the runtime or of another part of the program: `library` knows it later, in [`callees`]. Functions with
//! equal keys are in one block, which is an error. An `extern` that repeats a name is left to the sequential front end.
//!
//! A recursive call is not a use of its function.
//!
//! Cost: work O(m log n) for m functions and calls: one sort of 64-bit keys, one search, 2 maps, one scan.
//! Source: nearest smaller values (Berkman, Schieber, Vishkin 1993).

use treepar::backend::Later;
use treepar::device::device;
use treepar::sort::all_bits;
use treepar::{Backend, Result};

use crate::ir::kinds::Kind;
use crate::ir::meaning::{CallId, Callables, Calls, Origin};
use crate::ir::nodes::{FunctionId, NodeId};
use crate::ir::scopes::block_around;
use crate::ir::syntax::{SyntaxNodes, SyntaxTokens, TreeNodes};
use crate::ir::tokens::TokenId;
use crate::ir::tree::runtime;

/// No row, no node and no function.
const NONE: u32 = u32::MAX;

/// Returns whether node `i` has the name of a function. Comparisons run in vectors, and a set does not.
#[device(compact)]
fn has_function(i: NodeId, nodes: &SyntaxNodes) -> bool {
    (nodes.kind[i] == Kind::Function) | (nodes.kind[i] == Kind::Extern) | (nodes.kind[i] == Kind::Call)
}

/// Returns the name of row `r` and the first token where it is visible: 0 for a function at top level.
#[device(map)]
fn begin(r: usize, rows: &[u32], nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> u64 {
    let node = NodeId::new(rows[r]);
    let token = nodes.token[node];
    let mut first = token.get();
    if nodes.kind[node] != Kind::Call {
        first = 0;
        if nodes.depth[node] > 0 {
            first = block_around(token.minus(1), tokens).get();
        }
    }
    (tokens.value[token] as u64) << 32 | first as u64
}

/// Returns the complement of the last token that row `r` of the sorted rows reaches.
#[device(map)]
fn reach(r: usize, keys: &[u64], rows: &[u32], nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> u32 {
    let node = NodeId::new(rows[r]);
    let first = TokenId::new(keys[r] as u32);
    if nodes.kind[node] == Kind::Call {
        return !first.get();
    }
    if nodes.depth[node] > 0 { !tokens.next[first] } else { 0 }
}

/// Returns the nodes of functions and calls.
pub fn call_rows<B: Backend>(backend: &B, nodes: &SyntaxNodes<B>) -> Result<B::Vec<u32>> {
    backend.compact(has_function::of(nodes))
}

/// Finds the function of each call among the functions of the part. `rows` are [`call_rows`], and there are `names` names.
pub fn calls<B: Backend>(
    backend: &B,
    rows: &B::Vec<u32>,
    nodes: &SyntaxNodes<B>,
    tokens: &SyntaxTokens<B>,
    names: usize,
) -> Result<Calls<B>> {
    let keys = backend.map(begin::of(rows, nodes, tokens))?;
    let bits = all_bits(names as u64) << 32 | all_bits(tokens.len() as u64);
    let (key, node) = backend.sort_by_key_bits(&keys, rows, bits)?;
    let reaches = backend.map(reach::of(&key, &node, nodes, tokens))?;
    let previous = backend.previous_smaller(&reaches)?.into_column();
    Ok(Calls { key, node, previous })
}

/// Forms that refuse a program.
#[device]
pub struct Refusals {
    /// Errors.
    pub errors: u32,
    /// Forms that only the sequential front end decides.
    pub unsure: u32,
}

/// Adds refusals.
#[device(monoid(identity = Refusals { errors: 0, unsure: 0 }))]
pub fn add_refusals(a: Refusals, b: Refusals) -> Refusals {
    Refusals { errors: a.errors.wrapping_add(b.errors), unsure: a.unsure.wrapping_add(b.unsure) }
}

/// Returns the function of the call in row `r`, `NONE` if there is none.
#[device]
fn function_of(r: CallId, rows: &Calls, data: &[u32], library: &[u32]) -> u32 {
    let name = (rows.key[r] >> 32) as u32;
    let found = rows.previous[r];
    if found == NONE || (rows.key[CallId::new(found)] >> 32) as u32 != name {
        return library[name as usize];
    }
    data[rows.node[CallId::new(found)] as usize]
}

/// Returns 1 error for a call without a function, and for a second function of a name in one block. An `extern` that repeats
/// a name is not decided: the definition of the name may follow it.
#[device(scanned)]
fn refusal(r: CallId, rows: &Calls, nodes: &TreeNodes, data: &[u32], library: &[u32]) -> Refusals {
    let kind = nodes.kind[NodeId::new(rows.node[r])];
    if kind == Kind::Call {
        return Refusals { errors: (function_of(r, rows, data, library) == NONE) as u32, unsure: 0 };
    }
    let repeats = r.get() > 0 && rows.key[r] == rows.key[r.minus(1)];
    if !repeats {
        return Refusals { errors: 0, unsure: 0 };
    }
    let other = nodes.kind[NodeId::new(rows.node[r.minus(1)])];
    let is_extern = kind == Kind::Extern || other == Kind::Extern;
    Refusals { errors: (!is_extern && other == Kind::Function) as u32, unsure: is_extern as u32 }
}

/// Returns the type of a function's result.
#[device]
fn result_of(function: u32, callables: &Callables) -> Origin {
    Origin::of_type(callables.result[FunctionId::new(function)])
}

/// Returns the id of the function that row `r` is or calls, and the type of its result; and the same id if the row is a call
/// outside of its function, else `NONE`.
#[device(scan_map(refusal, add_refusals))]
fn callee(
    r: CallId,
    _refusals: Refusals,
    rows: &Calls,
    nodes: &TreeNodes,
    data: &[u32],
    library: &[u32],
    callables: &Callables,
) -> (u32, Origin, u32) {
    let node = NodeId::new(rows.node[r]);
    if nodes.kind[node] != Kind::Call {
        let id = data[node.index()];
        return (id, result_of(id, callables), NONE);
    }
    let function = function_of(r, rows, data, library);
    if function == NONE {
        return (NONE, Origin::Void, NONE);
    }
    let around = callables.node[FunctionId::new(function)];
    let is_inside = !around.is_none() && node.get() > around.get() && node.get() < nodes.end[around];
    // `abs` has the type of its argument.
    let is_abs = function == runtime::ABS && nodes.end[node] > node.get() + 1;
    let result = if is_abs { Origin::Child } else { result_of(function, callables) };
    (function, result, if is_inside { NONE } else { function })
}

/// The functions that a part calls.
pub struct Callees<B: Backend> {
    /// The id of the function that each row is or calls.
    pub functions: B::Vec<u32>,
    /// The type of its result.
    pub origins: B::Vec<Origin>,
    /// The number of calls of each function from outside of it.
    pub uses: Vec<u32>,
    /// The calls and functions that refuse the program.
    pub refusals: Refusals,
}

/// Finds the function of each call. `data` has the ids of functions. `library` has the function of each name without a function
/// here, `u32::MAX` if there is none.
pub fn callees<B: Backend>(
    backend: &B,
    calls: &Calls<B>,
    nodes: &TreeNodes<B>,
    data: &B::Vec<u32>,
    (library, callables): (&B::Vec<u32>, &Callables<B>),
) -> Result<Callees<B>> {
    let refusal = refusal::of(calls, nodes, data, library);
    let callee = callee::of(calls, nodes, data, library, callables);
    let n = calls.len();
    let ((functions, origins, used), refusals) =
        backend.scan_map_later(refusal.rows(n), add_refusals, callee.rows(n))?;
    let uses = backend.histogram(&used, callables.len())?;
    // The refusals come with this download.
    let uses = backend.download(&uses)?;
    Ok(Callees { functions, origins, uses, refusals: refusals.read()? })
}
