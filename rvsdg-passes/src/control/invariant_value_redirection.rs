//! Invariant value redirection: users of a value that a conditional, a loop or a call returns unchanged take it from before that node.
//!
//! ```text
//! v3: i32, v4: i32 = gamma v2 (v0, v1)
//! case 0 (v5: i32, v6: i32) { yield v5, v6 }
//! case 1 (v7: i32, v8: i32) { yield v7, v7 }
//! v9: i32 = add v3, v4
//! ```
//!
//! becomes, leaving the rest to dead node elimination,
//!
//! ```text
//! v9: i32 = add v0, v4
//! ```
//!
//! It runs in two stages. The first ([`InvariantValues`]) visits every γ and θ of a body, inner ones first:
//!
//! - an exit variable of a γ that is the same outer value in every region, or poison in some, is that value;
//! - the results of a γ region whose end is unreachable are poison;
//! - a loop variable of a θ that no iteration changes is its initial value;
//! - an exit variable that is poison in some regions and else the same as another one is that one; so is a loop variable that is poison
//!   before the first iteration;
//! - the same holds for states, whose variables are then removed, because a state has one user. The io state stays with a θ that may
//!   not terminate (and so does its memory state, so that nothing moves from after the loop to before it). A θ in which everything
//!   returns and whose iterations can be counted terminates.
//!
//! The second ([`InvariantCalls`]) does the same at direct calls of functions with an exact definition (one that is certain to be the
//! one executed): a result that is always one of the arguments or a constant is taken from the caller, and a state that the function
//! passes through bypasses the call. Callees come before callers, and the first stage runs again on each caller.
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
