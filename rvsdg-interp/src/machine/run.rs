//! The loop that executes instructions.

use std::sync::Arc;

use rvsdg_core::tbaa::may_see;

use super::Machine;
use crate::code::{Code, Inst, NOWHERE, Shuffle};
use crate::constants;
use crate::memory::Kind;
use crate::outcome::{Res, Rule, Stop, undefined, unsupported};
use crate::scalar;
use crate::value::Value;

mod atomic;
mod steps;

/// What follows an instruction that the fast loop does not do itself.
enum Next {
    Inst,
    /// Another frame is on top.
    Frame,
    /// No frame above the floor is left; the value that the last one returned.
    Left(Option<Value>),
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
            loop {
                let result = self.steps::<false>(&code, base, &mut at);
                self.frame().at = at;
                result?;
                match self.beyond_steps(&code, base, at - 1, floor)? {
                    Next::Inst => {}
                    Next::Frame => break,
                    Next::Left(value) => return Ok(value),
                }
            }
        }
    }

    /// Executes one instruction of the topmost frame. Whether that was the only frame, and is left.
    pub(crate) fn step(&mut self) -> Res<bool> {
        let frame = self.frames.last().expect("a frame runs");
        let (code, base, mut at) = (Arc::clone(&frame.code), frame.base, frame.at);
        let result = self.steps::<true>(&code, base, &mut at);
        self.frame().at = at;
        Ok(result? && matches!(self.beyond_steps(&code, base, at - 1, 0)?, Next::Left(_)))
    }

    /// An instruction that [`steps`](Machine::steps) leaves.
    fn beyond_steps(&mut self, code: &Code, base: usize, at: usize, floor: usize) -> Res<Next> {
        match &code.insts[at] {
            Inst::Call(site) => {
                let height = self.frames.len();
                self.enter(site)?;
                Ok(if self.frames.len() != height || site.must_tail { Next::Frame } else { Next::Inst })
            }
            Inst::Return(slot) => {
                let value = (*slot != NOWHERE).then(|| self.read(*slot).clone());
                Ok(self.leave(value, floor)?.map_or(Next::Frame, Next::Left))
            }
            other => self.other(other, code, base),
        }
    }

    pub(crate) fn frame(&mut self) -> &mut super::Frame {
        self.frames.last_mut().expect("a frame runs")
    }

    /// An instruction that is rare.
    fn other(&mut self, inst: &Inst, code: &Code, base: usize) -> Res<Next> {
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
                let chosen = self.state.chosen.noting(op, &operands, &value);
                self.state.chosen = chosen;
                self.write(*to, value);
            }
            Inst::Recast { to, from, lanes } => {
                let value = constants::recast(self.read(*from), lanes[0], lanes[1])?;
                self.write(*to, value);
            }
            Inst::NonNull(of) => {
                if matches!(self.read(*of), Value::Ptr(pointer) if pointer.address == 0) {
                    self.write(*of, Value::Poison);
                }
            }
            Inst::InRange(of, range) => {
                let in_range = |value: &Value| match value {
                    Value::Int(number) if !range.contains(*number) => Value::Poison,
                    other => other.clone(),
                };
                let value = match self.read(*of) {
                    Value::Seq(elements) => Value::seq(elements.iter().map(in_range).collect()),
                    value => in_range(value),
                };
                self.write(*of, value);
            }
            Inst::Freeze { to, from, layout } => {
                let value = match self.read(*from) {
                    value @ (Value::Int(_) | Value::Ptr(_)) => value.clone(),
                    value => {
                        let frozen = constants::freeze(layout, value);
                        self.state.chosen.value |= !value.is_defined();
                        frozen
                    }
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
            Inst::Shuffle(shuffle) => {
                let Shuffle { to, a, b, mask, len } = &**shuffle;
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
            Inst::Alloca { to, count, size, align_log2 } => {
                let count = match self.read(*count) {
                    Value::Int(count) => *count,
                    other => return undefined(Rule::NotDefined, format!("{other} elements on the stack")),
                };
                let Some(bytes) = count.checked_mul(*size) else {
                    return Err(Box::new(Stop::OutOfMemory("stack memory")));
                };
                let pointer = self.memory.allocate(Kind::Stack, bytes, 1 << align_log2, true)?;
                self.write(*to, Value::Ptr(pointer));
            }
            Inst::Tag { pointer, bytes, tag, write } => {
                if let Value::Ptr(pointer) = *self.read(*pointer) {
                    if *write {
                        self.memory.set_tag(pointer, *bytes, *tag)?;
                    } else if let Some(other) =
                        self.memory.tags(pointer, *bytes).find(|&other| !may_see(&self.module.pool, *tag, other))
                    {
                        let [read, written] = [*tag, other].map(|tag| self.module.pool.tag(tag).access);
                        let [read, written] = [read, written].map(|ty| &*self.module.pool.type_node(ty).name);
                        return undefined(Rule::WrongType, format!("\"{written}\" is read as \"{read}\""));
                    }
                }
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
                self.resume(exception)?;
                return Ok(Next::Frame);
            }
            Inst::VaArg { to, list, ty, layout } => {
                let Value::Ptr(list) = *self.read(*list) else { return undefined(Rule::AddressNotDefined, "va_arg") };
                let value = crate::builtin::varargs::next_in_list(self, list, *ty, layout)?;
                self.write(*to, value);
            }
            Inst::Record(access) => {
                let (name, operands) = &**access;
                let values: Vec<Value> = operands.iter().map(|&slot| self.read(slot).clone()).collect();
                self.record_access(name, &values)?;
            }
            Inst::Ext(ext) => {
                let values: Vec<Value> = ext.operands.iter().map(|&slot| self.read(slot).clone()).collect();
                if ext.results.is_empty() {
                    self.invent(&ext.name, &values, &values, None, ext.reach)?;
                }
                for (index, (to, layout)) in ext.results.iter().enumerate() {
                    let name = if index == 0 { ext.name.to_string() } else { format!("{} {index}", ext.name) };
                    let value = self.invent(&name, &values, &values, Some(layout), ext.reach)?;
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
            | Inst::Branch { .. }
            | Inst::Switch { .. }
            | Inst::Repeat { .. }
            | Inst::Call(_)
            | Inst::Return(_) => unreachable!("the loops do these themselves"),
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
