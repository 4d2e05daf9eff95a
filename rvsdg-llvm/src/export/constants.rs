//! Constants of a control flow graph as numbers of the carrier.

use rvsdg_core::{Const, Constant, Pool, Type, TypeKind};

use crate::carrier::Carrier;
use crate::import::{Constants, Holes, Types};

/// What of [`Carrier::const_special`] a constant is.
mod special {
    pub const ZERO: u32 = 0;
    pub const UNDEF: u32 = 1;
    pub const POISON: u32 = 2;
}

/// The number of a type: the module's own, or that of a predicate's integer.
pub(super) fn type_number(carrier: &mut Carrier, pool: &Pool, types: &mut Types, ty: Type) -> Result<u32, String> {
    if let Some(number) = types.number(ty) {
        return Ok(number);
    }
    let number = match *pool.type_kind(ty) {
        TypeKind::Ctl(n) => carrier.int_type(predicate_bits(n)),
        TypeKind::Int(bits) => carrier.int_type(bits),
        _ => return Err("a type that the module does not have".to_owned()),
    };
    types.insert_number(number, ty);
    Ok(number)
}

/// The width of the integer that holds a predicate.
pub(super) fn predicate_bits(alternatives: u32) -> u32 {
    if alternatives <= 2 { 1 } else { 32 }
}

/// The number of a constant, found in the module or built.
pub(super) fn number(
    carrier: &mut Carrier,
    pool: &Pool,
    types: &mut Types,
    constants: &mut Constants,
    constant: Const,
    symbols: &[u32],
) -> Result<u32, String> {
    if symbols.is_empty() {
        if let Some(number) = constants.number(constant) {
            return Ok(number);
        }
    } else {
        if let (Constant::Hole { .. }, &[symbol]) = (pool.constant(constant), symbols) {
            return Ok(symbol);
        }
        return constants
            .symbolic_number(constant, Holes::from_slice(symbols))
            .ok_or_else(|| "a constant with symbols that the module does not have".to_owned());
    }
    let ty = type_number(carrier, pool, types, pool.constant(constant).ty())?;
    let number = match pool.constant(constant) {
        Constant::Int { words, .. } => carrier.const_int(ty, words.as_slice()),
        Constant::Float { bits, .. } => carrier.const_float(ty, *bits),
        Constant::Zero(_) => carrier.const_special(ty, special::ZERO),
        Constant::Undef(_) => carrier.const_special(ty, special::UNDEF),
        Constant::Poison(_) => carrier.const_special(ty, special::POISON),
        _ => return Err("a constant that the module does not have".to_owned()),
    };
    constants.set_number(constant, number);
    Ok(number)
}

/// The number of the integer that stands for alternative `value` of `of`.
pub(super) fn alternative(carrier: &mut Carrier, value: u32, of: u32) -> u32 {
    let ty = carrier.int_type(predicate_bits(of));
    carrier.const_int(ty, &[u64::from(value)])
}
