//! What a conditional chooses, and the form that its values take without it.

use rvsdg_core::fold::Int;
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, OriginDef, Pool, Type, TypeKind};

/// The fewest cases; with fewer, comparisons are as cheap.
const MIN_CASES: usize = 4;

/// The most values of one array.
const MAX_VALUES: u64 = 1 << 10;

/// A conditional that only chooses among constants.
pub(super) struct Choice {
    pub gamma: Gamma,
    /// The node that decides.
    pub decides: Node,
    /// The lowest value of its operand that is looked up.
    pub low: u64,
    /// How many are, from that one on.
    pub count: u64,
    /// Whether there are others.
    pub has_others: bool,
    /// The bits of an index, and of the integer that values are packed into.
    pub register: u32,
    /// The outputs that are values from before the conditional in all alternatives, with the index of the input.
    pub passed: Vec<(usize, usize)>,
    /// The other outputs that are used.
    pub values: Vec<Value>,
}

/// An output of the conditional.
pub(super) struct Value {
    pub index: usize,
    pub form: Form,
    /// Where the operand is none of those looked up.
    pub others: Given,
}

/// How the constants of one output are computed.
pub(super) enum Form {
    /// The first, and what is added from each to the next.
    Linear { first: Int, step: Int },
    /// All in one integer, each of so many bits, from the lowest bits on.
    Packed { all: Const, width: u32 },
    /// An array with an element for each, and one for other values if these give a constant.
    Array { elements: Vec<Const> },
}

/// What an alternative gives for an output.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Given {
    Constant(Const),
    /// Poison: any value will do.
    Any,
    /// The value of an input.
    Input(usize),
}

impl Choice {
    pub fn needs_array(&self) -> bool {
        self.values.iter().any(|value| matches!(value.form, Form::Array { .. }))
    }
}

/// What a node chooses, if it is a γ and that can be looked up. `register` is how many bits an integer can have that others are packed into.
pub(super) fn choice(graph: &Graph, node: Node, register: u32) -> Option<Choice> {
    let pool = graph.pool();
    let gamma = Gamma::new(graph, node)?;
    let decides = graph.producer(graph.origin(gamma.predicate(graph)))?;
    let Some(Op::Match(table)) = graph.op(decides) else { return None };
    let table = pool.table(table);
    if table.cases.len() < MIN_CASES {
        return None;
    }
    let TypeKind::Int(bits @ ..=64) = *pool.type_kind(graph.ty(graph.input(decides, 0))) else { return None };
    let only_constants = |region| graph.nodes(region).all(|node| matches!(graph.op(node), Some(Op::Const(_))));
    if !gamma.regions(graph).iter().copied().all(only_constants) {
        return None;
    }
    let cases: Vec<(Int, u32)> =
        table.cases.iter().map(|&(case, to)| Some((Int::of_const(pool, case)?, to))).collect::<Option<_>>()?;
    let (low, count) = range(bits, &cases, register)?;
    let has_others = bits == 64 || count < 1 << bits;
    let mut chosen = vec![table.default; usize::try_from(count).ok()?];
    for &(case, to) in &cases {
        chosen[case.sub(low).unsigned() as usize] = to;
    }
    let (mut passed, mut values) = (Vec::new(), Vec::new());
    for (index, &output) in graph.outputs(node).iter().enumerate() {
        if !graph.has_users(output) {
            continue;
        }
        let given: Vec<Given> = gamma
            .regions(graph)
            .iter()
            .map(|&region| given(graph, graph.result(region, index)))
            .collect::<Option<_>>()?;
        if let Some(input) = passes(graph, node, &given) {
            passed.push((index, input));
            continue;
        }
        let others = if has_others { given[table.default as usize] } else { Given::Any };
        let looked_up: Vec<Option<Const>> =
            chosen.iter().map(|&to| constant(pool, given[to as usize])).collect::<Option<_>>()?;
        let form = form(pool, graph.ty(output), &looked_up, others, register)?;
        if matches!(form, Form::Array { .. }) && !is_dense(cases.len(), count) {
            return None;
        }
        values.push(Value { index, form, others });
    }
    (!values.is_empty()).then(|| Choice {
        gamma,
        decides,
        low: low.unsigned() as u64,
        count,
        has_others,
        register,
        passed,
        values,
    })
}

