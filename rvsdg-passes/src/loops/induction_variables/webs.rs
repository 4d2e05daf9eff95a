//! Widening of variables that are incremented only in some iterations, or in inner loops: the index written to in a loop that filters,
//! the indices read from in one that merges.
//!
//! A web is the set of values that are one variable in the source: loop variables, results of conditionals and selects, non-wrapping
//! sums, and initial values from before the outermost loop. It is widened as a whole or not at all. A sum that violates its `nsw` or
//! `nuw` is poison, and so is everything in the web that depends on it.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::invariant::{follow_out, known_constant};
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::op::{BinaryFlags, CastOp, IntBinary};
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, OriginDef, Region, Type};

use super::widen::{convert, extension, truncate};
use crate::pass::PassCx;

/// How many values a web may have.
const MAX_VALUES: usize = 64;

/// How many enclosing loops of a conversion a web may span.
const MAX_LOOPS: usize = 4;

/// The wide values that exist already, by narrow value.
pub(super) type Known = FxHashMap<Origin, (Origin, bool)>;

/// Widens the webs of the remaining conversions. Returns how many conversions were removed, and how many loop variables became wide.
pub(super) fn widen(graph: &mut Graph, known: &mut Known, cx: &PassCx) -> (u64, u64) {
    let (mut widened, mut variables) = (0, 0);
    let conversions: Vec<Node> = graph.all_nodes().filter(|&node| extension(graph, node) == Some(true)).collect();
    let mut by_value: FxHashMap<Origin, Vec<Node>> = FxHashMap::default();
    for &node in &conversions {
        by_value.entry(follow_out(graph, graph.input(node, 0)).0).or_default().push(node);
    }
    for node in conversions {
        if !graph.is_live(node) {
            continue;
        }
        let value = follow_out(graph, graph.input(node, 0)).0;
        let roots = loops_around(graph, graph.scope(value));
        let Some(web) = roots.into_iter().rev().find_map(|root| Web::of(graph, known, root, value)) else { continue };
        if !cx.rewrite("widened", graph, node) {
            continue;
        }
        variables += web.variables.len() as u64;
        let outputs = web.variables.iter().map(|(_, variable)| &variable.output);
        let converted: Vec<Node> =
            web.values.iter().chain(outputs).filter_map(|value| by_value.remove(value)).flatten().collect();
        widened += converted.len() as u64;
        Widening { known, wide: FxHashMap::default(), router: Router::default() }.build(graph, &web, &converted);
    }
    (widened, variables)
}

/// The loops that contain a region, the innermost first.
fn loops_around(graph: &Graph, region: Region) -> Vec<Theta> {
    let parents = std::iter::successors(graph.parent(region), |&node| graph.parent(graph.region_of(node)));
    parents.filter_map(|node| Theta::new(graph, node)).take(MAX_LOOPS).collect()
}

/// Whether a region is another one or inside it.
fn is_within(graph: &Graph, region: Region, outer: Region) -> bool {
    std::iter::successors(Some(region), |&region| graph.parent_region(region)).any(|region| region == outer)
}

/// Whether a variable is an induction variable of a loop: those have been widened if possible, and trip counts depend on them.
fn counts(graph: &Graph, variable: LoopVar) -> bool {
    let next = graph.producer(graph.origin(variable.post));
    next.is_some_and(|next| {
        matches!(graph.op(next), Some(Op::IntBinary { .. }))
            && graph.input_origins(next).any(|input| input == variable.pre)
    })
}

/// A web of narrow values.
struct Web {
    root: Theta,
    /// In the order in which they were found.
    values: Vec<Origin>,
    /// The loop variables among them.
    variables: Vec<(Theta, LoopVar)>,
}

/// The definition of a narrow value in a web.
enum Made {
    Variable(Theta, LoopVar),
    /// The final value of a loop variable.
    Left(LoopVar),
    Gamma(Gamma, usize),
    Select(Node),
    Sum(Node, IntBinary),
}

impl Made {
    fn of(graph: &Graph, value: Origin) -> Option<Made> {
        let node = match graph.def(value) {
            OriginDef::Argument(..) => {
                let (theta, variable) = Theta::loop_var_of_argument(graph, value)?;
                return (!counts(graph, variable)).then_some(Made::Variable(theta, variable));
            }
            OriginDef::Output(node, _) => node,
        };
        match graph.kind(node) {
            NodeKind::Gamma => {
                let index = graph.outputs(node).iter().position(|&output| output == value)?;
                Some(Made::Gamma(Gamma::new(graph, node)?, index))
            }
            NodeKind::Theta => {
                let (_, variable) = Theta::loop_var_of_output(graph, value)?;
                let changes = graph.origin(variable.post) != variable.pre && !counts(graph, variable);
                changes.then_some(Made::Left(variable))
            }
            NodeKind::Simple(Op::Select(_)) => {
                (graph.ty(graph.input(node, 0)) == Type::I1).then_some(Made::Select(node))
            }
            NodeKind::Simple(Op::IntBinary { op: op @ (IntBinary::Add | IntBinary::Sub), flags }) => {
                let promises = flags.contains(BinaryFlags::NSW) || seeded::is_active(Bug::IvsWebWraps);
                promises.then_some(Made::Sum(node, op))
            }
            _ => None,
        }
    }

    /// The narrow values from which it is computed.
    fn parts(&self, graph: &Graph) -> Vec<Origin> {
        match *self {
            Made::Variable(_, variable) => vec![graph.origin(variable.input), graph.origin(variable.post)],
            Made::Left(variable) => vec![variable.pre, graph.origin(variable.post)],
            Made::Gamma(gamma, index) => {
                gamma.regions(graph).iter().map(|&region| graph.result(region, index)).collect()
            }
            Made::Select(node) => vec![graph.input(node, 1), graph.input(node, 2)],
            Made::Sum(node, _) => vec![graph.input(node, 0), graph.input(node, 1)],
        }
    }
}

