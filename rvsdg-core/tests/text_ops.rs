//! Each row of the table of operations, with its flags, is valid, printed, and parsed back.

#![allow(missing_docs, reason = "tests")]

mod common;

use common::{define, module, simple};
use rvsdg_core::attribute::AttributeList;
use rvsdg_core::op::*;
use rvsdg_core::tbaa::{TagDescriptor, TypeDescriptor};
use rvsdg_core::{Const, Constant, Module, Op, Pool, Type, TypeKind, text};

/// An operation with types of its value inputs and outputs; `constants` are inputs that must be constants.
struct Case {
    op: Op,
    inputs: Vec<Type>,
    constants: Vec<Const>,
    outputs: Vec<Type>,
    io: bool,
}

fn case(op: Op, inputs: &[Type], outputs: &[Type]) -> Case {
    Case { op, inputs: inputs.into(), constants: vec![], outputs: outputs.into(), io: false }
}

struct Types {
    i8: Type,
    i16: Type,
    half: Type,
    float: Type,
    double: Type,
    global: Type,
    vector: Type,
    wide: Type,
    scalable: Type,
    bits: Type,
    floats: Type,
    pointers: Type,
    pair: Type,
    array: Type,
    tile: Type,
    token: Type,
}

impl Types {
    fn new(pool: &Pool) -> Types {
        let vector = |element, len, scalable| pool.intern_type(TypeKind::Vector { element, len, scalable });
        let pair = pool.intern_type(TypeKind::Struct { elements: [Type::I32, Type::I1].into(), packed: false });
        let float = pool.intern_type(TypeKind::Float);
        Types {
            i8: pool.int(8),
            i16: pool.int(16),
            half: pool.intern_type(TypeKind::Half),
            float,
            double: pool.intern_type(TypeKind::Double),
            global: pool.intern_type(TypeKind::Ptr(1)),
            vector: vector(Type::I32, 4, false),
            wide: vector(Type::I64, 4, false),
            scalable: vector(Type::I32, 4, true),
            bits: vector(Type::I1, 4, false),
            floats: vector(float, 4, false),
            pointers: vector(Type::PTR, 4, false),
            pair,
            array: pool.intern_type(TypeKind::Array { element: pair, len: 3 }),
            tile: pool.intern_type(TypeKind::X86Amx),
            token: pool.intern_type(TypeKind::Token),
        }
    }
}

fn all<F: Copy + std::ops::BitOr<Output = F>>(none: F, flags: &[F]) -> Vec<F> {
    (0..1usize << flags.len())
        .map(|set| {
            let chosen = flags.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
            chosen.fold(none, |all, (_, &flag)| all | flag)
        })
        .collect()
}

fn fast() -> Vec<FastMath> {
    let flags: Vec<FastMath> = FastMath::NAMES.iter().map(|&(flag, _)| flag).collect();
    let every = flags.iter().fold(FastMath::NONE, |all, &flag| all | flag);
    [FastMath::NONE, FastMath::NNAN | FastMath::CONTRACT, every].into_iter().chain(flags).collect()
}

fn integers(op: IntBinary, flags: &[BinaryFlags], t: &Types) -> Vec<Case> {
    let mut cases: Vec<Case> = all(BinaryFlags::NONE, flags)
        .into_iter()
        .map(|flags| case(Op::IntBinary { op, flags }, &[Type::I32; 2], &[Type::I32]))
        .collect();
    let op = Op::IntBinary { op, flags: BinaryFlags::NONE };
    cases.push(case(op, &[t.vector; 2], &[t.vector]));
    if op.may_carry_io() {
        cases.push(Case { io: true, ..case(op, &[Type::I64; 2], &[Type::I64]) });
    }
    cases
}

fn floats(op: FloatBinary, t: &Types) -> Vec<Case> {
    let cases = fast().into_iter().map(|flags| case(Op::FloatBinary { op, flags }, &[t.half; 2], &[t.half]));
    cases.chain([case(Op::FloatBinary { op, flags: FastMath::NONE }, &[t.floats; 2], &[t.floats])]).collect()
}

