//! Every template and every algorithm on a few rows, by two threads.
//!
//! Miri runs this file too. There the library shares inputs of more than four rows among its threads.

use treepar::Cpu;
use treepar_laws::cpu_laws;
use treepar_laws::drawn::Case;

#[test]
fn all_laws_hold_for_a_few_rows() {
    let cpu = Cpu::with_threads(2);
    for law in cpu_laws() {
        for (seed, n) in [(1, 0), (2, 1), (3, 2), (4, 17), (5, 17)] {
            if let Err(wrong) = law.case(&cpu, &Case { seed, n }) {
                panic!("law {} fails for {seed}:{n}: {wrong}", law.name);
            }
        }
    }
}
