//! Whether one run may replace another: refinement.
//!
//! A transformation is correct if the transformed program does only what the source program may do. Where the source is undefined,
//! anything is allowed; where it has poison or undef, the target may have any value; defined values stay the same.

use std::fmt;

use crate::machine::Config;
use crate::observe::{Byte, Contents, Event, Object, Observed, Seen};
use crate::outcome::Outcome;

/// What a comparison of two runs says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The target does what the source does.
    Refines,
    /// The source is undefined: the target may do anything.
    Vacuous(String),
    /// One of the runs did not end, for lack of fuel or memory or because the interpreter does not support an operation, and everything
    /// that can be compared agrees. Or the source chose values for poison or depends on the addresses of objects, and the target does
    /// something that none of the tried choices led to.
    Unknown(String),
    /// The target does what the source does not.
    Violated(String),
}

impl Verdict {
    /// Whether the target is wrong.
    pub fn is_violation(&self) -> bool {
        matches!(self, Verdict::Violated(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Refines => f.write_str("refines"),
            Verdict::Vacuous(reason) => write!(f, "the source is undefined: {reason}"),
            Verdict::Unknown(reason) => write!(f, "not known: {reason}"),
            Verdict::Violated(reason) => write!(f, "does not refine: {reason}"),
        }
    }
}

/// The limits for the run of a transformed program, given the run of the source program: so much larger that a run that exceeds them is
/// taken not to end.
pub fn limits(source: &Observed, config: &Config) -> Config {
    let Config { fuel, memory, depth, .. } = *config;
    let fuel = if is_cut(&source.outcome) { fuel } else { 8 * source.steps + 10_000 };
    Config { fuel, memory: 4 * memory, depth: 4 * depth, ..config.clone() }
}

/// Compares the run of a program with the run of the transformed program, within [`limits`].
///
/// A pass may define what is undefined, but not the reverse:
///
/// ```
/// use rvsdg_core::text::parse_module;
/// use rvsdg_interp::{Argument, Config, Value, observe, refines};
///
/// let run = |operation: &str| -> Result<_, Box<dyn std::error::Error>> {
///     let module = parse_module(&format!(
///         "module \"example\"
/// @f = function i8 (i8)
/// lambda @f [] (v0: i8, mem0, io0) {{
///   v1: i8 = {operation} v0, v0
///   yield v1, mem0, io0
/// }}
/// export @f
/// "
///     ))?;
///     Ok(observe(module.verify()?, "f", &[Argument::Value(Value::from_bits(8, 100))], Config::default()))
/// };
/// let (wraps, overflows) = (run("add")?, run("add nsw")?);
/// assert!(!refines(&overflows, &wraps).is_violation());
/// assert!(refines(&wraps, &overflows).is_violation());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn refines(source: &Observed, target: &Observed) -> Verdict {
    match compare(source, target) {
        // What `freeze` makes of poison is one of many values, and so is the place of an object.
        Verdict::Violated(reason) if source.chose => {
            Verdict::Unknown(format!("the source chose values or places; {reason}"))
        }
        verdict => verdict,
    }
}

