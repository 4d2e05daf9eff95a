//! Payloads of attributes that passes ask about.

use std::fmt;

use smallvec::SmallVec;

use crate::fold::arith::mask;

/// How memory is accessed.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Not at all.
    None,
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// It is read and written.
    ReadWrite,
}

impl Access {
    const ALL: [Access; 4] = [Access::None, Access::Read, Access::Write, Access::ReadWrite];

    fn name(self) -> &'static str {
        match self {
            Access::None => "none",
            Access::Read => "read",
            Access::Write => "write",
            Access::ReadWrite => "readwrite",
        }
    }

    fn of(reads: bool, writes: bool) -> Access {
        match (reads, writes) {
            (false, false) => Access::None,
            (true, false) => Access::Read,
            (false, true) => Access::Write,
            (true, true) => Access::ReadWrite,
        }
    }

    /// What both allow.
    pub fn and(self, other: Access) -> Access {
        Access::of(self.reads() && other.reads(), self.writes() && other.writes())
    }

    /// What either allows.
    pub fn or(self, other: Access) -> Access {
        Access::of(self.reads() || other.reads(), self.writes() || other.writes())
    }

    /// Whether it is read.
    pub fn reads(self) -> bool {
        matches!(self, Access::Read | Access::ReadWrite)
    }

    /// Whether it is written.
    pub fn writes(self) -> bool {
        matches!(self, Access::Write | Access::ReadWrite)
    }
}

/// Memory that `memory(…)` tells apart from other memory.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum MemoryLocation {
    /// What arguments point to.
    Arguments,
    /// What the module cannot access.
    Inaccessible,
    /// `errno`
    Errno,
    /// The target's first.
    Target0,
    /// The target's second.
    Target1,
}

impl MemoryLocation {
    const ALL: [MemoryLocation; 5] = [
        MemoryLocation::Arguments,
        MemoryLocation::Inaccessible,
        MemoryLocation::Errno,
        MemoryLocation::Target0,
        MemoryLocation::Target1,
    ];

    fn name(self) -> &'static str {
        match self {
            MemoryLocation::Arguments => "argmem",
            MemoryLocation::Inaccessible => "inaccessiblemem",
            MemoryLocation::Errno => "errnomem",
            MemoryLocation::Target0 => "target_mem0",
            MemoryLocation::Target1 => "target_mem1",
        }
    }
}

/// What `memory(…)` says: [LangRef](https://llvm.org/docs/LangRef.html#function-attributes).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct MemoryEffects {
    /// The access of memory that is not named; `None` if that is not said, which means none.
    pub default: Option<Access>,
    /// The access of memory that is named.
    pub named: SmallVec<[(MemoryLocation, Access); 2]>,
}

impl MemoryEffects {
    /// All memory is accessed in one way.
    pub fn all(access: Access) -> MemoryEffects {
        MemoryEffects { default: Some(access), named: SmallVec::new() }
    }

    /// Only what arguments point to is accessed.
    pub fn of_arguments(access: Access) -> MemoryEffects {
        MemoryEffects { default: None, named: [(MemoryLocation::Arguments, access)].into_iter().collect() }
    }

    pub(super) fn parse(text: &str) -> Option<MemoryEffects> {
        let mut effects = MemoryEffects::default();
        for part in text.split(", ") {
            let access = |name: &str| Access::ALL.into_iter().find(|access| access.name() == name);
            match part.split_once(": ") {
                None => effects.default = Some(access(part)?),
                Some((location, part)) => {
                    let location = MemoryLocation::ALL.into_iter().find(|known| known.name() == location)?;
                    effects.named.push((location, access(part)?));
                }
            }
        }
        Some(effects)
    }

    /// All that is said.
    pub fn accesses(&self) -> impl Iterator<Item = Access> + '_ {
        self.default.into_iter().chain(self.named.iter().map(|&(_, access)| access))
    }
}

impl fmt::Display for MemoryEffects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        if let Some(access) = self.default {
            f.write_str(access.name())?;
            between = ", ";
        }
        for (location, access) in &self.named {
            write!(f, "{between}{}: {}", location.name(), access.name())?;
            between = ", ";
        }
        Ok(())
    }
}

