//! Trees of valid programs. `diagnostics.rs` tests the errors and warnings of the others.

use refcompiler::diagnostics::{Code, render};
use refcompiler::frontend::sequential::listing::{tokens_text, tree_text};
use refcompiler::frontend::sequential::{Sources, check_main, parse_program};
use refcompiler::ir::kinds::OPERATORS;
use refcompiler::ir::operators::{Operands, Value};
use refcompiler::ir::tree::{Linkage, Tree, kind, runtime, ty, type_text};

fn sources(text: &str) -> Sources {
    let mut sources = Sources::new();
    sources.add("test.par", text.as_bytes().to_vec()).expect("a text that fits");
    sources
}

fn tree(text: &str) -> Tree {
    let sources = sources(text);
    parse_program(&sources).unwrap_or_else(|errors| panic!("{}", render(&sources, &errors, false)))
}

/// Returns code, line and column of each error.
fn errors(text: &str) -> Vec<(Code, usize, usize)> {
    let sources = sources(text);
    let Err(errors) = parse_program(&sources) else { return Vec::new() };
    let place = |position| sources.locate(position).expect("a place in the file");
    errors
        .iter()
        .map(|error| {
            let (_, line, column) = place(error.span.start);
            (error.code, line, column)
        })
        .collect()
}

/// Returns the kinds of the nodes of an expression statement, each after one `.` per level below the statement.
fn shape(expression: &str) -> String {
    let tree =
        tree(&format!("fn main[]: int {{ var a = 1; var b = 2; var c = 3; var x = 1.0; {expression}; return 0; }}"));
    let statements: Vec<usize> = (0..tree.len()).filter(|&i| tree.depth[i] == 2).collect();
    let (first, last) = (statements[4] + 1, statements[5]);
    (first..last)
        .map(|i| format!("{}{}", ".".repeat(tree.depth[i] as usize - 3), kind::NAMES[tree.kind[i] as usize]))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_function_is_these_nodes() {
    let tree = tree("fn f[p: int, q: float]: float { return q; } fn main[]: int { f[1, 2.0]; return 0; }");
    let kinds: Vec<u8> = tree.kind.clone();
    assert_eq!(
        kinds,
        [
            kind::FUNCTION,
            kind::HEADER,
            kind::PARAM,
            kind::PARAM,
            kind::BLOCK,
            kind::RETURN,
            kind::NAME,
            kind::FUNCTION,
            kind::HEADER,
            kind::BLOCK,
            kind::EXPRESSION,
            kind::CALL,
            kind::ARG,
            kind::LITERAL,
            kind::ARG,
            kind::LITERAL,
            kind::RETURN,
            kind::LITERAL,
        ]
    );
    assert_eq!(tree.depth, [0, 1, 1, 1, 1, 2, 3, 0, 1, 1, 2, 3, 4, 5, 4, 5, 2, 3]);
    assert_eq!(tree.data[6], 3, "the name means the second parameter");
    let first = runtime::COUNT;
    let ids = (tree.data[0], tree.data[7], tree.data[11]);
    assert_eq!(ids, (first, first + 1, first), "functions are numbered behind the runtime's");
    assert_eq!((tree.data[12], tree.data[14]), (0, 1), "arguments know their places");
    assert_eq!(tree.data[15], 2.0f32.to_bits());
    assert_eq!((tree.ty[0], tree.ty[7], tree.ty[11]), (ty::FLOAT, ty::INT, ty::FLOAT));
    assert_eq!(tree.functions[first as usize].name, "f");
    assert_eq!(tree.functions[first as usize].parameters, 2);
}

#[test]
fn precedence_is_that_of_the_table() {
    let levels: [(&str, &[(&str, &str)]); 7] = [
        ("product", &[("*", "mul"), ("/", "div"), ("%", "rem")]),
        ("sum", &[("+", "add"), ("-", "sub")]),
        ("shift", &[("<<", "shl"), (">>", "shr"), (">>>", "ushr")]),
        ("bits", &[("&", "and"), ("|", "or"), ("^", "xor")]),
        ("comparison", &[("==", "eq"), ("!=", "ne"), ("<", "lt"), ("<=", "le"), (">", "gt"), (">=", "ge")]),
        ("and", &[("&&", "land")]),
        ("or", &[("||", "lor")]),
    ];
    for (i, (_, first)) in levels.iter().enumerate() {
        for (j, (_, second)) in levels.iter().enumerate() {
            for (a, a_name) in first.iter() {
                for (b, b_name) in second.iter() {
                    let expected = if i <= j {
                        format!("{b_name} .{a_name} ..name ..name .name")
                    } else {
                        format!("{a_name} .name .{b_name} ..name ..name")
                    };
                    assert_eq!(shape(&format!("a {a} b {b} c")), expected, "{a} then {b}");
                }
            }
        }
    }
}

/// The table of operators in the description of the language has each binary operator in the line of its level, with its
/// types.
#[test]
fn the_language_describes_each_operator() {
    let text = include_str!("../../LANGUAGE.md");
    let rows: Vec<Vec<String>> = text
        .lines()
        .skip_while(|line| *line != "| level | operators | operands | result |")
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.replace("\\|", "\u{0}").split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect())
        .collect();
    // The texts in backticks that are not forms like `e : T`.
    let spellings = |row: &[String]| -> Vec<String> {
        let quoted = row[2].split('`').skip(1).step_by(2);
        quoted.filter(|text| !text.contains(|c: char| c.is_alphanumeric())).map(str::to_string).collect()
    };
    for operator in OPERATORS {
        let described: Vec<&Vec<String>> =
            rows.iter().filter(|row| spellings(row).iter().any(|spelling| spelling == operator.spelling)).collect();
        let [row] = described[..] else { panic!("`{}` is in {} rows", operator.spelling, described.len()) };
        assert_eq!(row[1], operator.level.to_string(), "the level of `{}`", operator.spelling);
        let operands = if operator.operands == Operands::Int { "int" } else { "int, float" };
        assert_eq!(row[3], operands, "the operands of `{}`", operator.spelling);
        let value = match (operator.operands, operator.value) {
            (Operands::Number, Value::Same) => "same",
            (Operands::Int, Value::Same) => "int",
            (_, Value::Truth) => "int, 0 or 1",
        };
        assert_eq!(row[4].split(';').next(), Some(value), "the value of `{}`", operator.spelling);
    }
    let described: usize = rows.iter().map(|row| spellings(row).len()).sum();
    assert_eq!(described, OPERATORS.len(), "the language describes an operator that there is not");
}

