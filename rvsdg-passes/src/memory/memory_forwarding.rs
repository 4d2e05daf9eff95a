//! Memory value forwarding: what a load finds is known where the memory state comes past what put it there.
//!
//! ```text
//! mem1 = store v1, v0, mem0, align 8
//! mem2 = theta (v2: i64 = v1, mem3 = mem1, v3: ptr = v0, ...) {
//!   v4: double, mem4 = load v3, mem3, align 8
//!   ...
//!   mem5 = store v5, v3, mem4, align 8
//!   next mem5, v3, ... while v6
//! }
//! ```
//!
//! becomes
//!
//! ```text
//! mem1 = store v1, v0, mem0, align 8
//! mem2 = theta (v4: double = v1, mem3 = mem1, v3: ptr = v0, ...) {
//!   ...
//!   mem5 = store v5, v3, mem3, align 8
//!   next v5, mem5, v3, ... while v6
//! }
//! ```
//!
//! First of all, copies (`llvm.memcpy`) of what was copied into an object on the stack, and loads of it, read where it came from (`copies`).
//!
//! Each round has six phases, and another one follows when loads or stores went:
//!
//! - *Number* gives equal values equal numbers, across the borders of regions (`numbering`); addresses with one number are
//!   the same place. For each loop it is noted what one iteration reads and writes (`summary`), and for each `alloca` whether
//!   anything but plain accesses of the body can reach it (`access`).
//! - *Hoist* reads before a loop what each of its iterations reads, unless writes other than to that very place may change it
//!   (`hoist`). That is all a loop needs for the next phase to carry the value as a loop variable.
//! - *Around* finds the loads of innermost loops that read what the iteration before read or wrote, as `a[i - 1]` does where
//!   `a[i]` is accessed, too, and reads before the loop what the first iteration finds (`around`).
//! - *Forward* follows the memory state from the start of the body, into and out of regions, with the values that memory is
//!   known to hold (`forward`). Behind a γ a place holds an exit variable, to which alternatives say nothing to whose end
//!   control does not get (`dead_ends`), and which one alternative that alone does not know it reads at its end, if the place is read behind
//!   the γ in any case; in a loop that changes it, a loop variable. Where it is known at the end of an iteration what a place holds,
//!   though something in the loop changes it, what it held before is read there or known, and *forward* is repeated with a loop
//!   variable. A load of bytes that a fill made zero finds zero (`zeros`). Only those that a load needs are made (`values`). GVN's partial redundancy elimination of loads. A load that finds a value of another type of the same size gets it through
//!   a `bitcast`. A store of what is there already goes.
//! - *Dead stores* follows the state back from the end, with the places that are overwritten before they are read, and
//!   removes stores, copies and fills of these, which several stores may overwrite together, and of objects on the stack that nothing reads (`dead`). An object that only loads and stores
//!   reach thus becomes values along edges, and its allocation is left for dead node elimination.
//! - *Sink*, in rounds in which nothing else goes, puts what every iteration stores to one place after the loop, if nothing in it reads there
//!   and nothing else writes there (`sink`).
//!
//! Two places are surely apart when they are at a known distance from each other, or different elements of one object, by
//! constants that are added to the same indices (`offsets`); in different objects, such as two `alloca`, two variables of the
//! module, and what only a `noalias` parameter or result leads to; or when one is on the stack and the other came from outside
//! (`access`). All else may be the same. Volatile accesses, atomic ones but the weakest, and fences may change whatever is
//! reachable from outside.
//!
//! A load also does not see what was stored before it under a type-based tag that does not go with its own (LangRef, `tbaa`), where
//! addresses say nothing of the two. That tells a read from an earlier write only: memory may change its type, so stores do not change
//! places with others, nor with loads before them, and what is known across such a store is known to loads under the one tag only
//! (`rvsdg_core::tbaa`). Calls change what the attributes of call and callee allow (`calls`); marks of an object's life make
//! what it holds unknown, and go with its last access.
//!
//! What a load's instruction promises of its value (metadata) is kept for a load that stays only when all loads that now get
//! its value promise it too.
//!
//! Cost: linear in the number of nodes; places, values and lengths of addresses are bounded by constants.
//!
//! Left out: aliasing by scopes, and by the types of calls and of dead stores; loads that find part of a value, or of what was filled with something else than zeros, or what another address held two iterations before
//! with nothing there in between; stores of only some iterations; loads that two or more alternatives do not know.

mod around;
mod body;
mod copies;
mod dead;
mod forward;
mod hoist;
mod sink;
mod values;
mod versions;
mod zeros;

pub use body::MemoryValues;
pub use versions::LoopVersions;
pub(crate) use versions::is_fallback;

use crate::pass::Stage;

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(MemoryValues))]
}
