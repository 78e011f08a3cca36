//! Swaps of indices, columns and tables that do not compile.
//!
//! Each line has an expression that compiles, the same with a swap, and the code of the swap's error. Both are tests of
//! the documentation. They differ only in the expression, so nothing else can be the error. A nightly rustdoc, or the one
//! that `.ci/run` uses, compares the code too.

/// Declares the two tests of each swap. `$around` puts an expression into a function.
macro_rules! swaps {
    ($around:ident: $($name:ident: $right:literal, not $wrong:literal: $code:literal;)*) => {
        $(
            #[doc = concat!("```no_run\n", $around!($right), "\n```\n")]
            #[doc = concat!("```compile_fail,", $code, "\n", $around!($wrong), "\n```\n")]
            pub struct $name;
        )*
    };
}

/// A device function that reads tables.
macro_rules! reads {
    ($expression:literal) => {
        concat!(
            "use refcompiler::ir::frame::{Frame, Frames};\n",
            "use refcompiler::ir::kinds::{Kind, Kinds, Role, Type};\n",
            "use refcompiler::ir::nodes::{FunctionId, Functions, NodeId, Nodes, Variables};\n",
            "use refcompiler::ir::rows::{FunctionIndex, Heads, Located, RowId, Rows, stack_word};\n",
            "use refcompiler::target::Target;\n",
            "use refcompiler::ir::tokens::{TokenKind, TokenKinds};\n",
            "use treepar::device::device;\n",
            "const ADD: Kinds = Kinds::of(&[Kind::Add]);\n",
            "const PLUS: TokenKinds = TokenKinds::of(&[TokenKind::Plus]);\n",
            "#[device]\n",
            "#[allow(unused_variables)]\n",
            "fn read(n: NodeId, r: RowId, f: FunctionIndex, id: FunctionId, nodes: &Nodes, variables: &Variables,\n",
            "    functions: &Functions, rows: &Rows, heads: &Heads, located: &Located, frames: &Frames) -> u32 {\n",
            "    let kind: Kind = nodes.kind[n];\n",
            "    let ty: Type = rows.ty[r];\n",
            "    ",
            $expression,
            "\n}\nfn main() {}",
        )
    };
}

swaps! { reads:
    NodeForRow: "rows.data[r]", not "rows.data[n]": "E0308";
    RowForNode: "nodes.data[n]", not "nodes.data[r]": "E0308";
    RowForVariable: "variables.data[n]", not "variables.data[r]": "E0308";
    NodeForLocatedRow: "located.ints[r]", not "located.ints[n]": "E0308";
    IdForIndexOfFunction: "heads.row[f]", not "heads.row[id]": "E0308";
    IndexForIdOfFunction: "functions.entry[id]", not "functions.entry[f]": "E0308";
    RowForFrame: "frames.frame[f].bytes", not "frames.frame[r].bytes": "E0308";
    NumberForRow: "rows.data[rows.target[r]]", not "rows.data[rows.data[r]]": "E0308";
    KindForType: "(rows.ty[r] == Type::Int) as u32", not "(rows.kind[r] == Type::Int) as u32": "E0308";
    TypeForKind: "(rows.kind[r] == kind) as u32", not "(rows.ty[r] == kind) as u32": "E0308";
    RoleForType: "rows.kind[r].is_call(rows.ty[r]) as u32", not "rows.kind[r].is_call(rows.role[r]) as u32": "E0308";
    TypeForRole: "rows.role[r].waits() as u32", not "rows.ty[r].waits() as u32": "E0599";
    SetOfTokensForKinds: "ADD.contains(kind) as u32", not "PLUS.contains(kind) as u32": "E0308";
    RowsForLocated: "stack_word(Target::Riscv32, r, located)", not "stack_word(Target::Riscv32, r, rows)": "E0308";
    ArgumentsInTheOtherOrder: "stack_word(Target::Riscv32, r, located)", not "stack_word(Target::Riscv32, located, r)": "E0308";
}

/// A function that passes tables to passes.
macro_rules! passes {
    ($expression:literal) => {
        concat!(
            "use refcompiler::ir::nodes::{Functions, Lifted, Nodes, Structure, Variables};\n",
            "use refcompiler::ir::positions::Positions;\n",
            "use refcompiler::ir::rows::{Heads, Located, Rows};\n",
            "use refcompiler::ir::row_form::RowForm;\n",
            "use refcompiler::passes::{allocate::allocate, flatten::flatten, frames::frames, lift::lift};\n",
            "use refcompiler::target::Target;\n",
            "use treepar::{Backend, Result};\n",
            "#[allow(unused_variables)]\n",
            "fn pass<B: Backend>(backend: &B, nodes: Nodes<B>, structure: Structure<B>, lifted: Lifted<B>,\n",
            "    variables: Variables<B>, functions: Functions<B>, rows: Rows<B>, heads: Heads<B>, located: Located<B>,\n",
            "    positions: &mut Positions<B>)\n",
            "-> Result<()> {\n",
            "    ",
            $expression,
            ";\n    Ok(())\n}\nfn main() {}",
        )
    };
}

swaps! { passes:
    RowsForNodes: "lift(backend, nodes, structure, 1, positions)?", not "lift(backend, rows, structure, 1, positions)?": "E0308";
    NodesForRows: "allocate(backend, Target::Riscv32, false, rows)?", not "allocate(backend, Target::Riscv32, false, nodes)?": "E0308";
    TablesInTheOtherOrder:
        "flatten(backend, RowForm::Riscv32, lifted, variables, &functions, positions)?", not "flatten(backend, RowForm::Riscv32, variables, lifted, &functions, positions)?": "E0308";
    HeadsForRows: "frames(backend, Target::Riscv32, false, &heads, &located)?", not "frames(backend, Target::Riscv32, false, &located, &heads)?": "E0308";
    RowsBeforeAllocation: "frames(backend, Target::Riscv32, false, &heads, &located)?", not "frames(backend, Target::Riscv32, false, &heads, &rows)?": "E0308";
    ColumnsOfNodes:
        "Nodes { kind: nodes.kind, ty: nodes.ty, ..nodes }", not "Nodes { kind: nodes.ty, ty: nodes.kind, ..nodes }": "E0271";
    ColumnsOfRows: "Rows { ty: rows.ty, ..rows }", not "Rows { ty: rows.role, ..rows }": "E0271";
    RowsForNumbers: "Rows { target: rows.target, ..rows }", not "Rows { target: rows.data, ..rows }": "E0271";
    NodesForKinds: "Located { kind: rows.kind, ..located }", not "Located { kind: nodes.ty, ..located }": "E0271";
}
