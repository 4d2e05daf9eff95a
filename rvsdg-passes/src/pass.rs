//! The interfaces of passes: on bodies, on the module, and bottom-up on the call graph.

use std::cell::{Cell, RefCell};
use std::ops::BitOrAssign;
use std::sync::Arc;
use std::time::Instant;

use rvsdg_analysis::Surroundings;
use rvsdg_core::structural::Lambda;
use rvsdg_core::{Body, Epoch, Graph, Module, Node, Origin};
use smallvec::SmallVec;

use crate::remark::Remark;

/// Whether a pass changed what it was given.
///
/// ```
/// use rvsdg_passes::Change;
///
/// let mut change = Change::when(1 + 1 == 3);
/// change |= Change::Changed;
/// assert!(change.is_changed());
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
#[must_use]
pub enum Change {
    /// Nothing changed: the structural hash is as before.
    #[default]
    Unchanged,
    /// Something was changed.
    Changed,
}

impl Change {
    /// `Changed` when the condition holds.
    pub fn when(condition: bool) -> Change {
        if condition { Change::Changed } else { Change::Unchanged }
    }

    /// Whether something was changed.
    pub fn is_changed(self) -> bool {
        self == Change::Changed
    }
}

impl BitOrAssign for Change {
    fn bitor_assign(&mut self, other: Change) {
        *self = Change::when(self.is_changed() || other.is_changed());
    }
}

