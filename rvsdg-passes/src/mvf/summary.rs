//! What the bodies of loops do to memory.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::{Graph, Node};

use super::access::{Access, Effect, Objects, effect};
use super::calls::CallEffect;
use super::numbering::{Numbering, Visit};
use rvsdg_analysis::Surroundings;

/// What one iteration of a loop may do to memory, loops in it included.
#[derive(Default)]
pub(super) struct Summary {
    /// Where it reads.
    reads: Accesses,
    /// Where it writes.
    writes: Accesses,
    /// What its calls do beyond those.
    calls: CallEffect,
}

/// A set of accesses in the order of their first appearance.
#[derive(Default)]
struct Accesses {
    list: Vec<Access>,
    set: FxHashSet<Access>,
}

impl Accesses {
    fn add(&mut self, access: Access) {
        if self.set.insert(access) {
            self.list.push(access);
        }
    }
}

/// What writes to a place, or others that may be the same, come to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Writes {
    /// None writes there.
    None,
    /// Only writes of values of that type to that very address.
    Same,
    /// Any.
    Unknown,
}

impl Summary {
    fn call(&mut self, call: CallEffect) {
        self.calls.join(&call);
        call.reads.iter().for_each(|&read| self.reads.add(read));
        call.writes.iter().for_each(|&write| self.writes.add(write));
    }

    /// What the loop writes at a place.
    pub(super) fn writes(&self, graph: &Graph, numbers: &Numbering, objects: &Objects, place: Access) -> Writes {
        if !objects.survives(graph, numbers, place, &self.calls) {
            return Writes::Unknown;
        }
        let mut found = Writes::None;
        for &write in &self.writes.list {
            if write == place {
                found = Writes::Same;
            } else if !objects.are_disjoint(graph, numbers, write, place) {
                return Writes::Unknown;
            }
        }
        found
    }

    /// Whether the loop may read something of a place.
    pub(super) fn reads(&self, graph: &Graph, numbers: &Numbering, objects: &Objects, place: Access) -> bool {
        !objects.is_unread(graph, numbers, place, &self.calls)
            || self.reads.list.iter().any(|&read| !objects.are_disjoint(graph, numbers, read, place))
    }

    /// The places that its loads and stores access, each once or twice.
    pub(super) fn places(&self) -> impl Iterator<Item = Access> + '_ {
        self.writes.list.iter().chain(&self.reads.list).copied()
    }

    /// Whether a load or store writes at a place, as far as addresses tell.
    pub(super) fn writes_at(&self, place: Access) -> bool {
        self.writes.set.contains(&place)
    }

    /// The places that its stores write.
    pub(super) fn written(&self) -> impl Iterator<Item = Access> + '_ {
        self.writes.list.iter().copied()
    }

    /// Whether its calls may write at a place.
    pub(super) fn calls_write(&self, graph: &Graph, numbers: &Numbering, objects: &Objects, place: Access) -> bool {
        !objects.survives(graph, numbers, place, &self.calls)
    }

    /// How many places it accesses.
    pub(super) fn len(&self) -> usize {
        self.reads.list.len() + self.writes.list.len()
    }
}

/// A summary of each loop of a body.
#[derive(Default)]
pub(super) struct Summaries<'s> {
    surroundings: Option<&'s Surroundings>,
    loops: FxHashMap<Node, Summary>,
    open: Vec<Summary>,
    /// Whether anything reads or writes memory.
    pub(super) any_access: bool,
}

impl<'s> Summaries<'s> {
    pub(super) fn new(surroundings: Option<&'s Surroundings>) -> Self {
        Summaries { surroundings, ..Summaries::default() }
    }

    /// Takes note of what [`Numbering::new`] comes to.
    pub(super) fn visit(&mut self, graph: &Graph, numbers: &mut Numbering, visit: Visit) {
        match visit {
            Visit::Simple(node) => {
                let effect = effect(graph, numbers, self.surroundings, node);
                self.any_access |= matches!(effect, Effect::Read(..) | Effect::Write(..));
                let Some(summary) = self.open.last_mut() else { return };
                match effect {
                    Effect::None => {}
                    Effect::Read(access, _) => summary.reads.add(access),
                    Effect::Write(access, _) => summary.writes.add(access),
                    Effect::Call(call) => summary.call(call),
                }
            }
            Visit::EnterTheta => self.open.push(Summary::default()),
            Visit::LeaveTheta(theta) => {
                let Some(summary) = self.open.pop() else { return };
                if let Some(outer) = self.open.last_mut() {
                    outer.calls.join(&summary.calls);
                    summary.reads.list.iter().for_each(|&read| outer.reads.add(read));
                    summary.writes.list.iter().for_each(|&write| outer.writes.add(write));
                }
                self.loops.insert(theta.node(), summary);
            }
        }
    }

    /// The summary of a loop.
    pub(super) fn of(&self, theta: Node) -> Option<&Summary> {
        self.loops.get(&theta)
    }
}
