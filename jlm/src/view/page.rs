//! The page: one file with its data, its program and the layout library in it.

use super::View;

const PAGE: &str = include_str!("../../assets/viewer.html");
const STYLE: &str = include_str!("../../assets/viewer.css");
const PROGRAM: &str = include_str!("../../assets/viewer.js");
/// ELK's layered layout, compiled to JavaScript; `assets/elk-LICENSE.md` is its license.
const LAYOUT: &str = include_str!("../../assets/elk.bundled.js");

/// The page that shows a view.
///
/// # Errors
/// Never for views of this crate.
pub fn html(view: &View) -> serde_json::Result<String> {
    // Within a script, only its end tag and the start of a comment mean something.
    let data = view.json()?.replace("</", "<\\/").replace("<!--", "<\\u0021--");
    let parts = [("{{style}}", STYLE), ("{{layout}}", LAYOUT), ("{{program}}", PROGRAM), ("{{data}}", &data)];
    let mut page = String::with_capacity(LAYOUT.len() + data.len() + (1 << 16));
    let mut rest = PAGE;
    while let Some((at, (mark, text))) =
        parts.iter().filter_map(|part| Some((rest.find(part.0)?, part))).min_by_key(|p| p.0)
    {
        page.push_str(&rest[..at]);
        page.push_str(text);
        rest = &rest[at + mark.len()..];
    }
    page.push_str(rest);
    Ok(page)
}
