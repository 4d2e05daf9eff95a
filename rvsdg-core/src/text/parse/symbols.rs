//! Symbols.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::lexer::TokenKind;
use super::{Item, ItemKind, Parse, Parser};
use crate::attribute::AttributeList;
use crate::module::{
    DllStorage, Linkage, Module, Symbol, SymbolData, SymbolKind, SymbolicConst, ThreadLocal, UnnamedAddr, Visibility,
};
use crate::text::spell;
use crate::{Const, Type, TypeKind};

/// Symbols by their names in the text.
#[derive(Default)]
pub(super) struct SymbolNames<'s> {
    named: FxHashMap<Cow<'s, str>, u32>,
    unnamed: u32,
    unnamed_index: FxHashMap<u32, u32>,
    /// By position in the module's order.
    pub(super) symbols: Vec<Symbol>,
    /// The types of the symbols' addresses.
    pub(super) addresses: Vec<Type>,
}

impl<'s> Parser<'s> {
    /// Gives each symbol its name, then reads them all.
    pub(super) fn symbols(&mut self, module: &mut Module, items: &[Item]) -> Parse<()> {
        let items = || items.iter().filter(|item| item.kind == ItemKind::Symbol);
        for item in items() {
            self.seek(item.start);
            let token = self.token;
            let index = self.symbols.symbols.len() as u32;
            let name = match unnamed(token.text) {
                Some(number) => {
                    if number != Some(self.symbols.unnamed) {
                        return Err(
                            self.meaning(format!("the next symbol without a name is @{}", self.symbols.unnamed))
                        );
                    }
                    self.symbols.unnamed_index.insert(self.symbols.unnamed, index);
                    self.symbols.unnamed += 1;
                    "".into()
                }
                None => {
                    let name = self.sigil_name()?;
                    if self.symbols.named.insert(name.clone(), index).is_some() {
                        return Err(self.meaning_at(token.start, format!("the symbol {} is defined twice", token.text)));
                    }
                    name.into()
                }
            };
            let symbol = module.add_symbol(self.blank_symbol(name));
            self.symbols.symbols.push(symbol);
        }
        for (index, item) in items().enumerate() {
            self.seek(item.start);
            self.advance();
            self.require("=")?;
            let symbol = self.symbols.symbols[index];
            self.symbol(&mut module.symbols[symbol])?;
            let address = TypeKind::Ptr(module.symbols[symbol].address_space);
            let address = self.pool.intern_type(address);
            self.symbols.addresses.push(address);
        }
        Ok(())
    }

    fn blank_symbol(&self, name: Box<str>) -> SymbolData {
        SymbolData {
            name,
            value_type: Type::VOID,
            address_space: 0,
            linkage: Linkage::External,
            visibility: Visibility::Default,
            dll_storage: DllStorage::Default,
            thread_local: ThreadLocal::None,
            unnamed_addr: UnnamedAddr::None,
            dso_local: false,
            section: None,
            partition: None,
            comdat: None,
            align: None,
            kind: SymbolKind::Function {
                convention: 0,
                attributes: self.pool.intern_attributes(AttributeList::default()),
                gc: None,
                personality: None,
                prefix: None,
                prologue: None,
            },
        }
    }

    /// Passes a symbol's name; its position.
    pub(super) fn symbol_index(&mut self) -> Parse<u32> {
        let token = self.token;
        if token.kind != TokenKind::Global {
            return Err(self.expected("the name of a symbol"));
        }
        let found = match unnamed(token.text) {
            Some(number) => {
                self.advance();
                number.and_then(|number| self.symbols.unnamed_index.get(&number).copied())
            }
            None => {
                let name = self.sigil_name()?;
                self.symbols.named.get(&name).copied()
            }
        };
        found.ok_or_else(|| self.meaning_at(token.start, format!("the symbol {} is not defined", token.text)))
    }

    /// What follows `@name =`.
    fn symbol(&mut self, data: &mut SymbolData) -> Parse<()> {
        let (mut externally_initialized, mut unescaped, mut owner) = (false, false, false);
        let kind = loop {
            if let Some(linkage) = self.keyword(Linkage::ALL, Linkage::text) {
                data.linkage = linkage;
            } else if let Some(visibility) = self.keyword(Visibility::ALL, Visibility::text) {
                data.visibility = visibility;
            } else if let Some(class) = self.keyword(DllStorage::ALL, DllStorage::text) {
                data.dll_storage = class;
            } else if let Some(unnamed) = self.keyword(UnnamedAddr::ALL, UnnamedAddr::text) {
                data.unnamed_addr = unnamed;
            } else if self.eat("thread_local") {
                data.thread_local = self.thread_local()?;
            } else if self.eat("dso_local") {
                data.dso_local = true;
            } else if self.eat("externally_initialized") {
                externally_initialized = true;
            } else if self.eat("unescaped") {
                unescaped = true;
            } else if self.eat("owner") {
                owner = true;
            } else if self.is("addrspace") {
                data.address_space = self.address_space()?;
            } else if let Some(kind) = self.one_of(&["function", "global", "constant", "alias", "ifunc"]) {
                break kind;
            } else {
                return Err(self.expected("a keyword of a symbol, or its kind"));
            }
        };
        if externally_initialized && !matches!(kind, "global" | "constant") {
            return Err(self.meaning("only a variable is externally initialized".into()));
        }
        if unescaped && !matches!(kind, "global" | "constant") {
            return Err(self.meaning("only a variable is unescaped".into()));
        }
        if owner && !matches!(kind, "global" | "constant") {
            return Err(self.meaning("only a variable is an owner".into()));
        }
        data.value_type = self.ty()?;
        data.kind = match kind {
            "function" => self.blank_symbol("".into()).kind,
            "alias" => SymbolKind::Alias { aliasee: self.typed_const()? },
            "ifunc" => SymbolKind::IFunc { resolver: self.typed_const()? },
            _ => SymbolKind::Variable {
                constant: kind == "constant",
                externally_initialized,
                unescaped,
                owner,
                initializer: self.initializer(data.value_type)?,
                attributes: self.pool.intern_attributes(AttributeList::default()),
                code_model: None,
                sanitizer: [].into(),
            },
        };
        while self.eat(",") {
            self.symbol_clause(data)?;
        }
        if !self.token.first_on_line && self.token.kind != TokenKind::End {
            return Err(self.expected("`,` or the end of the line"));
        }
        Ok(())
    }

