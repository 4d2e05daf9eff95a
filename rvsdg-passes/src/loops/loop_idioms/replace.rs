//! Calls of intrinsics in the place of loops.

use rustc_hash::FxHashMap;
use rvsdg_analysis::evolution::{Address, Evolution};
use rvsdg_analysis::memory::states;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::attribute::{Attribute, AttributeList};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::layout::Layouts;
use rvsdg_core::module::{SymbolData, SymbolKind};
use rvsdg_core::op::{CallExits, CallInfo, CastOp, Effects, FastMath, GepFlags, IntBinary, TailKind};
use rvsdg_core::structural::{Lambda, Theta};
use rvsdg_core::{Graph, Module, Node, Op, Origin, Pool, Symbol, Type, TypeKind};

use super::find::{Idiom, What, Write, pointer};
use crate::control::hoisting::Hoisting;
use crate::loops::finals;
use crate::loops::trips::{count_before, linear};
use crate::module::places::Places;
use crate::pass::{Change, PassCx};

/// An intrinsic.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum Intrinsic {
    Set,
    Copy,
    Move,
}

impl Intrinsic {
    fn of(what: What) -> Intrinsic {
        match what {
            What::Byte(_) | What::Value => Intrinsic::Set,
            What::Copy(_) => Intrinsic::Copy,
            What::Move(_) => Intrinsic::Move,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Intrinsic::Set => "llvm.memset.p0.i64",
            Intrinsic::Copy => "llvm.memcpy.p0.p0.i64",
            Intrinsic::Move => "llvm.memmove.p0.p0.i64",
        }
    }

    fn ty(self, pool: &Pool) -> Type {
        let second = if self == Intrinsic::Set { pool.int(8) } else { Type::PTR };
        let params = [Type::PTR, second, Type::I64, Type::I1].into();
        pool.intern_type(TypeKind::Function { result: Type::VOID, params, variadic: false })
    }

    /// What LLVM says of the intrinsic.
    fn attributes(self) -> AttributeList {
        let list = |texts: &[&str]| texts.iter().map(|&text| Attribute { text: text.into(), ty: None }).collect();
        let effects = if self == Intrinsic::Set { "memory(argmem: write)" } else { "memory(argmem: readwrite)" };
        let alone: &[&str] = if self == Intrinsic::Copy { &["noalias"] } else { &[] };
        let to = [alone, &["writeonly", "captures(none)"]].concat();
        let from = [alone, &["readonly", "captures(none)"]].concat();
        let second = if self == Intrinsic::Set { Box::default() } else { list(&from) };
        AttributeList {
            function: list(&["nocallback", "nofree", "nounwind", "willreturn", effects]),
            result: Box::default(),
            params: [list(&to), second, Box::default(), list(&["immarg"])].into(),
        }
    }
}