fn compare(source: &Observed, target: &Observed) -> Verdict {
    if let Outcome::Undefined { .. } = &source.outcome {
        return Verdict::Vacuous(source.outcome.to_string());
    }
    let (source_cut, target_cut) = (is_cut(&source.outcome), is_cut(&target.outcome));
    let cut = source_cut || target_cut;
    let common = source.events.len().min(target.events.len());
    for (index, (before, after)) in source.events.iter().zip(&target.events).enumerate() {
        if let Err(reason) = event(before, after, source.chose_sign) {
            return Verdict::Violated(format!("event {index}: {reason}"));
        }
    }
    if !output(source, target, cut) {
        if source.chose_sign {
            return Verdict::Unknown("the source chose the sign of a zero, and the output differs".into());
        }
        return Verdict::Violated("the output differs".into());
    }
    if source_cut && source.events.len() == common {
        return Verdict::Unknown(format!("the source ended with: {}", source.outcome));
    }
    if let Outcome::Undefined { .. } = &target.outcome {
        return Verdict::Violated(format!("{}; the source: {}", target.outcome, source.outcome));
    }
    if !source_cut && is_exhausted(&target.outcome) {
        let (steps, of) = (target.steps, source.steps);
        return Verdict::Violated(format!(
            "{} after {steps} steps; the source {} after {of}",
            target.outcome, source.outcome
        ));
    }
    if cut {
        let (name, outcome) = if target_cut { ("target", &target.outcome) } else { ("source", &source.outcome) };
        return Verdict::Unknown(format!("the {name} ended with: {outcome}"));
    }
    if source.events.len() != target.events.len() {
        let (before, after) = (source.events.len(), target.events.len());
        return Verdict::Violated(format!("{after} events instead of {before}"));
    }
    match (&source.outcome, &target.outcome) {
        (Outcome::Returned(_), Outcome::Returned(_)) => {
            if let (Some(before), Some(after)) = (&source.value, &target.value)
                && !value(before, after, source.chose_sign)
            {
                return Verdict::Violated(format!("returns {after} instead of {before}"));
            }
        }
        (Outcome::Exited(before), Outcome::Exited(after)) if before == after => {}
        (Outcome::Aborted { .. }, Outcome::Aborted { .. }) => {}
        (before, after) => return Verdict::Violated(format!("{after} instead of {before}")),
    }
    match memory(&source.memory, &target.memory, source.chose_sign) {
        Ok(()) => Verdict::Refines,
        Err(reason) => Verdict::Violated(reason),
    }
}

/// Whether a run ended before its time.
fn is_cut(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::OutOfFuel { .. } | Outcome::OutOfMemory { .. } | Outcome::Unsupported { .. } => true,
        Outcome::Returned(_) | Outcome::Exited(_) | Outcome::Aborted { .. } | Outcome::Undefined { .. } => false,
    }
}

/// Whether a run ended for want of fuel or memory.
fn is_exhausted(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::OutOfFuel { .. } | Outcome::OutOfMemory { .. })
}

fn output(source: &Observed, target: &Observed, cut: bool) -> bool {
    let agree = |a: &[u8], b: &[u8]| {
        let common = a.len().min(b.len());
        a[..common] == b[..common] && (cut || a.len() == b.len())
    };
    agree(&source.output, &target.output) && agree(&source.errors, &target.errors)
}

fn event(before: &Event, after: &Event, signs: bool) -> Result<(), String> {
    if before.name != after.name {
        return Err(format!("{} instead of {}", after.name, before.name));
    }
    if before.arguments.len() != after.arguments.len() {
        return Err(format!("{} has {} arguments", before.name, after.arguments.len()));
    }
    for (index, (x, y)) in before.arguments.iter().zip(&after.arguments).enumerate() {
        if !value(x, y, signs) {
            return Err(format!("argument {index} of {} is {y} instead of {x}", before.name));
        }
    }
    memory(&before.memory, &after.memory, signs).map_err(|reason| format!("{}: {reason}", before.name))
}

/// Whether a value may replace another; with `signs`, a zero of either sign may replace a zero.
fn value(before: &Seen, after: &Seen, signs: bool) -> bool {
    let mut pending = vec![(before, after)];
    while let Some(pair) = pending.pop() {
        let same = match pair {
            (Seen::Poison, _) => true,
            (Seen::Undef, Seen::Seq(parts)) => {
                pending.extend(parts.iter().map(|part| (&Seen::Undef, part)));
                true
            }
            (Seen::Seq(parts), after @ (Seen::Poison | Seen::Undef)) => {
                pending.extend(parts.iter().map(|part| (part, after)));
                true
            }
            (Seen::Undef, Seen::Poison) => false,
            (Seen::Undef, _) => true,
            (Seen::Partial(bits, undef), after) => match number(after) {
                Some((other, other_undef)) => other & !undef == bits & !undef && other_undef & !undef == 0,
                None => false,
            },
            (Seen::Bits(a), Seen::Bits(b)) => a == b || signs && is_zero(a) && is_zero(b),
            (Seen::Pointer(Object::None, a), Seen::Pointer(Object::None, b)) => a == b,
            // The addresses of objects on stack and heap do not matter, nor which of them a pointer leads to.
            (Seen::Pointer(Object::Local, _), Seen::Pointer(Object::Local, _)) => true,
            (Seen::Pointer(a, at), Seen::Pointer(b, place)) => a == b && at == place,
            (Seen::Seq(a), Seen::Seq(b)) if a.len() == b.len() => {
                pending.extend(a.iter().zip(b));
                true
            }
            (Seen::Bits(_) | Seen::Pointer(..) | Seen::Seq(_), _) => false,
        };
        if !same {
            return false;
        }
    }
    true
}

