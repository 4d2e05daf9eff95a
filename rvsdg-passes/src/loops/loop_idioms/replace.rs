//! Replaces loops by calls of intrinsics.

use rustc_hash::FxHashMap;
use rvsdg_analysis::evolution::{Address, Evolution};
use rvsdg_analysis::memory::states;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::layout::Layouts;
use rvsdg_core::op::{CastOp, GepFlags, IntBinary};
use rvsdg_core::structural::{Lambda, Theta};
use rvsdg_core::{Graph, Module, Node, Op, Origin, Symbol, Type};

use super::find::{Access, Idiom, What, Write};
use crate::control::hoisting::Hoisting;
use crate::loops::finals;
use crate::loops::trips::{count_before, linear};
use crate::module::memory_calls::MemoryCall;
use crate::module::places::Places;
use crate::pass::{Change, PassCx};

/// The intrinsic that does at once what a loop does.
fn intrinsic_of(what: What) -> MemoryCall {
    match what {
        What::Byte(_) | What::Value(_) => MemoryCall::Set,
        What::Copy(_) => MemoryCall::Copy,
        What::Move(_) => MemoryCall::Move,
    }
}

/// Replaces loops in the bodies of a module.
#[derive(Default)]
pub(super) struct Replacing {
    symbols: FxHashMap<MemoryCall, Symbol>,
    places: Option<Places>,
}

impl Replacing {
    /// Replaces loops of one body.
    pub(super) fn all(
        &mut self,
        module: &mut Module,
        lambda: Lambda,
        idioms: &[Idiom],
        layouts: &mut Layouts,
        cx: &PassCx,
    ) -> Change {
        let mut contexts = module.context_symbols(lambda);
        let mut change = Change::Unchanged;
        for idiom in idioms {
            let mut writes: Vec<(&Write, usize)> = Vec::new();
            for write in &idiom.writes {
                let intrinsic = intrinsic_of(write.what);
                let rule = if intrinsic == MemoryCall::Set { "fills" } else { "copies" };
                let Some(graph) = module.bodies[lambda.body()].graph() else { continue };
                if !cx.rewrite(rule, graph, write.to.node) {
                    continue;
                }
                let Some(context) = self.context(module, lambda, intrinsic, &mut contexts) else { continue };
                cx.count(rule, 1);
                writes.push((write, context));
            }
            if let Some(graph) = module.bodies[lambda.body()].graph_mut().filter(|_| !writes.is_empty()) {
                replace(graph, idiom.theta, &writes, layouts, cx);
                change = Change::Changed;
            }
        }
        change
    }

    /// The context variable of a function that is an intrinsic's address, added if needed.
    fn context(
        &mut self,
        module: &mut Module,
        lambda: Lambda,
        intrinsic: MemoryCall,
        contexts: &mut Vec<Symbol>,
    ) -> Option<usize> {
        let symbol = self.symbol(module, intrinsic)?;
        if let Some(index) = contexts.iter().position(|&known| known == symbol) {
            return Some(index);
        }
        let places = self.places.get_or_insert_with(|| Places::new(module));
        let index = places.add_context(module, lambda, symbol)?;
        contexts.push(symbol);
        Some(index as usize)
    }

    /// The symbol of an intrinsic, imported into the module.
    fn symbol(&mut self, module: &mut Module, intrinsic: MemoryCall) -> Option<Symbol> {
        if let Some(&symbol) = self.symbols.get(&intrinsic) {
            return Some(symbol);
        }
        let (symbol, import) = intrinsic.declaration(&module.pool).import(module)?;
        if import.is_some() {
            self.places = None;
        }
        self.symbols.insert(intrinsic, symbol);
        Some(symbol)
    }
}