#[test]
fn assignments_associate_to_the_right_and_bind_loosest() {
    assert_eq!(shape("a = b = c + 1"), "assign .assign ..add ...name ...literal");
    assert_eq!(shape("var d = (var e = a = 123) + 3"), "declare .add ..declare ...assign ....literal ..literal");
    assert_eq!(shape("var d: int = a : int"), "declare .ascribe ..name");
    assert_eq!(shape("a = b : int"), "assign .ascribe ..name");
    assert_eq!(shape("var d: float"), "declare");
}

#[test]
fn a_minus_is_binary_behind_a_value() {
    assert_eq!(shape("a -b"), "sub .name .name");
    assert_eq!(shape("a - -b"), "sub .name .negate ..name");
    assert_eq!(shape("(a) -1"), "sub .name .literal");
    assert_eq!(shape("- a * b"), "mul .negate ..name .name");
    assert_eq!(shape("!~-a"), "not .complement ..negate ...name");
    assert_eq!(shape("-2147483648"), "negate .literal");
}

#[test]
fn both_brackets_call() {
    assert_eq!(shape("print_int[a]"), shape("print_int(a)"));
    assert_eq!(shape("int(x) + int(2.5)"), "add .cast ..name .cast ..literal");
}

#[test]
fn elif_stands_in_third_place() {
    let tree = tree("fn f[a: int]: void { if a {} elif a {} else {} if a {} elif a {} }");
    let kinds: Vec<&str> = tree.kind[3..].iter().map(|&k| kind::NAMES[k as usize]).collect();
    assert_eq!(kinds.join(" "), "block if_else name block if_else name block block if_else name block if name block");
}

