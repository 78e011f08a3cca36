use treepar::device::device;

static mut COUNT: u32 = 0;

#[device]
fn recursive(x: u32) -> u32 {
    recursive(x - 1) + self::recursive(x)
}

#[device]
fn neither_local_nor_constant(x: u32) -> u32 {
    let kind = Kind::Add as u32;
    let f = recursive;
    outside + x
}

#[device]
fn calls(x: u32) -> u32 {
    let a = Some(x);
    let b = Pair(x, x);
    let c = Point::new(x);
    let d = u32::from_str_radix(x);
    let e = std::mem::take(x);
    let g = size_of::<u32>();
    let h = (x)(x);
    x(x)
}

#[device]
fn assignments(x: u32) -> u32 {
    COUNT = x;
    COUNT
}

fn main() {}
