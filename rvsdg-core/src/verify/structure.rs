//! Regions, γ and θ, states and predicates of one body.

use rustc_hash::FxHashSet;

use super::attributes::AttributeFacts;
use super::holes;
use super::op::OpCheck;
use super::types::{TypeFacts, is_first_class};
use super::{Invariant, Report, constant::ConstFacts, is_body_kind};
use crate::graph::{Entity, Graph, Node, NodeKind, Origin, Region, Use, WalkItem};
use crate::{Op, Type, TypeKind};

/// Checks a graph whose arenas are consistent.
pub(super) fn check(graph: &Graph, context: Option<usize>, report: &mut Report<'_>) {
    let pool = graph.pool().clone();
    let mut types = TypeFacts::new(&pool);
    let mut constants = ConstFacts::new(&pool);
    let mut attributes = AttributeFacts::new(&pool);
    let mut pads = FxHashSet::default();
    for item in graph.walk() {
        match item {
            WalkItem::Enter(region) => {
                for &argument in graph.arguments(region) {
                    origin(graph, argument, &mut types, report);
                }
            }
            WalkItem::Node(node) => {
                for &output in graph.outputs(node) {
                    origin(graph, output, &mut types, report);
                }
                match graph.kind(node) {
                    NodeKind::Simple(op) => {
                        if !graph.subregions(node).is_empty() {
                            report.node(Invariant::Arity, node, "a simple node has no subregions");
                        }
                        if let Op::Funclet(funclet) = op
                            && funclet.number().is_some_and(|number| !pads.insert(number))
                        {
                            report.node(Invariant::Funclets, node, "another pad has its number");
                        }
                        if let Op::Call(call) | Op::Invoke(call) | Op::CallBr(call) = op
                            && let Some(flaw) = attributes.flaw(pool.call(call).attributes)
                        {
                            report.node(Invariant::Attributes, node, flaw);
                        }
                        if matches!(op, Op::Const(_)) && !holes::are_filled(graph, node, context) {
                            let message = "what fills a hole is a symbol, the same whenever it is computed";
                            report.node(Invariant::Constants, node, message);
                        }
                        OpCheck::new(graph, node, &mut types, &mut constants, report).check(op);
                    }
                    NodeKind::Gamma => gamma(graph, node, report),
                    NodeKind::Theta => theta(graph, node, report),
                    kind => {
                        debug_assert!(!is_body_kind(kind), "body kinds have arms");
                        report.node(Invariant::Level, node, "λ, φ and δ stand at the ω level only");
                    }
                }
            }
            WalkItem::Leave(_) => {}
        }
    }
}

/// The type of an origin, and who may use it.
fn origin(graph: &Graph, origin: Origin, types: &mut TypeFacts<'_>, report: &mut Report<'_>) {
    let ty = graph.ty(origin);
    let kind = graph.pool().type_kind(ty);
    if let Some(flaw) = types.fact(ty).flaw {
        report.origin(Invariant::TypeForm, origin, flaw);
    }
    match kind {
        TypeKind::Mem | TypeKind::Io => {
            let users = graph.users_of(origin).count();
            if users > 1 {
                report.origin(Invariant::LinearStates, origin, format!("the state has {users} users"));
            }
        }
        TypeKind::Ctl(_) => {
            for user in graph.users_of(origin) {
                let routed = match graph.site(user) {
                    Use::Input(node, _) => match graph.kind(node) {
                        NodeKind::Gamma | NodeKind::Theta => true,
                        NodeKind::Simple(_) | NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => false,
                    },
                    Use::Result(region, _) => graph.parent(region).is_some(),
                };
                if !routed {
                    report.add(
                        Invariant::Predicates,
                        Entity::User(user),
                        format!("the predicate {origin} is used as a value"),
                    );
                }
            }
        }
        TypeKind::Token => {
            let merged = graph.users_of(origin).any(|user| match graph.site(user) {
                Use::Input(node, _) => match graph.kind(node) {
                    NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta => false,
                    NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => true,
                },
                Use::Result(region, index) => match graph.parent(region) {
                    // A token that does not change in a loop passes through it.
                    Some(node) if graph.kind(node) == NodeKind::Theta => {
                        index == 0 || graph.arguments(region).get(index as usize - 1) != Some(&origin)
                    }
                    _ => true,
                },
            });
            if merged {
                report.origin(Invariant::Tokens, origin, "the token leaves its region");
            }
        }
        kind => {
            if !is_first_class(kind) {
                report.origin(Invariant::TypeForm, origin, "no value has this type");
            }
        }
    }
}

