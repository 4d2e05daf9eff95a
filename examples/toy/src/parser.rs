//! From text to a tree.
//!
//! ```text
//! program   = { "fn" name "(" [ param { "," param } ] ")" block }
//! param     = name [ "[" "]" ]
//! block     = "{" { statement } "}"
//! statement = "let" name "=" expression ";"            a variable
//!           | "let" name "[" number "]" ";"            an array of zeros
//!           | name [ "[" expression "]" ] "=" expression ";"
//!           | "if" expression block [ "else" ( block | if ) ]
//!           | "while" expression block | "break" ";" | "continue" ";"
//!           | "return" expression ";" | "print" expression ";" | expression ";"
//! ```
//!
//! Values are integers of 64 bits. Operators are those of C, with its precedence: `|| && == != < <= > >= + - * / % ! -`.

use std::collections::BTreeMap;

use rvsdg_core::op::{IntBinary, IntPredicate};

use crate::lexer::{Token, tokens};
use crate::syntax::{Expr, Function, Local, Mistake, Place, Statement};

/// A binary operator.
#[derive(Copy, Clone)]
enum Operator {
    Or,
    And,
    Relation(IntPredicate),
    Arithmetic(IntBinary),
}

/// Binary operators, those that bind least first.
const LEVELS: [&[(&str, Operator)]; 6] = [
    &[("||", Operator::Or)],
    &[("&&", Operator::And)],
    &[("==", Operator::Relation(IntPredicate::Eq)), ("!=", Operator::Relation(IntPredicate::Ne))],
    &[
        ("<=", Operator::Relation(IntPredicate::Sle)),
        (">=", Operator::Relation(IntPredicate::Sge)),
        ("<", Operator::Relation(IntPredicate::Slt)),
        (">", Operator::Relation(IntPredicate::Sgt)),
    ],
    &[("+", Operator::Arithmetic(IntBinary::Add)), ("-", Operator::Arithmetic(IntBinary::Sub))],
    &[
        ("*", Operator::Arithmetic(IntBinary::Mul)),
        ("/", Operator::Arithmetic(IntBinary::SDiv)),
        ("%", Operator::Arithmetic(IntBinary::SRem)),
    ],
];

const KEYWORDS: [&str; 9] = ["fn", "let", "if", "else", "while", "break", "continue", "return", "print"];

/// How deep expressions and blocks may nest.
const MAX_DEPTH: u32 = 100;

type Result<T> = std::result::Result<T, Mistake>;

/// The functions of a program.
///
/// # Errors
/// What is wrong, and where.
pub fn parse(text: &str) -> Result<Vec<Function>> {
    let mut parser = Parser { tokens: tokens(text)?, ..Parser::default() };
    let mut functions = Vec::new();
    let mut known = BTreeMap::new();
    while *parser.peek() != Token::End {
        let function = parser.function()?;
        if known.insert(function.name.clone(), function.params.clone()).is_some() || function.name == "printf" {
            let what = format!("there is a function '{}' already", function.name);
            return Err(Mistake { at: function.at, what });
        }
        functions.push(function);
    }
    for (at, name, arguments) in parser.calls {
        let what = match known.get(&name) {
            None => format!("there is no function '{name}'"),
            Some(params) if params.len() != arguments.len() => {
                format!("'{name}' has {} parameters, not {}", params.len(), arguments.len())
            }
            Some(params) => match params.iter().zip(&arguments).position(|(param, argument)| param != argument) {
                Some(wrong) if params[wrong] => format!("argument {} of '{name}' has to be an array", wrong + 1),
                Some(wrong) => format!("argument {} of '{name}' is an array, not a number", wrong + 1),
                None => continue,
            },
        };
        return Err(Mistake { at, what });
    }
    Ok(functions)
}

#[derive(Default)]
struct Parser {
    tokens: Vec<(Token, Place)>,
    next: usize,
    depth: u32,
    loops: u32,
    /// The names in scope, innermost last, and whether each is an array.
    names: Vec<(String, Local, bool)>,
    locals: usize,
    /// Calls, and which arguments are arrays; they are checked when all functions are known.
    calls: Vec<(Place, String, Vec<bool>)>,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    fn at(&self) -> Place {
        self.tokens[self.next].1
    }

