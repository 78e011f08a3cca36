//! Checks the laws: each operation's result on the subject equals the result of plain sequential code.
//!
//! Each round checks one case of every law. If time runs out, every law loses its last cases, and no law is left out.
//! Rounds alternate between short and long cases.

use std::time::{Duration, Instant};

use treepar_laws::drawn::{Case, LENGTHS};
use treepar_laws::{Law, Plan};

use crate::gpu_check::parts::{Check, Lost};
use crate::gpu_check::run::Extent;
use crate::gpu_check::subject::Subject;

/// The number of cases of each law.
const CASES: u64 = 100;

/// The number of cases of each law in a quick check: one per length.
const QUICK_CASES: u64 = LENGTHS.len() as u64;

/// The number of cases of each law in a rehearsal.
const REHEARSED_CASES: u64 = 3;

/// The time for shrinking a failing case.
const SHRINKING: Duration = Duration::from_secs(5);

/// Checks all laws until every case is done or the time is up.
pub fn check<B: Subject>(check: &Check<B>) -> Result<(), Lost> {
    let cases = match check.run.extent() {
        Extent::Rehearsal => REHEARSED_CASES,
        Extent::Quick => QUICK_CASES,
        Extent::Full => CASES,
    };
    all(check, B::laws(), cases)
}

/// Checks the given number of cases of each law, and records the laws without any checked case.
fn all<B: Subject>(check: &Check<B>, laws: Vec<Law<B>>, cases: u64) -> Result<(), Lost> {
    let plan = Plan { cases, longest: check.run.longest(), seed: Plan::SEED };
    let mut active: Vec<Progress<B>> = laws.into_iter().map(|law| Progress::new(law, plan)).collect();
    let done = rounds(check, &mut active, cases);
    for law in active.iter().filter(|law| law.passed == 0) {
        check.run.unchecked(law.name());
    }
    done
}

/// A law and its progress.
struct Progress<B> {
    law: Law<B>,
    cases: Vec<Case>,
    passed: u64,
}

impl<B: Subject> Progress<B> {
    fn new(law: Law<B>, plan: Plan) -> Progress<B> {
        let cases = law.cases(plan);
        Progress { law, cases, passed: 0 }
    }

    fn name(&self) -> &'static str {
        self.law.name.trim_start_matches("treepar_laws::")
    }
}

/// Runs the rounds. A law that fails leaves the list.
fn rounds<B: Subject>(check: &Check<B>, active: &mut Vec<Progress<B>>, cases: u64) -> Result<(), Lost> {
    for round in 0..cases as usize {
        let mut k = 0;
        while k < active.len() {
            let name = active[k].name();
            let Progress { law, cases, .. } = &active[k];
            if check.is_late() {
                let left = active.len() - k + active.len() * (cases.len() - round - 1);
                let most = active.len();
                let why =
                    format!("out of time for {left} cases of {most} laws; {round} or more cases of each were checked");
                check.run.skipped(left as u64, why);
                return Ok(());
            }
            let case = cases[in_turn(round, cases.len())];
            check.run.doing(format!("laws, round {} of {}: {name}, {} rows", round + 1, cases.len(), case.n));
            match law.case(check.subject, &case) {
                Ok(()) => {
                    check.run.passed(1);
                    active[k].passed += 1;
                    k += 1;
                }
                Err(wrong) => {
                    let until = (Instant::now() + SHRINKING).min(check.deadline);
                    // On a lost device every case fails, so shrinking must stop.
                    let has_time = || Instant::now() < until && check.subject.is_alive();
                    let (case, wrong) = law.shrunk(check.subject, case, wrong, &has_time);
                    // A law that has failed is not checked again.
                    active.remove(k);
                    check.failed(format!("law {name}, case {}:{}", case.seed, case.n), wrong)?;
                }
            }
        }
    }
    Ok(())
}

/// Returns the `k`-th index of `0..n`, taken from both ends alternately.
fn in_turn(k: usize, n: usize) -> usize {
    if k.is_multiple_of(2) { k / 2 } else { n - 1 - k / 2 }
}

#[cfg(test)]
mod tests {
    use treepar::Cpu;

    use super::*;
    use crate::gpu_check::record::{Part, PartName};
    use crate::gpu_check::run::{Extent, Options, Run};

    /// Runs one law that holds and one that fails from 200 rows on, and returns the part's record.
    fn checked(seconds: u64, longest: Option<usize>) -> Part {
        let laws = vec![
            Law { name: "treepar_laws::wrong", holds: |_, _, n| assert!(n < 200, "of {n}"), longest: usize::MAX },
            Law { name: "treepar_laws::right", holds: |_, _, _| (), longest: usize::MAX },
        ];
        let folder = tempfile::tempdir().unwrap();
        let cpu = Cpu::with_threads(1);
        let options = Options {
            commit: "c".into(),
            extent: Extent::Quick,
            parts: vec![PartName::Laws],
            longest,
            limit_seconds: 60,
            output: folder.path().into(),
        };
        let run = Run::new("cpu", &cpu, options).unwrap();
        run.record(|record| record.parts.push(Part::new(PartName::Laws)));
        let deadline = Instant::now() + Duration::from_secs(seconds);
        let check = Check { run: &run, subject: &cpu, reference: &cpu, deadline };
        assert!(all(&check, laws, 25).is_ok());
        let mut part = None;
        run.record(|record| part = record.parts.pop());
        part.unwrap()
    }

    #[test]
    fn a_failed_law_is_reported_with_its_smallest_case_and_the_others_continue() {
        let part = checked(30, None);
        assert_eq!((part.passed, part.skipped, part.failures.len()), (25, 0, 1));
        let failure = &part.failures[0];
        assert!(failure.what.starts_with("law wrong, case ") && failure.what.ends_with(":200"), "{failure:?}");
        assert_eq!((failure.wrong.as_str(), part.verdict()), ("of 200", "FAILED"));
        assert!(part.unchecked.is_empty(), "a law that failed was checked: {:?}", part.unchecked);
    }

    #[test]
    fn no_case_is_longer_than_asked_for() {
        let part = checked(30, Some(199));
        assert_eq!((part.passed, part.failures.len()), (50, 0));
    }

    #[test]
    fn cases_without_time_are_skipped_and_never_passed() {
        let part = checked(0, None);
        assert_eq!((part.passed, part.skipped, part.failures.len()), (0, 50, 0));
        assert_eq!((part.verdict(), part.is_complete()), ("nothing checked", false));
        assert_eq!(part.unchecked, ["wrong", "right"]);
    }

    #[test]
    fn alternating_from_both_ends_yields_every_index_once() {
        for n in [1, 2, 25, 100] {
            let mut indices: Vec<usize> = (0..n).map(|k| in_turn(k, n)).collect();
            assert_eq!(indices[0], 0);
            indices.sort_unstable();
            assert_eq!(indices, (0..n).collect::<Vec<_>>());
        }
    }
}
