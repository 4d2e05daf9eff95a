//! Function bodies as control flow graphs.
//!
//! Blocks that cannot be reached from the entry are dropped. Phis become block parameters and arguments of arcs; several
//! edges from one block to another become one arc. Cost: linear in instructions, edges and incoming values of phis.

use cranelift_entity::packed_option::PackedOption;
use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::{Cfg, Inst, Value};
use rvsdg_cfg::shape::Block;
use rvsdg_core::op::{CallExits, Funclet, MatchTableId, Op};
use rvsdg_core::{Constant, SourceId, Type, TypeKind};
use smallvec::SmallVec;

use super::branches::funclet_successors;
use super::calls::{self, CallSite};
use super::{Known, Tables, ops};
use crate::opcode::Opcode;
use crate::stream::{BodyStream, Operand, Record};

/// Memory reused from body to body.
#[derive(Default)]
pub(super) struct Scratch {
    /// By constant number: the value in the body with that epoch.
    constants: Vec<(u32, PackedOption<Value>)>,
    epoch: u32,
}

/// What is known of a function before its body is read.
pub(super) struct Signature<'a> {
    pub params: &'a [Type],
    /// `None` for void.
    pub result: Option<Type>,
    /// Whether the function has `mustprogress`.
    pub progress: bool,
}

/// A body that was read.
pub(super) struct Done {
    pub cfg: Cfg,
    /// Symbol numbers of the context variables.
    pub contexts: Vec<u32>,
}

/// An edge of the control flow graph, without duplicates.
#[derive(Copy, Clone)]
pub(super) struct Edge {
    pub(super) from: u32,
    pub(super) to: u32,
    /// Where its arguments start.
    pub(super) args: u32,
}

/// The successors of each block, in LLVM's order without duplicates, reachability, and landing pads.
pub(super) struct Flow<'a> {
    edges: Vec<Edge>,
    /// By block that begins with one: its landing pad.
    pub(super) pads: FxHashMap<u32, Pad<'a>>,
    /// The numbers of the tokens of funclets among the local values.
    funclets: Vec<u32>,
    /// By block: its range in `edges`.
    outgoing: Vec<std::ops::Range<u32>>,
    reachable: Vec<bool>,
}

/// The landing pad of a block.
pub(super) struct Pad<'a> {
    pub(super) record: Record<'a>,
    /// The number of its value among the local ones.
    local: u32,
    /// How many edges of invokes that can be reached lead there.
    pub(super) invokes: u32,
}

/// An invoke that was read: the block with its landing pad, and the landing pad's value.
struct Unwinding {
    to: u32,
    pad: Value,
}

/// A phi: the block it is in, its operands, and the blocks they come from.
struct Phi<'a> {
    block: u32,
    record: Record<'a>,
}

pub(super) struct BodyReader<'a> {
    pub(super) tables: &'a mut Tables,
    scratch: &'a mut Scratch,
    pub(super) cfg: Cfg,
    contexts: Vec<u32>,
    pub(super) locals: Vec<PackedOption<Value>>,
    /// Operands that were not defined yet when their user was read.
    pub(super) late: Vec<(Inst, u32, u32)>,
    placeholder: Option<Value>,
    /// What a block that ends in `unreachable` returns.
    pub(super) poison: Option<Value>,
    pub(super) two_way: Option<MatchTableId>,
    operands: Vec<Value>,
    /// By local value that no phi can carry: the block that makes it.
    pinned: FxHashMap<u32, Block>,
}

const PINNED: &str = "token or swifterror allocation used outside of its block";

/// Reads the body in `stream`; an error names a construct that cannot be represented.
pub(super) fn read(
    tables: &mut Tables,
    scratch: &mut Scratch,
    stream: &BodyStream,
    signature: &Signature<'_>,
) -> Result<Done, &'static str> {
    if stream.address_kept {
        return Err("address of a block that no indirectbr leads to");
    }
    let flow = Flow::read(stream);
    scratch.epoch += 1;
    let mut cfg = Cfg::new(tables.pool.clone());
    cfg.progress = signature.progress;
    cfg.described = stream.described;
    let mut locals = Vec::with_capacity((stream.params + stream.insts) as usize);
    locals.extend(signature.params.iter().map(|&ty| PackedOption::from(cfg.add_param(ty))));
    locals.resize((stream.params + stream.insts) as usize, None.into());
    if let Some(result) = signature.result {
        cfg.add_block_param(cfg.exit(), result, None);
    }
    let mut reader = BodyReader {
        tables,
        scratch,
        cfg,
        contexts: Vec::new(),
        locals,
        late: Vec::new(),
        placeholder: None,
        poison: None,
        two_way: None,
        operands: Vec::new(),
        pinned: FxHashMap::default(),
    };
    reader.body(stream, flow, signature.result)?;
    Ok(Done { cfg: reader.cfg, contexts: reader.contexts })
}

