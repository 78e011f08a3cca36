//! The forms of sections, each with its pieces.

use std::iter::successors;

use treepar::device::device;

use super::pieces::Piece;
use super::slots::Slot;
use crate::passes::templates::rules::{CHILDREN, HEAD, forms};
use crate::passes::templates::slots::repeats;

// The section of a call has one role of children, the arguments: they are other sections. `times` is the number of dimensions of the
// array, and `more` one more than that.
forms! { 1 roles:
    /// The function.
    Begin => [Begin] ([] 0 []) [];
    /// A parameter that is a number, or the address of an array of Par.
    Word => [Word] ([] 0 []) [];
    /// An array of C: the address of its data, then its extents.
    Words => [IntWord(more)] ([] 0 []) [];
    /// The function of x86-64 that C calls: its parameter is the address of the frame.
    BeginFrame => [Begin, IntWord, Open] ([] 0 []) [];
    /// A variable for a number that C passes so.
    Loaded => [Loaded] ([] 0 []) [];
    /// Variables for the lower half of an address, and for extents.
    LoadedWords => [LoadedWord(more)] ([] 0 []) [];
    /// A variable for the room of a result.
    LoadedRoom => [LoadedRoom] ([] 0 []) [];
    /// The block.
    Open => [Open] ([] 0 []) [];
    /// The same, after three parameters for a result.
    OpenOuts => [Outs, Open] ([] 0 []) [];
    /// Nothing.
    Nothing => [] ([] 0 []) [];
    /// An array of Par for an array of C.
    View => [View, StoreExtent(times)] ([] 0 []) [];
    /// The same where C has addresses that Par has not.
    FarView => [View, StoreExtent(times), Fetch] ([] 0 []) [];
    /// An array that C may change.
    Take => [Take] ([] 0 []) [];
    /// The call of a function whose result is an int.
    CallInt => [CallInt] ([] 2 []) [];
    /// The same of a float.
    CallFloat => [CallFloat] ([] 2 []) [];
    /// The same without a result.
    CallVoid => [CallVoid] ([] 0 []) [];
    /// The same of an array of C, after the allocation of room for it.
    CallRoom => [Room, CallVoid] ([] 0 []) [];
    /// The call of a function whose result, an int or an array of Par, is a variable.
    KeptInt => [KeptInt] ([] 1 []) [];
    /// The same of a float.
    KeptFloat => [KeptFloat] ([] 1 []) [];
    /// An argument that is a number, or an array of Par.
    Number => [Number] ([] 0 []) [];
    /// An argument that is an array of C.
    Passed => [Passed] ([] 0 []) [];
    /// An array as C gets it.
    Parts => [Part(more)] ([] 0 []) [];
    /// The end of the use of an array that C may read again.
    GiveBack => [GiveBack] ([] 0 []) [];
    /// The end of a function whose result is an int.
    LeaveInt => [LeaveInt] ([] 0 []) [];
    /// The same of a float.
    LeaveFloat => [LeaveFloat] ([] 0 []) [];
    /// The end of a function without a result.
    Leave => [Leave] ([] 0 []) [];
    /// The end of a function that gives C an array.
    HandOver => [CheckRoom, HandOver, Leave] ([] 0 []) [];
    /// The same where C has addresses that Par has not.
    HandOverFar => [CheckRoom, HandOverFar, Leave] ([] 0 []) [];
    /// The end of a function that gets an array from C.
    Receive => [RoomParts, CheckExtent(times), ReturnArray] ([] 0 []) [];
}

impl Form {
    /// Returns the functions of the runtime that its nodes call, with the one that a check calls.
    pub fn calls(self) -> impl Iterator<Item = u32> {
        let slots = successors(Some(part(self, HEAD, 0)), |slot| Some(slot.rest()));
        slots.take_while(|slot| slot.pieces != 0).flat_map(|slot| slot.first().calls())
    }
}
