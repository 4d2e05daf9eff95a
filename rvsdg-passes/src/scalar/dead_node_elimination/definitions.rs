//! Dead definitions, variables and imports at the ω level.

use cranelift_entity::EntitySet;
use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::order::Orders;
use rvsdg_core::module::{SymbolKind, SymbolicConst};
use rvsdg_core::structural::{Lambda, Phi};
use rvsdg_core::{Body, Graph, Module, Node, NodeKind, Origin, OriginDef, Region, Symbol};

use crate::pass::{Change, ModulePass, PassCx};

/// The stage of [dead node elimination](super) for the ω level.
///
/// Alive are exports that may not be [discarded](rvsdg_core::SymbolData::is_discardable) and, transitively: the symbols that a live
/// body's context variables or a live variable's initializer name, the symbols in a live function's personality, prefix and prologue, and
/// all definitions of a comdat with a live one (the linker keeps or drops them together), including their aliases. A body that stays
/// untouched keeps all its context variables alive. These are the rules of LLVM's `globaldce`, which also empties lists of constructors
/// that do nothing, and drops virtual functions on request.
pub struct DeadDefinitions;

impl ModulePass for DeadDefinitions {
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change {
        let alive = mark(module);
        let mut sweep = Sweep { module, alive, dead: FxHashSet::default(), cx, change: Change::Unchanged };
        sweep.run();
        sweep.change
    }
}

struct Mark<'m> {
    module: &'m Module,
    origins: EntitySet<Origin>,
    nodes: EntitySet<Node>,
    pending: Vec<Origin>,
    /// The definition or import of each symbol that may be live without an edge.
    places: FxHashMap<Symbol, Origin>,
    comdats: Comdats<'m>,
}

fn mark(module: &Module) -> Alive {
    let omega = &module.omega;
    let places = places(module);
    let exports = omega.result_origins(omega.root());
    let mut mark = Mark {
        module,
        origins: EntitySet::with_capacity(omega.origin_bound()),
        nodes: EntitySet::with_capacity(omega.node_bound()),
        pending: exports.filter(|&export| !module.symbols[module.symbol_of(export)].is_discardable()).collect(),
        comdats: Comdats::new(module, &places),
        places,
    };
    while let Some(origin) = mark.pending.pop() {
        if mark.origins.insert(origin) {
            mark.origin(origin);
        }
    }
    Alive { origins: mark.origins, nodes: mark.nodes }
}

/// The definition or import of each symbol.
fn places(module: &Module) -> FxHashMap<Symbol, Origin> {
    let omega = &module.omega;
    let imports = module.imports.iter().copied().zip(omega.arguments(omega.root()).iter().copied());
    let definitions = omega.all_nodes().filter_map(|node| match omega.kind(node) {
        NodeKind::Lambda(body) => Some((module.bodies[body].symbol, omega.output(node, 0))),
        NodeKind::Delta(symbol) => Some((symbol, omega.output(node, 0))),
        NodeKind::Phi | NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta => None,
    });
    imports.chain(definitions).collect()
}

impl Mark<'_> {
    fn origin(&mut self, origin: Origin) {
        let omega = &self.module.omega;
        match omega.def(origin) {
            OriginDef::Output(node, index) => {
                self.node(node);
                if let Some(phi) = Phi::new(omega, node) {
                    self.pending.push(omega.result(phi.region(omega), index as usize));
                }
            }
            OriginDef::Argument(region, index) => {
                let Some(node) = omega.parent(region) else { return };
                let (index, context) = (index as usize, omega.inputs(node).len());
                self.pending.push(match index.checked_sub(context) {
                    None => omega.input(node, index),
                    Some(recursion) => omega.output(node, recursion),
                });
            }
        }
    }

    fn node(&mut self, node: Node) {
        if !self.nodes.insert(node) {
            return;
        }
        let omega = &self.module.omega;
        // A definition that is live without an edge keeps its φ alive.
        if let Some(around) = omega.parent(omega.region_of(node)) {
            self.node(around);
            for output in omega.outputs(node).iter().flat_map(|&output| omega.users_of(output)) {
                if let rvsdg_core::Use::Result(_, index) = omega.site(output) {
                    self.pending.push(omega.output(around, index as usize));
                }
            }
        }
        match omega.kind(node) {
            NodeKind::Lambda(body) => {
                let needed = needed_context(self.module, body, omega.inputs(node).len());
                self.pending.extend(
                    omega.input_origins(node).zip(needed).filter_map(|(input, needed)| needed.then_some(input)),
                );
                self.symbol(self.module.bodies[body].symbol);
            }
            NodeKind::Delta(symbol) => {
                self.pending.extend(omega.input_origins(node));
                self.symbol(symbol);
            }
            NodeKind::Phi => {}
            NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta => {
                unreachable!("the ω level has only λ, φ and δ nodes")
            }
        }
    }

    /// Marks what a definition needs without an edge.
    fn symbol(&mut self, symbol: Symbol) {
        let data = &self.module.symbols[symbol];
        let mut named: Vec<Symbol> = Vec::new();
        if let SymbolKind::Function { personality, prefix, prologue, .. } = &data.kind {
            let constants = [personality, prefix, prologue];
            named.extend(constants.into_iter().flatten().flat_map(|SymbolicConst { symbols, .. }| symbols));
        }
        named.extend(self.comdats.take(symbol));
        self.pending.extend(named.iter().filter_map(|symbol| self.places.get(symbol)));
    }
}

