//! Types, constants and attributes of a control flow graph as numbers of the carrier: the module's own, or new ones.

use rvsdg_core::attribute::Attribute;
use rvsdg_core::module::{Linkage, SymbolData, SymbolKind, UnnamedAddr};
use rvsdg_core::{Const, Constant, Pool, Type, TypeKind};

use crate::carrier::{Carrier, NONE};
use crate::import::{Constants, Holes, Lists, Types, constant_kind as kind, flag_bits, opcode_of, type_id as id};
use crate::opcode::Opcode;
use rvsdg_core::attribute::Attributes;
use rvsdg_core::op::Op;

/// What of [`Carrier::const_special`] a constant is.
mod special {
    pub const ZERO: u32 = 0;
    pub const UNDEF: u32 = 1;
    pub const POISON: u32 = 2;
}

/// The number of a type: the module's own, that of a predicate's integer, or a new one. Parts come first, with an explicit
/// stack.
pub(super) fn type_number(carrier: &mut Carrier, pool: &Pool, types: &mut Types, ty: Type) -> Result<u32, String> {
    if let Some(number) = types.number(ty) {
        return Ok(number);
    }
    let mut pending = vec![ty];
    while let Some(&top) = pending.last() {
        if types.number(top).is_some() {
            pending.pop();
            continue;
        }
        let before = pending.len();
        for part in parts(pool.type_kind(top)) {
            if types.number(part).is_none() {
                pending.push(part);
            }
        }
        if pending.len() > before {
            continue;
        }
        let number = new_type(carrier, pool, types, top)?;
        types.insert_number(number, top);
        pending.pop();
    }
    types.number(ty).ok_or_else(|| "a type without a number".to_owned())
}

/// The types that a type is made of.
fn parts(kind: &TypeKind) -> Vec<Type> {
    match kind {
        TypeKind::Function { result, params, .. } => std::iter::once(*result).chain(params.iter().copied()).collect(),
        TypeKind::Struct { elements, .. } => elements.to_vec(),
        TypeKind::Named { elements, .. } => elements.as_deref().unwrap_or_default().to_vec(),
        TypeKind::Array { element, .. } | TypeKind::Vector { element, .. } => vec![*element],
        TypeKind::Target { types, .. } => types.to_vec(),
        _ => Vec::new(),
    }
}

/// A type that the module does not have, of parts that have numbers.
fn new_type(carrier: &mut Carrier, pool: &Pool, types: &Types, ty: Type) -> Result<u32, String> {
    let known = |ty: &Type| types.number(*ty).expect("parts come first");
    let words: Vec<u32> = match pool.type_kind(ty) {
        TypeKind::Ctl(alternatives) => return Ok(carrier.int_type(predicate_bits(*alternatives))),
        TypeKind::Int(bits) => return Ok(carrier.int_type(*bits)),
        TypeKind::Half => vec![id::HALF],
        TypeKind::BFloat => vec![id::BFLOAT],
        TypeKind::Float => vec![id::FLOAT],
        TypeKind::Double => vec![id::DOUBLE],
        TypeKind::X86Fp80 => vec![id::X86_FP80],
        TypeKind::Fp128 => vec![id::FP128],
        TypeKind::PpcFp128 => vec![id::PPC_FP128],
        TypeKind::Void => vec![id::VOID],
        TypeKind::Metadata => vec![id::METADATA],
        TypeKind::X86Amx => vec![id::X86_AMX],
        TypeKind::Token => vec![id::TOKEN],
        TypeKind::Ptr(space) => vec![id::POINTER, *space],
        TypeKind::Function { result, params, variadic } => {
            let mut words = vec![id::FUNCTION, u32::from(*variadic), known(result)];
            words.extend(params.iter().map(known));
            words
        }
        TypeKind::Struct { elements, packed } => {
            let mut words = vec![id::STRUCT, u32::from(*packed) | 2, NONE];
            words.extend(elements.iter().map(known));
            words
        }
        TypeKind::Named { name, elements, packed } => {
            let flags = u32::from(*packed) | if elements.is_none() { 4 } else { 0 };
            let mut words = vec![id::STRUCT, flags, carrier.new_string(name)];
            words.extend(elements.iter().flatten().map(known));
            words
        }
        TypeKind::Array { element, len } => vec![id::ARRAY, known(element), *len as u32, (*len >> 32) as u32],
        TypeKind::Vector { element, len, scalable } => {
            vec![if *scalable { id::SCALABLE_VECTOR } else { id::FIXED_VECTOR }, known(element), *len]
        }
        TypeKind::Target { name, types, ints } => {
            let mut words = vec![id::TARGET, carrier.new_string(name), types.len() as u32];
            words.extend(types.iter().map(known));
            words.extend_from_slice(ints);
            words
        }
        TypeKind::Mem | TypeKind::Io => return Err("a state as a type".to_owned()),
    };
    carrier.new_type(&words).ok_or_else(|| "a type that LLVM does not have".to_owned())
}

