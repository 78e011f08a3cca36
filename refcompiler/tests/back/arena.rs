//! The memory of arrays: the functions of the runtime that manage it, run by the simulator, against plain models.

use crate::toolchain::{self, executable, object, simulated};
use refcompiler::frontend::sequential::{Sources, parse_with_runtime};
use refcompiler::ir::tree::{Tree, kind, ty};
use refcompiler::object::write_relocatable;
use refcompiler::pipeline::{Output, compile};
use refcompiler::simulator::{Fault, Limits};
use refcompiler::target::riscv::assembly::assembly;
use refcompiler_programs::Rng;

/// The tree of a program that can name the functions of the runtime.
fn tree(text: &str) -> Tree {
    let mut sources = Sources::new();
    sources.add("test.par", text.as_bytes().to_vec()).expect("a source");
    parse_with_runtime(&sources)
        .unwrap_or_else(|errors| panic!("{}", refcompiler::diagnostics::render(&sources, &errors, false)))
}

/// Runs a program, with guarded memory. Returns its status, its output and its errors.
fn run(text: &str, input: &str, limits: Limits) -> (Result<u8, Fault>, String, String) {
    let elf = executable(&tree(text)).expect("an executable");
    let ran = simulated(&elf, input.as_bytes(), Limits { guard_arena: true, ..limits });
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (ran.status, text(ran.output), text(ran.errors))
}

#[track_caller]
fn exits(text: &str, limits: Limits, expected: (u8, &str, &str)) {
    let (status, output, errors) = run(text, "", limits);
    assert_eq!((status.expect("an exit"), &*output, &*errors), expected);
}

#[test]
fn the_arena_is_the_same_at_each_call() {
    exits("fn main[]: int { var a = arena[]; return a != 0 && a == arena[]; }", Limits::default(), (1, "", ""));
}

#[test]
fn exhausted_memory_ends_the_program() {
    let text = "fn main[]: int { print_int[7]; out_of_memory[]; return 1; }";
    exits(text, Limits::default(), (134, "7", "memory is exhausted\n"));
}

/// The arena has 2^28 words, and a block of rank 1 has four words before its data.
#[test]
fn sizes_beyond_the_arena_are_exhausted_memory() {
    let end = |body: &str| format!("fn main[]: int {{ var e = empty[1]; leave[e - 8]; {body} return 5; }}");
    let fits = [
        "allocate[1, 268435452];",
        "allocate[15, 268435438];",
        "allocate[1, 200000000]; leave[e - 8]; allocate[1, 200000000];",
        "allocate[1, extent_product[16383, 16384]];",
        "allocate[1, extent_product[2147483647, 0]]; allocate[1, extent_product[0, 2147483647]];",
        "rows_like[2147483647, 1, empty[1]]; fill_rows[2147483647, 1, empty[1]];",
        "fill[0, 1]; count_up[0]; copy_array[empty[15], 15]; join[empty[2], empty[2], 2];",
        "var a = allocate[1, 200000000]; store_word[a + 4, 200000000]; leave_array[e - 8, a, 1]; allocate[1, 60000000];",
        "compact[e - 8]; allocate[1, 200000000]; compact[e - 8]; allocate[1, 268435452];",
    ];
    for body in fits {
        exits(&end(body), Limits::default(), (5, "", ""));
    }
    let exhausted = [
        "allocate[1, 268435453];",
        "allocate[15, 268435439];",
        "allocate[1, 2147483647];",
        "allocate[1, 200000000]; allocate[1, 200000000];",
        "allocate[1, 268435452]; empty[1];",
        "allocate[1, extent_product[16384, 16384]];",
        "allocate[1, extent_product[65536, 65536]];",
        "allocate[1, extent_product[46341, 46341]];",
        "allocate[1, extent_product[2147483647, 2147483647]];",
        "allocate[1, extent_product[extent_product[65536, 65536], extent_product[65536, 65536]]];",
        "fill[2147483647, 0];",
        "fill[268435453, 0];",
        "fill_float[1000000000, 1.0];",
        "count_up[2147483647];",
        "rows_like[2147483647, 1, fill[1, 0]];",
        "fill_rows[134217728, 1, fill[2, 0]];",
        "var a = rows_like[2147483647, 1, empty[1]]; join[a, a, 2];",
        "var a = allocate[1, 200000000]; store_word[a + 4, 200000000]; copy_array[a, 1];",
        "var a = allocate[1, 200000000]; store_word[a + 4, 200000000]; leave_array[load_word[arena[]], a, 1];",
    ];
    for body in exhausted {
        exits(&end(body), Limits::default(), (134, "", "memory is exhausted\n"));
    }
    // Without any arena, memory is exhausted when it is needed.
    let none = Limits { mapped_bytes: (1 << 30) - 1, ..Limits::default() };
    exits(
        "fn main[]: int { var m = load_word[arena[]]; compact[m]; leave[m]; return leave_int[m, 5]; }",
        none,
        (5, "", ""),
    );
    exits("fn main[]: int { empty[1]; return 5; }", none, (134, "", "memory is exhausted\n"));
}

