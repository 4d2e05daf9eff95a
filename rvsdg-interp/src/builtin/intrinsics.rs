//! LLVM's intrinsics that are not plain operations on scalars.

use rvsdg_core::TypeKind;
use rvsdg_core::layout::Scalar;
use rvsdg_core::op::{BinaryFlags, IntBinary};

use super::{Call, Run, VOID, varargs};
use crate::machine::Machine;
use crate::outcome::{Res, Rule, Stop, undefined, unsupported};
use crate::scalar::{self, ScalarOp, int};
use crate::value::{Pointer, Value};

/// The function that does an intrinsic, by its name without `llvm.`.
pub(super) fn find(base: &str) -> Option<Run> {
    let starts = |prefix: &str| base == prefix || base.starts_with(prefix) && base[prefix.len()..].starts_with('.');
    let table: &[(&str, Run)] = &[
        ("memcpy.inline", memcpy),
        ("memcpy", memcpy),
        ("memmove", memmove),
        ("memset.inline", memset),
        ("memset", memset),
        ("lifetime.start", lifetime_start),
        ("lifetime.end", lifetime_end),
        ("va_start", va_start),
        ("va_end", nothing),
        ("va_copy", va_copy),
        ("assume", assume),
        ("expect", first),
        ("expect.with.probability", first),
        ("launder.invariant.group", first),
        ("strip.invariant.group", first),
        ("ssa.copy", first),
        ("arithmetic.fence", first),
        ("threadlocal.address", first),
        ("annotation", first),
        ("ptr.annotation", first),
        ("preserve.array.access.index", first),
        ("invariant.start", first_pointer),
        ("invariant.end", nothing),
        ("experimental.noalias.scope.decl", nothing),
        ("dbg", nothing),
        ("var.annotation", nothing),
        ("prefetch", nothing),
        ("donothing", nothing),
        ("sideeffect", nothing),
        ("pseudoprobe", nothing),
        ("fake.use", nothing),
        ("is.constant", no),
        ("allow.runtime.check", yes),
        ("allow.ubsan.check", yes),
        ("trap", trap),
        ("debugtrap", trap),
        ("ubsantrap", trap),
        ("objectsize", objectsize),
        ("stacksave", stacksave),
        ("stackrestore", stackrestore),
        ("ptrmask", ptrmask),
        ("uadd.with.overflow", |m, c| overflow(m, c, IntBinary::Add, false)),
        ("usub.with.overflow", |m, c| overflow(m, c, IntBinary::Sub, false)),
        ("umul.with.overflow", |m, c| overflow(m, c, IntBinary::Mul, false)),
        ("sadd.with.overflow", |m, c| overflow(m, c, IntBinary::Add, true)),
        ("ssub.with.overflow", |m, c| overflow(m, c, IntBinary::Sub, true)),
        ("smul.with.overflow", |m, c| overflow(m, c, IntBinary::Mul, true)),
        ("load.relative", load_relative),
        ("vector.reduce.add", |m, c| reduce(m, c, Reduce::Int(IntBinary::Add))),
        ("vector.reduce.mul", |m, c| reduce(m, c, Reduce::Int(IntBinary::Mul))),
        ("vector.reduce.and", |m, c| reduce(m, c, Reduce::Int(IntBinary::And))),
        ("vector.reduce.or", |m, c| reduce(m, c, Reduce::Int(IntBinary::Or))),
        ("vector.reduce.xor", |m, c| reduce(m, c, Reduce::Int(IntBinary::Xor))),
        ("vector.reduce.smax", |m, c| reduce(m, c, Reduce::Math("smax"))),
        ("vector.reduce.smin", |m, c| reduce(m, c, Reduce::Math("smin"))),
        ("vector.reduce.umax", |m, c| reduce(m, c, Reduce::Math("umax"))),
        ("vector.reduce.umin", |m, c| reduce(m, c, Reduce::Math("umin"))),
        ("vector.reduce.fmax", |m, c| reduce(m, c, Reduce::Math("maxnum"))),
        ("vector.reduce.fmin", |m, c| reduce(m, c, Reduce::Math("minnum"))),
        ("vector.reduce.fadd", |m, c| reduce(m, c, Reduce::Float(rvsdg_core::op::FloatBinary::FAdd))),
        ("vector.reduce.fmul", |m, c| reduce(m, c, Reduce::Float(rvsdg_core::op::FloatBinary::FMul))),
        ("masked.load", masked_load),
        ("masked.store", masked_store),
        ("frexp", frexp),
        ("modf", modf),
        ("sincos", sincos),
        ("eh.typeid.for", |_, c| Ok(Value::Int(u64::from(crate::machine::type_id(c.pointer(0)?))))),
        ("returnaddress", null),
        ("frameaddress", null),
        ("flt.rounds", |_, _| Ok(Value::Int(1))),
        ("readcyclecounter", |m, _| Ok(Value::Int(m.config.fuel - m.fuel))),
    ];
    // The longest name wins: `memcpy.inline` is no `memcpy`.
    table.iter().filter(|(name, _)| starts(name)).max_by_key(|(name, _)| name.len()).map(|&(_, run)| run)
}

