//! Adding to a graph: operations that are folded while they are added, at a chosen position of a region, and routing of values into
//! regions.
//!
//! ```
//! use rvsdg_core::build::Insert;
//! use rvsdg_core::op::IntBinary;
//! use rvsdg_core::{Graph, Pool, Type};
//!
//! let mut graph = Graph::new(std::sync::Arc::new(Pool::new()));
//! let root = graph.root();
//! let x = graph.add_argument(root, Type::I32);
//! let mut at = Insert::end(&mut graph, root);
//! let (zero, two) = (at.int(Type::I32, 0), at.int(Type::I32, 2));
//! assert_eq!(at.binary(IntBinary::Sub, x, zero), x);
//! let four = at.binary(IntBinary::Mul, two, two);
//! assert_eq!(at.int(Type::I32, 4), four);
//! ```

mod route;
mod simplify;

#[cfg(test)]
mod tests;

use crate::fold::{self, Int};
use crate::graph::Motion;
use crate::op::{BinaryFlags, CastFlags, CastOp, FastMath, GepFlags, IntBinary, IntPredicate, MatchTable};
use crate::structural::{Gamma, Theta};
use crate::{Const, Constant, Graph, Node, Op, Origin, Region, SourceId, Type};

pub use route::Router;

/// How many nodes next to the position are searched for an existing constant.
const MAX_LOOKED_AT: usize = 32;

/// Where a node is inserted.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Place {
    Before(Node),
    After(Node),
    Front(Region),
    End(Region),
}

/// A position in a region where operations are added, each after the one added before it.
///
/// Operations with a known result are not added: operations on constants, and those that return one of their operands, as `x + 0` does. A
/// nearby constant of the region is reused.
///
/// ```
/// use rvsdg_core::build::Insert;
/// use rvsdg_core::op::IntBinary;
/// use rvsdg_core::{Graph, Pool, Type};
///
/// let mut graph = Graph::new(std::sync::Arc::new(Pool::new()));
/// let root = graph.root();
/// let x = graph.add_argument(root, Type::I32);
/// let mut at = Insert::end(&mut graph, root);
/// let three = at.int(Type::I32, 3);
/// let product = at.binary(IntBinary::Mul, x, three);
/// let node = graph.producer(product).expect("it is a node's output");
/// // What is found out later can be put before it.
/// let sum = Insert::before(&mut graph, node).binary(IntBinary::Add, x, x);
/// assert!(graph.nodes(root).position(|n| Some(n) == graph.producer(sum)) < graph.nodes(root).position(|n| n == node));
/// ```
pub struct Insert<'g> {
    graph: &'g mut Graph,
    place: Place,
    source: Option<SourceId>,
    motion: Option<Motion>,
}

impl<'g> Insert<'g> {
    fn at(graph: &'g mut Graph, place: Place) -> Self {
        Insert { graph, place, source: None, motion: None }
    }

    /// Right before a node.
    pub fn before(graph: &'g mut Graph, node: Node) -> Self {
        Self::at(graph, Place::Before(node))
    }

    /// Right after a node.
    pub fn after(graph: &'g mut Graph, node: Node) -> Self {
        Self::at(graph, Place::After(node))
    }

    /// At the front of a region.
    pub fn front(graph: &'g mut Graph, region: Region) -> Self {
        Self::at(graph, Place::Front(region))
    }

    /// At the end of a region.
    pub fn end(graph: &'g mut Graph, region: Region) -> Self {
        Self::at(graph, Place::End(region))
    }

    /// Sets the source of what is added from now on.
    #[must_use]
    pub fn source(mut self, source: Option<SourceId>) -> Self {
        self.source = source;
        self
    }

    /// Sets the motion of what is added from now on, because it stands for a moved node.
    #[must_use]
    pub fn moved(mut self, motion: Option<Motion>) -> Self {
        self.motion = motion;
        self
    }

    /// The graph.
    pub fn graph(&mut self) -> &mut Graph {
        self.graph
    }

