//! Files that are written part by part, and what happens if the system does not write them.

use std::io;

use refcompiler::object::{
    ElfError, Image, Sink, stream_executable, stream_relocatable, write_executable, write_relocatable,
};
use refcompiler::pipeline::{Goal, Output, compile};
use refcompiler::target::Target;
use treepar::Cpu;

use crate::toolchain::parsed;

/// Returns the code of a program with an arena and buffered output, whose addresses complete some instructions.
fn image(target: Target, output: Output) -> Image {
    let tree = parsed("fn main[]: int { var a = iota[9]; print[a]; return a[3]; }");
    compile(&Cpu::with_threads(1), &tree, Goal { target, output }, &mut ()).expect("a compilation").image
}

#[test]
fn parts_are_the_whole_file() {
    for target in [Target::Riscv32, Target::X86_64] {
        let (mut executable, mut object) = (Vec::new(), Vec::new());
        let image_of = |output| image(target, output);
        stream_executable(&image_of(Output::Executable), &mut executable).expect("an executable");
        assert_eq!(executable, write_executable(&image_of(Output::Executable)).expect("an executable"));
        stream_relocatable(&image_of(Output::Object), &mut object).expect("an object");
        assert_eq!(object, write_relocatable(&image_of(Output::Object)).expect("an object"));
    }
}

/// Has room for some bytes, and may know before the first that there are more.
struct Full {
    room: usize,
    /// The number of all bytes, once it is known.
    expected: Option<u64>,
    refuses: bool,
    written: u64,
}

impl Full {
    fn with(room: usize) -> Full {
        Full { room, expected: None, refuses: false, written: 0 }
    }
}

impl Sink for Full {
    fn begin(&mut self, bytes: u64) -> io::Result<()> {
        assert_eq!((self.expected, self.written), (None, 0), "a file begins once");
        self.expected = Some(bytes);
        if self.refuses { Err(io::ErrorKind::QuotaExceeded.into()) } else { Ok(()) }
    }
}

impl io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = bytes.len().min(self.room);
        self.room -= written;
        self.written += written as u64;
        if written == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(written) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes an executable and an object to sinks. Returns what happened, and the sinks.
fn streamed(sink: impl Fn() -> Full) -> [(Result<(), ElfError>, Full); 2] {
    let (mut first, mut second) = (sink(), sink());
    let executable = stream_executable(&image(Target::X86_64, Output::Executable), &mut first);
    let object = stream_relocatable(&image(Target::Riscv32, Output::Object), &mut second);
    [(executable, first), (object, second)]
}

#[test]
fn an_error_of_the_system_is_returned() {
    for room in [0, 1, 100, 1000] {
        for (found, _) in streamed(|| Full::with(room)) {
            let Err(ElfError::Io(error)) = found else { panic!("{room} bytes: {found:?}") };
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }
}

#[test]
fn a_file_knows_its_length_before_its_first_byte() {
    for (found, sink) in streamed(|| Full::with(usize::MAX)) {
        found.expect("a file");
        assert_eq!(sink.expected, Some(sink.written));
    }
    for (found, sink) in streamed(|| Full { refuses: true, ..Full::with(usize::MAX) }) {
        let Err(ElfError::Io(error)) = found else { panic!("{found:?}") };
        assert_eq!((error.kind(), sink.written), (io::ErrorKind::QuotaExceeded, 0));
    }
}
