//! Blocks for landing pads, and definitions before uses where an invoke defines values on its arcs only.
//!
//! LLVM has a landing pad at the beginning of each block that an invoke unwinds to, and nothing but invokes leads there. A
//! block keeps that role when all arcs into it are such, from invokes that say the same of their landing pads; what those
//! are given is then a parameter of the block, or used directly when there is one invoke only. Any other arc of an invoke
//! that unwinds gets a block of its own.
//!
//! What an invoke returns is defined on its first arc, and what its landing pad is given on its second. Uses that other
//! paths reach as well get poison from those, through parameters of the blocks between.

use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::FxHashMap;
use rvsdg_core::op::CallExits;
use smallvec::SmallVec;

use super::dominators::{Edges, dominators};
use crate::cfg::{Cfg, Invoke, Value};
use crate::shape::{ArcRef, Block};

/// The arc of an invoke that its callee's return takes.
const RETURNS: u32 = 0;
/// The arc of an invoke that is taken when its callee unwinds.
const UNWINDS: u32 = 1;

/// Separates landing pads from other blocks and completes what invokes define; see the module.
pub(super) fn separate(cfg: &mut Cfg) {
    let invokes: Vec<(Block, Invoke)> = cfg.blocks().filter_map(|block| Some((block, cfg.invoke(block)?))).collect();
    if invokes.is_empty() {
        return;
    }
    split_pads(cfg, &invokes);
    let arcs = incoming(cfg);
    let mut definitions = FxHashMap::default();
    for &(block, invoke) in &invokes {
        let defined = invoke.result.map(|result| (result, RETURNS)).into_iter().chain([(invoke.pad, UNWINDS)]);
        for (value, index) in defined {
            let arc = ArcRef { from: block, index };
            let target = cfg.arc(arc).target;
            let at = (arcs[target].len() == 1 && target != cfg.exit()).then_some(target);
            definitions.insert(value, Definition { arc, at });
        }
    }
    for value in undominated(cfg, &definitions) {
        complete(cfg, value, definitions[&value]);
    }
}

/// Where a value of an invoke is defined: on an arc, and so in the block it leads to when no other arc does.
#[derive(Copy, Clone)]
struct Definition {
    arc: ArcRef,
    at: Option<Block>,
}

fn incoming(cfg: &Cfg) -> SecondaryMap<Block, SmallVec<[ArcRef; 2]>> {
    let mut arcs: SecondaryMap<Block, SmallVec<[ArcRef; 2]>> = SecondaryMap::new();
    for from in cfg.blocks() {
        for (index, arc) in cfg.terminator(from).arcs.iter().enumerate() {
            arcs[arc.target].push(ArcRef { from, index: index as u32 });
        }
    }
    arcs
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

/// Puts a block on an arc.
fn split(cfg: &mut Cfg, arc: ArcRef) -> Block {
    let (target, args) = (cfg.arc(arc).target, cfg.arc_args(arc).to_vec());
    let between = cfg.add_block();
    cfg.add_arc(between, target, &args);
    cfg.set_arc(arc, between, &[]);
    between
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

/// The values that are used where their definition does not dominate the use.
fn undominated(cfg: &Cfg, definitions: &FxHashMap<Value, Definition>) -> Vec<Value> {
    let dominance = Dominance::new(cfg);
    let mut found: Vec<Value> = Vec::new();
    let mut check = |block: Block, arc: Option<ArcRef>, values: &[Value]| {
        for value in values {
            let Some(definition) = definitions.get(value) else { continue };
            let good = arc == Some(definition.arc) || definition.at.is_some_and(|at| dominance.dominates(at, block));
            if !good && !found.contains(value) {
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

/// Dominance among the blocks of a graph, by intervals of a walk over the tree of dominators.
struct Dominance {
    intervals: Vec<(u32, u32)>,
}

impl Dominance {
    fn new(cfg: &Cfg) -> Dominance {
        let count = cfg.block_count();
        let edges = Edges::new(count, || {
            cfg.blocks().flat_map(|from| {
                cfg.terminator(from).arcs.iter().map(move |arc| (from.index() as u32, arc.target.index() as u32))
            })
        });
        let (idoms, order) = dominators(&edges);
        let children = Edges::new(count, || order.iter().filter_map(|&vertex| Some((idoms[vertex as usize]?, vertex))));
        let mut sizes = vec![1u32; count];
        for &vertex in order.iter().rev() {
            if let Some(above) = idoms[vertex as usize] {
                sizes[above as usize] += sizes[vertex as usize];
            }
        }
        // What cannot be reached dominates nothing but itself.
        let mut intervals = vec![(u32::MAX, 0); count];
        if let Some(&root) = order.first() {
            intervals[root as usize] = (0, sizes[root as usize]);
        }
        for &vertex in &order {
            let mut next = intervals[vertex as usize].0 + 1;
            for &child in children.from(vertex) {
                intervals[child as usize] = (next, next + sizes[child as usize]);
                next += sizes[child as usize];
            }
        }
        Dominance { intervals }
    }

    fn dominates(&self, above: Block, below: Block) -> bool {
        let (start, end) = self.intervals[above.index()];
        above == below || (start..end).contains(&self.intervals[below.index()].0)
    }
}

/// Makes a value available wherever it is used: where another path leads there, as a parameter that is poison on it.
fn complete(cfg: &mut Cfg, value: Value, definition: Definition) {
    let at = match definition.at {
        Some(at) => at,
        None => split(cfg, definition.arc),
    };
    let poison = cfg.pool().poison(cfg.ty(value));
    let poison = cfg.add_const(poison, &[]);
    let mut walk = Completion { arcs: incoming(cfg), at, value, poison, known: FxHashMap::default(), open: Vec::new() };
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
            if arc != definition.arc && cfg.arc_args(arc).contains(&value) {
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
    /// Parameters whose arguments are still to be given.
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
