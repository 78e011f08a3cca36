use treepar::device::device;

#[device(map)]
fn iterators(i: usize, x: &[u32]) -> u32 {
    x.iter().map(|y| y + 1).sum()
}

#[device]
fn options(x: u32) -> u32 {
    x.checked_add(1).unwrap()
}

#[device]
fn arithmetic(x: u32) -> u32 {
    x.isqrt() + x.swap_bytes() + (x as f32).powi(2) as u32
}

#[device(map)]
fn of_columns(i: usize, x: &[u32]) -> u32 {
    x.is_empty() as u32 + x[i].len() as u32
}

#[device]
fn generic(x: u32) -> u32 {
    x.min::<u32>(1) + x.own()
}

fn main() {}
