//! Memory: objects at concrete addresses, and the known state of each byte.
//!
//! Addresses are never used twice, and objects do not touch, so that an access outside of an object or after its end is
//! noticed even through a pointer made from an integer.

mod access;
mod bytes;

pub(crate) use access::{join, partial, slice};

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};

use rvsdg_core::tbaa::AccessTag;

use crate::machine::Config;
use crate::outcome::{Res, Rule, Stop, undefined};
use crate::value::Pointer;

/// What an object is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Global,
    Constant,
    /// A function's address, by its number among the functions.
    Function(u32),
    /// Something that another translation unit defines, by its number among the symbols.
    External(u32),
    Stack,
    Heap,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum State {
    Live,
    /// Before `llvm.lifetime.start` or after `llvm.lifetime.end`.
    Asleep,
    Freed,
}

/// An object.
pub(crate) struct Object {
    pub base: u64,
    pub size: u64,
    pub kind: Kind,
    state: State,
    pub(super) data: Vec<u8>,
    /// Which bits are undef; none when empty.
    pub(super) undef: Vec<u8>,
    /// Which bytes are poison; none when empty.
    pub(super) poison: Vec<bool>,
    /// By aligned word: the object that a pointer there is derived from; none when empty.
    pub(super) provenance: Vec<u32>,
    /// By byte: the tag of the store that wrote it; none when empty.
    pub(super) tags: Vec<Option<AccessTag>>,
    /// Whether a part of an address in it was taken for a number, or was left there as one.
    pub(super) numbers: Cell<bool>,
}

impl Object {
    fn is_live(&self) -> bool {
        self.state == State::Live
    }
}

/// Freed numbers wait here so that a dangling pointer can be told from a pointer to a new object.
const QUARANTINE: usize = 1 << 16;
const STACK_BASE: u64 = 0x7f00_0000_0000;
const HEAP_BASE: u64 = 0x2000_0000_0000;
const GLOBAL_BASE: u64 = 0x0000_0040_0000;
const UNNAMED_BASE: u64 = 0x0000_4000_0000;
const FUNCTION_BASE: u64 = 0x1000_0000_0000;
/// Functions are this far apart: room for the addresses of their blocks.
pub(crate) const FUNCTION_SPACING: u64 = 1 << 20;
/// The address of the first function object.
pub(crate) fn first_function() -> u64 {
    FUNCTION_BASE + FUNCTION_SPACING
}

/// Between objects.
const GAP: u64 = 16;

/// All objects.
pub(crate) struct Memory {
    pub(super) objects: Vec<Object>,
    /// What [`Object::numbers`] of objects was whose number was given to another.
    numbers: bool,
    /// Live heap objects and globals by address.
    by_address: BTreeMap<u64, u32>,
    /// Live stack objects; addresses ascend.
    stack: Vec<u32>,
    free: VecDeque<u32>,
    next_stack: u64,
    next_heap: u64,
    next_global: u64,
    next_unnamed: u64,
    functions: u64,
    used: u64,
    limit: u64,
    /// Whether new memory is zero.
    zeroed: bool,
    /// Whether addresses may leave their objects.
    loose: bool,
    /// The memory that was copied or filled, and whether it was written; only recorded on request.
    pub touched: Option<Vec<(Pointer, u64, bool)>>,
}

impl Memory {
    pub fn new(config: &Config) -> Memory {
        let none = Object {
            base: 0,
            size: 0,
            kind: Kind::Constant,
            state: State::Freed,
            data: Vec::new(),
            undef: Vec::new(),
            poison: Vec::new(),
            provenance: Vec::new(),
            tags: Vec::new(),
            numbers: Cell::new(false),
        };
        Memory {
            objects: vec![none],
            numbers: false,
            by_address: BTreeMap::new(),
            stack: Vec::new(),
            free: VecDeque::new(),
            next_stack: STACK_BASE,
            next_heap: HEAP_BASE,
            next_global: GLOBAL_BASE,
            next_unnamed: UNNAMED_BASE,
            functions: 0,
            used: 0,
            limit: config.memory,
            zeroed: config.zeroed,
            loose: config.loose_addresses,
            touched: None,
        }
    }

    /// Adds a variable whose address means nothing. Others are where they would be without it, whether a pass has added it or not.
    pub fn allocate_unnamed(&mut self, size: u64, align: u64) -> Res<Pointer> {
        std::mem::swap(&mut self.next_global, &mut self.next_unnamed);
        let pointer = self.allocate(Kind::Global, size, align, false);
        std::mem::swap(&mut self.next_global, &mut self.next_unnamed);
        pointer
    }

