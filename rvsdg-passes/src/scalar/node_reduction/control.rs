//! Rules for predicates, γ and θ.

use rvsdg_analysis::conditions::is_number;
use rvsdg_analysis::execution::{final_values, steady_values};
use rvsdg_analysis::leads;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::fold::{self, Int, arith};
use rvsdg_core::op::{CastOp, IntBinary, IntPredicate, MatchTable, MatchTableId};
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, OriginDef, Region, Type};

use super::advance;
use super::alike;
use super::chains;
use super::driver::Driver;
use super::implied;
use super::unneeded;
use super::unreachable;
use crate::pass::PassCx;

/// Of how many cases it is asked whether branches exclude them.
const MAX_CASES: usize = 16;

/// Reduces a `match`.
pub(super) fn predicate(driver: &mut Driver, graph: &mut Graph, node: Node, table: MatchTableId, cx: &PassCx) {
    let output = graph.output(node, 0);
    let operand = graph.input(node, 0);
    let data = graph.pool().table(table);
    let of = data.alternatives;
    if let Some(value) = fold::int(graph, operand) {
        if !driver.applies(cx, "match-constant", graph, node) {
            return;
        }
        let chosen = data.alternative(graph.pool(), value);
        let constant = Insert::before(graph, node).predicate(chosen, of);
        driver.push_users(graph, output);
        graph.divert_users(output, constant);
        driver.remove(graph, node);
        return;
    }
    if data.cases.iter().all(|&(_, chosen)| chosen == data.default) {
        if driver.applies(cx, "match-idle", graph, node) {
            rematch(
                driver,
                graph,
                node,
                operand,
                MatchTable { cases: Box::default(), default: data.default, alternatives: of },
            );
        }
        return;
    }
    if let Some(table) = decided(graph, node, operand, data) {
        if driver.applies(cx, "match-decided", graph, node) {
            rematch(driver, graph, node, operand, table);
        }
        return;
    }
    let Some(producer) = graph.producer(operand) else { return };
    match graph.op(producer) {
        // match (xor x, C) is match x with each case xor C.
        Some(Op::IntBinary { op: op @ (IntBinary::Xor | IntBinary::Add), .. }) => {
            let Some(by) = fold::int(graph, graph.input(producer, 1)) else { return };
            let cases = data.cases.iter().map(|&(value, chosen)| {
                let value = Int::of_const(graph.pool(), value)?;
                let value = if op == IntBinary::Xor {
                    value.xor(by)
                } else {
                    if seeded::is_active(Bug::RedMatchSum) { value.add(by) } else { value.sub(by) }
                };
                Some((value.to_const(graph.pool()), chosen))
            });
            let Some(cases) = cases.collect::<Option<Box<[(Const, u32)]>>>() else { return };
            let table = MatchTable { cases, default: data.default, alternatives: of };
            let from = graph.input(producer, 0);
            let name = if op == IntBinary::Xor { "match-xor" } else { "match-add" };
            if driver.applies(cx, name, graph, node) {
                rematch(driver, graph, node, from, table);
            }
        }
        // match (sext x) is match x, without the cases that x cannot have.
        Some(Op::Cast { op: op @ (CastOp::SExt | CastOp::ZExt), .. }) => {
            let from = graph.input(producer, 0);
            let Some(bits) = arith::width(graph.pool(), graph.ty(from)) else { return };
            let extended = |narrow: Int, wide: Int| match op {
                CastOp::SExt => narrow.sext(wide.bits()) == wide,
                _ => narrow.zext_or_trunc(wide.bits()) == wide,
            };
            let mut cases = Vec::with_capacity(data.cases.len());
            for &(value, chosen) in &data.cases {
                let Some(wide) = Int::of_const(graph.pool(), value) else { return };
                let narrow = wide.zext_or_trunc(bits);
                if extended(narrow, wide) || seeded::is_active(Bug::RedMatchExtended) {
                    cases.push((narrow.to_const(graph.pool()), chosen));
                }
            }
            let table = MatchTable { cases: cases.into(), default: data.default, alternatives: of };
            if driver.applies(cx, "match-extended", graph, node) {
                rematch(driver, graph, node, from, table);
            }
        }
        // match (select c, K1, K2) is match c, if the alternatives of K1 and K2 are known.
        Some(Op::Select(_)) => {
            let (condition, then, otherwise) =
                (graph.input(producer, 0), graph.input(producer, 1), graph.input(producer, 2));
            let (Some(then), Some(otherwise)) = (fold::int(graph, then), fold::int(graph, otherwise)) else { return };
            let (then, otherwise) = (data.alternative(graph.pool(), then), data.alternative(graph.pool(), otherwise));
            let cases = [(Int::bool(true).to_const(graph.pool()), then)].into();
            let table = MatchTable { cases, default: otherwise, alternatives: of };
            if driver.applies(cx, "match-select", graph, node) {
                rematch(driver, graph, node, condition, table);
            }
        }
        _ => {}
    }
}

