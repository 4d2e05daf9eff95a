//! Arithmetic, comparisons, conversions and memory, with the types that follow.

use rvsdg_core::fold::{self, Int};
use rvsdg_core::op::{
    BinaryFlags, CastFlags, CastOp, FastMath, FloatBinary, FloatPredicate, GepFlags, IntBinary, IntPredicate,
    MemAccess, Op,
};
use rvsdg_core::{Type, TypeKind};

use crate::function::{Def, FunctionBuilder, Value};

/// Methods that are one operation without flags.
macro_rules! binary {
    ($($method:ident $variant:ident $meaning:literal;)*) => {
        $(#[doc = $meaning]
        #[track_caller]
        pub fn $method(&mut self, a: Value, b: Value) -> Value {
            self.binary(IntBinary::$variant, BinaryFlags::NONE, a, b)
        })*
    };
}

macro_rules! float_binary {
    ($($method:ident $variant:ident $meaning:literal;)*) => {
        $(#[doc = $meaning]
        #[track_caller]
        pub fn $method(&mut self, a: Value, b: Value) -> Value {
            self.float_binary(FloatBinary::$variant, FastMath::NONE, a, b)
        })*
    };
}

macro_rules! relation {
    ($($method:ident $predicate:ident $meaning:literal;)*) => {
        $(#[doc = $meaning]
        #[track_caller]
        pub fn $method(&mut self, a: Value, b: Value) -> Value {
            self.icmp(IntPredicate::$predicate, a, b)
        })*
    };
}

impl FunctionBuilder {
    binary! {
        add Add "The sum of integers, or of vectors of such; wraps.";
        sub Sub "The difference of integers, or of vectors of such; wraps.";
        mul Mul "The product of integers, or of vectors of such; wraps.";
        sdiv SDiv "The signed quotient; undefined for a zero divisor and on overflow.";
        udiv UDiv "The unsigned quotient; undefined for a zero divisor.";
        srem SRem "The signed remainder; undefined for a zero divisor and on overflow.";
        urem URem "The unsigned remainder; undefined for a zero divisor.";
        and And "Bitwise and.";
        or Or "Bitwise or.";
        xor Xor "Bitwise exclusive or.";
        shl Shl "Shift left; poison when the amount is not less than the width.";
        lshr LShr "Shift right with zeros; poison when the amount is not less than the width.";
        ashr AShr "Shift right with the sign; poison when the amount is not less than the width.";
    }

    float_binary! {
        fadd FAdd "The sum of floats, or of vectors of such.";
        fsub FSub "The difference of floats, or of vectors of such.";
        fmul FMul "The product of floats, or of vectors of such.";
        fdiv FDiv "The quotient of floats, or of vectors of such.";
        frem FRem "The remainder of floats with the dividend's sign.";
    }

    relation! {
        eq Eq "Whether integers or pointers are equal.";
        ne Ne "Whether integers or pointers are not equal.";
        slt Slt "Whether the first is less, with signs.";
        sle Sle "Whether the first is less or equal, with signs.";
        sgt Sgt "Whether the first is greater, with signs.";
        sge Sge "Whether the first is greater or equal, with signs.";
        ult Ult "Whether the first is less, without signs.";
        ule Ule "Whether the first is less or equal, without signs.";
        ugt Ugt "Whether the first is greater, without signs.";
        uge Uge "Whether the first is greater or equal, without signs.";
    }

    /// An operation on integers, or vectors of integers, with its flags.
    ///
    /// ```
    /// # use rvsdg_build::ModuleBuilder;
    /// # use rvsdg_core::Type;
    /// use rvsdg_core::op::{BinaryFlags, IntBinary};
    /// # let mut module = ModuleBuilder::new("twice.c");
    /// # let twice = module.function("twice", &[Type::I32], Type::I32);
    /// # let mut f = module.body(twice);
    /// // In C the sum of ints does not overflow.
    /// let sum = f.binary(IntBinary::Add, BinaryFlags::NSW, f.param(0), f.param(0));
    /// # f.return_(sum);
    /// # module.define(f)?;
    /// # Ok::<(), rvsdg_build::BuildError>(())
    /// ```
    #[track_caller]
    pub fn binary(&mut self, op: IntBinary, flags: BinaryFlags, a: Value, b: Value) -> Value {
        let op = Op::IntBinary { op, flags };
        if !self.agree(op, a, b, |kind| matches!(kind, TypeKind::Int(_)), "integers") {
            return self.any_of(a);
        }
        let ty = self.ty(a);
        let value = self.op1(op, &[a, b], ty);
        if op.may_carry_io() && self.may_trap(op, b) {
            self.guard();
        }
        value
    }

