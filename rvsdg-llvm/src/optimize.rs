//! From an LLVM module through passes and back, in one call.
//!
//! ```
//! use rvsdg_llvm::{Format, OptimizeOptions, optimize};
//! use rvsdg_passes::Pipeline;
//!
//! let source = b"define i32 @same(i32 %x) {\n  %y = add i32 %x, 1\n  %z = sub i32 %y, 1\n  ret i32 %z\n}\n";
//! let text = optimize(source, "same.ll", &Pipeline::parse("default<O2>")?, &OptimizeOptions::default(), Format::Text)?;
//! assert!(String::from_utf8(text)?.contains("ret i32 %x"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::Cfg;
use rvsdg_cfg::compare::compare_sources;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::{construct, restructure};
use rvsdg_core::module::Code;
use rvsdg_core::{Body, Module};
use rvsdg_passes::manager::BrokenPass;
use rvsdg_passes::usage::Cost;
use rvsdg_passes::{Manager, Meter, Observer, Pipeline, Report, Threads};
use thiserror::Error;

use crate::export::ExportError;
use crate::import::{Host, import_each};
use crate::module_io::{Error, Format, LlvmModule};
use crate::threads::{ThreadsError, Workers};

/// How an [`Optimizer`] works.
///
/// ```
/// use rvsdg_llvm::{Format, OptimizeOptions, optimize};
/// use rvsdg_passes::{Budget, Manager, Pipeline};
///
/// // In a compiler that has threads of its own, with at most a thousand rewrites in each function.
/// let manager = Manager { budget: Budget { rewrites: Some(1000), ..Budget::default() }, ..Manager::default() };
/// let options = OptimizeOptions { threads: 1, manager, ..OptimizeOptions::default() };
/// let source = b"define i32 @f(i32 %x) {\n  %y = sub i32 %x, %x\n  ret i32 %y\n}\n";
/// let text = optimize(source, "f.ll", &Pipeline::parse("default<O1>")?, &options, Format::Text)?;
/// assert!(String::from_utf8(text)?.contains("ret i32 0"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OptimizeOptions {
    /// Threads for work on bodies; 0 is one per processor, and 1 the caller's own, without a pool. The result is the same for any number.
    pub threads: usize,
    /// How control flow becomes regions.
    pub restructure: restructure::Options,
    /// Whether to compare the control flow recovered directly after construction with the original; a difference is a fault.
    pub check_recovery: bool,
    /// How control flow is recovered.
    pub recovery: Recovery,
    /// Reads the processor time of constructing bodies.
    pub meter: Option<Meter>,
    /// Verification, limits and meter of the run of passes.
    pub manager: Manager,
}

impl Default for OptimizeOptions {
    /// All processors, predicative recovery, no limits.
    fn default() -> OptimizeOptions {
        OptimizeOptions {
            threads: 0,
            restructure: restructure::Options::default(),
            check_recovery: false,
            recovery: Recovery::Predicative,
            meter: None,
            manager: Manager::default(),
        }
    }
}

