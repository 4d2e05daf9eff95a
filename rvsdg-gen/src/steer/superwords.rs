//! Straight-line code that does alike on neighbouring elements of an array, with what prevents it from being done at once.

use std::fmt::Write;

use rvsdg_core::Module;

use super::replace;
use crate::entropy::Entropy;

/// The elements that are filled first, and that are loaded afterwards.
const FILLED: usize = 16;

/// Adds a function of such code, and an array.
pub(super) fn add(module: &mut Module, entropy: &mut Entropy<'_>) {
    let (bits, lanes) = entropy.pick(&[(64, 2), (64, 4), (32, 4), (32, 8), (16, 8), (8, 8)]);
    let float = bits == 32 && entropy.chance(1, 3);
    let ty = if float { "float".to_owned() } else { format!("i{bits}") };
    let mut code = Code { text: String::new(), ty, bits, float, value: 10, state: 0 };
    for (parameter, wide) in [(2, 0), (3, 1)] {
        let integer = if bits == 64 { format!("or v{wide}, v{wide}") } else { format!("trunc v{wide}") };
        let number = if float { parameter + 2 } else { parameter };
        let _ = writeln!(code.text, "v{number}: i{bits} = {integer}");
        if float {
            let _ = writeln!(code.text, "v{parameter}: float = sitofp v{number}");
        }
    }
    let (op, other) = (code.operation(entropy), code.operation(entropy));
    for element in 0..FILLED {
        let by = code.constant(element * 5 + 1);
        let (value, scaled) = (code.binary(op, 2, by), code.binary(other, 3, by));
        let value = if element % 2 == 0 { value } else { scaled };
        code.store(element, value);
    }
    let ops = [(); 3].map(|()| code.operation(entropy));
    let (mut used, mut pending): (Option<usize>, Vec<usize>) = (None, Vec::new());
    let sources = [entropy.below(12), entropy.below(12)];
    let to = if entropy.chance(1, 2) { entropy.below(14) } else { FILLED + entropy.below(4) };
    let mut order: Vec<usize> = (0..lanes).collect();
    let mut turned: Vec<usize> = order.clone();
    for list in [&mut order, &mut turned] {
        if entropy.chance(1, 2) {
            let (a, b) = (entropy.below(lanes), entropy.below(lanes));
            list.swap(a, b);
        }
    }
    let (mixes, commutes) = (entropy.chance(1, 4), entropy.chance(1, 3));
    // Whether something is used elsewhere, too, what has been computed from it, and only after all lanes.
    let (is_used, uses_computed, is_late) = (entropy.chance(1, 2), entropy.chance(1, 2), entropy.chance(2, 3));
    let second = entropy.below(4);
    for lane in order {
        let a = code.load(sources[0] + lane);
        let b = match second {
            0 => 3,
            1 => code.constant(lane * 3 + 1),
            _ => code.load(sources[1] + turned[lane]),
        };
        let [first, last] = if mixes { [code.sum(lane % 2 == 1), ops[1]] } else { [ops[0], ops[1]] };
        let flags = if code.float || !entropy.chance(1, 4) { "" } else { entropy.pick(&[" nsw", " nuw"]) };
        let flagged = format!("{first}{}", if matches!(first, "add" | "sub" | "mul") { flags } else { "" });
        let [a, b] = if commutes && lane % 2 == 1 { [b, a] } else { [a, b] };
        let value = code.binary(&flagged, a, b);
        let result = if entropy.chance(1, 8) { value } else { code.binary(last, value, 2) };
        pending.push(if uses_computed { value } else { a });
        if is_used && !is_late {
            used = code.folded(ops[2], used, &mut pending);
        }
        code.store(to + lane, result);
    }
    if is_used && let Some(used) = code.folded(ops[2], used, &mut pending) {
        code.store(to + lanes + 2, used);
    }
    let Code { text, ty, state, .. } = code;
    let text = format!(
        "{module}\n@steer.row = global [32 x {ty}] zeroinitializer\n@steer.superwords = function void (i64, i64)\n\
         delta @steer.row []\nlambda @steer.superwords [@steer.row] (v0: i64, v1: i64, mem0, io0) {{\n\
         {text}yield mem{state}, io0\n}}\nexport @steer.row\nexport @steer.superwords\n"
    );
    replace(module, &text);
}

/// The code so far, and the last numbers of its values and states.
struct Code {
    text: String,
    ty: String,
    bits: usize,
    float: bool,
    value: usize,
    state: usize,
}

impl Code {
    fn operation(&self, entropy: &mut Entropy<'_>) -> &'static str {
        if self.float {
            entropy.pick(&["fadd", "fsub", "fmul"])
        } else {
            entropy.pick(&["add", "sub", "mul", "xor", "and", "or"])
        }
    }

    /// A difference or a sum.
    fn sum(&self, differs: bool) -> &'static str {
        match (self.float, differs) {
            (false, false) => "add",
            (false, true) => "sub",
            (true, false) => "fadd",
            (true, true) => "fsub",
        }
    }

    fn next(&mut self) -> usize {
        self.value += 1;
        self.value
    }

    fn constant(&mut self, number: usize) -> usize {
        let (value, ty) = (self.next(), &self.ty);
        let point = if self.float { ".0" } else { "" };
        let _ = writeln!(self.text, "v{value} = const {ty} {number}{point}");
        value
    }

    fn binary(&mut self, op: &str, a: usize, b: usize) -> usize {
        let (value, ty) = (self.next(), &self.ty);
        let _ = writeln!(self.text, "v{value}: {ty} = {op} v{a}, v{b}");
        value
    }

    /// The combination of values.
    fn folded(&mut self, op: &str, first: Option<usize>, values: &mut Vec<usize>) -> Option<usize> {
        values.drain(..).fold(first, |folded, value| {
            Some(match folded {
                Some(folded) => self.binary(op, folded, value),
                None => value,
            })
        })
    }

    /// The address of an element.
    fn address(&mut self, element: usize) -> usize {
        let [zero, index, address] = [(); 3].map(|()| self.next());
        let ty = &self.ty;
        let _ = write!(
            self.text,
            "v{zero} = const i64 0\nv{index} = const i64 {element}\n\
             v{address}: ptr = getelementptr [32 x {ty}], @steer.row, v{zero}, v{index}\n"
        );
        address
    }

    fn load(&mut self, element: usize) -> usize {
        let (address, value) = (self.address(element), self.next());
        let (ty, before, align) = (&self.ty, self.state, self.bits / 8);
        self.state += 1;
        let _ = writeln!(self.text, "v{value}: {ty}, mem{} = load v{address}, mem{before}, align {align}", self.state);
        value
    }

    fn store(&mut self, element: usize, value: usize) {
        let address = self.address(element);
        let (before, align) = (self.state, self.bits / 8);
        self.state += 1;
        let _ = writeln!(self.text, "mem{} = store v{value}, v{address}, mem{before}, align {align}", self.state);
    }
}
