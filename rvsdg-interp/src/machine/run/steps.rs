//! The instructions that make up most of a run: those that need slots and memory, and nothing else of the machine.

use super::super::Machine;
use crate::code::{Access, CONSTANT, Code, Gep, Inst, Offset};
use crate::memory::Memory;
use crate::outcome::{Res, Rule, Stop, undefined};
use crate::scalar::{self, int};
use crate::value::{Pointer, Value, mask, signed};

impl Machine<'_> {
    /// Executes instructions from `at` on, up to one that is not of this kind, or, for `ONE`, one of this kind. `at` is after
    /// that then, or after the one that failed. Whether that instruction is still to be done.
    pub(super) fn steps<const ONE: bool>(&mut self, code: &Code, base: usize, at: &mut usize) -> Res<bool> {
        let Machine { slots, memory, fuel, state, .. } = self;
        let slots = &mut slots[base..base + code.slots as usize];
        let (insts, constants) = (&code.insts[..], &code.constants[..]);
        let mut next = *at;
        let mut left = *fuel;
        macro_rules! read {
            ($slot:expr) => {{
                let slot = $slot;
                if slot & CONSTANT != 0 { &constants[(slot & !CONSTANT) as usize] } else { &slots[slot as usize] }
            }};
        }
        let result = 'run: {
            macro_rules! stop {
                ($result:expr) => {
                    match $result {
                        Ok(value) => value,
                        Err(stop) => break 'run Err(stop),
                    }
                };
            }
            loop {
                let inst = &insts[next];
                next += 1;
                if left == 0 {
                    break 'run Err(Box::new(Stop::OutOfFuel));
                }
                left -= 1;
                match inst {
                    Inst::Copy(to, from) => match read!(*from) {
                        Value::Int(bits) => {
                            let bits = *bits;
                            slots[*to as usize].set_int(bits);
                        }
                        value => slots[*to as usize] = value.clone(),
                    },
                    Inst::Int { to, a, b, op, flags, bits } => {
                        let (a, b) = (read!(*a), read!(*b));
                        if let (Value::Int(a), Value::Int(b)) = (a, b)
                            && let Some(result) = int::fast(*op, *flags, (*bits).into(), *a, *b)
                        {
                            slots[*to as usize].set_int(result);
                        } else {
                            slots[*to as usize] = stop!(int::slow(*op, *flags, (*bits).into(), a, b));
                        }
                    }
                    Inst::Compare { to, a, b, predicate, same_sign, bits } => {
                        let bits = u32::from(*bits);
                        match (read!(*a), read!(*b)) {
                            (Value::Int(a), Value::Int(b)) if !same_sign => {
                                let relation = int::relation(*predicate, bits, *a, *b);
                                slots[*to as usize].set_int(relation.into());
                            }
                            (Value::Ptr(a), Value::Ptr(b)) if !same_sign => {
                                let relation = int::relation(*predicate, 64, a.address, b.address);
                                slots[*to as usize].set_int(relation.into());
                            }
                            (a, b) => slots[*to as usize] = int::compare(*predicate, *same_sign, bits, a, b),
                        }
                    }
                    Inst::Scalar { to, op, operands, count } => {
                        let [a, b, c] = [read!(operands[0]), read!(operands[1]), read!(operands[2])];
                        if let (Value::Int(a), Value::Int(b)) = (a, b)
                            && let Some(result) = op.fast(*a, *b)
                        {
                            slots[*to as usize].set_int(result);
                        } else {
                            let operands = &[a, b, c][..usize::from(*count)];
                            let value = stop!(op.apply(operands));
                            state.chosen = state.chosen.noting(op, operands, &value);
                            slots[*to as usize] = value;
                        }
                    }
                    Inst::Select { to, condition, yes, no } => {
                        slots[*to as usize] = match read!(*condition) {
                            Value::Int(0) => read!(*no).clone(),
                            Value::Int(_) => read!(*yes).clone(),
                            condition => scalar::select(condition, read!(*yes), read!(*no)),
                        };
                    }
                    Inst::Gep { to, gep } => {
                        let mut offset = gep.offset;
                        let mut plain = gep.lanes.is_none();
                        for step in &gep.steps {
                            match read!(step.index) {
                                Value::Int(index) => offset.add(signed(step.bits, *index), step.stride),
                                _ => plain = false,
                            }
                        }
                        match read!(gep.base) {
                            Value::Ptr(pointer) if plain && may_point(memory, gep, *pointer, offset) => {
                                slots[*to as usize].set_pointer(pointer.offset(offset.bytes));
                            }
                            Value::Ptr(_) if plain => slots[*to as usize] = Value::Poison,
                            _ => slots[*to as usize] = on_lanes(memory, gep, |slot| read!(slot)),
                        }
                    }
                    Inst::Load { to, pointer, access, align_log2, .. } => {
                        let pointer = match read!(*pointer) {
                            Value::Ptr(pointer) => *pointer,
                            other => stop!(undefined(Rule::AddressNotDefined, other.to_string())),
                        };
                        let align = 1 << align_log2;
                        match access {
                            Access::Bits(bits) => match memory.word(pointer, *bits, align) {
                                Some(word) => slots[*to as usize].set_int(word),
                                None => slots[*to as usize] = stop!(memory.load_bits(pointer, *bits, align)),
                            },
                            Access::Pointer => match memory.pointer(pointer, align) {
                                Some(loaded) => slots[*to as usize].set_pointer(loaded),
                                None => slots[*to as usize] = stop!(memory.load_pointer(pointer, align)),
                            },
                            Access::Any(layout) => slots[*to as usize] = stop!(memory.load(pointer, layout, align)),
                        }
                    }
                    Inst::Store { value, pointer, access, align_log2, .. } => {
                        let pointer = match read!(*pointer) {
                            Value::Ptr(pointer) => *pointer,
                            other => stop!(undefined(Rule::AddressNotDefined, other.to_string())),
                        };
                        let align = 1 << align_log2;
                        match (read!(*value), access) {
                            (Value::Int(value), Access::Bits(bits)) => {
                                stop!(memory.store_bits(pointer, *bits, align, *value));
                            }
                            (Value::Ptr(value), Access::Pointer) => stop!(memory.store_pointer(pointer, align, *value)),
                            (value, access) => stop!(store(memory, pointer, access, align, value)),
                        }
                    }
                    Inst::MatchBit { to, value, alternatives } => match read!(*value) {
                        Value::Int(bit) => {
                            let alternative = alternatives[usize::from(*bit & 1 != 0)];
                            slots[*to as usize].set_int(alternative.into());
                        }
                        _ => slots[*to as usize] = Value::Poison,
                    },
                    Inst::Match { to, value, table } => {
                        slots[*to as usize] = match read!(*value) {
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
                    }
                    Inst::Jump(place) => next = *place as usize,
                    Inst::Branch { condition, places } => match read!(*condition) {
                        Value::Int(bit) => next = places[usize::from(*bit & 1 != 0)] as usize,
                        other => stop!(undefined(Rule::BranchNotDefined, other.to_string())),
                    },
                    Inst::Switch { predicate, places } => match read!(*predicate) {
                        Value::Int(alternative) => next = places[*alternative as usize] as usize,
                        other => stop!(undefined(Rule::BranchNotDefined, other.to_string())),
                    },
                    Inst::Repeat { predicate, place } => match read!(*predicate) {
                        Value::Int(0) => {}
                        Value::Int(_) => next = *place as usize,
                        other => stop!(undefined(Rule::BranchNotDefined, other.to_string())),
                    },
                    Inst::Nothing => {}
                    Inst::Copies(_)
                    | Inst::Lanes { .. }
                    | Inst::Recast { .. }
                    | Inst::NonNull(_)
                    | Inst::InRange(..)
                    | Inst::Freeze { .. }
                    | Inst::Constant { .. }
                    | Inst::ExtractElement { .. }
                    | Inst::InsertElement { .. }
                    | Inst::Shuffle { .. }
                    | Inst::Extract { .. }
                    | Inst::Insert { .. }
                    | Inst::Alloca { .. }
                    | Inst::Tag { .. }
                    | Inst::CmpXchg { .. }
                    | Inst::Rmw { .. }
                    | Inst::IndirectBr { .. }
                    | Inst::Call(_)
                    | Inst::Return(_)
                    | Inst::Resume(_)
                    | Inst::VaArg { .. }
                    | Inst::Unreachable
                    | Inst::Record(_)
                    | Inst::Ext(_)
                    | Inst::Unsupported(_) => break 'run Ok(true),
                }
                if ONE {
                    break 'run Ok(false);
                }
            }
        };
        *at = next;
        *fuel = left;
        result
    }
}

