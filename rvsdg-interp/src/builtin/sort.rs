//! `qsort` and `bsearch`, which call back.

use super::{Call, Run, VOID};
use crate::machine::Machine;
use crate::memory::Kind;
use crate::outcome::{Res, Rule, undefined};
use crate::value::{Pointer, Value};

/// Finds a function that sorts or searches.
pub(super) fn find(name: &str) -> Option<Run> {
    Some(match name {
        "qsort" => |m, c| sort(m, c, None),
        "qsort_r" => |m, c| sort(m, c, Some(c.value(4)?.clone())),
        "bsearch" => search,
        _ => return None,
    })
}

/// What a comparison function says of two elements.
fn order(machine: &mut Machine<'_>, function: &Value, a: Pointer, b: Pointer, extra: Option<&Value>) -> Res<i32> {
    let mut arguments = vec![Value::Ptr(a), Value::Ptr(b)];
    arguments.extend(extra.cloned());
    match machine.call_pointer(function.clone(), &arguments)? {
        Some(Value::Int(order)) => Ok(order as u32 as i32),
        other => undefined(Rule::Library, format!("a comparison returned {other:?}")),
    }
}

/// Sorts by merging, as glibc does, so that equal elements keep their order.
fn sort(machine: &mut Machine<'_>, call: &Call<'_>, extra: Option<Value>) -> Res<Value> {
    let (base, count, size) = (call.pointer(0)?, call.int(1)?, call.int(2)?);
    let function = call.value(3)?.clone();
    if count < 2 || size == 0 {
        return Ok(VOID);
    }
    let Some(bytes) = count.checked_mul(size) else { return undefined(Rule::OutOfBounds, "qsort") };
    machine.memory.access(base, bytes, 1, true)?;
    let mut order_of: Vec<u64> = (0..count).collect();
    let mut merged = Vec::with_capacity(order_of.len());
    let mut width = 1;
    while width < order_of.len() {
        merged.clear();
        for pair in order_of.chunks(2 * width) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            let (mut i, mut j) = (0, 0);
            while i < left.len() && j < right.len() {
                let (a, b) = (base.offset(left[i] * size), base.offset(right[j] * size));
                if order(machine, &function, a, b, extra.as_ref())? <= 0 {
                    merged.push(left[i]);
                    i += 1;
                } else {
                    merged.push(right[j]);
                    j += 1;
                }
            }
            merged.extend_from_slice(&left[i..]);
            merged.extend_from_slice(&right[j..]);
        }
        std::mem::swap(&mut order_of, &mut merged);
        width *= 2;
    }
    let copy = machine.memory.allocate(Kind::Heap, bytes, 16, true)?;
    machine.memory.copy(copy, base, bytes)?;
    for (to, from) in order_of.into_iter().enumerate() {
        machine.memory.copy(base.offset(to as u64 * size), copy.offset(from * size), size)?;
    }
    machine.memory.free(copy)?;
    Ok(VOID)
}

fn search(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let (key, base, count, size) = (call.pointer(0)?, call.pointer(1)?, call.int(2)?, call.int(3)?);
    let function = call.value(4)?.clone();
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        let at = base.offset(middle * size);
        match order(machine, &function, key, at, None)? {
            0 => return Ok(Value::Ptr(at)),
            less if less < 0 => high = middle,
            _ => low = middle + 1,
        }
    }
    Ok(Value::address(0))
}
