//! What is folded is what the interpreter computes, which has its own arithmetic: every operation, for all numbers of three bits
//! and for floats at which something ends.

use rvsdg_core::fold::{self, Int, Intrinsic};
use rvsdg_core::text::parse_module;
use rvsdg_core::{Const, Constant, Module, Op, Pool, Type, TypeKind};
use rvsdg_interp::observe::Seen;
use rvsdg_interp::{Argument, Config, Outcome, Value, observe};

/// Halves: zeros, ones, numbers that are no integers, the ends of integers of three bits, large ones, infinities, a NaN.
const HALVES: [u16; 22] = [
    0, 0x8000, 0x3c00, 0xbc00, 0x3e00, 0xbe00, 0x3800, 0xb800, 0x3a00, 0x4100, 0x4200, 0x4400, 0xc400, 0xc500, 0x4700,
    0x4800, 0x7bff, 0xfbff, 0x0400, 0x7c00, 0xfc00, 0x7e00,
];

/// One operation of parameters, as a function.
struct Case {
    module: Module,
    operation: String,
    params: Vec<Type>,
    result: Type,
}

impl Case {
    fn of(result: &str, params: &[&str], operation: &str) -> Case {
        let named: Vec<String> = params.iter().enumerate().map(|(index, ty)| format!("v{index}: {ty}, ")).collect();
        let values: Vec<String> = (0..params.len()).map(|index| format!("v{index}")).collect();
        let list = params.join(", ");
        let (mut declared, mut import, mut context) = (String::new(), String::new(), String::new());
        let mut text = operation.to_owned();
        if let Some(name) = operation.strip_prefix("llvm.") {
            let callee = format!("@llvm.{name}");
            declared = format!("{callee} = function {result} ({list})\n");
            import = format!("import {callee}\n");
            context.clone_from(&callee);
            text = format!("call {result} ({list}) {callee}({})", values.join(", "));
        }
        let text = format!(
            "module \"test\"\n{declared}@f = function {result} ({list})\n{import}lambda @f [{context}] ({}mem0, io0) {{\n\
             v9: {result} = {text}\nyield v9, mem0, io0\n}}\nexport @f\n",
            named.concat()
        );
        let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let data = module.symbols.values().find(|data| &*data.name == "f").expect("the function");
        let TypeKind::Function { result, params, .. } = module.pool.type_kind(data.value_type) else {
            panic!("{text}")
        };
        let (result, params) = (*result, params.to_vec());
        Case { operation: operation.to_owned(), params, result, module }
    }

    fn op(&self) -> Op {
        let graph = self.module.bodies.values().next().and_then(|body| body.graph()).expect("a body");
        let node = graph.producer(graph.result(graph.root(), 0)).expect("an operation");
        graph.op(node).expect("an operation")
    }

    /// Compares both for all values of the parameters. What neither computes may be folded or not.
    fn check(&self) {
        let verified = self.module.verify().unwrap_or_else(|violations| panic!("{}: {violations}", self.operation));
        let pool = &self.module.pool;
        let choices: Vec<Vec<Option<u128>>> = self.params.iter().map(|&ty| all(pool, ty)).collect();
        let total: usize = choices.iter().map(Vec::len).product();
        let (mut folded, mut left) = (0, 0);
        for number in 0..total {
            let mut rest = number;
            let chosen: Vec<Option<u128>> = choices
                .iter()
                .map(|choice| {
                    let one = choice[rest % choice.len()];
                    rest /= choice.len();
                    one
                })
                .collect();
            let constants: Vec<Const> =
                chosen.iter().zip(&self.params).map(|(&bits, &ty)| constant(pool, ty, bits)).collect();
            let result = match Intrinsic::of_name(&self.operation) {
                Some(intrinsic) => intrinsic.fold(pool, &constants, self.result),
                None => {
                    let known: Vec<Option<Const>> = constants.iter().map(|&constant| Some(constant)).collect();
                    fold::fold_known(pool, self.op(), &known, self.result)
                }
            };
            let arguments = chosen.iter().zip(&self.params).map(|(&bits, &ty)| {
                Argument::Value(bits.map_or(Value::Poison, |bits| Value::from_bits(width(pool, ty), bits)))
            });
            let run = observe(verified, "f", &arguments.collect::<Vec<_>>(), Config::default());
            let expected = match run.outcome {
                Outcome::Returned(_) => run.value,
                _ => None,
            };
            match (result, expected) {
                (None, None) => {}
                (None, Some(_)) => left += 1,
                (Some(result), None) => {
                    panic!("{} of {chosen:x?} is undefined, and folded to {:?}", self.operation, pool.constant(result));
                }
                (Some(result), Some(expected)) => {
                    folded += 1;
                    let same = is_same(pool, result, &expected);
                    assert!(same, "{} of {chosen:x?}: {expected}, not {:?}", self.operation, pool.constant(result));
                }
            }
        }
        assert!(left == 0 || self.is_real() && 8 * left < folded, "{}: {left} not folded", self.operation);
    }

    /// Whether floats are involved: subnormal ones are left alone.
    fn is_real(&self) -> bool {
        self.params.iter().any(|&ty| matches!(self.module.pool.type_kind(ty), TypeKind::Half))
    }
}

fn width(pool: &Pool, ty: Type) -> u32 {
    fold::arith::width(pool, ty).unwrap_or(16)
}

