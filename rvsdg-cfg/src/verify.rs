//! The invariants of a control flow graph, and their verifier: the preconditions of restructuring and construction.
//!
//! Each [`Invariant`] has one sentence; a [`Violation`](rvsdg_core::verify::Violation) names the invariant, the block, arc or
//! instruction, and what is wrong. All violations are reported, with one exception: whether definitions dominate uses is checked only if
//! everything else holds.
//!
//! Some things that look like faults are allowed: a block from which no path leads to the exit is in an infinite loop or leads into one,
//! which restructuring closes; a function may have no arc to the exit at all. Operations and types of instructions are verified in the
//! graph that they become ([`verify_graph`](rvsdg_core::verify::verify_graph)).
//!
//! Cost: near-linear in blocks, arcs, instructions and operands, for dominators; linear for all else.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use cranelift_entity::EntityRef;
use rvsdg_core::op::Op;
use rvsdg_core::structural::Lambda;
use rvsdg_core::verify::{Verified as Module, Violations};
use rvsdg_core::{Type, TypeKind};

use crate::cfg::{Cfg, Inst, Value, ValueDef};
use crate::dominators::DominatorTree;
use crate::shape::{ArcRef, Block, Shape};

/// What must hold of a control flow graph.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Invariant {
    /// Blocks, instructions and values that something names exist.
    References,
    /// The entry has no parameters, and no arc leads to it.
    Entry,
    /// The virtual exit has no instructions, no predicate and no arcs.
    Exit,
    /// Each block but the exit can be reached from the entry.
    Reachable,
    /// Each block but the exit has an arc: one that returns, or whose end is never reached, has one to the exit.
    Terminated,
    /// The arcs of a block lead to different blocks.
    DistinctArcs,
    /// An arc has one argument for each parameter of its target, of the parameter's type.
    Arguments,
    /// A block with several arcs has a predicate, which chooses among as many alternatives as there are arcs.
    Predicates,
    /// An instruction is in one block at most, as one of its instructions or as its predicate, and a constant is in none.
    Placement,
    /// Each definition dominates its uses.
    Dominance,
    /// Context variables, parameters and the arguments of the exit are those of the function.
    Signature,
}

impl Invariant {
    /// All invariants.
    pub const ALL: &'static [Invariant] = &[
        Invariant::References,
        Invariant::Entry,
        Invariant::Exit,
        Invariant::Reachable,
        Invariant::Terminated,
        Invariant::DistinctArcs,
        Invariant::Arguments,
        Invariant::Predicates,
        Invariant::Placement,
        Invariant::Dominance,
        Invariant::Signature,
    ];
}

/// An invariant that does not hold somewhere in a control flow graph.
pub type Violation = rvsdg_core::verify::Violation<Invariant>;

/// Proof that a control flow graph was verified and has not changed since, and its shape.
pub struct Verified<'c> {
    cfg: &'c Cfg,
    shape: Shape,
}

impl<'c> Verified<'c> {
    /// The control flow graph.
    pub fn cfg(&self) -> &'c Cfg {
        self.cfg
    }

    /// Its shape, which keeps the contract of [`Shape`].
    pub fn shape(&self) -> &Shape {
        &self.shape
    }
}

impl Cfg {
    /// Checks all invariants.
    ///
    /// # Errors
    /// Everything that does not hold, in the order of blocks.
    pub fn verify(&self) -> Result<Verified<'_>, Violations<Invariant>> {
        let mut check = Check { cfg: self, placed: vec![false; self.inst_count()], violations: Vec::new() };
        check.blocks();
        Violations::check(std::mem::take(&mut check.violations))?;
        let shape = self.shape();
        check.dominance(&shape);
        Violations::check(check.violations)?;
        Ok(Verified { cfg: self, shape })
    }

    /// Checks all invariants, and that the graph is one of the body of a function.
    ///
    /// # Errors
    /// Everything that does not hold.
    pub fn verify_for(&self, module: Module<'_>, lambda: Lambda) -> Result<Verified<'_>, Violations<Invariant>> {
        let verified = self.verify()?;
        let mut check = Check { cfg: self, placed: Vec::new(), violations: Vec::new() };
        check.signature(&module, lambda);
        Violations::check(check.violations)?;
        Ok(verified)
    }
}

