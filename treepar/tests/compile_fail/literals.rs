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
    let d = 1.5f64;
    x
}

#[device]
fn types_told_later(x: u32) -> u32 {
    let mut k = 0;
    let m = -(1 << 3) + 2;
    let (a, b) = if x > 0 { (0, x) } else { (1, x) };
    for j in 0..4 {
        k += j;
    }
    let typed = if x > 0 { 0 } else { x };
    let annotated: u32 = 0;
    for j in 0..x {}
    k + a + b + typed + annotated
}

fn main() {}
