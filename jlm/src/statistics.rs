//! What `-stats`, `-stats-json` and `-time-passes` print.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::ops::AddAssign;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::Cfg;
use rvsdg_core::graph::WalkItem;
use rvsdg_core::module::{Code, SymbolKind};
use rvsdg_core::{Body, Module, NodeKind};
use rvsdg_llvm::{Construction, Recovered};
use rvsdg_passes::usage::Cost;
use rvsdg_passes::{PassReport, Report, SlowFunction};
use serde::Serialize;

use crate::usage;

/// Counts of one run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Statistics {
    /// The input.
    pub input: String,
    /// Functions, declarations included.
    pub functions: u64,
    /// Function bodies.
    pub bodies: u64,
    /// Bodies that went through the graph.
    pub bodies_through: u64,
    /// The other bodies.
    pub untouched: Vec<Untouched>,
    /// The bodies that went through the graph.
    pub graphs: Vec<GraphSize>,
    /// Instructions of these, as they were read; 0 when the input was no LLVM IR.
    pub instructions: u64,
    /// Nodes of all bodies after construction.
    pub nodes: u64,
    /// Regions of all bodies after construction.
    pub regions: u64,
    /// Of the nodes, conditionals.
    pub gammas: u64,
    /// Of the nodes, loops.
    pub thetas: u64,
    /// Nodes of all bodies after the passes.
    pub nodes_after: u64,
    /// Per pass what it did.
    pub passes: BTreeMap<&'static str, PassReport>,
    /// The functions in which passes spent most time; none without `-time-passes`.
    pub slowest: Vec<SlowFunction>,
    /// Seconds of wall-clock time per stage. Bodies are constructed while others are read: the time that the reading thread spends on
    /// construction counts as construction.
    pub time: Stages<f64>,
    /// Seconds of processor time per stage, of all threads.
    pub cpu_time: Stages<f64>,
    /// The most memory the process ever had until the end of each stage, in KiB.
    pub peak_kib: Stages<u64>,
    /// When stages were executed.
    #[serde(skip)]
    pub laps: Vec<(Stage, Instant, Duration)>,
}

/// How many of the slowest functions are named.
const SLOWEST: usize = 10;

/// A body that did not go through the graph.
#[derive(Clone, Debug, Serialize)]
pub struct Untouched {
    /// The function.
    pub function: String,
    /// What the graph cannot represent.
    pub construct: String,
}

/// How large a body and its graph are.
#[derive(Clone, Debug, Serialize)]
pub struct GraphSize {
    /// The function.
    pub function: String,
    /// Instructions as they were read; 0 when the input was no LLVM IR.
    pub instructions: u64,
    /// Nodes after construction.
    pub nodes: u64,
    /// Regions after construction.
    pub regions: u64,
    /// Conditional branches and switches as they were read.
    pub branches: u64,
    /// Conditional branches and switches after recovery; 0 if the output is not LLVM IR.
    pub branches_after: u64,
    /// Seconds of restructuring and construction.
    pub construct_seconds: f64,
    /// Seconds of recovery; 0 if the output is not LLVM IR.
    pub destruct_seconds: f64,
}

/// How large a body was when it was read.
#[derive(Copy, Clone, Debug, Default)]
pub struct BodySize {
    /// Instructions.
    pub instructions: u64,
    /// Conditional branches and switches among them.
    pub branches: u64,
    /// Seconds of restructuring and construction.
    pub construct_seconds: f64,
}

impl BodySize {
    /// The size of a body that was read.
    pub fn of(built: &Construction) -> Self {
        BodySize {
            instructions: built.instructions as u64,
            branches: built.branches as u64,
            construct_seconds: built.construct.wall.as_secs_f64(),
        }
    }
}

/// Conditional branches and switches of a control flow graph.
fn branches(cfg: &Cfg) -> u64 {
    cfg.blocks().filter(|&block| cfg.terminator(block).predicate.is_some()).count() as u64
}

/// Something of each stage of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stages<T> {
    /// Reading and parsing the input.
    pub read: T,
    /// LLVM IR to control flow graphs.
    pub import: T,
    /// Control flow graphs to RVSDG.
    pub construct: T,
    /// The passes.
    pub passes: T,
    /// LLVM's passes.
    pub llvm: T,
    /// RVSDG to control flow graphs.
    pub destruct: T,
    /// Control flow graphs to LLVM IR.
    pub export: T,
    /// Verification of the output, and recovery directly after construction if requested.
    pub verify: T,
    /// Printing or encoding the output.
    pub write: T,
    /// All of it, including work outside the stages: remarks, counting.
    pub total: T,
}