    /// Passes a keyword of a kind; those that are defaults have none.
    fn keyword<K: Copy>(&mut self, all: &[K], text: impl Fn(K) -> &'static str) -> Option<K> {
        let found = all.iter().copied().find(|&one| !text(one).is_empty() && self.is(text(one)))?;
        self.advance();
        Some(found)
    }

    fn thread_local(&mut self) -> Parse<ThreadLocal> {
        if !self.eat("(") {
            return Ok(ThreadLocal::GeneralDynamic);
        }
        let model = self.advance().text;
        let spelling = format!("thread_local({model})");
        match ThreadLocal::ALL.iter().find(|known| known.text() == spelling) {
            Some(&known) => {
                self.require(")")?;
                Ok(known)
            }
            None => Err(self.meaning(format!("`{model}` is not a model of thread-local storage"))),
        }
    }

    /// A variable's initializer, if one follows on the line.
    fn initializer(&mut self, ty: Type) -> Parse<Option<Const>> {
        let none = self.token.first_on_line || self.is(",") || self.token.kind == TokenKind::End;
        if none { Ok(None) } else { self.const_value(ty).map(Some) }
    }

    fn symbol_clause(&mut self, data: &mut SymbolData) -> Parse<()> {
        let token = self.token;
        match (token.text, &mut data.kind) {
            ("section", _) => data.section = Some(self.text_clause()?),
            ("partition", _) => data.partition = Some(self.text_clause()?),
            ("comdat", _) => {
                self.advance();
                if self.token.kind != TokenKind::Comdat {
                    return Err(self.expected("`$` and the name of a comdat"));
                }
                data.comdat = Some(self.sigil_name()?.into());
            }
            ("align", _) => {
                self.advance();
                data.align = Some(self.number(u64::MAX)?);
            }
            ("cc", SymbolKind::Function { convention, .. }) => {
                self.advance();
                *convention = self.u32()?;
            }
            ("gc", SymbolKind::Function { gc, .. }) => *gc = Some(self.text_clause()?),
            ("personality", SymbolKind::Function { personality, .. }) => *personality = Some(self.symbolic()?),
            ("prefix", SymbolKind::Function { prefix, .. }) => *prefix = Some(self.symbolic()?),
            ("prologue", SymbolKind::Function { prologue, .. }) => *prologue = Some(self.symbolic()?),
            ("code_model", SymbolKind::Variable { code_model, .. }) => *code_model = Some(self.text_clause()?),
            (_, SymbolKind::Function { attributes, .. } | SymbolKind::Variable { attributes, .. })
                if token.kind == TokenKind::Group =>
            {
                *attributes = self.attribute_reference()?;
            }
            (_, SymbolKind::Variable { sanitizer, .. }) => match self.one_of(spell::SANITIZERS) {
                Some(word) => *sanitizer = sanitizer.iter().copied().chain([word]).collect(),
                None => return Err(self.expected("a property of a variable")),
            },
            (_, SymbolKind::Function { .. }) => return Err(self.expected("a property of a function")),
            (_, SymbolKind::Alias { .. } | SymbolKind::IFunc { .. }) => {
                return Err(self.expected("a property of an alias or ifunc"));
            }
        }
        Ok(())
    }

    /// A word, then a string.
    fn text_clause(&mut self) -> Parse<Box<str>> {
        self.advance();
        Ok(self.string()?.into())
    }

    /// A word, then a constant with the symbols that fill its holes.
    fn symbolic(&mut self) -> Parse<SymbolicConst> {
        self.advance();
        let constant = self.typed_const()?;
        let mut symbols = Vec::new();
        if self.is("[") {
            self.list("[", "]", |parser| {
                let index = parser.symbol_index()?;
                symbols.push(parser.symbols.symbols[index as usize]);
                Ok(())
            })?;
        }
        Ok(SymbolicConst { constant, symbols })
    }
}

/// The number of an entity without a name, `None` inside when it is too great; `None` for a name.
fn unnamed(text: &str) -> Option<Option<u32>> {
    let digits = &text[1..];
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())
}
