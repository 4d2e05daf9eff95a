//! Functions that round a number to an integer, or take its magnitude: those of the library become intrinsics, and if the number was
//! extended from a smaller type, in which the result is exact, they are computed in that type. Square roots of numbers that are never
//! less than zero ([`sign`]) become intrinsics, too.
//!
//! ```text
//! v1: double = fpext v0
//! v2: double = call double (double) @llvm.floor.f64(v1)
//! ```
//!
//! becomes
//!
//! ```text
//! v1: float = call speculatable float (float) @llvm.floor.f32(v0)
//! v2: double = fpext v1
//! ```
//!
//! LLVM's InstCombine, and its `replaceUnaryCall`, `optimizeDoubleFP` and `optimizeSqrt`. They are in the default floating-point
//! environment, and set no `errno`: the square root does only for numbers less than zero. A number is not less than zero if it is a
//! square, whose factors are frozen where they may be undef.
//!
//! Cost: linear in the size of the functions that call such functions.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use rvsdg_analysis::callee;
use rvsdg_analysis::function::is_opaque;
use rvsdg_analysis::sign::{self, Squares};
use rvsdg_analysis::surroundings::Surroundings;
use rvsdg_analysis::undef::is_not_undef;
use rvsdg_core::attribute::{Attribute, AttributeList};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::fold::{Intrinsic, Math};
use rvsdg_core::module::{Body, SymbolData, SymbolKind};
use rvsdg_core::op::{CallInfo, CastOp, Effects};
use rvsdg_core::structural::Lambda;
use rvsdg_core::{Graph, Module, Node, Op, Origin, Pool, Symbol, Type, TypeKind};

use crate::module::places::Places;
use crate::pass::{Change, ModulePass, PassCx};

/// The functions, by their names in C and in those of intrinsics.
const FUNCTIONS: &[(Intrinsic, &str)] = &[
    (Intrinsic::FAbs, "fabs"),
    (Intrinsic::Floor, "floor"),
    (Intrinsic::Ceil, "ceil"),
    (Intrinsic::Trunc, "trunc"),
    (Intrinsic::Rint, "rint"),
    (Intrinsic::NearbyInt, "nearbyint"),
    (Intrinsic::Round, "round"),
    (Intrinsic::RoundEven, "roundeven"),
];

/// The stage for [roundings](self).
pub struct Roundings;

/// The function that sets `errno`, but only for numbers less than zero.
const SQUARE_ROOT: (Intrinsic, &str) = (Intrinsic::Math(Math::Sqrt), "sqrt");

/// A call that is to be replaced.
struct Found {
    call: Node,
    /// The intrinsic's name.
    name: String,
    /// The type in which it is computed. If that is not the type of the argument, it is computed of what that is extended from.
    ty: Type,
    /// The squares whose factors must not be undef.
    squares: Squares,
}

impl ModulePass for Roundings {
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change {
        let is_one = |&symbol: &Symbol| {
            let name = &*module.symbols[symbol].name;
            FUNCTIONS.iter().chain([&SQUARE_ROOT]).any(|(_, known)| name.contains(known))
        };
        if !module.imports.iter().any(is_one) {
            return Change::Unchanged;
        }
        let surroundings = Surroundings::of_all(module);
        let mut change = Change::Unchanged;
        let mut places: Option<Places> = None;
        for lambda in module.lambdas() {
            if is_opaque(module, module.bodies[lambda.body()].symbol) {
                continue;
            }
            for found in found(module, lambda, &surroundings) {
                if !cx.rewrite("rounding", module.bodies[lambda.body()].graph().expect("it is one"), found.call) {
                    continue;
                }
                let Some(context) = context(module, &mut places, lambda, &found) else { continue };
                let graph = module.bodies[lambda.body()].graph_mut().expect("it is one");
                replace(graph, &found, context);
                cx.body_changed(lambda.body());
                change = Change::Changed;
            }
        }
        change
    }
}

/// The calls of a function that are to be replaced.
fn found(module: &Module, lambda: Lambda, surroundings: &FxHashMap<Body, Arc<Surroundings>>) -> Vec<Found> {
    let Some(graph) = module.bodies[lambda.body()].graph().filter(|graph| !graph.has_funclets()) else {
        return Vec::new();
    };
    let around = surroundings.get(&lambda.body()).map(|around| &**around);
    let of = |call: Node| {
        let computed = callee::computation(graph, around, call)?;
        let number = graph.input_origins(call).nth(1)?;
        let ty = graph.ty(number);
        let is_function = callee::intrinsic(graph, around, call).is_none();
        let has_type = graph.ty(graph.output(call, 0)) == ty;
        if computed == SQUARE_ROOT.0 {
            let squares = (is_function && has_type).then(|| sign::never_below_zero(graph, around, number))??;
            let name = format!("llvm.{}.{}", SQUARE_ROOT.1, suffix(graph.pool(), ty)?);
            return Some(Found { call, name, ty, squares: undefined(graph, around, squares) });
        }
        let &(_, name) = FUNCTIONS.iter().find(|&&(function, _)| function == computed)?;
        let extended = graph.producer(number).filter(|&node| {
            matches!(graph.op(node), Some(Op::Cast { op: CastOp::FPExt, .. })) && graph.has_one_user(number)
        });
        let suffix = |number: Origin| suffix(graph.pool(), graph.ty(number));
        let narrow = extended.map(|node| graph.input(node, 0)).filter(|&narrow| suffix(narrow).is_some());
        let rounded = narrow.or_else(|| is_function.then_some(number))?;
        let name = format!("llvm.{name}.{}", suffix(rounded)?);
        let (ty, squares) = (graph.ty(rounded), Squares::new());
        has_type.then_some(Found { call, name, ty, squares })
    };
    graph.all_nodes().filter_map(of).collect()
}

