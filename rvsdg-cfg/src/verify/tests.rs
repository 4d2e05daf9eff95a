use std::collections::BTreeSet;
use std::sync::Arc;

use cranelift_entity::EntityRef;
use rvsdg_core::op::{BinaryFlags, IntBinary, MatchTable, Op};
use rvsdg_core::verify::verify_graph;
use rvsdg_core::{Constant, Pool, Type};

use super::Invariant;
use crate::cfg::{Cfg, Inst, Value};
use crate::construct::build;
use crate::restructure::Options;
use crate::shape::{ArcRef, Block};

const ADD: Op = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NONE };

/// A function of a loop: `entry -> head(i); head -> body | exit(i); body -> head(i + x)`.
struct Loop {
    cfg: Cfg,
    x: Value,
    head: Block,
    body: Block,
    sum: Inst,
}

fn valid() -> Loop {
    let pool = Arc::new(Pool::new());
    let mut cfg = Cfg::new(pool.clone());
    let x = cfg.add_param(Type::I32);
    cfg.add_block_param(cfg.exit(), Type::I32, None);
    let (entry, exit, head, body) = (cfg.entry(), cfg.exit(), cfg.add_block(), cfg.add_block());
    let i = cfg.add_block_param(head, Type::I32, None);
    let zero = cfg.add_const(pool.int_const(Type::I32, 0), &[]);
    cfg.add_arc(entry, head, &[zero]);
    choose(&mut cfg, head, i, &[(body, &[]), (exit, &[i])]);
    let sum = cfg.add_inst(body, ADD, &[i, x], &[Type::I32]);
    let next = cfg.results(sum)[0];
    cfg.add_arc(body, head, &[next]);
    Loop { cfg, x, head, body, sum }
}

/// Ends a block with a switch on 0, 1, …, with the last arc as default.
fn choose(cfg: &mut Cfg, block: Block, on: Value, arcs: &[(Block, &[Value])]) {
    let last = arcs.len() as u32 - 1;
    let cases = (0..last).map(|case| (cfg.pool().int_const(Type::I32, case.into()), case)).collect();
    let table = cfg.pool().intern_table(MatchTable { cases, default: last, alternatives: last + 1 });
    let predicate = cfg.add_detached(Op::Match(table), &[on], &[]);
    cfg.terminator_mut(block).predicate = predicate.into();
    for (target, args) in arcs {
        cfg.add_arc(block, *target, args);
    }
}

/// The invariants that do not hold, and the text of what is wrong.
fn violations(cfg: &Cfg) -> (Vec<Invariant>, String) {
    let Err(found) = cfg.verify() else { return (Vec::new(), String::new()) };
    let invariants: BTreeSet<Invariant> = found.iter().map(|violation| violation.invariant).collect();
    (invariants.into_iter().collect(), found.to_string())
}

#[track_caller]
fn check(cfg: &Cfg, invariant: Invariant, text: &str) {
    let (found, message) = violations(cfg);
    assert_eq!(found, [invariant], "{message}");
    assert!(message.contains(text), "{message}");
}

#[test]
fn a_valid_graph() {
    let graph = build(&valid().cfg.verify().unwrap(), &Options::default());
    assert_eq!(verify_graph(&graph), []);
}

#[test]
fn all_are_listed_once() {
    assert!(Invariant::ALL.is_sorted() && Invariant::ALL.len() == 1 + Invariant::Signature as usize);
}

#[test]
fn references() {
    let Loop { mut cfg, body, .. } = valid();
    cfg.set_arc(ArcRef { from: body, index: 0 }, Block::new(77), &[]);
    check(&cfg, Invariant::References, "b3.0: it leads to b77, which does not exist");

    let Loop { mut cfg, sum, .. } = valid();
    cfg.operands_mut(sum)[1] = Value::new(99);
    check(&cfg, Invariant::References, "i2 of b3 `add x2, x99`: x99 does not exist");

    let Loop { mut cfg, head, .. } = valid();
    cfg.insts_mut(head).push(Inst::new(50));
    check(&cfg, Invariant::References, "b2: i50 does not exist");

    let Loop { mut cfg, .. } = valid();
    cfg.labels.push((0, Block::new(9)));
    check(&cfg, Invariant::References, "b9: a label");

    let Loop { mut cfg, head, x, .. } = valid();
    let hole = cfg.pool().intern_const(Constant::Hole { ty: Type::I32, index: 0 });
    let inner = cfg.add_const(hole, &[x]);
    let outer = cfg.add_const(hole, &[inner]);
    cfg.set_arc(ArcRef { from: head, index: 1 }, cfg.exit(), &[outer]);
    check(&cfg, Invariant::References, "is a constant of addresses itself");
}

