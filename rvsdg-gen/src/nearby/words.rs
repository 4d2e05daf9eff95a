//! Texts near a given one: a different word somewhere. This also changes things that a change of nodes does not: attributes, linkage, the
//! operands and results of conditionals and loops, types, the order of accesses.

use std::ops::Range;

use rvsdg_core::Module;
use rvsdg_core::text::parse_module;

use crate::entropy::Entropy;

/// Attempts in each part of a module.
const ATTEMPTS: usize = 6;

/// Words that can be before or after another one.
const ADDED: &[(&str, &str)] = &[
    ("load", "load volatile"),
    ("load", "load atomic"),
    ("store", "store volatile"),
    ("call", "tail call"),
    ("add", "add nsw"),
    ("add", "add nuw"),
    ("sub", "sub nsw"),
    ("mul", "mul nsw"),
    ("getelementptr", "getelementptr inbounds"),
    ("function", "internal function"),
    ("function", "linkonce_odr function"),
    ("function", "weak function"),
    ("global", "internal global"),
    ("global", "constant"),
    ("constant", "global"),
    ("alloca", "alloca inalloca"),
];

/// Words of the same kind.
const KIN: &[&[&str]] = &[
    &["i1", "i8", "i16", "i32", "i64"],
    &["half", "float", "double"],
    &["external", "internal", "weak", "linkonce", "linkonce_odr", "available_externally", "private"],
    &["nounwind", "willreturn", "noreturn", "convergent", "noduplicate", "cold", "alwaysinline", "noinline", "nofree"],
    &["noalias", "noundef", "nonnull", "readonly", "writeonly", "zeroext", "signext"],
    &["add", "sub", "mul", "and", "or", "xor", "fadd", "fmul"],
    &["udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr"],
    &["unordered", "monotonic", "acquire", "release", "seq_cst"],
    &["cleanup", "catch"],
    &["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"],
];

/// A module near the one of a text: in each of its functions and in the declarations of symbols, a word is replaced, removed or doubled,
/// accesses are exchanged or removed, or a type is replaced everywhere. `None` if no valid module results.
pub fn vary_text(text: &str, number: u64) -> Option<Module> {
    let mut entropy = Entropy::seeded(number);
    let (mut text, mut module) = (text.to_owned(), None);
    let mut start = 0;
    while start < text.len() {
        let end = text[start + 1..].find("\nlambda ").map_or(text.len(), |at| start + at + 2);
        let mut length = end - start;
        for _ in 0..ATTEMPTS {
            let Some(part) = vary(&text[start..end], &mut entropy) else { continue };
            let other = [&text[..start], &part, &text[end..]].concat();
            let Some(valid) = parse_module(&other).ok().filter(|module| module.verify().is_ok()) else { continue };
            (text, module, length) = (other, Some(valid), part.len());
            break;
        }
        start += length;
    }
    module
}

fn vary(part: &str, entropy: &mut Entropy<'_>) -> Option<String> {
    match entropy.below(8) {
        0 => type_everywhere(part, entropy),
        1 => left_out(part, entropy),
        2 => exchanged(part, entropy),
        _ => other_word(part, entropy),
    }
}

/// Where the words of a text are.
fn words(text: &str) -> Vec<Range<usize>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'@' | b'-' | b'#');
    let (bytes, mut found, mut at) = (text.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|&&byte| is_word(byte)).count();
        if length > 0 {
            found.push(at..at + length);
        }
        at += length.max(1);
    }
    found
}

