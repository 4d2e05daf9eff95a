//! The text of a pipeline.
//!
//! ```text
//! pipeline = [ item { "," item } ]
//! item     = pass [ "<" options ">" ] | named pipeline | "rvsdg" "(" pipeline ")" | "repeat" "<" number ">" "(" pipeline ")"
//! ```
//!
//! Space may stand between tokens. `rvsdg(…)` groups passes and means no more than what is in it.

use std::fmt;
use std::sync::Arc;

use crate::pass::Stage;
use crate::registry::{self, Entry};

/// How many passes a pipeline may come to once repetitions are written out: more is a mistake in the text, and the
/// memory for it would be the first thing to show that.
pub const MAX_PASSES: usize = 10_000;

/// Passes in the order in which they run.
pub struct Pipeline {
    passes: Vec<PlannedPass>,
}

/// A pass at its place in a pipeline.
pub struct PlannedPass {
    /// Its row in the registry.
    pub entry: &'static Entry,
    /// Its options as they were written, without brackets; empty when there are none.
    pub options: String,
    /// Its stages; a pass that is repeated has the same ones each time.
    pub stages: Arc<[Stage]>,
}

/// A pass as it is written, with the stages that it says.
#[derive(Clone)]
struct Item<'t> {
    entry: &'static Entry,
    options: &'t str,
    stages: Arc<[Stage]>,
}

/// A pipeline's text is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct PipelineError {
    /// Where, as a column that starts from 1, in characters.
    pub column: usize,
    /// What was expected.
    pub message: String,
}

impl fmt::Display for PipelineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pass pipeline, column {}: {}", self.column, self.message)
    }
}

impl Pipeline {
    /// Reads a pipeline.
    ///
    /// # Errors
    /// When the text is not of the form above, names a pass that does not exist, or repeats beyond [`MAX_PASSES`].
    pub fn parse(text: &str) -> Result<Pipeline, PipelineError> {
        let items = Parser { text, position: 0 }.parse()?;
        let planned =
            |Item { entry, options, stages }: Item<'_>| PlannedPass { entry, options: options.to_owned(), stages };
        Ok(Pipeline { passes: items.into_iter().map(planned).collect() })
    }

    /// A pipeline of passes that are not in the registry.
    #[cfg(test)]
    pub(crate) fn of(passes: Vec<PlannedPass>) -> Pipeline {
        Pipeline { passes }
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
        }
        Ok(())
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pipeline({self})")
    }
}

/// A parenthesis that is open.
struct Group<'t> {
    position: usize,
    times: usize,
    entries: Vec<Item<'t>>,
}

