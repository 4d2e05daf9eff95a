//! What the targets share: LLVM IR into graphs and out of them.

#![forbid(unsafe_code)]

use rvsdg_cfg::construct;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::restructure::Options;
use rvsdg_core::Body;
use rvsdg_core::module::Code;
use rvsdg_llvm::{ExportError, Import, LlvmModule};

/// How graphs become LLVM IR.
#[derive(Copy, Clone, Debug)]
pub struct Way {
    /// How control flow is recovered.
    pub recovery: Recovery,
    /// Whether original instructions are used where there are some.
    pub originals: bool,
}

impl Way {
    /// Every way.
    pub const ALL: [Way; 4] = [
        Way { recovery: Recovery::Predicative, originals: true },
        Way { recovery: Recovery::Structured, originals: true },
        Way { recovery: Recovery::Predicative, originals: false },
        Way { recovery: Recovery::Structured, originals: false },
    ];
}

/// A module whose bodies are graphs.
pub struct Graphs {
    /// What was imported.
    pub import: Import,
}

impl Graphs {
    /// Makes graphs of all bodies.
    pub fn of(llvm: LlvmModule) -> Graphs {
        let mut import = rvsdg_llvm::import(llvm);
        for (body, cfg) in std::mem::take(&mut import.cfgs) {
            let cfg = cfg.verify().unwrap_or_else(|violations| panic!("import: {violations}"));
            let graph = construct::build(&cfg, &Options::default());
            import.module.bodies[body].code = Code::Graph(graph);
        }
        Graphs { import }
    }

    /// The module as LLVM IR.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn export(mut self, way: Way) -> Result<LlvmModule, ExportError> {
        if !way.originals {
            self.import.host.forget_originals();
        }
        let module = &self.import.module;
        let contexts: std::collections::BTreeMap<Body, usize> =
            module.lambdas().iter().map(|lambda| (lambda.body(), lambda.context(&module.omega).len())).collect();
        self.import
            .host
            .export(module.verify().unwrap_or_else(|violations| panic!("{violations}")), |body| Some(destruct(module.bodies[body].graph()?, *contexts.get(&body)?, way.recovery)))
    }
}
