//! Functions and operations that nobody defines: recorded, and answered with invented values.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use rvsdg_core::layout::{FloatKind, Layout, Scalar, Shape};
use rvsdg_core::op::{CallInfo, Effects};
use rvsdg_core::{Module, Type};

use super::Machine;
use crate::observe::{Event, Seen};
use crate::outcome::{Res, Stop, unsupported};
use crate::value::{Value, mask};

/// What happens at a call of a function that neither the module nor the interpreter defines.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Unknown {
    /// The run ends with [`Outcome::Unsupported`](crate::Outcome::Unsupported).
    #[default]
    Stop,
    /// The call is recorded with what it is given and could read, and returns a value that depends on nothing but the name
    /// and how many events there were; that of a function without effects depends on its arguments instead. It never
    /// unwinds. The same holds for operations of dialects. Volatile accesses are recorded.
    Record,
}

/// Recorded calls show at most so many bytes of memory.
const SNAPSHOT: u64 = 4096;
/// Runs have at most so many events.
const EVENTS: usize = 1 << 16;

/// What a call does to memory, from its attributes and those of the function.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// Neither reads nor writes, or may be executed anywhere.
    Nothing,
    /// Reads.
    Reads,
    /// Does anything.
    All,
    /// Writes, but only some memory.
    Some,
}

impl Reach {
    pub fn of(module: &Module, info: &CallInfo) -> Reach {
        if info.effects == Effects::NONE {
            return Reach::Nothing;
        }
        let attributes = module.pool.attributes(info.attributes);
        let memory = attributes.function.iter().find(|attribute| attribute.text.starts_with("memory("));
        match memory {
            _ if info.effects.io && memory.is_none() => Reach::All,
            Some(memory) if !memory.text.contains("write") && !info.effects.io => Reach::Reads,
            _ => Reach::Some,
        }
    }
}

impl Machine<'_> {
    /// Records an event and invents what it gives back.
    pub(crate) fn invent(&mut self, name: &str, values: &[Value], result: Option<&Layout>, reach: Reach) -> Res<Value> {
        let mut hasher = FxHasher::default();
        name.hash(&mut hasher);
        let arguments: Vec<Seen> = values.iter().map(|value| self.see(value)).collect();
        match reach {
            Reach::Nothing | Reach::Reads => {
                if !values.iter().all(Value::is_defined) {
                    return Ok(Value::Poison);
                }
                format!("{arguments:?}").hash(&mut hasher);
                if reach == Reach::Reads {
                    format!("{:?}", self.visible(SNAPSHOT)).hash(&mut hasher);
                }
            }
            Reach::All | Reach::Some => {
                if self.state.events.len() >= EVENTS {
                    return Err(Box::new(Stop::OutOfMemory("events")));
                }
                self.state.events.len().hash(&mut hasher);
                let memory = if reach == Reach::All { self.visible(SNAPSHOT) } else { Vec::new() };
                self.state.events.push(Event { name: name.into(), arguments, memory });
            }
        }
        match result {
            None => Ok(Value::Undef),
            Some(layout) => invented(layout, hasher.finish()),
        }
    }

    /// Records an access that others may see.
    pub(super) fn record_access(&mut self, name: &str, values: &[Value]) -> Res<()> {
        self.invent(name, values, None, Reach::Some).map(|_| ())
    }

    /// The layout of what a call returns; none for void.
    pub(super) fn result_layout(&mut self, ty: Type) -> Res<Option<std::sync::Arc<Layout>>> {
        if ty == Type::VOID { Ok(None) } else { self.types().layout(ty).map(Some) }
    }
}

/// A defined value of a type; numbers are small more often than not, so that they decide branches either way.
fn invented(layout: &Layout, seed: u64) -> Res<Value> {
    let mut state = seed;
    let mut number = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let word = state ^ state >> 29;
        if word & 3 != 0 { word >> 2 & 7 } else { word.rotate_left(17) }
    };
    let mut scalar = |scalar: Scalar| match scalar {
        Scalar::Int(bits) if bits <= 64 => Ok(Value::Int(number() & mask(bits))),
        Scalar::Int(bits) if bits <= 128 => {
            Ok(Value::from_bits(bits, u128::from(number()) << 61 | u128::from(number())))
        }
        Scalar::Int(_) => unsupported("invented integer of more than 128 bits"),
        Scalar::Float(kind) => Ok(float(kind, number())),
        Scalar::Ptr(_) => Ok(Value::address(0)),
    };
    enum Step<'a> {
        Make(&'a Layout),
        Join(usize),
    }
    let mut pending = vec![Step::Make(layout)];
    let mut done = Vec::new();
    while let Some(step) = pending.pop() {
        match step {
            Step::Join(count) => {
                let parts = done.split_off(done.len() - count);
                done.push(Value::seq(parts));
            }
            Step::Make(layout) => match &layout.shape {
                Shape::Scalar(kind) => done.push(scalar(*kind)?),
                Shape::Vector { lane, len } => {
                    let lanes: Res<Vec<Value>> = (0..*len).map(|_| scalar(*lane)).collect();
                    done.push(Value::seq(lanes?));
                }
                Shape::Array { element, len } => {
                    pending.push(Step::Join(*len as usize));
                    pending.extend((0..*len).map(|_| Step::Make(element)));
                }
                Shape::Struct(fields) => {
                    pending.push(Step::Join(fields.len()));
                    pending.extend(fields.iter().rev().map(|(_, field)| Step::Make(field)));
                }
            },
        }
    }
    Ok(done.pop().unwrap_or(Value::Undef))
}

fn float(kind: FloatKind, number: u64) -> Value {
    let value = (number & 0xffff) as f64 / 4.0 - 1.0;
    Value::from_bits(kind.bits(), crate::scalar::float::from_f64(kind, value))
}
