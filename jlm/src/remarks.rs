//! What passes say about code, as LLVM's tools say it: on standard error, and as YAML in a file.
//!
//! Remarks are kept while passes run, with the numbers of entities at that time; names and source locations are looked up while the LLVM
//! module is still as it was read.

use std::ffi::OsString;
use std::fmt::Write;

use anyhow::Result;
use regex_lite::Regex;
use rvsdg_core::{Module, Symbol};
use rvsdg_llvm::{Host, Location};
use rvsdg_passes::remark::Value;
use rvsdg_passes::{Execution, Registry, Remark, RemarkKind};

use crate::arguments::Arguments;
use crate::files::Output;

/// The pass name of remarks about reading.
const IMPORT: &str = "import";

/// Remarks of one run.
pub struct Remarks {
    output: Option<OsString>,
    filter: Option<Names>,
    /// By kind: whose are printed.
    printed: [(RemarkKind, Option<Names>); 3],
    kept: Vec<Kept>,
    yaml: String,
    print: String,
}

/// Whose remarks are meant.
enum Names {
    /// Those of the pass with the given name or short name.
    One(&'static str),
    /// Those of passes whose name or short name matches.
    Matching { pattern: Regex, shorts: Vec<(&'static str, &'static str)> },
}

impl Names {
    fn new(pattern: &Regex, registry: &Registry) -> Names {
        if let Some(entry) = registry.find(pattern.as_str()) {
            return Names::One(entry.name);
        }
        let shorts = registry.passes().iter().filter_map(|entry| Some((entry.name, entry.short?))).collect();
        Names::Matching { pattern: pattern.clone(), shorts }
    }

    fn has(&self, pass: &str) -> bool {
        match self {
            Names::One(name) => pass == *name,
            Names::Matching { pattern, shorts } => {
                let short = shorts.iter().find(|(name, _)| *name == pass);
                pattern.is_match(pass) || short.is_some_and(|(_, short)| pattern.is_match(short))
            }
        }
    }
}

/// A remark, and its origin.
struct Kept {
    pass: &'static str,
    /// The function that the pass ran on.
    function: Option<Symbol>,
    /// Names of functions that it mentions, which may be gone later.
    names: Vec<(Symbol, Box<str>)>,
    remark: Remark,
}

/// What is known when names and places are.
struct Known<'a> {
    names: &'a [(Symbol, Box<str>)],
    host: Option<&'a mut Host>,
}

impl Remarks {
    /// The remarks that the command line requests.
    pub fn new(arguments: &Arguments, registry: &Registry) -> Remarks {
        let names = |pattern: &Option<Regex>| pattern.as_ref().map(|pattern| Names::new(pattern, registry));
        Remarks {
            output: arguments.pass_remarks_output.clone(),
            filter: names(&arguments.pass_remarks_filter),
            printed: [
                (RemarkKind::Passed, names(&arguments.pass_remarks)),
                (RemarkKind::Missed, names(&arguments.pass_remarks_missed)),
                (RemarkKind::Analysis, names(&arguments.pass_remarks_analysis)),
            ],
            kept: Vec::new(),
            yaml: String::new(),
            print: String::new(),
        }
    }

    fn writes(&self, pass: &str) -> bool {
        self.output.is_some() && self.filter.as_ref().is_none_or(|filter| filter.has(pass))
    }

    fn prints(&self, pass: &str, kind: RemarkKind) -> bool {
        self.printed.iter().any(|(of, pattern)| *of == kind && pattern.as_ref().is_some_and(|p| p.has(pass)))
    }

    /// Whether anybody wants the remarks of a pass.
    pub fn wants(&self, pass: &str) -> bool {
        self.writes(pass) || self.printed.iter().any(|&(kind, _)| self.prints(pass, kind))
    }

    /// Keeps the remarks of an execution of a pass.
    pub fn add(&mut self, module: &Module, execution: &Execution<'_>) {
        for remark in execution.remarks {
            let mut remark = remark.clone();
            remark.source = remark.source.map(|source| module.sources.original(source));
            let mentioned = remark.arguments.iter().filter_map(|(_, value)| match value {
                Value::Function(symbol) => Some(*symbol),
                Value::Text(_) | Value::Number(_) => None,
            });
            let symbols = mentioned.chain(remark.function).chain(execution.function);
            let names = symbols.map(|symbol| (symbol, module.symbols[symbol].name.clone())).collect();
            self.kept.push(Kept { pass: execution.pass, function: execution.function, names, remark });
        }
    }

    /// Keeps a remark that a body is not represented as a graph.
    pub fn add_untouched(&mut self, module: &Module, function: Symbol, construct: &str) {
        if !self.wants(IMPORT) {
            return;
        }
        let remark = Remark::new(RemarkKind::Missed, "Untouched")
            .words("passes through untouched: ")
            .with("Construct", Value::Text(construct.to_owned().into()));
        let names = vec![(function, module.symbols[function].name.clone())];
        self.kept.push(Kept { pass: IMPORT, function: Some(function), names, remark });
    }

