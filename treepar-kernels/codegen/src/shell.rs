//! Kernels: the device functions of a template as types, and the entries that a machine launches.
//!
//! An entry has no logic. It calls the template's function with the tuning and its own parameters. The launcher passes them
//! in the same order: sizes and flags, device functions with their columns, the template's own columns.

use std::fmt::Write as _;

use treepar_device::types::{Constant, Type};
use treepar_device::{Def, templates};
use treepar_kernels::{Kernel, tuning};

use crate::copies::{at_once, expand_items, map_items};
use crate::types::{of_parameter, spelled, text, written};
use crate::{Error, emit, name};

/// Returns the entries of a kernel, one per stage of its template.
pub fn entries(kernel: &Kernel) -> Vec<String> {
    stages(kernel.template).iter().map(|stage| entry(stage, kernel.functions)).collect()
}

/// Returns the name of an entry.
pub fn entry(stage: &str, functions: &[&Def]) -> String {
    let mut text = format!("treepar_{stage}");
    for function in functions {
        text.push_str("__");
        text.push_str(&name(function));
    }
    text
}

/// Returns the stages of a template.
fn stages(template: &str) -> &'static [&'static str] {
    templates::of(template).map_or(&[], |template| template.stages)
}

/// Writes a device function as a type: its columns and scalars, and its call.
pub fn functor(function: &'static Def, own: usize) -> String {
    let (mut fields, mut own_parameters, mut arguments) = (String::new(), Vec::new(), Vec::new());
    for (k, parameter) in function.parameters.iter().enumerate() {
        let ty = of_parameter(parameter);
        let written = format!("{}_{k}", spelled(parameter.name.trim_start_matches('_')).trim_end_matches('_'));
        if k < own {
            own_parameters.push(format!("{ty} {written}"));
        } else {
            // Writing to a string does not fail.
            let _ = writeln!(fields, "    {ty} {written};");
        }
        arguments.push(written);
    }
    let (name, result) = (name(function), written(&function.output));
    let call = format!("{name}({})", arguments.join(", "));
    let body = match text(&function.output) {
        // The row of a table: one column per field.
        row if row != result => {
            let fields = function.output.fields().iter().map(|(field, _)| format!("row.{}", spelled(field)));
            format!("const {row} row = {call};\n        return {result}{{{}}};", fields.collect::<Vec<_>>().join(", "))
        }
        _ => format!("return {call};"),
    };
    format!(
        "struct F_{name} {{\n{fields}    TREEPAR_DEVICE {result} operator()({}) const {{\n        {body}\n    }}\n}};\n\n",
        own_parameters.join(", "),
    )
}

/// Writes a monoid as a type.
fn monoid(function: &'static Def, identity: &dyn Constant) -> String {
    let (name, ty) = (name(function), text(&function.output));
    let (base, resets) = match function.reset {
        Some(reset) => {
            let reset = crate::name(reset);
            (" : Resets", format!("    static TREEPAR_DEVICE bool resets(T a) {{ return {reset}(a); }}\n"))
        }
        None => ("", String::new()),
    };
    format!(
        "struct M_{name}{base} {{\n    using T = {ty};\n    static TREEPAR_DEVICE T identity() {{ return {}; }}\n    \
         static TREEPAR_DEVICE T combine(T a, T b) {{ return {name}(a, b); }}\n{resets}}};\n\n",
        emit::constant_text(&identity.value())
    )
}

/// Writes the types that kernels pass to templates, each once, and the entries.
pub fn shells(kernels: &[&Kernel]) -> Result<String, Error> {
    let mut types: Vec<String> = Vec::new();
    let mut text = String::new();
    let mut entries = String::new();
    for kernel in kernels {
        for (k, function) in kernel.functions.iter().enumerate() {
            let own = if k == 0 { templates::of(kernel.template).map_or(1, |template| template.own) } else { 1 };
            let ty = match function.identity {
                Some(identity) => monoid(function, identity),
                None => functor(function, own),
            };
            if !types.contains(&ty) {
                text.push_str(&ty);
                types.push(ty);
            }
        }
        for stage in stages(kernel.template) {
            entries.push_str(&shell(stage, kernel)?);
        }
    }
    Ok(format!("namespace treepar {{\n\n{text}}}  // namespace treepar\n\nusing namespace treepar;\n\n{entries}"))
}

