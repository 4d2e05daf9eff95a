//! Function bodies: which blocks there are, numbers of values, phis and terminators.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::{Cfg, Inst, Value, ValueDef};
use rvsdg_cfg::shape::{ArcRef, Block};
use rvsdg_core::hints::LoopHints;
use rvsdg_core::op::{Call, CallExits, Funclet, MatchTable, Op};
use rvsdg_core::{Body, Symbol, TypeKind};
use smallvec::{SmallVec, smallvec};

use crate::constants::Holes;
use crate::emitter::Emitter;
use crate::error::Result;
use crate::unwind::Pad;
use crate::variables::Variables;

/// How a block is left.
#[derive(Copy, Clone)]
enum Exit<'a> {
    /// It ends in `unreachable`.
    Unreachable,
    /// It ends in an instruction after which nothing follows: `resume`.
    End(Inst),
    /// By the arc of this number.
    Jump(u32),
    /// By the arc that the table chooses for the value.
    Choice { value: Value, table: &'a MatchTable },
    /// By the arc of the block that the operand is the address of.
    Indirect(Value),
    /// By an arc of a jump into or out of a funclet.
    Funclet(Inst, Funclet),
    /// By an arc of an invoke or callbr; by destination the number of the arc.
    Call { inst: Inst, call: Call, destinations: &'a [u32] },
}

/// What the text has for an arc.
#[derive(Copy, Clone, Default)]
struct Way {
    /// How many edges of LLVM's control flow graph it is: one per case of a switch.
    edges: u32,
    /// Whether it leads through a block of its own.
    split: bool,
}

/// How a block is written.
#[derive(Clone)]
pub(crate) struct Plan<'a> {
    /// How many of its instructions are written: those after an `unreachable` are not.
    insts: usize,
    exit: Exit<'a>,
    /// For each arc.
    ways: SmallVec<[Way; 2]>,
}

/// A body being written.
pub(crate) struct Writing<'a> {
    pub(crate) cfg: &'a Cfg,
    /// The symbols of the context variables.
    pub(crate) context: &'a [Symbol],
    /// Whether the function takes variable arguments.
    pub(crate) variadic: bool,
    /// The landing pads of blocks.
    pads: FxHashMap<Block, Pad>,
    /// Numbers of values, one more than the number written; 0 for a value without one.
    numbers: SecondaryMap<Value, u32>,
    plans: SecondaryMap<Block, Option<Plan<'a>>>,
    /// The arcs that lead to a block, in the order of the text.
    arcs: SecondaryMap<Block, Vec<ArcRef>>,
    pub(crate) variables: Variables,
}

impl<'a> Emitter<'a> {
    /// Writes the blocks of a body.
    pub(crate) fn body(&mut self, function: Body, cfg: &'a Cfg, context: &'a [Symbol]) -> Result {
        let variadic = self.place.is_some_and(|symbol| {
            let function = self.pool.type_kind(self.module.symbols[symbol].value_type);
            matches!(function, TypeKind::Function { variadic: true, .. })
        });
        let mut body = Writing {
            cfg,
            context,
            variadic,
            pads: Pad::of(cfg),
            numbers: SecondaryMap::new(),
            plans: SecondaryMap::new(),
            arcs: SecondaryMap::new(),
            variables: Variables::default(),
        };
        self.plan_blocks(&mut body)?;
        let blocks: Vec<Block> = std::iter::once(cfg.entry())
            .chain(cfg.blocks().filter(|&block| block != cfg.entry()))
            .filter(|&block| body.plans[block].is_some())
            .collect();
        self.number_values(&mut body, &blocks);
        let written = blocks.iter().map(|&block| (block, body.plans[block].as_ref().map_or(0, |plan| plan.insts)));
        body.variables = self.variables(cfg, function, &written.collect::<Vec<_>>());
        for &block in &blocks {
            self.block(&body, block)?;
        }
        Ok(())
    }

