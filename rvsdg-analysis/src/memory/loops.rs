//! Summaries of loops: the effects of their bodies on memory.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use rvsdg_core::tbaa::AccessTag;
use rvsdg_core::{Graph, Node};

use super::calls::CallEffect;
use super::effects::{Effect, Location, effect, tag};
use super::objects::Objects;
use super::transfer::Transfer;
use crate::Surroundings;
use crate::dead_ends::DeadEnds;
use crate::numbering::{Numbering, Visit};

/// The effects of one iteration of a loop on memory, inner loops included. Writes on paths to a dead end are left out: neither the next
/// iteration nor code after the loop sees them.
#[derive(Default)]
pub struct LoopSummary {
    /// The locations that it reads.
    reads: Locations,
    /// The locations that it writes.
    writes: Locations,
    /// The additional effects of its calls.
    calls: CallEffect,
}

/// A set of accesses in order of first appearance.
#[derive(Default)]
struct Locations {
    list: Vec<Location>,
    /// Each with the tag that all its accesses have.
    tags: FxHashMap<Location, Option<AccessTag>>,
}

impl Locations {
    fn add(&mut self, access: Location, tag: Option<AccessTag>) {
        match self.tags.entry(access) {
            Entry::Vacant(new) => {
                new.insert(tag);
                self.list.push(access);
            }
            Entry::Occupied(mut known) => {
                if *known.get() != tag {
                    known.insert(None);
                }
            }
        }
    }

    fn extend(&mut self, other: &Locations) {
        other.iter().for_each(|(access, tag)| self.add(access, tag));
    }

    fn iter(&self) -> impl Iterator<Item = (Location, Option<AccessTag>)> + '_ {
        self.list.iter().map(|&access| (access, self.tags[&access]))
    }
}

/// What a loop writes to a location and to those that may alias it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Writes {
    /// Nothing.
    None,
    /// Only values of that type to that very address.
    Same,
    /// Unknown values.
    Unknown,
}

impl LoopSummary {
    fn call(&mut self, mut call: CallEffect, goes_on: bool) {
        call.writes_any &= goes_on;
        self.calls.join(&call);
        call.reads.iter().for_each(|&read| self.reads.add(read, None));
        if goes_on {
            call.writes.iter().for_each(|&write| self.writes.add(write, None));
        }
    }

    /// What the loop writes to a location, as seen by a read with a tag; and whether that holds only for reads with that tag.
    pub fn writes(
        &self,
        graph: &Graph,
        numbers: &Numbering,
        objects: &Objects,
        place: Location,
        tag: Option<AccessTag>,
    ) -> (Writes, bool) {
        if !objects.survives(graph, numbers, place, &self.calls) {
            return (Writes::Unknown, false);
        }
        let (mut found, mut by_type) = (Writes::None, false);
        for write in self.writes.iter() {
            if write.0 == place {
                found = Writes::Same;
            } else if !objects.are_disjoint(graph, numbers, write.0, place) {
                if !objects.is_unseen(graph, numbers, write, (place, tag)) {
                    return (Writes::Unknown, false);
                }
                by_type = true;
            }
        }
        (found, by_type)
    }

    /// Whether the loop may read some of a location.
    pub fn reads(&self, graph: &Graph, numbers: &Numbering, objects: &Objects, place: Location) -> bool {
        self.calls_read(graph, numbers, objects, place)
            || self.reads.list.iter().any(|&read| !objects.are_disjoint(graph, numbers, read, place))
    }

    /// The locations that its loads and stores access, each once or twice.
    pub fn places(&self) -> impl Iterator<Item = Location> + '_ {
        self.writes.list.iter().chain(&self.reads.list).copied()
    }

    /// Whether a load or store may write a location, as far as addresses tell.
    pub fn writes_at(&self, place: Location) -> bool {
        self.writes.tags.contains_key(&place)
    }

    /// The locations that its stores write, each with the common tag of these stores.
    pub fn written(&self) -> impl Iterator<Item = (Location, Option<AccessTag>)> + '_ {
        self.writes.iter()
    }

    /// Whether its calls may write a location.
    pub fn calls_write(&self, graph: &Graph, numbers: &Numbering, objects: &Objects, place: Location) -> bool {
        !objects.survives(graph, numbers, place, &self.calls)
    }

    /// Whether its calls may read a location.
    fn calls_read(&self, graph: &Graph, numbers: &Numbering, objects: &Objects, place: Location) -> bool {
        !objects.is_unread(graph, numbers, place, &self.calls)
    }

    /// Whether its calls may read or write a location.
    pub fn calls_access(&self, graph: &Graph, numbers: &Numbering, objects: &Objects, place: Location) -> bool {
        self.calls_read(graph, numbers, objects, place) || self.calls_write(graph, numbers, objects, place)
    }

    /// How many locations it accesses.
    pub fn count(&self) -> usize {
        self.reads.list.len() + self.writes.list.len()
    }
}

/// A summary of each loop of a body.
#[derive(Default)]
pub struct LoopSummaries<'s> {
    surroundings: Option<&'s Surroundings>,
    dead_ends: DeadEnds,
    loops: FxHashMap<Node, LoopSummary>,
    open: Vec<LoopSummary>,
    /// Whether the body has loads, stores, copies or fills.
    pub any_access: bool,
}

impl<'s> LoopSummaries<'s> {
    /// No summaries yet; [`LoopSummaries::visit`] adds them.
    pub fn new(graph: &Graph, surroundings: Option<&'s Surroundings>) -> Self {
        LoopSummaries { surroundings, dead_ends: DeadEnds::of(graph), ..LoopSummaries::default() }
    }

    /// Whether there is no loop.
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// The regions of the body whose end is unreachable.
    pub fn dead_ends(&self) -> &DeadEnds {
        &self.dead_ends
    }

    /// Records what [`Numbering::new`] visits.
    pub fn visit(&mut self, graph: &Graph, numbers: &mut Numbering, visit: Visit) {
        match visit {
            Visit::Simple(node) => {
                let effect = effect(graph, numbers, self.surroundings, node);
                self.any_access |= match effect {
                    Effect::None => false,
                    Effect::Read(..) | Effect::Write(..) => true,
                    Effect::Call(_) => Transfer::of(graph, self.surroundings, node).is_some(),
                };
                let Some(summary) = self.open.last_mut() else { return };
                let goes_on = || !self.dead_ends.has_around(graph, graph.region_of(node));
                match effect {
                    Effect::None => {}
                    Effect::Read(access, _) => summary.reads.add(access, None),
                    Effect::Write(access, _) => {
                        if goes_on() {
                            summary.writes.add(access, tag(graph, node));
                        }
                    }
                    Effect::Call(call) => summary.call(call, goes_on()),
                }
            }
            Visit::EnterTheta => self.open.push(LoopSummary::default()),
            Visit::LeaveTheta(theta) => {
                let Some(summary) = self.open.pop() else { return };
                if let Some(outer) = self.open.last_mut() {
                    let goes_on = !self.dead_ends.has_around(graph, graph.region_of(theta.node()));
                    outer.calls.join(&summary.calls);
                    outer.reads.extend(&summary.reads);
                    if goes_on {
                        outer.writes.extend(&summary.writes);
                    }
                }
                self.loops.insert(theta.node(), summary);
            }
        }
    }

    /// The summary of a loop.
    pub fn of(&self, theta: Node) -> Option<&LoopSummary> {
        self.loops.get(&theta)
    }
}
