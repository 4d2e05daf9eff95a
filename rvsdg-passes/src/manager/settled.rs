//! What stages need not do again on a body.

use std::sync::Arc;

use rvsdg_analysis::Surroundings;
use rvsdg_core::{Epoch, Graph};
use smallvec::SmallVec;

use crate::pass::{BodyPass, Change};

/// The surroundings that a stage had on a body, if it wants them.
pub(super) type Known<'s> = Option<&'s Arc<Surroundings>>;

/// The stages that need not be run on a body again with equal surroundings, or only where it was edited since.
#[derive(Default)]
pub(super) struct Settled(SmallVec<[Entry; 8]>);

struct Entry {
    /// The number of the stage.
    stage: usize,
    surroundings: Option<Arc<Surroundings>>,
    /// Whether the body is as the stage left it.
    is_settled: bool,
    /// The epoch that began after the stage, if it [comes to an end](BodyPass::comes_to_an_end).
    ended: Option<Epoch>,
}

impl Settled {
    fn find(&self, stage: usize, known: Known) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.stage == stage && entry.surroundings.as_ref() == known)
    }

    /// Whether a stage would change nothing.
    pub fn is_settled(&self, stage: usize, known: Known) -> bool {
        self.find(stage, known).is_some_and(|entry| entry.is_settled)
    }

    /// The epoch that began when a stage last came to an end.
    pub fn last_end(&self, stage: usize, known: Known) -> Option<Epoch> {
        self.find(stage, known)?.ended
    }

    /// Records that a stage was run, whether it changed the body, and whether a limit kept it from going on.
    pub fn ran(
        &mut self,
        stage: (usize, &dyn BodyPass),
        known: Known,
        change: Change,
        is_cut: bool,
        graph: &mut Graph,
    ) {
        let (number, stage) = stage;
        self.0.retain(|entry| entry.stage != number && (entry.ended.is_some() || !change.is_changed()));
        if change.is_changed() {
            self.0.iter_mut().for_each(|entry| entry.is_settled = false);
        }
        if !is_cut && (stage.comes_to_an_end() || !change.is_changed()) {
            let ended = stage.comes_to_an_end().then(|| graph.next_epoch());
            self.0.push(Entry { stage: number, surroundings: known.cloned(), is_settled: true, ended });
        }
    }
}

#[cfg(test)]
mod tests {
    use rvsdg_core::Pool;

    use super::*;
    use crate::pass::PassCx;

    struct Example {
        comes_to_an_end: bool,
    }

    impl BodyPass for Example {
        fn run(&self, _: &mut Graph, _: &PassCx) -> Change {
            Change::Unchanged
        }

        fn comes_to_an_end(&self) -> bool {
            self.comes_to_an_end
        }
    }

    /// Whether a stage is settled, and whether it is known when it came to an end.
    fn known(settled: &Settled, stage: usize, surroundings: Known) -> (bool, bool) {
        (settled.is_settled(stage, surroundings), settled.last_end(stage, surroundings).is_some())
    }

    #[test]
    fn stages_are_settled_until_the_body_changes() {
        let mut graph = Graph::new(Arc::new(Pool::new()));
        let [plain, ends] = [false, true].map(|comes_to_an_end| Example { comes_to_an_end });
        let mut settled = Settled::default();
        settled.ran((0, &plain), None, Change::Unchanged, false, &mut graph);
        settled.ran((1, &ends), None, Change::Unchanged, false, &mut graph);
        assert_eq!([0, 1, 2].map(|stage| known(&settled, stage, None)), [(true, false), (true, true), (false, false)]);
        // What changed a body may change it again, unless it comes to an end.
        settled.ran((2, &plain), None, Change::Changed, false, &mut graph);
        assert_eq!(
            [0, 1, 2].map(|stage| known(&settled, stage, None)),
            [(false, false), (false, true), (false, false)]
        );
        let before = settled.last_end(1, None);
        settled.ran((1, &ends), None, Change::Changed, false, &mut graph);
        assert_eq!(known(&settled, 1, None), (true, true));
        assert!(settled.last_end(1, None) > before);
        // A limit may have left something to do.
        settled.ran((1, &ends), None, Change::Changed, true, &mut graph);
        assert_eq!(known(&settled, 1, None), (false, false));
        settled.ran((0, &plain), None, Change::Unchanged, true, &mut graph);
        assert_eq!(known(&settled, 0, None), (false, false));
    }

    #[test]
    fn other_surroundings_may_allow_more() {
        let mut graph = Graph::new(Arc::new(Pool::new()));
        let ends = Example { comes_to_an_end: true };
        let mut settled = Settled::default();
        let surroundings = Arc::new(Surroundings::default());
        settled.ran((0, &ends), Some(&surroundings), Change::Unchanged, false, &mut graph);
        assert_eq!(known(&settled, 0, Some(&Arc::new(Surroundings::default()))), (true, true));
        assert_eq!(known(&settled, 0, None), (false, false));
    }
}