/// Why a module was not optimized.
#[derive(Debug, Error)]
pub enum OptimizeError {
    /// The input cannot be read, or what was written is not valid.
    #[error(transparent)]
    Module(#[from] Error),
    /// A pass made a graph invalid.
    #[error(transparent)]
    Pass(#[from] BrokenPass),
    /// A graph has no form in LLVM IR.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The system has no more threads.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
}

/// The steps between an LLVM module and what passes made of it, on threads of its own.
///
/// The steps of [`optimize_module`] one by one, for callers that inspect the graphs:
///
/// ```
/// use rvsdg_llvm::{LlvmModule, OptimizeOptions, Optimizer};
/// use rvsdg_passes::Pipeline;
///
/// let (llvm, _) = LlvmModule::parse(b"define i32 @f(i32 %x) {\n  %y = add i32 %x, 0\n  ret i32 %y\n}\n", "f.ll")?;
/// let optimizer = Optimizer::new(OptimizeOptions::default())?;
/// let mut constructed = optimizer.construct(llvm, || ());
/// assert_eq!(constructed.bodies[0].instructions, 2);
/// optimizer.run(&mut constructed.module, &Pipeline::parse("red,dne")?, &mut ())?;
/// let recovered = optimizer.recover(&mut constructed.module, |_| true);
/// assert_eq!(recovered.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Optimizer {
    options: OptimizeOptions,
    threads: Workers,
}

/// A module whose bodies are graphs, except those that cannot be represented.
pub struct Constructed {
    /// The module.
    pub module: Module,
    /// The LLVM module that it was read from.
    pub host: Host,
    /// What was read, in any order.
    pub bodies: Vec<Construction>,
}

/// A body that was read.
#[derive(Clone, Debug)]
pub struct Construction {
    /// The body.
    pub body: Body,
    /// Its instructions.
    pub instructions: usize,
    /// Conditional branches and switches among them.
    pub branches: usize,
    /// What restructuring and construction cost.
    pub construct: Cost,
    /// What the comparison with recovered control flow cost.
    pub check: Cost,
    /// Whether the thread that reads did it.
    pub is_by_reader: bool,
    /// What is wrong, if anything, which is a fault of this program: the body's control flow is invalid, and it stays as it was, or
    /// recovery directly after construction differs.
    pub fault: Option<String>,
}

/// A body whose control flow was recovered.
pub struct Recovered {
    /// The body.
    pub body: Body,
    /// Its control flow.
    pub cfg: Cfg,
    /// How long that took.
    pub time: Duration,
}

/// A module whose bodies were optimized and not yet written back: until [`Optimized::write`] the LLVM module is as it was read.
pub struct Optimized {
    module: Module,
    host: Host,
    bodies: FxHashMap<Body, Cfg>,
    report: Report,
}

/// How many instructions and blocks that were read may wait for their construction before the thread that reads takes part in
/// it: few, since they take memory, and enough for all threads.
const MAX_WAITING: usize = 1 << 15;

/// Optimizes LLVM IR, as text or bitcode, and returns it in the requested format. `name` is the name of the input in messages.
///
/// # Errors
/// [`OptimizeError`]
///
/// ```
/// use rvsdg_llvm::{Format, OptimizeOptions, optimize};
/// use rvsdg_passes::Pipeline;
///
/// let source = b"define i32 @f(i32 %x) {\n  %y = mul i32 %x, 2\n  %z = mul i32 %x, 3\n  ret i32 %y\n}\n";
/// let pipeline = Pipeline::parse("default<O2>")?;
/// let text = optimize(source, "f.ll", &pipeline, &OptimizeOptions::default(), Format::Text)?;
/// let text = String::from_utf8(text)?;
/// assert!(text.contains("shl i32 %x, 1") && !text.contains("mul"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn optimize(
    bytes: &[u8],
    name: &str,
    pipeline: &Pipeline,
    options: &OptimizeOptions,
    format: Format,
) -> Result<Vec<u8>, OptimizeError> {
    let (mut llvm, _) = LlvmModule::parse(bytes, name)?;
    if !pipeline.passes().is_empty() {
        llvm.lower_expectations();
    }
    let mut llvm = optimize_module(llvm, pipeline, options)?.write()?;
    llvm.verify()?;
    Ok(llvm.write(format))
}

