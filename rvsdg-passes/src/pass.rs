//! What a pass is.

use std::cell::RefCell;
use std::ops::BitOrAssign;

use rvsdg_core::{Body, Graph, Module};
use smallvec::SmallVec;

/// Whether a pass changed what it was given.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
#[must_use]
pub enum Change {
    /// Nothing was changed: the structural hash is as before.
    #[default]
    Unchanged,
    /// Something was changed.
    Changed,
}

impl Change {
    /// `Changed` when the condition holds.
    pub fn when(condition: bool) -> Change {
        if condition { Change::Changed } else { Change::Unchanged }
    }

    /// Whether something was changed.
    pub fn is_changed(self) -> bool {
        self == Change::Changed
    }
}

impl BitOrAssign for Change {
    fn bitor_assign(&mut self, other: Change) {
        *self = Change::when(self.is_changed() || other.is_changed());
    }
}

/// What one execution counted, in the order of first use.
pub(crate) type Counts = SmallVec<[(&'static str, u64); 8]>;

/// What the manager gives to one execution of a pass, and gets back from it.
#[derive(Default)]
pub struct PassCx {
    counters: RefCell<Counts>,
    changed_bodies: RefCell<Vec<Body>>,
}

impl PassCx {
    /// A context without counts.
    pub fn new() -> PassCx {
        PassCx::default()
    }

    /// Adds to a counter of the pass. Counters are made by their first use; they are reported by name.
    pub fn count(&self, counter: &'static str, amount: u64) {
        if amount == 0 {
            return;
        }
        let mut counters = self.counters.borrow_mut();
        match counters.iter_mut().find(|(name, _)| *name == counter) {
            Some((_, count)) => *count += amount,
            None => counters.push((counter, amount)),
        }
    }

    /// What a counter has come to.
    pub fn counter(&self, counter: &str) -> u64 {
        self.counters.borrow().iter().find(|(name, _)| *name == counter).map_or(0, |&(_, count)| count)
    }

    /// Said by a module pass about every body it changed and left in the module.
    pub fn body_changed(&self, body: Body) {
        self.changed_bodies.borrow_mut().push(body);
    }

    /// The counters, and the bodies that a module pass changed.
    pub(crate) fn into_parts(self) -> (Counts, Vec<Body>) {
        (self.counters.into_inner(), self.changed_bodies.into_inner())
    }
}

/// A pass, or a part of one, that looks at one body at a time. Bodies are given to it in any order and in parallel.
pub trait BodyPass: Send + Sync {
    /// Transforms a valid body into a valid body of the same meaning and signature.
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change;

    /// Whether it may be given bodies with funclets ([`Graph::has_funclets`]). It must leave alone what decides where
    /// control goes there: neither copy, join nor move operations with states.
    fn keeps_funclets(&self) -> bool {
        false
    }
}

/// A pass, or a part of one, that looks at a whole module.
pub trait ModulePass: Send + Sync {
    /// Transforms a valid module into a valid module of the same meaning.
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change;
}

/// A part of a pass.
pub enum Stage {
    /// Runs on every body by itself.
    Bodies(Box<dyn BodyPass>),
    /// Runs once on the module.
    Module(Box<dyn ModulePass>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_add_up_and_leave_out_zeros() {
        let cx = PassCx::new();
        cx.count("nodes", 2);
        cx.count("edges", 0);
        cx.count("nodes", 3);
        assert_eq!(cx.into_parts().0.as_slice(), [("nodes", 5)]);
    }
}
