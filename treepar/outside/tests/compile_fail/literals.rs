use treepar::device::device;

#[device]
fn texts(x: u32) -> u32 {
    let a = "text";
    let b = 'c';
    let c = b"bytes";
    x
}

#[device]
fn widths(x: u32) -> u32 {
    let a = 1u128;
    let b = 1isize;
    let c = 1.5;
    let d = 1.5f16;
    x
}

fn main() {}
