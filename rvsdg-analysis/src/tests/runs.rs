//! Functions of small integers, made by chance, that are run with all that these can be: what an analysis says of a value has to hold
//! whenever it was computed.

use std::fmt::Write;
use std::rc::Rc;

use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use rvsdg_core::fold::{Int, Outcome, arith, constant, is_poison};
use rvsdg_core::op::{IntBinary, IntPredicate};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, Region};

use super::Chance;

/// The widths of integers.
const WIDTHS: [u32; 3] = [1, 3, 5];
/// The number of iterations after which a run is abandoned.
const ENDLESS: u32 = 40;

/// A value by its name, and its width.
type Name = (String, u32);

/// What the integers of a graph were in all runs.
pub struct Runs {
    /// A bit for each number.
    pub values: SecondaryMap<Origin, u32>,
    /// How many iterations loops had, and whether they then ended.
    pub iterations: Vec<(Node, u32, bool)>,
}

/// The text of a function `@f` of two integers of three bits and one of one.
pub fn any_function(chance: &mut Chance) -> String {
    let mut text = Text { chance, lines: String::new(), next: 3 };
    let mut known: Vec<Name> = [("v0", 3), ("v1", 3), ("v2", 1)].map(|(name, bits)| (name.to_owned(), bits)).into();
    text.statements(&mut known, 6, 2);
    let result = text.any(&known, 3);
    format!(
        "module \"test\"\n@f = function i3 (i3, i3, i1)\nlambda @f [] (v0: i3, v1: i3, v2: i1, mem0, io0) {{\n{}\
         yield {result}, mem0, io0\n}}\nexport @f\n",
        text.lines
    )
}

struct Text<'c> {
    chance: &'c mut Chance,
    lines: String,
    next: u32,
}

