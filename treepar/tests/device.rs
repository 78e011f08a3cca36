//! The functions and structs that `#[device]` emits, and their entries in the registry.

use treepar::backend::ScanKind;
use treepar::device::{
    ColumnVisitor, Constant, Def, Described, DeviceFn, Element, Parameter, Scalar, Shape, Type, Value, device, kernels,
    tree,
};
use treepar::{Backend, Column, Cpu, Executor};

const OFFSET: u32 = 10;
const SQUARES: [u8; 4] = [0, 1, 4, 9];
const ORIGIN: Point = Point { x: 7, y: -0.5 };
const NONE: u32 = u32::MAX;

mod limit {
    pub const LOW: i32 = -3;
    pub const HIGH: i64 = i64::MIN;
    pub const IS_SET: bool = true;
    pub const ROWS: usize = 5;
}

/// Another name for a scalar.
type Row = u32;

/// A point.
#[device]
struct Point {
    x: u32,
    y: f32,
}

/// A struct in a struct.
#[device]
struct Segment {
    from: Point,
    to: Point,
}

/// A helper with a table.
#[device]
fn square(k: u32) -> u32 {
    if k < 4 { SQUARES[k as usize] as u32 } else { k * k }
}

/// Two results, taken apart by the caller.
#[device]
fn halves(x: u32) -> (u32, bool) {
    if x == NONE {
        return (0, false);
    }
    (x / 2, x % 2 == 1)
}

