//! The functions of a module by number and address.

use rustc_hash::FxHashMap;
use rvsdg_core::module::SymbolKind;
use rvsdg_core::structural::Lambda;
use rvsdg_core::{Body, Module, Symbol};

use crate::memory::{FUNCTION_SPACING, first_function};
use crate::value::Pointer;

/// A function.
pub(crate) struct Function {
    pub number: u32,
    pub symbol: Symbol,
    /// The body with the symbols of its context variables; `None` for one that another translation unit defines.
    pub body: Option<(Body, Vec<Symbol>)>,
}

/// All functions; number `n` has the address of the `n`th function object.
pub(crate) struct Functions {
    list: Vec<Function>,
    numbers: FxHashMap<Symbol, u32>,
}

impl Functions {
    pub fn new(module: &Module) -> Functions {
        let mut bodies: FxHashMap<Symbol, Lambda> =
            module.lambdas().into_iter().map(|lambda| (module.bodies[lambda.body()].symbol, lambda)).collect();
        let mut list = Vec::new();
        let mut numbers = FxHashMap::default();
        for &symbol in &module.order {
            if let SymbolKind::Function { .. } = module.symbols[symbol].kind {
                let number = list.len() as u32;
                numbers.insert(symbol, number);
                let body = bodies.remove(&symbol).map(|lambda| (lambda.body(), module.context_symbols(lambda)));
                list.push(Function { number, symbol, body });
            }
        }
        Functions { list, numbers }
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn get(&self, number: u32) -> &Function {
        &self.list[number as usize]
    }

    pub fn by_symbol(&self, symbol: Symbol) -> Option<&Function> {
        self.numbers.get(&symbol).map(|&number| self.get(number))
    }

    /// The function that begins at an address.
    pub fn by_pointer(&self, pointer: Pointer) -> Option<&Function> {
        let distance = pointer.address.checked_sub(first_function())?;
        (distance % FUNCTION_SPACING == 0).then(|| self.list.get((distance / FUNCTION_SPACING) as usize)).flatten()
    }

    /// The function of that name.
    pub fn by_name(&self, module: &Module, name: &str) -> Option<&Function> {
        self.list.iter().find(|function| &*module.symbols[function.symbol].name == name)
    }

    /// A symbol's name; for one without, its place.
    pub fn name(&self, module: &Module, symbol: Symbol) -> String {
        let name = &module.symbols[symbol].name;
        if name.is_empty() {
            let place = module.order.iter().filter(|&&other| module.symbols[other].name.is_empty());
            format!("{}", place.take_while(|&&other| other != symbol).count())
        } else {
            // LLVM's escape for names that the assembler must not change.
            name.trim_start_matches('\u{1}').into()
        }
    }
}
