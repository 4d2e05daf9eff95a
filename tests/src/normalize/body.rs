//! Bodies of functions: the order of blocks, and names.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Module;
use super::tokens::{Token, tokens};

/// A body as it was printed.
pub(super) struct Function<'t> {
    header: &'t str,
    blocks: Vec<Block<'t>>,
}

pub(super) struct Block<'t> {
    label: String,
    /// Each with the lines that continue it.
    statements: Vec<Vec<&'t str>>,
}

/// New names of a function's values and labels, by the old ones.
#[derive(Default)]
pub(super) struct Names {
    labels: FxHashMap<String, usize>,
    values: FxHashMap<String, usize>,
}

impl<'t> Function<'t> {
    pub(super) fn name(&self) -> &'t str {
        let first = tokens(self.header).into_iter().find_map(|token| match token {
            Token::Global(name) => Some(name),
            _ => None,
        });
        first.expect("a function has a name")
    }

    /// The parameters' names, in order.
    fn parameters(&self, types: &FxHashSet<&str>) -> Vec<&'t str> {
        let locals = tokens(self.header).into_iter().filter_map(|token| match token {
            Token::Local(name) if !types.contains(name) => Some(name),
            _ => None,
        });
        locals.collect()
    }

    /// Reads the lines of a body.
    pub(super) fn read(header: &'t str, lines: &[&'t str], types: &FxHashSet<&str>) -> Function<'t> {
        let mut function = Function { header, blocks: Vec::new() };
        for &line in lines {
            let statement = line.trim_start();
            let indent = line.len() - statement.len();
            if indent == 0 {
                let label = line.strip_suffix(':').expect("what is not indented is a label");
                function.blocks.push(Block { label: label.to_owned(), statements: Vec::new() });
                continue;
            }
            if function.blocks.is_empty() {
                // The label of an entry without a name is not printed: it has the number after the parameters'.
                let unnamed = |name: &&&str| name.bytes().all(|byte| byte.is_ascii_digit());
                let number = function.parameters(types).iter().filter(unnamed).count();
                function.blocks.push(Block { label: number.to_string(), statements: Vec::new() });
            }
            let statements = &mut function.blocks.last_mut().expect("there is a block").statements;
            let starts =
                indent == 2 && statement != "]" && !statement.starts_with("], ") || statement.starts_with("#dbg_");
            match statements.last_mut() {
                Some(last) if !starts => last.push(line),
                _ => statements.push(vec![line]),
            }
        }
        function
    }

    /// Brings the blocks into the order of a depth-first search over ordered successors, and names everything by its
    /// definition's place. Blocks that cannot be reached stay behind the others.
    pub(super) fn canonical(&mut self, types: &FxHashSet<&str>) -> Names {
        let index: FxHashMap<&str, usize> =
            self.blocks.iter().enumerate().map(|(index, block)| (&*block.label, index)).collect();
        let mut order = Vec::new();
        let mut seen = vec![false; self.blocks.len()];
        for root in 0..self.blocks.len() {
            if root != 0 && seen[root] {
                continue;
            }
            let mut pending = vec![root];
            while let Some(block) = pending.pop() {
                if std::mem::replace(&mut seen[block], true) {
                    continue;
                }
                order.push(block);
                let targets = self.blocks[block].successors();
                pending.extend(targets.iter().rev().map(|target| index[target]));
            }
        }
        let mut names = Names::default();
        for parameter in self.parameters(types) {
            names.values.insert(parameter.to_owned(), names.values.len());
        }
        let mut blocks: Vec<Option<Block<'t>>> = std::mem::take(&mut self.blocks).into_iter().map(Some).collect();
        self.blocks =
            order.into_iter().map(|index| blocks[index].take().expect("each block stands in order once")).collect();
        for (number, block) in self.blocks.iter().enumerate() {
            names.labels.insert(block.label.clone(), number);
            for statement in &block.statements {
                if let Some((name, _)) =
                    statement[0].trim_start().strip_prefix('%').and_then(|line| line.split_once(" = "))
                {
                    assert!(!types.contains(name), "%{name} of {} is also a type", self.header);
                    names.values.insert(name.to_owned(), names.values.len());
                }
            }
        }
        names
    }

    pub(super) fn print(&self, module: &Module<'_>) -> String {
        let names = &module.names[self.name()];
        let mut text = module.rewritten(self.header, Some(names));
        for (number, block) in self.blocks.iter().enumerate() {
            text.push_str(&format!("\nb{number}:"));
            for statement in &block.statements {
                for line in statement {
                    let line = module.rewritten(line, Some(names));
                    text.push('\n');
                    text.push_str(&if line.contains(" = phi ") { with_sorted_incoming(&line) } else { line });
                }
            }
        }
        text.push_str("\n}");
        text
    }
}

impl Block<'_> {
    /// The labels in the terminator, in order.
    fn successors(&self) -> Vec<&str> {
        let terminator = self.statements.last().expect("a block has a terminator");
        let mut targets = Vec::new();
        for line in terminator {
            for pair in tokens(line).windows(2) {
                if let [Token::Text(before), Token::Local(name)] = pair
                    && before.ends_with("label ")
                {
                    targets.push(*name);
                }
            }
        }
        targets
    }
}

impl Names {
    /// The new name behind the `%`; a type's is its own.
    pub(super) fn get(&self, name: &str, is_label: bool) -> Option<String> {
        if is_label || !self.values.contains_key(name) {
            self.labels.get(name).map(|number| format!("b{number}"))
        } else {
            Some(format!("v{}", self.values[name]))
        }
    }
}

/// A phi with its incoming values in the order of the blocks they come from.
fn with_sorted_incoming(line: &str) -> String {
    let start = line.find(" [ ").map_or(line.len(), |position| position + 1);
    let mut incoming: Vec<&str> = Vec::new();
    let (mut depth, mut open, mut end) = (0, start, start);
    for (at, byte) in line.bytes().enumerate().skip(start) {
        match byte {
            b'[' | b'{' | b'(' | b'<' => {
                if depth == 0 && byte == b'[' {
                    open = at;
                }
                depth += 1;
            }
            b']' | b'}' | b')' | b'>' => {
                depth -= 1;
                if depth == 0 {
                    incoming.push(&line[open..=at]);
                    end = at + 1;
                }
            }
            b',' if depth == 0 && !line[at..].starts_with(", [ ") => break,
            _ => {}
        }
    }
    incoming.sort_by_key(|pair| {
        let label =
            pair.rsplit_once("%b").and_then(|(_, label)| label.trim_end_matches([' ', ']']).parse::<usize>().ok());
        label.expect("an incoming value comes from a block")
    });
    format!("{}{}{}", &line[..start], incoming.join(", "), &line[end..])
}
