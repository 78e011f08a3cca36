//! The runs of a round: compilers and their programs.

use super::compilers::{Compiler, Language, Task};
use crate::program::{Program, Shape, league, program};

/// A program, in both languages, or files that are compiled one by one in one run.
pub struct Input {
    /// The name that tables use.
    pub name: &'static str,
    /// The shape, unless it is the league's or has several files.
    pub shape: Option<Shape>,
    /// The requested number of bytes or, in the league, of functions.
    pub size: usize,
    /// The text of each file.
    pub files: Vec<Program>,
}

impl Input {
    /// Returns the bytes of all files in a language.
    pub fn bytes(&self, language: Language) -> usize {
        let text = |file: &Program| match language {
            Language::Par => file.par.len(),
            Language::C => file.c.len(),
        };
        self.files.iter().map(text).sum()
    }

    /// Returns whether there are several files, which the file `N.list` names.
    pub fn is_list(&self) -> bool {
        self.files.len() > 1
    }
}

/// The name of the programs of several files.
const MANY_FILES: &str = "many files";

/// The bytes of each of several files.
const FILE_BYTES: usize = 1000;

/// One compiler with a task on one program, by their positions in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// The position of the program in its group.
    pub input: usize,
    /// The task.
    pub task: Task,
    /// The position of the compiler.
    pub compiler: usize,
}

/// Programs that are compared with each other. All cases of a group run once per round.
pub struct Group {
    /// The name that progress messages use.
    pub title: String,
    /// The programs.
    pub inputs: Vec<Input>,
    /// The cases, in the order of the table.
    pub cases: Vec<Case>,
}

/// Returns the group of all shapes of one size.
///
/// All compilers compile programs of flat shapes, and those without a base check them, except that gcc and clang only get programs of at
/// most `slow_limit` bytes. Only `refc` compiles nested shapes, and many files of a kilobyte in one run.
pub fn of_size(bytes: usize, compilers: &[Compiler], slow_limit: usize, filter: &str) -> Group {
    let all = Shape::FLAT.into_iter().chain(Shape::NESTED);
    // Ratios need the shapes of many functions.
    let asked: Vec<Shape> = all.clone().filter(|shape| shape.name().contains(filter)).collect();
    let is_needed =
        |shape: &Shape| *shape == Shape::ManyFunctions || asked.iter().any(|a| a == shape || a.many() == *shape);
    let shapes: Vec<Shape> = all.filter(is_needed).collect();
    let mut cases = Vec::new();
    for (input, shape) in shapes.iter().enumerate() {
        let tasks: &[Task] =
            if *shape == Shape::ManyFunctions { &[Task::Check, Task::Object] } else { &[Task::Object] };
        for &task in tasks {
            for (compiler, found) in compilers.iter().enumerate() {
                let is_slow = !found.is_ours() && found.name != "tcc";
                let fits = Shape::FLAT.contains(shape) && (!is_slow || bytes <= slow_limit);
                if found.has(task) && (found.is_ours() || fits) {
                    cases.push(Case { input, task, compiler });
                }
            }
        }
    }
    let input = |&shape: &Shape| {
        let files = vec![program(bytes, shape, 1)];
        Input { name: shape.name(), shape: Some(shape), size: bytes, files }
    };
    let mut inputs: Vec<Input> = shapes.iter().map(input).collect();
    if MANY_FILES.contains(filter) && bytes >= 2 * FILE_BYTES {
        let files = (0..bytes / FILE_BYTES).map(|k| program(FILE_BYTES, Shape::ManyFunctions, k as u64)).collect();
        let ours = (0..compilers.len()).filter(|&compiler| compilers[compiler].is_ours());
        cases.extend(ours.map(|compiler| Case { input: inputs.len(), task: Task::Object, compiler }));
        inputs.push(Input { name: MANY_FILES, shape: None, size: bytes, files });
    }
    Group { title: format!("programs of {bytes} bytes"), inputs, cases }
}

