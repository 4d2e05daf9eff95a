//! `string.h` and `ctype.h`.

use super::{Call, Run, int};
use crate::machine::Machine;
use crate::memory::Kind;
use crate::outcome::Res;
use crate::value::{Pointer, Value};

const ALL: u64 = u64::MAX;

/// Finds a function on strings or characters.
pub(super) fn find(name: &str) -> Option<Run> {
    Some(match name {
        "strlen" => |m, c| Ok(Value::Int(m.memory.string(c.pointer(0)?, ALL)?.len() as u64)),
        "strnlen" => |m, c| Ok(Value::Int(m.memory.string(c.pointer(0)?, c.int(1)?)?.len() as u64)),
        "strcmp" | "strcoll" => |m, c| compare(m, c, ALL, false),
        "strncmp" => |m, c| compare(m, c, c.int(2)?, false),
        "strcasecmp" => |m, c| compare(m, c, ALL, true),
        "strncasecmp" => |m, c| compare(m, c, c.int(2)?, true),
        "strcpy" | "__strcpy_chk" => |m, c| put(m, c, c.pointer(0)?, ALL, false),
        "stpcpy" | "__stpcpy_chk" => |m, c| put(m, c, c.pointer(0)?, ALL, true),
        "strncpy" | "__strncpy_chk" => |m, c| {
            let limit = c.int(2)?;
            let mut text = m.memory.string(c.pointer(1)?, limit)?;
            text.resize(limit as usize, 0);
            m.memory.write(c.pointer(0)?, &text)?;
            Ok(c.value(0)?.clone())
        },
        "strcat" | "__strcat_chk" => |m, c| {
            let end = m.memory.string(c.pointer(0)?, ALL)?.len() as u64;
            put(m, c, c.pointer(0)?.offset(end), ALL, false)
        },
        "strncat" | "__strncat_chk" => |m, c| {
            let end = m.memory.string(c.pointer(0)?, ALL)?.len() as u64;
            put(m, c, c.pointer(0)?.offset(end), c.int(2)?, false)
        },
        "strchr" | "index" => |m, c| search(m, c, |text, byte| text.iter().position(|&b| b == byte)),
        "strrchr" | "rindex" => |m, c| search(m, c, |text, byte| text.iter().rposition(|&b| b == byte)),
        "strchrnul" => |m, c| {
            let text = m.memory.string(c.pointer(0)?, ALL)?;
            let byte = c.int(1)? as u8;
            let at = text.iter().position(|&b| b == byte).unwrap_or(text.len());
            Ok(Value::Ptr(c.pointer(0)?.offset(at as u64)))
        },
        "strstr" => |m, c| {
            let (text, wanted) = (m.memory.string(c.pointer(0)?, ALL)?, m.memory.string(c.pointer(1)?, ALL)?);
            if wanted.is_empty() {
                return Ok(c.value(0)?.clone());
            }
            let at = text.windows(wanted.len()).position(|part| part == wanted);
            Ok(at.map_or(Value::address(0), |at| Value::Ptr(c.pointer(0).unwrap_or(Pointer::NULL).offset(at as u64))))
        },
        "strspn" => |m, c| span(m, c, true),
        "strcspn" => |m, c| span(m, c, false),
        "strpbrk" => |m, c| {
            let (text, set) = (m.memory.string(c.pointer(0)?, ALL)?, m.memory.string(c.pointer(1)?, ALL)?);
            let from = c.pointer(0)?;
            let at = text.iter().position(|byte| set.contains(byte));
            Ok(at.map_or(Value::address(0), |at| Value::Ptr(from.offset(at as u64))))
        },
        "strtok" => |m, c| token(m, c.pointer(0)?, c.pointer(1)?, None),
        "strtok_r" | "__strtok_r" => |m, c| token(m, c.pointer(0)?, c.pointer(1)?, Some(c.pointer(2)?)),
        "strdup" | "__strdup" => |m, c| duplicate(m, c, ALL),
        "strndup" | "__strndup" => |m, c| duplicate(m, c, c.int(1)?),
        "strerror" => strerror,
        "toupper" => |_, c| Ok(character(c, |byte| byte.to_ascii_uppercase())),
        "tolower" => |_, c| Ok(character(c, |byte| byte.to_ascii_lowercase())),
        "isalpha" => |_, c| is(c, |byte| byte.is_ascii_alphabetic()),
        "isdigit" => |_, c| is(c, |byte| byte.is_ascii_digit()),
        "isalnum" => |_, c| is(c, |byte| byte.is_ascii_alphanumeric()),
        "isspace" => |_, c| is(c, is_space),
        "isupper" => |_, c| is(c, |byte| byte.is_ascii_uppercase()),
        "islower" => |_, c| is(c, |byte| byte.is_ascii_lowercase()),
        "ispunct" => |_, c| is(c, |byte| byte.is_ascii_punctuation()),
        "isprint" => |_, c| is(c, |byte| (0x20..0x7f).contains(&byte)),
        "isgraph" => |_, c| is(c, |byte| byte.is_ascii_graphic()),
        "iscntrl" => |_, c| is(c, |byte| byte.is_ascii_control()),
        "isxdigit" => |_, c| is(c, |byte| byte.is_ascii_hexdigit()),
        "__ctype_b_loc" => |m, _| table(m, "classes", |byte| classes(byte).into(), 2),
        "__ctype_tolower_loc" => |m, _| table(m, "lower", |byte| byte.to_ascii_lowercase().into(), 4),
        "__ctype_toupper_loc" => |m, _| table(m, "upper", |byte| byte.to_ascii_uppercase().into(), 4),
        _ => return None,
    })
}