    /// Adds an object; its bytes are zero, or undef when `uninitialized`.
    pub fn allocate(&mut self, kind: Kind, size: u64, align: u64, uninitialized: bool) -> Res<Pointer> {
        if size > self.limit || self.used + size > self.limit {
            return Err(Box::new(Stop::OutOfMemory("memory")));
        }
        let align = align.max(1);
        let base = match kind {
            Kind::Function(_) => {
                self.functions += 1;
                FUNCTION_BASE + self.functions * FUNCTION_SPACING
            }
            Kind::Stack => place(&mut self.next_stack, size, align),
            Kind::Heap => place(&mut self.next_heap, size, align),
            Kind::Global | Kind::Constant | Kind::External(_) => place(&mut self.next_global, size, align),
        };
        let has_bytes = !matches!(kind, Kind::Function(_) | Kind::External(_));
        if has_bytes {
            self.used += size;
        }
        let bytes = if has_bytes { size as usize } else { 0 };
        let object = Object {
            base,
            size,
            kind,
            state: State::Live,
            data: vec![0; bytes],
            undef: if uninitialized && !self.zeroed { vec![0xff; bytes] } else { Vec::new() },
            poison: Vec::new(),
            provenance: Vec::new(),
            tags: Vec::new(),
            numbers: Cell::new(false),
        };
        let number = if self.free.len() > QUARANTINE { self.free.pop_front() } else { None };
        let number = match number {
            Some(number) => {
                self.numbers |= self.objects[number as usize].numbers.get();
                self.objects[number as usize] = object;
                number
            }
            None => {
                self.objects.push(object);
                self.objects.len() as u32 - 1
            }
        };
        if kind == Kind::Stack {
            self.stack.push(number);
        } else {
            self.by_address.insert(base, number);
        }
        Ok(Pointer { address: base, object: number })
    }

    /// Whether an address in memory was taken for a number: what follows depends on where objects are.
    pub fn has_numbers_of_addresses(&self) -> bool {
        self.numbers || self.objects.iter().any(|object| object.numbers.get())
    }

    /// How many stack objects there are, for [`Memory::release_stack`].
    pub fn stack_height(&self) -> usize {
        self.stack.len()
    }

    /// Ends the stack objects above a height.
    pub fn release_stack(&mut self, height: usize) {
        while self.stack.len() > height {
            if let Some(number) = self.stack.pop() {
                self.discard(number);
            }
        }
    }

    fn discard(&mut self, number: u32) {
        let object = &mut self.objects[number as usize];
        self.used -= object.data.len() as u64;
        object.state = State::Freed;
        object.data = Vec::new();
        object.undef = Vec::new();
        object.poison = Vec::new();
        object.provenance = Vec::new();
        object.tags = Vec::new();
        self.free.push_back(number);
    }

    /// Frees a heap object by its address.
    pub fn free(&mut self, pointer: Pointer) -> Res<()> {
        let number = self.resolve(pointer)?;
        let object = &self.objects[number as usize];
        if object.kind != Kind::Heap || object.base != pointer.address {
            return undefined(Rule::InvalidFree, format!("{:#x}", pointer.address));
        }
        self.by_address.remove(&pointer.address);
        self.discard(number);
        Ok(())
    }

    /// Begins or ends the lifetime of a stack object; its contents are undef then.
    pub fn set_lifetime(&mut self, pointer: Pointer, live: bool) {
        let Ok(number) = self.resolve(pointer) else { return };
        let object = &mut self.objects[number as usize];
        if object.kind == Kind::Stack && object.state != State::Freed {
            object.state = if live { State::Live } else { State::Asleep };
            let zeroed = self.zeroed;
            object.undef = if zeroed { Vec::new() } else { vec![0xff; object.data.len()] };
            object.poison = Vec::new();
            object.provenance = Vec::new();
            object.tags = Vec::new();
        }
    }

    /// The object that a pointer leads to.
    pub fn object(&self, pointer: Pointer) -> Res<&Object> {
        Ok(&self.objects[self.resolve(pointer)? as usize])
    }

    /// The object that contains an address, live or asleep; also for the address one past its end.
    pub fn at_address(&self, address: u64) -> Option<u32> {
        let number = if address >= STACK_BASE {
            let after = self.stack.partition_point(|&number| self.objects[number as usize].base <= address);
            self.stack.get(after.checked_sub(1)?).copied()
        } else {
            self.by_address.range(..=address).next_back().map(|(_, &number)| number)
        }?;
        let object = &self.objects[number as usize];
        let reach = if matches!(object.kind, Kind::Function(_)) { FUNCTION_SPACING - 1 } else { object.size };
        (address - object.base <= reach).then_some(number)
    }

