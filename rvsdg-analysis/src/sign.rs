//! Floating-point numbers that are never less than zero.

use rvsdg_core::fold::{Intrinsic, Math};
use rvsdg_core::layout::FloatKind;
use rvsdg_core::op::{CastOp, FloatBinary};
use rvsdg_core::{Constant, Graph, Node, Op, Origin, Pool};
use smallvec::SmallVec;

use crate::callee;
use crate::surroundings::Surroundings;
use crate::trace::holds_for_sources;

/// The squares that a number is computed of.
pub type Squares = SmallVec<[Node; 4]>;

/// Whether a number is NaN, zero of either sign, or greater: if so, the multiplications (also fused ones) that make it so because their
/// factors are the same value. If that value may be undef, it is two different ones, and nothing is known.
///
/// A value that is passed around a loop is what it was before the loop or what an iteration makes of it, so it may be assumed for the
/// iteration. After LLVM's `cannotBeOrderedLessThanZero`.
pub fn never_below_zero(graph: &Graph, surroundings: Option<&Surroundings>, origin: Origin) -> Option<Squares> {
    let mut squares = Squares::new();
    let holds = holds_for_sources(graph, origin, |origin, pending| {
        let Some(node) = graph.producer(origin) else { return false };
        let inputs: SmallVec<[Origin; 4]> = graph.input_origins(node).collect();
        match graph.op(node) {
            Some(Op::Const(constant)) => return is_positive(graph.pool(), graph.pool().constant(constant)),
            Some(Op::Cast { op: CastOp::UIToFP, .. }) => {}
            Some(Op::Cast { op: CastOp::FPExt | CastOp::FPTrunc, .. }) => pending.push(inputs[0]),
            Some(Op::Select(_)) => pending.extend_from_slice(&inputs[1..]),
            Some(Op::FloatBinary { op: FloatBinary::FMul, .. }) if inputs[0] == inputs[1] => squares.push(node),
            Some(Op::FloatBinary { op: FloatBinary::FMul | FloatBinary::FAdd, .. }) => pending.extend(inputs),
            Some(Op::Call(_)) => match callee::computation(graph, surroundings, node) {
                Some(Intrinsic::FAbs | Intrinsic::Math(Math::Sqrt | Math::Exp | Math::Exp2 | Math::Cosh)) => {}
                Some(Intrinsic::FMulAdd | Intrinsic::Fma) if inputs[1] == inputs[2] => {
                    squares.push(node);
                    pending.push(inputs[3]);
                }
                Some(Intrinsic::FMulAdd | Intrinsic::Fma) => pending.extend_from_slice(&inputs[1..]),
                _ => return false,
            },
            _ => return false,
        }
        true
    });
    holds.then_some(squares)
}