/// Whether these are the bits of a zero, in some format of floats.
fn is_zero(words: &[u64]) -> bool {
    const SIGNS: [&[u64]; 5] = [&[1 << 15], &[1 << 31], &[1 << 63], &[0, 1 << 15], &[0, 1 << 63]];
    words.is_empty() || SIGNS.contains(&words)
}

/// Bits and which of them are undef.
fn number(seen: &Seen) -> Option<(u128, u128)> {
    match seen {
        Seen::Bits(words) if words.len() <= 2 => {
            Some((words.iter().rev().fold(0, |sum, &word| sum << 64 | u128::from(word)), 0))
        }
        Seen::Partial(bits, undef) => Some((*bits, *undef)),
        Seen::Poison | Seen::Undef | Seen::Bits(_) | Seen::Pointer(..) | Seen::Seq(_) => None,
    }
}

/// Compares the objects that both have.
fn memory(before: &[Contents], after: &[Contents], signs: bool) -> Result<(), String> {
    for old in before {
        let Some(new) = after.iter().find(|new| new.object == old.object) else { continue };
        if old.bytes.len() != new.bytes.len() {
            return Err(format!("{} has another size", old.object));
        }
        for (offset, (a, b)) in old.bytes.iter().zip(&new.bytes).enumerate() {
            let same = match (*a, *b) {
                (Byte::Poison, _) | (Byte::Pointer, Byte::Pointer) => true,
                (Byte::Bits(_, 0xff), Byte::Pointer) => true,
                // The last byte of a zero.
                (Byte::Bits(0 | 0x80, 0), Byte::Bits(0 | 0x80, 0)) if signs => true,
                (Byte::Bits(a, hidden), Byte::Bits(b, also)) => a & !hidden == b & !hidden && also & !hidden == 0,
                (Byte::Bits(..) | Byte::Pointer, _) => false,
            };
            if !same {
                return Err(format!("byte {offset} of {} is {b:?} instead of {a:?}", old.object));
            }
        }
        for (offset, seen) in &old.pointers {
            let other = new.pointers.iter().find(|(at, _)| at == offset);
            if other.is_none_or(|(_, other)| !value(seen, other, signs)) {
                return Err(format!("the pointer at byte {offset} of {} differs", old.object));
            }
        }
    }
    Ok(())
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Object::None => f.write_str("nothing"),
            Object::Symbol(name) => write!(f, "@{name}"),
            Object::Argument(position) => write!(f, "argument {position}"),
            Object::Local => f.write_str("a local object"),
        }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Item<'a> {
            Seen(&'a Seen),
            Text(&'static str),
        }
        let mut pending = vec![Item::Seen(self)];
        while let Some(item) = pending.pop() {
            match item {
                Item::Text(text) => f.write_str(text)?,
                Item::Seen(Seen::Poison) => f.write_str("poison")?,
                Item::Seen(Seen::Undef) => f.write_str("undef")?,
                Item::Seen(Seen::Bits(words)) => match words[..] {
                    [] => f.write_str("0")?,
                    [word] => write!(f, "{word}")?,
                    _ => {
                        f.write_str("0x")?;
                        words.iter().rev().try_for_each(|word| write!(f, "{word:016x}"))?;
                    }
                },
                Item::Seen(Seen::Partial(bits, undef)) => write!(f, "{bits:#x} with the bits {undef:#x} undef")?,
                Item::Seen(Seen::Pointer(object, at)) => write!(f, "{object} + {at}")?,
                Item::Seen(Seen::Seq(parts)) => {
                    f.write_str("[")?;
                    pending.push(Item::Text("]"));
                    for (index, part) in parts.iter().enumerate().rev() {
                        pending.push(Item::Seen(part));
                        if index > 0 {
                            pending.push(Item::Text(", "));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
