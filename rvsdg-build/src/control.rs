//! Control flow: structured, and labels.

use std::panic::Location;

use rvsdg_core::op::{BinaryFlags, IntBinary, IntPredicate, Op};
use rvsdg_core::{Const, Type, TypeKind};

use crate::function::{Block, End, FunctionBuilder, Value, Variable};

/// A place that control can be sent to, with [`FunctionBuilder::jump`] and [`FunctionBuilder::branch`].
///
/// One may be jumped to before it is bound:
///
/// ```
/// use rvsdg_build::ModuleBuilder;
/// use rvsdg_core::Type;
///
/// let mut module = ModuleBuilder::new("first.c");
/// let first = module.function("first", &[Type::I1, Type::I32, Type::I32], Type::I32);
/// let mut f = module.body(first);
/// let (taken, other) = (f.label(), f.label());
/// f.branch(f.param(0), taken, other);
/// f.bind(other);
/// f.return_(f.param(2));
/// f.bind(taken);
/// f.return_(f.param(1));
/// module.define(f)?;
/// # Ok::<(), rvsdg_build::BuildError>(())
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Label {
    function: u32,
    block: Block,
}

/// A loop, to be left or continued from within another one.
///
/// ```
/// use rvsdg_build::ModuleBuilder;
/// use rvsdg_core::Type;
///
/// let mut module = ModuleBuilder::new("wait.c");
/// let ready = module.import("ready", &[], Type::I1);
/// let wait = module.function("wait", &[], Type::VOID);
/// let mut f = module.body(wait);
/// let outer = f.loop_();
/// f.loop_();
/// let done = f.call(ready, &[]);
/// f.if_(done);
/// f.break_from(outer);
/// f.end();
/// f.end();
/// f.end();
/// f.return_(None);
/// module.define(f)?;
/// # Ok::<(), rvsdg_build::BuildError>(())
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    function: u32,
    /// Where an iteration ends.
    next: Block,
    after: Block,
}

/// What is begun and not ended.
pub(crate) struct Open {
    kind: OpenKind,
    after: Block,
    at: &'static Location<'static>,
}

enum OpenKind {
    /// The block where the condition does not hold, unless that was begun.
    If(Option<Block>),
    /// Where an iteration ends, and whether the condition of a `while_` is still to come.
    Loop {
        next: Block,
        wants_condition: bool,
    },
    /// The counter.
    For {
        next: Block,
        counter: Variable,
        head: Block,
    },
    Switch {
        from: Option<Block>,
        value: Value,
        ty: Type,
        cases: Vec<(Const, Block)>,
        default: Option<Block>,
    },
}

impl OpenKind {
    fn name(&self) -> &'static str {
        match self {
            OpenKind::If(_) => "if_",
            OpenKind::Loop { wants_condition: true, .. } => "while_",
            OpenKind::Loop { .. } => "loop",
            OpenKind::For { .. } => "for_",
            OpenKind::Switch { .. } => "switch_",
        }
    }

    /// Where an iteration ends, of a loop.
    fn next(&self) -> Option<Block> {
        match *self {
            OpenKind::Loop { next, .. } | OpenKind::For { next, .. } => Some(next),
            OpenKind::If(_) | OpenKind::Switch { .. } => None,
        }
    }
}

impl FunctionBuilder {
    /// What follows, up to [`else_`](Self::else_) or [`end`](Self::end), is executed where a truth value holds.
    #[track_caller]
    pub fn if_(&mut self, condition: Value) {
        let (then, otherwise, after) = (self.new_block(), self.new_block(), self.new_block());
        self.choose(condition, [then, otherwise]);
        self.open(OpenKind::If(Some(otherwise)), after);
        self.begin(then);
    }

    /// What follows, up to [`end`](Self::end), is executed where the condition of the `if_` does not hold.
    #[track_caller]
    pub fn else_(&mut self) {
        match self.open.last_mut() {
            Some(Open { kind: OpenKind::If(otherwise), after, .. }) if otherwise.is_some() => {
                let (otherwise, after) = (otherwise.take(), *after);
                self.finish_block(End::Jump(after));
                otherwise.into_iter().for_each(|block| self.begin(block));
            }
            _ => self.misplaced("else_", "if_ without an else_ so far"),
        }
    }

    /// What follows, up to [`end`](Self::end), is repeated until it is left. A loop that does not end and has no effects is not
    /// undefined, unless the function has the attribute `mustprogress`.
    #[track_caller]
    pub fn loop_(&mut self) -> Loop {
        self.begin_loop(false)
    }

