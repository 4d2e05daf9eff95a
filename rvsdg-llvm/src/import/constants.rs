//! LLVM's constants as interned constants, by number.
//!
//! A constant without symbols is read once. One with symbols is read once for each constant that code or data uses
//! directly, because the numbering of its holes starts there.

use rustc_hash::FxHashMap;
use rvsdg_core::constant::Words;
use rvsdg_core::op::{InlineAsm, Op};
use rvsdg_core::{Const, Constant, Pool, Type};
use smallvec::SmallVec;

use super::ops;
use super::types::{Types, text};
use crate::carrier::{Carrier, NONE};
use crate::opcode::Opcode;
use crate::stream::Reader;

/// `ConstKind` of `shim/constants.cpp`.
pub(crate) mod kind {
    pub const INT: u32 = 0;
    pub const FLOAT: u32 = 1;
    pub const ZERO: u32 = 2;
    pub const UNDEF: u32 = 3;
    pub const POISON: u32 = 4;
    pub const NONE: u32 = 5;
    pub const AGGREGATE: u32 = 6;
    pub const SPLAT: u32 = 7;
    pub const DATA: u32 = 8;
    pub const SYMBOL: u32 = 9;
    pub const EXPR: u32 = 10;
    pub const DSO_LOCAL: u32 = 11;
    pub const NO_CFI: u32 = 12;
    pub const BLOCK: u32 = 13;
    pub const PTR_AUTH: u32 = 14;
    pub const METADATA: u32 = 15;
    pub const ASM: u32 = 16;
}

/// Symbol numbers that fill a constant's holes, in order.
pub(crate) type Holes = SmallVec<[u32; 2]>;

/// What a number in the carrier's table of constants is.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// A symbol's address; the number is the symbol's.
    Symbol,
    /// A constant without symbols.
    Plain(Const),
    /// A constant and the symbols that fill its holes.
    Symbolic(Const, Holes),
    /// Metadata, with its text if that is self-contained.
    Metadata(Option<Box<str>>),
    /// Inline assembly, by position in [`Constants::assembly`].
    Assembly,
    /// Something constants cannot express.
    Unsupported(&'static str),
}

/// The constants seen so far, in both directions.
#[derive(Default)]
pub(crate) struct Constants {
    /// By number: those used directly.
    known: Vec<Option<Known>>,
    /// By number: those without symbols, used directly or inside others.
    plain: Vec<Option<Const>>,
    assembly: FxHashMap<u32, InlineAsm>,
    /// By constant without symbols: a number, for export.
    numbers: Vec<u32>,
    /// By constant with symbols, for export.
    symbolic: FxHashMap<(Const, Holes), u32>,
}

/// How one constant is composed of its parts.
struct Build<'a> {
    /// Parts with symbols, by number.
    parts: FxHashMap<u32, Const>,
    holes: Holes,
    /// By symbol: its hole.
    numbers: FxHashMap<u32, u32>,
    carrier: &'a mut Carrier,
    pool: &'a Pool,
    types: &'a mut Types,
}

impl Constants {
    /// What constant `number` is.
    pub fn get(&mut self, carrier: &mut Carrier, pool: &Pool, types: &mut Types, number: u32) -> &Known {
        let at = number as usize;
        if self.known.len() <= at {
            self.known.resize(at + 1, None);
        }
        if self.known[at].is_none() {
            let known =
                if number < carrier.symbols() { Known::Symbol } else { self.read(carrier, pool, types, number) };
            match &known {
                Known::Plain(constant) => self.set_number(*constant, number),
                Known::Symbolic(constant, holes) => {
                    self.symbolic.entry((*constant, holes.clone())).or_insert(number);
                }
                Known::Symbol | Known::Metadata(_) | Known::Assembly | Known::Unsupported(_) => {}
            }
            self.known[at] = Some(known);
        }
        self.known[at].as_ref().expect("filled above")
    }

    /// The number of a constant without symbols that the module has.
    pub fn number(&self, constant: Const) -> Option<u32> {
        let number = self.numbers.get(constant.as_u32() as usize).copied()?;
        (number != NONE).then_some(number)
    }

