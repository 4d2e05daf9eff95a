//! Loop vectorization: an innermost counted loop executes as many iterations at once as vector registers have lanes.
//!
//! ```text
//! v5: i64, mem1, … = theta (v6: i64 = v2, mem2 = mem0, …) {
//!   v7: ptr = getelementptr float, v0, v6
//!   v8: float, mem3 = load v7, mem2, align 4
//!   v9: float = fadd v8, v8
//!   mem4 = store v9, v7, mem3, align 4
//!   …
//! }
//! ```
//!
//! becomes, on a target with registers of 128 bits,
//!
//! ```text
//! mem5, … = gamma v20 (…) {              ; there are at least four iterations
//!   …
//!   v21: i64, mem6, … = theta (v22: i64 = v2, mem7 = mem0, …) {
//!     v23: ptr = getelementptr float, v0, v22
//!     v24: <4 x float>, mem8 = load v23, mem7, align 4
//!     v25: <4 x float> = fadd v24, v24
//!     mem9 = store v25, v23, mem8, align 4
//!     …
//!   }
//! }
//! mem10, … = gamma v30 (…) { … }         ; the loop as it was, for the remaining iterations
//! ```
//!
//! 1. **Legality** (`plan`): the loop is tail-controlled and counted, its body is executed from end to end, every store and load that is
//!    needed moves by a known number of elements in each iteration (or stays, for a load), and by [`rvsdg_analysis::dependence`]
//!    executing that many iterations at once keeps the order of overlapping accesses. For two accesses about which nothing is known,
//!    ranges are compared before the loop. Variables are inductions, reductions, or values of the previous iteration (recurrences).
//!    A loop with conditionals is if-converted on a copy that executes all alternatives and selects among their results (`flatten`):
//!    everything in the alternatives may be speculated, and conditional loads are safe in every iteration, because the iteration
//!    accesses that memory anyway or because all loads stay in an object of known size ([`rvsdg_analysis::dereferenceable`]).
//! 2. **Cost** (`cost`): the number of lanes that makes an iteration cheapest by [`rvsdg_analysis::target`], and as many copies of the
//!    operations as the processor has use for (interleaving). Short loops over parts of stack objects, or over elements with gaps, are
//!    left to [unrolling](crate::loops::unroll), and those with gaps to
//!    [superword-level parallelism](crate::memory::superword) if vectors of an iteration's neighbouring elements are cheaper.
//! 3. **Emission** (`emit`): the new loop inside a γ, the old one inside another.
//!
//! Each lane computes one iteration, in the order of the body; nothing else is executed, except what cannot be observed.
//! Addresses of loads that were conditional lose their flags. Integer reductions
//! lose `nuw` and `nsw`, float reductions are vectorized only with `reassoc`, and everything else is bit for bit the same.
//!
//! The maximum or minimum of floats is the same in any order unless it is a zero, of which there are two: then the original loop is
//! executed from the start. For variables that a condition replaces, each lane records in which iteration it did so last, or only whether it
//! did if it is by one constant.
//!
//! Elements with gaps between them (strided accesses) are accessed lane by lane, or in whole vectors of which lanes are selected: loads
//! of elements less than the step apart, with what lies between two elements of one object, and stores of all of them.
//!
//! Statistics: `loops`, `flattened` ones with conditionals among them, those with `early_exits`, `checked` ones with comparisons of addresses; `recurrences`, `reloaded` ones and
//! `reductions` among their variables, `extremes` of floats and `lasts` among these; `strided` accesses, `interleaved` groups of them in
//! whole vectors, `falling` ones, which go backwards, `masked` stores, which only some iterations make; `declined_…` loops.
//!
//! Running it again does not change loops that it made or their remainders.
//!
//! Cost: linear in the size of a loop, and quadratic in its accesses, which are bounded (`MAX_ACCESSES` in `plan`).
//!
//! Conditional stores are vector stores where all lanes store, and go lane by lane otherwise: lanes that do not store
//! write to memory of the function that nothing reads, so that there are no branches to mispredict.
//!
//! A loop with a known greatest trip count that may be left early (`early`) is executed in vectors as long as no lane leaves: what decides
//! about that is computed for all lanes first, which may load only from objects of known size, and not what the same iterations store before,
//! and everything else is in a conditional. The iterations of the lanes of which one left are executed by the old loop, which also has the
//! last iterations, at least one.
//!
//! A value of a previous iteration is the last lane of the previous vector, followed by the lanes of this one; or it is loaded again, if it is
//! an element that a load of the loop went past ([`rvsdg_analysis::dependence::earlier`]) and that no store can have changed.
//!
//! Left out: conditional loads from objects of unknown size; conditional divisions; accesses with an unknown step in bytes; conversions
//! of indices that are not widened; calls, except of intrinsics that other operations compute; widths that `llvm.loop` metadata asks for.
//!
//! Allen and Kennedy, "Automatic translation of Fortran programs to vector form" (TOPLAS 1987).