/// A column passed on.
#[device]
fn at_or(column: &[u32], row: usize, other: u32) -> u32 {
    if row < column.len() { column[row] } else { other }
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

/// Composes `k -> x + k * y`: it does not commute.
#[device(monoid(identity = Point { x: 0, y: 1.0 }))]
fn after(a: Point, b: Point) -> Point {
    Point { x: b.x + a.x * b.y as u32, y: a.y * b.y }
}

#[device(map, reduce(largest), scan(largest), segmented_scan(largest))]
fn value(i: usize, x: &[u32]) -> u32 {
    x[i]
}

#[device(map)]
fn following(i: usize, x: &[u32]) -> u32 {
    at_or(x, i + 1, NONE)
}

#[device(reduce(after))]
fn line(i: usize, x: &[u32]) -> Point {
    Point { x: x[i], y: 2.0f32 }
}

#[device(compact)]
fn is_odd(i: usize, x: &[u32]) -> bool {
    let (_, odd) = halves(x[i]);
    odd
}

/// Returns a number and its halves, as far as they are not 0, and at most four rows.
#[device(expand_rows)]
fn halved(i: usize, x: &[u32]) -> (u32, u32, u32, u32, u32) {
    (x[i], x[i] / 2, x[i] / 4, x[i] / 8, x[i])
}

#[device(scan_map(value, largest))]
fn record(i: usize, before: u32, x: &[u32]) -> (u32, u8) {
    (before, (x[i] > before) as u8)
}

#[device(positions(value, largest))]
fn marks(w: usize, before: u32, x: &[u32]) -> u64 {
    (x[w] | before) as u64
}

#[device(accumulate)]
fn weight(i: usize, x: &[u32]) -> (u32, u32) {
    (x[i], i as u32 + 1)
}

#[device(intern)]
fn key(i: usize, x: &[u32]) -> u64 {
    x[i] as u64 / 4
}

#[device(expand)]
fn copies(owner: usize, k: usize, x: &[u32]) -> (u32, u32) {
    (x[owner], k as u32)
}

#[device(walk_down)]
fn path_sum(i: usize, parent: u32, x: &[u32]) -> u32 {
    parent + x[i]
}

#[device(walk_up(largest))]
fn height(i: usize, children: u32, x: &[u32]) -> u32 {
    children + x[i].min(1)
}

/// Every construct of the subset that the others leave out.
#[device(map)]
fn point(i: usize, x: &[u32]) -> Point {
    let mut p = Point { x: x[i], y: 0.5f32 };
    p.x += 1;
    let mut k = 0u32;
    while k < 2 {
        p.y *= 2.0f32;
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

/// Literals, ranges and constants as patterns, and a name as the last.
#[device(map)]
fn class(i: usize, x: &[i32]) -> u32 {
    match x[i] {
        limit::LOW => 1,
        -1 | 1 => 2,
        0 => b'0' as u32,
        2..=9 => 3,
        10.. => 4,
        other => other.wrapping_neg() as u32,
    }
}

/// Constants of each type, and names that hide others.
#[device(map)]
fn constants(i: usize, x: &[u32]) -> u64 {
    let row: Row = if i < limit::ROWS && limit::IS_SET { x[i] } else { ORIGIN.x };
    let x = limit::HIGH as u64;
    let i = {
        let row = row ^ NONE;
        row.count_ones() as u64
    };
    x | i | (row as u64) << 8
}

/// Points as a column, a struct of structs.
#[device(map)]
fn segment(i: usize, points: &[Point]) -> Segment {
    let from = if i == 0 { ORIGIN } else { points[i - 1] };
    Segment { from, to: points[i] }
}

fn names(defs: &[&Def]) -> Vec<&'static str> {
    defs.iter().map(|def| def.name).collect()
}

fn called(def: &Def) -> Vec<&'static str> {
    names(def.calls)
}

#[test]
fn a_device_function_is_the_function_itself() {
    assert_eq!((square(3), square(5)), (9, 25));
    assert_eq!(halves(7), (3, true));
    assert_eq!([-3, -1, 0, 1, 5, 70, -20].map(|x| class(0, &[x])), [1, 2, 48, 2, 3, 4, 20]);
    assert_eq!(constants(0, &[1]), 1 << 63 | 31 | 1 << 8);
    assert_eq!(constants(5, &[]), 1 << 63 | 29 | 7 << 8);
}

#[test]
fn every_role_runs_on_the_cpu() {
    let cpu = Cpu::with_threads(1);
    let x = cpu.upload(&[0u32, 2, 5]).unwrap();
    let (scaled, zero) = cpu.map(squares::of(&x, 2)).unwrap();
    assert_eq!((&scaled[..], &zero[..]), (&[10, 18, 60][..], &[1, 0, 0][..]));
    assert_eq!(cpu.map(following::of(&x).rows(3)).unwrap()[..], [2, 5, u32::MAX]);
    assert_eq!(cpu.reduce(value::of(&x), largest).unwrap(), 5);
    assert_eq!(cpu.reduce(line::of(&x), after).unwrap(), Point { x: 9, y: 8.0 });
    let (running, most) = cpu.scan(ScanKind::Inclusive, value::of(&x), largest).unwrap();
    assert_eq!((&running[..], most), (&[0, 2, 5][..], 5));
    let ((before, record), _) = cpu.scan_map(value::of(&x), largest, record::of(&x)).unwrap();
    assert_eq!((&before[..], &record[..]), (&[0, 0, 2][..], &[0, 1, 1][..]));
    assert_eq!(cpu.compact(is_odd::of(&x)).unwrap()[..], [2]);
    let marked = cpu.positions(value::of(&x), largest, marks::of(&x)).unwrap();
    assert_eq!(marked[..], [65, 128, 129, 130]);
    let mut sums = cpu.upload(&[5u32, 5, 5]).unwrap();
    cpu.accumulate(&mut sums, weight::of(&x)).unwrap();
    assert_eq!(sums[..], [6, 5, 7]);
    assert_eq!(cpu.intern(key::of(&x)).unwrap()[..], [0, 0, 2]);
    let (rows, first) = cpu.expand_rows(halved::of(&x)).unwrap();
    assert_eq!((&rows[..], &first[..]), (&[2, 1, 5, 2, 1, 0][..], &[0, 0, 2][..]));
    let (order, odd) = cpu.partition(is_odd::of(&x)).unwrap();
    assert_eq!((&order[..], odd), (&[2, 0, 1][..], 1));

    let offsets = cpu.upload(&[0u32, 2]).unwrap();
    let within = cpu.segmented_scan(ScanKind::Exclusive, &offsets, value::of(&x), largest).unwrap();
    assert_eq!(within[..], [0, 0, 0]);
    assert_eq!(cpu.segmented_reduce(&offsets, value::of(&x), largest).unwrap()[..], [2, 5]);
    let (owner, copy) = cpu.expand(&offsets, 5, copies::of(&x).rows(2)).unwrap();
    assert_eq!((&owner[..], &copy[..]), (&[0, 0, 2, 2, 2][..], &[0, 1, 0, 1, 2][..]));

    let parents = treepar::depth::Parents::new(cpu.upload(&[u32::MAX, 0, 1]).unwrap()).unwrap();
    assert_eq!(cpu.walk_down(&parents, 100, path_sum::of(&x)).unwrap()[..], [100, 102, 107]);
    assert_eq!(cpu.walk_up(&parents, height::of(&x), largest).unwrap()[..], [2, 2, 1]);
}

#[test]
fn structs_are_elements_of_columns() {
    let cpu = Cpu::with_threads(1);
    let x = cpu.upload(&[0u32, 2]).unwrap();
    let points = cpu.map(point::of(&x)).unwrap();
    assert_eq!(points[..], [Point { x: 1101, y: 2.0 }, Point { x: 1103, y: 2.0 }]);
    let segments = cpu.map(segment::of(&points)).unwrap();
    assert_eq!(segments[..], [Segment { from: ORIGIN, to: points[0] }, Segment { from: points[0], to: points[1] }]);
    assert_eq!((size_of::<Point>(), size_of::<Segment>()), (8, 16));
}

#[test]
fn the_registry_knows_the_head_of_a_function() {
    let def = squares::DEF;
    assert_eq!((def.name, def.module), ("squares", "device"));
    assert_eq!(def.output, Type::Tuple(&[Type::Scalar(Scalar::U32), Type::Scalar(Scalar::U8)]));
    assert!(def.file.ends_with("device.rs") && def.line > 0);
    let parameter = |name, shape, ty| Parameter { name, shape, ty: Type::Scalar(ty) };
    let expected = [
        parameter("i", Shape::Value, Scalar::Usize),
        parameter("x", Shape::Column, Scalar::U32),
        parameter("scale", Shape::Value, Scalar::U32),
    ];
    assert_eq!(def.parameters, expected);
    assert!(def.identity.is_none());
}

/// A tree has its names resolved: `square`'s parameter `k` is local 0, its table is constant 0.
#[test]
fn the_registry_knows_the_tree_of_a_function() {
    use treepar::device::tree::{List, Node, Op, Ty};
    let body = square::DEF.body.decode().unwrap();
    assert_eq!((&body.locals[..], body.names.len()), (&["k".to_string()][..], 0));
    let nodes = [
        Node::Local(0),
        Node::Int(4, None),
        Node::Binary(Op::Less, 0, 1),
        Node::Local(0),
        Node::Cast(3, Ty::Scalar(Scalar::Usize)),
        Node::Constant(0),
        Node::Index(5, 4),
        Node::Cast(6, Ty::Scalar(Scalar::U32)),
        Node::Block(List(0, 0), Some(7)),
        Node::Local(0),
        Node::Local(0),
        Node::Binary(Op::Mul, 9, 10),
        Node::Block(List(0, 0), Some(11)),
        Node::If(2, 8, Some(12)),
        Node::Block(List(0, 0), Some(13)),
    ];
    assert_eq!((&body.nodes[..], body.root), (&nodes[..], 14));
}

/// The functions of all kernels, and those that they call.
fn functions() -> Vec<&'static Def> {
    let mut found: Vec<&'static Def> = kernels().iter().flat_map(|kernel| kernel.functions).copied().collect();
    let mut k = 0;
    while k < found.len() {
        found.extend(found[k].calls);
        k += 1;
    }
    found
}

