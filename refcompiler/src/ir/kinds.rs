//! Kinds of nodes and rows, types, and roles of values, with the questions that passes ask about them.

use treepar::device::device;

use super::operators::{Operands, Value, level, operators};
use super::sets::sets;

/// Declares an open enum for tables, and the same codes as numbers for the tree.
macro_rules! codes {
    ($(#[$meta:meta])* $enum:ident, $module:ident: $($(#[$doc:meta])* $variant:ident $name:ident = $text:literal;)*) => {
        $(#[$meta])*
        #[device]
        pub enum $enum {
            $($(#[$doc])* $variant,)*
        }

        $(#[$meta])*
        pub mod $module {
            use super::$enum;
            $($(#[$doc])* pub const $name: u8 = $enum::$variant.code();)*
            /// The name of each code in listings.
            pub const NAMES: [&str; [$($text),*].len()] = [$($text),*];
        }
    };
}

/// Declares the kinds: those given, and the binary operators.
macro_rules! kinds {
    (
        { $($given:tt)* }
        $($(#[$doc:meta])* $token:ident $spelling:literal, $level:ident, $operands:ident -> $value:ident,
            $kind:ident $name:ident $text:literal;)*
    ) => {
        codes! {
            $($given)*
            $($(#[$doc])* $kind $name = $text;)*
        }

        /// The binary operators of the language, in the order of their codes.
        pub const OPERATORS: [Operator; [$($spelling),*].len()] = [$(Operator {
            kind: Kind::$kind,
            spelling: $spelling,
            level: level::$level,
            operands: Operands::$operands,
            value: Value::$value,
        }),*];
    };
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    /// The kind of its nodes and rows.
    pub kind: Kind,
    /// The text of its token.
    pub spelling: &'static str,
    /// The level, one of [`level`].
    pub level: u8,
    /// The types of its operands.
    pub operands: Operands,
    /// The type of its value.
    pub value: Value,
}

operators! { kinds! {
    /// Kinds of nodes and rows. Children are in brackets, in order; `*` is any number, `?` none or one.
    Kind, kind:
    /// `fn`: \[HEADER, PARAM*, BLOCK\]. data: function id; ty: return type. A BLOCK can hold it as a statement.
    Function FUNCTION = "function";
    /// `extern fn`: \[PARAM*\]. data: function id; ty: return type.
    Extern EXTERN = "extern";
    /// The first child of a function, a leaf. Its row is the prologue. data: 1 if the result is a unique array, until `arrays`.
    Header HEADER = "header";
    /// A parameter, a leaf with its type.
    Param PARAM = "param";
    /// `{ }`: \[statement*\].
    Block BLOCK = "block";
    /// `;` without a statement.
    Empty EMPTY = "empty";
    /// `e;`: \[value or void CALL\]. data of this kind, of RETURN and of ASCRIBE: 0, or one more than the position of the call of
    /// `assert` that is the only child.
    Expression EXPRESSION = "expression";
    /// `return`: \[value?\].
    Return RETURN = "return";
    /// `if` without `else`: \[value, BLOCK\].
    If IF = "if";
    /// `if` with `else`: \[value, BLOCK, BLOCK or IF or IF_ELSE\]. An `elif` is an IF or IF_ELSE as third child.
    IfElse IF_ELSE = "if_else";
    /// `while`: \[value, BLOCK\].
    While WHILE = "while";
    /// `for i < n`: \[COUNT, BLOCK\]. Its row is the step to the next iteration. data: after `loops`, of the loop of an operation on whole
    /// arrays, as of INDEX; else 0.
    For FOR = "for";
    /// `i < n` of a `for`: \[value\]. Declares `i`. Its row enters the loop; the value is whether there is an iteration.
    Count COUNT = "count";
    /// `var x: T = e`: \[value?\]. Declares a variable, zero by default, and is a value.
    Declare DECLARE = "declare";
    /// `x = e`: \[value\]. data: the node (PARAM or DECLARE) that declares x.
    Assign ASSIGN = "assign";
    /// `f[..]`: \[ARG*\]. data: function id; ty: return type, VOID without a value.
    Call CALL = "call";
    /// An argument: \[value\]. data: its index, from 0; ty: its type.
    Arg ARG = "arg";
    /// A literal, a leaf. data: the bits of an i32 or an f32.
    Literal LITERAL = "literal";
    /// A read of a variable, a leaf. data: the node (PARAM, DECLARE or COUNT) that declares it.
    Name NAME = "name";
    /// `if[c, x, y]`: \[TEST, THEN, OTHERWISE\]. Its row has no code: the parts have left the value in its location.
    Choose CHOOSE = "choose";
    /// `c` of `if[c, x, y]`: \[value\].
    Test TEST = "test";
    /// `x` of `if[c, x, y]`: \[value\]. ty: its type. Its row moves the value to the location of the CHOOSE and jumps there.
    Then THEN = "then";
    /// `y` of `if[c, x, y]`: \[value\]. ty: its type. Its row moves the value to the location of the CHOOSE.
    Otherwise OTHERWISE = "otherwise";
    /// `int(e)`, `float(e)`: \[value\]. ty: the new type.
    Cast CAST = "cast";
    /// `e : T`, checked: \[value\].
    Ascribe ASCRIBE = "ascribe";
    /// `-x`: \[value\].
    Negate NEGATE = "negate";
    /// `!x`: \[value\].
    Not NOT = "not";
    /// `~x`: \[value\].
    Complement COMPLEMENT = "complement";
    /// `sqrt[x]`: \[ASCRIBE\], which was the argument.
    Sqrt SQRT = "sqrt";
    /// `abs[x]`: \[ASCRIBE\], of either type.
    Abs ABS = "abs";
    /// After [`ssa`](crate::passes::ssa), a definition: \[value?\], zero without one; a value itself. data: the node that
    /// declares the variable.
    Let LET = "let";
    /// After `ssa`, a read of a definition, a leaf. data: its node, a LET, PHI, HEAD, PARAM or COUNT.
    Use USE = "use";
    /// After `ssa`, the value of a variable after an IF, IF_ELSE or CHOOSE, whose last children they are: \[USE, USE\], of the
    /// first branch and of the other. data as of LET.
    Phi PHI = "phi";
    /// After `ssa`, the value of a variable in a loop: \[USE, USE\], before the loop and after a trip. data as of LET. They are
    /// the first children of a WHILE, and come after the COUNT of a FOR.
    Head HEAD = "head";
    /// `[x, y]`: \[value*\]. ty: the type of the array.
    Array ARRAY = "array";
    /// `a[i, j]`: \[array, index*\], an element, or a row if there are fewer indices than dimensions. data of this kind, of
    /// UPDATE, REPLICATE and the checks: one more than the position that an error at run time names.
    Index INDEX = "index";
    /// `a[i, j] = e;`, a statement: \[target, index*, value\]. ty: the type of the value. The target is a NAME, with a FIELD
    /// around it for each field: that of `a[i].x[j] = e;` is `a.x`.
    Update UPDATE = "update";
    /// `size[a, k]`: \[array\]. data: k.
    Size SIZE = "size";
    /// `replicate[n, v]`: \[value, value\]. ty: the type of the array.
    Replicate REPLICATE = "replicate";
    /// After `arrays`, statements before a value: \[statement*, value\].
    Sequence SEQUENCE = "sequence";
    /// After `arrays`, the address of a variable, a leaf. data: the node that declares it.
    Address ADDRESS = "address";
    /// After `arrays`, a word of memory: \[address\]. data: its distance from the address, in bytes.
    Load LOAD = "load";
    /// After `arrays`, a statement that writes a word of memory: \[address, value\]. data as of LOAD. ty: the type of the value.
    Store STORE = "store";
    /// After `arrays`, an index, checked: \[index, extent\].
    CheckIndex CHECK_INDEX = "check_index";
    /// After `arrays`, an extent that is not negative, checked: \[extent, literal 0\].
    CheckSize CHECK_SIZE = "check_size";
    /// After `arrays`, an extent that equals another, checked: \[extent, extent\].
    CheckEqual CHECK_EQUAL = "check_equal";
    /// A function as an argument of an operation below: \[PARAM*, value\]. ty: the type of the value.
    Lambda LAMBDA = "lambda";
    /// `map[f, a, ..]`: \[LAMBDA, array*\]. ty: the type of the array. data of the kinds from here to SPLIT as of INDEX.
    Map MAP = "map";
    /// `reduce[f, e, a]` and `fold[f, e, a]`: \[LAMBDA, value, array\].
    Reduce REDUCE = "reduce";
    /// `foldr[f, e, a]`: \[LAMBDA, value, array\].
    FoldRight FOLD_RIGHT = "fold_right";
    /// `redomap[f, g, e, a, ..]`, of which `g` is left: \[LAMBDA, value, array*\].
    Redomap REDOMAP = "redomap";
    /// `scan[f, e, a]`: \[LAMBDA, value, array\].
    Scan SCAN = "scan";
    /// `filter[p, a]`: \[LAMBDA, array\].
    Filter FILTER = "filter";
    /// `group[f, e, n, keys, values]`: \[LAMBDA, value, value, array, array\].
    Group GROUP = "group";
    /// `where[c, a, b]`: \[value, value, value\], of which some are arrays.
    Where WHERE = "where";
    /// `a[lo..hi, ..]`: \[array, (RANGE, ALL or index)*\], with at least one RANGE or ALL.
    Slice SLICE = "slice";
    /// `lo..hi`: \[value, value\]. data: 1 if there is no `hi`, but a literal instead; a missing `lo` is a literal 0.
    Range RANGE = "range";
    /// `..` without bounds, a leaf.
    All ALL = "all";
    /// `a[lo..hi, ..] = e;`, a statement: \[target, (RANGE, ALL or index)*, value\]. ty: the type of the value.
    UpdateSlice UPDATE_SLICE = "update_slice";
    /// `split[a, n]`: \[array, value\]. ty: the tuple of the parts.
    Split SPLIT = "split";
    /// `print[e]`: \[value\]. data: 1 without the end of the line.
    Print PRINT = "print";
    /// `P[x, y]` and `(x, y)`: \[value*\]. ty: the struct or tuple.
    Struct STRUCT = "struct";
    /// `p.x`: \[value\], a struct, a tuple or an array of them. data: the index of the field.
    Field FIELD = "field";
    /// `p.x = e;`, a statement: \[value, FIELD\]. The FIELD is a target as of UPDATE. ty: the type of the value.
    AssignField ASSIGN_FIELD = "assign_field";
    /// `var (x, y) = e`, a statement: \[value, DECLARE*\]. The DECLAREs have no value.
    Destructure DESTRUCTURE = "destructure";
    /// `zip[a, ..]`: \[array*\]. ty: the array of tuples. data as of INDEX.
    Zip ZIP = "zip";
    /// `unzip[a]`: \[array\]. ty: the tuple of arrays.
    Unzip UNZIP = "unzip";
    /// A value whose extents are checked: \[array, value*\], one value per dimension; ALL for a dimension without a check. data as of
    /// INDEX.
    Shaped SHAPED = "shaped";
    /// After `loops`, an array with some extents and any elements: \[value*\].
    New NEW = "new";
    /// After `loops`, an array with the extents of another and any elements: \[array\].
    NewLike NEW_LIKE = "new_like";
    /// After `loops`, an array of n rows with the extents of one, and any elements: \[value, array\].
    NewRows NEW_ROWS = "new_rows";
    /// After `loops`, the array of a variable, which does not own it any more: \[NAME\].
    Give GIVE = "give";
    /// After `loops`, an array without its rows from n on: \[array, value\].
    Truncate TRUNCATE = "truncate";
    /// After `arrays`, the bounds of a slice, checked: \[address of two bounds and an extent if they are out of range, or 0; literal 0\].
    CheckSlice CHECK_SLICE = "check_slice";
    /// After `loops`, a byte of memory, without sign: \[address\]. data as of LOAD.
    LoadByte LOAD_BYTE = "load_byte";
    /// After `loops`, two bytes of memory, with sign: \[address\]. data as of LOAD.
    LoadShort LOAD_SHORT = "load_short";
    /// After `loops`, a statement that writes the lowest byte of an int: \[address, value\]. data as of LOAD.
    StoreByte STORE_BYTE = "store_byte";
    /// After `loops`, a statement that writes the lowest two bytes of an int: \[address, value\]. data as of LOAD.
    StoreShort STORE_SHORT = "store_short";
    /// After [`multiloops`](crate::ir::multiloops), an operation on whole arrays: \[(INPUT, statement or VIEW)*, LAMBDA\]. data: flags.
    Multiloop MULTILOOP = "multiloop";
    /// After `multiloops`, an operand, a variable: \[value\]. data: 1 if it borrows an array.
    Input INPUT = "input";
    /// After `multiloops`, the elements of an INPUT, whatever its rank, a leaf. data: the INPUT.
    View VIEW = "view";
    /// After `multiloops`, an element, a variable of an iteration: \[value\]. data: 1 if it borrows an array.
    Element ELEMENT = "element";
    /// After `multiloops`, the key of an iteration: \[value\].
    Key KEY = "key";
    /// After `multiloops`, the element of an iteration, a leaf. data: an INPUT or a VIEW.
    Read READ = "read";
    /// After `multiloops`, an element of the result: \[guard?, value\]. data of this kind and the kinds below as of INDEX.
    YieldCollect YIELD_COLLECT = "yield_collect";
    /// After `multiloops`, the reduction so far: \[value\].
    YieldReduce YIELD_REDUCE = "yield_reduce";
    /// After `multiloops`, the reduction so far, an element of the result: \[value\].
    YieldScan YIELD_SCAN = "yield_scan";
    /// After `multiloops`, the reduction of a key so far: \[value\].
    YieldBucket YIELD_BUCKET = "yield_bucket";
    /// After `loops`, the address of the first element of the array in a variable, a leaf. data of this kind and the next as of NAME;
    /// after `ssa`, as of USE.
    Data DATA = "data";
    /// After `arrays`, the first extent of the array in a variable, a leaf.
    Extent EXTENT = "extent";
    /// After `loops`, the address some words after another: \[address, value\].
    AddWords ADD_WORDS = "add_words";
    /// After `loops`, the address twice as many bytes after another: \[address, value\].
    AddShorts ADD_SHORTS = "add_shorts";
    /// After `vectors`, a loop over vectors: \[VECTOR_COUNT, BLOCK\]. data: the number of lanes. Its row is the step to the next
    /// iteration. The block has VECTOR_WRITEs only.
    VectorLoop VECTOR_LOOP = "vector_loop";
    /// The number of elements: \[value\]. data: the number of lanes. Its row enters the loop; the value is whether there is an iteration.
    VectorCount VECTOR_COUNT = "vector_count";
    /// A statement that makes an address the base of a stream: \[value\]. data: the stream.
    VectorBase VECTOR_BASE = "vector_base";
    /// A statement that stores a vector or holds it: \[vector\]. data of this kind and the kinds up to VECTOR_REDUCE as in
    /// [`lanes`](crate::ir::lanes).
    VectorWrite VECTOR_WRITE = "vector_write";
    /// A vector that is loaded or held, a leaf.
    VectorRead VECTOR_READ = "vector_read";
    /// An operation on a vector: \[vector\].
    VectorUnary VECTOR_UNARY = "vector_unary";
    /// An operation on two vectors: \[vector, vector\].
    VectorBinary VECTOR_BINARY = "vector_binary";
    /// A choice between vectors: \[mask, vector, vector\].
    VectorSelect VECTOR_SELECT = "vector_select";
    /// A vector with a number in all lanes: \[value\]. ty: the type of the number.
    VectorSplat VECTOR_SPLAT = "vector_splat";
    /// The reduction of all lanes, an int: \[vector\].
    VectorReduce VECTOR_REDUCE = "vector_reduce";
    /// The end of instructions on vectors, a statement. data as of VECTOR_WRITE.
    VectorEnd VECTOR_END = "vector_end";
    /// After `fusion`, the lowest byte of an int, without sign: \[value\].
    NarrowByte NARROW_BYTE = "narrow_byte";
    /// After `fusion`, the lower half of an int, with its sign: \[value\].
    NarrowShort NARROW_SHORT = "narrow_short";
    /// After `flatten`, a NAME whose variable is in a register. data of the kinds from here on as of
    /// [`held_data`](crate::ir::held::held_data()).
    HeldName HELD_NAME = "held_name";
    /// After `flatten`, DATA or EXTENT of a variable in a register.
    HeldWord HELD_WORD = "held_word";
    /// After `flatten`, an ASSIGN or DECLARE of a variable in a register.
    HeldAssign HELD_ASSIGN = "held_assign";
    /// After `flatten`, a PARAM in a register.
    HeldParam HELD_PARAM = "held_param";
} }

codes! {
    /// Types of values.
    Type, ty:
    /// No value.
    Void VOID = "void";
    /// A signed 32-bit integer that wraps.
    Int INT = "int";
    /// IEEE binary32.
    Float FLOAT = "float";
    /// Not known, because of an error.
    Unknown UNKNOWN = "?";
    /// An unsigned 8-bit integer, only as an element of an array or as a field. A value of its own is an int.
    Byte BYTE = "byte";
    /// A signed 16-bit integer, only as an element of an array or as a field. A value of its own is an int.
    Short SHORT = "short";
}

codes! {
    /// The uses of a row's value.
    Role, role:
    /// The row has no value, or no role below applies.
    None NONE = "";
    /// An operand of row `target`.
    Operand OPERAND = "operand of";
    /// An argument of the call in row `target`.
    Argument ARGUMENT = "argument of";
    /// The return value of a function.
    Returned RETURNED = "returned";
    /// A condition. If the value is 0, control continues at row `target`.
    Condition CONDITION = "else to";
    /// Not used.
    Discarded DISCARDED = "discarded";
    /// The end of a `then` block that has an `else`, of a THEN, or of the body of a `while`: control continues at row
    /// `target`.
    Jump JUMP = "then to";
    /// The condition of a loop that comes after the body. If the value is not 0, control continues at row `target`.
    Again AGAIN = "again from";
}

sets! {
    /// A set of kinds.
    Kinds of Kind
}

/// Returns the set of the binary operators with these types.
const fn typed(operands: Operands, value: Value) -> Kinds {
    let mut kinds = Kinds::NONE;
    let mut i = 0;
    while i < OPERATORS.len() {
        if OPERATORS[i].operands as u8 == operands as u8 && OPERATORS[i].value as u8 == value as u8 {
            kinds = kinds.union(Kinds::of(&[OPERATORS[i].kind]));
        }
        i += 1;
    }
    kinds
}

const COMPARISONS: Kinds = typed(Operands::Number, Value::Truth);
const INT_BINARY: Kinds = typed(Operands::Int, Value::Same).union(typed(Operands::Int, Value::Truth));
/// The binary operators.
pub const BINARY: Kinds = typed(Operands::Number, Value::Same).union(COMPARISONS).union(INT_BINARY);
/// The operations on whole arrays with a LAMBDA, which is the first child.
pub const WITH_LAMBDA: Kinds =
    Kinds::of(&[Kind::Map, Kind::Reduce, Kind::FoldRight, Kind::Redomap, Kind::Scan, Kind::Filter, Kind::Group]);
/// The operations that apply to each element of an array, if an operand is an array.
pub const ELEMENTWISE: Kinds =
    BINARY.union(Kinds::of(&[Kind::Negate, Kind::Not, Kind::Complement, Kind::Cast, Kind::Sqrt, Kind::Abs]));
/// The yields of MULTILOOPs.
pub const YIELDS: Kinds = Kinds::of(&[Kind::YieldCollect, Kind::YieldReduce, Kind::YieldScan, Kind::YieldBucket]);
/// The checks, whose value is their left operand.
const CHECKS: Kinds = Kinds::of(&[Kind::CheckIndex, Kind::CheckSize, Kind::CheckEqual, Kind::CheckSlice]);
/// The kinds with two operands.
const WITH_TWO: Kinds =
    BINARY.union(CHECKS).union(STORES).union(SCALED).union(Kinds::of(&[Kind::VectorBinary, Kind::VectorSelect]));
/// The kinds whose values are vectors.
const VECTORS: Kinds =
    Kinds::of(&[Kind::VectorRead, Kind::VectorUnary, Kind::VectorBinary, Kind::VectorSelect, Kind::VectorSplat]);
/// The kinds with one operand for vectors.
const WITH_ONE_OF_VECTORS: Kinds = Kinds::of(&[
    Kind::VectorCount,
    Kind::VectorBase,
    Kind::VectorWrite,
    Kind::VectorUnary,
    Kind::VectorSplat,
    Kind::VectorReduce,
]);
/// The kinds that only the pass `vectors` makes.
pub const OF_VECTORS: Kinds = VECTORS.union(WITH_ONE_OF_VECTORS).union(Kinds::of(&[Kind::VectorLoop, Kind::VectorEnd]));
/// The sums of an address and a scaled index.
const SCALED: Kinds = Kinds::of(&[Kind::AddWords, Kind::AddShorts]);
const LOADS: Kinds = Kinds::of(&[Kind::Load, Kind::LoadByte, Kind::LoadShort]);
const STORES: Kinds = Kinds::of(&[Kind::Store, Kind::StoreByte, Kind::StoreShort]);
/// The accesses to memory. Their left operand is an address.
pub const ACCESSES: Kinds = LOADS.union(STORES);
const UNARY: Kinds =
    Kinds::of(&[Kind::Cast, Kind::Ascribe, Kind::Negate, Kind::Not, Kind::Complement, Kind::Sqrt, Kind::Abs])
        .union(NARROWING);
/// The parts of an int that an element of fewer bits has.
const NARROWING: Kinds = Kinds::of(&[Kind::NarrowByte, Kind::NarrowShort]);
const PURE: Kinds =
    BINARY.union(UNARY).union(LOADS).union(SCALED).union(READS).union(Kinds::of(&[Kind::Literal, Kind::Address]));
/// The reads of variables.
const READS: Kinds = Kinds::of(&[Kind::Name, Kind::Data, Kind::Extent]);
const VALUES: Kinds = PURE
    .union(Kinds::of(&[Kind::Declare, Kind::Assign, Kind::Call, Kind::Count, Kind::Choose, Kind::Sequence]))
    .union(CHECKS)
    .union(VECTORS)
    .union(IN_VARIABLES)
    .union(Kinds::of(&[Kind::HeldWord, Kind::VectorCount, Kind::VectorReduce]));
/// The kinds of rows whose value is in the register of their variable.
const IN_VARIABLES: Kinds = Kinds::of(&[Kind::HeldName, Kind::HeldAssign]);
/// The kinds of rows whose location is the register of their variable.
const AT_VARIABLES: Kinds = IN_VARIABLES.union(Kinds::of(&[Kind::HeldParam]));
/// The kinds whose rows have another kind if their variable is in a register.
const HOLDABLE: Kinds = READS.union(Kinds::of(&[Kind::Assign, Kind::Declare, Kind::Param]));
/// The kinds of rows with an operand only if `aux` is 1. Else their value is zero.
const WITH_OPTIONAL: Kinds = Kinds::of(&[Kind::Declare, Kind::HeldAssign]);
/// The operations with a result that can be NaN although no operand is.
pub const YIELDING_NAN: Kinds = Kinds::of(&[Kind::Add, Kind::Sub, Kind::Mul, Kind::Div, Kind::Sqrt]);
/// The kinds with the same result for all operands that are NaN, or with a NaN.
const IGNORING_NAN: Kinds = YIELDING_NAN.union(COMPARISONS);
/// The kinds of operations whose instruction can contain a literal, the right operand.
const WITH_LITERAL: Kinds = COMPARISONS.union(Kinds::of(&[
    Kind::Add,
    Kind::Sub,
    Kind::Mul,
    Kind::And,
    Kind::Or,
    Kind::Xor,
    Kind::Shl,
    Kind::Shr,
    Kind::Ushr,
]));
/// The `aux` of a comparison that its branch does.
pub const BY_BRANCH: u32 = 2;
/// The kinds of rows whose `aux` is 0 or 1, but for [`BY_BRANCH`].
const FLAGGED: Kinds = WITH_OPTIONAL.union(YIELDING_NAN).union(WITH_LITERAL).union(Kinds::of(&[Kind::Load]));
/// The parts of a conditional expression that have its value.
const PARTS: Kinds = Kinds::of(&[Kind::Then, Kind::Otherwise]);
const PASSING: Kinds = Kinds::of(&[Kind::Assign, Kind::Ascribe, Kind::Arg, Kind::Sequence]).union(PARTS);
const TRANSPARENT: Kinds = PASSING.union(AT_VARIABLES);
const WITH_OPERANDS: Kinds =
    WITH_TWO.union(UNARY).union(PASSING).union(LOADS).union(WITH_ONE_OF_VECTORS).union(Kinds::of(&[Kind::Count]));

/// The operators that are defined only for `int`.
const INT_ONLY: Kinds = INT_BINARY.union(Kinds::of(&[Kind::Not, Kind::Complement])).union(NARROWING);

/// The number of pairs of a kind and the type of a number, or of no value. Kinds take seven bits.
pub const PAIRS: usize = 4 << 7;

const _: () = assert!(Kind::COUNT <= 128);

/// Declares a table with an entry for each pair of a kind and a type, at the index [`Kind::with`].
macro_rules! pairs {
    ($(#[$doc:meta])* $name:ident($kind:ident, $ty:ident) = $entry:expr;) => {
        $(#[$doc])*
        const $name: [u8; PAIRS] = {
            let mut table = [0; PAIRS];
            let mut pair = 0;
            while pair < PAIRS {
                let $kind = Kind::from_code(pair as u8 & 127);
                let $ty = (pair >> 7) as u8;
                table[pair] = $entry;
                pair += 1;
            }
            table
        };
    };
}

pairs! {
    /// The type of a row's value.
    VALUE_TYPES(kind, ty) = if !VALUES.contains(kind) {
        ty::VOID
    } else if COMPARISONS.contains(kind) || kind.code() == kind::VECTOR_REDUCE {
        ty::INT
    } else if VECTORS.contains(kind) {
        ty::FLOAT
    } else {
        ty
    };
}

pairs! {
    /// The number of operands of a type: ints in the lower four bits, floats in the upper. An optional one counts.
    OPERANDS(kind, ty) = {
        let is_select = kind.code() == kind::VECTOR_SELECT;
        let count = if is_select { 3 } else if WITH_TWO.contains(kind) { 2 } else { 1 };
        let has_operands = WITH_OPERANDS.union(WITH_OPTIONAL).contains(kind);
        match ty {
            ty::FLOAT if ACCESSES.contains(kind) => 1 | (count - 1) << 4,
            ty::INT if has_operands => count,
            ty::FLOAT if has_operands => count << 4,
            _ => 0,
        }
    };
}

#[device]
impl Kind {
    /// Returns whether this kind is defined only for `int`.
    pub const fn is_int_only(self) -> bool {
        INT_ONLY.contains(self)
    }

    /// Returns whether this kind is a function's root.
    pub fn is_function(self) -> bool {
        (self == Kind::Function) | (self == Kind::Extern)
    }

    /// Returns whether this kind is a loop.
    pub fn is_loop(self) -> bool {
        (self == Kind::While) | (self == Kind::For)
    }

    /// Returns whether this kind is a slice, or an update of one.
    pub fn is_slice(self) -> bool {
        (self == Kind::Slice) | (self == Kind::UpdateSlice)
    }

    /// Returns whether this kind is an index of a slice that keeps a dimension.
    pub fn is_range(self) -> bool {
        (self == Kind::Range) | (self == Kind::All)
    }

    /// Returns whether this kind is a loop whose row at the end of its rows is the step to the next iteration.
    pub fn is_counted(self) -> bool {
        (self == Kind::For) | (self == Kind::VectorLoop)
    }

    /// Returns whether the value of this kind is a vector.
    pub const fn is_vector(self) -> bool {
        VECTORS.contains(self)
    }

    /// Returns whether this kind is one of a loop over vectors.
    pub const fn is_of_vectors(self) -> bool {
        OF_VECTORS.contains(self)
    }

    /// Returns whether a row changes all registers that functions need not save: a call, or a loop over vectors.
    pub fn clobbers(self, ty: Type) -> bool {
        self.is_call(ty) | (self == Kind::VectorCount)
    }

    /// Returns whether a node changes some of these registers: a call, or anything that works on vectors.
    pub fn changes_registers(self, ty: Type) -> bool {
        self.is_call(ty) | OF_VECTORS.contains(self)
    }

    /// Returns whether this kind is a loop or a branch.
    pub fn is_control(self) -> bool {
        (self == Kind::If) | (self == Kind::IfElse) | (self == Kind::Choose) | self.is_loop()
    }

    /// Returns whether `data` of this kind names a declaration.
    pub const fn is_variable(self) -> bool {
        self.is_read() | (self.code() == kind::ASSIGN) | (self.code() == kind::ADDRESS)
    }

    /// Returns whether this kind reads a variable.
    pub const fn is_read(self) -> bool {
        READS.contains(self)
    }

    /// Returns whether this kind declares a variable in a block.
    pub fn is_declaration(self) -> bool {
        self == Kind::Declare || self == Kind::Count
    }

    /// Returns whether this kind has two operands.
    pub fn has_two_operands(self) -> bool {
        WITH_TWO.contains(self)
    }

    /// Returns whether this kind loads or stores memory at the address that is its left operand.
    pub const fn is_access(self) -> bool {
        ACCESSES.contains(self)
    }

    /// Returns whether a row accesses memory at the address that is its left operand or its variable.
    pub const fn has_base(self) -> bool {
        self.is_access() | (self.code() == kind::HELD_WORD)
    }

    /// Returns whether this kind stores to memory.
    pub const fn is_store(self) -> bool {
        STORES.contains(self)
    }

    /// Returns the access to an element of a type, or the sum of an address and its index, where this is the one of a word; of another
    /// kind, the kind.
    pub fn of_element(self, ty: Type) -> Kind {
        let is_sum = self == Kind::AddWords;
        if (self != Kind::Load) & (self != Kind::Store) & !is_sum {
            return self;
        }
        let is_store = self == Kind::Store;
        match ty {
            Type::Byte => {
                if is_sum {
                    Kind::Add
                } else if is_store {
                    Kind::StoreByte
                } else {
                    Kind::LoadByte
                }
            }
            Type::Short => {
                if is_sum {
                    Kind::AddShorts
                } else if is_store {
                    Kind::StoreShort
                } else {
                    Kind::LoadShort
                }
            }
            _ => self,
        }
    }

    /// Returns the kind of the value that an element of a type has after a store and a load, given the value.
    pub fn narrowing(ty: Type) -> Kind {
        match ty {
            Type::Byte => Kind::NarrowByte,
            Type::Short => Kind::NarrowShort,
            _ => Kind::Ascribe,
        }
    }

    /// Returns the type of the value of this kind, given the type of the element that it accesses or finds.
    pub fn type_of_element(self, ty: Type) -> Type {
        if SCALED.contains(self) { Type::Int } else { ty.of_value() }
    }

    /// Returns whether this kind is an operation with one operand.
    pub const fn is_unary(self) -> bool {
        UNARY.contains(self)
    }

    /// Returns whether this kind checks its operands.
    pub const fn is_check(self) -> bool {
        CHECKS.contains(self)
    }

    /// Returns whether this kind compares two operands.
    pub const fn is_comparison(self) -> bool {
        COMPARISONS.contains(self)
    }

    /// Returns whether this kind is a value without side effects. Such a row can be left out: division does not trap.
    pub fn is_pure(self) -> bool {
        PURE.contains(self)
    }

    /// Returns whether this kind is a yield of a MULTILOOP.
    pub fn is_yield(self) -> bool {
        YIELDS.contains(self)
    }

    /// Returns whether this kind is a value, with or without side effects.
    pub fn is_value(self) -> bool {
        VALUES.contains(self)
    }

    /// Returns whether this kind is a part of a conditional expression that has its value.
    pub fn is_part(self) -> bool {
        PARTS.contains(self)
    }

    /// Returns whether the value of a row is in the register of its variable.
    pub fn is_in_variable(self) -> bool {
        IN_VARIABLES.contains(self)
    }

    /// Returns whether the location of a row is the register of its variable.
    pub fn is_at_variable(self) -> bool {
        AT_VARIABLES.contains(self)
    }

    /// Returns whether a row has another kind if its variable is in a register.
    pub fn is_holdable(self) -> bool {
        HOLDABLE.contains(self)
    }

    /// Returns whether a row takes the register of its variable for its only operand.
    pub const fn reads_held(self) -> bool {
        (self.code() == kind::HELD_NAME) | (self.code() == kind::HELD_WORD)
    }

    /// Returns the kind of a row whose variable is in a register.
    pub fn held(self) -> Kind {
        match self {
            Kind::Name => Kind::HeldName,
            Kind::Data | Kind::Extent => Kind::HeldWord,
            Kind::Assign | Kind::Declare => Kind::HeldAssign,
            Kind::Param => Kind::HeldParam,
            _ => self,
        }
    }

    /// Returns whether a row has the same value as its only operand, which can be a variable, so that it needs no instruction.
    pub const fn is_transparent(self) -> bool {
        TRANSPARENT.contains(self)
    }

    /// Returns whether a row jumps to a function, which may change all registers that it need not save.
    pub const fn is_call(self, ty: Type) -> bool {
        (self.code() == kind::CALL) | ((self.code() == kind::REM) & ty.is_float())
    }

    /// Returns the type of a row's value, `Void` if it has none. `ty` is the row's type.
    pub const fn type_of_value(self, ty: Type) -> Type {
        Type::from_code(VALUE_TYPES[self.with(ty)])
    }

    /// Returns whether a row of this kind has an operand only if its `aux` is 1.
    pub const fn has_optional_operand(self) -> bool {
        WITH_OPTIONAL.contains(self)
    }

    /// Returns whether the result of this kind can be NaN although no operand is.
    pub fn yields_nan(self) -> bool {
        YIELDING_NAN.contains(self)
    }

    /// Returns whether the result of this kind, of type `ty`, is the same for all operands that are NaN, or a NaN.
    pub fn ignores_nan_bits(self, ty: Type) -> bool {
        IGNORING_NAN.contains(self) | ((self == Kind::Cast) & (ty == Type::Int))
    }

    /// Returns whether the instruction of an operation on ints can contain its right operand, a literal.
    pub fn takes_literal(self) -> bool {
        WITH_LITERAL.contains(self)
    }

    /// Returns whether the instruction of a row contains its right operand, given its type and `aux`.
    pub const fn has_literal(self, ty: Type, aux: u32) -> bool {
        WITH_LITERAL.contains(self) & !ty.is_float() & (aux == 1)
    }

    /// Returns whether a row jumps to the condition of a loop, given its `aux`.
    pub fn enters_loop(self, aux: u32) -> bool {
        (self == Kind::Block) & (aux == 1)
    }

    /// Returns whether the branch of a row compares its operands, given its `aux`. Such a row has no value.
    pub fn is_branch(self, aux: u32) -> bool {
        self.is_comparison() & (aux == BY_BRANCH)
    }

    /// Returns whether `aux` of a row of this kind is 0 or 1.
    pub const fn is_flagged(self) -> bool {
        FLAGGED.contains(self)
    }

    /// Returns the number of operands of type `ty`: ints in the lower four bits, floats in the upper. An optional one counts.
    pub fn operands(self, ty: Type) -> u8 {
        OPERANDS[self.with(ty)]
    }

    /// Returns the index of this kind with a type in tables that replace branches.
    pub const fn with(self, ty: Type) -> usize {
        (self.code() & 127) as usize | ((ty.code() & 3) as usize) << 7
    }

    /// Returns the type of a row's operands, of an access the type of the address, `Void` if there are none. `has_value` is true if it
    /// has an optional operand. `before` is the type of the value before the row.
    pub fn type_of_operand(self, ty: Type, has_value: bool, before: Type) -> Type {
        let own = if self.is_access() { Type::Int } else { ty };
        let operand = if self == Kind::Cast { before } else { own };
        if WITH_OPERANDS.contains(self) | (WITH_OPTIONAL.contains(self) & has_value) { operand } else { Type::Void }
    }
}

/// The role of a value by the kind of its parent.
const ROLES: [u8; 256] = {
    let mut roles = [role::OPERAND; 256];
    roles[kind::ARG as usize] = role::ARGUMENT;
    roles[kind::RETURN as usize] = role::RETURNED;
    roles[kind::IF as usize] = role::CONDITION;
    roles[kind::IF_ELSE as usize] = role::CONDITION;
    roles[kind::WHILE as usize] = role::CONDITION;
    roles[kind::FOR as usize] = role::CONDITION;
    roles[kind::VECTOR_LOOP as usize] = role::CONDITION;
    roles[kind::TEST as usize] = role::CONDITION;
    roles
};

/// The bits of a type that are the type of an array's elements, or of a number. The bits above are the rank.
const ELEMENT_BITS: u32 = 3;

/// The code of `byte`; that of `short` is one more.
const NARROW: u8 = Type::Byte.code();

const _: () = assert!(NARROW == 4 && Type::Short.code() == 5);

/// The offset of the first extent of an array from the address that is its value. The address of its elements comes before.
pub const FIRST_EXTENT: u32 = 4;

/// The greatest rank of an array.
pub const MAX_RANK: u32 = 15;

/// The bit that the types of a program's [`composites`](crate::ir::tree::Tree::composites) have. The bits below are the index there.
const COMPOSITE: u8 = 128;

/// The greatest number of composite types of a program.
pub const MAX_COMPOSITES: usize = 128;

#[device]
impl Type {
    /// Returns whether this is the type of floats.
    pub const fn is_float(self) -> bool {
        self.code() == ty::FLOAT
    }

    /// Returns the number of dimensions: 0 of a number. The table of composites has that of a composite type.
    pub const fn rank(self) -> u32 {
        (self.code() as u32) >> ELEMENT_BITS
    }

    /// Returns whether this is the type of arrays of numbers.
    pub const fn is_array(self) -> bool {
        (self.rank() > 0) & !self.is_composite()
    }

    /// Returns whether this is the type of a struct, of a tuple, or of arrays of these.
    pub const fn is_composite(self) -> bool {
        self.code() & COMPOSITE != 0
    }

    /// Returns the index of a composite type in the table of its program.
    pub const fn composite(self) -> u32 {
        (self.code() & !COMPOSITE) as u32
    }

    /// Returns the composite type with an index.
    pub const fn of_composite(index: u32) -> Type {
        Type::from_code(index as u8 | COMPOSITE)
    }

    /// Returns the type of the numbers in an array; of a number, its type.
    pub const fn element(self) -> Type {
        Type::from_code(self.code() & 7)
    }

    /// Returns the type of arrays of some rank with the elements of this type.
    pub const fn array(self, rank: u32) -> Type {
        Type::from_code((self.code() & 7) | (rank << ELEMENT_BITS) as u8)
    }

    /// Returns whether this is `byte`, `short`, or the type of arrays of one of them.
    pub const fn is_narrow(self) -> bool {
        (self.code() & 6 == NARROW) & !self.is_composite()
    }

    /// Returns whether C has a form of values of this type: numbers, and arrays of them.
    pub const fn is_in_c(self) -> bool {
        (self.rank() == 0) & (self.code() <= Type::Float.code())
            | self.is_array()
                & ((self.element().code() == Type::Int.code()) | (self.element().code() == Type::Float.code()))
    }

    /// Returns the type of a value of this type: an int for `byte` and `short`.
    pub const fn of_value(self) -> Type {
        if self.code() & !1 == NARROW { Type::Int } else { self }
    }

    /// Returns the logarithm to base 2 of the number of bytes of an element.
    pub const fn shift(self) -> u32 {
        if self.is_narrow() { (self.code() & 1) as u32 } else { 2 }
    }

    /// Returns the number of bytes of an element.
    pub const fn bytes(self) -> u32 {
        1 << self.shift()
    }
}

impl Type {
    /// Returns the type as a program writes it, and the row of a composite type. [`type_text`](crate::ir::tree::type_text) knows its
    /// name too.
    pub fn text(self) -> String {
        if self.is_composite() {
            return format!("composite {}", self.composite());
        }
        let rank = self.rank() as usize;
        let element = ty::NAMES.get(self.element().code() as usize).unwrap_or(&"?");
        format!("{}{element}{}", "[".repeat(rank), "]".repeat(rank))
    }
}

#[device]
impl Role {
    /// Returns the role of a value that a parent of kind `above` uses.
    pub fn below(above: Kind) -> Role {
        Role::from_code(ROLES[above.code() as usize])
    }

    /// Returns whether a row ends with a branch.
    pub const fn branches(self) -> bool {
        (self.code() == Role::Condition.code()) | (self.code() == Role::Again.code())
    }

    /// Returns whether a value waits on the evaluation stack for the row that uses it.
    pub fn waits(self) -> bool {
        (self == Role::Operand) | (self == Role::Argument)
    }
}
