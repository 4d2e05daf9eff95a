//! Unwinding: from a throw to the landing pad that takes the exception.
//!
//! As in the Itanium ABI there are two phases: a handler is looked for first, and only when there is one are frames left.

use super::Machine;
use crate::code::{Inst, Unwind};
use crate::outcome::{Res, Rule, Stop, undefined};
use crate::value::{Pointer, Value};

/// An exception that is being propagated.
#[derive(Clone, Debug)]
pub(crate) struct Exception {
    /// The object that is passed to landing pads.
    pub header: Pointer,
    /// The description of its type; `None` for an exception of another language.
    pub ty: Option<Pointer>,
}

impl Machine<'_> {
    /// Continues unwinding out of the current function, with the value that the landing pad received.
    pub(super) fn resume(&mut self, value: Value) -> Res<()> {
        if let Value::Seq(fields) = &value
            && let Some(Value::Ptr(header)) = fields.first()
        {
            let ty = self.state.exceptions.get(&header.address).map(|thrown| thrown.ty);
            self.state.thrown = Some(Exception { header: *header, ty });
        }
        let frame = self.frames.last().expect("a frame runs");
        if frame.code.no_unwind {
            return undefined(Rule::UnwindFromNoUnwind, &*frame.code.name);
        }
        let stack = frame.stack;
        self.frames.pop();
        self.memory.release_stack(stack);
        Err(Box::new(Stop::Throw))
    }

    /// Leaves frames until one catches the exception; the topmost frame is at a call.
    pub(super) fn unwind(&mut self, floor: usize) -> Res<()> {
        let Some(exception) = self.state.thrown.take() else {
            return Err(Box::new(Stop::Abort("unwinding without an exception".into())));
        };
        // Phase 1.
        let mut handler = None;
        for index in (floor..self.frames.len()).rev() {
            if let Some(unwind) = self.site(index)
                && self.selector(index, unwind, &exception)?.is_some()
            {
                handler = Some(index);
                break;
            }
        }
        if handler.is_none() {
            if floor > 0 {
                self.state.thrown = Some(exception);
                self.frames.truncate(floor);
                return Err(Box::new(Stop::Throw));
            }
            return Err(Box::new(Stop::Abort("an exception that nobody catches".into())));
        }
        // Phase 2.
        while self.frames.len() > floor {
            let index = self.frames.len() - 1;
            if let Some(unwind) = self.site(index) {
                let selector = self.selector(index, unwind, &exception)?;
                if selector.is_some() || unwind.cleanup {
                    let (pad, predicate) = (unwind.pad, unwind.predicate);
                    let result = self.result_slot(index);
                    let (number, offset) = selector.unwrap_or((0, 0));
                    let header = exception.header;
                    self.state.adjusted.insert(header.address, header.offset(offset as u64));
                    let given = vec![Value::Ptr(header), Value::Int(number.into())];
                    self.write(pad, Value::seq(given));
                    self.write(predicate, Value::Int(1));
                    self.write(result, Value::Poison);
                    return Ok(());
                }
            }
            let frame = &self.frames[index];
            if frame.code.no_unwind || self.is_no_unwind(index) {
                return undefined(Rule::UnwindFromNoUnwind, &*frame.code.name);
            }
            let stack = frame.stack;
            self.frames.pop();
            self.memory.release_stack(stack);
        }
        Err(Box::new(Stop::Abort("an exception that nobody catches".into())))
    }

    /// The landing pad of the call at which a frame is.
    fn site(&self, index: usize) -> Option<&Unwind> {
        let frame = &self.frames[index];
        match frame.code.insts.get(frame.at.checked_sub(1)?) {
            Some(Inst::Call(site)) => site.unwind.as_ref(),
            _ => None,
        }
    }

    /// Whether the call at which a frame is has the attribute `nounwind`.
    fn is_no_unwind(&self, index: usize) -> bool {
        let frame = &self.frames[index];
        let inst = frame.at.checked_sub(1).and_then(|at| frame.code.insts.get(at));
        matches!(inst, Some(Inst::Call(site)) if site.no_unwind)
    }

    fn result_slot(&self, index: usize) -> crate::code::Slot {
        let frame = &self.frames[index];
        match frame.code.insts.get(frame.at - 1) {
            Some(Inst::Call(site)) => site.result,
            _ => crate::code::NOWHERE,
        }
    }

    /// The number of the first clause's type that takes the exception, and where that base lies within it.
    fn selector(&self, index: usize, unwind: &Unwind, exception: &Exception) -> Res<Option<(u32, i64)>> {
        let frame = &self.frames[index];
        for &(slot, catches) in &unwind.clauses {
            let operand = self.value_at(frame, slot);
            if catches {
                let Value::Ptr(ty) = operand else { return undefined(Rule::NotDefined, "operand of a catch clause") };
                if ty.address == 0 {
                    return Ok(Some((type_id(ty), 0)));
                }
                if let Some(offset) = exception.ty.and_then(|thrown| self.base_offset(thrown, ty)) {
                    return Ok(Some((type_id(ty), offset)));
                }
            } else {
                let allowed = match &operand {
                    Value::Seq(types) => types.iter().any(|ty| match (ty, exception.ty) {
                        (Value::Ptr(ty), Some(thrown)) => self.base_offset(thrown, *ty).is_some(),
                        _ => false,
                    }),
                    _ => false,
                };
                if !allowed {
                    // A violated specification has a negative number.
                    return Ok(Some((u32::MAX, 0)));
                }
            }
        }
        Ok(None)
    }

    fn value_at(&self, frame: &super::Frame, slot: crate::code::Slot) -> Value {
        if slot & crate::code::CONSTANT != 0 {
            frame.code.constants[(slot & !crate::code::CONSTANT) as usize].clone()
        } else {
            self.slots[frame.base + slot as usize].clone()
        }
    }
}

/// The number by which landing pads identify a type.
pub(crate) fn type_id(ty: Pointer) -> u32 {
    if ty.address == 0 { 1 } else { (ty.address & 0x3fff_ffff) as u32 | 1 << 30 }
}