fn store(memory: &mut Memory, pointer: Pointer, access: &Access, align: u64, value: &Value) -> Res<()> {
    match access {
        Access::Bits(bits) => memory.store_scalar(pointer, rvsdg_core::layout::Scalar::Int(*bits), align, value),
        Access::Pointer => memory.store_scalar(pointer, rvsdg_core::layout::Scalar::Ptr(64), align, value),
        Access::Any(layout) => memory.store(pointer, layout, align, value),
    }
}

/// Whether the flags allow an address so many bytes further; it is poison otherwise.
fn may_point(memory: &Memory, gep: &Gep, pointer: Pointer, offset: Offset) -> bool {
    let Offset { bytes, wraps_signed, wraps_unsigned } = offset;
    let leaves = |next: Option<u64>, wraps: bool| wraps || next.is_none();
    !(gep.inbounds && bytes != 0 && !memory.holds(pointer, pointer.offset(bytes))
        || gep.nusw && !memory.is_loose() && leaves(pointer.address.checked_add_signed(bytes as i64), wraps_signed)
        || gep.nuw && leaves(pointer.address.checked_add(bytes), wraps_unsigned))
}

/// Whether all words of a number of so many bits but the lowest only repeat its sign.
fn is_sign_of_low(limbs: &[u64], bits: u32) -> bool {
    let sign = if (limbs[0] as i64) < 0 { u64::MAX } else { 0 };
    limbs.iter().enumerate().skip(1).all(|(index, &limb)| limb == sign & mask((bits - 64 * index as u32).min(64)))
}

