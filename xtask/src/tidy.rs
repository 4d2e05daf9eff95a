//! `cargo xtask tidy`: rules on the tree that no compiler checks. Each check returns what it found wrong, all at once.

mod crates;
mod examples;
mod files;
mod pages;
mod readmes;

use anyhow::{Result, bail};

use crate::evidence;

/// Runs every check and prints what each found.
///
/// # Errors
/// A check found something, or a file cannot be read.
pub fn main() -> Result<()> {
    let found = violations()?;
    for violation in &found {
        eprintln!("tidy: {violation}");
    }
    if found.is_empty() { Ok(()) } else { bail!("{} violations of the tree's rules", found.len()) }
}

fn violations() -> Result<Vec<String>> {
    let workspace = crates::Workspace::read()?;
    let mut found = workspace.dependency_violations();
    found.extend(workspace.manifest_violations()?);
    found.extend(workspace.root_violations()?);
    found.extend(workspace.publication_violations()?);
    found.extend(examples::violations()?);
    found.extend(files::source_violations()?);
    found.extend(files::path_violations()?);
    found.extend(pages::violations()?);
    found.extend(evidence::violations()?);
    Ok(found)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tree_is_tidy() {
        let found = super::violations().expect("the tree can be read");
        assert!(found.is_empty(), "\n{}", found.join("\n"));
    }
}
