//! Lanes of a warp, groups of them that are together, and joins at which groups meet.

use rustc_hash::FxHashMap;
use rvsdg_core::Symbol;

use crate::machine::Frame;
use crate::value::Value;

use super::flow::LEFT;
use super::{LANES, Model, Order};

/// A thread: the parts of the machine that are its own.
pub(super) struct Lane {
    pub frames: Vec<Frame>,
    pub slots: Vec<Value>,
    /// Its objects on the stack.
    pub stack: Vec<u32>,
    /// Its number in the block, in each dimension.
    pub thread: [u32; 3],
    /// What it passed to the barrier at which it waits.
    pub passed: bool,
}

/// Where lanes are: how many calls deep, in which function, at which instruction.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Place {
    pub depth: usize,
    pub function: Option<Symbol>,
    pub at: u32,
}

impl Lane {
    pub fn place(&self) -> Place {
        self.frames.last().map_or(Place { depth: 0, function: None, at: 0 }, |frame| Place {
            depth: self.frames.len(),
            function: Some(frame.code.symbol),
            at: frame.at as u32,
        })
    }
}

/// What lanes wait for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Wait {
    Nothing,
    /// All threads of the block, at the barrier of a number.
    Block(u64),
    /// Lanes of the warp, by mask, at the same instruction.
    Warp(u32),
}

/// Lanes that are together.
#[derive(Copy, Clone, Debug)]
pub(super) struct Group {
    pub lanes: u32,
    pub join: Option<usize>,
    pub wait: Wait,
}

/// Where lanes that have parted wait for each other.
struct Join {
    place: Place,
    /// All that are to come, and those that have.
    lanes: u32,
    arrived: u32,
    outer: Option<usize>,
}

/// A warp of a block.
pub(super) struct Warp {
    pub number: u32,
    pub lanes: Vec<Lane>,
    /// Lanes that have not ended.
    pub live: u32,
    pub groups: Vec<Group>,
    joins: Vec<Join>,
    /// Joins at which no lane waits any more.
    unused: Vec<usize>,
    /// Times that lanes of the warp waited for each other.
    pub epoch: u32,
    /// By function and block of its control flow: executions by the warp, and by each lane.
    pub executed: FxHashMap<(Symbol, u32), (u64, [u64; LANES as usize])>,
    random: u64,
}

/// The numbers of the lanes of a mask.
pub(super) fn each(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask & 1 << lane != 0)
}

impl Warp {
    pub fn new(number: u32, lanes: Vec<Lane>, seed: u64) -> Warp {
        let live = if lanes.len() == 32 { u32::MAX } else { (1 << lanes.len()) - 1 };
        let groups = vec![Group { lanes: live, join: None, wait: Wait::Nothing }];
        let random = seed ^ u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Warp {
            number,
            lanes,
            live,
            groups,
            joins: Vec::new(),
            unused: Vec::new(),
            epoch: 0,
            executed: FxHashMap::default(),
            random,
        }
    }

    pub fn place_of(&self, group: Group) -> Place {
        self.lanes[group.lanes.trailing_zeros() as usize].place()
    }

    /// Executions of blocks beyond those of the lane that executes the block most often.
    pub fn redundant(&self) -> u64 {
        self.executed.values().map(|(warp, lanes)| warp - lanes.iter().max().copied().unwrap_or(0)).sum()
    }

    /// Takes the group that runs next; `None` when all wait.
    pub fn choose(&mut self, model: Model) -> Option<Group> {
        let can = |group: &Group| group.wait == Wait::Nothing;
        let index = match model {
            Model::Stack => self.groups.iter().rposition(can)?,
            Model::Independent(Order::LeastPlace) => {
                let able = (0..self.groups.len()).filter(|&index| can(&self.groups[index]));
                able.min_by_key(|&index| {
                    let place = self.place_of(self.groups[index]);
                    (usize::MAX - place.depth, place)
                })?
            }
            Model::Independent(Order::Any(_)) => {
                let able: Vec<usize> = (0..self.groups.len()).filter(|&index| can(&self.groups[index])).collect();
                self.random = self.random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                *able.get((self.random >> 33) as usize % able.len().max(1))?
            }
        };
        Some(self.groups.remove(index))
    }

