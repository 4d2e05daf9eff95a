//! Dead node elimination: removes what does not contribute to the result of a computation.
//!
//! One rule covers what elsewhere are separate transformations: dead code, unreachable functions and data, unused
//! conditionals and loops, and unused variables of those that stay. If `v4` has no user,
//!
//! ```text
//! v2: ctl(2) = match i32 v0 [7 -> 0, _ -> 1] of 2
//! v3: i32, v4: i32 = gamma v2 (v0, v1)
//! case 0 (v5: i32, v6: i32) {
//!   v7: i32 = mul v6, v6
//!   yield v5, v7
//! }
//! case 1 (v8: i32, v9: i32) {
//!   v10: i32 = add v8, v8
//!   yield v10, v9
//! }
//! ```
//!
//! becomes
//!
//! ```text
//! v2: ctl(2) = match i32 v0 [7 -> 0, _ -> 1] of 2
//! v3: i32 = gamma v2 (v0)
//! case 0 (v4: i32) {
//!   yield v4
//! }
//! case 1 (v5: i32) {
//!   v6: i32 = add v5, v5
//!   yield v6
//! }
//! ```
//!
//! It runs in two stages, each a mark and a sweep phase. The first handles every body by itself ([`DeadNodes`]), the
//! second the ω level ([`DeadDefinitions`]): functions, data, recursion, context variables and imports; arguments of a body
//! without users tell which context variables it does not need. Between the two, `dne<available_externally>` turns
//! definitions that another module has into declarations ([`AvailableExternally`]), as LLVM's `elim-avail-extern` does after
//! inlining. `dne<assumptions>` first removes calls of `llvm.assume` in loops ([`Assumptions`]).
//!
//! - *Mark* follows edges from results that are needed. A γ output needs the predicate and its exit variable's result in
//!   each region; a θ output or argument needs the predicate and all of its loop variable; an argument of a γ region
//!   needs its entry variable's input. A dead structural node is never entered.
//! - *Sweep* visits regions from the outside in and each region's nodes from the last to the first, and removes dead
//!   nodes and dead variables. When it reaches a dead origin, all users of that origin have been removed.
//!
//! A node whose only effect is its position in an order, and whose values are unused, is not kept alive by its states:
//! they are connected past it. These are loads that are neither volatile nor ordered atomics, allocations on the
//! stack, divisions that carry `io`, and conditionals and loops in which there is nothing else that has states. A loop that
//! carries `io` may run forever, and is none of them.
//!
//! Cost: linear in the number of edges.
//!
//! Left out: dead stores, calls whose effects nobody observes, values that pass a γ or θ unchanged, parameters of functions that all
//! callers could omit.
//!
//! Thesis B1.6.1, algorithm V.

mod assumptions;
mod available;
mod definitions;
mod nodes;
mod passing;

pub use assumptions::Assumptions;
pub use available::AvailableExternally;
pub use definitions::DeadDefinitions;
pub use nodes::DeadNodes;

use crate::pass::Stage;

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(DeadNodes)), Stage::Module(Box::new(DeadDefinitions))]
}

/// The stages of the pass with options as written, `available_externally` and `assumptions`, separated by semicolons.
///
/// # Errors
/// If there is no such option.
pub fn stages_with(options: &str) -> Result<Vec<Stage>, String> {
    let mut stages = vec![Stage::Bodies(Box::new(DeadNodes))];
    for option in options.split(';') {
        match option {
            "assumptions" => stages.insert(0, Stage::Bodies(Box::new(Assumptions))),
            "available_externally" => stages.push(Stage::Module(Box::new(AvailableExternally))),
            _ => return Err(format!("expected 'available_externally' or 'assumptions', found '{option}'")),
        }
    }
    stages.push(Stage::Module(Box::new(DeadDefinitions)));
    Ok(stages)
}
