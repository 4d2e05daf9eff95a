//! The C++ runtime: exceptions and type descriptions of the Itanium ABI, and guards of local statics.

use super::{Call, Run, VOID, int};
use crate::machine::{Exception, Machine};
use crate::memory::Kind;
use crate::outcome::{Res, Rule, Stop, undefined, unsupported};
use crate::value::{Pointer, Value};

/// What is known of an exception object.
#[derive(Clone, Debug)]
pub(crate) struct Thrown {
    /// The description of its type.
    pub ty: Pointer,
    /// The function that destroys it.
    destructor: Pointer,
}

/// Finds a function of the C++ runtime.
pub(super) fn find(name: &str) -> Option<Run> {
    Some(match name {
        "__cxa_allocate_exception" => |m, c| {
            let pointer = m.memory.allocate(Kind::Heap, c.int(0)?, 16, true)?;
            Ok(Value::Ptr(pointer))
        },
        "__cxa_free_exception" => |m, c| {
            m.memory.free(c.pointer(0)?)?;
            Ok(VOID)
        },
        "__cxa_throw" => |m, c| {
            let (header, ty, destructor) = (c.pointer(0)?, c.pointer(1)?, c.pointer(2)?);
            m.state.exceptions.insert(header.address, Thrown { ty, destructor });
            throw(m, header)
        },
        "__cxa_rethrow" => |m, _| match m.state.caught.last().copied() {
            Some(header) => throw(m, header),
            None => Err(Box::new(Stop::Abort("rethrow of no exception".into()))),
        },
        "__cxa_begin_catch" => |m, c| {
            let header = c.pointer(0)?;
            m.state.caught.push(header);
            Ok(Value::Ptr(m.state.adjusted.get(&header.address).copied().unwrap_or(header)))
        },
        "__cxa_get_exception_ptr" => |m, c| {
            let header = c.pointer(0)?;
            Ok(Value::Ptr(m.state.adjusted.get(&header.address).copied().unwrap_or(header)))
        },
        "__cxa_end_catch" => |m, _| {
            let Some(header) = m.state.caught.pop() else { return Ok(VOID) };
            let is_thrown = m.state.thrown.as_ref().is_some_and(|thrown| thrown.header == header);
            if !is_thrown
                && !m.state.caught.contains(&header)
                && !std::mem::take(&mut m.state.rethrown)
                && let Some(thrown) = m.state.exceptions.remove(&header.address)
            {
                if thrown.destructor.address != 0 {
                    m.call_pointer(Value::Ptr(thrown.destructor), &[Value::Ptr(header)])?;
                }
                m.memory.free(header)?;
            }
            Ok(VOID)
        },
        "__cxa_guard_acquire" => |m, c| match m.memory.load_bits(c.pointer(0)?, 8, 1)? {
            Value::Int(0) => Ok(int(1)),
            _ => Ok(int(0)),
        },
        "__cxa_guard_release" => |m, c| {
            m.memory.store_bits(c.pointer(0)?, 8, 1, 1)?;
            Ok(VOID)
        },
        "__cxa_guard_abort" => |_, _| Ok(VOID),
        "__cxa_pure_virtual" | "__cxa_deleted_virtual" => {
            |_, _| undefined(Rule::Library, "call of a pure virtual function")
        }
        "_ZSt9terminatev" | "__clang_call_terminate" => |_, _| Err(Box::new(Stop::Abort("std::terminate".into()))),
        "__cxa_call_unexpected" => |_, _| Err(Box::new(Stop::Abort("std::unexpected".into()))),
        "__cxa_throw_bad_array_new_length" | "__cxa_bad_cast" | "__cxa_bad_typeid" => {
            |_, _| unsupported("an exception of the C++ library")
        }
        "__cxa_uncaught_exceptions" | "_ZSt19uncaught_exceptionsv" => |m, _| Ok(int(m.state.thrown.is_some().into())),
        "__dynamic_cast" => dynamic_cast,
        _ => return None,
    })
}

fn throw(machine: &mut Machine<'_>, header: Pointer) -> Res<Value> {
    let ty = machine.state.exceptions.get(&header.address).map(|thrown| thrown.ty);
    machine.state.rethrown = machine.state.caught.contains(&header);
    machine.state.thrown = Some(Exception { header, ty });
    Err(Box::new(Stop::Throw))
}

/// `__dynamic_cast(object, static type, wanted type, hint)`.
fn dynamic_cast(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let (object, wanted) = (call.pointer(0)?, call.pointer(2)?);
    let Value::Ptr(table) = machine.memory.load_pointer(object, 8)? else {
        return undefined(Rule::Library, "dynamic_cast of an object without a table");
    };
    let Value::Int(to_top) = machine.memory.load_bits(table.offset(16u64.wrapping_neg()), 64, 8)? else {
        return undefined(Rule::Library, "dynamic_cast of an object without a table");
    };
    let Value::Ptr(dynamic) = machine.memory.load_pointer(table.offset(8u64.wrapping_neg()), 8)? else {
        return undefined(Rule::Library, "dynamic_cast of an object without a type");
    };
    let found = machine.base_offset(dynamic, wanted);
    Ok(found.map_or(Value::address(0), |offset| Value::Ptr(object.offset(to_top).offset(offset as u64))))
}

impl Machine<'_> {
    /// How far a base lies within a class; `None` when the first does not derive from the second.
    pub(crate) fn base_offset(&self, class: Pointer, base: Pointer) -> Option<i64> {
        let mut pending = vec![(class, 0)];
        let mut seen = 0;
        while let Some((ty, offset)) = pending.pop() {
            if ty.address == base.address {
                return Some(offset);
            }
            seen += 1;
            if seen > 10_000 {
                return None;
            }
            pending.extend(self.bases(ty).into_iter().map(|(base, at)| (base, offset + at)));
        }
        None
    }

    /// The bases of a class by its description, with their offsets; virtual bases are left out.
    fn bases(&self, ty: Pointer) -> Vec<(Pointer, i64)> {
        let pointer = |offset: u64| match self.memory.load_pointer(ty.offset(offset), 8) {
            Ok(Value::Ptr(pointer)) => Some(pointer),
            _ => None,
        };
        let number = |offset: u64, bits: u32| match self.memory.load_bits(ty.offset(offset), bits, 1) {
            Ok(Value::Int(number)) => Some(number),
            _ => None,
        };
        let Some(table) = pointer(0) else { return Vec::new() };
        let is = |name: &str| {
            let symbol = self.module.order.iter().find(|&&symbol| &*self.module.symbols[symbol].name == name);
            match symbol.and_then(|symbol| self.addresses.get(symbol)) {
                Some(Value::Ptr(known)) => known.address + 16 == table.address,
                _ => false,
            }
        };
        if is("_ZTVN10__cxxabiv120__si_class_type_infoE") {
            return pointer(16).map(|base| (base, 0)).into_iter().collect();
        }
        let mut bases = Vec::new();
        if is("_ZTVN10__cxxabiv121__vmi_class_type_infoE") {
            let count = number(20, 32).unwrap_or(0).min(1000);
            for index in 0..count {
                let at = 24 + 16 * index;
                if let (Some(base), Some(flags)) = (pointer(at), number(at + 8, 64))
                    && flags & 1 == 0
                {
                    bases.push((base, flags as i64 >> 8));
                }
            }
        }
        bases
    }
}
