//! Folding against the host's arithmetic, and what is not folded.

use super::*;
use crate::op::{BinaryFlags, CastFlags};

fn poisons_where(broken: bool, value: i64) -> Outcome {
    if broken { Outcome::Poison } else { Outcome::Value(Int::new(8, value as u128)) }
}

#[test]
fn neutral_operands_change_nothing_on_either_side() {
    use crate::op::FloatBinary::{FAdd, FDiv, FMul, FRem, FSub};
    let pool = Pool::new();
    for bits in 1..=3 {
        let ty = pool.int(bits);
        for op in [IntBinary::Add, IntBinary::Mul, IntBinary::And, IntBinary::Or, IntBinary::Xor] {
            let neutral =
                neutral_const(&pool, Op::IntBinary { op, flags: BinaryFlags::NONE }, ty).expect("there is one");
            let neutral = Int::of_const(&pool, neutral).expect("it is an integer");
            for x in (0..1 << bits).map(|x| Int::new(bits, x)) {
                assert_eq!(arith::binary(op, BinaryFlags::NONE, x, neutral), Outcome::Value(x), "{op:?}");
                assert_eq!(arith::binary(op, BinaryFlags::NONE, neutral, x), Outcome::Value(x), "{op:?}");
            }
        }
        for op in [IntBinary::Sub, IntBinary::Shl, IntBinary::UDiv, IntBinary::SDiv, IntBinary::URem] {
            assert_eq!(neutral_const(&pool, Op::IntBinary { op, flags: BinaryFlags::NONE }, ty), None, "{op:?}");
        }
    }
    let (double, zero) = (pool.intern_type(TypeKind::Double), f64::to_bits(-0.0));
    for (op, expected) in [(FAdd, Some(zero)), (FMul, Some(1f64.to_bits())), (FSub, None), (FDiv, None), (FRem, None)] {
        let neutral = neutral_const(&pool, Op::FloatBinary { op, flags: Default::default() }, double);
        let bits = |constant| splat_real(&pool, constant).map(|(_, bits)| bits);
        assert_eq!(neutral.and_then(bits), expected.map(u128::from), "{op:?}");
    }
    let four = pool.intern_type(TypeKind::Vector { element: Type::I32, len: 4, scalable: false });
    let product = Op::IntBinary { op: IntBinary::Mul, flags: BinaryFlags::NONE };
    let ones = neutral_const(&pool, product, four).and_then(|constant| splat_int(&pool, constant));
    assert!(ones.is_some_and(Int::is_one));
}

