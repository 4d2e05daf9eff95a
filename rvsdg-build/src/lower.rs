//! From what was built to a control flow graph in SSA form.
//!
//! Unreachable blocks are left out. So a function with `return_` or `break_` in the middle needs no special treatment:
//! [`rvsdg_cfg::restructure`] finds the γ and θ nodes, with one algorithm for structured control flow and labels.

use std::panic::Location;

use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::{Cfg, Value as CfgValue};
use rvsdg_cfg::shape::Block as CfgBlock;
use rvsdg_core::annotations::Annotations;
use rvsdg_core::op::{MatchTable, Op};
use rvsdg_core::{Const, Symbol, Type};
use smallvec::SmallVec;

use crate::error::BuildError;
use crate::function::{Block, Def, End, FunctionBuilder};
use crate::notes::Notes;
use crate::ssa::{Read, Ssa};

/// A control flow graph, and the symbols of its context variables.
pub(crate) struct Lowered {
    pub cfg: Cfg,
    pub contexts: Vec<Symbol>,
    /// How many numbers of instructions were taken.
    pub sources: u32,
}

impl End {
    /// The possible successors, once for each arc.
    fn targets(&self) -> SmallVec<[Block; 2]> {
        match self {
            End::Open | End::Return(_) | End::Unreachable => SmallVec::new(),
            End::Jump(to) => [*to].into_iter().collect(),
            End::Branch(_, targets) => targets.iter().copied().collect(),
            End::Switch(_, cases, default) => {
                let mut targets: SmallVec<[Block; 2]> = SmallVec::new();
                for &(_, block) in cases {
                    // Those of one `case_` are adjacent.
                    if targets.last() != Some(&block) {
                        targets.push(block);
                    }
                }
                targets.push(*default);
                targets
            }
        }
    }

    fn operand(&self) -> Option<u32> {
        match *self {
            End::Branch(value, _) | End::Switch(value, ..) => Some(value),
            End::Return(value) => value,
            End::Open | End::Jump(_) | End::Unreachable => None,
        }
    }
}

impl FunctionBuilder {
    /// Whether instructions have annotations.
    fn has_notes(&self) -> bool {
        self.scope.is_some() || !self.attached.is_empty() || self.blocks.iter().any(|block| !block.attached.is_empty())
    }

    /// The control flow graph.
    #[track_caller]
    pub(crate) fn lower(mut self, first_source: u32, annotations: &mut Annotations) -> Result<Lowered, BuildError> {
        self.check_ended();
        let order = self.reachable_blocks();
        for &block in &order {
            let data = &self.blocks[block as usize];
            if !data.is_placed {
                let at = data.at;
                self.fail_at(at, "a label without a place", "`bind` for each label that is jumped to");
            } else if matches!(data.end, End::Open) {
                if self.result == Type::VOID {
                    self.blocks[block as usize].end = End::Return(None);
                } else {
                    let expected = format!("return_ of a value of type {}, or unreachable", self.show(self.result));
                    self.fail("the end, which control gets to", &expected);
                    self.blocks[block as usize].end = End::Unreachable;
                }
            }
        }
        if let Some(error) = self.take_error() {
            return Err(error);
        }
        let mut preds = vec![Vec::new(); self.blocks.len()];
        for &block in &order {
            for target in self.blocks[block as usize].end.targets() {
                preds[target as usize].push(block);
            }
        }
        let mut ssa = Ssa::new(&self, &preds);
        for value in self.operands(&order) {
            ssa.demand(value);
        }
        ssa.simplify();
        let undefined = self.operands(&order).find(|&value| ssa.resolve(value) == Read::Undefined);
        if let Some(value) = undefined
            && let Def::Entry(_, variable) = self.values[value as usize].def
        {
            let name = &self.variables[variable as usize].0;
            let (construct, at) = (format!("variable {name}, which nothing assigns"), self.read_at.get(&variable));
            let at = at.copied().unwrap_or(Location::caller());
            self.fail_at(at, &construct, "`def` before `use_`");
            return Err(self.take_error().expect("it was just noted"));
        }
        let mut writer = Writer::new(&self, ssa, order);
        let ways = preds.iter().map(Vec::len).collect();
        writer.notes = self.has_notes().then(|| Notes::new(first_source, annotations, ways));
        writer.write()
    }

