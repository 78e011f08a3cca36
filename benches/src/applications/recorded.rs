//! Records that were written, and the rows of the documentation that quote them.

use std::fmt::Write;

/// The texts of an application in the documentation: its name in records, its name below bars, and what it does.
pub const TITLES: [(&str, &str, &str); 8] = [
    ("markdown outline", "outline", "outline of a Markdown document"),
    ("disk usage", "disk usage", "disk usage from a list of files"),
    ("common subexpressions", "common, subexpressions", "common subexpressions, with a hash map"),
    ("tag soup", "tag soup", "tags that selectors match"),
    ("json reader", "JSON reader", "a reader of JSON"),
    ("json path", "JSON path", "a path query on JSON"),
    ("lifting", "lifting", "lifting of functions"),
    ("flattening", "flattening", "flattening of expressions"),
];

/// A row of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The name of the application below bars.
    pub short: &'static str,
    /// What the application does.
    pub title: &'static str,
    /// Nanoseconds per node of sequential code.
    pub sequential: f64,
    /// Nanoseconds per node of treepar on one thread.
    pub one_thread: f64,
    /// Speeds on one thread and on all, relative to sequential code.
    pub speeds: [f64; 2],
}

/// Returns the rows of a record at 10^6 nodes, the greatest speed on one thread first.
///
/// # Errors
/// A column or an application is missing, or not known.
pub fn read(record: &str) -> Result<Vec<Recorded>, String> {
    let mut lines = record.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().ok_or("the record is empty")?.split(',').collect();
    let column = |name: &str| {
        names.iter().position(|&found| found == name).ok_or_else(|| format!("the record has no column `{name}`"))
    };
    let [nodes, sequential, one, speed, speed_all] =
        ["nodes", "sequential_ns", "one_thread_ns", "speed_one", "speed_all"].map(column);
    let (nodes, application) = (nodes?, column("application")?);
    let columns = [sequential?, one?, speed?, speed_all?];
    let mut rows = Vec::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| {
            let field = fields.get(at).copied().unwrap_or_default();
            field.parse::<f64>().map_err(|_| format!("`{field}` is not a number: {line}"))
        };
        if !(1e6..2e6).contains(&number(nodes)?) {
            continue;
        }
        let name = fields.get(application).copied().unwrap_or_default();
        let title = TITLES.iter().find(|title| title.0 == name);
        let &(_, short, title) = title.ok_or_else(|| format!("there is no application `{name}`"))?;
        let [sequential, one_thread, speed, speed_all] = columns.map(number);
        let (sequential, one_thread) = (sequential?, one_thread?);
        rows.push(Recorded { short, title, sequential, one_thread, speeds: [speed?, speed_all?] });
    }
    if rows.len() != TITLES.len() {
        return Err(format!("the record has {} of {} applications at 10^6 nodes", rows.len(), TITLES.len()));
    }
    rows.sort_by(|a, b| b.speeds[0].total_cmp(&a.speeds[0]));
    Ok(rows)
}

/// Returns the table of the guide: Markdown, without its header.
pub fn markdown(rows: &[Recorded]) -> String {
    let nanoseconds = |ns: f64| if ns < 9.95 { format!("{ns:.1}") } else { format!("{ns:.0}") };
    let mut out = String::new();
    for Recorded { title, sequential, one_thread, speeds: [one, all], .. } in rows {
        let (sequential, one_thread) = (nanoseconds(*sequential), nanoseconds(*one_thread));
        // Writing to a string cannot fail.
        let _ = writeln!(out, "| {title} | {sequential} | {one_thread} | {one:.1} | {all:.1} |");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Returns the names of records of applications that a text mentions.
    fn mentioned(text: &str) -> Vec<&str> {
        let ends = text.match_indices("-applications.csv").map(|(at, end)| at + end.len());
        let names = ends.map(|end| {
            let begin = text[..end].rfind(['`', '/', ' ', '(']).map_or(0, |at| at + 1);
            &text[begin..end]
        });
        names.filter(|name| name.starts_with("20")).collect()
    }

    #[test]
    fn the_documentation_quotes_one_record() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let text = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
        let guide = text("treepar/src/guide.md");
        let record = mentioned(&guide)[0];
        for page in [&guide, &text("benches/README.md"), &text("README.md")] {
            assert!(mentioned(page).iter().all(|name| *name == record), "{record} and {:?}", mentioned(page));
        }
        let rows = read(&text(&format!("benches/records/epyc-2-cores/{record}"))).unwrap();
        assert!(guide.contains(&markdown(&rows)), "the table of the guide should be\n{}", markdown(&rows));
    }

    #[test]
    fn every_application_has_its_texts() {
        let names: Vec<&str> = super::super::applications::<treepar::Cpu>().iter().map(|one| one.name).collect();
        assert_eq!(TITLES.map(|title| title.0).to_vec(), names);
    }

    #[test]
    fn a_damaged_record_is_refused() {
        let head = "application,nodes,sequential_ns,one_thread_ns,speed_one,speed_all\n";
        let rows = |of: &dyn Fn(usize, &str) -> String| {
            TITLES.iter().enumerate().map(|(k, title)| of(k, title.0)).collect::<String>()
        };
        let whole = rows(&|k, name| format!("{name},1000010,20,9.96,{k}.25,3.5\n{name},10000,1,1,1,1\n"));
        let found = read(&format!("# date: now\n{head}{whole}")).unwrap();
        assert_eq!((found.len(), found[0].title, found[0].speeds), (8, "flattening of expressions", [7.25, 3.5]));
        assert!(markdown(&found).starts_with("| flattening of expressions | 20 | 10 | 7.2 | 3.5 |\n"));
        for (text, error) in [
            (String::new(), "the record is empty"),
            ("application,nodes\n".into(), "the record has no column `sequential_ns`"),
            (head.into(), "the record has 0 of 8 applications at 10^6 nodes"),
            (format!("{head}other,1000000,1,1,1,1\n"), "there is no application `other`"),
            (format!("{head}lifting,1000000,1,x,1,1\n"), "`x` is not a number: lifting,1000000,1,x,1,1"),
        ] {
            assert_eq!(read(&text), Err(error.into()));
        }
    }
}