    /// The region.
    pub fn region(&self) -> Region {
        match self.place {
            Place::Before(node) | Place::After(node) => self.graph.region_of(node),
            Place::Front(region) | Place::End(region) => region,
        }
    }

    /// The type of a value.
    pub fn ty(&self, origin: Origin) -> Type {
        self.graph.ty(origin)
    }

    /// Adds a node with values and states, unfolded.
    pub fn node(&mut self, op: Op, inputs: &[Origin], outputs: &[Type]) -> Node {
        let node = self.graph.add_simple(self.region(), op, inputs, outputs);
        self.put(node);
        node
    }

    /// Inserts a node, new or moved from elsewhere.
    pub fn put(&mut self, node: Node) {
        match self.place {
            Place::Before(next) => self.graph.move_before(node, next),
            Place::After(previous) => {
                self.graph.move_after(node, previous);
                self.place = Place::After(node);
            }
            Place::Front(region) => {
                self.graph.move_to(node, region);
                self.graph.move_to_front(node);
                self.place = Place::After(node);
            }
            Place::End(region) => self.graph.move_to(node, region),
        }
        if self.source.is_some() {
            self.graph.set_source(node, self.source);
        }
        if let Some(motion) = self.motion {
            self.graph.set_moved(node, motion);
        }
    }

    /// Adds an operation on values with one result, or returns its known result.
    pub fn add(&mut self, op: Op, inputs: &[Origin], ty: Type) -> Origin {
        match simplify::known(self.graph, op, inputs, ty) {
            Some(simplify::Known::Value(value)) => value,
            Some(simplify::Known::Constant(constant)) => self.constant(constant),
            None => {
                let node = self.node(op, inputs, &[ty]);
                self.graph.output(node, 0)
            }
        }
    }

    /// A constant that mentions no symbol.
    pub fn constant(&mut self, constant: Const) -> Origin {
        if let Some(known) = self.constant_nearby(constant) {
            return known;
        }
        let ty = self.graph.pool().constant(constant).ty();
        // Constants have no origin in the program.
        let node = self.graph.add_simple(self.region(), Op::Const(constant), &[], &[ty]);
        let (source, motion) = (self.source.take(), self.motion.take());
        self.put(node);
        (self.source, self.motion) = (source, motion);
        self.graph.output(node, 0)
    }

    /// A constant within a few nodes of the position, preferably before it.
    pub fn constant_nearby(&self, constant: Const) -> Option<Origin> {
        let graph = &*self.graph;
        let is_it = |&node: &Node| graph.op(node) == Some(Op::Const(constant)) && graph.inputs(node).is_empty();
        let (mut before, mut after) = match self.place {
            Place::Before(node) => (graph.previous(node), None),
            Place::After(node) => (Some(node), None),
            Place::Front(region) => (None, graph.nodes(region).next()),
            Place::End(region) => (graph.last_node(region), None),
        };
        for _ in 0..MAX_LOOKED_AT {
            let node = before.or(after)?;
            if is_it(&node) {
                return Some(graph.output(node, 0));
            }
            before = before.and_then(|node| graph.previous(node));
            after = after.and_then(|node| graph.next(node));
        }
        None
    }

    /// The integer of type `ty` with these low bits; the rest is zero.
    pub fn int(&mut self, ty: Type, value: u64) -> Origin {
        let constant = self.graph.pool().int_const(ty, value);
        self.constant(constant)
    }

    /// Poison.
    pub fn poison(&mut self, ty: Type) -> Origin {
        let poison = self.graph.pool().poison(ty);
        self.constant(poison)
    }

    /// Undef.
    pub fn undef(&mut self, ty: Type) -> Origin {
        let undef = self.graph.pool().intern_const(Constant::Undef(ty));
        self.constant(undef)
    }

    /// An integer operation without flags.
    pub fn binary(&mut self, op: IntBinary, a: Origin, b: Origin) -> Origin {
        self.binary_with(op, BinaryFlags::NONE, a, b)
    }

    /// An integer operation.
    pub fn binary_with(&mut self, op: IntBinary, flags: BinaryFlags, a: Origin, b: Origin) -> Origin {
        let ty = self.graph.ty(a);
        self.add(Op::IntBinary { op, flags }, &[a, b], ty)
    }

