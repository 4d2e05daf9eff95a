//! One body: blocks, phis and instructions.
//!
//! Everything is placed first, in layout order, and connected afterwards, so that an operand may be defined in a later
//! block. Terminators are in [`terminator`](super::terminator).

use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::{Cfg, Inst, Invoke, Value, ValueDef};
use rvsdg_cfg::shape::{ArcRef, Block};
use rvsdg_core::op::Op;
use rvsdg_core::{Constant, Pool, SourceId, Type};

use super::constants;
use crate::carrier::{NONE, Ref, Writer};
use crate::import::{Constants, ReadBody, Types, flag_bits, opcode_of};

/// Writes one body.
pub(super) struct BodyWriter<'a, 'w> {
    pub writer: &'a mut Writer<'w>,
    pub pool: &'a Pool,
    types: &'a mut Types,
    constants: &'a mut Constants,
    pub cfg: &'a Cfg,
    /// Symbol numbers of the context variables.
    contexts: &'a [u32],
    /// By value: its operand form, [`Ref::KEEP`] until it is known.
    refs: SecondaryMap<Value, Ref>,
    /// By block: its number.
    pub numbers: SecondaryMap<Block, u32>,
    /// Incoming edges of each block with parameters: the block the edge comes from and the values it brings.
    incoming: Vec<Incoming>,
    values: Vec<Ref>,
    /// The slots of invokes and callbrs.
    pub placed_branches: FxHashMap<Inst, u32>,
    /// By block with a landing pad: the invokes that unwind to it, and the parameter that is what it is given.
    pads: FxHashMap<Block, (Vec<Invoke>, Option<Value>)>,
}

/// An edge into a block with parameters.
struct Incoming {
    target: Block,
    /// Number of the block the edge comes from.
    from: u32,
    /// Where its values start.
    values: u32,
}

impl<'a, 'w> BodyWriter<'a, 'w> {
    pub fn new(
        writer: &'a mut Writer<'w>,
        pool: &'a Pool,
        types: &'a mut Types,
        constants: &'a mut Constants,
        cfg: &'a Cfg,
        contexts: &'a [u32],
    ) -> Self {
        let mut refs = SecondaryMap::with_default(Ref::KEEP);
        refs.resize(cfg.value_count());
        BodyWriter {
            writer,
            pool,
            types,
            constants,
            cfg,
            contexts,
            refs,
            numbers: SecondaryMap::with_default(NONE),
            incoming: Vec::new(),
            values: Vec::new(),
            placed_branches: FxHashMap::default(),
            pads: pads(cfg),
        }
    }

    /// Writes the body that `read` describes. `merges` pairs sources that stand for another source's value as well.
    pub fn write(&mut self, read: &ReadBody, merges: &[(SourceId, SourceId)]) -> Result<(), String> {
        let cfg = self.cfg;
        self.writer.begin(read.symbol, read.first_source, read.insts, read.params);
        for (slot, &param) in cfg.params().iter().enumerate() {
            self.refs[param] = Ref::slot(slot as u32);
        }
        let labels: FxHashMap<Block, u32> = cfg.labels.iter().map(|&(label, block)| (block, label)).collect();
        for &(label, _) in &cfg.labels {
            self.writer.reserve(label);
        }
        for block in cfg.blocks().filter(|&block| block != cfg.exit()) {
            let first = self.first_source(block);
            // The entry is the entry, whatever is left in it.
            let first = if first == NONE && block == cfg.entry() { read.first_source } else { first };
            let label = labels.get(&block).copied().unwrap_or(NONE);
            self.numbers[block] = self.writer.block(first, label);
        }
        let mut placed = Vec::with_capacity(cfg.inst_count());
        let mut phis = Vec::new();
        for block in cfg.blocks().filter(|&block| block != cfg.exit()) {
            self.place(block, &mut placed, &mut phis)?;
        }
        for &(inst, slot) in &placed {
            self.connect(inst, slot)?;
        }
        for block in cfg.blocks().filter(|&block| block != cfg.exit()) {
            self.terminator(block)?;
        }
        self.fill_phis(&phis);
        if !merges.is_empty() {
            let slots: FxHashMap<SourceId, u32> =
                placed.iter().filter_map(|&(inst, slot)| Some((cfg.source(inst)?, slot))).collect();
            for (kept, merged) in merges {
                if let Some(&slot) = slots.get(kept) {
                    self.writer.merge(slot, merged.as_u32());
                }
            }
        }
        self.writer.end();
        Ok(())
    }

    /// The source of the first thing in a block that has one.
    fn first_source(&self, block: Block) -> u32 {
        let cfg = self.cfg;
        let terminator = cfg.terminator(block);
        let param = cfg.block_params(block).iter().find_map(|&param| cfg.value_source(param));
        param
            .or_else(|| cfg.insts(block).iter().find_map(|&inst| cfg.source(inst)))
            .or_else(|| terminator.predicate.expand().and_then(|predicate| cfg.source(predicate)))
            .or(terminator.source.expand())
            .map_or(NONE, |source| source.as_u32())
    }

