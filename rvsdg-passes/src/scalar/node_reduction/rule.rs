//! What a rule is, and the table of all rules.

use std::fmt::Write;
use std::sync::{Arc, LazyLock};

use rvsdg_core::op::{BinaryFlags, OpCode};
use rvsdg_core::{Node, Origin, Type};

use super::cx::Cx;
use super::rules;

/// The node that a rule is applied to. Its operation is the one in the rule's row.
#[derive(Copy, Clone)]
pub struct At {
    /// The node.
    pub node: Node,
    /// Its first operand.
    pub a: Origin,
    /// Its second operand; the first again if there is only one.
    pub b: Origin,
    /// Flags of an integer operation.
    pub flags: BinaryFlags,
    /// The type of its value.
    pub ty: Type,
}

/// A row of the table of rules. The laws that rules obey are in `README.md` beside this file.
///
/// ```
/// use rvsdg_core::op::OpCode;
/// use rvsdg_passes::Registry;
/// use rvsdg_passes::scalar::node_reduction::rule::{Rule, rule};
///
/// const RULES: &[Rule] = &[rule("or-self", OpCode::Or, "i8 %x", "%r = or i8 %x, %x", "%x", |_, n| {
///     (n.a == n.b).then_some(n.a)
/// })];
/// assert!(RULES[0].proof().contains("define i8 @src"));
/// let registry = Registry::builtin().with_rules(RULES);
/// assert!(registry.find("node-reduction").is_some());
/// ```
pub struct Rule {
    /// Its name: a counter in statistics.
    pub name: &'static str,
    /// The operation of the nodes that it matches.
    pub code: OpCode,
    /// Parameters of an instance of it, as in textual LLVM IR; then ` -> ` and the type of its value, if the last instruction does not
    /// begin with it.
    pub params: &'static str,
    /// The instance before: instructions of textual LLVM IR separated by `;`, the last of which defines `%r`.
    pub before: &'static str,
    /// The instance after: likewise, or a single value.
    pub after: &'static str,
    /// Returns the replacement for the node's value; `None` if the rule does not apply, and then nothing was added.
    pub apply: fn(&mut Cx<'_>, At) -> Option<Origin>,
}

/// A row.
pub const fn rule(
    name: &'static str,
    code: OpCode,
    params: &'static str,
    before: &'static str,
    after: &'static str,
    apply: fn(&mut Cx<'_>, At) -> Option<Origin>,
) -> Rule {
    Rule { name, code, params, before, after, apply }
}

impl Rule {
    /// The instance as two functions of textual LLVM IR, `@src` and `@tgt`.
    pub fn proof(&self) -> String {
        let (params, result) = self.signature();
        let mut text = format!("; {}\n", self.name);
        for (name, body) in [("src", self.before), ("tgt", self.after)] {
            let _ = writeln!(text, "define {result} @{name}({params}) {{");
            if body.contains('=') {
                for line in body.split(';') {
                    let _ = writeln!(text, "  {}", line.trim());
                }
                let _ = writeln!(text, "  ret {result} %r\n}}");
            } else {
                let _ = writeln!(text, "  ret {result} {body}\n}}");
            }
        }
        text
    }

    /// The instance with a vector of two lanes for each integer, if it is about integers only. Two floats are too slow for the validator.
    pub fn vector_proof(&self) -> Option<String> {
        let other = ["->", "ptr", "half", "float"].iter().any(|&word| self.params.contains(word));
        if other || self.before.contains('@') {
            return None;
        }
        let mut text = String::new();
        for line in self.proof().lines() {
            if line.starts_with("; ") {
                let _ = writeln!(text, "{line}-of-vectors");
            } else {
                let _ = writeln!(text, "{}", vectorized(line));
            }
        }
        Some(text)
    }

    /// The parameters, and the type of the result.
    fn signature(&self) -> (&str, &str) {
        match self.params.split_once(" -> ") {
            Some((params, result)) => (params, result),
            None => (self.params, result_type(self.before)),
        }
    }
}

/// Whether a word is the type of a number.
fn is_number_type(word: &str) -> bool {
    matches!(word, "half" | "float" | "double")
        || word.strip_prefix('i').is_some_and(|bits| !bits.is_empty() && bits.bytes().all(|b| b.is_ascii_digit()))
}

/// A line with vectors for numbers.
fn vectorized(line: &str) -> String {
    let mut text = String::new();
    let mut ty = "i1";
    // After `=` come a mnemonic, predicates and flags before the first type.
    let mut has_type = !line.contains('=');
    for word in line.split_inclusive([' ', ',', '(', ')']) {
        let (word, end) = match word.strip_suffix([' ', ',', '(', ')']) {
            Some(stripped) => (stripped, &word[stripped.len()..]),
            None => (word, ""),
        };
        let is_constant =
            has_type && matches!(word, "true" | "false") || word.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        if is_number_type(word) {
            (ty, has_type) = (word, true);
            let _ = write!(text, "<2 x {word}>{end}");
        } else if is_constant {
            let _ = write!(text, "splat ({ty} {word}){end}");
        } else {
            let _ = write!(text, "{word}{end}");
        }
    }
    text
}

/// The type of the value that the last of the instructions defines; all of them are scalar.
fn result_type(instructions: &str) -> &str {
    let last = instructions.rsplit(';').next().unwrap_or_default();
    if let Some((_, ty)) = last.split_once(" to ") {
        return ty.trim();
    }
    let mut words = last.split([' ', ',']).skip_while(|&word| word != "=").skip(1).filter(|word| !word.is_empty());
    let is_type = |word: &&str| *word == "ptr" || is_number_type(word);
    match words.next() {
        Some("icmp" | "fcmp") => "i1",
        // The condition's type comes first.
        Some("select") => words.filter(is_type).nth(1).unwrap_or("i1"),
        _ => words.find(is_type).unwrap_or("i1"),
    }
}

/// All rules in the order in which they are tried.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    rules::GROUPS.iter().flat_map(|group| group.iter())
}

/// Rules by the operation that they match, in the order in which they are tried.
pub struct Rules {
    by_code: Vec<Vec<&'static Rule>>,
}

impl Rules {
    /// The rules of the table.
    pub fn builtin() -> &'static Arc<Rules> {
        static BUILTIN: LazyLock<Arc<Rules>> = LazyLock::new(|| Arc::new(Rules::with(&[])));
        &BUILTIN
    }

    /// The rules of the table, followed by others.
    pub fn with(others: &[&'static Rule]) -> Rules {
        let mut by_code = vec![Vec::new(); OpCode::ALL.len()];
        all().chain(others.iter().copied()).for_each(|rule| by_code[rule.code as usize].push(rule));
        Rules { by_code }
    }

    /// The rules for one operation.
    pub(super) fn of(&self, code: OpCode) -> &[&'static Rule] {
        &self.by_code[code as usize]
    }
}
