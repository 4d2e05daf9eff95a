//! Inner loops that execute the iterations of the outer loop one after another in each of their iterations.

use rustc_hash::FxHashSet;
use rvsdg_analysis::memory::states;
use rvsdg_core::build::Insert;
use rvsdg_core::op::GepFlags;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Node, Op, Origin, Region, Type};

use super::emit::Emission;

impl Emission<'_, '_> {
    /// Copies the body of an inner loop: first, for all iterations, the nodes that do not depend on values that iterations pass through
    /// memory, then the others, one iteration after another. Unordered accesses overlap no others.
    pub(super) fn in_sequence(&mut self, old: Theta, new: Region) {
        let body = old.body(self.graph);
        for argument in self.graph.arguments(body).to_vec() {
            self.spread(argument, new);
        }
        let start = states::start(self.graph, body).expect("accesses that meet are ordered by the memory");
        let mut memory = self.once[&start];
        let mut rest: Vec<Node> = Vec::new();
        let mut depends: FxHashSet<Node> = self.plan.ordered.clone();
        for node in self.graph.topological(body) {
            let graph = &*self.graph;
            let waits = |input| {
                let needed = graph.producer(input).filter(|_| !graph.ty(input).is_state());
                needed.is_some_and(|needed| depends.contains(&needed))
            };
            if depends.contains(&node) || graph.input_origins(node).any(waits) {
                depends.insert(node);
                rest.push(node);
                continue;
            }
            let before = self.graph.input_origins(node).find(|&input| self.graph.ty(input) == Type::MEM);
            if let Some(before) = before {
                self.once.insert(before, memory);
            }
            self.simple(node, new);
            for output in self.graph.outputs(node).to_vec() {
                if self.graph.ty(output) == Type::MEM {
                    memory = self.once[&output];
                }
                self.spread(output, new);
            }
        }
        for part in 0..self.plan.parts {
            for &node in &rest {
                self.one(node, part, &mut memory, new);
            }
        }
        let variable = old.loop_vars(self.graph).find(|variable| variable.pre == start);
        let after = self.graph.origin(variable.expect("the memory is a variable of the loop").post);
        self.once.insert(after, memory);
    }

    /// A node of one iteration of the outer loop.
    fn one(&mut self, node: Node, part: usize, memory: &mut Origin, new: Region) {
        let plan = self.plan;
        let op = self.graph.op(node).expect("the loop is of operations only");
        match op {
            Op::Load(_) | Op::Store(_) if plan.moved.contains(&node) || !self.is_used(node) => {}
            Op::Load(_) | Op::Store(_) => {
                let is_store = matches!(op, Op::Store(_));
                let address = self.once[&self.graph.input(node, usize::from(is_store))];
                let by = part as i64 * self.step_of(node);
                let stored = is_store.then(|| self.wide[&self.graph.input(node, 0)][part]);
                let value = self.graph.output(node, 0);
                let (ty, source) = (self.graph.ty(value), self.graph.source(node));
                let mut at = Insert::end(self.graph, new).source(source);
                let place = at.advance(address, by, GepFlags::NONE);
                if let Some(stored) = stored {
                    let store = at.node(op, &[stored, place, *memory], &[Type::MEM]);
                    *memory = self.graph.output(store, 0);
                } else {
                    let load = at.node(op, &[place, *memory], &[ty, Type::MEM]);
                    *memory = self.graph.output(load, 1);
                    let loaded = self.graph.output(load, 0);
                    self.wide.entry(value).or_default().push(loaded);
                }
            }
            _ => {
                let &[output] = self.graph.outputs(node) else { return };
                if plan.marks.wide.contains(&output) {
                    let value = self.part(node, op, output, part, new);
                    self.wide.entry(output).or_default().push(value);
                }
            }
        }
    }
}
