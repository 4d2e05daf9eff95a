//! Control flow graphs with operations, made from shapes.
//!
//! Every block observes values that dominate it and its own parameters through an operation of the dialect `gen`, so that
//! two graphs that behave alike have equal [traces](crate::trace) and two that do not most likely differ:
//!
//! - `gen.visit` takes a constant that names the block and observed values, and returns a value that depends on all of them;
//! - `gen.choose` asks the outside which arc to take.

use cranelift_entity::{EntityRef, SecondaryMap};
use rvsdg_cfg::cfg::{Cfg, Value};
use rvsdg_cfg::shape::{ArcRef, Block, Shape};
use rvsdg_core::op::{Effects, ExtOp, MatchTable, MemAccess, Op};
use rvsdg_core::{Pool, Type};
use std::sync::Arc;

use crate::rng::Rng;

/// Name of the operation that observes values.
pub const VISIT: &str = "gen.visit";
/// Name of the operation that asks for the arc to take.
pub const CHOOSE: &str = "gen.choose";

/// How much a generated block observes.
#[derive(Copy, Clone, Debug)]
pub struct Fill {
    /// Greatest number of parameters of a join.
    pub params: usize,
    /// Greatest number of values from dominating blocks that a block observes. Zero keeps generation linear.
    pub dominating: usize,
}

impl Fill {
    /// Parameters and values from afar: for equivalence tests on small shapes.
    pub const RICH: Fill = Fill { params: 2, dominating: 3 };
    /// One parameter at each join and nothing from afar: for scaling.
    pub const LINEAR: Fill = Fill { params: 1, dominating: 0 };
}

/// Makes a control flow graph of the given shape. The function takes one `i32` and returns one.
pub fn fill(shape: &Shape, fill: Fill, rng: &mut Rng) -> Cfg {
    let pool = Arc::new(Pool::new());
    let mut cfg = Cfg::new(pool.clone());
    let argument = cfg.add_param(Type::I32);
    let mut blocks: SecondaryMap<Block, Block> = SecondaryMap::with_default(cfg.exit());
    for block in shape.blocks() {
        blocks[block] = match block {
            block if block == shape.entry => cfg.entry(),
            block if block == shape.exit => cfg.exit(),
            _ => cfg.add_block(),
        };
    }

    let order = shape.reverse_postorder();
    let predecessors = shape.predecessors();
    for &block in &order {
        let count = if block == shape.exit {
            1
        } else if predecessors.arcs(block).len() > 1 && fill.params > 0 {
            rng.below(fill.params + 1)
        } else {
            0
        };
        for _ in 0..count {
            cfg.add_block_param(blocks[block], Type::I32, None);
        }
    }

    let idoms = if fill.dominating > 0 { immediate_dominators(shape, &order) } else { SecondaryMap::new() };
    let mut visits: SecondaryMap<Block, Option<Value>> = SecondaryMap::new();
    for &block in order.iter().filter(|&&block| block != shape.exit) {
        let this = blocks[block];
        let name = pool.int_const(Type::I32, block.index() as u64);
        let mut operands = vec![cfg.add_const(name, &[])];
        operands.extend_from_slice(cfg.block_params(this));
        for _ in 0..fill.dominating {
            operands.push(dominating_value(&idoms, &visits, block, rng).unwrap_or(argument));
        }
        let effects = if rng.below(2) == 0 { Effects::IO } else { Effects::ALL };
        let visit = ext(&pool, VISIT, operands.len(), effects);
        let visit = cfg.add_inst(this, visit, &operands, &[Type::I32]);
        let value = cfg.results(visit)[0];
        visits[block] = Some(value);

        let arcs = shape.succs(block).len();
        if arcs > 1 {
            let choose = ext(&pool, CHOOSE, 0, Effects::IO);
            let choose = cfg.add_inst(this, choose, &[], &[Type::I32]);
            let choice = cfg.results(choose)[0];
            let table = pool.intern_table(MatchTable {
                cases: (0..arcs as u32 - 1).map(|arc| (pool.int_const(Type::I32, arc.into()), arc)).collect(),
                default: arcs as u32 - 1,
                alternatives: arcs as u32,
            });
            let predicate = cfg.add_detached(Op::Match(table), &[choice], &[]);
            cfg.terminator_mut(this).predicate = predicate.into();
        }
        for index in 0..arcs {
            let target = blocks[shape.target(ArcRef { from: block, index: index as u32 })];
            let args: Vec<Value> = (0..cfg.block_params(target).len())
                .map(|_| match rng.below(4) {
                    0 => cfg.add_const(pool.int_const(Type::I32, 1000 + rng.below(100) as u64), &[]),
                    1 if fill.dominating > 0 => dominating_value(&idoms, &visits, block, rng).unwrap_or(value),
                    2 if !cfg.block_params(this).is_empty() => cfg.block_params(this)[0],
                    _ => value,
                })
                .collect();
            cfg.add_arc(this, target, &args);
        }
    }
    cfg
}

fn ext(pool: &Pool, name: &str, inputs: usize, effects: Effects) -> Op {
    Op::Ext(pool.intern_ext(ExtOp {
        name: name.into(),
        inputs: vec![Type::I32; inputs].into(),
        outputs: [Type::I32].into(),
        effects,
        speculatable: false,
        commutative: false,
    }))
}

