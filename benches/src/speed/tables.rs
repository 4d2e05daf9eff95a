//! What is printed of a run, as Markdown tables.

use std::fmt::Write;

use super::catalogue::Language;
use super::{COLUMNS, OURS, Row, Run};
use crate::results::{Cell, Measurement};
use crate::statistics::geometric_mean;

/// How many programs the table of the slowest has at least.
const WORST: usize = 10;

/// How many times as long as the first column's our program may take without a reason being asked for.
const FREE: f64 = 1.05;

/// All tables.
pub fn page(run: &Run) -> String {
    let mut text = means(run);
    text.push_str(&worst(run));
    text.push_str(&times(run));
    text.push_str(&sizes(run));
    text.push_str(&failures(run));
    text
}

/// Geometric means by language, and the optimizers' time.
fn means(run: &Run) -> String {
    let mut text = format!("Time and text against `{}`, geometric means, and the optimizer's time:\n\n", COLUMNS[0]);
    let others = COLUMNS[1..].iter();
    let head: Vec<String> = others.flat_map(|name| [(*name).to_owned(), format!("{name}: text")]).collect();
    let _ = writeln!(text, "| programs | | {} |\n|---|--:|{}", head.join(" | "), "--:|".repeat(head.len()));
    let groups = Language::ALL.map(|language| (language.name(), Some(language)));
    for (name, language) in groups.into_iter().chain([("all", None)]) {
        let rows: Vec<&Row> = run.programs.iter().filter(|row| language.is_none_or(|l| row.language == l)).collect();
        let mean = |of: &dyn Fn(&Row) -> Option<f64>| number(geometric_mean(rows.iter().filter_map(|row| of(row))), 3);
        let cells: Vec<String> = COLUMNS[1..]
            .iter()
            .flat_map(|column| [mean(&|row| row.ratio(column)), mean(&|row| text_ratio(row, column))])
            .collect();
        let _ = writeln!(text, "| {name} | {} | {} |", rows.len(), cells.join(" | "));
    }
    let _ = writeln!(text, "\n| optimizer | {} |\n|---|{}", COLUMNS.join(" | "), "--:|".repeat(COLUMNS.len()));
    for (name, language) in groups {
        let rows = || run.programs.iter().filter(|row| row.language == language.unwrap_or(row.language));
        let sum = |column| rows().filter_map(|row| Some(cell(row, column)?.optimizer_seconds)).sum::<f64>();
        let cells: Vec<String> = COLUMNS.iter().map(|column| format!("{:.2} s", sum(column))).collect();
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    }
    text
}

/// The slowest programs with the reasons why they are.
fn worst(run: &Run) -> String {
    let mut rows: Vec<(f64, &Row)> = run.programs.iter().filter_map(|row| Some((row.ratio(OURS)?, row))).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let slower = rows.iter().filter(|(ratio, _)| *ratio > FREE).count();
    rows.truncate(slower.max(WORST));
    let mut text = format!(
        "\nPrograms whose `{OURS}` takes more than {FREE} times as long as `{}`, or the slowest {WORST}:\n\n\
         | program | language | ratio | reason |\n|---|---|--:|---|\n",
        COLUMNS[0]
    );
    for (ratio, row) in rows {
        let reason = match &row.reason {
            Some(reason) if ratio > FREE => reason,
            None if ratio > FREE => "not known",
            _ => "",
        };
        let _ = writeln!(text, "| {} | {} | {ratio:.2} | {reason} |", row.name, row.language.name());
    }
    text
}

/// Time of every program.
fn times(run: &Run) -> String {
    let mut text = format!(
        "\nSeconds of `{0}`, and how many times as long the others take; `=` is the machine code of an earlier column, `*` marks times whose \
         quartiles lie more than a tenth of the median apart:\n\n| program | language | {0} | {1} |\n|---|---|{2}\n",
        COLUMNS[0],
        COLUMNS[1..].join(" | "),
        "--:|".repeat(COLUMNS.len())
    );
    for row in &run.programs {
        let ratio = |name: &&str| {
            cell(row, name).map_or("failed".into(), |m| format!("{}{:.2}{}", same(m), 1.0 / m.speedup, unsteady(m)))
        };
        let cells: Vec<String> = COLUMNS[1..].iter().map(ratio).collect();
        let first = cell(row, COLUMNS[0]).map_or("failed".into(), |m| format!("{:.3} s{}", m.median, unsteady(m)));
        let _ = writeln!(text, "| {} | {} | {first} | {} |", row.name, row.language.name(), cells.join(" | "));
    }
    text
}

/// Text of every program.
fn sizes(run: &Run) -> String {
    let mut text = format!(
        "\nBytes of text of `{0}`, and how many times as many the others have; then the optimizer's milliseconds:\n\n\
         | program | {0} | {1} | {2} |\n|---|{3}\n",
        COLUMNS[0],
        COLUMNS[1..].join(" | "),
        COLUMNS.map(|name| format!("{name}: ms")).join(" | "),
        "--:|".repeat(2 * COLUMNS.len())
    );
    for row in &run.programs {
        let first = number(cell(row, COLUMNS[0]).map(|m| m.text_bytes as f64), 0);
        let ratios = COLUMNS[1..].iter().map(|name| number(text_ratio(row, name), 2));
        let millis = COLUMNS.iter().map(|name| number(cell(row, name).map(|m| 1e3 * m.optimizer_seconds), 0));
        let cells: Vec<String> = ratios.chain(millis).collect();
        let _ = writeln!(text, "| {} | {first} | {} |", row.name, cells.join(" | "));
    }
    text
}

/// What failed, and why.
fn failures(run: &Run) -> String {
    let mut text = String::new();
    for row in &run.programs {
        for (name, cell) in &row.cells {
            if let Cell::Failed { why } = cell {
                let _ = writeln!(text, "| {} | {name} | {} |", row.name, why.replace('|', "\\|").replace('\n', " "));
            }
        }
    }
    if text.is_empty() {
        return "\nNothing failed: every program prints what it prints without optimization.\n".into();
    }
    format!("\n| failed | column | why |\n|---|---|---|\n{text}")
}

fn cell<'a>(row: &'a Row, column: &str) -> Option<&'a Measurement> {
    row.cells.get(column)?.measurement()
}

fn text_ratio(row: &Row, column: &str) -> Option<f64> {
    Some(cell(row, column)?.text_bytes as f64 / cell(row, COLUMNS[0])?.text_bytes as f64)
}

fn same(measurement: &Measurement) -> &'static str {
    if measurement.same_code_as.is_some() { "=" } else { "" }
}

fn unsteady(measurement: &Measurement) -> &'static str {
    if measurement.spread > 0.1 { "*" } else { "" }
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or("–".into(), |value| format!("{value:.digits$}"))
}
