//! From an input through the RVSDG to an output.
//!
//! Reading and writing LLVM IR happen on one thread, because LLVM's contexts are not thread-safe; construction, passes and
//! destruction work on bodies in parallel. The output is the same for any number of threads.

mod blame;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::Cfg;
use rvsdg_cfg::compare::compare_sources;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::{construct, restructure};
use rvsdg_core::module::Code;
use rvsdg_core::verify::Verified;
use rvsdg_core::{Body, Graph, Module, dot, text};
use rvsdg_llvm::{Format, Host, LlvmModule, Severity, module_io};
use rvsdg_passes::{Manager, Meter, Pipeline, Registry, Report};

use self::blame::InvalidOutput;
use crate::arguments::{Arguments, ControlFlow, Emit};
use crate::files::{Form, Input, Output};
use crate::remarks::Remarks;
use crate::run;
use crate::statistics::{BodySize, Clock, Spent, Stage, Statistics};
use crate::usage;
use crate::view::{View, page};
use crate::watch::Watch;

/// Does what the command line says with the passes of a registry; the exit status.
///
/// # Errors
/// When the input is unreadable or wrong, the pipeline is, or the output cannot be written. Then no output was touched.
pub fn run(arguments: &Arguments, registry: &Registry) -> Result<u8> {
    if arguments.print_passes {
        print!("{}", registry.help());
        return Ok(0);
    }
    let pipeline = Pipeline::parse_with(arguments.pipeline(), registry)?;
    let output = Output::new(&arguments.output);
    if arguments.emit == Emit::Llvm && !arguments.text && !arguments.force && !arguments.is_silent() {
        output.refuse_terminal()?;
    }
    let mut run = Run::new(arguments, registry)?;
    let mut start = run.clock;
    let bytes = match run.all(&pipeline) {
        Err(error) if error.is::<InvalidOutput>() => {
            let name = run.statistics.input.clone();
            let culprit = run.blame(&pipeline)?;
            bail!("{name}: {error}{culprit}");
        }
        bytes => bytes?,
    };
    if !arguments.is_silent() {
        output.write(&bytes)?;
    }
    run.statistics.lap(&mut run.clock, Stage::Write);
    run.statistics.lap(&mut start, Stage::Total);
    run.report()?;
    Ok(run.status)
}

/// The module that an input is, for tools that are not pipelines.
///
/// # Errors
/// When the input is unreadable or wrong.
pub fn read(arguments: &Arguments) -> Result<Module> {
    let input = Input::read(&arguments.input)?;
    let mut run = Run::new(arguments, Registry::builtin())?;
    run.statistics.input = input.name.clone();
    match input.form() {
        Form::Rvsdg => run.read_rvsdg(&input),
        Form::Llvm => Ok(run.read_llvm(input)?.0),
    }
}

/// A module as LLVM IR of its own, as text.
///
/// # Errors
/// When something in the module has no form in LLVM IR.
pub fn write_text(arguments: &Arguments, mut module: Module) -> Result<Vec<u8>> {
    let mut run = Run::new(arguments, Registry::builtin())?;
    let bodies = run.destruct(&mut module, &Report::default());
    Ok(rvsdg_emit::emit_module(run.verified(&module)?, &|body| bodies.get(&body))?.into_bytes())
}

/// How many instructions and blocks that were read may wait for their construction before the thread that reads takes part in
/// it: few, since they take memory, and enough for all threads.
const MAX_WAITING: usize = 1 << 15;

/// How many nodes a page or its data may have, over all steps: some hundred bytes each.
const MAX_VIEWED: usize = 1 << 20;

/// A graph that was made.
struct Built {
    body: Body,
    graph: Graph,
    size: BodySize,
    construct: Spent,
    check: Spent,
}

/// One run.
struct Run<'a> {
    arguments: &'a Arguments,
    threads: rayon::ThreadPool,
    statistics: Statistics,
    remarks: Remarks,
    /// When the current stage began.
    clock: Clock,
    /// The exit status of the program that was run.
    status: u8,
}

