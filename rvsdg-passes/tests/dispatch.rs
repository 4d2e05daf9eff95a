//! Loops of interpreters, whose iterations load from a table where the next one branches, do the same after `pull` has joined the loads.

use std::fmt::Write;

use rvsdg_core::text::parse_module;
use rvsdg_gen::rng::Rng;
use rvsdg_gen::runs::Tally;

mod common;

use common::keeps_meaning;

/// How many programs are tried.
const PROGRAMS: u64 = 400;

/// The text of a function that interprets a constant program.
struct Text {
    out: String,
    names: usize,
}

impl Text {
    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn state(&mut self) -> String {
        self.names += 1;
        format!("mem{}", self.names)
    }

    fn line(&mut self, line: &str) {
        writeln!(self.out, "{line}").expect("text can be written");
    }

    fn value(&mut self, ty: &str, operation: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name}{ty} = {operation}"));
        name
    }

    fn loaded(&mut self, ty: &str, address: &str, before: &str) -> (String, String) {
        let (name, after) = (self.fresh(), self.state());
        self.line(&format!("{name}: {ty}, {after} = load {address}, {before}, align 1"));
        (name, after)
    }

    fn stored(&mut self, value: &str, address: &str, before: &str) -> String {
        let after = self.state();
        self.line(&format!("{after} = store {value}, {address}, {before}, align 1"));
        after
    }

    /// Begins an alternative; gives the names of what enters it.
    fn case(&mut self, number: usize) -> Frame {
        let frame = Frame {
            memory: self.state(),
            table: self.fresh(),
            code: self.fresh(),
            log: self.fresh(),
            address: self.fresh(),
            at: self.fresh(),
            sum: self.fresh(),
        };
        let Frame { memory, table, code, log, address, at, sum } = &frame;
        self.line(&format!(
            "case {number} ({memory}, {table}: ptr, {code}: ptr, {log}: ptr, {address}: ptr, {at}: i64, {sum}: i64) {{"
        ));
        frame
    }

    /// Loads where the next instruction branches: the address, the memory state, and where the next instruction is.
    fn fetch(&mut self, frame: &Frame, memory: &str) -> (String, String, String) {
        let [one, zero] = [1, 0].map(|number| self.value("", &format!("const i64 {number}")));
        let at = self.value(": i64", &format!("add {}, {one}", frame.at));
        let place = self.value(": ptr", &format!("getelementptr i8, {}, {at}", frame.code));
        let (byte, memory) = self.loaded("i8", &place, memory);
        let index = self.value(": i64", &format!("zext {byte}"));
        let place = self.value(": ptr", &format!("getelementptr [4 x ptr], {}, {zero}, {index}", frame.table));
        let (address, memory) = self.loaded("ptr", &place, &memory);
        (address, memory, at)
    }

    fn predicate(&mut self, value: u32, of: u32) -> String {
        self.value(&format!(": ctl({of})"), &format!("ctl {value} of {of}"))
    }

    fn poison(&mut self) -> String {
        self.value("", "const ptr poison")
    }
}

/// The values in an alternative.
struct Frame {
    memory: String,
    table: String,
    code: String,
    log: String,
    address: String,
    at: String,
    sum: String,
}

