use treepar::device::device;

#[device]
#[inline]
#[allow(unused)]
fn on_a_function(x: u32) -> u32 {
    x
}

#[device]
fn on_a_parameter(#[cfg(all())] x: u32) -> u32 {
    x
}

#[device]
fn in_a_body(x: u32) -> u32 {
    #[cfg(any())]
    let x = 0u32;
    x
}

fn main() {}
