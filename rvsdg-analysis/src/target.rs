//! Target information for a function: the width of its vector registers and the cost of vector operations, from the module's target
//! triple and the function attributes `target-cpu` and `target-features`.
//!
//! Costs are reciprocal throughputs in units of a simple operation on one register, after the tables of LLVM's TargetTransformInfo for
//! generic processors of the kind. Operations that are not in the table cost as much as their lanes one by one.

use rvsdg_core::attribute::AttributeKind;
use rvsdg_core::fold::Intrinsic;
use rvsdg_core::op::{CastOp, FloatBinary, IntBinary, Op};
use rvsdg_core::{Pool, Type, TypeKind};

use crate::surroundings::Surroundings;

/// The vector unit of a target.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Target {
    kind: Kind,
    /// The width of the vector registers to use, in bits.
    pub register_bits: u32,
    /// How many vector registers there are.
    pub registers: u32,
    /// The maximum useful number of copies of a loop's operations (interleaving).
    pub max_interleave: u32,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Kind {
    X86 {
        /// Multiplication of 32-bit integers, extension of narrow ones, minima and maxima, rounding.
        sse41: bool,
        /// Comparison of 64-bit integers.
        sse42: bool,
        /// 256-bit vectors of integers, shifts by different amounts.
        avx2: bool,
    },
    AArch64,
}

/// Why a target is unknown.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum UnknownTarget {
    /// The module has no target triple.
    NoTriple,
    /// The architecture is not in the table.
    Architecture,
    /// The function must not use vector or floating-point registers, or its target has none.
    NoVectors,
}

impl Target {
    /// The target of a body.
    ///
    /// # Errors
    /// Why it is unknown.
    pub fn of(pool: &Pool, surroundings: Option<&Surroundings>) -> Result<Target, UnknownTarget> {
        let surroundings = surroundings.ok_or(UnknownTarget::NoTriple)?;
        let own = surroundings.attributes().map(|attributes| pool.attributes(attributes));
        let value = |key| own.and_then(|list| list.value(key));
        let has_no_vectors = own.is_some_and(|list| list.function_has(AttributeKind::NoImplicitFloat));
        if has_no_vectors || value("use-soft-float") == Some("true") {
            return Err(UnknownTarget::NoVectors);
        }
        Target::new(
            surroundings.triple(),
            value("target-cpu").unwrap_or_default(),
            value("target-features").unwrap_or_default(),
        )
    }

    /// The target of a triple, a processor and features as `target-features` lists them: `+avx,-avx512f`.
    ///
    /// # Errors
    /// Why it is unknown.
    pub fn new(triple: &str, cpu: &str, features: &str) -> Result<Target, UnknownTarget> {
        let has = |name: &str| {
            let last = features.split(',').rev().find_map(|feature| {
                let sign = feature.strip_suffix(name)?;
                matches!(sign, "+" | "-").then_some(sign == "+")
            });
            last.unwrap_or(false)
        };
        let is_off = |name: &str| features.split(',').rev().any(|feature| feature.strip_prefix('-') == Some(name));
        match triple.split('-').next().unwrap_or_default() {
            "" => Err(UnknownTarget::NoTriple),
            "x86_64" | "amd64" => {
                if is_off("sse2") {
                    return Err(UnknownTarget::NoVectors);
                }
                // Compilers spell out further properties of a processor in the features.
                let level = match cpu {
                    "x86-64-v2" => 2,
                    "x86-64-v3" => 3,
                    "x86-64-v4" => 4,
                    _ => 1,
                };
                let with = |name: &str, least: u32| !is_off(name) && (has(name) || level >= least);
                let avx = with("avx", 3);
                let avx2 = avx && with("avx2", 3);
                // 512-bit vectors slow many processors down; LLVM prefers 256 bits too.
                let register_bits = if avx { 256 } else { 128 };
                let sse42 = avx || with("sse4.2", 2);
                Ok(Target {
                    kind: Kind::X86 { sse41: sse42 || with("sse4.1", 2), sse42, avx2 },
                    register_bits,
                    registers: 16,
                    max_interleave: if avx { 4 } else { 2 },
                })
            }
            "aarch64" | "arm64" => {
                if is_off("neon") {
                    return Err(UnknownTarget::NoVectors);
                }
                Ok(Target { kind: Kind::AArch64, register_bits: 128, registers: 32, max_interleave: 4 })
            }
            _ => Err(UnknownTarget::Architecture),
        }
    }

