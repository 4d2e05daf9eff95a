//! Bits of integers that are the same in every execution in which the value is not poison.

use super::bounds;
use super::repeated::next_values;
use crate::invariant::follow_out;
use rvsdg_core::fold::{self, Int, arith, arith::mask, parts};
use rvsdg_core::op::{BinaryFlags, IntBinary, Resize};
use rvsdg_core::structural::{LoopVar, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, OriginDef, Pool, Type};
use smallvec::SmallVec;

/// How far values are followed.
#[derive(Copy, Clone)]
struct Reach {
    /// Through so many operations.
    depth: u32,
    /// Whether into conditionals and loops, and out of them.
    regions: bool,
}

impl Reach {
    const NEAR: Reach = Reach { depth: 6, regions: false };
    const FAR: Reach = Reach { regions: true, ..Reach::NEAR };

    fn less(self) -> Reach {
        Reach { depth: self.depth - 1, ..self }
    }
}

/// Of a conditional with more alternatives nothing is known.
const MAX_ALTERNATIVES: usize = 4;

/// Bits known to be zero, and bits known to be one.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// The width.
    pub bits: u32,
    /// Bits that are zero.
    pub zero: u128,
    /// Bits that are one.
    pub one: u128,
}

impl Known {
    /// Nothing known.
    pub fn nothing(bits: u32) -> Known {
        Known { bits, zero: 0, one: 0 }
    }

    fn exactly(value: Int) -> Known {
        Known { bits: value.bits(), zero: !value.unsigned() & mask(value.bits()), one: value.unsigned() }
    }

    /// The value, when every bit is known.
    pub fn value(self) -> Option<Int> {
        (self.zero | self.one == mask(self.bits)).then(|| Int::new(self.bits, self.one))
    }

    /// The least value without sign.
    pub fn min(self) -> u128 {
        self.one
    }

    /// The greatest value without sign.
    pub fn max(self) -> u128 {
        !self.zero & mask(self.bits)
    }

    /// Whether the sign bit is known to be zero.
    pub fn is_non_negative(self) -> bool {
        self.zero >> (self.bits - 1) & 1 == 1
    }

    /// Whether the sign bit is known to be one.
    pub fn is_negative(self) -> bool {
        self.one >> (self.bits - 1) & 1 == 1
    }

    /// How many of the lowest bits are known to be zero.
    pub fn trailing_zeros(self) -> u32 {
        self.zero.trailing_ones().min(self.bits)
    }

    /// How many of the highest bits are known to be zero.
    pub fn leading_zeros(self) -> u32 {
        (self.zero << (128 - self.bits)).leading_ones().min(self.bits)
    }

    fn common(self, other: Known) -> Known {
        Known { bits: self.bits, zero: self.zero & other.zero, one: self.one & other.one }
    }

    fn high_zeros(bits: u32, count: u32) -> u128 {
        mask(bits) & !mask(bits.saturating_sub(count))
    }
}

/// What is known of an integer of up to 128 bits, or of each lane of a vector of such.
pub fn known(graph: &Graph, origin: Origin) -> Option<Known> {
    let bits = width(graph.pool(), graph.ty(origin))?;
    Some(compute(graph, origin, bits, Reach::FAR))
}

/// What is known of it without a look into conditionals and loops, or out of them.
pub fn known_near(graph: &Graph, origin: Origin) -> Option<Known> {
    let bits = width(graph.pool(), graph.ty(origin))?;
    Some(compute(graph, origin, bits, Reach::NEAR))
}

/// The width of an integer, or of the lanes of a vector.
fn width(pool: &Pool, ty: Type) -> Option<u32> {
    arith::width(pool, parts::lane_type(pool, ty).unwrap_or(ty))
}