/// An interpreter, and whether its loads can be joined.
fn program(rng: &mut Rng) -> (String, bool) {
    let mut joins = true;
    let mut text = Text { out: String::new(), names: 100 };
    // Whether the address goes through the second conditional.
    let through = rng.below(2) == 0;
    for number in 0..4 {
        let frame = text.case(number);
        let two = text.value("", &format!("const i64 {}", 2 + number));
        let sum = text.value(": i64", &format!("add {}, {two}", frame.sum));
        let kind = if number == 3 { 5 } else { rng.below(5) };
        let (address, chosen, memory, at) = match kind {
            // Leaves.
            5 => {
                let address = if rng.below(2) == 0 { text.poison() } else { frame.table.clone() };
                let leaves = text.predicate(1, 3);
                // Where the address does not go through the second conditional, nobody knows here that the loop ends.
                joins &= through || address != frame.table;
                (address, leaves, frame.memory.clone(), frame.at.clone())
            }
            // Goes on, after a store or not.
            0 | 1 => {
                let before = frame.memory.clone();
                let before = if kind == 1 { text.stored(&sum, &frame.log, &before) } else { before };
                let (address, memory, at) = text.fetch(&frame, &before);
                (address, text.predicate(2, 3), memory, at)
            }
            // Writes after the load.
            2 if rng.below(3) == 0 => {
                joins = false;
                let (address, memory, at) = text.fetch(&frame, &frame.memory.clone());
                let memory = text.stored(&sum, &frame.log, &memory);
                (address, text.predicate(2, 3), memory, at)
            }
            // Loads, and may leave.
            2 | 3 => {
                let (address, memory, at) = text.fetch(&frame, &frame.memory.clone());
                let limit = text.value("", "const i64 40");
                let large = text.value(": i1", &format!("icmp sgt {sum}, {limit}"));
                let choice = text.value(": ctl(2)", &format!("match i1 {large} [true -> 0, _ -> 1]"));
                let chosen = text.fresh();
                text.line(&format!("{chosen}: ctl(3) = gamma {choice} ()"));
                for (case, value) in [(0, 1), (1, 2)] {
                    text.line(&format!("case {case} () {{"));
                    let value = text.predicate(value, 3);
                    text.line(&format!("yield {value}\n}}"));
                }
                // What it chooses is not known where the address is loaded.
                joins &= through;
                (address, chosen, memory, at)
            }
            // Goes on itself, or leaves it to the second conditional.
            _ => {
                let limit = text.value("", "const i64 9");
                let small = text.value(": i1", &format!("icmp slt {sum}, {limit}"));
                let choice = text.value(": ctl(2)", &format!("match i1 {small} [true -> 0, _ -> 1]"));
                let (address, chosen, memory, at) = (text.fresh(), text.fresh(), text.state(), text.fresh());
                let Frame { table, code, log, address: own, at: here, memory: before, .. } = &frame;
                text.line(&format!(
                    "{address}: ptr, {chosen}: ctl(3), {memory}, {at}: i64 = gamma {choice} ({before}, {table}, {code}, {log}, {own}, {here}, {sum})"
                ));
                let inner = text.case(0);
                let (poison, later) = (text.poison(), text.predicate(0, 3));
                text.line(&format!("yield {poison}, {later}, {}, {}\n}}", inner.memory, inner.at));
                let inner = text.case(1);
                let (loaded, after, next) = text.fetch(&inner, &inner.memory.clone());
                let goes_on = text.predicate(2, 3);
                text.line(&format!("yield {loaded}, {goes_on}, {after}, {next}\n}}"));
                (address, chosen, memory, at)
            }
        };
        text.line(&format!("yield {address}, {chosen}, {memory}, {at}, {sum}\n}}"));
    }
    let first = std::mem::take(&mut text.out);
    for number in 0..3 {
        let frame = text.case(number);
        let (address, repeats, memory, at) = match number {
            0 if through => {
                let memory = text.stored(&frame.sum, &frame.log, &frame.memory);
                let (address, memory, at) = text.fetch(&frame, &memory);
                (address, text.predicate(1, 2), memory, at)
            }
            0 | 1 => {
                let memory = text.stored(&frame.sum, &frame.log, &frame.memory);
                (text.poison(), text.predicate(0, 2), memory, frame.at.clone())
            }
            _ => (frame.address.clone(), text.predicate(1, 2), frame.memory.clone(), frame.at.clone()),
        };
        let address = if through { format!("{address}, ") } else { String::new() };
        text.line(&format!("yield {address}{repeats}, {memory}, {at}\n}}"));
    }
    let (second, passed) = (text.out, if through { "v40: ptr, " } else { "" });
    let next = if through { "v40" } else { "v20" };
    let mut code: Vec<usize> = (0..12).map(|_| rng.below(4).min(rng.below(4))).collect();
    code.push(3);
    let code: String = code.iter().map(|byte| format!("\\{byte:02x}")).collect();
    let targets = [1, 2, 3, 4].map(|block| format!("ptr blockaddress(?0, {block})")).join(", ");
    let text = format!(
        "module \"test\"\n@T = internal global [4 x ptr] [{targets}]\n@code = internal constant [13 x i8] c\"{code}\"\n\
         @log = global i64 0\n@f = function i64 (i64)\ndelta @code []\ndelta @log []\nexport @log\n\
         @T, @f = phi [@code, @log] (@T, @f) {{\nv0 = delta @T [@f]\nv1 = lambda @f [@T, @code, @log] (v0: i64, mem0, io0) {{\n\
         v1 = const i64 0\nv2: i8, mem1 = load @code, mem0, align 1\nv3: i64 = zext v2\n\
         v4: ptr = getelementptr [4 x ptr], @T, v1, v3\nv5: ptr, mem2 = load v4, mem1, align 1\n\
         v6: ptr, mem3, v7: ptr, v8: ptr, v9: ptr, v10: i64, v11: i64 = \
         theta (v12: ptr = v5, mem4 = mem2, v13: ptr = @T, v14: ptr = @code, v15: ptr = @log, v16: i64 = v1, v17: i64 = v0) {{\n\
         v18: ctl(4) = indirectbr v12, 1, 2, 3, 4\n\
         v20: ptr, v21: ctl(3), mem5, v22: i64, v23: i64 = gamma v18 (mem4, v13, v14, v15, v15, v16, v17)\n{first}\
         {passed}v41: ctl(2), mem6, v42: i64 = gamma v21 (mem5, v13, v14, v15, {}, v22, v23)\n{second}\
         next {next}, mem6, v13, v14, v15, v42, v23 while v41\n}}\nyield v11, mem3, io0\n}}\nyield v0, v1\n}}\nexport @f\n",
        if through { "v20" } else { "v15" },
    );
    (text, joins)
}

