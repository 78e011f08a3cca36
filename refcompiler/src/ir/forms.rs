//! The operations on arrays that are written as calls and are no functions, with what the data-parallel front end makes of them.
//!
//! ```text
//! program  where[c, a, b]                  iota[n]                reshape[a, n, m]
//! parsed   CALL ARG c ARG a ARG b          CALL ARG n             CALL ARG a ARG n ARG m
//! tree     WHERE c a b                     ASCRIBE CALL ARG n     ASCRIBE CALL ARG a ARG ARRAY n m
//! part     Plain, Removed                  Built, Argument        Listed, First, List, Removed
//!
//! program  map[(+), a, b]                             map[f, a]                               sum[a]
//! parsed   CALL ARG LAMBDA ARG a ARG b                CALL ARG NAME ARG a                     CALL ARG a
//! tree     MAP LAMBDA PARAM PARAM ADD NAME NAME a b   MAP LAMBDA PARAM CALL ARG NAME a        REDUCE LAMBDA .. LITERAL a
//! part     Plain, Section, Removed                    Plain, Named1, Removed                  Sum, Removed
//! ```
//!
//! A part is a run of rows in preorder, in one table for all parts.

use treepar::device::device;

use super::kinds::{Kind, Type};
use super::meaning::Origin;
use super::sets::sets;
use super::tree::runtime;