struct Check<'c> {
    cfg: &'c Cfg,
    /// Instructions that a block has.
    placed: Vec<bool>,
    violations: Vec<Violation>,
}

impl Check<'_> {
    fn report(&mut self, invariant: Invariant, entity: impl ToString, message: impl Into<String>) {
        self.violations.push(Violation { invariant, entity: entity.to_string(), message: message.into() });
    }

    fn blocks(&mut self) {
        let cfg = self.cfg;
        // By block: the last block that was found to have an arc to it, plus one.
        let mut last_arc = vec![0; cfg.block_count()];
        for block in cfg.blocks() {
            self.block(block);
            self.terminator(block, &mut last_arc);
        }
        for &(_, block) in &cfg.labels {
            if block.index() >= cfg.block_count() {
                self.report(Invariant::References, block, "a label is the address of a block that does not exist");
            }
        }
        if self.violations.iter().any(|violation| violation.invariant == Invariant::References) {
            return;
        }
        let reached = cfg.reachable();
        for block in cfg.blocks() {
            if !reached[block] && block != cfg.exit() {
                self.report(Invariant::Reachable, block, "no path leads from the entry to it");
            }
        }
    }

    fn block(&mut self, block: Block) {
        let cfg = self.cfg;
        let terminator = cfg.terminator(block);
        if block == cfg.entry() && !cfg.block_params(block).is_empty() {
            self.report(Invariant::Entry, block, "the entry has parameters, to which nothing is assigned");
        }
        if block == cfg.exit() {
            if !cfg.insts(block).is_empty() || terminator.predicate.is_some() {
                self.report(Invariant::Exit, block, "the exit has instructions, which are never executed");
            }
            if !terminator.arcs.is_empty() {
                self.report(Invariant::Exit, block, "an arc leaves the exit");
            }
        } else if terminator.arcs.is_empty() {
            self.report(Invariant::Terminated, block, "it has no arc, not even one to the exit");
        }
        for &inst in cfg.insts(block) {
            self.place(inst, block);
        }
        if let Some(inst) = terminator.predicate.expand() {
            self.place(inst, block);
        }
    }

    fn place(&mut self, inst: Inst, block: Block) {
        let cfg = self.cfg;
        let Some(placed) = self.placed.get_mut(inst.index()) else {
            return self.report(Invariant::References, block, format!("{inst} does not exist"));
        };
        if std::mem::replace(placed, true) {
            self.report(Invariant::Placement, describe(cfg, inst, block), "it is in a block already");
        }
        if let Op::Const(_) = cfg.op(inst) {
            self.report(Invariant::Placement, describe(cfg, inst, block), "a constant is in no block");
        }
        self.exist(cfg.operands(inst), || describe(cfg, inst, block));
    }

    /// Values exist in this graph; constants among them have symbols in their holes.
    fn exist(&mut self, values: &[Value], entity: impl Fn() -> String) {
        for &value in values {
            if value.index() >= self.cfg.value_count() {
                self.report(Invariant::References, entity(), format!("{value} does not exist"));
            } else if let Some((_, holes)) = self.cfg.as_const(value) {
                for &hole in holes {
                    if hole.index() >= self.cfg.value_count() {
                        self.report(Invariant::References, entity(), format!("{hole} in {value} does not exist"));
                    } else if self.cfg.as_const(hole).is_some_and(|(_, holes)| !holes.is_empty()) {
                        let message = format!("{hole} in {value} is a constant of addresses itself");
                        self.report(Invariant::References, entity(), message);
                    }
                }
            }
        }
    }

    fn terminator(&mut self, block: Block, last_arc: &mut [usize]) {
        let cfg = self.cfg;
        let terminator = cfg.terminator(block);
        let count = terminator.arcs.len();
        for index in 0..count as u32 {
            let arc = ArcRef { from: block, index };
            let target = cfg.arc(arc).target;
            let Some(last) = last_arc.get_mut(target.index()) else {
                self.report(Invariant::References, arc, format!("it leads to {target}, which does not exist"));
                continue;
            };
            if std::mem::replace(last, block.index() + 1) == block.index() + 1 {
                let message = format!("another arc leads to {target} too: one of them needs a block of its own");
                self.report(Invariant::DistinctArcs, arc, message);
            }
            if target == cfg.entry() {
                self.report(Invariant::Entry, arc, "it leads to the entry: a loop begins in a block after it");
            }
            self.arguments(arc, target);
        }
        let alternatives = match terminator.predicate.expand().filter(|inst| inst.index() < cfg.inst_count()) {
            None if count > 1 => {
                return self.report(Invariant::Predicates, block, format!("nothing chooses among its {count} arcs"));
            }
            None => return,
            Some(inst) => match cfg.op(inst) {
                Op::Match(table) => Some(cfg.pool().table(table).alternatives as usize),
                Op::CtlConst { of, .. } => Some(of as usize),
                Op::IndirectBr(labels) => Some(cfg.pool().indices(labels).len()),
                op if op.is_branch() || matches!(op, Op::Ext(_)) => None,
                op => {
                    let message = format!("`{}` chooses nothing", op.code().info().mnemonic);
                    return self.report(Invariant::Predicates, block, message);
                }
            },
        };
        if let Some(alternatives) = alternatives.filter(|&alternatives| count > 1 && alternatives != count) {
            let message = format!("its predicate has {alternatives} alternatives for {count} arcs");
            self.report(Invariant::Predicates, block, message);
        }
    }

    fn arguments(&mut self, arc: ArcRef, target: Block) {
        let cfg = self.cfg;
        let (arguments, params) = (cfg.arc_args(arc), cfg.block_params(target));
        if arguments.len() != params.len() {
            let message = format!("{} arguments for the {} parameters of {target}", arguments.len(), params.len());
            self.report(Invariant::Arguments, arc, message);
        }
        self.exist(arguments, || arc.to_string());
        for (&argument, &param) in arguments.iter().zip(params) {
            if argument.index() < cfg.value_count() && cfg.ty(argument) != cfg.ty(param) {
                let [found, expected] = [argument, param].map(|value| cfg.pool().display_type(cfg.ty(value)));
                let message = format!("{argument} is of type {found}, {param} of type {expected}");
                self.report(Invariant::Arguments, arc, message);
            }
        }
    }

    fn signature(&mut self, module: &rvsdg_core::Module, lambda: Lambda) {
        let cfg = self.cfg;
        if !Arc::ptr_eq(cfg.pool(), &module.pool) {
            return self.report(Invariant::Signature, "the graph", "it has another pool than the module");
        }
        let function = module.symbols[module.bodies[lambda.body()].symbol].value_type;
        let TypeKind::Function { result, params, .. } = cfg.pool().type_kind(function) else { return };
        let contexts: Vec<Type> =
            lambda.context(&module.omega).iter().map(|&user| module.omega.ty(module.omega.origin(user))).collect();
        let result = [*result];
        let result = if result == [Type::VOID] { &[][..] } else { &result };
        for (what, values, expected) in [
            ("context variables", cfg.contexts(), &contexts[..]),
            ("parameters", cfg.params(), params),
            ("parameters of the exit", cfg.block_params(cfg.exit()), result),
        ] {
            if !values.iter().map(|&value| cfg.ty(value)).eq(expected.iter().copied()) {
                let text = |types: &mut dyn Iterator<Item = Type>| {
                    types.map(|ty| cfg.pool().display_type(ty).to_string()).collect::<Vec<_>>().join(", ")
                };
                let found = text(&mut values.iter().map(|&value| cfg.ty(value)));
                let expected = text(&mut expected.iter().copied());
                let message = format!("its {what} are ({found}) instead of ({expected})");
                self.report(Invariant::Signature, "the graph", message);
            }
        }
    }

    fn dominance(&mut self, shape: &Shape) {
        let cfg = self.cfg;
        let mut scope = Scope { cfg, tree: DominatorTree::new(shape), defined: vec![0; cfg.value_count()] };
        for &value in cfg.contexts().iter().chain(cfg.params()) {
            scope.defined[value.index()] = DominatorTree::ROOT;
        }
        for at in 0..scope.tree.order().len() {
            let block = scope.tree.order()[at];
            let number = scope.tree.number(block);
            scope.define(cfg.block_params(block), number);
            for inst in cfg.insts(block).iter().copied().chain(cfg.terminator(block).predicate.expand()) {
                for &operand in cfg.operands(inst) {
                    if let Some(message) = scope.fault(operand, number) {
                        self.report(Invariant::Dominance, describe(cfg, inst, block), message);
                    }
                }
                scope.define(cfg.results(inst), number);
            }
            for index in 0..cfg.terminator(block).arcs.len() as u32 {
                let arc = ArcRef { from: block, index };
                for &argument in cfg.arc_args(arc) {
                    if let Some(message) = scope.fault(argument, number) {
                        self.report(Invariant::Dominance, arc, message);
                    }
                }
            }
        }
    }
}

