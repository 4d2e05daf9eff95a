//! From a graph, or a control flow graph, to a list of instructions.
//!
//! Cost: linear in the graph. Regions are walked with an explicit stack.

mod call;
mod flow;
mod op;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::{self, Cfg};
use rvsdg_core::attribute::{AttributeKind, AttributeList, has};
use rvsdg_core::layout::Layouts;
use rvsdg_core::module::SymbolKind;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Const, Graph, Module, Node, NodeKind, Origin, Region, Symbol, Type, TypeKind};

use crate::code::{CONSTANT, Code, Inst, NOWHERE, Slot};
use crate::constants::Types;
use crate::machine::functions::Functions;
use crate::outcome::Res;
use crate::value::Value;

/// What translation looks up.
pub(crate) struct Context<'a> {
    pub module: &'a Module,
    pub layouts: &'a mut Layouts,
    pub functions: &'a Functions,
    /// Whether events are recorded.
    pub record: bool,
    /// Whether warps execute the code.
    pub warps: bool,
    /// Whether it is noted where each value is defined.
    pub watched: bool,
}

/// Where operations stand. Operations, operands and results are known by number: nodes and origins of a graph, instructions and
/// values of a control flow graph.
#[derive(Copy, Clone)]
enum Body<'a> {
    Graph(&'a Graph),
    Flow(&'a Cfg),
}

impl<'a> Body<'a> {
    fn inputs(self, node: u32) -> impl Iterator<Item = u32> + use<'a> {
        let (graph, flow) = match self {
            Body::Graph(graph) => (Some(graph.input_origins(Node::from_u32(node)).map(|origin| origin.as_u32())), None),
            Body::Flow(cfg) => (None, Some(cfg.operands(cfg::Inst::from_u32(node)).iter().map(|value| value.as_u32()))),
        };
        graph.into_iter().flatten().chain(flow.into_iter().flatten())
    }

    fn input(self, node: u32, index: usize) -> u32 {
        match self {
            Body::Graph(graph) => graph.input(Node::from_u32(node), index).as_u32(),
            Body::Flow(cfg) => cfg.operands(cfg::Inst::from_u32(node))[index].as_u32(),
        }
    }

    fn outputs(self, node: u32) -> impl Iterator<Item = u32> + use<'a> {
        let (graph, flow) = match self {
            Body::Graph(graph) => (graph.outputs(Node::from_u32(node)), &[][..]),
            Body::Flow(cfg) => (&[][..], cfg.results(cfg::Inst::from_u32(node))),
        };
        graph.iter().map(|origin| origin.as_u32()).chain(flow.iter().map(|value| value.as_u32()))
    }

    fn output(self, node: u32, index: usize) -> u32 {
        match self {
            Body::Graph(graph) => graph.output(Node::from_u32(node), index).as_u32(),
            Body::Flow(cfg) => cfg.results(cfg::Inst::from_u32(node))[index].as_u32(),
        }
    }

    fn ty(self, value: u32) -> Type {
        match self {
            Body::Graph(graph) => graph.ty(Origin::from_u32(value)),
            Body::Flow(cfg) => cfg.ty(cfg::Value::from_u32(value)),
        }
    }

    fn values(self) -> usize {
        match self {
            Body::Graph(graph) => graph.origin_bound(),
            Body::Flow(cfg) => cfg.value_count(),
        }
    }
}

struct Translator<'a> {
    body: Body<'a>,
    functions: &'a Functions,
    module: &'a Module,
    record: bool,
    warps: bool,
    watched: bool,
    types: Types<'a>,
    insts: Vec<Inst>,
    nodes: Vec<u32>,
    /// By value.
    slots: Vec<Slot>,
    constants: Vec<Value>,
    known: FxHashMap<Const, Slot>,
    /// Predicates that nothing computes: the bit they are matched from, and its alternatives.
    bits: FxHashMap<u32, (Slot, [u32; 2])>,
    /// Slots in use, and the most there were.
    height: u32,
    most: u32,
    /// The node that is being translated.
    node: u32,
    /// By number of the instruction after which it holds: an origin of the graph and its slot.
    defined: Vec<(u32, Origin, Slot)>,
    /// Where blocks of a control flow graph begin.
    blocks: Vec<(u32, u32)>,
}

