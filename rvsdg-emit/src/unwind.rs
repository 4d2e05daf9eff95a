//! Landing pads.

use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::{Cfg, Invoke, Value};
use rvsdg_cfg::shape::{ArcRef, Block};
use rvsdg_core::op::{CallExits, Clause};

use crate::body::Writing;
use crate::emitter::Emitter;
use crate::error::Result;

/// The landing pad at the beginning of a block.
pub(crate) struct Pad {
    /// The invokes that unwind to it, at least one; all agree on its description.
    pub(crate) invokes: Vec<Invoke>,
    /// The parameter of the block that is the landing pad's value.
    pub(crate) param: Option<Value>,
}

impl Pad {
    /// The landing pads of a function.
    pub(crate) fn of(cfg: &Cfg) -> FxHashMap<Block, Pad> {
        let mut pads: FxHashMap<Block, Pad> = FxHashMap::default();
        for block in cfg.blocks() {
            let Some(invoke) = cfg.invoke(block) else { continue };
            let arc = ArcRef { from: block, index: 1 };
            let target = cfg.arc(arc).target;
            let position = cfg.arc_args(arc).iter().position(|&arg| arg == invoke.pad);
            let param = position.map(|position| cfg.block_params(target)[position]);
            pads.entry(target).or_insert(Pad { invokes: Vec::new(), param }).invokes.push(invoke);
        }
        pads
    }
}

impl<'a> Emitter<'a> {
    /// Writes a landing pad with its clauses.
    pub(crate) fn landing_pad(&mut self, body: &Writing<'a>, pad: &Pad) -> Result {
        let invoke = pad.invokes[0];
        let CallExits::Unwind(landing) = &self.call_info(invoke.call).exits else {
            return Err(self.error("an invoke without a landing pad", "one"));
        };
        self.define(body, pad.param.unwrap_or(invoke.pad));
        self.out.push_str("landingpad ");
        self.ty(body.cfg.ty(invoke.pad))?;
        if landing.cleanup {
            self.out.push_str("\n          cleanup");
        }
        let operands = body.cfg.operands(invoke.inst);
        let operands = &operands[operands.len() - landing.clauses.len()..];
        for (clause, &operand) in landing.clauses.iter().zip(operands) {
            self.out.push_str(match clause {
                Clause::Catch => "\n          catch ",
                Clause::Filter => "\n          filter ",
            });
            self.typed(body, operand)?;
        }
        self.out.push('\n');
        Ok(())
    }
}