    /// A loop that ends where a condition does not hold, which comes next: it is computed in each iteration, and [`do_`](Self::do_) takes
    /// it.
    ///
    /// ```
    /// # use rvsdg_build::ModuleBuilder;
    /// # use rvsdg_core::Type;
    /// let mut module = ModuleBuilder::new("log2.c");
    /// let log2 = module.function("log2", &[Type::I32], Type::I32);
    /// let mut f = module.body(log2);
    /// let (zero, one) = (f.int(Type::I32, 0), f.int(Type::I32, 1));
    /// let (left, bits) = (f.declare("left", Type::I32), f.declare("bits", Type::I32));
    /// f.def(left, f.param(0));
    /// f.def(bits, zero);
    ///
    /// f.while_();
    /// let now = f.use_(left);
    /// let more = f.ne(now, zero);
    /// f.do_(more);
    /// let half = f.lshr(now, one);
    /// f.def(left, half);
    /// let before = f.use_(bits);
    /// let after = f.add(before, one);
    /// f.def(bits, after);
    /// f.end();
    ///
    /// let bits = f.use_(bits);
    /// f.return_(bits);
    /// module.define(f)?;
    /// # Ok::<(), rvsdg_build::BuildError>(())
    /// ```
    #[track_caller]
    pub fn while_(&mut self) -> Loop {
        self.begin_loop(true)
    }

    /// The condition of the `while_` that was begun last.
    #[track_caller]
    pub fn do_(&mut self, condition: Value) {
        match self.open.last_mut() {
            Some(Open { kind: OpenKind::Loop { wants_condition, .. }, after, .. }) if *wants_condition => {
                *wants_condition = false;
                let after = *after;
                let body = self.new_block();
                self.choose(condition, [body, after]);
                self.begin(body);
            }
            _ => self.misplaced("do_", "while_ without a do_ so far"),
        }
    }

    /// A loop over the integers from a first one up to a bound, which is excluded; they are compared as signed numbers. The value is the
    /// integer. `continue_` continues with the next one.
    #[track_caller]
    pub fn for_(&mut self, first: Value, bound: Value) -> Value {
        let ty = self.ty(first);
        if ty != self.ty(bound) || !matches!(self.pool.type_kind(ty), TypeKind::Int(_)) {
            let [first, bound] = [first, bound].map(|value| self.show(self.ty(value)));
            self.fail(&format!("for_ from {first} to {bound}"), "integers of one type");
            let placeholder = self.int(Type::I1, 0);
            return self.for_(placeholder, placeholder);
        }
        let counter = self.declare("the counter of for_", ty);
        self.def(counter, first);
        let (head, body, next, after) = (self.new_block(), self.new_block(), self.new_block(), self.new_block());
        self.finish_block(End::Jump(head));
        self.begin(head);
        let now = self.use_(counter);
        let goes_on = self.icmp(IntPredicate::Slt, now, bound);
        self.choose(goes_on, [body, after]);
        self.open(OpenKind::For { next, counter, head }, after);
        self.begin(body);
        now
    }

    /// Begins a choice by an integer among the following [`case_`](Self::case_)s and [`default_`](Self::default_), up to
    /// [`end`](Self::end). There is no fall-through between cases.
    ///
    /// ```
    /// # use rvsdg_build::ModuleBuilder;
    /// # use rvsdg_core::Type;
    /// let mut module = ModuleBuilder::new("days.c");
    /// let days = module.function("days", &[Type::I32], Type::I32);
    /// let mut f = module.body(days);
    /// let [february, short, long] = [28, 30, 31].map(|days| f.int(Type::I32, days));
    /// f.switch_(f.param(0));
    /// f.case_(&[2]);
    /// f.return_(february);
    /// f.case_(&[4, 6, 9, 11]);
    /// f.return_(short);
    /// f.end();
    /// f.return_(long);
    /// module.define(f)?;
    /// # Ok::<(), rvsdg_build::BuildError>(())
    /// ```
    #[track_caller]
    pub fn switch_(&mut self, value: Value) {
        let after = self.new_block();
        let (mut value, mut ty) = (value, self.ty(value));
        if !matches!(self.pool.type_kind(ty), TypeKind::Int(1..=64)) {
            let found = self.show(ty);
            self.fail(&format!("switch_ of a value of type {found}"), "an integer of at most 64 bits");
            (value, ty) = (self.bool(false), Type::I1);
        }
        let from = self.at.take();
        self.open(OpenKind::Switch { from, value, ty, cases: Vec::new(), default: None }, after);
    }

