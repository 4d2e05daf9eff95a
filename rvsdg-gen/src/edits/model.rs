//! What a graph should hold: plain lists, kept up to date by searching.

use rvsdg_core::graph::{OriginDef, Use};
use rvsdg_core::verify::{Invariant, verify_graph};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, Region, SourceId, Type, User};

use super::Edit;

#[derive(Clone)]
struct ModelNode {
    node: Node,
    kind: NodeKind,
    region: Region,
    inputs: Vec<User>,
    outputs: Vec<Origin>,
    subregions: Vec<Region>,
}

struct ModelRegion {
    region: Region,
    arguments: Vec<Origin>,
    results: Vec<User>,
}

/// What the graph should hold. Nodes of a region are in the order of `nodes`; an edge is a user with its origin, the
/// edges of an origin in the order of `edges`, latest last.
#[derive(Default)]
pub struct Model {
    nodes: Vec<ModelNode>,
    regions: Vec<ModelRegion>,
    edges: Vec<(User, Origin)>,
}

impl Model {
    fn divert(&mut self, user: User, origin: Origin) {
        if !self.edges.contains(&(user, origin)) {
            self.edges.retain(|&(other, _)| other != user);
            self.edges.push((user, origin));
        }
    }

    fn drop_users(&mut self, users: &[User]) {
        self.edges.retain(|(user, _)| !users.contains(user));
    }

    fn is_used(&self, origin: Origin) -> bool {
        self.edges.iter().any(|&(_, other)| other == origin)
    }

    fn origins(&self) -> Vec<Origin> {
        let outputs = self.nodes.iter().flat_map(|node| node.outputs.iter().copied());
        outputs.chain(self.regions.iter().flat_map(|region| region.arguments.iter().copied())).collect()
    }

    fn users(&self) -> Vec<User> {
        let inputs = self.nodes.iter().flat_map(|node| node.inputs.iter().copied());
        inputs.chain(self.regions.iter().flat_map(|region| region.results.iter().copied())).collect()
    }

    /// A node and everything in it.
    fn within(&self, node: Node) -> Vec<Node> {
        let mut found = vec![node];
        let mut next = 0;
        while next < found.len() {
            let regions = &self.nodes.iter().find(|model| model.node == found[next]).expect("it exists").subregions;
            found.extend(self.nodes.iter().filter(|model| regions.contains(&model.region)).map(|model| model.node));
            next += 1;
        }
        found
    }

    fn remove(&mut self, node: Node) {
        let gone = self.within(node);
        let regions: Vec<Region> = self
            .nodes
            .iter()
            .filter(|model| gone.contains(&model.node))
            .flat_map(|model| model.subregions.clone())
            .collect();
        let mut users = vec![];
        for model in self.nodes.iter().filter(|model| gone.contains(&model.node)) {
            users.extend_from_slice(&model.inputs);
        }
        for region in self.regions.iter().filter(|model| regions.contains(&model.region)) {
            users.extend_from_slice(&region.results);
        }
        self.drop_users(&users);
        self.nodes.retain(|model| !gone.contains(&model.node));
        self.regions.retain(|model| !regions.contains(&model.region));
    }

    /// Compares everything.
    ///
    /// # Panics
    /// Where the graph differs.
    pub fn compare(&self, graph: &Graph) {
        assert_eq!(graph.node_count(), self.nodes.len());
        for region in &self.regions {
            let nodes: Vec<Node> = graph.nodes(region.region).collect();
            let expected = self.nodes.iter().filter(|model| model.region == region.region);
            assert_eq!(nodes, expected.map(|model| model.node).collect::<Vec<_>>());
            assert_eq!(graph.arguments(region.region), region.arguments);
            assert_eq!(graph.results(region.region), region.results);
            for (index, &argument) in region.arguments.iter().enumerate() {
                assert_eq!(graph.def(argument), OriginDef::Argument(region.region, index as u32));
            }
            for (index, &result) in region.results.iter().enumerate() {
                assert_eq!(graph.site(result), Use::Result(region.region, index as u32));
            }
        }
        for model in &self.nodes {
            assert!(graph.is_live(model.node));
            assert_eq!(graph.region_of(model.node), model.region);
            assert_eq!(graph.kind(model.node), model.kind);
            assert_eq!(graph.inputs(model.node), model.inputs);
            assert_eq!(graph.outputs(model.node), model.outputs);
            assert_eq!(graph.subregions(model.node), model.subregions);
        }
        for user in self.users() {
            let origin = self.edges.iter().find(|&&(other, _)| other == user).map(|&(_, origin)| origin);
            assert_eq!(graph.try_origin(user), origin);
        }
        for origin in self.origins() {
            let users: Vec<User> = graph.users_of(origin).collect();
            let expected = self.edges.iter().rev().filter(|&&(_, other)| other == origin).map(|&(user, _)| user);
            assert_eq!(users, expected.collect::<Vec<_>>());
            assert_eq!(graph.has_one_user(origin), users.len() == 1);
        }
        // Edges are put anywhere here; lists and positions must be right.
        let broken = [Invariant::ParentLinks, Invariant::Positions, Invariant::UserLists];
        for violation in verify_graph(graph) {
            assert!(!broken.contains(&violation.invariant), "{violation}");
        }
    }
}

