//! Calls.

use rvsdg_cfg::cfg::{Inst, Value, ValueDef};
use rvsdg_core::op::{Call, CallInfo, InlineAsm, TailKind};
use rvsdg_core::{Type, TypeKind};

use crate::body::Writing;
use crate::emitter::Emitter;
use crate::error::Result;
use crate::names::push_quoted;

impl<'a> Emitter<'a> {
    /// Writes a call, invoke or callbr, without its line end and its destinations.
    ///
    /// A call that declares the scopes of `noalias` metadata is left out: there is no such metadata in the text.
    pub(crate) fn call(&mut self, body: &Writing<'a>, inst: Inst, call: Call) -> Result {
        let info = self.call_info(call);
        let operands = body.cfg.operands(inst);
        let (callee, operands) = match (&info.assembly, operands) {
            (None, [callee, rest @ ..]) => (Some(*callee), rest),
            (None, []) => return Err(self.error("call without operands", "the callee")),
            (Some(_), operands) => (None, operands),
        };
        if info.metadata.iter().any(|argument| argument.text.is_none()) {
            return self.annotation(body, callee);
        }
        let clauses = info.exits.clauses();
        let Some((operands, _)) = operands.len().checked_sub(clauses).map(|at| operands.split_at(at)) else {
            return Err(self.error("clauses of an invoke", "all their operands"));
        };
        let bundled = info.bundles.iter().map(|bundle| bundle.operands as usize).sum::<usize>();
        let Some(arguments) = operands.len().checked_sub(bundled) else {
            return Err(self.error("operand bundles of a call", "all their operands"));
        };
        let (arguments, bundled) = operands.split_at(arguments);

        self.start(body, inst)?;
        match info.tail {
            TailKind::None | TailKind::Returned => {}
            TailKind::Tail | TailKind::MustTail | TailKind::NoTail => {
                self.out.push_str(info.tail.name());
                self.out.push(' ');
            }
        }
        self.out.push_str(body.cfg.op(inst).code().info().mnemonic);
        self.fast_math(info.fast);
        self.out.push(' ');
        self.convention(info.convention);
        let pool = self.pool;
        for attribute in &pool.attributes(info.attributes).result {
            self.attribute(attribute)?;
            self.out.push(' ');
        }
        self.callee(body, info, callee)?;
        self.arguments(body, info, arguments)?;
        self.attribute_group(info.attributes)?;
        self.bundles(body, info, bundled)
    }

    fn annotation(&self, body: &Writing<'a>, callee: Option<Value>) -> Result {
        let name = callee
            .and_then(|callee| match body.cfg.def(callee) {
                ValueDef::Context(position) => body.context.get(position as usize),
                _ => None,
            })
            .map_or("", |&symbol| &self.module.symbols[symbol].name);
        match name {
            "llvm.experimental.noalias.scope.decl" => Ok(()),
            _ => Err(self.error(
                format!("the call of @{name}, which has a metadata argument without text"),
                "metadata that stands alone",
            )),
        }
    }

    /// The address space where it is needed, the type and the callee.
    fn callee(&mut self, body: &Writing<'a>, info: &'a CallInfo, callee: Option<Value>) -> Result {
        let pool = self.pool;
        if let Some(callee) = callee
            && let TypeKind::Ptr(space) = *pool.type_kind(body.cfg.ty(callee))
            && (space != 0 || self.program_space)
        {
            self.address_space(space);
            self.out.push(' ');
        }
        match *pool.type_kind(info.function_type) {
            TypeKind::Function { variadic: true, .. } => self.ty(info.function_type)?,
            TypeKind::Function { result, .. } => self.ty(result)?,
            _ => return Err(self.error("a call of another type", "a function type")),
        }
        self.out.push(' ');
        match (callee, &info.assembly) {
            (Some(callee), _) => self.operand(body, callee),
            (None, Some(assembly)) => {
                self.assembly(assembly);
                Ok(())
            }
            (None, None) => Err(self.error("call without a callee", "a function or inline assembly")),
        }
    }

    fn assembly(&mut self, assembly: &InlineAsm) {
        self.out.push_str("asm");
        self.words(assembly.side_effect.then_some("sideeffect"));
        self.words(assembly.align_stack.then_some("alignstack"));
        self.words(assembly.intel.then_some("inteldialect"));
        self.words(assembly.can_unwind.then_some("unwind"));
        self.out.push(' ');
        push_quoted(&mut self.out, &assembly.template);
        self.out.push_str(", ");
        push_quoted(&mut self.out, assembly.constraints.as_bytes());
    }

    fn arguments(&mut self, body: &Writing<'a>, info: &'a CallInfo, arguments: &'a [Value]) -> Result {
        let pool = self.pool;
        let attributes = &pool.attributes(info.attributes).params;
        let params: &[Type] = match pool.type_kind(info.function_type) {
            TypeKind::Function { params, .. } => params,
            _ => &[],
        };
        let is_metadata =
            |position: usize| params.get(position).is_some_and(|&ty| *pool.type_kind(ty) == TypeKind::Metadata);
        let mut metadata = info.metadata.iter().peekable();
        let mut values = arguments.iter();
        self.out.push('(');
        for position in 0..arguments.len() + info.metadata.len() {
            if position > 0 {
                self.out.push_str(", ");
            }
            if let Some(argument) = metadata.next_if(|argument| argument.position as usize == position) {
                self.out.push_str("metadata ");
                self.out.push_str(argument.text.as_deref().unwrap_or("!{}"));
                continue;
            }
            let Some(&value) = values.next() else {
                return Err(self.error("a call's metadata arguments", "their positions in ascending order"));
            };
            if is_metadata(position) {
                self.out.push_str("metadata ");
            }
            self.ty(body.cfg.ty(value))?;
            if let Some(attributes) = attributes.get(position) {
                self.attributes(attributes)?;
            }
            self.out.push(' ');
            self.operand(body, value)?;
        }
        if info.tail == TailKind::MustTail && body.variadic {
            // The caller's variable arguments are forwarded.
            self.out.push_str(if arguments.is_empty() { "..." } else { ", ..." });
        }
        self.out.push(')');
        Ok(())
    }

    fn bundles(&mut self, body: &Writing<'a>, info: &'a CallInfo, mut operands: &'a [Value]) -> Result {
        for (position, bundle) in info.bundles.iter().enumerate() {
            self.out.push_str(if position == 0 { " [ " } else { ", " });
            push_quoted(&mut self.out, bundle.tag.as_bytes());
            let (own, rest) = operands.split_at(bundle.operands as usize);
            operands = rest;
            self.out.push('(');
            for (position, &operand) in own.iter().enumerate() {
                if position > 0 {
                    self.out.push_str(", ");
                }
                self.typed(body, operand)?;
            }
            self.out.push(')');
        }
        if !info.bundles.is_empty() {
            self.out.push_str(" ]");
        }
        Ok(())
    }
}
