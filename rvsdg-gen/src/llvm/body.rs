//! Functions: their control flow.

use std::fmt::Write;

use super::{Function, Options, Place, Ty, values};
use crate::entropy::Entropy;

/// A function in the making.
pub(super) struct Writer<'a, 'e> {
    pub(super) entropy: &'a mut Entropy<'e>,
    pub(super) options: Options,
    /// Values that may be used here.
    values: Vec<(Ty, String)>,
    pub(super) places: Vec<Place>,
    functions: &'a [Function],
    text: String,
    next: u32,
    /// The block that is being written.
    block: String,
    budget: usize,
    /// How often what is written here is executed, at most.
    pub(super) factor: u64,
    cost: u64,
}

/// Bounds what a run of a function costs.
const MAX_COST: u64 = 3_000_000;

/// A function, and its text.
pub(super) fn function(
    entropy: &mut Entropy<'_>,
    options: Options,
    index: usize,
    globals: &[Place],
    functions: &[Function],
) -> (Function, String) {
    let params: Vec<Ty> = (0..entropy.below(5)).map(|_| entropy.pick(Ty::PASSED)).collect();
    let result = entropy.pick(Ty::PASSED);
    let linkage = entropy.pick(&["", "internal ", "dso_local "]);
    let mut writer = Writer {
        values: params.iter().enumerate().map(|(index, &ty)| (ty, format!("%a{index}"))).collect(),
        places: globals.to_vec(),
        functions,
        text: String::new(),
        next: 0,
        block: "entry".into(),
        budget: options.operations,
        factor: 1,
        cost: 1,
        entropy,
        options,
    };
    writer.text.push_str("entry:\n");
    if writer.entropy.chance(1, 3) {
        writer.few_operations();
        writer.web();
    }
    while writer.budget > 0 && !writer.entropy.is_exhausted() {
        writer.statements(3);
    }
    let value = writer.sum(result);
    writer.code(&format!("ret {} {value}", result.text()));
    let name = format!("@f{index}");
    let list: Vec<String> = params.iter().enumerate().map(|(index, ty)| format!("{} %a{index}", ty.text())).collect();
    let text = format!("define {linkage}{} {name}({}) {{\n{}}}\n\n", result.text(), list.join(", "), writer.text);
    (Function { name, params, result, cost: writer.cost }, text)
}

impl Writer<'_, '_> {
    /// A line that gives no value.
    pub(super) fn code(&mut self, code: &str) {
        self.cost = self.cost.saturating_add(self.factor);
        _ = writeln!(self.text, "  {code}");
    }

    /// A line that gives a value that later ones do not choose.
    pub(super) fn hidden(&mut self, code: &str) -> String {
        let name = format!("%v{}", self.next);
        self.next += 1;
        self.code(&format!("{name} = {code}"));
        name
    }

    /// A line that gives a value.
    pub(super) fn line(&mut self, ty: Ty, code: &str) -> String {
        let name = self.hidden(code);
        self.values.push((ty, name.clone()));
        name
    }

    /// A value of a type: one there is, recent ones more often, or a constant.
    pub(super) fn value(&mut self, ty: Ty) -> String {
        let fitting: Vec<&String> =
            self.values.iter().filter(|(other, _)| *other == ty).map(|(_, name)| name).collect();
        if fitting.is_empty() || self.entropy.chance(1, 6) {
            return values::literal(ty, self.entropy);
        }
        let reach = if self.entropy.chance(1, 3) { fitting.len() } else { fitting.len().min(5) };
        fitting[fitting.len() - 1 - self.entropy.below(reach)].clone()
    }

    pub(super) fn place(&mut self) -> Option<Place> {
        if self.places.is_empty() {
            return None;
        }
        let index = self.entropy.below(self.places.len());
        Some(self.places[self.places.len() - 1 - index].clone())
    }

    fn label(&mut self, what: &str) -> String {
        self.next += 1;
        format!("{what}{}", self.next)
    }

    fn begin(&mut self, label: &str) {
        _ = writeln!(self.text, "{label}:");
        self.block = label.into();
    }