fn memcpy(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let bytes = call.int(2)?;
    if bytes > 0 {
        let (to, from) = (call.pointer(0)?, call.pointer(1)?);
        let apart = to.address.abs_diff(from.address) >= bytes || to.address == from.address;
        if !apart {
            return undefined(Rule::Intrinsic, "memcpy of ranges that overlap");
        }
        machine.memory.copy(to, from, bytes)?;
    }
    Ok(VOID)
}

fn memmove(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let bytes = call.int(2)?;
    if bytes > 0 {
        machine.memory.copy(call.pointer(0)?, call.pointer(1)?, bytes)?;
    }
    Ok(VOID)
}

fn memset(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let bytes = call.int(2)?;
    if bytes > 0 {
        machine.memory.fill(call.pointer(0)?, call.value(1)?, bytes)?;
    }
    Ok(VOID)
}

/// The pointer of a lifetime intrinsic, which was its second argument once.
fn lifetime_pointer(call: &Call<'_>) -> Option<Pointer> {
    call.values.iter().rev().find_map(|value| match value {
        Value::Ptr(pointer) => Some(*pointer),
        _ => None,
    })
}

fn lifetime_start(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    if let Some(pointer) = lifetime_pointer(call) {
        machine.memory.set_lifetime(pointer, true);
    }
    Ok(VOID)
}

fn lifetime_end(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    if let Some(pointer) = lifetime_pointer(call) {
        machine.memory.set_lifetime(pointer, false);
    }
    Ok(VOID)
}

fn va_start(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let triple = &machine.module.header.triple;
    if !triple.is_empty() && !triple.starts_with("x86_64") {
        return unsupported("va_start on another target than x86-64");
    }
    varargs::start(machine, call.pointer(0)?)?;
    Ok(VOID)
}

fn va_copy(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    varargs::copy(machine, call.pointer(0)?, call.pointer(1)?)?;
    Ok(VOID)
}

fn nothing(_: &mut Machine<'_>, _: &Call<'_>) -> Res<Value> {
    Ok(VOID)
}

fn no(_: &mut Machine<'_>, _: &Call<'_>) -> Res<Value> {
    Ok(Value::Int(0))
}

fn yes(_: &mut Machine<'_>, _: &Call<'_>) -> Res<Value> {
    Ok(Value::Int(1))
}

fn null(_: &mut Machine<'_>, _: &Call<'_>) -> Res<Value> {
    Ok(Value::address(0))
}

fn first(_: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    Ok(call.value(0)?.clone())
}

fn first_pointer(_: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    Ok(Value::Ptr(call.pointer(1)?))
}

fn assume(_: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    match call.value(0)? {
        Value::Int(1) => Ok(VOID),
        other => undefined(Rule::Assumption, format!("the condition is {other}")),
    }
}

fn trap(_: &mut Machine<'_>, _: &Call<'_>) -> Res<Value> {
    Err(Box::new(Stop::Abort("a trap".into())))
}

/// Nothing is known at compile time: the answer that asks for no check.
fn objectsize(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let TypeKind::Int(bits) = *machine.module.pool.type_kind(call.result) else { return unsupported("objectsize") };
    Ok(Value::Int(if call.int(1)? != 0 { 0 } else { crate::value::mask(bits) }))
}

/// A saved height is an address that nothing is at.
fn stacksave(machine: &mut Machine<'_>, _: &Call<'_>) -> Res<Value> {
    Ok(Value::address(1 << 63 | machine.memory.stack_height() as u64))
}

fn stackrestore(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let height = call.pointer(0)?.address;
    if height >> 63 == 0 {
        return undefined(Rule::InvalidFree, "stackrestore of what stacksave did not return");
    }
    machine.memory.release_stack((height & !(1 << 63)) as usize);
    Ok(VOID)
}

fn ptrmask(_: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let pointer = call.pointer(0)?;
    Ok(Value::Ptr(Pointer { address: pointer.address & call.int(1)?, object: pointer.object }))
}

fn load_relative(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let base = call.pointer(0)?;
    match machine.memory.load_bits(base.offset(call.int(1)?), 32, 4)? {
        // The target is another object than the table.
        Value::Int(offset) => Ok(Value::address(base.address.wrapping_add(offset as u32 as i32 as u64))),
        other => undefined(Rule::NotDefined, format!("the offset is {other}")),
    }
}