    /// The blocks that control gets to, those that dominate a block before it: a reverse postorder.
    fn reachable_blocks(&self) -> Vec<Block> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::new();
        let mut path = vec![(0, self.blocks[0].end.targets())];
        seen[0] = true;
        while let Some((block, targets)) = path.last_mut() {
            match targets.pop() {
                Some(next) => {
                    if !std::mem::replace(&mut seen[next as usize], true) {
                        path.push((next, self.blocks[next as usize].end.targets()));
                    }
                }
                None => {
                    order.push(*block);
                    path.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// What instructions and ends of blocks take, in order.
    fn operands<'f>(&'f self, order: &'f [Block]) -> impl Iterator<Item = u32> + 'f {
        order.iter().flat_map(|&block| {
            let data = &self.blocks[block as usize];
            let insts = data.insts.iter().flat_map(|&inst| self.insts[inst as usize].operands.iter().copied());
            insts.chain(data.end.operand())
        })
    }
}

/// Writes the graph.
struct Writer<'f, 'a> {
    function: &'f FunctionBuilder,
    ssa: Ssa<'f>,
    order: Vec<Block>,
    cfg: Cfg,
    blocks: FxHashMap<Block, CfgBlock>,
    /// By value of the builder.
    values: FxHashMap<u32, CfgValue>,
    phis: FxHashMap<u32, CfgValue>,
    poisons: FxHashMap<Type, CfgValue>,
    /// The annotations of instructions, if there are any.
    notes: Option<Notes<'a>>,
}

impl<'f, 'a> Writer<'f, 'a> {
    fn new(function: &'f FunctionBuilder, ssa: Ssa<'f>, order: Vec<Block>) -> Writer<'f, 'a> {
        Writer {
            function,
            ssa,
            order,
            cfg: Cfg::new(function.pool.clone()),
            blocks: FxHashMap::default(),
            values: FxHashMap::default(),
            phis: FxHashMap::default(),
            poisons: FxHashMap::default(),
            notes: None,
        }
    }

    #[track_caller]
    fn write(mut self) -> Result<Lowered, BuildError> {
        let function = self.function;
        for &(_, value) in &function.contexts {
            let context = self.cfg.add_context(function.values[value as usize].ty);
            self.values.insert(value, context);
        }
        for param in 0..function.params {
            let value = self.cfg.add_param(function.values[param as usize].ty);
            self.values.insert(param, value);
        }
        let order = std::mem::take(&mut self.order);
        let mut is_reachable = vec![false; function.blocks.len()];
        order.iter().for_each(|&block| is_reachable[block as usize] = true);
        for &block in function.order.iter().filter(|&&block| is_reachable[block as usize]) {
            let new = if block == 0 { self.cfg.entry() } else { self.cfg.add_block() };
            self.blocks.insert(block, new);
        }
        let exit = self.cfg.exit();
        if function.result != Type::VOID {
            self.cfg.add_block_param(exit, function.result, None);
        }
        let mut phis_of: FxHashMap<Block, Vec<Vec<Read>>> = FxHashMap::default();
        for (number, phi) in self.ssa.phis() {
            let ty = function.variables[phi.variable as usize].1;
            let source = self.notes.as_mut().map(|notes| notes.phi(number));
            self.phis.insert(number, self.cfg.add_block_param(self.blocks[&phi.block], ty, source));
            if let (Some(notes), Some(&variable)) = (&mut self.notes, function.described.get(&phi.variable)) {
                notes.bind_phi(phi.block, number, variable, function.scope);
            }
            phis_of.entry(phi.block).or_default().push(phi.operands.clone());
        }
        for &slot in &function.slots {
            self.inst(self.cfg.entry(), slot)?;
        }
        // How many arcs to each block were written; they are in the order of the operands of phis.
        let mut ways: FxHashMap<Block, usize> = FxHashMap::default();
        for block in order {
            let (new, data) = (self.blocks[&block], &function.blocks[block as usize]);
            for &inst in &data.insts {
                self.inst(new, inst)?;
            }
            self.terminator(new, &data.end)?;
            if let Some(notes) = &mut self.notes {
                let source = notes.end(block, data);
                self.cfg.terminator_mut(new).source = Some(source).into();
            }
            for (position, target) in data.end.targets().into_iter().enumerate() {
                let way = ways.entry(target).or_default();
                let operands: Vec<Read> =
                    phis_of.get(&target).into_iter().flatten().map(|operands| operands[*way]).collect();
                *way += 1;
                let ty = |at: usize| self.cfg.ty(self.cfg.block_params(self.blocks[&target])[at]);
                let types: Vec<Type> = (0..operands.len()).map(ty).collect();
                let mut arguments = Vec::with_capacity(operands.len());
                for (operand, ty) in operands.into_iter().zip(types) {
                    let read = self.ssa.find(operand);
                    arguments.push(self.known(read, ty).ok_or_else(|| self.undominated(data.at))?);
                }
                let target = self.blocks[&target];
                let repeated = self.cfg.terminator(new).arcs.iter().take(position).any(|arc| arc.target == target);
                let from = if repeated {
                    let between = self.cfg.add_block();
                    self.cfg.add_arc(new, between, &[]);
                    between
                } else {
                    new
                };
                self.cfg.add_arc(from, target, &arguments);
            }
        }
        let mut sources = 0;
        if let Some(notes) = self.notes.take() {
            self.cfg.described = notes.binds() || !function.bindings.is_empty();
            sources = notes.finish(function, |value| self.ssa.resolve(value));
        }
        let contexts = function.contexts.iter().map(|&(symbol, _)| symbol).collect();
        Ok(Lowered { cfg: self.cfg, contexts, sources })
    }

    fn inst(&mut self, block: CfgBlock, inst: u32) -> Result<(), BuildError> {
        let data = &self.function.insts[inst as usize];
        let mut operands: SmallVec<[CfgValue; 4]> = SmallVec::new();
        for &operand in &data.operands {
            operands.push(self.operand(operand).ok_or_else(|| self.undominated(data.at))?);
        }
        let (first, count) = data.results;
        let results = first..first + count;
        let types: SmallVec<[Type; 1]> = results.clone().map(|index| self.function.values[index as usize].ty).collect();
        let new = self.cfg.add_inst(block, data.op, &operands, &types);
        if data.is_guarded {
            self.cfg.set_guarded(new);
        }
        if let Some(notes) = &mut self.notes {
            self.cfg.set_source(new, Some(notes.inst(inst, self.function)));
        }
        for (index, &value) in results.zip(self.cfg.results(new)) {
            self.values.insert(index, value);
        }
        Ok(())
    }

    /// The terminator of a block, without its arcs.
    fn terminator(&mut self, block: CfgBlock, end: &End) -> Result<(), BuildError> {
        let function = self.function;
        let predicate = match end {
            End::Open | End::Jump(_) => None,
            End::Branch(value, _) => Some((*value, MatchTable::boolean(&function.pool, 0))),
            End::Switch(_, cases, _) if cases.is_empty() => None,
            End::Switch(value, cases, _) => {
                let mut alternatives: Vec<(Const, u32)> = Vec::with_capacity(cases.len());
                let mut last = cases[0].1;
                let mut alternative = 0;
                for &(case, block) in cases {
                    alternative += u32::from(block != last);
                    last = block;
                    alternatives.push((case, alternative));
                }
                let default = alternative + 1;
                Some((*value, MatchTable { cases: alternatives.into(), default, alternatives: default + 1 }))
            }
            End::Return(value) => {
                let mut result = None;
                if let Some(value) = *value {
                    let at = function.blocks[0].at;
                    result = Some(self.operand(value).ok_or_else(|| self.undominated(at))?);
                }
                self.cfg.add_arc(block, self.cfg.exit(), result.as_slice());
                None
            }
            End::Unreachable => {
                self.cfg.add_inst(block, Op::Unreachable, &[], &[]);
                let result = (function.result != Type::VOID).then(|| self.poison(function.result));
                self.cfg.add_arc(block, self.cfg.exit(), result.as_slice());
                None
            }
        };
        if let Some((value, table)) = predicate {
            let at = function.blocks[0].at;
            let value = self.operand(value).ok_or_else(|| self.undominated(at))?;
            let choice = self.cfg.add_detached(Op::Match(function.pool.intern_table(table)), &[value], &[]);
            self.cfg.terminator_mut(block).predicate = choice.into();
        }
        Ok(())
    }

    /// The value of the graph for one of the builder; `None` if it is computed elsewhere than before this.
    fn operand(&mut self, value: u32) -> Option<CfgValue> {
        let ty = self.function.values[value as usize].ty;
        let read = self.ssa.resolve(value);
        self.known(read, ty)
    }

    fn known(&mut self, read: Read, ty: Type) -> Option<CfgValue> {
        match read {
            Read::Phi(phi) => self.phis.get(&phi).copied(),
            Read::Undefined => Some(self.poison(ty)),
            Read::Value(value) => {
                if let Def::Const(constant) = self.function.values[value as usize].def
                    && !self.values.contains_key(&value)
                {
                    let constant = self.cfg.add_const(constant, &[]);
                    self.values.insert(value, constant);
                }
                self.values.get(&value).copied()
            }
        }
    }

    fn poison(&mut self, ty: Type) -> CfgValue {
        let poison = self.function.pool.poison(ty);
        *self.poisons.entry(ty).or_insert_with(|| self.cfg.add_const(poison, &[]))
    }

    fn undominated(&self, at: &'static Location<'static>) -> BuildError {
        BuildError {
            at,
            place: format!("@{}", self.function.name),
            construct: "the use of a value that is computed elsewhere".to_owned(),
            expected: "a value computed before on every way, or a variable".to_owned(),
        }
    }
}
