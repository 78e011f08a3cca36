use treepar::device::device;

#[device]
struct Pair<T> {
    a: T,
}

#[device]
struct Unnamed(u32);

#[device]
struct Empty {}

#[device]
struct Fields {
    truth: bool,
    index: usize,
    table: [u32; 4],
    pair: (u32, u32),
    text: &'static str,
}

#[device]
#[repr(packed)]
struct Packed {
    a: u32,
}

#[device(map)]
struct Role {
    a: u32,
}

#[device]
fn literals(x: u32) -> u32 {
    let a = Point { x, ..other };
    let b = Pair::<u32> { a: x };
    let c = Unnamed { 0: x };
    x
}

/// A refused struct is usable.
#[device(map)]
fn row(i: usize, x: &[Fields]) -> Packed {
    Packed { a: x[i].table }
}

fn main() {}
