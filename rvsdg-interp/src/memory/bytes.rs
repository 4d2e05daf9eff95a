//! Bytes in bulk: the accesses of memory intrinsics and library functions.

use super::Memory;
use rvsdg_core::tbaa::AccessTag;

use crate::observe::Byte;
use crate::outcome::{Res, Rule, undefined};
use crate::value::{Pointer, Value};

impl Memory {
    /// Copies bytes with all that is known of them; the ranges may overlap.
    pub fn copy(&mut self, to: Pointer, from: Pointer, bytes: u64) -> Res<()> {
        if bytes == 0 {
            return Ok(());
        }
        let (source, start) = self.access(from, bytes, 1, false)?;
        let (target, at) = self.access(to, bytes, 1, true)?;
        if let Some(touched) = &mut self.touched {
            touched.extend([(from, bytes, false), (to, bytes, true)]);
        }
        let count = bytes as usize;
        let object = &self.objects[source];
        let part = |known: &Vec<u8>| known.get(start..start + count).map(<[u8]>::to_vec);
        let (data, undef) = (object.data[start..start + count].to_vec(), part(&object.undef));
        let poison = object.poison.get(start..start + count).map(<[bool]>::to_vec);
        // Pointers keep their object where whole aligned words are copied to aligned words.
        let cut = start % 8 != at % 8 || !start.is_multiple_of(8) || !count.is_multiple_of(8);
        if cut && object.has_addresses(start, count) {
            object.numbers.set(true);
        }
        let words: Vec<(usize, u32)> = if object.provenance.is_empty() || start % 8 != at % 8 {
            Vec::new()
        } else {
            let whole = start.div_ceil(8)..(start + count) / 8;
            whole.map(|word| ((word * 8 + at - start) / 8, object.provenance[word])).collect()
        };
        let object = &mut self.objects[target];
        object.data[at..at + count].copy_from_slice(&data);
        object.define(at, count);
        if let Some(undef) = undef
            && undef.iter().any(|&undef| undef != 0)
        {
            object.need_undef();
            object.undef[at..at + count].copy_from_slice(&undef);
        }
        if let Some(poison) = poison
            && poison.contains(&true)
        {
            if object.poison.is_empty() {
                object.poison = vec![false; object.data.len()];
            }
            object.poison[at..at + count].copy_from_slice(&poison);
        }
        if words.iter().any(|&(_, source)| source != 0) {
            if object.provenance.is_empty() {
                object.provenance = vec![0; object.data.len().div_ceil(8)];
            }
            for (word, source) in words {
                object.provenance[word] = source;
            }
        }
        Ok(())
    }

    /// Sets bytes.
    pub fn fill(&mut self, to: Pointer, byte: &Value, bytes: u64) -> Res<()> {
        if bytes == 0 {
            return Ok(());
        }
        let (number, offset) = self.access(to, bytes, 1, true)?;
        if let Some(touched) = &mut self.touched {
            touched.push((to, bytes, true));
        }
        let count = bytes as usize;
        match byte {
            Value::Int(byte) => {
                let object = &mut self.objects[number];
                object.data[offset..offset + count].fill(*byte as u8);
                object.define(offset, count);
            }
            byte => {
                let layout = rvsdg_core::layout::Scalar::Int(8);
                for index in 0..bytes {
                    self.store_scalar(to.offset(index), layout, 1, byte)?;
                }
            }
        }
        Ok(())
    }

    /// Bytes that must be defined.
    pub fn read(&self, from: Pointer, bytes: u64) -> Res<&[u8]> {
        if bytes == 0 {
            return Ok(&[]);
        }
        let (number, offset) = self.access(from, bytes, 1, false)?;
        let object = &self.objects[number];
        let range = offset..offset + bytes as usize;
        let undef = object.undef.get(range.clone()).is_some_and(|undef| undef.iter().any(|&undef| undef != 0));
        let poison = object.poison.get(range.clone()).is_some_and(|poison| poison.contains(&true));
        if undef || poison {
            return undefined(Rule::NotDefined, format!("bytes at {:#x} were never written", from.address));
        }
        Ok(&object.data[range])
    }

    /// All bytes of an object, and the pointers in it whose object is known, by offset.
    pub fn bytes_of(&self, pointer: Pointer) -> (Vec<Byte>, Vec<(usize, Pointer)>) {
        let Ok(object) = self.object(pointer) else { return (Vec::new(), Vec::new()) };
        let byte = |(index, &data): (usize, &u8)| match object.poison.get(index) {
            Some(true) => Byte::Poison,
            _ => Byte::Bits(data, object.undef.get(index).copied().unwrap_or(0)),
        };
        let bytes = object.data.iter().enumerate().map(byte).collect();
        let mut words = Vec::new();
        for (index, &source) in object.provenance.iter().enumerate() {
            if source != 0
                && let Some(word) = object.data.get(8 * index..8 * index + 8)
            {
                let address = word.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
                words.push((8 * index, Pointer { address, object: source }));
            }
        }
        (bytes, words)
    }

    /// Says that a store wrote bytes under a tag.
    pub fn set_tag(&mut self, pointer: Pointer, bytes: u64, tag: AccessTag) -> Res<()> {
        let (number, offset) = self.access(pointer, bytes, 1, true)?;
        let object = &mut self.objects[number];
        if object.tags.is_empty() {
            object.tags = vec![None; object.data.len()];
        }
        object.tags[offset..offset + bytes as usize].fill(Some(tag));
        Ok(())
    }

    /// The tags under which bytes were written last. None for an access that is not allowed.
    pub fn tags(&self, pointer: Pointer, bytes: u64) -> impl Iterator<Item = AccessTag> {
        let written = self
            .access(pointer, bytes, 1, false)
            .ok()
            .and_then(|(number, offset)| self.objects[number].tags.get(offset..offset + bytes as usize));
        written.into_iter().flatten().flatten().copied()
    }

    /// Writes bytes.
    pub fn write(&mut self, to: Pointer, bytes: &[u8]) -> Res<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (number, offset) = self.access(to, bytes.len() as u64, 1, true)?;
        let object = &mut self.objects[number];
        object.data[offset..offset + bytes.len()].copy_from_slice(bytes);
        object.define(offset, bytes.len());
        Ok(())
    }

    /// The bytes from an address up to the first zero, at most `limit`.
    pub fn string(&self, from: Pointer, limit: u64) -> Res<Vec<u8>> {
        let (number, offset) = self.access(from, u64::from(limit > 0), 1, false)?;
        let object = &self.objects[number];
        let end = object.data.len().min(offset.saturating_add(limit as usize));
        let length = object.data[offset..end].iter().position(|&byte| byte == 0);
        let length = match length {
            Some(length) => length,
            None if (end - offset) as u64 == limit => end - offset,
            None => return undefined(Rule::OutOfBounds, "a string without an end"),
        };
        let terminator = u64::from((length as u64) < limit);
        let bytes = self.read(from, length as u64 + terminator)?;
        Ok(bytes[..length].to_vec())
    }
}
