//! Calls: everything about a call but its operands.

use rustc_hash::FxHashMap;
use rvsdg_core::op::{
    Bundle, Call, CallExits, CallInfo, Clause, Effects, FastMath, LandingPad, MetadataArgument, TailKind,
};

use super::{Known, Tables};
use crate::stream::{Operand, Reader, Record};

/// Descriptions of calls seen so far, by their words in the stream. Calls with bundles, metadata arguments or assembly are described one
/// by one.
#[derive(Default)]
pub(crate) struct Calls {
    known: FxHashMap<[u32; 6], Call>,
}

/// A call and which of its operands are inputs.
pub(super) struct CallSite {
    pub call: Call,
    /// Whether the operand at this position among LLVM's (arguments, bundle operands, callee) is an input; all are
    /// when this is empty.
    pub kept: Vec<bool>,
}

/// Bits of the last word of a call in the stream.
mod effect {
    pub const MEM: u32 = 1;
    pub const IO: u32 = 2;
    pub const SPECULATABLE: u32 = 4;
    pub const RETURNING: u32 = 8;
}

/// LLVM's `TCK_MustTail`.
const MUST_TAIL: u32 = 2;

/// The blocks an invoke or callbr leads to, in LLVM's order.
pub(super) fn successors<'a>(record: &Record<'a>) -> &'a [u32] {
    // Six words, the number of bundles, and two words for each.
    &record.extra[7 + 2 * record.extra[6] as usize..]
}

/// The description of a `landingpad`; its operands are those of the clauses.
pub(super) fn landing_pad(record: &Record<'_>) -> LandingPad {
    let (cleanup, clauses) = record.extra.split_first().expect("a landing pad says whether it is a cleanup");
    let clause = |&catch: &u32| if catch != 0 { Clause::Catch } else { Clause::Filter };
    LandingPad { cleanup: *cleanup != 0, clauses: clauses.iter().map(clause).collect() }
}

impl Tables {
    /// The description of the call in `record`; an error names what cannot be represented.
    ///
    /// A call with `exits` other than [`CallExits::Return`] has every effect: that is what orders it.
    pub(super) fn call(&mut self, record: &Record<'_>, exits: CallExits) -> Result<CallSite, &'static str> {
        let mut extra = Reader::new(record.extra);
        let function_type = extra.word();
        let convention = extra.word();
        let attributes = extra.word();
        let tail = extra.word();
        let arguments = extra.word() as usize;
        let effects = extra.word();
        let bundle_count = extra.word();
        let tail = match tail {
            _ if effects & effect::RETURNING != 0 => TailKind::Returned,
            0 => TailKind::None,
            1 => TailKind::Tail,
            MUST_TAIL => TailKind::MustTail,
            _ => TailKind::NoTail,
        };
        let branches = exits != CallExits::Return;
        let special = {
            let mut special = branches || bundle_count != 0;
            for (position, operand) in record.operands().enumerate() {
                special |= match operand {
                    Operand::Constant(number) => {
                        matches!(self.constant(number), Known::Metadata(_) | Known::Assembly | Known::Unsupported(_))
                    }
                    Operand::Local(_) => false,
                    Operand::Block => return Err("label as an argument"),
                    Operand::Metadata(_) if position < arguments => false,
                    Operand::Metadata(_) => return Err("metadata of a local value as a bundle operand"),
                    Operand::Unsupported => return Err("list of debug values as an argument"),
                };
            }
            special
        };
        let key = [function_type, convention, attributes, tail as u32 | record.flags << 8, effects, 0];
        if !special && let Some(&call) = self.calls.known.get(&key) {
            return Ok(CallSite { call, kept: Vec::new() });
        }
        let bundles: Vec<Bundle> = (0..bundle_count)
            .map(|_| {
                let tag = self.text(extra.word());
                Bundle { tag, operands: extra.word() }
            })
            .collect();
        let mut info = CallInfo {
            function_type: self.ty(function_type),
            convention,
            attributes: self.attributes(attributes),
            tail,
            fast: FastMath::from_bits(record.flags as u8),
            bundles: bundles.into(),
            metadata: Box::default(),
            assembly: None,
            // A call that the function returns with stays where it is, whatever it does.
            effects: if branches || tail.ends_function() {
                Effects::ALL
            } else {
                Effects { mem: effects & effect::MEM != 0, io: effects & effect::IO != 0 }
            },
            exits,
            speculatable: !branches && !tail.ends_function() && effects & effect::SPECULATABLE != 0,
        };
        let mut kept = Vec::new();
        if special {
            let mut metadata = Vec::new();
            let callee = record.operands().len() - 1;
            for (position, operand) in record.operands().enumerate() {
                kept.push(true);
                let Operand::Constant(number) = operand else { continue };
                match self.constant(number) {
                    Known::Metadata(text) if position < arguments => {
                        metadata.push(MetadataArgument { position: position as u32, text: text.clone() });
                        kept[position] = false;
                    }
                    Known::Assembly if position == callee => {
                        info.assembly = self.constants.assembly(number).cloned().map(Box::new);
                        kept[position] = false;
                    }
                    Known::Metadata(_) | Known::Assembly => return Err("metadata or assembly as a bundle operand"),
                    Known::Unsupported(construct) => return Err(construct),
                    Known::Symbol | Known::Plain(_) | Known::Symbolic(..) => {}
                }
            }
            info.metadata = metadata.into();
        }
        let call = self.pool.intern_call(info);
        if !special {
            self.calls.known.insert(key, call);
        }
        Ok(CallSite { call, kept })
    }
}
