//! Example programs with a few edits, each of which copies some bytes of an example.
#![no_main]

use treepar_fuzz::{EXAMPLES, Edit};

libfuzzer_sys::fuzz_target!(|case: (u8, u8, Vec<Edit>)| {
    let (one, other, edits) = case;
    let example = |k: u8| &EXAMPLES[usize::from(k) % EXAMPLES.len()].1;
    let mut text = example(one).clone();
    edits.iter().take(8).for_each(|edit| edit.apply(&mut text, example(other)));
    treepar_fuzz::source(&text);
});