fn cast(op: CastOp, pairs: &[(Type, Type)]) -> Vec<Case> {
    let plain = CastFlags::default();
    let mut flags = vec![plain];
    match op {
        CastOp::Trunc => {
            let wraps = all(BinaryFlags::NONE, &[BinaryFlags::NUW, BinaryFlags::NSW]);
            flags = wraps.into_iter().map(|wrap| CastFlags { wrap, ..plain }).collect();
        }
        CastOp::ZExt => flags.push(CastFlags { nneg: true, ..plain }),
        CastOp::UIToFP => flags.push(CastFlags { nneg: true, fast: FastMath::NSZ, ..plain }),
        CastOp::FPTrunc | CastOp::FPExt | CastOp::SIToFP | CastOp::FPToUI | CastOp::FPToSI => {
            flags.extend(fast().into_iter().map(|fast| CastFlags { fast, ..plain }));
        }
        CastOp::SExt
        | CastOp::PtrToInt
        | CastOp::PtrToAddr
        | CastOp::IntToPtr
        | CastOp::BitCast
        | CastOp::AddrSpaceCast => {}
    }
    let flagged = flags.iter().flat_map(|&flags| pairs.iter().map(move |&(from, to)| (flags, from, to)));
    flagged.map(|(flags, from, to)| case(Op::Cast { op, flags }, &[from], &[to])).collect()
}

fn accesses(pool: &Pool, orderings: &[AtomicOrdering]) -> Vec<MemAccess> {
    let agent = pool.intern_scope("agent \"x\"").expect("there are few scopes");
    let mut accesses = vec![];
    for &ordering in orderings {
        for volatile in [false, true] {
            let scopes = [SyncScope::SYSTEM, SyncScope::SINGLE_THREAD, agent];
            let scopes = if ordering == AtomicOrdering::NotAtomic { &scopes[..1] } else { &scopes };
            for &scope in scopes {
                accesses.push(MemAccess { volatile, ordering, scope, ..MemAccess::plain(2) });
            }
        }
    }
    accesses.push(MemAccess { align_log2: 32, ..accesses[0] });
    accesses
}

/// Accesses with and without tags.
fn tagged(pool: &Pool, orderings: &[AtomicOrdering]) -> Vec<MemAccess> {
    let node = |name: &str, members: &[_]| {
        pool.intern_type_node(TypeDescriptor { name: name.into(), members: members.into() })
    };
    let root = node("a \"root\"", &[]);
    let (byte, word) = (node("byte", &[(root, 0)]), node("word", &[(root, 0)]));
    let pair = node("pair", &[(word, 0), (byte, 8), (word, 16)]);
    let tags = [
        TagDescriptor::scalar(byte),
        TagDescriptor { base: pair, access: word, offset: 16 },
        TagDescriptor { base: pair, access: word, offset: 0 },
        TagDescriptor::scalar(pair),
    ];
    let mut accesses = accesses(pool, orderings);
    let tags = tags.map(|tag| MemAccess { tag: pool.intern_tag(tag), ..accesses[accesses.len() - 2] });
    accesses.extend(tags);
    accesses
}

fn call(pool: &Pool, result: Type, params: &[Type], variadic: bool) -> CallInfo {
    CallInfo {
        function_type: pool.intern_type(TypeKind::Function { result, params: params.into(), variadic }),
        convention: 0,
        attributes: pool.intern_attributes(AttributeList::default()),
        tail: TailKind::None,
        fast: FastMath::NONE,
        bundles: [].into(),
        metadata: [].into(),
        assembly: None,
        effects: Effects::ALL,
        speculatable: false,
        exits: CallExits::Return,
    }
}

