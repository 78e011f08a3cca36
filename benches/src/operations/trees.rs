//! Operations on forests.

use treepar::Backend;
use treepar::ancestor::{Of, nearest_marked, under_marked};
use treepar::dee;
use treepar::depth::{Depths, NO_NODE, Parents};
use treepar::device::device;
use treepar::key::lift;
use treepar::monoid::max_u32;
use treepar::walk::subtree_sums;

use super::{Answer, Kind, Operation};

#[device(walk_down)]
fn path_hash(i: usize, parent: u32, x: &[u32]) -> u32 {
    parent.wrapping_mul(31) ^ x[i]
}

#[device(walk_up(max_u32))]
fn height(_i: usize, below: u32) -> u32 {
    below + 1
}

#[device(walk_slots)]
fn strahler(_i: usize, slots: &[u32]) -> u32 {
    if slots[0] == slots[1] { slots[0] + 1 } else { slots[0].max(slots[1]) }
}

/// All of them.
pub fn operations<B: Backend>() -> Vec<Operation<B>> {
    vec![
        Operation {
            name: "depths, checked",
            kind: Kind::Memory,
            bytes: |n| 12.0 * n,
            ours: |backend, d| {
                let forest = Depths::new(backend, backend.slice(d.forest.depths(), 0..d.n())?)?;
                Ok(Answer::column(backend.slice(forest.depths(), 0..1)?))
            },
            plain: |d, s| {
                s.spare.clear();
                s.spare.extend_from_slice(d.forest.depths());
                let valid = s.spare.windows(2).fold(s.spare[0] == 0, |valid, w| valid & (w[1] <= w[0] + 1));
                assert!(valid);
                s.out.clear();
                s.out.push(s.spare[0]);
            },
        },
        Operation {
            name: "parents",
            kind: Kind::Memory,
            bytes: |n| 8.0 * n,
            ours: |backend, d| Ok(Answer::column(d.forest.parents(backend)?.into_column())),
            plain: |d, s| {
                s.spare.clear();
                s.spare.push(NO_NODE);
                s.out.clear();
                for (i, &depth) in d.forest.depths().iter().enumerate() {
                    s.spare.truncate(depth as usize + 1);
                    s.out.push(s.spare[depth as usize]);
                    s.spare.push(i as u32);
                }
            },
        },
        Operation {
            name: "ends",
            kind: Kind::Memory,
            bytes: |n| 8.0 * n,
            ours: |backend, d| Ok(Answer::column(d.forest.ends(backend)?)),
            plain: |d, s| ends(d.forest.depths(), &mut s.out, &mut s.spare),
        },
        Operation {
            name: "postorder",
            kind: Kind::Memory,
            bytes: |n| 12.0 * n,
            ours: |backend, d| Ok(Answer::column(d.forest.postorder(backend)?)),
            plain: |d, s| {
                ends(d.forest.depths(), &mut s.out, &mut s.spare);
                for (end, &depth) in s.out.iter_mut().zip(&d.forest.depths()[..]) {
                    *end -= 1 + depth;
                }
            },
        },
        Operation {
            name: "level order",
            kind: Kind::Sort,
            bytes: |n| 20.0 * n,
            ours: |backend, d| Ok(Answer::pair(d.forest.level_order(backend)?)),
            plain: |d, s| {
                s.second.clear();
                for &depth in &d.forest.depths()[..] {
                    if s.second.len() <= depth as usize {
                        s.second.resize(depth as usize + 1, 0);
                    }
                    s.second[depth as usize] += 1;
                }
                let mut sum = 0;
                for count in &mut s.second {
                    sum += std::mem::replace(count, sum);
                }
                s.spare.clear();
                s.spare.extend_from_slice(&s.second);
                s.out.resize(d.n(), 0);
                for (i, &depth) in d.forest.depths().iter().enumerate() {
                    let place = &mut s.spare[depth as usize];
                    s.out[*place as usize] = i as u32;
                    *place += 1;
                }
            },
        },
        Operation {
            name: "child indices",
            kind: Kind::Sort,
            bytes: |n| 60.0 * n,
            ours: |backend, d| Ok(Answer::column(d.forest.child_indices(backend)?)),
            plain: |d, s| {
                // The count of children so far of the node that is open at each depth.
                s.spare.clear();
                s.spare.push(0);
                s.out.clear();
                for &depth in &d.forest.depths()[..] {
                    s.spare.truncate(depth as usize + 1);
                    s.out.push(s.spare[depth as usize]);
                    s.spare[depth as usize] += 1;
                    s.spare.push(0);
                }
            },
        },
        Operation {
            name: "brackets",
            kind: Kind::Memory,
            bytes: |n| 12.0 * n,
            ours: |backend, d| Ok(Answer::bytes(d.forest.brackets(backend)?)),
            plain: |d, s| {
                s.bytes.clear();
                let mut open = 0;
                for &depth in &d.forest.depths()[..] {
                    while open > depth {
                        s.bytes.push(0);
                        open -= 1;
                    }
                    s.bytes.push(1);
                    open += 1;
                }
                s.bytes.resize(2 * d.n(), 0);
            },
        },
        Operation {
            name: "from brackets",
            kind: Kind::Memory,
            bytes: |n| 14.0 * n,
            ours: |backend, d| {
                let forest = Depths::from_brackets(backend, &d.brackets)?;
                Ok(Answer::column(backend.slice(forest.depths(), 0..d.n())?))
            },
            plain: |d, s| {
                s.out.clear();
                let mut open = 0;
                for &bracket in &d.brackets[..] {
                    if bracket != 0 {
                        s.out.push(open);
                        open += 1;
                    } else {
                        open -= 1;
                    }
                }
                s.spare.clear();
                s.spare.extend_from_slice(&s.out);
            },
        },
        Operation {
            name: "parents, checked",
            kind: Kind::Memory,
            bytes: |n| 36.0 * n,
            ours: |backend, d| {
                Ok(Answer::column(Parents::new(backend, backend.slice(&d.parents, 0..d.n())?)?.into_column()))
            },
            plain: |d, s| {
                s.spare.clear();
                s.out.clear();
                s.out.extend_from_slice(&d.parents);
                for (i, &parent) in s.out.iter().enumerate() {
                    while s.spare.last().is_some_and(|&top| top != parent) {
                        s.spare.pop();
                    }
                    assert!(parent == NO_NODE || s.spare.last() == Some(&parent));
                    s.spare.push(i as u32);
                }
            },
        },
        Operation {
            name: "nearest marked",
            kind: Kind::Memory,
            bytes: |n| 9.0 * n,
            ours: |backend, d| Ok(Answer::column(nearest_marked(backend, &d.parents, &d.few, Of::Itself)?)),
            plain: |d, s| {
                s.out.clear();
                for (i, (&parent, &mark)) in d.parents.iter().zip(&d.few[..]).enumerate() {
                    let above = if parent == NO_NODE { NO_NODE } else { s.out[parent as usize] };
                    s.out.push(if mark != 0 { i as u32 } else { above });
                }
            },
        },
        Operation {
            name: "under marked",
            kind: Kind::Memory,
            bytes: |n| 6.0 * n,
            ours: |backend, d| Ok(Answer::bytes(under_marked(backend, &d.forest, &d.few, Of::Itself)?)),
            plain: |d, s| under(&d.forest, &d.few, &mut s.bytes),
        },
        Operation {
            name: "dead nodes, single scan",
            kind: Kind::Memory,
            bytes: |n| 6.0 * n,
            ours: |backend, d| Ok(Answer::bytes(dee::tree_single_scan(backend, &d.forest, &d.few)?.mask)),
            plain: |d, s| under(&d.forest, &d.few, &mut s.bytes),
        },
        Operation {
            name: "walk down",
            kind: Kind::Memory,
            bytes: |n| 12.0 * n,
            ours: |backend, d| Ok(Answer::column(backend.walk_down::<path_hash>(&d.parents, 7, (&d.x,))?)),
            plain: |d, s| {
                s.out.clear();
                for (&parent, &x) in d.parents.iter().zip(&d.x[..]) {
                    let above = if parent == NO_NODE { 7u32 } else { s.out[parent as usize] };
                    s.out.push(above.wrapping_mul(31) ^ x);
                }
            },
        },
        Operation {
            name: "walk up",
            kind: Kind::Memory,
            bytes: |n| 8.0 * n,
            ours: |backend, d| Ok(Answer::column(backend.walk_up::<height, max_u32>(&d.parents, ())?)),
            plain: |d, s| {
                s.out.clear();
                s.out.resize(d.n(), 0);
                for i in (0..d.n()).rev() {
                    s.out[i] += 1;
                    let parent = d.parents[i];
                    if parent != NO_NODE {
                        s.out[parent as usize] = s.out[parent as usize].max(s.out[i]);
                    }
                }
            },
        },
        Operation {
            name: "walk up with slots",
            kind: Kind::Memory,
            bytes: |n| 28.0 * n,
            ours: |backend, d| Ok(Answer::column(d.schedule.up_slots::<strahler>(backend, 2, 0, ())?)),
            plain: |d, s| {
                let slots = &mut s.spare;
                slots.clear();
                slots.resize(2 * d.n(), 0);
                s.out.clear();
                s.out.resize(d.n(), 0);
                for i in (0..d.n()).rev() {
                    let (a, b) = (slots[2 * i], slots[2 * i + 1]);
                    s.out[i] = if a == b { a + 1 } else { a.max(b) };
                    let (parent, child) = (d.parents[i], d.schedule.child[i]);
                    if parent != NO_NODE && child < 2 {
                        slots[2 * parent as usize + child as usize] = s.out[i];
                    }
                }
            },
        },
        Operation {
            name: "subtree sums",
            kind: Kind::Memory,
            bytes: |n| 24.0 * n,
            ours: |backend, d| Ok(Answer::column(subtree_sums(backend, &d.forest, &d.x)?)),
            plain: |d, s| {
                // A node's sum is that of all from it on, less that of all behind its subtree.
                s.out.clear();
                s.out.resize(d.n(), 0);
                s.spare.clear();
                let mut sum = 0u32;
                for (i, (&depth, &x)) in d.forest.depths().iter().zip(&d.x[..]).enumerate() {
                    while s.spare.len() > depth as usize {
                        if let Some(node) = s.spare.pop() {
                            s.out[node as usize] = sum.wrapping_sub(s.out[node as usize]);
                        }
                    }
                    s.spare.push(i as u32);
                    s.out[i] = sum;
                    sum = sum.wrapping_add(x);
                }
                for &node in &s.spare {
                    s.out[node as usize] = sum.wrapping_sub(s.out[node as usize]);
                }
            },
        },
        Operation {
            name: "lift",
            kind: Kind::Random,
            bytes: |n| 120.0 * n,
            ours: |backend, d| {
                let lifted = lift(backend, &d.forest, &d.few, false)?;
                Ok(Answer::pair((lifted.origin, lifted.target)))
            },
            plain: |d, s| {
                // The nearest marked node above each; how large its part is; where that begins; then every node.
                let n = d.n();
                s.spare.clear();
                for &parent in &d.parents[..] {
                    let owner = match parent {
                        NO_NODE => NO_NODE,
                        parent if d.few[parent as usize] != 0 => parent,
                        parent => s.spare[parent as usize],
                    };
                    s.spare.push(owner);
                }
                let mut place = vec![0u32; n];
                let mut outside = 0;
                for (i, &owner) in s.spare.iter().enumerate() {
                    if owner != NO_NODE {
                        place[owner as usize] += 1;
                    } else if d.few[i] == 0 || d.parents[i] != NO_NODE {
                        outside += 1;
                    }
                }
                let mut at = outside;
                for (place, _) in place.iter_mut().zip(&d.few[..]).filter(|(_, mark)| **mark != 0) {
                    at += 1 + std::mem::replace(place, at);
                }
                s.out.clear();
                s.out.resize(at as usize, 0);
                s.second.clear();
                s.second.resize(at as usize, NO_NODE);
                let mut next: Vec<u32> = place.iter().map(|&root| root + 1).collect();
                let mut next_outside = 0;
                for (i, &owner) in s.spare.iter().enumerate() {
                    let marked = d.few[i] != 0;
                    if marked {
                        s.out[place[i] as usize] = i as u32;
                    }
                    if marked && d.parents[i] == NO_NODE {
                        continue;
                    }
                    let row = if owner == NO_NODE { &mut next_outside } else { &mut next[owner as usize] };
                    s.out[*row as usize] = i as u32;
                    if marked {
                        s.second[*row as usize] = place[i];
                    }
                    *row += 1;
                }
            },
        },
    ]
}

fn under(forest: &Depths<treepar::Cpu>, mark: &[u8], out: &mut Vec<u8>) {
    // A marked subtree lasts until a node comes that is no deeper.
    out.clear();
    let mut open = u32::MAX;
    for (&depth, &mark) in forest.depths().iter().zip(mark) {
        if depth <= open {
            open = if mark != 0 { depth } else { u32::MAX };
        }
        out.push(u8::from(open != u32::MAX));
    }
}

fn ends(depth: &[u32], out: &mut Vec<u32>, open: &mut Vec<u32>) {
    out.clear();
    out.resize(depth.len(), depth.len() as u32);
    open.clear();
    for (i, &depth) in depth.iter().enumerate() {
        while open.len() > depth as usize {
            if let Some(node) = open.pop() {
                out[node as usize] = i as u32;
            }
        }
        open.push(i as u32);
    }
}
