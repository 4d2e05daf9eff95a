//! Regions and nodes of one body.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::lexer::{Token, TokenKind};
use super::{ItemKind, Parse, ParseError, Parser};
use crate::graph::{Graph, Node, NodeKind, Origin, Region};
use crate::hints::{Hint, LoopHints, LoopRole};
use crate::op::{MatchTable, Op, OpCode};
use crate::text::names::Name;
use crate::{Pool, Type};

/// Reads one graph, as printed by itself.
///
/// # Errors
/// Where the text is not the form of a graph.
pub(in crate::text) fn graph(source: &str, pool: Arc<Pool>) -> Result<Graph, ParseError> {
    let read = || {
        let (mut parser, items) = Parser::new(source, pool)?;
        parser.groups(&items)?;
        let mut graph = None;
        for item in items.iter().filter(|item| matches!(item.kind, ItemKind::Other | ItemKind::Symbol)) {
            parser.seek(item.start);
            if graph.is_some() {
                return Err(parser.expected("the end of the text"));
            }
            parser.require("graph")?;
            let mut body = Body::new(parser.pool.clone());
            let root = body.graph.root();
            parser.arguments(&mut body, root)?;
            graph = Some(parser.body(body)?);
        }
        graph.ok_or_else(|| parser.expected("`graph`"))
    };
    read().map_err(|error: Box<ParseError>| *error)
}

/// A name where an origin is used.
#[derive(Copy, Clone)]
pub(super) struct NameAt {
    pub(super) name: Name,
    pub(super) start: usize,
}

/// What a use belongs to.
#[derive(Copy, Clone)]
pub(super) enum Target {
    Input(Node),
    Result(Region),
}

/// A definition's name and type, if the text says it.
#[derive(Copy, Clone)]
pub(super) struct Definition {
    pub(super) name: NameAt,
    pub(super) ty: Option<Type>,
}

/// A graph that is being read.
pub(super) struct Body {
    pub(super) graph: Graph,
    origins: FxHashMap<Name, Origin>,
    uses: Vec<(Target, NameAt)>,
}

impl Body {
    pub(super) fn new(pool: Arc<Pool>) -> Body {
        Body { graph: Graph::new(pool), origins: FxHashMap::default(), uses: Vec::new() }
    }

    fn use_in(&mut self, target: Target, name: NameAt) {
        self.uses.push((target, name));
    }

    pub(super) fn input(&mut self, node: Node, name: NameAt) {
        self.use_in(Target::Input(node), name);
    }
}

/// The γ or θ around the region that is being read.
#[derive(Copy, Clone)]
struct Frame {
    node: Node,
    region: Region,
}

impl<'s> Parser<'s> {
    /// Whether the name of an origin is next.
    pub(super) fn is_name(&self) -> bool {
        match self.token.kind {
            TokenKind::Global => true,
            TokenKind::Word => local_name(self.token.text).is_some(),
            _ => false,
        }
    }

    /// The name of an origin.
    pub(super) fn name(&mut self) -> Parse<NameAt> {
        let start = self.token.start;
        let name = match self.token.kind {
            TokenKind::Global => Name::Symbol(self.symbol_index()?),
            TokenKind::Word => match local_name(self.token.text) {
                Some(name) => {
                    self.advance();
                    name
                }
                None => return Err(self.expected("the name of an origin")),
            },
            _ => return Err(self.expected("the name of an origin")),
        };
        Ok(NameAt { name, start })
    }

    /// A name with its type, if the text says it.
    pub(super) fn definition(&mut self) -> Parse<Definition> {
        let name = self.name()?;
        let ty = if self.eat(":") {
            Some(self.ty()?)
        } else {
            match name.name {
                Name::Mem(_) => Some(Type::MEM),
                Name::Io(_) => Some(Type::IO),
                Name::None | Name::Value(_) | Name::Symbol(_) => None,
            }
        };
        Ok(Definition { name, ty })
    }

    /// The type of a definition, which the text must say unless it is `implied`.
    pub(super) fn defined_type(&self, definition: Definition, implied: Option<Type>) -> Parse<Type> {
        let missing = || self.meaning_at(definition.name.start, "its type is missing: write `name: type`".into());
        definition.ty.or(implied).ok_or_else(missing)
    }

    /// Makes a name denote an origin.
    pub(super) fn define(&mut self, body: &mut Body, name: NameAt, origin: Origin) -> Parse<()> {
        match body.origins.insert(name.name, origin) {
            None => Ok(()),
            Some(_) => Err(self.meaning_at(name.start, "this name is defined twice in the body".into())),
        }
    }

    /// `(v0: i32, mem0)`
    pub(super) fn arguments(&mut self, body: &mut Body, region: Region) -> Parse<()> {
        self.list("(", ")", |parser| {
            let definition = parser.definition()?;
            let ty = parser.defined_type(definition, None)?;
            let argument = body.graph.add_argument(region, ty);
            parser.define(body, definition.name, argument)
        })
    }

