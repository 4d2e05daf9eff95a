//! From a graph to a list of instructions.
//!
//! Cost: linear in the graph. Regions are walked with an explicit stack.

mod call;
mod op;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use rvsdg_core::attribute::{Attribute, AttributeList};
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
}

struct Translator<'a> {
    graph: &'a Graph,
    functions: &'a Functions,
    module: &'a Module,
    record: bool,
    types: Types<'a>,
    insts: Vec<Inst>,
    nodes: Vec<u32>,
    /// By origin.
    slots: Vec<Slot>,
    constants: Vec<Value>,
    known: FxHashMap<Const, Slot>,
    /// Predicates that nothing computes: the bit they are matched from, and its alternatives.
    bits: FxHashMap<Origin, (Slot, [u32; 2])>,
    /// Slots in use, and the most there were.
    height: u32,
    most: u32,
    /// The node that is being translated.
    node: u32,
}

/// A region or structural node in the middle of being translated.
enum Task {
    Nodes { order: Vec<Node>, next: usize },
    Gamma { node: Node, next: usize, switch: usize, places: Vec<u32>, jumps: Vec<usize>, height: u32 },
    Theta { node: Node, place: u32, height: u32 },
}

/// The code of a body whose context variables are these symbols.
pub(crate) fn translate(cx: Context<'_>, symbol: Symbol, graph: &Graph, context: &[Value]) -> Res<Code> {
    let Context { module, layouts, functions, record } = cx;
    let pool = graph.pool();
    let data = &module.symbols[symbol];
    let mut translator = Translator {
        graph,
        functions,
        module,
        record,
        types: Types { pool, layouts },
        insts: Vec::new(),
        nodes: Vec::new(),
        slots: vec![NOWHERE; graph.origin_bound()],
        constants: Vec::new(),
        known: FxHashMap::default(),
        bits: FxHashMap::default(),
        height: 0,
        most: 0,
        node: 0,
    };
    let arguments = graph.arguments(graph.root());
    for (&argument, value) in arguments.iter().zip(context) {
        let slot = translator.value_constant(value.clone());
        translator.set(argument, slot);
    }
    let TypeKind::Function { result, params, variadic } = pool.type_kind(data.value_type) else {
        return crate::outcome::unsupported("function whose type is none");
    };
    let params_at = &arguments[context.len()..context.len() + params.len()];
    let slots = params_at.iter().map(|&argument| translator.fresh(argument)).collect();
    translator.region(graph.root())?;
    let has_result = *result != Type::VOID;
    let value = if has_result { translator.slot(graph.result(graph.root(), 0)) } else { NOWHERE };
    translator.push(Inst::Return(value));
    let none = AttributeList::default();
    let attributes = match &data.kind {
        SymbolKind::Function { attributes, .. } => pool.attributes(*attributes),
        SymbolKind::Variable { .. } | SymbolKind::Alias { .. } | SymbolKind::IFunc { .. } => &none,
    };
    let by_value = translator.by_value(attributes)?;
    let is_noundef = |attribute: &Attribute| &*attribute.text == "noundef";
    let defined = attributes.params.iter().enumerate().filter(|(_, set)| set.iter().any(is_noundef));
    Ok(Code {
        symbol,
        name: functions.name(module, symbol).into(),
        insts: translator.insts,
        nodes: translator.nodes,
        constants: translator.constants,
        slots: translator.most,
        params: slots,
        param_types: params.clone(),
        result: *result,
        variadic: *variadic,
        no_return: attributes.function_has("noreturn"),
        no_unwind: attributes.function_has("nounwind"),
        by_value,
        defined_result: attributes.result.iter().any(is_noundef),
        defined: defined.map(|(index, _)| index as u32).collect(),
    })
}

