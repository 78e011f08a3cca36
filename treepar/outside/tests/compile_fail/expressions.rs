use treepar::device::device;

#[device]
fn references(x: u32) -> u32 {
    let y = &x;
    let z = &mut x;
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
    debug_assert!(x > 0);
    panic!();
    println!("{x}");
    let y = vec![x];
    custom!();
    matches!(x, 1) as u32
}

#[device]
fn options(x: u32) -> u32 {
    if let z = x {
        return z;
    }
    while let z = x {}
    let y = x?;
    y
}

#[device]
fn arrays(x: u32) -> u32 {
    let a = [x, 1];
    let b = [0; 4];
    let t = x;
    t[0] + (x)[0]
}

#[device(map)]
fn columns(i: usize, x: &[u32], y: &[u32]) -> u32 {
    let part = x[0..i];
    let whole = x;
    let equal = x == y;
    part[0]
}

#[device]
fn tuples(x: u32) -> u32 {
    let pair = (x, x);
    let nested = ((x, x), x).0;
    let none = ();
    pair.0
}

#[device]
fn ranges(x: u32) -> u32 {
    let r = 0..x;
    x
}

#[device]
fn values_that_are_none(mut x: u32) -> u32 {
    let a = x += 1;
    let b = if x > 0 { 1u32 };
    let c = while x > 0 {};
    let d = const { 1u32 };
    let e = <u32 as Default>::NONE;
    x
}

#[device]
fn unsafe_block(x: u32) -> u32 {
    unsafe { x }
}

#[device]
fn asynchronous(x: u32) -> u32 {
    let y = async { x };
    y.await
}

fn main() {}