impl<'a> Run<'a> {
    fn new(arguments: &'a Arguments, registry: &Registry) -> Result<Run<'a>> {
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(arguments.threads)
            .build()
            .map_err(|error| anyhow!("{} threads cannot be started: {error}", arguments.threads))?;
        let remarks = Remarks::new(arguments, registry);
        Ok(Run { arguments, threads, statistics: Statistics::default(), remarks, clock: Clock::start(), status: 0 })
    }

    /// Everything up to the bytes to write.
    fn all(&mut self, pipeline: &Pipeline) -> Result<Vec<u8>> {
        let input = Input::read(&self.arguments.input)?;
        self.statistics.input = input.name.clone();
        let (mut module, mut host) = match input.form() {
            Form::Rvsdg => {
                let module = self.read_rvsdg(&input)?;
                self.count(&module, &FxHashMap::default());
                (module, None)
            }
            Form::Llvm => {
                let (module, host) = self.read_llvm(input)?;
                (module, Some(host))
            }
        };
        self.untouched(&module);
        let mut view = View::new(&self.statistics.input, self.arguments.function.clone());
        let is_viewed = matches!(self.arguments.emit, Emit::Html | Emit::Json);
        if is_viewed {
            view.observe(&module, "construction");
        }
        let report = self.passes(&mut module, pipeline, is_viewed.then_some(&mut view))?;
        self.remarks.finish(host.as_mut());
        self.clock = Clock::start();
        if let Some(entry) = &self.arguments.run {
            self.status = run::run(&module, &self.statistics.input, entry, self.arguments)?;
            std::mem::forget((module, host));
            return Ok(Vec::new());
        }
        match self.arguments.emit {
            Emit::Rvsdg => Ok(text::print_module(&module).into_bytes()),
            Emit::Dot => Ok(dot::print_module(&module).into_bytes()),
            Emit::Html | Emit::Json => self.view(view, &module, host.as_mut(), &report),
            Emit::Llvm => {
                let mut llvm = self.lower(&mut module, host, &report)?;
                let format = if self.arguments.text { Format::Text } else { Format::Bitcode };
                let bytes = if self.arguments.disable_output { Vec::new() } else { llvm.write(format) };
                // The process ends soon: freeing millions of small objects one by one would only take time.
                std::mem::forget((llvm, module));
                Ok(bytes)
            }
        }
    }

    fn read_rvsdg(&mut self, input: &Input) -> Result<Module> {
        let name = &input.name;
        let text = std::str::from_utf8(&input.bytes).map_err(|error| anyhow!("{name}: not UTF-8: {error}"))?;
        let module = text::parse_module(text).map_err(|error| anyhow!("{name}:{error}"))?;
        module.verify().map_err(|violations| anyhow!("{name}: the module is not valid:\n{violations}"))?;
        self.statistics.lap(&mut self.clock, Stage::Read);
        Ok(module)
    }

    fn read_llvm(&mut self, input: Input) -> Result<(Module, Host)> {
        let (llvm, diagnostics) = LlvmModule::parse(&input.bytes, &input.name)?;
        drop(input.bytes);
        for diagnostic in diagnostics {
            let severity = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Remark => "remark",
                Severity::Note => "note",
            };
            eprintln!("{severity}: {}: {}", input.name, diagnostic.message);
        }
        self.statistics.lap(&mut self.clock, Stage::Read);
        self.construct(llvm)
    }

