//! Shapes of control flow graphs: all small ones, random ones, and families that scale.

use crate::rng::Rng;
use rvsdg_cfg::shape::Shape;
use std::fmt;

/// All shapes with `inner` blocks between entry and exit, each with 1 to `max_succs` distinct successors among the inner
/// blocks and the exit, in any order. The entry has one arc, to the first inner block. Loops, self loops, irreducible graphs
/// and graphs that never reach the exit are among them.
///
/// Shapes that differ in the numbers of their blocks alone occur once: the inner blocks are numbered in the order in which
/// a depth-first search finds them, which also means that all are reachable.
pub fn exhaustive(inner: usize, max_succs: usize) -> impl Iterator<Item = Shape> {
    let choices = successor_lists(inner, max_succs);
    let count = if inner == 0 { 0 } else { choices.len().pow(inner as u32) };
    (0..count).filter_map(move |mut number| {
        let mut lists: Vec<&[usize]> = Vec::with_capacity(inner + 2);
        lists.push(&[1]);
        for _ in 0..inner {
            lists.push(&choices[number % choices.len()]);
            number /= choices.len();
        }
        lists.push(&[]);
        is_found_in_order(&lists).then(|| Shape::from_successors(&lists))
    })
}

/// All lists of 1 to `max` distinct numbers from 1 to `inner + 1`.
fn successor_lists(inner: usize, max: usize) -> Vec<Vec<usize>> {
    let mut lists = Vec::new();
    let mut longest: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..max {
        let mut longer = Vec::new();
        for list in &longest {
            for to in (1..=inner + 1).filter(|to| !list.contains(to)) {
                longer.push([list.as_slice(), &[to]].concat());
            }
        }
        lists.extend_from_slice(&longer);
        longest = longer;
    }
    lists
}

/// Whether a depth-first search from block 0 finds all blocks but the last, in order.
fn is_found_in_order(lists: &[&[usize]]) -> bool {
    let exit = lists.len() - 1;
    let mut found = 0;
    let mut stack = vec![(0, 0)];
    while let Some((block, next)) = stack.pop() {
        let Some(&to) = lists[block].get(next) else { continue };
        stack.push((block, next + 1));
        if to == exit || to <= found {
            continue;
        }
        if to != found + 1 {
            return false;
        }
        found = to;
        stack.push((to, 0));
    }
    found + 1 == exit
}

/// A shape made from arbitrary numbers, one list for each block between entry and exit: a number names a successor, modulo
/// the number of inner blocks and the exit. What is not reachable is left out, and so are repeated successors; a block
/// without successor gets the exit. The inner blocks keep their order.
///
/// Every shape with one arc from its entry can be made in this way, which makes it a good target for property tests and
/// fuzzing.
pub fn from_choices<L: AsRef<[u16]>>(choices: &[L]) -> Shape {
    let inner = choices.len();
    let exit = inner + 1;
    let mut lists: Vec<Vec<usize>> = vec![vec![1]];
    for list in choices {
        let mut targets = Vec::new();
        for &choice in list.as_ref() {
            let to = usize::from(choice) % (inner + 1) + 1;
            if !targets.contains(&to) {
                targets.push(to);
            }
        }
        if targets.is_empty() {
            targets.push(exit);
        }
        lists.push(targets);
    }
    lists.push(Vec::new());
    prune(&lists)
}

/// The shape of these successor lists without what is not reachable from the first block. The last block is the exit and is
/// kept.
fn prune(lists: &[Vec<usize>]) -> Shape {
    let exit = lists.len() - 1;
    let mut reached = vec![false; lists.len()];
    (reached[0], reached[exit]) = (true, true);
    let mut stack = vec![0];
    while let Some(block) = stack.pop() {
        for &to in &lists[block] {
            if !std::mem::replace(&mut reached[to], true) {
                stack.push(to);
            }
        }
    }
    let mut numbers = vec![0; lists.len()];
    let kept = numbers.iter_mut().zip(&reached).filter(|(_, reached)| **reached);
    kept.enumerate().for_each(|(count, (number, _))| *number = count);
    let kept = lists.iter().zip(&reached).filter(|(_, reached)| **reached);
    let kept: Vec<Vec<usize>> = kept.map(|(list, _)| list.iter().map(|&to| numbers[to]).collect()).collect();
    Shape::from_successors(&kept)
}