impl Translator<'_> {
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

    /// A new slot for an origin; none for a state.
    fn fresh(&mut self, origin: Origin) -> Slot {
        if self.graph.ty(origin).is_state() {
            return NOWHERE;
        }
        let slot = self.new_slot();
        self.set(origin, slot);
        slot
    }

    fn set(&mut self, origin: Origin, slot: Slot) {
        self.slots[origin.as_u32() as usize] = slot;
    }

    fn slot(&self, origin: Origin) -> Slot {
        self.slots[origin.as_u32() as usize]
    }

    fn value_constant(&mut self, value: Value) -> Slot {
        self.constants.push(value);
        CONSTANT | (self.constants.len() as u32 - 1)
    }

    /// The value of a slot that is a constant.
    fn constant_of(&self, slot: Slot) -> Option<&Value> {
        (slot & CONSTANT != 0).then(|| &self.constants[(slot & !CONSTANT) as usize])
    }

    fn region(&mut self, root: Region) -> Res<()> {
        let graph = self.graph;
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
                        NodeKind::Simple(op) => self.simple(node, op)?,
                        NodeKind::Gamma => {
                            let predicate = self.slot(graph.input(node, 0));
                            for &output in graph.outputs(node) {
                                self.fresh(output);
                            }
                            let switch = match self.bits.get(&graph.input(node, 0)) {
                                Some(&(condition, places)) => self.push(Inst::Branch { condition, places }),
                                None => self.push(Inst::Switch { predicate, places: Box::default() }),
                            };
                            let height = self.height;
                            let (places, jumps) = (Vec::new(), Vec::new());
                            tasks.push(Task::Gamma { node, next: 0, switch, places, jumps, height });
                        }
                        NodeKind::Theta => {
                            let height = self.enter_theta(node);
                            let body = graph.subregions(node)[0];
                            tasks.push(Task::Theta { node, place: self.here(), height });
                            tasks.push(Task::Nodes { order: graph.topological(body), next: 0 });
                        }
                        NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => {
                            return crate::outcome::unsupported("a definition within a body");
                        }
                    }
                }
                Task::Gamma { node, next, switch, places, jumps, height } => {
                    let node = *node;
                    self.node = node.as_u32();
                    let regions = graph.subregions(node);
                    if *next > 0 {
                        self.leave_gamma(node, regions[*next - 1]);
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
                            let slot = self.slot(graph.origin(variable.input));
                            self.set(argument, slot);
                        }
                        tasks.push(Task::Nodes { order: graph.topological(region), next: 0 });
                    } else {
                        let end = self.here();
                        for jump in std::mem::take(jumps) {
                            self.insts[jump] = Inst::Jump(end);
                        }
                        let (switch, places) = (*switch, std::mem::take(places));
                        match &mut self.insts[switch] {
                            Inst::Branch { places: alternatives, .. } => {
                                *alternatives = alternatives.map(|alternative| places[alternative as usize]);
                            }
                            Inst::Switch { places: slot, .. } => *slot = places.into(),
                            _ => {}
                        }
                        tasks.pop();
                    }
                }
                Task::Theta { node, place, height } => {
                    let (node, place, height) = (*node, *place, *height);
                    self.node = node.as_u32();
                    self.leave_theta(node, place);
                    self.height = height;
                    tasks.pop();
                }
            }
        }
        Ok(())
    }

    fn leave_gamma(&mut self, node: Node, region: Region) {
        let graph = self.graph;
        for (result, &output) in graph.result_origins(region).zip(graph.outputs(node)) {
            let (from, to) = (self.slot(result), self.slot(output));
            if from != to {
                self.push(Inst::Copy(to, from));
            }
        }
    }

    /// Gives loop variables their slots and first values; returns the height behind the loop.
    fn enter_theta(&mut self, node: Node) -> u32 {
        let graph = self.graph;
        let theta = Theta::new(graph, node).expect("the node is a θ");
        for variable in theta.loop_vars(graph) {
            let input = self.slot(graph.origin(variable.input));
            if graph.origin(variable.post) == variable.pre {
                self.set(variable.pre, input);
                self.set(variable.output, input);
            } else {
                let slot = self.fresh(variable.pre);
                self.set(variable.output, slot);
                if slot != NOWHERE {
                    self.push(Inst::Copy(slot, input));
                }
            }
        }
        self.height
    }

    fn leave_theta(&mut self, node: Node, place: u32) {
        let graph = self.graph;
        let theta = Theta::new(graph, node).expect("the node is a θ");
        let predicate = graph.origin(theta.predicate(graph));
        let bit = self.bits.get(&predicate).copied();
        let mut predicate = bit.map_or(self.slot(predicate), |(bit, _)| bit);
        let copies: Vec<(Slot, Slot)> = theta
            .loop_vars(graph)
            .map(|variable| (self.slot(variable.pre), self.slot(graph.origin(variable.post))))
            .filter(|(to, from)| to != from)
            .collect();
        if copies.iter().any(|&(to, _)| to == predicate) {
            let kept = self.new_slot();
            self.push(Inst::Copy(kept, predicate));
            predicate = kept;
        }
        let overwritten = |index: usize| copies[..index].iter().any(|&(to, _)| to == copies[index].1);
        if copies.len() <= 64 && !(0..copies.len()).any(overwritten) {
            for (to, from) in copies {
                self.push(Inst::Copy(to, from));
            }
        } else {
            self.push(Inst::Copies(copies.into()));
        }
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

    fn layout(&mut self, ty: Type) -> Res<Arc<rvsdg_core::layout::Layout>> {
        self.types.layout(ty)
    }
}