/// Writes one entry.
fn shell(stage: &str, kernel: &Kernel) -> Result<String, Error> {
    let first = kernel.functions[0];
    let fail = |what: String| emit::failure(first, what);
    let result = written(&first.output);
    let f = format!("F_{} f", name(first));
    let threads = tuning::THREADS;
    let map = tuning::MAP_ITEMS;
    let walk = tuning::WALK_ITEMS;
    let carried = tuning::walk_items(layout(&first.output).0);
    // If the template has a monoid: its name, its type, and the rows per thread.
    let (m, t, items, words) = match kernel.functions.iter().find(|function| function.identity.is_some()) {
        Some(function) => {
            let ty = text(&function.output);
            let bytes = layout(&function.output).0;
            if bytes > tuning::LARGEST {
                return Err(fail(too_large(&ty, bytes)));
            }
            let words = tuning::positions_items(bytes);
            (format!("M_{}", name(function)), ty, tuning::scan_items(bytes), words)
        }
        None => (String::new(), String::new(), tuning::scan_items(4), 0),
    };
    if stage == "walk_down" && layout(&first.output).0 > tuning::LARGEST {
        return Err(fail(too_large(&result, layout(&first.output).0)));
    }
    let (parameters, call) = match stage {
        "map" => {
            (format!("u64 n, {f}, Output<{result}> out"), format!("map<{threads}, {}>(n, f, out)", map_items(first)))
        }
        "reduce" => (
            format!("u64 n, u64 share, {f}, Array<{t}> sums"),
            format!("reduce<{m}, {threads}, {items}, {}>(n, share, f, sums)", at_once(first, items)),
        ),
        "reduce_final" => (
            format!("Array<{t}> sums, Array<{t}> total"),
            format!("reduce_final<{m}, {threads}, {items}>(sums, total)"),
        ),
        "scan" => (
            format!("u64 n, u32 inclusive, {f}, Array<{t}> out, Tiles<{t}> tiles, Array<{t}> total"),
            format!(
                "scan<{m}, {threads}, {items}, {}>(n, inclusive != 0, f, out, tiles, total)",
                at_once(first, items)
            ),
        ),
        "scan_map" => (
            format!(
                "u64 n, F_{} f, F_{} g, Output<{result}> out, Tiles<{t}> tiles, Array<{t}> total",
                name(kernel.functions[1]),
                name(first)
            ),
            format!(
                "scan_map<{m}, {threads}, {items}, {}, {}>(n, f, g, out, tiles, total)",
                at_once(kernel.functions[1], items),
                at_once(first, items)
            ),
        ),
        "positions" => (
            format!(
                "u64 n, F_{} f, F_{} g, Array<u32> out, Tiles<{t}> tiles, Tiles<u32> counts, Array<u32> total",
                name(kernel.functions[1]),
                name(first)
            ),
            format!(
                "positions<{m}, {threads}, {words}, {}>(n, f, g, out, tiles, counts, total)",
                at_once(kernel.functions[1], words)
            ),
        ),
        "segmented_scan" => (
            format!("u64 n, u32 inclusive, Array<u32> heads, {f}, Array<{t}> out, Tiles<Headed<{t}>> tiles"),
            format!(
                "segmented_scan<{m}, {threads}, {items}, {}>(n, inclusive != 0, heads, f, out, tiles)",
                at_once(first, items)
            ),
        ),
        "segmented_reduce" => (
            format!("u64 n, Array<u32> heads, {f}, Array<{t}> at_last, Tiles<Headed<{t}>> tiles"),
            format!(
                "segmented_reduce<{m}, {threads}, {items}, {}>(n, heads, f, at_last, tiles)",
                at_once(first, items)
            ),
        ),
        "segmented_reduce_gather" => (
            format!("Column<u32> offsets, u64 n, Array<{t}> at_last, Array<{t}> out"),
            format!("segmented_reduce_gather<{m}, {threads}, {map}>(offsets, n, at_last, out)"),
        ),
        "compact" => (
            format!("u64 n, u32 others, {f}, Array<u32> out, Tiles<u32> tiles, Array<u32> total"),
            format!("compact<{threads}, {items}, {}>(n, others != 0, f, out, tiles, total)", at_once(first, items)),
        ),
        "accumulate" => (format!("u64 n, {f}, Array<u32> out"), format!("accumulate<{threads}, {map}>(n, f, out)")),
        "intern" => (
            format!("u64 n, u32 shift, {f}, Array<u64> keys, Array<u32> firsts, Array<u32> slots"),
            format!("intern<{threads}, {map}>(n, shift, f, keys, firsts, slots)"),
        ),
        "expand" => (
            format!("Column<u32> offsets, u64 m, {f}, Output<{result}> out"),
            format!("expand<{threads}, {}>(offsets, m, f, out)", expand_items(first)),
        ),
        "expand_rows" => {
            let row = match &first.output {
                Type::Tuple(parts) => &parts[0],
                other => other,
            };
            let bytes = layout(row).0;
            if bytes > tuning::LARGEST_MADE {
                let most = tuning::LARGEST_MADE;
                return Err(fail(format!(
                    "`{}` has {bytes} bytes, but `expand_rows` makes rows of at most {most}",
                    text(row)
                )));
            }
            (
                format!("u64 n, {f}, Array<{}> out, Array<u32> offsets, Tiles<u32> tiles, Array<u32> total", text(row)),
                format!(
                    "expand_rows<{threads}, {}>(n, f, out, offsets, tiles, total)",
                    tuning::expand_rows_items(bytes)
                ),
            )
        }
        "walk_down" => (
            format!("Column<u32> parents, {result} root, {f}, Array<u64> words, Array<{result}> out"),
            format!("walk_down<{threads}, {carried}>(parents, root, f, words, out)"),
        ),
        "walk_up" => (
            format!("Column<u32> parents, {f}, Array<u64> words, Array<{t}> sums, Array<u32> next, Array<{t}> out"),
            format!("walk_up<{m}, {threads}, {carried}>(parents, f, words, sums, next, out)"),
        ),
        "walk_slots" => (
            format!(
                "Column<u32> parents, Column<u32> child, u32 slots, {f}, Array<u64> words, Array<{result}> values, \
                 Array<{result}> out"
            ),
            format!("walk_slots<{threads}, {walk}>(parents, child, slots, f, words, values, out)"),
        ),
        other => return Err(fail(format!("template stage `{other}`"))),
    };
    Ok(entry_text(stage, &entry(stage, kernel.functions), threads, &parameters, &call))
}

