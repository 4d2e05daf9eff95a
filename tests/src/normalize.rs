//! LLVM IR text with everything made canonical that a round trip through the graph may change.
//!
//! That is, in bodies: names of values and labels, the order of blocks, the order of a phi's incoming values and the
//! comments that list predecessors. Numbers of metadata nodes and attribute groups and the order of type declarations
//! follow from the order in which bodies mention them, so they are made canonical too. Everything else stays as it is.
//!
//! What is expected is LLVM's own printed form; modules must not use one name for a type and for a value of a body, nor
//! types that only have numbers.

mod body;
mod report;
#[cfg(test)]
mod tests;
mod tokens;

use rustc_hash::{FxHashMap, FxHashSet};

use body::{Function, Names};
use report::line_differences;
use tokens::{Token, definition, tokens, with_numbers, without_comment, without_numbers};

/// A module in canonical form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Normalized {
    /// What stands at the top level, in order, type declarations first, metadata nodes last.
    items: Vec<Item>,
}

/// One thing at the top level of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Item {
    /// The function's name or the line without numbers of metadata nodes; names the item in reports.
    key: String,
    text: String,
}

/// What is at the top level before it is rewritten.
enum Entry<'t> {
    Line(&'t str),
    Function(Function<'t>),
}

/// What is known of a whole module while its items are rewritten.
#[derive(Default)]
struct Module<'t> {
    types: FxHashSet<&'t str>,
    groups: FxHashMap<&'t str, &'t str>,
    metadata: FxHashMap<&'t str, &'t str>,
    /// By function.
    names: FxHashMap<&'t str, Names>,
}

/// Makes a module's text canonical.
///
/// # Panics
/// When the text is not as LLVM prints it, or uses names that the module's documentation rules out.
pub fn normalize(text: &str) -> Normalized {
    let lines: Vec<&str> = text.lines().map(without_comment).filter(|line| !line.is_empty()).collect();
    let mut module = Module::default();
    let mut types = Vec::new();
    let mut entries = Vec::new();
    for &line in &lines {
        if let Some((name, _)) = line.strip_prefix('%').and_then(|line| line.split_once(" = type ")) {
            assert!(!name.starts_with(|c: char| c.is_ascii_digit()), "a type without a name: {line}");
            module.types.insert(name);
            types.push(line);
        }
    }
    types.sort_unstable();
    let mut rest = lines.iter().copied();
    while let Some(line) = rest.next() {
        if let Some((name, node)) = definition(line) {
            module.metadata.insert(name, node);
        } else if let Some(group) = line.strip_prefix("attributes #") {
            module.groups.extend(group.split_once(" = "));
        } else if line.starts_with("define ") {
            let body: Vec<&str> = rest.by_ref().take_while(|&line| line != "}").collect();
            let mut function = Function::read(line, &body, &module.types);
            let names = function.canonical(&module.types);
            module.names.insert(function.name(), names);
            entries.push(Entry::Function(function));
        } else if !line.starts_with('%') {
            entries.push(Entry::Line(line));
        }
    }
    let mut items: Vec<Item> = types.iter().map(|&line| Item { key: line.to_owned(), text: line.to_owned() }).collect();
    items.extend(entries.iter().map(|entry| match entry {
        Entry::Line(line) => {
            let text = module.rewritten(line, None);
            Item { key: without_numbers(&text), text }
        }
        Entry::Function(function) => Item { key: format!("@{}", function.name()), text: function.print(&module) },
    }));
    number_metadata(&mut items, &module);
    Normalized { items }
}

/// A module's text without metadata and debug records; metadata that is an argument of a call stays.
pub fn without_metadata(text: &str) -> String {
    let mut new = String::with_capacity(text.len());
    for line in text.lines() {
        let is_named = line.starts_with('!') && definition(line).is_none();
        if is_named || line.trim_start().starts_with("#dbg_") {
            continue;
        }
        let start = new.len();
        for token in tokens(line) {
            // The kind's name stands in front of the node's number, and a comma or a blank before it.
            match token {
                Token::Metadata(_) if ends_with_kind(&new[start..]) => {
                    let kind = new.rfind(" !").expect("a kind's name ends the text");
                    new.truncate(kind);
                    new.truncate(new.trim_end_matches(',').len());
                }
                _ => token.push_to(&mut new),
            }
        }
        new.push('\n');
    }
    new
}

