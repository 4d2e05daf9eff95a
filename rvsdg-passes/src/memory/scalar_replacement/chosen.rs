//! Loads from one of two objects, as through the reference that `std::min` returns, read both and select one of the values. Stores to one
//! of two objects, as through `c ? &a : &b`, write both, the one that was not chosen with the value that it holds.
//!
//! This is done only if all other uses of the objects are known, so that they need no memory afterwards. Their lifetimes are extended to
//! the whole function, because the object that was not accessed need not be alive. The condition is frozen if several accesses depend on
//! it: they must all choose the same object. The old value is written back with the type that all accesses of that location have; another
//! type could spread poison from a part of the value to more of it, or turn a pointer into a number.

use rustc_hash::FxHashSet;
use rvsdg_analysis::memory::gep_distance;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_analysis::undef::is_not_undef;
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::layout::Layouts;
use rvsdg_core::op::{GepFlags, MemAccess};
use rvsdg_core::{Graph, Node, Op, Origin, Type, Use};
use smallvec::SmallVec;

use super::objects::{self, Objects, Place, What};
use crate::pass::{BodyPass, Change, PassCx};

/// The stage for one body.
pub struct Choices;

impl BodyPass for Choices {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let Some((objects, choices)) = objects::find_chosen(graph, cx) else { return Change::Unchanged };
        let mut router = Router::new();
        let mut touched = FxHashSet::default();
        for choice in &choices {
            let rule = if choice.stores() { "chosen_stores" } else { "chosen_loads" };
            if !cx.rewrite(rule, graph, choice.select) {
                continue;
            }
            let condition = condition(graph, choice, cx);
            for access in &choice.accesses {
                touched.extend(access.places.map(|place| place.object));
                replace(graph, &mut router, &objects, choice.select, condition, access);
                cx.count(if access.is_store { "chosen_stores" } else { "chosen_loads" }, 1);
            }
        }
        for access in &objects.accesses {
            if let What::Mark(object) = access.what
                && touched.contains(&object)
            {
                let state = graph.inputs(access.node).len() - 1;
                graph.divert_users(graph.output(access.node, 0), graph.input(access.node, state));
                graph.remove(access.node);
            }
        }
        Change::when(!touched.is_empty())
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// The loads from and stores to one of two objects.
pub(super) struct Choice {
    /// A `select` of two addresses.
    pub select: Node,
    /// All its users.
    pub accesses: Vec<ChosenAccess>,
}

impl Choice {
    /// Whether any of them is a store.
    pub(super) fn stores(&self) -> bool {
        self.accesses.iter().any(|access| access.is_store)
    }
}

/// A load or store of one of two locations.
pub(super) struct ChosenAccess {
    pub node: Node,
    /// Its distance in bytes from the selected address.
    pub distance: i64,
    /// The location that it accesses if the condition holds, and otherwise.
    pub places: [Place; 2],
    pub ty: Type,
    pub is_store: bool,
}

/// The plain loads and stores at constant distances from the result of a `select`, if it has no other users.
pub(super) fn accesses(graph: &Graph, layouts: &mut Layouts, select: Node) -> Option<Vec<(Node, i64)>> {
    let mut found = Vec::new();
    let mut pending = vec![(graph.output(select, 0), 0i64)];
    while let Some((address, distance)) = pending.pop() {
        for user in graph.users_of(address) {
            let Use::Input(node, index) = graph.site(user) else { return None };
            match (graph.op(node), index) {
                (Some(Op::Load(access)), 0) | (Some(Op::Store(access)), 1) if access.is_plain() => {
                    found.push((node, distance));
                }
                (Some(Op::Gep { .. }), 0) => {
                    let further = distance.checked_add(gep_distance(graph, layouts, node)?)?;
                    pending.push((graph.output(node, 0), further));
                }
                _ => return None,
            }
        }
    }
    Some(found)
}

/// The accesses of objects: for each object, where accesses begin and end, and their types; `None` if the types differ.
pub(super) struct Footprints(Vec<Vec<(u64, u64, Option<Type>)>>);

impl Footprints {
    pub(super) fn of(objects: &Objects) -> Footprints {
        let mut footprints = Footprints(vec![Vec::new(); objects.list.len()]);
        for access in &objects.accesses {
            match &access.what {
                What::Load(object, leaves) | What::Store(object, leaves) => {
                    footprints.0[*object].extend(leaves.iter().map(|leaf| (leaf.begin, leaf.end, Some(leaf.ty))));
                }
                &What::Set(place, len) => footprints.add(place, len, None),
                What::Copy { to, from, len } => {
                    for place in [to, from].into_iter().filter_map(|side| side.place) {
                        footprints.add(place, *len, None);
                    }
                }
                What::Mark(_) => {}
            }
        }
        footprints
    }