    /// How many registers `lanes` lanes of a width take.
    pub fn registers_for(&self, lanes: u32, bits: u32) -> u32 {
        (lanes * bits.max(8)).div_ceil(self.register_bits).max(1)
    }

    /// How many registers values of a type take: AVX without AVX2 has 256-bit registers for floats only.
    fn parts(&self, lanes: u32, bits: u32, is_float: bool) -> u32 {
        let halves = match self.kind {
            Kind::X86 { avx2: false, .. } if self.register_bits == 256 && !is_float && lanes * bits > 128 => 2,
            _ => 1,
        };
        self.registers_for(lanes, bits) * halves
    }

    /// The cost of an operation whose result has this type, on `lanes` lanes. One lane is a scalar.
    ///
    /// `from` is the type of the first operand, which determines the width of comparisons and conversions.
    pub fn cost(&self, pool: &Pool, op: Op, from: Type, ty: Type, lanes: u32) -> u32 {
        let width = |ty: Type| scalar_bits(pool, ty).unwrap_or(64);
        let is_float = pool.type_kind(from).is_float() || pool.type_kind(ty).is_float();
        let widest = width(ty).max(width(from));
        let parts = self.parts(lanes, widest, is_float);
        // Extracting lanes and inserting them again.
        let one_by_one = |each: u32| lanes * (each + 2);
        if lanes == 1 {
            return match op {
                Op::FloatBinary { op: FloatBinary::FDiv, .. } => 8,
                Op::IntBinary { op: IntBinary::UDiv | IntBinary::SDiv | IntBinary::URem | IntBinary::SRem, .. } => 16,
                Op::Cast { op: CastOp::Trunc | CastOp::ZExt | CastOp::BitCast, .. } | Op::Freeze => 0,
                _ => 1,
            };
        }
        match op {
            Op::IntBinary { op, .. } => match (op, self.kind) {
                (IntBinary::Mul, Kind::X86 { sse41, .. }) => match width(ty) {
                    8 => 6 * parts,
                    16 => parts,
                    32 if sse41 => 2 * parts,
                    32 => 6 * parts,
                    _ => 8 * parts,
                },
                (IntBinary::Mul, Kind::AArch64) => {
                    if width(ty) == 64 {
                        one_by_one(1)
                    } else {
                        parts
                    }
                }
                (IntBinary::Shl | IntBinary::LShr | IntBinary::AShr, Kind::X86 { .. }) if width(ty) == 8 => 3 * parts,
                (IntBinary::AShr, Kind::X86 { .. }) if width(ty) == 64 => 4 * parts,
                (IntBinary::UDiv | IntBinary::SDiv | IntBinary::URem | IntBinary::SRem, _) => one_by_one(16),
                _ => parts,
            },
            Op::FloatBinary { op: FloatBinary::FDiv, .. } => 8 * parts,
            Op::FloatBinary { op: FloatBinary::FRem, .. } => one_by_one(20),
            Op::ICmp { .. } => match self.kind {
                Kind::X86 { sse42, .. } if width(from) == 64 && !sse42 => 8 * parts,
                Kind::X86 { .. } | Kind::AArch64 => parts,
            },
            Op::Select(_) => match self.kind {
                Kind::X86 { sse41: false, .. } => 3 * parts,
                Kind::X86 { .. } | Kind::AArch64 => parts,
            },
            Op::Cast { op, .. } => self.conversion(op, lanes, width(from), width(ty), parts),
            Op::Freeze => 0,
            _ => parts,
        }
    }

