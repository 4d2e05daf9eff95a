//! What is decided of integers of three bits, in programs made by chance, against all values that these can have.

use std::fmt::Write;

use rvsdg_core::fold::Int;
use rvsdg_core::op::IntPredicate;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, Region, Type};

use super::{compared, decided, truth};
use crate::tests::{Chance, Example, runs};

/// Two integers and a bit.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Values {
    numbers: [u8; 2],
    bit: bool,
}

/// What an integer is computed of: the values, by their places, and constants.
enum Number {
    Place(usize),
    Constant(u8),
    Sum(usize, u8),
    Difference,
    Choice(Box<Condition>, usize, u8),
}

enum Condition {
    Bit,
    Compare(IntPredicate, Number, Number),
    Not(Box<Condition>),
    /// Whether as a choice, where the second does not count if the first says it all.
    And(bool, Box<[Condition; 2]>),
    Or(bool, Box<[Condition; 2]>),
}

/// What leads to one of two alternatives.
enum Decision {
    Truth(Condition),
    /// Two cases of the first integer, and all others.
    Cases([(u8, u32); 2], u32),
    /// A conditional that leads there where its condition does not hold, and else decides by another one.
    Given(Condition, u32, Condition),
}

impl Number {
    fn of(&self, at: Values) -> u8 {
        let number = match self {
            &Number::Place(place) => at.numbers[place],
            &Number::Constant(number) => number,
            &Number::Sum(place, by) => at.numbers[place] + by,
            Number::Difference => at.numbers[0].wrapping_sub(at.numbers[1]),
            &Number::Choice(ref condition, place, otherwise) => {
                if condition.of(at) {
                    at.numbers[place]
                } else {
                    otherwise
                }
            }
        };
        number % 8
    }
}

impl Condition {
    fn of(&self, at: Values) -> bool {
        match self {
            Condition::Bit => at.bit,
            Condition::Compare(predicate, a, b) => {
                Int::new(3, a.of(at).into()).compare(*predicate, Int::new(3, b.of(at).into()))
            }
            Condition::Not(condition) => !condition.of(at),
            Condition::And(_, parts) => parts.iter().all(|part| part.of(at)),
            Condition::Or(_, parts) => parts.iter().any(|part| part.of(at)),
        }
    }
}

impl Decision {
    fn of(&self, at: Values) -> u32 {
        match self {
            Decision::Truth(condition) => condition.of(at).into(),
            Decision::Cases(cases, otherwise) => {
                cases.iter().find(|(case, _)| *case == at.numbers[0]).map_or(*otherwise, |&(_, to)| to)
            }
            Decision::Given(first, otherwise, second) => {
                if first.of(at) {
                    second.of(at).into()
                } else {
                    *otherwise
                }
            }
        }
    }
}

impl Chance {
    fn small(&mut self) -> u8 {
        self.below(8) as u8
    }

    fn number(&mut self, depth: u32) -> Number {
        match self.below(if depth > 0 { 9 } else { 8 }) {
            0..=2 => Number::Place(self.below(2) as usize),
            3..=5 => Number::Constant(self.small()),
            6 => Number::Sum(self.below(2) as usize, self.small()),
            7 => Number::Difference,
            _ => Number::Choice(Box::new(self.condition(depth - 1)), self.below(2) as usize, self.small()),
        }
    }

    fn comparison(&mut self, depth: u32) -> Condition {
        let predicate = IntPredicate::ALL[self.below(IntPredicate::ALL.len() as u64) as usize];
        Condition::Compare(predicate, self.number(depth), self.number(depth))
    }

    /// A comparison of the first integer with a constant.
    fn bound(&mut self) -> Condition {
        let predicate = IntPredicate::ALL[self.below(IntPredicate::ALL.len() as u64) as usize];
        Condition::Compare(predicate, Number::Place(0), Number::Constant(self.small()))
    }