/// Returns the group of the public league: each compiler checks and builds one program.
pub fn of_league(functions: usize, compilers: &[Compiler]) -> Group {
    let program = league(functions, 1);
    let input = Input { name: "league", shape: None, size: functions, files: vec![program] };
    let all = (0..compilers.len()).map(|compiler| Case { input: 0, task: Task::Check, compiler });
    let all = all.clone().chain(all.map(|case| Case { task: Task::Build, ..case }));
    let cases = all.filter(|case| compilers[case.compiler].has(case.task)).collect();
    Group { title: format!("a program of {functions} functions"), inputs: vec![input], cases }
}

#[cfg(test)]
mod tests {
    use super::super::compilers::Language;
    use super::super::compilers::tests::{compiler, with_base};
    use super::*;

    fn all() -> Vec<Compiler> {
        let peers = ["tcc", "gcc -O0", "clang -O0"].map(|name| compiler(name, Language::C));
        [compiler("refc", Language::Par), compiler("refc -j1", Language::Par)].into_iter().chain(peers).collect()
    }

    /// Returns the names of the compilers with a task on a shape.
    fn names(group: &Group, shape: Shape, task: Task) -> Vec<&'static str> {
        let wanted = |case: &&Case| group.inputs[case.input].shape == Some(shape) && case.task == task;
        group.cases.iter().filter(wanted).map(|case| all()[case.compiler].name).collect()
    }

    #[test]
    fn slow_compilers_get_no_large_program_and_peers_no_nested_one() {
        let (small, large) = (of_size(1000, &all(), 1000, ""), of_size(1001, &all(), 1000, ""));
        for task in [Task::Check, Task::Object] {
            let everyone = ["refc", "refc -j1", "tcc", "gcc -O0", "clang -O0"];
            assert_eq!(names(&small, Shape::ManyFunctions, task), everyone);
            assert_eq!(names(&large, Shape::ManyFunctions, task), everyone[..3]);
        }
        assert_eq!(names(&large, Shape::OneFunction, Task::Object), ["refc", "refc -j1", "tcc"]);
        for shape in Shape::NESTED {
            assert_eq!(names(&small, shape, Task::Object), ["refc", "refc -j1"]);
        }
    }

    #[test]
    fn a_filter_keeps_the_shape_that_ratios_need() {
        let shapes = |filter| of_size(100, &all(), 0, filter).inputs.iter().map(|i| i.name).collect::<Vec<_>>();
        assert_eq!(shapes("wide"), ["many functions", "wide block", "wide call"]);
        assert_eq!(shapes("one function of"), ["many functions", "whole arrays", "one function of arrays"]);
        assert_eq!(shapes("").len(), 9);
    }

    #[test]
    fn many_files_have_the_size_of_one_program_and_only_refc_compiles_them() {
        let group = of_size(20_000, &all(), 0, "many files");
        let k = group.inputs.iter().position(Input::is_list).unwrap();
        assert_eq!((group.inputs[k].name, group.inputs[k].files.len()), ("many files", 20));
        assert!((19_000..22_000).contains(&group.inputs[k].bytes(Language::Par)));
        let compilers: Vec<usize> = group.cases.iter().filter(|case| case.input == k).map(|c| c.compiler).collect();
        assert_eq!(compilers, [0, 1]);
        assert!(of_size(1500, &all(), 0, "").inputs.iter().all(|input| !input.is_list()));
    }

    #[test]
    fn the_league_checks_and_builds_with_every_compiler() {
        let group = of_league(300, &all());
        assert_eq!(group.cases.len(), 10);
        assert!(group.cases[..5].iter().all(|case| case.task == Task::Check));
        assert!(group.cases[5..].iter().all(|case| case.task == Task::Build));
    }

    /// Options of the passes after the front end matter for all tasks but one.
    #[test]
    fn a_compiler_with_a_base_is_not_asked_to_check() {
        let compilers = [compiler("refc", Language::Par), with_base("refc x86-64")];
        for group in [of_size(20_000, &compilers, 0, ""), of_league(300, &compilers)] {
            let tasks =
                |k| group.cases.iter().filter(move |case| case.compiler == k).map(|case| (case.input, case.task));
            assert!(tasks(1).eq(tasks(0).filter(|&(_, task)| task != Task::Check)));
            assert!(tasks(1).count() > 0);
        }
    }
}
