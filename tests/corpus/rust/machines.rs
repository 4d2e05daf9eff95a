//! State machines and control flow: large matches, labelled breaks, a byte-code interpreter, a regular-expression matcher, slices.

use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Copy, Clone, Debug, PartialEq)]
enum Code {
    Push(i64),
    Load(u8),
    Store(u8),
    Add,
    Subtract,
    Multiply,
    Less,
    Jump(i16),
    JumpIfZero(i16),
    Call(u16),
    Return,
    Print,
    Halt,
}

#[derive(Debug, PartialEq)]
enum Fault {
    Underflow { at: usize },
    NoCode(usize),
    Fuel,
    Overflow(Code),
}

struct Machine<'a> {
    code: &'a [Code],
    stack: Vec<i64>,
    calls: Vec<usize>,
    locals: [i64; 8],
    output: String,
}

impl Machine<'_> {
    fn pop(&mut self, at: usize) -> Result<i64, Fault> {
        self.stack.pop().ok_or(Fault::Underflow { at })
    }
    fn run(&mut self, mut fuel: u32) -> Result<usize, Fault> {
        let mut at = 0usize;
        loop {
            let code = *self.code.get(at).ok_or(Fault::NoCode(at))?;
            fuel = fuel.checked_sub(1).ok_or(Fault::Fuel)?;
            let here = at;
            at += 1;
            match code {
                Code::Push(n) => self.stack.push(n),
                Code::Load(local) => self.stack.push(self.locals[local as usize]),
                Code::Store(local) => self.locals[local as usize] = self.pop(here)?,
                Code::Add | Code::Subtract | Code::Multiply | Code::Less => {
                    let (right, left) = (self.pop(here)?, self.pop(here)?);
                    let result = match code {
                        Code::Add => left.checked_add(right),
                        Code::Subtract => left.checked_sub(right),
                        Code::Multiply => left.checked_mul(right),
                        _ => Some(i64::from(left < right)),
                    };
                    self.stack.push(result.ok_or(Fault::Overflow(code))?);
                }
                Code::Jump(by) => at = here.wrapping_add_signed(by.into()),
                Code::JumpIfZero(by) => {
                    if self.pop(here)? == 0 {
                        at = here.wrapping_add_signed(by.into());
                    }
                }
                Code::Call(to) => {
                    self.calls.push(at);
                    at = to.into();
                }
                Code::Return => match self.calls.pop() {
                    Some(back) => at = back,
                    None => return Ok(here),
                },
                Code::Print => {
                    let top = self.pop(here)?;
                    write!(self.output, "{top} ").expect("a string takes every text");
                }
                Code::Halt => return Ok(here),
            }
        }
    }
}

fn run(code: &[Code], fuel: u32) {
    let mut machine = Machine { code, stack: vec![], calls: vec![], locals: [0; 8], output: String::new() };
    let result = machine.run(fuel);
    println!("{result:?} {:?} {}", machine.stack, machine.output);
}

/// `.` any, `*` repeats, `?` maybe, the rest literally; with backtracking.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], []) => true,
        ([], _) => false,
        ([c, b'*', rest @ ..], _) => {
            let mut tail = text;
            loop {
                if matches(rest, tail) {
                    break true;
                }
                match tail {
                    [first, more @ ..] if *c == b'.' || c == first => tail = more,
                    _ => break false,
                }
            }
        }
        ([c, b'?', rest @ ..], [first, more @ ..]) if *c == b'.' || c == first => matches(rest, more) || matches(rest, text),
        ([_, b'?', rest @ ..], _) => matches(rest, text),
        ([b'.', rest @ ..], [_, more @ ..]) => matches(rest, more),
        ([c, rest @ ..], [first, more @ ..]) => c == first && matches(rest, more),
        (_, []) => false,
    }
}

/// A connection as a state machine that consumes events.
#[derive(Debug, Clone, PartialEq)]
enum State {
    Closed,
    Opening { tries: u8 },
    Open { received: Vec<u8>, pending: Option<u8> },
    Failed(String),
}

#[derive(Debug)]
enum Event<'a> {
    Open,
    Accept,
    Timeout,
    Data(&'a [u8]),
    Close,
}

impl State {
    fn next(self, event: &Event) -> State {
        match (self, event) {
            (State::Closed, Event::Open) => State::Opening { tries: 0 },
            (State::Opening { .. }, Event::Accept) => State::Open { received: vec![], pending: None },
            (State::Opening { tries }, Event::Timeout) if tries < 2 => State::Opening { tries: tries + 1 },
            (State::Opening { tries }, Event::Timeout) => State::Failed(format!("gave up after {tries}")),
            (State::Open { mut received, mut pending }, Event::Data(bytes)) => {
                for &byte in *bytes {
                    match pending.take() {
                        None if byte == b'\\' => pending = Some(byte),
                        None => received.push(byte),
                        Some(_) if byte == b'!' => return State::Failed("escaped".into()),
                        Some(_) => received.push(byte ^ 0x20),
                    }
                }
                State::Open { received, pending }
            }
            (State::Open { received, pending: None }, Event::Close) if !received.is_empty() => State::Closed,
            (State::Failed(why), _) => State::Failed(why),
            (state, event) => State::Failed(format!("{event:?} in {state:?}")),
        }
    }
}

