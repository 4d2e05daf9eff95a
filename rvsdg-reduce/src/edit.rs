//! What may be tried to make a module smaller.

use rvsdg_core::module::Code;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Body, Constant, Graph, Module, Node, NodeKind, Op, Origin, OriginDef, Region, Type, TypeKind};

/// A change that makes a valid module smaller or simpler, and leaves it valid. It need not keep its meaning.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Edit {
    /// The export with this number is none.
    Hide(usize),
    /// A function does nothing: it returns zero.
    Empty(Body),
    /// A γ is one of its alternatives.
    Choose(Body, Node, usize),
    /// A θ runs once.
    Once(Body, Node),
    /// An operation does not take place: its states pass it by, and its values are zero.
    Pass(Body, Node),
    /// A value is zero for whatever uses it.
    Zero(Body, Origin),
    /// Dead nodes go.
    Sweep(Body),
}

/// Edits of one kind: how to find them.
pub(crate) struct Kind {
    pub find: fn(&Module) -> Vec<Edit>,
}

/// All kinds, from coarse to fine.
pub(crate) const KINDS: &[Kind] = &[
    Kind { find: |module| (0..module.omega.results(module.omega.root()).len()).rev().map(Edit::Hide).collect() },
    Kind { find: |module| each_body(module, |body, _, edits| edits.push(Edit::Empty(body))) },
    Kind { find: |module| each_body(module, structure) },
    Kind { find: |module| each_body(module, operations) },
    Kind { find: |module| each_body(module, values) },
    Kind { find: |module| each_body(module, |body, _, edits| edits.push(Edit::Sweep(body))) },
];

fn each_body(module: &Module, find: fn(Body, &Graph, &mut Vec<Edit>)) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (body, data) in &module.bodies {
        if let Some(graph) = data.graph() {
            find(body, graph, &mut edits);
        }
    }
    edits
}

/// Outer nodes come first: what is in them goes with them.
fn structure(body: Body, graph: &Graph, edits: &mut Vec<Edit>) {
    for node in graph.all_nodes() {
        match graph.kind(node) {
            NodeKind::Gamma => {
                edits.extend((0..graph.subregions(node).len()).map(|region| Edit::Choose(body, node, region)));
            }
            NodeKind::Theta => edits.push(Edit::Once(body, node)),
            NodeKind::Simple(_) | NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => {}
        }
    }
}

/// Users come before what they use.
fn operations(body: Body, graph: &Graph, edits: &mut Vec<Edit>) {
    let first = edits.len();
    for node in graph.all_nodes() {
        if matches!(graph.kind(node), NodeKind::Simple(op) if !matches!(op, Op::Const(_) | Op::CtlConst { .. })) {
            edits.push(Edit::Pass(body, node));
        }
    }
    edits[first..].reverse();
}

fn values(body: Body, graph: &Graph, edits: &mut Vec<Edit>) {
    let mut origins = |origins: &[Origin]| {
        let values = origins.iter().filter(|&&origin| graph.has_users(origin) && !graph.ty(origin).is_state());
        edits.extend(values.map(|&origin| Edit::Zero(body, origin)));
    };
    origins(graph.arguments(graph.root()));
    for node in graph.all_nodes() {
        origins(graph.outputs(node));
        graph.subregions(node).iter().for_each(|&region| origins(graph.arguments(region)));
    }
}

impl Edit {
    /// Makes the change; returns whether there was anything to change. What earlier changes removed is left alone.
    pub fn apply(self, module: &mut Module) -> bool {
        if let Edit::Hide(export) = self {
            let root = module.omega.root();
            let count = module.omega.results(root).len();
            module.omega.retain_results(root, |index| index != export);
            return module.omega.results(root).len() < count;
        }
        let (Edit::Empty(body)
        | Edit::Choose(body, ..)
        | Edit::Once(body, _)
        | Edit::Pass(body, _)
        | Edit::Zero(body, _)
        | Edit::Sweep(body)) = self
        else {
            return false;
        };
        let Some(Code::Graph(graph)) = module.bodies.get_mut(body).map(|data| &mut data.code) else { return false };
        match self {
            Edit::Hide(_) => false,
            Edit::Empty(_) => empty(graph),
            Edit::Choose(_, node, alternative) => {
                let Some(gamma) = live(graph, node).and_then(|node| Gamma::new(graph, node)) else { return false };
                let origins: Vec<Origin> = graph.input_origins(node).skip(1).collect();
                inline(graph, node, gamma.regions(graph)[alternative], &origins, 0);
                true
            }
            Edit::Once(_, node) => {
                let Some(theta) = live(graph, node).and_then(|node| Theta::new(graph, node)) else { return false };
                let origins: Vec<Origin> = graph.input_origins(node).collect();
                inline(graph, node, theta.body(graph), &origins, 1);
                true
            }
            Edit::Pass(_, node) => live(graph, node).is_some_and(|node| pass(graph, node)),
            Edit::Zero(_, origin) => zero_users(graph, origin),
            Edit::Sweep(_) => remove_unused(graph),
        }
    }
}

