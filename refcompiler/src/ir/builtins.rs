//! The functions of the runtime. Programs can call those that are [`named`] by their names, unless they declare functions of
//! these names. The functions of the runtime can call all.
//!
//! A call of an operation is not a call in the tree: it has a kind of its own, and its argument is an ASCRIBE.

use treepar::device::device;

use crate::ir::kinds::{Kind, Type};
use crate::ir::tree::runtime::{self, *};
use crate::ir::tree::ty::{FLOAT, INT, VOID};

/// In signatures: the type of the argument, `int` or `float`. No type has this code.
pub const ANY: u8 = 7;

/// A function of the runtime.
pub struct Builtin {
    /// The id in the function table.
    pub id: u32,
    /// The name.
    pub name: &'static str,
    /// The types of its parameters.
    pub parameters: &'static [u8],
    /// The type of its result.
    pub result: u8,
    /// The source; `None` if the function is machine code or an operation.
    pub text: Option<&'static str>,
    /// The kind of its nodes, if the function is an operation.
    pub operation: Option<Kind>,
}

/// Declares the functions by id. A function in Par is a file, or a head and the files of its body.
macro_rules! builtins {
    ($($id:ident = $name:literal($($parameter:ident),*) -> $result:ident $([$file:literal])? $({
        $head:literal $($part:literal)*
    })? $(as $kind:ident)?;)*) => {
        /// The functions of the runtime by id.
        pub const BUILTINS: [Builtin; runtime::COUNT as usize] = [$(Builtin {
            id: $id,
            name: $name,
            parameters: &[$($parameter),*],
            result: $result,
            text: text!($($file)? $($head: $($part)*)?),
            operation: operation!($($kind)?),
        }),*];
    };
}

/// Returns the text of a function of the runtime, `None` if there is no file.
macro_rules! text {
    () => { None };
    ($file:literal) => { Some(file!($file)) };
    ($head:literal: $($part:literal)*) => { Some(concat!($head, " {\n", $(file!($part),)* "}\n")) };
}

/// Returns the kind of an operation, `None` of no operation.
macro_rules! operation {
    () => {
        None
    };
    ($kind:ident) => {
        Some(Kind::$kind)
    };
}

/// Returns the text of a file of the runtime.
macro_rules! file {
    ($file:literal) => {
        include_str!(concat!("../runtime/", $file))
    };
}

