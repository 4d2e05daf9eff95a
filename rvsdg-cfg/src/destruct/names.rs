//! Names: one per value of the graph, whatever regions it is routed through.

use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use rvsdg_core::{Const, Constant, Graph, Node, NodeKind, Op, Origin, OriginDef, Region, SourceId};
use smallvec::SmallVec;

use super::schedule::Schedule;

/// A value: an origin that represents all origins with this value, a predicate constant, poison, or a φ.
///
/// Numbers beyond the graph's origins are values without an origin: the function's results at the exit, and predicates that are kept in a
/// variable because several are defined at one place.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Name(u32);

impl Name {
    const CTL: u32 = 1 << 31;
    const PHI: u32 = 1 << 30;

    /// No particular value: supplied by restructuring where a variable has no definition.
    pub(super) const POISON: Name = Name(u32::MAX);

    /// The value of an origin, or of something beyond the last origin.
    pub(super) fn number(index: usize) -> Name {
        debug_assert!(index < Self::PHI as usize, "a graph has fewer than 2³⁰ origins");
        Name(index as u32)
    }

    /// Alternative `value` as a constant.
    pub(super) fn ctl(value: u32) -> Name {
        debug_assert!(value < !Self::CTL, "a predicate has fewer than 2³¹ - 1 alternatives");
        Name(Self::CTL | value)
    }

    /// A φ.
    pub(super) fn phi(index: usize) -> Name {
        debug_assert!(index < Self::PHI as usize, "there are fewer than 2³⁰ φs");
        Name(Self::PHI | index as u32)
    }

    /// The index of an origin, or of a value beyond the last origin; `None` for constants, poison and φs.
    pub(super) fn as_number(self) -> Option<usize> {
        (self.0 < Self::PHI).then_some(self.0 as usize)
    }

    /// The alternative, when the name is a predicate constant.
    pub(super) fn as_ctl(self) -> Option<u32> {
        (self.0 & Self::CTL != 0 && self != Self::POISON).then_some(self.0 & !Self::CTL)
    }

    /// The index of a φ.
    pub(super) fn as_phi(self) -> Option<usize> {
        (self.0 & (Self::CTL | Self::PHI) == Self::PHI).then_some((self.0 & !Self::PHI) as usize)
    }
}

/// The names of all origins of a graph.
///
/// Arguments of γ-regions have the name of the γ's input; invariant loop variables that of the θ's input; γ outputs that are the same in
/// all regions have that name; equal constants have one name.
pub(super) struct Names {
    of: Vec<Name>,
}

impl Names {
    pub(super) fn new(graph: &Graph, schedule: &Schedule) -> Names {
        let mut names = Names { of: (0..graph.origin_bound()).map(Name::number).collect() };
        for &region in schedule.regions() {
            names.enter(graph, region);
        }
        let mut known = FxHashMap::default();
        for &node in &schedule.constants {
            match graph.op(node) {
                Some(Op::Const(constant)) => names.constant(graph, node, constant, &mut known),
                Some(Op::CtlConst { value, .. }) => names.alias(graph.output(node, 0), Name::ctl(value)),
                other => unreachable!("the schedule lists {node}, which is {other:?}, among the constants"),
            }
        }
        // What is known of the results of inner regions serves the outer ones.
        for node in schedule.structural() {
            match graph.kind(node) {
                NodeKind::Gamma => names.leave_gamma(graph, node),
                NodeKind::Theta => names.leave_theta(graph, node),
                NodeKind::Simple(_) | NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => {}
            }
        }
        for index in 0..names.of.len() {
            names.of[index] = names.find(Origin::new(index));
        }
        names
    }

    /// The name of an origin.
    #[inline]
    pub(super) fn get(&self, origin: Origin) -> Name {
        self.of[origin.index()]
    }

    /// The name as far as it is known; halves the path to it.
    fn find(&mut self, origin: Origin) -> Name {
        let mut name = Name::number(origin.index());
        while let Some(index) = name.as_number() {
            let next = self.of[index];
            if next == name {
                break;
            }
            if let Some(beyond) = next.as_number() {
                self.of[index] = self.of[beyond];
            }
            name = next;
        }
        name
    }

    fn alias(&mut self, origin: Origin, to: Name) {
        self.of[origin.index()] = to;
    }

    /// Names of arguments that are known before anything in the region is.
    fn enter(&mut self, graph: &Graph, region: Region) {
        let Some(node) = graph.parent(region) else { return };
        let theta = graph.kind(node) == NodeKind::Theta;
        for (index, &argument) in graph.arguments(region).iter().enumerate() {
            if !theta {
                let name = self.find(graph.input(node, index + 1));
                self.alias(argument, name);
            } else if graph.result(region, index + 1) == argument {
                let name = self.find(graph.input(node, index));
                self.alias(argument, name);
            }
        }
    }

    fn constant(
        &mut self,
        graph: &Graph,
        node: Node,
        constant: Const,
        known: &mut FxHashMap<(Const, bool, SmallVec<[Name; 2]>), Name>,
    ) {
        let output = graph.output(node, 0);
        let sourced = graph.source(node).is_some();
        if !sourced && matches!(graph.pool().constant(constant), Constant::Poison(_)) {
            return self.alias(output, Name::POISON);
        }
        let holes = graph.input_origins(node).map(|origin| self.find(origin)).collect();
        let name = *known.entry((constant, sourced, holes)).or_insert(Name::number(output.index()));
        self.alias(output, name);
    }

    fn leave_gamma(&mut self, graph: &Graph, node: Node) {
        let regions = graph.subregions(node);
        for (index, &output) in graph.outputs(node).iter().enumerate() {
            let name = self.find(graph.result(regions[0], index));
            if regions[1..].iter().all(|&region| self.find(graph.result(region, index)) == name) {
                self.alias(output, name);
            }
        }
    }

    fn leave_theta(&mut self, graph: &Graph, node: Node) {
        let body = graph.subregions(node)[0];
        for index in 0..graph.inputs(node).len() {
            let before = graph.arguments(body)[index];
            let (input, post) = (self.find(graph.input(node, index)), self.find(graph.result(body, index + 1)));
            let own = Name::number(before.index());
            if self.find(before) == own && (post == own || post == input) {
                self.alias(before, input);
            }
            // What varies gets a variable of its own after the loop, so that the names of a region end with it.
            if post == own || post == input || self.is_constant(graph, post) {
                self.alias(graph.output(node, index), if post == own { input } else { post });
            }
        }
    }

    fn is_constant(&self, graph: &Graph, name: Name) -> bool {
        let Some(index) = name.as_number() else { return true };
        match graph.def(Origin::new(index)) {
            OriginDef::Output(node, _) => matches!(graph.op(node), Some(Op::Const(_))),
            OriginDef::Argument(..) => false,
        }
    }
}

/// The node that a numbered name is an output of.
pub(super) fn producer(graph: &Graph, index: usize) -> Option<Node> {
    (index < graph.origin_bound()).then(|| graph.producer(Origin::new(index))).flatten()
}

/// The phi that a variable represents: that of its origin, or of a loop output with this name.
pub(super) fn phi_source(graph: &Graph, mut origin: Origin) -> Option<SourceId> {
    loop {
        if let Some(source) = graph.origin_source(origin) {
            return Some(source);
        }
        let OriginDef::Output(node, index) = graph.def(origin) else { return None };
        if graph.kind(node) != NodeKind::Theta {
            return None;
        }
        origin = graph.result(graph.subregions(node)[0], index as usize + 1);
    }
}
