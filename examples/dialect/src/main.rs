//! `jlm-opt` with an operation of a dialect: `sat.sub`, subtraction that stops at zero.
//!
//! ```text
//! v2: i32 = ext "sat.sub" speculatable (i32, i32) -> (i32) v0, v1
//! ```
//!
//! Node reduction folds it, passes number, hoist and remove it as they do LLVM's operations, and `lower-sat` says it in these.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use rvsdg_core::build::Insert;
use rvsdg_core::op::{ExtHooks, IntBinary, IntPredicate, OpCode};
use rvsdg_core::{Graph, Node, Op, Origin, TypeKind};
use rvsdg_passes::scalar::node_reduction::cx::Cx;
use rvsdg_passes::scalar::node_reduction::rule::{At, Rule, rule};
use rvsdg_passes::{BodyPass, Change, Entry, PassCx, Registry, Stage};

/// The name of the operation. Its signature, its effects (none) and that it may be speculated are said where it is used.
const SUB: &str = "sat.sub";

/// What is demanded of it beyond its signature, and what it costs: it becomes three operations.
const OPERATIONS: &[ExtHooks] = &[ExtHooks { verify: is_of_integers, cost: |_, _| 3, ..ExtHooks::new(SUB) }];

fn is_of_integers(graph: &Graph, node: Node) -> Result<(), String> {
    let types: Vec<TypeKind> = graph
        .input_origins(node)
        .chain(graph.outputs(node).iter().copied())
        .map(|origin| graph.pool().type_kind(graph.ty(origin)).clone())
        .collect();
    let [TypeKind::Int(_), b, c] = &types[..] else { return Err("it subtracts an integer from another".to_owned()) };
    if *b == types[0] && *c == types[0] { Ok(()) } else { Err("its operands and its result have one type".to_owned()) }
}

/// What it computes of what is known. An instance says in LLVM IR what the operation means.
const RULES: &[Rule] = &[
    rule(
        "sat-sub-constants",
        OpCode::Ext,
        "i8 %x",
        "%r = call i8 @llvm.usub.sat.i8(i8 7, i8 9)",
        "0",
        |c: &mut Cx<'_>, n: At| {
            let (a, b) = (operands(c, n)?, c.int(n.b)?);
            let difference = c.int(a)?.unsigned().saturating_sub(b.unsigned());
            c.add_int(n.ty, difference)
        },
    ),
    rule(
        "sat-sub-zero",
        OpCode::Ext,
        "i8 %x",
        "%r = call i8 @llvm.usub.sat.i8(i8 %x, i8 0)",
        "%x",
        |c: &mut Cx<'_>, n: At| {
            let a = operands(c, n)?;
            c.is_zero(n.b).then_some(a)
        },
    ),
];

/// The first operand, if the node is ours.
fn operands(c: &Cx<'_>, n: At) -> Option<Origin> {
    let Some(Op::Ext(ext)) = c.op_of(n.node) else { return None };
    (*c.pool().ext(ext).name == *SUB && c.is_int(n.ty)).then_some(n.a)
}

/// The pass that says it in LLVM's operations.
struct Lower;

impl BodyPass for Lower {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut change = Change::Unchanged;
        let nodes: Vec<Node> = graph.all_nodes().filter(|&node| is_sub(graph, node)).collect();
        for node in nodes {
            if cx.rewrite("lower", graph, node) {
                lower(graph, node);
                cx.count("lowered", 1);
                change = Change::Changed;
            }
        }
        change
    }
}

fn is_sub(graph: &Graph, node: Node) -> bool {
    matches!(graph.op(node), Some(Op::Ext(ext)) if *graph.pool().ext(ext).name == *SUB)
}

/// `a < b ? 0 : a - b`
fn lower(graph: &mut Graph, node: Node) {
    let operands: Vec<Origin> = graph.input_origins(node).collect();
    let output = graph.output(node, 0);
    let mut at = Insert::before(graph, node);
    let less = at.compare(IntPredicate::Ult, operands[0], operands[1]);
    let zero = at.int(at.ty(output), 0);
    let difference = at.binary(IntBinary::Sub, operands[0], operands[1]);
    let value = at.select(less, zero, difference);
    graph.divert_users(output, value);
    graph.remove(node);
}

fn main() -> ExitCode {
    let lowering = Entry::new("lower-sat", "Saturating subtraction as LLVM's operations.", || {
        vec![Stage::Bodies(Box::new(Lower))]
    });
    jlm::main_with(&Registry::builtin().with_operations(OPERATIONS).with_rules(RULES).with(lowering))
}
