//! JSON with lines of a readable length: one measurement, or one function body, is one line.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// The depth of the containers whose items stand on lines of their own; those further in are written on one line.
const DEEPEST: usize = 4;

/// A value as JSON, with a line feed at its end.
pub fn json(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut bytes, Lines::default()))?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[derive(Default)]
struct Lines {
    depth: usize,
    /// Whether the container that was written last has items.
    items: bool,
}

impl Lines {
    fn open(&mut self, writer: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.items = false;
        writer.write_all(bracket)
    }

    fn close(&mut self, writer: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.items && self.depth < DEEPEST {
            self.line(writer)?;
        }
        self.items = true;
        writer.write_all(bracket)
    }

    fn item(&mut self, writer: &mut (impl Write + ?Sized), first: bool) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        if self.depth <= DEEPEST {
            return self.line(writer);
        }
        if first { Ok(()) } else { writer.write_all(b" ") }
    }

    fn line(&self, writer: &mut (impl Write + ?Sized)) -> io::Result<()> {
        writer.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| writer.write_all(b" "))
    }
}

impl Formatter for Lines {
    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.item(writer, first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.items = true;
        Ok(())
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.item(writer, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.items = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    #[test]
    fn inner_values_share_a_line() {
        let value = json!({"a": [], "b": [{"c": [[1, 2], {"d": [3, 4], "e": "f"}]}]});
        let text = String::from_utf8(super::json(&value).unwrap()).unwrap();
        assert!(text.contains("{\"d\": [3, 4], \"e\": \"f\"}\n"), "{text}");
        assert!(text.contains("\"a\": [],\n"), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
