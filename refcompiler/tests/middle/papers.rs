//! The examples of the papers about arrays, by section: legal ones with their output, and illegal ones with their errors.
//!
//! `T` is Henriksen's thesis, `R` its rules of types and of errors, `VP` Vector Pascal, and `LMS` the papers about it. Programs that
//! break the rules of uniqueness are elsewhere.

use crate::oracle::interpreter::{Outcome, interpret};
use crate::toolchain::{self, simulated};
use refcompiler::frontend::sequential::{Sources, parse_program};
use refcompiler::object::write_executable;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::{Output, compile};
use refcompiler::simulator::Limits;
use treepar::Cpu;

/// The result of an example.
enum Expected {
    /// It prints these lines.
    Prints(&'static [&'static str]),
    /// It ends with status 134 and an error that ends with this text.
    Fails(&'static str),
    /// The compiler refuses it with this error.
    Refused(&'static str),
}
use Expected::{Fails, Prints, Refused};

/// Section, functions, the body of `main`, and the result.
type Example = (&'static str, &'static str, &'static str, Expected);

const LEGAL: &[Example] = &[
    ("T 2, factorial", "fn fact[n: int]: int { if n == 0 { return 1; } return n * fact[n - 1]; }", "print[fact[10]];", Prints(&["3628800"])),
    (
        "T 2, Fibonacci by recursion and by a loop",
        "fn slow[n: int]: int { if n < 2 { return n; } return slow[n - 1] + slow[n - 2]; }
         fn fast[n: int]: int { var p = (0, 1); for i < n { var (x, y) = p; p = (y, x + y); } var (x, y) = p; return x; }",
        "print[(slow[15], fast[15])];",
        Prints(&["(610, 610)"]),
    ),
    (
        "T 2, product of matrices in loops",
        "fn product[a: [[int]], b: [[int]]]: [[int]] {
            var c = replicate[size[a], replicate[size[b, 1], 0]];
            for i < size[a] { for j < size[b, 1] { for k < size[b] { c[i, j] = c[i, j] + a[i, k] * b[k, j]; } } }
            return c;
         }",
        "print[product[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]];",
        Prints(&["[[19, 22], [43, 50]]"]),
    ),
    ("T 2.3, operators as functions", "", "print[reduce[(+), 0, [1, 2, 3]]]; print[map[(*), [1, 2], [3, 4]]];", Prints(&["6", "[3, 8]"])),
    ("T 2.3, scan is inclusive", "", "print[scan[(+), 0, [1, 2, 3]]]; print[scan[(*), 1, [2.0 == 2.0, 2, 3]]];", Prints(&["[1, 3, 6]", "[1, 2, 6]"])),
    ("T 2.3, transpose and perm", "", "print[transpose[[[1, 2, 3], [4, 5, 6]]]]; print[size[perm[replicate[2, replicate[3, [1]]], 2, 0, 1], 2]];", Prints(&["[[1, 4], [2, 5], [3, 6]]", "3"])),
    ("T 2.3, split and concat", "", "var (a, b) = split[iota[5], 2]; print[(a, b)]; print[concat[b, a]];", Prints(&["([0, 1], [2, 3, 4])", "[2, 3, 4, 0, 1]"])),
    ("T 2.3, reshape", "", "print[reshape[iota[6], 2, 3]]; print[reshape[[[1, 2], [3, 4]], 4]];", Prints(&["[[0, 1, 2], [3, 4, 5]]", "[1, 2, 3, 4]"])),
    ("T 2.3, zip and unzip", "", "var z = zip[[1, 2], [1.5, 2.5]]; print[z]; var (a, b) = unzip[z]; print[b]; print[a];", Prints(&["[(1, 1.5), (2, 2.5)]", "[1.5, 2.5]", "[1, 2]"])),
    ("T 2.3, filter", "", "print[filter[fn[x: int]: int = x % 2, iota[8]]]; print[filter[fn[x: int]: int = x > 9, iota[8]]];", Prints(&["[1, 3, 5, 7]", "[]"])),
    ("T 2.3, redomap folds", "", "print[redomap[(+), fn[s: int, x: int]: int = s + x * x, 0, iota[5]]];", Prints(&["30"])),
    ("T 2.3, both sides of && are evaluated", "fn shown[x: int]: int { print[x]; return x; }", "print[shown[0] && shown[1]];", Prints(&["0", "1", "0"])),
    ("T 2.3, rows of fewer indices", "", "var m = [[1, 2], [3, 4]]; print[m[1]]; print[m[1, 0]];", Prints(&["[3, 4]", "3"])),
    (
        "T 3, Fibonacci numbers in place",
        "fn fibs[n: int]: [int] { var a = iota[n]; for i < n - 2 { a[i + 2] = a[i] + a[i + 1]; } return a; }",
        "print[fibs[10]];",
        Prints(&["[0, 1, 1, 2, 3, 5, 8, 13, 21, 34]"]),
    ),
    (
        "T 3, modify",
        "fn modify[a: *[int], i: int, x: [int]]: [int] { a[i] = a[i] + x[i]; return a; }",
        "print[modify[[1, 2, 3], 1, [10, 20, 30]]];",
        Prints(&["[1, 22, 3]"]),
    ),
    ("T 3, a literal is copied and updated", "", "var a = copy[[1, 2]]; a[0] = 5; print[a];", Prints(&["[5, 2]"])),
    ("T 3, a partial application is a lambda", "fn f[a: [int], x: int]: int { return a[x] * 10; }", "var a = [4, 5, 6]; print[map[fn[x: int]: int = f[a, x], [2, 0]]];", Prints(&["[60, 40]"])),
    (
        "T 3, replace composed with itself",
        "fn replace[a: *[int], i: int, v: int]: [int] { a[i] = v; return a; }",
        "print[replace[replace[iota[4], 0, 7], 3, 8]];",
        Prints(&["[7, 1, 2, 8]"]),
    ),
    ("T 11.2, a row is copied and replaced", "", "var m = [[1, 2], [3, 4]]; var r = copy[m[0]]; r[0] = 9; m[1] = r; print[m];", Prints(&["[[1, 2], [9, 2]]"])),
    ("T 4, arrays of tuples hold tuples", "", "print[zip[[1, 2], zip[[3, 4], [5, 6]]]];", Prints(&["[(1, (3, 5)), (2, (4, 6))]"])),
    ("T 4, zip as an argument and as a result", "fn pairs[a: [int], b: [int]]: [(int, int)] { return zip[a, b]; }
      fn firsts[z: [(int, int)]]: [int] { var (a, b) = unzip[z]; return a; }", "print[firsts[pairs[[1, 2], [3, 4]]]];", Prints(&["[1, 2]"])),
    ("T 4, arrays of tuples with arrays of tuples", "", "var z = ([1, 2], zip[[3, 4], [5, 6]]); print[[(7, z)]];", Prints(&["[(7, ([1, 2], [(3, 5), (4, 6)]))]"])),
    ("T 5, nested conditions", "", "var c = 1; print[if[c, if[c, 1, 2], 3]];", Prints(&["1"])),
    ("T 5, sizes of known arrays", "", "print[[size[iota[7]], size[replicate[3, [1, 2]], 1], iota[9][4], replicate[5, 6][2]]];", Prints(&["[7, 2, 4, 6]"])),
    ("T 6, common parts of indices", "", "var a = iota[9]; for i < 2 { print[a[i + 1] + a[(i + 1) * 2]]; }", Prints(&["3", "6"])),
    ("T 6, the division of a branch that is not taken", "", "var x = 0; print[if[x != 0, 10 / x, -5]];", Prints(&["-5"])),
    ("T 6, two iotas, one of them updated", "", "var a = iota[3]; var b = iota[3]; a[0] = 9; print[a]; print[b];", Prints(&["[9, 1, 2]", "[0, 1, 2]"])),
    ("T 6, a product that does not change in a loop", "", "var a = [2, 3]; var v = 5; var s = 0; for i < 4 { s = s + v * a[1]; } print[s];", Prints(&["60"])),
    ("T 7, map of map", "", "print[map[fn[x: int]: int = x * 2, map[fn[x: int]: int = x + 1, iota[3]]]];", Prints(&["[2, 4, 6]"])),
    ("T 7, reduce of map", "", "print[reduce[(+), 0, map[fn[x: int]: int = 2 * x, [1, 2, 3]]]];", Prints(&["12"])),
    ("T 7, scan of map", "", "print[scan[(+), 0, map[fn[x: int]: int = 2 * x, [1, 2, 3]]]];", Prints(&["[2, 6, 12]"])),
    ("T 7, filter of filter", "", "print[filter[fn[x: int]: int = x % 3 == 0, filter[fn[x: int]: int = x % 2 == 0, iota[20]]]];", Prints(&["[0, 6, 12, 18]"])),
    ("T 7, reduce of filter", "", "print[reduce[max, 0, filter[fn[x: int]: int = x % 7 == 3, iota[30]]]];", Prints(&["24"])),
    ("T 7, redomap of map", "", "print[redomap[(+), fn[s: int, x: int]: int = s + x, 0, map[fn[x: int]: int = x * x, iota[4]]]];", Prints(&["14"])),
    ("T 7, a map is not moved past an update", "", "var a = iota[3]; var b = map[fn[x: int]: int = x + 1, a]; a[0] = 50; print[map[(*), b, b]];", Prints(&["[1, 4, 9]"])),
    (
        "T 7, a diamond of maps",
        "",
        "var a = map[fn[x: int]: int = x + 1, iota[4]]; var b = map[fn[x: int]: int = x * 2, a]; var c = map[fn[x: int]: int = x * 3, a];
         print[reduce[(+), 0, map[(*), b, c]]];",
        Prints(&["180"]),
    ),
    ("T 7, two consumers, and the array itself", "", "var a = map[fn[x: int]: int = x * x, iota[4]]; print[sum[a] + product[a[1..]]]; print[a[2]];", Prints(&["50", "4"])),
    ("T 7, used in a lambda from outside", "", "var a = map[fn[x: int]: int = x + 1, iota[3]]; print[map[fn[i: int]: int = a[2 - i], iota[3]]];", Prints(&["[3, 2, 1]"])),
    ("T 8, transposed inputs", "", "var m = [[1, 2, 3], [4, 5, 6]]; print[map[fn[c: [int]]: int = sum[c], transpose[m]]];", Prints(&["[5, 7, 9]"])),
    (
        "T 8, a scan of rows",
        "",
        "var m = [[1, 2], [3, 4], [5, 6]]; print[scan[fn[a: [int], b: [int]]: [int] = map[(+), a, b], replicate[2, 0], m]];",
        Prints(&["[[1, 2], [4, 6], [9, 12]]"]),
    ),
    ("T 8, a reshaped map", "", "print[reshape[map[fn[x: int]: int = x * x, iota[4]], 2, 2]];", Prints(&["[[0, 1], [4, 9]]"])),
    ("T 9, sizes of maps", "", "var a = iota[5]; var b = map[fn[x: int]: [int] = iota[3], a]; print[[size[b], size[b, 1]]];", Prints(&["[5, 3]"])),
    ("T 9, one element of a map", "", "var b = map[fn[x: int]: int = x * x + 2, iota[6]]; print[if[b[0] < b[1], b[0], b[1]]];", Prints(&["2"])),
    ("T 10, a map with two consumers", "", "var a = map[fn[x: float]: float = x * x, [1.0, 2.0, 3.0]]; print[[reduce[(+), 0.0, a], reduce[max, 0.0, a]]];", Prints(&["[14, 9]"])),
    ("T 11, an inner slice", "", "var m = reshape[iota[12], 3, 4]; print[m[1.., 1..3]]; print[m[.., 2]]; print[m[2, ..]];", Prints(&["[[5, 6], [9, 10]]", "[2, 6, 10]", "[8, 9, 10, 11]"])),
    (
        "T 11.2.1, sizes of parameters, results and variables",
        "fn product[a: [[int; m]; n], b: [[int; p]; m]]: [[int; p]; n] {
            var c: [[int; p]; n];
            for i < n { for j < p { for k < m { c[i, j] = c[i, j] + a[i, k] * b[k, j]; } } }
            return c;
         }
         fn pairs[a: [float; n], b: [float; n]]: int { return n; }",
        "print[product[[[1, 2, 3]], [[4], [5], [6]]]]; print[pairs[[1.0, 2.0], [3.0, 4.0]]]; var z: [int; 3]; print[z]; print[iota[2] : [int; 2]];",
        Prints(&["[[32]]", "2", "[0, 0, 0]", "[0, 1]"]),
    ),
    (
        "LMS 3, fields of structs and of arrays of structs are variables",
        "struct Complex { re: float, im: float }",
        "var c = Complex[1.0, 2.0]; c.im = -c.im; var v = replicate[2, c]; v[1].re = 5.0; v.im = 0.5; print[v]; print[c];",
        Prints(&["[Complex[1, 0.5], Complex[5, 0.5]]", "Complex[1, -2]"]),
    ),
    ("R, no elements", "", "print[map[fn[x: int]: int = x, iota[0]]]; print[reduce[(+), 7, iota[0]]]; print[scan[(+), 7, iota[0]]];", Prints(&["[]", "7", "[]"])),
    ("VP 2.2, reduction from the right", "", "print[foldr[(-), 0, [10, 4, 3]]]; print[fold[(-), 0, [10, 4, 3]]];", Prints(&["9", "-17"])),
    ("VP 2.1, a transposed matrix in its own place", "", "var b = [[1, 2], [3, 4]]; b = transpose[b]; print[b];", Prints(&["[[1, 3], [2, 4]]"])),
    ("VP 2.2, parts that overlap", "", "var k = [1, 2, 3]; k[0..2] = k[1..3] * 10; print[k];", Prints(&["[20, 30, 3]"])),
    ("VP 2.2, an index for each element of a row", "", "print[replicate[2, iota[3]] * [1, 10, 100]];", Prints(&["[[0, 10, 200], [0, 10, 200]]"])),
    ("VP 2.2, where", "", "var r = [3, 9]; print[where[r < 7, 1, r]];", Prints(&["[1, 9]"])),
];

const FAILING: &[Example] = &[
    (
        "R, ragged rows of a map",
        "",
        "print[map[fn[x: int]: [int] = iota[x], [2, 3]]];",
        Fails(": the extents 2 and 3 differ"),
    ),
    (
        "R, zip of sizes that differ when it runs",
        "",
        "var n = 1; print[zip[[1, 2], iota[n]]];",
        Fails(": the extents 2 and 1 differ"),
    ),
    (
        "R, map of sizes that differ when it runs",
        "",
        "var n = 3; print[map[(+), iota[2], iota[n]]];",
        Fails(": the extents 2 and 3 differ"),
    ),
    (
        "R, operands of sizes that differ when it runs",
        "",
        "var n = 3; print[iota[2] + iota[n]];",
        Fails(": the extents 2 and 3 differ"),
    ),
    (
        "R, concat of rows that differ when it runs",
        "",
        "var n = 1; print[concat[[[1, 2]], [iota[n]]]];",
        Fails(": the extents 2 and 1 differ"),
    ),
    ("R, split beyond the end", "", "var (a, b) = split[iota[3], 4]; print[a];", Fails("")),
    (
        "R, reshape to another number of elements",
        "",
        "print[reshape[iota[6], 4, 2]];",
        Fails(": the extents 6 and 8 differ"),
    ),
    (
        "R, an index at the end",
        "",
        "var a = iota[3]; print[a[size[a]]];",
        Fails(": index 3 is out of range: the extent is 3"),
    ),
    (
        "R, a slice beyond the end",
        "",
        "var a = iota[3]; print[a[1..4]];",
        Fails(": the slice 1..4 is out of range: the extent is 3"),
    ),
    (
        "R, a slice that ends before it begins",
        "",
        "var a = iota[3]; print[a[2..1]];",
        Fails(": the slice 2..1 is out of range: the extent is 3"),
    ),
    (
        "R, a key that is too large",
        "",
        "print[group[(+), 0, 2, [0, 2], [1, 1]]];",
        Fails(": index 2 is out of range: the extent is 2"),
    ),
    (
        "T 11.2.1, two parameters of one size",
        "fn f[a: [int; n], b: [int; n]]: int { return n; }",
        "print[f[iota[2], iota[3]]];",
        Fails(": the extents 2 and 3 differ"),
    ),
    (
        "T 11.2.1, a result of another size",
        "fn f[n: int, k: int]: [int; n] { return iota[k]; }",
        "print[f[2, 3]];",
        Fails(": the extents 2 and 3 differ"),
    ),
    (
        "T 11.2.1, inner sizes of a product",
        "fn f[a: [[int; m]; n], b: [[int; p]; m]]: int { return m; }",
        "print[f[[[1, 2]], [[1]]]];",
        Fails(": the extents 2 and 1 differ"),
    ),
    (
        "VP 2.1, operands of two bounds",
        "",
        "var z = iota[3]; z = iota[4] * (iota[4] - z); print[z];",
        Fails(": the extents 4 and 3 differ"),
    ),
    (
        "VP 2.2, a slice of another size",
        "",
        "var a = iota[5]; a[0..2] = a[0..3]; print[a];",
        Fails(": the extents 2 and 3 differ"),
    ),
    (
        "VP 2.2, a gather beyond the end",
        "",
        "var b = iota[3]; print[map[fn[i: int]: int = b[i], [0, 3]]];",
        Fails(": index 3 is out of range: the extent is 3"),
    ),
    (
        "LMS 3, elements of structs with arrays of two sizes",
        "struct R { row: [int] }",
        "print[size[[R[[1, 2]], R[[3]]]]];",
        Fails(": the extents 2 and 1 differ"),
    ),
    ("R, assert", "", "assert[size[iota[2]] == 3];", Fails(": assertion failed")),
];

const REFUSED: &[Example] = &[
    ("R, zip of unequal sizes", "", "print[zip[[1, 2], [3]]];", Refused("the extents 2 and 1 differ")),
    (
        "T 4, an element of a zip of unequal sizes",
        "",
        "print[zip[iota[2], iota[3]][0]];",
        Refused("the extents 2 and 3 differ"),
    ),
    ("R, map of unequal sizes", "", "print[map[(+), iota[2], iota[3]]];", Refused("the extents 2 and 3 differ")),
    ("R, operands of unequal sizes", "", "print[iota[2] + iota[3]];", Refused("the extents 2 and 3 differ")),
    ("R, concat of unequal rows", "", "print[concat[[[1, 2]], [[1]]]];", Refused("the extents 2 and 1 differ")),
    ("R, a ragged literal", "", "print[[[1, 2], [3]]];", Refused("the rows of an array have 2 elements and 1 element")),
    (
        "T 2.3.2, a ragged array of tuples",
        "",
        "print[[(1, [2]), (3, 4)]];",
        Refused("different types: `(int, [int])` and `(int, int)`"),
    ),
    ("R, elements of two types", "", "print[[1, 2.0]];", Refused("different types: `int` and `float`")),
    (
        "R, operands of two types",
        "",
        "print[[1, 2] + [1.0, 2.0]];",
        Refused("the operands of `+` have different types: `[int]` and `[float]`"),
    ),
    (
        "R, a function of the wrong number of parameters",
        "",
        "print[map[fn[x: int, y: int]: int = x, [1]]];",
        Refused("the function of `map` must have 1 parameter, found 2"),
    ),
    (
        "R, a function of the wrong type",
        "",
        "print[reduce[fn[x: float, y: int]: float = x, 0, [1]]];",
        Refused("parameter 1 of this function must have type `int`, not `float`"),
    ),
    (
        "R, too many indices",
        "",
        "var a = [1]; print[a[0, 0]];",
        Refused("an array of type `[int]` has 1 dimension, found 2 indices"),
    ),
    ("R, an unknown name", "", "print[map[f, [1]]];", Refused("cannot find function `f` in this scope")),
    (
        "R, two parameters of one name",
        "",
        "print[map[fn[x: int, x: int]: int = x, [1], [2]]];",
        Refused("the parameter `x` is declared twice in this scope"),
    ),
    (
        "R, a lambda that assigns",
        "",
        "var s = 0; print[map[fn[x: int]: int = s = x, [1]]];",
        Refused("a lambda that assigns to `s`"),
    ),
    ("R, bits of floats", "", "print[[1.0] & [2.0]];", Refused("`&` is not defined for `[float]`")),
    (
        "T 2.3, transpose of a vector",
        "",
        "print[transpose[[1, 2]]];",
        Refused("an array of type `[int]` cannot be transposed"),
    ),
    (
        "T 2.3, dimensions are literals",
        "",
        "var k = 1; print[perm[[[1]], k, 0]];",
        Refused("the dimension in `perm[a, 1, 0]` must be an integer literal"),
    ),
    (
        "T 2.3, split of a number",
        "",
        "print[split[1, 1]];",
        Refused("the argument of `split` must be an array, not `int`"),
    ),
    ("T 2.3, concat of two ranks", "", "print[concat[[1], [[1]]]];", Refused("must have type `[int]`, not `[[int]]`")),
    (
        "T 2.3, a predicate of floats",
        "",
        "print[filter[fn[x: int]: float = 1.0, [1]]];",
        Refused("the function of `filter` must have a result of type `int`, not `float`"),
    ),
    (
        "T 7, an operator of two types in scan",
        "",
        "print[scan[fn[s: int, x: int]: float = 1.0, 0, [1]]];",
        Refused("the function of `scan` must have a result of type `int`, not `float`"),
    ),
    (
        "T 11.2.1, a size that is never bound",
        "fn f[n: int]: [int; m] { return iota[n]; }",
        "print[f[1]];",
        Refused("the size `m` is never bound"),
    ),
    (
        "T 11.2.1, a size that is assigned",
        "fn f[a: [int; n]]: int { n = 3; return n; }",
        "print[f[[1]]];",
        Refused("the size `n` cannot be assigned"),
    ),
    (
        "T 11.2.1, a size that is no int",
        "fn f[n: float, a: [int; n]]: int { return 1; }",
        "print[f[1.0, [1]]];",
        Refused("the size `n` must have type `int`"),
    ),
    (
        "VP 2.1, a target of a smaller rank",
        "",
        "var z = [1, 2]; z = [[1, 2]]; print[z];",
        Refused("must have type `[int]`, not `[[int]]`"),
    ),
    (
        "VP 2.1, a scalar as a target",
        "",
        "var z = 1; z = [1, 2] * 2; print[z];",
        Refused("must have type `int`, not `[int]`"),
    ),
    (
        "VP 2.1, an update of a constant",
        "fn f[b: [[int]]]: void { b = transpose[b]; }",
        "f[[[1]]];",
        Refused("the array parameter `b` is read-only"),
    ),
    (
        "VP 2.1, an index that is no int",
        "",
        "var a = [1, 2]; print[a[0.5]];",
        Refused("an index must have type `int`, not `float`"),
    ),
    (
        "VP 2.2, saturation of floats",
        "",
        "print[addsat[[1.0], [2.0]]];",
        Refused("`addsat` is not defined for `[float]`"),
    ),
    (
        "VP 2.2, a condition of floats",
        "",
        "print[where[[1.0], 1, 2]];",
        Refused("the condition of `where` must have type `[int]`, not `[float]`"),
    ),
    ("VP 2.2, a permutation with a dimension twice", "", "print[perm[[[1]], 0, 0]];", Refused("dimension")),
    (
        "LMS 3, a field that a struct does not have",
        "struct C { re: float, im: float }",
        "var c = C[1.0, 2.0]; print[c.abs];",
        Refused("has no field `abs`"),
    ),
    (
        "LMS 3, structs of two types",
        "struct C { re: float } struct D { re: float }",
        "print[if[1, C[1.0], D[1.0]].re];",
        Refused("have different types: `C` and `D`"),
    ),
    (
        "LMS 3, a value without a field",
        "struct C { re: float, im: float }",
        "print[C[1.0]];",
        Refused("the struct `C` has 2 fields, found 1 value"),
    ),
    (
        "LMS 3, arithmetic on structs",
        "struct C { re: float, im: float }",
        "print[C[1.0, 2.0] + C[1.0, 2.0]];",
        Refused("`+` is not defined for structs"),
    ),
    (
        "LMS 3, functions are no values",
        "",
        "var f = fn[x: int]: int = x; print[f];",
        Refused("a function is not a value"),
    ),
    (
        "LMS [P4], a list as a list of itself",
        "struct L { head: int, tail: [L] }",
        "print[1];",
        Refused("the struct `L` contains itself"),
    ),
];

/// The rewrites of LMS keep these values.
const LMS: &[Example] = &[
    (
        "LMS L1, constants and neutral factors",
        "fn same[x: int, k: int, l: int]: int { return (x * 1 == x) + (1 * x == x) + (k * (l * x) == (k * l) * x); }",
        "print[2 * 3]; print[same[7, 2147483647, -3]]; var x = 1.5; print[x * 1.0 == x && 1.0 * x == x];",
        Prints(&["6", "3", "1"]),
    ),
    (
        "LMS L2, a condition within itself",
        "fn f[c: int, a: int, b: int]: int { var r = 0; if c { if c { r = a; } else { r = b; } } return r; }",
        "print[f[1, 2, 3]]; print[f[0, 2, 3]];",
        Prints(&["2", "0"]),
    ),
    (
        "LMS L3, motion out of loops and branches",
        "fn foo[x: int]: int { return x * x; }
         fn in_loop[x: int, n: int]: int { var s = 0; for i < n { if i > 0 { if x { s = s + foo[x]; } } } return s; }
         fn swapped[x: int, n: int]: int { var s = 0; for i < n { if x { if i > 0 { s = s + foo[x]; } } } return s; }
         fn around[x: int, n: int]: int { var s = 0; if x { for _i < n { s = s + foo[x]; } } return s; }
         fn twice[x: int, y: int]: int { var s = 0; var z = foo[x + y]; if x { s = s + z; } if y { s = s + z; } return s; }",
        "print[(in_loop[3, 4], swapped[3, 4], around[3, 4])]; print[(in_loop[0, 4], swapped[3, 0], around[0, 4])];
         print[(twice[1, 2], twice[0, 2], twice[0, 0])];",
        Prints(&["(27, 27, 36)", "(0, 0, 0)", "(18, 4, 0)"]),
    ),
    ("LMS L4, a read of a variable", "", "var x = 7; x = 5; print[x];", Prints(&["5"])),
    (
        "LMS L5, variables of an effectful branch",
        "fn f[t: int]: int { var a = 1; var b = 0; var c = 2; if t { a = 9; b = 1; } else { c = 3; } return a + c + 0 * b; }",
        "print[f[1]]; print[f[0]];",
        Prints(&["11", "4"]),
    ),
    (
        "LMS L6, speculation",
        "fn spec[n: int]: void {
            var x = 7;
            var c = 0;
            while c < n { if x < 10 { print_char[33]; } else { x = c; } print[x]; print[c]; c = c + 1; }
         }",
        "spec[10];",
        Prints(&[
            "!7", "0", "!7", "1", "!7", "2", "!7", "3", "!7", "4", "!7", "5", "!7", "6", "!7", "7", "!7", "8", "!7", "9",
        ]),
    ),
    (
        "LMS L7, a sum with zeros",
        "",
        "var v = [1.5, 2.0, -3.0]; print[v + (v + replicate[size[v], 0.0])];",
        Prints(&["[3, 4, -6]"]),
    ),
    (
        "LMS L8, a field of a struct of either branch",
        "struct Complex { re: float, im: float }
         fn chosen[t: int, c1: Complex, c2: Complex]: float { var c3 = if[t, c1, c2]; return c3.re; }",
        "print[chosen[1, Complex[1.0, 2.0], Complex[3.0, 4.0]]]; print[chosen[0, Complex[1.0, 2.0], Complex[3.0, 4.0]]];",
        Prints(&["1", "3"]),
    ),
    (
        "LMS L9, the conjugates of an array",
        "struct Complex { re: float, im: float }
         fn conj[t: int, v: [Complex]]: [Complex] {
            return if[t, map[fn[c: Complex]: Complex = Complex[c.re, -c.im], v], v];
         }",
        "var v = [Complex[1.0, 2.0], Complex[3.0, -4.0]]; print[conj[1, v].im]; print[conj[0, v].im]; print[conj[1, v].re];",
        Prints(&["[-2, 4]", "[2, -4]", "[1, 3]"]),
    ),
    (
        "LMS L10, one loop without a temporary",
        "fn mean[x: [float]]: float { return sum[x] / float(size[x]); }
         fn variance[x: [float]]: float { return sum[(x - mean[x]) * (x - mean[x])] / float(size[x]); }",
        "var x = [1.0, 2.0, 3.0, 6.0]; print[2.0 * x + [1.0, 1.0, 1.0, 0.0]]; print[mean[x]]; print[variance[x]];",
        Prints(&["[3, 5, 7, 12]", "3", "3.5"]),
    ),
    (
        "LMS L11, norms",
        "fn norm[v: [float]]: float { return sqrt[sum[v * v]]; }",
        "var u = [3.0, 4.0]; print[norm[2.0 * u] == 2.0 * norm[u]]; print[norm[replicate[3, 0.0]]];
         print[norm[u * (1.0 / norm[u])]];",
        Prints(&["1", "0", "1"]),
    ),
    (
        "LMS L12, filter, map and group with sums",
        "struct Item { flag: int, qty: float, day: int }
         fn early[i: Item]: int { return i.day < 10; }",
        "var t = [Item[0, 1.5, 3], Item[1, 2.5, 12], Item[2, 4.0, 4], Item[0, 2.0, 9]]; var u = filter[early, t];
         print[group[(+), 0.0, 3, u.flag, u.qty]]; print[sum[map[fn[i: Item]: float = 2.0 * i.qty, u]]];",
        Prints(&["[3.5, 0, 4]", "15"]),
    ),
    (
        "LMS L13, find and count over a row",
        "fn first[row: [int], x: int]: int {
            return foldr[fn[i: int, found: int]: int = if[row[i] == x, i, found], -1, iota[size[row]]];
         }",
        "var m = [[1, 2, 2], [3, 3, 3]]; for i < size[m] { print[(first[m[i], 2], count[m[i] == 2])]; }",
        Prints(&["(1, 2)", "(-1, 0)"]),
    ),
    (
        "VP 2.1, lengths that four does and does not divide",
        "fn added[n: int]: [int] { return iota[n] + iota[n] * 10; }",
        "print[added[8]]; print[added[6]]; print[sum[added[1024]]];",
        Prints(&["[0, 11, 22, 33, 44, 55, 66, 77]", "[0, 11, 22, 33, 44, 55]", "5761536"]),
    ),
    (
        "VP 2.1, an array that grows in the loop is not out of range early",
        "",
        "var a = [1]; for i < 4 { a = concat[a, [a[i] * 2]]; } print[a]; var b = [5, 6, 7]; var c = [2, 0]; print[map[fn[i: int]: int = b[i], c]];",
        Prints(&["[1, 2, 4, 8, 16]", "[7, 5]"]),
    ),
    (
        "VP 2.2, sums and differences that saturate",
        "",
        "var a = [250, 100, 3] : [byte]; print[addsat[a, 10]]; print[subsat[a, 10]]; print[a + 10];",
        Prints(&["[255, 110, 13]", "[240, 90, 0]", "[4, 110, 13]"]),
    ),
    (
        "VP 2.2, an outer product, parts of a matrix, and products with a vector",
        "",
        "var v = [1, 2]; var w = [3, 4, 5]; print[map[fn[x: int]: [int] = x * w, v]];
         var a = replicate[3, [1, 2, 3, 4]]; a[0..2, 2..4] = [[0, 0], [0, 0]]; print[a];
         print[map[fn[row: [int]]: int = sum[row * [1, 10, 100, 1000]], a]];",
        Prints(&[
            "[[3, 4, 5], [6, 8, 10]]",
            "[[1, 2, 0, 0], [1, 2, 0, 0], [1, 2, 3, 4]]",
            "[21, 21, 4321]",
        ]),
    ),
];