/// The width of the integer that holds a predicate.
pub(super) fn predicate_bits(alternatives: u32) -> u32 {
    if alternatives <= 2 { 1 } else { 32 }
}

/// The number of a constant whose holes are filled by the constants with numbers `holes`, found in the module or built.
/// Parts come first, with an explicit stack.
pub(super) fn number(
    carrier: &mut Carrier,
    pool: &Pool,
    types: &mut Types,
    constants: &mut Constants,
    constant: Const,
    holes: &[u32],
) -> Result<u32, String> {
    let find = |constants: &Constants, constant: Const| match (holes, pool.constant(constant)) {
        (_, Constant::Hole { index, .. }) => holes.get(*index as usize).copied(),
        _ if holes.is_empty() => constants.number(constant),
        _ => constants
            .number(constant)
            .filter(|_| pool.constant(constant).operands().is_empty() && !has_hole(pool.constant(constant)))
            .or_else(|| constants.symbolic_number(constant, Holes::from_slice(holes))),
    };
    if let Some(number) = find(constants, constant) {
        return Ok(number);
    }
    let mut pending = vec![constant];
    while let Some(&top) = pending.last() {
        if find(constants, top).is_some() {
            pending.pop();
            continue;
        }
        let before = pending.len();
        for &part in pool.constant(top).operands() {
            if find(constants, part).is_none() {
                pending.push(part);
            }
        }
        if pending.len() > before {
            continue;
        }
        let known = |part: &Const| find(constants, *part).expect("parts come first");
        let number = new_constant(carrier, pool, types, pool.constant(top), known, holes)?;
        if holes.is_empty() {
            constants.set_number(top, number);
        } else {
            constants.set_symbolic_number(top, Holes::from_slice(holes), number);
        }
        pending.pop();
    }
    find(constants, constant).ok_or_else(|| "a constant without what fills its holes".to_owned())
}

/// Whether a constant without operands has a hole.
fn has_hole(constant: &Constant) -> bool {
    matches!(
        constant,
        Constant::Hole { .. }
            | Constant::DsoLocalEquivalent { .. }
            | Constant::NoCfi { .. }
            | Constant::BlockAddress { .. }
    )
}

/// A constant that the module may not have, of parts that have numbers.
fn new_constant(
    carrier: &mut Carrier,
    pool: &Pool,
    types: &mut Types,
    constant: &Constant,
    known: impl Fn(&Const) -> u32,
    holes: &[u32],
) -> Result<u32, String> {
    let ty = type_number(carrier, pool, types, constant.ty())?;
    let hole = |index: u32| holes.get(index as usize).copied().ok_or("a constant without what fills its holes");
    let words: Vec<u32> = match constant {
        Constant::Int { words, .. } => return Ok(carrier.const_int(ty, words.as_slice())),
        Constant::Float { bits, .. } => return Ok(carrier.const_float(ty, *bits)),
        Constant::Zero(_) => return Ok(carrier.const_special(ty, special::ZERO)),
        Constant::Undef(_) => return Ok(carrier.const_special(ty, special::UNDEF)),
        Constant::Poison(_) => return Ok(carrier.const_special(ty, special::POISON)),
        Constant::Hole { index, .. } => return Ok(hole(*index)?),
        Constant::Funclet { .. } => return Err("the token of a funclet as a part of a constant".to_owned()),
        Constant::None(_) => vec![kind::NONE, ty],
        Constant::Aggregate { elements, .. } => {
            [kind::AGGREGATE, ty].into_iter().chain(elements.iter().map(known)).collect()
        }
        Constant::Splat { element, .. } => vec![kind::SPLAT, ty, known(element)],
        Constant::Data { bytes, .. } => {
            let mut words = vec![kind::DATA, ty, bytes.len() as u32];
            words.extend(bytes.chunks(4).map(|chunk| {
                let mut word = [0; 4];
                word[..chunk.len()].copy_from_slice(chunk);
                u32::from_le_bytes(word)
            }));
            words
        }
        Constant::Expr { op, operands, in_range, .. } => {
            let (opcode, mask): (Opcode, &[u32]) = match *op {
                Op::Gep { .. } => (Opcode::GetElementPtr, &[]),
                Op::ShuffleVector(indices) => (Opcode::ShuffleVector, pool.indices(indices)),
                op => (opcode_of(op).ok_or("a constant expression of unknown kind")?.0, &[]),
            };
            let source = match *op {
                Op::Gep { source, .. } => type_number(carrier, pool, types, source)?,
                _ => NONE,
            };
            let flags = flag_bits(*op, pool).unwrap_or(0);
            let (start, end) = in_range.unwrap_or_default();
            let wide = |limb: i64| [limb as u32, (limb as u64 >> 32) as u32];
            let mut words = vec![kind::EXPR, ty, opcode.number() | flags << 8, source, u32::from(in_range.is_some())];
            words.extend(wide(start));
            words.extend(wide(end));
            words.push(mask.len() as u32);
            words.extend_from_slice(mask);
            words.extend(operands.iter().map(known));
            words
        }
        Constant::DsoLocalEquivalent { index, .. } => vec![kind::DSO_LOCAL, ty, hole(*index)?],
        Constant::NoCfi { index, .. } => vec![kind::NO_CFI, ty, hole(*index)?],
        Constant::BlockAddress { index, block, .. } => vec![kind::BLOCK, ty, hole(*index)?, *block],
        Constant::PtrAuth { operands, .. } => {
            [kind::PTR_AUTH, ty].into_iter().chain(operands.iter().map(known)).collect()
        }
    };
    carrier.new_constant(&words).ok_or_else(|| "a constant that LLVM does not have".to_owned())
}

