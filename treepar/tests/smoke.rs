use treepar::{Backend, Cpu, backend::ScanKind, device::device};
const K: u32 = 3;
#[device(monoid(identity = 0))]
fn add(a: u32, b: u32) -> u32 { a.wrapping_add(b) }
#[device(map, scan(add))]
fn triple(i: usize, x: &[u32]) -> u32 { x[i].wrapping_mul(K) }
#[device(map)]
fn pair(i: usize, x: &[u32], y: u8) -> (u32, u8) { (x[i], y) }
#[device(expand)]
fn ex(owner: usize, k: usize, x: &[u32]) -> u32 { x[owner] + k as u32 }
#[device(walk_down)]
fn depth(_i: usize, parent: u32) -> u32 { parent.wrapping_add(1) }
#[device]
struct P { a: u32, b: u32 }
#[device(map)]
fn mk(i: usize) -> P { P { a: i as u32, b: 1 } }
#[test]
fn smoke() {
    let cpu = Cpu::with_threads(2);
    let xs: Vec<u32> = (0..100_000).collect();
    let x = cpu.upload(&xs).unwrap();
    let y = cpu.map::<triple>(xs.len(), (&x,)).unwrap();
    assert_eq!(y[77_777], 3 * 77_777);
    let (s, t) = cpu.scan::<triple, add>(ScanKind::Exclusive, xs.len(), (&x,)).unwrap();
    let mut acc = 0u32;
    for i in 0..xs.len() { assert_eq!(s[i], acc); acc = acc.wrapping_add(3 * i as u32); }
    assert_eq!(t, acc);
    let d: Vec<u32> = { let mut d = vec![0u32]; let mut s = 12345u64; for _ in 1..30_000 { s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); let m = d.last().unwrap() + 1; d.push(m - ((s >> 33) as u32) % (m + 1).clamp(1, 4)); } d };
    let dv = cpu.upload(&d).unwrap();
    let p = cpu.previous_smaller(&dv).unwrap();
    let e = cpu.next_smaller_or_equal(&dv).unwrap();
    for i in 0..d.len() {
        let q = (0..i).rev().find(|&j| d[j] < d[i]).map_or(u32::MAX, |j| j as u32);
        assert_eq!(p[i], q, "{i}");
        let q = (i+1..d.len()).find(|&j| d[j] <= d[i]).unwrap_or(d.len());
        assert_eq!(e[i], q as u32);
    }
    let w = cpu.walk_down::<depth>(&p, u32::MAX, ()).unwrap();
    assert_eq!(w[..], d[..]);
    println!("{:?}", treepar::device::kernels());
}
