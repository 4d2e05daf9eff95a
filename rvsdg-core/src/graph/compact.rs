//! Compaction: frees the memory of what was removed, and orders the rest as walks visit it.

use std::marker::PhantomData;

use cranelift_entity::packed_option::{PackedOption, ReservedValue};
use cranelift_entity::{EntityRef, ListPool, PrimaryMap};
use smallvec::SmallVec;

use super::ids::{Id, Ids, Lists};
use super::records::{NodeData, OriginData, RegionData, UserData};
use super::{Graph, History, Node, Origin, OriginDef, Region, Seen, Use, User, WalkItem};

/// The new numbers of ids that are kept.
struct Numbers<K> {
    numbers: Vec<u32>,
    live: usize,
    /// Whether they are in the order of the old ones.
    keeps_order: bool,
    key: PhantomData<K>,
}

impl<K: EntityRef + ReservedValue> Numbers<K> {
    /// Those in the order of the old ones.
    fn new(bound: usize, is_live: impl Fn(K) -> bool) -> Self {
        let mut live = 0;
        let numbers = (0..bound)
            .map(|index| match is_live(K::new(index)) {
                true => {
                    live += 1;
                    live - 1
                }
                false => u32::MAX,
            })
            .collect();
        Numbers { numbers, live: live as usize, keeps_order: true, key: PhantomData }
    }

    fn none(bound: usize) -> Self {
        Numbers { numbers: vec![u32::MAX; bound], live: 0, keeps_order: false, key: PhantomData }
    }

    /// Gives the next number.
    fn add(&mut self, old: K) {
        self.numbers[old.index()] = self.live as u32;
        self.live += 1;
    }

    fn get(&self, old: K) -> Option<K> {
        let number = self.numbers[old.index()];
        (number != u32::MAX).then(|| K::new(number as usize))
    }

    fn live(&self, old: K) -> K {
        self.get(old).expect("what stays refers to what stays")
    }

    fn optional(&self, old: PackedOption<K>) -> PackedOption<K> {
        old.expand().and_then(|old| self.get(old)).into()
    }

    /// What stays, in its new order.
    fn order(&self) -> Vec<u32> {
        let mut order = vec![0; self.live];
        for (old, &number) in self.numbers.iter().enumerate().filter(|&(_, &number)| number != u32::MAX) {
            order[number as usize] = old as u32;
        }
        order
    }

    /// The arena of what is kept, of exactly the size it needs.
    fn apply<V>(&self, arena: &mut PrimaryMap<K, V>, mut change: impl FnMut(&mut V)) {
        let old = std::mem::replace(arena, PrimaryMap::with_capacity(self.live));
        if self.keeps_order {
            for ((_, mut value), _) in old.into_iter().zip(&self.numbers).filter(|&(_, &number)| number != u32::MAX) {
                change(&mut value);
                arena.push(value);
            }
            return;
        }
        let mut old: Vec<Option<V>> = old.into_iter().map(|(_, value)| Some(value)).collect();
        for number in self.order() {
            let mut value = old[number as usize].take().expect("numbers are distinct");
            change(&mut value);
            arena.push(value);
        }
    }
}

impl<K: Id + ReservedValue> Numbers<K> {
    /// Renumbers ids of one graph for another.
    fn list(&self, ids: &mut Ids, from: &Lists<K>, to: &mut Lists<K>) {
        let renumbered: SmallVec<[K; 8]> = from.get(*ids).iter().map(|&id| self.live(id)).collect();
        *ids = to.add(&renumbered);
    }
}

impl Graph {
    /// Gives back memory that the graph has in reserve for growing, and, where a good part of it was removed, the memory of
    /// that. Ids change then, but not their order, so that all that is done with the graph later has the same result.
    /// Linear.
    pub fn shrink(&mut self) {
        let removed = self.nodes.len() - self.live_nodes as usize;
        if removed > self.live_nodes as usize / 8 {
            self.compact();
        }
        self.nodes.shrink_to_fit();
        self.regions.shrink_to_fit();
        self.origins.shrink_to_fit();
        self.users.shrink_to_fit();
    }

    /// Gives back the memory of all that was removed, and lays nodes, regions, origins and users out in the order of
    /// [`Graph::walk`], as passes visit them; a graph that was just built takes a fifth less time in passes then. Ids change.
    /// Linear.
    pub fn arrange(&mut self) {
        let mut nodes = Numbers::none(self.nodes.len());
        let mut regions = Numbers::none(self.regions.len());
        let mut origins = Numbers::none(self.origins.len());
        let mut users = Numbers::none(self.users.len());
        for item in self.walk() {
            match item {
                WalkItem::Enter(region) => {
                    regions.add(region);
                    self.arguments(region).iter().for_each(|&origin| origins.add(origin));
                }
                WalkItem::Node(node) => {
                    nodes.add(node);
                    self.inputs(node).iter().for_each(|&user| users.add(user));
                    self.outputs(node).iter().for_each(|&origin| origins.add(origin));
                }
                WalkItem::Leave(region) => self.results(region).iter().for_each(|&user| users.add(user)),
            }
        }
        self.renumber(&nodes, &regions, &origins, &users);
    }

