//! The first screen of the report: a line for each paper, and the tables of claims and goals.

use super::{ABSENT, Claim, Kind, REACHED, VERDICTS, Verdict};
use crate::frame::record::Record;
use crate::frame::report::{Finding, Front, Group, Row, short};
use crate::papers::Paper;

/// Returns the rule, as the report states it.
fn rule() -> String {
    format!(
        "A claim holds if it agrees or is not slower. A claim about an effect (a speed-up, a transformation) agrees if at least {:.0} % of \
         the effect were measured, on a logarithmic scale for speed-ups. It is not reproduced if less than {:.0} % were. Otherwise it \
         differs. A published time or rate is of another machine: it is compared only as not slower, or slower. A value agrees if it is \
         within the tolerance of its row in `data/claims.json`. A number of loops agrees if no more are left, or, where the paper says \
         that loops stay, if they stay.",
        100.0 * REACHED,
        100.0 * ABSENT
    )
}

/// The reason why a claim with a record has no measured value.
const NOT_IN_RUN: &str =
    "This run has no such measurement: the options of its command, its machine or a note of its section exclude it.";

/// Returns the first screen of the report: a line for each paper, and the tables of claims and goals.
pub fn front(papers: &[Paper], records: &[Option<Record>]) -> Front {
    let claims = Claim::all();
    let mut front = Front { about: about(records), rule: rule(), ..Front::default() };
    let mut reached = 0;
    for (paper, record) in papers.iter().zip(records) {
        let mut counts = [0; VERDICTS];
        let (mut rows, mut goals) = (Vec::new(), Vec::new());
        for claim in claims.iter().filter(|claim| claim.paper == paper.short) {
            let (verdict, row) = claim.row(paper, record.as_ref());
            if claim.is_goal {
                reached += usize::from(verdict == Verdict::Agrees);
                goals.push(row);
            } else {
                counts[verdict as usize] += 1;
                rows.push(row);
            }
        }
        front.lines.push(Finding {
            name: format!("{} ({})", paper.name, paper.author),
            anchor: paper.short.into(),
            counts: match record {
                Some(record) if record.complete => summary(counts),
                Some(_) => format!("the run is not complete; {}", summary(counts)),
                None => format!("{} claims, not measured", rows.len()),
            },
            text: record.as_ref().map_or(String::new(), |record| match record.meaningless() {
                Some(reason) => format!("Note: {reason}."),
                None => (paper.headline)(record),
            }),
        });
        for (groups, rows) in [(&mut front.claims, rows), (&mut front.goals, goals)] {
            if !rows.is_empty() {
                groups.push(Group { name: paper.name.into(), anchor: paper.short.into(), rows });
            }
        }
    }
    let goals: usize = front.goals.iter().map(|group| group.rows.len()).sum();
    let counts = format!("{reached} of {goals} reached");
    front.lines.push(Finding {
        name: "Goals of this project".into(),
        anchor: "goals".into(),
        counts,
        text: String::new(),
    });
    front
}

/// Returns the subject of the page, and the computer if all records are of one.
fn about(records: &[Option<Record>]) -> String {
    let mut text = String::from(
        "Five papers on data-parallel compilers and arrays, measured again with the library treepar and its compiler refc. Each measured \
         claim is compared with the published value.",
    );
    let mut found = records.iter().flatten();
    if let Some(first) = found.next().filter(|first| found.all(|record| record.host == first.host)) {
        text += &format!(" Measured on {}.", first.host.text());
    }
    text
}

/// Returns the number of claims with each verdict that occurs.
fn summary([hold, differ, absent, missing]: [usize; VERDICTS]) -> String {
    let mut text = format!("{hold} of {} claims hold", hold + differ + absent + missing);
    for (count, verdict) in [(differ, "different or slower"), (absent, "not reproduced"), (missing, "not measured")] {
        if count > 0 {
            text += &format!(", {count} {verdict}");
        }
    }
    text
}

impl Claim {
    fn row(&self, paper: &Paper, record: Option<&Record>) -> (Verdict, Row) {
        let meaningless = record.and_then(Record::meaningless);
        let measured = record.filter(|_| meaningless.is_none()).and_then(|record| (paper.measured)(record, self));
        let verdict = self.verdict(measured);
        let ours = measured.map_or("–".into(), |measured| match measured.before {
            Some(before) => format!("{:.0} of {}", measured.ours, self.with_unit(before)),
            None => self.with_unit(measured.ours),
        });
        let ratio = measured.filter(|_| self.published != 0.0).map(|measured| measured.ours / self.published);
        // A share is shown in percent, so its ratio has as many digits.
        let ratio =
            ratio.map(|ratio| if self.kind == Kind::Share { (100.0 * ratio).round() / 100.0 + 0.0 } else { ratio });
        let why = match (verdict, measured, record) {
            (Verdict::Agrees, ..) | (_, None, None) if self.kind != Kind::Unmeasured => "",
            (_, None, Some(_)) if self.kind != Kind::Unmeasured => meaningless.unwrap_or(NOT_IN_RUN),
            _ => &self.why,
        };
        let row = Row {
            why: why.into(),
            cells: [
                self.claim.clone(),
                self.source.clone(),
                self.with_unit(self.published),
                ours,
                ratio.map_or("–".into(), short),
            ],
            verdict: self.verdict_text(verdict),
        };
        (verdict, row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::options::Options;
    use crate::frame::record::{DEBUG_BUILD, Label, NO_MEASUREMENT};
    use crate::frame::sweep::Sweep;
    use crate::papers::PAPERS;

    /// Times of the stand-in for a GPU, or of a build without optimisations, are compared with no claim.
    #[test]
    fn no_claim_is_compared_with_times_that_mean_nothing() {
        let bytes = Label { experiment: "bytes moved", case: "1", variant: "flatten", stage: "" };
        for (note, verdict) in
            [(None, "reached"), (Some(NO_MEASUREMENT), "not measured"), (Some(DEBUG_BUILD), "not measured")]
        {
            let mut sweep = Sweep::new("key", &Options::smallest(), None);
            sweep.add(&bytes, &[("bytes per node", 16.0)], Vec::new());
            note.into_iter().for_each(|note| sweep.note_once(note.into()));
            let front = front(&PAPERS, &[Some(sweep.record().clone()), None, None, None, None]);
            let goal = front.goals[0].rows.last().unwrap();
            assert_eq!((goal.verdict.0, goal.why.as_str()), (verdict, note.unwrap_or_default()));
            assert_eq!(front.lines[0].text.starts_with("Note: "), note.is_some());
        }
    }

    #[test]
    fn summaries_name_the_verdicts_that_occur() {
        assert_eq!(summary([2, 0, 0, 0]), "2 of 2 claims hold");
        assert_eq!(summary([1, 2, 0, 3]), "1 of 6 claims hold, 2 different or slower, 3 not measured");
    }
}
