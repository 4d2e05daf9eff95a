//! Strongly connected components of a call graph.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;
use rvsdg_core::Body;

/// The strongly connected components of a call graph, in levels: a function stands after all that it calls, but for those
/// that also call it.
pub struct Components {
    levels: Vec<Vec<Body>>,
    component: FxHashMap<Body, u32>,
    /// By component: whether its functions call each other, or the one that it has itself.
    recursive: Vec<bool>,
}

impl Components {
    /// Those of `bodies`, of which each calls those at the positions in `calls`. Linear in calls.
    pub(super) fn of(bodies: &[Body], calls: &[Vec<u32>]) -> Components {
        let edges = calls.iter().zip(0u32..).flat_map(|(to, from)| to.iter().map(move |&to| (from, to)));
        let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(bodies.len(), calls.iter().map(Vec::len).sum());
        for _ in bodies {
            graph.add_node(());
        }
        graph.extend_with_edges(edges);
        let mut component = vec![0u32; bodies.len()];
        let mut level = vec![0u32; bodies.len()];
        let mut recursive = Vec::new();
        // Callees first: a component's callees outside of it have their levels.
        for (number, members) in kosaraju_scc(&graph).into_iter().enumerate() {
            let members = || members.iter().copied().map(NodeIndex::index);
            members().for_each(|member| component[member] = number as u32);
            let called = || members().flat_map(|member| calls[member].iter().map(|&to| to as usize));
            let is_inside = |&to: &usize| component[to] == number as u32;
            recursive.push(called().any(|to| is_inside(&to)));
            let height = called().filter(|to| !is_inside(to)).map(|to| level[to] + 1).max().unwrap_or(0);
            members().for_each(|member| level[member] = height);
        }
        let mut levels = vec![Vec::new(); level.iter().max().map_or(0, |&most| most as usize + 1)];
        for (&body, level) in bodies.iter().zip(level) {
            levels[level as usize].push(body);
        }
        Components { levels, component: bodies.iter().copied().zip(component).collect(), recursive }
    }

    /// Bodies in module order by level, callees first. The functions of a level are in one component or do not call each other.
    pub fn levels(&self) -> &[Vec<Body>] {
        &self.levels
    }

    /// The number of the component that a body is in.
    pub fn of_body(&self, body: Body) -> u32 {
        self.component[&body]
    }

    /// Whether a body may be entered again, through calls of functions of the module, before it has returned.
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
    fn levels(calls: &[Vec<u32>]) -> String {
        let all = bodies(calls.len());
        let components = Components::of(&all, calls);
        let shown = |body: &Body| {
            let number = all.iter().position(|other| other == body).expect("it is one of them");
            format!("{number}{}", if components.is_recursive(*body) { "*" } else { "" })
        };
        let level = |level: &Vec<Body>| level.iter().map(&shown).collect::<Vec<_>>().join(" ");
        components.levels().iter().map(level).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn callees_come_first_and_cycles_together() {
        assert_eq!(levels(&[vec![1, 2], vec![2], vec![]]), "2 | 1 | 0");
        assert_eq!(levels(&[vec![0], vec![0]]), "0* | 1");
        // 0 and 1 call each other; 1 calls 2, and 3 calls 0.
        assert_eq!(levels(&[vec![1], vec![0, 2, 2], vec![], vec![0]]), "2 | 0* 1* | 3");
    }

    #[test]
    fn chains_of_calls_may_be_long() {
        let calls: Vec<Vec<u32>> = (0..100_000).map(|at| if at == 0 { vec![] } else { vec![at - 1] }).collect();
        assert_eq!(Components::of(&bodies(calls.len()), &calls).levels().len(), calls.len());
    }
}