/// Whether a piece of a line ends with the name of a kind of metadata and a blank.
fn ends_with_kind(text: &str) -> bool {
    let kind = text.rsplit_once(" !").and_then(|(_, kind)| kind.strip_suffix(' '));
    kind.is_some_and(|kind| kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)))
}

impl Normalized {
    /// The canonical text.
    pub fn text(&self) -> String {
        self.items.iter().map(|item| format!("{}\n", item.text)).collect()
    }

    /// What differs, as lines marked `-` (expected) and `+` (actual) under the item they belong to; `None` when nothing
    /// does. Items that differ only in numbers of metadata nodes are left out where others differ in more.
    pub fn differences(&self, actual: &Normalized) -> Option<String> {
        if self == actual {
            return None;
        }
        let code = |item: &&Item| definition(&item.key).is_none();
        let report = self.report(actual, code, without_numbers);
        if !report.is_empty() {
            return Some(report);
        }
        let report = self.report(actual, |_| true, str::to_owned);
        let moved = "the order of what stands at the top level differs\n";
        Some(if report.is_empty() { moved.to_owned() } else { report })
    }

    /// The differences of the items that `chosen` names, as `view` shows their text.
    fn report(&self, actual: &Normalized, chosen: impl Fn(&&Item) -> bool, view: fn(&str) -> String) -> String {
        let theirs: FxHashMap<&str, &Item> = actual.items.iter().map(|item| (&*item.key, item)).collect();
        let ours: FxHashSet<&str> = self.items.iter().map(|item| &*item.key).collect();
        let mut report = String::new();
        for item in self.items.iter().filter(&chosen) {
            match theirs.get(&*item.key) {
                None => report.push_str(&format!("missing: {}\n", item.key)),
                Some(other) => {
                    let (old, new) = (view(&item.text), view(&other.text));
                    if old != new {
                        report.push_str(&format!("in {}:\n{}", item.key, line_differences(&old, &new)));
                    }
                }
            }
        }
        for item in actual.items.iter().filter(&chosen).filter(|item| !ours.contains(&*item.key)) {
            report.push_str(&format!("not expected: {}\n", item.key));
        }
        report
    }
}

impl Module<'_> {
    /// A line with canonical names, and attribute groups written out.
    fn rewritten(&self, line: &str, names: Option<&Names>) -> String {
        let tokens = tokens(line);
        let mut text = String::with_capacity(line.len());
        for (position, token) in tokens.iter().enumerate() {
            match *token {
                Token::Text(piece) => text.push_str(piece),
                Token::Global(name) => text.push_str(&format!("@{name}")),
                Token::Metadata(number) => text.push_str(&format!("!{number}")),
                Token::Group(number) => text.push_str(&format!("#{}", self.groups[number])),
                Token::Local(name) => {
                    let of_block_address = match &tokens[position.saturating_sub(3)..position] {
                        [Token::Text(start), Token::Global(function), Token::Text(", ")]
                            if start.ends_with("blockaddress(") =>
                        {
                            self.names.get(function)
                        }
                        _ => None,
                    };
                    let new = match of_block_address {
                        Some(names) => names.get(name, true),
                        None => names.filter(|_| !self.types.contains(name)).and_then(|names| names.get(name, false)),
                    };
                    text.push_str(&format!("%{}", new.as_deref().unwrap_or(name)));
                }
            }
        }
        text
    }
}

/// Numbers metadata nodes in the order in which `items` and then the nodes themselves mention them, and appends them.
fn number_metadata(items: &mut Vec<Item>, module: &Module<'_>) {
    let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
    let mut pending: Vec<String> = Vec::new();
    let mut renumber = |text: &str, pending: &mut Vec<String>| {
        with_numbers(text, |old| {
            let next = numbers.len();
            let number = *numbers.entry(old.to_owned()).or_insert_with(|| {
                pending.push(old.to_owned());
                next
            });
            number.to_string()
        })
    };
    for item in items.iter_mut() {
        item.text = renumber(&item.text, &mut pending);
    }
    let mut done = 0;
    while done < pending.len() {
        let node = module.rewritten(module.metadata[&*pending[done]], None);
        let node = renumber(&node, &mut pending);
        items.push(Item { key: format!("!{done} = "), text: format!("!{done} = {node}") });
        done += 1;
    }
}
