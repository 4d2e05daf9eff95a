//! Data layout strings (LangRef, "Data Layout"), with LLVM's defaults and LLVM's errors for malformed ones.

use std::fmt;

/// An alignment in bytes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Alignment {
    /// What the ABI demands.
    pub abi: u64,
    /// The default alignment of variables; not less than the ABI alignment.
    pub preferred: u64,
}

impl Alignment {
    /// One that is both.
    pub(super) const fn of(bytes: u64) -> Alignment {
        Alignment { abi: bytes, preferred: bytes }
    }
}

/// The pointers of an address space.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PointerLayout {
    /// The number of bits.
    pub bits: u32,
    /// The number of those that are an address: offsets are computed in an integer of as many.
    pub index_bits: u32,
    /// The alignment.
    pub align: Alignment,
    /// Whether the bit representation of an address may change (`ni`, flag `u`).
    pub is_unstable: bool,
    /// Whether a pointer has more to it than its bits in memory (flag `e`).
    pub has_external_state: bool,
}

/// How a target lays out scalars, from a data layout string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataLayout {
    is_big_endian: bool,
    /// By width, ascending; never empty.
    ints: Vec<(u32, Alignment)>,
    floats: Vec<(u32, Alignment)>,
    vectors: Vec<(u32, Alignment)>,
    pub(super) aggregate: Alignment,
    /// By address space, ascending; address space 0 is always present.
    pointers: Vec<(u32, PointerLayout)>,
    alloca_space: u32,
    program_space: u32,
    global_space: u32,
}

impl Default for DataLayout {
    /// The data layout of the empty string.
    fn default() -> DataLayout {
        let same = |widths: &[u32]| widths.iter().map(|&bits| (bits, Alignment::of(u64::from(bits / 8)))).collect();
        let pointer = PointerLayout {
            bits: 64,
            index_bits: 64,
            align: Alignment::of(8),
            is_unstable: false,
            has_external_state: false,
        };
        DataLayout {
            is_big_endian: false,
            ints: vec![
                (8, Alignment::of(1)),
                (16, Alignment::of(2)),
                (32, Alignment::of(4)),
                (64, Alignment { abi: 4, preferred: 8 }),
            ],
            floats: same(&[16, 32, 64, 128]),
            vectors: same(&[64, 128]),
            aggregate: Alignment { abi: 1, preferred: 8 },
            pointers: vec![(0, pointer)],
            alloca_space: 0,
            program_space: 0,
            global_space: 0,
        }
    }
}

impl DataLayout {
    /// Reads a data layout string.
    ///
    /// # Errors
    /// When LLVM would not accept it.
    pub fn parse(text: &str) -> Result<DataLayout, MalformedLayout> {
        let mut layout = DataLayout::default();
        if text.is_empty() {
            return Ok(layout);
        }
        let mut names: Vec<&str> = Vec::new();
        let mut unstable: Vec<u32> = Vec::new();
        for part in text.split('-') {
            layout.part(part, &mut names, &mut unstable).ok_or_else(|| MalformedLayout(part.to_owned()))?;
        }
        for space in unstable {
            let pointer = *layout.pointer(space);
            replace(
                &mut layout.pointers,
                space,
                PointerLayout { is_unstable: true, has_external_state: false, ..pointer },
            );
        }
        Ok(layout)
    }

