//! The passes of a compiler, by this API: all nineteen of the Key paper's Table 1.
//!
//! Each shows the idea on a few rows. Where the reference compiler or an example does the whole of it, it is named.
//!
//! | pass | by | whole |
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
//! Each node is given its path. [`PathMatrix::new`](crate::path::PathMatrix::new): the outer product, sum scan and
//! mask of section 3.2.1.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! let tree = Depths::new(&cpu, cpu.upload(&[0, 1, 2, 1])?)?;
//! let paths = PathMatrix::new(&cpu, &tree, Encoding::Ordinal)?;
//! assert_eq!(paths.download(&cpu)?, [[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 2, 0]]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Record function depths
//!
//! Each node is told how many functions are around it. A walk down that counts; the paper counts the ones of an inner
//! product.
//! In whole: `refcompiler`, `passes/lift.rs`: `Scope::level`.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! #[device(walk_down)]
//! fn functions_around(i: usize, around: u32, is_function: &[u8]) -> u32 {
//!     around + is_function[i] as u32
//! }
//! let tree = Depths::new(&cpu, cpu.upload(&[0, 1, 2, 1])?)?;
//! let is_function = cpu.upload(&[1u8, 1, 0, 0])?;
//! let levels = walk::down::<functions_around, _>(&cpu, &tree.parents(&cpu)?, 0, (&is_function,))?;
//! assert_eq!(cpu.download(&levels)?, [1, 2, 2, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Drop unnamed functions
//!
//! Functions at the top that nobody can call go, with all below them. A mask,
//! [`under_marked`](crate::ancestor::under_marked) and [`compress`](crate::compact::compress). Depths alone are kept:
//! what goes is whole subtrees, so that they stay a forest and parents are derived again.
//! In whole: `refcompiler`, `passes/flatten.rs`.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! #[device(map)]
//! fn stays(i: usize, under: &[u8]) -> u8 {
//!     1 - under[i]
//! }
//! let forest = Depths::new(&cpu, cpu.upload(&[0, 1, 2, 0, 1])?)?;
//! let unnamed = cpu.upload(&[1u8, 0, 0, 0, 0])?;
//! let under = under_marked(&cpu, &forest, &unnamed, Of::Itself)?;
//! let mask = cpu.map::<stays>(forest.len(), (&under,))?;
//! let left = Depths::new(&cpu, compress(&cpu, forest.depths(), &mask)?)?;
//! assert_eq!(cpu.download(left.depths())?, [0, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Drop unreachable code
//!
//! What follows a return among its siblings goes. Key by parent, and a scan in each group: has a return come before?
//! What is below goes too.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! let block = Depths::new(&cpu, cpu.upload(&[0, 1, 1, 2, 1, 2])?)?;
//! let returns = cpu.upload(&[0, 0, 1, 0, 0, 0])?;
//! let siblings = key(&cpu, block.parents(&cpu)?.column(), Order::Sorted)?;
//! let after_return = siblings.scan::<max_u32>(&cpu, ScanKind::Exclusive, &returns)?;
//! let unreachable: Vec<u8> = cpu.download(&after_return)?.iter().map(|&x| x as u8).collect();
//! let dead = under_marked(&cpu, &block, &cpu.upload(&unreachable)?, Of::Itself)?;
//! assert_eq!(cpu.download(&dead)?, [0, 0, 0, 0, 1, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Lift functions
//!
//! All functions move to the top level. [`lift`](crate::key::lift()).
//! In whole: example `ex1_function_lifting`; `refcompiler`, `passes/lift.rs`.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! let tree = Depths::new(&cpu, cpu.upload(&[0, 1, 1, 2, 1])?)?;
//! let lifted = lift(&cpu, &tree, &cpu.upload(&[1u8, 0, 1, 0, 0])?, false)?;
//! assert_eq!(cpu.download(&lifted.origin)?, [0, 1, 2, 4, 2, 3]);
//! assert_eq!(cpu.download(lifted.forest.depths())?, [0, 1, 1, 1, 0, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Drop redundant nodes
//!
//! Nodes that only nest others go, and what they hold moves up. A node is as much less deep as nodes above it go: a
//! walk down counts them.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! #[device(walk_down)]
//! fn gone_above(i: usize, above: u32, goes: &[u8]) -> u32 {
//!     above + goes[i] as u32
//! }
//! #[device(map)]
//! fn moved_up(i: usize, depth: &[u32], gone: &[u32], goes: &[u8]) -> (u32, u8) {
//!     (depth[i] + goes[i] as u32 - gone[i], 1 - goes[i])
//! }
//! let tree = Depths::new(&cpu, cpu.upload(&[0, 1, 2, 3, 1])?)?;
//! let goes = cpu.upload(&[0u8, 1, 1, 0, 0])?;
//! let gone = walk::down::<gone_above, _>(&cpu, &tree.parents(&cpu)?, 0, (&goes,))?;
//! let (depth, stays) = cpu.map::<moved_up>(tree.len(), (tree.depths(), &gone, &goes))?;
//! let left = Depths::new(&cpu, compress(&cpu, &depth, &stays)?)?;
//! assert_eq!(cpu.download(left.depths())?, [0, 1, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Flatten expressions
//!
//! Nested expressions become a sequence of flat ones, in the order of evaluation. [`lift`](crate::key::lift()),
//! backwards.
//! In whole: example `ex2_expression_flattening`; `refcompiler`, `passes/flatten.rs`.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! let tree = Depths::new(&cpu, cpu.upload(&[0, 1, 2, 2, 1])?)?; // f(g(a, b), c)
//! let flat = lift(&cpu, &tree, &cpu.upload(&[1u8, 1, 0, 0, 0])?, true)?;
//! assert_eq!(cpu.download(&flat.origin)?, [1, 2, 3, 0, 1, 4]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Compress atomic nodes
//!
//! An atom that holds one literal becomes the literal. A map that reads the first child, which stands behind its
//! parent; then the child goes.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! const ATOM: u8 = 1;
//! const LITERAL: u8 = 2;
//! #[device(map)]
//! fn atomized(i: usize, kind: &[u8], value: &[u32], count: &[u32]) -> (u8, u32) {
//!     let is_single = kind[i] == ATOM && count[i] == 1;
//!     if is_single { (LITERAL, value[i + 1]) } else { (kind[i], value[i]) }
//! }
//! let tree = Depths::new(&cpu, cpu.upload(&[0, 1, 2, 1, 2, 2])?)?;
//! let (kind, value) = (cpu.upload(&[0, ATOM, LITERAL, ATOM, LITERAL, LITERAL])?, cpu.upload(&[0, 0, 7, 0, 8, 9])?);
//! let counts = tree.child_counts(&cpu)?;
//! let (kind, value) = cpu.map::<atomized>(tree.len(), (&kind, &value, &counts))?;
//! assert_eq!(cpu.download(&kind)?, [0, LITERAL, LITERAL, ATOM, LITERAL, LITERAL]);
//! assert_eq!(cpu.download(&value)?, [0, 7, 7, 0, 8, 9]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Propagate constants
//!
//! A name that is bound to a literal becomes it. A map through the column of bindings, which resolving names has
//! filled.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
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
//! let (kind, value) = cpu.map::<propagated>(4, (&kind, &value, &binding))?;
//! assert_eq!(cpu.download(&kind)?, [LITERAL, LITERAL, 0, NAME]);
//! assert_eq!(cpu.download(&value)?, [5, 5, 0, 0]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Fold constants
//!
//! An expression of literals becomes a literal. A walk up with slots; what stood below goes.
//! In whole: example `ex7_constant_folding`.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! #[device(walk_slots)]
//! fn sum(i: usize, slots: &[u32], literal: &[u32]) -> u32 {
//!     literal[i] + slots[0] + slots[1]
//! }
//! let schedule = Schedule::new(&cpu, &Depths::new(&cpu, cpu.upload(&[0, 1, 1, 2, 2])?)?)?; // 1 + (2 + 3)
//! let values = schedule.up_slots::<sum>(&cpu, 2, 0, (&cpu.upload(&[0, 1, 0, 2, 3])?,))?;
//! assert_eq!(cpu.download(&values)?, [6, 1, 5, 2, 3]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Compress expressions
//!
//! A flat expression becomes one row with its operator and operands. A map over the roots of flattened expressions:
//! their children stand behind them.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! #[device(map)]
//! fn row_of(e: usize, root: &[u32], value: &[u32]) -> (u32, u32, u32) {
//!     let first = root[e] as usize + 1;
//!     (value[first + 1], value[first], value[first + 2])
//! }
//! let (roots, value) = (cpu.upload(&[0, 4])?, cpu.upload(&[0, 10, 43, 11, 0, 12, 42, 13])?);
//! let (operator, left, right) = cpu.map::<row_of>(2, (&roots, &value))?;
//! assert_eq!(cpu.download(&operator)?, [43, 42]);
//! assert_eq!((cpu.download(&left)?, cpu.download(&right)?), (vec![10, 12], vec![11, 13]));
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Record final return value
//!
//! Each function is told the last statement that it runs, which is its value. Key by function, and of each group the
//! last.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! let function = cpu.upload(&[7, 7, 7, 9, 9])?;
//! let statement = cpu.upload(&[100, 101, 102, 200, 201])?;
//! let last = key(&cpu, &function, Order::Sorted)?.reduce::<last_u32>(&cpu, &statement)?;
//! assert_eq!(cpu.download(&last)?, [102, 201]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Normalize values field
//!
//! Values of all kinds are brought into one form. A map.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! #[device(map)]
//! fn normalized(i: usize, kind: &[u8], value: &[u32]) -> u32 {
//!     if kind[i] == b'c' { value[i] & 255 } else { value[i] }
//! }
//! let values = cpu.map::<normalized>(2, (&cpu.upload(&[b'c', b'n'])?, &cpu.upload(&[321, 321])?))?;
//! assert_eq!(cpu.download(&values)?, [65, 321]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Lift type checking
//!
//! Types are inferred as far as they can be. A walk up with slots; the paper repeats a step until nothing changes.
//! In whole: example `ex6_type_checker`.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
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
//! let schedule = Schedule::new(&cpu, &Depths::new(&cpu, cpu.upload(&[0, 1, 1, 2, 2])?)?)?;
//! let types = schedule.up_slots::<type_of>(&cpu, 2, 0, (&cpu.upload(&[0, b'i', 0, b'i', b'f'])?,))?;
//! assert_eq!(cpu.download(&types)?, *b"?i?if");
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Allocate value slots
//!
//! Each variable is given a slot in its function's frame. Key by function; a variable's slot is its place in the
//! group.
//! In whole: `refcompiler`, `passes/variables.rs`.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! #[device(expand)]
//! fn slot(_function: usize, k: usize) -> u32 {
//!     k as u32
//! }
//! let function_of_variable = cpu.upload(&[3, 5, 3, 3, 5])?;
//! let slots = key(&cpu, &function_of_variable, Order::Sorted)?.map::<slot>(&cpu, ())?;
//! assert_eq!(cpu.download(&slots)?, [0, 0, 1, 2, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Anchor variables
//!
//! Each use of a variable is tied to its declaration. The nearest scope outwards that declares the name; here, of
//! declarations before a use in one scope the last, by Key on name and a scan.
//! In whole: example `ex4_scopes`.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! let name = cpu.upload(&[1, 2, 1, 1, 2])?;
//! let declaration = cpu.upload(&[0, 1, u32::MAX, 3, u32::MAX])?; // rows 2 and 4 are uses
//! let anchors = key(&cpu, &name, Order::Sorted)?.scan::<last_u32>(&cpu, ScanKind::Inclusive, &declaration)?;
//! assert_eq!(cpu.download(&anchors)?, [0, 1, 0, 3, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Record live variables
//!
//! Each variable is told the last point at which it is needed. Key by variable, and of each group the greatest.
//! (the reference compiler needs none, since its registers follow from the heights of expressions
//! (`passes/allocate.rs`))
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! let variable = cpu.upload(&[0, 1, 0, 2, 1])?;
//! let point = cpu.upload(&[10, 11, 12, 13, 14])?;
//! let last_use = key(&cpu, &variable, Order::Sorted)?.reduce::<max_u32>(&cpu, &point)?;
//! assert_eq!(cpu.download(&last_use)?, [12, 14, 13]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Fuse scalar loops
//!
//! Neighbouring element-wise operations become one loop. Runs of equal rows: a column that is a number of its own for
//! what cannot be fused, and one number for what can.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! let loop_of = cpu.upload(&[500, 500, 501, 502, 502, 502])?; // two fused, one alone, three fused
//! let starts = segment::runs(&cpu, &loop_of)?;
//! assert_eq!(cpu.download(&segment::lengths(&cpu, &starts, 6)?)?, [2, 1, 3]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Type specialization
//!
//! Each function is made once for each combination of types that it is called with. Key by function and types; the
//! groups are the functions to make, and each call's group is its target.
//!
//! ```
//! # #![allow(unused_imports)]
//! # use treepar::{Backend, Cpu, ancestor::*, backend::ScanKind, compact::*, depth::*, device::device, key::*, monoid::*};
//! # use treepar::{path::*, segment, walk, walk::Schedule};
//! # let cpu = Cpu::new();
//! let (function, types) = (cpu.upload(&[4, 4, 6, 4])?, cpu.upload(b"ifii")?);
//! let calls = key_columns(&cpu, &[KeyColumn::U32(&function), KeyColumn::U8(&types)], Order::FirstAppearance)?;
//! assert_eq!(calls.len(), 3);
//! assert_eq!(cpu.download(&calls.of_rows(&cpu)?)?, [0, 1, 2, 0]);
//! # Ok::<(), treepar::Error>(())
//! ```