/// Words of a list, a bit for each. The order of the words does not matter.
fn bits(text: &str, separator: &str, words: &[&str]) -> Option<u8> {
    let bit = |word: &str| words.iter().position(|known| *known == word).map(|index| 1 << index);
    text.split(separator).try_fold(0, |bits, word| Some(bits | bit(word)?))
}

/// The words of some bits.
fn words<'w>(bits: u8, words: &[&'w str]) -> Vec<&'w str> {
    words.iter().enumerate().filter(|&(index, _)| bits & 1 << index != 0).map(|(_, &word)| word).collect()
}

/// What `captures(…)` says of a pointer: which parts a function keeps, and which of them only its result may hold.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Captures {
    /// Bits of [`CAPTURED`].
    kept: u8,
    /// What the result may hold, if that is something else.
    result: Option<u8>,
}

const CAPTURED: [&str; 4] = ["address_is_null", "address", "read_provenance", "provenance"];

impl Captures {
    /// Nothing.
    pub const NONE: Captures = Captures { kept: 0, result: None };
    /// Whether it is null.
    pub const IS_NULL: Captures = Captures { kept: 1, result: None };

    /// `None` for a spelling that LLVM reads but does not write.
    pub(super) fn parse(text: &str) -> Option<Captures> {
        let of = |text: &str| if text == "none" { Some(0) } else { bits(text, ", ", &CAPTURED) };
        let (kept, result) = match text.split_once("ret: ") {
            None => (text, None),
            Some((kept, result)) => (kept.strip_suffix(", ").unwrap_or("none"), Some(result)),
        };
        let result = match result {
            None => None,
            Some(result) => Some(of(result)?),
        };
        let captures = Captures { kept: of(kept)?, result };
        (captures.to_string() == text).then_some(captures)
    }
}

impl fmt::Display for Captures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bits| if bits == 0 { "none".to_owned() } else { words(bits, &CAPTURED).join(", ") };
        match (self.kept, self.result) {
            (kept, None) => f.write_str(&text(kept)),
            (0, Some(result)) => write!(f, "ret: {}", text(result)),
            (kept, Some(result)) => write!(f, "{}, ret: {}", text(kept), text(result)),
        }
    }
}

/// What `allockind(…)` says a function does.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct AllocKinds(u8);

const ALLOCATES: [&str; 6] = ["alloc", "realloc", "free", "uninitialized", "zeroed", "aligned"];

impl AllocKinds {
    pub(super) fn parse(text: &str) -> Option<AllocKinds> {
        bits(text.strip_prefix('"')?.strip_suffix('"')?, ",", &ALLOCATES).map(AllocKinds)
    }

    /// Whether it allocates, and nothing else but that is said of what it does with memory.
    pub fn only_allocates(self) -> bool {
        self.0 & 7 == 1
    }

    /// Whether it frees, and nothing else is said.
    pub fn only_frees(self) -> bool {
        self.0 & 7 == 4
    }
}

impl fmt::Display for AllocKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", words(self.0, &ALLOCATES).join(","))
    }
}

/// Some integers of a width, one after the other; zero follows the greatest.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct IntRange {
    /// The width, at most 64.
    pub bits: u32,
    /// The first integer.
    pub first: u64,
    /// How many there are.
    pub count: u64,
}

impl IntRange {
    /// Whether an integer is one of them.
    pub fn contains(self, value: u64) -> bool {
        (value.wrapping_sub(self.first) & mask(self.bits) as u64) < self.count
    }

    pub(super) fn parse(text: &str) -> Option<IntRange> {
        let (bits, numbers) = text.strip_prefix('i')?.split_once(' ')?;
        let (first, end) = numbers.split_once(", ")?;
        let bits: u32 = bits.parse().ok().filter(|bits| (1..=64).contains(bits))?;
        let number = |text: &str| text.parse::<i64>().ok().map(|number| number as u64 & mask(bits) as u64);
        let (first, end) = (number(first)?, number(end)?);
        let count = end.wrapping_sub(first) & mask(bits) as u64;
        (count > 0).then_some(IntRange { bits, first, count })
    }
}

/// Signed integers, as in LLVM.
impl fmt::Display for IntRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = 64 - self.bits;
        let signed = |value: u64| (value << rest) as i64 >> rest;
        write!(f, "i{} {}, {}", self.bits, signed(self.first), signed(self.first.wrapping_add(self.count)))
    }
}
