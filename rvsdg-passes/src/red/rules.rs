//! The rules, one file per group of operations.

mod add;
mod bitwise;
mod cast;
mod float;
mod icmp;
mod logic;
mod mul;
mod select;
mod shift;

use super::rule::Rule;

/// All groups.
pub(super) const GROUPS: &[&[Rule]] = &[
    add::RULES,
    mul::RULES,
    bitwise::RULES,
    shift::RULES,
    icmp::RULES,
    cast::RULES,
    select::RULES,
    float::RULES,
    logic::RULES,
];