mod cost;
mod dependences;
mod early;
pub(crate) mod emit;
mod flatten;
mod order;
pub(crate) mod plan;

use rvsdg_analysis::dependence::ReductionKind;
use rvsdg_analysis::loop_nest::LoopNests;
use rvsdg_analysis::memory::Objects;
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::target::{Target, UnknownTarget};
use rvsdg_core::Graph;
use rvsdg_core::graph::Duplicator;
use rvsdg_core::hints::{Hint, LoopRole};
use rvsdg_core::structural::{Gamma, Theta};

use crate::loops::trips::settle_start;
use crate::loops::unroll::worth::is_small;
use crate::pass::{BodyPass, Change, PassCx, Stage};
use crate::remark::{Remark, RemarkKind, Value};

use flatten::Flat;
use plan::{Decline, Plan};

/// The stage of [loop vectorization](self).
pub struct Vectorize;

impl BodyPass for Vectorize {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let nests = LoopNests::of(graph);
        let loops: Vec<Theta> = nests.loops().filter(|&theta| nests.is_innermost(theta)).collect();
        if loops.is_empty() || is_small(graph, cx) {
            return Change::Unchanged;
        }
        let target = match Target::of(graph.pool(), cx.surroundings()) {
            Ok(target) => target,
            Err(reason) => {
                for theta in loops {
                    decline(graph, theta, Decline::Target(reason), cx);
                }
                return Change::Unchanged;
            }
        };
        let mut numbers = Numbering::new(graph, |_, _| ());
        let objects = Objects::new(graph, &numbers, cx.surroundings());
        let mut duplicator = Duplicator::new();
        let mut spare = None;
        let mut change = Change::Unchanged;
        for theta in loops {
            let hints = graph.loop_hints(theta.node());
            if matches!(hints.role, LoopRole::Remainder | LoopRole::Overlapping | LoopRole::Fallback) {
                continue;
            }
            if hints.vectorize == Hint::Never {
                decline(graph, theta, Decline::Hint, cx);
                continue;
            }
            let flat = match has_conditionals(graph, theta).then(|| Flat::of(graph, theta, &mut duplicator, cx)) {
                None => None,
                Some(Ok(flat)) => Some(flat),
                Some(Err(reason)) => {
                    decline(graph, theta, reason, cx);
                    continue;
                }
            };
            let planned = flat.as_ref().map_or(theta, |flat| flat.theta);
            match Plan::of(graph, planned, flat.as_ref(), &mut numbers, &objects, target, cx) {
                Ok(plan) if cx.allows_rewrite("vectorize", graph, theta.node()) => {
                    let settled = settle_start(graph, planned, &plan.repetitions, cx);
                    vectorized(graph, &plan, flat.is_some(), cx);
                    emit::vectorize(graph, theta, plan, settled, cx.surroundings(), &mut numbers, &mut spare);
                    change = Change::Changed;
                }
                Ok(_) => {}
                Err(reason) => decline(graph, theta, reason, cx),
            }
            if let Some(flat) = flat {
                flat.remove(graph);
            }
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// Whether the pass vectorizes a loop whose accesses have no gaps.
pub(crate) fn is_vectorizable(
    graph: &Graph,
    theta: Theta,
    numbers: &mut Numbering,
    objects: &Objects<'_>,
    target: Target,
    cx: &PassCx,
) -> bool {
    let plan = Plan::of(graph, theta, None, numbers, objects, target, cx);
    plan.is_ok_and(|plan| plan.strides.is_empty())
}

fn has_conditionals(graph: &Graph, theta: Theta) -> bool {
    graph.nodes(theta.body(graph)).any(|node| Gamma::new(graph, node).is_some())
}

/// Reports and counts what is made.
fn vectorized(graph: &Graph, plan: &Plan, is_flat: bool, cx: &PassCx) {
    let count = |is: fn(&plan::Role) -> bool| plan.roles.iter().filter(|role| is(role)).count() as u64;
    cx.count("loops", 1);
    cx.count("recurrences", count(|role| matches!(role, plan::Role::Recurrence)));
    cx.count("reloaded", count(|role| matches!(role, plan::Role::Reloaded(_))));
    cx.count("reductions", count(|role| matches!(role, plan::Role::Reduction(_))));
    let of = |role: &plan::Role, is: fn(&ReductionKind) -> bool| matches!(role, plan::Role::Reduction(reduction) if is(&reduction.kind));
    let kinds = |is| plan.roles.iter().filter(|role| of(role, is)).count() as u64;
    cx.count("extremes", kinds(|kind| matches!(kind, ReductionKind::FloatChoice(_))));
    cx.count("lasts", kinds(|kind| *kind == ReductionKind::Last));
    cx.count("falling", plan.falling.len() as u64);
    cx.count("early_exits", u64::from(plan.leaves.is_some()));
    cx.count("flattened", u64::from(is_flat));
    cx.count("masked", plan.masks.len() as u64);
    cx.count("strided", plan.strides.len() as u64);
    cx.count("interleaved", plan.whole.iter().filter(|&&whole| whole).count() as u64);
    cx.count("checked", u64::from(!plan.checks.is_empty()));
    cx.remark(|| {
        Remark::new(RemarkKind::Passed, "Vectorized")
            .at(plan::source(graph, plan.theta))
            .words("vectorized loop (vectorization width: ")
            .with("VectorizationFactor", Value::Number(plan.lanes.into()))
            .words(", interleaved count: ")
            .with("InterleaveCount", Value::Number(plan.parts as u64))
            .words(")")
    });
}

/// Reports and counts why a loop stays.
fn decline(graph: &Graph, theta: Theta, reason: Decline, cx: &PassCx) {
    let (counter, name, words) = match reason {
        Decline::Target(UnknownTarget::NoTriple | UnknownTarget::Architecture) => {
            ("declined_target", "UnknownTarget", "the target's vector registers are not known")
        }
        Decline::Hint => ("declined_hint", "AllDisabled", "vectorization is explicitly disabled"),
        Decline::Target(UnknownTarget::NoVectors) => {
            ("declined_target", "NoImplicitFloat", "the function must not use vector registers")
        }
        Decline::Count => {
            ("declined_count", "CantComputeNumberOfIterations", "could not determine number of loop iterations")
        }
        Decline::ControlFlow => {
            ("declined_control_flow", "CFGNotUnderstood", "loop control flow is not understood by vectorizer")
        }
        Decline::ConditionalLoad => (
            "declined_conditional",
            "NoCFGForSelect",
            "a load under a condition may be of no memory where the condition does not hold",
        ),
        Decline::LoadAfterExit => (
            "declined_conditional",
            "CantVectorizeLoopWithEarlyExit",
            "the loop may be left early, and what decides about that may load from no memory in later iterations",
        ),
        Decline::ConditionalStore => (
            "declined_conditional",
            "NoCFGForSelect",
            "only some iterations store somewhere, with gaps between what they store",
        ),
        Decline::Effects => {
            ("declined_effects", "CantVectorizeInstruction", "instruction cannot be vectorized: it has effects")
        }
        Decline::Call => ("declined_call", "CantVectorizeCall", "call instruction cannot be vectorized"),
        Decline::Ordered => ("declined_ordered", "NonSimpleAccess", "an access is volatile or atomic"),
        Decline::Bounds => ("declined_bounds", "CantIdentifyArrayBounds", "cannot identify array bounds"),
        Decline::Stride => ("declined_stride", "NonConsecutiveAccess", "an access does not move to the next element"),
        Decline::Dependence => ("declined_dependence", "UnsafeDep", "unsafe dependent memory operations in loop"),
        Decline::Checks => ("declined_checks", "TooManyMemoryRuntimeChecks", "too many memory checks needed"),
        Decline::Recurrence => (
            "declined_recurrence",
            "NonReductionValueUsedOutsideLoop",
            "value that could not be identified as reduction is carried around the loop",
        ),
        Decline::Operation => ("declined_operation", "CantVectorizeInstruction", "instruction cannot be vectorized"),
        Decline::Size => ("declined_size", "LoopTooLarge", "the loop has too many operations"),
        Decline::Unrolled => ("declined_unrolled", "Unrolled", "the loop is short and is unrolled instead"),
        Decline::Cost => (
            "declined_cost",
            "VectorizationNotBeneficial",
            "the cost-model indicates that vectorization is not beneficial",
        ),
    };
    cx.count(counter, 1);
    cx.remark(|| {
        Remark::new(RemarkKind::Missed, name)
            .at(plan::source(graph, theta))
            .words("loop not vectorized: ")
            .with("Reason", Value::Text(words.into()))
    });
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(Vectorize))]
}