builtins! {
    PRINT_INT = "print_int"(INT) -> VOID ["print_int.par"];
    PRINT_FLOAT = "print_float"(FLOAT) -> VOID ["print_float.par"];
    PRINT_CHAR = "print_char"(INT) -> VOID;
    READ_CHAR = "read_char"() -> INT;
    SQRT = "sqrt"(FLOAT) -> FLOAT as Sqrt;
    ABS = "abs"(ANY) -> ANY as Abs;
    FLOOR = "floor"(FLOAT) -> FLOAT ["floor.par"];
    EXP = "exp"(FLOAT) -> FLOAT {
        "fn exp[x: float]: float" "fixed.par" "multiply_add.par" "rounded.par" "power_of_two.par" "exp.par"
    };
    LOG = "log"(FLOAT) -> FLOAT {
        "fn log[x: float]: float"
        "nearest.par" "fixed.par" "multiply_add.par" "shift_right.par" "rounded.par" "logarithm.par" "log.par"
    };
    POW = "pow"(FLOAT, FLOAT) -> FLOAT {
        "fn pow[x: float, y: float]: float"
        "fixed.par" "multiply_add.par" "shift_right.par" "rounded.par" "logarithm.par" "power_of_two.par" "pow.par"
    };
    SIN = "sin"(FLOAT) -> FLOAT ["sin.par"];
    COS = "cos"(FLOAT) -> FLOAT ["cos.par"];
    READ_INT = "read_int"() -> INT ["read_int.par"];
    READ_FLOAT = "read_float"() -> FLOAT { "fn read_float[]: float" "rounded.par" "read_float.par" };
    ASSERT = "assert"(INT) -> VOID;
    REMAINDER = "remainder"(FLOAT, FLOAT) -> FLOAT ["remainder.par"];
    CIRCLE = "circle"(FLOAT, INT) -> FLOAT {
        "fn circle[x: float, quadrant: int]: float" "nearest.par" "fixed.par" "shift_right.par" "rounded.par" "circle.par"
    };
    INPUT_ERROR = "input_error"(INT, INT) -> VOID ["input_error.par"];
    PRINT_ERROR = "print_error"(INT) -> VOID;
    EXIT = "exit"(INT) -> VOID;
    BITS = "bits"(FLOAT) -> INT;
    FLOAT_OF_BITS = "float_of_bits"(INT) -> FLOAT;
    HIGH_PRODUCT = "high_product"(INT, INT) -> INT;
    SIZE = "size"() -> INT;
    REPLICATE = "replicate"() -> INT;
    IOTA = "iota"() -> INT;
    COPY = "copy"() -> INT;
    CONCAT = "concat"() -> INT;
    LOAD_WORD = "load_word"(INT) -> INT as Load;
    STORE_WORD = "store_word"(INT, INT) -> VOID as Store;
    ARENA = "arena"() -> INT;
    OUT_OF_MEMORY = "out_of_memory"() -> VOID;
    EXTENT_PRODUCT = "extent_product"(INT, INT) -> INT ["arrays/extent_product.par"];
    COUNT_OF = "count_of"(INT, INT, INT) -> INT ["arrays/count_of.par"];
    COPY_WORDS = "copy_words"(INT, INT, INT) -> VOID;
    ALLOCATE = "allocate"(INT, INT) -> INT;
    EMPTY = "empty"(INT) -> INT ["arrays/empty.par"];
    ROW_VIEW = "row_view"(INT, INT, INT, INT) -> INT ["arrays/row_view.par"];
    SET_ROW = "set_row"(INT, INT, INT, INT, INT) -> VOID ["arrays/set_row.par"];
    ROWS_LIKE = "rows_like"(INT, INT, INT) -> INT ["arrays/rows_like.par"];
    FILL = "fill"(INT, INT) -> INT ["arrays/fill.par"];
    FILL_FLOAT = "fill_float"(INT, FLOAT) -> INT ["arrays/fill_float.par"];
    FILL_ROWS = "fill_rows"(INT, INT, INT) -> INT ["arrays/fill_rows.par"];
    COUNT_UP = "count_up"(INT) -> INT ["arrays/count_up.par"];
    COPY_ARRAY = "copy_array"(INT, INT) -> INT ["arrays/copy_array.par"];
    JOIN = "join"(INT, INT, INT) -> INT ["arrays/join.par"];
    OWN = "own"(INT, INT, INT, INT) -> INT ["arrays/own.par"];
    LEAVE = "leave"(INT) -> VOID ["arrays/leave.par"];
    LEAVE_INT = "leave_int"(INT, INT) -> INT ["arrays/leave_int.par"];
    LEAVE_FLOAT = "leave_float"(INT, FLOAT) -> FLOAT ["arrays/leave_float.par"];
    LEAVE_ARRAY = "leave_array"(INT, INT, INT) -> INT ["arrays/leave_array.par"];
    COMPACT = "compact"(INT) -> VOID ["arrays/compact.par"];
    CHECK_FAILED = "check_failed"() -> VOID;
    ARRAY_LIKE = "array_like"(INT, INT) -> INT ["arrays/array_like.par"];
    SIZED = "sized"(INT, INT) -> INT ["arrays/sized.par"];
    TRUNCATED = "truncated"(INT, INT, INT) -> INT ["arrays/truncated.par"];
    PERM = "perm"() -> INT;
    RESHAPE = "reshape"() -> INT;
    PERMUTED = "permuted"(INT, INT, INT) -> INT ["arrays/permuted.par"];
    RESHAPED = "reshaped"(INT, INT, INT, INT) -> INT ["arrays/reshaped.par"];
    RESHAPED_COUNT = "reshaped_count"(INT, INT, INT, INT) -> INT ["arrays/reshaped_count.par"];
    FIRST_NEGATIVE = "first_negative"(INT) -> INT ["arrays/first_negative.par"];
    PRODUCT_OF = "product_of"(INT) -> INT ["arrays/product_of.par"];
    SLICE_PLAN = "slice_plan"(INT, INT) -> INT ["arrays/slice_plan.par"];
    SLICE_CHECK = "slice_check"(INT, INT) -> INT ["arrays/slice_check.par"];
    SLICED = "sliced"(INT, INT, INT) -> INT ["arrays/sliced.par"];
    SLICE_EXTENTS = "slice_extents"(INT, INT, INT) -> INT ["arrays/slice_extents.par"];
    SET_SLICE = "set_slice"(INT, INT, INT, INT, INT) -> VOID ["arrays/set_slice.par"];
    PRINT_NUMBER = "print_number"(INT, INT) -> VOID ["arrays/print_number.par"];
    PRINT_FLOAT_NUMBER = "print_float_number"(FLOAT, INT) -> VOID ["arrays/print_float_number.par"];
    PRINT_NUMBERS = "print_numbers"(INT, INT, INT) -> VOID {
        "fn print_numbers[a: int, rank: int, stays: int]: void" "arrays/show_int.par" "arrays/print_array.par"
    };
    PRINT_FLOATS = "print_floats"(INT, INT, INT) -> VOID {
        "fn print_floats[a: int, rank: int, stays: int]: void" "arrays/show_float.par" "arrays/print_array.par"
    };
    LEAVE_OUTS = "leave_outs"(INT, INT, INT) -> VOID ["arrays/leave_outs.par"];
    LOAD_BYTE = "load_byte"(INT) -> INT as LoadByte;
    LOAD_SHORT = "load_short"(INT) -> INT as LoadShort;
    STORE_BYTE = "store_byte"(INT, INT) -> VOID as StoreByte;
    STORE_SHORT = "store_short"(INT, INT) -> VOID as StoreShort;
    COPY_BYTES = "copy_bytes"(INT, INT, INT) -> VOID ["arrays/narrow/copy_bytes.par"];
    NARROW_WORDS = "narrow_words"(INT, INT) -> INT ["arrays/narrow/narrow_words.par"];
    NARROW_ROW_VIEW = "narrow_row_view"(INT, INT, INT, INT) -> INT ["arrays/narrow/row_view.par"];
    NARROW_SET_ROW = "narrow_set_row"(INT, INT, INT, INT, INT) -> VOID ["arrays/narrow/set_row.par"];
    NARROW_ROWS_LIKE = "narrow_rows_like"(INT, INT, INT) -> INT ["arrays/narrow/rows_like.par"];
    NARROW_FILL_ROWS = "narrow_fill_rows"(INT, INT, INT) -> INT ["arrays/narrow/fill_rows.par"];
    NARROW_COPY = "narrow_copy"(INT, INT) -> INT ["arrays/narrow/copy_array.par"];
    NARROW_JOIN = "narrow_join"(INT, INT, INT) -> INT ["arrays/narrow/join.par"];
    NARROW_OWN = "narrow_own"(INT, INT, INT, INT) -> INT ["arrays/narrow/own.par"];
    NARROW_LEAVE = "narrow_leave"(INT, INT, INT) -> INT ["arrays/narrow/leave_array.par"];
    NARROW_LIKE = "narrow_like"(INT, INT) -> INT ["arrays/narrow/array_like.par"];
    NARROW_SIZED = "narrow_sized"(INT, INT) -> INT ["arrays/narrow/sized.par"];
    NARROW_TRUNCATED = "narrow_truncated"(INT, INT, INT) -> INT ["arrays/narrow/truncated.par"];
    NARROW_PERMUTED = "narrow_permuted"(INT, INT, INT) -> INT ["arrays/narrow/permuted.par"];
    NARROW_SLICED = "narrow_sliced"(INT, INT, INT) -> INT ["arrays/narrow/sliced.par"];
    NARROW_SET_SLICE = "narrow_set_slice"(INT, INT, INT, INT, INT) -> VOID ["arrays/narrow/set_slice.par"];
    PRINT_NARROW = "print_narrow"(INT, INT, INT) -> VOID ["arrays/narrow/print_narrow.par"];
    FILL_BYTES = "fill_bytes"(INT, INT) -> INT ["arrays/narrow/fill_bytes.par"];
    FILL_SHORTS = "fill_shorts"(INT, INT) -> INT ["arrays/narrow/fill_shorts.par"];
    ADD_INTS = "add_ints"(INT, INT) -> INT ["arrays/narrow/add_ints.par"];
    SUB_INTS = "sub_ints"(INT, INT) -> INT ["arrays/narrow/sub_ints.par"];
    ADD_BYTES = "add_bytes"(INT, INT) -> INT {
        "fn add_bytes[x: int, y: int]: int" "arrays/narrow/saturated.par" "arrays/narrow/add_bytes.par"
    };
    SUB_BYTES = "sub_bytes"(INT, INT) -> INT {
        "fn sub_bytes[x: int, y: int]: int" "arrays/narrow/saturated.par" "arrays/narrow/sub_bytes.par"
    };
    ADD_SHORTS = "add_shorts"(INT, INT) -> INT {
        "fn add_shorts[x: int, y: int]: int" "arrays/narrow/saturated.par" "arrays/narrow/add_shorts.par"
    };
    SUB_SHORTS = "sub_shorts"(INT, INT) -> INT {
        "fn sub_shorts[x: int, y: int]: int" "arrays/narrow/saturated.par" "arrays/narrow/sub_shorts.par"
    };
    TAKE = "take"(INT, INT, INT) -> INT ["arrays/take.par"];
    LEAVE_UNIQUE = "leave_unique"(INT, INT, INT) -> INT ["arrays/leave_unique.par"];
    NARROW_TAKE = "narrow_take"(INT, INT, INT) -> INT ["arrays/narrow/take.par"];
    NARROW_UNIQUE = "narrow_unique"(INT, INT, INT) -> INT ["arrays/narrow/leave_unique.par"];
    FOREIGN_VIEW = "foreign_view"(INT, INT, INT) -> INT ["arrays/foreign_view.par"];
    FOREIGN_ROOM = "foreign_room"(INT) -> INT ["arrays/foreign_room.par"];
    FOREIGN_RESULT = "foreign_result"(INT, INT) -> INT ["arrays/foreign_result.par"];
    FITTING = "fitting"(INT, INT, INT) -> INT ["arrays/fitting.par"];
    HAND_OVER = "hand_over"(INT, INT, INT, INT) -> VOID ["arrays/hand_over.par"];
    COPY_FROM_C = "copy_from_c"(INT, INT, INT) -> VOID;
    COPY_TO_C = "copy_to_c"(INT, INT, INT) -> VOID;
    FETCH = "fetch"(INT, INT, INT) -> VOID ["arrays/fetch.par"];
    GIVE_BACK = "give_back"(INT, INT, INT) -> VOID ["arrays/give_back.par"];
    HAND_OVER_FAR = "hand_over_far"(INT, INT, INT, INT) -> VOID ["arrays/hand_over_far.par"];
}