/// A stage of a run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Stage {
    /// See [`Stages`].
    Read,
    /// See [`Stages`].
    Import,
    /// See [`Stages`].
    Construct,
    /// See [`Stages`].
    Passes,
    /// See [`Stages`].
    Llvm,
    /// See [`Stages`].
    Destruct,
    /// See [`Stages`].
    Export,
    /// See [`Stages`].
    Verify,
    /// See [`Stages`].
    Write,
    /// See [`Stages`].
    Total,
}

impl Stage {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        Stage::ALL.iter().find(|(stage, _)| *stage == self).map_or("", |(_, name)| name)
    }

    const ALL: [(Stage, &str); 10] = [
        (Stage::Read, "read"),
        (Stage::Import, "import"),
        (Stage::Construct, "construct"),
        (Stage::Passes, "passes"),
        (Stage::Llvm, "LLVM's passes"),
        (Stage::Destruct, "destruct"),
        (Stage::Export, "export"),
        (Stage::Verify, "verify"),
        (Stage::Write, "write"),
        (Stage::Total, "total"),
    ];
}

impl<T> Stages<T> {
    /// What is kept for a stage.
    pub fn of(&mut self, stage: Stage) -> &mut T {
        match stage {
            Stage::Read => &mut self.read,
            Stage::Import => &mut self.import,
            Stage::Construct => &mut self.construct,
            Stage::Passes => &mut self.passes,
            Stage::Llvm => &mut self.llvm,
            Stage::Destruct => &mut self.destruct,
            Stage::Export => &mut self.export,
            Stage::Verify => &mut self.verify,
            Stage::Write => &mut self.write,
            Stage::Total => &mut self.total,
        }
    }
}

/// Wall-clock and processor time since some moment.
#[derive(Copy, Clone, Debug)]
pub struct Clock {
    wall: Instant,
    cpu: Duration,
}

impl Clock {
    /// The moment is now.
    pub fn start() -> Clock {
        Clock { wall: Instant::now(), cpu: usage::process().cpu }
    }
}

/// Time that a thread spent on one thing, in seconds.
#[derive(Copy, Clone, Debug, Default)]
pub struct Spent {
    /// On the wall.
    pub wall: f64,
    /// On the processor.
    pub cpu: f64,
}

impl From<Cost> for Spent {
    fn from(cost: Cost) -> Spent {
        Spent { wall: cost.wall.as_secs_f64(), cpu: cost.used.cpu.as_secs_f64() }
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Spent) {
        self.wall += other.wall;
        self.cpu += other.cpu;
    }
}

impl Statistics {
    /// Books the time since a clock's moment on a stage; the moment is now then.
    pub fn lap(&mut self, clock: &mut Clock, stage: Stage) {
        let (now, used) = (Instant::now(), usage::process());
        let cpu = used.cpu.saturating_sub(clock.cpu).as_secs_f64();
        *self.time.of(stage) += (now - clock.wall).as_secs_f64();
        *self.cpu_time.of(stage) += cpu;
        *self.peak_kib.of(stage) = used.peak_kib;
        self.laps.push((stage, clock.wall, now - clock.wall));
        *clock = Clock { wall: now, cpu: used.cpu };
    }

    /// Books what was booked on one stage on another.
    pub fn rebook(&mut self, from: Stage, to: Stage, spent: Spent) {
        for (times, seconds) in [(&mut self.time, spent.wall), (&mut self.cpu_time, spent.cpu)] {
            let seconds = seconds.min(*times.of(from));
            *times.of(from) -= seconds;
            *times.of(to) += seconds;
        }
    }

    /// Counts the contents of a module before passes run; `sizes` are those of the bodies that were read from LLVM IR.
    pub fn count(&mut self, module: &Module, sizes: &FxHashMap<Body, BodySize>) {
        let is_function = |kind: &SymbolKind| matches!(kind, SymbolKind::Function { .. });
        self.functions = module.symbols.values().filter(|symbol| is_function(&symbol.kind)).count() as u64;
        self.bodies = module.bodies.len() as u64;
        for (body, data) in &module.bodies {
            let function = module.symbols[data.symbol].name.to_string();
            match &data.code {
                Code::Graph(graph) => {
                    let BodySize { instructions, branches, construct_seconds } =
                        sizes.get(&body).copied().unwrap_or_default();
                    let nodes = graph.node_count() as u64;
                    let mut size = GraphSize {
                        function,
                        instructions,
                        nodes,
                        regions: 0,
                        branches,
                        branches_after: 0,
                        construct_seconds,
                        destruct_seconds: 0.0,
                    };
                    for item in graph.walk() {
                        match item {
                            WalkItem::Enter(_) => size.regions += 1,
                            WalkItem::Node(node) => {
                                self.gammas += u64::from(graph.kind(node) == NodeKind::Gamma);
                                self.thetas += u64::from(graph.kind(node) == NodeKind::Theta);
                            }
                            WalkItem::Leave(_) => {}
                        }
                    }
                    self.bodies_through += 1;
                    self.instructions += size.instructions;
                    self.nodes += size.nodes;
                    self.regions += size.regions;
                    self.graphs.push(size);
                }
                Code::Cfg => {}
                Code::Untouched { construct } => {
                    self.untouched.push(Untouched { function, construct: construct.to_string() });
                }
            }
        }
    }