/// A region or structural node in the middle of being translated.
enum Task {
    Nodes { order: Vec<Node>, next: usize },
    Gamma { node: Node, next: usize, choice: Choice, places: Vec<u32>, jumps: Vec<usize>, height: u32 },
    Theta { node: Node, place: u32, height: u32 },
}

/// How a γ chooses, by the instruction at a position, which is written when the places of the alternatives are known.
#[derive(Copy, Clone)]
enum Choice {
    /// By an `i1`: the alternatives for false and true.
    Branch {
        at: usize,
        condition: Slot,
        alternatives: [u32; 2],
    },
    Switch {
        at: usize,
        predicate: Slot,
    },
}

/// The code of a body whose context variables are these symbols.
pub(crate) fn translate(mut cx: Context<'_>, symbol: Symbol, graph: &Graph, context: &[Value]) -> Res<Code> {
    let mut translator = Translator::new(&mut cx, Body::Graph(graph));
    let arguments = graph.arguments(graph.root());
    let (contexts, parameters) = arguments.split_at(context.len());
    for (&argument, value) in contexts.iter().zip(context) {
        let slot = translator.value_constant(value.clone());
        translator.set(argument.as_u32(), slot);
    }
    let parameters = parameters.iter().filter(|&&argument| !graph.ty(argument).is_state());
    let slots = parameters.map(|&argument| translator.fresh(argument.as_u32())).collect();
    translator.region(graph, graph.root())?;
    let has_result =
        graph.results(graph.root()).first().is_some_and(|&result| !graph.ty(graph.origin(result)).is_state());
    let value = if has_result { translator.slot(graph.result(graph.root(), 0).as_u32()) } else { NOWHERE };
    translator.push(Inst::Return(value));
    translator.finish(symbol, slots)
}

/// The code of a body in the form of a control flow graph.
pub(crate) fn translate_flow(mut cx: Context<'_>, symbol: Symbol, cfg: &Cfg, context: &[Value]) -> Res<Code> {
    let mut translator = Translator::new(&mut cx, Body::Flow(cfg));
    for (value, address) in cfg.contexts().iter().zip(context) {
        let slot = translator.value_constant(address.clone());
        translator.set(value.as_u32(), slot);
    }
    let slots = cfg.params().iter().map(|value| translator.fresh(value.as_u32())).collect();
    translator.flow(cfg)?;
    translator.finish(symbol, slots)
}

