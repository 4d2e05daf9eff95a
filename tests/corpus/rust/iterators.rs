//! Iterators and collections: adapters, own iterators, maps, heaps, deques, strings, sorting, parsing.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::cmp::Reverse;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::iter;

/// Hash tables without a random seed.
type Table<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

struct Collatz(u64);

impl Iterator for Collatz {
    type Item = u64;
    fn next(&mut self) -> Option<u64> {
        if self.0 == 0 {
            return None;
        }
        let current = self.0;
        self.0 = match current {
            1 => 0,
            n if n % 2 == 0 => n / 2,
            n => 3 * n + 1,
        };
        Some(current)
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[derive(Debug, PartialEq, Clone)]
enum Token {
    Number(f64),
    Operator(char),
    Name(String),
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut chars = text.char_indices().peekable();
    let mut found = Vec::new();
    while let Some(&(start, c)) = chars.peek() {
        match c {
            c if c.is_whitespace() => {
                chars.next();
            }
            '0'..='9' | '.' => {
                while chars.next_if(|&(_, c)| c.is_ascii_digit() || c == '.').is_some() {}
                let end = chars.peek().map_or(text.len(), |&(at, _)| at);
                let number = text[start..end].parse().map_err(|error| format!("{error}: {}", &text[start..end]))?;
                found.push(Token::Number(number));
            }
            '+' | '-' | '*' | '/' | '(' | ')' => {
                chars.next();
                found.push(Token::Operator(c));
            }
            c if c.is_alphabetic() => {
                let name: String = iter::from_fn(|| chars.next_if(|(_, c)| c.is_alphanumeric()).map(|(_, c)| c)).collect();
                found.push(Token::Name(name));
            }
            c => return Err(format!("{c:?} at {start}")),
        }
    }
    Ok(found)
}

fn evaluate(tokens: &[Token], variables: &BTreeMap<&str, f64>) -> Option<f64> {
    fn sum(tokens: &mut &[Token], variables: &BTreeMap<&str, f64>) -> Option<f64> {
        let mut value = product(tokens, variables)?;
        while let [Token::Operator(op @ ('+' | '-')), rest @ ..] = *tokens {
            *tokens = rest;
            let right = product(tokens, variables)?;
            value = if *op == '+' { value + right } else { value - right };
        }
        Some(value)
    }
    fn product(tokens: &mut &[Token], variables: &BTreeMap<&str, f64>) -> Option<f64> {
        let mut value = atom(tokens, variables)?;
        while let [Token::Operator(op @ ('*' | '/')), rest @ ..] = *tokens {
            *tokens = rest;
            let right = atom(tokens, variables)?;
            value = if *op == '*' { value * right } else { value / right };
        }
        Some(value)
    }
    fn atom(tokens: &mut &[Token], variables: &BTreeMap<&str, f64>) -> Option<f64> {
        let (first, rest) = tokens.split_first()?;
        *tokens = rest;
        match first {
            Token::Number(number) => Some(*number),
            Token::Name(name) => variables.get(name.as_str()).copied(),
            Token::Operator('-') => atom(tokens, variables).map(|value| -value),
            Token::Operator('(') => {
                let value = sum(tokens, variables)?;
                let (Token::Operator(')'), rest) = tokens.split_first()? else { return None };
                *tokens = rest;
                Some(value)
            }
            Token::Operator(_) => None,
        }
    }
    let mut rest = tokens;
    sum(&mut rest, variables).filter(|_| rest.is_empty())
}

/// Shortest paths in a graph of numbered places.
fn distances(edges: &[(usize, usize, u32)], places: usize) -> Vec<Option<u32>> {
    let mut outgoing = vec![Vec::new(); places];
    for &(from, to, length) in edges {
        outgoing[from].push((to, length));
    }
    let mut known = vec![None; places];
    let mut pending = BinaryHeap::from([Reverse((0, 0))]);
    while let Some(Reverse((distance, place))) = pending.pop() {
        if known[place].is_some() {
            continue;
        }
        known[place] = Some(distance);
        pending.extend(outgoing[place].iter().map(|&(to, length)| Reverse((distance + length, to))));
    }
    known
}

fn main() {
    let (start, length) = (1..300).map(|n| (n, Collatz(n).count())).max_by_key(|&(n, length)| (length, Reverse(n))).unwrap();
    println!("{start} {length} {:?}", Collatz(6).collect::<Vec<_>>());

    let words = "one two three two three three four four four four".split(' ');
    let mut counts: Table<&str, usize> = Table::default();
    words.clone().for_each(|word| *counts.entry(word).or_default() += 1);
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_unstable_by_key(|&(word, count)| (Reverse(count), word));
    println!("{sorted:?}");
    let by_length = words.clone().fold(BTreeMap::<usize, BTreeSet<&str>>::new(), |mut map, word| {
        map.entry(word.len()).or_default().insert(word);
        map
    });
    println!("{by_length:?} {:?}", by_length.range(4..).next());

    let numbers: Vec<i64> = (1..=20).collect();
    let (even, odd): (Vec<i64>, Vec<i64>) = numbers.iter().partition(|&n| n % 2 == 0);
    println!("{} {} {:?}", even.iter().product::<i64>(), odd.iter().rev().skip(2).step_by(3).sum::<i64>(), odd.last());
    println!("{:?}", numbers.windows(3).map(|w| w[0] * w[1] - w[2]).filter(|n| n % 3 == 1).take_while(|n| *n < 200).collect::<Vec<_>>());
    println!("{:?}", numbers.chunks(6).zip("abcd".chars().cycle()).map(|(chunk, c)| format!("{c}{}", chunk.len())).collect::<Vec<_>>());
    println!("{:?} {:?}", even.binary_search(&12), even.binary_search(&13));
    println!("{:?}", iter::successors(Some(1u8), |n| n.checked_mul(3)).collect::<Vec<_>>());
    let flat: Vec<u32> = vec![Some(vec![1, 2]), None, Some(vec![3])].into_iter().flatten().flatten().collect();
    let all: Option<Vec<u32>> = flat.iter().map(|n| n.checked_sub(1)).collect();
    let parsed: Result<Vec<i32>, _> = "1,2,x".split(',').map(str::parse::<i32>).collect();
    println!("{flat:?} {all:?} {}", parsed.is_err());
    let (low, high) = numbers.iter().fold((i64::MAX, i64::MIN), |(low, high), &n| (low.min(n), high.max(n)));
    println!("{low} {high} {:?}", numbers.iter().position(|&n| n * n > 150));

    let mut random = Random(88172645463325252);
    let mut deque: VecDeque<u64> = (0..50).map(|_| random.below(1000)).collect();
    deque.rotate_left(7);
    deque.retain(|n| n % 3 != 0);
    let (front, back) = deque.as_slices();
    println!("{} {:?}", front.len() + back.len(), deque.iter().rev().take(5).collect::<Vec<_>>());
    let mut values: Vec<(u64, String)> = (0..40).map(|i| (random.below(9), format!("v{i}"))).collect();
    values.sort_by(|a, b| b.0.cmp(&a.0));
    values.dedup_by_key(|value| value.0);
    println!("{values:?}");
    let unique: HashSet<u64, BuildHasherDefault<DefaultHasher>> = (0..200).map(|_| random.below(64)).collect();
    println!("{} {}", unique.len(), unique.iter().sum::<u64>());

    let variables = BTreeMap::from([("x", 3.0), ("half", 0.5)]);
    for text in ["1 + 2 * x", "(1 + 2) * -x / half", "2 * (3", "1 + $", "1.2.3", "y + 1", "x x"] {
        match tokens(text) {
            Ok(tokens) => println!("{text} = {:?}", evaluate(&tokens, &variables)),
            Err(error) => println!("{text}: {error}"),
        }
    }
    let edges: Vec<_> = (0..60).map(|i| (i * 7 % 20, i * 11 % 19, (i as u32 * 13) % 17 + 1)).collect();
    println!("{:?}", distances(&edges, 20));
    let text = "Grüße, Jürgen ❤";
    println!("{} {} {:?} {}", text.len(), text.chars().count(), text.find('ü'), text.to_uppercase());
    println!("{}", text.char_indices().filter(|(_, c)| !c.is_ascii()).map(|(i, c)| format!("{i}{c}")).collect::<Vec<_>>().join(" "));
    println!("{:>8}|{:<8}|{:^8}|{:08.3}|{:#x}|{:#b}|{:e}", "r", "l", "c", 3.14159, 255, 5, 12345.678);
}
