//! Tokens.

use crate::text::spell::is_name_byte;

/// What a token is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// A letter or `_`, then letters, digits and `_`.
    Word,
    /// Digits with optional sign, fraction and exponent, or `0x` and hexadecimal digits.
    Number,
    /// `@name`
    Global,
    /// `%name`
    Local,
    /// `$name`
    Comdat,
    /// `#7`
    Group,
    /// `?7`
    Hole,
    /// `"text"`
    String,
    /// `c"text"`
    Bytes,
    /// `(`, `[` or `{`
    Open(u8),
    /// `)`, `]` or `}`
    Close(u8),
    /// Any other punctuation; `->` and `...` are one token each.
    Punctuation,
    /// The end of the text.
    End,
}

/// A token.
#[derive(Copy, Clone, Debug)]
pub(super) struct Token<'s> {
    pub(super) kind: TokenKind,
    /// What it is in the source, sigils and quotes included.
    pub(super) text: &'s str,
    /// Where it is.
    pub(super) start: usize,
    /// Whether only blanks precede it on its line.
    pub(super) first_on_line: bool,
}

/// Splits a text into tokens. There are no invalid tokens: unexpected characters are punctuation.
pub(super) struct Lexer<'s> {
    source: &'s str,
    position: usize,
    /// Whether a token was read from the current line.
    on_line: bool,
}

impl<'s> Lexer<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self::at(source, 0)
    }

    /// Starts in the middle, as at the beginning of a line.
    pub(super) fn at(source: &'s str, position: usize) -> Self {
        Lexer { source, position, on_line: false }
    }

    pub(super) fn next(&mut self) -> Token<'s> {
        self.skip_blanks();
        let start = self.position;
        let bytes = self.source.as_bytes();
        let (kind, end) = match bytes.get(start) {
            None => (TokenKind::End, start),
            Some(&first) => self.token(first, start),
        };
        self.position = end;
        let first_on_line = !std::mem::replace(&mut self.on_line, true);
        Token { kind, text: &self.source[start..end], start, first_on_line }
    }

    fn skip_blanks(&mut self) {
        let bytes = self.source.as_bytes();
        while let Some(byte) = bytes.get(self.position) {
            match byte {
                b'\n' => self.on_line = false,
                b' ' | b'\t' | b'\r' => {}
                b';' => {
                    let rest = &bytes[self.position..];
                    self.position += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                    continue;
                }
                _ => break,
            }
            self.position += 1;
        }
    }

    /// The kind and end of the token that starts with `first` at `start`.
    fn token(&self, first: u8, start: usize) -> (TokenKind, usize) {
        let bytes = self.source.as_bytes();
        let after = bytes.get(start + 1).copied().unwrap_or(0);
        match first {
            b'c' if after == b'"' => (TokenKind::Bytes, self.string_end(start + 1)),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                (TokenKind::Word, self.run(start, |byte| byte.is_ascii_alphanumeric() || byte == b'_'))
            }
            b'0'..=b'9' => (TokenKind::Number, self.number_end(start)),
            b'-' if after.is_ascii_digit() => (TokenKind::Number, self.number_end(start + 1)),
            b'-' if after == b'>' => (TokenKind::Punctuation, start + 2),
            b'.' if bytes[start..].starts_with(b"...") => (TokenKind::Punctuation, start + 3),
            b'@' | b'%' | b'$' if after == b'"' || is_name_byte(after) => {
                let kind = match first {
                    b'@' => TokenKind::Global,
                    b'%' => TokenKind::Local,
                    _ => TokenKind::Comdat,
                };
                let end = if after == b'"' { self.string_end(start + 1) } else { self.run(start + 1, is_name_byte) };
                (kind, end)
            }
            b'#' if after.is_ascii_digit() => (TokenKind::Group, self.run(start + 1, |byte| byte.is_ascii_digit())),
            b'?' if after.is_ascii_digit() => (TokenKind::Hole, self.run(start + 1, |byte| byte.is_ascii_digit())),
            b'"' => (TokenKind::String, self.string_end(start)),
            b'(' | b'[' | b'{' => (TokenKind::Open(first), start + 1),
            b')' | b']' | b'}' => (TokenKind::Close(first), start + 1),
            _ => {
                let width = self.source[start..].chars().next().map_or(1, char::len_utf8);
                (TokenKind::Punctuation, start + width)
            }
        }
    }

    fn run(&self, start: usize, inside: impl Fn(u8) -> bool) -> usize {
        let rest = &self.source.as_bytes()[start..];
        start + rest.iter().position(|&byte| !inside(byte)).unwrap_or(rest.len())
    }

    /// The end of a number whose first digit is at `start`.
    fn number_end(&self, start: usize) -> usize {
        let bytes = self.source.as_bytes();
        let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        if bytes[start..].starts_with(b"0x") {
            return self.run(start + 2, |byte| byte.is_ascii_hexdigit());
        }
        let mut end = self.run(start, |byte| byte.is_ascii_digit());
        if bytes.get(end) == Some(&b'.') && digit(end + 1) {
            end = self.run(end + 1, |byte| byte.is_ascii_digit());
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if digit(end + 1 + sign) {
                end = self.run(end + 1 + sign, |byte| byte.is_ascii_digit());
            }
        }
        end
    }

    /// The end of a string whose first quote is at `start`: after the next quote, or at the end of the line.
    fn string_end(&self, start: usize) -> usize {
        let rest = &self.source.as_bytes()[start + 1..];
        match rest.iter().position(|&byte| byte == b'"' || byte == b'\n') {
            Some(index) if rest[index] == b'"' => start + index + 2,
            Some(index) => start + 1 + index,
            None => self.source.len(),
        }
    }
}
