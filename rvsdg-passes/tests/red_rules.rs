//! Every rule's instance: the pass makes of "before" something that refines it for all inputs, poison included, at most
//! as large as "after". Instances are read at the width they are written in, two bytes at most, and once more with vectors
//! of two equal lanes for numbers.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use rvsdg_core::fold::{self, Int, Outcome, arith, parts};
use rvsdg_core::op::{BinaryFlags, CastFlags, CastOp, FastMath, IntBinary, IntPredicate};
use rvsdg_core::verify::verify_graph;
use rvsdg_core::{Constant, Graph, Node, Op, Origin, Pool, Type, TypeKind};
use rvsdg_passes::scalar::node_reduction::rule::{Rule, all};
use rvsdg_passes::scalar::node_reduction::{Reduce, driver};
use rvsdg_passes::{BodyPass, PassCx};

/// Reads the instructions of an instance into a body. `None` for what is not about integers.
struct Reader {
    graph: Graph,
    values: FxHashMap<String, Origin>,
    vectors: bool,
}

impl Reader {
    fn read(params: &str, body: &str, vectors: bool) -> Option<Graph> {
        let graph = Graph::new(Arc::new(Pool::new()));
        let mut reader = Reader { graph, values: FxHashMap::default(), vectors };
        let root = reader.graph.root();
        for param in params.split(',') {
            let (ty, name) = param.trim().split_once(' ')?;
            let ty = reader.ty(ty)?;
            let argument = reader.graph.add_argument(root, ty);
            reader.values.insert(name.into(), argument);
        }
        let mut last = None;
        for line in body.split(';') {
            let (name, rest) = line.trim().split_once(" = ")?;
            let value = reader.instruction(rest)?;
            reader.values.insert(name.into(), value);
            last = Some(value);
        }
        reader.graph.add_result(root, last?);
        Some(reader.graph)
    }

    fn ty(&self, text: &str) -> Option<Type> {
        let bits: u32 = text.strip_prefix('i')?.parse().ok()?;
        let ty = self.graph.pool().int(bits);
        let vector = TypeKind::Vector { element: ty, len: 2, scalable: false };
        Some(if self.vectors { self.graph.pool().intern_type(vector) } else { ty })
    }

    fn operand(&mut self, text: &str, ty: Type) -> Option<Origin> {
        let text = text.trim();
        if let Some(&value) = self.values.get(text) {
            return Some(value);
        }
        let pool = self.graph.pool();
        let number = |value: i128| fold::splat_const(pool, ty, value as u128);
        let constant = match text {
            "true" => number(1)?,
            "false" => number(0)?,
            "poison" => pool.poison(ty),
            _ => number(text.parse().ok()?)?,
        };
        Some(self.add(Op::Const(constant), &[], ty))
    }

    fn add(&mut self, op: Op, inputs: &[Origin], ty: Type) -> Origin {
        let root = self.graph.root();
        let node = self.graph.add_simple(root, op, inputs, &[ty]);
        self.graph.output(node, 0)
    }

