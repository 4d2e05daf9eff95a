//! Pipelines: sequences of passes, from values or from text.
//!
//! ```text
//! pipeline = [ item { "," item } ]
//! item     = pass [ "<" options ">" ] [ "(" pipeline ")" ] | named pipeline | "rvsdg" "(" pipeline ")" | "rvsdg" "<" level ">"
//!          | "repeat" "<" number ">" "(" pipeline ")" | foreign
//! foreign  = name [ "(" anything ")" ]
//! ```
//!
//! Whitespace is allowed between tokens. Passes may be written with their short names. `rvsdg<O2>` is `default<O2>`.
//!
//! A name that is in the registry is ours, even if LLVM has a pass of that name; any other is foreign, with everything in its
//! parentheses: in `function(inline)` nothing is ours. Inside `rvsdg(…)` everything is ours; it only groups. Only
//! [`Pipeline::parse_parts`] accepts foreign names; its caller knows their meaning.
//!
//! A pass that runs bottom-up on the call graph may have a nested pipeline. It runs on each function that the pass changed, before the
//! callers are visited; module stages of the nested passes are skipped.

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::pass::Stage;
use crate::registry::{After, Entry, NamedPipeline, Registry};

/// How many passes a pipeline may have after repetitions are expanded. More is a mistake in the text, which would otherwise first show as
/// exhausted memory.
pub const MAX_PASSES: usize = 10_000;

/// Passes in the order in which they run.
///
/// ```
/// use rvsdg_passes::Pipeline;
///
/// let pipeline = Pipeline::parse("cne,dne")?;
/// assert_eq!(pipeline.to_string(), "common-node-elimination,dead-node-elimination");
/// let error = Pipeline::parse("cne,dnx").err().map(|error| error.to_string());
/// assert!(error.is_some_and(|text| text.contains("unknown pass 'dnx'; did you mean 'dne'?")));
/// # Ok::<(), rvsdg_passes::PipelineError>(())
/// ```
#[derive(Clone, Default)]
pub struct Pipeline {
    passes: Vec<PlannedPass>,
}

/// A pass in a pipeline. Copies of it are the same pass, which is not run again on what has not changed since.
///
/// ```
/// use rvsdg_passes::{Pipeline, PlannedPass, Registry};
///
/// let registry = Registry::builtin();
/// let pass = |name: &str| registry.find(name).cloned().map(PlannedPass::new).ok_or("no such pass");
/// let pipeline: Pipeline = [pass("cne")?, pass("dne")?].into_iter().collect();
/// assert_eq!(pipeline.to_string(), "common-node-elimination,dead-node-elimination");
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone)]
pub struct PlannedPass {
    /// The pass.
    pub entry: Arc<Entry>,
    /// Its options as written, without brackets; empty if there are none.
    pub options: Arc<str>,
    /// Its stages.
    pub stages: Arc<[Stage]>,
    /// The nested pipeline, run on functions that a [bottom-up stage](Stage::BottomUp) changed before it continues.
    pub nested: Pipeline,
}

/// A part of a pipeline that may also contain passes that are not of the RVSDG.
pub enum Part {
    /// Passes of the registry.
    Ours(Pipeline),
    /// Names that are not in the registry, with everything in the parentheses after them, as written.
    Foreign(Foreign),
}

/// Text that the caller must interpret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Foreign {
    /// The text, items separated by commas.
    pub text: String,
    /// The error for its first item, should the caller not know it either.
    pub unknown: PipelineError,
}

/// A pipeline's text is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct PipelineError {
    /// The column, in characters, starting from 1.
    pub column: usize,
    /// The problem, and what was expected.
    pub message: String,
}

impl fmt::Display for PipelineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pass pipeline, column {}: {}", self.column, self.message)
    }
}

impl PlannedPass {
    /// A pass without options, from a [registry](Registry::find) or not.
    pub fn new(entry: impl Into<Arc<Entry>>) -> PlannedPass {
        let entry = entry.into();
        PlannedPass { options: "".into(), stages: entry.stages().into(), nested: Pipeline::default(), entry }
    }

