//! Functions after each pass that changed them, for inspection: `--emit=json`, and `--emit=html` for people.
//!
//! - [`snapshot`]: a graph and its recovered control flow as data;
//! - [`page`]: the page that shows them, one file that needs nothing else.
//!
//! `docs/graph.schema.json` describes the data.

pub mod page;
pub mod snapshot;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use rvsdg_core::{Body, Module, SourceId};
use rvsdg_llvm::{Host, Location};
use rvsdg_passes::remark::Value;
use rvsdg_passes::{Execution, PassReport};
use schemars::JsonSchema;
use serde::Serialize;

use snapshot::Snapshot;

/// The version of the data's format.
const FORMAT: u32 = 1;

/// How many remarks of one pass are kept for a step.
const MAX_REMARKS: usize = 200;

/// The data of a view.
#[derive(Serialize, JsonSchema)]
pub struct View {
    /// The version of this format: 1.
    format: u32,
    /// The input.
    module: String,
    /// The functions that have a graph, in the order of the module.
    functions: Vec<Function>,
    /// Passes in the order in which they first ran.
    passes: Vec<PassTime>,
    /// Lines of source files that could be read, by file.
    files: BTreeMap<String, Vec<String>>,
    /// Only these functions; all if there are none.
    #[serde(skip)]
    wanted: Vec<String>,
    #[serde(skip)]
    pending: FxHashMap<String, Pending>,
}

/// A function.
#[derive(Serialize, JsonSchema)]
struct Function {
    /// Its name, without `@`.
    name: String,
    /// The first version, and each that differs from the one before.
    steps: Vec<Step>,
    #[serde(skip)]
    last: String,
}

/// A function after a pass.
#[derive(Serialize, JsonSchema)]
struct Step {
    /// The pass; `construction` for the first.
    pass: String,
    /// How many rewrites the pass made.
    rewrites: u64,
    /// The remarks of the pass.
    remarks: Vec<String>,
    #[serde(flatten)]
    snapshot: Snapshot,
}

/// Time spent in a pass, over all functions and threads.
#[derive(Serialize, JsonSchema)]
struct PassTime {
    /// Its name.
    pass: &'static str,
    /// Wall-clock time, summed over threads.
    seconds: f64,
    /// On how many functions or modules it ran.
    executions: u64,
    /// How many of these it changed.
    changed: u64,
}

/// What executions of a pass on a function did since its last step.
#[derive(Default)]
struct Pending {
    rewrites: u64,
    remarks: Vec<String>,
}

impl View {
    /// Nothing yet, of an input; of all functions, or only of those that are named.
    pub fn new(module: &str, wanted: Vec<String>) -> View {
        View {
            format: FORMAT,
            module: module.to_owned(),
            functions: Vec::new(),
            passes: Vec::new(),
            files: BTreeMap::new(),
            wanted,
            pending: FxHashMap::default(),
        }
    }

    /// Notes what an execution of a pass did.
    pub fn executed(&mut self, module: &Module, execution: &Execution<'_>) {
        let Some(symbol) = execution.function else { return };
        let name = &module.symbols[symbol].name;
        if !self.wants(name) {
            return;
        }
        let pending = self.pending.entry(name.to_string()).or_default();
        pending.rewrites += execution.rewrites;
        let room = MAX_REMARKS.saturating_sub(pending.remarks.len());
        pending.remarks.extend(execution.remarks.iter().take(room).map(|remark| {
            let words = remark.arguments.iter().map(|(_, value)| match value {
                Value::Text(text) => text.to_string(),
                Value::Number(number) => number.to_string(),
                Value::Function(symbol) => format!("@{}", module.symbols[*symbol].name),
            });
            format!("{}: {}", remark.name, words.collect::<String>())
        }));
    }

    /// Keeps the functions that changed.
    pub fn observe(&mut self, module: &Module, pass: &str) {
        for lambda in module.lambdas() {
            let body: Body = lambda.body();
            let data = &module.bodies[body];
            let name = &module.symbols[data.symbol].name;
            let Some(graph) = data.graph() else { continue };
            if !self.wants(name) {
                continue;
            }
            let contexts: Vec<String> = module
                .context_symbols(lambda)
                .into_iter()
                .map(|symbol| format!("@{}", module.symbols[symbol].name))
                .collect();
            let now = rvsdg_core::text::print_graph(graph);
            let known = self.functions.iter().position(|function| function.name == **name);
            let function = match known {
                Some(index) if self.functions[index].last == now => continue,
                Some(index) => &mut self.functions[index],
                None => {
                    self.functions.push(Function { name: name.to_string(), steps: Vec::new(), last: String::new() });
                    self.functions.last_mut().expect("it was just added")
                }
            };
            let Pending { rewrites, remarks } = self.pending.remove(&function.name).unwrap_or_default();
            let snapshot = Snapshot::of(graph, &contexts);
            function.steps.push(Step { pass: pass.to_owned(), rewrites, remarks, snapshot });
            function.last = now;
        }
    }

    /// Whether nothing was kept yet.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// How many nodes all steps have together.
    pub fn nodes(&self) -> usize {
        let steps = self.functions.iter().flat_map(|function| &function.steps);
        steps.map(|step| step.snapshot.nodes()).sum()
    }

    /// Looks up source locations of nodes, and how long passes took.
    pub fn finish(&mut self, module: &Module, mut host: Option<&mut Host>, passes: &[PassReport]) {
        self.passes = passes
            .iter()
            .map(|pass| PassTime {
                pass: pass.name,
                seconds: pass.seconds,
                executions: pass.executions,
                changed: pass.changed,
            })
            .collect();
        let mut known: FxHashMap<u32, Option<Location>> = FxHashMap::default();
        for step in self.functions.iter_mut().flat_map(|function| &mut function.steps) {
            step.snapshot.place(|source| {
                let place = known.entry(source).or_insert_with(|| {
                    let original = module.sources.original(SourceId::from_u32(source));
                    host.as_deref_mut()?.location(original)
                });
                let place = place.clone().filter(|place| place.line > 0)?;
                Some((place.file, place.line))
            });
        }
        let files = known.into_values().flatten().map(|place| place.file);
        for file in files.collect::<std::collections::BTreeSet<_>>() {
            // A page without a file's text still has its lines' numbers.
            if let Ok(text) = std::fs::read_to_string(&file) {
                self.files.insert(file, text.lines().map(str::to_owned).collect());
            }
        }
    }

    fn wants(&self, function: &str) -> bool {
        self.wanted.is_empty() || self.wanted.iter().any(|wanted| wanted == function)
    }

    /// Whether any requested function was found.
    pub fn found(&self) -> bool {
        self.wanted.is_empty() || !self.functions.is_empty()
    }

    /// The schema of the data, JSON Schema 2020-12.
    pub fn schema() -> String {
        // Of what is written: what is left out where it is empty need not be there.
        let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
        let schema = settings.into_generator().into_root_schema_for::<View>();
        serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
    }

    /// All of it as JSON.
    ///
    /// # Errors
    /// Never for views of this crate.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}
