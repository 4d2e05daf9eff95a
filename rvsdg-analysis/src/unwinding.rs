//! What happens to exceptions that an invoke stops: whether they do nothing but unwind on.

use rvsdg_core::op::{CallExits, UNWINDS};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, OriginDef, Type, TypeKind, Use};

use crate::conditions::REPEAT;

/// How many values and regions are visited for one invoke.
const MAX_VISITED: u32 = 128;

/// Whether all that happens after the call of an invoke unwinds is that its exception is resumed, with the states as the call left
/// them. Then a call that is not an invoke does the same. As LLVM's `simplifycfg` (`simplifySingleResume`), but only landing pads
/// without clauses count: clauses decide whether an exception is caught at all, before anything is unwound.
///
/// Conditionals and loops between the invoke and the `resume` are passed with what is known when it unwinds; answers `false` after
/// a bounded number of them.
pub fn only_resumes(graph: &Graph, invoke: Node) -> bool {
    let Some(Op::Invoke(call)) = graph.op(invoke) else { return false };
    let call = graph.pool().call(call);
    let CallExits::Unwind(pad) = &call.exits else { return false };
    if !pad.clauses.is_empty() {
        return false;
    }
    let states = graph.outputs(invoke).len() - call.effects.count();
    Unwinding { graph, invoke, states, left: MAX_VISITED }.reaches_resume().unwrap_or(false)
}

/// What a value is if the invoke was executed last and its call unwound.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Known {
    /// A predicate that chooses this alternative.
    Chooses(u32),
    /// The exception.
    Exception,
    /// This member of the exception.
    Member(u32),
    /// A state that the call left.
    State,
}

/// The way from a call that unwinds to the `resume`.
struct Unwinding<'g> {
    graph: &'g Graph,
    invoke: Node,
    /// The number of the invoke's first output that is a state.
    states: usize,
    /// How much may still be visited.
    left: u32,
}

