//! What `docs/interpreter.md` says about runs.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::program::Verdict;

/// The corpora: counts, and a table with a row per program and a column per variant.
pub fn corpus(rows: &[(String, Vec<Verdict>)], variants: &[&str]) -> Value {
    let all: Vec<&Verdict> = rows.iter().flat_map(|(_, verdicts)| verdicts).collect();
    let full = rows.iter().filter(|(_, v)| v.iter().all(|verdict| verdict.agrees())).count();
    let columns: Vec<&str> = ["program"].iter().chain(variants).copied().collect();
    let row = |(name, verdicts): &(String, Vec<Verdict>)| -> Vec<String> {
        [name.clone()].into_iter().chain(verdicts.iter().map(Verdict::to_string)).collect()
    };
    let mut result = counts(&all);
    result["programs"] = json!(rows.len());
    result["everywhere"] = json!(full);
    result["table"] = json!({"columns": columns, "rows": rows.iter().map(row).collect::<Vec<_>>()});
    result
}

/// Made-up programs, given with their seeds and ways, in the order of their seeds: counts, a table with a row per way to compile
/// them, and what was left out, with the seeds.
pub fn csmith(programs: &[(u64, usize, Verdict)], ways: &[&str], shape: &str) -> Value {
    let all: Vec<&Verdict> = programs.iter().map(|(_, _, verdict)| verdict).collect();
    let row = |(index, way): (usize, &&str)| {
        let of_way: Vec<&Verdict> = programs.iter().filter(|p| p.1 == index).map(|(_, _, verdict)| verdict).collect();
        let counts = counts(&of_way);
        json!([way, counts["run"], counts["agree"], counts["undefined"], counts["differ"]])
    };
    let mut left_out: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (seed, _, verdict) in programs {
        if let Verdict::NotRun(reason) = verdict {
            left_out.entry(reason).or_default().push(*seed);
        }
    }
    let reasons: Vec<String> =
        left_out.iter().map(|(reason, seeds)| format!("{} where {reason}", seeds.len())).collect();
    let mut result = counts(&all);
    result["shape"] = json!(shape);
    result["first_seed"] = json!(programs.first().map(|program| program.0));
    result["last_seed"] = json!(programs.last().map(|program| program.0));
    result["table"] = json!({
        "columns": ["compiled with", "programs", "agree", "undefined", "differ"],
        "rows": ways.iter().enumerate().map(row).collect::<Vec<_>>(),
    });
    result["left_out"] = json!(reasons);
    result["seeds_left_out"] = json!(left_out);
    result
}

fn counts(verdicts: &[&Verdict]) -> Value {
    let count = |holds: fn(&Verdict) -> bool| verdicts.iter().filter(|verdict| holds(verdict)).count();
    let run = count(Verdict::was_run);
    json!({
        "all": verdicts.len(), "run": run, "not_run": verdicts.len() - run, "agree": count(Verdict::agrees),
        "undefined": count(Verdict::is_undefined), "differ": count(Verdict::differs),
    })
}
