//! What is printed of the loops, as Markdown tables.

use std::fmt::Write;

use super::{COLUMNS, Loop, OURS};
use crate::statistics::geometric_mean;

/// All tables.
pub fn page(loops: &[Loop]) -> String {
    let mut text = means(loops);
    text.push_str(&missed(loops));
    text.push_str(&all(loops));
    text
}

/// Geometric means by category.
fn means(loops: &[Loop]) -> String {
    let mut text = format!(
        "Loops with vectors, and how many times as fast as `{}`'s the others are (geometric means):\n\n\
         | loops | | {} | both | {} |\n|---|{}\n",
        COLUMNS[0],
        [COLUMNS[0], COLUMNS[OURS]].map(|name| format!("{name}: vectors")).join(" | "),
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
        let count = |columns: &[usize]| rows().filter(|row| columns.iter().all(|&column| row.vectors[column])).count();
        let speed = |column| geometric_mean(rows().map(|row| row.speedup(column)));
        let speeds: Vec<String> =
            (1..COLUMNS.len()).map(|column| speed(column).map_or("–".into(), |mean| format!("{mean:.2}"))).collect();
        let [theirs, ours, both] = [count(&[0]), count(&[OURS]), count(&[0, OURS])];
        let name = category.unwrap_or("all");
        let _ = writeln!(text, "| {name} | {} | {theirs} | {ours} | {both} | {} |", rows().count(), speeds.join(" | "));
    }
    text
}

/// The loops of which only the first column makes vectors.
fn missed(loops: &[Loop]) -> String {
    let mut text = format!(
        "\nLoops of which `{}` makes vectors and we do not:\n\n| kind | loop | {} | why |\n|---|---|--:|---|\n",
        COLUMNS[0], COLUMNS[OURS]
    );
    for row in loops.iter().filter(|row| row.vectors[0] && !row.vectors[OURS]) {
        let why = row.remark.as_deref().unwrap_or("no loop is left");
        let _ = writeln!(text, "| {} | {} | {:.2} | {why} |", row.category, row.name, row.speedup(OURS));
    }
    text
}

/// Every loop.
fn all(loops: &[Loop]) -> String {
    let mut text = format!(
        "\nNanoseconds of one run under `{0}`, and how many times as fast the others are; `v` stands beside times of vectors:\n\n\
         | kind | loop | {0} | {1} |\n|---|---|{2}\n",
        COLUMNS[0],
        COLUMNS[1..].join(" | "),
        "--:|".repeat(COLUMNS.len())
    );
    for row in loops {
        let vectors = |column: usize| if row.vectors[column] { " v" } else { "" };
        let speeds: Vec<String> =
            (1..COLUMNS.len()).map(|column| format!("{:.2}{}", row.speedup(column), vectors(column))).collect();
        let first = format!("{:.0}{}", row.nanoseconds[0], vectors(0));
        let _ = writeln!(text, "| {} | {} | {first} | {} |", row.category, row.name, speeds.join(" | "));
    }
    text
}
