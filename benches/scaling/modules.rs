//! Modules of more and more parts of one kind, as text.

use std::fmt::Write;

/// An input, the fewest parts of it that are measured, and what makes its text.
type Input = (&'static str, usize, fn(usize) -> String);

/// All of them.
pub const ALL: &[Input] = &[
    ("functions that call each other", 64, calls),
    ("a chain of functions called once", 256, |count| tree(count, 1)),
    ("a tree of functions called once", 256, |count| tree(count, 2)),
    ("functions that may all call each other", 64, recursion),
    ("invokes that each catch", 64, invokes),
    ("objects copied to each other", 32, objects),
    ("loads and stores in nested loops", 32, loops),
    ("a table of strings and numbers", 256, table),
];

/// A function that calls another as many times, each time with a landing pad of its own that goes on.
fn invokes(count: usize) -> String {
    let mut text = String::from(
        "module \"invokes\"

@g = function i32 (i32)
@personality = function i32 (...)
@f = function i32 (i32), personality ptr ?0 [@personality]

import @g
import @personality

lambda @f [@g] (v0: i32, mem0, io0) {\n",
    );
    let mut at = 0;
    for index in 0..count {
        let next = index + 1;
        let [called, pad, went, out, yes, given, no, caught, selected] =
            [1, 2, 3, 4, 5, 6, 7, 8, 9].map(|offset| 10 * index + offset);
        writeln!(
            text,
            "  v{called}: i32, v{pad}: {{ ptr, i32 }}, v{went}: ctl(2), mem{next}, io{next} = \
             invoke i32 (i32) @g(v{at}) unwind [catch @g], mem{index}, io{index}
  v{out}: i32 = gamma v{went} (v{called}, v{pad})
  case 0 (v{yes}: i32, v{given}: {{ ptr, i32 }}) {{
    yield v{yes}
  }}
  case 1 (v{no}: i32, v{caught}: {{ ptr, i32 }}) {{
    v{selected}: i32 = extractvalue v{caught}, 1
    yield v{selected}
  }}"
        )
        .expect("a string takes all");
        at = out;
    }
    writeln!(text, "  yield v{at}, mem{count}, io{count}\n}}\nexport @f").expect("a string takes all");
    text
}

/// Internal functions of which each calls `width` that follow, once.
fn tree(functions: usize, width: usize) -> String {
    let mut text = String::from("module \"tree\"\n\n");
    for index in 0..functions {
        writeln!(text, "@f{index} = internal function i32 (i32)").expect("a string takes all");
    }
    text.push_str("@main = function i32 (i32)\n");
    for index in (0..functions).rev() {
        let callees = (1..=width).map(|k| index * width + k).filter(|&callee| callee < functions);
        let names: Vec<String> = callees.map(|callee| format!("@f{callee}")).collect();
        let mut body = String::from("  v1: i32 = add v0, v0\n");
        for (count, name) in names.iter().enumerate() {
            let (value, next) = (count + 1, count + 1);
            let result = value + 1;
            writeln!(
                body,
                "  v{result}: i32, mem{next}, io{next} = call i32 (i32) {name}(v{value}), mem{count}, io{count}"
            )
            .expect("a string takes all");
        }
        let (names, last) = (names.join(", "), names.len());
        let result = last + 1;
        writeln!(
            text,
            "\nlambda @f{index} [{names}] (v0: i32, mem0, io0) {{\n{body}  yield v{result}, mem{last}, io{last}\n}}"
        )
        .expect("a string takes all");
    }
    text.push_str("\nlambda @main [@f0] (v0: i32, mem0, io0) {\n");
    text.push_str("  v1: i32, mem1, io1 = call i32 (i32) @f0(v0), mem0, io0\n  yield v1, mem1, io1\n}\nexport @main\n");
    text
}

/// One φ, each of whose functions calls the next one.
fn recursion(functions: usize) -> String {
    let mut text = String::from("module \"recursion\"\n\n");
    for index in 0..functions {
        writeln!(text, "@f{index} = function i32 (i32)").expect("a string takes all");
    }
    let names: Vec<String> = (0..functions).map(|index| format!("@f{index}")).collect();
    let values: Vec<String> = (0..functions).map(|index| format!("v{index}")).collect();
    let names = names.join(", ");
    writeln!(text, "\n{names} = phi [] ({names}) {{").expect("a string takes all");
    for index in 0..functions {
        let next = (index + 1) % functions;
        writeln!(
            text,
            "  v{index} = lambda @f{index} [@f{next}] (v0: i32, mem0, io0) {{
    v1 = const i32 1
    v2: i32 = add v0, v1
    v3: i32, mem1, io1 = call i32 (i32) @f{next}(v2), mem0, io0
    yield v3, mem1, io1
  }}"
        )
        .expect("a string takes all");
    }
    writeln!(text, "  yield {}\n}}", values.join(", ")).expect("a string takes all");
    for index in 0..functions {
        writeln!(text, "export @f{index}").expect("a string takes all");
    }
    text
}

