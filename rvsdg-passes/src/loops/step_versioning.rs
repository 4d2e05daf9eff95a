//! Step versioning: a copy of a loop for the case that a step that is unknown at compile time is one.
//!
//! ```text
//! v2: i64, v3: i64, mem1 = theta (v4: i64 = v0, v5: i64 = v1, mem2 = mem0) {
//!   …
//!   v6: i64 = add nsw v4, v5
//!   …
//!   next v6, v5, mem3 while v7
//! }
//! ```
//!
//! becomes
//!
//! ```text
//! v8: i1 = icmp eq v1, 1
//! v9: ctl(2) = match i1 v8 [true -> 1, _ -> 0]
//! v2: i64, v3: i64, mem1 = gamma v9 (…) {
//!   [0] … the loop as it was
//!   [1] mem1, … = theta (v4: i64 = v0, …) {
//!         …
//!         v10 = const i64 1
//!         v6: i64 = add nsw v4, v10
//!         …
//!       }
//! }
//! ```
//!
//! in which the trip count is known before the loop, and so are the elements that each iteration accesses. Loops over rows, columns or
//! colour channels usually have a step of one, although it is a parameter.
//!
//! Candidates are innermost loops of at most [`MAX_SIZE`] operations that access memory, and in them invariant integers that are
//! added to a variable in each iteration, or multiplied with one for an index. With several such steps, the versions of each are inside
//! the version in which those before it are one. What is never one by its bounds, such as a counter of an outer loop that starts at two,
//! is no such step. A step that may be undef or poison is frozen: the original loop need not branch on it.
//!
//! Statistics: `versioned` loops; `copied` operations.
//!
//! Running it again changes nothing: a loop with a step that is known not to be one stays.
//!
//! Cost: linear in the size of innermost loops.
//!
//! Left out: steps that are loaded in the loop; steps of outer loops.
//!
//! LLVM's symbolic strides in loop-vectorize.

use rvsdg_analysis::conditions::is_number;
use rvsdg_analysis::copying::{may_copy, size_within};
use rvsdg_analysis::integers::bounds;
use rvsdg_analysis::invariant::known_constant;
use rvsdg_analysis::loop_nest::LoopNests;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_analysis::undef::is_noundef;
use rvsdg_core::build::Insert;
use rvsdg_core::fold::{Int, arith};
use rvsdg_core::graph::{Duplicator, WalkItem};
use rvsdg_core::op::{IntBinary, IntPredicate};
use rvsdg_core::structural::{LoopVar, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Use};

use crate::loops::copies;
use crate::loops::unroll::worth::is_small;
use crate::pass::{BodyPass, Change, PassCx, Stage};

/// The maximum number of operations of a loop that is copied.
pub const MAX_SIZE: usize = 64;
/// The maximum number of versions of a loop, not counting the original.
const MAX_VERSIONS: u32 = 2;
/// The maximum depth of operations between a product and the address computed from it.
const DEPTH: u32 = 3;

/// The stage of [step versioning](self).
pub struct StepVersions;

