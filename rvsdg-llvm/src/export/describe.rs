//! The properties of an instruction other than its flags and operands, as a [`Description`].

use rvsdg_cfg::cfg::Inst;
use rvsdg_core::op::{
    AtomicOrdering, Call, CallExits, Clause, Funclet, LandingPad, MemAccess, Op, RmwOp, SyncScope, TailKind,
};
use rvsdg_core::{Type, TypeKind};
use smallvec::{SmallVec, smallvec};

use super::body::BodyWriter;
use crate::carrier::{Description, NONE};
use crate::import::opcode_of;
use crate::opcode::Opcode;

impl BodyWriter<'_, '_> {
    /// The description of an instruction, at the end of a block with `arcs` arcs if it is a branch.
    pub(super) fn describe(&mut self, inst: Inst, arcs: u32) -> Result<Description, String> {
        let cfg = self.cfg;
        let op = cfg.op(inst);
        let result = match op {
            Op::Invoke(call) | Op::CallBr(call) => self.returned(call)?,
            Op::Funclet(funclet) if funclet.number().is_some() => self.pool.intern_type(TypeKind::Token),
            _ => match cfg.results(inst) {
                [] => Type::VOID,
                [result] => cfg.ty(*result),
                _ => return Err(format!("{} with several results", op.code().info().mnemonic)),
            },
        };
        let ty = self.type_number(result)?;
        let mut extra: SmallVec<[u32; 8]> = SmallVec::new();
        let opcode = match op {
            Op::IntBinary { .. }
            | Op::FloatBinary { .. }
            | Op::FNeg(_)
            | Op::Cast { .. }
            | Op::ICmp { .. }
            | Op::FCmp { .. }
            | Op::Select(_)
            | Op::Freeze
            | Op::ExtractElement
            | Op::InsertElement => {
                let (opcode, predicate) = opcode_of(op).expect("operations of fixed arity have opcodes");
                if matches!(op, Op::ICmp { .. } | Op::FCmp { .. }) {
                    extra.push(predicate);
                }
                if matches!(op, Op::ICmp { .. } | Op::FCmp { .. } | Op::Cast { .. } | Op::ExtractElement) {
                    // The type of the result does not determine those of the operands.
                    extra.push(self.type_number(cfg.ty(cfg.operands(inst)[0]))?);
                }
                opcode
            }
            Op::ShuffleVector(indices) => {
                extra.extend_from_slice(self.pool.indices(indices));
                Opcode::ShuffleVector
            }
            Op::ExtractValue(indices) => {
                extra.extend_from_slice(self.pool.indices(indices));
                Opcode::ExtractValue
            }
            Op::InsertValue(indices) => {
                extra.extend_from_slice(self.pool.indices(indices));
                Opcode::InsertValue
            }
            Op::Gep { source, .. } => {
                extra.push(self.type_number(source)?);
                for &operand in cfg.operands(inst) {
                    extra.push(self.type_number(cfg.ty(operand))?);
                }
                Opcode::GetElementPtr
            }
            Op::Alloca { ty, align_log2, in_alloca, swift_error } => {
                let allocated = self.type_number(ty)?;
                let flags = u32::from(in_alloca) | u32::from(swift_error) << 1;
                extra.extend([allocated, u32::from(align_log2), 0, flags]);
                Opcode::Alloca
            }
            Op::Load(access) => {
                self.access(access, &mut extra);
                Opcode::Load
            }
            Op::Store(access) => {
                self.access(access, &mut extra);
                let value = cfg.operands(inst).first().ok_or("store without a value")?;
                extra.push(self.type_number(cfg.ty(*value))?);
                Opcode::Store
            }
            Op::Fence { ordering, scope } => {
                let scope = self.scope(scope);
                extra.extend([number(ordering), scope]);
                Opcode::Fence
            }
            Op::CmpXchg { access, failure, weak } => {
                let flags = u32::from(access.volatile) | u32::from(weak) << 1;
                let scope = self.scope(access.scope);
                extra.extend([access.align_log2.into(), flags, number(access.ordering), number(failure), scope]);
                Opcode::CmpXchg
            }
            Op::AtomicRmw { op, access } => {
                self.access(access, &mut extra);
                let position = RmwOp::ALL.iter().position(|&other| other == op);
                extra.push(position.expect("all operations are listed") as u32);
                Opcode::AtomicRmw
            }
            Op::Funclet(funclet) => match funclet {
                Funclet::CatchSwitch { unwinds, .. } => {
                    extra.extend([u32::from(unwinds), arcs]);
                    Opcode::CatchSwitch
                }
                Funclet::CatchPad(_) => Opcode::CatchPad,
                Funclet::CleanupPad(_) => Opcode::CleanupPad,
                Funclet::CatchRet => Opcode::CatchRet,
                Funclet::CleanupRet { to_caller } => {
                    extra.push(u32::from(!to_caller));
                    Opcode::CleanupRet
                }
            },
            Op::VaArg => Opcode::VaArg,
            Op::Resume => Opcode::Resume,
            Op::Unreachable => Opcode::Unreachable,
            Op::IndirectBr(_) => Opcode::IndirectBr,
            Op::Call(call) => {
                self.call(call, &mut extra)?;
                Opcode::Call
            }
            Op::Invoke(call) => {
                self.call(call, &mut extra)?;
                Opcode::Invoke
            }
            Op::CallBr(call) => {
                self.call(call, &mut extra)?;
                let CallExits::Labels(labels) = &self.pool.call(call).exits else {
                    return Err("callbr without labels".to_owned());
                };
                extra.push(labels.len().saturating_sub(1) as u32);
                Opcode::CallBr
            }
            Op::Const(_) | Op::CtlConst { .. } | Op::Match(_) | Op::Ext(_) => {
                return Err(format!("{} as an instruction", op.code().info().mnemonic));
            }
        };
        Ok(Description { opcode, ty, extra })
    }

