//! Every kind of constant.

mod support;

use expect_test::expect;
use rvsdg_core::constant::Words;
use rvsdg_core::op::{BinaryFlags, CastFlags, CastOp, GepFlags, IntBinary, Op};
use rvsdg_core::{Const, Constant, Pool, Type, TypeKind};
use support::{Build, PoolExt};

fn array(pool: &Pool, element: Type, len: u64) -> Type {
    pool.intern_type(TypeKind::Array { element, len })
}

fn vector(pool: &Pool, element: Type, len: u32) -> Type {
    pool.intern_type(TypeKind::Vector { element, len, scalable: false })
}

fn structure(pool: &Pool, elements: &[Type], packed: bool) -> Type {
    pool.intern_type(TypeKind::Struct { elements: elements.into(), packed })
}

fn data(pool: &Pool, ty: Type, bytes: &[u8]) -> Const {
    pool.intern_const(Constant::Data { ty, bytes: bytes.into() })
}

/// One variable per constant.
fn variables(build: &mut Build, constants: &[Const]) {
    let pool = build.pool();
    for (index, &constant) in constants.iter().enumerate() {
        build.variable(&format!("v{index}"), pool.constant(constant).ty(), Some(constant), &[]);
    }
}

#[test]
fn scalars() {
    let mut build = Build::new();
    let pool = build.pool();
    let wide = pool.int(96);
    let huge = pool.int(3968);
    let constants = [
        pool.int_const(Type::I1, 1),
        pool.int_of(7, 0x7f),
        pool.int_of(8, 200),
        pool.int_const(Type::I64, u64::MAX),
        pool.intern_const(Constant::Int { ty: wide, words: Words::Large([0, 0x8000_0000].into()) }),
        pool.intern_const(Constant::Int { ty: huge, words: Words::Large(vec![9; 62].into()) }),
        pool.float_const(TypeKind::Half, 0x3c00),
        pool.float_const(TypeKind::BFloat, 0xbf80),
        pool.float_const(TypeKind::Float, 0x3dcc_cccd),
        pool.float_const(TypeKind::Float, 0x7f80_0001),
        pool.float_const(TypeKind::Float, 0x7f80_0000),
        pool.float_const(TypeKind::Double, (-2.5f64).to_bits().into()),
        pool.float_const(TypeKind::Double, 0x7ff0_0000_0000_0001),
        pool.float_const(TypeKind::X86Fp80, 0x4000_c90f_daa2_2168_c235),
        pool.float_const(TypeKind::Fp128, 0x4000_921f_b544_42d1_8469_898c_c517_01b8),
        pool.float_const(TypeKind::PpcFp128, 0x3ca1_a626_3314_5c07_4009_21fb_5444_2d18),
        pool.intern_const(Constant::Zero(Type::PTR)),
        pool.intern_const(Constant::Zero(pool.intern_type(TypeKind::Ptr(3)))),
        pool.intern_const(Constant::Undef(Type::I32)),
        pool.intern_const(Constant::Poison(Type::I32)),
    ];
    variables(&mut build, &constants);
    build.check(expect![[r#"
        @v0 = global i1 true
        @v1 = global i7 -1
        @v2 = global i8 -56
        @v3 = global i64 -1
        @v4 = global i96 -39614081257132168796771975168
        @v5 = global i3968 u0x90000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009
        @v6 = global half 0xH3C00
        @v7 = global bfloat 0xRBF80
        @v8 = global float 0x3FB99999A0000000
        @v9 = global float 0x7FF0000020000000
        @v10 = global float 0x7FF0000000000000
        @v11 = global double -2.500000e+00
        @v12 = global double 0x7FF0000000000001
        @v13 = global x86_fp80 0xK4000C90FDAA22168C235
        @v14 = global fp128 0xL8469898CC51701B84000921FB54442D1
        @v15 = global ppc_fp128 0xM400921FB54442D183CA1A62633145C07
        @v16 = global ptr null
        @v17 = global ptr addrspace(3) null
        @v18 = global i32 undef
        @v19 = global i32 poison
    "#]]);
}

/// LLVM reads our numbers as the bits we meant.
#[test]
fn floats_keep_their_bits() {
    let mut build = Build::new();
    let pool = build.pool();
    let mut state = 1u64;
    let mut expected = Vec::new();
    let mut constants = Vec::new();
    for round in 0..400u32 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mut bits = state ^ state >> 29;
        if round % 4 == 0 {
            bits |= 0x7ff0_0000_7f80_0000;
        }
        if round % 4 == 1 {
            bits &= 0x800f_ffff_807f_ffff;
        }
        constants.push(pool.float_const(TypeKind::Float, (bits as u32).into()));
        expected.push(format!("i32 {}", bits as i32));
        constants.push(pool.float_const(TypeKind::Double, bits.into()));
        expected.push(format!("i64 {}", bits as i64));
    }
    let casts: Vec<Const> = constants
        .iter()
        .map(|&constant| {
            let float = *pool.type_kind(pool.constant(constant).ty()) == TypeKind::Float;
            let ty = if float { Type::I32 } else { Type::I64 };
            pool.expr(ty, Op::Cast { op: CastOp::BitCast, flags: CastFlags::default() }, &[constant])
        })
        .collect();
    variables(&mut build, &casts);
    let Some(text) = support::opt(&build.emit().unwrap(), &["-S", "-passes=globalopt"]) else { return };
    let text = text.unwrap();
    for (index, expected) in expected.iter().enumerate() {
        assert!(
            text.contains(&format!("@v{index} = local_unnamed_addr global {expected}\n")),
            "v{index} {expected}\n{text}"
        );
    }
}

#[test]
fn aggregates() {
    let mut build = Build::new();
    let pool = build.pool();
    let (i8, i16) = (pool.int(8), pool.int(16));
    let (half, double) = (pool.intern_type(TypeKind::Half), pool.intern_type(TypeKind::Double));
    let (one, two) = (pool.i32_const(1), pool.i32_const(2));
    let aggregate = |ty, elements: &[Const]| pool.intern_const(Constant::Aggregate { ty, elements: elements.into() });
    let named = pool.intern_type(TypeKind::Named {
        name: "pair".into(),
        elements: Some([Type::I32, Type::I32].into()),
        packed: false,
    });
    let scalable = pool.intern_type(TypeKind::Vector { element: Type::I32, len: 4, scalable: true });
    let constants = [
        data(&pool, array(&pool, i8, 6), b"a\"\\\n\0\xff"),
        data(&pool, array(&pool, i16, 2), &[1, 0, 0xff, 0xff]),
        data(&pool, array(&pool, half, 1), &[0, 0x3c]),
        data(&pool, array(&pool, double, 1), &1.5f64.to_le_bytes()),
        data(&pool, vector(&pool, i8, 2), &[1, 2]),
        data(&pool, vector(&pool, Type::I32, 2), &[7, 0, 0, 0, 7, 0, 0, 0]),
        aggregate(array(&pool, Type::I32, 2), &[one, pool.poison(Type::I32)]),
        aggregate(vector(&pool, Type::I32, 2), &[one, two]),
        aggregate(structure(&pool, &[Type::I32, named], false), &[one, aggregate(named, &[one, two])]),
        aggregate(structure(&pool, &[i8, Type::I32], true), &[pool.int_of(8, 1), one]),
        aggregate(structure(&pool, &[], false), &[]),
        pool.intern_const(Constant::Zero(named)),
        pool.intern_const(Constant::Splat { ty: vector(&pool, Type::I32, 8), element: two }),
    ];
    variables(&mut build, &constants);
    let splat = pool.intern_const(Constant::Splat { ty: scalable, element: one });
    let token = pool.intern_type(TypeKind::Token);
    let function = build.function("f", scalable, &[]);
    build.define(function, &[], |cfg, _| {
        let value = cfg.add_const(splat, &[]);
        cfg.add_block_param(cfg.exit(), scalable, None);
        cfg.add_arc(cfg.entry(), cfg.exit(), &[value]);
    });
    assert_eq!(pool.constant(pool.intern_const(Constant::None(token))).ty(), token);
    build.check(expect![[r#"
        %pair = type { i32, i32 }

        @v0 = global [6 x i8] c"a\22\\\0A\00\FF"
        @v1 = global [2 x i16] [i16 1, i16 -1]
        @v2 = global [1 x half] [half 0xH3C00]
        @v3 = global [1 x double] [double 1.500000e+00]
        @v4 = global <2 x i8> <i8 1, i8 2>
        @v5 = global <2 x i32> splat (i32 7)
        @v6 = global [2 x i32] [i32 1, i32 poison]
        @v7 = global <2 x i32> <i32 1, i32 2>
        @v8 = global { i32, %pair } { i32 1, %pair { i32 1, i32 2 } }
        @v9 = global <{ i8, i32 }> <{ i8 1, i32 1 }>
        @v10 = global {} zeroinitializer
        @v11 = global %pair zeroinitializer
        @v12 = global <8 x i32> splat (i32 2)

        define <vscale x 4 x i32> @f() {
        b0:
          ret <vscale x 4 x i32> splat (i32 1)
        }
    "#]]);
}

#[test]
fn expressions() {
    let mut build = Build::new();
    let pool = build.pool();
    let cast = |op, ty, operand| pool.expr(ty, Op::Cast { op, flags: CastFlags::default() }, &[operand]);
    let binary = |op, flags, left, right| pool.expr(Type::I64, Op::IntBinary { op, flags }, &[left, right]);
    let int = |value| pool.int_const(Type::I64, value);
    let gep = |source, flags, operands: &[Const], in_range| {
        pool.intern_const(Constant::Expr {
            ty: Type::PTR,
            op: Op::Gep { source, flags },
            operands: operands.into(),
            in_range,
        })
    };
    let g = build.variable("g", pool.int(64), Some(int(0)), &[]);
    let h = build.variable("h h", pool.int(64), None, &[]);
    let far = pool.intern_type(TypeKind::Ptr(2));
    let address = cast(CastOp::PtrToInt, Type::I64, pool.hole(0));
    let all = GepFlags::INBOUNDS | GepFlags::NUSW | GepFlags::NUW;
    let pointers = array(&pool, Type::PTR, 4);
    let pair = vector(&pool, Type::I64, 2);
    let lanes = pool.intern_const(Constant::Aggregate { ty: pair, elements: [address, int(1)].into() });
    let expressions = [
        (address, &[g][..]),
        (cast(CastOp::PtrToAddr, Type::I64, pool.hole(0)), &[g][..]),
        (cast(CastOp::Trunc, Type::I32, address), &[g][..]),
        (cast(CastOp::IntToPtr, Type::PTR, binary(IntBinary::Add, BinaryFlags::NUW, address, int(3))), &[g][..]),
        (cast(CastOp::BitCast, pool.intern_type(TypeKind::Double), address), &[g][..]),
        (cast(CastOp::AddrSpaceCast, far, pool.hole(0)), &[g][..]),
        (binary(IntBinary::Sub, BinaryFlags::NSW, address, cast(CastOp::PtrToInt, Type::I64, pool.hole(1))), &[g, h]),
        (binary(IntBinary::Xor, BinaryFlags::NONE, address, int(u64::MAX)), &[g][..]),
        (gep(pool.int(8), GepFlags::NONE, &[pool.hole(0), int(8)], None), &[h]),
        (gep(pointers, all, &[pool.hole(0), pool.i32_const(0), int(2)], Some((-16, 16))), &[g][..]),
        (gep(pool.int(8), GepFlags::NUSW, &[pool.hole(0), int(1)], None), &[g][..]),
        (pool.expr(Type::I64, Op::ExtractElement, &[lanes, address]), &[g][..]),
        (pool.expr(pair, Op::InsertElement, &[lanes, address, address]), &[g][..]),
        (pool.expr(pair, Op::ShuffleVector(pool.intern_indices(&[1, u32::MAX])), &[lanes, lanes]), &[g][..]),
        (
            pool.intern_const(Constant::PtrAuth {
                ty: Type::PTR,
                operands: [pool.hole(0), pool.i32_const(2), int(7), pool.intern_const(Constant::Zero(Type::PTR))]
                    .into(),
            }),
            &[g],
        ),
    ];
    for (index, (constant, holes)) in expressions.into_iter().enumerate() {
        let ty = pool.constant(constant).ty();
        build.variable(&format!("e{index}"), ty, Some(constant), holes);
    }
    let f = build.function("f", Type::VOID, &[]);
    for (name, constant) in [
        ("equivalent", Constant::DsoLocalEquivalent { ty: Type::PTR, index: 0 }),
        ("no_cfi", Constant::NoCfi { ty: Type::PTR, index: 0 }),
    ] {
        let constant = pool.intern_const(constant);
        build.variable(name, Type::PTR, Some(constant), &[f]);
    }
    build.check(expect![[r#"
        @g = global i64 0
        @"h h" = external global i64
        @e0 = global i64 ptrtoint (ptr @g to i64)
        @e1 = global i64 ptrtoaddr (ptr @g to i64)
        @e2 = global i32 trunc (i64 ptrtoint (ptr @g to i64) to i32)
        @e3 = global ptr inttoptr (i64 add nuw (i64 ptrtoint (ptr @g to i64), i64 3) to ptr)
        @e4 = global double bitcast (i64 ptrtoint (ptr @g to i64) to double)
        @e5 = global ptr addrspace(2) addrspacecast (ptr @g to ptr addrspace(2))
        @e6 = global i64 sub nsw (i64 ptrtoint (ptr @g to i64), i64 ptrtoint (ptr @"h h" to i64))
        @e7 = global i64 xor (i64 ptrtoint (ptr @g to i64), i64 -1)
        @e8 = global ptr getelementptr (i8, ptr @"h h", i64 8)
        @e9 = global ptr getelementptr inbounds nuw inrange(-16, 16) ([4 x ptr], ptr @g, i32 0, i64 2)
        @e10 = global ptr getelementptr nusw (i8, ptr @g, i64 1)
        @e11 = global i64 extractelement (<2 x i64> <i64 ptrtoint (ptr @g to i64), i64 1>, i64 ptrtoint (ptr @g to i64))
        @e12 = global <2 x i64> insertelement (<2 x i64> <i64 ptrtoint (ptr @g to i64), i64 1>, i64 ptrtoint (ptr @g to i64), i64 ptrtoint (ptr @g to i64))
        @e13 = global <2 x i64> shufflevector (<2 x i64> <i64 ptrtoint (ptr @g to i64), i64 1>, <2 x i64> <i64 ptrtoint (ptr @g to i64), i64 1>, <2 x i32> <i32 1, i32 poison>)
        @e14 = global ptr ptrauth (ptr @g, i32 2, i64 7, ptr null)
        @equivalent = global ptr dso_local_equivalent @f
        @no_cfi = global ptr no_cfi @f

        declare void @f()
    "#]]);
}

/// In a body the holes of a constant are filled by context variables, or by other constants.
#[test]
fn holes_in_bodies() {
    let mut build = Build::new();
    let pool = build.pool();
    let g = build.variable("g", Type::I64, None, &[]);
    let f = build.function("f", Type::PTR, &[]);
    build.define(f, &[g], |cfg, context| {
        let byte = Op::Gep { source: pool.int(8), flags: GepFlags::INBOUNDS };
        let next = pool.expr(Type::PTR, byte, &[pool.hole(0), pool.int_const(Type::I64, 1)]);
        let first = cfg.add_const(next, &[context[0]]);
        let second = cfg.add_const(next, &[first]);
        cfg.add_block_param(cfg.exit(), Type::PTR, None);
        cfg.add_arc(cfg.entry(), cfg.exit(), &[second]);
    });
    build.check(expect![[r#"
        @g = external global i64

        define ptr @f() {
        b0:
          ret ptr getelementptr inbounds (i8, ptr getelementptr inbounds (i8, ptr @g, i64 1), i64 1)
        }
    "#]]);
}

#[test]
fn constants_that_cannot_be_written() {
    let mut build = Build::new();
    let pool = build.pool();
    let mul = Op::IntBinary { op: IntBinary::Mul, flags: BinaryFlags::NONE };
    let one = pool.i32_const(1);
    let constant = pool.expr(Type::I32, mul, &[one, one]);
    build.variable("g", Type::I32, Some(constant), &[]);
    build.check_error(expect![
        "@g: cannot emit a constant expression of mul; expected a conversion, add, sub, xor, getelementptr or an operation on vectors"
    ]);
}
