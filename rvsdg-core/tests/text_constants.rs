//! Types and constants in the text format.

#![allow(missing_docs, reason = "tests")]

mod common;

use common::{checked, function, module, variable};
use expect_test::expect;
use rvsdg_core::constant::Words;
use rvsdg_core::op::*;
use rvsdg_core::{Const, Constant, NodeKind, Op, Pool, Type, TypeKind, text};

fn constants_of(pool: &Pool) -> Vec<Const> {
    let ty = |kind| pool.intern_type(kind);
    let array = |element, len| ty(TypeKind::Array { element, len });
    let vector = |element, len, scalable| ty(TypeKind::Vector { element, len, scalable });
    let structure = |elements: &[Type], packed| ty(TypeKind::Struct { elements: elements.into(), packed });
    let [half, bfloat, float, double] = [TypeKind::Half, TypeKind::BFloat, TypeKind::Float, TypeKind::Double].map(ty);
    let [fp80, fp128, ppc] = [TypeKind::X86Fp80, TypeKind::Fp128, TypeKind::PpcFp128].map(ty);
    let (i8, i16) = (pool.int(8), pool.int(16));
    let int = |bits, value| pool.int_const(pool.int(bits), value);
    let hole = |index| pool.intern_const(Constant::Hole { ty: Type::PTR, index });
    let named = ty(TypeKind::Named { name: "S".into(), elements: Some([Type::I32, i8].into()), packed: true });
    let opaque = ty(TypeKind::Named { name: "opaque one".into(), elements: None, packed: false });
    let target =
        ty(TypeKind::Target { name: "spirv.Image".into(), types: [float, opaque].into(), ints: [0, 7].into() });
    let token = ty(TypeKind::Token);

    let mut constants: Vec<Const> = vec![];
    let mut add = |constant: Constant| constants.push(pool.intern_const(constant));
    for (bits, value) in [(1, 0), (1, 1), (7, 127), (8, 0x80), (32, u64::MAX), (33, 1 << 32), (64, 1 << 63), (64, 0)] {
        add(pool.constant(int(bits, value)).clone());
    }
    for words in [vec![0, 0], vec![u64::MAX, 1], vec![7, 1 << 63]] {
        add(Constant::Int { ty: pool.int(128), words: Words::Large(words.into()) });
    }
    add(Constant::Int { ty: pool.int(65), words: Words::Large([5, 1].into()) });
    for bits in [0.0f32, -0.0, 1.5, 1e-40, f32::MAX, f32::NAN, f32::NEG_INFINITY].map(f32::to_bits) {
        add(Constant::Float { ty: float, bits: bits.into() });
    }
    for bits in
        [0.0f64, -0.0, 0.1, 1e300, 5e-324, f64::INFINITY].map(f64::to_bits).into_iter().chain([0x7ff0_0000_0000_0001])
    {
        add(Constant::Float { ty: double, bits: bits.into() });
    }
    for ty in [half, bfloat] {
        add(Constant::Float { ty, bits: 0x3c00 });
    }
    for ty in [fp80, fp128, ppc] {
        add(Constant::Float { ty, bits: 0x3fff_8000_0000_0000_0000 });
    }
    for zero in [Type::PTR, ty(TypeKind::Ptr(3)), array(i8, 4), vector(Type::I32, 4, true), named, target] {
        add(Constant::Zero(zero));
    }
    for any in [Type::I32, float, named, vector(Type::PTR, 2, false)] {
        add(Constant::Undef(any));
        add(Constant::Poison(any));
    }
    add(Constant::None(token));
    add(Constant::None(target));
    let one = int(32, 1);
    add(Constant::Aggregate { ty: array(Type::I32, 2), elements: [one, int(32, 2)].into() });
    add(Constant::Aggregate { ty: array(Type::I32, 20), elements: vec![one; 20].into() });
    add(Constant::Aggregate { ty: array(Type::I32, 0), elements: [].into() });
    add(Constant::Aggregate { ty: vector(Type::I32, 20, false), elements: vec![one; 20].into() });
    add(Constant::Aggregate { ty: vector(Type::PTR, 2, false), elements: [hole(0), hole(1)].into() });
    add(Constant::Aggregate { ty: structure(&[], false), elements: [].into() });
    add(Constant::Aggregate { ty: structure(&[], true), elements: [].into() });
    add(Constant::Aggregate { ty: structure(&[Type::I32, Type::PTR], false), elements: [one, hole(0)].into() });
    add(Constant::Aggregate { ty: structure(&[Type::I32], true), elements: [one].into() });
    add(Constant::Aggregate { ty: named, elements: [one, int(8, 255)].into() });
    add(Constant::Splat { ty: vector(Type::I32, 4, true), element: one });
    let text = b"a\"b\\c\0\xff; \n".as_slice();
    add(Constant::Data { ty: array(i8, text.len() as u64), bytes: text.into() });
    add(Constant::Data { ty: vector(i8, 4, false), bytes: [1, 2, 3, 4].into() });
    add(Constant::Data { ty: array(i16, 2), bytes: [1, 0, 0xff, 0xff].into() });
    add(Constant::Data { ty: array(Type::I32, 18), bytes: (0..72).collect() });
    add(Constant::Data { ty: array(Type::I64, 1), bytes: [0, 0, 0, 0, 0, 0, 0, 0x80].into() });
    add(Constant::Data { ty: vector(float, 2, false), bytes: [0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x7f].into() });
    add(Constant::Data { ty: array(double, 1), bytes: 0.1f64.to_le_bytes().into() });
    add(Constant::Data { ty: array(half, 2), bytes: [0, 0x3c, 1, 0].into() });
    add(Constant::Hole { ty: Type::PTR, index: 0 });
    add(Constant::DsoLocalEquivalent { ty: Type::PTR, index: 0 });
    add(Constant::NoCfi { ty: Type::PTR, index: 0 });
    add(Constant::BlockAddress { ty: Type::PTR, index: 0, block: 12 });
    add(Constant::Funclet { ty: ty(TypeKind::Token), number: 7 });
    let null = pool.intern_const(Constant::Zero(Type::PTR));
    add(Constant::PtrAuth { ty: Type::PTR, operands: [hole(0), one, int(64, 1234), null].into() });

    let cast = |op| Op::Cast { op, flags: CastFlags::default() };
    let mut expr = |ty, op, operands: &[Const], in_range| {
        let constant = Constant::Expr { ty, op, operands: operands.into(), in_range };
        constants.push(pool.intern_const(constant));
        pool.intern_const(pool.constant(*constants.last().expect("it was pushed")).clone())
    };
    let address = expr(Type::I64, cast(CastOp::PtrToInt), &[hole(0)], None);
    let flags = BinaryFlags::NUW | BinaryFlags::NSW;
    let sum = expr(Type::I64, Op::IntBinary { op: IntBinary::Sub, flags }, &[address, int(64, 3)], None);
    expr(i8, cast(CastOp::Trunc), &[sum], None);
    expr(ty(TypeKind::Ptr(1)), cast(CastOp::AddrSpaceCast), &[hole(0)], None);
    let gep = |source, flags| Op::Gep { source, flags };
    let inbounds = GepFlags::INBOUNDS | GepFlags::NUW;
    expr(Type::PTR, gep(named, inbounds), &[hole(0), int(64, 0), one], Some((-8, 16)));
    expr(Type::PTR, gep(i8, GepFlags::NONE), &[hole(0)], None);
    let pair = vector(Type::I32, 2, false);
    let lanes = pool.intern_const(Constant::Data { ty: pair, bytes: [1, 0, 0, 0, 2, 0, 0, 0].into() });
    expr(Type::I32, Op::ExtractElement, &[lanes, one], None);
    expr(pair, Op::InsertElement, &[lanes, one, int(64, 0)], None);
    let mask = pool.intern_indices(&[3, u32::MAX]);
    expr(pair, Op::ShuffleVector(mask), &[lanes, lanes], None);
    let whole = pool.intern_const(Constant::Aggregate { ty: named, elements: [one, int(8, 7)].into() });
    expr(Type::I32, Op::ExtractValue(pool.intern_indices(&[0])), &[whole], None);
    constants
}