/// Optimizes a module of inkwell's, in place: for front ends that build with it. Its functions stay the same; values, instructions and blocks in
/// them do not.
///
/// ```
/// use rvsdg_llvm::inkwell::context::Context;
/// use rvsdg_llvm::{OptimizeOptions, optimize_in_place};
/// use rvsdg_passes::Pipeline;
///
/// let context = Context::create();
/// let module = context.create_module("example");
/// let i32_type = context.i32_type();
/// let same = module.add_function("same", i32_type.fn_type(&[i32_type.into()], false), None);
/// let builder = context.create_builder();
/// builder.position_at_end(context.append_basic_block(same, "entry"));
/// let x = same.get_first_param().ok_or("no parameter")?.into_int_value();
/// let y = builder.build_int_add(x, i32_type.const_int(1, false), "y")?;
/// let z = builder.build_int_sub(y, i32_type.const_int(1, false), "z")?;
/// builder.build_return(Some(&z))?;
///
/// optimize_in_place(&module, &Pipeline::parse("default<O2>")?, &OptimizeOptions::default())?;
/// assert!(module.to_string().contains("ret i32 %0"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`OptimizeError`]. The module is unchanged unless it is [`OptimizeError::Export`], and then no longer of use.
pub fn optimize_in_place(
    module: &inkwell::module::Module<'_>,
    pipeline: &Pipeline,
    options: &OptimizeOptions,
) -> Result<Report, OptimizeError> {
    let name = module.get_name().to_string_lossy().into_owned();
    // SAFETY: the module is live and not used by others meanwhile: it cannot be shared between threads, and what is borrowed of it
    // here ends before this returns.
    let borrowed = unsafe { LlvmModule::borrow_raw(module.as_mut_ptr(), &name) };
    let mut borrowed = borrowed.expect("a module of inkwell's is not null");
    borrowed.verify()?;
    let optimized = optimize_module(borrowed, pipeline, options)?;
    let report = optimized.report().clone();
    optimized.write()?;
    Ok(report)
}

/// Reads the bodies of a module, runs a pipeline on them and recovers their control flow.
///
/// # Errors
/// [`OptimizeError::Pass`] under [`Manager::verify_each`], [`OptimizeError::Threads`]. The LLVM module is dropped then,
/// unchanged.
pub fn optimize_module(
    llvm: LlvmModule,
    pipeline: &Pipeline,
    options: &OptimizeOptions,
) -> Result<Optimized, OptimizeError> {
    let optimizer = Optimizer::new(options.clone())?;
    let Constructed { mut module, host, .. } = optimizer.construct(llvm, || ());
    let report = optimizer.run(&mut module, pipeline, &mut ())?;
    let recovered = optimizer.recover(&mut module, |_| true);
    let bodies = recovered.into_iter().map(|recovered| (recovered.body, recovered.cfg)).collect();
    Ok(Optimized { module, host, bodies, report })
}

impl Optimized {
    /// What passes did.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The functions that cannot be represented and stay unchanged, each with the reason, in module order.
    pub fn untouched(&self) -> Vec<(&str, &str)> {
        let reasons: FxHashMap<_, &str> = self
            .module
            .bodies
            .values()
            .filter_map(|body| match &body.code {
                Code::Graph(_) | Code::Cfg => None,
                Code::Untouched { construct } => Some((body.symbol, &**construct)),
            })
            .collect();
        let functions = self.module.order.iter();
        functions.filter_map(|symbol| Some((&*self.module.symbols[*symbol].name, *reasons.get(symbol)?))).collect()
    }

    /// Writes the bodies into the LLVM module.
    ///
    /// # Errors
    /// [`ExportError`] when something has no form in LLVM IR. The LLVM module is lost then, and one that was
    /// [borrowed](LlvmModule::borrow_raw) is half-written.
    pub fn write(mut self) -> Result<LlvmModule, ExportError> {
        let module = self.module.verify().map_err(ExportError::Invalid)?;
        self.host.export(module, |body| self.bodies.remove(&body))
    }
}

impl Optimizer {
    /// Starts the threads.
    ///
    /// # Errors
    /// When the system has no more.
    pub fn new(options: OptimizeOptions) -> Result<Optimizer, ThreadsError> {
        let threads = Workers::start(options.threads)?;
        Ok(Optimizer { options, threads })
    }

