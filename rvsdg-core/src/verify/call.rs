//! The signature of calls.

use super::Invariant;
use super::op::Signature;
use super::types::is_first_class;
use crate::Type;
use crate::TypeKind;
use crate::op::{CallExits, CallInfo, Effects, Funclet, Op};

impl Signature<'_, '_> {
    /// Inputs are the callee (none for assembly), arguments other than self-contained metadata, bundle operands, then operands of
    /// clauses. A value for a metadata parameter is passed as metadata. Outputs are the returned value, the landing pad's value, and the
    /// predicate.
    pub(super) fn call(&mut self, op: Op, info: &CallInfo) {
        let pool = self.pool;
        let TypeKind::Function { result, params, variadic } = pool.type_kind(info.function_type) else {
            return self.types_flaw("a call's type is a function type");
        };
        if let Some(flaw) = self.types.fact(info.function_type).flaw {
            self.types_flaw(flaw);
        }
        let value_result = *result != Type::VOID;
        if value_result && self.outputs.first() != Some(result) {
            self.types_flaw("the output is what the function returns");
        }
        let outputs = &self.outputs[usize::from(value_result).min(self.outputs.len())..];
        let alternatives = |ty: &Type| pool.ctl_alternatives(*ty).unwrap_or(0);
        match (op, &info.exits) {
            (Op::Call(_), CallExits::Return) => {
                if !outputs.is_empty() {
                    self.types_flaw("the output is what the function returns");
                }
            }
            (Op::Invoke(_), CallExits::Unwind(pad)) => {
                if !matches!(outputs, [pad, ctl] if is_first_class(pool.type_kind(*pad)) && alternatives(ctl) == 2) {
                    self.types_flaw(
                        "behind what the function returns, outputs are an exception and a predicate of two",
                    );
                }
                self.payload(pad.cleanup || !pad.clauses.is_empty(), "a landing pad is a cleanup or has clauses");
                self.payload(info.effects.io, "an invoke has effects that order it");
            }
            (Op::Invoke(_), CallExits::UnwindToFunclet) => {
                let good = matches!(outputs, [ctl] if alternatives(ctl) == 2);
                if !good {
                    self.types_flaw("behind what the function returns, the output is a predicate of two");
                }
                self.payload(info.effects.io, "an invoke has effects that order it");
            }
            (Op::CallBr(_), CallExits::Labels(labels)) => {
                let count = match outputs {
                    [ctl] => alternatives(ctl),
                    _ => 0,
                };
                if count == 0 {
                    self.types_flaw("behind what the assembly returns, the output is a predicate");
                }
                let good = labels.first() == Some(&0) && labels.iter().all(|&label| label < count);
                self.payload(good, "each label has an alternative, the default the first");
                self.payload(info.assembly.is_some() && info.effects.io, "a callbr is assembly that has effects");
            }
            _ => self.payload(false, "the way on is that of the operation"),
        }
        if info.assembly.is_none()
            && self.inputs.first().is_none_or(|&ty| !matches!(pool.type_kind(ty), TypeKind::Ptr(_)))
        {
            return self.types_flaw("input 0 is the callee, a pointer");
        }
        self.arguments(info, params, *variadic);
        let fast = info.fast.is_empty() || self.is_float_like(*result);
        self.payload(fast, "only a call that returns floats has fast-math flags");
        let pure = !info.speculatable || info.effects == Effects::NONE;
        self.payload(pure, "a speculatable call has no effects");
    }

    /// Inputs are a token, then arguments of a pad; the output is the predicate of a branch.
    pub(super) fn funclet(&mut self, funclet: Funclet) {
        let token = self.inputs.first().is_some_and(|&ty| *self.kind(ty) == TypeKind::Token);
        self.demand(token, "input 0 is the token of a funclet");
        let arguments = matches!(funclet, Funclet::CatchPad(_) | Funclet::CleanupPad(_));
        if !arguments && self.inputs.len() > 1 {
            self.flaw(Invariant::Arity, "the token is the only input");
        }
        let ways = match *self.outputs {
            [] => 0,
            [ctl] => self.pool.ctl_alternatives(ctl).unwrap_or(0),
            _ => return self.types_flaw("the output is a predicate"),
        };
        let good = match funclet {
            Funclet::CatchSwitch { unwinds, .. } => ways > u32::from(unwinds),
            Funclet::CatchRet | Funclet::CleanupRet { to_caller: false } => ways == 1,
            Funclet::CatchPad(_) | Funclet::CleanupPad(_) | Funclet::CleanupRet { to_caller: true } => {
                self.outputs.is_empty()
            }
        };
        self.demand(good, "the output is a predicate with an alternative for each way on");
    }

    fn arguments(&mut self, info: &CallInfo, params: &[Type], variadic: bool) {
        let callee = usize::from(info.assembly.is_none());
        let in_bundles: usize = info.bundles.iter().map(|bundle| bundle.operands as usize).sum();
        let in_bundles = in_bundles + info.exits.clauses();
        let Some(arguments) = self.inputs.len().checked_sub(callee + in_bundles) else {
            return self.flaw(Invariant::Arity, "there are fewer inputs than its bundles and clauses have operands");
        };
        let sorted = info.metadata.windows(2).all(|pair| pair[0].position < pair[1].position);
        self.payload(sorted, "metadata arguments are in order");
        let total = arguments + info.metadata.len();
        if total < params.len() || total > params.len() && !variadic {
            let message = format!("{total} arguments for {} parameters", params.len());
            return self.flaw(Invariant::Arity, message);
        }
        let mut values = self.inputs[callee..callee + arguments].iter();
        let mut metadata = info.metadata.iter().map(|argument| argument.position as usize).peekable();
        for position in 0..total {
            let param = params.get(position).copied();
            let is_metadata = param.is_some_and(|param| *self.kind(param) == TypeKind::Metadata);
            if metadata.next_if_eq(&position).is_some() {
                self.demand(is_metadata, "metadata is passed where the function takes a value");
                continue;
            }
            match values.next() {
                None => {
                    return self.flaw(Invariant::Payload, "a metadata argument has a position beyond the last");
                }
                Some(&ty) => {
                    if !is_metadata && param.is_some_and(|param| param != ty) {
                        let message = format!("argument {position} is not of its parameter's type");
                        self.types_flaw(message);
                    }
                }
            }
        }
    }
}
