//! Loops become θ-nodes.

use cranelift_entity::packed_option::PackedOption;
use rvsdg_core::hints::LoopHints;
use rvsdg_core::op::Op;
use rvsdg_core::structural::{LoopVar, Theta};
use rvsdg_core::{Graph, Origin, OriginDef, SourceId};
use smallvec::SmallVec;

use super::Builder;
use super::level::{Level, NO_LOOP, Name, Structure};
use super::variables::{Var, VarKind};
use crate::restructure::tree::{Item, Loop, LoopPredicate};
use crate::shape::{ArcRef, Block};

/// A θ-node under construction.
pub(super) struct ThetaState {
    theta: Theta,
    id: Loop,
    /// The variables that are read in the loop and come from outside, with their loop variables.
    variables: SmallVec<[(Var, LoopVar); 4]>,
    /// The predicate, once the block that decides has been translated.
    predicate: PackedOption<Origin>,
    /// How many arcs repeat the loop.
    repeats: u32,
    /// Whether all of those arcs may be assumed to make progress.
    progress: bool,
    /// What all of them say about the loop.
    hints: LoopHints,
    /// The jump whose arc was found last to repeat the loop.
    repeat_source: Option<SourceId>,
}

impl ThetaState {
    /// Adds a loop variable and returns its argument. A value does not change in the loop; a variable has its loop
    /// variable completed at the end.
    pub fn enter(&mut self, graph: &mut Graph, name: Name, origin: Origin) -> Origin {
        let variable = self.theta.add_loop_var(graph, origin);
        if let Name::Var(var) = name {
            self.variables.push((var, variable));
        }
        variable.pre
    }
}

