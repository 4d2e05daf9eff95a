//! A source file in which every mutant of it is dormant, and is chosen when a program starts.

use std::ops::Range;

use super::sites::{Change, Site};

/// The module that mutated crates get: `is` says whether a mutant is the one that lives. With `RVSDG_MUTANT` it is that one;
/// with `RVSDG_MUTANTS_REACHED` none is, and the numbers of those that are asked for go into that file.
pub const HELPER: &str = r#"use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

const UNREAD: u32 = u32::MAX;
const LOGS: u32 = u32::MAX - 1;
static ALIVE: AtomicU32 = AtomicU32::new(UNREAD);

#[inline]
pub(crate) fn is(mutant: u32) -> bool {
    let alive = ALIVE.load(Relaxed);
    alive == mutant || alive >= LOGS && slow(alive, mutant)
}

#[cold]
fn slow(alive: u32, mutant: u32) -> bool {
    static REACHED: [AtomicBool; 1 << 16] = [const { AtomicBool::new(false) }; 1 << 16];
    static LOG: OnceLock<File> = OnceLock::new();
    if alive == UNREAD {
        let number = std::env::var("RVSDG_MUTANT").ok().and_then(|text| text.parse().ok());
        let logs = std::env::var_os("RVSDG_MUTANTS_REACHED").is_some();
        ALIVE.store(if logs { LOGS } else { number.unwrap_or(0) }, Relaxed);
        return is(mutant);
    }
    if !REACHED[mutant as usize].swap(true, Relaxed) {
        let mut log = LOG.get_or_init(|| {
            let path = std::env::var_os("RVSDG_MUTANTS_REACHED").expect("it was there before");
            File::options().append(true).create(true).open(path).expect("the log can be written")
        });
        log.write_all(format!("{mutant}\n").as_bytes()).expect("the log can be written");
    }
    false
}
"#;

/// The file with switches; `first` is the number of its first mutant.
pub fn switched(source: &str, sites: &[Site], first: u32) -> String {
    let mut groups: Vec<Group> = Vec::new();
    for (number, site) in (first..).zip(sites) {
        match groups.last_mut() {
            Some(group) if group.range == site.range => group.changes.push((number, &site.change)),
            _ => groups.push(Group { range: site.range.clone(), changes: vec![(number, &site.change)] }),
        }
    }
    let writer = Writer { source, groups };
    writer.text(0..source.len(), 0, None)
}

/// What can become of one condition.
struct Group<'s> {
    range: Range<usize>,
    changes: Vec<(u32, &'s Change)>,
}

struct Writer<'s> {
    source: &'s str,
    /// Sorted by their beginning, the outer of two first.
    groups: Vec<Group<'s>>,
}

impl Writer<'_> {
    /// The text of a range, with switches for the groups in it from `index` on, and other text at a place outside of those.
    fn text(&self, range: Range<usize>, mut index: usize, other: Option<(Range<usize>, &str)>) -> String {
        let mut text = String::new();
        let mut at = range.start;
        while let Some(group) = self.groups.get(index).filter(|group| group.range.start < range.end) {
            if group.range.start >= at {
                text.push_str(&self.plain(at..group.range.start, &other));
                text.push_str(&self.group(index));
                at = group.range.end;
            }
            index += 1;
        }
        text.push_str(&self.plain(at..range.end, &other));
        text
    }

    fn plain(&self, range: Range<usize>, other: &Option<(Range<usize>, &str)>) -> String {
        match other {
            Some((place, instead)) if range.start <= place.start && place.end <= range.end => {
                format!("{}{instead}{}", &self.source[range.start..place.start], &self.source[place.end..range.end])
            }
            _ => self.source[range].to_owned(),
        }
    }

    fn group(&self, index: usize) -> String {
        let Group { range, changes } = &self.groups[index];
        let mut text = self.text(range.clone(), index + 1, None);
        for (number, change) in changes {
            let lives = format!("crate::mutants::is({number})");
            text = match change {
                Change::Force(true) => format!("({lives} || ({text}))"),
                Change::Force(false) => format!("(!{lives} && ({text}))"),
                Change::Negate => format!("({lives} != ({text}))"),
                Change::Number(number) => format!("(if {lives} {{ {number} }} else {{ {text} }})"),
                Change::Skip => format!("if !{lives} {{ {text} }}"),
                Change::Instead { from, to, text: instead } => {
                    let mutated = self.text(range.clone(), index + 1, Some((*from..*to, instead)));
                    format!("(if {lives} {{ {mutated} }} else {{ {text} }})")
                }
            };
        }
        text
    }
}

/// What a condition becomes, in the words of the source.
pub fn becomes(source: &str, site: &Site) -> String {
    match &site.change {
        Change::Force(value) => value.to_string(),
        Change::Negate => match source[site.range.clone()].strip_prefix('!') {
            Some(rest) => rest.to_owned(),
            None => format!("!{}", &source[site.range.clone()]),
        },
        Change::Number(number) => number.to_string(),
        Change::Skip => String::new(),
        Change::Instead { from, to, text } => {
            format!("{}{text}{}", &source[site.range.start..*from], &source[*to..site.range.end])
        }
    }
}
