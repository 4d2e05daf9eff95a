//! Deliberate faults, to see whether tests find them: with the feature `seeded-bugs` one of them can be switched on.
//! Without the feature, which nothing but its test asks for, none of them is compiled.

/// A fault in a pass.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Bug {
    /// Node push-out ignores that a loop writes the memory that a load in it reads.
    PshStateEdge = 1,
    /// Node push-out takes loads out of a loop from under a condition.
    PshGuardedLoad,
    /// Node push-out executes divisions that a condition kept from dividing by zero.
    PshGuardedDivision,
    /// Common node elimination keeps `nsw` and the like of the node it keeps.
    CneFlags,
    /// Common node elimination takes loop variables for the same that only start the same.
    CneLoopVariables,
    /// Dead node elimination drops the update of a loop variable that only the loop uses.
    DneLoopVariable,
    /// Dead node elimination takes stores for dead.
    DneStore,
    /// Invariant value redirection looks at the first alternative of a conditional only.
    InvFirstAlternative,
    /// Node reduction rounds quotients of negative numbers down when it folds `sdiv`.
    RedSignedDivision,
    /// Node reduction moves the cases of a `match` of a sum in the wrong direction.
    RedMatchSum,
    /// Node reduction puts the known operand of a `sub` last, as if it commuted.
    RedCommutes,
    /// Node reduction takes the default of a `match` of a number for the value that no case has.
    RedKnownCondition,
}

impl Bug {
    /// Every fault.
    pub const ALL: &[Bug] = &[
        Bug::PshStateEdge,
        Bug::PshGuardedLoad,
        Bug::PshGuardedDivision,
        Bug::CneFlags,
        Bug::CneLoopVariables,
        Bug::DneLoopVariable,
        Bug::DneStore,
        Bug::InvFirstAlternative,
        Bug::RedSignedDivision,
        Bug::RedMatchSum,
        Bug::RedCommutes,
        Bug::RedKnownCondition,
    ];

    /// The pass it is in.
    pub fn pass(self) -> &'static str {
        match self {
            Bug::PshStateEdge | Bug::PshGuardedLoad | Bug::PshGuardedDivision => "psh",
            Bug::CneFlags | Bug::CneLoopVariables => "cne",
            Bug::DneLoopVariable | Bug::DneStore => "dne",
            Bug::InvFirstAlternative => "inv",
            Bug::RedSignedDivision | Bug::RedMatchSum | Bug::RedCommutes | Bug::RedKnownCondition => "red",
        }
    }

    /// What is wrong, in a sentence.
    pub fn text(self) -> &'static str {
        match self {
            Bug::PshStateEdge => "a load leaves a loop that writes memory: its state edge is dropped",
            Bug::PshGuardedLoad => "a load leaves a loop from under its guard",
            Bug::PshGuardedDivision => "a division leaves a loop or a conditional from under the guard against zero",
            Bug::CneFlags => "merged nodes keep `nsw` and the like of one of them",
            Bug::CneLoopVariables => "loop variables that start the same are taken for the same",
            Bug::DneLoopVariable => "the update of a loop variable is dropped when only the loop uses the variable",
            Bug::DneStore => "stores are dropped",
            Bug::InvFirstAlternative => "what one alternative passes on unchanged is taken from before the conditional",
            Bug::RedSignedDivision => "folding `sdiv` rounds down",
            Bug::RedMatchSum => "a match of a sum with a constant becomes one with cases on the wrong side",
            Bug::RedCommutes => "operands of `sub` are exchanged",
            Bug::RedKnownCondition => "where the default of a match leads to, the operand is taken for zero",
        }
    }
}

#[cfg(feature = "seeded-bugs")]
mod switch {
    use std::sync::atomic::{AtomicU8, Ordering};

    static ACTIVE: AtomicU8 = AtomicU8::new(0);

    /// Switches a fault on, or all off, in the whole process.
    pub fn activate(bug: Option<super::Bug>) {
        ACTIVE.store(bug.map_or(0, |bug| bug as u8), Ordering::SeqCst);
    }

    pub(crate) fn is_active(bug: super::Bug) -> bool {
        ACTIVE.load(Ordering::Relaxed) == bug as u8
    }
}

#[cfg(feature = "seeded-bugs")]
pub use switch::activate;
#[cfg(feature = "seeded-bugs")]
pub(crate) use switch::is_active;

/// Nothing is wrong on purpose.
#[cfg(not(feature = "seeded-bugs"))]
#[inline(always)]
pub(crate) const fn is_active(_: Bug) -> bool {
    false
}
