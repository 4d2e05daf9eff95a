//! Control flow graphs in SSA form, with block parameters instead of phis.
//!
//! Instructions have value operands only; which states they touch follows from their operation. A block ends in a
//! terminator: an optional predicate (an instruction whose operation chooses an alternative) and one arc per alternative.
//! An arc assigns its arguments to its target's parameters. The graph is closed (thesis B2, definition 8): one virtual
//! exit block without instructions, whose parameters are the returned values. A block that returns, and one that ends in
//! `unreachable`, has an arc to it.

use std::sync::Arc as Shared;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityList, ListPool, PrimaryMap, SecondaryMap, entity_impl};
use rvsdg_core::graph::Held;
use rvsdg_core::hints::LoopHints;
use rvsdg_core::op::{Call, CallExits, Effects, Indices, Op};
use rvsdg_core::{Const, Motion, Pool, SourceId, Type};
use smallvec::SmallVec;

use crate::shape::{ArcRef, Block, Shape};

/// An instruction of a [`Cfg`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Inst(u32);
entity_impl!(Inst, "i");

/// A value of a [`Cfg`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(u32);
entity_impl!(Value, "x");

/// Where a value comes from.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ValueDef {
    /// The address of the symbol of a context variable, by position.
    Context(u32),
    /// A parameter of the function, by position.
    Parameter(u32),
    /// A parameter of a block, by position.
    BlockParam(Block, u32),
    /// A result of an instruction, by position. A constant is the result of an instruction that is in no block.
    Result(Inst, u32),
}

#[derive(Clone)]
struct ValueData {
    ty: Type,
    def: ValueDef,
    source: PackedOption<SourceId>,
}

#[derive(Clone)]
struct InstData {
    op: Op,
    guarded: bool,
    operands: EntityList<Value>,
    results: EntityList<Value>,
    source: PackedOption<SourceId>,
    motion: Option<Motion>,
}

/// A transition to a block.
#[derive(Clone)]
pub struct Arc {
    /// The destination.
    pub target: Block,
    args: EntityList<Value>,
}

/// How a block ends.
#[derive(Clone, Default)]
pub struct Terminator {
    /// The instruction whose alternative chooses the arc: it is in no block's list, and its last result, a predicate, is
    /// not a value of the graph. `None` when there is at most one arc.
    pub predicate: PackedOption<Inst>,
    /// One arc per alternative.
    pub arcs: SmallVec<[Arc; 2]>,
    /// The original terminator.
    pub source: PackedOption<SourceId>,
    /// Whether a loop that this terminator repeats may be assumed to make progress (`llvm.loop.mustprogress`).
    pub progress: bool,
    /// What is said about a loop that this terminator repeats.
    pub hints: LoopHints,
}

/// An invoke at the end of a block.
#[derive(Copy, Clone)]
pub struct Invoke {
    /// The predicate of the terminator.
    pub inst: Inst,
    /// What is called.
    pub call: Call,
    /// What the callee returns, on the first arc.
    pub result: Option<Value>,
    /// The landing pad's value, on the second arc.
    pub pad: Value,
}

#[derive(Clone, Default)]
struct BlockData {
    params: SmallVec<[Value; 4]>,
    insts: Vec<Inst>,
    terminator: Terminator,
}

