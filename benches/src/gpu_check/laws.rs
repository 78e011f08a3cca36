//! The laws: what each operation yields, against the plainest code, on the machine under check.
//!
//! All laws go through their cases together, a case of each a round, so that a lack of time takes the last cases of
//! each law and not the last laws. Rounds take long and short cases in turn.

use std::time::{Duration, Instant};

use treepar_laws::drawn::Case;
use treepar_laws::{Law, Plan, laws};

use crate::gpu_check::parts::{Check, Lost};
use crate::gpu_check::subject::Subject;

/// Cases of each law.
const CASES: u64 = 100;

/// The same of a quick check: one of each length.
const QUICK_CASES: u64 = 25;

/// How long a failing case may be made smaller.
const SHRINKING: Duration = Duration::from_secs(5);

/// Checks all laws until they are through or the time is over.
pub fn check<B: Subject>(check: &Check<B>) -> Result<(), Lost> {
    let cases = if check.run.is_quick() { QUICK_CASES } else { CASES };
    all(check, laws(), cases)
}

/// So many cases of some laws; those without a case are named.
fn all<B: Subject>(check: &Check<B>, laws: Vec<Law<B>>, cases: u64) -> Result<(), Lost> {
    let plan = Plan { cases, longest: check.run.longest() };
    let mut going: Vec<Going<B>> = laws.into_iter().map(|law| Going::new(law, plan)).collect();
    let done = rounds(check, &mut going, cases);
    for law in going.iter().filter(|law| law.passed == 0) {
        check.run.unchecked(law.name());
    }
    done
}

/// A law on its way through its cases.
struct Going<B> {
    law: Law<B>,
    cases: Vec<Case>,
    passed: u64,
}

impl<B: Subject> Going<B> {
    fn new(law: Law<B>, plan: Plan) -> Going<B> {
        let cases = law.cases(plan);
        Going { law, cases, passed: 0 }
    }

    fn name(&self) -> &'static str {
        self.law.name.trim_start_matches("treepar_laws::")
    }
}

/// So many cases of some laws, of which those that fail are taken out.
fn rounds<B: Subject>(check: &Check<B>, going: &mut Vec<Going<B>>, cases: u64) -> Result<(), Lost> {
    for round in 0..cases as usize {
        let mut k = 0;
        while k < going.len() {
            let name = going[k].name();
            let Going { law, cases, .. } = &going[k];
            if check.is_late() {
                let left = going.len() - k + going.len() * (cases.len() - round - 1);
                let most = going.len();
                let why = format!("{left} cases of {most} laws, of which {round} or more were checked: out of time");
                check.run.skipped(left as u64, why);
                return Ok(());
            }
            let case = cases[in_turn(round, cases.len())];
            check.run.doing(format!("laws, round {} of {}: {name}, {} rows", round + 1, cases.len(), case.n));
            match law.case(check.subject, &case) {
                Ok(()) => {
                    check.run.passed(1);
                    going[k].passed += 1;
                    k += 1;
                }
                Err(wrong) => {
                    let until = (Instant::now() + SHRINKING).min(check.deadline);
                    // A lost device fails every case.
                    let go_on = || Instant::now() < until && check.subject.is_alive();
                    let (case, wrong) = law.shrunk(check.subject, case, wrong, &go_on);
                    // What is known to be wrong is not checked again.
                    going.remove(k);
                    check.failed(format!("law {name}, case {}:{}", case.seed, case.n), wrong)?;
                }
            }
        }
    }
    Ok(())
}

/// The places of `0..n` from both ends in turn.
fn in_turn(k: usize, n: usize) -> usize {
    if k.is_multiple_of(2) { k / 2 } else { n - 1 - k / 2 }
}

#[cfg(test)]
mod tests {
    use treepar::Cpu;

    use super::*;
    use crate::gpu_check::record::{Part, PartName};
    use crate::gpu_check::run::{Options, Run};

    /// The part of a run that checks a law that holds and one that does not from 200 rows on.
    fn checked(seconds: u64, longest: Option<usize>) -> Part {
        let laws = vec![
            Law { name: "treepar_laws::wrong", holds: |_, _, n| assert!(n < 200, "of {n}"), longest: usize::MAX },
            Law { name: "treepar_laws::right", holds: |_, _, _| (), longest: usize::MAX },
        ];
        let folder = tempfile::tempdir().unwrap();
        let cpu = Cpu::with_threads(1);
        let options = Options {
            commit: "c".into(),
            quick: true,
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
    fn a_law_that_fails_is_told_with_its_smallest_case_and_the_others_go_on() {
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
    fn what_there_is_no_time_for_is_skipped_and_never_passed() {
        let part = checked(0, None);
        assert_eq!((part.passed, part.skipped, part.failures.len()), (0, 50, 0));
        assert_eq!((part.verdict(), part.is_through()), ("nothing checked", false));
        assert_eq!(part.unchecked, ["wrong", "right"]);
    }

    #[test]
    fn both_ends_in_turn_come_to_every_place_once() {
        for n in [1, 2, 25, 100] {
            let mut places: Vec<usize> = (0..n).map(|k| in_turn(k, n)).collect();
            assert_eq!(places[0], 0);
            places.sort_unstable();
            assert_eq!(places, (0..n).collect::<Vec<_>>());
        }
    }
}