    /// Reads one specification; `None` when it is malformed.
    fn part<'t>(&mut self, part: &'t str, names: &mut Vec<&'t str>, unstable: &mut Vec<u32>) -> Option<()> {
        if let Some(spaces) = part.strip_prefix("ni") {
            for space in spaces.strip_prefix(':')?.split(':') {
                unstable.push(address_space(space).filter(|&space| space != 0)?);
            }
            return Some(());
        }
        let letter = part.chars().next()?;
        let rest = &part[letter.len_utf8()..];
        match letter {
            'e' | 'E' if rest.is_empty() => self.is_big_endian = letter == 'E',
            'i' | 'f' | 'v' => self.primitive(letter, rest)?,
            'a' => self.aggregate(rest)?,
            'p' => self.pointers(rest, names)?,
            'n' => rest.split(':').try_for_each(|bits| size(bits).map(drop))?,
            'S' => drop(alignment(rest)?),
            'F' => drop(alignment(rest.strip_prefix(['i', 'n'])?)?),
            'P' => self.program_space = address_space(rest)?,
            'A' => self.alloca_space = address_space(rest)?,
            'G' => self.global_space = address_space(rest)?,
            'm' => drop(rest.strip_prefix(':').filter(|mode| is_one_of(mode, "elomwxa"))?),
            // Obsolete; LLVM ignores it.
            's' => {}
            _ => return None,
        }
        Some(())
    }

    /// `<size>:<abi>[:<pref>]`
    fn primitive(&mut self, letter: char, text: &str) -> Option<()> {
        let fields: Vec<&str> = text.split(':').collect();
        let (bits, align) = (size(fields[0])?, alignments(&fields[1..])?);
        if letter == 'i' && bits == 8 && align.abi != 1 {
            return None;
        }
        let table = match letter {
            'i' => &mut self.ints,
            'f' => &mut self.floats,
            _ => &mut self.vectors,
        };
        replace(table, bits, align);
        Some(())
    }

    /// `:<abi>[:<pref>]`, maybe with a zero before it.
    fn aggregate(&mut self, text: &str) -> Option<()> {
        let fields: Vec<&str> = text.split(':').collect();
        let is_zero = fields[0].is_empty() || number(fields[0])? == 0;
        // Only here zero means no alignment.
        let abi = match *fields.get(1)? {
            zero if number(zero) == Some(0) => "8",
            abi => abi,
        };
        let fields: Vec<&str> = std::iter::once(abi).chain(fields[2..].iter().copied()).collect();
        self.aggregate = alignments(&fields).filter(|_| is_zero)?;
        Some(())
    }

    /// `[<flags>][<address space>][(<name>)]:<size>:<abi>[:<pref>[:<idx>]]`
    fn pointers<'t>(&mut self, text: &'t str, names: &mut Vec<&'t str>) -> Option<()> {
        let fields: Vec<&str> = text.split(':').collect();
        let plain = fields[0].trim_start_matches(['e', 'u']);
        let flags = &fields[0][..fields[0].len() - plain.len()];
        let (space, name) = match plain.split_once('(') {
            Some((space, name)) => (space, Some(name.strip_suffix(')')?)),
            None => (plain, None),
        };
        let space = if space.is_empty() { 0 } else { address_space(space)? };
        if let Some(name) = name {
            if name.is_empty() || is_one_of(name, "PAG") || names.contains(&name) {
                return None;
            }
            names.push(name);
        }
        let (bits, align) = (size(fields.get(1)?)?, alignments(&fields[2..fields.len().min(4)])?);
        let index_bits = fields.get(4).map_or(Some(bits), |bits| size(bits))?;
        if space == 0 && !flags.is_empty() || index_bits > bits || fields.len() > 5 {
            return None;
        }
        let (is_unstable, has_external_state) = (flags.contains('u'), flags.contains('e'));
        let pointer = PointerLayout { bits, index_bits, align, is_unstable, has_external_state };
        replace(&mut self.pointers, space, pointer);
        Some(())
    }

    /// Whether the most significant byte comes first in memory.
    pub fn is_big_endian(&self) -> bool {
        self.is_big_endian
    }

    /// The pointers of an address space.
    pub fn pointer(&self, space: u32) -> &PointerLayout {
        let known = self.pointers.binary_search_by_key(&space, |&(space, _)| space);
        &self.pointers[known.unwrap_or(0)].1
    }

    /// The address space of stack objects.
    pub fn alloca_space(&self) -> u32 {
        self.alloca_space
    }

    /// The address space of functions.
    pub fn program_space(&self) -> u32 {
        self.program_space
    }

    /// The address space of variables that front ends make.
    pub fn global_space(&self) -> u32 {
        self.global_space
    }

    /// The alignment of an integer.
    pub fn int(&self, bits: u32) -> Alignment {
        let at = self.ints.partition_point(|&(width, _)| width < bits);
        self.ints[at.min(self.ints.len() - 1)].1
    }

    /// The alignment of a float.
    pub fn float(&self, bits: u32) -> Alignment {
        let exact = self.floats.iter().find(|&&(width, _)| width == bits);
        exact.map_or_else(|| Alignment::of(u64::from(bits / 8).next_power_of_two()), |&(_, align)| align)
    }

    /// The alignment of a vector.
    pub fn vector(&self, bits: u64) -> Alignment {
        let exact = self.vectors.iter().find(|&&(width, _)| u64::from(width) == bits);
        exact.map_or_else(|| Alignment::of(bits.div_ceil(8).next_power_of_two()), |&(_, align)| align)
    }

    /// The part of the layout that passes cannot handle, if there is one; they leave such a module unchanged. They assume that integers
    /// and floats of the usual widths are contiguous in memory without gaps, that an address in address space 0 is a whole pointer of 16
    /// to 64 bits and has at least 8 bits elsewhere, and that a copy of a pointer's bytes is a copy of the pointer.
    pub fn unsupported(&self) -> Option<String> {
        let &PointerLayout { bits, index_bits, .. } = self.pointer(0);
        if !(16..=64).contains(&bits) || bits % 8 != 0 {
            return Some(format!("data layout with pointers of {bits} bits"));
        }
        if index_bits != bits {
            return Some(format!("data layout with pointers of {bits} bits of which {index_bits} are the address"));
        }
        let narrow = self.pointers.iter().find(|(_, pointer)| pointer.index_bits < 8);
        if let Some((space, PointerLayout { index_bits, .. })) = narrow {
            return Some(format!("data layout with addresses of {index_bits} bits, in address space {space}"));
        }
        let stateful = self.pointers.iter().find(|(_, pointer)| pointer.has_external_state);
        if let Some((space, _)) = stateful {
            return Some(format!(
                "data layout with pointers that have state outside of memory, in address space {space}"
            ));
        }
        let ints = [8, 16, 32, 64].map(|bits| (bits, self.int(bits), "integers"));
        let floats = [16, 32, 64].map(|bits| (bits, self.float(bits), "floats"));
        let mut scalars = ints.into_iter().chain(floats);
        let (bits, .., what) = scalars.find(|&(bits, align, _)| align.abi > u64::from(bits / 8))?;
        Some(format!("data layout with gaps between {what} of {bits} bits"))
    }
}