/// The control flow graph of one function.
///
/// ```
/// use std::sync::Arc;
///
/// use rvsdg_cfg::cfg::Cfg;
/// use rvsdg_core::op::{BinaryFlags, IntBinary, Op};
/// use rvsdg_core::{Pool, Type};
///
/// let mut cfg = Cfg::new(Arc::new(Pool::new()));
/// let x = cfg.add_param(Type::I32);
/// let sum = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NONE };
/// let (entry, exit) = (cfg.entry(), cfg.exit());
/// let inst = cfg.add_inst(entry, sum, &[x, x], &[Type::I32]);
/// let twice = cfg.results(inst)[0];
/// // The exit's parameter is what the function returns.
/// cfg.add_block_param(exit, Type::I32, None);
/// cfg.add_arc(entry, exit, &[twice]);
/// cfg.verify()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Cfg {
    pool: Shared<Pool>,
    blocks: PrimaryMap<Block, BlockData>,
    insts: PrimaryMap<Inst, InstData>,
    values: PrimaryMap<Value, ValueData>,
    lists: ListPool<Value>,
    contexts: Vec<Value>,
    params: Vec<Value>,
    entry: Block,
    exit: Block,
    /// Whether loops of the function may be assumed to make progress (`mustprogress`).
    pub progress: bool,
    /// Blocks with an address: the number of the original block whose address it is, and the block. Only indirect branches
    /// lead there by that address.
    pub labels: Vec<(u32, Block)>,
    /// Sources of instructions, each with the source of another whose value it now provides too: the promises of the other about its
    /// value hold only if this one makes them as well.
    pub merged: Vec<(SourceId, SourceId)>,
    /// Whether values of instructions are described for debuggers, so that replacements must be recorded.
    pub described: bool,
    /// Sources whose value something else has now.
    pub same: Vec<(SourceId, SameAs)>,
    /// Parameters, by position, that were replaced wherever the replacement is defined.
    pub same_params: Vec<(u32, Value)>,
    /// Block parameters and results that are, from their position on, the contents of memory of the original, and allocations that
    /// replace a part of such memory.
    pub contents: Vec<(Value, Held)>,
    /// The jumps at the ends of blocks that are executed in any case now.
    pub flattened: Vec<SourceId>,
    /// The branches of which it is known where they go.
    pub decided: Vec<SourceId>,
}

/// What has the value of an instruction that is gone.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SameAs {
    /// A value, where it is defined.
    Value(Value),
    /// Another instruction, which may be gone as well.
    Source(SourceId),
}

impl Cfg {
    /// A graph of an entry block (the first id) and the virtual exit block, without any arc.
    pub fn new(pool: Shared<Pool>) -> Self {
        let mut blocks = PrimaryMap::new();
        let entry = blocks.push(BlockData::default());
        let exit = blocks.push(BlockData::default());
        Cfg {
            pool,
            blocks,
            insts: PrimaryMap::new(),
            values: PrimaryMap::new(),
            lists: ListPool::new(),
            contexts: Vec::new(),
            params: Vec::new(),
            entry,
            exit,
            progress: false,
            labels: Vec::new(),
            merged: Vec::new(),
            described: false,
            same: Vec::new(),
            same_params: Vec::new(),
            contents: Vec::new(),
            flattened: Vec::new(),
            decided: Vec::new(),
        }
    }

    /// The module's interned types, constants and payloads.
    pub fn pool(&self) -> &Shared<Pool> {
        &self.pool
    }

    /// Where execution starts; no arc leads there.
    pub fn entry(&self) -> Block {
        self.entry
    }

    /// The virtual exit; no arc leaves it, and its parameters are the returned values.
    pub fn exit(&self) -> Block {
        self.exit
    }

    /// Adds an empty block. Block order is the order of creation: source order for an imported function, layout order
    /// for a recovered one; the virtual exit's place in it means nothing.
    pub fn add_block(&mut self) -> Block {
        self.blocks.push(BlockData::default())
    }