    /// Says that a constant without symbols has this number.
    pub fn set_number(&mut self, constant: Const, number: u32) {
        let at = constant.as_u32() as usize;
        if self.numbers.len() <= at {
            self.numbers.resize(at + 1, NONE);
        }
        if self.numbers[at] == NONE {
            self.numbers[at] = number;
        }
    }

    /// The number of a constant with symbols that the module has.
    pub fn symbolic_number(&self, constant: Const, holes: Holes) -> Option<u32> {
        self.symbolic.get(&(constant, holes)).copied()
    }

    /// Says that a constant with symbols has this number.
    pub fn set_symbolic_number(&mut self, constant: Const, holes: Holes, number: u32) {
        self.symbolic.entry((constant, holes)).or_insert(number);
    }

    /// Forgets which constants the module has.
    pub fn forget_numbers(&mut self) {
        self.numbers.clear();
        self.symbolic.clear();
    }

    /// The assembly with this number.
    pub fn assembly(&self, number: u32) -> Option<&InlineAsm> {
        self.assembly.get(&number)
    }

    fn plain(&self, number: u32) -> Option<Const> {
        self.plain.get(number as usize).copied().flatten()
    }

    fn read(&mut self, carrier: &mut Carrier, pool: &Pool, types: &mut Types, root: u32) -> Known {
        let (parts, numbers) = (FxHashMap::default(), FxHashMap::default());
        let mut build = Build { parts, holes: Holes::new(), numbers, carrier, pool, types };
        let mut words = Vec::new();
        let mut pending = vec![root];
        while let Some(&top) = pending.last() {
            if self.plain(top).is_some() || build.parts.contains_key(&top) {
                pending.pop();
                continue;
            }
            build.carrier.describe_constant(top, &mut words);
            // `constant` reads the other kinds, or says which one it does not know.
            if words[0] == kind::METADATA {
                let id = words[2];
                return Known::Metadata((id != NONE).then(|| text(build.carrier, id)));
            }
            if words[0] == kind::ASM {
                self.read_assembly(build.carrier, top, &words);
                return Known::Assembly;
            }
            let before = pending.len();
            for &child in children(&words).iter().rev() {
                if self.plain(child).is_none() && !build.parts.contains_key(&child) {
                    pending.push(child);
                }
            }
            if pending.len() > before {
                continue;
            }
            let (constant, symbolic) = match self.constant(&mut build, top, &words) {
                Ok(done) => done,
                Err(construct) => return Known::Unsupported(construct),
            };
            if symbolic {
                build.parts.insert(top, constant);
            } else {
                let at = top as usize;
                if self.plain.len() <= at {
                    self.plain.resize(at + 1, None);
                }
                self.plain[at] = Some(constant);
            }
            pending.pop();
        }
        match self.plain(root) {
            Some(constant) => Known::Plain(constant),
            None => Known::Symbolic(build.parts[&root], build.holes),
        }
    }

    fn read_assembly(&mut self, carrier: &Carrier, number: u32, words: &[u32]) {
        let flags = words[5];
        let asm = InlineAsm {
            template: carrier.string(words[3]).into(),
            constraints: text(carrier, words[4]),
            side_effect: flags & 1 != 0,
            align_stack: flags & 2 != 0,
            intel: flags & 4 != 0,
            can_unwind: flags & 8 != 0,
        };
        self.assembly.insert(number, asm);
    }

