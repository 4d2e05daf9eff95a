//! Constants: one canonical form each.

use rustc_hash::FxHashMap;

use super::op::Signature;
use super::types::{TypeFacts, element, is_first_class, scalar_bits};
use crate::constant::Words;
use crate::op::{IntBinary, Op};
use crate::{Const, Constant, Pool, Type, TypeKind};

/// What the verifier knows of constants, each checked once.
pub(super) struct ConstFacts<'p> {
    pool: &'p Pool,
    known: FxHashMap<Const, Box<[(u32, Type)]>>,
}

impl<'p> ConstFacts<'p> {
    pub(super) fn new(pool: &'p Pool) -> Self {
        ConstFacts { pool, known: FxHashMap::default() }
    }

    /// The holes of a constant that was checked, by index, with their types. An index may occur with several types.
    pub(super) fn holes(&self, constant: Const) -> &[(u32, Type)] {
        self.known.get(&constant).map_or(&[], |holes| holes)
    }

    /// What is wrong with the constant and those in it; each is reported where it is met first.
    pub(super) fn flaws(&mut self, constant: Const, types: &mut TypeFacts<'_>) -> Vec<String> {
        let mut flaws = Vec::new();
        let mut pending = vec![(constant, false)];
        while let Some((constant, entered)) = pending.pop() {
            if self.known.contains_key(&constant) {
                continue;
            }
            let data = self.pool.constant(constant);
            if !entered {
                pending.push((constant, true));
                pending.extend(data.operands().iter().map(|&operand| (operand, false)));
                continue;
            }
            let mut holes: Vec<(u32, Type)> = match *data {
                Constant::Hole { ty, index }
                | Constant::DsoLocalEquivalent { ty, index }
                | Constant::NoCfi { ty, index }
                | Constant::BlockAddress { ty, index, .. } => vec![(index, ty)],
                _ => data.operands().iter().flat_map(|&operand| self.holes(operand).iter().copied()).collect(),
            };
            holes.sort_unstable();
            holes.dedup();
            self.known.insert(constant, holes.into());
            if let Some(flaw) = types.fact(data.ty()).flaw {
                flaws.push(flaw.into());
            } else if let Err(flaw) = form(self.pool, data, types) {
                flaws.push(format!("{flaw}: {}", self.pool.display_const(constant)));
            }
        }
        flaws
    }
}

