//! Every table and vector that sections 3 and 4 of the Key paper print, digit by digit, for both running examples: F, a
//! nested function, and E, a nested expression.

use treepar::ancestor::Of;
use treepar::backend::ScanKind;
use treepar::compact::compress;
use treepar::depth::{Depths, NO_NODE};
use treepar::device::device;
use treepar::key::{Order, Role, lift};
use treepar::monoid::Sum;
use treepar::path::{Encoding, PathMatrix};
use treepar::{Backend, Cpu, Executor};

/// An example tree as section 3.1 gives it.
struct Tree {
    depth: &'static [u32],
    ty: &'static [u8],
    value: &'static str,
    /// The type of lifted nodes.
    lifted: u8,
}

const F: Tree = Tree { depth: &[0, 1, 2, 3, 4, 4, 4, 2, 3], ty: b"FEFEVPVAN", value: "f000w+w07", lifted: b'F' };
const E: Tree = Tree { depth: &[0, 1, 2, 2, 2, 1, 1, 2, 2, 2], ty: b"EEVPVPEVPV", value: "v0a+b/0cxd", lifted: b'E' };

impl Tree {
    fn forest(&self, cpu: &Cpu) -> Depths<Cpu> {
        Depths::new(cpu.upload(self.depth).unwrap()).unwrap()
    }

    /// `'F'=Ft`
    fn mask(&self, cpu: &Cpu) -> <Cpu as Executor>::Vec<u8> {
        cpu.upload(&self.ty.iter().map(|&ty| u8::from(ty == self.lifted)).collect::<Vec<_>>()).unwrap()
    }
}

/// Rows of digits, as the paper prints a matrix.
fn matrix(text: &str) -> Vec<Vec<u32>> {
    text.split('/').map(|row| row.split_whitespace().map(|digit| digit.parse().unwrap()).collect()).collect()
}

/// Entry (node, level) of `Fd∘.=⍳1+⌈/Fd`.
#[device(map)]
fn is_at(k: usize, depth: &[u32], h: u32) -> u32 {
    (depth[k / h as usize] == k as u32 % h) as u32
}

/// The same on its side, for a scan along the nodes.
#[device(segmented_scan(Sum))]
fn is_at_sideways(k: usize, depth: &[u32]) -> u32 {
    (depth[k % depth.len()] as usize == k / depth.len()) as u32
}

/// Entry (node, level) of `Fd∘.≥⍳1+⌈/Fd`.
#[device(map)]
fn reaches(k: usize, depth: &[u32], h: u32) -> u32 {
    (depth[k / h as usize] >= k as u32 % h) as u32
}

#[test]
fn depths_of_the_trees() {
    let cpu = Cpu::with_threads(1);
    assert_eq!(F.forest(&cpu).height(), Ok(5), "1+⌈/Fd");
    assert_eq!(E.forest(&cpu).height(), Ok(3), "1+⌈/Ed");
}

