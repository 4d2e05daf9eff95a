//! Signatures of operations.

use smallvec::SmallVec;

use super::constant::ConstFacts;
use super::types::{TypeFacts, element, is_first_class, lanes, scalar_bits};
use super::{Invariant, Report};
use crate::graph::{Graph, Node, NodeKind};
use crate::op::{BinaryFlags, CastFlags, CastOp, Effects, ExtOp, FastMath, IntBinary, MatchTable, Op};
use crate::{Const, Constant, Pool, Type, TypeKind};

pub(super) type Types = SmallVec<[Type; 6]>;

/// What is wrong with an operation.
pub(super) type Flaw = (Invariant, String);

/// Checks one simple node.
pub(super) struct OpCheck<'a, 'g, 'p> {
    graph: &'a Graph,
    node: Node,
    types: &'a mut TypeFacts<'p>,
    constants: &'a mut ConstFacts<'p>,
    report: &'a mut Report<'g>,
}

/// Types of an operation's value inputs and outputs, at a node or in a constant expression.
pub(super) struct Signature<'a, 'p> {
    pub(super) pool: &'a Pool,
    pub(super) types: &'a mut TypeFacts<'p>,
    pub(super) inputs: &'a [Type],
    pub(super) outputs: &'a [Type],
    pub(super) flaws: Vec<Flaw>,
    /// The constant an input is, by position.
    pub(super) constant: &'a dyn Fn(usize) -> Option<Const>,
}

impl<'a, 'g, 'p> OpCheck<'a, 'g, 'p> {
    pub(super) fn new(
        graph: &'a Graph,
        node: Node,
        types: &'a mut TypeFacts<'p>,
        constants: &'a mut ConstFacts<'p>,
        report: &'a mut Report<'g>,
    ) -> Self {
        OpCheck { graph, node, types, constants, report }
    }

    pub(super) fn check(self, op: Op) {
        let graph = self.graph;
        let pool: &Pool = graph.pool();
        let mut inputs: Types = graph.input_origins(self.node).map(|origin| graph.ty(origin)).collect();
        let mut outputs: Types = graph.outputs(self.node).iter().map(|&origin| graph.ty(origin)).collect();
        let mut effects = op.effects(pool);
        if op.may_carry_io() && inputs.last() == Some(&Type::IO) {
            effects.io = true;
        }
        for (types, what) in [(&mut inputs, "inputs"), (&mut outputs, "outputs")] {
            if !split_states(types, effects) {
                let message = format!("its {what} {}", states_text(effects));
                return self.report.node(Invariant::States, self.node, message);
            }
        }
        if let Op::Ext(ext) = op
            && let Some(hooks) = pool.ext_hooks(ext)
            && let Err(expected) = (hooks.verify)(graph, self.node)
        {
            self.report.node(Invariant::Dialect, self.node, expected);
        }
        let constant = |index: usize| {
            let producer = graph.producer(graph.input(self.node, index))?;
            match graph.kind(producer) {
                NodeKind::Simple(Op::Const(constant)) => Some(constant),
                _ => None,
            }
        };
        let mut signature = Signature {
            pool,
            types: self.types,
            inputs: &inputs,
            outputs: &outputs,
            flaws: Vec::new(),
            constant: &constant,
        };
        signature.check(op);
        if let Op::Const(constant) = op {
            signature.constant_node(constant, self.constants);
        }
        for (invariant, message) in signature.flaws {
            self.report.node(invariant, self.node, message);
        }
    }
}

/// Cuts the states of `effects` off the end of `types`; fails when they are not there or others are.
fn split_states(types: &mut Types, effects: Effects) -> bool {
    let Some(values) = types.len().checked_sub(effects.count()) else { return false };
    let good = types[values..].iter().copied().eq(effects.types()) && !types[..values].iter().any(|ty| ty.is_state());
    types.truncate(values);
    good
}

fn states_text(effects: Effects) -> &'static str {
    match (effects.mem, effects.io) {
        (false, false) => "hold no state",
        (true, false) => "end with mem, their only state",
        (false, true) => "end with io, their only state",
        (true, true) => "end with mem and io, their only states",
    }
}

impl Signature<'_, '_> {
    pub(super) fn flaw(&mut self, invariant: Invariant, message: impl Into<String>) {
        self.flaws.push((invariant, message.into()));
    }

