//! The contents of variables, or of parts of variables, that never change: the value that a load finds there.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use rvsdg_core::attribute::AttributeKind;
use rvsdg_core::fold::{self, Int, parts};
use rvsdg_core::layout::{DataLayout, Layouts};
use rvsdg_core::module::{Linkage, SymbolKind, ThreadLocal};
use rvsdg_core::op::CastOp;
use rvsdg_core::{Const, Constant, Graph, Module, Node, NodeKind, Op, Origin, OriginDef, Pool, Symbol, Type, TypeKind};

use crate::allocation::has_library;
use crate::callee::argument_of_root;
use crate::function::{has_attribute, is_interposable};
use crate::memory::base_and_distance;
use crate::seeded::{self, Bug};
use crate::variable_uses::VariableUses;

/// The maximum size in bytes of a value that is composed of parts.
const MAX_BYTES: u64 = 64;

/// The maximum size in bytes of a string that is searched.
const MAX_TEXT: u64 = 4096;

/// The variables of a module of which something never changes, and their contents: LLVM's `hasDefinitiveInitializer`.
pub struct ConstantMemory {
    pool: Arc<Pool>,
    layouts: Layouts,
    variables: FxHashMap<Symbol, Variable>,
    /// The library's `strlen`.
    strlen: Option<Symbol>,
}

struct Variable {
    initializer: Const,
    /// The symbols that fill its holes.
    symbols: Box<[Symbol]>,
    /// The bytes that change.
    stored: Box<[Range<u64>]>,
}

/// A value in a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    /// The value; it has a hole in place of a symbol.
    pub constant: Const,
    /// The symbol that fills the hole.
    pub symbol: Option<Symbol>,
}

/// A byte of a constant.
#[derive(Copy, Clone)]
enum Byte {
    Known(u8),
    /// Of `undef` or `poison`.
    Undef,
}

impl ConstantMemory {
    /// Finds the variables: constants, and those that are known to be written in known places only. `None` if the data layout is not
    /// supported. Linear in the ω level and the known stores.
    pub fn of(module: &Module, uses: &VariableUses) -> Option<ConstantMemory> {
        let layouts = Layouts::new(DataLayout::parse(&module.header.data_layout).ok()?);
        let mut variables = FxHashMap::default();
        for node in module.omega.all_nodes() {
            let NodeKind::Delta(symbol) = module.omega.kind(node) else { continue };
            let data = &module.symbols[symbol];
            let SymbolKind::Variable {
                constant, externally_initialized: false, initializer: Some(initializer), ..
            } = data.kind
            else {
                continue;
            };
            let is_constant = constant || seeded::is_active(Bug::CldNotConstant);
            let stored = match uses.stores(symbol) {
                _ if is_constant => &[],
                Some(stored) => stored,
                None => continue,
            };
            let replaced = is_interposable(module, symbol) && !seeded::is_active(Bug::CldInterposable);
            if replaced || data.thread_local != ThreadLocal::None {
                continue;
            }
            let symbols = module.omega.input_origins(node).map(|origin| module.symbol_of(origin)).collect();
            variables.insert(symbol, Variable { initializer, symbols, stored: stored.into() });
        }
        let strlen = module.order.iter().copied().find(|&symbol| is_strlen(module, symbol));
        Some(ConstantMemory { pool: module.pool.clone(), layouts, variables, strlen })
    }

    /// Whether there is no such variable.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// Whether a symbol is such a variable.
    pub fn has(&self, symbol: Symbol) -> bool {
        self.variables.contains_key(&symbol)
    }

    /// The value of a plain load in a body whose first arguments are the addresses of `contexts`.
    pub fn load(&mut self, graph: &Graph, contexts: &[Symbol], address: Origin, ty: Type) -> Option<Stored> {
        let (symbol, offset) = self.place(graph, contexts, address)?;
        self.read(symbol, offset, ty)
    }

    /// The value of a call of the library's `strlen` in a body that [may assume library functions by
    /// name](crate::allocation::ignores_names), and whose first arguments are the addresses of `contexts`.
    pub fn length(&mut self, graph: &Graph, contexts: &[Symbol], node: Node) -> Option<Const> {
        let Some(Op::Call(call)) = graph.op(node) else { return None };
        let pool = self.pool.clone();
        let info = pool.call(call);
        let is_plain = info.assembly.is_none() && info.bundles.is_empty() && info.metadata.is_empty();
        if !is_plain
            || info.tail.ends_function()
            || pool.attributes(info.attributes).function_has(AttributeKind::NoBuiltin)
        {
            return None;
        }
        let callee = argument_of_root(graph, graph.input(node, 0))?;
        if *contexts.get(callee)? != self.strlen? {
            return None;
        }
        let result = graph.ty(graph.output(node, 0));
        let text = self.text(graph, contexts, graph.input(node, 1))?;
        fold::splat_const(&pool, result, text.len() as u128)
    }

