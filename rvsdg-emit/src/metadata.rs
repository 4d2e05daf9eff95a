//! Metadata: module flags, annotations of a module that was built, loops that make progress, and locations of inlined instructions.
//!
//! Nodes are numbered in this order: flags; the common node of loops that make progress; the module's own nodes; then those created while
//! bodies are written.

use std::fmt::Write;

use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::{Cfg, Inst};
use rvsdg_core::annotations::{Annotation, Metadata, Operand};
use rvsdg_core::hints::{Hint, LoopHints};
use rvsdg_core::op::{MatchTable, Op};
use rvsdg_core::{Motion, SourceId, Symbol};

use crate::emitter::Emitter;
use crate::names::push_quoted;

/// A property of a loop, after `llvm.loop.`, which says how it is to be unrolled.
fn unroll_text(hint: Hint) -> Option<String> {
    Some(match hint {
        Hint::Unsaid => return None,
        Hint::Never => "llvm.loop.unroll.disable\"".to_owned(),
        Hint::Wanted => "llvm.loop.unroll.enable\"".to_owned(),
        Hint::Wholly => "llvm.loop.unroll.full\"".to_owned(),
        Hint::Times(factor) => format!("llvm.loop.unroll.count\", i32 {factor}"),
    })
}

/// The same of vectorizing it.
fn vectorize_text(hint: Hint) -> Option<String> {
    Some(match hint {
        Hint::Unsaid => return None,
        Hint::Never => "llvm.loop.isvectorized\", i32 1".to_owned(),
        Hint::Wanted | Hint::Wholly => "llvm.loop.vectorize.enable\", i1 true".to_owned(),
        Hint::Times(width) => format!("llvm.loop.vectorize.width\", i32 {width}"),
    })
}

/// Nodes that are made while bodies are written.
#[derive(Default)]
pub(crate) struct Made {
    texts: Vec<String>,
    /// Whether a loop makes progress.
    progress: bool,
    locations: FxHashMap<(u32, u32, Metadata, Option<usize>), usize>,
    /// By number of the call that was inlined.
    calls: FxHashMap<usize, usize>,
}

impl<'a> Emitter<'a> {
    /// The number of the common node of loops that make progress.
    fn progress_node(&self) -> usize {
        self.module.header.flags.len()
    }

    /// The number of one of the module's own nodes.
    pub(crate) fn own_node(&self, node: Metadata) -> usize {
        self.progress_node() + 1 + node.index()
    }

    /// Adds a node, whose text follows from its number.
    fn make_node(&mut self, text: impl FnOnce(usize) -> String) -> usize {
        let number = self.progress_node() + 1 + self.module.annotations.nodes.len() + self.made.texts.len();
        self.made.texts.push(text(number));
        number
    }

    /// Attaches an identity to the terminator that repeats a loop that makes progress, or of which something is said.
    pub(crate) fn loop_identity(&mut self, progress: bool, hints: LoopHints) {
        let mut properties = String::new();
        if progress {
            self.made.progress = true;
            _ = write!(properties, ", !{}", self.progress_node());
        }
        let role = hints.role.name().map(|name| format!("rvsdg.loop.{name}\""));
        for said in [unroll_text(hints.unroll), vectorize_text(hints.vectorize), role].into_iter().flatten() {
            let number = self.make_node(|_| format!("!{{!\"{said}}}"));
            _ = write!(properties, ", !{number}");
        }
        let number = self.make_node(|number| format!("distinct !{{!{number}{properties}}}"));
        self.out.push_str(", !llvm.loop !");
        self.number(number);
    }

    /// Attaches the annotations of a symbol.
    pub(crate) fn symbol_debug(&mut self, symbol: Symbol, before: &str) {
        if let Some(&node) = self.module.annotations.symbols.get(symbol) {
            let number = self.own_node(node);
            self.out.push_str(before);
            self.out.push_str("!dbg !");
            self.number(number);
        }
    }

