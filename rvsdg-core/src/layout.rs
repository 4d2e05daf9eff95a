//! Sizes, alignments and offsets of types, from the module's data layout string (LangRef, "Data Layout"): of little-endian
//! targets with pointers of 64 bits.

use std::sync::Arc;

use crate::{Pool, Type, TypeKind};
use rustc_hash::FxHashMap;

/// How scalars are laid out.
#[derive(Clone, Debug)]
struct DataLayout {
    /// ABI alignment by width, ascending.
    ints: Vec<(u32, u64)>,
    floats: Vec<(u32, u64)>,
    vectors: Vec<(u64, u64)>,
    aggregate: u64,
    /// Size and ABI alignment in bytes, by address space.
    pointers: FxHashMap<u32, (u64, u64)>,
    alloca_space: u32,
}

impl DataLayout {
    fn parse(text: &str) -> Result<DataLayout, String> {
        let mut layout = DataLayout {
            ints: vec![(1, 1), (8, 1), (16, 2), (32, 4), (64, 8)],
            floats: vec![(16, 2), (32, 4), (64, 8), (80, 16), (128, 16)],
            vectors: vec![(64, 8), (128, 16)],
            aggregate: 1,
            pointers: FxHashMap::from_iter([(0, (8, 8))]),
            alloca_space: 0,
        };
        for part in text.split('-').filter(|part| !part.is_empty()) {
            let mut fields = part.split(':');
            let head = fields.next().unwrap_or_default();
            let numbers: Vec<u64> = fields.map_while(|field| field.parse().ok()).collect();
            let letter = head.get(..1).unwrap_or_default();
            let size = head.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u64>().unwrap_or(0);
            let abi = numbers.first().map_or(1, |bits| bits / 8).max(1);
            match letter {
                "E" => return Err("big-endian data layout".into()),
                "p" => {
                    let bytes = numbers.first().map_or(8, |bits| bits / 8);
                    let align = numbers.get(1).map_or(bytes, |bits| bits / 8);
                    layout.pointers.insert(size as u32, (bytes, align.max(1)));
                }
                "i" => replace(&mut layout.ints, size as u32, abi),
                "f" => replace(&mut layout.floats, size as u32, abi),
                "v" => replace(&mut layout.vectors, size, abi),
                "a" if !numbers.is_empty() => layout.aggregate = abi,
                "A" => layout.alloca_space = size as u32,
                _ => {}
            }
        }
        Ok(layout)
    }

    fn int_align(&self, bits: u32) -> u64 {
        let fit = self.ints.iter().find(|&&(width, _)| width >= bits);
        fit.or(self.ints.last()).map_or(8, |&(_, align)| align)
    }

    fn float_align(&self, bits: u32) -> u64 {
        let fit = self.floats.iter().find(|&&(width, _)| width == bits);
        fit.map_or(u64::from(bits / 8).next_power_of_two(), |&(_, align)| align)
    }
}

fn replace<K: Ord + Copy>(table: &mut Vec<(K, u64)>, key: K, align: u64) {
    match table.binary_search_by_key(&key, |&(width, _)| width) {
        Ok(at) => table[at].1 = align,
        Err(at) => table.insert(at, (key, align)),
    }
}

/// A floating-point format.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum FloatKind {
    /// IEEE binary16.
    Half,
    /// The brain floating-point format.
    BFloat,
    /// IEEE binary32.
    Single,
    /// IEEE binary64.
    Double,
    /// The x87 80-bit format.
    X87,
    /// IEEE binary128.
    Quad,
}

impl FloatKind {
    /// That of a floating-point type.
    pub fn of(kind: &TypeKind) -> Option<FloatKind> {
        Some(match kind {
            TypeKind::Half => FloatKind::Half,
            TypeKind::BFloat => FloatKind::BFloat,
            TypeKind::Float => FloatKind::Single,
            TypeKind::Double => FloatKind::Double,
            TypeKind::X86Fp80 => FloatKind::X87,
            TypeKind::Fp128 => FloatKind::Quad,
            _ => return None,
        })
    }

