//! The attribute `memory(…)` of functions and calls.

use rvsdg_core::attribute::Attribute;

/// How a kind of memory is accessed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Kind {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
}

impl Kind {
    const ALL: Kind = Kind { reads: true, writes: true };

    fn and(self, other: Kind) -> Kind {
        Kind { reads: self.reads && other.reads, writes: self.writes && other.writes }
    }

    fn or(self, other: Kind) -> Kind {
        Kind { reads: self.reads || other.reads, writes: self.writes || other.writes }
    }

    fn parse(text: &str) -> Kind {
        match text.trim() {
            "none" => Kind { reads: false, writes: false },
            "read" => Kind { reads: true, writes: false },
            "write" => Kind { reads: false, writes: true },
            _ => Kind::ALL,
        }
    }
}

/// The `memory` attribute, without memory that no pointer can reach.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Memory {
    /// Memory that arguments point to.
    pub(crate) arguments: Kind,
    /// All other memory.
    pub(crate) other: Kind,
}

impl Memory {
    /// Anything.
    pub(crate) const ALL: Memory = Memory { arguments: Kind::ALL, other: Kind::ALL };

    /// The `memory` attribute of a function's attributes.
    pub(crate) fn of(list: &[Attribute]) -> Memory {
        let text = list.iter().find_map(|attribute| attribute.text.strip_prefix("memory(")?.strip_suffix(')'));
        text.map_or(Memory::ALL, Memory::parse)
    }

    /// Parses the text between the parentheses of `memory(…)`: first, without a name, the default for all kinds without an entry.
    fn parse(text: &str) -> Memory {
        let none = Kind { reads: false, writes: false };
        let (mut arguments, mut named, mut rest) = (None, none, none);
        for entry in text.split(',') {
            match entry.split_once(':').map(|(name, kind)| (name.trim(), Kind::parse(kind))) {
                None => rest = Kind::parse(entry),
                Some(("argmem", kind)) => arguments = Some(kind),
                Some(("inaccessiblemem", _)) => {}
                Some((_, kind)) => named = named.or(kind),
            }
        }
        // Other named kinds may be reached through an argument too, and count as any.
        Memory { arguments: arguments.unwrap_or(rest).or(named), other: named.or(rest) }
    }

    /// The accesses that both allow.
    pub(crate) fn and(self, other: Memory) -> Memory {
        Memory { arguments: self.arguments.and(other.arguments), other: self.other.and(other.other) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_attributes_are_understood() {
        let kind = |reads, writes| Kind { reads, writes };
        for (text, arguments, other) in [
            ("none", kind(false, false), kind(false, false)),
            ("read", kind(true, false), kind(true, false)),
            ("argmem: readwrite", kind(true, true), kind(false, false)),
            ("argmem: read, inaccessiblemem: readwrite", kind(true, false), kind(false, false)),
            ("read, argmem: readwrite", kind(true, true), kind(true, false)),
            ("errnomem: write", kind(false, true), kind(false, true)),
        ] {
            assert_eq!(Memory::parse(text), Memory { arguments, other }, "{text}");
        }
    }
}
