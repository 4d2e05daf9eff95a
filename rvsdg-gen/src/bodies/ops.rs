//! One rule per operation of the table: the operands it needs, and the payloads it may have.

use rvsdg_core::op::{
    BinaryFlags, CastOp, Effects, ExtOp, FastMath, FloatBinary, FloatPredicate, Funclet, GepFlags, IntBinary,
    IntPredicate, OpCode,
};
use rvsdg_core::{Op, Origin, Type, TypeKind};

use super::{Maker, Scope};
use crate::universe::Class;

impl Maker<'_, '_> {
    /// Adds one operation and what it needs.
    pub(crate) fn operation(&mut self, scope: &mut Scope, code: OpCode) {
        match code {
            OpCode::Const => self.const_node(scope),
            OpCode::CtlConst => {
                let of = 2 + self.entropy.below(3) as u32;
                let value = self.entropy.below(of as usize) as u32;
                self.pure(scope, Op::CtlConst { value, of }, &[], self.pool.ctl(of));
            }
            OpCode::Match => {
                let alternatives = 2 + self.entropy.below(3) as u32;
                self.match_(scope, alternatives);
            }
            OpCode::Add => self.arithmetic(scope, IntBinary::Add),
            OpCode::Sub => self.arithmetic(scope, IntBinary::Sub),
            OpCode::Mul => self.arithmetic(scope, IntBinary::Mul),
            OpCode::UDiv => self.division(scope, IntBinary::UDiv),
            OpCode::SDiv => self.division(scope, IntBinary::SDiv),
            OpCode::URem => self.division(scope, IntBinary::URem),
            OpCode::SRem => self.division(scope, IntBinary::SRem),
            OpCode::Shl => self.shift(scope, IntBinary::Shl),
            OpCode::LShr => self.shift(scope, IntBinary::LShr),
            OpCode::AShr => self.shift(scope, IntBinary::AShr),
            OpCode::And => self.arithmetic(scope, IntBinary::And),
            OpCode::Or => self.arithmetic(scope, IntBinary::Or),
            OpCode::Xor => self.arithmetic(scope, IntBinary::Xor),
            OpCode::FAdd => self.float_arithmetic(scope, FloatBinary::FAdd),
            OpCode::FSub => self.float_arithmetic(scope, FloatBinary::FSub),
            OpCode::FMul => self.float_arithmetic(scope, FloatBinary::FMul),
            OpCode::FDiv => self.float_arithmetic(scope, FloatBinary::FDiv),
            OpCode::FRem => self.float_arithmetic(scope, FloatBinary::FRem),
            OpCode::FNeg => {
                let value = self.any_value(scope, Class::FloatLike);
                let flags = self.fast();
                self.pure(scope, Op::FNeg(flags), &[value], self.ty(value));
            }
            OpCode::ICmp => {
                let class =
                    if self.weights.defined || self.entropy.chance(3, 4) { Class::IntLike } else { Class::PtrLike };
                let lhs = self.any_value(scope, class);
                let rhs = self.value(scope, self.ty(lhs));
                let predicate = self.entropy.pick(IntPredicate::ALL);
                let same_sign = self.has_flags();
                let ty = self.bits_of(self.ty(lhs));
                self.pure(scope, Op::ICmp { predicate, same_sign }, &[lhs, rhs], ty);
            }
            OpCode::FCmp => {
                let lhs = self.any_value(scope, Class::FloatLike);
                let rhs = self.value(scope, self.ty(lhs));
                let (predicate, flags) = (self.entropy.pick(FloatPredicate::ALL), self.fast());
                let ty = self.bits_of(self.ty(lhs));
                self.pure(scope, Op::FCmp { predicate, flags }, &[lhs, rhs], ty);
            }
            OpCode::Trunc => self.cast(scope, CastOp::Trunc),
            OpCode::ZExt => self.cast(scope, CastOp::ZExt),
            OpCode::SExt => self.cast(scope, CastOp::SExt),
            OpCode::FPTrunc => self.cast(scope, CastOp::FPTrunc),
            OpCode::FPExt => self.cast(scope, CastOp::FPExt),
            OpCode::FPToUI => self.cast(scope, CastOp::FPToUI),
            OpCode::FPToSI => self.cast(scope, CastOp::FPToSI),
            OpCode::UIToFP => self.cast(scope, CastOp::UIToFP),
            OpCode::SIToFP => self.cast(scope, CastOp::SIToFP),
            OpCode::PtrToInt => self.cast(scope, CastOp::PtrToInt),
            OpCode::PtrToAddr => self.cast(scope, CastOp::PtrToAddr),
            OpCode::IntToPtr => self.cast(scope, CastOp::IntToPtr),
            OpCode::BitCast => self.cast(scope, CastOp::BitCast),
            OpCode::AddrSpaceCast => self.cast(scope, CastOp::AddrSpaceCast),
            OpCode::Select => self.select(scope),
            OpCode::Freeze => {
                let value = self.any_value(scope, Class::Any);
                self.pure(scope, Op::Freeze, &[value], self.ty(value));
            }
            OpCode::ExtractElement => {
                let (vector, element, len) = self.vector(scope);
                let index = self.lane(scope, len);
                self.pure(scope, Op::ExtractElement, &[vector, index], element);
            }
            OpCode::InsertElement => {
                let (vector, element, len) = self.vector(scope);
                let value = self.value(scope, element);
                let index = self.lane(scope, len);
                self.pure(scope, Op::InsertElement, &[vector, value, index], self.ty(vector));
            }
            OpCode::ShuffleVector => self.shuffle(scope),
            OpCode::ExtractValue => {
                let aggregate = self.any_value(scope, Class::Aggregate);
                let (indices, ty) = self.part(self.ty(aggregate));
                let op = Op::ExtractValue(self.pool.intern_indices(&indices));
                self.pure(scope, op, &[aggregate], ty);
            }
            OpCode::InsertValue => {
                let aggregate = self.any_value(scope, Class::Aggregate);
                let (indices, ty) = self.part(self.ty(aggregate));
                let value = self.value(scope, ty);
                let op = Op::InsertValue(self.pool.intern_indices(&indices));
                self.pure(scope, op, &[aggregate, value], self.ty(aggregate));
            }
            OpCode::Gep => self.gep(scope),
            OpCode::Alloca => self.alloca(scope),
            OpCode::Load => self.load(scope),
            OpCode::Store => self.store(scope),
            OpCode::CmpXchg => self.cmpxchg(scope),
            OpCode::AtomicRmw => self.rmw(scope),
            OpCode::Fence => self.fence(scope),
            OpCode::Call => self.call(scope),
            OpCode::Invoke => self.invoke(scope),
            OpCode::CallBr => self.callbr(scope),
            OpCode::IndirectBr => {
                let address = self.any_value(scope, Class::Ptr);
                let blocks: Vec<u32> = (0..1 + self.entropy.below(3) as u32).map(|block| 2 * block + 1).collect();
                let op = Op::IndirectBr(self.pool.intern_indices(&blocks));
                self.pure(scope, op, &[address], self.pool.ctl(blocks.len() as u32));
            }
            OpCode::Resume => {
                let exception = self.any_value(scope, Class::Aggregate);
                self.effect(scope, Op::Resume, &[exception], &[]);
            }
            OpCode::CatchSwitch => self.catch_switch(scope),
            OpCode::CatchPad => self.pad(scope, Funclet::CatchPad),
            OpCode::CleanupPad => self.pad(scope, Funclet::CleanupPad),
            OpCode::CatchRet => self.leave_funclet(scope, Funclet::CatchRet),
            OpCode::CleanupRet => {
                let to_caller = self.entropy.chance(1, 2);
                self.leave_funclet(scope, Funclet::CleanupRet { to_caller });
            }
            OpCode::VaArg => {
                let list = self.any_value(scope, Class::Ptr);
                let ty = self.any_type(Class::Any);
                self.effect(scope, Op::VaArg, &[list], &[ty]);
            }
            OpCode::Unreachable => {
                self.effect(scope, Op::Unreachable, &[], &[]);
            }
            OpCode::Ext => self.ext(scope),
        }
    }

