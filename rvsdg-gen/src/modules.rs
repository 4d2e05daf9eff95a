//! Verified modules: symbols of every kind, λ, φ and δ over [generated bodies](crate::bodies).

mod kernels;

use rvsdg_core::attribute::{Attribute, AttributeKind, AttributeList};
use rvsdg_core::module::{
    BodyData, Code, DllStorage, Header, Linkage, SymbolKind, SymbolicConst, ThreadLocal, UnnamedAddr, Visibility,
};
use rvsdg_core::structural::{Lambda, Phi};
use rvsdg_core::text::parse_module;
use rvsdg_core::{Constant, Module, NodeKind, Origin, Region, Symbol, SymbolData, Type, TypeKind};

use crate::bodies::kernels::Kernel;
use crate::bodies::unwinding::{PRELUDE, Part};
use crate::bodies::{Callee, Kind, Known, Plan, Room, planned_body};
use crate::entropy::Entropy;
use crate::universe::{Class, Universe, constant};
use crate::weights::{Size, Weights};

pub use crate::bodies::kernels::THREADS;
pub use kernels::kernel;

/// The function of a [`program`] to run: an `i64` of an `i32` and an `i64`.
pub const ENTRY: &str = "entry";

/// Parameters of [`ENTRY`].
const ENTRY_PARAMS: [Type; 2] = [Type::I32, Type::I64];

/// A function's parameters with their known properties, and its result.
struct Signature {
    params: Vec<(Type, Option<Known>)>,
    result: Type,
    /// The parameter that it returns, if that is sure.
    returned: Option<usize>,
}

impl Signature {
    fn types(&self) -> Vec<Type> {
        self.params.iter().map(|&(ty, _)| ty).collect()
    }
}

struct Builder<'a, 'e> {
    module: Module,
    entropy: &'a mut Entropy<'e>,
    weights: &'a Weights,
    size: Size,
    universe: Universe,
    /// Addresses of the ω region, and what is known of them.
    known: Vec<(Symbol, Origin, Option<Known>)>,
    callees: Vec<Callee>,
    /// Whether accesses have type information.
    typed: bool,
}

impl<'a, 'e> Builder<'a, 'e> {
    fn new(entropy: &'a mut Entropy<'e>, weights: &'a Weights, size: Size, header: Header) -> Self {
        let module = Module::new(header);
        let universe = Universe::new(&module.pool, weights);
        let typed = weights.defined && entropy.chance(1, 6);
        Builder { module, entropy, weights, size, universe, known: vec![], callees: vec![], typed }
    }

    /// What is said of the types of an object's accesses.
    fn kind(&mut self) -> Kind {
        if self.typed { Kind::Typed(self.entropy.chance(1, 2)) } else { Kind::Untyped }
    }
}

/// A module of any kind of symbols, with bodies of all operations in proportion to `weights`.
pub fn module(entropy: &mut Entropy<'_>, weights: &Weights, size: Size) -> Module {
    let header = header(entropy);
    let mut builder = Builder::new(entropy, weights, size, header);
    let imports = builder.entropy.below(3);
    for index in 0..imports {
        builder.import(index);
    }
    for index in 0..1 + builder.entropy.below(5) {
        match builder.entropy.below(6) {
            0..=2 => builder.function(index),
            3 => builder.variable(index),
            4 => builder.alias(index),
            _ => builder.recursive(index),
        }
    }
    builder.module
}

/// A module whose function [`ENTRY`] can be run: its result depends on everything it computed, on its functions, some of which are
/// recursive, and on its variables. `weights` are [defined](Weights::defined).
pub fn program(entropy: &mut Entropy<'_>, weights: &Weights, size: Size) -> Module {
    // Vectors are as wide as a target's registers.
    let header = Header { triple: "x86_64-unknown-linux-gnu".into(), ..Header::default() };
    let mut builder = Builder::new(entropy, weights, size, header);
    if builder.entropy.chance(1, 2) {
        builder.prelude();
    }
    let variables = builder.entropy.below(3);
    for index in 0..variables {
        builder.memory(index);
    }
    for index in 0..builder.entropy.below(2) {
        builder.cell(index);
    }
    for index in 0..builder.entropy.below(2) {
        builder.table(index);
    }
    for index in 0..builder.entropy.below(4) {
        if builder.entropy.chance(1, 3) {
            builder.recursive(index)
        } else {
            builder.function(index)
        }
        if builder.entropy.chance(1, 3) {
            builder.record(index);
        }
    }
    let data = builder.function_symbol(ENTRY, Type::I64, &ENTRY_PARAMS, false);
    let symbol = builder.module.add_symbol(data);
    let root = builder.module.omega.root();
    let context: Vec<(Origin, Option<Known>)> = builder.known.iter().map(|&(_, origin, what)| (origin, what)).collect();
    let signature = Signature { params: ENTRY_PARAMS.map(|ty| (ty, None)).into(), result: Type::I64, returned: None };
    let output = builder.lambda(root, symbol, &signature, &context, (None, None));
    builder.module.add_export(output);
    builder.module
}

