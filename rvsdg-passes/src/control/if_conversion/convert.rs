//! Converts one conditional.

use rvsdg_analysis::safety::is_speculatable;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Constant, Graph, Motion, Node, Op, Origin, OriginDef, Region, Use};
use smallvec::SmallVec;

use super::cost::{MAX_CHOICES, MAX_SPECULATED, choice, weight};
use super::loads::{self, Loads};
use super::thread;
use super::truth::Truth;
use crate::pass::{Change, PassCx};

/// How many alternatives a conditional may have: one comparison fewer is made of it.
const MAX_ALTERNATIVES: usize = 3;

/// How an exit variable is computed without the γ.
enum Exit {
    /// It is unused.
    Unused,
    /// It is this input of the γ in all alternatives.
    Entry(usize),
    /// It is a `select`.
    Choice,
    /// It is a predicate; for each alternative, whether it is 1.
    Predicate(SmallVec<[Truth; 2]>),
}

/// Alternatives, each with the condition under which it is chosen.
type Questions = SmallVec<[(usize, Truth); 2]>;

/// How a γ is converted.
struct Plan {
    exits: Vec<Exit>,
    /// The alternatives other than the default, in the order in which they are tested, each with its condition.
    questions: Questions,
    /// The default alternative.
    otherwise: usize,
    /// How many operations are speculated.
    speculated: u64,
}

/// Replaces a γ by selects, if that is correct and profitable.
pub(super) fn convert(graph: &mut Graph, gamma: Gamma, loads: &Loads, cx: &PassCx) -> Change {
    let Some(plan) = plan(graph, gamma, loads, cx) else { return Change::Unchanged };
    if !cx.rewrite("if-conversion", graph, gamma.node()) {
        return Change::Unchanged;
    }
    let used = plan.exits.iter().any(|exit| matches!(exit, Exit::Choice | Exit::Predicate(_)));
    cx.count("converted", 1);
    cx.count("empty", u64::from(!used));
    if used {
        cx.count("speculated", plan.speculated);
        open(graph, gamma);
    }
    apply(graph, gamma, &plan, cx);
    close(graph, gamma);
    Change::Changed
}

fn plan(graph: &Graph, gamma: Gamma, loads: &Loads, cx: &PassCx) -> Option<Plan> {
    let node = gamma.node();
    let exits: Vec<Exit> =
        (0..graph.outputs(node).len()).map(|index| exit(graph, gamma, loads, index)).collect::<Option<_>>()?;
    let regions = gamma.regions(graph);
    let mut plan = Plan { exits, questions: Questions::new(), otherwise: 0, speculated: 0 };
    if plan.exits.iter().all(|exit| matches!(exit, Exit::Unused | Exit::Entry(_))) {
        // All states are returned unchanged, so nothing inside has an effect or might not return.
        return Some(plan);
    }
    if regions.len() > MAX_ALTERNATIVES || thread::is_threaded(graph, gamma, cx) {
        return None;
    }
    let mut cost = 0;
    for &region in regions {
        for inner in graph.nodes(region) {
            if matches!(graph.op(inner), Some(Op::CtlConst { .. } | Op::Match(_))) {
                // It is removed with the γ, or its exit variable cannot be converted.
                continue;
            }
            let weight = if loads.is_free(graph, inner) {
                loads::WEIGHT
            } else if is_speculatable(graph, inner) {
                weight(graph, inner)
            } else if seeded::is_active(Bug::IfcSpeculate) && is_division(graph, inner) {
                1
            } else {
                return None;
            };
            cost += weight;
            plan.speculated += u64::from(weight != 0);
            if cost > MAX_SPECULATED {
                return None;
            }
        }
    }
    (plan.questions, plan.otherwise) = questions(graph, gamma)?;
    let predicates = plan.exits.iter().filter_map(|exit| match exit {
        Exit::Predicate(truths) => Some(truths),
        Exit::Unused | Exit::Entry(_) | Exit::Choice => None,
    });
    let (mut made, mut known) = (0, true);
    for truths in predicates {
        made += 1;
        known &= truths.iter().all(|truth| matches!(truth, Truth::Known(_)));
    }
    // Control flow recovery jumps past predicates that are known in each alternative: the γ is the only branch. With more than one
    // predicate, each would become a branch.
    let chooses = plan.exits.iter().enumerate().any(|(index, exit)| {
        matches!(exit, Exit::Choice)
            && gamma.regions(graph).iter().all(|&region| !is_poison(graph, graph.result(region, index)))
    });
    if made > 1 || made == 1 && known && chooses {
        return None;
    }
    let per_choice = plan.questions.len() as u32;
    let mut choices = plan.questions.iter().map(|(_, truth)| truth.question()).sum::<u32>();
    for (index, (exit, &output)) in plan.exits.iter().zip(graph.outputs(node)).enumerate() {
        match exit {
            Exit::Unused | Exit::Entry(_) => {}
            Exit::Choice => {
                let poison = |&&region: &&Region| is_poison(graph, graph.result(region, index));
                let free = gamma.regions(graph).iter().filter(poison).count() as u32;
                choices += per_choice.saturating_sub(free) * choice(graph, graph.ty(output))?;
            }
            Exit::Predicate(truths) => {
                choices += per_choice;
                cost += truths.iter().map(|truth| truth.weight()).sum::<u32>();
            }
        }
    }
    (cost <= MAX_SPECULATED && choices <= MAX_CHOICES).then_some(plan)
}

