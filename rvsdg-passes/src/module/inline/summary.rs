//! What callers need to know of a function: whether its body may be inlined, and at what cost.

use rustc_hash::FxHashMap;
use rvsdg_analysis::call_graph::{DirectCalls, calls_input};
use rvsdg_analysis::callee::call_has;
use rvsdg_analysis::divergence::Machine;
use rvsdg_analysis::function::{attributes, has_attribute, is_interposable, may_unwind};
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::attribute::{Attribute, AttributeKind};
use rvsdg_core::module::SymbolKind;
use rvsdg_core::op::{CallExits, CallInfo, CastOp, TailKind};
use rvsdg_core::{Constant, Graph, Module, Node, NodeKind, Op, Origin, Pool, Symbol, Type, TypeKind};

use super::by_value;
use super::decline::Decline;
use super::unwind::catches_all;

/// Cost of an operation, in LLVM's unit.
pub(super) const OPERATION: u32 = 5;
/// Cost of a call beyond its operands, in LLVM's unit.
pub(super) const CALL: u32 = 25;
/// A callee with a larger stack frame, in bytes, is not inlined: callers that do not reach its code would need the space too.
const MAX_FRAME: u64 = 64 << 10;

/// How a function may unwind.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Unwinding {
    /// Not at all.
    Never,
    /// Out of calls, with values of at most this one type.
    To(Option<Type>),
    /// Out of something that cannot be an `invoke`, with values of several types, or past landing pads that catch only some exceptions
    /// and do not resume.
    Otherwise,
}

impl Unwinding {
    /// Adds another way to unwind.
    fn join(&mut self, other: Unwinding) {
        use Unwinding::{Never, Otherwise, To};
        *self = match (*self, other) {
            (Never, other) | (other, Never) => other,
            (To(None), To(ty)) | (To(ty), To(None)) => To(ty),
            (To(one), To(other)) if one == other => To(one),
            (To(_), To(_)) | (Otherwise, _) | (_, Otherwise) => Otherwise,
        };
    }

    /// Whether an `invoke` whose landing pad gets values of a type can handle it.
    pub fn fits(self, pad: Type) -> bool {
        match self {
            Unwinding::Never => true,
            Unwinding::To(ty) => ty.is_none_or(|ty| ty == pad),
            Unwinding::Otherwise => false,
        }
    }
}

/// A function as seen by its callers.
#[derive(Clone)]
pub(super) struct Summary {
    /// Why no call of it can be inlined.
    pub refusal: Option<Decline>,
    /// The cost of its operations.
    pub cost: u32,
    /// The number of nodes.
    pub nodes: u32,
    /// The size of the stack frame in bytes.
    pub frame: u64,
    /// How it may unwind.
    pub unwinds: Unwinding,
    /// How its nodes may unwind, regardless of promises of the function.
    body: Unwinding,
    /// Whether it has landing pads that catch only some exceptions, and tokens, none of which is poison.
    partial: bool,
    tokens: bool,
    /// Whether it has neither γ nor θ.
    pub straight: bool,
    /// Whether it has calls marked `tail`.
    pub tails: bool,
    /// Which extents of instructions its body [needs](rvsdg_core::sources::Sources::needed).
    pub extents: Box<[bool]>,
}

impl Summary {
    /// The summary of a body that is not a graph.
    pub fn untouched() -> Summary {
        Summary {
            refusal: Some(Decline::Untouched),
            cost: u32::MAX,
            nodes: 0,
            frame: 0,
            unwinds: Unwinding::Otherwise,
            body: Unwinding::Otherwise,
            partial: false,
            tokens: false,
            straight: false,
            tails: false,
            extents: Box::default(),
        }
    }