    /// All blocks in order, the virtual exit included.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = Block> + ExactSizeIterator + use<> {
        self.blocks.keys()
    }

    /// How many blocks there are, the virtual exit included.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// How many instructions there are, constants and predicates included.
    pub fn inst_count(&self) -> usize {
        self.insts.len()
    }

    /// How many values there are.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// Adds a context variable: the address of a symbol.
    pub fn add_context(&mut self, ty: Type) -> Value {
        let value = self.new_value(ty, ValueDef::Context(self.contexts.len() as u32));
        self.contexts.push(value);
        value
    }

    /// The context variables.
    pub fn contexts(&self) -> &[Value] {
        &self.contexts
    }

    /// Adds a parameter of the function.
    pub fn add_param(&mut self, ty: Type) -> Value {
        let value = self.new_value(ty, ValueDef::Parameter(self.params.len() as u32));
        self.params.push(value);
        value
    }

    /// The parameters of the function.
    pub fn params(&self) -> &[Value] {
        &self.params
    }

    /// Adds a parameter to a block; `source` is the phi it represents.
    pub fn add_block_param(&mut self, block: Block, ty: Type, source: Option<SourceId>) -> Value {
        let index = self.blocks[block].params.len() as u32;
        let value = self.new_value(ty, ValueDef::BlockParam(block, index));
        self.values[value].source = source.into();
        self.blocks[block].params.push(value);
        value
    }

    /// The parameters of a block.
    pub fn block_params(&self, block: Block) -> &[Value] {
        &self.blocks[block].params
    }

    /// Adds an instruction to the end of a block.
    pub fn add_inst(&mut self, block: Block, op: Op, operands: &[Value], results: &[Type]) -> Inst {
        let inst = self.add_detached(op, operands, results);
        self.blocks[block].insts.push(inst);
        inst
    }

    /// Adds an instruction that is in no block: a predicate or a constant.
    pub fn add_detached(&mut self, op: Op, operands: &[Value], results: &[Type]) -> Inst {
        let operands = EntityList::from_slice(operands, &mut self.lists);
        let inst = self.insts.push(InstData {
            op,
            guarded: false,
            operands,
            results: EntityList::new(),
            source: None.into(),
            motion: None,
        });
        let mut list = EntityList::new();
        for (index, &ty) in results.iter().enumerate() {
            let value = self.new_value(ty, ValueDef::Result(inst, index as u32));
            list.push(value, &mut self.lists);
        }
        self.insts[inst].results = list;
        inst
    }

    /// Adds a constant; `holes` are the addresses of its symbols. The caller avoids duplicates.
    pub fn add_const(&mut self, constant: Const, holes: &[Value]) -> Value {
        let ty = self.pool.constant(constant).ty();
        let inst = self.add_detached(Op::Const(constant), holes, &[ty]);
        self.results(inst)[0]
    }

    /// The instructions of a block.
    pub fn insts(&self, block: Block) -> &[Inst] {
        &self.blocks[block].insts
    }

    /// The instructions of a block, for moving them.
    pub fn insts_mut(&mut self, block: Block) -> &mut Vec<Inst> {
        &mut self.blocks[block].insts
    }

    /// What an instruction computes.
    pub fn op(&self, inst: Inst) -> Op {
        self.insts[inst].op
    }

    /// An instruction's operands.
    pub fn operands(&self, inst: Inst) -> &[Value] {
        self.insts[inst].operands.as_slice(&self.lists)
    }

    /// An instruction's operands, for replacing them.
    pub fn operands_mut(&mut self, inst: Inst) -> &mut [Value] {
        self.insts[inst].operands.as_mut_slice(&mut self.lists)
    }

    /// Adds an operand, for instructions that are built before their operands are known.
    pub fn push_operand(&mut self, inst: Inst, operand: Value) {
        self.insts[inst].operands.push(operand, &mut self.lists);
    }

    /// An instruction's results, without the predicate.
    pub fn results(&self, inst: Inst) -> &[Value] {
        self.insts[inst].results.as_slice(&self.lists)
    }

    /// The original instruction.
    pub fn source(&self, inst: Inst) -> Option<SourceId> {
        self.insts[inst].source.expand()
    }

    /// Says which instruction this one came from.
    pub fn set_source(&mut self, inst: Inst, source: Option<SourceId>) {
        self.insts[inst].source = source.into();
    }

    /// How the instruction was moved away from the position of its original; `None` if it was not.
    pub fn motion(&self, inst: Inst) -> Option<Motion> {
        self.insts[inst].motion
    }

    /// Records how the instruction was moved away from the position of its original.
    pub fn set_motion(&mut self, inst: Inst, motion: Option<Motion>) {
        self.insts[inst].motion = motion;
    }

    /// Records that an instruction may trap and stays after what might not return ([`Op::may_carry_io`]).
    pub fn set_guarded(&mut self, inst: Inst) {
        self.insts[inst].guarded = true;
    }

    /// The states an instruction takes and produces.
    pub fn effects(&self, inst: Inst) -> Effects {
        let data = &self.insts[inst];
        let effects = data.op.effects(&self.pool);
        Effects { io: effects.io || data.guarded, ..effects }
    }

    /// A value's type.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// Where a value comes from.
    pub fn def(&self, value: Value) -> ValueDef {
        self.values[value].def
    }

    /// The phi that a block parameter represents.
    pub fn value_source(&self, value: Value) -> Option<SourceId> {
        self.values[value].source.expand()
    }

    /// The constant a value is, with the values that fill its holes.
    pub fn as_const(&self, value: Value) -> Option<(Const, &[Value])> {
        let ValueDef::Result(inst, _) = self.values[value].def else { return None };
        match self.insts[inst].op {
            Op::Const(constant) => Some((constant, self.operands(inst))),
            _ => None,
        }
    }

    /// How a block ends.
    pub fn terminator(&self, block: Block) -> &Terminator {
        &self.blocks[block].terminator
    }

    /// How a block ends, for editing.
    pub fn terminator_mut(&mut self, block: Block) -> &mut Terminator {
        &mut self.blocks[block].terminator
    }

    /// Adds an arc to the end of a block's arcs.
    pub fn add_arc(&mut self, from: Block, target: Block, args: &[Value]) -> ArcRef {
        let args = EntityList::from_slice(args, &mut self.lists);
        let arcs = &mut self.blocks[from].terminator.arcs;
        arcs.push(Arc { target, args });
        ArcRef { from, index: arcs.len() as u32 - 1 }
    }

    /// An arc.
    pub fn arc(&self, arc: ArcRef) -> &Arc {
        &self.blocks[arc.from].terminator.arcs[arc.index as usize]
    }

    /// The arguments an arc assigns to its target's parameters.
    pub fn arc_args(&self, arc: ArcRef) -> &[Value] {
        self.arc(arc).args.as_slice(&self.lists)
    }

    /// Makes an arc lead to `target` with `args`.
    pub fn set_arc(&mut self, arc: ArcRef, target: Block, args: &[Value]) {
        let args = EntityList::from_slice(args, &mut self.lists);
        self.blocks[arc.from].terminator.arcs[arc.index as usize] = Arc { target, args };
    }

    /// The invoke that a block ends with, if it unwinds to a landing pad: its second arc is taken then.
    pub fn invoke(&self, block: Block) -> Option<Invoke> {
        let inst = self.blocks[block].terminator.predicate.expand()?;
        let Op::Invoke(call) = self.insts[inst].op else { return None };
        if !matches!(self.pool.call(call).exits, CallExits::Unwind(_)) {
            return None;
        }
        match *self.results(inst) {
            [pad] => Some(Invoke { inst, call, result: None, pad }),
            [result, pad] => Some(Invoke { inst, call, result: Some(result), pad }),
            _ => None,
        }
    }

    /// The original blocks whose addresses the indirect branch at the end of a block chooses among, by arc.
    pub fn indirect_labels(&self, block: Block) -> Option<Indices> {
        match self.insts[self.blocks[block].terminator.predicate.expand()?].op {
            Op::IndirectBr(labels) => Some(labels),
            _ => None,
        }
    }

    /// Control flow without the rest. Keeps the contract of [`Shape`] when the graph [is valid](Cfg::verify).
    pub fn shape(&self) -> Shape {
        let mut shape = Shape::with_blocks(self.blocks.len(), self.entry, self.exit);
        for (block, data) in self.blocks.iter() {
            for arc in &data.terminator.arcs {
                shape.add_arc(block, arc.target);
            }
        }
        shape
    }

    /// Which blocks execution can reach from the entry.
    pub fn reachable(&self) -> SecondaryMap<Block, bool> {
        let mut reached = SecondaryMap::with_default(false);
        reached[self.entry] = true;
        let mut pending = vec![self.entry];
        while let Some(block) = pending.pop() {
            for arc in &self.blocks[block].terminator.arcs {
                if !reached[arc.target] {
                    reached[arc.target] = true;
                    pending.push(arc.target);
                }
            }
        }
        reached
    }

    fn new_value(&mut self, ty: Type, def: ValueDef) -> Value {
        self.values.push(ValueData { ty, def, source: None.into() })
    }
}
