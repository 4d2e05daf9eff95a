//! Forward along the memory state: finds the value of each load.

use rustc_hash::FxHashMap;
use rvsdg_analysis::conditions::REPEAT;
use rvsdg_analysis::invariant::known_constant;
use rvsdg_analysis::leads;
use rvsdg_analysis::memory::{
    Effect, Location, LoopSummaries, Objects, Transfer, Writes, bits_in_memory, effect, states, tag,
};
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::fold::parts;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::tbaa::AccessTag;
use rvsdg_core::{Graph, Node, Origin, Pool, Region, SourceId, Use};
use smallvec::SmallVec;

use super::around::{Around, Settled};
use super::hoist::{CertainLoads, computable_loads};
use super::restore::load_to_repeat;
use super::values::{Def, Value, Values};
use super::zeros::Zeros;

/// How many facts are remembered at a time, which bounds the work per node. The oldest are forgotten first.
pub(super) const MAX_FACTS: usize = 64;

/// For how many locations per loop it is found out whether they can be restored, which bounds the work.
const MAX_RESTORED: usize = 8;

/// What is known of memory at a point of the state chain.
#[derive(Clone, Default)]
struct Facts {
    known: Vec<Fact>,
    zeros: Zeros,
}

/// The known value of a location.
#[derive(Copy, Clone)]
struct Fact {
    place: Location,
    value: Value,
    /// The type-based tag of the access that established the fact.
    tag: Option<AccessTag>,
    /// Whether only loads with that tag may use it: others may read something that was written since.
    typed: bool,
    /// Whether the fact comes from a store with that tag: a load may read what was written with another tag.
    stored: bool,
}

impl Fact {
    fn read(place: Location, value: Value, tag: Option<AccessTag>) -> Fact {
        Fact { place, value, tag, typed: false, stored: false }
    }

    /// Whether a store with a tag leaves the location with the type that it has.
    fn keeps_type(&self, pool: &Pool, tag: Option<AccessTag>) -> bool {
        let known = self.stored && self.tag == tag && !self.typed;
        known || !pool.has_tags() || seeded::is_active(Bug::MvfTypedStore)
    }

    /// Whether loads with a tag may use the value.
    fn is_for(&self, tag: Option<AccessTag>) -> bool {
        !self.typed || self.tag == tag || seeded::is_active(Bug::MvfTypedFact)
    }
}

impl Facts {
    /// The latest fact about a location.
    fn latest(&self, place: Location) -> Option<&Fact> {
        self.known.iter().rev().find(|known| known.place == place)
    }

    /// The value that a load with a tag finds.
    fn find(&self, place: Location, tag: Option<AccessTag>) -> Option<Value> {
        self.known.iter().rev().find(|known| known.place == place && known.is_for(tag)).map(|known| known.value)
    }

    fn add(&mut self, fact: Fact) {
        if self.known.len() == MAX_FACTS {
            self.known.remove(0);
        }
        self.known.push(fact);
    }
}

/// The results of the walk.
#[derive(Default)]
pub(super) struct Found {
    /// Loads in execution order, each with its value, which may have another type of the same size.
    pub(super) loads: Vec<(Node, Value)>,
    /// Redundant stores, of the value that is already there.
    pub(super) stores: Vec<Node>,
    pub(super) values: Values,
    /// For the values to carry around loops: the value inside, by index in the list.
    pub(super) around: Vec<(usize, Value)>,
    pub(super) settled: Vec<Settled>,
}

/// Where the walk continues when a region ends.
enum Frame {
    /// The facts at the end of each region; `None` if that is unreachable.
    Gamma { gamma: Gamma, entry: Facts, exits: Vec<Option<Facts>> },
    Theta {
        theta: Theta,
        entry: Facts,
        changing: Vec<Fact>,
        around: Vec<(usize, Value)>,
        /// Locations whose value before the loop was known, and that something in the loop changes.
        forgotten: Vec<Location>,
        /// How many loads had no known value before.
        missed: usize,
        /// What alternatives of the loop around it load again.
        restored: Vec<(Location, Node)>,
    },
}

