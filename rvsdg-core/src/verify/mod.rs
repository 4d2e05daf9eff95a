//! The invariants, and the verifier. [`verify_graph`] checks one body, [`Module::verify`] everything.
//!
//! Each [`Invariant`] has one sentence; a [`Violation`] names the invariant, shows the entity as the dumps do
//! ([`crate::text::dump_graph`]) and says what is wrong. All violations are reported, with one exception: if the arenas are inconsistent
//! (lists, positions, scopes, cycles), their contents are not checked.
//!
//! Cost: linear in nodes and edges, plus each constant once per graph.

mod attributes;
mod call;
mod constant;
mod holes;
mod memory;
mod module;
mod op;
mod structure;
#[cfg(test)]
mod tests;
mod types;
mod violation;

use crate::graph::{Entity, Graph, Node, NodeKind, Origin, Region};
use crate::module::Module;

pub use violation::{Violation, Violations};

/// What must hold of a module.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Invariant {
    /// Nodes are in the list of the region they name, and regions in the node they name.
    ParentLinks,
    /// Inputs, outputs, arguments and results know their node or region and their position in it.
    Positions,
    /// Each user has an origin, which belongs to a live node or region.
    Complete,
    /// The list of an origin's users holds exactly the users that name it.
    UserLists,
    /// An edge's origin and user are in one region.
    Scope,
    /// No node of a region depends on itself.
    Acyclic,
    /// A body has simple, γ- and θ-nodes only; the ω level λ-, φ- and δ-nodes only.
    Level,
    /// A node has as many inputs, outputs and subregions as its kind or operation says.
    Arity,
    /// Inputs and outputs of an operation have the types it demands.
    Types,
    /// An operation's payload is meaningful: flags it can have, indices in range, orderings it allows.
    Payload,
    /// What a dialect demands of its operations holds ([`ExtHooks`](crate::op::ExtHooks)).
    Dialect,
    /// Attributes are LLVM's, are on a position where they are allowed, and have the right payload; strings are escaped.
    Attributes,
    /// Constants are well-formed, in their one canonical form, and of the type their node has; symbols fill their holes.
    Constants,
    /// A match table's cases are distinct integers, and the alternatives it names are fewer than its predicate has.
    MatchTable,
    /// States are the last inputs and outputs, `mem` before `io`, as the operation's effects say.
    States,
    /// A state has at most one user: states are never duplicated.
    LinearStates,
    /// A predicate decides a γ or a θ, or is routed to one that it decides.
    Predicates,
    /// A token enters regions and passes unchanged through loops, but does not leave the region it is made in.
    Tokens,
    /// Each funclet is entered by one pad, which alone has its number.
    Funclets,
    /// A γ's predicate chooses among its regions, whose arguments are its entry and whose results its exit variables.
    GammaShape,
    /// A θ's inputs, arguments, results and outputs are its loop variables, and its predicate is a `ctl(2)`.
    ThetaShape,
    /// A body's arguments are context variables, parameters, `mem`, `io`; its results the returned value, `mem`, `io`.
    LambdaShape,
    /// A φ's arguments are context and recursion variables, and each recursion variable is a definition inside.
    PhiShape,
    /// A δ has one input, a pointer, per hole of its initializer, and one output.
    DeltaShape,
    /// Types are those that textual IR can write at their position.
    TypeForm,
    /// Named types differ in name.
    TypeNames,
    /// Symbols named by nodes, imports, bodies and constants exist.
    SymbolReferences,
    /// The symbol order has each symbol once, and names differ.
    SymbolNames,
    /// A symbol's keywords are those of its kind, and those of comdats and flags of the module are LLVM's.
    SymbolKeywords,
    /// A symbol is imported or defined at most once, by the kind of node that fits.
    Definitions,
    /// Imports are parallel to the arguments of the ω region.
    Imports,
    /// Results of the ω region are definitions.
    Exports,
    /// Each body belongs to one λ and its graph to the module's pool.
    Bodies,
}

