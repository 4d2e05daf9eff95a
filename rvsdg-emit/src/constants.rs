//! Constants and constant expressions.

use rvsdg_cfg::cfg::{Cfg, Value, ValueDef};
use rvsdg_core::module::SymbolicConst;
use rvsdg_core::op::{CastFlags, CastOp, GepFlags, IntBinary, Op};
use rvsdg_core::{Const, Constant, Symbol, Type, TypeKind};
use smallvec::{SmallVec, smallvec};

use crate::emitter::Emitter;
use crate::error::Result;
use crate::names::push_escaped;
use crate::numbers::{push_float, push_int};

/// What fills the holes of a constant.
#[derive(Copy, Clone)]
pub(crate) enum Holes<'a> {
    /// One symbol per hole.
    Symbols(&'a [Symbol]),
    /// Values of a function's control flow graph, and the symbols of its context variables.
    Values { cfg: &'a Cfg, values: &'a [Value], context: &'a [Symbol] },
}

/// A hole's filling.
enum Filling<'a> {
    Symbol(Symbol),
    Const(Const, Holes<'a>),
}

/// What is still to be written; constants nest as deep as the input likes, so no recursion.
enum Piece<'a> {
    Text(&'static str),
    Type(Type),
    Const(Const, Holes<'a>),
    /// After its type.
    Typed(Const, Holes<'a>),
    /// Each after its type, separated by commas.
    List(&'a [Const], Holes<'a>),
    /// The mask of a shuffle of vectors of the type.
    Mask(&'a [u32], Type),
}

type Pending<'a> = SmallVec<[Piece<'a>; 4]>;

impl<'a> Emitter<'a> {
    /// Writes a constant without its type.
    pub(crate) fn constant(&mut self, constant: Const, holes: Holes<'a>) -> Result {
        let mut pending: Pending<'a> = smallvec![Piece::Const(constant, holes)];
        while let Some(piece) = pending.pop() {
            match piece {
                Piece::Text(text) => self.out.push_str(text),
                Piece::Type(ty) => self.ty(ty)?,
                Piece::Const(constant, holes) => self.constant_piece(constant, holes, &mut pending)?,
                Piece::Typed(constant, holes) => {
                    self.ty(self.pool.constant(constant).ty())?;
                    self.out.push(' ');
                    pending.push(Piece::Const(constant, holes));
                }
                Piece::Mask(lanes, vector) => self.mask(lanes, vector),
                Piece::List([], _) => {}
                Piece::List([first, rest @ ..], holes) => {
                    if !rest.is_empty() {
                        pending.push(Piece::List(rest, holes));
                        pending.push(Piece::Text(", "));
                    }
                    pending.push(Piece::Typed(*first, holes));
                }
            }
        }
        Ok(())
    }

    /// Writes a constant after its type.
    pub(crate) fn typed_constant(&mut self, constant: Const, holes: Holes<'a>) -> Result {
        self.ty(self.pool.constant(constant).ty())?;
        self.out.push(' ');
        self.constant(constant, holes)
    }

    /// Writes a constant with its symbols after its type.
    pub(crate) fn symbolic_constant(&mut self, constant: &'a SymbolicConst) -> Result {
        self.typed_constant(constant.constant, Holes::Symbols(&constant.symbols))
    }

    fn constant_piece(&mut self, constant: Const, holes: Holes<'a>, pending: &mut Pending<'a>) -> Result {
        let pool = self.pool;
        match pool.constant(constant) {
            Constant::Int { ty, words } => match *pool.type_kind(*ty) {
                TypeKind::Int(bits) => push_int(&mut self.out, bits, words.as_slice()),
                _ => return Err(self.error("an integer constant of another type", "an integer type")),
            },
            Constant::Float { ty, bits } => self.float(*ty, *bits)?,
            Constant::Zero(ty) => self.out.push_str(match pool.type_kind(*ty) {
                TypeKind::Ptr(_) => "null",
                _ => "zeroinitializer",
            }),
            Constant::Undef(_) => self.out.push_str("undef"),
            Constant::Poison(_) => self.out.push_str("poison"),
            Constant::None(ty) => self.out.push_str(match pool.type_kind(*ty) {
                TypeKind::Token => "none",
                _ => "zeroinitializer",
            }),
            Constant::Aggregate { ty, elements } => self.aggregate(*ty, elements, holes, pending)?,
            Constant::Splat { element, .. } => {
                self.out.push_str("splat (");
                pending.extend([Piece::Text(")"), Piece::Typed(*element, holes)]);
            }
            Constant::Data { ty, bytes } => self.data(*ty, bytes)?,
            Constant::Hole { index, .. } => match self.filling(*index, holes)? {
                Filling::Symbol(symbol) => self.symbol(symbol)?,
                Filling::Const(constant, holes) => pending.push(Piece::Const(constant, holes)),
            },
            Constant::Expr { ty, op, operands, in_range } => {
                self.expression(*ty, *op, operands, *in_range, holes, pending)?;
            }
            Constant::DsoLocalEquivalent { index, .. } => {
                self.out.push_str("dso_local_equivalent ");
                self.hole_symbol(*index, holes)?;
            }
            Constant::NoCfi { index, .. } => {
                self.out.push_str("no_cfi ");
                self.hole_symbol(*index, holes)?;
            }
            Constant::BlockAddress { index, block, .. } => self.block_address(*index, *block, holes)?,
            Constant::Funclet { number, .. } => self.funclet(*number),
            Constant::PtrAuth { operands, .. } => {
                self.out.push_str("ptrauth (");
                pending.extend([Piece::Text(")"), Piece::List(operands, holes)]);
            }
        }
        Ok(())
    }

    fn filling(&self, index: u32, holes: Holes<'a>) -> Result<Filling<'a>> {
        let found = match holes {
            Holes::Symbols(symbols) => symbols.get(index as usize).map(|&symbol| Filling::Symbol(symbol)),
            Holes::Values { cfg, values, context } => {
                values.get(index as usize).and_then(|&value| match cfg.def(value) {
                    ValueDef::Context(position) => {
                        context.get(position as usize).map(|&symbol| Filling::Symbol(symbol))
                    }
                    ValueDef::Result(..) => cfg
                        .as_const(value)
                        .map(|(constant, values)| Filling::Const(constant, Holes::Values { cfg, values, context })),
                    ValueDef::Parameter(_) | ValueDef::BlockParam(..) => None,
                })
            }
        };
        found.ok_or_else(|| {
            self.error(
                format!("a constant expression whose hole {index} has no constant address"),
                "a symbol or a constant for each hole",
            )
        })
    }

    /// The address of a block, when control can still get there by it.
    fn block_address(&mut self, index: u32, block: u32, holes: Holes<'a>) -> Result {
        let Filling::Symbol(function) = self.filling(index, holes)? else {
            return Err(self.error("blockaddress in a constant", "a function's symbol"));
        };
        let labels = self.labels.get(function).copied().unwrap_or_default();
        match labels.iter().find(|&&(label, _)| label == block) {
            Some(&(_, at)) => {
                self.out.push_str("blockaddress(");
                self.symbol(function)?;
                self.out.push_str(", %");
                self.label(at, None);
                self.out.push(')');
            }
            // As LLVM does for a block that is gone: an address that is not null and leads nowhere.
            None => self.out.push_str("inttoptr (i32 1 to ptr)"),
        }
        Ok(())
    }

    fn hole_symbol(&mut self, index: u32, holes: Holes<'a>) -> Result {
        match self.filling(index, holes)? {
            Filling::Symbol(symbol) => self.symbol(symbol),
            Filling::Const(..) => {
                Err(self.error("dso_local_equivalent or no_cfi of a constant", "a function's symbol"))
            }
        }
    }

    fn float(&mut self, ty: Type, bits: u128) -> Result {
        if push_float(&mut self.out, self.pool.type_kind(ty), bits) {
            Ok(())
        } else {
            Err(self.error("a floating-point constant of another type", "a floating-point scalar type"))
        }
    }

    fn aggregate(&mut self, ty: Type, elements: &'a [Const], holes: Holes<'a>, pending: &mut Pending<'a>) -> Result {
        let (open, close) = match *self.pool.type_kind(ty) {
            TypeKind::Struct { packed: false, .. } | TypeKind::Named { packed: false, .. } => ("{ ", " }"),
            TypeKind::Struct { packed: true, .. } | TypeKind::Named { packed: true, .. } => ("<{ ", " }>"),
            TypeKind::Array { .. } => ("[", "]"),
            TypeKind::Vector { .. } => ("<", ">"),
            _ => return Err(self.error("an aggregate constant of another type", "an array, structure or vector type")),
        };
        if elements.is_empty() {
            self.out.push_str("zeroinitializer");
        } else {
            self.out.push_str(open);
            pending.extend([Piece::Text(close), Piece::List(elements, holes)]);
        }
        Ok(())
    }

    fn data(&mut self, ty: Type, bytes: &[u8]) -> Result {
        let pool = self.pool;
        let (element, vector) = match *pool.type_kind(ty) {
            TypeKind::Array { element, .. } => (element, false),
            TypeKind::Vector { element, .. } => (element, true),
            _ => return Err(self.error("packed data of another type", "an array or vector type")),
        };
        let kind = pool.type_kind(element);
        if matches!(kind, TypeKind::Int(8)) && !vector {
            self.out.push_str("c\"");
            push_escaped(&mut self.out, bytes);
            self.out.push('"');
            return Ok(());
        }
        let size = match kind {
            TypeKind::Int(8) => 1,
            TypeKind::Int(16) | TypeKind::Half | TypeKind::BFloat => 2,
            TypeKind::Int(32) | TypeKind::Float => 4,
            TypeKind::Int(64) | TypeKind::Double => 8,
            _ => return Err(self.error("packed data of another element type", "elements of 8, 16, 32 or 64 bits")),
        };
        if bytes.is_empty() {
            self.out.push_str("zeroinitializer");
            return Ok(());
        }
        let mut elements = bytes.chunks_exact(size);
        let splat = vector && bytes.chunks_exact(size).all(|chunk| chunk == &bytes[..size]);
        if splat {
            elements = bytes[..size].chunks_exact(size);
        }
        let (open, close) = match (splat, vector) {
            (true, _) => ("splat (", ")"),
            (false, true) => ("<", ">"),
            (false, false) => ("[", "]"),
        };
        self.out.push_str(open);
        for (position, chunk) in elements.enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            self.ty(element)?;
            self.out.push(' ');
            let mut word = [0; 8];
            word[..size].copy_from_slice(chunk);
            let word = u64::from_le_bytes(word);
            match *kind {
                TypeKind::Int(bits) => push_int(&mut self.out, bits, &[word]),
                _ => self.float(element, word.into())?,
            }
        }
        self.out.push_str(close);
        Ok(())
    }

    fn expression(
        &mut self,
        ty: Type,
        op: Op,
        operands: &'a [Const],
        in_range: Option<(i64, i64)>,
        holes: Holes<'a>,
        pending: &mut Pending<'a>,
    ) -> Result {
        let mnemonic = op.code().info().mnemonic;
        match op {
            Op::Cast { op: kind, flags } => {
                self.out.push_str(mnemonic);
                self.cast_flags(kind, flags);
                self.out.push_str(" (");
                pending.extend([Piece::Text(")"), Piece::Type(ty), Piece::Text(" to "), Piece::List(operands, holes)]);
            }
            Op::IntBinary { op: IntBinary::Add | IntBinary::Sub | IntBinary::Xor, flags } => {
                self.out.push_str(mnemonic);
                self.words(flags.names());
                self.out.push_str(" (");
                pending.extend([Piece::Text(")"), Piece::List(operands, holes)]);
            }
            Op::Gep { source, flags } => {
                self.out.push_str(mnemonic);
                self.gep_flags(flags);
                if let Some((start, end)) = in_range {
                    self.out.push_str(" inrange(");
                    self.number(start);
                    self.out.push_str(", ");
                    self.number(end);
                    self.out.push(')');
                }
                self.out.push_str(" (");
                pending.extend([
                    Piece::Text(")"),
                    Piece::List(operands, holes),
                    Piece::Text(", "),
                    Piece::Type(source),
                ]);
            }
            Op::ExtractElement | Op::InsertElement => {
                self.out.push_str(mnemonic);
                self.out.push_str(" (");
                pending.extend([Piece::Text(")"), Piece::List(operands, holes)]);
            }
            Op::ShuffleVector(lanes) => {
                self.out.push_str(mnemonic);
                self.out.push_str(" (");
                pending.extend([
                    Piece::Text(")"),
                    Piece::Mask(self.pool.indices(lanes), ty),
                    Piece::Text(", "),
                    Piece::List(operands, holes),
                ]);
            }
            Op::Const(_)
            | Op::CtlConst { .. }
            | Op::Match(_)
            | Op::IntBinary { .. }
            | Op::FloatBinary { .. }
            | Op::FNeg(_)
            | Op::ICmp { .. }
            | Op::FCmp { .. }
            | Op::Select(_)
            | Op::Freeze
            | Op::ExtractValue(_)
            | Op::InsertValue(_)
            | Op::Alloca { .. }
            | Op::Load(_)
            | Op::Store(_)
            | Op::CmpXchg { .. }
            | Op::AtomicRmw { .. }
            | Op::Fence { .. }
            | Op::Call(_)
            | Op::Invoke(_)
            | Op::CallBr(_)
            | Op::IndirectBr(_)
            | Op::Resume
            | Op::Funclet(_)
            | Op::VaArg
            | Op::Unreachable
            | Op::Ext(_) => {
                return Err(self.error(
                    format!("a constant expression of {mnemonic}"),
                    "a conversion, add, sub, xor, getelementptr or an operation on vectors",
                ));
            }
        }
        Ok(())
    }

    /// Writes the flags of a conversion that its kind has. Dropping a flag from another kind only allows less.
    pub(crate) fn cast_flags(&mut self, op: CastOp, flags: CastFlags) {
        match op {
            CastOp::Trunc => self.words(flags.wrap.names()),
            CastOp::ZExt | CastOp::UIToFP => self.words(flags.nneg.then_some("nneg")),
            CastOp::FPTrunc | CastOp::FPExt => self.fast_math(flags.fast),
            CastOp::SExt
            | CastOp::FPToUI
            | CastOp::FPToSI
            | CastOp::SIToFP
            | CastOp::PtrToInt
            | CastOp::PtrToAddr
            | CastOp::IntToPtr
            | CastOp::BitCast
            | CastOp::AddrSpaceCast => {}
        }
    }

    /// Writes a shuffle's mask after its type; `vector` is the result's type.
    pub(crate) fn mask(&mut self, lanes: &[u32], vector: Type) {
        let scalable = matches!(self.pool.type_kind(vector), TypeKind::Vector { scalable: true, .. });
        self.out.push_str(if scalable { "<vscale x " } else { "<" });
        self.number(lanes.len());
        self.out.push_str(" x i32> ");
        if lanes.iter().all(|&lane| lane == 0) {
            self.out.push_str("zeroinitializer");
        } else if lanes.iter().all(|&lane| lane == u32::MAX) {
            self.out.push_str("poison");
        } else {
            for (position, &lane) in lanes.iter().enumerate() {
                self.out.push_str(if position == 0 { "<i32 " } else { ", i32 " });
                if lane == u32::MAX {
                    self.out.push_str("poison");
                } else {
                    self.number(lane);
                }
            }
            self.out.push('>');
        }
    }

    /// Writes the flags of a getelementptr; `inbounds` implies `nusw`.
    pub(crate) fn gep_flags(&mut self, flags: GepFlags) {
        if flags.contains(GepFlags::INBOUNDS) {
            self.words(["inbounds"]);
        } else if flags.contains(GepFlags::NUSW) {
            self.words(["nusw"]);
        }
        if flags.contains(GepFlags::NUW) {
            self.words(["nuw"]);
        }
    }
}