    pub(super) fn types_flaw(&mut self, message: impl Into<String>) {
        self.flaw(Invariant::Types, message);
    }

    /// Requires numbers of value inputs and outputs.
    pub(super) fn arity(&mut self, inputs: usize, outputs: usize) -> bool {
        let good = self.inputs.len() == inputs && self.outputs.len() == outputs;
        if !good {
            let message = format!(
                "it has {} value inputs and {} value outputs instead of {inputs} and {outputs}",
                self.inputs.len(),
                self.outputs.len()
            );
            self.flaw(Invariant::Arity, message);
        }
        good
    }

    pub(super) fn kind(&self, ty: Type) -> &TypeKind {
        self.pool.type_kind(ty)
    }

    pub(super) fn text(&self, ty: Type) -> String {
        self.pool.display_type(ty).to_string()
    }

    /// Requires a property of a payload.
    pub(super) fn payload(&mut self, good: bool, message: &str) {
        if !good {
            self.flaw(Invariant::Payload, message);
        }
    }

    pub(super) fn demand(&mut self, good: bool, message: &str) {
        if !good {
            self.types_flaw(message);
        }
    }

    /// Checks types and payload.
    pub(super) fn check(&mut self, op: Op) {
        match op {
            Op::Const(_) => {
                if self.outputs.len() != 1 {
                    self.flaw(Invariant::Arity, "a constant has one output");
                }
            }
            Op::CtlConst { value, of } => {
                self.payload(value < of, "the alternative is not one of those there are");
                if self.arity(0, 1) {
                    let ctl = self.kind(self.outputs[0]) == &TypeKind::Ctl(of);
                    self.demand(ctl, "the output is not a predicate with as many alternatives");
                }
            }
            Op::Match(table) => {
                if self.arity(1, 1) {
                    self.match_table(self.pool.table(table));
                }
            }
            Op::IntBinary { op, flags } => {
                self.binary(|kind| matches!(kind, TypeKind::Int(_)), "integers or vectors of integers");
                let wraps = BinaryFlags::NUW | BinaryFlags::NSW;
                let allowed = match op {
                    IntBinary::Add | IntBinary::Sub | IntBinary::Mul | IntBinary::Shl => wraps,
                    IntBinary::UDiv | IntBinary::SDiv | IntBinary::LShr | IntBinary::AShr => BinaryFlags::EXACT,
                    IntBinary::Or => BinaryFlags::DISJOINT,
                    IntBinary::URem | IntBinary::SRem | IntBinary::And | IntBinary::Xor => BinaryFlags::NONE,
                };
                self.payload(allowed.contains(flags), "the operation cannot have these flags");
            }
            Op::FloatBinary { .. } => self.binary(TypeKind::is_float, "floats or vectors of floats"),
            Op::FNeg(_) => {
                if self.arity(1, 1) {
                    self.demand(self.inputs[0] == self.outputs[0], "input and output have one type");
                    let float = lanes(self.pool, self.inputs[0]).0.is_float();
                    self.demand(float, "the operand is a float or a vector of floats");
                }
            }
            Op::ICmp { .. } => {
                self.comparison(|kind| matches!(kind, TypeKind::Int(_) | TypeKind::Ptr(_)), "integers or pointers")
            }
            Op::FCmp { .. } => self.comparison(TypeKind::is_float, "floats"),
            Op::Cast { op, flags } => self.cast(op, flags),
            Op::Select(fast) => self.select(fast),
            Op::Freeze => {
                if self.arity(1, 1) {
                    self.demand(self.inputs[0] == self.outputs[0], "input and output have one type");
                    let good = is_first_class(self.kind(self.inputs[0])) && self.inputs[0] != self.token();
                    self.demand(good, "the operand is a value");
                }
            }
            Op::ExtractElement => {
                if self.arity(2, 1) {
                    let vector = self.vector(0).map(|(element, ..)| element) == Some(self.outputs[0]);
                    self.demand(vector, "the output has the type of a lane of input 0");
                    self.integer(1);
                }
            }
            Op::InsertElement => {
                if self.arity(3, 1) {
                    let vector = self.vector(0).map(|(element, ..)| element) == Some(self.inputs[1]);
                    self.demand(vector, "input 1 has the type of a lane of input 0");
                    self.demand(self.inputs[0] == self.outputs[0], "input 0 and the output have one type");
                    self.integer(2);
                }
            }
            Op::ShuffleVector(mask) => {
                if self.arity(2, 1) {
                    self.shuffle(self.pool.indices(mask));
                }
            }
            Op::ExtractValue(indices) => {
                if self.arity(1, 1) {
                    let part = self.part(self.pool.indices(indices));
                    self.demand(part == Some(self.outputs[0]), "the indices lead to a value of the output's type");
                }
            }
            Op::InsertValue(indices) => {
                if self.arity(2, 1) {
                    let part = self.part(self.pool.indices(indices));
                    self.demand(part == Some(self.inputs[1]), "the indices lead to a value of input 1's type");
                    self.demand(self.inputs[0] == self.outputs[0], "input 0 and the output have one type");
                }
            }
            Op::Gep { source, .. } => self.gep(source),
            Op::Alloca { ty, align_log2, .. } => self.alloca(ty, align_log2),
            Op::Load(access) => self.load(access),
            Op::Store(access) => self.store(access),
            Op::CmpXchg { access, failure, .. } => self.cmpxchg(access, failure),
            Op::AtomicRmw { op, access } => self.rmw(op, access),
            Op::Fence { ordering, .. } => self.fence(ordering),
            Op::Call(call) | Op::Invoke(call) | Op::CallBr(call) => self.call(op, self.pool.call(call)),
            Op::IndirectBr(blocks) => {
                if self.arity(1, 1) {
                    self.pointer(0);
                    let count = self.pool.indices(blocks).len();
                    let good = self.pool.ctl_alternatives(self.outputs[0]) == u32::try_from(count).ok();
                    self.demand(good && count > 0, "the output is a predicate with an alternative for each block");
                }
            }
            Op::Resume => {
                if self.arity(1, 0) {
                    let good = is_first_class(self.kind(self.inputs[0]));
                    self.demand(good, "the input is a value");
                }
            }
            Op::Funclet(funclet) => self.funclet(funclet),
            Op::VaArg => {
                if self.arity(1, 1) {
                    self.pointer(0);
                    let good = is_first_class(self.kind(self.outputs[0]));
                    self.demand(good, "the output is a value");
                }
            }
            Op::Unreachable => {
                self.arity(0, 0);
            }
            Op::Ext(ext) => self.ext(self.pool.ext(ext)),
        }
    }