#[test]
fn trees_are_the_same_after_a_way_through_bytes() {
    use treepar::device::tree::Encoded;
    for def in functions() {
        let bytes = def.body.decode().unwrap().encode();
        assert_eq!(Encoded::new(bytes.leak()), def.body, "{def:?}");
    }
}

#[test]
fn other_bytes_are_no_tree() {
    use treepar::device::tree::Encoded;
    let bytes = class::DEF.body.decode().unwrap().encode();
    let decode = |bytes: &[u8]| Encoded::new(bytes.to_vec().leak()).decode();
    for length in 0..bytes.len() {
        assert_eq!(decode(&bytes[..length]), None, "the first {length} bytes");
    }
    assert_eq!(decode(&[&bytes[..], &[0]].concat()), None, "a byte too many");
    // More nodes than there are bytes, and numbers of more than 64 bits.
    assert_eq!(decode(&[0xff, 0xff, 0xff, 0xff, 0x7f]), None);
    assert_eq!(decode(&[0xff; 12]), None);
    assert_eq!(decode(&[&[0x80; 9][..], &[2, 0, 0, 0, 0]].concat()), None);
    // Any other byte makes no tree, or one that stays the same on the way through bytes.
    for (k, new) in (0..bytes.len()).flat_map(|k| (0..=u8::MAX).map(move |new| (k, new))) {
        let mut changed = bytes.clone();
        changed[k] = new;
        if let Some(tree) = decode(&changed) {
            assert_eq!(decode(&tree.encode()), Some(tree), "byte {k} as {new}");
        }
    }
}

