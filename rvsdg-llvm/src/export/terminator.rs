//! How blocks end.
//!
//! The original branch, switch, return or unreachable is taken where it still says the same, with its metadata; else a new
//! one is built. An arc to the virtual exit is a return.

use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::{Inst, Value};
use rvsdg_cfg::shape::{ArcRef, Block};
use rvsdg_core::op::{Call, CallExits, Funclet, MatchTable, Op};
use rvsdg_core::{Constant, SourceId, Type};
use smallvec::SmallVec;

use super::body::BodyWriter;
use crate::carrier::{NONE, Ref};
use crate::opcode::Opcode;

impl BodyWriter<'_, '_> {
    /// Ends a block.
    pub fn terminator(&mut self, block: Block) -> Result<(), String> {
        self.end(block)?;
        let hints = self.cfg.terminator(block).hints;
        if !hints.is_empty() {
            self.writer.loop_hints(self.numbers[block], self.original(hints.source), hints);
        }
        Ok(())
    }

    fn end(&mut self, block: Block) -> Result<(), String> {
        let cfg = self.cfg;
        let number = self.numbers[block];
        let terminator = cfg.terminator(block);
        let source = terminator.source.expand();
        if let Some(&stop) = cfg.insts(block).iter().find(|&&inst| cfg.op(inst).is_end()) {
            return self.stop(number, stop);
        }
        let chosen = match terminator.predicate.expand() {
            None => match terminator.arcs.len() {
                1 => 0,
                count => return Err(format!("a block with {count} arcs and no predicate")),
            },
            Some(predicate) => match cfg.op(predicate) {
                Op::CtlConst { value, .. } => value,
                Op::Match(table) => {
                    let &[condition] = cfg.operands(predicate) else { return Err("match without operand".to_owned()) };
                    let original = cfg.source(predicate).or(source);
                    return self.choose(block, self.pool.table(table), condition, original);
                }
                Op::IndirectBr(_) => return self.indirect_branch(block, predicate),
                Op::Invoke(call) | Op::CallBr(call) => return self.branching_call(block, predicate, call),
                Op::Funclet(funclet) => return self.funclet_branch(block, predicate, funclet),
                op => return Err(format!("{} as the end of a block", op.code().info().mnemonic)),
            },
        };
        let arc = ArcRef { from: block, index: chosen };
        let args = cfg.arc_args(arc);
        let target = cfg.arc(arc).target;
        if target == cfg.exit() {
            return self.ret(number, args, source);
        }
        self.add_incoming(number, target, args)?;
        self.jump(number, self.numbers[target], source);
        Ok(())
    }

    /// Ends a block with an instruction that ends the function.
    fn stop(&mut self, block: u32, stop: Inst) -> Result<(), String> {
        let (op, operands) = (self.cfg.op(stop), self.cfg.operands(stop));
        let says = self.describe(stop, 0)?;
        let taken =
            self.original(self.cfg.source(stop)).and_then(|original| self.writer.take(block, original, &says, false));
        let operands = operands.iter().map(|&value| self.value(value)).collect::<Result<Vec<_>, _>>()?;
        match taken {
            Some(_) if op == Op::Unreachable => {}
            Some(slot) => self.writer.operands(slot, &operands),
            None if op == Op::Unreachable => self.writer.unreachable(block),
            None if operands.contains(&Ref::KEEP) => {
                return Err("the end of a function by what is never defined".to_owned());
            }
            None => {
                self.writer
                    .build(block, &says, 0, &operands, NONE)
                    .ok_or("the end of a function with unexpected operands")?;
            }
        }
        Ok(())
    }

    /// Ends a block with an invoke or callbr, which was placed already.
    fn branching_call(&mut self, block: Block, inst: Inst, call: Call) -> Result<(), String> {
        let targets = self.targets(block)?;
        let alternatives: &[u32] = match &self.pool.call(call).exits {
            CallExits::Labels(labels) => labels,
            CallExits::Unwind(_) | CallExits::UnwindToFunclet => &[0, 1],
            CallExits::Return => return Err("a call as the end of a block".to_owned()),
        };
        let blocks = self.destinations(block, &targets, alternatives.iter().copied())?;
        let slot = self.placed_branches[&inst];
        self.writer.branch(slot, Ref::KEEP, &blocks);
        Ok(())
    }

