//! The registry: what a pipeline may contain. Names on the command line, help, documentation and labels in reports come from here.
//!
//! [`Registry::builtin`] has the passes of this crate. A pass from elsewhere is one more [`Entry`], and can then be used wherever a
//! pipeline is accepted:
//!
//! ```
//! use rvsdg_passes::registry::{Entry, Registry};
//! use rvsdg_passes::{BodyPass, Change, PassCx, Pipeline, Stage};
//!
//! /// Counts the nodes of bodies.
//! struct Census;
//!
//! impl BodyPass for Census {
//!     fn run(&self, graph: &mut rvsdg_core::Graph, cx: &PassCx) -> Change {
//!         cx.count("nodes", graph.node_count() as u64);
//!         Change::Unchanged
//!     }
//! }
//!
//! let census = Entry::new("census", "Counts nodes.", || vec![Stage::Bodies(Box::new(Census))]);
//! let registry = Registry::builtin().with(census);
//! let pipeline = Pipeline::parse_with("census,simplify,repeat<2>(census,dne)", &registry)?;
//! assert_eq!(pipeline.passes()[0].entry.name, "census");
//! # Ok::<(), rvsdg_passes::PipelineError>(())
//! ```

mod builtin;

use std::fmt::Write;
use std::sync::{Arc, LazyLock};

use rvsdg_core::Module;
use rvsdg_core::op::ExtHooks;

use crate::pass::Stage;
use crate::scalar::node_reduction::rule::{Rule, Rules};

/// Makes the stages of a pass.
type Stages = Arc<dyn Fn() -> Vec<Stage> + Send + Sync>;

/// Makes the stages of a pass from its options, or returns what is wrong with them.
type StagesWith = Arc<dyn Fn(&str) -> Result<Vec<Stage>, String> + Send + Sync>;

/// A pass that pipelines can name.
///
/// ```
/// use rvsdg_passes::{BodyPass, Change, Entry, PassCx, Pipeline, PlannedPass, Registry, Stage};
///
/// struct Nothing;
///
/// impl BodyPass for Nothing {
///     fn run(&self, _: &mut rvsdg_core::Graph, _: &PassCx) -> Change {
///         Change::Unchanged
///     }
/// }
///
/// let entry = Entry::new("nothing", "Does nothing.", || vec![Stage::Bodies(Box::new(Nothing))]).short("nth");
/// assert!(entry.is_called("nth") && entry.is_called("nothing"));
/// let registry = Registry::builtin().with(entry);
/// assert_eq!(Pipeline::parse_with("nth,dne", &registry)?.passes().len(), 2);
/// # Ok::<(), rvsdg_passes::PipelineError>(())
/// ```
#[derive(Clone)]
pub struct Entry {
    /// The name in pipelines and in everything that is printed.
    pub name: &'static str,
    /// A second name, accepted wherever the name is; passes of this crate have the thesis's three letters or similar.
    pub short: Option<&'static str>,
    /// What the pass does, in one line.
    pub summary: &'static str,
    /// Where the algorithm is described; may be empty.
    pub source: &'static str,
    /// The passes that must come first in a named pipeline that has both.
    pub after: Vec<After>,
    stages: Stages,
    options: Option<Options>,
}

/// An ordering constraint: in a named pipeline that has both passes, the first execution of `pass` comes before the first execution of
/// the pass with the constraint. A list of passes on the command line runs as written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct After {
    /// The name of the pass that comes first.
    pub pass: &'static str,
    /// The reason: what would be lost in the other order.
    pub because: &'static str,
}

/// The options of a pass, written after its name as in `inline<once>`.
#[derive(Clone)]
struct Options {
    summary: &'static str,
    stages: StagesWith,
}

impl Entry {
    /// A pass that takes no options. `stages` makes its stages in the order in which they run.
    pub fn new(
        name: &'static str,
        summary: &'static str,
        stages: impl Fn() -> Vec<Stage> + Send + Sync + 'static,
    ) -> Entry {
        Entry { name, short: None, summary, source: "", after: Vec::new(), stages: Arc::new(stages), options: None }
    }

    /// Gives it a short name.
    #[must_use]
    pub fn short(self, short: &'static str) -> Entry {
        Entry { short: Some(short), ..self }
    }

    /// Says where the algorithm is described.
    #[must_use]
    pub fn described_in(self, source: &'static str) -> Entry {
        Entry { source, ..self }
    }

    /// Adds an ordering constraint: another pass comes first in named pipelines, for this reason.
    #[must_use]
    pub fn after(mut self, pass: &'static str, because: &'static str) -> Entry {
        self.after.push(After { pass, because });
        self
    }

    /// Gives it options: a summary of them, for messages and documentation, and a function that makes the stages.
    #[must_use]
    pub fn with_options(
        self,
        summary: &'static str,
        stages: impl Fn(&str) -> Result<Vec<Stage>, String> + Send + Sync + 'static,
    ) -> Entry {
        Entry { options: Some(Options { summary, stages: Arc::new(stages) }), ..self }
    }

