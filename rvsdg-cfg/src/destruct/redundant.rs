//! Redundant φs: those that are always equal to one other value, alone or together with others.
//!
//! An optimistic fixed point: every φ is assumed to have no value of its own until two of its operands differ. Poison
//! agrees with everything, since to replace it is a refinement, as long as the value that replaces it is available.

use std::collections::VecDeque;

use rvsdg_core::Graph;

use super::names::Name;
use super::skeleton::EXIT;
use super::ssa::Ssa;

/// Gives every φ its value, and marks as live those that `roots` need.
pub(super) fn solve(ssa: &mut Ssa<'_>, graph: &Graph, roots: &[Name]) {
    let users = Users::new(ssa);
    // Blocks in the order of their starts come near to an order in which operands are settled first.
    let mut queue: VecDeque<u32> = (0..ssa.phis.len() as u32).collect();
    let block_of = |ssa: &Ssa<'_>, phi: u32| ssa.skeleton.blocks[ssa.phis[phi as usize].block as usize].start;
    queue.make_contiguous().sort_by_key(|&phi| block_of(ssa, phi));
    let all = queue.clone();
    while !queue.is_empty() {
        run(ssa, graph, &users, queue);
        // What has no value now is poison, and what replaces it must be available.
        queue = VecDeque::new();
        for phi in 0..ssa.phis.len() {
            let own = Name::phi(phi);
            if ssa.phis[phi].value != own && meet(ssa, graph, phi as u32, false).is_none() {
                ssa.phis[phi].value = own;
                queue.extend(users.of(phi as u32));
            }
        }
    }
    // Where two operands differed for a while only, the φ has been given up too early.
    let kept = all.into_iter().filter(|&phi| ssa.phis[phi as usize].value == Name::phi(phi as usize)).collect();
    settle(ssa, graph, &users, kept);

    let mut pending: Vec<usize> = roots.iter().filter_map(|&root| ssa.resolve(root).as_phi()).collect();
    pending.extend((0..ssa.phis.len()).filter(|&phi| ssa.phis[phi].block == EXIT));
    while let Some(phi) = pending.pop() {
        if std::mem::replace(&mut ssa.phis[phi].live, true) && ssa.phis[phi].block != EXIT {
            continue;
        }
        let (start, end) = ssa.phis[phi].operands;
        for at in start..end {
            pending.extend(ssa.resolve(ssa.operands[at as usize]).as_phi().filter(|&operand| !ssa.phis[operand].live));
        }
    }
}

/// The φs that have a φ as an operand.
struct Users {
    starts: Vec<u32>,
    users: Vec<u32>,
}

impl Users {
    fn new(ssa: &Ssa<'_>) -> Users {
        let mut starts = vec![0u32; ssa.phis.len() + 1];
        for operand in ssa.operands.iter().filter_map(|name| name.as_phi()) {
            starts[operand + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut fill = starts.clone();
        let mut users = vec![0; starts[ssa.phis.len()] as usize];
        for (user, phi) in ssa.phis.iter().enumerate() {
            for at in phi.operands.0..phi.operands.1 {
                if let Some(operand) = ssa.operands[at as usize].as_phi() {
                    users[fill[operand] as usize] = user as u32;
                    fill[operand] += 1;
                }
            }
        }
        Users { starts, users }
    }

    fn of(&self, phi: u32) -> &[u32] {
        &self.users[self.starts[phi as usize] as usize..self.starts[phi as usize + 1] as usize]
    }
}

fn run(ssa: &mut Ssa<'_>, graph: &Graph, users: &Users, mut queue: VecDeque<u32>) {
    let mut queued = vec![false; ssa.phis.len()];
    for &phi in &queue {
        queued[phi as usize] = true;
    }
    while let Some(phi) = queue.pop_front() {
        queued[phi as usize] = false;
        let own = Name::phi(phi as usize);
        let old = ssa.phis[phi as usize].value;
        if old == own {
            continue;
        }
        let value = meet(ssa, graph, phi, true).unwrap_or(own);
        if value == old {
            continue;
        }
        ssa.phis[phi as usize].value = value;
        for &user in users.of(phi) {
            if !std::mem::replace(&mut queued[user as usize], true) {
                queue.push_back(user);
            }
        }
    }
}

/// Replaces φs whose operands are one value, until there is none.
fn settle(ssa: &mut Ssa<'_>, graph: &Graph, users: &Users, mut queue: VecDeque<u32>) {
    while let Some(phi) = queue.pop_front() {
        if ssa.phis[phi as usize].value != Name::phi(phi as usize) {
            continue;
        }
        if let Some(value) = meet(ssa, graph, phi, false) {
            ssa.phis[phi as usize].value = value;
            queue.extend(users.of(phi));
        }
    }
}

/// The one value of a φ's operands, when they agree and it is available in the φ's block. An optimist assumes that a φ
/// without value is going to agree.
fn meet(ssa: &Ssa<'_>, graph: &Graph, phi: u32, optimistic: bool) -> Option<Name> {
    let data = &ssa.phis[phi as usize];
    if data.block == EXIT {
        return None;
    }
    let own = Name::phi(phi as usize);
    let mut common = None;
    let mut poison = false;
    for at in data.operands.0..data.operands.1 {
        let operand = ssa.operands[at as usize];
        let value = ssa.resolve(operand);
        if value == Name::POISON {
            poison |= !optimistic || operand == Name::POISON;
        } else if value != own {
            if common.is_some_and(|common| common != value) {
                return None;
            }
            common = Some(value);
        }
    }
    match common {
        None => Some(Name::POISON),
        Some(value) => (!poison || ssa.dominates(graph, value, data.block)).then_some(value),
    }
}