    fn instruction(&mut self, text: &str) -> Option<Origin> {
        let (mnemonic, mut rest) = text.split_once(' ')?;
        let binary = match mnemonic {
            "add" => Some(IntBinary::Add),
            "sub" => Some(IntBinary::Sub),
            "mul" => Some(IntBinary::Mul),
            "udiv" => Some(IntBinary::UDiv),
            "sdiv" => Some(IntBinary::SDiv),
            "urem" => Some(IntBinary::URem),
            "srem" => Some(IntBinary::SRem),
            "shl" => Some(IntBinary::Shl),
            "lshr" => Some(IntBinary::LShr),
            "ashr" => Some(IntBinary::AShr),
            "and" => Some(IntBinary::And),
            "or" => Some(IntBinary::Or),
            "xor" => Some(IntBinary::Xor),
            _ => None,
        };
        let mut flags = BinaryFlags::NONE;
        while let Some((word, tail)) = rest.split_once(' ') {
            let Some(&(flag, _)) = BinaryFlags::NAMES.iter().find(|(_, name)| *name == word) else { break };
            flags = flags | flag;
            rest = tail;
        }
        if let Some(op) = binary {
            let (ty, rest) = rest.split_once(' ')?;
            let ty = self.ty(ty)?;
            let (a, b) = rest.split_once(',')?;
            let inputs = [self.operand(a, ty)?, self.operand(b, ty)?];
            return Some(self.add(Op::IntBinary { op, flags }, &inputs, ty));
        }
        match mnemonic {
            "icmp" => {
                let (predicate, rest) = rest.split_once(' ')?;
                let (ty, rest) = rest.split_once(' ')?;
                let ty = self.ty(ty)?;
                let (a, b) = rest.split_once(',')?;
                let inputs = [self.operand(a, ty)?, self.operand(b, ty)?];
                let predicate = IntPredicate::from_name(predicate)?;
                let truth = self.ty("i1")?;
                Some(self.add(Op::ICmp { predicate, same_sign: false }, &inputs, truth))
            }
            "zext" | "sext" | "trunc" => {
                let op = match mnemonic {
                    "zext" => CastOp::ZExt,
                    "sext" => CastOp::SExt,
                    _ => CastOp::Trunc,
                };
                let (ty, rest) = rest.split_once(' ')?;
                let (value, to) = rest.split_once(" to ")?;
                let (ty, to) = (self.ty(ty)?, self.ty(to)?);
                let input = self.operand(value, ty)?;
                Some(self.add(Op::Cast { op, flags: CastFlags { wrap: flags, ..CastFlags::default() } }, &[input], to))
            }
            "select" => {
                let mut inputs = Vec::new();
                let mut result = None;
                for part in rest.split(',') {
                    let (ty, value) = part.trim().split_once(' ')?;
                    let ty = self.ty(ty)?;
                    inputs.push(self.operand(value, ty)?);
                    result = Some(ty);
                }
                Some(self.add(Op::Select(FastMath::NONE), &inputs, result?))
            }
            "freeze" => {
                let (ty, value) = rest.split_once(' ')?;
                let ty = self.ty(ty)?;
                let input = self.operand(value, ty)?;
                Some(self.add(Op::Freeze, &[input], ty))
            }
            _ => None,
        }
    }
}

/// The width of an integer, or of the lanes of a vector.
fn width(graph: &Graph, origin: Origin) -> u32 {
    let ty = parts::lane_type(graph.pool(), graph.ty(origin)).unwrap_or(graph.ty(origin));
    arith::width(graph.pool(), ty).expect("instances are about integers")
}

/// A value, or poison; of vectors, any lane.
type Value = Option<Int>;

/// What a body returns; `Err` when that is undefined.
fn evaluate(graph: &Graph, arguments: &[Value]) -> Result<Value, ()> {
    let root = graph.root();
    let mut values: FxHashMap<Origin, Value> = FxHashMap::default();
    values.extend(graph.arguments(root).iter().copied().zip(arguments.iter().copied()));
    for node in graph.topological(root) {
        let inputs: Vec<Value> = graph.input_origins(node).map(|origin| values[&origin]).collect();
        let output = graph.output(node, 0);
        let value = step(graph, node, &inputs)?;
        values.insert(output, value);
    }
    Ok(values[&graph.result(root, 0)])
}

fn step(graph: &Graph, node: Node, inputs: &[Value]) -> Result<Value, ()> {
    let bits = width(graph, graph.output(node, 0));
    let value = |outcome| match outcome {
        Outcome::Value(value) => Ok(Some(value)),
        Outcome::Poison => Ok(None),
        Outcome::Undefined => Err(()),
    };
    match graph.op(node).expect("instances are straight") {
        Op::Const(constant) => match graph.pool().constant(constant) {
            Constant::Poison(_) => Ok(None),
            _ => Ok(Some(fold::splat_int(graph.pool(), constant).expect("all lanes are equal"))),
        },
        Op::IntBinary { op, flags } => {
            let divides = matches!(op, IntBinary::UDiv | IntBinary::SDiv | IntBinary::URem | IntBinary::SRem);
            match (inputs[0], inputs[1]) {
                (Some(a), Some(b)) => value(arith::binary(op, flags, a, b)),
                (None, Some(b)) if divides && (b.is_zero() || b.is_ones()) => Err(()),
                (_, None) if divides => Err(()),
                _ => Ok(None),
            }
        }
        Op::ICmp { predicate, .. } => Ok(inputs[0].zip(inputs[1]).map(|(a, b)| Int::bool(a.compare(predicate, b)))),
        Op::Cast { op, flags } => match inputs[0] {
            Some(a) => value(arith::cast(op, flags, a, bits).expect("a conversion of integers")),
            None => Ok(None),
        },
        Op::Select(_) => Ok(inputs[0].and_then(|condition| inputs[if condition.is_zero() { 2 } else { 1 }])),
        Op::Freeze => Ok(inputs[0].or(Some(Int::new(bits, 0)))),
        op => panic!("{op:?} in an instance"),
    }
}

