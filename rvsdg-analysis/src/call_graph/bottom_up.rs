//! A bottom-up order of functions that also orders functions within cycles of calls.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use petgraph::visit::DfsPostOrder;
use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::Body;

use super::CallGraph;

/// Functions in levels: each comes after everything it calls and mentions, as in [`Components`](super::Components), and functions that
/// call each other are ordered too, except for calls that are *cut*. Every cycle of calls has a cut call.
pub struct BottomUp {
    levels: Vec<Vec<Body>>,
    entered: FxHashSet<Body>,
}

impl BottomUp {
    /// The order for a call graph. Of the calls of a cycle, those of functions with a large `weight` are cut. Linear in calls, for each
    /// power of two up to the largest weight.
    pub fn of(calls: &CallGraph, weight: impl Fn(Body) -> u32) -> BottomUp {
        let components = calls.components();
        let mut order = BottomUp { levels: Vec::new(), entered: FxHashSet::default() };
        for level in components.levels() {
            let members: Vec<Body> = level.iter().copied().filter(|&body| components.is_recursive(body)).collect();
            let positions: FxHashMap<Body, u32> = members.iter().copied().zip(0..).collect();
            let called = |&(&from, &at): &(&Body, &u32)| {
                let callees = calls.calls(from).filter_map(|(_, symbol)| calls.definition(symbol));
                callees.filter_map(|callee| Some((at, *positions.get(&callee)?))).collect::<Vec<_>>()
            };
            let mut edges: Vec<Edge> = positions.iter().flat_map(|pair| called(&pair)).collect();
            edges.sort_unstable();
            edges.dedup();
            let weights: Vec<u32> = members.iter().map(|&body| weight(body)).collect();
            let cut = cut(&weights, &edges);
            order.entered.extend(cut.iter().map(|&(_, to)| members[to as usize]));
            edges.retain(|edge| !cut.contains(edge));
            let heights = heights(members.len(), &edges);
            let first = order.levels.len();
            order.levels.resize(first + 1 + heights.iter().max().map_or(0, |&most| most as usize), Vec::new());
            for &body in level {
                let height = positions.get(&body).map_or(0, |&at| heights[at as usize]);
                order.levels[first + height as usize].push(body);
            }
        }
        order
    }

    /// Bodies by level, in module order. No function calls another one of its level, and its callees are in earlier levels, except for
    /// cut calls.
    pub fn levels(&self) -> &[Vec<Body>] {
        &self.levels
    }

    /// Whether a cut call calls the function. Following only calls of other functions never leads back.
    pub fn is_entered(&self, body: Body) -> bool {
        self.entered.contains(&body)
    }
}

/// A call: the positions of caller and callee.
type Edge = (u32, u32);

fn graph(nodes: usize, edges: impl IntoIterator<Item = Edge>) -> DiGraph<(), ()> {
    let mut graph = DiGraph::new();
    for _ in 0..nodes {
        graph.add_node(());
    }
    graph.extend_with_edges(edges);
    graph
}

/// A set of edges that contains one of every cycle.
///
/// The heaviest functions in cycles come first, all whose weights have the same power of two at once: edges from lighter functions to
/// them are cut, and among them the back edges of a depth-first search. They are in no cycle after that.
fn cut(weights: &[u32], edges: &[Edge]) -> FxHashSet<Edge> {
    let mut cut: FxHashSet<Edge> = edges.iter().copied().filter(|(from, to)| from == to).collect();
    let mut cyclic: Vec<Edge> = edges.iter().copied().filter(|(from, to)| from != to).collect();
    loop {
        let mut component = vec![0; weights.len()];
        for (number, members) in kosaraju_scc(&graph(weights.len(), cyclic.iter().copied())).into_iter().enumerate() {
            members.into_iter().for_each(|member| component[member.index()] = number);
        }
        cyclic.retain(|&(from, to)| component[from as usize] == component[to as usize]);
        let Some(greatest) = cyclic.iter().map(|&(_, to)| weights[to as usize]).max() else { return cut };
        let is_heavy = |at: u32| weights[at as usize].checked_ilog2() == greatest.checked_ilog2();
        cut.extend(cyclic.iter().copied().filter(|&(from, to)| is_heavy(to) && !is_heavy(from)));
        let among: Vec<Edge> = cyclic.iter().copied().filter(|&(from, to)| is_heavy(to) && is_heavy(from)).collect();
        let ends = ends(weights.len(), &among);
        // The target of a back edge is left last.
        cut.extend(among.into_iter().filter(|&(from, to)| ends[to as usize] > ends[from as usize]));
        cyclic.retain(|edge| !cut.contains(edge));
    }
}

/// The order in which a depth-first search leaves nodes.
fn ends(nodes: usize, edges: &[Edge]) -> Vec<usize> {
    let graph = graph(nodes, edges.iter().copied());
    let mut ends = vec![0; nodes];
    let mut search = DfsPostOrder::empty(&graph);
    let mut left = 0;
    for root in graph.node_indices() {
        search.move_to(root);
        while let Some(node) = search.next(&graph) {
            ends[node.index()] = left;
            left += 1;
        }
    }
    ends
}

/// The length of the longest path from each node; `edges` have no cycle.
fn heights(nodes: usize, edges: &[Edge]) -> Vec<u32> {
    let graph = graph(nodes, edges.iter().copied());
    let mut heights = vec![0; nodes];
    // The target of an edge comes before its source.
    for node in kosaraju_scc(&graph).into_iter().flatten() {
        let heights_of_others = graph.neighbors(node).map(|other| heights[other.index()] + 1);
        heights[node.index()] = heights_of_others.max().unwrap_or(0);
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The edges that are cut, and the height of each node after that.
    fn shown(weights: &[u32], edges: &[Edge]) -> (Vec<Edge>, Vec<u32>) {
        let cut = cut(weights, edges);
        let kept: Vec<Edge> = edges.iter().copied().filter(|edge| !cut.contains(edge)).collect();
        let mut cut: Vec<Edge> = cut.into_iter().collect();
        cut.sort_unstable();
        (cut, heights(weights.len(), &kept))
    }

    #[test]
    fn calls_of_heavy_functions_are_cut() {
        // An interpreter (0) and two functions that it calls and that call it, one through the other.
        let edges = [(0, 1), (0, 2), (1, 2), (2, 0)];
        assert_eq!(shown(&[1000, 10, 100], &edges), (vec![(2, 0)], vec![2, 1, 0]));
        assert_eq!(shown(&[1000, u32::MAX, 100], &edges), (vec![(0, 1), (2, 0)], vec![1, 1, 0]));
        // Two heavy ones, both called by a light one: they may call each other in one direction.
        assert_eq!(shown(&[10, 70, 80], &[(0, 1), (0, 2), (1, 0), (1, 2), (2, 1)]).0.len(), 3);
    }

    #[test]
    fn functions_that_call_themselves_are_entered() {
        assert_eq!(shown(&[1, 0], &[(0, 0), (1, 0), (1, 1)]), (vec![(0, 0), (1, 1)], vec![0, 1]));
    }

    #[test]
    fn a_ring_is_cut_once_however_long_it_is() {
        for weight in [0, 1, 7] {
            let count = 100_000;
            let edges: Vec<Edge> = (0..count).map(|at| (at, (at + 1) % count)).collect();
            let (cut, heights) = shown(&vec![weight; count as usize], &edges);
            assert_eq!(cut.len(), 1);
            assert_eq!(heights.iter().max(), Some(&(count - 1)));
        }
    }
}
