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

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::Cfg;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::{construct, restructure};
use rvsdg_core::module::Code;
use rvsdg_core::{Body, Module};
use rvsdg_passes::manager::BrokenPass;
use rvsdg_passes::{Manager, Pipeline, Report};
use thiserror::Error;

use crate::export::ExportError;
use crate::import::{Host, import_each};
use crate::module_io::{Error, Format, LlvmModule};

/// How [`optimize_module`] works.
#[derive(Clone, Debug)]
pub struct OptimizeOptions {
    /// Threads for work on bodies; 0 is one per processor. The result is the same for any number.
    pub threads: usize,
    /// How control flow is recovered.
    pub recovery: Recovery,
    /// Verification and limits of the run of passes.
    pub manager: Manager,
}

impl Default for OptimizeOptions {
    /// All processors, the least control flow, no limits.
    fn default() -> OptimizeOptions {
        OptimizeOptions { threads: 0, recovery: Recovery::Predicative, manager: Manager::default() }
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
    #[error("no threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// A module whose bodies were optimized and not yet written back: until [`Optimized::write`] the LLVM module is as it was
/// read.
pub struct Optimized {
    module: Module,
    host: Host,
    bodies: FxHashMap<Body, Cfg>,
    report: Report,
}

/// Optimizes LLVM IR, as text or bitcode, and gives it back in the form that is asked for. `name` stands for the input in
/// messages.
///
/// # Errors
/// [`OptimizeError`]
pub fn optimize(
    bytes: &[u8],
    name: &str,
    pipeline: &Pipeline,
    options: &OptimizeOptions,
    format: Format,
) -> Result<Vec<u8>, OptimizeError> {
    let (llvm, _) = LlvmModule::parse(bytes, name)?;
    let mut llvm = optimize_module(llvm, pipeline, options)?.write()?;
    llvm.verify()?;
    Ok(llvm.write(format))
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
    let threads = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build()?;
    let (mut module, host) = construct(llvm, &threads);
    // What was imported is valid by construction.
    let manager = Manager { trust_input: true, ..options.manager.clone() };
    let report = threads.install(|| manager.run(&mut module, pipeline))?;
    let bodies = recover(&mut module, &threads, options.recovery);
    Ok(Optimized { module, host, bodies, report })
}

impl Optimized {
    /// What passes did.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The functions that cannot be represented and stay as they are, each with what stands in the way, in the module's
    /// order.
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

/// Makes graphs of the bodies, beginning with the first while the others are still to be read.
fn construct(llvm: LlvmModule, threads: &rayon::ThreadPool) -> (Module, Host) {
    let built: Mutex<Vec<(Body, Code)>> = Mutex::new(Vec::new());
    let build = |body: Body, cfg: Cfg| {
        let code = match cfg.verify() {
            Ok(cfg) => Code::Graph(construct::build(&cfg, &restructure::Options::default())),
            Err(violations) => Code::Untouched { construct: violations.to_string().into() },
        };
        built.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((body, code));
    };
    let (mut module, host) = threads.in_place_scope(|scope| {
        import_each(llvm, |body, cfg| {
            let build = &build;
            scope.spawn(move |_| build(body, cfg));
        })
    });
    for (body, code) in built.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        module.bodies[body].code = code;
    }
    (module, host)
}

/// The control flow graphs of all bodies; their graphs are freed.
fn recover(module: &mut Module, threads: &rayon::ThreadPool, recovery: Recovery) -> FxHashMap<Body, Cfg> {
    let contexts: FxHashMap<Body, usize> =
        module.lambdas().iter().map(|lambda| (lambda.body(), lambda.context(&module.omega).len())).collect();
    let mut graphs = Vec::new();
    for (body, data) in &mut module.bodies {
        match std::mem::replace(&mut data.code, Code::Cfg) {
            Code::Graph(graph) => graphs.push((body, graph, contexts.get(&body).copied().unwrap_or(0))),
            other => data.code = other,
        }
    }
    let recovered: Vec<_> = threads.install(|| {
        graphs
            .into_par_iter()
            .with_max_len(1)
            .map(|(body, graph, contexts)| (body, destruct(&graph, contexts, recovery)))
            .collect()
    });
    recovered.into_iter().collect()
}
