//! What is decided of integers of three bits by several comparisons, in all runs of programs made by chance.

use std::fmt::Write;

use rvsdg_core::Op;
use rvsdg_core::op::IntPredicate;

use super::decided;
use crate::tests::{Chance, Example, runs};

/// The text of a program: guards in each other, and perhaps a loop in them, in which numbers are compared.
struct Text<'c> {
    chance: &'c mut Chance,
    lines: String,
    next: u32,
}

impl Text<'_> {
    fn name(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn value(&mut self, ty: &str, what: &str) -> String {
        let name = self.name();
        _ = writeln!(self.lines, "{name}: {ty} = {what}");
        name
    }

    fn constant(&mut self, number: u64) -> String {
        let name = self.name();
        _ = writeln!(self.lines, "{name} = const i3 {number}");
        name
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.chance.below(choices.len() as u64) as usize]
    }

    fn any(&mut self, numbers: &[String]) -> String {
        numbers[self.chance.below(numbers.len() as u64) as usize].clone()
    }

    /// A number that is at most, or at least, as great as another one.
    fn derived(&mut self, numbers: &[String]) -> String {
        let (a, b) = (self.any(numbers), self.any(numbers));
        match self.chance.below(12) {
            0 => {
                let number = self.chance.below(3);
                self.constant(number)
            }
            1 => {
                let op = self.one_of(&["lshr", "udiv", "urem", "and", "or"]);
                let by = self.one_of(&[1, 2, 3]);
                let by = self.constant(by);
                self.value("i3", &format!("{op} {a}, {by}"))
            }
            2 => {
                let op = self.one_of(&["and", "or", "urem", "sub nuw", "add nuw", "add nsw"]);
                self.value("i3", &format!("{op} {a}, {b}"))
            }
            3..=6 => {
                let flags = self.one_of(&["", "", "nuw ", "nsw "]);
                let by = self.one_of(&[1, 1, 7, 7, 2, 6]);
                let by = self.constant(by);
                self.value("i3", &format!("add {flags}{a}, {by}"))
            }
            7..=9 => {
                let predicate = self.one_of(&["ult", "ule", "slt", "ugt"]);
                let less = self.value("i1", &format!("icmp {predicate} {a}, {b}"));
                self.value("i3", &format!("select {less}, {a}, {b}"))
            }
            _ => a,
        }
    }

    fn compare(&mut self, numbers: &[String]) -> String {
        let predicate = self.one_of(IntPredicate::ALL);
        let (a, b) = (self.any(numbers), self.any(numbers));
        self.value("i1", &format!("icmp {} {a}, {b}", predicate.name()))
    }

    fn asked(&mut self, mut numbers: Vec<String>, guards: u64) -> String {
        for _ in 0..2 {
            let derived = self.derived(&numbers);
            numbers.push(derived);
        }
        if guards == 0 {
            let compared: Vec<String> = (0..4).map(|_| self.compare(&numbers)).collect();
            return compared[0].clone();
        }
        if self.chance.below(4) == 0 {
            return self.repeated(&numbers, guards);
        }
        let guard = self.compare(&numbers);
        let taken = self.value("ctl(2)", &format!("match i1 {guard} [true -> 1, _ -> 0]"));
        let given = self.value("i1", &format!("gamma {taken} ({})", numbers.join(", ")));
        for case in 0..2 {
            let inside: Vec<String> = numbers.iter().map(|_| self.name()).collect();
            _ = writeln!(self.lines, "case {case} ({}) {{", listed(&inside));
            let result = self.asked(inside, if case == 0 { 0 } else { guards - 1 });
            _ = writeln!(self.lines, "yield {result}\n}}");
        }
        given
    }

    /// A loop in which the first number counts, or shrinks, and the others stay.
    fn repeated(&mut self, numbers: &[String], guards: u64) -> String {
        let outputs: Vec<String> = numbers.iter().map(|_| self.name()).collect();
        let inside: Vec<String> = numbers.iter().map(|_| self.name()).collect();
        let counted = self.chance.below(numbers.len() as u64) as usize;
        let starts = inside.iter().zip(numbers).map(|(name, start)| format!("{name}: i3 = {start}"));
        let given = [(); 2].map(|()| self.name());
        let start = self.compare(numbers);
        let starts: Vec<String> = starts.chain([format!("{}: i1 = {start}", given[1])]).collect();
        _ = writeln!(self.lines, "{}, {}: i1 = theta ({}) {{", listed(&outputs), given[0], starts.join(", "));
        let result = self.asked(inside.clone(), guards - 1);
        let mut after = inside.clone();
        after[counted] = match self.chance.below(4) {
            0 => self.derived(&inside[counted..=counted]),
            _ => {
                let flags = self.one_of(&["", "nuw "]);
                let by = self.one_of(&[1, 7]);
                let by = self.constant(by);
                self.value("i3", &format!("add {flags}{}, {by}", inside[counted]))
            }
        };
        let again = if self.chance.below(3) == 0 {
            let zero = self.constant(0);
            self.value("i1", &format!("icmp ne {}, {zero}", after[counted]))
        } else {
            let predicate = self.one_of(&["ult", "ule", "slt", "ne", "ugt"]);
            let other = self.any(&inside);
            self.value("i1", &format!("icmp {predicate} {}, {other}", after[counted]))
        };
        let again = self.value("ctl(2)", &format!("match i1 {again} [true -> 1, _ -> 0]"));
        _ = writeln!(self.lines, "next {}, {result} while {again}\n}}", after.join(", "));
        given[0].clone()
    }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("{name}: i3")).collect::<Vec<_>>().join(", ")
}

