//! Calls and returns.

use std::sync::Arc;

use super::{Frame, Machine, Unknown, Variadic};
use crate::builtin::{self, Builtin, Call};
use crate::code::{CONSTANT, CallSite, Callee, Code, Inst, NOWHERE, Slot};
use crate::memory::Kind;
use crate::outcome::{Res, Rule, Stop, undefined, unsupported};
use crate::scalar::ScalarOp;
use crate::value::{Pointer, Value};

/// How many library functions that call back may be active at a time: each runs the machine on the host's stack.
const NESTING: u32 = 32;

impl Machine<'_> {
    /// Enters a function of the module or runs one of the interpreter's own, from the current frame.
    pub(super) fn enter(&mut self, site: &CallSite) -> Res<()> {
        match &site.callee {
            Callee::Function(number) => self.enter_function(*number, site),
            Callee::Builtin(builtin) => self.run_builtin(*builtin, site),
            Callee::Warp(_) => unsupported("an operation of a warp outside of one"),
            Callee::External(name) => self.call_external(name, site),
            Callee::Indirect(slot) => {
                let pointer = match self.read(*slot) {
                    Value::Ptr(pointer) => *pointer,
                    other => return undefined(Rule::NotAFunction, other.to_string()),
                };
                let function = self.function_at(pointer)?;
                if self.functions.get(function).body.is_some() {
                    return self.enter_function(function, site);
                }
                let name = self.functions.name(self.module, self.functions.get(function).symbol);
                if let Some((op, len)) = self.types().math(&name, &site.info, site.result_type, &site.types)? {
                    return self.run_operation(&op, len, site);
                }
                match builtin::find(&name) {
                    Some(builtin) => self.run_builtin(builtin, site),
                    None if self.config.unknown == Unknown::Record => self.call_external(&name, site),
                    None => unsupported(format!("function {name}")),
                }
            }
        }
    }

    fn function_at(&self, pointer: Pointer) -> Res<u32> {
        match self.functions.by_pointer(pointer) {
            Some(function) => Ok(function.number),
            None => undefined(Rule::NotAFunction, format!("{:#x}", pointer.address)),
        }
    }

    /// The value of a slot of the current frame.
    pub(crate) fn read(&self, slot: Slot) -> &Value {
        let frame = self.frames.last().expect("a frame runs");
        if slot & CONSTANT != 0 {
            &frame.code.constants[(slot & !CONSTANT) as usize]
        } else {
            &self.slots[frame.base + slot as usize]
        }
    }

    /// Sets a slot of the current frame.
    pub(crate) fn write(&mut self, slot: Slot, value: Value) {
        if slot != NOWHERE {
            let base = self.frames.last().expect("a frame runs").base;
            self.slots[base + slot as usize] = value;
        }
    }

    fn enter_function(&mut self, number: u32, site: &CallSite) -> Res<()> {
        let code = self.code(number)?;
        let named = code.params.len();
        if site.arguments.len() < named || site.arguments.len() > named && !code.variadic {
            let detail = format!("{} arguments for {named} parameters of {}", site.arguments.len(), code.name);
            return undefined(Rule::CallMismatch, detail);
        }
        if self.frames.len() >= self.config.depth {
            return Err(Box::new(Stop::OutOfMemory("nested calls")));
        }
        let stack = self.memory.stack_height();
        let frame = self.frames.last().expect("a frame runs");
        let (caller, from) = (frame.code.clone(), frame.base);
        let base = from + caller.slots as usize;
        self.reserve(base + code.slots as usize);
        for (index, (&argument, &param)) in site.arguments.iter().zip(&code.params).enumerate() {
            if site.types[index] != code.param_types[index] {
                return undefined(Rule::CallMismatch, format!("argument {index} of {}", code.name));
            }
            let value = self.value_in(&caller, from, argument);
            self.slots[base + param as usize] = value;
        }
        let mut rest = Vec::new();
        for index in named..site.arguments.len() {
            let value = self.value_in(&caller, from, site.arguments[index]);
            let by_value = site.by_value.iter().find(|&&(at, ..)| at as usize == index);
            let by_value = by_value.map(|&(_, size, align)| (size, align));
            rest.push(Variadic { value, ty: site.types[index], by_value });
        }
        for &index in &code.defined {
            let value = &self.slots[base + code.params[index as usize] as usize];
            if !matches!(value, Value::Int(_) | Value::Ptr(_)) && !value.is_defined() {
                return undefined(Rule::NotDefined, format!("argument {index} of {} is {value}", code.name));
            }
        }
        for &(index, size, align) in &code.by_value {
            let at = base + code.params[index as usize] as usize;
            if let Value::Ptr(source) = self.slots[at] {
                let copy = self.memory.allocate(Kind::Stack, size, align, true)?;
                self.memory.copy(copy, source, size)?;
                self.slots[at] = Value::Ptr(copy);
            }
        }
        self.calls += 1;
        if site.must_tail && code.by_value.is_empty() {
            return self.replace_frame(code, base, rest);
        }
        self.frames.push(Frame { code, base, at: 0, stack, serial: self.calls, rest });
        Ok(())
    }

    /// Enters a function in place of the current one, for a call that must not use more stack.
    fn replace_frame(&mut self, code: Arc<Code>, base: usize, mut rest: Vec<Variadic>) -> Res<()> {
        let frame = self.frames.pop().expect("a frame runs");
        self.memory.release_stack(frame.stack);
        if code.variadic {
            rest.extend(frame.rest);
        }
        self.reserve(frame.base + code.slots as usize);
        for &param in &code.params {
            self.slots[frame.base + param as usize] = self.slots[base + param as usize].clone();
        }
        let (base, stack, serial) = (frame.base, frame.stack, self.calls);
        self.frames.push(Frame { code, base, at: 0, stack, serial, rest });
        Ok(())
    }

    fn value_in(&self, code: &Code, base: usize, slot: Slot) -> Value {
        if slot & CONSTANT != 0 {
            code.constants[(slot & !CONSTANT) as usize].clone()
        } else {
            self.slots[base + slot as usize].clone()
        }
    }

    fn reserve(&mut self, slots: usize) {
        if self.slots.len() < slots {
            self.slots.resize(slots.next_power_of_two(), Value::Poison);
        }
    }

    fn run_builtin(&mut self, builtin: Builtin, site: &CallSite) -> Res<()> {
        let mut values: Vec<Value> = site.arguments.iter().map(|&slot| self.read(slot).clone()).collect();
        for &(index, align) in &site.aligned {
            // An address that is less aligned than the call says is poison.
            if let Some(value) = values.get_mut(index as usize)
                && matches!(value, Value::Ptr(pointer) if !pointer.address.is_multiple_of(align))
            {
                *value = Value::Poison;
            }
        }
        let call = Call { values: &values, types: &site.types, result: site.result_type, info: &site.info };
        let value = (builtin.run)(self, &call)?;
        self.returned(site, Some(value));
        Ok(())
    }

    fn run_operation(&mut self, op: &ScalarOp, len: Option<u32>, site: &CallSite) -> Res<()> {
        let operands: Vec<&Value> = site.arguments.iter().take(3).map(|&slot| self.read(slot)).collect();
        let value = match len {
            None => op.apply(&operands)?,
            Some(len) => op.apply_lanes(len, &operands)?,
        };
        let chosen = self.state.chosen.noting(op, &operands, &value);
        self.state.chosen = chosen;
        self.returned(site, Some(value));
        Ok(())
    }

    /// Puts a returned value where a call site wants it.
    pub(super) fn returned(&mut self, site: &CallSite, value: Option<Value>) {
        if let Some(value) = value {
            self.write(site.result, value);
        }
        if let Some(unwind) = &site.unwind {
            let (pad, predicate) = (unwind.pad, unwind.predicate);
            self.write(pad, Value::Poison);
            self.write(predicate, Value::Int(0));
        }
    }

    /// Passes its result to the call at which the current frame is.
    pub(crate) fn answer(&mut self, value: Value) {
        let frame = self.frames.last().expect("a frame runs");
        let (code, at) = (Arc::clone(&frame.code), frame.at - 1);
        if let Inst::Call(site) = &code.insts[at] {
            self.returned(site, Some(value));
        }
    }

    /// Leaves the current frame with a value; the caller continues after the call.
    pub(super) fn leave(&mut self, value: Option<Value>, floor: usize) -> Res<Option<Option<Value>>> {
        let frame = self.frames.last().expect("a frame returns");
        if frame.code.no_return {
            return undefined(Rule::ReturnFromNoReturn, &*frame.code.name);
        }
        if frame.code.defined_result
            && let Some(value) = &value
            && !value.is_defined()
        {
            return undefined(Rule::NotDefined, format!("{} returns {value}", frame.code.name));
        }
        let Some(frame) = self.frames.pop() else { return unsupported("return from no function") };
        self.memory.release_stack(frame.stack);
        if self.frames.len() <= floor {
            return Ok(Some(value));
        }
        let caller = self.frames.last().expect("a caller is above the floor");
        let (code, at) = (caller.code.clone(), caller.at - 1);
        if let Inst::Call(site) = &code.insts[at] {
            if site.result != NOWHERE && site.result_type != frame.code.result {
                return undefined(Rule::CallMismatch, format!("what {} returns has another type", frame.code.name));
            }
            self.returned(site, value);
        }
        Ok(None)
    }

    /// Runs a function to its end, from outside of the machine or from a library function.
    pub(crate) fn call_function(&mut self, number: u32, arguments: &[Value]) -> Res<Option<Value>> {
        if self.state.nesting >= NESTING {
            return Err(Box::new(Stop::OutOfMemory("nested callbacks")));
        }
        let floor = self.frames.len();
        self.begin(number, arguments)?;
        self.state.nesting += 1;
        let result = self.run(floor);
        self.state.nesting -= 1;
        result
    }

    /// Enters a function with these arguments.
    pub(crate) fn begin(&mut self, number: u32, arguments: &[Value]) -> Res<()> {
        if self.functions.get(number).body.is_none() {
            let name = self.functions.name(self.module, self.functions.get(number).symbol);
            return unsupported(format!("function {name} as a callback"));
        }
        let code = self.code(number)?;
        if arguments.len() != code.params.len() {
            return undefined(Rule::CallMismatch, format!("{} arguments for {}", arguments.len(), code.name));
        }
        let base = self.frames.last().map_or(0, |frame| frame.base + frame.code.slots as usize);
        self.reserve(base + code.slots as usize);
        for (&param, argument) in code.params.iter().zip(arguments) {
            self.slots[base + param as usize] = argument.clone();
        }
        let stack = self.memory.stack_height();
        self.calls += 1;
        self.frames.push(Frame { code, base, at: 0, stack, serial: self.calls, rest: Vec::new() });
        Ok(())
    }

    /// As [`Machine::call_function`], by address.
    pub(crate) fn call_pointer(&mut self, function: Value, arguments: &[Value]) -> Res<Option<Value>> {
        let Value::Ptr(pointer) = function else { return undefined(Rule::NotAFunction, function.to_string()) };
        let number = self.function_at(pointer)?;
        self.call_function(number, arguments)
    }
}
