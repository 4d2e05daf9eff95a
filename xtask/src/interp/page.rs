//! The parts of `docs/interpreter.md` that runs write.

use std::fmt::Write;

use anyhow::{Context, Result};

use super::program::Verdict;
use crate::tools;

/// The table of the corpora: a row per program, a column per variant.
pub fn corpus(rows: &[(String, Vec<Verdict>)], variants: &[&str]) -> String {
    let all: Vec<&Verdict> = rows.iter().flat_map(|(_, verdicts)| verdicts).collect();
    let agree = all.iter().filter(|verdict| verdict.agrees()).count();
    let differ = all.iter().filter(|verdict| verdict.differs()).count();
    let full = rows.iter().filter(|(_, v)| v.iter().all(|verdict| verdict.agrees())).count();
    let mut text = format!(
        "{full} of {} programs agree in every variant; of {} programs in a variant {agree} agree, {differ} differ, {} are not run.\n\n",
        rows.len(),
        all.len(),
        all.len() - agree - differ
    );
    // A string takes whatever is written.
    let _ = writeln!(text, "| program | {} |\n|---|{}", variants.join(" | "), "---|".repeat(variants.len()));
    for (name, verdicts) in rows {
        let cells: Vec<String> = verdicts.iter().map(|verdict| verdict.to_string().replace('|', "\\|")).collect();
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    }
    text
}

/// The counts of made-up programs, a row per way to compile them.
pub fn csmith(programs: &[Vec<Verdict>], ways: &[&str], seed: u64, shape: &str) -> String {
    let count = programs.iter().map(Vec::len).sum::<usize>();
    let mut text = format!(
        "{count} programs, `csmith {shape}` with the seeds {seed} to {}.\n\n| compiled with | programs | agree | differ | not run |\n|---|---|---|---|---|\n",
        seed + count as u64 - 1
    );
    for (way, verdicts) in ways.iter().zip(programs) {
        let agree = verdicts.iter().filter(|verdict| verdict.agrees()).count();
        let differ = verdicts.iter().filter(|verdict| verdict.differs()).count();
        let count = verdicts.len();
        // A string takes whatever is written.
        let _ = writeln!(text, "| {way} | {count} | {agree} | {differ} | {} |", count - agree - differ);
    }
    text
}

/// Replaces what is between the marks of a part.
///
/// # Errors
/// The page cannot be read or written, or has no such marks.
pub fn replace(part: &str, text: &str) -> Result<()> {
    let path = tools::root().join("docs/interpreter.md");
    let page = String::from_utf8(tools::read(&path)?)?;
    let (begin, end) = (format!("<!-- begin {part} -->\n"), format!("<!-- end {part} -->"));
    let (before, rest) = page.split_once(&begin).with_context(|| format!("no {begin}in {}", path.display()))?;
    let (_, after) = rest.split_once(&end).with_context(|| format!("no {end} in {}", path.display()))?;
    tools::write(&path, format!("{before}{begin}{text}{end}{after}").as_bytes())
}