#[test]
fn functions_see_one_another_whatever_their_order() {
    let text = "fn main[]: int { return later[1]; fn inner[]: int { return sibling[]; } fn sibling[]: int { return 2; } } \
                fn later[x: int]: int { return main[]; }";
    assert_eq!(errors(text), []);
    let inner = &tree(text).functions[runtime::COUNT as usize + 1];
    assert_eq!((inner.name.as_str(), inner.linkage), ("main.inner", Linkage::Local));
}

#[test]
fn names_are_seen_from_their_declaration_to_their_blocks_end() {
    assert_eq!(errors("fn f[]: void { var x = 1; { var x = x + 1; x; } x; }"), []);
    assert_eq!(errors("fn f[x: int]: void { var x = 2.0; }"), [], "the body may shadow a parameter");
    assert_eq!(errors("fn f[]: int { var f = 1; return f + f[]; }"), [], "functions have names of their own");
    assert_eq!(errors("fn f[]: void { x = 1; var x = 1; }"), [(Code::Undeclared, 1, 16)]);
    assert_eq!(errors("fn f[]: void { { var x = 1; } x; }"), [(Code::Undeclared, 1, 31)]);
}

#[test]
fn only_what_is_used_of_the_runtime_is_there() {
    let used = |text: &str| {
        let functions = tree(text).functions;
        let there = functions[..runtime::COUNT as usize].iter().filter(|f| f.linkage != Linkage::Absent);
        there.map(|f| format!("{}{}", f.name, if f.linkage == Linkage::Stub { "!" } else { "" })).collect::<Vec<_>>()
    };
    assert!(used("fn f[]: void {}").is_empty());
    assert_eq!(used("fn f[]: void { print_int[1]; }"), ["print_int", "print_char!"]);
    assert_eq!(used("fn f[x: float]: float { return x % 2.0; }"), ["remainder"]);
    let both = ["print_int", "print_float", "print_char!", "read_char!"];
    assert_eq!(used("fn f[]: int { print_float[1.0]; return read_char[]; }"), both);
    assert_eq!(
        used("fn f[x: float]: float { return exp[floor[x]]; }"),
        ["floor", "exp", "bits!", "float_of_bits!", "high_product!"]
    );
    assert!(used("fn f[x: float]: float { return sqrt[abs[x]]; }").is_empty(), "operations");
    assert!(used("fn print_int[x: int]: void {} fn f[]: void { print_int[1]; }").is_empty(), "shadowed");
    assert!(used("fn sqrt[x: int]: int { return x; } fn f[]: int { return sqrt[1]; }").is_empty(), "shadowed");
}

#[test]
fn operations_are_nodes_of_their_own() {
    let tree = tree("fn f[x: int]: float { return sqrt[float(abs[-x])]; }");
    let found: Vec<(u8, u8, u32)> = (5..12).map(|i| (tree.kind[i], tree.ty[i], tree.data[i])).collect();
    let expected = [
        (kind::SQRT, ty::FLOAT, 0),
        (kind::ASCRIBE, ty::FLOAT, 0),
        (kind::CAST, ty::FLOAT, 0),
        (kind::ABS, ty::INT, 0),
        (kind::ASCRIBE, ty::INT, 0),
        (kind::NEGATE, ty::INT, 0),
        (kind::NAME, ty::INT, 2),
    ];
    assert_eq!(found, expected);
}

#[test]
fn names_of_the_runtime_for_itself_are_free() {
    for name in ["remainder", "circle", "input_error", "print_error", "exit", "bits", "float_of_bits", "high_product"] {
        assert_eq!(errors(&format!("fn f[]: void {{ {name}[1]; }}")), [(Code::Undeclared, 1, 16)], "{name}");
        // The runtime sees its own function of the name.
        tree(&format!("fn {name}[]: void {{}} fn f[x: float]: float {{ {name}[]; return x % 2.0; }}"));
    }
}