    /// Some of the flags that are allowed.
    pub(crate) fn binary_flags(&mut self, allowed: BinaryFlags) -> BinaryFlags {
        if !self.has_flags() {
            return BinaryFlags::NONE;
        }
        BinaryFlags::from_bits(self.entropy.bits(4) as u8) & allowed
    }

    /// Fast-math flags; of those that do not change what is computed where runs are compared.
    pub(crate) fn fast(&mut self) -> FastMath {
        if !self.has_flags() {
            return FastMath::NONE;
        }
        let flags = FastMath::from_bits(self.entropy.bits(7) as u8);
        if self.weights.defined { flags & (FastMath::NNAN | FastMath::NINF) } else { flags }
    }

    fn arithmetic(&mut self, scope: &mut Scope, op: IntBinary) {
        let lhs = self.any_value(scope, Class::IntLike);
        let rhs = self.value(scope, self.ty(lhs));
        let allowed = match op {
            IntBinary::Add | IntBinary::Sub | IntBinary::Mul => BinaryFlags::NUW | BinaryFlags::NSW,
            IntBinary::Or => BinaryFlags::DISJOINT,
            _ => BinaryFlags::NONE,
        };
        let flags = self.binary_flags(allowed);
        self.pure(scope, Op::IntBinary { op, flags }, &[lhs, rhs], self.ty(lhs));
        // The same with other promises.
        if allowed != BinaryFlags::NONE && self.entropy.chance(self.weights.flags.min(12), 100) {
            let flags = self.binary_flags(allowed);
            self.pure(scope, Op::IntBinary { op, flags }, &[lhs, rhs], self.ty(lhs));
        }
    }