/// A module of any kind: a [`program`], without or with flags that do not hold, or one whose values are much alike, or a
/// [`module`] of all operations or of all that the interpreter knows, most of whose runs are undefined sooner or later.
pub fn any(entropy: &mut Entropy<'_>, size: Size) -> Module {
    match entropy.below(5) {
        0 => program(entropy, &Weights::defined(false), size),
        1 => program(entropy, &Weights::defined(true), size),
        2 => program(entropy, &Weights::alike(false), size),
        3 => program(entropy, &Weights::alike(true), size),
        _ if entropy.chance(1, 4) => module(entropy, &Weights::all(), size),
        _ => module(entropy, &Weights::known(), size),
    }
}

/// The text of a pipeline of up to six of the passes.
pub fn pipeline(entropy: &mut Entropy<'_>, passes: &[&str]) -> String {
    let names: Vec<&str> = (0..1 + entropy.below(6)).map(|_| entropy.pick(passes)).collect();
    names.join(",")
}

fn header(entropy: &mut Entropy<'_>) -> Header {
    let mut header = Header::default();
    if entropy.chance(1, 2) {
        header.name = "gen \"module\"".into();
        header.source_file = "gen.c".into();
        header.triple = "x86_64-unknown-linux-gnu".into();
        header.assembly = vec![".globl \"x\"".into(), "nop".into()];
        header.flags = vec![(1, "wchar_size".into(), "i32 4".into())];
        header.comdats = vec![("group".into(), "any".into())];
    }
    header
}

impl Builder<'_, '_> {
    /// Begins with what throws and catches.
    fn prelude(&mut self) {
        self.module = parse_module(PRELUDE).expect("the prelude is a module");
        self.universe = Universe::new(&self.module.pool, self.weights);
        let omega = &self.module.omega;
        let defined = omega.nodes(omega.root()).map(|node| omega.output(node, 0));
        for origin in omega.arguments(omega.root()).iter().copied().chain(defined) {
            let symbol = self.module.symbol_of(origin);
            if let Some(part) = Part::named(&self.module.symbols[symbol].name) {
                self.known.push((symbol, origin, Some(Known::Unwinding(part))));
            }
        }
    }

    fn any_type(&mut self, class: Class) -> Type {
        self.universe.pick(&self.module.pool, class, self.entropy)
    }

    fn symbol(&mut self, name: &str, value_type: Type, kind: SymbolKind) -> SymbolData {
        const LINKAGES: [Linkage; 4] = [Linkage::External, Linkage::Internal, Linkage::Weak, Linkage::LinkonceOdr];
        const VISIBILITIES: [Visibility; 4] =
            [Visibility::Default, Visibility::Default, Visibility::Hidden, Visibility::Protected];
        const THREAD_LOCALS: [ThreadLocal; 4] =
            [ThreadLocal::None, ThreadLocal::None, ThreadLocal::None, ThreadLocal::GeneralDynamic];
        const UNNAMED_ADDRS: [UnnamedAddr; 3] = [UnnamedAddr::None, UnnamedAddr::Global, UnnamedAddr::Local];
        let any = !self.weights.defined;
        let is_function = matches!(kind, SymbolKind::Function { .. });
        SymbolData {
            name: if any && self.entropy.chance(1, 8) { format!("{name} \u{e9}\"").into() } else { name.into() },
            value_type,
            address_space: 0,
            linkage: if any { self.entropy.pick(&LINKAGES) } else { Linkage::External },
            visibility: if any { self.entropy.pick(&VISIBILITIES) } else { Visibility::Default },
            dll_storage: DllStorage::Default,
            thread_local: if any && !is_function { self.entropy.pick(&THREAD_LOCALS) } else { ThreadLocal::None },
            unnamed_addr: if any { self.entropy.pick(&UNNAMED_ADDRS) } else { UnnamedAddr::None },
            dso_local: self.entropy.chance(1, 2),
            section: self.entropy.chance(1, 8).then(|| ".gen \"s\"".into()),
            partition: None,
            comdat: None,
            align: self.entropy.chance(1, 2).then_some(16),
            kind,
        }
    }

