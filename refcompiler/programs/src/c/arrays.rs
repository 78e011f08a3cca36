//! Arrays, structs and tuples in C. An array of structs is a struct of the arrays of its fields; what they have in common is
//! written once for each of these.

use refcompiler::ir::kinds::Kind;

use super::{MAX_RANK, Writer, bits, cut, of_bits, zero};
use crate::syntax::{Dim, Expr, Lambda, Program, Second, Total, Ty};

/// The numbers and arrays of numbers in a value of a type: their paths and types.
fn leaves(program: &Program, ty: Ty) -> Vec<(String, Ty)> {
    let Ty::Composite(row, _) = ty else { return vec![(String::new(), ty)] };
    let fields = 0..program.composites[row as usize].fields.len();
    let of_field = |k| {
        let field = program.field(ty, k).expect("a field");
        leaves(program, field).into_iter().map(move |(path, ty)| (format!(".f{k}{path}"), ty))
    };
    fields.flat_map(of_field).collect()
}

/// The type of arrays of a type.
fn array_of(ty: Ty) -> Ty {
    ty.of_rank(ty.rank() + 1)
}

/// The dimensions of a slice: the names of the arrays of their first indices, of their ends, and of whether each is an index.
struct Bounds {
    low: String,
    high: String,
    drops: String,
}

