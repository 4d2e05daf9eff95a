//! The ω level.

use rustc_hash::FxHashMap;

use super::graph::{Body, Definition, NameAt, Target};
use super::lexer::TokenKind;
use super::{ItemKind, Parse, ParseError, Parser};
use crate::Type;
use crate::graph::{Node, NodeKind, Origin, Region};
use crate::module::{BodyData, Code, Header, Module};
use crate::text::names::Name;

/// Reads a module.
///
/// # Errors
/// Where the text is not the form of a module.
pub(in crate::text) fn module(source: &str) -> Result<Module, ParseError> {
    read(source).map_err(|error| *error)
}

fn read(source: &str) -> Parse<Module> {
    let mut module = Module::new(Header::default());
    let (mut parser, items) = Parser::new(source, module.pool.clone())?;
    for item in items.iter().filter(|item| item.kind == ItemKind::Type) {
        parser.seek(item.start);
        parser.ty()?;
    }
    parser.groups(&items)?;
    parser.symbols(&mut module, &items)?;
    let mut omega = Omega { origins: FxHashMap::default(), uses: Vec::new() };
    let mut end = 0;
    for item in items.iter().filter(|item| item.kind == ItemKind::Other) {
        // A λ or φ that is not closed where a line looks like an item was read to its end all the same.
        if item.start < end {
            continue;
        }
        parser.seek(item.start);
        parser.item(&mut module, &mut omega)?;
        parser.end_of_line()?;
        end = parser.token.start;
    }
    for (region, target, name) in omega.uses {
        let Some(&origin) = omega.origins.get(&(region, name.name)) else {
            return Err(parser.meaning_at(name.start, "this name is not defined in the region".into()));
        };
        match target {
            Target::Input(node) => module.omega.add_input(node, origin),
            Target::Result(region) => module.omega.add_result(region, origin),
        };
    }
    Ok(module)
}

/// Names and uses of the ω graph; a name belongs to one region.
struct Omega {
    origins: FxHashMap<(Region, Name), Origin>,
    uses: Vec<(Region, Target, NameAt)>,
}

impl Omega {
    fn input(&mut self, region: Region, node: Node, name: NameAt) {
        self.uses.push((region, Target::Input(node), name));
    }
}

/// A context variable: its name inside, and the origin outside unless that has the same name.
struct Context {
    inside: Definition,
    outside: Option<NameAt>,
}