/// Each number of words, at each small distance.
#[test]
fn words_are_copied_in_order() {
    let text = "
        fn main[]: int {
            for count < 20 {
                for by < 20 {
                    var a = count_up[60];
                    var data = load_word[a];
                    // Down, over themselves; and up, which fills memory if there are four words or more.
                    copy_words[data, data + by * 4, count];
                    for k < 60 {
                        var x = k;
                        if k < count { x = k + by; }
                        assert[load_word[data + k * 4] == x];
                    }
                    if by >= 4 {
                        var b = load_word[count_up[60]];
                        copy_words[b + by * 4, b, count];
                        for k < 60 {
                            var x = k;
                            if k >= by && k < by + count { x = (k - by) % by; }
                            assert[load_word[b + k * 4] == x];
                        }
                    }
                }
                for x < 3 {
                    var a = fill[count, x];
                    assert[load_word[a + 4] == count];
                    for k < count { assert[load_word[a + 8 + k * 4] == x]; }
                    for words < 7 {
                        var rows = fill_rows[count, 1, count_up[words]];
                        assert[load_word[rows + 4] == count && load_word[rows + 8] == words];
                        for k < count * words { assert[load_word[rows + 12 + k * 4] == k % words]; }
                    }
                }
            }
            return 5;
        }";
    exits(text, Limits::default(), (5, "", ""));
}

/// Makes an address of each literal from 1,000,000 on: that of the variable which is declared as often after the first.
fn with_addresses(mut tree: Tree) -> Tree {
    let declared: Vec<u32> = (0u32..).zip(&tree.kind).filter(|(_, k)| **k == kind::DECLARE).map(|(i, _)| i).collect();
    for i in 0..tree.len() {
        if tree.kind[i] == kind::LITERAL && tree.ty[i] == ty::INT && (1_000_000..1_000_100).contains(&tree.data[i]) {
            tree.kind[i] = kind::ADDRESS;
            tree.data[i] = declared[tree.data[i] as usize - 1_000_000];
        }
    }
    tree
}

/// Variables of frames own blocks, as in the code of programs with arrays: in a loop, in calls, and in a recursion.
#[test]
fn variables_in_frames_follow_their_blocks() {
    let text = "
        fn main[]: int {
            var mark = load_word[arena[]];
            var a = own[1000001, count_up[5], 1, mark];
            var b = 0;
            var around = load_word[arena[]];
            for i < 1000 {
                // The block of `b` moves over its last one and over temporaries.
                fill[10, 7];
                b = own[1000002, join[a, row_view[fill_rows[2, 1, fill[i % 7, i]], 2, 1, 1], 1], 1, mark];
                a = own[1000001, copy_array[a, 1], 1, mark];
                store_word[load_word[a] + 16, i];
                compact[around];
                assert[load_word[b + 4] == 5 + i % 7 && load_word[load_word[b] + 12] == 3];
                for k < i % 7 { assert[load_word[load_word[b] + 20 + k * 4] == i]; }
                assert[load_word[load_word[a] + 16] == i && load_word[a + 4] == 5];
                // The two blocks that are left.
                assert[load_word[arena[]] - around == 2 * 16 + 20 + 4 * (5 + i % 7)];
            }
            var c = down[6, a];
            assert[load_word[c + 4] == 7 * 5 && load_word[load_word[c] + 4 * 34] == 999];
            return leave_int[mark, load_word[arena[]] - c - 4 * 35];
        }
        // n + 1 times `v`, one after another.
        fn down[n: int, v: int]: int {
            var mark = load_word[arena[]];
            var x = own[1000006, v, 1, mark];
            fill[n, n];
            if n > 0 { x = own[1000006, join[x, down[n - 1, x], 1], 1, mark]; }
            compact[mark];
            return leave_array[mark, x, 1];
        }";
    let elf = executable(&with_addresses(tree(text))).expect("an executable");
    let ran = simulated(&elf, b"", Limits { guard_arena: true, ..Limits::default() });
    assert_eq!((ran.status.expect("an exit"), &*String::from_utf8_lossy(&ran.errors)), (8, ""));
}

