//! λ-nodes: thesis definitions 4 and 5. The node is in the ω graph; its region is the root of the body's own graph.

use crate::Type;
use crate::graph::{Graph, Node, NodeKind, Origin, Region, User};
use crate::module::Body;

/// A node known to be a λ. Input `i` of the node and argument `i` of the body's root region are context variable `i`;
/// the root region's other arguments are the parameters, then `mem` and `io`; its results are the returned value, if
/// any, then `mem` and `io`.
///
/// ```
/// let module = rvsdg_core::text::parse_module(
///     "module \"example\"
/// @twice = function i32 (i32)
/// lambda @twice [] (v0: i32, mem0, io0) {
///   v1: i32 = add v0, v0
///   yield v1, mem0, io0
/// }
/// export @twice
/// ",
/// )?;
/// let lambda = module.lambdas()[0];
/// assert!(lambda.context(&module.omega).is_empty());
/// let graph = module.bodies[lambda.body()].graph().ok_or("it has a graph")?;
/// assert_eq!(graph.arguments(graph.root()).len(), 3);
/// // Its address is exported.
/// assert_eq!(module.omega.result(module.omega.root(), 0), lambda.output(&module.omega));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Lambda {
    node: Node,
    body: Body,
}

impl Lambda {
    /// Adds a λ without context variables to the end of a region of the ω graph.
    pub fn add(omega: &mut Graph, region: Region, body: Body) -> Lambda {
        let node = omega.add_node(region, NodeKind::Lambda(body), &[], &[Type::PTR]);
        Lambda { node, body }
    }

    /// The node as a λ, when it is one.
    pub fn new(omega: &Graph, node: Node) -> Option<Lambda> {
        match omega.kind(node) {
            NodeKind::Lambda(body) => Some(Lambda { node, body }),
            _ => None,
        }
    }

    /// The node in the ω graph.
    pub fn node(self) -> Node {
        self.node
    }

    /// The function's body.
    pub fn body(self) -> Body {
        self.body
    }

    /// The function's address.
    pub fn output(self, omega: &Graph) -> Origin {
        omega.output(self.node, 0)
    }

    /// The inputs of the context variables.
    pub fn context(self, omega: &Graph) -> &[User] {
        omega.inputs(self.node)
    }

    /// Adds a context variable's input; the body's argument is the caller's to add.
    pub fn add_context(self, omega: &mut Graph, origin: Origin) -> User {
        omega.add_input(self.node, origin)
    }
}
