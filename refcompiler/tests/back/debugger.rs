//! `-g` in a debugger: gdb stops at lines of Par, steps over them, and finds callers at each instruction, also through C.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::fs;
use std::path::Path;

use crate::toolchain;

/// Compiles files in a folder.
fn refc(folder: &Path, arguments: &[&str]) {
    let mut all = vec!["-g", "--target", "x86-64"];
    all.extend(arguments);
    toolchain::must(env!("CARGO_BIN_EXE_refc"), &all, folder);
}

/// Runs commands of gdb on a program in a folder, and returns its output.
fn gdb(folder: &Path, commands: &str) -> String {
    let settings = "set debuginfod enabled off\nset pagination off\nset width 0\nset backtrace past-main on\n";
    fs::write(folder.join("commands"), [settings, commands].concat()).expect("a written file");
    let printed = toolchain::must("gdb", &["-q", "-nx", "-batch", "-x", "commands", "program"], folder);
    String::from_utf8(printed).expect("text")
}

const A: &str = "\
// The function `third` is in the other file.

fn second[n: int]: int {
    var doubled = n * 2;
    return third[doubled] + 1;
}

fn first[n: int]: int {
    var sum = 0;
    for i < n {
        sum = sum
            + second[i];
    }
    return sum;
}

fn main[]: int {
    print_int[first[30]];
    return 0;
}
";

const B: &str = "\
// The other file.
fn third[n: int]: int {
    if n > 3 {
        return n - 3;
    }
    return n;
}
";

/// Returns a folder with the program of both files.
fn program() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("a.par"), A).expect("a written file");
    fs::write(folder.path().join("b.par"), B).expect("a written file");
    refc(folder.path(), &["a.par", "b.par", "-o", "program"]);
    folder
}

/// Asserts that texts occur one after another.
fn assert_in_order(printed: &str, texts: &[&str]) {
    let mut rest = printed;
    for text in texts {
        let at = rest.find(text).unwrap_or_else(|| panic!("no `{text}` in order in:\n{printed}"));
        rest = &rest[at + text.len()..];
    }
}

#[test]
#[ignore = "needs gdb"]
fn gdb_stops_at_a_line_and_prints_it_with_its_callers() {
    let folder = program();
    let printed = gdb(folder.path(), "break b.par:4\nrun\nbacktrace\nframe 1\nfinish\n");
    assert_in_order(
        &printed,
        &[
            "Breakpoint 1, third () at b.par:4\n4\t        return n - 3;\n",
            "#0  third () at b.par:4\n",
            " in second () at a.par:5\n",
            " in first () at a.par:12\n",
            " in main () at a.par:18\n",
            " in _start ()\n",
            "5\t    return third[doubled] + 1;\n",
            " in first () at a.par:12\n",
        ],
    );
    assert!(!printed.contains("??"), "{printed}");
}

#[test]
#[ignore = "needs gdb"]
fn gdb_steps_from_line_to_line() {
    let folder = program();
    let printed =
        gdb(folder.path(), "break a.par:9\nrun\nnext\nnext\nnext\nstep\nnext\nnext\nstep\nnext\nnext\nfinish\n");
    let stops = [
        "9\t    var sum",
        "10\t    for i",
        "11\t        sum",
        "12\t            + second",
        "4\t    var doubled",
        "5\t    return third",
    ];
    assert_in_order(&printed, &stops);
    assert_in_order(
        &printed,
        &["third () at b.par:2\n", "3\t    if n > 3 {", "6\t    return n;", " in second () at a.par:5\n"],
    );
}

/// The functions of the program, from the outermost call to the innermost.
const CALLS: [&str; 5] = ["_start", "main", "first", "second", "third"];

