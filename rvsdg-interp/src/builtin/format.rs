//! What `printf` makes of its format and arguments.

mod number;
pub(super) mod scan;

use super::varargs::Arguments;
use crate::machine::Machine;
use crate::outcome::{Res, Rule, undefined, unsupported};
use crate::value::Pointer;
use number::Real;

/// A conversion: `%-+ #0width.precision` and what follows the length.
#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// Bits of an integer argument.
    bits: u32,
    long_double: bool,
}

/// No format makes wider fields than this.
const WIDEST: usize = 1 << 20;

/// The text of a format with its arguments.
pub(super) fn format(machine: &mut Machine<'_>, format: Pointer, arguments: &mut Arguments<'_>) -> Res<Vec<u8>> {
    let text = machine.memory.string(format, u64::MAX)?;
    let mut out = Vec::with_capacity(text.len() + 16);
    let mut at = 0;
    while at < text.len() {
        let plain = text[at..].iter().position(|&byte| byte == b'%').unwrap_or(text.len() - at);
        out.extend_from_slice(&text[at..at + plain]);
        at += plain;
        if at >= text.len() {
            break;
        }
        at += 1;
        let spec = parse(machine, &text, &mut at, arguments)?;
        let Some(&conversion) = text.get(at) else { return undefined(Rule::Library, "a format that ends after %") };
        at += 1;
        convert(machine, &spec, conversion, arguments, &mut out)?;
    }
    Ok(out)
}

fn parse(machine: &mut Machine<'_>, text: &[u8], at: &mut usize, arguments: &mut Arguments<'_>) -> Res<Spec> {
    let mut spec = Spec { bits: 32, ..Spec::default() };
    while let Some(byte) = text.get(*at) {
        match byte {
            b'-' => spec.left = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.alternate = true,
            b'0' => spec.zero = true,
            b'\'' => {}
            _ => break,
        }
        *at += 1;
    }
    if text.get(*at) == Some(&b'*') {
        *at += 1;
        let width = arguments.int(machine, 32)? as u32 as i32;
        spec.left |= width < 0;
        spec.width = width.unsigned_abs() as usize;
    } else {
        spec.width = digits(text, at);
    }
    if text.get(*at) == Some(&b'$') {
        return unsupported("printf with numbered arguments");
    }
    if text.get(*at) == Some(&b'.') {
        *at += 1;
        if text.get(*at) == Some(&b'*') {
            *at += 1;
            spec.precision = usize::try_from(arguments.int(machine, 32)? as u32 as i32).ok();
        } else {
            spec.precision = Some(digits(text, at));
        }
    }
    spec.width = spec.width.min(WIDEST);
    spec.precision = spec.precision.map(|precision| precision.min(WIDEST));
    while let Some(byte) = text.get(*at) {
        match byte {
            b'h' => spec.bits = if spec.bits == 16 { 8 } else { 16 },
            b'l' | b'q' | b'j' | b'z' | b't' => spec.bits = 64,
            b'L' => {
                spec.bits = 64;
                spec.long_double = true;
            }
            _ => break,
        }
        *at += 1;
    }
    Ok(spec)
}

fn digits(text: &[u8], at: &mut usize) -> usize {
    let mut number = 0usize;
    while let Some(digit) = text.get(*at).filter(|byte| byte.is_ascii_digit()) {
        number = (number * 10 + usize::from(digit - b'0')).min(WIDEST);
        *at += 1;
    }
    number
}