    fn condition(&mut self, depth: u32) -> Condition {
        let parts = |this: &mut Self| Box::new([this.condition(depth - 1), this.condition(depth - 1)]);
        match self.below(if depth > 0 { 10 } else { 6 }) {
            0 => Condition::Bit,
            1..=5 => self.comparison(depth.min(1)),
            6 => Condition::Not(Box::new(self.condition(depth - 1))),
            7 | 8 => Condition::And(self.below(2) == 0, parts(self)),
            _ => Condition::Or(self.below(2) == 0, parts(self)),
        }
    }

    fn decision(&mut self) -> Decision {
        let alternative = |this: &mut Self| this.below(2) as u32;
        match self.below(6) {
            0 => {
                let (first, apart) = (self.small(), 1 + self.below(7) as u8);
                let cases = [(first, alternative(self)), ((first + apart) % 8, alternative(self))];
                Decision::Cases(cases, alternative(self))
            }
            1 => Decision::Given(self.condition(1), alternative(self), self.condition(1)),
            _ => Decision::Truth(self.condition(2)),
        }
    }
}

/// The text of a program. The values have names, in the order of [`Values`].
struct Text {
    lines: String,
    next: u32,
}

type Names = [String; 3];

impl Text {
    fn name(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn value(&mut self, ty: &str, what: &str) -> String {
        let name = self.name();
        let _ = writeln!(self.lines, "{name}: {ty} = {what}");
        name
    }

    fn constant(&mut self, what: &str) -> String {
        let name = self.name();
        let _ = writeln!(self.lines, "{name} = const {what}");
        name
    }

    fn number(&mut self, number: &Number, at: &Names) -> String {
        match number {
            &Number::Place(place) => at[place].clone(),
            Number::Constant(number) => self.constant(&format!("i3 {number}")),
            &Number::Sum(place, by) => {
                let by = self.constant(&format!("i3 {by}"));
                self.value("i3", &format!("add {}, {by}", at[place]))
            }
            Number::Difference => self.value("i3", &format!("sub {}, {}", at[0], at[1])),
            &Number::Choice(ref condition, place, otherwise) => {
                let condition = self.condition(condition, at);
                let otherwise = self.constant(&format!("i3 {otherwise}"));
                self.value("i3", &format!("select {condition}, {}, {otherwise}", at[place]))
            }
        }
    }

    fn condition(&mut self, condition: &Condition, at: &Names) -> String {
        match condition {
            Condition::Bit => at[2].clone(),
            Condition::Compare(predicate, a, b) => {
                let (a, b) = (self.number(a, at), self.number(b, at));
                self.value("i1", &format!("icmp {} {a}, {b}", predicate.name()))
            }
            Condition::Not(condition) => {
                let (condition, one) = (self.condition(condition, at), self.constant("i1 true"));
                self.value("i1", &format!("xor {condition}, {one}"))
            }
            Condition::And(is_choice, parts) | Condition::Or(is_choice, parts) => {
                let [a, b] = [0, 1].map(|index| self.condition(&parts[index], at));
                let is_and = matches!(condition, Condition::And(..));
                let what = match (is_choice, is_and) {
                    (false, true) => format!("and {a}, {b}"),
                    (false, false) => format!("or {a}, {b}"),
                    (true, true) => format!("select {a}, {b}, {}", self.constant("i1 false")),
                    (true, false) => format!("select {a}, {}, {b}", self.constant("i1 true")),
                };
                self.value("i1", &what)
            }
        }
    }

    fn truth(&mut self, condition: &Condition, at: &Names) -> String {
        let condition = self.condition(condition, at);
        self.value("ctl(2)", &format!("match i1 {condition} [true -> 1, _ -> 0]"))
    }

    fn decision(&mut self, decision: &Decision, at: &Names) -> String {
        match decision {
            Decision::Truth(condition) => self.truth(condition, at),
            Decision::Cases([(a, to_a), (b, to_b)], otherwise) => {
                let what = format!("match i3 {} [{a} -> {to_a}, {b} -> {to_b}, _ -> {otherwise}] of 2", at[0]);
                self.value("ctl(2)", &what)
            }
            Decision::Given(first, otherwise, second) => {
                let first = self.truth(first, at);
                self.conditional("ctl(2)", &first, at, |this, alternative, at| match alternative {
                    0 => this.value("ctl(2)", &format!("ctl {otherwise} of 2")),
                    _ => this.truth(second, at),
                })
            }
        }
    }

    fn conditional(
        &mut self,
        ty: &str,
        predicate: &str,
        at: &Names,
        case: impl Fn(&mut Self, u32, &Names) -> String,
    ) -> String {
        let given = self.value(ty, &format!("gamma {predicate} ({})", at.join(", ")));
        for alternative in [0, 1] {
            let inside = [(); 3].map(|()| self.name());
            let [x, y, bit] = &inside;
            let _ = writeln!(self.lines, "case {alternative} ({x}: i3, {y}: i3, {bit}: i1) {{");
            let given = case(self, alternative, &inside);
            let _ = writeln!(self.lines, "yield {given}\n}}");
        }
        given
    }

    /// A comparison in the first alternative of each conditional, and in the second of the last.
    fn asked(&mut self, decisions: &[Decision], asked: &Condition, at: &Names) -> String {
        let [decision, more @ ..] = decisions else { return self.condition(asked, at) };
        let predicate = self.decision(decision, at);
        self.conditional("i1", &predicate, at, |this, alternative, at| {
            this.asked(if alternative == 0 { &[] } else { more }, asked, at)
        })
    }
}

/// Conditionals in each other, what is asked in them, and the loop around them.
struct Program {
    decisions: Vec<Decision>,
    asked: Condition,
    around: Option<Loop>,
}

/// A loop in the second alternative of a conditional.
struct Loop {
    entered: Decision,
    start: Number,
    next: [Number; 2],
    /// Whether it is decided by what the integers become, or by what they are.
    of_next: bool,
    again: Condition,
}

impl Program {
    fn any(chance: &mut Chance) -> Program {
        let is_loop = chance.below(2) == 0;
        let decisions = (0..chance.below(3) + u64::from(!is_loop)).map(|_| chance.decision()).collect();
        let around = is_loop.then(|| Loop {
            entered: chance.decision(),
            start: if chance.below(2) == 0 { Number::Constant(chance.small()) } else { Number::Place(0) },
            next: [chance.number(1), if chance.below(2) == 0 { Number::Place(1) } else { chance.number(1) }],
            of_next: chance.below(2) == 0,
            again: chance.condition(1),
        });
        let mut program = Program { decisions, asked: chance.comparison(1), around };
        // Where a comparison and the loop's decision are about the same number, one often says something of the other.
        if let Some(around) = program.around.as_mut().filter(|_| chance.below(2) == 0) {
            program.asked = chance.bound();
            (around.again, around.of_next) = (chance.bound(), true);
        }
        program
    }