    /// The annotations of the original of an instruction.
    pub(crate) fn said_of(&self, source: SourceId) -> Option<&'a Annotation> {
        let module = self.module;
        module.annotations.instructions.get(&module.sources.original(source))
    }

    /// Attaches the annotations of an instruction to the line that was just written.
    pub(crate) fn attach(&mut self, cfg: &Cfg, inst: Inst) {
        let (source, op, motion) = (cfg.source(inst), cfg.op(inst), cfg.motion(inst));
        self.attach_location(source, motion, matches!(op, Op::Call(_)));
        let Some((source, annotation)) = source.and_then(|source| Some((source, self.said_of(source)?))) else {
            return;
        };
        if annotation.op != Some(op) || motion == Some(Motion::Speculated) {
            return;
        }
        for &(kind, node) in &annotation.attached {
            // The other instructions that it represents must agree.
            let holds =
                cfg.merged.iter().filter(|(kept, _)| *kept == source).all(|&(_, merged)| {
                    self.said_of(merged).is_some_and(|other| other.attached.contains(&(kind, node)))
                });
            if holds {
                self.attach_node(kind, node);
            }
        }
    }

    /// Attaches the annotations of a branch.
    pub(crate) fn attach_branch(&mut self, source: Option<SourceId>, table: Option<&MatchTable>) {
        self.attach_location(source, None, false);
        let annotation = source.and_then(|source| self.said_of(source));
        for &(kind, node) in annotation.iter().flat_map(|annotation| &annotation.attached) {
            let ways = self.module.annotations.nodes[node].operands.len().saturating_sub(1);
            if kind == "prof" && table.is_some_and(|table| table.cases.len() + 1 == ways) {
                self.attach_node(kind, node);
            }
        }
    }

    fn attach_node(&mut self, kind: &str, node: Metadata) {
        let number = self.own_node(node);
        self.out.push_str(", !");
        self.out.push_str(kind);
        self.out.push_str(" !");
        self.number(number);
    }

    fn attach_location(&mut self, source: Option<SourceId>, motion: Option<Motion>, is_call: bool) {
        let Some(function) = self.place.and_then(|symbol| self.module.annotations.symbols.get(symbol)).copied() else {
            return;
        };
        let stays = matches!(motion, None | Some(Motion::Sunk));
        let known = source.filter(|_| stays).and_then(|source| self.location(source));
        // A call needs a place, since what is called may be inlined.
        let known = known.or_else(|| is_call.then(|| self.location_node(0, 0, function, None)));
        if let Some(number) = known {
            self.out.push_str(", !dbg !");
            self.number(number);
        }
    }

    /// The location of an instruction, which may be an inlined copy.
    fn location(&mut self, source: SourceId) -> Option<usize> {
        let sources = &self.module.sources;
        let call_of = |source: SourceId| {
            let after = sources.inlined().partition_point(|call| call.copies.first <= source.as_u32());
            let index = after.checked_sub(1)?;
            sources.inlined()[index].copies.contains(source).then_some(index)
        };
        // The calls around it, the innermost first.
        let mut calls = Vec::new();
        let mut at = source;
        while let Some(index) = call_of(at) {
            calls.push(index);
            at = sources.inlined()[index].call;
        }
        let mut inlined_at = None;
        for index in calls.into_iter().rev() {
            inlined_at = Some(match self.made.calls.get(&index) {
                Some(&known) => known,
                None => {
                    let (line, column, scope) = self.said_of(sources.inlined()[index].call)?.location?;
                    let text = self.location_text(line, column, scope, inlined_at);
                    let number = self.make_node(|_| format!("distinct {text}"));
                    self.made.calls.insert(index, number);
                    number
                }
            });
        }
        let (line, column, scope) = self.said_of(source)?.location?;
        Some(self.location_node(line, column, scope, inlined_at))
    }

    fn location_node(&mut self, line: u32, column: u32, scope: Metadata, inlined_at: Option<usize>) -> usize {
        let key = (line, column, scope, inlined_at);
        if let Some(&known) = self.made.locations.get(&key) {
            return known;
        }
        let text = self.location_text(line, column, scope, inlined_at);
        let number = self.make_node(|_| text);
        self.made.locations.insert(key, number);
        number
    }

    fn location_text(&self, line: u32, column: u32, scope: Metadata, inlined_at: Option<usize>) -> String {
        let scope = self.own_node(scope);
        let inlined_at = inlined_at.map_or(String::new(), |at| format!(", inlinedAt: !{at}"));
        format!("!DILocation(line: {line}, column: {column}, scope: !{scope}{inlined_at})")
    }

    /// All nodes, and the lists of named ones.
    pub(crate) fn metadata(&mut self) {
        let module = self.module;
        let flags = &module.header.flags;
        if !flags.is_empty() {
            self.named("llvm.module.flags", (0..flags.len()).collect());
        }
        for (name, nodes) in &module.annotations.named {
            let nodes = nodes.iter().map(|&node| self.own_node(node)).collect();
            self.named(name, nodes);
        }
        if self.out.ends_with("}\n") && (!flags.is_empty() || !module.annotations.named.is_empty()) {
            self.out.push('\n');
        }
        for (number, (behaviour, name, value)) in flags.iter().enumerate() {
            self.node(number);
            self.out.push_str("!{i32 ");
            self.number(behaviour);
            self.out.push_str(", !");
            push_quoted(&mut self.out, name.as_bytes());
            self.out.push_str(", ");
            self.out.push_str(value);
            self.out.push_str("}\n");
        }
        if self.made.progress {
            self.node(self.progress_node());
            self.out.push_str("!{!\"llvm.loop.mustprogress\"}\n");
        }
        for (id, node) in module.annotations.nodes.iter() {
            self.node(self.own_node(id));
            self.out.push_str(if node.is_distinct { "distinct !" } else { "!" });
            self.out.push_str(node.record.unwrap_or_default());
            self.out.push(if node.record.is_some() { '(' } else { '{' });
            for (position, (name, operand)) in node.operands.iter().enumerate() {
                if position > 0 {
                    self.out.push_str(", ");
                }
                if node.record.is_some() {
                    self.out.push_str(name);
                    self.out.push_str(": ");
                }
                self.metadata_operand(operand, node.record.is_some());
            }
            self.out.push_str(if node.record.is_some() { ")\n" } else { "}\n" });
        }
        for (position, text) in std::mem::take(&mut self.made.texts).into_iter().enumerate() {
            self.node(self.progress_node() + 1 + module.annotations.nodes.len() + position);
            self.out.push_str(&text);
            self.out.push('\n');
        }
    }

    fn metadata_operand(&mut self, operand: &Operand, is_in_record: bool) {
        match operand {
            Operand::Null => self.out.push_str("null"),
            Operand::Node(node) => {
                let number = self.own_node(*node);
                self.out.push('!');
                self.number(number);
            }
            Operand::Text(text) => {
                self.out.push_str(if is_in_record { "" } else { "!" });
                push_quoted(&mut self.out, text.as_bytes());
            }
            Operand::Int(number) => self.number(number),
            Operand::Bool(value) => self.number(value),
            Operand::Word(word) => self.out.push_str(word),
            Operand::Constant(bits, value) => {
                self.out.push('i');
                self.number(bits);
                self.out.push(' ');
                self.number(value);
            }
        }
    }

    fn named(&mut self, name: &str, nodes: Vec<usize>) {
        self.out.push('!');
        self.out.push_str(name);
        self.out.push_str(" = !{");
        for (position, node) in nodes.into_iter().enumerate() {
            self.out.push_str(if position == 0 { "!" } else { ", !" });
            self.number(node);
        }
        self.out.push_str("}\n");
    }

    /// Starts the definition of a node.
    fn node(&mut self, number: usize) {
        self.out.push('!');
        self.number(number);
        self.out.push_str(" = ");
    }
}
