//! Option and Result: parsers with the question mark, chains of combinators, an enum's state machine, and errors with From.

use std::num::ParseIntError;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Number(i64),
    Operator(u8),
    Open,
    Close,
}

#[derive(Debug)]
enum Error {
    Unexpected(u8),
    End,
    Zero,
    Number(ParseIntError),
}

impl From<ParseIntError> for Error {
    fn from(error: ParseIntError) -> Self {
        Error::Number(error)
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    peeked: Option<Token>,
}

impl Lexer<'_> {
    fn scan(&mut self) -> Result<Option<Token>, Error> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|b| *b == b' ') {
            self.at += 1;
        }
        let Some(&byte) = bytes.get(self.at) else { return Ok(None) };
        let start = self.at;
        self.at += 1;
        Ok(Some(match byte {
            b'0'..=b'9' => {
                while bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
                    self.at += 1;
                }
                Token::Number(self.text[start..self.at].parse()?)
            }
            b'+' | b'-' | b'*' | b'/' => Token::Operator(byte),
            b'(' => Token::Open,
            b')' => Token::Close,
            other => return Err(Error::Unexpected(other)),
        }))
    }

    fn peek(&mut self) -> Result<Option<Token>, Error> {
        if self.peeked.is_none() {
            self.peeked = self.scan()?;
        }
        Ok(self.peeked)
    }

    fn next(&mut self) -> Result<Token, Error> {
        let token = self.peek()?.ok_or(Error::End)?;
        self.peeked = None;
        Ok(token)
    }
}

fn primary(lexer: &mut Lexer) -> Result<i64, Error> {
    match lexer.next()? {
        Token::Number(n) => Ok(n),
        Token::Open => {
            let value = expression(lexer, 0)?;
            match lexer.next()? {
                Token::Close => Ok(value),
                _ => Err(Error::Unexpected(b'?')),
            }
        }
        Token::Operator(b'-') => primary(lexer).map(|v| -v),
        Token::Operator(o) => Err(Error::Unexpected(o)),
        Token::Close => Err(Error::Unexpected(b')')),
    }
}

fn expression(lexer: &mut Lexer, level: u8) -> Result<i64, Error> {
    let mut left = primary(lexer)?;
    while let Some(Token::Operator(operator)) = lexer.peek()? {
        let own = if operator == b'+' || operator == b'-' { 1 } else { 2 };
        if own <= level {
            break;
        }
        lexer.next()?;
        let right = expression(lexer, own)?;
        left = match operator {
            b'+' => left.wrapping_add(right),
            b'-' => left.wrapping_sub(right),
            b'*' => left.wrapping_mul(right) % 1_000_003,
            _ => left.checked_div(right).ok_or(Error::Zero)?,
        };
    }
    Ok(left)
}

fn value(text: &str) -> i64 {
    match expression(&mut Lexer { text, at: 0, peeked: None }, 0) {
        Ok(value) => value,
        Err(Error::Unexpected(byte)) => i64::from(byte),
        Err(Error::End) => -1,
        Err(Error::Zero) => -2,
        Err(Error::Number(error)) => error.to_string().len() as i64,
    }
}

fn hypotenuse(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    let square = a?.checked_mul(a?)?.checked_add(b?.checked_mul(b?)?)?;
    (1..=square).find(|x| x * x >= square).filter(|x| x * x == square)
}

fn main() {
    let repeat: u32 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap();
    let texts = [
        "1 + 2 * (3 - 4) * 5 + 77 / (8 - 1) - -9",
        "((((1 + 2) * 3 + 4) * 5 + 6) * 7 + 8) * 9",
        "12 / (4 - 2 * 2)",
        "5 * (6 + 7",
        "3 + x",
        "99999999999999999999",
    ];
    let mut sum = 0i64;
    for i in 0..repeat {
        for text in texts {
            sum = sum.wrapping_mul(3).wrapping_add(value(text));
        }
        for k in 1..30 {
            let a = (k != i % 30).then_some(k);
            sum += i64::from(hypotenuse(a, Some(i % 20 + 1)).unwrap_or(1));
        }
        let known = [Some(i), None, i.checked_sub(1_000), Some(3)];
        sum += known.iter().flatten().map(|&x| i64::from(x)).sum::<i64>();
        let all: Option<Vec<u32>> = known.iter().copied().collect();
        sum += all.map_or(7, |all| all.len() as i64);
    }
    println!("{sum}");
}
