//! One instruction of a group of lanes.

use std::sync::Arc;

use crate::code::{Access as Width, CallSite, Callee, Code, EDGE, Inst, JUMP};
use crate::machine::Machine;
use crate::memory::Kind;
use crate::outcome::{Res, Rule, Stop, undefined};
use crate::value::{Pointer, Value};

use super::exchange::{Exchange, Register, WarpOp, number};
use super::grid::Grid;
use super::races::Access;
use super::warp::{Group, Lane, Wait, Warp, each};
use super::{Fault, LANES};

/// Bytes of global memory that are moved at once.
const SECTOR: u64 = 32;
/// Bytes of a word of shared memory, the unit of its banks.
const WORD: u64 = 4;
const BANKS: u64 = 32;

/// What a lane does to memory.
struct Touch {
    pointer: Pointer,
    size: u64,
    reads: bool,
    writes: bool,
    together: bool,
}

impl Grid<'_, '_, '_> {
    /// Lets the lanes of a group execute the instruction at which they are.
    pub fn step(&mut self, warp: &mut Warp, group: Group) -> Res<()> {
        let place = warp.place_of(group);
        let first = &warp.lanes[group.lanes.trailing_zeros() as usize];
        let code = Arc::clone(&first.frames.last().expect("a lane of a group runs").code);
        let at = place.at as usize;
        self.count(warp, group.lanes, &code, at);
        if let Inst::Call(site) = &code.insts[at]
            && let Callee::Warp(op) = site.callee
        {
            return self.warp_op(warp, group, site, op);
        }
        let (mut ended, mut touched) = (0, Vec::new());
        for number in each(group.lanes) {
            let thread = warp.number * LANES + number as u32;
            let access = |together| Access {
                block: self.number,
                thread,
                block_epoch: self.epoch,
                warp_epoch: warp.epoch,
                together,
            };
            let accesses = [access(false), access(true)];
            let lane = &mut warp.lanes[number];
            self.exchange(lane);
            let touch = self.machine.touch(&code.insts[at]);
            if self.machine.step()? {
                ended |= 1 << number;
            }
            let copied = self.machine.memory.touched.as_mut().map(std::mem::take).unwrap_or_default();
            let copied = copied.into_iter().map(|(pointer, size, writes)| Touch {
                pointer,
                size,
                reads: !writes,
                writes,
                together: false,
            });
            for touch in touch.into_iter().chain(copied) {
                self.note(&touch, accesses[usize::from(touch.together)]);
                touched.push((touch.pointer, touch.size));
            }
            self.exchange(&mut warp.lanes[number]);
        }
        self.count_memory(&touched);
        self.watch(warp, group.lanes, &code, place.at, place.depth);
        if ended != 0 {
            warp.end(ended, group.join, self.launch.model);
        }
        let model = self.launch.model;
        if warp.part(group, place, || self.joins(&code)[at], model) {
            self.report.counts.divergent_branches += 1;
        }
        Ok(())
    }

    /// Counts an instruction of a warp.
    fn count(&mut self, warp: &mut Warp, lanes: u32, code: &Code, at: usize) {
        let counts = &mut self.report.counts;
        let node = code.nodes[at];
        match &code.insts[at] {
            Inst::Copy(..) => counts.moves += 1,
            Inst::Copies(copies) => counts.moves += copies.len() as u64,
            // Promises are no instructions of a machine.
            Inst::Nothing | Inst::NonNull(_) | Inst::InRange(..) => {}
            Inst::Jump(_) if node != JUMP => {}
            _ if node == EDGE => {}
            inst => {
                counts.instructions += 1;
                counts.lane_instructions += u64::from(lanes.count_ones());
                let is_branch = matches!(inst, Inst::Branch { .. } | Inst::Switch { .. } | Inst::Repeat { .. });
                counts.branches += u64::from(is_branch);
            }
        }
        if let Ok(index) = code.blocks.binary_search_by_key(&(at as u32), |&(place, _)| place) {
            let (of_warp, of_lanes) = warp.executed.entry((code.symbol, code.blocks[index].1)).or_default();
            *of_warp += 1;
            each(lanes).for_each(|lane| of_lanes[lane] += 1);
        }
    }

    /// Notes an access of the lane that the machine executes.
    fn note(&mut self, touch: &Touch, access: Access) {
        let Ok(object) = self.machine.memory.resolve(touch.pointer) else { return };
        let (base, kind) = self.machine.memory.base_and_kind(object);
        if matches!(kind, Kind::Stack | Kind::Constant) {
            return;
        }
        let mut race = None;
        if touch.reads {
            race = self.races.note(touch.pointer.address, touch.size, false, access);
        }
        if touch.writes {
            race = self.races.note(touch.pointer.address, touch.size, true, access).or(race);
        }
        if let Some(byte) = race {
            let (place, seen) = (self.machine.place(), self.machine.see_pointer(Pointer { address: base, object }));
            let object = match seen {
                crate::observe::Seen::Pointer(object, _) => object.to_string(),
                _ => String::new(),
            };
            self.fault(Fault::Race { place, object, offset: byte - base });
        }
    }

    /// Counts what the accesses of the lanes of one instruction cost together.
    fn count_memory(&mut self, touched: &[(Pointer, u64)]) {
        let Some(&(first, _)) = touched.first() else { return };
        let is_within = |&(start, size): &(Pointer, u64)| first.address.wrapping_sub(start.address) < size;
        let parts = |unit: u64| {
            let each = touched.iter().filter(|&&(_, size)| size > 0);
            let each = each.flat_map(|&(at, size)| at.address / unit..=(at.address + (size - 1)) / unit);
            let mut parts: Vec<u64> = each.collect();
            parts.sort_unstable();
            parts.dedup();
            parts
        };
        if self.shared.iter().any(is_within) {
            let mut banks = [0u64; BANKS as usize];
            parts(WORD).into_iter().for_each(|word| banks[(word % BANKS) as usize] += 1);
            self.report.counts.bank_conflicts += banks.iter().max().map_or(0, |most| most.saturating_sub(1));
            return;
        }
        let kind = self.machine.memory.resolve(first).map(|object| self.machine.memory.base_and_kind(object).1);
        if !matches!(kind, Ok(Kind::Stack)) {
            self.report.counts.transactions += parts(SECTOR).len() as u64;
        }
    }

    /// Compares what lanes have computed together with each other where that is to be the same.
    fn watch(&mut self, warp: &Warp, lanes: u32, code: &Code, at: u32, depth: usize) {
        let Some(uniform) = self.launch.uniform else { return };
        let from = code.watched.partition_point(|&(after, ..)| after < at);
        for &(_, origin, slot) in code.watched[from..].iter().take_while(|&&(after, ..)| after == at) {
            let here = each(lanes).map(|lane| &warp.lanes[lane]).filter(|lane| lane.frames.len() == depth);
            let mut values = here.filter_map(|lane: &Lane| {
                let base = lane.frames.last()?.base;
                Some(&lane.slots[base + slot as usize]).filter(|value| value.is_defined())
            });
            let Some(first) = values.next() else { continue };
            if let Some(other) = values.find(|other| *other != first)
                && uniform(&code.name, origin)
            {
                let values = [first.to_string(), other.to_string()];
                self.fault(Fault::NotUniform { function: code.name.to_string(), origin, values });
            }
        }
    }

    fn warp_op(&mut self, warp: &mut Warp, group: Group, site: &CallSite, op: WarpOp) -> Res<()> {
        self.machine.fuel = self.machine.fuel.checked_sub(1).ok_or(Stop::OutOfFuel)?;
        let model = self.launch.model;
        match op {
            WarpOp::Register(_) | WarpOp::ActiveMask | WarpOp::Fence => {
                for lane in each(group.lanes) {
                    let value = match op {
                        WarpOp::Register(register) => self.register(register, warp, lane),
                        WarpOp::ActiveMask => number(group.lanes),
                        _ => Value::Undef,
                    };
                    self.within(&mut warp.lanes[lane], |machine| {
                        machine.pass(value);
                        Ok(())
                    })?;
                }
                warp.settle(group, model);
            }
            WarpOp::BlockBarrier { aligned, given } => {
                if aligned && group.lanes != warp.live {
                    let place = self.place_of(&mut warp.lanes[group.lanes.trailing_zeros() as usize]);
                    self.fault(Fault::DivergentBarrier { place });
                }
                let numbered = site.arguments.len() > usize::from(given.is_some());
                let mut barrier = 0;
                for lane in each(group.lanes) {
                    let arguments = self.arguments(&mut warp.lanes[lane], site)?;
                    let integer = |value: Option<&Value>| match value {
                        Some(Value::Int(number)) => Ok(*number),
                        other => undefined(Rule::Intrinsic, format!("a barrier is given {other:?}")),
                    };
                    barrier = if numbered { integer(arguments.first())? } else { 0 };
                    warp.lanes[lane].passed = given.is_some() && integer(arguments.last())? != 0;
                }
                warp.groups.push(Group { wait: Wait::Block(barrier), ..group });
            }
            WarpOp::Exchange(_) => {
                let mut masks: Vec<(u32, u32)> = Vec::new();
                for lane in each(group.lanes) {
                    let mask = match self.arguments(&mut warp.lanes[lane], site)?.first() {
                        Some(Value::Int(mask)) if *mask as u32 & 1 << lane != 0 => *mask as u32,
                        other => return undefined(Rule::Intrinsic, format!("lane {lane} exchanges with {other:?}")),
                    };
                    match masks.iter_mut().find(|(known, _)| *known == mask) {
                        Some((_, lanes)) => *lanes |= 1 << lane,
                        None => masks.push((mask, 1 << lane)),
                    }
                }
                let parts = masks.into_iter().map(|(mask, lanes)| Group { lanes, wait: Wait::Warp(mask), ..group });
                warp.groups.extend(parts);
                if let Some(lanes) = warp.gathered() {
                    self.exchange_values(warp, lanes)?;
                }
            }
        }
        Ok(())
    }

    /// Lets lanes that wait for each other exchange their values, and continue.
    pub fn exchange_values(&mut self, warp: &mut Warp, lanes: u32) -> Res<()> {
        let frame = warp.lanes[lanes.trailing_zeros() as usize].frames.last().expect("a lane that waits runs");
        let code = Arc::clone(&frame.code);
        let Inst::Call(site) = &code.insts[frame.at] else { return Ok(()) };
        let Callee::Warp(WarpOp::Exchange(exchange)) = site.callee else { return Ok(()) };
        let mut arguments = vec![Vec::new(); LANES as usize];
        for lane in each(lanes) {
            arguments[lane] = self.arguments(&mut warp.lanes[lane], site)?.split_off(1);
        }
        for (lane, value) in exchange.results(lanes, &arguments).into_iter().enumerate() {
            if lanes & 1 << lane != 0 {
                self.within(&mut warp.lanes[lane], |machine| {
                    machine.pass(value);
                    Ok(())
                })?;
            }
        }
        warp.epoch += u32::from(exchange == Exchange::Barrier);
        let (here, others) = warp.groups.iter().partition(|group| group.lanes & lanes != 0);
        warp.groups = others;
        let here: Vec<Group> = here;
        here.into_iter().for_each(|group| warp.settle(Group { wait: Wait::Nothing, ..group }, self.launch.model));
        Ok(())
    }

    /// What a lane passes to the call at which it is.
    fn arguments(&mut self, lane: &mut Lane, site: &CallSite) -> Res<Vec<Value>> {
        self.within(lane, |machine| Ok(site.arguments.iter().map(|&slot| machine.read(slot).clone()).collect()))
    }

    fn register(&self, register: Register, warp: &Warp, lane: usize) -> Value {
        number(match register {
            Register::Thread(axis) => warp.lanes[lane].thread[axis],
            Register::Threads(axis) => self.launch.threads[axis],
            Register::Block(axis) => self.block[axis],
            Register::Blocks(axis) => self.launch.blocks[axis],
            Register::Lane => lane as u32,
            Register::Warp => warp.number,
            Register::Warps => self.launch.threads.iter().product::<u32>().div_ceil(LANES),
            Register::WarpSize => LANES,
            Register::Lanes(relation) => relation.lanes(lane as u32),
        })
    }
}

