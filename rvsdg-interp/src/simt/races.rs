//! Data races: unordered accesses to the same byte by two threads, at least one of which writes, and which are not both atomic.
//!
//! Only barriers order accesses: those of a block all its threads, those of a warp its lanes. Threads of different blocks are never
//! ordered. For each byte, the last write and two later reads by different threads are kept, so each reported race is one, but a race
//! whose accesses have been overwritten may be missed.

use rustc_hash::FxHashMap;

/// An access.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Access {
    /// The block and, within it, the thread.
    pub block: u32,
    pub thread: u32,
    /// Barriers that the block, and the warp, passed before.
    pub block_epoch: u32,
    pub warp_epoch: u32,
    /// Atomic or volatile.
    pub together: bool,
}

impl Access {
    /// Whether an earlier access is known to come before this one.
    fn is_after(&self, earlier: &Access) -> bool {
        let warp = |access: &Access| access.thread / super::LANES;
        self.block == earlier.block
            && (self.thread == earlier.thread
                || self.block_epoch != earlier.block_epoch
                || warp(self) == warp(earlier) && self.warp_epoch != earlier.warp_epoch)
    }

    fn conflicts(&self, earlier: &Option<Access>) -> bool {
        earlier.is_some_and(|earlier| !(self.is_after(&earlier) || self.together && earlier.together))
    }
}

#[derive(Default)]
struct Byte {
    written: Option<Access>,
    read: [Option<Access>; 2],
}

/// What is known of accesses so far.
#[derive(Default)]
pub(super) struct Races {
    bytes: FxHashMap<u64, Byte>,
}

impl Races {
    /// Notes an access; the first byte on which it races with an earlier one.
    pub fn note(&mut self, address: u64, size: u64, writes: bool, access: Access) -> Option<u64> {
        let mut race = None;
        for at in address..address + size {
            let byte = self.bytes.entry(at).or_default();
            let races =
                access.conflicts(&byte.written) || writes && byte.read.iter().any(|read| access.conflicts(read));
            if races {
                race = race.or(Some(at));
            }
            if writes {
                *byte = Byte { written: Some(access), read: [None; 2] };
            } else {
                byte.note_read(access);
            }
        }
        race
    }

    /// Forgets accesses to memory that is new.
    pub fn forget(&mut self, address: u64, size: u64) {
        self.bytes.retain(|at, _| !(address..address + size).contains(at));
    }
}

impl Byte {
    fn note_read(&mut self, access: Access) {
        for read in &mut self.read {
            match read {
                Some(known) if (known.block, known.thread) == (access.block, access.thread) => {
                    // What was plain since the last barrier stays so.
                    let is_later = (known.block_epoch, known.warp_epoch) != (access.block_epoch, access.warp_epoch);
                    *known = Access { together: access.together && (known.together || is_later), ..access };
                    return;
                }
                Some(known) if !access.is_after(known) => {}
                _ => {
                    *read = Some(access);
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(block: u32, thread: u32, block_epoch: u32, warp_epoch: u32, together: bool) -> Access {
        Access { block, thread, block_epoch, warp_epoch, together }
    }

    /// Whether the second access of each pair races with the first.
    fn races(first: (bool, Access), second: (bool, Access)) -> bool {
        let mut races = Races::default();
        assert_eq!(races.note(16, 4, first.0, first.1), None);
        races.note(18, 4, second.0, second.1).is_some()
    }

    #[test]
    fn a_write_races_with_what_nothing_orders() {
        let at = |thread, epoch| access(0, thread, epoch, 0, false);
        assert!(races((true, at(0, 0)), (true, at(1, 0))));
        assert!(races((true, at(0, 0)), (false, at(1, 0))));
        assert!(races((false, at(0, 0)), (true, at(1, 0))));
        assert!(!races((false, at(0, 0)), (false, at(1, 0))), "both read");
        assert!(!races((true, at(1, 0)), (true, at(1, 0))), "one thread");
        assert!(!races((true, at(0, 0)), (true, at(1, 1))), "a barrier between them");
    }

    #[test]
    fn barriers_of_warps_and_of_other_blocks() {
        let in_warp = |thread, epoch| access(0, thread, 0, epoch, false);
        assert!(!races((true, in_warp(0, 0)), (true, in_warp(1, 1))));
        assert!(races((true, in_warp(0, 0)), (true, in_warp(40, 1))), "another warp");
        assert!(races((true, access(0, 0, 0, 0, false)), (false, access(1, 0, 3, 0, false))), "another block");
    }

    #[test]
    fn atomic_accesses_race_with_plain_ones() {
        let at = |thread, together| access(0, thread, 0, 0, together);
        assert!(!races((true, at(0, true)), (true, at(1, true))));
        assert!(races((true, at(0, true)), (true, at(1, false))));
        assert!(races((false, at(0, false)), (true, at(1, true))));
    }

    #[test]
    fn a_writer_that_read_itself_races_with_other_readers() {
        let at = |thread| access(0, thread, 0, 0, false);
        let mut races = Races::default();
        assert_eq!([0, 1].map(|thread| races.note(0, 1, false, at(thread))), [None; 2]);
        assert_eq!(races.note(0, 1, true, at(0)), Some(0));
        races.forget(0, 1);
        assert_eq!(races.note(0, 1, true, at(2)), None);
    }
}
