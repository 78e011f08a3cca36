//! The data-parallel front end against the sequential one: what it accepts is valid and has the same tree.

use std::sync::LazyLock;

use refcompiler::frontend::analysis::{Analysis, analyse};
use refcompiler::frontend::classes::classes;
use refcompiler::frontend::lex::lex;
use refcompiler::frontend::parse::parse;
use refcompiler::frontend::syntax::syntax;
use refcompiler::ir::kinds::{Kind, Type};
use refcompiler::ir::tokens::{HostTokens, TokenKind};
use refcompiler::ir::tree::Tree;
use refcompiler::pipeline::upload_text;
use refcompiler::source::Sources;
use treepar::{Backend, Cpu};

use crate::lexer::{self, Verdict};

static CPU: LazyLock<Cpu> = LazyLock::new(|| Cpu::with_threads(1));

/// The columns of a tree.
#[derive(Debug, PartialEq, Eq)]
struct Columns {
    depth: Vec<u32>,
    kind: Vec<u8>,
    ty: Vec<u8>,
    data: Vec<u32>,
    pos: Vec<u32>,
}

/// Compares the front ends. `tree` is the tree of the sequential one, `None` if it refuses the inputs.
pub fn compare(sources: &Sources, tree: Option<&Tree>) {
    if lexer::compare(&*CPU, sources) != Verdict::Accepted {
        return;
    }
    let Some(found) = accepted(sources).expect("a backend without errors") else { return };
    let texts = || sources.files().iter().map(|file| &file.text[..]).collect::<Vec<_>>();
    let tree = tree.unwrap_or_else(|| panic!("only the passes accept {:?}", texts()));
    // The functions of the runtime follow the program.
    let n = found.depth.len();
    let expected = Columns {
        depth: tree.depth[..n].to_vec(),
        kind: tree.kind[..n].to_vec(),
        ty: tree.ty[..n].to_vec(),
        data: tree.data[..n].to_vec(),
        pos: tree.pos[..n].to_vec(),
    };
    assert!(tree.depth.get(n).is_none_or(|&depth| depth == 0), "nodes are missing: {:?}", texts());
    assert!(found == expected, "found {found:?}, expected {expected:?}, in {:?}", texts());
}

/// Returns the tree that the passes make, or `None` if they do not accept the program.
fn accepted(sources: &Sources) -> treepar::Result<Option<Columns>> {
    let cpu = &*CPU;
    let tokens = lex(cpu, &upload_text(cpu, sources)?)?.tokens;
    let classified = classes(cpu, &tokens)?;
    let checked = syntax(cpu, &classified)?;
    if checked.errors > 0 {
        return Ok(None);
    }
    let parsed = parse(cpu, &tokens, &classified, &checked)?;
    let host = tokens.download(cpu)?;
    let library = library(sources, &host);
    let Analysis::Valid(meaning) = analyse(cpu, &tokens, &classified, &checked, &parsed, &library)? else {
        return Ok(None);
    };
    let nodes = parsed.nodes.download(cpu)?;
    Ok(Some(Columns {
        depth: nodes.depth,
        kind: nodes.kind.into_iter().map(Kind::code).collect(),
        ty: cpu.download(&meaning.types)?.into_iter().map(Type::code).collect(),
        data: cpu.download(&meaning.data)?,
        pos: nodes.token.iter().map(|token| host.start[token.index()]).collect(),
    }))
}

/// Returns the ids of the names of the runtime's functions, `u32::MAX` for a name that does not occur.
fn library(sources: &Sources, tokens: &HostTokens) -> [u32; 4] {
    let mut ids = [u32::MAX; 4];
    for t in (0..tokens.len()).filter(|&t| tokens.kind[t] == TokenKind::Name) {
        let name = lexer::word(sources, tokens.start[t]);
        if let Some(id) = ["print_int", "print_float", "print_char", "read_char"].iter().position(|&it| it == name) {
            ids[id] = tokens.value[t];
        }
    }
    ids
}
