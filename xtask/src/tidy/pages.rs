//! Pages that quote a source file whole: what stands there is what is compiled. Every page of the book is in its table of contents,
//! its listings are such quotations, commands or what these print, and its links lead somewhere.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::tools;

/// What comes before a quotation, followed by the file's path and [`MARK_END`].
const MARK: &str = "<!-- source: ";
/// The rest of that line, and the line after it.
const MARK_END: &str = " -->\n```rust\n";
/// What ends a quotation.
const END: &str = "\n```\n";

/// The pages of the book.
const BOOK: &str = "docs/book/src";

/// Pages on which a quotation is not what its file is. Under `RVSDG_BLESS` they are written instead.
pub fn violations() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for path in pages("docs")?.into_iter().chain(pages(BOOK)?) {
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
    found.extend(book_violations()?);
    Ok(found)
}

/// The pages in a folder.
fn pages(folder: &str) -> Result<Vec<PathBuf>> {
    let folder = tools::root().join(folder);
    let entries = std::fs::read_dir(&folder).with_context(|| format!("{} cannot be listed", folder.display()))?;
    let mut pages = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    Ok(pages)
}

/// Pages of the book that its table of contents lacks, links that lead nowhere, and listings that nothing tests.
fn book_violations() -> Result<Vec<String>> {
    let folder = tools::root().join(BOOK);
    let contents = String::from_utf8(tools::read(&folder.join("SUMMARY.md"))?)?;
    let mut found = Vec::new();
    for path in pages(BOOK)? {
        let name = path.file_name().and_then(|name| name.to_str()).context("a page has a name")?;
        if name != "SUMMARY.md" && !contents.contains(&format!("({name})")) {
            found.push(format!("{} is not in SUMMARY.md", path.display()));
        }
        let page = String::from_utf8(tools::read(&path)?)?;
        let links = page.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        for link in links.filter(|link| !link.is_empty() && !link.contains("://")) {
            if !folder.join(link).exists() {
                found.push(format!("{} links to {link}, which does not exist", path.display()));
            }
        }
        found.extend(untested(&page).into_iter().map(|line| format!("{}: nothing tests '{line}'", path.display())));
    }
    Ok(found)
}

/// The first lines of listings that are neither quoted sources nor commands nor what commands print.
fn untested(page: &str) -> Vec<&str> {
    let (mut found, mut open, mut before) = (Vec::new(), None, "");
    for line in page.lines().filter(|line| !line.is_empty()) {
        match (line.strip_prefix("```"), open) {
            (Some(_), Some(language)) => (open, before) = (None, language),
            (Some(language), None) => {
                let tested = match language {
                    "sh" => true,
                    "text" => before == "sh",
                    "rust" => before.starts_with(MARK),
                    _ => false,
                };
                if !tested {
                    found.push(line);
                }
                open = Some(language);
            }
            (None, Some(_)) => {}
            (None, None) => before = line,
        }
    }
    found
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
    fn listings_are_tested() {
        let page = "```sh\nls\n```\n\n```text\na\n```\n\n<!-- source: a.rs -->\n```rust\nfn a() {}\n```\n";
        assert_eq!(untested(page), [""; 0]);
        assert_eq!(untested("Prose.\n```text\na\n```\n```rust\n```\n```c\n```\n"), ["```text", "```rust", "```c"]);
    }

    #[test]
    fn quotations_become_what_the_file_is() {
        let page = |code: &str| format!("Before.\n\n<!-- source: a.rs -->\n```rust\n{code}\n```\n\nAfter.\n");
        let read = |path: &Path| Ok(format!("// {}\n", path.display()));
        assert_eq!(quoted(&page("old\n\ncode"), &read).unwrap(), page("// a.rs"));
        assert_eq!(quoted(&page("// a.rs"), &read).unwrap(), page("// a.rs"));
        assert!(quoted("<!-- source: a.rs -->\n", &read).is_err());
    }
}
