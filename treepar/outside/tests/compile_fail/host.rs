//! Forms for the CPU that are not of the right kind.

use treepar::device::device;

fn double(x: u32) -> u32 {
    2 * x
}

#[device]
#[host]
fn without_path(x: u32) -> u32 {
    x + x
}

#[device]
#[host(double)]
fn other_types(x: u64) -> u64 {
    x + x
}

#[device(monoid(identity = 0))]
#[host(double)]
fn sum(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

#[device]
enum Kind {
    One,
    Two,
}

#[device]
impl Kind {
    #[host(double)]
    fn number(self) -> u32 {
        if self == Kind::One { 1 } else { 2 }
    }
}

fn main() {}
