//! Bytes as a source text: front end, passes, executable and a bounded run.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &[u8]| treepar_fuzz::source(text));
