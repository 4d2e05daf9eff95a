//! Pages, and the values after their markers.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{read, unmarked};
use crate::tools;

/// The beginning of a marker.
pub const BEGIN: &str = "<!-- evidence: ";
/// The end of a marker.
pub const END: &str = " -->";

/// Pages of the root.
const ROOT_PAGES: &[&str] = &["ARCHITECTURE.md", "CHANGELOG.md", "README.md"];

/// A page of the documentation.
pub struct Page {
    /// Its path from the root, with slashes.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

/// A page with the values that belong into it.
pub struct Filled {
    /// The page.
    pub text: String,
    /// Markers that cannot be followed, each with its place.
    pub problems: Vec<String>,
}

/// All pages that may name results; records of decisions keep what they were decided on.
///
/// # Errors
/// A page cannot be read.
pub fn pages() -> Result<Vec<Page>> {
    let root = tools::root();
    let mut paths: Vec<PathBuf> = ROOT_PAGES.iter().map(|name| root.join(name)).collect();
    paths.extend(tools::files_with_extension(&root.join("docs"), "md")?);
    paths.into_iter().map(|path| page(&root, path)).collect()
}

fn page(root: &Path, path: PathBuf) -> Result<Page> {
    let text = String::from_utf8(tools::read(&path)?).with_context(|| format!("{}", path.display()))?;
    Ok(Page { name: path.strip_prefix(root)?.display().to_string(), path, text })
}

impl Page {
    /// Whether the page names a value of this result.
    pub fn mentions(&self, evidence: &str) -> bool {
        self.text.contains(&format!("{BEGIN}{evidence}."))
    }

    /// The page with the values of today's results.
    ///
    /// # Errors
    /// A result cannot be read.
    pub fn filled(&self) -> Result<Filled> {
        let mut filled = fill(&self.text, &value);
        filled.problems.iter_mut().for_each(|problem| problem.insert_str(0, &format!("{}:", self.name)));
        Ok(filled)
    }

    /// Values that differ from those of the results, and numbers without a marker.
    ///
    /// # Errors
    /// A result cannot be read.
    pub fn violations(&self) -> Result<Vec<String>> {
        let filled = self.filled()?;
        let mut found = filled.problems;
        if let Some((number, line)) = differing(&self.text, &filled.text) {
            found.push(format!(
                "{}:{number}: docs/evidence has another value, `cargo xtask evidence` writes it: {line}",
                self.name
            ));
        }
        for (line, number) in unmarked::numbers(&self.name, &self.text) {
            found.push(format!(
                "{}:{line}: {number} comes from nowhere: it needs a marker, see xtask/src/evidence.rs",
                self.name
            ));
        }
        Ok(found)
    }
}

/// The Markdown tables in a text, in the form in which results keep them.
pub fn tables(text: &str) -> Vec<Value> {
    let cells = |line: &str| -> Vec<String> {
        let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
        inner.split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut tables = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(head) = lines.next() {
        if head.starts_with('|') && lines.next_if(|rule| rule.starts_with("|-")).is_some() {
            let mut rows = Vec::new();
            while let Some(row) = lines.next_if(|row| row.starts_with('|')) {
                rows.push(cells(row));
            }
            tables.push(json!({"columns": cells(head), "rows": rows}));
        }
    }
    tables
}

/// The value that a marker names.
fn value(reference: &str) -> Result<Value> {
    let mut keys = reference.split('.');
    let file = read(keys.next().unwrap_or_default())?;
    let keys: Vec<&str> = keys.collect();
    let of = |start: &Value| keys.iter().try_fold(start.clone(), |value, key| value.get(key).cloned());
    of(&file).or_else(|| of(&file["result"])).with_context(|| format!("there is no {reference}"))
}

/// The first line in which two texts differ.
fn differing<'a>(old: &'a str, new: &'a str) -> Option<(usize, &'a str)> {
    if old == new {
        return None;
    }
    let place = old.lines().zip(new.lines()).position(|(a, b)| a != b);
    let place = place.unwrap_or_else(|| old.lines().count().min(new.lines().count()));
    Some((place + 1, new.lines().nth(place).or(old.lines().nth(place)).unwrap_or_default()))
}

/// Replaces the value after each marker.
fn fill(text: &str, value: &dyn Fn(&str) -> Result<Value>) -> Filled {
    let mut filled = Filled { text: String::new(), problems: Vec::new() };
    let mut lines = text.lines().enumerate().peekable();
    let mut in_code = false;
    while let Some((number, line)) = lines.next() {
        in_code ^= line.starts_with("```");
        let alone = line.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END)).filter(|r| !r.contains(END));
        let done = match alone.filter(|_| !in_code) {
            None if in_code => Ok(line.to_owned()),
            None => fill_line(line, value),
            Some(reference) => value(reference).and_then(|value| block(&value)).map(|(start, block)| {
                while lines.next_if(|(_, next)| next.starts_with(start)).is_some() {}
                format!("{line}\n{}", block.trim_end())
            }),
        };
        filled.text.push_str(done.as_deref().unwrap_or(line));
        filled.text.push('\n');
        if let Err(error) = done {
            filled.problems.push(format!("{}: {error:#}", number + 1));
        }
    }
    filled
}