#[test]
fn the_registry_knows_what_a_function_calls() {
    assert_eq!(called(squares::DEF), ["square"]);
    assert_eq!(called(is_odd::DEF), ["halves"]);
    assert_eq!(called(following::DEF), ["at_or"]);
    assert!(square::DEF.calls.is_empty());
}

fn scalar(ty: Scalar, word: u64) -> Value {
    Value { ty: Type::Scalar(ty), rows: None, words: vec![word] }
}

fn constants_of(def: &Def) -> Vec<(&'static str, Value)> {
    def.constants.iter().map(|(name, constant)| (*name, constant.value())).collect()
}

#[test]
fn the_registry_knows_constants_by_value() {
    assert_eq!(constants_of(squares::DEF), [("OFFSET", scalar(Scalar::U32, 10))]);
    let table = Value { ty: Type::Scalar(Scalar::U8), rows: Some(4), words: vec![0, 1, 4, 9] };
    assert_eq!(constants_of(square::DEF), [("SQUARES", table)]);
    let origin = Value { ty: Point::TYPE, rows: None, words: vec![7, (-0.5f32).to_bits().into()] };
    let expected = [
        ("limit::ROWS", scalar(Scalar::Usize, 5)),
        ("limit::IS_SET", scalar(Scalar::Bool, 1)),
        ("ORIGIN", origin),
        ("limit::HIGH", scalar(Scalar::I64, 1 << 63)),
        ("NONE", scalar(Scalar::U32, u32::MAX.into())),
    ];
    assert_eq!(constants_of(constants::DEF), expected);
    assert_eq!(class::DEF.constants[0].1.value(), scalar(Scalar::I32, 0xffff_fffd));
}