    /// Whether it may have a nested pipeline.
    fn is_bottom_up(&self) -> bool {
        self.stages.iter().any(|stage| matches!(stage, Stage::BottomUp(_)))
    }

    /// Whether it has stages on bodies.
    fn is_on_bodies(&self) -> bool {
        self.stages.is_empty() || self.stages.iter().any(|stage| matches!(stage, Stage::Bodies(_)))
    }
}

impl FromIterator<PlannedPass> for Pipeline {
    fn from_iter<I: IntoIterator<Item = PlannedPass>>(passes: I) -> Pipeline {
        Pipeline { passes: passes.into_iter().collect() }
    }
}

impl Extend<PlannedPass> for Pipeline {
    fn extend<I: IntoIterator<Item = PlannedPass>>(&mut self, passes: I) {
        self.passes.extend(passes);
    }
}

impl Pipeline {
    /// Reads a pipeline of the passes of this crate.
    ///
    /// # Errors
    /// When the text is not of the form above, names a pass that does not exist, or repeats beyond [`MAX_PASSES`].
    pub fn parse(text: &str) -> Result<Pipeline, PipelineError> {
        Pipeline::parse_with(text, Registry::builtin())
    }

    /// Reads a pipeline of the passes of a registry.
    ///
    /// # Errors
    /// As [`Pipeline::parse`]; also if a named pipeline contains itself, or violates an [ordering constraint](Entry::after).
    pub fn parse_with(text: &str, registry: &Registry) -> Result<Pipeline, PipelineError> {
        let mut pipeline = Pipeline::default();
        for part in Pipeline::parse_parts(text, registry)? {
            match part {
                Part::Ours(part) => pipeline.passes.extend(part.passes),
                Part::Foreign(foreign) => return Err(foreign.unknown),
            }
        }
        Ok(pipeline)
    }

    /// Reads a pipeline in which names that are not in the registry are left to the caller, except inside `rvsdg(…)`.
    ///
    /// # Errors
    /// As [`Pipeline::parse_with`].
    pub fn parse_parts(text: &str, registry: &Registry) -> Result<Vec<Part>, PipelineError> {
        let mut shared = Shared { registry, known: FxHashMap::default(), within: Vec::new() };
        let items = Parser { text, position: 0, shared: &mut shared }.parse()?;
        let mut parts: Vec<Part> = Vec::new();
        for item in items {
            match (item, parts.last_mut()) {
                (Item::Pass(pass), Some(Part::Ours(pipeline))) => pipeline.passes.push(pass),
                (Item::Pass(pass), _) => parts.push(Part::Ours(Pipeline { passes: vec![pass] })),
                (Item::Foreign(next), Some(Part::Foreign(foreign))) => {
                    foreign.text.push(',');
                    foreign.text.push_str(&next.text);
                }
                (Item::Foreign(next), _) => parts.push(Part::Foreign(Foreign::clone(&next))),
            }
        }
        Ok(parts)
    }

    /// The passes in the order in which they run.
    pub fn passes(&self) -> &[PlannedPass] {
        &self.passes
    }
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, pass) in self.passes.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { "" } else { "," }, pass.entry.name)?;
            if !pass.options.is_empty() {
                write!(f, "<{}>", pass.options)?;
            }
            if !pass.nested.passes.is_empty() {
                write!(f, "({})", pass.nested)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pipeline({self})")
    }
}

/// An item of a pipeline after names are looked up.
#[derive(Clone)]
enum Item {
    Pass(PlannedPass),
    Foreign(Arc<Foreign>),
}

/// An open parenthesis.
struct Group {
    position: usize,
    times: usize,
    /// Whether everything in it is ours.
    is_ours: bool,
    /// The pass whose nested pipeline it is.
    pass: Option<PlannedPass>,
    items: Vec<Item>,
}

/// State shared by the texts of a pipeline and of the named pipelines in it.
struct Shared<'r> {
    registry: &'r Registry,
    /// Passes by name and options, so that each is made once.
    known: FxHashMap<(&'static str, String), PlannedPass>,
    /// The named pipelines that are being read.
    within: Vec<&'static str>,
}