    fn text(&self) -> String {
        let mut text = Text { lines: String::new(), next: 2 };
        let at = ["v0", "v1", "v2"].map(str::to_owned);
        let given = match &self.around {
            None => text.asked(&self.decisions, &self.asked, &at),
            Some(around) => {
                let predicate = text.decision(&around.entered, &at);
                text.conditional("i1", &predicate, &at, |text, alternative, at| match alternative {
                    0 => at[2].clone(),
                    _ => self.repeated(around, text, at),
                })
            }
        };
        format!(
            "module \"test\"\n@f = function i1 (i3, i3, i1)\nlambda @f [] (v0: i3, v1: i3, v2: i1, mem0, io0) {{\n{}\
             yield {given}, mem0, io0\n}}\nexport @f\n",
            text.lines
        )
    }

    fn repeated(&self, around: &Loop, text: &mut Text, at: &Names) -> String {
        let start = text.number(&around.start, at);
        let [outputs, inside] = [(); 2].map(|()| [(); 4].map(|()| text.name()));
        let [x, y, bit, given] = &inside;
        let list = outputs.iter().zip(["i3", "i3", "i1", "i1"]).map(|(name, ty)| format!("{name}: {ty}"));
        let _ = writeln!(
            text.lines,
            "{} = theta ({x}: i3 = {start}, {y}: i3 = {}, {bit}: i1 = {}, {given}: i1 = {}) {{",
            list.collect::<Vec<_>>().join(", "),
            at[1],
            at[2],
            at[2]
        );
        let inside = [x, y, bit].map(Clone::clone);
        let given = text.asked(&self.decisions, &self.asked, &inside);
        let [a, b] = [0, 1].map(|index| text.number(&around.next[index], &inside));
        let after = [a.clone(), b.clone(), bit.clone()];
        let again = text.truth(&around.again, if around.of_next { &after } else { &inside });
        let _ = writeln!(text.lines, "next {a}, {b}, {bit}, {given} while {again}\n}}");
        outputs[3].clone()
    }