/// The values of a type, poison among them.
fn all(pool: &Pool, ty: Type) -> Vec<Option<u128>> {
    match pool.type_kind(ty) {
        TypeKind::Half => HALVES.iter().map(|&bits| Some(bits.into())).chain([None]).collect(),
        TypeKind::Int(16) => [0, 1, 0x1234, 0xff00, 0x8000, 0xffff].map(Some).into(),
        TypeKind::Int(bits) => (0..1 << bits).map(Some).chain([None]).collect(),
        kind => panic!("{kind:?}"),
    }
}

fn constant(pool: &Pool, ty: Type, bits: Option<u128>) -> Const {
    match (bits, pool.type_kind(ty)) {
        (None, _) => pool.poison(ty),
        (Some(bits), TypeKind::Int(width)) => Int::new(*width, bits).to_const(pool),
        (Some(bits), _) => pool.intern_const(Constant::Float { ty, bits }),
    }
}

fn is_same(pool: &Pool, result: Const, expected: &Seen) -> bool {
    match (pool.constant(result), expected) {
        (Constant::Poison(_), seen) => {
            matches!(seen, Seen::Poison)
                || matches!(seen, Seen::Seq(parts) if parts.iter().all(|part| matches!(part, Seen::Poison)))
        }
        (Constant::Int { .. }, Seen::Bits(words)) => {
            let low = u128::from(words.first().copied().unwrap_or_default());
            Int::of_const(pool, result).is_some_and(|int| int.unsigned() == low)
        }
        (&Constant::Float { ty, bits }, Seen::Bits(words)) => {
            let low = u128::from(words.first().copied().unwrap_or_default());
            let (exponent, is_half) = (0x7c00, matches!(pool.type_kind(ty), TypeKind::Half));
            let is_nan = |bits: u128| is_half && bits & exponent == exponent && bits & 0x3ff != 0;
            bits == low || is_nan(bits) && is_nan(low)
        }
        (_, Seen::Seq(parts)) => parts.iter().enumerate().all(|(index, seen)| {
            fold::parts::part(pool, result, index as u64).is_some_and(|part| is_same(pool, part, seen))
        }),
        _ => false,
    }
}

#[test]
fn operations_on_integers() {
    for op in ["add", "sub", "mul", "shl"] {
        for flags in ["", "nuw ", "nsw ", "nuw nsw "] {
            Case::of("i3", &["i3", "i3"], &format!("{op} {flags}v0, v1")).check();
        }
    }
    for op in ["udiv", "sdiv", "lshr", "ashr"] {
        for flags in ["", "exact "] {
            Case::of("i3", &["i3", "i3"], &format!("{op} {flags}v0, v1")).check();
        }
    }
    for op in ["urem", "srem", "and", "or", "or disjoint", "xor"] {
        Case::of("i3", &["i3", "i3"], &format!("{op} v0, v1")).check();
    }
    for predicate in ["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"] {
        for flag in ["", "samesign "] {
            Case::of("i1", &["i3", "i3"], &format!("icmp {flag}{predicate} v0, v1")).check();
        }
    }
    for operation in ["zext v0", "zext nneg v0", "sext v0"] {
        Case::of("i5", &["i3"], operation).check();
    }
    for flags in ["", "nuw ", "nsw ", "nuw nsw "] {
        Case::of("i2", &["i4"], &format!("trunc {flags}v0")).check();
    }
    Case::of("i3", &["i1", "i3", "i3"], "select v0, v1, v2").check();
}

#[test]
fn intrinsics_on_integers() {
    for name in ["umin", "umax", "smin", "smax", "uadd.sat", "sadd.sat", "usub.sat", "ssub.sat"] {
        Case::of("i3", &["i3", "i3"], &format!("llvm.{name}.i3")).check();
    }
    for name in ["uadd", "sadd", "usub", "ssub", "umul", "smul"] {
        Case::of("{ i3, i1 }", &["i3", "i3"], &format!("llvm.{name}.with.overflow.i3")).check();
    }
    for name in ["abs", "ctlz", "cttz"] {
        Case::of("i3", &["i3", "i1"], &format!("llvm.{name}.i3")).check();
    }
    for name in ["ctpop", "bitreverse"] {
        Case::of("i3", &["i3"], &format!("llvm.{name}.i3")).check();
    }
    for name in ["fshl", "fshr"] {
        Case::of("i3", &["i3", "i3", "i3"], &format!("llvm.{name}.i3")).check();
    }
    Case::of("i16", &["i16"], "llvm.bswap.i16").check();
}

#[test]
fn floats() {
    for op in ["fadd", "fsub", "fmul", "fdiv", "frem"] {
        Case::of("half", &["half", "half"], &format!("{op} v0, v1")).check();
    }
    for predicate in [
        "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult", "ule", "une",
        "true",
    ] {
        Case::of("i1", &["half", "half"], &format!("fcmp {predicate} v0, v1")).check();
    }
    Case::of("half", &["half"], "fneg v0").check();
    for ty in ["float", "double"] {
        Case::of(ty, &["half"], "fpext v0").check();
    }
    for op in ["fptoui", "fptosi"] {
        for ty in ["i3", "i8"] {
            Case::of(ty, &["half"], &format!("{op} v0")).check();
        }
    }
    for operation in ["uitofp v0", "uitofp nneg v0", "sitofp v0"] {
        Case::of("half", &["i3"], operation).check();
    }
    for name in ["copysign", "minnum", "maxnum", "minimum", "maximum"] {
        Case::of("half", &["half", "half"], &format!("llvm.{name}.f16")).check();
    }
    for name in ["fabs", "floor", "ceil", "trunc", "roundeven", "round"] {
        Case::of("half", &["half"], &format!("llvm.{name}.f16")).check();
    }
}
