//! One body: blocks, phis and instructions.
//!
//! Everything is placed first, in layout order, and connected afterwards, so that an operand may be defined in a later
//! block. Terminators are in [`terminator`](super::terminator).

use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::{Cfg, Inst, Invoke, SameAs, Value, ValueDef};
use rvsdg_cfg::shape::{ArcRef, Block};
use rvsdg_core::attribute::Attributes;
use rvsdg_core::op::{CallExits, Op};
use rvsdg_core::sources::Extent;
use rvsdg_core::{Constant, Pool, SourceId, Type, TypeKind};

use super::constants;
use crate::carrier::{Description, NONE, Ref, Writer};
use crate::import::{Constants, Lists, ReadBody, Types, flag_bits};

/// The numbers that things of the module have.
pub(super) struct Numbers<'a> {
    pub types: &'a mut Types,
    pub constants: &'a mut Constants,
    pub attributes: &'a mut Lists,
}

/// Writes one body.
pub(super) struct BodyWriter<'a, 'w> {
    pub writer: &'a mut Writer<'w>,
    pub pool: &'a Pool,
    numbers_of: Numbers<'a>,
    pub cfg: &'a Cfg,
    /// Symbol numbers of the context variables.
    contexts: &'a [u32],
    /// The function's own sources, including inlined ones.
    own: Vec<Extent>,
    /// Whether original instructions are used.
    originals: bool,
    /// By value: its operand form, [`Ref::KEEP`] until it is known.
    refs: SecondaryMap<Value, Ref>,
    /// By block: its number.
    pub numbers: SecondaryMap<Block, u32>,
    /// Incoming edges of each block with parameters: the block the edge comes from and the arguments.
    incoming: Vec<Incoming>,
    values: Vec<Ref>,
    /// The slots of invokes and callbrs.
    pub placed_branches: FxHashMap<Inst, u32>,
    /// For each block with a landing pad: the invokes that unwind to it, and the parameter that is its value.
    pads: FxHashMap<Block, (Vec<Invoke>, Option<Value>)>,
    /// By number: the pads of funclets that were placed.
    funclets: FxHashMap<u32, Ref>,
}

/// An edge into a block with parameters.
struct Incoming {
    target: Block,
    /// Number of the block the edge comes from.
    from: u32,
    /// Where its values start.
    values: u32,
}

/// The sources of a body: its own instructions and what was inlined into it.
fn own(read: &ReadBody, inlined: &[Extent]) -> Vec<Extent> {
    let mut own = vec![Extent { first: read.first_source, count: read.insts }];
    own.extend_from_slice(inlined);
    own
}

fn contains(extents: &[Extent], source: SourceId) -> bool {
    let after = extents.partition_point(|extent| extent.first <= source.as_u32());
    extents[..after].last().is_some_and(|extent| extent.contains(source))
}

/// Whether a body has clones of another one's instructions.
pub(super) fn borrows(cfg: &Cfg, read: &ReadBody, inlined: &[Extent]) -> bool {
    let own = own(read, inlined);
    let of_block = |block| {
        let terminator = cfg.terminator(block);
        let insts = cfg.insts(block).iter().copied().chain(terminator.predicate.expand());
        let params = cfg.block_params(block).iter().filter_map(|&param| cfg.value_source(param));
        insts.filter_map(|inst| cfg.source(inst)).chain(params).chain(terminator.source.expand())
    };
    let mut sources = cfg.blocks().flat_map(of_block).chain(cfg.merged.iter().map(|&(_, merged)| merged));
    sources.any(|source| !contains(&own, source))
}

impl<'a, 'w> BodyWriter<'a, 'w> {
    pub fn new(
        writer: &'a mut Writer<'w>,
        pool: &'a Pool,
        numbers_of: Numbers<'a>,
        cfg: &'a Cfg,
        contexts: &'a [u32],
        originals: bool,
    ) -> Self {
        let mut refs = SecondaryMap::with_default(Ref::KEEP);
        refs.resize(cfg.value_count());
        BodyWriter {
            writer,
            pool,
            numbers_of,
            cfg,
            contexts,
            own: Vec::new(),
            originals,
            refs,
            numbers: SecondaryMap::with_default(NONE),
            incoming: Vec::new(),
            values: Vec::new(),
            placed_branches: FxHashMap::default(),
            pads: pads(cfg),
            funclets: FxHashMap::default(),
        }
    }

