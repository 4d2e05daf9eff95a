//! Values: single definitions, routed to their uses on demand.

use cranelift_entity::packed_option::ReservedValue;
use rvsdg_core::op::Op;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Const, Origin, Region, Type};
use smallvec::SmallVec;

use super::Builder;
use super::level::Name;
use crate::cfg::Value;

/// An origin and the region it is in.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub region: Region,
    pub origin: Origin,
}

impl Place {
    /// Nowhere: not defined yet, or a constant that the region and its enclosing regions do not have.
    pub fn none() -> Self {
        Self { region: Region::reserved_value(), origin: Origin::reserved_value() }
    }

    /// Whether this is somewhere.
    pub fn is_some(self) -> bool {
        !self.region.is_reserved_value()
    }
}

impl Builder<'_> {
    /// The origin in the innermost region that has a value.
    #[inline]
    pub(super) fn value(&mut self, value: Value) -> Origin {
        let place = self.places[value];
        if place.region == self.region { place.origin } else { self.route(value, place) }
    }

    /// Says that an origin of the innermost region is what a value is defined as.
    #[inline]
    pub(super) fn define(&mut self, value: Value, origin: Origin) {
        match self.copies.variable(value) {
            Some(var) => self.assign(var, origin),
            None => self.places[value] = Place { region: self.region, origin },
        }
    }

    fn route(&mut self, value: Value, place: Place) -> Origin {
        if let Some(var) = self.copies.variable(value) {
            return self.read(var);
        }
        if let Some((constant, holes)) = self.cfg.as_const(value) {
            return self.constant(value, constant, holes);
        }
        assert!(place.is_some(), "{value} is used where its definition has not been executed");
        let place = self.climb(value, place);
        let level = self.level_of(place.region).expect("the value has climbed to an open region");
        self.descend(Name::Value(value), level, place.origin)
    }

    /// Constants are not routed: each region has its own.
    fn constant(&mut self, value: Value, constant: Const, holes: &[Value]) -> Origin {
        let holes: SmallVec<[Origin; 4]> = holes.iter().map(|&hole| self.value(hole)).collect();
        let node = self.graph.add_simple(self.region, Op::Const(constant), &holes, &[self.cfg.ty(value)]);
        let origin = self.graph.output(node, 0);
        self.bind(self.levels.len() - 1, Name::Value(value), origin);
        origin
    }

    /// Routes a value out of the finished regions that its definition is in.
    fn climb(&mut self, value: Value, mut place: Place) -> Place {
        while self.level_of(place.region).is_none() {
            let node = self.graph.parent(place.region).expect("the root region is open");
            let ty = self.graph.ty(place.origin);
            let origin = if let Some(gamma) = Gamma::new(&self.graph, node) {
                let origins: SmallVec<[Origin; 8]> = (0..gamma.regions(&self.graph).len())
                    .map(|alternative| match gamma.regions(&self.graph)[alternative] {
                        region if region == place.region => place.origin,
                        region => self.poison(region, ty),
                    })
                    .collect();
                let index = gamma.add_exit_var(&mut self.graph, &origins).index;
                self.graph.output(node, index)
            } else {
                let theta = Theta::new(&self.graph, node).expect("a region in a body is in a γ or θ");
                self.output_of(theta, place.origin).unwrap_or_else(|| {
                    let input = self.poison(self.graph.region_of(node), ty);
                    let variable = theta.add_loop_var(&mut self.graph, input);
                    self.graph.divert(variable.post, place.origin);
                    self.outputs.insert(place.origin, variable.output);
                    variable.output
                })
            };
            place = Place { region: self.graph.region_of(node), origin };
        }
        self.places[value] = place;
        place
    }

    /// Poison of a type in a region, finished or not.
    pub(super) fn poison(&mut self, region: Region, ty: Type) -> Origin {
        *self.poisons.entry((region, ty)).or_insert_with(|| {
            let constant = self.cfg.pool().poison(ty);
            let node = self.graph.add_simple(region, Op::Const(constant), &[], &[ty]);
            // An existing θ may come to use it, and nodes are kept in topological order.
            self.graph.move_to_front(node);
            self.graph.output(node, 0)
        })
    }
}