/// Returns the functions that programs can name: in two ranges, the second for arrays.
pub fn named() -> impl Iterator<Item = &'static Builtin> {
    let arrays = runtime::ARRAYS as usize..runtime::NAMED_ARRAYS_END as usize;
    BUILTINS[..runtime::NAMED as usize].iter().chain(&BUILTINS[arrays])
}

/// Returns the functions with code that programs cannot name.
pub fn hidden() -> impl Iterator<Item = &'static Builtin> {
    let between = runtime::NAMED as usize..runtime::ARRAYS as usize;
    let all = BUILTINS[between].iter().chain(&BUILTINS[runtime::NAMED_ARRAYS_END as usize..]);
    all.filter(|builtin| !REPLACED.contains(builtin.id))
}

/// Returns whether only programs with arrays contain a function.
pub fn is_for_arrays(builtin: &Builtin) -> bool {
    builtin.id >= runtime::ARRAYS
}

/// Functions that have no code: a pass replaces their calls.
const REPLACED: BuiltinSet = BuiltinSet::of(&[SIZE, REPLICATE, IOTA, COPY, CONCAT, PERM, RESHAPE]);

/// Returns whether a function is machine code.
pub fn is_stub(builtin: &Builtin) -> bool {
    builtin.text.is_none() && builtin.operation.is_none() && !REPLACED.contains(builtin.id)
}

