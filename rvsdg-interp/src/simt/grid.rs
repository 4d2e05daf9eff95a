//! Blocks of threads, one after the other, and the barriers of each.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use rvsdg_core::Symbol;
use rvsdg_core::module::SymbolKind;

use crate::code::Code;
use crate::machine::Machine;
use crate::memory::Kind;
use crate::outcome::{Outcome, Place, Res, unsupported};
use crate::value::{Pointer, Value};

use super::flow;
use super::races::Races;
use super::warp::{Group, Lane, Wait, Warp, each};
use super::{Fault, LANES, Launch, Model, Order, Report};

/// NVPTX's address space of the memory that the threads of a block share.
const SHARED: u32 = 3;
/// Threads that a block may have.
const THREADS: u32 = 1024;
/// Instructions of a warp before another warp may run.
const SLICE: usize = 4096;
/// At most this many faults are reported.
const FAULTS: usize = 32;

/// A launch in the middle of being executed.
pub(super) struct Grid<'l, 'r, 'm> {
    pub machine: Machine<'m>,
    pub launch: &'l Launch<'l>,
    pub report: &'r mut Report,
    pub races: Races,
    /// By function: where lanes meet.
    joins: FxHashMap<Symbol, Arc<Vec<u32>>>,
    /// By address: variables in shared memory and their sizes.
    pub shared: Vec<(Pointer, u64)>,
    /// The block that is executed, in each dimension and by number.
    pub block: [u32; 3],
    pub number: u32,
    /// Barriers that it passed.
    pub epoch: u32,
}

/// Executes a kernel, and writes into the report what came of it.
pub(super) fn run(machine: Machine<'_>, launch: &Launch<'_>, report: &mut Report) {
    let mut grid = Grid {
        machine,
        launch,
        report,
        races: Races::default(),
        joins: FxHashMap::default(),
        shared: Vec::new(),
        block: [0; 3],
        number: 0,
        epoch: 0,
    };
    if let Err(stop) = grid.blocks() {
        grid.report.outcome = grid.machine.outcome(*stop);
    }
    grid.report.memory = grid.machine.visible();
    let chosen = grid.machine.state.chosen;
    grid.report.chose = chosen.value || chosen.sign || grid.machine.memory.has_numbers_of_addresses();
}

