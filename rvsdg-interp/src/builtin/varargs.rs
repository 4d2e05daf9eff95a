//! Variadic arguments, as the x86-64 System V ABI lays them out.
//!
//! clang lowers `va_arg` to loads from a `__va_list_tag`: offsets into an area with the values of the argument registers,
//! the address of the arguments in memory, and the address of the first area. `llvm.va_start` fills all three.

use rvsdg_core::layout::{Layout, Scalar, Shape};
use rvsdg_core::{Type, TypeKind};

use crate::machine::Machine;
use crate::memory::Kind;
use crate::outcome::{Res, Rule, undefined, unsupported};
use crate::value::{Pointer, Value};

const GENERAL: u64 = 6;
const VECTOR: u64 = 8;
const AREA: u64 = GENERAL * 8 + VECTOR * 16;

/// Where an argument is passed.
enum Class {
    General(u64),
    Vector,
    Memory,
}

fn class(machine: &Machine<'_>, ty: Type) -> Class {
    match machine.module.pool.type_kind(ty) {
        TypeKind::Int(bits) if *bits <= 64 => Class::General(1),
        TypeKind::Int(128) => Class::General(2),
        TypeKind::Ptr(_) => Class::General(1),
        TypeKind::Half | TypeKind::BFloat | TypeKind::Float | TypeKind::Double | TypeKind::Fp128 => Class::Vector,
        TypeKind::Vector { .. } => Class::Vector,
        _ => Class::Memory,
    }
}

/// Fills the list at `list` with the variadic arguments of the current function.
pub(crate) fn start(machine: &mut Machine<'_>, list: Pointer) -> Res<()> {
    let frame = machine.frames.last().expect("a frame runs");
    let (rest, code) = (frame.rest.clone(), frame.code.clone());
    let (mut general, mut vector) = (0, 0);
    for &ty in &code.param_types {
        match class(machine, ty) {
            Class::General(count) if general + count <= GENERAL => general += count,
            Class::Vector if vector < VECTOR => vector += 1,
            Class::General(_) | Class::Vector | Class::Memory => {}
        }
    }
    let area = machine.memory.allocate(Kind::Stack, AREA, 16, true)?;
    let starts = (general, vector);
    // What does not fit in registers, with its place in memory.
    let mut in_memory = Vec::new();
    let mut size = 0u64;
    for argument in rest {
        let layout = machine.types().layout(argument.ty)?;
        if let Some((bytes, align)) = argument.by_value {
            size = size.next_multiple_of(align.max(8));
            in_memory.push((size, argument.value, layout, Some(bytes)));
            size += bytes.next_multiple_of(8);
            continue;
        }
        match class(machine, argument.ty) {
            Class::General(count) if general + count <= GENERAL => {
                machine.memory.store(area.offset(general * 8), &widened(&layout), 8, &argument.value)?;
                general += count;
            }
            Class::Vector if vector < VECTOR => {
                let at = area.offset(GENERAL * 8 + vector * 16);
                machine.memory.store(at, &layout, 8, &argument.value)?;
                vector += 1;
            }
            Class::General(_) | Class::Vector | Class::Memory => {
                size = size.next_multiple_of(layout.align.max(8));
                let bytes = layout.size;
                in_memory.push((size, argument.value, layout, None));
                size += bytes.next_multiple_of(8);
            }
        }
    }
    let overflow = machine.memory.allocate(Kind::Stack, size, 16, true)?;
    for (offset, value, layout, bytes) in in_memory {
        let at = overflow.offset(offset);
        match (bytes, &value) {
            (Some(bytes), Value::Ptr(source)) => machine.memory.copy(at, *source, bytes)?,
            _ => machine.memory.store(at, &widened(&layout), 8, &value)?,
        }
    }
    machine.memory.store_bits(list, 32, 4, starts.0 * 8)?;
    machine.memory.store_bits(list.offset(4), 32, 4, GENERAL * 8 + starts.1 * 16)?;
    machine.memory.store_pointer(list.offset(8), 8, overflow)?;
    machine.memory.store_pointer(list.offset(16), 8, area)
}

/// A small integer fills a whole register.
fn widened(layout: &Layout) -> Layout {
    match layout.shape {
        Shape::Scalar(Scalar::Int(bits)) if bits < 64 => {
            Layout { size: 8, store: 8, align: 8, preferred_align: 8, shape: Shape::Scalar(Scalar::Int(64)) }
        }
        _ => layout.clone(),
    }
}

