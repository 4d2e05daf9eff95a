//! `stdio.h`: the standard streams, and formatting into memory.

use super::format::format;
use super::varargs::Arguments;
use super::{Call, Run, Stream, VOID, int};
use crate::machine::Machine;
use crate::outcome::{Res, Rule, undefined, unsupported};
use crate::value::Value;

/// Finds a function of `stdio.h`.
pub(super) fn find(name: &str) -> Option<Run> {
    let name = name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name);
    Some(match name {
        "printf" => |m, c| print(m, c, To::Stream(Stream::Out), 0, false),
        "__printf_chk" => |m, c| print(m, c, To::Stream(Stream::Out), 1, false),
        "vprintf" => |m, c| print(m, c, To::Stream(Stream::Out), 0, true),
        "__vprintf_chk" => |m, c| print(m, c, To::Stream(Stream::Out), 1, true),
        "fprintf" => |m, c| print(m, c, To::Stream(m.stream(c, 0)?), 1, false),
        "__fprintf_chk" => |m, c| print(m, c, To::Stream(m.stream(c, 0)?), 2, false),
        "vfprintf" => |m, c| print(m, c, To::Stream(m.stream(c, 0)?), 1, true),
        "__vfprintf_chk" => |m, c| print(m, c, To::Stream(m.stream(c, 0)?), 2, true),
        "dprintf" => |m, c| print(m, c, To::Stream(descriptor(c, 0)?), 1, false),
        "sprintf" => |m, c| print(m, c, To::Memory(u64::MAX), 1, false),
        "__sprintf_chk" => |m, c| print(m, c, To::Memory(u64::MAX), 3, false),
        "vsprintf" => |m, c| print(m, c, To::Memory(u64::MAX), 1, true),
        "__vsprintf_chk" => |m, c| print(m, c, To::Memory(u64::MAX), 3, true),
        "snprintf" => |m, c| print(m, c, To::Memory(c.int(1)?), 2, false),
        "__snprintf_chk" => |m, c| print(m, c, To::Memory(c.int(1)?), 4, false),
        "vsnprintf" => |m, c| print(m, c, To::Memory(c.int(1)?), 2, true),
        "__vsnprintf_chk" => |m, c| print(m, c, To::Memory(c.int(1)?), 4, true),
        "asprintf" => |m, c| print(m, c, To::New, 1, false),
        "vasprintf" => |m, c| print(m, c, To::New, 1, true),
        "puts" => |m, c| {
            let mut text = m.memory.string(c.pointer(0)?, u64::MAX)?;
            text.push(b'\n');
            m.put(Stream::Out, &text)?;
            Ok(int(text.len() as i32))
        },
        "putchar" | "putchar_unlocked" => |m, c| character(m, c, Stream::Out),
        "putc" | "fputc" | "_IO_putc" | "putc_unlocked" | "fputc_unlocked" => |m, c| {
            let to = m.stream(c, 1)?;
            character(m, c, to)
        },
        "fputs" | "fputs_unlocked" => |m, c| {
            let text = m.memory.string(c.pointer(0)?, u64::MAX)?;
            let to = m.stream(c, 1)?;
            m.put(to, &text)?;
            Ok(int(1))
        },
        "fwrite" | "fwrite_unlocked" => |m, c| {
            let (size, count) = (c.int(1)?, c.int(2)?);
            let Some(bytes) = size.checked_mul(count) else { return undefined(Rule::OutOfBounds, "fwrite") };
            let data = m.memory.read(c.pointer(0)?, bytes)?.to_vec();
            let to = m.stream(c, 3)?;
            m.put(to, &data)?;
            Ok(Value::Int(if size == 0 { 0 } else { count }))
        },
        "write" => |m, c| {
            let data = m.memory.read(c.pointer(1)?, c.int(2)?)?.to_vec();
            m.put(descriptor(c, 0)?, &data)?;
            Ok(Value::Int(data.len() as u64))
        },
        "perror" => |m, c| {
            let text = m.memory.string(c.pointer(0)?, u64::MAX)?;
            m.put(Stream::Error, &[&text[..], b": Success\n"].concat())?;
            Ok(VOID)
        },
        "fflush" | "setvbuf" | "setlinebuf" | "ferror" | "fflush_unlocked" => |m, _| {
            m.flush();
            Ok(int(0))
        },
        "setbuf" | "clearerr" | "flockfile" | "funlockfile" => |_, _| Ok(VOID),
        "fileno" => |m, c| {
            Ok(int(match m.stream(c, 0)? {
                Stream::In => 0,
                Stream::Out => 1,
                Stream::Error => 2,
                Stream::File(number) => number as i32 + 2,
            }))
        },
        _ => return None,
    })
}

/// The destination of a formatted text.
enum To {
    Stream(Stream),
    /// The memory at argument 0, of the given number of bytes.
    Memory(u64),
    /// New memory, whose address argument 0 points to.
    New,
}

/// The `printf` family: the format is argument `at`.
fn print(machine: &mut Machine<'_>, call: &Call<'_>, to: To, at: usize, list: bool) -> Res<Value> {
    let place = call.pointer(at)?;
    let mut arguments =
        if list { Arguments::List(call.pointer(at + 1)?) } else { Arguments::Call { call, next: at + 1 } };
    let mut text = format(machine, place, &mut arguments)?;
    let length = text.len() as i32;
    match to {
        To::Stream(stream) => machine.put(stream, &text)?,
        To::Memory(0) => {}
        To::Memory(limit) => {
            text.truncate(usize::try_from(limit - 1).unwrap_or(usize::MAX));
            text.push(0);
            machine.memory.write(call.pointer(0)?, &text)?;
        }
        To::New => {
            text.push(0);
            let Value::Ptr(memory) = super::memory::allocate(machine, text.len() as u64, 16, true)? else {
                return Ok(int(-1));
            };
            machine.memory.write(memory, &text)?;
            machine.memory.store_pointer(call.pointer(0)?, 8, memory)?;
        }
    }
    Ok(int(length))
}

fn character(machine: &mut Machine<'_>, call: &Call<'_>, to: Stream) -> Res<Value> {
    let byte = call.int(0)? as u8;
    machine.put(to, &[byte])?;
    Ok(int(byte.into()))
}

fn descriptor(call: &Call<'_>, index: usize) -> Res<Stream> {
    match call.i32(index)? {
        1 => Ok(Stream::Out),
        2 => Ok(Stream::Error),
        other => unsupported(format!("file descriptor {other}")),
    }
}

impl Machine<'_> {
    /// Writes to a standard stream.
    pub(super) fn put(&mut self, to: Stream, bytes: &[u8]) -> Res<()> {
        // As in C, a program that does not ask does not notice that its output goes nowhere.
        let _ = match to {
            Stream::Out => self.stdout.write_all(bytes),
            Stream::Error => self.stderr.write_all(bytes),
            Stream::In | Stream::File(_) => return undefined(Rule::Library, "output to an input"),
        };
        Ok(())
    }
}
