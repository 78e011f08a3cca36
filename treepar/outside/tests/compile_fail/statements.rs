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
        'inner: while x > 0 {
            break 'inner;
        }
    }
    'block: {
        break 'block x;
    }
}

#[device(map)]
fn iterating(i: usize, x: &[u32]) -> u32 {
    for y in x {}
    for j in (0..i).rev() {}
    for j in 0..=i {}
    for j in 0.. {}
    for (j, k) in 0..i {}
    0
}

#[device(map)]
fn writing(i: usize, x: &[u32]) -> u32 {
    x[i] = 1;
    x[i] += 1;
    f(i) = 1;
    0
}

#[device]
fn items(x: u32) -> u32 {
    const K: u32 = 3;
    static S: u32 = 3;
    fn inner() {}
    struct Local;
    x + K
}

#[device]
fn unassigned(x: u32) -> u32 {
    let y;
    y = x;
    y
}

fn main() {}