/// Inserts calls of intrinsics, each with its context variable, before a loop, and removes its writes.
fn replace(graph: &mut Graph, theta: Theta, writes: &[(&Write, usize)], layouts: &mut Layouts, cx: &PassCx) {
    let evolution = Evolution::of(graph, theta);
    let Some(repetitions) = evolution.repetitions(graph, Some(layouts.data())) else { return };
    let repeated = count_before(graph, theta, &repetitions, &evolution);
    let repeated = Insert::before(graph, theta.node()).cast(CastOp::ZExt, repeated, Type::I64);
    let mut before = Before { theta, evolution: &evolution, hoisting: Hoisting::default(), repeated };
    let mut router = Router::default();
    for &(write, context) in writes {
        let callee = graph.arguments(graph.root())[context];
        let callee = router.route(graph, callee, graph.region_of(theta.node()));
        before.call(graph, layouts, callee, write);
    }
    for (write, _) in writes {
        bypass(graph, write.to.node);
        if let What::Copy(from) | What::Move(from) = write.what
            && from.node != write.to.node
            && !graph.has_users(graph.output(from.node, 0))
        {
            bypass(graph, from.node);
        }
    }
    let memory = theta.loop_vars(graph).find(|variable| graph.ty(variable.pre) == Type::MEM);
    if let Some(memory) = memory.filter(|memory| memory.is_invariant(graph)) {
        graph.divert_users(memory.output, graph.origin(memory.input));
        theta.retain_loop_vars(graph, |index| index != memory.index);
    }
    if finals::compute(graph, theta, cx).is_changed() && !graph.is_live(theta.node()) {
        return;
    }
    let is_needed =
        theta.loop_vars(graph).any(|variable| graph.has_users(variable.output) || graph.ty(variable.pre).is_state());
    if !is_needed {
        graph.remove(theta.node());
        cx.count("loops", 1);
    }
}

/// Computations before a loop.
struct Before<'e> {
    theta: Theta,
    evolution: &'e Evolution,
    hoisting: Hoisting,
    /// How often the loop is repeated.
    repeated: Origin,
}

impl Before<'_> {
    /// Inserts the call that does at once what a write does in all iterations.
    fn call(&mut self, graph: &mut Graph, layouts: &mut Layouts, callee: Origin, write: &Write) -> Option<()> {
        let pool = graph.pool().clone();
        let size = write.to.size.unsigned_abs();
        let to = self.lowest(graph, layouts, write.to)?;
        let second = match write.what {
            What::Byte(byte) => self.at(graph).int(pool.int(8), byte.into()),
            What::Value(value) => self.hoisting.hoist(graph, self.evolution.invariants(), value),
            What::Copy(from) | What::Move(from) => self.lowest(graph, layouts, from)?,
        };
        let repeated = self.repeated;
        let mut at = self.at(graph);
        let last = u64::from(!seeded::is_active(Bug::IdmLastElement));
        let elements = at.binary_int(IntBinary::Add, repeated, last);
        let length = at.binary_int(IntBinary::Mul, elements, size);
        let memory = self.theta.loop_vars(graph).find(|variable| graph.ty(variable.pre) == Type::MEM)?;
        let aligned = |access: Access| 1u64 << u32::from(access.align_log2).min(size.trailing_zeros());
        let mut aligns = vec![aligned(write.to)];
        if let What::Copy(from) | What::Move(from) = write.what {
            aligns.push(aligned(from));
        }
        let (state, source) = (graph.origin(memory.input), graph.source(write.to.node));
        let mut at = self.at(graph).source(source);
        let call = intrinsic_of(write.what).node(&mut at, callee, [to, second, length], state, &aligns);
        graph.divert(memory.input, graph.output(call, 0));
        Some(())
    }

    fn at<'g>(&self, graph: &'g mut Graph) -> Insert<'g> {
        Insert::before(graph, self.theta.node())
    }

    /// The lowest address of an access in all iterations.
    fn lowest(&mut self, graph: &mut Graph, layouts: &mut Layouts, access: Access) -> Option<Origin> {
        let Address { base, distance } = self.evolution.address(graph, layouts, access.pointer)?;
        let base = match Theta::loop_var_of_argument(graph, base) {
            Some((_, variable)) => graph.origin(variable.input),
            None => self.hoisting.hoist(graph, self.evolution.invariants(), base),
        };
        let stride = distance.step()?.known()?;
        let repeated = self.repeated;
        let mut at = Insert::before(graph, self.theta.node());
        let mut offset = linear(&mut at, self.evolution, &mut self.hoisting, distance.start());
        if stride.is_negative() && !seeded::is_active(Bug::IdmFalling) {
            let way = at.binary_int(IntBinary::Mul, repeated, stride.unsigned() as u64);
            offset = at.binary(IntBinary::Add, offset, way);
        }
        if rvsdg_core::fold::int(at.graph(), offset).is_some_and(|offset| offset.is_zero()) {
            return Some(base);
        }
        let source = at.graph().pool().int(8);
        Some(at.add(Op::Gep { source, flags: GepFlags::NONE }, &[base, offset], Type::PTR))
    }
}

/// Removes an access, and connects the memory state past it.
fn bypass(graph: &mut Graph, node: Node) {
    let (Some(before), Some(after)) = (states::before(graph, node), states::after(graph, node)) else { return };
    graph.divert_users(after, before);
    graph.remove(node);
}