/// The first factor of a square, which is the second as well.
fn factor(graph: &Graph, square: Node) -> usize {
    // The first operand of a call is the callee.
    usize::from(matches!(graph.op(square), Some(Op::Call(_))))
}

/// The squares of what may be undef.
fn undefined(graph: &Graph, around: Option<&Surroundings>, mut squares: Squares) -> Squares {
    squares.retain(|square| !is_not_undef(graph, around, graph.input(*square, factor(graph, *square))));
    squares
}

/// The end of the names of intrinsics on a type, if it is one of those that targets compute with.
fn suffix(pool: &Pool, ty: Type) -> Option<&'static str> {
    match pool.type_kind(ty) {
        TypeKind::Float => Some("f32"),
        TypeKind::Double => Some("f64"),
        _ => None,
    }
}

/// The context variable of a function for an intrinsic.
fn context(module: &mut Module, places: &mut Option<Places>, lambda: Lambda, found: &Found) -> Option<usize> {
    let name = &*found.name;
    let value_type = function_type(&module.pool, found.ty);
    let known = module.order.iter().copied().find(|&symbol| *module.symbols[symbol].name == *name);
    if known.is_some_and(|known| module.symbols[known].value_type != value_type) {
        return None;
    }
    let symbol = known.unwrap_or_else(|| {
        let data = declaration(module, name, value_type);
        module.add_symbol(data)
    });
    if let Some(index) = module.context_symbols(lambda).iter().position(|&known| known == symbol) {
        return Some(index);
    }
    if !module.imports.contains(&symbol) {
        module.add_import(symbol);
        *places = None;
    }
    let places = places.get_or_insert_with(|| Places::new(module));
    Some(places.add_context(module, lambda, symbol)? as usize)
}

/// The type of a function of one number.
fn function_type(pool: &Pool, ty: Type) -> Type {
    pool.intern_type(TypeKind::Function { result: ty, params: [ty].into(), variadic: false })
}

/// A declaration with LLVM's attributes of the intrinsic.
fn declaration(module: &Module, name: &str, ty: Type) -> SymbolData {
    let texts = ["nocallback", "nofree", "nosync", "nounwind", "speculatable", "willreturn", "memory(none)"];
    let function = texts.iter().map(|&text| Attribute { text: text.into(), ty: None }).collect();
    let attributes = module.pool.intern_attributes(AttributeList { function, ..AttributeList::default() });
    let (gc, personality, prefix, prologue) = (None, None, None, None);
    let kind = SymbolKind::Function { convention: 0, attributes, gc, personality, prefix, prologue };
    SymbolData::new(name, ty, kind)
}

/// Replaces a call by one of the intrinsic that a context variable is, and connects its states past it.
fn replace(graph: &mut Graph, found: &Found, context: usize) {
    let Some(Op::Call(call)) = graph.op(found.call) else { return };
    for &square in &found.squares {
        let first = factor(graph, square);
        let factor = graph.input(square, first);
        // Two square roots may be computed of one square.
        if graph.producer(factor).and_then(|node| graph.op(node)) != Some(Op::Freeze) {
            let frozen = Insert::before(graph, square).freeze(factor);
            for index in [first, first + 1] {
                graph.divert(graph.inputs(square)[index], frozen);
            }
        }
    }
    let (pool, region) = (graph.pool().clone(), graph.region_of(found.call));
    let address = graph.arguments(graph.root())[context];
    let address = Router::default().route(graph, address, region);
    let info = CallInfo {
        fast: pool.call(call).fast,
        effects: Effects::NONE,
        speculatable: true,
        ..CallInfo::new(function_type(&pool, found.ty))
    };
    let (old, source) = (graph.output(found.call, 0), graph.source(found.call));
    let (argument, result) = (graph.input(found.call, 1), graph.ty(old));
    let extended = graph.producer(argument).filter(|_| result != found.ty);
    let number = extended.map_or(argument, |node| graph.input(node, 0));
    let mut at = Insert::before(graph, found.call).source(source);
    let mut new = at.add(Op::Call(pool.intern_call(info)), &[address, number], found.ty);
    if result != found.ty {
        new = at.cast(CastOp::FPExt, new, result);
    }
    graph.divert_users(old, new);
    let (inputs, outputs) = (graph.inputs(found.call).len(), graph.outputs(found.call).len());
    for index in 1..outputs {
        let (state, before) = (graph.output(found.call, index), graph.input(found.call, inputs - (outputs - index)));
        graph.divert_users(state, before);
    }
    graph.remove(found.call);
    if let Some(extended) = extended {
        graph.remove(extended);
    }
}
