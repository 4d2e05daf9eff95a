//! What `scanf` reads.

use super::super::string::is_space;
use super::super::varargs::Arguments;
use crate::machine::Machine;
use crate::outcome::{Res, Rule, undefined, unsupported};
use crate::value::Pointer;

/// Characters to read, one of look-ahead.
pub(in crate::builtin) struct Source<'a> {
    bytes: &'a [u8],
    /// How many were read.
    pub at: usize,
}

impl<'a> Source<'a> {
    /// The characters of a string.
    pub fn new(bytes: &'a [u8]) -> Source<'a> {
        Source { bytes, at: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }
}

/// Stores what a format finds; the number of conversions, or -1 when the input ends before the first.
pub(in crate::builtin) fn scan(
    machine: &mut Machine<'_>,
    source: &mut Source<'_>,
    format: Pointer,
    arguments: &mut Arguments<'_>,
) -> Res<i32> {
    let text = machine.memory.string(format, u64::MAX)?;
    let (mut at, mut done) = (0, 0);
    while let Some(&byte) = text.get(at) {
        at += 1;
        if is_space(byte) {
            source.skip_space();
            continue;
        }
        if byte != b'%' {
            if source.peek() != Some(byte) {
                return Ok(if source.peek().is_none() && done == 0 { -1 } else { done });
            }
            source.at += 1;
            continue;
        }
        let suppress = text.get(at) == Some(&b'*');
        at += usize::from(suppress);
        let width = match super::digits(&text, &mut at) {
            0 => usize::MAX,
            width => width,
        };
        let mut bits = 32;
        let mut double = false;
        while let Some(length) = text.get(at) {
            match length {
                b'h' => bits = if bits == 16 { 8 } else { 16 },
                b'l' | b'q' | b'j' | b'z' | b't' => (bits, double) = (64, true),
                b'L' => return unsupported("scanf of a long double"),
                _ => break,
            }
            at += 1;
        }
        let Some(&conversion) = text.get(at) else { return undefined(Rule::Library, "a format that ends after %") };
        at += 1;
        if !matches!(conversion, b'c' | b'[' | b'n') {
            source.skip_space();
        }
        if conversion == b'n' {
            let pointer = arguments.pointer(machine)?;
            machine.memory.store_bits(pointer, bits, 1, source.at as u64)?;
            continue;
        }
        if conversion == b'%' {
            if source.peek() != Some(b'%') {
                return Ok(done);
            }
            source.at += 1;
            continue;
        }
        if source.peek().is_none() {
            return Ok(if done == 0 { -1 } else { done });
        }
        let rest = &source.bytes[source.at..];
        let rest = &rest[..rest.len().min(width)];
        let length = match conversion {
            b'd' | b'u' | b'i' | b'x' | b'X' | b'o' | b'p' => {
                let base = match conversion {
                    b'i' => 0,
                    b'x' | b'X' | b'p' => 16,
                    b'o' => 8,
                    _ => 10,
                };
                let (value, length) = super::super::stdlib::integer(rest, base);
                if length > 0 && !suppress {
                    let pointer = arguments.pointer(machine)?;
                    let width = if conversion == b'p' { 64 } else { bits };
                    let value = value as u64 & crate::value::mask(width);
                    machine.memory.store_bits(pointer, width, 1, value)?;
                }
                length
            }
            b'f' | b'e' | b'g' | b'E' | b'G' | b'a' => {
                let (value, length) = super::super::stdlib::float(rest);
                if length > 0 && !suppress {
                    let pointer = arguments.pointer(machine)?;
                    match double {
                        true => machine.memory.store_bits(pointer, 64, 1, value.to_bits())?,
                        false => machine.memory.store_bits(pointer, 32, 1, (value as f32).to_bits().into())?,
                    }
                }
                length
            }
            b'c' => {
                let count = if width == usize::MAX { 1 } else { width };
                if rest.len() < count {
                    return Ok(if done == 0 { -1 } else { done });
                }
                if !suppress {
                    let pointer = arguments.pointer(machine)?;
                    machine.memory.write(pointer, &rest[..count])?;
                }
                count
            }
            b's' | b'[' => {
                let length = if conversion == b's' {
                    rest.iter().position(|&byte| is_space(byte)).unwrap_or(rest.len())
                } else {
                    let set = set(&text, &mut at)?;
                    rest.iter().position(|&byte| !set[usize::from(byte)]).unwrap_or(rest.len())
                };
                if length > 0 && !suppress {
                    let pointer = arguments.pointer(machine)?;
                    let mut word = rest[..length].to_vec();
                    word.push(0);
                    machine.memory.write(pointer, &word)?;
                }
                length
            }
            other => return unsupported(format!("scanf conversion %{}", char::from(other))),
        };
        if length == 0 {
            return Ok(done);
        }
        source.at += length;
        done += i32::from(!suppress);
    }
    Ok(done)
}

/// The characters of `[…]`, whose first bracket was read.
fn set(text: &[u8], at: &mut usize) -> Res<[bool; 256]> {
    let inverted = text.get(*at) == Some(&b'^');
    *at += usize::from(inverted);
    let start = *at;
    let mut set = [false; 256];
    loop {
        let Some(&byte) = text.get(*at) else { return undefined(Rule::Library, "a format that ends within [") };
        if byte == b']' && *at > start {
            break;
        }
        match (text.get(*at + 1), text.get(*at + 2)) {
            (Some(b'-'), Some(&last)) if last != b']' => {
                (byte..=last).for_each(|member| set[usize::from(member)] = true);
                *at += 3;
            }
            _ => {
                set[usize::from(byte)] = true;
                *at += 1;
            }
        }
    }
    *at += 1;
    Ok(if inverted { set.map(|member| !member) } else { set })
}