#[test]
#[ignore = "needs gdb"]
fn gdb_finds_the_callers_at_each_instruction() {
    let folder = program();
    let printed = gdb(
        folder.path(),
        "break main\nrun\nset $n = 0\nwhile $n < 700\necho stop\\n\nbacktrace\nstepi\nset $n = $n + 1\nend\n",
    );
    let (mut deepest, mut stops) = (0, 0);
    for stop in printed.split("stop\n").skip(1) {
        let frames = stop.lines().filter(|line| line.starts_with('#'));
        let name = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words[words.iter().position(|word| *word == "()").expect("a function") - 1].to_string()
        };
        let mut names: Vec<String> = frames.map(name).collect();
        names.reverse();
        // Functions of the runtime may be the innermost.
        let own = names.iter().take_while(|name| CALLS.contains(&&name[..])).count();
        assert!(own >= 2 && own.min(2) == names.len().min(2), "{stop}");
        assert_eq!(names[..own], CALLS[..own], "{stop}");
        assert!(names[own..].iter().all(|name| name.starts_with("print")), "{stop}");
        deepest = deepest.max(own);
        stops += 1;
    }
    assert!(stops == 700 && deepest == CALLS.len(), "{stops} stops, {deepest} calls deep:\n{printed}");
}

/// A function of Par that calls C, which calls Par.
const AROUND: &str = "\
extern fn back[n: int, a: int, b: int, c: int, d: int, e: int, f: int]: int;
fn down[n: int]: int {
    return back[n, 1, 2, 3, 4, 5, 6] + 1;
}
fn bottom[a: int, b: int, c: int, d: int, e: int, f: int, g: int]: int {
    var sum = a + g;
    return sum + (b + c + d + e + f) * 0;
}
";

const C: &str = "\
int down(int); int bottom(int, int, int, int, int, int, int);
int back(int n, int a, int b, int c, int d, int e, int f) {
  return bottom(n, a, b, c, d, e, f) * 2;
}
int main(void) {
  return down(5);
}
";

/// Returns a folder with a program of Par and C.
fn program_with_c(options: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("a.par"), AROUND).expect("a written file");
    fs::write(folder.path().join("c.c"), C).expect("a written file");
    refc(folder.path(), &["-c", "a.par"]);
    toolchain::must("cc", &[options, &["-g", "c.c", "a.o", "-o", "program"]].concat(), folder.path());
    folder
}

#[test]
#[ignore = "needs gdb"]
fn gdb_finds_callers_through_c() {
    for options in [["-O0", "-pie"], ["-O1", "-no-pie"]] {
        let folder = program_with_c(&options);
        let printed = gdb(folder.path(), "break a.par:6\nrun\nbacktrace\nup 4\ncontinue\n");
        assert_in_order(
            &printed,
            &[
                "#0  bottom () at a.par:6\n",
                " in back (n=",
                " in down () at a.par:3\n",
                " in main () at c.c:6\n",
                "exited with code 027",
            ],
        );
        assert!(!printed.contains("??"), "{printed}");
    }
}

/// gdb prints `fn.0` as `fn`, for each number of arguments on the stack.
#[test]
#[ignore = "needs gdb"]
fn gdb_finds_the_callers_at_each_instruction_between_par_and_c() {
    let folder = program_with_c(&["-O0"]);
    let printed = gdb(
        folder.path(),
        "break main\nrun\nset $n = 0\nwhile $n < 250\necho stop\\n\nbacktrace\nstepi\nset $n = $n + 1\nend\n",
    );
    let mut calls: Vec<String> = Vec::new();
    for stop in printed.split("stop\n").skip(1) {
        let frames = stop.lines().filter(|line| line.starts_with('#'));
        let names: Vec<&str> = frames.filter_map(|line| line.split(" (").next()?.split_whitespace().last()).collect();
        let Some(main) = names.iter().position(|name| *name == "main") else { break };
        let names = names[..main].join(" ");
        if calls.last() != Some(&names) {
            calls.push(names);
        }
    }
    let expected = [
        "",
        "down",
        "fn",
        "stack[fn] fn",
        "fn",
        "down fn",
        "back[extern] down fn",
        "back down fn",
        "bottom back down fn",
        "fn back down fn",
        "bottom fn back down fn",
        "fn back down fn",
        "back down fn",
        "down fn",
        "fn",
        "",
    ];
    assert_eq!(calls, expected, "{printed}");
}