    /// A landing pad whose value has type `ty`.
    pub(super) fn describe_pad(&mut self, ty: Type, pad: &LandingPad) -> Result<Description, String> {
        let mut extra = smallvec![u32::from(pad.cleanup)];
        extra.extend(pad.clauses.iter().map(|clause| match clause {
            Clause::Catch => 1,
            Clause::Filter => 0,
        }));
        Ok(Description { opcode: Opcode::LandingPad, ty: self.type_number(ty)?, extra })
    }

    /// What a call returns.
    fn returned(&self, call: Call) -> Result<Type, String> {
        match *self.pool.type_kind(self.pool.call(call).function_type) {
            TypeKind::Function { result, .. } => Ok(result),
            _ => Err("a call of another type than a function's".to_owned()),
        }
    }

    fn call(&mut self, call: Call, extra: &mut SmallVec<[u32; 8]>) -> Result<(), String> {
        let info = self.pool.call(call);
        let function = self.type_number(info.function_type)?;
        let attributes = self.attributes(info.attributes)?;
        let tail = match info.tail {
            TailKind::None => 0,
            TailKind::Tail => 1,
            TailKind::MustTail => 2,
            TailKind::NoTail => 3,
            // As in the original.
            TailKind::Returned => NONE,
        };
        extra.extend([function, info.convention, attributes, tail, info.bundles.len() as u32]);
        for bundle in &info.bundles {
            let tag = self.writer.carrier().new_string(&bundle.tag);
            extra.extend([tag, bundle.operands]);
        }
        Ok(())
    }

    fn access(&mut self, access: MemAccess, extra: &mut SmallVec<[u32; 8]>) {
        let scope = self.scope(access.scope);
        extra.extend([access.align_log2.into(), access.volatile.into(), number(access.ordering), scope]);
    }

    fn scope(&mut self, scope: SyncScope) -> u32 {
        if scope == SyncScope::SYSTEM {
            return NONE;
        }
        let name = self.pool.scope_name(scope);
        self.writer.carrier().new_string(name)
    }
}

/// LLVM's number of an ordering.
fn number(ordering: AtomicOrdering) -> u32 {
    match ordering {
        AtomicOrdering::NotAtomic => 0,
        AtomicOrdering::Unordered => 1,
        AtomicOrdering::Monotonic => 2,
        AtomicOrdering::Acquire => 4,
        AtomicOrdering::Release => 5,
        AtomicOrdering::AcquireRelease => 6,
        AtomicOrdering::SequentiallyConsistent => 7,
    }
}