/// A temporary of the caller, which may use it again, is copied; one of the function itself is not.
#[test]
fn a_function_owns_only_its_own_temporaries() {
    let text = "
        fn main[]: int {
            var slot = fill[1, 0] + 8;
            var before = count_up[3];
            var mark = load_word[arena[]];
            var after = count_up[3];
            var copy = own[slot, before, 1, mark];
            assert[copy != before && load_word[before - 4] == 0 && load_word[copy - 4] == slot];
            assert[load_word[load_word[copy] + 8] == 2];
            assert[own[slot, after, 1, mark] == after && load_word[after - 4] == slot];
            return 5;
        }";
    exits(text, Limits::default(), (5, "", ""));
}

/// The number of instructions of a program.
fn instructions(text: &str) -> u64 {
    let elf = executable(&tree(text)).expect("an executable");
    let ends =
        |limit: u64| simulated(&elf, b"", Limits { instructions: Some(limit), ..Limits::default() }).status.is_ok();
    let (mut stops, mut ends_at) = (0, 1 << 20);
    while ends_at - stops > 1 {
        let middle = (stops + ends_at) / 2;
        if ends(middle) { ends_at = middle } else { stops = middle }
    }
    ends_at
}

/// The instructions that each temporary costs, and each word of a copy.
#[test]
fn memory_takes_few_instructions() {
    let cost = |body: &str, times: u64| {
        let text = |body: &str| {
            let start = "var a = fill[1000, 7]; var slot = fill[1, 0] + 8; var s = arena[]; var m = load_word[s];";
            format!("fn main[]: int {{ {start} for i < {times} {{ {body} }} return 0; }}")
        };
        (instructions(&text(body)) - instructions(&text(""))) / times
    };
    let per_word = (cost("copy_array[a, 1];", 10) - cost("copy_array[empty[1], 1];", 10)) / 1000;
    let found = [
        cost("allocate[1, 1];", 100),
        cost("own[slot, allocate[1, 1], 1, m];", 100) - cost("allocate[1, 1];", 100),
        cost("if load_word[s] != m { compact[m]; }", 100),
        cost("allocate[1, 1]; compact[m];", 100) - cost("allocate[1, 1];", 100),
        cost("leave[m];", 100),
        per_word,
    ];
    println!("allocate, own, the end of a loop without blocks, compact of a temporary, leave, a word: {found:?}");
    assert!(found.iter().zip([35, 50, 10, 55, 20, 3]).all(|(&found, most)| found <= most), "{found:?}");
}

/// The system's own way: qemu maps the memory.
#[test]
#[ignore = "needs qemu-riscv32"]
fn a_system_reserves_the_arena() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (text, status, errors) in [
        ("fn main[]: int { var a = arena[]; return a != 0 && a == arena[]; }", 1, ""),
        ("fn main[]: int { out_of_memory[]; return 1; }", 134, "memory is exhausted\n"),
    ] {
        toolchain::write_runnable(&folder.path().join("program"), &executable(&tree(text)).expect("an executable"));
        let ran = toolchain::run("qemu-riscv32", &["program"], folder.path());
        assert_eq!((ran.status.code(), &*String::from_utf8_lossy(&ran.stderr)), (Some(status), errors), "{text}");
    }
}

