//! The loop that executes instructions.

use std::sync::Arc;

use super::Machine;
use crate::code::{Access, CONSTANT, Code, Gep, Inst, NOWHERE};
use crate::constants;
use crate::memory::Kind;
use crate::outcome::{Res, Rule, Stop, undefined, unsupported};
use crate::scalar::{self, int};
use crate::value::{Pointer, Value, signed};

mod atomic;

/// What follows an instruction that the fast loop does not do itself.
enum Next {
    Inst,
    /// Another frame is on top.
    Frame,
}

impl Machine<'_> {
    /// Runs until only `floor` frames are left; the value the last one returned.
    pub(super) fn run(&mut self, floor: usize) -> Res<Option<Value>> {
        loop {
            match self.run_frames(floor) {
                Err(stop) => match *stop {
                    Stop::Throw => self.unwind(floor)?,
                    Stop::Jump { buffer, value } => self.come_back(buffer, value, floor)?,
                    _ => return Err(stop),
                },
                Ok(value) => return Ok(value),
            }
        }
    }

    fn run_frames(&mut self, floor: usize) -> Res<Option<Value>> {
        loop {
            let frame = self.frames.last().expect("a frame runs");
            let (code, base, mut at) = (Arc::clone(&frame.code), frame.base, frame.at);
            let code = &*code;
            macro_rules! read {
                ($slot:expr) => {{
                    let slot = $slot;
                    if slot & CONSTANT != 0 {
                        &code.constants[(slot & !CONSTANT) as usize]
                    } else {
                        &self.slots[base + slot as usize]
                    }
                }};
            }
            macro_rules! stop {
                ($result:expr) => {
                    match $result {
                        Ok(value) => value,
                        Err(stop) => {
                            // A frame that an exception leaves is gone already, and the next one keeps its place.
                            if !matches!(*stop, Stop::Throw) {
                                self.frame().at = at;
                            }
                            return Err(stop);
                        }
                    }
                };
            }
            loop {
                let inst = &code.insts[at];
                at += 1;
                if self.fuel == 0 {
                    self.frame().at = at;
                    return Err(Box::new(Stop::OutOfFuel));
                }
                self.fuel -= 1;
                match inst {
                    Inst::Copy(to, from) => {
                        let value = read!(*from).clone();
                        self.slots[base + *to as usize] = value;
                    }
                    Inst::Int { to, a, b, op, flags, bits } => {
                        let (a, b) = (read!(*a), read!(*b));
                        let fast = match (a, b) {
                            (Value::Int(a), Value::Int(b)) => int::fast(*op, *flags, (*bits).into(), *a, *b),
                            _ => None,
                        };
                        let value = match fast {
                            Some(result) => Value::Int(result),
                            None => stop!(int::slow(*op, *flags, (*bits).into(), a, b)),
                        };
                        self.slots[base + *to as usize] = value;
                    }
                    Inst::Compare { to, a, b, predicate, same_sign, bits } => {
                        let (a, b) = (read!(*a), read!(*b));
                        let value = match (a, b) {
                            (Value::Int(a), Value::Int(b)) if !same_sign => {
                                Value::bool(int::relation(*predicate, (*bits).into(), *a, *b))
                            }
                            (Value::Ptr(a), Value::Ptr(b)) if !same_sign => {
                                Value::bool(int::relation(*predicate, 64, a.address, b.address))
                            }
                            _ => int::compare(*predicate, *same_sign, (*bits).into(), a, b),
                        };
                        self.slots[base + *to as usize] = value;
                    }
                    Inst::Scalar { to, op, operands, count } => {
                        let [a, b, c] = [read!(operands[0]), read!(operands[1]), read!(operands[2])];
                        let value = stop!(op.apply(&[a, b, c][..usize::from(*count)]));
                        self.slots[base + *to as usize] = value;
                    }
                    Inst::Select { to, condition, yes, no } => {
                        let value = match read!(*condition) {
                            Value::Int(0) => read!(*no).clone(),
                            Value::Int(_) => read!(*yes).clone(),
                            condition => scalar::select(condition, read!(*yes), read!(*no)),
                        };
                        self.slots[base + *to as usize] = value;
                    }
                    Inst::Gep { to, gep } => {
                        let value = match (read!(gep.base), gep.lanes) {
                            (Value::Ptr(pointer), None) => {
                                let mut sum = gep.offset;
                                let mut plain = true;
                                for step in &gep.steps {
                                    match read!(step.index) {
                                        Value::Int(index) => {
                                            let index = signed(step.bits, *index) as u64;
                                            sum = sum.wrapping_add(index.wrapping_mul(step.stride));
                                        }
                                        _ => plain = false,
                                    }
                                }
                                if plain { self.offset(gep, *pointer, sum) } else { stop!(self.gep(gep)) }
                            }
                            _ => stop!(self.gep(gep)),
                        };
                        self.slots[base + *to as usize] = value;
                    }
                    Inst::Load { to, pointer, access, align } => {
                        let pointer = match read!(*pointer) {
                            Value::Ptr(pointer) => *pointer,
                            other => stop!(undefined(Rule::AddressNotDefined, other.to_string())),
                        };
                        let value = match access {
                            Access::Bits(bits) => stop!(self.memory.load_bits(pointer, *bits, *align)),
                            Access::Pointer => stop!(self.memory.load_pointer(pointer, *align)),
                            Access::Any(layout) => stop!(self.memory.load(pointer, layout, *align)),
                        };
                        self.slots[base + *to as usize] = value;
                    }
                    Inst::Store { value, pointer, access, align } => {
                        let pointer = match read!(*pointer) {
                            Value::Ptr(pointer) => *pointer,
                            other => stop!(undefined(Rule::AddressNotDefined, other.to_string())),
                        };
                        match (read!(*value), access) {
                            (Value::Int(value), Access::Bits(bits)) => {
                                let value = *value;
                                stop!(self.memory.store_bits(pointer, *bits, *align, value));
                            }
                            (Value::Ptr(value), Access::Pointer) => {
                                let value = *value;
                                stop!(self.memory.store_pointer(pointer, *align, value));
                            }
                            (value, access) => {
                                let value = value.clone();
                                stop!(self.store(pointer, access, *align, &value));
                            }
                        }
                    }
                    Inst::MatchBit { to, value, alternatives } => {
                        let value = match read!(*value) {
                            Value::Int(bit) => Value::Int(alternatives[usize::from(*bit & 1 != 0)].into()),
                            _ => Value::Poison,
                        };
                        self.slots[base + *to as usize] = value;
                    }
                    Inst::Match { to, value, table } => {
                        let value = match read!(*value) {
                            Value::Int(bits) => {
                                let at = table.cases.binary_search_by_key(bits, |&(case, _)| case);
                                Value::Int(at.map_or(table.default, |at| table.cases[at].1).into())
                            }
                            wide @ Value::Wide(_) => {
                                let case = table.wide.iter().find(|(case, _)| case == wide);
                                Value::Int(case.map_or(table.default, |&(_, alternative)| alternative).into())
                            }
                            _ => Value::Poison,
                        };
                        self.slots[base + *to as usize] = value;
                    }
                    Inst::Jump(place) => at = *place as usize,
                    Inst::Switch { predicate, places } => match read!(*predicate) {
                        Value::Int(alternative) => at = places[*alternative as usize] as usize,
                        other => stop!(undefined(Rule::BranchNotDefined, other.to_string())),
                    },
                    Inst::Repeat { predicate, place } => match read!(*predicate) {
                        Value::Int(0) => {}
                        Value::Int(_) => at = *place as usize,
                        other => stop!(undefined(Rule::BranchNotDefined, other.to_string())),
                    },
                    Inst::Call(site) => {
                        let height = self.frames.len();
                        self.frame().at = at;
                        self.enter(site)?;
                        if self.frames.len() != height || site.must_tail {
                            break;
                        }
                    }
                    Inst::Return(slot) => {
                        let value = (*slot != NOWHERE).then(|| read!(*slot).clone());
                        self.frame().at = at;
                        if let Some(value) = self.leave(value, floor)? {
                            return Ok(value);
                        }
                        break;
                    }
                    Inst::Nothing => {}
                    other => match stop!(self.other(other, code, base, at)) {
                        Next::Inst => {}
                        Next::Frame => break,
                    },
                }
            }
        }
    }

    pub(super) fn frame(&mut self) -> &mut super::Frame {
        self.frames.last_mut().expect("a frame runs")
    }

    fn store(&mut self, pointer: Pointer, access: &Access, align: u64, value: &Value) -> Res<()> {
        match access {
            Access::Bits(bits) => self.memory.store_scalar(pointer, crate::layout::Scalar::Int(*bits), align, value),
            Access::Pointer => self.memory.store_scalar(pointer, crate::layout::Scalar::Ptr, align, value),
            Access::Any(layout) => self.memory.store(pointer, layout, align, value),
        }
    }

    /// An address so many bytes further, or poison where the flags forbid it.
    fn offset(&self, gep: &Gep, pointer: Pointer, sum: u64) -> Value {
        let result = pointer.offset(sum);
        if gep.inbounds && sum != 0 && !self.memory.holds(pointer, result) {
            return Value::Poison;
        }
        if gep.nusw && pointer.address.checked_add_signed(sum as i64).is_none() {
            return Value::Poison;
        }
        if gep.nuw && pointer.address.checked_add(sum).is_none() {
            return Value::Poison;
        }
        Value::Ptr(result)
    }

    /// A getelementptr on anything: vectors, poison, undef.
    fn gep(&mut self, gep: &Gep) -> Res<Value> {
        let mut results = Vec::new();
        for lane in 0..gep.lanes.unwrap_or(1) as usize {
            let mut sum = gep.offset;
            let mut bad = None;
            for step in &gep.steps {
                match scalar::lane(self.read(step.index), lane) {
                    Value::Int(index) => {
                        sum = sum.wrapping_add((signed(step.bits.min(64), *index) as u64).wrapping_mul(step.stride));
                    }
                    Value::Wide(limbs) => sum = sum.wrapping_add(limbs[0].wrapping_mul(step.stride)),
                    Value::Poison => bad = Some(Value::Poison),
                    _ => bad = bad.or(Some(Value::Undef)),
                }
            }
            let base = scalar::lane(self.read(gep.base), lane);
            results.push(match (base, bad) {
                (Value::Poison, _) => Value::Poison,
                (_, Some(bad)) => bad,
                (Value::Ptr(pointer), None) => self.offset(gep, *pointer, sum),
                _ => Value::Undef,
            });
        }
        Ok(if gep.lanes.is_some() { Value::seq(results) } else { results.swap_remove(0) })
    }

    /// An instruction that is rare.
    fn other(&mut self, inst: &Inst, code: &Code, base: usize, at: usize) -> Res<Next> {
        match inst {
            Inst::Copies(copies) => {
                let values: Vec<Value> = copies.iter().map(|&(_, from)| self.read(from).clone()).collect();
                for (&(to, _), value) in copies.iter().zip(values) {
                    self.slots[base + to as usize] = value;
                }
            }
            Inst::Lanes { to, op, operands, count, len } => {
                let operands: Vec<&Value> =
                    operands[..usize::from(*count)].iter().map(|&slot| self.read(slot)).collect();
                let value = op.apply_lanes(*len, &operands)?;
                self.write(*to, value);
            }
            Inst::Recast { to, from, lanes } => {
                let value = constants::recast(self.read(*from), lanes[0], lanes[1])?;
                self.write(*to, value);
            }
            Inst::Freeze { to, from, layout } => {
                let value = match self.read(*from) {
                    value @ (Value::Int(_) | Value::Ptr(_)) => value.clone(),
                    value => constants::freeze(layout, value),
                };
                self.write(*to, value);
            }
            Inst::Constant { to, constant, holes } => {
                let holes: Vec<Value> = holes.iter().map(|&slot| self.read(slot).clone()).collect();
                let value = self.types().constant(*constant, &holes)?;
                self.write(*to, value);
            }
            Inst::ExtractElement { to, vector, index } => {
                let value = match (self.read(*vector), self.read(*index)) {
                    (Value::Seq(lanes), Value::Int(index)) => {
                        lanes.get(*index as usize).cloned().unwrap_or(Value::Poison)
                    }
                    (vector, Value::Int(_)) => vector.clone(),
                    _ => Value::Poison,
                };
                self.write(*to, value);
            }
            Inst::InsertElement { to, vector, element, index, len } => {
                let value = match self.read(*index) {
                    Value::Int(index) if *index < u64::from(*len) => {
                        let mut lanes = elements(self.read(*vector), *len as usize);
                        lanes[*index as usize] = self.read(*element).clone();
                        Value::seq(lanes)
                    }
                    _ => Value::Poison,
                };
                self.write(*to, value);
            }
            Inst::Shuffle { to, a, b, mask, len } => {
                let (a, b) = (self.read(*a), self.read(*b));
                let pick = |&lane: &u32| match lane {
                    u32::MAX => Value::Poison,
                    lane if lane < *len => scalar::lane(a, lane as usize).clone(),
                    lane => scalar::lane(b, (lane - len) as usize).clone(),
                };
                let value = Value::seq(mask.iter().map(pick).collect());
                self.write(*to, value);
            }
            Inst::Extract { to, from, path } => {
                let mut value = self.read(*from);
                for &index in path {
                    if let Value::Seq(parts) = value {
                        value = &parts[index as usize];
                    }
                }
                let value = value.clone();
                self.write(*to, value);
            }
            Inst::Insert { to, from, element, path } => {
                let value = insert(self.read(*from), self.read(*element).clone(), path);
                self.write(*to, value);
            }
            Inst::Alloca { to, count, size, align } => {
                let count = match self.read(*count) {
                    Value::Int(count) => *count,
                    other => return undefined(Rule::NotDefined, format!("{other} elements on the stack")),
                };
                let Some(bytes) = count.checked_mul(*size) else {
                    return Err(Box::new(Stop::OutOfMemory("stack memory")));
                };
                let pointer = self.memory.allocate(Kind::Stack, bytes, *align, true)?;
                self.write(*to, Value::Ptr(pointer));
            }
            Inst::CmpXchg { .. } | Inst::Rmw { .. } => self.atomic(inst)?,
            Inst::IndirectBr { to, address, blocks } => {
                let Value::Ptr(pointer) = self.read(*address) else {
                    return undefined(Rule::BranchNotDefined, "");
                };
                let home = self.addresses.get(&code.symbol);
                let Some(Value::Ptr(home)) = home else { return unsupported("indirectbr without a function") };
                let block = pointer.address.wrapping_sub(home.address).wrapping_sub(1);
                match blocks.iter().position(|&known| u64::from(known) == block) {
                    Some(alternative) => self.write(*to, Value::Int(alternative as u64)),
                    None => return undefined(Rule::IndirectTarget, format!("{:#x}", pointer.address)),
                }
            }
            Inst::Resume(slot) => {
                let exception = self.read(*slot).clone();
                self.frame().at = at;
                self.resume(exception)?;
                return Ok(Next::Frame);
            }
            Inst::VaArg { to, list, ty, layout } => {
                let Value::Ptr(list) = *self.read(*list) else { return undefined(Rule::AddressNotDefined, "va_arg") };
                let value = crate::builtin::varargs::next_in_list(self, list, *ty, layout)?;
                self.write(*to, value);
            }
            Inst::Record { name, operands } => {
                let values: Vec<Value> = operands.iter().map(|&slot| self.read(slot).clone()).collect();
                self.record_access(name, &values)?;
            }
            Inst::Ext(ext) => {
                let values: Vec<Value> = ext.operands.iter().map(|&slot| self.read(slot).clone()).collect();
                if ext.results.is_empty() {
                    self.invent(&ext.name, &values, None, ext.reach)?;
                }
                for (index, (to, layout)) in ext.results.iter().enumerate() {
                    let name = if index == 0 { ext.name.to_string() } else { format!("{} {index}", ext.name) };
                    let value = self.invent(&name, &values, Some(layout), ext.reach)?;
                    self.write(*to, value);
                }
            }
            Inst::Unreachable => return undefined(Rule::Unreachable, ""),
            Inst::Unsupported(construct) => return unsupported(&**construct),
            Inst::Copy(..)
            | Inst::Int { .. }
            | Inst::Compare { .. }
            | Inst::Scalar { .. }
            | Inst::Select { .. }
            | Inst::Gep { .. }
            | Inst::Load { .. }
            | Inst::Store { .. }
            | Inst::Nothing
            | Inst::Match { .. }
            | Inst::MatchBit { .. }
            | Inst::Jump(_)
            | Inst::Switch { .. }
            | Inst::Repeat { .. }
            | Inst::Call(_)
            | Inst::Return(_) => unreachable!("the loop does these itself"),
        }
        Ok(Next::Inst)
    }
}

/// The elements of an aggregate or vector.
fn elements(value: &Value, count: usize) -> Vec<Value> {
    match value {
        Value::Seq(elements) => elements.to_vec(),
        value => vec![value.clone(); count],
    }
}

/// An aggregate with one part replaced.
fn insert(whole: &Value, element: Value, path: &[(u32, u32)]) -> Value {
    let mut levels = Vec::with_capacity(path.len());
    let mut current = whole.clone();
    for &(index, count) in path {
        let parts = elements(&current, count as usize);
        current = parts[index as usize].clone();
        levels.push(parts);
    }
    let mut value = element;
    for (mut parts, &(index, _)) in levels.into_iter().zip(path).rev() {
        parts[index as usize] = value;
        value = Value::seq(parts);
    }
    value
}