    fn take(&mut self) -> Token {
        let token = self.peek().clone();
        // The end stays.
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    fn is_next(&self, text: &str) -> bool {
        match self.peek() {
            Token::Word(word) => word == text,
            Token::Sign(sign) => *sign == text,
            Token::Number(_) | Token::End => false,
        }
    }

    fn accept(&mut self, text: &str) -> bool {
        let is_it = self.is_next(text);
        if is_it {
            self.take();
        }
        is_it
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        if self.accept(text) { Ok(()) } else { Err(self.expected(&format!("'{text}'"))) }
    }

    fn expected(&self, what: &str) -> Mistake {
        Mistake { at: self.at(), what: format!("expected {what}, found {}", self.peek()) }
    }

    fn name(&mut self, what: &str) -> Result<String> {
        match self.peek() {
            Token::Word(word) if !KEYWORDS.contains(&word.as_str()) => {
                let word = word.clone();
                self.take();
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    fn declare(&mut self, name: String, is_array: bool) -> Local {
        self.locals += 1;
        self.names.push((name, self.locals - 1, is_array));
        self.locals - 1
    }

    fn resolve(&self, at: Place, name: &str) -> Result<(Local, bool)> {
        let known = self.names.iter().rev().find(|(known, ..)| known == name);
        let unknown = || Mistake { at, what: format!("there is no variable '{name}'") };
        known.map(|&(_, local, is_array)| (local, is_array)).ok_or_else(unknown)
    }

    /// Items with commas between them, up to a closing parenthesis.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        while !self.accept(")") {
            if !items.is_empty() && !self.accept(",") {
                return Err(self.expected("',' or ')'"));
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            return Err(Mistake { at: self.at(), what: format!("this is nested more than {MAX_DEPTH} deep") });
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn function(&mut self) -> Result<Function> {
        self.expect("fn")?;
        (self.locals, self.names) = (0, Vec::new());
        let (at, name) = (self.at(), self.name("the name of a function")?);
        self.expect("(")?;
        let params = self.list(|parser| {
            let name = parser.name("the name of a parameter")?;
            let is_array = parser.accept("[");
            if is_array {
                parser.expect("]")?;
            }
            parser.declare(name, is_array);
            Ok(is_array)
        })?;
        Ok(Function { at, name, params, body: self.block()? })
    }

    fn block(&mut self) -> Result<Vec<Statement>> {
        self.nested(|parser| {
            parser.expect("{")?;
            let outer = parser.names.len();
            let mut statements = Vec::new();
            while !parser.accept("}") {
                statements.push(parser.statement()?);
            }
            parser.names.truncate(outer);
            Ok(statements)
        })
    }

    fn statement(&mut self) -> Result<Statement> {
        let at = self.at();
        if self.accept("if") {
            let (condition, then) = (self.expression()?, self.block()?);
            let otherwise = match self.accept("else") {
                true if self.is_next("if") => vec![self.nested(Self::statement)?],
                true => self.block()?,
                false => Vec::new(),
            };
            return Ok(Statement::If(condition, then, otherwise));
        }
        if self.accept("while") {
            let condition = self.expression()?;
            self.loops += 1;
            let body = self.block()?;
            self.loops -= 1;
            return Ok(Statement::While(condition, body));
        }
        let statement = if self.accept("let") {
            let name = self.name("the name of a variable")?;
            if self.accept("[") {
                let Token::Number(len @ 1..=1_000_000) = *self.peek() else {
                    return Err(self.expected("a number of elements, up to a million"));
                };
                self.take();
                self.expect("]")?;
                Statement::Array(self.declare(name, true), len as u64)
            } else {
                self.expect("=")?;
                let value = self.expression()?;
                Statement::Assign(self.declare(name, false), value)
            }
        } else if self.accept("return") {
            Statement::Return(self.expression()?)
        } else if self.accept("print") {
            Statement::Print(self.expression()?)
        } else if self.is_next("break") || self.is_next("continue") {
            if self.loops == 0 {
                return Err(Mistake { at, what: format!("there is no loop around this {}", self.peek()) });
            }
            if self.accept("break") {
                Statement::Break
            } else {
                self.take();
                Statement::Continue
            }
        } else {
            match self.expression()? {
                Expr::Local(local) if self.accept("=") => Statement::Assign(local, self.expression()?),
                Expr::Element(array, index) if self.accept("=") => {
                    Statement::AssignElement(array, *index, self.expression()?)
                }
                expr => Statement::Expr(expr),
            }
        };
        self.expect(";")?;
        Ok(statement)
    }

    fn expression(&mut self) -> Result<Expr> {
        self.nested(|parser| parser.binary(0))
    }

    fn binary(&mut self, level: usize) -> Result<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(&(_, operator)) = operators.iter().find(|(sign, _)| self.is_next(sign)) {
            self.take();
            let (first, second) = (Box::new(left), Box::new(self.binary(level + 1)?));
            left = match operator {
                Operator::Or => Expr::Or(first, second),
                Operator::And => Expr::And(first, second),
                Operator::Relation(predicate) => Expr::Comparison(predicate, first, second),
                Operator::Arithmetic(op) => Expr::Arithmetic(op, first, second),
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr> {
        if self.accept("-") {
            let zero = Box::new(Expr::Number(0));
            return Ok(Expr::Arithmetic(IntBinary::Sub, zero, Box::new(self.nested(Self::unary)?)));
        }
        if self.accept("!") {
            let zero = Box::new(Expr::Number(0));
            return Ok(Expr::Comparison(IntPredicate::Eq, Box::new(self.nested(Self::unary)?), zero));
        }
        if self.accept("(") {
            let inner = self.expression()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if let Token::Number(number) = *self.peek() {
            self.take();
            return Ok(Expr::Number(number));
        }
        let (at, name) = (self.at(), self.name("an expression")?);
        if self.accept("(") {
            let (arguments, arrays) = self.list(Self::argument)?.into_iter().unzip();
            self.calls.push((at, name.clone(), arrays));
            return Ok(Expr::Call(name, arguments));
        }
        let (local, is_array) = self.resolve(at, &name)?;
        match (is_array, self.accept("[")) {
            (true, true) => {
                let index = Box::new(self.expression()?);
                self.expect("]")?;
                Ok(Expr::Element(local, index))
            }
            (false, false) => Ok(Expr::Local(local)),
            (true, false) => Err(Mistake { at, what: format!("'{name}' is an array, not a number") }),
            (false, true) => Err(Mistake { at, what: format!("'{name}' is not an array") }),
        }
    }

    /// An expression or an array, and which it is.
    fn argument(&mut self) -> Result<(Expr, bool)> {
        if let Token::Word(name) = self.peek()
            && let Some(Token::Sign("," | ")")) = self.tokens.get(self.next + 1).map(|(token, _)| token)
            && let Ok((local, true)) = self.resolve(self.at(), name)
        {
            self.take();
            return Ok((Expr::Local(local), true));
        }
        Ok((self.expression()?, false))
    }
}