struct Parser<'t, 's, 'r> {
    text: &'t str,
    position: usize,
    shared: &'s mut Shared<'r>,
}

impl<'t> Parser<'t, '_, '_> {
    fn parse(mut self) -> Result<Vec<Item>, PipelineError> {
        let mut groups = vec![Group { position: 0, times: 1, is_ours: false, pass: None, items: Vec::new() }];
        self.skip_space();
        if self.rest().is_empty() {
            return Ok(Vec::new());
        }
        loop {
            // An item.
            let start = self.position;
            let name = self.name();
            let is_ours = groups.last().is_some_and(|group| group.is_ours);
            if let Some(level) = name.strip_prefix("rvsdg<").and_then(|level| level.strip_suffix('>')) {
                let items = self.level(start, level)?;
                self.extend(start, &mut groups, &items, 1)?;
            } else if name == "rvsdg" || (name.starts_with("repeat<") && name.ends_with('>')) {
                let times = if name == "rvsdg" { 1 } else { self.times(start, name)? };
                self.expect('(')?;
                let is_ours = is_ours || name == "rvsdg";
                groups.push(Group { position: start, times, is_ours, pass: None, items: Vec::new() });
                if !self.eat(')') {
                    continue;
                }
                self.close(&mut groups)?;
            } else {
                let mut items = self.named(start, name, is_ours)?;
                if let [Item::Pass(pass)] = &mut items[..]
                    && pass.is_bottom_up()
                    && pass.nested.passes.is_empty()
                    && self.eat('(')
                {
                    let pass = Some(pass.clone());
                    groups.push(Group { position: start, times: 1, is_ours: true, pass, items: Vec::new() });
                    if !self.eat(')') {
                        continue;
                    }
                    self.close(&mut groups)?;
                } else {
                    self.extend(start, &mut groups, &items, 1)?;
                }
            }
            // What follows it.
            while self.eat(')') {
                self.close(&mut groups)?;
            }
            if self.eat(',') {
                continue;
            }
            if !self.rest().is_empty() {
                return Err(self.error(self.position, "expected ',' or the end"));
            }
            let last = groups.pop().expect("the outermost group is never closed");
            if !groups.is_empty() {
                return Err(self.error(last.position, "this parenthesis is not closed"));
            }
            return Ok(last.items);
        }
    }

    fn close(&self, groups: &mut Vec<Group>) -> Result<(), PipelineError> {
        let group = groups.pop().expect("the outermost group is never closed");
        if groups.is_empty() {
            return Err(self.error(self.position - 1, "expected ',' or the end, found a ')' that closes nothing"));
        }
        let Some(pass) = group.pass else { return self.extend(group.position, groups, &group.items, group.times) };
        let nested: Pipeline = ours(&group.items).cloned().collect();
        if let Some(other) = nested.passes.iter().find(|pass| !pass.is_on_bodies()) {
            let message = format!(
                "'{}' does nothing on single functions, so '{}' cannot have it nested",
                other.entry.name, pass.entry.name
            );
            return Err(self.error(group.position, &message));
        }
        self.extend(group.position, groups, &[Item::Pass(PlannedPass { nested, ..pass })], 1)
    }

    fn extend(&self, position: usize, groups: &mut [Group], items: &[Item], times: usize) -> Result<(), PipelineError> {
        let group = groups.last_mut().expect("the outermost group is never closed");
        if items.len().saturating_mul(times).saturating_add(group.items.len()) > MAX_PASSES {
            return Err(self.error(position, &format!("more than {MAX_PASSES} passes")));
        }
        for _ in 0..times {
            group.items.extend_from_slice(items);
        }
        Ok(())
    }

