//! Blocks for landing pads.
//!
//! LLVM has a landing pad at the beginning of each block that an invoke unwinds to, and only invokes may lead there. A block keeps that
//! role if all arcs into it are such, from invokes with equal landing pads; the landing pad's value is then a parameter of the block, or
//! used directly if there is one invoke only. Any other unwinding arc of an invoke gets a block of its own, and so does one whose landing
//! pad's value is used without being that parameter.

use cranelift_entity::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::op::{CallExits, UNWINDS};

use super::repair::{incoming, split};
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
    let direct = used_directly(cfg, invokes);
    // By block that an invoke unwinds to: whether it is a landing pad.
    let mut pads: SecondaryMap<Block, Option<bool>> = SecondaryMap::new();
    for &(block, _) in invokes {
        let target = cfg.arc(ArcRef { from: block, index: UNWINDS }).target;
        if pads[target].is_none() {
            pads[target] = Some(target != cfg.exit() && is_pad(cfg, &arcs[target], &direct));
        }
    }
    for &(block, _) in invokes {
        let arc = ArcRef { from: block, index: UNWINDS };
        if pads[cfg.arc(arc).target] == Some(false) {
            split(cfg, arc);
        }
    }
}

/// The values of landing pads that are used otherwise than on the arc to their own block.
fn used_directly(cfg: &Cfg, invokes: &[(Block, Invoke)]) -> FxHashSet<Value> {
    let pads: FxHashMap<Value, ArcRef> =
        invokes.iter().map(|&(from, invoke)| (invoke.pad, ArcRef { from, index: UNWINDS })).collect();
    let mut direct = FxHashSet::default();
    let mut check = |arc: Option<ArcRef>, values: &[Value]| {
        direct.extend(values.iter().filter(|value| pads.get(value).is_some_and(|&own| Some(own) != arc)));
    };
    for block in cfg.blocks() {
        let terminator = cfg.terminator(block);
        for &inst in cfg.insts(block).iter().chain(terminator.predicate.expand().as_ref()) {
            check(None, cfg.operands(inst));
        }
        for index in 0..terminator.arcs.len() as u32 {
            let arc = ArcRef { from: block, index };
            check(Some(arc), cfg.arc_args(arc));
        }
    }
    direct
}

/// Whether a block with these incoming arcs can begin with a landing pad.
fn is_pad(cfg: &Cfg, arcs: &[ArcRef], direct: &FxHashSet<Value>) -> bool {
    let first = arcs.first().and_then(|arc| cfg.invoke(arc.from));
    let Some(first) = first else { return false };
    let position = cfg.arc_args(arcs[0]).iter().position(|&arg| arg == first.pad);
    arcs.iter().all(|&arc| {
        let Some(invoke) = cfg.invoke(arc.from).filter(|_| arc.index == UNWINDS) else { return false };
        let own = |value| value == invoke.pad || Some(value) == invoke.result;
        same_pad(cfg, first, invoke)
            && (arcs.len() == 1 || !direct.contains(&invoke.pad))
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rvsdg_core::op::{CallInfo, LandingPad, MatchTable, Op};
    use rvsdg_core::{Pool, Type, TypeKind};

    use super::super::repair::repair;
    use super::*;

    /// Two invokes that unwind to one block, which uses what the second is given or what either is.
    fn shared(uses_own: bool) -> (Cfg, [Block; 2], Block) {
        let pool = Arc::new(Pool::new());
        let mut cfg = Cfg::new(pool.clone());
        let (callee, condition) = (cfg.add_context(Type::PTR), cfg.add_param(Type::I1));
        let (entry, exit) = (cfg.entry(), cfg.exit());
        cfg.add_block_param(exit, Type::I32, None);
        let [first, second, pad, done] = [(); 4].map(|()| cfg.add_block());
        let cases = [(pool.int_const(Type::I1, 1), 0)].into();
        let table = pool.intern_table(MatchTable { cases, default: 1, alternatives: 2 });
        let chosen = cfg.add_detached(Op::Match(table), &[condition], &[]);
        cfg.terminator_mut(entry).predicate = chosen.into();
        for block in [first, second] {
            cfg.add_arc(entry, block, &[]);
        }
        let ty = pool.intern_type(TypeKind::Function { result: Type::VOID, params: [].into(), variadic: false });
        let landing = LandingPad { cleanup: true, clauses: [].into() };
        let call = pool.intern_call(CallInfo { exits: CallExits::Unwind(landing), ..CallInfo::new(ty) });
        let param = cfg.add_block_param(pad, Type::I32, None);
        let given = [first, second].map(|block| {
            let invoke = cfg.add_detached(Op::Invoke(call), &[callee], &[Type::I32]);
            cfg.terminator_mut(block).predicate = invoke.into();
            let given = cfg.results(invoke)[0];
            cfg.add_arc(block, done, &[]);
            cfg.add_arc(block, pad, &[given]);
            given
        });
        cfg.add_arc(pad, exit, &[if uses_own { param } else { given[1] }]);
        let zero = cfg.add_const(pool.int_const(Type::I32, 0), &[]);
        cfg.add_arc(done, exit, &[zero]);
        (cfg, [first, second], pad)
    }

    #[test]
    fn a_landing_pad_of_two_invokes_is_a_parameter() {
        let (mut cfg, invokes, pad) = shared(true);
        separate(&mut cfg);
        repair(&mut cfg, false);
        assert!(invokes.iter().all(|&from| cfg.arc(ArcRef { from, index: UNWINDS }).target == pad));
    }

    #[test]
    fn each_invoke_has_its_own_landing_pad_where_one_is_used_alone() {
        let (mut cfg, invokes, pad) = shared(false);
        separate(&mut cfg);
        repair(&mut cfg, false);
        let targets = invokes.map(|from| cfg.arc(ArcRef { from, index: UNWINDS }).target);
        assert!(targets[0] != targets[1] && !targets.contains(&pad));
        assert!(cfg.verify().is_ok());
    }
}