    /// `{ nodes }` of the root region, whose arguments were read.
    pub(super) fn body(&mut self, mut body: Body) -> Parse<Graph> {
        self.require("{")?;
        let mut frames: Vec<Frame> = Vec::new();
        loop {
            let region = frames.last().map_or(body.graph.root(), |frame| frame.region);
            if self.is("yield") || self.is("next") {
                self.region_end(&mut body, frames.last().copied())?;
                let Some(frame) = frames.pop() else { break };
                if self.is("case") && body.graph.kind(frame.node) == NodeKind::Gamma {
                    frames.push(self.case(&mut body, frame.node)?);
                }
            } else {
                frames.extend(self.node(&mut body, region)?);
            }
        }
        let Body { mut graph, origins, uses } = body;
        for (target, name) in uses {
            let Some(&origin) = origins.get(&name.name) else {
                return Err(self.meaning_at(name.start, "this name is not defined in the body".into()));
            };
            match target {
                Target::Input(node) => graph.add_input(node, origin),
                Target::Result(region) => graph.add_result(region, origin),
            };
        }
        Ok(graph)
    }

    /// `yield v0, v1 }` or, in a θ, `next v0, v1 while v2 }`.
    fn region_end(&mut self, body: &mut Body, frame: Option<Frame>) -> Parse<()> {
        let theta = frame.filter(|frame| body.graph.kind(frame.node) == NodeKind::Theta);
        let region = frame.map_or(body.graph.root(), |frame| frame.region);
        let next = self.is("next");
        if next != theta.is_some() {
            return Err(self.expected(if next { "`yield`" } else { "`next`" }));
        }
        self.advance();
        let mut results = Vec::new();
        let comma = self.operands(|_, name| results.push(name))?;
        if comma {
            return Err(self.expected("the name of an origin"));
        }
        if next {
            self.require("while")?;
            let predicate = self.name()?;
            body.use_in(Target::Result(region), predicate);
        }
        for name in results {
            body.use_in(Target::Result(region), name);
        }
        self.require("}")
    }

    /// `case 0 (arguments) {`
    fn case(&mut self, body: &mut Body, gamma: Node) -> Parse<Frame> {
        self.require("case")?;
        let number = self.token;
        let expected = body.graph.subregions(gamma).len();
        if self.number(u64::MAX)? != expected as u64 {
            return Err(self.meaning_at(number.start, format!("this is case {expected}")));
        }
        let region = body.graph.add_region(gamma);
        self.arguments(body, region)?;
        self.require("{")?;
        Ok(Frame { node: gamma, region })
    }

