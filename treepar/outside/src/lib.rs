//! Tests that build crates of their own, as users of treepar do: the first program of the front page, and code that does not compile.

/// Returns the first example of a page of documentation: the lines of a file's `//!` between its first two fences.
pub fn first_example(file: &str) -> String {
    let page = file.lines().filter_map(|line| line.strip_prefix("//!"));
    let lines: Vec<&str> = page
        .skip_while(|line| line.trim() != "```")
        .skip(1)
        .take_while(|line| line.trim() != "```")
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    lines.join("\n")
}