#[test]
fn the_registry_knows_types_by_their_fields() {
    let Type::Struct(point) = Point::TYPE else { panic!("{:?}", Point::TYPE) };
    assert_eq!((point.name, point.module, point.is_element), ("Point", "device", true));
    assert_eq!(point.fields, [("x", Type::Scalar(Scalar::U32)), ("y", Type::Scalar(Scalar::F32))]);
    let Type::Struct(of_points) = Segment::TYPE else { panic!("{:?}", Segment::TYPE) };
    assert_eq!(of_points.fields, [("from", Point::TYPE), ("to", Point::TYPE)]);
    assert_eq!(point::DEF.types, [Point::TYPE]);
    assert_eq!(segment::DEF.types, [Segment::TYPE]);
    assert_eq!(constants::DEF.types, [Type::Scalar(Scalar::U32)], "an alias is its type");
    assert!(squares::DEF.types.is_empty());
}

#[test]
fn the_registry_knows_the_identity_of_a_monoid() {
    let identity = |def: &Def| def.identity.map(Constant::value);
    assert_eq!(identity(largest::DEF), Some(scalar(Scalar::U32, 0)));
    let point = Value { ty: Point::TYPE, rows: None, words: vec![0, 1f32.to_bits().into()] };
    assert_eq!(identity(after::DEF), Some(point));
}

#[test]
fn every_kernel_is_listed_with_its_template() {
    let own: Vec<(&str, Vec<&str>)> = kernels()
        .iter()
        .filter(|kernel| kernel.functions[0].module == "device")
        .map(|kernel| (kernel.template, names(kernel.functions)))
        .collect();
    assert_eq!(
        own,
        [
            ("map", vec!["class"]),
            ("map", vec!["constants"]),
            ("expand", vec!["copies"]),
            ("map", vec!["doubled"]),
            ("map", vec!["following"]),
            ("expand_rows", vec!["halved"]),
            ("walk_up", vec!["height", "largest"]),
            ("compact", vec!["is_odd"]),
            ("intern", vec!["key"]),
            ("reduce", vec!["line", "after"]),
            ("map", vec!["listed"]),
            ("positions", vec!["marks", "value", "largest"]),
            ("map", vec!["mixed"]),
            ("walk_down", vec!["path_sum"]),
            ("map", vec!["point"]),
            ("scan_map", vec!["record", "value", "largest"]),
            ("map", vec!["reversed"]),
            ("map", vec!["segment"]),
            ("expand", vec!["slots"]),
            ("map", vec!["squares"]),
            ("map", vec!["sum"]),
            ("map", vec!["value"]),
            ("reduce", vec!["value", "largest"]),
            ("scan", vec!["value", "largest"]),
            ("segmented_scan", vec!["value", "largest"]),
            ("accumulate", vec!["weight"]),
        ]
    );
    assert!(kernels().iter().any(|kernel| kernel.functions[0].module == "treepar::depth"), "the library's are there");
}

macro_rules! product {
    ($name:ident, $a:expr, $b:literal, $ty:ty) => {
        #[device]
        fn $name(x: $ty) -> $ty {
            $a * $b + x
        }
    };
}

product!(of_a_sum, 3 + 4, 2, u32);

#[test]
fn what_a_macro_puts_in_keeps_its_parentheses() {
    assert_eq!(of_a_sum(1), 15);
    let nodes = of_a_sum::DEF.body.decode().unwrap().nodes;
    assert!(nodes.contains(&tree::Node::Binary(tree::Op::Mul, 2, 3)), "{nodes:?}");
}

/// An index into nodes.
#[device(index)]
struct NodeId(u32);

/// An index into another table.
#[device(index)]
struct RowId(u32);

/// The kind of a node.
#[device]
enum Kind {
    /// A number.
    Number,
    Add,
    Multiply,
    Negate,
}

#[device]
impl Kind {
    const FIRST: Kind = Kind::Number;

    /// Returns whether it takes two operands.
    fn is_binary(self) -> bool {
        match self {
            Kind::Add | Self::Multiply => true,
            _ => false,
        }
    }

    fn operands(self) -> u8 {
        if self.is_binary() { 2 } else { (self != Self::FIRST) as u8 }
    }

