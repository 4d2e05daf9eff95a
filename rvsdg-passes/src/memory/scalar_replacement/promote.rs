//! Promotion: objects that are only loaded, stored and copied to each other as a whole become values along edges.
//!
//! The memory states of a body lead through all accesses in execution order. Along that chain the contents of each object are known: the
//! last stored value, after a γ an exit variable, in a θ that stores to the object a loop variable.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::memory::{bits_as_integer, states};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::graph::Held;
use rvsdg_core::layout::DataLayout;
use rvsdg_core::op::CastOp;
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Constant, Graph, Node, Op, Origin, Region, Type, TypeKind, Use};
use smallvec::{SmallVec, smallvec};

use super::objects::{self, Access, Objects, Side, What};
use super::sets::Sets;
use crate::pass::{BodyPass, Change, PassCx};

/// The stage for one body.
pub struct Promotion;

impl BodyPass for Promotion {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let Some(objects) = objects::find(graph, cx) else { return Change::Unchanged };
        let slots = Slots::find(graph, &objects, cx);
        let Some(events) = slots.events(graph) else { return Change::Unchanged };
        let (held, data_layout) = (vec![None; slots.types.len()], &objects.data_layout);
        Promoter { graph, slots: &slots, data_layout, held, router: Router::default() }.run(&events);
        cx.count("promoted", slots.types.len() as u64);
        Change::Changed
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// The objects that become values (slots).
#[derive(Default)]
struct Slots {
    /// The type of each slot.
    types: Vec<Type>,
    /// The slot of each allocation, load, store and lifetime marker, and the one that a copy writes.
    of: FxHashMap<Node, usize>,
    /// The slot that a copy reads.
    copied: FxHashMap<Node, usize>,
    /// The structural nodes with accesses in them.
    around: FxHashSet<Node>,
    /// The slots that are stored to, or have lifetime markers, in a structural node.
    written: FxHashMap<Node, Vec<usize>>,
    /// For each slot, the original memory that it represents.
    memory: Vec<Option<Held>>,
}

/// For each object, the set of objects copied to each other that contains it, and the type of the contents of all of them. `None` if one
/// of the set has other accesses than of the whole, or accesses of types that cannot be converted into each other.
fn whole_types(graph: &Graph, objects: &Objects) -> Vec<Option<(usize, Type)>> {
    let count = objects.list.len();
    let mut extents: Vec<Option<(u64, u64)>> = vec![None; count];
    let mut is_whole: Vec<bool> = objects.list.iter().map(|object| object.is_known).collect();
    let mut sets = Sets::new(count);
    for Access { what, .. } in &objects.accesses {
        let mut whole = |object: usize, begin: u64, end: u64| {
            is_whole[object] &= *extents[object].get_or_insert((begin, end)) == (begin, end);
        };
        match what {
            What::Load(object, leaves) | What::Store(object, leaves) => match &leaves[..] {
                [leaf] if leaf.path.is_empty() => whole(*object, leaf.begin, leaf.end),
                _ => is_whole[*object] = false,
            },
            What::Set(place, _) => is_whole[place.object] = false,
            What::Copy { to: Side { place: Some(to), .. }, from: Side { place: Some(from), .. }, len } => {
                [to, from].into_iter().for_each(|place| whole(place.object, place.offset, place.offset + len));
                sets.unite(to.object, from.object);
            }
            What::Copy { to, from, .. } => {
                let places = [to, from].into_iter().filter_map(|side| side.place);
                places.for_each(|place| is_whole[place.object] = false);
            }
            What::Mark(_) => {}
        }
    }
    let mut types: Vec<Option<Type>> = vec![None; count];
    let mut fits = vec![true; count];
    // The type stays a pointer if all accesses agree on it.
    let mut pointers: Vec<Option<Type>> = vec![None; count];
    for Access { what, .. } in &objects.accesses {
        let (What::Load(object, leaves) | What::Store(object, leaves)) = what else { continue };
        let [leaf] = &leaves[..] else { continue };
        let set = sets.first(*object);
        let first = *types[set].get_or_insert(leaf.ty);
        let bits = |ty| bits_as_integer(graph.pool(), &objects.data_layout, ty);
        fits[set] &= first == leaf.ty || bits(first).is_some_and(|first| bits(leaf.ty) == Some(first));
        if matches!(what, What::Store(..)) && matches!(graph.pool().type_kind(leaf.ty), TypeKind::Ptr(_)) {
            pointers[set].get_or_insert(leaf.ty);
        }
    }
    for object in 0..count {
        fits[sets.first(object)] &= is_whole[object];
    }
    let of = |object: usize| {
        let set = sets.first(object);
        let ty = pointers[set].or(types[set]).filter(|_| fits[set])?;
        Some((set, ty))
    };
    (0..count).map(of).collect()
}

/// A step along the memory states.
enum Event {
    /// An allocation, load, store, copy or lifetime marker of a slot.
    Access(Node),
    EnterGamma(Gamma),
    /// An alternative ends.
    EndRegion(Gamma),
    LeaveGamma(Gamma),
    EnterTheta(Theta),
    LeaveTheta(Theta),
}

impl Slots {
    fn find(graph: &Graph, objects: &Objects, cx: &PassCx) -> Slots {
        let types = whole_types(graph, objects);
        let mut slots = Slots::default();
        let mut numbers: Vec<Option<usize>> = vec![None; objects.list.len()];
        // Objects that are copied to each other become values together or not at all.
        let mut allowed: FxHashMap<usize, bool> = FxHashMap::default();
        for (number, object) in objects.list.iter().enumerate() {
            let Some((set, ty)) = types[number] else { continue };
            let mut ask = || cx.rewrite("promote-object", graph, object.alloca);
            if *allowed.entry(set).or_insert_with(&mut ask) {
                numbers[number] = Some(slots.types.len());
                slots.of.insert(object.alloca, slots.types.len());
                slots.types.push(ty);
                slots.memory.push(graph.original_memory(object.alloca, 0));
            }
        }
        // For structural nodes with accesses of a slot, whether they write it.
        let mut seen: FxHashMap<(Node, usize), bool> = FxHashMap::default();
        let uses = objects.accesses.iter().flat_map(|Access { node, what }| {
            let uses: SmallVec<[(usize, bool); 2]> = match what {
                What::Load(object, _) => smallvec![(*object, false)],
                What::Store(object, _) | What::Mark(object) => smallvec![(*object, true)],
                What::Copy { to: Side { place: Some(to), .. }, from: Side { place: Some(from), .. }, .. } => {
                    smallvec![(from.object, false), (to.object, true)]
                }
                What::Set(..) | What::Copy { .. } => SmallVec::new(),
            };
            uses.into_iter().map(move |(object, writes)| (*node, object, writes))
        });
        for (node, object, writes) in uses {
            let Some(slot) = numbers[object] else { continue };
            // A copy reads one slot, which comes first, and writes another.
            if let Some(from) = slots.of.insert(node, slot) {
                slots.copied.insert(node, from);
            }
            let home = graph.region_of(objects.list[object].alloca);
            let mut region = graph.region_of(node);
            while region != home {
                let Some(around) = graph.parent(region) else { break };
                slots.around.insert(around);
                match seen.insert((around, slot), writes) {
                    Some(true) => {
                        seen.insert((around, slot), true);
                        break;
                    }
                    Some(false) if !writes => break,
                    Some(false) | None => {}
                }
                if writes {
                    slots.written.entry(around).or_default().push(slot);
                }
                region = graph.region_of(around);
            }
        }
        slots
    }

