//! What is checked of every recovered graph.

use std::fmt::Write;

use cranelift_entity::{EntityRef, SecondaryMap};
use rvsdg_cfg::cfg::{Cfg, Inst, Value};
use rvsdg_cfg::compare::{Labelled, compare};
use rvsdg_cfg::shape::{ArcRef, Block, Shape};
use rvsdg_core::constant::Words;
use rvsdg_core::{Constant, Op};
use rvsdg_gen::cfgs::CHOOSE;
use smallvec::SmallVec;

type Labels = SecondaryMap<Block, SmallVec<[u32; 1]>>;

/// What the blocks of a generated graph do, in the order in which they do it.
fn labels(cfg: &Cfg) -> Labels {
    let mut labels = Labels::new();
    for block in cfg.blocks() {
        labels[block] = cfg.insts(block).iter().map(|&inst| label(cfg, inst)).collect();
    }
    labels
}

pub fn label(cfg: &Cfg, inst: Inst) -> u32 {
    let Op::Ext(ext) = cfg.op(inst) else { panic!("generated graphs have no other operations") };
    if *cfg.pool().ext(ext).name == *CHOOSE {
        return u32::MAX;
    }
    number(cfg, cfg.operands(inst)[0]).unwrap_or(0)
}

fn number(cfg: &Cfg, value: Value) -> Option<u32> {
    match cfg.pool().constant(cfg.as_const(value)?.0) {
        Constant::Int { words: Words::Small(word), .. } => Some(*word as u32),
        _ => None,
    }
}

/// A listing of a control flow graph, for messages.
pub fn listing(cfg: &Cfg) -> String {
    let mut text = String::new();
    let name = |value: Value| match number(cfg, value) {
        Some(number) => format!("#{number}"),
        None if cfg.as_const(value).is_some() => "poison".into(),
        None => format!("{value}"),
    };
    let names = |values: &[Value]| values.iter().map(|&value| name(value)).collect::<Vec<_>>().join(", ");
    for block in cfg.blocks() {
        writeln!(text, "{block}({}):", names(cfg.block_params(block))).unwrap();
        for &inst in cfg.insts(block) {
            let (results, operands) = (names(cfg.results(inst)), names(cfg.operands(inst)));
            writeln!(text, "  {results} = {inst} {operands}").unwrap();
        }
        let terminator = cfg.terminator(block);
        if let Some(predicate) = terminator.predicate.expand() {
            writeln!(text, "  match {} {:?}", names(cfg.operands(predicate)), cfg.op(predicate)).unwrap();
        }
        for (index, arc) in terminator.arcs.iter().enumerate() {
            let args = cfg.arc_args(ArcRef { from: block, index: index as u32 });
            writeln!(text, "  -> {}({})", arc.target, names(args)).unwrap();
        }
    }
    text
}

/// Checks what holds for every recovered graph.
pub fn check_form(cfg: &Cfg) {
    let shape = cfg.shape();
    let predecessors = shape.predecessors();
    assert!(predecessors.arcs(cfg.entry()).is_empty(), "the entry has a predecessor");
    let reached = cfg.reachable();
    for block in cfg.blocks().filter(|&block| block != cfg.exit()) {
        assert!(reached[block], "{block} is not reachable");
        let terminator = cfg.terminator(block);
        assert!(!terminator.arcs.is_empty(), "{block} has no arc");
        assert_eq!(terminator.arcs.len() > 1, terminator.predicate.is_some(), "{block}");
        for (index, arc) in terminator.arcs.iter().enumerate() {
            let args = cfg.arc_args(ArcRef { from: block, index: index as u32 });
            let params = cfg.block_params(arc.target);
            assert_eq!(args.len(), params.len(), "arguments of {block} to {}", arc.target);
            assert!(args.iter().zip(params).all(|(&arg, &param)| cfg.ty(arg) == cfg.ty(param)), "types at {block}");
            let same = terminator.arcs.iter().filter(|other| other.target == arc.target).count();
            assert_eq!(same, 1, "{block} has several arcs to {}", arc.target);
            assert!(arc.target != cfg.exit() || terminator.arcs.len() == 1, "{block} returns conditionally");
        }
    }
}

