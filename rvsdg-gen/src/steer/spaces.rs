//! A kernel that accesses memory of several address spaces through generic pointers, which conditionals and loops choose.

use std::fmt::Write;

use rvsdg_core::Module;

use super::replace_for_threads;
use crate::entropy::Entropy;

/// Adds such a kernel, and an array in each of two address spaces.
pub(super) fn add(module: &mut Module, entropy: &mut Entropy<'_>) {
    let mut code = Code { text: String::new(), value: 9, state: 0, io: 0, pointers: vec!["v0".into()] };
    for array in ["@steer.near", "@steer.far"] {
        let space = if array == "@steer.near" { 3 } else { 1 };
        let pointer = code.next();
        let _ = if entropy.chance(1, 2) {
            writeln!(code.text, "{pointer}: ptr = addrspacecast {array}")
        } else {
            let constant = format!("getelementptr (i32, ptr addrspacecast (ptr addrspace({space}) ?0), i64 1)");
            writeln!(code.text, "{pointer} = const ptr {constant}, {array}")
        };
        code.pointers.push(pointer);
    }
    let (mask, index, wide) = (code.next(), code.next(), code.next());
    let _ = writeln!(code.text, "{mask} = const i32 3\n{index}: i32 = and v1, {mask}\n{wide}: i64 = zext {index}");
    for _ in 0..3 + entropy.below(5) {
        match entropy.below(5) {
            0 => {
                let (base, pointer) = (code.pointer(entropy), code.next());
                let flags = entropy.pick(&["", "inbounds ", "nusw ", "nuw "]);
                let _ = writeln!(code.text, "{pointer}: ptr = getelementptr {flags}i32, {base}, {wide}");
                code.pointers.push(pointer);
            }
            1 => {
                let [one, other] = [(); 2].map(|()| code.pointer(entropy));
                let pointer = code.next();
                let _ = writeln!(code.text, "{pointer}: ptr = select v2, {one}, {other}");
                code.pointers.push(pointer);
            }
            2 => code.choose(entropy),
            3 => code.repeat(entropy, &index),
            _ => code.access(entropy),
        }
    }
    for _ in 0..3 {
        code.access(entropy);
    }
    let Code { text, state, io, .. } = code;
    let convention = entropy.pick(&[", cc 71", ""]);
    let text = format!(
        "{module}\n@steer.near = addrspace(3) global [16 x i32] zeroinitializer\n\
         @steer.far = addrspace(1) global [16 x i32] zeroinitializer\n\
         @steer.spaces = function void (ptr, i32, i1){convention}\ndelta @steer.near []\ndelta @steer.far []\n\
         lambda @steer.spaces [@steer.near, @steer.far] (v0: ptr, v1: i32, v2: i1, mem0, io0) {{\n\
         {text}yield mem{state}, io{io}\n}}\nexport @steer.near\nexport @steer.far\nexport @steer.spaces\n"
    );
    replace_for_threads(module, &text);
}

/// The code so far, the last numbers of its values and states, and generic pointers.
struct Code {
    text: String,
    value: usize,
    state: usize,
    io: usize,
    pointers: Vec<String>,
}

impl Code {
    fn next(&mut self) -> String {
        self.value += 1;
        format!("v{}", self.value)
    }

    fn pointer(&self, entropy: &mut Entropy<'_>) -> String {
        self.pointers[entropy.below(self.pointers.len())].clone()
    }

    /// A conditional whose result is a pointer.
    fn choose(&mut self, entropy: &mut Entropy<'_>) {
        let [one, other] = [(); 2].map(|()| self.pointer(entropy));
        let [decision, pointer, a, b, c, d, poison] = [(); 7].map(|()| self.next());
        let first = entropy.pick(&[&a, &b, &poison]);
        let second = entropy.pick(&[&c, &d]);
        let _ = write!(
            self.text,
            "{decision}: ctl(2) = match i1 v2 [true -> 1, _ -> 0]\n{pointer}: ptr = gamma {decision} ({one}, {other})\n\
             case 0 ({a}: ptr, {b}: ptr) {{\n{poison} = const ptr poison\nyield {first}\n}}\n\
             case 1 ({c}: ptr, {d}: ptr) {{\nyield {second}\n}}\n"
        );
        if first != &poison {
            self.pointers.push(pointer);
        }
    }

    /// A loop that writes through pointers which advance, stay, or become others.
    fn repeat(&mut self, entropy: &mut Entropy<'_>, count: &str) {
        let starts = [(); 3].map(|()| self.pointer(entropy));
        let outs = [(); 4].map(|()| self.next());
        let [p, q, r, n, one, step, further, left, decision] = [(); 9].map(|()| self.next());
        let posts = [
            entropy.pick(&[&further, &p, &q]).clone(),
            entropy.pick(&[&q, &r]).clone(),
            entropy.pick(&[&r, &p]).clone(),
        ];
        let (before, through) = (self.state, entropy.pick(&[&p, &q, &r]).clone());
        self.state += 3;
        let (after, inside, written) = (before + 1, before + 2, before + 3);
        let _ = write!(
            self.text,
            "{}: ptr, {}: ptr, {}: ptr, {}: i32, mem{after} = theta \
             ({p}: ptr = {}, {q}: ptr = {}, {r}: ptr = {}, {n}: i32 = {count}, mem{inside} = mem{before}) {{\n\
             {one} = const i32 1\n{step} = const i64 1\n{further}: ptr = getelementptr inbounds i32, {p}, {step}\n\
             mem{written} = store {n}, {through}, mem{inside}, align 4\n{left}: i32 = sub {n}, {one}\n\
             {decision}: ctl(2) = match i32 {n} [0 -> 0, _ -> 1]\n\
             next {}, {}, {}, {left}, mem{written} while {decision}\n}}\n",
            outs[0], outs[1], outs[2], outs[3], starts[0], starts[1], starts[2], posts[0], posts[1], posts[2],
        );
        // States get their numbers in the order of the text.
        let last = self.next();
        let _ = writeln!(self.text, "{last}: i32, mem{} = load {}, mem{after}, align 4", written + 1, outs[1]);
        self.state = written + 1;
        self.pointers.extend_from_slice(&outs[1..3]);
    }

    fn access(&mut self, entropy: &mut Entropy<'_>) {
        let (pointer, before, value) = (self.pointer(entropy), self.state, self.next());
        self.state += 1;
        let after = self.state;
        let _ = match entropy.below(4) {
            0 => writeln!(self.text, "{value}: i32, mem{after} = load {pointer}, mem{before}, align 4"),
            1 => {
                let (old, io) = (self.next(), self.io);
                self.io += 1;
                writeln!(
                    self.text,
                    "{value} = const i32 {after}\n{old}: i32, mem{after}, io{} = \
                     atomicrmw add {pointer}, {value}, mem{before}, io{io}, monotonic, align 4",
                    self.io
                )
            }
            _ => writeln!(
                self.text,
                "{value} = const i32 {after}\nmem{after} = store {value}, {pointer}, mem{before}, align 4"
            ),
        };
    }
}
