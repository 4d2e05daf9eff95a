//! Blocks become simple nodes; arcs assign variables.

use rvsdg_core::op::{MatchTable, Op};
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Node, Origin, SourceId, Type};
use smallvec::SmallVec;

use super::Builder;
use super::variables::Var;
use crate::cfg::Inst;
use crate::restructure::tree::Assigns;
use crate::shape::{ArcRef, Block};

impl Builder<'_> {
    /// Translates a block: reads its parameters and executes its instructions, and its predicate if that ends a loop or
    /// is a branch that does not choose.
    pub(super) fn block(&mut self, block: Block) {
        let level = self.levels.last_mut().expect("a block is in a region");
        level.barrier = self.clock;
        self.loop_of[block] = level.loop_level;
        for (var, &param) in self.params_of(block).zip(self.cfg.block_params(block)) {
            let origin = self.consume(var);
            self.define(param, origin);
        }
        for &inst in self.cfg.insts(block) {
            self.instruction(inst, None);
        }
        if let Some(repeat) = self.decides(block) {
            let predicate = self.loop_predicate(block, repeat);
            self.set_decision(predicate);
        } else if let terminator = self.cfg.terminator(block)
            && let ([_], Some(inst)) = (&terminator.arcs[..], terminator.predicate.expand())
            && self.cfg.op(inst).is_branch()
        {
            self.terminator_predicate(block);
        }
    }

    /// Adds the node of an instruction. A predicate has `ctl` after its results.
    fn instruction(&mut self, inst: Inst, ctl: Option<Type>) -> Node {
        let effects = self.cfg.effects(inst);
        let mut inputs: SmallVec<[Origin; 8]> = SmallVec::new();
        for &operand in self.cfg.operands(inst) {
            inputs.push(self.value(operand));
        }
        if effects.mem {
            inputs.push(self.read(Var::MEM));
        }
        if effects.io {
            inputs.push(self.read(Var::IO));
        }
        let results = self.cfg.results(inst);
        let mut outputs: SmallVec<[Type; 4]> = results.iter().map(|&result| self.cfg.ty(result)).collect();
        outputs.extend(ctl);
        let values = outputs.len();
        outputs.extend(effects.types());
        let node = self.graph.add_simple(self.region, self.cfg.op(inst), &inputs, &outputs);
        self.graph.set_source(node, self.cfg.source(inst));
        for (index, &result) in results.iter().enumerate() {
            let origin = self.graph.output(node, index);
            self.define(result, origin);
        }
        if effects.mem {
            let origin = self.graph.output(node, values);
            self.assign(Var::MEM, origin);
        }
        if effects.io {
            let origin = self.graph.output(node, values + usize::from(effects.mem));
            self.assign(Var::IO, origin);
        }
        node
    }

    /// Adds the node that chooses among the arcs of a block and returns its predicate.
    pub(super) fn terminator_predicate(&mut self, block: Block) -> Origin {
        let terminator = self.cfg.terminator(block);
        let inst = terminator.predicate.expect("a block with several arcs has a predicate");
        let ctl = self.cfg.pool().ctl(terminator.arcs.len() as u32);
        let node = self.instruction(inst, Some(ctl));
        self.graph.set_source(node, terminator.source.expand().or(self.cfg.source(inst)));
        self.graph.output(node, self.cfg.results(inst).len())
    }

    /// Adds the node that chooses among the two arcs of a block and returns a predicate that is 1 for alternative `repeat`.
    fn loop_predicate(&mut self, block: Block, repeat: u32) -> Origin {
        let predicate = self.terminator_predicate(block);
        if repeat == 1 {
            return predicate;
        }
        let node = self.graph.producer(predicate).expect("the predicate is an output");
        if let Some(Op::Match(table)) = self.graph.op(node) {
            let pool = self.cfg.pool();
            let MatchTable { cases, default, alternatives } = pool.table(table);
            let cases = cases.iter().map(|&(case, alternative)| (case, 1 - alternative)).collect();
            let table = pool.intern_table(MatchTable { cases, default: 1 - default, alternatives: *alternatives });
            self.graph.set_op(node, Op::Match(table));
            return predicate;
        }
        let gamma = Gamma::add(&mut self.graph, self.region, predicate, 2);
        let results = [1, 0].map(|value| {
            let region = gamma.regions(&self.graph)[1 - value as usize];
            let node = self.graph.add_simple(region, Op::CtlConst { value, of: 2 }, &[], &[Type::CTL2]);
            self.graph.output(node, 0)
        });
        gamma.add_exit_var(&mut self.graph, &results).output
    }

    /// Control passes along an arc.
    pub(super) fn arc(&mut self, arc: ArcRef, assigns: &Assigns) {
        let terminator = self.cfg.terminator(arc.from);
        let target = terminator.arcs[arc.index as usize].target;
        for (var, &argument) in self.params_of(target).zip(self.cfg.arc_args(arc)) {
            let origin = self.value(argument);
            self.assign(var, origin);
        }
        let source = if terminator.arcs.len() == 1 { terminator.source.expand() } else { None };
        self.assign_auxes(assigns, source);
        self.note_repetition(arc);
    }

    /// Sets auxiliary predicates; `source` is the jump that does.
    pub(super) fn assign_auxes(&mut self, assigns: &Assigns, source: Option<SourceId>) {
        for &(aux, value) in assigns {
            let origin = self.ctl_const(value, self.tree.auxes[aux], source);
            self.assign(Var::aux(aux), origin);
        }
    }
}
