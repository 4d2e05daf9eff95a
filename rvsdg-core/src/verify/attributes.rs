//! Attribute lists, each checked once.

use rustc_hash::FxHashMap;

use crate::Pool;
use crate::attribute::Attributes;

/// What is wrong with attribute lists.
pub(super) struct AttributeFacts<'p> {
    pool: &'p Pool,
    known: FxHashMap<Attributes, Option<String>>,
}

impl<'p> AttributeFacts<'p> {
    pub(super) fn new(pool: &'p Pool) -> Self {
        AttributeFacts { pool, known: FxHashMap::default() }
    }

    pub(super) fn flaw(&mut self, attributes: Attributes) -> Option<&str> {
        self.known.entry(attributes).or_insert_with(|| self.pool.attributes(attributes).flaw()).as_deref()
    }
}
