//! Forward along the memory state: which value each load finds.

use rustc_hash::FxHashMap;
use rvsdg_analysis::memory::{Effect, Location, LoopSummaries, Objects, Writes, bits_in_memory, effect, states};
use rvsdg_analysis::numbering::Numbering;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Region, SourceId, Use};
use smallvec::SmallVec;

use super::around::Around;
use super::values::{Def, Value, Values};

/// So many places are remembered at a time, so that the work per node is bounded. The oldest are forgotten first.
pub(super) const MAX_FACTS: usize = 64;

/// What is known of the memory at a point of the chain of states.
#[derive(Clone, Default)]
struct Facts(Vec<(Location, Value)>);

impl Facts {
    fn find(&self, place: Location) -> Option<Value> {
        self.0.iter().rev().find(|(known, _)| *known == place).map(|&(_, value)| value)
    }

    fn add(&mut self, place: Location, value: Value) {
        if self.0.len() == MAX_FACTS {
            self.0.remove(0);
        }
        self.0.push((place, value));
    }
}

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    /// Loads in the order of execution, each with the value it finds, which may have another type of the same size.
    pub(super) loads: Vec<(Node, Value)>,
    /// Stores of what is there already.
    pub(super) stores: Vec<Node>,
    pub(super) values: Values,
    /// Of what was to be carried around loops: the value inside, by the number in the list.
    pub(super) around: Vec<(usize, Value)>,
}

/// Where the walk goes on when a region ends.
enum Frame {
    Gamma { gamma: Gamma, entry: Facts, exits: Vec<Facts> },
    Theta { theta: Theta, entry: Facts, changing: Vec<(Location, Value)>, around: Vec<(usize, Value)> },
}

/// Walks the chain of memory states of a body.
pub(super) struct Forward<'a> {
    graph: &'a Graph,
    numbers: &'a mut Numbering,
    objects: &'a Objects<'a>,
    summaries: &'a LoopSummaries<'a>,
    around: &'a [Around],
    /// Where in that list those of a loop begin.
    around_loops: FxHashMap<Node, usize>,
    facts: Facts,
    found: Found,
    /// An instruction that loads or stores each place, where the body's values are described.
    instructions: FxHashMap<Location, SourceId>,
}

impl<'a> Forward<'a> {
    pub(super) fn new(
        graph: &'a Graph,
        numbers: &'a mut Numbering,
        objects: &'a Objects<'a>,
        summaries: &'a LoopSummaries<'a>,
        around: &'a [Around],
    ) -> Self {
        let mut around_loops = FxHashMap::default();
        for (number, carried) in around.iter().enumerate() {
            around_loops.entry(carried.theta.node()).or_insert(number);
        }
        Forward {
            graph,
            numbers,
            objects,
            summaries,
            around,
            around_loops,
            facts: Facts::default(),
            found: Found::default(),
            instructions: FxHashMap::default(),
        }
    }

    pub(super) fn run(mut self) -> Found {
        let graph = self.graph;
        let mut frames: Vec<Frame> = Vec::new();
        // The state that is followed, in the region that it is in.
        let mut region = graph.root();
        let mut state = states::start(graph, region);
        loop {
            match state.and_then(|state| states::user(graph, state)) {
                Some(Use::Input(node, _)) => {
                    if let Some(gamma) = Gamma::new(graph, node) {
                        frames.push(Frame::Gamma { gamma, entry: self.facts.clone(), exits: Vec::new() });
                        region = gamma.regions(graph)[0];
                        state = states::start(graph, region);
                    } else if let Some(theta) = Theta::new(graph, node) {
                        frames.push(self.enter_loop(theta));
                        region = theta.body(graph);
                        state = states::start(graph, region);
                    } else {
                        self.simple(node);
                        state = states::after(graph, node);
                    }
                    continue;
                }
                Some(Use::Result(..)) => {}
                // A chain that does not reach the end of its region says nothing of the memory there.
                None => self.facts.0.clear(),
            }
            match frames.pop() {
                None => return self.found,
                Some(Frame::Gamma { gamma, entry, mut exits }) => {
                    exits.push(std::mem::take(&mut self.facts));
                    if let Some(&next) = gamma.regions(graph).get(exits.len()) {
                        self.facts = entry.clone();
                        frames.push(Frame::Gamma { gamma, entry, exits });
                        region = next;
                        state = states::start(graph, region);
                        continue;
                    }
                    region = graph.region_of(gamma.node());
                    self.leave_gamma(gamma, &exits, region);
                    state = states::after(graph, gamma.node());
                }
                Some(Frame::Theta { theta, entry, changing, around }) => {
                    region = graph.region_of(theta.node());
                    self.leave_loop(theta, entry, changing, around, region);
                    state = states::after(graph, theta.node());
                }
            }
        }
    }

    fn simple(&mut self, node: Node) {
        let graph = self.graph;
        let effect = effect(graph, self.numbers, self.objects.surroundings(), node);
        if let (Effect::Read(place, true) | Effect::Write(place, true), Some(source)) = (&effect, graph.source(node))
            && graph.describes_values()
        {
            self.instructions.entry(*place).or_insert(source);
        }
        match effect {
            Effect::None | Effect::Read(_, false) => {}
            Effect::Read(place, true) => self.load(node, place),
            Effect::Write(place, plain) => {
                let stored = self.found.values.of(graph, graph.input(node, 0));
                if plain && self.facts.find(place).is_some_and(|known| self.are_equal(known, stored)) {
                    self.found.stores.push(node);
                    return;
                }
                let (objects, numbers) = (self.objects, &*self.numbers);
                self.facts.0.retain(|&(known, _)| objects.are_disjoint(graph, numbers, known, place));
                if plain {
                    self.facts.add(place, stored);
                }
            }
            Effect::Call(call) => {
                let (objects, numbers) = (self.objects, &*self.numbers);
                self.facts.0.retain(|&(known, _)| objects.survives(graph, numbers, known, &call));
            }
        }
    }

