//! Values: the content of an origin of the graph while a body is evaluated.

use std::fmt;
use std::sync::Arc;

/// An address together with the object it may be used for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Pointer {
    /// The concrete address.
    pub address: u64,
    /// The number of the object that the pointer is derived from; 0 for a pointer made from an integer, which may be used
    /// for whatever object has the address.
    pub object: u32,
}

impl Pointer {
    /// The null pointer.
    pub const NULL: Pointer = Pointer { address: 0, object: 0 };

    /// The pointer `bytes` bytes further on.
    pub fn offset(self, bytes: u64) -> Pointer {
        Pointer { address: self.address.wrapping_add(bytes), object: self.object }
    }
}

/// What an origin holds. The type is not part of it: the graph knows it.
///
/// ```
/// use rvsdg_interp::Value;
///
/// let byte = Value::from_bits(8, 200);
/// assert_eq!(byte.bits(), Some(200));
/// let pair = Value::seq(vec![byte, Value::Poison]);
/// assert!(pair.has_poison());
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// Poison, of any type.
    Poison,
    /// Undef in every bit, of any type.
    Undef,
    /// An integer or the bits of a float, of at most 64 bits, those beyond the width zero; or an alternative.
    Int(u64),
    /// A pointer.
    Ptr(Pointer),
    /// An integer or the bits of a float, of more than 64 bits: limbs, least significant first, as many as its width needs.
    Wide(Arc<Vec<u64>>),
    /// An integer of at most 128 bits, some of which are undef.
    Partial(Arc<Partial>),
    /// The elements of a vector, array or structure.
    Seq(Arc<Vec<Value>>),
}

/// Bits, some of which are undef.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Partial {
    /// The bits; zero where undef.
    pub bits: u128,
    /// Which are undef.
    pub undef: u128,
}

impl Value {
    /// Makes it an integer of at most 64 bits. Where it is one already only the bits are written, which is what makes this
    /// faster than an assignment.
    #[inline(always)]
    pub(crate) fn set_int(&mut self, bits: u64) {
        if let Value::Int(old) = self {
            *old = bits;
        } else {
            *self = Value::Int(bits);
        }
    }

    /// Makes it a pointer; as [`set_int`](Value::set_int).
    #[inline(always)]
    pub(crate) fn set_pointer(&mut self, pointer: Pointer) {
        if let Value::Ptr(old) = self {
            *old = pointer;
        } else {
            *self = Value::Ptr(pointer);
        }
    }

    /// A pointer from its address; it may be used for whatever has that address.
    pub fn address(address: u64) -> Value {
        Value::Ptr(Pointer { address, object: 0 })
    }

    /// `true` or `false`.
    pub fn bool(bit: bool) -> Value {
        Value::Int(bit.into())
    }

    /// A structure, array or vector.
    pub fn seq(elements: Vec<Value>) -> Value {
        Value::Seq(Arc::new(elements))
    }

    /// The bits of a defined integer or float of at most 128 bits.
    pub fn bits(&self) -> Option<u128> {
        match self {
            Value::Int(bits) => Some((*bits).into()),
            Value::Wide(limbs) if limbs.len() == 2 => Some(u128::from(limbs[0]) | u128::from(limbs[1]) << 64),
            Value::Ptr(pointer) => Some(pointer.address.into()),
            _ => None,
        }
    }

    /// An integer or float of `width` bits from its bits; those beyond the width are dropped.
    pub fn from_bits(width: u32, bits: u128) -> Value {
        if width <= 64 {
            Value::Int(bits as u64 & mask(width))
        } else {
            let bits = if width < 128 { bits & ((1 << width) - 1) } else { bits };
            let mut limbs = vec![bits as u64, (bits >> 64) as u64];
            limbs.resize(width.div_ceil(64) as usize, 0);
            Value::Wide(Arc::new(limbs))
        }
    }

    /// Whether no part of it is poison.
    pub fn has_poison(&self) -> bool {
        self.any(&|value| matches!(value, Value::Poison))
    }

    /// Whether every bit has a definite value.
    pub fn is_defined(&self) -> bool {
        !self.any(&|value| matches!(value, Value::Poison | Value::Undef | Value::Partial(_)))
    }

    fn any(&self, what: &dyn Fn(&Value) -> bool) -> bool {
        let mut pending = vec![self];
        while let Some(value) = pending.pop() {
            match value {
                Value::Seq(elements) => pending.extend(elements.iter()),
                value => {
                    if what(value) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Item<'a> {
            Value(&'a Value),
            Text(&'static str),
        }
        let mut pending = vec![Item::Value(self)];
        while let Some(item) = pending.pop() {
            match item {
                Item::Text(text) => f.write_str(text)?,
                Item::Value(Value::Poison) => f.write_str("poison")?,
                Item::Value(Value::Undef) => f.write_str("undef")?,
                Item::Value(Value::Int(bits)) => write!(f, "{bits}")?,
                Item::Value(Value::Ptr(pointer)) => write!(f, "{:#x}", pointer.address)?,
                Item::Value(Value::Wide(limbs)) => {
                    f.write_str("0x")?;
                    limbs.iter().rev().try_for_each(|limb| write!(f, "{limb:016x}"))?;
                }
                Item::Value(Value::Partial(partial)) => {
                    write!(f, "{:#x} with the bits {:#x} undef", partial.bits, partial.undef)?;
                }
                Item::Value(Value::Seq(elements)) => {
                    f.write_str("[")?;
                    pending.push(Item::Text("]"));
                    for (index, element) in elements.iter().enumerate().rev() {
                        pending.push(Item::Value(element));
                        if index > 0 {
                            pending.push(Item::Text(", "));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// The low `width` bits set; at most 64.
pub(crate) fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The low `width` bits set; at most 128.
pub(crate) fn mask128(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// `bits` of `width` (at most 64) as a signed number.
pub(crate) fn signed(width: u32, bits: u64) -> i64 {
    let shift = 64 - width;
    ((bits << shift) as i64) >> shift
}

/// `bits` of `width` (at most 128) as a signed number.
pub(crate) fn signed128(width: u32, bits: u128) -> i128 {
    let shift = 128 - width;
    ((bits << shift) as i128) >> shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_small() {
        assert!(size_of::<Value>() <= 24);
    }

    #[test]
    fn values_print() {
        let value = Value::seq(vec![Value::Int(7), Value::seq(vec![]), Value::Poison]);
        assert_eq!(value.to_string(), "[7, [], poison]");
    }
}