    fn from_operands(operands: u8) -> Self {
        match operands {
            0 => Kind::Number,
            1 => Self::Negate,
            _ => Kind::Add,
        }
    }
}

const COMMUTATIVE: [Kind; 2] = [Kind::Add, Kind::Multiply];

/// A node of an expression.
#[device(columns(Nodes, index = NodeId))]
#[derive(Eq)]
struct Node {
    /// The kind.
    kind: Kind,
    parent: NodeId,
    data: u32,
}

#[device]
fn parent_kind(nodes: &Nodes, node: NodeId) -> Kind {
    let parent = nodes.parent[node];
    if parent.is_none() { Kind::FIRST } else { nodes.kind[parent] }
}

/// The nodes in reverse, each under the one that follows it.
#[device(map)]
fn reversed(node: NodeId, nodes: &Nodes, add: u32) -> Node {
    let last = NodeId::new(nodes.len() as u32).minus(1);
    let from = NodeId::new(last.get() - node.get());
    let commutes = nodes.kind[from] == COMMUTATIVE[0] || nodes.kind[from] == COMMUTATIVE[1];
    Node {
        data: nodes.data[from] + add,
        parent: if node == last || commutes { NodeId::NONE } else { node.plus(1) },
        kind: Kind::from_operands(parent_kind(nodes, from).operands()),
    }
}

/// An enum and an index as elements.
#[device(expand)]
fn slots(node: NodeId, k: u32, nodes: &Nodes, codes: &[Kind]) -> (Kind, RowId, u8) {
    let kind = codes[node.index()];
    (Kind::from_code(kind.code() ^ 1), RowId::new(nodes.data[node] * 10 + k), Kind::COUNT as u8 - k as u8)
}

fn nodes() -> HostNodes {
    let rows = [(Kind::Add, u32::MAX, 5), (Kind::Negate, 0, 6), (Kind::Number, 1, 7), (Kind::Number, 0, 8)];
    rows.into_iter().map(|(kind, parent, data)| Node { kind, parent: NodeId::new(parent), data }).collect()
}

/// Runs the functions of tables, and returns the columns.
fn through_tables<B: Backend>(backend: &B) -> (HostNodes, Vec<Kind>, Vec<RowId>, Vec<u8>) {
    let nodes = Nodes::upload(backend, &nodes()).unwrap();
    let reversed = backend.map(reversed::of(&nodes, 100).rows(nodes.len())).unwrap();
    let offsets = backend.upload(&[0u32, 2, 3, 3]).unwrap();
    let (kinds, rows, left) = backend.expand(&offsets, 4, slots::of(&nodes, &nodes.kind)).unwrap();
    (
        reversed.download(backend).unwrap(),
        backend.download(&kinds).unwrap(),
        backend.download(&rows).unwrap(),
        backend.download(&left).unwrap(),
    )
}

/// A table and columns of other lengths.
#[device(tables)]
struct Listing {
    /// The nodes.
    nodes: &Nodes,
    codes: &[Kind],
    weights: &[u64],
}

#[device]
fn price(code: Kind, codes: &[Kind], weights: &[u64]) -> u64 {
    let mut found = 0u64;
    for k in 0..codes.len() {
        found += if codes[k] == code { weights[k] } else { 0 };
    }
    found
}

#[device]
fn weight_of(node: NodeId, listing: &Listing) -> u64 {
    price(listing.nodes.kind[node], listing.codes, listing.weights)
}

/// A constant with the name of a macro of C.
const NAN: u32 = 1000;

/// The weight of each node and of its parent, and the page of its number.
#[device(map)]
fn listed(node: NodeId, listing: &Listing, pages: &[u32]) -> (u64, Kind, u32) {
    let parent = listing.nodes.parent[node];
    let above = if parent.is_none() { 0 } else { weight_of(parent, listing) };
    let kind = parent_kind(listing.nodes, node);
    let rows = listing.nodes.len() as u32 + listing.weights.len() as u32;
    (weight_of(node, listing) * 10 + above, kind, pages[node.index()] + pages[0] + rows + NAN)
}

