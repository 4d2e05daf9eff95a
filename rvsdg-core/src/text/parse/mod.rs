//! Parsing.
//!
//! A first pass over the tokens finds the items of the top level, so that types, attribute lists and symbols can be
//! defined after their use. Regions nest on an explicit stack; types and constants nest by recursion, up to
//! [`MAX_DEPTH`]. Names may be used before they are defined: uses become edges when a body is complete.

mod attributes;
mod calls;
mod constants;
mod graph;
mod lexer;
mod module;
mod ops;
mod symbols;
mod tbaa;
mod types;

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::attribute::Attributes;
use crate::tbaa::TypeNode;
use crate::{Pool, Type};
use lexer::{Lexer, Token, TokenKind};

pub(super) use graph::graph;
pub(super) use module::module;

/// How deep types and constants may nest.
pub const MAX_DEPTH: u32 = 200;

/// Text that is not a module or graph.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}:{column}: {problem}")]
pub struct ParseError {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Problem {
    /// Unexpected text.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// The expected text.
        expected: String,
        /// The actual text.
        found: String,
    },
    /// Text of the right form without a meaning.
    #[error("{0}")]
    Meaning(String),
}

type Parse<T> = Result<T, Box<ParseError>>;

/// The top level's items of one kind, by where they start.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum ItemKind {
    Type,
    Attributes,
    TypeNode,
    Symbol,
    Other,
}

#[derive(Copy, Clone)]
struct Item {
    kind: ItemKind,
    start: usize,
}

/// A named type that was not needed yet, that is being read, or that was read.
enum NamedType {
    At(usize),
    Open,
    Read(Type),
}

/// A reader of one text.
struct Parser<'s> {
    source: &'s str,
    lexer: Lexer<'s>,
    /// The next token.
    token: Token<'s>,
    pool: Arc<Pool>,
    named_types: FxHashMap<Cow<'s, str>, NamedType>,
    attributes: FxHashMap<u32, Attributes>,
    type_nodes: FxHashMap<u32, TypeNode>,
    symbols: symbols::SymbolNames<'s>,
    depth: u32,
}

impl<'s> Parser<'s> {
    /// A reader at the start of `source`, and the items it found there.
    fn new(source: &'s str, pool: Arc<Pool>) -> Parse<(Self, Vec<Item>)> {
        let mut lexer = Lexer::new(source);
        let token = lexer.next();
        let mut parser = Parser {
            source,
            lexer,
            token,
            pool,
            named_types: FxHashMap::default(),
            attributes: FxHashMap::default(),
            type_nodes: FxHashMap::default(),
            symbols: symbols::SymbolNames::default(),
            depth: 0,
        };
        let items = parser.items()?;
        Ok((parser, items))
    }

    /// Reads the definitions that bodies refer to by number.
    fn groups(&mut self, items: &[Item]) -> Parse<()> {
        for item in items {
            self.seek(item.start);
            match item.kind {
                ItemKind::Attributes => self.attribute_definition()?,
                ItemKind::TypeNode => self.type_node_definition()?,
                ItemKind::Type | ItemKind::Symbol | ItemKind::Other => continue,
            }
            self.end_of_line()?;
        }
        Ok(())
    }

    fn end_of_line(&mut self) -> Parse<()> {
        if self.token.first_on_line || self.token.kind == TokenKind::End {
            Ok(())
        } else {
            Err(self.expected("the end of the line"))
        }
    }

    /// Finds where the items of the top level start: at the first token of a line outside of brackets.
    fn items(&mut self) -> Parse<Vec<Item>> {
        let mut items = Vec::new();
        let mut depth = 0u32;
        loop {
            let token = self.token;
            if token.kind == TokenKind::End {
                break;
            }
            if let TokenKind::Open(_) = token.kind {
                depth += 1;
            }
            if let TokenKind::Close(_) = token.kind {
                depth = depth.saturating_sub(1);
            }
            if depth > 0 || !token.first_on_line || matches!(token.kind, TokenKind::Close(_)) {
                self.advance();
                continue;
            }
            let start = token.start;
            let kind = match token.kind {
                TokenKind::Local => {
                    let name = self.sigil_name()?;
                    self.require("=")?;
                    self.require_word("type")?;
                    let definition = NamedType::At(self.token.start);
                    if self.named_types.insert(name, definition).is_some() {
                        return Err(self.meaning_at(start, format!("the type {} is defined twice", token.text)));
                    }
                    ItemKind::Type
                }
                TokenKind::Global => {
                    self.advance();
                    let defines = self.eat("=") && !["lambda", "delta", "phi", "import"].contains(&self.token.text);
                    if defines { ItemKind::Symbol } else { ItemKind::Other }
                }
                TokenKind::Word if token.text == "attributes" => ItemKind::Attributes,
                TokenKind::Word if token.text == "tbaa" => ItemKind::TypeNode,
                _ => ItemKind::Other,
            };
            items.push(Item { kind, start });
            if self.token.start == start {
                self.advance();
            }
        }
        Ok(items)
    }

    /// Goes to a place in the text.
    fn seek(&mut self, start: usize) {
        self.lexer = Lexer::at(self.source, start);
        self.token = self.lexer.next();
    }

