//! What is printed: sums over kernels, then classes, then each kernel.

use std::fmt::Write;

use anyhow::{Context, Result};

use super::classes::{Class, Flow, Size};
use super::code::Code;
use super::simulate::Simulated;
use super::{Measured, Pair};
use crate::statistics::geometric_mean;

/// A kernel with its code by each optimizer.
struct Row<'a> {
    name: &'a str,
    opt: Code,
    ours: Code,
}

fn rows(measured: &Measured) -> Vec<Row<'_>> {
    let Ok(Pair { opt, ours }) = &measured.code else { return Vec::new() };
    let kernels = measured.kernels.iter().zip(opt.iter().zip(ours));
    kernels.map(|(name, (&opt, &ours))| Row { name, opt, ours }).collect()
}

/// All tables.
pub fn page(measured: &[Measured]) -> Result<String> {
    let mut text = by_suite(measured)?;
    text += &classes(measured);
    text += &simulated(measured);
    text += "\n| file | kernel | instructions: `opt` | ours | ratio | registers: `opt` | ours | `BRA`: `opt` | ours | `BSSY`: `opt` | ours | bytes spilled: `opt` | ours |\n";
    text += "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    for file in measured {
        for Row { name, opt, ours } in rows(file) {
            let ratio = ours.instructions as f64 / opt.instructions as f64;
            _ = write!(text, "| {} | {name} | {} | {} ", file.source.path, opt.instructions, ours.instructions);
            _ = write!(text, "| {ratio:.2} | {} | {} ", opt.registers, ours.registers);
            _ = write!(text, "| {} | {} | {} | {} ", opt.branches, ours.branches, opt.joins, ours.joins);
            _ = writeln!(text, "| {} | {} |", opt.spilled, ours.spilled);
        }
    }
    let without = measured.iter().filter_map(|file| Some((file, file.code.as_ref().err()?)));
    for (file, why) in without {
        _ = writeln!(text, "\nNo machine code, by either, of {}: {why}", file.source.path);
    }
    Ok(text)
}

fn by_suite(measured: &[Measured]) -> Result<String> {
    let mut text = String::from(
        "| suite | files | kernels | with machine code | instructions | registers | more instructions than `opt`'s | more registers | more bytes spilled |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let mut suites: Vec<&str> = measured.iter().map(|file| file.source.suite).collect();
    suites.dedup();
    suites.push("all");
    for suite in suites {
        let files: Vec<&Measured> =
            measured.iter().filter(|file| suite == "all" || file.source.suite == suite).collect();
        let rows: Vec<Row<'_>> = files.iter().flat_map(|file| rows(file)).collect();
        let kernels: usize = files.iter().map(|file| file.kernels.len()).sum();
        let mean = |of: fn(Code) -> u64| {
            geometric_mean(rows.iter().map(|row| of(row.ours) as f64 / of(row.opt) as f64))
                .context("no kernel has machine code")
        };
        let more = |of: fn(Code) -> u64| rows.iter().filter(|row| of(row.ours) > of(row.opt)).count();
        _ = writeln!(
            text,
            "| {suite} | {} | {kernels} | {} | {:.3} | {:.3} | {} | {} | {} |",
            files.len(),
            rows.len(),
            mean(|code| code.instructions)?,
            mean(|code| code.registers)?,
            more(|code| code.instructions),
            more(|code| code.registers),
            more(|code| code.spilled)
        );
    }
    Ok(text)
}

/// How many kernels there are of each class, and what structuring adds to them.
fn classes(measured: &[Measured]) -> String {
    let mut text = String::from(
        "\n| class | acyclic | cyclic | branches | structured | instructions | structured |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
    );
    let named = [
        ("linear", Class::Linear),
        ("tail-structured", Class::TailStructured),
        ("SESE", Class::Sese),
        ("reducible", Class::Reducible),
        ("irreducible", Class::Irreducible),
    ];
    for (name, class) in named {
        let of: Vec<&Flow> = measured.iter().flat_map(|file| &file.flow).filter(|flow| flow.class == class).collect();
        let with_loops = of.iter().filter(|flow| flow.has_loop).count();
        let sum =
            |what: fn(Size) -> usize| [0, 1].map(|when| of.iter().map(|flow| what(flow.sizes[when])).sum::<usize>());
        let ([branches, after], [instructions, grown]) = (sum(|size| size.branches), sum(|size| size.instructions));
        _ = writeln!(
            text,
            "| {name} | {} | {with_loops} | {branches} | {after} | {instructions} | {grown} |",
            of.len() - with_loops
        );
    }
    text
}

/// What kernels do on a simulated machine.
fn simulated(measured: &[Measured]) -> String {
    let all: Vec<(&str, &str, &Simulated)> = measured
        .iter()
        .flat_map(|file| {
            let kernels = file.kernels.iter().zip(&file.simulated);
            kernels.map(|(kernel, simulated)| (&*file.source.path, &**kernel, simulated))
        })
        .collect();
    let same = all.iter().filter(|(.., simulated)| matches!(simulated, Simulated::Same)).count();
    let races = all.iter().filter(|(.., simulated)| matches!(simulated, Simulated::Race(_))).count();
    let mut text = String::from(
        "\n| kernels | same results before and after | with races | cannot be launched |\n|--:|--:|--:|--:|\n",
    );
    _ = writeln!(text, "| {} | {same} | {races} | {} |", all.len(), all.len() - same - races);
    text += "\n| file | kernel | why its results are not compared |\n|---|---|---|\n";
    for (path, kernel, simulated) in all {
        let (Simulated::Race(why) | Simulated::Failed(why)) = simulated else { continue };
        _ = writeln!(text, "| {path} | {kernel} | {} |", why.replace('|', "or"));
    }
    text
}
