//! Types.

use std::fmt::{self, Write};

use super::Writer;
use crate::{Type, TypeKind};

/// What remains to be written of a type.
enum Piece<'p> {
    Type(Type),
    Text(&'static str),
    Number(&'static str, u64),
    Target(&'p str),
}

impl<'a> Writer<'a> {
    /// A type. Nested types are written from an explicit stack.
    pub(in crate::text) fn ty(&mut self, ty: Type) -> fmt::Result {
        let mut pending = vec![];
        self.type_pieces(&mut pending, self.pool.type_kind(ty))?;
        while let Some(piece) = pending.pop() {
            match piece {
                Piece::Type(ty) => self.type_pieces(&mut pending, self.pool.type_kind(ty))?,
                Piece::Text(text) => self.str(text)?,
                Piece::Number(text, number) => self.numbered(text, number)?,
                Piece::Target(name) => self.quoted(name.as_bytes())?,
            }
        }
        Ok(())
    }

    /// Writes a type that is a word, or pushes the pieces of one that is not, last first.
    fn type_pieces(&mut self, pending: &mut Vec<Piece<'a>>, kind: &'a TypeKind) -> fmt::Result {
        let start = pending.len();
        match kind {
            TypeKind::Int(bits) => return self.numbered("i", (*bits).into()),
            TypeKind::Half => return self.str("half"),
            TypeKind::BFloat => return self.str("bfloat"),
            TypeKind::Float => return self.str("float"),
            TypeKind::Double => return self.str("double"),
            TypeKind::X86Fp80 => return self.str("x86_fp80"),
            TypeKind::Fp128 => return self.str("fp128"),
            TypeKind::PpcFp128 => return self.str("ppc_fp128"),
            TypeKind::X86Amx => return self.str("x86_amx"),
            TypeKind::Ptr(0) => return self.str("ptr"),
            TypeKind::Ptr(space) => return write!(self, "ptr addrspace({space})"),
            TypeKind::Void => return self.str("void"),
            TypeKind::Token => return self.str("token"),
            TypeKind::Metadata => return self.str("metadata"),
            TypeKind::Ctl(alternatives) => return write!(self, "ctl({alternatives})"),
            TypeKind::Mem => return self.str("mem"),
            TypeKind::Io => return self.str("io"),
            TypeKind::Named { name, .. } => return self.sigil('%', name),
            TypeKind::Vector { element, len, scalable } => {
                let open = if *scalable { "<vscale x " } else { "<" };
                let len = Piece::Number(open, (*len).into());
                pending.extend([len, Piece::Text(" x "), Piece::Type(*element), Piece::Text(">")]);
            }
            TypeKind::Array { element, len } => {
                pending.extend([Piece::Number("[", *len), Piece::Text(" x "), Piece::Type(*element), Piece::Text("]")]);
            }
            TypeKind::Struct { elements, packed } => fields(pending, elements, *packed),
            TypeKind::Function { result, params, variadic } => {
                pending.extend([Piece::Type(*result), Piece::Text(" (")]);
                separated(pending, params);
                match (variadic, params.is_empty()) {
                    (false, _) => pending.push(Piece::Text(")")),
                    (true, true) => pending.push(Piece::Text("...)")),
                    (true, false) => pending.push(Piece::Text(", ...)")),
                }
            }
            TypeKind::Target { name, types, ints } => {
                pending.extend([Piece::Text("target("), Piece::Target(name)]);
                for &ty in types {
                    pending.extend([Piece::Text(", "), Piece::Type(ty)]);
                }
                pending.extend(ints.iter().map(|&int| Piece::Number(", ", int.into())));
                pending.push(Piece::Text(")"));
            }
        }
        pending[start..].reverse();
        Ok(())
    }

    /// The definition of a named type: its fields, or `opaque`.
    pub(in crate::text) fn named_type(&mut self, elements: Option<&[Type]>, packed: bool) -> fmt::Result {
        let Some(elements) = elements else { return self.str(if packed { "packed opaque" } else { "opaque" }) };
        let mut pending = vec![];
        fields(&mut pending, elements, packed);
        for piece in pending {
            match piece {
                Piece::Type(ty) => self.ty(ty)?,
                Piece::Text(text) => self.str(text)?,
                Piece::Number(text, number) => self.numbered(text, number)?,
                Piece::Target(name) => self.quoted(name.as_bytes())?,
            }
        }
        Ok(())
    }
}

fn fields(pending: &mut Vec<Piece<'_>>, elements: &[Type], packed: bool) {
    let (open, close) = match (packed, elements.is_empty()) {
        (false, false) => ("{ ", " }"),
        (false, true) => ("{", "}"),
        (true, false) => ("<{ ", " }>"),
        (true, true) => ("<{", "}>"),
    };
    pending.push(Piece::Text(open));
    separated(pending, elements);
    pending.push(Piece::Text(close));
}

fn separated(pending: &mut Vec<Piece<'_>>, types: &[Type]) {
    for (index, &ty) in types.iter().enumerate() {
        if index > 0 {
            pending.push(Piece::Text(", "));
        }
        pending.push(Piece::Type(ty));
    }
}