    fn written(&self, node: Node) -> &[usize] {
        self.written.get(&node).map_or(&[], Vec::as_slice)
    }

    /// The steps along the memory states; `None` if there is nothing to do, or if the states do not lead through all accesses.
    fn events(&self, graph: &Graph) -> Option<Vec<Event>> {
        enum Frame {
            Gamma(Gamma, usize),
            Theta(Theta),
        }
        let mut events = Vec::new();
        let mut frames = Vec::new();
        let mut left = self.of.len();
        let mut state = states::start(graph, graph.root())?;
        while left > 0 {
            match states::user(graph, state)? {
                Use::Input(node, _) => {
                    let inner = Some(node).filter(|node| self.around.contains(node));
                    if let Some(gamma) = inner.and_then(|node| Gamma::new(graph, node)) {
                        events.push(Event::EnterGamma(gamma));
                        frames.push(Frame::Gamma(gamma, 0));
                        state = states::start(graph, gamma.regions(graph)[0])?;
                    } else if let Some(theta) = inner.and_then(|node| Theta::new(graph, node)) {
                        events.push(Event::EnterTheta(theta));
                        frames.push(Frame::Theta(theta));
                        state = states::start(graph, theta.body(graph))?;
                    } else {
                        if self.of.contains_key(&node) {
                            events.push(Event::Access(node));
                            left -= 1;
                        }
                        state = states::after(graph, node)?;
                    }
                    continue;
                }
                Use::Result(..) => {}
            }
            match frames.pop()? {
                Frame::Gamma(gamma, index) => {
                    events.push(Event::EndRegion(gamma));
                    if let Some(&next) = gamma.regions(graph).get(index + 1) {
                        frames.push(Frame::Gamma(gamma, index + 1));
                        state = states::start(graph, next)?;
                    } else {
                        events.push(Event::LeaveGamma(gamma));
                        state = states::after(graph, gamma.node())?;
                    }
                }
                Frame::Theta(theta) => {
                    events.push(Event::LeaveTheta(theta));
                    state = states::after(graph, theta.node())?;
                }
            }
        }
        // The rest of the structural nodes that contain the last access.
        for frame in frames.into_iter().rev() {
            match frame {
                Frame::Gamma(gamma, index) => {
                    events.extend((index..gamma.regions(graph).len()).map(|_| Event::EndRegion(gamma)));
                    events.push(Event::LeaveGamma(gamma));
                }
                Frame::Theta(theta) => events.push(Event::LeaveTheta(theta)),
            }
        }
        (!events.is_empty()).then_some(events)
    }
}

/// What must be kept until a structural node ends.
enum Open {
    /// The contents of slots before the γ, and at the end of its alternatives so far, in the order of [`Slots::written`].
    Gamma(Vec<Option<Origin>>, Vec<Vec<Option<Origin>>>),
    Theta(Vec<LoopVar>),
}

struct Promoter<'g> {
    graph: &'g mut Graph,
    slots: &'g Slots,
    data_layout: &'g DataLayout,
    /// The contents of each slot; `None` if undefined.
    held: Vec<Option<Origin>>,
    router: Router,
}