#[test]
fn several_files_are_one_program() {
    let mut two = Sources::new();
    two.add("a.par", b"extern fn g[x: int]: int; fn main[]: int { return g[1]; }".to_vec()).unwrap();
    two.add("b.par", b"fn g[x: int]: int { return x; }".to_vec()).unwrap();
    let tree = parse_program(&two).unwrap();
    assert!(!tree.kind.contains(&kind::EXTERN), "the extern names the function of the other file");
    let first = runtime::COUNT as usize;
    assert_eq!(tree.functions[first].name, "main");
    assert_eq!(tree.functions[first + 1].name, "g");
    assert!(check_main(&tree, &two).is_ok());

    two.add("c.par", b"fn g[x: int]: int { return x; }\nextern fn main[x: int]: int;".to_vec()).unwrap();
    let found: Vec<(Code, String)> = parse_program(&two)
        .unwrap_err()
        .iter()
        .map(|e| {
            (e.code, two.locate(e.span.start).map(|(file, line, column)| format!("{file}:{line}:{column}")).unwrap())
        })
        .collect();
    assert_eq!(found, [(Code::Redeclared, "c.par:1:4".into()), (Code::Conflicting, "c.par:2:11".into())]);
}

#[test]
fn main_is_wanted_for_an_executable_only() {
    let check = |text: &str| {
        let sources = sources(text);
        check_main(&parse_program(&sources).unwrap(), &sources).map_err(|error| error.code)
    };
    assert_eq!(check(""), Err(Code::MissingMain));
    assert_eq!(check("// nothing"), Err(Code::MissingMain));
    assert_eq!(check("fn f[]: void { fn main[]: int { return 0; } }"), Err(Code::MissingMain));
    assert_eq!(check("fn main[]: void { }"), Err(Code::WrongMain));
    assert_eq!(check("fn main[x: int]: int { return x; }"), Err(Code::WrongMain));
    assert_eq!(check("fn main[]: int { return 0; }"), Ok(()));
}

/// Runs on a stack that is too small for a frame per level of nesting.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn nesting_costs_heap_alone() {
    on_a_small_stack(|| {
        let n = 100_000;
        tree(&format!("fn f[]: int {{ return {}1{}; }}", "(".repeat(n), ")".repeat(n)));
        tree(&format!("fn f[]: int {{ return {}1; }}", "-".repeat(1_000_000)));
        tree(&format!("fn f[]: void {{ {}{} }}", "{".repeat(1_000_000), "}".repeat(1_000_000)));
        tree(&format!("fn f[x: int]: int {{ return {}x{}; }}", "f[".repeat(n), "]".repeat(n)));
        tree(&format!("fn f[x: int]: void {{ if x {{}} {} }}", "elif x {} ".repeat(n)));
        tree(&format!("{}{}", "fn f[]: void { ".repeat(10_000), "}".repeat(10_000)));
        tree(&format!("fn f[x: int]: int {{ return x{}; }}", " = x".repeat(n)));
        tree(&format!("fn f[a: [int]]: int {{ return {}0{}; }}", "a[".repeat(n), "]".repeat(n)));
        tree(&format!("fn f[a: *[int]]: void {{ {}0{} = 1; }}", "a[".repeat(n), "]".repeat(n)));
        let (open, typed) = ("(".repeat(n), " : [int])".repeat(n));
        tree(&format!("fn f[a: [int]]: [int] {{ return {open}a{typed} + [1, 2]; }}"));
        let literals = format!("fn f[]: void {{ var a = {}0{}; a; }}", "[".repeat(n), "]".repeat(n));
        assert_eq!(errors(&literals).len(), 1);
        let types = format!("fn f[]: void {{ var a: {}int{}; a; }}", "[".repeat(n), "]".repeat(n));
        assert_eq!(errors(&types).len(), 1);
        assert_eq!(errors(&format!("fn f[a: {}", "[".repeat(n))).len(), 1);
        assert_eq!(errors(&format!("fn f[a: [int]]: int {{ return {}", "a[".repeat(n))).len(), 1);
        assert_eq!(errors(&format!("fn f[]: int {{ return {}1; }}", "(".repeat(n))).len(), 1);
        assert_eq!(errors(&"fn f[]: void { ".repeat(1000)).len(), 1);
    });
}

