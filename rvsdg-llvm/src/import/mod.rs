//! From an LLVM module to a [`Module`] and one control flow graph per body.

mod attributes;
mod body;
mod branches;
mod calls;
mod constants;
mod memory;
mod ops;
mod symbols;
mod tbaa;
mod types;

use std::sync::Arc;

use rvsdg_cfg::cfg::Cfg;
use rvsdg_core::attribute::Attributes;
use rvsdg_core::module::Body;
use rvsdg_core::{Module, Pool, Symbol, Type};

pub(crate) use attributes::Lists;
pub(crate) use constants::{Constants, Holes, Known, kind as constant_kind};
pub(crate) use ops::{flag_bits, opcode_of};
pub(crate) use types::{Types, id as type_id};

use crate::carrier::{Carrier, NONE};
use crate::module_io::LlvmModule;

/// What export needs to know of import: the module and the numbers of its parts.
pub(crate) struct Tables {
    pub carrier: Carrier,
    pub pool: Arc<Pool>,
    pub types: Types,
    pub constants: Constants,
    pub attributes: Lists,
    calls: calls::Calls,
    /// By symbol number.
    pub symbols: Vec<Symbol>,
    /// By symbol number: the type of its address.
    pub symbol_types: Vec<Type>,
    tags: tbaa::Tags,
}

impl Tables {
    fn new(llvm: LlvmModule, pool: Arc<Pool>) -> Self {
        Tables {
            carrier: Carrier::new(llvm),
            pool,
            types: Types::default(),
            constants: Constants::default(),
            attributes: Lists::default(),
            calls: calls::Calls::default(),
            symbols: Vec::new(),
            symbol_types: Vec::new(),
            tags: tbaa::Tags::default(),
        }
    }

    pub(crate) fn ty(&mut self, number: u32) -> Type {
        self.types.get(&mut self.carrier, &self.pool, number)
    }

    pub(crate) fn constant(&mut self, number: u32) -> &Known {
        self.constants.get(&mut self.carrier, &self.pool, &mut self.types, number)
    }

    pub(crate) fn attributes(&mut self, number: u32) -> Attributes {
        self.attributes.get(&mut self.carrier, &self.pool, &mut self.types, number)
    }

    fn text(&self, id: u32) -> Box<str> {
        types::text(&self.carrier, id)
    }

    fn optional_text(&self, id: u32) -> Option<Box<str>> {
        (id != NONE).then(|| self.text(id))
    }
}

/// A module that was read, and what it was read from.
///
/// ```
/// use rvsdg_llvm::{LlvmModule, import};
///
/// let (llvm, _) = LlvmModule::parse(b"declare void @g()\ndefine void @f() {\n  call void @g()\n  ret void\n}\n", "f.ll")?;
/// let import = import(llvm);
/// let (body, cfg) = &import.cfgs[0];
/// assert_eq!(&*import.module.symbols[import.module.bodies[*body].symbol].name, "f");
/// // The address of what it calls comes from outside.
/// assert_eq!(cfg.contexts().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Import {
    /// Symbols and ω level. The bodies of [`cfgs`](Import::cfgs) are [`Cfg`](rvsdg_core::module::Code::Cfg), the others
    /// [`Untouched`](rvsdg_core::module::Code::Untouched).
    pub module: Module,
    /// The bodies that can be represented, in the order of the module's functions. The root region of a body's graph
    /// has one argument per context variable of the `Cfg`, in order.
    pub cfgs: Vec<(Body, Cfg)>,
    /// Where the module came from, for [`Host::export`].
    pub host: Host,
}

/// The LLVM module that a [`Module`] was read from. Its bodies can be replaced; all else in it stays.
pub struct Host {
    pub(crate) tables: Tables,
    /// For each body of [`Import::cfgs`], by position, the data that was read.
    pub(crate) bodies: Vec<ReadBody>,
    /// Whether original instructions are used again.
    pub(crate) originals: bool,
}

/// What was read of a body that can be rewritten.
pub(crate) struct ReadBody {
    pub body: Body,
    /// The function's symbol number.
    pub symbol: u32,
    pub params: u32,
    pub first_source: u32,
    pub insts: u32,
}

/// Reads a module: inter-procedural translation (thesis, Algorithm I) at the ω level, and each body as a control flow graph. A body with
/// a construct that cannot be represented stays in the LLVM module unchanged.
pub fn import(llvm: LlvmModule) -> Import {
    let mut cfgs = Vec::new();
    let (module, host) = import_each(llvm, |body, cfg| cfgs.push((body, cfg)));
    Import { module, cfgs, host }
}

/// As [`import`](fn@import), but passes each control flow graph to `take` as soon as it was read, so that they need not all exist at the
/// same time.
pub fn import_each(llvm: LlvmModule, mut take: impl FnMut(Body, Cfg)) -> (Module, Host) {
    symbols::import(llvm, &mut take)
}
