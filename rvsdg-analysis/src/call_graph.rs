//! The call graph of a module: its direct calls, their strongly connected components, and how functions are used.

mod bottom_up;
mod components;
mod direct;
mod uses;

use rustc_hash::FxHashMap;
use rvsdg_core::structural::Lambda;
use rvsdg_core::{Body, Module, Node, NodeKind, Symbol};

pub use bottom_up::BottomUp;
pub use components::Components;
pub use direct::{DirectCalls, calls_input};
pub use uses::FunctionUses;
pub(crate) use uses::used_outside_bodies;

/// The functions that a module defines and the direct calls between them.
pub struct CallGraph {
    bodies: Vec<Body>,
    positions: FxHashMap<Body, u32>,
    lambdas: FxHashMap<Body, Lambda>,
    definitions: FxHashMap<Symbol, Body>,
    contexts: FxHashMap<Body, Vec<Symbol>>,
    calls: FxHashMap<Body, DirectCalls>,
    components: Components,
}

impl CallGraph {
    /// The call graph of a module; `calls` has the direct calls of each body with a graph. Linear in the ω level and in calls.
    pub fn new(module: &Module, calls: FxHashMap<Body, DirectCalls>) -> CallGraph {
        let lambdas: FxHashMap<Body, Lambda> =
            module.lambdas().into_iter().map(|lambda| (lambda.body(), lambda)).collect();
        let place: FxHashMap<Symbol, usize> =
            module.order.iter().enumerate().map(|(place, &symbol)| (symbol, place)).collect();
        let mut bodies: Vec<Body> = module.lambdas().iter().map(|lambda| lambda.body()).collect();
        bodies.sort_by_key(|&body| place.get(&module.bodies[body].symbol).copied());
        let contexts: FxHashMap<Body, Vec<Symbol>> =
            lambdas.values().map(|&lambda| (lambda.body(), module.context_symbols(lambda))).collect();
        let definitions: FxHashMap<Symbol, Body> =
            bodies.iter().map(|&body| (module.bodies[body].symbol, body)).collect();
        let positions: FxHashMap<Body, u32> = bodies.iter().copied().zip(0..).collect();
        let callees = |body: &Body| -> Vec<u32> {
            let called = calls.get(body).into_iter().flat_map(|direct| &direct.calls);
            let symbols = called.map(|&(_, context)| contexts[body][context as usize]);
            symbols.filter_map(|symbol| Some(positions[definitions.get(&symbol)?])).collect()
        };
        let calls_of_all = bodies.iter().map(callees).collect::<Vec<_>>();
        let components = Components::of(&bodies, &calls_of_all, &mentions(module, &bodies, &lambdas));
        CallGraph { bodies, positions, lambdas, definitions, contexts, calls, components }
    }

    /// All bodies in module order.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The position of a body in module order.
    pub fn position(&self, body: Body) -> u32 {
        self.positions[&body]
    }

    /// The λ of a body.
    pub fn lambda(&self, body: Body) -> Lambda {
        self.lambdas[&body]
    }

    /// The body of a function that the module defines.
    pub fn definition(&self, symbol: Symbol) -> Option<Body> {
        self.definitions.get(&symbol).copied()
    }

    /// The symbols of the context variables of a body.
    pub fn contexts(&self, body: Body) -> &[Symbol] {
        &self.contexts[&body]
    }

    /// The direct calls of a body, unless it is not a graph.
    pub fn direct_calls(&self, body: Body) -> Option<&DirectCalls> {
        self.calls.get(&body)
    }

    /// The calls of a body with known callees, producers first.
    pub fn calls(&self, body: Body) -> impl Iterator<Item = (Node, Symbol)> {
        let contexts = self.contexts(body);
        let direct = self.direct_calls(body).into_iter().flat_map(|direct| &direct.calls);
        direct.map(|&(call, context)| (call, contexts[context as usize]))
    }

    /// The strongly connected components.
    pub fn components(&self) -> &Components {
        &self.components
    }
}

/// For each body, then for each variable: the positions of the functions and variables outside its φ that it mentions.
fn mentions(module: &Module, bodies: &[Body], lambdas: &FxHashMap<Body, Lambda>) -> Vec<Vec<u32>> {
    let omega = &module.omega;
    let variables = omega.all_nodes().filter(|&node| matches!(omega.kind(node), NodeKind::Delta(_)));
    let nodes: Vec<Node> = bodies.iter().map(|body| lambdas[body].node()).chain(variables).collect();
    let symbol = |node: Node| match omega.kind(node) {
        NodeKind::Lambda(body) => Some(module.bodies[body].symbol),
        NodeKind::Delta(symbol) => Some(symbol),
        NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta | NodeKind::Phi => None,
    };
    let positions: FxHashMap<Symbol, u32> =
        nodes.iter().zip(0..).filter_map(|(&node, at)| Some((symbol(node)?, at))).collect();
    let outermost = |mut node: Node| {
        while let Some(outer) = omega.parent(omega.region_of(node)) {
            node = outer;
        }
        node
    };
    let mentioned = |&node: &Node| {
        let symbols = omega.input_origins(node).map(|origin| module.symbol_of(origin));
        let others = symbols.filter_map(|symbol| positions.get(&symbol).copied());
        let is_apart = |&other: &u32| outermost(nodes[other as usize]) != outermost(node);
        others.filter(is_apart).collect()
    };
    nodes.iter().map(mentioned).collect()
}
