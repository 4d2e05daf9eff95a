//! How the values of a loop differ from one of its iterations to the next, also in the loops and conditionals in it.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::fold::{Int, arith};
use rvsdg_core::layout::Layouts;
use rvsdg_core::op::{CastOp, IntBinary};
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, Region, Type};

use super::affine::{Addresses, Term, terms};
use crate::evolution::Evolution;
use crate::invariant::known_constant;
use crate::safety::has_states;

/// So many loops and conditionals may be in each other.
const MAX_DEPTH: u32 = 6;
/// The width of an address.
const BITS: u32 = 64;

/// By how much each value of a loop changes from one iteration to the next where both take the same way: inner loops are repeated
/// as often, conditionals choose the same, and values in inner loops are those of the same inner iteration. What is loaded from
/// one address is taken for the same, which holds where no iteration stores what another loads; loads for which it does not are given.
pub struct Steps {
    /// By value: integers modulo two to their width, addresses in bytes, and zero for everything else that is the same.
    known: FxHashMap<Origin, Int>,
    /// Loads whose values change at one address.
    changing: FxHashSet<Node>,
}

impl Steps {
    /// Those of a loop in which some loads do not give the same though they are made at one address. `None` where addresses are
    /// not of 64 bits, or it is nested too deep.
    pub fn of(graph: &Graph, evolution: &Evolution, layouts: Layouts, changing: &FxHashSet<Node>) -> Option<Steps> {
        let theta = evolution.theta();
        let mut addresses = Addresses::of(graph, evolution, layouts)?;
        let mut steps = Steps { known: FxHashMap::default(), changing: changing.clone() };
        for variable in theta.loop_vars(graph) {
            let step = if variable.is_invariant(graph) {
                Some(zero(graph, variable.pre))
            } else if let Some(step) = addresses.pointer_step(variable.pre) {
                step.known()
            } else {
                let chain = evolution.chain(graph, variable.pre);
                chain.and_then(|chain| chain.step()).and_then(|step| step.known())
            };
            steps.set(graph, variable.pre, step);
        }
        steps.region(graph, addresses.layouts(), theta.body(graph), 0).then_some(steps)
    }

    /// By how much a value changes; `None` where that is not the same for all iterations.
    pub fn step(&self, origin: Origin) -> Option<Int> {
        self.known.get(&origin).copied()
    }

    /// Whether a value is the same in all iterations.
    pub fn is_same(&self, origin: Origin) -> bool {
        self.step(origin).is_some_and(Int::is_zero)
    }

    fn set(&mut self, graph: &Graph, origin: Origin, step: Option<Int>) {
        match step.filter(|_| !graph.ty(origin).is_state()) {
            Some(step) => self.known.insert(origin, step),
            None => self.known.remove(&origin),
        };
    }