/// A table or a list, and how its lines begin.
fn block(value: &Value) -> Result<(&'static str, String)> {
    if let Some(items) = value.as_array() {
        let items: Vec<String> = items.iter().map(|item| format!("- {}\n", cell(item))).collect();
        return Ok(("- ", items.concat()));
    }
    let list = |value: &Value| -> Option<Vec<String>> { Some(value.as_array()?.iter().map(cell).collect()) };
    let columns = list(&value["columns"]).context("a marker alone on its line needs a table or a list")?;
    let rows: Option<Vec<Vec<String>>> = value["rows"].as_array().and_then(|rows| rows.iter().map(list).collect());
    let rows = rows.context("a table needs rows")?;
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let of_numbers = |column: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(column)).peekable();
        let is_number = |text: &String| text.starts_with(|c: char| c.is_ascii_digit() || "+-–".contains(c));
        cells.peek().is_some() && cells.all(is_number)
    };
    let rule: Vec<&str> = (0..columns.len()).map(|column| if of_numbers(column) { "--:|" } else { "---|" }).collect();
    let rows: Vec<String> = rows.iter().map(|row| line(row)).collect();
    Ok(("|", format!("{}|{}\n{}", line(&columns), rule.concat().trim_end_matches('\n'), rows.concat())))
}

/// A value within a table or list.
fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.replace('|', "\\|"),
        other => other.to_string(),
    }
}