    /// The cost of converting lanes of `from` bits to lanes of `to` bits, where the wider ones take `parts` registers.
    fn conversion(&self, op: CastOp, lanes: u32, from: u32, to: u32, parts: u32) -> u32 {
        // Each doubling or halving of the width takes an instruction for each register of the wider ones.
        let doublings = from.max(8).max(to).ilog2().abs_diff(from.max(8).min(to.max(8)).ilog2());
        let one_by_one = lanes * 3;
        match (op, self.kind) {
            (CastOp::BitCast, _) => 0,
            (CastOp::ZExt | CastOp::SExt | CastOp::Trunc, Kind::X86 { sse41: true, .. }) => {
                parts * doublings.clamp(1, 2)
            }
            (CastOp::SExt, Kind::X86 { sse41: false, .. }) => parts * 2 * doublings.max(1),
            (CastOp::ZExt | CastOp::SExt | CastOp::Trunc, _) => parts * doublings.max(1),
            (CastOp::FPExt | CastOp::FPTrunc, _) => 2 * parts,
            (CastOp::SIToFP, _) if from <= 32 => parts * (1 + doublings),
            (CastOp::FPToSI, _) if to <= 32 => parts * (1 + doublings),
            (CastOp::UIToFP, _) if from < 32 => parts * (1 + doublings),
            (CastOp::FPToUI, _) if to < 32 => parts * (1 + doublings),
            (CastOp::UIToFP, Kind::X86 { .. }) if from == 32 => 6 * parts,
            (CastOp::UIToFP | CastOp::SIToFP | CastOp::FPToUI | CastOp::FPToSI, Kind::AArch64) => 2 * parts,
            _ => one_by_one,
        }
    }

    /// The cost of loading or storing consecutive lanes.
    pub fn access_cost(&self, lanes: u32, bits: u32) -> u32 {
        let registers = self.registers_for(lanes, bits);
        // Less than 32 bits cannot be loaded into a vector register at once.
        if lanes > 1 && lanes * bits < 32 { 2 * registers } else { registers }
    }

    /// The cost of loading or storing lanes one by one that are not consecutive.
    pub fn one_by_one_cost(&self, lanes: u32, bits: u32) -> u32 {
        match (self.kind, bits) {
            (_, 64) => lanes,
            (_, 32) => 2 * lanes - 1,
            // Before SSE4.1, bytes get into vectors through other registers.
            (Kind::X86 { sse41: false, .. }, 8) => 4 * lanes,
            _ => 2 * lanes,
        }
    }

    /// The cost of a shuffle of two vectors: of every other lane, of lanes taken alternately, or of others.
    pub fn shuffle_cost(&self, lanes: u32, bits: u32, is_alternating: bool) -> u32 {
        let each = match (self.kind, bits, is_alternating) {
            (Kind::X86 { sse41: false, .. }, 8, true) => 3,
            (Kind::X86 { sse41: false, .. }, 16, true) => 4,
            (Kind::X86 { sse41: false, .. }, 8, false) => 12,
            (Kind::X86 { sse41: false, .. }, 16, false) => 6,
            (Kind::X86 { .. }, 8 | 16, _) => 2,
            (_, _, true) => 1,
            (_, _, false) => 3,
        };
        each * self.registers_for(lanes, bits)
    }

    /// The cost of reversing the lanes of a vector.
    pub fn reversal_cost(&self, lanes: u32, bits: u32) -> u32 {
        let each = match (self.kind, bits) {
            // SSSE3 has arbitrary byte shuffles.
            (Kind::X86 { sse41: false, .. }, 8) => 6,
            (Kind::X86 { sse41: false, .. }, 16) => 3,
            (Kind::X86 { .. }, _) if lanes * bits > 128 => 2,
            (Kind::X86 { .. }, _) => 1,
            (Kind::AArch64, _) => 2,
        };
        each * self.registers_for(lanes, bits)
    }