#[test]
fn a_hundred_thousand_functions_and_a_line_of_ten_megabytes() {
    let many: String = (0..100_000).map(|k| format!("fn f{k}[]: int {{ return {k}; }}\n")).collect();
    assert_eq!(tree(&many).functions.len(), 100_000 + runtime::COUNT as usize);
    let long = format!("fn f[]: int {{ return 0{}; }}", " + 1".repeat(2_500_000));
    assert_eq!(tree(&long).len(), 4 + 5_000_001);
    let wrong = format!("fn f[]: int {{ return 0{} + x; }}", " + 1".repeat(2_500_000));
    let sources = sources(&wrong);
    let text = render(&sources, &parse_program(&sources).unwrap_err(), false);
    assert!(text.len() < 2000 && text.contains(":1:10000026"), "{text}");
}

/// Returns the nodes in the body of the first function, with their types.
fn body(text: &str) -> Vec<String> {
    let tree = tree(text);
    let end = (1..tree.len()).find(|&i| tree.depth[i] == 0).unwrap_or(tree.len());
    let text = tree_text(&tree, true);
    let nodes = text.lines().zip(&tree.depth[..end]).filter(|&(_, &depth)| depth > 1);
    nodes.map(|(line, _)| line[9..].strip_prefix("    ").expect("two levels").to_string()).collect()
}

#[test]
fn arrays_are_these_nodes() {
    let statement = |text: &str| body(&format!("fn f[a: *[int], m: [[float]], n: int]: void {{ {text} }}"));
    assert_eq!(
        statement("a[n] = 1;"),
        ["update: int", "  name of node 2: [int]", "  name of node 4: int", "  literal 1: int"]
    );
    assert_eq!(
        statement("a = [n, size[m, 1]];"),
        [
            "expression",
            "  assign of node 2: [int]",
            "    array: [int]",
            "      name of node 4: int",
            "      size 1: int",
            "        name of node 3: [[float]]",
        ]
    );
    assert_eq!(
        statement("var r = replicate[n, m[0]];"),
        [
            "expression",
            "  declare: [[float]]",
            "    replicate: [[float]]",
            "      name of node 4: int",
            "      index: [float]",
            "        name of node 3: [[float]]",
            "        literal 0: int",
        ]
    );
    assert_eq!(
        statement("(concat[a, iota[n]])[0];"),
        [
            "expression",
            "  index: int",
            "    ascribe: [int]",
            "      call concat: [int]",
            "        arg 0: [int]",
            "          name of node 2: [int]",
            "        arg 1: [int]",
            "          ascribe: [int]",
            "            call iota: [int]",
            "              arg 0: int",
            "                name of node 4: int",
            "    literal 0: int",
        ]
    );
    let kinds = statement("m[0][1] + m[1, 0] + if[n, m, copy[m]][0, 0];").join("\n");
    assert_eq!(kinds.matches("index: float").count(), 3);
    assert_eq!(kinds.matches("index: [float]").count(), 1);
    assert!(kinds.contains("choose: [[float]]") && kinds.contains("call copy: [[float]]"), "{kinds}");
}

#[test]
fn programs_in_the_language_are_valid() {
    let text = include_str!("../../LANGUAGE.md");
    let programs: Vec<&str> = text.split("```par\n").skip(1).filter_map(|block| block.split("```").next()).collect();
    assert!(programs.len() >= 4);
    programs.into_iter().for_each(|program| drop(tree(program)));
}