    /// With which values each comparison is executed.
    fn executed(&self) -> Vec<Vec<Values>> {
        let mut executed = vec![Vec::new(); self.decisions.len() + 1];
        for code in 0..128 {
            let mut at = Values { numbers: [code % 8, code / 8 % 8], bit: code >= 64 };
            if let Some(around) = &self.around {
                if around.entered.of(at) == 0 {
                    continue;
                }
                at.numbers[0] = around.start.of(at);
            }
            // There are as many states of a loop as values.
            for _ in 0..128 {
                let place = self.decisions.iter().position(|decision| decision.of(at) == 0);
                executed[place.unwrap_or(self.decisions.len())].push(at);
                let Some(Loop { next, of_next, again, .. }) = &self.around else { break };
                let after = Values { numbers: [0, 1].map(|index| next[index].of(at)), ..at };
                if !again.of(if *of_next { after } else { at }) {
                    break;
                }
                at = after;
            }
        }
        executed
    }

    /// The regions in which the comparisons are, with what they give.
    fn places(&self, graph: &Graph) -> Vec<(Region, Origin)> {
        let (mut region, mut given) = (graph.root(), graph.result(graph.root(), 0));
        if self.around.is_some() {
            let [_, (around, _)] = Self::alternatives(graph, given);
            let theta = graph.nodes(around).find_map(|node| Theta::new(graph, node)).expect("there is a loop");
            (region, given) = (theta.body(graph), graph.origin(theta.loop_var(graph, 3).post));
        }
        let mut places = Vec::new();
        for _ in &self.decisions {
            let [first, second] = Self::alternatives(graph, given);
            places.push(first);
            (region, given) = second;
        }
        places.push((region, given));
        places
    }

