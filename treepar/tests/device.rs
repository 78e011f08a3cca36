//! What `#[device]` makes of functions and structs, and what the registry knows of them.

use treepar::backend::ScanKind;
use treepar::device::{DeviceFn, Value, device, kernels};
use treepar::{Backend, Cpu};

const OFFSET: u32 = 10;
const SQUARES: [u8; 4] = [0, 1, 4, 9];

/// A point.
#[device]
struct Point {
    x: u32,
    y: f32,
}

#[device]
fn square(k: u32) -> u32 {
    if k < 4 { SQUARES[k as usize] as u32 } else { k * k }
}

#[device(map)]
fn squares(i: usize, x: &[u32], scale: u32) -> (u32, u8) {
    let (a, b) = (square(x[i]), (x[i] == 0) as u8);
    (a * scale + OFFSET, b)
}

#[device(monoid(identity = 0))]
fn largest(a: u32, b: u32) -> u32 {
    a.max(b)
}

#[device(map, reduce(largest), scan(largest), segmented_scan(largest))]
fn value(i: usize, x: &[u32]) -> u32 {
    x[i]
}

#[device(map)]
fn point(i: usize, x: &[u32]) -> Point {
    let mut p = Point { x: x[i], y: 0.5 };
    p.x += 1;
    let mut k = 0u32;
    while k < 2 {
        p.y *= 2.0;
        k += 1;
    }
    for j in 0..3u32 {
        if j == 1 {
            continue;
        }
        p.x += match j {
            0 => 100,
            1 | 2 => 1000,
            _ => u32::MAX,
        };
    }
    p
}

#[test]
fn a_device_function_is_the_function_and_its_type() {
    assert_eq!(square(3), 9);
    assert_eq!(square(5), 25);
    let cpu = Cpu::with_threads(1);
    let x = cpu.upload(&[0u32, 2, 5]).unwrap();
    let (scaled, zero) = cpu.map::<squares>(3, (&x, 2)).unwrap();
    assert_eq!((&scaled[..], &zero[..]), (&[10, 18, 60][..], &[1, 0, 0][..]));
    assert_eq!(cpu.map::<point>(3, (&x,)).unwrap()[1], Point { x: 1103, y: 2.0 });
    assert_eq!(cpu.reduce::<value, largest>(3, (&x,)).unwrap(), 5);
    let (running, most) = cpu.scan::<value, largest>(ScanKind::Inclusive, 3, (&x,)).unwrap();
    assert_eq!((&running[..], most), (&[0, 2, 5][..], 5));
}

#[test]
fn the_registry_knows_what_a_generator_needs() {
    let def = squares::DEF;
    // How tokens are spaced is the compiler's choice.
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!((def.name, def.module, plain(def.output)), ("squares", "device", "(u32,u8)".to_string()));
    assert!(def.file.ends_with("device.rs") && def.line > 0);
    let parameters: Vec<String> = def.parameters.iter().map(|p| format!("{}: {}", p.name, plain(p.ty))).collect();
    assert_eq!(parameters, ["i: usize", "x: &[u32]", "scale: u32"]);
    assert_eq!((def.constants)(), [("OFFSET", Value::Scalar("u32", 10))]);
    let calls: Vec<&str> = def.calls.iter().map(|call| call.name).collect();
    assert_eq!(calls, ["square"]);
    assert_eq!((def.calls[0].constants)(), [("SQUARES", Value::Table("u8", vec![0, 1, 4, 9]))]);
    assert!(plain(def.source).contains("square(x[i])"), "{}", def.source);
}

#[test]
fn every_kernel_is_listed_with_its_template() {
    let own: Vec<(&str, Vec<&str>)> = kernels()
        .iter()
        .filter(|kernel| kernel.functions[0].module == "device")
        .map(|kernel| (kernel.template, kernel.functions.iter().map(|def| def.name).collect()))
        .collect();
    assert_eq!(
        own,
        [
            ("map", vec!["point"]),
            ("map", vec!["squares"]),
            ("map", vec!["value"]),
            ("reduce", vec!["value", "largest"]),
            ("scan", vec!["value", "largest"]),
            ("segmented_scan", vec!["value", "largest"]),
        ]
    );
    assert!(kernels().iter().any(|kernel| kernel.functions[0].module == "treepar::depth"), "the library's are there");
}
