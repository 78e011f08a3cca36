//! An executor of PTX on the host.
//!
//! It runs the entries of a module block by block and warp by warp, with the semantics of the PTX ISA, and ends a launch at
//! the first fault: an access outside an allocation, a read of unwritten memory, a race, a deadlock. A real GPU reports few
//! of these. The executor needs no GPU and no driver.
//!
//! ```text
//! PTX text --ptx-->      Functions: registers, variables, instructions by name
//!          --code-->     Code: dense steps with register slots, resolved branches and their joins
//!          --machine-->  Memory, Counts or a Fault
//! ```
//!
//! # Example
//!
//! ```
//! use treepar_executor::{Launch, Machine, Memory, Module};
//!
//! let text = "
//!     .version 8.0
//!     .target sm_75
//!     .address_size 64
//!     .visible .entry double(.param .u64 column) {
//!         .reg .b32 %r<3>;
//!         .reg .b64 %rd<4>;
//!         ld.param.u64 %rd1, [column];
//!         mov.u32 %r1, %tid.x;
//!         mul.wide.u32 %rd2, %r1, 4;
//!         add.s64 %rd3, %rd1, %rd2;
//!         ld.global.u32 %r2, [%rd3];
//!         add.s32 %r2, %r2, %r2;
//!         st.global.u32 [%rd3], %r2;
//!         ret;
//!     }";
//! let mut module = Module::parse(text)?;
//! let mut memory = Memory::new();
//! module.load(&mut memory)?;
//! let column = memory.allocate(8);
//! memory.write(column, &[3, 0, 0, 0, 4, 0, 0, 0])?;
//! let entry = module.entry("double").unwrap();
//! let launch = Launch { entry, grid: [1, 1, 1], block: [2, 1, 1], shared: 0, arguments: &column.to_le_bytes() };
//! let counts = Machine::default().launch(&mut memory, launch)?;
//! let mut words = [0; 8];
//! memory.read(column, &mut words)?;
//! assert_eq!(words, [6, 0, 0, 0, 8, 0, 0, 0]);
//! assert_eq!(counts.loads.requests, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod code;
mod fault;
mod machine;
mod memory;
mod module;
mod ptx;

pub use fault::{Access, Fault, FaultKind, Nearest, Site, Waiting};
pub use machine::{Counts, Launch, Machine, Mode, Requests};
pub use memory::Memory;
pub use module::{Entry, Module, Parameter};
pub use ptx::ParseError;
