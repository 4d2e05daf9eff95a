//! Loads and stores of typed values.

use rvsdg_core::layout::{Layout, Scalar, Shape};

use std::sync::Arc;

use super::{Memory, Object};
use crate::outcome::{Res, Rule, undefined, unsupported};
use crate::value::{Partial, Pointer, Value, mask, mask128};

impl Memory {
    /// An integer or float of at most 64 bits in memory without undef or poison; `None` where [`Memory::load_bits`] has to
    /// look.
    #[inline]
    pub fn word(&self, pointer: Pointer, bits: u32, align: u64) -> Option<u64> {
        let bytes = bits.div_ceil(8) as usize;
        let object = self.plain(pointer, align)?;
        let offset = pointer.address.wrapping_sub(object.base) as usize;
        if object.has_addresses(offset, bytes) {
            return None;
        }
        self.defined(object, offset, bits)
    }

    /// Bits of an object without undef.
    #[inline]
    fn defined(&self, object: &Object, offset: usize, bits: u32) -> Option<u64> {
        let bytes = bits.div_ceil(8) as usize;
        let data = object.data.get(offset..offset.checked_add(bytes)?)?;
        if !object.undef.is_empty() && object.undef[offset..offset + bytes].iter().any(|&undef| undef != 0) {
            return None;
        }
        Some(word(data, 0, bytes) & mask(bits))
    }

    /// A pointer in memory without undef or poison; `None` where [`Memory::load_pointer`] has to look.
    #[inline]
    pub fn pointer(&self, pointer: Pointer, align: u64) -> Option<Pointer> {
        let object = self.plain(pointer, align)?;
        let offset = pointer.address.wrapping_sub(object.base) as usize;
        let address = self.defined(object, offset, 64)?;
        let source = if offset.is_multiple_of(8) { object.provenance.get(offset / 8).copied().unwrap_or(0) } else { 0 };
        Some(Pointer { address, object: source })
    }

    /// The object of a pointer that is aligned, when it is known and live and has no poison.
    #[inline]
    fn plain(&self, pointer: Pointer, align: u64) -> Option<&Object> {
        let object = &self.objects[pointer.object as usize];
        let plain =
            pointer.object != 0 && object.is_live() && object.poison.is_empty() && pointer.address & (align - 1) == 0;
        plain.then_some(object)
    }

    /// Loads an integer or float of at most 64 bits.
    #[inline]
    pub fn load_bits(&self, pointer: Pointer, bits: u32, align: u64) -> Res<Value> {
        let bytes = bits.div_ceil(8) as usize;
        let (number, offset) = self.access(pointer, bytes as u64, align, false)?;
        let object = &self.objects[number];
        if object.has_addresses(offset, bytes) {
            object.numbers.set(true);
        }
        let value = word(&object.data, offset, bytes) & mask(bits);
        if !object.poison.is_empty() && object.poison[offset..offset + bytes].contains(&true) {
            return Ok(Value::Poison);
        }
        if !object.undef.is_empty() {
            let undef = word(&object.undef, offset, bytes) & mask(bits);
            if undef != 0 {
                return Ok(partial(bits, value.into(), undef.into()));
            }
        }
        Ok(Value::Int(value))
    }

    /// Loads a pointer.
    #[inline]
    pub fn load_pointer(&self, pointer: Pointer, align: u64) -> Res<Value> {
        let (number, offset) = self.access(pointer, 8, align, false)?;
        let object = &self.objects[number];
        if !object.poison.is_empty() && object.poison[offset..offset + 8].contains(&true) {
            return Ok(Value::Poison);
        }
        if !object.undef.is_empty() && object.undef[offset..offset + 8].iter().any(|&undef| undef != 0) {
            return Ok(Value::Undef);
        }
        let address = word(&object.data, offset, 8);
        let source = if offset % 8 == 0 { object.provenance.get(offset / 8).copied().unwrap_or(0) } else { 0 };
        Ok(Value::Ptr(Pointer { address, object: source }))
    }

