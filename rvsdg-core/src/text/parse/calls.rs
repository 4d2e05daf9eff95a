//! Calls and operations of dialects.

use super::graph::NameAt;
use super::lexer::TokenKind;
use super::{Parse, Parser};
use crate::Type;
use crate::op::{
    Bundle, CallExits, CallInfo, Clause, Effects, ExtOp, InlineAsm, LandingPad, MetadataArgument, OpCode, TailKind,
};
use crate::text::names::Name;

impl Parser<'_> {
    /// A call, invoke or callbr after its mnemonic, and its inputs.
    pub(super) fn call(&mut self, code: OpCode) -> Parse<(CallInfo, Vec<NameAt>)> {
        let tail = match self.one_of(&["tail", "musttail", "notail", "returned"]) {
            Some(word) => TailKind::from_name(word).unwrap_or(TailKind::None),
            None => TailKind::None,
        };
        let fast = self.fast();
        let convention = if self.eat("cc") { self.u32()? } else { 0 };
        let speculatable = self.eat("speculatable");
        let function_type = self.ty()?;
        let mut inputs = Vec::new();
        let assembly = if self.eat("asm") {
            Some(Box::new(self.assembly()?))
        } else {
            inputs.push(self.name()?);
            None
        };
        let mut metadata = Vec::new();
        let mut position = 0;
        self.list("(", ")", |parser| {
            if parser.eat("metadata") {
                let text = if parser.eat("_") { None } else { Some(parser.string()?.into()) };
                metadata.push(MetadataArgument { position, text });
            } else {
                inputs.push(parser.name()?);
            }
            position += 1;
            Ok(())
        })?;
        let attributes = self.attribute_reference()?;
        let mut bundles = Vec::new();
        if self.is("[") {
            self.list("[", "]", |parser| {
                let tag = parser.string()?.into();
                let mut operands = 0;
                parser.list("(", ")", |parser| {
                    inputs.push(parser.name()?);
                    operands += 1;
                    Ok(())
                })?;
                bundles.push(Bundle { tag, operands });
                Ok(())
            })?;
        }
        let exits = self.exits(code, &mut inputs)?;
        let declared = if self.eat("effects") { Some(self.effects()?) } else { None };
        let mut effects = Effects::NONE;
        while self.eat(",") {
            let state = self.name()?;
            match state.name {
                Name::Mem(_) => effects.mem = true,
                Name::Io(_) => effects.io = true,
                _ if declared.is_some() => {}
                Name::None | Name::Value(_) | Name::Symbol(_) => {
                    return Err(self.meaning_at(state.start, "a state is expected here: `mem0` or `io0`".into()));
                }
            }
            inputs.push(state);
        }
        let info = CallInfo {
            function_type,
            convention,
            attributes,
            tail,
            fast,
            bundles: bundles.into(),
            metadata: metadata.into(),
            assembly,
            effects: declared.unwrap_or(effects),
            speculatable,
            exits,
        };
        Ok((info, inputs))
    }

    /// `unwind [cleanup, catch v1]` or `unwind funclet` after an invoke, `to [0, 1]` after a callbr.
    fn exits(&mut self, code: OpCode, inputs: &mut Vec<NameAt>) -> Parse<CallExits> {
        Ok(match code {
            OpCode::Invoke => {
                self.require("unwind")?;
                if self.eat("funclet") {
                    return Ok(CallExits::UnwindToFunclet);
                }
                let mut pad = LandingPad { cleanup: false, clauses: Box::default() };
                let mut clauses = Vec::new();
                self.list("[", "]", |parser| {
                    match parser.one_of(&["cleanup", "catch", "filter"]) {
                        Some("cleanup") => {
                            pad.cleanup = true;
                            return Ok(());
                        }
                        Some("catch") => clauses.push(Clause::Catch),
                        Some(_) => clauses.push(Clause::Filter),
                        None => return Err(parser.expected("`cleanup`, `catch` or `filter`")),
                    }
                    inputs.push(parser.name()?);
                    Ok(())
                })?;
                pad.clauses = clauses.into();
                CallExits::Unwind(pad)
            }
            OpCode::CallBr => {
                self.require("to")?;
                let mut alternatives = Vec::new();
                self.list("[", "]", |parser| {
                    alternatives.push(parser.u32()?);
                    Ok(())
                })?;
                CallExits::Labels(alternatives.into())
            }
            _ => CallExits::Return,
        })
    }

    /// `sideeffect "template", "constraints"`
    fn assembly(&mut self) -> Parse<InlineAsm> {
        let side_effect = self.eat("sideeffect");
        let align_stack = self.eat("alignstack");
        let intel = self.eat("inteldialect");
        let can_unwind = self.eat("unwind");
        let template = self.bytes()?.into_owned().into();
        self.require(",")?;
        let constraints = self.string()?.into();
        Ok(InlineAsm { template, constraints, side_effect, align_stack, intel, can_unwind })
    }

    /// `(mem, io)`
    fn effects(&mut self) -> Parse<Effects> {
        let mut effects = Effects::NONE;
        self.list("(", ")", |parser| {
            match parser.one_of(&["mem", "io"]) {
                Some("mem") => effects.mem = true,
                Some(_) => effects.io = true,
                None => return Err(parser.expected("`mem` or `io`")),
            }
            Ok(())
        })?;
        Ok(effects)
    }

    /// `"dialect.name" (i32, mem) -> (i32, mem)`
    pub(super) fn ext(&mut self) -> Parse<ExtOp> {
        if self.token.kind != TokenKind::String {
            return Err(self.expected("the name of an operation in quotes"));
        }
        let name = self.string()?.into();
        let speculatable = self.eat("speculatable");
        let commutative = self.eat("commutative");
        let start = self.token.start;
        let (inputs, effects) = self.signature()?;
        self.require("->")?;
        let (outputs, produced) = self.signature()?;
        if effects != produced {
            return Err(self.meaning_at(start, "the operation takes other states than it produces".into()));
        }
        let (inputs, outputs) = (inputs.into(), outputs.into());
        Ok(ExtOp { name, inputs, outputs, effects, speculatable, commutative })
    }

    /// Types of values, then of states.
    fn signature(&mut self) -> Parse<(Vec<Type>, Effects)> {
        let mut types = Vec::new();
        self.list("(", ")", |parser| {
            types.push(parser.ty()?);
            Ok(())
        })?;
        let io = types.pop_if(|ty| *ty == Type::IO).is_some();
        let mem = types.pop_if(|ty| *ty == Type::MEM).is_some();
        Ok((types, Effects { mem, io }))
    }
}
