//! Calls.

use std::sync::Arc;

use rvsdg_core::attribute::{Attribute, AttributeKind, AttributeList, IntRange};
use rvsdg_core::module::SymbolKind;
use rvsdg_core::op::{Call, CallExits, CallInfo, Clause, TailKind};
use rvsdg_core::{Type, TypeKind};

use super::Translator;
use crate::builtin;
use crate::code::{CallSite, Callee, Inst, NOWHERE, Slot, Unwind};
use crate::outcome::{Res, unsupported};
use crate::simt::WarpOp;
use crate::value::Value;

impl Translator<'_> {
    pub(super) fn call(&mut self, node: u32, call: Call) -> Res<()> {
        let info = self.types.pool.call(call);
        let TypeKind::Function { result, .. } = *self.types.pool.type_kind(info.function_type) else {
            return unsupported("call of what is no function type");
        };
        let values = self.body.inputs(node).filter(|&value| !self.body.ty(value).is_state());
        let slots: Vec<Slot> = values.map(|value| self.slot(value)).collect();
        let first = usize::from(info.assembly.is_none());
        let in_bundles: usize = info.bundles.iter().map(|bundle| bundle.operands as usize).sum();
        let clauses = info.exits.clauses();
        let end = slots.len() - in_bundles - clauses;
        let arguments = &slots[first..end];
        let types: Vec<Type> = (first..end).map(|index| self.input_type(node, index)).collect();
        if info.assembly.is_some() {
            return self.assembly(node, info, result, arguments);
        }
        let mut range = self.types.pool.attributes(info.attributes).result_range();
        let mut callee = Callee::Indirect(slots[0]);
        if let Some(Value::Ptr(pointer)) = self.constant_of(slots[0]).cloned() {
            let called = self.functions.by_pointer(pointer);
            let attributes = called.and_then(|function| match self.module.symbols[function.symbol].kind {
                SymbolKind::Function { attributes, .. } => Some(self.types.pool.attributes(attributes)),
                SymbolKind::Variable { .. } | SymbolKind::Alias { .. } | SymbolKind::IFunc { .. } => None,
            });
            range = range.or_else(|| attributes?.result_range());
            match called {
                Some(function) if function.body.is_some() => callee = Callee::Function(function.number),
                Some(function) => {
                    let name = self.functions.name(self.module, function.symbol);
                    if let Some((op, len)) = self.types.math(&name, info, result, &types)? {
                        let output = self.body.output(node, 0);
                        let to = self.fresh(output);
                        self.scalar_on(to, op, &arguments[..arguments.len().min(3)], len);
                        self.in_range(range, to);
                        return Ok(());
                    }
                    let own = builtin::find(&name).map(Callee::Builtin);
                    callee = match own.or_else(|| self.warps.then(|| WarpOp::find(&name)).flatten().map(Callee::Warp)) {
                        Some(found) => found,
                        None if self.record => Callee::External(name.into()),
                        None => return unsupported(format!("function {name}")),
                    };
                }
                None => {}
            }
        }
        let mut outputs = self.body.outputs(node).collect::<Vec<_>>().into_iter();
        let returned = if result == Type::VOID { None } else { outputs.next() };
        let slot = returned.map_or(NOWHERE, |origin| self.fresh(origin));
        let unwind = match &info.exits {
            CallExits::Unwind(pad) => {
                let [given, predicate] = [outputs.next(), outputs.next()].map(|origin| origin.map(|o| self.fresh(o)));
                let operands = &slots[slots.len() - clauses..];
                Some(Unwind {
                    pad: given.unwrap_or(NOWHERE),
                    predicate: predicate.unwrap_or(NOWHERE),
                    cleanup: pad.cleanup,
                    clauses: operands
                        .iter()
                        .zip(&pad.clauses)
                        .map(|(&operand, &clause)| (operand, clause == Clause::Catch))
                        .collect(),
                })
            }
            CallExits::UnwindToFunclet => return unsupported("funclet"),
            CallExits::Return | CallExits::Labels(_) => None,
        };
        let attributes = self.types.pool.attributes(info.attributes);
        let (no_return, no_unwind) =
            (attributes.function_has(AttributeKind::NoReturn), attributes.function_has(AttributeKind::NoUnwind));
        let by_value = self.by_value(attributes)?;
        let sets = attributes.params.iter().enumerate();
        let aligned = sets.filter_map(|(position, set)| Some((position as u32, align(set)?))).collect();
        let site = CallSite {
            callee,
            arguments: arguments.into(),
            types: types.into(),
            info: Arc::new(info.clone()),
            result: slot,
            result_type: result,
            unwind,
            by_value,
            aligned,
            no_return,
            must_tail: info.tail == TailKind::MustTail,
            no_unwind,
        };
        let comes_back = site.unwind.is_none();
        self.push(Inst::Call(Box::new(site)));
        if comes_back {
            self.in_range(range, slot);
        }
        Ok(())
    }

    /// Keeps what a call promises of its result.
    fn in_range(&mut self, range: Option<IntRange>, slot: Slot) {
        if let Some(range) = range {
            self.push(Inst::InRange(slot, range));
        }
    }

    /// Parameters of which the callee gets a copy (`byval`): position, bytes, alignment.
    pub(super) fn by_value(&mut self, attributes: &AttributeList) -> Res<Box<[(u32, u64, u64)]>> {
        let mut by_value = Vec::new();
        for (position, set) in attributes.params.iter().enumerate() {
            if let Some(ty) = set.iter().find(|attribute| attribute.is(AttributeKind::ByVal)).and_then(Attribute::ty) {
                let layout = self.layout(ty)?;
                by_value.push((position as u32, layout.size, align(set).unwrap_or(layout.align)));
            }
        }
        Ok(by_value.into())
    }

    /// Assembly without instructions: a barrier for the compiler.
    fn assembly(&mut self, node: u32, info: &CallInfo, result: Type, arguments: &[Slot]) -> Res<()> {
        let Some(assembly) = &info.assembly else { return unsupported("inline assembly") };
        if !assembly.template.is_empty() || !matches!(info.exits, CallExits::Return) {
            return unsupported("inline assembly");
        }
        let constraints: Vec<&str> = assembly.constraints.split(',').filter(|part| !part.starts_with('~')).collect();
        match (result == Type::VOID, arguments, &constraints[..]) {
            (true, ..) => {
                self.push(Inst::Nothing);
                Ok(())
            }
            (false, &[argument], [output, "0"]) if output.starts_with('=') => {
                let output = self.body.output(node, 0);
                let to = self.fresh(output);
                self.push(Inst::Copy(to, argument));
                Ok(())
            }
            _ => unsupported("inline assembly"),
        }
    }
}

/// The number of an `align` attribute.
fn align(set: &[Attribute]) -> Option<u64> {
    set.iter().find_map(Attribute::align_log2).map(|align| 1 << align)
}
