use treepar::device::device;

#[device]
fn generic<T>(x: T) -> T {
    x
}

#[device]
fn lifetimes<'a>(x: &'a [u32]) -> u32 {
    x[0]
}

#[device]
const fn constant(x: u32) -> u32 {
    x
}

#[device]
unsafe fn dangerous(x: u32) -> u32 {
    x
}

#[device]
extern "C" fn foreign(x: u32) -> u32 {
    x
}

#[device]
fn nothing(x: u32) {
    let y = x;
}

#[device]
fn apart((a, b): (u32, u32)) -> u32 {
    a + b
}

#[device]
fn recursive(x: u32) -> u32 {
    recursive(x - 1)
}

#[device]
enum Choice {
    A,
}

#[device]
struct Pair<T> {
    a: T,
}

#[device]
struct Unnamed(u32);

fn main() {}
