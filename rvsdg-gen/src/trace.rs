//! What a generated function does, seen from outside: the events of its `gen` operations and what it returns.
//!
//! The evaluators know only what [`crate::cfgs`] generates; they exist so that construction and recovery can be compared
//! without a full interpreter.

use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::{Cfg, Inst, Value};
use rvsdg_cfg::shape::{ArcRef, Block};
use rvsdg_core::constant::Words;
use rvsdg_core::op::{IntPredicate, Op};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Const, Constant, Graph, NodeKind, Origin, Pool, Region};

use crate::cfgs::{CHOOSE, VISIT};
use crate::rng::Rng;

/// One observable event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// `gen.visit` with the values it observed.
    Visit(Vec<Datum>),
    /// `gen.choose` with the answer.
    Choose(u32),
    /// The function returned.
    Return(Vec<Datum>),
    /// The run was cut off.
    OutOfFuel,
}

/// A value at run time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Datum {
    /// A number.
    Number(u32),
    /// Poison.
    Poison,
    /// A predicate.
    Ctl(u32),
    /// A state.
    State,
}

/// The outside: answers `gen.choose` from a seed and records events, up to a number of them.
struct World {
    rng: Rng,
    fuel: usize,
    events: Vec<Event>,
}

impl World {
    fn execute(&mut self, name: &str, operands: Vec<Datum>) -> Option<Datum> {
        if self.fuel == 0 {
            self.events.push(Event::OutOfFuel);
            return None;
        }
        self.fuel -= 1;
        match name {
            VISIT => {
                let hash = operands.iter().fold(17u32, |hash, datum| {
                    let Datum::Number(number) = *datum else { return hash };
                    (hash ^ number).wrapping_mul(0x0100_0193).rotate_left(5)
                });
                self.events.push(Event::Visit(operands));
                Some(Datum::Number(hash))
            }
            CHOOSE => {
                let answer = self.rng.below(4) as u32;
                self.events.push(Event::Choose(answer));
                Some(Datum::Number(answer))
            }
            other => panic!("generated graphs have no operation {other}"),
        }
    }
}

/// Runs a control flow graph with argument 7: the events of at most `fuel` operations, choices drawn from `seed`.
pub fn trace_cfg(cfg: &Cfg, seed: u64, fuel: usize) -> Vec<Event> {
    trace_path(cfg, seed, fuel).0
}

/// Like [`trace_cfg`], with the executed blocks in order; the exit is the last where the function returned.
pub fn trace_path(cfg: &Cfg, seed: u64, fuel: usize) -> (Vec<Event>, Vec<Block>) {
    let mut path = vec![cfg.entry()];
    let mut run = CfgRun { cfg, values: FxHashMap::default() };
    let mut world = World { rng: Rng::new(seed), fuel, events: Vec::new() };
    for &param in cfg.params() {
        run.values.insert(param, Datum::Number(7));
    }
    let mut block = cfg.entry();
    let mut silent = 0;
    while block != cfg.exit() {
        silent += 1;
        let before = world.events.len();
        let Some(next) = run.block(block, &mut world) else { return (world.events, path) };
        if world.events.len() > before {
            silent = 0;
        } else if silent > cfg.block_count() {
            world.events.push(Event::OutOfFuel);
            return (world.events, path);
        }
        path.push(next);
        block = next;
    }
    let returned = cfg.block_params(block).iter().map(|&param| run.get(param)).collect();
    world.events.push(Event::Return(returned));
    (world.events, path)
}

struct CfgRun<'a> {
    cfg: &'a Cfg,
    values: FxHashMap<Value, Datum>,
}

impl CfgRun<'_> {
    fn block(&mut self, block: Block, world: &mut World) -> Option<Block> {
        for &inst in self.cfg.insts(block) {
            let operands: Vec<Datum> = self.cfg.operands(inst).iter().map(|&value| self.get(value)).collect();
            let result = match self.cfg.op(inst) {
                Op::Ext(ext) => world.execute(&self.cfg.pool().ext(ext).name, operands)?,
                op => predicate_value(op, &operands),
            };
            self.values.insert(self.cfg.results(inst)[0], result);
        }
        let terminator = self.cfg.terminator(block);
        let index = match terminator.predicate.expand() {
            None => 0,
            Some(predicate) => self.choose(predicate),
        };
        let arc = ArcRef { from: block, index };
        let target = self.cfg.arc(arc).target;
        let args: Vec<Datum> = self.cfg.arc_args(arc).iter().map(|&value| self.get(value)).collect();
        for (&param, arg) in self.cfg.block_params(target).iter().zip(args) {
            self.values.insert(param, arg);
        }
        Some(target)
    }

    fn choose(&self, predicate: Inst) -> u32 {
        let operand = self.get(self.cfg.operands(predicate)[0]);
        matched(self.cfg.pool(), self.cfg.op(predicate), operand)
    }

    fn get(&self, value: Value) -> Datum {
        match self.cfg.as_const(value) {
            Some((constant, _)) => constant_datum(self.cfg.pool(), constant),
            None => *self.values.get(&value).unwrap_or_else(|| panic!("{value} is used before it is defined")),
        }
    }
}

