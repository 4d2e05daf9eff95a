//! LLVM's attribute lists as interned lists, by number.

use rustc_hash::FxHashMap;
use rvsdg_core::Pool;
use rvsdg_core::attribute::{Attribute, AttributeList, Attributes};

use super::types::{Types, text};
use crate::carrier::{Carrier, NONE};
use crate::stream::Reader;

/// The attribute lists seen so far, by number.
#[derive(Default)]
pub(crate) struct Lists {
    known: Vec<Option<Attributes>>,
    /// By list: its number, for export.
    numbers: FxHashMap<Attributes, u32>,
}

impl Lists {
    /// The list with this number.
    pub fn get(&mut self, carrier: &mut Carrier, pool: &Pool, types: &mut Types, number: u32) -> Attributes {
        let at = number as usize;
        if self.known.len() <= at {
            self.known.resize(at + 1, None);
        }
        if let Some(known) = self.known[at] {
            return known;
        }
        let mut words = Vec::new();
        carrier.describe_attributes(number, &mut words);
        let mut reader = Reader::new(&words);
        let mut list = AttributeList::default();
        let mut params: Vec<Box<[Attribute]>> = Vec::new();
        while !reader.is_empty() {
            // LLVM numbers the function's own set ~0, the result's 0 and the parameters' from 1.
            let index = reader.word();
            let set = read_set(carrier, pool, types, &mut reader);
            match index {
                NONE => list.function = set,
                0 => list.result = set,
                _ => {
                    let param = index as usize - 1;
                    if params.len() <= param {
                        params.resize(param + 1, Box::default());
                    }
                    params[param] = set;
                }
            }
        }
        list.params = params.into();
        let attributes = pool.intern_attributes(list);
        self.known[at] = Some(attributes);
        self.set_number(attributes, number);
        attributes
    }

    /// The number of a list that the module has.
    pub fn number(&self, attributes: Attributes) -> Option<u32> {
        self.numbers.get(&attributes).copied()
    }

    /// Says that a list has this number.
    pub fn set_number(&mut self, attributes: Attributes, number: u32) {
        self.numbers.entry(attributes).or_insert(number);
    }

    /// Forgets which lists the module has.
    pub fn forget_numbers(&mut self) {
        self.numbers.clear();
    }
}

/// One set: its size, then spelling and type of each attribute.
pub(crate) fn read_set(
    carrier: &mut Carrier,
    pool: &Pool,
    types: &mut Types,
    reader: &mut Reader<'_>,
) -> Box<[Attribute]> {
    let count = reader.word();
    (0..count)
        .map(|_| {
            let text = text(carrier, reader.word());
            let ty = reader.optional().map(|number| types.get(carrier, pool, number));
            Attribute::new(&text, ty)
        })
        .collect()
}
