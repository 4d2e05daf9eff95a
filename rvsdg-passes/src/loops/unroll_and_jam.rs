//! Unroll-and-jam: an outer loop executes several iterations at once around one copy of its inner loops.
//!
//! ```text
//! for j { sum = 0; for k { sum += a[k] * b[k][j]; } c[j] = sum; }
//! ```
//!
//! becomes, with vectors of two lanes and two of those vectors,
//!
//! ```text
//! for j by 4 {
//!   sum0 = sum1 = <0, 0>;
//!   for k { sum0 += a[k] * b[k][j..j+2]; sum1 += a[k] * b[k][j+2..j+4]; }
//!   c[j..j+2] = sum0; c[j+2..j+4] = sum1;
//! }
//! ```
//!
//! 1. **Legality** (`plan`): the outer loop is tail-controlled and counted; its iterations take the same paths through conditionals and
//!    have the same trip counts of inner loops; its variables are inductions. By [`rvsdg_analysis::dependence::Nest`] accesses of
//!    different iterations do not overlap; for two accesses about which nothing is known, the memory that they touch in the whole nest
//!    is compared before it. If they overlap, but in no earlier iteration of the inner loop, as in `c[j] += a[k] * b[k][j]` with `j`
//!    innermost, the inner loop executes the outer iterations one after the other (`sequence`), and values that they pass to each other
//!    need not be in memory.
//! 2. **Cost** (`cost`): by [`rvsdg_analysis::target`], by the latency of recurrences of the inner loops, and by
//!    the cache lines that are fetched. Inner loops that will be vectorized themselves are counted as vectorized.
//! 3. **Emission** (`emit`): the new nest inside a γ, the old one inside another. Values that are the same in all iterations are
//!    computed once, those that change by a known step for the first iteration, all others for each, in vectors or one by one.
//!    Loads of an inner loop from one location are hoisted out of it, stores to one location are sunk out of it.
//!
//! Each lane computes one iteration, in the order of that iteration, so that floats are bit for bit the same.
//!
//! An outer loop of which it is [said](rvsdg_core::hints) that it is not to be unrolled stays, and one that is not to be vectorized has
//! several iterations at once, but no vectors. What is said of inner loops holds for those of the new nest.
//!
//! Statistics: `nests`; `vectors` and `sequences` among them; `checked` nests with comparisons of addresses; `moved` accesses; `declined_…` nests.
//!
//! Running it again does not change nests that it made or remainders of them.
//!
//! Cost: linear in the size of a nest, and quadratic in its accesses, which are bounded.
//!
//! Left out: nests deeper than two; inner loops whose trip counts differ, as in triangular nests; variables
//! of the outer loop that are not inductions; tiling.
//!
//! Callahan, Cocke and Kennedy, "Estimating interlock and improving balance for pipelined architectures" (JPDC 1988); Nuzman and
//! Zaks, "Outer-loop vectorization" (PACT 2008).

mod areas;
mod cost;
mod emit;
mod plan;
mod sequence;

use rvsdg_analysis::dependence::{Obstacle, Parting};
use rvsdg_analysis::loop_nest::LoopNests;
use rvsdg_analysis::memory::Objects;
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::target::{Target, UnknownTarget};
use rvsdg_core::Graph;
use rvsdg_core::hints::{Hint, LoopRole};
use rvsdg_core::structural::Theta;

use crate::loops::trips::settle_start;
use crate::loops::unroll::worth::is_small;
use crate::loops::vectorize::plan::source;
use crate::pass::{BodyPass, Change, PassCx, Stage};
use crate::remark::{Remark, RemarkKind, Value};

use plan::{Decline, Plan};

/// The stage of [unroll-and-jam](self).
pub struct Jam;

