//! LLVM's types as interned types, by number.

use rvsdg_core::{Pool, Type, TypeKind};

use crate::carrier::{Carrier, NONE};
use crate::stream::Reader;

/// LLVM's `Type::TypeID`.
pub(crate) mod id {
    pub const HALF: u32 = 0;
    pub const BFLOAT: u32 = 1;
    pub const FLOAT: u32 = 2;
    pub const DOUBLE: u32 = 3;
    pub const X86_FP80: u32 = 4;
    pub const FP128: u32 = 5;
    pub const PPC_FP128: u32 = 6;
    pub const VOID: u32 = 7;
    pub const METADATA: u32 = 9;
    pub const X86_AMX: u32 = 10;
    pub const TOKEN: u32 = 11;
    pub const INTEGER: u32 = 12;
    pub const FUNCTION: u32 = 13;
    pub const POINTER: u32 = 14;
    pub const STRUCT: u32 = 15;
    pub const ARRAY: u32 = 16;
    pub const FIXED_VECTOR: u32 = 17;
    pub const SCALABLE_VECTOR: u32 = 18;
    pub const TARGET: u32 = 20;
}

/// The types seen so far, in both directions.
#[derive(Default)]
pub(crate) struct Types {
    /// By number.
    known: Vec<Option<Type>>,
    /// By type: its number, for export.
    numbers: Vec<u32>,
    anonymous: u32,
}

impl Types {
    /// The type with this number. Types are read children first, with an explicit stack.
    pub fn get(&mut self, carrier: &mut Carrier, pool: &Pool, number: u32) -> Type {
        if let Some(ty) = self.lookup(number) {
            return ty;
        }
        let mut words = Vec::new();
        let mut pending = vec![number];
        while let Some(&top) = pending.last() {
            if self.lookup(top).is_some() {
                pending.pop();
                continue;
            }
            carrier.describe_type(top, &mut words);
            let mut children = children(&words).filter(|&child| self.lookup(child).is_none()).peekable();
            if children.peek().is_some() {
                pending.extend(children);
                continue;
            }
            let ty = pool.intern_type(self.kind(carrier, &words));
            self.insert(top, ty);
            pending.pop();
        }
        self.lookup(number).expect("every type on the stack was read")
    }

    /// The number of a type that the module has.
    pub fn number(&self, ty: Type) -> Option<u32> {
        let number = self.numbers.get(ty.as_u32() as usize).copied()?;
        (number != NONE).then_some(number)
    }

    /// Says that a type has this number.
    fn insert(&mut self, number: u32, ty: Type) {
        let at = number as usize;
        if self.known.len() <= at {
            self.known.resize(at + 1, None);
        }
        self.known[at] = Some(ty);
        self.insert_number(number, ty);
    }

    /// Says that a type can be written as the one with this number.
    pub fn insert_number(&mut self, number: u32, ty: Type) {
        let at = ty.as_u32() as usize;
        if self.numbers.len() <= at {
            self.numbers.resize(at + 1, NONE);
        }
        self.numbers[at] = number;
    }

    fn lookup(&self, number: u32) -> Option<Type> {
        self.known.get(number as usize).copied().flatten()
    }

    fn known(&self, number: u32) -> Type {
        self.lookup(number).expect("children are read first")
    }

    fn list(&self, numbers: &[u32]) -> Box<[Type]> {
        numbers.iter().map(|&number| self.known(number)).collect()
    }

    fn kind(&mut self, carrier: &Carrier, words: &[u32]) -> TypeKind {
        let mut reader = Reader::new(words);
        match reader.word() {
            id::HALF => TypeKind::Half,
            id::BFLOAT => TypeKind::BFloat,
            id::FLOAT => TypeKind::Float,
            id::DOUBLE => TypeKind::Double,
            id::X86_FP80 => TypeKind::X86Fp80,
            id::FP128 => TypeKind::Fp128,
            id::PPC_FP128 => TypeKind::PpcFp128,
            id::VOID => TypeKind::Void,
            id::METADATA => TypeKind::Metadata,
            id::X86_AMX => TypeKind::X86Amx,
            id::TOKEN => TypeKind::Token,
            id::INTEGER => TypeKind::Int(reader.word()),
            id::POINTER => TypeKind::Ptr(reader.word()),
            id::FUNCTION => {
                let variadic = reader.word() != 0;
                let result = self.known(reader.word());
                TypeKind::Function { result, params: self.list(reader.rest()), variadic }
            }
            id::STRUCT => {
                let flags = reader.word();
                let name = reader.word();
                let elements = self.list(reader.rest());
                let packed = flags & 1 != 0;
                if flags & 2 != 0 {
                    TypeKind::Struct { elements, packed }
                } else {
                    let name = if name == NONE { self.anonymous_name() } else { text(carrier, name) };
                    TypeKind::Named { name, elements: (flags & 4 == 0).then_some(elements), packed }
                }
            }
            id::ARRAY => {
                let element = self.known(reader.word());
                TypeKind::Array { element, len: reader.wide() }
            }
            kind @ (id::FIXED_VECTOR | id::SCALABLE_VECTOR) => {
                let element = self.known(reader.word());
                TypeKind::Vector { element, len: reader.word(), scalable: kind == id::SCALABLE_VECTOR }
            }
            id::TARGET => {
                let name = text(carrier, reader.word());
                let count = reader.word() as usize;
                let (types, ints) = reader.rest().split_at(count);
                TypeKind::Target { name, types: self.list(types), ints: ints.into() }
            }
            other => unreachable!("LLVM has no type kind {other} as the type of a value, parameter or global"),
        }
    }

    /// A name for a structure that has none in the module, but an identity.
    fn anonymous_name(&mut self) -> Box<str> {
        self.anonymous += 1;
        format!("rvsdg.anonymous.{}", self.anonymous).into()
    }
}

/// The numbers of the types that a description mentions.
fn children(words: &[u32]) -> impl Iterator<Item = u32> + '_ {
    let range = match words[0] {
        id::FUNCTION => 2..words.len(),
        id::STRUCT => 3..words.len(),
        id::ARRAY | id::FIXED_VECTOR | id::SCALABLE_VECTOR => 1..2,
        id::TARGET => 3..3 + words[2] as usize,
        _ => 0..0,
    };
    words[range].iter().copied()
}

/// An interned string of the carrier as text.
pub(crate) fn text(carrier: &Carrier, id: u32) -> Box<str> {
    String::from_utf8_lossy(&carrier.string(id)).into()
}
