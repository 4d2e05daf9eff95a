//! Restores that definitions dominate uses, after blocks were inserted between others, or for values of an invoke.
//!
//! The result of an invoke is defined on its first arc, and the value of its landing pad on its second. Uses that other paths also reach
//! get poison on those, through parameters of the blocks in between.

use cranelift_entity::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::op::{RETURNS, UNWINDS};
use smallvec::SmallVec;

use crate::cfg::{Cfg, Value};
use crate::dominators::DominatorTree;
use crate::shape::{ArcRef, Block};

/// Makes all definitions of values of invokes dominate their uses, and if `all`, those of other values too.
pub(super) fn repair(cfg: &mut Cfg, all: bool) {
    let arcs = incoming(cfg);
    let mut definitions = FxHashMap::default();
    for block in cfg.blocks() {
        if let Some(invoke) = cfg.invoke(block) {
            let defined = invoke.result.map(|result| (result, RETURNS)).into_iter().chain([(invoke.pad, UNWINDS)]);
            for (value, index) in defined {
                let arc = ArcRef { from: block, index };
                let target = cfg.arc(arc).target;
                let at = (arcs[target].len() == 1 && target != cfg.exit()).then_some(target);
                definitions.insert(value, Definition { arc: Some(arc), at });
            }
        } else if all && let Some(predicate) = cfg.terminator(block).predicate.expand() {
            let here = Definition { arc: None, at: Some(block) };
            definitions.extend(cfg.results(predicate).iter().map(|&value| (value, here)));
        }
        if all {
            let here = Definition { arc: None, at: Some(block) };
            let results = cfg.insts(block).iter().flat_map(|&inst| cfg.results(inst));
            definitions.extend(cfg.block_params(block).iter().chain(results).map(|&value| (value, here)));
        }
    }
    if definitions.is_empty() {
        return;
    }
    for value in undominated(cfg, &definitions) {
        complete(cfg, value, definitions[&value]);
    }
}

/// Where a value is defined.
#[derive(Copy, Clone)]
struct Definition {
    /// The arc that defines it, for a value of an invoke.
    arc: Option<ArcRef>,
    /// The block that defines it: for a value of an invoke the one that the arc leads to, when no other arc does.
    at: Option<Block>,
}

/// The arcs into each block.
pub(super) fn incoming(cfg: &Cfg) -> SecondaryMap<Block, SmallVec<[ArcRef; 2]>> {
    let mut arcs: SecondaryMap<Block, SmallVec<[ArcRef; 2]>> = SecondaryMap::new();
    for from in cfg.blocks() {
        for (index, arc) in cfg.terminator(from).arcs.iter().enumerate() {
            arcs[arc.target].push(ArcRef { from, index: index as u32 });
        }
    }
    arcs
}

/// Puts a block on an arc.
pub(super) fn split(cfg: &mut Cfg, arc: ArcRef) -> Block {
    let (target, args) = (cfg.arc(arc).target, cfg.arc_args(arc).to_vec());
    let between = cfg.add_block();
    cfg.add_arc(between, target, &args);
    cfg.set_arc(arc, between, &[]);
    between
}

/// The values that are used where their definition does not dominate the use, in order of use.
fn undominated(cfg: &Cfg, definitions: &FxHashMap<Value, Definition>) -> Vec<Value> {
    let tree = DominatorTree::new(&cfg.shape());
    let mut found: Vec<Value> = Vec::new();
    let mut seen: FxHashSet<Value> = FxHashSet::default();
    let mut check = |block: Block, arc: Option<ArcRef>, values: &[Value]| {
        for value in values {
            let Some(definition) = definitions.get(value) else { continue };
            let good = arc.is_some() && arc == definition.arc
                || definition.at.is_some_and(|at| at == block || tree.is_above(tree.number(at), tree.number(block)));
            if !good && seen.insert(*value) {
                found.push(*value);
            }
        }
    };
    for block in cfg.blocks() {
        let terminator = cfg.terminator(block);
        for &inst in cfg.insts(block).iter().chain(terminator.predicate.expand().as_ref()) {
            check(block, None, cfg.operands(inst));
        }
        for index in 0..terminator.arcs.len() as u32 {
            let arc = ArcRef { from: block, index };
            check(block, Some(arc), cfg.arc_args(arc));
        }
    }
    found
}

/// Makes a value available wherever it is used: where another path leads there, as a parameter that is poison on it.
fn complete(cfg: &mut Cfg, value: Value, definition: Definition) {
    let at = match definition.at {
        Some(at) => at,
        None => split(cfg, definition.arc.expect("a value of an invoke is defined on an arc")),
    };
    let poison = cfg.pool().poison(cfg.ty(value));
    let poison = cfg.add_const(poison, &[]);
    let mut walk = Completion { arcs: incoming(cfg), at, value, poison, known: FxHashMap::default(), open: Vec::new() };
    if let Some(arc) = definition.arc.filter(|arc| arc.from != at) {
        // What leaves the invoke on another arc than the one that defines the value.
        walk.known.insert(arc.from, poison);
    }
    for block in cfg.blocks().collect::<Vec<_>>() {
        let insts: Vec<_> = cfg.insts(block).iter().copied().chain(cfg.terminator(block).predicate.expand()).collect();
        for inst in insts {
            if cfg.operands(inst).contains(&value) {
                let now = walk.at_end(cfg, block);
                cfg.operands_mut(inst)
                    .iter_mut()
                    .filter(|operand| **operand == value)
                    .for_each(|operand| *operand = now);
            }
        }
        for index in 0..cfg.terminator(block).arcs.len() as u32 {
            let arc = ArcRef { from: block, index };
            if Some(arc) != definition.arc && cfg.arc_args(arc).contains(&value) {
                let now = walk.at_end(cfg, block);
                let args: Vec<Value> =
                    cfg.arc_args(arc).iter().map(|&arg| if arg == value { now } else { arg }).collect();
                cfg.set_arc(arc, cfg.arc(arc).target, &args);
            }
        }
    }
    while let Some((block, param)) = walk.open.pop() {
        debug_assert_eq!(cfg.block_params(block).last(), Some(&param));
        for arc in walk.arcs[block].clone() {
            let now = walk.at_end(cfg, arc.from);
            let args: Vec<Value> = cfg.arc_args(arc).iter().copied().chain([now]).collect();
            cfg.set_arc(arc, block, &args);
        }
    }
}

/// The state of [`complete`].
struct Completion {
    arcs: SecondaryMap<Block, SmallVec<[ArcRef; 2]>>,
    at: Block,
    value: Value,
    poison: Value,
    /// What the value is in a block.
    known: FxHashMap<Block, Value>,
    /// Parameters whose arguments are still to be set.
    open: Vec<(Block, Value)>,
}

impl Completion {
    /// What the value is in a block.
    fn at_end(&mut self, cfg: &mut Cfg, block: Block) -> Value {
        let mut path: SmallVec<[Block; 8]> = SmallVec::new();
        let mut at = block;
        let found = loop {
            if let Some(&known) = self.known.get(&at) {
                break known;
            }
            path.push(at);
            if at == self.at {
                break self.value;
            }
            match self.arcs[at][..] {
                [] => break self.poison,
                // A block that only leads to itself is not reached.
                [arc] if path.contains(&arc.from) => break self.poison,
                [arc] => at = arc.from,
                _ => {
                    let param = cfg.add_block_param(at, cfg.ty(self.value), None);
                    self.open.push((at, param));
                    break param;
                }
            }
        };
        for block in path {
            self.known.insert(block, found);
        }
        found
    }
}