#[test]
fn integers_of_eight_bits_are_as_the_host_computes() {
    for (x, y) in (0..=255u8).flat_map(|x| (0..=255u8).map(move |y| (x, y))) {
        let (a, b) = (Int::new(8, x.into()), Int::new(8, y.into()));
        let ([u, v], [s, t]) = ([x, y].map(i64::from), [x, y].map(|byte| i64::from(byte as i8)));
        let (is_byte, is_signed) = (|value: i64| (0..256).contains(&value), |value: i64| (-128..128).contains(&value));
        let check =
            |op, flags, expected| assert_eq!(arith::binary(op, flags, a, b), expected, "{op:?} {flags:?} {x} {y}");
        let sums = [(IntBinary::Add, u + v, s + t), (IntBinary::Sub, u - v, s - t), (IntBinary::Mul, u * v, s * t)];
        for (op, unsigned, signed) in sums {
            check(op, BinaryFlags::NONE, poisons_where(false, unsigned));
            check(op, BinaryFlags::NUW, poisons_where(!is_byte(unsigned), unsigned));
            check(op, BinaryFlags::NSW, poisons_where(!is_signed(signed), unsigned));
        }
        let (shl, lshr, ashr) = (u << (v & 15), u >> (v & 15), s >> (v & 15));
        check(IntBinary::Shl, BinaryFlags::NONE, poisons_where(v > 7, shl));
        check(IntBinary::Shl, BinaryFlags::NUW, poisons_where(v > 7 || !is_byte(shl), shl));
        check(IntBinary::Shl, BinaryFlags::NSW, poisons_where(v > 7 || !is_signed(s << (v & 15)), shl));
        let drops = v > 7 || u & ((1 << (v & 15)) - 1) != 0;
        for (op, value) in [(IntBinary::LShr, lshr), (IntBinary::AShr, ashr)] {
            check(op, BinaryFlags::NONE, poisons_where(v > 7, value));
            check(op, BinaryFlags::EXACT, poisons_where(drops, value));
        }
        check(IntBinary::And, BinaryFlags::NONE, poisons_where(false, u & v));
        check(IntBinary::Xor, BinaryFlags::NONE, poisons_where(false, u ^ v));
        check(IntBinary::Or, BinaryFlags::NONE, poisons_where(false, u | v));
        check(IntBinary::Or, BinaryFlags::DISJOINT, poisons_where(u & v != 0, u | v));
        let divisions = [
            (IntBinary::UDiv, IntBinary::URem, u.checked_div(v), u.checked_rem(v)),
            (
                IntBinary::SDiv,
                IntBinary::SRem,
                (x as i8).checked_div(y as i8).map(i64::from),
                (x as i8).checked_rem(y as i8).map(i64::from),
            ),
        ];
        for (quotient_of, rest_of, quotient, rest) in divisions {
            let or_undefined =
                |value: Option<i64>| value.map_or(Outcome::Undefined, |value| poisons_where(false, value));
            check(quotient_of, BinaryFlags::NONE, or_undefined(quotient));
            check(rest_of, BinaryFlags::NONE, or_undefined(rest));
            let exact = quotient.map_or(Outcome::Undefined, |value| poisons_where(rest != Some(0), value));
            check(quotient_of, BinaryFlags::EXACT, exact);
        }
    }
}

#[test]
fn narrow_and_wide_integers_are_as_the_host_converts() {
    let wrap = |wrap| CastFlags { wrap, ..CastFlags::default() };
    for byte in 0..=255u8 {
        let (value, signed) = (Int::new(8, byte.into()), byte as i8);
        let check = |op, flags, bits, expected: Option<i64>| {
            let expected = expected.map_or(Outcome::Poison, |value| Outcome::Value(Int::new(bits, value as u128)));
            assert_eq!(arith::cast(op, flags, value, bits), Some(expected), "{op:?} {flags:?} {byte}");
        };
        let none = CastFlags::default();
        check(CastOp::ZExt, none, 32, Some(byte.into()));
        check(CastOp::ZExt, CastFlags { nneg: true, ..none }, 32, (signed >= 0).then_some(byte.into()));
        check(CastOp::SExt, none, 32, Some(signed.into()));
        check(CastOp::Trunc, none, 4, Some((byte & 15).into()));
        check(CastOp::Trunc, wrap(BinaryFlags::NUW), 4, (byte < 16).then_some(byte.into()));
        check(CastOp::Trunc, wrap(BinaryFlags::NSW), 4, (-8..8).contains(&signed).then_some((byte & 15).into()));
    }
}

/// A pool with the type of vectors of `len` lanes of `i8`.
fn vectors(len: u32) -> (Pool, Type) {
    let pool = Pool::new();
    let element = pool.int(8);
    let ty = pool.intern_type(TypeKind::Vector { element, len, scalable: false });
    (pool, ty)
}

fn vector(pool: &Pool, ty: Type, lanes: &[u64]) -> Const {
    let elements: Vec<Const> = lanes.iter().map(|&lane| pool.int_const(pool.int(8), lane)).collect();
    parts::whole(pool, ty, &elements).expect("a vector has a constant")
}