    /// The alternatives of the conditional that gives something, with what they give.
    fn alternatives(graph: &Graph, given: Origin) -> [(Region, Origin); 2] {
        let node = graph.producer(given).expect("a conditional gives it");
        let gamma = Gamma::new(graph, node).expect("it is one");
        [0, 1].map(|alternative| gamma.regions(graph)[alternative]).map(|region| (region, graph.result(region, 0)))
    }
}

/// How many comparisons and bits are decided in them: fewer where something is not seen any more.
const FOUND: [usize; 2] = [1267, 1723];

#[test]
fn what_is_decided_is_so_for_all_values() {
    let mut chance = Chance(1);
    let (mut comparisons, mut bits) = (0, 0);
    for number in 0..4_000 {
        let program = Program::any(&mut chance);
        let text = program.text();
        let example = Example::of(&text);
        let graph = example.graph();
        for ((region, given), executed) in program.places(graph).into_iter().zip(program.executed()) {
            let Some(node) = graph.producer(given).filter(|&node| matches!(graph.op(node), Some(Op::ICmp { .. })))
            else {
                panic!("it is a comparison: {text}")
            };
            if let Some(answer) = decided(graph, example.surroundings(), node) {
                let wrong = executed.iter().find(|&&at| program.asked.of(at) != answer);
                assert_eq!(wrong, None, "program {number}: {given:?} is {answer}\n{text}");
                comparisons += usize::from(!executed.is_empty());
            }
            if region != graph.root()
                && let Some(answer) = truth(graph, graph.arguments(region)[2])
            {
                let wrong = executed.iter().find(|at| at.bit != answer);
                assert_eq!(wrong, None, "program {number}: the bit is {answer}\n{text}");
                bits += usize::from(!executed.is_empty());
            }
        }
    }
    assert!(comparisons >= FOUND[0] && bits >= FOUND[1], "{comparisons} comparisons and {bits} bits are decided");
}

/// Of comparisons with the number after another one, what follows from a comparison of the two.
#[test]
fn what_is_said_of_a_number_is_said_of_the_one_after_it() {
    let mut found = 0;
    for &known in IntPredicate::ALL {
        for &asked in IntPredicate::ALL {
            for (flags, first) in ["", "nuw ", "nsw "].into_iter().flat_map(|flags| [(flags, true), (flags, false)]) {
                let (from, operands) = if first { ("v8", "v10, v9") } else { ("v9", "v8, v10") };
                let example = Example::of(&format!(
                    "module \"test\"
                     @f = function i1 (i3, i3)
                     export @f
                     lambda @f [] (v0: i3, v1: i3, mem0, io0) {{
                       v3: i1 = icmp {} v0, v1
                       v4: ctl(2) = match i1 v3 [true -> 1, _ -> 0]
                       v5: i1 = gamma v4 (v0, v1)
                       case 0 (v6: i3, v7: i3) {{
                         v12 = const i1 false
                         yield v12
                       }}
                       case 1 (v8: i3, v9: i3) {{
                         v13 = const i3 1
                         v10: i3 = add {flags}{from}, v13
                         v11: i1 = icmp {} {operands}
                         yield v11
                       }}
                       yield v5, mem0, io0
                     }}",
                    known.name(),
                    asked.name()
                ));
                let graph = example.graph();
                let is_asked = |&node: &Node| {
                    matches!(graph.op(node), Some(Op::ICmp { .. })) && graph.region_of(node) != graph.root()
                };
                let node = example.nodes().into_iter().find(is_asked).expect("a comparison");
                let Some(answer) = decided(graph, example.surroundings(), node) else { continue };
                for (x, y) in (0..8u128).flat_map(|x| (0..8).map(move |y| (x, y))) {
                    let [a, b, one] = [x, y, 1].map(|value| Int::new(3, value));
                    let old = if first { a } else { b };
                    let wraps = match flags {
                        "nuw " => old.is_ones(),
                        "nsw " => old.is_max_signed(),
                        _ => false,
                    };
                    let [left, right] = if first { [a.add(one), b] } else { [a, b.add(one)] };
                    let is_wrong = a.compare(known, b) && !wraps && left.compare(asked, right) != answer;
                    assert!(!is_wrong, "{known:?} {asked:?} {flags} {x} {y}");
                }
                found += 1;
            }
        }
    }
    assert!(found >= 32, "{found} comparisons are decided");
}

#[test]
fn what_is_decided_is_so_in_all_runs() {
    let mut chance = Chance(3);
    let (mut comparisons, mut bits) = (0, 0);
    for _ in 0..600 {
        let text = runs::any_function(&mut chance);
        let example = Example::of(&text);
        let graph = example.graph();
        let runs = runs::run(graph);
        for (origin, &seen) in runs.values.iter().filter(|&(_, &seen)| seen != 0) {
            let comparison = graph.producer(origin).filter(|&node| matches!(graph.op(node), Some(Op::ICmp { .. })));
            let found = match comparison {
                Some(node) => decided(graph, example.surroundings(), node).inspect(|_| comparisons += 1),
                None if graph.ty(origin) == Type::I1 => truth(graph, origin).inspect(|_| bits += 1),
                None => None,
            };
            if let Some(answer) = found {
                assert_eq!(seen, 1 << u32::from(answer), "{origin:?} is {answer}\n{text}");
            }
        }
    }
    expect_test::expect!["236 comparisons, 903 bits"].assert_eq(&format!("{comparisons} comparisons, {bits} bits"));
}

/// The text of a function with a loop that is left in two ways, which an exit variable tells, and with comparisons after it of what the
/// loop gives, of values of its last iteration, and of values from before it.
fn left_in_two_ways(chance: &mut Chance) -> String {
    let predicate =
        |chance: &mut Chance| IntPredicate::ALL[chance.below(IntPredicate::ALL.len() as u64) as usize].name();
    let [enters, stays, again] = [(); 3].map(|()| predicate(chance));
    let [step, bound, first, second, given] = [4, 8, 2, 2, 3].map(|most| chance.below(most));
    let limit = if chance.below(3) == 0 { "v19" } else { "v16" };
    let left = ["v23", "v24", "v25"][given as usize];
    let mut asked = String::new();
    for alternative in 0..2 {
        let names = [0, 1, 2, 3].map(|index| format!("v{}", 40 + 20 * alternative + index));
        _ = writeln!(
            asked,
            "case {alternative} ({}) {{",
            names.each_ref().map(|name| format!("{name}: i3")).join(", ")
        );
        for index in 0..4 {
            let [a, b] = [(); 2].map(|()| &names[chance.below(4) as usize]);
            _ = writeln!(asked, "v{}: i1 = icmp {} {a}, {b}", 50 + 20 * alternative + index, predicate(chance));
        }
        _ = writeln!(asked, "yield {}\n}}", names[0]);
    }
    format!(
        "module \"test\"\n@f = function i3 (i3, i3, i1)\nlambda @f [] (v0: i3, v1: i3, v2: i1, mem0, io0) {{
         v3: i1 = icmp {enters} v0, v1\nv4: ctl(2) = match i1 v3 [true -> 1, _ -> 0]\nv5: i3 = gamma v4 (v0, v1)
         case 0 (v6: i3, v7: i3) {{\nyield v6\n}}\ncase 1 (v8: i3, v9: i3) {{\nv10: ctl(2) = ctl 0 of 2
         v11: i3, v12: i3, v13: ctl(2), v14: i3 = theta (v15: i3 = v8, v16: i3 = v9, v17: ctl(2) = v10, v18: i3 = v8) {{
         v19 = const i3 {bound}\nv20: i1 = icmp {stays} v15, {limit}\nv21: ctl(2) = match i1 v20 [true -> 1, _ -> 0]
         v22: i3, v26: ctl(2), v27: ctl(2) = gamma v21 (v15, v16, v18)
         case 0 (v23: i3, v24: i3, v25: i3) {{\nv28: ctl(2) = ctl {first} of 2\nv29: ctl(2) = ctl 0 of 2\nyield {left}, v28, v29\n}}
         case 1 (v30: i3, v31: i3, v32: i3) {{\nv33 = const i3 {step}\nv34: i3 = add v30, v33
         v35: i1 = icmp {again} v34, v31\nv36: ctl(2) = match i1 v35 [true -> 1, _ -> 0]\nv37: ctl(2) = ctl {second} of 2
         yield v34, v37, v36\n}}\nnext v22, v16, v26, v15 while v27\n}}
         v38: i3 = gamma v13 (v11, v12, v14, v9)\n{asked}\nyield v38\n}}\nyield v5, mem0, io0\n}}\nexport @f\n"
    )
}

#[test]
fn what_is_decided_after_a_loop_is_so_in_all_runs() {
    let mut chance = Chance(5);
    let mut found = 0;
    for _ in 0..2000 {
        let text = left_in_two_ways(&mut chance);
        let example = Example::of(&text);
        let graph = example.graph();
        let runs = runs::run(graph);
        for (origin, &seen) in runs.values.iter().filter(|&(_, &seen)| seen != 0) {
            let Some(node) = graph.producer(origin) else { continue };
            let Some(Op::ICmp { predicate, .. }) = graph.op(node) else { continue };
            let [left, right] = [0, 1].map(|index| graph.input(node, index));
            let answer = decided(graph, None, node);
            assert_eq!(compared(graph, graph.region_of(node), (predicate, left, right)), answer, "{origin:?}\n{text}");
            if let Some(answer) = answer {
                found += 1;
                assert_eq!(seen, 1 << u32::from(answer), "{origin:?} is {answer}\n{text}");
            }
        }
    }
    expect_test::expect!["1314"].assert_eq(&found.to_string());
}