    fn token(&self) -> Type {
        self.pool.intern_type(TypeKind::Token)
    }

    fn binary(&mut self, good: impl Fn(&TypeKind) -> bool, what: &str) {
        if self.arity(2, 1) {
            let ty = self.outputs[0];
            self.demand(self.inputs[0] == ty && self.inputs[1] == ty, "inputs and output have one type");
            if !good(lanes(self.pool, ty).0) {
                self.types_flaw(format!("the operands are {what}"));
            }
        }
    }

    fn comparison(&mut self, good: impl Fn(&TypeKind) -> bool, what: &str) {
        if self.arity(2, 1) {
            self.demand(self.inputs[0] == self.inputs[1], "the inputs have one type");
            let (lane, shape) = lanes(self.pool, self.inputs[0]);
            if !good(lane) {
                self.types_flaw(format!("the operands are {what} or vectors of them"));
            }
            let (bit, result) = lanes(self.pool, self.outputs[0]);
            let good = *bit == TypeKind::Int(1) && result == shape;
            self.demand(good, "the output is an i1 per lane of the inputs");
        }
    }

    fn cast(&mut self, op: CastOp, flags: CastFlags) {
        if !self.arity(1, 1) {
            return;
        }
        let none = BinaryFlags::NONE;
        let (nneg, wrap, fast) = match op {
            CastOp::Trunc => (false, BinaryFlags::NUW | BinaryFlags::NSW, false),
            CastOp::ZExt => (true, none, false),
            CastOp::UIToFP => (true, none, true),
            CastOp::FPTrunc | CastOp::FPExt | CastOp::SIToFP | CastOp::FPToUI | CastOp::FPToSI => (false, none, true),
            CastOp::SExt
            | CastOp::PtrToInt
            | CastOp::PtrToAddr
            | CastOp::IntToPtr
            | CastOp::BitCast
            | CastOp::AddrSpaceCast => (false, none, false),
        };
        let good = (nneg || !flags.nneg) && wrap.contains(flags.wrap) && (fast || flags.fast.is_empty());
        self.payload(good, "the conversion cannot have these flags");

        let (from, to) = (self.inputs[0], self.outputs[0]);
        let ((from_lane, from_shape), (to_lane, to_shape)) = (lanes(self.pool, from), lanes(self.pool, to));
        let int = |kind: &TypeKind| matches!(kind, TypeKind::Int(_));
        let ptr = |kind: &TypeKind| matches!(kind, TypeKind::Ptr(_));
        let wider = scalar_bits(to_lane) > scalar_bits(from_lane);
        let narrower = scalar_bits(to_lane) < scalar_bits(from_lane);
        let same_shape = from_shape == to_shape;
        let good = match op {
            CastOp::Trunc => same_shape && int(from_lane) && int(to_lane) && narrower,
            CastOp::ZExt | CastOp::SExt => same_shape && int(from_lane) && int(to_lane) && wider,
            CastOp::FPTrunc => same_shape && from_lane.is_float() && to_lane.is_float() && narrower,
            CastOp::FPExt => same_shape && from_lane.is_float() && to_lane.is_float() && wider,
            CastOp::FPToUI | CastOp::FPToSI => same_shape && from_lane.is_float() && int(to_lane),
            CastOp::UIToFP | CastOp::SIToFP => same_shape && int(from_lane) && to_lane.is_float(),
            CastOp::PtrToInt | CastOp::PtrToAddr => same_shape && ptr(from_lane) && int(to_lane),
            CastOp::IntToPtr => same_shape && int(from_lane) && ptr(to_lane),
            CastOp::AddrSpaceCast => same_shape && ptr(from_lane) && ptr(to_lane) && from_lane != to_lane,
            CastOp::BitCast => {
                let bits = |lane: &TypeKind, shape: Option<(u32, bool)>| {
                    let (len, scalable) = shape.unwrap_or((1, false));
                    Some((scalar_bits(lane)? * u64::from(len), scalable))
                };
                match (bits(from_lane, from_shape), bits(to_lane, to_shape)) {
                    (Some(from), Some(to)) => from == to,
                    _ => from == to || from_lane == to_lane && shapes_of_equal_length(from_shape, to_shape),
                }
            }
        };
        if !good {
            let message = format!("{} cannot become {} in this way", self.text(from), self.text(to));
            self.types_flaw(message);
        }
    }