/// The counters of one execution, in the order of first use.
pub(crate) type Counts = SmallVec<[(&'static str, u64); 8]>;

/// What the manager passes to one execution of a pass, and what it gets back from it.
///
/// A pass that is called without a manager needs a context of its own:
///
/// ```
/// use rvsdg_core::{Graph, Pool, Type};
/// use rvsdg_passes::PassCx;
///
/// let cx = PassCx::with_rewrite_limit(1);
/// let mut graph = Graph::new(std::sync::Arc::new(Pool::new()));
/// let root = graph.root();
/// let one = graph.pool().int_const(Type::I32, 1);
/// let node = graph.add_simple(root, rvsdg_core::Op::Const(one), &[], &[Type::I32]);
/// assert!(cx.rewrite("rule", &graph, node) && !cx.rewrite("rule", &graph, node));
/// cx.count("rounds", 1);
/// assert_eq!(cx.counter("rounds"), 1);
/// ```
#[derive(Default)]
pub struct PassCx {
    counters: RefCell<Counts>,
    changed_bodies: RefCell<Vec<Body>>,
    rewrite_limit: Option<u64>,
    deadline: Option<Instant>,
    rewrites: Cell<u64>,
    /// Whether a rewrite was refused.
    is_cut: Cell<bool>,
    surroundings: Option<Arc<Surroundings>>,
    last_end: Option<LastEnd>,
    last_rewrite: RefCell<Option<String>>,
    wants_remarks: bool,
    remarks: RefCell<Vec<Remark>>,
}

/// The last time that a stage [came to an end](BodyPass::comes_to_an_end) on a body.
pub struct LastEnd {
    /// The epoch of the body that began then: [`Graph::is_edited`] tells what was edited since.
    pub epoch: Epoch,
    /// The arguments of the body's root region about which the surroundings say something else than then.
    pub learned: Vec<Origin>,
}

/// The results of an execution other than its changes.
#[derive(Default, PartialEq)]
pub(crate) struct PassResults {
    pub counts: Counts,
    /// Bodies that a module pass changed.
    pub changed_bodies: Vec<Body>,
    /// How many rewrites were requested.
    pub rewrites: u64,
    /// Whether a rewrite was refused.
    pub is_cut: bool,
    /// The last rewrite that the limit allowed, if it was reached.
    pub last_rewrite: Option<String>,
    /// The remarks of the pass, including those about [rewrites](PassCx::rewrite) that it made.
    pub remarks: Vec<Remark>,
}

impl PassCx {
    /// A context without limits and without counts.
    pub fn new() -> PassCx {
        PassCx::default()
    }

    /// A context that allows the first `limit` rewrites only.
    pub fn with_rewrite_limit(limit: u64) -> PassCx {
        PassCx { rewrite_limit: Some(limit), ..PassCx::default() }
    }

    /// The context, refusing rewrites after a deadline.
    pub(crate) fn until(self, deadline: Option<Instant>) -> PassCx {
        PassCx { deadline, ..self }
    }

    /// The context with the surroundings of the body.
    pub fn with_surroundings(self, surroundings: Arc<Surroundings>) -> PassCx {
        PassCx { surroundings: Some(surroundings), ..self }
    }

    /// The surroundings of the body, if the pass wants them ([`BodyPass::wants_surroundings`]) and runs on a module.
    pub fn surroundings(&self) -> Option<&Surroundings> {
        self.surroundings.as_deref()
    }

    /// The context of a stage that [came to an end](BodyPass::comes_to_an_end) on the body before.
    #[must_use]
    pub fn with_last_end(self, last_end: LastEnd) -> PassCx {
        PassCx { last_end: Some(last_end), ..self }
    }

    /// When the stage last came to an end on the body, if it [does](BodyPass::comes_to_an_end).
    pub fn last_end(&self) -> Option<&LastEnd> {
        self.last_end.as_ref()
    }

    /// The context, keeping remarks if they are wanted.
    #[must_use]
    pub fn wanting_remarks(self, wants_remarks: bool) -> PassCx {
        PassCx { wants_remarks, ..self }
    }

    /// Makes a remark, if remarks are wanted.
    pub fn remark(&self, make: impl FnOnce() -> Remark) {
        if self.wants_remarks {
            self.remarks.borrow_mut().push(make());
        }
    }

    /// Whether to make a rewrite; to be called before each rewrite, in the order in which they are made. A rewrite is a change that
    /// leaves a valid graph of the same meaning; `rule` names what justifies it, and `node` is what it is applied to.
    ///
    /// Bisection down to one rewrite depends on this: if the answer is false, the pass continues as if it had not found the opportunity.
    pub fn rewrite(&self, rule: &str, graph: &Graph, node: Node) -> bool {
        let allowed = self.allows_rewrite(rule, graph, node);
        if allowed {
            self.remark(|| Remark::rewrite(rule, graph, node));
        }
        allowed
    }

    /// As [`PassCx::rewrite`], for a pass that makes its own remark about the rewrite, and for rewrites that are too many to be reported
    /// one by one, such as removals of dead nodes and replacements by equal values.
    pub fn allows_rewrite(&self, rule: &str, graph: &Graph, node: Node) -> bool {
        let number = self.rewrites.get() + 1;
        self.rewrites.set(number);
        if self.rewrite_limit == Some(number) {
            *self.last_rewrite.borrow_mut() = Some(format!("{rule} of {}", rvsdg_core::text::node_line(graph, node)));
        }
        let allowed = self.rewrite_limit.is_none_or(|limit| number <= limit)
            && self.deadline.is_none_or(|deadline| Instant::now() < deadline);
        if !allowed {
            self.is_cut.set(true);
        }
        allowed
    }

    /// Adds to a counter of the pass. A counter exists from its first use on; counters are reported by name.
    pub fn count(&self, counter: &'static str, amount: u64) {
        if amount == 0 {
            return;
        }
        let mut counters = self.counters.borrow_mut();
        match counters.iter_mut().find(|(name, _)| *name == counter) {
            Some((_, count)) => *count += amount,
            None => counters.push((counter, amount)),
        }
    }

    /// The value of a counter.
    pub fn counter(&self, counter: &str) -> u64 {
        self.counters.borrow().iter().find(|(name, _)| *name == counter).map_or(0, |&(_, count)| count)
    }

    /// Makes a remark with all counters so far.
    pub(crate) fn remark_counts(&self) {
        let counters = self.counters.borrow();
        if !counters.is_empty() {
            self.remark(|| Remark::statistics(&counters));
        }
    }

    /// Must be called by a module pass for every body that it changed and left in the module.
    pub fn body_changed(&self, body: Body) {
        self.changed_bodies.borrow_mut().push(body);
    }

    pub(crate) fn into_results(self) -> PassResults {
        PassResults {
            counts: self.counters.into_inner(),
            changed_bodies: self.changed_bodies.into_inner(),
            rewrites: self.rewrites.get(),
            is_cut: self.is_cut.get(),
            last_rewrite: self.last_rewrite.into_inner(),
            remarks: self.remarks.into_inner(),
        }
    }
}

/// A pass, or a stage of one, that works on one body at a time. It is run on bodies in any order and in parallel.
///
/// This one turns `x + x` into `x << 1`:
///
/// ```
/// use rvsdg_core::build::Insert;
/// use rvsdg_core::op::{BinaryFlags, IntBinary, Op};
/// use rvsdg_core::text::{parse_module, print_module};
/// use rvsdg_core::{Graph, Node};
/// use rvsdg_passes::{BodyPass, Change, Entry, Manager, PassCx, Pipeline, Registry, Stage};
///
/// struct Doubled;
///
/// impl BodyPass for Doubled {
///     fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
///         let sum = Some(Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NONE });
///         let nodes: Vec<Node> = graph.all_nodes().filter(|&node| graph.op(node) == sum).collect();
///         let mut change = Change::Unchanged;
///         for node in nodes {
///             let (a, b, sum) = (graph.input(node, 0), graph.input(node, 1), graph.output(node, 0));
///             if a == b && cx.rewrite("shift", graph, node) {
///                 let mut at = Insert::before(graph, node);
///                 let one = at.int(at.ty(sum), 1);
///                 let shifted = at.binary(IntBinary::Shl, a, one);
///                 graph.divert_users(sum, shifted);
///                 graph.remove(node);
///                 change = Change::Changed;
///             }
///         }
///         change
///     }
/// }
///
/// let doubled = Entry::new("doubled", "Sums of equal values as shifts.", || vec![Stage::Bodies(Box::new(Doubled))]);
/// let registry = Registry::builtin().with(doubled);
/// let mut module = parse_module(
///     "module \"example\"
/// @twice = function i32 (i32)
/// lambda @twice [] (v0: i32, mem0, io0) {
///   v1: i32 = add v0, v0
///   yield v1, mem0, io0
/// }
/// export @twice
/// ",
/// )?;
/// Manager::default().run(&mut module, &Pipeline::parse_with("doubled", &registry)?)?;
/// assert!(print_module(&module).contains("shl v0, "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait BodyPass: Send + Sync {
    /// Transforms a valid body into a valid body of the same meaning and signature.
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change;

    /// Whether it may be run on bodies with funclets ([`Graph::has_funclets`]). It must preserve the control flow between them: it
    /// neither copies, joins nor moves operations with states.
    fn keeps_funclets(&self) -> bool {
        false
    }

    /// Whether it uses [`PassCx::surroundings`].
    fn wants_surroundings(&self) -> bool {
        false
    }

    /// Whether it finds nothing to do when it is run again at once. Then it is not, and may look only at what was edited since it was last
    /// run: [`PassCx::last_end`].
    fn comes_to_an_end(&self) -> bool {
        false
    }
}

/// A pass, or a stage of one, that works on a whole module.
///
/// ```
/// use rvsdg_core::module::Visibility;
/// use rvsdg_core::{Module, text::parse_module};
/// use rvsdg_passes::{Change, Entry, Manager, ModulePass, PassCx, Pipeline, Registry, Stage};
///
/// /// Makes all variables of a module private to it.
/// struct Hide;
///
/// impl ModulePass for Hide {
///     fn run(&self, module: &mut Module, _: &PassCx) -> Change {
///         let mut change = Change::Unchanged;
///         for symbol in module.order.clone() {
///             let data = &mut module.symbols[symbol];
///             if data.visibility == Visibility::Default {
///                 data.visibility = Visibility::Hidden;
///                 change = Change::Changed;
///             }
///         }
///         change
///     }
/// }
///
/// let registry = Registry::builtin().with(Entry::new("hide", "Hides symbols.", || vec![Stage::Module(Box::new(Hide))]));
/// let mut module = parse_module("module \"m\"\n@f = function void ()\nimport @f\n")?;
/// Manager::default().run(&mut module, &Pipeline::parse_with("hide", &registry)?)?;
/// assert!(module.symbols.values().all(|symbol| symbol.visibility == Visibility::Hidden));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ModulePass: Send + Sync {
    /// Transforms a valid module into a valid module of the same meaning.
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change;
}

