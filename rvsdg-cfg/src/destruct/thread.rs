//! Which arcs the recovered graph has, and what they assign.
//!
//! Predicative recovery (thesis B2.3.3) follows every arc through blocks that do nothing: along their only arc, and if they branch on a
//! predicate that the arc is known to assign, along the arc of that alternative. The assignments along the path become one parallel
//! assignment, without those that are dead at its end. By Theorem B2.5.7 this yields the branches that tracing from the definitions of
//! predicates yields. A block that is passed unconditionally is resolved once and serves all arcs that lead there, so chains of joins and
//! of loop ends cost linear time.
//!
//! Not passed are:
//! - the first block of a loop's body: a nest of loops keeps its loops;
//! - a block before a loop, where values may be joined that are invariant in the loop; `layout` passes it where not;
//! - a block that ends with an original jump or return: it was a block of the original, empty or not, and what is attached to
//!   its end (debug records, loop metadata) has no other place; but where it leads to a branch about which only arcs into it may
//!   decide, code was moved to its end that followed the original jump;
//! - blocks that return. Control reaches the virtual exit only from the end of a block without branch: of one that ends a
//!   region with an original terminator (which then was a return), or else of one block that all other ways share.
//!
//! Structured recovery passes empty γ-regions only, and the join of an operation that is a branch (an invoke) where its
//! predicate decides at once.

use cranelift_entity::packed_option::PackedOption;
use rvsdg_core::SourceId;

use super::Recovery;
use super::names::Name;
use super::skeleton::{ENTRY, EXIT, Skeleton, Term};

/// An arc of the recovered graph.
#[derive(Copy, Clone, Default)]
pub(super) struct Resolved {
    pub(super) target: u32,
    assigns: (u32, u32),
    /// The original jump of the first block that was passed.
    pub(super) source: PackedOption<SourceId>,
}

/// The recovered control flow, by numbers of the skeleton.
pub(super) struct Flow {
    /// The blocks that control can reach, in the order of their starts; the exit is last, reached or not.
    pub(super) blocks: Vec<u32>,
    /// By number of the skeleton's arc; default where the block is not reached.
    arcs: Vec<Resolved>,
    assigns: Vec<(Name, Name)>,
    /// Blocks that do nothing but lead to a loop.
    pub(super) preheaders: Vec<u32>,
}

impl Flow {
    /// An arc of a block that is reached.
    pub(super) fn arc(&self, arc: u32) -> &Resolved {
        &self.arcs[arc as usize]
    }

    /// What an arc assigns, sorted by variable.
    pub(super) fn assigns(&self, arc: u32) -> &[(Name, Name)] {
        let (start, end) = self.arcs[arc as usize].assigns;
        &self.assigns[start as usize..end as usize]
    }
}

/// Finds the blocks and arcs of the recovered graph.
pub(super) fn thread(skeleton: &Skeleton, recovery: Recovery) -> Flow {
    let mut tracer = Tracer {
        skeleton,
        recovery,
        states: vec![State::Unknown; skeleton.blocks.len()],
        assigns: vec![],
        slots: vec![(0, 0); skeleton.name_bound()],
        visits: vec![0; skeleton.blocks.len()],
        stamp: 0,
        stack: vec![],
        values: vec![],
        preheaders: vec![],
    };
    let mut arcs = vec![Resolved::default(); skeleton.arcs.len()];
    let mut reached = vec![false; skeleton.blocks.len()];
    reached[ENTRY as usize] = true;
    reached[EXIT as usize] = true;
    let mut blocks = vec![ENTRY, EXIT];
    let mut pending = vec![ENTRY];
    while let Some(block) = pending.pop() {
        for arc in skeleton.arc_numbers(block) {
            let resolved = tracer.arc(block, arc);
            arcs[arc as usize] = resolved;
            if !std::mem::replace(&mut reached[resolved.target as usize], true) {
                blocks.push(resolved.target);
                pending.push(resolved.target);
            }
        }
    }
    blocks.sort_unstable_by_key(|&block| skeleton.blocks[block as usize].start);
    Flow { blocks, arcs, assigns: tracer.assigns, preheaders: tracer.preheaders }
}