/// Two objects and C share one arena.
#[test]
#[ignore = "needs clang, ld.lld and qemu-riscv32"]
fn objects_share_the_arena() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("a written file");
    let of = |text| object(&tree(text)).expect("an object");
    write("a.o", &of("fn here[]: int { return arena[]; }"));
    // Other code before it, so that its relocations differ.
    write("b.o", &of("fn there[]: int { print_char[46]; assert[1]; return arena[]; }"));
    let c = "int here(void), there(void); char large[100000];\n\
        __asm__(\".globl _start\\n_start: call run\\n li a7, 93\\n ecall\\n\");\n\
        int run(void) { large[5] = 1; int *a = (int *)here();\n\
          if ((int *)there() != a) return 1;\n\
          if (a[1] - a[0] != 1 << 30) return 2;\n\
          *(char *)(a[0] + (1 << 20)) = 1; *(char *)(a[1] - 1) = 1;\n\
          a[0] += 64; return ((int *)here())[0] == a[0] ? 42 : 3; }\n";
    write("c.c", c.as_bytes());
    toolchain::must("clang", &[&toolchain::CLANG[..], &["-c", "c.c", "-o", "c.o"]].concat(), folder);
    toolchain::must("ld.lld", &["a.o", "c.o", "b.o", "-o", "program"], folder);
    let ran = toolchain::run("qemu-riscv32", &["program"], folder);
    assert_eq!((ran.status.code(), &ran.stdout[..]), (Some(42), &b"."[..]));
}

/// A program that obeys commands: it makes arrays, gives them to words in place of variables, and shows the whole arena.
const DRIVER: &str = "
// The value of the array operand with number `slot`.
fn value[slots: int, slot: int]: int { return load_word[slots + slot * 4]; }

// Makes an array. `kind` says how; further numbers come from the input.
fn make[kind: int, slots: int, rank: int]: int {
    if kind == 1 {
        var x = read_int[];
        var count = 1;
        var v = 0;
        // The extents wait in words of their own.
        for k < rank {
            var extent = read_int[];
            store_word[slots + 160 + k * 4, extent];
            count = extent_product[count, extent];
        }
        v = allocate[rank, count];
        for k < rank { store_word[v + 4 + k * 4, load_word[slots + 160 + k * 4]]; }
        for k < count { store_word[v + 4 + rank * 4 + k * 4, x + k]; }
        return v;
    }
    if kind == 2 { return value[slots, read_int[]]; }
    if kind == 3 { return copy_array[value[slots, read_int[]], rank]; }
    if kind == 4 {
        var a = value[slots, read_int[]];
        var fixed = read_int[];
        return row_view[a, rank + fixed, fixed, read_int[]];
    }
    if kind == 5 {
        var a = value[slots, read_int[]];
        return join[a, value[slots, read_int[]], rank];
    }
    if kind == 6 {
        var n = read_int[];
        return fill_rows[n, rank - 1, value[slots, read_int[]]];
    }
    if kind == 7 { return count_up[read_int[]]; }
    if kind == 8 {
        var n = read_int[];
        return fill[n, read_int[]];
    }
    if kind == 9 {
        var n = read_int[];
        return fill_float[n, read_float[]];
    }
    if kind == 10 { return empty[rank]; }
    // Rows of one array, again and again.
    var n = read_int[];
    var row = value[slots, read_int[]];
    var rows = rows_like[n, rank - 1, row];
    for k < n { set_row[rows, rank, 1, k, row]; }
    return rows;
}

fn put[x: int]: void { print_int[x]; print_char[32]; }

fn main[]: int {
    var slots = fill[64, 0] + 8;
    var marks = slots + 128;
    var start = load_word[arena[]];
    store_word[marks, start];
    var level = 0;
    var command = read_int[];
    while command != 0 {
        var mark = load_word[marks + level * 4];
        if command <= 11 {
            var slot = read_int[];
            var rank = read_int[];
            var v = make[command, slots, rank];
            if slot >= 0 { store_word[slots + slot * 4, own[slots + slot * 4, v, rank, mark]]; }
        } elif command == 12 {
            compact[mark];
        } elif command == 13 {
            level = level + 1;
            store_word[marks + level * 4, load_word[arena[]]];
        } elif command == 14 {
            level = level - 1;
            leave[mark];
        } elif command == 15 {
            level = level - 1;
            put[leave_int[mark, read_int[]]];
        } elif command == 16 {
            level = level - 1;
            print_float[leave_float[mark, read_float[]]];
            print_char[32];
        } elif command == 17 {
            var kind = read_int[];
            var slot = read_int[];
            var rank = read_int[];
            var v = leave_array[mark, make[kind, slots, rank], rank];
            level = level - 1;
            var outer = load_word[marks + level * 4];
            if slot >= 0 { store_word[slots + slot * 4, own[slots + slot * 4, v, rank, outer]]; }
        } elif command == 18 {
            var at = value[slots, read_int[]];
            var k = read_int[];
            store_word[load_word[at] + k * 4, read_int[]];
        } else {
            put[load_word[arena[]] - start];
            for k < 32 { put[load_word[slots + k * 4] - start]; }
            var block = start;
            while block != load_word[arena[]] {
                var size = load_word[block];
                var owner = load_word[block + 4];
                put[size];
                if owner != 0 { put[(owner - slots) / 4]; } else { put[-1]; }
                // The data of a view lie elsewhere.
                if read_int[] == 0 {
                    put[load_word[block + 8] - block];
                    var at = block + 12;
                    while at != block + size {
                        put[load_word[at]];
                        at = at + 4;
                    }
                }
                block = block + size;
            }
        }
        command = read_int[];
    }
    return 0;
}
";