    /// Puts the lanes of a group where they are now, after an instruction at `from`; all ways from there lead to `join` first.
    /// Whether
    /// they have parted.
    pub fn part(&mut self, group: Group, from: Place, join: impl FnOnce() -> u32, model: Model) -> bool {
        let mut ways: Vec<(Place, u32)> = Vec::new();
        for lane in each(group.lanes & self.live) {
            let place = self.lanes[lane].place();
            match ways.iter_mut().find(|(known, _)| *known == place) {
                Some((_, lanes)) => *lanes |= 1 << lane,
                None => ways.push((place, 1 << lane)),
            }
        }
        let parted = ways.len() > 1;
        let mut waits_at = group.join;
        // From the kernel's end no lane goes on; lanes that leave a function meet after the call.
        let join = if parted { join() } else { LEFT };
        if parted && (join != LEFT || from.depth > 1) {
            let place = Place { at: join, ..from };
            // Iterations of a loop have one join.
            if waits_at.is_none_or(|outer| self.joins[outer].place != place) {
                let join = Join { place, lanes: group.lanes & self.live, arrived: 0, outer: group.join };
                waits_at = Some(match self.unused.pop() {
                    Some(index) => {
                        self.joins[index] = join;
                        index
                    }
                    None => {
                        self.joins.push(join);
                        self.joins.len() - 1
                    }
                });
            }
        }
        for (_, lanes) in ways {
            self.settle(Group { lanes, join: waits_at, wait: Wait::Nothing }, model);
        }
        parted
    }

    /// Removes lanes that have ended from all joins that wait for them.
    pub fn end(&mut self, lanes: u32, mut join: Option<usize>, model: Model) {
        self.live &= !lanes;
        while let Some(index) = join {
            self.joins[index].lanes &= !lanes;
            if self.joins[index].lanes == 0 {
                self.unused.push(index);
            }
            join = self.joins[index].outer;
            self.release(index, model);
        }
    }

    /// Settles a group: it waits at the joins that it has reached, or joins others at the same place.
    pub fn settle(&mut self, group: Group, model: Model) {
        let place = self.place_of(group);
        if let Some(index) = group.join {
            let join = &mut self.joins[index];
            let arrived = if join.place.at == LEFT { place.depth < join.place.depth } else { place == join.place };
            if arrived {
                join.arrived |= group.lanes;
                return self.release(index, model);
            }
        }
        if let Model::Independent(_) = model {
            let is_here = |other: &Group| {
                other.wait == Wait::Nothing && other.join == group.join && self.place_of(*other) == place
            };
            if let Some(index) = self.groups.iter().position(is_here) {
                self.groups[index].lanes |= group.lanes;
                return;
            }
        }
        self.groups.push(group);
    }

    /// Lets the lanes of a join continue together once all have arrived.
    fn release(&mut self, index: usize, model: Model) {
        let join = &mut self.joins[index];
        if join.lanes != 0 && join.arrived & self.live == join.lanes {
            let group = Group { lanes: join.lanes, join: join.outer, wait: Wait::Nothing };
            (join.lanes, join.arrived) = (0, 0);
            self.unused.push(index);
            self.settle(group, model);
        }
    }

    /// Lanes that all wait at one instruction for each other, and for no other lane.
    pub fn gathered(&self) -> Option<u32> {
        let waiting = || {
            self.groups.iter().filter_map(|group| match group.wait {
                Wait::Warp(mask) => Some((mask, group)),
                Wait::Nothing | Wait::Block(_) => None,
            })
        };
        waiting().find_map(|(mask, first)| {
            let place = self.place_of(*first);
            let here = waiting().filter(|(other, group)| *other == mask && self.place_of(**group) == place);
            let lanes = here.fold(0, |lanes, (_, group)| lanes | group.lanes);
            (lanes & self.live == mask & self.live).then_some(lanes)
        })
    }
}
