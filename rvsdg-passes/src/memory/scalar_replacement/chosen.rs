//! Loads from one of two objects, as through the reference that `std::min` gives: both are read, and one of the values is chosen.
//!
//! Only where all other uses of the objects are known, so that they need no memory then. They are alive from the start, since the one that
//! was not read need not be.

use rustc_hash::FxHashSet;
use rvsdg_analysis::memory::gep_distance;
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::layout::Layouts;
use rvsdg_core::op::{GepFlags, MemAccess};
use rvsdg_core::{Graph, Node, Op, Origin, Type, Use};

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
            if !cx.rewrite("chosen-load", graph, choice.load) {
                continue;
            }
            touched.extend(choice.places.map(|place| place.object));
            replace(graph, &mut router, &objects, choice);
            cx.count("chosen_loads", 1);
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

/// A load from one of two objects.
pub(super) struct Choice {
    pub load: Node,
    /// A `select` of two addresses.
    pub select: Node,
    /// How many bytes the load is from there.
    pub distance: i64,
    /// What it reads when the condition holds, and otherwise.
    pub places: [Place; 2],
}

/// The plain loads at constant distances from what a `select` gives, if nothing else uses it.
pub(super) fn loads(graph: &Graph, layouts: &mut Layouts, select: Node) -> Option<Vec<(Node, i64)>> {
    let mut found = Vec::new();
    let mut pending = vec![(graph.output(select, 0), 0i64)];
    while let Some((address, distance)) = pending.pop() {
        for user in graph.users_of(address) {
            let Use::Input(node, 0) = graph.site(user) else { return None };
            match graph.op(node) {
                Some(Op::Load(access)) if access.is_plain() => found.push((node, distance)),
                Some(Op::Gep { .. }) => {
                    let further = distance.checked_add(gep_distance(graph, layouts, node)?)?;
                    pending.push((graph.output(node, 0), further));
                }
                _ => return None,
            }
        }
    }
    Some(found)
}

fn replace(graph: &mut Graph, router: &mut Router, objects: &Objects, choice: &Choice) {
    let &Choice { load, select, distance, places } = choice;
    let Some(Op::Load(access)) = graph.op(load) else { return };
    let region = graph.region_of(load);
    let ty = graph.ty(graph.output(load, 0));
    let mut state = graph.input(load, 1);
    let mut values: Vec<Origin> = Vec::with_capacity(2);
    for (index, place) in places.into_iter().enumerate() {
        let base = graph.input(select, index + 1);
        let base = router.route(graph, base, region);
        // The object that is not chosen need not be aligned as the other one.
        let known = objects.list[place.object].align_log2.min(place.offset.trailing_zeros().min(63) as u8);
        let mut insert = Insert::before(graph, load);
        let address = insert.advance(base, distance, GepFlags::NONE);
        let op = Op::Load(MemAccess::plain(access.align_log2.min(known)));
        let new = insert.node(op, &[address, state], &[ty, Type::MEM]);
        values.push(graph.output(new, 0));
        state = graph.output(new, 1);
    }
    let condition = graph.input(select, 0);
    let condition = router.route(graph, condition, region);
    let value = Insert::before(graph, load).select(condition, values[0], values[1]);
    graph.divert_users(graph.output(load, 0), value);
    graph.divert_users(graph.output(load, 1), state);
    graph.remove(load);
}