    /// Whether this is its name or its short name.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.short == Some(name)
    }

    /// Its short name, or its name if it has none.
    pub fn short_name(&self) -> &'static str {
        self.short.unwrap_or(self.name)
    }

    /// Its stages without options.
    pub fn stages(&self) -> Vec<Stage> {
        (self.stages)()
    }

    /// Its stages with options; `None` if it takes none.
    ///
    /// # Errors
    /// What is wrong with the options.
    pub fn stages_with(&self, options: &str) -> Option<Result<Vec<Stage>, String>> {
        self.options.as_ref().map(|known| (known.stages)(options))
    }
}

/// A named pipeline.
#[derive(Copy, Clone, Debug)]
pub struct NamedPipeline {
    /// The name, which may be used in a pipeline like that of a pass.
    pub name: &'static str,
    /// What it is for, in one line.
    pub summary: &'static str,
    /// The passes and named pipelines that it consists of.
    pub text: &'static str,
}

/// Passes and named pipelines. Cheap to copy.
///
/// ```
/// use rvsdg_passes::Registry;
///
/// let registry = Registry::builtin();
/// let pass = registry.find("dne").ok_or("it has a short name, too")?;
/// assert_eq!(pass.name, "dead-node-elimination");
/// assert!(registry.find_pipeline("default<O2>").is_some());
/// assert!(registry.help().contains("dead-node-elimination"));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone)]
pub struct Registry {
    passes: Vec<Arc<Entry>>,
    pipelines: Vec<NamedPipeline>,
    /// Rules of node reduction from elsewhere.
    rules: Vec<&'static Rule>,
    /// What dialects register about their operations.
    hooks: Arc<[ExtHooks]>,
}

