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
//! square, whose factors are frozen where they may be undef. A square root of an extended number that is truncated again is computed in
//! the smaller type: rounded twice it is the same, because the larger type has more than twice as many bits.

use rvsdg_analysis::callee;
use rvsdg_analysis::sign::{self, Squares};
use rvsdg_analysis::surroundings::Surroundings;
use rvsdg_analysis::undef::is_not_undef;
use rvsdg_core::build::Insert;
use rvsdg_core::fold::{Intrinsic, Math};
use rvsdg_core::op::CastOp;
use rvsdg_core::{Graph, Node, Op, Origin, Pool, Type, TypeKind, Use};

use super::{Calls, Mention, Replacement, Rule, Site};

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

/// The function that sets `errno`, but only for numbers less than zero.
const SQUARE_ROOT: (Intrinsic, &str) = (Intrinsic::Math(Math::Sqrt), "sqrt");

/// The rule for calls of a function.
pub(super) fn rule(computed: Intrinsic) -> Option<Rule> {
    FUNCTIONS.iter().chain([&SQUARE_ROOT]).any(|&(function, _)| function == computed).then_some(round)
}

fn round(c: &mut Calls<'_>, call: Node) -> Option<Replacement> {
    let (graph, around) = (c.graph, Some(c.surroundings));
    let computed = callee::computation(graph, around, call)?;
    let number = c.argument(call, 0);
    let ty = graph.ty(number);
    let is_function = callee::intrinsic(graph, around, call).is_none();
    if graph.ty(graph.output(call, 0)) != ty {
        return None;
    }
    let becomes = |name: &str, ty: Type, squares: Squares, extended: Option<Node>| {
        let intrinsic = intrinsic(graph.pool(), name, ty)?;
        Replacement::new("roundings", [intrinsic], move |site| Some(compute(site, &squares, extended)))
    };
    let extended = graph.producer(number).filter(|&node| {
        let is_narrow = || suffix(graph.pool(), graph.ty(graph.input(node, 0))).is_some();
        matches!(graph.op(node), Some(Op::Cast { op: CastOp::FPExt, .. })) && graph.has_one_user(number) && is_narrow()
    });
    let narrow = extended.map_or(ty, |node| graph.ty(graph.input(node, 0)));
    if computed == SQUARE_ROOT.0 {
        if let Some(squares) = is_function.then(|| sign::never_below_zero(graph, around, number)).flatten() {
            return becomes(SQUARE_ROOT.1, ty, undefined(graph, around, squares), None);
        }
        let extended = extended.filter(|_| are_truncated(graph, graph.output(call, 0), narrow))?;
        if !is_function {
            return becomes(SQUARE_ROOT.1, narrow, Squares::new(), Some(extended));
        }
        let name = if narrow == graph.pool().intern_type(TypeKind::Float) { "sqrtf" } else { return None };
        return Replacement::new("roundings", [Mention::Function(name.into())], move |site| {
            let (number, ty) = (site.graph.input(extended, 0), site.graph.ty(site.argument(0)));
            let root = site.call(0, &[number]);
            Some(site.at().cast(CastOp::FPExt, root, ty))
        });
    }
    let &(_, name) = FUNCTIONS.iter().find(|&&(function, _)| function == computed)?;
    if extended.is_none() && !is_function {
        return None;
    }
    becomes(name, narrow, Squares::new(), extended)
}

/// Whether a number is only truncated, to one type.
fn are_truncated(graph: &Graph, number: Origin, ty: Type) -> bool {
    graph.users_of(number).all(|user| match graph.site(user) {
        Use::Input(node, _) => {
            let is_truncation = matches!(graph.op(node), Some(Op::Cast { op: CastOp::FPTrunc, .. }));
            is_truncation && graph.ty(graph.output(node, 0)) == ty
        }
        Use::Result(..) => false,
    })
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

/// An intrinsic of one number.
fn intrinsic(pool: &Pool, name: &str, ty: Type) -> Option<Mention> {
    let name = format!("llvm.{name}.{}", suffix(pool, ty)?);
    let of = pool.intern_type(TypeKind::Function { result: ty, params: [ty].into(), variadic: false });
    Some(Mention::Intrinsic(name, of))
}

/// Computes the intrinsic, of what was extended to the argument if that is given.
fn compute(site: &mut Site<'_>, squares: &Squares, extended: Option<Node>) -> Origin {
    let graph = &mut *site.graph;
    for &square in squares {
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
    let argument = site.argument(0);
    let Some(extended) = extended else { return site.compute(0, argument) };
    let (number, ty) = (site.graph.input(extended, 0), site.graph.ty(argument));
    let rounded = site.compute(0, number);
    site.at().cast(CastOp::FPExt, rounded, ty)
}