    fn division(&mut self, scope: &mut Scope, op: IntBinary) {
        let class = if self.weights.defined { Class::SmallInt } else { Class::IntLike };
        let lhs = self.any_value(scope, class);
        let mut rhs = self.value(scope, self.ty(lhs));
        let ty = self.ty(lhs);
        let signed = matches!(op, IntBinary::SDiv | IntBinary::SRem);
        if self.weights.defined {
            if ty == Type::I1 && signed {
                return;
            }
            // Not 0, and not -1 where the quotient would overflow.
            let one = self.int(scope, ty, 1);
            if signed {
                rhs = self.int_binary(scope, IntBinary::LShr, rhs, one);
            }
            rhs = self.int_binary(scope, IntBinary::Or, rhs, one);
        }
        let allowed = match op {
            IntBinary::UDiv | IntBinary::SDiv => BinaryFlags::EXACT,
            _ => BinaryFlags::NONE,
        };
        let flags = self.binary_flags(allowed);
        let op = Op::IntBinary { op, flags };
        if self.entropy.chance(1, 2) {
            let node = self.graph.add_simple(scope.region, op, &[lhs, rhs, scope.io], &[ty, Type::IO]);
            scope.values.push(self.graph.output(node, 0));
            scope.io = self.graph.output(node, 1);
        } else {
            self.pure(scope, op, &[lhs, rhs], ty);
        }
    }

    fn shift(&mut self, scope: &mut Scope, op: IntBinary) {
        let lhs = self.any_value(scope, if self.weights.defined { Class::SmallInt } else { Class::IntLike });
        let ty = self.ty(lhs);
        let rhs = match *self.pool.type_kind(ty) {
            // Amounts at random are nearly always too large.
            TypeKind::Int(bits @ ..=64) if self.weights.flags == 0 || self.entropy.chance(3, 4) => {
                let amount = self.entropy.below(bits as usize) as u64;
                if bits.is_power_of_two() && self.entropy.chance(1, 2) {
                    let amount = self.value(scope, ty);
                    let mask = self.int(scope, ty, u64::from(bits) - 1);
                    self.int_binary(scope, IntBinary::And, amount, mask)
                } else {
                    self.int(scope, ty, amount)
                }
            }
            _ => self.value(scope, ty),
        };
        let allowed = match op {
            IntBinary::Shl => BinaryFlags::NUW | BinaryFlags::NSW,
            _ => BinaryFlags::EXACT,
        };
        let flags = self.binary_flags(allowed);
        self.pure(scope, Op::IntBinary { op, flags }, &[lhs, rhs], ty);
    }

    fn float_arithmetic(&mut self, scope: &mut Scope, op: FloatBinary) {
        let lhs = self.any_value(scope, Class::FloatLike);
        let rhs = self.value(scope, self.ty(lhs));
        let flags = self.fast();
        self.pure(scope, Op::FloatBinary { op, flags }, &[lhs, rhs], self.ty(lhs));
    }

    /// `i1`, or a vector of as many as `ty` has lanes.
    pub(crate) fn bits_of(&self, ty: Type) -> Type {
        self.with_lane(ty, Type::I1)
    }

    /// A type of the shape of `ty` with another lane.
    pub(crate) fn with_lane(&self, ty: Type, lane: Type) -> Type {
        match *self.pool.type_kind(ty) {
            TypeKind::Vector { len, scalable, .. } => {
                self.pool.intern_type(TypeKind::Vector { element: lane, len, scalable })
            }
            _ => lane,
        }
    }

    fn select(&mut self, scope: &mut Scope) {
        let then = self.any_value(scope, Class::Any);
        let otherwise = self.value(scope, self.ty(then));
        let ty = self.ty(then);
        let lanewise = self.is(ty, Class::Vector) && self.entropy.chance(1, 2);
        let bit = if lanewise { self.bits_of(ty) } else { Type::I1 };
        let condition = self.value(scope, bit);
        let fast = if self.is(ty, Class::FloatLike) { self.fast() } else { FastMath::NONE };
        let output = self.pure(scope, Op::Select(fast), &[condition, then, otherwise], ty);
        if self.what(then) == self.what(otherwise) {
            self.know(output, self.what(then));
        }
    }