    /// A part whose children are read, and whether it has symbols.
    fn constant(&self, build: &mut Build<'_>, number: u32, words: &[u32]) -> Result<(Const, bool), &'static str> {
        let mut reader = Reader::new(words);
        let what = reader.word();
        let ty_number = reader.word();
        let ty = build.types.get(build.carrier, build.pool, ty_number);
        let mut symbolic = false;
        let mut part = |build: &Build<'_>, child: u32| match self.plain(child) {
            Some(constant) => constant,
            None => {
                symbolic = true;
                build.parts[&child]
            }
        };
        let constant = match what {
            kind::INT => Constant::Int { ty, words: limbs(&mut reader) },
            kind::FLOAT => {
                let low = reader.wide();
                Constant::Float { ty, bits: u128::from(low) | u128::from(reader.wide()) << 64 }
            }
            kind::ZERO => Constant::Zero(ty),
            kind::UNDEF => Constant::Undef(ty),
            kind::POISON => Constant::Poison(ty),
            kind::NONE => Constant::None(ty),
            kind::AGGREGATE => {
                Constant::Aggregate { ty, elements: reader.rest().iter().map(|&child| part(build, child)).collect() }
            }
            kind::SPLAT => Constant::Splat { ty, element: part(build, reader.word()) },
            kind::DATA => {
                let len = reader.word() as usize;
                let mut bytes: Vec<u8> = reader.rest().iter().flat_map(|word| word.to_le_bytes()).collect();
                bytes.truncate(len);
                Constant::Data { ty, bytes: bytes.into() }
            }
            kind::SYMBOL => {
                symbolic = true;
                Constant::Hole { ty, index: build.hole(number) }
            }
            kind::EXPR => {
                let expr = Expr::read(&mut reader);
                let operands: Box<[Const]> = expr.operands.iter().map(|&child| part(build, child)).collect();
                let op = expr.op(build)?;
                Constant::Expr { ty, op, operands, in_range: expr.in_range }
            }
            kind::DSO_LOCAL => {
                symbolic = true;
                Constant::DsoLocalEquivalent { ty, index: build.hole(reader.word()) }
            }
            kind::NO_CFI => {
                symbolic = true;
                Constant::NoCfi { ty, index: build.hole(reader.word()) }
            }
            kind::BLOCK => {
                symbolic = true;
                let index = build.hole(reader.word());
                Constant::BlockAddress { ty, index, block: reader.word() }
            }
            kind::PTR_AUTH => {
                Constant::PtrAuth { ty, operands: reader.rest().iter().map(|&child| part(build, child)).collect() }
            }
            _ => return Err("constant of unknown kind"),
        };
        Ok((build.pool.intern_const(constant), symbolic))
    }
}

impl Build<'_> {
    /// The hole that a symbol fills; equal symbols fill one hole.
    fn hole(&mut self, symbol: u32) -> u32 {
        let next = self.holes.len() as u32;
        let hole = *self.numbers.entry(symbol).or_insert(next);
        if hole == next {
            self.holes.push(symbol);
        }
        hole
    }
}

/// The limbs left, as many as the width needs.
fn limbs(reader: &mut Reader<'_>) -> Words {
    let mut words = Vec::new();
    while !reader.is_empty() {
        words.push(reader.wide());
    }
    match words[..] {
        [word] => Words::Small(word),
        _ => Words::Large(words.into()),
    }
}

/// The numbers of the constants that a description mentions.
fn children(words: &[u32]) -> &[u32] {
    match words[0] {
        kind::AGGREGATE | kind::SPLAT | kind::PTR_AUTH => &words[2..],
        kind::EXPR => Expr::read(&mut Reader::new(&words[2..])).operands,
        _ => &[],
    }
}

/// A constant expression in a description.
struct Expr<'a> {
    opcode: Opcode,
    flags: u32,
    source: Option<u32>,
    in_range: Option<(i64, i64)>,
    mask: &'a [u32],
    operands: &'a [u32],
}

impl<'a> Expr<'a> {
    fn read(reader: &mut Reader<'a>) -> Self {
        let head = reader.word();
        let source = reader.optional();
        let ranged = reader.word() != 0;
        let range = (reader.wide() as i64, reader.wide() as i64);
        let lanes = reader.word() as usize;
        let (mask, operands) = reader.rest().split_at(lanes);
        Expr {
            opcode: Opcode::of(head & 0xff),
            flags: head >> 8 & 0xff,
            source,
            in_range: ranged.then_some(range),
            mask,
            operands,
        }
    }

    fn op(&self, build: &mut Build<'_>) -> Result<Op, &'static str> {
        let source: Option<Type> = self.source.map(|number| build.types.get(build.carrier, build.pool, number));
        ops::pure(self.opcode, self.flags, source, self.mask, build.pool).ok_or("constant expression of unknown kind")
    }
}