/// Writes the entries of kernels that take no device function.
pub fn builtin() -> String {
    let threads = tuning::THREADS;
    let smaller = tuning::SMALLER_ITEMS;
    let map = tuning::MAP_ITEMS;
    let few = tuning::FEW_BINS;
    let mut text = String::from("using namespace treepar;\n\n");
    let mut add = |stage: &str, threads, parameters: &str, call: String| {
        text.push_str(&entry_text(stage, &format!("treepar_{stage}"), threads, parameters, &call));
    };
    for (bytes, unit) in [(1, "u8"), (2, "u16"), (4, "u32"), (8, "u64"), (16, "Sixteen")] {
        add(
            &format!("scatter_{bytes}"),
            threads,
            &format!("Column<u32> indices, Array<{unit}> values, u32 units, Array<{unit}> target"),
            format!("scatter<{threads}, {map}>(indices, values, units, target)"),
        );
    }
    add("fill", threads, "Array<Sixteen> pattern, Array<Sixteen> out", format!("fill<{threads}, {map}>(pattern, out)"));
    add(
        "scatter_check",
        threads,
        "Column<u32> indices, u64 rows, Array<u32> seen, Array<u32> again",
        format!("scatter_check<{threads}, {map}>(indices, rows, seen, again)"),
    );
    add(
        "segment_heads",
        threads,
        "Column<u32> offsets, u64 n, Array<u32> heads",
        format!("segment_heads<{threads}, {map}>(offsets, n, heads)"),
    );
    add(
        "partition_others",
        threads,
        "u64 n, Array<u32> kept, Array<u32> out",
        format!("partition_others<{threads}, {map}>(n, kept, out)"),
    );
    add(
        "check_offsets",
        threads,
        "Column<u32> offsets, u64 n, Array<u32> wrong",
        format!("check_offsets<{threads}, {map}>(offsets, n, wrong)"),
    );
    add("histogram", threads, "Column<u32> keys, Array<u32> out", format!("histogram<{threads}, {map}>(keys, out)"));
    add(
        "histogram_few",
        threads,
        "Column<u32> keys, Array<u32> out",
        format!("histogram_few<{threads}, {few}>(keys, out)"),
    );
    add(
        "intern_firsts",
        threads,
        "Column<u32> slots, Array<u32> firsts, Array<u32> out",
        format!("intern_firsts<{threads}, {map}>(slots, firsts, out)"),
    );
    add(
        "minima",
        threads,
        "Column<u32> keys, u32 last, Array<u32> out",
        format!("minima<{threads}, {smaller}>(keys, last, out)"),
    );
    for (stage, next) in [("previous_smaller", false), ("next_smaller_or_equal", true)] {
        add(
            stage,
            threads,
            "Column<u32> keys, Column<u32> levels, Array<u32> out",
            format!("nearest_smaller<{next}, {threads}, {smaller}>(keys, levels, out)"),
        );
    }
    for (key, bytes) in [("u32", 4), ("u64", 8)] {
        let items = tuning::sort_items(bytes);
        add(
            &format!("sort_count_{key}"),
            threads,
            &format!("Column<{key}> keys, Array<u32> counts"),
            format!("sort_count<{key}, {threads}>(keys, counts)"),
        );
        add(
            &format!("sort_pass_{key}"),
            threads,
            &format!(
                "u32 digit, Column<{key}> keys, Column<u32> payload, Column<u32> starts, Array<u64> words, \
                 Array<{key}> keys_out, Array<u32> payload_out"
            ),
            format!("sort_pass<{key}, {threads}, {items}>(digit, keys, payload, starts, words, keys_out, payload_out)"),
        );
    }
    add(
        "sort_starts",
        threads,
        "u64 n, Array<u32> counts, Array<u32> same",
        format!("sort_starts<{threads}>(n, counts, same)"),
    );
    text
}

