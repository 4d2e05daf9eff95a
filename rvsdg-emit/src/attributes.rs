//! Attributes: in place for results and parameters, numbered groups for functions and calls.

use std::fmt::Write;

use rvsdg_core::attribute::{Attribute, AttributeKind, Attributes};

use crate::emitter::Emitter;
use crate::error::Result;

impl Emitter<'_> {
    /// Writes attributes in place, each with a space before it.
    pub(crate) fn attributes(&mut self, list: &[Attribute]) -> Result {
        for attribute in list {
            self.out.push(' ');
            self.attribute(attribute)?;
        }
        Ok(())
    }

    /// Writes an attribute in place.
    pub(crate) fn attribute(&mut self, attribute: &Attribute) -> Result {
        _ = write!(self.out, "{attribute}");
        self.attribute_type(attribute)
    }

    /// Writes the group number of a list's function part, with a space before it; nothing when that is empty.
    pub(crate) fn attribute_group(&mut self, attributes: Attributes) -> Result {
        let group = match self.group_of.get(&attributes) {
            Some(&group) => group,
            None => {
                let group = self.new_group(attributes)?;
                self.group_of.insert(attributes, group);
                group
            }
        };
        if let Some(group) = group {
            self.out.push_str(" #");
            self.number(group);
        }
        Ok(())
    }

    fn new_group(&mut self, attributes: Attributes) -> Result<Option<u32>> {
        let pool = self.pool;
        let list = &pool.attributes(attributes).function;
        if list.is_empty() {
            return Ok(None);
        }
        let start = self.out.len();
        for attribute in list {
            self.out.push(' ');
            // Two attributes are spelled differently in a group.
            _ = match attribute {
                Attribute::Bytes(kind @ (AttributeKind::Align | AttributeKind::AlignStack), bytes) => {
                    write!(self.out, "{}={bytes}", kind.name())
                }
                _ => write!(self.out, "{attribute}"),
            };
            self.attribute_type(attribute)?;
        }
        let text = self.out.split_off(start);
        if let Some(&group) = self.group_numbers.get(&text) {
            return Ok(Some(group));
        }
        let group = self.groups.len() as u32;
        self.groups.push(text.clone());
        self.group_numbers.insert(text, group);
        Ok(Some(group))
    }

    fn attribute_type(&mut self, attribute: &Attribute) -> Result {
        if let Some(ty) = attribute.ty() {
            self.out.push('(');
            self.ty(ty)?;
            self.out.push(')');
        }
        Ok(())
    }

    /// Writes the definitions of all groups.
    pub(crate) fn attribute_groups(&mut self) {
        for (number, text) in std::mem::take(&mut self.groups).iter().enumerate() {
            self.out.push_str("attributes #");
            self.number(number);
            self.out.push_str(" = {");
            self.out.push_str(text);
            self.out.push_str(" }\n");
        }
    }
}
