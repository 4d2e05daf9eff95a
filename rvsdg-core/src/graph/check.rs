//! Whether the arenas agree with themselves. The other checks of the verifier rely on it.

use cranelift_entity::{EntityRef, EntitySet, SecondaryMap};

use super::{Graph, Node, Origin, OriginDef, Region, Use, User};
use crate::verify::Invariant;

/// An entity of a graph, for messages.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Entity {
    /// A node.
    Node(Node),
    /// A region.
    Region(Region),
    /// An origin.
    Origin(Origin),
    /// A user.
    User(User),
}

/// What is wrong with an entity.
pub(crate) struct Flaw {
    pub(crate) invariant: Invariant,
    pub(crate) entity: Entity,
    pub(crate) message: String,
}

struct Check<'g> {
    graph: &'g Graph,
    flaws: Vec<Flaw>,
    /// All nodes in lists, region by region.
    order: Vec<Node>,
    regions: Vec<Region>,
    attached: EntitySet<Origin>,
    /// How many users name the origin.
    uses: SecondaryMap<Origin, u32>,
}

impl Graph {
    /// Everything that keeps the arenas from being a graph: broken lists, dangling or crossing edges, cycles. Linear.
    pub(crate) fn flaws(&self) -> Vec<Flaw> {
        let mut check = Check {
            graph: self,
            flaws: Vec::new(),
            order: Vec::with_capacity(self.live_nodes as usize),
            regions: Vec::new(),
            attached: EntitySet::with_capacity(self.origins.len()),
            uses: SecondaryMap::with_capacity(self.origins.len()),
        };
        check.node_lists();
        if check.flaws.is_empty() {
            check.sites();
            check.user_lists();
        }
        if check.flaws.is_empty() {
            check.scopes();
        }
        if check.flaws.is_empty() {
            check.cycles();
        }
        check.flaws
    }
}