fn overflow(machine: &mut Machine<'_>, call: &Call<'_>, op: IntBinary, signed: bool) -> Res<Value> {
    let (scalar, len) = machine.types().lanes(call.types[0])?;
    let bits = scalar.bits();
    let one = |a: &Value, b: &Value| -> Res<(Value, Value)> {
        let wrapped = ScalarOp::Int { op, flags: BinaryFlags::NONE, bits }.apply(&[a, b])?;
        let flags = if signed { BinaryFlags::NSW } else { BinaryFlags::NUW };
        Ok(match int::slow(op, flags, bits, a, b)? {
            Value::Poison if a.has_poison() || b.has_poison() => (Value::Poison, Value::Poison),
            Value::Poison => (wrapped, Value::Int(1)),
            result if result.is_defined() => (result, Value::Int(0)),
            _ => (Value::Undef, Value::Undef),
        })
    };
    let (a, b) = (call.value(0)?, call.value(1)?);
    match len {
        None => {
            let (result, flag) = one(a, b)?;
            Ok(Value::seq(vec![result, flag]))
        }
        Some(len) => {
            let lanes: Res<Vec<(Value, Value)>> =
                (0..len as usize).map(|index| one(scalar::lane(a, index), scalar::lane(b, index))).collect();
            let (results, flags) = lanes?.into_iter().unzip();
            Ok(Value::seq(vec![Value::seq(results), Value::seq(flags)]))
        }
    }
}

/// How lanes become one.
enum Reduce {
    Int(IntBinary),
    Float(rvsdg_core::op::FloatBinary),
    Math(&'static str),
}

fn reduce(machine: &mut Machine<'_>, call: &Call<'_>, how: Reduce) -> Res<Value> {
    let vector = call.values.len() - 1;
    let (lane, len) = machine.types().lanes(call.types[vector])?;
    let op = match (how, lane) {
        (Reduce::Int(op), _) => ScalarOp::Int { op, flags: BinaryFlags::NONE, bits: lane.bits() },
        (Reduce::Float(op), Scalar::Float(kind)) => ScalarOp::Float { op, flags: call.info.fast, kind },
        (Reduce::Math(name), _) => match super::math::operation(name, lane, lane, call.info.fast) {
            Some(math) => ScalarOp::Math(math),
            None => return unsupported("vector.reduce"),
        },
        (Reduce::Float(_), _) => return unsupported("vector.reduce"),
    };
    let mut lanes = (0..len.unwrap_or(1) as usize).map(|index| scalar::lane(&call.values[vector], index).clone());
    let start = if vector == 1 { Some(call.values[0].clone()) } else { lanes.next() };
    let mut result = start.unwrap_or(Value::Poison);
    for lane in lanes {
        result = op.apply(&[&result, &lane])?;
    }
    Ok(result)
}

/// Whether a lane of a mask is set.
fn enabled(mask: &Value, index: usize) -> Res<bool> {
    match scalar::lane(mask, index) {
        Value::Int(bit) => Ok(*bit != 0),
        other => undefined(Rule::Intrinsic, format!("a lane of the mask is {other}")),
    }
}

fn masked_load(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let (lane, len) = machine.types().lanes(call.result)?;
    let pointer = call.pointer(0)?;
    let (mask, through) = (&call.values[call.values.len() - 2], &call.values[call.values.len() - 1]);
    let step = u64::from(lane.bits() / 8);
    let mut lanes = Vec::new();
    for index in 0..len.unwrap_or(1) as usize {
        lanes.push(if enabled(mask, index)? {
            machine.memory.load_scalar(pointer.offset(index as u64 * step), lane, 1)?
        } else {
            scalar::lane(through, index).clone()
        });
    }
    Ok(Value::seq(lanes))
}

fn masked_store(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let (lane, len) = machine.types().lanes(call.types[0])?;
    let pointer = call.pointer(1)?;
    let mask = &call.values[call.values.len() - 1];
    let step = u64::from(lane.bits() / 8);
    for index in 0..len.unwrap_or(1) as usize {
        if enabled(mask, index)? {
            let value = scalar::lane(&call.values[0], index).clone();
            machine.memory.store_scalar(pointer.offset(index as u64 * step), lane, 1, &value)?;
        }
    }
    Ok(VOID)
}

/// The double that a scalar argument is, with its format.
fn double(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<(rvsdg_core::layout::FloatKind, f64)> {
    let (scalar, len) = machine.types().lanes(call.types[0])?;
    match (scalar, len, call.value(0)?.bits()) {
        (Scalar::Float(kind), None, Some(bits)) => Ok((kind, scalar::float::to_f64(kind, bits))),
        _ => unsupported("floating-point intrinsic on a vector, undef or poison"),
    }
}

fn float(kind: rvsdg_core::layout::FloatKind, value: f64) -> Value {
    Value::from_bits(kind.bits(), scalar::float::from_f64(kind, value))
}

fn frexp(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let (kind, value) = double(machine, call)?;
    let (fraction, exponent) = super::math::frexp(value);
    Ok(Value::seq(vec![float(kind, fraction), super::int(exponent)]))
}

fn modf(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let (kind, value) = double(machine, call)?;
    let fraction = if value.is_infinite() { 0f64.copysign(value) } else { (value - value.trunc()).copysign(value) };
    Ok(Value::seq(vec![float(kind, fraction), float(kind, value.trunc())]))
}

fn sincos(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let (kind, value) = double(machine, call)?;
    Ok(Value::seq(vec![float(kind, value.sin()), float(kind, value.cos())]))
}
