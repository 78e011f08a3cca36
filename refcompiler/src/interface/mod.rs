//! Functions with arrays between Par and C.
//!
//! ```text
//! fn f[a: [int], b: *[[float]], n: int]: [int]
//! void f(const int32_t *a, int32_t a_0, float *b, int32_t b_0, int32_t b_1, int32_t n,
//!        int32_t *result, int32_t room, int32_t extents[1])
//! ```
//!
//! An array is the address of its elements and an extent for each dimension. A result is written to memory of the caller, which has
//! room for some elements, and its extents to an array of the caller.
//!
//! On x86-64, C has addresses that Par has not. What C passes from there is copied.
//!
//! Functions of one object pass arrays in another way: by the address of a block. So an object has code in between, which the pass
//! [`interface`](crate::passes::interface) makes. `header` has the declarations for C.

mod header;

pub use header::header;

use crate::ir::kinds::Type;
use crate::ir::tree::{Linkage, Tree, kind, runtime};

/// A parameter of a function at top level.
struct Parameter {
    node: usize,
    ty: Type,
    is_unique: bool,
}

/// A function at top level, or an `extern` function.
struct Head {
    id: u32,
    /// The position of its name.
    pos: u32,
    is_extern: bool,
    parameters: Vec<Parameter>,
    result: Type,
    has_unique_result: bool,
}

impl Head {
    /// Returns the types of the parameters and the result.
    fn types(&self) -> impl Iterator<Item = Type> {
        self.parameters.iter().map(|parameter| parameter.ty).chain([self.result])
    }

    /// Returns a type that C has no form of, if there is one.
    fn without_form(&self) -> Option<Type> {
        self.types().find(|&ty| !ty.is_in_c())
    }
}

/// Returns the type in C of a number, or of the elements of an array. Structs and tuples have none.
fn element_in_c(ty: Type) -> Option<&'static str> {
    match ty.element() {
        _ if !ty.is_in_c() => None,
        Type::Int => Some("int32_t"),
        Type::Float => Some("float"),
        _ => None,
    }
}

/// Returns the functions that C can call or has, in the order of the program.
fn heads(tree: &Tree) -> Vec<Head> {
    let mut heads = Vec::new();
    for (id, function) in (0..).zip(&tree.functions).skip(runtime::COUNT as usize) {
        let (Some(node), Linkage::Global | Linkage::Extern) = (function.node, function.linkage) else { continue };
        let node = node as usize;
        let below = || (node + 1..tree.len()).take_while(|&i| tree.depth[i] > 0);
        let of = |i: usize| Parameter { node: i, ty: Type::from_code(tree.ty[i]), is_unique: tree.data[i] == 1 };
        heads.push(Head {
            id,
            pos: tree.pos[node],
            is_extern: tree.kind[node] == kind::EXTERN,
            parameters: below()
                .take_while(|&i| tree.kind[i] != kind::BLOCK)
                .filter(|&i| tree.kind[i] == kind::PARAM)
                .map(of)
                .collect(),
            result: Type::from_code(tree.ty[node]),
            has_unique_result: tree.kind[node + 1..].first() == Some(&kind::HEADER) && tree.data[node + 1] == 1,
        });
    }
    heads
}
