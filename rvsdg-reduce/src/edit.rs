//! What may be tried to make a module smaller.

use rvsdg_core::constant::Words;
use rvsdg_core::module::Code;
use rvsdg_core::op::{IntPredicate, MatchTable};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Body, Constant, Graph, Module, Node, NodeKind, Op, Origin, Region, Type, TypeKind};
use rvsdg_passes::scalar::dead_node_elimination::DeadDefinitions;
use rvsdg_passes::{ModulePass, PassCx};

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
    /// An operation does not take place: its states pass it by, and its value is the input with this number.
    Instead(Body, Node, usize),
    /// A `match` of a comparison with a constant is one of the number that is compared.
    Match(Body, Node),
    /// A variable of a γ or θ, by number, is removed: an exit or loop variable without uses after it, or an entry variable without uses
    /// inside.
    Drop(Body, Node, Variable),
    /// Functions, data and context variables that nothing needs go.
    Definitions,
    /// A value is zero for whatever uses it.
    Zero(Body, Origin),
    /// Dead nodes go.
    Sweep(Body),
}

/// A variable of a structural node, by number.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Variable {
    /// Of a γ.
    Entry(usize),
    /// Of a γ.
    Exit(usize),
    /// Of a θ.
    Loop(usize),
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
    Kind { find: |module| each_body(module, operands) },
    Kind { find: |module| each_body(module, matches) },
    Kind { find: |module| each_body(module, values) },
    Kind { find: |module| each_body(module, variables) },
    Kind { find: |_| vec![Edit::Definitions] },
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

/// Outer nodes come first: their contents are removed with them.
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

/// Users come before their operands.
fn operations(body: Body, graph: &Graph, edits: &mut Vec<Edit>) {
    let first = edits.len();
    for node in graph.all_nodes() {
        let NodeKind::Simple(op) = graph.kind(node) else { continue };
        // A constant that is used cannot be passed.
        let is_constant = matches!(op, Op::Const(_) | Op::CtlConst { .. });
        if !is_constant || !graph.outputs(node).iter().any(|&output| graph.has_users(output)) {
            edits.push(Edit::Pass(body, node));
        }
    }
    edits[first..].reverse();
}

/// Users come before their operands.
fn operands(body: Body, graph: &Graph, edits: &mut Vec<Edit>) {
    let first = edits.len();
    for node in graph.all_nodes() {
        let Some(&output) = graph.outputs(node).first() else { continue };
        let ty = graph.ty(output);
        if matches!(graph.kind(node), NodeKind::Simple(_)) && !ty.is_state() {
            let same = graph.input_origins(node).enumerate().filter(|&(_, input)| graph.ty(input) == ty);
            edits.extend(same.map(|(index, _)| Edit::Instead(body, node, index)));
        }
    }
    edits[first..].reverse();
}

fn matches(body: Body, graph: &Graph, edits: &mut Vec<Edit>) {
    let is_match = |&node: &Node| matches!(graph.op(node), Some(Op::Match(_)));
    edits.extend(graph.all_nodes().filter(is_match).map(|node| Edit::Match(body, node)));
}

