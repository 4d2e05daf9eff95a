//! If-conversion: replaces conditionals that only choose between cheap values by `select`.
//!
//! ```text
//! v3: ctl(2) = match i1 v2 [true -> 0, _ -> 1]
//! v4: i32 = gamma v3 (v0, v1) {
//! case 0 (v5: i32, v6: i32) {
//!   yield v5
//! }
//! case 1 (v7: i32, v8: i32) {
//!   v9: i32 = add v8, v7
//!   yield v9
//! }
//! ```
//!
//! becomes
//!
//! ```text
//! v9: i32 = add v1, v0
//! v4: i32 = select i1 v2, v0, v9
//! ```
//!
//! A γ is converted when everything in its regions may be executed speculatively, no state changes in it, and the result is
//! cheaper than a branch: operations have weights ([`cost`]), and the limits are [`cost::MAX_SPECULATED`] and
//! [`cost::MAX_CHOICES`]. Each exit variable whose values differ becomes a `select`, or a chain of two for
//! three alternatives. A γ without users is removed even if it is large.
//!
//! An exit variable that is a predicate, as for `a && b`, becomes a `select` of truth values; so two branches become one. Poison in
//! the alternative that is not chosen is harmless: `select` returns the chosen value, whatever the other one is.
//!
//! Nested conditionals of which one alternative of the inner and the other alternative of the outer return the same without
//! computing anything become one conditional with both conditions, as in `if (a) return -1; if (b) return -1;` (`nested`).
//!
//! Loads from memory that is known to be dereferenceable may be speculated too, although they take part in the order of memory (`loads`).
//!
//! Stores to one address at the end of all alternatives become one store after the γ (`sink`); so does a store that overwrites
//! one before the γ if the other alternative leaves memory alone. Tail merging: operations that compute the same output in all
//! alternatives, with at most one differing operand, become one operation after the γ, loads included (`tail`).
//!
//! Jump threading: a γ that is not converted, and that returns the value on which the next decision depends, makes that decision
//! in the alternatives that know the value (`thread`). A conditional that it then decides moves into it (`fuse`).
//!
//! Inner γ are visited first, so that an outer one that becomes small is converted in turn. Running the pass again can find more: an
//! earlier γ whose value only a converted one had used.
//!
//! Statistics: `converted` conditionals, `selects` made, `speculated` operations that are now always executed,
//! `predicates` that are now computed as values, `nested` conditionals merged with the one around them, `stores` and `tails` moved
//! after a conditional, `threaded` decisions moved into the conditional before them, `fused` conditionals moved likewise, `empty`
//! conditionals without used results.
//!
//! Cost: linear in the number of nodes.
//!
//! Left out: converting a part of a conditional; branch probabilities; calls, whose cost is not known.
//!
//! After "Conversion of control dependence to data dependence" by Allen, Kennedy, Porterfield and Warren (POPL 1983).

pub mod cost;

mod convert;
mod fuse;
mod known;
mod loads;
mod nested;
mod sink;
mod tail;
mod thread;
mod truth;

use rvsdg_analysis::order::structural_bottom_up;
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Graph, Node};

use crate::pass::{BodyPass, Change, PassCx, Stage};

use fuse::Nests;
use loads::Loads;

/// The stage of [if-conversion](self).
pub struct IfConversion;

impl BodyPass for IfConversion {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut change = Change::Unchanged;
        let nodes = structural_bottom_up(graph);
        let loads = Loads::of(graph, cx);
        for &node in &nodes {
            if let Some(gamma) = Gamma::new(graph, node) {
                change |= sink::sink(graph, gamma, cx);
                change |= tail::sink(graph, gamma, cx);
                let converted = convert::convert(graph, gamma, &loads, cx);
                change |= converted;
                if !converted.is_changed() {
                    change |= nested::join(graph, gamma, &loads, cx);
                }
            }
        }
        // Once more, because a conditional that moved tells more where it is now, and what is threaded in a loop tells how it ends.
        for _ in 0..2 {
            let moved = move_decisions(graph, &nodes, cx);
            change |= moved;
            if !moved.is_changed() {
                break;
            }
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// Moves decisions, and conditionals, into the conditionals before them.
fn move_decisions(graph: &mut Graph, nodes: &[Node], cx: &PassCx) -> Change {
    let mut change = Change::Unchanged;
    // Later ones first: the predicate of a conditional holds information for those after it until it is threaded itself.
    for &node in nodes.iter().rev() {
        if graph.is_live(node)
            && let Some(gamma) = Gamma::new(graph, node)
        {
            change |= thread::thread(graph, gamma, cx);
        }
    }
    let mut nests = Nests::of(graph, nodes);
    // Outer ones first: a conditional that moves into an alternative unchanged may move on into a conditional there.
    for &node in nodes.iter().rev() {
        if graph.is_live(node)
            && let Some(gamma) = Gamma::new(graph, node)
        {
            change |= fuse::fuse(graph, gamma, &mut nests, cx);
        }
    }
    change
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(IfConversion))]
}