impl Text<'_> {
    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.chance.below(choices.len() as u64) as usize]
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn value(&mut self, bits: u32, what: &str) -> Name {
        let name = self.name();
        _ = writeln!(self.lines, "{name}: i{bits} = {what}");
        (name, bits)
    }

    fn constant(&mut self, bits: u32) -> String {
        let name = self.name();
        let number = self.chance.below(1 << bits);
        let number = if bits == 1 { (number == 1).to_string() } else { number.to_string() };
        _ = writeln!(self.lines, "{name} = const i{bits} {number}");
        name
    }

    /// A value of a width, rather a late one, or a constant.
    fn any(&mut self, known: &[Name], bits: u32) -> String {
        let fitting: Vec<&Name> = known.iter().filter(|known| known.1 == bits).collect();
        let place = self.chance.below(fitting.len() as u64 + 1).max(self.chance.below(fitting.len() as u64 + 1));
        match place.checked_sub(1) {
            Some(place) => fitting[place as usize].0.clone(),
            None => self.constant(bits),
        }
    }

    /// A value or, as often, a constant.
    fn operand(&mut self, known: &[Name], bits: u32) -> String {
        if self.chance.below(2) == 0 { self.constant(bits) } else { self.any(known, bits) }
    }

    fn statements(&mut self, known: &mut Vec<Name>, count: u64, depth: u32) {
        for _ in 0..1 + self.chance.below(count) {
            self.statement(known, depth);
        }
    }

    fn statement(&mut self, known: &mut Vec<Name>, depth: u32) {
        let wide = self.one_of(&[3, 3, 5]);
        let made = match self.chance.below(if depth > 0 { 17 } else { 11 }) {
            0..=5 => self.binary(known, wide),
            6 | 7 => {
                let (op, from, to) =
                    self.one_of(&[("zext", 1, 3), ("sext", 1, 3), ("zext", 3, 5), ("sext", 3, 5), ("trunc", 5, 3)]);
                let of = self.any(known, from);
                self.value(to, &format!("{op} {of}"))
            }
            8 => {
                let (condition, a, b) = (self.any(known, 1), self.operand(known, wide), self.operand(known, wide));
                self.value(wide, &format!("select {condition}, {a}, {b}"))
            }
            9 | 10 => self.comparison(known, wide),
            11..=13 => return self.conditional(known, depth),
            _ => return self.repeated(known, depth),
        };
        known.push(made);
    }

    fn binary(&mut self, known: &[Name], bits: u32) -> Name {
        let op = self.one_of(&[
            "add", "add", "and", "and", "or", "lshr", "urem", "sub", "mul", "shl", "udiv", "xor", "ashr", "srem",
            "sdiv",
        ]);
        let flags = match op {
            "add" | "sub" | "mul" | "shl" => self.one_of(&["", "", "nuw ", "nsw ", "nuw nsw "]),
            _ => "",
        };
        let (a, b) = (self.any(known, bits), self.operand(known, bits));
        self.value(bits, &format!("{op} {flags}{a}, {b}"))
    }

    fn comparison(&mut self, known: &[Name], bits: u32) -> Name {
        let predicate = self.one_of(IntPredicate::ALL);
        let (a, b) = (self.any(known, bits), self.operand(known, bits));
        self.value(1, &format!("icmp {} {a}, {b}", predicate.name()))
    }

    fn conditional(&mut self, known: &mut Vec<Name>, depth: u32) {
        let alternatives = self.one_of(&[2, 2, 2, 3, 5]);
        let predicate = self.name();
        let (kind, on, cases) = if alternatives == 2 {
            ("i1", self.any(known, 1), "true -> 1, _ -> 0".to_owned())
        } else {
            let cases: Vec<String> = (1..alternatives).map(|to| format!("{to} -> {to}")).collect();
            ("i3", self.any(known, 3), format!("{}, _ -> 0", cases.join(", ")))
        };
        _ = writeln!(self.lines, "{predicate}: ctl({alternatives}) = match {kind} {on} [{cases}]");
        let widths = [self.one_of(&[1, 3, 3, 5]), self.one_of(&[3, 5])];
        let given = widths.map(|bits| (self.name(), bits));
        let (outputs, inputs) = (listed(&given), known.iter().map(|known| known.0.clone()).collect::<Vec<_>>());
        _ = writeln!(self.lines, "{outputs} = gamma {predicate} ({})", inputs.join(", "));
        for alternative in 0..alternatives {
            let mut inside: Vec<Name> = known.iter().map(|&(_, bits)| (self.name(), bits)).collect();
            _ = writeln!(self.lines, "case {alternative} ({}) {{", listed(&inside));
            self.statements(&mut inside, 2, depth - 1);
            let results = widths.map(|bits| {
                if self.chance.below(8) > 0 {
                    return self.operand(&inside, bits);
                }
                let name = self.name();
                _ = writeln!(self.lines, "{name} = const i{bits} poison");
                name
            });
            _ = writeln!(self.lines, "yield {}\n}}", results.join(", "));
        }
        known.extend(given);
    }

    /// A loop in which one number counts, and others become anything.
    fn repeated(&mut self, known: &mut Vec<Name>, depth: u32) {
        let mut variables: Vec<(Name, Name, String)> = Vec::new();
        let counting = self.one_of(&[3, 3, 5]);
        for bits in [counting, 3, 1, self.one_of(&WIDTHS)] {
            let start = self.operand(known, bits);
            variables.push(((self.name(), bits), (self.name(), bits), start));
        }
        let outputs: Vec<Name> = variables.iter().map(|(output, ..)| output.clone()).collect();
        let starts: Vec<String> =
            variables.iter().map(|(_, (name, bits), start)| format!("{name}: i{bits} = {start}")).collect();
        _ = writeln!(self.lines, "{} = theta ({}) {{", listed(&outputs), starts.join(", "));
        let mut inside: Vec<Name> = variables.into_iter().map(|(_, inside, _)| inside).collect();
        let (counter, kept) = (inside[0].0.clone(), inside[3].0.clone());
        let step = self.constant(counting);
        let flags = self.one_of(&["", "", "nuw ", "nsw ", "nuw nsw "]);
        let counted = self.value(counting, &format!("add {flags}{counter}, {step}"));
        inside.push(counted.clone());
        self.statements(&mut inside, 3, depth - 1);
        let next = match self.chance.below(4) {
            0 => {
                let op = self.one_of(&["and", "or", "shl", "lshr", "mul", "sub", "urem"]);
                let by = self.operand(&inside, 3);
                let variable = inside[1].0.clone();
                self.value(3, &format!("{op} {variable}, {by}")).0
            }
            1 => inside[1].0.clone(),
            _ => self.any(&inside, 3),
        };
        let bit = self.any(&inside, 1);
        let predicate = self.one_of(IntPredicate::ALL);
        let (compared, limit) = (self.one_of(&[&counted.0, &counter]).clone(), self.operand(&inside, counting));
        let mut again = self.value(1, &format!("icmp {} {compared}, {limit}", predicate.name())).0;
        if self.chance.below(3) == 0 {
            let other = self.any(&inside, 1);
            again = self.value(1, &format!("and {again}, {other}")).0;
        }
        let decision = self.name();
        _ = writeln!(self.lines, "{decision}: ctl(2) = match i1 {again} [true -> 1, _ -> 0]");
        _ = writeln!(self.lines, "next {}, {next}, {bit}, {kept} while {decision}\n}}", counted.0);
        known.extend(outputs);
    }
}

fn listed(names: &[Name]) -> String {
    names.iter().map(|(name, bits)| format!("{name}: i{bits}")).collect::<Vec<_>>().join(", ")
}

/// What a value is in a run.
#[derive(Copy, Clone, Default)]
enum Value {
    #[default]
    Nothing,
    Int(Int),
    Poison,
    Alternative(u32),
}