/// Loops left in the middle, by labels and values.
fn find(grid: &[Vec<i32>], wanted: i32) -> Option<(usize, usize, u32)> {
    let mut looked = 0;
    let found = 'search: {
        'rows: for (row, line) in grid.iter().enumerate() {
            let mut column = 0;
            while column < line.len() {
                looked += 1;
                match line[column] {
                    n if n == wanted => break 'search Some((row, column)),
                    n if n < 0 => continue 'rows,
                    0 => column += 2,
                    _ => column += 1,
                }
            }
            if looked > 25 {
                break 'search None;
            }
        }
        Some((grid.len(), 0))
    };
    found.map(|(row, column)| (row, column, looked))
}

fn slices(data: &mut [u32]) -> String {
    let (left, right) = data.split_at_mut(5);
    left.copy_from_slice(&right[..5]);
    left.reverse();
    right.swap(0, 3);
    for pair in right.chunks_exact_mut(2) {
        let [a, b] = pair else { unreachable!() };
        (*a, *b) = (*a + *b, a.wrapping_sub(*b));
    }
    match data {
        [first, .., last] if first == last => "same ends".into(),
        [first, middle @ .., last] => format!("{first} {} {last} {:?}", middle.len(), middle.iter().max()),
        _ => "short".into(),
    }
}

fn weekday(year: i32, month: u32, day: u32) -> &'static str {
    let shift = match month {
        1 | 4 | 7 | 10 => [0, 3, 0, 5, 0, 0, 6, 0, 0, 1][month as usize - 1],
        2 | 3 | 11 => 3,
        5 => 1,
        6 => 4,
        8 => 2,
        9 | 12 => 6 - u32::from(month == 9),
        _ => return "no month",
    };
    let year = if month < 3 { year - 1 } else { year };
    ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][((year + year / 4 - year / 100 + year / 400) as u32 + shift + day) as usize % 7]
}

fn main() {
    use Code::*;
    run(&[Push(1), Store(0), Push(1), Store(1), Load(1), Push(15), Less, JumpIfZero(11), Load(0), Load(1), Multiply, Store(0), Load(1), Push(1), Add, Store(1), Jump(-12), Halt, Load(0), Print, Halt], 1000);
    run(&[Push(20), Call(4), Print, Halt, Store(0), Load(0), Push(2), Less, JumpIfZero(3), Load(0), Return, Load(0), Push(1), Subtract, Load(0), Print, Call(4), Push(1), Add, Return], 1000);
    run(&[Push(i64::MAX), Push(2), Multiply], 10);
    run(&[Push(1), Add], 10);
    run(&[Jump(0)], 100);
    run(&[Push(0), JumpIfZero(-5)], 100);
    for (pattern, text) in [("a*b", "aaab"), ("a.c?d*", "abddd"), (".*x.*", "fox jumps"), ("", ""), ("a?a?a?aaa", "aaa"), ("ab*", "ac")] {
        print!("{} ", matches(pattern.as_bytes(), text.as_bytes()));
    }
    println!();
    let scripts: [&[Event]; 5] = [
        &[Event::Open, Event::Timeout, Event::Accept, Event::Data(b"hi \\tHERE"), Event::Close],
        &[Event::Open, Event::Timeout, Event::Timeout, Event::Timeout, Event::Accept],
        &[Event::Open, Event::Accept, Event::Data(b"a\\"), Event::Data(b"b"), Event::Data(b"c")],
        &[Event::Open, Event::Accept, Event::Data(b"\\"), Event::Data(b"!"), Event::Close],
        &[Event::Accept],
    ];
    for script in scripts {
        println!("{:?}", script.iter().fold(State::Closed, State::next));
    }
    let grid: Vec<Vec<i32>> = (0..6).map(|row| (0..8).map(|column| (row * 5 + column * 3) % 11 - i32::from(row == 2)).collect()).collect();
    println!("{:?}", (-2..12).map(|wanted| find(&grid, wanted)).collect::<Vec<_>>());
    let mut data: Vec<u32> = (0..13).map(|n| n * n + 1).collect();
    println!("{} {data:?}", slices(&mut data));
    let mut days: BTreeMap<&str, u32> = BTreeMap::new();
    for year in 1990..2030 {
        for month in 1..=13 {
            *days.entry(weekday(year, month, 13)).or_default() += 1;
        }
    }
    println!("{days:?}");
}
