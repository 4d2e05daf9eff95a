//! Tracing values through regions: the outer value that a value of an inner region equals, and the values that conditionals and loops
//! pass on.

use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Origin, OriginDef, Region, Use};
use smallvec::{SmallVec, smallvec};

/// The outer value that argument number `index` of a region always equals, with the γ or θ that it enters. `None` for an argument of a
/// root region, and for a loop variable that changes.
pub fn outward(graph: &Graph, region: Region, index: u32) -> Option<(Origin, Node)> {
    let parent = graph.parent(region)?;
    let outer = match Theta::new(graph, parent) {
        Some(theta) => {
            let variable = theta.loop_var(graph, index as usize);
            if graph.origin(variable.post) != variable.pre {
                return None;
            }
            graph.origin(variable.input)
        }
        None => graph.input(parent, index as usize + 1),
    };
    Some((outer, parent))
}

/// Visits the nodes that use values, by the index of the input, in regions that the values enter unchanged, too.
pub fn inner_users(graph: &Graph, origins: &[Origin], mut visit: impl FnMut(Node, usize)) {
    let mut pending = origins.to_vec();
    while let Some(origin) = pending.pop() {
        for user in graph.users_of(origin) {
            let Use::Input(node, index) = graph.site(user) else { continue };
            let index = index as usize;
            visit(node, index);
            if let Some(gamma) = Gamma::new(graph, node) {
                if let Some(entry) = index.checked_sub(1) {
                    pending.extend(gamma.regions(graph).iter().map(|&region| graph.arguments(region)[entry]));
                }
            } else if let Some(theta) = Theta::new(graph, node) {
                let variable = theta.loop_var(graph, index);
                pending.extend(variable.is_invariant(graph).then_some(variable.pre));
            }
        }
    }
}

/// How many values that come from others are visited in the computation of one.
pub(crate) const MAX_LOOKED_AT: usize = 32;

/// Values that are still to be looked at.
pub type Pending = SmallVec<[Origin; 8]>;

/// Whether something holds for a value because it holds for all values that conditionals and loops pass on as it: `holds` is asked of
/// those that are computed, or enter a function, and may add operands for which it must hold as well. What holds for a loop variable at
/// its start, and after each iteration if it holds before, always holds. Gives up, with `false`, after a bounded number of values.
pub fn holds_for_sources(graph: &Graph, origin: Origin, holds: impl FnMut(Origin, &mut Pending) -> bool) -> bool {
    holds_on_entry_or_for_sources(graph, origin, |_| false, holds)
}

/// As [`holds_for_sources`], where `enters` tells of which arguments of regions it is known when they are entered, whatever the value is
/// that enters. For a loop variable, it must still hold after each iteration.
pub fn holds_on_entry_or_for_sources(
    graph: &Graph,
    origin: Origin,
    mut enters: impl FnMut(Origin) -> bool,
    mut holds: impl FnMut(Origin, &mut Pending) -> bool,
) -> bool {
    let mut looked_at: SmallVec<[Origin; MAX_LOOKED_AT]> = SmallVec::new();
    let mut pending: Pending = SmallVec::from_slice(&[origin]);
    let mut computed = 0;
    while let Some(origin) = pending.pop() {
        if looked_at.contains(&origin) {
            continue;
        }
        looked_at.push(origin);
        let others = pending.len();
        match passed_on(graph, origin) {
            Some(sources) => pending.extend(sources.into_iter().skip(usize::from(enters(origin)))),
            None if holds(origin, &mut pending) => {}
            None => return false,
        }
        if pending.len() > others {
            computed += 1;
        }
        if computed > MAX_LOOKED_AT {
            return false;
        }
    }
    true
}

/// The values that a γ or θ passes on as this one: the input for an argument of its region, the results of its regions for its output,
/// and both for a loop variable, first the input. `None` for a value that is computed, or enters a function.
pub fn passed_on(graph: &Graph, origin: Origin) -> Option<SmallVec<[Origin; 4]>> {
    match graph.def(origin) {
        OriginDef::Argument(region, index) => {
            let parent = graph.parent(region)?;
            if let Some(theta) = Theta::new(graph, parent) {
                let variable = theta.loop_var(graph, index as usize);
                return Some(smallvec![graph.origin(variable.input), graph.origin(variable.post)]);
            }
            Gamma::new(graph, parent).map(|_| smallvec![graph.input(parent, index as usize + 1)])
        }
        OriginDef::Output(node, index) => {
            if let Some(theta) = Theta::new(graph, node) {
                return Some(smallvec![graph.origin(theta.loop_var(graph, index as usize).post)]);
            }
            let gamma = Gamma::new(graph, node)?;
            Some(gamma.regions(graph).iter().map(|&region| graph.result(region, index as usize)).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rvsdg_core::{Pool, text};

    use super::*;

    #[test]
    fn users_in_regions_that_a_value_enters_unchanged() {
        let text = "graph (v0: i32, v1: ctl(2)) {
  v2: i32 = gamma v1 (v1, v0)
  case 0 (v3: ctl(2), v4: i32) {
    v5: i32 = add v4, v4
    yield v5
  }
  case 1 (v6: ctl(2), v7: i32) {
    yield v7
  }
  v8: i32, v9: i32, v10: ctl(2) = theta (v11: i32 = v0, v12: i32 = v0, v13: ctl(2) = v1) {
    v14: i32 = sub v12, v11
    next v11, v14, v13 while v13
  }
  yield v2, v9
}
";
        let graph = text::parse_graph(text, Arc::new(Pool::new())).unwrap();
        let used = |index: usize| {
            let mut used = Vec::new();
            inner_users(&graph, &[graph.arguments(graph.root())[index]], |node, input| {
                let name = match graph.op(node) {
                    Some(op) => format!("{:?}", op.code()),
                    None => format!("{:?}", graph.kind(node)),
                };
                used.push(format!("{name} {input}"));
            });
            used.sort();
            used
        };
        assert_eq!(used(0), ["Add 0", "Add 1", "Gamma 2", "Sub 1", "Theta 0", "Theta 1"]);
        assert_eq!(used(1), ["Gamma 0", "Gamma 1", "Theta 2"]);
    }
}
