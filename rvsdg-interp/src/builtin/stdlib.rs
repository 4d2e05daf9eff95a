//! `stdlib.h`, and other questions of a C program about its environment.

use super::{Call, Run, VOID, int};
use crate::machine::Machine;
use crate::memory::Kind;
use crate::outcome::{Res, Rule, Stop, undefined, unsupported};
use crate::value::{Pointer, Value};

/// Finds a function of `stdlib.h`, `time.h`, `errno.h` or `assert.h`.
pub(super) fn find(name: &str) -> Option<Run> {
    let name = name.strip_prefix("__isoc23_").unwrap_or(name);
    Some(match name {
        "exit" => |_, c| Err(Box::new(Stop::Exit(c.i32(0)?))),
        "_exit" | "_Exit" | "quick_exit" => |m, c| {
            m.state.at_exit.clear();
            Err(Box::new(Stop::Exit(c.i32(0)?)))
        },
        "abort" => |_, _| abort("abort".into()),
        "atexit" => |m, c| {
            m.state.at_exit.push((c.value(0)?.clone(), None));
            Ok(int(0))
        },
        "__cxa_atexit" => |m, c| {
            m.state.at_exit.push((c.value(0)?.clone(), Some(c.value(1)?.clone())));
            Ok(int(0))
        },
        "__assert_fail" => |m, c| {
            let text = m.memory.string(c.pointer(0)?, u64::MAX)?;
            abort(format!("assertion failed: {}", String::from_utf8_lossy(&text)))
        },
        "__stack_chk_fail" => |_, _| abort("stack smashing".into()),
        "atoi" => |m, c| Ok(int(number(m, c, 10)?.0 as i32)),
        "atol" | "atoll" => |m, c| Ok(Value::Int(number(m, c, 10)?.0 as u64)),
        "atof" => |m, c| {
            let text = m.memory.string(c.pointer(0)?, u64::MAX)?;
            Ok(Value::Int(float(skip_space(&text).0).0.to_bits()))
        },
        "strtol" | "strtoll" | "strtoimax" | "__strtol_internal" => |m, c| to_integer(m, c, true),
        "strtoul" | "strtoull" | "strtoumax" => |m, c| to_integer(m, c, false),
        "strtod" => |m, c| Ok(Value::Int(to_float(m, c)?.to_bits())),
        "strtof" => |m, c| Ok(Value::Int((to_float(m, c)? as f32).to_bits().into())),
        "abs" => |_, c| match c.i32(0)?.checked_abs() {
            Some(value) => Ok(int(value)),
            None => undefined(Rule::Library, "abs of the least number"),
        },
        "labs" | "llabs" | "imaxabs" => |_, c| match (c.int(0)? as i64).checked_abs() {
            Some(value) => Ok(Value::Int(value as u64)),
            None => undefined(Rule::Library, "labs of the least number"),
        },
        "ffs" => |_, c| Ok(int(if c.i32(0)? == 0 { 0 } else { c.i32(0)?.trailing_zeros() as i32 + 1 })),
        "rand" | "random" => |m, _| Ok(Value::Int(m.state.random.next().into())),
        "srand" | "srandom" => |m, c| {
            m.state.random = Random::new(c.int(0)? as u32);
            Ok(VOID)
        },
        "rand_r" => seeded,
        "localeconv" => locale,
        "setlocale" => |m, _| {
            let name = m.known_bytes("setlocale", b"C\0")?;
            Ok(Value::Ptr(name))
        },
        "getenv" | "secure_getenv" | "signal" => |_, _| Ok(Value::address(0)),
        "time" => |m, c| {
            let place = c.pointer(0)?;
            if place.address != 0 {
                m.memory.store_bits(place, 64, 8, 0)?;
            }
            Ok(Value::Int(0))
        },
        "clock" => |_, _| Ok(Value::Int(0)),
        "clock_gettime" | "gettimeofday" => |m, c| {
            let place = c.pointer(if c.types.first() == Some(&rvsdg_core::Type::PTR) { 0 } else { 1 })?;
            m.memory.write(place, &[0; 16])?;
            Ok(int(0))
        },
        "isatty" | "raise" | "getpid" | "geteuid" | "getuid" => |_, _| Ok(int(0)),
        "__errno_location" => |m, _| Ok(Value::Ptr(m.errno()?)),
        _ => return None,
    })
}

