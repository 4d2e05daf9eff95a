//! What `-stats`, `-stats-json` and `-time-passes` print.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Instant;

use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::Cfg;
use rvsdg_core::graph::WalkItem;
use rvsdg_core::module::{Code, SymbolKind};
use rvsdg_core::{Body, Module, NodeKind};
use rvsdg_passes::{PassReport, Report};
use serde::Serialize;

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
    /// Seconds per stage.
    pub time: Times,
}

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
    /// Conditional branches and switches after recovery; 0 when LLVM IR was not what was asked for.
    pub branches_after: u64,
    /// Seconds of restructuring and construction.
    pub construct_seconds: f64,
    /// Seconds of recovery; 0 when LLVM IR was not what was asked for.
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
    /// The size of a control flow graph.
    pub fn of(cfg: &Cfg) -> Self {
        let blocks = || cfg.blocks().filter(|&block| block != cfg.exit());
        // A terminator is one instruction with the predicate that decides it.
        let instructions =
            blocks().map(|block| cfg.insts(block).len() as u64 + cfg.block_params(block).len() as u64 + 1).sum();
        BodySize { instructions, branches: branches(cfg), construct_seconds: 0.0 }
    }
}

/// Conditional branches and switches of a control flow graph.
fn branches(cfg: &Cfg) -> u64 {
    cfg.blocks().filter(|&block| cfg.terminator(block).predicate.is_some()).count() as u64
}

/// Seconds of wall-clock time of each stage of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Times {
    /// Reading and parsing the input.
    pub read: f64,
    /// LLVM IR to control flow graphs.
    pub import: f64,
    /// Control flow graphs to RVSDG.
    pub construct: f64,
    /// The passes.
    pub passes: f64,
    /// RVSDG to control flow graphs.
    pub destruct: f64,
    /// Control flow graphs to LLVM IR.
    pub export: f64,
    /// Verifying the output.
    pub verify: f64,
    /// Printing or encoding the output.
    pub write: f64,
    /// All of it.
    pub total: f64,
}

/// Adds the time since `start` to `seconds`, and starts anew.
pub fn lap(start: &mut Instant, seconds: &mut f64) {
    let now = Instant::now();
    *seconds += (now - std::mem::replace(start, now)).as_secs_f64();
}

impl Statistics {
    /// Counts what is in a module before passes run; `sizes` are those of the bodies that were read from LLVM IR.
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
                Code::Untouched { construct } => {
                    self.untouched.push(Untouched { function, construct: construct.to_string() });
                }
            }
        }
    }

    /// Counts what recovery made of bodies in some seconds each.
    pub fn count_recovered(&mut self, module: &Module, recovered: &[(Body, Cfg, f64)]) {
        if self.graphs.is_empty() {
            return;
        }
        let symbol = |body: Body| &*module.symbols[module.bodies[body].symbol].name;
        let counts: FxHashMap<&str, (u64, f64)> =
            recovered.iter().map(|(body, cfg, seconds)| (symbol(*body), (branches(cfg), *seconds))).collect();
        for graph in &mut self.graphs {
            (graph.branches_after, graph.destruct_seconds) = counts.get(&*graph.function).copied().unwrap_or_default();
        }
    }

    /// Counts what is in a module after the passes, and takes over their report.
    pub fn count_after(&mut self, module: &Module, report: &Report) {
        let nodes = |body: &rvsdg_core::BodyData| body.graph().map_or(0, |graph| graph.node_count());
        self.nodes_after = module.bodies.values().map(nodes).sum::<usize>() as u64;
        self.passes = report.passes().iter().map(|pass| (pass.name, pass.clone())).collect();
    }

    /// A table of the time spent in each pass, summed over all threads.
    pub fn pass_times(&self) -> String {
        let mut table = format!("{:>10}  {:>10}  {:>10}  pass\n", "seconds", "executed", "changed");
        for pass in self.passes.values() {
            let PassReport { name, executions, changed, seconds, .. } = pass;
            table.push_str(&format!("{seconds:>10.4}  {executions:>10}  {changed:>10}  {name}\n"));
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

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Times { read, import, construct, passes, destruct, export, verify, write, total } = *self;
        writeln!(f, "{:>10}  {:>6}  stage", "seconds", "%")?;
        let stages = [
            (read, "read"),
            (import, "import"),
            (construct, "construct"),
            (passes, "passes"),
            (destruct, "destruct"),
            (export, "export"),
            (verify, "verify"),
            (write, "write"),
            (total, "total"),
        ];
        for (seconds, stage) in stages {
            writeln!(f, "{seconds:>10.4}  {:>6.1}  {stage}", 100.0 * seconds / total.max(f64::MIN_POSITIVE))?;
        }
        Ok(())
    }
}