/// What predicates become that are kept as values.
fn predicate_value(op: Op, operands: &[Datum]) -> Datum {
    match (op, operands) {
        (Op::ICmp { predicate: IntPredicate::Eq, .. }, [a, b]) => Datum::Number((a == b).into()),
        (Op::ICmp { predicate: IntPredicate::Ne, .. }, [a, b]) => Datum::Number((a != b).into()),
        (Op::ICmp { predicate: IntPredicate::Uge, .. }, [Datum::Number(a), Datum::Number(b)]) => {
            Datum::Number((a >= b).into())
        }
        (Op::Select(_), &[Datum::Number(condition), then, otherwise]) => {
            if condition != 0 {
                then
            } else {
                otherwise
            }
        }
        other => panic!("generated graphs have no operation {other:?}"),
    }
}

fn constant_datum(pool: &Pool, constant: Const) -> Datum {
    match pool.constant(constant) {
        Constant::Int { words: Words::Small(word), .. } => Datum::Number(*word as u32),
        Constant::Poison(_) => Datum::Poison,
        other => panic!("generated graphs have no constant {other:?}"),
    }
}

fn matched(pool: &Pool, op: Op, operand: Datum) -> u32 {
    let Op::Match(table) = op else { panic!("generated graphs have no predicate {op:?}") };
    let Datum::Number(number) = operand else { panic!("a match on {operand:?} is undefined") };
    let table = pool.table(table);
    let case = table.cases.iter().find(|(case, _)| constant_datum(pool, *case) == Datum::Number(number));
    case.map_or(table.default, |&(_, alternative)| alternative)
}

/// Runs a graph with argument 7, as [`trace_cfg`] does. Recursive in nesting: for small graphs.
pub fn trace_graph(graph: &Graph, seed: u64, fuel: usize) -> Vec<Event> {
    let mut run = GraphRun {
        graph,
        values: FxHashMap::default(),
        world: World { rng: Rng::new(seed), fuel, events: Vec::new() },
    };
    for &argument in graph.arguments(graph.root()) {
        let datum = if graph.ty(argument).is_state() { Datum::State } else { Datum::Number(7) };
        run.values.insert(argument, datum);
    }
    if run.region(graph.root()).is_some() {
        let returned =
            graph.result_origins(graph.root()).map(|origin| run.values[&origin]).filter(|datum| *datum != Datum::State);
        let returned = Event::Return(returned.collect());
        run.world.events.push(returned);
    }
    run.world.events
}

struct GraphRun<'a> {
    graph: &'a Graph,
    values: FxHashMap<Origin, Datum>,
    world: World,
}

impl GraphRun<'_> {
    /// Evaluates the nodes of a region whose arguments have values; `None` when the run was cut off.
    fn region(&mut self, region: Region) -> Option<()> {
        let graph = self.graph;
        for node in graph.topological(region) {
            let inputs: Vec<Datum> = graph.input_origins(node).map(|origin| self.values[&origin]).collect();
            match graph.kind(node) {
                NodeKind::Simple(op) => {
                    let values = inputs.iter().copied().filter(|datum| *datum != Datum::State).collect();
                    let result = self.simple(op, values)?;
                    for &output in graph.outputs(node) {
                        let datum = if graph.ty(output).is_state() { Datum::State } else { result };
                        self.values.insert(output, datum);
                    }
                }
                NodeKind::Gamma => {
                    let gamma = Gamma::new(graph, node).expect("the kind was checked");
                    let Datum::Ctl(alternative) = inputs[0] else { panic!("{:?} is no predicate", inputs[0]) };
                    let chosen = gamma.regions(graph)[alternative as usize];
                    self.assign(graph.arguments(chosen), &inputs[1..]);
                    self.region(chosen)?;
                    let results: Vec<Datum> = graph.result_origins(chosen).map(|origin| self.values[&origin]).collect();
                    self.assign(graph.outputs(node), &results);
                }
                NodeKind::Theta => {
                    let theta = Theta::new(graph, node).expect("the kind was checked");
                    let body = theta.body(graph);
                    let mut current = inputs;
                    loop {
                        self.assign(graph.arguments(body), &current);
                        let before = self.world.events.len();
                        self.region(body)?;
                        let results: Vec<Datum> =
                            graph.result_origins(body).map(|origin| self.values[&origin]).collect();
                        let unchanged = current == results[1..];
                        current = results[1..].to_vec();
                        match results[0] {
                            Datum::Ctl(0) => break,
                            Datum::Ctl(1) if unchanged && self.world.events.len() == before => {
                                self.world.events.push(Event::OutOfFuel);
                                return None;
                            }
                            Datum::Ctl(1) => {}
                            other => panic!("{other:?} is no loop predicate"),
                        }
                    }
                    self.assign(graph.outputs(node), &current);
                }
                other => panic!("a body has no {other:?}"),
            }
        }
        Some(())
    }

    fn assign(&mut self, origins: &[Origin], data: &[Datum]) {
        self.values.extend(origins.iter().copied().zip(data.iter().copied()));
    }

    fn simple(&mut self, op: Op, operands: Vec<Datum>) -> Option<Datum> {
        let pool = self.graph.pool();
        Some(match op {
            Op::Const(constant) => constant_datum(pool, constant),
            Op::CtlConst { value, .. } => Datum::Ctl(value),
            Op::Match(_) => Datum::Ctl(matched(pool, op, operands[0])),
            Op::Ext(ext) => self.world.execute(&pool.ext(ext).name, operands)?,
            op => predicate_value(op, &operands),
        })
    }
}
