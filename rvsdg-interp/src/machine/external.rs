//! Functions and operations without a definition: their calls are recorded, and answered with invented values.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use rvsdg_core::attribute::{Access, AttributeKind, AttributeList, MemoryEffects, MemoryLocation, has_any};
use rvsdg_core::layout::{FloatKind, Layout, Scalar, Shape};
use rvsdg_core::module::SymbolKind;
use rvsdg_core::op::{CallInfo, Effects};
use rvsdg_core::{Module, Symbol, Type};

use super::Machine;
use crate::code::CallSite;
use crate::memory::Kind;
use crate::observe::{Event, Seen};
use crate::outcome::{Res, Stop, unsupported};
use crate::value::{Pointer, Value, mask};

/// What happens at a call of a function that neither the module nor the interpreter defines.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Unknown {
    /// The run ends with [`Outcome::Unsupported`](crate::Outcome::Unsupported).
    #[default]
    Stop,
    /// The call is recorded, with its arguments and the memory that it could read. It writes some of the memory that it can reach, and
    /// returns a value, or the address of new memory; both depend only on the name and on the number of events so far. The result of a
    /// function that writes nothing depends on its arguments instead, and on memory if the function reads memory. The call never unwinds.
    /// The same holds for operations of dialects. Volatile accesses are recorded. The contents of variables without a definition depend
    /// on their names.
    Record,
}

/// A recorded call shows at most this many bytes of memory.
const SNAPSHOT: u64 = 4096;
/// A call writes into at most this many objects, and only into a prefix of each.
const REACHED: usize = 64;
const WRITTEN: usize = 256;
/// Bytes that the addresses of unknown functions lead to.
const INVENTED: u64 = 256;
/// A run has at most this many events.
const EVENTS: usize = 1 << 16;

/// The memory effects of a call, from its attributes and those of the function.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// Neither reads nor writes, or may be executed anywhere.
    Nothing,
    /// Reads.
    Reads,
    /// Does anything.
    All,
    /// Writes, but only some memory: memory that its arguments lead to, or memory that is inaccessible to others.
    Some { arguments: bool },
}

impl Reach {
    /// Of a call with these attributes besides its own.
    pub fn of(module: &Module, info: &CallInfo, function: Option<&AttributeList>) -> Reach {
        if info.effects == Effects::NONE {
            return Reach::Nothing;
        }
        let own = module.pool.attributes(info.attributes);
        let memory: Vec<&MemoryEffects> =
            [Some(own), function].into_iter().flatten().filter_map(|list| list.memory()).collect();
        let writes = memory.iter().all(|effects| effects.accesses().any(Access::writes));
        let arguments = |effects: &&MemoryEffects| {
            effects.named.iter().any(|&(location, access)| location == MemoryLocation::Arguments && access.writes())
        };
        match memory[..] {
            [] => Reach::All,
            _ if !writes && !info.effects.io => Reach::Reads,
            _ => Reach::Some { arguments: memory.iter().all(arguments) },
        }
    }
}

