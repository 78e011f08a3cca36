//! The step at which the lanes of a branch meet again: its block's immediate post-dominator. Steps between which none do.
//!
//! Source: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph.

use super::step::{Action, Branch, Step};

/// A step beyond the last one: lanes that only meet at the end of the code.
pub(crate) const END: u32 = u32::MAX;

/// Sets the joins of all branches.
pub(super) fn set_joins(steps: &mut [Step]) {
    let blocks = Blocks::of(steps);
    let joins = blocks.post_dominators();
    for (block, &join) in joins.iter().enumerate() {
        let last = blocks.begins[block + 1] as usize - 1;
        let at = if join == blocks.len() { END } else { blocks.begins[join] };
        match &mut steps[last].action {
            Action::Branch(branch) => branch.join = at,
            Action::IndexedBranch { join, .. } => *join = at,
            _ => {}
        }
    }
}

/// Sets the numbers of steps that run without a look at lanes that meet or wait.
pub(super) fn set_runs(steps: &mut [Step]) {
    let mut is_join = vec![false; steps.len() + 1];
    for step in steps.iter() {
        if let Action::Branch(Branch { join, .. }) | Action::IndexedBranch { join, .. } = &step.action
            && *join != END
        {
            is_join[*join as usize] = true;
        }
    }
    let mut run = 0;
    for (at, step) in steps.iter_mut().enumerate().rev() {
        run = match step.action {
            Action::Compute { .. } if is_join[at + 1] => 1,
            Action::Compute { .. } => run + 1,
            _ => 0,
        };
        step.run = run;
    }
}

/// The basic blocks of code.
pub(super) struct Blocks {
    /// The first step of each block, and the number of steps.
    pub begins: Vec<u32>,
    pub successors: Vec<Vec<usize>>,
}

impl Blocks {
    pub fn of(steps: &[Step]) -> Blocks {
        let mut is_begin = vec![false; steps.len() + 1];
        is_begin[0] = true;
        is_begin[steps.len()] = true;
        for (at, step) in steps.iter().enumerate() {
            let ends =
                matches!(step.action, Action::Branch(_) | Action::IndexedBranch { .. } | Action::Exit | Action::Trap);
            if ends {
                is_begin[at + 1] = true;
            }
            step.targets().iter().for_each(|&target| is_begin[target as usize] = true);
        }
        let begins: Vec<u32> = (0..=steps.len() as u32).filter(|&at| is_begin[at as usize]).collect();
        let block_of = |step: u32| begins.partition_point(|&begin| begin <= step) - 1;
        let successors = (0..begins.len() - 1).map(|block| {
            let last = &steps[begins[block + 1] as usize - 1];
            let mut all: Vec<usize> = last.targets().iter().map(|&target| block_of(target)).collect();
            if last.falls_through() && (begins[block + 1] as usize) < steps.len() {
                all.push(block + 1);
            }
            all
        });
        let successors = successors.collect();
        Blocks { begins, successors }
    }

    pub fn len(&self) -> usize {
        self.successors.len()
    }

    /// Returns the immediate post-dominator of each block, or `len()` if only the end of the code is one.
    fn post_dominators(&self) -> Vec<usize> {
        let end = self.len();
        let mut predecessors = vec![Vec::new(); end + 1];
        for (block, successors) in self.successors.iter().enumerate() {
            if successors.is_empty() {
                predecessors[end].push(block);
            }
            successors.iter().for_each(|&next| predecessors[next].push(block));
        }
        let order = postorder(end, &predecessors);
        let mut number = vec![usize::MAX; end + 1];
        order.iter().enumerate().for_each(|(k, &block)| number[block] = k);
        let mut joins = vec![usize::MAX; end + 1];
        joins[end] = end;
        let mut changed = true;
        while changed {
            changed = false;
            for &block in order.iter().rev().filter(|&&block| block != end) {
                let at_end = [end];
                let next = if self.successors[block].is_empty() { &at_end[..] } else { &self.successors[block] };
                let known = next.iter().copied().filter(|&next| joins[next] != usize::MAX);
                let join = known.reduce(|a, b| meet(a, b, &joins, &number));
                if let Some(join) = join.filter(|&join| joins[block] != join) {
                    joins[block] = join;
                    changed = true;
                }
            }
        }
        // Blocks that never end have no join.
        joins.truncate(end);
        joins.iter().map(|&join| if join == usize::MAX { end } else { join }).collect()
    }
}

fn meet(mut a: usize, mut b: usize, joins: &[usize], number: &[usize]) -> usize {
    while a != b {
        while number[a] < number[b] {
            a = joins[a];
        }
        while number[b] < number[a] {
            b = joins[b];
        }
    }
    a
}

/// Returns the nodes that are reached from one, each after all that it reaches first.
fn postorder(from: usize, next: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; next.len()];
    let mut stack = vec![(from, 0)];
    seen[from] = true;
    while let Some((node, edge)) = stack.pop() {
        match next[node].get(edge) {
            Some(&other) => {
                stack.push((node, edge + 1));
                if !seen[other] {
                    seen[other] = true;
                    stack.push((other, 0));
                }
            }
            None => order.push(node),
        }
    }
    order
}
