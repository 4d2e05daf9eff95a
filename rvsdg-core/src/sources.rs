//! The numbers of original instructions, beyond those that were read: each call that is inlined gets numbers of its own for
//! copies of the callee's instructions.
//!
//! A body's instructions are numbered in extents: first those that were read, then, in order, those that were inlined. The instructions
//! read of one function stay together, and a callee's copy in a caller has an extent for each of the callee's extents that is copied.
//! Extents that were inlined into the callee and are unused there are not copied. Export can make the copies in the order of
//! [`Sources::inlined`], each from existing originals, before any body is changed.

use rustc_hash::FxHashMap;

use crate::graph::SourceId;
use crate::module::Body;

/// Instructions with consecutive numbers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The number of the first.
    pub first: u32,
    /// How many there are.
    pub count: u32,
}

impl Extent {
    /// Whether a number is one of these.
    pub fn contains(self, source: SourceId) -> bool {
        source.as_u32().checked_sub(self.first).is_some_and(|offset| offset < self.count)
    }
}

/// A call that was replaced by its callee's body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlinedCall {
    /// The body the call was in.
    pub caller: Body,
    /// The call.
    pub call: SourceId,
    /// The body that was called.
    pub callee: Body,
    /// What is copied of the body that was called, in order.
    pub originals: Box<[Extent]>,
    /// The numbers of the copies.
    pub copies: Extent,
    /// The parameters, by position, that were replaced in the callee's body.
    pub changed: Box<[u32]>,
}

/// The extents of all bodies. Empty for a module that was not read from something with instructions.
#[derive(Clone, Default, Debug)]
pub struct Sources {
    next: u32,
    extents: FxHashMap<Body, Vec<Extent>>,
    /// By body and extent: the call that the extent replaces, `None` for instructions that were read.
    calls: FxHashMap<Body, Vec<Option<SourceId>>>,
    inlined: Vec<InlinedCall>,
}

/// What numbers of a callee's instructions have become in the caller.
#[derive(Clone, Default, Debug)]
pub struct SourceMap {
    /// Extents of the callee in order of their numbers, and the first number of the copies of each.
    moved: Vec<(Extent, u32)>,
    copies: Option<(Extent, SourceId)>,
}

impl Sources {
    /// Declares the numbers of a body's instructions. Larger numbers are free.
    pub fn add_body(&mut self, body: Body, extent: Extent) {
        self.next = self.next.max(extent.first.saturating_add(extent.count));
        self.extents.entry(body).or_default().push(extent);
        self.calls.entry(body).or_default().push(None);
    }

    /// Which extents of a body contain one of some numbers, which are sorted, and those that contain their calls; instructions that were
    /// read always count.
    pub fn needed(&self, body: Body, numbers: &[SourceId]) -> Box<[bool]> {
        let (extents, calls) = (self.extents(body), self.calls.get(&body).map_or(&[][..], Vec::as_slice));
        let mut needed: Box<[bool]> = calls.iter().map(Option::is_none).collect();
        // An extent's call is in one before it.
        for (index, (extent, call)) in extents.iter().zip(calls).enumerate().rev() {
            let first = numbers.partition_point(|number| number.as_u32() < extent.first);
            needed[index] |= numbers.get(first).is_some_and(|&number| extent.contains(number));
            if let Some(call) = call.filter(|_| needed[index]) {
                let outer = extents[..index].iter().rposition(|outer| outer.contains(call));
                outer.into_iter().for_each(|outer| needed[outer] = true);
            }
        }
        needed
    }

    /// The extents of a body, in order.
    pub fn extents(&self, body: Body) -> &[Extent] {
        self.extents.get(&body).map_or(&[], Vec::as_slice)
    }

    /// Numbers the copies in `caller` of those extents of `callee` that are needed; `None` if no numbers are left. Extents without an
    /// entry are needed. The `changed` parameters were replaced in `callee`.
    pub fn inline(
        &mut self,
        caller: Body,
        call: SourceId,
        callee: Body,
        needed: &[bool],
        changed: Box<[u32]>,
    ) -> Option<SourceMap> {
        let mut at = self.next;
        let (mut moved, mut calls) = (Vec::new(), Vec::new());
        let inner = self.calls.get(&callee).map_or(&[][..], Vec::as_slice);
        for (index, (&extent, &inner)) in self.extents(callee).iter().zip(inner).enumerate() {
            if needed.get(index) != Some(&false) {
                moved.push((extent, at));
                calls.push(inner);
                at = at.checked_add(extent.count).filter(|&end| end < u32::MAX / 2)?;
            }
        }
        let copies = Extent { first: self.next, count: at - self.next };
        self.next = at;
        let pieces: Vec<Extent> = moved.iter().map(|&(extent, first)| Extent { first, ..extent }).collect();
        let originals = moved.iter().map(|&(extent, _)| extent).collect();
        moved.sort_unstable_by_key(|(extent, _)| extent.first);
        let map = SourceMap { moved, copies: Some((copies, call)) };
        let calls = calls.into_iter().map(|inner| Some(inner.and_then(|inner| map.get(inner)).unwrap_or(call)));
        self.calls.entry(caller).or_default().extend(calls);
        self.extents.entry(caller).or_default().extend(pieces);
        self.inlined.push(InlinedCall { caller, call, callee, originals, copies, changed });
        Some(map)
    }

