//! Kernels on the machine that executes threads in warps, before and after our optimizer, with made-up arguments.
//!
//! Nobody says which arguments a kernel is for. So sizes, threads and contents of memory are tried until the kernel comes to its end
//! without any fault and has written something.

use std::path::Path;

use anyhow::{Context, Result, bail};
use rvsdg_cfg::destruct::Recovery;
use rvsdg_core::Module;
use rvsdg_core::text::parse_module;
use rvsdg_core::verify::Verified;
use rvsdg_interp::observe::{Byte, Contents, Object};
use rvsdg_interp::simt::{Form, Launch, Model, Report, launch};
use rvsdg_interp::{Argument, Buffer, Config, Outcome, Value};

use super::arguments::{Parameter, parameters};
use super::code::Compiler;

/// Threads of a block.
const THREADS: [[u32; 3]; 5] = [[16, 1, 1], [16, 16, 1], [64, 1, 1], [256, 1, 1], [1, 1, 1]];
/// Integers that are passed: sizes.
const SIZES: [u64; 4] = [16, 4, 1, 64];
/// What integers in memory are below.
const BELOW: [u32; 4] = [16, 1, 2, 4];
/// Bytes of memory that a pointer leads to.
const BYTES: usize = 1 << 15;
/// Instructions of all threads together, before our optimizer; after it there may be more, for what was computed beforehand.
const FUEL: u64 = 4_000_000;
/// How often a kernel may come to no end before it is given up.
const ENDLESS: usize = 2;

/// What came of a kernel.
pub enum Simulated {
    /// It does the same before and after.
    Same,
    /// Threads disturb each other whatever is passed, so that it does not do one thing.
    Race(String),
    /// It could not be launched.
    Failed(String),
}

/// What a kernel is launched with.
#[derive(Clone, Copy)]
struct Attempt {
    blocks: u32,
    threads: [u32; 3],
    size: u64,
    /// The last integer that is passed, which often is the number of a step.
    last: u64,
    below: u32,
}

/// Executes the kernels of a file.
pub fn simulated(compiler: &Compiler, input: &Path, ours: &Path, kernels: &[String]) -> Result<Vec<Simulated>> {
    let text = String::from_utf8(std::fs::read(input)?).context("IR is text")?;
    let [before, after] = [input, ours].map(|file| -> Result<Module> {
        parse_module(&compiler.graph(file)?).map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))
    });
    let (before, after) = (before?, after?);
    let [before, after] = [&before, &after]
        .map(|module| module.verify().map_err(|violations| anyhow::anyhow!("{}: {violations}", input.display())));
    let (before, after) = (before?, after?);
    kernels
        .iter()
        .map(|kernel| {
            let parameters = parameters(&text, kernel).with_context(|| format!("no parameters of {kernel}"))?;
            compared(before, after, kernel, &parameters).with_context(|| kernel.clone())
        })
        .collect()
}

fn compared(before: Verified<'_>, after: Verified<'_>, kernel: &str, parameters: &[Parameter]) -> Result<Simulated> {
    let sizes = if parameters.iter().any(|parameter| parameter.is_size()) { &SIZES[..] } else { &SIZES[..1] };
    // Memory of one block that is passed would be that of the next, too.
    let blocks = if parameters.iter().any(|parameter| parameter.is_shared) { &[1][..] } else { &[2, 1] };
    let attempts = blocks.iter().flat_map(|&blocks| {
        THREADS.iter().flat_map(move |&threads| {
            let of = move |&size| {
                let attempt = move |below, last| Attempt { blocks, threads, size, below, last };
                BELOW.iter().flat_map(move |&below| [attempt(below, size), attempt(below, 1)])
            };
            sizes.iter().flat_map(of)
        })
    });
    let (mut race, mut failure, mut endless) = (None, None, 0);
    for attempt in attempts {
        let arguments = arguments(parameters, attempt);
        let first = run(before, kernel, &arguments, attempt, FUEL);
        if matches!(first.outcome, Outcome::OutOfFuel { .. }) {
            endless += 1;
            failure = Some(first.outcome.to_string());
            if endless == ENDLESS {
                break;
            }
        } else if first.outcome != Outcome::Returned(None) {
            failure.get_or_insert_with(|| first.outcome.to_string());
        } else if let Some(fault) = first.faults.first() {
            race.get_or_insert_with(|| fault.to_string());
        } else if writes(&first, &arguments) {
            let second = run(after, kernel, &arguments, attempt, 2 * FUEL);
            if second.outcome != Outcome::Returned(None) {
                bail!("after optimization: {}", second.outcome);
            }
            if let Some(fault) = second.faults.first() {
                bail!("after optimization: {fault}");
            }
            if is_refined(&first, &second) {
                return Ok(Simulated::Same);
            }
            if !(first.chose || second.chose) {
                bail!("it does something else after optimization");
            }
            failure.get_or_insert_with(|| "its results are a choice".to_owned());
        } else {
            failure.get_or_insert_with(|| "it writes nothing".to_owned());
        }
    }
    Ok(match race {
        Some(race) => Simulated::Race(race),
        None => Simulated::Failed(failure.unwrap_or_default()),
    })
}

fn arguments(parameters: &[Parameter], attempt: Attempt) -> Vec<Argument> {
    let last = parameters.iter().rposition(Parameter::is_size);
    let of = |(position, parameter): (usize, &Parameter)| {
        let size = if Some(position) == last { attempt.last } else { attempt.size };
        match parameter.scalar(size) {
            Some((bits, value)) => Argument::Value(Value::from_bits(bits, value.into())),
            None => Argument::Memory(Buffer::new(parameter.contents(position, attempt.below, BYTES), 256)),
        }
    };
    parameters.iter().enumerate().map(of).collect()
}

fn run(module: Verified<'_>, kernel: &str, arguments: &[Argument], attempt: Attempt, fuel: u64) -> Report {
    let launched = Launch {
        kernel,
        blocks: [attempt.blocks, 1, 1],
        threads: attempt.threads,
        arguments,
        shared: BYTES as u64,
        form: Form::ControlFlow(Recovery::Predicative),
        model: Model::Stack,
        uniform: None,
    };
    launch(module, &launched, Config { fuel, ..Config::default() })
}

/// The memory of arguments in the end.
fn of_arguments(report: &Report) -> impl Iterator<Item = (usize, &Contents)> {
    report.memory.iter().filter_map(|contents| match contents.object {
        Object::Argument(index) => Some((index, contents)),
        Object::None | Object::Symbol(_) | Object::Local => None,
    })
}

/// Whether memory that was passed has changed.
fn writes(report: &Report, arguments: &[Argument]) -> bool {
    of_arguments(report).any(|(index, contents)| match &arguments[index] {
        Argument::Memory(buffer) => {
            let pairs = buffer.bytes.iter().zip(&contents.bytes);
            pairs.into_iter().any(|(&before, &after)| after != Byte::Bits(before, 0))
        }
        Argument::Value(_) | Argument::At(_) => false,
    })
}

/// Whether the second run left what the first did, or what may stand where the first left nothing certain.
fn is_refined(first: &Report, second: &Report) -> bool {
    let bytes = |report| of_arguments(report).flat_map(|(_, contents)| &contents.bytes);
    bytes(first).count() == bytes(second).count()
        && bytes(first).zip(bytes(second)).all(|(&first, &second)| match (first, second) {
            (Byte::Poison, _) => true,
            (Byte::Bits(first, free), Byte::Bits(second, undefined)) => {
                (first ^ second) & !free == 0 && undefined & !free == 0
            }
            (first, second) => first == second,
        })
}