    fn named(&mut self, start: usize, name: &'t str, is_ours: bool) -> Result<Vec<Item>, PipelineError> {
        let registry = self.shared.registry;
        if let Some(entry) = registry.find(name) {
            let pass = || PlannedPass::new(entry.clone());
            let known = self.shared.known.entry((entry.name, String::new())).or_insert_with(pass);
            return Ok(vec![Item::Pass(known.clone())]);
        }
        if let Some((pass, options)) = name.strip_suffix('>').and_then(|name| name.split_once('<'))
            && let Some(entry) = registry.find(pass)
            && let Some(stages) = entry.stages_with(options)
        {
            let column = start + pass.len() + 1;
            let stages = stages.map_err(|message| self.error(column, &message))?;
            let pass = || PlannedPass {
                entry: entry.clone(),
                options: options.into(),
                stages: stages.into(),
                nested: Pipeline::default(),
            };
            let known = self.shared.known.entry((entry.name, options.to_owned())).or_insert_with(pass);
            return Ok(vec![Item::Pass(known.clone())]);
        }
        if let Some(pipeline) = registry.find_pipeline(name) {
            return self.pipeline(start, pipeline);
        }
        if name.is_empty() {
            return Err(self.error(start, &format!("expected the name of a pass; {}", known(registry))));
        }
        let hint = match suggestion(name, registry) {
            Some(near) => format!("did you mean '{near}'?"),
            None => known(registry),
        };
        let unknown = self.error(start, &format!("unknown pass '{name}'; {hint}"));
        if is_ours || !self.shared.within.is_empty() {
            return Err(unknown);
        }
        self.parenthesized()?;
        let text = self.text[start..self.position].trim_end().to_owned();
        Ok(vec![Item::Foreign(Arc::new(Foreign { text, unknown }))])
    }

    /// The items of `rvsdg<level>`.
    fn level(&mut self, start: usize, level: &str) -> Result<Vec<Item>, PipelineError> {
        match self.shared.registry.find_pipeline(&format!("default<{level}>")) {
            Some(pipeline) => self.pipeline(start, pipeline),
            None => Err(self.error(start + "rvsdg<".len(), &format!("expected a level such as O2, found '{level}'"))),
        }
    }

    /// The items of a named pipeline.
    fn pipeline(&mut self, start: usize, pipeline: &NamedPipeline) -> Result<Vec<Item>, PipelineError> {
        let &NamedPipeline { name, text, .. } = pipeline;
        if self.shared.within.contains(&name) {
            return Err(self.error(start, &format!("the pipeline '{name}' stands for itself")));
        }
        self.shared.within.push(name);
        let items = Parser { text, position: 0, shared: &mut *self.shared }.parse();
        self.shared.within.pop();
        let within = |error: PipelineError| {
            self.error(start, &format!("in the pipeline '{name}', column {}: {}", error.column, error.message))
        };
        let items = items.map_err(within)?;
        if let Some((pass, After { pass: first, because })) = disorder(&items) {
            let message =
                format!("the pipeline '{name}' runs '{pass}' before '{first}', but should after it: {because}");
            return Err(self.error(start, &message));
        }
        Ok(items)
    }

    /// Skips a parenthesized text, if one follows.
    fn parenthesized(&mut self) -> Result<(), PipelineError> {
        let (start, mut depth) = (self.position, 0_usize);
        if !self.rest().starts_with('(') {
            return Ok(());
        }
        for (at, letter) in self.rest().char_indices() {
            match letter {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.position += at + 1;
                self.skip_space();
                return Ok(());
            }
        }
        Err(self.error(start, "this parenthesis is not closed"))
    }

    fn times(&self, start: usize, name: &str) -> Result<usize, PipelineError> {
        let number = &name["repeat<".len()..name.len() - 1];
        number.parse().map_err(|_| self.error(start + "repeat<".len(), &format!("expected a number, found '{number}'")))
    }

    fn rest(&self) -> &'t str {
        &self.text[self.position..]
    }

    fn skip_space(&mut self) {
        self.position = self.text.len() - self.rest().trim_start().len();
    }

    /// The longest text without punctuation of pipelines.
    fn name(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find([',', '(', ')']).unwrap_or(rest.len());
        let name = rest[..end].trim_end();
        self.position += name.len();
        self.skip_space();
        name
    }

    fn eat(&mut self, token: char) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.position += token.len_utf8();
            self.skip_space();
        }
        found
    }

    fn expect(&mut self, token: char) -> Result<(), PipelineError> {
        if self.eat(token) { Ok(()) } else { Err(self.error(self.position, &format!("expected '{token}'"))) }
    }

    fn error(&self, position: usize, message: &str) -> PipelineError {
        let column = self.text[..position].chars().count() + 1;
        PipelineError { column, message: message.into() }
    }
}

