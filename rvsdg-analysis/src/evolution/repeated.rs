//! What a variable of a loop becomes on the ways on which the loop is repeated.

use rvsdg_core::fold::Int;
use rvsdg_core::layout::Layouts;
use rvsdg_core::op::{GepFlags, IntBinary};
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Graph, Op, Origin, OriginDef, Region};
use smallvec::SmallVec;

use crate::invariant::known_constant;
use crate::memory::gep_distance;
use crate::seeded::{self, Bug};
use crate::trace::outward;

/// How many parts of ways are looked at for one variable.
const MAX_LOOKED_AT: usize = 64;

/// By how much a variable changes from one iteration to the next.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What is added to an integer; the bytes by which an address moves.
    pub by: i64,
    /// Whether an address outside of its object would be poison.
    pub in_bounds: bool,
}

/// By how much a variable of a loop changes wherever the loop is repeated, if it is everywhere the same. In iteration k, counted from 0, the
/// variable is then its start and k times that, modulo 2^width. What it is when the loop ends is not said: a way out may leave it as it was.
pub fn step_if_repeated(graph: &Graph, layouts: &mut Layouts, theta: Theta, variable: LoopVar) -> Option<Step> {
    let body = theta.body(graph);
    let mut step: Option<Step> = None;
    let repeats = (graph.origin(theta.predicate(graph)), 1);
    let mut pending = vec![Way { value: graph.origin(variable.post), chosen: SmallVec::from_slice(&[repeats]) }];
    for _ in 0..MAX_LOOKED_AT {
        let Some(mut way) = pending.pop() else { return step };
        if !way.is_possible(graph, body) {
            continue;
        }
        let choices = way.chosen.iter().map(|&(predicate, _)| predicate);
        let gamma = choices.chain([way.value]).find_map(|origin| Gamma::new(graph, graph.producer(origin)?));
        if let Some(gamma) = gamma {
            pending.extend((0..gamma.regions(graph).len()).map(|alternative| way.through(graph, gamma, alternative)));
            continue;
        }
        let here = advance(graph, layouts, (body, variable.pre), way.value)?;
        step = Some(match step {
            None => here,
            Some(_) if seeded::is_active(Bug::IvsOneWay) => here,
            Some(before) if before.by == here.by => Step { by: here.by, in_bounds: before.in_bounds && here.in_bounds },
            Some(_) => return None,
        });
    }
    None
}

/// A way through the body: the final value of a variable, and which alternatives predicates choose.
struct Way {
    value: Origin,
    chosen: SmallVec<[(Origin, u32); 4]>,
}

impl Way {
    /// Looks at the values outside of conditionals' regions, and forgets predicates of which nothing is known. Whether the others can choose as
    /// they have to.
    fn is_possible(&mut self, graph: &Graph, body: Region) -> bool {
        self.value = in_body(graph, body, self.value);
        let mut is_possible = true;
        self.chosen.retain(|(predicate, alternative)| {
            *predicate = in_body(graph, body, *predicate);
            let Some(node) = graph.producer(*predicate) else { return false };
            if let Some(Op::CtlConst { value, .. }) = graph.op(node) {
                is_possible &= value == *alternative;
            }
            Gamma::new(graph, node).is_some()
        });
        is_possible
    }

    /// The part of the way that goes through an alternative.
    fn through(&self, graph: &Graph, gamma: Gamma, alternative: usize) -> Way {
        let region = gamma.regions(graph)[alternative];
        let inside = |origin| match graph.def(origin) {
            OriginDef::Output(node, index) if node == gamma.node() => graph.result(region, index as usize),
            _ => origin,
        };
        let chosen = self.chosen.iter().map(|&(predicate, alternative)| (inside(predicate), alternative));
        let own = (graph.origin(gamma.predicate(graph)), alternative as u32);
        Way { value: inside(self.value), chosen: chosen.chain([own]).collect() }
    }
}

/// The value of the body, or of a conditional in it, that a value always is.
pub fn in_body(graph: &Graph, body: Region, mut origin: Origin) -> Origin {
    while let OriginDef::Argument(region, index) = graph.def(origin)
        && region != body
        && let Some((outer, _)) = outward(graph, region, index)
    {
        origin = outer;
    }
    origin
}

/// What is added to a variable to compute a value.
fn advance(graph: &Graph, layouts: &mut Layouts, (body, pre): (Region, Origin), value: Origin) -> Option<Step> {
    let node = graph.producer(value)?;
    let is_variable = |index: usize| in_body(graph, body, graph.input(node, index)) == pre;
    match graph.op(node)? {
        Op::Gep { flags, .. } => {
            let by = gep_distance(graph, layouts, node).filter(|_| is_variable(0))?;
            Some(Step { by, in_bounds: flags.contains(GepFlags::INBOUNDS) })
        }
        Op::IntBinary { op: IntBinary::Add, .. } => {
            let index = (0..2).find(|&index| is_variable(index))?;
            let by = Int::of_const(graph.pool(), known_constant(graph, graph.input(node, 1 - index))?)?;
            Some(Step { by: i64::try_from(by.signed()).ok()?, in_bounds: false })
        }
        _ => None,
    }
}