/// Whether a node is a division.
fn is_division(graph: &Graph, node: Node) -> bool {
    graph.op(node).is_some_and(|op| op.may_carry_io())
        && !graph.input_origins(node).any(|origin| graph.ty(origin).is_state())
}

/// Whether a value is poison, which any value may replace.
fn is_poison(graph: &Graph, origin: Origin) -> bool {
    match graph.producer(origin).and_then(|node| graph.op(node)) {
        Some(Op::Const(constant)) => matches!(graph.pool().constant(constant), Constant::Poison(_)),
        _ => false,
    }
}

/// How an exit variable can be computed without the γ, if it can.
fn exit(graph: &Graph, gamma: Gamma, loads: &Loads, index: usize) -> Option<Exit> {
    let output = graph.output(gamma.node(), index);
    let ty = graph.ty(output);
    if !graph.has_users(output) && !ty.is_state() {
        return Some(Exit::Unused);
    }
    let entry = |&region: &Region| match graph.def(loads.before(graph, graph.result(region, index))) {
        OriginDef::Argument(_, argument) => Some(argument as usize + 1),
        OriginDef::Output(..) => None,
    };
    let mut entries = gamma.regions(graph).iter().map(entry);
    if let Some(first) = entries.next().flatten() {
        let origin = graph.input(gamma.node(), first);
        if entries.all(|entry| entry.is_some_and(|entry| graph.input(gamma.node(), entry) == origin)) {
            return Some(Exit::Entry(first));
        }
    }
    if ty.is_state() {
        return None;
    }
    match graph.pool().ctl_alternatives(ty) {
        None => choice(graph, ty).map(|_| Exit::Choice),
        Some(2) => {
            // It decides directly after the γ, and nowhere else.
            let mut users = graph.users_of(output);
            let decides = users.next().is_some_and(|user| match graph.site(user) {
                Use::Input(node, position) => position == 0 && Gamma::new(graph, node).is_some(),
                Use::Result(region, index) => {
                    let around = graph.parent(region).is_some_and(|node| Gamma::new(graph, node).is_some());
                    around || index == 0
                }
            });
            if !decides || users.next().is_some() {
                return None;
            }
            let truths = gamma.regions(graph).iter().map(|&region| Truth::of(graph, graph.result(region, index)));
            truths.collect::<Option<_>>().map(Exit::Predicate)
        }
        Some(_) => None,
    }
}

/// The conditions of all alternatives but one, and that one.
fn questions(graph: &Graph, gamma: Gamma) -> Option<(Questions, usize)> {
    let producer = graph.producer(graph.origin(gamma.predicate(graph)))?;
    let Op::Match(table) = graph.op(producer)? else { return None };
    let table = graph.pool().table(table);
    let otherwise = table.default as usize;
    let asked = (0..gamma.regions(graph).len()).filter(|&alternative| alternative != otherwise);
    let questions =
        asked.map(|alternative| Some((alternative, Truth::of_table(graph, producer, table, alternative as u32)?)));
    Some((questions.collect::<Option<_>>()?, otherwise))
}

/// Moves the contents of the regions before the γ.
fn open(graph: &mut Graph, gamma: Gamma) {
    for alternative in 0..gamma.regions(graph).len() {
        let region = gamma.regions(graph)[alternative];
        let order = graph.topological(region);
        for index in 0..graph.arguments(region).len() {
            graph.divert_users(graph.arguments(region)[index], graph.input(gamma.node(), index + 1));
        }
        for inner in order {
            match graph.op(inner) {
                Some(Op::CtlConst { .. } | Op::Match(_)) => {}
                op => {
                    graph.move_before(inner, gamma.node());
                    if let Some(Op::Load(_)) = op {
                        // The memory state after it enters the γ.
                        let state = graph.input(inner, 1);
                        let user = graph.inputs(gamma.node()).iter().find(|&&user| graph.origin(user) == state);
                        let &user = user.expect("the state of the first load enters, that of others is the one before");
                        graph.divert(user, graph.output(inner, 1));
                    }
                    graph.set_moved(inner, Motion::Speculated);
                }
            }
        }
    }
}