/// The levels of calls, and the variables of each.
const LEVELS: usize = 4;
const VARIABLES: usize = 8;

/// A block of the model.
#[derive(Clone)]
struct Block {
    id: usize,
    owner: Option<usize>,
    is_view: bool,
    extents: Vec<usize>,
    data: Vec<i32>,
}

impl Block {
    fn bytes(&self) -> usize {
        12 + 4 * self.extents.len() + if self.is_view { 0 } else { 4 * self.data.len() }
    }
}

/// The arena as a list of blocks, and the variables with the block of each.
struct Model {
    blocks: Vec<Block>,
    /// The number of blocks when each level began.
    marks: Vec<usize>,
    variables: Vec<Option<usize>>,
    ids: usize,
    input: String,
    expected: String,
}

impl Model {
    fn tell(&mut self, number: usize) {
        self.input.push_str(&format!("{number} "));
    }

    fn push(&mut self, owner: Option<usize>, is_view: bool, extents: Vec<usize>, data: Vec<i32>) -> usize {
        self.ids += 1;
        self.blocks.push(Block { id: self.ids, owner, is_view, extents, data });
        self.blocks.len() - 1
    }

    /// The block of a variable.
    fn at(&self, variable: usize) -> Option<usize> {
        let id = self.variables[variable]?;
        self.blocks.iter().position(|block| block.id == id)
    }

    /// A variable that has a block with a property.
    fn operand(&self, rng: &mut Rng, fits: impl Fn(&Block) -> bool) -> Option<(usize, Block)> {
        let all: Vec<usize> = (0..self.variables.len())
            .filter(|&variable| self.at(variable).is_some_and(|at| fits(&self.blocks[at])))
            .collect();
        let variable = *all.get(rng.below(all.len().max(1)))?;
        Some((variable, self.blocks[self.at(variable)?].clone()))
    }

    /// Makes an array: writes its command, and returns the block. `command` writes the numbers before it.
    fn make(&mut self, rng: &mut Rng, command: impl Fn(&mut Model, usize, usize)) -> Option<usize> {
        let small = |block: &Block| block.data.len() < 100;
        let kind = 1 + rng.below(11);
        let n = rng.below(5);
        Some(match kind {
            1 => {
                let rank = 1 + rng.below(3);
                let many = if rng.once_in(10) { 40 } else { 4 };
                let extents: Vec<usize> = (0..rank).map(|k| rng.below(if k == 0 { many } else { 4 })).collect();
                let x = rng.below(1000);
                command(self, kind, rank);
                self.tell(x);
                extents.iter().for_each(|&extent| self.tell(extent));
                let count = extents.iter().product::<usize>();
                self.push(None, false, extents, (x as i32..).take(count).collect())
            }
            2 | 3 => {
                let (variable, block) = self.operand(rng, |_| true)?;
                command(self, kind, block.extents.len());
                self.tell(variable);
                if kind == 2 { self.at(variable)? } else { self.push(None, false, block.extents, block.data) }
            }
            4 => {
                let (variable, block) = self.operand(rng, |block| block.extents.len() > 1 && !block.data.is_empty())?;
                let fixed = 1 + rng.below(block.extents.len() - 1);
                let row = rng.below(block.extents[..fixed].iter().product());
                let extents = block.extents[fixed..].to_vec();
                let count = extents.iter().product::<usize>();
                command(self, kind, extents.len());
                [variable, fixed, row].into_iter().for_each(|number| self.tell(number));
                self.push(None, true, extents, block.data[row * count..][..count].to_vec())
            }
            5 => {
                let (first, a) = self.operand(rng, small)?;
                let (second, b) = self.operand(rng, |b| {
                    small(b) && b.extents.len() == a.extents.len() && b.extents[1..] == a.extents[1..]
                })?;
                command(self, kind, a.extents.len());
                [first, second].into_iter().for_each(|number| self.tell(number));
                let extents = [&[a.extents[0] + b.extents[0]], &a.extents[1..]].concat();
                self.push(None, false, extents, [a.data, b.data].concat())
            }
            6 | 11 => {
                let (variable, block) = self.operand(rng, |block| small(block) && block.extents.len() < 4)?;
                command(self, kind, block.extents.len() + 1);
                [n, variable].into_iter().for_each(|number| self.tell(number));
                self.push(None, false, [&[n], &block.extents[..]].concat(), block.data.repeat(n))
            }
            7 | 8 => {
                command(self, kind, 1);
                self.tell(n);
                if kind == 8 {
                    self.tell(77);
                }
                let data = (0..n as i32).map(|k| if kind == 7 { k } else { 77 });
                self.push(None, false, vec![n], data.collect())
            }
            9 => {
                command(self, kind, 1);
                self.tell(n);
                self.input.push_str("-1.5 ");
                self.push(None, false, vec![n], vec![(-1.5f32).to_bits() as i32; n])
            }
            _ => {
                let rank = 1 + rng.below(3);
                command(self, kind, rank);
                self.push(None, false, vec![0; rank], vec![])
            }
        })
    }