/// A data layout string that LLVM does not accept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MalformedLayout(String);

impl fmt::Display for MalformedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed specification {:?} in the data layout", self.0)
    }
}

impl std::error::Error for MalformedLayout {}

fn is_one_of(text: &str, letters: &str) -> bool {
    text.len() == 1 && letters.contains(text)
}

/// Decimal digits.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

fn address_space(text: &str) -> Option<u32> {
    number(text).filter(|&space| space < 1 << 24)
}

fn size(text: &str) -> Option<u32> {
    number(text).filter(|&bits| bits != 0 && bits < 1 << 24)
}

/// An alignment in bits, as bytes.
fn alignment(text: &str) -> Option<u64> {
    let bits = number(text).filter(|&bits| bits < 1 << 16 && bits % 8 == 0)?;
    (bits / 8).is_power_of_two().then_some(u64::from(bits / 8))
}

/// `<abi>[:<pref>]`
fn alignments(fields: &[&str]) -> Option<Alignment> {
    let (abi, preferred) = match *fields {
        [abi] => (alignment(abi)?, alignment(abi)?),
        [abi, preferred] => (alignment(abi)?, alignment(preferred)?),
        _ => return None,
    };
    (preferred >= abi).then_some(Alignment { abi, preferred })
}

fn replace<V>(table: &mut Vec<(u32, V)>, key: u32, value: V) {
    match table.binary_search_by_key(&key, |&(key, _)| key) {
        Ok(at) => table[at].1 = value,
        Err(at) => table.insert(at, (key, value)),
    }
}