/// Runs a function of several tables, and returns its columns.
fn through_several_tables<B: Backend>(backend: &B) -> (Vec<u64>, Vec<Kind>, Vec<u32>) {
    let nodes = Nodes::upload(backend, &nodes()).unwrap();
    let codes = backend.upload(&[Kind::Number, Kind::Add]).unwrap();
    let weights = backend.upload(&[3u64, 4, 5]).unwrap();
    let pages = backend.upload(&[10u32, 20, 30, 40]).unwrap();
    let listing = ListingOn { nodes: &nodes, codes: &codes, weights: &weights };
    let (weights, kinds, numbers) = backend.map(listed::of(&listing, &pages).rows(4)).unwrap();
    (backend.download(&weights).unwrap(), backend.download(&kinds).unwrap(), backend.download(&numbers).unwrap())
}

fn expected_several_tables() -> (Vec<u64>, Vec<Kind>, Vec<u32>) {
    (vec![40, 4, 30, 34], vec![Kind::FIRST, Kind::Add, Kind::Negate, Kind::Add], vec![1027, 1037, 1047, 1057])
}

#[test]
fn several_tables_are_one_parameter() {
    assert_eq!(through_several_tables(&Cpu::with_threads(2)), expected_several_tables());
}

#[cfg(feature = "emulate")]
#[test]
#[ignore = "needs a C++ compiler"]
fn several_tables_are_one_parameter_on_the_emulator() {
    assert_eq!(
        through_several_tables(&treepar::backend::gpu::Emulated::with_seed(1).unwrap()),
        expected_several_tables()
    );
}

/// The columns that are read at the row give its number, in several tables too, and must agree.
#[test]
fn several_tables_give_the_number_of_rows() {
    #[device(tables)]
    struct Both {
        nodes: &Nodes,
        x: &[u32],
        others: &[u32],
    }
    #[device(map)]
    fn sum(node: NodeId, both: &Both) -> u32 {
        both.nodes.data[node] + both.others[0]
    }
    #[device(map)]
    fn doubled(i: usize, both: &Both) -> u32 {
        both.x[i] * 2
    }
    #[device(map)]
    fn mixed(i: usize, both: &Both, more: &[u32]) -> u32 {
        both.x[i] + more[i]
    }
    let cpu = Cpu::with_threads(1);
    let nodes = Nodes::upload(&cpu, &nodes()).unwrap();
    let (x, others) = (cpu.upload(&[1u32, 2, 3]).unwrap(), cpu.upload(&[7u32]).unwrap());
    let both = BothOn { nodes: &nodes, x: &x, others: &others };
    assert_eq!(cpu.map(sum::of(&both)).unwrap()[..], [12, 13, 14, 15]);
    assert_eq!(cpu.map(doubled::of(&both)).unwrap()[..], [2, 4, 6]);
    let found = cpu.map(mixed::of(&both, &others)).unwrap_err();
    assert_eq!(found, treepar::Error::LengthMismatch { array: "more", expected: 3, found: 1 });
}

fn expected_tables() -> (HostNodes, Vec<Kind>, Vec<RowId>, Vec<u8>) {
    let rows = [
        (Kind::Add, NodeId::new(1), 108),
        (Kind::Negate, NodeId::new(2), 107),
        (Kind::Add, NodeId::new(3), 106),
        (Kind::Number, NodeId::NONE, 105),
    ];
    (
        rows.into_iter().map(|(kind, parent, data)| Node { kind, parent, data }).collect(),
        vec![Kind::Number, Kind::Number, Kind::Multiply, Kind::Add],
        [50, 51, 60, 80].map(RowId::new).into(),
        vec![4, 3, 4, 4],
    )
}

