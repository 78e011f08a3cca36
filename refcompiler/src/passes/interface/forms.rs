//! The forms of sections, each with its pieces.

use treepar::device::device;

use super::pieces::Piece;

/// How often the second piece of a form occurs: for each dimension of the array, or once more.
const DIMENSIONS: u32 = 0;
/// Once more than there are dimensions.
const AND_DATA: u32 = 1;

/// Declares the forms, each with its first piece, the piece that is repeated, and its last piece; and by how much the section's nodes, or
/// the arguments after a *call*, are deeper.
macro_rules! forms {
    ($($(#[$doc:meta])* $form:ident = [$first:ident, $repeated:ident($times:ident), $last:ident] $shift:literal;)*) => {
        /// The form of a section.
        #[device]
        pub enum Form {
            $($(#[$doc])* $form,)*
        }

        /// The pieces of each form.
        const PIECES: [Piece; 3 * Form::COUNT] = {
            let rules = [$([Piece::$first, Piece::$repeated, Piece::$last]),*];
            let mut flat = [Piece::Nothing; 3 * Form::COUNT];
            let mut i = 0;
            while i < flat.len() {
                flat[i] = rules[i / 3][i % 3];
                i += 1;
            }
            flat
        };
        const MORE: [u32; Form::COUNT] = [$($times),*];
        const SHIFTS: [u32; Form::COUNT] = [$($shift),*];
    };
}

forms! {
    /// The function.
    Begin = [Begin, Nothing(DIMENSIONS), Nothing] 0;
    /// A parameter that is a number, or the address of an array of Par.
    Word = [Word, Nothing(DIMENSIONS), Nothing] 0;
    /// An array of C: the address of its data, then its extents.
    Words = [Nothing, IntWord(AND_DATA), Nothing] 0;
    /// The block.
    Open = [Open, Nothing(DIMENSIONS), Nothing] 0;
    /// The same, after three parameters for a result.
    OpenOuts = [Outs, Nothing(DIMENSIONS), Open] 0;
    /// Nothing.
    Nothing = [Nothing, Nothing(DIMENSIONS), Nothing] 0;
    /// An array of Par for an array of C.
    View = [View, StoreExtent(DIMENSIONS), Nothing] 0;
    /// An array that C may change.
    Take = [Take, Nothing(DIMENSIONS), Nothing] 0;
    /// The call of a function whose result is an int.
    CallInt = [CallInt, Nothing(DIMENSIONS), Nothing] 2;
    /// The same of a float.
    CallFloat = [CallFloat, Nothing(DIMENSIONS), Nothing] 2;
    /// The same without a result.
    CallVoid = [CallVoid, Nothing(DIMENSIONS), Nothing] 0;
    /// The same of an array of Par.
    CallArray = [CallArray, Nothing(DIMENSIONS), Nothing] 1;
    /// The same of an array of C, after the allocation of room for it.
    CallRoom = [Room, Nothing(DIMENSIONS), CallVoid] 0;
    /// An argument that is a number, or an array of Par.
    Number = [Number, Nothing(DIMENSIONS), Nothing] 0;
    /// An argument that is an array of C.
    Passed = [Passed, Nothing(DIMENSIONS), Nothing] 0;
    /// An array as C gets it.
    Parts = [Nothing, Part(AND_DATA), Nothing] 0;
    /// The end of a function without a result.
    Leave = [Leave, Nothing(DIMENSIONS), Nothing] 0;
    /// The end of a function that gives C an array.
    HandOver = [HandOver, Nothing(DIMENSIONS), Leave] 0;
    /// The end of a function that gets an array from C.
    Receive = [RoomParts, CheckExtent(DIMENSIONS), ReturnArray] 0;
}

#[device]
impl Form {
    /// Returns piece `k` of three.
    pub fn piece(self, k: u32) -> Piece {
        PIECES[(3 * self.code() as u32 + k) as usize]
    }

    /// Returns how often the second piece occurs for an array of a rank.
    pub fn times(self, rank: u32) -> u32 {
        rank + MORE[self.code() as usize]
    }

    /// Returns by how much the arguments of a *call* are deeper than those of a statement.
    pub fn shift(self) -> u32 {
        SHIFTS[self.code() as usize]
    }
}

impl Form {
    /// Returns the functions of the runtime that its nodes call, with the one that a check calls.
    pub fn calls(self) -> impl Iterator<Item = u32> {
        (0..3).flat_map(move |k| self.piece(k).calls())
    }
}