    /// What follows is executed where the value of the `switch_` is one of these integers.
    #[track_caller]
    pub fn case_(&mut self, values: &[i64]) {
        let block = self.new_block();
        let pool = self.pool.clone();
        match self.open.last_mut() {
            Some(Open { kind: OpenKind::Switch { ty, cases, .. }, after, .. }) => {
                let mut repeated = None;
                for &value in values {
                    let constant = pool.int_const(*ty, value as u64);
                    if cases.iter().any(|&(known, _)| known == constant) {
                        repeated = Some(value);
                    } else {
                        cases.push((constant, block));
                    }
                }
                let after = *after;
                self.finish_block(End::Jump(after));
                self.begin(block);
                if let Some(value) = repeated {
                    self.fail(&format!("a second case_ of {value}"), "each integer once");
                }
            }
            _ => self.misplaced("case_", "switch_"),
        }
    }

    /// Begins the code for values of the `switch_` without a `case_`.
    #[track_caller]
    pub fn default_(&mut self) {
        let block = self.new_block();
        match self.open.last_mut() {
            Some(Open { kind: OpenKind::Switch { default, .. }, after, .. }) if default.is_none() => {
                *default = Some(block);
                let after = *after;
                self.finish_block(End::Jump(after));
                self.begin(block);
            }
            _ => self.misplaced("default_", "switch_ without a default_ so far"),
        }
    }