/// Replaces loops in the bodies of a module.
#[derive(Default)]
pub(super) struct Replacing {
    symbols: FxHashMap<Intrinsic, Symbol>,
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
                let intrinsic = Intrinsic::of(write.what);
                let rule = if intrinsic == Intrinsic::Set { "fills" } else { "copies" };
                let Some(graph) = module.bodies[lambda.body()].graph() else { continue };
                if !cx.rewrite(rule, graph, write.store) {
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

    /// The context variable of a function that is an intrinsic's address, which it gets if it has none.
    fn context(
        &mut self,
        module: &mut Module,
        lambda: Lambda,
        intrinsic: Intrinsic,
        contexts: &mut Vec<Symbol>,
    ) -> Option<usize> {
        let symbol = self.symbol(module, intrinsic);
        if let Some(index) = contexts.iter().position(|&known| known == symbol) {
            return Some(index);
        }
        let places = self.places.get_or_insert_with(|| Places::new(module));
        let index = places.add_context(module, lambda, symbol)?;
        contexts.push(symbol);
        Some(index as usize)
    }

    /// The symbol of an intrinsic, which the module imports.
    fn symbol(&mut self, module: &mut Module, intrinsic: Intrinsic) -> Symbol {
        if let Some(&symbol) = self.symbols.get(&intrinsic) {
            return symbol;
        }
        let ty = intrinsic.ty(&module.pool);
        let known = module.order.iter().copied().find(|&symbol| {
            let data = &module.symbols[symbol];
            &*data.name == intrinsic.name() && data.value_type == ty
        });
        let symbol = known.unwrap_or_else(|| {
            let data = declaration(&module.pool, intrinsic, ty);
            module.add_symbol(data)
        });
        if !module.imports.contains(&symbol) {
            module.add_import(symbol);
            self.places = None;
        }
        self.symbols.insert(intrinsic, symbol);
        symbol
    }
}

fn declaration(pool: &Pool, intrinsic: Intrinsic, ty: Type) -> SymbolData {
    SymbolData {
        name: intrinsic.name().into(),
        value_type: ty,
        address_space: 0,
        linkage: "",
        visibility: "",
        dll_storage: "",
        thread_local: "",
        unnamed_addr: "",
        dso_local: false,
        section: None,
        partition: None,
        comdat: None,
        align: None,
        kind: SymbolKind::Function {
            convention: 0,
            attributes: pool.intern_attributes(intrinsic.attributes()),
            gc: None,
            personality: None,
            prefix: None,
            prologue: None,
        },
    }
}

/// Puts calls of intrinsics, each with its context variable, before a loop, whose stores go.
fn replace(graph: &mut Graph, theta: Theta, writes: &[(&Write, usize)], layouts: &mut Layouts, cx: &PassCx) {
    let evolution = Evolution::of(graph, theta);
    let Some(repetitions) = evolution.repetitions(graph) else { return };
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
        bypass(graph, write.store);
        if let What::Copy(load) | What::Move(load) = write.what
            && !graph.has_users(graph.output(load, 0))
        {
            bypass(graph, load);
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

/// What is computed before a loop.
struct Before<'e> {
    theta: Theta,
    evolution: &'e Evolution,
    hoisting: Hoisting,
    /// How often the loop is repeated.
    repeated: Origin,
}

impl Before<'_> {
    /// Calls what does in one go what a store does in all iterations.
    fn call(&mut self, graph: &mut Graph, layouts: &mut Layouts, callee: Origin, write: &Write) -> Option<()> {
        let pool = graph.pool().clone();
        let size = layouts.of(&pool, graph.ty(graph.input(write.store, 0))).ok()?.size;
        let to = self.lowest(graph, layouts, write.store)?;
        let second = match write.what {
            What::Byte(byte) => self.at(graph).int(pool.int(8), byte.into()),
            What::Value => {
                let value = graph.input(write.store, 0);
                self.hoisting.hoist(graph, self.evolution.invariants(), value)
            }
            What::Copy(load) | What::Move(load) => self.lowest(graph, layouts, load)?,
        };
        let repeated = self.repeated;
        let mut at = self.at(graph);
        let last = u64::from(!seeded::is_active(Bug::IdmLastElement));
        let elements = at.binary_int(IntBinary::Add, repeated, last);
        let length = at.binary_int(IntBinary::Mul, elements, size);
        let volatile = at.int(Type::I1, 0);
        let memory = self.theta.loop_vars(graph).find(|variable| graph.ty(variable.pre) == Type::MEM)?;
        let intrinsic = Intrinsic::of(write.what);
        let aligned = |access: Node| {
            let (Some(Op::Load(access) | Op::Store(access)), bytes) = (graph.op(access), size) else {
                return Box::default();
            };
            let align = 1u64 << u32::from(access.align_log2).min(bytes.trailing_zeros());
            [Attribute { text: format!("align {align}").into(), ty: None }].into()
        };
        let mut params: Vec<Box<[Attribute]>> = vec![aligned(write.store)];
        if let What::Copy(load) | What::Move(load) = write.what {
            params.push(aligned(load));
        }
        let attributes = AttributeList { params: params.into(), ..AttributeList::default() };
        let info = CallInfo {
            function_type: intrinsic.ty(&pool),
            convention: 0,
            attributes: pool.intern_attributes(attributes),
            tail: TailKind::None,
            fast: FastMath::NONE,
            bundles: [].into(),
            metadata: [].into(),
            assembly: None,
            effects: Effects::MEM,
            speculatable: false,
            exits: CallExits::Return,
        };
        let inputs = [callee, to, second, length, volatile, graph.origin(memory.input)];
        let source = graph.source(write.store);
        let call = self.at(graph).source(source).node(Op::Call(pool.intern_call(info)), &inputs, &[Type::MEM]);
        graph.divert(memory.input, graph.output(call, 0));
        Some(())
    }

    fn at<'g>(&self, graph: &'g mut Graph) -> Insert<'g> {
        Insert::before(graph, self.theta.node())
    }

    /// The lowest address that an access accesses in any iteration.
    fn lowest(&mut self, graph: &mut Graph, layouts: &mut Layouts, access: Node) -> Option<Origin> {
        let Address { base, distance } = self.evolution.address(graph, layouts, pointer(graph, access))?;
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

/// Removes a load or store; the memory state passes it by.
fn bypass(graph: &mut Graph, node: Node) {
    let (Some(before), Some(after)) = (states::before(graph, node), states::after(graph, node)) else { return };
    graph.divert_users(after, before);
    graph.remove(node);
}