/// Declares the forms: the enum, and tables with a row per form.
macro_rules! forms {
    ($($(#[$doc:meta])* $form:ident $name:literal = $kind:ident, $function:expr, $part:ident [$first:ident, $second:ident, $other:ident];)*) => {
        /// The operations that a name can mean.
        #[device]
        pub enum Form {
            $($(#[$doc])* $form,)*
        }

        /// The name of each form, empty of [`Form::None`].
        pub const FORM_NAMES: [&str; Form::COUNT] = [$($name),*];

        /// The kind of the node of each form until the tree is rebuilt.
        pub const FORM_KINDS: [Kind; Form::COUNT] = [$(Kind::$kind),*];

        /// The function of the runtime that the CALL of each form names, and 0 of forms without a CALL.
        pub const FORM_FUNCTIONS: [u32; Form::COUNT] = [$($function),*];

        /// The part of the node of each form.
        pub const FORM_PARTS: [Part; Form::COUNT] = [$(Part::$part),*];

        /// The parts of the first, the second and each other argument of each form.
        pub const ARGUMENT_PARTS: [Part; 3 * Form::COUNT] = {
            const PARTS: [[Part; 3]; Form::COUNT] = [$([Part::$first, Part::$second, Part::$other]),*];
            let mut parts = [Part::Plain; 3 * Form::COUNT];
            let mut k = 0;
            while k < parts.len() {
                parts[k] = PARTS[k / 3][k % 3];
                k += 1;
            }
            parts
        };
    };
}

forms! {
    /// No operation.
    None "" = Call, 0, Plain [Plain, Plain, Plain];
    /// `size[a, k]`.
    Size "size" = Size, 0, Plain [Removed, Removed, Removed];
    /// `replicate[n, v]`.
    Replicate "replicate" = Replicate, 0, Plain [Removed, Removed, Removed];
    /// `iota[n]`.
    Iota "iota" = Sequence, runtime::IOTA, Built [Argument, Argument, Argument];
    /// `copy[a]`.
    Copy "copy" = Sequence, runtime::COPY, Built [Argument, Argument, Argument];
    /// `concat[a, b]`.
    Concat "concat" = Sequence, runtime::CONCAT, Built [Argument, Argument, Argument];
    /// `perm[a, ..]`.
    Perm "perm" = Sequence, runtime::PERM, Listed [First, List, Removed];
    /// `reshape[a, ..]`.
    Reshape "reshape" = Sequence, runtime::RESHAPE, Listed [First, List, Removed];
    /// `where[c, a, b]`.
    Where "where" = Where, 0, Plain [Removed, Removed, Removed];
    /// `print[e]`.
    Print "print" = Print, 0, Plain [Removed, Removed, Removed];
    /// `map[f, a, ..]`.
    Map "map" = Map, 0, Plain [Removed, Removed, Removed];
    /// `reduce[f, e, a]`.
    Reduce "reduce" = Reduce, 0, Plain [Removed, Removed, Removed];
    /// `fold[f, e, a]`. The elements may have another type than `e`.
    Fold "fold" = Reduce, 0, Plain [Removed, Removed, Removed];
    /// `foldr[f, e, a]`.
    FoldRight "foldr" = FoldRight, 0, Plain [Removed, Removed, Removed];
    /// `scan[f, e, a]`.
    Scan "scan" = Scan, 0, Plain [Removed, Removed, Removed];
    /// `filter[p, a]`.
    Filter "filter" = Filter, 0, Plain [Removed, Removed, Removed];
    /// `group[f, e, n, keys, values]`.
    Group "group" = Group, 0, Plain [Removed, Removed, Removed];
    /// `sum[a]`.
    Sum "sum" = Reduce, 0, Sum [Removed, Removed, Removed];
    /// `product[a]`.
    Product "product" = Reduce, 0, Product [Removed, Removed, Removed];
    /// `min[a]`.
    Min "min" = Reduce, 0, Min [Removed, Removed, Removed];
    /// `max[a]`.
    Max "max" = Reduce, 0, Max [Removed, Removed, Removed];
    /// `all[a]`.
    All "all" = Reduce, 0, All [Removed, Removed, Removed];
    /// `any[a]`.
    Any "any" = Reduce, 0, Any [Removed, Removed, Removed];
    /// `count[a]`.
    Count "count" = Reduce, 0, Count [Removed, Removed, Removed];
}

/// The change of a node when the tree is rebuilt.
#[device]
pub enum Part {
    /// One row.
    Plain,
    /// No row.
    Removed,
    /// The first argument of an index: the NAME of the array, and the index itself.
    Base,
    /// An ASCRIBE with a CALL.
    Built,
    /// The ARG of such a CALL.
    Argument,
    /// An ASCRIBE with a CALL, whose second argument is a list.
    Listed,
    /// The ARG of the first argument of such a CALL.
    First,
    /// The ARG of the list, with the ARRAY. Both reach to the end of the CALL.
    List,
    /// An operator as a LAMBDA.
    Section,
    /// The lesser of two numbers as a LAMBDA.
    Least,
    /// The greater of two numbers as a LAMBDA.
    Greatest,
    /// The name of a function as a LAMBDA with one parameter, which calls it.
    Named1,
    /// The same with two parameters.
    Named2,
    /// The same with three parameters.
    Named3,
    /// The same with four parameters.
    Named4,
    /// A REDUCE with its LAMBDA and the first value, as all parts below.
    Sum,
    /// The product.
    Product,
    /// The least element.
    Min,
    /// The greatest element.
    Max,
    /// Whether all elements are not 0.
    All,
    /// Whether any element is not 0.
    Any,
    /// How many elements are not 0.
    Count,
}

/// The source of the data of a row.
#[device]
pub enum RowData {
    /// The node itself: kind, data and origin.
    Own,
    /// The position of its token.
    Position,
    /// A number, which may become a float.
    Number,
    /// The greatest number of its type.
    Greatest,
    /// The least number of its type.
    Least,
    /// Another row of the part.
    Row,
}

/// A row of a part. Bits: 7 of the kind, 3 of the depth, 4 of the end, 3 of the source, 4 of its number, 8 of the origin.
#[device]
pub struct Row {
    word: u32,
}

#[device]
impl Row {
    /// Returns the kind, if the source is another than the node itself.
    pub fn kind(self) -> Kind {
        Kind::from_code((self.word & 127) as u8)
    }

    /// Returns how much deeper it is than the node.
    pub fn depth(self) -> u32 {
        self.word >> 7 & 7
    }

    /// Returns one past the last row of its subtree among the rows of the part, 0 if its subtree is the node's.
    pub fn end(self) -> u32 {
        self.word >> 10 & 15
    }

    /// Returns the source of its data.
    pub const fn source(self) -> RowData {
        RowData::from_code((self.word >> 14 & 7) as u8)
    }

    /// Returns the number of the source: of [`RowData::Number`], and the row of [`RowData::Row`].
    pub fn number(self) -> u32 {
        self.word >> 17 & 15
    }

    /// Returns the origin of its type, if the source is another than the node itself.
    pub fn origin(self) -> Origin {
        Origin::from_code((self.word >> 21) as u8)
    }
}

/// Returns a row of a part.
const fn row(kind: Kind, depth: u32, end: u32, (source, number): (RowData, u32), origin: Origin) -> Row {
    assert!(depth < 8 && end < 16 && number < 16);
    let word = kind.code() as u32 | depth << 7 | end << 10 | (source.code() as u32) << 14 | number << 17;
    Row { word: word | (origin.code() as u32) << 21 }
}

/// The data of a row without any.
const NOTHING: (RowData, u32) = (RowData::Number, 0);

/// Returns the row of the node itself.
const fn own(depth: u32, end: u32) -> Row {
    row(Kind::Empty, depth, end, (RowData::Own, 0), Origin::Void)
}

/// Returns a row whose type is that of its first child, or is not looked at.
const fn plain(kind: Kind, depth: u32, end: u32) -> Row {
    row(kind, depth, end, NOTHING, Origin::Child)
}

/// Returns a row whose value is an int.
const fn int(kind: Kind, depth: u32, end: u32) -> Row {
    row(kind, depth, end, NOTHING, Origin::Int)
}

/// Returns a row whose type depends on the operation around the function.
const fn element(kind: Kind, depth: u32, end: u32) -> Row {
    row(kind, depth, end, NOTHING, Origin::Element)
}

/// Returns the first value of a reduction, of the type of the elements.
const fn first(end: u32, data: (RowData, u32)) -> Row {
    row(Kind::Literal, 1, end, data, Origin::Element)
}

/// Returns a read of the parameter in row `k`, in row `at`.
const fn read(depth: u32, at: u32, k: u32) -> Row {
    row(Kind::Name, depth, at + 1, (RowData::Row, k), Origin::Declaration)
}

/// The ASCRIBE around a CALL.
const ASCRIBE: Row = row(Kind::Ascribe, 0, 0, (RowData::Position, 0), Origin::Child);

/// The ARG around a list.
const LIST_ARGUMENT: Row = row(Kind::Arg, 0, 0, (RowData::Number, 1), Origin::from_code(Type::Int.array(1).code()));

/// The most rows of a part.
const MOST_ROWS: usize = 14;

/// Returns a LAMBDA with an operator on numbers.
const fn operator(depth: u32, at: u32, operation: Row) -> [Row; 6] {
    [
        element(Kind::Lambda, depth, at + 6),
        element(Kind::Param, depth + 1, at + 2),
        element(Kind::Param, depth + 1, at + 3),
        operation,
        read(depth + 2, at + 4, at + 1),
        read(depth + 2, at + 5, at + 2),
    ]
}

/// Returns a LAMBDA whose value is that of its parameters for which a comparison holds.
const fn extreme(depth: u32, at: u32, comparison: Kind) -> [Row; 12] {
    [
        element(Kind::Lambda, depth, at + 12),
        element(Kind::Param, depth + 1, at + 2),
        element(Kind::Param, depth + 1, at + 3),
        row(Kind::Choose, depth + 1, at + 12, (RowData::Row, at + 8), Origin::Declaration),
        int(Kind::Test, depth + 2, at + 8),
        int(comparison, depth + 3, at + 8),
        read(depth + 4, at + 6, at + 1),
        read(depth + 4, at + 7, at + 2),
        plain(Kind::Then, depth + 2, at + 10),
        read(depth + 3, at + 9, at + 1),
        plain(Kind::Otherwise, depth + 2, at + 12),
        read(depth + 3, at + 11, at + 2),
    ]
}

/// Returns a LAMBDA with an operator on an int and on whether an element is not 0, in a REDUCE.
const fn counter(kind: Kind) -> [Row; 8] {
    [
        int(Kind::Lambda, 1, 9),
        int(Kind::Param, 2, 3),
        element(Kind::Param, 2, 4),
        if matches!(kind, Kind::Add) { plain(kind, 2, 9) } else { int(kind, 2, 9) },
        read(3, 5, 2),
        int(Kind::Ne, 3, 9),
        read(4, 7, 3),
        element(Kind::Literal, 4, 9),
    ]
}

/// Returns a REDUCE with a function and a first value.
const fn reduced<const FUNCTION: usize, const ROWS: usize>(function: [Row; FUNCTION], first: Row) -> [Row; ROWS] {
    assert!(ROWS == FUNCTION + 2);
    let mut rows = [first; ROWS];
    rows[0] = own(0, 0);
    let mut k = 0;
    while k < FUNCTION {
        rows[k + 1] = function[k];
        k += 1;
    }
    rows
}

/// Returns a LAMBDA with some parameters, which calls the node itself.
const fn named<const ROWS: usize>(parameters: u32) -> [Row; ROWS] {
    let end = 2 + 3 * parameters;
    assert!(ROWS == end as usize);
    let mut rows = [element(Kind::Lambda, 0, end); ROWS];
    rows[1 + parameters as usize] = own(1, end);
    let mut k = 0;
    while k < parameters {
        let argument = 2 + parameters + 2 * k;
        rows[1 + k as usize] = element(Kind::Param, 1, 2 + k);
        rows[argument as usize] = row(Kind::Arg, 2, argument + 2, (RowData::Number, k), Origin::Element);
        rows[argument as usize + 1] = read(3, argument + 1, 1 + k);
        k += 1;
    }
    rows
}

/// The rows of each part.
const PARTS: [&[Row]; Part::COUNT] = {
    const ADD: [Row; 6] = operator(1, 1, plain(Kind::Add, 2, 7));
    const MUL: [Row; 6] = operator(1, 1, plain(Kind::Mul, 2, 7));
    let mut parts: [&[Row]; Part::COUNT] = [&[own(0, 0)]; Part::COUNT];
    parts[Part::Removed.code() as usize] = &[];
    parts[Part::Base.code() as usize] = &[own(0, 1)];
    parts[Part::Built.code() as usize] = &[ASCRIBE, own(1, 0)];
    parts[Part::Listed.code() as usize] = &[ASCRIBE, own(1, 0)];
    parts[Part::List.code() as usize] = &[LIST_ARGUMENT, own(1, 0)];
    parts[Part::Section.code() as usize] = &operator(0, 0, own(1, 6));
    parts[Part::Least.code() as usize] = &extreme(0, 0, Kind::Lt);
    parts[Part::Greatest.code() as usize] = &extreme(0, 0, Kind::Gt);
    parts[Part::Named1.code() as usize] = &named::<5>(1);
    parts[Part::Named2.code() as usize] = &named::<8>(2);
    parts[Part::Named3.code() as usize] = &named::<11>(3);
    parts[Part::Named4.code() as usize] = &named::<14>(4);
    parts[Part::Sum.code() as usize] = &reduced::<6, 8>(ADD, first(8, (RowData::Number, 0)));
    parts[Part::Product.code() as usize] = &reduced::<6, 8>(MUL, first(8, (RowData::Number, 1)));
    parts[Part::Min.code() as usize] = &reduced::<12, 14>(extreme(1, 1, Kind::Lt), first(14, (RowData::Greatest, 0)));
    parts[Part::Max.code() as usize] = &reduced::<12, 14>(extreme(1, 1, Kind::Gt), first(14, (RowData::Least, 0)));
    parts[Part::All.code() as usize] = &reduced::<8, 10>(counter(Kind::Land), truth(1));
    parts[Part::Any.code() as usize] = &reduced::<8, 10>(counter(Kind::Lor), truth(0));
    parts[Part::Count.code() as usize] = &reduced::<8, 10>(counter(Kind::Add), truth(0));
    parts
};

/// Returns the first value of a reduction to an int.
const fn truth(number: u32) -> Row {
    row(Kind::Literal, 1, 10, (RowData::Number, number), Origin::Int)
}

/// The number of rows of each part.
pub const ROWS: [u32; Part::COUNT] = {
    let mut rows = [0; Part::COUNT];
    let mut part = 0;
    while part < Part::COUNT {
        rows[part] = PARTS[part].len() as u32;
        part += 1;
    }
    rows
};

/// The row of the node itself among those of its part, 0 if the part has none.
pub const OWN_ROWS: [u32; Part::COUNT] = {
    let mut rows = [0; Part::COUNT];
    let mut k = 0;
    while k < MOST_ROWS * Part::COUNT {
        let (part, row) = (k / MOST_ROWS, k % MOST_ROWS);
        if row < PARTS[part].len() && matches!(PARTS[part][row].source(), RowData::Own) {
            rows[part] = row as u32;
        }
        k += 1;
    }
    rows
};

/// The rows of all parts, [`MOST_ROWS`] for each.
const TABLE: [u32; MOST_ROWS * Part::COUNT] = {
    let mut table = [0; MOST_ROWS * Part::COUNT];
    let mut k = 0;
    while k < table.len() {
        let rows = PARTS[k / MOST_ROWS];
        assert!(rows.len() <= MOST_ROWS);
        if k % MOST_ROWS < rows.len() {
            table[k] = rows[k % MOST_ROWS].word;
        }
        k += 1;
    }
    table
};

/// Returns row `k` of a part.
#[device]
pub fn row_of(part: Part, k: u32) -> Row {
    Row { word: TABLE[MOST_ROWS * part.code() as usize + k as usize] }
}

/// How much deeper the nodes below a node of each part get, modulo 2^32. The nodes below a list are arguments of the CALL in the
/// parsed tree, so the CALL makes all its arguments as deep, and a first argument is less deep.
pub const SHIFTS: [u32; Part::COUNT] = {
    let mut shifts = [0; Part::COUNT];
    shifts[Part::Removed.code() as usize] = u32::MAX;
    shifts[Part::Base.code() as usize] = u32::MAX;
    shifts[Part::Built.code() as usize] = 1;
    shifts[Part::Listed.code() as usize] = 3;
    shifts[Part::First.code() as usize] = u32::MAX - 1;
    shifts[Part::List.code() as usize] = u32::MAX;
    shifts
};

/// How much deeper the first row of each part gets, modulo 2^32.
pub const OWN_SHIFTS: [u32; Part::COUNT] = {
    let mut shifts = [0; Part::COUNT];
    shifts[Part::First.code() as usize] = u32::MAX - 1;
    shifts[Part::List.code() as usize] = u32::MAX - 1;
    shifts
};

sets! {
    /// A set of forms.
    Forms of Form
}

/// The forms that a variable hides if it is an array: the operations that are no functions of the runtime.
pub const HIDDEN_BY_ARRAYS: Forms = Forms::of(&[
    Form::Perm,
    Form::Reshape,
    Form::Where,
    Form::Print,
    Form::Sum,
    Form::Product,
    Form::Min,
    Form::Max,
    Form::All,
    Form::Any,
    Form::Count,
])
.union(TAKE_FUNCTION);

/// The forms whose first argument is a function.
pub const TAKE_FUNCTION: Forms =
    Forms::of(&[Form::Map, Form::Reduce, Form::Fold, Form::FoldRight, Form::Scan, Form::Filter, Form::Group]);

/// The forms of REDUCE whose elements may have another type than the first value.
pub const MIXED: Forms = Forms::of(&[Form::Fold, Form::All, Form::Any, Form::Count]);
