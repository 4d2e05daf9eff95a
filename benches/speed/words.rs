//! Strings: characters, splitting, formatting, parsing numbers, reversing, searching, comparing, and building.

use std::fmt::Write;

fn caesar(text: &str, by: u8) -> String {
    text.chars()
        .map(|c| match c {
            'a'..='z' => ((c as u8 - b'a' + by) % 26 + b'a') as char,
            'A'..='Z' => ((c as u8 - b'A' + by) % 26 + b'A') as char,
            other => other,
        })
        .collect()
}

fn title(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut start = true;
    for c in text.chars() {
        if start {
            out.extend(c.to_uppercase());
        } else {
            out.push(c);
        }
        start = c == ' ';
    }
    out
}

fn numbers(text: &str) -> i64 {
    text.split(|c: char| !c.is_ascii_digit() && c != '-').filter_map(|word| word.parse::<i64>().ok()).sum()
}

fn squeeze(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let mut count = 1;
        while chars.next_if_eq(&c).is_some() {
            count += 1;
        }
        out.push(c);
        if count > 1 {
            out.push_str(&count.to_string());
        }
    }
    out
}

fn palindromes(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().eq(word.chars().rev())).count()
}

fn fields(line: &str) -> Option<(u32, &str, bool)> {
    let (id, rest) = line.trim().split_once(',')?;
    let (name, flag) = rest.rsplit_once(',')?;
    Some((id.parse().ok()?, name.trim_matches('"'), flag == "yes"))
}

fn main() {
    let repeat: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap();
    let text = "It was the best of times, it was the worst of times; level civic eve äöü ßéè — naïve façade noon 42 and -17 aaabbbbc";
    let mut sum = 0usize;
    let mut out = String::new();
    for i in 0..repeat {
        let secret = caesar(text, (i % 26) as u8);
        sum = sum.wrapping_mul(31).wrapping_add(secret.bytes().map(usize::from).sum());
        sum += title(&secret).len() + squeeze(text).len() + palindromes(text) + numbers(text) as usize;
        sum += secret.find("z").unwrap_or(0) + text.matches("times").count() + text.replace("was", "is").len();
        sum += usize::from(secret.as_str() < text) + secret.char_indices().filter(|(_, c)| c.is_alphabetic()).count();
        out.clear();
        for k in 0..6 {
            let _ = writeln!(out, "{},\"{}\",{}", i + k, &text[k..k + 10], if k % 2 == 0 { "yes" } else { "no" });
        }
        for line in out.lines() {
            if let Some((id, name, flag)) = fields(line) {
                sum = sum.wrapping_add(id as usize * name.len() + usize::from(flag));
            }
        }
        let reversed: String = text.chars().rev().filter(|c| !c.is_whitespace()).collect();
        sum += reversed.to_lowercase().len();
    }
    println!("{sum}");
}
