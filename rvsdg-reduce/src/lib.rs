//! Test-case reduction: shrinks a module for as long as it stays interesting, by delta debugging on the graph.
//!
//! [`reduce`] runs a test on smaller and smaller modules. It tries, from coarse to fine ([`Edit`]):
//!
//! - removing functions that are not needed outside, and emptying functions;
//! - replacing a γ by one of its alternatives, and a θ by one iteration;
//! - removing an operation, whose states bypass it and whose values become constants;
//! - replacing a value that enters or leaves a γ or θ by a constant;
//! - replacing the value of an operation by one of its inputs, and a decision on a comparison by one on its operand;
//! - replacing a constant by zero;
//! - removing dead code.
//!
//! Many changes are tried at once, then half as many, down to single ones, until none keeps the module interesting. Every module that the
//! test sees is valid. Meaning is *not* preserved: a test must itself make sure that a module's behaviour is defined.
//!
//! Only the multiplication matters:
//!
//! ```
//! use rvsdg_core::text::{parse_module, print_module};
//! use rvsdg_reduce::reduce;
//!
//! let module = parse_module(
//!     "module \"example\"
//! @f = function i32 (i32, i32)
//! lambda @f [] (v0: i32, v1: i32, mem0, io0) {
//!   v2: i32 = add v0, v1
//!   v3: i32 = mul v2, v1
//!   v4: i32 = sub v3, v0
//!   yield v4, mem0, io0
//! }
//! export @f
//! ",
//! )?;
//! let small = reduce(module, &mut |module| print_module(module).contains("mul"), &mut |_| {});
//! assert!(!print_module(&small).contains("sub"));
//! # Ok::<(), rvsdg_core::text::ParseError>(())
//! ```

#![forbid(unsafe_code)]

mod edit;

use rvsdg_core::Module;
use rvsdg_passes::scalar::dead_node_elimination;
use rvsdg_passes::{PassCx, Stage};

pub use edit::Edit;

/// Told about the progress of [`reduce`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// The number of modules that were tested.
    pub tests: u64,
    /// How many nodes the smallest interesting module has, in all bodies and outside.
    pub nodes: usize,
}

/// Shrinks a valid, interesting module. `is_interesting` is called with valid modules only; `progress` is called after each test.
///
/// The result is a local minimum: no single edit of [`Edit`] keeps it interesting.
///
/// ```
/// use rvsdg_core::text::{parse_module, print_module};
///
/// let module = parse_module(
///     "module \"example\"
/// @f = function i32 (i32)
/// @g = function i32 (i32)
/// lambda @f [] (v0: i32, mem0, io0) {
///   yield v0, mem0, io0
/// }
/// lambda @g [] (v0: i32, mem0, io0) {
///   yield v0, mem0, io0
/// }
/// export @f
/// export @g
/// ",
/// )?;
/// let small = rvsdg_reduce::reduce(module, &mut |module| print_module(module).contains("@g"), &mut |_| {});
/// assert!(!print_module(&small).contains("@f"));
/// # Ok::<(), rvsdg_core::text::ParseError>(())
/// ```
pub fn reduce(
    module: Module,
    is_interesting: &mut dyn FnMut(&Module) -> bool,
    progress: &mut dyn FnMut(Progress),
) -> Module {
    let mut state = State { nodes: size(&module), module, tests: 0, is_interesting, progress };
    loop {
        let before = state.nodes;
        for kind in edit::KINDS {
            state.shrink(kind);
        }
        if state.nodes == before {
            return state.module;
        }
    }
}

/// The number of nodes in all bodies and at the ω level.
pub fn size(module: &Module) -> usize {
    let bodies = module.bodies.values().filter_map(|body| body.graph());
    module.omega.node_count() + bodies.map(|graph| graph.node_count()).sum::<usize>()
}

struct State<'a> {
    module: Module,
    nodes: usize,
    tests: u64,
    is_interesting: &'a mut dyn FnMut(&Module) -> bool,
    progress: &'a mut dyn FnMut(Progress),
}

impl State<'_> {
    /// Makes what edits of one kind it can.
    fn shrink(&mut self, kind: &edit::Kind) {
        let mut edits = (kind.find)(&self.module);
        let mut chunk = edits.len();
        while chunk > 0 {
            let mut kept = Vec::new();
            for together in edits.chunks(chunk) {
                if !self.try_edits(together) {
                    kept.extend_from_slice(together);
                }
            }
            edits = kept;
            chunk = if chunk == 1 { 0 } else { chunk.div_ceil(2) };
        }
    }

    /// Keeps the module with these edits if it is smaller, or at least permanently changed, and interesting.
    fn try_edits(&mut self, edits: &[Edit]) -> bool {
        let mut edited = self.module.clone();
        let changed = edits.iter().filter(|edit| edit.apply(&mut edited)).count() > 0;
        if !changed {
            return false;
        }
        let mut swept = edited.clone();
        sweep(&mut swept);
        // A fault of dead node elimination needs the dead nodes. But a function that was hidden is to go, not to be dead.
        let hidden = edits.iter().any(|edit| matches!(edit, Edit::Hide(_)));
        self.keep_if_interesting(swept) || !hidden && self.keep_if_interesting(edited)
    }

    fn keep_if_interesting(&mut self, module: Module) -> bool {
        if module.verify().is_err() {
            return false;
        }
        self.tests += 1;
        let interesting = (self.is_interesting)(&module);
        if interesting {
            self.nodes = size(&module);
            self.module = module;
        }
        (self.progress)(Progress { tests: self.tests, nodes: self.nodes });
        interesting
    }
}

/// Removes dead code. Ids stay, because pending edits refer to nodes by id.
fn sweep(module: &mut Module) {
    let cx = PassCx::new();
    // What changed does not matter.
    for stage in dead_node_elimination::stages() {
        match stage {
            Stage::Module(pass) => _ = pass.run(module, &cx),
            Stage::BottomUp(pass) => _ = pass.run(module, &cx),
            Stage::Bodies(pass) => {
                for graph in module.bodies.values_mut().filter_map(|body| body.graph_mut()) {
                    _ = pass.run(graph, &cx);
                }
            }
        }
    }
}