#[test]
fn lanes_come_from_the_first_vector_then_from_the_second() {
    let (pool, ty) = vectors(4);
    let [a, b] = [[1, 2, 3, 4], [5, 6, 7, 8]].map(|lanes| Some(vector(&pool, ty, &lanes)));
    let shuffle = |mask: [u32; 4]| fold_known(&pool, Op::ShuffleVector(pool.intern_indices(&mask)), &[a, b], ty);
    assert_eq!(shuffle([0, 3, 4, 7]), Some(vector(&pool, ty, &[1, 4, 5, 8])));
    assert_eq!(shuffle([7, 4, 3, 0]), Some(vector(&pool, ty, &[8, 5, 4, 1])));
}

#[test]
fn a_condition_may_be_one_for_all_lanes() {
    let (pool, ty) = vectors(4);
    let [a, b] = [[1, 2, 3, 4], [5, 6, 7, 8]].map(|lanes| Some(vector(&pool, ty, &lanes)));
    let lanes = pool.intern_type(TypeKind::Vector { element: Type::I1, len: 4, scalable: false });
    let bits = [0, 1, 1, 0].map(|bit| pool.int_const(Type::I1, bit));
    let each = parts::whole(&pool, lanes, &bits);
    let select = |condition| fold_known(&pool, Op::Select(crate::op::FastMath::NONE), &[condition, a, b], ty);
    assert_eq!(select(each), Some(vector(&pool, ty, &[5, 2, 3, 8])));
    assert_eq!(select(Some(pool.int_const(Type::I1, 1))), a);
    assert_eq!(select(Some(pool.int_const(Type::I1, 0))), b);
}

#[test]
fn bits_are_read_as_another_type_of_their_width() {
    let pool = Pool::new();
    let [half, float, double] = [TypeKind::Half, TypeKind::Float, TypeKind::Double].map(|kind| pool.intern_type(kind));
    let cast = |from: Const, ty| {
        fold_known(&pool, Op::Cast { op: CastOp::BitCast, flags: CastFlags::default() }, &[Some(from)], ty)
    };
    let one = |ty, bits: u128| pool.intern_const(Constant::Float { ty, bits });
    for (ty, int, bits) in [(half, 16, 0x3c00), (float, 32, 0x3f80_0000), (double, 64, 0x3ff0_0000_0000_0000u64)] {
        let (real, int) = (one(ty, bits.into()), pool.int_const(pool.int(int), bits));
        assert_eq!(cast(real, pool.constant(int).ty()), Some(int));
        assert_eq!(cast(int, ty), Some(real));
    }
    let quad = pool.intern_type(TypeKind::Fp128);
    let (real, int) = (one(quad, 0x3fff << 112 | 7), Int::new(128, 0x3fff << 112 | 7).to_const(&pool));
    assert_eq!(cast(real, pool.int(128)), Some(int));
    assert_eq!(cast(int, quad), Some(real));
    // LLVM's verifier refuses other widths.
    assert_eq!(cast(one(float, 0x3f80_0000), pool.int(64)), None);
    assert_eq!(cast(pool.int_const(pool.int(64), 1), float), None);
}

#[test]
fn sums_come_with_whether_they_wrap() {
    let pool = Pool::new();
    let byte = pool.int(8);
    let pair = pool.intern_type(TypeKind::Struct { elements: [byte, Type::I1].into(), packed: false });
    let sum = |a, b| Intrinsic::UAddOverflow.fold(&pool, &[pool.int_const(byte, a), pool.int_const(byte, b)], pair);
    let expected =
        |value, wraps| parts::whole(&pool, pair, &[pool.int_const(byte, value), pool.int_const(Type::I1, wraps)]);
    assert_eq!(sum(200, 55), expected(255, 0));
    assert_eq!(sum(200, 57), expected(1, 1));
}

#[test]
fn the_smaller_of_floats_is_known_but_for_nans() {
    let pool = Pool::new();
    let ty = pool.intern_type(TypeKind::Double);
    let of = |value: f64| pool.intern_const(Constant::Float { ty, bits: value.to_bits().into() });
    for (a, b) in [(1.0, 2.0), (-1.0, -2.0), (0.0, 3.5), (f64::INFINITY, 1.0)] {
        assert_eq!(Intrinsic::MinNum.fold(&pool, &[of(a), of(b)], ty), Some(of(a.min(b))), "{a} {b}");
        assert_eq!(Intrinsic::MaxNum.fold(&pool, &[of(a), of(b)], ty), Some(of(a.max(b))), "{a} {b}");
    }
    for (a, b) in [(f64::NAN, 1.0), (1.0, f64::NAN)] {
        assert_eq!(Intrinsic::MinNum.fold(&pool, &[of(a), of(b)], ty), None);
    }
}

