//! Registers for variables across statements.
//!
//! ```text
//! fn gcd[a: int, b: int]: int {          uses   life         pool        register
//!     while b != 0 {              a      3      whole        arguments   rdi
//!         var rest = a % b;       b      3      whole        arguments   rsi
//!         a = b;                  rest   1      the block    arguments   r8
//!         b = rest;
//!     }
//!     return a;
//! }
//! ```
//!
//! The *life* of a variable goes from its declaration to its last use. If that use is in a loop that does not contain the declaration,
//! it goes to the end of the outermost such loop. `lives` finds the lives of all variables that can have registers, and extends some of
//! them so that they nest: of two lives, one contains the other, or they have nothing in common. So the lives are a forest, and the
//! variables that live at a point are the ancestors of the last one.
//!
//! There are two pools of registers: the registers of arguments, for lives without calls, and registers that functions save. `choice`
//! gives the registers of a pool to the variables with the most uses. A use in a loop counts eight times as much as one around it. The
//! register of a variable is the number of its ancestors that have one.
//!
//! These variables stay in the frame:
//!
//! - variables that a nested function uses, since it finds them through the frame, and those whose address is taken;
//! - variables that are assigned while a value waits that may have been read from them: the first operand in `x + (x = 1)`. A row that uses
//!   a value takes it from the variable, so it would find the new value;
//! - variables that are declared in a part that may not run, such as `x` in `if[c, (var x = 1), 2]`, but not in a block there;
//! - parameters beyond the first ones, which may come on the stack.
//!
//! Cost: n nodes, u uses, v variables: work O(n + u log u + v log v): one walk of 24 bytes per node, four compactions, two sorts;
//! five walks and three searches for smaller keys over variables.
//! Source: Pareas, section 6.1.1, for registers within statements; lives with weights of loops as in Chaitin et al. 1981. Lives
//! that nest replace the graph of interference.

pub mod choice;
pub mod lives;
mod uses;

use treepar::{Backend, Column, Result};

use crate::ir::held::Pool;
use crate::ir::nodes::Lifted;
use crate::target::Target;
use choice::{choose, held_node, of_pool, with_register};
use lives::lives;

/// Puts variables into registers.
pub fn registers<B: Backend>(backend: &B, target: Target, lifted: Lifted<B>) -> Result<Lifted<B>> {
    let lives = lives(backend, target, &lifted)?;
    let mut hops = lifted.hops;
    let mut registers = backend.filled(lives.len(), 0u32)?;
    for pool in [Pool::Arguments, Pool::Saved] {
        let members = backend.compact(of_pool::of(&lives, &registers, pool, target))?;
        if members.len() == 0 {
            continue;
        }
        let chosen = choose(backend, target, pool, &lives, &members)?;
        backend.scatter(&mut registers, &members, &chosen)?;
    }
    let kept = backend.compact(with_register::of(&registers))?;
    let (nodes, values) = backend.map(held_node::of(&kept, &lives, &registers))?;
    backend.scatter(&mut hops, &nodes, &values)?;
    Ok(Lifted { hops, ..lifted })
}