/// A set of functions of the runtime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct BuiltinSet(u128);

impl BuiltinSet {
    /// The empty set.
    pub const NONE: BuiltinSet = BuiltinSet(0);

    /// Returns the set of some functions.
    pub const fn of(ids: &[u32]) -> BuiltinSet {
        const { assert!(runtime::COUNT <= u128::BITS) };
        let mut set = BuiltinSet::NONE;
        let mut k = 0;
        while k < ids.len() {
            set.0 |= 1 << ids[k];
            k += 1;
        }
        set
    }

    /// Returns the functions that are in this set or in another.
    pub const fn union(self, other: BuiltinSet) -> BuiltinSet {
        BuiltinSet(self.0 | other.0)
    }

    /// Returns these functions, and those for arrays of bytes and shorts that are as one of them.
    pub fn with_narrow(self) -> BuiltinSet {
        let twins = NARROW.iter().filter(|[wide, ..]| self.contains(*wide));
        twins.fold(self, |all, [_, byte, short]| all.union(BuiltinSet::of(&[*byte, *short])))
    }

    /// Returns whether a function is in this set.
    pub const fn contains(self, id: u32) -> bool {
        self.0 >> id & 1 != 0
    }

    /// Returns the functions below 64 and the others, a bit each.
    pub const fn halves(self) -> (u64, u64) {
        (self.0 as u64, (self.0 >> 64) as u64)
    }

