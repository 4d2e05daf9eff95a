//! The graph as a [`Cfg`]: blocks in the order of execution, values, branches.

use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::PackedOption;
use rustc_hash::FxHashMap;
use rvsdg_core::op::MatchTable;
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Type};

use super::branch::canonicalize_branch;
use super::labels;
use super::layout::Layout;
use super::names::{Name, Names, phi_source};
use super::repair::repair;
use super::skeleton::{ENTRY, EXIT, Term, materialized};
use super::ssa::Ssa;
use super::unwind;
use crate::cfg::{Cfg, Inst, Value};
use crate::shape::Block;

/// Writes the recovered graph.
pub(super) fn emit(graph: &Graph, names: &Names, ssa: Ssa<'_>, layout: &Layout, contexts: usize) -> Cfg {
    let mut emitter = Emitter {
        graph,
        names,
        cfg: Cfg::new(graph.pool().clone()),
        values: vec![None.into(); graph.origin_bound()],
        phis: vec![None.into(); ssa.phis.len()],
        constants: FxHashMap::default(),
        blocks: vec![None.into(); ssa.skeleton.blocks.len()],
        splits: FxHashMap::default(),
        ssa,
        operands: vec![],
        results: vec![],
    };
    emitter.arguments(contexts);
    emitter.add_blocks(layout);
    for chain in layout.chains() {
        emitter.fill_block(layout, chain);
    }
    emitter.describe();
    let mut cfg = emitter.cfg;
    let parted = labels::assign(&mut cfg);
    unwind::separate(&mut cfg);
    repair(&mut cfg, parted);
    cfg
}

pub(super) struct Emitter<'a> {
    pub(super) graph: &'a Graph,
    pub(super) names: &'a Names,
    pub(super) ssa: Ssa<'a>,
    pub(super) cfg: Cfg,
    /// By origin.
    pub(super) values: Vec<PackedOption<Value>>,
    /// By φ.
    pub(super) phis: Vec<PackedOption<Value>>,
    /// Constants without an origin: poison and materialised predicates.
    constants: FxHashMap<(Type, Name), Value>,
    /// By block of the skeleton.
    blocks: Vec<PackedOption<Block>>,
    /// Blocks inserted on one of several arcs between two blocks, by arc.
    splits: FxHashMap<u32, Block>,
    operands: Vec<Value>,
    results: Vec<Type>,
}