/// A random shape of up to `blocks` blocks between entry and exit, with up to `max_arity` successors each. Most arcs stay near
/// their source and most blocks have one or two successors, as in programs; the rest is wild.
pub fn random(seed: u64, blocks: usize, max_arity: usize) -> Shape {
    let mut rng = Rng::new(seed);
    let exit = blocks + 1;
    // Some graphs mostly go forward and are nearly structured, others are tangled.
    let tangle = rng.below(8);
    let mut lists: Vec<Vec<usize>> = vec![vec![1]];
    for block in 1..=blocks {
        let arity = match rng.below(10) {
            0..=3 => 1,
            4..=7 => 2,
            _ => 1 + rng.below(max_arity.max(1)),
        };
        let mut targets = Vec::new();
        for _ in 0..arity.min(max_arity) {
            let to = match rng.below(8) {
                kind if kind < tangle => 1 + rng.below(exit),
                0..=5 => (block + 1 + rng.below(4)).min(exit),
                6 => block.saturating_sub(rng.below(6)).max(1),
                _ if rng.chance(1, 4) => exit,
                _ => (block + 1).min(exit),
            };
            if !targets.contains(&to) {
                targets.push(to);
            }
        }
        lists.push(targets);
    }
    lists.push(Vec::new());
    prune(&lists)
}

/// A random structured shape (thesis B2, Definition 10) of about `blocks` blocks.
pub fn random_structured(seed: u64, blocks: usize, max_arity: usize) -> Shape {
    let mut rng = Rng::new(seed);
    let mut maker = Maker::new();
    let first = maker.block();
    maker.arc(0, first);
    // A structured part is a pair of first and last block; each step puts a linear, branching or looping part after the last
    // block, or replaces an arc-like null block by a part.
    let mut open = vec![first];
    let mut last = first;
    while maker.lists.len() < blocks + 2 {
        let at = open.swap_remove(rng.below(open.len()));
        let tail = at == last;
        let end = maker.grow(at, &mut rng, max_arity, &mut open);
        if tail {
            last = end;
        }
        open.push(end);
    }
    maker.finish(last)
}

/// Successor lists under construction; block 0 is the entry, and the exit comes last.
struct Maker {
    lists: Vec<Vec<usize>>,
}

impl Maker {
    fn new() -> Self {
        Self { lists: vec![Vec::new()] }
    }

    fn block(&mut self) -> usize {
        self.lists.push(Vec::new());
        self.lists.len() - 1
    }

    fn arc(&mut self, from: usize, to: usize) {
        self.lists[from].push(to);
    }

    /// A new block after a chain of the blocks given.
    fn after(&mut self, from: &[usize]) -> usize {
        let block = self.block();
        for &from in from {
            self.arc(from, block);
        }
        block
    }

    /// Puts a structured part between `at` and what follows it; returns the block that what follows now follows.
    fn grow(&mut self, at: usize, rng: &mut Rng, max_arity: usize, open: &mut Vec<usize>) -> usize {
        let following = std::mem::take(&mut self.lists[at]);
        let end = match rng.below(3) {
            0 => self.after(&[at]),
            1 => {
                let arms = 2 + rng.below(max_arity.max(2) - 1);
                let direct = rng.chance(1, 3);
                let mut ends = Vec::new();
                for arm in 0..arms {
                    if arm == 0 && direct {
                        ends.push(at);
                    } else {
                        ends.push(self.after(&[at]));
                        open.push(self.lists.len() - 1);
                    }
                }
                self.after(&ends)
            }
            _ => {
                let head = self.after(&[at]);
                let tail = self.after(&[head]);
                self.arc(tail, head);
                open.push(head);
                self.after(&[tail])
            }
        };
        self.lists[end] = following;
        end
    }

    /// Lets `last` go on to the exit.
    fn finish(mut self, last: usize) -> Shape {
        let exit = self.block();
        self.arc(last, exit);
        Shape::from_successors(&self.lists)
    }
}