/// The next argument of a type.
pub(crate) fn next_in_list(machine: &mut Machine<'_>, list: Pointer, ty: Type, layout: &Layout) -> Res<Value> {
    let (field, step, limit) = match class(machine, ty) {
        Class::General(count) => (0, 8 * count, GENERAL * 8),
        Class::Vector => (4, 16, AREA),
        Class::Memory => (8, 0, 0),
    };
    if field < 8 {
        let Value::Int(offset) = machine.memory.load_bits(list.offset(field), 32, 4)? else {
            return undefined(Rule::VariadicArguments, "a list that was not started");
        };
        if offset + step <= limit {
            let Value::Ptr(area) = machine.memory.load_pointer(list.offset(16), 8)? else {
                return undefined(Rule::VariadicArguments, "a list that was not started");
            };
            machine.memory.store_bits(list.offset(field), 32, 4, offset + step)?;
            return load(machine, area.offset(offset), layout);
        }
    }
    let Value::Ptr(overflow) = machine.memory.load_pointer(list.offset(8), 8)? else {
        return undefined(Rule::VariadicArguments, "a list that was not started");
    };
    let align = layout.align.max(8);
    let Some(address) = overflow.address.checked_next_multiple_of(align) else {
        return undefined(Rule::VariadicArguments, "a list that was not started");
    };
    let at = Pointer { address, object: overflow.object };
    machine.memory.store_pointer(list.offset(8), 8, at.offset(layout.size.next_multiple_of(8)))?;
    load(machine, at, layout)
}

fn load(machine: &Machine<'_>, at: Pointer, layout: &Layout) -> Res<Value> {
    match machine.memory.load(at, layout, 1)? {
        Value::Undef => undefined(Rule::VariadicArguments, "more arguments are read than were passed"),
        value => Ok(value),
    }
}

/// Arguments in the order in which a format asks for them.
pub(crate) enum Arguments<'a> {
    /// Those of a call, from the next one on.
    Call { call: &'a super::Call<'a>, next: usize },
    /// Those of a list.
    List(Pointer),
}

impl Arguments<'_> {
    /// The next argument, an integer of `bits` bits, which is widened as C does.
    pub fn int(&mut self, machine: &mut Machine<'_>, bits: u32) -> Res<u64> {
        let ty = machine.module.pool.int(if bits <= 32 { 32 } else { 64 });
        match self.take(machine, ty)? {
            Value::Int(number) => Ok(number & crate::value::mask(bits)),
            Value::Ptr(pointer) => Ok(pointer.address),
            other => undefined(Rule::NotDefined, format!("a printed argument is {other}")),
        }
    }

    pub fn pointer(&mut self, machine: &mut Machine<'_>) -> Res<Pointer> {
        match self.take(machine, Type::PTR)? {
            Value::Ptr(pointer) => Ok(pointer),
            Value::Int(address) => Ok(Pointer { address, object: 0 }),
            other => undefined(Rule::NotDefined, format!("an argument is {other}")),
        }
    }

    /// The next argument, a double.
    pub fn double(&mut self, machine: &mut Machine<'_>) -> Res<f64> {
        let ty = machine.module.pool.intern_type(TypeKind::Double);
        match self.take(machine, ty)? {
            Value::Int(bits) => Ok(f64::from_bits(bits)),
            other => undefined(Rule::NotDefined, format!("a printed argument is {other}")),
        }
    }

    /// The bits of the next argument, a long double.
    pub fn long_double(&mut self, machine: &mut Machine<'_>) -> Res<u128> {
        let ty = machine.module.pool.intern_type(TypeKind::X86Fp80);
        match self.take(machine, ty)?.bits() {
            Some(bits) => Ok(bits),
            None => undefined(Rule::NotDefined, "a printed argument is undef or poison"),
        }
    }

    fn take(&mut self, machine: &mut Machine<'_>, ty: Type) -> Res<Value> {
        match self {
            Arguments::Call { call, next } => {
                let Some(value) = call.values.get(*next) else {
                    return undefined(Rule::VariadicArguments, "a format asks for more arguments than there are");
                };
                let given = machine.module.pool.type_kind(call.types[*next]);
                let wanted = machine.module.pool.type_kind(ty);
                *next += 1;
                let fits = match (wanted, given) {
                    (TypeKind::Int(_) | TypeKind::Ptr(_), TypeKind::Int(_) | TypeKind::Ptr(_)) => true,
                    (wanted, given) => wanted == given,
                };
                if !fits {
                    return undefined(Rule::Library, "a format asks for an argument of another type");
                }
                Ok(value.clone())
            }
            Arguments::List(list) => {
                let layout = machine.types().layout(ty)?;
                let list = *list;
                next_in_list(machine, list, ty, &layout)
            }
        }
    }
}

/// `llvm.va_copy`.
pub(crate) fn copy(machine: &mut Machine<'_>, to: Pointer, from: Pointer) -> Res<()> {
    if !machine.module.header.triple.is_empty() && !machine.module.header.triple.starts_with("x86_64") {
        return unsupported("va_copy on another target than x86-64");
    }
    machine.memory.copy(to, from, 24)
}
