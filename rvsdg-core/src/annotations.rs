//! Annotations of a module that was built: debug information and other metadata, in LLVM's form.
//!
//! For a module that was read, the importer keeps all of that, and this is empty. Otherwise instructions have numbers as in an imported
//! module ([`crate::sources`]), graphs carry them, and the emitter finds the annotations of each instruction by its number. Metadata is a
//! graph of nodes: tuples, and records such as `!DILocation(line: 1, scope: !2)`.
//!
//! Nothing here has a meaning for passes, and the text format leaves it out.

use cranelift_entity::{PrimaryMap, entity_impl};
use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;

use crate::Const;
use crate::graph::SourceId;
use crate::module::Symbol;
use crate::op::Op;

/// A node of metadata.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Metadata(u32);
entity_impl!(Metadata, "!");

/// What is in a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// `null`
    Null,
    /// Another node.
    Node(Metadata),
    /// A string.
    Text(Box<str>),
    /// A number of a record.
    Int(i64),
    /// A truth value of a record.
    Bool(bool),
    /// A word of a record, such as `DW_ATE_signed`; letters, digits, `_` and `|` between words.
    Word(Box<str>),
    /// A constant of an integer type, in a tuple: bits, and value.
    Constant(u32, i64),
}

/// A node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MetadataNode {
    /// Whether it differs from equal nodes.
    pub is_distinct: bool,
    /// What kind of record it is, such as `DILocation`; `None` for a tuple.
    pub record: Option<&'static str>,
    /// Its operands, each with its name in a record.
    pub operands: Vec<(&'static str, Operand)>,
}

impl MetadataNode {
    /// A tuple.
    pub fn tuple(operands: impl IntoIterator<Item = Operand>) -> MetadataNode {
        let operands = operands.into_iter().map(|operand| ("", operand)).collect();
        MetadataNode { is_distinct: false, record: None, operands }
    }

    /// A record.
    pub fn record(kind: &'static str, operands: Vec<(&'static str, Operand)>) -> MetadataNode {
        MetadataNode { is_distinct: false, record: Some(kind), operands }
    }

    /// Makes the node distinct.
    #[must_use]
    pub fn distinct(self) -> MetadataNode {
        MetadataNode { is_distinct: true, ..self }
    }
}

/// A value that a variable of the source has.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The result of an instruction, or a block parameter, with this number.
    Source(SourceId),
    /// A parameter of the function, by position.
    Param(u32),
    /// A constant, without symbols.
    Const(Const),
    /// Unknown.
    Unknown,
    /// The contents of the memory of an allocation.
    Memory(SourceId),
}

/// A variable of the source has a value from here on.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    /// A `DILocalVariable`.
    pub variable: Metadata,
    /// The value.
    pub value: Bound,
    /// A `DILocation` in the variable's scope.
    pub location: Metadata,
}

/// The annotations of an instruction.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// The operation; attached metadata holds for it only.
    pub op: Option<Op>,
    /// Its source location: line, column and scope.
    pub location: Option<(u32, u32, Metadata)>,
    /// Metadata by kind, such as `tbaa`.
    pub attached: Vec<(&'static str, Metadata)>,
    /// The values of variables when it is executed, in order.
    pub before: Vec<Binding>,
}

/// The annotations of a module.
#[derive(Clone, Default, Debug)]
pub struct Annotations {
    /// All nodes; each may name any other one.
    pub nodes: PrimaryMap<Metadata, MetadataNode>,
    /// Named metadata, such as `llvm.dbg.cu`.
    pub named: Vec<(&'static str, Vec<Metadata>)>,
    /// The `DISubprogram`s of functions, and the `DIGlobalVariableExpression`s of variables.
    pub symbols: SecondaryMap<Symbol, Metadata>,
    /// The annotations of instructions, by their numbers.
    pub instructions: FxHashMap<SourceId, Annotation>,
}

impl Annotations {
    /// Adds a node.
    pub fn add(&mut self, node: MetadataNode) -> Metadata {
        self.nodes.push(node)
    }
}