    pub(super) fn add(&mut self, place: Place, len: u64, ty: Option<Type>) {
        self.0[place.object].push((place.offset, place.offset + len, ty));
    }

    /// Whether every access that overlaps a location accesses exactly that location, with one type.
    fn agree(&self, place: Place, len: u64, ty: Type) -> bool {
        let (from, to) = (place.offset, place.offset + len);
        let is_apart = |&(begin, end, _): &(u64, u64, Option<Type>)| end <= from || to <= begin;
        self.0[place.object].iter().all(|known| is_apart(known) || *known == (from, to, Some(ty)))
    }

    /// Whether a store to one of two locations may become a store to each, writing back the old value to the other.
    pub(super) fn allow(&self, places: [Place; 2], len: u64, ty: Type) -> bool {
        let [a, b] = places;
        let are_apart = a.object != b.object || a.offset + len <= b.offset || b.offset + len <= a.offset;
        (are_apart || seeded::is_active(Bug::SraChosenOverlap))
            && (places.iter().all(|&place| self.agree(place, len, ty)) || seeded::is_active(Bug::SraChosenType))
    }
}

/// The condition by which an object is chosen, with one value for all accesses.
fn condition(graph: &mut Graph, choice: &Choice, cx: &PassCx) -> Origin {
    let condition = graph.input(choice.select, 0);
    let asked_once = choice.accesses.len() == 1 && !choice.stores();
    if asked_once || is_not_undef(graph, cx.surroundings(), condition) || seeded::is_active(Bug::SraChosenTwice) {
        return condition;
    }
    Insert::before(graph, choice.select).add(Op::Freeze, &[condition], Type::I1)
}

fn replace(
    graph: &mut Graph,
    router: &mut Router,
    objects: &Objects,
    select: Node,
    condition: Origin,
    access: &ChosenAccess,
) {
    let &ChosenAccess { node, distance, places, ty, is_store } = access;
    let Some(Op::Load(kind) | Op::Store(kind)) = graph.op(node) else { return };
    let region = graph.region_of(node);
    let mut state = graph.input(node, if is_store { 2 } else { 1 });
    let mut both: SmallVec<[(Origin, MemAccess, Origin); 2]> = SmallVec::new();
    for (index, place) in places.into_iter().enumerate() {
        let base = graph.input(select, index + 1);
        let base = router.route(graph, base, region);
        // The object that is not chosen may be less aligned than the other one.
        let known = objects.list[place.object].align_log2.min(place.offset.trailing_zeros().min(63) as u8);
        let kind = MemAccess::plain(kind.align_log2.min(known));
        let mut insert = Insert::before(graph, node);
        let address = insert.advance(base, distance, GepFlags::NONE);
        let new = insert.node(Op::Load(kind), &[address, state], &[ty, Type::MEM]);
        both.push((address, kind, graph.output(new, 0)));
        state = graph.output(new, 1);
    }
    let condition = router.route(graph, condition, region);
    let stored = graph.input(node, 0);
    let mut insert = Insert::before(graph, node);
    if !is_store {
        let value = insert.select(condition, both[0].2, both[1].2);
        graph.divert_users(graph.output(node, 0), value);
        graph.divert_users(graph.output(node, 1), state);
        graph.remove(node);
        return;
    }
    for (index, (address, kind, held)) in both.into_iter().enumerate() {
        let (then, otherwise) = if index == 0 { (stored, held) } else { (held, stored) };
        let value = insert.select(condition, then, otherwise);
        let new = insert.node(Op::Store(kind), &[value, address, state], &[Type::MEM]);
        state = insert.graph().output(new, 0);
    }
    graph.divert_users(graph.output(node, 0), state);
    graph.remove(node);
}
