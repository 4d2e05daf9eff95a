//! Ways into and out of funclets.

use rvsdg_cfg::cfg::{Inst, Value};
use rvsdg_cfg::shape::Block;
use rvsdg_core::op::Funclet;

use crate::body::{Plan, Writing};
use crate::emitter::Emitter;
use crate::error::Result;

impl<'a> Emitter<'a> {
    /// Writes the name of a funclet's token.
    pub(crate) fn funclet(&mut self, number: u32) {
        self.out.push_str("%funclet.");
        self.number(number as usize);
    }

    /// Writes a pad, or the end of a cleanup that leaves the function, with its line end.
    pub(crate) fn funclet_inst(&mut self, body: &Writing<'a>, inst: Inst, funclet: Funclet) -> Result {
        let (outer, arguments) = self.funclet_operands(body, inst, funclet)?;
        if arguments.is_empty() && funclet.number().is_none() {
            self.operand(body, outer)?;
            self.out.push_str(" unwind to caller\n");
            return Ok(());
        }
        self.operand(body, outer)?;
        self.out.push_str(" [");
        for (position, &argument) in arguments.iter().enumerate() {
            self.out.push_str(if position > 0 { ", " } else { "" });
            self.typed(body, argument)?;
        }
        self.out.push_str("]\n");
        Ok(())
    }

    /// Writes a jump into or out of a funclet at the end of a block.
    pub(crate) fn funclet_branch(
        &mut self,
        body: &Writing<'a>,
        block: Block,
        plan: &Plan<'a>,
        inst: Inst,
        funclet: Funclet,
    ) -> Result {
        let (outer, _) = self.funclet_operands(body, inst, funclet)?;
        self.operand(body, outer)?;
        let ways = body.cfg.terminator(block).arcs.len() as u32;
        match funclet {
            Funclet::CatchSwitch { unwinds, .. } => {
                let handlers = ways - u32::from(unwinds);
                for handler in 0..handlers {
                    self.out.push_str(if handler == 0 { " [" } else { ", " });
                    self.destination(body.cfg, block, plan, handler);
                }
                self.out.push_str("] unwind ");
                if unwinds {
                    self.destination(body.cfg, block, plan, handlers);
                } else {
                    self.out.push_str("to caller");
                }
            }
            Funclet::CatchRet => {
                self.out.push_str(" to ");
                self.destination(body.cfg, block, plan, 0);
            }
            Funclet::CleanupRet { .. } => {
                self.out.push_str(" unwind ");
                self.destination(body.cfg, block, plan, 0);
            }
            Funclet::CatchPad(_) | Funclet::CleanupPad(_) => {
                return Err(self.error("a pad at the end of a block", "a jump"));
            }
        }
        self.out.push('\n');
        Ok(())
    }

    /// Writes the mnemonic and the part before the token operand; returns that operand, and the operands after it.
    fn funclet_operands(&mut self, body: &Writing<'a>, inst: Inst, funclet: Funclet) -> Result<(Value, &'a [Value])> {
        let Some((&outer, arguments)) = body.cfg.operands(inst).split_first() else {
            return Err(self.error("an operation on a funclet without operands", "a token"));
        };
        self.out.push_str("  ");
        if let Some(number) = funclet.number() {
            self.funclet(number);
            self.out.push_str(" = ");
        }
        self.out.push_str(body.cfg.op(inst).code().info().mnemonic);
        self.out.push_str(if funclet.number().is_some() { " within " } else { " from " });
        Ok((outer, arguments))
    }
}