/// Which values are defined where, for the blocks visited so far.
struct Scope<'c> {
    cfg: &'c Cfg,
    tree: DominatorTree,
    /// By value: the number of the block that defines it; 0 if none was found yet.
    defined: Vec<u32>,
}

impl Scope<'_> {
    fn define(&mut self, values: &[Value], block: u32) {
        for &value in values {
            self.defined[value.index()] = block;
        }
    }

    /// What is wrong with a use of `value` in the block with this number.
    #[inline]
    fn fault(&mut self, value: Value, block: u32) -> Option<String> {
        let defined = self.defined[value.index()];
        if defined == block || defined == DominatorTree::ROOT || self.tree.is_above(defined, block) {
            return None;
        }
        self.slow_fault(value, defined, block)
    }

    fn slow_fault(&mut self, value: Value, defined: u32, block: u32) -> Option<String> {
        let Some((_, holes)) = self.cfg.as_const(value) else {
            let what = match self.cfg.def(value) {
                _ if defined != 0 => "whose definition does not dominate this use",
                ValueDef::Result(..) => "which is defined later, or by an instruction that is in no block",
                ValueDef::BlockParam(..) => "the parameter of a block that does not dominate this use",
                ValueDef::Context(_) | ValueDef::Parameter(_) => "which is of another graph",
            };
            return Some(format!("it uses {value}, {what}"));
        };
        // Constants of symbols, and those without holes, are the same everywhere.
        if holes.iter().all(|&hole| self.defined[hole.index()] == DominatorTree::ROOT) {
            self.defined[value.index()] = DominatorTree::ROOT;
            return None;
        }
        holes.iter().find_map(|&hole| {
            let defined = self.defined[hole.index()];
            let found = defined == block || self.tree.is_above(defined, block) || self.cfg.as_const(hole).is_some();
            (!found).then(|| format!("it uses {value}, whose part {hole} is not defined there"))
        })
    }
}

/// An instruction as text: its id, its block, its operation and operands.
fn describe(cfg: &Cfg, inst: Inst, block: Block) -> String {
    let operands: Vec<String> = cfg.operands(inst).iter().map(Value::to_string).collect();
    let space = if operands.is_empty() { "" } else { " " };
    format!("{inst} of {block} `{}{space}{}`", cfg.op(inst).code().info().mnemonic, operands.join(", "))
}