    /// Plans the blocks that LLVM's control flow reaches: an alternative that no value chooses is no edge there.
    fn plan_blocks(&self, body: &mut Writing<'a>) -> Result {
        let cfg = body.cfg;
        body.plans[cfg.entry()] = Some(self.plan(cfg, cfg.entry())?);
        let mut pending = vec![cfg.entry()];
        while let Some(block) = pending.pop() {
            let Some(plan) = &body.plans[block] else { continue };
            let taken: SmallVec<[Block; 2]> = plan
                .ways
                .iter()
                .zip(&cfg.terminator(block).arcs)
                .filter(|(way, _)| way.edges > 0)
                .map(|(_, arc)| arc.target)
                .collect();
            for target in taken {
                if target == cfg.entry() {
                    return Err(self.error("an arc to the entry block", "an entry block without predecessors"));
                }
                if target != cfg.exit() && body.plans[target].is_none() {
                    body.plans[target] = Some(self.plan(cfg, target)?);
                    pending.push(target);
                }
            }
        }
        for block in cfg.blocks() {
            let Some(plan) = &body.plans[block] else { continue };
            for (index, way) in plan.ways.iter().enumerate().filter(|(_, way)| way.edges > 0) {
                let arc = ArcRef { from: block, index: index as u32 };
                let target = cfg.arc(arc).target;
                if target != cfg.exit() && !cfg.block_params(target).is_empty() {
                    if cfg.arc_args(arc).len() != cfg.block_params(target).len() {
                        return Err(
                            self.error(format!("arc {arc}"), format!("one argument for each parameter of {target}"))
                        );
                    }
                    let _ = way;
                    body.arcs[target].push(arc);
                }
            }
        }
        Ok(())
    }