    /// Gives back the memory of all that was removed. Ids change, but not their order.
    pub fn compact(&mut self) {
        let nodes = Numbers::new(self.nodes.len(), |node| self.is_live(node));
        let regions = Numbers::new(self.regions.len(), |region| {
            region == self.root || self.parent(region).is_some_and(|node| self.is_live(node))
        });
        let origins = Numbers::new(self.origins.len(), |origin| match self.def(origin) {
            OriginDef::Output(node, at) => self.is_live(node) && self.outputs(node).get(at as usize) == Some(&origin),
            OriginDef::Argument(region, at) => {
                !region.is_reserved_value()
                    && regions.get(region).is_some()
                    && self.arguments(region).get(at as usize) == Some(&origin)
            }
        });
        let users = Numbers::new(self.users.len(), |user| match self.site(user) {
            Use::Input(node, at) => self.is_live(node) && self.inputs(node).get(at as usize) == Some(&user),
            Use::Result(region, at) => {
                regions.get(region).is_some() && self.results(region).get(at as usize) == Some(&user)
            }
        });
        self.renumber(&nodes, &regions, &origins, &users);
    }

    fn renumber(
        &mut self,
        nodes: &Numbers<Node>,
        regions: &Numbers<Region>,
        origins: &Numbers<Origin>,
        users: &Numbers<User>,
    ) {
        *self.history = self.renumbered_history(nodes, origins);
        let subregions = std::mem::replace(&mut self.subregions, ListPool::new());
        let pool = &mut self.subregions;
        let user_lists = std::mem::replace(&mut self.user_lists, Lists::new(users.live));
        let origin_lists = std::mem::replace(&mut self.origin_lists, Lists::new(origins.live));
        let mut seen = Seen::default();
        nodes.apply(&mut self.nodes, |data| {
            let NodeData { kind, region, inputs, outputs, subregions: list, previous, next, source: _, edited: _ } =
                data;
            *region = regions.optional(*region);
            users.list(inputs, &user_lists, &mut self.user_lists);
            origins.list(outputs, &origin_lists, &mut self.origin_lists);
            let renumbered = list.as_slice(&subregions).iter().map(|&region| regions.live(region));
            *list = cranelift_entity::EntityList::from_iter(renumbered, pool);
            (*previous, *next) = (nodes.optional(*previous), nodes.optional(*next));
            seen.add(*kind);
        });
        self.seen = seen;
        regions.apply(&mut self.regions, |data| {
            let RegionData { parent, index: _, arguments, results, first, last, end_source: _ } = data;
            *parent = nodes.optional(*parent);
            origins.list(arguments, &origin_lists, &mut self.origin_lists);
            users.list(results, &user_lists, &mut self.user_lists);
            (*first, *last) = (nodes.optional(*first), nodes.optional(*last));
        });
        origins.apply(&mut self.origins, |data| {
            let OriginData { ty: _, place, first_user } = data;
            *place = place.renumbered(|node| nodes.live(node), |region| regions.live(region));
            *first_user = users.optional(*first_user);
        });
        users.apply(&mut self.users, |data| {
            let UserData { origin, place, previous, next } = data;
            *origin = origins.optional(*origin);
            *place = place.renumbered(|node| nodes.live(node), |region| regions.live(region));
            (*previous, *next) = (users.optional(*previous), users.optional(*next));
        });
        self.root = regions.live(self.root);
    }

    /// The history of sources, as far as it concerns nodes that are kept.
    fn renumbered_history(&self, nodes: &Numbers<Node>, numbers: &Numbers<Origin>) -> History {
        let History { merges: _, merged, inlined, origins, motions, hints, descriptions: _ } = &*self.history;
        let merges = self.merges().into_iter().map(|(node, source)| (nodes.live(node), source)).collect();
        let mut heirs = self.heirs();
        let merged = merged
            .iter()
            .filter_map(|&(from, to)| Some((nodes.get(from)?, to)))
            .flat_map(|(from, to)| heirs.of(to).into_iter().map(move |to| (from, to)).collect::<Vec<_>>())
            .map(|(from, to)| (from, nodes.live(to)))
            .collect();
        let origins = origins.iter().filter_map(|(&origin, &source)| Some((numbers.get(origin)?, source))).collect();
        let motions = motions.iter().filter_map(|(&node, &motion)| Some((nodes.get(node)?, motion))).collect();
        let hints = hints.iter().filter_map(|(&node, &hints)| Some((nodes.get(node)?, hints))).collect();
        let descriptions = self.renumbered_descriptions(|node| nodes.get(node), |origin| numbers.get(origin));
        History { merges, merged, inlined: inlined.clone(), origins, motions, hints, descriptions }
    }
}
