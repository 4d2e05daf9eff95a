//! Loop idioms: loops that fill or copy consecutive memory become calls of `llvm.memset`, `llvm.memcpy` or `llvm.memmove`.
//!
//! ```text
//! mem1, … = theta (v2: i64 = v1, v3: ptr = v0, mem2 = mem0, …) {
//!   v4: ptr = getelementptr i32, v3, v2
//!   mem3 = store v5, v4, mem2, align 4
//!   …
//!   next v6, v3, mem3, … while v7
//! }
//! ```
//!
//! becomes, if `v5` is zero,
//!
//! ```text
//! mem1 = call void (ptr, i8, i64, i1) @llvm.memset.p0.i64(v8, v9, v10, v11), mem0
//! … = theta (v2: i64 = v1, v3: ptr = v0, …) {
//!   …
//! }
//! ```
//!
//! and a loop of which nothing else is needed is removed.
//!
//! Candidates are loops with a computable trip count that contain no other loop and whose only operations with states are plain loads
//! and stores, and calls of these intrinsics with a known length, that every iteration executes. A write is an idiom if its address
//! moves by its size in each iteration, up or down, and what it writes is
//!
//! - the same byte everywhere (`fills`): an invariant byte, or a constant of equal bytes;
//! - what is read at an address that moves the same way (`copies`), from another object, or from the same one if no iteration reads
//!   what an earlier one wrote, which is the semantics of `llvm.memmove`.
//!
//! Nests that write a block as a whole are replaced from the inside out. All other accesses of the loop have to be to other objects. The
//! intrinsics become calls of `memset` and the like, so those functions themselves are skipped, as are functions that may not call the
//! library (`"no-builtins"`) and modules for targets without one.
//!
//! Statistics: `fills`, `copies`; `final_values` and `loops` as for [induction variables](crate::loops::induction_variables).
//!
//! Running it again changes nothing.
//!
//! Cost: linear in the number of nodes, and quadratic in the number of accesses of a loop, which is at most [`MAX_ACCESSES`].
//!
//! Left out: fill values of several different bytes; nests of rows whose length is not known; loops over narrow indices, which
//! [induction variable simplification](crate::loops::induction_variables) widens; population counts; copies by volatile or atomic accesses.

mod find;
mod replace;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use rvsdg_analysis::Surroundings;
use rvsdg_analysis::allocation::{has_library, ignores_names};
use rvsdg_analysis::function::{attributes, is_opaque};
use rvsdg_core::layout::{DataLayout, Layouts};
use rvsdg_core::structural::Lambda;
use rvsdg_core::{Body, Module};

use crate::pass::{Change, ModulePass, PassCx, Stage};
use find::Idiom;
use replace::Replacing;

/// The maximum number of accesses of a loop.
pub const MAX_ACCESSES: usize = 16;

/// Functions whose own loops must not be replaced by calls of them.
const OWN: &[&str] = &["memset", "memcpy", "memmove", "bzero", "bcopy"];

/// The stage of [loop idioms](self).
pub struct LoopIdioms;

impl ModulePass for LoopIdioms {
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change {
        let Ok(data) = DataLayout::parse(&module.header.data_layout) else { return Change::Unchanged };
        if !has_library(module) {
            return Change::Unchanged;
        }
        let mut layouts = Layouts::new(data);
        let mut replacing = Replacing::default();
        let mut remaining = module.lambdas().to_vec();
        let mut change = Change::Unchanged;
        // What replaces an inner loop may be a row of an outer one.
        while !remaining.is_empty() {
            let found = find_all(module, &remaining, &mut layouts);
            remaining.clear();
            for (lambda, idioms) in found {
                if replacing.all(module, lambda, &idioms, &mut layouts, cx).is_changed() {
                    cx.body_changed(lambda.body());
                    change = Change::Changed;
                    remaining.push(lambda);
                }
            }
        }
        change
    }
}

/// The idioms of functions that may call the library.
fn find_all(module: &Module, lambdas: &[Lambda], layouts: &mut Layouts) -> Vec<(Lambda, Vec<Idiom>)> {
    let mut surroundings: Option<FxHashMap<Body, Arc<Surroundings>>> = None;
    let mut found = Vec::new();
    for &lambda in lambdas {
        let data = &module.bodies[lambda.body()];
        let Some(graph) = data.graph().filter(|graph| !graph.has_funclets()) else { continue };
        let is_own = OWN.contains(&&*module.symbols[data.symbol].name) || is_opaque(module, data.symbol);
        if is_own || attributes(module, data.symbol).is_none_or(ignores_names) {
            continue;
        }
        let alias = || surroundings.get_or_insert_with(|| Surroundings::of_all(module)).get(&lambda.body()).cloned();
        let idioms = find::idioms(graph, layouts, alias);
        if !idioms.is_empty() {
            found.push((lambda, idioms));
        }
    }
    found
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Module(Box::new(LoopIdioms))]
}