    /// Goes through a region whose arguments are known; whether it is not too deep.
    fn region(&mut self, graph: &Graph, layouts: &mut Layouts, region: Region, depth: u32) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        for node in graph.topological(region) {
            let fits = if let Some(gamma) = Gamma::new(graph, node) {
                self.gamma(graph, layouts, gamma, depth)
            } else if let Some(theta) = Theta::new(graph, node) {
                self.theta(graph, layouts, theta, depth)
            } else {
                for &output in graph.outputs(node) {
                    let step = self.computed(graph, layouts, node, output);
                    self.set(graph, output, step);
                }
                true
            };
            if !fits {
                return false;
            }
        }
        true
    }

    fn gamma(&mut self, graph: &Graph, layouts: &mut Layouts, gamma: Gamma, depth: u32) -> bool {
        let regions = gamma.regions(graph);
        for entry in gamma.entry_vars(graph) {
            let step = self.step(graph.origin(entry.input));
            for alternative in 0..regions.len() {
                self.set(graph, entry.argument(graph, gamma, alternative), step);
            }
        }
        if !regions.iter().all(|&region| self.region(graph, layouts, region, depth + 1)) {
            return false;
        }
        let decides_same = self.is_same(graph.origin(gamma.predicate(graph)));
        for exit in gamma.exit_vars(graph) {
            let mut steps = (0..regions.len()).map(|index| self.step(graph.origin(exit.result(graph, gamma, index))));
            let first = steps.next().flatten();
            let step = first.filter(|&first| decides_same && steps.all(|step| step == Some(first)));
            self.set(graph, exit.output, step);
        }
        true
    }

    fn theta(&mut self, graph: &Graph, layouts: &mut Layouts, theta: Theta, depth: u32) -> bool {
        let variables: Vec<LoopVar> = theta.loop_vars(graph).collect();
        for variable in &variables {
            let step = self.step(graph.origin(variable.input));
            self.set(graph, variable.pre, step);
        }
        // What holds for the first inner iteration holds for all when each keeps it.
        loop {
            if !self.region(graph, layouts, theta.body(graph), depth + 1) {
                return false;
            }
            let mut changed = false;
            for variable in &variables {
                if self.step(variable.pre).is_some()
                    && self.step(graph.origin(variable.post)) != self.step(variable.pre)
                {
                    self.set(graph, variable.pre, None);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let decides_same = self.is_same(graph.origin(theta.predicate(graph)));
        for variable in &variables {
            let step = self.step(graph.origin(variable.post)).filter(|_| decides_same);
            self.set(graph, variable.output, step);
        }
        true
    }

    /// What an operation makes of the steps of its operands.
    fn computed(&self, graph: &Graph, layouts: &mut Layouts, node: Node, output: Origin) -> Option<Int> {
        let NodeKind::Simple(op) = graph.kind(node) else { return None };
        let input = |index: usize| self.step(graph.input(node, index));
        if let Op::Load(_) = op {
            let is_same = !self.changing.contains(&node) && input(0).is_some_and(Int::is_zero);
            return is_same.then(|| zero(graph, output));
        }
        if has_states(graph, node) || matches!(op, Op::Ext(_)) {
            return None;
        }
        if graph.input_origins(node).all(|input| self.is_same(input)) {
            return Some(zero(graph, output));
        }
        let width = |origin| arith::width(graph.pool(), graph.ty(origin));
        let known = |index: usize| {
            let known = known_constant(graph, graph.input(node, index))?;
            Int::of_const(graph.pool(), known)
        };
        match op {
            Op::IntBinary { op, .. } => {
                let bits = width(output)?;
                match op {
                    IntBinary::Add => Some(input(0)?.add(input(1)?)),
                    IntBinary::Sub => Some(input(0)?.sub(input(1)?)),
                    IntBinary::Mul => match (known(0), known(1)) {
                        (_, Some(by)) => Some(input(0)?.mul(by)),
                        (Some(by), None) => Some(input(1)?.mul(by)),
                        (None, None) => None,
                    },
                    IntBinary::Shl => Some(input(0)?.mul(Int::new(bits, 1).shl(known(1)?)?)),
                    _ => None,
                }
            }
            Op::Cast { op: CastOp::Trunc, .. } => Some(input(0)?.zext_or_trunc(width(output)?)),
            Op::Select(_) => input(1).filter(|&step| input(2) == Some(step) && self.is_same(graph.input(node, 0))),
            Op::Gep { .. } if graph.ty(output) == Type::PTR => {
                let mut sum = input(0)?;
                for term in terms(graph, layouts, node)? {
                    if let Term::Index(index, size) = term {
                        sum = sum.add(self.step(index)?.mul(size));
                    }
                }
                Some(sum)
            }
            _ => None,
        }
    }
}

/// No step, for a value of this type.
fn zero(graph: &Graph, origin: Origin) -> Int {
    Int::new(arith::width(graph.pool(), graph.ty(origin)).unwrap_or(BITS), 0)
}