    /// The summary of a graph; `contexts` are the symbols of its context variables, and `waiting` has the summaries of the bodies that
    /// will replace calls. Linear in the graph.
    pub fn new(
        module: &Module,
        symbol: Symbol,
        graph: &Graph,
        contexts: &[Symbol],
        direct: &DirectCalls,
        waiting: &FxHashMap<Node, &Summary>,
    ) -> Summary {
        let pool = &*module.pool;
        let mut summary = Summary {
            refusal: function(module, symbol).err(),
            cost: 0,
            nodes: graph.node_count() as u32,
            frame: 0,
            unwinds: Unwinding::Never,
            body: Unwinding::Never,
            partial: false,
            tokens: false,
            straight: true,
            tails: false,
            extents: Box::default(),
        };
        for ty in
            attributes(module, symbol).iter().flat_map(|list| &list.params).filter_map(|set| by_value::passed(set))
        {
            summary.frame = summary.frame.saturating_add(bytes(pool, ty));
        }
        let called: FxHashMap<Node, Symbol> =
            direct.calls.iter().map(|&(node, context)| (node, contexts[context as usize])).collect();
        if called.values().any(|&callee| callee == symbol) {
            summary.refuse(Decline::SelfRecursive);
        }
        for node in graph.all_nodes() {
            let op = match graph.kind(node) {
                NodeKind::Simple(op) => op,
                NodeKind::Gamma | NodeKind::Theta => {
                    summary.straight = false;
                    continue;
                }
                NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => continue,
            };
            if let Some(inner) = waiting.get(&node) {
                summary.absorb(graph, node, inner);
                continue;
            }
            summary.cost = summary.cost.saturating_add(cost(graph, node, op, intrinsic(module, called.get(&node))));
            match op {
                Op::Call(call) | Op::Invoke(call) => {
                    let (info, callee) = (pool.call(call), called.get(&node));
                    summary.call(module, info, callee.copied());
                    summary.tokens |=
                        graph.outputs(node).iter().any(|&output| *pool.type_kind(graph.ty(output)) == TypeKind::Token);
                    if let CallExits::Unwind(pad) = &info.exits {
                        summary.partial |= !pad.cleanup && !catches_all(graph, node, info);
                    } else if may_unwind(module, info, callee.copied()) {
                        let plain = info.assembly.is_none() && info.bundles.is_empty() && info.metadata.is_empty();
                        let plain = plain && intrinsic(module, callee).is_none();
                        summary.body.join(if plain { Unwinding::To(None) } else { Unwinding::Otherwise });
                    }
                }
                Op::CallBr(_) => summary.refuse(Decline::AsmGoto),
                Op::IndirectBr(_) => summary.refuse(Decline::IndirectBr),
                Op::Resume => summary.body.join(Unwinding::To(Some(graph.ty(graph.input(node, 0))))),
                Op::Funclet(_) => summary.refuse(Decline::Funclets),
                Op::Const(constant) => {
                    if !graph.inputs(node).is_empty() && has_block_address(pool, constant) {
                        summary.refuse(Decline::IndirectBr);
                    }
                }
                Op::Alloca { in_alloca: true, .. } | Op::Alloca { swift_error: true, .. } => {
                    summary.refuse(Decline::InAlloca);
                }
                Op::Alloca { ty, .. } => match static_count(graph, node) {
                    Some(count) => summary.frame = summary.frame.saturating_add(count.saturating_mul(bytes(pool, ty))),
                    None => summary.refuse(Decline::DynamicAlloca),
                },
                Op::CtlConst { .. }
                | Op::Match(_)
                | Op::IntBinary { .. }
                | Op::FloatBinary { .. }
                | Op::FNeg(_)
                | Op::ICmp { .. }
                | Op::FCmp { .. }
                | Op::Cast { .. }
                | Op::Select(_)
                | Op::Freeze
                | Op::ExtractElement
                | Op::InsertElement
                | Op::ShuffleVector(_)
                | Op::ExtractValue(_)
                | Op::InsertValue(_)
                | Op::Gep { .. }
                | Op::Load(_)
                | Op::Store(_)
                | Op::CmpXchg { .. }
                | Op::AtomicRmw { .. }
                | Op::Fence { .. }
                | Op::Unreachable
                | Op::Ext(_) => {}
                Op::VaArg => summary.refuse(Decline::VarArgs),
            }
        }
        let resumes = matches!(summary.body, Unwinding::To(Some(_)));
        let stuck = summary.partial && !resumes || summary.tokens && summary.body != Unwinding::Never;
        summary.unwinds = if has_attribute(module, symbol, AttributeKind::NoUnwind) {
            Unwinding::Never
        } else if stuck {
            Unwinding::Otherwise
        } else {
            summary.body
        };
        if summary.frame > MAX_FRAME {
            summary.refuse(Decline::BigFrame);
        }
        summary
    }

    /// The body with summary `inner` will replace `call`.
    fn absorb(&mut self, graph: &Graph, call: Node, inner: &Summary) {
        self.cost = self.cost.saturating_add(inner.cost);
        self.nodes = self.nodes.saturating_add(inner.nodes);
        self.frame = self.frame.saturating_add(inner.frame);
        self.straight &= inner.straight;
        self.tails |= inner.tails;
        self.tokens |= inner.tokens;
        let mut partial = inner.partial;
        let mut caught = false;
        if let Some(Op::Invoke(info)) = graph.op(call)
            && let info = graph.pool().call(info)
            && let CallExits::Unwind(pad) = &info.exits
        {
            let takes_all = pad.cleanup || catches_all(graph, call, info);
            self.partial |= !takes_all;
            partial &= !takes_all;
            caught = inner.unwinds != Unwinding::Never;
        }
        self.partial |= partial;
        if !caught {
            self.body.join(inner.body);
        }
    }

