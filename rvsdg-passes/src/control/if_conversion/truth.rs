//! Predicates with two alternatives as truth values.

use rvsdg_core::build::Insert;
use rvsdg_core::constant::Words;
use rvsdg_core::op::{IntPredicate, MatchTable};
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, Type};

/// A predicate with two alternatives as a truth value: whether it is 1.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Truth {
    /// It is constant.
    Known(bool),
    /// It is an existing truth value, or its negation.
    Value {
        /// The value.
        value: Origin,
        /// Whether it is the negation.
        inverted: bool,
    },
    /// It is a comparison for equality of an integer and a constant that is to be computed, or its negation.
    Equality {
        /// The integer.
        value: Origin,
        /// The constant.
        constant: Const,
        /// Whether it is the negation.
        inverted: bool,
    },
}

impl Truth {
    /// The truth value that a predicate is, if it is one.
    pub(super) fn of(graph: &Graph, predicate: Origin) -> Option<Truth> {
        let producer = graph.producer(predicate)?;
        match graph.op(producer)? {
            Op::CtlConst { value, of: 2 } => Some(Truth::Known(value == 1)),
            Op::Match(table) => {
                let table = graph.pool().table(table);
                (table.alternatives == 2).then(|| Truth::of_table(graph, producer, table, 1)).flatten()
            }
            _ => None,
        }
    }

    /// Whether a `match` yields `alternative`, if one comparison decides that.
    pub(super) fn of_table(graph: &Graph, node: Node, table: &MatchTable, alternative: u32) -> Option<Truth> {
        let value = graph.input(node, 0);
        if graph.ty(value) == Type::I1 {
            let chosen = |truth: bool| {
                let case = table.cases.iter().find(|&&(case, _)| is_bool(graph, case, truth));
                case.map_or(table.default, |&(_, chosen)| chosen) == alternative
            };
            return Some(match (chosen(false), chosen(true)) {
                (false, true) => Truth::Value { value, inverted: false },
                (true, false) => Truth::Value { value, inverted: true },
                (always, _) => Truth::Known(always),
            });
        }
        let inverted = table.default == alternative;
        let mut cases = table.cases.iter().filter(|&&(_, chosen)| (chosen == alternative) != inverted);
        match (cases.next(), cases.next()) {
            (None, _) => Some(Truth::Known(inverted)),
            (Some(&(constant, _)), None) => Some(Truth::Equality { value, constant, inverted }),
            _ => None,
        }
    }

    /// Whether it is a negation.
    pub(super) fn is_inverted(self) -> bool {
        match self {
            Truth::Known(_) => false,
            Truth::Value { inverted, .. } | Truth::Equality { inverted, .. } => inverted,
        }
    }

    /// The negation.
    pub(super) fn not(self) -> Truth {
        match self {
            Truth::Known(truth) => Truth::Known(!truth),
            Truth::Value { value, inverted } => Truth::Value { value, inverted: !inverted },
            Truth::Equality { value, constant, inverted } => Truth::Equality { value, constant, inverted: !inverted },
        }
    }

    /// The cost of branching on it, or on its negation.
    pub(super) fn question(self) -> u32 {
        match self {
            Truth::Known(_) | Truth::Value { .. } => 0,
            Truth::Equality { .. } => 1,
        }
    }

    /// The cost of computing it as a value.
    pub(super) fn weight(self) -> u32 {
        match self {
            Truth::Known(_) => 0,
            Truth::Value { inverted, .. } => u32::from(inverted),
            Truth::Equality { .. } => 1,
        }
    }

    /// Computes it as a value at a place where its operand is available.
    pub(super) fn make(self, at: &mut Insert<'_>) -> Origin {
        match self {
            Truth::Known(truth) => at.int(Type::I1, u64::from(truth)),
            Truth::Value { value, inverted: false } => value,
            Truth::Value { value, inverted: true } => at.not(value),
            Truth::Equality { value, constant, inverted } => {
                let constant = at.constant(constant);
                at.compare(if inverted { IntPredicate::Ne } else { IntPredicate::Eq }, value, constant)
            }
        }
    }
}

/// Whether a constant is a truth value.
fn is_bool(graph: &Graph, constant: Const, truth: bool) -> bool {
    match graph.pool().constant(constant) {
        Constant::Int { words, .. } => {
            let limbs: &[u64] = Words::as_slice(words);
            limbs.first().is_some_and(|limb| (limb & 1 == 1) == truth)
        }
        _ => false,
    }
}