fn invokes(pool: &Pool, t: &Types) -> Vec<Case> {
    let mut cases = vec![];
    for (cleanup, clauses) in
        [(true, vec![]), (false, vec![Clause::Catch]), (true, vec![Clause::Filter, Clause::Catch])]
    {
        for result in [Type::VOID, Type::I32] {
            let exits = CallExits::Unwind(LandingPad { cleanup, clauses: clauses.clone().into() });
            let bundles = [Bundle { tag: "deopt".into(), operands: 1 }].into();
            let info = CallInfo { exits, bundles, ..call(pool, result, &[Type::I32], false) };
            let mut inputs = vec![Type::PTR, Type::I32, Type::I64];
            inputs.extend(clauses.iter().map(|_| Type::PTR));
            let mut outputs = vec![t.pair, Type::CTL2];
            if result != Type::VOID {
                outputs.insert(0, result);
            }
            cases.push(case(Op::Invoke(pool.intern_call(info)), &inputs, &outputs));
        }
    }
    let info = CallInfo { exits: CallExits::UnwindToFunclet, ..call(pool, Type::I32, &[Type::I32], false) };
    cases.push(case(Op::Invoke(pool.intern_call(info)), &[Type::PTR, Type::I32], &[Type::I32, Type::CTL2]));
    cases
}

fn calls(pool: &Pool, t: &Types) -> Vec<Case> {
    let mut cases = vec![];
    let mut add = |info: CallInfo, inputs: &[Type], outputs: &[Type]| {
        cases.push(case(Op::Call(pool.intern_call(info)), inputs, outputs));
    };
    let plain = call(pool, Type::I32, &[Type::I32], false);
    for &tail in TailKind::ALL {
        add(CallInfo { tail, ..plain.clone() }, &[Type::PTR, Type::I32], &[Type::I32]);
    }
    for effects in [Effects::NONE, Effects::MEM, Effects::IO] {
        add(CallInfo { effects, ..plain.clone() }, &[Type::PTR, Type::I32], &[Type::I32]);
    }
    let pure = CallInfo { effects: Effects::NONE, speculatable: true, convention: 8, ..plain.clone() };
    add(pure, &[Type::PTR, Type::I32], &[Type::I32]);
    add(call(pool, Type::VOID, &[], true), &[Type::PTR, Type::I32, t.double], &[]);
    add(call(pool, Type::VOID, &[], false), &[Type::PTR], &[]);
    for fast in fast() {
        let info = CallInfo { fast, ..call(pool, t.double, &[t.double], false) };
        add(info, &[Type::PTR, t.double], &[t.double]);
    }
    let metadata = pool.intern_type(TypeKind::Metadata);
    let argument = |position, text: Option<&str>| MetadataArgument { position, text: text.map(Into::into) };
    let info = CallInfo {
        metadata: [argument(0, None), argument(2, Some("!\"round.dynamic\"")), argument(3, Some("x\\y"))].into(),
        ..call(pool, t.double, &[metadata, t.double, metadata, metadata], false)
    };
    add(info, &[Type::PTR, t.double], &[t.double]);
    let info = CallInfo { metadata: [argument(0, None)].into(), ..call(pool, Type::VOID, &[metadata], false) };
    add(info, &[Type::PTR], &[]);
    let bundle = |tag: &str, operands| Bundle { tag: tag.into(), operands };
    let info = CallInfo { bundles: [bundle("deopt", 2), bundle("", 0), bundle("a\"b", 1)].into(), ..plain.clone() };
    add(info, &[Type::PTR, Type::I32, Type::I64, Type::PTR, t.i8], &[Type::I32]);
    for flags in 0..16 {
        let assembly = InlineAsm {
            template: b"mov $0, \"$1\"\n\xff\\".as_slice().into(),
            constraints: "=r,r".into(),
            side_effect: flags & 1 != 0,
            align_stack: flags & 2 != 0,
            intel: flags & 4 != 0,
            can_unwind: flags & 8 != 0,
        };
        add(CallInfo { assembly: Some(Box::new(assembly)), ..plain.clone() }, &[Type::I32], &[Type::I32]);
    }
    let pair = CallInfo { ..call(pool, t.pair, &[t.global], false) };
    add(pair, &[t.global, t.global], &[t.pair]);
    cases
}