/// The definitions that the linker keeps or drops together.
struct Comdats<'m> {
    module: &'m Module,
    members: FxHashMap<&'m str, Vec<Symbol>>,
    /// For aliases, the comdats of their aliasees.
    of_aliases: FxHashMap<Symbol, Vec<&'m str>>,
}

impl<'m> Comdats<'m> {
    fn new(module: &'m Module, places: &FxHashMap<Symbol, Origin>) -> Self {
        let mut comdats = Comdats { module, members: FxHashMap::default(), of_aliases: FxHashMap::default() };
        if module.symbols.values().all(|data| data.comdat.is_none()) {
            return comdats;
        }
        for &symbol in &module.order {
            let data = &module.symbols[symbol];
            if matches!(data.kind, SymbolKind::Alias { .. }) {
                let of_alias = comdats.behind(symbol, places);
                for comdat in &of_alias {
                    comdats.members.entry(comdat).or_default().push(symbol);
                }
                comdats.of_aliases.insert(symbol, of_alias);
            } else if let Some(comdat) = &data.comdat {
                comdats.members.entry(comdat).or_default().push(symbol);
            }
        }
        comdats
    }

    /// The comdats of everything that an alias refers to, through other aliases.
    fn behind(&self, alias: Symbol, places: &FxHashMap<Symbol, Origin>) -> Vec<&'m str> {
        let (omega, mut comdats, mut pending) = (&self.module.omega, Vec::new(), vec![alias]);
        let mut seen = FxHashSet::default();
        while let Some(symbol) = pending.pop() {
            if !seen.insert(symbol) {
                continue;
            }
            let data = &self.module.symbols[symbol];
            match (&data.kind, places.get(&symbol).map(|&origin| omega.def(origin))) {
                (SymbolKind::Alias { .. }, Some(OriginDef::Output(node, _))) => {
                    pending.extend(omega.input_origins(node).map(|origin| self.module.symbol_of(origin)));
                }
                _ => comdats.extend(data.comdat.as_deref()),
            }
        }
        comdats
    }

    /// The symbols that live with a symbol, when its comdat is visited for the first time.
    fn take(&mut self, symbol: Symbol) -> Vec<Symbol> {
        let own = self.module.symbols[symbol].comdat.as_deref();
        let all = own.into_iter().chain(self.of_aliases.remove(&symbol).unwrap_or_default());
        all.filter_map(|comdat| self.members.remove(comdat)).flatten().collect()
    }
}

/// Which of a body's context variables it uses.
fn needed_context(module: &Module, body: Body, context: usize) -> Vec<bool> {
    match module.bodies[body].graph() {
        Some(graph) => {
            let arguments = &graph.arguments(graph.root())[..context];
            arguments.iter().map(|&argument| graph.has_users(argument)).collect()
        }
        None => vec![true; context],
    }
}

struct Alive {
    origins: EntitySet<Origin>,
    nodes: EntitySet<Node>,
}

/// The next step of the sweep phase, a stack.
enum Step {
    Region(Region),
    Node(Node),
    /// A φ whose region is done.
    Variables(Phi),
}

struct Sweep<'a> {
    module: &'a mut Module,
    alive: Alive,
    /// Symbols to remove.
    dead: FxHashSet<Symbol>,
    cx: &'a PassCx,
    change: Change,
}

