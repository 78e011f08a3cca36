//! Crates of others, on the inputs of the operations of lexing: a lexer that `logos` generates, `string-interner`, and automata of
//! `regex-automata`.

use std::sync::OnceLock;

use logos::Logos;
use regex_automata::Anchored;
use regex_automata::dfa::Automaton;
use regex_automata::dfa::dense::DFA;
use regex_automata::util::syntax;
use string_interner::symbol::SymbolU32;
use string_interner::{DefaultBackend, StringInterner, Symbol as _};
use treepar::Cpu;

use super::Scratch;
use super::data::{Data, NAME, NUMBER, text_of};

#[derive(Logos, Clone, Copy)]
#[logos(skip r"[ \n\x00]+")]
#[logos(skip r"#[^\n]*")]
enum Token {
    #[regex("[a-z_][a-z0-9_]*")]
    Name,
    #[regex("[0-9]+")]
    Number,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Times,
    #[token("/")]
    Divide,
    #[token("=")]
    Assign,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token(";")]
    End,
}

/// Writes the first byte and the kind of each token.
pub fn lex(d: &Data<Cpu>, s: &mut Scratch) {
    let text = text_of(d, &mut s.text);
    s.out.clear();
    s.bytes.clear();
    let mut lexer = Token::lexer(text);
    while let Some(token) = lexer.next() {
        s.out.push(lexer.span().start as u32);
        s.bytes.push(match token {
            Ok(Token::Name) => NAME,
            Ok(Token::Number) => NUMBER,
            Ok(Token::Plus) => b'+',
            Ok(Token::Minus) => b'-',
            Ok(Token::Times) => b'*',
            Ok(Token::Divide) => b'/',
            Ok(Token::Assign) => b'=',
            Ok(Token::Open) => b'(',
            Ok(Token::Close) => b')',
            Ok(Token::End) => b';',
            Err(()) => u8::MAX,
        });
    }
}

/// Writes the first row of each name. The interner numbers names in the order of their first uses.
pub fn intern(d: &Data<Cpu>, s: &mut Scratch) {
    if s.names.is_empty() {
        let name = |word: &u64| word.to_le_bytes().into_iter().filter(|&byte| byte != 0).map(char::from).collect();
        s.names = d.names.iter().map(name).collect();
    }
    let mut interner: StringInterner<DefaultBackend> = StringInterner::new();
    s.out.clear();
    s.spare.clear();
    for (name, row) in s.names.iter().zip(0..) {
        let symbol: SymbolU32 = interner.get_or_intern(name);
        let symbol = symbol.to_usize();
        if symbol == s.spare.len() {
            s.spare.push(row);
        }
        s.out.push(s.spare[symbol]);
    }
}

/// Writes whether each byte is read in a comment: whether the bytes before it match as a whole.
pub fn comment_states(d: &Data<Cpu>, s: &mut Scratch) {
    static COMMENT: OnceLock<DFA<Vec<u32>>> = OnceLock::new();
    let dfa = COMMENT.get_or_init(|| {
        let bytes = syntax::Config::new().unicode(false).utf8(false);
        let dfa = DFA::builder().syntax(bytes).build(r"(?:[^#]|#[^\n]*\n)*#[^\n]*");
        dfa.expect("the expression is right")
    });
    let input = &regex_automata::Input::new("").anchored(Anchored::Yes);
    let mut state = dfa.start_state_forward(input).expect("there is no word boundary");
    // A state says whether the bytes before the last one match.
    let mut before = |byte: u8| {
        state = dfa.next_state(state, byte);
        u8::from(dfa.is_match_state(state))
    };
    s.wide.clear();
    s.wide.extend(d.text.iter().map(|word| u64::from_le_bytes(word.to_le_bytes().map(&mut before))));
}