#[test]
fn interpreters_do_the_same() {
    let (mut sum, mut joined) = (Tally::default(), 0);
    for seed in 0..PROGRAMS {
        let (text, joins) = program(&mut Rng::new(seed));
        let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let (tally, report) = keeps_meaning(&module, "pll", None);
        let counters = report.passes().iter().flat_map(|pass| pass.counters.iter());
        let dispatches: u64 = counters.filter(|(name, _)| **name == "dispatches").map(|(_, count)| *count).sum();
        assert_eq!(dispatches, u64::from(joins), "seed {seed}\n{text}");
        sum.add(tally);
        joined += dispatches;
    }
    assert!(joined > PROGRAMS / 10, "{joined} were joined");
    assert!(sum.same > 10 * (sum.vacuous + sum.unknown), "most runs are defined: {sum:?}");
}

/// A loop that starts with one address, and goes on with another, or with what passes through a conditional.
fn odd(first: &str, next: &str, through: &str) -> String {
    format!(
        "module \"test\"\n@T = internal global [2 x ptr] [ptr blockaddress(?0, 1), ptr blockaddress(?0, 2)]\n@f = function i64 (i64)\n\
         @T, @f = phi [] (@T, @f) {{\nv0 = delta @T [@f]\nv1 = lambda @f [@T] (v0: i64, mem0, io0) {{\n\
         v1 = const i64 0\nv2 = const ptr poison\nv28 = const i64 1\nv29: i64 = xor v0, v28\n\
         v3: ptr = getelementptr [2 x ptr], @T, v1, v29\nv4: ptr, mem1 = load v3, mem0, align 8\n\
         v5: ptr, mem2, v6: ptr, v7: i64 = theta (v8: ptr = {first}, mem3 = mem1, v9: ptr = @T, v10: i64 = v0) {{\n\
         v11: ctl(2) = indirectbr v8, 1, 2\nv12 = const ptr poison\n\
         v13: ptr, v14: ctl(2), mem4 = gamma v11 (mem3, v9, v10, v12)\n\
         case 0 (mem5, v15: ptr, v16: i64, v17: ptr) {{\nv18 = const i64 0\nv26 = const i64 1\nv27: i64 = xor v16, v26\n\
         v19: ptr = getelementptr [2 x ptr], v15, v18, v27\nv20: ptr, mem6 = load v19, mem5, align 8\n\
         v21: ctl(2) = ctl 1 of 2\nyield v20, v21, mem6\n}}\n\
         case 1 (mem7, v22: ptr, v23: i64, v24: ptr) {{\nv25: ctl(2) = ctl {through} of 2\nyield v24, v25, mem7\n}}\n\
         next {next}, mem4, v9, v10 while v14\n}}\nyield v7, mem2, io0\n}}\nyield v0, v1\n}}\nexport @f\n"
    )
}

#[test]
fn addresses_that_nothing_loads_are_nothing() {
    for (first, next, through) in
        [("v4", "v13", "1"), ("v4", "v13", "0"), ("v2", "v13", "1"), ("v2", "v13", "0"), ("v4", "v12", "1")]
    {
        let text = odd(first, next, through);
        let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let (_, report) = keeps_meaning(&module, "pll", None);
        assert!(report.passes().iter().any(|pass| pass.counters.contains_key("dispatches")), "{text}");
    }
}
