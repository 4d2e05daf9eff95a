//! What stands for values of the original that are gone, where somebody describes them.

use cranelift_entity::EntityRef;
use rvsdg_core::fold;
use rvsdg_core::graph::Described;
use rvsdg_core::{Graph, Origin};

use super::emit::Emitter;
use super::names::Name;
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
        for (source, value) in graph.described() {
            let same = match value {
                Described::Source(other) => Some(SameAs::Source(other)),
                Described::Origin(origin) => self.same(graph, origin).map(SameAs::Value),
            };
            self.cfg.same.extend(same.map(|same| (source, same)));
        }
        let contexts = self.cfg.contexts().len();
        for (argument, origin) in graph.described_arguments() {
            let value = self.same(graph, origin).filter(|_| argument >= contexts);
            self.cfg.same_params.extend(value.map(|value| ((argument - contexts) as u32, value)));
        }
        for (origin, held) in graph.contents() {
            let value = self.held(origin);
            self.cfg.contents.extend(value.map(|value| (value, held)));
        }
    }

    /// The value of an origin, as far as there is one.
    fn same(&mut self, graph: &Graph, origin: Origin) -> Option<Value> {
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

    /// The parameter or result that an origin is from its own place on.
    fn held(&self, origin: Origin) -> Option<Value> {
        let name = self.names.get(origin);
        if name != Name::number(origin.index()) {
            return None;
        }
        if !self.ssa.skeleton.is_variable(name) {
            return self.values[origin.index()].expand();
        }
        let (block, value) = self.ssa.at_home(name)?;
        let phi = value.as_phi().filter(|&phi| self.ssa.phis[phi].block == block)?;
        self.phis[phi].expand()
    }
}
