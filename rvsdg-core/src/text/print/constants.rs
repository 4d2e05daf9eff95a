//! Constants.

use std::fmt::{self, Write};

use super::Writer;
use crate::constant::Words;
use crate::{Const, Constant, Type, TypeKind};

/// More elements than this are written one, or one group, to a line.
const LINE: usize = 16;

/// What remains to be written of a constant.
enum Piece<'p> {
    /// A constant after its type.
    Typed(Const),
    Type(Type),
    Text(&'static str),
    /// The payload that follows an operation's operands.
    OpTail(&'p crate::Op),
}

impl<'a> Writer<'a> {
    /// A constant with its type.
    pub(in crate::text) fn typed_const(&mut self, constant: Const) -> fmt::Result {
        self.ty(self.pool.constant(constant).ty())?;
        self.str(" ")?;
        self.const_value(constant)
    }

    /// A constant without its type. Its parts are written from an explicit stack.
    pub(in crate::text) fn const_value(&mut self, constant: Const) -> fmt::Result {
        let mut pending = vec![];
        self.const_pieces(&mut pending, self.pool.constant(constant))?;
        while let Some(piece) = pending.pop() {
            match piece {
                Piece::Typed(constant) => {
                    let constant = self.pool.constant(constant);
                    self.ty(constant.ty())?;
                    self.str(" ")?;
                    self.const_pieces(&mut pending, constant)?;
                }
                Piece::Type(ty) => self.ty(ty)?,
                Piece::Text(text) => self.str(text)?,
                Piece::OpTail(op) => self.op_tail(*op)?,
            }
        }
        Ok(())
    }

    fn const_pieces(&mut self, pending: &mut Vec<Piece<'a>>, constant: &'a Constant) -> fmt::Result {
        let start = pending.len();
        match constant {
            Constant::Int { ty, words } => return self.int(*ty, words),
            Constant::Float { ty, bits } => return self.float(self.pool.type_kind(*ty), *bits),
            Constant::Zero(ty) => {
                let pointer = matches!(self.pool.type_kind(*ty), TypeKind::Ptr(_));
                return self.str(if pointer { "null" } else { "zeroinitializer" });
            }
            Constant::Undef(_) => return self.str("undef"),
            Constant::Poison(_) => return self.str("poison"),
            Constant::None(_) => return self.str("none"),
            Constant::Data { ty, bytes } => return self.data(*ty, bytes),
            Constant::Hole { index, .. } => return self.numbered("?", (*index).into()),
            Constant::DsoLocalEquivalent { index, .. } => return write!(self, "dso_local_equivalent ?{index}"),
            Constant::Funclet { number, .. } => return self.numbered("funclet ", (*number).into()),
            Constant::NoCfi { index, .. } => return write!(self, "no_cfi ?{index}"),
            Constant::BlockAddress { index, block, .. } => return write!(self, "blockaddress(?{index}, {block})"),
            Constant::Aggregate { ty, elements } => {
                let (open, close) = match self.pool.type_kind(*ty) {
                    TypeKind::Array { .. } => ("[", "]"),
                    TypeKind::Vector { .. } => ("<", ">"),
                    TypeKind::Struct { packed: true, .. } | TypeKind::Named { packed: true, .. } => ("<{ ", " }>"),
                    _ => ("{ ", " }"),
                };
                // Outside of brackets, which angles are not, a line end would end an item of the top level.
                let separator = if elements.len() > LINE && open != "<" { ",\n  " } else { ", " };
                pending.push(Piece::Text(open));
                separated(pending, elements, separator);
                pending.push(Piece::Text(close));
            }
            Constant::Splat { element, .. } => {
                pending.extend([Piece::Text("splat ("), Piece::Typed(*element), Piece::Text(")")]);
            }
            Constant::PtrAuth { operands, .. } => {
                pending.push(Piece::Text("ptrauth ("));
                separated(pending, operands, ", ");
                pending.push(Piece::Text(")"));
            }
            Constant::Expr { op, operands, in_range, .. } => {
                self.op_head(*op)?;
                if let Some((from, to)) = in_range {
                    write!(self, " inrange({from}, {to})")?;
                }
                pending.push(Piece::Text(" ("));
                if let Some(ty) = super::ops::type_clause(*op) {
                    pending.push(Piece::Type(ty));
                    if !operands.is_empty() {
                        pending.push(Piece::Text(", "));
                    }
                }
                separated(pending, operands, ", ");
                pending.extend([Piece::OpTail(op), Piece::Text(")")]);
            }
        }
        pending[start..].reverse();
        Ok(())
    }

    /// An integer: decimal and signed up to 64 bits, `true` and `false` for one bit, else hexadecimal.
    fn int(&mut self, ty: Type, words: &Words) -> fmt::Result {
        let bits = match self.pool.type_kind(ty) {
            TypeKind::Int(bits) => *bits,
            _ => 64,
        };
        match words {
            Words::Small(value) => self.small_int(bits, *value),
            Words::Large(limbs) => {
                let Some(top) = limbs.iter().rposition(|&limb| limb != 0) else { return self.str("0x0") };
                write!(self, "{:#X}", limbs[top])?;
                limbs[..top].iter().rev().try_for_each(|limb| write!(self, "{limb:016X}"))
            }
        }
    }

    fn small_int(&mut self, bits: u32, value: u64) -> fmt::Result {
        if bits == 1 && value <= 1 {
            return self.str(if value == 1 { "true" } else { "false" });
        }
        let unused = 64 - bits.clamp(1, 64);
        let signed = (value << unused) as i64 >> unused;
        if signed < 0 { self.numbered("-", signed.unsigned_abs()) } else { self.numbered("", signed as u64) }
    }

    /// A float: shortest decimal where that is exact, else the bits of its format in hexadecimal.
    fn float(&mut self, kind: &TypeKind, bits: u128) -> fmt::Result {
        match kind {
            TypeKind::Float if bits >> 32 == 0 && f32::from_bits(bits as u32).is_finite() => {
                write!(self, "{:?}", f32::from_bits(bits as u32))
            }
            TypeKind::Double if bits >> 64 == 0 && f64::from_bits(bits as u64).is_finite() => {
                write!(self, "{:?}", f64::from_bits(bits as u64))
            }
            _ => write!(self, "{bits:#X}"),
        }
    }

    /// Packed elements: a string of bytes, or a list of numbers.
    fn data(&mut self, ty: Type, bytes: &[u8]) -> fmt::Result {
        let element = match *self.pool.type_kind(ty) {
            TypeKind::Array { element, .. } | TypeKind::Vector { element, .. } => self.pool.type_kind(element),
            _ => &TypeKind::Void,
        };
        let size = match element {
            TypeKind::Int(16) | TypeKind::Half | TypeKind::BFloat => 2,
            TypeKind::Int(32) | TypeKind::Float => 4,
            TypeKind::Int(64) | TypeKind::Double => 8,
            _ => 1,
        };
        if size == 1 || !bytes.len().is_multiple_of(size) {
            self.str("c")?;
            return self.quoted(bytes);
        }
        self.str("data [")?;
        for (index, lane) in bytes.chunks_exact(size).enumerate() {
            match index {
                0 => {}
                _ if index % LINE == 0 => self.str(",\n  ")?,
                _ => self.str(", ")?,
            }
            let value = lane.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
            match element {
                TypeKind::Int(bits) => self.small_int(*bits, value)?,
                _ => self.float(element, value.into())?,
            }
        }
        self.str("]")
    }
}

fn separated(pending: &mut Vec<Piece<'_>>, constants: &[Const], separator: &'static str) {
    for (index, &constant) in constants.iter().enumerate() {
        if index > 0 {
            pending.push(Piece::Text(separator));
        }
        pending.push(Piece::Typed(constant));
    }
}
