//! Pieces of lines.

/// A piece of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token<'t> {
    /// Anything else, strings included.
    Text(&'t str),
    /// `%name`: a value, a label or a type.
    Local(&'t str),
    /// `@name`
    Global(&'t str),
    /// `!7`
    Metadata(&'t str),
    /// `#7`
    Group(&'t str),
}

/// A line without the comment at its end, and without blanks there.
pub(super) fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let end = line.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b';' && !quoted
    });
    line[..end.unwrap_or(line.len())].trim_end()
}

/// Splits `!7 = node`.
pub(super) fn definition(line: &str) -> Option<(&str, &str)> {
    let (name, node) = line.strip_prefix('!')?.split_once(" = ")?;
    name.bytes().all(|byte| byte.is_ascii_digit()).then_some((name, node))
}

/// The pieces of a line.
pub(super) fn tokens(line: &str) -> Vec<Token<'_>> {
    let bytes = line.as_bytes();
    let mut tokens = Vec::new();
    let (mut start, mut at) = (0, 0);
    let string_end = |from: usize| line[from..].find('"').map_or(line.len(), |length| from + length + 1);
    let name_end = |from: usize| {
        let length = line[from..].find(|c: char| !c.is_ascii_alphanumeric() && !"-$._".contains(c));
        length.map_or(line.len(), |length| from + length)
    };
    let number_end = |from: usize| from + line[from..].bytes().take_while(|byte| byte.is_ascii_digit()).count();
    while at < bytes.len() {
        let next = at + 1;
        let end = match bytes[at] {
            b'"' => {
                at = string_end(next);
                continue;
            }
            b'%' | b'@' if bytes.get(next) == Some(&b'"') => string_end(next + 1),
            b'%' | b'@' => name_end(next),
            b'!' | b'#' => number_end(next),
            _ => next,
        };
        let name = &line[next..end];
        let token = match bytes[at] {
            _ if name.is_empty() => None,
            b'%' => Some(Token::Local(name)),
            b'@' => Some(Token::Global(name)),
            b'!' => Some(Token::Metadata(name)),
            b'#' => Some(Token::Group(name)),
            _ => None,
        };
        if let Some(token) = token {
            if start < at {
                tokens.push(Token::Text(&line[start..at]));
            }
            tokens.push(token);
            start = end;
        }
        at = end.max(next);
    }
    if start < bytes.len() {
        tokens.push(Token::Text(&line[start..]));
    }
    tokens
}

impl Token<'_> {
    /// Appends the piece as it was.
    pub(super) fn push_to(&self, text: &mut String) {
        let (mark, rest) = match *self {
            Token::Text(piece) => ("", piece),
            Token::Local(name) => ("%", name),
            Token::Global(name) => ("@", name),
            Token::Metadata(number) => ("!", number),
            Token::Group(number) => ("#", number),
        };
        text.push_str(mark);
        text.push_str(rest);
    }
}

/// Text with every number of a metadata node replaced by what `new` says.
pub(super) fn with_numbers(text: &str, mut new: impl FnMut(&str) -> String) -> String {
    let mut result = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        for token in tokens(line) {
            match token {
                Token::Metadata(number) => {
                    result.push('!');
                    result.push_str(&new(number));
                }
                _ => token.push_to(&mut result),
            }
        }
    }
    result
}

/// Text in which all metadata nodes look alike.
pub(super) fn without_numbers(text: &str) -> String {
    with_numbers(text, |_| String::new())
}
