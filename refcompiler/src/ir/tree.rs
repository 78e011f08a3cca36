//! The syntax tree as columns: the result of the front end and the input of the passes.
//!
//! A program is a forest in preorder; node `i` is row `i` of every column. Top-level functions of all inputs are
//! the roots, and the runtime functions that the program uses follow them.
//!
//! ```text
//! depth[n] u32   0 for a root, else its parent's plus 1
//! kind[n]  u8    one of `kind::*`
//! ty[n]    u8    one of `ty::*`: the type of a value's node; a function's node has its return type; else VOID
//! data[n]  u32   see `kind`
//! pos[n]   u32   byte offset of the node's first token (an operator's own token) in all sources, laid end to end
//! ```

use crate::ir::kinds::Type;
pub use crate::ir::kinds::{kind, ty};

/// Ids of the functions that come with the compiler: the first rows of every function table. Programs can name those before
/// [`NAMED`](runtime::NAMED), and those from [`ARRAYS`](runtime::ARRAYS) to [`NAMED_ARRAYS_END`](runtime::NAMED_ARRAYS_END).
/// The others are for operators and for the runtime itself.
pub mod runtime {
    /// `print_int[x: int]`.
    pub const PRINT_INT: u32 = 0;
    /// `print_float[x: float]`.
    pub const PRINT_FLOAT: u32 = 1;
    /// `print_char[c: int]`, machine code (see `target::riscv::stub`).
    pub const PRINT_CHAR: u32 = 2;
    /// `read_char[]: int`, machine code.
    pub const READ_CHAR: u32 = 3;
    /// `sqrt[x: float]: float`, an operation.
    pub const SQRT: u32 = 4;
    /// `abs[x: T]: T` of an int or a float, an operation.
    pub const ABS: u32 = 5;
    /// `floor[x: float]: float`.
    pub const FLOOR: u32 = 6;
    /// `exp[x: float]: float`.
    pub const EXP: u32 = 7;
    /// `log[x: float]: float`.
    pub const LOG: u32 = 8;
    /// `pow[x: float, y: float]: float`.
    pub const POW: u32 = 9;
    /// `sin[x: float]: float`.
    pub const SIN: u32 = 10;
    /// `cos[x: float]: float`.
    pub const COS: u32 = 11;
    /// `read_int[]: int`.
    pub const READ_INT: u32 = 12;
    /// `read_float[]: float`.
    pub const READ_FLOAT: u32 = 13;
    /// `assert[c: int]`, machine code: ends the program if c is 0.
    pub const ASSERT: u32 = 14;
    /// The number of functions that programs can name.
    pub const NAMED: u32 = 15;
    /// `remainder[x: float, y: float]: float`: called for `%` of floats.
    pub const REMAINDER: u32 = 15;
    /// `circle[x: float, quadrant: int]: float`: the sine of x plus `quadrant` quarter turns.
    pub const CIRCLE: u32 = 16;
    /// `input_error[reads_float: int, reason: int]`: ends the program because of its input.
    pub const INPUT_ERROR: u32 = 17;
    /// `print_error[c: int]`, machine code: writes a byte to standard error.
    pub const PRINT_ERROR: u32 = 18;
    /// `exit[status: int]`, machine code: ends the program.
    pub const EXIT: u32 = 19;
    /// `bits[x: float]: int`, machine code: the bits of a float.
    pub const BITS: u32 = 20;
    /// `float_of_bits[bits: int]: float`, machine code: its inverse.
    pub const FLOAT_OF_BITS: u32 = 21;
    /// `high_product[a: int, b: int]: int`, machine code: the upper 32 bits of the product of unsigned numbers.
    pub const HIGH_PRODUCT: u32 = 22;
    /// The first function for arrays. Programs with arrays contain the functions that [their nodes need](crate::ir::needs).
    pub const ARRAYS: u32 = 23;
    /// `size[a, k]: int`, an operation.
    pub const SIZE: u32 = 23;
    /// `replicate[n: int, v]`, an operation.
    pub const REPLICATE: u32 = 24;
    /// `iota[n: int]: [int]`.
    pub const IOTA: u32 = 25;
    /// `copy[a]`, of the type of `a`.
    pub const COPY: u32 = 26;
    /// `concat[a, b]`, of the type of both.
    pub const CONCAT: u32 = 27;
    /// The end of the functions for arrays that programs can name.
    pub const NAMED_ARRAYS_END: u32 = 28;
    /// `load_word[address: int]: int`, an operation: a word of memory.
    pub const LOAD_WORD: u32 = 28;
    /// `store_word[address: int, x: int]`, an operation: writes a word of memory.
    pub const STORE_WORD: u32 = 29;
    /// `arena[]: int`, machine code: the address of two words, the top and the limit of the arena. Reserves its memory at the first call.
    pub const ARENA: u32 = 30;
    /// `out_of_memory[]`, machine code: ends the program because its memory is exhausted.
    pub const OUT_OF_MEMORY: u32 = 31;
    /// `extent_product[a: int, b: int]: int`: a product of extents, at most a size that no arena has.
    pub const EXTENT_PRODUCT: u32 = 32;
    /// `count_of[a: int, first: int, end: int]: int`: the product of the extents of an array from `first` to before `end`.
    pub const COUNT_OF: u32 = 33;
    /// `copy_words[to: int, from: int, count: int]`, machine code: copies words in ascending order.
    pub const COPY_WORDS: u32 = 34;
    /// `allocate[rank: int, count: int]: int`, machine code: a temporary without extents, with room for `count` words of data.
    pub const ALLOCATE: u32 = 35;
    /// `empty[rank: int]: int`: a temporary whose extents are 0.
    pub const EMPTY: u32 = 36;
    /// `row_view[a: int, rank: int, fixed: int, row: int]: int`: the row of an array that `fixed` indices select, as a view.
    pub const ROW_VIEW: u32 = 37;
    /// `set_row[a: int, rank: int, fixed: int, row: int, v: int]`: writes a row of an array.
    pub const SET_ROW: u32 = 38;
    /// `rows_like[n: int, rank: int, v: int]: int`: a temporary for `n` rows with the extents of `v`.
    pub const ROWS_LIKE: u32 = 39;
    /// `fill[n: int, x: int]: int`: a temporary of `n` equal words.
    pub const FILL: u32 = 40;
    /// `fill_float[n: int, x: float]: int`: a temporary of `n` equal floats.
    pub const FILL_FLOAT: u32 = 41;
    /// `fill_rows[n: int, rank: int, v: int]: int`: a temporary of `n` equal rows.
    pub const FILL_ROWS: u32 = 42;
    /// `count_up[n: int]: int`: a temporary of the ints from 0 to `n` - 1.
    pub const COUNT_UP: u32 = 43;
    /// `copy_array[v: int, rank: int]: int`: a copy, as a temporary.
    pub const COPY_ARRAY: u32 = 44;
    /// `join[a: int, b: int, rank: int]: int`: the rows of two arrays, as a temporary.
    pub const JOIN: u32 = 45;
    /// `own[slot: int, v: int, rank: int, mark: int]: int`: the value for the variable at address `slot`: `v` if it is a temporary from `mark` on, or else a copy.
    pub const OWN: u32 = 46;
    /// `leave[mark: int]`: releases all memory from `mark` on.
    pub const LEAVE: u32 = 47;
    /// `leave_int[mark: int, x: int]: int`: does the same and returns `x`.
    pub const LEAVE_INT: u32 = 48;
    /// `leave_float[mark: int, x: float]: float`: does the same and returns `x`.
    pub const LEAVE_FLOAT: u32 = 49;
    /// `leave_array[mark: int, v: int, rank: int]: int`: releases all memory from `mark` on except an array, which becomes a temporary at `mark`.
    pub const LEAVE_ARRAY: u32 = 50;
    /// `compact[mark: int]`: releases all memory from `mark` on that no variable owns.
    pub const COMPACT: u32 = 51;
    /// Machine code that a check calls if it does not hold: ends the program. It has no parameters.
    pub const CHECK_FAILED: u32 = 52;
    /// `array_like[v: int, rank: int]: int`: a temporary with the extents of `v`, whose data are not written.
    pub const ARRAY_LIKE: u32 = 53;
    /// `sized[a: int, rank: int]: int`: a temporary with the extents of the temporary `a`, which has no data.
    pub const SIZED: u32 = 54;
    /// `truncated[a: int, rank: int, n: int]: int`: the temporary `a` without its rows from `n` on.
    pub const TRUNCATED: u32 = 55;
    /// `perm[a, order]`, of the type of `a`: `order` is an array.
    pub const PERM: u32 = 56;
    /// `reshape[a, extents]`: `extents` is an array.
    pub const RESHAPE: u32 = 57;
    /// `permuted[a: int, order: int, rank: int]: int`: a temporary whose dimension k is dimension `order[k]` of `a`.
    pub const PERMUTED: u32 = 58;
    /// `reshaped[a: int, rank: int, extents: int, new_rank: int]: int`: the data of `a` with other extents, as a view.
    pub const RESHAPED: u32 = 59;
    /// `reshaped_count[a: int, rank: int, extents: int, new_rank: int]: int`: the product of the extents that `extents` replace.
    pub const RESHAPED_COUNT: u32 = 60;
    /// `first_negative[a: int]: int`: the first negative element of an array of ints, or 0.
    pub const FIRST_NEGATIVE: u32 = 61;
    /// `product_of[a: int]: int`: the product of the elements, which are extents, at most a size that no arena has.
    pub const PRODUCT_OF: u32 = 62;
    /// `slice_plan[a: int, rank: int]: int`: memory for three numbers per dimension of a slice: its bounds and the extent. The slice is whole.
    pub const SLICE_PLAN: u32 = 63;
    /// `slice_check[plan: int, k: int]: int`: the address of the numbers of dimension `k` if the bounds are out of range, or 0.
    pub const SLICE_CHECK: u32 = 64;
    /// `sliced[a: int, rank: int, plan: int]: int`: a slice: a view if its data lie together, or a copy.
    pub const SLICED: u32 = 65;
    /// `slice_extents[plan: int, rank: int, last: int]: int`: an address like that of an array, for the last extents of a slice.
    pub const SLICE_EXTENTS: u32 = 66;
    /// `set_slice[a: int, rank: int, plan: int, v: int, v_rank: int]`: writes a slice of an array. An array of lower rank is repeated.
    pub const SET_SLICE: u32 = 67;
    /// `print_number[x: int, stays: int]`: prints an int, and a line end unless `stays`.
    pub const PRINT_NUMBER: u32 = 68;
    /// `print_float_number[x: float, stays: int]`: does the same for a float.
    pub const PRINT_FLOAT_NUMBER: u32 = 69;
    /// `print_numbers[a: int, rank: int, stays: int]`: does the same for an array of ints.
    pub const PRINT_NUMBERS: u32 = 70;
    /// `print_floats[a: int, rank: int, stays: int]`: does the same for an array of floats.
    pub const PRINT_FLOATS: u32 = 71;
    /// `leave_outs[mark: int, first: int, last: int]`: releases all memory from `mark` on that no variable of the caller owns.
    pub const LEAVE_OUTS: u32 = 72;
    /// `load_byte[address: int]: int`, an operation: a byte of memory, without sign.
    pub const LOAD_BYTE: u32 = 73;
    /// `load_short[address: int]: int`, an operation: two bytes of memory, with sign.
    pub const LOAD_SHORT: u32 = 74;
    /// `store_byte[address: int, x: int]`, an operation: writes the lowest byte of `x`.
    pub const STORE_BYTE: u32 = 75;
    /// `store_short[address: int, x: int]`, an operation: writes the lowest two bytes of `x`.
    pub const STORE_SHORT: u32 = 76;
    /// `copy_bytes[to: int, from: int, count: int]`: copies bytes in ascending order.
    pub const COPY_BYTES: u32 = 77;
    /// `narrow_words[count: int, shape: int]: int`: how many words some elements need. A *shape* is a rank plus 16 times the bytes of an element, 1 or 2.
    pub const NARROW_WORDS: u32 = 78;
    /// `narrow_row_view[a: int, shape: int, fixed: int, row: int]: int`: as `row_view`. The following are as others too, for elements of one or two bytes.
    pub const NARROW_ROW_VIEW: u32 = 79;
    /// `narrow_set_row[a: int, shape: int, fixed: int, row: int, v: int]`.
    pub const NARROW_SET_ROW: u32 = 80;
    /// `narrow_rows_like[n: int, shape: int, v: int]: int`.
    pub const NARROW_ROWS_LIKE: u32 = 81;
    /// `narrow_fill_rows[n: int, shape: int, v: int]: int`.
    pub const NARROW_FILL_ROWS: u32 = 82;
    /// `narrow_copy[v: int, shape: int]: int`.
    pub const NARROW_COPY: u32 = 83;
    /// `narrow_join[a: int, b: int, shape: int]: int`.
    pub const NARROW_JOIN: u32 = 84;
    /// `narrow_own[slot: int, v: int, shape: int, mark: int]: int`.
    pub const NARROW_OWN: u32 = 85;
    /// `narrow_leave[mark: int, v: int, shape: int]: int`.
    pub const NARROW_LEAVE: u32 = 86;
    /// `narrow_like[v: int, shape: int]: int`.
    pub const NARROW_LIKE: u32 = 87;
    /// `narrow_sized[a: int, shape: int]: int`.
    pub const NARROW_SIZED: u32 = 88;
    /// `narrow_truncated[a: int, shape: int, n: int]: int`.
    pub const NARROW_TRUNCATED: u32 = 89;
    /// `narrow_permuted[a: int, order: int, shape: int]: int`.
    pub const NARROW_PERMUTED: u32 = 90;
    /// `narrow_sliced[a: int, shape: int, plan: int]: int`.
    pub const NARROW_SLICED: u32 = 91;
    /// `narrow_set_slice[a: int, shape: int, plan: int, v: int, v_rank: int]`.
    pub const NARROW_SET_SLICE: u32 = 92;
    /// `print_narrow[a: int, shape: int, stays: int]`.
    pub const PRINT_NARROW: u32 = 93;
    /// `fill_bytes[n: int, x: int]: int`.
    pub const FILL_BYTES: u32 = 94;
    /// `fill_shorts[n: int, x: int]: int`.
    pub const FILL_SHORTS: u32 = 95;
    /// `add_ints[x: int, y: int]: int`: the int that is nearest to the sum, for `addsat`.
    pub const ADD_INTS: u32 = 96;
    /// `sub_ints[x: int, y: int]: int`: the int that is nearest to the difference, for `subsat`.
    pub const SUB_INTS: u32 = 97;
    /// `add_bytes[x: int, y: int]: int`: the byte that is nearest to the sum.
    pub const ADD_BYTES: u32 = 98;
    /// `sub_bytes[x: int, y: int]: int`: the byte that is nearest to the difference.
    pub const SUB_BYTES: u32 = 99;
    /// `add_shorts[x: int, y: int]: int`: the short that is nearest to the sum.
    pub const ADD_SHORTS: u32 = 100;
    /// `sub_shorts[x: int, y: int]: int`: the short that is nearest to the difference.
    pub const SUB_SHORTS: u32 = 101;
    /// `take[slot: int, v: int, rank: int]: int`: the array for the unique parameter at address `slot`: `v`, or a copy of a row.
    pub const TAKE: u32 = 102;
    /// `leave_unique[mark: int, v: int, rank: int]: int`: as `leave_array`, but leaves an array before `mark` where it is.
    pub const LEAVE_UNIQUE: u32 = 103;
    /// `narrow_take[slot: int, v: int, shape: int]: int`.
    pub const NARROW_TAKE: u32 = 104;
    /// `narrow_unique[mark: int, v: int, shape: int]: int`: as `leave_unique`.
    pub const NARROW_UNIQUE: u32 = 105;
    /// `foreign_view[data: int, rank: int, given: int]: int`: an array of C without extents, as a view. If `given`, a unique parameter gets it.
    pub const FOREIGN_VIEW: u32 = 106;
    /// `foreign_room[rank: int]: int`: a temporary for a result of C, whose first extent is the room for it.
    pub const FOREIGN_ROOM: u32 = 107;
    /// `foreign_result[a: int, rank: int]: int`: this temporary when C has written it.
    pub const FOREIGN_RESULT: u32 = 108;
    /// `fitting[v: int, rank: int, room: int]: int`: the number of elements of an array, at most `room`.
    pub const FITTING: u32 = 109;
    /// `hand_over[v: int, rank: int, to: int, extents: int]`: writes data and extents to memory of C.
    pub const HAND_OVER: u32 = 110;
    /// `copy_from_c[to: int, pointer: int, count: int]`, machine code of x86-64: copies words from the address of 64 bits at `pointer`.
    pub const COPY_FROM_C: u32 = 111;
    /// `copy_to_c[pointer: int, from: int, count: int]`, machine code of x86-64: copies words to the address of 64 bits at `pointer`.
    pub const COPY_TO_C: u32 = 112;
    /// `fetch[view: int, pointer: int, rank: int]`: gives an array of C a copy of its data if they lie where Par has no addresses.
    pub const FETCH: u32 = 113;
    /// `give_back[view: int, pointer: int, rank: int]`: writes such a copy back to C.
    pub const GIVE_BACK: u32 = 114;
    /// `hand_over_far[v: int, rank: int, to: int, extents: int]`: as `hand_over`, with the addresses of pointers of 64 bits.
    pub const HAND_OVER_FAR: u32 = 115;
    /// How many there are; the id of a program's first function.
    pub const COUNT: u32 = 116;
}