/// Runs the function of a graph with all integers.
pub fn run(graph: &Graph) -> Runs {
    let mut run = Run {
        graph,
        now: SecondaryMap::new(),
        orders: FxHashMap::default(),
        runs: Runs { values: SecondaryMap::new(), iterations: Vec::new() },
    };
    for code in 0..1 << 7 {
        for (index, (bits, value)) in [(3, code & 7), (3, code >> 3 & 7), (1, code >> 6)].into_iter().enumerate() {
            run.set(graph.arguments(graph.root())[index], Value::Int(Int::new(bits, value)));
        }
        _ = run.region(graph.root());
    }
    run.runs.iterations.sort_unstable();
    run.runs.iterations.dedup();
    run.runs
}

struct Run<'g> {
    graph: &'g Graph,
    now: SecondaryMap<Origin, Value>,
    orders: FxHashMap<Region, Rc<[Node]>>,
    runs: Runs,
}

impl Run<'_> {
    fn set(&mut self, origin: Origin, value: Value) {
        self.now[origin] = value;
        if let Value::Int(value) = value {
            self.runs.values[origin] |= 1 << value.unsigned();
        }
    }

    fn order(&mut self, region: Region) -> Rc<[Node]> {
        let graph = self.graph;
        self.orders.entry(region).or_insert_with(|| graph.topological(region).into()).clone()
    }

    fn input(&self, node: Node, index: usize) -> Value {
        self.now[self.graph.input(node, index)]
    }

    /// Executes a region; nothing where that is undefined, or takes too long.
    fn region(&mut self, region: Region) -> Option<()> {
        let graph = self.graph;
        for &node in &*self.order(region) {
            if let Some(gamma) = Gamma::new(graph, node) {
                let Value::Alternative(chosen) = self.input(node, 0) else { return None };
                let inside = gamma.regions(graph)[chosen as usize];
                for (index, &argument) in graph.arguments(inside).iter().enumerate() {
                    self.set(argument, self.input(node, index + 1));
                }
                self.region(inside)?;
                for (index, &output) in graph.outputs(node).iter().enumerate() {
                    self.set(output, self.now[graph.result(inside, index)]);
                }
            } else if let Some(theta) = Theta::new(graph, node) {
                self.repeated(theta)?;
            } else {
                let value = self.simple(node)?;
                self.set(graph.output(node, 0), value);
            }
        }
        Some(())
    }

    fn repeated(&mut self, theta: Theta) -> Option<()> {
        let graph = self.graph;
        let mut values: Vec<Value> = graph.input_origins(theta.node()).map(|origin| self.now[origin]).collect();
        for iteration in 1..=ENDLESS {
            for (variable, &value) in theta.loop_vars(graph).zip(&values) {
                self.set(variable.pre, value);
            }
            self.region(theta.body(graph))?;
            values = theta.loop_vars(graph).map(|variable| self.now[graph.origin(variable.post)]).collect();
            match self.now[graph.origin(theta.predicate(graph))] {
                Value::Alternative(0) => {
                    for (variable, &value) in theta.loop_vars(graph).zip(&values) {
                        self.set(variable.output, value);
                    }
                    self.runs.iterations.push((theta.node(), iteration, true));
                    return Some(());
                }
                Value::Alternative(_) => {}
                _ => return None,
            }
        }
        self.runs.iterations.push((theta.node(), ENDLESS, false));
        None
    }

    fn simple(&self, node: Node) -> Option<Value> {
        let graph = self.graph;
        let pool = graph.pool();
        let output = graph.output(node, 0);
        let int = |index| match self.input(node, index) {
            Value::Int(value) => Some(value),
            _ => None,
        };
        let of = |outcome| match outcome {
            Outcome::Value(value) => Some(Value::Int(value)),
            Outcome::Poison => Some(Value::Poison),
            Outcome::Undefined => None,
        };
        Some(match graph.op(node)? {
            Op::Const(_) if is_poison(graph, output) => Value::Poison,
            Op::Const(_) => Value::Int(Int::of_const(pool, constant(graph, output)?)?),
            Op::CtlConst { value, .. } => Value::Alternative(value),
            // Nothing is decided by poison.
            Op::Match(table) => Value::Alternative(pool.table(table).alternative(pool, int(0)?)),
            Op::IntBinary { op, flags } => match (int(0), int(1)) {
                (Some(a), Some(b)) => of(arith::binary(op, flags, a, b))?,
                // What divides by poison is undefined.
                (_, None) if matches!(op, IntBinary::UDiv | IntBinary::SDiv | IntBinary::URem | IntBinary::SRem) => {
                    return None;
                }
                _ => Value::Poison,
            },
            Op::Cast { op, flags } => match int(0) {
                Some(value) => of(arith::cast(op, flags, value, arith::width(pool, graph.ty(output))?)?)?,
                None => Value::Poison,
            },
            Op::ICmp { predicate, .. } => match (int(0), int(1)) {
                (Some(a), Some(b)) => Value::Int(Int::bool(a.compare(predicate, b))),
                _ => Value::Poison,
            },
            Op::Select(_) => match int(0) {
                Some(condition) => self.input(node, if condition.is_one() { 1 } else { 2 }),
                None => Value::Poison,
            },
            op => panic!("the functions have no {op:?}"),
        })
    }
}