    fn refuse(&mut self, reason: Decline) {
        self.refusal.get_or_insert(reason);
    }

    fn call(&mut self, module: &Module, info: &CallInfo, callee: Option<Symbol>) {
        let site = module.pool.attributes(info.attributes);
        let declared = callee.and_then(|symbol| attributes(module, symbol));
        let has = |kind| site.function_has(kind) || declared.is_some_and(|list| list.function_has(kind));
        match info.tail {
            TailKind::MustTail | TailKind::Returned => self.refuse(Decline::MustTail),
            TailKind::Tail => self.tails = true,
            TailKind::None | TailKind::NoTail => {}
        }
        if has(AttributeKind::ReturnsTwice) {
            self.refuse(Decline::ReturnsTwice);
        }
        if has(AttributeKind::NoDuplicate) {
            self.refuse(Decline::NoDuplicate);
        }
        let Some(name) = callee.map(|symbol| &*module.symbols[symbol].name) else { return };
        let Some(name) = name.strip_prefix("llvm.") else { return };
        const FRAME: &[&str] = &[
            "frameaddress",
            "returnaddress",
            "addressofreturnaddress",
            "sponentry",
            "stacksave",
            "stackrestore",
            "localescape",
            "localrecover",
            "eh.dwarf",
            "eh.sjlj",
            "eh.unwind",
            "eh.return",
            "eh.recoverfp",
            "get.dynamic.area",
            "icall.branch.funnel",
            "gcroot",
        ];
        if FRAME.iter().any(|prefix| name.starts_with(prefix)) {
            self.refuse(Decline::FrameIntrinsic);
        }
        if ["va_start", "va_end", "va_copy"].iter().any(|prefix| name.starts_with(prefix)) {
            self.refuse(Decline::VarArgs);
        }
        if name.starts_with("coro.") {
            self.refuse(Decline::Coroutine);
        }
        if name.starts_with("experimental.convergence") {
            self.refuse(Decline::Convergence);
        }
    }
}

/// What the symbol alone determines.
pub(super) fn function(module: &Module, symbol: Symbol) -> Result<(), Decline> {
    let data = &module.symbols[symbol];
    let SymbolKind::Function { attributes, .. } = &data.kind else { return Err(Decline::Untouched) };
    let list = module.pool.attributes(*attributes);
    if is_interposable(module, symbol) && !seeded::is_active(Bug::IlnInterposable) {
        return Err(Decline::Interposable);
    }
    let refused = [
        AttributeKind::NoInline,
        AttributeKind::OptNone,
        AttributeKind::Naked,
        AttributeKind::NoDuplicate,
        AttributeKind::ReturnsTwice,
    ];
    let is_body = is_body_of_kernel(module, symbol);
    if refused.into_iter().any(|kind| list.function_has(kind) && !(is_body && kind == AttributeKind::NoInline)) {
        return Err(Decline::NoInline);
    }
    if list.function_has(AttributeKind::PresplitCoroutine) {
        return Err(Decline::Coroutine);
    }
    let is_odd = |kind: AttributeKind| AttributeKind::OWN.contains(&kind) && kind != AttributeKind::ByVal;
    if list.params.iter().flatten().filter_map(Attribute::kind).any(is_odd) {
        return Err(Decline::Parameter);
    }
    match module.pool.type_kind(data.value_type) {
        TypeKind::Function { variadic: false, .. } => Ok(()),
        _ => Err(Decline::VarArgs),
    }
}

/// Whether clang made a function of the body of an OpenCL kernel, which the kernel calls, and other functions may call too. clang marks
/// both `noinline`, whatever the program says.
pub(super) fn is_body_of_kernel(module: &Module, symbol: Symbol) -> bool {
    Machine::of_triple(&module.header.triple).is_some()
        && module.symbols[symbol].name.starts_with("__clang_ocl_kern_imp_")
}

/// The name of the called intrinsic, without `llvm.`.
pub(super) fn intrinsic<'m>(module: &'m Module, callee: Option<&Symbol>) -> Option<&'m str> {
    module.symbols[*callee?].name.strip_prefix("llvm.")
}