    /// Ends a block with a jump into or out of a funclet, which was placed already.
    fn funclet_branch(&mut self, block: Block, inst: Inst, funclet: Funclet) -> Result<(), String> {
        let targets = self.targets(block)?;
        let mut order: SmallVec<[u32; 4]> = (0..targets.len() as u32).collect();
        if let Funclet::CatchSwitch { unwinds: true, .. } = funclet {
            order.rotate_right(1);
        }
        let blocks = self.destinations(block, &targets, order.into_iter())?;
        self.writer.branch(self.placed_branches[&inst], Ref::KEEP, &blocks);
        Ok(())
    }

    /// Ends a block with an indirect branch, which was placed already.
    fn indirect_branch(&mut self, block: Block, inst: Inst) -> Result<(), String> {
        let targets = self.targets(block)?;
        let blocks = self.destinations(block, &targets, 0..targets.len() as u32)?;
        let address = self.value(self.cfg.operands(inst)[0])?;
        if address == Ref::KEEP {
            return Err("an address that is never defined".to_owned());
        }
        self.writer.indirect(self.placed_branches[&inst], address, &blocks);
        Ok(())
    }

    /// The blocks that alternatives lead to; notes the edges.
    fn destinations(
        &mut self,
        block: Block,
        targets: &[Target],
        alternatives: impl Iterator<Item = u32>,
    ) -> Result<SmallVec<[u32; 4]>, String> {
        let mut blocks = SmallVec::new();
        for alternative in alternatives {
            blocks.push(match targets[alternative as usize] {
                Target::Direct(target) => {
                    let arc = ArcRef { from: block, index: alternative };
                    self.add_incoming(self.numbers[block], target, self.cfg.arc_args(arc))?;
                    self.numbers[target]
                }
                Target::Between(number) => number,
            });
        }
        Ok(blocks)
    }

    fn jump(&mut self, block: u32, target: u32, source: Option<SourceId>) {
        match self.original_of_kind(source, (Opcode::Br, 1)) {
            Some(original) => {
                let slot = self.writer.take_terminator(block, original);
                self.writer.branch(slot, Ref::KEEP, &[target]);
            }
            None => self.writer.jump(block, target, NONE),
        }
    }

    fn ret(&mut self, block: u32, args: &[Value], source: Option<SourceId>) -> Result<(), String> {
        let value = match args {
            [value] => Some(self.value(*value)?),
            _ => None,
        };
        let own = source.filter(|&source| self.own_source(source).is_some());
        match self.original_of_kind(own, (Opcode::Ret, 0)) {
            Some(original) => {
                let slot = self.writer.take_terminator(block, original);
                self.writer.operands(slot, value.as_slice());
            }
            None => self.writer.ret(block, value.unwrap_or(Ref::KEEP)),
        }
        Ok(())
    }

    /// The original with a source, if it has this opcode and number of successors.
    fn original_of_kind(&self, source: Option<SourceId>, kind: (Opcode, u32)) -> Option<u32> {
        self.original(source).filter(|&original| self.writer.source_kind(original) == kind)
    }

