//! NVPTX's intrinsics that compute something no other intrinsic does, and libdevice's questions about its compilation.

use super::{Call, Run};
use crate::machine::Machine;
use crate::outcome::{Res, unsupported};
use crate::value::Value;

/// The longest name that may be asked for.
const NAME: u64 = 64;

/// Finds an intrinsic by its name without `llvm.nvvm.`.
pub(super) fn intrinsic(name: &str) -> Option<Run> {
    Some(match name {
        "d2i.hi" => |_, c| Ok(Value::Int(c.int(0)? >> 32)),
        "d2i.lo" => |_, c| Ok(Value::Int(c.int(0)? & 0xffff_ffff)),
        "lohi.i2d" => |_, c| Ok(Value::Int(c.int(0)? | c.int(1)? << 32)),
        // Any number near the quotient is right; this is the nearest.
        "rcp.approx.ftz.d" => |_, c| {
            let quotient = 1.0 / f64::from_bits(c.int(0)?);
            let flushed = if quotient.is_subnormal() { 0.0_f64.copysign(quotient) } else { quotient };
            Ok(Value::Int(flushed.to_bits()))
        },
        _ => return None,
    })
}

/// Finds a function.
pub(super) fn find(name: &str) -> Option<Run> {
    (name == "__nvvm_reflect").then_some(reflect as Run)
}

/// The number of the first machine with independent thread scheduling (`sm_70`), times ten.
const MACHINE: u64 = 700;

/// `__nvvm_reflect`: the machine's number for `__CUDA_ARCH`, and 0 for flushing subnormals to zero and for precise roots and divisions,
/// so that subnormal numbers are kept and roots and divisions may be approximations.
fn reflect(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let name = machine.memory.string(call.pointer(0)?, NAME)?;
    match &name[..] {
        b"__CUDA_FTZ" | b"__CUDA_PREC_SQRT" | b"__CUDA_PREC_DIV" => Ok(Value::Int(0)),
        b"__CUDA_ARCH" => Ok(Value::Int(MACHINE)),
        other => unsupported(format!("__nvvm_reflect of {}", String::from_utf8_lossy(other))),
    }
}
