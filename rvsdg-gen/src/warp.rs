//! Threads in lockstep: the blocks that a machine executes for a group of threads that take different paths.
//!
//! The model is the one of thesis C1.3. Threads at the same place execute together. Where a branch makes them diverge, the paths are
//! executed one after the other, each by its threads alone, up to the immediate postdominator of the branch, where they reconverge.

use rvsdg_cfg::shape::{Block, Shape};

/// The blocks that a group of threads executes, in order, each once for all threads that execute it together.
///
/// `paths` has for each thread the blocks that it executes, from the entry to the exit; see [`trace_path`](crate::trace::trace_path).
///
/// # Panics
/// When a path does not lead to the exit.
pub fn lockstep(shape: &Shape, paths: &[Vec<Block>]) -> Vec<Block> {
    let mut warp = Warp { joins: joins(shape), paths, at: vec![0; paths.len()], executed: Vec::new() };
    // Threads that wait for those that go first: they go up to a block, then all go on to another.
    let mut pending = vec![(Vec::from_iter(0..paths.len()), shape.exit)];
    while let Some((threads, until)) = pending.pop() {
        warp.run(&threads, until, &mut pending);
    }
    warp.executed
}

/// The immediate postdominator of each block, by number.
fn joins(shape: &Shape) -> Vec<Option<Block>> {
    let without = |removed: Option<Block>| {
        let mut reaches = vec![false; shape.len()];
        let predecessors = shape.predecessors();
        let mut pending: Vec<Block> = if removed == Some(shape.exit) { vec![] } else { vec![shape.exit] };
        while let Some(block) = pending.pop() {
            if !std::mem::replace(&mut reaches[block.as_u32() as usize], true) {
                pending
                    .extend(predecessors.arcs(block).iter().map(|arc| arc.from).filter(|&from| Some(from) != removed));
            }
        }
        reaches
    };
    let all = without(None);
    let each: Vec<Vec<bool>> = shape.blocks().map(|block| without(Some(block))).collect();
    let after = |block: Block, join: Block| {
        block != join && all[block.as_u32() as usize] && !each[join.as_u32() as usize][block.as_u32() as usize]
    };
    let join = |block: Block| {
        let later: Vec<Block> = shape.blocks().filter(|&join| after(block, join)).collect();
        later.iter().copied().find(|&join| later.iter().all(|&other| other == join || after(join, other)))
    };
    shape.blocks().map(join).collect()
}

struct Warp<'p> {
    joins: Vec<Option<Block>>,
    paths: &'p [Vec<Block>],
    /// How far each thread has come on its path.
    at: Vec<usize>,
    executed: Vec<Block>,
}

impl Warp<'_> {
    /// Runs threads that are at one block until they are at `until` or diverge.
    fn run(&mut self, threads: &[usize], until: Block, pending: &mut Vec<(Vec<usize>, Block)>) {
        loop {
            let here = |warp: &Self, thread: usize| warp.paths[thread][warp.at[thread]];
            let Some(&first) = threads.first() else { return };
            let block = here(self, first);
            if block == until {
                return;
            }
            self.executed.push(block);
            threads.iter().for_each(|&thread| self.at[thread] += 1);
            let mut ways: Vec<Block> = threads.iter().map(|&thread| here(self, thread)).collect();
            ways.sort_unstable();
            ways.dedup();
            if ways.len() > 1 {
                let join = self.joins[block.as_u32() as usize].expect("every path leads to the exit");
                pending.push((threads.to_vec(), until));
                for way in ways {
                    pending.push((threads.iter().copied().filter(|&thread| here(self, thread) == way).collect(), join));
                }
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(shape: &Shape, paths: &[&[u32]]) -> Vec<u32> {
        let paths: Vec<Vec<Block>> =
            paths.iter().map(|path| path.iter().map(|&block| Block::from_u32(block)).collect()).collect();
        lockstep(shape, &paths).into_iter().map(Block::as_u32).collect()
    }

    #[test]
    fn a_join_is_executed_once() {
        let shape = Shape::from_successors(&[vec![1, 2], vec![3], vec![3], vec![4], vec![]]);
        let mut executed = numbers(&shape, &[&[0, 1, 3, 4], &[0, 2, 3, 4]]);
        assert_eq!(executed.pop(), Some(3));
        executed.sort_unstable();
        assert_eq!(executed, [0, 1, 2]);
    }

    #[test]
    fn a_block_that_is_no_postdominator_is_executed_again() {
        // 1 and 2 share 3, but 1 may go round it.
        let shape = Shape::from_successors(&[vec![1, 2], vec![3, 4], vec![3], vec![4], vec![5], vec![]]);
        let executed = numbers(&shape, &[&[0, 1, 3, 4, 5], &[0, 2, 3, 4, 5]]);
        assert_eq!(executed.iter().filter(|&&block| block == 3).count(), 2);
        assert_eq!(executed.iter().filter(|&&block| block == 4).count(), 1);
    }

    #[test]
    fn iterations_are_executed_together() {
        let shape = Shape::from_successors(&[vec![1], vec![1, 2], vec![3], vec![]]);
        let executed = numbers(&shape, &[&[0, 1, 2, 3], &[0, 1, 1, 1, 2, 3], &[0, 1, 1, 2, 3]]);
        assert_eq!(executed, [0, 1, 1, 1, 2]);
    }
}