/// At most as many calls deep as the reach says.
fn compute(graph: &Graph, origin: Origin, bits: u32, reach: Reach) -> Known {
    let nothing = Known::nothing(bits);
    let origin = if reach.regions { follow_out(graph, origin).0 } else { origin };
    if let Some(value) = fold::constant(graph, origin).and_then(|constant| fold::splat_int(graph.pool(), constant)) {
        return Known::exactly(value);
    }
    if reach.depth == 0 {
        return nothing;
    }
    let (node, output) = match graph.def(origin) {
        OriginDef::Output(node, output) => (node, output as usize),
        OriginDef::Argument(..) if !reach.regions => return nothing,
        OriginDef::Argument(..) => {
            let variable = Theta::loop_var_of_argument(graph, origin);
            return variable.map_or(nothing, |(theta, variable)| of_loop_variable(graph, theta, variable, bits, reach));
        }
    };
    match graph.kind(node) {
        NodeKind::Gamma | NodeKind::Theta if !reach.regions => return nothing,
        NodeKind::Gamma => return of_conditional(graph, node, output, bits, reach),
        NodeKind::Theta => {
            return compute(graph, graph.result(graph.subregions(node)[0], output + 1), bits, reach.less());
        }
        NodeKind::Simple(_) | NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => {}
    }
    let of = |index: usize| {
        let input = graph.input(node, index);
        match width(graph.pool(), graph.ty(input)) {
            Some(bits) => compute(graph, input, bits, reach.less()),
            None => nothing,
        }
    };
    match graph.op(node) {
        Some(Op::IntBinary { op, flags }) => operation(op, flags, of(0), of(1)),
        Some(Op::Cast { op, .. }) => {
            let input = graph.input(node, 0);
            let Some(from) = width(graph.pool(), graph.ty(input)) else { return nothing };
            let inner = of(0);
            match op.resize() {
                Some(Resize::Trunc) => Known { bits, zero: inner.zero & mask(bits), one: inner.one & mask(bits) },
                Some(Resize::ZExt) => Known { bits, zero: inner.zero | mask(bits) & !mask(from), one: inner.one },
                Some(Resize::SExt) => {
                    let high = mask(bits) & !mask(from);
                    let zero = if inner.is_non_negative() { high } else { 0 };
                    let one = if inner.is_negative() { high } else { 0 };
                    Known { bits, zero: inner.zero | zero, one: inner.one | one }
                }
                None => nothing,
            }
        }
        Some(Op::Select(_)) => of(1).common(of(2)),
        Some(Op::Call(call)) => match bounds::of_result(graph.pool(), call).filter(|result| result.bits == bits) {
            Some(result) => {
                Known { zero: Known::high_zeros(bits, result.greatest.leading_zeros() + bits - 128), ..nothing }
            }
            None => nothing,
        },
        Some(_) | None => nothing,
    }
}

/// What all alternatives of a conditional that do not give poison have in common.
fn of_conditional(graph: &Graph, node: Node, output: usize, bits: u32, reach: Reach) -> Known {
    let regions = graph.subregions(node);
    let results = regions.iter().map(|&region| graph.result(region, output));
    if regions.len() > MAX_ALTERNATIVES {
        return Known::nothing(bits);
    }
    let known = results
        .filter(|&origin| !fold::is_poison(graph, origin))
        .map(|origin| compute(graph, origin, bits, reach.less()));
    known.reduce(Known::common).unwrap_or(Known::nothing(bits))
}

/// What is known of a loop variable in every iteration: of its first value, and kept by what is done to it.
fn of_loop_variable(graph: &Graph, theta: Theta, variable: LoopVar, bits: u32, reach: Reach) -> Known {
    let mut known = compute(graph, graph.origin(variable.input), bits, reach.less());
    if known == Known::nothing(bits) {
        return known;
    }
    let next = next_values(graph, theta, variable);
    let Some(updates) = updates(graph, variable.pre, &next, bits, reach) else {
        let next = next.into_iter().map(|next| compute(graph, next, bits, reach.less()));
        return next.fold(known, Known::common);
    };
    // By induction. Each step but the last leaves fewer bits known.
    loop {
        let next = updates.iter().fold(known, |sum, &(op, flags, by)| sum.common(operation(op, flags, known, by)));
        if next == known {
            return known;
        }
        known = next;
    }
}

/// What is done to a loop variable for the next iteration: nothing, or one of some operations with what is known of their other operand.
fn updates(
    graph: &Graph,
    pre: Origin,
    next: &[Origin],
    bits: u32,
    reach: Reach,
) -> Option<SmallVec<[(IntBinary, BinaryFlags, Known); 2]>> {
    let mut updates = SmallVec::new();
    for &end in next.iter().filter(|&&end| end != pre) {
        let node = graph.producer(end)?;
        let Some(Op::IntBinary { op, flags }) = graph.op(node) else { return None };
        if follow_out(graph, graph.input(node, 0)).0 != pre {
            return None;
        }
        updates.push((op, flags, compute(graph, graph.input(node, 1), bits, reach.less())));
    }
    Some(updates)
}