    /// Returns the set with some halves.
    pub const fn of_halves(low: u64, high: u64) -> BuiltinSet {
        BuiltinSet(low as u128 | (high as u128) << 64)
    }
}

/// The functions that know how large an element is, each with the one for bytes and the one for shorts.
const NARROW: [[u32; 3]; 18] = [
    [ROW_VIEW, NARROW_ROW_VIEW, NARROW_ROW_VIEW],
    [SET_ROW, NARROW_SET_ROW, NARROW_SET_ROW],
    [ROWS_LIKE, NARROW_ROWS_LIKE, NARROW_ROWS_LIKE],
    [FILL, FILL_BYTES, FILL_SHORTS],
    [FILL_ROWS, NARROW_FILL_ROWS, NARROW_FILL_ROWS],
    [COPY_ARRAY, NARROW_COPY, NARROW_COPY],
    [JOIN, NARROW_JOIN, NARROW_JOIN],
    [OWN, NARROW_OWN, NARROW_OWN],
    [LEAVE_ARRAY, NARROW_LEAVE, NARROW_LEAVE],
    [TAKE, NARROW_TAKE, NARROW_TAKE],
    [LEAVE_UNIQUE, NARROW_UNIQUE, NARROW_UNIQUE],
    [ARRAY_LIKE, NARROW_LIKE, NARROW_LIKE],
    [SIZED, NARROW_SIZED, NARROW_SIZED],
    [TRUNCATED, NARROW_TRUNCATED, NARROW_TRUNCATED],
    [PERMUTED, NARROW_PERMUTED, NARROW_PERMUTED],
    [SLICED, NARROW_SLICED, NARROW_SLICED],
    [SET_SLICE, NARROW_SET_SLICE, NARROW_SET_SLICE],
    [PRINT_NUMBERS, PRINT_NARROW, PRINT_NARROW],
];

