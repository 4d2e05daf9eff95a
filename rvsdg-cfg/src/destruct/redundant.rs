//! Redundant φs: those that are always equal to one other value, alone or together with others.
//!
//! Consider the graph of values with an edge from each operand to its φ, and a root before all values that are not φs. A φ that has a
//! dominator other than the root only receives that dominator's value, and is equal to it: everything in between passes the value on, and
//! since definitions dominate uses, it passes on the latest. So the required φs are those that the root dominates immediately. This finds
//! what Braun et al. find by strongly connected components, in near-linear time.
//!
//! Poison agrees with everything, since to replace it is a refinement, as long as the value that replaces it is available before the φ's
//! block. A φ of that block is not: what comes around a loop is its value in the iteration before.

use rustc_hash::FxHashMap;
use rvsdg_core::Graph;

use super::names::Name;
use super::skeleton::EXIT;
use super::ssa::Ssa;
use crate::dominators::{Edges, dominators};

/// How often poison may prove irreplaceable somewhere before it is treated as a value of its own everywhere.
const ATTEMPTS: usize = 4;

/// Gives every φ its value, and marks as live those that `roots` need.
pub(super) fn solve(ssa: &mut Ssa<'_>, graph: &Graph, roots: &[Name]) {
    if ssa.phis.is_empty() {
        return;
    }
    // φs that must not be replaced by their operands: the function's results are always parameters.
    let mut own: Vec<bool> = ssa.phis.iter().map(|phi| phi.block == EXIT).collect();
    for attempt in 0.. {
        set_values(ssa, &own);
        let kept = own.iter().filter(|&&own| own).count();
        for (phi, own) in own.iter_mut().enumerate() {
            let (value, block) = (ssa.phis[phi].value, ssa.phis[phi].block);
            let replaced = value != Name::POISON && value != Name::phi(phi);
            *own |= replaced
                && operands(ssa, phi).any(|operand| ssa.resolve(operand) == Name::POISON)
                && (attempt >= ATTEMPTS || !ssa.dominates(graph, value, block));
        }
        if own.iter().filter(|&&own| own).count() == kept {
            break;
        }
    }
    mark_live(ssa, roots);
}

fn operands<'a>(ssa: &'a Ssa<'_>, phi: usize) -> impl Iterator<Item = Name> + 'a {
    let (start, end) = ssa.phis[phi].operands;
    ssa.operands[start as usize..end as usize].iter().copied()
}

/// Sets every φ to the value that dominates it, except those that must not be replaced.
fn set_values(ssa: &mut Ssa<'_>, own: &[bool]) {
    // Vertices: the root, the φs, and the other values in the order in which they are found.
    let count = ssa.phis.len() as u32;
    let mut others: Vec<Name> = vec![];
    let mut known: FxHashMap<Name, u32> = FxHashMap::default();
    let mut edges = Vec::with_capacity(ssa.operands.len());
    for phi in 0..count {
        let vertex = phi + 1;
        if own[phi as usize] {
            edges.push((0, vertex));
            continue;
        }
        for operand in operands(ssa, phi as usize).filter(|&operand| operand != Name::POISON) {
            let source = match operand.as_phi() {
                Some(index) => index as u32 + 1,
                None => *known.entry(operand).or_insert_with(|| {
                    others.push(operand);
                    let vertex = count + others.len() as u32;
                    edges.push((0, vertex));
                    vertex
                }),
            };
            edges.push((source, vertex));
        }
    }
    let vertices = 1 + count as usize + others.len();
    let (idoms, order) = dominators(&Edges::new(vertices, || edges.iter().copied()));
    ssa.phis.iter_mut().for_each(|phi| phi.value = Name::POISON);
    for vertex in order.into_iter().filter(|&vertex| (1..=count).contains(&vertex)) {
        let phi = vertex as usize - 1;
        ssa.phis[phi].value = match idoms[vertex as usize] {
            None | Some(0) => Name::phi(phi),
            Some(above) if above <= count => ssa.phis[above as usize - 1].value,
            Some(above) => others[(above - count) as usize - 1],
        };
    }
}

fn mark_live(ssa: &mut Ssa<'_>, roots: &[Name]) {
    let mut pending: Vec<usize> = roots.iter().filter_map(|&root| ssa.resolve(root).as_phi()).collect();
    pending.extend((0..ssa.phis.len()).filter(|&phi| ssa.phis[phi].block == EXIT));
    while let Some(phi) = pending.pop() {
        if !std::mem::replace(&mut ssa.phis[phi].live, true) {
            pending.extend(operands(ssa, phi).filter_map(|operand| ssa.resolve(operand).as_phi()));
        }
    }
}
