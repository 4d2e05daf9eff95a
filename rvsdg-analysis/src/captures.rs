//! Capture tracking: the uses of a pointer, and of values computed from it, in a body.
//!
//! LLVM's notion (LangRef, "Pointer Capture"): a pointer is captured if something may keep it, or observe its address, beyond the call
//! that it was passed to. A comparison with null only tells whether it is null.

use rustc_hash::FxHashSet;
use rvsdg_core::attribute::{Attribute, AttributeKind, AttributeList, Captures};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Constant, Graph, Node, Op, Origin, TypeKind, Use};

use crate::callee::argument_of_root;
use crate::memory_attribute::Memory;
use crate::nonnull::is_null;
use crate::seeded::{self, Bug};
use crate::surroundings::{Context, MemoryIntrinsic, Surroundings};

/// How many values computed from a pointer are followed.
const MAX_VALUES: usize = 256;

/// An upper bound of the uses of a pointer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PointerUse {
    /// Something may keep it, or observe more of its address than whether it is null.
    pub captured: bool,
    /// It is compared with null.
    pub tested: bool,
    /// Memory that it points to is read.
    pub read: bool,
    /// Memory that it points to is written.
    pub written: bool,
}

impl PointerUse {
    /// No use.
    pub const NONE: PointerUse = PointerUse { captured: false, tested: false, read: false, written: false };
    /// Any use.
    pub const ANY: PointerUse = PointerUse { captured: true, tested: true, read: true, written: true };

    /// Both uses.
    pub fn or(self, other: PointerUse) -> PointerUse {
        PointerUse {
            captured: self.captured || other.captured,
            tested: self.tested || other.tested,
            read: self.read || other.read,
            written: self.written || other.written,
        }
    }

    /// The common part of two bounds.
    pub fn and(self, other: PointerUse) -> PointerUse {
        PointerUse {
            captured: self.captured && other.captured,
            tested: self.tested && other.tested,
            read: self.read && other.read,
            written: self.written && other.written,
        }
    }

    /// The uses of an argument that the attributes of a call, or of the called function, allow.
    pub fn of_attributes(list: &AttributeList, param: usize) -> PointerUse {
        let has = |kind| list.param_has(param, kind);
        let captures = |captures| list.param(param).contains(&Attribute::Captures(captures));
        let memory = Memory::of(list).arguments;
        let (is_none, is_null) = (captures(Captures::NONE), captures(Captures::IS_NULL));
        let is_unused = has(AttributeKind::ReadNone);
        PointerUse {
            captured: !is_none && !is_null,
            tested: !is_none,
            read: memory.reads() && !is_unused && !has(AttributeKind::WriteOnly),
            written: memory.writes() && !is_unused && !has(AttributeKind::ReadOnly),
        }
    }
}

/// The uses of an argument by a call of a function, as far as attributes say.
pub fn of_argument(graph: &Graph, surroundings: Option<&Surroundings>, call: Node, param: usize) -> PointerUse {
    let Some(Op::Call(info) | Op::Invoke(info)) = graph.op(call) else { return PointerUse::ANY };
    let pool = graph.pool();
    let info = pool.call(info);
    let site = PointerUse::of_attributes(pool.attributes(info.attributes), param);
    let declared =
        surroundings.and_then(|surroundings| surroundings.context(argument_of_root(graph, graph.input(call, 0))?));
    match declared {
        Some(Context::Function { memory: Some(MemoryIntrinsic::Mark), .. }) => PointerUse::NONE,
        Some(Context::Function { attributes, .. }) => {
            site.and(PointerUse::of_attributes(pool.attributes(attributes), param))
        }
        Some(Context::Variable { .. } | Context::Other) | None => site,
    }
}

