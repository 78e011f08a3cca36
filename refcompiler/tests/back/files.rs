//! Files that are written part by part, and what happens if the system does not write them.

use std::io;

use refcompiler::object::{
    ElfError, Image, stream_executable, stream_relocatable, write_executable, write_relocatable,
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

/// Has room for some bytes.
struct Full(usize);

impl io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = bytes.len().min(self.0);
        self.0 -= written;
        if written == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(written) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_error_of_the_system_is_returned() {
    let executable = image(Target::X86_64, Output::Executable);
    let object = image(Target::Riscv32, Output::Object);
    for room in [0, 1, 100, 1000] {
        for found in [stream_executable(&executable, Full(room)), stream_relocatable(&object, Full(room))] {
            let Err(ElfError::Io(error)) = found else { panic!("{room} bytes: {found:?}") };
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }
}
