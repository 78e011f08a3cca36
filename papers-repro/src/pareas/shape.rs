//! Programs whose trees have a given shape: nodes, width, height, functions, and the longest function.
//!
//! The thesis draws trees at random within bounds (section 5.1). Here the bounds are met: a program says how many nodes
//! each level has, every function is given its share of each, and inside it kinds are drawn at random among those that
//! lead to the share of the next level. What a draw misses, the next one aims at.

use serde::Deserialize;

use super::program::{Program, Rng};

/// The shape of a tree, as a row of tables 5.2, 5.4 and 5.6 gives it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Shape {
    /// The row's name.
    pub case: String,
    /// Bytes of source, where the table has them.
    #[serde(default)]
    pub bytes: f64,
    /// All nodes.
    pub nodes: f64,
    /// Nodes of the widest level.
    pub width: f64,
    /// Levels, the list of functions that is the thesis's root included.
    pub height: f64,
    /// Functions.
    pub functions: f64,
    /// Nodes of the longest function.
    pub longest: f64,
}

/// How far each part of a shape may be from the one asked for.
pub const TOLERANCE: f64 = 0.05;

impl Shape {
    /// The greatest distance of a part from that of another shape, as a share of it.
    pub fn distance(&self, wanted: &Shape) -> f64 {
        let parts = [
            (self.nodes, wanted.nodes),
            (self.width, wanted.width),
            (self.height, wanted.height),
            (self.functions, wanted.functions),
            (self.longest, wanted.longest),
        ];
        parts.iter().map(|&(found, wanted)| (found / wanted - 1.0).abs()).fold(0.0, f64::max)
    }

    /// The shape of depths in preorder.
    pub fn of(case: &str, depth: &[u32], bytes: usize) -> Shape {
        let mut levels: Vec<u32> = Vec::new();
        let (mut longest, mut begin) = (0, 0);
        for (i, &d) in depth.iter().enumerate() {
            if levels.len() <= d as usize {
                levels.resize(d as usize + 1, 0);
            }
            levels[d as usize] += 1;
            if d == 0 {
                longest = longest.max(i - begin);
                begin = i;
            }
        }
        Shape {
            case: case.into(),
            bytes: bytes as f64,
            nodes: depth.len() as f64,
            width: f64::from(levels.iter().copied().max().unwrap_or(0)),
            // The thesis's root stands above all functions.
            height: levels.len() as f64 + 1.0,
            functions: f64::from(levels.first().copied().unwrap_or(0)),
            longest: longest.max(depth.len() - begin) as f64,
        }
    }
}

/// A program of about the shape that is asked for, and the shape that it has.
pub fn program(wanted: &Shape, seed: u64) -> Result<(Program, Shape), String> {
    let mut aim = wanted.clone();
    let mut best: Option<(Program, Shape)> = None;
    for attempt in 0..12 {
        let program = drawn(&aim, seed.wrapping_add(attempt));
        let reached = Shape::of(&wanted.case, &program.depths(), 0);
        let distance = reached.distance(wanted);
        if best.as_ref().is_none_or(|(_, shape)| distance < shape.distance(wanted)) {
            best = Some((program, reached.clone()));
        }
        if distance <= TOLERANCE / 2.0 {
            break;
        }
        aim.nodes *= (wanted.nodes / reached.nodes).clamp(0.8, 1.25);
        aim.width *= (wanted.width / reached.width).clamp(0.8, 1.25);
        aim.longest *= (wanted.longest / reached.longest).clamp(0.8, 1.25);
    }
    best.ok_or_else(|| "no program was drawn".to_string())
}

/// Nodes that every function has: itself, its header, its parameter, its body.
const FIXED: f64 = 4.0;

fn drawn(aim: &Shape, seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let profile = profile(aim);
    let total: f64 = profile.iter().sum();
    let functions = (aim.functions as usize).max(1);
    let long = (aim.longest - FIXED).max(1.0);
    let rest = (total - long).max(0.0) / (functions as f64 - 1.0).max(1.0);
    let mut program = Program::default();
    for f in 0..functions {
        // The longest stands in the middle; the others vary, but stay well below it.
        let share = if f == functions / 2 { long } else { (rest * (0.7 + 0.6 * rng.part())).min(0.92 * long) } / total;
        let mut levels: Vec<usize> = profile.iter().map(|&count| rng.round(count * share)).collect();
        if f == functions / 2 {
            levels.iter_mut().for_each(|count| *count = (*count).max(1));
        }
        program.function(&levels, &mut rng);
    }
    program
}

/// Nodes of each level below the bodies: statements, what is right below them, the widest level, and the others, ever
/// fewer.
fn profile(aim: &Shape) -> Vec<f64> {
    let levels = (aim.height as usize).saturating_sub(3).max(1);
    let width = aim.width;
    let variable = (aim.nodes - FIXED * aim.functions).max(levels as f64);
    let statements = (0.72 * width).min(variable / 3.0);
    let mut profile = vec![statements, 1.04 * statements, width];
    let left = (variable - profile.iter().sum::<f64>()).max(0.0);
    // Each further level has a fixed share of the one before, chosen so that all together are what is left.
    let further = levels.saturating_sub(3);
    let sum = |ratio: f64| (1..=further).map(|k| width * ratio.powi(k as i32)).sum::<f64>();
    let (mut low, mut high) = (0.0, 0.99);
    for _ in 0..60 {
        let ratio = 0.5 * (low + high);
        if sum(ratio) < left { low = ratio } else { high = ratio }
    }
    for k in 1..=further {
        profile.push((width * low.powi(k as i32)).max(1.0));
    }
    profile.truncate(levels);
    profile
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_of_a_small_tree() {
        let shape = Shape::of("x", &[0, 1, 2, 1, 0, 1], 10);
        let expected =
            Shape { case: "x".into(), bytes: 10.0, nodes: 6.0, width: 3.0, height: 4.0, functions: 2.0, longest: 4.0 };
        assert_eq!(shape, expected);
        assert_eq!(shape.distance(&Shape { nodes: 5.0, ..shape.clone() }), 0.19999999999999996);
    }
}
