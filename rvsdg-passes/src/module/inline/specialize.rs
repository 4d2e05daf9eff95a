//! The cost of a callee if operands of a call are known.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::graph::WalkItem;
use rvsdg_core::{Graph, Module, Node, NodeKind, Op, Origin, Symbol};

use super::summary::{OPERATION, cost, intrinsic};

/// The bonus for a callee that calls a function argument that is known: that call can then be inlined too.
const KNOWN_CALLEE: u32 = 100;

/// The address operand of a store.
const STORE_ADDRESS: usize = 1;

/// Intrinsics that do not prevent scalar replacement of an object.
const KEEPS_OBJECT: &[&str] = &["lifetime.", "memcpy.", "memmove.", "memset."];

/// What is known of an operand of a call.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    /// Nothing.
    Unknown,
    /// A constant, or the address of a symbol that is not a function.
    Constant,
    /// The address of a function.
    Function,
    /// An object on the caller's stack, which scalar replacement can split if all of its uses are known.
    Object,
}

/// A body with some operands.
pub(super) struct Specialized {
    /// The cost.
    pub cost: u32,
    /// Whether it calls a function that is an operand.
    pub calls_operand: bool,
}

/// What is known of the values of a body.
struct Known<'g> {
    graph: &'g Graph,
    /// Constant values, not counting the addresses of the body's own symbols.
    constants: FxHashSet<Origin>,
    symbols: FxHashMap<Origin, Symbol>,
    /// Pointers into an object, by the index of its parameter.
    objects: FxHashMap<Origin, usize>,
    /// By parameter, the cost of accesses of its object, unless it has other uses.
    accesses: Vec<Option<u32>>,
    /// The bonus for known callees.
    callees: u32,
}

impl Known<'_> {
    /// Passes what is known of an outer value to the corresponding inner one.
    fn pass(&mut self, outer: Origin, inner: Origin) {
        if self.constants.contains(&outer) {
            self.constants.insert(inner);
        }
        if let Some(&symbol) = self.symbols.get(&outer) {
            self.symbols.insert(inner, symbol);
        }
        if let Some(&object) = self.objects.get(&outer) {
            self.objects.insert(inner, object);
        }
    }

    /// A use keeps the object in memory.
    fn keep(&mut self, origin: Origin) {
        if let Some(&object) = self.objects.get(&origin) {
            self.accesses[object] = None;
        }
    }

    /// The cost of an operation.
    fn operation(&mut self, module: &Module, node: Node, op: Op) -> u32 {
        let graph = self.graph;
        let is_known = |origin| self.constants.contains(&origin) || self.symbols.contains_key(&origin);
        let free = op.effects(graph.pool()).count() == 0
            && !matches!(op, Op::Call(_))
            && graph.input_origins(node).all(is_known);
        if free {
            self.constants.extend(graph.outputs(node));
            return 0;
        }
        let callee = graph.inputs(node).first().and_then(|_| self.symbols.get(&graph.input(node, 0)));
        let intrinsic = intrinsic(module, callee);
        let own = cost(graph, node, op, intrinsic);
        let address = graph.inputs(node).first().map(|_| graph.input(node, 0));
        match op {
            Op::Gep { .. } if graph.input_origins(node).skip(1).all(|index| self.constants.contains(&index)) => {
                if let Some(&object) = address.and_then(|address| self.objects.get(&address)) {
                    self.objects.insert(graph.output(node, 0), object);
                }
                return own;
            }
            Op::Call(_) if address.is_some_and(|address| self.constants.contains(&address)) => {
                graph.input_origins(node).for_each(|origin| self.keep(origin));
                self.callees += KNOWN_CALLEE;
                return own;
            }
            _ => {}
        }
        if matches!(op, Op::Call(_))
            && intrinsic.is_some_and(|name| KEEPS_OBJECT.iter().any(|prefix| name.starts_with(prefix)))
        {
            return own;
        }
        let accessed = match op {
            Op::Load(_) => Some(graph.input(node, 0)),
            Op::Store(_) => Some(graph.input(node, STORE_ADDRESS)),
            _ => None,
        };
        for origin in graph.input_origins(node) {
            if Some(origin) != accessed {
                self.keep(origin);
            }
        }
        let object = accessed.and_then(|origin| self.objects.get(&origin).copied());
        if let Some(saved) = object.and_then(|object| self.accesses[object].as_mut()) {
            *saved += OPERATION;
        }
        own
    }
}

