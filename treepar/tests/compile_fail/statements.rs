use treepar::device::device;

#[device]
fn endless(x: u32) -> u32 {
    loop {
        return x;
    }
}

#[device]
fn labelled(x: u32) -> u32 {
    'outer: for i in 0..x {
        for j in 0..i {
            continue 'outer;
        }
    }
    x
}

#[device]
fn iterating(x: u32) -> u32 {
    for i in (0..x).rev() {}
    for i in 0..=x {}
    x
}

#[device(map)]
fn writing(i: usize, x: &[u32]) -> u32 {
    x[i] = 1;
    x[i] += 1;
    0
}

#[device]
fn items(x: u32) -> u32 {
    const K: u32 = 3;
    fn inner() {}
    x + K
}

#[device]
fn unassigned(x: u32) -> u32 {
    let y;
    y = x;
    y
}

#[device]
fn matching(x: u32, y: u32) -> u32 {
    match x {
        1 if y > 0 => 1,
        z @ 2..=3 => z,
        _ => 0,
    }
}

#[device]
fn unsafe_block(x: u32) -> u32 {
    unsafe { x }
}

fn main() {}
