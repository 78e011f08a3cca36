use treepar::device::device;

#[device(index)]
struct NodeId(u32);

#[device(index)]
struct RowId(u32);

#[device]
enum Kind {
    Add,
    Jump,
}

#[device(columns(Nodes, index = NodeId))]
struct Node {
    kind: Kind,
    parent: NodeId,
    row: RowId,
}

#[device]
fn parent(nodes: &Nodes, node: NodeId, row: RowId) -> NodeId {
    if nodes.row[node] == row { nodes.parent[node] } else { NodeId::NONE }
}

#[device]
fn swapped(nodes: &Nodes, node: NodeId, row: RowId) -> NodeId {
    parent(nodes, row, node)
}

#[device(map)]
fn another_index(row: RowId, nodes: &Nodes) -> Kind {
    nodes.kind[row]
}

#[device(map)]
fn a_number_as_index(i: usize, nodes: &Nodes) -> Kind {
    nodes.kind[i]
}

#[device(map)]
fn another_meaning(node: NodeId, nodes: &Nodes) -> RowId {
    nodes.parent[node]
}

#[device]
fn kinds(codes: &[Kind], k: u32) -> Kind {
    codes[k as usize]
}

#[device]
fn another_column(codes: &[u8], k: u32) -> Kind {
    kinds(codes, k)
}

#[device]
fn unknown_constant(kind: Kind) -> bool {
    kind == Kind::Subtract
}

#[device]
fn unknown_method(kind: Kind) -> bool {
    kind.takes_two()
}

#[device]
fn method_of_a_number(x: u32) -> u32 {
    x.reverse_bits()
}

#[device]
fn arithmetic(node: NodeId) -> NodeId {
    node + 1
}

#[device(map)]
fn unknown_column(node: NodeId, nodes: &Nodes) -> Kind {
    nodes.role[node]
}

#[device]
fn no_table(x: &Node) -> u32 {
    1
}

fn main() {}