/// The cost of a body with some operands: operations that depend only on constants are free, of a γ that they decide only the most
/// expensive region counts, and accesses of objects that scalar replacement can split are free. `contexts` are the symbols of its context
/// variables. Linear in the graph.
pub(super) fn specialized(module: &Module, graph: &Graph, contexts: &[Symbol], operands: &[Operand]) -> Specialized {
    let (symbols, parameters) = graph.arguments(graph.root()).split_at(contexts.len());
    let of_kind = |kind: Operand| {
        let parameters = parameters.iter().zip(operands).enumerate();
        parameters.filter(move |(_, (_, operand))| **operand == kind).map(|(index, (&argument, _))| (argument, index))
    };
    let mut known = Known {
        graph,
        constants: of_kind(Operand::Constant).chain(of_kind(Operand::Function)).map(|of| of.0).collect(),
        symbols: symbols.iter().copied().zip(contexts.iter().copied()).collect(),
        objects: of_kind(Operand::Object).collect(),
        accesses: vec![Some(0); operands.len()],
        callees: 0,
    };
    // The costs of the current regions, and of the alternatives of their γ nodes.
    let mut costs: Vec<u32> = Vec::new();
    let mut alternatives: Vec<(bool, u32, u32)> = Vec::new();
    for item in graph.walk() {
        match item {
            WalkItem::Enter(region) => {
                costs.push(0);
                if let Some(node) = graph.parent(region).filter(|_| graph.region_index(region) == 0) {
                    let decided =
                        graph.kind(node) == NodeKind::Gamma && known.constants.contains(&graph.input(node, 0));
                    alternatives.push((decided, 0, 0));
                }
            }
            WalkItem::Node(node) => match graph.kind(node) {
                NodeKind::Simple(op) => {
                    let own = costs.last_mut().expect("a node is in a region");
                    *own = own.saturating_add(known.operation(module, node, op));
                }
                NodeKind::Gamma => {
                    for (index, origin) in graph.input_origins(node).skip(1).enumerate() {
                        for &region in graph.subregions(node) {
                            known.pass(origin, graph.arguments(region)[index]);
                        }
                    }
                }
                NodeKind::Theta => {
                    let region = graph.subregions(node)[0];
                    for (index, origin) in graph.input_origins(node).enumerate() {
                        let argument = graph.arguments(region)[index];
                        if graph.result(region, index + 1) == argument {
                            known.pass(origin, argument);
                        } else {
                            known.keep(origin);
                        }
                    }
                }
                NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => {}
            },
            WalkItem::Leave(region) => {
                for (index, origin) in graph.result_origins(region).enumerate() {
                    let passes = graph.parent(region).is_some_and(|node| graph.kind(node) == NodeKind::Theta)
                        && index > 0
                        && graph.arguments(region)[index - 1] == origin;
                    if !passes {
                        known.keep(origin);
                    }
                }
                let own = costs.pop().expect("every region was entered");
                let Some(node) = graph.parent(region) else {
                    let saved = known.accesses.iter().flatten().sum::<u32>() + known.callees;
                    return Specialized { cost: own.saturating_sub(saved), calls_operand: known.callees > 0 };
                };
                let (decided, most, sum) = alternatives.last_mut().expect("a region is in a node");
                *most = own.max(*most);
                *sum = sum.saturating_add(own);
                if graph.region_index(region) as usize + 1 == graph.subregions(node).len() {
                    let inner = if *decided { *most } else { *sum };
                    alternatives.pop();
                    let outer = costs.last_mut().expect("the region around it is open");
                    *outer = outer.saturating_add(inner);
                }
            }
        }
    }
    unreachable!("the walk leaves the root")
}
