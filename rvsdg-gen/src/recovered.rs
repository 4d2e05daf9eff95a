//! Control flow that is recovered from bodies: which bodies it can be, and a hash of all of it.

use std::fmt::Write;
use std::hash::Hasher;

use cranelift_entity::EntityRef;
use rustc_hash::FxHasher;
use rvsdg_cfg::cfg::{Cfg, Value};
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::shape::ArcRef;
use rvsdg_core::op::{CallExits, Effects};
use rvsdg_core::{Graph, Module, Op, Origin, Type, Use};

/// The ways to recover control flow.
pub const RECOVERIES: [Recovery; 2] = [Recovery::Structured, Recovery::Predicative];

/// Whether a body is one that control flow can have. Generated funclets are not nested as it has them, and generated calls that
/// end the function return anything, and anything is beside or behind them.
pub fn is_recoverable(graph: &Graph) -> bool {
    let values = |origins: &mut dyn Iterator<Item = Origin>| -> Vec<Type> {
        origins.map(|origin| graph.ty(origin)).filter(|ty| !ty.is_state()).collect()
    };
    let results = values(&mut graph.result_origins(graph.root()));
    let is_last = |output: &Origin| graph.users_of(*output).all(|user| matches!(graph.site(user), Use::Result(..)));
    let is_right = |node| match graph.op(node) {
        Some(Op::Call(call)) if graph.pool().call(call).tail.ends_function() => {
            let mut states = graph.outputs(node).iter().filter(|&&output| graph.ty(output).is_state());
            let is_ordered = graph.pool().call(call).effects == Effects::ALL && states.all(is_last);
            values(&mut graph.outputs(node).iter().copied()) == results && is_ordered
        }
        Some(Op::Invoke(call)) => graph.pool().call(call).exits != CallExits::UnwindToFunclet,
        _ => true,
    };
    !graph.has_funclets() && graph.all_nodes().all(is_right)
}

/// The control flow of bodies, as a hash.
#[derive(Default)]
pub struct Recovered(FxHasher);

impl Recovered {
    /// Adds that of one more.
    pub fn add(&mut self, cfg: &Cfg) {
        let mut text = String::new();
        for block in cfg.blocks() {
            let terminator = cfg.terminator(block);
            let _ = writeln!(text, "{block} {:?} {:?}", cfg.block_params(block), terminator.source);
            for &inst in cfg.insts(block).iter().chain(terminator.predicate.expand().iter()) {
                let parts = (cfg.results(inst), cfg.op(inst), cfg.operands(inst), cfg.source(inst), cfg.effects(inst));
                let _ = writeln!(text, "{parts:?}");
            }
            for (index, arc) in terminator.arcs.iter().enumerate() {
                let args = cfg.arc_args(ArcRef { from: block, index: index as u32 });
                let _ = writeln!(text, "{} {args:?}", arc.target);
            }
        }
        for number in 0..cfg.value_count() {
            let value = Value::new(number);
            let _ = writeln!(text, "{:?} {:?} {:?}", cfg.ty(value), cfg.value_source(value), cfg.as_const(value));
        }
        self.0.write(text.as_bytes());
    }

    /// The hash.
    pub fn finish(&self) -> u64 {
        self.0.finish()
    }
}

/// The control flow of all bodies of some modules, as a hash for each of [`RECOVERIES`].
pub fn control_flow(modules: &[Module]) -> String {
    let mut hashes = [Recovered::default(), Recovered::default()];
    for module in modules {
        for lambda in module.lambdas() {
            let graph = module.bodies[lambda.body()].graph().filter(|graph| is_recoverable(graph));
            let Some(graph) = graph else { continue };
            let contexts = module.context_symbols(lambda).len();
            RECOVERIES
                .into_iter()
                .zip(&mut hashes)
                .for_each(|(recovery, hash)| hash.add(&destruct(graph, contexts, recovery)));
        }
    }
    let [structured, predicative] = hashes.map(|hash| hash.finish());
    format!("{structured:016x} {predicative:016x}")
}