    /// Writes the body that `read` describes, with inlined instructions after its own. Its originals are kept if they are `wanted` by
    /// other bodies.
    pub fn write(&mut self, read: &ReadBody, inlined: &[Extent], wanted: bool) -> Result<(), String> {
        let cfg = self.cfg;
        self.own = own(read, inlined);
        self.writer.begin(read.symbol, read.first_source, read.insts, read.params);
        for extent in inlined {
            self.writer.extend(extent.first, extent.count);
        }
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
        if !cfg.merged.is_empty() && self.originals {
            let mut slots: FxHashMap<SourceId, Vec<u32>> = FxHashMap::default();
            for &(inst, slot) in &placed {
                if let Some(source) = cfg.source(inst) {
                    slots.entry(source).or_default().push(slot);
                }
            }
            for &(kept, merged) in &cfg.merged {
                for &slot in slots.get(&kept).into_iter().flatten() {
                    self.writer.merge(slot, merged.as_u32());
                }
            }
        }
        if cfg.described && self.originals {
            self.describe_values(&placed)?;
        }
        self.writer.end(wanted);
        Ok(())
    }

    /// Records replacements of values of instructions that are not in the new body.
    fn describe_values(&mut self, placed: &[(Inst, u32)]) -> Result<(), String> {
        let cfg = self.cfg;
        for &(source, same) in &cfg.same {
            let Some(source) = self.own_source(source) else { continue };
            match same {
                SameAs::Value(value) => {
                    let value = self.value(value)?;
                    self.writer.same(source, value, NONE);
                }
                SameAs::Source(other) => {
                    let Some(other) = self.own_source(other) else { continue };
                    self.writer.same(source, Ref::KEEP, other);
                }
            }
        }
        // Those that were built anew.
        for &(inst, slot) in placed {
            if let Some(source) = cfg.source(inst).and_then(|source| self.own_source(source))
                && !cfg.results(inst).is_empty()
            {
                self.writer.same(source, Ref::slot(slot), NONE);
            }
        }
        for &(param, value) in &cfg.same_params {
            let value = self.value(value)?;
            self.writer.same_param(param, value);
        }
        for &(value, (access, offset)) in &cfg.contents {
            if let Some(access) = self.own_source(access) {
                let value = self.value(value)?;
                self.writer.content(value, access, offset);
            }
        }
        for &end in &cfg.flattened {
            if let Some(end) = self.own_source(end) {
                self.writer.flattened(end);
            }
        }
        for &branch in &cfg.decided {
            if let Some(branch) = self.own_source(branch) {
                self.writer.decided(branch);
            }
        }
        Ok(())
    }

    /// The source of the first thing in a block that has one.
    fn first_source(&self, block: Block) -> u32 {
        let cfg = self.cfg;
        let terminator = cfg.terminator(block);
        let param = cfg.block_params(block).iter().find_map(|&param| cfg.value_source(param));
        param
            .or_else(|| {
                cfg.insts(block).iter().filter(|&&inst| cfg.motion(inst).is_none()).find_map(|&inst| cfg.source(inst))
            })
            .or_else(|| terminator.predicate.expand().and_then(|predicate| cfg.source(predicate)))
            .or(terminator.source.expand())
            .and_then(|source| self.own_source(source))
            .unwrap_or(NONE)
    }

    /// The number of a source, when it is the function's own.
    pub fn own_source(&self, source: SourceId) -> Option<u32> {
        contains(&self.own, source).then_some(source.as_u32())
    }