/// A number per variant: a new one does not compile here until it has a row in [`constants_of`].
fn variant(constant: &Constant) -> usize {
    match constant {
        Constant::Int { .. } => 0,
        Constant::Float { .. } => 1,
        Constant::Zero(_) => 2,
        Constant::Undef(_) => 3,
        Constant::Poison(_) => 4,
        Constant::None(_) => 5,
        Constant::Aggregate { .. } => 6,
        Constant::Splat { .. } => 7,
        Constant::Data { .. } => 8,
        Constant::Hole { .. } => 9,
        Constant::Expr { .. } => 10,
        Constant::DsoLocalEquivalent { .. } => 11,
        Constant::NoCfi { .. } => 12,
        Constant::BlockAddress { .. } => 13,
        Constant::PtrAuth { .. } => 14,
        Constant::Funclet { .. } => 15,
    }
}

#[test]
fn constants() {
    let mut module = module();
    let pool = module.pool.clone();
    let mut variants: Vec<usize> =
        constants_of(&pool).into_iter().map(|constant| variant(pool.constant(constant))).collect();
    variants.sort_unstable();
    variants.dedup();
    assert_eq!(variants, Vec::from_iter(0..16));
    let opaque = function(&pool, "target", Type::VOID, &[]);
    let symbol = module.add_symbol(opaque);
    let address = module.add_import(symbol);
    for (index, constant) in constants_of(&pool).into_iter().enumerate() {
        let ty = pool.constant(constant).ty();
        let symbol = module.add_symbol(variable(&pool, &format!("c{index}"), ty, Some(constant)));
        let inputs = vec![address; pool.holes(constant) as usize];
        let root = module.omega.root();
        module.omega.add_node(root, NodeKind::Delta(symbol), &inputs, &[Type::PTR]);
    }
    expect![[r#"
        module ""

        %S = type <{ i32, i8 }>
        %"opaque one" = type opaque

        @target = function void ()
        @c0 = global i1 false
        @c1 = global i1 true
        @c2 = global i7 -1
        @c3 = global i8 -128
        @c4 = global i32 -1
        @c5 = global i33 -4294967296
        @c6 = global i64 -9223372036854775808
        @c7 = global i64 0
        @c8 = global i128 0x0
        @c9 = global i128 0x1FFFFFFFFFFFFFFFF
        @c10 = global i128 0x80000000000000000000000000000007
        @c11 = global i65 0x10000000000000005
        @c12 = global float 0.0
        @c13 = global float -0.0
        @c14 = global float 1.5
        @c15 = global float 1e-40
        @c16 = global float 3.4028235e38
        @c17 = global float 0x7FC00000
        @c18 = global float 0xFF800000
        @c19 = global double 0.0
        @c20 = global double -0.0
        @c21 = global double 0.1
        @c22 = global double 1e300
        @c23 = global double 5e-324
        @c24 = global double 0x7FF0000000000000
        @c25 = global double 0x7FF0000000000001
        @c26 = global half 0x3C00
        @c27 = global bfloat 0x3C00
        @c28 = global x86_fp80 0x3FFF8000000000000000
        @c29 = global fp128 0x3FFF8000000000000000
        @c30 = global ppc_fp128 0x3FFF8000000000000000
        @c31 = global ptr null
        @c32 = global ptr addrspace(3) null
        @c33 = global [4 x i8] zeroinitializer
        @c34 = global <vscale x 4 x i32> zeroinitializer
        @c35 = global %S zeroinitializer
        @c36 = global target("spirv.Image", float, %"opaque one", 0, 7) zeroinitializer
        @c37 = global i32 undef
        @c38 = global i32 poison
        @c39 = global float undef
        @c40 = global float poison
        @c41 = global %S undef
        @c42 = global %S poison
        @c43 = global <2 x ptr> undef
        @c44 = global <2 x ptr> poison
        @c45 = global token none
        @c46 = global target("spirv.Image", float, %"opaque one", 0, 7) none
        @c47 = global [2 x i32] [i32 1, i32 2]
        @c48 = global [20 x i32] [i32 1,
          i32 1,
          i32 1,
          i32 1,
          i32 1,
          i32 1,
          i32 1,
          i32 1,
          i32 1,
          i32 1,
          i32 1,
          i32 1,
          i32 1,
          i32 1,
          i32 1,
          i32 1,
          i32 1,
          i32 1,
          i32 1,
          i32 1]
        @c49 = global [0 x i32] []
        @c50 = global <20 x i32> <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
        @c51 = global <2 x ptr> <ptr ?0, ptr ?1>
        @c52 = global {} {  }
        @c53 = global <{}> <{  }>
        @c54 = global { i32, ptr } { i32 1, ptr ?0 }
        @c55 = global <{ i32 }> <{ i32 1 }>
        @c56 = global %S <{ i32 1, i8 -1 }>
        @c57 = global <vscale x 4 x i32> splat (i32 1)
        @c58 = global [10 x i8] c"a\22b\5Cc\00\FF; \0A"
        @c59 = global <4 x i8> c"\01\02\03\04"
        @c60 = global [2 x i16] data [1, -1]
        @c61 = global [18 x i32] data [50462976, 117835012, 185207048, 252579084, 319951120, 387323156, 454695192, 522067228, 589439264, 656811300, 724183336, 791555372, 858927408, 926299444, 993671480, 1061043516,
          1128415552, 1195787588]
        @c62 = global [1 x i64] data [-9223372036854775808]
        @c63 = global <2 x float> data [1.0, 0x7F800000]
        @c64 = global [1 x double] data [0.1]
        @c65 = global [2 x half] data [0x3C00, 0x1]
        @c66 = global ptr ?0
        @c67 = global ptr dso_local_equivalent ?0
        @c68 = global ptr no_cfi ?0
        @c69 = global ptr blockaddress(?0, 12)
        @c70 = global token funclet 7
        @c71 = global ptr ptrauth (ptr ?0, i32 1, i64 1234, ptr null)
        @c72 = global i64 ptrtoint (ptr ?0)
        @c73 = global i64 sub nuw nsw (i64 ptrtoint (ptr ?0), i64 3)
        @c74 = global i8 trunc (i64 sub nuw nsw (i64 ptrtoint (ptr ?0), i64 3))
        @c75 = global ptr addrspace(1) addrspacecast (ptr ?0)
        @c76 = global ptr getelementptr inbounds nuw inrange(-8, 16) (%S, ptr ?0, i64 0, i32 1)
        @c77 = global ptr getelementptr (i8, ptr ?0)
        @c78 = global i32 extractelement (<2 x i32> data [1, 2], i32 1)
        @c79 = global <2 x i32> insertelement (<2 x i32> data [1, 2], i32 1, i64 0)
        @c80 = global <2 x i32> shufflevector (<2 x i32> data [1, 2], <2 x i32> data [1, 2], <3, poison>)
        @c81 = global i32 extractvalue (%S <{ i32 1, i8 7 }>, 0)

        import @target
        delta @c0 []
        delta @c1 []
        delta @c2 []
        delta @c3 []
        delta @c4 []
        delta @c5 []
        delta @c6 []
        delta @c7 []
        delta @c8 []
        delta @c9 []
        delta @c10 []
        delta @c11 []
        delta @c12 []
        delta @c13 []
        delta @c14 []
        delta @c15 []
        delta @c16 []
        delta @c17 []
        delta @c18 []
        delta @c19 []
        delta @c20 []
        delta @c21 []
        delta @c22 []
        delta @c23 []
        delta @c24 []
        delta @c25 []
        delta @c26 []
        delta @c27 []
        delta @c28 []
        delta @c29 []
        delta @c30 []
        delta @c31 []
        delta @c32 []
        delta @c33 []
        delta @c34 []
        delta @c35 []
        delta @c36 []
        delta @c37 []
        delta @c38 []
        delta @c39 []
        delta @c40 []
        delta @c41 []
        delta @c42 []
        delta @c43 []
        delta @c44 []
        delta @c45 []
        delta @c46 []
        delta @c47 []
        delta @c48 []
        delta @c49 []
        delta @c50 []
        delta @c51 [@target, @target]
        delta @c52 []
        delta @c53 []
        delta @c54 [@target]
        delta @c55 []
        delta @c56 []
        delta @c57 []
        delta @c58 []
        delta @c59 []
        delta @c60 []
        delta @c61 []
        delta @c62 []
        delta @c63 []
        delta @c64 []
        delta @c65 []
        delta @c66 [@target]
        delta @c67 [@target]
        delta @c68 [@target]
        delta @c69 [@target]
        delta @c70 []
        delta @c71 [@target]
        delta @c72 [@target]
        delta @c73 [@target]
        delta @c74 [@target]
        delta @c75 [@target]
        delta @c76 [@target]
        delta @c77 [@target]
        delta @c78 []
        delta @c79 []
        delta @c80 []
        delta @c81 []
    "#]].assert_eq(&checked(&module));
}

#[test]
fn types() {
    let pool = Pool::new();
    let ty = |kind| pool.intern_type(kind);
    let named = ty(TypeKind::Named { name: "a b".into(), elements: None, packed: false });
    let function =
        |result, params: &[Type], variadic| ty(TypeKind::Function { result, params: params.into(), variadic });
    let inner = function(Type::VOID, &[], true);
    let all = [
        TypeKind::Int(8388608),
        TypeKind::Half,
        TypeKind::BFloat,
        TypeKind::Float,
        TypeKind::Double,
        TypeKind::X86Fp80,
        TypeKind::Fp128,
        TypeKind::PpcFp128,
        TypeKind::X86Amx,
        TypeKind::Ptr(0),
        TypeKind::Ptr(7),
        TypeKind::Vector { element: Type::I32, len: 4, scalable: true },
        TypeKind::Vector { element: Type::PTR, len: 4, scalable: false },
        TypeKind::Array { element: named, len: u64::MAX },
        TypeKind::Struct { elements: [Type::I1, named].into(), packed: false },
        TypeKind::Struct { elements: [Type::I1].into(), packed: true },
        TypeKind::Struct { elements: [].into(), packed: false },
        TypeKind::Struct { elements: [].into(), packed: true },
        TypeKind::Function { result: inner, params: [inner, Type::I32].into(), variadic: true },
        TypeKind::Target { name: "a\"b".into(), types: [named, Type::I32].into(), ints: [1, 2].into() },
        TypeKind::Target { name: "x".into(), types: [].into(), ints: [].into() },
        TypeKind::Void,
        TypeKind::Token,
        TypeKind::Metadata,
        TypeKind::Ctl(9),
        TypeKind::Mem,
        TypeKind::Io,
    ];
    let text: Vec<String> = all.iter().map(|kind| pool.display_type(ty(kind.clone())).to_string()).collect();
    let listed = text.iter().map(|ty| format!("{ty}\n")).collect::<String>();
    expect![[r#"
        i8388608
        half
        bfloat
        float
        double
        x86_fp80
        fp128
        ppc_fp128
        x86_amx
        ptr
        ptr addrspace(7)
        <vscale x 4 x i32>
        <4 x ptr>
        [18446744073709551615 x %"a b"]
        { i1, %"a b" }
        <{ i1 }>
        {}
        <{}>
        void (...) (void (...), i32, ...)
        target("a\22b", %"a b", i32, 1, 2)
        target("x")
        void
        token
        metadata
        ctl(9)
        mem
        io
    "#]]
    .assert_eq(&listed);

    // As the value types of symbols, which need not be types of values for the text.
    let symbols: String = text.iter().enumerate().map(|(index, ty)| format!("@t{index} = global {ty}\n")).collect();
    let source = format!("%\"a b\" = type opaque\n{symbols}");
    let module = text::parse_module(&source).expect("the text is right");
    for (kind, &symbol) in all.iter().zip(&module.order) {
        let parsed = module.pool.display_type(module.symbols[symbol].value_type).to_string();
        assert_eq!(parsed, pool.display_type(ty(kind.clone())).to_string());
    }
    text::assert_round_trip(&module);
}