/// A function of loops in a row, each with a loop in it that loads from and stores to one array; around it another one.
fn loops(count: usize) -> String {
    let mut text = String::from(
        "module \"loops\"\n\n@f = function void (ptr, ptr, i64)\n
lambda @f [] (v0: ptr, v1: ptr, v2: i64, mem0, io0) {\n  v3 = const i64 0\n",
    );
    for index in 0..count {
        let v = |offset: usize| 10 + 40 * index + offset;
        let m = |offset: usize| 8 * index + offset;
        let (before, after) = (m(0), m(8));
        let o = |numbers: &[usize]| -> Vec<usize> { numbers.iter().map(|&offset| v(offset)).collect() };
        let outer = o(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 26, 27, 28]);
        let inner = o(&[11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
        let [p, q, n, i, p1, q1, n1, i1, one, at, x, next, less, again] = outer[..] else { unreachable!("14 numbers") };
        let [q2, x2, n2, j2, q3, x3, n3, j3, one3, at3, y, sum, next3, less3, again3] = inner[..] else {
            unreachable!("15 numbers")
        };
        let [m1, m2, m3, m4, m5, m6, m7] = [1, 2, 3, 4, 5, 6, 7].map(m);
        writeln!(
            text,
            "  v{p}: ptr, v{q}: ptr, v{n}: i64, v{i}: i64, mem{after} = theta (v{p1}: ptr = v0, v{q1}: ptr = v1, v{n1}: i64 = v2, v{i1}: i64 = v3, mem{m1} = mem{before}) {{
    v{one} = const i64 1
    v{at}: ptr = getelementptr inbounds i32, v{p1}, v{i1}
    v{x}: i32, mem{m2} = load v{at}, mem{m1}, align 4
    v{q2}: ptr, v{x2}: i32, v{n2}: i64, v{j2}: i64, mem{m3} = theta (v{q3}: ptr = v{q1}, v{x3}: i32 = v{x}, v{n3}: i64 = v{n1}, v{j3}: i64 = v{one}, mem{m4} = mem{m2}) {{
      v{one3} = const i64 1
      v{at3}: ptr = getelementptr inbounds i32, v{q3}, v{j3}
      v{y}: i32, mem{m5} = load v{at3}, mem{m4}, align 4
      v{sum}: i32 = add v{y}, v{x3}
      mem{m6} = store v{sum}, v{at3}, mem{m5}, align 4
      v{next3}: i64 = add nsw v{j3}, v{one3}
      v{less3}: i1 = icmp slt v{next3}, v{n3}
      v{again3}: ctl(2) = match i1 v{less3} [true -> 1, _ -> 0]
      next v{q3}, v{x3}, v{n3}, v{next3}, mem{m6} while v{again3}
    }}
    mem{m7} = store v{x2}, v{at}, mem{m3}, align 4
    v{next}: i64 = add nsw v{i1}, v{one}
    v{less}: i1 = icmp slt v{next}, v{n1}
    v{again}: ctl(2) = match i1 v{less} [true -> 1, _ -> 0]
    next v{p1}, v{q1}, v{n1}, v{next}, mem{m7} while v{again}
  }}"
        )
        .expect("a string takes all");
    }
    writeln!(text, "  yield mem{}, io0\n}}\nexport @f", 8 * count).expect("a string takes all");
    text
}

