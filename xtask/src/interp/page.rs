//! The parts of `docs/interpreter.md` that runs write.

use std::collections::BTreeMap;
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

/// The counts of made-up programs, given with their seeds and ways, in the order of their seeds: a row per way to compile
/// them, and what was left out.
pub fn csmith(programs: &[(u64, usize, Verdict)], ways: &[&str], shape: &str) -> String {
    let compared = programs.iter().filter(|(_, _, verdict)| verdict.agrees() || verdict.differs()).count();
    let [first, last] = [programs.first(), programs.last()].map(|program| program.map_or(0, |&(seed, _, _)| seed));
    let mut text = format!(
        "{compared} programs, `csmith {shape}` with the seeds {first} to {last}.\n\n| compiled with | programs | agree | differ |\n|---|---|---|---|\n"
    );
    for (index, way) in ways.iter().enumerate() {
        let verdicts = || programs.iter().filter(|program| program.1 == index).map(|(_, _, verdict)| verdict);
        let agree = verdicts().filter(|verdict| verdict.agrees()).count();
        let differ = verdicts().filter(|verdict| verdict.differs()).count();
        // A string takes whatever is written.
        let _ = writeln!(text, "| {way} | {} | {agree} | {differ} |", agree + differ);
    }
    let mut left_out: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (seed, _, verdict) in programs {
        if let Verdict::NotRun(reason) = verdict {
            left_out.entry(reason).or_default().push(seed.to_string());
        }
    }
    if !left_out.is_empty() {
        text.push_str("\nSeeds left out:\n\n");
    }
    for (reason, seeds) in left_out {
        let _ = writeln!(text, "- {} where {reason}: {}.", seeds.len(), seeds.join(", "));
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
