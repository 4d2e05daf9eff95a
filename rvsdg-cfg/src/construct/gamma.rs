//! Branches become γ-nodes.

use cranelift_entity::packed_option::PackedOption;
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Graph, Origin};
use smallvec::{SmallVec, smallvec};

use super::Builder;
use super::level::{Name, Structure};
use super::variables::Var;
use crate::restructure::tree::{Branch, Predicate};

/// A γ-node under construction.
pub(super) struct GammaState {
    gamma: Gamma,
    branch: Branch,
    /// The alternative under construction.
    alternative: usize,
    /// What each entry variable carries.
    entries: SmallVec<[Name; 8]>,
    /// The variables that finished alternatives leave assigned: variable, alternative, origin.
    assigned: SmallVec<[(Var, u32, Origin); 8]>,
    /// When a block executed last on all paths to the end of each finished alternative.
    barriers: SmallVec<[u32; 4]>,
}

impl GammaState {
    /// Adds an entry variable and returns its argument in the alternative under construction.
    pub fn enter(&mut self, graph: &mut Graph, name: Name, origin: Origin) -> Origin {
        self.entries.push(name);
        let variable = self.gamma.add_entry_var(graph, origin);
        variable.argument(graph, self.gamma, self.alternative)
    }
}

impl Builder<'_> {
    /// Begins a branch with its first alternative.
    pub(super) fn begin_branch(&mut self, branch: Branch) {
        let data = &self.tree.branches[branch];
        let predicate = match data.predicate {
            Predicate::Terminator(block) => self.terminator_predicate(block),
            Predicate::Aux(aux) => self.consume(Var::aux(aux)),
        };
        let gamma = Gamma::add(&mut self.graph, self.region, predicate, data.alternatives.len());
        let region = gamma.regions(&self.graph)[0];
        let state = GammaState {
            gamma,
            branch,
            alternative: 0,
            entries: SmallVec::new(),
            assigned: SmallVec::new(),
            barriers: SmallVec::new(),
        };
        self.push_level(region, data.alternatives[0], Structure::Gamma(Box::new(state)));
    }

    /// Ends an alternative and begins the next, or ends the branch.
    pub(super) fn end_alternative(&mut self) {
        let depth = self.levels.len() - 1;
        let level = &mut self.levels[depth];
        let Structure::Gamma(mut state) = std::mem::replace(&mut level.structure, Structure::Root) else {
            unreachable!("an alternative is in a γ")
        };
        for &var in &level.assigned {
            let variable = &self.variables[var];
            if variable.waits(level.barrier) {
                state.assigned.push((var, state.alternative as u32, variable.binding.place.origin));
            }
        }
        state.barriers.push(level.barrier);
        self.unbind();
        state.alternative += 1;
        let Some(&seq) = self.tree.branches[state.branch].alternatives.get(state.alternative) else {
            self.pop_level();
            return self.end_branch(*state);
        };
        let region = state.gamma.regions(&self.graph)[state.alternative];
        self.depths[region] = depth as u32;
        self.region = region;
        let barrier = self.levels[depth - 1].barrier;
        let level = &mut self.levels[depth];
        (level.region, level.seq, level.next, level.barrier) = (region, seq, 0, barrier);
        for (index, &name) in state.entries.iter().enumerate() {
            let argument = self.graph.arguments(region)[index];
            self.bind(depth, name, argument);
        }
        self.levels[depth].structure = Structure::Gamma(state);
    }

    /// Routes out the variables that the alternatives leave assigned. The innermost level is the one around the γ.
    fn end_branch(&mut self, mut state: GammaState) {
        self.serial += 1;
        let serial = self.serial;
        let mut exits: SmallVec<[Var; 8]> = SmallVec::new();
        state.assigned.retain(|&mut (var, ..)| self.variables[var].is_wanted(self.clock));
        for &(var, ..) in &state.assigned {
            let slot = &mut self.variables[var].slot;
            if slot.0 != serial {
                slot.0 = serial;
                exits.push(var);
            }
        }
        exits.sort_by_key(|&var| if var == Var::IO { 2 } else { u8::from(var == Var::MEM) });
        for (number, &var) in exits.iter().enumerate() {
            self.variables[var].slot.1 = number as u32;
        }
        let count = state.barriers.len();
        let mut origins: SmallVec<[PackedOption<Origin>; 16]> = smallvec![None.into(); exits.len() * count];
        for &(var, alternative, origin) in &state.assigned {
            origins[self.variables[var].slot.1 as usize * count + alternative as usize] = origin.into();
        }
        let mut results: SmallVec<[Origin; 8]> = SmallVec::new();
        let mut marked = false;
        for (number, &var) in exits.iter().enumerate() {
            results.clear();
            for alternative in 0..count {
                let origin = origins[number * count + alternative].expand();
                results.push(origin.unwrap_or_else(|| {
                    let region = state.gamma.regions(&self.graph)[alternative];
                    if self.variables[var].waits(state.barriers[alternative]) {
                        if !std::mem::replace(&mut marked, true) {
                            self.mark_entries(&state);
                        }
                        let index = self.entry_of(&mut state, var);
                        self.graph.arguments(region)[index]
                    } else {
                        self.arbitrary(var, region)
                    }
                }));
            }
            let exit = state.gamma.add_exit_var(&mut self.graph, &results);
            self.note_source(var, exit.output);
            self.assign(var, exit.output);
        }
        let all = state.barriers.iter().copied().min().expect("a branch has alternatives");
        let level = self.levels.last_mut().expect("a branch is in a region");
        level.barrier = level.barrier.max(all);
    }

    /// Lets variables know which entry variables of a γ carry them.
    fn mark_entries(&mut self, state: &GammaState) {
        for (index, &name) in state.entries.iter().enumerate() {
            if let Name::Var(var) = name {
                self.variables[var].entry = (self.serial, index as u32);
            }
        }
    }

    /// The index of the entry variable of a γ that carries the value of a variable before it.
    fn entry_of(&mut self, state: &mut GammaState, var: Var) -> usize {
        let (serial, index) = self.variables[var].entry;
        if serial == self.serial {
            return index as usize;
        }
        let origin = self.read(var);
        let index = state.gamma.add_entry_var(&mut self.graph, origin).index;
        state.entries.push(Name::Var(var));
        self.variables[var].entry = (self.serial, index as u32);
        index
    }
}
