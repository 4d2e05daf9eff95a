//! How the values of a loop differ from one of its iterations to the next, including values in inner loops and conditionals.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::fold::{Int, arith};
use rvsdg_core::layout::Layouts;
use rvsdg_core::op::{CastOp, IntBinary};
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, Region, Type};

use super::affine::{Addresses, Term, terms};
use crate::evolution::Evolution;
use crate::invariant::known_constant;
use crate::safety::has_states;

/// The maximum nesting of loops and conditionals.
const MAX_DEPTH: u32 = 6;
/// The width of an address.
const BITS: u32 = 64;

/// By how much each value of a loop changes from one iteration to the next if both take the same path: inner loops have the same trip
/// counts, conditionals choose the same alternatives, and values in inner loops are those of the same inner iteration. Loads from one
/// address are assumed to yield the same value, which holds if no iteration stores to what another one loads; other loads are given.
pub struct Steps {
    /// By value: integers modulo 2^width, addresses in bytes, and zero for everything else that is the same.
    known: FxHashMap<Origin, Int>,
    /// Loads whose values change at one address.
    changing: FxHashSet<Node>,
}

impl Steps {
    /// The steps of a loop in which some loads, `changing`, may differ although their address does not. `None` if addresses do not have
    /// 64 bits, or if the nesting is too deep.
    pub fn of(graph: &Graph, evolution: &Evolution, layouts: Layouts, changing: &FxHashSet<Node>) -> Option<Steps> {
        let theta = evolution.theta();
        let mut addresses = Addresses::of(graph, evolution, layouts)?;
        let mut steps = Steps { known: FxHashMap::default(), changing: changing.clone() };
        for variable in theta.loop_vars(graph) {
            let step = if variable.is_invariant(graph) {
                Some(zero(graph, variable.pre))
            } else if let Some(step) = addresses.pointer_step(variable.pre) {
                step.known()
            } else {
                let chain = evolution.chain(graph, variable.pre);
                chain.and_then(|chain| chain.step()).and_then(|step| step.known())
            };
            steps.set(graph, variable.pre, step);
        }
        steps.region(graph, addresses.layouts(), theta.body(graph), 0).then_some(steps)
    }

    /// By how much a value changes; `None` if that is not the same for all iterations.
    pub fn step(&self, origin: Origin) -> Option<Int> {
        self.known.get(&origin).copied()
    }

    /// Whether a value is the same in all iterations.
    pub fn is_same(&self, origin: Origin) -> bool {
        self.step(origin).is_some_and(Int::is_zero)
    }

    fn set(&mut self, graph: &Graph, origin: Origin, step: Option<Int>) {
        match step.filter(|_| !graph.ty(origin).is_state()) {
            Some(step) => self.known.insert(origin, step),
            None => self.known.remove(&origin),
        };
    }

