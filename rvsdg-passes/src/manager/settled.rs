//! What stages need not do again on a body.

use std::sync::Arc;

use rvsdg_analysis::Surroundings;
use rvsdg_core::{Epoch, Graph};
use smallvec::SmallVec;

use crate::pass::{BodyPass, Change, LastEnd};

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
    fn find(&self, stage: usize) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.stage == stage)
    }

    /// Whether a stage would change nothing.
    pub fn is_settled(&self, stage: usize, known: Known) -> bool {
        self.find(stage).is_some_and(|entry| entry.is_settled && entry.surroundings.as_ref() == known)
    }

    /// The last time that a stage came to an end.
    pub fn last_end(&self, stage: usize, known: Known, graph: &Graph) -> Option<LastEnd> {
        let entry = self.find(stage)?;
        let epoch = entry.ended?;
        let learned = match (&entry.surroundings, known) {
            (None, None) => Vec::new(),
            (Some(then), Some(now)) => now.learned_since(then, graph)?,
            (None, Some(_)) | (Some(_), None) => return None,
        };
        Some(LastEnd { epoch, learned })
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
    use rvsdg_core::module::SymbolKind;
    use rvsdg_core::text::parse_module;
    use rvsdg_core::{Body, Module, Pool, Symbol};

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
    fn known(settled: &Settled, stage: usize, surroundings: Known, graph: &Graph) -> (bool, bool) {
        (settled.is_settled(stage, surroundings), settled.last_end(stage, surroundings, graph).is_some())
    }

    #[test]
    fn stages_are_settled_until_the_body_changes() {
        let mut graph = Graph::new(Arc::new(Pool::new()));
        let [plain, ends] = [false, true].map(|comes_to_an_end| Example { comes_to_an_end });
        let mut settled = Settled::default();
        settled.ran((0, &plain), None, Change::Unchanged, false, &mut graph);
        settled.ran((1, &ends), None, Change::Unchanged, false, &mut graph);
        assert_eq!(
            [0, 1, 2].map(|stage| known(&settled, stage, None, &graph)),
            [(true, false), (true, true), (false, false)]
        );
        // What changed a body may change it again, unless it comes to an end.
        settled.ran((2, &plain), None, Change::Changed, false, &mut graph);
        assert_eq!(
            [0, 1, 2].map(|stage| known(&settled, stage, None, &graph)),
            [(false, false), (false, true), (false, false)]
        );
        let end = |settled: &Settled, graph: &Graph| settled.last_end(1, None, graph).map(|end| end.epoch);
        let before = end(&settled, &graph);
        settled.ran((1, &ends), None, Change::Changed, false, &mut graph);
        assert_eq!(known(&settled, 1, None, &graph), (true, true));
        assert!(end(&settled, &graph) > before);
        // A limit may have left something to do.
        settled.ran((1, &ends), None, Change::Changed, true, &mut graph);
        assert_eq!(known(&settled, 1, None, &graph), (false, false));
        settled.ran((0, &plain), None, Change::Unchanged, true, &mut graph);
        assert_eq!(known(&settled, 0, None, &graph), (false, false));
    }

    #[test]
    fn other_surroundings_may_allow_more() {
        let text = r#"module "test"

@f = function i32 (i32)
@g = function i32 (i32), #0
@h = function i32 (i32), #1

import @f
lambda @g [@f] (v0: i32, mem0, io0) {
  v1: i32, mem1, io1 = call i32 (i32) @f(v0), mem0, io0
  yield v1, mem1, io1
}
lambda @h [@f] (v0: i32, mem0, io0) {
  v1: i32, mem1, io1 = call i32 (i32) @f(v0), mem0, io0
  yield v1, mem1, io1
}
export @g
export @h

attributes #0 = function { nounwind }
attributes #1 = function { cold }
"#;
        let mut module = parse_module(text).expect("the test's module is well-formed");
        let bodies: Vec<Body> = module.lambdas().into_iter().map(|lambda| lambda.body()).collect();
        let around = |module: &Module| Surroundings::of_all(module)[&bodies[0]].clone();
        let symbol = |name: &str| module.symbols.iter().find(|(_, data)| &*data.name == name).unwrap().0;
        let [callee, own, other] = ["f", "g", "h"].map(symbol);
        let graph = module.bodies[bodies[0]].graph().unwrap().clone();
        let arguments = graph.arguments(graph.root()).to_vec();
        let first = around(&module);

        let ends = Example { comes_to_an_end: true };
        let mut settled = Settled::default();
        settled.ran((0, &ends), Some(&first), Change::Unchanged, false, &mut graph.clone());
        assert_eq!(known(&settled, 0, Some(&first.clone()), &graph), (true, true));
        assert_eq!(known(&settled, 0, None, &graph), (false, false));
        let mut learned = |changed: Symbol, from: Symbol| {
            let SymbolKind::Function { attributes: new, .. } = module.symbols[from].kind else { panic!() };
            let SymbolKind::Function { attributes, .. } = &mut module.symbols[changed].kind else { panic!() };
            *attributes = new;
            let now = around(&module);
            assert!(!settled.is_settled(0, Some(&now)));
            settled.last_end(0, Some(&now), &graph).unwrap().learned
        };
        assert_eq!(learned(callee, other), [arguments[0]]);
        assert_eq!(learned(own, other), arguments[..2]);

        module.header.triple = "nvptx64-nvidia-cuda".into();
        assert_eq!(known(&settled, 0, Some(&around(&module)), &graph), (false, false));
    }
}
