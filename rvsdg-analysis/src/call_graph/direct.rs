//! The direct calls of a body, and whether it uses the addresses of symbols for anything else.

use cranelift_entity::SecondaryMap;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, OriginDef, Pool, Region};

use crate::order::Orders;

/// The direct calls of a body, and how often it uses its context variables otherwise.
pub struct DirectCalls {
    /// Calls whose callee is a context variable, with its position, producers first.
    pub calls: Vec<(Node, u32)>,
    /// By context variable: how often it is used as something else than the callee of a call.
    pub other_uses: Vec<u32>,
}

impl DirectCalls {
    /// Those of a body whose first arguments are `contexts` context variables.
    ///
    /// Context variables are followed into γ and θ and out of them, where they do not change there. Linear in the graph.
    pub fn of(graph: &Graph, contexts: usize) -> DirectCalls {
        let mut scanner = Scanner {
            graph,
            context: SecondaryMap::with_capacity(graph.origin_bound()),
            found: DirectCalls { calls: Vec::new(), other_uses: vec![0; contexts] },
        };
        for (index, &argument) in graph.arguments(graph.root())[..contexts].iter().enumerate() {
            scanner.context[argument] = index as u32 + 1;
        }
        let mut orders = Orders::default();
        let mut pending = vec![Pending::Region(graph.root())];
        while let Some(next) = pending.pop() {
            match next {
                Pending::Region(region) => {
                    pending.push(Pending::Results(region));
                    pending.extend(orders.topological(graph, region).into_iter().rev().map(Pending::Node));
                }
                Pending::Node(node) => {
                    scanner.node(node);
                    pending.extend(graph.subregions(node).iter().rev().map(|&region| Pending::Region(region)));
                }
                Pending::Results(region) => scanner.results(region),
            }
        }
        scanner.found
    }
}

const NONE: u32 = 0;

enum Pending {
    Region(Region),
    Node(Node),
    Results(Region),
}

/// Whether an operation calls the function that its input 0 is the address of.
pub fn calls_input(pool: &Pool, op: Op) -> bool {
    matches!(op, Op::Call(call) | Op::Invoke(call) if pool.call(call).assembly.is_none())
}

struct Scanner<'g> {
    graph: &'g Graph,
    /// One more than the context variable that an origin is; 0 for others.
    context: SecondaryMap<Origin, u32>,
    found: DirectCalls,
}

impl Scanner<'_> {
    fn other(&mut self, context: u32) {
        if context != NONE {
            self.found.other_uses[context as usize - 1] += 1;
        }
    }

    fn node(&mut self, node: Node) {
        let graph = self.graph;
        match graph.kind(node) {
            NodeKind::Simple(op) => {
                for (index, origin) in graph.input_origins(node).enumerate() {
                    let context = self.context[origin];
                    if context != NONE && index == 0 && calls_input(graph.pool(), op) {
                        self.found.calls.push((node, context - 1));
                    } else {
                        self.other(context);
                    }
                }
            }
            NodeKind::Gamma => {
                let gamma = Gamma::new(graph, node).expect("a γ");
                for (index, origin) in graph.input_origins(node).skip(1).enumerate() {
                    if self.context[origin] != NONE {
                        for &region in gamma.regions(graph) {
                            self.context[graph.arguments(region)[index]] = self.context[origin];
                        }
                    }
                }
                for (index, &output) in graph.outputs(node).iter().enumerate() {
                    let mut from = gamma.regions(graph).iter().map(|&region| {
                        let origin = graph.result(region, index);
                        match graph.def(origin) {
                            OriginDef::Argument(..) => self.context[origin],
                            OriginDef::Output(..) => NONE,
                        }
                    });
                    let first = from.next().unwrap_or(NONE);
                    if first != NONE && from.all(|context| context == first) {
                        self.context[output] = first;
                    }
                }
            }
            NodeKind::Theta => {
                let theta = Theta::new(graph, node).expect("a θ");
                for variable in theta.loop_vars(graph) {
                    let context = self.context[graph.origin(variable.input)];
                    if graph.origin(variable.post) == variable.pre {
                        self.context[variable.pre] = context;
                        self.context[variable.output] = context;
                    } else {
                        self.other(context);
                    }
                }
            }
            NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => {}
        }
    }

    fn results(&mut self, region: Region) {
        let graph = self.graph;
        for (index, origin) in graph.result_origins(region).enumerate() {
            let context = self.context[origin];
            if context == NONE {
                continue;
            }
            let passes = graph.parent(region).is_some_and(|node| match graph.kind(node) {
                NodeKind::Gamma => self.context[graph.output(node, index)] == context,
                NodeKind::Theta => index > 0 && graph.arguments(region)[index - 1] == origin,
                NodeKind::Simple(_) | NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => false,
            });
            if !passes {
                self.other(context);
            }
        }
    }
}
