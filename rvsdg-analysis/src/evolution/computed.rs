//! Trip counts that are found by executing the exit condition, iteration by iteration.

use cranelift_entity::EntitySet;
use rustc_hash::FxHashMap;
use rvsdg_core::fold::{self, Int};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Const, Graph, Node, Op, Origin, OriginDef};

use crate::invariant::known_constant;
use crate::safety::has_states;
use crate::seeded::{self, Bug};

/// The maximum number of iterations executed, as in LLVM.
pub const MAX_COMPUTED: u64 = 100;

/// The maximum number of operations of the condition.
const MAX_OPERATIONS: usize = 32;

/// The trip count of a loop whose exit conditions depend on constants only: initial values of variables, and constants in the loop.
/// `while (n) n >>= 1`, for a known `n`, is one without an addition.
///
/// Linear in the number of nodes of the loop's body, plus the number of operations of the condition times the number of iterations.
pub fn computed_iterations(graph: &Graph, theta: Theta) -> Option<u64> {
    let decision = graph.producer(graph.origin(theta.predicate(graph)))?;
    let Some(Op::Match(table)) = graph.op(decision) else { return None };
    let pool = graph.pool();
    let table = pool.table(table);
    let decided = graph.input(decision, 0);
    let slice = Slice::of(graph, theta, decided)?;
    let mut values: FxHashMap<Origin, Const> = FxHashMap::default();
    for &variable in &slice.variables {
        let variable = theta.loop_var(graph, variable);
        values.insert(variable.pre, known_constant(graph, graph.origin(variable.input))?);
    }
    for iteration in 1..=MAX_COMPUTED {
        for &node in &slice.operations {
            let output = graph.output(node, 0);
            let value = match graph.op(node)? {
                Op::Const(_) => fold::constant(graph, output)?,
                op => {
                    let inputs: Vec<Option<Const>> =
                        graph.input_origins(node).map(|input| values.get(&input).copied()).collect();
                    fold::fold_known(pool, op, &inputs, graph.ty(output))?
                }
            };
            values.insert(output, value);
        }
        let decides = Int::of_const(pool, *values.get(&decided)?)?;
        let repeated = table.alternative(pool, decides) == 1;
        if !repeated {
            return Some(iteration - u64::from(seeded::is_active(Bug::UrlComputed)));
        }
        let variables = slice.variables.iter().map(|&variable| theta.loop_var(graph, variable));
        let next: Vec<(Origin, Const)> = variables
            .map(|variable| Some((variable.pre, *values.get(&graph.origin(variable.post))?)))
            .collect::<Option<_>>()?;
        values.extend(next);
    }
    None
}

/// The slice of the exit condition: operations of the loop's body in topological order, and positions of variables.
struct Slice {
    operations: Vec<Node>,
    variables: Vec<usize>,
}

impl Slice {
    fn of(graph: &Graph, theta: Theta, decided: Origin) -> Option<Slice> {
        let mut pending = vec![decided];
        let mut needed: EntitySet<Node> = EntitySet::new();
        let mut count = 0;
        let mut variables = Vec::new();
        while let Some(origin) = pending.pop() {
            match graph.def(origin) {
                OriginDef::Argument(_, index) => {
                    let index = index as usize;
                    if !variables.contains(&index) {
                        variables.push(index);
                        let variable = theta.loop_var(graph, index);
                        known_constant(graph, graph.origin(variable.input))?;
                        pending.push(graph.origin(variable.post));
                    }
                }
                OriginDef::Output(node, _) if needed.insert(node) => {
                    count += 1;
                    graph.op(node).filter(|_| count <= MAX_OPERATIONS && !has_states(graph, node))?;
                    pending.extend(graph.input_origins(node));
                }
                OriginDef::Output(..) => {}
            }
        }
        let mut operations = graph.topological(theta.body(graph));
        operations.retain(|&node| needed.contains(node));
        Some(Slice { operations, variables })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::structural_bottom_up;
    use crate::tests::Example;

    fn iterations(start: &str, lines: &str, variables: &str) -> Option<u64> {
        let text = format!(
            "module \"test\"\n@f = function i8 (i8)\n\
             lambda @f [] (v0: i8, mem0, io0) {{\n{start}\n\
             v9: i8, v8: i8 = theta (v10: i8 = v1, v11: i8 = v2) {{\n{lines}\nnext {variables} while v12\n}}\n\
             yield v9, mem0, io0\n}}\nexport @f\n"
        );
        let example = Example::of(&text);
        let graph = example.graph();
        let theta = structural_bottom_up(graph).into_iter().find_map(|node| Theta::new(graph, node))?;
        computed_iterations(graph, theta)
    }

    #[test]
    fn what_decides_is_computed() {
        let known = "v1 = const i8 11\nv2 = const i8 1";
        let halve = "v20 = const i8 1\nv21: i8 = lshr v10, v20\nv12: ctl(2) = match i8 v21 [0 -> 0, _ -> 1]";
        assert_eq!(iterations(known, halve, "v21, v11"), Some(4));
        assert_eq!(iterations("v1 = const i8 11\nv2: i8 = add v0, v0", halve, "v21, v11"), Some(4));
        assert_eq!(iterations("v1: i8 = add v0, v0\nv2 = const i8 1", halve, "v21, v11"), None);
        // Two variables, one of which is the other's last value.
        let steps = "v21: i8 = add v10, v11\nv20 = const i8 100\nv22: i1 = icmp ult v21, v20\n\
                     v12: ctl(2) = match i1 v22 [true -> 1, _ -> 0]";
        assert_eq!(iterations(known, steps, "v21, v10"), Some(6));
        assert_eq!(iterations(known, steps, "v21, v11"), Some(89));
        // It never ends, or later than is looked at, or is poison.
        assert_eq!(iterations(known, steps, "v10, v11"), None);
        let slow = "v20 = const i8 1\nv21: i8 = add v10, v20\nv12: ctl(2) = match i8 v21 [-100 -> 0, _ -> 1]";
        assert_eq!(iterations(known, slow, "v21, v11"), None);
        let wraps = "v20 = const i8 60\nv21: i8 = add nsw v10, v20\nv12: ctl(2) = match i8 v21 [3 -> 0, _ -> 1]";
        assert_eq!(iterations(known, wraps, "v21, v11"), None);
    }
}
