//! Formatted output without formatting, and output of strings whose length is known: LLVM's `optimizePrintF`, `optimizeFPrintF`,
//! `optimizeSPrintF`, `optimizePuts`, `optimizeFPuts` and `optimizeFWrite`. Results that would differ must have no users.

use rvsdg_core::op::CastOp;
use rvsdg_core::{Node, Origin, Type, TypeKind};

use super::strings::copy_bytes;
use super::{Calls, Mention, Replacement, Rule, Site};
use crate::module::memory_calls::MemoryCall;

/// The counter.
const KIND: &str = "streams";

/// The rule for calls of a function.
pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "printf" => print,
        "fprintf" => print_to_stream,
        "sprintf" => print_to_memory,
        "puts" => put_line,
        "fputs" => put,
        "fwrite" => write,
        _ => return None,
    })
}

/// What a format says.
enum Format {
    /// Only this text.
    Text(Vec<u8>),
    /// The one argument, a character.
    Character,
    /// The one argument, a string.
    String,
    /// The one argument, a string, and the end of the line.
    Line,
}

/// The format that an argument is, which is followed by those that are formatted.
fn format(c: &mut Calls<'_>, call: Node, index: usize) -> Option<Format> {
    let text = c.text(c.argument(call, index))?;
    let following = c.arguments(call)? - index - 1;
    let is = |c: &Calls<'_>, ty: Type| following == 1 && c.graph.ty(c.argument(call, index + 1)) == ty;
    Some(match &*text {
        b"%c" if is(c, Type::I32) => Format::Character,
        b"%s" if is(c, Type::PTR) => Format::String,
        b"%s\n" if is(c, Type::PTR) => Format::Line,
        _ if text.contains(&b'%') => return None,
        _ => Format::Text(text),
    })
}

fn function(name: &str) -> Mention {
    Mention::Function(name.into())
}

/// A character as an argument.
fn character(site: &mut Site<'_>, byte: u8) -> Origin {
    site.at().int(Type::I32, byte.into())
}

fn print(c: &mut Calls<'_>, call: Node) -> Option<Replacement> {
    let format = format(c, call, 0).filter(|_| c.is_unused(call))?;
    match format {
        Format::Text(text) => match *text {
            [] => nothing(),
            [byte] => Replacement::new(KIND, [function("putchar")], move |site| {
                let byte = character(site, byte);
                Some(site.call(0, &[byte]))
            }),
            [ref line @ .., b'\n'] => {
                Replacement::new(KIND, [function("puts"), Mention::Text(line.to_vec())], |site| {
                    let (line, _) = site.mentioned[1];
                    Some(site.call(0, &[line]))
                })
            }
            _ => None,
        },
        Format::Character => call_with(function("putchar"), &[1]),
        Format::Line => call_with(function("puts"), &[1]),
        Format::String => None,
    }
}

/// A call of another function with some of the arguments.
fn call_with(callee: Mention, arguments: &'static [usize]) -> Option<Replacement> {
    Replacement::new(KIND, [callee], |site| {
        let arguments: Vec<Origin> = arguments.iter().map(|&index| site.argument(index)).collect();
        Some(site.call(0, &arguments))
    })
}

/// No output, and no user of the result.
fn nothing() -> Option<Replacement> {
    Replacement::new(KIND, [], |_| None)
}

fn print_to_stream(c: &mut Calls<'_>, call: Node) -> Option<Replacement> {
    let format = format(c, call, 1).filter(|_| c.is_unused(call))?;
    match format {
        Format::Text(text) if text.is_empty() => nothing(),
        Format::Text(text) => write_text(text, 1, 0),
        Format::Character => call_with(function("fputc"), &[2, 0]),
        Format::String => call_with(function("fputs"), &[2, 0]),
        Format::Line => None,
    }
}

/// Writes a string, which is an argument, to a stream, which is another one.
fn write_text(text: Vec<u8>, from: usize, stream: usize) -> Option<Replacement> {
    if let [byte] = *text {
        return Replacement::new(KIND, [function("fputc")], move |site| {
            let (byte, stream) = (character(site, byte), site.argument(stream));
            Some(site.call(0, &[byte, stream]))
        });
    }
    Replacement::new(KIND, [function("fwrite")], move |site| {
        let (pool, (_, ty)) = (site.graph.pool().clone(), site.mentioned[0]);
        let TypeKind::Function { params, .. } = pool.type_kind(ty) else { return None };
        let (text_at, stream) = (site.argument(from), site.argument(stream));
        let (length, one) = (site.at().int(params[1], text.len() as u64), site.at().int(params[2], 1));
        Some(site.call(0, &[text_at, length, one, stream]))
    })
}

fn print_to_memory(c: &mut Calls<'_>, call: Node) -> Option<Replacement> {
    let format = format(c, call, 1).filter(|_| c.has_memory(call))?;
    match format {
        Format::Text(text) => Replacement::new(KIND, [Mention::Memory(MemoryCall::Copy)], move |site| {
            let (to, from) = (site.argument(0), site.argument(1));
            copy_bytes(site, 0, to, from, text.len() + 1);
            Some(site.at().int(Type::I32, text.len() as u64))
        }),
        Format::String if c.is_unused(call) => Replacement::new(KIND, [function("strcpy")], |site| {
            let (to, from) = (site.argument(0), site.argument(2));
            site.call(0, &[to, from]);
            None
        }),
        Format::String | Format::Character | Format::Line => None,
    }
}

/// The end of a line alone.
fn put_line(c: &mut Calls<'_>, call: Node) -> Option<Replacement> {
    let is_empty = c.text(c.argument(call, 0))?.is_empty();
    if !is_empty || !c.is_unused(call) {
        return None;
    }
    Replacement::new(KIND, [function("putchar")], |site| {
        let end = character(site, b'\n');
        Some(site.call(0, &[end]))
    })
}

fn put(c: &mut Calls<'_>, call: Node) -> Option<Replacement> {
    let text = c.text(c.argument(call, 0)).filter(|_| c.is_unused(call))?;
    if text.is_empty() { nothing() } else { write_text(text, 0, 1) }
}

/// One byte, or nothing.
fn write(c: &mut Calls<'_>, call: Node) -> Option<Replacement> {
    let (size, count) = (c.int(c.argument(call, 1))?, c.int(c.argument(call, 2))?);
    if !c.has_memory(call) || !c.is_unused(call) {
        return None;
    }
    match size.checked_mul(count)? {
        0 => nothing(),
        1 => Replacement::new(KIND, [function("fputc")], |site| {
            let (from, stream) = (site.argument(0), site.argument(3));
            let byte = site.load_byte(from);
            let byte = site.at().cast(CastOp::ZExt, byte, Type::I32);
            Some(site.call(0, &[byte, stream]))
        }),
        _ => None,
    }
}
