//! Launches kernels and takes times.
//!
//! A kernel with made-up arguments can fail, which ends everything that a process can do on the GPU, or never come to an end. So the
//! kernels of the suites are launched by a process of their own, which is started again after one that fails.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::device::{Address, Device, Function, Launch};
use super::{Kernel, PLAN, Plan, Smallest, TABLES, cascades, page};
use crate::{median, process};

/// How often every code of a kernel is timed.
const ROUNDS: usize = 10;
/// How long one kernel of the suites may take with all its launches.
const LIMIT: Duration = Duration::from_secs(30);

/// Threads of the smallest kernels.
const SMALLEST: Launch<'static> =
    Launch { blocks: [1 << 14, 1, 1], threads: [256, 1, 1], shared: 2 << 10, arguments: &[] };
/// Where memory that a block shares begins: the driver keeps what lies before it.
const SHARED: u64 = 1 << 10;
/// Bytes of shared memory for each parameter that leads to some.
const SHARED_BYTES: u32 = 8 << 10;

/// Bytes of numbers that a pointer leads to, and of memory around them for kernels that go beyond.
const BYTES: usize = 128 << 20;
const AROUND: usize = 32 << 20;
/// Bytes of numbers that differ; then they begin again.
const PERIOD: usize = 13 << 16;
/// Bytes that are compared.
const COMPARED: usize = 4 << 20;
/// What integers in memory are below.
const BELOW: u32 = 16;

/// The size with which results are compared; larger ones are tried until a launch takes long enough.
const SIZE: u64 = 64;
const ENOUGH: f64 = 500.0;
/// The largest sizes of kernels whose threads have one number, and two.
const LARGEST: [u64; 2] = [4096, 512];

/// What the smallest kernels took: microseconds by tool and kernel.
pub struct OfSmallest {
    pub times: Vec<Vec<f64>>,
}

/// What came of a kernel of a suite.
#[derive(Clone, Serialize, Deserialize)]
pub enum Outcome {
    /// Microseconds, in the order of its code, with integers of this size, and whether all code does the same.
    Timed { size: u64, times: [f64; 3], results: Results },
    /// Why there are no times.
    Failed(String),
}

/// What the codes of a kernel leave in memory.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Results {
    Same,
    /// Already two launches of the first code do not leave the same.
    Unsteady,
    Different,
}

/// Runs a plan: tables, which are also left in the folder. With a number, kernels from that one on, until one fails.
pub fn run(folder: &Path, from: Option<usize>) -> Result<String> {
    let file = folder.join(PLAN);
    let text = std::fs::read(&file).with_context(|| format!("there is no {}", file.display()))?;
    let plan: Plan = serde_json::from_slice(&text).with_context(|| file.display().to_string())?;
    let Some(device) = Device::open()? else { return Ok("No GPU driver here: nothing was timed.\n".to_owned()) };
    if let Some(from) = from {
        return some(&device, folder, &plan.kernels[from.min(plan.kernels.len())..]).map(|()| String::new());
    }
    let smallest = smallest(&device, folder, &plan.smallest)?;
    let cascades = cascades::timed(&device)?;
    let tables = page::page(&device, &plan, &smallest, &all(folder, &plan.kernels)?)? + &cascades;
    process::write(&folder.join(TABLES), tables.as_bytes())?;
    Ok(tables)
}