/// Below, equal to or above zero as `a` is less than, equal to or greater than `b`.
pub(super) fn difference(a: &[u8], b: &[u8]) -> i32 {
    let pair = a.iter().zip(b).find(|(a, b)| a != b);
    pair.map_or(0, |(&a, &b)| i32::from(a) - i32::from(b))
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13)
}

fn compare(machine: &mut Machine<'_>, call: &Call<'_>, limit: u64, fold: bool) -> Res<Value> {
    let mut texts = Vec::new();
    for index in 0..2 {
        let mut text = machine.memory.string(call.pointer(index)?, limit)?;
        if fold {
            text.make_ascii_lowercase();
        }
        text.push(0);
        text.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        texts.push(text);
    }
    Ok(int(difference(&texts[0], &texts[1])))
}

/// Copies the string of argument 1, with its end, to `to`.
fn put(machine: &mut Machine<'_>, call: &Call<'_>, to: Pointer, limit: u64, end: bool) -> Res<Value> {
    let mut text = machine.memory.string(call.pointer(1)?, limit)?;
    text.push(0);
    machine.memory.write(to, &text)?;
    Ok(if end { Value::Ptr(to.offset(text.len() as u64 - 1)) } else { call.value(0)?.clone() })
}

fn search(machine: &mut Machine<'_>, call: &Call<'_>, at: fn(&[u8], u8) -> Option<usize>) -> Res<Value> {
    let from = call.pointer(0)?;
    let mut text = machine.memory.string(from, ALL)?;
    text.push(0);
    let found = at(&text, call.int(1)? as u8);
    Ok(found.map_or(Value::address(0), |at| Value::Ptr(from.offset(at as u64))))
}

fn span(machine: &mut Machine<'_>, call: &Call<'_>, within: bool) -> Res<Value> {
    let (text, set) = (machine.memory.string(call.pointer(0)?, ALL)?, machine.memory.string(call.pointer(1)?, ALL)?);
    let length = text.iter().position(|byte| set.contains(byte) != within).unwrap_or(text.len());
    Ok(Value::Int(length as u64))
}

fn token(machine: &mut Machine<'_>, from: Pointer, set: Pointer, place: Option<Pointer>) -> Res<Value> {
    let set = machine.memory.string(set, ALL)?;
    let saved = match place {
        Some(place) => match machine.memory.load_pointer(place, 8) {
            Ok(Value::Ptr(pointer)) => Some(pointer),
            _ => None,
        },
        None => machine.state.token,
    };
    let from = if from.address == 0 { saved.unwrap_or(Pointer::NULL) } else { from };
    let mut result = Value::address(0);
    let mut next = Pointer::NULL;
    if from.address != 0 {
        let text = machine.memory.string(from, ALL)?;
        if let Some(start) = text.iter().position(|byte| !set.contains(byte)) {
            let length = text[start..].iter().position(|byte| set.contains(byte));
            result = Value::Ptr(from.offset(start as u64));
            match length {
                Some(length) => {
                    let end = from.offset((start + length) as u64);
                    machine.memory.write(end, &[0])?;
                    next = end.offset(1);
                }
                None => next = from.offset(text.len() as u64),
            }
        }
    }
    match place {
        Some(place) => machine.memory.store_pointer(place, 8, next)?,
        None => machine.state.token = Some(next),
    }
    Ok(result)
}

