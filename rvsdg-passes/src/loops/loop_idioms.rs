//! Loop idioms: what a loop writes to one byte after the other is written by a call of an intrinsic before it.
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
//! becomes, `v5` being zero,
//!
//! ```text
//! mem1 = call void (ptr, i8, i64, i1) @llvm.memset.p0.i64(v8, v9, v10, v11), mem0
//! … = theta (v2: i64 = v1, v3: ptr = v0, …) {
//!   …
//! }
//! ```
//!
//! and a loop of which nothing else is needed goes.
//!
//! Loops are looked at that can be counted, contain no other, and do nothing with states but plain loads and stores that
//! every iteration makes. A store is an idiom whose address moves by its size in each iteration, up or down, and that writes
//!
//! - the same byte everywhere (`fills`): a byte that does not change, or a constant of equal bytes;
//! - what a load finds that moves the same way (`copies`), from another object, or from the same one where no iteration reads what
//!   one before it wrote, which is what `llvm.memmove` gives.
//!
//! All other accesses of the loop have to be to other objects. The intrinsics become calls of `memset` and the like, so that
//! neither those functions themselves are looked at nor functions that call no library (`"no-builtins"`), nor modules for targets
//! that have none.
//!
//! Statistics: `fills`, `copies`; `final_values` and `loops` as for [induction variables](crate::loops::induction_variables).
//!
//! Running it again changes nothing.
//!
//! Cost: linear in the number of nodes, and quadratic in the number of accesses of a loop, which is at most [`MAX_ACCESSES`].
//!
//! Left out: values of several bytes that differ; nests that write a block as a whole; loops over narrow indices, which
//! [induction variable simplification](crate::loops::induction_variables) widens; counting bits; copies of volatile or atomic accesses.

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

/// So many accesses a loop has at most.
pub const MAX_ACCESSES: usize = 16;

/// Functions that do what loops in them are not to be replaced by.
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
        let mut surroundings: Option<FxHashMap<Body, Arc<Surroundings>>> = None;
        let mut found: Vec<(Lambda, Vec<Idiom>)> = Vec::new();
        for lambda in module.lambdas() {
            let data = &module.bodies[lambda.body()];
            let Some(graph) = data.graph().filter(|graph| !graph.has_funclets()) else { continue };
            let is_own = OWN.contains(&&*module.symbols[data.symbol].name) || is_opaque(module, data.symbol);
            if is_own || attributes(module, data.symbol).is_none_or(ignores_names) {
                continue;
            }
            let alias =
                || surroundings.get_or_insert_with(|| Surroundings::of_all(module)).get(&lambda.body()).cloned();
            let idioms = find::idioms(graph, &mut layouts, alias);
            if !idioms.is_empty() {
                found.push((lambda, idioms));
            }
        }
        let mut change = Change::Unchanged;
        let mut replacing = Replacing::default();
        for (lambda, idioms) in found {
            if replacing.all(module, lambda, &idioms, &mut layouts, cx).is_changed() {
                cx.body_changed(lambda.body());
                change = Change::Changed;
            }
        }
        change
    }
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Module(Box::new(LoopIdioms))]
}