/// Returns an entry's text, with the types of its parameters for the emulator.
fn entry_text(stage: &str, entry: &str, threads: u32, parameters: &str, call: &str) -> String {
    let blocks = tuning::blocks(stage).map_or(String::new(), |blocks| format!(", {blocks}"));
    let types: Vec<&str> = split(parameters).iter().map(|p| p.rsplit_once(' ').map_or(*p, |(ty, _)| ty)).collect();
    format!(
        "extern \"C\" __global__ void __launch_bounds__({threads}{blocks}) {entry}({parameters}) {{\n    {call};\n}}\n\
         TREEPAR_ENTRY({entry}, {})\n\n",
        types.join(", ")
    )
}

/// Splits parameters at commas, except commas inside types.
fn split(parameters: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut all) = (0, 0, Vec::new());
    for (at, c) in parameters.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            ',' if depth == 0 => {
                all.push(parameters[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    all.push(parameters[begin..].trim());
    all
}

/// Returns the message for an element that is too large to combine or carry.
fn too_large(ty: &str, bytes: usize) -> String {
    let most = tuning::LARGEST;
    format!(
        "`{ty}` has {bytes} bytes, but threads share elements of at most {most}: keep large parts in separate columns"
    )
}

/// Returns the size and alignment of a type in C, in bytes.
pub fn layout(ty: &Type) -> (usize, usize) {
    match (ty, ty.scalar()) {
        (_, Some(scalar)) => (scalar.bits() as usize / 8, scalar.bits() as usize / 8),
        (Type::Tuple(parts), _) => fold_layout(parts.iter().map(layout)),
        _ => fold_layout(ty.fields().iter().map(|(_, ty)| layout(ty))),
    }
}

fn fold_layout(parts: impl Iterator<Item = (usize, usize)>) -> (usize, usize) {
    let (bytes, align) = parts.fold((0, 1), |(at, most): (usize, usize), (bytes, align)| {
        (at.next_multiple_of(align) + bytes, most.max(align))
    });
    (bytes.next_multiple_of(align), align)
}
