//! The part of `stdio.h` that reads: standard input, and files that the run may see.

use super::format::scan::{self, Source};
use super::varargs::Arguments;
use super::{Call, Run, Stream, VOID, int};
use crate::machine::Machine;
use crate::memory::Kind;
use crate::outcome::{Res, Rule, undefined, unsupported};
use crate::value::Value;

/// A stream that is read.
#[derive(Default)]
pub(crate) struct Reader {
    /// What was read so far; all of a file.
    bytes: Vec<u8>,
    at: usize,
    /// The character that `ungetc` put back.
    pushed_back: Option<u8>,
    /// Whether the program tried to read past the end.
    ended: bool,
}

impl Reader {
    /// A reader of these bytes.
    pub fn new(bytes: Vec<u8>) -> Reader {
        Reader { bytes, ..Reader::default() }
    }
}

/// Finds a function that reads a stream.
pub(super) fn find(name: &str) -> Option<Run> {
    let name = name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name);
    Some(match name {
        "fopen" | "fopen64" => open,
        "fclose" => |m, c| {
            let stream = m.stream(c, 0)?;
            if let Stream::File(_) = stream {
                m.state.streams.remove(&c.pointer(0)?.address);
            }
            m.flush();
            Ok(int(0))
        },
        "getchar" | "getchar_unlocked" => |m, _| Ok(int(m.get(Stream::In)?.map_or(-1, i32::from))),
        "getc" | "fgetc" | "_IO_getc" | "getc_unlocked" => |m, c| {
            let from = m.stream(c, 0)?;
            Ok(int(m.get(from)?.map_or(-1, i32::from)))
        },
        "ungetc" => |m, c| {
            let (byte, from) = (c.i32(0)?, m.stream(c, 1)?);
            let reader = m.reader(from)?;
            reader.pushed_back = u8::try_from(byte).ok();
            reader.ended = false;
            Ok(int(byte))
        },
        "feof" => |m, c| {
            let from = m.stream(c, 0)?;
            Ok(int(m.reader(from).is_ok_and(|reader| reader.ended).into()))
        },
        "fgets" => line,
        "fread" | "fread_unlocked" => read,
        "ftell" | "ftello" => |m, c| {
            let from = m.stream(c, 0)?;
            let reader = m.reader(from)?;
            Ok(Value::Int(reader.at as u64 - u64::from(reader.pushed_back.is_some())))
        },
        "fseek" | "fseeko" => seek,
        "rewind" => |m, c| {
            let from = m.stream(c, 0)?;
            if let Stream::File(_) = from {
                let reader = m.reader(from)?;
                (reader.at, reader.pushed_back, reader.ended) = (0, None, false);
            }
            Ok(VOID)
        },
        "sscanf" => |m, c| {
            let text = m.memory.string(c.pointer(0)?, u64::MAX)?;
            let mut arguments = Arguments::Call { call: c, next: 2 };
            Ok(int(scan::scan(m, &mut Source::new(&text), c.pointer(1)?, &mut arguments)?))
        },
        "scanf" => |m, c| scan_stream(m, c, Stream::In, 0),
        "fscanf" => |m, c| {
            let from = m.stream(c, 0)?;
            scan_stream(m, c, from, 1)
        },
        _ => return None,
    })
}

/// `fopen` for reading; other files cannot be opened.
fn open(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let path = machine.memory.string(call.pointer(0)?, u64::MAX)?;
    let mode = machine.memory.string(call.pointer(1)?, u64::MAX)?;
    let Some(files) = machine.config.files else { return unsupported("function fopen") };
    if mode.first() != Some(&b'r') || mode.contains(&b'+') {
        return unsupported("a file that is written");
    }
    let Some(bytes) = std::str::from_utf8(&path).ok().and_then(files) else {
        let errno = machine.errno()?;
        machine.memory.store_bits(errno, 32, 4, 2)?;
        return Ok(Value::address(0));
    };
    let number = machine.state.readers.len() as u32;
    machine.state.readers.push(Reader::new(bytes));
    let file = machine.memory.allocate(Kind::External(u32::MAX), 256, 16, false)?;
    machine.state.streams.insert(file.address, Stream::File(number));
    Ok(Value::Ptr(file))
}

