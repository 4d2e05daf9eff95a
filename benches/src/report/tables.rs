//! The report's tables as Markdown.

use std::fmt::Write;

use super::figures::Figure;
use crate::configs::{BASELINE, BASELINE_PASSES, CODE_GENERATOR, CONTROL, FRONT_END};
use crate::results::{Cell, Run};
use crate::statistics::{geometric_mean, mean};

/// The whole page.
pub fn page(run: &Run, figures: &[Figure]) -> String {
    format!("# PolyBench\n\n{}", body(run, figures))
}

/// The page without its title.
pub fn body(run: &Run, figures: &[Figure]) -> String {
    let mut text = how(run);
    for Figure { file, shows, .. } in figures {
        let _ = writeln!(text, "![{shows}]({file})\n");
    }
    text.push_str(&speedups(run));
    text.push_str(&text_sizes(run));
    text.push_str(&optimizer_times(run));
    text.push_str(&super::programs::section(run));
    text.push_str(&failures(run));
    text
}

/// What was measured where and how.
pub fn how(run: &Run) -> String {
    let machine = &run.machine;
    let method = &run.method;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{}, {} cores, {} GiB, {}; {}; revision {}, {}.\n",
        machine.processor, machine.cores, machine.memory, machine.system, machine.llvm, machine.revision, run.date
    );
    let _ = writeln!(
        text,
        "Kernels: {}. Front end: `{}`, then `opt-22 {BASELINE_PASSES}`, which is the baseline `{BASELINE}` and what every\n\
         optimizer starts from; code generator: `{}`. Every kernel's arrays at {} are those of the baseline, digit for digit,\n\
         or it is not timed. {} (each kernel's are in the results). All programs\n\
         of a kernel run in turn, at least {} times, more often (up to {}) while the distance between their quartiles is over 10 % of the\n\
         median; time is the processor's, of the kernel alone. Speed-ups are medians of ratios within a round.\n",
        method.sources,
        FRONT_END.join(" "),
        CODE_GENERATOR.join(" "),
        method.check,
        match &method.dataset {
            Some(name) => format!("Sizes are those of {name}"),
            None => format!("Sizes are chosen so that the baseline takes about {} s", method.target),
        },
        method.rounds.0,
        method.rounds.1,
    );
    text.push_str("| column | command |\n|---|---|\n");
    for column in &run.columns {
        let [front_end, optimizer, code_generator] = &column.commands;
        let mut parts = Vec::new();
        if !front_end.is_empty() {
            parts.push(format!("front end `{front_end}`"));
        }
        parts.push(if optimizer.is_empty() { "nothing".into() } else { format!("`{optimizer}`") });
        if !code_generator.is_empty() {
            parts.push(format!("code generator `{code_generator}`"));
        }
        if let Some(why) = &column.left_out {
            parts.push(format!("left out: {why}"));
        }
        let _ = writeln!(text, "| {} | {} |", column.name, parts.join("; ").replace('|', "\\|"));
    }
    text.push('\n');
    text
}

/// Speed-up over the baseline per kernel (figure B1.9).
pub fn speedups(run: &Run) -> String {
    let names: Vec<&str> = run.names().filter(|name| *name != BASELINE).collect();
    let mut text = String::from(
        "## Speed-up over the baseline\n\n\
         As in figure B1.9 of the thesis. `=`: the same machine code as an earlier column; `*`: the spread stayed over 10 %.\n\
         The column of the baseline against itself shows the error of measurement.\n\n",
    );
    head(&mut text, "kernel | baseline", &names);
    for kernel in &run.kernels {
        let baseline = kernel.measurement(BASELINE).map_or("–".into(), |m| format!("{:.3} s", m.median));
        let _ = write!(text, "| {} | {baseline} |", kernel.name);
        for name in &names {
            let _ = match kernel.cells.get(*name) {
                Some(Cell::Measured(measurement)) => {
                    let same = if measurement.same_code_as.is_some() { "=" } else { "" };
                    let unsteady = if measurement.spread > 0.1 { "*" } else { "" };
                    write!(text, " {same}{:.2}{unsteady} |", measurement.speedup)
                }
                Some(Cell::Failed { .. }) => write!(text, " failed |"),
                None => write!(text, " – |"),
            };
        }
        text.push('\n');
    }
    text.push_str("| **geometric mean** | |");
    for name in &names {
        let _ = write!(text, " **{}** |", number(geometric_mean(run.speedups(name)), 2));
    }
    text.push_str("\n\n");
    text
}

/// Text size per kernel (figure B1.10).
pub fn text_sizes(run: &Run) -> String {
    let names: Vec<&str> = run.names().filter(|name| *name != CONTROL).collect();
    let mut text = String::from(
        "## Text size\n\nBytes of the text sections of each kernel's object file, as in figure B1.10; below, the arithmetic mean, and the\n\
         geometric mean of the ratios to the baseline.\n\n",
    );
    head(&mut text, "kernel", &names);
    let size = |kernel: &crate::results::KernelRow, name: &str| kernel.measurement(name).map(|m| m.text_bytes as f64);
    for kernel in &run.kernels {
        let cells: Vec<String> = names.iter().map(|name| number(size(kernel, name), 0)).collect();
        let _ = writeln!(text, "| {} | {} |", kernel.name, cells.join(" | "));
    }
    let cells: Vec<String> =
        names.iter().map(|name| number(mean(run.kernels.iter().filter_map(|k| size(k, name))), 0)).collect();
    let _ = writeln!(text, "| **mean** | **{}** |", cells.join("** | **"));
    let ratio =
        |name: &str| geometric_mean(run.kernels.iter().filter_map(|k| Some(size(k, name)? / size(k, BASELINE)?)));
    let cells: Vec<String> = names.iter().map(|name| number(ratio(name), 2)).collect();
    let _ = writeln!(text, "| **ratio** | **{}** |\n", cells.join("** | **"));
    text
}

/// Time of the optimizers over all kernels.
pub fn optimizer_times(run: &Run) -> String {
    let mut text = String::from(
        "## Time of the optimizers\n\nProcessor time of the optimizer's process over all kernels, reading and writing included.\n\n\
         | column | sum | longest |\n|---|--:|--:|\n",
    );
    for name in run.names() {
        let times: Vec<f64> =
            run.kernels.iter().filter_map(|kernel| Some(kernel.measurement(name)?.optimizer_seconds)).collect();
        let sum: f64 = times.iter().sum();
        if sum > 0.0 {
            let longest = times.iter().copied().fold(0.0, f64::max);
            let _ = writeln!(text, "| {name} | {sum:.2} s | {longest:.3} s |");
        }
    }
    text.push('\n');
    text
}

/// What failed, and why.
pub fn failures(run: &Run) -> String {
    let mut text = String::new();
    for kernel in &run.kernels {
        for (name, cell) in &kernel.cells {
            if let Cell::Failed { why } = cell {
                let _ = writeln!(text, "| {} | {name} | {} |", kernel.name, why.replace('|', "\\|").replace('\n', " "));
            }
        }
    }
    if text.is_empty() {
        return "Nothing failed: every program computes what the baseline computes.\n".into();
    }
    format!("## Failed\n\n| kernel | column | why |\n|---|---|---|\n{text}")
}

fn head(text: &mut String, first: &str, names: &[&str]) {
    let _ = writeln!(text, "| {first} | {} |", names.join(" | "));
    let columns = first.split('|').count() + names.len();
    let _ = writeln!(text, "|---|{}", "--:|".repeat(columns - 1));
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or("–".into(), |value| format!("{value:.digits$}"))
}
