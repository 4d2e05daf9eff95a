//! Owners: variables that hold null or the address of an allocation to which nothing leads but pointers loaded from them. LLVM's
//! GlobalsModRef calls such memory that of indirect globals.

use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Type};

use crate::allocation::{Allocation, allocation};
use crate::callee::argument_of_root;
use crate::captures::{self, PointerUse};
use crate::nonnull::is_null;
use crate::surroundings::{Context, Surroundings};
use crate::trace::outward;

/// Whether a body uses a variable only as an owner: loads pointers from it that are neither kept nor passed on, and stores null and
/// allocations that are not kept elsewhere. `index` is that of the context variable.
pub(crate) fn is_owner(graph: &Graph, surroundings: &Surroundings, index: usize) -> bool {
    let mut is_owner = true;
    let address = graph.arguments(graph.root())[index];
    let uses = Uses { graph, surroundings, index };
    captures::uses(
        graph,
        address,
        |_, _| PointerUse::ANY,
        |node, how| {
            let only_owns = match node.and_then(|node| Some((node, graph.op(node)?))) {
                Some((node, Op::Load(_))) => {
                    let pointer = graph.output(node, 0);
                    uses.is_variable(node, 0) && graph.ty(pointer) == Type::PTR && uses.are_own(pointer)
                }
                Some((node, Op::Store(_))) => {
                    let stored = graph.input(node, 0);
                    uses.is_variable(node, 1) && (is_null(graph, stored) || uses.is_allocation(stored))
                }
                Some(_) | None => true,
            };
            is_owner &= !how.captured && only_owns;
        },
    );
    is_owner
}

/// The uses of a variable in a body.
struct Uses<'a> {
    graph: &'a Graph,
    surroundings: &'a Surroundings,
    index: usize,
}

impl Uses<'_> {
    /// Whether a node accesses the variable itself, by the address that is one of its inputs.
    fn is_variable(&self, node: Node, input: usize) -> bool {
        argument_of_root(self.graph, self.graph.input(node, input)) == Some(self.index)
    }

    /// Whether a pointer is neither kept nor passed on, but for the variable.
    fn are_own(&self, pointer: Origin) -> bool {
        let mut are_own = true;
        captures::uses(
            self.graph,
            pointer,
            |call, param| self.of_argument(call, param),
            |node, how| {
                let is_stored =
                    |&node: &Node| matches!(self.graph.op(node), Some(Op::Store(_))) && self.is_variable(node, 1);
                are_own &= !how.captured || node.as_ref().is_some_and(is_stored);
            },
        );
        are_own
    }

    /// The uses of an argument by calls that pass no pointer on.
    fn of_argument(&self, call: Node, param: usize) -> PointerUse {
        let callee = argument_of_root(self.graph, self.graph.input(call, 0));
        match callee.and_then(|index| self.surroundings.context(index)) {
            Some(Context::Function { memory: Some(_), .. }) => {
                captures::of_argument(self.graph, Some(self.surroundings), call, param)
            }
            _ => match allocation(self.graph, self.surroundings, call) {
                Some(Allocation::Frees { param: freed, .. }) if freed == param => {
                    PointerUse { captured: false, ..PointerUse::ANY }
                }
                _ => PointerUse::ANY,
            },
        }
    }

    /// Whether a value is the address of a new object that only the variable keeps.
    fn is_allocation(&self, mut value: Origin) -> bool {
        loop {
            match self.graph.def(value) {
                OriginDef::Output(node, 0) if self.allocates(node) => return self.are_own(value),
                OriginDef::Output(..) => return false,
                OriginDef::Argument(region, index) => match outward(self.graph, region, index) {
                    Some((outer, _)) => value = outer,
                    None => return false,
                },
            }
        }
    }

    fn allocates(&self, node: Node) -> bool {
        matches!(allocation(self.graph, self.surroundings, node), Some(Allocation::Allocates { .. }))
    }
}