    /// Stores an integer or float of at most 64 bits.
    #[inline]
    pub fn store_bits(&mut self, pointer: Pointer, bits: u32, align: u64, value: u64) -> Res<()> {
        let bytes = bits.div_ceil(8) as usize;
        let (number, offset) = self.access(pointer, bytes as u64, align, true)?;
        let object = &mut self.objects[number];
        object.data[offset..offset + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        object.define(offset, bytes);
        Ok(())
    }

    /// Stores a pointer.
    #[inline]
    pub fn store_pointer(&mut self, pointer: Pointer, align: u64, value: Pointer) -> Res<()> {
        self.store_bits(pointer, 64, align, value.address)?;
        if value.object != 0 {
            let (number, offset) = self.access(pointer, 8, align, true)?;
            let object = &mut self.objects[number];
            if offset % 8 == 0 {
                if object.provenance.is_empty() {
                    object.provenance = vec![0; object.data.len().div_ceil(8)];
                }
                object.provenance[offset / 8] = value.object;
            } else {
                // Its object is forgotten, and what is there is a number.
                object.numbers.set(true);
            }
        }
        Ok(())
    }

    /// Loads a value of any type.
    pub fn load(&self, pointer: Pointer, layout: &Layout, align: u64) -> Res<Value> {
        if let Shape::Scalar(scalar) = layout.shape {
            return self.load_scalar(pointer, scalar, align);
        }
        self.access(pointer, layout.store, align, false)?;
        enum Step<'a> {
            Load(Pointer, &'a Layout),
            Join(usize),
        }
        let mut pending = vec![Step::Load(pointer, layout)];
        let mut done: Vec<Value> = Vec::new();
        while let Some(step) = pending.pop() {
            match step {
                Step::Join(count) => {
                    let elements = done.split_off(done.len() - count);
                    done.push(Value::seq(elements));
                }
                Step::Load(at, layout) => match &layout.shape {
                    Shape::Scalar(scalar) => done.push(self.load_scalar(at, *scalar, 1)?),
                    Shape::Vector { lane, len } => done.push(self.load_vector(at, *lane, *len)?),
                    Shape::Array { element, len } => {
                        pending.push(Step::Join(*len as usize));
                        let part = |index: u64| Step::Load(at.offset(index * element.size), element);
                        pending.extend((0..*len).rev().map(part));
                    }
                    Shape::Struct(fields) => {
                        pending.push(Step::Join(fields.len()));
                        pending
                            .extend(fields.iter().rev().map(|(offset, field)| Step::Load(at.offset(*offset), field)));
                    }
                },
            }
        }
        Ok(done.pop().unwrap_or(Value::Undef))
    }

    fn load_vector(&self, pointer: Pointer, lane: Scalar, len: u32) -> Res<Value> {
        let bits = lane.bits();
        if bits.is_multiple_of(8) {
            let step = u64::from(bits / 8);
            let lanes: Res<Vec<Value>> =
                (0..u64::from(len)).map(|index| self.load_scalar(pointer.offset(index * step), lane, 1)).collect();
            return Ok(Value::seq(lanes?));
        }
        let total = bits * len;
        if total > 128 {
            return unsupported("vector of more than 128 bits whose lanes are no bytes");
        }
        let packed = self.load_scalar(pointer, Scalar::Int(total), 1)?;
        Ok(Value::seq((0..len).map(|index| slice(&packed, bits * index, bits)).collect()))
    }

    /// Loads a scalar of any width.
    pub fn load_scalar(&self, pointer: Pointer, scalar: Scalar, align: u64) -> Res<Value> {
        match scalar {
            Scalar::Ptr(64) => return self.load_pointer(pointer, align),
            Scalar::Ptr(bits) => return unsupported(format!("pointers of {bits} bits")),
            Scalar::Int(_) | Scalar::Float(_) if scalar.bits() <= 64 => {
                return self.load_bits(pointer, scalar.bits(), align);
            }
            Scalar::Int(_) | Scalar::Float(_) => {}
        }
        let width = scalar.bits();
        let bytes = width.div_ceil(8) as usize;
        let (number, offset) = self.access(pointer, bytes as u64, align, false)?;
        let object = &self.objects[number];
        let range = offset..offset + bytes;
        if !object.poison.is_empty() && object.poison[range.clone()].contains(&true) {
            return Ok(Value::Poison);
        }
        let undef = if object.undef.is_empty() { &[][..] } else { &object.undef[range.clone()] };
        if width <= 128 {
            let mut data = [0; 16];
            data[..bytes].copy_from_slice(&object.data[range]);
            let mut holes = [0; 16];
            holes[..undef.len()].copy_from_slice(undef);
            return Ok(partial(width, u128::from_le_bytes(data), u128::from_le_bytes(holes)));
        }
        if undef.iter().any(|&undef| undef != 0) {
            return Ok(Value::Undef);
        }
        let mut limbs: Vec<u64> = object.data[range].chunks(8).map(|chunk| word(chunk, 0, chunk.len())).collect();
        if let Some(last) = limbs.last_mut()
            && !width.is_multiple_of(64)
        {
            *last &= mask(width % 64);
        }
        Ok(Value::Wide(Arc::new(limbs)))
    }

    /// Stores a value of any type.
    pub fn store(&mut self, pointer: Pointer, layout: &Layout, align: u64, value: &Value) -> Res<()> {
        if let Shape::Scalar(scalar) = layout.shape {
            return self.store_scalar(pointer, scalar, align, value);
        }
        self.access(pointer, layout.store, align, true)?;
        let mut pending = vec![(pointer, layout, value)];
        while let Some((at, layout, value)) = pending.pop() {
            if let Shape::Scalar(scalar) = layout.shape {
                self.store_scalar(at, scalar, 1, value)?;
                continue;
            }
            let Value::Seq(elements) = value else {
                self.store_uniform(at, layout.store, value)?;
                continue;
            };
            match &layout.shape {
                Shape::Scalar(_) => {}
                Shape::Vector { lane, .. } => self.store_vector(at, *lane, elements)?,
                Shape::Array { element, .. } => {
                    let parts = elements.iter().enumerate();
                    pending
                        .extend(parts.map(|(index, part)| (at.offset(index as u64 * element.size), &**element, part)));
                }
                Shape::Struct(fields) => {
                    let parts = fields.iter().zip(elements.iter());
                    pending.extend(parts.map(|((offset, field), part)| (at.offset(*offset), &**field, part)));
                }
            }
        }
        Ok(())
    }

    fn store_vector(&mut self, pointer: Pointer, lane: Scalar, lanes: &[Value]) -> Res<()> {
        let bits = lane.bits();
        if bits.is_multiple_of(8) {
            let step = u64::from(bits / 8);
            for (index, value) in lanes.iter().enumerate() {
                self.store_scalar(pointer.offset(index as u64 * step), lane, 1, value)?;
            }
            return Ok(());
        }
        let total = bits * lanes.len() as u32;
        if total > 128 {
            return unsupported("vector of more than 128 bits whose lanes are no bytes");
        }
        self.store_scalar(pointer, Scalar::Int(total), 1, &join(lanes, bits))
    }

    /// Stores a scalar of any width.
    pub fn store_scalar(&mut self, pointer: Pointer, scalar: Scalar, align: u64, value: &Value) -> Res<()> {
        if let Scalar::Ptr(bits) = scalar
            && bits != 64
        {
            return unsupported(format!("pointers of {bits} bits"));
        }
        let width = scalar.bits();
        match value {
            Value::Int(bits) => self.store_bits(pointer, width, align, *bits),
            Value::Ptr(target) => self.store_pointer(pointer, align, *target),
            Value::Wide(limbs) => {
                let bytes = width.div_ceil(8) as usize;
                let (number, offset) = self.access(pointer, bytes as u64, align, true)?;
                let object = &mut self.objects[number];
                let data = limbs.iter().flat_map(|limb| limb.to_le_bytes());
                object.data[offset..offset + bytes].iter_mut().zip(data).for_each(|(to, from)| *to = from);
                object.define(offset, bytes);
                Ok(())
            }
            Value::Partial(part) => {
                let bytes = width.div_ceil(8) as usize;
                let (number, offset) = self.access(pointer, bytes as u64, align, true)?;
                let object = &mut self.objects[number];
                object.define(offset, bytes);
                object.data[offset..offset + bytes].copy_from_slice(&part.bits.to_le_bytes()[..bytes]);
                object.need_undef();
                object.undef[offset..offset + bytes].copy_from_slice(&part.undef.to_le_bytes()[..bytes]);
                Ok(())
            }
            Value::Undef | Value::Poison => {
                self.access(pointer, u64::from(width.div_ceil(8)), align, true)?;
                self.store_uniform(pointer, u64::from(width.div_ceil(8)), value)
            }
            Value::Seq(_) => undefined(Rule::CallMismatch, "an aggregate is stored as a scalar"),
        }
    }

    /// Makes bytes undef or poison.
    fn store_uniform(&mut self, pointer: Pointer, bytes: u64, value: &Value) -> Res<()> {
        let (number, offset) = self.access(pointer, bytes, 1, true)?;
        let object = &mut self.objects[number];
        let bytes = bytes as usize;
        object.define(offset, bytes);
        if *value == Value::Poison {
            if object.poison.is_empty() {
                object.poison = vec![false; object.data.len()];
            }
            object.poison[offset..offset + bytes].fill(true);
        } else {
            object.need_undef();
            object.undef[offset..offset + bytes].fill(0xff);
        }
        Ok(())
    }
}

impl Object {
    /// Says that bytes were written that are no pointer and all defined.
    #[inline]
    pub(super) fn define(&mut self, offset: usize, bytes: usize) {
        if !self.undef.is_empty() {
            self.undef[offset..offset + bytes].fill(0);
        }
        if !self.poison.is_empty() {
            self.poison[offset..offset + bytes].fill(false);
        }
        if !self.tags.is_empty() {
            self.tags[offset..offset + bytes].fill(None);
        }
        if !self.provenance.is_empty() && bytes > 0 {
            let end = offset + bytes;
            let cut = |at: usize| !at.is_multiple_of(8) && self.provenance[at / 8] != 0;
            if cut(offset) || cut(end) {
                self.numbers.set(true);
            }
            self.provenance[offset / 8..=(end - 1) / 8].fill(0);
        }
    }