impl Machine<'_> {
    /// Calls a function without a definition.
    pub(super) fn call_external(&mut self, name: &str, site: &CallSite) -> Res<()> {
        let function = self.functions.by_name(self.module, name).map(|function| function.symbol);
        let attributes = function.and_then(|symbol| match self.module.symbols[symbol].kind {
            SymbolKind::Function { attributes, .. } => Some(self.module.pool.attributes(attributes)),
            SymbolKind::Variable { .. } | SymbolKind::Alias { .. } | SymbolKind::IFunc { .. } => None,
        });
        let reach = Reach::of(self.module, &site.info, attributes);
        let values: Vec<Value> = site.arguments.iter().map(|&slot| self.read(slot).clone()).collect();
        let own = self.module.pool.attributes(site.info.attributes);
        let has = |index: usize, kinds: &[AttributeKind]| {
            [Some(own), attributes].into_iter().flatten().any(|list| has_any(list.param(index), kinds))
        };
        const KEPT: &[AttributeKind] = &[AttributeKind::ReadOnly, AttributeKind::ReadNone, AttributeKind::ByVal];
        let may_write = |index: usize| !has(index, KEPT);
        let written: Vec<Value> =
            values.iter().enumerate().filter(|&(index, _)| may_write(index)).map(|(_, value)| value.clone()).collect();
        let layout = self.result_layout(site.result_type)?;
        let mut value = self.invent(name, &values, &written, layout.as_deref(), reach)?;
        if let Some(returned) = (0..values.len()).find(|&index| has(index, &[AttributeKind::Returned])) {
            value = values[returned].clone();
        }
        if site.no_return {
            return Err(Box::new(Stop::Abort(format!("function {name} does not return"))));
        }
        self.returned(site, Some(value));
        Ok(())
    }

    /// Records an event, lets it write what `written` leads to and what others see, and invents what it gives back.
    pub(super) fn invent(
        &mut self,
        name: &str,
        values: &[Value],
        written: &[Value],
        result: Option<&Layout>,
        reach: Reach,
    ) -> Res<Value> {
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
                    format!("{:?}", self.shared(SNAPSHOT)).hash(&mut hasher);
                }
            }
            Reach::All | Reach::Some { .. } => {
                if self.state.events.len() >= EVENTS {
                    return Err(Box::new(Stop::OutOfMemory("events")));
                }
                self.state.events.len().hash(&mut hasher);
                let memory = if reach == Reach::All { self.shared(SNAPSHOT) } else { Vec::new() };
                self.state.events.push(Event { name: name.into(), arguments, memory });
                if matches!(reach, Reach::All | Reach::Some { arguments: true }) {
                    self.write_anything(written, reach == Reach::All, hasher.finish());
                }
            }
        }
        match result {
            None => Ok(Value::Undef),
            Some(Layout { shape: Shape::Scalar(Scalar::Ptr(64)), .. }) => self.invented_object(hasher.finish()),
            Some(layout) => invented(layout, hasher.finish()),
        }
    }

    /// The address of an object that is made for this number.
    fn invented_object(&mut self, number: u64) -> Res<Value> {
        if let Some(&pointer) = self.state.invented.get(&number) {
            return Ok(Value::Ptr(pointer));
        }
        let pointer = self.memory.allocate(Kind::Heap, INVENTED, 16, false)?;
        self.memory.write(pointer, &small_bytes(number, INVENTED as usize))?;
        self.state.invented.insert(number, pointer);
        Ok(Value::Ptr(pointer))
    }

    /// Writes a few bytes that are no part of an address into each object that values lead to, and with `shared` into those that
    /// others have the address of, and into those that addresses in these lead to.
    fn write_anything(&mut self, values: &[Value], shared: bool, seed: u64) {
        let mut roots: Vec<Pointer> = Vec::new();
        if shared {
            let is_public = |symbol: Symbol| !self.module.symbols[symbol].linkage.is_local();
            roots.extend(self.variables().filter(|(symbol, _)| is_public(*symbol)).map(|(_, block)| block.pointer));
            roots.extend(self.state.blocks.iter().filter(|block| !block.exclusive).map(|block| block.pointer));
        }
        let mut pending: Vec<&Value> = values.iter().collect();
        while let Some(value) = pending.pop() {
            match value {
                Value::Ptr(pointer) => roots.push(*pointer),
                Value::Seq(parts) => pending.extend(parts.iter()),
                Value::Poison | Value::Undef | Value::Int(_) | Value::Wide(_) | Value::Partial(_) => {}
            }
        }
        let mut seen: Vec<u32> = Vec::new();
        while let Some(pointer) = roots.pop() {
            let Ok(number) = self.memory.resolve(pointer) else { continue };
            if seen.len() == REACHED || seen.contains(&number) || !self.memory.is_live(number) {
                continue;
            }
            seen.push(number);
            let (base, kind) = self.memory.base_and_kind(number);
            let start = Pointer { address: base, object: number };
            let (bytes, words) = self.memory.bytes_of(start);
            roots.extend(words.iter().map(|&(_, target)| target));
            if !matches!(kind, Kind::Global | Kind::Stack | Kind::Heap) {
                continue;
            }
            for (offset, byte) in small_bytes(seed, bytes.len().min(WRITTEN)).into_iter().enumerate() {
                let is_address = words.iter().any(|&(word, _)| word == offset & !7);
                if seed.rotate_right(offset as u32 * 5) & 7 == 0 && !is_address {
                    // What is live and may be written can be written.
                    let _ = self.memory.write(start.offset(offset as u64), &[byte]);
                }
            }
        }
    }

    /// Records an access that others may see.
    pub(super) fn record_access(&mut self, name: &str, values: &[Value]) -> Res<()> {
        self.invent(name, values, &[], None, Reach::Some { arguments: false }).map(|_| ())
    }

    /// The layout of the result of a call; none for void.
    fn result_layout(&mut self, ty: Type) -> Res<Option<std::sync::Arc<Layout>>> {
        if ty == Type::VOID { Ok(None) } else { self.types().layout(ty).map(Some) }
    }
}

/// A defined value of a type. Numbers are usually small, so that branches on them go either way.
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

/// The contents of a variable without a definition.
pub(super) fn invented_bytes(name: &str, count: usize) -> Vec<u8> {
    let mut hasher = FxHasher::default();
    name.hash(&mut hasher);
    small_bytes(hasher.finish(), count)
}

/// Bytes below 8.
fn small_bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed;
    let mut byte = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 61) as u8
    };
    (0..count).map(|_| byte()).collect()
}

fn float(kind: FloatKind, number: u64) -> Value {
    let value = (number & 0xffff) as f64 / 4.0 - 1.0;
    Value::from_bits(kind.bits(), crate::scalar::float::from_f64(kind, value))
}