/// Checks that definitions dominate uses: the intersection over all paths, as bit sets. For small graphs.
pub fn check_definitions(cfg: &Cfg) {
    let shape = cfg.shape();
    let order = shape.reverse_postorder();
    let words = cfg.value_count().div_ceil(64);
    let mut defined: SecondaryMap<Block, Option<Vec<u64>>> = SecondaryMap::new();
    let set = |bits: &mut Vec<u64>, value: Value| bits[value.index() / 64] |= 1 << (value.index() % 64);
    let mut start = vec![0; words];
    for &value in cfg.contexts().iter().chain(cfg.params()) {
        set(&mut start, value);
    }
    defined[cfg.entry()] = Some(start);
    let at_end = |block: Block, bits: &[u64]| {
        let mut bits = bits.to_vec();
        cfg.block_params(block).iter().for_each(|&value| set(&mut bits, value));
        cfg.insts(block).iter().for_each(|&inst| cfg.results(inst).iter().for_each(|&value| set(&mut bits, value)));
        bits
    };
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &order {
            let Some(bits) = &defined[block] else { continue };
            let bits = at_end(block, bits);
            for &target in shape.succs(block) {
                let merged: Vec<u64> = match &defined[target] {
                    None => bits.clone(),
                    Some(old) => old.iter().zip(&bits).map(|(a, b)| a & b).collect(),
                };
                changed |= defined[target].as_ref() != Some(&merged);
                defined[target] = Some(merged);
            }
        }
    }
    for &block in order.iter().filter(|&&block| block != cfg.exit()) {
        let mut bits = defined[block].clone().unwrap();
        cfg.block_params(block).iter().for_each(|&value| set(&mut bits, value));
        let check = |bits: &[u64], value: Value| {
            let known = cfg.as_const(value).is_some() || bits[value.index() / 64] >> (value.index() % 64) & 1 == 1;
            assert!(known, "{value} is used in {block} before its definition {:?}", cfg.def(value));
        };
        for &inst in cfg.insts(block) {
            cfg.operands(inst).iter().for_each(|&value| check(&bits, value));
            cfg.results(inst).iter().for_each(|&value| set(&mut bits, value));
        }
        let terminator = cfg.terminator(block);
        if let Some(predicate) = terminator.predicate.expand() {
            cfg.operands(predicate).iter().for_each(|&value| check(&bits, value));
        }
        for index in 0..terminator.arcs.len() as u32 {
            cfg.arc_args(ArcRef { from: block, index }).iter().for_each(|&value| check(&bits, value));
        }
    }
}

/// Whether every block can reach the exit.
pub fn all_return(shape: &Shape) -> bool {
    let predecessors = shape.predecessors();
    let mut reaches: SecondaryMap<Block, bool> = SecondaryMap::new();
    reaches[shape.exit] = true;
    let mut pending = vec![shape.exit];
    while let Some(block) = pending.pop() {
        for arc in predecessors.arcs(block) {
            if !std::mem::replace(&mut reaches[arc.from], true) {
                pending.push(arc.from);
            }
        }
    }
    shape.blocks().all(|block| reaches[block])
}

/// Checks that a recovered graph is the original.
pub fn check_equal(original: &Cfg, recovered: &Cfg) {
    let (shapes, both) = ([original.shape(), recovered.shape()], [labels(original), labels(recovered)]);
    let left = Labelled { shape: &shapes[0], labels: &both[0] };
    let right = Labelled { shape: &shapes[1], labels: &both[1] };
    if let Err(difference) = compare(left, right) {
        panic!("{difference}");
    }
    // No parameter that the original does not have.
    let labelled = original.blocks().filter_map(|block| both[0][block].first());
    let mut params = vec![0; labelled.max().map_or(0, |&label| label as usize + 1)];
    for block in original.blocks() {
        if let Some(&label) = both[0][block].first() {
            params[label as usize] = original.block_params(block).len();
        }
    }
    for block in recovered.blocks().filter(|&block| block != recovered.exit()) {
        let Some(&label) = both[1][block].first() else { continue };
        let had = params[label as usize];
        let has = recovered.block_params(block).len();
        assert!(has <= had, "{block} has {has} parameters instead of {had}");
    }
    // No return that the original does not have, and no other one, unless it returns conditionally.
    let returns_at = |block: Block, arcs: usize| {
        shapes[0].succs(block).contains(&original.exit()) && shapes[0].succs(block).len() > arcs
    };
    if original.blocks().any(|block| returns_at(block, 1)) {
        return;
    }
    let returns = |cfg: &Cfg| {
        let returns =
            cfg.blocks().filter(|&block| cfg.terminator(block).arcs.iter().any(|arc| arc.target == cfg.exit()));
        let mut sources: Vec<_> = returns.map(|block| cfg.terminator(block).source).collect();
        sources.sort_unstable();
        sources
    };
    assert_eq!(returns(original), returns(recovered));
}