impl BodyPass for Jam {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let nests = LoopNests::of(graph);
        let mut outer: Vec<Theta> = Vec::new();
        for theta in nests.loops().filter(|&theta| nests.is_innermost(theta)) {
            outer.extend(nests.parent(theta).filter(|parent| !outer.contains(parent)));
        }
        if outer.is_empty() || is_small(graph, cx) {
            return Change::Unchanged;
        }
        let target = match Target::of(graph.pool(), cx.surroundings()) {
            Ok(target) => target,
            Err(reason) => {
                for theta in outer {
                    decline(graph, theta, Decline::Target(reason), cx);
                }
                return Change::Unchanged;
            }
        };
        let mut numbers = Numbering::new(graph, |_, _| ());
        let objects = Objects::new(graph, &numbers, cx.surroundings());
        let mut change = Change::Unchanged;
        for theta in outer {
            let hints = graph.loop_hints(theta.node());
            if hints.unroll == Hint::Never
                || matches!(hints.role, LoopRole::Main | LoopRole::Remainder | LoopRole::Overlapping)
            {
                continue;
            }
            match Plan::of(graph, theta, &mut numbers, &objects, target, cx) {
                Ok(plan) => {
                    if !cx.allows_rewrite("jam", graph, theta.node()) {
                        continue;
                    }
                    let settled = settle_start(graph, theta, &plan.repetitions, cx);
                    jammed(graph, &plan, cx);
                    emit::jam(graph, plan, settled, cx.surroundings(), &mut numbers);
                    change = Change::Changed;
                }
                Err(reason) => decline(graph, theta, reason, cx),
            }
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// Reports and counts what is made.
fn jammed(graph: &Graph, plan: &Plan, cx: &PassCx) {
    cx.count("nests", 1);
    cx.count("vectors", u64::from(plan.lanes > 1));
    cx.count("sequences", u64::from(!plan.ordered.is_empty()));
    cx.count("checked", u64::from(!plan.checks.is_empty()));
    cx.count("moved", plan.moved.len() as u64);
    cx.remark(|| {
        Remark::new(RemarkKind::Passed, "Jammed")
            .at(source(graph, plan.nest.theta))
            .words("unrolled and jammed loop (iterations at once: ")
            .with("Block", Value::Number(u64::from(plan.lanes) * plan.parts as u64))
            .words(", in vectors of: ")
            .with("VectorizationFactor", Value::Number(plan.lanes.into()))
            .words(")")
    });
}

/// Reports and counts why a nest stays.
fn decline(graph: &Graph, theta: Theta, reason: Decline, cx: &PassCx) {
    let (counter, name, words) = match reason {
        Decline::Target(UnknownTarget::NoTriple | UnknownTarget::Architecture) => {
            ("declined_target", "UnknownTarget", "the target's registers are not known")
        }
        Decline::Target(UnknownTarget::NoVectors) => {
            ("declined_target", "NoImplicitFloat", "the function must not use vector registers")
        }
        Decline::Count => ("declined_count", "UnknownCount", "how often the loop is repeated is not known before it"),
        Decline::Parting(Parting::Access(obstacle)) => match obstacle {
            Obstacle::ControlFlow => ("declined_control_flow", "ControlFlow", "something in it is no operation"),
            Obstacle::Effects => ("declined_effects", "Effects", "something in it has effects beside loads and stores"),
            Obstacle::Call => ("declined_call", "Call", "a call in it may access memory"),
            Obstacle::Ordered => ("declined_ordered", "OrderedAccess", "an access is volatile or atomic"),
            Obstacle::Size => ("declined_operation", "AccessSize", "the size of what is accessed is not known"),
        },
        Decline::Parting(Parting::Depth) => ("declined_depth", "Depth", "the nest is not of two loops in each other"),
        Decline::Parting(Parting::Ways) => (
            "declined_ways",
            "DifferentWays",
            "iterations decide differently, or repeat a loop in it differently often",
        ),
        Decline::Parting(Parting::Count) => {
            ("declined_count", "UnknownInnerCount", "how often a loop in it is repeated is not known before it")
        }
        Decline::Parting(Parting::Bounds) => {
            ("declined_bounds", "UnknownAddress", "where an access is does not change by known steps")
        }
        Decline::Carried => ("declined_carried", "CarriedValue", "a variable depends on the iteration before"),
        Decline::Dependence => {
            ("declined_dependence", "Dependence", "iterations access what ones shortly before store")
        }
        Decline::Checks => ("declined_checks", "TooManyChecks", "too many ranges would have to be compared"),
        Decline::Operation => ("declined_operation", "Operation", "an operation cannot be executed in lanes"),
        Decline::Size => ("declined_size", "TooLarge", "the nest has too many operations"),
        Decline::Cost => ("declined_cost", "NotBeneficial", "it would not be faster"),
    };
    cx.count(counter, 1);
    cx.remark(|| {
        Remark::new(RemarkKind::Missed, name)
            .at(source(graph, theta))
            .words("loop not unrolled and jammed: ")
            .with("Reason", Value::Text(words.into()))
    });
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(Jam))]
}
