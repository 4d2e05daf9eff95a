//! What is printed of the loops, as Markdown tables.

use std::fmt::Write;

use super::{COLUMNS, Loop, OURS, Run};
use crate::statistics::geometric_mean;

/// Loops are listed as slow whose speed-up over the first column is below this.
const SLOW: f64 = 0.9;

/// All tables.
pub fn page(run: &Run) -> String {
    let mut text = means(&run.loops);
    text.push_str(&setup(run));
    text.push_str(&missed(&run.loops));
    text.push_str(&slow(&run.loops));
    text.push_str(&scalar(&run.loops));
    text.push_str(&all(&run.loops));
    text
}

/// Geometric means by category.
fn means(loops: &[Loop]) -> String {
    let mut text = format!(
        "Loops with vectors, and how many times as fast as `{0}`'s the others are (geometric means):\n\n\
         | loops |  | {0}: vectors | {1}: vectors | only {0} | {2} |\n|---|{3}\n",
        COLUMNS[0],
        COLUMNS[OURS],
        COLUMNS[1..].join(" | "),
        "--:|".repeat(COLUMNS.len() + 3)
    );
    let mut categories: Vec<&str> = Vec::new();
    for row in loops {
        if !categories.contains(&row.category.as_str()) {
            categories.push(&row.category);
        }
    }
    for category in categories.iter().map(|&name| Some(name)).chain([None]) {
        let rows = || loops.iter().filter(move |row| category.is_none_or(|name| row.category == name));
        let [theirs, ours] = [0, OURS].map(|column| rows().filter(|row| row.vectors[column]).count());
        let only = rows().filter(|row| only_first(row)).count();
        let speed = |column: usize| geometric_mean(rows().map(|row| row.speedups[column]));
        let speeds: Vec<String> =
            (1..COLUMNS.len()).map(|column| speed(column).map_or("–".into(), |mean| format!("{mean:.3}"))).collect();
        let name = category.unwrap_or("all");
        let _ = writeln!(text, "| {name} | {} | {theirs} | {ours} | {only} | {} |", rows().count(), speeds.join(" | "));
    }
    text
}

/// How the loops were made and timed.
fn setup(run: &Run) -> String {
    let mut text = String::from("\nHow the loops were made and timed:\n\n|  |  |\n|---|---|\n");
    for (what, how) in &run.setup {
        let how = if how.contains(" -") { format!("`{how}`") } else { how.clone() };
        let _ = writeln!(text, "| {what} | {how} |");
    }
    text
}

/// The loops of which only the first column makes vectors.
fn missed(loops: &[Loop]) -> String {
    let mut text = format!(
        "\nLoops of which `{}` makes vectors and we do not, with what our vectorizer says:\n\n\
         | category | loop | {} | remark |\n|---|---|--:|---|\n",
        COLUMNS[0], COLUMNS[OURS]
    );
    for row in loops.iter().filter(|row| only_first(row)) {
        let _ = writeln!(text, "| {} | {} | {:.2} | {} |", row.category, row.name, row.speedups[OURS], remark(row));
    }
    text
}

/// The loops that are clearly slower than the first column's, the slowest first.
fn slow(loops: &[Loop]) -> String {
    let mut rows: Vec<&Loop> = loops.iter().filter(|row| row.speedups[OURS] < SLOW).collect();
    rows.sort_by(|a, b| a.speedups[OURS].total_cmp(&b.speedups[OURS]));
    let mut text = format!(
        "\nLoops of which ours is less than {SLOW:.2} times as fast as `{0}`'s:\n\n\
         | category | loop | {0} | {1} | reason |\n|---|---|--:|--:|---|\n",
        COLUMNS[0], COLUMNS[OURS]
    );
    for row in rows {
        let reason = match &row.reason {
            Some(reason) => reason,
            None if only_first(row) => "no vectors",
            None => "not known",
        };
        let speedup = speedup(row, OURS);
        let _ = writeln!(text, "| {} | {} | {} | {speedup} | {reason} |", row.category, row.name, first(row));
    }
    text
}

/// The loops of which neither the first column nor ours makes vectors.
fn scalar(loops: &[Loop]) -> String {
    let mut text = format!(
        "\nLoops of which neither `{}` nor `{1}` makes vectors, with what our vectorizer says:\n\n\
         | category | loop | {1} | remark |\n|---|---|--:|---|\n",
        COLUMNS[0], COLUMNS[OURS]
    );
    for row in loops.iter().filter(|row| !row.vectors[0] && !row.vectors[OURS]) {
        let _ = writeln!(text, "| {} | {} | {:.2} | {} |", row.category, row.name, row.speedups[OURS], remark(row));
    }
    text
}

