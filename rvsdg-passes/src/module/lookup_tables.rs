//! Lookup tables: conditionals that only choose among constants, by an integer, become arithmetic on it, or loads from a constant array.
//!
//! ```text
//! lambda @f [] (v0: i32, mem0, io0) {
//!   v1: ctl(5) = match i32 v0 [0 -> 0, 1 -> 1, 2 -> 2, 3 -> 3, _ -> 4]
//!   v2: i32 = gamma v1 ()
//!   case 0 () { v3 = const i32 119  yield v3 }
//!   case 1 () { v4 = const i32 36   yield v4 }
//!   case 2 () { v5 = const i32 93   yield v5 }
//!   case 3 () { v6 = const i32 109  yield v6 }
//!   case 4 () { v7 = const i32 0    yield v7 }
//!   yield v2, mem0, io0
//! }
//! ```
//!
//! becomes
//!
//! ```text
//! @table.f = private unnamed_addr constant [5 x i32] data [119, 36, 93, 109, 0], align 4
//!
//! delta @table.f []
//! lambda @f [@table.f] (v0: i32, mem0, io0) {
//!   v1 = const i32 4
//!   v2: i1 = icmp ult v0, v1
//!   v3: i32 = select v2, v0, v1
//!   v4: i64 = zext v3
//!   v5: ptr = getelementptr inbounds i32, @table.f, v4
//!   v6: i32, mem1 = load v5, mem0, align 4
//!   yield v6, mem1, io0
//! }
//! ```
//!
//! What every other value of the integer chooses may also be a value from before the conditional. Values that differ by the same amount
//! from case to case are computed, and short ones together fill one integer, which is shifted.
//!
//! Counters: `linear`, `packed`, `tables`.
//!
//! Running it again changes nothing.
//!
//! Cost: linear in the size of the module; for each conditional that becomes loads, also in the size of its region.
//!
//! Left out: conditionals of which an alternative computes something; addresses; functions that are `"no-jump-tables"="true"`; for arrays,
//! ranges of which less than 40 % are cases, and machines that execute threads in groups.
//!
//! After LLVM's `simplifySwitchLookup`.

mod emit;
mod plan;

use rvsdg_analysis::divergence::Machine;
use rvsdg_analysis::function::attributes;
use rvsdg_core::fold::parts::whole;
use rvsdg_core::layout::{DataLayout, Layouts};
use rvsdg_core::structural::{Gamma, Lambda};
use rvsdg_core::{Const, Module, Node, TypeKind};

use self::plan::{Choice, Form};
use super::places::Places;
use super::private_constants::PrivateConstants;
use crate::pass::{Change, ModulePass, PassCx, Stage};

/// The one stage of the pass.
pub struct LookupTables;

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Module(Box::new(LookupTables))]
}

impl ModulePass for LookupTables {
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change {
        let Ok(data) = DataLayout::parse(&module.header.data_layout) else { return Change::Unchanged };
        let index_bits = data.pointer(0).index_bits;
        let is_flat = data.global_space() == 0 && Machine::of_triple(&module.header.triple).is_none();
        let mut arrays = Arrays { layouts: Layouts::new(data), places: None, constants: PrivateConstants::default() };
        let mut change = Change::Unchanged;
        for lambda in module.lambdas() {
            let body = lambda.body();
            let symbol = module.bodies[body].symbol;
            let own = attributes(module, symbol);
            let is_forbidden = own.is_some_and(|own| own.value("no-jump-tables") == Some("true"));
            let Some(graph) = module.bodies[body].graph().filter(|_| !is_forbidden) else {
                continue;
            };
            let gammas: Vec<Node> = graph.all_nodes().filter(|&node| Gamma::new(graph, node).is_some()).collect();
            for node in gammas {
                let Some(graph) = module.bodies[body].graph() else { continue };
                let Some(choice) = plan::choice(graph, node, index_bits) else { continue };
                let place = emit::place(graph, &choice);
                if choice.needs_array() && (place.is_none() || !is_flat) || !cx.rewrite("lookup-table", graph, node) {
                    continue;
                }
                let Some(contexts) = arrays.of(module, lambda, &choice) else { continue };
                let Some(graph) = module.bodies[body].graph_mut() else { continue };
                emit::replace(graph, &choice, &contexts, place, cx);
                cx.body_changed(body);
                change = Change::Changed;
            }
        }
        change
    }
}

/// The arrays that the pass adds to the module.
struct Arrays {
    layouts: Layouts,
    places: Option<Places>,
    constants: PrivateConstants,
}

/// An array, as a function mentions it.
struct Array {
    /// The context variable.
    context: usize,
    /// The logarithm of its alignment in bytes.
    align_log2: u8,
}

impl Arrays {
    /// The arrays of those values of a choice that need one, in order.
    fn of(&mut self, module: &mut Module, lambda: Lambda, choice: &Choice) -> Option<Vec<Array>> {
        let forms = choice.values.iter().map(|value| &value.form);
        let arrays = forms.filter_map(|form| if let Form::Array { elements } = form { Some(elements) } else { None });
        arrays.map(|elements| self.add(module, lambda, elements)).collect()
    }

    fn add(&mut self, module: &mut Module, lambda: Lambda, elements: &[Const]) -> Option<Array> {
        let pool = module.pool.clone();
        let element = pool.constant(*elements.first()?).ty();
        let ty = pool.intern_type(TypeKind::Array { len: elements.len() as u64, element });
        let align = self.layouts.of(&pool, element).ok()?.align;
        let function = &module.symbols[module.bodies[lambda.body()].symbol].name;
        let name = format!("table.{function}");
        let (symbol, origin) = self.constants.add(module, &name, whole(&pool, ty, elements)?, align);
        let places = self.places.get_or_insert_with(|| Places::new(module));
        places.add(module, symbol, origin);
        let context = places.add_context(module, lambda, symbol)? as usize;
        Some(Array { context, align_log2: align.trailing_zeros() as u8 })
    }
}