/// A family of shapes with one member for each size, to find out how cost grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Conditions in a row, each with an arm; all arms go to one join.
    ElseIfCascade,
    /// One branch to that many blocks, which join.
    Switch,
    /// Blocks in a row.
    StraightLine,
    /// Head-controlled loops inside of each other.
    NestedLoops,
    /// Tail-controlled loops inside of each other.
    NestedDoWhile,
    /// Loops inside of each other, each with two entries. Each level is decomposed on its own.
    NestedIrreducible,
    /// Branches inside of the first arm of each other, each with its own join.
    NestedBranches,
    /// Branches inside of the first arm of each other, each with a return before its join.
    NestedReturns,
    /// One loop with exits in a row, each to a block of its own.
    LoopWithExits,
    /// One loop with exits in a row, all to one block.
    LoopWithSharedExit,
    /// A switch in which each case falls through to the next. Its tree has a quadratic size.
    FallThrough,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 11] = [
        Family::ElseIfCascade,
        Family::Switch,
        Family::StraightLine,
        Family::NestedLoops,
        Family::NestedDoWhile,
        Family::NestedIrreducible,
        Family::NestedBranches,
        Family::NestedReturns,
        Family::LoopWithExits,
        Family::LoopWithSharedExit,
        Family::FallThrough,
    ];

    /// The name, in words joined by hyphens.
    pub fn name(self) -> &'static str {
        match self {
            Self::ElseIfCascade => "else-if-cascade",
            Self::Switch => "switch",
            Self::StraightLine => "straight-line",
            Self::NestedLoops => "nested-loops",
            Self::NestedDoWhile => "nested-do-while",
            Self::NestedIrreducible => "nested-irreducible",
            Self::NestedBranches => "nested-branches",
            Self::NestedReturns => "nested-returns",
            Self::LoopWithExits => "loop-with-exits",
            Self::LoopWithSharedExit => "loop-with-shared-exit",
            Self::FallThrough => "fall-through",
        }
    }

    /// The family of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name)
    }

    /// Whether the cost of restructuring grows about in proportion to the size.
    pub fn is_linear(self) -> bool {
        !matches!(self, Self::FallThrough | Self::NestedIrreducible)
    }

    /// The member with `size` arms, blocks, loops or exits.
    pub fn shape(self, size: usize) -> Shape {
        let size = size.max(1);
        let mut maker = Maker::new();
        let first = maker.after(&[0]);
        let last = match self {
            Self::StraightLine => (0..size).fold(first, |last, _| maker.after(&[last])),
            Self::ElseIfCascade => {
                let mut ends = Vec::new();
                let mut condition = first;
                for _ in 0..size {
                    ends.push(maker.after(&[condition]));
                    condition = maker.after(&[condition]);
                }
                ends.push(condition);
                maker.after(&ends)
            }
            Self::Switch => {
                let ends: Vec<usize> = (0..size).map(|_| maker.after(&[first])).collect();
                maker.after(&ends)
            }
            Self::FallThrough => {
                let mut case = maker.after(&[first]);
                for _ in 0..size {
                    case = maker.after(&[first, case]);
                }
                case
            }
            Self::NestedLoops => {
                let mut heads = vec![first];
                for _ in 0..size {
                    heads.push(maker.after(&[heads[heads.len() - 1]]));
                }
                let mut last = heads[size];
                for &head in heads[..size].iter().rev() {
                    maker.arc(last, head);
                    last = maker.after(&[head]);
                }
                last
            }
            Self::NestedDoWhile => {
                let mut heads = vec![maker.after(&[first])];
                for _ in 1..size {
                    heads.push(maker.after(&[heads[heads.len() - 1]]));
                }
                let mut last = heads[size - 1];
                for &head in heads.iter().rev() {
                    last = maker.after(&[last]);
                    maker.arc(last, head);
                }
                last
            }
            Self::NestedIrreducible => {
                let mut outer = Vec::new();
                let mut before = first;
                for _ in 0..size {
                    let entry = maker.after(&[before]);
                    outer.push((before, entry));
                    before = maker.after(&[entry]);
                }
                let mut last = before;
                for &(before, entry) in outer.iter().rev() {
                    let other_entry = maker.after(&[last, before]);
                    maker.arc(other_entry, entry);
                    last = maker.after(&[other_entry]);
                }
                last
            }
            Self::NestedBranches | Self::NestedReturns => {
                let mut conditions = vec![first];
                for _ in 1..size {
                    conditions.push(maker.after(&[conditions[conditions.len() - 1]]));
                }
                let mut returns = Vec::new();
                let mut last = maker.after(&[conditions[size - 1]]);
                for &condition in conditions.iter().rev() {
                    if self == Self::NestedReturns {
                        returns.push(last);
                    }
                    last = maker.after(&[last, condition]);
                }
                returns.push(last);
                if returns.len() == 1 { last } else { maker.after(&returns) }
            }
            Self::LoopWithExits | Self::LoopWithSharedExit => {
                let mut conditions = vec![first];
                for _ in 0..size {
                    conditions.push(maker.after(&[conditions[conditions.len() - 1]]));
                }
                maker.arc(conditions[size], conditions[1]);
                let mut ends = Vec::new();
                for &condition in &conditions[1..] {
                    ends.push(if self == Self::LoopWithExits { maker.after(&[condition]) } else { condition });
                }
                maker.after(&ends)
            }
        };
        maker.finish(last)
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
