//! `setjmp.h`: a call that returns again.
//!
//! `setjmp` keeps the slots of its frame; `longjmp` leaves the frames above it and puts the slots back, so that every value
//! is what it was when `setjmp` returned first. Memory stays as it is.

use super::{Call, Run, int};
use crate::machine::Machine;
use crate::outcome::{Res, Rule, Stop, undefined, unsupported};
use crate::value::Value;

/// A place to come back to.
pub(crate) struct Jump {
    /// The number of frames, and the serial number of the last of them.
    depth: usize,
    serial: u64,
    /// The instruction after the call.
    at: usize,
    /// The frame's slots.
    slots: Vec<Value>,
    /// Height of the stack memory.
    stack: usize,
}

/// Finds a function of `setjmp.h`.
pub(super) fn find(name: &str) -> Option<Run> {
    Some(match name {
        "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" => |m, c| {
            let buffer = c.pointer(0)?.address;
            let frame = m.frames.last().expect("a frame runs");
            let slots = m.slots[frame.base..frame.base + frame.code.slots as usize].to_vec();
            let (depth, serial, at) = (m.frames.len(), frame.serial, frame.at);
            let jump = Jump { depth, serial, at, slots, stack: m.memory.stack_height() };
            m.state.jumps.insert(buffer, jump);
            Ok(int(0))
        },
        "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" => jump,
        _ => return None,
    })
}

fn jump(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    let (buffer, value) = (call.pointer(0)?.address, call.i32(1)?);
    let Some(jump) = machine.state.jumps.get(&buffer) else {
        return undefined(Rule::Library, "longjmp without setjmp");
    };
    let is_there = machine.frames.get(jump.depth - 1).is_some_and(|frame| frame.serial == jump.serial);
    if !is_there {
        return undefined(Rule::Library, "longjmp to a function that has returned");
    }
    Err(Box::new(Stop::Jump { buffer, value: if value == 0 { 1 } else { value } }))
}

impl Machine<'_> {
    /// Comes back to where `setjmp` was called, unless that is below `floor`.
    pub(crate) fn come_back(&mut self, buffer: u64, value: i32, floor: usize) -> Res<()> {
        let Some(jump) = self.state.jumps.get(&buffer) else { return unsupported("longjmp") };
        if jump.depth <= floor {
            return Err(Box::new(Stop::Jump { buffer, value }));
        }
        self.frames.truncate(jump.depth);
        let (slots, at, stack) = (jump.slots.clone(), jump.at, jump.stack);
        self.memory.release_stack(stack);
        let frame = self.frames.last_mut().expect("the frame was found");
        frame.at = at;
        let base = frame.base;
        self.slots[base..base + slots.len()].clone_from_slice(&slots);
        self.answer(int(value));
        Ok(())
    }
}
