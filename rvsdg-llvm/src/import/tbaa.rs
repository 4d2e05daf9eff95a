//! Tags of loads and stores for type-based alias analysis, and the types they speak of.

use rustc_hash::FxHashMap;
use rvsdg_core::tbaa::{AccessTag, TagDescriptor, TypeDescriptor, TypeNode};

use super::Tables;
use crate::carrier::NONE;

/// The types read so far, by the shim's numbers; `None` for those that are not understood.
#[derive(Default)]
pub(super) struct Tags {
    tags: FxHashMap<u32, Option<AccessTag>>,
    /// Types that are being read are not understood until they are: one that consists of itself never is.
    types: FxHashMap<u32, Option<TypeNode>>,
}

/// A type that is being read.
struct Open {
    number: u32,
    /// Name, then number and offset of each member.
    words: Vec<u32>,
    members: Vec<(TypeNode, u64)>,
}

impl Tables {
    /// The tag with a number.
    pub(super) fn tag(&mut self, number: u32) -> Option<AccessTag> {
        if number == NONE {
            return None;
        }
        if let Some(&known) = self.tags.tags.get(&number) {
            return known;
        }
        let mut words = Vec::new();
        self.carrier.describe_tag(number, &mut words);
        let tag = match words[..] {
            [base, access, low, high] => self.type_node(base).zip(self.type_node(access)).and_then(|(base, access)| {
                let offset = wide(low, high);
                self.pool.intern_tag(TagDescriptor { base, access, offset })
            }),
            _ => None,
        };
        self.tags.tags.insert(number, tag);
        tag
    }

    /// The type with a number, if it and all that it leads to is understood.
    fn type_node(&mut self, number: u32) -> Option<TypeNode> {
        let mut open: Vec<Open> = Vec::new();
        let mut next = number;
        loop {
            // The result for the type that was requested last.
            let node = match self.tags.types.get(&next) {
                Some(&known) => known,
                None => {
                    self.tags.types.insert(next, None);
                    let mut words = Vec::new();
                    self.carrier.describe_tbaa_type(next, &mut words);
                    if words.is_empty() {
                        None
                    } else if let Some(&member) = words.get(1) {
                        open.push(Open { number: next, words, members: Vec::new() });
                        next = member;
                        continue;
                    } else {
                        Some(self.add_type(next, words[0], Vec::new()))
                    }
                }
            };
            let Some(outer) = open.last_mut() else { return node };
            let member = &outer.words[1 + 3 * outer.members.len()..];
            // One member that is not understood is enough.
            let Some(node) = node else {
                next = outer.number;
                open.pop();
                continue;
            };
            outer.members.push((node, wide(member[1], member[2])));
            if let Some(&member) = member.get(3) {
                next = member;
            } else if let Some(Open { number, words, members }) = open.pop() {
                self.add_type(number, words[0], members);
                next = number;
            }
        }
    }

    fn add_type(&mut self, number: u32, name: u32, members: Vec<(TypeNode, u64)>) -> TypeNode {
        let name = self.text(name);
        let node = self.pool.intern_type_node(TypeDescriptor { name, members: members.into() });
        self.tags.types.insert(number, Some(node));
        node
    }
}

fn wide(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