    fn select(&mut self, fast: FastMath) {
        if !self.arity(3, 1) {
            return;
        }
        let ty = self.outputs[0];
        self.demand(self.inputs[1] == ty && self.inputs[2] == ty, "inputs 1 and 2 and the output have one type");
        self.demand(is_first_class(self.kind(ty)) && ty != self.token(), "the operands are values");
        let (bit, condition) = lanes(self.pool, self.inputs[0]);
        let good = *bit == TypeKind::Int(1) && (condition.is_none() || condition == lanes(self.pool, ty).1);
        self.demand(good, "the condition is an i1, or one per lane");
        if !fast.is_empty() {
            self.payload(self.is_float_like(ty), "only a select of floats has fast-math flags");
        }
    }

    /// Whether fast-math flags mean something for a type: floats, vectors of them, and arrays or homogeneous structures
    /// of those.
    pub(super) fn is_float_like(&self, mut ty: Type) -> bool {
        loop {
            match self.kind(ty) {
                TypeKind::Array { element, .. } | TypeKind::Vector { element, .. } => ty = *element,
                TypeKind::Struct { elements, .. } => match &elements[..] {
                    [first, rest @ ..] if rest.iter().all(|element| element == first) => ty = *first,
                    _ => return false,
                },
                kind => return kind.is_float(),
            }
        }
    }

    fn vector(&self, input: usize) -> Option<(Type, u32, bool)> {
        match *self.kind(self.inputs[input]) {
            TypeKind::Vector { element, len, scalable } => Some((element, len, scalable)),
            _ => None,
        }
    }

    pub(super) fn integer(&mut self, input: usize) {
        let good = matches!(self.kind(self.inputs[input]), TypeKind::Int(_));
        if !good {
            self.types_flaw(format!("input {input} is an integer"));
        }
    }

    pub(super) fn pointer(&mut self, input: usize) {
        let good = matches!(self.kind(self.inputs[input]), TypeKind::Ptr(_));
        if !good {
            self.types_flaw(format!("input {input} is a pointer"));
        }
    }

