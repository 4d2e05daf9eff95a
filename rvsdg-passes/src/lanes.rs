//! Operations on vectors that compute each lane like a scalar.

pub(crate) mod build;
pub(crate) mod widen;

use rvsdg_analysis::Surroundings;
use rvsdg_analysis::callee::intrinsic;
use rvsdg_analysis::safety::has_states;
use rvsdg_analysis::target::scalar_bits;
use rvsdg_core::fold::Intrinsic;
use rvsdg_core::op::{CastOp, FloatBinary};
use rvsdg_core::{Graph, Node, Op, Origin};

/// Why an operation has no form on vectors.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Scalar {
    Effects,
    Call,
    /// An operation or type that cannot be in lanes.
    Operation,
}

/// Whether an operation on vectors computes each lane like the scalar operation.
///
/// # Errors
/// Why it does not.
pub(crate) fn is_lanewise(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> Result<(), Scalar> {
    let pool = graph.pool();
    let is_scalar = |origin: Origin| scalar_bits(pool, graph.ty(origin)).is_some();
    let fits = || graph.input_origins(node).chain(graph.outputs(node).iter().copied()).all(is_scalar);
    match graph.op(node) {
        _ if has_states(graph, node) => Err(Scalar::Effects),
        Some(Op::Call(_)) => match intrinsic(graph, surroundings, node) {
            Some(
                Intrinsic::SMin
                | Intrinsic::SMax
                | Intrinsic::UMin
                | Intrinsic::UMax
                | Intrinsic::Abs
                | Intrinsic::FAbs
                | Intrinsic::CopySign
                | Intrinsic::FMulAdd,
            ) if is_scalar(graph.output(node, 0)) => Ok(()),
            // They are computed byte by byte.
            Some(Intrinsic::CtPop | Intrinsic::BSwap)
                if scalar_bits(pool, graph.ty(graph.output(node, 0))).is_some_and(|bits| bits >= 8) =>
            {
                Ok(())
            }
            _ => Err(Scalar::Call),
        },
        Some(Op::FloatBinary { op: FloatBinary::FRem, .. }) => Err(Scalar::Operation),
        Some(Op::Cast { op: CastOp::BitCast, .. }) => {
            let bits = |origin: Origin| scalar_bits(pool, graph.ty(origin));
            let same = bits(graph.input(node, 0)).is_some_and(|from| bits(graph.output(node, 0)) == Some(from));
            if same { Ok(()) } else { Err(Scalar::Operation) }
        }
        Some(
            Op::IntBinary { .. }
            | Op::FloatBinary { .. }
            | Op::FNeg(_)
            | Op::ICmp { .. }
            | Op::FCmp { .. }
            | Op::Cast { .. }
            | Op::Select(_)
            | Op::Freeze,
        ) if fits() => Ok(()),
        _ => Err(Scalar::Operation),
    }
}