    fn function_symbol(&mut self, name: &str, result: Type, params: &[Type], variadic: bool) -> SymbolData {
        let pool = self.module.pool.clone();
        let ty = pool.intern_type(TypeKind::Function { result, params: params.into(), variadic });
        let mut list = AttributeList::default();
        if !self.weights.defined && self.entropy.chance(1, 2) {
            list.function = [AttributeKind::NoUnwind.into()].into();
            list.result = [AttributeKind::NoUndef.into()].into();
        }
        if self.weights.defined && self.entropy.chance(1, 8) {
            list.function = [AttributeKind::AlwaysInline.into()].into();
        }
        let null = || SymbolicConst { constant: pool.intern_const(Constant::Zero(Type::PTR)), symbols: vec![] };
        let personality = (!self.weights.defined && self.entropy.chance(1, 8)).then(null);
        let kind = SymbolKind::Function {
            convention: if self.weights.defined { 0 } else { self.entropy.pick(&[0, 0, 8]) },
            attributes: pool.intern_attributes(list),
            gc: (!self.weights.defined && self.entropy.chance(1, 16)).then(|| "gen".into()),
            personality,
            prefix: None,
            prologue: None,
        };
        let mut data = self.symbol(name, ty, kind);
        data.section = None;
        data
    }

    fn import(&mut self, index: usize) {
        let data = if self.entropy.chance(1, 2) {
            let params: Vec<Type> = (0..self.entropy.below(3)).map(|_| self.any_type(Class::Any)).collect();
            let result = self.any_type(Class::Any);
            let variadic = self.entropy.chance(1, 4);
            self.function_symbol(&format!("import{index}"), result, &params, variadic)
        } else {
            self.variable_symbol(&format!("import{index}"), Type::I64, None)
        };
        let symbol = self.module.add_symbol(SymbolData { linkage: Linkage::External, ..data });
        let origin = self.module.add_import(symbol);
        self.known.push((symbol, origin, None));
    }

    fn variable_symbol(&mut self, name: &str, ty: Type, initializer: Option<rvsdg_core::Const>) -> SymbolData {
        let attributes = self.module.pool.intern_attributes(AttributeList::default());
        let kind = SymbolKind::Variable {
            constant: !self.weights.defined && self.entropy.chance(1, 4),
            externally_initialized: false,
            unescaped: false,
            owner: false,
            initializer,
            attributes,
            code_model: None,
            sanitizer: [].into(),
        };
        self.symbol(name, ty, kind)
    }

    /// Takes a definition into account, and perhaps lets others see it.
    fn defined(&mut self, symbol: Symbol, origin: Origin, what: Option<Known>) {
        self.known.push((symbol, origin, what));
        if self.entropy.chance(3, 4) {
            self.module.add_export(origin);
        }
    }

    /// A variable of a few numbers that functions may read and write.
    fn memory(&mut self, index: usize) {
        let len = self.entropy.pick(&[1, 2, 3, 4, 4, 8]);
        let ty = self.module.pool.intern_type(TypeKind::Array { element: Type::I64, len });
        let initializer = constant(&self.module.pool, ty, self.weights, self.entropy);
        let mut data = self.variable_symbol(&format!("memory{index}"), ty, Some(initializer));
        data.align = Some(16);
        let symbol = self.module.add_symbol(data);
        let root = self.module.omega.root();
        let node = self.module.omega.add_node(root, NodeKind::Delta(symbol), &[], &[Type::PTR]);
        let output = self.module.omega.output(node, 0);
        let room = Room { bytes: 8 * len, aligned: true, lasting: true, kind: self.kind() };
        self.defined(symbol, output, Some(Known::Memory(room)));
    }

