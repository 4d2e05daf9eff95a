//! Every operation with its flags.

mod support;

use expect_test::expect;
use rvsdg_cfg::cfg::{Cfg, Value};
use rvsdg_core::module::Linkage;
use rvsdg_core::op::{
    AtomicOrdering, BinaryFlags, CastFlags, CastOp, FastMath, FloatBinary, FloatPredicate, GepFlags, IntBinary,
    IntPredicate, MemAccess, Op, RmwOp, SyncScope,
};
use rvsdg_core::{Pool, Type, TypeKind};
use support::{Build, PoolExt};

/// A function of the parameters that does what `build` adds to its entry.
fn body(build: &mut Build, name: &str, params: &[Type], steps: impl FnOnce(&mut Cfg, &[Value])) {
    let function = build.function(name, Type::VOID, params);
    build.define(function, &[], |cfg, _| {
        let params = cfg.params().to_vec();
        steps(cfg, &params);
        cfg.add_arc(cfg.entry(), cfg.exit(), &[]);
    });
}

fn add(cfg: &mut Cfg, op: Op, operands: &[Value], result: Type) -> Value {
    let inst = cfg.add_inst(cfg.entry(), op, operands, &[result]);
    cfg.results(inst)[0]
}

fn effect(cfg: &mut Cfg, op: Op, operands: &[Value]) {
    cfg.add_inst(cfg.entry(), op, operands, &[]);
}

fn vector(pool: &Pool, element: Type, len: u32, scalable: bool) -> Type {
    pool.intern_type(TypeKind::Vector { element, len, scalable })
}