/// A line with the values after its markers.
fn fill_line(line: &str, value: &dyn Fn(&str) -> Result<Value>) -> Result<String> {
    let mut filled = String::new();
    let mut rest = line;
    while let Some((before, marked)) = rest.split_once(BEGIN) {
        let (reference, behind) = marked.split_once(END).context("a marker without an end")?;
        let length = shown_length(behind);
        let (old, after) = behind.split_at(length);
        anyhow::ensure!(length > 0, "behind the marker of {reference} is no value, nor a `?` in its place");
        let new = shown(&value(reference)?, old).with_context(|| format!("{reference} cannot stand within a line"))?;
        filled.push_str(&format!("{before}{BEGIN}{reference}{END}{new}"));
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// The bytes of the value at the start of a text: code, or a word without the punctuation after it.
pub fn shown_length(text: &str) -> usize {
    if let Some(code) = text.strip_prefix('`') {
        return code.find('`').map_or(0, |end| end + 2);
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.,?".contains(c);
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    text[..end].trim_end_matches(['.', ',']).len()
}

/// A value as it stands within a line: a number with as many decimals as the one that is there, a word, or code.
fn shown(value: &Value, old: &str) -> Option<String> {
    if let Some(text) = value.as_str() {
        let is_word = !text.is_empty() && shown_length(text) == text.len() && !text.starts_with('`');
        return Some(if is_word { text.to_owned() } else { format!("`{text}`") });
    }
    let decimals = old.split_once('.').map(|(_, decimals)| decimals.len());
    let number = match (value.as_u64(), value.as_f64()?) {
        (Some(whole), _) => whole.to_string(),
        (None, number) => format!("{number:.*}", decimals.unwrap_or(2)),
    };
    let (whole, decimals) =
        number.split_once('.').map_or((number.as_str(), ""), |(whole, _)| (whole, &number[whole.len()..]));
    let digits = whole.len();
    let grouped = whole.chars().enumerate().flat_map(|(place, digit)| {
        let comma = place > 0 && (digits - place).is_multiple_of(3) && digit.is_ascii_digit();
        comma.then_some(',').into_iter().chain([digit])
    });
    Some(grouped.chain(decimals.chars()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(reference: &str) -> Result<Value> {
        let table = json!({"columns": ["program", "share"], "rows": [["a|b", "0.5 %"], ["c", 12]]});
        Ok(match reference {
            "x.same" => json!(12345),
            "x.ratio" => json!(0.9653),
            "x.date" => json!("2026-11-22"),
            "x.command" => json!("cargo xtask x --all"),
            "x.table" => table,
            "x.list" => json!(["one", "two"]),
            _ => anyhow::bail!("there is no {reference}"),
        })
    }

    #[test]
    fn values_within_lines_are_replaced() {
        let text = "Of <!-- evidence: x.same -->1,014, at <!-- evidence: x.ratio -->0.1 (<!-- evidence: x.ratio -->?) on\n\
                    <!-- evidence: x.date -->?. By <!-- evidence: x.command -->`old command`, too.\n";
        let new = "Of <!-- evidence: x.same -->12,345, at <!-- evidence: x.ratio -->1.0 (<!-- evidence: x.ratio -->0.97) on\n\
                   <!-- evidence: x.date -->2026-11-22. By <!-- evidence: x.command -->`cargo xtask x --all`, too.\n";
        let filled = fill(text, &value);
        assert_eq!((filled.text.as_str(), filled.problems.len()), (new, 0));
        assert_eq!(fill(new, &value).text, new);
        assert_eq!(differing(text, new).map(|(line, _)| line), Some(1));
    }

    #[test]
    fn tables_and_lists_are_replaced() {
        let text = "<!-- evidence: x.table -->\n| old |\n|---|\n\n<!-- evidence: x.list -->\n- one\nrest\n";
        let new = "<!-- evidence: x.table -->\n| program | share |\n|---|--:|\n| a\\|b | 0.5 % |\n| c | 12 |\n\n\
                   <!-- evidence: x.list -->\n- one\n- two\nrest\n";
        let filled = fill(text, &value);
        assert_eq!((filled.text.as_str(), filled.problems.len()), (new, 0));
        assert_eq!(fill(new, &value).text, new);
    }

    #[test]
    fn tables_of_a_text() {
        let text = "before\n| a | b |\n|---|--:|\n| x | 1 |\n| y | 2 |\nafter\n| no table |\n";
        assert_eq!(tables(text), [json!({"columns": ["a", "b"], "rows": [["x", "1"], ["y", "2"]]})]);
    }

    #[test]
    fn markers_that_lead_nowhere_are_named() {
        for wrong in [
            "<!-- evidence: x.other -->1",
            "<!-- evidence: x.same --> 1",
            "<!-- evidence: x.same -->",
            "a <!-- evidence: x.table -->1",
        ] {
            let filled = fill(wrong, &value);
            assert_eq!((filled.text.trim_end(), filled.problems.len()), (wrong, 1), "{:?}", filled.problems);
        }
        let code = "```\n<!-- evidence: x.other -->1\n```\n";
        assert!(fill(code, &value).problems.is_empty());
    }
}