    /// The bytes before the first zero at an address in a body whose first arguments are the addresses of `contexts`: a string of C that
    /// never changes.
    pub fn text(&mut self, graph: &Graph, contexts: &[Symbol], address: Origin) -> Option<Vec<u8>> {
        let (symbol, offset) = self.place(graph, contexts, address)?;
        let variable = self.variables.get(&symbol).filter(|variable| variable.stored.is_empty())?;
        let (initializer, mut text) = (variable.initializer, Vec::new());
        for index in 0..MAX_TEXT {
            match self.byte(initializer, offset.checked_add(index)?)? {
                Byte::Known(0) => return Some(text),
                Byte::Known(byte) => text.push(byte),
                Byte::Undef => return None,
            }
        }
        None
    }

    /// The variable that contains an address, and the offset in bytes.
    fn place(&mut self, graph: &Graph, contexts: &[Symbol], address: Origin) -> Option<(Symbol, u64)> {
        let (base, distance) = base_and_distance(graph, &mut self.layouts, address)?;
        let OriginDef::Argument(region, index) = graph.def(base) else { return None };
        let symbol = *contexts.get(index as usize).filter(|_| region == graph.root())?;
        Some((symbol, u64::try_from(distance).ok()?))
    }

    /// The value of a type at an offset, in bytes, of a variable.
    pub fn read(&mut self, symbol: Symbol, offset: u64, ty: Type) -> Option<Stored> {
        let end = offset.checked_add(self.layouts.of(&self.pool, ty).ok()?.store)?;
        let Variable { initializer, ref stored, .. } = *self.variables.get(&symbol)?;
        if stored.iter().any(|stored| stored.start < end && offset < stored.end) {
            return None;
        }
        let constant = self.value(initializer, offset, ty)?;
        let (constant, hole) = with_first_hole(&self.pool, constant)?;
        let symbol = match hole {
            Some(hole) => Some(*self.variables[&symbol].symbols.get(hole as usize)?),
            None => None,
        };
        Some(Stored { constant, symbol })
    }

    fn value(&mut self, initializer: Const, offset: u64, ty: Type) -> Option<Const> {
        let pool = self.pool.clone();
        if let Some((part, 0)) = self.part(initializer, offset, Some(ty))
            && pool.constant(part).ty() == ty
        {
            return Some(part);
        }
        if let &TypeKind::Vector { element, len, scalable: false } = pool.type_kind(ty) {
            let lane = self.layouts.of(&pool, element).ok()?;
            // Lanes of other sizes share bytes.
            if lane.store != lane.size || u64::from(len) * lane.size > MAX_BYTES {
                return None;
            }
            let lanes = (0..u64::from(len)).map(|index| self.value(initializer, offset + index * lane.size, element));
            return parts::whole(&pool, ty, &lanes.collect::<Option<Vec<Const>>>()?);
        }
        self.number(initializer, offset, ty)
    }

    /// An integer, float or null pointer from its bytes, whatever they belong to. If none of them is defined, neither is the value; if
    /// only some are, the others are assumed to be zero.
    fn number(&mut self, initializer: Const, offset: u64, ty: Type) -> Option<Const> {
        let pool = self.pool.clone();
        let bits = match *pool.type_kind(ty) {
            TypeKind::Int(bits @ 8..=128) if bits.is_multiple_of(8) => bits,
            TypeKind::Half | TypeKind::BFloat => 16,
            TypeKind::Float => 32,
            TypeKind::Double => 64,
            TypeKind::Ptr(_) => {
                let bytes = self.layouts.of(&pool, ty).ok()?.store;
                u32::try_from(8 * bytes).ok().filter(|bits| *bits <= 128)?
            }
            _ => return None,
        };
        let count = u64::from(bits / 8);
        let (mut value, mut defined) = (0u128, 0);
        for index in 0..count {
            let Byte::Known(byte) = self.byte(initializer, offset.checked_add(index)?)? else { continue };
            let place = if self.is_big_endian() { count - 1 - index } else { index };
            value |= u128::from(byte) << (8 * place);
            defined += 1;
        }
        if defined == 0 {
            return Some(pool.intern_const(Constant::Undef(ty)));
        }
        let number = Int::new(bits, value).to_const(&pool);
        match pool.type_kind(ty) {
            TypeKind::Int(_) => Some(number),
            TypeKind::Ptr(_) => (value == 0).then(|| pool.intern_const(Constant::Zero(ty))),
            _ => {
                let op = Op::Cast { op: CastOp::BitCast, flags: Default::default() };
                fold::fold_known(&pool, op, &[Some(number)], ty)
            }
        }
    }

    fn is_big_endian(&self) -> bool {
        self.layouts.data().is_big_endian() && !seeded::is_active(Bug::CldByteOrder)
    }

