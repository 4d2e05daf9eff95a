//! Fields of structures that conditionals return: if all alternatives construct the structure, each field becomes a value of its own.

use rvsdg_analysis::invariant::follow_out;
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::fold::{self, parts};
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Const, Graph, Node, Op, Origin, OriginDef, Region};

use super::driver::Driver;
use crate::pass::PassCx;

/// How many nested conditionals are looked into.
const DEPTH: u32 = 4;

/// How many insertions are looked through.
const MAX_INSERTIONS: usize = 8;

/// Where the value of a field comes from.
enum Field {
    /// It is a value.
    Value(Origin),
    /// It is a constant.
    Constant(Const),
    /// From the structures that the alternatives of a conditional return.
    Chosen(Gamma, usize),
}

/// Replaces an `extractvalue` by the field, if the structure was constructed in every alternative of a conditional.
pub(super) fn split(driver: &mut Driver, graph: &mut Graph, node: Node, cx: &PassCx) -> bool {
    let Some(Op::ExtractValue(indices)) = graph.op(node) else { return false };
    let &[index] = graph.pool().indices(indices) else { return false };
    let whole = graph.input(node, 0);
    if !matches!(find(graph, whole, index), Some(Field::Chosen(..))) || !is_known(graph, whole, index, DEPTH) {
        return false;
    }
    if !driver.applies(cx, "gamma-fields", graph, node) {
        return false;
    }
    let Some(field) = take(graph, whole, index, graph.region_of(node)) else { return false };
    let value = graph.output(node, 0);
    driver.push_users(graph, value);
    graph.divert_users(value, field);
    driver.remove(graph, node);
    true
}

fn find(graph: &Graph, whole: Origin, index: u32) -> Option<Field> {
    let mut at = whole;
    for _ in 0..MAX_INSERTIONS {
        at = follow_out(graph, at).0;
        if let Some(constant) = fold::constant(graph, at) {
            return parts::part(graph.pool(), constant, index.into()).map(Field::Constant);
        }
        let OriginDef::Output(node, output) = graph.def(at) else { return None };
        if let Some(gamma) = Gamma::new(graph, node) {
            return Some(Field::Chosen(gamma, output as usize));
        }
        let Some(Op::InsertValue(indices)) = graph.op(node) else { return None };
        match *graph.pool().indices(indices) {
            [put] if put == index => return Some(Field::Value(graph.input(node, 1))),
            [put, ..] if put != index => at = graph.input(node, 0),
            _ => return None,
        }
    }
    None
}

/// Whether a field is known in every alternative. At most `DEPTH` calls deep.
fn is_known(graph: &Graph, whole: Origin, index: u32, depth: u32) -> bool {
    match find(graph, whole, index) {
        None => false,
        Some(Field::Value(_) | Field::Constant(_)) => true,
        Some(Field::Chosen(gamma, output)) => {
            let mut results = gamma.regions(graph).iter().map(|&region| graph.result(region, output));
            depth > 0 && results.all(|result| is_known(graph, result, index, depth - 1))
        }
    }
}

/// A known field, as a value in a region. The call depth is that of finding out that it is known.
fn take(graph: &mut Graph, whole: Origin, index: u32, region: Region) -> Option<Origin> {
    let value = match find(graph, whole, index)? {
        Field::Value(value) => value,
        Field::Constant(constant) => return Some(Insert::front(graph, region).constant(constant)),
        Field::Chosen(gamma, output) => {
            let regions = gamma.regions(graph).to_vec();
            let fields = regions.into_iter().map(|inner| {
                let result = graph.result(inner, output);
                take(graph, result, index, inner)
            });
            let fields = fields.collect::<Option<Vec<Origin>>>()?;
            gamma.add_exit_var(graph, &fields).output
        }
    };
    Some(Router::default().route(graph, value, region))
}