fn signature<'g>(graph: &'g Graph, origins: impl Iterator<Item = Origin> + 'g) -> impl Iterator<Item = Type> + 'g {
    origins.map(|origin| graph.ty(origin))
}

/// Reports where two lists of types differ.
fn same_types(
    expected: impl Iterator<Item = Type>,
    found: impl Iterator<Item = Type>,
    mut mismatch: impl FnMut(String),
    (expected_name, found_name): (&str, &str),
    pool: &crate::Pool,
) {
    let (mut expected, mut found) = (expected.fuse(), found.fuse());
    let mut index = 0usize;
    loop {
        match (expected.next(), found.next()) {
            (None, None) => return,
            (Some(e), Some(f)) if e == f => index += 1,
            (Some(e), Some(f)) => {
                let (e, f) = (pool.display_type(e), pool.display_type(f));
                mismatch(format!("{expected_name} {index} has type {e} but {found_name} {index} has type {f}"));
                index += 1;
            }
            (Some(_), None) => {
                let more = index + 1 + expected.count();
                return mismatch(format!("{more} times {expected_name} but {index} times {found_name}"));
            }
            (None, Some(_)) => {
                let more = index + 1 + found.count();
                return mismatch(format!("{index} times {expected_name} but {more} times {found_name}"));
            }
        }
    }
}

fn region_types(graph: &Graph, region: Region) -> impl Iterator<Item = Type> + '_ {
    signature(graph, graph.arguments(region).iter().copied())
}

fn gamma(graph: &Graph, node: Node, report: &mut Report<'_>) {
    let pool = graph.pool();
    let Some(&predicate) = graph.inputs(node).first() else {
        return report.node(Invariant::GammaShape, node, "a γ has a predicate");
    };
    let regions = graph.subregions(node);
    match pool.ctl_alternatives(graph.ty(graph.origin(predicate))) {
        None => report.node(Invariant::GammaShape, node, "input 0 of a γ is a predicate"),
        Some(alternatives) if alternatives as usize != regions.len() => {
            let message = format!("the predicate has {alternatives} alternatives, the γ {} regions", regions.len());
            report.node(Invariant::GammaShape, node, message);
        }
        Some(_) => {}
    }
    for &region in regions {
        let mut mismatch = |message| report.region(Invariant::GammaShape, region, message);
        let entry = signature(graph, graph.input_origins(node).skip(1));
        same_types(entry, region_types(graph, region), &mut mismatch, ("entry variable", "argument"), pool);
        let results = signature(graph, graph.result_origins(region));
        let outputs = signature(graph, graph.outputs(node).iter().copied());
        same_types(outputs, results, &mut mismatch, ("exit variable", "result"), pool);
    }
}

fn theta(graph: &Graph, node: Node, report: &mut Report<'_>) {
    let pool = graph.pool();
    let &[body] = graph.subregions(node) else {
        return report.node(Invariant::ThetaShape, node, "a θ has one region");
    };
    match graph.results(body).first() {
        None => report.region(Invariant::ThetaShape, body, "result 0 of a θ is its predicate"),
        Some(&predicate) => {
            if graph.ty(graph.origin(predicate)) != Type::CTL2 {
                report.region(Invariant::ThetaShape, body, "the predicate of a θ is a ctl(2)");
            }
        }
    }
    let inputs = || signature(graph, graph.input_origins(node));
    let mut mismatch = |message| report.node(Invariant::ThetaShape, node, message);
    same_types(inputs(), region_types(graph, body), &mut mismatch, ("input", "argument"), pool);
    let results = signature(graph, graph.result_origins(body).skip(1));
    same_types(inputs(), results, &mut mismatch, ("input", "repeated value"), pool);
    let outputs = signature(graph, graph.outputs(node).iter().copied());
    same_types(inputs(), outputs, &mut mismatch, ("input", "output"), pool);
}