    /// A variable gets a value.
    fn own(&mut self, variable: usize, at: usize) {
        let mark = self.marks.last().copied().unwrap_or(0);
        let block = &self.blocks[at];
        let is_own = block.owner == Some(variable) && self.variables[variable] == Some(block.id);
        let at = if is_own || at >= mark && block.owner.is_none() && !block.is_view {
            at
        } else {
            let Block { extents, data, .. } = block.clone();
            self.push(None, false, extents, data)
        };
        self.blocks[at].owner = Some(variable);
        self.variables[variable] = Some(self.blocks[at].id);
    }

    /// Ends the innermost level.
    fn leave(&mut self) {
        let mark = self.marks.pop().expect("a level");
        self.blocks.truncate(mark);
        self.variables[self.marks.len() * VARIABLES..].fill(None);
    }

    /// A variable of the innermost level, or none for a value that nobody keeps.
    fn target(&self, rng: &mut Rng, level: usize) -> Option<usize> {
        if rng.once_in(3) { None } else { Some(level * VARIABLES + rng.below(VARIABLES)) }
    }

    fn show(&mut self) {
        self.tell(19);
        let mut lines = vec![];
        let mut top = 0;
        let mut addresses = vec![None; self.variables.len()];
        for block in self.blocks.clone() {
            for (variable, _) in self.variables.iter().enumerate().filter(|(_, id)| **id == Some(block.id)) {
                addresses[variable] = Some(top as i32 + 8);
            }
            top += block.bytes();
            lines.push(block.bytes() as i32);
            lines.push(block.owner.map_or(-1, |owner| owner as i32));
            self.tell(block.is_view.into());
            if !block.is_view {
                lines.push(12 + 4 * block.extents.len() as i32);
                lines.extend(block.extents.iter().map(|&extent| extent as i32));
                lines.extend(&block.data);
            }
        }
        self.expected.push_str(&format!("{top} "));
        for address in addresses {
            // The value of a variable without an array does not matter.
            self.expected.push_str(&address.map_or("? ".to_string(), |address| format!("{address} ")));
        }
        lines.iter().for_each(|number| self.expected.push_str(&format!("{number} ")));
    }