/// What is known of a block that passes control on unconditionally.
#[derive(Copy, Clone)]
enum State {
    Unknown,
    /// Its arc is being resolved.
    Active,
    /// It is a block of the recovered graph.
    Kept,
    /// The same, for want of another block that returns.
    SharedReturn,
    /// Arcs that lead there continue like this.
    Passed(Resolved, bool),
}

/// A walk along an arc.
struct Walk {
    /// The block to be resolved, or `None` for an arc of a block of the recovered graph.
    block: Option<u32>,
    /// Whether the arc leaves its block unconditionally.
    only: bool,
    at: u32,
    env: Vec<(Name, Name)>,
    /// Distinguishes this walk's entries in the tracer's tables.
    stamp: u32,
    source: PackedOption<SourceId>,
    /// Whether a loop was repeated.
    repeat: bool,
}

struct Tracer<'s> {
    skeleton: &'s Skeleton,
    recovery: Recovery,
    states: Vec<State>,
    assigns: Vec<(Name, Name)>,
    /// Where a variable is in the environment of the walk with the stamp.
    slots: Vec<(u32, u32)>,
    /// The walk that last passed a block's branch.
    visits: Vec<u32>,
    stamp: u32,
    stack: Vec<Walk>,
    /// Scratch space of [`Tracer::assign`].
    values: Vec<Name>,
    preheaders: Vec<u32>,
}