    /// Places phis and instructions of a block.
    fn place(
        &mut self,
        block: Block,
        placed: &mut Vec<(Inst, u32)>,
        phis: &mut Vec<(Block, u32)>,
    ) -> Result<(), String> {
        let cfg = self.cfg;
        let number = self.numbers[block];
        for &param in cfg.block_params(block) {
            if self.pad_param(block) == Some(param) {
                continue;
            }
            let ty = self.type_number(cfg.ty(param))?;
            let origin = cfg.value_source(param).map_or(NONE, |source| source.as_u32());
            let slot = self.writer.phi(number, ty, origin, 2);
            self.refs[param] = Ref::slot(slot);
            phis.push((block, slot));
        }
        self.place_pad(block)?;
        for &inst in cfg.insts(block) {
            let op = cfg.op(inst);
            if op.is_end() {
                // It ends the block, whatever the graph says comes after it.
                break;
            }
            let Some(source) = cfg.source(inst) else {
                if opcode_of(op).is_none() {
                    return Err(format!("{} without an original instruction", op.code().info().mnemonic));
                }
                // Built in order when its operands are known; blocks with such instructions are rare.
                let slot = self.build(number, inst)?;
                self.define(inst, slot);
                continue;
            };
            let slot = self.writer.take(number, source.as_u32());
            if let Some(flags) = flag_bits(op, self.pool) {
                self.writer.flags(slot, flags);
            }
            self.define(inst, slot);
            placed.push((inst, slot));
        }
        if let Some(inst) = cfg.terminator(block).predicate.expand()
            && cfg.op(inst).is_branch()
            && !cfg.insts(block).iter().any(|&inst| cfg.op(inst).is_end())
        {
            let source = cfg.source(inst).ok_or("a branch of its own without an original instruction")?;
            let slot = self.writer.take(number, source.as_u32());
            self.placed_branches.insert(inst, slot);
            let pad = cfg.invoke(block).map(|invoke| invoke.pad);
            if cfg.results(inst).first().copied() != pad {
                self.define(inst, slot);
            }
            if cfg.indirect_labels(block).is_none() {
                placed.push((inst, slot));
            }
        }
        Ok(())
    }

    /// The parameter of a block that its landing pad stands for.
    fn pad_param(&self, block: Block) -> Option<Value> {
        self.pads.get(&block)?.1
    }

    /// Places the landing pad of a block that invokes unwind to.
    fn place_pad(&mut self, block: Block) -> Result<(), String> {
        let Some((invokes, param)) = self.pads.get(&block) else { return Ok(()) };
        let source = self.cfg.source(invokes[0].inst).ok_or("an invoke without an original instruction")?;
        let source = self.writer.landing_pad(source.as_u32()).ok_or("an invoke without a landing pad")?;
        let slot = self.writer.take(self.numbers[block], source);
        for value in invokes.iter().map(|invoke| invoke.pad).chain(*param) {
            self.refs[value] = Ref::slot(slot);
        }
        Ok(())
    }

    fn define(&mut self, inst: Inst, slot: u32) {
        if let Some(&result) = self.cfg.results(inst).first() {
            self.refs[result] = Ref::slot(slot);
        }
    }

    /// Builds an instruction that has no original; its operands are defined in blocks placed before.
    fn build(&mut self, block: u32, inst: Inst) -> Result<u32, String> {
        let cfg = self.cfg;
        let op = cfg.op(inst);
        let mnemonic = op.code().info().mnemonic;
        let (code, predicate) = opcode_of(op).ok_or_else(|| format!("{mnemonic} without an original instruction"))?;
        let mut operands = Vec::new();
        for &operand in cfg.operands(inst) {
            let value = self.value(operand)?;
            if value == Ref::KEEP {
                return Err(format!("new {mnemonic} before the definition of its operand"));
            }
            operands.push(value);
        }
        let ty = match cfg.results(inst) {
            [result] => self.type_number(cfg.ty(*result))?,
            _ => return Err(format!("{mnemonic} without a result")),
        };
        let flags = flag_bits(op, self.pool).unwrap_or(0);
        self.writer
            .build(block, code, ty, flags, predicate, &operands)
            .ok_or_else(|| format!("{mnemonic} with unexpected operands"))
    }

