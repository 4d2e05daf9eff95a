//! Results of operations that are known before they are added. As in folding, only the operands are considered; if the result is one of
//! them, that holds for every value, poison and undef included.

use smallvec::SmallVec;

use crate::fold::{self, Int};
use crate::op::{IntBinary, IntPredicate};
use crate::{Const, Graph, Op, Origin, Type, TypeKind};

/// The known result of an operation.
pub(super) enum Known {
    Value(Origin),
    Constant(Const),
}

/// The known result of an operation on values; `None` if it must be added.
pub(super) fn known(graph: &Graph, op: Op, inputs: &[Origin], ty: Type) -> Option<Known> {
    if let Op::Const(constant) = op {
        return inputs.is_empty().then_some(Known::Constant(constant));
    }
    if let Some(constant) = fold::fold(graph, op, inputs, ty) {
        return Some(Known::Constant(constant));
    }
    let constants: SmallVec<[Option<Const>; 4]> = inputs.iter().map(|&input| fold::constant(graph, input)).collect();
    let int =
        |index: usize| constants.get(index).copied().flatten().and_then(|known| fold::splat_int(graph.pool(), known));
    match op {
        Op::IntBinary { op: which, .. } => {
            let commutes = op.code().info().commutative;
            binary(which, commutes, [inputs[0], inputs[1]], [int(0), int(1)]).map(Known::Value)
        }
        // A comparison of a truth value with a constant.
        Op::ICmp { predicate, .. } if ty == Type::I1 && graph.ty(inputs[0]) == Type::I1 => {
            let is_left = match predicate {
                IntPredicate::Eq => int(1).is_some_and(Int::is_one),
                IntPredicate::Ne => int(1).is_some_and(Int::is_zero),
                _ => false,
            };
            is_left.then_some(Known::Value(inputs[0]))
        }
        Op::Select(_) => {
            let value = match int(0) {
                Some(condition) => Some(inputs[if condition.is_zero() { 2 } else { 1 }]),
                None => (inputs[1] == inputs[2]).then_some(inputs[1]),
            };
            value.map(Known::Value)
        }
        Op::Gep { .. } if inputs.len() > 1 && matches!(graph.pool().type_kind(ty), TypeKind::Ptr(_)) => {
            (1..inputs.len()).all(|index| int(index).is_some_and(Int::is_zero)).then_some(Known::Value(inputs[0]))
        }
        _ => None,
    }
}

/// The operand that an integer operation returns.
fn binary(op: IntBinary, commutes: bool, [a, b]: [Origin; 2], known: [Option<Int>; 2]) -> Option<Origin> {
    // `and x, 0` and `or x, -1` are the constant, poison of x refined.
    let absorbing = |int: Int| match op {
        IntBinary::And | IntBinary::Mul => int.is_zero(),
        IntBinary::Or => int.is_ones(),
        _ => false,
    };
    match known {
        [_, Some(right)] if is_neutral(op, right) => Some(a),
        [_, Some(right)] if absorbing(right) => Some(b),
        [Some(left), _] if commutes && is_neutral(op, left) => Some(b),
        [Some(left), _] if commutes && absorbing(left) => Some(a),
        _ if a == b && matches!(op, IntBinary::And | IntBinary::Or) => Some(a),
        _ => None,
    }
}

/// Whether an integer as second operand of an operation makes it give the first.
pub(super) fn is_neutral(op: IntBinary, int: Int) -> bool {
    match op {
        IntBinary::Add | IntBinary::Or | IntBinary::Xor => int.is_zero(),
        IntBinary::Sub | IntBinary::Shl | IntBinary::LShr | IntBinary::AShr => int.is_zero(),
        // The one bit of an `i1` is its sign: that divides by -1.
        IntBinary::SDiv => int.is_one() && int.bits() > 1,
        IntBinary::Mul | IntBinary::UDiv => int.is_one(),
        IntBinary::And => int.is_ones(),
        IntBinary::URem | IntBinary::SRem => false,
    }
}