/// Where a function's code comes from, and who sees its symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// A function at top level: its code is in the tree, its symbol is global.
    Global,
    /// A nested function, or one of the runtime written in Par: in the tree, with a local symbol.
    Local,
    /// `extern`: in another object file, reached through a relocation.
    Extern,
    /// Machine code of the compiler's own, used by this program.
    Stub,
    /// A runtime function that this program does not use.
    Absent,
}

/// One row of the function table, which is indexed by function id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The symbol: the name in the source, after the names of the functions around it: `outer.inner`.
    pub name: String,
    /// The FUNCTION or EXTERN node; `None` for stubs and absent functions.
    pub node: Option<u32>,
    /// The position of its name in all sources; 0 of a function of the runtime.
    pub position: u32,
    /// How many parameters it takes.
    pub parameters: u32,
    /// Where its code comes from.
    pub linkage: Linkage,
}

/// A field of a struct or a tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name, empty in a tuple.
    pub name: String,
    /// The type.
    pub ty: u8,
}

/// The type of a struct or a tuple, or of arrays of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composite {
    /// The name of the struct, empty of a tuple.
    pub name: String,
    /// The number of dimensions: 0 of a struct or a tuple.
    pub rank: u32,
    /// The fields of the struct or tuple.
    pub fields: Vec<Field>,
}

