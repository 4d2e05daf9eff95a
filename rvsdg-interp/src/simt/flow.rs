//! Where lanes that part meet again: immediate postdominators of instructions.

use rvsdg_cfg::dominators::{Edges, dominators};

use crate::code::{Code, Inst};

/// No instruction: the function is left before any place that all paths lead to.
pub(super) const LEFT: u32 = u32::MAX;

/// By instruction: the first instruction that all paths from it to the end of the function lead to (its immediate postdominator), or
/// [`LEFT`].
pub(super) fn joins(code: &Code) -> Vec<u32> {
    let count = code.insts.len() as u32;
    // Vertex 0 is the end; instruction n is vertex n + 1. Edges are those of control flow, reversed.
    let all = || {
        (0..count).flat_map(|at| {
            let targets: Vec<u32> = match &code.insts[at as usize] {
                Inst::Jump(place) => vec![*place],
                Inst::Branch { places, .. } => places.to_vec(),
                Inst::Switch { places, .. } => places.to_vec(),
                Inst::Repeat { place, .. } => vec![*place, at + 1],
                Inst::Return(_) | Inst::Resume(_) | Inst::Unreachable | Inst::Unsupported(_) => vec![],
                _ => vec![at + 1],
            };
            let ends = targets.is_empty();
            let ways = targets.into_iter().filter(move |&to| to < count).map(move |to| (to + 1, at + 1));
            ways.chain(ends.then_some((0, at + 1)))
        })
    };
    let (immediate, _) = dominators(&Edges::new(count as usize + 1, all));
    let join = |vertex: &Option<u32>| vertex.and_then(|vertex| vertex.checked_sub(1)).unwrap_or(LEFT);
    immediate[1..].iter().map(join).collect()
}