    /// Ends a block by a choice among its arcs.
    fn choose(
        &mut self,
        block: Block,
        table: &MatchTable,
        condition: Value,
        source: Option<SourceId>,
    ) -> Result<(), String> {
        let number = self.numbers[block];
        let targets = self.targets(block)?;
        let condition_ref = self.value(condition)?;
        if condition_ref == Ref::KEEP {
            return Err("a condition that is never defined".to_owned());
        }
        let original = self.original(source);
        let kind = original.map(|original| self.writer.source_kind(original));
        let two_way =
            if kind.is_some_and(|kind| kind.0 == Opcode::Switch) { None } else { self.two_way(table, condition) };
        let mut edges: SmallVec<[u32; 4]> = SmallVec::new();
        match two_way {
            Some([then, otherwise]) => edges.extend([then, otherwise]),
            None => {
                edges.push(table.default);
                edges.extend(table.cases.iter().map(|&(_, alternative)| alternative));
            }
        }
        // One value per edge: a phi has as many entries for a block as the block has edges to it.
        let blocks = self.destinations(block, &targets, edges.into_iter())?;
        if let Some(original) = original {
            let reusable = match two_way {
                Some(_) => kind == Some((Opcode::Br, 2)),
                None => kind == Some((Opcode::Switch, blocks.len() as u32)) && self.has_cases(original, table)?,
            };
            if reusable {
                let slot = self.writer.take_terminator(number, original);
                self.writer.branch(slot, condition_ref, &blocks);
                return Ok(());
            }
        }
        let like = original.unwrap_or(NONE);
        match two_way {
            Some(_) => self.writer.cond_jump(number, condition_ref, blocks[0], blocks[1], like),
            None => {
                let mut cases = Vec::with_capacity(2 * table.cases.len());
                for (&(value, _), &target) in table.cases.iter().zip(&blocks[1..]) {
                    cases.push(self.constant_number(value)?);
                    cases.push(target);
                }
                self.writer.switch(number, condition_ref, blocks[0], &cases, like);
            }
        }
        Ok(())
    }

    /// Whether a table is `br i1`: the alternatives of true and false.
    fn two_way(&self, table: &MatchTable, condition: Value) -> Option<[u32; 2]> {
        if self.cfg.ty(condition) != Type::I1 {
            return None;
        }
        let mut by_value = [table.default; 2];
        for &(value, alternative) in &table.cases {
            let Constant::Int { words, .. } = self.pool.constant(value) else { return None };
            by_value[(words.as_slice()[0] & 1) as usize] = alternative;
        }
        Some([by_value[1], by_value[0]])
    }

    /// Whether an original switch has the cases of a table, in order.
    fn has_cases(&mut self, original: u32, table: &MatchTable) -> Result<bool, String> {
        let mut cases = Vec::with_capacity(table.cases.len());
        for &(value, _) in &table.cases {
            cases.push(self.constant_number(value)?);
        }
        Ok(self.writer.has_cases(original, &cases))
    }

    /// The targets of a block's arcs: a separate block is inserted for a return, and for an arc that brings other values to a block than
    /// an earlier arc does, because a phi cannot distinguish edges from one block.
    fn targets(&mut self, block: Block) -> Result<SmallVec<[Target; 4]>, String> {
        let cfg = self.cfg;
        let count = cfg.terminator(block).arcs.len() as u32;
        let mut first: FxHashMap<Block, u32> = FxHashMap::default();
        let mut targets = SmallVec::new();
        for index in 0..count {
            let arc = ArcRef { from: block, index };
            let (target, args) = (cfg.arc(arc).target, cfg.arc_args(arc));
            if target == cfg.exit() {
                let between = self.writer.block(NONE, NONE);
                self.ret(between, args, None)?;
                targets.push(Target::Between(between));
                continue;
            }
            // Few branches have many arcs; the map is for those.
            let earlier = if count <= 8 {
                let same = |&earlier: &u32| cfg.arc(ArcRef { from: block, index: earlier }).target == target;
                (0..index).find(same).unwrap_or(index)
            } else {
                *first.entry(target).or_insert(index)
            };
            if earlier == index || args == cfg.arc_args(ArcRef { from: block, index: earlier }) {
                targets.push(Target::Direct(target));
            } else {
                let between = self.writer.block(NONE, NONE);
                self.add_incoming(between, target, args)?;
                self.writer.jump(between, self.numbers[target], NONE);
                targets.push(Target::Between(between));
            }
        }
        Ok(targets)
    }
}

/// Where an arc leads.
#[derive(Copy, Clone)]
enum Target {
    /// To the block itself.
    Direct(Block),
    /// To a new block, by number.
    Between(u32),
}
