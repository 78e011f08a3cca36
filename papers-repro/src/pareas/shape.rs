//! Generates programs with a given shape: nodes, width, height, functions, and the longest function.
//!
//! The thesis generates random trees within bounds (section 5.1). Here the shape is reached: the program's shape
//! determines the size of each level, and each function gets a share of each level. Within a function, kinds are drawn
//! at random, limited to those with which the next level gets its share. If a draw misses the shape, the next one
//! corrects its aim.

use refcompiler_programs::Rng;
use serde::Deserialize;

use super::draw::Draw;
use super::print::print;
use super::signature::{Signature, Signatures, Type};

/// The shape of a tree, a row of tables 5.2, 5.4 and 5.6.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Shape {
    /// The row's name.
    pub case: String,
    /// The bytes of source, if the table has them.
    #[serde(default)]
    pub bytes: f64,
    /// The number of nodes.
    pub nodes: f64,
    /// The number of nodes on the widest level.
    pub width: f64,
    /// The number of levels, including the thesis's root, the list of functions.
    pub height: f64,
    /// The number of functions.
    pub functions: f64,
    /// The number of nodes of the longest function.
    pub longest: f64,
}

/// The maximum relative difference of each property from the requested one.
pub const TOLERANCE: f64 = 0.05;

impl Shape {
    /// Returns the maximum relative difference of a property from another shape's.
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

    /// Returns the shape of a tree, given its preorder depths.
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
            // The thesis's root is above all functions.
            height: levels.len() as f64 + 1.0,
            functions: f64::from(levels.first().copied().unwrap_or(0)),
            longest: longest.max(depth.len() - begin) as f64,
        }
    }

    /// Returns a larger shape of the same kind, with more functions, but none longer or deeper.
    pub fn scaled(&self, case: &str, factor: f64) -> Shape {
        Shape {
            case: case.into(),
            bytes: (self.bytes * factor).round(),
            nodes: (self.nodes * factor).round(),
            width: (self.width * factor).round(),
            functions: (self.functions * factor).round(),
            ..self.clone()
        }
    }
}

/// Generates a program of about the given shape. Returns its text and the shape of its tree.
pub fn program(wanted: &Shape, seed: u64) -> (String, Shape) {
    let mut aim = wanted.clone();
    let mut best: Option<(Shape, Shape, u64)> = None;
    for seed in (seed..).take(12) {
        let reached = draw(&aim, seed, None);
        let distance = reached.distance(wanted);
        if best.as_ref().is_none_or(|(_, shape, _)| distance < shape.distance(wanted)) {
            best = Some((aim.clone(), reached.clone(), seed));
        }
        if distance <= TOLERANCE / 2.0 {
            break;
        }
        aim.nodes *= (wanted.nodes / reached.nodes).clamp(0.8, 1.25);
        aim.width *= (wanted.width / reached.width).clamp(0.8, 1.25);
        aim.longest *= (wanted.longest / reached.longest).clamp(0.8, 1.25);
    }
    let (aim, _, seed) = best.unwrap_or_else(|| (wanted.clone(), wanted.clone(), seed));
    let mut text = String::new();
    let mut shape = draw(&aim, seed, Some(&mut text));
    shape.bytes = text.len() as f64;
    (text, shape)
}

/// The number of nodes of every function: itself, its header and its body. Parameters are additional.
const FIXED: f64 = 3.0;