/// The cases of a `match` of an integer without those that branches around it exclude, if they exclude any, or imply one.
fn decided(graph: &Graph, node: Node, operand: Origin, table: &MatchTable) -> Option<MatchTable> {
    // Conditions have rules of their own.
    if graph.ty(operand) == Type::I1 || table.cases.len() > MAX_CASES {
        return None;
    }
    let region = graph.region_of(node);
    let mut cases = Vec::with_capacity(table.cases.len());
    for &(value, chosen) in &table.cases {
        match is_number(graph, region, operand, Int::of_const(graph.pool(), value)?) {
            Some(true) => return Some(MatchTable { cases: Box::default(), default: chosen, ..table.clone() }),
            Some(false) => {}
            None => cases.push((value, chosen)),
        }
    }
    (cases.len() < table.cases.len()).then(|| MatchTable { cases: cases.into(), ..table.clone() })
}

/// Replaces a `match` by one of another operand.
fn rematch(driver: &mut Driver, graph: &mut Graph, node: Node, operand: Origin, table: MatchTable) {
    let output = graph.output(node, 0);
    let mut at = Insert::before(graph, node);
    let replacement = match table.cases.is_empty() {
        true => at.predicate(table.default, table.alternatives),
        false => at.choose(table, operand),
    };
    driver.push_users(graph, output);
    graph.producer(replacement).into_iter().for_each(|new| driver.push(new));
    graph.divert_users(output, replacement);
    driver.remove(graph, node);
}

/// Reduces a γ.
pub(super) fn gamma(driver: &mut Driver, graph: &mut Graph, node: Node, cx: &PassCx) {
    let Some(gamma) = Gamma::new(graph, node) else { return };
    let predicate = graph.origin(gamma.predicate(graph));
    let producer = graph.producer(predicate);
    if let Some(Op::CtlConst { value, .. }) = producer.and_then(|producer| graph.op(producer)) {
        if driver.applies(cx, "gamma-constant", graph, node) {
            let region = gamma.regions(graph)[value as usize];
            let origins: Vec<Origin> = graph.input_origins(node).skip(1).collect();
            inline(driver, graph, node, region, &origins, 0);
        }
        return;
    }
    if unreachable::prune(driver, graph, gamma, cx) {
        return;
    }
    if chains::constant_predicate(driver, graph, gamma, cx)
        || chains::flatten(driver, graph, gamma, cx)
        || alike::join(driver, graph, gamma, cx)
    {
        return;
    }
    constant_entries(driver, graph, gamma, cx);
    known_conditions(driver, graph, gamma, cx);
    implied::enter_gamma(driver, graph, gamma, cx);
    unneeded::forget(driver, graph, gamma, cx);
    advance::before_gamma(driver, graph, gamma, cx);
    for index in 0..graph.outputs(node).len() {
        let output = graph.output(node, index);
        // A state that bypasses the γ would have two users, so unchanged states stay.
        if !graph.has_users(output) || graph.ty(output).is_state() {
            continue;
        }
        if let Some(origin) = common_entry(graph, gamma, index) {
            if !driver.applies_to_variable(cx, "gamma-invariant", graph, node) {
                return;
            }
            driver.push_users(graph, output);
            graph.divert_users(output, origin);
        } else if let Some((rule, op)) = common_constant(graph, gamma, index) {
            if !driver.applies_to_variable(cx, rule, graph, node) {
                return;
            }
            let new = constant_in(graph, graph.region_of(node), op, graph.ty(output));
            driver.push_users(graph, output);
            graph.divert_users(output, new);
        }
    }
}

