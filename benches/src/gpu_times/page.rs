//! What is printed: the machine, the smallest kernels by tool and by what they execute in vain, then the kernels of the suites.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Context, Result};

use super::device::Device;
use super::run::{OfSmallest, Outcome, Results};
use super::{Kernel, Plan};
use crate::machine::today;
use crate::median;
use crate::statistics::geometric_mean;

/// By how much a time must differ for a kernel to count as faster or slower.
const NOISE: f64 = 1.05;

/// All tables.
pub fn page(device: &Device, plan: &Plan, smallest: &OfSmallest, outcomes: &[Outcome]) -> Result<String> {
    let mut text = format!(
        "| GPU | CUDA of the driver | date |\n|---|---|---|\n| {} | {} | {} |\n",
        device.name,
        device.version,
        today()
    );
    text += &by_tool(plan, smallest)?;
    text += &by_redundancy(plan, smallest);
    text += &by_suite(plan, outcomes)?;
    text += &each(plan, outcomes);
    Ok(text)
}

fn by_tool(plan: &Plan, smallest: &OfSmallest) -> Result<String> {
    let mut text = String::from(
        "\n| | milliseconds for all | geometric mean against none | least | greatest |\n|---|--:|--:|--:|--:|\n",
    );
    let first = &smallest.times[0];
    for (tool, times) in plan.smallest.tools.iter().zip(&smallest.times) {
        let ratios: Vec<f64> = times.iter().zip(first).map(|(time, none)| time / none).collect();
        let mean = geometric_mean(ratios.iter().copied()).context("there are kernels")?;
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = ratios.iter().copied().fold(0.0, f64::max);
        let all = times.iter().sum::<f64>() / 1000.0;
        _ = writeln!(text, "| {} | {all:.1} | {mean:.3} | {least:.2} | {greatest:.2} |", tool.name);
    }
    Ok(text)
}

/// What our structuring makes of a kernel's time, by how many executions of blocks it saves.
fn by_redundancy(plan: &Plan, smallest: &OfSmallest) -> String {
    let [none, structured, ..] = &smallest.times[..] else { return String::new() };
    let mut groups = BTreeMap::<u64, Vec<f64>>::new();
    for (number, &redundant) in plan.smallest.redundant.iter().enumerate() {
        groups.entry(redundant).or_default().push(structured[number] / none[number]);
    }
    let mut text = format!(
        "\n| redundant executions in the input | kernels | time by {} against none: least | median | greatest |\n|--:|--:|--:|--:|--:|\n",
        plan.smallest.tools[1].name
    );
    for (redundant, mut ratios) in groups {
        ratios.sort_by(f64::total_cmp);
        let (least, greatest) = (ratios[0], ratios[ratios.len() - 1]);
        _ = writeln!(text, "| {redundant} | {} | {least:.2} | {:.2} | {greatest:.2} |", ratios.len(), median(&ratios));
    }
    text
}

fn by_suite(plan: &Plan, outcomes: &[Outcome]) -> Result<String> {
    let mut text = String::from(
        "\n| suite | kernels | timed | same results | against `opt -O3` | faster | slower | against ours without structuring |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let mut suites: Vec<&str> = plan.kernels.iter().map(|kernel| &*kernel.suite).collect();
    suites.dedup();
    suites.push("all");
    for suite in suites {
        let of: Vec<&Outcome> = plan
            .kernels
            .iter()
            .zip(outcomes)
            .filter(|(kernel, _)| suite == "all" || kernel.suite == suite)
            .map(|(_, outcome)| outcome)
            .collect();
        let timed: Vec<([f64; 3], Results)> = of
            .iter()
            .filter_map(|outcome| match outcome {
                Outcome::Timed { times, results, .. } => Some((*times, *results)),
                Outcome::Failed(_) => None,
            })
            .collect();
        let ratios = |other: usize| timed.iter().map(move |(times, _)| times[1] / times[other]);
        let mean = |other: usize| geometric_mean(ratios(other)).context("no kernel was timed");
        _ = writeln!(
            text,
            "| {suite} | {} | {} | {} | {:.3} | {} | {} | {:.3} |",
            of.len(),
            timed.len(),
            timed.iter().filter(|(_, results)| *results == Results::Same).count(),
            mean(0)?,
            ratios(0).filter(|&ratio| ratio < 1.0 / NOISE).count(),
            ratios(0).filter(|&ratio| ratio > NOISE).count(),
            mean(2)?
        );
    }
    Ok(text)
}

fn each(plan: &Plan, outcomes: &[Outcome]) -> String {
    let named = |kernel: &Kernel| format!("| {} | {} ", kernel.path, kernel.name);
    let mut others = String::from("\n| file | kernel | why it is not timed, or not compared |\n|---|---|---|\n");
    let mut text = String::from(
        "\n| file | kernel | size | microseconds: `opt -O3` | ours | ratio | without structuring |\n|---|---|--:|--:|--:|--:|--:|\n",
    );
    for (kernel, outcome) in plan.kernels.iter().zip(outcomes) {
        match outcome {
            Outcome::Timed { size, times: [opt, ours, plain], results } => {
                let ratio = ours / opt;
                _ = writeln!(text, "{}| {size} | {opt:.1} | {ours:.1} | {ratio:.2} | {plain:.1} |", named(kernel));
                let why = match results {
                    Results::Same => continue,
                    Results::Unsteady => "two launches of the same code leave different results",
                    Results::Different => "its results differ",
                };
                _ = writeln!(others, "{}| {why} |", named(kernel));
            }
            Outcome::Failed(why) => _ = writeln!(others, "{}| {} |", named(kernel), why.replace('|', "or")),
        }
    }
    others + &text
}