/// With this arc, restructuring opened branches until memory ended.
#[test]
fn entry() {
    let Loop { mut cfg, body, .. } = valid();
    cfg.set_arc(ArcRef { from: body, index: 0 }, cfg.entry(), &[]);
    check(&cfg, Invariant::Entry, "b3.0: it leads to the entry");

    let Loop { mut cfg, .. } = valid();
    cfg.add_block_param(cfg.entry(), Type::I32, None);
    check(&cfg, Invariant::Entry, "b0: the entry has parameters");
}

#[test]
fn exit() {
    let Loop { mut cfg, .. } = valid();
    cfg.add_inst(cfg.exit(), Op::Unreachable, &[], &[]);
    check(&cfg, Invariant::Exit, "b1: the exit has instructions");

    let Loop { mut cfg, head, x, .. } = valid();
    cfg.add_arc(cfg.exit(), head, &[x]);
    check(&cfg, Invariant::Exit, "b1: an arc leaves the exit");
}

#[test]
fn reachable() {
    let Loop { mut cfg, head, x, .. } = valid();
    let lost = cfg.add_block();
    cfg.add_arc(lost, head, &[x]);
    check(&cfg, Invariant::Reachable, "b4: no path");
}

#[test]
fn terminated() {
    let Loop { mut cfg, body, .. } = valid();
    cfg.terminator_mut(body).arcs.clear();
    check(&cfg, Invariant::Terminated, "b3: it has no arc");
}

#[test]
fn distinct_arcs() {
    let Loop { mut cfg, head, x, .. } = valid();
    cfg.set_arc(ArcRef { from: head, index: 0 }, cfg.exit(), &[x]);
    let (found, text) = violations(&cfg);
    assert_eq!(found, [Invariant::Reachable, Invariant::DistinctArcs]);
    assert!(text.contains("b2.1: another arc leads to b1 too"), "{text}");
}

#[test]
fn arguments() {
    let Loop { mut cfg, head, body, .. } = valid();
    cfg.set_arc(ArcRef { from: body, index: 0 }, head, &[]);
    check(&cfg, Invariant::Arguments, "b3.0: 0 arguments for the 1 parameters of b2");

    let Loop { mut cfg, head, body, .. } = valid();
    let long = cfg.add_const(cfg.pool().int_const(Type::I64, 0), &[]);
    cfg.set_arc(ArcRef { from: body, index: 0 }, head, &[long]);
    check(&cfg, Invariant::Arguments, "x5 is of type i64, x2 of type i32");
}

#[test]
fn predicates() {
    let Loop { mut cfg, head, .. } = valid();
    cfg.terminator_mut(head).predicate = None.into();
    check(&cfg, Invariant::Predicates, "b2: nothing chooses among its 2 arcs");

    let Loop { mut cfg, head, x, .. } = valid();
    cfg.terminator_mut(head).predicate = cfg.add_detached(ADD, &[x, x], &[Type::I32]).into();
    check(&cfg, Invariant::Predicates, "b2: `add` chooses nothing");

    let Loop { mut cfg, head, .. } = valid();
    cfg.terminator_mut(head).predicate = cfg.add_detached(Op::CtlConst { value: 0, of: 3 }, &[], &[]).into();
    check(&cfg, Invariant::Predicates, "b2: its predicate has 3 alternatives for 2 arcs");
}