impl Check<'_> {
    fn report(&mut self, invariant: Invariant, entity: Entity, message: String) {
        self.flaws.push(Flaw { invariant, entity, message });
    }

    /// Each live node is once in the list of the region it names, and each region in the node it names.
    fn node_lists(&mut self) {
        let graph = self.graph;
        let mut seen = EntitySet::<Node>::with_capacity(graph.nodes.len());
        let mut seen_regions = EntitySet::<Region>::with_capacity(graph.regions.len());
        if graph.regions[graph.root].parent.is_some() {
            let message = "the root region has a parent".into();
            self.report(Invariant::ParentLinks, Entity::Region(graph.root), message);
        }
        seen_regions.insert(graph.root);
        let mut pending = vec![graph.root];
        while let Some(region) = pending.pop() {
            self.regions.push(region);
            let data = &graph.regions[region];
            let mut previous = None;
            let mut next = data.first.expand();
            while let Some(node) = next {
                let node_data = &graph.nodes[node];
                if !seen.insert(node) {
                    let message = format!("it is listed twice, the second time in {region}");
                    self.report(Invariant::ParentLinks, Entity::Node(node), message);
                    break;
                }
                if node_data.region.expand() != Some(region) {
                    let message = format!("it is listed in {region} but says that it is elsewhere");
                    self.report(Invariant::ParentLinks, Entity::Node(node), message);
                }
                if node_data.previous.expand() != previous {
                    let message = "the node before it in its region is not the one it names".into();
                    self.report(Invariant::ParentLinks, Entity::Node(node), message);
                }
                for (index, &subregion) in graph.subregions(node).iter().enumerate() {
                    let inner = &graph.regions[subregion];
                    if inner.parent.expand() != Some(node) || inner.index as usize != index {
                        let message = format!("{node} has it as subregion {index}, which it does not know");
                        self.report(Invariant::ParentLinks, Entity::Region(subregion), message);
                    }
                    if seen_regions.insert(subregion) {
                        pending.push(subregion);
                    } else {
                        let message = "it is the subregion of more than one node".into();
                        self.report(Invariant::ParentLinks, Entity::Region(subregion), message);
                    }
                }
                self.order.push(node);
                previous = Some(node);
                next = node_data.next.expand();
            }
            if data.last.expand() != previous {
                let message = "the last node of its list is not the one it names".into();
                self.report(Invariant::ParentLinks, Entity::Region(region), message);
            }
        }
        for node in graph.nodes.keys().filter(|&node| graph.is_live(node) && !seen.contains(node)) {
            self.report(Invariant::ParentLinks, Entity::Node(node), "it is live but in no region's list".into());
        }
        if self.order.len() != graph.live_nodes as usize {
            let message = format!("the graph has {} nodes but counts {}", self.order.len(), graph.live_nodes);
            self.report(Invariant::ParentLinks, Entity::Region(graph.root), message);
        }
    }

    /// Inputs, outputs, arguments and results know where they are.
    fn sites(&mut self) {
        let graph = self.graph;
        for index in 0..self.order.len() {
            let node = self.order[index];
            for (index, &user) in graph.inputs(node).iter().enumerate() {
                self.user_site(user, Use::Input(node, index as u32));
            }
            for (index, &origin) in graph.outputs(node).iter().enumerate() {
                self.origin_site(origin, OriginDef::Output(node, index as u32));
            }
        }
        for index in 0..self.regions.len() {
            let region = self.regions[index];
            for (index, &user) in graph.results(region).iter().enumerate() {
                self.user_site(user, Use::Result(region, index as u32));
            }
            for (index, &origin) in graph.arguments(region).iter().enumerate() {
                self.origin_site(origin, OriginDef::Argument(region, index as u32));
            }
        }
    }

    fn user_site(&mut self, user: User, site: Use) {
        let data = &self.graph.users[user];
        let says = data.place.site();
        if says != site {
            let message = format!("it is at {site:?} but says that it is at {says:?}");
            self.report(Invariant::Positions, Entity::User(user), message);
        }
        match data.origin.expand() {
            Some(origin) => self.uses[origin] += 1,
            None => self.report(Invariant::Complete, Entity::User(user), "it has no origin".into()),
        }
    }

    fn origin_site(&mut self, origin: Origin, def: OriginDef) {
        let data = &self.graph.origins[origin];
        let says = data.place.def();
        if says != def {
            let message = format!("it is at {def:?} but says that it is at {says:?}");
            self.report(Invariant::Positions, Entity::Origin(origin), message);
        }
        if !self.attached.insert(origin) {
            let message = "it is an output or argument in more than one place".into();
            self.report(Invariant::Positions, Entity::Origin(origin), message);
        }
    }

    /// The users on an origin's list are those that name it.
    fn user_lists(&mut self) {
        let graph = self.graph;
        for (origin, data) in graph.origins.iter() {
            let uses = self.uses[origin];
            if !self.attached.contains(origin) {
                if uses > 0 {
                    let message = format!("it has {uses} users but belongs to no live node or region");
                    self.report(Invariant::Complete, Entity::Origin(origin), message);
                }
                continue;
            }
            let mut listed = 0;
            let mut previous = None;
            let mut next = data.first_user.expand();
            while let Some(user) = next {
                listed += 1;
                let user_data = &graph.users[user];
                if user_data.origin.expand() != Some(origin) || user_data.previous.expand() != previous {
                    let message = format!("{user} is on its list of users but does not agree");
                    self.report(Invariant::UserLists, Entity::Origin(origin), message);
                }
                if listed > uses {
                    break;
                }
                previous = Some(user);
                next = user_data.next.expand();
            }
            if listed != uses {
                let message = format!("{uses} users name it but {listed} are on its list");
                self.report(Invariant::UserLists, Entity::Origin(origin), message);
            }
        }
    }

    /// Origin and user of an edge are in one region.
    fn scopes(&mut self) {
        let graph = self.graph;
        let users = self.order.iter().flat_map(|&node| graph.inputs(node));
        let results = self.regions.iter().flat_map(|&region| graph.results(region));
        let mut crossing = Vec::new();
        for &user in users.chain(results) {
            let origin = graph.origin(user);
            let (from, to) = (graph.scope(origin), graph.user_scope(user));
            if from != to {
                crossing.push((user, format!("it is in {to} but its origin {origin} is in {from}")));
            }
        }
        for (user, message) in crossing {
            self.report(Invariant::Scope, Entity::User(user), message);
        }
    }

    /// No node depends on itself. A region whose node list is in topological order, the usual case, needs no search.
    fn cycles(&mut self) {
        let graph = self.graph;
        let mut rank = SecondaryMap::<Node, u32>::with_capacity(graph.nodes.len());
        for (index, &node) in self.order.iter().enumerate() {
            rank[node] = index as u32;
        }
        let mut unsorted: Vec<Region> = Vec::new();
        for &node in &self.order {
            let region = graph.region_of(node);
            if unsorted.last() != Some(&region)
                && graph.input_origins(node).filter_map(|origin| graph.producer(origin)).any(|p| rank[p] >= rank[node])
            {
                unsorted.push(region);
            }
        }
        for region in unsorted {
            let sorted = graph.topological(region);
            let left = graph.nodes(region).count() - sorted.len();
            if left == 0 {
                continue;
            }
            let sorted: rustc_hash::FxHashSet<Node> = sorted.into_iter().collect();
            let first = graph.nodes(region).find(|&node| !sorted.contains(&node)).expect("some node was not sorted");
            let message = format!("{left} nodes of its region are on a cycle or depend on one, it among them");
            self.report(Invariant::Acyclic, Entity::Node(first), message);
        }
    }
}

