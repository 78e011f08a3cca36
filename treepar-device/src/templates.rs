//! The roles of device functions: the templates that they fill.

/// A role, as `#[device(name)]` names it.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// The name.
    pub name: &'static str,
    /// How many leading parameters are the template's own.
    pub own: usize,
    /// How many of them number rows.
    pub indices: usize,
    /// The parameters, for messages.
    pub form: &'static str,
    /// The kernels that the template launches.
    pub stages: &'static [&'static str],
}

const fn template(
    name: &'static str,
    (own, indices): (usize, usize),
    form: &'static str,
    stages: &'static [&'static str],
) -> Template {
    Template { name, own, indices, form, stages }
}

/// All roles.
pub const TEMPLATES: [Template; 15] = [
    template("map", (1, 1), "i: usize, ..", &["map"]),
    template("compact", (1, 1), "i: usize, ..", &["compact"]),
    template("accumulate", (1, 1), "i: usize, ..", &["accumulate"]),
    template("intern", (1, 1), "i: usize, ..", &["intern"]),
    template("reduce", (1, 1), "i: usize, ..", &["reduce", "reduce_final"]),
    template("scan", (1, 1), "i: usize, ..", &["scan"]),
    template(
        "segmented_scan",
        (1, 1),
        "i: usize, ..",
        &["segmented_scan", "segmented_reduce", "segmented_reduce_gather"],
    ),
    template("scan_map", (2, 1), "i: usize, before: T, ..", &["scan_map"]),
    template("positions", (2, 1), "w: usize, before: T, ..", &["positions"]),
    template("expand", (2, 2), "owner: usize, k: usize, ..", &["expand"]),
    template("expand_rows", (1, 1), "i: usize, ..", &["expand_rows"]),
    template("walk_down", (2, 1), "i: usize, parent: T, ..", &["walk_down"]),
    template("walk_up", (2, 1), "i: usize, children: T, ..", &["walk_up"]),
    template("walk_slots", (2, 1), "i: usize, slots: &[T], ..", &["walk_slots"]),
    template("monoid", (2, 0), "a: T, b: T", &[]),
];

/// Returns the role of a name.
pub fn of(name: &str) -> Option<&'static Template> {
    TEMPLATES.iter().find(|template| template.name == name)
}