#[test]
fn tables_run_on_the_cpu() {
    assert_eq!(through_tables(&Cpu::with_threads(2)), expected_tables());
}

#[cfg(feature = "emulate")]
#[test]
#[ignore = "needs a C++ compiler"]
fn tables_run_on_the_emulator() {
    assert_eq!(through_tables(&treepar::backend::gpu::Emulated::with_seed(1).unwrap()), expected_tables());
}

#[test]
fn an_enum_is_open_and_named() {
    assert_eq!(Kind::ALL.map(|kind| kind.name()), ["Number", "Add", "Multiply", "Negate"]);
    assert_eq!(Kind::ALL.map(Kind::code), [0, 1, 2, 3]);
    assert_eq!((Kind::COUNT, Kind::default()), (4, Kind::Number));
    let unnamed = Kind::from_code(77);
    assert_eq!((format!("{unnamed:?} {:?}", Kind::Add), unnamed.name()), ("Kind(77) Add".into(), "?"));
    assert_eq!(format!("{:?} {:?}", NodeId::new(3), NodeId::NONE), "NodeId(3) NodeId(NONE)");
    assert!(NodeId::new(3) < NodeId::NONE && NodeId::NONE.plus(1) == NodeId::new(0) && NodeId::NONE.is_none());
    assert_eq!((size_of::<Kind>(), size_of::<NodeId>()), (1, 4));
}

#[test]
fn a_table_shows_its_columns() {
    struct Names(Vec<(&'static str, usize)>);
    impl ColumnVisitor<Cpu> for Names {
        fn column<T: Element>(&mut self, name: &'static str, column: &<Cpu as Executor>::Vec<T>) {
            self.0.push((name, column.len() * size_of::<T>()));
        }
    }
    let cpu = Cpu::with_threads(1);
    let table = Nodes::upload(&cpu, &nodes()).unwrap();
    let mut names = Names(Vec::new());
    table.visit(&mut names);
    assert_eq!(names.0, [("kind", 4), ("parent", 16), ("data", 16)]);
    assert_eq!(Nodes::<Cpu>::COLUMNS, ["kind", "parent", "data"]);
    assert_eq!(format!("{table:?}"), r#"Nodes { rows: 4, columns: ["kind", "parent", "data"] }"#);
    assert_eq!(nodes().row(NodeId::new(1)), Node { kind: Kind::Negate, parent: NodeId::new(0), data: 6 });
}

#[test]
fn a_table_with_columns_of_different_lengths_is_refused() {
    let mut host = nodes();
    host.data.pop();
    let found = Nodes::upload(&Cpu::with_threads(1), &host).unwrap_err();
    assert_eq!(found, treepar::Error::LengthMismatch { array: "data", expected: 4, found: 3 });
}

/// Functions with the names of the variables in the code that the macro adds.
mod hidden_names {
    use super::*;

    #[device(map)]
    fn i(i: usize, args: &[u32]) -> u32 {
        args[i] + 1
    }

    #[device(map)]
    fn args(i: usize, args: &[u32]) -> u32 {
        args[i] + 2
    }

    #[device(expand)]
    fn owner(owner: usize, _k: usize) -> u32 {
        owner as u32
    }

    #[device(expand)]
    fn k(_owner: usize, k: usize) -> u32 {
        k as u32
    }

    #[test]
    fn a_function_can_have_the_name_of_any_variable() {
        let cpu = Cpu::with_threads(1);
        let x = cpu.upload(&[0u32, 2, 2]).unwrap();
        assert_eq!(cpu.map(i::of(&x)).unwrap()[..], [1, 3, 3]);
        assert_eq!(cpu.map(args::of(&x)).unwrap()[..], [2, 4, 4]);
        assert_eq!(cpu.expand(&x, 3, owner::of()).unwrap()[..], [0, 0, 2]);
        assert_eq!(cpu.expand(&x, 3, k::of()).unwrap()[..], [0, 1, 0]);
    }
}
