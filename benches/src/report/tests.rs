//! The report of a small run that was made up.

use std::path::Path;

use serde_json::{Value, json};

use super::docs::{self, Reason, Reasons, differences};
use super::{figures, programs, tables};
use crate::results::{Run, SCHEMA};

fn measured(speedup: f64, text: u64) -> Value {
    let median = 0.5 / speedup;
    json!({"outcome": "measured", "same_code_as": null, "seconds": [median, median], "median": median, "spread": 0.0,
        "speedup": speedup, "text_bytes": text, "optimizer_seconds": 0.125})
}

fn run() -> Run {
    let column = |name: &str, left_out: Option<&str>| json!({"name": name, "family": "other", "commands": ["", format!("do {name} {{in}} | {{out}}"), ""], "left_out": left_out});
    let columns = ["mem2reg", "opt -O3 no vec", "opt -O3", "ours -O3"].map(|name| column(name, None));
    let columns: Vec<Value> = columns.into_iter().chain([column("Polly", Some("is not here"))]).collect();
    let kernel = |name: &str, scalar: f64, vector: f64, ours: Value| {
        json!({"name": name, "dataset": "LARGE", "sizes": {"N": 10}, "load": 0.5, "cells": {
            "mem2reg": measured(1.0, 100), "opt -O3 no vec": measured(scalar, 200), "opt -O3": measured(vector, 300), "ours -O3": ours}})
    };
    let kernels = [
        kernel("a", 2.0, 4.0, measured(1.0, 50)),
        kernel("b", 2.0, 2.0, measured(2.0, 100)),
        kernel("c", 1.0, 3.0, json!({"outcome": "failed", "why": "a | b"})),
        kernel("d", 1.0, 8.0, measured(1.0, 100)),
    ];
    let functions = (1..40).map(|n| json!([n, 2 * n, n, n, 2 * n, 3.0 * f64::from(n), f64::from(n)]));
    let program = json!({"name": "p O2", "functions": functions.collect::<Vec<_>>(), "failures": [["f", "no"]],
        "files": [{"name": "f", "instructions": 780, "nodes": 1560, "nodes_after": 780, "pcfr": 700, "scfr": 800,
            "seconds": [0.25, 0.5, 0.125]}]});
    let run = json!({"schema": SCHEMA, "date": "2026-01-31",
        "machine": {"processor": "P", "target": "t", "cores": 2, "memory": 4, "system": "S", "llvm": "L", "revision": "r"},
        "method": {"quick": false, "sources": "our own sources", "target": 0.3, "rounds": [5, 15], "check": "SMALL"},
        "columns": columns, "kernels": kernels, "programs": [program], "programs_left_out": null});
    serde_json::from_value(run).expect("the run has the form of results")
}

#[test]
fn speedups_and_their_mean() {
    let text = tables::speedups(&run());
    assert!(text.contains("| a | 0.500 s | 2.00 | 4.00 | 1.00 |"), "{text}");
    assert!(text.contains("| c | 0.500 s | 1.00 | 3.00 | failed |"), "{text}");
    assert!(text.contains("| **geometric mean** | | **1.41** | **3.72** | **1.26** |"), "{text}");
}

#[test]
fn sizes_are_compared_with_the_baseline() {
    let text = tables::text_sizes(&run());
    assert!(text.contains("| **mean** | **100** | **200** | **300** | **83** |"), "{text}");
    assert!(text.contains("| **ratio** | **1.00** | **2.00** | **3.00** | **0.79** |"), "{text}");
}

#[test]
fn commands_and_failures_are_told() {
    let text = tables::page(&run(), &[]);
    assert!(text.contains("| opt -O3 | `do opt -O3 {in} \\| {out}` |"), "{text}");
    assert!(text.contains("left out: is not here") && text.contains("| c | ours -O3 | a \\| b |"), "{text}");
}

#[test]
fn each_difference_has_a_reason_or_is_not_known() {
    let reason = Reason { scalar: Some("forwarding".into()), best: Some("vectors".into()) };
    let text = differences(&run(), &Reasons::from([("a".to_owned(), reason)]));
    assert!(text.contains("| a | 1.00 | 2.00 | forwarding | opt -O3 4.00 | vectors |"), "{text}");
    assert!(!text.contains("| b |"), "{text}");
    assert!(text.contains("| c | – |"), "{text}");
    assert!(text.contains("| d | 1.00 | 1.00 |  | opt -O3 8.00 | not known yet |"), "{text}");
}

#[test]
fn programs_have_their_branches_sizes_and_times() {
    let text = programs::section(&run());
    assert!(
        text.contains("| p O2 | 39 | 780 | 780 | 1560 | 0.50 | 700 | 800 | 2.00 | 2.00 | 1.000 | 1.00 |"),
        "{text}"
    );
    assert!(
        text.contains("| p O2 | 780 | 250.0 ms | 500.0 ms | 125.0 ms | 3000 ns | 1.00 | 1000 ns | 1.00 |"),
        "{text}"
    );
    assert!(text.contains("- p O2, f: no"), "{text}");
}

#[test]
fn figures_show_what_was_measured() {
    let run = run();
    let polybench = figures::polybench(&run).expect("figures can be drawn");
    assert_eq!(
        polybench.iter().map(|figure| figure.file.as_str()).collect::<Vec<_>>(),
        ["speedup.svg", "text-size.svg"]
    );
    assert!(polybench[0].svg.contains("8.0"), "a bar that is cut says how high it is");
    assert_eq!(figures::programs(&run).expect("figures can be drawn").len(), 5);
    assert!(figures::programs(&Run { programs: Vec::new(), ..run }).expect("nothing to draw").is_empty());
}

/// `docs/polybench.md`, its figures and what other pages name are what the results beside it give.
#[test]
fn the_page_is_what_the_results_say() {
    let root = crate::process::root();
    let run = Run::read(&root.join("docs/polybench/results.json")).expect("the results are there");
    let reasons = docs::reasons(&root.join("benches/polybench")).expect("the file is right");
    let scratch = tempfile::tempdir().expect("there is room for files");
    docs::write(&run, &reasons, scratch.path()).expect("the page can be written");
    for name in ["polybench.md", "evidence/polybench.json", "polybench/speedup.svg"] {
        let read = |folder: &Path| std::fs::read_to_string(folder.join(name)).expect(name);
        if std::env::var_os("RVSDG_BLESS").is_some() {
            std::fs::write(root.join("docs").join(name), read(scratch.path())).expect(name);
        }
        assert!(
            read(scratch.path()) == read(&root.join("docs")),
            "{name} is of other results: RVSDG_BLESS=1 writes it"
        );
    }
}

/// The reasons in the repository are of the right form, and of kernels that exist.
#[test]
fn reasons_are_of_kernels() {
    let folder = crate::process::root().join("benches/polybench");
    let reasons = docs::reasons(&folder).expect("the file is right");
    let kernels = crate::kernels::read(&folder).expect("the list is right");
    for name in reasons.keys() {
        assert!(kernels.iter().any(|kernel| kernel.name == *name), "{name}");
    }
}