/// A word that numbers what it names, such as `v12`, of the name.
fn is_numbered(word: &str, name: &str) -> bool {
    word.strip_prefix(name).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

fn replaced(text: &str, range: Range<usize>, with: &str) -> String {
    [&text[..range.start], with, &text[range.end..]].concat()
}

/// The text with all words that are one of the first being the second.
fn renamed(text: &str, names: &[(String, String)]) -> String {
    let (mut result, mut end) = (String::new(), 0);
    for range in words(text) {
        let word = &text[range.clone()];
        result.push_str(&text[end..range.start]);
        result.push_str(names.iter().find(|(from, _)| from == word).map_or(word, |(_, to)| to));
        end = range.end;
    }
    result + &text[end..]
}

fn other_word(text: &str, entropy: &mut Entropy<'_>) -> Option<String> {
    let words = words(text);
    let range = entropy.pick(&(0..words.len()).collect::<Vec<_>>());
    let range = words.get(range)?.clone();
    let word = &text[range.clone()];
    let alike = |name: &str| -> Vec<&str> {
        let others = words.iter().map(|other| &text[other.clone()]);
        others.filter(|other| is_numbered(other, name) && *other != word).collect()
    };
    let other = if is_numbered(word, "v") || is_numbered(word, "#") {
        let others = alike(&word[..1]);
        (!others.is_empty()).then(|| entropy.pick(&others).to_owned())?
    } else if is_numbered(word, "mem") || is_numbered(word, "io") {
        return None;
    } else if word.starts_with('@') {
        let others: Vec<&str> = words.iter().map(|other| &text[other.clone()]).filter(|w| w.starts_with('@')).collect();
        entropy.pick(&others).to_owned()
    } else if let Ok(number) = word.parse::<i128>() {
        let near = [number + 1, number - 1, -number, 0, 1, 2 * number, number / 2, 1 << entropy.below(64)];
        entropy.pick(&near).to_string()
    } else {
        let added = ADDED.iter().filter(|(of, _)| *of == word).map(|&(_, other)| other);
        let kin = KIN.iter().filter(|kin| kin.contains(&word)).flat_map(|kin| kin.iter().copied());
        let others: Vec<&str> = added.chain(kin).chain([""]).collect();
        entropy.pick(&others).to_owned()
    };
    Some(replaced(text, range, &other))
}

fn type_everywhere(text: &str, entropy: &mut Entropy<'_>) -> Option<String> {
    let present: Vec<&[&str]> = KIN[..2].to_vec();
    let kin = entropy.pick(&present);
    let (from, to) = (entropy.pick(kin), entropy.pick(kin));
    let other = renamed(text, &[(from.to_owned(), to.to_owned())]);
    (other != text).then_some(other)
}

/// The operand and the result of a line for one state, if its operation has both.
fn states(line: &str, name: &str) -> Option<(String, String)> {
    let equals = line.find(" = ")?;
    let find = |text: &str| {
        let mut found = words(text).into_iter().map(|range| &text[range]).filter(|word| is_numbered(word, name));
        let first = found.next()?.to_owned();
        found.next().is_none().then_some(first)
    };
    Some((find(&line[equals..])?, find(&line[..equals])?))
}

/// Removes an operation whose results are all states.
fn left_out(text: &str, entropy: &mut Entropy<'_>) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let at = entropy.below(lines.len().max(1));
    let line = lines.get(at)?;
    let names: Vec<(String, String)> =
        ["mem", "io"].iter().filter_map(|name| states(line, name)).map(|(taken, given)| (given, taken)).collect();
    if names.is_empty() {
        return None;
    }
    let rest = renamed(&lines[at + 1..].join("\n"), &names);
    Some([&lines[..at].join("\n"), "\n", &rest, "\n"].concat())
}

/// Exchanges two operations that follow each other in memory.
fn exchanged(text: &str, entropy: &mut Entropy<'_>) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let numbered = lines.iter().enumerate();
    let accesses: Vec<(usize, (String, String))> =
        numbered.filter_map(|(at, line)| Some((at, states(line, "mem")?))).collect();
    let pairs: Vec<_> = accesses.windows(2).filter(|pair| pair[0].1.1 == pair[1].1.0).collect();
    if pairs.is_empty() {
        return None;
    }
    let [(one, (first, second)), (other, (_, third))] = entropy.pick(&pairs) else { return None };
    let rename = |line: &str, from: [&String; 2], to: [&String; 2]| {
        renamed(line, &[(from[0].clone(), to[0].clone()), (from[1].clone(), to[1].clone())])
    };
    let behind = rename(lines[*one], [first, second], [second, third]);
    let before = rename(lines[*other], [second, third], [first, second]);
    let mut result: Vec<&str> = lines[..*one].to_vec();
    result.extend(&lines[one + 1..*other]);
    result.extend([&*before, &*behind]);
    result.extend(&lines[other + 1..]);
    Some(result.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "  v1 = const i32 7\n  mem2 = store v1, v0, mem1\n  mem3 = store v2, v0, mem2\n  yield mem3, io0\n";

    #[test]
    fn accesses_are_exchanged() {
        let expected =
            "  v1 = const i32 7\n  mem2 = store v2, v0, mem1\n  mem3 = store v1, v0, mem2\n  yield mem3, io0\n";
        assert_eq!(exchanged(TEXT, &mut Entropy::seeded(1)).as_deref(), Some(expected));
    }

    #[test]
    fn accesses_are_left_out() {
        let without = (0..).find_map(|seed| left_out(TEXT, &mut Entropy::seeded(seed))).unwrap_or_default();
        assert_eq!(without.matches("store").count(), 1, "{without}");
        assert!(!without.contains("mem3, v") && without.contains("yield mem2") || without.contains("mem3 = "));
    }

    #[test]
    fn many_are_valid() {
        let text = "module \"m\"\n@f = function i32 (i32, i32)\nlambda @f [] (v0: i32, v1: i32, mem0, io0) {\n\
                    v2 = const i32 4\nv3: i32 = add nsw v0, v2\nv4: i32 = mul v3, v1\nyield v4, mem0, io0\n}\nexport @f\n";
        let valid = (0..100).filter(|&seed| vary_text(text, seed).is_some()).count();
        assert!(valid > 80, "{valid}");
    }
}
