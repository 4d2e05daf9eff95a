//! Replacements of removed values of the original, for debug information.

use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use rvsdg_core::fold;
use rvsdg_core::graph::{Described, Held};
use rvsdg_core::{Graph, Origin};

use super::emit::Emitter;
use super::names::Name;
use super::ssa::Phi;
use crate::cfg::{SameAs, Value};

impl Emitter<'_> {
    /// Notes what has the values of instructions that are gone, and what memory held. Nothing is made for that.
    pub(super) fn describe(&mut self) {
        let graph = self.graph;
        if !graph.describes_values() {
            return;
        }
        self.cfg.described = true;
        self.cfg.flattened.extend_from_slice(graph.flattened());
        self.cfg.decided = graph.decided();
        for (source, value) in graph.described() {
            let same = match value {
                Described::Source(other) => Some(SameAs::Source(other)),
                Described::Origin(_) | Described::Constant(_) => self.same(graph, value).map(SameAs::Value),
            };
            self.cfg.same.extend(same.map(|same| (source, same)));
        }
        let contexts = self.cfg.contexts().len();
        for (argument, now) in graph.described_arguments() {
            let value = self.same(graph, now).filter(|_| argument >= contexts);
            self.cfg.same_params.extend(value.map(|value| ((argument - contexts) as u32, value)));
        }
        self.describe_contents();
    }

    /// Records the contents of memory: values that are results from their definition on, and variables where all paths to a block assign
    /// them last.
    fn describe_contents(&mut self) {
        let mut variables: FxHashMap<Name, Vec<Held>> = FxHashMap::default();
        for (origin, held) in self.graph.contents() {
            let name = self.names.get(origin);
            if name != Name::number(origin.index()) {
                continue;
            }
            if self.ssa.skeleton.is_variable(name) {
                variables.entry(name).or_default().push(held);
            } else {
                let value = self.values[origin.index()].expand();
                self.cfg.contents.extend(value.map(|value| (value, held)));
            }
        }
        let mut found = vec![];
        for (phi, value) in self.phis.iter().enumerate().filter_map(|(phi, value)| Some((phi, value.expand()?))) {
            let Phi { block, variable, .. } = self.ssa.phis[phi];
            let Some(held) = variables.get(&variable) else { continue };
            // A back arc need not assign unchanged variables.
            let is_home = self.ssa.at_home(variable).is_some_and(|(home, _)| home == block);
            if is_home || self.ssa.arcs_in(block).iter().all(|&arc| self.ssa.assigns(arc, variable)) {
                let time = self.ssa.skeleton.spans[variable.as_number().expect("variables have numbers")].def;
                found.push(((time, block), value, held));
            }
        }
        // Of variables that are assigned on the same paths, the later one is the contents of memory.
        found.sort_by_key(|&(place, ..)| place);
        for (_, value, held) in found {
            self.cfg.contents.extend(held.iter().map(|&held| (value, held)));
        }
    }

    /// The value of an origin or a constant, if there is one.
    fn same(&mut self, graph: &Graph, now: Described) -> Option<Value> {
        let origin = match now {
            Described::Origin(origin) => origin,
            Described::Constant(constant) => return Some(self.cfg.add_const(constant, &[])),
            Described::Source(_) => return None,
        };
        let mut name = self.names.get(origin);
        if self.ssa.skeleton.is_variable(name) {
            name = self.ssa.at_home(name)?.1;
        }
        if let Some(phi) = name.as_phi() {
            return self.phis[phi].expand();
        }
        let index = name.as_number()?;
        let value = self.values[index].expand();
        value.or_else(|| {
            let origin = Origin::new(index);
            graph.producer(origin).filter(|&node| graph.is_live(node))?;
            fold::constant(graph, origin).map(|_| self.constant(origin))
        })
    }
}
