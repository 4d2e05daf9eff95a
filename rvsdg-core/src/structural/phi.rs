//! φ-nodes: thesis definitions 6 and 7.

use crate::graph::{Graph, Node, NodeKind, Origin, Region, User};

/// A node known to be a φ. Input `i` and argument `i` of its region are context variable `i`; with `n` context
/// variables, argument `n + j`, result `j` and output `j` are recursion variable `j`.
///
/// A function that calls itself sees its own address as an argument of the φ around it:
///
/// ```
/// use rvsdg_core::structural::Phi;
///
/// let module = rvsdg_core::text::parse_module(
///     "module \"example\"
/// @spin = function void ()
/// @spin = phi [] (@spin) {
///   v0 = lambda @spin [@spin] (mem0, io0) {
///     mem1, io1 = call void () @spin(), mem0, io0
///     yield mem1, io1
///   }
///   yield v0
/// }
/// export @spin
/// ",
/// )?;
/// let omega = &module.omega;
/// let phi = omega.nodes(omega.root()).find_map(|node| Phi::new(omega, node)).ok_or("there is a φ")?;
/// let variables: Vec<_> = phi.fix_vars(omega).collect();
/// assert_eq!(variables.len(), 1);
/// assert!(omega.has_users(variables[0].argument) && omega.has_users(variables[0].output));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Phi(Node);

/// A context variable: something outside that definitions inside depend on.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct ContextVar {
    /// Position among the context variables.
    pub index: usize,
    /// The node's input.
    pub input: User,
    /// The region's argument.
    pub argument: Origin,
}

/// A recursion variable: a definition inside, as those inside see it (`argument`) and as those outside do (`output`).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct FixVar {
    /// Position among the recursion variables.
    pub index: usize,
    /// The region's argument.
    pub argument: Origin,
    /// The region's result.
    pub result: User,
    /// The node's output.
    pub output: Origin,
}

impl Phi {
    /// Adds a φ with the given context and `recursion` open recursion variables of pointer type to the end of `region`.
    /// It is incomplete until each recursion variable's result is diverted to its definition.
    pub fn add(omega: &mut Graph, region: Region, context: &[Origin], recursion: usize) -> Phi {
        let node = omega.add_node(region, NodeKind::Phi, context, &[]);
        let body = omega.add_region(node);
        for &origin in context {
            let ty = omega.ty(origin);
            omega.add_argument(body, ty);
        }
        for _ in 0..recursion {
            omega.add_argument(body, crate::Type::PTR);
            omega.add_open_result(body);
            omega.add_output(node, crate::Type::PTR);
        }
        Phi(node)
    }

    /// Adds an open recursion variable of a pointer type; its result is to be diverted to the definition.
    pub fn add_fix_var(self, omega: &mut Graph, ty: crate::Type) -> FixVar {
        let region = self.region(omega);
        let index = omega.outputs(self.0).len();
        let argument = omega.add_argument(region, ty);
        let result = omega.add_open_result(region);
        let output = omega.add_output(self.0, ty);
        FixVar { index, argument, result, output }
    }

    /// Adds a context variable after the others.
    pub fn add_context_var(self, omega: &mut Graph, origin: Origin) -> ContextVar {
        let (region, index) = (self.region(omega), omega.inputs(self.0).len());
        let input = omega.add_input(self.0, origin);
        let argument = omega.insert_argument(region, index, omega.ty(origin));
        ContextVar { index, input, argument }
    }

    /// The node as a φ, when it is one.
    pub fn new(omega: &Graph, node: Node) -> Option<Phi> {
        (omega.kind(node) == NodeKind::Phi).then_some(Phi(node))
    }

    /// The node.
    pub fn node(self) -> Node {
        self.0
    }

    /// The region with the definitions.
    pub fn region(self, omega: &Graph) -> Region {
        omega.subregions(self.0)[0]
    }

    /// The context variables in order.
    pub fn context_vars(self, omega: &Graph) -> impl ExactSizeIterator<Item = ContextVar> + '_ {
        let arguments = omega.arguments(self.region(omega));
        omega.inputs(self.0).iter().enumerate().map(|(index, &input)| ContextVar {
            index,
            input,
            argument: arguments[index],
        })
    }

    /// The recursion variables in order.
    pub fn fix_vars(self, omega: &Graph) -> impl ExactSizeIterator<Item = FixVar> + '_ {
        let region = self.region(omega);
        let context = omega.inputs(self.0).len();
        omega.outputs(self.0).iter().enumerate().map(move |(index, &output)| FixVar {
            index,
            argument: omega.arguments(region)[context + index],
            result: omega.results(region)[index],
            output,
        })
    }

    /// Keeps the context variables that `keep` accepts by index; the arguments of the others have no users.
    pub fn retain_context_vars(self, omega: &mut Graph, mut keep: impl FnMut(usize) -> bool) {
        let context = omega.inputs(self.0).len();
        let kept: Vec<bool> = (0..context).map(&mut keep).collect();
        omega.retain_inputs(self.0, |index| kept[index]);
        omega.retain_arguments(self.region(omega), |index| index >= context || kept[index]);
    }

    /// Keeps the recursion variables that `keep` accepts by index; arguments and outputs of the others have no users.
    pub fn retain_fix_vars(self, omega: &mut Graph, mut keep: impl FnMut(usize) -> bool) {
        let context = omega.inputs(self.0).len();
        let kept: Vec<bool> = (0..omega.outputs(self.0).len()).map(&mut keep).collect();
        let region = self.region(omega);
        omega.retain_results(region, |index| kept[index]);
        omega.retain_arguments(region, |index| index < context || kept[index - context]);
        omega.retain_outputs(self.0, |index| kept[index]);
    }
}