    /// Whether some bytes are, or are part of, an address whose object is known.
    #[inline]
    pub(super) fn has_addresses(&self, offset: usize, bytes: usize) -> bool {
        !self.provenance.is_empty()
            && bytes > 0
            && self
                .provenance
                .get(offset / 8..=offset.saturating_add(bytes - 1) / 8)
                .is_some_and(|words| words.iter().any(|&w| w != 0))
    }

    pub(super) fn need_undef(&mut self) {
        if self.undef.is_empty() {
            self.undef = vec![0; self.data.len()];
        }
    }
}

#[inline]
fn word(bytes: &[u8], offset: usize, count: usize) -> u64 {
    match count {
        1 => bytes[offset].into(),
        4 => {
            let mut buffer = [0; 4];
            buffer.copy_from_slice(&bytes[offset..offset + 4]);
            u32::from_le_bytes(buffer).into()
        }
        8 => {
            let mut buffer = [0; 8];
            buffer.copy_from_slice(&bytes[offset..offset + 8]);
            u64::from_le_bytes(buffer)
        }
        _ => bytes[offset..offset + count].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// An integer of at most 128 bits, some of which may be undef.
pub(crate) fn partial(width: u32, bits: u128, undef: u128) -> Value {
    let all = mask128(width);
    match undef & all {
        0 => Value::from_bits(width, bits),
        undef if undef == all => Value::Undef,
        undef => Value::Partial(Arc::new(Partial { bits: bits & all & !undef, undef })),
    }
}

/// Bits of an integer of at most 128 bits.
pub(crate) fn slice(value: &Value, from: u32, width: u32) -> Value {
    match value {
        Value::Partial(part) => partial(width, part.bits >> from, part.undef >> from),
        value => {
            value.bits().map_or_else(|| value.clone(), |bits| Value::from_bits(width, bits >> from & mask128(width)))
        }
    }
}

/// Integers side by side, the first in the lowest bits, in at most 128 bits; poison when one is.
pub(crate) fn join(lanes: &[Value], bits: u32) -> Value {
    let (mut data, mut undef) = (0u128, 0u128);
    for (index, lane) in lanes.iter().enumerate() {
        let shift = bits * index as u32;
        match lane {
            Value::Undef => undef |= mask128(bits) << shift,
            Value::Partial(part) => {
                data |= part.bits << shift;
                undef |= part.undef << shift;
            }
            lane => match lane.bits() {
                Some(bits) => data |= bits << shift,
                None => return Value::Poison,
            },
        }
    }
    partial(bits * lanes.len() as u32, data, undef)
}