    /// The number of bits.
    pub fn bits(self) -> u32 {
        match self {
            FloatKind::Half | FloatKind::BFloat => 16,
            FloatKind::Single => 32,
            FloatKind::Double => 64,
            FloatKind::X87 => 80,
            FloatKind::Quad => 128,
        }
    }
}

/// A scalar's type.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// An integer of so many bits.
    Int(u32),
    /// A float.
    Float(FloatKind),
    /// A pointer.
    Ptr,
}

impl Scalar {
    /// The number of bits.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Int(bits) => bits,
            Scalar::Float(kind) => kind.bits(),
            Scalar::Ptr => 64,
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
    /// The alignment in bytes.
    pub align: u64,
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
    /// Those of a data layout string.
    ///
    /// # Errors
    /// Names a property of the data layout that is not supported.
    pub fn new(data_layout: &str) -> Result<Layouts, String> {
        Ok(Layouts { data: DataLayout::parse(data_layout)?, known: FxHashMap::default() })
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
                _ => {}
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
        let scalar = |scalar: Scalar, align: u64| {
            let store = u64::from(scalar.bits().div_ceil(8));
            Layout { size: store.next_multiple_of(align), store, align, shape: Shape::Scalar(scalar) }
        };
        let kind = pool.type_kind(ty);
        if let Some(float) = FloatKind::of(kind) {
            return Ok(scalar(Scalar::Float(float), self.data.float_align(float.bits())));
        }
        match kind {
            TypeKind::Int(bits) => Ok(scalar(Scalar::Int(*bits), self.data.int_align(*bits))),
            TypeKind::Ptr(space) => {
                let &(bytes, align) = self.data.pointers.get(space).unwrap_or(&(8, 8));
                if bytes != 8 {
                    return Err(format!("pointers of {} bits", bytes * 8));
                }
                Ok(scalar(Scalar::Ptr, align))
            }
            TypeKind::Vector { scalable: true, .. } => Err("scalable vector".into()),
            TypeKind::Vector { element, len, .. } => {
                let Shape::Scalar(lane) = self.child(*element)?.shape else {
                    return Err("vector of no scalars".into());
                };
                let bits = u64::from(lane.bits()) * u64::from(*len);
                let store = bits.div_ceil(8);
                let fit = self.data.vectors.iter().find(|&&(width, _)| width == bits);
                let align = fit.map_or(store.next_power_of_two(), |&(_, align)| align);
                let shape = Shape::Vector { lane, len: *len };
                Ok(Layout { size: store.next_multiple_of(align), store, align, shape })
            }
            TypeKind::Array { element, len } => {
                let element = self.child(*element)?;
                let size = element.size.checked_mul(*len).ok_or("array of more bytes than there are addresses")?;
                Ok(Layout { size, store: size, align: element.align, shape: Shape::Array { element, len: *len } })
            }
            TypeKind::Struct { elements, packed } | TypeKind::Named { elements: Some(elements), packed, .. } => {
                let mut offset = 0u64;
                let mut align = if *packed { 1 } else { self.data.aggregate };
                let mut fields = Vec::with_capacity(elements.len());
                for &element in elements {
                    let layout = self.child(element)?;
                    if !packed {
                        offset = offset.checked_next_multiple_of(layout.align).ok_or("structure larger than memory")?;
                        align = align.max(layout.align);
                    }
                    let start = offset;
                    offset = offset.checked_add(layout.size).ok_or("structure larger than memory")?;
                    fields.push((start, layout));
                }
                let size = offset.checked_next_multiple_of(align).ok_or("structure larger than memory")?;
                Ok(Layout { size, store: size, align, shape: Shape::Struct(fields.into()) })
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
        let mut layouts = Layouts::new("e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128").unwrap();
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