/// Makes a γ choose by another predicate. The old one goes if nothing else needs it.
pub(super) fn choose_by(driver: &mut Driver, graph: &mut Graph, gamma: Gamma, predicate: Origin) {
    let old = graph.origin(gamma.predicate(graph));
    graph.divert(gamma.predicate(graph), predicate);
    if let Some(decision) = graph.producer(old).filter(|_| !graph.has_users(old)) {
        graph.note_replaced(old, predicate);
        driver.remove(graph, decision);
    }
    graph.producer(predicate).into_iter().for_each(|new| driver.push(new));
    driver.push(gamma.node());
}

/// The outer origin that an exit variable has in every region where it is not poison. A constant that something is known to equal
/// wherever the region is chosen counts as that value.
fn common_entry(graph: &Graph, gamma: Gamma, index: usize) -> Option<Origin> {
    let mut common = None;
    for (position, &region) in gamma.regions(graph).iter().enumerate() {
        let result = graph.result(region, index);
        let origin = match (fold::constant(graph, result), graph.def(result)) {
            (Some(constant), _) if is_poison(graph, constant) => continue,
            (Some(constant), _) => {
                let (compared, value) = equal_in(graph, gamma, position as u32)?;
                (value == constant).then_some(compared)?
            }
            (None, OriginDef::Argument(_, argument)) => graph.input(gamma.node(), argument as usize + 1),
            (None, OriginDef::Output(..)) => return None,
        };
        if common.is_some_and(|common| common != origin) {
            return None;
        }
        common = Some(origin);
    }
    common
}

/// The value that equals a constant wherever an alternative is chosen, because the predicate tests it.
fn equal_in(graph: &Graph, gamma: Gamma, chosen: u32) -> Option<(Origin, Const)> {
    let node = graph.producer(graph.origin(gamma.predicate(graph)))?;
    let Some(Op::Match(table)) = graph.op(node) else { return None };
    let table = graph.pool().table(table);
    let on = graph.input(node, 0);
    if let Some(compare) = graph.producer(on)
        && let Some(Op::ICmp { predicate: predicate @ (IntPredicate::Eq | IntPredicate::Ne), .. }) = graph.op(compare)
    {
        let [same, other] = [true, false]
            .map(|same| table.alternative(graph.pool(), Int::bool(same == (predicate == IntPredicate::Eq))));
        let constant = fold::constant(graph, graph.input(compare, 1))?;
        return (same == chosen && other != chosen).then(|| (graph.input(compare, 0), constant));
    }
    let mut cases = table.cases.iter().filter(|&&(_, alternative)| alternative == chosen);
    let (Some(&(value, _)), None) = (cases.next(), cases.next()) else { return None };
    (table.default != chosen).then_some((on, value))
}