fn line(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let limit = usize::try_from(call.i32(1)?).unwrap_or(0);
    let from = machine.stream(call, 2)?;
    let mut line = Vec::new();
    while line.len() + 1 < limit
        && let Some(byte) = machine.get(from)?
    {
        line.push(byte);
        if byte == b'\n' {
            break;
        }
    }
    if line.is_empty() {
        return Ok(Value::address(0));
    }
    line.push(0);
    machine.memory.write(call.pointer(0)?, &line)?;
    Ok(call.value(0)?.clone())
}

fn read(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let (size, count) = (call.int(1)?, call.int(2)?);
    let from = machine.stream(call, 3)?;
    let mut data = Vec::new();
    while (data.len() as u64) < size.saturating_mul(count)
        && let Some(byte) = machine.get(from)?
    {
        data.push(byte);
    }
    machine.memory.write(call.pointer(0)?, &data)?;
    Ok(Value::Int((data.len() as u64).checked_div(size).unwrap_or(0)))
}

fn seek(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let (offset, whence) = (call.int(1)? as i64, call.i32(2)?);
    let from = machine.stream(call, 0)?;
    let Stream::File(_) = from else { return Ok(int(-1)) };
    let reader = machine.reader(from)?;
    let start = match whence {
        0 => 0,
        1 => reader.at as i64 - i64::from(reader.pushed_back.is_some()),
        2 => reader.bytes.len() as i64,
        other => return undefined(Rule::Library, format!("fseek from {other}")),
    };
    match start.checked_add(offset).and_then(|at| usize::try_from(at).ok()) {
        Some(at) => (reader.at, reader.pushed_back, reader.ended) = (at, None, false),
        None => return Ok(int(-1)),
    }
    Ok(int(0))
}

/// `scanf` and `fscanf`, whose format is argument `at`.
fn scan_stream(machine: &mut Machine<'_>, call: &Call<'_>, from: Stream, at: usize) -> Res<Value> {
    if from == Stream::In {
        // What a file cannot give is its end.
        let _ = machine.stdin.read_to_end(&mut machine.state.readers[0].bytes);
    }
    let reader = machine.reader(from)?;
    let mut text: Vec<u8> = reader.pushed_back.take().into_iter().collect();
    let pushed = text.len();
    text.extend_from_slice(reader.bytes.get(reader.at..).unwrap_or_default());
    let mut source = Source::new(&text);
    let mut arguments = Arguments::Call { call, next: at + 1 };
    let done = scan::scan(machine, &mut source, call.pointer(at)?, &mut arguments)?;
    let taken = source.at;
    let reader = machine.reader(from)?;
    if taken < pushed {
        reader.pushed_back = Some(text[0]);
    } else {
        reader.at += taken - pushed;
    }
    reader.ended |= taken == text.len();
    Ok(int(done))
}

impl Machine<'_> {
    /// The stream that argument `index` is.
    pub(super) fn stream(&self, call: &Call<'_>, index: usize) -> Res<Stream> {
        let pointer = call.pointer(index)?;
        match self.state.streams.get(&pointer.address) {
            Some(&stream) => Ok(stream),
            None => undefined(Rule::Library, format!("{:#x} is no stream", pointer.address)),
        }
    }

    fn reader(&mut self, from: Stream) -> Res<&mut Reader> {
        match from {
            Stream::In => Ok(&mut self.state.readers[0]),
            Stream::File(number) => Ok(&mut self.state.readers[number as usize]),
            Stream::Out | Stream::Error => undefined(Rule::Library, "input from an output"),
        }
    }

    /// The next character of a stream.
    fn get(&mut self, from: Stream) -> Res<Option<u8>> {
        if from == Stream::In && self.state.readers[0].at >= self.state.readers[0].bytes.len() {
            let mut buffer = [0; 4096];
            let length = self.stdin.read(&mut buffer).unwrap_or(0);
            self.state.readers[0].bytes.extend_from_slice(&buffer[..length]);
        }
        let reader = self.reader(from)?;
        if let Some(byte) = reader.pushed_back.take() {
            return Ok(Some(byte));
        }
        let byte = reader.bytes.get(reader.at).copied();
        match byte {
            Some(_) => reader.at += 1,
            None => reader.ended = true,
        }
        Ok(byte)
    }
}
