//! Loop invariants, and their values before the loop.

use rustc_hash::FxHashMap;
use rvsdg_core::fold;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Const, Graph, Op, Origin, OriginDef};

use crate::safety::is_speculatable;
use crate::trace::outward;

/// The maximum depth of operations by which an invariant is computed from invariant variables.
const DEPTH: u32 = 6;

/// Out of how many regions a value is traced.
const MAX_LEVELS: u32 = 32;

/// Loop invariants: the values in a loop's body that do not change in the loop.
pub struct Invariants {
    theta: Theta,
    /// The values before the loop, by argument of the body.
    known: FxHashMap<Origin, Origin>,
}

impl Invariants {
    /// The invariants among the variables of a loop, and values computed from them.
    pub fn of(graph: &Graph, theta: Theta) -> Invariants {
        let unchanged = theta
            .loop_vars(graph)
            .filter(|variable| graph.origin(variable.post) == variable.pre && !graph.ty(variable.pre).is_state());
        let known = unchanged.map(|variable| (variable.pre, graph.origin(variable.input))).collect();
        Invariants { theta, known }
    }

    /// Whether a value of the body is invariant, and can be computed before the loop even if it is not needed then. The result of
    /// `freeze` cannot: another `freeze` may choose another value.
    pub fn is_available(&self, graph: &Graph, origin: Origin) -> bool {
        self.is_available_within(graph, origin, DEPTH)
    }

    /// At most `DEPTH` calls deep.
    fn is_available_within(&self, graph: &Graph, origin: Origin, depth: u32) -> bool {
        if self.known.contains_key(&origin) {
            return true;
        }
        let Some(node) = graph.producer(origin) else { return false };
        depth > 0
            && is_speculatable(graph, node)
            && graph.op(node) != Some(Op::Freeze)
            && graph.input_origins(node).all(|input| self.is_available_within(graph, input, depth - 1))
    }

    /// The value before the loop of an invariant variable.
    pub fn outside(&self, argument: Origin) -> Option<Origin> {
        self.known.get(&argument).copied()
    }

    /// The loop.
    pub fn theta(&self) -> Theta {
        self.theta
    }
}

/// The value in the outermost region where a value of an inner region is the same, and whether that is outside a loop that contains the
/// original.
pub fn follow_out(graph: &Graph, origin: Origin) -> (Origin, bool) {
    let (mut home, mut passed_loop) = (origin, false);
    for _ in 0..MAX_LEVELS {
        let OriginDef::Argument(region, index) = graph.def(home) else { break };
        let Some((outer, node)) = outward(graph, region, index) else { break };
        home = outer;
        passed_loop |= Theta::new(graph, node).is_some();
    }
    (home, passed_loop)
}

/// The constant without symbols that a value is, in its region or an enclosing one.
pub fn known_constant(graph: &Graph, origin: Origin) -> Option<Const> {
    fold::constant(graph, follow_out(graph, origin).0)
}
