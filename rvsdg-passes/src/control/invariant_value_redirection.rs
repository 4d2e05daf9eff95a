//! Invariant value redirection: what a conditional, a loop or a call gives back unchanged is taken from before it.
//!
//! ```text
//! v3: i32, v4: i32 = gamma v2 (v0, v1)
//! case 0 (v5: i32, v6: i32) { yield v5, v6 }
//! case 1 (v7: i32, v8: i32) { yield v7, v7 }
//! v9: i32 = add v3, v4
//! ```
//!
//! becomes, with what is left over for dead node elimination,
//!
//! ```text
//! v9: i32 = add v0, v4
//! ```
//!
//! It runs in two stages. The first ([`InvariantValues`]) looks at every γ and θ of a body, inner ones first:
//!
//! - an exit variable of a γ that is the same outer value in every region, or poison in some, is that value;
//! - what a region of a γ gives to whose end control does not get is poison;
//! - a loop variable of a θ that every iteration leaves as it is, is its start value;
//! - states too, whose variables then go, because a state has one user. The io state stays with a θ that may run forever
//!   (and with that its memory state, so that nothing behind the loop comes before it). One in which everything returns and
//!   whose iterations can be counted ends.
//!
//! The second ([`InvariantCalls`]) does the same at direct calls of functions whose definition is the one that runs: a
//! result that always is one of the arguments or a constant is taken from the caller, and a state that the function hands
//! through passes the call by. Callees come before callers, and each caller is looked at again by the first stage.
//!
//! Running it again changes nothing.
//!
//! Cost: linear in the number of edges.
//!
//! Left out: loop variables that are equal to an invariant one but not the same (common node elimination merges them);
//! results of recursive calls; results that are the address of a symbol.
//!
//! Thesis B1.7, "invariant value redirection".

mod calls;
mod values;

pub use calls::InvariantCalls;
pub use values::InvariantValues;

use crate::pass::Stage;

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(InvariantValues)), Stage::Module(Box::new(InvariantCalls))]
}
