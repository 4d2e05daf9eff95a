//! The stack of regions under construction, and how names are bound in them.

use rvsdg_core::{Origin, Region};
use smallvec::SmallVec;

use super::Builder;
use super::gamma::GammaState;
use super::theta::ThetaState;
use super::values::Place;
use super::variables::{Binding, Var};
use crate::cfg::Value;
use crate::restructure::tree::Seq;

/// The loop level outside all loops.
pub(super) const NO_LOOP: u32 = u32::MAX;

/// A region under construction.
pub(super) struct Level {
    /// The region.
    pub region: Region,
    /// The sequence it is made from.
    pub seq: Seq,
    /// The item of the sequence that comes next.
    pub next: usize,
    /// When a block executed last on all paths to here; a variable assigned before is not waiting to be read any more.
    pub barrier: u32,
    /// The level of the innermost loop, possibly this, or [`NO_LOOP`].
    pub loop_level: u32,
    /// The structural node that the region is in.
    pub structure: Structure,
    /// The variables assigned in the region itself, each once.
    pub assigned: SmallVec<[Var; 8]>,
    /// What the names bound in the region were bound to outside.
    pub undo: Vec<Undo>,
}

/// The structural node that a region under construction is in.
pub(super) enum Structure {
    /// None: the root region.
    Root,
    /// A γ-node.
    Gamma(Box<GammaState>),
    /// A θ-node.
    Theta(Box<ThetaState>),
}

/// What is routed into regions.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Name {
    /// A value.
    Value(Value),
    /// A variable.
    Var(Var),
}

/// How to end the scope of a name.
pub(super) enum Undo {
    Value(Value, Place),
    Var(Var, Binding),
}

impl Builder<'_> {
    /// Begins a region.
    pub(super) fn push_level(&mut self, region: Region, seq: Seq, structure: Structure) {
        let depth = self.levels.len() as u32;
        let (barrier, loop_level) = match (&structure, self.levels.last()) {
            // No variable is waiting to be passed on in an alternative in the loop: control came to execute a block.
            (Structure::Theta(_), _) => (self.clock, depth),
            (_, Some(parent)) => (parent.barrier, parent.loop_level),
            (_, None) => (0, NO_LOOP),
        };
        self.depths[region] = depth;
        self.region = region;
        let undo = self.spare.pop().unwrap_or_default();
        self.levels.push(Level {
            region,
            seq,
            next: 0,
            barrier,
            loop_level,
            structure,
            assigned: SmallVec::new(),
            undo,
        });
    }

    /// Ends the scopes of the names bound in the innermost region.
    pub(super) fn unbind(&mut self) {
        let level = self.levels.last_mut().expect("a level ends");
        for undo in level.undo.drain(..).rev() {
            match undo {
                Undo::Value(value, place) => self.places[value] = place,
                Undo::Var(var, binding) => self.variables[var].binding = binding,
            }
        }
        level.assigned.clear();
    }

    /// Ends the innermost region, the last of its structural node, which is returned. Names must be unbound.
    pub(super) fn pop_level(&mut self) -> Structure {
        let level = self.levels.pop().expect("a level ends");
        self.spare.push(level.undo);
        self.region = self.levels.last().expect("the root level stays until the end").region;
        level.structure
    }

    /// The level of a region under construction; `None` for a finished one.
    pub(super) fn level_of(&self, region: Region) -> Option<usize> {
        let depth = self.depths[region] as usize;
        (self.levels.get(depth)?.region == region).then_some(depth)
    }

    /// Binds a name to an origin of the region of a level, for the time of that region.
    pub(super) fn bind(&mut self, level: usize, name: Name, origin: Origin) {
        let level = &mut self.levels[level];
        let place = Place { region: level.region, origin };
        match name {
            Name::Value(value) => {
                level.undo.push(Undo::Value(value, self.places[value]));
                self.places[value] = place;
            }
            Name::Var(var) => {
                let binding = &mut self.variables[var].binding;
                level.undo.push(Undo::Var(var, *binding));
                *binding = Binding { place, assigned: false, ..*binding };
            }
        }
    }

    /// Routes a name from a level, where it has this origin, into all regions inside it that are under construction.
    pub(super) fn descend(&mut self, name: Name, from: usize, mut origin: Origin) -> Origin {
        for depth in from + 1..self.levels.len() {
            origin = match &mut self.levels[depth].structure {
                Structure::Root => unreachable!("the root is no region inside another"),
                Structure::Gamma(gamma) => gamma.enter(&mut self.graph, name, origin),
                Structure::Theta(theta) => {
                    let argument = theta.enter(&mut self.graph, name, origin);
                    if let Name::Var(var) = name {
                        self.note_source(var, argument);
                    }
                    argument
                }
            };
            self.bind(depth, name, origin);
        }
        origin
    }
}