    /// Makes graphs of the bodies, beginning with the first while the others are still to be read; `read` is called when they
    /// are.
    pub fn construct(&self, llvm: LlvmModule, read: impl FnOnce()) -> Constructed {
        let built: Mutex<Vec<(Construction, Code)>> = Mutex::new(Vec::new());
        let keep = |done| built.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(done);
        let waiting = AtomicUsize::new(0);
        let (mut module, host) = self.threads.scope(|workers| {
            let limit = if workers.is_alone() { 0 } else { MAX_WAITING };
            let imported = import_each(llvm, |body, cfg| {
                if waiting.load(Ordering::Relaxed) >= limit {
                    keep(self.build(body, cfg, true));
                    return;
                }
                let size = cfg.inst_count() + cfg.block_count();
                waiting.fetch_add(size, Ordering::Relaxed);
                let (waiting, keep) = (&waiting, &keep);
                workers.spawn(Box::new(move || {
                    keep(self.build(body, cfg, false));
                    waiting.fetch_sub(size, Ordering::Relaxed);
                }));
            });
            read();
            imported
        });
        let mut bodies = Vec::new();
        for (construction, code) in built.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
            module.bodies[construction.body].code = code;
            bodies.push(construction);
        }
        Constructed { module, host, bodies }
    }

    /// The graph of a body.
    fn build(&self, body: Body, cfg: Cfg, is_by_reader: bool) -> (Construction, Code) {
        let meter = self.options.meter;
        let blocks = || cfg.blocks().filter(|&block| block != cfg.exit());
        // A terminator is one instruction with the predicate that decides it.
        let instructions = blocks().map(|block| cfg.insts(block).len() + cfg.block_params(block).len() + 1).sum();
        let branches = blocks().filter(|&block| cfg.terminator(block).predicate.is_some()).count();
        let options = &self.options.restructure;
        let (graph, construct) = Cost::of(meter, || cfg.verify().map(|verified| construct::build(&verified, options)));
        let mut construction =
            Construction { body, instructions, branches, construct, check: Cost::default(), is_by_reader, fault: None };
        let code = match graph {
            Ok(graph) => {
                if self.options.check_recovery {
                    let (difference, check) = Cost::of(meter, || {
                        let recovered = destruct(&graph, cfg.contexts().len(), Recovery::Predicative);
                        compare_sources(&cfg, &recovered).err()
                    });
                    construction.check = check;
                    construction.fault = difference
                        .map(|difference| format!("recovery does not give back the control flow: {difference}"));
                }
                Code::Graph(graph)
            }
            Err(violations) => {
                let fault = format!("its control flow is not valid:\n{violations}");
                construction.fault = Some(fault.clone());
                Code::Untouched { construct: fault.into() }
            }
        };
        (construction, code)
    }

    /// Runs a pipeline. Constructed graphs are valid and need not be verified.
    ///
    /// # Errors
    /// As [`Manager::run`].
    pub fn run(
        &self,
        module: &mut Module,
        pipeline: &Pipeline,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Report, BrokenPass> {
        let threads = if self.threads.is_alone() { Threads::Current } else { self.options.manager.threads };
        let manager = Manager { trust_input: true, threads, ..self.options.manager.clone() };
        self.threads.install(|| manager.run_observed(module, pipeline, observer))
    }

    /// The control flow graphs of the bodies that are wanted; the graphs of all are freed. They come in any order.
    pub fn recover(&self, module: &mut Module, is_wanted: impl Fn(Body) -> bool) -> Vec<Recovered> {
        let contexts: FxHashMap<Body, usize> =
            module.lambdas().iter().map(|lambda| (lambda.body(), lambda.context(&module.omega).len())).collect();
        let mut graphs = Vec::new();
        for (body, data) in &mut module.bodies {
            match std::mem::replace(&mut data.code, Code::Cfg) {
                Code::Graph(graph) if is_wanted(body) => {
                    graphs.push((body, graph, contexts.get(&body).copied().unwrap_or(0)));
                }
                Code::Graph(_) => {}
                other => data.code = other,
            }
        }
        // The largest first: no thread is left alone with one at the end.
        graphs.sort_by_key(|(_, graph, _)| std::cmp::Reverse(graph.node_count()));
        let recovery = self.options.recovery;
        self.threads.map(graphs, |(body, graph, contexts)| {
            let start = Instant::now();
            let cfg = destruct(&graph, contexts, recovery);
            Recovered { body, cfg, time: start.elapsed() }
        })
    }
}