/// The cost of an operation, in LLVM's unit; `intrinsic` is the name of the intrinsic that it calls, without `llvm.`.
pub(super) fn cost(graph: &Graph, node: Node, op: Op, intrinsic: Option<&str>) -> u32 {
    let constant =
        |origin: Origin| graph.producer(origin).is_some_and(|node| matches!(graph.op(node), Some(Op::Const(_))));
    match op {
        Op::Const(_) | Op::CtlConst { .. } | Op::Alloca { .. } | Op::Freeze | Op::Unreachable => 0,
        // The branch; the comparison has a cost of its own.
        Op::Match(_) if graph.ty(graph.input(node, 0)) == Type::I1 => 0,
        // One unknown index is part of an access's addressing mode.
        Op::Gep { .. } if graph.input_origins(node).skip(1).filter(|&index| !constant(index)).count() <= 1 => 0,
        // The same register, or part of it.
        Op::Cast {
            op: CastOp::Trunc | CastOp::PtrToInt | CastOp::PtrToAddr | CastOp::IntToPtr | CastOp::BitCast,
            ..
        } => 0,
        // Part of the load, as is that of a register that arithmetic has cleared.
        Op::Cast { op: CastOp::ZExt | CastOp::SExt, .. } if is_loaded(graph, graph.input(node, 0)) => 0,
        Op::Cast { op: CastOp::ZExt, .. }
            if graph.ty(graph.input(node, 0)) == graph.pool().int(32)
                && graph.ty(graph.output(node, 0)) == Type::I64 =>
        {
            0
        }
        Op::Call(_) if calls_input(graph.pool(), op) => match intrinsic {
            Some(name) if FREE.iter().any(|prefix| name.starts_with(prefix)) => 0,
            Some(_) => OPERATION,
            None => call_cost(graph, node, op),
        },
        Op::Invoke(_) => call_cost(graph, node, op),
        Op::Ext(ext) => {
            let operations = graph.pool().ext_hooks(ext).map_or(1, |hooks| (hooks.cost)(graph, node));
            OPERATION.saturating_mul(operations)
        }
        _ => OPERATION,
    }
}

/// Whether a value is what a load reads.
fn is_loaded(graph: &Graph, value: Origin) -> bool {
    graph.producer(value).is_some_and(|node| matches!(graph.op(node), Some(Op::Load(_))))
}

/// The cost of a call including its arguments, which inlining saves. For a call that does not return nothing needs to be preserved.
pub(super) fn call_cost(graph: &Graph, call: Node, op: Op) -> u32 {
    let others = 1 + op.effects(graph.pool()).count();
    let own = if call_has(graph, None, call, &[AttributeKind::NoReturn]) { OPERATION } else { CALL };
    own + OPERATION * graph.inputs(call).len().saturating_sub(others) as u32
}

/// Intrinsics that generate no code.
const FREE: &[&str] =
    &["lifetime.", "assume", "experimental.noalias.scope", "dbg.", "invariant.", "annotation", "donothing"];

/// The number of elements of an allocation that is made once per call.
pub(super) fn static_count(graph: &Graph, alloca: Node) -> Option<u64> {
    if graph.region_of(alloca) != graph.root() {
        return None;
    }
    let count = graph.producer(graph.input(alloca, 0))?;
    let Some(Op::Const(constant)) = graph.op(count) else { return None };
    match graph.pool().constant(constant) {
        Constant::Int { words, .. } => match words.as_slice() {
            [count] => Some(*count),
            _ => None,
        },
        _ => None,
    }
}

/// The approximate size of a type: pointers have eight bytes.
fn bytes(pool: &Pool, ty: Type) -> u64 {
    let mut total = 0u64;
    let mut pending = vec![(ty, 1u64)];
    while let Some((ty, times)) = pending.pop() {
        let own = match pool.type_kind(ty) {
            TypeKind::Int(bits) => u64::from(bits.div_ceil(8).next_power_of_two()),
            TypeKind::Half | TypeKind::BFloat => 2,
            TypeKind::Float => 4,
            TypeKind::Double | TypeKind::Ptr(_) => 8,
            TypeKind::X86Fp80 | TypeKind::Fp128 | TypeKind::PpcFp128 => 16,
            TypeKind::X86Amx | TypeKind::Target { .. } => 1024,
            TypeKind::Vector { element, len, .. } => {
                pending.push((*element, times.saturating_mul(u64::from(*len))));
                0
            }
            TypeKind::Array { element, len } => {
                pending.push((*element, times.saturating_mul(*len)));
                0
            }
            TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
                pending.extend(elements.iter().map(|&element| (element, times)));
                0
            }
            TypeKind::Named { elements: None, .. }
            | TypeKind::Function { .. }
            | TypeKind::Void
            | TypeKind::Token
            | TypeKind::Metadata
            | TypeKind::Ctl(_)
            | TypeKind::Mem
            | TypeKind::Io => 0,
        };
        total = total.saturating_add(own.saturating_mul(times));
    }
    total
}

fn has_block_address(pool: &Pool, constant: rvsdg_core::Const) -> bool {
    let mut pending = vec![constant];
    while let Some(constant) = pending.pop() {
        let constant = pool.constant(constant);
        if matches!(constant, Constant::BlockAddress { .. }) {
            return true;
        }
        pending.extend(constant.operands());
    }
    false
}
