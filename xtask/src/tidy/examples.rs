//! Which public items have an example in their documentation, which `cargo test` compiles and runs.

use std::path::Path;

use anyhow::{Context, Result};

use crate::tools;

/// What a newcomer meets, by crate: what the README, the book and the examples use, and what these lead to.
const MET: &[(&str, &[&str])] = &[
    (
        "rvsdg-core",
        &[
            "AttributeList",
            "Constant",
            "Gamma",
            "Graph",
            "Insert",
            "Lambda",
            "Module",
            "Op",
            "Phi",
            "Pool",
            "Router",
            "SymbolData",
            "Theta",
            "Type",
            "Verified",
        ],
    ),
    (
        "rvsdg-build",
        &[
            "Address",
            "BuildError",
            "Function",
            "FunctionBuilder",
            "Global",
            "Initializer",
            "Label",
            "Loop",
            "ModuleBuilder",
            "Value",
            "Variable",
        ],
    ),
    ("rvsdg-emit", &["emit"]),
    ("rvsdg-cfg", &["Cfg"]),
    (
        "rvsdg-passes",
        &[
            "BisectLimit",
            "BodyPass",
            "Budget",
            "Change",
            "Entry",
            "Manager",
            "ModulePass",
            "Observer",
            "PassCx",
            "Pipeline",
            "PlannedPass",
            "Progress",
            "Registry",
            "Remark",
            "Report",
            "Rule",
        ],
    ),
    ("rvsdg-interp", &["Config", "Machine", "Outcome", "Value", "observe", "refines"]),
    ("rvsdg-reduce", &["reduce"]),
    (
        "rvsdg-llvm",
        &[
            "CodegenOptions",
            "Import",
            "Jit",
            "LlvmModule",
            "LlvmPasses",
            "OptimizeOptions",
            "Optimizer",
            "optimize",
            "optimize_in_place",
        ],
    ),
];

/// Items of [`MET`] that are not there, or have no example.
pub fn violations() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for &(name, items) in MET {
        let mut documented = Vec::new();
        collect(&tools::root().join(name).join("src"), &mut documented)?;
        for item in items {
            match documented.iter().find(|(is_of, _)| is_of == item) {
                None => found.push(format!("{name} has no public {item}")),
                Some((_, false)) => found.push(format!("{name}: the documentation of {item} has no example")),
                Some((_, true)) => {}
            }
        }
    }
    Ok(found)
}

/// The public types, traits and functions in the files of a folder, and whether their documentation has an example. Those with one
/// come first, so that of a name that several modules have one is enough.
fn collect(folder: &Path, into: &mut Vec<(String, bool)>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, into)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            items(&String::from_utf8(tools::read(&path)?)?, into);
        }
    }
    into.sort_by_key(|&(_, has_example)| !has_example);
    Ok(())
}

/// The items of a file that begin at its left edge.
fn items(text: &str, into: &mut Vec<(String, bool)>) {
    const KINDS: [&str; 5] = ["pub struct ", "pub enum ", "pub trait ", "pub fn ", "pub const fn "];
    let mut has_example = false;
    for line in text.lines() {
        if let Some(documentation) = line.strip_prefix("///") {
            has_example |= documentation.trim_start().starts_with("```");
        } else if let Some(rest) = KINDS.iter().find_map(|kind| line.strip_prefix(kind)) {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            into.push((rest[..end].to_owned(), std::mem::take(&mut has_example)));
        } else if !line.starts_with(['#', ' ', ')']) {
            has_example = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_belong_to_what_they_precede() {
        let mut found = Vec::new();
        items(
            "/// Text.\n///\n/// ```\n/// a();\n/// ```\n#[derive(Clone)]\npub struct A;\n\n/// Text.\npub fn b() {}\n",
            &mut found,
        );
        assert_eq!(found, [("A".to_owned(), true), ("b".to_owned(), false)]);
    }
}
