//! Global variable optimization: variables that only this module can reach, and that it never writes, are constant; stores to those that
//! it never reads are dead.
//!
//! ```text
//! @size = internal global i32 4
//! @last = internal global i32 0
//!
//! lambda @f [@size, @last] (v0: i32, mem0, io0) {
//!   v1: i32, mem1 = load @size, mem0, align 4
//!   mem2 = store v0, @last, mem1, align 4
//!   yield v1, mem2, io0
//! }
//! ```
//!
//! becomes, if there are no other uses,
//!
//! ```text
//! @size = internal constant i32 4
//!
//! lambda @f [@size] (v0: i32, mem0, io0) {
//!   v1: i32, mem1 = load @size, mem0, align 4
//!   yield v1, mem1, io0
//! }
//! ```
//!
//! The analysis is [`VariableUses`]. Constant loads ([`crate::module::constant_loads`]) fold the loads of what became constant, and dead
//! node elimination removes variables without uses.
//!
//! A variable whose address is neither stored nor passed on is marked as `unescaped`: no other pointer leads to it, which alias analysis
//! uses. So is one as `owner` that holds only null and addresses of allocations to which nothing else leads: pointers loaded from two owners
//! lead to different memory.
//!
//! Statistics: `constants`; `owners`; `unescaped` variables; `stores` that were dead.
//!
//! Running it again changes nothing.
//!
//! Cost: linear in the size of the module.
//!
//! Left out: variables that are written once, or only with the value that they have; variables that only one function uses; fills and
//! copies that write dead variables.
//!
//! After LLVM's globalopt.

use rvsdg_analysis::VariableUses;
use rvsdg_analysis::callee::argument_of_root;
use rvsdg_analysis::captures::stepped_from;
use rvsdg_analysis::invariant::follow_out;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::module::SymbolKind;
use rvsdg_core::{Graph, Module, Node, NodeKind, Op, Symbol};

use crate::pass::{Change, ModulePass, PassCx, Stage};

/// The one stage of the pass.
pub struct GlobalVariables;

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Module(Box::new(GlobalVariables))]
}

impl ModulePass for GlobalVariables {
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change {
        let uses = VariableUses::of(module);
        let mut change = make_constant(module, &uses, cx);
        change |= mark(module, &uses, cx);
        for lambda in module.lambdas() {
            let symbols = module.context_symbols(lambda);
            let is_dead = |&symbol: &Symbol| {
                uses.get(symbol).is_some_and(|how| how.written && (!how.read || seeded::is_active(Bug::GlvRead)))
            };
            let dead: Vec<bool> = symbols.iter().map(is_dead).collect();
            let Some(graph) = module.bodies[lambda.body()].graph_mut().filter(|_| dead.contains(&true)) else {
                continue;
            };
            if remove_stores(graph, &dead, cx).is_changed() {
                cx.body_changed(lambda.body());
                change = Change::Changed;
            }
        }
        change
    }
}

/// Marks variables that are never written.
fn make_constant(module: &mut Module, uses: &VariableUses, cx: &PassCx) -> Change {
    let is_never_written =
        |symbol| uses.get(symbol).is_some_and(|how| how.read && (!how.written || seeded::is_active(Bug::GlvWritten)));
    let mut change = Change::Unchanged;
    let Module { omega, symbols, .. } = module;
    for node in omega.all_nodes() {
        let NodeKind::Delta(symbol) = omega.kind(node) else { continue };
        if let SymbolKind::Variable { constant, .. } = &mut symbols[symbol].kind
            && !*constant
            && is_never_written(symbol)
            && cx.rewrite("constants", omega, node)
        {
            *constant = true;
            cx.count("constants", 1);
            change = Change::Changed;
        }
    }
    change
}

/// Marks variables to which no pointers lead but those computed where they are mentioned, and those that own what they point to.
fn mark(module: &mut Module, uses: &VariableUses, cx: &PassCx) -> Change {
    let mut change = Change::Unchanged;
    let Module { omega, symbols, .. } = module;
    for node in omega.all_nodes() {
        let NodeKind::Delta(symbol) = omega.kind(node) else { continue };
        let SymbolKind::Variable { unescaped, owner, .. } = &mut symbols[symbol].kind else { continue };
        let is_unescaped = uses.is_unescaped(symbol);
        for (mark, holds, name) in
            [(unescaped, is_unescaped, "unescaped"), (owner, is_unescaped && uses.is_owner(symbol), "owners")]
        {
            if !*mark && holds && cx.rewrite(name, omega, node) {
                *mark = true;
                cx.count(name, 1);
                change = Change::Changed;
            }
        }
    }
    change
}

/// Removes stores to dead variables, by context variable.
fn remove_stores(graph: &mut Graph, dead: &[bool], cx: &PassCx) -> Change {
    let stores: Vec<Node> = graph.all_nodes().filter(|&node| is_store_to(graph, node, dead)).collect();
    let mut change = Change::Unchanged;
    for store in stores {
        if !cx.rewrite("stores", graph, store) {
            continue;
        }
        let (before, after) = (graph.input(store, 2), graph.output(store, 0));
        graph.divert_users(after, before);
        graph.remove(store);
        cx.count("stores", 1);
        change = Change::Changed;
    }
    change
}

/// Whether a node is a plain store to one of some variables, and cannot be a store to anything else.
fn is_store_to(graph: &Graph, node: Node, variables: &[bool]) -> bool {
    if !matches!(graph.op(node), Some(Op::Store(access)) if access.is_plain()) {
        return false;
    }
    let (mut address, _) = follow_out(graph, graph.input(node, 1));
    while let Some(from) = graph.producer(address).and_then(|step| stepped_from(graph, step)) {
        (address, _) = follow_out(graph, from);
    }
    argument_of_root(graph, address).and_then(|index| variables.get(index)).is_some_and(|&is_one| is_one)
}