    /// A variable of a few numbers that never changes.
    fn table(&mut self, index: usize) {
        let len = self.entropy.pick(&[1, 2, 3, 4, 8]);
        let ty = self.module.pool.intern_type(TypeKind::Array { element: Type::I64, len });
        let initializer = constant(&self.module.pool, ty, self.weights, self.entropy);
        self.never_changing(&format!("table{index}"), ty, initializer, &[], Known::Table(len));
    }

    /// A variable that never changes, with a number and the address of a function.
    fn record(&mut self, index: usize) {
        let functions: Vec<(Origin, usize)> = self
            .known
            .iter()
            .filter_map(|&(_, origin, what)| match what {
                Some(Known::Function(callee)) => Some((origin, callee)),
                _ => None,
            })
            .collect();
        if functions.is_empty() {
            return;
        }
        let (function, callee) = self.entropy.pick(&functions);
        let pool = self.module.pool.clone();
        let ty = pool.intern_type(TypeKind::Struct { elements: [Type::I64, Type::PTR].into(), packed: false });
        let number = constant(&pool, Type::I64, self.weights, self.entropy);
        let hole = pool.intern_const(Constant::Hole { ty: Type::PTR, index: 0 });
        let initializer = pool.intern_const(Constant::Aggregate { ty, elements: [number, hole].into() });
        self.never_changing(&format!("record{index}"), ty, initializer, &[function], Known::Record(callee));
    }

    fn never_changing(&mut self, name: &str, ty: Type, initializer: rvsdg_core::Const, inputs: &[Origin], what: Known) {
        let mut data = self.variable_symbol(name, ty, Some(initializer));
        data.align = Some(16);
        if let SymbolKind::Variable { constant, .. } = &mut data.kind {
            *constant = true;
        }
        let symbol = self.module.add_symbol(data);
        let root = self.module.omega.root();
        let node = self.module.omega.add_node(root, NodeKind::Delta(symbol), inputs, &[Type::PTR]);
        let output = self.module.omega.output(node, 0);
        self.defined(symbol, output, Some(what));
    }

    /// A variable that holds the address of another.
    fn cell(&mut self, index: usize) {
        let has_room = |what: Option<Known>| matches!(what, Some(Known::Memory(room)) if room.has(Room::PASSED));
        let fitting: Vec<Origin> = self.known.iter().filter(|known| has_room(known.2)).map(|known| known.1).collect();
        if fitting.is_empty() {
            return;
        }
        let target = self.entropy.pick(&fitting);
        let hole = self.module.pool.intern_const(Constant::Hole { ty: Type::PTR, index: 0 });
        let mut data = self.variable_symbol(&format!("cell{index}"), Type::PTR, Some(hole));
        data.align = Some(8);
        let symbol = self.module.add_symbol(data);
        let root = self.module.omega.root();
        let node = self.module.omega.add_node(root, NodeKind::Delta(symbol), &[target], &[Type::PTR]);
        let output = self.module.omega.output(node, 0);
        self.defined(symbol, output, Some(Known::Cell));
    }

    /// A variable of any type, or one that holds addresses.
    fn variable(&mut self, index: usize) {
        let pool = self.module.pool.clone();
        let root = self.module.omega.root();
        let (ty, initializer, inputs) = match self.known.last() {
            Some(&(_, origin, _)) if self.entropy.chance(1, 2) => {
                let hole = pool.intern_const(Constant::Hole { ty: Type::PTR, index: 0 });
                let ty = pool.intern_type(TypeKind::Struct { elements: [Type::PTR, Type::PTR].into(), packed: false });
                let pair = Constant::Aggregate { ty, elements: [hole, hole].into() };
                (ty, pool.intern_const(pair), vec![origin])
            }
            _ => {
                let ty = self.any_type(Class::Any);
                (ty, constant(&pool, ty, self.weights, self.entropy), vec![])
            }
        };
        let data = self.variable_symbol(&format!("data{index}"), ty, Some(initializer));
        let symbol = self.module.add_symbol(data);
        let node = self.module.omega.add_node(root, NodeKind::Delta(symbol), &inputs, &[Type::PTR]);
        let output = self.module.omega.output(node, 0);
        self.defined(symbol, output, None);
    }

