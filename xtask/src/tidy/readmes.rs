//! What a registry shows of a library crate: its manifest, and a README that is the head of its root file.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::tools;

/// What a registry asks of a manifest, or shows of it.
const ASKED: &[&str] = &["description", "license", "repository", "readme", "keywords", "categories"];

/// What `package`, as `cargo metadata` describes it, lacks to be published; nothing where its manifest says that it is not. Under
/// `RVSDG_BLESS` its README is written.
pub fn violations(package: &Value) -> Result<Vec<String>> {
    // `publish = false` is an empty list of registries.
    if package["publish"].is_array() {
        return Ok(Vec::new());
    }
    let manifest = Path::new(package["manifest_path"].as_str().context("a package has a manifest")?);
    let folder = manifest.parent().context("a manifest lies in a folder")?;
    let is_there = |key: &&&str| match &package[**key] {
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    };
    let lacking = ASKED.iter().filter(|key| !is_there(key));
    let mut found: Vec<String> = lacking.map(|key| format!("{} has no `{key}`", manifest.display())).collect();

    let root = String::from_utf8(tools::read(&folder.join("src/lib.rs"))?)?;
    let name = package["name"].as_str().context("a package has a name")?;
    let expected = readme(name, &root);
    if !expected.contains("\n```") {
        found.push(format!("{} begins without an example", folder.join("src/lib.rs").display()));
    }
    let path = folder.join("README.md");
    if std::fs::read_to_string(&path).is_ok_and(|text| text == expected) {
        return Ok(found);
    }
    if std::env::var_os("RVSDG_BLESS").is_some() {
        std::fs::write(&path, expected)?;
    } else {
        found.push(format!("{} is not what the crate says of itself: RVSDG_BLESS=1 cargo xtask tidy", path.display()));
    }
    Ok(found)
}

/// The README of a crate: what stands before its code, without links into the code's documentation.
fn readme(name: &str, root: &str) -> String {
    let mut text = format!("# {name}\n\n");
    // The language of the block of code that a line stands in; Rust's needs no name.
    let mut code: Option<&str> = None;
    for line in root.lines().map_while(|line| line.strip_prefix("//!")) {
        let line = line.strip_prefix(' ').unwrap_or(line);
        if let Some(language) = line.strip_prefix("```") {
            code = if code.is_none() { Some(language) } else { None };
            text.push_str(if code == Some("") { "```rust" } else { line });
        } else if code == Some("") && (line == "#" || line.starts_with("# ")) {
            // Documentation hides this line.
            continue;
        } else if code.is_some() {
            text.push_str(line);
        } else {
            text.push_str(&unlinked(line));
        }
        text.push('\n');
    }
    text.push_str("\nMIT or Apache 2.0, as you choose. The repository has the other crates, a book and tests of them all together.\n");
    text
}

/// A line of prose with links to items, such as ``[`Graph`](crate::Graph)``, as the items' names.
fn unlinked(line: &str) -> String {
    let (mut text, mut rest) = (String::new(), line);
    while let Some((before, after)) = rest.split_once("[`") {
        let Some((item, after)) = after.split_once("`]") else { break };
        let item = item.strip_prefix("mod@").unwrap_or(item);
        text.extend([before, "`", item, "`"]);
        let target = after.strip_prefix('(').and_then(|target| target.split_once(')'));
        rest = target.map_or(after, |(_, after)| after);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readme_is_the_head_of_the_root_file() {
        let root = "//! A [`Graph`](crate::Graph) of [`mod@nodes`].\n//!\n//! ```sh\n//! # ls\n//! ```\n//!\n\
                    //! ```\n//! let x = [`1`];\n//! # hidden();\n//! ```\n\npub mod nodes;\n//! no\n";
        let text = readme("graphs", root);
        assert!(
            text.starts_with(
                "# graphs\n\nA `Graph` of `nodes`.\n\n```sh\n# ls\n```\n\n```rust\nlet x = [`1`];\n```\n\nMIT"
            ),
            "{text}"
        );
        assert!(!text.contains("no\n"));
    }
}
