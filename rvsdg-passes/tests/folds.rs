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
        let choices: Vec<Vec<Const>> = self.params.iter().map(|&ty| all(pool, ty)).collect();
        let total: usize = choices.iter().map(Vec::len).product();
        let (mut folded, mut left) = (0, 0);
        for number in 0..total {
            let mut rest = number;
            let constants: Vec<Const> = choices
                .iter()
                .map(|choice| {
                    let one = choice[rest % choice.len()];
                    rest /= choice.len();
                    one
                })
                .collect();
            let chosen: Vec<&Constant> = constants.iter().map(|&constant| pool.constant(constant)).collect();
            let result = match Intrinsic::of_name(&self.operation) {
                Some(intrinsic) => intrinsic.fold(pool, &constants, self.result),
                None => {
                    let known: Vec<Option<Const>> = constants.iter().map(|&constant| Some(constant)).collect();
                    fold::fold_known(pool, self.op(), &known, self.result)
                }
            };
            let arguments = constants.iter().map(|&constant| Argument::Value(value(pool, constant)));
            let run = observe(verified, "f", &arguments.collect::<Vec<_>>(), Config::default());
            let expected = match run.outcome {
                Outcome::Returned(_) => run.value,
                _ => None,
            };
            match (result, expected) {
                (None, None) => {}
                (None, Some(_)) => left += 1,
                (Some(result), None) => {
                    panic!("{} of {chosen:?} is undefined, and folded to {:?}", self.operation, pool.constant(result));
                }
                (Some(result), Some(expected)) => {
                    folded += 1;
                    let same = is_same(pool, result, &expected);
                    assert!(same, "{} of {chosen:?}: {expected}, not {:?}", self.operation, pool.constant(result));
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

/// The values of a type, poison among them; of vectors and structures those with poison parts, too.
fn all(pool: &Pool, ty: Type) -> Vec<Const> {
    let number = |bits: u128| match pool.type_kind(ty) {
        TypeKind::Int(width) => Int::new(*width, bits).to_const(pool),
        _ => pool.intern_const(Constant::Float { ty, bits }),
    };
    let parts = match pool.type_kind(ty) {
        TypeKind::Half => return HALVES.iter().map(|&bits| number(bits.into())).chain([pool.poison(ty)]).collect(),
        TypeKind::Int(16) => return [0, 1, 0x1234, 0xff00, 0x8000, 0xffff].map(number).into(),
        TypeKind::Int(bits) => return (0..1 << bits).map(number).chain([pool.poison(ty)]).collect(),
        &TypeKind::Vector { element, len, .. } => vec![element; len as usize],
        TypeKind::Struct { elements, .. } => elements.to_vec(),
        kind => panic!("{kind:?}"),
    };
    let mut found = vec![Vec::new()];
    for part in parts {
        let all = all(pool, part);
        found = found.iter().flat_map(|known| all.iter().map(|&one| [&known[..], &[one]].concat())).collect();
    }
    found.iter().map(|lanes| fold::parts::whole(pool, ty, lanes).expect("a constant")).collect()
}

fn value(pool: &Pool, constant: Const) -> Value {
    match *pool.constant(constant) {
        Constant::Poison(_) => Value::Poison,
        Constant::Float { bits, .. } => Value::from_bits(16, bits),
        Constant::Int { .. } => {
            let int = Int::of_const(pool, constant).expect("a narrow one");
            Value::from_bits(int.bits(), int.unsigned())
        }
        _ => {
            let parts = (0..).map_while(|index| fold::parts::part(pool, constant, index));
            Value::seq(parts.map(|part| value(pool, part)).collect())
        }
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
fn operations_on_vectors() {
    const PAIR: &str = "<2 x i2>";
    for operation in
        ["add nuw nsw v0, v1", "sub v0, v1", "shl nsw v0, v1", "sdiv exact v0, v1", "urem v0, v1", "or v0, v1"]
    {
        Case::of(PAIR, &[PAIR, PAIR], operation).check();
    }
    for operation in ["icmp slt v0, v1", "icmp samesign ne v0, v1"] {
        Case::of("<2 x i1>", &[PAIR, PAIR], operation).check();
    }
    for (result, operation) in [("<2 x i3>", "zext nneg v0"), ("<2 x i3>", "sext v0"), ("<2 x i1>", "trunc nuw v0")] {
        Case::of(result, &[PAIR], operation).check();
    }
    Case::of("<2 x half>", &[PAIR], "sitofp v0").check();
    Case::of(PAIR, &["i1", PAIR, PAIR], "select v0, v1, v2").check();
    Case::of("<2 x i1>", &["<2 x i1>", "<2 x i1>", "<2 x i1>"], "select v0, v1, v2").check();
    Case::of("i2", &["<3 x i2>", "i3"], "extractelement v0, v1").check();
    Case::of("<3 x i2>", &["<3 x i2>", "i2", "i3"], "insertelement v0, v1, v2").check();
    for mask in ["<0, 2>", "<3, 1>", "<poison, 0>", "<2, 2, 0>", "<3, 0, 1, 2>", "<1>"] {
        let result = format!("<{} x i2>", mask.split(',').count());
        Case::of(&result, &[PAIR, PAIR], &format!("shufflevector v0, v1, {mask}")).check();
    }
    for name in ["umin", "ssub.sat"] {
        Case::of(PAIR, &[PAIR, PAIR], &format!("llvm.{name}.v2i2")).check();
    }
    Case::of(PAIR, &[PAIR, "i1"], "llvm.abs.v2i2").check();
}

#[test]
fn operations_on_aggregates() {
    const PAIR: &str = "{ i2, i3 }";
    Case::of("i2", &[PAIR], "extractvalue v0, 0").check();
    Case::of("i3", &[PAIR], "extractvalue v0, 1").check();
    Case::of(PAIR, &[PAIR, "i2"], "insertvalue v0, v1, 0").check();
    Case::of(PAIR, &[PAIR, "i3"], "insertvalue v0, v1, 1").check();
    Case::of("i1", &["{ i1, { i1, i1 } }"], "extractvalue v0, 1, 0").check();
}

#[test]
fn bits_read_as_another_type() {
    for (from, to) in [("half", "i16"), ("i16", "half")] {
        Case::of(to, &[from], "bitcast v0").check();
        let vector = |ty: &str| format!("<2 x {ty}>");
        Case::of(&vector(to), &[&vector(from)], "bitcast v0").check();
    }
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