/// Every loop.
fn all(loops: &[Loop]) -> String {
    let mut text = format!(
        "\nNanoseconds of one run under `{0}`, and how many times as fast the others are; `v` stands beside times of vectors, `*` beside times \
         whose quartiles lie more than a tenth of the median apart:\n\n| category | loop | {0} | {1} |\n|---|---|{2}\n",
        COLUMNS[0],
        COLUMNS[1..].join(" | "),
        "--:|".repeat(COLUMNS.len())
    );
    for row in loops {
        let speedups: Vec<String> = (1..COLUMNS.len()).map(|column| speedup(row, column)).collect();
        let _ = writeln!(text, "| {} | {} | {} | {} |", row.category, row.name, first(row), speedups.join(" | "));
    }
    text
}

/// Whether only the first column makes vectors of a loop.
fn only_first(row: &Loop) -> bool {
    row.vectors[0] && !row.vectors[OURS]
}

fn remark(row: &Loop) -> &str {
    row.remark.as_deref().unwrap_or("none")
}

/// The time of the first column.
fn first(row: &Loop) -> String {
    format!("{:.0} ns{}", row.nanoseconds, marks(row, 0))
}

fn speedup(row: &Loop, column: usize) -> String {
    format!("{:.2}{}", row.speedups[column], marks(row, column))
}

/// What stands behind a time.
fn marks(row: &Loop, column: usize) -> String {
    let unsteady = if row.spreads[column] > 0.1 { "*" } else { "" };
    format!("{unsteady}{}", if row.vectors[column] { " v" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(category: &str, name: &str, ours: f64, vectors: [bool; COLUMNS.len()]) -> Loop {
        Loop {
            category: category.into(),
            name: name.into(),
            nanoseconds: 100.0,
            speedups: [1.0, 0.5, ours],
            spreads: [0.0, 0.2, 0.0],
            vectors,
            remark: (!vectors[OURS]).then(|| "`UnsafeDep`: unsafe".into()),
            reason: None,
        }
    }

    /// The rows of the table after a heading that contains some words.
    fn rows<'a>(page: &'a str, heading: &str) -> Vec<&'a str> {
        let lines = page.lines().skip_while(|line| !line.contains(heading)).skip(4);
        lines.take_while(|line| line.starts_with('|')).collect()
    }

    #[test]
    fn every_loop_is_in_the_tables_that_it_belongs_to() {
        let loops = vec![
            row("memory", "missed", 0.5, [true, false, false]),
            row("memory", "both", 2.0, [true, false, true]),
            Loop { reason: Some("gathers".into()), ..row("order", "ours", 0.4, [false, false, true]) },
            Loop { remark: None, ..row("order", "neither", 0.9, [false, false, false]) },
            row("order", "slow", 0.89, [true, false, true]),
        ];
        let page = page(&Run { loops, setup: vec![("rounds", "7".into()), ("front end", "clang -O2".into())] });
        assert_eq!(
            rows(&page, "geometric means"),
            [
                "| memory | 2 | 2 | 1 | 1 | 0.500 | 1.000 |",
                "| order | 3 | 1 | 2 | 0 | 0.500 | 0.684 |",
                "| all | 5 | 3 | 3 | 1 | 0.500 | 0.796 |"
            ]
        );
        assert_eq!(rows(&page, "made and timed"), ["| rounds | 7 |", "| front end | `clang -O2` |"]);
        assert_eq!(rows(&page, "and we do not"), ["| memory | missed | 0.50 | `UnsafeDep`: unsafe |"]);
        assert_eq!(
            rows(&page, "less than 0.90"),
            [
                "| order | ours | 100 ns | 0.40 v | gathers |",
                "| memory | missed | 100 ns v | 0.50 | no vectors |",
                "| order | slow | 100 ns v | 0.89 v | not known |"
            ]
        );
        assert_eq!(rows(&page, "neither"), ["| order | neither | 0.90 | none |"]);
        assert_eq!(rows(&page, "Nanoseconds").len(), 5);
        assert_eq!(rows(&page, "Nanoseconds")[1], "| memory | both | 100 ns v | 0.50* | 2.00 v |");
    }
}
