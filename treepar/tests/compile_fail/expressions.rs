use treepar::device::device;

#[device]
fn references(x: u32) -> u32 {
    let y = &x;
    *y
}

#[device]
fn closures(x: u32) -> u32 {
    let f = |y| y + 1;
    f(x)
}

#[device]
fn macros(x: u32) -> u32 {
    assert!(x > 0);
    println!("{x}");
    let y = vec![x];
    matches!(x, 1) as u32
}

#[device(map)]
fn iterators(i: usize, x: &[u32]) -> u32 {
    x.iter().sum()
}

#[device]
fn options(x: u32) -> u32 {
    let y = Some(x);
    if let z = x {
        return z;
    }
    x.checked_add(1).unwrap()
}

#[device]
fn arrays(x: u32) -> u32 {
    let a = [x, 1];
    let b = [0; 4];
    a[0]
}

#[device]
fn texts(x: u32) -> u32 {
    let a = "text";
    let b = 'c';
    x
}

#[device]
fn generic_calls(x: u32) -> u32 {
    size_of::<u32>() as u32 + x
}

#[device(map)]
fn parts(i: usize, x: &[u32]) -> u32 {
    let y = x[0..i];
    (x)[0]
}

#[device]
fn tuples(x: u32) -> u32 {
    let pair = (x, x);
    pair.0
}

fn main() {}