    /// The number of the object that a pointer leads to.
    pub fn resolve(&self, pointer: Pointer) -> Res<u32> {
        if pointer.object != 0 {
            return Ok(pointer.object);
        }
        match self.at_address(pointer.address) {
            Some(number) => Ok(number),
            None if pointer.address < 4096 => undefined(Rule::Null, format!("{:#x}", pointer.address)),
            None => undefined(Rule::OutOfBounds, format!("no object has the address {:#x}", pointer.address)),
        }
    }

    /// The number of an object and the offset into it of an access to `size` bytes.
    #[inline]
    pub fn access(&self, pointer: Pointer, size: u64, align: u64, write: bool) -> Res<(usize, usize)> {
        let number = if pointer.object != 0 { pointer.object } else { self.resolve(pointer)? };
        let object = &self.objects[number as usize];
        let offset = pointer.address.wrapping_sub(object.base);
        let inside = offset.checked_add(size).is_some_and(|end| end <= object.data.len() as u64);
        if !inside
            || object.state != State::Live
            || pointer.address & (align - 1) != 0
            || write && object.kind == Kind::Constant
        {
            return self.refuse(pointer, number, size, align);
        }
        Ok((number as usize, offset as usize))
    }

    /// Says what is wrong with an access.
    #[cold]
    fn refuse(&self, pointer: Pointer, number: u32, size: u64, align: u64) -> Res<(usize, usize)> {
        let object = &self.objects[number as usize];
        let offset = pointer.address.wrapping_sub(object.base) as i64;
        let detail = format!("{size} bytes at offset {offset} of an object of {} bytes", object.size);
        let inside = offset >= 0 && (offset as u64).checked_add(size).is_some_and(|end| end <= object.size);
        match object.kind {
            Kind::Function(_) => return undefined(Rule::AccessToCode, detail),
            Kind::External(symbol) => {
                return Err(Box::new(Stop::Unsupported(format!("memory of external symbol number {symbol}"))));
            }
            Kind::Global | Kind::Constant | Kind::Stack | Kind::Heap => {}
        }
        if pointer.address < 4096 {
            undefined(Rule::Null, format!("{:#x}", pointer.address))
        } else if object.state != State::Live {
            undefined(Rule::Dead, detail)
        } else if !inside {
            undefined(Rule::OutOfBounds, detail)
        } else if pointer.address & (align - 1) != 0 {
            undefined(Rule::Misaligned, format!("{:#x} for alignment {align}", pointer.address))
        } else {
            undefined(Rule::WriteToConstant, detail)
        }
    }

    /// Whether an object may be accessed.
    pub fn is_live(&self, number: u32) -> bool {
        self.objects[number as usize].is_live()
    }

    /// Where an object begins, and what it is.
    pub fn base_and_kind(&self, number: u32) -> (u64, Kind) {
        let object = &self.objects[number as usize];
        (object.base, object.kind)
    }

    /// Whether two addresses are within the object of the first or one past its end; true where that is not known.
    pub fn holds(&self, pointer: Pointer, result: Pointer) -> bool {
        let object = &self.objects[pointer.object as usize];
        if self.loose || pointer.object == 0 || object.state == State::Freed || matches!(object.kind, Kind::Function(_))
        {
            return true;
        }
        let inside = |address: u64| address.checked_sub(object.base).is_some_and(|offset| offset <= object.size);
        inside(pointer.address) && inside(result.address)
    }

    /// Whether addresses may leave their objects.
    pub fn is_loose(&self) -> bool {
        self.loose
    }

    /// Makes all bytes of an object undef, as in new memory.
    pub fn undefine(&mut self, pointer: Pointer) {
        let object = &mut self.objects[pointer.object as usize];
        object.undef = vec![0xff; object.data.len()];
        object.poison = Vec::new();
        object.provenance = Vec::new();
    }

    /// Exchanges the objects on the stack with those of another thread.
    pub fn exchange_stack(&mut self, other: &mut Vec<u32>) {
        std::mem::swap(&mut self.stack, other);
    }

    /// Makes a global constant once it is initialized.
    pub fn seal(&mut self, pointer: Pointer) {
        self.objects[pointer.object as usize].kind = Kind::Constant;
    }
}

/// The next place for an object, with a gap after it.
fn place(next: &mut u64, size: u64, align: u64) -> u64 {
    let base = next.next_multiple_of(align.max(16));
    *next = base + size + GAP;
    base
}