#[test]
fn structs_and_tuples_are_these_nodes() {
    let statement = |text: &str| {
        let head = "fn f[p: P, a: *[P], t: (int, P), n: int]: void {";
        body(&format!("{head} {text} }} struct P {{ x: int, y: [float] }}"))
    };
    assert_eq!(
        statement("a[n] = P[n, p.y];"),
        [
            "update: P",
            "  name of node 3: [P]",
            "  name of node 5: int",
            "  struct: P",
            "    name of node 5: int",
            "    field 1: [float]",
            "      name of node 2: P",
        ]
    );
    assert_eq!(
        statement("var (i, q) = t;"),
        ["destructure", "  name of node 4: (int, P)", "  declare: int", "  declare: P"]
    );
    assert_eq!(
        statement("a[n].y[1] = 2.0;"),
        [
            "update: float",
            "  field 1: [[float]]",
            "    name of node 3: [P]",
            "  name of node 5: int",
            "  literal 1: int",
            "  literal 2.0: float",
        ]
    );
    assert_eq!(
        statement("a.x = n; var q = P[n, a.y[0]]; q.x = q.x + 1;")[..7],
        [
            "update_slice: int",
            "  field 0: [int]",
            "    name of node 3: [P]",
            "  all",
            "  name of node 5: int",
            "expression",
            "  declare: P",
        ]
    );
    assert_eq!(
        statement("var q = P[n, a.y[0]]; q.x = n;")[8..],
        ["assign_field: int", "  name of node 5: int", "  field 0: int", "    name of node 8: P"]
    );
    assert_eq!(
        statement("a.y[n, 1];"),
        [
            "expression",
            "  index: float",
            "    field 1: [[float]]",
            "      name of node 3: [P]",
            "    name of node 5: int",
            "    literal 1: int",
        ]
    );
    assert_eq!(
        statement("unzip[zip[a.x, a.y]];"),
        [
            "expression",
            "  unzip: ([int], [[float]])",
            "    zip: [(int, [float])]",
            "      field 0: [int]",
            "        name of node 3: [P]",
            "      field 1: [[float]]",
            "        name of node 3: [P]",
        ]
    );
    assert_eq!(
        statement("var q: ([P], [P]) = split[a, n];"),
        [
            "expression",
            "  declare: ([P], [P])",
            "    split: ([P], [P])",
            "      name of node 3: [P]",
            "      name of node 5: int"
        ]
    );
    let negated = statement("-p.x + n;");
    assert_eq!(negated[1..4], ["  add: int", "    negate: int", "      field 0: int"]);
}

/// Equal types have one row, and the types of fields come before.
#[test]
fn composite_types_are_rows() {
    let text = "fn f[q: Q, t: (int, P)]: ([P], (int, P)) { var a = [q.p]; var b: [P] = a; return (b, (q.p.x, a[0])); }
        struct Q { p: P, x: float } struct P { x: int }";
    let Tree { composites, arrays, .. } = tree(text);
    let rows: Vec<String> = (0..composites.len()).map(|k| type_text(128 + k as u8, &composites)).collect();
    assert_eq!(rows, ["P", "Q", "(int, P)", "[P]", "([P], (int, P))"]);
    assert!(arrays);
    for (k, row) in composites.iter().enumerate() {
        assert!(row.fields.iter().all(|field| field.ty < 128 + k as u8), "{row:?}");
        assert_eq!(row.fields.iter().all(|field| field.name.is_empty()), row.name.is_empty());
    }
    assert!(!tree("struct P { x: int } fn f[p: P]: int { var (a, b) = (p, 1); return a.x + b; }").arrays);
    assert!(tree("struct P { x: [int] } fn f[p: P]: int { var q = p; return q.x[0]; }").arrays);
}

/// A struct may be declared in another file, and after its uses.
#[test]
fn structs_belong_to_the_whole_program() {
    let mut sources = sources("fn f[p: P]: int { return p.q.x; }");
    sources.add("second.par", b"struct P { q: Q }".to_vec()).expect("a small text");
    sources.add("third.par", b"fn g[]: int { return f[P[Q[1]]]; } struct Q { x: int }".to_vec()).expect("a small text");
    assert_eq!(parse_program(&sources).expect("a program").composites.len(), 2);
}

/// Programs may use more types than their codes can name, which is an error that says so.
#[test]
fn too_many_types_are_an_error() {
    let structs: String = (0..129).map(|k| format!("struct S{k} {{ x: int }}\n")).collect();
    let text = |count: usize| structs.lines().take(count).collect::<Vec<_>>().join("\n");
    assert_eq!(tree(&text(128)).composites.len(), 128);
    assert_eq!(errors(&text(129)), [(Code::Unsupported, 129, 8)]);
    assert_eq!(errors(&(text(128) + "\nfn f[a: [S3]]: void { a; (1, 2); }")).len(), 2);
    let deep = format!("fn f[t: {}int{}]: int {{ return 1; }}", "(int, ".repeat(200_000), ")".repeat(200_000));
    assert_eq!(errors(&deep).len(), 1);
}

