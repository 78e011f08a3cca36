//! Functions with arrays in Par and C that call one another, for every target.

use refcompiler_programs::Rng;

/// Functions with arrays that call functions of C.
const LIBRARY: &str = "extern fn scale[a: *[float], k: float]: *[float];
extern fn evens[a: [int]]: [int];
fn bump[a: *[int], by: int]: void { for i < size[a] { a[i] = a[i] + by; } }
fn outer[a: [int], b: [int]]: [[int]] {
    var m = replicate[size[a], replicate[size[b], 0]];
    for i < size[a] { for j < size[b] { m[i, j] = a[i] * b[j]; } }
    return m;
}
fn run[]: int { print[evens[[1, 2, 3, 4]]]; print[scale[[1.0, 2.0], 2.5]]; return 1; }
";

/// The functions of C, with names for numbers.
const C: &str = "
void scale(float *a, int32_t n, float k, float *result, int32_t room, int32_t extents[1]) {
    for (int i = 0; i < n; i++) { a[i] *= k; result[i] = a[i]; }
    extents[0] = n;
}
void evens(const int32_t *a, int32_t n, int32_t *result, int32_t room, int32_t extents[1]) {
    int32_t k = 0, b[2] = {1, 2};
    bump(b, 2, 10);
    if (b[0] != 11 || b[1] != 12) return;
    for (int i = 0; i < n && k < room; i++) if (a[i] % 2 == 0) result[k++] = a[i];
    extents[0] = EXTENT;
}
int start(void) {
    if (RUN) run();
    int32_t a[2] = {2, 3}, b[3] = {1, 10, 100}, m[7] = {0}, extents[2];
    m[ROOM] = 77;
    outer(a, ROWS, b, 3, m, ROOM, extents);
    return extents[0] == 2 && extents[1] == 3 && m[0] == 2 && m[5] == 300 && m[6] == 77 ? 42 : 1;
}
";

/// Returns a Par program and the parts of C that it needs, whose first function is `start`. C has room for some elements of a result,
/// passes some rows, and writes an extent of a result.
pub fn library(room: &str, rows: &str, extent: &str) -> (String, String) {
    let with = [("ROOM", room), ("ROWS", rows), ("EXTENT", extent), ("RUN", if extent == "0" { "0" } else { "1" })];
    (LIBRARY.to_string(), with.iter().fold(C.to_string(), |c, (name, value)| c.replace(name, value)))
}

/// The status, the output and the errors of a program.
type Expected = (i32, &'static str, &'static str);

/// The results of the library for some arguments.
pub const LIBRARY_RESULTS: [([&str; 3], Expected); 6] = [
    (["6", "2", "k"], (42, "[2, 4]\n[2.5, 5]\n", "")),
    (["5", "2", "0"], (134, "", "a.par:4:4: the extents 6 and 5 differ\n")),
    (["6", "-1", "0"], (134, "", "a.par:4:4: the size -1 is negative\n")),
    (["6", "2", "-3"], (134, "", "a.par:2:11: the size -3 is negative\n")),
    (["6", "2", "room + 1"], (134, "", "memory is exhausted\n")),
    (["6", "2", "2147483647"], (134, "", "memory is exhausted\n")),
];

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `int`.
    Int,
    /// `float`.
    Float,
    /// `[int]`.
    Ints,
    /// `*[int]`.
    Unique,
    /// `[[float]]`.
    Matrix,
}

use Kind::{Float, Int, Ints, Matrix, Unique};

/// Returns signatures that use registers and the stack for numbers, addresses and extents.
pub fn signatures() -> Vec<Vec<Kind>> {
    let mut signatures = vec![
        vec![Ints],
        vec![Unique],
        vec![Matrix],
        vec![Int; 9],
        vec![Float, Ints, Float],
        vec![Ints; 5],
        vec![Unique; 5],
        vec![Matrix; 4],
        [vec![Float; 10], vec![Matrix, Unique, Int]].concat(),
        [vec![Int; 5], vec![Unique, Float, Ints]].concat(),
    ];
    let mut rng = Rng::new(11);
    for _ in 0..24 {
        let count = 1 + rng.below(12);
        let kinds = [Int, Float, Ints, Unique, Matrix];
        signatures.push((0..count).map(|_| kinds[rng.below(5)]).collect());
    }
    signatures
}