/// Whether a constant is a float without a sign.
fn is_positive(pool: &Pool, constant: &Constant) -> bool {
    let Constant::Float { ty, bits } = *constant else { return false };
    FloatKind::of(pool.type_kind(ty)).is_some_and(|kind| kind.with_sign(bits, false) == bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Example;

    /// The number of squares that the result of a function is computed of, if it is never less than zero. Its parameters are the doubles
    /// `v0` and `v1`, the integer `v2` and the bit `v3`; `v4` and `v5` are the squares of the doubles.
    fn squares(lines: &str) -> Option<usize> {
        let text = format!(
            "module \"test\"\n@sqrt = function double (double)\n@cos = function double (double)\n\
             @exp = function double (double)\n@exp2 = function double (double)\n@cosh = function double (double)\n\
             @llvm.fabs.f64 = function double (double)\n\
             @llvm.fmuladd.f64 = function double (double, double, double)\n@f = function double (double, double, i32, i1)\n\
             import @sqrt\nimport @cos\nimport @exp\nimport @exp2\nimport @cosh\nimport @llvm.fabs.f64\nimport @llvm.fmuladd.f64\n\
             lambda @f [@sqrt, @cos, @exp, @exp2, @cosh, @llvm.fabs.f64, @llvm.fmuladd.f64] (v0: double, v1: double, v2: i32, v3: i1, mem0, io0) {{\n\
             v4: double = fmul v0, v0\nv5: double = fmul v1, v1\n{lines}\nyield v9, mem0, io0\n}}\nexport @f\n"
        );
        let example = Example::of(&text);
        let graph = example.graph();
        never_below_zero(graph, example.surroundings(), graph.result(graph.root(), 0)).map(|squares| squares.len())
    }

    #[test]
    fn operations_on_numbers_that_are_not_less_than_zero() {
        for (lines, expected) in [
            ("v9: double = fmul v0, v0", Some(1)),
            ("v9: double = fmul v0, v1", None),
            ("v9: double = fmul v4, v5", Some(2)),
            ("v9: double = fmul v4, v1", None),
            ("v9: double = fadd v4, v5", Some(2)),
            ("v9: double = fadd v4, v4", Some(1)),
            ("v9: double = fadd v4, v1", None),
            ("v9: double = fsub v4, v5", None),
            ("v9: double = fdiv v4, v5", None),
            ("v9: double = fneg v4", None),
            ("v9 = const double 2.0", Some(0)),
            ("v9 = const double 0.0", Some(0)),
            ("v9 = const double -0.0", None),
            ("v9 = const double -2.0", None),
            ("v9 = const double undef", None),
            ("v9: double = uitofp v2", Some(0)),
            ("v9: double = sitofp v2", None),
            ("v6: float = fptrunc v4\nv9: double = fpext v6", Some(1)),
            ("v6: float = fptrunc v0\nv9: double = fpext v6", None),
            ("v9: double = select v3, v4, v5", Some(2)),
            ("v9: double = select v3, v4, v1", None),
            ("v9: double = select v3, v1, v4", None),
            ("v9: double = freeze v4", None),
            ("v9: double = call double (double) @llvm.fabs.f64(v0)", Some(0)),
            ("v9: double = call double (double) @sqrt(v0)", Some(0)),
            ("v9: double = call double (double) @exp(v0)", Some(0)),
            ("v9: double = call double (double) @exp2(v0)", Some(0)),
            ("v9: double = call double (double) @cosh(v0)", Some(0)),
            ("v9: double = call double (double) @cos(v0)", None),
            ("v9: double = call double (double, double, double) @llvm.fmuladd.f64(v0, v0, v5)", Some(2)),
            ("v9: double = call double (double, double, double) @llvm.fmuladd.f64(v0, v0, v1)", None),
            ("v9: double = call double (double, double, double) @llvm.fmuladd.f64(v0, v1, v5)", None),
            ("v9: double = call double (double, double, double) @llvm.fmuladd.f64(v4, v5, v5)", Some(2)),
            ("v9: double = call double (double, double, double) @llvm.fmuladd.f64(v4, v1, v5)", None),
        ] {
            assert_eq!(squares(lines), expected, "{lines}");
        }
    }

    #[test]
    fn sums_of_loops() {
        for (start, next, expected) in [
            ("0.0", "fadd v10, v5", Some(1)),
            ("-1.0", "fadd v10, v5", None),
            ("0.0", "fadd v10, v11", None),
            ("0.0", "fsub v10, v5", None),
        ] {
            let lines = format!(
                "v6 = const double {start}\nv9: double, v8: double, v7: double = theta (v10: double = v6, v11: double = v1, v15: double = v5) {{\n\
                 v12: double = {}\nv13: i1 = fcmp olt v12, v11\nv14: ctl(2) = match i1 v13 [true -> 1, _ -> 0]\n\
                 next v12, v11, v15 while v14\n}}",
                next.replace("v5", "v15")
            );
            assert_eq!(squares(&lines), expected, "{lines}");
        }
    }

    #[test]
    fn long_computations_are_unknown() {
        let sum = |count: usize| {
            let one = |index: usize| {
                let before = if index == 20 { "v4".to_owned() } else { format!("v{}", index - 1) };
                format!("v{index}: double = fadd {before}, v5\n")
            };
            let lines: String = (20..20 + count).map(one).collect();
            squares(&format!("{lines}v9: double = fadd v4, v{}", 19 + count))
        };
        assert_eq!((sum(8), sum(40)), (Some(2), None));
    }
}
