//! Branches in the one form in which they can be compared and written.

use rustc_hash::FxHashMap;
use rvsdg_core::Op;
use rvsdg_core::op::MatchTable;

use crate::cfg::{Cfg, Value};
use crate::shape::{ArcRef, Block};

/// Makes arcs that lead to the same block with the same arguments one arc, and numbers alternatives in the order in which
/// the table of the predicate names them first, its default last. A branch that is left with one arc loses its predicate.
///
/// Two arcs to one block with different arguments stay; the emitter inserts a block on one of them. Predicates that are not [`Op::Match`]
/// are left alone.
pub fn canonicalize_branch(cfg: &mut Cfg, block: Block) {
    let Some(predicate) = cfg.terminator(block).predicate.expand() else { return };
    let Op::Match(table) = cfg.op(predicate) else { return };
    let pool = cfg.pool().clone();
    let table = pool.table(table);
    let like = first_alike(cfg, block);

    let mut order = vec![];
    let mut number = vec![u32::MAX; like.len()];
    for alternative in table.cases.iter().map(|&(_, alternative)| alternative).chain([table.default]) {
        let first = like[alternative as usize] as usize;
        if number[first] == u32::MAX {
            number[first] = order.len() as u32;
            order.push(first);
        }
    }
    if order.len() == like.len() && order.is_sorted() {
        return;
    }

    let arcs = std::mem::take(&mut cfg.terminator_mut(block).arcs);
    let arcs = order.iter().map(|&first| arcs[first].clone()).collect();
    if let [_] = order[..] {
        let terminator = cfg.terminator_mut(block);
        terminator.arcs = arcs;
        terminator.predicate = None.into();
        terminator.source = None.into();
        return;
    }
    let renumber = |alternative: u32| number[like[alternative as usize] as usize];
    let renumbered = pool.intern_table(MatchTable {
        cases: table.cases.iter().map(|&(case, alternative)| (case, renumber(alternative))).collect(),
        default: renumber(table.default),
        alternatives: order.len() as u32,
    });
    let operand = cfg.operands(predicate)[0];
    let source = cfg.source(predicate);
    let replacement = cfg.add_detached(Op::Match(renumbered), &[operand], &[]);
    cfg.set_source(replacement, source);
    let terminator = cfg.terminator_mut(block);
    terminator.arcs = arcs;
    terminator.predicate = replacement.into();
}

/// For each arc of a block the first that leads to the same block with the same arguments.
fn first_alike(cfg: &Cfg, block: Block) -> Vec<u32> {
    let arcs = &cfg.terminator(block).arcs;
    if let [first, second] = &arcs[..] {
        let args = |index| cfg.arc_args(ArcRef { from: block, index });
        return vec![0, u32::from(first.target != second.target || args(0) != args(1))];
    }
    let mut seen: FxHashMap<(Block, &[Value]), u32> = FxHashMap::default();
    let arcs = (0..arcs.len() as u32).map(|index| (index, ArcRef { from: block, index }));
    arcs.map(|(index, arc)| *seen.entry((cfg.arc(arc).target, cfg.arc_args(arc))).or_insert(index)).collect()
}