/// What is known of an operation that may promise not to wrap.
fn operation(op: IntBinary, flags: BinaryFlags, a: Known, b: Known) -> Known {
    let mut known = binary(op, a, b);
    // What does not wrap keeps the sign that both have.
    let stays = matches!(op, IntBinary::Add | IntBinary::Mul) && flags.contains(BinaryFlags::NSW);
    if stays && a.is_non_negative() && b.is_non_negative() {
        known.zero |= 1 << (a.bits - 1);
        known.one &= !(1 << (a.bits - 1));
    }
    known
}

fn binary(op: IntBinary, a: Known, b: Known) -> Known {
    let bits = a.bits;
    let amount = b.value().map(|amount| amount.unsigned()).filter(|&amount| amount < u128::from(bits));
    let nothing = Known::nothing(bits);
    match op {
        IntBinary::And => Known { bits, zero: a.zero | b.zero, one: a.one & b.one },
        IntBinary::Or => Known { bits, zero: a.zero & b.zero, one: a.one | b.one },
        IntBinary::Xor => Known { bits, zero: a.zero & b.zero | a.one & b.one, one: a.zero & b.one | a.one & b.zero },
        IntBinary::Shl => match amount {
            Some(n) => Known { bits, zero: (a.zero << n | mask(n as u32)) & mask(bits), one: a.one << n & mask(bits) },
            None => Known { bits, zero: mask(a.trailing_zeros()), one: 0 },
        },
        IntBinary::LShr => match amount {
            Some(n) => Known { bits, zero: a.zero >> n | Known::high_zeros(bits, n as u32), one: a.one >> n },
            None => Known { bits, zero: Known::high_zeros(bits, a.leading_zeros()), one: 0 },
        },
        IntBinary::AShr => match amount {
            Some(n) => {
                let high = Known::high_zeros(bits, n as u32);
                Known {
                    bits,
                    zero: a.zero >> n | if a.is_non_negative() { high } else { 0 },
                    one: a.one >> n | if a.is_negative() { high } else { 0 },
                }
            }
            None => nothing,
        },
        IntBinary::Add => sum(a, b, false),
        // The negation is the inversion and one.
        IntBinary::Sub => sum(a, Known { bits, zero: b.one, one: b.zero }, true),
        IntBinary::Mul => {
            let low = (a.trailing_zeros() + b.trailing_zeros()).min(bits);
            let high = (a.leading_zeros() + b.leading_zeros()).saturating_sub(bits);
            Known { bits, zero: mask(low) | Known::high_zeros(bits, high), one: 0 }
        }
        IntBinary::UDiv => Known { bits, zero: Known::high_zeros(bits, a.leading_zeros()), one: 0 },
        IntBinary::URem => {
            Known { bits, zero: Known::high_zeros(bits, a.leading_zeros().max(b.leading_zeros())), one: 0 }
        }
        IntBinary::SDiv if a.is_non_negative() && b.is_non_negative() => {
            Known { bits, zero: Known::high_zeros(bits, a.leading_zeros()), one: 0 }
        }
        // The remainder has the sign of the dividend, and is no farther from zero.
        IntBinary::SRem if a.is_non_negative() => {
            Known { bits, zero: Known::high_zeros(bits, a.leading_zeros()), one: 0 }
        }
        IntBinary::SDiv | IntBinary::SRem => nothing,
    }
}