fn smallest(device: &Device, folder: &Path, plan: &Smallest) -> Result<OfSmallest> {
    let mut functions: Vec<Vec<Function>> = Vec::new();
    for tool in &plan.tools {
        let module = device.load(&read(folder, &tool.file)?)?;
        functions.push(plan.kernels.iter().map(|name| device.function(&module, name)).collect::<Result<_>>()?);
    }
    let bytes = 4 * SMALLEST.threads[0] as usize;
    let out = device.memory(bytes)?;
    let launch = Launch { arguments: &[out, SHARED], ..SMALLEST };
    let mut times = vec![Vec::new(); functions.len()];
    for (number, kernel) in plan.kernels.iter().enumerate() {
        let mut rounds = vec![Vec::new(); functions.len()];
        let mut first = None;
        for round in 0..=ROUNDS {
            for (tool, functions) in functions.iter().enumerate() {
                device.fill(out, &[0], bytes)?;
                let time = device.time(functions[number], &launch).with_context(|| kernel.clone())?;
                if round > 0 {
                    rounds[tool].push(time);
                    continue;
                }
                let found = device.read(out, bytes)?;
                let name = &plan.tools[tool].name;
                ensure!(*first.get_or_insert_with(|| found.clone()) == found, "{kernel} does something else by {name}");
            }
        }
        times.iter_mut().zip(&rounds).for_each(|(times, rounds)| times.push(median(rounds)));
    }
    Ok(OfSmallest { times })
}

/// What comes of all kernels, by processes of their own.
fn all(folder: &Path, kernels: &[Kernel]) -> Result<Vec<Outcome>> {
    let mut outcomes = Vec::new();
    while outcomes.len() < kernels.len() {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--run").arg(folder).arg("--from").arg(outcomes.len().to_string());
        let mut worker = command.stdout(Stdio::piped()).spawn().context("cannot start a process")?;
        let lines = lines(worker.stdout.take().context("it prints")?);
        while outcomes.len() < kernels.len() {
            let outcome = match lines.recv_timeout(LIMIT) {
                Ok(line) => serde_json::from_str(&line).with_context(|| line)?,
                Err(RecvTimeoutError::Timeout) => Outcome::Failed("it does not come to an end".to_owned()),
                Err(RecvTimeoutError::Disconnected) => Outcome::Failed("the process ends".to_owned()),
            };
            let is_failed = matches!(outcome, Outcome::Failed(_));
            eprintln!("{} {}", kernels[outcomes.len()].name, if is_failed { "fails" } else { "is timed" });
            outcomes.push(outcome);
            if is_failed {
                break;
            }
        }
        _ = worker.kill();
        worker.wait().context("a process does not end")?;
    }
    Ok(outcomes)
}

/// The lines that a process prints, as they come.
fn lines(output: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

/// Prints what comes of kernels, a line each, until one fails.
fn some(device: &Device, folder: &Path, kernels: &[Kernel]) -> Result<()> {
    let most = kernels.iter().map(|kernel| kernel.parameters.len()).max().unwrap_or(0);
    let arena = Arena { memory: device.memory(most * (BYTES + 2 * AROUND))?, numbers: device.memory(most * BYTES)? };
    for kernel in kernels {
        let outcome =
            timed(device, folder, kernel, &arena).unwrap_or_else(|error| Outcome::Failed(format!("{error:#}")));
        let mut output = std::io::stdout().lock();
        writeln!(output, "{}", serde_json::to_string(&outcome)?)?;
        output.flush()?;
        if matches!(outcome, Outcome::Failed(_)) {
            break;
        }
    }
    Ok(())
}

/// Memory for the arguments of a kernel, and the numbers that are in it at first.
struct Arena {
    memory: Address,
    numbers: Address,
}

impl Arena {
    fn numbers(&self, position: usize) -> Address {
        self.numbers + (position * BYTES) as Address
    }

    fn argument(&self, position: usize) -> Address {
        self.memory + (position * (BYTES + 2 * AROUND) + AROUND) as Address
    }
}

/// Which integers are passed as the size; the others are 1, since many of them are the number of a step.
const ONES: [Ones; 3] = [Ones::None, Ones::Last, Ones::First];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ones {
    None,
    Last,
    First,
}

/// A kernel with its code loaded.
struct Loaded<'a> {
    device: &'a Device,
    kernel: &'a Kernel,
    arena: &'a Arena,
    code: Vec<Function>,
}