/// A function of two numbers that are promised to be numbers, or not.
fn function(lines: &str, result: &str, is_promised: bool) -> String {
    let promise = if is_promised { "noundef" } else { "zeroext" };
    format!(
        "module \"test\"\n@f = function i1 (i3, i3, i1), #0\nlambda @f [] (v0: i3, v1: i3, v2: i1, mem0, io0) {{\n{lines}\
         yield {result}, mem0, io0\n}}\nexport @f\n\
         attributes #0 = function {{ nounwind }} params ({{ {promise} }}, {{ {promise} }}, {{}})\n"
    )
}

#[test]
fn what_is_decided_is_so_in_all_runs() {
    let mut chance = Chance(7);
    let (mut found, mut of_any) = (0, 0);
    for _ in 0..3_000 {
        let guards = 2 + chance.below(3);
        let mut text = Text { chance: &mut chance, lines: String::new(), next: 2 };
        let result = text.asked(vec!["v0".into(), "v1".into()], guards);
        let lines = text.lines;
        let [promised, not_promised] =
            [true, false].map(|is_promised| Example::of(&function(&lines, &result, is_promised)));
        let graph = promised.graph();
        let runs = runs::run(graph);
        for (origin, &seen) in runs.values.iter().filter(|&(_, &seen)| seen != 0) {
            let Some(node) = graph.producer(origin) else { continue };
            if !matches!(graph.op(node), Some(Op::ICmp { .. })) {
                continue;
            }
            if let Some(answer) = decided(graph, promised.surroundings(), node) {
                assert_eq!(seen, 1 << u32::from(answer), "{origin:?} is {answer}\n{lines}");
                found += 1;
            }
            of_any += usize::from(decided(not_promised.graph(), not_promised.surroundings(), node).is_some());
        }
    }
    expect_test::expect!["4168, 3361 of numbers that may be undef"]
        .assert_eq(&format!("{found}, {of_any} of numbers that may be undef"));
}

/// What is decided of the last comparison of a function of numbers that are promised to be numbers, and of any.
fn of_last(lines: &str, result: &str) -> [Option<bool>; 2] {
    [true, false].map(|is_promised| {
        let example = Example::of(&function(lines, result, is_promised));
        let graph = example.graph();
        let is_compared = |&node: &rvsdg_core::Node| matches!(graph.op(node), Some(Op::ICmp { .. }));
        let last = graph.all_nodes().filter(is_compared).last().expect("there is one");
        decided(graph, example.surroundings(), last)
    })
}

/// A conditional with a comparison in its second alternative.
fn guarded(before: &str, condition: &str, inside: &str) -> String {
    format!(
        "{before}v20: i1 = icmp {condition}\nv21: ctl(2) = match i1 v20 [true -> 1, _ -> 0]\nv22: i1 = gamma v21 (v0, v1, v2)\n\
         case 0 (v23: i3, v24: i3, v25: i1) {{\nyield v25\n}}\ncase 1 (v26: i3, v27: i3, v28: i1) {{\n{inside}yield v30\n}}\n"
    )
}

/// Two conditions are about one number only if it is not undef; what one condition says of a number that is computed of another one,
/// it says of that as well.
#[test]
fn what_may_be_undef_is_not_between() {
    let least = "v10: i1 = icmp ult v0, v1\nv11: i3 = select v10, v0, v1\nv12 = const i3 3\n";
    let half = "v12 = const i3 1\nv11: i3 = lshr v1, v12\n";
    for (before, condition, inside, expected) in [
        (half, "ult v0, v11", "v30: i1 = icmp ult v26, v27\n", [Some(true), Some(true)]),
        (least, "ult v12, v11", "v31 = const i3 3\nv30: i1 = icmp ult v31, v27\n", [Some(true), None]),
        (
            "",
            "ult v0, v1",
            "v31 = const i3 1\nv32: i3 = lshr v26, v31\nv30: i1 = icmp ult v32, v27\n",
            [Some(true), None],
        ),
    ] {
        assert_eq!(of_last(&guarded(before, condition, inside), "v22"), expected, "{before}{condition}{inside}");
    }
}