impl Web {
    /// The web of a value inside a loop. It has a variable that changes.
    fn of(graph: &Graph, known: &Known, root: Theta, value: Origin) -> Option<Web> {
        let body = root.body(graph);
        let mut web = Web { root, values: vec![], variables: vec![] };
        let mut found: FxHashSet<Origin> = FxHashSet::default();
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            let value = follow_out(graph, value).0;
            if !is_member(graph, known, body, value) || !found.insert(value) {
                continue;
            }
            if web.values.len() == MAX_VALUES {
                return None;
            }
            web.values.push(value);
            let made = Made::of(graph, value)?;
            if let Made::Variable(theta, variable) = made {
                web.variables.push((theta, variable));
            }
            pending.extend(made.parts(graph));
        }
        (!web.variables.is_empty()).then_some(web)
    }
}

/// Whether a value, traced outwards, belongs to a web: it is not a constant, does not come from outside the root, and is not wide
/// already.
fn is_member(graph: &Graph, known: &Known, body: Region, value: Origin) -> bool {
    is_within(graph, graph.scope(value), body)
        && known_constant(graph, value).is_none()
        && !known.get(&value).is_some_and(|&(_, signed)| signed)
}

/// A web that is being widened.
struct Widening<'k> {
    known: &'k mut Known,
    /// Wide values, by narrow value, traced outwards.
    wide: FxHashMap<Origin, Origin>,
    router: Router,
}

impl Widening<'_> {
    /// Widens a web: its wide values replace the conversions, and its narrow values become their low bits.
    fn build(mut self, graph: &mut Graph, web: &Web, conversions: &[Node]) {
        let mut variables = Vec::new();
        for &(theta, narrow) in &web.variables {
            // The initial value may belong to the web too.
            let start = Insert::before(graph, theta.node()).int(Type::I64, 0);
            let wide = self.router.carry(graph, theta, start);
            self.wide.insert(narrow.pre, wide.pre);
            self.wide.insert(narrow.output, wide.output);
            variables.push((theta, narrow, wide));
        }
        for (theta, narrow, wide) in variables {
            let (start, next) = (graph.origin(narrow.input), graph.origin(narrow.post));
            let start = self.value(graph, web, start, graph.region_of(theta.node()));
            graph.divert(wide.input, start);
            let next = self.value(graph, web, next, theta.body(graph));
            graph.divert(wide.post, next);
        }
        for &node in conversions {
            let (narrow, output) = (graph.input(node, 0), graph.output(node, 0));
            let value = self.value(graph, web, narrow, graph.region_of(node));
            graph.divert_users(output, value);
            graph.remove(node);
        }
        let outputs = web.variables.iter().map(|(_, variable)| &variable.output);
        for &narrow in web.values.iter().chain(outputs) {
            let Some(&wide) = self.wide.get(&narrow).filter(|_| graph.has_users(narrow)) else { continue };
            // A debugger reads only the bits that the variable has.
            graph.note_same(narrow, wide);
            let (ty, region, after) = (graph.ty(narrow), graph.scope(wide), graph.producer(wide));
            let low = truncate(graph, wide, true, ty, region, after);
            graph.divert_users(narrow, low);
            self.known.insert(low, (wide, true));
        }
    }

    /// The wide value of a narrow one, in a region; calls itself through [`Widening::made`] at most once for each value of the web.
    fn value(&mut self, graph: &mut Graph, web: &Web, narrow: Origin, region: Region) -> Origin {
        if let Some(constant) = known_constant(graph, narrow) {
            let mut at = Insert::front(graph, region);
            let narrow = at.constant(constant);
            return at.cast(CastOp::SExt, narrow, Type::I64);
        }
        let home = follow_out(graph, narrow).0;
        let wide = match (self.known.get(&home), self.wide.get(&home)) {
            (Some(&(wide, true)), _) | (_, Some(&wide)) => wide,
            _ => {
                let wide = if is_within(graph, graph.scope(home), web.root.body(graph)) {
                    self.made(graph, web, home)
                } else {
                    let before = web.root.node();
                    let narrow = self.router.route(graph, home, graph.region_of(before));
                    convert(graph, narrow, true, before)
                };
                self.wide.insert(home, wide);
                wide
            }
        };
        self.router.route(graph, wide, region)
    }

    /// Widens the definition of a narrow value of the web.
    fn made(&mut self, graph: &mut Graph, web: &Web, narrow: Origin) -> Origin {
        let made = Made::of(graph, narrow).expect("the web's values are made of what can be wide");
        let parts = made.parts(graph);
        match made {
            Made::Variable(..) | Made::Left(_) => unreachable!("loop variables are wide first"),
            Made::Gamma(gamma, _) => {
                let mut results = Vec::with_capacity(parts.len());
                for (position, part) in parts.into_iter().enumerate() {
                    let region = gamma.regions(graph)[position];
                    results.push(self.value(graph, web, part, region));
                }
                gamma.add_exit_var(graph, &results).output
            }
            Made::Select(node) => {
                let [then, otherwise] =
                    [parts[0], parts[1]].map(|part| self.value(graph, web, part, graph.region_of(node)));
                let condition = graph.input(node, 0);
                let op = graph.op(node).expect("a choice is an operation");
                Insert::before(graph, node).add(op, &[condition, then, otherwise], Type::I64)
            }
            Made::Sum(node, op) => {
                let [a, b] = [parts[0], parts[1]].map(|part| self.value(graph, web, part, graph.region_of(node)));
                Insert::before(graph, node).binary_with(op, BinaryFlags::NSW, a, b)
            }
        }
    }
}