#[test]
fn placement() {
    let Loop { mut cfg, body, sum, .. } = valid();
    cfg.insts_mut(body).push(sum);
    check(&cfg, Invariant::Placement, "i2 of b3 `add x2, x0`: it is in a block already");

    let Loop { mut cfg, body, .. } = valid();
    let zero = cfg.pool().int_const(Type::I32, 0);
    cfg.add_inst(body, Op::Const(zero), &[], &[Type::I32]);
    check(&cfg, Invariant::Placement, "a constant is in no block");
}

#[test]
fn dominance() {
    // A use in a block that the definition's does not dominate.
    let Loop { mut cfg, head, sum, .. } = valid();
    let next = cfg.results(sum)[0];
    cfg.set_arc(ArcRef { from: head, index: 1 }, cfg.exit(), &[next]);
    check(&cfg, Invariant::Dominance, "b2.1: it uses x4");

    // A use before the definition in one block.
    let Loop { mut cfg, body, sum, .. } = valid();
    let next = cfg.results(sum)[0];
    let first = cfg.add_detached(ADD, &[next, next], &[Type::I32]);
    cfg.insts_mut(body).insert(0, first);
    check(&cfg, Invariant::Dominance, "i3 of b3 `add x4, x4`: it uses x4, which is defined later");

    // The result of an instruction that is in no block.
    let Loop { mut cfg, body, .. } = valid();
    cfg.insts_mut(body).clear();
    check(&cfg, Invariant::Dominance, "by an instruction that is in no block");

    // An address in a constant.
    let Loop { mut cfg, head, body, sum, .. } = valid();
    let hole = cfg.pool().intern_const(Constant::Hole { ty: Type::I32, index: 0 });
    let part = cfg.results(sum)[0];
    let whole = cfg.add_const(hole, &[part]);
    cfg.set_arc(ArcRef { from: body, index: 0 }, head, &[whole]);
    assert_eq!(violations(&cfg).0, []);
    cfg.set_arc(ArcRef { from: head, index: 1 }, cfg.exit(), &[whole]);
    check(&cfg, Invariant::Dominance, "whose part x4 is not defined there");
}

#[test]
fn signature() {
    let source = "@f = function void (i64)\nlambda @f [] (v0: i64, mem0, io0) {\n  yield mem0, io0\n}\nexport @f\n";
    let module = rvsdg_core::text::parse_module(source).unwrap();
    let (verified, lambda) = (module.verify().unwrap(), module.lambdas()[0]);
    let text = |cfg: &Cfg| cfg.verify_for(verified, lambda).err().unwrap().to_string();
    assert!(text(&valid().cfg).contains("another pool"));

    let mut cfg = Cfg::new(module.pool.clone());
    let x = cfg.add_param(Type::I32);
    cfg.add_block_param(cfg.exit(), Type::I32, None);
    cfg.add_arc(cfg.entry(), cfg.exit(), &[x]);
    let message = text(&cfg);
    assert!(message.contains("parameters are (i32) instead of (i64) (Signature)"), "{message}");
    assert!(message.contains("parameters of the exit are (i32) instead of ()"), "{message}");

    let mut cfg = Cfg::new(module.pool.clone());
    cfg.add_param(Type::I64);
    cfg.add_arc(cfg.entry(), cfg.exit(), &[]);
    assert!(cfg.verify_for(verified, lambda).is_ok());
}

/// What looks like a fault and is none: restructuring closes infinite loops.
#[test]
fn no_way_to_the_exit() {
    let mut cfg = Cfg::new(Arc::new(Pool::new()));
    let (entry, head) = (cfg.entry(), cfg.add_block());
    cfg.add_arc(entry, head, &[]);
    cfg.add_arc(head, head, &[]);
    let graph = build(&cfg.verify().unwrap(), &Options::default());
    assert_eq!(verify_graph(&graph), []);
}

/// All that is wrong is said at once.
#[test]
fn several_violations() {
    let Loop { mut cfg, head, body, .. } = valid();
    cfg.terminator_mut(body).arcs.clear();
    cfg.terminator_mut(head).predicate = None.into();
    let error: Box<dyn std::error::Error> = cfg.verify().err().unwrap().into();
    assert_eq!(error.to_string().lines().count(), 2, "{error}");
}
