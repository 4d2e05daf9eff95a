//! The tree of a program, in which each name is resolved.

use std::fmt;

use rvsdg_core::op::{IntBinary, IntPredicate};

/// A line and a column, from 1.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Something wrong in a program.
#[derive(Debug, thiserror::Error)]
#[error("{at}: {what}")]
pub struct Mistake {
    /// Where.
    pub at: Place,
    /// What.
    pub what: String,
}

/// A variable or array of a function, by its number; parameters are the first.
pub type Local = usize;

/// An expression.
pub enum Expr {
    /// A number.
    Number(i64),
    /// A variable, or an array as an argument.
    Local(Local),
    /// An element of an array.
    Element(Local, Box<Expr>),
    /// A call.
    Call(String, Vec<Expr>),
    /// An operation on two numbers.
    Arithmetic(IntBinary, Box<Expr>, Box<Expr>),
    /// A relation of two numbers.
    Comparison(IntPredicate, Box<Expr>, Box<Expr>),
    /// `&&`.
    And(Box<Expr>, Box<Expr>),
    /// `||`.
    Or(Box<Expr>, Box<Expr>),
}

/// A statement.
pub enum Statement {
    /// A new array of so many zeros.
    Array(Local, u64),
    /// A variable, new or not, and its value from now on.
    Assign(Local, Expr),
    /// An element of an array and its value from now on.
    AssignElement(Local, Expr, Expr),
    /// Condition, what is done where it holds, and where not.
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// Condition and body.
    While(Expr, Vec<Statement>),
    /// The next iteration of the innermost loop.
    Continue,
    /// The end of the innermost loop.
    Break,
    /// The end of the function.
    Return(Expr),
    /// A number on a line.
    Print(Expr),
    /// What is computed for its effects.
    Expr(Expr),
}

/// A function.
pub struct Function {
    /// Where its name is.
    pub at: Place,
    /// Its name.
    pub name: String,
    /// For each parameter, whether it is an array.
    pub params: Vec<bool>,
    /// What it does.
    pub body: Vec<Statement>,
}
