//! Types, and the definitions of named ones.

use rvsdg_core::{Type, TypeKind};
use smallvec::{SmallVec, smallvec};

use crate::emitter::Emitter;
use crate::error::Result;
use crate::names::{push_name, push_quoted};

/// What is still to be written of a type; types nest as deep as the input likes, so no recursion.
enum Piece<'a> {
    Text(&'static str),
    Type(Type),
    /// Separated by commas.
    List(&'a [Type]),
    Numbers(&'a [u32]),
}

impl<'a> Emitter<'a> {
    /// Writes a type; a named one by its name, which is remembered for [`Emitter::named_types`].
    pub(crate) fn ty(&mut self, ty: Type) -> Result {
        let mut pending: SmallVec<[Piece<'a>; 4]> = smallvec![Piece::Type(ty)];
        self.type_pieces(&mut pending)
    }

    fn type_pieces(&mut self, pending: &mut SmallVec<[Piece<'a>; 4]>) -> Result {
        while let Some(piece) = pending.pop() {
            match piece {
                Piece::Text(text) => self.out.push_str(text),
                Piece::Type(ty) => self.type_piece(ty, pending)?,
                Piece::List([]) => {}
                Piece::List([first, rest @ ..]) => {
                    if !rest.is_empty() {
                        pending.push(Piece::List(rest));
                        pending.push(Piece::Text(", "));
                    }
                    pending.push(Piece::Type(*first));
                }
                Piece::Numbers(numbers) => {
                    for number in numbers {
                        self.out.push_str(", ");
                        self.number(*number);
                    }
                }
            }
        }
        Ok(())
    }

    fn type_piece(&mut self, ty: Type, pending: &mut SmallVec<[Piece<'a>; 4]>) -> Result {
        let pool = self.pool;
        match pool.type_kind(ty) {
            TypeKind::Int(bits) => {
                self.out.push('i');
                self.number(*bits);
            }
            TypeKind::Half => self.out.push_str("half"),
            TypeKind::BFloat => self.out.push_str("bfloat"),
            TypeKind::Float => self.out.push_str("float"),
            TypeKind::Double => self.out.push_str("double"),
            TypeKind::X86Fp80 => self.out.push_str("x86_fp80"),
            TypeKind::Fp128 => self.out.push_str("fp128"),
            TypeKind::PpcFp128 => self.out.push_str("ppc_fp128"),
            TypeKind::X86Amx => self.out.push_str("x86_amx"),
            TypeKind::Void => self.out.push_str("void"),
            TypeKind::Token => self.out.push_str("token"),
            TypeKind::Metadata => self.out.push_str("metadata"),
            TypeKind::Ptr(0) => self.out.push_str("ptr"),
            TypeKind::Ptr(space) => {
                self.out.push_str("ptr ");
                self.address_space(*space);
            }
            TypeKind::Vector { element, len, scalable } => {
                self.out.push_str(if *scalable { "<vscale x " } else { "<" });
                self.number(*len);
                self.out.push_str(" x ");
                pending.extend([Piece::Text(">"), Piece::Type(*element)]);
            }
            TypeKind::Array { element, len } => {
                self.out.push('[');
                self.number(*len);
                self.out.push_str(" x ");
                pending.extend([Piece::Text("]"), Piece::Type(*element)]);
            }
            TypeKind::Struct { elements, packed } => self.fields(elements, *packed, pending),
            TypeKind::Named { name, .. } => {
                if self.named_seen.insert(ty) {
                    self.named.push(ty);
                }
                self.out.push('%');
                push_name(&mut self.out, name);
            }
            TypeKind::Function { result, params, variadic } => {
                let end = match (*variadic, params.is_empty()) {
                    (false, _) => ")",
                    (true, true) => "...)",
                    (true, false) => ", ...)",
                };
                pending.extend([Piece::Text(end), Piece::List(params), Piece::Text(" ("), Piece::Type(*result)]);
            }
            TypeKind::Target { name, types, ints } => {
                self.out.push_str("target(");
                push_quoted(&mut self.out, name.as_bytes());
                pending.extend([Piece::Text(")"), Piece::Numbers(ints), Piece::List(types)]);
                if !types.is_empty() {
                    pending.push(Piece::Text(", "));
                }
            }
            TypeKind::Ctl(_) => return Err(self.error("a predicate as a value", "a predicate only at a terminator")),
            TypeKind::Mem | TypeKind::Io => {
                return Err(self.error("a state as a value", "a control flow graph without states"));
            }
        }
        Ok(())
    }

    fn fields(&mut self, elements: &'a [Type], packed: bool, pending: &mut SmallVec<[Piece<'a>; 4]>) {
        match (elements.is_empty(), packed) {
            (true, false) => self.out.push_str("{}"),
            (true, true) => self.out.push_str("<{}>"),
            (false, _) => {
                self.out.push_str(if packed { "<{ " } else { "{ " });
                pending.extend([Piece::Text(if packed { " }>" } else { " }" }), Piece::List(elements)]);
            }
        }
    }

    /// Writes the definitions of all named types written so far and of those in their definitions.
    pub(crate) fn named_types(&mut self) -> Result {
        let mut next = 0;
        while let Some(&ty) = self.named.get(next) {
            next += 1;
            let pool = self.pool;
            let TypeKind::Named { name, elements, packed } = pool.type_kind(ty) else { continue };
            self.out.push('%');
            push_name(&mut self.out, name);
            self.out.push_str(" = type ");
            match elements {
                None => self.out.push_str("opaque"),
                Some(elements) => {
                    let mut pending = SmallVec::new();
                    self.fields(elements, *packed, &mut pending);
                    self.type_pieces(&mut pending)?;
                }
            }
            self.out.push('\n');
        }
        Ok(())
    }
}