    /// The number of a source that is used.
    pub fn original(&self, source: Option<SourceId>) -> Option<u32> {
        source.filter(|_| self.originals).map(|source| source.as_u32())
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
            let origin = self.original(cfg.value_source(param)).unwrap_or(NONE);
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
            if let Some(slot) = self.take_or_build(number, inst, 0)? {
                self.define(inst, slot);
                placed.push((inst, slot));
            }
        }
        if let Some(inst) = cfg.terminator(block).predicate.expand()
            && cfg.op(inst).is_branch()
            && !cfg.insts(block).iter().any(|&inst| cfg.op(inst).is_end())
        {
            let arcs = cfg.terminator(block).arcs.len() as u32;
            let slot = self.take_or_build(number, inst, arcs)?.ok_or("a branch of nothing")?;
            self.placed_branches.insert(inst, slot);
            let pad = cfg.invoke(block).map(|invoke| invoke.pad);
            if pad.is_none() || cfg.results(inst).first().copied() != pad {
                self.define(inst, slot);
            }
            if cfg.indirect_labels(block).is_none() {
                placed.push((inst, slot));
            }
        }
        Ok(())
    }

    /// Appends the original of an instruction, or one that says the same; its slot. Operands that are not defined yet are
    /// poison for now. `None` for a call that only declares metadata, which has no meaning without its original.
    fn take_or_build(&mut self, block: u32, inst: Inst, arcs: u32) -> Result<Option<u32>, String> {
        let slot = self.take_or_build_here(block, inst, arcs)?;
        if let (Some(slot), Some(motion)) = (slot, self.cfg.motion(inst)) {
            self.writer.moved(slot, motion);
        }
        Ok(slot)
    }

    /// As [`Self::take_or_build`], with all that the original says of its own place.
    fn take_or_build_here(&mut self, block: u32, inst: Inst, arcs: u32) -> Result<Option<u32>, String> {
        let cfg = self.cfg;
        let op = cfg.op(inst);
        let says = self.describe(inst, arcs)?;
        let original = self.original(cfg.source(inst));
        if let Some(original) = original
            && let Some(slot) = self.writer.take(block, original, &says, cfg.motion(inst).is_some())
        {
            if let Some(flags) = flag_bits(op, self.pool) {
                self.writer.flags(slot, flags);
            }
            if matches!(op, Op::Call(_) | Op::Invoke(_) | Op::CallBr(_)) {
                self.writer.call(slot, &says);
            }
            if let Some(motion) = cfg.motion(inst) {
                self.writer.moved(slot, motion);
            }
            return Ok(Some(slot));
        }
        let Some(operands) = self.new_operands(inst, &says)? else { return Ok(None) };
        let flags = flag_bits(op, self.pool).unwrap_or(0);
        let built = self.writer.build(block, &says, flags, &operands, original.unwrap_or(NONE));
        if let (Some(slot), Some(motion)) = (built, cfg.motion(inst)) {
            self.writer.moved(slot, motion);
        }
        built.map(Some).ok_or_else(|| format!("{} with unexpected operands", op.code().info().mnemonic))
    }

    /// The operands of an instruction that is built, in LLVM's order, poison for those that are not defined yet.
    fn new_operands(&mut self, inst: Inst, says: &Description) -> Result<Option<Vec<Ref>>, String> {
        let cfg = self.cfg;
        let mut operands = Vec::new();
        let (Op::Call(call) | Op::Invoke(call) | Op::CallBr(call)) = cfg.op(inst) else {
            for &operand in cfg.operands(inst) {
                operands.push(self.value_or_poison(operand)?);
            }
            if let Op::Funclet(_) = cfg.op(inst) {
                // The outer funclet comes first here and last in LLVM.
                operands.rotate_left(1);
            }
            return Ok(Some(operands));
        };
        let info = self.pool.call(call);
        let values = cfg.operands(inst);
        let values = &values[..values.len() - info.exits.clauses()];
        let values = if info.assembly.is_some() { values } else { &values[1..] };
        let mut metadata = info.metadata.iter().peekable();
        let arguments = values.len() + info.metadata.len();
        let mut values = values.iter();
        for position in 0..arguments {
            match metadata.next_if(|argument| argument.position as usize == position) {
                Some(argument) => {
                    let Some(text) = &argument.text else {
                        let only_declares = cfg.results(inst).is_empty() && info.metadata.len() == arguments;
                        return if only_declares {
                            Ok(None)
                        } else {
                            Err("a call with metadata that has no text, without an original instruction".to_owned())
                        };
                    };
                    let number = self.writer.carrier().new_metadata(text).ok_or("metadata that LLVM cannot read")?;
                    operands.push(Ref::constant(number));
                }
                None => {
                    let &value = values.next().ok_or("metadata arguments in another order")?;
                    operands.push(self.value_or_poison(value)?);
                }
            }
        }
        operands.push(match &info.assembly {
            Some(asm) => {
                let number = self.writer.carrier().new_assembly(says.extra[0], asm);
                Ref::constant(number.ok_or("assembly that LLVM does not accept")?)
            }
            None => self.value_or_poison(cfg.operands(inst)[0])?,
        });
        Ok(Some(operands))
    }

    /// A value as operand, or poison instead of one that is defined in a later block.
    fn value_or_poison(&mut self, value: Value) -> Result<Ref, String> {
        let reference = self.value(value)?;
        if reference != Ref::KEEP {
            return Ok(reference);
        }
        let ty = self.cfg.ty(value);
        let placeholder = match self.pool.type_kind(ty) {
            TypeKind::Token => self.pool.intern_const(Constant::None(ty)),
            _ => self.pool.poison(ty),
        };
        Ok(Ref::constant(self.constant_number(placeholder)?))
    }

    /// The parameter of a block that represents its landing pad.
    fn pad_param(&self, block: Block) -> Option<Value> {
        self.pads.get(&block)?.1
    }

    /// Places the landing pad of a block that invokes unwind to.
    fn place_pad(&mut self, block: Block) -> Result<(), String> {
        let Some((invokes, param)) = self.pads.get(&block) else { return Ok(()) };
        let (invoke, block) = (invokes[0], self.numbers[block]);
        let CallExits::Unwind(pad) = &self.pool.call(invoke.call).exits else {
            return Err("an invoke without a landing pad".to_owned());
        };
        let pads: Vec<Value> = invokes.iter().map(|invoke| invoke.pad).chain(*param).collect();
        let says = self.describe_pad(self.cfg.ty(invoke.pad), pad)?;
        let operands = self.cfg.operands(invoke.inst);
        let clauses: Vec<Ref> = operands[operands.len() - pad.clauses.len()..]
            .iter()
            .map(|&clause| self.value(clause))
            .collect::<Result<_, _>>()?;
        let original = self.original(self.cfg.source(invoke.inst)).and_then(|source| self.writer.landing_pad(source));
        let taken = original.and_then(|original| self.writer.take(block, original, &says, false));
        let slot = match taken {
            Some(slot) => {
                self.writer.operands(slot, &clauses);
                slot
            }
            None if clauses.contains(&Ref::KEEP) => return Err("a clause that is no constant".to_owned()),
            None => self.writer.build(block, &says, 0, &clauses, NONE).ok_or("a landing pad of another type")?,
        };
        for value in pads {
            self.refs[value] = Ref::slot(slot);
        }
        Ok(())
    }

    fn define(&mut self, inst: Inst, slot: u32) {
        if let Op::Funclet(funclet) = self.cfg.op(inst)
            && let Some(number) = funclet.number()
        {
            self.funclets.insert(number, Ref::slot(slot));
        }
        if let Some(&result) = self.cfg.results(inst).first() {
            self.refs[result] = Ref::slot(slot);
        }
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
                Op::Const(constant) => {
                    if let Constant::Funclet { number, .. } = self.pool.constant(constant) {
                        return Ok(self.funclets.get(number).copied().unwrap_or(Ref::KEEP));
                    }
                    let holes: Vec<u32> =
                        self.cfg.operands(inst).iter().map(|&hole| self.filling(hole)).collect::<Result<_, _>>()?;
                    Ref::constant(constants::number(
                        self.writer.carrier(),
                        self.pool,
                        self.numbers_of.types,
                        self.numbers_of.constants,
                        constant,
                        &holes,
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

    /// The number of a value that fills a hole: a symbol, or a constant whose holes symbols fill.
    fn filling(&mut self, value: Value) -> Result<u32, String> {
        match self.cfg.def(value) {
            ValueDef::Context(index) => Ok(self.contexts[index as usize]),
            ValueDef::Result(inst, _) if let Op::Const(constant) = self.cfg.op(inst) => {
                let symbol = |&hole: &Value| match self.cfg.def(hole) {
                    ValueDef::Context(index) => Ok(self.contexts[index as usize]),
                    _ => Err("a constant over constants over something that is not a symbol"),
                };
                let holes: Vec<u32> = self.cfg.operands(inst).iter().map(symbol).collect::<Result<_, _>>()?;
                let Numbers { types, constants, .. } = &mut self.numbers_of;
                constants::number(self.writer.carrier(), self.pool, types, constants, constant, &holes)
            }
            _ => Err("a constant over something that is not a symbol".to_owned()),
        }
    }

    pub fn type_number(&mut self, ty: Type) -> Result<u32, String> {
        constants::type_number(self.writer.carrier(), self.pool, self.numbers_of.types, ty)
    }

    /// The number of a call's attributes.
    pub fn attributes(&mut self, attributes: Attributes) -> Result<u32, String> {
        let Numbers { types, attributes: lists, .. } = &mut self.numbers_of;
        constants::attributes(self.writer.carrier(), self.pool, types, lists, attributes)
    }

    /// The number of a constant without symbols.
    pub fn constant_number(&mut self, constant: rvsdg_core::Const) -> Result<u32, String> {
        let Numbers { types, constants, .. } = &mut self.numbers_of;
        constants::number(self.writer.carrier(), self.pool, types, constants, constant, &[])
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

/// The blocks that invokes unwind to, each with these invokes and the parameter that is its landing pad's value.
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
