//! Attribute lists.

use super::lexer::TokenKind;
use super::{Parse, Parser};
use crate::attribute::{Attribute, AttributeList, Attributes};
use crate::text::spell::{RAW_ATTRIBUTE, attribute_len};

const LIST: &str = "an attribute list";

impl Parser<'_> {
    /// `attributes #7 = function { … } result { … } params ({ … }, …)`
    pub(super) fn attribute_definition(&mut self) -> Parse<()> {
        self.require("attributes")?;
        let token = self.token;
        let number = self.group_number(LIST)?;
        self.require("=")?;
        let mut list = AttributeList::default();
        if self.eat("function") {
            list.function = self.attribute_set()?;
        }
        if self.eat("result") {
            list.result = self.attribute_set()?;
        }
        if self.eat("params") {
            let mut params = Vec::new();
            self.list("(", ")", |parser| {
                params.push(parser.attribute_set()?);
                Ok(())
            })?;
            list.params = params.into();
        }
        let attributes = self.pool.intern_attributes(list);
        if self.attributes.insert(number, attributes).is_some() {
            return Err(self.meaning_at(token.start, format!("attributes {} are defined twice", token.text)));
        }
        Ok(())
    }

    /// `#` and the number of the group.
    pub(super) fn group_number(&mut self, what: &str) -> Parse<u32> {
        let token = self.token;
        if token.kind != TokenKind::Group {
            return Err(self.expected(format!("`#` and the number of {what}")));
        }
        self.advance();
        let number = token.text[1..].parse();
        number.map_err(|_| self.meaning_at(token.start, format!("{} is not a number of {what}", token.text)))
    }

    /// A reference to an attribute list when one is next, else the empty list.
    pub(super) fn attribute_reference(&mut self) -> Parse<Attributes> {
        let token = self.token;
        if token.kind != TokenKind::Group {
            return Ok(self.pool.intern_attributes(AttributeList::default()));
        }
        let number = self.group_number(LIST)?;
        match self.attributes.get(&number) {
            Some(&attributes) => Ok(attributes),
            None => Err(self.meaning_at(token.start, format!("attributes {} are not defined", token.text))),
        }
    }

    fn attribute_set(&mut self) -> Parse<Box<[Attribute]>> {
        let mut set = Vec::new();
        self.list("{", "}", |parser| {
            let text = parser.attribute_text()?;
            let ty = if parser.eat(":") { Some(parser.ty()?) } else { None };
            set.push(Attribute::new(&text, ty));
            Ok(())
        })?;
        Ok(set.into())
    }

    fn attribute_text(&mut self) -> Parse<Box<str>> {
        let start = self.token.start;
        let rest = &self.source[start..];
        if self.eat(RAW_ATTRIBUTE) && self.token.kind == TokenKind::String {
            return Ok(self.string()?.into());
        }
        let text = attribute_len(rest).map(|len| rest[..len].trim_end());
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            self.seek(start);
            return Err(self.expected("an attribute"));
        };
        self.seek(start + text.len());
        Ok(text.into())
    }
}
