//! The sequential lexer of the front end, which decides on the data-parallel one.

use refcompiler::frontend::input::upload_text;
use refcompiler::frontend::lex::lex;
use refcompiler::frontend::sequential::token_table;
use refcompiler::ir::tokens::{NameId, TokenId, TokenKind};
use refcompiler::source::Sources;
use treepar::Backend;

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same tokens, without an error.
    Accepted,
    /// An error.
    Refused,
    /// No error, but the data-parallel lexer is not sure.
    Unsure,
}

/// Returns inputs with these texts.
pub fn sources<T: AsRef<[u8]>>(texts: &[T]) -> Sources {
    let mut sources = Sources::new();
    for text in texts {
        sources.add("test.par", text.as_ref().to_vec()).expect("a text that fits");
    }
    sources
}

/// Returns the letters, digits and underscores at a position.
pub fn word(sources: &Sources, start: u32) -> &str {
    let file = sources.file_at(start).expect("a position in an input");
    let rest = &file.text[file.offset(start)..];
    &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())]
}

/// Compares both lexers.
pub fn compare<B: Backend>(backend: &B, sources: &Sources) -> Verdict {
    let (expected, errors) = token_table(sources);
    let text = upload_text(backend, sources, sources.range()).expect("an upload");
    let found = lex(backend, &text).expect("tokens");
    let tokens = found.tokens.download(backend).expect("tokens");
    let count = |kind| tokens.kind.iter().filter(|&&found| found == kind).count();
    // A single point is one of a field, which the front end leaves to the sequential one.
    if found.unsure > 0
        || count(TokenKind::Malformed) + count(TokenKind::Dot) > 0
        || count(TokenKind::End) != sources.files().len()
    {
        return if !errors.is_empty() { Verdict::Refused } else { Verdict::Unsure };
    }
    let texts: Vec<&str> = sources.files().iter().map(|file| &file.text[..]).collect();
    assert!(errors.is_empty(), "accepted: {texts:?}");
    let names = found.names.download(backend).expect("names");
    assert_eq!(tokens.start, expected.start, "first bytes in {texts:?}");
    assert_eq!(tokens.kind, expected.kind, "kinds in {texts:?}");
    assert_eq!(tokens.value, expected.value, "values in {texts:?}");
    let mut firsts = Vec::new();
    for t in 0..tokens.len() {
        if tokens.kind[t] == TokenKind::Name && tokens.value[t] as usize == firsts.len() {
            firsts.push(TokenId::new(t as u32));
        }
    }
    assert_eq!(names.first, firsts, "first occurrences in {texts:?}");
    for id in 0..names.len() {
        let row = names.row(NameId::new(id as u32));
        let name = word(sources, tokens.start[row.first.index()]);
        let mut bytes = [0; 8];
        let count = name.len().min(8);
        bytes[..count].copy_from_slice(&name.as_bytes()[..count]);
        let is_right = if name.len() > 8 { row.key >> 63 == 1 } else { row.key == u64::from_le_bytes(bytes) };
        assert!(is_right, "the key {:x} of {name} in {texts:?}", row.key);
    }
    Verdict::Accepted
}