impl BodyPass for StepVersions {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut change = Change::Unchanged;
        // Threads in groups are the lanes of vectors: their loops do not become vectors.
        let has_groups = cx.surroundings().is_some_and(|surroundings| surroundings.machine().is_some());
        if has_groups || is_small(graph, cx) {
            return change;
        }
        let nests = LoopNests::of(graph);
        let mut duplicator = Duplicator::new();
        for theta in nests.loops().filter(|&theta| nests.is_innermost(theta)) {
            let size = size_within(graph, theta.node(), MAX_SIZE);
            if size > MAX_SIZE
                || !accesses_memory(graph, theta)
                || !may_copy(graph, cx.surroundings(), theta.node()) && !seeded::is_active(Bug::SvrConvergent)
            {
                continue;
            }
            for _ in 0..MAX_VERSIONS {
                let Some(step) = unknown_step(graph, theta) else { break };
                if !cx.rewrite("versioned", graph, theta.node()) {
                    break;
                }
                version(graph, theta, step, &mut duplicator, cx);
                cx.count("versioned", 1);
                cx.count("copied", size as u64);
                change = Change::Changed;
            }
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

fn accesses_memory(graph: &Graph, theta: Theta) -> bool {
    let is_access =
        |item| matches!(item, WalkItem::Node(node) if matches!(graph.op(node), Some(Op::Load(_) | Op::Store(_))));
    graph.walk_region(theta.body(graph)).any(is_access)
}

/// The first invariant variable of a loop that is a step and may be one. `None` if one of the steps is known not to be one: such loops
/// are what versioning leaves.
fn unknown_step(graph: &Graph, theta: Theta) -> Option<LoopVar> {
    let body = theta.body(graph);
    let mut first = None;
    for node in graph.nodes(body) {
        let Some(Op::IntBinary { op, .. }) = graph.op(node) else { continue };
        let [a, b] = [0, 1].map(|index| graph.input(node, index));
        let steps = match op {
            IntBinary::Add => [(a, b), (b, a)].into_iter().find(|&(moved, _)| is_moved(graph, theta, moved, node)),
            IntBinary::Sub => Some((a, b)).filter(|_| is_moved(graph, theta, a, node)),
            IntBinary::Mul => [(a, b), (b, a)]
                .into_iter()
                .find(|&(moved, by)| unchanged(graph, theta, moved).is_none() && unchanged(graph, theta, by).is_some())
                .filter(|_| is_for_address(graph, graph.output(node, 0), DEPTH)),
            _ => None,
        };
        let Some(variable) = steps.and_then(|(_, by)| unchanged(graph, theta, by)) else { continue };
        let start = graph.origin(variable.input);
        let width = arith::width(graph.pool(), graph.ty(start)).filter(|&bits| (2..=64).contains(&bits));
        let Some(bits) = width.filter(|_| known_constant(graph, start).is_none()) else { continue };
        match is_number(graph, graph.region_of(theta.node()), start, Int::new(bits, 1)) {
            Some(false) => return None,
            Some(true) => {}
            None if is_out_of_bounds(graph, start, 1) => {}
            None => first = first.or(Some(variable)),
        }
    }
    first
}

/// Whether an integer is never a number because all that it can be is less, or greater.
fn is_out_of_bounds(graph: &Graph, value: Origin, number: u128) -> bool {
    bounds::of(graph, value).is_some_and(|bounds| number < bounds.least || bounds.greatest < number)
}

/// Whether an operation computes the next value of a variable from its current one.
fn is_moved(graph: &Graph, theta: Theta, moved: Origin, node: Node) -> bool {
    let variable = Theta::loop_var_of_argument(graph, moved).filter(|(of, _)| *of == theta);
    variable.is_some_and(|(_, variable)| graph.origin(variable.post) == graph.output(node, 0))
}

/// The invariant variable that a value of a loop's body is, possibly in another width.
fn unchanged(graph: &Graph, theta: Theta, mut origin: Origin) -> Option<LoopVar> {
    if let OriginDef::Output(node, _) = graph.def(origin)
        && let Some(Op::Cast { .. }) = graph.op(node)
    {
        origin = graph.input(node, 0);
    }
    let (of, variable) = Theta::loop_var_of_argument(graph, origin)?;
    (of == theta && variable.is_invariant(graph)).then_some(variable)
}

/// Whether an index of an address is computed from a value. At most `DEPTH` calls deep.
fn is_for_address(graph: &Graph, value: Origin, depth: u32) -> bool {
    graph.users_of(value).any(|user| {
        let Use::Input(node, _) = graph.site(user) else { return false };
        match graph.op(node) {
            Some(Op::Gep { .. }) => true,
            Some(Op::IntBinary { op: IntBinary::Add | IntBinary::Sub, .. } | Op::Cast { .. }) if depth > 0 => {
                is_for_address(graph, graph.output(node, 0), depth - 1)
            }
            _ => false,
        }
    })
}

/// Moves a loop into a conditional that executes it if an invariant variable is one, and a copy otherwise.
fn version(graph: &mut Graph, theta: Theta, step: LoopVar, duplicator: &mut Duplicator, cx: &PassCx) {
    let mut start = graph.origin(step.input);
    if !is_noundef(graph, cx.surroundings(), start) && !seeded::is_active(Bug::SvrFreeze) {
        start = Insert::before(graph, theta.node()).freeze(start);
        graph.divert(step.input, start);
    }
    let ty = graph.ty(start);
    let mut at = Insert::before(graph, theta.node());
    let one = at.int(ty, 1);
    let predicate = if seeded::is_active(Bug::SvrSense) { IntPredicate::Ne } else { IntPredicate::Eq };
    let is_one = at.compare(predicate, start, one);
    copies::choose(graph, theta, is_one, duplicator);
    let body = theta.body(graph);
    let one = Insert::front(graph, body).int(ty, 1);
    graph.divert_users(step.pre, one);
    // The variable's output is its input.
    graph.divert(step.post, step.pre);
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(StepVersions))]
}