    fn vector(&mut self, scope: &mut Scope) -> (Origin, Type, u32) {
        let vector = self.any_value(scope, Class::Vector);
        let TypeKind::Vector { element, len, .. } = *self.pool.type_kind(self.ty(vector)) else {
            unreachable!("vectors were asked for")
        };
        (vector, element, len)
    }

    /// The index of a lane, nearly always of one there is.
    fn lane(&mut self, scope: &mut Scope, len: u32) -> Origin {
        if !self.weights.defined && self.entropy.chance(1, 4) {
            return self.any_value(scope, Class::Int);
        }
        let lane = self.entropy.below(len as usize) as u64;
        self.int(scope, Type::I32, lane)
    }

    fn shuffle(&mut self, scope: &mut Scope) {
        let (first, element, len) = self.vector(scope);
        let second = self.value(scope, self.ty(first));
        let TypeKind::Vector { scalable, .. } = *self.pool.type_kind(self.ty(first)) else { return };
        let poison = self.weights.poison > 0 || self.weights.flags > 0;
        let mask: Vec<u32> = if scalable {
            vec![self.entropy.pick(&[0, u32::MAX]); len as usize]
        } else {
            let count = self.entropy.pick(&[len, len, 1, 2, 4]);
            let lane = |maker: &mut Self| match maker.entropy.chance(1, 8) && poison {
                true => u32::MAX,
                false => maker.entropy.below(2 * len as usize) as u32,
            };
            (0..count).map(|_| lane(self)).collect()
        };
        let ty = self.pool.intern_type(TypeKind::Vector { element, len: mask.len() as u32, scalable });
        let op = Op::ShuffleVector(self.pool.intern_indices(&mask));
        self.pure(scope, op, &[first, second], ty);
    }

    /// Indices that lead to a part of an aggregate, and its type.
    fn part(&mut self, mut ty: Type) -> (Vec<u32>, Type) {
        let mut indices = Vec::new();
        loop {
            let (count, elements) = match self.pool.type_kind(ty) {
                TypeKind::Array { element, len } => (*len as usize, std::slice::from_ref(element)),
                TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
                    (elements.len(), &elements[..])
                }
                _ => (0, &[][..]),
            };
            if count == 0 || !indices.is_empty() && self.entropy.chance(1, 3) {
                return (indices, ty);
            }
            let index = self.entropy.below(count);
            indices.push(index as u32);
            // One type stands for all elements of an array.
            ty = elements[index.min(elements.len() - 1)];
        }
    }

    fn gep(&mut self, scope: &mut Scope) {
        if self.weights.defined {
            return self.defined_gep(scope);
        }
        let base = self.any_value(scope, Class::PtrLike);
        let source = self.any_type(Class::Any);
        let shaped = self.ty(base);
        let mut inputs = vec![base];
        if self.entropy.chance(7, 8) {
            inputs.push(self.any_value(scope, Class::Int));
            let mut ty = source;
            while self.entropy.chance(3, 4) {
                let (field, next) = match self.pool.type_kind(ty) {
                    TypeKind::Array { element, .. } => (None, *element),
                    TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
                        if elements.is_empty() {
                            break;
                        }
                        let field = self.entropy.below(elements.len());
                        (Some(field as u64), elements[field])
                    }
                    _ => break,
                };
                inputs.push(match field {
                    Some(field) => self.int(scope, Type::I32, field),
                    None => self.any_value(scope, Class::Int),
                });
                ty = next;
            }
        }
        let flags = match self.has_flags() {
            true => GepFlags::from_bits(self.entropy.bits(3) as u8),
            false => GepFlags::NONE,
        };
        // What stays within an object cannot wrap either.
        let flags = if flags.contains(GepFlags::INBOUNDS) { flags | GepFlags::NUSW } else { flags };
        self.pure(scope, Op::Gep { source, flags }, &inputs, shaped);
    }

    fn ext(&mut self, scope: &mut Scope) {
        let inputs: Vec<Origin> = (0..self.entropy.below(4)).map(|_| self.any_value(scope, Class::Any)).collect();
        let outputs: Vec<Type> = (0..self.entropy.below(3)).map(|_| self.any_type(Class::Any)).collect();
        let effects = self.entropy.pick(&[Effects::NONE, Effects::MEM, Effects::IO, Effects::ALL]);
        let types: Box<[Type]> = inputs.iter().map(|&input| self.ty(input)).collect();
        let same = types.len() >= 2 && types[0] == types[1];
        let op = Op::Ext(self.pool.intern_ext(ExtOp {
            name: "gen.any".into(),
            inputs: types,
            outputs: outputs.clone().into(),
            effects,
            speculatable: effects == Effects::NONE && self.entropy.chance(1, 2),
            commutative: same && self.entropy.chance(1, 2),
        }));
        self.effect(scope, op, &inputs, &outputs);
    }
}