    /// An alias of, or an ifunc resolved by, something defined before.
    fn alias(&mut self, index: usize) {
        let Some(&(target, origin, _)) = self.known.last() else { return };
        let hole = self.module.pool.intern_const(Constant::Hole { ty: Type::PTR, index: 0 });
        let kind = match self.weights.exotic && self.entropy.chance(1, 2) {
            true => SymbolKind::IFunc { resolver: hole },
            false => SymbolKind::Alias { aliasee: hole },
        };
        let ty = self.module.symbols[target].value_type;
        let mut data = self.symbol(&format!("alias{index}"), ty, kind);
        (data.section, data.align, data.thread_local) = (None, None, ThreadLocal::None);
        let symbol = self.module.add_symbol(data);
        let root = self.module.omega.root();
        let node = self.module.omega.add_node(root, NodeKind::Delta(symbol), &[origin], &[Type::PTR]);
        let output = self.module.omega.output(node, 0);
        self.defined(symbol, output, None);
    }

    /// A function's parameters and result.
    fn signature(&mut self) -> Signature {
        let class = if self.weights.defined { Class::SmallInt } else { Class::Any };
        let mut params: Vec<(Type, Option<Known>)> =
            (0..self.entropy.below(4)).map(|_| (self.any_type(class), None)).collect();
        let result = match self.entropy.below(4) {
            0 => Type::VOID,
            _ if self.weights.defined => Type::I64,
            _ => self.any_type(Class::Any),
        };
        if self.weights.defined && self.entropy.chance(1, 2) {
            for _ in 0..1 + self.entropy.below(3) {
                let what = if self.entropy.chance(1, 4) {
                    Known::Cell
                } else {
                    Known::Memory(Room { kind: self.kind(), ..Room::PASSED })
                };
                params.push((Type::PTR, Some(what)));
            }
        }
        let mut returned = None;
        if self.weights.defined && result == Type::I64 && self.entropy.chance(1, 4) {
            returned = Some(params.len());
            params.push((Type::I64, None));
        }
        Signature { params, result, returned }
    }

    fn function(&mut self, index: usize) {
        let signature = self.signature();
        let name = format!("f{index}");
        let data = self.function_symbol(&name, signature.result, &signature.types(), false);
        let symbol = self.module.add_symbol(data);
        let context = self.some_context();
        let root = self.module.omega.root();
        if !self.weights.defined && self.entropy.chance(1, 16) {
            let code = Code::Untouched { construct: "gen \"construct\"".into() };
            let body = self.module.bodies.insert(BodyData { symbol, code });
            let output = Lambda::add(&mut self.module.omega, root, body).output(&self.module.omega);
            return self.defined(symbol, output, None);
        }
        let output = self.lambda(root, symbol, &signature, &context, (None, None));
        let numbers = || signature.params.iter().enumerate().filter(|(_, (_, what))| what.is_none());
        if self.weights.defined && self.entropy.chance(1, 3) && numbers().next().is_some() {
            // Only calls use it, and all pass the same.
            let count = numbers().count();
            let position = numbers().nth(self.entropy.below(count)).map_or(0, |(position, _)| position);
            let fixed = vec![(position, self.entropy.bits(2))];
            let what = self.callee(symbol, &signature, fixed);
            self.known.push((symbol, output, Some(what)));
            return;
        }
        if self.weights.defined && self.entropy.chance(1, 4) && self.promise(symbol, &signature) {
            // Callers would have to keep the promise.
            self.module.add_export(output);
            return;
        }
        let what = self.callee(symbol, &signature, vec![]);
        self.defined(symbol, output, Some(what));
    }

    /// Says of some addresses that are passed to a function that what they lead to is accessed through them alone.
    fn promise(&mut self, symbol: Symbol, signature: &Signature) -> bool {
        let sets: Vec<Box<[Attribute]>> = signature
            .params
            .iter()
            .map(|(_, what)| match what {
                Some(Known::Memory(_)) if self.entropy.chance(1, 2) => [AttributeKind::NoAlias.into()].into(),
                _ => [].into(),
            })
            .collect();
        let promises = sets.iter().any(|set| !set.is_empty());
        if let SymbolKind::Function { attributes, .. } = &mut self.module.symbols[symbol].kind {
            let list = AttributeList { params: sets.into(), ..self.module.pool.attributes(*attributes).clone() };
            *attributes = self.module.pool.intern_attributes(list);
        }
        promises
    }