/// The range of the cases: the lowest, and how many values it has; `None` if it has more than `register`, and less than 40 % of them are
/// cases.
fn range(bits: u32, cases: &[(Int, u32)], register: u32) -> Option<(Int, u64)> {
    let fits = |&(_, count): &(Int, u64)| count <= register.into() || is_dense(cases.len(), count);
    let unsigned = || cases.iter().map(|(case, _)| case.unsigned());
    let signed = || cases.iter().map(|(case, _)| case.signed());
    let (least, most) = (unsigned().min()?, unsigned().max()?);
    let from = |low: i128, span: u128| Some((Int::new(bits, low as u128), u64::try_from(span).ok()?.checked_add(1)?));
    // From zero on, nothing is subtracted.
    let zero = from(0, most).filter(|_| least * 4 <= most - least + 1);
    let by_sign = from(signed().min()?, signed().max()?.abs_diff(signed().min()?));
    [zero, from(least as i128, most - least), by_sign].into_iter().flatten().find(fits)
}

/// Whether enough values are cases, and not too many for an array.
fn is_dense(cases: usize, count: u64) -> bool {
    count <= MAX_VALUES && cases as u64 * 5 >= count * 2
}

/// What a result is, if it is a constant or an argument.
fn given(graph: &Graph, result: Origin) -> Option<Given> {
    match graph.def(result) {
        OriginDef::Argument(_, index) => Some(Given::Input(index as usize + 1)),
        OriginDef::Output(node, _) => match graph.op(node)? {
            Op::Const(constant) if graph.inputs(node).is_empty() => Some(match graph.pool().constant(constant) {
                Constant::Poison(_) => Given::Any,
                _ => Given::Constant(constant),
            }),
            _ => None,
        },
    }
}

/// The input of which all alternatives give the value.
fn passes(graph: &Graph, node: Node, given: &[Given]) -> Option<usize> {
    let inputs = given.iter().map(|&given| if let Given::Input(input) = given { Some(input) } else { None });
    let inputs: Vec<usize> = inputs.collect::<Option<_>>()?;
    let &first = inputs.first()?;
    inputs.iter().all(|&input| graph.input(node, input) == graph.input(node, first)).then_some(first)
}

/// A constant, or any.
fn constant(pool: &Pool, given: Given) -> Option<Option<Const>> {
    match given {
        Given::Constant(constant) => Some(Some(constant).filter(|&constant| !is_undef(pool, constant))),
        Given::Any => Some(None),
        Given::Input(_) => None,
    }
}

fn is_undef(pool: &Pool, constant: Const) -> bool {
    matches!(pool.constant(constant), Constant::Undef(_))
}

/// The form of some constants of a type, in order.
fn form(pool: &Pool, ty: Type, constants: &[Option<Const>], others: Given, register: u32) -> Option<Form> {
    let mut last = *constants.iter().flatten().next()?;
    // Where any value will do, that of the one before does.
    let constants: Vec<Const> =
        constants.iter().map(|constant| *constant.as_ref().inspect(|&&known| last = known).unwrap_or(&last)).collect();
    if let TypeKind::Int(width @ ..=64) = *pool.type_kind(ty) {
        let ints: Vec<Int> = constants.iter().map(|&constant| Int::of_const(pool, constant)).collect::<Option<_>>()?;
        let step = ints[1].sub(ints[0]);
        if ints.windows(2).all(|pair| pair[1].sub(pair[0]) == step) {
            return Some(Form::Linear { first: ints[0], step });
        }
        if ints.len() as u64 * u64::from(width) <= register.into() {
            let all = ints.iter().rev().fold(0, |all, int| all << width | int.unsigned());
            return Some(Form::Packed { all: Int::new(register, all).to_const(pool), width });
        }
    }
    let stored = |constant| match Int::of_const(pool, constant) {
        Some(int) => Int::new(int.bits().next_power_of_two().max(8), int.unsigned()).to_const(pool),
        None => constant,
    };
    let has_elements = match *pool.type_kind(ty) {
        TypeKind::Int(bits) => bits <= 64,
        TypeKind::Half | TypeKind::Float | TypeKind::Double => true,
        _ => false,
    };
    let other = match others {
        Given::Constant(other) if !is_undef(pool, other) => Some(other),
        Given::Constant(_) | Given::Any | Given::Input(_) => None,
    };
    has_elements.then(|| Form::Array { elements: constants.into_iter().chain(other).map(stored).collect() })
}