    fn step(&mut self, rng: &mut Rng) {
        let level = self.marks.len() - 1;
        match rng.below(16) {
            0..8 => {
                let target = self.target(rng, level);
                let tell = |me: &mut Model, kind: usize, rank: usize| {
                    me.input.push_str(&format!("{kind} {} {rank} ", target.map_or(-1, |target| target as i32)));
                };
                if let Some(at) = self.make(rng, tell)
                    && let Some(target) = target
                {
                    self.own(target, at);
                }
            }
            8 | 9 => {
                self.tell(12);
                let mark = self.marks[level];
                let kept = self.blocks.split_off(mark);
                let is_kept = |block: &Block| block.owner.is_some_and(|owner| self.variables[owner] == Some(block.id));
                let kept: Vec<Block> = kept.into_iter().filter(is_kept).collect();
                self.blocks.extend(kept);
            }
            10 | 11 if level + 1 < LEVELS => {
                self.tell(13);
                self.marks.push(self.blocks.len());
            }
            12 if level > 0 => {
                match rng.below(3) {
                    0 => self.tell(14),
                    1 => {
                        self.input.push_str("15 -5 ");
                        self.expected.push_str("-5 ");
                    }
                    _ => {
                        self.input.push_str("16 2.5 ");
                        self.expected.push_str("2.5 ");
                    }
                }
                self.leave();
            }
            13 | 14 if level > 0 => {
                let target = self.target(rng, level - 1);
                let tell = |me: &mut Model, kind: usize, rank: usize| {
                    me.input.push_str(&format!("17 {kind} {} {rank} ", target.map_or(-1, |target| target as i32)));
                };
                if let Some(at) = self.make(rng, tell) {
                    let Block { extents, data, .. } = self.blocks[at].clone();
                    self.leave();
                    let at = self.push(None, false, extents, data);
                    if let Some(target) = target {
                        self.own(target, at);
                    }
                }
            }
            _ => {
                let Some((variable, block)) = self.operand(rng, |block| !block.data.is_empty()) else { return };
                let (k, x) = (rng.below(block.data.len()), rng.below(1000));
                [18, variable, k, x].into_iter().for_each(|number| self.tell(number));
                if let Some(at) = self.at(variable) {
                    self.blocks[at].data[k] = x as i32;
                }
            }
        }
    }
}

#[test]
fn blocks_are_kept_by_their_owners_and_by_nobody_else() {
    let elf = executable(&tree(DRIVER)).expect("an executable");
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let mut model = Model {
            blocks: vec![],
            marks: vec![0],
            variables: vec![None; LEVELS * VARIABLES],
            ids: 0,
            input: String::new(),
            expected: String::new(),
        };
        for step in 0..200 {
            model.step(&mut rng);
            if step % 4 == 3 {
                model.show();
            }
        }
        model.input.push_str("0\n");
        let limits = Limits { guard_arena: true, instructions: Some(100_000_000), ..Limits::default() };
        let ran = simulated(&elf, model.input.as_bytes(), limits);
        assert_eq!(ran.status.expect("an exit"), 0, "seed {seed}: {}", String::from_utf8_lossy(&ran.errors));
        let output = String::from_utf8(ran.output).expect("text");
        let found: Vec<&str> = output.split(' ').collect();
        let expected: Vec<&str> = model.expected.split(' ').collect();
        let differ = |(found, expected): (&&str, &&str)| *expected != "?" && found != expected;
        let place = found.iter().zip(&expected).position(differ);
        assert_eq!((place, found.len()), (None, expected.len()), "seed {seed}\n{output}\n{}", model.expected);
    }
}

/// An assembler and a linker make the same program of the output of `-S` as of an object.
#[test]
#[ignore = "needs clang, ld.lld, llvm-objcopy and qemu-riscv32"]
fn assembly_finds_the_arena() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let tree = tree("fn main[]: int { var a = fill_rows[3, 1, count_up[4]]; return load_word[a + 4 + 4 * 13]; }");
    let cpu = treepar::Cpu::with_threads(1);
    let compiled = compile(&cpu, &tree, Output::Object, &mut ()).expect("a program");
    let mut image = compiled.image;
    image.add_start();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("a written file");
    write("own.o", &write_relocatable(&image).expect("an object"));
    write("own.s", assembly(&image).as_bytes());
    let target = ["--target=riscv32", "-march=rv32imf", "-mabi=ilp32f"];
    toolchain::must("clang", &[&target[..], &["-c", "own.s", "-o", "assembled.o"]].concat(), folder);
    let text = |file: &str| {
        toolchain::must("ld.lld", &[file, "-o", "linked"], folder);
        assert_eq!(toolchain::run("qemu-riscv32", &["linked"], folder).status.code(), Some(3), "{file}");
        toolchain::must("llvm-objcopy", &["-O", "binary", "-j", ".text", "linked", "text.bin"], folder);
        std::fs::read(folder.join("text.bin")).expect("the code")
    };
    assert!(text("own.o") == text("assembled.o"));
}