#[test]
fn construction_of_the_path_matrix() {
    let cpu = Cpu::with_threads(1);
    let steps = [
        (
            &F,
            "1 0 0 0 0/0 1 0 0 0/0 0 1 0 0/0 0 0 1 0/0 0 0 0 1/0 0 0 0 1/0 0 0 0 1/0 0 1 0 0/0 0 0 1 0",
            "1 0 0 0 0/1 1 0 0 0/1 1 1 0 0/1 1 1 1 0/1 1 1 1 1/1 1 1 1 2/1 1 1 1 3/1 1 2 1 3/1 1 2 2 3",
            "1 0 0 0 0/1 1 0 0 0/1 1 1 0 0/1 1 1 1 0/1 1 1 1 1/1 1 1 1 1/1 1 1 1 1/1 1 1 0 0/1 1 1 1 0",
            "1 0 0 0 0/1 1 0 0 0/1 1 1 0 0/1 1 1 1 0/1 1 1 1 1/1 1 1 1 2/1 1 1 1 3/1 1 2 0 0/1 1 2 2 0",
        ),
        (
            &E,
            "1 0 0/0 1 0/0 0 1/0 0 1/0 0 1/0 1 0/0 1 0/0 0 1/0 0 1/0 0 1",
            "1 0 0/1 1 0/1 1 1/1 1 2/1 1 3/1 2 3/1 3 3/1 3 4/1 3 5/1 3 6",
            "1 0 0/1 1 0/1 1 1/1 1 1/1 1 1/1 1 0/1 1 0/1 1 1/1 1 1/1 1 1",
            "1 0 0/1 1 0/1 1 1/1 1 2/1 1 3/1 2 0/1 3 0/1 3 4/1 3 5/1 3 6",
        ),
    ];
    for (tree, bits, sums, mask, paths) in steps {
        let forest = tree.forest(&cpu);
        let (n, h) = (forest.len(), forest.height().unwrap());
        let rows = |flat: &[u32]| flat.chunks(h).map(<[u32]>::to_vec).collect::<Vec<_>>();
        let depths = forest.depths();
        assert_eq!(rows(&cpu.map(is_at::of(depths, h as u32).rows(n * h)).unwrap()), matrix(bits), "Fb");
        let starts = cpu.upload(&(0..h as u32).map(|level| level * n as u32).collect::<Vec<_>>()).unwrap();
        let sideways = cpu
            .segmented_scan(ScanKind::Inclusive, &starts, is_at_sideways::of(forest.depths()).rows(n * h), Sum)
            .unwrap();
        let upright: Vec<u32> = (0..n * h).map(|k| sideways[k % h * n + k / h]).collect();
        assert_eq!(rows(&upright), matrix(sums), "+⍀Fb");
        assert_eq!(rows(&cpu.map(reaches::of(depths, h as u32).rows(n * h)).unwrap()), matrix(mask), "Fm");
        let found = PathMatrix::new(&forest, Encoding::Ordinal).unwrap();
        assert_eq!(found.download().unwrap(), matrix(paths), "Fc");
        assert_eq!(found.entry_bytes(), 1);
    }
}

#[test]
fn questions_about_two_paths() {
    let cpu = Cpu::with_threads(1);
    let paths = PathMatrix::new(&F.forest(&cpu), Encoding::Ordinal).unwrap();
    // C←1 1 2 0 0 is the path of node 7, P←1 1 0 0 0 that of node 1.
    let (c, p) = (cpu.upload(&[7]).unwrap(), cpu.upload(&[1]).unwrap());
    assert_eq!(paths.depths().unwrap()[7], 2, "¯1+C⍳0");
    assert_eq!(paths.has_ancestor(&c, &p, Of::Inclusive).unwrap()[..], [1], "C∧.(=∨0=⊢)P");
}

#[test]
fn nearest_parents_by_the_inner_product() {
    let cpu = Cpu::with_threads(1);
    let steps = [
        (
            &F,
            "1 0 0 0 0/1 1 1 0 0",
            "0 0 0 0 0/1 0 0 0 0/1 1 0 0 0/1 1 1 0 0/1 1 1 1 0/1 1 1 1 0/1 1 1 1 0/1 1 0 0 0/1 1 2 0 0",
            "0 0/1 0/1 0/1 1/1 1/1 1/1 1/1 0/1 0",
            &[0, 0, 0, 1, 1, 1, 1, 0, 0][..],
            "1 0 0 0 0/1 0 0 0 0/1 0 0 0 0/1 1 1 0 0/1 1 1 0 0/1 1 1 0 0/1 1 1 0 0/1 0 0 0 0/1 0 0 0 0",
        ),
        (
            &E,
            "1 0 0/1 1 0/1 3 0",
            "0 0 0/1 0 0/1 1 0/1 1 0/1 1 0/1 0 0/1 0 0/1 3 0/1 3 0/1 3 0",
            "0 0 0/1 0 0/1 1 0/1 1 0/1 1 0/1 0 0/1 0 0/1 0 1/1 0 1/1 0 1",
            &[0, 0, 1, 1, 1, 0, 0, 2, 2, 2],
            "1 0 0/1 0 0/1 1 0/1 1 0/1 1 0/1 0 0/1 0 0/1 3 0/1 3 0/1 3 0",
        ),
    ];
    for (tree, parents, above, product, index, keys) in steps {
        let paths = PathMatrix::new(&tree.forest(&cpu), Encoding::Ordinal).unwrap();
        let fp = paths.select(&cpu.compact(&tree.mask(&cpu)).unwrap()).unwrap();
        assert_eq!(fp.download().unwrap(), matrix(parents), "Fp←('F'=Ft)⌿Fc");
        let fcp = paths.parents().unwrap();
        assert_eq!(fcp.download().unwrap(), matrix(above), "Fcp");
        let found = fcp.matches(&fp).unwrap();
        let found: Vec<Vec<u32>> = found.chunks(fp.len()).map(|r| r.iter().map(|&x| x.into()).collect()).collect();
        assert_eq!(found, matrix(product), "Fcp∧.(=∨0=)⍉Fp");
        // The paper's 0 means both the first row and none; the root has none.
        let nearest = fcp.nearest(&fp).unwrap();
        assert_eq!(nearest[0], NO_NODE);
        let nearest: Vec<u32> = nearest.iter().map(|&row| if row == NO_NODE { 0 } else { row }).collect();
        assert_eq!(nearest, index, "Fi");
        let fk = fp.select(&cpu.upload(&nearest).unwrap()).unwrap();
        assert_eq!(fk.download().unwrap(), matrix(keys), "Fk←Fp[Fi;]");
    }
}