    fn load(&mut self, node: Node, place: Location) {
        let graph = self.graph;
        let output = graph.output(node, 0);
        if let Some(value) = self.facts.find(place) {
            self.found.loads.push((node, value));
            self.found.values.equate(output, value);
            return;
        }
        let pool = graph.pool();
        let same_bits = |&&(known, _): &&(Location, Value)| {
            known.addr == place.addr
                && bits_in_memory(pool, known.ty).is_some_and(|bits| bits_in_memory(pool, place.ty) == Some(bits))
        };
        if let Some(&(_, value)) = self.facts.0.iter().rev().find(same_bits) {
            self.found.loads.push((node, value));
        }
        let value = self.found.values.of(graph, output);
        self.facts.add(place, value);
    }

    /// Another value, which a place holds where the variable that it becomes is.
    fn add(&mut self, def: Def, like: Value, place: Location) -> Value {
        let value = self.found.values.add(def, like);
        if let Some(&source) = self.instructions.get(&place) {
            self.found.values.note_content(value, source);
        }
        value
    }

    fn are_equal(&self, a: Value, b: Value) -> bool {
        let number = |value| match *self.found.values.def(value) {
            Def::Origin(origin) => self.numbers.known(origin),
            Def::Exit(..) | Def::Pre(..) | Def::After(_) | Def::Last(..) => None,
        };
        a == b || number(a).is_some_and(|vn| number(b) == Some(vn))
    }

    /// Keeps what is the same behind every region of a γ, and makes values that depend on the region exit variables.
    fn leave_gamma(&mut self, gamma: Gamma, exits: &[Facts], outer: Region) {
        let graph = self.graph;
        let Some((first, rest)) = exits.split_first() else { return };
        let depth = self.numbers.depth(outer);
        for &(place, value) in &first.0 {
            if !self.numbers.is_visible(place.addr, outer) {
                continue;
            }
            let values: Option<SmallVec<[Value; 2]>> =
                std::iter::once(Some(value)).chain(rest.iter().map(|facts| facts.find(place))).collect();
            let Some(values) = values else { continue };
            let home = self.found.values.home(graph, value);
            let common = values.iter().all(|&other| other == value) && self.numbers.depth(home) <= depth;
            let value = if common { value } else { self.add(Def::Exit(gamma, values), value, place) };
            self.facts.add(place, value);
        }
    }

    /// Keeps what no iteration changes, and makes what every change of is known a loop variable.
    fn enter_loop(&mut self, theta: Theta) -> Frame {
        let graph = self.graph;
        self.objects.look_inside(Some(theta.node()));
        let before = std::mem::take(&mut self.facts);
        let (mut entry, mut changing) = (Facts::default(), Vec::new());
        for (place, value) in before.0 {
            let writes = self
                .summaries
                .of(theta.node())
                .map_or(Writes::Unknown, |summary| summary.writes(graph, self.numbers, self.objects, place));
            match writes {
                Writes::None => {
                    entry.add(place, value);
                    self.facts.add(place, value);
                }
                Writes::Same => {
                    let pre = self.add(Def::Pre(theta, value, None.into()), value, place);
                    changing.push((place, pre));
                    self.facts.add(place, pre);
                }
                Writes::Unknown => {}
            }
        }
        let mut around = Vec::new();
        let start = self.around_loops.get(&theta.node()).copied().unwrap_or(self.around.len());
        for (number, carried) in self.around.iter().enumerate().skip(start) {
            if carried.theta != theta {
                break;
            }
            let first = self.found.values.of(graph, carried.first);
            let pre = self.found.values.add(Def::Pre(theta, first, None.into()), first);
            self.facts.add(carried.place, pre);
            around.push((number, pre));
        }
        Frame::Theta { theta, entry, changing, around }
    }

    fn leave_loop(
        &mut self,
        theta: Theta,
        entry: Facts,
        changing: Vec<(Location, Value)>,
        around: Vec<(usize, Value)>,
        outer: Region,
    ) {
        self.objects.look_inside(None);
        let last = std::mem::replace(&mut self.facts, entry);
        for &(number, pre) in &around {
            if let Some(next) = last.find(self.around[number].before) {
                self.found.values.set_next(pre, next);
            }
        }
        self.found.around.extend(around);
        let depth = self.numbers.depth(outer);
        for &(place, pre) in &changing {
            // One that was forgotten for lack of room stays without a next value, and with that is not built.
            if let Some(next) = last.find(place) {
                self.found.values.set_next(pre, next);
                let after = self.found.values.add(Def::After(pre), pre);
                self.facts.add(place, after);
            }
        }
        for (place, value) in last.0 {
            let known = self.facts.find(place).is_some() || changing.iter().any(|&(changed, _)| changed == place);
            if known || !self.numbers.is_visible(place.addr, outer) {
                continue;
            }
            let outside = self.numbers.depth(self.found.values.home(self.graph, value)) <= depth;
            let value = if outside { value } else { self.found.values.add(Def::Last(theta, value), value) };
            self.facts.add(place, value);
        }
    }
}