/// Texts of types that have more bytes are cut.
const MAX_TYPE_TEXT: usize = 100;

/// Returns a type as a program writes it, where a program has some composite types. A long text is cut.
pub fn type_text(ty: u8, composites: &[Composite]) -> String {
    let mut text = String::new();
    add_type(ty, composites, &mut text);
    text
}

/// Adds the text of a type.
fn add_type(ty: u8, composites: &[Composite], text: &mut String) {
    let ty = Type::from_code(ty);
    let row = if ty.is_composite() { composites.get(ty.composite() as usize) } else { None };
    let Some(row) = row else { return text.push_str(&ty.text()) };
    (0..row.rank).for_each(|_| text.push('['));
    text.push_str(&row.name);
    if row.name.is_empty() {
        for (k, field) in row.fields.iter().enumerate() {
            text.push_str(if k == 0 { "(" } else { ", " });
            if text.len() > MAX_TYPE_TEXT {
                text.push_str("..");
                break;
            }
            add_type(field.ty, composites, text);
        }
        text.push(')');
    }
    (0..row.rank).for_each(|_| text.push(']'));
}

/// A checked program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// Depth of each node, in preorder.
    pub depth: Vec<u32>,
    /// Kind of each node.
    pub kind: Vec<u8>,
    /// Type of each node.
    pub ty: Vec<u8>,
    /// Further data of each node; see [`kind`].
    pub data: Vec<u32>,
    /// Byte offset of each node's token in all sources, laid end to end.
    pub pos: Vec<u32>,
    /// The functions by id: first the [`runtime`], then the program in preorder.
    pub functions: Vec<Function>,
    /// `true` if the program uses arrays.
    pub arrays: bool,
    /// `true` if the program has operations on whole arrays: nodes that the pass `loops` replaces.
    pub loops: bool,
    /// The composite types. A field has a type of an earlier row. Each type of a program is there once.
    pub composites: Vec<Composite>,
}

impl Tree {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    /// Returns whether the tree is empty.
    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }
}