impl Emitter<'_> {
    fn arguments(&mut self, contexts: usize) {
        let arguments = self.graph.arguments(self.graph.root());
        for (index, &argument) in arguments.iter().enumerate() {
            let ty = self.graph.ty(argument);
            if !ty.is_state() {
                let value = if index < contexts { self.cfg.add_context(ty) } else { self.cfg.add_param(ty) };
                self.values[argument.index()] = value.into();
            }
        }
    }

    fn add_blocks(&mut self, layout: &Layout) {
        for chain in layout.chains() {
            let head = chain[0];
            let block = if head == ENTRY { self.cfg.entry() } else { self.cfg.add_block() };
            self.blocks[head as usize] = block.into();
            for &phi in layout.phis(head) {
                let variable = self.ssa.phis[phi as usize].variable;
                let source = match self.ssa.skeleton.extra_index(variable) {
                    Some(_) => None,
                    None => phi_source(self.graph, origin(variable)),
                };
                let param = self.cfg.add_block_param(block, self.ty(variable), source);
                self.phis[phi as usize] = param.into();
            }
            let last = chain[chain.len() - 1];
            for arc in self.ssa.skeleton.arc_numbers(last).filter(|&arc| layout.is_split(arc)) {
                let block = self.cfg.add_block();
                self.splits.insert(arc, block);
            }
        }
        let exit = self.cfg.exit();
        self.blocks[EXIT as usize] = exit.into();
        for index in 0..self.ssa.skeleton.results {
            let param = self.cfg.add_block_param(exit, self.ssa.skeleton.extra[index], None);
            if let Some(&phi) = layout.phis(EXIT).get(index) {
                self.phis[phi as usize] = param.into();
            }
        }
    }

    /// The type of a variable.
    fn ty(&self, variable: Name) -> Type {
        if let Some(index) = self.ssa.skeleton.extra_index(variable) {
            return self.ssa.skeleton.extra[index];
        }
        let ty = self.graph.ty(origin(variable));
        self.graph.pool().ctl_alternatives(ty).map_or(ty, materialized)
    }

    fn fill_block(&mut self, layout: &Layout, chain: &[u32]) {
        let block = self.block(chain[0]);
        for &part in chain {
            let skeleton = self.ssa.skeleton;
            for &node in skeleton.insts(part) {
                self.inst(part, block, node);
            }
        }
        self.terminator(layout, chain[chain.len() - 1], block);
    }

    fn block(&self, number: u32) -> Block {
        self.blocks[number as usize].expect("arcs lead to the first blocks of chains")
    }

    fn inst(&mut self, part: u32, block: Block, node: Node) {
        let graph = self.graph;
        let op = graph.op(node).expect("structural nodes are no instructions");
        let io = self.read_operands(part, node);
        self.results.clear();
        self.results.extend(graph.outputs(node).iter().map(|&output| graph.ty(output)).filter(|ty| !ty.is_state()));
        let inst = self.cfg.add_inst(block, op, &self.operands, &self.results);
        self.cfg.set_source(inst, graph.source(node));
        self.cfg.set_motion(inst, graph.motion(node));
        if io && op.may_carry_io() {
            self.cfg.set_guarded(inst);
        }
        let outputs = graph.outputs(node).iter().filter(|&&output| !graph.ty(output).is_state());
        for (&output, &value) in outputs.zip(self.cfg.results(inst)) {
            self.values[output.index()] = value.into();
        }
    }

    /// Puts the values that a node takes into `operands`; returns whether it takes an io state.
    fn read_operands(&mut self, part: u32, node: Node) -> bool {
        let graph = self.graph;
        self.operands.clear();
        let mut io = false;
        for origin in graph.input_origins(node) {
            let ty = graph.ty(origin);
            if ty.is_state() {
                io |= ty == Type::IO;
                continue;
            }
            let value = self.read(part, self.names.get(origin), ty);
            self.operands.push(value);
        }
        io
    }

    fn terminator(&mut self, layout: &Layout, last: u32, block: Block) {
        let arcs = self.ssa.skeleton.arc_numbers(last);
        let term = self.ssa.skeleton.blocks[last as usize].term;
        if layout.is_single(last) {
            if let Some(arc) = arcs.into_iter().next() {
                self.cfg.terminator_mut(block).source = self.ssa.flow.arc(arc).source;
                self.arc(layout, block, arc);
            }
            return;
        }
        let (predicate, source) = match term {
            Term::Match(node) => (self.predicate(last, node), self.graph.source(node)),
            Term::Ctl(name) => (self.materialized_branch(last, name, arcs.len() as u32), None),
            Term::Jump => unreachable!("a jump has one arc"),
        };
        let terminator = self.cfg.terminator_mut(block);
        terminator.predicate = predicate.into();
        terminator.source = source.into();
        for arc in arcs {
            if layout.is_split(arc) {
                let split = self.splits[&arc];
                self.cfg.add_arc(block, split, &[]);
                self.cfg.terminator_mut(split).source = self.ssa.flow.arc(arc).source;
                self.arc(layout, split, arc);
            } else if let Some(&split) = self.splits.get(&layout.like(arc)) {
                self.cfg.add_arc(block, split, &[]);
            } else {
                self.arc(layout, block, arc);
            }
        }
        canonicalize_branch(&mut self.cfg, block);
    }

    /// The instruction that decides about the arcs of a block, without its predicate among the results.
    fn predicate(&mut self, part: u32, node: Node) -> Inst {
        let graph = self.graph;
        self.read_operands(part, node);
        let is_value = |&&output: &&Origin| {
            let ty = graph.ty(output);
            !ty.is_state() && graph.pool().ctl_alternatives(ty).is_none()
        };
        self.results.clear();
        self.results.extend(graph.outputs(node).iter().filter(is_value).map(|&output| graph.ty(output)));
        let op = graph.op(node).expect("what decides is a simple node");
        let inst = self.cfg.add_detached(op, &self.operands, &self.results);
        self.cfg.set_source(inst, graph.source(node));
        for (&output, &value) in graph.outputs(node).iter().filter(is_value).zip(self.cfg.results(inst)) {
            self.values[output.index()] = value.into();
        }
        inst
    }

    /// A branch on a predicate that is kept in an integer.
    fn materialized_branch(&mut self, last: u32, predicate: Name, alternatives: u32) -> Inst {
        let ty = materialized(alternatives);
        let operand = self.read(last, predicate, ty);
        let pool = self.graph.pool();
        let cases = (1..alternatives).map(|case| (pool.int_const(ty, case.into()), case)).collect();
        let table = pool.intern_table(MatchTable { cases, default: 0, alternatives });
        self.cfg.add_detached(Op::Match(table), &[operand], &[])
    }

    fn arc(&mut self, layout: &Layout, from: Block, arc: u32) {
        let target = layout.target(&self.ssa, arc);
        let mut args = std::mem::take(&mut self.operands);
        args.clear();
        for &phi in layout.phis(target) {
            let ty = self.ty(self.ssa.phis[phi as usize].variable);
            let name = layout.argument(&self.ssa, arc, phi);
            args.push(self.value(name, ty));
        }
        let header = &self.ssa.skeleton.blocks[target as usize];
        let (is_header, body) = (header.header, header.region);
        let target = self.block(target);
        self.cfg.add_arc(from, target, &args);
        self.operands = args;
        // Blocks are in the order of execution, so that a loop is repeated from its first block or a later one.
        if is_header && target <= from {
            let theta = self.graph.parent(body).expect("the body of a loop has one");
            self.cfg.terminator_mut(from).hints = self.graph.loop_hints(theta);
        }
    }

    fn read(&mut self, part: u32, name: Name, ty: Type) -> Value {
        let name = self.ssa.read(part, name);
        self.value(self.ssa.resolve(name), ty)
    }

    /// The value of a name that is not a variable; `ty` is the type of a predicate or poison.
    fn value(&mut self, name: Name, ty: Type) -> Value {
        if let Some(phi) = name.as_phi() {
            return self.phis[phi].expect("a φ that is used is a parameter");
        }
        if let Some(index) = name.as_number() {
            return match self.values[index].expand() {
                Some(value) => value,
                None => self.constant(Origin::new(index)),
            };
        }
        if let Some(&value) = self.constants.get(&(ty, name)) {
            return value;
        }
        let pool = self.graph.pool();
        let constant = match name.as_ctl() {
            Some(alternative) => pool.int_const(ty, alternative.into()),
            None => pool.poison(ty),
        };
        let value = self.cfg.add_const(constant, &[]);
        self.constants.insert((ty, name), value);
        value
    }

    /// The value of a constant at its first use.
    pub(super) fn constant(&mut self, origin: Origin) -> Value {
        let OriginDef::Output(node, _) = self.graph.def(origin) else {
            unreachable!("the arguments of a function have values, those of regions other names")
        };
        let Some(Op::Const(constant)) = self.graph.op(node) else {
            unreachable!("{node} is executed before its outputs are used")
        };
        let holes: Vec<Value> =
            self.graph.input_origins(node).map(|hole| self.value(self.names.get(hole), self.graph.ty(hole))).collect();
        let value = self.cfg.add_const(constant, &holes);
        if let crate::cfg::ValueDef::Result(inst, _) = self.cfg.def(value) {
            self.cfg.set_source(inst, self.graph.source(node));
        }
        self.values[origin.index()] = value.into();
        value
    }
}

fn origin(variable: Name) -> Origin {
    Origin::new(variable.as_number().expect("variables have numbers"))
}