/// The passes among items.
fn ours(items: &[Item]) -> impl Iterator<Item = &PlannedPass> {
    items.iter().filter_map(|item| match item {
        Item::Pass(pass) => Some(pass),
        Item::Foreign(_) => None,
    })
}

/// The first ordering constraint that a list of items violates, with the pass that has it.
fn disorder(items: &[Item]) -> Option<(&'static str, After)> {
    let passes =
        || ours(items).flat_map(|pass| std::iter::once(pass).chain(pass.nested.passes())).map(|pass| &pass.entry);
    passes().enumerate().find_map(|(index, entry)| {
        let is_first = !passes().take(index).any(|before| before.name == entry.name);
        let broken = |after: &&After| {
            let mut places = passes().map(|other| other.is_called(after.pass));
            places.position(|is_it| is_it).is_some_and(|place| place > index)
        };
        let after = entry.after.iter().filter(|_| is_first).find(broken)?;
        Some((entry.name, *after))
    })
}

fn known(registry: &Registry) -> String {
    let names: Vec<String> = registry
        .passes()
        .iter()
        .map(|entry| entry.short.map_or_else(|| entry.name.to_owned(), |short| format!("{} ({short})", entry.name)))
        .collect();
    format!("the passes are {}", names.join(", "))
}

/// The name nearest to a misspelled one, if one is near enough.
fn suggestion(name: &str, registry: &Registry) -> Option<&'static str> {
    let passes = registry.passes().iter().flat_map(|entry| entry.short.into_iter().chain([entry.name]));
    let known = passes.chain(registry.pipelines().iter().map(|pipeline| pipeline.name)).chain(["rvsdg", "repeat<2>"]);
    let name = name.to_lowercase();
    known
        .map(|known| (strsim::damerau_levenshtein(&name, known), known))
        .filter(|&(distance, known)| distance <= 1 + known.len() / 5)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pipeline with short names.
    fn shortened(pipeline: &Pipeline) -> String {
        let passes = pipeline.passes().iter().map(|PlannedPass { entry, options, .. }| {
            let name = entry.short_name();
            if options.is_empty() { name.to_owned() } else { format!("{name}<{options}>") }
        });
        passes.collect::<Vec<_>>().join(",")
    }

    #[track_caller]
    fn reads_as(text: &str, passes: &str) {
        assert_eq!(shortened(&Pipeline::parse(text).unwrap()), passes);
    }

    #[track_caller]
    fn fails_with(text: &str, message: &str) {
        let message = message.replace("{PASSES}", known(Registry::builtin()).strip_prefix("the passes are ").unwrap());
        assert_eq!(Pipeline::parse(text).unwrap_err().to_string(), format!("pass pipeline, column {message}"));
    }

    /// A registry with a pass that does nothing, and pipelines.
    fn registry(pipelines: &[(&'static str, &'static str)]) -> Registry {
        let nothing = Entry::new("nothing", "", Vec::new).short("nil").after("cne", "it is a test");
        pipelines.iter().fold(Registry::builtin().with(nothing), |registry, &(name, text)| {
            registry.with_pipeline(NamedPipeline { name, summary: "", text })
        })
    }

    #[test]
    fn what_is_printed_has_long_names() {
        let pipeline = Pipeline::parse("iln<once>,cne,node-reduction").unwrap();
        assert_eq!(pipeline.to_string(), "inline<once>,common-node-elimination,node-reduction");
        assert_eq!(Pipeline::parse(&pipeline.to_string()).unwrap().to_string(), pipeline.to_string());
    }

    #[test]
    fn named_pipelines_keep_the_order_that_passes_want() {
        let orders = registry(&[("good", "cne,nil"), ("bad", "dne,nil,cne,nil"), ("free", "nil")]);
        let read = |text| Pipeline::parse_with(text, &orders).map(|pipeline| shortened(&pipeline));
        assert_eq!(read("good").unwrap(), "cne,nil");
        assert_eq!(read("nil,cne,free,cne").unwrap(), "nil,cne,nil,cne");
        let message = "pass pipeline, column 5: the pipeline 'bad' runs 'nothing' before 'cne', but should after it: it is a test";
        assert_eq!(read("dne,bad").unwrap_err().to_string(), message);
        for pipeline in Registry::builtin().pipelines() {
            assert!(Pipeline::parse(pipeline.name).is_ok(), "{}", pipeline.name);
        }
    }

    #[test]
    fn a_pipeline_does_not_stand_for_itself() {
        let circle = registry(&[("a", "dne,b"), ("b", "repeat<2>(a)")]);
        let error = Pipeline::parse_with("cne,a", &circle).unwrap_err().to_string();
        let place = "pass pipeline, column 5: in the pipeline 'a', column 5: in the pipeline 'b', column 11: ";
        assert_eq!(error, format!("{place}the pipeline 'a' stands for itself"));
    }

    #[test]
    fn an_entry_takes_the_place_of_one_of_the_same_name() {
        let replaced = Registry::builtin().with(Entry::new("push", "", Vec::new));
        assert_eq!(replaced.passes().len(), Registry::builtin().passes().len());
        let pipeline = Pipeline::parse_with("default<O2>,push", &replaced).unwrap();
        assert!(pipeline.passes().iter().filter(|pass| pass.entry.name == "push").all(|pass| pass.stages.is_empty()));
        assert_eq!(Pipeline::parse_with("psh", &replaced).unwrap().to_string(), "push");
        let level = replaced.with_pipeline(NamedPipeline { name: "default<O2>", summary: "", text: "cne" });
        assert_eq!(shortened(&Pipeline::parse_with("default<O2>", &level).unwrap()), "cne");
    }

    #[test]
    fn what_is_not_ours_is_left_to_others() {
        let parts = |text| {
            let parts = Pipeline::parse_parts(text, Registry::builtin()).map_err(|error| error.to_string())?;
            let text = |part: &Part| match part {
                Part::Ours(pipeline) => shortened(pipeline),
                Part::Foreign(foreign) => format!("[{}]", foreign.text),
            };
            Ok::<_, String>(parts.iter().map(text).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(parts("mem2reg,rvsdg(cne,dne),loop-vectorize").unwrap(), "[mem2reg] cne,dne [loop-vectorize]");
        assert_eq!(parts("dne,globaldce , cgscc(inline),cne").unwrap(), "dne [globaldce,cgscc(inline)] cne");
        assert_eq!(
            parts("function( a<b;c> (d) , e ),").unwrap_err(),
            format!("pass pipeline, column 28: expected the name of a pass; {}", known(Registry::builtin()))
        );
        assert_eq!(
            parts("repeat<2>(function(loop(licm),dce),dne)").unwrap(),
            "[function(loop(licm),dce)] dne [function(loop(licm),dce)] dne"
        );
        assert_eq!(parts("function(dce").unwrap_err(), "pass pipeline, column 9: this parenthesis is not closed");
        assert!(parts("rvsdg(mem2reg)").unwrap_err().starts_with("pass pipeline, column 7: unknown pass 'mem2reg'"));
    }

    #[test]
    fn lists_groups_and_repetitions() {
        reads_as("", "");
        reads_as("dne", "dne");
        reads_as(" dne , cne,dne ", "dne,cne,dne");
        reads_as("rvsdg(dne,cne)", "dne,cne");
        reads_as("rvsdg()", "");
        reads_as("repeat<2>(cne,repeat<2>(dne)),cne", "cne,dne,dne,cne,dne,dne,cne");
        reads_as("repeat<0>(cne)", "");
        reads_as("default<O0>", "");
        reads_as("default<O0>,cne", "cne");
        assert_eq!(
            Pipeline::parse("rvsdg<O2>").unwrap().to_string(),
            Pipeline::parse("default<O2>").unwrap().to_string()
        );
        reads_as("iln<once>, iln<threshold=10>,iln", "iln<once>,iln<threshold=10>,iln");
        reads_as("iln<threshold=10;hot=20>", "iln<threshold=10;hot=20>");
    }

    #[test]
    fn passes_from_the_leaves_up_nest_pipelines() {
        let read = |text| Pipeline::parse(text).map(|pipeline| pipeline.to_string());
        assert_eq!(
            read("iln<once>(red, repeat<2>(dne)),cne").unwrap(),
            "inline<once>(node-reduction,dead-node-elimination,dead-node-elimination),common-node-elimination"
        );
        assert_eq!(read("repeat<2>(iln(sra))").unwrap(), "inline(scalar-replacement),inline(scalar-replacement)");
        assert_eq!(read("iln(),dne").unwrap(), "inline,dead-node-elimination");
        let message = "pass pipeline, column 5: 'interprocedural-constants' does nothing on single functions, so 'inline' cannot have it nested";
        assert_eq!(read("dne,iln(dne,ipc)").unwrap_err().to_string(), message);
        let message =
            "pass pipeline, column 1: 'inline' does nothing on single functions, so 'inline' cannot have it nested";
        assert_eq!(read("iln(iln)").unwrap_err().to_string(), message);
        fails_with("iln(mem2reg)", "5: unknown pass 'mem2reg'; the passes are {PASSES}");
        fails_with("dne,iln(dne", "5: this parenthesis is not closed");
        fails_with("iln(dne)(dne)", "9: expected ',' or the end");
    }

    #[test]
    fn errors_say_where_and_what() {
        fails_with("dne,nonsense", "5: unknown pass 'nonsense'; the passes are {PASSES}");
        fails_with("dnee", "1: unknown pass 'dnee'; did you mean 'dne'?");
        fails_with("dne,nce", "5: unknown pass 'nce'; did you mean 'cne'?");
        fails_with("CNE", "1: unknown pass 'CNE'; did you mean 'cne'?");
        fails_with("default<O4>", "1: unknown pass 'default<O4>'; did you mean 'default<O0>'?");
        fails_with("dne,", "5: expected the name of a pass; the passes are {PASSES}");
        fails_with("dne,,cne", "5: expected the name of a pass; the passes are {PASSES}");
        fails_with("dne)", "4: expected ',' or the end, found a ')' that closes nothing");
        fails_with("rvsdg(dne", "1: this parenthesis is not closed");
        fails_with("rvsdg dne", "1: unknown pass 'rvsdg dne'; the passes are {PASSES}");
        fails_with("rvsdg,dne", "6: expected '('");
        fails_with("dne,rvsdg<O9>", "11: expected a level such as O2, found 'O9'");
        fails_with("dne(cne)", "4: expected ',' or the end");
        fails_with("repeat<x>(cne)", "8: expected a number, found 'x'");
        fails_with("repeat<99999999999>(cne)", "1: more than 10000 passes");
        fails_with("rvsdg(repeat<10001>(cne))", "7: more than 10000 passes");
        fails_with("größer,dnx", "1: unknown pass 'größer'; the passes are {PASSES}");
        fails_with("cne, größer", "6: unknown pass 'größer'; the passes are {PASSES}");
        fails_with(
            "dne,iln<twice>",
            "9: expected 'once', or 'threshold=' and a number up to 1000000, then perhaps ';hot=' and another, found 'twice'",
        );
        fails_with(
            "iln<threshold=9;warm=2>",
            "5: expected 'once', or 'threshold=' and a number up to 1000000, then perhaps ';hot=' and another, found 'threshold=9;warm=2'",
        );
        fails_with(
            "repeat<2>(iln<>)",
            "15: expected 'once', or 'threshold=' and a number up to 1000000, then perhaps ';hot=' and another, found ''",
        );
        fails_with("dne<once>", "5: expected 'available_externally' or 'assumptions', found 'once'");
        fails_with("cne<once>", "1: unknown pass 'cne<once>'; the passes are {PASSES}");
    }

    #[test]
    fn deep_nesting_does_not_overflow() {
        let depth = 100_000;
        let text = format!("{}dne{}", "rvsdg(".repeat(depth), ")".repeat(depth));
        reads_as(&text, "dne");
    }
}
