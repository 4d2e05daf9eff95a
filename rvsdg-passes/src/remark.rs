//! Optimization remarks: what passes did to code, and what they did not do and why.
//!
//! Remarks are data: the observer that collects them finds the source location and chooses the format. They are made only if an observer
//! [wants](crate::Observer::wants_remarks) them.

use std::borrow::Cow;

use rvsdg_core::graph::SourceId;
use rvsdg_core::{Graph, Node, Symbol, text};

/// What kind of remark.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum RemarkKind {
    /// An optimization was made.
    Passed,
    /// An optimization was considered and not made.
    Missed,
    /// A result of an analysis.
    Analysis,
}

/// A part of a remark's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Text.
    Text(Cow<'static, str>),
    /// A number.
    Number(u64),
    /// A function by its name.
    Function(Symbol),
}

/// One remark. Its text is the concatenation of its arguments.
///
/// ```
/// use rvsdg_passes::remark::Value;
/// use rvsdg_passes::{Remark, RemarkKind};
///
/// let remark = Remark::new(RemarkKind::Missed, "TooLarge").words("it has ").with("Nodes", Value::Number(900)).words(" nodes");
/// assert_eq!(remark.arguments.len(), 3);
/// assert!(remark.function.is_none());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// What kind of remark.
    pub kind: RemarkKind,
    /// The name of the remark, unique within the pass.
    pub name: Cow<'static, str>,
    /// The function it is about; `None` for the one that the pass ran on.
    pub function: Option<Symbol>,
    /// The instruction it is about.
    pub source: Option<SourceId>,
    /// The text, in named parts. Parts named `String` are words in between.
    pub arguments: Vec<(&'static str, Value)>,
}

impl Remark {
    /// A remark about a function, without words.
    pub fn new(kind: RemarkKind, name: impl Into<Cow<'static, str>>) -> Remark {
        Remark { kind, name: name.into(), function: None, source: None, arguments: Vec::new() }
    }

    /// Sets the function it is about.
    #[must_use]
    pub fn of(self, function: Symbol) -> Remark {
        Remark { function: Some(function), ..self }
    }

    /// Sets the instruction it is about.
    #[must_use]
    pub fn at(self, source: Option<SourceId>) -> Remark {
        Remark { source, ..self }
    }

    /// Adds words.
    #[must_use]
    pub fn words(self, words: &'static str) -> Remark {
        self.with("String", Value::Text(words.into()))
    }

    /// Adds an argument.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: Value) -> Remark {
        self.arguments.push((name, value));
        self
    }

    /// The remark about a rewrite that a pass makes.
    pub(crate) fn rewrite(rule: &str, graph: &Graph, node: Node) -> Remark {
        Remark::new(RemarkKind::Passed, rule.to_owned())
            .at(graph.source(node))
            .with("Rule", Value::Text(rule.to_owned().into()))
            .words(" of ")
            .with("Node", Value::Text(text::node_summary(graph, node).into()))
    }

    /// The remark about the counters of a pass for a function or module.
    pub(crate) fn statistics(counts: &[(&'static str, u64)]) -> Remark {
        let mut remark = Remark::new(RemarkKind::Analysis, "Statistics");
        for (index, &(counter, count)) in counts.iter().enumerate() {
            remark = remark.words(if index == 0 { "" } else { ", " });
            remark = remark.with(counter, Value::Number(count)).words(" ").words(counter);
        }
        remark.arguments.retain(|argument| argument.1 != Value::Text("".into()));
        remark
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_read_as_a_list() {
        let remark = Remark::statistics(&[("nodes", 2), ("regions", 1)]);
        let names: Vec<_> = remark.arguments.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["nodes", "String", "String", "String", "regions", "String", "String"]);
    }
}