    fn plan(&self, cfg: &'a Cfg, block: Block) -> Result<Plan<'a>> {
        let insts = cfg.insts(block);
        if let Some(cut) = insts.iter().position(|&inst| cfg.op(inst).is_end()) {
            let exit = if cfg.op(insts[cut]) == Op::Unreachable { Exit::Unreachable } else { Exit::End(insts[cut]) };
            return Ok(Plan { insts: cut, exit, ways: SmallVec::new() });
        }
        let terminator = cfg.terminator(block);
        let exit = self.exit(cfg, block, terminator.predicate)?;
        let arcs = terminator.arcs.len();
        let mut ways: SmallVec<[Way; 2]> = smallvec![Way::default(); arcs];
        let chosen: &mut dyn Iterator<Item = u32> = match &exit {
            Exit::Unreachable | Exit::End(_) => &mut std::iter::empty(),
            Exit::Jump(arc) => &mut std::iter::once(*arc),
            Exit::Choice { table, .. } => {
                &mut table.cases.iter().map(|&(_, arc)| arc).chain(std::iter::once(table.default))
            }
            Exit::Indirect(_) | Exit::Funclet(..) => &mut (0..arcs as u32),
            Exit::Call { destinations, .. } => &mut destinations.iter().copied(),
        };
        for arc in chosen {
            match ways.get_mut(arc as usize) {
                Some(way) => way.edges += 1,
                None => {
                    return Err(
                        self.error(format!("alternative {arc} at the end of {block}"), "one arc per alternative")
                    );
                }
            }
        }
        if matches!(exit, Exit::Choice { .. } | Exit::Call { .. } | Exit::Indirect(_) | Exit::Funclet(..)) {
            split_ways(cfg, block, &mut ways);
        }
        Ok(Plan { insts: insts.len(), exit, ways })
    }

    fn exit(&self, cfg: &'a Cfg, block: Block, predicate: PackedOption<Inst>) -> Result<Exit<'a>> {
        let Some(predicate) = predicate.expand() else {
            return match cfg.terminator(block).arcs.len() {
                1 => Ok(Exit::Jump(0)),
                _ => Err(self.error(
                    format!("the end of {block}"),
                    "one arc, a predicate that chooses among several, or unreachable",
                )),
            };
        };
        match cfg.op(predicate) {
            Op::CtlConst { value, .. } => Ok(Exit::Jump(value)),
            Op::Match(table) => match *cfg.operands(predicate) {
                [value] => {
                    let pool = self.pool;
                    Ok(Exit::Choice { value, table: pool.table(table) })
                }
                _ => Err(self.error(format!("match at the end of {block}"), "one operand")),
            },
            Op::IndirectBr(_) => match *cfg.operands(predicate) {
                [address] => Ok(Exit::Indirect(address)),
                _ => Err(self.error(format!("indirectbr at the end of {block}"), "one operand")),
            },
            Op::Funclet(funclet) => Ok(Exit::Funclet(predicate, funclet)),
            Op::Invoke(call) | Op::CallBr(call) => {
                let destinations: &'a [u32] = match &self.call_info(call).exits {
                    CallExits::Labels(labels) => labels,
                    CallExits::Unwind(_) | CallExits::UnwindToFunclet => &[0, 1],
                    CallExits::Return => &[],
                };
                Ok(Exit::Call { inst: predicate, call, destinations })
            }
            op => Err(self.error(
                format!("{} as the predicate of {block}", op.code().info().mnemonic),
                "match or a constant predicate",
            )),
        }
    }

    /// Numbers parameters, then the results of each block in the order of the text.
    fn number_values(&self, body: &mut Writing<'a>, blocks: &[Block]) {
        let cfg = body.cfg;
        let mut next = 0;
        let mut number = |numbers: &mut SecondaryMap<Value, u32>, values: &[Value]| {
            for &value in values {
                next += 1;
                numbers[value] = next;
            }
        };
        body.numbers.resize(cfg.value_count());
        number(&mut body.numbers, cfg.params());
        for &block in blocks {
            let Some(plan) = &body.plans[block] else { continue };
            // The landing pad comes after the phis, wherever its parameter is among the others.
            let pad = body.pads.get(&block);
            for &param in cfg.block_params(block) {
                if pad.is_none_or(|pad| pad.param != Some(param)) {
                    number(&mut body.numbers, &[param]);
                }
            }
            if let Some(pad) = pad {
                number(&mut body.numbers, &[pad.param.unwrap_or(pad.invokes[0].pad)]);
            }
            for &inst in &cfg.insts(block)[..plan.insts] {
                if !matches!(cfg.op(inst), Op::Const(_)) {
                    number(&mut body.numbers, cfg.results(inst));
                }
            }
            if let Exit::Call { inst, .. } = plan.exit {
                let returned = cfg
                    .invoke(block)
                    .map_or(cfg.results(inst), |invoke| &cfg.results(inst)[..usize::from(invoke.result.is_some())]);
                number(&mut body.numbers, returned);
            }
        }
        // The landing pad's value is the parameter, if the block has one for it.
        for pad in body.pads.values() {
            let shared = body.numbers[pad.param.unwrap_or(pad.invokes[0].pad)];
            for invoke in &pad.invokes {
                body.numbers[invoke.pad] = shared;
            }
        }
    }

    fn block(&mut self, body: &Writing<'a>, block: Block) -> Result {
        let Some(plan) = &body.plans[block] else { return Ok(()) };
        let cfg = body.cfg;
        if block != cfg.entry() {
            self.out.push('\n');
        }
        self.label(block, None);
        self.out.push_str(":\n");
        let pad = body.pads.get(&block);
        for (position, &param) in cfg.block_params(block).iter().enumerate() {
            if pad.is_none_or(|pad| pad.param != Some(param)) {
                self.phi(body, block, position, param)?;
            }
        }
        if let Some(pad) = pad {
            self.landing_pad(body, pad)?;
        }
        for &inst in &cfg.insts(block)[..plan.insts] {
            self.records(body, cfg.source(inst))?;
            self.inst(body, inst)?;
        }
        let terminator = cfg.terminator(block);
        let predicate = terminator.predicate.expand().and_then(|inst| cfg.source(inst));
        let source = terminator.source.expand().or(predicate);
        self.records(body, source)?;
        match &plan.exit {
            Exit::Unreachable => self.out.push_str("  unreachable\n"),
            Exit::End(inst) => self.inst(body, *inst)?,
            Exit::Indirect(address) => {
                self.out.push_str("  indirectbr ");
                self.typed(body, *address)?;
                for arc in 0..plan.ways.len() as u32 {
                    self.out.push_str(if arc == 0 { ", [" } else { ", " });
                    self.destination(cfg, block, plan, arc);
                }
                self.out.push_str("]\n");
            }
            Exit::Funclet(inst, funclet) => self.funclet_branch(body, block, plan, *inst, *funclet)?,
            Exit::Call { inst, call, destinations } => {
                self.call(body, *inst, *call)?;
                self.destinations(cfg, block, plan, destinations);
            }
            Exit::Jump(index) => {
                self.arc(body, ArcRef { from: block, index: *index })?;
                self.attach_branch(source, None);
                self.end_terminator(terminator.progress, terminator.hints);
            }
            Exit::Choice { value, table } => {
                self.choice(body, block, plan, *value, table)?;
                self.attach_branch(source, Some(table));
                self.end_terminator(terminator.progress, terminator.hints);
            }
        }
        for (index, way) in plan.ways.iter().enumerate() {
            if way.split && way.edges > 0 {
                self.out.push('\n');
                self.label(block, Some(index as u32));
                self.out.push_str(":\n");
                self.arc(body, ArcRef { from: block, index: index as u32 })?;
                self.out.push('\n');
            }
        }
        Ok(())
    }

    /// Ends the line of a terminator, with an identity for the loop that it repeats when that makes progress, or something is said of it.
    fn end_terminator(&mut self, progress: bool, hints: LoopHints) {
        if progress || !hints.is_empty() {
            self.loop_identity(progress, hints);
        }
        self.out.push('\n');
    }

    /// Writes the label of a block, or of the block of one of its arcs.
    pub(crate) fn label(&mut self, block: Block, arc: Option<u32>) {
        self.out.push('b');
        self.number(block.index());
        if let Some(arc) = arc {
            self.out.push('.');
            self.number(arc);
        }
    }

    fn phi(&mut self, body: &Writing<'a>, block: Block, position: usize, param: Value) -> Result {
        self.out.push_str("  %");
        self.number(body.numbers[param] - 1);
        self.out.push_str(" = phi ");
        self.ty(body.cfg.ty(param))?;
        let mut separator = " [ ";
        for &arc in &body.arcs[block] {
            let Some(plan) = &body.plans[arc.from] else { continue };
            let way = plan.ways[arc.index as usize];
            for _ in 0..if way.split { 1 } else { way.edges } {
                self.out.push_str(separator);
                separator = ", [ ";
                self.operand(body, body.cfg.arc_args(arc)[position])?;
                self.out.push_str(", %");
                self.label(arc.from, way.split.then_some(arc.index));
                self.out.push_str(" ]");
            }
        }
        self.out.push('\n');
        Ok(())
    }

    /// Writes the terminator that follows an arc, without a line end.
    fn arc(&mut self, body: &Writing<'a>, arc: ArcRef) -> Result {
        let target = body.cfg.arc(arc).target;
        if target == body.cfg.exit() {
            self.out.push_str("  ret ");
            match *body.cfg.arc_args(arc) {
                [] => self.out.push_str("void"),
                [value] => self.typed(body, value)?,
                _ => return Err(self.error("several returned values", "at most one")),
            }
        } else {
            self.out.push_str("  br label %");
            self.label(target, None);
        }
        Ok(())
    }

    /// Writes a branch or switch, without a line end.
    fn choice(
        &mut self,
        body: &Writing<'a>,
        block: Block,
        plan: &Plan<'a>,
        value: Value,
        table: &'a MatchTable,
    ) -> Result {
        let cfg = body.cfg;
        if *self.pool.type_kind(cfg.ty(value)) == TypeKind::Int(1)
            && let Some((then, otherwise)) = self.branch(table)
        {
            self.out.push_str("  br ");
            self.typed(body, value)?;
            for arc in [then, otherwise] {
                self.out.push_str(", ");
                self.destination(cfg, block, plan, arc);
            }
            return Ok(());
        }
        self.out.push_str("  switch ");
        self.typed(body, value)?;
        self.out.push_str(", ");
        self.destination(cfg, block, plan, table.default);
        self.out.push_str(" [\n");
        for &(case, arc) in &table.cases {
            self.out.push_str("    ");
            self.typed_constant(case, Holes::Symbols(&[]))?;
            self.out.push_str(", ");
            self.destination(cfg, block, plan, arc);
            self.out.push('\n');
        }
        self.out.push_str("  ]");
        Ok(())
    }

    /// The alternatives for true and false of a table on `i1` that is a branch: one case and the default.
    fn branch(&self, table: &MatchTable) -> Option<(u32, u32)> {
        let [(case, arc)] = *table.cases else { return None };
        match self.pool.constant(case) {
            rvsdg_core::Constant::Int { words, .. } if words.as_slice()[0] & 1 == 1 => Some((arc, table.default)),
            rvsdg_core::Constant::Int { .. } => Some((table.default, arc)),
            _ => None,
        }
    }

    /// Writes the destinations of an invoke or callbr, its line end included.
    fn destinations(&mut self, cfg: &Cfg, block: Block, plan: &Plan<'a>, destinations: &[u32]) {
        let labels = !matches!(cfg.terminator(block).predicate.expand().map(|inst| cfg.op(inst)), Some(Op::Invoke(_)));
        self.out.push_str("\n          to ");
        for (position, &arc) in destinations.iter().enumerate() {
            match (position, labels) {
                (0, _) => {}
                (1, true) => self.out.push_str(" ["),
                (_, true) => self.out.push_str(", "),
                (_, false) => self.out.push_str(" unwind "),
            }
            self.destination(cfg, block, plan, arc);
        }
        if labels {
            self.out.push_str(if destinations.len() > 1 { "]" } else { " []" });
        }
        self.out.push('\n');
    }

    pub(crate) fn destination(&mut self, cfg: &Cfg, block: Block, plan: &Plan<'a>, arc: u32) {
        self.out.push_str("label %");
        if plan.ways[arc as usize].split {
            self.label(block, Some(arc));
        } else {
            self.label(cfg.arc(ArcRef { from: block, index: arc }).target, None);
        }
    }

    /// Writes a value as an operand.
    pub(crate) fn operand(&mut self, body: &Writing<'a>, value: Value) -> Result {
        let cfg = body.cfg;
        if let Some((constant, values)) = cfg.as_const(value) {
            return self.constant(constant, Holes::Values { cfg, values, context: body.context });
        }
        match (cfg.def(value), body.numbers[value]) {
            (ValueDef::Context(position), _) => match body.context.get(position as usize) {
                Some(&symbol) => self.symbol(symbol),
                None => Err(self.error(format!("context variable {position}"), "an input of the λ node for it")),
            },
            (_, 0) => Err(self.error(format!("the use of {value}"), "a value defined in a block that is reached")),
            (_, number) => {
                self.out.push('%');
                self.number(number - 1);
                Ok(())
            }
        }
    }

    /// Writes a value as an operand after its type.
    pub(crate) fn typed(&mut self, body: &Writing<'a>, value: Value) -> Result {
        self.ty(body.cfg.ty(value))?;
        self.out.push(' ');
        self.operand(body, value)
    }

    /// Starts the line of an instruction; its result, if it has one, is named.
    pub(crate) fn start(&mut self, body: &Writing<'a>, inst: Inst) -> Result {
        // The landing pad's value differs from the invoke's result.
        let results = match body.cfg.op(inst) {
            Op::Invoke(call) if self.call_info(call).exits != CallExits::UnwindToFunclet => {
                body.cfg.results(inst).split_last().map_or(&[][..], |(_, returned)| returned)
            }
            _ => body.cfg.results(inst),
        };
        match *results {
            [] => self.out.push_str("  "),
            [result] => self.define(body, result),
            _ => {
                let mnemonic = body.cfg.op(inst).code().info().mnemonic;
                return Err(self.error(format!("{mnemonic} with several results"), "at most one"));
            }
        }
        Ok(())
    }
}

impl Emitter<'_> {
    /// Writes the name of a value before what defines it.
    pub(crate) fn define(&mut self, body: &Writing<'_>, value: Value) {
        self.out.push_str("  %");
        self.number(body.numbers[value] - 1);
        self.out.push_str(" = ");
    }
}

/// Gives arcs of a choice a block of their own where the text needs one: to return, and to bring other arguments to a
/// target that another arc of the block leads to already.
fn split_ways(cfg: &Cfg, block: Block, ways: &mut [Way]) {
    let mut first: Vec<(Block, ArcRef)> = Vec::new();
    for (index, way) in ways.iter_mut().enumerate().filter(|(_, way)| way.edges > 0) {
        let arc = ArcRef { from: block, index: index as u32 };
        let target = cfg.arc(arc).target;
        if target == cfg.exit() {
            way.split = true;
        } else if !cfg.arc_args(arc).is_empty() {
            first.push((target, arc));
        }
    }
    // Stable, so that the first arc to a target keeps its place.
    first.sort_by_key(|&(target, _)| target);
    for same in first.chunk_by(|(left, _), (right, _)| left == right) {
        for &(_, arc) in &same[1..] {
            ways[arc.index as usize].split = cfg.arc_args(arc) != cfg.arc_args(same[0].1);
        }
    }
}