    /// Sets the operands of an instruction that was taken.
    fn connect(&mut self, inst: Inst, slot: u32) -> Result<(), String> {
        let cfg = self.cfg;
        let operands = cfg.operands(inst);
        let start = self.values.len();
        match cfg.op(inst) {
            Op::Call(call) | Op::Invoke(call) | Op::CallBr(call) => {
                let info = self.pool.call(call);
                let operands = &operands[..operands.len() - info.exits.clauses()];
                let (callee, operands) = match info.assembly {
                    Some(_) => (Ref::KEEP, operands),
                    None => (self.value(operands[0])?, &operands[1..]),
                };
                let mut metadata = info.metadata.iter().map(|argument| argument.position).peekable();
                for &operand in operands {
                    while metadata.next_if_eq(&((self.values.len() - start) as u32)).is_some() {
                        self.values.push(Ref::KEEP);
                    }
                    let value = self.value(operand)?;
                    self.values.push(value);
                }
                self.values.extend(metadata.map(|_| Ref::KEEP));
                self.values.push(callee);
            }
            Op::Funclet(_) => {
                // The outer funclet comes first here and last in LLVM.
                for &operand in operands[1..].iter().chain(&operands[..1]) {
                    let value = self.value(operand)?;
                    self.values.push(value);
                }
            }
            _ => {
                for &operand in operands {
                    let value = self.value(operand)?;
                    self.values.push(value);
                }
            }
        }
        self.writer.operands(slot, &self.values[start..]);
        self.values.truncate(start);
        Ok(())
    }

    /// A value as operand.
    pub fn value(&mut self, value: Value) -> Result<Ref, String> {
        let known = self.refs[value];
        if known != Ref::KEEP {
            return Ok(known);
        }
        let reference = match self.cfg.def(value) {
            ValueDef::Context(index) => Ref::constant(self.contexts[index as usize]),
            ValueDef::Result(inst, _) => match self.cfg.op(inst) {
                // Pads move with the funclets that they begin, and what mentions them goes on doing so.
                Op::Const(constant) if matches!(self.pool.constant(constant), Constant::Funclet { .. }) => {
                    return Ok(Ref::KEEP);
                }
                Op::Const(constant) => {
                    let symbols: Vec<u32> =
                        self.cfg.operands(inst).iter().map(|&hole| self.symbol(hole)).collect::<Result<_, _>>()?;
                    Ref::constant(constants::number(
                        self.writer.carrier(),
                        self.pool,
                        self.types,
                        self.constants,
                        constant,
                        &symbols,
                    )?)
                }
                Op::CtlConst { value, of } => Ref::constant(constants::alternative(self.writer.carrier(), value, of)),
                _ => return Ok(Ref::KEEP),
            },
            ValueDef::Parameter(_) | ValueDef::BlockParam(..) => return Ok(Ref::KEEP),
        };
        self.refs[value] = reference;
        Ok(reference)
    }

    /// The symbol number of a value that fills a hole.
    fn symbol(&self, value: Value) -> Result<u32, String> {
        match self.cfg.def(value) {
            ValueDef::Context(index) => Ok(self.contexts[index as usize]),
            _ => Err("a constant over something that is not a symbol".to_owned()),
        }
    }

    fn type_number(&mut self, ty: Type) -> Result<u32, String> {
        constants::type_number(self.writer.carrier(), self.pool, self.types, ty)
    }

    /// The number of a constant without symbols.
    pub fn constant_number(&mut self, constant: rvsdg_core::Const) -> Result<u32, String> {
        constants::number(self.writer.carrier(), self.pool, self.types, self.constants, constant, &[])
    }

    /// Notes an edge into a block with parameters.
    pub fn add_incoming(&mut self, from: u32, target: Block, args: &[Value]) -> Result<(), String> {
        if args.is_empty() {
            return Ok(());
        }
        let values = self.values.len() as u32;
        for &arg in args {
            let value = self.value(arg)?;
            if value == Ref::KEEP {
                return Err("an argument that is never defined".to_owned());
            }
            self.values.push(value);
        }
        self.incoming.push(Incoming { target, from, values });
        Ok(())
    }

    /// Gives the phis their incoming values; `phis` are slots grouped by block, in order of parameters.
    fn fill_phis(&mut self, phis: &[(Block, u32)]) {
        let mut first: SecondaryMap<Block, u32> = SecondaryMap::with_default(NONE);
        for (index, &(block, _)) in phis.iter().enumerate().rev() {
            first[block] = index as u32;
        }
        for incoming in &self.incoming {
            let params = self.cfg.block_params(incoming.target);
            let pad = self.pad_param(incoming.target);
            let start = first[incoming.target] as usize;
            let positions = (0..params.len()).filter(|&position| Some(params[position]) != pad);
            for (position, &(_, slot)) in positions.zip(phis.get(start..).unwrap_or_default()) {
                let value = self.values[incoming.values as usize + position];
                self.writer.incoming(slot, value, incoming.from);
            }
        }
    }
}

/// The blocks that invokes unwind to, each with those that do and the parameter that is what its landing pad is given.
fn pads(cfg: &Cfg) -> FxHashMap<Block, (Vec<Invoke>, Option<Value>)> {
    let mut pads = FxHashMap::default();
    for block in cfg.blocks() {
        let Some(invoke) = cfg.invoke(block) else { continue };
        let arc = ArcRef { from: block, index: 1 };
        let target = cfg.arc(arc).target;
        let position = cfg.arc_args(arc).iter().position(|&arg| arg == invoke.pad);
        let param = position.map(|position| cfg.block_params(target)[position]);
        pads.entry(target).or_insert((Vec::new(), param)).0.push(invoke);
    }
    pads
}