impl Entity {
    /// The entity's id as text.
    pub(crate) fn id(self) -> String {
        match self {
            Entity::Node(node) => node.to_string(),
            Entity::Region(region) => region.to_string(),
            Entity::Origin(origin) => origin.to_string(),
            Entity::User(user) => user.to_string(),
        }
    }

    /// The node to show with a message about the entity.
    pub(crate) fn node(self, graph: &Graph) -> Option<Node> {
        let live = |node: Node| (node.index() < graph.nodes.len()).then_some(node);
        match self {
            Entity::Node(node) => live(node),
            Entity::Region(region) => graph.parent(region).and_then(live),
            Entity::Origin(origin) => match graph.def(origin) {
                OriginDef::Output(node, _) => live(node),
                OriginDef::Argument(..) => None,
            },
            Entity::User(user) => match graph.site(user) {
                Use::Input(node, _) => live(node),
                Use::Result(..) => None,
            },
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::op::{BinaryFlags, IntBinary, MemAccess, Op};
    use crate::structural::Theta;
    use crate::tbaa::{TagDescriptor, TypeDescriptor};
    use crate::{Motion, NodeKind, Pool, Type};

    /// A graph whose arenas violate one invariant; `None` when the invariant is not about arenas.
    pub(crate) fn broken(invariant: Invariant) -> Option<Graph> {
        let mut graph = Graph::new(Arc::new(Pool::new()));
        let root = graph.root();
        let argument = graph.add_argument(root, Type::I32);
        let op = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NONE };
        let first = graph.add_simple(root, op, &[argument, argument], &[Type::I32]);
        let sum = graph.output(first, 0);
        let second = graph.add_simple(root, op, &[sum, argument], &[Type::I32]);
        let output = graph.output(second, 0);
        graph.add_result(root, output);
        assert!(graph.flaws().is_empty(), "the graph is right before it is broken");
        let input = graph.inputs(first)[0];
        match invariant {
            Invariant::ParentLinks => graph.regions[root].last = first.into(),
            Invariant::Positions => graph.users[input].place = Use::Input(second, 1).into(),
            Invariant::Complete => _ = Theta::add(&mut graph, root),
            Invariant::UserLists => graph.users[input].origin = output.into(),
            Invariant::Scope => {
                let node = graph.add_node(root, NodeKind::Gamma, &[], &[]);
                let inner = graph.add_region(node);
                graph.add_result(inner, output);
            }
            Invariant::Acyclic => graph.divert(input, output),
            _ => return None,
        }
        Some(graph)
    }

    #[test]
    fn a_removed_node_leaves_no_trace() {
        let mut graph = broken(Invariant::Acyclic).expect("it is about arenas");
        let argument = graph.arguments(graph.root())[0];
        for node in graph.nodes(graph.root()).collect::<Vec<_>>() {
            for user in graph.inputs(node).to_vec() {
                graph.divert(user, argument);
            }
        }
        assert!(graph.flaws().is_empty());
        let first = graph.nodes(graph.root()).next().expect("there are two nodes");
        graph.remove(first);
        assert!(graph.flaws().is_empty());
    }

    /// What a tag says holds where the instruction is executed, however late, but not where it is not.
    #[test]
    fn a_load_that_is_speculated_loses_its_tag() {
        let pool = Arc::new(Pool::new());
        let node = pool.intern_type_node(TypeDescriptor { name: "int".into(), members: Box::default() });
        let tag = pool.intern_tag(TagDescriptor::scalar(node));
        let mut graph = Graph::new(pool);
        let root = graph.root();
        let (address, mem) = (graph.add_argument(root, Type::PTR), graph.add_argument(root, Type::MEM));
        let access = MemAccess { tag, ..MemAccess::plain(2) };
        let load = graph.add_simple(root, Op::Load(access), &[address, mem], &[Type::I32, Type::MEM]);
        for (motion, expected) in [(Motion::Sunk, tag), (Motion::Hoisted, tag), (Motion::Speculated, None)] {
            let epoch = graph.next_epoch();
            graph.set_moved(load, motion);
            assert_eq!(graph.op(load), Some(Op::Load(MemAccess { tag: expected, ..access })), "{motion:?}");
            assert_eq!(graph.is_edited(load, epoch), expected.is_none(), "{motion:?}");
        }
    }

    /// One of several accesses that is executed in any case has the tag that all have.
    #[test]
    fn a_load_that_is_moved_with_others_keeps_the_tag_of_all() {
        let pool = Arc::new(Pool::new());
        let tag = |name: &str| {
            let members = Box::default();
            pool.intern_tag(TagDescriptor::scalar(pool.intern_type_node(TypeDescriptor { name: name.into(), members })))
        };
        let (int, float) = (tag("int"), tag("float"));
        let mut graph = Graph::new(Arc::clone(&pool));
        let root = graph.root();
        let (address, mem) = (graph.add_argument(root, Type::PTR), graph.add_argument(root, Type::MEM));
        let mut load = |tag| {
            let access = MemAccess { tag, ..MemAccess::plain(2) };
            graph.add_simple(root, Op::Load(access), &[address, mem], &[Type::I32, Type::MEM])
        };
        let [first, same, other, untagged] = [int, int, float, None].map(&mut load);
        let tag_of = |graph: &Graph, node| match graph.op(node) {
            Some(Op::Load(access)) => access.tag,
            _ => None,
        };
        for (others, expected) in [(&[same][..], int), (&[same, untagged], None), (&[untagged], None)] {
            let load =
                graph.add_simple(root, graph.op(same).expect("it is simple"), &[address, mem], &[Type::I32, Type::MEM]);
            graph.set_moved_with(load, others);
            assert_eq!(tag_of(&graph, load), expected);
        }
        graph.set_moved_with(first, &[other]);
        assert_eq!(tag_of(&graph, first), None);
    }

    #[test]
    fn a_load_promises_what_all_loads_that_it_stands_for_do() {
        let mut graph = Graph::new(Arc::new(Pool::new()));
        let root = graph.root();
        let (address, mem) = (graph.add_argument(root, Type::PTR), graph.add_argument(root, Type::MEM));
        let plain = MemAccess::plain(3);
        let mut load = |nonnull| {
            let op = Op::Load(MemAccess { nonnull, ..plain });
            graph.add_simple(root, op, &[address, mem], &[Type::PTR, Type::MEM])
        };
        let [first, second, third, fourth] = [true, true, false, true].map(&mut load);
        let is_nonnull = |graph: &Graph, node| matches!(graph.op(node), Some(Op::Load(access)) if access.nonnull);
        graph.note_merge(second, first);
        assert!(is_nonnull(&graph, first));
        graph.note_merge(third, first);
        assert!(!is_nonnull(&graph, first));
        graph.forget_promises(fourth);
        assert!(!is_nonnull(&graph, fourth));
    }

    #[test]
    fn a_region_in_any_order_is_searched_for_cycles() {
        let mut graph = Graph::new(Arc::new(Pool::new()));
        let root = graph.root();
        let argument = graph.add_argument(root, Type::I32);
        let nodes: Vec<Node> = (0..4).map(|_| graph.add_simple(root, Op::Freeze, &[argument], &[Type::I32])).collect();
        for pair in nodes.windows(2) {
            let (user, origin) = (graph.inputs(pair[0])[0], graph.output(pair[1], 0));
            graph.divert(user, origin);
        }
        assert!(graph.flaws().is_empty());
    }
}