impl Writer<'_> {
    /// Computes a value part by part; `value` has the path and the type of each.
    fn by_leaves(&mut self, ty: Ty, value: impl Fn(&str, Ty) -> String) -> String {
        if !matches!(ty, Ty::Composite(..)) {
            return self.temporary(ty, &value("", ty));
        }
        let made = self.temporary(ty, &zero(self.entry, ty));
        for (path, leaf) in leaves(self.program, ty) {
            self.line(format_args!("{made}{path} = {};", value(&path, leaf)));
        }
        made
    }

    /// The extents of an array.
    fn extents(&self, array: &str, ty: Ty) -> String {
        format!("{array}{}.n", leaves(self.program, ty)[0].0)
    }

    /// The extent of an array in dimension k.
    fn extent(&self, array: &str, ty: Ty, k: usize) -> String {
        format!("{}[{k}]", self.extents(array, ty))
    }

    /// Computes an element or row of an array of which `fixed` indices are known.
    fn row(&mut self, array: &str, row: Ty, fixed: u8, at: &str) -> String {
        self.by_leaves(row, |path, leaf| match leaf.rank() {
            0 => of_bits(leaf, format!("{array}{path}.w[{at}]")),
            rank => format!("row_of({array}{path}, {}, {fixed}, {at})", rank + fixed),
        })
    }

    /// Writes an element or row of an array that nobody else sees.
    fn put(&mut self, array: &str, row: Ty, fixed: u8, at: &str, value: &str) {
        for (path, leaf) in leaves(self.program, row) {
            match leaf.rank() {
                0 => self.line(format_args!("{array}{path}.w[{at}] = {};", bits(leaf, &format!("{value}{path}")))),
                rank => {
                    let rank = rank + fixed;
                    self.line(format_args!("put_row({array}{path}, {rank}, {fixed}, {at}, {value}{path});"));
                }
            }
        }
    }

    /// The part at a path of an array of n rows with the extents of one.
    fn rows_like(path: &str, leaf: Ty, n: &str, row: &str) -> String {
        match leaf.rank() {
            1 => format!("words_of({n})"),
            rank => format!("rows_of({rank}, {n}, {row}{path})"),
        }
    }

    /// Updates an element or a row: the variable becomes another array.
    pub(super) fn update(&mut self, v: usize, indices: &[Expr], e: &Expr) {
        let ty = self.program.variables[v].ty;
        let place = self.place(v);
        let array = self.temporary(ty, &place);
        let at = self.position(&array, ty, indices);
        let value = self.expr(e);
        let fixed = indices.len() as u8;
        let copy = self.by_leaves(ty, |path, leaf| format!("copy_of({array}{path}, {})", leaf.rank()));
        let value = if fixed == ty.rank() { cut(ty, value) } else { value };
        self.put(&copy, ty.of_rank(ty.rank() - fixed), fixed, &at, &value);
        self.line(format_args!("{place} = {copy};"));
    }

    /// Sets a field of a variable, or of an element of it.
    pub(super) fn set_field(&mut self, v: usize, indices: &[Expr], path: &[u8], e: &Expr) {
        let (ty, place) = (self.program.variables[v].ty, self.place(v));
        let fields: String = path.iter().map(|k| format!(".f{k}")).collect();
        if indices.is_empty() {
            let value = self.expr(e);
            return self.line(format_args!("{place}{fields} = {value};"));
        }
        let array = self.temporary(ty, &place);
        let at = self.position(&array, ty, indices);
        let value = self.expr(e);
        let copy = self.by_leaves(ty, |path, leaf| format!("copy_of({array}{path}, {})", leaf.rank()));
        let of = self.program.type_of(e).expect("a value");
        self.put(&format!("{copy}{fields}"), of, indices.len() as u8, &at, &value);
        self.line(format_args!("{place} = {copy};"));
    }

    /// Updates a part of a variable.
    pub(super) fn update_slice(&mut self, v: usize, dims: &[Dim], e: &Expr) {
        let ty = self.program.variables[v].ty;
        let place = self.place(v);
        let array = self.temporary(ty, &place);
        let bounds = self.bounds(&array, ty, dims);
        let value = self.expr(e);
        let of = self.program.type_of(e).expect("a value");
        let changed = self.by_leaves(ty, |path, leaf| {
            let Bounds { low, high, drops } = &bounds;
            let rank = leaf.rank();
            match of.rank() {
                0 if leaf.rank() == ty.rank() => {
                    let element = cut(leaf, bits(leaf.element(), &format!("{value}{path}")));
                    format!("with_slice_of_word({array}{path}, {rank}, {low}, {high}, {element})")
                }
                _ => format!("with_slice({array}{path}, {rank}, {low}, {high}, {drops}, {value}{path})"),
            }
        });
        self.line(format_args!("{place} = {changed};"));
    }

    /// Computes indices, each checked before the next; returns the number of the element or row.
    fn position(&mut self, array: &str, ty: Ty, indices: &[Expr]) -> String {
        let mut at = self.temporary(Ty::Int, "0");
        for (k, index) in indices.iter().enumerate() {
            let index = self.expr(index);
            let extent = self.extent(array, ty, k);
            at = self.temporary(Ty::Int, &format!("{at} * {extent} + in_range({index}, {extent})"));
        }
        at
    }

    /// Computes the dimensions of a slice, each checked before the next.
    fn bounds(&mut self, array: &str, ty: Ty, dims: &[Dim]) -> Bounds {
        self.temporaries += 1;
        let [low, high, drops] = ["low", "high", "drops"].map(|name| format!("{name}{}", self.temporaries));
        // The fields of a struct have more dimensions, which are whole.
        let n = self.extents(array, ty);
        self.line(format_args!("int {low}[6] = {{0}}, {high}[6], {drops}[6] = {{0}};"));
        self.line(format_args!("for (int k = 0; k < 6; k++) {high}[k] = k < {} ? {n}[k] : -1;", ty.rank()));
        for (k, dim) in dims.iter().enumerate() {
            match dim {
                Dim::All => {}
                Dim::At(i) => {
                    let i = self.expr(i);
                    self.line(format_args!("{low}[{k}] = in_range({i}, {n}[{k}]);"));
                    self.line(format_args!("{high}[{k}] = {i} + 1; {drops}[{k}] = 1;"));
                }
                Dim::Range(from, to) => {
                    if let Some(from) = from {
                        let from = self.expr(from);
                        self.line(format_args!("{low}[{k}] = {from};"));
                    }
                    if let Some(to) = to {
                        let to = self.expr(to);
                        self.line(format_args!("{high}[{k}] = {to};"));
                    }
                    let check = format!("0 <= {low}[{k}] && {low}[{k}] <= {high}[{k}] && {high}[{k}] <= {n}[{k}]");
                    self.line(format_args!("assert_that({check});"));
                }
            }
        }
        Bounds { low, high, drops }
    }

    /// Computes a value element by element. Arrays of lower rank are repeated.
    pub(super) fn elementwise(&mut self, operands: &[&Expr], ty: Ty, value: impl Fn(&[String]) -> String) -> String {
        let ranks: Vec<u8> =
            operands.iter().map(|operand| self.program.type_of(operand).expect("a value").rank()).collect();
        let elements: Vec<Ty> =
            operands.iter().map(|operand| self.program.type_of(operand).expect("a value").element()).collect();
        let names: Vec<String> = operands.iter().map(|operand| self.expr(operand)).collect();
        let rank = ty.rank();
        if rank == 0 {
            return self.temporary(ty, &value(&names));
        }
        let longest = names[ranks.iter().position(|&other| other == rank).expect("an array")].clone();
        for (name, &other) in names.iter().zip(&ranks) {
            for k in 0..other {
                self.line(format_args!("assert_that({name}.n[{k}] == {longest}.n[{}]);", k + rank - other));
            }
        }
        let made = self.temporary(ty, &format!("copy_of({longest}, {rank})"));
        self.line(format_args!("for (int i = 0; i < count({made}, {rank}, 0); i++) {{"));
        let elements = names.iter().zip(&ranks).zip(&elements).map(|((name, &rank), &element)| match rank {
            0 => name.clone(),
            rank => of_bits(element, format!("{name}.w[i % count({name}, {rank}, 0)]")),
        });
        let element = value(&elements.collect::<Vec<_>>());
        let element = cut(ty, bits(ty.element(), &format!("({element})")));
        self.line(format_args!("{made}.w[i] = {element}; }}"));
        made
    }

    /// Computes the rows of two arrays, one after the other.
    pub(super) fn concat(&mut self, ty: Ty, values: &[String]) -> String {
        let (a, b) = (&values[0], &values[1]);
        self.by_leaves(ty, |path, leaf| format!("concat({}, {a}{path}, {b}{path})", leaf.rank()))
    }

    /// Prints a value.
    pub(super) fn print(&mut self, ty: Ty, value: &str) {
        match ty {
            Ty::Int => self.line(format_args!("print_int({value});")),
            Ty::Float => self.line(format_args!("print_float({value});")),
            Ty::Composite(row, 0) => {
                let composite = &self.program.composites[row as usize];
                let (open, close) = if composite.name.is_empty() { ('(', ')') } else { ('[', ']') };
                self.text(&format!("{}{open}", composite.name));
                for k in 0..composite.fields.len() {
                    if k > 0 {
                        self.text(", ");
                    }
                    self.print(self.program.field(ty, k).expect("a field"), &format!("{value}.f{k}"));
                }
                self.text(&close.to_string());
            }
            array => {
                self.temporaries += 1;
                let i = format!("i{}", self.temporaries);
                let n = self.extent(value, array, 0);
                self.text("[");
                self.line(format_args!("for (int {i} = 0; {i} < {n}; {i}++) {{ if ({i}) {{"));
                self.text(", ");
                self.line(format_args!("}}"));
                let row = array.of_rank(array.rank() - 1);
                let element = self.row(value, row, 1, &i);
                self.print(row, &element);
                self.line(format_args!("}}"));
                self.text("]");
            }
        }
    }

    fn text(&mut self, text: &str) {
        self.line(format_args!("write_all(\"{text}\", {});", text.len()));
    }

    /// Computes an expression that only arrays, structs and tuples have.
    pub(super) fn of_arrays(&mut self, expr: &Expr, ty: Ty) -> String {
        match expr {
            Expr::Array(rows) => {
                let rows: Vec<String> = rows.iter().map(|row| self.expr(row)).collect();
                let n = rows.len().to_string();
                let array = self.by_leaves(ty, |path, leaf| Self::rows_like(path, leaf, &n, &rows[0]));
                for (k, row) in rows.iter().enumerate() {
                    self.put(&array, ty.of_rank(ty.rank() - 1), 1, &k.to_string(), row);
                }
                array
            }
            Expr::Index(a, indices) => {
                let of = self.program.type_of(a).expect("an array");
                let array = self.expr(a);
                let at = self.position(&array, of, indices);
                self.row(&array, ty, indices.len() as u8, &at)
            }
            Expr::Replicate(parts) => {
                let n = self.expr(&parts[0]);
                self.line(format_args!("assert_that({n} >= 0);"));
                let value = self.expr(&parts[1]);
                self.replicate(ty, &n, &value)
            }
            Expr::Size(a, k) => {
                let of = self.program.type_of(a).expect("an array");
                let array = self.expr(a);
                let extent = self.extent(&array, of, *k as usize);
                self.temporary(ty, &extent)
            }
            Expr::Second(second, lambda, values) => self.second(*second, lambda, values, ty),
            Expr::Total(total, a) => {
                let array = self.expr(a);
                let first = match total {
                    Total::Sum | Total::Any | Total::Count => "0",
                    Total::Product | Total::All => "1",
                    Total::Min => "0x7fffffff",
                    Total::Max => "-0x7fffffff - 1",
                };
                let sum = self.temporary(ty, first);
                let x = of_bits(ty, format!("{array}.w[i]"));
                let next = match total {
                    Total::Sum => super::binary(Kind::Add, ty == Ty::Float, &sum, &x),
                    Total::Product => super::binary(Kind::Mul, ty == Ty::Float, &sum, &x),
                    Total::Min => format!("{x} < {sum} ? {x} : {sum}"),
                    Total::Max => format!("{x} > {sum} ? {x} : {sum}"),
                    Total::All => format!("{sum} && {x}"),
                    Total::Any => format!("{sum} || {x}"),
                    Total::Count => format!("{sum} + ({x} != 0)"),
                };
                self.line(format_args!("for (int i = 0; i < {array}.n[0]; i++) {sum} = {next};"));
                sum
            }
            Expr::Slice(a, dims) => {
                let of = self.program.type_of(a).expect("an array");
                let array = self.expr(a);
                let Bounds { low, high, drops } = self.bounds(&array, of, dims);
                let dropped = of.rank() - ty.rank();
                self.by_leaves(ty, |path, leaf| {
                    format!("slice_of({array}{path}, {}, {low}, {high}, {drops})", leaf.rank() + dropped)
                })
            }
            Expr::Perm(a, order) => {
                let array = self.expr(a);
                let order = (0..MAX_RANK).map(|k| order.get(k as usize).copied().unwrap_or(k).to_string());
                let order = order.collect::<Vec<_>>().join(", ");
                self.by_leaves(ty, |path, leaf| format!("perm_of({array}{path}, {}, (int[6]){{{order}}})", leaf.rank()))
            }
            Expr::Reshape(a, extents) => {
                let rank = self.program.type_of(a).expect("an array").rank();
                let array = self.expr(a);
                let extents: Vec<String> = extents.iter().map(|n| self.expr(n)).collect();
                let new = ty.rank();
                let extents = extents.join(", ");
                self.temporary(ty, &format!("reshaped({array}, {rank}, {new}, (int[6]){{{extents}}})"))
            }
            Expr::Struct(_, fields) | Expr::Zip(_, fields) => {
                let types = fields.iter().map(|field| self.program.type_of(field).expect("a value"));
                let types = types.collect::<Vec<_>>();
                let fields: Vec<String> = fields.iter().map(|field| self.expr(field)).collect();
                if matches!(expr, Expr::Zip(..)) {
                    let extents = fields.iter().zip(types).map(|(field, ty)| self.extent(field, ty, 0));
                    let extents = extents.collect::<Vec<_>>();
                    for n in &extents {
                        self.line(format_args!("assert_that({n} == {});", extents[0]));
                    }
                }
                self.of_fields(ty, &fields)
            }
            Expr::Field(a, k) => {
                let value = self.expr(a);
                self.temporary(ty, &format!("{value}.f{k}"))
            }
            Expr::Unzip(row, a) => {
                let array = self.expr(a);
                let fields = 0..self.program.composites[*row as usize].fields.len();
                self.of_fields(ty, &fields.map(|k| format!("{array}.f{k}")).collect::<Vec<_>>())
            }
            Expr::Split(_, parts) => {
                let of = self.program.type_of(&parts[0]).expect("an array");
                let array = self.expr(&parts[0]);
                let n = self.expr(&parts[1]);
                let extent = self.extent(&array, of, 0);
                self.line(format_args!("assert_that(0 <= {n} && {n} <= {extent});"));
                let part = |me: &mut Self, low: &str, high: &str| {
                    me.by_leaves(of, |path, leaf| {
                        format!("rows_between({array}{path}, {}, {low}, {high})", leaf.rank())
                    })
                };
                let parts = [part(self, "0", &n), part(self, &n, &extent)];
                self.of_fields(ty, &parts)
            }
            _ => unreachable!("an expression of numbers"),
        }
    }

    /// Computes a struct or a tuple, or an array of them, of its fields.
    fn of_fields(&mut self, ty: Ty, fields: &[String]) -> String {
        let made = self.temporary(ty, &zero(self.entry, ty));
        for (k, field) in fields.iter().enumerate() {
            self.line(format_args!("{made}.f{k} = {field};"));
        }
        made
    }

    pub(super) fn replicate(&mut self, ty: Ty, n: &str, value: &str) -> String {
        self.by_leaves(ty, |path, leaf| match leaf.rank() {
            1 => format!("replicate_word({n}, {})", bits(leaf.element(), &format!("{value}{path}"))),
            rank => format!("replicate_row({rank}, {n}, {value}{path})"),
        })
    }

    /// Computes a function that is an argument.
    fn apply(&mut self, lambda: &Lambda, arguments: &[String]) -> String {
        for (&parameter, argument) in lambda.parameters.iter().zip(arguments) {
            let place = self.place(parameter);
            self.line(format_args!("{place} = {argument};"));
        }
        self.expr(&lambda.body)
    }

    /// Begins a loop over the rows of arrays, whose numbers agree; returns its counter and the rows.
    fn each_row(&mut self, arrays: &[(String, Ty)], is_backward: bool) -> (String, Vec<String>) {
        let n = self.extent(&arrays[0].0, arrays[0].1, 0);
        for (array, ty) in &arrays[1..] {
            let other = self.extent(array, *ty, 0);
            self.line(format_args!("assert_that({n} == {other});"));
        }
        self.temporaries += 1;
        let i = format!("i{}", self.temporaries);
        match is_backward {
            false => self.line(format_args!("for (int {i} = 0; {i} < {n}; {i}++) {{")),
            true => self.line(format_args!("for (int {i} = {n} - 1; {i} >= 0; {i}--) {{")),
        }
        let rows = arrays.iter().map(|(array, ty)| self.row(array, ty.of_rank(ty.rank() - 1), 1, &i));
        (i.clone(), rows.collect())
    }

    /// Computes an operation with a function.
    fn second(&mut self, second: Second, lambda: &Lambda, values: &[Expr], ty: Ty) -> String {
        let values: Vec<(String, Ty)> =
            values.iter().map(|e| (self.expr(e), self.program.type_of(e).expect("a value"))).collect();
        match second {
            Second::Map | Second::Scan => {
                let is_scan = second == Second::Scan;
                let row = ty.of_rank(ty.rank() - 1);
                let made = self.temporary(ty, &zero(self.entry, ty));
                let arrays = &values[usize::from(is_scan)..];
                let sum = is_scan.then(|| self.temporary(row, &values[0].0));
                let n = self.extent(&arrays[0].0, arrays[0].1, 0);
                let (i, rows) = self.each_row(arrays, false);
                let arguments: Vec<String> = sum.iter().cloned().chain(rows).collect();
                let value = self.apply(lambda, &arguments);
                self.line(format_args!("if ({i} == 0) {{"));
                let fresh = self.by_leaves(ty, |path, leaf| Self::rows_like(path, leaf, &n, &value));
                self.line(format_args!("{made} = {fresh}; }}"));
                self.put(&made, row, 1, &i, &value);
                if let Some(sum) = sum {
                    self.line(format_args!("{sum} = {value};"));
                }
                self.line(format_args!("}}"));
                made
            }
            Second::Reduce | Second::Fold | Second::Redomap(_) | Second::FoldRight => {
                let sum = self.temporary(ty, &values[0].0);
                let is_backward = second == Second::FoldRight;
                let (_, mut arguments) = self.each_row(&values[1..], is_backward);
                let at = if is_backward { arguments.len() } else { 0 };
                arguments.insert(at, sum.clone());
                let value = self.apply(lambda, &arguments);
                self.line(format_args!("{sum} = {value}; }}"));
                sum
            }
            Second::Filter => {
                let (array, of) = values[0].clone();
                let extent = self.extent(&array, of, 0);
                let keeps = self.temporary(Ty::Ints(1), &format!("words_of({extent})"));
                let (i, rows) = self.each_row(&values, false);
                let value = self.apply(lambda, &rows);
                self.line(format_args!("{keeps}.w[{i}] = {value} != 0; }}"));
                self.by_leaves(ty, |path, leaf| format!("filtered({array}{path}, {}, {keeps})", leaf.rank()))
            }
            Second::Group => {
                let row = ty.of_rank(ty.rank() - 1);
                let (e, n) = (values[0].0.clone(), values[1].0.clone());
                let (keys, elements) = (&values[2], &values[3]);
                let (a, b) = (self.extent(&keys.0, keys.1, 0), self.extent(&elements.0, elements.1, 0));
                self.line(format_args!("assert_that({a} == {b}); assert_that({n} >= 0);"));
                let sums = self.replicate(array_of(row), &n, &e);
                let (_, rows) = self.each_row(&values[2..], false);
                self.line(format_args!("in_range({}, {n});", rows[0]));
                let sum = self.row(&sums, row, 1, &rows[0]);
                let value = self.apply(lambda, &[sum, rows[1].clone()]);
                self.put(&sums, row, 1, &rows[0], &value);
                self.line(format_args!("}}"));
                sums
            }
        }
    }
}