    /// An integer operation without flags on a value and the integer of its type with these low bits, which is added only if it is
    /// needed; at most 64 bits.
    pub fn binary_int(&mut self, op: IntBinary, a: Origin, b: u64) -> Origin {
        let ty = self.graph.ty(a);
        if let Some(bits) = fold::arith::width(self.graph.pool(), ty)
            && simplify::is_neutral(op, Int::new(bits, b.into()))
        {
            return a;
        }
        let b = self.int(ty, b);
        self.binary(op, a, b)
    }

    /// An address a number of bytes further.
    pub fn advance(&mut self, address: Origin, by: i64, flags: GepFlags) -> Origin {
        if by == 0 {
            return address;
        }
        let (ty, source) = (self.graph.ty(address), self.graph.pool().int(8));
        let by = self.int(Type::I64, by as u64);
        self.add(Op::Gep { source, flags }, &[address, by], ty)
    }

    /// A comparison of integers or pointers, not of vectors.
    pub fn compare(&mut self, predicate: IntPredicate, a: Origin, b: Origin) -> Origin {
        self.add(Op::ICmp { predicate, same_sign: false }, &[a, b], Type::I1)
    }

    /// A truth value or each lane of a vector of such inverted.
    pub fn not(&mut self, a: Origin) -> Origin {
        let ty = self.graph.ty(a);
        let ones = fold::splat_const(self.graph.pool(), ty, u128::MAX).expect("a truth value is an integer");
        let ones = self.constant(ones);
        self.binary(IntBinary::Xor, a, ones)
    }

    /// A conversion without flags; the value itself where it has the type.
    pub fn cast(&mut self, op: CastOp, a: Origin, ty: Type) -> Origin {
        if self.graph.ty(a) == ty {
            return a;
        }
        self.add(Op::Cast { op, flags: CastFlags::default() }, &[a], ty)
    }

    /// One of two values.
    pub fn select(&mut self, condition: Origin, then: Origin, otherwise: Origin) -> Origin {
        let ty = self.graph.ty(then);
        self.add(Op::Select(FastMath::NONE), &[condition, then, otherwise], ty)
    }

    /// A fixed value instead of undef or poison.
    pub fn freeze(&mut self, a: Origin) -> Origin {
        let ty = self.graph.ty(a);
        self.add(Op::Freeze, &[a], ty)
    }

    /// A predicate known to choose one of `of` alternatives.
    pub fn predicate(&mut self, value: u32, of: u32) -> Origin {
        let ty = self.graph.pool().ctl(of);
        let node = self.node(Op::CtlConst { value, of }, &[], &[ty]);
        self.graph.output(node, 0)
    }

    /// The predicate that chooses alternative `holds`, 0 or 1, where a truth value holds, else the other.
    pub fn decide(&mut self, condition: Origin, holds: u32) -> Origin {
        let table = MatchTable::boolean(self.graph.pool(), holds);
        self.choose(table, condition)
    }

    /// The predicate that a table yields for an integer.
    pub fn choose(&mut self, table: MatchTable, operand: Origin) -> Origin {
        let alternatives = table.alternatives;
        if let Some(known) = fold::int(self.graph, operand) {
            let chosen = table.alternative(self.graph.pool(), known);
            return self.predicate(chosen, alternatives);
        }
        let ty = self.graph.pool().ctl(alternatives);
        let op = Op::Match(self.graph.pool().intern_table(table));
        let node = self.node(op, &[operand], &[ty]);
        self.graph.output(node, 0)
    }

    /// A γ with empty alternatives.
    pub fn gamma(&mut self, predicate: Origin, alternatives: usize) -> Gamma {
        let gamma = Gamma::add(self.graph, self.region(), predicate, alternatives);
        self.put(gamma.node());
        gamma
    }

    /// A θ without variables; see [`Theta::add`].
    pub fn theta(&mut self) -> Theta {
        let theta = Theta::add(self.graph, self.region());
        self.put(theta.node());
        theta
    }
}