/// A pass, or a stage of one, that visits the call graph bottom-up. It pauses whenever bodies have changed, so that they can be
/// simplified before it continues.
pub trait BottomUpPass: Send + Sync {
    /// Starts on a valid module.
    fn start<'m>(&self, module: &'m mut Module) -> Box<dyn BottomUpRun + 'm>;

    /// All steps, without interruption.
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change {
        let mut run = self.start(module);
        let mut change = Change::Unchanged;
        while let Some(step) = run.step(cx) {
            change |= step.change;
        }
        change
    }
}

/// A [`BottomUpPass`] in progress on a module.
pub trait BottomUpRun {
    /// Continues until bodies have changed; `None` after the last step. The module is valid and has the same meaning after each step.
    fn step(&mut self, cx: &PassCx) -> Option<Step>;

    /// The module. The bodies returned by the last step may be changed between steps.
    fn module(&mut self) -> &mut Module;
}

/// What a step of a [`BottomUpRun`] did.
pub struct Step {
    /// Whether it changed the module.
    pub change: Change,
    /// The functions worth simplifying before the next step, in module order.
    pub functions: Vec<Lambda>,
}

/// A stage of a pass.
pub enum Stage {
    /// Runs on every body by itself.
    Bodies(Box<dyn BodyPass>),
    /// Runs once on the module.
    Module(Box<dyn ModulePass>),
    /// Visits the call graph bottom-up. A pipeline of stages on bodies may be nested in it.
    BottomUp(Box<dyn BottomUpPass>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_add_up_and_leave_out_zeros() {
        let cx = PassCx::new();
        cx.count("nodes", 2);
        cx.count("edges", 0);
        cx.count("nodes", 3);
        assert_eq!(cx.into_results().counts.as_slice(), [("nodes", 5)]);
    }
}
