//! From an input through the RVSDG to an output.
//!
//! Reading and writing LLVM IR happen on one thread, because LLVM's contexts are not thread-safe; construction, passes and
//! destruction work on bodies in parallel. The output is the same for any number of threads.

mod blame;
mod look;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_cfg::cfg::Cfg;
use rvsdg_cfg::destruct::Recovery;
use rvsdg_cfg::restructure;
use rvsdg_core::module::Code;
use rvsdg_core::verify::Verified;
use rvsdg_core::{Body, Module, dot, text};
use rvsdg_llvm::{
    CodeForm, Constructed, Diagnostic, Format, Host, LlvmModule, LlvmPasses, OptimizeOptions, Optimizer, ParseOptions,
    Severity, WriteOptions, module_io,
};
use rvsdg_passes::progress::Progress;
use rvsdg_passes::{BisectLimit, Manager, Meter, PassReport, Pipeline, Registry, Report};

use self::blame::InvalidOutput;
use crate::arguments::{Arguments, ControlFlow, Emit, PrintChanged};
use crate::files::{Form, Input, Output};
use crate::plan::{Plan, Step};
use crate::progress::{self, Shown};
use crate::remarks::Remarks;
use crate::run;
use crate::statistics::{BodySize, Clock, Spent, Stage, Statistics};
use crate::trace::Trace;
use crate::usage;
use crate::view::View;
use crate::watch::Watch;

