//! Constants.

use super::lexer::TokenKind;
use super::{Parse, Parser};
use crate::constant::Words;
use crate::op::{Op, OpCode};
use crate::{Const, Constant, Type, TypeKind};

/// The greatest number of a hole.
const MAX_HOLE: u32 = 1 << 24;

impl Parser<'_> {
    /// A constant after its type.
    pub(super) fn typed_const(&mut self) -> Parse<Const> {
        let ty = self.ty()?;
        self.const_value(ty)
    }

    /// A constant of a known type.
    pub(super) fn const_value(&mut self, ty: Type) -> Parse<Const> {
        let constant = self.nested(|parser| parser.constant(ty))?;
        Ok(self.pool.intern_const(constant))
    }

    fn constant(&mut self, ty: Type) -> Parse<Constant> {
        let token = self.token;
        match token.kind {
            TokenKind::Number => {
                let pool = self.pool.clone();
                match pool.type_kind(ty) {
                    TypeKind::Int(bits) => Ok(Constant::Int { ty, words: self.int(*bits)? }),
                    kind if kind.is_float() => Ok(Constant::Float { ty, bits: self.float(kind)? }),
                    _ => Err(self.meaning(format!("a {} is not written as a number", self.pool.display_type(ty)))),
                }
            }
            TokenKind::Bytes => {
                let bytes = self.unescape(&token.text[2..])?;
                Ok(Constant::Data { ty, bytes: bytes.into_owned().into() })
            }
            TokenKind::Hole => Ok(Constant::Hole { ty, index: self.hole()? }),
            TokenKind::Open(b'[') => self.aggregate(ty, "[", "]"),
            TokenKind::Open(b'{') => self.aggregate(ty, "{", "}"),
            TokenKind::Punctuation if token.text == "<" => {
                self.advance();
                if self.is("{") {
                    let constant = self.aggregate(ty, "{", "}")?;
                    self.require(">")?;
                    return Ok(constant);
                }
                let mut elements = Vec::new();
                while !self.eat(">") {
                    if !elements.is_empty() {
                        self.require(",")?;
                    }
                    elements.push(self.typed_const()?);
                }
                Ok(Constant::Aggregate { ty, elements: elements.into() })
            }
            TokenKind::Word => self.word_constant(ty),
            _ => Err(self.expected("a constant")),
        }
    }

    fn word_constant(&mut self, ty: Type) -> Parse<Constant> {
        let word = self.token.text;
        if let Some(code) = OpCode::from_mnemonic(word) {
            return self.expression(ty, code);
        }
        let bit = |value| Constant::Int { ty, words: Words::Small(value) };
        let constant = match word {
            "true" | "false" if ty == Type::I1 => bit(u64::from(word == "true")),
            "null" | "zeroinitializer" => Constant::Zero(ty),
            "undef" => Constant::Undef(ty),
            "poison" => Constant::Poison(ty),
            "none" => Constant::None(ty),
            "splat" => {
                self.advance();
                self.require("(")?;
                let element = self.typed_const()?;
                self.require(")")?;
                return Ok(Constant::Splat { ty, element });
            }
            "data" => {
                self.advance();
                return self.data(ty);
            }
            "dso_local_equivalent" => {
                self.advance();
                return Ok(Constant::DsoLocalEquivalent { ty, index: self.hole()? });
            }
            "no_cfi" => {
                self.advance();
                return Ok(Constant::NoCfi { ty, index: self.hole()? });
            }
            "blockaddress" => {
                self.advance();
                self.require("(")?;
                let index = self.hole()?;
                self.require(",")?;
                let block = self.u32()?;
                self.require(")")?;
                return Ok(Constant::BlockAddress { ty, index, block });
            }
            "funclet" => {
                self.advance();
                return Ok(Constant::Funclet { ty, number: self.u32()? });
            }
            "ptrauth" => {
                self.advance();
                let mut operands = Vec::new();
                self.list("(", ")", |parser| {
                    operands.push(parser.typed_const()?);
                    Ok(())
                })?;
                return Ok(Constant::PtrAuth { ty, operands: operands.into() });
            }
            _ => return Err(self.expected("a constant")),
        };
        self.advance();
        Ok(constant)
    }

    fn hole(&mut self) -> Parse<u32> {
        if self.token.kind != TokenKind::Hole {
            return Err(self.expected("`?` and the number of a hole"));
        }
        match self.token.text[1..].parse() {
            Ok(index @ 0..MAX_HOLE) => {
                self.advance();
                Ok(index)
            }
            _ => Err(self.meaning(format!("a hole has a number below {MAX_HOLE}"))),
        }
    }

    fn aggregate(&mut self, ty: Type, open: &str, close: &str) -> Parse<Constant> {
        let mut elements = Vec::new();
        self.list(open, close, |parser| {
            elements.push(parser.typed_const()?);
            Ok(())
        })?;
        Ok(Constant::Aggregate { ty, elements: elements.into() })
    }

    /// `getelementptr inbounds inrange(0, 8) (i8, ptr ?0, i64 4)`
    fn expression(&mut self, ty: Type, code: OpCode) -> Parse<Constant> {
        let start = self.token.start;
        self.advance();
        let Some(mut op) = self.op_head(code)? else {
            return Err(self.meaning_at(start, format!("{} is not computed in constants", code.info().mnemonic)));
        };
        let mut in_range = None;
        if self.eat("inrange") {
            self.require("(")?;
            let from = self.signed()?;
            self.require(",")?;
            in_range = Some((from, self.signed()?));
            self.require(")")?;
        }
        self.require("(")?;
        let mut comma = true;
        let typed = matches!(op, Op::Gep { .. } | Op::Alloca { .. });
        if let Op::Gep { source: ty, .. } | Op::Alloca { ty, .. } = &mut op {
            *ty = self.ty()?;
            comma = self.eat(",");
        }
        let mut operands = Vec::new();
        while comma && self.is_type() {
            operands.push(self.typed_const()?);
            comma = self.eat(",");
        }
        self.op_tail(&mut op, comma && (typed || !operands.is_empty()))?;
        self.require(")")?;
        Ok(Constant::Expr { ty, op, operands: operands.into(), in_range })
    }

    /// Whether a type is next rather than part of an operation's tail.
    fn is_type(&self) -> bool {
        match self.token.kind {
            TokenKind::Local | TokenKind::Open(b'[' | b'{') => true,
            TokenKind::Punctuation => {
                // `<4 x …>`, `<vscale …>` and `<{ … }>` are types, `<0, 1>` is a mask.
                let rest = self.source[self.token.start..].trim_start_matches('<').trim_start();
                let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                self.is("<")
                    && (rest.starts_with("vscale") || rest.starts_with('{') || rest.trim_start().starts_with('x'))
            }
            TokenKind::Word => !matches!(self.token.text, "align" | "syncscope" | "poison"),
            _ => false,
        }
    }

    fn signed(&mut self) -> Parse<i64> {
        let number = self.token.text.parse();
        match number {
            Ok(number) if self.token.kind == TokenKind::Number => {
                self.advance();
                Ok(number)
            }
            _ => Err(self.expected("a signed number of 64 bits")),
        }
    }

    /// An integer of a given width: decimal, signed or unsigned, or hexadecimal.
    fn int(&mut self, bits: u32) -> Parse<Words> {
        let text = self.token.text;
        let limbs = bits.div_ceil(64) as usize;
        let used = if bits.is_multiple_of(64) { u64::MAX } else { (1 << (bits % 64)) - 1 };
        let unfit = |parser: &Self| parser.meaning(format!("{text} does not fit in {bits} bits"));
        if let Some(digits) = text.strip_prefix("0x") {
            let digits = digits.trim_start_matches('0');
            if digits.len().div_ceil(16) > limbs {
                return Err(unfit(self));
            }
            let mut words = vec![0; limbs];
            for (word, chunk) in words.iter_mut().zip(digits.as_bytes().rchunks(16)) {
                *word = chunk
                    .iter()
                    .fold(0, |word, &digit| word << 4 | u64::from(char::from(digit).to_digit(16).unwrap_or(0)));
            }
            if words[limbs - 1] & !used != 0 {
                return Err(unfit(self));
            }
            self.advance();
            return Ok(from_limbs(words));
        }
        let (magnitude, negative) = text.strip_prefix('-').map_or((text, false), |magnitude| (magnitude, true));
        let Ok(magnitude) = magnitude.parse::<u64>() else {
            return Err(self.meaning(format!("{text} is not an integer; beyond 64 bits it is written in hexadecimal")));
        };
        let fits = match (negative, limbs) {
            (false, 1) => magnitude <= used,
            (true, 1) => magnitude <= used / 2 + 1,
            _ => true,
        };
        if !fits {
            return Err(unfit(self));
        }
        let mut words = vec![magnitude; 1];
        words.resize(limbs, 0);
        if negative {
            let mut carry = true;
            for word in &mut words {
                let (next, overflow) = (!*word).overflowing_add(u64::from(carry));
                (*word, carry) = (next, overflow);
            }
            words[limbs - 1] &= used;
        }
        self.advance();
        Ok(from_limbs(words))
    }

    /// The bits of a float: a decimal number for `float` and `double`, or the bits of any format in hexadecimal.
    fn float(&mut self, kind: &TypeKind) -> Parse<u128> {
        let text = self.token.text;
        let width = match kind {
            TypeKind::Half | TypeKind::BFloat => 16,
            TypeKind::Float => 32,
            TypeKind::Double => 64,
            TypeKind::X86Fp80 => 80,
            _ => 128,
        };
        let bits = match text.strip_prefix("0x") {
            Some(digits) => u128::from_str_radix(digits, 16).ok().filter(|bits| width == 128 || bits >> width == 0),
            None => match kind {
                TypeKind::Float => text.parse::<f32>().ok().filter(|n| n.is_finite()).map(|n| n.to_bits().into()),
                TypeKind::Double => text.parse::<f64>().ok().filter(|n| n.is_finite()).map(|n| n.to_bits().into()),
                _ => return Err(self.expected("the bits of a float in hexadecimal")),
            },
        };
        let Some(bits) = bits else { return Err(self.meaning(format!("{text} is not a float of {width} bits"))) };
        self.advance();
        Ok(bits)
    }

    /// `[1, 2, 3]`, packed.
    fn data(&mut self, ty: Type) -> Parse<Constant> {
        let pool = self.pool.clone();
        let element = match pool.type_kind(ty) {
            TypeKind::Array { element, .. } | TypeKind::Vector { element, .. } => pool.type_kind(*element),
            _ => return Err(self.meaning("data is an array or a vector".into())),
        };
        let size = match element {
            TypeKind::Int(bits @ (8 | 16 | 32 | 64)) => *bits as usize / 8,
            TypeKind::Half | TypeKind::BFloat => 2,
            TypeKind::Float => 4,
            TypeKind::Double => 8,
            _ => return Err(self.meaning("data holds integers of 8 to 64 bits or floats of 16 to 64".into())),
        };
        let mut bytes = Vec::new();
        self.list("[", "]", |parser| {
            if parser.token.kind != TokenKind::Number {
                return Err(parser.expected("a number"));
            }
            let value = match element {
                TypeKind::Int(bits) => parser.int(*bits)?.as_slice()[0],
                _ => parser.float(element)? as u64,
            };
            bytes.extend_from_slice(&value.to_le_bytes()[..size]);
            Ok(())
        })?;
        Ok(Constant::Data { ty, bytes: bytes.into() })
    }
}

fn from_limbs(limbs: Vec<u64>) -> Words {
    match limbs[..] {
        [word] => Words::Small(word),
        _ => Words::Large(limbs.into()),
    }
}
