//! Smaller programs that still fail.

use crate::syntax::{Expr, Program, Stmt, Ty};

/// Shrinks a program as long as `fails` holds for the rest; `fails` must be false for programs that are not valid.
pub fn shrink(mut program: Program, fails: impl Fn(&Program) -> bool) -> Program {
    let mut tries = 600;
    loop {
        let before = size(&program);
        for change in [Change::Remove, Change::Unwrap, Change::Lift, Change::Simplify] {
            let mut at = 0;
            while tries > 0 {
                let mut smaller = program.clone();
                let mut left = at;
                let found = (0..smaller.functions.len()).any(|f| {
                    let mut body = std::mem::take(&mut smaller.functions[f].body);
                    let found = change_body(&smaller, &mut body, &mut left, change);
                    smaller.functions[f].body = body;
                    found
                });
                if !found {
                    break;
                }
                tries -= 1;
                if fails(&smaller) {
                    program = smaller;
                } else {
                    at += 1;
                }
            }
        }
        if size(&program) == before || tries == 0 {
            return program;
        }
    }
}

fn size(program: &Program) -> usize {
    program.to_string().len()
}

#[derive(Clone, Copy, PartialEq)]
enum Change {
    /// Take a statement away.
    Remove,
    /// Replace a block by its statements.
    Unwrap,
    /// Replace an expression by a part of it with the same type.
    Lift,
    /// Replace an expression by a literal.
    Simplify,
}

/// Makes the change number `left`; returns whether there is one.
fn change_body(program: &Program, body: &mut Vec<Stmt>, left: &mut usize, change: Change) -> bool {
    for k in 0..body.len() {
        let inner = match &mut body[k] {
            Stmt::Block(inner) | Stmt::While(_, inner) | Stmt::For(_, _, inner) | Stmt::If(_, inner, _) => {
                Some(std::mem::take(inner))
            }
            _ => None,
        };
        match change {
            Change::Remove => {
                if *left == 0 {
                    body.remove(k);
                    return true;
                }
                *left -= 1;
            }
            Change::Unwrap => {
                if let Some(inner) = &inner {
                    if *left == 0 {
                        body.splice(k..=k, inner.clone());
                        return true;
                    }
                    *left -= 1;
                }
            }
            Change::Lift | Change::Simplify => {}
        }
        if let Some(mut taken) = inner {
            let found = change_body(program, &mut taken, left, change);
            if let Stmt::Block(inner) | Stmt::While(_, inner) | Stmt::For(_, _, inner) | Stmt::If(_, inner, _) =
                &mut body[k]
            {
                *inner = taken;
            }
            if found {
                return true;
            }
        }
        if let Stmt::If(_, _, Some(other)) = &mut body[k]
            && change_body(program, other, left, change)
        {
            return true;
        }
        if matches!(change, Change::Lift | Change::Simplify) {
            let mut simplify = |e: &mut Expr| simplify(program, e, left, change == Change::Lift);
            let found = body[k].parts_mut().into_iter().any(&mut simplify);
            if found {
                return true;
            }
        }
    }
    false
}

fn simplify(program: &Program, e: &mut Expr, left: &mut usize, lifts: bool) -> bool {
    let literal = matches!(e, Expr::Int(..) | Expr::Float(_) | Expr::Declare(..)) || is_single(e);
    if lifts && let Some(ty) = program.type_of(e) {
        let mut parts: Vec<Expr> = e.parts_mut().into_iter().map(|part| part.clone()).collect();
        parts.retain(|part| program.type_of(part) == Some(ty));
        if *left < parts.len() {
            *e = parts.swap_remove(*left);
            return true;
        }
        *left -= parts.len();
    } else if let (false, Some(ty)) = (literal, program.type_of(e)) {
        if *left == 0 {
            *e = one(program, ty);
            return true;
        }
        *left -= 1;
    }
    e.parts_mut().into_iter().any(|part| simplify(program, part, left, lifts))
}

/// Returns the simplest value of a type.
fn one(program: &Program, ty: Ty) -> Expr {
    match ty {
        Ty::Int => Expr::Int(1, false),
        Ty::Float => Expr::Float("1.0".into()),
        Ty::Composite(row, 0) => {
            let fields = &program.composites[row as usize].fields;
            Expr::Struct(row, fields.iter().map(|&ty| one(program, ty)).collect())
        }
        array => Expr::Array(vec![one(program, array.of_rank(array.rank() - 1))]),
    }
}

/// Returns whether an expression is an array or a struct of literals, one for each field.
fn is_single(e: &Expr) -> bool {
    let is_literal = |e: &Expr| matches!(e, Expr::Int(..) | Expr::Float(_)) || is_single(e);
    match e {
        Expr::Array(rows) => rows.len() == 1 && is_literal(&rows[0]),
        Expr::Struct(_, fields) => fields.iter().all(is_literal),
        _ => false,
    }
}