    /// Counts what recovery made of bodies.
    pub fn count_recovered(&mut self, module: &Module, recovered: &[Recovered]) {
        if self.graphs.is_empty() {
            return;
        }
        let symbol = |body: Body| &*module.symbols[module.bodies[body].symbol].name;
        let counts: FxHashMap<&str, (u64, f64)> =
            recovered.iter().map(|of| (symbol(of.body), (branches(&of.cfg), of.time.as_secs_f64()))).collect();
        for graph in &mut self.graphs {
            (graph.branches_after, graph.destruct_seconds) = counts.get(&*graph.function).copied().unwrap_or_default();
        }
    }

    /// Counts what is in a module after the passes of a step, and takes over what they did in all steps and in this one.
    pub fn count_after(&mut self, module: &Module, passes: &[PassReport], report: &Report) {
        let nodes = |body: &rvsdg_core::BodyData| body.graph().map_or(0, |graph| graph.node_count());
        self.nodes_after = module.bodies.values().map(nodes).sum::<usize>() as u64;
        self.passes = passes.iter().map(|pass| (pass.name, pass.clone())).collect();
        self.slowest.extend(report.slowest_functions(SLOWEST));
        self.slowest.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        self.slowest.truncate(SLOWEST);
    }

    /// Tables of the time and memory of each stage and pass, and of the functions that took passes longest.
    pub fn times(&self) -> String {
        let mut table = String::new();
        let _ = writeln!(table, "{:>10}  {:>10}  {:>10}  {:>6}  stage", "seconds", "processor", "peak MiB", "%");
        let (mut time, mut cpu, mut peak) = (self.time.clone(), self.cpu_time.clone(), self.peak_kib.clone());
        for (stage, name) in Stage::ALL {
            let (seconds, cpu, peak) = (*time.of(stage), *cpu.of(stage), *peak.of(stage) as f64 / 1024.0);
            let percent = 100.0 * seconds / self.time.total.max(f64::MIN_POSITIVE);
            let _ = writeln!(table, "{seconds:>10.4}  {cpu:>10.4}  {peak:>10.1}  {percent:>6.1}  {name}");
        }
        let columns = ["seconds", "processor", "grown MiB", "executed", "changed"];
        let _ = writeln!(table, "\n{}  pass", columns.map(|column| format!("{column:>10}")).join("  "));
        for PassReport { name, executions, changed, seconds, cpu_seconds, peak_kib, .. } in self.passes.values() {
            let peak = *peak_kib as f64 / 1024.0;
            let _ = writeln!(
                table,
                "{seconds:>10.4}  {cpu_seconds:>10.4}  {peak:>10.1}  {executions:>10}  {changed:>10}  {name}"
            );
        }
        let _ = writeln!(table, "\n{:>10}  {:>10}  {:>27}  slowest function in passes", "seconds", "of that", "pass");
        for SlowFunction { function, seconds, slowest_pass, slowest_pass_seconds } in &self.slowest {
            let _ = writeln!(table, "{seconds:>10.4}  {slowest_pass_seconds:>10.4}  {slowest_pass:>27}  {function}");
        }
        table
    }

    /// The counts as JSON.
    pub fn json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("counts, names and finite times are valid JSON");
        text.push('\n');
        text
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:>10}  functions", self.functions)?;
        writeln!(f, "{:>10}  bodies", self.bodies)?;
        writeln!(f, "{:>10}  bodies through the graph", self.bodies_through)?;
        writeln!(f, "{:>10}  bodies untouched", self.untouched.len())?;
        for untouched in &self.untouched {
            writeln!(f, "{:>10}  untouched: {}: {}", "", untouched.function, untouched.construct)?;
        }
        writeln!(f, "{:>10}  instructions read", self.instructions)?;
        writeln!(f, "{:>10}  nodes", self.nodes)?;
        writeln!(f, "{:>10}  regions", self.regions)?;
        writeln!(f, "{:>10}  gammas", self.gammas)?;
        writeln!(f, "{:>10}  thetas", self.thetas)?;
        writeln!(f, "{:>10}  nodes after passes", self.nodes_after)?;
        for (name, pass) in &self.passes {
            for (counter, amount) in &pass.counters {
                writeln!(f, "{amount:>10}  {name}: {counter}")?;
            }
        }
        Ok(())
    }
}
