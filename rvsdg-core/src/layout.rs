//! Sizes, alignments and offsets of types, from the module's data layout string.

mod data;
mod float;

use std::sync::Arc;

pub use data::{Alignment, DataLayout, MalformedLayout, PointerLayout};
pub use float::FloatKind;

use crate::{Pool, Type, TypeKind};
use rustc_hash::FxHashMap;

/// A scalar's type.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// An integer of this many bits.
    Int(u32),
    /// A float.
    Float(FloatKind),
    /// A pointer of this many bits.
    Ptr(u32),
}

impl Scalar {
    /// The number of bits.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Int(bits) | Scalar::Ptr(bits) => bits,
            Scalar::Float(kind) => kind.bits(),
        }
    }
}

/// What the bytes of a type mean.
#[derive(Clone, Debug)]
pub enum Shape {
    /// One scalar.
    Scalar(Scalar),
    /// Scalars whose bits follow one another without padding.
    Vector {
        /// Each of them.
        lane: Scalar,
        /// How many.
        len: u32,
    },
    /// Elements of one type.
    Array {
        /// Each of them.
        element: Arc<Layout>,
        /// How many.
        len: u64,
    },
    /// Elements with their offsets.
    Struct(Box<[(u64, Arc<Layout>)]>),
}

/// Size, alignment and parts of a type.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The distance between elements of an array.
    pub size: u64,
    /// The bytes that a store writes.
    pub store: u64,
    /// The alignment in bytes that the ABI demands.
    pub align: u64,
    /// The default alignment of variables in bytes.
    pub preferred_align: u64,
    /// The parts.
    pub shape: Shape,
}

impl Layout {
    /// The elements of a structure with their offsets.
    pub fn fields(&self) -> Option<&[(u64, Arc<Layout>)]> {
        match &self.shape {
            Shape::Struct(fields) => Some(fields),
            Shape::Scalar(_) | Shape::Vector { .. } | Shape::Array { .. } => None,
        }
    }
}

/// The layouts of a module's types.
pub struct Layouts {
    data: DataLayout,
    known: FxHashMap<Type, Result<Arc<Layout>, String>>,
}

impl Layouts {
    /// The layouts under a data layout.
    pub fn new(data: DataLayout) -> Layouts {
        Layouts { data, known: FxHashMap::default() }
    }

    /// The layout of scalars that they are made of.
    pub fn data(&self) -> &DataLayout {
        &self.data
    }

    /// The layout of a type.
    ///
    /// # Errors
    /// Names a type that has none here.
    pub fn of(&mut self, pool: &Pool, ty: Type) -> Result<Arc<Layout>, String> {
        let mut pending = vec![ty];
        while let Some(&top) = pending.last() {
            if self.known.contains_key(&top) {
                pending.pop();
                continue;
            }
            let before = pending.len();
            match pool.type_kind(top) {
                TypeKind::Array { element, .. } | TypeKind::Vector { element, .. } => pending.push(*element),
                TypeKind::Struct { elements, .. } => pending.extend(&elements[..]),
                TypeKind::Named { elements: Some(elements), .. } => pending.extend(&elements[..]),
                TypeKind::Int(_)
                | TypeKind::Half
                | TypeKind::BFloat
                | TypeKind::Float
                | TypeKind::Double
                | TypeKind::X86Fp80
                | TypeKind::Fp128
                | TypeKind::PpcFp128
                | TypeKind::X86Amx
                | TypeKind::Ptr(_)
                | TypeKind::Named { elements: None, .. }
                | TypeKind::Function { .. }
                | TypeKind::Target { .. }
                | TypeKind::Void
                | TypeKind::Token
                | TypeKind::Metadata
                | TypeKind::Ctl(_)
                | TypeKind::Mem
                | TypeKind::Io => {}
            }
            let known = &self.known;
            let mut index = 0;
            pending.retain(|ty| {
                index += 1;
                index <= before || !known.contains_key(ty)
            });
            if pending.len() == before {
                let layout = self.make(pool, top).map(Arc::new);
                self.known.insert(top, layout);
            }
        }
        self.known[&ty].clone()
    }

    fn child(&self, ty: Type) -> Result<Arc<Layout>, String> {
        self.known[&ty].clone()
    }