    /// The cost of an intrinsic that is computed by other operations.
    pub fn intrinsic_cost(&self, intrinsic: Intrinsic, lanes: u32, bits: u32) -> u32 {
        if lanes == 1 {
            // The instruction is newer than vector registers.
            let counts = !matches!(self.kind, Kind::X86 { sse42: false, .. });
            return if intrinsic == Intrinsic::CtPop && !counts { 10 } else { 1 };
        }
        let operations = match intrinsic {
            Intrinsic::FAbs => 1,
            Intrinsic::CopySign | Intrinsic::Abs => 3,
            // Each step adds or exchanges halves.
            Intrinsic::CtPop => 10 + 2 * (bits / 8).ilog2() + u32::from(bits > 8),
            Intrinsic::BSwap => 5 * (bits / 8).ilog2(),
            _ => 2,
        };
        operations * self.registers_for(lanes, bits)
    }
}

/// The number of bits of a scalar that may be a vector lane.
pub fn scalar_bits(pool: &Pool, ty: Type) -> Option<u32> {
    match *pool.type_kind(ty) {
        TypeKind::Int(bits @ (1 | 8 | 16 | 32 | 64)) => Some(bits),
        TypeKind::Float => Some(32),
        TypeKind::Double => Some(64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Example;

    #[test]
    fn registers_are_those_of_the_features() {
        let bits = |triple, cpu, features| Target::new(triple, cpu, features).map(|target| target.register_bits);
        let linux = "x86_64-pc-linux-gnu";
        assert_eq!(bits(linux, "x86-64", "+cx8,+fxsr,+mmx,+sse,+sse2,+x87"), Ok(128));
        assert_eq!(bits(linux, "", ""), Ok(128));
        assert_eq!(bits(linux, "x86-64", "+sse,+avx"), Ok(256));
        assert_eq!(bits(linux, "x86-64", "+avx,-avx"), Ok(128));
        assert_eq!(bits(linux, "x86-64-v3", ""), Ok(256));
        assert_eq!(bits(linux, "x86-64-v4", "+avx512f"), Ok(256));
        assert_eq!(bits(linux, "x86-64", "-sse2"), Err(UnknownTarget::NoVectors));
        assert_eq!(bits("aarch64-unknown-linux-gnu", "generic", "+neon"), Ok(128));
        assert_eq!(bits("aarch64-unknown-linux-gnu", "generic", "-neon"), Err(UnknownTarget::NoVectors));
        assert_eq!(bits("riscv64-unknown-linux-gnu", "", "+v"), Err(UnknownTarget::Architecture));
        assert_eq!(bits("i386-pc-linux-gnu", "", "+sse2"), Err(UnknownTarget::Architecture));
        assert_eq!(bits("", "", ""), Err(UnknownTarget::NoTriple));
    }

    #[test]
    fn functions_say_what_they_may_use() {
        let of = |attributes: &str| {
            let text = format!(
                "module \"test\"\ntarget triple \"x86_64-pc-linux-gnu\"\n@f = function void (), #0\n\
                 lambda @f [] (mem0, io0) {{ yield mem0, io0 }}\nexport @f\nattributes #0 = function {{ {attributes} }}\n"
            );
            let example = Example::of(&text);
            Target::of(example.graph().pool(), example.surroundings()).map(|target| target.register_bits)
        };
        for (attributes, expected) in [
            ("nounwind", Ok(128)),
            ("nounwind, noimplicitfloat", Err(UnknownTarget::NoVectors)),
            ("nounwind, \"use-soft-float\"=\"true\"", Err(UnknownTarget::NoVectors)),
            ("\"use-soft-float\"=\"false\"", Ok(128)),
            ("nounwind, \"target-cpu\"=\"x86-64-v3\"", Ok(256)),
            ("\"tune-cpu\"=\"x86-64-v3\"", Ok(128)),
            ("nounwind, \"target-features\"=\"+sse2,+avx\"", Ok(256)),
            ("\"target-features\"=\"-sse2\"", Err(UnknownTarget::NoVectors)),
        ] {
            assert_eq!(of(attributes), expected, "{attributes}");
        }
        assert_eq!(Target::of(&Pool::new(), None), Err(UnknownTarget::NoTriple));
    }

    /// Which of the features that costs depend on a target has: SSE4.1, SSE4.2, AVX, AVX2.
    #[test]
    fn features_come_with_processors_and_with_other_features() {
        let of = |cpu, features| {
            let target = Target::new("x86_64-pc-linux-gnu", cpu, features).expect("it is in the table");
            let Kind::X86 { sse41, sse42, avx2 } = target.kind else { panic!("{target:?}") };
            let bits = [sse41, sse42, target.register_bits == 256, avx2];
            assert_eq!(target.max_interleave, if bits[2] { 4 } else { 2 });
            bits.map(u32::from)
        };
        for (cpu, features, expected) in [
            ("", "", [0, 0, 0, 0]),
            ("x86-64-v2", "", [1, 1, 0, 0]),
            ("x86-64-v3", "", [1, 1, 1, 1]),
            ("x86-64-v4", "", [1, 1, 1, 1]),
            ("", "+sse4.1", [1, 0, 0, 0]),
            ("", "+sse4.2", [1, 1, 0, 0]),
            ("", "+avx", [1, 1, 1, 0]),
            ("", "+avx2", [0, 0, 0, 0]),
            ("", "+avx,+avx2", [1, 1, 1, 1]),
            ("x86-64-v2", "-sse4.2", [1, 0, 0, 0]),
            ("x86-64-v2", "-sse4.1,-sse4.2", [0, 0, 0, 0]),
            ("x86-64-v3", "-avx2", [1, 1, 1, 0]),
            ("x86-64-v3", "-avx", [1, 1, 0, 0]),
            ("", "-avx,+avx", [0, 0, 0, 0]),
            ("", "+xavx,avx", [0, 0, 0, 0]),
        ] {
            assert_eq!(of(cpu, features), expected, "{cpu} {features}");
        }
    }

    #[test]
    fn lanes_have_the_widths_of_machines() {
        let pool = Pool::new();
        let widths: Vec<u32> = (1..=128).filter(|&bits| scalar_bits(&pool, pool.int(bits)).is_some()).collect();
        assert_eq!(widths, [1, 8, 16, 32, 64]);
        let target = Target::new("x86_64-pc-linux-gnu", "", "").expect("it is in the table");
        let registers = |lanes, bits| target.registers_for(lanes, bits);
        assert_eq!(
            [registers(4, 32), registers(5, 32), registers(1, 1), registers(16, 1), registers(17, 1)],
            [1, 2, 1, 1, 2]
        );
    }

    #[test]
    fn what_takes_two_registers_costs_twice() {
        let pool = Pool::new();
        let target = Target::new("x86_64-pc-linux-gnu", "", "").expect("it is in the table");
        let add = Op::IntBinary { op: IntBinary::Add, flags: rvsdg_core::op::BinaryFlags::NONE };
        let cost = |lanes| target.cost(&pool, add, Type::I32, Type::I32, lanes);
        assert_eq!([cost(1), cost(4), cost(8)], [1, 1, 2]);
        assert!(
            target.cost(&pool, add, Type::I64, Type::I64, 2)
                < target.cost(
                    &pool,
                    Op::ICmp { predicate: rvsdg_core::op::IntPredicate::Slt, same_sign: false },
                    Type::I64,
                    Type::I1,
                    2
                )
        );
    }
}