impl Model {
    /// The model of a graph without nodes.
    pub fn new(graph: &Graph) -> Model {
        let root = graph.root();
        let region = ModelRegion { region: root, arguments: graph.arguments(root).to_vec(), results: vec![] };
        Model { regions: vec![region], ..Model::default() }
    }
}

fn keeps(mask: u8) -> impl Fn(usize) -> bool {
    move |position| mask >> (position % 8) & 1 == 1
}

fn retain<T: Copy>(list: &mut Vec<T>, keep: impl Fn(usize) -> bool) -> Vec<T> {
    let gone = list.iter().enumerate().filter(|&(position, _)| !keep(position)).map(|(_, &item)| item).collect();
    let mut position = 0;
    list.retain(|_| {
        position += 1;
        keep(position - 1)
    });
    gone
}

/// Applies an edit to both, unless its preconditions do not hold.
pub fn apply(graph: &mut Graph, model: &mut Model, edit: &Edit) {
    let origins = model.origins();
    let users = model.users();
    let some = |index: &u16, len: usize| (len > 0).then(|| usize::from(*index) % len);
    let region = |index: &u16, model: &Model| usize::from(*index) % model.regions.len();
    match edit {
        Edit::AddSimple(at, inputs, outputs) => {
            let region = model.regions[region(at, model)].region;
            let inputs: Vec<Origin> =
                inputs.iter().filter_map(|i| some(i, origins.len())).map(|i| origins[i]).collect();
            let node = graph.add_simple(region, Op::Freeze, &inputs, &vec![Type::I32; usize::from(*outputs)]);
            model.edges.extend(graph.inputs(node).iter().copied().zip(inputs));
            let (inputs, outputs) = (graph.inputs(node).to_vec(), graph.outputs(node).to_vec());
            let kind = NodeKind::Simple(Op::Freeze);
            model.nodes.push(ModelNode { node, kind, region, inputs, outputs, subregions: vec![] });
        }
        Edit::AddRegion(at) => {
            let parent = model.regions[region(at, model)].region;
            let node = graph.add_node(parent, NodeKind::Theta, &[], &[]);
            let inner = graph.add_region(node);
            model.nodes.push(ModelNode {
                node,
                kind: NodeKind::Theta,
                region: parent,
                inputs: vec![],
                outputs: vec![],
                subregions: vec![inner],
            });
            model.regions.push(ModelRegion { region: inner, arguments: vec![], results: vec![] });
        }
        Edit::AddArgument(at) => {
            let at = region(at, model);
            let argument = graph.add_argument(model.regions[at].region, Type::I32);
            model.regions[at].arguments.push(argument);
        }
        Edit::AddResult(at, origin) => {
            let at = region(at, model);
            let Some(origin) = some(origin, origins.len()) else { return };
            let result = graph.add_result(model.regions[at].region, origins[origin]);
            model.regions[at].results.push(result);
            model.edges.push((result, origins[origin]));
        }
        Edit::AddInput(node, origin) => {
            let (Some(node), Some(origin)) = (some(node, model.nodes.len()), some(origin, origins.len())) else {
                return;
            };
            let input = graph.add_input(model.nodes[node].node, origins[origin]);
            model.nodes[node].inputs.push(input);
            model.edges.push((input, origins[origin]));
        }
        Edit::AddOutput(node) => {
            let Some(node) = some(node, model.nodes.len()) else { return };
            let output = graph.add_output(model.nodes[node].node, Type::I64);
            model.nodes[node].outputs.push(output);
        }
        Edit::Divert(user, origin) => {
            let (Some(user), Some(origin)) = (some(user, users.len()), some(origin, origins.len())) else { return };
            graph.divert(users[user], origins[origin]);
            model.divert(users[user], origins[origin]);
        }
        Edit::DivertUsers(from, to) => {
            let (Some(from), Some(to)) = (some(from, origins.len()), some(to, origins.len())) else { return };
            divert_users(graph, model, origins[from], origins[to]);
        }
        Edit::Remove(node) => {
            let Some(node) = some(node, model.nodes.len()) else { return };
            let node = model.nodes[node].node;
            // Nothing outside may use what goes, nor what is inside use something outside but through inputs.
            let gone = model.within(node);
            let inside = |other: Region| gone.iter().any(|&node| graph.subregions(node).contains(&other));
            let crosses = model.edges.iter().any(|&(user, origin)| {
                let inputs = graph.inputs(node).contains(&user);
                let outputs = graph.outputs(node).contains(&origin);
                outputs || !inputs && inside(graph.user_scope(user)) != inside(graph.scope(origin))
            });
            if crosses {
                return;
            }
            graph.remove(node);
            model.remove(node);
        }
        Edit::MoveTo(node, to) => {
            let Some(node) = some(node, model.nodes.len()) else { return };
            let to = model.regions[region(to, model)].region;
            let mut moved = model.nodes[node].clone();
            if model.within(moved.node).iter().any(|&inner| graph.subregions(inner).contains(&to)) {
                return;
            }
            graph.move_to(moved.node, to);
            model.nodes.remove(node);
            moved.region = to;
            model.nodes.push(moved);
        }
        Edit::MoveToFront(node) => {
            let Some(node) = some(node, model.nodes.len()) else { return };
            graph.move_to_front(model.nodes[node].node);
            let moved = model.nodes.remove(node);
            let first = model.nodes.iter().position(|other| other.region == moved.region);
            model.nodes.insert(first.unwrap_or(model.nodes.len()), moved);
        }
        Edit::MoveBefore(node, next) => {
            let (Some(node), Some(next)) = (some(node, model.nodes.len()), some(next, model.nodes.len())) else {
                return;
            };
            let next = model.nodes[next].clone();
            let mut moved = model.nodes[node].clone();
            if model.within(moved.node).contains(&next.node) {
                return;
            }
            graph.move_before(moved.node, next.node);
            model.nodes.remove(node);
            moved.region = next.region;
            let place = model.nodes.iter().position(|other| other.node == next.node).expect("it is another node");
            model.nodes.insert(place, moved);
        }
        Edit::SetOp(node) => {
            let Some(node) = some(node, model.nodes.len()) else { return };
            if let NodeKind::Simple(_) = model.nodes[node].kind {
                graph.set_op(model.nodes[node].node, Op::VaArg);
                model.nodes[node].kind = NodeKind::Simple(Op::VaArg);
            }
        }
        Edit::AddOpenResult(at) => {
            let at = region(at, model);
            let result = graph.add_open_result(model.regions[at].region);
            model.regions[at].results.push(result);
        }
        Edit::RetainInputs(node, mask) => {
            let Some(node) = some(node, model.nodes.len()) else { return };
            graph.retain_inputs(model.nodes[node].node, keeps(*mask));
            let gone = retain(&mut model.nodes[node].inputs, keeps(*mask));
            model.drop_users(&gone);
        }
        Edit::RetainOutputs(node, mask) => {
            let Some(node) = some(node, model.nodes.len()) else { return };
            let used: Vec<bool> = model.nodes[node].outputs.iter().map(|&output| model.is_used(output)).collect();
            let keep = |position: usize| used[position] || keeps(*mask)(position);
            graph.retain_outputs(model.nodes[node].node, keep);
            retain(&mut model.nodes[node].outputs, keep);
        }
        Edit::RetainArguments(at, mask) => {
            let at = region(at, model);
            let used: Vec<bool> = model.regions[at].arguments.iter().map(|&argument| model.is_used(argument)).collect();
            let keep = |position: usize| used[position] || keeps(*mask)(position);
            graph.retain_arguments(model.regions[at].region, keep);
            retain(&mut model.regions[at].arguments, keep);
        }
        Edit::RetainResults(at, mask) => {
            let at = region(at, model);
            graph.retain_results(model.regions[at].region, keeps(*mask));
            let gone = retain(&mut model.regions[at].results, keeps(*mask));
            model.drop_users(&gone);
        }
        Edit::Merge(from, to) => {
            let (Some(from), Some(to)) = (some(from, model.nodes.len()), some(to, model.nodes.len())) else { return };
            let (from, to) = (model.nodes[from].clone(), model.nodes[to].clone());
            if from.outputs.len() != to.outputs.len() {
                return;
            }
            let merges = graph.merges().len();
            graph.set_source(from.node, Some(SourceId::from_u32(3)));
            graph.merge_into(from.node, to.node);
            assert_eq!(graph.merges()[merges..], [(to.node, SourceId::from_u32(3))]);
            for (&old, &new) in from.outputs.iter().zip(&to.outputs) {
                if old != new {
                    divert_model(model, old, new);
                }
            }
        }
    }
}

fn divert_users(graph: &mut Graph, model: &mut Model, from: Origin, to: Origin) {
    graph.divert_users(from, to);
    if from != to {
        divert_model(model, from, to);
    }
}

/// Users move latest first.
fn divert_model(model: &mut Model, from: Origin, to: Origin) {
    let moved: Vec<User> =
        model.edges.iter().rev().filter(|&&(_, origin)| origin == from).map(|&(user, _)| user).collect();
    for user in moved {
        model.divert(user, to);
    }
}