impl Sweep<'_> {
    fn run(&mut self) {
        self.exports();
        let mut orders = Orders::default();
        let mut steps = vec![Step::Region(self.module.omega.root())];
        while let Some(step) = steps.pop() {
            match step {
                Step::Region(region) => {
                    steps.extend(orders.topological(&self.module.omega, region).iter().copied().map(Step::Node));
                }
                Step::Node(node) if !self.alive.nodes.contains(node) => self.remove(node),
                Step::Node(node) => {
                    let omega = &mut self.module.omega;
                    if let Some(lambda) = Lambda::new(omega, node) {
                        self.context(lambda);
                    } else if let Some(phi) = Phi::new(omega, node) {
                        // Dead variables are removed when the region is done; until then they must not keep definitions alive.
                        let variables: Vec<_> = phi.fix_vars(omega).collect();
                        for variable in
                            variables.iter().filter(|variable| !self.alive.origins.contains(variable.output))
                        {
                            omega.divert(variable.result, variable.argument);
                        }
                        steps.extend([Step::Variables(phi), Step::Region(phi.region(omega))]);
                    }
                }
                Step::Variables(phi) => self.variables(phi),
            }
        }
        self.imports();
        if !self.dead.is_empty() {
            self.comdats();
            let dead = &self.dead;
            self.module.order.retain(|symbol| !dead.contains(symbol));
            self.module.symbols.retain(|symbol, _| !dead.contains(&symbol));
        }
    }

    /// Removes the exports of dead definitions.
    fn exports(&mut self) {
        let omega = &mut self.module.omega;
        let kept: Vec<bool> =
            omega.result_origins(omega.root()).map(|origin| self.alive.origins.contains(origin)).collect();
        omega.retain_results(omega.root(), |index| kept[index]);
    }

    /// Removes comdats without definitions.
    fn comdats(&mut self) {
        let (symbols, dead) = (&self.module.symbols, &self.dead);
        let of = |gone: bool| -> FxHashSet<&str> {
            let symbols = symbols.iter().filter(|(symbol, _)| dead.contains(symbol) == gone);
            symbols.filter_map(|(_, data)| data.comdat.as_deref()).collect()
        };
        let (lost, left) = (of(true), of(false));
        self.module.header.comdats.retain(|(name, _)| left.contains(&**name) || !lost.contains(&**name));
    }

    fn count(&mut self, counter: &'static str, amount: usize) {
        self.cx.count(counter, amount as u64);
        self.change |= Change::when(amount > 0);
    }

    /// Removes a node with all definitions in it.
    fn remove(&mut self, node: Node) {
        let mut nodes = vec![node];
        let (mut functions, mut data) = (0, 0);
        while let Some(node) = nodes.pop() {
            let omega = &self.module.omega;
            match omega.kind(node) {
                NodeKind::Lambda(body) => {
                    let body = self.module.bodies.remove(body).expect("a λ has a body");
                    self.dead.insert(body.symbol);
                    functions += 1;
                }
                NodeKind::Delta(symbol) => {
                    self.dead.insert(symbol);
                    data += 1;
                }
                NodeKind::Phi | NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta => {
                    nodes.extend(omega.subregions(node).iter().flat_map(|&region| omega.nodes(region)));
                }
            }
        }
        self.module.omega.remove(node);
        self.count("functions", functions);
        self.count("data", data);
    }

    fn context(&mut self, lambda: Lambda) {
        let context = lambda.context(&self.module.omega).len();
        let needed = needed_context(self.module, lambda.body(), context);
        let dead = needed.iter().filter(|&&needed| !needed).count();
        if dead > 0 {
            self.module.omega.retain_inputs(lambda.node(), |index| needed[index]);
            let graph = self.module.bodies[lambda.body()].graph_mut().expect("an untouched body needs all its context");
            graph.retain_arguments(graph.root(), |index| index >= context || needed[index]);
            self.count("context_variables", dead);
        }
    }

    fn variables(&mut self, phi: Phi) {
        let omega = &mut self.module.omega;
        let alive = &self.alive.origins;
        let kept: Vec<bool> = phi.fix_vars(omega).map(|variable| alive.contains(variable.output)).collect();
        phi.retain_fix_vars(omega, |index| kept[index]);
        let kept_context: Vec<bool> =
            phi.context_vars(omega).map(|variable| alive.contains(variable.argument)).collect();
        phi.retain_context_vars(omega, |index| kept_context[index]);
        self.count("recursion_variables", kept.iter().filter(|&&kept| !kept).count());
        self.count("context_variables", kept_context.iter().filter(|&&kept| !kept).count());
    }

    fn imports(&mut self) {
        let omega: &mut Graph = &mut self.module.omega;
        let root = omega.root();
        let kept: Vec<bool> =
            omega.arguments(root).iter().map(|&argument| self.alive.origins.contains(argument)).collect();
        let dead = kept.iter().filter(|&&kept| !kept).count();
        if dead > 0 {
            omega.retain_arguments(root, |index| kept[index]);
            let mut kept = kept.iter();
            let symbols = &mut self.dead;
            self.module.imports.retain(|&symbol| {
                let kept = *kept.next().expect("one symbol per argument");
                if !kept {
                    symbols.insert(symbol);
                }
                kept
            });
        }
        self.count("imports", dead);
    }
}