impl Registry {
    /// The passes of this crate, and the levels made of them.
    pub fn builtin() -> &'static Registry {
        static BUILTIN: LazyLock<Registry> = LazyLock::new(|| Registry {
            passes: builtin::passes().into_iter().map(Arc::new).collect(),
            pipelines: builtin::PIPELINES.to_vec(),
            rules: Vec::new(),
            hooks: [].into(),
        });
        &BUILTIN
    }

    /// The registry with one more pass, which replaces one of the same name if there is any, and keeps that one's short name unless it
    /// has one.
    #[must_use]
    pub fn with(&self, entry: Entry) -> Registry {
        let mut registry = self.clone();
        match registry.passes.iter_mut().find(|known| known.name == entry.name) {
            Some(known) => *known = Arc::new(Entry { short: entry.short.or(known.short), ..entry }),
            None => registry.passes.push(Arc::new(entry)),
        }
        registry
    }

    /// The registry with one more named pipeline, which replaces one of the same name if there is any, for example a level. Its text is
    /// read when it is used.
    #[must_use]
    pub fn with_pipeline(&self, pipeline: NamedPipeline) -> Registry {
        let mut registry = self.clone();
        match registry.pipelines.iter_mut().find(|known| known.name == pipeline.name) {
            Some(known) => *known = pipeline,
            None => registry.pipelines.push(pipeline),
        }
        registry
    }

    /// The registry whose node reduction also tries these rules, after its own and those added before. The laws that rules obey are in
    /// `README.md` beside [`crate::scalar::node_reduction`].
    #[must_use]
    pub fn with_rules(&self, rules: &'static [Rule]) -> Registry {
        let mut registry = self.clone();
        registry.rules.extend(rules);
        let table = Arc::new(Rules::with(&registry.rules));
        registry.with(builtin::reduction(table))
    }

    /// The registry with hooks for operations of a dialect: [`ExtHooks::verify`] is called whenever a graph is verified, and
    /// [`ExtHooks::cost`] wherever passes weigh code: inlining, unrolling, unswitching, if-conversion.
    ///
    /// ```
    /// use rvsdg_core::op::ExtHooks;
    /// use rvsdg_core::text::parse_module;
    /// use rvsdg_passes::Registry;
    ///
    /// let hooks = ExtHooks { verify: |_, _| Err("nobody may tick".to_owned()), cost: |_, _| 7, ..ExtHooks::new("clock.tick") };
    /// let registry = Registry::builtin().with_operations(&[hooks]);
    /// let module = parse_module(
    ///     "module \"example\"
    /// @f = function void ()
    /// lambda @f [] (mem0, io0) {
    ///   io1 = ext \"clock.tick\" (io) -> (io) io0
    ///   yield mem0, io1
    /// }
    /// export @f
    /// ",
    /// )?;
    /// registry.introduce_operations(&module);
    /// let violations = module.verify().err().ok_or("it is not valid")?;
    /// assert!(violations.to_string().contains("nobody may tick (Dialect)"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_operations(&self, hooks: &[ExtHooks]) -> Registry {
        let hooks = self.hooks.iter().chain(hooks).copied().collect();
        Registry { hooks, ..self.clone() }
    }

    /// Registers the hooks of dialect operations with a module's graphs.
    pub fn introduce_operations(&self, module: &Module) {
        if !self.hooks.is_empty() {
            module.pool.set_ext_hooks(self.hooks.clone());
        }
    }

    /// The passes: those of this crate by name, then the others in the order in which they were added.
    pub fn passes(&self) -> &[Arc<Entry>] {
        &self.passes
    }

    /// The named pipelines, in the same order; those that others contain come first.
    pub fn pipelines(&self) -> &[NamedPipeline] {
        &self.pipelines
    }

    /// The pass with this name or short name; the one added last if there are several.
    pub fn find(&self, name: &str) -> Option<&Arc<Entry>> {
        self.passes.iter().rev().find(|entry| entry.is_called(name))
    }

    /// The named pipeline called `name`.
    pub fn find_pipeline(&self, name: &str) -> Option<&NamedPipeline> {
        self.pipelines.iter().find(|pipeline| pipeline.name == name)
    }

    /// The list of passes for `--help`: one line per pass.
    pub fn help(&self) -> String {
        let mut text = String::new();
        for entry in &self.passes {
            let _ = writeln!(text, "  {:<27} {:<5} {}", entry.name, entry.short.unwrap_or_default(), entry.summary);
        }
        text
    }

    /// The documentation page of the passes; for those of this crate it is `docs/passes.md`.
    pub fn markdown(&self) -> String {
        let mut text = String::from(
            "# Passes\n\n\
             <!-- Made from the tables in rvsdg-passes/src/registry; RVSDG_BLESS=1 cargo test -p rvsdg-passes writes it. -->\n\n\
             A pipeline is a list of passes, `dne,cne,dne`. `repeat<3>(cne,dne)` runs a list three times, and `rvsdg(…)` groups\n\
             a list. The named pipelines of the last table may be used like passes. Every pass has a short name, which is accepted\n\
             wherever the name is: in `-passes=`, `-pass-remarks=` and the like. Output uses the long names.\n\n\
             A pass that runs bottom-up on the call graph may have a nested pipeline, `iln(sra,red,dne)`. It runs on each function\n\
             that the pass changed, before the callers are visited; module stages of the nested passes are skipped.\n\n\
             | pass | short | what it does | runs on | described in |\n|---|---|---|---|---|\n",
        );
        for entry in &self.passes {
            let mut kinds: Vec<&str> = entry
                .stages()
                .iter()
                .map(|stage| match stage {
                    Stage::Bodies(_) => "every function",
                    Stage::Module(_) => "the module",
                    Stage::BottomUp(_) => "the call graph, bottom-up",
                })
                .collect();
            kinds.dedup();
            let (kinds, short) = (kinds.join(", then "), entry.short.map(|short| format!("`{short}`")));
            let Entry { name, summary, source, .. } = &**entry;
            let _ = writeln!(text, "| `{name}` | {} | {summary} | {kinds} | {source} |", short.unwrap_or_default());
        }
        text.push_str("\nPasses with options:\n\n");
        for entry in &self.passes {
            if let Some(options) = &entry.options {
                let _ = writeln!(text, "- `{}`: {}", entry.name, options.summary);
            }
        }
        text.push_str(
            "\nOrdering constraints: in a named pipeline that has both passes, the one in the second column must run before the\n\
             first use of the one in the first. This is checked when such a pipeline is read; a list of passes on the command\n\
             line runs as written.\n\n\
             | pass | first runs after | reason |\n|---|---|---|\n",
        );
        for entry in &self.passes {
            for After { pass, because } in &entry.after {
                let _ = writeln!(text, "| `{}` | `{pass}` | {because} |", entry.name);
            }
        }
        text.push_str("\n| pipeline | stands for | use |\n|---|---|---|\n");
        for pipeline in &self.pipelines {
            let stands_for = if pipeline.text.is_empty() { "nothing".into() } else { format!("`{}`", pipeline.text) };
            let _ = writeln!(text, "| `{}` | {} | {} |", pipeline.name, stands_for, pipeline.summary);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use rvsdg_analysis::seeded::Bug;

    use super::*;

    #[test]
    fn names_are_distinct_and_passes_sorted_by_them() {
        let registry = Registry::builtin();
        assert!(registry.passes().is_sorted_by(|a, b| a.name < b.name));
        let passes = registry.passes().iter().flat_map(|entry| entry.short.into_iter().chain([entry.name]));
        let mut names: Vec<&str> = passes.chain(registry.pipelines().iter().map(|pipeline| pipeline.name)).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn constraints_are_about_passes_that_exist() {
        let registry = Registry::builtin();
        for After { pass, .. } in registry.passes().iter().flat_map(|entry| &entry.after) {
            assert!(registry.passes().iter().any(|entry| entry.name == *pass), "{pass}");
        }
    }

    #[test]
    fn help_names_every_pass() {
        assert_eq!(Registry::builtin().help().lines().count(), Registry::builtin().passes().len());
    }

    #[test]
    fn every_pass_has_three_seeded_bugs() {
        for pass in Registry::builtin().passes() {
            assert!(Bug::ALL.iter().filter(|bug| pass.is_called(bug.pass())).count() >= 3, "{}", pass.name);
        }
    }
}