/// Returns functions of a signature in Par and C that call one another, whose names end in `id`. `int run_<id>(int m)` of C returns 42 if
/// all arguments arrive. C has the arrays that it passes in memory of kind `m`, which its function `memory` provides.
pub fn round_trip(id: usize, kinds: &[Kind]) -> (String, String) {
    let list = |separator: &str, item: &dyn Fn(usize, Kind) -> String| {
        kinds
            .iter()
            .enumerate()
            .map(|(k, &kind)| item(k, kind))
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join(separator)
    };
    let par_parameters = list(", ", &|k, kind| {
        let ty = match kind {
            Int => "int",
            Float => "float",
            Ints => "[int]",
            Unique => "*[int]",
            Matrix => "[[float]]",
        };
        format!("p{k}: {ty}")
    });
    let par_value = |k: usize, kind: Kind| match kind {
        Int => format!("p{k}"),
        Float => format!("int(p{k})"),
        Ints | Unique => format!("p{k}[0] + 2 * p{k}[1] + 3 * p{k}[2] + size[p{k}]"),
        Matrix => format!("int(p{k}[0, 1] + 2.0 * p{k}[1, 2]) + 10 * size[p{k}] + size[p{k}, 1]"),
    };
    let changes = list(" ", &|k, kind| match kind {
        Unique => format!("for i < size[p{k}] {{ p{k}[i] = p{k}[i] + 100; }}"),
        _ => String::new(),
    });
    let par_sum = list(" + ", &|k, kind| format!("({}) * {}", par_value(k, kind), k + 1));
    let par_list = list(", ", &par_value);
    let par_values = list(", ", &|k, kind| match kind {
        Int => format!("{} - 90", 7 * k),
        Float => format!("{k}.0"),
        Ints | Unique => format!("[{k}, {}, 3]", k + 1),
        Matrix => format!("[[0.0, {k}.0, 0.0], [0.0, 0.0, {k}.5]]"),
    });
    let par = format!(
        "extern fn c_sum_{id}[{par_parameters}]: int;
         extern fn c_half_{id}[{par_parameters}]: float;
         extern fn c_list_{id}[{par_parameters}]: [int];
         extern fn c_back_{id}[{par_parameters}]: int;
         extern fn c_void_{id}[{par_parameters}]: void;
         fn par_sum_{id}[{par_parameters}]: int {{ var sum = {par_sum}; {changes} return sum; }}
         fn par_half_{id}[{par_parameters}]: float {{ var sum = {par_sum}; {changes} return float(sum) * 0.5; }}
         fn par_void_{id}[{par_parameters}]: void {{ {changes} }}
         fn par_list_{id}[{par_parameters}]: [int] {{ var list = [{par_list}]; {changes} return list; }}
         fn par_calls_c_{id}[]: int {{
           c_void_{id}[{par_values}];
           var list = c_list_{id}[{par_values}];
           var sum = 0;
           for i < size[list] {{ sum = sum + list[i] * (i + 1); }}
           var half = int(2.0 * c_half_{id}[{par_values}]);
           return c_sum_{id}[{par_values}] + sum + half - 3 * c_back_{id}[{par_values}];
         }}\n"
    );
    let c_parameters = list(", ", &|k, kind| match kind {
        Int => format!("int p{k}"),
        Float => format!("float p{k}"),
        Ints => format!("const int *p{k}, int p{k}_0"),
        Unique => format!("int *p{k}, int p{k}_0"),
        Matrix => format!("const float *p{k}, int p{k}_0, int p{k}_1"),
    });
    let names = list(", ", &|k, kind| match kind {
        Int | Float => format!("p{k}"),
        Ints | Unique => format!("p{k}, p{k}_0"),
        Matrix => format!("p{k}, p{k}_0, p{k}_1"),
    });
    let c_value = |k: usize, kind: Kind| match kind {
        Int => format!("p{k}"),
        Float => format!("(int)p{k}"),
        Ints | Unique => format!("p{k}[0] + 2 * p{k}[1] + 3 * p{k}[2] + p{k}_0"),
        Matrix => format!("(int)(p{k}[1] + 2.0f * p{k}[p{k}_1 + 2]) + 10 * p{k}_0 + p{k}_1"),
    };
    let c_sum = list(" + ", &|k, kind| format!("({}) * {}", c_value(k, kind), k + 1));
    let c_list = list(" ", &|k, kind| format!("result[{k}] = {};", c_value(k, kind)));
    let c_changes = list(" ", &|k, kind| match kind {
        Unique => format!("for (int i = 0; i < p{k}_0; i++) p{k}[i] += 100;"),
        _ => String::new(),
    });
    let declared = list(" ", &|k, kind| match kind {
        Int => format!("int p{k} = {} - 90;", 7 * k),
        Float => format!("float p{k} = {k}.0f;"),
        Ints | Unique => {
            format!(
                "int *p{k} = memory(m, 16), p{k}_0 = 3; p{k}[0] = {k}; p{k}[1] = {}; p{k}[2] = 3; p{k}[3] = 77;",
                k + 1
            )
        }
        Matrix => format!(
            "float *p{k} = memory(m, 24); int p{k}_0 = 2, p{k}_1 = 3;
             for (int i = 0; i < 6; i++) p{k}[i] = 0; p{k}[1] = {k}.0f; p{k}[5] = {k}.5f;"
        ),
    });
    let unchanged = list(" ", &|k, kind| match kind {
        Int | Float => String::new(),
        Ints => format!("if (p{k}[0] != {k} || p{k}[2] != 3 || p{k}[3] != 77) return 5;"),
        Unique => format!("if (p{k}[0] != {k} + 400 || p{k}[2] != 403 || p{k}[3] != 77) return 6;"),
        Matrix => format!("if (p{k}[1] != {k}.0f || p{k}[5] != {k}.5f) return 7;"),
    });
    // The sum grows with each change of a unique array.
    let step: usize = kinds.iter().enumerate().map(|(k, &kind)| if kind == Unique { 600 * (k + 1) } else { 0 }).sum();
    let room = kinds.len();
    let c = format!(
        "int par_sum_{id}({c_parameters}); float par_half_{id}({c_parameters}); void par_void_{id}({c_parameters});
         int par_calls_c_{id}(void); void par_list_{id}({c_parameters}, int *result, int room, int *extents);
         static int sum_{id}({c_parameters}) {{ return {c_sum}; }}
         int c_sum_{id}({c_parameters}) {{ int sum = {c_sum}; {c_changes} return sum; }}
         float c_half_{id}({c_parameters}) {{ int sum = {c_sum}; {c_changes} return (float)sum * 0.5f; }}
         void c_void_{id}({c_parameters}) {{ par_void_{id}({names}); }}
         void c_list_{id}({c_parameters}, int *result, int room, int *extents) {{
           {c_list} {c_changes} extents[0] = {room};
         }}
         int c_back_{id}({c_parameters}) {{ return par_sum_{id}({names}); }}
         int run_{id}(int m) {{
           {declared}
           int expected = sum_{id}({names}), step = {step};
           int *result = memory(m, 4 * {room} + 4), *extents = memory(m, 4), total = 0;
           result[{room}] = 77;
           if (par_sum_{id}({names}) != expected) return 1;
           if (par_half_{id}({names}) != (float)(expected + step) * 0.5f) return 2;
           par_void_{id}({names});
           par_list_{id}({names}, result, {room}, extents);
           for (int i = 0; i < {room}; i++) total += result[i] * (i + 1);
           if (extents[0] != {room} || result[{room}] != 77 || total != expected + 3 * step) return 3;
           {unchanged}
           return par_calls_c_{id}() == 0 ? 42 : 4;
         }}\n"
    );
    (par, c)
}