    /// Visits a region whose arguments are known; returns whether the nesting is not too deep.
    fn region(&mut self, graph: &Graph, layouts: &mut Layouts, region: Region, depth: u32) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        for node in graph.topological(region) {
            let fits = if let Some(gamma) = Gamma::new(graph, node) {
                self.gamma(graph, layouts, gamma, depth)
            } else if let Some(theta) = Theta::new(graph, node) {
                self.theta(graph, layouts, theta, depth)
            } else {
                for &output in graph.outputs(node) {
                    let step = self.computed(graph, layouts, node, output);
                    self.set(graph, output, step);
                }
                true
            };
            if !fits {
                return false;
            }
        }
        true
    }

    fn gamma(&mut self, graph: &Graph, layouts: &mut Layouts, gamma: Gamma, depth: u32) -> bool {
        let regions = gamma.regions(graph);
        for entry in gamma.entry_vars(graph) {
            let step = self.step(graph.origin(entry.input));
            for alternative in 0..regions.len() {
                self.set(graph, entry.argument(graph, gamma, alternative), step);
            }
        }
        if !regions.iter().all(|&region| self.region(graph, layouts, region, depth + 1)) {
            return false;
        }
        let decides_same = self.is_same(graph.origin(gamma.predicate(graph)));
        for exit in gamma.exit_vars(graph) {
            let mut steps = (0..regions.len()).map(|index| self.step(graph.origin(exit.result(graph, gamma, index))));
            let first = steps.next().flatten();
            let step = first.filter(|&first| decides_same && steps.all(|step| step == Some(first)));
            self.set(graph, exit.output, step);
        }
        true
    }

    fn theta(&mut self, graph: &Graph, layouts: &mut Layouts, theta: Theta, depth: u32) -> bool {
        let variables: Vec<LoopVar> = theta.loop_vars(graph).collect();
        for variable in &variables {
            let step = self.step(graph.origin(variable.input));
            self.set(graph, variable.pre, step);
        }
        // What holds for the first inner iteration holds for all if each one preserves it.
        loop {
            if !self.region(graph, layouts, theta.body(graph), depth + 1) {
                return false;
            }
            let mut changed = false;
            for variable in &variables {
                if self.step(variable.pre).is_some()
                    && self.step(graph.origin(variable.post)) != self.step(variable.pre)
                {
                    self.set(graph, variable.pre, None);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let decides_same = self.is_same(graph.origin(theta.predicate(graph)));
        for variable in &variables {
            let step = self.step(graph.origin(variable.post)).filter(|_| decides_same);
            self.set(graph, variable.output, step);
        }
        true
    }

    /// The step of an operation's result, from the steps of its operands.
    fn computed(&self, graph: &Graph, layouts: &mut Layouts, node: Node, output: Origin) -> Option<Int> {
        let NodeKind::Simple(op) = graph.kind(node) else { return None };
        let input = |index: usize| self.step(graph.input(node, index));
        if let Op::Load(_) = op {
            let is_same = !self.changing.contains(&node) && input(0).is_some_and(Int::is_zero);
            return is_same.then(|| zero(graph, output));
        }
        if has_states(graph, node) || matches!(op, Op::Ext(_)) {
            return None;
        }
        if graph.input_origins(node).all(|input| self.is_same(input)) {
            return Some(zero(graph, output));
        }
        let width = |origin| arith::width(graph.pool(), graph.ty(origin));
        let known = |index: usize| {
            let known = known_constant(graph, graph.input(node, index))?;
            Int::of_const(graph.pool(), known)
        };
        match op {
            Op::IntBinary { op, .. } => {
                let bits = width(output)?;
                match op {
                    IntBinary::Add => Some(input(0)?.add(input(1)?)),
                    IntBinary::Sub => Some(input(0)?.sub(input(1)?)),
                    IntBinary::Mul => match (known(0), known(1)) {
                        (_, Some(by)) => Some(input(0)?.mul(by)),
                        (Some(by), None) => Some(input(1)?.mul(by)),
                        (None, None) => None,
                    },
                    IntBinary::Shl => Some(input(0)?.mul(Int::new(bits, 1).shl(known(1)?)?)),
                    _ => None,
                }
            }
            Op::Cast { op: CastOp::Trunc, .. } => Some(input(0)?.zext_or_trunc(width(output)?)),
            Op::Select(_) => input(1).filter(|&step| input(2) == Some(step) && self.is_same(graph.input(node, 0))),
            Op::Gep { .. } if graph.ty(output) == Type::PTR => {
                let mut sum = input(0)?;
                for term in terms(graph, layouts, node)? {
                    if let Term::Index(index, size) = term {
                        sum = sum.add(self.step(index)?.mul(size));
                    }
                }
                Some(sum)
            }
            _ => None,
        }
    }
}

/// No step, for a value of this type.
fn zero(graph: &Graph, origin: Origin) -> Int {
    Int::new(arith::width(graph.pool(), graph.ty(origin)).unwrap_or(BITS), 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surroundings::Surroundings;
    use crate::tests::Example;

    /// The step of `v50` in a loop in which `v10` goes up by 3, `v11` goes on by 8 bytes, `v12` and `v13` are the same and nobody knows
    /// of `v14`.
    fn step_of(ty: &str, lines: &str, changing: bool) -> Option<i64> {
        let memory = if lines.contains("mem2") { "mem2" } else { "mem1" };
        let text = format!(
            "module \"test\"\n@f = function void (ptr, i64, i1, {ty})\n\
             lambda @f [] (v0: ptr, v1: i64, v2: i1, v3: {ty}, mem0, io0) {{\nv4 = const i64 0\n\
             v5: i64, v6: ptr, v7: i64, v8: i1, v9: {ty}, v15: ptr, mem9 = \
             theta (v10: i64 = v4, v11: ptr = v0, v12: i64 = v1, v13: i1 = v2, v14: {ty} = v3, v16: ptr = v0, mem1 = mem0) {{\n\
             {lines}\n\
             v90 = const i64 3\nv91: i64 = add v10, v90\nv92: i1 = icmp slt v91, v12\n\
             v93: ctl(2) = match i1 v92 [true -> 1, _ -> 0]\nv95 = const i64 1\nv94: ptr = getelementptr i64, v11, v95\n\
             next v91, v94, v12, v13, v50, v16, {memory} while v93\n}}\nyield mem9, io0\n}}\nexport @f\n"
        );
        let example = Example::of(&text);
        let graph = example.graph();
        let theta = graph.nodes(graph.root()).find_map(|node| Theta::new(graph, node)).expect("there is a loop");
        let loads = graph.all_nodes().filter(|&node| changing && matches!(graph.op(node), Some(Op::Load(_)))).collect();
        let layouts = example.surroundings().and_then(Surroundings::layouts).expect("there are layouts");
        let steps = Steps::of(graph, &Evolution::of(graph, theta), layouts, &loads).expect("addresses have 64 bits");
        let post = theta.loop_var(graph, 4).post;
        steps.step(graph.origin(post)).map(|step| step.signed() as i64)
    }

    #[test]
    fn operations_on_values_that_step() {
        for (lines, expected) in [
            ("v50: i64 = add v10, v10", Some(6)),
            ("v50: i64 = add v12, v10", Some(3)),
            ("v50: i64 = add v12, v14", None),
            ("v50: i64 = sub v12, v10", Some(-3)),
            ("v20 = const i64 5\nv50: i64 = mul v10, v20", Some(15)),
            ("v20 = const i64 5\nv50: i64 = mul v20, v10", Some(15)),
            ("v50: i64 = mul v10, v12", None),
            ("v50: i64 = mul v12, v12", Some(0)),
            ("v20 = const i64 2\nv50: i64 = shl v10, v20", Some(12)),
            ("v20 = const i64 2\nv50: i64 = shl v20, v10", None),
            ("v50: i64 = or v10, v12", None),
            ("v50: i64 = or v12, v12", Some(0)),
            ("v20: i64 = add v10, v12\nv50: i64 = select v13, v10, v20", Some(3)),
            ("v50: i64 = select v13, v10, v12", None),
            ("v50: i64 = select v13, v12, v10", None),
            ("v20: i64 = add v10, v12\nv21: i1 = icmp slt v10, v12\nv50: i64 = select v21, v10, v20", None),
            ("v20: i64 = add v12, v12\nv21: i1 = icmp slt v10, v12\nv50: i64 = select v21, v12, v20", None),
        ] {
            assert_eq!(step_of("i64", lines, false), expected, "{lines}");
        }
        assert_eq!(step_of("i32", "v50: i32 = trunc v10", false), Some(3));
        assert_eq!(step_of("i32", "v50: i32 = trunc v12", false), Some(0));
        assert_eq!(step_of("i128", "v50: i128 = zext v10", false), None);
        assert_eq!(step_of("i128", "v50: i128 = zext v12", false), Some(0));
        assert_eq!(step_of("ptr", "v50: ptr = getelementptr i32, v11, v10", false), Some(20));
        assert_eq!(step_of("ptr", "v20: i64 = mul v10, v10\nv50: ptr = getelementptr i32, v11, v20", false), None);
    }

    #[test]
    fn loads_of_one_address() {
        let load = |from: &str| format!("v50: i64, mem2 = load {from}, mem1, align 8");
        assert_eq!(step_of("i64", &load("v16"), false), Some(0));
        assert_eq!(step_of("i64", &load("v16"), true), None);
        assert_eq!(step_of("i64", &load("v11"), false), None);
    }

    #[test]
    fn what_conditionals_give() {
        let given = |on: &str, then: &str, otherwise: &str| {
            format!(
                "v20: ctl(2) = match i1 {on} [true -> 1, _ -> 0]\nv50: i64 = gamma v20 (v10, v12)\n\
                 case 0 (v21: i64, v22: i64) {{\nyield {otherwise}\n}}\n\
                 case 1 (v23: i64, v24: i64) {{\nv25: i64 = add v23, v24\nyield {then}\n}}"
            )
        };
        assert_eq!(step_of("i64", &given("v13", "v25", "v21"), false), Some(3));
        assert_eq!(step_of("i64", &given("v13", "v25", "v22"), false), None);
        assert_eq!(step_of("i64", &given("v13", "v24", "v22"), false), Some(0));
        let changing =
            |then: &str, otherwise: &str| format!("v26: i1 = icmp slt v10, v12\n{}", given("v26", then, otherwise));
        assert_eq!(step_of("i64", &changing("v25", "v21"), false), None);
    }

    #[test]
    fn what_inner_loops_give() {
        let repeated = |bound: &str, next: &str| {
            format!(
                "v20 = const i64 0\nv50: i64, v51: i64, v52: i64, v53: i64 = \
                 theta (v21: i64 = v10, v22: i64 = {bound}, v23: i64 = v20, v24: i64 = v12) {{\n\
                 v25 = const i64 1\nv26: i64 = add v23, v25\nv27: i1 = icmp slt v26, v22\n\
                 v28: ctl(2) = match i1 v27 [true -> 1, _ -> 0]\nv29: i64 = add v21, v24\nv30: i64 = add v21, v21\n\
                 next {next}, v22, v26, {other} while v28\n}}",
                other = if next == "v24" { "v21" } else { "v24" }
            )
        };
        assert_eq!(step_of("i64", &repeated("v12", "v21"), false), Some(3));
        assert_eq!(step_of("i64", &repeated("v12", "v29"), false), Some(3));
        assert_eq!(step_of("i64", &repeated("v12", "v30"), false), None);
        assert_eq!(step_of("i64", &repeated("v12", "v24"), false), None);
        assert_eq!(step_of("i64", &repeated("v10", "v29"), false), None);
    }
}