impl Grid<'_, '_, '_> {
    fn blocks(&mut self) -> Res<()> {
        let arguments = self.machine.place_arguments(self.launch.kernel, self.launch.arguments)?;
        let Some(kernel) = self.machine.functions.by_name(self.machine.module, self.launch.kernel) else {
            return unsupported(format!("function {}, which the module does not have", self.launch.kernel));
        };
        let kernel = kernel.number;
        if self.launch.threads.iter().map(|&count| u64::from(count)).product::<u64>() > THREADS.into() {
            return unsupported("a block of more than 1024 threads");
        }
        self.place_shared()?;
        self.machine.memory.touched = Some(Vec::new());
        let [x, y, z] = self.launch.blocks;
        for block in (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z]))) {
            self.block = block;
            for &(pointer, size) in &self.shared {
                self.machine.memory.undefine(pointer);
                self.races.forget(pointer.address, size);
            }
            self.run_block(kernel, &arguments)?;
            self.number += 1;
            if self.report.outcome != Outcome::Returned(None) {
                break;
            }
        }
        Ok(())
    }

    /// Gives shared variables that a launch sizes their memory, and notes where all of them are.
    fn place_shared(&mut self) -> Res<()> {
        let module = self.machine.module;
        for &symbol in &module.order {
            let data = &module.symbols[symbol];
            let SymbolKind::Variable { initializer, .. } = data.kind else { continue };
            if data.address_space != SHARED {
                continue;
            }
            if initializer.is_none() {
                let align = data.align.unwrap_or(16);
                let pointer = self.machine.memory.allocate(Kind::Global, self.launch.shared, align, true)?;
                self.machine.addresses.insert(symbol, Value::Ptr(pointer));
            }
            if let Some(Value::Ptr(pointer)) = self.machine.addresses.get(&symbol) {
                let size = self.machine.memory.object(*pointer)?.size;
                self.shared.push((*pointer, size));
            }
        }
        Ok(())
    }

    fn run_block(&mut self, kernel: u32, arguments: &[Value]) -> Res<()> {
        let mut warps = self.warps(kernel, arguments)?;
        self.epoch = 0;
        loop {
            let mut went_on = false;
            for warp in &mut warps {
                went_on |= self.run_warp(warp)?;
            }
            if warps.iter().all(|warp| warp.live == 0) {
                break;
            }
            if !went_on && !self.pass_barrier(&mut warps)? {
                let waits = |warp: &&mut Warp| warp.live != 0;
                let Some(warp) = warps.iter_mut().find(waits) else { break };
                let lane = warp.live.trailing_zeros() as usize;
                let place = self.place_of(&mut warp.lanes[lane]);
                self.fault(Fault::Deadlock { place: place.clone() });
                self.report.outcome = Outcome::Aborted { place, reason: "deadlock".into() };
                break;
            }
        }
        self.report.counts.redundant += warps.iter().map(Warp::redundant).sum::<u64>();
        Ok(())
    }

    fn warps(&mut self, kernel: u32, arguments: &[Value]) -> Res<Vec<Warp>> {
        let [x, y, z] = self.launch.threads;
        let seed = match self.launch.model {
            Model::Independent(Order::Any(seed)) => seed,
            Model::Stack | Model::Independent(Order::LeastPlace) => 0,
        };
        let threads = (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])));
        let mut warps = Vec::new();
        let mut lanes = Vec::new();
        for (index, thread) in threads.enumerate() {
            let mut lane = Lane { frames: vec![], slots: vec![], stack: vec![], thread, passed: false };
            self.within(&mut lane, |machine| machine.begin(kernel, arguments))?;
            lanes.push(lane);
            if lanes.len() == LANES as usize || index + 1 == (x * y * z) as usize {
                warps.push(Warp::new(warps.len() as u32, std::mem::take(&mut lanes), seed));
            }
        }
        Ok(warps)
    }

    /// Lets a lane be what the machine executes. Where that fails, it stays so, for the message.
    pub fn within<T>(&mut self, lane: &mut Lane, run: impl FnOnce(&mut Machine<'_>) -> Res<T>) -> Res<T> {
        self.exchange(lane);
        let value = run(&mut self.machine)?;
        self.exchange(lane);
        Ok(value)
    }

    pub fn exchange(&mut self, lane: &mut Lane) {
        std::mem::swap(&mut self.machine.frames, &mut lane.frames);
        std::mem::swap(&mut self.machine.slots, &mut lane.slots);
        self.machine.memory.exchange_stack(&mut lane.stack);
    }

    /// Lets a warp run for a while; whether it made progress.
    fn run_warp(&mut self, warp: &mut Warp) -> Res<bool> {
        for step in 0..SLICE {
            match warp.choose(self.launch.model) {
                Some(group) => self.step(warp, group)?,
                None => match warp.gathered() {
                    Some(lanes) => self.exchange_values(warp, lanes)?,
                    None => return Ok(step > 0),
                },
            }
        }
        Ok(true)
    }

    /// Lets the threads of a block continue if all of them wait at one barrier; whether they do.
    fn pass_barrier(&mut self, warps: &mut [Warp]) -> Res<bool> {
        let waits = || warps.iter().flat_map(|warp| warp.groups.iter().map(|group| group.wait));
        let Some(first @ Wait::Block(_)) = waits().next() else { return Ok(false) };
        let waiting: u32 = warps.iter().flat_map(|warp| &warp.groups).map(|group| group.lanes.count_ones()).sum();
        let live: u32 = warps.iter().map(|warp| warp.live.count_ones()).sum();
        if !waits().all(|wait| wait == first) || waiting != live {
            return Ok(false);
        }
        let threads = || warps.iter().flat_map(|warp| each(warp.live).map(|lane| &warp.lanes[lane]));
        let (all, truths) = (threads().count(), threads().filter(|lane| lane.passed).count());
        for warp in warps {
            for group in std::mem::take(&mut warp.groups) {
                for lane in each(group.lanes) {
                    self.within(&mut warp.lanes[lane], |machine| machine.pass_barrier(all, truths))?;
                }
                warp.settle(Group { wait: Wait::Nothing, ..group }, self.launch.model);
            }
        }
        self.epoch += 1;
        self.report.counts.barriers += 1;
        Ok(true)
    }

    /// Where lanes meet that part in a function.
    pub fn joins(&mut self, code: &Code) -> Arc<Vec<u32>> {
        let joins = self.joins.entry(code.symbol).or_insert_with(|| Arc::new(flow::joins(code)));
        Arc::clone(joins)
    }

    pub fn fault(&mut self, fault: Fault) {
        let faults = &mut self.report.faults;
        let is_known = |known: &Fault| match (known, &fault) {
            (Fault::Race { place, object, .. }, Fault::Race { place: other, object: memory, .. }) => {
                place == other && object == memory
            }
            (known, fault) => known == fault,
        };
        if faults.len() < FAULTS && !faults.iter().any(is_known) {
            faults.push(fault);
        }
    }

    /// Where a lane is that waits.
    pub fn place_of(&mut self, lane: &mut Lane) -> Place {
        self.exchange(lane);
        self.machine.frame().at += 1;
        let place = self.machine.place();
        self.machine.frame().at -= 1;
        self.exchange(lane);
        place
    }
}