/// Redirects the γ's users to the new values.
fn apply(graph: &mut Graph, gamma: Gamma, plan: &Plan, cx: &PassCx) {
    let place = gamma.node();
    let mut conditions: SmallVec<[Origin; 2]> = SmallVec::new();
    for index in 0..plan.exits.len() {
        let output = graph.output(place, index);
        let replacement = match &plan.exits[index] {
            Exit::Unused => continue,
            &Exit::Entry(input) => graph.input(place, input),
            Exit::Choice => {
                let values: SmallVec<[Origin; 3]> =
                    gamma.regions(graph).iter().map(|&region| graph.result(region, index)).collect();
                select(graph, place, plan, &mut conditions, &values, cx)
            }
            Exit::Predicate(_) => {
                cx.count("predicates", 1);
                predicate(graph, gamma, plan, &mut conditions, index, cx)
            }
        };
        graph.divert_users(output, replacement);
    }
}

/// Selects one of several values, by alternative.
fn select(
    graph: &mut Graph,
    place: Node,
    plan: &Plan,
    conditions: &mut SmallVec<[Origin; 2]>,
    values: &[Origin],
    cx: &PassCx,
) -> Origin {
    let mut chosen = values[plan.otherwise];
    for (number, &(alternative, truth)) in plan.questions.iter().enumerate() {
        if values[alternative] == chosen || is_poison(graph, values[alternative]) {
            continue;
        }
        if is_poison(graph, chosen) {
            // Any value may replace it.
            chosen = values[alternative];
            continue;
        }
        // The negation of a value is not computed: the operands are exchanged instead.
        let inverted = matches!(truth, Truth::Value { inverted: true, .. });
        while conditions.len() <= number {
            let (_, truth) = plan.questions[conditions.len()];
            let inverted = matches!(truth, Truth::Value { inverted: true, .. });
            let condition = if inverted { truth.not() } else { truth }.make(&mut Insert::before(graph, place));
            conditions.push(condition);
        }
        let (then, other) = if inverted { (chosen, values[alternative]) } else { (values[alternative], chosen) };
        chosen = Insert::before(graph, place).select(conditions[number], then, other);
        cx.count("selects", 1);
    }
    chosen
}

/// Computes an exit variable that is a predicate.
fn predicate(
    graph: &mut Graph,
    gamma: Gamma,
    plan: &Plan,
    conditions: &mut SmallVec<[Origin; 2]>,
    index: usize,
    cx: &PassCx,
) -> Origin {
    let place = gamma.node();
    // Computed anew, because operands that were arguments are now the inputs.
    let truths: SmallVec<[Truth; 3]> = gamma
        .regions(graph)
        .iter()
        .map(|&region| Truth::of(graph, graph.result(region, index)).expect("the plan found the same"))
        .collect();
    // If it is a negation, the test is inverted instead.
    let inverted = truths.iter().any(|truth| truth.is_inverted())
        && truths.iter().all(|&truth| truth.is_inverted() || matches!(truth, Truth::Known(_)));
    let values: SmallVec<[Origin; 3]> = truths
        .iter()
        .map(|&truth| if inverted { truth.not() } else { truth })
        .map(|truth| truth.make(&mut Insert::before(graph, place)))
        .collect();
    let value = select(graph, place, plan, conditions, &values, cx);
    Insert::before(graph, place).decide(value, u32::from(!inverted))
}

/// Removes the γ, the rest of its contents, and its predicate.
fn close(graph: &mut Graph, gamma: Gamma) {
    let predicate = graph.origin(gamma.predicate(graph));
    for alternative in 0..gamma.regions(graph).len() {
        let region = gamma.regions(graph)[alternative];
        graph.note_flattened(region);
        graph.retain_results(region, |_| false);
        // The remaining predicates now use outer values.
        let left: Vec<Node> = graph.nodes(region).filter(|&node| graph.subregions(node).is_empty()).collect();
        for node in left {
            let is_predicate = matches!(graph.op(node), Some(Op::Match(_) | Op::CtlConst { .. }));
            if is_predicate && !graph.has_users(graph.output(node, 0)) {
                graph.remove(node);
            }
        }
    }
    graph.remove(gamma.node());
    if let Some(producer) = graph.producer(predicate)
        && matches!(graph.op(producer), Some(Op::Match(_) | Op::CtlConst { .. }))
        && !graph.has_users(predicate)
    {
        graph.remove(producer);
    }
}
