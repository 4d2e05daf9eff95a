//! Append-only interning: equal values get equal ids, and ids stay valid for the life of the table.

use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;
use std::sync::Mutex;

use cranelift_entity::EntityRef;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// A table of distinct values with a typed id each.
///
/// Reading is lock-free; interning takes a lock. Ids depend on the order of interning, which differs between runs once
/// several threads intern: they are for equality and lookup, never for sorting or output.
pub struct Interner<K, V> {
    values: boxcar::Vec<V>,
    ids: Mutex<HashTable<u32>>,
    key: PhantomData<fn() -> K>,
}

impl<K: EntityRef, V: Eq + Hash> Interner<K, V> {
    /// An empty table.
    pub fn new() -> Self {
        Self { values: boxcar::Vec::new(), ids: Mutex::new(HashTable::new()), key: PhantomData }
    }

    /// The id of `value`, which is added when no equal value is in the table.
    pub fn intern(&self, value: V) -> K {
        let hash = FxBuildHasher.hash_one(&value);
        let mut ids = self.ids.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(&index) = ids.find(hash, |&index| self.values[index as usize] == value) {
            return K::new(index as usize);
        }
        let index = self.values.push(value);
        ids.insert_unique(hash, index as u32, |&index| FxBuildHasher.hash_one(&self.values[index as usize]));
        K::new(index)
    }

    /// The value of an id of this table.
    ///
    /// # Panics
    /// When `id` is not an id of this table.
    pub fn get(&self, id: K) -> &V {
        &self.values[id.index()]
    }

    /// How many distinct values the table holds.
    pub fn len(&self) -> usize {
        self.values.count()
    }

    /// Whether the table holds no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<K: EntityRef, V: Eq + Hash> Default for Interner<K, V> {
    fn default() -> Self {
        Self::new()
    }
}