fn cases(code: OpCode, pool: &Pool, t: &Types) -> Vec<Case> {
    use BinaryFlags as B;
    let wraps = [B::NUW, B::NSW];
    let plain = |op: Op, inputs: &[Type], outputs: &[Type]| vec![case(op, inputs, outputs)];
    let number = |ty, value| pool.int_const(ty, value);
    match code {
        OpCode::Const => {
            let ty = |constant: Const| pool.constant(constant).ty();
            let constants = [
                number(Type::I32, 7),
                number(Type::I1, 1),
                number(pool.int(64), u64::MAX),
                pool.intern_const(Constant::Zero(Type::PTR)),
                pool.poison(t.pair),
            ];
            constants.into_iter().map(|constant| case(Op::Const(constant), &[], &[ty(constant)])).collect()
        }
        OpCode::CtlConst => {
            [(0, 1), (1, 2), (6, 7)].map(|(value, of)| case(Op::CtlConst { value, of }, &[], &[pool.ctl(of)])).into()
        }
        OpCode::Match => {
            let table = |ty: Type, cases: &[(u64, u32)], default, alternatives| {
                let cases = cases.iter().map(|&(value, alternative)| (pool.int_const(ty, value), alternative));
                let table = MatchTable { cases: cases.collect(), default, alternatives };
                case(Op::Match(pool.intern_table(table)), &[ty], &[pool.ctl(alternatives)])
            };
            let many: Vec<(u64, u32)> = (0..20).map(|value| (value * 3, value as u32 % 4)).collect();
            vec![
                table(Type::I1, &[(1, 0)], 1, 2),
                table(Type::I32, &[], 0, 1),
                table(Type::I32, &[(7, 1), (u64::MAX, 0)], 2, 9),
                table(Type::I64, &many, 4, 5),
            ]
        }
        OpCode::Add => integers(IntBinary::Add, &wraps, t),
        OpCode::Sub => integers(IntBinary::Sub, &wraps, t),
        OpCode::Mul => integers(IntBinary::Mul, &wraps, t),
        OpCode::UDiv => integers(IntBinary::UDiv, &[B::EXACT], t),
        OpCode::SDiv => integers(IntBinary::SDiv, &[B::EXACT], t),
        OpCode::URem => integers(IntBinary::URem, &[], t),
        OpCode::SRem => integers(IntBinary::SRem, &[], t),
        OpCode::Shl => integers(IntBinary::Shl, &wraps, t),
        OpCode::LShr => integers(IntBinary::LShr, &[B::EXACT], t),
        OpCode::AShr => integers(IntBinary::AShr, &[B::EXACT], t),
        OpCode::And => integers(IntBinary::And, &[], t),
        OpCode::Or => integers(IntBinary::Or, &[B::DISJOINT], t),
        OpCode::Xor => integers(IntBinary::Xor, &[], t),
        OpCode::FAdd => floats(FloatBinary::FAdd, t),
        OpCode::FSub => floats(FloatBinary::FSub, t),
        OpCode::FMul => floats(FloatBinary::FMul, t),
        OpCode::FDiv => floats(FloatBinary::FDiv, t),
        OpCode::FRem => floats(FloatBinary::FRem, t),
        OpCode::FNeg => fast().into_iter().map(|flags| case(Op::FNeg(flags), &[t.double], &[t.double])).collect(),
        OpCode::ICmp => {
            let mut cases = vec![];
            for &predicate in IntPredicate::ALL {
                for same_sign in [false, true] {
                    let op = Op::ICmp { predicate, same_sign };
                    cases.push(case(op, &[Type::I32; 2], &[Type::I1]));
                    cases.push(case(op, &[t.pointers; 2], &[t.bits]));
                }
            }
            cases
        }
        OpCode::FCmp => {
            let predicates = FloatPredicate::ALL.iter().flat_map(|&p| fast().into_iter().map(move |f| (p, f)));
            predicates
                .map(|(predicate, flags)| case(Op::FCmp { predicate, flags }, &[t.floats; 2], &[t.bits]))
                .collect()
        }
        OpCode::Trunc => cast(CastOp::Trunc, &[(Type::I32, t.i8), (t.wide, t.vector)]),
        OpCode::ZExt => cast(CastOp::ZExt, &[(Type::I1, Type::I32), (t.vector, t.wide)]),
        OpCode::SExt => cast(CastOp::SExt, &[(t.i16, Type::I64), (t.bits, t.vector)]),
        OpCode::FPTrunc => cast(CastOp::FPTrunc, &[(t.double, t.half)]),
        OpCode::FPExt => cast(CastOp::FPExt, &[(t.half, t.double)]),
        OpCode::FPToUI => cast(CastOp::FPToUI, &[(t.double, t.i8), (t.floats, t.vector)]),
        OpCode::FPToSI => cast(CastOp::FPToSI, &[(t.double, t.i8)]),
        OpCode::UIToFP => cast(CastOp::UIToFP, &[(Type::I64, t.half), (t.vector, t.floats)]),
        OpCode::SIToFP => cast(CastOp::SIToFP, &[(Type::I64, t.half)]),
        OpCode::PtrToInt => cast(CastOp::PtrToInt, &[(Type::PTR, t.i16), (t.pointers, t.wide)]),
        OpCode::PtrToAddr => cast(CastOp::PtrToAddr, &[(t.global, Type::I64)]),
        OpCode::IntToPtr => cast(CastOp::IntToPtr, &[(Type::I64, t.global), (t.wide, t.pointers)]),
        OpCode::BitCast => {
            let pairs = [(Type::I32, t.float), (t.vector, pool.int(128)), (t.floats, t.vector)];
            let tile = pool.intern_type(TypeKind::Vector { element: Type::I32, len: 256, scalable: false });
            cast(CastOp::BitCast, &pairs).into_iter().chain(cast(CastOp::BitCast, &[(tile, t.tile)])).collect()
        }
        OpCode::AddrSpaceCast => cast(CastOp::AddrSpaceCast, &[(Type::PTR, t.global), (t.global, Type::PTR)]),
        OpCode::Select => {
            let select = |flags, condition, ty| case(Op::Select(flags), &[condition, ty, ty], &[ty]);
            let cases = fast().into_iter().map(|flags| select(flags, t.bits, t.floats));
            cases.chain([Type::PTR, t.pair, t.vector].map(|ty| select(FastMath::NONE, Type::I1, ty))).collect()
        }
        OpCode::Freeze => [Type::I32, t.pair, t.scalable].map(|ty| case(Op::Freeze, &[ty], &[ty])).into(),
        OpCode::ExtractElement => {
            [t.vector, t.scalable].map(|ty| case(Op::ExtractElement, &[ty, Type::I64], &[Type::I32])).into()
        }
        OpCode::InsertElement => plain(Op::InsertElement, &[t.vector, Type::I32, t.i8], &[t.vector]),
        OpCode::ShuffleVector => {
            let shuffle = |mask: &[u32], ty, to| case(Op::ShuffleVector(pool.intern_indices(mask)), &[ty, ty], &[to]);
            let two = pool.intern_type(TypeKind::Vector { element: Type::I32, len: 2, scalable: false });
            let poison = u32::MAX;
            vec![
                shuffle(&[0, 7, poison, 3], t.vector, t.vector),
                shuffle(&[poison, 4], t.vector, two),
                shuffle(&[0; 4], t.scalable, t.scalable),
                shuffle(&[poison; 4], t.scalable, t.scalable),
            ]
        }
        OpCode::ExtractValue => {
            let extract = |path: &[u32], to| case(Op::ExtractValue(pool.intern_indices(path)), &[t.array], &[to]);
            vec![extract(&[2], t.pair), extract(&[1, 0], Type::I32), extract(&[0, 1], Type::I1)]
        }
        OpCode::InsertValue => plain(Op::InsertValue(pool.intern_indices(&[2, 1])), &[t.array, Type::I1], &[t.array]),
        OpCode::Gep => {
            let flags = all(GepFlags::NONE, &[GepFlags::INBOUNDS, GepFlags::NUSW, GepFlags::NUW]);
            let gep = |source, flags, inputs: &[Type], constants: &[Const], to| Case {
                constants: constants.into(),
                ..case(Op::Gep { source, flags }, inputs, &[to])
            };
            let mut cases: Vec<Case> =
                flags.into_iter().map(|flags| gep(t.i8, flags, &[Type::PTR, Type::I64], &[], Type::PTR)).collect();
            cases.push(gep(t.pair, GepFlags::NONE, &[t.global], &[], t.global));
            let field = number(Type::I32, 1);
            cases.push(gep(t.pair, GepFlags::NONE, &[Type::PTR, Type::I64], &[field], Type::PTR));
            cases.push(gep(t.array, GepFlags::NONE, &[t.pointers, Type::I64, Type::I64], &[field], t.pointers));
            cases.push(gep(t.i8, GepFlags::NONE, &[Type::PTR, t.wide], &[], t.pointers));
            cases
        }
        OpCode::Alloca => {
            let mut cases = vec![];
            for (in_alloca, swift_error) in [(false, false), (true, false), (false, true)] {
                let op = Op::Alloca { ty: t.array, align_log2: 4, in_alloca, swift_error };
                cases.push(case(op, &[Type::I32], &[Type::PTR]));
            }
            let ty = pool.intern_type(TypeKind::Named { name: "s p".into(), elements: Some([].into()), packed: true });
            let op = Op::Alloca { ty, align_log2: 0, in_alloca: false, swift_error: false };
            cases.push(case(op, &[Type::I64], &[t.global]));
            cases
        }
        OpCode::Load => {
            use AtomicOrdering::*;
            let mut accesses = tagged(pool, &[NotAtomic, Unordered, Monotonic, Acquire, SequentiallyConsistent]);
            let promising = [0, accesses.len() - 1].map(|at| MemAccess { nonnull: true, ..accesses[at] });
            accesses.extend(promising);
            accesses.into_iter().map(|access| case(Op::Load(access), &[Type::PTR], &[t.float])).collect()
        }
        OpCode::Store => {
            use AtomicOrdering::*;
            let accesses = tagged(pool, &[NotAtomic, Unordered, Monotonic, Release, SequentiallyConsistent]);
            accesses.into_iter().map(|access| case(Op::Store(access), &[t.i8, t.global], &[])).collect()
        }
        OpCode::CmpXchg => {
            use AtomicOrdering::*;
            let mut cases = vec![];
            for access in accesses(pool, &[Monotonic, Acquire, Release, AcquireRelease, SequentiallyConsistent]) {
                for failure in [Monotonic, Acquire, SequentiallyConsistent] {
                    for weak in [false, true] {
                        let op = Op::CmpXchg { access, failure, weak };
                        cases.push(case(op, &[Type::PTR, Type::I32, Type::I32], &[t.pair]));
                    }
                }
            }
            cases
        }
        OpCode::AtomicRmw => {
            use AtomicOrdering::*;
            let mut cases = vec![];
            for &op in RmwOp::ALL {
                let ty = if op.name().starts_with('f') { t.double } else { Type::I64 };
                for access in accesses(pool, &[Monotonic, Acquire, Release, AcquireRelease, SequentiallyConsistent]) {
                    cases.push(case(Op::AtomicRmw { op, access }, &[Type::PTR, ty], &[ty]));
                }
            }
            cases
        }
        OpCode::Fence => {
            use AtomicOrdering::*;
            let orderings = [Acquire, Release, AcquireRelease, SequentiallyConsistent];
            let scoped = orderings.iter().flat_map(|&ordering| {
                [SyncScope::SYSTEM, SyncScope::SINGLE_THREAD].map(|scope| Op::Fence { ordering, scope })
            });
            scoped.map(|op| case(op, &[], &[])).collect()
        }
        OpCode::Call => calls(pool, t),
        OpCode::Invoke => invokes(pool, t),
        OpCode::CallBr => {
            let assembly = InlineAsm {
                template: b"".as_slice().into(),
                constraints: "r,!i,!i".into(),
                side_effect: true,
                align_stack: false,
                intel: false,
                can_unwind: false,
            };
            let exits = CallExits::Labels([0, 1, 0, 2].into());
            let info =
                CallInfo { assembly: Some(Box::new(assembly)), exits, ..call(pool, Type::I32, &[Type::I32], false) };
            plain(Op::CallBr(pool.intern_call(info)), &[Type::I32], &[Type::I32, pool.ctl(3)])
        }
        OpCode::IndirectBr => plain(Op::IndirectBr(pool.intern_indices(&[7, 0, 3])), &[Type::PTR], &[pool.ctl(3)]),
        OpCode::Resume => plain(Op::Resume, &[t.pair], &[]),
        OpCode::CatchSwitch => [(true, 3), (false, 1)]
            .map(|(unwinds, ways)| {
                case(Op::Funclet(Funclet::CatchSwitch { number: 9, unwinds }), &[t.token], &[pool.ctl(ways)])
            })
            .into(),
        OpCode::CatchPad => plain(Op::Funclet(Funclet::CatchPad(1)), &[t.token, Type::PTR, Type::I32], &[]),
        OpCode::CleanupPad => plain(Op::Funclet(Funclet::CleanupPad(0)), &[t.token], &[]),
        OpCode::CatchRet => plain(Op::Funclet(Funclet::CatchRet), &[t.token], &[pool.ctl(1)]),
        OpCode::CleanupRet => vec![
            case(Op::Funclet(Funclet::CleanupRet { to_caller: true }), &[t.token], &[]),
            case(Op::Funclet(Funclet::CleanupRet { to_caller: false }), &[t.token], &[pool.ctl(1)]),
        ],
        OpCode::VaArg => plain(Op::VaArg, &[Type::PTR], &[t.double]),
        OpCode::Unreachable => plain(Op::Unreachable, &[], &[]),
        OpCode::Ext => {
            let mut cases = vec![];
            for effects in [Effects::NONE, Effects::MEM, Effects::IO, Effects::ALL] {
                for (name, inputs, outputs) in [
                    ("gpu.barrier", vec![], vec![]),
                    ("test.\"two\"", vec![Type::I32, Type::I32, t.pair], vec![Type::PTR, t.i8]),
                ] {
                    let ext = ExtOp {
                        name: name.into(),
                        commutative: inputs.len() > 1,
                        speculatable: effects == Effects::NONE,
                        inputs: inputs.clone().into(),
                        outputs: outputs.clone().into(),
                        effects,
                    };
                    cases.push(case(Op::Ext(pool.intern_ext(ext)), &inputs, &outputs));
                }
            }
            cases
        }
    }
}

