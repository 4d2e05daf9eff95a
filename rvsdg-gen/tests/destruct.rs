//! Destruction undoes construction: predicative recovery gives the control flow graph that the graph was made from,
//! structured recovery a structured one, and both do what the original does.

use std::fmt::Write;

use cranelift_entity::{EntityRef, SecondaryMap};
use proptest::prelude::*;
use rvsdg_cfg::cfg::{Cfg, Value};
use rvsdg_cfg::classify::{Class, classify};
use rvsdg_cfg::compare::{Labelled, compare};
use rvsdg_cfg::construct::build;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::restructure::Options;
use rvsdg_cfg::shape::{ArcRef, Block, Shape};
use rvsdg_core::constant::Words;
use rvsdg_core::{Constant, Op, SourceId};
use rvsdg_gen::cfgs::{CHOOSE, Fill, fill, straight_line};
use rvsdg_gen::rng::Rng;
use rvsdg_gen::shapes::{Family, exhaustive, from_choices, random, random_structured};
use rvsdg_gen::trace::trace_cfg;
use smallvec::SmallVec;

const INVERTED: Options = Options { invert_head_controlled: true };

type Labels = SecondaryMap<Block, SmallVec<[u32; 1]>>;

/// What the blocks of a generated graph do, in the order in which they do it.
fn labels(cfg: &Cfg) -> Labels {
    let mut labels = Labels::new();
    for block in cfg.blocks() {
        labels[block] = cfg.insts(block).iter().map(|&inst| label(cfg, inst)).collect();
    }
    labels
}