/// Generates a program function by function, and prints it if `text` is given.
fn draw(aim: &Shape, seed: u64, mut text: Option<&mut String>) -> Shape {
    let mut rng = Rng::new(seed);
    let functions = (aim.functions as usize).max(1);
    let small = aim.nodes / aim.functions < 40.0;
    let parameters: Vec<Vec<Type>> = (0..functions)
        .map(|_| {
            let count = rng.one_of(if small { &[0, 0, 1, 1, 1, 1, 2] } else { &[0, 1, 1, 2, 2, 3, 4, 10] });
            (0..count).map(|_| if rng.once_in(4) { Type::Float } else { Type::Int }).collect()
        })
        .collect();
    let fixed = FIXED * functions as f64 + parameters.iter().map(|list| list.len() as f64).sum::<f64>();
    let profile = profile(aim, fixed);
    let total: f64 = profile.iter().sum();

    // The longest function is in the middle. The others vary, but stay shorter.
    let middle = functions / 2;
    let long = (aim.longest - FIXED - parameters[middle].len() as f64).max(1.0);
    let rest = (total - long).max(0.0) / (functions as f64 - 1.0).max(1.0);
    let levels: Vec<Vec<usize>> = (0..functions)
        .map(|f| {
            let nodes = if f == middle { long } else { (rest * (0.7 + 0.6 * rng.part())).min(0.92 * long) };
            let least = usize::from(f == middle);
            profile.iter().map(|&count| rng.round(count * nodes / total).max(least)).collect()
        })
        .collect();
    let has_value = |levels: &[usize]| levels.len() > 1 && levels[0] > 0;
    let results = levels.iter().map(|levels| {
        let drawn = rng.one_of(&[None, Some(Type::Int), Some(Type::Int), Some(Type::Float)]);
        drawn.filter(|_| has_value(levels))
    });
    let results: Vec<Option<Type>> = results.collect();
    let all = parameters.into_iter().zip(results).map(|(parameters, result)| Signature { parameters, result });
    let signatures = Signatures::new(all.collect());

    let mut counts = vec![0usize; profile.len() + 2];
    let mut shape = Shape { case: aim.case.clone(), functions: functions as f64, ..Shape::default() };
    for (f, (signature, levels)) in signatures.all.iter().zip(&levels).enumerate() {
        let draw = Draw::new(&signatures, signature.result, levels, &mut rng);
        let above = 2 + signature.parameters.len();
        counts[0] += 1;
        counts[1] += above;
        let mut nodes = above;
        for (level, count) in draw.levels.iter().enumerate() {
            counts[level + 2] += count;
            nodes += count;
        }
        shape.nodes += (nodes + 1) as f64;
        shape.longest = shape.longest.max((nodes + 1) as f64);
        if let Some(text) = text.as_deref_mut() {
            print(f, signature, &draw, text);
        }
    }
    shape.width = counts.iter().copied().max().unwrap_or(0) as f64;
    shape.height = (1 + counts.iter().filter(|&&count| count > 0).count()) as f64;
    shape
}

/// Returns the number of nodes of each level below the bodies: the statements, the level below them, the widest level,
/// and then a decreasing sequence.
fn profile(aim: &Shape, fixed: f64) -> Vec<f64> {
    let levels = (aim.height as usize).saturating_sub(3).max(1);
    let width = aim.width;
    let variable = (aim.nodes - fixed).max(levels as f64);
    let statements = (0.72 * width).min(variable / 3.0);
    let mut profile = vec![statements, 1.04 * statements, width];
    let left = (variable - profile.iter().sum::<f64>()).max(0.0);
    // Each further level is a fixed ratio of the previous one. The ratio is chosen so that the sum fits.
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
        assert!((shape.distance(&Shape { nodes: 5.0, ..shape.clone() }) - 0.2).abs() < 1e-9);
    }

    #[test]
    fn a_scaled_shape_has_functions_of_the_same_length() {
        let shape = Shape { nodes: 100.0, functions: 10.0, longest: 20.0, height: 7.0, ..Shape::default() };
        let scaled = shape.scaled("more", 2.5);
        assert_eq!((scaled.nodes, scaled.functions, scaled.longest, scaled.height), (250.0, 25.0, 20.0, 7.0));
    }

    #[test]
    fn a_seed_makes_its_program_again() {
        let wanted =
            Shape { nodes: 2000.0, width: 500.0, height: 12.0, functions: 9.0, longest: 500.0, ..Shape::default() };
        assert_eq!(program(&wanted, 5).0, program(&wanted, 5).0);
        assert_ne!(program(&wanted, 5).0, program(&wanted, 6).0);
    }
}