    /// The instruction that was read and that a number is a copy of, through all calls that were inlined.
    pub fn original(&self, source: SourceId) -> SourceId {
        let mut number = source.as_u32();
        loop {
            let after = self.inlined.partition_point(|site| site.copies.first <= number);
            let site = self.inlined[..after].last().filter(|site| site.copies.contains(SourceId::from_u32(number)));
            let Some(site) = site else { return SourceId::from_u32(number) };
            let mut offset = number - site.copies.first;
            for extent in &site.originals {
                if offset < extent.count {
                    number = extent.first + offset;
                    break;
                }
                offset -= extent.count;
            }
        }
    }

    /// The calls that were inlined, in order.
    pub fn inlined(&self) -> &[InlinedCall] {
        &self.inlined
    }
}

impl SourceMap {
    /// The numbers of all copies, and the call.
    pub fn copies(&self) -> Option<(Extent, SourceId)> {
        self.copies
    }

    /// The number of the copy of an instruction; `None` for one that was not copied.
    pub fn get(&self, source: SourceId) -> Option<SourceId> {
        let number = source.as_u32();
        let after = self.moved.partition_point(|(extent, _)| extent.first <= number);
        let (extent, first) = self.moved[..after].last()?;
        let offset = number - extent.first;
        (offset < extent.count).then(|| SourceId::from_u32(first + offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_copies_have_numbers_of_their_own() {
        let mut bodies: slotmap::SlotMap<Body, ()> = slotmap::SlotMap::with_key();
        let [f, g, h] = [(); 3].map(|()| bodies.insert(()));
        let mut sources = Sources::default();
        for (index, body) in [f, g, h].into_iter().enumerate() {
            sources.add_body(body, Extent { first: 10 * index as u32, count: 10 });
        }
        let number = SourceId::from_u32;
        let into_g = sources.inline(g, number(12), h, &[], Box::default()).unwrap();
        assert_eq!(into_g.get(number(25)), Some(number(35)));
        assert_eq!(into_g.get(number(5)), None);
        let into_f = sources.inline(f, number(3), g, &[], Box::default()).unwrap();
        assert_eq!(into_f.get(number(11)), Some(number(41)));
        assert_eq!(into_f.get(number(35)), Some(number(55)));
        assert_eq!(into_f.get(number(40)), None);
        assert_eq!(sources.original(number(55)), number(25));
        assert_eq!(sources.original(number(41)), number(11));
        assert_eq!(sources.original(number(7)), number(7));
        assert_eq!(sources.extents(f), [(0, 10), (40, 10), (50, 10)].map(|(first, count)| Extent { first, count }));
        assert_eq!(sources.inlined().len(), 2);
    }

    #[test]
    fn what_is_gone_from_a_callee_is_not_copied() {
        let mut bodies: slotmap::SlotMap<Body, ()> = slotmap::SlotMap::with_key();
        let [f, g, h, k] = [(); 4].map(|()| bodies.insert(()));
        let mut sources = Sources::default();
        for (index, body) in [f, g, h, k].into_iter().enumerate() {
            sources.add_body(body, Extent { first: 10 * index as u32, count: 10 });
        }
        let number = SourceId::from_u32;
        // Two calls of `h` in `g`, the first of which calls `k`.
        sources.inline(h, number(21), k, &[], Box::default()).unwrap();
        sources.inline(g, number(11), h, &[], Box::default()).unwrap();
        sources.inline(g, number(12), h, &[], Box::default()).unwrap();
        let firsts = |sources: &Sources, body| sources.extents(body).iter().map(|it| it.first).collect::<Vec<_>>();
        assert_eq!(firsts(&sources, g), [10, 50, 60, 70, 80]);
        // What is left of the second is of `k`, so what was read of `h` is needed to say where that is.
        let needed = sources.needed(g, &[number(15), number(85)]);
        assert_eq!(*needed, [true, false, false, true, true]);
        let map = sources.inline(f, number(1), g, &needed, Box::default()).unwrap();
        assert_eq!(map.get(number(85)), Some(number(115)));
        assert_eq!(map.get(number(55)), None);
        assert_eq!(sources.original(number(115)), number(35));
        assert_eq!(firsts(&sources, f), [0, 90, 100, 110]);
        assert_eq!(*sources.needed(f, &[number(115)]), [true, true, true, true]);
        assert_eq!(*sources.needed(f, &[]), [true, false, false, false]);
    }
}
