//! The loop nests of a body: which loops contain which, their depths, and whether a nest is perfect.

use rustc_hash::FxHashMap;
use rvsdg_core::graph::WalkItem;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, NodeKind};

use crate::safety::has_states;

/// The loops of a body and how they are nested. Conditionals around a loop, such as the guard of a rotated loop, belong to the loop
/// around them.
pub struct LoopNests {
    /// Outer loops before inner ones.
    order: Vec<Theta>,
    loops: FxHashMap<Node, Loop>,
}

struct Loop {
    parent: Option<Theta>,
    depth: u32,
    /// The number of loops directly in it.
    inner: u32,
    /// Whether a simple node in it, but not in an inner loop, takes or produces a state.
    has_effects: bool,
}

impl LoopNests {
    /// The loops of a body. Linear in the graph.
    pub fn of(graph: &Graph) -> LoopNests {
        let mut nests = LoopNests { order: Vec::new(), loops: FxHashMap::default() };
        if !graph.may_have_loops() {
            return nests;
        }
        let mut open: Vec<Theta> = Vec::new();
        for item in graph.walk() {
            match item {
                WalkItem::Enter(region) => {
                    let Some(theta) = graph.parent(region).and_then(|node| Theta::new(graph, node)) else { continue };
                    let parent = open.last().copied();
                    if let Some(outer) = parent.and_then(|outer| nests.loops.get_mut(&outer.node())) {
                        outer.inner += 1;
                    }
                    let depth = open.len() as u32 + 1;
                    nests.loops.insert(theta.node(), Loop { parent, depth, inner: 0, has_effects: false });
                    nests.order.push(theta);
                    open.push(theta);
                }
                WalkItem::Node(node) => {
                    if let NodeKind::Simple(_) = graph.kind(node)
                        && let Some(around) = open.last().and_then(|theta| nests.loops.get_mut(&theta.node()))
                    {
                        around.has_effects |= has_states(graph, node);
                    }
                }
                WalkItem::Leave(region) => {
                    if graph.parent(region).is_some_and(|node| Theta::new(graph, node).is_some()) {
                        open.pop();
                    }
                }
            }
        }
        nests
    }

    /// All loops, outer ones before inner ones.
    pub fn loops(&self) -> impl Iterator<Item = Theta> {
        self.order.iter().copied()
    }

    /// The innermost loop that contains a loop.
    pub fn parent(&self, theta: Theta) -> Option<Theta> {
        self.get(theta)?.parent
    }

    /// How many loops contain a loop, including itself. Zero for one that is not in the body, or was added since.
    pub fn depth(&self, theta: Theta) -> u32 {
        self.get(theta).map_or(0, |of| of.depth)
    }

    /// Whether a loop contains no loop.
    pub fn is_innermost(&self, theta: Theta) -> bool {
        self.get(theta).is_some_and(|of| of.inner == 0)
    }

    /// Whether the only effects of a loop are those of a single loop directly in it: the two are perfectly nested.
    pub fn is_perfect(&self, theta: Theta) -> bool {
        self.get(theta).is_some_and(|of| of.inner == 1 && !of.has_effects)
    }

    fn get(&self, theta: Theta) -> Option<&Loop> {
        self.loops.get(&theta.node())
    }
}

/// Whether a loop contains no other. Linear in its size; [`LoopNests::is_innermost`] tells for many loops.
pub fn is_innermost(graph: &Graph, theta: Theta) -> bool {
    let is_loop = |item| matches!(item, WalkItem::Node(node) if graph.kind(node) == NodeKind::Theta);
    !graph.walk_region(theta.body(graph)).any(is_loop)
}

/// Whether a node is in a loop.
pub fn is_in_loop(graph: &Graph, node: Node) -> bool {
    let mut around = graph.parent(graph.region_of(node));
    while let Some(node) = around {
        if Theta::new(graph, node).is_some() {
            return true;
        }
        around = graph.parent(graph.region_of(node));
    }
    false
}

#[cfg(test)]
mod tests {
    use rvsdg_core::text::parse_module;

    use super::*;

    /// Per loop: its depth, and `i` for innermost ones, `p` for ones with a perfect nest, `^` for ones with a loop around.
    fn nests(text: &str) -> String {
        let text = format!("module \"test\"\n@f = function void (ptr, i1)\n{text}\nexport @f\n");
        let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let graph = module.bodies.values().find_map(|body| body.graph()).expect("the function has a body");
        let nests = LoopNests::of(graph);
        let shown = |theta: Theta| {
            let flags = [
                (nests.is_innermost(theta), "i"),
                (nests.is_perfect(theta), "p"),
                (nests.parent(theta).is_some_and(|parent| nests.depth(parent) + 1 == nests.depth(theta)), "^"),
            ];
            let flags: String = flags.iter().filter(|(holds, _)| *holds).map(|&(_, flag)| flag).collect();
            format!("{}{flags}", nests.depth(theta))
        };
        nests.loops().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn nests_are_perfect_without_effects_between_loops() {
        let text = |store: &str, state: &str| {
            format!(
                "lambda @f [] (v0: ptr, v1: i1, mem0, io0) {{
                   v2: ptr, v3: i1, mem1 = theta (v4: ptr = v0, v5: i1 = v1, mem2 = mem0) {{
                     v6: ctl(2) = match i1 v5 [1 -> 1, _ -> 0]
                     {store}
                     v7: ptr, v8: i1, mem3 = gamma v6 (v4, v5, {state})
                     case 0 (v9: ptr, v10: i1, mem4) {{
                       yield v9, v10, mem4
                     }}
                     case 1 (v11: ptr, v12: i1, mem5) {{
                       v13: ptr, v14: i1, mem6 = theta (v15: ptr = v11, v16: i1 = v12, mem7 = mem5) {{
                         mem8 = store v16, v15, mem7, align 1
                         v17: ctl(2) = match i1 v16 [1 -> 1, _ -> 0]
                         next v15, v16, mem8 while v17
                       }}
                       yield v13, v14, mem6
                     }}
                     v18: ctl(2) = match i1 v8 [1 -> 1, _ -> 0]
                     next v4, v5, mem3 while v18
                   }}
                   yield mem1, io0
                 }}"
            )
        };
        assert_eq!(nests(&text("", "mem2")), "1p 2i^");
        assert_eq!(nests(&text("mem9 = store v5, v4, mem2, align 1", "mem9")), "1 2i^");
    }

    #[test]
    fn a_loop_around_two_others_is_not_perfect() {
        let inner = |from: u32, start: &str| {
            let [out, variable, decision] = [from, from + 1, from + 2];
            format!(
                "v{out}: i1 = theta (v{variable}: i1 = {start}) {{
                   v{decision}: ctl(2) = match i1 v{variable} [1 -> 1, _ -> 0]
                   next v{variable} while v{decision}
                 }}"
            )
        };
        let text = |loops: &str, last: &str| {
            format!(
                "lambda @f [] (v0: ptr, v1: i1, mem0, io0) {{
                   v2: i1 = theta (v3: i1 = v1) {{
                     {loops}
                     v4: ctl(2) = match i1 {last} [1 -> 1, _ -> 0]
                     next {last} while v4
                   }}
                   yield mem0, io0
                 }}"
            )
        };
        let (first, second) = (inner(10, "v3"), inner(20, "v10"));
        assert_eq!(nests(&text(&first, "v10")), "1p 2i^");
        assert_eq!(nests(&text(&format!("{first}\n{second}"), "v20")), "1 2i^ 2i^");
        assert_eq!(nests(&text("", "v3")), "1i");
    }
}