    /// One byte, of a number without padding or of an undefined value.
    fn byte(&mut self, initializer: Const, offset: u64) -> Option<Byte> {
        let pool = self.pool.clone();
        let (part, inside) = self.part(initializer, offset, None)?;
        let (bits, value) = match *pool.constant(part) {
            Constant::Undef(ty) | Constant::Poison(ty) => {
                return (inside < self.layouts.of(&pool, ty).ok()?.store).then_some(Byte::Undef);
            }
            Constant::Zero(ty) if matches!(pool.type_kind(ty), TypeKind::Ptr(_)) => {
                return (inside < self.layouts.of(&pool, ty).ok()?.store).then_some(Byte::Known(0));
            }
            Constant::Int { .. } => {
                let int = Int::of_const(&pool, part)?;
                (int.bits(), int.unsigned())
            }
            Constant::Float { ty, bits } => match pool.type_kind(ty) {
                TypeKind::Half | TypeKind::BFloat => (16, bits),
                TypeKind::Float => (32, bits),
                TypeKind::Double => (64, bits),
                _ => return None,
            },
            _ => return None,
        };
        let bytes = u64::from(bits / 8);
        if !bits.is_multiple_of(8) || inside >= bytes {
            return None;
        }
        let place = if self.is_big_endian() { bytes - 1 - inside } else { inside };
        Some(Byte::Known((value >> (8 * place)) as u8))
    }

    /// The part of a constant at an offset in bytes, and the offset within that part: the outermost part of type `ty` there, or the
    /// innermost part.
    fn part(&mut self, constant: Const, offset: u64, ty: Option<Type>) -> Option<(Const, u64)> {
        let pool = self.pool.clone();
        let (mut constant, mut offset) = (constant, offset);
        loop {
            let whole = pool.constant(constant).ty();
            if Some(whole) == ty && offset == 0 {
                return Some((constant, 0));
            }
            let index = match pool.type_kind(whole) {
                TypeKind::Array { element, .. } => {
                    let size = self.layouts.of(&pool, *element).ok()?.size;
                    let index = offset.checked_div(size)?;
                    offset -= index * size;
                    index
                }
                TypeKind::Struct { .. } | TypeKind::Named { elements: Some(_), .. } => {
                    let layout = self.layouts.of(&pool, whole).ok()?;
                    let fields = layout.fields()?;
                    // Of several fields at one offset, all but the last are empty.
                    let index = fields.partition_point(|&(start, _)| start <= offset).checked_sub(1)?;
                    offset -= fields[index].0;
                    index as u64
                }
                TypeKind::Vector { element, scalable: false, .. } => {
                    let lane = self.layouts.of(&pool, *element).ok()?;
                    if lane.store != lane.size {
                        return None;
                    }
                    let index = offset.checked_div(lane.size)?;
                    offset -= index * lane.size;
                    index
                }
                _ => return Some((constant, offset)),
            };
            constant = parts::part(&pool, constant, index)?;
        }
    }
}

/// Whether a symbol is the target library's `strlen`.
fn is_strlen(module: &Module, symbol: Symbol) -> bool {
    let data = &module.symbols[symbol];
    let TypeKind::Function { result, params, variadic: false } = module.pool.type_kind(data.value_type) else {
        return false;
    };
    let suits = matches!(module.pool.type_kind(*result), TypeKind::Int(_)) && **params == [Type::PTR];
    let known = &*data.name == "strlen" && data.linkage == Linkage::External && has_library(module);
    known && suits && !has_attribute(module, symbol, AttributeKind::NoBuiltin)
}

/// A constant without symbols, or with one as its only hole, and the index of that one.
fn with_first_hole(pool: &Pool, constant: Const) -> Option<(Const, Option<u32>)> {
    match *pool.constant(constant) {
        Constant::Int { .. }
        | Constant::Float { .. }
        | Constant::Zero(_)
        | Constant::Undef(_)
        | Constant::Data { .. } => Some((constant, None)),
        Constant::Hole { ty, index } => Some((pool.intern_const(Constant::Hole { ty, index: 0 }), Some(index))),
        Constant::Expr { ty, op: op @ Op::Gep { .. }, ref operands, in_range } => {
            let (&base, indices) = operands.split_first()?;
            let Constant::Hole { ty: base_ty, index } = *pool.constant(base) else { return None };
            if !indices.iter().all(|&index| matches!(pool.constant(index), Constant::Int { .. })) {
                return None;
            }
            let first = pool.intern_const(Constant::Hole { ty: base_ty, index: 0 });
            let operands = std::iter::once(first).chain(indices.iter().copied()).collect();
            Some((pool.intern_const(Constant::Expr { ty, op, operands, in_range }), Some(index)))
        }
        _ => None,
    }
}
