//! `malloc` and its family, and functions on bytes.

use super::{Call, Run, VOID, int};
use crate::machine::Machine;
use crate::memory::Kind;
use crate::outcome::{Res, Rule, Stop, undefined};
use crate::value::{Pointer, Value};

/// Finds a function on memory.
pub(super) fn find(name: &str) -> Option<Run> {
    Some(match name {
        "malloc" | "valloc" => |m, c| allocate(m, c.int(0)?, 16, true),
        "_Znwm" | "_Znam" => |m, c| allocate_or_stop(m, c.int(0)?, 16),
        "_ZnwmRKSt9nothrow_t" | "_ZnamRKSt9nothrow_t" => |m, c| allocate(m, c.int(0)?, 16, true),
        "_ZnwmSt11align_val_t" | "_ZnamSt11align_val_t" => |m, c| {
            let align = c.int(1)?;
            allocate_or_stop(m, c.int(0)?, align)
        },
        "__rust_alloc" => |m, c| allocate(m, c.int(0)?, c.int(1)?, true),
        "__rust_alloc_zeroed" => |m, c| allocate(m, c.int(0)?, c.int(1)?, false),
        "calloc" => |m, c| match c.int(0)?.checked_mul(c.int(1)?) {
            Some(bytes) => allocate(m, bytes, 16, false),
            None => Ok(Value::address(0)),
        },
        "aligned_alloc" | "memalign" => |m, c| {
            let align = c.int(0)?;
            if !align.is_power_of_two() {
                return undefined(Rule::Library, format!("alignment {align}"));
            }
            allocate(m, c.int(1)?, align, true)
        },
        "posix_memalign" => |m, c| {
            let (align, bytes) = (c.int(1)?, c.int(2)?);
            if !align.is_power_of_two() || align % 8 != 0 {
                return Ok(int(22));
            }
            let Value::Ptr(pointer) = allocate(m, bytes, align, true)? else { return Ok(int(12)) };
            m.memory.store_pointer(c.pointer(0)?, 8, pointer)?;
            Ok(int(0))
        },
        "realloc" | "reallocarray" => realloc,
        "free"
        | "cfree"
        | "_ZdlPv"
        | "_ZdaPv"
        | "_ZdlPvm"
        | "_ZdaPvm"
        | "_ZdlPvSt11align_val_t"
        | "_ZdlPvmSt11align_val_t"
        | "_ZdaPvSt11align_val_t"
        | "__rust_dealloc" => free,
        "malloc_usable_size" => |m, c| {
            let pointer = c.pointer(0)?;
            Ok(Value::Int(if pointer.address == 0 { 0 } else { m.memory.object(pointer)?.size }))
        },
        "memcpy" | "__memcpy_chk" | "mempcpy" if name == "mempcpy" => |m, c| {
            copy(m, c)?;
            Ok(Value::Ptr(c.pointer(0)?.offset(c.int(2)?)))
        },
        "memcpy" | "__memcpy_chk" => |m, c| {
            let bytes = c.int(2)?;
            if bytes > 0 && c.pointer(0)?.address.abs_diff(c.pointer(1)?.address) < bytes {
                return undefined(Rule::Library, "memcpy of ranges that overlap");
            }
            copy(m, c)
        },
        "memmove" | "__memmove_chk" => copy,
        "bcopy" => |m, c| {
            m.memory.copy(c.pointer(1)?, c.pointer(0)?, c.int(2)?)?;
            Ok(VOID)
        },
        "memset" | "__memset_chk" => |m, c| {
            let byte = match c.value(1)? {
                Value::Int(number) => Value::Int(number & 0xff),
                other => other.clone(),
            };
            m.memory.fill(c.pointer(0)?, &byte, c.int(2)?)?;
            Ok(c.value(0)?.clone())
        },
        "bzero" => |m, c| {
            m.memory.fill(c.pointer(0)?, &Value::Int(0), c.int(1)?)?;
            Ok(VOID)
        },
        "memcmp" | "bcmp" => compare,
        "memchr" => |m, c| find_byte(m, c, false),
        "memrchr" => |m, c| find_byte(m, c, true),
        _ => return None,
    })
}

/// New memory, or null where there is none.
pub(super) fn allocate(machine: &mut Machine<'_>, bytes: u64, align: u64, uninitialized: bool) -> Res<Value> {
    match machine.memory.allocate(Kind::Heap, bytes, align, uninitialized) {
        Ok(pointer) => Ok(Value::Ptr(pointer)),
        // A request that no machine could fulfil is refused as the library does; others say what the interpreter lacks.
        Err(_) if bytes > 1 << 40 => Ok(Value::address(0)),
        Err(stop) => Err(stop),
    }
}

fn allocate_or_stop(machine: &mut Machine<'_>, bytes: u64, align: u64) -> Res<Value> {
    match allocate(machine, bytes, align, true)? {
        Value::Ptr(Pointer::NULL) => Err(Box::new(Stop::OutOfMemory("memory"))),
        value => Ok(value),
    }
}

fn realloc(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let (old, mut bytes) = (call.pointer(0)?, call.int(1)?);
    if call.values.len() > 2 {
        match bytes.checked_mul(call.int(2)?) {
            Some(product) => bytes = product,
            None => return Ok(Value::address(0)),
        }
    }
    if old.address == 0 {
        return allocate(machine, bytes, 16, true);
    }
    let size = machine.memory.object(old)?.size;
    if bytes == 0 {
        machine.memory.free(old)?;
        return Ok(Value::address(0));
    }
    let Value::Ptr(new) = allocate(machine, bytes, 16, true)? else { return Ok(Value::address(0)) };
    if new.address != 0 {
        machine.memory.copy(new, old, size.min(bytes))?;
        machine.memory.free(old)?;
    }
    Ok(Value::Ptr(new))
}

fn free(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let pointer = call.pointer(0)?;
    if pointer.address != 0 {
        machine.memory.free(pointer)?;
    }
    Ok(VOID)
}

fn copy(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    machine.memory.copy(call.pointer(0)?, call.pointer(1)?, call.int(2)?)?;
    Ok(call.value(0)?.clone())
}

fn compare(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let bytes = call.int(2)?;
    let (a, b) = (machine.memory.read(call.pointer(0)?, bytes)?, machine.memory.read(call.pointer(1)?, bytes)?);
    Ok(int(super::string::difference(a, b)))
}

fn find_byte(machine: &mut Machine<'_>, call: &Call<'_>, last: bool) -> Res<Value> {
    let (from, byte, limit) = (call.pointer(0)?, call.int(1)? as u8, call.int(2)?);
    // A search that finds its byte reads nothing after it.
    let object = if limit == 0 { 0 } else { machine.memory.object(from)?.size };
    let base = if limit == 0 { 0 } else { machine.memory.object(from)?.base };
    let reach = if last { limit } else { limit.min(object.saturating_sub(from.address.wrapping_sub(base))) };
    let bytes = machine.memory.read(from, reach)?;
    let at = if last { bytes.iter().rposition(|&b| b == byte) } else { bytes.iter().position(|&b| b == byte) };
    match at {
        Some(at) => Ok(Value::Ptr(from.offset(at as u64))),
        None if reach < limit => undefined(Rule::OutOfBounds, "memchr behind the end of an object"),
        None => Ok(Value::address(0)),
    }
}