/// Visits all uses of a pointer in a body, with the using node; `None` for a return. `call` returns the uses of an argument, by its
/// index, by a call; all other uses by calls are unrestricted.
pub fn uses(
    graph: &Graph,
    pointer: Origin,
    mut call: impl FnMut(Node, usize) -> PointerUse,
    mut visit: impl FnMut(Option<Node>, PointerUse),
) {
    let mut seen: FxHashSet<Origin> = FxHashSet::from_iter([pointer]);
    let mut pending = vec![pointer];
    while let Some(value) = pending.pop() {
        if seen.len() > MAX_VALUES {
            return visit(None, PointerUse::ANY);
        }
        let mut follow = |to: Origin| {
            if seen.insert(to) {
                pending.push(to);
            }
        };
        for user in graph.users_of(value) {
            let (node, index) = match graph.site(user) {
                Use::Input(node, index) => (node, index as usize),
                Use::Result(region, index) => {
                    let index = index as usize;
                    let parent = graph.parent(region);
                    if let Some(theta) = parent.and_then(|node| Theta::new(graph, node))
                        && let Some(variable) = index.checked_sub(1).map(|index| theta.loop_var(graph, index))
                    {
                        follow(variable.pre);
                        follow(variable.output);
                    } else if let Some(gamma) = parent.and_then(|node| Gamma::new(graph, node)) {
                        follow(graph.output(gamma.node(), index));
                    } else {
                        visit(None, PointerUse::ANY);
                    }
                    continue;
                }
            };
            if let Some(gamma) = Gamma::new(graph, node) {
                match index.checked_sub(1) {
                    Some(index) => {
                        gamma.regions(graph).iter().for_each(|&region| follow(graph.arguments(region)[index]))
                    }
                    None => visit(Some(node), PointerUse::ANY),
                }
            } else if let Some(theta) = Theta::new(graph, node) {
                let variable = theta.loop_var(graph, index);
                follow(variable.pre);
                follow(variable.output);
            } else {
                match step(graph, node, index, &mut call) {
                    Step::Follow => follow(graph.output(node, 0)),
                    Step::Use(how) => visit(Some(node), how),
                }
            }
        }
    }
}

/// The use of a pointer by a simple node.
enum Step {
    /// It computes another pointer from it.
    Follow,
    Use(PointerUse),
}

fn step(graph: &Graph, node: Node, index: usize, call: &mut impl FnMut(Node, usize) -> PointerUse) -> Step {
    let pool = graph.pool();
    let is_pointer = |origin| matches!(pool.type_kind(graph.ty(origin)), TypeKind::Ptr(_));
    Step::Use(match graph.op(node) {
        Some(Op::Load(access)) if access.is_plain() => PointerUse { read: true, ..PointerUse::NONE },
        Some(Op::Store(access)) if access.is_plain() && (index == 1 || seeded::is_active(Bug::AttrsStored)) => {
            PointerUse { written: true, ..PointerUse::NONE }
        }
        Some(Op::Gep { .. } | Op::Const(_))
            if is_pointer(graph.output(node, 0)) && stepped_from(graph, node) == Some(graph.input(node, index)) =>
        {
            return Step::Follow;
        }
        Some(Op::Freeze | Op::Select(_)) if is_pointer(graph.output(node, 0)) => return Step::Follow,
        Some(Op::ICmp { .. }) if is_null(graph, graph.input(node, 1 - index)) => {
            PointerUse { tested: true, ..PointerUse::NONE }
        }
        Some(Op::Call(info) | Op::Invoke(info)) => {
            let info = pool.call(info);
            let is_plain = info.assembly.is_none() && info.bundles.is_empty() && info.metadata.is_empty();
            let last = graph.inputs(node).len() - info.exits.clauses() - info.effects.count();
            match index.checked_sub(1) {
                Some(param) if is_plain && index < last => call(node, param),
                _ => PointerUse::ANY,
            }
        }
        Some(_) | None => PointerUse::ANY,
    })
}

/// The pointer that a `getelementptr`, an instruction or a constant expression, computes another one from.
pub fn stepped_from(graph: &Graph, node: Node) -> Option<Origin> {
    let pool = graph.pool();
    match graph.op(node)? {
        Op::Gep { .. } => Some(graph.input(node, 0)),
        Op::Const(constant) => match pool.constant(constant) {
            Constant::Expr { op: Op::Gep { .. }, operands, .. } => match *pool.constant(operands[0]) {
                Constant::Hole { index, .. } => Some(graph.input(node, index as usize)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