    fn few_operations(&mut self) {
        for _ in 0..1 + self.entropy.below(6) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.operation();
        }
    }

    /// Operations and control flow, nested at most `depth` deep.
    fn statements(&mut self, depth: usize) {
        for _ in 0..1 + self.entropy.below(3) {
            if self.budget == 0 || self.entropy.is_exhausted() {
                return;
            }
            self.budget -= 1;
            match self.entropy.below(8) {
                0..=3 => self.few_operations(),
                4 if depth > 0 => self.conditional(depth - 1),
                5 if depth > 0 => self.switch(depth - 1),
                6 if depth > 0 => self.loop_(depth - 1),
                _ => self.call(),
            }
        }
    }

    /// Writes what `inside` says into a block that leads to `join`; the value of each type in `types` at its end, and that block.
    fn arm(&mut self, label: &str, join: &str, depth: usize, types: &[Ty]) -> (Vec<String>, String) {
        let (values, places) = (self.values.len(), self.places.len());
        self.begin(label);
        self.statements(depth);
        let out = types.iter().map(|&ty| self.value(ty)).collect();
        self.code(&format!("br label %{join}"));
        self.values.truncate(values);
        self.places.truncate(places);
        (out, self.block.clone())
    }

    /// A join of arms with what they bring.
    fn join(&mut self, label: &str, types: &[Ty], arms: &[(Vec<String>, String)]) {
        self.begin(label);
        for (index, &ty) in types.iter().enumerate() {
            let sources: Vec<String> =
                arms.iter().map(|(values, block)| format!("[ {}, %{block} ]", values[index])).collect();
            self.line(ty, &format!("phi {} {}", ty.text(), sources.join(", ")));
        }
    }

    fn some_types(&mut self) -> Vec<Ty> {
        (0..self.entropy.below(4)).map(|_| self.entropy.pick(Ty::ALL)).collect()
    }

    fn conditional(&mut self, depth: usize) {
        let types = self.some_types();
        let condition = self.value(Ty::I1);
        let [then, otherwise, join] = ["then", "else", "join"].map(|what| self.label(what));
        if self.entropy.chance(1, 3) {
            let before: Vec<String> = types.iter().map(|&ty| self.value(ty)).collect();
            let from = self.block.clone();
            self.code(&format!("br i1 {condition}, label %{then}, label %{join}"));
            let arm = self.arm(&then, &join, depth, &types);
            self.join(&join, &types, &[(before, from), arm]);
        } else {
            self.code(&format!("br i1 {condition}, label %{then}, label %{otherwise}"));
            let arms = [self.arm(&then, &join, depth, &types), self.arm(&otherwise, &join, depth, &types)];
            self.join(&join, &types, &arms);
        }
    }

    fn switch(&mut self, depth: usize) {
        let types = self.some_types();
        let ty = self.entropy.pick(&[Ty::I32, Ty::I64, Ty::I8]);
        let cases = 2 + self.entropy.below(4);
        let mut value = self.value(ty);
        // Sometimes all values have a case, and nothing else can be.
        let complete = cases == 4 && self.entropy.chance(1, 2);
        if complete || self.entropy.chance(3, 4) {
            value = self.hidden(&format!("and {} {value}, {}", ty.text(), if complete { 3 } else { 7 }));
        }
        let labels: Vec<String> = (0..cases).map(|_| self.label("case")).collect();
        let (default, join) = (self.label("default"), self.label("join"));
        let list: Vec<String> =
            labels.iter().enumerate().map(|(case, label)| format!("{} {case}, label %{label}", ty.text())).collect();
        self.code(&format!("switch {} {value}, label %{default} [ {} ]", ty.text(), list.join(" ")));
        let mut arms: Vec<_> = labels.iter().map(|label| self.arm(label, &join, depth, &types)).collect();
        if complete {
            self.begin(&default);
            self.code("unreachable");
        } else {
            arms.push(self.arm(&default, &join, depth, &types));
        }
        self.join(&join, &types, &arms);
    }

    /// A loop over a counter, with values that change, sometimes left in its middle.
    fn loop_(&mut self, depth: usize) {
        let types = self.some_types();
        let [head, body, next, exit] = ["head", "body", "next", "exit"].map(|what| self.label(what));
        let times = 1 + self.entropy.below(8);
        let limit = if self.entropy.chance(1, 2) {
            times.to_string()
        } else {
            let value = self.value(Ty::I32);
            self.hidden(&format!("and i32 {value}, 7"))
        };
        let start: Vec<String> = types.iter().map(|&ty| self.value(ty)).collect();
        let before = self.block.clone();
        self.code(&format!("br label %{head}"));
        let (values, places) = (self.values.len(), self.places.len());
        let factor = self.factor;
        self.factor = self.factor.saturating_mul(8);
        self.begin(&head);
        let counter = format!("%i{}", self.label(""));
        let names: Vec<String> = types.iter().map(|_| format!("%w{}", self.label(""))).collect();
        // What comes around the loop is known once its body is written.
        let at = self.text.len();
        self.values.push((Ty::I32, counter.clone()));
        self.values.extend(types.iter().copied().zip(names.iter().cloned()));
        let carried = self.values.len();
        let head_first = self.entropy.chance(1, 2);
        let mut exits = vec![];
        if head_first {
            let more = self.hidden(&format!("icmp ult i32 {counter}, {limit}"));
            self.code(&format!("br i1 {more}, label %{body}, label %{exit}"));
            exits.push((names.clone(), head.clone()));
        } else {
            self.code(&format!("br label %{body}"));
        }
        self.begin(&body);
        self.statements(depth);
        if self.entropy.chance(1, 3) {
            let condition = self.value(Ty::I1);
            let stay = self.label("stay");
            let out = types.iter().map(|&ty| self.value(ty)).collect();
            exits.push((out, self.block.clone()));
            self.code(&format!("br i1 {condition}, label %{exit}, label %{stay}"));
            self.begin(&stay);
            self.statements(depth.saturating_sub(1));
        }
        self.code(&format!("br label %{next}"));
        self.begin(&next);
        let flags = self.entropy.pick(&["", " nuw", " nsw", " nuw nsw"]);
        let more = self.hidden(&format!("add{flags} i32 {counter}, 1"));
        let around: Vec<String> = types.iter().map(|&ty| self.value(ty)).collect();
        if head_first {
            self.code(&format!("br label %{head}"));
        } else {
            let again = self.hidden(&format!("icmp ult i32 {more}, {limit}"));
            self.code(&format!("br i1 {again}, label %{head}, label %{exit}"));
            exits.push((around.clone(), self.block.clone()));
        }
        let mut phis = format!("  {counter} = phi i32 [ 0, %{before} ], [ {more}, %{} ]\n", self.block);
        for (index, ty) in types.iter().enumerate() {
            let (name, start, around) = (&names[index], &start[index], &around[index]);
            let line = format!("  {name} = phi {} [ {start}, %{before} ], [ {around}, %{} ]\n", ty.text(), self.block);
            phis.push_str(&line);
        }
        self.text.insert_str(at, &phis);
        self.factor = factor;
        debug_assert!(self.values.len() >= carried, "values of the loop stay until its end");
        self.values.truncate(values);
        self.places.truncate(places);
        self.join(&exit, &types, &exits);
    }

    /// Calls a function written before, directly or by its address.
    fn call(&mut self) {
        let cost = |function: &Function| function.cost.saturating_mul(self.factor);
        let affordable: Vec<Function> =
            self.functions.iter().filter(|function| cost(function) < MAX_COST / 8).cloned().collect();
        if affordable.is_empty() || self.cost > MAX_COST {
            return self.few_operations();
        }
        let index = self.entropy.below(affordable.len());
        let function = &affordable[index];
        let arguments: Vec<String> =
            function.params.iter().map(|&ty| format!("{} {}", ty.text(), self.value(ty))).collect();
        let mut callee = function.name.clone();
        let alike = affordable
            .iter()
            .find(|other| other.params == function.params && other.result == function.result && other.name != callee);
        if let Some(other) = alike
            && self.entropy.chance(1, 2)
        {
            let condition = self.value(Ty::I1);
            callee = self.hidden(&format!("select i1 {condition}, ptr {callee}, ptr {}", other.name));
        }
        self.cost = self.cost.saturating_add(function.cost.saturating_mul(self.factor));
        let tail = self.entropy.pick(&["", "", "tail ", "notail "]);
        // A tail call promises that the callee does not touch this function's stack; arguments are no addresses.
        self.line(
            function.result,
            &format!("{tail}call {} {callee}({})", function.result.text(), arguments.join(", ")),
        );
    }

    /// Blocks that lead anywhere, until fuel is used up. What they compute is in memory, and in φs of what was before.
    fn web(&mut self) {
        let count = 3 + self.entropy.below(6);
        let labels: Vec<String> = (0..count).map(|_| self.label("web")).collect();
        let exit = self.label("exit");
        let fuel = self.hidden("alloca i32, align 4");
        let fuel_start = 4 + self.entropy.below(30);
        self.code(&format!("store i32 {fuel_start}, ptr {fuel}, align 4"));
        let slots: Vec<Place> = [Ty::I32, Ty::I64, Ty::I1]
            .map(|element| {
                let name = self.hidden(&format!("alloca {}, align 16", element.text()));
                let start = self.value(element);
                self.code(&format!("store {} {start}, ptr {name}, align 16", element.text()));
                Place { name, element, len: 1 }
            })
            .into();
        let before = self.values.clone();
        let before_places = [self.places.clone(), slots.clone()].concat();
        let factor = self.factor;
        self.factor = factor.saturating_mul(34);
        // Where each block goes, before any is written: φs name their predecessors.
        let targets: Vec<Vec<usize>> =
            (0..count).map(|_| (0..1 + self.entropy.below(3)).map(|_| self.entropy.below(count)).collect()).collect();
        let entry = self.block.clone();
        let second = self.entropy.below(count);
        let condition = self.value(Ty::I1);
        self.code(&format!("br i1 {condition}, label %{}, label %{}", labels[0], labels[second]));
        for index in 0..count {
            let mut sources = vec![];
            for target in [0, second] {
                sources.extend((target == index).then(|| entry.clone()));
            }
            for (from, list) in targets.iter().enumerate() {
                sources.extend(list.iter().filter(|&&to| to == index).map(|_| format!("{}.end", labels[from])));
            }
            self.values.clone_from(&before);
            self.places.clone_from(&before_places);
            self.begin(&labels[index]);
            if sources.is_empty() {
                // A block that nothing leads to.
                self.code(&format!("br label %{}.end", labels[index]));
            } else {
                for ty in [Ty::I32, Ty::F64] {
                    let mut known: Vec<(String, String)> = vec![];
                    let mut list = vec![];
                    for source in &sources {
                        let value = match known.iter().find(|(block, _)| block == source) {
                            Some((_, value)) => value.clone(),
                            None => self.value_of(&before, ty),
                        };
                        list.push(format!("[ {value}, %{source} ]"));
                        known.push((source.clone(), value));
                    }
                    self.line(ty, &format!("phi {} {}", ty.text(), list.join(", ")));
                }
                self.few_operations();
                self.code(&format!("br label %{}.end", labels[index]));
            }
            self.begin(&format!("{}.end", labels[index]));
            for slot in &slots {
                let value = if sources.is_empty() { slot.element.zero().into() } else { self.value(slot.element) };
                self.code(&format!("store {} {value}, ptr {}, align 16", slot.element.text(), slot.name));
            }
            let left = self.hidden(&format!("load i32, ptr {fuel}, align 4"));
            let less = self.hidden(&format!("sub i32 {left}, 1"));
            self.code(&format!("store i32 {less}, ptr {fuel}, align 4"));
            let way = self.hidden(&format!("urem i32 {left}, {}", 1 + targets[index].len()));
            let done = self.hidden(&format!("icmp sle i32 {less}, 0"));
            let choice = self.hidden(&format!("select i1 {done}, i32 -1, i32 {way}"));
            let list: Vec<String> = targets[index][1..]
                .iter()
                .enumerate()
                .map(|(case, &to)| format!("i32 {case}, label %{}", labels[to]))
                .collect();
            let first = &labels[targets[index][0]];
            self.code(&format!("switch i32 {choice}, label %{first} [ i32 -1, label %{exit} {} ]", list.join(" ")));
        }
        self.factor = factor;
        self.values = before;
        self.places.truncate(before_places.len() - slots.len());
        self.begin(&exit);
        for slot in slots {
            self.line(slot.element, &format!("load {}, ptr {}, align 16", slot.element.text(), slot.name));
        }
    }

    fn value_of(&mut self, values: &[(Ty, String)], ty: Ty) -> String {
        let all = std::mem::replace(&mut self.values, values.to_vec());
        let value = self.value(ty);
        self.values = all;
        value
    }

    /// A value of a type that depends on much of what was computed.
    fn sum(&mut self, ty: Ty) -> String {
        if !matches!(ty, Ty::I64 | Ty::I32) {
            return self.value(ty);
        }
        let mut sum = "0".to_owned();
        for (of, value) in self.values.clone() {
            let prefix = format!("%s{}", self.label(""));
            let bits = values::as_bits(&mut self.text, &prefix, of, &value);
            let mixed = self.hidden(&format!("xor i64 {sum}, {bits}"));
            sum = self.hidden(&format!("mul i64 {mixed}, 1099511628211"));
        }
        if ty == Ty::I32 { self.hidden(&format!("trunc i64 {sum} to i32")) } else { sum }
    }
}
