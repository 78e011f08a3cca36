//! The header for C: declarations of the functions that C can call, and of the functions that C has.

use std::fmt::Write;

use super::{Head, element_in_c, heads};
use crate::ir::kinds::Type;
use crate::ir::tree::{Tree, type_text};
use crate::source::Sources;
use crate::target::Target;

/// The words that cannot be names in C or C++.
const KEYWORDS: &str = " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class \
    co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do \
    double dynamic_cast else enum explicit export extern false float for friend goto if inline int int32_t long mutable namespace \
    new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict return \
    short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid \
    typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq _Alignas _Alignof _Atomic \
    _BitInt _Bool _Complex _Decimal128 _Decimal32 _Decimal64 _Generic _Imaginary _Noreturn _Static_assert _Thread_local ";

fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&format!(" {name} "))
}

/// The names of the parameters of a declaration.
#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    /// Returns a name that no other parameter has, like `name` if that is free.
    fn add(&mut self, name: &str) -> String {
        let mut name = name.to_string();
        while is_keyword(&name) || self.0.contains(&name) {
            name.push('_');
        }
        self.0.push(name.clone());
        name
    }
}

/// Returns the name of a parameter in the source.
fn name_at(pos: u32, sources: &Sources) -> &str {
    let end = sources.file_at(pos).map_or(pos, |file| file.start + file.text.len() as u32);
    let rest = sources.text(pos..end);
    &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())]
}

/// Returns whether the result of the function whose name is at `pos` is written with a `*`. The tree has no place for it in an `extern`
/// function, whose result is new anyway.
fn is_written_unique(pos: u32, sources: &Sources) -> bool {
    let end = sources.file_at(pos).map_or(pos, |file| file.start + file.text.len() as u32);
    let code = sources.text(pos..end).lines().map(|line| line.split("//").next().unwrap_or(""));
    let mut depth = 0u32;
    let mut result = code.flat_map(str::chars).filter(|c| !c.is_whitespace()).skip_while(|c| {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        depth > 0 || !matches!(c, ']' | ')')
    });
    result.nth(1) == Some(':') && result.next() == Some('*')
}

/// Returns the head of a function as Par writes it.
fn head_in_par(head: &Head, tree: &Tree, sources: &Sources) -> String {
    let text = |ty: Type, is_unique: bool| {
        format!("{}{}", if is_unique { "*" } else { "" }, type_text(ty.code(), &tree.composites))
    };
    let parameters: Vec<String> = (head.parameters.iter())
        .map(|p| format!("{}: {}", name_at(tree.pos[p.node], sources), text(p.ty, p.is_unique)))
        .collect();
    let word = if head.is_extern { "extern fn" } else { "fn" };
    let name = &tree.functions[head.id as usize].name;
    let is_unique = if head.is_extern { is_written_unique(head.pos, sources) } else { head.has_unique_result };
    format!("{word} {name}[{}]: {}", parameters.join(", "), text(head.result, is_unique))
}

/// Returns the declaration of a function whose types C has.
fn declaration(head: &Head, tree: &Tree, sources: &Sources) -> String {
    let mut names = Names::default();
    let own: Vec<String> = head.parameters.iter().map(|p| names.add(name_at(tree.pos[p.node], sources))).collect();
    let mut parameters = Vec::new();
    for (p, name) in head.parameters.iter().zip(&own) {
        let element = element_in_c(p.ty).unwrap_or("void");
        if !p.ty.is_array() {
            parameters.push(format!("{element} {name}"));
            continue;
        }
        parameters.push(format!("{}{element} *{name}", if p.is_unique { "" } else { "const " }));
        parameters.extend((0..p.ty.rank()).map(|k| format!("int32_t {}", names.add(&format!("{name}_{k}")))));
    }
    let element = element_in_c(head.result).unwrap_or("void");
    if head.result.is_array() {
        parameters.push(format!("{element} *{}", names.add("result")));
        parameters.push(format!("int32_t {}", names.add("room")));
        parameters.push(format!("int32_t {}[{}]", names.add("extents"), head.result.rank()));
    }
    if parameters.is_empty() {
        parameters.push("void".to_string());
    }
    let result = if head.result.is_array() { "void" } else { element };
    format!("{result} {}({});", tree.functions[head.id as usize].name, parameters.join(", "))
}

/// Returns why C cannot call a function, or `None` if it can.
fn reason(head: &Head, tree: &Tree) -> Option<String> {
    let name = &tree.functions[head.id as usize].name;
    match head.without_form() {
        Some(ty) => Some(format!("C has no form of the type `{}`", type_text(ty.code(), &tree.composites))),
        None if is_keyword(name) => Some(format!("`{name}` is a keyword of C or C++")),
        None if name == "main" => Some("a program begins there".to_string()),
        None => None,
    }
}

/// Returns the guard of a header: the name of the first input, in capitals.
fn guard(sources: &Sources) -> String {
    let path = sources.files().first().map_or("", |file| &*file.name);
    let stem = std::path::Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or("");
    let letters = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
    format!("PAR_{}_H", letters.collect::<String>())
}

/// Returns the comment about arrays on a target.
fn notes(target: Target) -> &'static str {
    match target {
        Target::X86_64 => {
            "//\n// Arrays may lie anywhere, and must not overlap. Those that end below 2 GiB are used where they are: static arrays and\n\
             // the heap of an executable that is linked with -no-pie, and memory of mmap with MAP_32BIT. Others are copied for\n\
             // each call, and copied back if they are not const.\n"
        }
        _ => "",
    }
}

/// Returns the header of a program for C on a target: the functions at top level, and the `extern` functions. A function that C
/// cannot call is a comment with the reason.
pub fn header(tree: &Tree, sources: &Sources, target: Target) -> String {
    let guard = guard(sources);
    let mut text = format!(
        "// Functions of a Par program for C and C++, as `refc --emit header` writes them.\n{}\n#ifndef {guard}\n#define {guard}\n\n\
         #include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n",
        notes(target)
    );
    for head in heads(tree) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n// {}", head_in_par(&head, tree, sources));
        let _ = match reason(&head, tree) {
            Some(reason) => writeln!(text, "// Left out: {reason}."),
            None => writeln!(text, "{}", declaration(&head, tree, sources)),
        };
    }
    text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
}