/// The number of an external function that the module may not declare yet; `None` for other symbols.
pub(super) fn function(
    carrier: &mut Carrier,
    pool: &Pool,
    types: &mut Types,
    lists: &mut Lists,
    symbol: &SymbolData,
) -> Option<u32> {
    let SymbolKind::Function { attributes: own, convention: 0, .. } = symbol.kind else { return None };
    if symbol.linkage != Linkage::External {
        return None;
    }
    let function = type_number(carrier, pool, types, symbol.value_type).ok()?;
    let pointer = type_number(carrier, pool, types, Type::PTR).ok()?;
    let own = attributes(carrier, pool, types, lists, own).ok()?;
    let name = carrier.new_string(&symbol.name);
    carrier.new_constant(&[kind::SYMBOL, pointer, name, function, own])
}

/// The number of a private constant that the module does not have yet; `None` for other symbols.
pub(super) fn table(
    carrier: &mut Carrier,
    pool: &Pool,
    types: &mut Types,
    constants: &mut Constants,
    symbol: &SymbolData,
) -> Option<u32> {
    let SymbolKind::Variable { constant: true, initializer: Some(initializer), .. } = symbol.kind else { return None };
    if (symbol.linkage, symbol.unnamed_addr, symbol.address_space) != (Linkage::Private, UnnamedAddr::Global, 0) {
        return None;
    }
    let align = u32::try_from(symbol.align?).ok()?;
    let initializer = number(carrier, pool, types, constants, initializer, &[]).ok()?;
    let ty = type_number(carrier, pool, types, symbol.value_type).ok()?;
    let pointer = type_number(carrier, pool, types, Type::PTR).ok()?;
    let name = carrier.new_string(&symbol.name);
    carrier.new_constant(&[kind::SYMBOL, pointer, name, ty, initializer, align])
}

/// The number of the integer that represents alternative `value` of `of`.
pub(super) fn alternative(carrier: &mut Carrier, value: u32, of: u32) -> u32 {
    let ty = carrier.int_type(predicate_bits(of));
    carrier.const_int(ty, &[u64::from(value)])
}

/// The number of a call's attributes.
pub(super) fn attributes(
    carrier: &mut Carrier,
    pool: &Pool,
    types: &mut Types,
    lists: &mut Lists,
    attributes: Attributes,
) -> Result<u32, String> {
    if let Some(number) = lists.number(attributes) {
        return Ok(number);
    }
    let list = pool.attributes(attributes);
    let mut words = Vec::new();
    let params = list.params.iter().enumerate().map(|(position, set)| (position as u32 + 1, set));
    let sets: Vec<(u32, &[Attribute])> =
        [(NONE, &*list.function), (0, &*list.result)].into_iter().chain(params.map(|(at, set)| (at, &**set))).collect();
    for (index, set) in sets {
        if set.is_empty() {
            continue;
        }
        words.extend([index, set.len() as u32]);
        for attribute in set {
            let ty = attribute.ty().map(|ty| type_number(carrier, pool, types, ty)).transpose()?;
            words.extend([carrier.new_string(&attribute.to_string()), ty.unwrap_or(NONE)]);
        }
    }
    let number = carrier.new_attributes(&words).ok_or("attributes that LLVM does not know")?;
    lists.set_number(attributes, number);
    Ok(number)
}
