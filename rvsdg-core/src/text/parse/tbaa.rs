//! Types of the source language, and tags of accesses.

use super::{Parse, Parser};
use crate::tbaa::{AccessTag, TagDescriptor, TypeDescriptor, TypeNode};

const TYPE: &str = "a type of the source language";

impl Parser<'_> {
    /// `tbaa #2 = "S" (#1 at 0, #0 at 8)`, where the members are defined before.
    pub(super) fn type_node_definition(&mut self) -> Parse<()> {
        self.require("tbaa")?;
        let token = self.token;
        let number = self.group_number(TYPE)?;
        self.require("=")?;
        let name = self.string()?.into();
        let mut members = Vec::new();
        self.list("(", ")", |parser| {
            let member = parser.type_node()?;
            members.push((member, parser.offset()?));
            Ok(())
        })?;
        if !members.is_sorted_by_key(|&(_, offset)| offset) {
            return Err(self.meaning_at(token.start, "members are in the order of their offsets".into()));
        }
        let node = self.pool.intern_type_node(TypeDescriptor { name, members: members.into() });
        if self.type_nodes.insert(number, node).is_some() {
            return Err(self.meaning_at(token.start, format!("tbaa {} is defined twice", token.text)));
        }
        Ok(())
    }

    /// `#1 in #2 at 8`, or `#1` alone.
    pub(super) fn tag(&mut self) -> Parse<Option<AccessTag>> {
        let access = self.type_node()?;
        let mut tag = TagDescriptor::scalar(access);
        if self.eat("in") {
            tag.base = self.type_node()?;
            tag.offset = self.offset()?;
        }
        Ok(self.pool.intern_tag(tag))
    }

    fn offset(&mut self) -> Parse<u64> {
        self.require("at")?;
        self.number(u64::MAX)
    }

    fn type_node(&mut self) -> Parse<TypeNode> {
        let token = self.token;
        let number = self.group_number(TYPE)?;
        let known = self.type_nodes.get(&number).copied();
        known.ok_or_else(|| self.meaning_at(token.start, format!("tbaa {} is not defined before", token.text)))
    }
}