    /// Ends what was begun last.
    #[track_caller]
    pub fn end(&mut self) {
        let Some(Open { kind, after, .. }) = self.open.pop() else {
            return self.misplaced("end", "something to end");
        };
        match kind {
            OpenKind::If(otherwise) => {
                self.finish_block(End::Jump(after));
                if let Some(otherwise) = otherwise {
                    self.begin(otherwise);
                    self.finish_block(End::Jump(after));
                }
            }
            OpenKind::Loop { next, wants_condition } => {
                if wants_condition {
                    self.fail("while_ without do_", "do_ with the condition before the end");
                }
                self.finish_block(End::Jump(next));
            }
            OpenKind::For { next, counter, head } => {
                self.finish_block(End::Jump(next));
                self.begin(next);
                let now = self.use_(counter);
                let ty = self.ty(now);
                let one = self.int(ty, 1);
                // It is less than the bound, so there is no overflow.
                let op = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NSW };
                let following = self.op1(op, &[now, one], ty);
                self.def(counter, following);
                self.finish_block(End::Jump(head));
            }
            OpenKind::Switch { from, value, cases, default, .. } => {
                self.finish_block(End::Jump(after));
                let value = self.check(value);
                self.at = from;
                self.finish_block(End::Switch(value, cases, default.unwrap_or(after)));
            }
        }
        self.begin(after);
    }

    /// Leaves the innermost loop.
    #[track_caller]
    pub fn break_(&mut self) {
        match self.innermost("break_") {
            Some(Loop { after, .. }) => self.finish_block(End::Jump(after)),
            None => self.at = None,
        }
    }

    /// Goes on with the next iteration of the innermost loop.
    #[track_caller]
    pub fn continue_(&mut self) {
        match self.innermost("continue_") {
            Some(Loop { next, .. }) => self.finish_block(End::Jump(next)),
            None => self.at = None,
        }
    }

    /// The innermost loop, for [`break_from`](Self::break_from) and [`continue_with`](Self::continue_with); `None` outside of loops.
    pub fn current_loop(&self) -> Option<Loop> {
        let function = self.serial;
        self.open.iter().rev().find_map(|open| open.kind.next().map(|next| Loop { function, next, after: open.after }))
    }

    /// Leaves a loop and all loops in it.
    #[track_caller]
    pub fn break_from(&mut self, loop_: Loop) {
        if self.is_open(loop_, "break_from") {
            self.finish_block(End::Jump(loop_.after));
        }
    }

    /// Leaves all inner loops of a loop and continues with its next iteration.
    #[track_caller]
    pub fn continue_with(&mut self, loop_: Loop) {
        if self.is_open(loop_, "continue_with") {
            self.finish_block(End::Jump(loop_.next));
        }
    }

    /// Returns a value, or `None` from a function that returns nothing.
    #[track_caller]
    pub fn return_(&mut self, value: impl Into<Option<Value>>) {
        let value = value.into();
        let found = value.map_or(Type::VOID, |value| self.ty(value));
        if found != self.result {
            let (found, expected) = (self.show(found), self.show(self.result));
            self.fail(&format!("return_ of {found}"), &expected);
        }
        let value = value.map(|value| self.check(value));
        self.finish_block(End::Return(value));
    }

    /// Says that control does not get here: it is undefined behaviour if it does.
    pub fn unreachable(&mut self) {
        self.finish_block(End::Unreachable);
    }

    /// A new label, to be [bound](Self::bind) to a place once.
    #[track_caller]
    pub fn label(&mut self) -> Label {
        Label { function: self.serial, block: self.new_block() }
    }

    /// Binds a label to this place; control also gets here from before. Every function with any control flow can be built with labels,
    /// jumps and branches alone.
    ///
    /// ```
    /// # use rvsdg_build::ModuleBuilder;
    /// # use rvsdg_core::Type;
    /// let mut module = ModuleBuilder::new("goto.c");
    /// let spin = module.function("spin", &[Type::I1], Type::VOID);
    /// let mut f = module.body(spin);
    /// let (again, done) = (f.label(), f.label());
    /// f.bind(again);
    /// f.branch(f.param(0), again, done);
    /// f.bind(done);
    /// f.return_(None);
    /// module.define(f)?;
    /// # Ok::<(), rvsdg_build::BuildError>(())
    /// ```
    #[track_caller]
    pub fn bind(&mut self, label: Label) {
        let Some(block) = self.block_of(label) else { return };
        if self.blocks[block as usize].is_placed {
            return self.fail("a label bound twice", "one place for each label");
        }
        self.finish_block(End::Jump(block));
        self.begin(block);
    }

    /// Goes on at a label.
    #[track_caller]
    pub fn jump(&mut self, label: Label) {
        match self.block_of(label) {
            Some(block) => self.finish_block(End::Jump(block)),
            None => self.at = None,
        }
    }

    /// Goes on at one label where a truth value holds, else at the other.
    #[track_caller]
    pub fn branch(&mut self, condition: Value, holds: Label, otherwise: Label) {
        match (self.block_of(holds), self.block_of(otherwise)) {
            (Some(holds), Some(otherwise)) => self.choose(condition, [holds, otherwise]),
            _ => self.at = None,
        }
    }

    #[track_caller]
    fn begin_loop(&mut self, wants_condition: bool) -> Loop {
        let (next, after) = (self.new_block(), self.new_block());
        self.finish_block(End::Jump(next));
        self.begin(next);
        self.open(OpenKind::Loop { next, wants_condition }, after);
        Loop { function: self.serial, next, after }
    }

    /// Ends the block with a choice.
    #[track_caller]
    fn choose(&mut self, condition: Value, blocks: [Block; 2]) {
        let ty = self.ty(condition);
        if ty != Type::I1 {
            let found = self.show(ty);
            self.fail(&format!("a condition of type {found}"), "i1");
        }
        let condition = self.check(condition);
        self.finish_block(End::Branch(condition, blocks));
    }

    #[track_caller]
    fn open(&mut self, kind: OpenKind, after: Block) {
        self.open.push(Open { kind, after, at: Location::caller() });
    }

    #[track_caller]
    fn innermost(&mut self, what: &str) -> Option<Loop> {
        let found = self.current_loop();
        if found.is_none() {
            self.fail(&format!("{what} outside of loops"), "a loop around it");
        }
        found
    }

    #[track_caller]
    fn is_open(&mut self, loop_: Loop, what: &str) -> bool {
        let is_open = loop_.function == self.serial
            && self.open.iter().any(|open| open.kind.next() == Some(loop_.next) && open.after == loop_.after);
        if !is_open {
            self.fail(&format!("{what} a loop that is not around it"), "a loop around it");
            self.at = None;
        }
        is_open
    }

    #[track_caller]
    fn block_of(&mut self, label: Label) -> Option<Block> {
        let known = label.function == self.serial && (label.block as usize) < self.blocks.len();
        if !known {
            self.fail("a label of another function", "a label of this function");
        }
        known.then_some(label.block)
    }

    #[track_caller]
    fn misplaced(&mut self, what: &str, expected: &str) {
        let found = self.open.last().map_or("the function", |open| open.kind.name());
        self.fail(&format!("{what} in {found}"), expected);
    }

    /// Notes what was begun and not ended.
    pub(crate) fn check_ended(&mut self) {
        if let Some((name, at)) = self.open.last().map(|open| (open.kind.name(), open.at)) {
            self.fail_at(at, &format!("{name} without end"), "an end for each construct");
        }
    }
}