impl Invariant {
    /// All invariants.
    pub const ALL: &'static [Invariant] = &[
        Invariant::ParentLinks,
        Invariant::Positions,
        Invariant::Complete,
        Invariant::UserLists,
        Invariant::Scope,
        Invariant::Acyclic,
        Invariant::Level,
        Invariant::Arity,
        Invariant::Types,
        Invariant::Payload,
        Invariant::Dialect,
        Invariant::Attributes,
        Invariant::Constants,
        Invariant::MatchTable,
        Invariant::States,
        Invariant::LinearStates,
        Invariant::Predicates,
        Invariant::Tokens,
        Invariant::Funclets,
        Invariant::GammaShape,
        Invariant::ThetaShape,
        Invariant::LambdaShape,
        Invariant::PhiShape,
        Invariant::DeltaShape,
        Invariant::TypeForm,
        Invariant::TypeNames,
        Invariant::SymbolReferences,
        Invariant::SymbolNames,
        Invariant::SymbolKeywords,
        Invariant::Definitions,
        Invariant::Imports,
        Invariant::Exports,
        Invariant::Bodies,
    ];
}

/// Proof that a module was verified and has not changed since.
///
/// ```
/// let text = "module \"example\"
/// @f = function i32 (i32)
/// lambda @f [] (v0: i32, mem0, io0) {
///   v1: i32, mem1 = load v0, mem0, align 4
///   yield v1, mem1, io0
/// }
/// export @f
/// ";
/// let module = rvsdg_core::text::parse_module(text)?;
/// let violations = module.verify().err().ok_or("a number is no address")?;
/// assert!(violations.to_string().contains("@f"), "{violations}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Copy, Clone)]
pub struct Verified<'m> {
    module: &'m Module,
}

impl<'m> Verified<'m> {
    /// The module.
    pub fn module(self) -> &'m Module {
        self.module
    }
}

impl std::ops::Deref for Verified<'_> {
    type Target = Module;

    fn deref(&self) -> &Module {
        self.module
    }
}

impl Module {
    /// Checks all invariants.
    ///
    /// # Errors
    /// Everything that does not hold, bodies in the order of their λ-nodes.
    pub fn verify(&self) -> Result<Verified<'_>, Violations> {
        Violations::check(module::check(self))?;
        Ok(Verified { module: self })
    }
}

/// Checks one body by itself: everything but what its function's type and context demand of its root region.
pub fn verify_graph(graph: &Graph) -> Vec<Violation> {
    verify_body(graph, None)
}

/// The same, where the number of context variables is known.
fn verify_body(graph: &Graph, context: Option<usize>) -> Vec<Violation> {
    let mut report = Report::new(graph);
    for flaw in graph.flaws() {
        report.add(flaw.invariant, flaw.entity, flaw.message);
    }
    if report.violations.is_empty() {
        structure::check(graph, context, &mut report);
    }
    report.violations
}

/// Collects violations of one graph.
struct Report<'g> {
    graph: &'g Graph,
    violations: Vec<Violation>,
}

impl<'g> Report<'g> {
    fn new(graph: &'g Graph) -> Self {
        Report { graph, violations: Vec::new() }
    }

    fn add(&mut self, invariant: Invariant, entity: Entity, message: String) {
        let mut text = entity.id();
        if let Some(node) = entity.node(self.graph) {
            let line = crate::text::node_line(self.graph, node);
            text = if entity == Entity::Node(node) {
                format!("{node} `{line}`")
            } else {
                format!("{text} of {node} `{line}`")
            };
        }
        self.violations.push(Violation { invariant, entity: text, message });
    }

    fn node(&mut self, invariant: Invariant, node: Node, message: impl Into<String>) {
        self.add(invariant, Entity::Node(node), message.into());
    }

    fn region(&mut self, invariant: Invariant, region: Region, message: impl Into<String>) {
        self.add(invariant, Entity::Region(region), message.into());
    }

    fn origin(&mut self, invariant: Invariant, origin: Origin, message: impl Into<String>) {
        self.add(invariant, Entity::Origin(origin), message.into());
    }
}

/// Whether a node may be in a body.
fn is_body_kind(kind: NodeKind) -> bool {
    match kind {
        NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta => true,
        NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => false,
    }
}
