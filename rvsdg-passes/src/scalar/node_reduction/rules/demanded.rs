//! Demanded bits: operands of which no bit is used.

use rvsdg_core::Origin;
use rvsdg_core::fold::Int;
use rvsdg_core::fold::arith::mask;
use rvsdg_core::op::IntBinary::{self, Add, And, LShr, Or, Shl, Sub, Xor};
use rvsdg_core::op::{CastOp, Op, OpCode};

use crate::scalar::node_reduction::cx::Cx;
use crate::scalar::node_reduction::rule::{Rule, rule};

/// How many operations are skipped at a time.
const MAX_DEPTH: usize = 8;

/// An operand in the expression of `origin` with the same bits as `origin` where those of `bits` are set.
///
/// The skipped operands may be poison, so the result is poison at most when `origin` is.
fn same_bits(c: &Cx<'_>, origin: Origin, bits: u128) -> Option<Origin> {
    let step = |origin| {
        let (node, Op::IntBinary { op, .. }) = c.op(origin)? else { return None };
        let [a, b] = [0, 1].map(|index| c.operand(node, index));
        // Carries come from below.
        let below = u128::MAX.checked_shr(bits.leading_zeros()).unwrap_or(0);
        let zero = |operand, asked| c.known_near(operand).is_some_and(|known| known.zero & asked == asked);
        let one = |operand| c.known_near(operand).is_some_and(|known| known.one & bits == bits);
        match op {
            Xor | Or if zero(b, bits) => Some(a),
            Xor | Or if zero(a, bits) => Some(b),
            And if one(b) => Some(a),
            And if one(a) => Some(b),
            Add | Sub if zero(b, below) => Some(a),
            Add if zero(a, below) => Some(b),
            Add | Sub | And | Or | Xor | IntBinary::Mul | Shl | LShr | IntBinary::AShr => None,
            IntBinary::UDiv | IntBinary::SDiv | IntBinary::URem | IntBinary::SRem => None,
        }
    };
    let mut found = None;
    for _ in 0..MAX_DEPTH {
        let Some(next) = step(found.unwrap_or(origin)) else { break };
        found = Some(next);
    }
    found
}

/// The demanded bits of an integer that is shifted by a constant.
fn shifted(amount: Int, shift: impl Fn(u128, u32) -> u128) -> Option<u128> {
    let by = u32::try_from(amount.unsigned()).ok().filter(|&by| by < amount.bits())?;
    Some(shift(mask(amount.bits()), by) & mask(amount.bits()))
}

/// The rules.
pub const RULES: &[Rule] = &[
    rule(
        "and-undemanded",
        OpCode::And,
        "i8 %x, i8 %y",
        "%t = and i8 %y, 200; %s = xor i8 %x, %t; %r = and i8 %s, 7",
        "%r = and i8 %x, 7",
        |c, n| {
            let asked = c.int(n.b)?;
            let x = same_bits(c, n.a, asked.unsigned())?;
            Some(c.plain(And, x, n.b))
        },
    ),
    rule(
        "trunc-undemanded",
        OpCode::Trunc,
        "i8 %x, i8 %y",
        "%t = shl i8 %y, 4; %s = add i8 %x, %t; %r = trunc i8 %s to i4",
        "%r = trunc i8 %x to i4",
        |c, n| {
            let x = same_bits(c, n.a, mask(c.bits(n.ty)?))?;
            Some(c.add_cast(CastOp::Trunc, x, n.ty))
        },
    ),
    rule(
        "shl-undemanded",
        OpCode::Shl,
        "i8 %x, i8 %y",
        "%t = and i8 %y, 192; %s = sub i8 %x, %t; %r = shl i8 %s, 2",
        "%r = shl i8 %x, 2",
        |c, n| {
            let x = same_bits(c, n.a, shifted(c.int(n.b)?, |ones, by| ones >> by)?)?;
            Some(c.plain(Shl, x, n.b))
        },
    ),
    rule(
        "lshr-undemanded",
        OpCode::LShr,
        "i8 %x, i8 %y",
        "%t = and i8 %y, 3; %s = or i8 %x, %t; %r = lshr i8 %s, 2",
        "%r = lshr i8 %x, 2",
        |c, n| {
            let x = same_bits(c, n.a, shifted(c.int(n.b)?, |ones, by| ones >> by << by)?)?;
            Some(c.plain(LShr, x, n.b))
        },
    ),
];