/// One array of structures that name a string each, and functions that load from it.
fn table(entries: usize) -> String {
    let mut text = String::from("module \"table\"\n\n%T = type { double, ptr, i32 }\n");
    for index in 0..entries {
        writeln!(text, "@s{index} = private unnamed_addr constant [7 x i8] c\"{index:06}\\00\"")
            .expect("a string takes all");
        writeln!(text, "@f{index} = function i32 ()").expect("a string takes all");
    }
    let elements: Vec<String> =
        (0..entries).map(|index| format!("%T {{ double {index}.5, ptr ?{index}, i32 {index} }}")).collect();
    writeln!(text, "@t = constant [{entries} x %T] [{}]", elements.join(", ")).expect("a string takes all");
    for index in 0..entries {
        writeln!(text, "delta @s{index} []").expect("a string takes all");
    }
    let names: Vec<String> = (0..entries).map(|index| format!("@s{index}")).collect();
    writeln!(text, "delta @t [{}]", names.join(", ")).expect("a string takes all");
    for index in 0..entries {
        writeln!(
            text,
            "\nlambda @f{index} [@t] (mem0, io0) {{
  v0 = const i64 {index}
  v1 = const i32 2
  v2: ptr = getelementptr inbounds %T, @t, v0, v1
  v3: i32, mem1 = load v2, mem0, align 8
  yield v3, mem1, io0
}}
export @f{index}"
        )
        .expect("a string takes all");
    }
    text
}

/// A module of functions that each call the one before, one of another translation unit, and in a loop itself the one before
/// that; every fourth can be called from elsewhere.
fn calls(functions: usize) -> String {
    let mut text = String::from("module \"calls\"\n\n@outside = function i32 (i32)\n");
    for index in 0..functions {
        let linkage = if index % 4 == 3 { "" } else { "internal " };
        writeln!(text, "@f{index} = {linkage}function i32 (i32)").expect("a string takes all");
    }
    text.push_str("\nimport @outside\n");
    for index in 0..functions {
        let [first, second] = [1, 2].map(|back: usize| match index.checked_sub(back) {
            Some(callee) => format!("@f{callee}"),
            None => "@outside".to_owned(),
        });
        let mut context = vec!["@outside"];
        context.extend([&*first, &*second].into_iter().filter(|&callee| callee != "@outside"));
        let context = context.join(", ");
        writeln!(
            text,
            "
lambda @f{index} [{context}] (v0: i32, mem0, io0) {{
  v1 = const i32 1
  v2: i32 = add v0, v1
  v3: i32, mem1, io1 = call i32 (i32) {first}(v2), mem0, io0
  v4: i32, mem2, io2 = call i32 (i32) @outside(v3), mem1, io1
  v5: i32, mem3, io3 = theta (v6: i32 = v4, mem4 = mem2, io4 = io2) {{
    v7: i32, mem5, io5 = call i32 (i32) {second}(v6), mem4, io4
    v8: i1 = icmp slt v7, v6
    v9: ctl(2) = match i1 v8 [true -> 1, _ -> 0]
    next v7, mem5, io5 while v9
  }}
  v10: i32 = xor v5, v2
  yield v10, mem3, io3
}}"
        )
        .expect("a string takes all");
        if index % 4 == 3 {
            writeln!(text, "export @f{index}").expect("a string takes all");
        }
    }
    text
}

/// A function with objects on the stack, each copied from the one before, of which one field is read.
fn objects(count: usize) -> String {
    let mut text = String::from(
        "module \"objects\"
target datalayout \"e-i64:64-S128\"

%S = type { i32, ptr, i64 }

@f = function i32 (ptr)
@llvm.memcpy.p0.p0.i64 = function void (ptr, ptr, i64, i1), #0

import @llvm.memcpy.p0.p0.i64

lambda @f [@llvm.memcpy.p0.p0.i64] (v0: ptr, mem0, io0) {
  v1 = const i32 1
  v2 = const i64 24
  v3 = const i1 false
  v4 = const i32 0
",
    );
    let (mut before, mut sum, mut state) = (0, 4, 0);
    for object in (5..).step_by(3).take(count) {
        let [read, added] = [object + 1, object + 2];
        let [allocated, copied, last] = [state + 1, state + 2, state + 3];
        writeln!(
            text,
            "  v{object}: ptr, mem{allocated} = alloca %S, v1, mem{state}, align 8
  mem{copied} = call void (ptr, ptr, i64, i1) @llvm.memcpy.p0.p0.i64(v{object}, v{before}, v2, v3), mem{allocated}
  v{read}: i32, mem{last} = load v{object}, mem{copied}, align 8
  v{added}: i32 = add v{sum}, v{read}"
        )
        .expect("a string takes all");
        (before, sum, state) = (object, added, last);
    }
    let attributes = "nocallback, nofree, nounwind, willreturn, memory(argmem: readwrite)";
    writeln!(text, "  yield v{sum}, mem{state}, io0\n}}\nexport @f\n\nattributes #0 = function {{ {attributes} }}")
        .expect("a string takes all");
    text
}