fn label(cfg: &Cfg, inst: rvsdg_cfg::cfg::Inst) -> u32 {
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
fn listing(cfg: &Cfg) -> String {
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
fn check_form(cfg: &Cfg) {
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
fn check_definitions(cfg: &Cfg) {
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
fn all_return(shape: &Shape) -> bool {
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

fn check_recovery(cfg: &Cfg, options: &Options, recovery: Recovery, seeds: u64, fuel: usize) {
    let graph = build(cfg, options);
    let recovered = destruct(&graph, cfg.contexts().len(), recovery);
    let result = std::panic::catch_unwind(|| {
        check_form(&recovered);
        check_definitions(&recovered);
        for seed in 0..seeds {
            let (before, after) = (trace_cfg(cfg, seed, fuel), trace_cfg(&recovered, seed, fuel));
            assert_eq!(before, after, "seed {seed}");
        }
        match recovery {
            Recovery::Predicative if !options.invert_head_controlled => check_equal(cfg, &recovered),
            Recovery::Predicative => {}
            // A loop without exit leaves something to be desired: its γ has no join on that side.
            Recovery::Structured => {
                assert!(!all_return(&recovered.shape()) || matches!(classify(&recovered.shape()), Class::Linear | Class::Structured), "not structured");
            }
        }
    });
    if let Err(panic) = result {
        eprintln!("{recovery:?} {options:?}\n{}\n{}", listing(cfg), listing(&recovered));
        std::panic::resume_unwind(panic);
    }
}

/// Checks that a recovered graph is the original.
fn check_equal(original: &Cfg, recovered: &Cfg) {
    let (shapes, both) = ([original.shape(), recovered.shape()], [labels(original), labels(recovered)]);
    let left = Labelled { shape: &shapes[0], labels: &both[0] };
    let right = Labelled { shape: &shapes[1], labels: &both[1] };
    if let Err(difference) = compare(left, right) {
        panic!("{difference}");
    }
    // No parameter that the original does not have.
    let mut params = vec![0; original.block_count() + 1];
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
    let returns_at = |block: Block, arcs: usize| shapes[0].succs(block).contains(&original.exit()) && shapes[0].succs(block).len() > arcs;
    if original.blocks().any(|block| returns_at(block, 1)) {
        return;
    }
    let returns = |cfg: &Cfg| {
        let returns = cfg.blocks().filter(|&block| cfg.terminator(block).arcs.iter().any(|arc| arc.target == cfg.exit()));
        let mut sources: Vec<_> = returns.map(|block| cfg.terminator(block).source).collect();
        sources.sort_unstable();
        sources
    };
    assert_eq!(returns(original), returns(recovered));
}

fn check_shape(shape: &Shape, seed: u64, seeds: u64, fuel: usize) {
    let mut cfg = fill(shape, Fill::RICH, &mut Rng::new(seed));
    for block in cfg.blocks() {
        cfg.terminator_mut(block).source = SourceId::new(block.index()).into();
    }
    for recovery in [Recovery::Predicative, Recovery::Structured] {
        for options in [Options::default(), INVERTED] {
            check_recovery(&cfg, &options, recovery, seeds, fuel);
        }
    }
}

#[test]
fn all_shapes_with_two_successors() {
    for inner in 1..=4 {
        for (number, shape) in exhaustive(inner, 2).enumerate() {
            check_shape(&shape, number as u64, 3, 30);
        }
    }
}

#[test]
fn all_shapes_with_three_successors() {
    for inner in 1..=3 {
        for (number, shape) in exhaustive(inner, 3).enumerate() {
            check_shape(&shape, number as u64, 3, 30);
        }
    }
}

#[test]
fn random_shapes() {
    for seed in 0..2000 {
        check_shape(&random(seed, 3 + seed as usize % 60, 4), seed, 2, 80);
    }
}

#[test]
fn random_structured_shapes() {
    for seed in 0..1000 {
        check_shape(&random_structured(seed, 3 + seed as usize % 60, 4), seed, 2, 80);
    }
}

proptest! {
    #[test]
    fn any_shape(choices in prop::collection::vec(prop::collection::vec(any::<u16>(), 1..4), 1..12), seed: u64) {
        check_shape(&from_choices(&choices), seed, 2, 60);
    }
}

#[test]
fn families() {
    for family in Family::ALL {
        for size in [1, 2, 3, 7, 20] {
            check_shape(&family.shape(size), size as u64, 2, 200);
        }
    }
}

#[test]
fn blocks_keep_their_order() {
    for seed in 0..1000 {
        let mut cfg = fill(&random(seed, 3 + seed as usize % 60, 3), Fill::RICH, &mut Rng::new(seed));
        let mut sources = 0;
        let mut next = || {
            sources += 1;
            Some(SourceId::new(sources))
        };
        for block in cfg.blocks() {
            for inst in cfg.insts(block).to_vec() {
                cfg.set_source(inst, next());
            }
            cfg.terminator_mut(block).source = next().into();
        }
        let recovered = destruct(&build(&cfg, &Options::default()), 0, Recovery::Predicative);
        let order = |cfg: &Cfg| -> Vec<u32> {
            let blocks = cfg.blocks().filter(|&block| !cfg.insts(block).is_empty());
            blocks.map(|block| label(cfg, cfg.insts(block)[0])).collect()
        };
        let kept = order(&recovered);
        // A block that continues its only predecessor is joined with it, and none comes before all that lead to it.
        let expected: Vec<u32> = order(&cfg).into_iter().filter(|label| kept.contains(label)).collect();
        if kept != expected {
            assert!(starts_late(&cfg), "seed {seed}: {kept:?} instead of {expected:?}");
        }
    }
}

/// Whether a block comes before all that lead to it.
fn starts_late(cfg: &Cfg) -> bool {
    let predecessors = cfg.shape().predecessors();
    cfg.blocks().any(|block| {
        let arcs = predecessors.arcs(block);
        block != cfg.exit() && !arcs.is_empty() && arcs.iter().all(|arc| arc.from >= block)
    })
}

#[test]
fn straight_lines() {
    let cfg = straight_line(500);
    for recovery in [Recovery::Predicative, Recovery::Structured] {
        let recovered = destruct(&build(&cfg, &Options::default()), 0, recovery);
        assert_eq!(recovered.block_count(), 2);
        assert_eq!(trace_cfg(&cfg, 1, 1000), trace_cfg(&recovered, 1, 1000));
    }
}

#[test]
fn deep_and_wide() {
    let sizes = |family| match family {
        Family::FallThrough | Family::NestedIrreducible => 100,
        Family::NestedLoops | Family::NestedDoWhile => 5000,
        _ => 20_000,
    };
    for family in Family::ALL {
        let cfg = fill(&family.shape(sizes(family)), Fill::LINEAR, &mut Rng::new(1));
        let graph = build(&cfg, &Options::default());
        let recovered = destruct(&graph, 0, Recovery::Predicative);
        check_equal(&cfg, &recovered);
        destruct(&graph, 0, Recovery::Structured);
    }
}
