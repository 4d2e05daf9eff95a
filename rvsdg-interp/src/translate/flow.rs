//! Control flow graphs: blocks one after the other in the order of their layout.
//!
//! What an arc assigns stands at the end of its block, or, where there are several arcs, in a stretch of its own that leads on to
//! the target.

use rvsdg_cfg::cfg::{Cfg, Inst as CfgInst};
use rvsdg_cfg::shape::{ArcRef, Block};
use rvsdg_core::Type;
use rvsdg_core::op::Op;

use super::Translator;
use crate::code::{EDGE, Inst, JUMP, NOWHERE, Slot};
use crate::outcome::{Res, unsupported};

impl<'a> Translator<'a> {
    pub(super) fn flow(&mut self, cfg: &'a Cfg) -> Res<()> {
        self.constants_of(cfg)?;
        for block in cfg.blocks() {
            for &param in cfg.block_params(block) {
                self.fresh(param.as_u32());
            }
        }
        // By block: where it begins. Jumps are given their places once all blocks have one.
        let mut places = vec![NOWHERE; cfg.block_count()];
        let mut jumps: Vec<(usize, Block)> = Vec::new();
        for block in cfg.blocks().filter(|&block| block != cfg.exit()) {
            places[block.as_u32() as usize] = self.here();
            self.blocks.push((self.here(), block.as_u32()));
            for &inst in cfg.insts(block) {
                self.node = inst.as_u32();
                self.simple(self.node, cfg.op(inst))?;
            }
            self.terminator(cfg, block, &mut jumps)?;
        }
        for (at, target) in jumps {
            self.insts[at] = Inst::Jump(places[target.as_u32() as usize]);
        }
        Ok(())
    }

    /// Constants are instructions in no block.
    fn constants_of(&mut self, cfg: &Cfg) -> Res<()> {
        for number in 0..cfg.inst_count() as u32 {
            if let op @ Op::Const(_) = cfg.op(CfgInst::from_u32(number)) {
                self.node = number;
                self.simple(number, op)?;
            }
        }
        Ok(())
    }

    fn terminator(&mut self, cfg: &Cfg, block: Block, jumps: &mut Vec<(usize, Block)>) -> Res<()> {
        let terminator = cfg.terminator(block);
        let arcs = terminator.arcs.len();
        let Some(predicate) = terminator.predicate.expand() else {
            // Only what is never left has no arc.
            for index in 0..arcs {
                self.node = EDGE;
                self.assign(cfg, ArcRef { from: block, index: index as u32 });
                self.node = JUMP;
                self.leave(cfg, ArcRef { from: block, index: index as u32 }, jumps);
            }
            return Ok(());
        };
        self.node = predicate.as_u32();
        let Op::Match(table) = cfg.op(predicate) else { return unsupported("an invoke or indirect branch") };
        let table = self.types.pool.table(table).clone();
        let operand = cfg.operands(predicate)[0];
        let value = self.slot(operand.as_u32());
        let bit = (cfg.ty(operand) == Type::I1).then(|| self.of_bit(&table));
        let branch = match bit {
            Some(_) => self.push(Inst::Nothing),
            None => {
                let to = self.new_slot();
                let table = Box::new(self.table(&table));
                // The table is part of the branch, which is one instruction.
                self.node = EDGE;
                self.push(Inst::Match { to, value, table });
                self.node = predicate.as_u32();
                self.push(Inst::Switch { predicate: to, places: Box::default() })
            }
        };
        let mut places = Vec::with_capacity(arcs);
        for index in 0..arcs as u32 {
            self.node = EDGE;
            places.push(self.here());
            let arc = ArcRef { from: block, index };
            self.assign(cfg, arc);
            self.leave(cfg, arc, jumps);
        }
        match (bit, &mut self.insts[branch]) {
            (Some(alternatives), inst) => {
                let places = alternatives.map(|alternative| places[alternative as usize]);
                *inst = Inst::Branch { condition: value, places };
            }
            (None, Inst::Switch { places: slot, .. }) => *slot = places.into(),
            (None, _) => {}
        }
        Ok(())
    }

    fn assign(&mut self, cfg: &Cfg, arc: ArcRef) {
        let target = cfg.arc(arc).target;
        if target == cfg.exit() {
            return;
        }
        let pairs = cfg.block_params(target).iter().zip(cfg.arc_args(arc));
        let copies: Vec<(Slot, Slot)> = pairs
            .map(|(to, from)| (self.slot(to.as_u32()), self.slot(from.as_u32())))
            .filter(|(to, from)| to != from)
            .collect();
        self.copies(copies);
    }

    fn leave(&mut self, cfg: &Cfg, arc: ArcRef, jumps: &mut Vec<(usize, Block)>) {
        let target = cfg.arc(arc).target;
        if target == cfg.exit() {
            let value = cfg.arc_args(arc).first().map_or(NOWHERE, |value| self.slot(value.as_u32()));
            self.push(Inst::Return(value));
        } else {
            let jump = self.push(Inst::Jump(0));
            jumps.push((jump, target));
        }
    }
}
