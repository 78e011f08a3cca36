//! Which values are literals that only later code gives a type.
//!
//! rustc infers `let mut k = 0` from what `k` meets further down. C++ would take `int`, so that such a literal must
//! name its type; every other expression's type follows from its parts and from where it stands.

use syn::{BinOp, Block, Expr, Lit, Stmt};

/// Whether a value, or the same part of a tuple in each of its branches, has no type of its own.
pub fn any_untyped(expr: &Expr) -> bool {
    let mut leaves = Vec::new();
    collect(expr, &mut leaves);
    if leaves.is_empty() {
        return false;
    }
    let tuples: Vec<_> =
        leaves.iter().filter_map(|leaf| if let Expr::Tuple(t) = leaf { Some(t) } else { None }).collect();
    if tuples.len() < leaves.len() {
        return leaves.iter().all(|leaf| is_untyped(leaf));
    }
    let parts = tuples.iter().map(|tuple| tuple.elems.len()).min().unwrap_or(0);
    (0..parts).any(|part| tuples.iter().all(|tuple| any_untyped(&tuple.elems[part])))
}

/// The expressions that a value can come from, through blocks and branches; a branch that leaves yields none.
fn collect<'a>(expr: &'a Expr, leaves: &mut Vec<&'a Expr>) {
    match expr {
        Expr::Paren(inner) => collect(&inner.expr, leaves),
        Expr::Group(inner) => collect(&inner.expr, leaves),
        Expr::Block(block) => collect_block(&block.block, leaves),
        Expr::If(choice) => {
            collect_block(&choice.then_branch, leaves);
            if let Some((_, other)) = &choice.else_branch {
                collect(other, leaves);
            }
        }
        Expr::Match(choice) => choice.arms.iter().for_each(|arm| collect(&arm.body, leaves)),
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => {}
        leaf => leaves.push(leaf),
    }
}

fn collect_block<'a>(block: &'a Block, leaves: &mut Vec<&'a Expr>) {
    if let Some(Stmt::Expr(value, None)) = block.stmts.last() {
        collect(value, leaves);
    }
}

fn is_untyped(leaf: &Expr) -> bool {
    match leaf {
        Expr::Lit(literal) => matches!(&literal.lit, Lit::Int(number) if number.suffix().is_empty()),
        Expr::Unary(unary) => any_untyped(&unary.expr),
        Expr::Binary(binary) => match binary.op {
            BinOp::Shl(_) | BinOp::Shr(_) => any_untyped(&binary.left),
            BinOp::Add(_)
            | BinOp::Sub(_)
            | BinOp::Mul(_)
            | BinOp::Div(_)
            | BinOp::Rem(_)
            | BinOp::BitAnd(_)
            | BinOp::BitOr(_)
            | BinOp::BitXor(_) => any_untyped(&binary.left) && any_untyped(&binary.right),
            _ => false,
        },
        _ => false,
    }
}
