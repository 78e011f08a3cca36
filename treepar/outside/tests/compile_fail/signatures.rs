use treepar::device::device;

#[device]
fn generic<T, const N: usize>(x: T) -> T
where
    T: Copy,
{
    x
}

#[device]
fn lifetimes<'a>(x: &'a [u32]) -> u32 {
    x[0]
}

#[device]
fn plain(x: u32) -> u32 {
    x
}

#[device]
async fn later(x: u32) -> u32 {
    x
}

#[device]
unsafe fn dangerous(x: u32) -> u32 {
    x
}

#[device]
extern "C" fn foreign(x: u32) -> u32 {
    x
}

#[device]
fn nothing(x: u32) {
    let y = x;
}

#[device]
fn apart((a, b): (u32, u32), _: u32, ref c: u32) -> u32 {
    a + b
}

struct Holder;

impl Holder {
    #[device]
    fn method(&self) -> u32 {
        0
    }
}

fn main() {}
