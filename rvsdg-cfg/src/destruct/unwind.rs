//! Blocks for landing pads.
//!
//! LLVM has a landing pad at the beginning of each block that an invoke unwinds to, and nothing but invokes leads there. A
//! block keeps that role when all arcs into it are such, from invokes that say the same of their landing pads; what those
//! are given is then a parameter of the block, or used directly when there is one invoke only. Any other arc of an invoke
//! that unwinds gets a block of its own.

use cranelift_entity::SecondaryMap;
use rvsdg_core::op::CallExits;

use super::repair::{UNWINDS, incoming, split};
use crate::cfg::{Cfg, Invoke, Value};
use crate::shape::{ArcRef, Block};

/// Gives each landing pad a block; see the module.
pub(super) fn separate(cfg: &mut Cfg) {
    let invokes: Vec<(Block, Invoke)> = cfg.blocks().filter_map(|block| Some((block, cfg.invoke(block)?))).collect();
    if !invokes.is_empty() {
        split_pads(cfg, &invokes);
    }
}

fn split_pads(cfg: &mut Cfg, invokes: &[(Block, Invoke)]) {
    let arcs = incoming(cfg);
    // By block that an invoke unwinds to: whether it is a landing pad.
    let mut pads: SecondaryMap<Block, Option<bool>> = SecondaryMap::new();
    for &(block, _) in invokes {
        let target = cfg.arc(ArcRef { from: block, index: UNWINDS }).target;
        if pads[target].is_none() {
            pads[target] = Some(target != cfg.exit() && is_pad(cfg, &arcs[target]));
        }
    }
    for &(block, _) in invokes {
        let arc = ArcRef { from: block, index: UNWINDS };
        if pads[cfg.arc(arc).target] == Some(false) {
            split(cfg, arc);
        }
    }
}

/// Whether a block with these incoming arcs can begin with a landing pad.
fn is_pad(cfg: &Cfg, arcs: &[ArcRef]) -> bool {
    let first = arcs.first().and_then(|arc| cfg.invoke(arc.from));
    let Some(first) = first else { return false };
    let position = cfg.arc_args(arcs[0]).iter().position(|&arg| arg == first.pad);
    arcs.iter().all(|&arc| {
        let Some(invoke) = cfg.invoke(arc.from).filter(|_| arc.index == UNWINDS) else { return false };
        let own = |value| value == invoke.pad || Some(value) == invoke.result;
        same_pad(cfg, first, invoke)
            && cfg
                .arc_args(arc)
                .iter()
                .enumerate()
                .all(|(index, &arg)| if Some(index) == position { arg == invoke.pad } else { !own(arg) })
    })
}

/// Whether two invokes say the same of their landing pads.
fn same_pad(cfg: &Cfg, one: Invoke, other: Invoke) -> bool {
    if one.inst == other.inst {
        return true;
    }
    let pool = cfg.pool();
    let (CallExits::Unwind(pad), CallExits::Unwind(with)) = (&pool.call(one.call).exits, &pool.call(other.call).exits)
    else {
        return false;
    };
    let clauses = |invoke: Invoke| {
        let operands = cfg.operands(invoke.inst);
        &operands[operands.len() - pad.clauses.len()..]
    };
    let same = |(&one, &other): (&Value, &Value)| {
        one == other || cfg.as_const(one).is_some_and(|known| cfg.as_const(other) == Some(known))
    };
    pad == with && cfg.ty(one.pad) == cfg.ty(other.pad) && clauses(one).iter().zip(clauses(other)).all(same)
}
