//! The skeleton: blocks and arcs of the structured control flow, with routed values as assignments on arcs.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use rvsdg_core::{Graph, Node, Op, Region, SourceId, Type};

use super::names::Name;

/// The first block.
pub(super) const ENTRY: u32 = 0;
/// The virtual exit.
pub(super) const EXIT: u32 = 1;
/// No time: not a variable.
pub(super) const NEVER: u32 = u32::MAX;

/// How a block ends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Term {
    /// With its only arc, or without one at the exit.
    Jump,
    /// With one arc per alternative of a `match` node, or of an operation that is a branch.
    Match(Node),
    /// With one arc per alternative of a predicate variable.
    Ctl(Name),
}

/// A vertex.
pub(super) struct Block {
    /// When its execution begins, counted in steps of the structured order.
    pub(super) start: u32,
    /// The region whose nodes it has.
    pub(super) region: Region,
    /// Its range in [`Skeleton::insts`].
    pub(super) insts: (u32, u32),
    pub(super) term: Term,
    /// Its range in [`Skeleton::arcs`].
    pub(super) arcs: (u32, u32),
    /// The original terminator, when the block ends a region that has one.
    pub(super) source: PackedOption<SourceId>,
    /// Whether it begins a θ's body.
    pub(super) header: bool,
    /// Whether it begins a γ-region.
    pub(super) arm: bool,
    /// Whether every arc into it knows the predicate that an operation that is a branch has defined.
    pub(super) decided: bool,
}

/// A transition.
#[derive(Copy, Clone)]
pub(super) struct Arc {
    pub(super) target: u32,
    /// The range of its assignments in [`Skeleton::assigns`].
    pub(super) assigns: (u32, u32),
    /// Whether it repeats a loop.
    pub(super) repeat: bool,
}

/// When a variable has a value that may be used.
#[derive(Copy, Clone)]
pub(super) struct Span {
    pub(super) def: u32,
    pub(super) last: u32,
}

/// See the module.
pub(super) struct Skeleton {
    pub(super) blocks: Vec<Block>,
    pub(super) arcs: Vec<Arc>,
    pub(super) insts: Vec<Node>,
    pub(super) assigns: Vec<(Name, Name)>,
    pub(super) spans: Vec<Span>,
    /// The types of names that have no origin, in order; the function's results come first.
    pub(super) extra: Vec<Type>,
    /// How many of the names without origin are results of the function.
    pub(super) results: usize,
    pub(super) origins: usize,
    pub(super) node_times: Vec<u32>,
    /// When a region's nodes are executed, and until when what it defines is executed before all else.
    pub(super) region_ends: SecondaryMap<Region, u32>,
}

impl Skeleton {
    /// The operations of a block.
    pub(super) fn insts(&self, block: u32) -> &[Node] {
        let (start, end) = self.blocks[block as usize].insts;
        &self.insts[start as usize..end as usize]
    }

    /// The numbers of a block's arcs.
    pub(super) fn arc_numbers(&self, block: u32) -> std::ops::Range<u32> {
        let (start, end) = self.blocks[block as usize].arcs;
        start..end
    }

    /// What an arc assigns.
    pub(super) fn assigns(&self, arc: u32) -> &[(Name, Name)] {
        let (start, end) = self.arcs[arc as usize].assigns;
        &self.assigns[start as usize..end as usize]
    }

    /// Whether a block ends with an operation that is a branch and has effects.
    pub(super) fn has_effect(&self, graph: &Graph, block: u32) -> bool {
        match self.blocks[block as usize].term {
            Term::Match(node) => graph.op(node).is_some_and(Op::is_branch),
            Term::Jump | Term::Ctl(_) => false,
        }
    }

    /// Whether a block ends with an operation that determines its arcs itself: none of them may replace another.
    pub(super) fn keeps_arcs(&self, graph: &Graph, block: u32) -> bool {
        match self.blocks[block as usize].term {
            Term::Match(node) => matches!(graph.op(node), Some(Op::CallBr(_))),
            Term::Jump | Term::Ctl(_) => false,
        }
    }

    /// Whether a block only passes control on.
    pub(super) fn is_null(&self, block: u32) -> bool {
        let (start, end) = self.blocks[block as usize].insts;
        start == end && block != EXIT
    }

    /// A bound on the numbers of names.
    pub(super) fn name_bound(&self) -> usize {
        self.spans.len()
    }

    /// The position of a name among those without origin.
    pub(super) fn extra_index(&self, name: Name) -> Option<usize> {
        name.as_number()?.checked_sub(self.origins)
    }

    /// The name of the function's result number `index`.
    pub(super) fn result(&self, index: usize) -> Name {
        Name::number(self.origins + index)
    }

    /// Whether a name is a variable: its value depends on the arcs that control took.
    #[inline]
    pub(super) fn is_variable(&self, name: Name) -> bool {
        name.as_number().is_some_and(|index| self.spans[index].def != NEVER)
    }

    /// Whether a variable may be used at the start of a block or later, before it is assigned again.
    #[inline]
    pub(super) fn is_live(&self, name: Name, block: u32) -> bool {
        let Span { def, last } = self.spans[name.as_number().expect("variables have numbers")];
        (def..=last).contains(&self.blocks[block as usize].start)
    }

    /// Whether every path to `block` executes the node before.
    pub(super) fn node_dominates(&self, graph: &Graph, node: Node, block: u32) -> bool {
        let start = self.blocks[block as usize].start;
        self.node_times[node.index()] < start && start <= self.region_ends[graph.region_of(node)]
    }

    /// Whether every path to `block` passes `before`. May return false although it does.
    pub(super) fn block_dominates(&self, before: u32, block: u32) -> bool {
        let Block { start, region, term, .. } = self.blocks[before as usize];
        // Arcs that know the predicate pass by.
        let passed = self.is_null(before) && matches!(term, Term::Ctl(_));
        !passed && (start..=self.region_ends[region]).contains(&self.blocks[block as usize].start)
    }
}

/// The type of a predicate with this many alternatives if it is kept in a variable.
pub(super) fn materialized(alternatives: u32) -> Type {
    if alternatives == 2 { Type::I1 } else { Type::I32 }
}