/// A getelementptr on anything: vectors, poison, undef.
#[cold]
fn on_lanes<'v>(memory: &Memory, gep: &Gep, read: impl Fn(u32) -> &'v Value) -> Value {
    let mut results = Vec::new();
    for lane in 0..gep.lanes.unwrap_or(1) as usize {
        let mut offset = gep.offset;
        let mut bad = None;
        for step in &gep.steps {
            match scalar::lane(read(step.index), lane) {
                Value::Int(index) => offset.add(signed(step.bits.min(64), *index), step.stride),
                Value::Wide(limbs) => {
                    offset.add(limbs[0] as i64, step.stride);
                    // Only the low word is part of an address.
                    offset.wraps_unsigned |= limbs[1..].iter().any(|&limb| limb != 0);
                    offset.wraps_signed |= !is_sign_of_low(limbs, step.bits);
                }
                Value::Poison => bad = Some(Value::Poison),
                _ => bad = bad.or(Some(Value::Undef)),
            }
        }
        results.push(match (scalar::lane(read(gep.base), lane), bad) {
            (Value::Poison, _) => Value::Poison,
            (_, Some(bad)) => bad,
            (Value::Ptr(pointer), None) if may_point(memory, gep, *pointer, offset) => {
                Value::Ptr(pointer.offset(offset.bytes))
            }
            (Value::Ptr(_), None) => Value::Poison,
            _ => Value::Undef,
        });
    }
    if gep.lanes.is_some() { Value::seq(results) } else { results.swap_remove(0) }
}