/// Each function for bytes, and then for shorts: itself if it does not know how large an element is.
const NARROW_IDS: [u32; 2 * runtime::COUNT as usize] = {
    let mut ids = [0; 2 * runtime::COUNT as usize];
    let mut k = 0;
    while k < ids.len() {
        ids[k] = k as u32 % runtime::COUNT;
        k += 1;
    }
    let mut k = 0;
    while k < NARROW.len() {
        let [wide, byte, short] = NARROW[k];
        ids[wide as usize] = byte;
        ids[(runtime::COUNT + wide) as usize] = short;
        k += 1;
    }
    ids
};

/// Returns the function of the runtime that is as another, for arrays with elements of a type. The narrow ones take a shape where the
/// others take a rank.
#[device]
pub fn for_elements(id: u32, element: Type) -> u32 {
    if !element.is_narrow() {
        return id;
    }
    NARROW_IDS[(id + if element == Type::Short { runtime::COUNT } else { 0 }) as usize]
}

/// Returns the kind of the nodes of a function that is an operation.
pub fn operation(id: u32) -> Option<Kind> {
    BUILTINS.get(id as usize).and_then(|builtin| builtin.operation)
}

/// The order in which used functions are added to the program: each function calls only functions that follow it.
pub const BUILTIN_ORDER: [u32; 86] = [
    PRINT_NARROW,
    PRINT_NUMBER,
    PRINT_FLOAT_NUMBER,
    PRINT_NUMBERS,
    PRINT_FLOATS,
    PRINT_FLOAT,
    FLOOR,
    EXP,
    LOG,
    POW,
    SIN,
    COS,
    CIRCLE,
    READ_INT,
    READ_FLOAT,
    INPUT_ERROR,
    REMAINDER,
    PRINT_INT,
    NARROW_SET_SLICE,
    NARROW_SLICED,
    NARROW_PERMUTED,
    NARROW_OWN,
    NARROW_TAKE,
    NARROW_UNIQUE,
    NARROW_LEAVE,
    FILL_BYTES,
    FILL_SHORTS,
    NARROW_FILL_ROWS,
    NARROW_COPY,
    NARROW_JOIN,
    NARROW_SET_ROW,
    NARROW_ROWS_LIKE,
    NARROW_ROW_VIEW,
    NARROW_LIKE,
    NARROW_SIZED,
    NARROW_TRUNCATED,
    NARROW_WORDS,
    COPY_BYTES,
    ADD_INTS,
    SUB_INTS,
    ADD_BYTES,
    SUB_BYTES,
    ADD_SHORTS,
    SUB_SHORTS,
    SET_SLICE,
    SLICED,
    SLICE_EXTENTS,
    SLICE_CHECK,
    SLICE_PLAN,
    PERMUTED,
    RESHAPED,
    RESHAPED_COUNT,
    PRODUCT_OF,
    FIRST_NEGATIVE,
    FOREIGN_VIEW,
    FOREIGN_ROOM,
    FOREIGN_RESULT,
    FITTING,
    HAND_OVER,
    FETCH,
    GIVE_BACK,
    HAND_OVER_FAR,
    OWN,
    TAKE,
    LEAVE_UNIQUE,
    LEAVE,
    LEAVE_INT,
    LEAVE_FLOAT,
    LEAVE_ARRAY,
    COMPACT,
    LEAVE_OUTS,
    FILL_FLOAT,
    FILL,
    FILL_ROWS,
    COUNT_UP,
    COPY_ARRAY,
    JOIN,
    SET_ROW,
    ROWS_LIKE,
    ROW_VIEW,
    EMPTY,
    ARRAY_LIKE,
    SIZED,
    TRUNCATED,
    COUNT_OF,
    EXTENT_PRODUCT,
];