/// `struct` and the names of the new operations are names wherever no declaration can begin.
#[test]
fn new_words_are_still_names() {
    tree("fn struct[struct: int]: int { var zip = struct; struct = zip + 1; return struct; }");
    tree("fn f[]: int { fn struct[]: int { return 1; } return struct[]; }");
    tree("fn f[unzip: [int], n: int]: int { var split = n; var zip = unzip; return unzip[n] + zip[split]; }");
    tree("fn zip[x: int]: int { return x; } fn f[]: int { return zip[1]; }");
}

#[test]
fn checks_of_arrays_know_their_positions() {
    let text = "fn f[m: *[[int]], n: int]: void { m[n, 0] = (m)[0, n]; m = replicate[2, [[n], iota[1]][n]]; }";
    let tree = tree(text);
    let at = |kind: u8| -> Vec<&str> {
        let nodes = (0..tree.len()).filter(|&i| tree.kind[i] == kind && tree.data[i] > 0);
        nodes.map(|i| &text[tree.data[i] as usize - 1..][..3]).collect()
    };
    assert_eq!(at(kind::UPDATE), ["m[n"]);
    assert_eq!(at(kind::INDEX), ["(m)", "[[n"]);
    assert_eq!(at(kind::REPLICATE), ["rep"]);
    assert_eq!(at(kind::ARRAY), ["[[n"], "the literal [n] has no rows to check");
    assert_eq!(at(kind::ASCRIBE), ["iot"]);
    assert_eq!(at(kind::PARAM), [&text[..3]], "only the first parameter is unique");
}

#[test]
fn only_programs_with_arrays_are_marked() {
    for text in ["var a: [int];", "[1];", "replicate[1, 1];", "iota[1];", "fn g[a: [int]]: void { }"] {
        assert!(tree(&format!("fn f[]: void {{ {text} }}")).arrays, "{text}");
    }
    assert!(!tree("fn f[x: int]: int { return if[x, f[x], f(x)]; }").arrays);
}

/// Names of functions and of variables are separate, so brackets after the name of a function are a call.
#[test]
fn functions_win_over_indices_and_operations() {
    let call = |text: &str| {
        let tree = tree(text);
        assert!(!tree.arrays, "{text}");
        assert_eq!(tree.kind.iter().filter(|&&kind| kind == kind::CALL).count(), 1, "{text}");
    };
    call("fn f[]: int { var g = 1; return g[g]; } fn g[x: int]: int { return x; }");
    for name in ["size", "replicate", "iota", "copy", "concat"] {
        call(&format!("fn f[x: int]: int {{ return {name}[x]; }} fn {name}[x: int]: int {{ return x; }}"));
        call(&format!("fn f[x: int]: int {{ fn {name}[x: int]: int {{ return x; }} return {name}(x); }}"));
        call(&format!("extern fn {name}[x: int]: int; fn f[x: int]: int {{ return {name}[x]; }}"));
        tree(&format!("fn f[]: int {{ var {name} = 1; {name} = {name} + 1; return {name}; }}"));
    }
    let both =
        tree("fn f[a: [int]]: int { return a[0]; } fn g[]: int { fn a[x: int]: int { return x; } return a[0]; }");
    assert_eq!(both.kind.iter().filter(|&&kind| kind == kind::INDEX).count(), 1);
}

#[test]
fn listings_show_tokens_nodes_and_types() {
    let sources = sources("fn f[x: int]: int {\n  return x + 1;\n}");
    assert!(
        tokens_text(&sources).contains("test.par:2:12 + \n") || tokens_text(&sources).contains("test.par:2:12 +\n")
    );
    let text = tree_text(&parse_program(&sources).unwrap(), true);
    assert!(text.contains("add: int") && text.contains("function f: int"), "{text}");
}