    /// Makes graphs of the bodies of an LLVM module, beginning with the first while the others are still to be read.
    fn construct(&mut self, llvm: LlvmModule) -> Result<(Module, Host)> {
        let options = restructure::Options {
            invert_head_controlled: self.arguments.invert_loops,
            ..restructure::Options::DEFAULT
        };
        let check_recovery = self.arguments.check_recovery;
        let build = |body: Body, cfg: Cfg| -> Result<Built, (Body, String)> {
            let (graph, construct) = Spent::on(|| cfg.verify().map(|verified| construct::build(&verified, &options)));
            let graph = graph.map_err(|violations| (body, format!("its control flow is not valid:\n{violations}")))?;
            let (difference, check) = Spent::on(|| {
                let recovered = check_recovery.then(|| destruct(&graph, cfg.contexts().len(), Recovery::Predicative));
                recovered.and_then(|recovered| compare_sources(&cfg, &recovered).err())
            });
            if let Some(difference) = difference {
                return Err((body, format!("recovery does not give back the control flow: {difference}")));
            }
            let size = BodySize { construct_seconds: construct.wall, ..BodySize::of(&cfg) };
            Ok(Built { body, graph, size, construct, check })
        };
        let (waiting, built) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let keep = |done| built.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(done);
        let limit = if self.threads.current_num_threads() == 1 { 0 } else { MAX_WAITING };
        // Wall-clock time that this thread spent on what is not reading.
        let (mut constructing, mut checking) = (0.0, 0.0);
        let (mut module, host) = self.threads.in_place_scope(|scope| {
            let imported = rvsdg_llvm::import_each(llvm, |body, cfg| {
                let size = cfg.inst_count() + cfg.block_count();
                if waiting.load(Ordering::Relaxed) >= limit {
                    let built = build(body, cfg);
                    if let Ok(built) = &built {
                        constructing += built.construct.wall;
                        checking += built.check.wall;
                    }
                    keep(built);
                    return;
                }
                waiting.fetch_add(size, Ordering::Relaxed);
                let (waiting, keep, build) = (&waiting, &keep, &build);
                scope.spawn(move |_| {
                    keep(build(body, cfg));
                    waiting.fetch_sub(size, Ordering::Relaxed);
                });
            });
            self.statistics.lap(&mut self.clock, Stage::Import);
            imported
        });
        module_io::release_memory();
        self.statistics.lap(&mut self.clock, Stage::Construct);
        let mut sizes = FxHashMap::default();
        let mut faults = FxHashMap::default();
        let (mut construct, mut check) = (Spent::default(), Spent::default());
        for done in built.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
            match done {
                Ok(Built { body, graph, size, construct: constructed, check: checked }) => {
                    construct += constructed;
                    check += checked;
                    module.bodies[body].code = Code::Graph(graph);
                    sizes.insert(body, size);
                }
                Err((body, fault)) => _ = faults.insert(module.bodies[body].symbol, fault),
            }
        }
        if let Some((symbol, fault)) = module.order.iter().find_map(|symbol| faults.get_key_value(symbol)) {
            let (input, function) = (&self.statistics.input, &module.symbols[*symbol].name);
            bail!("{input}: function '{function}': {fault}");
        }
        // On the processor, all that is not constructing and checking is reading, whenever it was done.
        let (import, also) = (self.statistics.cpu_time.import, self.statistics.cpu_time.construct);
        self.statistics.cpu_time.import = import + also;
        self.statistics.cpu_time.construct = 0.0;
        self.statistics.rebook(Stage::Import, Stage::Construct, Spent { wall: constructing, cpu: construct.cpu });
        self.statistics.rebook(Stage::Import, Stage::Verify, Spent { wall: checking, cpu: check.cpu });
        self.count(&module, &sizes);
        Ok((module, host))
    }

    /// Counts what is in a module when somebody asked for it: that looks at every node.
    fn count(&mut self, module: &Module, sizes: &FxHashMap<Body, BodySize>) {
        if self.arguments.stats || self.arguments.stats_json.is_some() {
            self.statistics.count(module, sizes);
            self.clock = Clock::start();
        }
    }

    /// Says which bodies do not go through the graph.
    fn untouched(&mut self, module: &Module) {
        let untouched: FxHashMap<_, &str> = module
            .bodies
            .values()
            .filter_map(|body| match &body.code {
                Code::Graph(_) | Code::Cfg => None,
                Code::Untouched { construct } => Some((body.symbol, &**construct)),
            })
            .collect();
        for symbol in &module.order {
            if let Some(construct) = untouched.get(symbol) {
                let (input, function) = (&self.statistics.input, &module.symbols[*symbol].name);
                eprintln!("remark: {input}: function '{function}' passes through untouched: {construct}");
                self.remarks.add_untouched(module, *symbol, construct);
            }
        }
    }

    /// What there is to look at.
    fn view(&mut self, mut view: View, module: &Module, host: Option<&mut Host>, report: &Report) -> Result<Vec<u8>> {
        let name = &self.statistics.input;
        if let Some(function) = &self.arguments.function
            && !view.found()
        {
            bail!("{name}: no function '{function}' that has a graph");
        }
        if view.nodes() > MAX_VIEWED {
            bail!(
                "{name}: {} nodes in all steps are too many to look at (at most {MAX_VIEWED}); choose a function with \
                 --function=NAME",
                view.nodes()
            );
        }
        view.finish(module, host, report);
        let text = if self.arguments.emit == Emit::Html { page::html(&view)? } else { view.json()? };
        Ok(text.into_bytes())
    }

    fn passes(&mut self, module: &mut Module, pipeline: &Pipeline, view: Option<&mut View>) -> Result<Report> {
        let limit = self.arguments.opt_bisect_limit;
        // Asking for it takes a while, so nobody does in vain.
        let meter = self.arguments.time_passes.then_some(usage::thread as Meter);
        // What was imported is valid by construction; what was read as text was verified then.
        let manager =
            Manager { verify_each: self.arguments.verify_each, trust_input: true, bisect_limit: limit, meter };
        let mut watch = Watch {
            print_after_all: self.arguments.print_after_all,
            debug_pass_manager: self.arguments.debug_pass_manager,
            bisect: limit.is_some(),
            remarks: &mut self.remarks,
            view,
        };
        if manager.verify_each {
            let name = &self.statistics.input;
            module
                .verify()
                .map_err(|violations| anyhow!("{name}: construction made an invalid graph:\n{violations}"))?;
        }
        let report = self.threads.install(|| manager.run_observed(module, pipeline, &mut watch))?;
        self.statistics.lap(&mut self.clock, Stage::Passes);
        // Of bodies that were not even read, each has its own remark.
        if let Some(reason) = report.declined().filter(|_| module.bodies.values().any(|body| body.graph().is_some())) {
            eprintln!("remark: {}: passes leave the module as it is: {reason}", self.statistics.input);
        }
        self.statistics.count_after(module, &report);
        Ok(report)
    }

    /// The control flow graphs of all bodies that are to be written; their graphs are freed.
    fn destruct(&mut self, module: &mut Module, report: &Report) -> FxHashMap<Body, Cfg> {
        let skip = self.arguments.skip_unchanged && !self.arguments.from_scratch;
        let contexts: FxHashMap<Body, usize> =
            module.lambdas().iter().map(|lambda| (lambda.body(), lambda.context(&module.omega).len())).collect();
        let mut graphs: Vec<_> = module
            .bodies
            .iter_mut()
            .filter_map(|(body, data)| match std::mem::replace(&mut data.code, Code::Cfg) {
                Code::Graph(graph) => Some((body, graph, contexts[&body])),
                other => {
                    data.code = other;
                    None
                }
            })
            .filter(|&(body, ..)| !skip || report.is_changed(body))
            .collect();
        graphs.sort_by_key(|(_, graph, _)| std::cmp::Reverse(graph.node_count()));
        let recovery = match self.arguments.control_flow {
            ControlFlow::Scfr => Recovery::Structured,
            ControlFlow::Pcfr => Recovery::Predicative,
        };
        let recovered: Vec<_> = self.threads.install(|| {
            graphs
                .into_par_iter()
                .with_max_len(1)
                .map(|(body, graph, contexts)| {
                    let start = Instant::now();
                    let cfg = destruct(&graph, contexts, recovery);
                    (body, cfg, start.elapsed().as_secs_f64())
                })
                .collect()
        });
        module_io::release_memory();
        self.statistics.count_recovered(module, &recovered);
        let cfgs = recovered.into_iter().map(|(body, cfg, _)| (body, cfg)).collect();
        self.statistics.lap(&mut self.clock, Stage::Destruct);
        cfgs
    }

    /// Everything from the graph to a module of LLVM's.
    fn lower(&mut self, module: &mut Module, host: Option<Host>, report: &Report) -> Result<LlvmModule> {
        let bodies = self.destruct(module, report);
        match host {
            Some(host) if !self.arguments.from_scratch => self.export(host, module, bodies),
            _ => self.emit(module, &bodies),
        }
    }

    /// A module whose bodies were recovered, when the rest of it is valid.
    fn verified<'m>(&self, module: &'m Module) -> Result<Verified<'m>> {
        let name = &self.statistics.input;
        module.verify().map_err(|violations| anyhow!("{name}: passes left a module that is not valid:\n{violations}"))
    }

    /// Into the module that was read.
    fn export(&mut self, host: Host, module: &Module, mut bodies: FxHashMap<Body, Cfg>) -> Result<LlvmModule> {
        let module = self.verified(module)?;
        let mut llvm = host
            .export(module, |body| bodies.remove(&body))
            .map_err(|error| anyhow!("{}: {error}", self.statistics.input))?;
        self.statistics.lap(&mut self.clock, Stage::Export);
        llvm.verify().map_err(InvalidOutput)?;
        self.statistics.lap(&mut self.clock, Stage::Verify);
        Ok(llvm)
    }

    /// Into a module of its own.
    fn emit(&mut self, module: &Module, bodies: &FxHashMap<Body, Cfg>) -> Result<LlvmModule> {
        let name = self.statistics.input.clone();
        let text = rvsdg_emit::emit_module(self.verified(module)?, &|body| bodies.get(&body))
            .map_err(|error| anyhow!("{name}: {error}"))?;
        self.statistics.lap(&mut self.clock, Stage::Export);
        let (llvm, _) = LlvmModule::parse(text.as_bytes(), &format!("{name} (as emitted)")).map_err(InvalidOutput)?;
        self.statistics.lap(&mut self.clock, Stage::Verify);
        Ok(llvm)
    }

    /// Prints what was asked for.
    fn report(&self) -> Result<()> {
        if self.arguments.stats {
            eprint!("{}", self.statistics);
        }
        if self.arguments.time_passes {
            eprint!("{}", self.statistics.times());
        }
        self.remarks.report()?;
        if let Some(path) = &self.arguments.stats_json {
            Output::new(path).write(self.statistics.json().as_bytes())?;
        }
        Ok(())
    }
}
