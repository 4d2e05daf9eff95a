//! Pages that quote a source file whole: what stands there is what is compiled.

use std::path::Path;

use anyhow::{Context, Result};

use crate::tools;

/// What comes before a quotation, followed by the file's path and [`MARK_END`].
const MARK: &str = "<!-- source: ";
/// The rest of that line, and the line after it.
const MARK_END: &str = " -->\n```rust\n";
/// What ends a quotation.
const END: &str = "\n```\n";

/// Pages on which a quotation is not what its file is. Under `RVSDG_BLESS` they are written instead.
pub fn violations() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(tools::root().join("docs")).context("docs cannot be listed")? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let page = String::from_utf8(tools::read(&path)?)?;
        let expected = quoted(&page, &|source| Ok(String::from_utf8(tools::read(&tools::root().join(source))?)?))
            .with_context(|| path.display().to_string())?;
        if page == expected {
            continue;
        }
        if std::env::var_os("RVSDG_BLESS").is_some() {
            std::fs::write(&path, expected)?;
        } else {
            found.push(format!("{} quotes a source that is different: RVSDG_BLESS=1 cargo xtask tidy", path.display()));
        }
    }
    Ok(found)
}

/// A page with its quotations as the files are.
fn quoted(page: &str, read: &dyn Fn(&Path) -> Result<String>) -> Result<String> {
    let (mut text, mut rest) = (String::new(), page);
    while let Some((before, after)) = rest.split_once(MARK) {
        let (path, after) = after.split_once(MARK_END).context("a source is not followed by code")?;
        let end = after.find(END).context("code does not end")?;
        let source = read(Path::new(path))?;
        text.extend([before, MARK, path, MARK_END, source.trim_end()]);
        rest = &after[end..];
    }
    text.push_str(rest);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_become_what_the_file_is() {
        let page = |code: &str| format!("Before.\n\n<!-- source: a.rs -->\n```rust\n{code}\n```\n\nAfter.\n");
        let read = |path: &Path| Ok(format!("// {}\n", path.display()));
        assert_eq!(quoted(&page("old\n\ncode"), &read).unwrap(), page("// a.rs"));
        assert_eq!(quoted(&page("// a.rs"), &read).unwrap(), page("// a.rs"));
        assert!(quoted("<!-- source: a.rs -->\n", &read).is_err());
    }
}
