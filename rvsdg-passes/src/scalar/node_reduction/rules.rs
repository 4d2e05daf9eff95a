//! The rules, one file per group of operations.

mod add;
mod aggregate;
mod bitwise;
mod call;
mod cast;
mod demanded;
mod distance;
mod fconvert;
mod float;
mod gep;
mod icmp;
mod logic;
mod mul;
mod narrow;
mod order;
mod range;
mod select;
mod shift;
mod vector;

pub(super) use self::distance::constant_in_bytes;
use super::rule::Rule;

/// All groups.
pub(super) const GROUPS: &[&[Rule]] = &[
    add::RULES,
    mul::RULES,
    bitwise::RULES,
    demanded::RULES,
    shift::RULES,
    icmp::RULES,
    cast::RULES,
    select::RULES,
    float::RULES,
    fconvert::RULES,
    logic::RULES,
    range::RULES,
    narrow::RULES,
    order::RULES,
    gep::RULES,
    distance::RULES,
    aggregate::RULES,
    vector::RULES,
    call::RULES,
];
