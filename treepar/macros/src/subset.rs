//! What a device function may hold: the part of Rust that CUDA C++ can say with the same meaning.

use syn::visit::Visit;
use syn::{Expr, ExprCall, ExprPath, ItemFn, PatIdent, Path};

/// The names that a body uses: what the generated C++ needs beside the body itself.
#[derive(Default)]
pub struct Uses {
    /// Device functions called.
    pub calls: Vec<Path>,
    /// Constants read: paths whose last segment is in capitals.
    pub constants: Vec<Path>,
}

const PRIMITIVES: [&str; 10] = ["u8", "u16", "u32", "u64", "i32", "i64", "f32", "bool", "usize", "i16"];

/// The functions and constants that `function` uses.
pub fn uses(function: &ItemFn) -> Uses {
    let mut uses = Uses::default();
    uses.visit_block(&function.block);
    uses
}

impl<'ast> Visit<'ast> for Uses {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(ExprPath { path, .. }) = &*call.func {
            if !is_intrinsic(path) && !self.calls.contains(path) {
                self.calls.push(path.clone());
            }
        }
        for argument in &call.args {
            self.visit_expr(argument);
        }
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        self.constant(&path.path);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.constant(&pattern.ident.clone().into());
    }
}

impl Uses {
    /// Notes `path` if it names a constant.
    fn constant(&mut self, path: &Path) {
        let name = path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let capital = name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(|c| c.is_ascii_lowercase());
        if capital && !is_intrinsic(path) && !self.constants.contains(path) {
            self.constants.push(path.clone());
        }
    }
}

/// Whether a path names something of a primitive type, such as `u32::MAX` or `f32::from_bits`.
fn is_intrinsic(path: &Path) -> bool {
    path.segments.len() == 2 && PRIMITIVES.iter().any(|name| path.segments[0].ident == name)
}
