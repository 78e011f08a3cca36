use treepar::device::device;

#[device(map)]
fn wide(i: usize, x: &[u32]) -> u128 {
    x[i] as u128
}

#[device]
fn double(x: f64) -> f64 {
    x
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
fn array(x: [u32; 4]) -> u32 {
    x[0]
}

#[device]
fn text(x: u32) -> String {
    x as String
}

#[device]
fn optional(x: Option<u32>) -> u32 {
    let y: i128 = 0;
    y as u32
}

#[device]
fn changing(x: &mut [u32]) -> u32 {
    x[0]
}

fn main() {}