/// A sum and a known carry into its lowest bit: a bit is known where both and the carry into it are.
fn sum(a: Known, b: Known, carry: bool) -> Known {
    let all = mask(a.bits);
    let most = a.max().wrapping_add(b.max()).wrapping_add(carry.into()) & all;
    let least = a.min().wrapping_add(b.min()).wrapping_add(carry.into()) & all;
    let no_carry = !(most ^ a.zero ^ b.zero);
    let carried = least ^ a.one ^ b.one;
    let known = (a.zero | a.one) & (b.zero | b.one) & (no_carry | carried) & all;
    Known { bits: a.bits, zero: !most & known, one: least & known }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that may be known of three bits.
    fn all() -> impl Iterator<Item = Known> {
        (0..64)
            .map(|code| Known { bits: 3, zero: code & 7, one: code >> 3 })
            .filter(|known| known.zero & known.one == 0)
    }

    fn values(known: Known) -> impl Iterator<Item = u128> {
        (0..8).filter(move |value| value & known.zero == 0 && value & known.one == known.one)
    }

    /// Of bitwise operations and of sums all that follows is known; how much of the others is, in all.
    #[test]
    fn how_much_is_known() {
        use IntBinary::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
        let mut others = String::new();
        for op in [Add, Sub, And, Or, Xor, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr] {
            let mut bits = 0;
            for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
                let known = binary(op, a, b);
                bits += (known.zero | known.one).count_ones();
                if matches!(op, Add | Sub | And | Or | Xor) {
                    let of = |x, y| arith::binary(op, BinaryFlags::NONE, Int::new(3, x), Int::new(3, y));
                    let mut best = Known { bits: 3, zero: 7, one: 7 };
                    for outcome in values(a).flat_map(|x| values(b).map(move |y| of(x, y))) {
                        let arith::Outcome::Value(value) = outcome else { continue };
                        best.zero &= !value.unsigned();
                        best.one &= value.unsigned();
                    }
                    assert_eq!(known, best, "{op:?} {a:?} {b:?}");
                }
            }
            others.push_str(&format!("{op:?} {bits}\n"));
        }
        expect_test::expect![[r#"
            Add 708
            Sub 708
            And 1458
            Or 1458
            Xor 972
            Mul 679
            UDiv 351
            SDiv 117
            URem 611
            SRem 351
            Shl 501
            LShr 501
            AShr 162
        "#]]
        .assert_eq(&others);
    }

    #[test]
    fn operations_with_promises_and_conversions() {
        let known_of = |lines: &str| {
            let text = format!(
                "module \"test\"\n@f = function i8 (i8, i8, i1, i4)\n\
                 lambda @f [] (v0: i8, v1: i8, v2: i1, v3: i4, mem0, io0) {{\n\
                 v4 = const i8 1\nv5: i8 = lshr v0, v4\nv6: i8 = lshr v1, v4\nv7 = const i8 -128\nv8: i8 = or v0, v7\n\
                 v9 = const i4 -8\nv10: i4 = or v3, v9\nv11 = const i4 7\nv12: i4 = and v3, v11\n{lines}\n\
                 yield v13, mem0, io0\n}}\nexport @f\n"
            );
            let module = rvsdg_core::text::parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let graph = module.bodies.values().next().and_then(|body| body.graph()).expect("a body");
            let known = known(graph, graph.result(graph.root(), 0)).expect("an integer");
            (known.zero, known.one)
        };
        for (lines, expected) in [
            ("v13: i8 = add nsw v5, v6", (0x80, 0)),
            ("v13: i8 = add v5, v6", (0, 0)),
            ("v13: i8 = add nuw v5, v6", (0, 0)),
            ("v13: i8 = add nsw v5, v1", (0, 0)),
            ("v13: i8 = add nsw v0, v6", (0, 0)),
            ("v13: i8 = mul nsw v5, v6", (0x80, 0)),
            ("v13: i8 = mul v5, v6", (0, 0)),
            ("v13: i8 = mul nsw v0, v6", (0, 0)),
            ("v13: i8 = sub nsw v5, v6", (0, 0)),
            ("v13: i8 = shl nsw v5, v6", (0, 0)),
            ("v13: i8 = zext v3", (0xf0, 0)),
            ("v13: i8 = zext v10", (0xf0, 8)),
            ("v13: i8 = sext v3", (0, 0)),
            ("v13: i8 = sext v10", (0, 0xf8)),
            ("v13: i8 = sext v12", (0xf8, 0)),
            ("v13: i8 = select v2, v5, v6", (0x80, 0)),
            ("v13: i8 = select v2, v5, v8", (0, 0)),
            ("v13: i8 = select v2, v8, v7", (0, 0x80)),
            ("v13: i8 = freeze v5", (0, 0)),
        ] {
            assert_eq!(known_of(lines), expected, "{lines}");
        }
    }

    #[test]
    fn what_is_known_holds() {
        use IntBinary::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
        let fits = |known: Known, value: u128| value & known.zero == 0 && value & known.one == known.one;
        for op in [Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor] {
            for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
                let known = binary(op, a, b);
                for (x, y) in (0..64).map(|code| (code & 7, code >> 3)).filter(|&(x, y)| fits(a, x) && fits(b, y)) {
                    let result = arith::binary(op, BinaryFlags::NONE, Int::new(3, x), Int::new(3, y));
                    if let arith::Outcome::Value(value) = result {
                        assert!(fits(known, value.unsigned()), "{op:?} {a:?} {b:?} {x} {y}");
                    }
                }
            }
        }
    }
}
