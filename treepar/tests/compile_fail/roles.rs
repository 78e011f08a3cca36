use treepar::device::device;

#[device(mapp)]
fn misspelt(i: usize) -> u32 {
    i as u32
}

#[device(map)]
fn no_row(i: u32) -> u32 {
    i
}

#[device(map)]
fn no_parameters() -> u32 {
    0
}

#[device(map)]
fn truth(i: usize) -> bool {
    i == 0
}

#[device(compact)]
fn no_truth(i: usize) -> u32 {
    i as u32
}

#[device(expand)]
fn one_number(owner: usize) -> u32 {
    owner as u32
}

#[device(monoid(identity = 0))]
fn mixed(a: u32, b: u8) -> u32 {
    a + b as u32
}

#[device(monoid(zero = 0))]
fn no_identity(a: u32, b: u32) -> u32 {
    a + b
}

#[device(walk_down)]
fn carries(i: usize, parent: u8) -> u32 {
    parent as u32 + i as u32
}

#[device(expand, map)]
fn both(owner: usize, k: usize) -> u32 {
    (owner + k) as u32
}

fn main() {}
