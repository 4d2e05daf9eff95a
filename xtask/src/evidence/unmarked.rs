//! Numbers on pages that come from no result.

use super::page::{BEGIN, END, shown_length};

/// Pages whose numbers define something, or come from a test that fails when they are wrong, rather than from a measurement.
const REFERENCE: &[&str] = &[
    "ARCHITECTURE.md",
    "docs/constructs.md",
    "docs/operations.md",
    "docs/passes.md",
    "docs/polybench.md",
    "docs/seeded-bugs.md",
    "docs/text-format.md",
];

/// Numbers that are part of a name or a definition.
const NAMES: &[&str] = &["LLVM 22", "clang 22", "Debian 12", "Rust 1.95", "64 bits", "32 branches", "Apache 2.0"];

/// What makes a number of one digit a measurement.
const UNITS: &[&str] = &["%", "×", "s ", "s.", "s,", "ms", "MB", "GB", "MiB", "GiB", "times", "million"];

/// Numbers in running text, lists and tables that no marker stands before, with their lines: those of more than one digit, and those with
/// a unit. Code, names such as `LLVM 22`, years in parentheses and what is part of a word are none.
pub fn numbers(page: &str, text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    if REFERENCE.contains(&page) {
        return found;
    }
    let (mut in_code, mut in_block) = (false, false);
    for (index, line) in text.lines().enumerate() {
        in_code ^= line.starts_with("```");
        in_block = line.starts_with(BEGIN) && line.ends_with(END) || in_block && line.starts_with(['|', '-']);
        if !in_code && !in_block {
            found.extend(numbers_in(line).into_iter().map(|number| (index + 1, number)));
        }
    }
    found
}

fn numbers_in(line: &str) -> Vec<String> {
    let characters: Vec<char> = prose(line).chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let start = at;
        at += 1;
        if !characters[start].is_ascii_digit() {
            continue;
        }
        let is_digit = |at: usize| characters.get(at).is_some_and(char::is_ascii_digit);
        while is_digit(at) || (characters.get(at).is_some_and(|c| ",.".contains(*c)) && is_digit(at + 1)) {
            at += 1;
        }
        let number: String = characters[start..at].iter().collect();
        let before = start.checked_sub(1).map(|place| characters[place]);
        let after: String = characters[at..].iter().take(10).collect();
        let in_word = before.is_some_and(|c| c.is_alphanumeric() || "-_+/".contains(c))
            || after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            || after.starts_with("-bit");
        let is_year = number.len() == 4 && before == Some('(') && after.starts_with(')');
        let has_unit = UNITS.iter().any(|unit| format!("{after} ").trim_start().starts_with(unit));
        if !in_word && !is_year && (number.len() > 1 || has_unit) {
            found.push(number);
        }
    }
    found
}

/// A line without what markers stand before, comments, code, targets of links and names.
fn prose(line: &str) -> String {
    let mut text = line.to_owned();
    while let Some((before, marked)) = text.split_once("<!--") {
        let (reference, behind) = marked.split_once("-->").unwrap_or((marked, ""));
        let skipped = if reference.starts_with(" evidence: ") { shown_length(behind) } else { 0 };
        text = format!("{before} {}", &behind[skipped..]);
    }
    let text = text.split('`').step_by(2).collect::<Vec<_>>().join(" code ");
    let mut parts = text.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    let behind_targets = parts.map(|part| part.split_once(')').map_or("", |(_, rest)| rest));
    let text = behind_targets.fold(first, |text, part| text + "] " + part);
    NAMES.iter().fold(text, |text, name| text.replace(name, " "))
}

#[cfg(test)]
mod tests {
    use super::numbers_in;

    #[test]
    fn measurements_are_found() {
        assert_eq!(
            numbers_in("of 1,150 programs 0.965 agree, in 5 s, or 3 % (and 7 of them) by 12."),
            ["1,150", "0.965", "5", "3", "12"]
        );
        assert_eq!(numbers_in("| sqlite | 21126 | -O3 |"), ["21126"]);
    }

    #[test]
    fn names_code_and_marked_numbers_are_none() {
        let line = "`-O3` in 2 steps with LLVM 22 on x86-64 (2020), C++17, 32-bit [1](a/100.md), <!-- evidence: x.y -->1,014 and i64";
        assert_eq!(numbers_in(line), [""; 0]);
    }
}
