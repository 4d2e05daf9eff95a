//! The outcomes as tables.

use serde_json::{Value, json};

use super::configs::{CONFIGS, Check};
use super::run::{Cell, Outcome};

/// A table as pages show it.
pub struct Table {
    columns: &'static [&'static str],
    rows: Vec<Vec<String>>,
}

impl Table {
    /// The form in which `docs/evidence` keeps it.
    pub fn value(&self) -> Value {
        json!({"columns": self.columns, "rows": self.rows})
    }

    /// The table as text, a line per row.
    pub fn text(&self) -> String {
        let head = self.columns.iter().map(|&column| column.to_owned()).collect();
        let lines = [&head].into_iter().chain(&self.rows).map(|row: &Vec<String>| row.join("  ") + "\n");
        lines.collect()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

const HEAD: &[&str] =
    &["program", "variant", "configuration", "files", "bodies", "through", "same code", "runs", "time", "result"];

/// One row per cell.
pub fn detailed(cells: &[Cell], outcomes: &[Outcome]) -> Table {
    let each = cells.iter().zip(outcomes);
    let rows = each.map(|(cell, outcome)| row(cell.built.program.name, cell.built.variant.name, &[(cell, outcome)]));
    Table { columns: HEAD, rows: rows.collect() }
}

/// One row per program and configuration, the variants together.
pub fn summary(cells: &[Cell], outcomes: &[Outcome]) -> Table {
    let mut rows = Vec::new();
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
        rows.push(row(key.0, &variants.join(" "), &group));
    }
    Table { columns: HEAD, rows }
}

fn row(program: &str, variants: &str, group: &[(&Cell, &Outcome)]) -> Vec<String> {
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
    let seconds = format!("{seconds:.1} s");
    let name = config.name.to_owned();
    vec![program.to_owned(), variants.to_owned(), name, files, bodies, through, same, runs, seconds, result]
}

/// What the configurations mean.
pub fn legend(cells: &[Cell]) -> Vec<String> {
    let used = |config: &&super::configs::Config| cells.iter().any(|cell| cell.config.name == config.name);
    CONFIGS.iter().filter(used).map(|config| format!("{}: {}", config.name, config.meaning)).collect()
}

/// Every body that did not go through the graph, each once, with the variants in which it did not.
pub fn untouched(cells: &[Cell], outcomes: &[Outcome]) -> Table {
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
    let shown = |([program, file, function, construct], variants): ([&str; 4], Vec<&str>)| {
        vec![program.into(), file.into(), format!("`{function}`"), construct.into(), variants.join(" ")]
    };
    let columns = &["program", "file", "function", "construct", "variants"];
    Table { columns, rows: rows.into_iter().map(shown).collect() }
}
