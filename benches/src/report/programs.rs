//! The report's tables about whole programs.

use std::fmt::Write;

use crate::programs::{FileRow, FunctionRow, LEVEL, Program};
use crate::results::Run;
use crate::statistics::{Line, fit};

/// Functions smaller than this say more about the clock than about the algorithms.
const SMALLEST: u64 = 20;

/// The section about whole programs; empty when none was measured.
pub fn section(run: &Run) -> String {
    let mut text = String::new();
    if let Some(why) = &run.programs_left_out {
        let _ = writeln!(text, "The corpora were left out: {}.\n", why.replace('\n', " "));
    }
    if run.programs.is_empty() {
        return text;
    }
    text.push_str(&shapes(&run.programs));
    text.push_str(&times(&run.programs));
    let failures: Vec<(&Program, &(String, String))> = run
        .programs
        .iter()
        .flat_map(|program| program.failures.iter().map(move |failure| (program, failure)))
        .collect();
    if !failures.is_empty() {
        text.push_str("Files that failed:\n\n");
        for (program, (file, why)) in failures {
            let _ = writeln!(text, "- {}, {file}: {}", program.name, why.replace('\n', " "));
        }
        text.push('\n');
    }
    text
}

/// Branches and sizes.
fn shapes(programs: &[Program]) -> String {
    let mut text = format!(
        "## Branches, and the size of the representation\n\n\
         Functions straight after construction: conditional branches and switches as they were read, after predicative (PCFR) and after\n\
         structured recovery (SCFR), as in figure B2.7; the same after `{LEVEL}`; RVSDG nodes per LLVM instruction with the slope of the\n\
         least-squares line over all functions (figures B1.11a and B2.8), and nodes that `{LEVEL}` leaves per instruction.\n\n\
         | program | functions | branches | PCFR | SCFR | PCFR / SCFR | {LEVEL} PCFR | {LEVEL} SCFR | nodes / instruction | slope | R² | nodes after {LEVEL} |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    for program in programs {
        let sum = |field: fn(&FunctionRow) -> u64| program.functions.iter().map(field).sum::<u64>();
        let files = |field: fn(&FileRow) -> u64| program.files.iter().map(field).sum::<u64>();
        let (pcfr, scfr) = (sum(|body| body.pcfr), sum(|body| body.scfr));
        let instructions = sum(|body| body.instructions) as f64;
        let points: Vec<(f64, f64)> =
            program.functions.iter().map(|body| (body.instructions as f64, body.nodes as f64)).collect();
        let Line { slope, r2 } = fit(&points);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {pcfr} | {scfr} | {:.2} | {} | {} | {:.2} | {slope:.2} | {r2:.3} | {:.2} |",
            program.name,
            program.functions.len(),
            sum(|body| body.branches),
            pcfr as f64 / scfr as f64,
            files(|file| file.pcfr),
            files(|file| file.scfr),
            sum(|body| body.nodes) as f64 / instructions,
            files(|file| file.nodes_after) as f64 / instructions,
        );
    }
    text.push('\n');
    text
}

/// Times.
fn times(programs: &[Program]) -> String {
    let mut text = format!(
        "## Time of construction, passes and destruction\n\n\
         On one thread, as in figures B1.11b, B2.9 and B2.10. The exponents are slopes of least-squares lines through the logarithms of time\n\
         over instructions, of functions with at least {SMALLEST} instructions: 1 is linear growth.\n\n\
         | program | instructions | construction | {LEVEL} | destruction (PCFR) | construction per instruction | exponent | destruction per instruction | exponent |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    for program in programs {
        let instructions: u64 = program.functions.iter().map(|body| body.instructions).sum();
        let stage = |stage: usize| program.files.iter().map(|file| file.seconds[stage]).sum::<f64>() * 1e3;
        let rates = [construction as fn(&FunctionRow) -> f64, destruction].map(|seconds| {
            let sum: f64 = program.functions.iter().map(seconds).sum();
            let large = program.functions.iter().filter(|body| body.instructions >= SMALLEST && seconds(body) > 0.0);
            let points: Vec<(f64, f64)> =
                large.map(|body| ((body.instructions as f64).ln(), seconds(body).ln())).collect();
            format!("{:.0} ns | {:.2}", 1e9 * sum / instructions as f64, fit(&points).slope)
        });
        let _ = writeln!(
            text,
            "| {} | {instructions} | {:.1} ms | {:.1} ms | {:.1} ms | {} |",
            program.name,
            stage(0),
            stage(1),
            stage(2),
            rates.join(" | "),
        );
    }
    text.push('\n');
    text
}

fn construction(body: &FunctionRow) -> f64 {
    body.construction
}

fn destruction(body: &FunctionRow) -> f64 {
    body.destruction
}