#[test]
fn arithmetic() {
    let mut build = Build::new();
    let pool = build.pool();
    let double = pool.intern_type(TypeKind::Double);
    body(&mut build, "arithmetic", &[Type::I32, Type::I32, double], |cfg, params| {
        let (a, b, d) = (params[0], params[1], params[2]);
        let wrap = BinaryFlags::NUW | BinaryFlags::NSW;
        for (op, flags) in [
            (IntBinary::Add, wrap),
            (IntBinary::Sub, BinaryFlags::NUW),
            (IntBinary::Mul, BinaryFlags::NSW),
            (IntBinary::UDiv, BinaryFlags::EXACT),
            (IntBinary::SDiv, BinaryFlags::EXACT),
            (IntBinary::URem, BinaryFlags::NONE),
            (IntBinary::SRem, BinaryFlags::NONE),
            (IntBinary::Shl, wrap),
            (IntBinary::LShr, BinaryFlags::EXACT),
            (IntBinary::AShr, BinaryFlags::EXACT),
            (IntBinary::And, BinaryFlags::NONE),
            (IntBinary::Or, BinaryFlags::DISJOINT),
            (IntBinary::Xor, BinaryFlags::NONE),
        ] {
            add(cfg, Op::IntBinary { op, flags }, &[a, b], Type::I32);
        }
        let fast = FastMath::NAMES.iter().fold(FastMath::NONE, |all, &(flag, _)| all | flag);
        for (op, flags) in [
            (FloatBinary::FAdd, fast),
            (FloatBinary::FSub, FastMath::NNAN | FastMath::REASSOC),
            (FloatBinary::FMul, FastMath::NINF | FastMath::NSZ | FastMath::CONTRACT),
            (FloatBinary::FDiv, FastMath::ARCP | FastMath::AFN),
            (FloatBinary::FRem, FastMath::NONE),
        ] {
            add(cfg, Op::FloatBinary { op, flags }, &[d, d], double);
        }
        add(cfg, Op::FNeg(FastMath::NNAN), &[d], double);
        for &predicate in IntPredicate::ALL {
            add(cfg, Op::ICmp { predicate, same_sign: predicate == IntPredicate::Ult }, &[a, b], Type::I1);
        }
        for &predicate in FloatPredicate::ALL {
            let flags = if predicate == FloatPredicate::Oeq { fast } else { FastMath::NONE };
            add(cfg, Op::FCmp { predicate, flags }, &[d, d], Type::I1);
        }
        let truth = cfg.add_const(pool.int_const(Type::I1, 1), &[]);
        add(cfg, Op::Select(FastMath::NSZ), &[truth, d, d], double);
        add(cfg, Op::Freeze, &[a], Type::I32);
    });
    build.check(expect![[r#"
        define void @arithmetic(i32 %0, i32 %1, double %2) {
        b0:
          %3 = add nuw nsw i32 %0, %1
          %4 = sub nuw i32 %0, %1
          %5 = mul nsw i32 %0, %1
          %6 = udiv exact i32 %0, %1
          %7 = sdiv exact i32 %0, %1
          %8 = urem i32 %0, %1
          %9 = srem i32 %0, %1
          %10 = shl nuw nsw i32 %0, %1
          %11 = lshr exact i32 %0, %1
          %12 = ashr exact i32 %0, %1
          %13 = and i32 %0, %1
          %14 = or disjoint i32 %0, %1
          %15 = xor i32 %0, %1
          %16 = fadd fast double %2, %2
          %17 = fsub reassoc nnan double %2, %2
          %18 = fmul ninf nsz contract double %2, %2
          %19 = fdiv arcp afn double %2, %2
          %20 = frem double %2, %2
          %21 = fneg nnan double %2
          %22 = icmp eq i32 %0, %1
          %23 = icmp ne i32 %0, %1
          %24 = icmp ugt i32 %0, %1
          %25 = icmp uge i32 %0, %1
          %26 = icmp samesign ult i32 %0, %1
          %27 = icmp ule i32 %0, %1
          %28 = icmp sgt i32 %0, %1
          %29 = icmp sge i32 %0, %1
          %30 = icmp slt i32 %0, %1
          %31 = icmp sle i32 %0, %1
          %32 = fcmp false double %2, %2
          %33 = fcmp fast oeq double %2, %2
          %34 = fcmp ogt double %2, %2
          %35 = fcmp oge double %2, %2
          %36 = fcmp olt double %2, %2
          %37 = fcmp ole double %2, %2
          %38 = fcmp one double %2, %2
          %39 = fcmp ord double %2, %2
          %40 = fcmp uno double %2, %2
          %41 = fcmp ueq double %2, %2
          %42 = fcmp ugt double %2, %2
          %43 = fcmp uge double %2, %2
          %44 = fcmp ult double %2, %2
          %45 = fcmp ule double %2, %2
          %46 = fcmp une double %2, %2
          %47 = fcmp true double %2, %2
          %48 = select nsz i1 true, double %2, double %2
          %49 = freeze i32 %0
          ret void
        }
    "#]]);
}

#[test]
fn conversions() {
    let mut build = Build::new();
    let pool = build.pool();
    let (i8, half, float) = (pool.int(8), pool.intern_type(TypeKind::Half), pool.intern_type(TypeKind::Float));
    let far = pool.intern_type(TypeKind::Ptr(1));
    body(&mut build, "conversions", &[Type::I32, float, Type::PTR], |cfg, params| {
        let (int, float_value, pointer) = (params[0], params[1], params[2]);
        let nneg = CastFlags { nneg: true, ..CastFlags::default() };
        let wrap = CastFlags { wrap: BinaryFlags::NUW | BinaryFlags::NSW, ..CastFlags::default() };
        let fast = CastFlags { fast: FastMath::NNAN | FastMath::NINF, ..CastFlags::default() };
        let none = CastFlags::default();
        for (op, flags, operand, ty) in [
            (CastOp::Trunc, wrap, int, i8),
            (CastOp::ZExt, nneg, int, Type::I64),
            (CastOp::SExt, none, int, Type::I64),
            (CastOp::FPTrunc, fast, float_value, half),
            (CastOp::FPExt, fast, float_value, pool.intern_type(TypeKind::Fp128)),
            (CastOp::FPToUI, none, float_value, Type::I32),
            (CastOp::FPToSI, none, float_value, Type::I32),
            (CastOp::UIToFP, nneg, int, float),
            (CastOp::SIToFP, none, int, float),
            (CastOp::PtrToInt, none, pointer, Type::I64),
            (CastOp::PtrToAddr, none, pointer, Type::I64),
            (CastOp::IntToPtr, none, int, Type::PTR),
            (CastOp::BitCast, none, int, float),
            (CastOp::AddrSpaceCast, none, pointer, far),
        ] {
            add(cfg, Op::Cast { op, flags }, &[operand], ty);
        }
    });
    build.check(expect![[r#"
        define void @conversions(i32 %0, float %1, ptr %2) {
        b0:
          %3 = trunc nuw nsw i32 %0 to i8
          %4 = zext nneg i32 %0 to i64
          %5 = sext i32 %0 to i64
          %6 = fptrunc nnan ninf float %1 to half
          %7 = fpext nnan ninf float %1 to fp128
          %8 = fptoui float %1 to i32
          %9 = fptosi float %1 to i32
          %10 = uitofp nneg i32 %0 to float
          %11 = sitofp i32 %0 to float
          %12 = ptrtoint ptr %2 to i64
          %13 = ptrtoaddr ptr %2 to i64
          %14 = inttoptr i32 %0 to ptr
          %15 = bitcast i32 %0 to float
          %16 = addrspacecast ptr %2 to ptr addrspace(1)
          ret void
        }
    "#]]);
}

#[test]
fn vectors_and_aggregates() {
    let mut build = Build::new();
    let pool = build.pool();
    let fixed = vector(&pool, Type::I32, 4, false);
    let scalable = vector(&pool, Type::I32, 2, true);
    let pair = pool.intern_type(TypeKind::Named {
        name: "struct pair".into(),
        elements: Some([Type::I32, pool.intern_type(TypeKind::Array { element: Type::PTR, len: 3 })].into()),
        packed: false,
    });
    body(&mut build, "vectors", &[fixed, scalable, pair, Type::I32, Type::PTR], |cfg, params| {
        let [v, s, p, i, pointer] = *params else { unreachable!() };
        add(cfg, Op::ExtractElement, &[v, i], Type::I32);
        add(cfg, Op::InsertElement, &[v, i, i], fixed);
        add(
            cfg,
            Op::ShuffleVector(pool.intern_indices(&[0, u32::MAX, 7])),
            &[v, v],
            vector(&pool, Type::I32, 3, false),
        );
        add(cfg, Op::ShuffleVector(pool.intern_indices(&[0, 0])), &[s, s], scalable);
        add(cfg, Op::ShuffleVector(pool.intern_indices(&[u32::MAX, u32::MAX])), &[s, s], scalable);
        add(cfg, Op::ExtractValue(pool.intern_indices(&[1, 2])), &[p], Type::PTR);
        add(cfg, Op::InsertValue(pool.intern_indices(&[1, 0])), &[p, pointer], pair);
        for (source, flags, operands) in [
            (pair, GepFlags::INBOUNDS | GepFlags::NUSW | GepFlags::NUW, &[pointer, i, i][..]),
            (pair, GepFlags::NUSW, &[pointer, i]),
            (pool.int(8), GepFlags::NUW, &[pointer, i]),
            (pool.int(8), GepFlags::NONE, &[pointer]),
        ] {
            let operands: Vec<Value> = match operands {
                [pointer, i, _] => vec![*pointer, *i, cfg.add_const(pool.i32_const(1), &[])],
                _ => operands.to_vec(),
            };
            add(cfg, Op::Gep { source, flags }, &operands, Type::PTR);
        }
    });
    build.check(expect![[r#"
        %"struct pair" = type { i32, [3 x ptr] }

        define void @vectors(<4 x i32> %0, <vscale x 2 x i32> %1, %"struct pair" %2, i32 %3, ptr %4) {
        b0:
          %5 = extractelement <4 x i32> %0, i32 %3
          %6 = insertelement <4 x i32> %0, i32 %3, i32 %3
          %7 = shufflevector <4 x i32> %0, <4 x i32> %0, <3 x i32> <i32 0, i32 poison, i32 7>
          %8 = shufflevector <vscale x 2 x i32> %1, <vscale x 2 x i32> %1, <vscale x 2 x i32> zeroinitializer
          %9 = shufflevector <vscale x 2 x i32> %1, <vscale x 2 x i32> %1, <vscale x 2 x i32> poison
          %10 = extractvalue %"struct pair" %2, 1, 2
          %11 = insertvalue %"struct pair" %2, ptr %4, 1, 0
          %12 = getelementptr inbounds nuw %"struct pair", ptr %4, i32 %3, i32 1
          %13 = getelementptr nusw %"struct pair", ptr %4, i32 %3
          %14 = getelementptr nuw i8, ptr %4, i32 %3
          %15 = getelementptr i8, ptr %4
          ret void
        }
    "#]]);
}

#[test]
fn memory() {
    let mut build = Build::new();
    let pool = build.pool();
    build.module.header.data_layout = "e-A5".into();
    let agent = pool.intern_scope("agent").unwrap();
    let far = pool.intern_type(TypeKind::Ptr(5));
    body(&mut build, "memory", &[Type::PTR, Type::I32], |cfg, params| {
        let (pointer, int) = (params[0], params[1]);
        let one = cfg.add_const(pool.i32_const(1), &[]);
        let alloca = |in_alloca| Op::Alloca { ty: Type::I64, align_log2: 3, in_alloca, swift_error: false };
        add(cfg, alloca(false), &[one], far);
        add(cfg, alloca(true), &[int], far);
        let swift = Op::Alloca { ty: Type::PTR, align_log2: 3, in_alloca: false, swift_error: true };
        add(cfg, swift, &[one], far);
        let volatile = MemAccess { volatile: true, ..MemAccess::plain(0) };
        let atomic = |ordering, scope| MemAccess { ordering, scope, ..MemAccess::plain(2) };
        for access in [
            MemAccess::plain(2),
            volatile,
            atomic(AtomicOrdering::Unordered, SyncScope::SYSTEM),
            MemAccess { volatile: true, ..atomic(AtomicOrdering::Monotonic, SyncScope::SINGLE_THREAD) },
            atomic(AtomicOrdering::SequentiallyConsistent, agent),
        ] {
            add(cfg, Op::Load(access), &[pointer], Type::I32);
            effect(cfg, Op::Store(access), &[int, pointer]);
        }
        let pair = pool.intern_type(TypeKind::Struct { elements: [Type::I32, Type::I1].into(), packed: false });
        for (weak, scope) in [(false, SyncScope::SYSTEM), (true, agent)] {
            let access = MemAccess { volatile: weak, ..atomic(AtomicOrdering::AcquireRelease, scope) };
            let op = Op::CmpXchg { access, failure: AtomicOrdering::Acquire, weak };
            add(cfg, op, &[pointer, int, int], pair);
        }
        let float = cfg.add_const(pool.float_const(TypeKind::Float, 0x3f80_0000), &[]);
        for &op in RmwOp::ALL {
            let float_op =
                matches!(op, RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin | RmwOp::FMaximum | RmwOp::FMinimum);
            let operand = if float_op { float } else { int };
            let access =
                MemAccess { volatile: op == RmwOp::Xchg, ..atomic(AtomicOrdering::Release, SyncScope::SYSTEM) };
            let ty = cfg.ty(operand);
            add(cfg, Op::AtomicRmw { op, access }, &[pointer, operand], ty);
        }
        effect(cfg, Op::Fence { ordering: AtomicOrdering::SequentiallyConsistent, scope: SyncScope::SYSTEM }, &[]);
        effect(cfg, Op::Fence { ordering: AtomicOrdering::Acquire, scope: SyncScope::SINGLE_THREAD }, &[]);
        add(cfg, Op::VaArg, &[pointer], Type::I64);
    });
    build.check(expect![[r#"
        target datalayout = "e-A5"

        define void @memory(ptr %0, i32 %1) {
        b0:
          %2 = alloca i64, align 8, addrspace(5)
          %3 = alloca inalloca i64, i32 %1, align 8, addrspace(5)
          %4 = alloca swifterror ptr, align 8, addrspace(5)
          %5 = load i32, ptr %0, align 4
          store i32 %1, ptr %0, align 4
          %6 = load volatile i32, ptr %0, align 1
          store volatile i32 %1, ptr %0, align 1
          %7 = load atomic i32, ptr %0 unordered, align 4
          store atomic i32 %1, ptr %0 unordered, align 4
          %8 = load atomic volatile i32, ptr %0 syncscope("singlethread") monotonic, align 4
          store atomic volatile i32 %1, ptr %0 syncscope("singlethread") monotonic, align 4
          %9 = load atomic i32, ptr %0 syncscope("agent") seq_cst, align 4
          store atomic i32 %1, ptr %0 syncscope("agent") seq_cst, align 4
          %10 = cmpxchg ptr %0, i32 %1, i32 %1 acq_rel acquire, align 4
          %11 = cmpxchg weak volatile ptr %0, i32 %1, i32 %1 syncscope("agent") acq_rel acquire, align 4
          %12 = atomicrmw volatile xchg ptr %0, i32 %1 release, align 4
          %13 = atomicrmw add ptr %0, i32 %1 release, align 4
          %14 = atomicrmw sub ptr %0, i32 %1 release, align 4
          %15 = atomicrmw and ptr %0, i32 %1 release, align 4
          %16 = atomicrmw nand ptr %0, i32 %1 release, align 4
          %17 = atomicrmw or ptr %0, i32 %1 release, align 4
          %18 = atomicrmw xor ptr %0, i32 %1 release, align 4
          %19 = atomicrmw max ptr %0, i32 %1 release, align 4
          %20 = atomicrmw min ptr %0, i32 %1 release, align 4
          %21 = atomicrmw umax ptr %0, i32 %1 release, align 4
          %22 = atomicrmw umin ptr %0, i32 %1 release, align 4
          %23 = atomicrmw fadd ptr %0, float 1.000000e+00 release, align 4
          %24 = atomicrmw fsub ptr %0, float 1.000000e+00 release, align 4
          %25 = atomicrmw fmax ptr %0, float 1.000000e+00 release, align 4
          %26 = atomicrmw fmin ptr %0, float 1.000000e+00 release, align 4
          %27 = atomicrmw fmaximum ptr %0, float 1.000000e+00 release, align 4
          %28 = atomicrmw fminimum ptr %0, float 1.000000e+00 release, align 4
          %29 = atomicrmw uinc_wrap ptr %0, i32 %1 release, align 4
          %30 = atomicrmw udec_wrap ptr %0, i32 %1 release, align 4
          %31 = atomicrmw usub_cond ptr %0, i32 %1 release, align 4
          %32 = atomicrmw usub_sat ptr %0, i32 %1 release, align 4
          fence seq_cst
          fence syncscope("singlethread") acquire
          %33 = va_arg ptr %0, i64
          ret void
        }
    "#]]);
}

#[test]
fn types_of_values() {
    let mut build = Build::new();
    let pool = build.pool();
    let opaque = pool.intern_type(TypeKind::Named { name: "opaque".into(), elements: None, packed: false });
    let target = |name: &str, types: &[Type], ints: &[u32]| {
        pool.intern_type(TypeKind::Target { name: name.into(), types: types.into(), ints: ints.into() })
    };
    let inner =
        pool.intern_type(TypeKind::Named { name: "inner".into(), elements: Some([Type::I1].into()), packed: true });
    let outer = pool.intern_type(TypeKind::Named {
        name: "1.outer".into(),
        elements: Some([inner, pool.int(7)].into()),
        packed: false,
    });
    let types = [
        pool.int(1 << 20),
        pool.intern_type(TypeKind::BFloat),
        pool.intern_type(TypeKind::X86Fp80),
        pool.intern_type(TypeKind::PpcFp128),
        pool.intern_type(TypeKind::Struct { elements: [].into(), packed: false }),
        pool.intern_type(TypeKind::Struct { elements: [].into(), packed: true }),
        pool.intern_type(TypeKind::Struct { elements: [pool.int(8), Type::I64].into(), packed: true }),
        pool.intern_type(TypeKind::Array { element: outer, len: u64::from(u32::MAX) + 1 }),
        vector(&pool, Type::PTR, 2, false),
        target("spirv.Image", &[Type::VOID, Type::I32], &[1, 0, 2]),
        target("aarch64.svcount", &[], &[]),
    ];
    for (index, ty) in types.into_iter().enumerate() {
        let function = build.function(&format!("f{index}"), Type::VOID, &[ty]);
        build.define(function, &[], |cfg, _| {
            cfg.add_arc(cfg.entry(), cfg.exit(), &[]);
        });
    }
    body(&mut build, "gep", &[Type::PTR], |cfg, params| {
        add(cfg, Op::Gep { source: Type::I1, flags: GepFlags::NONE }, params, Type::PTR);
    });
    let variable = build.variable("declared", opaque, None, &[]);
    build.data(variable).linkage = Linkage::External;
    build.check(expect![[r#"
        %opaque = type opaque
        %"1.outer" = type { %inner, i7 }
        %inner = type <{ i1 }>

        @declared = external global %opaque

        define void @f0(i1048576 %0) {
        b0:
          ret void
        }

        define void @f1(bfloat %0) {
        b0:
          ret void
        }

        define void @f2(x86_fp80 %0) {
        b0:
          ret void
        }

        define void @f3(ppc_fp128 %0) {
        b0:
          ret void
        }

        define void @f4({} %0) {
        b0:
          ret void
        }

        define void @f5(<{}> %0) {
        b0:
          ret void
        }

        define void @f6(<{ i8, i64 }> %0) {
        b0:
          ret void
        }

        define void @f7([4294967296 x %"1.outer"] %0) {
        b0:
          ret void
        }

        define void @f8(<2 x ptr> %0) {
        b0:
          ret void
        }

        define void @f9(target("spirv.Image", void, i32, 1, 0, 2) %0) {
        b0:
          ret void
        }

        define void @f10(target("aarch64.svcount") %0) {
        b0:
          ret void
        }

        define void @gep(ptr %0) {
        b0:
          %1 = getelementptr i1, ptr %0
          ret void
        }
    "#]]);
}

/// Depth is no problem, here of a type and of a constant; LLVM's own parser would recurse.
#[test]
fn deep_nesting() {
    let mut build = Build::new();
    let pool = build.pool();
    let mut ty = Type::I32;
    for _ in 0..100_000 {
        ty = pool.intern_type(TypeKind::Struct { elements: [ty].into(), packed: false });
    }
    build.variable("type", ty, None, &[]);
    let mut sum = pool.int_const(Type::I64, 1);
    for _ in 0..100_000 {
        let op = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NONE };
        sum = pool.expr(Type::I64, op, &[sum, pool.int_const(Type::I64, 2)]);
    }
    build.variable("sum", Type::I64, Some(sum), &[]);
    let text = build.emit().unwrap();
    assert!(text.contains("add (i64 add (i64 "));
    assert!(text.contains("{ { i32 } }"));
}
