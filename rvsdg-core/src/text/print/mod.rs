//! Printing.

mod constants;
mod graph;
mod groups;
mod module;
mod ops;
mod types;

use std::fmt::{self, Write};

use super::spell::{escape, sigil_name};
use crate::Pool;

pub(super) use graph::{dump, graph, node_line, node_summary, node_text};
pub(super) use groups::Groups;
pub(super) use module::{graphs, module};
pub(super) use ops::implied_alternatives;

/// The output, and what the printed entities refer to.
pub(super) struct Writer<'a> {
    out: &'a mut dyn Write,
    pool: &'a Pool,
    groups: Option<&'a Groups>,
}

impl Write for Writer<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_str(text)
    }
}

impl<'a> Writer<'a> {
    /// A writer that shows attribute lists by their id.
    pub(super) fn new(out: &'a mut dyn Write, pool: &'a Pool) -> Self {
        Writer { out, pool, groups: None }
    }

    /// A writer that shows attribute lists by their number in `groups`.
    pub(super) fn with_groups(out: &'a mut dyn Write, pool: &'a Pool, groups: &'a Groups) -> Self {
        Writer { out, pool, groups: Some(groups) }
    }

    /// The pool of the printed entities.
    pub(super) fn pool(&self) -> &'a Pool {
        self.pool
    }

    /// Writes text unchanged.
    pub(super) fn str(&mut self, text: &str) -> fmt::Result {
        self.out.write_str(text)
    }

    /// A number after some text.
    pub(super) fn numbered(&mut self, text: &str, mut number: u64) -> fmt::Result {
        let mut digits = [0; 20];
        let mut start = digits.len();
        loop {
            start -= 1;
            digits[start] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.out.write_str(text)?;
        self.out.write_str(std::str::from_utf8(&digits[start..]).map_err(|_| fmt::Error)?)
    }

    /// A string in quotes.
    pub(super) fn quoted(&mut self, bytes: &[u8]) -> fmt::Result {
        self.str("\"")?;
        self.str(&escape(bytes))?;
        self.str("\"")
    }

    /// A name with its sigil.
    pub(super) fn sigil(&mut self, sigil: char, name: &str) -> fmt::Result {
        self.str(&sigil_name(sigil, name))
    }

    /// `words`, each after a space.
    pub(super) fn words(&mut self, words: impl Iterator<Item = &'static str>) -> fmt::Result {
        for word in words {
            self.str(" ")?;
            self.str(word)?;
        }
        Ok(())
    }

    /// Writes `items` with commas between them.
    pub(super) fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> fmt::Result,
    ) -> fmt::Result {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.str(", ")?;
            }
            write(self, item)?;
        }
        Ok(())
    }
}
