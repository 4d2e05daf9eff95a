//! The tokens of a program.

use std::fmt;

use crate::syntax::{Mistake, Place};

/// A token.
#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    /// A name or keyword.
    Word(String),
    /// A number.
    Number(i64),
    /// An operator or bracket.
    Sign(&'static str),
    /// After the last one.
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(word) => write!(f, "'{word}'"),
            Token::Number(number) => write!(f, "{number}"),
            Token::Sign(sign) => write!(f, "'{sign}'"),
            Token::End => write!(f, "the end of the program"),
        }
    }
}

/// Signs, the longer of two that begin alike first.
const SIGNS: [&str; 23] = [
    "||", "&&", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "=", "(", ")", "[", "]", "{", "}", ",",
    ";",
];

/// The tokens of a text and where each begins. Comments begin with `//`.
///
/// # Errors
/// A character means nothing, or a number is too large.
pub fn tokens(text: &str) -> Result<Vec<(Token, Place)>, Mistake> {
    let mut tokens = Vec::new();
    let mut at = Place { line: 1, column: 1 };
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let while_ = |is_in: fn(char) -> bool| rest.find(|c| !is_in(c)).unwrap_or(rest.len());
        let (length, token) = if first.is_whitespace() {
            (first.len_utf8(), None)
        } else if rest.starts_with("//") {
            (while_(|c| c != '\n'), None)
        } else if first.is_alphabetic() || first == '_' {
            let length = while_(|c| c.is_alphanumeric() || c == '_');
            (length, Some(Token::Word(rest[..length].to_owned())))
        } else if first.is_ascii_digit() {
            let length = while_(|c| c.is_ascii_digit());
            let number = rest[..length].parse();
            let number = number.map_err(|_| Mistake { at, what: format!("{} has over 63 bits", &rest[..length]) })?;
            (length, Some(Token::Number(number)))
        } else if let Some(sign) = SIGNS.iter().find(|&&sign| rest.starts_with(sign)) {
            (sign.len(), Some(Token::Sign(sign)))
        } else {
            return Err(Mistake { at, what: format!("{first:?} means nothing") });
        };
        tokens.extend(token.map(|token| (token, at)));
        for c in rest[..length].chars() {
            at = match c {
                '\n' => Place { line: at.line + 1, column: 1 },
                _ => Place { column: at.column + 1, ..at },
            };
        }
        rest = &rest[length..];
    }
    tokens.push((Token::End, at));
    Ok(tokens)
}
