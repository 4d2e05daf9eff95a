//! Addresses of symbols and initial contents of variables.

use rvsdg_core::module::{Linkage, SymbolKind, UnnamedAddr};
use rvsdg_core::{Const, Constant, NodeKind, Symbol};

use super::external::invented_bytes;
use super::{Machine, Unknown};
use crate::memory::Kind;
use crate::observe::{Block, Object};
use crate::outcome::{Res, unsupported};
use crate::value::{Pointer, Value};

impl Machine<'_> {
    /// Gives every symbol its address and every variable its contents.
    pub(super) fn initialize(&mut self) -> Res<()> {
        let module = self.module;
        for number in 0..self.functions.len() as u32 {
            let symbol = self.functions.get(number).symbol;
            let pointer = self.memory.allocate(Kind::Function(number), 1, 16, false)?;
            self.addresses.insert(symbol, Value::Ptr(pointer));
        }
        let mut initialized = Vec::new();
        let mut aliases = Vec::new();
        let mut inputs = rustc_hash::FxHashMap::default();
        for node in module.omega.all_nodes() {
            if let NodeKind::Delta(symbol) = module.omega.kind(node) {
                let symbols: Vec<Symbol> =
                    module.omega.input_origins(node).map(|origin| module.symbol_of(origin)).collect();
                inputs.insert(symbol, symbols);
            }
        }
        for (index, &symbol) in module.order.iter().enumerate() {
            let data = &module.symbols[symbol];
            match &data.kind {
                SymbolKind::Function { .. } => {}
                SymbolKind::Variable { initializer, constant, .. } => {
                    let pointer = self.variable(index as u32, symbol, *initializer, *constant)?;
                    self.addresses.insert(symbol, Value::Ptr(pointer));
                    if let Some(initializer) = initializer {
                        initialized.push((symbol, pointer, *initializer, *constant));
                    }
                }
                SymbolKind::Alias { aliasee } => aliases.push((symbol, *aliasee)),
                SymbolKind::IFunc { .. } => {}
            }
        }
        // An alias may be of another alias, in any order.
        while !aliases.is_empty() {
            let before = aliases.len();
            let mut later = Vec::new();
            for (symbol, aliasee) in aliases {
                match self.hole_values(inputs.get(&symbol)) {
                    Some(holes) => {
                        let value = self.types().constant(aliasee, &holes)?;
                        self.addresses.insert(symbol, value);
                    }
                    None => later.push((symbol, aliasee)),
                }
            }
            if later.len() == before {
                return unsupported("alias of an ifunc or of itself");
            }
            aliases = later;
        }
        for (symbol, pointer, initializer, constant) in initialized {
            let Some(holes) = self.hole_values(inputs.get(&symbol)) else {
                return unsupported("initializer with the address of an ifunc");
            };
            self.fill(symbol, pointer, initializer, &holes)?;
            if constant {
                self.memory.seal(pointer);
            }
        }
        Ok(())
    }

    fn hole_values(&self, symbols: Option<&Vec<Symbol>>) -> Option<Vec<Value>> {
        symbols.into_iter().flatten().map(|symbol| self.addresses.get(symbol).cloned()).collect()
    }

    /// The memory of a variable.
    fn variable(&mut self, index: u32, symbol: Symbol, initializer: Option<Const>, is_constant: bool) -> Res<Pointer> {
        let data = &self.module.symbols[symbol];
        let layout = self.types().layout(data.value_type).ok();
        let (size, natural) = layout.map_or((1, 16), |layout| (layout.size, layout.align));
        let align = data.align.unwrap_or(natural).max(1);
        if initializer.is_some() && data.linkage == Linkage::Private && data.unnamed_addr == UnnamedAddr::Global {
            return self.memory.allocate_unnamed(size, align);
        }
        if initializer.is_some() {
            return self.memory.allocate(Kind::Global, size, align, false);
        }
        if let Some(contents) = crate::builtin::variable(&data.name) {
            let pointer = self.memory.allocate(Kind::Global, size.max(contents.len() as u64), align, false)?;
            self.memory.write(pointer, contents)?;
            if let Some(stream) = crate::builtin::stream(&data.name) {
                let address = self.memory.allocate(Kind::External(index), 256, 16, false)?;
                self.memory.store_pointer(pointer, 8, address)?;
                self.state.streams.insert(address.address, stream);
            }
            return Ok(pointer);
        }
        if self.config.unknown == Unknown::Record && data.linkage == Linkage::External && size <= 1 << 16 {
            let pointer = self.memory.allocate(Kind::Global, size, align, false)?;
            let object = Object::Symbol(self.functions.name(self.module, symbol).into());
            let bytes = invented_bytes(&data.name, size as usize);
            self.memory.write(pointer, &bytes)?;
            if is_constant {
                self.memory.seal(pointer);
            }
            self.state.blocks.push(Block { pointer, object, exclusive: false });
            return Ok(pointer);
        }
        self.memory.allocate(Kind::External(index), size, align, false)
    }

    fn fill(&mut self, symbol: Symbol, pointer: Pointer, initializer: Const, holes: &[Value]) -> Res<()> {
        let pool = &self.module.pool;
        match pool.constant(initializer) {
            // Most of what is large; memory is zero already.
            Constant::Zero(_) => Ok(()),
            Constant::Data { bytes, .. } => self.memory.write(pointer, bytes),
            _ => {
                let value = self.types().constant(initializer, holes)?;
                let ty = self.module.symbols[symbol].value_type;
                let layout = self.types().layout(ty)?;
                self.memory.store(pointer, &layout, 1, &value)
            }
        }
    }

    /// Runs the functions of `llvm.global_ctors` or `llvm.global_dtors` in the order of their priorities.
    pub(super) fn constructors(&mut self, name: &str) -> Res<()> {
        let module = self.module;
        let Some(&symbol) = module.order.iter().find(|&&symbol| &*module.symbols[symbol].name == name) else {
            return Ok(());
        };
        let Some(Value::Ptr(pointer)) = self.addresses.get(&symbol).cloned() else { return Ok(()) };
        let layout = self.types().layout(module.symbols[symbol].value_type)?;
        let Value::Seq(entries) = self.memory.load(pointer, &layout, 1)? else { return Ok(()) };
        let mut functions: Vec<(u64, Value)> = entries
            .iter()
            .filter_map(|entry| match entry {
                Value::Seq(fields) => match &fields[0] {
                    Value::Int(priority) => Some((*priority, fields[1].clone())),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        functions.sort_by_key(|&(priority, _)| priority);
        for (_, function) in functions {
            self.call_pointer(function, &[])?;
        }
        Ok(())
    }
}
