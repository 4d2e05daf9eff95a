//! The interface of rules: patterns on operands, and new nodes at the position of the matched node.
//!
//! A value that enters conditionals and loops is replaced by its origin in the outermost region where it is the same, so that rules see
//! how it is computed there. It is routed to the nodes that rules add.

use rvsdg_analysis::callee;
use rvsdg_analysis::integers::{Bounds, Known, bounds, known_bits};
use rvsdg_analysis::invariant::follow_out;
use rvsdg_analysis::memory::bits_as_integer;
use rvsdg_analysis::nonnull::is_nonnull;
use rvsdg_analysis::surroundings::Surroundings;
use rvsdg_analysis::undef::{is_defined, is_not_undef, is_well_defined};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::fold::{self, Int, Intrinsic, arith, parts};
use rvsdg_core::layout::FloatKind;
use rvsdg_core::op::{BinaryFlags, CastFlags, CastOp, FastMath, IntBinary, IntPredicate};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, OriginDef, Pool, Type, Use};
use smallvec::SmallVec;

/// How many nested conditionals are looked into.
const MAX_RESOLVED: usize = 4;

/// How many users of a value are visited.
const MAX_USERS: usize = 16;

/// The graph at a node, for the rules that match it.
pub struct Cx<'g> {
    /// The graph. Rules read it; they add to it through the methods here.
    pub(super) graph: &'g mut Graph,
    /// The matched node.
    pub(super) at: Node,
    /// The nodes that were added.
    pub(super) created: Vec<Node>,
    /// Conditionals and loops that values were routed into, and their previous number of inputs.
    routed: SmallVec<[(Node, usize); 2]>,
    /// What is known of symbols and parameters.
    pub(super) surroundings: Option<&'g Surroundings>,
}