    /// An operation on floats, or vectors of floats, with its fast-math flags.
    #[track_caller]
    pub fn float_binary(&mut self, op: FloatBinary, flags: FastMath, a: Value, b: Value) -> Value {
        let op = Op::FloatBinary { op, flags };
        if !self.agree(op, a, b, TypeKind::is_float, "floats") {
            return self.any_of(a);
        }
        let ty = self.ty(a);
        self.op1(op, &[a, b], ty)
    }

    /// The negation of an integer; wraps.
    #[track_caller]
    pub fn neg(&mut self, a: Value) -> Value {
        let ty = self.ty(a);
        let zero = self.int(ty, 0);
        self.sub(zero, a)
    }

    /// An integer with each bit inverted; of a truth value, whether it does not hold.
    #[track_caller]
    pub fn not(&mut self, a: Value) -> Value {
        let ty = self.ty(a);
        let ones = self.int(ty, -1);
        self.xor(a, ones)
    }

    /// A float with its sign inverted.
    #[track_caller]
    pub fn fneg(&mut self, a: Value) -> Value {
        let op = Op::FNeg(FastMath::NONE);
        if !self.agree(op, a, a, TypeKind::is_float, "floats") {
            return self.any_of(a);
        }
        let ty = self.ty(a);
        self.op1(op, &[a], ty)
    }

    /// A comparison of integers or pointers, or of vectors of them: a truth value, or a vector of truth values.
    #[track_caller]
    pub fn icmp(&mut self, predicate: IntPredicate, a: Value, b: Value) -> Value {
        let op = Op::ICmp { predicate, same_sign: false };
        self.compare(op, a, b, |kind| matches!(kind, TypeKind::Int(_) | TypeKind::Ptr(_)), "integers or pointers")
    }

    /// A relation of floats, or of vectors of such: a truth value, or a vector of such.
    #[track_caller]
    pub fn fcmp(&mut self, predicate: FloatPredicate, a: Value, b: Value) -> Value {
        self.compare(Op::FCmp { predicate, flags: FastMath::NONE }, a, b, TypeKind::is_float, "floats")
    }

    /// The first of two values where a truth value holds, else the second.
    #[track_caller]
    pub fn select(&mut self, condition: Value, then: Value, otherwise: Value) -> Value {
        let [found, ty, other] = [condition, then, otherwise].map(|value| self.ty(value));
        if found != Type::I1 || ty != other {
            let [found, ty, other] = [found, ty, other].map(|ty| self.show(ty));
            self.fail(&format!("select by {found} of {ty} and {other}"), "i1 and values of one type");
            return self.any_of(then);
        }
        self.op1(Op::Select(FastMath::NONE), &[condition, then, otherwise], ty)
    }

    /// A conversion; the value itself where it has the type and the conversion is one that could be none.
    #[track_caller]
    pub fn cast(&mut self, op: CastOp, a: Value, ty: Type) -> Value {
        if self.ty(a) == ty {
            return a;
        }
        self.op1(Op::Cast { op, flags: CastFlags::default() }, &[a], ty)
    }

    /// The low bits of an integer.
    #[track_caller]
    pub fn trunc(&mut self, a: Value, ty: Type) -> Value {
        self.cast(CastOp::Trunc, a, ty)
    }

    /// An integer widened with zeros.
    #[track_caller]
    pub fn zext(&mut self, a: Value, ty: Type) -> Value {
        self.cast(CastOp::ZExt, a, ty)
    }

    /// An integer widened with its sign.
    #[track_caller]
    pub fn sext(&mut self, a: Value, ty: Type) -> Value {
        self.cast(CastOp::SExt, a, ty)
    }

    /// The address of new memory for a value of a type, with the lifetime of the function's call: allocated once, wherever this is
    /// called.
    #[track_caller]
    pub fn slot(&mut self, ty: Type) -> Value {
        let Some(layout) = self.layout(ty) else { return self.poison(Type::PTR) };
        let space = self.layouts.data().alloca_space();
        let address = self.pool.intern_type(TypeKind::Ptr(space));
        let count = self.int(Type::I32, 1);
        let align_log2 = layout.preferred_align.max(layout.align).trailing_zeros() as u8;
        let at = self.at.take();
        let op = Op::Alloca { ty, align_log2, in_alloca: false, swift_error: false };
        let slot = self.op1(op, &[count], address);
        self.at = at;
        self.slots.push(self.insts.len() as u32 - 1);
        slot
    }

    /// The address of new memory for an array with this many elements, as [`slot`](Self::slot).
    #[track_caller]
    pub fn array_slot(&mut self, element: Type, len: u64) -> Value {
        let ty = self.pool.intern_type(TypeKind::Array { len, element });
        self.slot(ty)
    }

    /// The value of a type in memory, aligned as the type is.
    #[track_caller]
    pub fn load(&mut self, ty: Type, address: Value) -> Value {
        let access = self.access(ty);
        self.load_with(access, ty, address)
    }

