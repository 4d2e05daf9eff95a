//! Sources that stand for instructions of one body as they are inlined into another.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::SourceId;

/// The first number of a source that stands for an inlined instruction.
const FIRST: u32 = 1 << 31;

/// The sources of a graph that stand for inlined instructions. Each is an instruction and the call at which it is inlined,
/// and both may stand for inlined instructions again.
#[derive(Clone, Default)]
pub struct Sources {
    inlined: Vec<(SourceId, SourceId)>,
    numbers: FxHashMap<(SourceId, SourceId), u32>,
}

impl Sources {
    /// The source that stands for `original` inlined at `call`.
    pub(super) fn inlined(&mut self, original: SourceId, call: SourceId) -> SourceId {
        let next = self.inlined.len() as u32;
        let number = *self.numbers.entry((original, call)).or_insert(next);
        if number == next {
            self.inlined.push((original, call));
        }
        SourceId::from_u32(FIRST + number)
    }

    /// The instruction that a source stands for and the call it is inlined at; `None` for the importer's own.
    pub fn parts(&self, source: SourceId) -> Option<(SourceId, SourceId)> {
        self.inlined.get(source.as_u32().checked_sub(FIRST)? as usize).copied()
    }

    /// The importer's source of a source, and the calls it is inlined at, from the innermost.
    pub fn resolve(&self, source: SourceId) -> (SourceId, SmallVec<[SourceId; 2]>) {
        let mut calls = SmallVec::new();
        let mut at = source;
        // Calls still to be added, the innermost last.
        let mut outer: SmallVec<[SourceId; 4]> = SmallVec::new();
        let mut root = None;
        loop {
            while let Some((original, call)) = self.parts(at) {
                outer.push(call);
                at = original;
            }
            match root {
                None => root = Some(at),
                Some(_) => calls.push(at),
            }
            match outer.pop() {
                Some(call) => at = call,
                None => return (root.unwrap_or(source), calls),
            }
        }
    }

    /// The importer's source at which a source is in the body itself: the outermost call it is inlined at, or itself.
    pub fn outermost(&self, mut source: SourceId) -> SourceId {
        while let Some((_, call)) = self.parts(source) {
            source = call;
        }
        source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_of_calls_are_flattened() {
        let id = SourceId::from_u32;
        let mut sources = Sources::default();
        // 1 is inlined at 2, and that at 3; the result at 4, which is inlined at 5.
        let inner = sources.inlined(id(1), id(2));
        let middle = sources.inlined(inner, id(3));
        let call = sources.inlined(id(4), id(5));
        let all = sources.inlined(middle, call);
        let (root, calls) = sources.resolve(all);
        assert_eq!((root, calls.as_slice()), (id(1), &[id(2), id(3), id(4), id(5)][..]));
        assert_eq!(sources.outermost(all), id(5));
        assert_eq!(sources.inlined(middle, call), all);
        assert_eq!(sources.resolve(id(7)).0, id(7));
        assert_eq!(sources.parts(id(7)), None);
    }
}
