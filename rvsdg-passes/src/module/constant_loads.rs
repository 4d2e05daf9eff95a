//! Constant loads: folds loads from variables that never change, and from parts of variables that nothing writes.
//!
//! ```text
//! @table = constant [2 x i32] [i32 1, i32 7]
//!
//! delta @table []
//! lambda @f [@table] (mem0, io0) {
//!   v0 = const i64 4
//!   v1: ptr = getelementptr i8, @table, v0
//!   v2: i32, mem1 = load v1, mem0, align 4
//!   yield v2, mem1, io0
//! }
//! export @f
//! ```
//!
//! becomes
//!
//! ```text
//! lambda @f [@table] (mem0, io0) {
//!   v0 = const i32 7
//!   yield v0, mem0, io0
//! }
//! ```
//!
//! If the loaded value is the address of a function or variable, as in a table of virtual functions, it becomes a context variable, and
//! a call of it becomes a direct call. Loads from that address are folded in turn if its variable never changes either.
//!
//! Of a variable that only this module can reach, the parts that its stores do not write keep what the initializer says. That is known once
//! loops over the variable are unrolled.
//!
//! `strlen` of a constant string is folded too, if the target's library may be assumed.
//!
//! Counters: `constant_loads`.
//!
//! Running it again finds loads whose address has become known since.
//!
//! Cost: linear in the size of the module.
//!
//! Left out: loads at unknown indices; values with more than one symbol; differences of symbols, as in relative tables.
//!
//! After LLVM's `ConstantFoldLoadFromConst`.

use rvsdg_analysis::VariableUses;
use rvsdg_analysis::allocation::ignores_names;
use rvsdg_analysis::constant_memory::{ConstantMemory, Stored};
use rvsdg_analysis::function::attributes;
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::structural::Lambda;
use rvsdg_core::{Const, Constant, Graph, Module, Node, Op, Symbol};

use super::places::Places;
use crate::pass::{Change, ModulePass, PassCx, Stage};

/// How many successive loads are followed from one variable to the next.
const MAX_CHAIN: usize = 4;

/// The one stage of the pass.
pub struct ConstantLoads;

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Module(Box::new(ConstantLoads))]
}

impl ModulePass for ConstantLoads {
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change {
        let memory = ConstantMemory::of(module, &VariableUses::of(module));
        let Some(mut memory) = memory.filter(|memory| !memory.is_empty()) else { return Change::Unchanged };
        let mut places = None;
        let mut change = Change::Unchanged;
        for lambda in module.lambdas() {
            let contexts = module.context_symbols(lambda);
            if contexts.iter().any(|&symbol| memory.has(symbol)) {
                let mut body = InModule { module, places: &mut places, lambda, contexts };
                let count = replace_loads(&mut memory, &mut body, cx);
                if count > 0 {
                    cx.count("constant_loads", count as u64);
                    cx.body_changed(lambda.body());
                    change = Change::Changed;
                }
            }
        }
        change
    }
}

/// A body, and the symbols it mentions.
pub(crate) trait Mentioning {
    /// The graph.
    fn graph(&self) -> Option<&Graph>;

    /// The graph, mutable.
    fn graph_mut(&mut self) -> Option<&mut Graph>;

    /// The symbols of its context variables.
    fn contexts(&self) -> &[Symbol];

    /// Whether functions with certain names may be assumed to be those of the target's library.
    fn calls_library(&self) -> bool;

    /// The context variable of a symbol, added if needed.
    fn context(&mut self, symbol: Symbol) -> Option<u32>;
}

struct InModule<'m> {
    module: &'m mut Module,
    places: &'m mut Option<Places>,
    lambda: Lambda,
    contexts: Vec<Symbol>,
}

impl Mentioning for InModule<'_> {
    fn graph(&self) -> Option<&Graph> {
        self.module.bodies[self.lambda.body()].graph()
    }

    fn graph_mut(&mut self) -> Option<&mut Graph> {
        self.module.bodies[self.lambda.body()].graph_mut()
    }

    fn contexts(&self) -> &[Symbol] {
        &self.contexts
    }

    fn calls_library(&self) -> bool {
        calls_library(self.module, self.module.bodies[self.lambda.body()].symbol)
    }

    fn context(&mut self, symbol: Symbol) -> Option<u32> {
        if let Some(index) = self.contexts.iter().position(|&known| known == symbol) {
            return Some(index as u32);
        }
        let places = self.places.get_or_insert_with(|| Places::new(self.module));
        let index = places.add_context(self.module, self.lambda, symbol)?;
        self.contexts.push(symbol);
        Some(index)
    }
}

/// Whether a function does not forbid assumptions about names, as `-fno-builtin` does.
pub(crate) fn calls_library(module: &Module, function: Symbol) -> bool {
    attributes(module, function).is_some_and(|own| !ignores_names(own))
}

/// Folds the loads of a body from constant memory; returns how many.
pub(crate) fn replace_loads(memory: &mut ConstantMemory, body: &mut impl Mentioning, cx: &PassCx) -> usize {
    let mut count = 0;
    for _ in 0..MAX_CHAIN {
        let mut known = Vec::new();
        for (load, Stored { constant, symbol }) in find(memory, body) {
            if !body.graph().is_some_and(|graph| cx.rewrite("constant-load", graph, load)) {
                continue;
            }
            let context = match symbol.map(|symbol| body.context(symbol)) {
                None => None,
                Some(Some(context)) => Some(context as usize),
                Some(None) => continue,
            };
            known.push((load, constant, context));
        }
        let Some(graph) = body.graph_mut().filter(|_| !known.is_empty()) else { break };
        replace(graph, &known);
        count += known.len();
    }
    count
}

fn find(memory: &mut ConstantMemory, body: &impl Mentioning) -> Vec<(Node, Stored)> {
    let Some(graph) = body.graph() else { return Vec::new() };
    let mut found = Vec::new();
    let calls_library = body.calls_library();
    for node in graph.all_nodes() {
        if let Some(Op::Call(_)) = graph.op(node)
            && calls_library
            && let Some(constant) = memory.length(graph, body.contexts(), node)
        {
            found.push((node, Stored { constant, symbol: None }));
        }
        if let Some(Op::Load(access)) = graph.op(node)
            && access.is_plain()
            && let ty = graph.ty(graph.output(node, 0))
            && let Some(stored) = memory.load(graph, body.contexts(), graph.input(node, 0), ty)
        {
            found.push((node, stored));
        }
    }
    found
}

/// Replaces loads by constants, each with the context variable that fills its hole.
fn replace(graph: &mut Graph, known: &[(Node, Const, Option<usize>)]) {
    let mut router = Router::new();
    for &(load, constant, context) in known {
        let region = graph.region_of(load);
        let value = match context {
            None => Insert::before(graph, load).constant(constant),
            Some(context) => {
                let address = graph.arguments(graph.root())[context];
                let address = router.route(graph, address, region);
                match *graph.pool().constant(constant) {
                    Constant::Hole { .. } => address,
                    _ => {
                        let ty = graph.ty(graph.output(load, 0));
                        Insert::before(graph, load).add(Op::Const(constant), &[address], ty)
                    }
                }
            }
        };
        let outputs = graph.outputs(load).len();
        graph.divert_users(graph.output(load, 0), value);
        for index in 1..outputs {
            let before = graph.input(load, graph.inputs(load).len() - (outputs - index));
            graph.divert_users(graph.output(load, index), before);
        }
        graph.remove(load);
    }
}
