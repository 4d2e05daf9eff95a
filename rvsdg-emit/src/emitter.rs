//! The text under construction, and what all parts of it need.

use std::fmt::{Display, Write};

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_cfg::shape::Block;
use rvsdg_core::attribute::Attributes;
use rvsdg_core::layout::DataLayout;
use rvsdg_core::op::{Call, CallInfo};
use rvsdg_core::{Module, Pool, Symbol, Type};
use slotmap::SecondaryMap;

use crate::error::EmitError;
use crate::metadata::Made;
use crate::names::push_name;

/// Writes one module.
pub(crate) struct Emitter<'a> {
    pub(crate) module: &'a Module,
    pub(crate) pool: &'a Pool,
    /// What is written now; parts swap it to write aside.
    pub(crate) out: String,
    /// The symbol being written, for errors.
    pub(crate) place: Option<Symbol>,
    /// Each symbol with its `@`.
    spelling: SecondaryMap<Symbol, Box<str>>,
    /// Named types in the order in which they were first written.
    pub(crate) named: Vec<Type>,
    pub(crate) named_seen: FxHashSet<Type>,
    /// The attribute group of the function part of a list; `None` when that is empty.
    pub(crate) group_of: FxHashMap<Attributes, Option<u32>>,
    /// The text of each group, by number.
    pub(crate) groups: Vec<String>,
    pub(crate) group_numbers: FxHashMap<String, u32>,
    /// The blocks that have addresses, by function: the number of the original block and the block.
    pub(crate) labels: SecondaryMap<Symbol, &'a [(u32, Block)]>,
    /// Nodes of metadata that are made while bodies are written.
    pub(crate) made: Made,
    /// Whether functions are in another address space than 0, so that a call must name the space of its callee.
    pub(crate) program_space: bool,
}

impl<'a> Emitter<'a> {
    pub(crate) fn new(module: &'a Module) -> Self {
        let program_space =
            DataLayout::parse(&module.header.data_layout).is_ok_and(|layout| layout.program_space() != 0);
        Emitter {
            module,
            pool: &module.pool,
            out: String::new(),
            place: None,
            spelling: SecondaryMap::new(),
            named: Vec::new(),
            named_seen: FxHashSet::default(),
            group_of: FxHashMap::default(),
            groups: Vec::new(),
            group_numbers: FxHashMap::default(),
            labels: SecondaryMap::new(),
            made: Made::default(),
            program_space,
        }
    }

    /// Spells the names of all symbols; unnamed ones are numbered in the order given, which is that of the text.
    pub(crate) fn spell_symbols(&mut self, order: impl IntoIterator<Item = Symbol>) {
        let mut unnamed = 0;
        for symbol in order {
            let mut spelled = String::from("@");
            let name = &self.module.symbols[symbol].name;
            if name.is_empty() {
                let _ = write!(spelled, "{unnamed}");
                unnamed += 1;
            } else {
                push_name(&mut spelled, name);
            }
            self.spelling.insert(symbol, spelled.into());
        }
    }

    /// A symbol's name with its `@`.
    pub(crate) fn symbol(&mut self, symbol: Symbol) -> Result<(), EmitError> {
        match self.spelling.get(symbol) {
            Some(spelled) => {
                self.out.push_str(spelled);
                Ok(())
            }
            None => {
                let name = &self.module.symbols[symbol].name;
                Err(self.error(
                    format!("the use of @{name}"),
                    "a symbol that is defined or imported, and in the module's order",
                ))
            }
        }
    }

    /// Separates what follows from what was written, if anything was.
    pub(crate) fn blank_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Appends a number.
    pub(crate) fn number(&mut self, number: impl Display) {
        let _ = write!(self.out, "{number}");
    }

    /// Appends `addrspace(n)`.
    pub(crate) fn address_space(&mut self, space: u32) {
        let _ = write!(self.out, "addrspace({space})");
    }

    /// Appends each word with a space before it.
    pub(crate) fn words(&mut self, words: impl IntoIterator<Item = &'static str>) {
        for word in words {
            if !word.is_empty() {
                self.out.push(' ');
                self.out.push_str(word);
            }
        }
    }

    /// A call's description.
    pub(crate) fn call_info(&self, call: Call) -> &'a CallInfo {
        let pool = self.pool;
        pool.call(call)
    }

    /// An error at the symbol being written.
    pub(crate) fn error(&self, construct: impl Into<String>, expected: impl Into<String>) -> EmitError {
        let place = match self.place.map(|symbol| (symbol, self.spelling.get(symbol))) {
            None => "the module".to_string(),
            Some((_, Some(spelled))) => spelled.to_string(),
            Some((symbol, None)) => format!("@{}", self.module.symbols[symbol].name),
        };
        EmitError { place, construct: construct.into(), expected: expected.into() }
    }
}