    /// A node; the region that follows it, when it is a γ with a region or a θ.
    fn node(&mut self, body: &mut Body, region: Region) -> Parse<Option<Frame>> {
        let mut definitions: Vec<Definition> = Vec::new();
        if self.is_name() {
            loop {
                definitions.push(self.definition()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.require("=")?;
        }
        let mnemonic = self.token;
        if mnemonic.kind != TokenKind::Word {
            return Err(self.expected("an operation, `yield` or `next`"));
        }
        let frame = match mnemonic.text {
            "gamma" => {
                self.advance();
                let node = self.add(body, region, NodeKind::Gamma, &definitions, None)?;
                let predicate = self.name()?;
                body.input(node, predicate);
                self.list("(", ")", |parser| {
                    let name = parser.name()?;
                    body.input(node, name);
                    Ok(())
                })?;
                if self.is("case") { Some(self.case(body, node)?) } else { None }
            }
            "theta" => {
                self.advance();
                let node = self.add(body, region, NodeKind::Theta, &definitions, None)?;
                let mut hints = LoopHints::default();
                if let Some((_, role)) = LoopRole::NAMED.into_iter().find(|(name, _)| self.eat(name)) {
                    hints.role = role;
                }
                if self.eat("unroll") {
                    hints.unroll = self.hint()?;
                }
                if self.eat("vectorize") {
                    hints.vectorize = self.hint()?;
                }
                body.graph.set_loop_hints(node, hints);
                let inner = body.graph.add_region(node);
                self.list("(", ")", |parser| {
                    let definition = parser.definition()?;
                    let ty = parser.defined_type(definition, None)?;
                    let argument = body.graph.add_argument(inner, ty);
                    parser.define(body, definition.name, argument)?;
                    parser.require("=")?;
                    let input = parser.name()?;
                    body.input(node, input);
                    Ok(())
                })?;
                self.require("{")?;
                Some(Frame { node, region: inner })
            }
            _ => {
                self.simple(body, region, mnemonic, &definitions)?;
                None
            }
        };
        Ok(frame)
    }

    /// How far a pass may transform a loop.
    fn hint(&mut self) -> Parse<Hint> {
        for (word, hint) in [("never", Hint::Never), ("wanted", Hint::Wanted), ("wholly", Hint::Wholly)] {
            if self.eat(word) {
                return Ok(hint);
            }
        }
        Ok(Hint::times(self.u32()?))
    }

    /// Adds a node with the outputs that `definitions` say.
    pub(super) fn add(
        &mut self,
        body: &mut Body,
        region: Region,
        kind: NodeKind,
        definitions: &[Definition],
        implied: Option<Type>,
    ) -> Parse<Node> {
        let node = body.graph.add_node(region, kind, &[], &[]);
        for &definition in definitions {
            let ty = self.defined_type(definition, implied)?;
            let output = body.graph.add_output(node, ty);
            self.define(body, definition.name, output)?;
        }
        Ok(node)
    }

    fn simple(
        &mut self,
        body: &mut Body,
        region: Region,
        mnemonic: Token<'s>,
        definitions: &[Definition],
    ) -> Parse<()> {
        let Some(code) = OpCode::from_mnemonic(mnemonic.text) else {
            return Err(self.expected("an operation, `yield` or `next`"));
        };
        self.advance();
        let add = |parser: &mut Self, body: &mut Body, op, implied| {
            parser.add(body, region, NodeKind::Simple(op), definitions, implied)
        };
        match code {
            OpCode::Const => {
                let constant = self.typed_const()?;
                let ty = self.pool.constant(constant).ty();
                let node = add(self, body, Op::Const(constant), Some(ty))?;
                while self.eat(",") {
                    let name = self.name()?;
                    body.input(node, name);
                }
                Ok(())
            }
            OpCode::CtlConst => {
                let value = self.u32()?;
                self.require("of")?;
                let of = self.u32()?;
                let node = add(self, body, Op::CtlConst { value, of }, None)?;
                self.inputs(body, node)
            }
            OpCode::Match => {
                let ty = self.ty()?;
                let mut operands = Vec::new();
                self.operands(|_, name| operands.push(name))?;
                let table = self.match_table(ty)?;
                let op = Op::Match(self.pool.intern_table(table));
                let node = add(self, body, op, None)?;
                operands.into_iter().for_each(|name| body.input(node, name));
                Ok(())
            }
            OpCode::Call | OpCode::Invoke | OpCode::CallBr => {
                let (info, inputs) = self.call(code)?;
                let call = self.pool.intern_call(info);
                let op = match code {
                    OpCode::Invoke => Op::Invoke(call),
                    OpCode::CallBr => Op::CallBr(call),
                    _ => Op::Call(call),
                };
                let node = add(self, body, op, None)?;
                inputs.into_iter().for_each(|name| body.input(node, name));
                Ok(())
            }
            OpCode::Ext => {
                let ext = self.ext()?;
                let op = Op::Ext(self.pool.intern_ext(ext));
                let node = add(self, body, op, None)?;
                self.inputs(body, node)
            }
            code => {
                let Some(mut op) = self.op_head(code)? else { return Err(self.expected("an operation")) };
                let mut operands = Vec::new();
                let mut comma = false;
                let mut listed = true;
                if let Op::Gep { source: ty, .. } | Op::Alloca { ty, .. } = &mut op {
                    *ty = self.ty()?;
                    listed = self.eat(",");
                    comma = listed;
                }
                if listed && self.is_name() && (comma || !self.token.first_on_line) {
                    comma = self.operands(|_, name| operands.push(name))?;
                }
                self.op_tail(&mut op, comma)?;
                let node = add(self, body, op, None)?;
                operands.into_iter().for_each(|name| body.input(node, name));
                Ok(())
            }
        }
    }

    /// Operands up to the end of the line, all of them names.
    fn inputs(&mut self, body: &mut Body, node: Node) -> Parse<()> {
        if self.operands(|_, name| body.input(node, name))? { Err(self.expected("an operand")) } else { Ok(()) }
    }

    /// Names with commas between them, none when the line ends here; whether a comma follows the last.
    fn operands(&mut self, mut each: impl FnMut(&mut Self, NameAt)) -> Parse<bool> {
        if !self.is_name() || self.token.first_on_line {
            return Ok(false);
        }
        loop {
            let name = self.name()?;
            each(self, name);
            if !self.eat(",") {
                return Ok(false);
            }
            if !self.is_name() {
                return Ok(true);
            }
        }
    }

    /// `[7 -> 0, _ -> 1] of 3`
    fn match_table(&mut self, ty: Type) -> Parse<MatchTable> {
        let mut cases = Vec::new();
        let mut default = None;
        self.list("[", "]", |parser| {
            if default.is_some() {
                return Err(parser.expected("`]` after the default"));
            }
            if parser.eat("_") {
                parser.require("->")?;
                default = Some(parser.u32()?);
            } else {
                let value = parser.const_value(ty)?;
                parser.require("->")?;
                cases.push((value, parser.u32()?));
            }
            Ok(())
        })?;
        let Some(default) = default else { return Err(self.meaning("the default case `_ -> …` is missing".into())) };
        let mut table = MatchTable { cases: cases.into(), default, alternatives: 0 };
        table.alternatives =
            if self.eat("of") { self.u32()? } else { crate::text::print::implied_alternatives(&table) };
        Ok(table)
    }
}

/// The name of an origin that is not a symbol's address.
fn local_name(word: &str) -> Option<Name> {
    let digits = word.find(|c: char| c.is_ascii_digit())?;
    let (prefix, number) = word.split_at(digits);
    let name = match prefix {
        "v" => Name::Value,
        "mem" => Name::Mem,
        "io" => Name::Io,
        _ => return None,
    };
    number.parse().ok().map(name)
}