impl Promoter<'_> {
    fn run(mut self, events: &[Event]) {
        let mut open = Vec::new();
        let slots = self.slots;
        for event in events {
            match event {
                Event::Access(node) => self.access(*node),
                Event::EnterGamma(gamma) => {
                    let before = slots.written(gamma.node()).iter().map(|&slot| self.held[slot]).collect();
                    open.push(Open::Gamma(before, Vec::new()));
                }
                Event::EndRegion(gamma) => {
                    let written = slots.written(gamma.node());
                    let Some(Open::Gamma(before, ends)) = open.last_mut() else { return };
                    ends.push(written.iter().map(|&slot| self.held[slot]).collect());
                    for (&slot, &before) in written.iter().zip(&*before) {
                        self.held[slot] = before;
                    }
                }
                Event::LeaveGamma(gamma) => {
                    let Some(Open::Gamma(_, ends)) = open.pop() else { return };
                    self.leave_gamma(*gamma, &ends);
                }
                Event::EnterTheta(theta) => {
                    let outer = self.graph.region_of(theta.node());
                    let mut variables = Vec::new();
                    for &slot in slots.written(theta.node()) {
                        let first = self.value(slot, self.held[slot], outer);
                        let variable = self.router.carry(self.graph, *theta, first);
                        self.graph.note_content(variable.pre, slots.memory[slot]);
                        self.held[slot] = Some(variable.pre);
                        variables.push(variable);
                    }
                    open.push(Open::Theta(variables));
                }
                Event::LeaveTheta(theta) => {
                    let Some(Open::Theta(variables)) = open.pop() else { return };
                    let body = theta.body(self.graph);
                    for (&slot, variable) in slots.written(theta.node()).iter().zip(variables) {
                        let last = self.value(slot, self.held[slot], body);
                        self.graph.divert(variable.post, last);
                        self.held[slot] = Some(variable.output);
                    }
                }
            }
        }
    }

    fn leave_gamma(&mut self, gamma: Gamma, ends: &[Vec<Option<Origin>>]) {
        for (index, &slot) in self.slots.written(gamma.node()).iter().enumerate() {
            let regions: Vec<Region> = gamma.regions(self.graph).to_vec();
            let values: Vec<Origin> =
                regions.into_iter().zip(ends).map(|(region, ends)| self.value(slot, ends[index], region)).collect();
            let output = gamma.add_exit_var(self.graph, &values).output;
            self.graph.note_content(output, self.slots.memory[slot]);
            self.held[slot] = Some(output);
        }
    }

    /// The contents of a slot as available in a region, which may be inside the one where they are known.
    fn value(&mut self, slot: usize, held: Option<Origin>, region: Region) -> Origin {
        if let Some(held) = held {
            return self.router.route(self.graph, held, region);
        }
        let ty = self.slots.types[slot];
        let undef = self.graph.pool().intern_const(Constant::Undef(ty));
        Insert::front(self.graph, region).constant(undef)
    }

    fn access(&mut self, node: Node) {
        let (slot, region) = (self.slots.of[&node], self.graph.region_of(node));
        let ty = self.slots.types[slot];
        match self.graph.op(node) {
            Some(Op::Load(_)) => {
                let output = self.graph.output(node, 0);
                let value = self.value(slot, self.held[slot], region);
                let value = self.cast(node, value, self.graph.ty(output));
                self.graph.divert_users(output, value);
            }
            Some(Op::Store(_)) => {
                let value = self.graph.input(node, 0);
                self.held[slot] = Some(self.cast(node, value, ty));
            }
            _ => match self.slots.copied.get(&node) {
                Some(&from) => self.held[slot] = self.held[from],
                // The object is new, or its lifetime starts or ends.
                None => self.held[slot] = None,
            },
        }
        if matches!(self.graph.op(node), Some(Op::Alloca { .. })) {
            return;
        }
        if let (Some(before), Some(after)) = (states::before(self.graph, node), states::after(self.graph, node)) {
            self.graph.divert_users(after, before);
            self.graph.remove(node);
        }
    }

    /// A value reinterpreted as another type of the same size, before a node, with the semantics of memory: between a pointer and another
    /// type, the integer value of the address is the intermediate step.
    fn cast(&mut self, before: Node, value: Origin, ty: Type) -> Origin {
        let mut at = Insert::before(self.graph, before);
        let from = at.ty(value);
        if from == ty {
            return value;
        }
        let pool = at.graph().pool().clone();
        let is_pointer = |ty| matches!(pool.type_kind(ty), TypeKind::Ptr(_));
        let pointer_bits = |ty| bits_as_integer(&pool, self.data_layout, ty).filter(|_| is_pointer(ty));
        let Some(bits) = pointer_bits(from).or(pointer_bits(ty)) else { return at.cast(CastOp::BitCast, value, ty) };
        let integer = pool.int(bits as u32);
        let op = if is_pointer(from) { CastOp::PtrToInt } else { CastOp::BitCast };
        let value = at.cast(op, value, integer);
        let op = if is_pointer(ty) { CastOp::IntToPtr } else { CastOp::BitCast };
        at.cast(op, value, ty)
    }
}
