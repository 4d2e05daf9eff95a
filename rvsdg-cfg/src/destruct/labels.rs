//! One block for each address that indirect branches lead to.
//!
//! An address of a block of the original function is that of one block of the recovered one, to which all indirect branches jump. If
//! recovery gave them different targets, or one block serves several addresses, the address gets a block of its own, which jumps on as
//! the branch that was taken says.

use rustc_hash::FxHashMap;
use rvsdg_core::Type;
use rvsdg_core::op::{MatchTable, Op};

use crate::cfg::{Cfg, Value};
use crate::shape::{ArcRef, Block};

/// Finds or makes the block of each address, and records it in [`Cfg::labels`]. Returns whether a block was inserted where several paths
/// meet, so that definitions before it need not dominate uses after it any more.
pub(super) fn assign(cfg: &mut Cfg) -> bool {
    let mut parted = false;
    let pool = cfg.pool().clone();
    // In the order of blocks and arcs, by label.
    let mut labels: Vec<(u32, Vec<ArcRef>)> = Vec::new();
    let mut place: FxHashMap<u32, usize> = FxHashMap::default();
    for block in cfg.blocks() {
        let Some(indices) = cfg.indirect_labels(block) else { continue };
        for (index, &label) in pool.indices(indices).iter().enumerate() {
            let place = *place.entry(label).or_insert_with(|| {
                labels.push((label, Vec::new()));
                labels.len() - 1
            });
            labels[place].1.push(ArcRef { from: block, index: index as u32 });
        }
    }
    let mut taken: FxHashMap<Block, u32> = FxHashMap::default();
    for (label, arcs) in labels {
        let target = cfg.arc(arcs[0]).target;
        let shared = target != cfg.exit()
            && arcs.iter().all(|&arc| cfg.arc(arc).target == target)
            && *taken.entry(target).or_insert(label) == label;
        let block = if shared { target } else { dispatch(cfg, &arcs) };
        parted |= !shared && arcs.len() > 1;
        cfg.labels.push((label, block));
    }
    parted
}

/// A block to which `arcs` lead, and from which each continues to its old target.
fn dispatch(cfg: &mut Cfg, arcs: &[ArcRef]) -> Block {
    let pool = cfg.pool().clone();
    let targets: Vec<(Block, Vec<Value>)> =
        arcs.iter().map(|&arc| (cfg.arc(arc).target, cfg.arc_args(arc).to_vec())).collect();
    let block = cfg.add_block();
    // What one of several branches brings does not dominate the new block: it is passed on.
    let types: Vec<Vec<Type>> = targets.iter().map(|(_, args)| args.iter().map(|&arg| cfg.ty(arg)).collect()).collect();
    let choice = (arcs.len() > 1).then(|| cfg.add_block_param(block, Type::I32, None));
    let params: Vec<Vec<Value>> =
        types.iter().map(|types| types.iter().map(|&ty| cfg.add_block_param(block, ty, None)).collect()).collect();
    for (number, &arc) in arcs.iter().enumerate() {
        let mut args = Vec::new();
        if choice.is_some() {
            args.push(cfg.add_const(pool.int_const(Type::I32, number as u64), &[]));
        }
        for (other, types) in types.iter().enumerate() {
            for (position, &ty) in types.iter().enumerate() {
                args.push(match other == number {
                    true => targets[number].1[position],
                    false => cfg.add_const(pool.poison(ty), &[]),
                });
            }
        }
        cfg.set_arc(arc, block, &args);
    }
    // Two arcs must not join the same blocks with different arguments, and the exit takes an arc of its own block.
    for (number, (target, _)) in targets.iter().enumerate() {
        let between = match choice {
            Some(_) => {
                let between = cfg.add_block();
                cfg.add_arc(block, between, &[]);
                between
            }
            None => block,
        };
        cfg.add_arc(between, *target, &params[number]);
    }
    if let Some(choice) = choice {
        let cases = (1..arcs.len() as u32).map(|case| (pool.int_const(Type::I32, case.into()), case)).collect();
        let table = pool.intern_table(MatchTable { cases, default: 0, alternatives: arcs.len() as u32 });
        let predicate = cfg.add_detached(Op::Match(table), &[choice], &[]);
        cfg.terminator_mut(block).predicate = predicate.into();
    }
    block
}
