//! Source locations of code, from the module's debug information.

use rvsdg_core::{SourceId, Symbol};

use crate::import::Host;

/// A place in a source file.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    /// The file, as the debug information calls it.
    pub file: String,
    /// The line, from 1; 0 when it is not known.
    pub line: u32,
    /// The column, from 1; 0 when it is not known.
    pub column: u32,
}

impl Host {
    /// The location of an instruction that was read. One that was inlined has the number of [its
    /// original](rvsdg_core::sources::Sources::original).
    pub fn location(&mut self, source: SourceId) -> Option<Location> {
        let mut words = Vec::new();
        self.tables.carrier.location(source.as_u32(), &mut words);
        self.place(&words)
    }

    /// Where a function is defined.
    pub fn function_location(&mut self, function: Symbol) -> Option<Location> {
        let number = self.tables.symbols.iter().position(|&symbol| symbol == function)?;
        let mut words = Vec::new();
        self.tables.carrier.function_location(number as u32, &mut words);
        self.place(&words)
    }

    fn place(&self, words: &[u32]) -> Option<Location> {
        let &[file, line, column] = words else { return None };
        let file = String::from_utf8_lossy(&self.tables.carrier.string(file)).into_owned();
        Some(Location { file, line, column })
    }
}