/// The symbols that a body mentions, in order of first mention.
pub(super) fn references(tables: &mut Tables, stream: &BodyStream) -> Vec<u32> {
    let mut symbols = Vec::new();
    let mut cursor = stream.cursor();
    for _ in 0..stream.blocks {
        for _ in 0..cursor.block() {
            for operand in cursor.inst().operands() {
                let Operand::Constant(number) = operand else { continue };
                match tables.constant(number) {
                    Known::Symbol => symbols.push(number),
                    Known::Symbolic(_, holes) => symbols.extend_from_slice(holes),
                    Known::Plain(_) | Known::Metadata(_) | Known::Assembly | Known::Unsupported(_) => {}
                }
            }
        }
    }
    let mut seen = rustc_hash::FxHashSet::default();
    symbols.retain(|&symbol| seen.insert(symbol));
    symbols
}

impl<'a> Flow<'a> {
    fn read(stream: &'a BodyStream) -> Flow<'a> {
        let blocks = stream.blocks as usize;
        let mut edges = Vec::new();
        let mut outgoing = Vec::with_capacity(blocks);
        // By block: the last one found to have an edge to it, plus one.
        let mut seen = vec![0; blocks];
        let mut pads = FxHashMap::default();
        let mut funclets = Vec::new();
        let mut local = stream.params;
        let mut cursor = stream.cursor();
        for from in 0..stream.blocks {
            let start = edges.len() as u32;
            let mut add = |to: u32| {
                if std::mem::replace(&mut seen[to as usize], from + 1) != from + 1 {
                    edges.push(Edge { from, to, args: 0 });
                }
            };
            for _ in 0..cursor.block() {
                let record = cursor.inst();
                match record.opcode {
                    Opcode::Br | Opcode::IndirectBr => record.extra.iter().for_each(|&to| add(to)),
                    Opcode::Switch => {
                        add(record.extra[0]);
                        record.extra[1..].chunks_exact(2).for_each(|case| add(case[1]));
                    }
                    Opcode::Invoke | Opcode::CallBr => calls::successors(&record).iter().for_each(|&to| add(to)),
                    Opcode::LandingPad => {
                        pads.insert(from, Pad { record, local, invokes: 0 });
                    }
                    Opcode::CatchSwitch | Opcode::CatchRet | Opcode::CleanupRet => {
                        funclet_successors(&record).iter().for_each(|&to| add(to));
                    }
                    Opcode::Ret | Opcode::Resume | Opcode::Unreachable => {}
                    other => debug_assert!(!other.is_terminator(), "{other:?} may have successors"),
                }
                if matches!(record.opcode, Opcode::CatchSwitch | Opcode::CatchPad | Opcode::CleanupPad) {
                    funclets.push(local);
                }
                local += 1;
            }
            outgoing.push(start..edges.len() as u32);
        }
        let mut reachable = vec![false; blocks];
        reachable[0] = true;
        let mut pending = vec![0];
        while let Some(block) = pending.pop() {
            let range: std::ops::Range<u32> = outgoing[block as usize].clone();
            for edge in &edges[range.start as usize..range.end as usize] {
                if !std::mem::replace(&mut reachable[edge.to as usize], true) {
                    pending.push(edge.to);
                }
            }
        }
        for edge in &edges {
            if reachable[edge.from as usize]
                && let Some(pad) = pads.get_mut(&edge.to)
            {
                pad.invokes += 1;
            }
        }
        Flow { edges, pads, funclets, outgoing, reachable }
    }

    pub(super) fn edges_of(&self, block: u32) -> &[Edge] {
        let range = self.outgoing[block as usize].clone();
        &self.edges[range.start as usize..range.end as usize]
    }
}

impl BodyReader<'_> {
    fn body<'a>(
        &mut self,
        stream: &'a BodyStream,
        mut flow: Flow<'a>,
        result: Option<Type>,
    ) -> Result<(), &'static str> {
        let blocks: Vec<PackedOption<Block>> = (0..stream.blocks)
            .map(|old| match old {
                0 => self.cfg.entry().into(),
                _ if flow.reachable[old as usize] => self.cfg.add_block().into(),
                _ => None.into(),
            })
            .collect();
        let token = self.tables.pool.intern_type(TypeKind::Token);
        for &local in &flow.funclets {
            let constant = self.tables.pool.intern_const(Constant::Funclet { ty: token, number: local });
            self.locals[local as usize] = self.cfg.add_const(constant, &[]).into();
        }
        let mut phis: Vec<Phi<'_>> = Vec::new();
        let mut terminators: Vec<(u32, Record<'_>, SourceId)> = Vec::new();
        let mut unwinding: Vec<Unwinding> = Vec::new();
        let mut cursor = stream.cursor();
        let mut local = stream.params as usize;
        let mut source = stream.first_source;
        for old in 0..stream.blocks {
            let Some(block) = blocks[old as usize].expand() else {
                for _ in 0..cursor.block() {
                    cursor.inst();
                    local += 1;
                    source += 1;
                }
                continue;
            };
            for _ in 0..cursor.block() {
                let record = cursor.inst();
                let id = SourceId::from_u32(source);
                match record.opcode {
                    Opcode::Phi => {
                        let ty = self.tables.ty(record.ty);
                        self.locals[local] = self.cfg.add_block_param(block, ty, Some(id)).into();
                        phis.push(Phi { block: old, record });
                    }
                    Opcode::Br | Opcode::Switch | Opcode::IndirectBr | Opcode::Ret => {
                        terminators.push((old, record, id))
                    }
                    Opcode::Unreachable => {
                        let inst = self.cfg.add_inst(block, Op::Unreachable, &[], &[]);
                        self.cfg.set_source(inst, Some(id));
                        terminators.push((old, record, id));
                    }
                    Opcode::CatchSwitch | Opcode::CatchRet | Opcode::CleanupRet if !flow.edges_of(old).is_empty() => {
                        let inst = self.funclet_branch(block, &record, id, local as u32, flow.edges_of(old))?;
                        self.cfg.terminator_mut(block).predicate = inst.into();
                        terminators.push((old, record, id));
                    }
                    Opcode::Invoke | Opcode::CallBr => {
                        let inst = self.branching_call(block, &record, id, local, flow.edges_of(old), &flow.pads)?;
                        self.cfg.terminator_mut(block).predicate = inst.into();
                        if let Some(invoke) = self.cfg.invoke(block) {
                            unwinding.push(Unwinding { to: flow.edges_of(old)[1].to, pad: invoke.pad });
                        }
                        terminators.push((old, record, id));
                    }
                    Opcode::LandingPad => {
                        let pad = &flow.pads[&old];
                        if pad.invokes > 1 {
                            let ty = self.tables.ty(record.ty);
                            self.locals[local] = self.cfg.add_block_param(block, ty, Some(id)).into();
                        }
                    }
                    Opcode::Resume | Opcode::CleanupRet => {
                        self.instruction(block, &record, id, local)?;
                        terminators.push((old, record, id));
                    }
                    _ => self.instruction(block, &record, id, local)?,
                }
                local += 1;
                source += 1;
            }
        }
        // A landing pad that one invoke unwinds to needs no parameter.
        for &Unwinding { to, pad } in &unwinding {
            let landing = &flow.pads[&to];
            if landing.invokes == 1 {
                self.locals[landing.local as usize] = pad.into();
            }
        }
        let args = self.arguments(stream.blocks, &mut flow, &phis)?;
        for (old, record, id) in &terminators {
            let block = blocks[*old as usize].expect("only reachable blocks were read");
            self.terminator(block, *old, record, *id, &flow, &blocks, &args, result)?;
        }
        self.cfg.labels.sort_unstable_by_key(|&(label, _)| label);
        self.cfg.labels.dedup();
        for (inst, position, local) in std::mem::take(&mut self.late) {
            let value = self.locals[local as usize].expand().ok_or("use of a value that is never defined")?;
            if self.pinned.contains_key(&local) {
                return Err(PINNED);
            }
            self.cfg.operands_mut(inst)[position as usize] = value;
        }
        Ok(())
    }

    /// The arguments of all edges between reachable blocks; sets where each edge's start.
    fn arguments(&mut self, blocks: u32, flow: &mut Flow, phis: &[Phi<'_>]) -> Result<Vec<Value>, &'static str> {
        let mut count = vec![0u32; blocks as usize];
        for phi in phis {
            count[phi.block as usize] += 1;
        }
        // Edges by target, so that each phi is visited once.
        let mut incoming: Vec<u32> = (0..flow.edges.len() as u32)
            .filter(|&edge| {
                let edge = flow.edges[edge as usize];
                flow.reachable[edge.from as usize] && count[edge.to as usize] > 0
            })
            .collect();
        incoming.sort_by_key(|&edge| flow.edges[edge as usize].to);
        let mut total = 0;
        for &edge in &incoming {
            flow.edges[edge as usize].args = total;
            total += count[flow.edges[edge as usize].to as usize];
        }
        let mut args: Vec<PackedOption<Value>> = vec![None.into(); total as usize];
        // By block: where the arguments of its edge to the current target start.
        let mut start = vec![0u32; blocks as usize];
        let mut next = 0;
        let mut position = 0;
        let mut current = None;
        for phi in phis {
            if current != Some(phi.block) {
                current = Some(phi.block);
                position = 0;
                while let Some(&edge) = incoming.get(next)
                    && flow.edges[edge as usize].to <= phi.block
                {
                    let edge = flow.edges[edge as usize];
                    start[edge.from as usize] = edge.args;
                    next += 1;
                }
            }
            for (operand, &from) in phi.record.operands().zip(phi.record.extra) {
                if flow.reachable[from as usize] {
                    let value = self.operand(operand)?.ok_or("use of a value that is never defined")?;
                    args[(start[from as usize] + position) as usize] = value.into();
                }
            }
            position += 1;
        }
        args.into_iter().map(|arg| arg.expand().ok_or("phi without a value for a predecessor")).collect()
    }

    fn instruction(
        &mut self,
        block: Block,
        record: &Record<'_>,
        id: SourceId,
        local: usize,
    ) -> Result<(), &'static str> {
        let mut operands = std::mem::take(&mut self.operands);
        operands.clear();
        let mut late: SmallVec<[(u32, u32); 2]> = SmallVec::new();
        let op = if record.opcode == Opcode::Call {
            let site = self.tables.call(record, CallExits::Return)?;
            self.call_operands(block, record, &site, &mut operands, &mut late)?;
            Op::Call(site.call)
        } else {
            for operand in record.operands() {
                self.push_operand(block, operand, &mut operands, &mut late)?;
            }
            self.op(record, local as u32)?
        };
        let ty = self.tables.ty(record.ty);
        let inst = if ty == Type::VOID || matches!(op, Op::Funclet(_)) {
            self.cfg.add_inst(block, op, &operands, &[])
        } else {
            let inst = self.cfg.add_inst(block, op, &operands, &[ty]);
            if self.is_pinned(op, ty) {
                self.pinned.insert(local as u32, block);
            }
            self.locals[local] = self.cfg.results(inst)[0].into();
            inst
        };
        self.cfg.set_source(inst, Some(id));
        if op.may_carry_io() && self.may_trap(op, operands[1]) {
            self.cfg.set_guarded(inst);
        }
        self.late.extend(late.into_iter().map(|(position, local)| (inst, position, local)));
        self.operands = operands;
        Ok(())
    }

    /// The operands of a call, without those that are part of its description.
    pub(super) fn call_operands(
        &mut self,
        block: Block,
        record: &Record<'_>,
        site: &CallSite,
        operands: &mut Vec<Value>,
        late: &mut SmallVec<[(u32, u32); 2]>,
    ) -> Result<(), &'static str> {
        let count = record.operands().len();
        // The callee comes last in LLVM and first here.
        let order = std::iter::once(count - 1).chain(0..count - 1);
        for position in order.filter(|&position| site.kept.is_empty() || site.kept[position]) {
            self.push_operand(block, record.operand(position), operands, late)?;
        }
        Ok(())
    }

    fn op(&mut self, record: &Record<'_>, local: u32) -> Result<Op, &'static str> {
        if let Some(op) = self.tables.memory_op(record)? {
            return Ok(op);
        }
        match record.opcode {
            Opcode::Resume => Ok(Op::Resume),
            Opcode::CatchPad => Ok(Op::Funclet(Funclet::CatchPad(local))),
            Opcode::CleanupPad => Ok(Op::Funclet(Funclet::CleanupPad(local))),
            Opcode::CleanupRet => Ok(Op::Funclet(Funclet::CleanupRet { to_caller: true })),
            opcode => {
                let source = (opcode == Opcode::GetElementPtr).then(|| self.tables.ty(record.extra[0]));
                ops::pure(opcode, record.flags, source, record.extra, &self.tables.pool)
                    .ok_or("instruction of unknown kind")
            }
        }
    }

    /// Whether no phi can carry the result of an operation. Values defined in the entry block are never merged, nor those only used in
    /// their own block.
    fn is_pinned(&self, op: Op, ty: Type) -> bool {
        *self.tables.pool.type_kind(ty) == TypeKind::Token || matches!(op, Op::Alloca { swift_error: true, .. })
    }

    /// Whether a division by this divisor may trap: it is not a constant, or zero, or minus one for a signed one.
    fn may_trap(&self, op: Op, divisor: Value) -> bool {
        let pool = &self.tables.pool;
        let signed =
            matches!(op, Op::IntBinary { op: rvsdg_core::op::IntBinary::SDiv | rvsdg_core::op::IntBinary::SRem, .. });
        let Some((mut constant, _)) = self.cfg.as_const(divisor) else { return true };
        if let Constant::Splat { element, .. } = *pool.constant(constant) {
            constant = element;
        }
        let Constant::Int { ty, words } = pool.constant(constant) else { return true };
        let TypeKind::Int(bits) = *pool.type_kind(*ty) else { return true };
        let limbs = words.as_slice();
        let zero = limbs.iter().all(|&limb| limb == 0);
        let ones = limbs.iter().map(|limb| limb.count_ones()).sum::<u32>() == bits;
        zero || signed && ones
    }

    pub(super) fn push_operand(
        &mut self,
        block: Block,
        operand: Operand,
        operands: &mut Vec<Value>,
        late: &mut SmallVec<[(u32, u32); 2]>,
    ) -> Result<(), &'static str> {
        if let Operand::Local(local) = operand
            && let Some(&from) = self.pinned.get(&local)
            && from != block
            && from != self.cfg.entry()
        {
            return Err(PINNED);
        }
        let value = match self.operand(operand)? {
            Some(value) => value,
            None => {
                let (Operand::Local(local) | Operand::Metadata(local)) = operand else {
                    unreachable!("constants are always defined")
                };
                late.push((operands.len() as u32, local));
                *self.placeholder.get_or_insert_with(|| {
                    let poison = self.tables.pool.poison(Type::I1);
                    self.cfg.add_const(poison, &[])
                })
            }
        };
        operands.push(value);
        Ok(())
    }

    /// The value of an operand; `None` for a local one that is not defined yet.
    pub(super) fn operand(&mut self, operand: Operand) -> Result<Option<Value>, &'static str> {
        match operand {
            Operand::Local(local) | Operand::Metadata(local) => Ok(self.locals[local as usize].expand()),
            Operand::Constant(number) => self.constant(number).map(Some),
            Operand::Block => Err("label as an operand"),
            Operand::Unsupported => Err("list of debug values as an operand"),
        }
    }

    fn constant(&mut self, number: u32) -> Result<Value, &'static str> {
        let at = number as usize;
        if self.scratch.constants.len() <= at {
            self.scratch.constants.resize(at + 1, (0, None.into()));
        }
        if let (epoch, value) = self.scratch.constants[at]
            && epoch == self.scratch.epoch
        {
            return Ok(value.expect("an entry of this epoch has a value"));
        }
        let value = match self.tables.constant(number).clone() {
            Known::Symbol => {
                let ty = self.tables.symbol_types[at];
                self.contexts.push(number);
                self.cfg.add_context(ty)
            }
            Known::Plain(constant) => self.cfg.add_const(constant, &[]),
            Known::Symbolic(constant, holes) => {
                let mut values: SmallVec<[Value; 2]> = SmallVec::new();
                for &symbol in &holes {
                    values.push(self.constant(symbol)?);
                }
                self.cfg.add_const(constant, &values)
            }
            Known::Metadata(_) => return Err("metadata as an operand"),
            Known::Assembly => return Err("assembly as an operand"),
            Known::Unsupported(construct) => return Err(construct),
        };
        self.scratch.constants[at] = (self.scratch.epoch, value.into());
        Ok(value)
    }
}
