//! Whether a transformation keeps what programs do: runs of a module on the interpreter, before and after.
//!
//! Every externally visible function with a body is run on a few arguments. Calls of declared functions, operations of dialects and
//! volatile accesses are recorded, and so are memory and results; one run must refine the other, as defined by [`rvsdg_interp::check`].

mod arguments;

use rvsdg_core::module::{Code, SymbolKind};
use rvsdg_core::structural::Lambda;
use rvsdg_core::{Graph, Module, SymbolData, Type, TypeKind};
use rvsdg_interp::observe::Event;
use rvsdg_interp::{Argument, Config, Observed, Outcome, Unknown, Verdict, limits, observe, refines};

use arguments::Arguments;

/// How thoroughly functions are run.
#[derive(Copy, Clone, Debug)]
pub struct Effort {
    /// How often each function is run; one that addresses are passed to twice as often.
    pub runs: u64,
    /// Instructions of a run.
    pub fuel: u64,
    /// Bytes that can be accessed from an address on that is passed to a function.
    pub bytes: u64,
}

impl Effort {
    /// For many generated modules.
    pub const QUICK: Effort = Effort { runs: 3, fuel: 20_000, bytes: 64 };
    /// For modules written by hand.
    pub const THOROUGH: Effort = Effort { runs: 24, fuel: 20_000, bytes: 8_192 };
}

/// What the functions of a module were seen to do.
#[derive(Clone, Debug)]
pub struct Runs {
    runs: Vec<Run>,
    effort: Effort,
    /// Functions and variables that others may see, and may not do without.
    exported: Vec<Box<str>>,
}

/// A run of a function.
#[derive(Clone, Debug)]
pub struct Run {
    /// The function.
    pub function: Box<str>,
    /// What it was given, and memory that leads to.
    pub arguments: Vec<Argument>,
    /// What it did.
    pub observed: Observed,
}

/// The number of runs by verdict.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The transformed program did what the original does.
    pub same: u64,
    /// The original is undefined.
    pub vacuous: u64,
    /// One of the two did not end, or needs something that the interpreter does not support.
    pub unknown: u64,
}

impl Tally {
    /// Adds another's counts.
    pub fn add(&mut self, other: Tally) {
        self.same += other.same;
        self.vacuous += other.vacuous;
        self.unknown += other.unknown;
    }
}

fn config(effort: Effort) -> Config {
    Config { fuel: effort.fuel, memory: 1 << 22, depth: 200, unknown: Unknown::Record, ..Config::default() }
}

/// Runs the functions of a valid module [quickly](Effort::QUICK).
///
/// # Panics
/// When the module is not valid.
pub fn runs(module: &Module) -> Runs {
    runs_with(module, Effort::QUICK)
}

/// Runs the functions of a valid module.
///
/// # Panics
/// When the module is not valid.
pub fn runs_with(module: &Module, effort: Effort) -> Runs {
    let verified = module.verify().unwrap_or_else(|violations| panic!("the module is not valid: {}", violations[0]));
    let mut runs = Vec::new();
    for function in functions(module) {
        let Some(make) = Arguments::new(module, &function, effort) else { continue };
        for arguments in (0..).map_while(|number| make.of_run(number)) {
            let observed = observe(verified, &function.data.name, &arguments, config(effort));
            runs.push(Run { function: function.data.name.clone(), arguments, observed });
        }
    }
    Runs { runs, effort, exported: exported(module).map(|data| data.name.clone()).collect() }
}

/// A function that can be run.
struct Function<'m> {
    data: &'m SymbolData,
    graph: &'m Graph,
    /// Context variables come before its parameters.
    context: usize,
    params: &'m [Type],
}

fn functions(module: &Module) -> impl Iterator<Item = Function<'_>> {
    let of = |lambda: Lambda| {
        let body = &module.bodies[lambda.body()];
        let data = &module.symbols[body.symbol];
        let (Code::Graph(graph), SymbolKind::Function { .. }) = (&body.code, &data.kind) else { return None };
        if !module.is_exported(lambda.output(&module.omega)) {
            return None;
        }
        match module.pool.type_kind(data.value_type) {
            TypeKind::Function { params, variadic: false, .. } => {
                Some(Function { data, graph, context: module.context_symbols(lambda).len(), params })
            }
            _ => None,
        }
    };
    module.lambdas().into_iter().filter_map(of)
}

/// Definitions that others may see, and rely on.
fn exported(module: &Module) -> impl Iterator<Item = &SymbolData> {
    let results = module.omega.result_origins(module.omega.root());
    results.map(|origin| &module.symbols[module.symbol_of(origin)]).filter(|data| !data.is_discardable())
}

impl Runs {
    /// Compares with the transformed module, run on the same arguments.
    ///
    /// # Errors
    /// The function, the number of the run and what it does that it must not; or a definition that others may see and that
    /// is no longer there.
    ///
    /// # Panics
    /// When the transformed module is not valid.
    pub fn keep(&self, after: &Module) -> Result<Tally, String> {
        let verified = after.verify().unwrap_or_else(|violations| panic!("the module is not valid: {}", violations[0]));
        if let Some(gone) = self.exported.iter().find(|&name| exported(after).all(|data| data.name != *name)) {
            return Err(format!("'{gone}' is no longer exported"));
        }
        let mut tally = Tally::default();
        for (index, Run { function, arguments, observed }) in self.runs.iter().enumerate() {
            // One that may go can have gone.
            if functions(after).all(|other| other.data.name != *function) && !self.exported.contains(function) {
                continue;
            }
            let number = self.runs[..index].iter().filter(|other| other.function == *function).count();
            match refines(observed, &observe(verified, function, arguments, limits(observed, &config(self.effort)))) {
                Verdict::Refines => tally.same += 1,
                Verdict::Vacuous(_) => tally.vacuous += 1,
                Verdict::Unknown(_) => tally.unknown += 1,
                Verdict::Violated(why) => return Err(format!("function '{function}', run {number}: {why}")),
            }
        }
        Ok(tally)
    }

    /// All runs, those of a function one after the other.
    pub fn all(&self) -> &[Run] {
        &self.runs
    }

    /// The recorded calls and accesses of all runs.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.runs.iter().flat_map(|run| &run.observed.events)
    }

    /// The first run that is undefined: the function, and what it violates.
    pub fn undefined(&self) -> Option<(&str, String)> {
        let undefined = |run: &&Run| matches!(run.observed.outcome, Outcome::Undefined { .. });
        self.runs.iter().find(undefined).map(|run| (&*run.function, run.observed.outcome.to_string()))
    }
}
