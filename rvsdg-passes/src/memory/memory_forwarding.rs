//! Memory forwarding: store-to-load and load-to-load forwarding along the memory state, and dead-store elimination.
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
//! A first step makes copies (`llvm.memcpy`) and loads of an object on the stack that was itself copied read the source of that copy
//! (`copies`).
//!
//! Each round has six phases, and another round follows if loads or stores were removed:
//!
//! - *Number* gives equal values equal numbers, across region borders (`numbering`); addresses with one number are
//!   the same location. It also records for each loop what one iteration reads and writes (`summary`), and for each `alloca` whether
//!   anything but plain accesses of the body can reach it (`access`).
//! - *Hoist* loads before a loop what each of its iterations loads, unless writes other than to that very location may change it
//!   (`hoist`). The next phases then turn the value into a loop variable.
//! - *Around* finds the loads of innermost loops that read what the previous iteration read or wrote, as `a[i - 1]` does when
//!   `a[i]` is accessed too, and loads before the loop what the first iteration finds (`around`).
//! - *Forward* follows the memory state from the start of the body, into and out of regions, with the values that memory is
//!   known to hold (`forward`). After a γ that value is an exit variable; alternatives whose end is unreachable are ignored
//!   (`dead_ends`). If a single alternative does not know the value, it loads it at its end, provided that the location is read after
//!   the γ in any case: partial redundancy elimination of loads, as in LLVM's GVN. In a loop that changes the location, the value is a
//!   loop variable. If the value is known at the end of an iteration although something in the loop changes it, the initial value is
//!   known or loaded before the loop, and *forward* is repeated with a loop variable. A load of bytes that were filled with zero is zero
//!   (`zeros`). Only values that a load needs are built (`values`). A load of another type of the same size gets the value through
//!   a `bitcast`. A store of the value that is already there is removed.
//! - *Dead stores* follows the state backwards from the end, with the locations that are overwritten before they are read. It removes
//!   stores, copies and fills of these, also if several stores overwrite them together, and those of stack objects that are never
//!   read (`dead`). An object that only loads and stores reach thus becomes values along edges, and its allocation is left for dead
//!   node elimination.
//! - *Sink*, in rounds in which nothing else was removed, moves a store that every iteration makes to one location after the loop, if
//!   nothing in the loop reads that location and nothing else writes it (`sink`).
//!
//! Alias analysis: two locations are disjoint if they are a known distance apart, or are different elements of one object, by
//! constants added to the same indices (`offsets`); if they are in different objects, such as two `alloca`, two global variables,
//! or what only a `noalias` parameter or result leads to; or if one is on the stack and the other came from outside
//! (`access`). All others may alias. Volatile accesses, atomic ones other than the weakest, and fences may change whatever is
//! reachable from outside.
//!
//! If the addresses decide nothing, a load ignores an earlier store whose type-based tag is incompatible with its own (LangRef, `tbaa`).
//! That holds only for reads after writes: memory may change its type, so stores are not reordered with other stores or with loads
//! before them, and a value that is known across such a store is known only to loads with that tag
//! (`rvsdg_core::tbaa`). Calls change what the attributes of call and callee allow (`calls`). Lifetime markers make
//! the contents of their object unknown, and are removed with its last access.
//!
//! A load that stays keeps what its instruction promises of its value (metadata) only if all loads that now use
//! its value promise it too.
//!
//! Cost: linear in the number of nodes; locations, values and lengths of addresses are bounded by constants.
//!
//! Left out: scoped aliasing metadata, and type-based aliasing of calls and for dead stores; loads of part of a value, of bytes that were
//! filled with anything but zero, or of what another address held two iterations before
//! with nothing there in between; conditional stores; loads that two or more alternatives do not know.

mod around;
mod body;
mod copies;
mod dead;
mod forward;
mod hoist;
mod restore;
mod sink;
mod values;
mod versions;
mod zeros;

pub use body::MemoryValues;
pub use versions::LoopVersions;

use crate::pass::Stage;

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(MemoryValues))]
}
