//! The nineteen passes of the Key paper's Table 1, written with this library.
//!
//! Each example shows the idea on a few rows. The last column names the file that implements the whole pass.
//!
//! | pass | operations | whole pass |
//! |---|---|---|
//! | [Record path vectors](#record-path-vectors) | path matrix |  |
//! | [Record function depths](#record-function-depths) | walk down | `refcompiler`, `passes/lift.rs`: `Scope::level` |
//! | [Drop unnamed functions](#drop-unnamed-functions) | marked ancestors, compress, map | `refcompiler`, `passes/flatten.rs` |
//! | [Drop unreachable code](#drop-unreachable-code) | marked ancestors, scan by group, Key |  |
//! | [Lift functions](#lift-functions) | lift | `refcompiler`, `passes/lift.rs` |
//! | [Drop redundant nodes](#drop-redundant-nodes) | walk down, compress, map |  |
//! | [Flatten expressions](#flatten-expressions) | lift | `refcompiler`, `passes/flatten.rs` |
//! | [Compress atomic nodes](#compress-atomic-nodes) | map |  |
//! | [Propagate constants](#propagate-constants) | map |  |
//! | [Fold constants](#fold-constants) | walk with slots | example `ex7_constant_folding` |
//! | [Compress expressions](#compress-expressions) | map |  |
//! | [Record final return value](#record-final-return-value) | reduce by group, Key |  |
//! | [Normalize values field](#normalize-values-field) | map |  |
//! | [Lift type checking](#lift-type-checking) | walk with slots | example `ex6_type_checker` |
//! | [Allocate value slots](#allocate-value-slots) | map, Key | `refcompiler`, `passes/variables.rs` |
//! | [Anchor variables](#anchor-variables) | scan by group, Key | example `ex4_scopes` |
//! | [Record live variables](#record-live-variables) | reduce by group, Key |  |
//! | [Fuse scalar loops](#fuse-scalar-loops) | runs |  |
//! | [Type specialization](#type-specialization) | Key |  |
//!
//! # Record path vectors
//!
//! Each node receives its path. [`PathMatrix::new`](crate::path::PathMatrix::new) computes the outer product, sum scan
//! and mask of section 3.2.1.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! let tree = Depths::new(cpu.upload(&[0, 1, 2, 1])?)?;
//! let paths = PathMatrix::new(&tree, Encoding::Ordinal)?;
//! assert_eq!(paths.download()?, [[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 2, 0]]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Record function depths
//!
//! Each node receives the number of functions around it, by a walk down that counts. The paper counts the ones of an
//! inner product.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! #[device(walk_down)]
//! fn functions_around(i: usize, around: u32, is_function: &[u8]) -> u32 {
//!     around + is_function[i] as u32
//! }
//! let tree = Depths::new(cpu.upload(&[0, 1, 2, 1])?)?;
//! let is_function = cpu.upload(&[1u8, 1, 0, 0])?;
//! let levels = cpu.walk_down(&tree.parents()?, 0, functions_around::of(&is_function))?;
//! assert_eq!(cpu.download(&levels)?, [1, 2, 2, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Drop unnamed functions
//!
//! Top-level functions that have no name are removed with their subtrees, by a mask,
//! [`under_marked`](crate::depth::Depths::under_marked) and [`compress`](crate::compact::compress). Whole subtrees are
//! removed, so the remaining depths are a forest. Its parents are derived again.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! #[device(map)]
//! fn stays(i: usize, under: &[u8]) -> u8 {
//!     1 - under[i]
//! }
//! let forest = Depths::new(cpu.upload(&[0, 1, 2, 0, 1])?)?;
//! let unnamed = cpu.upload(&[1u8, 0, 0, 0, 0])?;
//! let under = forest.under_marked(&unnamed, Of::Inclusive)?;
//! let mask = cpu.map(stays::of(&under))?;
//! let left = Depths::new(compress(forest.depths(), &mask)?)?;
//! assert_eq!(cpu.download(left.depths())?, [0, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Drop unreachable code
//!
//! The later siblings of a return are removed with their subtrees. Rows are grouped by parent, and a scan of each group
//! finds whether an earlier sibling is a return.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! let block = Depths::new(cpu.upload(&[0, 1, 1, 2, 1, 2])?)?;
//! let returns = cpu.upload(&[0, 0, 1, 0, 0, 0])?;
//! let siblings = group(&block.parents()?, Order::Sorted)?;
//! let after_return = siblings.scan(Exclusive, &returns, Max)?;
//! let unreachable: Vec<u8> = cpu.download(&after_return)?.iter().map(|&x| x as u8).collect();
//! let dead = block.under_marked(&cpu.upload(&unreachable)?, Of::Inclusive)?;
//! assert_eq!(cpu.download(&dead)?, [0, 0, 0, 0, 1, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Lift functions
//!
//! All functions move to the top level, by [`lift`](crate::key::lift()). See also the example `ex1_function_lifting`.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! let tree = Depths::new(cpu.upload(&[0, 1, 1, 2, 1])?)?;
//! let lifted = lift(&tree, &cpu.upload(&[1u8, 0, 1, 0, 0])?, false)?;
//! assert_eq!(cpu.download(&lifted.origin)?, [0, 1, 2, 4, 2, 3]);
//! assert_eq!(cpu.download(lifted.forest.depths())?, [0, 1, 1, 1, 0, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Drop redundant nodes
//!
//! Nodes that only group others are removed, and their children move up. A node's depth decreases by the number of its
//! removed ancestors, which a walk down counts.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! #[device(walk_down)]
//! fn gone_above(i: usize, above: u32, goes: &[u8]) -> u32 {
//!     above + goes[i] as u32
//! }
//! #[device(map)]
//! fn moved_up(i: usize, depth: &[u32], gone: &[u32], goes: &[u8]) -> (u32, u8) {
//!     (depth[i] + goes[i] as u32 - gone[i], 1 - goes[i])
//! }
//! let tree = Depths::new(cpu.upload(&[0, 1, 2, 3, 1])?)?;
//! let goes = cpu.upload(&[0u8, 1, 1, 0, 0])?;
//! let gone = cpu.walk_down(&tree.parents()?, 0, gone_above::of(&goes))?;
//! let (depth, stays) = cpu.map(moved_up::of(tree.depths(), &gone, &goes))?;
//! let left = Depths::new(compress(&depth, &stays)?)?;
//! assert_eq!(cpu.download(left.depths())?, [0, 1, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Flatten expressions
//!
//! Nested expressions become a sequence of flat ones in the order of evaluation, by [`lift`](crate::key::lift())
//! backwards. See also the example `ex2_expression_flattening`.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! let tree = Depths::new(cpu.upload(&[0, 1, 2, 2, 1])?)?; // f(g(a, b), c)
//! let flat = lift(&tree, &cpu.upload(&[1u8, 1, 0, 0, 0])?, true)?;
//! assert_eq!(cpu.download(&flat.origin)?, [1, 2, 3, 0, 1, 4]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Compress atomic nodes
//!
//! An atom with one literal becomes the literal. A map reads the first child, which is the row after its parent. Then the
//! child is removed.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! const ATOM: u8 = 1;
//! const LITERAL: u8 = 2;
//! #[device(map)]
//! fn atomized(i: usize, kind: &[u8], value: &[u32], count: &[u32]) -> (u8, u32) {
//!     let is_single = kind[i] == ATOM && count[i] == 1;
//!     if is_single { (LITERAL, value[i + 1]) } else { (kind[i], value[i]) }
//! }
//! let tree = Depths::new(cpu.upload(&[0, 1, 2, 1, 2, 2])?)?;
//! let (kind, value) = (cpu.upload(&[0, ATOM, LITERAL, ATOM, LITERAL, LITERAL])?, cpu.upload(&[0, 0, 7, 0, 8, 9])?);
//! let counts = tree.child_counts()?;
//! let (kind, value) = cpu.map(atomized::of(&kind, &value, &counts))?;
//! assert_eq!(cpu.download(&kind)?, [0, LITERAL, LITERAL, ATOM, LITERAL, LITERAL]);
//! assert_eq!(cpu.download(&value)?, [0, 7, 7, 0, 8, 9]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Propagate constants
//!
//! A name that is bound to a literal becomes the literal, by a map through the column of bindings.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! const NAME: u8 = 1;
//! const LITERAL: u8 = 2;
//! #[device(map)]
//! fn propagated(i: usize, kind: &[u8], value: &[u32], binding: &[u32]) -> (u8, u32) {
//!     let bound = if kind[i] == NAME { binding[i] as usize } else { i };
//!     if kind[bound] == LITERAL { (LITERAL, value[bound]) } else { (kind[i], value[i]) }
//! }
//! let (kind, value) = (cpu.upload(&[LITERAL, NAME, 0, NAME])?, cpu.upload(&[5, 0, 0, 0])?);
//! let binding = cpu.upload(&[NO_NODE, 0, NO_NODE, 2])?;
//! let (kind, value) = cpu.map(propagated::of(&kind, &value, &binding))?;
//! assert_eq!(cpu.download(&kind)?, [LITERAL, LITERAL, 0, NAME]);
//! assert_eq!(cpu.download(&value)?, [5, 5, 0, 0]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Fold constants
//!
//! An expression of literals becomes a literal, by a walk up with slots. Then its operands are removed.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! #[device(walk_slots)]
//! fn sum(i: usize, slots: &[u32], literal: &[u32]) -> u32 {
//!     literal[i] + slots[0] + slots[1]
//! }
//! let schedule = Schedule::new(&Depths::new(cpu.upload(&[0, 1, 1, 2, 2])?)?)?; // 1 + (2 + 3)
//! let values = schedule.up_slots(2, 0, sum::of(&cpu.upload(&[0, 1, 0, 2, 3])?))?;
//! assert_eq!(cpu.download(&values)?, [6, 1, 5, 2, 3]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Compress expressions
//!
//! A flat expression becomes one row with its operator and operands, by a map over the roots of flattened expressions.
//! Their children are the rows after them.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! #[device(map)]
//! fn row_of(e: usize, root: &[u32], value: &[u32]) -> (u32, u32, u32) {
//!     let first = root[e] as usize + 1;
//!     (value[first + 1], value[first], value[first + 2])
//! }
//! let (roots, value) = (cpu.upload(&[0, 4])?, cpu.upload(&[0, 10, 43, 11, 0, 12, 42, 13])?);
//! let (operator, left, right) = cpu.map(row_of::of(&roots, &value))?;
//! assert_eq!(cpu.download(&operator)?, [43, 42]);
//! assert_eq!((cpu.download(&left)?, cpu.download(&right)?), (vec![10, 12], vec![11, 13]));
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Record final return value
//!
//! Each function receives the last statement that it runs, which is its value. Rows are grouped by function, and a
//! reduction takes the last row of each group.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! let function = cpu.upload(&[7, 7, 7, 9, 9])?;
//! let statement = cpu.upload(&[100, 101, 102, 200, 201])?;
//! let last = group(&function, Order::Sorted)?.reduce(&statement, last_u32)?;
//! assert_eq!(cpu.download(&last)?, [102, 201]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Normalize values field
//!
//! Values of all kinds are brought into one form, by a map.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! #[device(map)]
//! fn normalized(i: usize, kind: &[u8], value: &[u32]) -> u32 {
//!     if kind[i] == b'c' { value[i] & 255 } else { value[i] }
//! }
//! let values = cpu.map(normalized::of(&cpu.upload(&[b'c', b'n'])?, &cpu.upload(&[321, 321])?))?;
//! assert_eq!(cpu.download(&values)?, [65, 321]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Lift type checking
//!
//! Types are inferred by a walk up with slots. The paper repeats a step until nothing changes.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! #[device(walk_slots)]
//! fn type_of(i: usize, slots: &[u8], own: &[u8]) -> u8 {
//!     if own[i] != 0 {
//!         own[i]
//!     } else if slots[0] == slots[1] {
//!         slots[0]
//!     } else {
//!         b'?'
//!     }
//! }
//! let schedule = Schedule::new(&Depths::new(cpu.upload(&[0, 1, 1, 2, 2])?)?)?;
//! let types = schedule.up_slots(2, 0, type_of::of(&cpu.upload(&[0, b'i', 0, b'i', b'f'])?))?;
//! assert_eq!(cpu.download(&types)?, *b"?i?if");
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Allocate value slots
//!
//! Each variable receives a slot in its function's frame. Variables are grouped by function; a variable's slot is its
//! index in the group.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! #[device(expand)]
//! fn slot(_function: usize, k: usize) -> u32 {
//!     k as u32
//! }
//! let function_of_variable = cpu.upload(&[3, 5, 3, 3, 5])?;
//! let slots = group(&function_of_variable, Order::Sorted)?.map(slot::of())?;
//! assert_eq!(cpu.download(&slots)?, [0, 0, 1, 2, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Anchor variables
//!
//! Each use of a variable refers to its declaration. In one scope this is the last earlier declaration of the name,
//! found by grouping by name and a scan. The whole pass searches the enclosing scopes.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! let name = cpu.upload(&[1, 2, 1, 1, 2])?;
//! let declaration = cpu.upload(&[0, 1, u32::MAX, 3, u32::MAX])?; // rows 2 and 4 are uses
//! let anchors = group(&name, Order::Sorted)?.scan(Inclusive, &declaration, last_u32)?;
//! assert_eq!(cpu.download(&anchors)?, [0, 1, 0, 3, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Record live variables
//!
//! Each variable receives the last point at which it is needed: the greatest of each group, grouped by variable. The
//! reference compiler does not need this pass, since it derives registers from the heights of expressions
//! (`passes/allocate.rs`).
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! let variable = cpu.upload(&[0, 1, 0, 2, 1])?;
//! let point = cpu.upload(&[10, 11, 12, 13, 14])?;
//! let last_use = group(&variable, Order::Sorted)?.reduce(&point, Max)?;
//! assert_eq!(cpu.download(&last_use)?, [12, 14, 13]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Fuse scalar loops
//!
//! Neighbouring element-wise operations become one loop: a run of equal rows. Operations that can be fused have the same
//! number; each of the others has its own.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! let loop_of = cpu.upload(&[500, 500, 501, 502, 502, 502])?; // two fused, one single, three fused
//! let starts = segment::runs(&loop_of)?;
//! assert_eq!(cpu.download(&segment::lengths(&starts, 6)?)?, [2, 1, 3]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Type specialization
//!
//! Each function is generated once per combination of argument types. Calls are grouped by function and types. The
//! groups are the functions to generate, and each call's group is its target.
//!
//! ```
//! # use treepar::{compact::*, key::*, monoid::last_u32, path::*, prelude::*, segment, walk::Schedule};
//! # let cpu = Cpu::new();
//! let (function, types) = (cpu.upload(&[4, 4, 6, 4])?, cpu.upload(b"ifii")?);
//! let calls = group_columns(&[KeyColumn::from(&function), KeyColumn::from(&types)], Order::FirstAppearance)?;
//! assert_eq!(calls.len(), 3);
//! assert_eq!(cpu.download(&calls.of_rows()?)?, [0, 1, 2, 0]);
//! # Ok::<(), treepar::Error>(())
//! ```
