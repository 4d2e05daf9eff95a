//! If-conversion: replaces conditionals that only choose between values that are cheap to compute by `select`.
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
//! A γ goes when all that is in its regions may be executed though another alternative is chosen, when no state changes
//! in it, and when that costs less than a branch: operations have weights ([`cost`]), and the limits are
//! [`cost::MAX_SPECULATED`] and [`cost::MAX_CHOICES`]. Each value that differs becomes a `select`, or a chain of them for
//! three alternatives. A γ without users goes even if it is large.
//!
//! A predicate that a γ gives, as for `a && b`, is a choice between truth values; so two branches become one. What the
//! other alternative leaves undefined does no harm: `select` gives the value that is chosen, whatever the other is.
//!
//! Two conditionals one in the other, of which one alternative of the inner and the other of the outer give the same without
//! computing anything, become one with both conditions, as in `if (a) return -1; if (b) return -1;`.
//!
//! Loads of variables on the stack count among what may be executed, though they take part in the order of memory (`loads`).
//!
//! Stores at the end of all alternatives to one address become one store behind the γ (`sink`); so does a store that overwrites
//! one before the γ where the other alternative leaves memory alone. What computes the same output in all alternatives, of operands
//! of which at most one differs, is one operation behind the γ, loads among it (`tail`).
//!
//! A conditional that stays, and gives a value that decides right behind it, decides itself where it knows the value (`thread`). What
//! it leads to so moves into it (`fuse`).
//!
//! Inner γ are visited first, so that what becomes small can go in turn. Running it again can find more: an earlier γ whose
//! value only one that went had used.
//!
//! Statistics: `converted` conditionals, `selects` made, `speculated` operations that are now always executed,
//! `predicates` that are now computed as values, `nested` conditionals
//! joined with the one around, `stores` and `tails` moved behind one, `threaded` decisions moved into the conditional before, `fused` conditionals
//! that did, `empty`
//! conditionals that gave nothing anybody used.
//!
//! Cost: linear in the number of nodes.
//!
//! Left out: conditionals of which a part could go; the probability of branches; calls, whose cost is not known.
//!
//! After "Conversion of control dependence to data dependence" by Allen, Kennedy, Porterfield and Warren (POPL 1983).

pub mod cost;

mod convert;
mod fuse;
mod loads;
mod nested;
mod sink;
mod tail;
mod thread;
mod truth;

use rvsdg_analysis::order::structural_bottom_up;
use rvsdg_core::Graph;
use rvsdg_core::structural::Gamma;

use crate::pass::{BodyPass, Change, PassCx, Stage};

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
                let converted = convert::convert(graph, gamma, loads, cx);
                change |= converted;
                if !converted.is_changed() {
                    change |= nested::join(graph, gamma, loads, cx);
                }
            }
        }
        // Later ones first: what a conditional decides by tells about what is behind it until it is threaded itself.
        for &node in nodes.iter().rev() {
            if graph.is_live(node)
                && let Some(gamma) = Gamma::new(graph, node)
            {
                change |= thread::thread(graph, gamma, cx);
            }
        }
        // Outer ones first: what moves into an alternative as it is may go on into what decides there.
        for &node in nodes.iter().rev() {
            if graph.is_live(node)
                && let Some(gamma) = Gamma::new(graph, node)
            {
                change |= fuse::fuse(graph, gamma, cx);
            }
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(IfConversion))]
}
