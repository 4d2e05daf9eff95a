//! Function bodies as the shim streams them (`shim/reader.cpp`).

use rvsdg_core::hints::{Hint, LoopHints, LoopRole};

use crate::carrier::{Carrier, NONE};
use crate::opcode::Opcode;

/// An operand in a stream.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Operand {
    /// Parameter (first) or instruction of the function, by number.
    Local(u32),
    /// A constant by number.
    Constant(u32),
    /// A block by number.
    Block,
    /// The metadata of a parameter or instruction, by number.
    Metadata(u32),
    /// Nothing this crate can express.
    Unsupported,
}

impl Operand {
    fn decode(word: u32) -> Operand {
        match word & 3 {
            0 => Operand::Local(word >> 2),
            1 => Operand::Constant(word >> 2),
            2 => Operand::Block,
            _ if word != NONE => Operand::Metadata(word >> 2),
            _ => Operand::Unsupported,
        }
    }
}

/// An instruction in a stream.
#[derive(Copy, Clone)]
pub(crate) struct Record<'a> {
    /// What it is.
    pub opcode: Opcode,
    /// LLVM's flag bits for the opcode.
    pub flags: u32,
    /// Whether the instruction's loop metadata promises progress.
    pub progress: bool,
    /// What it says about the loop, without the source.
    pub hints: LoopHints,
    /// The number of its type.
    pub ty: u32,
    operands: &'a [u32],
    /// What else the opcode needs.
    pub extra: &'a [u32],
}

impl Record<'_> {
    /// The operands.
    pub fn operands(&self) -> impl ExactSizeIterator<Item = Operand> + '_ {
        self.operands.iter().map(|&word| Operand::decode(word))
    }

    /// Operand number `index`.
    pub fn operand(&self, index: usize) -> Operand {
        Operand::decode(self.operands[index])
    }
}

/// What a word says about a loop; see `shim/loops.cpp`.
fn hint(word: u32) -> Hint {
    match word {
        0 => Hint::Unsaid,
        1 => Hint::Never,
        2 => Hint::Wanted,
        WHOLLY => Hint::Wholly,
        _ => Hint::times(word - WHOLLY),
    }
}

/// What words say about a loop.
fn hints([unroll, vectorize, role]: [u32; 3]) -> LoopHints {
    let role = ROLES[role as usize];
    LoopHints { source: None, unroll: hint(unroll), vectorize: hint(vectorize), role }
}

/// The words for what is said about a loop.
pub(crate) fn hint_words(hints: LoopHints) -> [u32; 3] {
    let role = ROLES.iter().position(|&role| role == hints.role).expect("all roles have words");
    [hint_word(hints.unroll), hint_word(hints.vectorize), role as u32]
}

/// The roles of loops, by their words; see `shim/loops.cpp`.
const ROLES: [LoopRole; 6] = [
    LoopRole::Plain,
    LoopRole::Main,
    LoopRole::Remainder,
    LoopRole::Overlapping,
    LoopRole::Version,
    LoopRole::Fallback,
];

/// The word for a hint. A factor for which there is none is the greatest that has one.
fn hint_word(hint: Hint) -> u32 {
    match hint {
        Hint::Unsaid => 0,
        Hint::Never => 1,
        Hint::Wanted => 2,
        Hint::Wholly => WHOLLY,
        Hint::Times(factor) => WHOLLY.saturating_add(factor),
    }
}

const WHOLLY: u32 = 3;

/// A body in a stream.
pub(crate) struct BodyStream {
    words: Vec<u32>,
    /// How many parameters the function has.
    pub params: u32,
    /// How many blocks.
    pub blocks: u32,
    /// How many instructions.
    pub insts: u32,
    /// The source number of the first instruction; the others follow.
    pub first_source: u32,
    /// Whether the address of a block is taken to which no indirect branch leads.
    pub address_kept: bool,
    /// Whether the function is described to a debugger.
    pub described: bool,
}

/// Reads a stream from its start.
pub(crate) struct Cursor<'a> {
    words: &'a [u32],
}

impl BodyStream {
    /// The body of a symbol; `None` when it has none. `words` is reused memory.
    pub fn read(carrier: &mut Carrier, symbol: u32, mut words: Vec<u32>) -> Result<BodyStream, Vec<u32>> {
        carrier.read_body(symbol, &mut words);
        match words[..] {
            [params, blocks, insts, first_source, kept, described, ..] => Ok(BodyStream {
                words,
                params,
                blocks,
                insts,
                first_source,
                address_kept: kept != 0,
                described: described != 0,
            }),
            _ => Err(words),
        }
    }

    /// Reads from the first block on.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor { words: &self.words[6..] }
    }

    /// The memory, for the next body.
    pub fn into_words(self) -> Vec<u32> {
        self.words
    }
}

impl<'a> Cursor<'a> {
    fn word(&mut self) -> u32 {
        let (&first, rest) = self.words.split_first().expect("a stream is as long as its counts say");
        self.words = rest;
        first
    }

    fn list(&mut self) -> &'a [u32] {
        let len = self.word() as usize;
        let (list, rest) = self.words.split_at(len);
        self.words = rest;
        list
    }

    /// Starts a block: its number of instructions, which follow.
    pub fn block(&mut self) -> u32 {
        self.word()
    }

    /// The next instruction.
    pub fn inst(&mut self) -> Record<'a> {
        let head = self.word();
        let ty = self.word();
        let is_hinted = head >> 17 & 1 != 0;
        let hints = if is_hinted { hints([self.word(), self.word(), self.word()]) } else { LoopHints::default() };
        let operands = self.list();
        let extra = self.list();
        let progress = head >> 16 & 1 != 0;
        Record { opcode: Opcode::of(head & 0xff), flags: head >> 8 & 0xff, progress, hints, ty, operands, extra }
    }
}

/// A list of answers to be read front to back.
pub(crate) struct Reader<'a> {
    words: &'a [u32],
}

impl<'a> Reader<'a> {
    /// Reads from the first word.
    pub fn new(words: &'a [u32]) -> Self {
        Reader { words }
    }

    /// The next word; [`NONE`] past the end.
    pub fn word(&mut self) -> u32 {
        match self.words.split_first() {
            Some((&first, rest)) => {
                self.words = rest;
                first
            }
            None => NONE,
        }
    }

    /// The next word unless it is [`NONE`].
    pub fn optional(&mut self) -> Option<u32> {
        Some(self.word()).filter(|&word| word != NONE)
    }

    /// The next two words as one number.
    pub fn wide(&mut self) -> u64 {
        let low = u64::from(self.word());
        low | u64::from(self.word()) << 32
    }

    /// All words left.
    pub fn rest(&mut self) -> &'a [u32] {
        std::mem::take(&mut self.words)
    }

    /// Whether no word is left.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text format knows factors that no word says.
    #[test]
    fn words_of_hints() {
        for said in [Hint::Unsaid, Hint::Never, Hint::Wanted, Hint::Wholly, Hint::times(2), Hint::times(1 << 30)] {
            assert_eq!(hint(hint_word(said)), said);
        }
        assert_eq!(hint(hint_word(Hint::times(u32::MAX))), Hint::times(u32::MAX - WHOLLY));
    }
}
