//! Variables: values with several assignments.

use std::ops::Range;

use cranelift_entity::{EntityRef, entity_impl};
use rvsdg_core::op::Op;
use rvsdg_core::{Origin, Region};

use super::Builder;
use super::level::{Name, Undo};
use super::values::Place;
use crate::cfg::Value;
use crate::restructure::tree::Aux;
use crate::shape::Block;

/// A variable.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub(super) struct Var(u32);
entity_impl!(Var, "var");

impl Var {
    /// The memory state.
    pub const MEM: Var = Var(0);
    /// The io state.
    pub const IO: Var = Var(1);

    /// The variable of an auxiliary predicate.
    pub fn aux(aux: Aux) -> Var {
        Var(2 + aux.as_u32())
    }
}

/// What a variable represents.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum VarKind {
    /// The memory state.
    Mem,
    /// The io state.
    Io,
    /// An auxiliary predicate.
    Aux(Aux),
    /// A parameter of a block, from an arc to the block on.
    Param(Value),
    /// A value defined by a block that is copied, until the step that uses it last.
    Copied { value: Value, last_use: u32 },
}

/// What a variable holds.
#[derive(Copy, Clone)]
pub(super) struct Binding {
    /// Where it is, if it is in scope.
    pub place: Place,
    /// When it was assigned; [`Binding::ALWAYS`] if it stays in scope without being read.
    pub stamp: u32,
    /// Whether it was assigned in the region that it is in, instead of being routed there.
    pub assigned: bool,
}

impl Binding {
    /// The stamp of variables that stay in scope when a block executes.
    const ALWAYS: u32 = u32::MAX;
}

/// The state of a variable.
pub(super) struct Variable {
    /// What it represents.
    pub kind: VarKind,
    /// What it holds.
    pub binding: Binding,
    /// When it was read for the last time; its earlier value is out of scope.
    pub consumed: u32,
    /// Its number among the exit variables or loop variables of the structural node with this serial number.
    pub slot: (u32, u32),
    /// Its number among the entry variables of the γ with this serial number.
    pub entry: (u32, u32),
}

impl Variable {
    /// A variable that holds nothing.
    pub fn new(kind: VarKind) -> Self {
        let binding = Binding { place: Place::none(), stamp: 0, assigned: false };
        Self { kind, binding, consumed: 0, slot: (0, 0), entry: (0, 0) }
    }

    /// Whether it holds something that can still be read, at a place where a block executed last at `barrier`.
    pub fn waits(&self, barrier: u32) -> bool {
        self.binding.place.is_some() && self.binding.stamp >= barrier.max(self.consumed)
    }

    /// Whether it may be read after step `now`, if it [waits](Variable::waits).
    pub fn is_wanted(&self, now: u32) -> bool {
        match self.kind {
            VarKind::Copied { last_use, .. } => last_use > now,
            VarKind::Mem | VarKind::Io | VarKind::Aux(_) | VarKind::Param(_) => true,
        }
    }

    fn stamp(&self, now: u32) -> u32 {
        match self.kind {
            VarKind::Aux(_) | VarKind::Param(_) => now,
            VarKind::Mem | VarKind::Io | VarKind::Copied { .. } => Binding::ALWAYS,
        }
    }
}

impl Builder<'_> {
    /// The variables of the parameters of a block.
    pub(super) fn params_of(&self, block: Block) -> impl ExactSizeIterator<Item = Var> + use<> {
        let first = self.first_param[block] as usize;
        let range: Range<usize> = first..first + self.cfg.block_params(block).len();
        range.map(Var::new)
    }

    /// Assigns an origin of the innermost region to a variable.
    pub(super) fn assign(&mut self, var: Var, origin: Origin) {
        let variable = &mut self.variables[var];
        let stamp = variable.stamp(self.clock);
        let binding = &mut variable.binding;
        if binding.place.region != self.region || !binding.assigned {
            let level = self.levels.last_mut().expect("a region is under construction");
            level.undo.push(Undo::Var(var, *binding));
            level.assigned.push(var);
        }
        *binding = Binding { place: Place { region: self.region, origin }, stamp, assigned: true };
    }

    /// The origin in the innermost region that a variable holds.
    pub(super) fn read(&mut self, var: Var) -> Origin {
        let Place { region, origin } = self.variables[var].binding.place;
        if region == self.region {
            return origin;
        }
        if !self.variables[var].binding.place.is_some() {
            return self.arbitrary(var, self.region);
        }
        let level = self.level_of(region).expect("a variable in scope is in an open region");
        self.descend(Name::Var(var), level, origin)
    }

    /// Reads a variable for the last time: its value goes out of scope.
    pub(super) fn consume(&mut self, var: Var) -> Origin {
        let origin = self.read(var);
        self.variables[var].consumed = self.clock;
        origin
    }

    /// Makes an origin that carries a variable represent the variable's phi.
    pub(super) fn note_source(&mut self, var: Var, origin: Origin) {
        let source = match self.variables[var].kind {
            VarKind::Param(value) | VarKind::Copied { value, .. } => self.cfg.value_source(value),
            VarKind::Mem | VarKind::Io | VarKind::Aux(_) => None,
        };
        if source.is_some() {
            self.graph.set_origin_source(origin, source);
        }
    }

    /// An origin for a variable where no path leads from to where it is read.
    pub(super) fn arbitrary(&mut self, var: Var, region: Region) -> Origin {
        match self.variables[var].kind {
            VarKind::Mem | VarKind::Io => unreachable!("states are in scope everywhere"),
            VarKind::Aux(aux) => {
                let of = self.tree.auxes[aux];
                let node =
                    self.graph.add_simple(region, Op::CtlConst { value: 0, of }, &[], &[self.cfg.pool().ctl(of)]);
                self.graph.move_to_front(node);
                self.graph.output(node, 0)
            }
            VarKind::Param(value) | VarKind::Copied { value, .. } => self.poison(region, self.cfg.ty(value)),
        }
    }
}