fn live(graph: &Graph, node: Node) -> Option<Node> {
    graph.is_live(node).then_some(node)
}

/// Makes a body return zero and pass its states.
fn empty(graph: &mut Graph) -> bool {
    let root = graph.root();
    let states: Vec<Origin> =
        graph.arguments(root).iter().copied().filter(|&argument| graph.ty(argument).is_state()).collect();
    for index in 0..graph.results(root).len() {
        let (user, origin) = (graph.results(root)[index], graph.result(root, index));
        let ty = graph.ty(origin);
        let new = match states.iter().find(|&&state| graph.ty(state) == ty) {
            Some(&state) => Some(state),
            None => zero(graph, root, ty),
        };
        if let Some(new) = new {
            graph.divert(user, new);
        }
    }
    remove_unused(graph)
}

/// Puts the nodes of a region before the structural node it is in, whose place they take; results up to `skip` are no
/// outputs.
fn inline(graph: &mut Graph, node: Node, region: Region, origins: &[Origin], skip: usize) {
    for (index, &origin) in origins.iter().enumerate() {
        graph.divert_users(graph.arguments(region)[index], origin);
    }
    let inner: Vec<Node> = graph.nodes(region).collect();
    for inner in inner {
        graph.move_before(inner, node);
    }
    for index in 0..graph.outputs(node).len() {
        let (output, result) = (graph.output(node, index), graph.result(region, index + skip));
        graph.divert_users(output, result);
    }
    // Results of the region hold on to nodes outside now; they go with the node.
    graph.retain_results(region, |_| false);
    graph.remove(node);
}

/// Connects the states of an operation past it, makes its values zero, and removes it.
fn pass(graph: &mut Graph, node: Node) -> bool {
    if !matches!(graph.kind(node), NodeKind::Simple(_)) {
        return false;
    }
    for index in 0..graph.outputs(node).len() {
        let output = graph.output(node, index);
        let ty = graph.ty(output);
        if !ty.is_state() {
            zero_users(graph, output);
            continue;
        }
        let input = graph.input_origins(node).find(|&input| graph.ty(input) == ty);
        if let Some(input) = input {
            graph.divert_users(output, input);
        }
    }
    let unused = graph.outputs(node).iter().all(|&output| !graph.has_users(output));
    if unused {
        graph.remove(node);
    }
    unused
}

/// Makes users of a value users of zero; returns whether that is anything else.
fn zero_users(graph: &mut Graph, origin: Origin) -> bool {
    let ty = graph.ty(origin);
    let is_live = match graph.def(origin) {
        OriginDef::Argument(region, _) => graph.parent(region).is_none_or(|node| graph.is_live(node)),
        OriginDef::Output(node, _) => graph.is_live(node),
    };
    if !is_live || !graph.has_users(origin) {
        return false;
    }
    let region = graph.scope(origin);
    let Some(new) = zero(graph, region, ty) else { return false };
    let same = graph.producer(origin).is_some_and(|old| {
        graph.producer(new).is_some_and(|new| graph.op(old) == graph.op(new) && graph.op(new).is_some())
    });
    if same {
        let new = graph.producer(new).expect("it is an output");
        graph.remove(new);
        return false;
    }
    graph.divert_users(origin, new);
    true
}

/// A node at the front of a region for the zero of a type; `None` for states and what has none.
fn zero(graph: &mut Graph, region: Region, ty: Type) -> Option<Origin> {
    let pool = graph.pool().clone();
    let op = match *pool.type_kind(ty) {
        TypeKind::Ctl(of) => Op::CtlConst { value: 0, of },
        TypeKind::Int(_) => Op::Const(pool.int_const(ty, 0)),
        TypeKind::Half
        | TypeKind::BFloat
        | TypeKind::Float
        | TypeKind::Double
        | TypeKind::X86Fp80
        | TypeKind::Fp128
        | TypeKind::PpcFp128 => Op::Const(pool.intern_const(Constant::Float { ty, bits: 0 })),
        TypeKind::Ptr(_)
        | TypeKind::Vector { .. }
        | TypeKind::Array { .. }
        | TypeKind::Struct { .. }
        | TypeKind::Named { .. } => Op::Const(pool.intern_const(Constant::Zero(ty))),
        TypeKind::Token => Op::Const(pool.intern_const(Constant::None(ty))),
        _ => return None,
    };
    let node = graph.add_simple(region, op, &[], &[ty]);
    graph.move_to_front(node);
    Some(graph.output(node, 0))
}

/// Removes nodes that nothing uses, however they came about; dead variables stay.
fn remove_unused(graph: &mut Graph) -> bool {
    let mut removed = false;
    // Users come after what they use in a topological order, and outer nodes before inner ones.
    let mut regions = vec![graph.root()];
    while let Some(region) = regions.pop() {
        for node in graph.topological(region).into_iter().rev() {
            if graph.outputs(node).iter().any(|&output| graph.has_users(output)) {
                regions.extend(graph.subregions(node));
            } else {
                graph.remove(node);
                removed = true;
            }
        }
    }
    removed
}
