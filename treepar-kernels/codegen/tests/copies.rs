//! Rows per thread, from the size of a device function.

use refcompiler as _;
use treepar_codegen::{Grouping, expand_items, map_items, units};
use treepar_kernels::tuning;

#[test]
fn a_long_function_has_few_copies_and_a_short_one_many() {
    let functions = |template| {
        let kernels = units(Grouping::Function).iter().flat_map(|unit| unit.kernels());
        kernels.filter(move |kernel| kernel.template == template).map(|kernel| kernel.functions[0])
    };
    let expanded: Vec<u32> = functions("expand").map(expand_items).collect();
    let mapped: Vec<u32> = functions("map").map(map_items).collect();
    for (all, most) in [(expanded, tuning::EXPAND_ITEMS), (mapped, tuning::map_items(1))] {
        assert!(all.iter().all(|&items| items.is_power_of_two() && items <= most), "{all:?}");
        assert!(all.contains(&1) && all.contains(&most), "{all:?}");
    }
}

#[test]
fn the_selection_of_instructions_is_in_the_code_once() {
    let kernels = units(Grouping::Function).iter().flat_map(|unit| unit.kernels());
    let mut long = kernels.filter(|kernel| kernel.functions[0].name == "rest_word");
    assert_eq!(long.next().map(|kernel| expand_items(kernel.functions[0])), Some(1));
}
