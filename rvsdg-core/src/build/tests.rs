use std::sync::Arc;

use super::{Insert, Router};
use crate::fold;
use crate::op::{BinaryFlags, CastOp, GepFlags, IntBinary, IntPredicate};
use crate::{Graph, Op, Origin, Pool, Type};

fn graph() -> (Graph, [Origin; 3]) {
    let mut graph = Graph::new(Arc::new(Pool::new()));
    let root = graph.root();
    let arguments = [Type::I32, Type::I32, Type::I1].map(|ty| graph.add_argument(root, ty));
    (graph, arguments)
}

#[test]
fn what_gives_an_operand_is_not_added() {
    use IntBinary::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
    let (mut graph, [x, y, condition]) = graph();
    let root = graph.root();
    let mut at = Insert::end(&mut graph, root);
    let [zero, one, ones] = [0, 1, u64::MAX].map(|value| at.int(Type::I32, value));
    for op in [Add, Sub, Or, Xor, Shl, LShr, AShr] {
        assert_eq!(at.binary(op, x, zero), x, "{op:?}");
    }
    for op in [Mul, UDiv, SDiv] {
        assert_eq!(at.binary(op, x, one), x, "{op:?}");
    }
    for (op, neutral) in [(Add, zero), (Or, zero), (Xor, zero), (Mul, one), (And, ones)] {
        assert_eq!(at.binary(op, neutral, x), x, "{op:?}");
    }
    for (op, absorbing) in [(And, zero), (Mul, zero), (Or, ones)] {
        assert_eq!(at.binary(op, x, absorbing), absorbing, "{op:?}");
        assert_eq!(at.binary(op, absorbing, x), absorbing, "{op:?}");
    }
    assert_eq!((at.binary(And, x, x), at.binary(Or, x, x)), (x, x));
    assert_eq!((at.select(condition, x, x), at.cast(CastOp::ZExt, x, Type::I32)), (x, x));
    let truths = [0, 1].map(|value| at.int(Type::I1, value));
    assert_eq!(truths.map(|truth| at.select(truth, x, y)), [y, x]);
    assert_eq!(at.compare(IntPredicate::Eq, condition, truths[1]), condition);
    assert_eq!(at.compare(IntPredicate::Ne, condition, truths[0]), condition);
    let pointer = at.graph().add_argument(root, Type::PTR);
    let byte = at.graph().pool().int(8);
    assert_eq!(at.add(Op::Gep { source: byte, flags: GepFlags::NONE }, &[pointer, zero], Type::PTR), pointer);
    let before = graph.node_count();
    let mut at = Insert::end(&mut graph, root);
    for (op, a, b) in [(Sub, zero, x), (Shl, zero, x), (UDiv, x, zero), (SRem, x, one), (URem, one, x), (Xor, x, x)] {
        at.binary(op, a, b);
    }
    for (predicate, truth) in [(IntPredicate::Eq, 0), (IntPredicate::Ne, 1), (IntPredicate::Ult, 1)] {
        at.compare(predicate, condition, truths[truth]);
    }
    for predicate in [IntPredicate::Eq, IntPredicate::Ne] {
        at.compare(predicate, x, one);
    }
    assert_eq!(graph.node_count(), before + 11, "the others are");
}

/// What is taken for an operation with one constant is what folding makes of the operation, for every other operand.
#[test]
fn what_is_taken_for_an_operation_is_what_it_gives() {
    use IntBinary::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
    let mut taken = 0;
    for bits in 1..=3 {
        let mut graph = Graph::new(Arc::new(Pool::new()));
        let root = graph.root();
        let ty = graph.pool().int(bits);
        let x = graph.add_argument(root, ty);
        let mut at = Insert::end(&mut graph, root);
        let values: Vec<Origin> = (0..1 << bits).map(|value| at.int(ty, value)).collect();
        for op in [Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor] {
            for (&constant, is_right) in values.iter().flat_map(|value| [(value, true), (value, false)]) {
                let mut of = |other| match is_right {
                    true => at.binary(op, other, constant),
                    false => at.binary(op, constant, other),
                };
                let known = of(x);
                if known != x && known != constant {
                    continue;
                }
                let results: Vec<Origin> = values.iter().map(|&value| of(value)).collect();
                for (&value, given) in values.iter().zip(results) {
                    let [given, expected] =
                        [given, if known == x { value } else { constant }].map(|origin| fold::int(at.graph(), origin));
                    // The others are undefined or poison.
                    if given.is_some() {
                        assert_eq!(given, expected, "{op:?} {is_right} i{bits}");
                        taken += 1;
                    }
                }
            }
        }
    }
    assert!(taken > 300, "{taken}");
}

