//! Files for the simulator: any bytes, or the executable of an example with a few words changed.
#![no_main]

use treepar_fuzz::EXECUTABLES;

#[derive(arbitrary::Arbitrary, Debug)]
enum Case<'a> {
    Bytes(&'a [u8]),
    /// Words of the executable's beginning, which has its headers, and of the rest.
    Changed {
        example: u8,
        header: Vec<(u8, u32)>,
        words: Vec<(u16, u32)>,
    },
}

libfuzzer_sys::fuzz_target!(|case: Case| match case {
    Case::Bytes(bytes) => treepar_fuzz::file(bytes),
    Case::Changed { example, header, words } => {
        let mut file = EXECUTABLES[usize::from(example) % EXECUTABLES.len()].clone();
        let header = header.into_iter().map(|(at, word)| (usize::from(at) % 180, word));
        let words = words.into_iter().map(|(at, word)| (usize::from(at) * 4, word));
        for (at, word) in header.take(4).chain(words.take(8)) {
            let at = at % (file.len() - 3);
            file[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        treepar_fuzz::file(&file);
    }
});
