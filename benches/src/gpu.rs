//! Structured kernels (thesis C1.5.3): what it costs that threads part, by control flow and by who structures it.
//!
//! Every kernel goes through each tool as LLVM IR, and what comes out is executed by
//! [the machine that executes threads in warps](rvsdg_interp::simt). All of them must write the same.

mod mlir;
pub(crate) mod tools;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::Parser;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::shape::Shape;
use rvsdg_core::Module;
use rvsdg_core::text::parse_module;
use rvsdg_core::verify::Verified;
use rvsdg_gen::unstructured::{Decides, KERNELS, kernel, smallest};
use rvsdg_interp::observe::Contents;
use rvsdg_interp::simt::{Counts, Form, LANES, Launch, Model, Order, launch};
use rvsdg_interp::{Argument, Buffer, Config, Outcome};

use crate::process;
use tools::{Blocks, Tool, conditional_branches, tools};

/// Measures how tools structure kernels.
#[derive(Clone, Debug, Parser)]
#[command(name = "cargo bench --bench gpu --")]
pub struct Options {
    /// Our optimizer, instead of one that is built now
    #[arg(long, value_name = "FILE")]
    pub jlm_opt: Option<PathBuf>,

    /// Where files go
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,

    /// What cargo passes to benchmarks
    #[arg(long, hide = true)]
    pub bench: bool,
}

/// The largest shapes: so many blocks.
pub(crate) const BLOCKS: usize = 7;
/// A structurizer whose result has intrinsics of its target.
const SPIRV: &str = "`llc`, structurizer for SPIR-V";
const MODELS: [Model; 2] = [Model::Stack, Model::Independent(Order::Any(1))];

/// What came of a kernel under each model.
struct Kernel {
    counts: [Counts; MODELS.len()],
    memory: Vec<Contents>,
}

/// What came of all kernels of a tool.
struct Row {
    name: &'static str,
    /// Conditional branches and switches in the control flow, and in what LLVM's code generator makes of it.
    branches: usize,
    in_ptx: usize,
    kernels: BTreeMap<String, Kernel>,
}

/// Makes the kernels, lets the tools structure them, and executes the results: tables.
///
/// # Errors
/// A tool that must be there is not, fails, or changes what a kernel does.
pub fn measure(options: &Options) -> Result<String> {
    let jlm_opt = process::jlm_opt(options.jlm_opt.as_deref())?;
    let folder = match &options.output {
        Some(folder) => std::path::absolute(folder)?,
        None => process::target_folder().join("gpu"),
    };
    std::fs::create_dir_all(&folder)?;
    let shapes: Vec<Shape> = (4..=BLOCKS).flat_map(smallest).collect();
    let names: Vec<String> = (0..shapes.len()).map(|number| format!("k{number}")).collect();
    let kernels = module(&names, &shapes);
    let input = folder.join("input.ll");
    process::write(&input, kernels.as_bytes())?;
    let (mut rows, mut absent) = (Vec::<Row>::new(), Vec::new());
    for tool in tools(&jlm_opt, &folder, &input) {
        eprintln!("{}", tool.name);
        match tool.run(&names, &shapes, Blocks::Once)? {
            Some(()) => {
                let row = row(&tool, &jlm_opt, &names)?;
                for (name, kernel) in rows.first().into_iter().flat_map(|first| &first.kernels) {
                    let is_same = kernel.memory == row.kernels[name].memory;
                    ensure!(is_same, "{}: {name} does something else than it did", tool.name);
                }
                rows.push(row);
            }
            None => absent.push(tool.name),
        }
    }
    let spirv = tools::spirv(&kernels, &folder)?;
    if spirv.is_none() {
        absent.push(SPIRV);
    }
    Ok(page(&rows, spirv, &absent, shapes.len()))
}

/// Kernels of these shapes.
fn module(names: &[String], shapes: &[Shape]) -> String {
    let kernels = names.iter().zip(shapes).map(|(name, shape)| kernel(name, shape, Decides::Thread));
    std::iter::once(KERNELS.to_owned()).chain(kernels).collect()
}

/// How often a warp executes a block once more than it must, by kernel, where nothing structures.
///
/// # Errors
/// Our optimizer, which reads the kernels, fails.
pub(crate) fn redundant(jlm_opt: &Path, folder: &Path, names: &[String], shapes: &[Shape]) -> Result<Vec<u64>> {
    let input = folder.join("counted.ll");
    process::write(&input, module(names, shapes).as_bytes())?;
    let tools = tools(jlm_opt, folder, &input);
    let (_, kernels) = executed(&tools[0], jlm_opt, names)?;
    Ok(names.iter().map(|name| kernels[name].counts[0].redundant).collect())
}