#[test]
fn constants_are_folded_and_shared() {
    let (mut graph, _) = graph();
    let root = graph.root();
    let mut at = Insert::end(&mut graph, root);
    let (two, three) = (at.int(Type::I32, 2), at.int(Type::I32, 3));
    let six = at.binary(IntBinary::Mul, two, three);
    assert_eq!((at.int(Type::I32, 6), at.int(Type::I32, 2)), (six, two));
    let less = at.compare(IntPredicate::Ult, two, three);
    assert_eq!(less, at.int(Type::I1, 1));
    let wraps = at.binary_with(IntBinary::Sub, BinaryFlags::NUW, two, three);
    assert_eq!(wraps, at.poison(Type::I32));
    let decided = at.decide(less, 1);
    let node = graph.producer(decided).unwrap();
    assert_eq!(graph.op(node), Some(Op::CtlConst { value: 1, of: 2 }));
    let front = Insert::front(&mut graph, root).int(Type::I32, 6);
    assert_eq!(front, six, "nodes after the place are looked at where none is before it");
}

#[test]
fn nodes_are_put_in_order() {
    let (mut graph, [x, y, condition]) = graph();
    let root = graph.root();
    let middle = Insert::end(&mut graph, root).binary(IntBinary::Add, x, y);
    let middle = graph.producer(middle).unwrap();
    let mut at = Insert::before(&mut graph, middle);
    let predicate = at.decide(condition, 1);
    let gamma = at.gamma(predicate, 2);
    let mut at = Insert::after(&mut graph, middle);
    let sub = at.binary(IntBinary::Sub, x, y);
    let xor = at.binary(IntBinary::Xor, sub, y);
    let mut at = Insert::front(&mut graph, root);
    let first = at.binary(IntBinary::Shl, x, y);
    let second = at.binary(IntBinary::Shl, y, x);
    let [first, second, predicate, sub, xor] =
        [first, second, predicate, sub, xor].map(|origin| graph.producer(origin).unwrap());
    let nodes = [first, second, predicate, gamma.node(), middle, sub, xor];
    assert_eq!(graph.nodes(root).collect::<Vec<_>>(), nodes);
}

#[test]
fn routes_take_variables_that_are_there() {
    let (mut graph, [x, y, condition]) = graph();
    let root = graph.root();
    let mut at = Insert::end(&mut graph, root);
    let theta = at.theta();
    let body = theta.body(&graph);
    let same = theta.add_loop_var(&mut graph, x);
    let changes = theta.add_loop_var(&mut graph, y);
    graph.divert(changes.post, same.pre);
    let inner = theta.add_loop_var(&mut graph, condition).pre;
    let mut at = Insert::end(&mut graph, body);
    let predicate = at.decide(inner, 1);
    let gamma = at.gamma(predicate, 2);
    let entry = gamma.add_entry_var(&mut graph, same.pre);
    let regions = gamma.regions(&graph).to_vec();
    let mut router = Router::new();
    let carried = router.carry(&mut graph, theta, x);
    assert_eq!(router.route(&mut graph, x, regions[1]), entry.argument(&graph, gamma, 1));
    let routed = router.route(&mut graph, y, body);
    assert!(routed != changes.pre && routed != carried.pre, "what changes is no way in");
    assert_eq!(router.route(&mut graph, y, body), routed);
    assert_eq!(graph.inputs(theta.node()).len(), 5);
    let late = router.carry(&mut graph, theta, condition);
    assert_ne!(router.route(&mut graph, condition, body), late.pre);
}