fn variables(body: Body, graph: &Graph, edits: &mut Vec<Edit>) {
    for node in graph.all_nodes() {
        let inputs = graph.inputs(node).len();
        // The last first: numbers of those before stay.
        match graph.kind(node) {
            NodeKind::Gamma => {
                let outputs = graph.outputs(node).len();
                edits.extend((0..outputs).rev().map(|index| Edit::Drop(body, node, Variable::Exit(index))));
                edits.extend((0..inputs - 1).rev().map(|index| Edit::Drop(body, node, Variable::Entry(index))));
            }
            NodeKind::Theta => {
                edits.extend((0..inputs).rev().map(|index| Edit::Drop(body, node, Variable::Loop(index))));
            }
            NodeKind::Simple(_) | NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => {}
        }
    }
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
    /// Makes the change; returns whether there was anything to change. Entities that earlier changes removed are skipped.
    pub fn apply(self, module: &mut Module) -> bool {
        if let Edit::Hide(export) = self {
            let root = module.omega.root();
            let count = module.omega.results(root).len();
            module.omega.retain_results(root, |index| index != export);
            return module.omega.results(root).len() < count;
        }
        if self == Edit::Definitions {
            return DeadDefinitions.run(module, &PassCx::new()).is_changed();
        }
        let (Edit::Empty(body)
        | Edit::Choose(body, ..)
        | Edit::Once(body, _)
        | Edit::Pass(body, _)
        | Edit::Instead(body, ..)
        | Edit::Match(body, _)
        | Edit::Drop(body, ..)
        | Edit::Zero(body, _)
        | Edit::Sweep(body)) = self
        else {
            return false;
        };
        let Some(Code::Graph(graph)) = module.bodies.get_mut(body).map(|data| &mut data.code) else { return false };
        match self {
            Edit::Hide(_) | Edit::Definitions => false,
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
            Edit::Instead(_, node, index) => live(graph, node).is_some_and(|node| instead(graph, node, index)),
            Edit::Match(_, node) => live(graph, node).is_some_and(|node| match_number(graph, node)),
            Edit::Drop(_, node, variable) => live(graph, node).is_some_and(|node| drop_variable(graph, node, variable)),
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

/// Makes users of an operation's value users of one of its inputs, then passes it.
fn instead(graph: &mut Graph, node: Node, index: usize) -> bool {
    let (Some(&output), Some(&input)) = (graph.outputs(node).first(), graph.inputs(node).get(index)) else {
        return false;
    };
    let input = graph.origin(input);
    if graph.ty(input) != graph.ty(output) || !graph.has_users(output) {
        return false;
    }
    graph.divert_users(output, input);
    pass(graph, node);
    true
}

/// Turns a `match` of `x == C` into one of `x`, with the same alternatives.
fn match_number(graph: &mut Graph, node: Node) -> bool {
    let Some(Op::Match(table)) = graph.op(node) else { return false };
    let Some(compare) = graph.producer(graph.input(node, 0)) else { return false };
    let Some(Op::ICmp { predicate: predicate @ (IntPredicate::Eq | IntPredicate::Ne), .. }) = graph.op(compare) else {
        return false;
    };
    let (number, constant) = (graph.input(compare, 0), graph.producer(graph.input(compare, 1)));
    let Some(Op::Const(constant)) = constant.and_then(|node| graph.op(node)) else { return false };
    let pool = graph.pool().clone();
    if !matches!(pool.constant(constant), Constant::Int { .. }) {
        return false;
    }
    let table = pool.table(table);
    let chosen = |bit: u64| {
        let bit = pool.int_const(Type::I1, bit);
        table.cases.iter().find(|&&(case, _)| case == bit).map_or(table.default, |&(_, alternative)| alternative)
    };
    let equal = u64::from(predicate == IntPredicate::Eq);
    let (case, default) = (chosen(equal), chosen(1 - equal));
    let table = MatchTable { cases: [(constant, case)].into(), default, alternatives: table.alternatives };
    let (region, output) = (graph.region_of(node), graph.output(node, 0));
    let new = graph.add_simple(region, Op::Match(pool.intern_table(table)), &[number], &[graph.ty(output)]);
    graph.move_before(new, node);
    let new = graph.output(new, 0);
    graph.divert_users(output, new);
    graph.remove(node);
    true
}

/// Removes a variable that has no use but itself.
fn drop_variable(graph: &mut Graph, node: Node, variable: Variable) -> bool {
    match variable {
        Variable::Exit(index) => {
            let Some(gamma) = Gamma::new(graph, node) else { return false };
            let unused = graph.outputs(node).get(index).is_some_and(|&output| !graph.has_users(output));
            if unused {
                gamma.retain_exit_vars(graph, |other| other != index);
            }
            unused
        }
        Variable::Entry(index) => {
            let Some(gamma) = Gamma::new(graph, node) else { return false };
            let used =
                |&region: &Region| graph.arguments(region).get(index).is_none_or(|&argument| graph.has_users(argument));
            let unused = !gamma.regions(graph).iter().any(used);
            if unused {
                gamma.retain_entry_vars(graph, |other| other != index);
            }
            unused
        }
        Variable::Loop(index) => {
            let Some(theta) = Theta::new(graph, node) else { return false };
            if graph.inputs(node).len() <= index {
                return false;
            }
            let variable = theta.loop_var(graph, index);
            if graph.has_users(variable.output) || graph.users_of(variable.pre).any(|user| user != variable.post) {
                return false;
            }
            graph.divert(variable.post, variable.pre);
            theta.retain_loop_vars(graph, |other| other != index);
            true
        }
    }
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
    // Edits before this one may have removed what it is of.
    if !graph.is_live_origin(origin) || !graph.has_users(origin) {
        return false;
    }
    let region = graph.scope(origin);
    let Some(new) = zero(graph, region, ty) else { return false };
    if new == origin {
        return false;
    }
    graph.divert_users(origin, new);
    true
}

/// How many nodes at the start of a region are searched for an existing zero.
const NEAR: usize = 16;

/// A node at the front of a region for the zero of a type; `None` for states and what has none.
fn zero(graph: &mut Graph, region: Region, ty: Type) -> Option<Origin> {
    let pool = graph.pool().clone();
    let op = match *pool.type_kind(ty) {
        TypeKind::Ctl(of) => Op::CtlConst { value: 0, of },
        TypeKind::Int(..=64) => Op::Const(pool.int_const(ty, 0)),
        TypeKind::Int(bits) => {
            let words = Words::Large(vec![0; bits.div_ceil(64) as usize].into());
            Op::Const(pool.intern_const(Constant::Int { ty, words }))
        }
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
    // Zeros are at the front, where there mostly is one.
    let same = |&node: &Node| graph.op(node) == Some(op) && graph.inputs(node).is_empty();
    if let Some(node) = graph.nodes(region).take(NEAR).find(same) {
        return Some(graph.output(node, 0));
    }
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
