//! Parts of programs, lists of passes, and the order of the runtime's functions.

use refcompiler::ir::builtins::{BUILTIN_ORDER, BUILTINS};
use refcompiler::ir::program::{is_uneven, ranges};
use refcompiler::ir::tree::Tree;
use refcompiler::pipeline::settings::{Optimisations, UnknownPass};

#[test]
fn trees_are_cut_before_functions_at_top_level() {
    let ranges = |depth: &[u32], size| {
        let tree = Tree { depth: depth.to_vec(), kind: vec![0; depth.len()], ..Tree::default() };
        ranges(&tree, size).into_iter().map(|range| (range.start, range.end)).collect::<Vec<_>>()
    };
    let small = [0, 1, 0, 1, 1, 0, 0, 1];
    assert_eq!(ranges(&[], 1), [(0, 0)]);
    assert_eq!(ranges(&small, 0), [(0, 2), (2, 5), (5, 6), (6, 8)]);
    assert_eq!(ranges(&small, 2), [(0, 2), (2, 5), (5, 8)]);
    assert_eq!(ranges(&small, 4), [(0, 5), (5, 8)]);
    assert_eq!(ranges(&small, usize::MAX), [(0, 8)]);
}

#[test]
fn parts_are_uneven_if_one_is_larger_than_the_others_together() {
    let is_uneven = |sizes: &[usize]| is_uneven(sizes.iter().copied());
    assert!(is_uneven(&[3, 2]) && is_uneven(&[1, 5, 3]) && is_uneven(&[1]));
    assert!(!is_uneven(&[3, 3]) && !is_uneven(&[2, 1, 1]) && !is_uneven(&[]));
}

#[test]
fn lists_change_levels() {
    let mut optimisations = Optimisations::of_level(0);
    assert_eq!(optimisations, Optimisations::default());
    optimisations.change("-fusion,+fusion").unwrap();
    assert_eq!(optimisations, Optimisations { fusion: true, ..Optimisations::default() });
    let all =
        |sign: &str| Optimisations::NAMES.iter().map(|name| format!("{sign}{name}")).collect::<Vec<_>>().join(",");
    optimisations.change(&all("+")).unwrap();
    assert_eq!(optimisations, Optimisations::of_level(1));
    optimisations.change(&all("-")).unwrap();
    assert_eq!(optimisations, Optimisations::default());
    for list in ["fusion", "", "+", "+-fusion", "+fission", "+fusion,"] {
        let unknown = list.rsplit(',').next().unwrap_or_default().to_string();
        assert_eq!(optimisations.change(list), Err(UnknownPass(unknown)), "{list}");
    }
}

/// The order has each function in Par once, and ids are positions.
#[test]
fn the_order_has_every_function_in_par() {
    let mut ordered = BUILTIN_ORDER.to_vec();
    ordered.sort_unstable();
    let in_par = BUILTINS.iter().filter(|builtin| builtin.text.is_some()).map(|builtin| builtin.id);
    assert_eq!(ordered, in_par.collect::<Vec<_>>());
    assert!(BUILTINS.iter().enumerate().all(|(id, builtin)| builtin.id as usize == id));
}