/// All values of a width that is small, a sample of those of a larger one, and poison.
fn samples(bits: u32, dense: bool) -> Vec<Value> {
    let all = 1u128 << bits;
    let step = if dense || bits < 5 { 1 } else { 5 };
    let mut values: Vec<Value> = (0..all).step_by(step).map(|value| Some(Int::new(bits, value))).collect();
    values.extend([all - 1, all / 2, all / 2 - 1].map(|value| Some(Int::new(bits, value))));
    values.push(None);
    values
}

fn check(rule: &Rule, vectors: bool) -> Option<bool> {
    if vectors {
        rule.vector_proof()?;
    }
    let before = Reader::read(rule.params.split(" -> ").next()?, rule.before, vectors)?;
    assert!(verify_graph(&before).is_empty(), "{}: {:?}", rule.name, verify_graph(&before));
    Some(is_refined(rule, &before))
}

/// Whether the rule applies to what is refined.
fn is_refined(rule: &Rule, before: &Graph) -> bool {
    let mut after = before.clone();
    let cx = PassCx::new();
    let _ = Reduce::default().run(&mut after, &cx);
    assert!(verify_graph(&after).is_empty(), "{}: {:?}", rule.name, verify_graph(&after));
    assert!(driver::is_reduced(&after), "{}: a rule applies to what is reduced", rule.name);
    let root = before.root();
    let widths: Vec<u32> = before.arguments(root).iter().map(|&argument| width(before, argument)).collect();
    let choices: Vec<Vec<Value>> = widths.iter().map(|&bits| samples(bits, widths.len() == 1)).collect();
    let total: usize = choices.iter().map(Vec::len).product();
    for index in 0..total {
        let mut rest = index;
        let arguments: Vec<Value> = choices
            .iter()
            .map(|choice| {
                let value = choice[rest % choice.len()];
                rest /= choice.len();
                value
            })
            .collect();
        let Ok(Some(expected)) = evaluate(before, &arguments) else { continue };
        assert_eq!(evaluate(&after, &arguments), Ok(Some(expected)), "{} of {arguments:?}", rule.name);
    }
    cx.counter(rule.name) > 0
}

/// An instance with integers of other widths, which asks for what the rule does not say of itself.
#[test]
fn instances_of_other_widths_are_refined() {
    let mut checked = 0;
    for (from, to) in
        [("i1", "i3"), ("i4", "i1"), ("i8", "i1"), ("i8", "i2"), ("i8", "i4"), ("i16", "i3"), ("i16", "i8")]
    {
        let other = |text: &str| {
            let word = |word: &str| {
                if word.trim_end_matches([',', ';']) == from { word.replace(from, to) } else { word.into() }
            };
            text.split(' ').map(word).collect::<Vec<String>>().join(" ")
        };
        for rule in all() {
            let Some(params) = rule.params.split(" -> ").next() else { continue };
            let changed = (other(params), other(rule.before));
            let graph =
                Reader::read(&changed.0, &changed.1, false).filter(|_| changed != (params.into(), rule.before.into()));
            let Some(graph) = graph.filter(|graph| verify_graph(graph).is_empty()) else { continue };
            is_refined(rule, &graph);
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn instances_of_scalars_are_refined() {
    instances_are_refined(false);
}

#[test]
fn instances_of_vectors_are_refined() {
    instances_are_refined(true);
}

fn instances_are_refined(vectors: bool) {
    let mut idle = Vec::new();
    let mut checked = 0;
    for rule in all() {
        match check(rule, vectors) {
            Some(true) => checked += 1,
            Some(false) => idle.push(rule.name),
            None => {}
        }
    }
    assert!(idle.is_empty(), "{} instances checked; these rules did not apply to theirs: {idle:?}", checked);
    assert!(checked > 100, "{checked}");
}

#[test]
fn names_are_distinct() {
    let mut names: Vec<&str> = all().map(|rule| rule.name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
}