    /// The value of a type in memory, with its alignment, volatility and atomicity.
    #[track_caller]
    pub fn load_with(&mut self, access: MemAccess, ty: Type, address: Value) -> Value {
        self.pointer("load", address);
        self.op1(Op::Load(access), &[address], ty)
    }

    /// Puts a value into memory, aligned as its type is.
    #[track_caller]
    pub fn store(&mut self, value: Value, address: Value) {
        let ty = self.ty(value);
        let access = self.access(ty);
        self.store_with(access, value, address);
    }

    /// Puts a value into memory, with its alignment, volatility and atomicity.
    #[track_caller]
    pub fn store_with(&mut self, access: MemAccess, value: Value, address: Value) {
        self.pointer("store", address);
        self.op(Op::Store(access), &[value, address], &[]);
    }

    /// The address of an element of an array of elements of a type. It is in the array, or just after it.
    #[track_caller]
    pub fn element(&mut self, ty: Type, array: Value, index: Value) -> Value {
        self.pointer("element", array);
        let kind = self.ty(index);
        if !matches!(self.pool.type_kind(kind), TypeKind::Int(_)) {
            let found = self.show(kind);
            self.fail(&format!("element with an index of type {found}"), "an integer");
        }
        let address = self.ty(array);
        self.op1(Op::Gep { source: ty, flags: GepFlags::INBOUNDS | GepFlags::NUSW }, &[array, index], address)
    }

    /// The address of a field of a structure of a type.
    #[track_caller]
    pub fn field(&mut self, ty: Type, structure: Value, number: u32) -> Value {
        self.pointer("field", structure);
        let fields = match self.pool.type_kind(ty) {
            TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => elements.len(),
            _ => 0,
        };
        if number as usize >= fields {
            let found = self.show(ty);
            self.fail(&format!("field {number} of {found}"), "a field of the structure");
            return structure;
        }
        let (zero, number) = (self.int(Type::I32, 0), self.int(Type::I32, number.into()));
        let address = self.ty(structure);
        let op = Op::Gep { source: ty, flags: GepFlags::INBOUNDS | GepFlags::NUSW | GepFlags::NUW };
        self.op1(op, &[structure, zero, number], address)
    }

    #[track_caller]
    fn access(&mut self, ty: Type) -> MemAccess {
        let layout = self.layout(ty);
        MemAccess::plain(layout.map_or(0, |layout| layout.align.trailing_zeros() as u8))
    }

    #[track_caller]
    fn pointer(&mut self, what: &str, address: Value) {
        let ty = self.ty(address);
        if !matches!(self.pool.type_kind(ty), TypeKind::Ptr(_)) {
            let found = self.show(ty);
            self.fail(&format!("{what} with an address of type {found}"), "a pointer");
        }
    }

    /// The type of a vector's lanes, or the type itself.
    fn scalar(&self, ty: Type) -> &TypeKind {
        match self.pool.type_kind(ty) {
            TypeKind::Vector { element, .. } => self.pool.type_kind(*element),
            kind => kind,
        }
    }

    /// Whether two operands are of one type that the operation is on.
    #[track_caller]
    fn agree(&mut self, op: Op, a: Value, b: Value, is_right: impl Fn(&TypeKind) -> bool, expected: &str) -> bool {
        let (left, right) = (self.ty(a), self.ty(b));
        let is_right = is_right(self.scalar(left));
        if left == right && is_right {
            return true;
        }
        let mnemonic = op.code().info().mnemonic;
        let (left, right) = (self.show(left), self.show(right));
        let expected = if is_right { "operands of one type" } else { expected };
        self.fail(&format!("{mnemonic} of {left} and {right}"), expected);
        false
    }

    #[track_caller]
    fn compare(&mut self, op: Op, a: Value, b: Value, is_right: impl Fn(&TypeKind) -> bool, expected: &str) -> Value {
        if !self.agree(op, a, b, is_right, expected) {
            return self.poison(Type::I1);
        }
        let ty = match *self.pool.type_kind(self.ty(a)) {
            TypeKind::Vector { len, scalable, .. } => {
                self.pool.intern_type(TypeKind::Vector { element: Type::I1, len, scalable })
            }
            _ => Type::I1,
        };
        self.op1(op, &[a, b], ty)
    }

    /// A placeholder for the result of an invalid operation.
    #[track_caller]
    fn any_of(&mut self, a: Value) -> Value {
        match self.ty(a) {
            Type::VOID => self.poison(Type::I1),
            ty => self.poison(ty),
        }
    }

    /// Whether a division may trap, given what is known of the divisor.
    fn may_trap(&self, op: Op, divisor: Value) -> bool {
        let Def::Const(constant) = self.values[divisor.index as usize].def else { return true };
        let signed = matches!(op, Op::IntBinary { op: IntBinary::SDiv | IntBinary::SRem, .. });
        fold::splat_int(&self.pool, constant)
            .is_none_or(|divisor: Int| divisor.is_zero() || signed && divisor.is_ones())
    }
}
