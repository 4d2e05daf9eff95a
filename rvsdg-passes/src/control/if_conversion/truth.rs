//! Predicates of two alternatives as truth values.

use rvsdg_core::build::Insert;
use rvsdg_core::constant::Words;
use rvsdg_core::op::{IntPredicate, MatchTable};
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, Type};

/// A predicate of two alternatives as a truth value: whether it is 1.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Truth {
    /// It always is, or never.
    Known(bool),
    /// As a truth value that is there, or the opposite.
    Value {
        /// The value.
        value: Origin,
        /// Whether it is the opposite.
        inverted: bool,
    },
    /// As an integer's equality to a constant that is to be computed, or the opposite.
    Equality {
        /// The integer.
        value: Origin,
        /// The constant.
        constant: Const,
        /// Whether it is the opposite.
        inverted: bool,
    },
}

impl Truth {
    /// What a predicate is, if it is a truth value.
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

    /// Whether a `match` gives `alternative`, when one comparison tells.
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

    /// Whether it is the opposite of something.
    pub(super) fn is_inverted(self) -> bool {
        match self {
            Truth::Known(_) => false,
            Truth::Value { inverted, .. } | Truth::Equality { inverted, .. } => inverted,
        }
    }

    /// The opposite.
    pub(super) fn not(self) -> Truth {
        match self {
            Truth::Known(truth) => Truth::Known(!truth),
            Truth::Value { value, inverted } => Truth::Value { value, inverted: !inverted },
            Truth::Equality { value, constant, inverted } => Truth::Equality { value, constant, inverted: !inverted },
        }
    }

    /// What it costs to ask for it, or for its opposite.
    pub(super) fn question(self) -> u32 {
        match self {
            Truth::Known(_) | Truth::Value { .. } => 0,
            Truth::Equality { .. } => 1,
        }
    }

    /// What it costs to have it as a value.
    pub(super) fn weight(self) -> u32 {
        match self {
            Truth::Known(_) => 0,
            Truth::Value { inverted, .. } => u32::from(inverted),
            Truth::Equality { .. } => 1,
        }
    }

    /// Makes it a value at a place where its operand is known.
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
