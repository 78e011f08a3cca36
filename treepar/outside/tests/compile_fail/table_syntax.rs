use treepar::device::device;

#[device(index)]
struct Wide(u64);

#[device(index)]
struct Named {
    row: u32,
}

#[device]
enum Empty {}

#[device]
enum WithFields {
    Number(u32),
    Code = 3,
    ALL,
}

#[device(columns)]
struct NoName {
    a: u32,
}

#[device(columns(Unindexed))]
struct NoIndex {
    a: u32,
}

#[device(columns(Columns, index = NodeId))]
struct Elements {
    truth: bool,
    table: [u32; 4],
}

#[device(rows)]
struct Other {
    a: u32,
}

#[device(tables)]
struct Values {
    a: u32,
    b: &u32,
    c: &mut [u32],
    d: &[bool],
}

#[device(tables)]
struct NoTables {}

#[device(tables)]
struct Pair(u32);

#[device(map)]
enum Role {
    A,
}

#[device(index)]
struct NodeId(u32);

#[device(columns(Nodes, index = NodeId))]
struct Node {
    data: u32,
}

#[device]
fn values(nodes: &Nodes, node: NodeId) -> u32 {
    let all = nodes;
    let column = nodes.data;
    let row = nodes[node];
    nodes.data[node] = 3;
    nodes.data[node]
}

#[device(map)]
fn row(k: f32, nodes: &Nodes) -> u32 {
    1
}

#[device]
impl NodeId {
    fn by_reference(&self) -> u32 {
        self.get()
    }

    fn twice(self) -> u32 {
        let unused = || 3;
        self.get() * 2
    }
}

#[device]
impl Clone for Node {
    fn clone(&self) -> Node {
        Node { data: self.data }
    }
}

// Uses of what was refused bring no errors of their own.
#[device]
fn uses(node: NodeId) -> u32 {
    node.twice()
}

fn main() {}