/// Does what the command line says with the passes of a registry; the exit status.
///
/// # Errors
/// When the input is unreadable or wrong, the pipeline is, or the output cannot be written. Then no output was touched.
pub fn run(arguments: &Arguments, registry: &Registry) -> Result<u8> {
    if arguments.print_passes {
        print!("{}\nPasses of LLVM's:\n", registry.help());
        LlvmPasses::names().iter().for_each(|name| println!("  {name}"));
        return Ok(0);
    }
    let mut plan = Plan::parse(arguments.pipeline(), registry, &arguments.load_pass_plugin)?;
    if arguments.print_pipeline_passes {
        println!("{plan}");
        return Ok(0);
    }
    if arguments.debugify_each {
        plan = plan.one_by_one();
    }
    if arguments.enable_debugify || arguments.debugify {
        plan = plan.after("debugify");
    }
    if arguments.enable_debugify || arguments.check_debugify {
        plan = plan.before("check-debugify");
    }
    if arguments.dot_cfg {
        plan = plan.before("function(dot-cfg)");
    }
    arguments.set_llvm_options(&plan)?;
    if arguments.print_changed == Some(PrintChanged::DotCfg) {
        let folder = Path::new(&arguments.dot_cfg_dir);
        std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    }
    let output = Output::new(&arguments.output);
    if matches!(arguments.emit, Emit::Llvm | Emit::Obj) && !arguments.text && !arguments.force && !arguments.is_silent()
    {
        output.refuse_terminal()?;
    }
    let mut run = Run::new(arguments, registry)?;
    run.trace = arguments.time_trace.then(|| Trace::begin(Duration::from_micros(arguments.time_trace_granularity)));
    run.has_pictures = arguments.print_changed == Some(PrintChanged::DotCfg) && plan.has_ours();
    let mut start = run.clock;
    let bytes = match run.all(&plan) {
        Err(error) if error.is::<InvalidOutput>() => {
            let name = run.statistics.input.clone();
            let culprit = run.blame(&plan)?;
            bail!("{name}: {error}{culprit}");
        }
        bytes => bytes?,
    };
    if !arguments.is_silent() {
        output.write(&bytes)?;
    }
    if let Some(page) = run.page.take() {
        Output::new(Path::new(&arguments.dot_cfg_dir).join("passes.html").as_os_str()).write(&page)?;
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
    match run.read(input)? {
        State::Graph(graphs) => Ok(graphs.module),
        State::Llvm(llvm) => Ok(run.construct(llvm)?.0),
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

/// What a module is between steps.
enum State {
    Graph(Box<Graphs>),
    Llvm(LlvmModule),
}

/// A module as graphs.
struct Graphs {
    module: Module,
    /// The LLVM module that they were read from.
    host: Option<Host>,
    /// What passes did to them since.
    report: Report,
}

/// What a module expects of values is known of its branches before passes see it.
fn lower_expectations(state: &mut State, pipeline: &Pipeline) {
    if let State::Llvm(llvm) = state
        && !pipeline.passes().is_empty()
    {
        llvm.lower_expectations();
    }
}

/// One run.
struct Run<'a> {
    arguments: &'a Arguments,
    registry: &'a Registry,
    optimizer: Optimizer,
    statistics: Statistics,
    remarks: Remarks,
    /// When the current stage began.
    clock: Clock,
    /// What passes did in all steps so far.
    passes: Vec<PassReport>,
    /// How many executions of passes there were in all steps so far.
    executions: u64,
    /// The functions that were reported to pass through untouched.
    said: FxHashSet<Box<str>>,
    /// The exit status of the program that was run.
    status: u8,
    /// For `-time-trace`.
    trace: Option<Trace>,
    /// Whether our passes are shown by `-print-changed=dot-cfg`, and the page that shows them.
    has_pictures: bool,
    page: Option<Vec<u8>>,
    /// How far passes are.
    progress: Arc<Progress>,
    /// When the run began.
    began: Instant,
}

impl<'a> Run<'a> {
    fn new(arguments: &'a Arguments, registry: &'a Registry) -> Result<Run<'a>> {
        let progress = Arc::new(Progress::default());
        let optimizer = Run::optimizer(arguments, arguments.opt_bisect_limit, &progress)?;
        let remarks = Remarks::new(arguments, registry);
        Ok(Run {
            arguments,
            registry,
            optimizer,
            statistics: Statistics::default(),
            remarks,
            clock: Clock::start(),
            passes: Vec::new(),
            executions: 0,
            said: FxHashSet::default(),
            status: 0,
            trace: None,
            has_pictures: false,
            page: None,
            progress,
            began: Instant::now(),
        })
    }

    /// What works as the arguments say.
    fn optimizer(
        arguments: &Arguments,
        bisect_limit: Option<BisectLimit>,
        progress: &Arc<Progress>,
    ) -> Result<Optimizer> {
        let options = OptimizeOptions {
            threads: arguments.threads,
            restructure: restructure::Options {
                invert_head_controlled: arguments.invert_loops,
                ..restructure::Options::DEFAULT
            },
            check_recovery: arguments.check_recovery,
            recovery: match arguments.control_flow {
                ControlFlow::Scfr => Recovery::Structured,
                ControlFlow::Pcfr => Recovery::Predicative,
            },
            meter: Some(usage::thread as Meter),
            manager: Manager {
                verify_each: arguments.verify_each,
                // Imported modules are valid by construction; modules read as text were verified then.
                trust_input: true,
                bisect_limit,
                // Metering takes time, so it is done only on request.
                meter: arguments.time_passes.then_some(usage::thread as Meter),
                progress: Some(progress.clone()),
                ..Manager::default()
            },
        };
        Optimizer::new(options).map_err(|error| anyhow!("{} threads cannot be started: {error}", arguments.threads))
    }

    /// Everything up to the bytes to write.
    fn all(&mut self, plan: &Plan) -> Result<Vec<u8>> {
        let input = Input::read(&self.arguments.input)?;
        self.statistics.input = input.name.clone();
        let mut state = self.read(input)?;
        let mut view = self.wanted_view();
        for step in plan.steps() {
            state = self.step(state, step, view.as_mut())?;
        }
        let form = match self.arguments.emit {
            Emit::Asm => Some(CodeForm::Assembly),
            Emit::Ptx => Some(CodeForm::Ptx),
            Emit::Obj => Some(CodeForm::Object),
            Emit::Llvm | Emit::Rvsdg | Emit::Dot | Emit::Html | Emit::Json => None,
        };
        if self.has_pictures
            && let Some(view) = view.take()
        {
            self.page = Some(self.pictures(&mut state, view)?);
        }
        let is_llvm = (self.arguments.emit == Emit::Llvm || form.is_some()) && self.arguments.run.is_none();
        if is_llvm {
            let mut llvm = self.lower(state)?;
            if let Some(form) = form.filter(|_| !self.arguments.disable_output) {
                return Ok(llvm.generate(form, &self.arguments.codegen())?);
            }
            let bytes = if self.arguments.disable_output { Vec::new() } else { self.write(&mut llvm) };
            // The process ends soon: freeing millions of small objects one by one would only take time.
            std::mem::forget(llvm);
            return Ok(bytes);
        }
        let Graphs { module, mut host, .. } = *self.raise(state, "construction", view.as_mut())?;
        self.clock = Clock::start();
        if let Some(entry) = &self.arguments.run {
            self.status = run::run(&module, &self.statistics.input, entry, self.arguments)?;
            std::mem::forget((module, host));
            return Ok(Vec::new());
        }
        match (self.arguments.emit, view) {
            (Emit::Dot, _) => Ok(self.dot(&module)?.into_bytes()),
            (_, Some(view)) => self.view(view, &module, host.as_mut()),
            (_, None) => Ok(text::print_module(&module).into_bytes()),
        }
    }

    /// Runs the passes of a step.
    fn step(&mut self, state: State, step: &Step, mut view: Option<&mut View>) -> Result<State> {
        match step {
            Step::Ours(pipeline) if self.arguments.debugify_each && !pipeline.passes().is_empty() => {
                let mut llvm = self.lower(state)?;
                let is_made_up = !llvm.has_debug_info();
                if is_made_up {
                    self.run_llvm(&mut llvm, "debugify")?;
                }
                let state = self.ours(State::Llvm(llvm), pipeline, view)?;
                let mut llvm = self.lower(state)?;
                if is_made_up {
                    let names: Vec<&str> = pipeline.passes().iter().map(|pass| pass.entry.name).collect();
                    llvm.check_debugify(&names.join(","));
                }
                Ok(State::Llvm(llvm))
            }
            Step::Ours(pipeline) => self.ours(state, pipeline, view),
            Step::Llvm(text) => {
                let mut llvm = self.lower(state)?;
                self.run_llvm(&mut llvm, text)?;
                if let Some(view) = &mut view {
                    self.observe(&mut llvm, text, view)?;
                }
                Ok(State::Llvm(llvm))
            }
        }
    }

    /// Runs our passes.
    fn ours(&mut self, mut state: State, pipeline: &Pipeline, mut view: Option<&mut View>) -> Result<State> {
        lower_expectations(&mut state, pipeline);
        let mut graphs = self.raise(state, "construction", view.as_deref_mut())?;
        graphs.report = self.run_passes(&mut graphs.module, pipeline, view)?;
        self.remarks.finish(graphs.host.as_mut());
        self.clock = Clock::start();
        Ok(State::Graph(graphs))
    }

    /// Runs passes of LLVM's.
    fn run_llvm(&mut self, llvm: &mut LlvmModule, text: &str) -> Result<()> {
        let arguments = self.arguments;
        let limit = arguments.opt_bisect_limit.map(|limit| (self.executions, limit.executions));
        let passes = LlvmPasses {
            plugins: arguments.load_pass_plugin.clone(),
            verify_each: arguments.verify_each,
            // Adding debug information for our passes is not itself a pass to check.
            debugify_each: arguments.debugify_each && text != "debugify",
            debug: arguments.debug_pass_manager,
            bisect: limit,
            remarks: arguments.llvm_remarks(),
            ..LlvmPasses::new(text)
        };
        let name = self.statistics.input.clone();
        let shown = self.shown("LLVM's passes");
        let done = llvm.run_passes(&passes);
        drop(shown);
        let diagnostics = llvm.diagnostics();
        print(&name, &diagnostics);
        let report = done.map_err(|refusal| anyhow!("{name}: {refusal}"))?;
        if limit.is_some() {
            self.executions = report.executions;
        }
        self.remarks.add_llvm(&report.remarks);
        if let Some(error) = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
            bail!("{name}: LLVM's passes '{text}' failed: {}", error.message);
        }
        if !arguments.disable_verify {
            llvm.verify().map_err(|error| anyhow!("after LLVM's passes '{text}': {error}"))?;
        }
        self.statistics.lap(&mut self.clock, Stage::Llvm);
        Ok(())
    }

    /// The module as graphs. If it was none, these are the first of a step that is viewed.
    fn raise(&mut self, state: State, step: &str, view: Option<&mut View>) -> Result<Box<Graphs>> {
        let (graphs, is_new) = match state {
            State::Graph(graphs) => (graphs, view.as_ref().is_some_and(|view| view.is_empty())),
            State::Llvm(llvm) => {
                let (module, host) = self.construct(llvm)?;
                self.untouched(&module);
                (Box::new(Graphs { module, host: Some(host), report: Report::default() }), true)
            }
        };
        if let Some(view) = view.filter(|_| is_new) {
            view.observe(&graphs.module, step);
        }
        Ok(graphs)
    }

    /// The module as LLVM IR.
    fn lower(&mut self, state: State) -> Result<LlvmModule> {
        match state {
            State::Llvm(llvm) => Ok(llvm),
            State::Graph(graphs) => {
                let Graphs { mut module, host, report } = *graphs;
                let bodies = self.destruct(&mut module, &report);
                let llvm = match host {
                    Some(host) if !self.arguments.from_scratch => self.export(host, &module, bodies),
                    _ => self.emit(&module, &bodies),
                };
                // The process ends soon: freeing millions of small objects one by one would only take time.
                std::mem::forget(module);
                llvm
            }
        }
    }

    /// The bytes of the output.
    fn write(&self, llvm: &mut LlvmModule) -> Vec<u8> {
        let arguments = self.arguments;
        let format = if arguments.text { Format::Text } else { Format::Bitcode };
        let options = WriteOptions {
            summary: arguments.module_summary,
            hash: arguments.module_hash,
            thin_lto: arguments.thinlto_bc,
            use_list_order: if arguments.text {
                arguments.preserve_ll_uselistorder
            } else {
                arguments.preserve_bc_uselistorder
            },
        };
        llvm.write_with(format, options)
    }

    fn read(&mut self, input: Input) -> Result<State> {
        match input.form() {
            Form::Rvsdg => {
                let module = self.read_rvsdg(&input)?;
                self.count(&module, &FxHashMap::default());
                self.untouched(&module);
                Ok(State::Graph(Box::new(Graphs { module, host: None, report: Report::default() })))
            }
            Form::Llvm => Ok(State::Llvm(self.read_llvm(input)?)),
        }
    }

    /// A picture of the module, or of the requested function.
    fn dot(&self, module: &Module) -> Result<String> {
        let Some(function) = &self.arguments.function else { return Ok(dot::print_module(module)) };
        dot::print_function(module, function)
            .ok_or_else(|| anyhow!("{}: no function '{function}' that has a graph", self.statistics.input))
    }

    fn read_rvsdg(&mut self, input: &Input) -> Result<Module> {
        let name = &input.name;
        let text = std::str::from_utf8(&input.bytes).map_err(|error| anyhow!("{name}: not UTF-8: {error}"))?;
        let module = text::parse_module(text).map_err(|error| anyhow!("{name}:{error}"))?;
        self.registry.introduce_operations(&module);
        module.verify().map_err(|violations| anyhow!("{name}: the module is not valid:\n{violations}"))?;
        self.statistics.lap(&mut self.clock, Stage::Read);
        Ok(module)
    }

    fn read_llvm(&mut self, input: Input) -> Result<LlvmModule> {
        let arguments = self.arguments;
        let options = ParseOptions {
            triple: arguments.mtriple.clone(),
            data_layout: arguments.data_layout.clone(),
            trust_input: false,
        };
        let (mut llvm, diagnostics) = LlvmModule::parse_with(&input.bytes, &input.name, &options)?;
        print(&input.name, &diagnostics);
        if arguments.strip_debug {
            llvm.strip_debug_info();
        }
        if arguments.discard_value_names {
            llvm.discard_value_names();
        }
        if !arguments.llvm_options.is_empty() {
            llvm.apply_target_options().map_err(|refusal| anyhow!("{}: {refusal}", input.name))?;
        }
        self.statistics.lap(&mut self.clock, Stage::Read);
        Ok(llvm)
    }

    /// Makes graphs of the bodies of an LLVM module.
    fn construct(&mut self, llvm: LlvmModule) -> Result<(Module, Host)> {
        let shown = self.shown("construction");
        let before = self.statistics.cpu_time.construct;
        let (statistics, clock) = (&mut self.statistics, &mut self.clock);
        let Constructed { module, host, bodies } =
            self.optimizer.construct(llvm, || statistics.lap(clock, Stage::Import));
        module_io::release_memory();
        drop(shown);
        self.statistics.lap(&mut self.clock, Stage::Construct);
        let mut sizes = FxHashMap::default();
        let mut faults = FxHashMap::default();
        let (mut construct, mut check) = (Spent::default(), Spent::default());
        // Wall-clock time that the reading thread spent on other work than reading.
        let (mut constructing, mut checking) = (0.0, 0.0);
        for built in bodies {
            if let Some(trace) = &mut self.trace {
                let symbol = module.bodies[built.body].symbol;
                trace.executed("construct a body", &module.symbols[symbol].name, built.construct);
            }
            construct += Spent::from(built.construct);
            check += Spent::from(built.check);
            if built.is_by_reader {
                constructing += built.construct.wall.as_secs_f64();
                checking += built.check.wall.as_secs_f64();
            }
            sizes.insert(built.body, BodySize::of(&built));
            if let Some(fault) = built.fault {
                faults.insert(module.bodies[built.body].symbol, fault);
            }
        }
        if let Some((symbol, fault)) = module.order.iter().find_map(|symbol| faults.get_key_value(symbol)) {
            let (input, function) = (&self.statistics.input, &module.symbols[*symbol].name);
            bail!("{input}: function '{function}': {fault}");
        }
        // On the processor, all that is not constructing and checking is reading, whenever it was done.
        self.statistics.cpu_time.import += self.statistics.cpu_time.construct - before;
        self.statistics.cpu_time.construct = before;
        self.statistics.rebook(Stage::Import, Stage::Construct, Spent { wall: constructing, cpu: construct.cpu });
        self.statistics.rebook(Stage::Import, Stage::Verify, Spent { wall: checking, cpu: check.cpu });
        self.count(&module, &sizes);
        Ok((module, host))
    }

    /// Counts the contents of a module if requested: that visits every node.
    fn count(&mut self, module: &Module, sizes: &FxHashMap<Body, BodySize>) {
        let is_first = self.passes.is_empty();
        if is_first && (self.arguments.stats || self.arguments.stats_json.is_some()) {
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
            let function = &module.symbols[*symbol].name;
            if let Some(construct) = untouched.get(symbol)
                && self.said.insert(function.clone())
            {
                let input = &self.statistics.input;
                eprintln!("remark: {input}: function '{function}' passes through untouched: {construct}");
                self.remarks.add_untouched(module, *symbol, construct);
            }
        }
    }

    fn run_passes(&mut self, module: &mut Module, pipeline: &Pipeline, view: Option<&mut View>) -> Result<Report> {
        let name = &self.statistics.input;
        if self.arguments.verify_each {
            module
                .verify()
                .map_err(|violations| anyhow!("{name}: construction made an invalid graph:\n{violations}"))?;
        }
        if let Some(limit) = self.arguments.opt_bisect_limit.filter(|_| self.executions > 0) {
            self.optimizer = Run::optimizer(self.arguments, Some(limit.after(self.executions)), &self.progress)?;
        }
        let shown = self.shown("passes");
        let trace = self.trace.as_mut();
        let mut watch = Watch::new(self.arguments, self.registry, self.executions, &mut self.remarks, view, trace);
        let report = self.optimizer.run(module, pipeline, &mut watch)?;
        drop(shown);
        self.executions += report.executions();
        self.statistics.lap(&mut self.clock, Stage::Passes);
        // Of bodies that were not even read, each has its own remark.
        if let Some(reason) = report.declined().filter(|_| module.bodies.values().any(|body| body.graph().is_some())) {
            eprintln!("remark: {}: passes leave the module as it is: {reason}", self.statistics.input);
        }
        for pass in report.passes() {
            match self.passes.iter_mut().find(|known| known.name == pass.name) {
                Some(known) => known.add(pass),
                None => self.passes.push(pass.clone()),
            }
        }
        self.statistics.count_after(module, &self.passes, &report);
        Ok(report)
    }

    /// The control flow graphs of all bodies that are to be written; their graphs are freed.
    fn destruct(&mut self, module: &mut Module, report: &Report) -> FxHashMap<Body, Cfg> {
        let skip = self.arguments.skip_unchanged && !self.arguments.from_scratch;
        let shown = self.shown("recovery of control flow");
        let recovered = self.optimizer.recover(module, |body| !skip || report.is_changed(body));
        drop(shown);
        module_io::release_memory();
        self.statistics.count_recovered(module, &recovered);
        let cfgs = recovered.into_iter().map(|recovered| (recovered.body, recovered.cfg)).collect();
        self.statistics.lap(&mut self.clock, Stage::Destruct);
        cfgs
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
        if !self.arguments.disable_verify {
            llvm.verify().map_err(InvalidOutput)?;
        }
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

    /// Shows on a terminal what is done, until what comes back is dropped.
    fn shown(&self, what: &str) -> Option<Shown> {
        let text = format!("{}: {what}", self.statistics.input);
        let progress = (what == "passes").then(|| self.progress.clone());
        let part = move || progress.as_ref().map_or((0, 0), |progress| progress.so_far());
        let state = move || progress::State { text: text.clone(), part: part() };
        self.arguments.is_quiet().then(|| progress::show(self.began, state))
    }

    /// Prints what was requested.
    fn report(&mut self) -> Result<()> {
        if self.arguments.stats {
            eprint!("{}", self.statistics);
        }
        if self.arguments.time_passes {
            eprint!("{}", self.statistics.times());
        }
        self.remarks.report()?;
        if let Some(mut trace) = self.trace.take() {
            for &(stage, start, wall) in &self.statistics.laps {
                trace.stage(stage.name(), start, wall);
            }
            Output::new(&self.arguments.time_trace_path()).write(trace.finish().as_bytes())?;
        }
        if let Some(path) = &self.arguments.stats_json {
            if path == "-" {
                eprint!("{}", self.statistics.json());
            } else {
                Output::new(path).write(self.statistics.json().as_bytes())?;
            }
        }
        Ok(())
    }
}

/// Prints what LLVM has to say.
fn print(input: &str, diagnostics: &[Diagnostic]) {
    for Diagnostic { severity, message } in diagnostics {
        match severity {
            Severity::Error => eprintln!("error: {input}: {message}"),
            Severity::Warning => eprintln!("warning: {input}: {message}"),
            // Its place is in it.
            Severity::Remark => eprintln!("remark: {message}"),
            Severity::Note => eprintln!("note: {input}: {message}"),
        }
    }
}
