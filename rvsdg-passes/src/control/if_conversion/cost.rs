//! The cost of speculating an operation: its weight is about its latency in simple instructions.

use rvsdg_analysis::invariant::known_constant;
use rvsdg_core::op::{CastOp, FloatBinary, IntBinary};
use rvsdg_core::{Graph, Node, Op, Type, TypeKind, Use};

/// How much may be speculated for one conditional, as the sum of weights over all alternatives. A mispredicted branch costs 15 to 20
/// instructions, a well predicted one costs one; LLVM's limit is the same.
pub const MAX_SPECULATED: u32 = 4;

/// How much the selects of a conditional may cost: one for each value that fits a general register.
pub const MAX_CHOICES: u32 = 4;

/// A weight over the limit.
const EXPENSIVE: u32 = MAX_SPECULATED + 1;

/// The weight of a node that may be speculated.
pub(super) fn weight(graph: &Graph, node: Node) -> u32 {
    let Some(op) = graph.op(node) else { return EXPENSIVE };
    let Some(&output) = graph.outputs(node).first() else { return EXPENSIVE };
    let words = words(graph, graph.ty(output));
    match op {
        Op::Const(_) | Op::Freeze | Op::ExtractValue(_) => 0,
        Op::IntBinary { op, .. } => match op {
            IntBinary::Add | IntBinary::Sub | IntBinary::And | IntBinary::Or | IntBinary::Xor => words,
            IntBinary::Shl | IntBinary::LShr | IntBinary::AShr => words * words,
            IntBinary::Mul => 2 * words * words,
            IntBinary::UDiv | IntBinary::SDiv | IntBinary::URem | IntBinary::SRem => EXPENSIVE,
        },
        Op::FloatBinary { op, .. } => match op {
            FloatBinary::FAdd | FloatBinary::FSub | FloatBinary::FMul => 2 * words,
            FloatBinary::FDiv | FloatBinary::FRem => EXPENSIVE,
        },
        Op::Cast { op, .. } => match op {
            CastOp::Trunc | CastOp::BitCast | CastOp::PtrToInt | CastOp::PtrToAddr | CastOp::IntToPtr => 0,
            CastOp::ZExt | CastOp::SExt | CastOp::AddrSpaceCast => words,
            CastOp::FPTrunc | CastOp::FPExt | CastOp::FPToUI | CastOp::FPToSI | CastOp::UIToFP | CastOp::SIToFP => {
                2 * words
            }
        },
        Op::Gep { .. } if is_part_of_accesses(graph, node) => 0,
        Op::FNeg(_) | Op::ICmp { .. } | Op::FCmp { .. } | Op::Gep { .. } => words,
        Op::Select(_) => 2 * words,
        Op::ExtractElement | Op::InsertElement | Op::ShuffleVector(_) | Op::InsertValue(_) => 2 * words,
        Op::Ext(ext) => match graph.pool().ext_hooks(ext) {
            Some(hooks) => (hooks.cost)(graph, node),
            None => 2 * words,
        },
        Op::CtlConst { .. }
        | Op::Match(_)
        | Op::Alloca { .. }
        | Op::Load(_)
        | Op::Store(_)
        | Op::CmpXchg { .. }
        | Op::AtomicRmw { .. }
        | Op::Fence { .. }
        | Op::Call(_)
        | Op::Invoke(_)
        | Op::CallBr(_)
        | Op::IndirectBr(_)
        | Op::Resume
        | Op::Funclet(_)
        | Op::VaArg
        | Op::Unreachable => EXPENSIVE,
    }
}

/// Whether a node adds a constant to an address for loads and stores only, which add constants themselves.
fn is_part_of_accesses(graph: &Graph, node: Node) -> bool {
    let accesses = |user| match graph.site(user) {
        Use::Input(node, index) => match graph.op(node) {
            Some(Op::Load(_)) => true,
            Some(Op::Store(_)) => index == 1,
            _ => false,
        },
        Use::Result(..) => false,
    };
    graph.input_origins(node).skip(1).all(|index| known_constant(graph, index).is_some())
        && graph.users_of(graph.output(node, 0)).all(accesses)
}

/// The cost of a select between two values of a type; `None` if there is no such select.
pub(super) fn choice(graph: &Graph, ty: Type) -> Option<u32> {
    match graph.pool().type_kind(ty) {
        TypeKind::Int(_) | TypeKind::Ptr(_) => Some(words(graph, ty)),
        TypeKind::Half
        | TypeKind::BFloat
        | TypeKind::Float
        | TypeKind::Double
        | TypeKind::Fp128
        | TypeKind::Vector { .. } => Some(2),
        _ => None,
    }
}

/// How many registers a value takes, if operations on it take that many instructions.
fn words(graph: &Graph, ty: Type) -> u32 {
    match *graph.pool().type_kind(ty) {
        TypeKind::Int(bits) => bits.div_ceil(64).min(EXPENSIVE),
        // Implemented by functions of the run-time library, or by a register stack.
        TypeKind::X86Fp80 | TypeKind::Fp128 | TypeKind::PpcFp128 => EXPENSIVE,
        _ => 1,
    }
}
