//! Names of origins in text.

use std::fmt::{self, Write};

use cranelift_entity::SecondaryMap;

use super::print::{Writer, node_text};
use crate::graph::{Graph, Node, NodeKind, Origin, User, WalkItem};
use crate::{Type, TypeKind};

/// The name of an origin.
#[derive(Copy, Clone, Default, PartialEq, Eq, Hash, Debug)]
pub(super) enum Name {
    /// It is not reached from the root region.
    #[default]
    None,
    /// `v7`
    Value(u32),
    /// `mem7`, which also says that its type is `mem`.
    Mem(u32),
    /// `io7`, which also says that its type is `io`.
    Io(u32),
    /// The address of a symbol, by position in the list of symbols' texts.
    Symbol(u32),
}

/// The names of a graph's origins.
pub(super) struct Names<'m> {
    /// `None` when ids are the names.
    names: Option<SecondaryMap<Origin, Name>>,
    values: u32,
    mems: u32,
    ios: u32,
    symbols: &'m [String],
}

impl<'m> Names<'m> {
    /// Names that are ids.
    pub(super) fn ids() -> Names<'static> {
        Names { names: None, values: 0, mems: 0, ios: 0, symbols: &[] }
    }

    /// No names yet.
    pub(super) fn new(graph: &Graph, symbols: &'m [String]) -> Self {
        let names = Some(SecondaryMap::with_capacity(graph.origin_bound()));
        Names { names, values: 0, mems: 0, ios: 0, symbols }
    }

    /// Names all origins that have no name yet, in the order of printing.
    pub(super) fn number_all(&mut self, graph: &Graph) {
        for item in graph.walk() {
            let origins = match item {
                WalkItem::Enter(region) => graph.arguments(region),
                WalkItem::Node(node) => graph.outputs(node),
                WalkItem::Leave(_) => continue,
            };
            for &origin in origins {
                if self.get(origin) == Name::None {
                    self.number(graph, origin);
                }
            }
        }
    }

    /// Gives an origin the next number of its kind.
    pub(super) fn number(&mut self, graph: &Graph, origin: Origin) {
        let ty = graph.ty(origin);
        let (counter, name): (&mut u32, fn(u32) -> Name) = if ty == Type::MEM {
            (&mut self.mems, Name::Mem)
        } else if ty == Type::IO {
            (&mut self.ios, Name::Io)
        } else {
            (&mut self.values, Name::Value)
        };
        let name = name(*counter);
        *counter += 1;
        self.set(origin, name);
    }

    /// Names an origin.
    pub(super) fn set(&mut self, origin: Origin, name: Name) {
        if let Some(names) = &mut self.names {
            names[origin] = name;
        }
    }

    /// The name of an origin; `None` also where ids are the names.
    pub(super) fn get(&self, origin: Origin) -> Name {
        self.names.as_ref().map_or(Name::None, |names| names[origin])
    }

    /// Whether ids are the names.
    pub(super) fn are_ids(&self) -> bool {
        self.names.is_none()
    }
}

impl Writer<'_> {
    /// The name of an origin.
    pub(super) fn name(&mut self, names: &Names<'_>, origin: Origin) -> fmt::Result {
        match names.get(origin) {
            Name::None if names.are_ids() => write!(self, "{origin}"),
            Name::None => write!(self, "?{origin}"),
            Name::Value(number) => self.numbered("v", number.into()),
            Name::Mem(number) => self.numbered("mem", number.into()),
            Name::Io(number) => self.numbered("io", number.into()),
            Name::Symbol(index) => self.str(names.symbols.get(index as usize).map_or("@?", |text| text)),
        }
    }

    /// The name of a user's origin, or `_` when it has none.
    pub(super) fn user(&mut self, graph: &Graph, names: &Names<'_>, user: User) -> fmt::Result {
        match graph.try_origin(user) {
            Some(origin) => self.name(names, origin),
            None => self.str("_"),
        }
    }

    /// The name of an origin at its definition, with its type unless that is `implied` or follows from the name.
    pub(super) fn definition(
        &mut self,
        graph: &Graph,
        names: &Names<'_>,
        origin: Origin,
        implied: Option<Type>,
    ) -> fmt::Result {
        self.name(names, origin)?;
        let ty = graph.ty(origin);
        let said = match (names.get(origin), self.pool().type_kind(ty)) {
            (Name::Mem(_), TypeKind::Mem) | (Name::Io(_), TypeKind::Io) => true,
            _ => implied == Some(ty),
        };
        if !said {
            self.str(": ")?;
            self.ty(ty)?;
        }
        Ok(())
    }
}

/// The texts of a graph's origins and nodes, for other representations.
pub(crate) struct Labels<'a> {
    graph: &'a Graph,
    names: &'a Names<'a>,
}

impl<'a> Labels<'a> {
    pub(super) fn new(graph: &'a Graph, names: &'a Names<'a>) -> Self {
        Labels { graph, names }
    }

    /// The graph that the texts are of.
    pub(crate) fn graph(&self) -> &'a Graph {
        self.graph
    }

    /// Whether the name of an origin is a symbol's.
    pub(crate) fn is_symbol(&self, origin: Origin) -> bool {
        matches!(self.names.get(origin), Name::Symbol(_))
    }

    /// The name of a user's origin.
    pub(crate) fn user(&self, user: User) -> String {
        self.write(|w| w.user(self.graph, self.names, user))
    }

    /// An origin's name and type.
    pub(crate) fn definition(&self, origin: Origin) -> String {
        self.write(|w| w.definition(self.graph, self.names, origin, None))
    }

    /// The right-hand side of a node's definition, shortened; for a node with regions only its kind.
    pub(crate) fn node(&self, node: Node) -> String {
        match self.graph.kind(node) {
            NodeKind::Gamma => "gamma".to_owned(),
            NodeKind::Theta => "theta".to_owned(),
            NodeKind::Phi => "phi".to_owned(),
            kind @ (NodeKind::Lambda(_) | NodeKind::Delta(_)) => {
                let what = if matches!(kind, NodeKind::Lambda(_)) { "lambda" } else { "delta" };
                let name = |&origin: &Origin| self.write(|w| w.name(self.names, origin));
                self.graph.outputs(node).first().map_or(what.to_owned(), |origin| format!("{what} {}", name(origin)))
            }
            NodeKind::Simple(_) => node_text(self.graph, self.names, node),
        }
    }

    fn write(&self, write: impl FnOnce(&mut Writer<'_>) -> fmt::Result) -> String {
        let mut text = String::new();
        write(&mut Writer::new(&mut text, self.graph.pool())).expect("writing to a string succeeds");
        text
    }
}