/// Whether a constant is what its type demands.
fn form(pool: &Pool, constant: &Constant, types: &mut TypeFacts<'_>) -> Result<(), String> {
    let demand = |good: bool, message: &str| if good { Ok(()) } else { Err(message.to_owned()) };
    let kind = pool.type_kind(constant.ty());
    match constant {
        Constant::Int { words, .. } => {
            let TypeKind::Int(bits) = *kind else { return Err("an integer constant has an integer type".into()) };
            let limbs = match words {
                Words::Small(_) if bits > 64 => return Err("a wide integer has large words".into()),
                Words::Large(_) if bits <= 64 => return Err("an integer of up to 64 bits has a small word".into()),
                words => words.as_slice(),
            };
            let last = limbs.last().copied().unwrap_or(0);
            let unused = bits % 64 != 0 && last >> (bits % 64) != 0;
            demand(limbs.len() == bits.div_ceil(64) as usize && !unused, "an integer has the limbs its width needs")
        }
        Constant::Float { bits, .. } => {
            let width = scalar_bits(kind).filter(|_| kind.is_float());
            demand(width.is_some_and(|width| width == 128 || bits >> width == 0), "a float has the bits of its type")
        }
        Constant::Zero(_) => {
            let good = is_first_class(kind)
                && !kind.is_float()
                && !matches!(kind, TypeKind::Int(_) | TypeKind::Token | TypeKind::X86Amx);
            demand(good, "integers and floats have their own zero")
        }
        Constant::Undef(_) | Constant::Poison(_) => demand(is_first_class(kind), "no value has this type"),
        Constant::None(_) => {
            demand(matches!(kind, TypeKind::Token | TypeKind::Target { .. }), "none is a token or of a target type")
        }
        Constant::Aggregate { ty, elements } => {
            let good = match kind {
                TypeKind::Vector { element, len, scalable: false } => {
                    *len as usize == elements.len() && elements.iter().all(|&e| pool.constant(e).ty() == *element)
                }
                TypeKind::Array { element, len } => {
                    *len == elements.len() as u64 && elements.iter().all(|&e| pool.constant(e).ty() == *element)
                }
                TypeKind::Struct { elements: fields, .. } | TypeKind::Named { elements: Some(fields), .. } => {
                    fields.len() == elements.len()
                        && elements.iter().enumerate().all(|(index, &constant)| {
                            element(pool, *ty, index as u64) == Some(pool.constant(constant).ty())
                        })
                }
                _ => false,
            };
            demand(good, "an aggregate has the elements of its type")
        }
        Constant::Splat { element: lane, .. } => {
            let good = matches!(kind, TypeKind::Vector { element, .. } if *element == pool.constant(*lane).ty());
            demand(good, "a splat is a vector of its element's type")
        }
        Constant::Data { bytes, .. } => {
            let (element, len) = match kind {
                TypeKind::Array { element, len } => (pool.type_kind(*element), *len),
                TypeKind::Vector { element, len, scalable: false } => (pool.type_kind(*element), u64::from(*len)),
                _ => return Err("data is an array or a fixed vector".into()),
            };
            let size = match element {
                TypeKind::Int(8 | 16 | 32 | 64)
                | TypeKind::Half
                | TypeKind::BFloat
                | TypeKind::Float
                | TypeKind::Double => scalar_bits(element).unwrap_or(0) / 8,
                _ => return Err("data holds integers of 8 to 64 bits or floats of 16 to 64".into()),
            };
            demand(len.checked_mul(size) == Some(bytes.len() as u64), "data has the bytes of its type")
        }
        Constant::Hole { .. }
        | Constant::DsoLocalEquivalent { .. }
        | Constant::NoCfi { .. }
        | Constant::BlockAddress { .. } => demand(matches!(kind, TypeKind::Ptr(_)), "an address is a pointer"),
        Constant::Expr { ty, op, operands, in_range } => {
            demand(in_range.is_none() || matches!(op, Op::Gep { .. }), "only getelementptr has inrange")?;
            demand(is_expression(*op), "constants are not computed by this operation")?;
            let inputs: Vec<Type> = operands.iter().map(|&operand| pool.constant(operand).ty()).collect();
            let constant = |index: usize| operands.get(index).copied();
            let mut signature =
                Signature { pool, types, inputs: &inputs, outputs: &[*ty], flaws: Vec::new(), constant: &constant };
            signature.check(*op);
            signature.flaws.into_iter().next().map_or(Ok(()), |(_, message)| Err(message))
        }
        Constant::Funclet { .. } => demand(*kind == TypeKind::Token, "a funclet's pad makes a token"),
        Constant::PtrAuth { operands, .. } => {
            let kinds: Vec<&TypeKind> =
                operands.iter().map(|&operand| pool.type_kind(pool.constant(operand).ty())).collect();
            let good = matches!(kind, TypeKind::Ptr(_))
                && kinds.len() >= 4
                && matches!(kinds[..4], [TypeKind::Ptr(_), TypeKind::Int(32), TypeKind::Int(64), TypeKind::Ptr(_)]);
            demand(good, "ptrauth signs a pointer with a key, a discriminator and an address")
        }
    }
}

/// Whether constants can be computed by an operation: it has neither effects nor undefined behaviour.
pub(crate) fn is_expression(op: Op) -> bool {
    match op {
        Op::IntBinary { op, .. } => match op {
            IntBinary::UDiv | IntBinary::SDiv | IntBinary::URem | IntBinary::SRem => false,
            IntBinary::Add
            | IntBinary::Sub
            | IntBinary::Mul
            | IntBinary::Shl
            | IntBinary::LShr
            | IntBinary::AShr
            | IntBinary::And
            | IntBinary::Or
            | IntBinary::Xor => true,
        },
        Op::ICmp { .. }
        | Op::FCmp { .. }
        | Op::FloatBinary { .. }
        | Op::FNeg(_)
        | Op::Cast { .. }
        | Op::Select(_)
        | Op::ExtractElement
        | Op::InsertElement
        | Op::ShuffleVector(_)
        | Op::ExtractValue(_)
        | Op::InsertValue(_)
        | Op::Gep { .. } => true,
        Op::Const(_)
        | Op::CtlConst { .. }
        | Op::Match(_)
        | Op::Freeze
        | Op::Alloca { .. }
        | Op::Load(_)
        | Op::Store(_)
        | Op::CmpXchg { .. }
        | Op::AtomicRmw { .. }
        | Op::Fence { .. }
        | Op::Call(_)
        | Op::Invoke(_)
        | Op::CallBr(_)
        | Op::IndirectBr(_)
        | Op::Resume
        | Op::Funclet(_)
        | Op::VaArg
        | Op::Unreachable
        | Op::Ext(_) => false,
    }
}