impl Machine<'_> {
    /// Goes on after the call at which the topmost frame is, with its result.
    fn pass(&mut self, value: Value) {
        self.frame().at += 1;
        self.answer(value);
    }

    /// Continues after a barrier that `threads` threads have reached, `truths` of which passed true.
    pub(super) fn pass_barrier(&mut self, threads: usize, truths: usize) -> Res<()> {
        let frame = self.frame();
        let given = match &frame.code.insts[frame.at] {
            Inst::Call(site) => match site.callee {
                Callee::Warp(WarpOp::BlockBarrier { given, .. }) => given,
                _ => None,
            },
            _ => None,
        };
        self.pass(given.map_or(Value::Undef, |vote| Value::Int(vote.of(threads, truths, 0))));
        Ok(())
    }

    /// What the next instruction does to memory; none when its address is not defined.
    fn touch(&self, inst: &Inst) -> Option<Touch> {
        let bytes = |access: &Width| match access {
            Width::Bits(bits) => u64::from(bits.div_ceil(8)),
            Width::Pointer => 8,
            Width::Any(layout) => layout.store,
        };
        let (slot, size, reads, writes, together) = match inst {
            Inst::Load { pointer, access, together, .. } => (*pointer, bytes(access), true, false, *together),
            Inst::Store { pointer, access, together, .. } => (*pointer, bytes(access), false, true, *together),
            Inst::CmpXchg { operands, layout, .. } => (operands[0], layout.store, true, true, true),
            Inst::Rmw { pointer, layout, .. } => (*pointer, layout.store, true, true, true),
            _ => return None,
        };
        match self.read(slot) {
            Value::Ptr(pointer) => Some(Touch { pointer: *pointer, size, reads, writes, together }),
            _ => None,
        }
    }
}
