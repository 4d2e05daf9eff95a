//! The outcomes as Markdown tables.

use std::fmt::Write;

use super::configs::{CONFIGS, Check};
use super::run::{Cell, Outcome};

const HEAD: &str = "\
| program | variant | configuration | files | bodies | through | same code | runs | time | result |
|---|---|---|--:|--:|--:|--:|--:|--:|---|
";

/// One row per cell, then what the configurations mean.
pub fn detailed(cells: &[Cell], outcomes: &[Outcome]) -> String {
    let mut text = HEAD.to_owned();
    for (cell, outcome) in cells.iter().zip(outcomes) {
        row(&mut text, cell.built.program.name, cell.built.variant.name, &[(cell, outcome)]);
    }
    legend(&mut text, cells);
    text
}

/// One row per program and configuration, the variants together.
pub fn summary(cells: &[Cell], outcomes: &[Outcome]) -> String {
    let mut text = HEAD.to_owned();
    let mut keys: Vec<(&str, &str)> = Vec::new();
    for cell in cells {
        let key = (cell.built.program.name, cell.config.name);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    for key in keys {
        let of_key = |(cell, _): &(&Cell, &Outcome)| (cell.built.program.name, cell.config.name) == key;
        let group: Vec<(&Cell, &Outcome)> = cells.iter().zip(outcomes).filter(of_key).collect();
        let variants: Vec<&str> = group.iter().map(|(cell, _)| cell.built.variant.name).collect();
        row(&mut text, key.0, &variants.join(" "), &group);
    }
    legend(&mut text, cells);
    text
}

fn row(text: &mut String, program: &str, variants: &str, group: &[(&Cell, &Outcome)]) {
    let config = group[0].0.config;
    let count: usize = group.iter().map(|(cell, _)| cell.built.bitcode.len()).sum();
    let skipped: usize = group.iter().map(|(_, outcome)| outcome.skipped).sum();
    let files = if skipped == 0 { count.to_string() } else { format!("{count}, {skipped} left out") };
    let mut statistics = super::stats::Statistics::default();
    group.iter().for_each(|(_, outcome)| statistics.add(&outcome.statistics));
    let seconds: f64 = group.iter().map(|(_, outcome)| outcome.time.as_secs_f64()).sum();
    let failures: usize = group.iter().map(|(_, outcome)| outcome.failures.len()).sum();
    let of_behaviour =
        |number: usize| if config.check == Check::Behaviour { number.to_string() } else { "–".to_owned() };
    let bodies = if statistics.bodies > 0 { statistics.bodies.to_string() } else { "–".to_owned() };
    let through = statistics.share().map_or("–".to_owned(), |share| format!("{share:.2} %"));
    let same = of_behaviour(group.iter().map(|(_, outcome)| outcome.same_code).sum());
    let runs = of_behaviour(group.iter().map(|(_, outcome)| outcome.runs).sum());
    let result = if failures == 0 { "ok".to_owned() } else { format!("**{failures} failed**") };
    let name = config.name;
    writeln!(text, "| {program} | {variants} | {name} | {files} | {bodies} | {through} | {same} | {runs} | {seconds:.1} s | {result} |")
        .expect("a string takes every text");
}

fn legend(text: &mut String, cells: &[Cell]) {
    text.push('\n');
    for config in CONFIGS {
        if cells.iter().any(|cell| cell.config.name == config.name) {
            writeln!(text, "- {}: {}", config.name, config.meaning).expect("a string takes every text");
        }
    }
}

/// Every body that did not go through the graph, each once, with the variants in which it did not.
pub fn untouched(cells: &[Cell], outcomes: &[Outcome]) -> String {
    let mut rows: Vec<([&str; 4], Vec<&str>)> = Vec::new();
    for (cell, outcome) in cells.iter().zip(outcomes) {
        for [file, function, construct] in &outcome.statistics.untouched {
            let key = [cell.built.program.name, file, function, construct];
            let variant = cell.built.variant.name;
            match rows.iter_mut().find(|(other, _)| *other == key) {
                Some((_, variants)) if variants.contains(&variant) => {}
                Some((_, variants)) => variants.push(variant),
                None => rows.push((key, vec![variant])),
            }
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let mut text = "| program | file | function | construct | variants |\n|---|---|---|---|---|\n".to_owned();
    for ([program, file, function, construct], variants) in rows {
        writeln!(text, "| {program} | {file} | `{function}` | {construct} | {} |", variants.join(" "))
            .expect("a string takes every text");
    }
    text
}
