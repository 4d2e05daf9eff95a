//! The text format: a complete, readable form of a [`Module`] or of one [`Graph`]. `docs/text-format.md` describes it.
//!
//! [`parse_module`] reads what [`print_module`] writes into an isomorphic module, and printing that gives the same bytes. Origins are
//! numbered densely per body in printing order, so the text does not depend on ids. Printers accept broken graphs, whose text need not
//! parse. Neither printers nor parsers recurse on the program's nesting.
//!
//! ```
//! use rvsdg_core::text;
//!
//! let source = "module \"example\"
//!
//! @double = function i32 (i32)
//!
//! lambda @double [] (v0: i32, mem0, io0) {
//!   v1: i32 = add nsw v0, v0
//!   yield v1, mem0, io0
//! }
//! export @double
//! ";
//! let module = text::parse_module(source)?;
//! assert_eq!(text::print_module(&module), source);
//! module.verify()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod names;
mod parse;
mod print;
pub(crate) mod spell;

use std::fmt;
use std::sync::Arc;

use crate::graph::{Graph, Node};
use crate::module::Module;
use crate::op::Op;
use crate::{Const, Pool, Type};

pub(crate) use names::Labels;
pub use parse::{MAX_DEPTH, ParseError, Problem};

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

/// Passes the text labels of the ω graph, and then those of each body with the name of its function, as in the text of the module.
pub(crate) fn for_each_graph(module: &Module, show: &mut dyn FnMut(Option<&str>, &Labels<'_>)) {
    print::graphs(module, &mut |function, graph, names| show(function, &Labels::new(graph, names)));
}

/// Hands out the texts of a graph by itself.
pub(crate) fn with_labels(graph: &Graph, show: impl FnOnce(&Labels<'_>)) {
    let mut names = names::Names::new(graph, &[]);
    names.number_all(graph);
    show(&Labels::new(graph, &names));
}

/// Reads what [`print_module`] writes.
///
/// The module has the form of the text, but need not be valid: [`Module::verify`] says whether it is.
///
/// # Errors
/// Where the text does not have the form of a module, and what was expected there.
pub fn parse_module(source: &str) -> Result<Module, ParseError> {
    parse::module(source)
}

/// Reads what [`print_graph`] writes.
///
/// # Errors
/// As [`parse_module`].
pub fn parse_graph(source: &str, pool: Arc<Pool>) -> Result<Graph, ParseError> {
    parse::graph(source, pool)
}

/// One node as [`dump_graph`] prints it, without what is in it.
pub fn node_line(graph: &Graph, node: Node) -> String {
    let mut text = String::new();
    print::node_line(&mut text, graph, node).expect("writing to a string succeeds");
    text
}

/// One node as [`dump_graph`] prints it in a line of at most some 250 characters: of long lists, the first few and how many there
/// are.
pub fn node_summary(graph: &Graph, node: Node) -> String {
    print::node_summary(graph, node)
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

/// Checks that a module's text says all of it: it parses, and the parsed module has the same text.
///
/// # Panics
/// When it does not.
#[cfg(debug_assertions)]
pub fn assert_round_trip(module: &Module) {
    let text = print_module(module);
    let parsed = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let again = print_module(&parsed);
    if let Some((line, (first, second))) =
        text.lines().zip(again.lines()).enumerate().find(|(_, (first, second))| first != second)
    {
        panic!("line {} is printed as\n{first}\nand, once parsed, as\n{second}", line + 1);
    }
    assert!(text == again, "the text of the parsed module has other lines at its end");
}