struct Parser<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> Parser<'t> {
    fn parse(mut self) -> Result<Vec<Item<'t>>, PipelineError> {
        let mut groups = vec![Group { position: 0, times: 1, entries: Vec::new() }];
        self.skip_space();
        if self.rest().is_empty() {
            return Ok(Vec::new());
        }
        loop {
            // An item.
            let start = self.position;
            let name = self.name();
            if name == "rvsdg" || (name.starts_with("repeat<") && name.ends_with('>')) {
                let times = if name == "rvsdg" { 1 } else { self.times(start, name)? };
                self.expect('(')?;
                groups.push(Group { position: start, times, entries: Vec::new() });
                if !self.eat(')') {
                    continue;
                }
                self.close(&mut groups)?;
            } else {
                let entries = self.named(start, name)?;
                self.extend(start, &mut groups, &entries, 1)?;
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
            return Ok(last.entries);
        }
    }

    fn close(&self, groups: &mut Vec<Group<'t>>) -> Result<(), PipelineError> {
        let group = groups.pop().expect("the outermost group is never closed");
        if groups.is_empty() {
            return Err(self.error(self.position - 1, "expected ',' or the end, found a ')' that closes nothing"));
        }
        self.extend(group.position, groups, &group.entries, group.times)
    }

    fn extend(
        &self,
        position: usize,
        groups: &mut [Group<'t>],
        entries: &[Item<'t>],
        times: usize,
    ) -> Result<(), PipelineError> {
        let group = groups.last_mut().expect("the outermost group is never closed");
        if entries.len().saturating_mul(times).saturating_add(group.entries.len()) > MAX_PASSES {
            return Err(self.error(position, &format!("more than {MAX_PASSES} passes")));
        }
        for _ in 0..times {
            group.entries.extend_from_slice(entries);
        }
        Ok(())
    }

    fn named(&self, start: usize, name: &'t str) -> Result<Vec<Item<'t>>, PipelineError> {
        if let Some(entry) = registry::find(name) {
            return Ok(vec![Item { entry, options: "", stages: (entry.stages)().into() }]);
        }
        if let Some((pass, options)) = name.strip_suffix('>').and_then(|name| name.split_once('<'))
            && let (Some(entry), Some(known)) = (registry::find(pass), registry::find_options(pass))
        {
            let column = start + pass.len() + 1;
            let stages = (known.stages)(options).map_err(|message| self.error(column, &message))?;
            return Ok(vec![Item { entry, options, stages: stages.into() }]);
        }
        if let Some(pipeline) = registry::find_pipeline(name) {
            return Parser { text: pipeline.text, position: 0 }.parse();
        }
        if name.is_empty() {
            return Err(self.error(start, &format!("expected the name of a pass; {}", known())));
        }
        let hint = match suggestion(name) {
            Some(near) => format!("did you mean '{near}'?"),
            None => known(),
        };
        Err(self.error(start, &format!("unknown pass '{name}'; {hint}")))
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

    /// All that is not punctuation of pipelines.
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

fn known() -> String {
    let names: Vec<&str> = registry::PASSES.iter().map(|entry| entry.name).collect();
    format!("the passes are {}", names.join(", "))
}

/// The name nearest to a misspelled one, when it is near.
fn suggestion(name: &str) -> Option<&'static str> {
    let known = registry::PASSES.iter().map(|entry| entry.name);
    let known = known.chain(registry::PIPELINES.iter().map(|pipeline| pipeline.name)).chain(["rvsdg", "repeat<2>"]);
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

    #[track_caller]
    fn reads_as(text: &str, passes: &str) {
        assert_eq!(Pipeline::parse(text).unwrap().to_string(), passes);
    }

    #[track_caller]
    fn fails_with(text: &str, message: &str) {
        let passes: Vec<&str> = registry::PASSES.iter().map(|entry| entry.name).collect();
        let message = message.replace("{PASSES}", &passes.join(", "));
        assert_eq!(Pipeline::parse(text).unwrap_err().to_string(), format!("pass pipeline, column {message}"));
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
        reads_as("iln<once>, iln<threshold=10>,iln", "iln<once>,iln<threshold=10>,iln");
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
        fails_with("dne(cne)", "4: expected ',' or the end");
        fails_with("repeat<x>(cne)", "8: expected a number, found 'x'");
        fails_with("repeat<99999999999>(cne)", "1: more than 10000 passes");
        fails_with("rvsdg(repeat<10001>(cne))", "7: more than 10000 passes");
        fails_with("größer,dnx", "1: unknown pass 'größer'; the passes are {PASSES}");
        fails_with("cne, größer", "6: unknown pass 'größer'; the passes are {PASSES}");
        fails_with("dne,iln<twice>", "9: expected 'once' or 'threshold=' and a number up to 1000000, found 'twice'");
        fails_with("repeat<2>(iln<>)", "15: expected 'once' or 'threshold=' and a number up to 1000000, found ''");
        fails_with("dne<once>", "5: expected 'available_externally', found 'once'");
        fails_with("cne<once>", "1: unknown pass 'cne<once>'; the passes are {PASSES}");
    }

    #[test]
    fn deep_nesting_does_not_overflow() {
        let depth = 100_000;
        let text = format!("{}dne{}", "rvsdg(".repeat(depth), ")".repeat(depth));
        reads_as(&text, "dne");
    }
}