impl<'a> Translator<'a> {
    fn new<'c: 'a>(cx: &'a mut Context<'c>, body: Body<'a>) -> Translator<'a> {
        let Context { module, layouts, functions, record, warps, watched } = cx;
        let pool = match body {
            Body::Graph(graph) => graph.pool(),
            Body::Flow(cfg) => cfg.pool(),
        };
        Translator {
            body,
            functions,
            module,
            record: *record,
            warps: *warps,
            watched: *watched,
            types: Types { pool, layouts },
            insts: Vec::new(),
            nodes: Vec::new(),
            slots: vec![NOWHERE; body.values()],
            constants: Vec::new(),
            known: FxHashMap::default(),
            bits: FxHashMap::default(),
            height: 0,
            most: 0,
            node: 0,
            defined: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// The code, once all instructions are there; `slots` are those of the parameters.
    fn finish(mut self, symbol: Symbol, slots: Box<[Slot]>) -> Res<Code> {
        let data = &self.module.symbols[symbol];
        let TypeKind::Function { result, params, variadic } = self.types.pool.type_kind(data.value_type) else {
            return crate::outcome::unsupported("function whose type is none");
        };
        let none = AttributeList::default();
        let attributes = match &data.kind {
            SymbolKind::Function { attributes, .. } => self.types.pool.attributes(*attributes),
            SymbolKind::Variable { .. } | SymbolKind::Alias { .. } | SymbolKind::IFunc { .. } => &none,
        };
        let by_value = self.by_value(attributes)?;
        let defined = attributes.params.iter().enumerate().filter(|(_, set)| has(set, AttributeKind::NoUndef));
        Ok(Code {
            symbol,
            name: self.functions.name(self.module, symbol).into(),
            insts: self.insts,
            nodes: self.nodes,
            constants: self.constants,
            slots: self.most,
            params: slots,
            param_types: params.clone(),
            result: *result,
            variadic: *variadic,
            no_return: attributes.function_has(AttributeKind::NoReturn),
            no_unwind: attributes.function_has(AttributeKind::NoUnwind),
            by_value,
            defined_result: attributes.result_has(AttributeKind::NoUndef),
            defined: defined.map(|(index, _)| index as u32).collect(),
            blocks: self.blocks.into(),
            watched: self.defined.into(),
        })
    }

    fn push(&mut self, inst: Inst) -> usize {
        self.insts.push(inst);
        self.nodes.push(self.node);
        self.insts.len() - 1
    }

    fn here(&self) -> u32 {
        self.insts.len() as u32
    }

    /// A slot that nothing uses yet.
    fn new_slot(&mut self) -> Slot {
        self.height += 1;
        self.most = self.most.max(self.height);
        self.height - 1
    }

    /// A new slot for a value; none for a state.
    fn fresh(&mut self, value: u32) -> Slot {
        if self.body.ty(value).is_state() {
            return NOWHERE;
        }
        let slot = self.new_slot();
        self.set(value, slot);
        slot
    }

    fn set(&mut self, value: u32, slot: Slot) {
        self.slots[value as usize] = slot;
    }

    fn slot(&self, value: u32) -> Slot {
        self.slots[value as usize]
    }

    fn slot_of(&self, origin: Origin) -> Slot {
        self.slot(origin.as_u32())
    }

    /// Notes that the next instruction finds these origins defined, where that is asked for. `here` is an instruction of its
    /// own where others may lead to the same place.
    fn note(&mut self, origins: &[Origin], own: bool) {
        if !self.watched || origins.is_empty() {
            return;
        }
        if own {
            self.push(Inst::Nothing);
        }
        let Some(after) = self.here().checked_sub(1) else { return };
        for &origin in origins {
            let slot = self.slot_of(origin);
            if slot & CONSTANT == 0 {
                self.defined.push((after, origin, slot));
            }
        }
    }

    fn value_constant(&mut self, value: Value) -> Slot {
        self.constants.push(value);
        CONSTANT | (self.constants.len() as u32 - 1)
    }

    /// The value of a slot that is a constant.
    fn constant_of(&self, slot: Slot) -> Option<&Value> {
        (slot & CONSTANT != 0).then(|| &self.constants[(slot & !CONSTANT) as usize])
    }

    fn region(&mut self, graph: &'a Graph, root: Region) -> Res<()> {
        let mut tasks = vec![Task::Nodes { order: graph.topological(root), next: 0 }];
        while let Some(task) = tasks.last_mut() {
            match task {
                Task::Nodes { order, next } => {
                    let Some(&node) = order.get(*next) else {
                        tasks.pop();
                        continue;
                    };
                    *next += 1;
                    self.node = node.as_u32();
                    match graph.kind(node) {
                        NodeKind::Simple(op) => {
                            let before = self.here();
                            self.simple(node.as_u32(), op)?;
                            if self.here() > before {
                                self.note(graph.outputs(node), false);
                            }
                        }
                        NodeKind::Gamma => {
                            let predicate = self.slot_of(graph.input(node, 0));
                            for &output in graph.outputs(node) {
                                self.fresh(output.as_u32());
                            }
                            let at = self.push(Inst::Jump(0));
                            let choice = match self.bits.get(&graph.input(node, 0).as_u32()) {
                                Some(&(condition, alternatives)) => Choice::Branch { at, condition, alternatives },
                                None => Choice::Switch { at, predicate },
                            };
                            let height = self.height;
                            let (places, jumps) = (Vec::new(), Vec::new());
                            tasks.push(Task::Gamma { node, next: 0, choice, places, jumps, height });
                        }
                        NodeKind::Theta => {
                            let height = self.enter_theta(graph, node);
                            let body = graph.subregions(node)[0];
                            tasks.push(Task::Theta { node, place: self.here(), height });
                            self.note(graph.arguments(body), true);
                            tasks.push(Task::Nodes { order: graph.topological(body), next: 0 });
                        }
                        NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => {
                            return crate::outcome::unsupported("a definition within a body");
                        }
                    }
                }
                Task::Gamma { node, next, choice, places, jumps, height } => {
                    let node = *node;
                    self.node = node.as_u32();
                    let regions = graph.subregions(node);
                    if *next > 0 {
                        self.leave_gamma(graph, node, regions[*next - 1]);
                        if *next < regions.len() {
                            jumps.push(self.push(Inst::Jump(0)));
                        }
                    }
                    self.height = *height;
                    if let Some(&region) = regions.get(*next) {
                        places.push(self.here());
                        *next += 1;
                        let gamma = Gamma::new(graph, node).expect("the node is a γ");
                        for (variable, &argument) in gamma.entry_vars(graph).zip(graph.arguments(region)) {
                            let slot = self.slot_of(graph.origin(variable.input));
                            self.set(argument.as_u32(), slot);
                        }
                        self.note(graph.arguments(region), true);
                        tasks.push(Task::Nodes { order: graph.topological(region), next: 0 });
                    } else {
                        let end = self.here();
                        for jump in std::mem::take(jumps) {
                            self.insts[jump] = Inst::Jump(end);
                        }
                        let places = std::mem::take(places);
                        match *choice {
                            Choice::Branch { at, condition, alternatives } => {
                                let places = alternatives.map(|alternative| places[alternative as usize]);
                                self.insts[at] = Inst::Branch { condition, places };
                            }
                            Choice::Switch { at, predicate } => {
                                self.insts[at] = Inst::Switch { predicate, places: places.into() };
                            }
                        }
                        self.note(graph.outputs(node), true);
                        tasks.pop();
                    }
                }
                Task::Theta { node, place, height } => {
                    let (node, place, height) = (*node, *place, *height);
                    self.node = node.as_u32();
                    self.leave_theta(graph, node, place);
                    self.note(graph.outputs(node), true);
                    self.height = height;
                    tasks.pop();
                }
            }
        }
        Ok(())
    }

    fn leave_gamma(&mut self, graph: &Graph, node: Node, region: Region) {
        for (result, &output) in graph.result_origins(region).zip(graph.outputs(node)) {
            let (from, to) = (self.slot_of(result), self.slot_of(output));
            if from != to {
                self.push(Inst::Copy(to, from));
            }
        }
    }

    /// Gives loop variables their slots and first values; returns the height after the loop.
    fn enter_theta(&mut self, graph: &Graph, node: Node) -> u32 {
        let theta = Theta::new(graph, node).expect("the node is a θ");
        for variable in theta.loop_vars(graph) {
            let input = self.slot_of(graph.origin(variable.input));
            if graph.origin(variable.post) == variable.pre {
                self.set(variable.pre.as_u32(), input);
                self.set(variable.output.as_u32(), input);
            } else {
                let slot = self.fresh(variable.pre.as_u32());
                self.set(variable.output.as_u32(), slot);
                if slot != NOWHERE {
                    self.push(Inst::Copy(slot, input));
                }
            }
        }
        self.height
    }

    fn leave_theta(&mut self, graph: &Graph, node: Node, place: u32) {
        let theta = Theta::new(graph, node).expect("the node is a θ");
        let predicate = graph.origin(theta.predicate(graph)).as_u32();
        let bit = self.bits.get(&predicate).copied();
        let mut predicate = bit.map_or(self.slot(predicate), |(bit, _)| bit);
        let copies: Vec<(Slot, Slot)> = theta
            .loop_vars(graph)
            .map(|variable| (self.slot_of(variable.pre), self.slot_of(graph.origin(variable.post))))
            .filter(|(to, from)| to != from)
            .collect();
        if copies.iter().any(|&(to, _)| to == predicate) {
            let kept = self.new_slot();
            self.push(Inst::Copy(kept, predicate));
            predicate = kept;
        }
        self.copies(copies);
        match bit {
            Some((_, alternatives)) => {
                let end = self.here() + 1;
                let places = alternatives.map(|again| if again == 1 { place } else { end });
                self.push(Inst::Branch { condition: predicate, places });
            }
            None => {
                self.push(Inst::Repeat { predicate, place });
            }
        }
    }

    /// Assignments that are done at once.
    fn copies(&mut self, copies: Vec<(Slot, Slot)>) {
        let overwritten = |index: usize| copies[..index].iter().any(|&(to, _)| to == copies[index].1);
        if copies.len() <= 64 && !(0..copies.len()).any(overwritten) {
            for (to, from) in copies {
                self.push(Inst::Copy(to, from));
            }
        } else {
            self.push(Inst::Copies(copies.into()));
        }
    }

    fn layout(&mut self, ty: Type) -> Res<Arc<rvsdg_core::layout::Layout>> {
        self.types.layout(ty)
    }
}
