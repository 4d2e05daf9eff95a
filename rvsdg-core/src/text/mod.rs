//! The text format: a complete, readable form of a [`Module`] or of one [`Graph`]. `docs/text-format.md` describes it.
//!
//! [`parse_module`] reads what [`print_module`] writes into an isomorphic module, and printing that gives the same bytes.
//! Origins are numbered densely per body in the order of printing, so the text does not depend on ids. Printers accept
//! broken graphs; what they print of one need not parse. Neither printers nor parsers recurse on the program's nesting.

mod names;
mod print;
pub(crate) mod spell;

use std::fmt;

use crate::graph::{Graph, Node};
use crate::module::Module;
use crate::op::Op;
use crate::{Const, Pool, Type};

/// The text of a module. Source ids are left out.
pub fn print_module(module: &Module) -> String {
    let mut text = String::new();
    print::module(&mut text, module).expect("writing to a string succeeds");
    text
}

/// The text of one graph as `graph (arguments) { … }`, after the named types and before the attribute lists it uses.
pub fn print_graph(graph: &Graph) -> String {
    let mut text = String::new();
    print::graph(&mut text, graph).expect("writing to a string succeeds");
    text
}

/// The text of one graph with origins, nodes and regions by id, for looking at what a pass or the verifier says.
pub fn dump_graph(graph: &Graph) -> String {
    let mut text = String::new();
    print::dump(&mut text, graph).expect("writing to a string succeeds");
    text
}

/// One node as [`dump_graph`] prints it, without what is in it.
pub fn node_line(graph: &Graph, node: Node) -> String {
    let mut text = String::new();
    print::node_line(&mut text, graph, node).expect("writing to a string succeeds");
    text
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::module(f, self)
    }
}

impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::graph(f, self)
    }
}

impl Pool {
    /// The text of a type, such as `[4 x i32]`.
    pub fn display_type(&self, ty: Type) -> impl fmt::Display + '_ {
        fmt::from_fn(move |f| print::Writer::new(f, self).ty(ty))
    }

    /// The text of a constant with its type, such as `i32 7`.
    pub fn display_const(&self, constant: Const) -> impl fmt::Display + '_ {
        fmt::from_fn(move |f| print::Writer::new(f, self).typed_const(constant))
    }

    /// The mnemonic and flags of an operation, such as `add nsw`.
    pub fn display_op(&self, op: Op) -> impl fmt::Display + '_ {
        fmt::from_fn(move |f| print::Writer::new(f, self).op_head(op))
    }
}

/// The named types that a module refers to, those a type consists of before it.
pub(crate) fn named_types(module: &Module) -> Vec<Type> {
    print::Groups::of_module(module).into_types()
}
