use treepar::device::device;

#[device]
fn matching(x: u32, y: u32) -> u32 {
    match x {
        1 if y > 0 => 1,
        z @ 2..=3 => z,
        z => z,
        Some(z) => z,
        "text" => 1,
        Kind::Add => 2,
        &z => 3,
        _ => 0,
    }
}

#[device]
fn binding(x: u32) -> u32 {
    let Point { a, b } = x;
    let ref c = x;
    let d @ e = x;
    let [f, g] = x;
    let ((h, i), j) = x;
    let l = x else { return x };
    x
}

fn main() {}
