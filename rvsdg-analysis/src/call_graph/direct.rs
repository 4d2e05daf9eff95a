//! The direct calls of a body, and whether it uses the addresses of symbols otherwise.

use cranelift_entity::SecondaryMap;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, OriginDef, Pool, Region};

use crate::order::Orders;

/// The direct calls of a body, and how often it uses its context variables otherwise.
pub struct DirectCalls {
    /// Calls whose callee is a context variable, with its position, producers first.
    pub calls: Vec<(Node, u32)>,
    /// For each context variable, how often it is used other than as the callee of a call.
    pub other_uses: Vec<u32>,
}

impl DirectCalls {
    /// The calls of a body whose first arguments are `contexts` context variables.
    ///
    /// Context variables are followed into γ and θ and out of them, if they do not change there. Linear in the graph.
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
                // Context variables enter a region only as arguments.
                Pending::Region(region) if !scanner.enters(region) => {}
                Pending::Region(region) => {
                    pending.push(Pending::Results(region));
                    pending.extend(orders.topological(graph, region).iter().rev().copied().map(Pending::Node));
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

/// Whether an operation calls the function whose address is its input 0.
pub fn calls_input(pool: &Pool, op: Op) -> bool {
    matches!(op, Op::Call(call) | Op::Invoke(call) if pool.call(call).assembly.is_none())
}

struct Scanner<'g> {
    graph: &'g Graph,
    /// One more than the index of the context variable that an origin is; 0 for others.
    context: SecondaryMap<Origin, u32>,
    found: DirectCalls,
}

impl Scanner<'_> {
    /// Whether an argument of a region is a context variable.
    fn enters(&self, region: Region) -> bool {
        self.graph.arguments(region).iter().any(|&argument| self.context[argument] != NONE)
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Example;

    /// The context variables that a body calls, and how often it uses each otherwise.
    fn found(body: &str) -> (Vec<u32>, Vec<u32>) {
        let example = Example::of(&format!(
            "module \"test\"
             @a = function void (ptr)
             @b = function void (ptr)
             import @a
             import @b
             @f = function ptr (i1, ptr)
             lambda @f [@a, @b] (v0: i1, v1: ptr, mem0, io0) {{\n{body}\n}}
             export @f"
        ));
        let direct = DirectCalls::of(example.graph(), 2);
        (direct.calls.into_iter().map(|(_, context)| context).collect(), direct.other_uses)
    }

    #[test]
    fn callees_and_what_else_addresses_are_used_for() {
        for (operations, calls, others) in [
            ("", vec![], [0, 0]),
            ("mem1, io1 = call void (ptr) @a(v1), mem0, io0", vec![0], [0, 0]),
            ("mem1, io1 = call void (ptr) @b(v1), mem0, io0", vec![1], [0, 0]),
            ("mem1, io1 = call void (ptr) @b(@a), mem0, io0", vec![1], [1, 0]),
            ("mem1, io1 = call void (ptr) @b(@b), mem0, io0", vec![1], [0, 1]),
            ("mem1, io1 = call void (ptr) v1(@b), mem0, io0", vec![], [0, 1]),
            ("mem1, io1 = call void (ptr) asm sideeffect \"\", \"r\" (@a), mem0, io0", vec![], [1, 0]),
            ("mem1 = store @b, v1, mem0, align 8", vec![], [0, 1]),
            ("v2: i1 = icmp eq @a, @b", vec![], [1, 1]),
        ] {
            let states = if operations.contains("io1") { "mem1, io1" } else { "mem0, io0" };
            let states = if operations.contains("store") { "mem1, io0" } else { states };
            assert_eq!(found(&format!("{operations}\nyield v1, {states}")), (calls, others.to_vec()), "{operations}");
        }
        assert_eq!(found("yield @b, mem0, io0"), (vec![], vec![0, 1]));
    }

    #[test]
    fn addresses_pass_through_branches() {
        let branch = |first: &str, second: &str, after: &str| {
            found(&format!(
                "v2: ctl(2) = match i1 v0 [true -> 1, _ -> 0]
                 v3: ptr, mem1, io1 = gamma v2 (@a, @b, v1, mem0, io0)
                 case 0 (v4: ptr, v5: ptr, v6: ptr, mem2, io2) {{
                   mem3, io3 = call void (ptr) v4(v6), mem2, io2
                   yield {first}, mem3, io3
                 }}
                 case 1 (v7: ptr, v8: ptr, v9: ptr, mem4, io4) {{
                   mem5, io5 = call void (ptr) v8(v9), mem4, io4
                   yield {second}, mem5, io5
                 }}
                 mem6, io6 = call void (ptr) {after}(v1), mem1, io1
                 yield v1, mem6, io6"
            ))
        };
        assert_eq!(branch("v6", "v9", "v1"), (vec![0, 1], vec![0, 0]));
        // What leaves all alternatives is called there; what leaves one of them is used there.
        assert_eq!(branch("v4", "v7", "v3"), (vec![0, 1, 0], vec![0, 0]));
        assert_eq!(branch("v5", "v8", "v3"), (vec![0, 1, 1], vec![0, 0]));
        assert_eq!(branch("v4", "v8", "v3"), (vec![0, 1], vec![1, 1]));
        assert_eq!(branch("v6", "v7", "v3"), (vec![0, 1], vec![1, 0]));
        assert_eq!(branch("v4", "v9", "v3"), (vec![0, 1], vec![1, 0]));
        assert_eq!(branch("v6", "v9", "v3"), (vec![0, 1], vec![0, 0]));
    }

    #[test]
    fn addresses_pass_through_loops_that_keep_them() {
        let repeated = |next: &str, called: &str, after: &str| {
            found(&format!(
                "v2: ptr, v3: ptr, v4: i1, mem1, io1 = theta (v5: ptr = @a, v6: ptr = @b, v7: i1 = v0, mem2 = mem0, io2 = io0) {{
                   mem3, io3 = call void (ptr) {called}(v5), mem2, io2
                   v8: ctl(2) = match i1 v7 [true -> 1, _ -> 0]
                   next {next}, v7, mem3, io3 while v8
                 }}
                 mem4, io4 = call void (ptr) {after}(v1), mem1, io1
                 yield v1, mem4, io4"
            ))
        };
        assert_eq!(repeated("v5, v6", "v5", "v2"), (vec![0, 0], vec![1, 0]));
        assert_eq!(repeated("v5, v6", "v6", "v3"), (vec![1, 1], vec![1, 0]));
        // The second is another one after each iteration: where it goes in, and what it becomes, are uses.
        assert_eq!(repeated("v5, v5", "v5", "v3"), (vec![0], vec![2, 1]));
        assert_eq!(repeated("v6, v5", "v5", "v2"), (vec![], vec![1, 1]));
    }
}
