//! An example of a test file for passes of your own: properties on every backend, next to plain sequential code.

use treepar::prelude::*;

/// Returns the number of bytes that the scopes around a node use, and its own.
#[device(walk_down)]
fn frame(i: usize, above: u32, bytes: &[u32], opens_frame: &[u8]) -> u32 {
    if opens_frame[i] != 0 { bytes[i] } else { above.wrapping_add(bytes[i]) }
}

/// The pass: the offset of the end of each node's variables in the frame of its function.
fn frames<B: Backend>(
    forest: &Depths<B>,
    bytes: &B::Vec<u32>,
    opens_frame: &B::Vec<u8>,
) -> treepar::Result<B::Vec<u32>> {
    forest.backend().walk_down(&forest.parents()?, 0, frame::of(bytes, opens_frame))
}

/// The same, with a stack.
fn plain_frames(depths: &[u32], bytes: &[u32], opens_frame: &[u8]) -> Vec<u32> {
    let mut open: Vec<u32> = Vec::new();
    let mut found = Vec::new();
    for i in 0..depths.len() {
        open.truncate(depths[i] as usize);
        let above = open.last().copied().unwrap_or(0);
        let end = if opens_frame[i] != 0 { bytes[i] } else { above.wrapping_add(bytes[i]) };
        open.push(end);
        found.push(end);
    }
    found
}

treepar_laws::properties! {
    fn frames_match_plain_code(backend, rng, n) {
        let (depths, bytes, opens_frame) = (rng.forest(n), rng.column(n), rng.mask(n));
        let forest = Depths::new(backend.upload(&depths).unwrap()).unwrap();
        let found = frames(&forest, &backend.upload(&bytes).unwrap(), &backend.upload(&opens_frame).unwrap()).unwrap();
        assert_eq!(backend.download(&found).unwrap(), plain_frames(&depths, &bytes, &opens_frame));
    }

    fn a_node_without_a_function_has_the_sum_of_its_path(backend, rng, n) {
        let depths = rng.forest(n);
        let forest = Depths::new(backend.upload(&depths).unwrap()).unwrap();
        let ones = backend.filled(n, 1u32).unwrap();
        let found = frames(&forest, &ones, &backend.filled(n, 0u8).unwrap()).unwrap();
        let expected: Vec<u32> = depths.iter().map(|depth| depth + 1).collect();
        assert_eq!(backend.download(&found).unwrap(), expected);
    }
}