/// The constant or predicate that an exit variable is in every region where it is neither poison nor undef, with the name of the rule.
fn common_constant(graph: &Graph, gamma: Gamma, index: usize) -> Option<(&'static str, Op)> {
    // Poison may become undef, and undef any constant.
    let rank = |op| match op {
        Op::Const(constant) => match graph.pool().constant(constant) {
            Constant::Poison(_) => 0,
            Constant::Undef(_) if !seeded::is_active(Bug::RedUndefAsPoison) => 1,
            Constant::Undef(_) => 0,
            _ => 2,
        },
        _ => 2,
    };
    let mut common: Option<(&'static str, Op)> = None;
    for &region in gamma.regions(graph) {
        let origin = graph.result(region, index);
        let known = match graph.op(graph.producer(origin)?)? {
            op @ Op::CtlConst { .. } => ("gamma-same-predicate", op),
            _ => ("gamma-same-constant", Op::Const(fold::constant(graph, origin)?)),
        };
        match common {
            Some(other) if other == known || rank(known.1) < rank(other.1) => {}
            Some(other) if rank(known.1) == rank(other.1) => return None,
            _ => common = Some(known),
        }
    }
    common
}

fn is_poison(graph: &Graph, constant: Const) -> bool {
    matches!(graph.pool().constant(constant), Constant::Poison(_))
}

/// Propagates constants that enter a γ into its regions.
fn constant_entries(driver: &mut Driver, graph: &mut Graph, gamma: Gamma, cx: &PassCx) {
    for index in 1..graph.inputs(gamma.node()).len() {
        let input = graph.input(gamma.node(), index);
        let predicate = graph.producer(input).and_then(|node| graph.op(node));
        let op = match predicate.filter(|op| matches!(op, Op::CtlConst { .. })) {
            Some(predicate) => predicate,
            None => {
                let Some(constant) = fold::constant(graph, input) else { continue };
                Op::Const(constant)
            }
        };
        for alternative in 0..gamma.regions(graph).len() {
            let region = gamma.regions(graph)[alternative];
            let argument = graph.arguments(region)[index - 1];
            substitute(driver, graph, region, argument, op, cx, "gamma-constant-entry");
        }
    }
}

/// In a region that one value of the condition chooses, the condition is that value.
fn known_conditions(driver: &mut Driver, graph: &mut Graph, gamma: Gamma, cx: &PassCx) {
    let Some(producer) = graph.producer(graph.origin(gamma.predicate(graph))) else { return };
    let Some(Op::Match(table)) = graph.op(producer) else { return };
    let condition = graph.input(producer, 0);
    let pool = graph.pool().clone();
    let table = pool.table(table);
    let is_bool = graph.ty(condition) == Type::I1;
    for index in 1..graph.inputs(gamma.node()).len() {
        if graph.input(gamma.node(), index) != condition {
            continue;
        }
        for alternative in 0..gamma.regions(graph).len() {
            let mut values: Vec<Const> = table
                .cases
                .iter()
                .filter(|&&(_, chosen)| chosen as usize == alternative)
                .map(|&(value, _)| value)
                .collect();
            if table.default as usize == alternative {
                // The default stands for all other values; if there are two in all, one is left.
                match (is_bool, table.cases.as_ref()) {
                    (true, &[(value, _)]) => {
                        let Some(value) = Int::of_const(graph.pool(), value) else { continue };
                        values.push(value.not().to_const(graph.pool()));
                    }
                    (true, [_, _]) => {}
                    (false, &[(value, _)]) if seeded::is_active(Bug::RedKnownCondition) => {
                        let Some(value) = Int::of_const(graph.pool(), value) else { continue };
                        values.push(value.xor(value).to_const(graph.pool()));
                    }
                    _ => continue,
                }
            }
            let &[value] = values.as_slice() else { continue };
            let region = gamma.regions(graph)[alternative];
            let argument = graph.arguments(region)[index - 1];
            substitute(driver, graph, region, argument, Op::Const(value), cx, "gamma-known-condition");
        }
    }
}

/// Replaces a region's argument by a constant, or by a constant predicate.
fn substitute(
    driver: &mut Driver,
    graph: &mut Graph,
    region: Region,
    argument: Origin,
    constant: Op,
    cx: &PassCx,
    name: &'static str,
) {
    let node = graph.parent(region).expect("a region of a γ or θ");
    if !graph.has_users(argument) || !driver.applies_to_variable(cx, name, graph, node) {
        return;
    }
    let new = constant_in(graph, region, constant, graph.ty(argument));
    driver.push_users(graph, argument);
    graph.divert_users(argument, new);
}

/// Reduces a θ.
pub(super) fn theta(driver: &mut Driver, graph: &mut Graph, node: Node, cx: &PassCx) {
    let Some(theta) = Theta::new(graph, node) else { return };
    let predicate = graph.origin(theta.predicate(graph));
    let producer = graph.producer(predicate);
    if let Some(Op::CtlConst { value: 0, .. }) = producer.and_then(|producer| graph.op(producer)) {
        if driver.applies(cx, "theta-once", graph, node) {
            let origins: Vec<Origin> = graph.input_origins(node).collect();
            let body = theta.body(graph);
            inline(driver, graph, node, body, &origins, 1);
        }
        return;
    }
    implied::enter_theta(driver, graph, theta, cx);
    for index in 0..graph.inputs(node).len() {
        let variable = theta.loop_var(graph, index);
        if graph.origin(variable.post) != variable.pre {
            let first = fold::constant(graph, graph.origin(variable.input));
            if let Some(constant) = first.filter(|_| graph.has_users(variable.pre))
                && leads::repeated_constant(graph, theta, variable).is_some_and(|next| next == constant)
            {
                substitute(driver, graph, theta.body(graph), variable.pre, Op::Const(constant), cx, "theta-constant");
            }
            constant_at_end(driver, graph, theta, variable, cx);
            continue;
        }
        let origin = graph.origin(variable.input);
        let ty = graph.ty(origin);
        if graph.has_users(variable.output)
            && !ty.is_state()
            && driver.applies_to_variable(cx, "theta-invariant", graph, node)
        {
            driver.push_users(graph, variable.output);
            graph.divert_users(variable.output, origin);
        }
        if let Some(constant) = fold::constant(graph, origin) {
            let uses = graph.users_of(variable.pre).filter(|&user| user != variable.post).count();
            if uses > 0 {
                let body = theta.body(graph);
                let post = variable.post;
                substitute(driver, graph, body, variable.pre, Op::Const(constant), cx, "theta-constant");
                graph.divert(post, variable.pre);
            }
        }
    }
    steady(driver, graph, theta, cx);
    executed(driver, graph, theta, cx);
}

/// Replaces loop variables that are the same constant in all iterations.
fn steady(driver: &mut Driver, graph: &mut Graph, theta: Theta, cx: &PassCx) {
    for (variable, op) in steady_values(graph, theta) {
        if driver.applies_to_variable(cx, "theta-steady", graph, theta.node()) {
            for (value, region) in [(variable.pre, theta.body(graph)), (variable.output, graph.region_of(theta.node()))]
            {
                let constant = constant_in(graph, region, op, graph.ty(value));
                driver.push_users(graph, value);
                graph.divert_users(value, constant);
            }
        }
    }
}

/// Replaces the outputs of a loop whose values are known once it is executed at compile time.
fn executed(driver: &mut Driver, graph: &mut Graph, theta: Theta, cx: &PassCx) {
    for (variable, op) in final_values(graph, theta, |variable| graph.has_users(variable.output)) {
        if driver.applies_to_variable(cx, "theta-executed", graph, theta.node()) {
            let constant = constant_in(graph, graph.region_of(theta.node()), op, graph.ty(variable.output));
            driver.push_users(graph, variable.output);
            graph.divert_users(variable.output, constant);
        }
    }
}

/// Replaces a loop's output whose value is always the same constant or predicate.
fn constant_at_end(driver: &mut Driver, graph: &mut Graph, theta: Theta, variable: LoopVar, cx: &PassCx) {
    let post = graph.origin(variable.post);
    let Some(op) = graph.producer(post).and_then(|node| graph.op(node)) else { return };
    let is_known = matches!(op, Op::CtlConst { .. }) || fold::constant(graph, post).is_some();
    if is_known
        && graph.has_users(variable.output)
        && driver.applies_to_variable(cx, "theta-constant-end", graph, theta.node())
    {
        let constant = constant_in(graph, graph.region_of(theta.node()), op, graph.ty(post));
        driver.push_users(graph, variable.output);
        graph.divert_users(variable.output, constant);
    }
}

/// A constant or predicate at the start of a region.
fn constant_in(graph: &mut Graph, region: Region, op: Op, ty: Type) -> Origin {
    let mut at = Insert::front(graph, region);
    match op {
        Op::Const(constant) => at.constant(constant),
        op => {
            let new = at.node(op, &[], &[ty]);
            graph.output(new, 0)
        }
    }
}

/// Replaces a structural node by the nodes of one of its regions. The first `skip` results are not outputs.
pub(super) fn inline(
    driver: &mut Driver,
    graph: &mut Graph,
    node: Node,
    region: Region,
    origins: &[Origin],
    skip: usize,
) {
    for index in 0..graph.outputs(node).len() {
        driver.push_users(graph, graph.output(node, index));
    }
    for (index, &origin) in origins.iter().enumerate() {
        let argument = graph.arguments(region)[index];
        driver.push_users(graph, argument);
        graph.divert_users(argument, origin);
    }
    let inner: Vec<Node> = graph.nodes(region).collect();
    for &inner in &inner {
        graph.move_before(inner, node);
        driver.push(inner);
    }
    for index in 0..graph.outputs(node).len() {
        let (output, result) = (graph.output(node, index), graph.result(region, index + skip));
        graph.divert_users(output, result);
    }
    // Results of the region now have outer origins; they are removed with the node.
    graph.retain_results(region, |_| false);
    driver.remove(graph, node);
}