impl Tracer<'_> {
    /// Resolves an arc of a block of the recovered graph.
    fn arc(&mut self, block: u32, arc: u32) -> Resolved {
        let source = self.skeleton.blocks[block as usize].source;
        let only = self.skeleton.blocks[block as usize].term == Term::Jump;
        let target = self.skeleton.arcs[arc as usize].target;
        if !self.may_pass(target) {
            // The common case: nothing to follow.
            return Resolved { target, assigns: self.store(self.skeleton.assigns(arc), target), source };
        }
        self.begin(None, only, source, arc);
        loop {
            let Some((resolved, repeat)) = self.step() else { continue };
            let walk = self.stack.pop().expect("the walk that ended is the last");
            match walk.block {
                None => return resolved,
                Some(block) => self.settle(block, resolved, repeat),
            }
            if let Some(walk) = self.stack.last_mut() {
                self.stamp += 1;
                walk.stamp = self.stamp;
                for (slot, &(name, _)) in walk.env.iter().enumerate() {
                    self.slots[number(name)] = (self.stamp, slot as u32);
                }
            }
        }
    }

    fn may_pass(&self, block: u32) -> bool {
        let data = &self.skeleton.blocks[block as usize];
        self.skeleton.is_null(block)
            && match self.recovery {
                Recovery::Predicative => !matches!(data.term, Term::Match(_)),
                Recovery::Structured => match data.term {
                    Term::Jump => data.arm,
                    Term::Ctl(_) => data.decided,
                    Term::Match(_) => false,
                },
            }
    }

    /// Whether a loop begins with a block at which every walk ends.
    fn is_loop(&self, block: u32) -> bool {
        let data = &self.skeleton.blocks[block as usize];
        data.header && !self.is_undecided(block)
    }

    /// Whether a block only branches on a predicate that an arc into it may know.
    fn is_undecided(&self, block: u32) -> bool {
        self.may_pass(block) && matches!(self.skeleton.blocks[block as usize].term, Term::Ctl(_))
    }

    fn begin(&mut self, block: Option<u32>, only: bool, source: PackedOption<SourceId>, arc: u32) {
        self.stamp += 1;
        let (stamp, at) = (self.stamp, self.skeleton.arcs[arc as usize].target);
        self.stack.push(Walk { block, only, at, env: vec![], stamp, source, repeat: false });
        self.follow(arc);
    }

    /// Moves the current walk along an arc.
    fn follow(&mut self, arc: u32) {
        let skeleton = self.skeleton;
        self.assign(skeleton.assigns(arc));
        let walk = self.stack.last_mut().expect("there is a walk");
        walk.at = skeleton.arcs[arc as usize].target;
        walk.repeat |= skeleton.arcs[arc as usize].repeat;
    }

    /// Appends a parallel assignment to those of the current walk.
    fn assign(&mut self, list: &[(Name, Name)]) {
        let Tracer { stack, slots, values, .. } = self;
        let walk = stack.last_mut().expect("there is a walk");
        values.clear();
        values.extend(list.iter().map(|&(_, value)| lookup(walk, slots, value)));
        for (&(name, _), &value) in list.iter().zip(values.iter()) {
            let slot = &mut slots[number(name)];
            if slot.0 == walk.stamp {
                walk.env[slot.1 as usize].1 = value;
            } else {
                *slot = (walk.stamp, walk.env.len() as u32);
                walk.env.push((name, value));
            }
        }
    }

    /// Moves the current walk on, or ends it.
    fn step(&mut self) -> Option<(Resolved, bool)> {
        let walk = self.stack.last().expect("there is a walk");
        let at = walk.at;
        if !self.may_pass(at) {
            return Some(self.end());
        }
        let data = &self.skeleton.blocks[at as usize];
        let arcs = self.skeleton.arc_numbers(at);
        match data.term {
            Term::Match(_) => Some(self.end()),
            Term::Ctl(predicate) => {
                let stamp = walk.stamp;
                let known = lookup(walk, &self.slots, predicate).as_ctl();
                let (Some(value), true) = (known, self.visits[at as usize] != stamp) else { return Some(self.end()) };
                self.visits[at as usize] = stamp;
                self.follow(arcs.start + value);
                None
            }
            Term::Jump => match self.states[at as usize] {
                State::Unknown => {
                    self.states[at as usize] = State::Active;
                    self.begin(Some(at), true, data.source, arcs.start);
                    None
                }
                State::Active => {
                    // An infinite loop in which nothing happens.
                    self.states[at as usize] = State::Kept;
                    Some(self.end())
                }
                State::SharedReturn if walk.only && walk.source.is_some() => {
                    self.follow(arcs.start);
                    None
                }
                State::Kept | State::SharedReturn => Some(self.end()),
                State::Passed(resolved, repeat) => {
                    let (start, end) = resolved.assigns;
                    let assigns = std::mem::take(&mut self.assigns);
                    self.assign(&assigns[start as usize..end as usize]);
                    self.assigns = assigns;
                    let walk = self.stack.last_mut().expect("there is a walk");
                    walk.at = resolved.target;
                    walk.repeat |= repeat;
                    if walk.source.is_none() {
                        walk.source = resolved.source;
                    }
                    // What it led to may be a shared return that this walk passes.
                    None
                }
            },
        }
    }

    /// Where the current walk has led.
    fn end(&mut self) -> (Resolved, bool) {
        let walk = self.stack.last_mut().expect("there is a walk");
        let (env, target, source, repeat) = (std::mem::take(&mut walk.env), walk.at, walk.source, walk.repeat);
        (Resolved { target, assigns: self.store(&env, target), source }, repeat)
    }

    /// Decides whether a block is passed, from where its arc leads.
    fn settle(&mut self, block: u32, resolved: Resolved, repeat: bool) {
        let data = &self.skeleton.blocks[block as usize];
        let state = match self.states[block as usize] {
            State::Kept => State::Kept,
            _ if data.header || data.source.is_some() && !self.is_undecided(resolved.target) => State::Kept,
            _ if !repeat && self.is_loop(resolved.target) => {
                self.preheaders.push(block);
                State::Kept
            }
            _ if resolved.target == EXIT => State::SharedReturn,
            _ => State::Passed(resolved, repeat),
        };
        self.states[block as usize] = state;
    }

    /// Keeps the assignments that matter at `target`.
    fn store(&mut self, env: &[(Name, Name)], target: u32) -> (u32, u32) {
        let start = self.assigns.len();
        let matters = |&&(name, value): &&(Name, Name)| name != value && self.skeleton.is_live(name, target);
        self.assigns.extend(env.iter().filter(matters));
        self.assigns[start..].sort_unstable();
        (start as u32, self.assigns.len() as u32)
    }
}

/// The value a name has after the assignments of a walk.
fn lookup(walk: &Walk, slots: &[(u32, u32)], name: Name) -> Name {
    match name.as_number().map(|index| slots[index]) {
        Some((stamp, slot)) if stamp == walk.stamp => walk.env[slot as usize].1,
        _ => name,
    }
}

fn number(variable: Name) -> usize {
    variable.as_number().expect("variables have numbers")
}