/// Walks the memory states of a body.
pub(super) struct Forward<'a> {
    graph: &'a Graph,
    numbers: &'a mut Numbering,
    objects: &'a Objects<'a>,
    summaries: &'a LoopSummaries<'a>,
    /// By loop: loads that every iteration executes, from locations that something in the loop changes.
    changing: &'a FxHashMap<Node, CertainLoads>,
    around: &'a [Around],
    /// Where in that list those of a loop begin.
    around_loops: FxHashMap<Node, usize>,
    facts: Facts,
    /// At the end of a loop's body: what is known where the loop is repeated, if that may be more than is known everywhere.
    repeated: Option<Facts>,
    /// The locations of loads without a known value, in execution order.
    missed: Vec<Location>,
    /// Locations that alternatives directly in the innermost loop load again at their end where a call may have changed them, each with a load
    /// that may be executed anywhere.
    restored: Vec<(Location, Node)>,
    found: Found,
    /// An instruction that loads or stores each location, if the body's values are described for debuggers.
    instructions: FxHashMap<Location, SourceId>,
}

impl<'a> Forward<'a> {
    pub(super) fn new(
        graph: &'a Graph,
        numbers: &'a mut Numbering,
        objects: &'a Objects<'a>,
        summaries: &'a LoopSummaries<'a>,
        changing: &'a FxHashMap<Node, CertainLoads>,
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
            changing,
            around,
            around_loops,
            facts: Facts::default(),
            repeated: None,
            missed: Vec::new(),
            restored: Vec::new(),
            found: Found::default(),
            instructions: FxHashMap::default(),
        }
    }

    pub(super) fn run(mut self) -> Found {
        let graph = self.graph;
        let mut frames: Vec<Frame> = Vec::new();
        // The current state, in its region.
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
                // A chain that does not reach the end of its region tells nothing about memory there.
                None => self.facts = Facts::default(),
            }
            match frames.pop() {
                None => return self.found,
                Some(Frame::Gamma { gamma, entry, mut exits }) => {
                    let goes_on = !self.summaries.dead_ends().has(gamma.regions(graph)[exits.len()]);
                    let facts = std::mem::take(&mut self.facts);
                    exits.push(goes_on.then_some(facts));
                    if let Some(&next) = gamma.regions(graph).get(exits.len()) {
                        self.facts = entry.clone();
                        frames.push(Frame::Gamma { gamma, entry, exits });
                        region = next;
                        state = states::start(graph, region);
                        continue;
                    }
                    region = graph.region_of(gamma.node());
                    self.restore(gamma, &entry, &mut exits);
                    self.repeated = self.where_repeated(gamma, &exits, region);
                    self.join(gamma, &exits, region);
                    self.read_where_unknown(gamma, &exits, region);
                    state = states::after(graph, gamma.node());
                }
                Some(Frame::Theta { theta, entry, changing, around, forgotten, missed, restored }) => {
                    region = graph.region_of(theta.node());
                    self.restored = restored;
                    self.find_settled(theta, &forgotten, missed);
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
                let tag = tag(graph, node);
                // A store with another tag changes the type of the location, though not the value.
                let is_there =
                    |known: &Fact| known.keeps_type(graph.pool(), tag) && self.are_equal(known.value, stored);
                let is_unchanging = match self.facts.latest(place) {
                    Some(known) => is_there(known),
                    None => self.is_zero(graph.input(node, 0)) && self.has_zeros(place),
                };
                if plain && is_unchanging {
                    self.found.stores.push(node);
                    return;
                }
                let (objects, numbers) = (self.objects, &*self.numbers);
                self.facts.known.retain_mut(|known| {
                    if objects.are_disjoint(graph, numbers, known.place, place) {
                        return true;
                    }
                    known.typed = true;
                    objects.is_unseen(graph, numbers, (place, tag), (known.place, known.tag))
                });
                self.facts.zeros.write(graph, numbers, objects, place);
                if plain {
                    self.facts.add(Fact { stored: true, ..Fact::read(place, stored, tag) });
                }
            }
            Effect::Call(call) => {
                let transfer = Transfer::of(graph, self.objects.surroundings(), node);
                let written = transfer.map(|transfer| (transfer.writes(graph, self.numbers), transfer.len));
                let call = transfer.map_or(call, |transfer| transfer.effect(graph, self.numbers));
                let (objects, numbers) = (self.objects, &*self.numbers);
                self.facts.known.retain(|known| objects.survives(graph, numbers, known.place, &call));
                let Some((written, len)) = written else {
                    self.facts.zeros.retain(|place| objects.survives(graph, numbers, place, &call));
                    return;
                };
                self.facts.zeros.write(graph, numbers, objects, written);
                let byte = transfer.filter(|transfer| transfer.from.is_none()).map(|_| graph.input(node, 2));
                if let Some((byte, len)) = byte.zip(i64::try_from(len).ok())
                    && self.is_zero(byte)
                {
                    self.facts.zeros.add(written, len);
                }
            }
        }
    }

    fn load(&mut self, node: Node, place: Location) {
        let graph = self.graph;
        let output = graph.output(node, 0);
        let tag = tag(graph, node);
        if let Some(value) = self.facts.find(place, tag) {
            self.found.loads.push((node, value));
            self.found.values.equate(output, value);
            return;
        }
        let pool = graph.pool();
        if let Some(zero) = parts::zero(pool, place.ty).filter(|_| self.has_zeros(place)) {
            let value = self.found.values.constant(zero, place.ty);
            self.found.loads.push((node, value));
            self.found.values.equate(output, value);
            self.facts.add(Fact::read(place, value, tag));
            return;
        }
        let same_bits = |known: &&Fact| {
            known.place.addr == place.addr
                && known.is_for(tag)
                && bits_in_memory(pool, known.place.ty).is_some_and(|bits| bits_in_memory(pool, place.ty) == Some(bits))
        };
        match self.facts.known.iter().rev().find(same_bits) {
            Some(known) => self.found.loads.push((node, known.value)),
            None => self.missed.push(place),
        }
        let value = self.found.values.of(graph, output);
        self.facts.add(Fact::read(place, value, tag));
    }

    /// Whether the bytes of a location are zero.
    fn has_zeros(&self, place: Location) -> bool {
        self.facts.zeros.has(self.graph.pool(), self.numbers, self.objects, place)
    }

    /// Whether a value is all zero bits.
    fn is_zero(&self, origin: Origin) -> bool {
        let pool = self.graph.pool();
        known_constant(self.graph, origin)
            .is_some_and(|constant| parts::zero(pool, self.graph.ty(origin)) == Some(constant))
    }

    /// Adds a value, which a location holds where the resulting variable is live.
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
            Def::Constant(_) | Def::Exit(..) | Def::Pre(..) | Def::After(_) | Def::Last(..) | Def::Read(..) => None,
        };
        a == b || number(a).is_some_and(|vn| number(b) == Some(vn))
    }

    /// Partial redundancy elimination: if all reachable alternatives but one know the value of a load after a γ, that one loads it.
    fn read_where_unknown(&mut self, gamma: Gamma, exits: &[Option<Facts>], outer: Region) {
        let graph = self.graph;
        let known_everywhere = self.facts.known.len();
        if exits.iter().flatten().all(|facts| facts.known.len() <= known_everywhere) {
            return;
        }
        let state = states::after(graph, gamma.node());
        for (load, place) in computable_loads(graph, self.numbers, state, outer) {
            if self.facts.latest(place).is_some() {
                continue;
            }
            let untyped = |facts: &Facts| facts.latest(place).filter(|fact| !fact.typed).copied();
            let by_region: SmallVec<[Option<Fact>; 2]> =
                exits.iter().map(|facts| facts.as_ref().and_then(untyped)).collect();
            let unknown = |&alternative: &usize| exits[alternative].is_some() && by_region[alternative].is_none();
            let mut unknown = (0..exits.len()).filter(unknown);
            let (Some(alone), None) = (unknown.next(), unknown.next()) else { continue };
            let Some(like) = by_region.iter().flatten().next() else { continue };
            let alternative = gamma.regions(graph)[alone];
            let read = self.found.values.add(Def::Read(alternative, load, place.addr), like.value);
            let mut values: SmallVec<[Option<Value>; 2]> =
                by_region.iter().map(|fact| fact.map(|fact| fact.value)).collect();
            values[alone] = Some(read);
            let value = self.add(Def::Exit(gamma, values), like.value, place);
            self.facts.add(Fact::read(place, value, tag(graph, load)));
        }
    }

    /// In alternatives that no longer know a location that they knew at their start and that is to be restored: loads it at their end, if
    /// another alternative still knows it.
    fn restore(&mut self, gamma: Gamma, entry: &Facts, exits: &mut [Option<Facts>]) {
        for &(place, load) in &self.restored {
            let Some(before) = entry.latest(place) else { continue };
            if exits.iter().flatten().all(|facts| facts.latest(place).is_none()) {
                continue;
            }
            for (&alternative, facts) in gamma.regions(self.graph).iter().zip(&mut *exits) {
                if let Some(facts) = facts.as_mut().filter(|facts| facts.latest(place).is_none()) {
                    let read = self.found.values.add(Def::Read(alternative, load, place.addr), before.value);
                    facts.add(Fact::read(place, read, None));
                }
            }
        }
    }

    /// Forgets zeros at addresses that are not available in a region.
    fn forget_zeros_inside(&mut self, outer: Region) {
        let numbers = &*self.numbers;
        self.facts.zeros.retain(|place| numbers.is_visible(place.addr, outer));
    }

    /// For a γ that ends a loop's body and of which an alternative leaves the loop: what is known at the ends of the others.
    fn where_repeated(&mut self, gamma: Gamma, exits: &[Option<Facts>], body: Region) -> Option<Facts> {
        let graph = self.graph;
        let theta = Theta::new(graph, graph.parent(body)?)?;
        let state = states::after(graph, gamma.node())?;
        if !matches!(states::user(graph, state), Some(Use::Result(..))) {
            return None;
        }
        let predicate = graph.origin(theta.predicate(graph));
        let chosen = |position: usize| leads::chosen(graph, gamma, position as u32, predicate);
        let leaves = |&position: &usize| chosen(position).is_some_and(|chosen| chosen != REPEAT);
        let leaving: SmallVec<[usize; 4]> = (0..exits.len()).filter(leaves).collect();
        if leaving.is_empty() {
            return None;
        }
        let mut exits = exits.to_vec();
        leaving.into_iter().for_each(|position| exits[position] = None);
        self.join(gamma, &exits, body);
        Some(std::mem::take(&mut self.facts))
    }

    /// Keeps the facts that hold at the end of every region of a γ, and turns values that depend on the region into exit variables.
    fn join(&mut self, gamma: Gamma, exits: &[Option<Facts>], outer: Region) {
        let graph = self.graph;
        let Some(first) = exits.iter().flatten().next() else { return };
        self.facts.zeros = first.zeros.clone();
        exits.iter().flatten().skip(1).for_each(|other| self.facts.zeros.join(&other.zeros));
        self.forget_zeros_inside(outer);
        let depth = self.numbers.depth(outer);
        for fact in &first.known {
            let &Fact { place, value, .. } = fact;
            if !self.numbers.is_visible(place.addr, outer) {
                continue;
            }
            let latest =
                |facts: &Facts| if std::ptr::eq(facts, first) { Some(*fact) } else { facts.latest(place).copied() };
            let by_region: SmallVec<[Option<Fact>; 2]> =
                exits.iter().map(|facts| facts.as_ref().and_then(latest)).collect();
            if by_region.iter().zip(exits).any(|(fact, facts)| fact.is_none() && facts.is_some()) {
                continue;
            }
            let facts = || by_region.iter().flatten();
            let same_tag = facts().all(|other| other.tag == fact.tag);
            let tag = fact.tag.filter(|_| same_tag);
            let typed = facts().any(|fact| fact.typed);
            let stored = same_tag && facts().all(|fact| fact.stored);
            if typed && tag.is_none() {
                continue;
            }
            let home = self.found.values.home(graph, value);
            let common = facts().all(|other| other.value == value) && self.numbers.depth(home) <= depth;
            let values = by_region.iter().map(|fact| fact.map(|fact| fact.value)).collect();
            let value = if common { value } else { self.add(Def::Exit(gamma, values), value, place) };
            self.facts.add(Fact { place, value, tag, typed, stored });
        }
    }

    /// Keeps the facts that no iteration changes, and turns locations whose changes are all known into loop variables.
    fn enter_loop(&mut self, theta: Theta) -> Frame {
        let graph = self.graph;
        self.objects.look_inside(Some(theta.node()));
        let before = std::mem::take(&mut self.facts);
        let (mut entry, mut changing, mut forgotten) = (Facts::default(), Vec::new(), Vec::<Fact>::new());
        let summary = self.summaries.of(theta.node());
        for mut fact in before.known {
            let Fact { place, value, tag, .. } = fact;
            let writes = summary.map(|summary| summary.writes(graph, self.numbers, self.objects, place, tag));
            let (writes, by_type) = writes.unwrap_or((Writes::Unknown, false));
            fact.typed |= by_type;
            match writes {
                Writes::None => {
                    entry.add(fact);
                    self.facts.add(fact);
                }
                Writes::Same => {
                    fact.value = self.add(Def::Pre(theta, value, None.into()), value, place);
                    fact.stored = false;
                    changing.push(fact);
                    self.facts.add(fact);
                }
                Writes::Unknown if fact.typed => {}
                Writes::Unknown => forgotten.push(fact),
            }
        }
        let (numbers, objects) = (&*self.numbers, self.objects);
        let mut zeros = before.zeros;
        zeros.retain(|place| {
            let writes = summary.map(|summary| summary.writes(graph, numbers, objects, place, None));
            writes.is_some_and(|(writes, _)| writes == Writes::None)
        });
        self.facts.zeros = zeros;
        let mut around = Vec::new();
        let outer = std::mem::take(&mut self.restored);
        let start = self.around_loops.get(&theta.node()).copied().unwrap_or(self.around.len());
        for (number, carried) in self.around.iter().enumerate().skip(start) {
            if carried.theta != theta {
                break;
            }
            let known = || forgotten.iter().rev().find(|fact| fact.place == carried.place).map(|fact| fact.value);
            let Some(first) = carried.first.map(|first| self.found.values.of(graph, first)).or_else(known) else {
                continue;
            };
            let pre = self.found.values.add(Def::Pre(theta, first, None.into()), first);
            self.facts.add(Fact::read(carried.place, pre, None));
            self.restored.extend(carried.restored.map(|load| (carried.place, load)));
            around.push((number, pre));
        }
        let forgotten = forgotten.into_iter().map(|fact| fact.place).collect();
        Frame::Theta { theta, entry, changing, around, forgotten, missed: self.missed.len(), restored: outer }
    }

    /// Records the locations that something in the loop changes, whose value is known at the end of an iteration, or would be if alternatives
    /// with calls loaded it again, and that loads in the loop do not know. `missed` is the number of loads without a known value before it.
    fn find_settled(&mut self, theta: Theta, forgotten: &[Location], missed: usize) {
        let missed = &self.missed[missed..];
        let last = self.repeated.as_ref().unwrap_or(&self.facts);
        let changing = self.changing.get(&theta.node()).into_iter().flatten();
        let read = changing.filter(|(_, place)| !forgotten.contains(place)).map(|&(load, place)| (place, Some(load)));
        let mut tried = 0;
        for (place, load) in forgotten.iter().map(|&place| (place, None)).chain(read) {
            if !missed.contains(&place) {
                continue;
            }
            let mut restored = None;
            if last.find(place, None).is_none() {
                tried += 1;
                if tried > MAX_RESTORED {
                    continue;
                }
                restored = load_to_repeat(self.graph, self.numbers, self.objects, self.summaries, theta, place);
                if restored.is_none() {
                    continue;
                }
            }
            self.found.settled.push(Settled { theta, place, load, restored });
        }
    }

    fn leave_loop(
        &mut self,
        theta: Theta,
        entry: Facts,
        changing: Vec<Fact>,
        around: Vec<(usize, Value)>,
        outer: Region,
    ) {
        self.objects.look_inside(None);
        let mut last = std::mem::replace(&mut self.facts, entry);
        self.facts.zeros = std::mem::take(&mut last.zeros);
        self.forget_zeros_inside(outer);
        let repeated = self.repeated.take();
        let next = repeated.as_ref().unwrap_or(&last);
        for &(number, pre) in &around {
            if let Some(next) = next.find(self.around[number].before, None) {
                self.found.values.set_next(pre, next);
            }
        }
        self.found.around.extend(around);
        let depth = self.numbers.depth(outer);
        for fact in &changing {
            // A fact that was forgotten for lack of room has no next value, and is not built then. Neither is one that the next
            // iteration's loads must not use.
            let is_for = |next: &&Fact| !next.typed || (fact.typed && next.tag == fact.tag);
            if let Some(&next) = next.latest(fact.place).filter(is_for) {
                self.found.values.set_next(fact.value, next.value);
                if repeated.is_none() {
                    let value = self.found.values.add(Def::After(fact.value), fact.value);
                    self.facts.add(Fact { value, ..next });
                }
            }
        }
        for fact in last.known {
            let Fact { place, value, .. } = fact;
            let is_carried = repeated.is_none() && changing.iter().any(|changed| changed.place == place);
            let known = self.facts.latest(place).is_some() || is_carried;
            if known || !self.numbers.is_visible(place.addr, outer) {
                continue;
            }
            let outside = self.numbers.depth(self.found.values.home(self.graph, value)) <= depth;
            let value = if outside { value } else { self.found.values.add(Def::Last(theta, value), value) };
            self.facts.add(Fact { value, ..fact });
        }
    }
}