    /// The layout of a type whose parts have theirs.
    fn make(&self, pool: &Pool, ty: Type) -> Result<Layout, String> {
        let made = |bits: u64, Alignment { abi, preferred }, shape| {
            let store = bits.div_ceil(8);
            Layout { size: store.next_multiple_of(abi), store, align: abi, preferred_align: preferred, shape }
        };
        let scalar = |scalar: Scalar, align| made(scalar.bits().into(), align, Shape::Scalar(scalar));
        let kind = pool.type_kind(ty);
        if let Some(float) = FloatKind::of(kind) {
            return Ok(scalar(Scalar::Float(float), self.data.float(float.bits())));
        }
        match kind {
            TypeKind::Int(bits) => Ok(scalar(Scalar::Int(*bits), self.data.int(*bits))),
            TypeKind::Ptr(space) => {
                let pointer = self.data.pointer(*space);
                Ok(scalar(Scalar::Ptr(pointer.bits), pointer.align))
            }
            TypeKind::Vector { scalable: true, .. } => Err("scalable vector".into()),
            TypeKind::Vector { element, len, .. } => {
                let Shape::Scalar(lane) = self.child(*element)?.shape else {
                    return Err("vector of no scalars".into());
                };
                let bits = u64::from(lane.bits()) * u64::from(*len);
                Ok(made(bits, self.data.vector(bits), Shape::Vector { lane, len: *len }))
            }
            TypeKind::Array { element, len } => {
                let element = self.child(*element)?;
                let size = element.size.checked_mul(*len).ok_or("array of more bytes than there are addresses")?;
                let Layout { align, preferred_align, .. } = *element;
                Ok(Layout { size, store: size, align, preferred_align, shape: Shape::Array { element, len: *len } })
            }
            TypeKind::Struct { elements, packed } | TypeKind::Named { elements: Some(elements), packed, .. } => {
                const TOO_LARGE: &str = "structure larger than memory";
                let Alignment { abi, preferred } = self.data.aggregate;
                let (mut offset, mut align) = (0u64, 1);
                let mut fields = Vec::with_capacity(elements.len());
                for &element in elements {
                    let layout = self.child(element)?;
                    if !packed {
                        offset = offset.checked_next_multiple_of(layout.align).ok_or(TOO_LARGE)?;
                        align = align.max(layout.align);
                    }
                    let start = offset;
                    offset = offset.checked_add(layout.size).ok_or(TOO_LARGE)?;
                    fields.push((start, layout));
                }
                // What the data layout demands of aggregates is between them, not part of them.
                let store = offset.checked_next_multiple_of(align).ok_or(TOO_LARGE)?;
                let preferred_align = align.max(preferred);
                let align = if *packed { 1 } else { align.max(abi) };
                let size = store.checked_next_multiple_of(align).ok_or(TOO_LARGE)?;
                Ok(Layout { size, store, align, preferred_align, shape: Shape::Struct(fields.into()) })
            }
            TypeKind::Named { name, .. } => Err(format!("opaque structure %{name}")),
            TypeKind::PpcFp128 => Err("ppc_fp128".into()),
            TypeKind::X86Amx => Err("x86_amx".into()),
            TypeKind::Target { name, .. } => Err(format!("target type {name}")),
            TypeKind::Function { .. } => Err("function as a value".into()),
            TypeKind::Void | TypeKind::Token | TypeKind::Metadata => Err("type without a size".into()),
            TypeKind::Ctl(_) | TypeKind::Mem | TypeKind::Io => Err("predicate or state as a value".into()),
            TypeKind::Half
            | TypeKind::BFloat
            | TypeKind::Float
            | TypeKind::Double
            | TypeKind::X86Fp80
            | TypeKind::Fp128 => Err("float".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_are_padded() {
        let pool = Pool::new();
        let i8 = pool.int(8);
        let elements = vec![i8, Type::I32, i8, Type::PTR].into_boxed_slice();
        let plain = pool.intern_type(TypeKind::Struct { elements: elements.clone(), packed: false });
        let packed = pool.intern_type(TypeKind::Struct { elements, packed: true });
        let data = DataLayout::parse("e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128").unwrap();
        let mut layouts = Layouts::new(data);
        let layout = layouts.of(&pool, plain).unwrap();
        let Shape::Struct(fields) = &layout.shape else { panic!("a structure") };
        assert_eq!(fields.iter().map(|field| field.0).collect::<Vec<_>>(), [0, 4, 8, 16]);
        assert_eq!((layout.size, layout.align), (24, 8));
        assert_eq!(layouts.of(&pool, packed).unwrap().size, 14);
        assert_eq!(layouts.of(&pool, pool.int(128)).unwrap().align, 16);
        let x87 = pool.intern_type(TypeKind::X86Fp80);
        assert_eq!((layouts.of(&pool, x87).unwrap().store, layouts.of(&pool, x87).unwrap().size), (10, 16));
    }
}