    fn advance(&mut self) -> Token<'s> {
        let token = self.token;
        self.token = self.lexer.next();
        token
    }

    fn is(&self, text: &str) -> bool {
        self.token.text == text && !matches!(self.token.kind, TokenKind::String | TokenKind::Bytes | TokenKind::End)
    }

    /// Passes the token spelled `text`, if it is next.
    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.advance();
        }
        found
    }

    fn require(&mut self, text: &str) -> Parse<()> {
        if self.eat(text) { Ok(()) } else { Err(self.expected(format!("`{text}`"))) }
    }

    fn require_word(&mut self, text: &str) -> Parse<()> {
        self.require(text)
    }

    /// Skips one of `words`, if it is next, and returns it.
    fn one_of(&mut self, words: &[&'static str]) -> Option<&'static str> {
        let word = words.iter().copied().find(|word| self.is(word))?;
        self.advance();
        Some(word)
    }

    /// Reads `open item, item close`.
    fn list(&mut self, open: &str, close: &str, mut item: impl FnMut(&mut Self) -> Parse<()>) -> Parse<()> {
        self.require(open)?;
        if self.eat(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.eat(close) {
                return Ok(());
            }
            if !self.eat(",") {
                return Err(self.expected(format!("`,` or `{close}`")));
            }
        }
    }

    /// An unsigned decimal number of at most `max`.
    fn number(&mut self, max: u64) -> Parse<u64> {
        if self.token.kind != TokenKind::Number {
            return Err(self.expected("a number"));
        }
        match self.token.text.parse::<u64>() {
            Ok(number) if number <= max => {
                self.advance();
                Ok(number)
            }
            _ => Err(self.meaning(format!("{} is not a number up to {max}", self.token.text))),
        }
    }

    fn u32(&mut self) -> Parse<u32> {
        Ok(self.number(u32::MAX.into())? as u32)
    }

    /// The bytes of a string in quotes.
    fn bytes(&mut self) -> Parse<Cow<'s, [u8]>> {
        if self.token.kind != TokenKind::String {
            return Err(self.expected("a string in quotes"));
        }
        self.unescape(&self.token.text[1..])
    }

    /// A string in quotes that is text.
    fn string(&mut self) -> Parse<String> {
        let start = self.token.start;
        let bytes = self.bytes()?;
        String::from_utf8(bytes.into_owned()).map_err(|_| self.meaning_at(start, "the string is not UTF-8".into()))
    }

    /// Passes a token whose text ends with the quote that ends a string, `text` being what follows the first quote.
    fn unescape(&mut self, text: &'s str) -> Parse<Cow<'s, [u8]>> {
        let Some(text) = text.strip_suffix('"') else { return Err(self.meaning("the string does not end".into())) };
        let start = self.token.start;
        self.advance();
        if !text.contains('\\') {
            return Ok(Cow::Borrowed(text.as_bytes()));
        }
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while let [first, tail @ ..] = rest {
            rest = tail;
            if *first != b'\\' {
                bytes.push(*first);
                continue;
            }
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let escaped = match rest {
                [high, low, ..] => digit(*high).zip(digit(*low)),
                _ => None,
            };
            let Some((high, low)) = escaped else {
                return Err(self.meaning_at(start, "a `\\` in a string is followed by two hexadecimal digits".into()));
            };
            bytes.push((high << 4 | low) as u8);
            rest = &rest[2..];
        }
        Ok(Cow::Owned(bytes))
    }

    /// Passes `@name`, `%name` or `$name`; the name without quotes and escapes.
    fn sigil_name(&mut self) -> Parse<Cow<'s, str>> {
        let start = self.token.start;
        let text = &self.token.text[1..];
        let Some(quoted) = text.strip_prefix('"') else {
            self.advance();
            return Ok(Cow::Borrowed(text));
        };
        let not_text = |parser: &Self| parser.meaning_at(start, "the name is not UTF-8".into());
        match self.unescape(quoted)? {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|_| not_text(self)),
            Cow::Owned(bytes) => String::from_utf8(bytes).map(Cow::Owned).map_err(|_| not_text(self)),
        }
    }

    /// Runs `read` one level deeper, unless that is too deep.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.meaning(format!("types and constants nest at most {MAX_DEPTH} deep")));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn expected(&self, expected: impl Into<String>) -> Box<ParseError> {
        let found = match self.token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            _ => {
                const SHOWN: usize = 40;
                let text = self.token.text;
                match text.char_indices().nth(SHOWN) {
                    Some((end, _)) => format!("`{}…`", &text[..end]),
                    None => format!("`{text}`"),
                }
            }
        };
        self.error_at(self.token.start, Problem::Expected { expected: expected.into(), found })
    }

    fn meaning(&self, message: String) -> Box<ParseError> {
        self.meaning_at(self.token.start, message)
    }

    fn meaning_at(&self, start: usize, message: String) -> Box<ParseError> {
        self.error_at(start, Problem::Meaning(message))
    }

    fn error_at(&self, start: usize, problem: Problem) -> Box<ParseError> {
        let before = &self.source[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() as u32 + 1;
        let column = before[line_start..].chars().count() as u32 + 1;
        Box::new(ParseError { line, column, problem })
    }
}
