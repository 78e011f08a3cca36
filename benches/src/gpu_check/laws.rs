//! The laws: what each operation yields, against the plainest code, on the machine under check.
//!
//! All laws go through their cases together, a case of each a round, so that a lack of time takes the last cases of
//! each law and not the last laws. Rounds take long and short cases in turn.

use std::time::{Duration, Instant};

use treepar_laws::drawn::Case;
use treepar_laws::{Law, Plan, laws};

use crate::parts::{Check, Lost};
use crate::subject::Subject;

/// Cases of each law.
const CASES: u64 = 100;

/// The same of a quick check: one of each length.
const QUICK_CASES: u64 = 25;

/// How long a failing case may be made smaller.
const SHRINKING: Duration = Duration::from_secs(5);

/// Checks all laws until they are through or the time is over.
pub fn check<B: Subject>(check: &Check<B>) -> Result<(), Lost> {
    let cases = if check.run.is_quick() { QUICK_CASES } else { CASES };
    rounds(check, laws(), cases)
}

/// So many cases of some laws.
fn rounds<B: Subject>(check: &Check<B>, laws: Vec<Law<B>>, cases: u64) -> Result<(), Lost> {
    let mut going: Vec<(Law<B>, Vec<Case>)> = laws
        .into_iter()
        .map(|law| {
            let cases = law.cases(Plan { cases, longest: usize::MAX });
            (law, cases)
        })
        .collect();
    for round in 0..cases as usize {
        let mut k = 0;
        while k < going.len() {
            let (law, cases) = &going[k];
            if check.is_late() {
                let left = going.len() - k + going.len() * (cases.len() - round - 1);
                let most = going.len();
                let why = format!("{left} cases of {most} laws, of which {round} or more were checked: out of time");
                check.run.skipped(left as u64, why);
                return Ok(());
            }
            let name = law.name.trim_start_matches("treepar_laws::");
            let case = cases[in_turn(round, cases.len())];
            check.run.doing(format!("laws, round {} of {}: {name}, {} rows", round + 1, cases.len(), case.n));
            match law.case(check.subject, &case) {
                Ok(()) => {
                    check.run.passed(1);
                    k += 1;
                }
                Err(wrong) => {
                    let until = (Instant::now() + SHRINKING).min(check.deadline);
                    // A lost device fails every case.
                    let go_on = || Instant::now() < until && check.subject.is_alive();
                    let (case, wrong) = law.shrunk(check.subject, case, wrong, &go_on);
                    check.failed(format!("law {name}, case {}:{}", case.seed, case.n), wrong)?;
                    // What is known to be wrong is not checked again.
                    going.remove(k);
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
    use crate::record::{Part, PartName};
    use crate::run::{Options, Run};

    /// The part of a run that checks a law that holds and one that does not from 200 rows on.
    fn checked(seconds: u64) -> Part {
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
            limit_seconds: 60,
            output: folder.path().into(),
        };
        let run = Run::new("cpu", &cpu, options).unwrap();
        run.record(|record| record.parts.push(Part::new(PartName::Laws)));
        let deadline = Instant::now() + Duration::from_secs(seconds);
        let check = Check { run: &run, subject: &cpu, reference: &cpu, deadline };
        assert!(rounds(&check, laws, 25).is_ok());
        let mut part = None;
        run.record(|record| part = record.parts.pop());
        part.unwrap()
    }

    #[test]
    fn a_law_that_fails_is_told_with_its_smallest_case_and_the_others_go_on() {
        let part = checked(30);
        assert_eq!((part.passed, part.skipped, part.failures.len()), (25, 0, 1));
        let failure = &part.failures[0];
        assert!(failure.what.starts_with("law wrong, case ") && failure.what.ends_with(":200"), "{failure:?}");
        assert_eq!((failure.wrong.as_str(), part.verdict()), ("of 200", "FAILED"));
    }

    #[test]
    fn what_there_is_no_time_for_is_skipped_and_never_passed() {
        let part = checked(0);
        assert_eq!((part.passed, part.skipped, part.failures.len()), (0, 50, 0));
        assert_eq!(part.verdict(), "skipped");
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
