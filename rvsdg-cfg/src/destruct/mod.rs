//! Destruction: the control flow graph of a function's RVSDG (thesis B2.3).
//!
//! - `schedule` orders the nodes of each region (EVALORDER);
//! - `names` gives each value one name, whatever regions it is routed through;
//! - `build` lays regions out as blocks and arcs, the `skeleton`, with routed values as assignments on arcs;
//! - `thread` decides which blocks and arcs remain: all of the structure, or what predicates leave of it;
//! - `ssa` turns assigned variables into block parameters, `redundant` finds those that are not needed (`dominators`);
//! - `layout` joins blocks and arcs, `emit` writes the result, `describe` says what stands for values that are gone;
//! - `labels` gives each address of a block a block, `unwind` each landing pad; `repair` makes definitions dominate their
//!   uses where that or an invoke has parted them;
//! - [`canonicalize_branch`] brings a branch into the form in which it can be compared and written.
//!
//! Time is near-linear in the size of the graph plus, for variables whose join is passed by, the blocks in which they are
//! live. Nothing recurses on the program's shape.

mod branch;
mod build;
mod describe;
mod emit;
mod labels;
mod layout;
mod names;
mod redundant;
mod repair;
mod schedule;
mod skeleton;
mod ssa;
#[cfg(test)]
mod tests;
mod thread;
mod unwind;

use rvsdg_core::Graph;

use crate::cfg::Cfg;
use build::build;
use emit::emit;
use layout::Layout;
use names::Names;
use schedule::Schedule;
use ssa::Ssa;

pub use branch::canonicalize_branch;

/// How control flow is recovered.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Recovery {
    /// Structured control flow recovery: each γ becomes a branch and a join, each θ a loop with an exit test at its end. Predicates that
    /// reach them from elsewhere are kept in integers.
    Structured,
    /// Predicative control flow recovery: branches are where predicates are defined, and jump directly to where the predicates lead. For
    /// a graph directly after construction, this reproduces the control flow it was constructed from (thesis Theorem B2.5.8).
    Predicative,
}

/// The control flow graph of a function's body.
///
/// The first `contexts` arguments of the root region are context variables. States disappear, but the order that they impose is kept.
/// Instructions, branches, jumps and parameters keep their sources; the source of a θ is that of the jump that enters it. Blocks are in
/// the order of the first source in each, or else in the structured order of execution, but always after those that dominate them. An
/// `unreachable`, `resume` or `musttail` call is the last in its block; the arc to the exit carries poison or the result of the call. The
/// entry has no predecessor, and each arc to the exit is the only one of its block.
///
/// A funclet is entered only at its pad and left only by its returns, so its blocks cannot be joined according to the graph's structure:
/// a body with funclets is always recovered predicatively.
///
/// # Panics
/// If the graph is not valid.
pub fn destruct(graph: &Graph, contexts: usize, recovery: Recovery) -> Cfg {
    let recovery = if graph.has_funclets() { Recovery::Predicative } else { recovery };
    let schedule = Schedule::new(graph);
    let names = Names::new(graph, &schedule);
    let skeleton = build(graph, &schedule, &names, recovery);
    let flow = thread::thread(&skeleton, recovery);
    let mut ssa = Ssa::new(&skeleton, &flow);
    let roots = layout::read_all(&mut ssa, graph, &names);
    redundant::solve(&mut ssa, graph, &roots);
    let layout = Layout::new(&ssa, graph, &roots);
    let mut cfg = emit(graph, &names, ssa, &layout, contexts);
    cfg.merged = graph.merges().into_iter().filter_map(|(node, merged)| Some((graph.source(node)?, merged))).collect();
    cfg
}
