//! The ends of blocks: branches, calls that choose a destination, and entering and leaving funclets.

use cranelift_entity::packed_option::PackedOption;
use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::{Inst, Value};
use rvsdg_cfg::shape::Block;
use rvsdg_core::hints::LoopHints;
use rvsdg_core::op::{CallExits, Funclet, MatchTable, MatchTableId, Op};
use rvsdg_core::{SourceId, Type, TypeKind};
use smallvec::SmallVec;

use super::body::{BodyReader, Edge, Flow, Pad};
use super::{Known, calls};
use crate::opcode::Opcode;
use crate::stream::Record;

/// The blocks that a `catchswitch`, `catchret` or `cleanupret` leads to: handlers first, then where it unwinds to.
pub(super) fn funclet_successors<'a>(record: &Record<'a>) -> &'a [u32] {
    let flags = usize::from(record.opcode == Opcode::CatchSwitch);
    &record.extra[flags..]
}

impl BodyReader<'_> {
    #[expect(clippy::too_many_arguments)]
    pub(super) fn terminator(
        &mut self,
        block: Block,
        old: u32,
        record: &Record<'_>,
        id: SourceId,
        flow: &Flow,
        blocks: &[PackedOption<Block>],
        args: &[Value],
        result: Option<Type>,
    ) -> Result<(), &'static str> {
        let edges = flow.edges_of(old);
        let mut source = Some(id);
        match record.opcode {
            Opcode::Ret => {
                let mut values: SmallVec<[Value; 1]> = SmallVec::new();
                for operand in record.operands() {
                    values.push(self.operand(operand)?.ok_or("use of a value that is never defined")?);
                }
                self.cfg.add_arc(block, self.cfg.exit(), &values);
            }
            Opcode::Unreachable | Opcode::Resume | Opcode::CleanupRet if edges.is_empty() => {
                if let Some(ty) = result
                    && self.poison.is_none()
                {
                    let poison = self.tables.pool.poison(ty);
                    self.poison = Some(self.cfg.add_const(poison, &[]));
                }
                self.cfg.add_arc(block, self.cfg.exit(), self.poison.as_slice());
            }
            // They are known by their predicates; a jump is not what they are.
            Opcode::Invoke | Opcode::CallBr | Opcode::CatchSwitch | Opcode::CatchRet | Opcode::CleanupRet => {
                source = source.filter(|_| edges.len() > 1);
            }
            Opcode::IndirectBr if edges.len() > 1 => {
                let address = self.operand(record.operand(0))?.ok_or("use of a value that is never defined")?;
                let labels: SmallVec<[u32; 8]> = edges.iter().map(|edge| edge.to).collect();
                let op = Op::IndirectBr(self.tables.pool.intern_indices(&labels));
                let predicate = self.cfg.add_detached(op, &[address], &[]);
                self.cfg.set_source(predicate, Some(id));
                self.cfg.terminator_mut(block).predicate = predicate.into();
                for &label in &labels {
                    let target = blocks[label as usize].expect("a successor of a reachable block is reachable");
                    self.cfg.labels.push((label, target));
                }
            }
            Opcode::Br | Opcode::Switch if edges.len() > 1 => {
                let table = if record.opcode == Opcode::Br { self.two_way() } else { self.switch(record, edges)? };
                let condition = self.operand(record.operand(0))?.ok_or("use of a value that is never defined")?;
                let predicate = self.cfg.add_detached(Op::Match(table), &[condition], &[]);
                self.cfg.set_source(predicate, Some(id));
                self.cfg.terminator_mut(block).predicate = predicate.into();
            }
            // All successors are one block: the condition does not matter, and the original cannot be reused without it.
            Opcode::Switch | Opcode::IndirectBr => source = None,
            Opcode::Br if record.extra.len() > 1 => source = None,
            // A jump is reused.
            Opcode::Br => {}
            _ => return Err("terminator of unknown kind"),
        }
        for edge in edges {
            let target = blocks[edge.to as usize].expect("a successor of a reachable block is reachable");
            let pad = flow.pads.get(&edge.to).filter(|pad| pad.invokes > 1);
            let count = self.cfg.block_params(target).len() - usize::from(pad.is_some());
            let mut args: SmallVec<[Value; 8]> = args[edge.args as usize..][..count].into();
            if pad.is_some() {
                args.extend(self.cfg.invoke(block).map(|invoke| invoke.pad));
            }
            self.cfg.add_arc(block, target, &args);
        }
        let terminator = self.cfg.terminator_mut(block);
        terminator.source = source.into();
        terminator.progress = record.progress;
        terminator.hints = LoopHints { source: Some(id), ..record.hints };
        Ok(())
    }

    /// The table of `br i1`: true is alternative 0.
    fn two_way(&mut self) -> MatchTableId {
        *self.two_way.get_or_insert_with(|| {
            let pool = &self.tables.pool;
            let cases = [(pool.int_const(Type::I1, 1), 0)].into();
            pool.intern_table(MatchTable { cases, default: 1, alternatives: 2 })
        })
    }

    /// The table of a switch: an alternative is a distinct successor, in order of first mention, the default first.
    fn switch(&mut self, record: &Record<'_>, edges: &[Edge]) -> Result<MatchTableId, &'static str> {
        let mut alternatives = FxHashMap::default();
        for (alternative, edge) in edges.iter().enumerate() {
            alternatives.insert(edge.to, alternative as u32);
        }
        let mut cases = Vec::with_capacity(record.extra.len() / 2);
        for case in record.extra[1..].chunks_exact(2) {
            let Known::Plain(value) = *self.tables.constant(case[0]) else { return Err("switch case of unknown kind") };
            cases.push((value, alternatives[&case[1]]));
        }
        let alternatives = edges.len() as u32;
        Ok(self.tables.pool.intern_table(MatchTable { cases: cases.into(), default: 0, alternatives }))
    }

    /// An invoke or callbr, as the predicate of its block.
    pub(super) fn branching_call(
        &mut self,
        block: Block,
        record: &Record<'_>,
        id: SourceId,
        local: usize,
        edges: &[Edge],
        pads: &FxHashMap<u32, Pad<'_>>,
    ) -> Result<Inst, &'static str> {
        let successors = calls::successors(record);
        let invoke = record.opcode == Opcode::Invoke;
        let pad = if invoke { pads.get(&successors[1]) } else { None };
        let exits = match pad {
            Some(pad) => CallExits::Unwind(calls::landing_pad(&pad.record)),
            None if invoke => CallExits::UnwindToFunclet,
            None => {
                let alternative = |&to: &u32| edges.iter().position(|edge| edge.to == to).map(|found| found as u32);
                CallExits::Labels(successors.iter().filter_map(alternative).collect())
            }
        };
        let site = self.tables.call(record, exits)?;
        let mut operands = Vec::new();
        let mut late: SmallVec<[(u32, u32); 2]> = SmallVec::new();
        self.call_operands(block, record, &site, &mut operands, &mut late)?;
        let mut results: SmallVec<[Type; 2]> = SmallVec::new();
        if self.tables.ty(record.ty) != Type::VOID {
            results.push(self.tables.ty(record.ty));
        }
        let returns = !results.is_empty();
        let op = match pad {
            Some(pad) => {
                for operand in pad.record.operands() {
                    self.push_operand(block, operand, &mut operands, &mut late)?;
                }
                results.push(self.tables.ty(pad.record.ty));
                Op::Invoke(site.call)
            }
            None if invoke => Op::Invoke(site.call),
            None => Op::CallBr(site.call),
        };
        if results.iter().any(|&ty| *self.tables.pool.type_kind(ty) == TypeKind::Token) {
            return Err("token of an invoke");
        }
        let inst = self.cfg.add_detached(op, &operands, &results);
        self.cfg.set_source(inst, Some(id));
        if returns {
            self.locals[local] = self.cfg.results(inst)[0].into();
        }
        self.late.extend(late.into_iter().map(|(position, local)| (inst, position, local)));
        Ok(inst)
    }

    /// A jump into or out of a funclet, as the predicate of its block; `local` is the number of the token it makes, if any.
    pub(super) fn funclet_branch(
        &mut self,
        block: Block,
        record: &Record<'_>,
        id: SourceId,
        local: u32,
        edges: &[Edge],
    ) -> Result<Inst, &'static str> {
        if edges.len() != funclet_successors(record).len() {
            return Err("catchswitch with a handler twice");
        }
        let funclet = match record.opcode {
            Opcode::CatchSwitch => Funclet::CatchSwitch { number: local, unwinds: record.extra[0] != 0 },
            Opcode::CatchRet => Funclet::CatchRet,
            _ => Funclet::CleanupRet { to_caller: false },
        };
        let mut operands = Vec::new();
        for operand in record.operands() {
            // Tokens of funclets are constants, which are known before their pads are.
            self.push_operand(block, operand, &mut operands, &mut SmallVec::new())?;
        }
        let inst = self.cfg.add_detached(Op::Funclet(funclet), &operands, &[]);
        self.cfg.set_source(inst, Some(id));
        Ok(inst)
    }
}
