//! Loop peeling: executes the first iterations of a loop before it, if variables on which its decisions depend become constant
//! after them.
//!
//! ```text
//! v2: i1, v3: i32 = theta (v4: i1 = v0, v5: i32 = v1) {
//!   v6: ctl(2) = match i1 v4 [true -> 1, _ -> 0]
//!   v7: i32 = gamma v6 (v5)
//!   …
//!   v8 = const i1 false
//!   v9: ctl(2) = match i32 v7 [0 -> 0, _ -> 1]
//!   next v8, v7 while v9
//! }
//! ```
//!
//! becomes, if v0 is not false,
//!
//! ```text
//! v6: ctl(2) = match i1 v0 [true -> 1, _ -> 0]
//! v7: i32 = gamma v6 (v1)
//! …
//! v9: ctl(2) = match i32 v7 [0 -> 0, _ -> 1]
//! v2: i1, v3: i32 = gamma v9 (v8, v7)
//! case 0 … the values
//! case 1 … the loop
//! ```
//!
//! so that [node reduction](crate::scalar::node_reduction) knows the decisions in the loop. In Rust, iterators that skip elements
//! before the first one, or step by more than one, are such loops; so is code that treats the first element specially.
//!
//! A variable settles if after an iteration it is a constant, another variable that settles, or an operation on such values. As many
//! iterations are peeled as the slowest decision needs to become known, at most [`MAX_ITERATIONS`], if the copies have at most
//! [`MAX_COPIED`] operations together. The order of execution stays the same. Operations that must not be duplicated are not
//! copied.
//!
//! Statistics: `peeled` loops; `copied` operations; `too_large` loops left because of the bound.
//!
//! Running it again changes nothing once node reduction has propagated the constants into the loops.
//!
//! Cost: linear in the size of innermost loops.
//!
//! Left out: loops that contain loops; comparisons of counters that are known after some iterations; peeling the last iterations.
//!
//! LLVM's loop-peel.

use rvsdg_analysis::conditions::REPEAT;
use rvsdg_analysis::copying::{may_copy, size_within};
use rvsdg_analysis::invariant::known_constant;
use rvsdg_analysis::order::loops_bottom_up;
use rvsdg_analysis::safety::is_speculatable;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::graph::{Duplicator, WalkItem};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, OriginDef, Region};

use crate::loops::copies;
use crate::loops::unroll::worth::is_small;
use crate::pass::{BodyPass, Change, PassCx, Stage};

/// The maximum number of peeled iterations.
pub const MAX_ITERATIONS: u32 = 3;

/// How many operations the copies may have. LLVM's bound is 300 for them and the loop, in its unit.
pub const MAX_COPIED: usize = 100;

/// The maximum depth of the operations by which a value is computed from variables that settle.
const DEPTH: u32 = 6;

/// The stage of [loop peeling](self).
pub struct Peel;

impl BodyPass for Peel {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut duplicator = Duplicator::new();
        let mut change = Change::Unchanged;
        if is_small(graph, cx) {
            return change;
        }
        for theta in loops_bottom_up(graph) {
            let (node, iterations) = (theta.node(), iterations(graph, theta));
            if iterations == 0 {
                continue;
            }
            let size = size_within(graph, node, MAX_COPIED) * iterations as usize;
            if size > MAX_COPIED {
                cx.count("too_large", 1);
                continue;
            }
            if !may_copy(graph, cx.surroundings(), node) && !seeded::is_active(Bug::LpeConvergent)
                || !cx.rewrite("peeled", graph, node)
            {
                continue;
            }
            for _ in 0..iterations {
                peel(graph, theta, &mut duplicator);
            }
            cx.count("peeled", 1);
            cx.count("copied", size as u64);
            change = Change::Changed;
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// How many iterations must be peeled until no further decision becomes known in the following ones; none for a loop that contains
/// others.
fn iterations(graph: &Graph, theta: Theta) -> u32 {
    let body = theta.body(graph);
    let mut most = 0;
    for item in graph.walk_region(body) {
        let WalkItem::Node(node) = item else { continue };
        let decides = match graph.kind(node) {
            NodeKind::Theta | NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => return 0,
            NodeKind::Simple(Op::Match(_) | Op::Select(_)) => true,
            NodeKind::Simple(_) | NodeKind::Gamma => false,
        };
        if decides
            && let Some(settled) = settled_after(graph, theta, body, graph.input(node, 0), DEPTH)
            && settled <= MAX_ITERATIONS
        {
            most = most.max(settled);
        }
    }
    most
}

/// The number of iterations after which a value of a loop is a constant, the same in all that follow. At most `DEPTH` calls deep.
fn settled_after(graph: &Graph, theta: Theta, body: Region, origin: Origin, depth: u32) -> Option<u32> {
    if known_constant(graph, origin).is_some() {
        return Some(0);
    }
    let depth = depth.checked_sub(1)?;
    match graph.def(origin) {
        OriginDef::Argument(region, index) if region == body => {
            let post = graph.origin(theta.loop_var(graph, index as usize).post);
            Some(settled_after(graph, theta, body, post, depth)? + 1)
        }
        OriginDef::Argument(region, index) => {
            let outside = graph.input(graph.parent(region)?, index as usize + 1);
            settled_after(graph, theta, body, outside, depth)
        }
        OriginDef::Output(node, _) => {
            if !is_speculatable(graph, node) {
                return None;
            }
            let mut most = 0;
            for input in graph.input_origins(node) {
                most = most.max(settled_after(graph, theta, body, input, depth)?);
            }
            Some(most)
        }
    }
}

/// Executes the first iteration of a loop before it, and the loop only if that iteration repeats it.
pub(crate) fn peel(graph: &mut Graph, theta: Theta, duplicator: &mut Duplicator) {
    let outside = graph.region_of(theta.node());
    let nodes: Vec<Node> = graph.topological(theta.body(graph));
    let starts: Vec<Origin> = graph.input_origins(theta.node()).collect();
    let (placed, values) = copies::copy(graph, theta, &nodes, &starts, outside, duplicator);
    for node in placed {
        graph.move_before(node, theta.node());
    }
    let predicate = duplicator.get(graph.origin(theta.predicate(graph)));
    let guard: Gamma = Insert::before(graph, theta.node()).gamma(predicate, 2);
    for (&start, &value) in starts.iter().zip(&values) {
        let entry = if seeded::is_active(Bug::LpeStart) && !graph.ty(value).is_state() { start } else { value };
        guard.add_entry_var(graph, entry);
    }
    let repeat = if seeded::is_active(Bug::LpeSense) { 1 - REPEAT } else { REPEAT };
    let [leaves, repeats] = [1 - repeat, repeat].map(|alternative| guard.regions(graph)[alternative as usize]);
    let users: Vec<Vec<_>> =
        graph.outputs(theta.node()).iter().map(|&output| graph.users_of(output).collect()).collect();
    graph.move_to(theta.node(), repeats);
    for (index, users) in users.into_iter().enumerate() {
        let argument = graph.arguments(repeats)[index];
        graph.divert(graph.inputs(theta.node())[index], argument);
        let results = [graph.arguments(leaves)[index], graph.output(theta.node(), index)];
        let output = guard.add_exit_var(graph, &results).output;
        for user in users {
            graph.divert(user, output);
        }
    }
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(Peel))]
}
