//! Types.

use super::lexer::TokenKind;
use super::{NamedType, Parse, Parser};
use crate::{Type, TypeKind};

/// The widest integer LLVM knows.
const MAX_BITS: u64 = 1 << 23;

impl Parser<'_> {
    /// A type.
    pub(super) fn ty(&mut self) -> Parse<Type> {
        self.nested(|parser| {
            let mut ty = parser.simple_type()?;
            while parser.is("(") && !parser.token.first_on_line {
                ty = parser.function_type(ty)?;
            }
            Ok(ty)
        })
    }

    fn simple_type(&mut self) -> Parse<Type> {
        let token = self.token;
        let kind = match token.kind {
            TokenKind::Word => return self.word_type(),
            TokenKind::Local => return self.named_type(),
            TokenKind::Open(b'{') => self.struct_type(false)?,
            TokenKind::Open(b'[') => {
                self.advance();
                let len = self.number(u64::MAX)?;
                self.require("x")?;
                let element = self.ty()?;
                self.require("]")?;
                TypeKind::Array { element, len }
            }
            TokenKind::Punctuation if token.text == "<" => {
                self.advance();
                if self.is("{") {
                    let kind = self.struct_type(true)?;
                    self.require(">")?;
                    kind
                } else {
                    let scalable = self.eat("vscale");
                    if scalable {
                        self.require("x")?;
                    }
                    let len = self.u32()?;
                    self.require("x")?;
                    let element = self.ty()?;
                    self.require(">")?;
                    TypeKind::Vector { element, len, scalable }
                }
            }
            _ => return Err(self.expected("a type")),
        };
        Ok(self.pool.intern_type(kind))
    }

    fn word_type(&mut self) -> Parse<Type> {
        let kind = match self.token.text {
            "half" => TypeKind::Half,
            "bfloat" => TypeKind::BFloat,
            "float" => TypeKind::Float,
            "double" => TypeKind::Double,
            "x86_fp80" => TypeKind::X86Fp80,
            "fp128" => TypeKind::Fp128,
            "ppc_fp128" => TypeKind::PpcFp128,
            "x86_amx" => TypeKind::X86Amx,
            "void" => TypeKind::Void,
            "token" => TypeKind::Token,
            "metadata" => TypeKind::Metadata,
            "mem" => TypeKind::Mem,
            "io" => TypeKind::Io,
            "ptr" => {
                self.advance();
                let space = if self.is("addrspace") { self.address_space()? } else { 0 };
                return Ok(self.pool.intern_type(TypeKind::Ptr(space)));
            }
            "ctl" => {
                self.advance();
                self.require("(")?;
                let alternatives = self.u32()?;
                self.require(")")?;
                return Ok(self.pool.ctl(alternatives));
            }
            "target" => return self.target_type(),
            word => {
                let bits = word.strip_prefix('i').filter(|bits| bits.bytes().all(|byte| byte.is_ascii_digit()));
                let Some(bits) = bits.filter(|bits| !bits.is_empty()) else { return Err(self.expected("a type")) };
                match bits.parse::<u64>() {
                    Ok(bits @ 1..=MAX_BITS) => TypeKind::Int(bits as u32),
                    _ => return Err(self.meaning(format!("an integer has 1 to {MAX_BITS} bits"))),
                }
            }
        };
        self.advance();
        Ok(self.pool.intern_type(kind))
    }

    /// `addrspace(3)`
    pub(super) fn address_space(&mut self) -> Parse<u32> {
        self.require("addrspace")?;
        self.require("(")?;
        let space = self.u32()?;
        self.require(")")?;
        Ok(space)
    }

    fn struct_type(&mut self, packed: bool) -> Parse<TypeKind> {
        let mut elements = Vec::new();
        self.list("{", "}", |parser| {
            elements.push(parser.ty()?);
            Ok(())
        })?;
        Ok(TypeKind::Struct { elements: elements.into(), packed })
    }

    fn function_type(&mut self, result: Type) -> Parse<Type> {
        let (mut params, mut variadic) = (Vec::new(), false);
        self.list("(", ")", |parser| {
            if variadic {
                return Err(parser.expected("`)` after `...`"));
            }
            variadic = parser.eat("...");
            if !variadic {
                params.push(parser.ty()?);
            }
            Ok(())
        })?;
        Ok(self.pool.intern_type(TypeKind::Function { result, params: params.into(), variadic }))
    }

    fn target_type(&mut self) -> Parse<Type> {
        self.advance();
        self.require("(")?;
        let name = self.string()?.into();
        let (mut types, mut ints) = (Vec::new(), Vec::new());
        while self.eat(",") {
            if self.token.kind == TokenKind::Number {
                ints.push(self.u32()?);
            } else if ints.is_empty() {
                types.push(self.ty()?);
            } else {
                return Err(self.expected("a number"));
            }
        }
        self.require(")")?;
        Ok(self.pool.intern_type(TypeKind::Target { name, types: types.into(), ints: ints.into() }))
    }

    /// `%name`, whose definition is read now unless it was.
    fn named_type(&mut self) -> Parse<Type> {
        let token = self.token;
        let name = self.sigil_name()?;
        let Some(definition) = self.named_types.get_mut(&name) else {
            return Err(self.meaning_at(token.start, format!("the type {} is not defined", token.text)));
        };
        let start = match *definition {
            NamedType::Read(ty) => return Ok(ty),
            NamedType::Open => {
                return Err(self.meaning_at(token.start, format!("the type {} contains itself", token.text)));
            }
            NamedType::At(start) => start,
        };
        *definition = NamedType::Open;
        let back = self.token.start;
        let first_on_line = self.token.first_on_line;
        self.seek(start);
        let kind = self.nested(|parser| {
            let packed = parser.eat("packed") || parser.is("<");
            if parser.eat("opaque") {
                return Ok(TypeKind::Named { name: (&*name).into(), elements: None, packed });
            }
            let angle = parser.eat("<");
            let TypeKind::Struct { elements, .. } = parser.struct_type(packed)? else {
                return Err(parser.expected("a structure"));
            };
            if angle {
                parser.require(">")?;
            }
            Ok(TypeKind::Named { name: (&*name).into(), elements: Some(elements), packed })
        })?;
        let ty = self.pool.intern_type(kind);
        self.named_types.insert(name, NamedType::Read(ty));
        self.seek(back);
        self.token.first_on_line = first_on_line;
        Ok(ty)
    }
}