impl<'g> Cx<'g> {
    /// The graph at a node.
    pub(super) fn new(graph: &'g mut Graph, at: Node, surroundings: Option<&'g Surroundings>) -> Cx<'g> {
        Cx { graph, at, created: Vec::new(), routed: SmallVec::new(), surroundings }
    }

    /// Removes the added nodes, which have no users.
    pub(super) fn undo(self) {
        for node in self.created.into_iter().rev() {
            self.graph.remove(node);
        }
        for (node, inputs) in self.routed.into_iter().rev() {
            match (Gamma::new(self.graph, node), Theta::new(self.graph, node)) {
                (Some(gamma), _) => gamma.retain_entry_vars(self.graph, |index| index + 1 < inputs),
                (_, Some(theta)) => theta.retain_loop_vars(self.graph, |index| index < inputs),
                (None, None) => {}
            }
        }
    }

    /// A value of an enclosing region, as available in the node's region.
    fn routed(&mut self, origin: Origin) -> Origin {
        let (home, mut region) = (self.graph.scope(origin), self.graph.region_of(self.at));
        let mut path: SmallVec<[(Node, usize); 2]> = SmallVec::new();
        while region != home
            && let Some(node) = self.graph.parent(region)
        {
            path.push((node, self.graph.inputs(node).len()));
            region = self.graph.region_of(node);
        }
        let inside = Router::default().route(self.graph, origin, self.graph.region_of(self.at));
        let is_new = |&(node, inputs): &(Node, usize)| self.graph.inputs(node).len() > inputs;
        self.routed.extend(path.into_iter().rev().filter(is_new));
        inside
    }

    /// The data that all graphs of the module share.
    pub fn pool(&self) -> &Pool {
        self.graph.pool()
    }

    /// The type of a value.
    pub fn ty(&self, origin: Origin) -> Type {
        self.graph.ty(origin)
    }

    /// Input number `index` of the node.
    pub fn input(&self, index: usize) -> Origin {
        self.operand(self.at, index)
    }

    /// The value of a node.
    pub fn output(&self, node: Node) -> Origin {
        self.graph.output(node, 0)
    }

    /// Input number `index` of a node.
    pub fn operand(&self, node: Node, index: usize) -> Origin {
        self.outside(self.graph.input(node, index))
    }

    /// The number of inputs of a node.
    pub fn operands(&self, node: Node) -> usize {
        self.graph.inputs(node).len()
    }

    /// The operation of a node.
    pub fn op_of(&self, node: Node) -> Option<Op> {
        self.graph.op(node)
    }

    /// Some of the operations that use the value of a node.
    pub fn users(&self, node: Node) -> impl Iterator<Item = Node> {
        let user = |user| match self.graph.site(user) {
            Use::Input(node, _) => Some(node),
            Use::Result(..) => None,
        };
        self.graph.users_of(self.graph.output(node, 0)).take(MAX_USERS).filter_map(user)
    }

    /// The intrinsic that a call without states calls.
    pub fn intrinsic(&self, node: Node) -> Option<Intrinsic> {
        callee::intrinsic(self.graph, self.surroundings, node)
    }

    /// What a call computes that has no effect but that it may set `errno`.
    pub fn computation(&self, node: Node) -> Option<Intrinsic> {
        callee::computation(self.graph, self.surroundings, node)
    }

    /// Whether a value is known not to be undef, though it may be poison: it is the same at each use.
    pub fn is_not_undef(&self, origin: Origin) -> bool {
        is_not_undef(self.graph, self.surroundings, origin)
    }

    /// The integer that a pointer was made from with all of its address bits: the pointer as an integer of that type.
    pub fn address_of_integer(&self, pointer: Origin, ty: Type) -> Option<Origin> {
        let (integer, _) = self.cast(pointer, CastOp::IntToPtr)?;
        let layout = self.surroundings?.data_layout()?;
        let bits = bits_as_integer(self.pool(), layout, self.ty(pointer))?;
        (self.ty(integer) == ty && u64::from(self.bits(ty)?) <= bits).then_some(integer)
    }

    /// Whether an address is known not to be null, unless it is poison.
    pub fn is_nonnull(&self, origin: Origin) -> bool {
        is_nonnull(self.graph, self.surroundings, origin)
    }

    /// The value of an enclosing region that a value equals.
    pub(super) fn outside(&self, origin: Origin) -> Origin {
        follow_out(self.graph, origin).0
    }

    /// The value that a value is whenever it is not poison, in any region: one of an enclosing region, or that of the only alternative of
    /// a conditional that does not return poison. For inspection by rules.
    pub fn resolved(&self, origin: Origin) -> Origin {
        let mut at = self.outside(origin);
        for _ in 0..MAX_RESOLVED {
            let OriginDef::Output(node, index) = self.graph.def(at) else { break };
            let Some(gamma) = Gamma::new(self.graph, node) else { break };
            let Some(exit) = gamma.exit_vars(self.graph).nth(index as usize) else { break };
            let results = 0..gamma.regions(self.graph).len();
            let mut given = results
                .map(|alternative| self.graph.origin(exit.result(self.graph, gamma, alternative)))
                .filter(|&result| !self.is_poison(result));
            match (given.next(), given.next()) {
                (Some(only), None) => at = self.outside(only),
                _ => break,
            }
        }
        at
    }

    /// The operation that defines a value, with its node.
    pub fn op(&self, origin: Origin) -> Option<(Node, Op)> {
        let node = self.graph.producer(origin)?;
        Some((node, self.graph.op(node)?))
    }

    /// The constant without symbols that a value is.
    pub fn constant(&self, origin: Origin) -> Option<Const> {
        fold::constant(self.graph, origin)
    }

    /// The integer that a value is, or that each lane of it is.
    pub fn int(&self, origin: Origin) -> Option<Int> {
        fold::splat_int(self.pool(), self.constant(origin)?)
    }

    /// The floating-point number that a value is, or that each lane of it is: its format and bits.
    pub fn real(&self, origin: Origin) -> Option<(FloatKind, u128)> {
        fold::splat_real(self.pool(), self.constant(origin)?)
    }

    /// Whether a value is a constant, including one with symbols.
    pub fn is_constant(&self, origin: Origin) -> bool {
        matches!(self.op(origin), Some((_, Op::Const(_))))
    }

    /// Whether a value is an integer zero or the null pointer, or each lane is.
    pub fn is_zero(&self, origin: Origin) -> bool {
        self.constant(origin).is_some_and(|constant| match self.pool().constant(constant) {
            Constant::Zero(_) => true,
            _ => fold::splat_int(self.pool(), constant).is_some_and(Int::is_zero),
        })
    }

    /// Whether a value is the integer 1, or each lane is.
    pub fn is_one(&self, origin: Origin) -> bool {
        self.int(origin).is_some_and(Int::is_one)
    }

    /// Whether every bit of a value is known to be set.
    pub fn is_ones(&self, origin: Origin) -> bool {
        self.int(origin).is_some_and(Int::is_ones)
    }

    /// Whether a value is `poison`.
    pub fn is_poison(&self, origin: Origin) -> bool {
        fold::is_poison(self.graph, origin)
    }

    /// Whether a value is `undef`.
    pub fn is_undef(&self, origin: Origin) -> bool {
        self.constant(origin).is_some_and(|constant| matches!(self.pool().constant(constant), Constant::Undef(_)))
    }

    /// Whether a value is known to be neither undef nor poison, whatever it is computed from.
    pub fn is_defined(&self, origin: Origin) -> bool {
        is_defined(self.graph, self.surroundings, origin)
    }

    /// Whether a value is known to be neither undef nor poison.
    pub fn is_well_defined(&self, origin: Origin) -> bool {
        is_well_defined(self.graph, self.surroundings, origin)
    }

    /// Operands and flags of an integer operation.
    pub fn binary(&self, origin: Origin, wanted: IntBinary) -> Option<(Origin, Origin, BinaryFlags)> {
        let (node, Op::IntBinary { op, flags }) = self.op(origin)? else { return None };
        (op == wanted).then(|| (self.operand(node, 0), self.operand(node, 1), flags))
    }

    /// Operands of an integer operation with a constant second operand.
    pub fn binary_int(&self, origin: Origin, wanted: IntBinary) -> Option<(Origin, Int, BinaryFlags)> {
        let (a, b, flags) = self.binary(origin, wanted)?;
        Some((a, self.int(b)?, flags))
    }

    /// The other operand of a commutative operation that has `operand`.
    pub fn other(&self, origin: Origin, wanted: IntBinary, operand: Origin) -> Option<Origin> {
        let (a, b, _) = self.binary(origin, wanted)?;
        if a == operand { Some(b) } else { (b == operand).then_some(a) }
    }

    /// The operand of a bitwise complement: `xor x, -1`.
    pub fn not_of(&self, origin: Origin) -> Option<Origin> {
        let (a, b, _) = self.binary(origin, IntBinary::Xor)?;
        self.is_ones(b).then_some(a)
    }

    /// The operand of a negation: `sub 0, x`.
    pub fn neg_of(&self, origin: Origin) -> Option<Origin> {
        let (a, b, _) = self.binary(origin, IntBinary::Sub)?;
        self.is_zero(a).then_some(b)
    }

    /// Whether one value is the bitwise complement of the other.
    pub fn are_inverse(&self, a: Origin, b: Origin) -> bool {
        self.not_of(a) == Some(b) || self.not_of(b) == Some(a)
    }

    /// Operands of a comparison of integers or pointers.
    pub fn icmp(&self, origin: Origin) -> Option<(IntPredicate, bool, Origin, Origin)> {
        let (node, Op::ICmp { predicate, same_sign }) = self.op(origin)? else { return None };
        Some((predicate, same_sign, self.operand(node, 0), self.operand(node, 1)))
    }

    /// The operand of a conversion.
    pub fn cast(&self, origin: Origin, wanted: CastOp) -> Option<(Origin, CastFlags)> {
        let (node, Op::Cast { op, flags }) = self.op(origin)? else { return None };
        (op == wanted).then(|| (self.operand(node, 0), flags))
    }

    /// Operands of a select.
    pub fn select(&self, origin: Origin) -> Option<(Origin, Origin, Origin)> {
        let (node, Op::Select(_)) = self.op(origin)? else { return None };
        Some((self.operand(node, 0), self.operand(node, 1), self.operand(node, 2)))
    }

    /// Whether a value has one user, which may be in a conditional, but not in a loop that the value is outside of.
    pub fn one_use(&self, origin: Origin) -> bool {
        let mut at = origin;
        for _ in 0..MAX_RESOLVED {
            let mut users = self.graph.users_of(at);
            let (Some(user), None) = (users.next(), users.next()) else { return false };
            let Use::Input(node, index) = self.graph.site(user) else { return true };
            let Some(gamma) = Gamma::new(self.graph, node).filter(|_| index > 0) else {
                return Theta::new(self.graph, node).is_none();
            };
            let arguments =
                gamma.regions(self.graph).iter().map(|&region| self.graph.arguments(region)[index as usize - 1]);
            let mut used = arguments.filter(|&argument| self.graph.has_users(argument));
            let (Some(argument), None) = (used.next(), used.next()) else { return false };
            at = argument;
        }
        false
    }

    /// Width of an integer type, or of the lanes of a vector of integers.
    pub fn bits(&self, ty: Type) -> Option<u32> {
        arith::width(self.pool(), parts::lane_type(self.pool(), ty).unwrap_or(ty))
    }

    /// Whether a type is a scalar integer, not a vector.
    pub fn is_int(&self, ty: Type) -> bool {
        arith::width(self.pool(), ty).is_some()
    }

    /// Whether a type is a scalar integer no wider than an address: operations on it cost no more than on narrower ones.
    pub fn fits_register(&self, ty: Type) -> bool {
        let layout = self.surroundings.and_then(|surroundings| surroundings.data_layout());
        let most = layout.map_or(64, |layout| layout.pointer(0).bits);
        arith::width(self.pool(), ty).is_some_and(|bits| bits <= most)
    }

    /// Whether the machine executes threads in groups: there, narrow operations and the conversion of their results are cheaper than wide
    /// operations.
    pub fn has_groups(&self) -> bool {
        self.surroundings.is_some_and(|surroundings| surroundings.machine().is_some())
    }

    /// Whether a condition is for one integer of type `ty`, or for each lane of a vector of them.
    pub fn has_lanes_of(&self, condition: Origin, ty: Type) -> bool {
        let is_vector = |ty| parts::lane_type(self.pool(), ty).is_some();
        is_vector(self.ty(condition)) == is_vector(ty) && self.bits(ty).is_some()
    }

    /// Known bits of an integer, whenever it is not poison.
    pub fn known(&self, origin: Origin) -> Option<Known> {
        known_bits::known(self.graph, origin)
    }

    /// Known bits of an integer without looking into or out of conditionals and loops.
    pub fn known_near(&self, origin: Origin) -> Option<Known> {
        known_bits::known_near(self.graph, origin)
    }

    /// The unsigned minimum and maximum of an integer, whenever it is not poison.
    pub fn bounds(&self, origin: Origin) -> Option<Bounds> {
        bounds::of(self.graph, origin)
    }

    /// A constant at the position of the node.
    pub fn add_constant(&mut self, constant: Const) -> Origin {
        if let Some(known) = Insert::before(self.graph, self.at).constant_nearby(constant) {
            return known;
        }
        let region = self.graph.region_of(self.at);
        self.note(|graph, _| Insert::front(graph, region).constant(constant))
    }

    /// Records an added node, if one was added.
    fn note(&mut self, add: impl FnOnce(&mut Graph, Node) -> Origin) -> Origin {
        let nodes = self.graph.node_count();
        let origin = add(self.graph, self.at);
        if self.graph.node_count() > nodes {
            self.created.extend(self.graph.producer(origin));
        }
        origin
    }

    /// An integer of type `ty`, or a vector of it in each lane. `None` when the type is too wide.
    pub fn add_int(&mut self, ty: Type, value: u128) -> Option<Origin> {
        let constant = fold::splat_const(self.pool(), ty, value)?;
        Some(self.add_constant(constant))
    }

    /// A known integer of type `ty`.
    pub fn int_like(&mut self, ty: Type, value: Int) -> Option<Origin> {
        self.add_int(ty, value.unsigned())
    }

    /// All bits zero.
    pub fn zero(&mut self, ty: Type) -> Option<Origin> {
        self.add_int(ty, 0)
    }

    /// All bits set.
    pub fn ones(&mut self, ty: Type) -> Option<Origin> {
        self.add_int(ty, u128::MAX)
    }

    /// A truth value of the type of comparisons of `ty`.
    pub fn truth(&mut self, ty: Type, value: bool) -> Option<Origin> {
        self.add_int(ty, value.into())
    }

    /// Poison.
    pub fn poison(&mut self, ty: Type) -> Origin {
        let constant = self.pool().poison(ty);
        self.add_constant(constant)
    }

    /// An operation on values before the node; folded if its operands are constant.
    pub fn add(&mut self, op: Op, inputs: &[Origin], ty: Type) -> Origin {
        if let Some(constant) = fold::fold(self.graph, op, inputs, ty) {
            return self.add_constant(constant);
        }
        let inputs: SmallVec<[Origin; 4]> = inputs.iter().map(|&input| self.routed(input)).collect();
        self.note(|graph, at| Insert::before(graph, at).add(op, &inputs, ty))
    }

    /// An integer operation.
    pub fn add_binary(&mut self, op: IntBinary, flags: BinaryFlags, a: Origin, b: Origin) -> Origin {
        let ty = self.ty(a);
        self.add(Op::IntBinary { op, flags }, &[a, b], ty)
    }

    /// An integer operation without flags.
    pub fn plain(&mut self, op: IntBinary, a: Origin, b: Origin) -> Origin {
        self.add_binary(op, BinaryFlags::NONE, a, b)
    }

    /// An integer operation without flags, with a constant second operand.
    pub fn plain_int(&mut self, op: IntBinary, a: Origin, b: Int) -> Option<Origin> {
        let ty = self.ty(a);
        let b = self.int_like(ty, b)?;
        Some(self.plain(op, a, b))
    }

    /// The bitwise complement of a value.
    pub fn not(&mut self, a: Origin) -> Option<Origin> {
        let ty = self.ty(a);
        let ones = self.ones(ty)?;
        Some(self.plain(IntBinary::Xor, a, ones))
    }

    /// The negation of a value.
    pub fn neg(&mut self, a: Origin) -> Option<Origin> {
        let ty = self.ty(a);
        let zero = self.zero(ty)?;
        Some(self.plain(IntBinary::Sub, zero, a))
    }

    /// A comparison whose result has type `ty`.
    pub fn add_icmp(&mut self, predicate: IntPredicate, a: Origin, b: Origin, ty: Type) -> Origin {
        self.add(Op::ICmp { predicate, same_sign: false }, &[a, b], ty)
    }

    /// A conversion without flags.
    pub fn add_cast(&mut self, op: CastOp, a: Origin, ty: Type) -> Origin {
        self.add(Op::Cast { op, flags: CastFlags::default() }, &[a], ty)
    }

    /// A select.
    pub fn add_select(&mut self, condition: Origin, then: Origin, otherwise: Origin) -> Origin {
        let ty = self.ty(then);
        self.add(Op::Select(FastMath::NONE), &[condition, then, otherwise], ty)
    }
}