    /// The function as one that may be called.
    fn callee(&mut self, symbol: Symbol, signature: &Signature, fixed: Vec<(usize, u64)>) -> Known {
        let function_type = self.module.symbols[symbol].value_type;
        let params = signature.params.iter().enumerate();
        let addresses = params.filter_map(|(position, &(_, what))| Some((position, what?))).collect();
        self.callees.push(Callee { function_type, fixed, addresses });
        Known::Function(self.callees.len() - 1)
    }

    /// Some of the known definitions, as context.
    fn some_context(&mut self) -> Vec<(Origin, Option<Known>)> {
        let known = self.known.clone();
        let chosen = known.iter().filter(|_| self.entropy.chance(2, 3));
        let mut context: Vec<_> = chosen.map(|&(_, origin, what)| (origin, what)).collect();
        if !context.is_empty() && self.entropy.chance(1, 6) {
            // One thing twice.
            let again = self.entropy.pick(&context);
            context.push(again);
        }
        context
    }

    /// A λ with its body.
    fn lambda(
        &mut self,
        region: Region,
        symbol: Symbol,
        signature: &Signature,
        context: &[(Origin, Option<Known>)],
        (recursion, kernel): (Option<(usize, usize)>, Option<Kernel>),
    ) -> Origin {
        let omega = &self.module.omega;
        let plan = Plan {
            params: signature.params.clone(),
            result: signature.result,
            context: context.iter().map(|&(origin, what)| (omega.ty(origin), what)).collect(),
            callees: &self.callees,
            recursion,
            returned: signature.returned,
            kernel,
        };
        let graph = planned_body(&self.module.pool, self.entropy, self.weights, self.size, &plan);
        let body = self.module.bodies.insert(BodyData { symbol, code: Code::Graph(graph) });
        let lambda = Lambda::add(&mut self.module.omega, region, body);
        for &(origin, _) in context {
            lambda.add_context(&mut self.module.omega, origin);
        }
        lambda.output(&self.module.omega)
    }

    /// A φ: a function that calls itself, and sometimes a variable that holds its address.
    fn recursive(&mut self, index: usize) {
        let mut signature = self.signature();
        signature.params.insert(0, (Type::I32, None));
        signature.returned = signature.returned.map(|param| param + 1);
        let data = self.function_symbol(&format!("r{index}"), signature.result, &signature.types(), false);
        let symbol = self.module.add_symbol(data);
        let outside = self.some_context();
        let with_data = !self.weights.defined && self.entropy.chance(1, 2);
        let root = self.module.omega.root();
        let origins: Vec<Origin> = outside.iter().map(|&(origin, _)| origin).collect();
        let phi = Phi::add(&mut self.module.omega, root, &origins, 1 + usize::from(with_data));
        let times = 1 + self.entropy.below(4) as u64;
        let what = self.callee(symbol, &signature, vec![(0, times)]);
        let omega = &self.module.omega;
        let region = phi.region(omega);
        let fix: Vec<_> = phi.fix_vars(omega).collect();
        let mut context: Vec<(Origin, Option<Known>)> =
            phi.context_vars(omega).zip(&outside).map(|(var, &(_, what))| (var.argument, what)).collect();
        // Only the one call that counts down is of the function itself.
        context.extend(fix.iter().map(|var| (var.argument, None)));
        let recursion = (context.len() - fix.len(), self.callees.len() - 1);
        let recursion = (!self.weights.defined || self.entropy.chance(3, 4)).then_some(recursion);
        let function = self.lambda(region, symbol, &signature, &context, (recursion, None));
        self.module.omega.divert(fix[0].result, function);
        if let Some(var) = fix.get(1) {
            let hole = self.module.pool.intern_const(Constant::Hole { ty: Type::PTR, index: 0 });
            let data = self.variable_symbol(&format!("self{index}"), Type::PTR, Some(hole));
            let symbol = self.module.add_symbol(data);
            let input = fix[0].argument;
            let node = self.module.omega.add_node(region, NodeKind::Delta(symbol), &[input], &[Type::PTR]);
            let output = self.module.omega.output(node, 0);
            self.module.omega.divert(var.result, output);
            self.known.push((symbol, var.output, None));
        }
        self.defined(symbol, fix[0].output, Some(what));
    }
}
