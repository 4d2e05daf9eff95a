//! Operations on scalars, which work on vectors lane by lane.

pub(crate) mod cast;
pub(crate) mod float;
pub(crate) mod int;
pub(crate) mod math;

use rvsdg_core::layout::{FloatKind, Scalar};
use rvsdg_core::op::{BinaryFlags, CastFlags, CastOp, FastMath, FloatBinary, FloatPredicate, IntBinary, IntPredicate};

use crate::outcome::Res;
use crate::value::{Value, mask, mask128, signed};

/// An operation on scalars.
#[derive(Copy, Clone, Debug)]
pub(crate) enum ScalarOp {
    Int { op: IntBinary, flags: BinaryFlags, bits: u32 },
    Float { op: FloatBinary, flags: FastMath, kind: FloatKind },
    FNeg { flags: FastMath, kind: FloatKind },
    ICmp { predicate: IntPredicate, same_sign: bool, bits: u32 },
    FCmp { predicate: FloatPredicate, flags: FastMath, kind: FloatKind },
    Cast { op: CastOp, flags: CastFlags, from: Scalar, to: Scalar },
    Select,
    Math(math::Math),
}

impl ScalarOp {
    /// The result for two defined operands of at most 64 bits (the second is the first again where there is one), for the
    /// operations that are most frequent; `None` where [`apply`](ScalarOp::apply) has to look.
    #[inline]
    pub fn fast(&self, a: u64, b: u64) -> Option<u64> {
        match *self {
            ScalarOp::Float { op, flags: FastMath::NONE, kind: FloatKind::Double } => {
                Some(float::double(op, a, b)).filter(|&bits| !f64::from_bits(bits).is_nan())
            }
            ScalarOp::Cast { op, flags, from: Scalar::Int(from), to: Scalar::Int(to) }
                if from <= 64 && to <= 64 && flags == CastFlags::default() =>
            {
                match op {
                    CastOp::Trunc | CastOp::ZExt => Some(a & mask(to)),
                    CastOp::SExt => Some(signed(from, a) as u64 & mask(to)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The result for scalar operands.
    pub fn apply(&self, operands: &[&Value]) -> Res<Value> {
        match *self {
            ScalarOp::Int { op, flags, bits } => match (operands[0], operands[1]) {
                (Value::Int(a), Value::Int(b)) => match int::fast(op, flags, bits, *a, *b) {
                    Some(result) => Ok(Value::Int(result)),
                    None => int::slow(op, flags, bits, operands[0], operands[1]),
                },
                (a, b) => int::slow(op, flags, bits, a, b),
            },
            ScalarOp::Float { op, flags, kind } => {
                let [a, b] = match numbers(flags, kind, operands)? {
                    Ok(numbers) => [numbers[0], numbers[1]],
                    Err(value) => return Ok(value),
                };
                Ok(number(flags, kind, float::binary(op, kind, a, b)))
            }
            ScalarOp::FNeg { flags, kind } => match numbers(flags, kind, operands)? {
                Ok(numbers) => Ok(number(flags, kind, float::negate(kind, numbers[0]))),
                Err(value) => Ok(value),
            },
            ScalarOp::ICmp { predicate, same_sign, bits } => {
                Ok(int::compare(predicate, same_sign, bits, operands[0], operands[1]))
            }
            ScalarOp::FCmp { predicate, flags, kind } => match numbers(flags, kind, operands)? {
                Ok(numbers) => Ok(Value::bool(float::compare(predicate, kind, numbers[0], numbers[1]))),
                Err(value) => Ok(value),
            },
            ScalarOp::Cast { op, flags, from, to } => cast::apply(op, flags, from, to, operands[0]),
            ScalarOp::Select => Ok(select(operands[0], operands[1], operands[2])),
            ScalarOp::Math(math) => math.apply(operands),
        }
    }

    /// Whether another result could be: a NaN has any sign and payload (LangRef, "Behavior of Floating-Point NaN values"), and
    /// the number of an address depends on where objects are.
    fn chooses(&self, result: &Value) -> bool {
        if let ScalarOp::Cast { op: CastOp::PtrToInt | CastOp::PtrToAddr, .. } = self {
            let is_address = |lane: &Value| lane.bits().is_some_and(|bits| bits != 0);
            return match result {
                Value::Seq(lanes) => lanes.iter().any(is_address),
                lane => is_address(lane),
            };
        }
        let kind = match *self {
            ScalarOp::Float { kind, .. }
            | ScalarOp::Cast { op: CastOp::FPTrunc | CastOp::FPExt, to: Scalar::Float(kind), .. }
            | ScalarOp::Math(math::Math::Float(_, kind, _) | math::Math::Scale(kind, _)) => kind,
            ScalarOp::Int { .. }
            | ScalarOp::FNeg { .. }
            | ScalarOp::ICmp { .. }
            | ScalarOp::FCmp { .. }
            | ScalarOp::Cast { .. }
            | ScalarOp::Select
            | ScalarOp::Math(_) => return false,
        };
        let is_nan = |lane: &Value| float::bits(lane).is_ok_and(|bits| float::special(kind, bits).0);
        match result {
            Value::Seq(lanes) => lanes.iter().any(is_nan),
            lane => is_nan(lane),
        }
    }

    /// Whether the signs of zeros, in operands and results, do not matter.
    fn ignores_signs_of_zeros(&self) -> Option<FloatKind> {
        let (flags, kind) = match *self {
            ScalarOp::Float { flags, kind, .. }
            | ScalarOp::FNeg { flags, kind }
            | ScalarOp::Math(math::Math::Float(_, kind, flags)) => (flags, kind),
            ScalarOp::Cast { flags, to: Scalar::Float(kind), .. } => (flags.fast, kind),
            ScalarOp::Int { .. }
            | ScalarOp::ICmp { .. }
            | ScalarOp::FCmp { .. }
            | ScalarOp::Cast { .. }
            | ScalarOp::Select
            | ScalarOp::Math(_) => return None,
        };
        flags.contains(FastMath::NSZ).then_some(kind)
    }

    /// The operand whose sign decides more of the result than its sign where it is a zero, and its format.
    fn sign_that_decides(&self) -> Option<(usize, FloatKind)> {
        use math::FloatMath::{Atan2, Copysign, Pow};
        match *self {
            ScalarOp::Float { op: FloatBinary::FDiv, kind, .. } => Some((1, kind)),
            ScalarOp::Math(math::Math::Float(Copysign, kind, _)) => Some((1, kind)),
            ScalarOp::Math(math::Math::Float(Atan2 | Pow, kind, _) | math::Math::Class(kind)) => Some((0, kind)),
            ScalarOp::Cast { op: CastOp::BitCast, from: Scalar::Float(kind), .. } => Some((0, kind)),
            ScalarOp::Float { .. }
            | ScalarOp::FNeg { .. }
            | ScalarOp::Int { .. }
            | ScalarOp::ICmp { .. }
            | ScalarOp::FCmp { .. }
            | ScalarOp::Cast { .. }
            | ScalarOp::Select
            | ScalarOp::Math(_) => None,
        }
    }

    /// The result for vectors of `len` lanes.
    pub fn apply_lanes(&self, len: u32, operands: &[&Value]) -> Res<Value> {
        let mut lanes = Vec::with_capacity(len as usize);
        let mut parts: Vec<&Value> = Vec::with_capacity(operands.len());
        for index in 0..len as usize {
            parts.clear();
            parts.extend(operands.iter().map(|operand| lane(operand, index)));
            lanes.push(self.apply(&parts)?);
        }
        Ok(Value::seq(lanes))
    }
}

/// What a run chose where others would be right, too.
#[derive(Copy, Clone, Default, Debug)]
pub(crate) struct Chosen {
    /// A value, or the place of an object.
    pub value: bool,
    /// The sign of a zero, and nothing that follows from that sign.
    pub sign: bool,
}

impl Chosen {
    /// What is chosen once an operation had this result.
    pub fn noting(mut self, op: &ScalarOp, operands: &[&Value], result: &Value) -> Chosen {
        self.value |= op.chooses(result);
        if let Some(kind) = op.ignores_signs_of_zeros() {
            self.sign |= operands.iter().any(|operand| has_zero(kind, operand)) || has_zero(kind, result);
        }
        if self.sign
            && let Some((operand, kind)) = op.sign_that_decides()
            && operands.get(operand).is_some_and(|operand| has_zero(kind, operand))
        {
            self.value = true;
        }
        self
    }
}

/// Whether a float, or a lane of a vector of floats, is a zero of either sign.
fn has_zero(kind: FloatKind, value: &Value) -> bool {
    let is_zero = |lane: &Value| lane.bits().is_some_and(|bits| bits & mask128(kind.bits() - 1) == 0);
    match value {
        Value::Seq(lanes) => lanes.iter().any(is_zero),
        lane => is_zero(lane),
    }
}

/// A lane of a vector, or the scalar where one scalar stands for all lanes.
pub(crate) fn lane(vector: &Value, index: usize) -> &Value {
    match vector {
        Value::Seq(lanes) => &lanes[index],
        value => value,
    }
}

/// The bits of defined operands, or the undef or poison result.
pub(crate) fn numbers(flags: FastMath, kind: FloatKind, operands: &[&Value]) -> Res<Result<[u128; 3], Value>> {
    let mut numbers = [0; 3];
    let mut undef = false;
    for (number, operand) in numbers.iter_mut().zip(operands) {
        match operand {
            Value::Poison => return Ok(Err(Value::Poison)),
            Value::Undef | Value::Partial(_) => undef = true,
            operand => {
                *number = float::bits(operand)?;
                if float::violates(flags, kind, *number) {
                    return Ok(Err(Value::Poison));
                }
            }
        }
    }
    Ok(if undef { Err(Value::Undef) } else { Ok(numbers) })
}

/// A result, or poison where the flags forbid it.
pub(crate) fn number(flags: FastMath, kind: FloatKind, bits: u128) -> Value {
    if float::violates(flags, kind, bits) { Value::Poison } else { Value::from_bits(kind.bits(), bits) }
}

/// One of two values by an `i1`.
pub(crate) fn select(condition: &Value, yes: &Value, no: &Value) -> Value {
    match condition {
        Value::Int(0) => no.clone(),
        Value::Int(_) => yes.clone(),
        Value::Poison => Value::Poison,
        _ if yes == no => yes.clone(),
        _ if yes.has_poison() || no.has_poison() => Value::Poison,
        _ => Value::Undef,
    }
}

/// The scalar with zero for every bit that is not defined.
pub(crate) fn freeze(scalar: Scalar, value: &Value) -> Value {
    match value {
        Value::Poison | Value::Undef => zero(scalar),
        Value::Partial(part) => Value::from_bits(scalar.bits(), part.bits),
        value => value.clone(),
    }
}

/// Zero, or the null pointer.
pub(crate) fn zero(scalar: Scalar) -> Value {
    match scalar {
        Scalar::Ptr(_) => Value::address(0),
        Scalar::Int(bits) if bits > 128 => int::wrap(bits, &num_bigint::BigInt::from(0)),
        Scalar::Int(_) | Scalar::Float(_) => Value::from_bits(scalar.bits(), 0),
    }
}