fn duplicate(machine: &mut Machine<'_>, call: &Call<'_>, limit: u64) -> Res<Value> {
    let mut text = machine.memory.string(call.pointer(0)?, limit)?;
    text.push(0);
    let Value::Ptr(copy) = super::memory::allocate(machine, text.len() as u64, 16, true)? else {
        return Ok(Value::address(0));
    };
    machine.memory.write(copy, &text)?;
    Ok(Value::Ptr(copy))
}

impl Machine<'_> {
    /// The address of bytes that are there once, by their name.
    pub(super) fn known_bytes(&mut self, name: &'static str, bytes: &[u8]) -> Res<Pointer> {
        if let Some(&known) = self.state.tables.get(name) {
            return Ok(known);
        }
        let pointer = self.memory.allocate(Kind::Global, bytes.len() as u64, 16, false)?;
        self.memory.write(pointer, bytes)?;
        self.state.tables.insert(name, pointer);
        Ok(pointer)
    }
}

/// glibc's text for the errors that the interpreter makes itself.
fn strerror(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let (name, text): (_, &[u8]) = match call.i32(0)? {
        0 => ("error 0", b"Success\0"),
        2 => ("error 2", b"No such file or directory\0"),
        other => return crate::outcome::unsupported(format!("the text of error {other}")),
    };
    Ok(Value::Ptr(machine.known_bytes(name, text)?))
}

fn character(call: &Call<'_>, fold: fn(u8) -> u8) -> Value {
    match call.i32(0) {
        Ok(code) => u8::try_from(code).map_or(int(code), |byte| int(fold(byte).into())),
        Err(_) => Value::Poison,
    }
}

fn is(call: &Call<'_>, class: fn(u8) -> bool) -> Res<Value> {
    Ok(int(u8::try_from(call.i32(0)?).is_ok_and(class).into()))
}

/// glibc's bits of a character's classes.
fn classes(byte: u8) -> u16 {
    let bit = |is: bool, at: u32| if is { 1u16 << at } else { 0 };
    bit(byte.is_ascii_uppercase(), 8)
        | bit(byte.is_ascii_lowercase(), 9)
        | bit(byte.is_ascii_alphabetic(), 10)
        | bit(byte.is_ascii_digit(), 11)
        | bit(byte.is_ascii_hexdigit(), 12)
        | bit(is_space(byte), 13)
        | bit((0x20..0x7f).contains(&byte), 14)
        | bit(byte.is_ascii_graphic(), 15)
        | bit(byte == b' ' || byte == b'\t', 0)
        | bit(byte.is_ascii_control(), 1)
        | bit(byte.is_ascii_punctuation(), 2)
        | bit(byte.is_ascii_alphanumeric(), 3)
}

/// The address of a pointer to the entry for 0 of a table for -128 to 255.
fn table(machine: &mut Machine<'_>, name: &'static str, entry: fn(u8) -> u32, size: u64) -> Res<Value> {
    if let Some(&known) = machine.state.tables.get(name) {
        return Ok(Value::Ptr(known));
    }
    let table = machine.memory.allocate(Kind::Global, 384 * size, 16, false)?;
    for code in 0..=127u8 {
        machine.memory.store_bits(
            table.offset((128 + u64::from(code)) * size),
            size as u32 * 8,
            1,
            entry(code).into(),
        )?;
    }
    let place = machine.memory.allocate(Kind::Global, 8, 8, false)?;
    machine.memory.store_pointer(place, 8, table.offset(128 * size))?;
    machine.state.tables.insert(name, place);
    Ok(Value::Ptr(place))
}