    fn shuffle(&mut self, mask: &[u32]) {
        self.demand(self.inputs[0] == self.inputs[1], "the inputs have one type");
        let (Some((element, len, scalable)), &TypeKind::Vector { element: to, len: to_len, scalable: to_scalable }) =
            (self.vector(0), self.pool.type_kind(self.outputs[0]))
        else {
            return self.types_flaw("a shuffle takes and makes vectors");
        };
        let good = element == to && scalable == to_scalable && mask.len() == to_len as usize;
        self.demand(good, "the output has a lane of the inputs' type per number in the mask");
        let known = |lane: u32| lane == u32::MAX || u64::from(lane) < 2 * u64::from(len);
        self.payload(mask.iter().all(|&lane| known(lane)), "the mask names a lane that neither input has");
        if scalable {
            let uniform = mask.iter().all(|&lane| lane == 0) || mask.iter().all(|&lane| lane == u32::MAX);
            self.payload(uniform, "the mask of scalable vectors is all zero or all poison");
        }
    }

    /// The type of the part of input 0 that `indices` name.
    fn part(&mut self, indices: &[u32]) -> Option<Type> {
        self.payload(!indices.is_empty(), "there is at least one index");
        indices.iter().try_fold(self.inputs[0], |ty, &index| element(self.pool, ty, index.into()))
    }

    fn match_table(&mut self, table: &MatchTable) {
        let ty = self.inputs[0];
        self.demand(matches!(self.kind(ty), TypeKind::Int(_)), "a match looks at an integer");
        let ctl = self.kind(self.outputs[0]) == &TypeKind::Ctl(table.alternatives);
        self.demand(ctl, "the output is a predicate with the table's number of alternatives");
        let named = table.cases.iter().map(|&(_, alternative)| alternative).chain([table.default]);
        if let Some(wrong) = { named }.find(|&alternative| alternative >= table.alternatives) {
            let message = format!("alternative {wrong} is not one of {}", table.alternatives);
            self.flaw(Invariant::MatchTable, message);
        }
        let mut values: Vec<Const> = table.cases.iter().map(|&(value, _)| value).collect();
        let integers = values
            .iter()
            .all(|&value| matches!(self.pool.constant(value), Constant::Int { ty: case, .. } if *case == ty));
        if !integers {
            self.flaw(Invariant::MatchTable, "cases are integers of the operand's type");
        }
        values.sort_unstable();
        if values.windows(2).any(|pair| pair[0] == pair[1]) {
            self.flaw(Invariant::MatchTable, "cases are distinct");
        }
    }

    fn ext(&mut self, ext: &ExtOp) {
        if self.inputs != &*ext.inputs || self.outputs != &*ext.outputs {
            self.types_flaw("inputs and outputs are those of the declared signature");
        }
        let states = ext.inputs.iter().chain(&ext.outputs).any(|ty| ty.is_state());
        self.payload(!states, "states are declared as effects");
        let exchangeable = !ext.commutative || ext.inputs.len() >= 2 && ext.inputs[0] == ext.inputs[1];
        self.payload(exchangeable, "a commutative operation has two inputs of one type");
        let pure = !ext.speculatable || ext.effects == Effects::NONE;
        self.payload(pure, "a speculatable operation has no effects");
    }

    /// The constant of a constant's node: its form, type and holes.
    fn constant_node(&mut self, constant: Const, facts: &mut ConstFacts<'_>) {
        let ty = self.pool.constant(constant).ty();
        if self.outputs.len() == 1 && self.outputs[0] != ty {
            let message =
                format!("the constant's type is {} but the output's {}", self.text(ty), self.text(self.outputs[0]));
            self.flaw(Invariant::Constants, message);
        }
        for message in facts.flaws(constant, self.types) {
            self.flaw(Invariant::Constants, message);
        }
        let holes = facts.holes(constant);
        let count = holes.last().map_or(0, |&(index, _)| index as usize + 1);
        if self.inputs.len() != count {
            let message = format!("the constant has {count} holes but {} inputs fill them", self.inputs.len());
            return self.flaw(Invariant::Arity, message);
        }
        if holes.iter().any(|&(index, ty)| self.inputs[index as usize] != ty) {
            self.flaw(Invariant::Constants, "an input differs in type from the hole it fills");
        }
    }
}

/// Whether vectors of pointers, which have no known width, have equally many lanes.
fn shapes_of_equal_length(from: Option<(u32, bool)>, to: Option<(u32, bool)>) -> bool {
    from.unwrap_or((1, false)) == to.unwrap_or((1, false))
}
