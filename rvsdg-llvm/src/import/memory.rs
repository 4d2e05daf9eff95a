//! Instructions that touch memory or order accesses to it.

use rvsdg_core::op::{MemAccess, Op, SyncScope};

use super::{Tables, ops};
use crate::carrier::NONE;
use crate::opcode::Opcode;
use crate::stream::Record;

impl Tables {
    /// The operation of a memory instruction; an error names what cannot be represented, `None` another instruction.
    pub(super) fn memory_op(&mut self, record: &Record<'_>) -> Result<Option<Op>, &'static str> {
        let extra = record.extra;
        Ok(Some(match record.opcode {
            Opcode::Alloca => {
                let (in_alloca, swift_error) = (extra[3] & 1 != 0, extra[3] & 2 != 0);
                Op::Alloca { ty: self.ty(extra[0]), align_log2: extra[1] as u8, in_alloca, swift_error }
            }
            Opcode::Load => {
                let access = ops::access(extra[0], extra[1] & 1 != 0, extra[2], self.scope(extra[3])?);
                Op::Load(MemAccess { tag: self.tag(extra[4]), nonnull: extra[1] & 2 != 0, ..access })
            }
            Opcode::Store => {
                let access = ops::access(extra[0], extra[1] != 0, extra[2], self.scope(extra[3])?);
                Op::Store(MemAccess { tag: self.tag(extra[5]), ..access })
            }
            Opcode::Fence => Op::Fence { ordering: ops::ordering(extra[0]), scope: self.scope(extra[1])? },
            Opcode::CmpXchg => Op::CmpXchg {
                access: ops::access(extra[0], extra[1] & 1 != 0, extra[2], self.scope(extra[4])?),
                failure: ops::ordering(extra[3]),
                weak: extra[1] & 2 != 0,
            },
            Opcode::AtomicRmw => Op::AtomicRmw {
                op: ops::rmw(extra[4]).ok_or("atomicrmw of unknown kind")?,
                access: ops::access(extra[0], extra[1] != 0, extra[2], self.scope(extra[3])?),
            },
            Opcode::VaArg => Op::VaArg,
            _ => return Ok(None),
        }))
    }

    fn scope(&self, name: u32) -> Result<SyncScope, &'static str> {
        if name == NONE {
            return Ok(SyncScope::SYSTEM);
        }
        self.pool.intern_scope(&self.text(name)).ok_or("more synchronization scopes than can be numbered")
    }
}