/// The module that a tool makes, and what its kernels do.
fn executed(tool: &Tool, jlm_opt: &Path, names: &[String]) -> Result<(Module, BTreeMap<String, Kernel>)> {
    let module = parse_module(&tool.graph(jlm_opt)?).map_err(|error| anyhow::anyhow!("{}: {error}", tool.name))?;
    let verified = module.verify().map_err(|violations| anyhow::anyhow!("{}: {violations}", tool.name))?;
    let kernels: Result<_> = names.iter().map(|name| Ok((name.clone(), execute(verified, name)?))).collect();
    let kernels = kernels?;
    Ok((module, kernels))
}

fn row(tool: &Tool, jlm_opt: &Path, names: &[String]) -> Result<Row> {
    let (module, kernels) = executed(tool, jlm_opt, names)?;
    let in_ptx = conditional_branches(&tool.assembly()?);
    Ok(Row { name: tool.name, branches: branches(&module), in_ptx, kernels })
}

fn branches(module: &Module) -> usize {
    let of = |lambda: rvsdg_core::structural::Lambda| {
        let graph = module.bodies[lambda.body()].graph()?;
        let cfg = destruct(graph, lambda.context(&module.omega).len(), Recovery::Predicative);
        Some(cfg.blocks().filter(|&block| cfg.terminator(block).predicate.is_some()).count())
    };
    module.lambdas().into_iter().filter_map(of).sum()
}

fn execute(module: Verified<'_>, name: &str) -> Result<Kernel> {
    let mut memory = Vec::new();
    let mut counts = [Counts::default(); MODELS.len()];
    for (counts, model) in counts.iter_mut().zip(MODELS) {
        let arguments = [Argument::Memory(Buffer::new(vec![0; 4 * LANES as usize], 32))];
        let launched = Launch {
            kernel: name,
            blocks: [1; 3],
            threads: [LANES, 1, 1],
            arguments: &arguments,
            shared: 0,
            form: Form::ControlFlow(Recovery::Predicative),
            model,
            uniform: None,
        };
        let report = launch(module, &launched, Config { fuel: 1 << 20, ..Config::default() });
        ensure!(report.outcome == Outcome::Returned(None), "{name}: {}", report.outcome);
        ensure!(report.faults.is_empty(), "{name}: {}", report.faults[0]);
        ensure!(memory.is_empty() || memory == report.memory, "{name} does something else under {model:?}");
        (*counts, memory) = (report.counts, report.memory);
    }
    Ok(Kernel { counts, memory })
}

fn page(rows: &[Row], spirv: Option<usize>, absent: &[&str], count: usize) -> String {
    let mut text = format!(
        "{count} kernels, each by one warp of {LANES} threads. Redundant executions of blocks, instructions and moves \
        (what is assigned where ways join) are sums over the kernels.\n\n"
    );
    text += "| | branches | in PTX | redundant | with independent threads | instructions | moves | instructions and moves | of the input's |\n";
    text += "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    let sum = |row: &Row, model: usize, what: fn(&Counts) -> u64| -> u64 {
        row.kernels.values().map(|kernel| what(&kernel.counts[model])).sum()
    };
    let all = |row: &Row| sum(row, 0, |counts| counts.instructions + counts.moves);
    for row in rows {
        _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {:.3} |",
            row.name,
            row.branches,
            row.in_ptx,
            sum(row, 0, |counts| counts.redundant),
            sum(row, 1, |counts| counts.redundant),
            sum(row, 0, |counts| counts.instructions),
            sum(row, 0, |counts| counts.moves),
            all(row),
            all(row) as f64 / rows.first().map_or(1, all) as f64
        );
    }
    if let Some(branches) = spirv {
        // The machine does not execute what it makes.
        _ = writeln!(text, "| {SPIRV} | {branches} |{}", " – |".repeat(7));
    }
    absent.iter().for_each(|name| _ = writeln!(text, "\nNot run, because its programs are not here: {name}."));
    if let [input, ours, ..] = rows {
        text += &by_redundancy(input, ours);
    }
    text
}

/// How many instructions structuring adds, by how many executions of blocks it saves (thesis, figure C1.6).
fn by_redundancy(input: &Row, ours: &Row) -> String {
    let mut groups = BTreeMap::<u64, Vec<i64>>::new();
    for (name, kernel) in &input.kernels {
        let cost = |counts: &Counts| (counts.instructions + counts.moves) as i64;
        let added = cost(&ours.kernels[name].counts[0]) - cost(&kernel.counts[0]);
        groups.entry(kernel.counts[0].redundant).or_default().push(added);
    }
    let mut text = String::from(
        "\n| redundant executions in the input | kernels | added instructions and moves: least | median | greatest |\n|--:|--:|--:|--:|--:|\n",
    );
    for (redundant, mut added) in groups {
        added.sort_unstable();
        let (least, most) = (added[0], added[added.len() - 1]);
        _ = writeln!(text, "| {redundant} | {} | {least} | {} | {most} |", added.len(), added[added.len() / 2]);
    }
    text
}