    /// Writes down all that was kept, before the module changes.
    pub fn finish(&mut self, mut host: Option<&mut Host>) {
        for Kept { pass, function, names, remark } in std::mem::take(&mut self.kept) {
            let mut known = Known { names: &names, host: host.as_deref_mut() };
            let function = remark.function.or(function);
            if self.writes(pass) {
                known.yaml(&mut self.yaml, pass, function, &remark);
            }
            if self.prints(pass, remark.kind) {
                known.line(&mut self.print, function, &remark);
            }
        }
    }

    /// Adds remarks of LLVM's, which are YAML already.
    pub fn add_llvm(&mut self, yaml: &str) {
        if !yaml.is_empty() {
            self.yaml.push_str(yaml);
            self.yaml.push('\n');
        }
    }

    /// Prints and writes what was requested.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn report(&self) -> Result<()> {
        eprint!("{}", self.print);
        match &self.output {
            Some(path) => Output::new(path).write(self.yaml.as_bytes()),
            None => Ok(()),
        }
    }
}

impl Known<'_> {
    fn name(&self, symbol: Symbol) -> &str {
        self.names.iter().find(|(named, _)| *named == symbol).map_or("", |(_, name)| name)
    }

    /// Where a remark is: at its instruction, or else at its function.
    fn location(&mut self, function: Option<Symbol>, remark: &Remark) -> Option<Location> {
        let host = self.host.as_deref_mut()?;
        match remark.source.and_then(|source| host.location(source)) {
            Some(location) => Some(location),
            None => host.function_location(function?),
        }
    }

    /// As `llvm::remarks::YAMLRemarkSerializer` does.
    fn yaml(&mut self, out: &mut String, pass: &str, function: Option<Symbol>, remark: &Remark) {
        let kind = match remark.kind {
            RemarkKind::Passed => "Passed",
            RemarkKind::Missed => "Missed",
            RemarkKind::Analysis => "Analysis",
        };
        let _ = writeln!(out, "--- !{kind}");
        entry(out, "", "Pass", pass);
        entry(out, "", "Name", &remark.name);
        if let Some(location) = self.location(function, remark) {
            place(out, "", &location);
        }
        entry(out, "", "Function", function.map_or("[module]", |function| self.name(function)));
        if !remark.arguments.is_empty() {
            out.push_str("Args:\n");
        }
        for (name, value) in &remark.arguments {
            match value {
                Value::Text(text) => entry(out, "  - ", name, text),
                Value::Number(number) => entry(out, "  - ", name, &number.to_string()),
                Value::Function(symbol) => {
                    entry(out, "  - ", name, self.name(*symbol));
                    if let Some(location) = self.host.as_deref_mut().and_then(|host| host.function_location(*symbol)) {
                        place(out, "    ", &location);
                    }
                }
            }
        }
        out.push_str("...\n");
    }

    /// As `opt` prints it.
    fn line(&mut self, out: &mut String, function: Option<Symbol>, remark: &Remark) {
        let place = match self.location(function, remark) {
            Some(Location { file, line, column }) => format!("{file}:{line}:{column}"),
            None => "<unknown>:0:0".to_owned(),
        };
        let _ = write!(out, "remark: {place}: ");
        for (_, value) in &remark.arguments {
            let _ = match value {
                Value::Text(text) => write!(out, "{text}"),
                Value::Number(number) => write!(out, "{number}"),
                Value::Function(symbol) => write!(out, "{}", self.name(*symbol)),
            };
        }
        out.push('\n');
    }
}

/// A key and a scalar; values stand below each other.
fn entry(out: &mut String, indent: &str, key: &str, value: &str) {
    let _ = writeln!(out, "{indent}{:<16} {}", format!("{}:", scalar(key)), scalar(value));
}

fn place(out: &mut String, indent: &str, location: &Location) {
    let Location { file, line, column } = location;
    let file = format!("'{}'", file.replace('\'', "''"));
    let _ = writeln!(out, "{indent}{:<16} {{ File: {file}, Line: {line}, Column: {column} }}", "DebugLoc:");
}

/// A scalar in YAML: plain where every reader takes it for a string, else in quotes.
fn scalar(text: &str) -> String {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-'));
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    if begins && plain && !reserved.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return text.to_owned();
    }
    if !text.chars().any(char::is_control) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut quoted = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::scalar;

    #[test]
    fn strings_stay_strings() {
        let words = ["f", "_ZN3a.b", "it's", "7", "", "no", "a: b", "a\nb\"", "größe"];
        let written = ["f", "_ZN3a.b", "'it''s'", "'7'", "''", "'no'", "'a: b'", "\"a\\u000Ab\\\"\"", "'größe'"];
        assert_eq!(words.map(scalar), written);
    }
}