#[test]
fn key_with_tally_is_a_histogram() {
    let cpu = Cpu::with_threads(1);
    // X as the table of section 3.3 has it: ten numbers below 5, grouped as they appear.
    let x = cpu.upload(&[1u32, 4, 0, 1, 3, 1, 2, 1, 1, 1]).unwrap();
    let groups = treepar::key::group(&x, Order::FirstAppearance).unwrap();
    let table: Vec<(u32, u32)> =
        groups.unique(&x).unwrap().iter().copied().zip(groups.sizes().unwrap().iter().copied()).collect();
    assert_eq!(table, [(1, 6), (4, 1), (0, 1), (3, 1), (2, 1)]);
}

/// Rows as the paper prints them: depth, type, value, path.
fn print(rows: impl Iterator<Item = (u32, u8, char, Vec<u32>)>) -> Vec<String> {
    rows.map(|(depth, ty, value, path)| {
        let path: Vec<String> = path.iter().map(ToString::to_string).collect();
        format!("{depth} {} {value} {}", ty as char, path.join(" "))
    })
    .collect()
}

/// A key, and the rows that have it.
type Group = (&'static str, &'static [&'static str]);

#[test]
fn key_with_pairs_groups_the_rows_of_each_parent() {
    let cpu = Cpu::with_threads(1);
    let tables: [(&Tree, &[Group]); 2] = [
        (
            &F,
            &[
                ("1 0 0 0 0", &["1 E 0 1 1 0 0 0", "2 F 0 1 1 1 0 0", "2 A 0 1 1 2 0 0", "3 N 7 1 1 2 2 0"]),
                ("1 1 1 0 0", &["3 E 0 1 1 1 1 0", "4 V w 1 1 1 1 1", "4 P + 1 1 1 1 2", "4 V w 1 1 1 1 3"]),
            ],
        ),
        (
            &E,
            &[
                ("1 0 0", &["1 E 0 1 1 0", "1 P / 1 2 0", "1 E 0 1 3 0"]),
                ("1 1 0", &["2 V a 1 1 1", "2 P + 1 1 2", "2 V b 1 1 3"]),
                ("1 3 0", &["2 V c 1 3 4", "2 P x 1 3 5", "2 V d 1 3 6"]),
            ],
        ),
    ];
    for (tree, table) in tables {
        let paths = PathMatrix::new(&tree.forest(&cpu), Encoding::Ordinal).unwrap();
        let fp = paths.select(&cpu.compact(&tree.mask(&cpu)).unwrap()).unwrap();
        let nearest = paths.parents().unwrap().nearest(&fp).unwrap();
        // 1↓Fk and 1↓Fast: without the root, which holds everything.
        let rest = cpu.upload(&(1..tree.depth.len() as u32).collect::<Vec<_>>()).unwrap();
        let keys = fp.select(&cpu.slice(&nearest, 1..tree.depth.len()).unwrap()).unwrap();
        let groups = keys.key(Order::FirstAppearance).unwrap();
        let unique = keys.select(&groups.first_rows().unwrap()).unwrap().download().unwrap();
        let all = paths.download().unwrap();
        let ends = groups.offsets()[1..].iter().copied().chain([rest.len() as u32]);
        let values: Vec<char> = tree.value.chars().collect();
        let found: Vec<(Vec<u32>, Vec<String>)> = unique
            .into_iter()
            .zip(groups.offsets().iter().zip(ends))
            .map(|(key, (&begin, end))| {
                let nodes =
                    groups.permutation()[begin as usize..end as usize].iter().map(|&row| rest[row as usize] as usize);
                (key, print(nodes.map(|i| (tree.depth[i], tree.ty[i], values[i], all[i].clone()))))
            })
            .collect();
        let expected: Vec<(Vec<u32>, Vec<String>)> = table
            .iter()
            .map(|(key, rows)| (matrix(key).remove(0), rows.iter().map(ToString::to_string).collect()))
            .collect();
        assert_eq!(found, expected, "(1↓Fk){{⍺ ⍵}}⌸1↓Fast");
    }
}

#[test]
fn lifting_and_flattening() {
    let cpu = Cpu::with_threads(1);
    let lifted_functions = [
        "0 F 0 1 0 0 0 0",
        "1 E 0 1 1 0 0 0",
        "2 V 0 1 1 1 0 0",
        "2 A 0 1 1 2 0 0",
        "3 N 7 1 1 2 2 0",
        "0 F 0 1 1 1 0 0",
        "1 E 0 1 1 1 1 0",
        "2 V w 1 1 1 1 1",
        "2 P + 1 1 1 1 2",
        "2 V w 1 1 1 1 3",
    ];
    let flattened_expressions = [
        "0 E 0 1 3 0",
        "1 V c 1 3 4",
        "1 P x 1 3 5",
        "1 V d 1 3 6",
        "0 E 0 1 1 0",
        "1 V a 1 1 1",
        "1 P + 1 1 2",
        "1 V b 1 1 3",
        "0 E 0 1 0 0",
        "1 V 0 1 1 0",
        "1 P / 1 2 0",
        "1 V 0 1 3 0",
    ];
    for (tree, backwards, expected) in [(&F, false, &lifted_functions[..]), (&E, true, &flattened_expressions)] {
        let forest = tree.forest(&cpu);
        let found = lift(&forest, &tree.mask(&cpu), backwards).unwrap();
        let paths = PathMatrix::new(&forest, Encoding::Ordinal).unwrap();
        let paths = paths.select(&found.origin).unwrap().download().unwrap();
        let values: Vec<char> = tree.value.chars().collect();
        let rows = (0..found.origin.len()).map(|row| {
            let node = found.origin[row] as usize;
            // The header hd has value 0; rf turns lifted nodes into variables.
            let role = found.role[row];
            let ty = if role == Role::Reference as u8 { b'V' } else { tree.ty[node] };
            let value = if role == Role::Root as u8 { '0' } else { values[node] };
            (found.forest.depths()[row], ty, value, paths[row].clone())
        });
        assert_eq!(print(rows), expected);
        // Each reference leads to the root with its path.
        for row in (0..paths.len()).filter(|&row| found.target[row] != NO_NODE) {
            assert_eq!(paths[row], paths[found.target[row] as usize]);
        }
        let roots: Vec<u8> = found.role.iter().map(|&role| u8::from(role == Role::Root as u8)).collect();
        let heads = compress(&found.origin, &cpu.upload(&roots).unwrap()).unwrap();
        assert!(heads.iter().all(|&node| tree.ty[node as usize] == tree.lifted));
    }
}

#[test]
fn headers_before_each_group() {
    // (1↓Fk){⊢(0 'F' 0 ⍺)⍪⍵}⌸1↓Fast: the rows keep their depths, and a header with the key as its path comes first.
    let cpu = Cpu::with_threads(1);
    let found = lift(&F.forest(&cpu), &F.mask(&cpu), false).unwrap();
    let table: Vec<(u32, u8)> = (0..found.origin.len())
        .map(|row| {
            let node = found.origin[row] as usize;
            if found.role[row] == Role::Root as u8 { (0, b'F') } else { (F.depth[node], F.ty[node]) }
        })
        .collect();
    let expected =
        [(0, b'F'), (1, b'E'), (2, b'F'), (2, b'A'), (3, b'N'), (0, b'F'), (3, b'E'), (4, b'V'), (4, b'P'), (4, b'V')];
    assert_eq!(table, expected);
}