impl Builder<'_> {
    /// Begins a loop.
    pub(super) fn begin_loop(&mut self, id: Loop) {
        let theta = Theta::add(&mut self.graph, self.region);
        self.graph.set_source(theta.node(), self.jump_before());
        let state = ThetaState {
            theta,
            id,
            variables: SmallVec::new(),
            predicate: None.into(),
            repeats: 0,
            progress: true,
            hints: LoopHints::default(),
            repeat_source: None,
        };
        let body = theta.body(&self.graph);
        self.push_level(body, self.tree.loops[id].body, Structure::Theta(Box::new(state)));
    }

    /// The unconditional jump directly before the current item of the innermost sequence, if there is one.
    fn jump_before(&self) -> Option<SourceId> {
        let level = self.levels.last().expect("a loop is in a region");
        match self.tree.items(level.seq)[..level.next - 1].last() {
            Some(Item::Arc { arc, .. }) if self.cfg.terminator(arc.from).arcs.len() == 1 => {
                self.cfg.terminator(arc.from).source.expand()
            }
            _ => None,
        }
    }

    /// The alternative of a block's terminator that repeats the loop whose end the block decides, if it does.
    pub(super) fn decides(&self, block: Block) -> Option<u32> {
        let level = self.levels.last().expect("a block is in a region");
        let Structure::Theta(state) = &level.structure else { return None };
        match self.tree.loops[state.id].predicate {
            LoopPredicate::Terminator { block: decider, repeat } if decider == block => Some(repeat),
            _ => None,
        }
    }

    /// Sets the predicate of the loop that the innermost region is the body of.
    pub(super) fn set_decision(&mut self, predicate: Origin) {
        let level = self.levels.last_mut().expect("a block is in a region");
        if let Structure::Theta(state) = &mut level.structure {
            state.predicate = predicate.into();
        }
    }

    /// Notes that control passes along an arc: it may be one that repeats a loop.
    pub(super) fn note_repetition(&mut self, arc: ArcRef) {
        let terminator = self.cfg.terminator(arc.from);
        let target = terminator.arcs[arc.index as usize].target;
        // A rotated loop is continued by the jump that led to its condition, not by the copy of the condition.
        let innermost = self.levels.last().expect("an arc is in a region").loop_level;
        let level = match (self.copies.copied_by(arc.from), self.copies.copied_by(target)) {
            (None, None) => self.loop_of[target],
            (None, Some(_)) => innermost,
            (Some(_), _) => NO_LOOP,
        };
        let Some(Level { structure: Structure::Theta(state), .. }) = self.levels.get_mut(level as usize) else {
            return;
        };
        if self.copies.copied_by(target).is_some_and(|id| id != state.id) {
            return;
        }
        if state.repeats == 0 {
            state.hints = terminator.hints;
        } else if !state.hints.is_same(terminator.hints) {
            state.hints = LoopHints::default();
        } else if state.progress && !terminator.progress {
            // What else its metadata says must not promise progress, either.
            state.hints.source = terminator.hints.source;
        }
        state.repeats += 1;
        state.progress &= terminator.progress;
        state.repeat_source = if terminator.arcs.len() == 1 { terminator.source.expand() } else { None };
    }

    /// Ends a loop: sets its predicate and completes its loop variables.
    pub(super) fn end_loop(&mut self) {
        let level = self.levels.last().expect("a loop ends");
        let Structure::Theta(state) = &level.structure else { unreachable!("the region is the body of a θ") };
        let (theta, barrier, hints) = (state.theta, level.barrier, state.hints);
        let progress = self.cfg.progress || (state.repeats > 0 && state.progress);
        let predicate = match self.tree.loops[state.id].predicate {
            LoopPredicate::Terminator { .. } => state.predicate.expect("the block that decides is in the body"),
            LoopPredicate::Aux(aux) => self.consume(Var::aux(aux)),
            LoopPredicate::Always => {
                let source = if state.repeats == 1 { state.repeat_source } else { None };
                self.ctl_const(1, 2, source)
            }
        };
        self.graph.divert(theta.predicate(&self.graph), predicate);
        self.graph.set_loop_hints(theta.node(), hints);
        if !progress {
            let io = self.read(Var::IO);
            self.assign(Var::IO, io);
        }
        let assigned: SmallVec<[(Var, Origin); 8]> = self.levels[self.levels.len() - 1]
            .assigned
            .iter()
            .filter(|&&var| self.variables[var].waits(barrier))
            .map(|&var| (var, self.variables[var].binding.place.origin))
            .collect();
        self.unbind();
        let Structure::Theta(state) = self.pop_level() else { unreachable!("the region is the body of a θ") };
        self.route_loop_variables(&state, &assigned);
        let level = self.levels.last_mut().expect("a loop is in a region");
        level.barrier = level.barrier.max(barrier);
    }

    /// Completes the loop variables of the variables that are assigned at the end of the body. The innermost level is the
    /// one around the θ.
    fn route_loop_variables(&mut self, state: &ThetaState, assigned: &[(Var, Origin)]) {
        self.serial += 1;
        for (index, &(var, _)) in state.variables.iter().enumerate() {
            self.variables[var].slot = (self.serial, index as u32);
        }
        for &(var, origin) in assigned {
            let variable = &self.variables[var];
            if variable.slot.0 != self.serial {
                continue;
            }
            let loop_var = state.variables[variable.slot.1 as usize].1;
            let goes_on = match variable.kind {
                VarKind::Mem | VarKind::Io | VarKind::Copied { .. } => true,
                // It was read in the loop, so this is for the next iteration.
                VarKind::Aux(_) | VarKind::Param(_) => false,
            };
            self.graph.divert(loop_var.post, origin);
            if goes_on {
                self.assign(var, loop_var.output);
            }
        }
        for &(_, loop_var) in &state.variables {
            let post = self.graph.origin(loop_var.post);
            self.outputs.insert(post, loop_var.output);
        }
        for &(var, origin) in assigned {
            let variable = &self.variables[var];
            if variable.slot.0 == self.serial || !variable.is_wanted(self.clock) {
                continue;
            }
            if let Some(output) = self.output_of(state.theta, origin) {
                self.assign(var, output);
                continue;
            }
            let input = match variable.kind {
                VarKind::Copied { .. } => self.read(var),
                _ => self.arbitrary(var, self.region),
            };
            let loop_var = state.theta.add_loop_var(&mut self.graph, input);
            self.graph.divert(loop_var.post, origin);
            self.note_source(var, loop_var.output);
            self.outputs.insert(origin, loop_var.output);
            self.assign(var, loop_var.output);
        }
    }

    /// The output of a finished θ that an origin of its body already leaves through.
    pub(super) fn output_of(&self, theta: Theta, origin: Origin) -> Option<Origin> {
        if let OriginDef::Argument(_, index) = self.graph.def(origin) {
            let loop_var = theta.loop_var(&self.graph, index as usize);
            if self.graph.origin(loop_var.post) == origin {
                return Some(loop_var.output);
            }
        }
        self.outputs.get(&origin).copied()
    }

    /// A node for a known predicate in the innermost region.
    pub(super) fn ctl_const(&mut self, value: u32, of: u32, source: Option<SourceId>) -> Origin {
        let ty = self.cfg.pool().ctl(of);
        let node = self.graph.add_simple(self.region, Op::CtlConst { value, of }, &[], &[ty]);
        self.graph.set_source(node, source);
        self.graph.output(node, 0)
    }
}