fn convert(
    machine: &mut Machine<'_>,
    spec: &Spec,
    conversion: u8,
    arguments: &mut Arguments<'_>,
    out: &mut Vec<u8>,
) -> Res<()> {
    match conversion {
        b'%' => out.push(b'%'),
        b'd' | b'i' => {
            let value = crate::value::signed(spec.bits, arguments.int(machine, spec.bits)?);
            integer(spec, value < 0, true, "", &value.unsigned_abs().to_string(), out);
        }
        b'u' => {
            let value = arguments.int(machine, spec.bits)?;
            integer(spec, false, false, "", &value.to_string(), out);
        }
        b'x' | b'X' | b'o' | b'b' => {
            let value = arguments.int(machine, spec.bits)?;
            let (digits, mark) = match conversion {
                b'x' => (format!("{value:x}"), "0x"),
                b'X' => (format!("{value:X}"), "0X"),
                b'b' => (format!("{value:b}"), "0b"),
                _ => (format!("{value:o}"), "0"),
            };
            let mark = if spec.alternate && value != 0 { mark } else { "" };
            integer(spec, false, false, mark, &digits, out);
        }
        b'c' => {
            let byte = arguments.int(machine, 32)? as u8;
            pad(spec, &[byte], out);
        }
        b's' => {
            let pointer = arguments.pointer(machine)?;
            let limit = spec.precision.map_or(u64::MAX, |precision| precision as u64);
            let text = if pointer.address == 0 {
                b"(null)".iter().copied().take(limit as usize).collect()
            } else {
                machine.memory.string(pointer, limit)?
            };
            pad(spec, &text, out);
        }
        b'p' => {
            let pointer = arguments.pointer(machine)?;
            let text = if pointer.address == 0 { "(nil)".into() } else { format!("{:#x}", pointer.address) };
            pad(spec, text.as_bytes(), out);
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let real = if spec.long_double {
                Real::of_x87(arguments.long_double(machine)?)
            } else {
                Real::of(arguments.double(machine)?)
            };
            floating(spec, conversion, &real, out)?;
        }
        b'n' => {
            let pointer = arguments.pointer(machine)?;
            machine.memory.store_bits(pointer, spec.bits, 1, out.len() as u64)?;
        }
        b'm' => pad(spec, b"Success", out),
        other => return unsupported(format!("printf conversion %{}", char::from(other))),
    }
    Ok(())
}

fn sign(spec: &Spec, negative: bool, signed: bool) -> &'static str {
    match (negative, signed) {
        (true, _) => "-",
        (false, true) if spec.plus => "+",
        (false, true) if spec.space => " ",
        (false, _) => "",
    }
}

fn integer(spec: &Spec, negative: bool, signed: bool, mark: &str, digits: &str, out: &mut Vec<u8>) {
    let sign = sign(spec, negative, signed);
    let digits = if spec.precision == Some(0) && digits == "0" { "" } else { digits };
    let is_octal = mark == "0";
    let least = spec.precision.unwrap_or(1);
    let mut zeros = least.saturating_sub(digits.len());
    let mark = if is_octal && zeros > 0 { "" } else { mark };
    if spec.zero && !spec.left && spec.precision.is_none() {
        zeros = spec.width.saturating_sub(sign.len() + mark.len()).saturating_sub(digits.len());
    }
    let text = [sign, mark, &"0".repeat(zeros), digits].concat();
    pad(&Spec { zero: false, ..*spec }, text.as_bytes(), out);
}

fn floating(spec: &Spec, conversion: u8, real: &Real, out: &mut Vec<u8>) -> Res<()> {
    let sign = sign(spec, real.is_negative(), true);
    let mut zero = spec.zero && !spec.left;
    let mut digits = match real.special() {
        Some(name) => {
            zero = false;
            name.into()
        }
        None => match conversion.to_ascii_lowercase() {
            b'f' => {
                let text = real.fixed(spec.precision.unwrap_or(6));
                if spec.alternate && spec.precision == Some(0) { text + "." } else { text }
            }
            b'e' => real.scientific(spec.precision.unwrap_or(6), spec.alternate),
            b'a' if spec.precision.is_none() && !spec.long_double => real.hexadecimal(),
            b'a' => return unsupported("printf conversion %a with a precision or of a long double"),
            _ => real.general(spec.precision.unwrap_or(6).max(1), spec.alternate),
        },
    };
    if conversion.is_ascii_uppercase() {
        digits.make_ascii_uppercase();
    }
    let length = sign.len() + digits.len();
    if zero && length < spec.width {
        let mark = if conversion.eq_ignore_ascii_case(&b'a') { 2 } else { 0 };
        digits.insert_str(mark, &"0".repeat(spec.width - length));
    }
    pad(&Spec { zero: false, ..*spec }, [sign, &digits].concat().as_bytes(), out);
    Ok(())
}

fn pad(spec: &Spec, text: &[u8], out: &mut Vec<u8>) {
    let room = spec.width.saturating_sub(text.len());
    if !spec.left {
        out.resize(out.len() + room, b' ');
    }
    out.extend_from_slice(text);
    if spec.left {
        out.resize(out.len() + room, b' ');
    }
}
