//! Atomic accesses. There is one thread, so that each is done at once.

use rvsdg_core::layout::{Layout, Scalar, Shape};
use rvsdg_core::op::{BinaryFlags, FastMath, FloatBinary, IntBinary, IntPredicate, RmwOp};

use super::super::Machine;
use crate::code::Inst;
use crate::outcome::{Res, Rule, undefined, unsupported};
use crate::scalar::math::{FloatMath, IntMath, Math};
use crate::scalar::{ScalarOp, int};
use crate::value::{Pointer, Value};

impl Machine<'_> {
    pub(super) fn atomic(&mut self, inst: &Inst) -> Res<()> {
        match inst {
            Inst::CmpXchg { to, operands, layout, align_log2, .. } => {
                let align = 1 << align_log2;
                let pointer = self.address(operands[0])?;
                let (expected, new) = (self.read(operands[1]).clone(), self.read(operands[2]).clone());
                let old = self.memory.load(pointer, layout, align)?;
                let same = match int::compare(IntPredicate::Eq, false, bits(layout), &old, &expected) {
                    Value::Int(same) => same != 0,
                    other => return undefined(Rule::BranchNotDefined, format!("the comparison is {other}")),
                };
                if same {
                    self.memory.store(pointer, layout, align, &new)?;
                }
                self.write(*to, Value::seq(vec![old, Value::bool(same)]));
                Ok(())
            }
            Inst::Rmw { to, pointer, operand, op, layout, align_log2 } => {
                let align = 1 << align_log2;
                let pointer = self.address(*pointer)?;
                let operand = self.read(*operand).clone();
                let old = self.memory.load(pointer, layout, align)?;
                let new = match layout.shape {
                    Shape::Scalar(scalar) => update(*op, scalar, &old, &operand)?,
                    Shape::Vector { lane, len } => {
                        let lanes: Res<Vec<Value>> = (0..len as usize)
                            .map(|index| {
                                let lane_of = |value| crate::scalar::lane(value, index);
                                update(*op, lane, lane_of(&old), lane_of(&operand))
                            })
                            .collect();
                        Value::seq(lanes?)
                    }
                    Shape::Array { .. } | Shape::Struct(_) => return unsupported("atomicrmw of an aggregate"),
                };
                self.memory.store(pointer, layout, align, &new)?;
                self.write(*to, old);
                Ok(())
            }
            _ => unsupported("atomic access of unknown kind"),
        }
    }

    fn address(&self, slot: crate::code::Slot) -> Res<Pointer> {
        match self.read(slot) {
            Value::Ptr(pointer) => Ok(*pointer),
            other => undefined(Rule::AddressNotDefined, other.to_string()),
        }
    }
}

fn bits(layout: &Layout) -> u32 {
    match layout.shape {
        Shape::Scalar(scalar) => scalar.bits(),
        Shape::Vector { .. } | Shape::Array { .. } | Shape::Struct(_) => layout.size as u32 * 8,
    }
}

/// What memory holds after an update.
fn update(op: RmwOp, scalar: Scalar, old: &Value, operand: &Value) -> Res<Value> {
    let width = scalar.bits();
    let integer = |op| ScalarOp::Int { op, flags: BinaryFlags::NONE, bits: width }.apply(&[old, operand]);
    let math = |op| Math::Int(op, width).apply(&[old, operand]);
    let float = |binary: Option<FloatBinary>, math: Option<FloatMath>| {
        let Scalar::Float(kind) = scalar else { return unsupported("floating-point update of an integer") };
        match (binary, math) {
            (Some(op), _) => ScalarOp::Float { op, flags: FastMath::NONE, kind }.apply(&[old, operand]),
            (None, Some(op)) => Math::Float(op, kind, FastMath::NONE).apply(&[old, operand]),
            (None, None) => Ok(operand.clone()),
        }
    };
    let numbers = || match (old.bits(), operand.bits()) {
        (Some(old), Some(operand)) => Ok((old, operand)),
        _ => undefined(Rule::BranchNotDefined, "an update that depends on undef or poison"),
    };
    let of = |bits| Value::from_bits(width, bits);
    match op {
        RmwOp::Xchg => Ok(operand.clone()),
        RmwOp::Add => integer(IntBinary::Add),
        RmwOp::Sub => integer(IntBinary::Sub),
        RmwOp::And => integer(IntBinary::And),
        RmwOp::Or => integer(IntBinary::Or),
        RmwOp::Xor => integer(IntBinary::Xor),
        RmwOp::Nand => {
            let both = integer(IntBinary::And)?;
            let ones = Value::from_bits(width, u128::MAX);
            ScalarOp::Int { op: IntBinary::Xor, flags: BinaryFlags::NONE, bits: width }.apply(&[&both, &ones])
        }
        RmwOp::Max => math(IntMath::SMax),
        RmwOp::Min => math(IntMath::SMin),
        RmwOp::UMax => math(IntMath::UMax),
        RmwOp::UMin => math(IntMath::UMin),
        RmwOp::FAdd => float(Some(FloatBinary::FAdd), None),
        RmwOp::FSub => float(Some(FloatBinary::FSub), None),
        RmwOp::FMax => float(None, Some(FloatMath::MaxNum)),
        RmwOp::FMin => float(None, Some(FloatMath::MinNum)),
        RmwOp::FMaximum => float(None, Some(FloatMath::Maximum)),
        RmwOp::FMinimum => float(None, Some(FloatMath::Minimum)),
        RmwOp::UIncWrap => numbers().map(|(old, limit)| of(if old >= limit { 0 } else { old + 1 })),
        RmwOp::UDecWrap => numbers().map(|(old, limit)| of(if old == 0 || old > limit { limit } else { old - 1 })),
        RmwOp::USubCond => numbers().map(|(old, by)| of(if old >= by { old - by } else { old })),
        RmwOp::USubSat => math(IntMath::USubSat),
    }
}