/// `localeconv` of the C locale: ten strings, of which only the decimal point is not empty, and numbers that are not known.
fn locale(machine: &mut Machine<'_>, _: &Call<'_>) -> Res<Value> {
    let (point, empty) = (machine.known_bytes("decimal point", b".\0")?, machine.known_bytes("no text", b"\0")?);
    let known = machine.state.tables.contains_key("localeconv");
    let place = machine.known_bytes("localeconv", &[127; 96])?;
    if !known {
        for index in 0..10 {
            machine.memory.store_pointer(place.offset(8 * index), 8, if index == 0 { point } else { empty })?;
        }
    }
    Ok(Value::Ptr(place))
}

fn abort<T>(reason: String) -> Res<T> {
    Err(Box::new(Stop::Abort(reason)))
}

impl Machine<'_> {
    /// The address of `errno`.
    pub(super) fn errno(&mut self) -> Res<Pointer> {
        if let Some(place) = self.state.errno {
            return Ok(place);
        }
        let place = self.memory.allocate(Kind::Global, 4, 4, false)?;
        self.state.errno = Some(place);
        Ok(place)
    }
}

/// The text after its leading space, and the length of that space.
fn skip_space(text: &[u8]) -> (&[u8], usize) {
    let space = text.iter().position(|&byte| !super::string::is_space(byte)).unwrap_or(text.len());
    (&text[space..], space)
}

/// The number that the string of argument 0 begins with, clamped, and how many characters it has with leading space.
fn number(machine: &Machine<'_>, call: &Call<'_>, base: u32) -> Res<(i128, usize)> {
    let text = machine.memory.string(call.pointer(0)?, u64::MAX)?;
    let (rest, space) = skip_space(&text);
    let (value, length) = integer(rest, base);
    Ok((value.clamp(i64::MIN.into(), u64::MAX.into()), if length == 0 { 0 } else { length + space }))
}

/// A whole number at the start of a text, in a base or, with 0, in the base that its prefix says; and its length, 0 when
/// there is none. What is too large for 100 bits is clamped.
pub(super) fn integer(text: &[u8], base: u32) -> (i128, usize) {
    let negative = text.first() == Some(&b'-');
    let mut at = usize::from(negative || text.first() == Some(&b'+'));
    let digit = |at: usize, base: u32| text.get(at).and_then(|&byte| char::from(byte).to_digit(base));
    let has_prefix = text.get(at) == Some(&b'0') && matches!(text.get(at + 1), Some(b'x' | b'X'));
    let mut base = base;
    if (base == 0 || base == 16) && has_prefix && digit(at + 2, 16).is_some() {
        at += 2;
        base = 16;
    } else if base == 0 {
        base = if text.get(at) == Some(&b'0') { 8 } else { 10 };
    }
    let start = at;
    let mut value = 0i128;
    while let Some(digit) = digit(at, base) {
        value = (value * i128::from(base) + i128::from(digit)).min(1 << 100);
        at += 1;
    }
    if at == start {
        return (0, 0);
    }
    (if negative { -value } else { value }, at)
}

/// A decimal or hexadecimal float at the start of a text, and its length, 0 when there is none.
pub(super) fn float(text: &[u8]) -> (f64, usize) {
    let sign = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let factor = if text.first() == Some(&b'-') { -1.0 } else { 1.0 };
    let rest = &text[sign..];
    for (name, value) in [("infinity", f64::INFINITY), ("inf", f64::INFINITY), ("nan", f64::NAN)] {
        if rest.len() >= name.len() && rest[..name.len()].eq_ignore_ascii_case(name.as_bytes()) {
            return (value.copysign(factor), sign + name.len());
        }
    }
    let hexadecimal = rest.len() > 2 && rest[0] == b'0' && matches!(rest[1], b'x' | b'X');
    let (base, mark, begin) = if hexadecimal { (16, b'p', 2) } else { (10, b'e', 0) };
    let is_digit = |byte: &u8| char::from(*byte).is_digit(base);
    let whole = rest[begin..].iter().take_while(|byte| is_digit(byte)).count();
    let mut end = begin + whole;
    let mut fraction = 0;
    if rest.get(end) == Some(&b'.') {
        fraction = rest[end + 1..].iter().take_while(|byte| is_digit(byte)).count();
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return if hexadecimal { (0f64.copysign(factor), sign + 1) } else { (0.0, 0) };
    }
    let mantissa = end;
    let mut exponent = 0;
    if rest.get(end).is_some_and(|byte| byte.eq_ignore_ascii_case(&mark)) {
        let minus = usize::from(matches!(rest.get(end + 1), Some(b'-' | b'+')));
        let (value, length) = integer(&rest[(end + 1 + minus).min(rest.len())..], 10);
        if length > 0 && rest[end + 1 + minus].is_ascii_digit() {
            let value = value.min(100_000) as i32;
            exponent = if rest[end + 1] == b'-' { -value } else { value };
            end += 1 + minus + length;
        }
    }
    let value = if hexadecimal {
        let digits = rest[begin..mantissa].iter().filter(|&&byte| byte != b'.');
        let value = digits.fold(0.0, |sum, &byte| sum * 16.0 + f64::from(char::from(byte).to_digit(16).unwrap_or(0)));
        value * 2f64.powi(exponent - 4 * fraction as i32)
    } else {
        let digits = String::from_utf8_lossy(&rest[..mantissa]).into_owned();
        format!("{digits}e{exponent}").parse().unwrap_or(0.0)
    };
    (value.copysign(factor), sign + end)
}

