//! The attribute `memory(…)` of functions and calls.

use rvsdg_core::attribute::{Access, AttributeList, MemoryEffects, MemoryLocation};

/// The `memory` attribute, without memory that no pointer can reach.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Memory {
    /// Memory that arguments point to.
    pub(crate) arguments: Access,
    /// All other memory.
    pub(crate) other: Access,
}

impl Memory {
    /// Anything.
    pub(crate) const ALL: Memory = Memory { arguments: Access::ReadWrite, other: Access::ReadWrite };

    /// The `memory` attribute of a function.
    pub(crate) fn of(list: &AttributeList) -> Memory {
        list.memory().map_or(Memory::ALL, Memory::from)
    }

    /// The accesses that both allow.
    pub(crate) fn and(self, other: Memory) -> Memory {
        Memory { arguments: self.arguments.and(other.arguments), other: self.other.and(other.other) }
    }
}

impl From<&MemoryEffects> for Memory {
    fn from(effects: &MemoryEffects) -> Memory {
        let rest = effects.default.unwrap_or(Access::None);
        let (mut arguments, mut named) = (None, Access::None);
        for &(location, access) in &effects.named {
            match location {
                MemoryLocation::Arguments => arguments = Some(access),
                MemoryLocation::Inaccessible => {}
                MemoryLocation::Errno | MemoryLocation::Target0 | MemoryLocation::Target1 => named = named.or(access),
            }
        }
        // Other named kinds may be reached through an argument too, and count as any.
        Memory { arguments: arguments.unwrap_or(rest).or(named), other: named.or(rest) }
    }
}

#[cfg(test)]
mod tests {
    use rvsdg_core::attribute::Attribute;

    use super::*;

    #[test]
    fn memory_attributes_are_understood() {
        for (text, arguments, other) in [
            ("none", Access::None, Access::None),
            ("read", Access::Read, Access::Read),
            ("argmem: readwrite", Access::ReadWrite, Access::None),
            ("argmem: read, inaccessiblemem: readwrite", Access::Read, Access::None),
            ("read, argmem: readwrite", Access::ReadWrite, Access::Read),
            ("errnomem: write", Access::Write, Access::Write),
        ] {
            let function = [Attribute::parse(&format!("memory({text})"))].into();
            let list = AttributeList { function, ..AttributeList::default() };
            assert_eq!(Memory::of(&list), Memory { arguments, other }, "{text}");
        }
    }
}
