use treepar::device::device;

#[device(map)]
fn wide(i: usize, x: &[u32]) -> u128 {
    x[i] as u128
}

#[device]
fn narrow(x: isize) -> i32 {
    x as i32
}

#[device(map)]
fn truths(i: usize, x: &[bool]) -> u8 {
    x[i] as u8
}

#[device(map)]
fn indices(i: usize, x: &[usize]) -> u32 {
    x[i] as u32
}

#[device]
fn text(x: char, y: &str) -> String {
    x as String
}

#[device]
fn generic(x: Option<u32>, y: Vec<u32>, z: Wrapping<u32>) -> u32 {
    let y: i128 = 0;
    y as u32
}

#[device]
fn compound(x: [u32; 4], y: (u32, u32), z: &u32, w: *const u32) -> u32 {
    let t: (u32, u32) = y;
    0
}

#[device]
fn functions(f: fn(u32) -> u32, g: impl Fn(u32), h: &dyn Fn(u32)) -> u32 {
    0
}

#[device]
fn changing(x: &mut [u32]) -> u32 {
    x[0]
}

#[device]
fn inferred(x: u32) -> u64 {
    x as _
}

#[device]
fn unit(x: u32) -> () {}

fn main() {}
