//! Strongly connected components of a call graph.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;
use rvsdg_core::Body;

/// The strongly connected components of a call graph, in levels: a function comes after everything it calls or mentions, except functions
/// that also call or mention it.
pub struct Components {
    levels: Vec<Vec<Body>>,
    component: FxHashMap<Body, u32>,
    /// For each component, whether its functions call each other, or its only one calls itself.
    recursive: Vec<bool>,
}

impl Components {
    /// The components of `bodies`. Each calls those at the positions in `calls`; `mentions` has for each, and for data after them, the
    /// positions of functions and data that it mentions and that do not mention it. Linear in both.
    pub(super) fn of(bodies: &[Body], calls: &[Vec<u32>], mentions: &[Vec<u32>]) -> Components {
        let edges = |of: &'_ [Vec<u32>]| -> Vec<(u32, u32)> {
            of.iter().zip(0u32..).flat_map(|(to, from)| to.iter().map(move |&to| (from, to))).collect()
        };
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        for _ in 0..bodies.len().max(mentions.len()) {
            graph.add_node(());
        }
        graph.extend_with_edges(edges(calls));
        graph.extend_with_edges(edges(mentions));
        let mut component = vec![0u32; graph.node_count()];
        // For each function and datum, the first level whose functions may mention it.
        let mut after = vec![0u32; graph.node_count()];
        let mut recursive = Vec::new();
        // Callees first: the height of everything outside that a component calls and mentions is known.
        for (number, members) in kosaraju_scc(&graph).into_iter().enumerate() {
            let members = || members.iter().copied().map(NodeIndex::index);
            members().for_each(|member| component[member] = number as u32);
            let called = || members().flat_map(|member| calls.get(member).into_iter().flatten()).map(|&to| to as usize);
            let mentioned =
                members().flat_map(|member| mentions.get(member).into_iter().flatten()).map(|&to| to as usize);
            let is_inside = |&to: &usize| component[to] == number as u32;
            recursive.push(called().any(|to| is_inside(&to)));
            let others = called().chain(mentioned).filter(|to| !is_inside(to));
            let level = others.map(|to| after[to]).max().unwrap_or(0);
            members().for_each(|member| after[member] = level + u32::from(member < bodies.len()));
        }
        let mut levels = vec![Vec::new(); after[..bodies.len()].iter().max().map_or(0, |&most| most as usize)];
        for (&body, after) in bodies.iter().zip(after) {
            levels[after as usize - 1].push(body);
        }
        Components { levels, component: bodies.iter().copied().zip(component).collect(), recursive }
    }

    /// Bodies by level, in module order, callees first. The functions of a level are in one component or do not call each other.
    pub fn levels(&self) -> &[Vec<Body>] {
        &self.levels
    }

    /// The number of a body's component.
    pub fn of_body(&self, body: Body) -> u32 {
        self.component[&body]
    }

    /// Whether a body may be entered again, through calls of functions of the module, before it returns.
    pub fn is_recursive(&self, body: Body) -> bool {
        self.recursive[self.of_body(body) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(count: usize) -> Vec<Body> {
        let mut map: slotmap::SlotMap<Body, ()> = slotmap::SlotMap::with_key();
        (0..count).map(|_| map.insert(())).collect()
    }

    /// The numbers of functions by level, with `*` for those that are recursive.
    fn levels(calls: &[Vec<u32>], mentions: &[Vec<u32>]) -> String {
        let all = bodies(calls.len());
        let components = Components::of(&all, calls, mentions);
        let shown = |body: &Body| {
            let number = all.iter().position(|other| other == body).expect("it is one of them");
            format!("{number}{}", if components.is_recursive(*body) { "*" } else { "" })
        };
        let level = |level: &Vec<Body>| level.iter().map(&shown).collect::<Vec<_>>().join(" ");
        components.levels().iter().map(level).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn callees_come_first_and_cycles_together() {
        assert_eq!(levels(&[vec![1, 2], vec![2], vec![]], &[]), "2 | 1 | 0");
        assert_eq!(levels(&[vec![0], vec![0]], &[]), "0* | 1");
        // 0 and 1 call each other; 1 calls 2, and 3 calls 0.
        assert_eq!(levels(&[vec![1], vec![0, 2, 2], vec![], vec![0]], &[]), "2 | 0* 1* | 3");
    }

    #[test]
    fn what_is_mentioned_comes_before() {
        // 0 mentions data (3) that mentions 1, which calls 2.
        assert_eq!(levels(&[vec![], vec![2], vec![]], &[vec![3], vec![], vec![], vec![1]]), "2 | 1 | 0");
        assert_eq!(levels(&[vec![], vec![], vec![]], &[vec![2], vec![], vec![]]), "1 2 | 0");
    }

    #[test]
    fn chains_of_calls_may_be_long() {
        let calls: Vec<Vec<u32>> = (0..100_000).map(|at| if at == 0 { vec![] } else { vec![at - 1] }).collect();
        assert_eq!(Components::of(&bodies(calls.len()), &calls, &[]).levels().len(), calls.len());
    }
}