/// Stores where the number ends at the address of argument 1, unless that is null.
fn store_end(machine: &mut Machine<'_>, call: &Call<'_>, length: usize) -> Res<()> {
    let place = call.pointer(1)?;
    if place.address != 0 {
        let end = call.pointer(0)?.offset(length as u64);
        machine.memory.store_pointer(place, 8, end)?;
    }
    Ok(())
}

fn to_integer(machine: &mut Machine<'_>, call: &Call<'_>, signed: bool) -> Res<Value> {
    let base = match call.i32(2)? {
        base @ (0 | 2..=36) => base as u32,
        other => return unsupported(format!("conversion in base {other}")),
    };
    let (value, length) = number(machine, call, base)?;
    store_end(machine, call, length)?;
    Ok(Value::Int(if signed { value.min(i64::MAX.into()) as u64 } else { value as u64 }))
}

fn to_float(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<f64> {
    let text = machine.memory.string(call.pointer(0)?, u64::MAX)?;
    let (rest, space) = skip_space(&text);
    let (value, length) = float(rest);
    store_end(machine, call, if length == 0 { 0 } else { length + space })?;
    Ok(value)
}

/// `rand_r` as glibc has it.
fn seeded(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let place: Pointer = call.pointer(0)?;
    let Value::Int(seed) = machine.memory.load_bits(place, 32, 4)? else {
        return undefined(Rule::NotDefined, "the seed of rand_r");
    };
    let mut next = seed as u32;
    let mut step = || {
        next = next.wrapping_mul(1_103_515_245).wrapping_add(12345);
        next >> 16
    };
    let (a, b, c) = (step() & 2047, step() & 1023, step() & 1023);
    machine.memory.store_bits(place, 32, 4, next.into())?;
    Ok(Value::Int(((a << 10 ^ b) << 10 ^ c).into()))
}

/// glibc's generator for `rand`: an additive feedback over 31 words.
pub(crate) struct Random {
    ring: [u32; 31],
    at: usize,
}

impl Random {
    /// The generator after `srand`.
    pub fn new(seed: u32) -> Random {
        let mut ring = [0; 31];
        let mut word = seed.max(1) as i32;
        for slot in &mut ring {
            *slot = word as u32;
            // Schrage's way to 16807 * word modulo 2^31 - 1.
            word = 16807 * (word % 127_773) - 2836 * (word / 127_773);
            if word < 0 {
                word += i32::MAX;
            }
        }
        let mut random = Random { ring, at: 3 };
        for _ in 0..310 {
            random.next();
        }
        random
    }

    /// The next number of 31 bits.
    pub fn next(&mut self) -> u32 {
        let word = self.ring[(self.at + 28) % 31].wrapping_add(self.ring[self.at]);
        self.ring[self.at] = word;
        self.at = (self.at + 1) % 31;
        word >> 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_those_of_glibc() {
        let mut random = Random::new(1);
        assert_eq!([random.next(), random.next(), random.next()], [1_804_289_383, 846_930_886, 1_681_692_777]);
    }

    #[test]
    fn numbers_are_read() {
        assert_eq!(integer(b"-12x", 10), (-12, 3));
        assert_eq!(integer(b"0x1fg", 0), (31, 4));
        assert_eq!(integer(b"0xg", 16), (0, 1));
        assert_eq!(integer(b"077", 0), (63, 3));
        assert_eq!(float(b"1.5e3,"), (1500.0, 5));
        assert_eq!(float(b"2e"), (2.0, 1));
        assert_eq!(float(b"-.25"), (-0.25, 4));
        assert_eq!(float(b"0x1.8p1"), (3.0, 7));
        assert_eq!(float(b"e5"), (0.0, 0));
    }
}
