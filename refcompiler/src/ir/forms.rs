//! The operations on arrays that are written as calls and are no functions, with what the data-parallel front end makes of them.
//!
//! ```text
//! program  where[c, a, b]                  iota[n]                reshape[a, n, m]
//! parsed   CALL ARG c ARG a ARG b          CALL ARG n             CALL ARG a ARG n ARG m
//! tree     WHERE c a b                     ASCRIBE CALL ARG n     ASCRIBE CALL ARG a ARG ARRAY n m
//! part     Plain, Removed                  Built, Argument        Listed, First, List, Removed
//! ```

use treepar::device::device;

use super::kinds::Kind;
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
    /// `perm[a, ..]`. No function of a program hides a variable of this name and of the names below.
    Perm "perm" = Sequence, runtime::PERM, Listed [First, List, Removed];
    /// `reshape[a, ..]`.
    Reshape "reshape" = Sequence, runtime::RESHAPE, Listed [First, List, Removed];
    /// `where[c, a, b]`.
    Where "where" = Where, 0, Plain [Removed, Removed, Removed];
    /// `print[e]`.
    Print "print" = Print, 0, Plain [Removed, Removed, Removed];
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
}

/// The number of rows of each part.
pub const ROWS: [u32; Part::COUNT] = [1, 0, 1, 2, 1, 2, 1, 2];

/// How much deeper the nodes below a node of each part get, modulo 2^32. The nodes below a list are arguments of the CALL in the
/// parsed tree, so the CALL makes all its arguments as deep, and a first argument is less deep.
pub const SHIFTS: [u32; Part::COUNT] = [0, u32::MAX, u32::MAX, 1, 0, 3, u32::MAX - 1, u32::MAX];

/// How much deeper the first row of each part gets, modulo 2^32.
pub const OWN_SHIFTS: [u32; Part::COUNT] = [0, 0, 0, 0, 0, 0, u32::MAX - 1, u32::MAX - 1];

#[device]
impl Form {
    /// Returns whether a variable that is an array hides this operation.
    pub fn is_hidden_by_arrays(self) -> bool {
        self.code() >= Form::Perm.code()
    }
}