/// The text of an example. `main` begins in a line of its own.
fn text((_, functions, body, _): &Example) -> String {
    format!("{functions}\nfn main[]: int {{\n    {body}\n    return 0;\n}}\n")
}

/// Runs an example on guarded memory.
fn run(text: &str) -> Result<(u8, String, String), String> {
    let mut sources = Sources::new();
    sources.add("test.par", text.as_bytes().to_vec()).expect("a source");
    let tree = parse_program(&sources).map_err(|errors| refcompiler::diagnostics::render(&sources, &errors, false))?;
    let compiled = compile(&Cpu::with_threads(2), &tree, Output::Executable, &mut Checker::default());
    let mut image = compiled.map_err(|error| error.to_string())?.image;
    image.locate_checks(&sources);
    let elf = write_executable(&image).expect("an executable");
    let ran = simulated(&elf, b"", Limits { guard_arena: true, ..Limits::default() });
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Ok((ran.status.map_err(|fault| fault.to_string())?, text(ran.output), text(ran.errors)))
}

/// Returns a description of the fault of an example.
fn compared(example: &Example) -> Result<(), String> {
    let text = text(example);
    let tree = match (toolchain::tree(&text), &example.3) {
        (Ok(tree), Prints(_) | Fails(_)) => tree,
        (Err(errors), Refused(error)) if errors.contains(error) => return Ok(()),
        (Ok(_), Refused(_)) => return Err("it is accepted".to_string()),
        (Err(errors), _) => return Err(errors),
    };
    let meaning = interpret(&tree, b"", 100_000, 1_000);
    let found = run(&text)?;
    let is_right = match &example.3 {
        Prints(lines) => {
            let output: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let expected = Ok(Outcome { output: output.clone().into_bytes(), status: 0 });
            meaning == expected && found == (0, output, String::new())
        }
        Fails(line) => {
            let is_right = |(status, output, errors): &(u8, String, String)| {
                let is_one_line = errors.lines().count() == 1 && errors.ends_with(&format!("{line}\n"));
                *status == 134 && output.is_empty() && is_one_line
            };
            meaning == Ok(Outcome { output: Vec::new(), status: 134 }) && is_right(&found)
        }
        Refused(_) => false,
    };
    if is_right { Ok(()) } else { Err(format!("the interpreter: {meaning:?}, the simulator: {found:?}")) }
}

/// Compares all examples, so that one failure does not hide others.
fn compare(examples: &[Example]) {
    let wrong = |example: &Example| compared(example).err().map(|what| format!("{}: {what}", example.0));
    let wrong: Vec<String> = examples.iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{} of {} examples:\n{}", wrong.len(), examples.len(), wrong.join("\n"));
}

#[test]
fn legal_examples_print_what_the_papers_say() {
    compare(LEGAL);
}

#[test]
fn examples_of_lms_have_the_values_before_their_rewrites() {
    compare(LMS);
}

#[test]
fn examples_that_break_a_rule_of_extents_end_with_an_error() {
    compare(FAILING);
}

#[test]
fn examples_that_break_a_rule_of_types_are_refused() {
    compare(REFUSED);
}
