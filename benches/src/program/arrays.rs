//! Programs of functions with arrays.
//!
//! In C, an operation on a whole array is a loop over its elements, and a new array is one of variable length.

use super::Writer;

/// The end of a function.
const END: &str = "    return s;\n}\n";

/// The kind of statements of a function with arrays.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Loops that read and update elements.
    Elements,
    /// Operators and functions on whole arrays, too.
    Whole,
}

impl Writer {
    /// Appends a function of about `bytes` bytes whose statements work on arrays.
    pub(super) fn array_function(&mut self, bytes: usize, style: Style) {
        let end = self.program.par.len() + bytes;
        let f = self.functions;
        self.functions += 1;
        self.variables.clear();
        self.each(
            &format!(
                "fn f{f}[n: int, a: [int], b: *[int], x: [float]]: int {{\n    var s = n + a[0] + b[0] + int(x[0]);\n"
            ),
            &format!(
                "int f{f}(int n, const int *a, int *b, const float *x) {{\n    int s = n + a[0] + b[0] + (int)x[0];\n"
            ),
        );
        while self.program.par.len() + 60 < end {
            match self.rng.below(8) {
                0 | 1 => self.update(),
                2 => self.loop_of_updates(),
                3 => {
                    self.both("    s = ");
                    self.array_value("s % n", 2);
                    self.both(";\n");
                }
                4 if style == Style::Whole => self.whole_array(),
                5 if style == Style::Whole => self.mapped(),
                6 if style == Style::Whole => self.reduced(),
                4 => self.sum_of_floats(),
                _ => self.nested_loops(),
            }
        }
        self.both(END);
    }

    /// An array of ints: a parameter, or one that was declared.
    fn array_name(&mut self) -> String {
        if self.variables.is_empty() || self.rng.once_in(2) {
            return self.rng.one_of(&["a", "b"]).to_string();
        }
        let (v, _) = self.rng.one_of(&self.variables);
        format!("v{v}")
    }

    /// Appends a value of elements with an index.
    fn array_value(&mut self, index: &str, depth: usize) {
        if depth == 0 || self.rng.once_in(4) {
            if self.rng.once_in(3) {
                let n = self.rng.below(5000);
                self.both(&n.to_string());
            } else {
                let array = self.array_name();
                self.both(&format!("{array}[{index}]"));
            }
            return;
        }
        self.both("(");
        self.array_value(index, depth - 1);
        let operator = self.rng.one_of(&[" + ", " - ", " * ", " < ", " & "]);
        self.both(operator);
        self.array_value(index, depth - 1);
        self.both(")");
    }

    fn update(&mut self) {
        let index = self.rng.one_of(&["s % n", "0", "n - 1", "a[0]"]);
        self.both(&format!("    b[{index}] = "));
        self.array_value(index, 2);
        self.both(" + s;\n");
    }

    fn loop_of_updates(&mut self) {
        self.each("    for i < n { b[i] = ", "    for (int i = 0; i < n; i++) { b[i] = ");
        self.array_value("i", 2);
        self.both("; }\n");
    }

    fn nested_loops(&mut self) {
        self.each(
            "    for i < n { for j < i { if b[j] < b[i] { s = s + ",
            "    for (int i = 0; i < n; i++) { for (int j = 0; j < i; j++) { if (b[j] < b[i]) { s = s + ",
        );
        self.array_value("j", 1);
        self.both("; } } }\n");
    }

    fn sum_of_floats(&mut self) {
        let v = self.next;
        self.next += 1;
        self.each(
            &format!("    var t{v} = 0.0; for i < n {{ t{v} = t{v} + x[i] * 0.5; }} s = s + int(t{v});\n"),
            &format!(
                "    float t{v} = 0; for (int i = 0; i < n; i++) {{ t{v} = t{v} + x[i] * 0.5f; }} s = s + (int)t{v};\n"
            ),
        );
    }

    /// Appends the declaration of an array that a C loop fills with `element`, which the function writes.
    fn declared(&mut self, par: &str, element: &str) {
        let v = self.next;
        self.next += 1;
        self.each(
            &format!("    var v{v} = {par}; s = s + v{v}[0];\n"),
            &format!("    int v{v}[n]; for (int k = 0; k < n; k++) v{v}[k] = {element}; s = s + v{v}[0];\n"),
        );
        self.variables.push((v, false));
        if self.variables.len() > 12 {
            self.variables.remove(0);
        }
    }

    fn whole_array(&mut self) {
        let (p, q) = (self.array_name(), self.array_name());
        let (n, operator) = (self.rng.below(100), self.rng.one_of(&["+", "-", "*"]));
        self.declared(&format!("{p} {operator} ({q} - {n})"), &format!("{p}[k] {operator} ({q}[k] - {n})"));
    }

    fn mapped(&mut self) {
        let (p, n) = (self.array_name(), self.rng.below(100));
        self.declared(&format!("map[fn[e: int]: int = e * {n} + s, {p}]"), &format!("{p}[k] * {n} + s"));
    }

    fn reduced(&mut self) {
        let (p, q) = (self.array_name(), self.array_name());
        self.each(
            &format!("    s = s + reduce[(+), 0, {p} * {q}];\n"),
            &format!("    for (int k = 0; k < n; k++) s = s + {p}[k] * {q}[k];\n"),
        );
    }
}