fn timed(device: &Device, folder: &Path, kernel: &Kernel, arena: &Arena) -> Result<Outcome> {
    if let Some(other) = kernel.parameters.iter().find(|of| of.scalar(0).is_none() && !of.is_pointer()) {
        bail!("it takes a value of type {}", other.ty);
    }
    let load = |file: &String| device.function(&device.load(&read(folder, file)?)?, &kernel.name);
    let code: Result<Vec<Function>> = kernel.code.iter().map(load).collect();
    let loaded = Loaded { device, kernel, arena, code: code? };
    for (position, parameter) in kernel.parameters.iter().enumerate().filter(|(_, of)| of.is_pointer()) {
        device.fill(arena.numbers(position), &parameter.contents(position, BELOW, PERIOD), BYTES)?;
    }
    let at_first = loaded.found(Arena::numbers)?;
    for ones in ONES {
        let mut results = Vec::new();
        for &code in loaded.code.iter().chain(&loaded.code[..1]) {
            loaded.launch(code, SIZE, ones)?;
            results.push(loaded.found(Arena::argument)?);
        }
        if results[0] == at_first {
            continue;
        }
        let mut size = SIZE;
        let largest = LARGEST[usize::from(kernel.threads[1] > 1)];
        while loaded.launch(loaded.code[0], size, ones)? < ENOUGH && size < largest {
            size = (4 * size).min(largest);
        }
        let mut times = vec![Vec::new(); loaded.code.len()];
        for _ in 0..ROUNDS {
            for (times, &code) in times.iter_mut().zip(&loaded.code) {
                times.push(loaded.launch(code, size, ones)?);
            }
        }
        let is_first = |result: &Vec<Vec<u8>>| *result == results[0];
        let results = match (results.last().is_some_and(is_first), results.iter().all(is_first)) {
            (false, _) => Results::Unsteady,
            (true, false) => Results::Different,
            (true, true) => Results::Same,
        };
        let times = times.iter().map(|times| median(times)).collect::<Vec<f64>>();
        return Ok(Outcome::Timed { size, times: times.try_into().map_err(|_| anyhow::anyhow!("three"))?, results });
    }
    bail!("it writes nothing")
}

impl Loaded<'_> {
    /// Puts the first numbers into the memory of all arguments, and launches code: microseconds.
    fn launch(&self, code: Function, size: u64, ones: Ones) -> Result<f64> {
        let &Loaded { device, kernel, arena, .. } = self;
        let sizes: Vec<usize> = (0..kernel.parameters.len()).filter(|&at| kernel.parameters[at].is_size()).collect();
        let one = match ones {
            Ones::None => None,
            Ones::Last => sizes.last(),
            Ones::First => sizes.first(),
        };
        let own = device.shared(code)?;
        let mut shared = 0;
        let mut arguments = Vec::new();
        for (position, parameter) in kernel.parameters.iter().enumerate() {
            let value = if one == Some(&position) { 1 } else { size };
            arguments.push(match parameter.scalar(value) {
                Some((_, bits)) => bits,
                None if parameter.is_shared => {
                    shared += SHARED_BYTES;
                    SHARED + u64::from(own.next_multiple_of(256) + shared - SHARED_BYTES)
                }
                None => {
                    device.copy(arena.argument(position), arena.numbers(position), BYTES)?;
                    arena.argument(position)
                }
            });
        }
        let blocks = |threads: u32| (size as u32).div_ceil(threads).max(1);
        let [across, down, _] = kernel.threads;
        let launch = Launch {
            blocks: [blocks(across), if down > 1 { blocks(down) } else { 1 }, 1],
            threads: kernel.threads,
            shared: if shared > 0 { shared + 1024 } else { 0 },
            arguments: &arguments,
        };
        device.time(code, &launch)
    }

    /// The beginning of the memory of each argument, or of its first numbers.
    fn found(&self, place: fn(&Arena, usize) -> Address) -> Result<Vec<Vec<u8>>> {
        let pointers = self.kernel.parameters.iter().enumerate().filter(|(_, of)| of.is_pointer() && !of.is_shared);
        pointers.map(|(position, _)| self.device.read(place(self.arena, position), COMPARED)).collect()
    }
}

fn read(folder: &Path, file: &str) -> Result<String> {
    let file = folder.join(file);
    std::fs::read_to_string(&file).with_context(|| format!("there is no {}", file.display()))
}