/// The result of the visit of a random strict dominator of `block`; `None` at the entry.
fn dominating_value(
    idoms: &SecondaryMap<Block, Option<Block>>,
    visits: &SecondaryMap<Block, Option<Value>>,
    block: Block,
    rng: &mut Rng,
) -> Option<Value> {
    let mut block = idoms[block]?;
    while let Some(above) = idoms[block] {
        if rng.below(2) == 0 {
            break;
        }
        block = above;
    }
    visits[block]
}

/// The immediate dominator of each reachable block (the algorithm of Cooper, Harvey and Kennedy).
fn immediate_dominators(shape: &Shape, order: &[Block]) -> SecondaryMap<Block, Option<Block>> {
    let mut position = SecondaryMap::with_default(usize::MAX);
    for (index, &block) in order.iter().enumerate() {
        position[block] = index;
    }
    let predecessors = shape.predecessors();
    let mut idoms = vec![usize::MAX; order.len()];
    idoms[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for index in 1..order.len() {
            let mut idom = usize::MAX;
            for arc in predecessors.arcs(order[index]) {
                let mut from = position[arc.from];
                if from == usize::MAX || idoms[from] == usize::MAX {
                    continue;
                }
                while idom != usize::MAX && idom != from {
                    if idom > from { idom = idoms[idom] } else { from = idoms[from] }
                }
                idom = from;
            }
            changed |= idoms[index] != idom;
            idoms[index] = idom;
        }
    }
    let mut map = SecondaryMap::new();
    for index in 1..order.len() {
        map[order[index]] = Some(order[idoms[index]]);
    }
    map
}

/// A function of one block with `size` instructions, each of which uses the one before.
pub fn straight_line(size: usize) -> Cfg {
    let pool = Arc::new(Pool::new());
    let mut cfg = Cfg::new(pool.clone());
    let mut value = cfg.add_param(Type::I32);
    cfg.add_block_param(cfg.exit(), Type::I32, None);
    for index in 0..size {
        let effects = if index % 4 == 0 { Effects::ALL } else { Effects::NONE };
        let visit = ext(&pool, VISIT, 1, effects);
        let visit = cfg.add_inst(cfg.entry(), visit, &[value], &[Type::I32]);
        value = cfg.results(visit)[0];
    }
    cfg.add_arc(cfg.entry(), cfg.exit(), &[value]);
    cfg
}

/// A function with `count` objects on its stack. An operation that may fail uses each of them; then the object is visited once more, as a
/// cleanup does, and the function is left.
pub fn cleanups(count: usize) -> Cfg {
    objects(count, false)
}

/// Like [`cleanups`], but every object lives to the end of the function: a failure visits all live objects, the last one first.
pub fn lasting_objects(count: usize) -> Cfg {
    objects(count, true)
}

fn objects(count: usize, last: bool) -> Cfg {
    let pool = Arc::new(Pool::new());
    let mut cfg = Cfg::new(pool.clone());
    let size = cfg.add_const(pool.int_const(Type::I32, 1), &[]);
    let alloca = Op::Alloca { ty: Type::I32, align_log2: 2, in_alloca: false, swift_error: false };
    let objects: Vec<Value> = (0..count)
        .map(|_| {
            let object = cfg.add_inst(cfg.entry(), alloca, &[size], &[Type::PTR]);
            cfg.results(object)[0]
        })
        .collect();
    let visit = |effects: Effects| {
        Op::Ext(pool.intern_ext(ExtOp {
            name: VISIT.into(),
            inputs: [Type::PTR].into(),
            outputs: [Type::I32].into(),
            effects,
            speculatable: false,
            commutative: false,
        }))
    };
    let table = pool.intern_table(MatchTable {
        cases: [(pool.int_const(Type::I32, 0), 0)].into(),
        default: 1,
        alternatives: 2,
    });
    let left = cfg.add_block();
    cfg.add_arc(left, cfg.exit(), &[]);
    let (mut at, mut rest) = (cfg.entry(), left);
    for object in objects {
        cfg.add_inst(at, Op::Store(MemAccess::plain(2)), &[size, object], &[]);
        let visited = cfg.add_inst(at, visit(Effects::ALL), &[object], &[Type::I32]);
        let fails = cfg.results(visited)[0];
        let predicate = cfg.add_detached(Op::Match(table), &[fails], &[]);
        cfg.terminator_mut(at).predicate = predicate.into();
        let [next, cleanup] = [(); 2].map(|()| cfg.add_block());
        cfg.add_arc(at, next, &[]);
        cfg.add_arc(at, cleanup, &[]);
        let destroys = if last { cfg.add_block() } else { cleanup };
        if last {
            cfg.add_arc(cleanup, destroys, &[]);
        }
        cfg.add_inst(destroys, visit(Effects::ALL), &[object], &[Type::I32]);
        cfg.add_arc(destroys, rest, &[]);
        if last {
            rest = destroys;
        }
        at = next;
    }
    cfg.add_arc(at, cfg.exit(), &[]);
    cfg
}