impl Unwinding<'_> {
    /// Whether the next operation on the chain of io states is a `resume` of the exception, and nothing happened to memory before it.
    /// `None` if that is not known.
    fn reaches_resume(&mut self) -> Option<bool> {
        let graph = self.graph;
        let mut state = graph.outputs(self.invoke).iter().copied().find(|&output| graph.ty(output) == Type::IO)?;
        loop {
            self.visit()?;
            let user = graph.users_of(state).next()?;
            state = match graph.site(user) {
                Use::Input(node, at) => match graph.kind(node) {
                    NodeKind::Gamma => {
                        let gamma = Gamma::new(graph, node)?;
                        let taken = self.chosen(graph.origin(gamma.predicate(graph)))?;
                        let argument = Gamma::argument_index(at as usize)?;
                        graph.arguments(gamma.regions(graph)[taken as usize])[argument]
                    }
                    NodeKind::Simple(Op::Resume) => {
                        let (exception, states) = graph.inputs(node).split_first()?;
                        let resumed = self.value(graph.origin(*exception))? == Known::Exception;
                        return Some(
                            resumed
                                && states.iter().all(|&state| self.value(graph.origin(state)) == Some(Known::State)),
                        );
                    }
                    _ => return None,
                },
                Use::Result(region, at) => {
                    let parent = graph.parent(region)?;
                    match Theta::new(graph, parent) {
                        Some(theta) if self.chosen(graph.origin(theta.predicate(graph)))? == REPEAT => return None,
                        Some(_) => graph.output(parent, at as usize - 1),
                        None => graph.output(parent, at as usize),
                    }
                }
            };
        }
    }

    fn visit(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        Some(())
    }

    /// The alternative that a predicate chooses.
    fn chosen(&mut self, predicate: Origin) -> Option<u32> {
        match self.value(predicate)? {
            Known::Chooses(alternative) => Some(alternative),
            Known::Exception | Known::Member(_) | Known::State => None,
        }
    }

    /// What a value is known to be. Outputs of a loop are those of the iteration that unwinds, which is the last one, or of a loop that
    /// knows nothing of the invoke.
    fn value(&mut self, origin: Origin) -> Option<Known> {
        self.visit()?;
        let graph = self.graph;
        match graph.def(origin) {
            OriginDef::Argument(region, index) => {
                let gamma = Gamma::new(graph, graph.parent(region)?)?;
                self.value(graph.input(gamma.node(), index as usize + 1))
            }
            OriginDef::Output(node, index) if node == self.invoke => {
                // The results are followed by the exception, the predicate, and the states.
                match self.states.saturating_sub(index as usize) {
                    0 => Some(Known::State),
                    1 => Some(Known::Chooses(UNWINDS)),
                    2 => Some(Known::Exception),
                    _ => None,
                }
            }
            OriginDef::Output(node, index) => match graph.kind(node) {
                NodeKind::Gamma => {
                    let gamma = Gamma::new(graph, node)?;
                    let taken = self.chosen(graph.origin(gamma.predicate(graph)))?;
                    self.value(graph.result(gamma.regions(graph)[taken as usize], index as usize))
                }
                NodeKind::Theta => {
                    let variable = Theta::new(graph, node)?.loop_var(graph, index as usize);
                    self.value(graph.origin(variable.post))
                }
                NodeKind::Simple(Op::CtlConst { value, .. }) => Some(Known::Chooses(value)),
                NodeKind::Simple(Op::ExtractValue(indices)) => match *graph.pool().indices(indices) {
                    [member] if self.value(graph.input(node, 0))? == Known::Exception => Some(Known::Member(member)),
                    _ => None,
                },
                NodeKind::Simple(Op::InsertValue(_)) => self.assembled(node),
                _ => None,
            },
        }
    }

    /// Whether an aggregate has the members of the exception: the last of a chain of insertions.
    fn assembled(&mut self, mut node: Node) -> Option<Known> {
        let graph = self.graph;
        let TypeKind::Struct { elements, .. } = graph.pool().type_kind(graph.ty(graph.output(node, 0))) else {
            return None;
        };
        let mut inserted = 0u64;
        loop {
            let Op::InsertValue(indices) = graph.op(node)? else { return None };
            let &[member] = graph.pool().indices(indices) else { return None };
            if self.value(graph.input(node, 1))? != Known::Member(member) {
                return None;
            }
            inserted |= 1u64.checked_shl(member)?;
            if inserted.count_ones() as usize == elements.len() {
                return Some(Known::Exception);
            }
            node = graph.producer(graph.input(node, 0))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Example;

    /// Of the first invoke in a function, after which these lines define the last states.
    fn of(pad: &str, lines: &str) -> bool {
        let text = format!(
            "module \"test\"\n@g = function void ()\n@f = function void (i1, ptr), personality ptr ?0 [@p]\n\
             @p = function i32 (...)\nimport @g\nimport @p\n\
             lambda @f [@g] (v0: i1, v1: ptr, mem0, io0) {{\n{}\nyield mem9, io9\n}}\nexport @f\n",
            lines.replace("INVOKE", &format!("invoke void () @g() unwind [{pad}]"))
        );
        let example = Example::of(&text);
        let graph = example.graph();
        let invoke = graph.all_nodes().find(|&node| matches!(graph.op(node), Some(Op::Invoke(_))));
        only_resumes(graph, invoke.expect("there is an invoke"))
    }

    /// An invoke, and its two ways: from the exception `v4`, the address `v5` and the states `mem2, io2` to `mem3, io3`; and from `v6`,
    /// `v7` and `mem4, io4` to `mem5, io5`.
    fn ways(returns: &str, unwinds: &str) -> String {
        format!(
            "v2: {{ ptr, i32 }}, v3: ctl(2), mem1, io1 = INVOKE, mem0, io0\n\
             mem9, io9 = gamma v3 (v2, v1, mem1, io1)\n\
             case 0 (v4: {{ ptr, i32 }}, v5: ptr, mem2, io2) {{\n{returns}\n}}\n\
             case 1 (v6: {{ ptr, i32 }}, v7: ptr, mem4, io4) {{\n{unwinds}\n}}"
        )
    }

    const RETURNS: &str = "yield mem2, io2";
    const RESUMES: &str = "mem5, io5 = resume v6, mem4, io4\nyield mem5, io5";

    /// A way that puts an exception together.
    fn assembles(first: &str, second: &str) -> String {
        ways(
            RETURNS,
            &format!(
                "v10: ptr = extractvalue v6, 0\nv11: i32 = extractvalue v6, 1\nv12 = const {{ ptr, i32 }} poison\n\
                 v13 = const i32 8\n{first}\n{second}\nmem5, io5 = resume v15, mem4, io4\nyield mem5, io5"
            ),
        )
    }

    /// Two invokes, whose ways meet; a predicate says afterwards whether to resume.
    fn meeting(predicate: [u32; 2], exception: &str, then: [&str; 2]) -> String {
        let [first, second] = predicate;
        let [zero, one] = then;
        format!(
            "v2: {{ ptr, i32 }}, v3: ctl(2), mem1, io1 = INVOKE, mem0, io0\n\
             v10: ctl(2), v11: {{ ptr, i32 }}, mem2, io2 = gamma v3 (@g, v2, mem1, io1)\n\
             case 0 (v12: ptr, v13: {{ ptr, i32 }}, mem3, io3) {{\n\
             v14: {{ ptr, i32 }}, v15: ctl(2), mem4, io4 = invoke void () v12() unwind [cleanup], mem3, io3\n\
             v16: ctl(2) = ctl {first} of 2\nyield v16, v14, mem4, io4\n}}\n\
             case 1 (v17: ptr, v18: {{ ptr, i32 }}, mem5, io5) {{\n\
             v19: ctl(2) = ctl {second} of 2\nv20 = const {{ ptr, i32 }} poison\nyield v19, {exception}, mem5, io5\n}}\n\
             mem9, io9 = gamma v10 (v11, mem2, io2)\n\
             case 0 (v21: {{ ptr, i32 }}, mem6, io6) {{\n{zero}\n}}\n\
             case 1 (v22: {{ ptr, i32 }}, mem7, io7) {{\n{one}\n}}"
        )
    }

    /// A loop that an exception leaves, or does not, and a decision after it.
    fn looping(again: u32, after: u32) -> String {
        format!(
            "v2 = const {{ ptr, i32 }} poison\nv3: ctl(2) = ctl 0 of 2\n\
             v10: {{ ptr, i32 }}, v11: ctl(2), v12: ptr, mem1, io1 =\
             theta (v13: {{ ptr, i32 }} = v2, v14: ctl(2) = v3, v15: ptr = @g, mem2 = mem0, io2 = io0) {{\n\
             v16: {{ ptr, i32 }}, v17: ctl(2), mem3, io3 = invoke void () v15() unwind [cleanup], mem2, io2\n\
             v18: ctl(2), v19: ctl(2) = gamma v17 ()\n\
             case 0 () {{\nv20: ctl(2) = ctl 1 of 2\nv21: ctl(2) = ctl 0 of 2\nyield v20, v21\n}}\n\
             case 1 () {{\nv22: ctl(2) = ctl {again} of 2\nv23: ctl(2) = ctl {after} of 2\nyield v22, v23\n}}\n\
             next v16, v19, v15, mem3, io3 while v18\n}}\n\
             mem9, io9 = gamma v11 (v10, mem1, io1)\n\
             case 0 (v24: {{ ptr, i32 }}, mem4, io4) {{\nyield mem4, io4\n}}\n\
             case 1 (v25: {{ ptr, i32 }}, mem5, io5) {{\nmem6, io6 = resume v25, mem5, io5\nyield mem6, io6\n}}"
        )
    }

    #[test]
    fn what_is_only_resumed() {
        let (stays, resumes) = ("yield mem6, io6", "mem8, io8 = resume v22, mem7, io7\nyield mem8, io8");
        let other = ["mem8, io8 = resume v21, mem6, io6\nyield mem8, io8", "yield mem7, io7"];
        let member = format!("v8: ptr = extractvalue v6, 0\n{}", RESUMES.replace("v6", "v8"));
        let crossed =
            assembles("v14: { ptr, i32 } = insertvalue v12, v11, 0", "v15: { ptr, i32 } = insertvalue v14, v10, 1");
        let inner =
            assembles("v14: { ptr, i32 } = insertvalue v12, v10, 0", "v15: { ptr, i32 } = insertvalue v14, v11, 1")
                .replace(
                    "v10: ptr = extractvalue v6",
                    "v8: { ptr, i32 } = extractvalue v6, 0\nv10: ptr = extractvalue v8",
                )
                .replace("v11: i32 = extractvalue v6", "v11: i32 = extractvalue v8")
                .replacen("{ ptr, i32 }", "{ { ptr, i32 }, i32 }", 3);
        let after = |lines: &str, [mem, io]: [&str; 2]| {
            ways(RETURNS, &format!("{lines}\n{}", RESUMES.replace("mem4", mem).replace("io4", io)))
        };
        let spins = "v8: ptr, io6 = theta (v9: ptr = v7, io7 = io4) {\nv10: i1 = icmp eq v9, v9\n\
                     v11: ctl(2) = match i1 v10 [true -> 1, _ -> 0]\nnext v9, io7 while v11\n}";
        for (lines, expected) in [
            (ways(RETURNS, RESUMES), true),
            (after("mem6 = store v7, v7, mem4, align 8", ["mem6", "io4"]), false),
            (after("v8: i32, mem6, io6 = load volatile v7, mem4, io4, align 4", ["mem6", "io6"]), false),
            (after("mem6, io6 = call void () v7(), mem4, io4", ["mem6", "io6"]), false),
            (after("io6 = unreachable io4", ["mem4", "io6"]), false),
            (after(spins, ["mem4", "io6"]), false),
            (ways(RETURNS, &member), false),
            (crossed.replace("{ ptr, i32 }", "{ i32, i32 }").replace("v10: ptr", "v10: i32"), false),
            (inner, false),
            (ways("mem3, io3 = resume v4, mem2, io2\nyield mem3, io3", "yield mem4, io4"), false),
            (ways(RETURNS, &format!("v8 = const {{ ptr, i32 }} poison\n{}", RESUMES.replace("v6", "v8"))), false),
            (
                assembles("v14: { ptr, i32 } = insertvalue v12, v10, 0", "v15: { ptr, i32 } = insertvalue v14, v11, 1"),
                true,
            ),
            (
                assembles("v14: { ptr, i32 } = insertvalue v12, v11, 1", "v15: { ptr, i32 } = insertvalue v14, v10, 0"),
                true,
            ),
            (
                assembles("v14: { ptr, i32 } = insertvalue v12, v10, 0", "v15: { ptr, i32 } = insertvalue v14, v13, 1"),
                false,
            ),
            (
                assembles("v14: { ptr, i32 } = insertvalue v12, v13, 1", "v15: { ptr, i32 } = insertvalue v14, v10, 0"),
                false,
            ),
            (assembles("", "v15: { ptr, i32 } = insertvalue v12, v10, 0"), false),
            (meeting([0, 1], "v18", [stays, resumes]), true),
            (meeting([1, 0], "v18", [stays, resumes]), false),
            (meeting([0, 1], "v20", [stays, resumes]), false),
            (meeting([1, 0], "v18", other), true),
            (looping(0, 1), true),
            (looping(1, 1), false),
            (looping(0, 0), false),
        ] {
            assert_eq!(of("cleanup", &lines), expected, "{lines}");
        }
        for clauses in ["cleanup, catch v1", "catch v1", "cleanup, filter v1"] {
            assert!(!of(clauses, &ways(RETURNS, RESUMES)), "{clauses} decides what is caught");
        }
    }
}