/// As LLVM's folder: what changes no number gives a signalling NaN back, all else makes it a quiet one.
#[test]
fn signalling_nans_stay_where_nothing_is_changed() {
    use FloatBinary::{FAdd, FDiv, FMul, FSub};
    let (signalling, quiet) = (0x7f80_0001, 0x7fc0_0001);
    let bits = |value: f32| u128::from(value.to_bits());
    for (op, neutral, on_both_sides) in [(FAdd, -0.0, true), (FSub, 0.0, false), (FMul, 1.0, true), (FDiv, 1.0, false)]
    {
        for other in [0.0, -0.0, 1.0, 2.0] {
            let is_neutral = bits(other) == bits(neutral);
            let expected = |stays| Some(if stays { signalling } else { quiet });
            let [first, second] = [(signalling, bits(other)), (bits(other), signalling)];
            let fold = |(a, b)| FloatKind::Single.binary(op, a, b);
            assert_eq!(fold(first), expected(is_neutral), "{op:?} {other}");
            assert_eq!(fold(second), expected(is_neutral && on_both_sides), "{op:?} {other}");
        }
    }
}

#[test]
fn signs_of_floats() {
    for kind in
        [FloatKind::Half, FloatKind::BFloat, FloatKind::Single, FloatKind::Double, FloatKind::X87, FloatKind::Quad]
    {
        let [zero, one] = [0, 1].map(|magnitude| kind.small(magnitude, false).expect("it is small"));
        for positive in [zero, one, one | 1] {
            let negative = kind.with_sign(positive, true);
            assert!(!kind.is_negative(positive) && kind.is_negative(negative), "{kind:?} {positive:#x}");
            assert_eq!((kind.with_sign(negative, false), negative.count_ones()), (positive, positive.count_ones() + 1));
        }
    }
}

#[test]
fn lanes_are_reinterpreted_one_by_one() {
    let pool = Pool::new();
    let vector = |element, len| pool.intern_type(TypeKind::Vector { element, len, scalable: false });
    let [float, half] = [TypeKind::Float, TypeKind::Half].map(|kind| pool.intern_type(kind));
    let one = |ty, bits| pool.intern_const(Constant::Float { ty, bits });
    let ints = |values: [u64; 2]| values.map(|value| Int::new(32, value.into()).to_const(&pool));
    let whole = |ty, lanes: [Const; 2]| parts::whole(&pool, ty, &lanes).expect("lanes of the type");
    let of_ints = whole(vector(Type::I32, 2), ints([0x3f80_0000, 7]));
    let of_floats = whole(vector(float, 2), [one(float, 0x3f80_0000), one(float, 7)]);
    let poisoned = whole(vector(float, 2), [one(float, 1), pool.poison(float)]);
    let bitcast =
        |from, ty| fold_known(&pool, Op::Cast { op: CastOp::BitCast, flags: CastFlags::default() }, &[Some(from)], ty);
    assert_eq!(bitcast(of_ints, vector(float, 2)), Some(of_floats));
    assert_eq!(bitcast(of_floats, vector(Type::I32, 2)), Some(of_ints));
    assert_eq!(bitcast(of_ints, vector(Type::I32, 2)), Some(of_ints));
    assert_eq!(bitcast(poisoned, vector(float, 2)), Some(poisoned));
    assert_eq!(bitcast(of_ints, vector(half, 4)), None);
    assert_eq!(bitcast(of_ints, Type::I64), None);
    let wide = Int::new(64, 5).to_const(&pool);
    assert_eq!(bitcast(wide, vector(Type::I32, 2)), None);
}