impl Parser<'_> {
    /// An item of the header or of the root region.
    fn item(&mut self, module: &mut Module, omega: &mut Omega) -> Parse<()> {
        let root = module.omega.root();
        match (self.token.kind, self.token.text) {
            (TokenKind::Word, "module") => {
                self.advance();
                module.header.name = self.string()?;
            }
            (TokenKind::Word, "source_filename") => {
                self.advance();
                module.header.source_file = self.string()?;
            }
            (TokenKind::Word, "target") => {
                self.advance();
                match self.one_of(&["datalayout", "triple"]) {
                    Some("datalayout") => module.header.data_layout = self.string()?,
                    Some(_) => module.header.triple = self.string()?,
                    None => return Err(self.expected("`datalayout` or `triple`")),
                }
            }
            (TokenKind::Word, "asm") => {
                self.advance();
                let line = self.string()?;
                module.header.assembly.push(line);
            }
            (TokenKind::Word, "flag") => {
                self.advance();
                let behaviour = self.u32()?;
                let name = self.string()?.into();
                let value = self.string()?.into();
                module.header.flags.push((behaviour, name, value));
            }
            (TokenKind::Comdat, _) => {
                let name = self.sigil_name()?.into();
                self.require("=")?;
                self.require("comdat")?;
                let kind = self.string()?.into();
                module.header.comdats.push((name, kind));
            }
            (TokenKind::Word, "export") => {
                self.advance();
                let name = self.name()?;
                omega.uses.push((root, Target::Result(root), name));
            }
            _ => self.definitions(module, omega)?,
        }
        Ok(())
    }

    /// An import, δ, λ or φ of the root region, and everything in it.
    fn definitions(&mut self, module: &mut Module, omega: &mut Omega) -> Parse<()> {
        // The φ regions that are open, with the region around each.
        let mut open: Vec<Region> = Vec::new();
        loop {
            let region = open.last().copied().unwrap_or(module.omega.root());
            if !open.is_empty() && self.eat("yield") {
                if self.is_name() && !self.token.first_on_line {
                    loop {
                        let name = self.name()?;
                        omega.uses.push((region, Target::Result(region), name));
                        if !self.eat(",") {
                            break;
                        }
                    }
                }
                self.require("}")?;
                open.pop();
            } else {
                open.extend(self.omega_node(module, omega, region, open.is_empty())?);
            }
            if open.is_empty() {
                return Ok(());
            }
        }
    }

    /// A node of the ω graph or, in the root region, an import; the region of a φ, which follows.
    fn omega_node(
        &mut self,
        module: &mut Module,
        omega: &mut Omega,
        region: Region,
        imports: bool,
    ) -> Parse<Option<Region>> {
        let mut definitions: Vec<Definition> = Vec::new();
        if self.is_name() {
            loop {
                definitions.push(self.definition()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.require("=")?;
        }
        let keyword = self.token;
        match self.one_of(&["import", "delta", "lambda", "phi"]) {
            Some("import") if imports => {
                let named = self.definition()?;
                let index = self.symbol_position(named.name)?;
                let ty = self.symbols.addresses[index];
                let definition = match definitions[..] {
                    [] => named,
                    [definition] => definition,
                    _ => return Err(self.meaning_at(keyword.start, "an import defines one name".into())),
                };
                let ty = definition.ty.unwrap_or(ty);
                module.imports.push(self.symbols.symbols[index]);
                let argument = module.omega.add_argument(region, ty);
                self.define_omega(omega, region, definition.name, argument)?;
                Ok(None)
            }
            Some("delta") => {
                let start = self.token.start;
                let index = self.symbol_index()?;
                let kind = NodeKind::Delta(self.symbols.symbols[index as usize]);
                let node = self.definition_node(module, omega, region, kind, &definitions, (index, start))?;
                self.list("[", "]", |parser| {
                    let name = parser.name()?;
                    omega.input(region, node, name);
                    Ok(())
                })?;
                Ok(None)
            }
            Some("lambda") => {
                self.lambda(module, omega, region, &definitions)?;
                Ok(None)
            }
            Some("phi") => self.phi(module, omega, region, &definitions).map(Some),
            _ => {
                self.token = keyword;
                self.lexer = super::Lexer::at(self.source, keyword.start + keyword.text.len());
                Err(self.expected("`lambda`, `delta`, `phi`, `import` or another item of a module"))
            }
        }
    }

    fn symbol_position(&self, name: NameAt) -> Parse<usize> {
        match name.name {
            Name::Symbol(index) => Ok(index as usize),
            Name::None | Name::Value(_) | Name::Mem(_) | Name::Io(_) => {
                Err(self.meaning_at(name.start, "a symbol is expected here".into()))
            }
        }
    }

    fn define_omega(&self, omega: &mut Omega, region: Region, name: NameAt, origin: Origin) -> Parse<()> {
        match omega.origins.insert((region, name.name), origin) {
            None => Ok(()),
            Some(_) => Err(self.meaning_at(name.start, "this name is defined twice in the region".into())),
        }
    }

    /// The type that a name says when it is a symbol's.
    fn address_of(&self, name: NameAt) -> Option<Type> {
        match name.name {
            Name::Symbol(index) => self.symbols.addresses.get(index as usize).copied(),
            Name::None | Name::Value(_) | Name::Mem(_) | Name::Io(_) => None,
        }
    }

    /// Adds a λ or δ for a symbol, whose name is the output's unless the text has others.
    fn definition_node(
        &mut self,
        module: &mut Module,
        omega: &mut Omega,
        region: Region,
        kind: NodeKind,
        definitions: &[Definition],
        (symbol, start): (u32, usize),
    ) -> Parse<Node> {
        let node = module.omega.add_node(region, kind, &[], &[]);
        let address = self.symbols.addresses[symbol as usize];
        let own = [Definition { name: NameAt { name: Name::Symbol(symbol), start }, ty: None }];
        let definitions = if definitions.is_empty() { &own } else { definitions };
        for definition in definitions {
            let output = module.omega.add_output(node, definition.ty.unwrap_or(address));
            self.define_omega(omega, region, definition.name, output)?;
        }
        Ok(node)
    }

    /// `@inside = outside`, or `@name` for both.
    fn context(&mut self) -> Parse<Vec<Context>> {
        let mut context = Vec::new();
        self.list("[", "]", |parser| {
            let inside = parser.definition()?;
            let outside = if parser.eat("=") { Some(parser.name()?) } else { None };
            context.push(Context { inside, outside });
            Ok(())
        })?;
        Ok(context)
    }

    /// `@f [context] (parameters) { … }` or `@f [context] untouched "construct"`
    fn lambda(
        &mut self,
        module: &mut Module,
        omega: &mut Omega,
        region: Region,
        definitions: &[Definition],
    ) -> Parse<()> {
        let start = self.token.start;
        let index = self.symbol_index()?;
        let symbol = self.symbols.symbols[index as usize];
        let context = self.context()?;
        let code = if self.eat("untouched") {
            Code::Untouched { construct: self.string()?.into() }
        } else {
            let mut body = Body::new(module.pool.clone());
            let root = body.graph.root();
            for Context { inside, outside } in &context {
                if outside.is_none() && !matches!(inside.name.name, Name::Symbol(_)) {
                    let message = "a context variable is a symbol or says which origin it is: `v0: ptr = @x`";
                    return Err(self.meaning_at(inside.name.start, message.into()));
                }
                let ty = self.defined_type(*inside, self.address_of(inside.name))?;
                let argument = body.graph.add_argument(root, ty);
                self.define(&mut body, inside.name, argument)?;
            }
            self.arguments(&mut body, root)?;
            Code::Graph(self.body(body)?)
        };
        let body = module.bodies.insert(BodyData { symbol, code });
        let node = self.definition_node(module, omega, region, NodeKind::Lambda(body), definitions, (index, start))?;
        for Context { inside, outside } in context {
            omega.input(region, node, outside.unwrap_or(inside.name));
        }
        Ok(())
    }

    /// `[context] (recursion variables) {`; its region.
    fn phi(
        &mut self,
        module: &mut Module,
        omega: &mut Omega,
        region: Region,
        definitions: &[Definition],
    ) -> Parse<Region> {
        let node = module.omega.add_node(region, NodeKind::Phi, &[], &[]);
        for &definition in definitions {
            let ty = self.defined_type(definition, self.address_of(definition.name))?;
            let output = module.omega.add_output(node, ty);
            self.define_omega(omega, region, definition.name, output)?;
        }
        let inner = module.omega.add_region(node);
        for Context { inside, outside } in self.context()? {
            let ty = self.defined_type(inside, self.address_of(inside.name))?;
            let argument = module.omega.add_argument(inner, ty);
            self.define_omega(omega, inner, inside.name, argument)?;
            omega.input(region, node, outside.unwrap_or(inside.name));
        }
        self.list("(", ")", |parser| {
            let definition = parser.definition()?;
            let ty = parser.defined_type(definition, parser.address_of(definition.name))?;
            let argument = module.omega.add_argument(inner, ty);
            parser.define_omega(omega, inner, definition.name, argument)
        })?;
        self.require("{")?;
        Ok(inner)
    }
}