/// Adds a function that does nothing but one operation. A predicate it makes decides a γ with empty regions.
fn add_function(module: &mut Module, index: usize, case: &Case) {
    let pool = module.pool.clone();
    let mut effects = case.op.effects(&pool);
    effects.io |= case.io;
    define(module, &format!("f{index}"), &case.inputs, None, |graph, arguments| {
        let (params, states) = arguments.split_at(case.inputs.len());
        let (mut mem, mut io) = (states[0], states[1]);
        let mut inputs = params.to_vec();
        for &constant in &case.constants {
            inputs.extend(simple(graph, Op::Const(constant), &[], &[pool.constant(constant).ty()]));
        }
        inputs.extend(effects.mem.then_some(mem));
        inputs.extend(effects.io.then_some(io));
        let outputs: Vec<Type> = case.outputs.iter().copied().chain(effects.types()).collect();
        let mut outputs = simple(graph, case.op, &inputs, &outputs);
        if effects.io {
            io = outputs.pop().expect("it has an io output");
        }
        if effects.mem {
            mem = outputs.pop().expect("it has a mem output");
        }
        if let [.., output] = outputs[..]
            && let Some(alternatives) = pool.ctl_alternatives(graph.ty(output))
        {
            let root = graph.root();
            rvsdg_core::structural::Gamma::add(graph, root, output, alternatives as usize);
        }
        vec![mem, io]
    });
}

#[test]
fn every_operation_round_trips() {
    for &code in OpCode::ALL {
        let mut module = module();
        let pool = module.pool.clone();
        let types = Types::new(&pool);
        let cases = cases(code, &pool, &types);
        assert!(!cases.is_empty(), "{code:?}");
        for (index, case) in cases.iter().enumerate() {
            assert_eq!(case.op.code(), code);
            add_function(&mut module, index, case);
        }
        if let Err(violations) = module.verify() {
            panic!("{code:?}: {}", violations[0]);
        }
        text::assert_round_trip(&module);
        let parsed = text::parse_module(&text::print_module(&module)).expect("it was parsed before");
        if let Err(violations) = parsed.verify() {
            panic!("{code:?}, parsed: {}", violations[0]);
        }
    }
}
