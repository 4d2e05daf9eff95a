//! Operations with their flags, and simple nodes.
//!
//! A simple node is `mnemonic flags type, operands, payload`: mnemonic and flags are the head, the payload after the operands the tail.
//! Constants, matches, calls and operations of dialects have their own forms.

use std::fmt::{self, Write};

use super::Writer;
use crate::graph::{Graph, User};
use crate::op::{
    AtomicOrdering, CallExits, CallInfo, Clause, Effects, ExtOp, Funclet, MatchTable, MemAccess, Op, SyncScope,
    TailKind,
};
use crate::text::names::Names;
use crate::text::spell::fast_names;
use crate::{Constant, Type};

/// A match with more cases than this has one to a line.
const LINE: usize = 8;

/// The type between an operation's flags and its operands.
pub(super) fn type_clause(op: Op) -> Option<Type> {
    match op {
        Op::Gep { source, .. } => Some(source),
        Op::Alloca { ty, .. } => Some(ty),
        _ => None,
    }
}

impl Writer<'_> {
    /// Mnemonic and flags.
    pub(in crate::text) fn op_head(&mut self, op: Op) -> fmt::Result {
        self.str(op.code().info().mnemonic)?;
        match op {
            Op::IntBinary { flags, .. } => self.words(flags.names()),
            Op::FloatBinary { flags, .. } | Op::FNeg(flags) | Op::Select(flags) => self.words(fast_names(flags)),
            Op::ICmp { predicate, same_sign } => {
                self.words(same_sign.then_some("samesign").into_iter().chain([predicate.name()]))
            }
            Op::FCmp { predicate, flags } => self.words(fast_names(flags).chain([predicate.name()])),
            Op::Cast { flags, .. } => {
                let nneg = flags.nneg.then_some("nneg");
                self.words(nneg.into_iter().chain(flags.wrap.names()).chain(fast_names(flags.fast)))
            }
            Op::Gep { flags, .. } => self.words(flags.names()),
            Op::Alloca { in_alloca, swift_error, .. } => {
                self.words(in_alloca.then_some("inalloca").into_iter().chain(swift_error.then_some("swifterror")))
            }
            Op::Load(access) | Op::Store(access) => self.words(access.volatile.then_some("volatile").into_iter()),
            Op::CmpXchg { access, weak, .. } => {
                self.words(weak.then_some("weak").into_iter().chain(access.volatile.then_some("volatile")))
            }
            Op::AtomicRmw { op, access } => {
                self.words(access.volatile.then_some("volatile").into_iter().chain([op.name()]))
            }
            Op::CtlConst { value, of } => write!(self, " {value} of {of}"),
            Op::Funclet(funclet) => self.words(match funclet {
                Funclet::CatchSwitch { unwinds: true, .. } => Some("unwind").into_iter(),
                Funclet::CleanupRet { to_caller: true } => Some("caller").into_iter(),
                _ => None.into_iter(),
            }),
            Op::Const(_)
            | Op::Match(_)
            | Op::Freeze
            | Op::ExtractElement
            | Op::InsertElement
            | Op::ShuffleVector(_)
            | Op::ExtractValue(_)
            | Op::InsertValue(_)
            | Op::Fence { .. }
            | Op::Call(_)
            | Op::Invoke(_)
            | Op::CallBr(_)
            | Op::IndirectBr(_)
            | Op::Resume
            | Op::VaArg
            | Op::Unreachable
            | Op::Ext(_) => Ok(()),
        }
    }

    /// The payload after the operands, each part after a comma.
    pub(super) fn op_tail(&mut self, op: Op) -> fmt::Result {
        match op {
            Op::ExtractValue(indices) | Op::InsertValue(indices) | Op::IndirectBr(indices) => {
                for &index in self.pool.indices(indices) {
                    self.numbered(", ", index.into())?;
                }
                Ok(())
            }
            Op::Funclet(funclet) => match funclet.number() {
                Some(number) => self.numbered(", ", number.into()),
                None => Ok(()),
            },
            Op::ShuffleVector(mask) => {
                self.str(", <")?;
                let lanes = self.pool.indices(mask);
                self.list(lanes, |w, &lane| match lane {
                    u32::MAX => w.str("poison"),
                    lane => w.numbered("", lane.into()),
                })?;
                self.str(">")
            }
            Op::Alloca { align_log2, .. } => self.align(align_log2),
            Op::Load(access) | Op::Store(access) => {
                self.atomic(access)?;
                self.align(access.align_log2)?;
                if access.nonnull {
                    self.str(", nonnull")?;
                }
                access.tag.map_or(Ok(()), |tag| self.tag(tag))
            }
            Op::AtomicRmw { access, .. } => {
                self.atomic(access)?;
                self.align(access.align_log2)
            }
            Op::CmpXchg { access, failure, .. } => {
                self.atomic(access)?;
                self.str(", ")?;
                self.str(failure.name())?;
                self.align(access.align_log2)
            }
            Op::Fence { ordering, scope } => {
                let access = MemAccess { ordering, scope, ..MemAccess::plain(0) };
                self.atomic(access)
            }
            Op::Const(_)
            | Op::CtlConst { .. }
            | Op::Match(_)
            | Op::IntBinary { .. }
            | Op::FloatBinary { .. }
            | Op::FNeg(_)
            | Op::ICmp { .. }
            | Op::FCmp { .. }
            | Op::Cast { .. }
            | Op::Select(_)
            | Op::Freeze
            | Op::ExtractElement
            | Op::InsertElement
            | Op::Gep { .. }
            | Op::Call(_)
            | Op::Invoke(_)
            | Op::CallBr(_)
            | Op::Resume
            | Op::VaArg
            | Op::Unreachable
            | Op::Ext(_) => Ok(()),
        }
    }

    fn align(&mut self, align_log2: u8) -> fmt::Result {
        match 1u64.checked_shl(align_log2.into()) {
            Some(align) => self.numbered(", align ", align),
            None => write!(self, ", align 2^{align_log2}"),
        }
    }

    /// Scope and ordering, the ordering also where only a scope says that the access is atomic.
    fn atomic(&mut self, access: MemAccess) -> fmt::Result {
        if access.scope != SyncScope::SYSTEM {
            self.str(", syncscope(")?;
            self.quoted(self.pool.scope_name(access.scope).as_bytes())?;
            self.str(")")?;
        }
        if access.ordering != AtomicOrdering::NotAtomic {
            self.str(", ")?;
            self.str(access.ordering.name())?;
        }
        Ok(())
    }

    /// A simple node after its `=`: operation and operands.
    pub(super) fn simple(&mut self, graph: &Graph, names: &Names<'_>, op: Op, inputs: &[User]) -> fmt::Result {
        match op {
            Op::Const(constant) => {
                self.str("const ")?;
                self.typed_const(constant)?;
                for &input in inputs {
                    self.str(", ")?;
                    self.user(graph, names, input)?;
                }
                Ok(())
            }
            Op::Match(table) => self.matching(graph, names, self.pool.table(table), inputs),
            Op::Call(call) | Op::Invoke(call) | Op::CallBr(call) => {
                self.str(op.code().info().mnemonic)?;
                self.call(graph, names, self.pool.call(call), inputs)
            }
            Op::Ext(ext) => {
                self.ext(self.pool.ext(ext))?;
                let separator = if inputs.is_empty() { "" } else { " " };
                self.str(separator)?;
                self.list(inputs, |w, &input| w.user(graph, names, input))
            }
            _ => {
                self.op_head(op)?;
                if let Some(ty) = type_clause(op) {
                    self.str(" ")?;
                    self.ty(ty)?;
                    self.str(if inputs.is_empty() { "" } else { "," })?;
                }
                self.str(if inputs.is_empty() { "" } else { " " })?;
                self.list(inputs, |w, &input| w.user(graph, names, input))?;
                self.op_tail(op)
            }
        }
    }

    /// `match i32 v1 [7 -> 0, _ -> 1]`, and `of n` where there are more alternatives than are named.
    fn matching(&mut self, graph: &Graph, names: &Names<'_>, table: &MatchTable, inputs: &[User]) -> fmt::Result {
        self.str("match ")?;
        let shared = table.cases.first().map(|&(value, _)| self.pool.constant(value).ty());
        let operand = inputs.first().and_then(|&input| graph.try_origin(input)).map(|origin| graph.ty(origin));
        let ty = operand.or(shared);
        if let Some(ty) = ty {
            self.ty(ty)?;
            self.str(" ")?;
        }
        self.list(inputs, |w, &input| w.user(graph, names, input))?;
        let separator = if table.cases.len() > LINE { ",\n    " } else { ", " };
        self.str(" [")?;
        for &(value, alternative) in &table.cases {
            match self.pool.constant(value) {
                Constant::Int { ty: case, .. } if Some(*case) == ty => self.const_value(value)?,
                _ => self.typed_const(value)?,
            }
            self.numbered(" -> ", alternative.into())?;
            self.str(separator)?;
        }
        self.numbered("_ -> ", table.default.into())?;
        self.str("]")?;
        if table.alternatives != implied_alternatives(table) {
            self.numbered(" of ", table.alternatives.into())?;
        }
        Ok(())
    }

    /// `"dialect.name" (i32, mem) -> (i32, mem)`
    fn ext(&mut self, ext: &ExtOp) -> fmt::Result {
        self.str("ext ")?;
        self.quoted(ext.name.as_bytes())?;
        let speculatable = ext.speculatable.then_some("speculatable");
        self.words(speculatable.into_iter().chain(ext.commutative.then_some("commutative")))?;
        self.str(" (")?;
        self.list(ext.inputs.iter().copied().chain(ext.effects.types()), |w, ty| w.ty(ty))?;
        self.str(") -> (")?;
        self.list(ext.outputs.iter().copied().chain(ext.effects.types()), |w, ty| w.ty(ty))?;
        self.str(")")
    }

    /// ` tail i32 (ptr, ...) v0(v1, v2) #0 ["tag"(v3)], mem0, io0` after the mnemonic; before the states ` unwind [cleanup, catch v4,
    /// filter v5]` for an invoke and ` to [0, 1]` for a callbr.
    fn call(&mut self, graph: &Graph, names: &Names<'_>, info: &CallInfo, inputs: &[User]) -> fmt::Result {
        if info.tail != TailKind::None {
            self.words([info.tail.name()].into_iter())?;
        }
        self.words(fast_names(info.fast))?;
        if info.convention != 0 {
            self.numbered(" cc ", info.convention.into())?;
        }
        self.words(info.speculatable.then_some("speculatable").into_iter())?;
        self.str(" ")?;
        self.ty(info.function_type)?;
        self.str(" ")?;

        let state_count = trailing_states(graph, inputs, info.effects);
        let implied = state_count == Some(info.effects.count());
        let (values, states) = inputs.split_at(inputs.len() - state_count.unwrap_or(0));
        let mut values = values.iter().copied();
        match &info.assembly {
            Some(assembly) => {
                self.str("asm")?;
                let flags = [
                    (assembly.side_effect, "sideeffect"),
                    (assembly.align_stack, "alignstack"),
                    (assembly.intel, "inteldialect"),
                    (assembly.can_unwind, "unwind"),
                ];
                self.words(flags.into_iter().filter(|(set, _)| *set).map(|(_, word)| word))?;
                self.str(" ")?;
                self.quoted(&assembly.template)?;
                self.str(", ")?;
                self.quoted(assembly.constraints.as_bytes())?;
                self.str(" ")?;
            }
            None => match values.next() {
                Some(callee) => self.user(graph, names, callee)?,
                None => self.str("_")?,
            },
        }

        let in_bundles: usize = info.bundles.iter().map(|bundle| bundle.operands as usize).sum();
        let arguments = values.len().saturating_sub(in_bundles + info.exits.clauses());
        let mut metadata = info.metadata.iter().peekable();
        self.str("(")?;
        let mut left = arguments;
        let mut position = 0;
        while left > 0 || metadata.peek().is_some() {
            if position > 0 {
                self.str(", ")?;
            }
            if let Some(argument) = metadata.next_if(|argument| argument.position == position || left == 0) {
                if argument.position != position {
                    write!(self, "{}: ", argument.position)?;
                }
                self.str("metadata ")?;
                match &argument.text {
                    Some(text) => self.quoted(text.as_bytes())?,
                    None => self.str("_")?,
                }
            } else if let Some(value) = values.next() {
                left -= 1;
                self.user(graph, names, value)?;
            }
            position += 1;
        }
        self.str(")")?;

        if !self.pool.attributes(info.attributes).is_none() {
            self.str(" ")?;
            self.attributes(info.attributes)?;
        }
        if !info.bundles.is_empty() {
            self.str(" [")?;
            self.list(&info.bundles, |w, bundle| {
                w.quoted(bundle.tag.as_bytes())?;
                w.str("(")?;
                w.list(values.by_ref().take(bundle.operands as usize), |w, value| w.user(graph, names, value))?;
                w.str(")")
            })?;
            self.str("]")?;
        }
        match &info.exits {
            CallExits::Return => {}
            CallExits::UnwindToFunclet => self.str(" unwind funclet")?,
            CallExits::Unwind(pad) => {
                self.str(" unwind [")?;
                let cleanup = pad.cleanup.then_some(None);
                self.list(cleanup.into_iter().chain(pad.clauses.iter().map(Some)), |w, clause| {
                    w.str(match clause {
                        None => return w.str("cleanup"),
                        Some(Clause::Catch) => "catch ",
                        Some(Clause::Filter) => "filter ",
                    })?;
                    match values.next() {
                        Some(value) => w.user(graph, names, value),
                        None => w.str("_"),
                    }
                })?;
                self.str("]")?;
            }
            CallExits::Labels(alternatives) => {
                self.str(" to [")?;
                self.list(alternatives, |w, &alternative| w.numbered("", alternative.into()))?;
                self.str("]")?;
            }
        }
        if !implied {
            let states = [(info.effects.mem, "mem"), (info.effects.io, "io")];
            self.str(" effects(")?;
            self.list(states.into_iter().filter(|(set, _)| *set), |w, (_, word)| w.str(word))?;
            self.str(")")?;
        }
        for state in values.chain(states.iter().copied()) {
            self.str(", ")?;
            self.user(graph, names, state)?;
        }
        Ok(())
    }
}

/// The number of alternatives that a table's cases and default show.
pub(in crate::text) fn implied_alternatives(table: &MatchTable) -> u32 {
    let greatest = table.cases.iter().map(|&(_, alternative)| alternative).fold(table.default, u32::max);
    greatest.saturating_add(1)
}

/// How many of the last inputs are states, if they are those of `effects` and the text shows it.
fn trailing_states(graph: &Graph, inputs: &[User], effects: Effects) -> Option<usize> {
    let ty = |user: &User| graph.try_origin(*user).map(|origin| graph.ty(origin));
    let start = inputs.len().checked_sub(effects.count())?;
    let other = inputs[..start].last().and_then(ty).is_some_and(Type::is_state);
    let good = !other && inputs[start..].iter().map(ty).eq(effects.types().map(Some));
    good.then_some(effects.count())
}
