//! Modules changed so that a pass finds more to rewrite where generated modules seldom contain it.

mod copies;
mod library;
mod loops;
mod owners;
mod spaces;
mod superwords;
mod vectors;

use rvsdg_core::attribute::{Attribute, AttributeKind, AttributeList};
use rvsdg_core::hash::hash_graph;
use rvsdg_core::module::SymbolKind;
use rvsdg_core::text::parse_module;
use rvsdg_core::{Module, Op, Origin, Type, TypeKind};

use crate::entropy::Entropy;
use crate::modules::ENTRY;

/// Changes every other module so that it contains more of what the pass of this name rewrites, or nearly every module if the pass
/// rewrites few things. The choice follows from the module.
pub fn steer(pass: &str, module: &mut Module) {
    let graphs = module.bodies.values().filter_map(|body| body.graph()).chain([&module.omega]);
    let seed = graphs.fold(0, |sum: u64, graph| sum.wrapping_add(hash_graph(graph)));
    let mut entropy = Entropy::seeded(seed);
    if entropy.chance(1, if matches!(pass, "jam" | "slp" | "vec") { 16 } else { 2 }) {
        return;
    }
    match pass {
        "ads" => spaces::add(module, &mut entropy),
        "dne" => add_discardable(module, &mut entropy),
        "glv" if entropy.chance(1, 3) => owners::add(module, &mut entropy, ""),
        "glv" => add_variables(module, &mut entropy),
        "iln" => {
            inline_always(module, &mut entropy);
            if entropy.chance(1, 2) {
                add_cycle(module, &mut entropy);
            }
        }
        "inv" => {
            return_known(module, &mut entropy);
            if entropy.chance(1, 3) {
                add_gaps(module, &mut entropy);
            }
        }
        "ivt" if entropy.chance(1, 2) => add_left_within(module, &mut entropy),
        "idm" => loops::add_filling(module, &mut entropy),
        "iss" => loops::add_turning(module, &mut entropy),
        "ivs" => {
            let chosen = entropy.below(8);
            if chosen < 3 {
                loops::add_bounded(module, &mut entropy);
            } else if chosen < 5 {
                loops::add_walking(module, &mut entropy);
            } else if chosen < 7 {
                loops::add_approaching(module, &mut entropy);
            }
        }
        "lib" => library::add(module, &mut entropy),
        "lmg" => crate::nests::add(module, &mut entropy),
        "lpe" => add_settling(module, &mut entropy),
        "lut" => add_choice(module, &mut entropy),
        "red" => {
            let chosen = entropy.below(4);
            if chosen == 0 {
                add_known(module, &mut entropy);
            } else if chosen == 1 {
                loops::add_left_in_vain(module, &mut entropy);
            }
        }
        "stz" if entropy.chance(1, 3) => add_meeting_for_many(module, &mut entropy),
        "stz" => add_meeting(module, &mut entropy),
        "svr" => loops::add_stepping(module, &mut entropy),
        "mvf" if entropy.chance(1, 4) => owners::add(module, &mut entropy, "unescaped owner "),
        "mvf" if entropy.chance(1, 3) => copies::add(module, &mut entropy),
        "jam" | "vec" => {
            if pass == "vec" && entropy.chance(1, 3) {
                vectors::add(module, &mut entropy);
            } else if pass == "vec" && entropy.chance(1, 4) {
                vectors::add_searching(module, &mut entropy);
            } else if pass == "vec" && entropy.chance(1, 4) {
                vectors::add_keeping(module, &mut entropy);
            }
            module.header.triple = "x86_64-unknown-linux-gnu".into();
        }
        "slp" => {
            if entropy.chance(2, 3) {
                superwords::add(module, &mut entropy);
            }
            module.header.triple = "x86_64-unknown-linux-gnu".into();
        }
        // Passes are named by text, out-of-tree ones too. The others find enough in generated modules, as the minimal counts of their
        // kinds of rewrites show.
        _ => {}
    }
}

/// Adds definitions of which only a part stays: functions in recursion of which one is asked for, one that another module has, too,
/// and a loop in which something is assumed.
fn add_discardable(module: &mut Module, entropy: &mut Entropy<'_>) {
    let step = entropy.below(9) as i64 - 4;
    let (op, times) = (entropy.pick(&["add", "xor", "mul"]), 1 + entropy.below(3));
    let asked_for = if entropy.chance(1, 2) { "left" } else { "right" };
    // Both call the one that is asked for.
    let function = |name: &str, callee: &str| {
        format!(
            "lambda @steer.{name} [@steer.{callee}] (v0: i64, mem0, io0) {{\n\
             v1 = const i64 {step}\nv2: i64 = {op} v0, v1\nv3 = const i64 1\nv4: i64 = udiv v2, v3\n\
             v5 = const i64 {times}\nv6: i1 = icmp ult v0, v5\nv7: ctl(2) = match i1 v6 [true -> 1, _ -> 0]\n\
             v8: i64, mem1, io1 = gamma v7 (v0, v4, @steer.{callee}, mem0, io0)\n\
             case 0 (v12: i64, v13: i64, v14: ptr, mem3, io3) {{\nyield v13, mem3, io3\n}}\n\
             case 1 (v15: i64, v16: i64, v17: ptr, mem4, io4) {{\n\
             v18 = const i64 1\nv19: i64 = add v15, v18\n\
             v20: i64, mem5, io5 = call i64 (i64) v17(v19), mem4, io4\nyield v20, mem5, io5\n}}\n\
             yield v8, mem1, io1\n}}\n"
        )
    };
    let text = format!(
        "{module}\n@steer.left = function i64 (i64)\n@steer.right = function i64 (i64)\n\
         @steer.copy = available_externally function i64 (i64)\n\
         @steer.loop = function i64 (i64)\n@llvm.assume = function void (i1)\nimport @llvm.assume\n\
         @steer.left, @steer.right = phi [] (@steer.left, @steer.right) {{\nv0 = {}v1 = {}yield v0, v1\n}}\n\
         lambda @steer.copy [] (v0: i64, mem0, io0) {{\nv1 = const i64 {step}\nv2: i64 = {op} v0, v1\nyield v2, mem0, io0\n}}\n\
         lambda @steer.loop [@llvm.assume] (v0: i64, mem0, io0) {{\nv1 = const i64 {times}\n\
         v2: i64, v3: i64, v4: ptr, mem1, io1 = theta (v5: i64 = v1, v6: i64 = v0, v7: ptr = @llvm.assume, mem2 = mem0, io2 = io0) {{\n\
         v8 = const i64 -1\nv9: i64 = add v5, v8\nv10: i64 = {op} v6, v5\nv11: i1 = icmp ult v9, v5\n\
         mem3, io3 = call void (i1) v7(v11), mem2, io2\nv12: ctl(2) = match i64 v9 [0 -> 0, _ -> 1]\n\
         next v9, v10, v7, mem3, io3 while v12\n}}\nyield v3, mem1, io1\n}}\n\
         export @steer.{asked_for}\nexport @steer.copy\nexport @steer.loop\n",
        function("left", asked_for),
        function("right", asked_for),
    );
    replace(module, &text);
}

/// Adds a loop with a variable that often is one constant in all iterations, and a logical operation of which a conditional often decides
/// one operand.
fn add_known(module: &mut Module, entropy: &mut Entropy<'_>) {
    let start = entropy.below(4);
    let op = entropy.pick(&["and", "and", "and", "xor"]);
    let sum = 2 * start + usize::from(entropy.chance(1, 4));
    let found = entropy.chance(1, 2);
    let decisive = entropy.chance(1, 2);
    let otherwise = if entropy.chance(1, 8) { found } else { !found };
    let computed = [entropy.pick(&["add", "add nsw", "shl"]), entropy.pick(&["sub", "mul nuw", "lshr"])];
    let predicate = entropy.pick(&["ult", "sle", "ne"]);
    let operands = match (entropy.chance(1, 2), decisive) {
        (true, true) => "v4, v14, v13",
        (true, false) => "v4, v13, v14",
        (false, true) => "v13, v14, v4",
        (false, false) => "v13, v4, v14",
    };
    let text = format!(
        "{module}\n@steer.steady = function i64 (i64)\n@steer.found = function i64 (i64, i64)\n\
         lambda @steer.steady [] (v0: i64, mem0, io0) {{\nv1 = const i64 {start}\nv2 = const i64 0\nv3 = const i64 3\n\
         v4: i64 = and v0, v3\nv5: i64, v6: i64, v7: i64 = theta (v10: i64 = v1, v11: i64 = v2, v12: i64 = v4) {{\n\
         v13: ctl(2) = match i64 v11 [1 -> 1, _ -> 0]\nv14: i64 = gamma v13 (v10)\n\
         case 0 (v15: i64) {{\nv16 = const i64 3\nv17: i64 = {op} v15, v16\nyield v17\n}}\n\
         case 1 (v18: i64) {{\nv19 = const i64 {sum}\nv20: i64 = sub v19, v18\nyield v20\n}}\n\
         v21 = const i64 1\nv22: i64 = add v11, v21\nv23: i1 = icmp slt v22, v12\n\
         v24: ctl(2) = match i1 v23 [true -> 1, _ -> 0]\nnext v14, v22, v12 while v24\n}}\n\
         v25: i64 = add v5, v6\nyield v25, mem0, io0\n}}\n\
         lambda @steer.found [] (v0: i64, v1: i64, mem0, io0) {{\nv2: ctl(2) = match i64 v0 [{start} -> 1, _ -> 0]\n\
         v3: i64, v4: i1 = gamma v2 (v0, v1)\n\
         case 0 (v5: i64, v6: i64) {{\nv7: i64 = {} v5, v6\nv8 = const i1 {found}\nyield v7, v8\n}}\n\
         case 1 (v9: i64, v10: i64) {{\nv11: i64 = {} v10, v9\nv12 = const i1 {otherwise}\nyield v11, v12\n}}\n\
         v13: i1 = icmp {predicate} v3, v1\nv14 = const i1 {decisive}\nv15: i1 = select {operands}\n\
         v16: i64 = zext v15\nyield v16, mem0, io0\n}}\nexport @steer.steady\nexport @steer.found\n",
        computed[0], computed[1],
    );
    replace(module, &text);
}

/// Adds a function for groups of threads in which one way alone leads to an alternative, most of the time.
fn add_meeting(module: &mut Module, entropy: &mut Entropy<'_>) {
    let (op, other) = (entropy.pick(&["add", "xor", "mul"]), entropy.pick(&["add", "sub", "or"]));
    let number = entropy.below(9) as i64 - 4;
    let shared = u32::from(entropy.chance(1, 4));
    let between = if entropy.chance(1, 4) { "v26: i32 = xor v71, v7\n" } else { "v26: i32 = add v71, v71\n" };
    let (given, left) = if entropy.chance(1, 4) { ("v26", between) } else { ("v71", "") };
    let missing = if entropy.chance(1, 4) { "5" } else { "poison" };
    let text = format!(
        "{module}\n@steer.to = global [4 x i32] zeroinitializer\n@steer.meeting = function i32 (i1, i1, i32)\n\
         delta @steer.to []\n\
         lambda @steer.meeting [@steer.to] (v0: i1, v1: i1, v2: i32, mem0, io0) {{\n\
         v3: ctl(2) = match i1 v0 [true -> 1, _ -> 0]\n\
         v4: ctl(2), v70: i32, mem1 = gamma v3 (v1, v2, @steer.to, mem0)\n\
         case 0 (v5: i1, v6: i32, v27: ptr, mem2) {{\n\
         v30: i32, mem3 = load v27, mem2, align 4\nv7: i32 = {op} v6, v30\nv8: ctl(2) = match i1 v5 [true -> 1, _ -> 0]\n\
         v9: ctl(2), v71: i32, mem4 = gamma v8 (v27, v7, mem3)\n\
         case 0 (v10: ptr, v11: i32, mem5) {{\nv12: ctl(2) = ctl 0 of 2\nv72 = const i32 {missing}\nyield v12, v72, mem5\n}}\n\
         case 1 (v13: ptr, v14: i32, mem6) {{\nv28 = const i32 {number}\nv15: i32 = {other} v14, v28\nv29 = const i64 1\n\
         v16: ptr = getelementptr i32, v13, v29\nmem7 = store v15, v16, mem6, align 4\n\
         v17: ctl(2) = ctl 1 of 2\nyield v17, v15, mem7\n}}\n\
         {left}yield v9, {given}, mem4\n}}\n\
         case 1 (v18: i1, v19: i32, v31: ptr, mem9) {{\n\
         v20: ctl(2) = ctl {shared} of 2\nv73 = const i32 0\nyield v20, v73, mem9\n}}\n\
         v32: i32, mem10 = gamma v4 (@steer.to, v70, v2, mem1)\n\
         case 0 (v21: ptr, v22: i32, v33: i32, mem11) {{\n\
         v23 = const i32 {number}\nmem12 = store v23, v21, mem11, align 4\nyield v33, mem12\n}}\n\
         case 1 (v24: ptr, v25: i32, v34: i32, mem13) {{\n\
         mem14 = store v25, v24, mem13, align 4\nyield v25, mem14\n}}\n\
         yield v32, mem10, io0\n}}\n\
         export @steer.meeting\nexport @steer.to\n"
    );
    replace_for_threads(module, &text);
}

/// Adds a function in which two numbers choose among three or more things to do with memory.
fn add_meeting_for_many(module: &mut Module, entropy: &mut Entropy<'_>) {
    let many = 3 + entropy.below(5);
    let chooses = |entropy: &mut Entropy<'_>, first: usize, operand: &str| {
        let cases: Vec<String> = (1..many).map(|case| format!("{case} -> {}", entropy.below(many))).collect();
        format!("v{first}: ctl({many}) = match i32 {operand} [{}, _ -> {}]\n", cases.join(", "), many - 1)
    };
    let [first, second] = [chooses(entropy, 30, "v10"), chooses(entropy, 31, "v14")];
    let (op, shift) = (entropy.pick(&["add", "xor", "mul"]), entropy.below(3));
    let alternatives: Vec<String> = (0..many)
        .map(|number| {
            let at = 100 + 10 * number;
            let [a, b, c, d, e] = [at, at + 1, at + 2, at + 3, at + 4];
            let (before, after) = (at + 5, at + 6);
            let does = match entropy.below(4) {
                0 => format!("v{d} = const i32 {number}\nyield v{d}, mem{before}\n"),
                1 => format!("v{d}: i32, mem{after} = load v{a}, mem{before}, align 4\nyield v{d}, mem{after}\n"),
                _ => format!(
                    "v{d} = const i32 {}\nv{e}: i32 = {op} v{c}, v{d}\nmem{after} = store v{e}, v{a}, mem{before}, align 4\n\
                     yield v{e}, mem{after}\n",
                    number + 2,
                ),
            };
            format!("case {number} (v{a}: ptr, v{b}: i32, v{c}: i32, mem{before}) {{\n{does}}}\n")
        })
        .collect();
    let text = format!(
        "{module}\n@steer.to = global i32 5\n@steer.many = function i32 (i1, i32, i32)\ndelta @steer.to []\n\
         lambda @steer.many [@steer.to] (v0: i1, v1: i32, v2: i32, mem0, io0) {{\n\
         v3 = const i32 7\nv4: i32 = and v1, v3\nv5 = const i32 {shift}\nv6: i32 = lshr v2, v5\nv7: i32 = and v6, v3\n\
         v8: ctl(2) = match i1 v0 [true -> 1, _ -> 0]\n\
         v9: ctl({many}), mem1 = gamma v8 (v4, v7, @steer.to, mem0)\n\
         case 0 (v10: i32, v11: i32, v12: ptr, mem2) {{\nmem3 = store v11, v12, mem2, align 4\n{first}yield v30, mem3\n}}\n\
         case 1 (v13: i32, v14: i32, v15: ptr, mem4) {{\n{second}yield v31, mem4\n}}\n\
         v16: i32, mem5 = gamma v9 (@steer.to, v1, v2, mem1)\n{}\
         yield v16, mem5, io0\n}}\n\
         export @steer.many\nexport @steer.to\n",
        alternatives.concat(),
    );
    replace_for_threads(module, &text);
}

/// Replaces a module by one with more functions, unless it has such functions already: then names are taken. Whether it did.
fn replace(module: &mut Module, text: &str) -> bool {
    match parse_module(text) {
        Ok(steered) => {
            *module = steered;
            true
        }
        Err(error) => {
            let is_steered = module.symbols.values().any(|symbol| symbol.name.starts_with("steer."));
            assert!(is_steered, "{error}\n{text}");
            false
        }
    }
}

/// Replaces a module by one with more functions for a machine that executes threads in groups.
pub(crate) fn replace_for_threads(module: &mut Module, text: &str) {
    if replace(module, text) {
        module.header.triple = "nvptx64-nvidia-cuda".into();
    }
}

/// Adds a loop that decides first, and may be left from within what it repeats.
fn add_left_within(module: &mut Module, entropy: &mut Entropy<'_>) {
    let (op, other) = (entropy.pick(&["add", "xor", "mul"]), entropy.pick(&["add", "sub", "or"]));
    let (by, last) = (1 + entropy.below(3), entropy.below(6) as i64 - 1);
    let leave = entropy.below(2);
    let before = if entropy.chance(1, 2) {
        "v12: i64, mem3 = load v11, mem2, align 8\n".to_owned()
    } else {
        format!("v12: i64 = {other} v8, v10\nmem3 = store v12, v11, mem2, align 8\n")
    };
    let left = format!(
        "(v20: i64, v21: i64, v22: ptr, v23: i64, mem5) {{\nv24: i64 = {other} v20, v23\n\
         mem6 = store v24, v22, mem5, align 8\nv25: ctl(2) = ctl 0 of 2\nyield v24, v25, mem6\n}}\n"
    );
    let repeated = format!(
        "(v30: i64, v31: i64, v32: ptr, v33: i64, mem7) {{\nv34: i64 = {op} v30, v31\nv35: i64 = {other} v34, v33\n\
         mem8 = store v35, v32, mem7, align 8\nv36 = const i64 {by}\nv37: i64 = lshr v35, v36\nv38 = const i64 7\n\
         v39: i64 = and v37, v38\nv40: ctl(2) = match i64 v39 [{last} -> 0, _ -> 1]\nyield v35, v40, mem8\n}}\n"
    );
    let cases = if leave == 0 { [left, repeated] } else { [repeated, left] };
    let text = format!(
        "{module}\n@steer.cell = global i64 3, align 8\n@steer.left-within = function i64 (i64, i64)\ndelta @steer.cell []\n\
         lambda @steer.left-within [@steer.cell] (v0: i64, v1: i64, mem0, io0) {{\n\
         v2 = const i64 7\nv3: i64 = and v0, v2\n\
         v4: i64, v5: i64, v6: i64, v7: ptr, mem1 = theta (v8: i64 = v3, v9: i64 = v1, v10: i64 = v0, v11: ptr = @steer.cell, mem2 = mem0) {{\n\
         {before}v13: ctl(2) = match i64 v8 [0 -> {leave}, _ -> {}]\n\
         v14: i64, v15: ctl(2), mem4 = gamma v13 (v9, v10, v11, v12, mem3)\n\
         case 0 {}case 1 {}v50 = const i64 -1\nv51: i64 = add v8, v50\n\
         next v51, v14, v10, v11, mem4 while v15\n}}\nv52: i64 = xor v4, v5\nyield v52, mem1, io0\n}}\n\
         export @steer.left-within\nexport @steer.cell\n",
        1 - leave,
        cases[0],
        cases[1],
    );
    replace(module, &text);
}

/// Adds a loop that decides by variables which are constants after an iteration or two.
fn add_settling(module: &mut Module, entropy: &mut Entropy<'_>) {
    let mut number = || entropy.below(5) as i64 - 2;
    let [first, second, last, zero, one] = [(); 5].map(|()| number());
    let (decides, op) = (entropy.pick(&["v10", "v11", "v14"]), entropy.pick(&["add", "xor", "mul"]));
    let text = format!(
        "{module}\n@steer.settling = function i64 (i64, i64)\n\
         lambda @steer.settling [] (v0: i64, v1: i64, mem0, io0) {{\n\
         v2 = const i64 {first}\nv3 = const i64 {second}\nv4 = const i64 3\nv5: i64 = and v0, v4\n\
         v6: i64, v7: i64, v8: i64, v9: i64 = theta (v10: i64 = v2, v11: i64 = v3, v12: i64 = v1, v13: i64 = v5) {{\n\
         v14: i64 = {op} v10, v11\nv15: ctl(2) = match i64 {decides} [{zero} -> 0, {} -> 1, _ -> 1]\n\
         v16: i64 = gamma v15 (v12, v13)\n\
         case 0 (v17: i64, v18: i64) {{\nv19: i64 = mul v17, v18\nyield v19\n}}\n\
         case 1 (v20: i64, v21: i64) {{\nv22: i64 = add v20, v21\nyield v22\n}}\n\
         v23 = const i64 {last}\nv24 = const i64 -1\nv25: i64 = add v13, v24\n\
         v26: ctl(2) = match i64 v25 [0 -> 0, -1 -> 0, _ -> 1]\n\
         next v11, v23, v16, v25 while v26\n}}\nv27: i64 = xor v8, v6\nyield v27, mem0, io0\n}}\n\
         export @steer.settling\n",
        if one == zero { one + 1 } else { one },
    );
    replace(module, &text);
}

/// Adds variables that only the module can reach, some of them only read or only written, and a function that uses them.
fn add_variables(module: &mut Module, entropy: &mut Entropy<'_>) {
    let mut text = format!("{module}\n@steer.variables = function i32 (i32, i64)\n");
    let (mut body, mut accesses) = ("v2 = const i64 3\nv3: i64 = and v1, v2\nv100: i32 = add v0, v0\n".to_owned(), 0);
    let mut sum = "v100".to_owned();
    for index in 0..3 {
        let name = format!("@steer.variable.{index}");
        text += &format!("{name} = internal global [4 x i32] zeroinitializer, align 4\ndelta {name} []\n");
        let element = format!("v{}", 10 + index);
        body += &format!("{element}: ptr = getelementptr inbounds i32, {name}, v3\n");
        let often = 1 + entropy.below(2);
        for _ in 0..often {
            let (address, after) = (if entropy.chance(1, 3) { &name } else { &element }, accesses + 1);
            if entropy.chance(1, 2) {
                body += &format!("mem{after} = store {sum}, {address}, mem{accesses}, align 4\n");
            } else {
                let (loaded, next) = (100 + 2 * after, 101 + 2 * after);
                body += &format!("v{loaded}: i32, mem{after} = load {address}, mem{accesses}, align 4\n");
                body += &format!("v{next}: i32 = add v{loaded}, {sum}\n");
                sum = format!("v{next}");
            }
            accesses = after;
        }
    }
    let symbols = "@steer.variable.0, @steer.variable.1, @steer.variable.2";
    text += &format!("lambda @steer.variables [{symbols}] (v0: i32, v1: i64, mem0, io0) {{\n{body}");
    text += &format!("yield {sum}, mem{accesses}, io0\n}}\nexport @steer.variables\n");
    replace(module, &text);
}

/// Adds a function that chooses among constants by its first parameter, or gives the second one.
fn add_choice(module: &mut Module, entropy: &mut Entropy<'_>) {
    let low = entropy.below(12) as i64 - 6;
    let count = 4 + entropy.below(6);
    let cases: Vec<i64> =
        (0..2 * count as i64).filter(|_| entropy.chance(2, 3)).take(count).map(|case| low + case).collect();
    let (step, most) = (entropy.below(7) as i64 - 3, entropy.pick(&[4, 120, 1_000_000]));
    let is_linear = entropy.chance(1, 3);
    let mut value = |index: usize| if is_linear { 9 + step * index as i64 } else { entropy.below(most) as i64 };
    let values: Vec<i64> = (0..=cases.len()).map(&mut value).collect();
    let ty = entropy.pick(&["i8", "i32", "i64"]);
    let table: String = cases.iter().zip(0..).map(|(case, index)| format!("{case} -> {index}, ")).collect();
    let others = cases.len();
    let alternatives: String = (0..=others)
        .map(|index| {
            let value = values[index] % if ty == "i8" { 128 } else { i64::MAX };
            let (entered, constant) = (100 + 2 * index, 101 + 2 * index);
            match entropy.pick(&["constant", "constant", "constant", "other"]) {
                "other" if index == others => format!("case {index} (v{entered}: {ty}) {{\nyield v{entered}\n}}\n"),
                _ => format!(
                    "case {index} (v{entered}: {ty}) {{\nv{constant} = const {ty} {value}\nyield v{constant}\n}}\n"
                ),
            }
        })
        .collect();
    let text = format!(
        "{module}\n@steer.choice = function {ty} (i8, {ty})\nlambda @steer.choice [] (v0: i8, v1: {ty}, mem0, io0) {{\n\
         v2: ctl({}) = match i8 v0 [{table}_ -> {others}]\nv3: {ty} = gamma v2 (v1)\n{alternatives}\
         yield v3, mem0, io0\n}}\nexport @steer.choice\n",
        others + 1
    );
    replace(module, &text);
}

/// Adds functions that call each other, with numbers that get smaller, and one that calls them.
fn add_cycle(module: &mut Module, entropy: &mut Entropy<'_>) {
    let count = 2 + entropy.below(3);
    let mut text = format!("{module}\n");
    let (mut definitions, mut exports) = (String::new(), String::new());
    for index in 0..count {
        let linkage = if index == 0 || entropy.chance(1, 2) {
            exports += &format!("export @cycle.{index}\n");
            ""
        } else {
            "internal "
        };
        text += &format!("@cycle.{index} = {linkage}function i64 (i64)\n");
        let callee = entropy.below(count);
        let other = (callee + 1 + entropy.below(count - 1)) % count;
        let (op, number) = (entropy.pick(&["add", "xor", "mul"]), entropy.below(9) as i64 - 4);
        let (less, far) = (1 + entropy.below(5), 16 + entropy.below(32));
        let more = if entropy.chance(1, 3) {
            format!(
                "v17 = const i64 {far}\nv18: i64 = lshr v9, v17\n\
                 v19: i64, mem5, io5 = call i64 (i64) v11(v18), mem4, io4\n\
                 v20: i64 = sub v16, v19\nyield v20, mem5, io5\n"
            )
        } else {
            format!("v17 = const i64 {number}\nv18: i64 = {op} v16, v17\nyield v18, mem4, io4\n")
        };
        definitions += &format!(
            "v{index} = lambda @cycle.{index} [@cycle.{callee}, @cycle.{other}] (v0: i64, mem0, io0) {{\n\
             v1: ctl(2) = match i64 v0 [0 -> 0, _ -> 1]\n\
             v2: i64, mem1, io1 = gamma v1 (v0, @cycle.{callee}, @cycle.{other}, mem0, io0)\n\
             case 0 (v5: i64, v6: ptr, v7: ptr, mem2, io2) {{\nv8 = const i64 {number}\nyield v8, mem2, io2\n}}\n\
             case 1 (v9: i64, v10: ptr, v11: ptr, mem3, io3) {{\nv12 = const i64 {less}\nv13: i64 = lshr v9, v12\n\
             v14: i64 = {op} v9, v12\nv15: i64, mem4, io4 = call i64 (i64) v10(v13), mem3, io3\n\
             v16: i64 = xor v15, v14\n{more}}}\nyield v2, mem1, io1\n}}\n"
        );
    }
    let names = |separator: &str, sigil: char| {
        (0..count)
            .map(|at| format!("{sigil}{}{at}", if sigil == '@' { "cycle." } else { "" }))
            .collect::<Vec<_>>()
            .join(separator)
    };
    let functions = names(", ", '@');
    let called = 1 + entropy.below(count - 1);
    text += &format!(
        "@cycle.all = function i64 (i64)\n\
         {functions} = phi [] ({functions}) {{\n{definitions}yield {}\n}}\n\
         lambda @cycle.all [@cycle.{called}, @cycle.0] (v0: i64, mem0, io0) {{\n\
         v1: i64, mem1, io1 = call i64 (i64) @cycle.{called}(v0), mem0, io0\n\
         v2: i64, mem2, io2 = call i64 (i64) @cycle.0(v1), mem1, io1\nyield v2, mem2, io2\n}}\n\
         export @cycle.all\n{exports}",
        names(", ", 'v'),
    );
    replace(module, &text);
}

/// Asks for some functions to be inlined wherever they are called.
fn inline_always(module: &mut Module, entropy: &mut Entropy<'_>) {
    let Module { symbols, bodies, pool, .. } = module;
    for body in bodies.values() {
        if let SymbolKind::Function { attributes, .. } = &mut symbols[body.symbol].kind
            && entropy.chance(1, 2)
        {
            let list = pool.attributes(*attributes);
            let always = Attribute::from(AttributeKind::AlwaysInline);
            if !list.function.contains(&always) {
                let function = list.function.iter().cloned().chain([always]).collect();
                *attributes = pool.intern_attributes(AttributeList { function, ..list.clone() });
            }
        }
    }
}

/// Adds a function with variables that differ in that some are poison at times: results of a conditional, and of a loop.
fn add_gaps(module: &mut Module, entropy: &mut Entropy<'_>) {
    let count = 2 + entropy.below(2);
    let table: String = (1..count).map(|case| format!("{case} -> {case}, ")).collect();
    let alternatives: String = (0..count)
        .map(|case| {
            let [first, second, same, other, gap] = [0, 1, 2, 3, 4].map(|part| format!("v{}", 100 * (case + 1) + part));
            let mut give = || entropy.pick(&[&same, &same, &same, &same, &gap, &other]).clone();
            let (given, also) = (give(), give());
            format!(
                "case {case} ({first}: i32, {second}: i32) {{\n{same}: i32 = xor {first}, {second}\n\
                 {other}: i32 = add {first}, {second}\n{gap} = const i32 poison\nyield {given}, {also}\n}}\n"
            )
        })
        .collect();
    let mut start = || entropy.pick(&["v1", "v13", "v13"]);
    let (first, second) = (start(), start());
    let text = format!(
        "{module}\n@steer.gaps = function i32 (i8, i32, i32)\nlambda @steer.gaps [] (v0: i8, v1: i32, v2: i32, mem0, io0) {{\n\
         v3: ctl({count}) = match i8 v0 [{table}_ -> 0]\nv4: i32, v5: i32 = gamma v3 (v1, v2)\n{alternatives}\
         v6 = const i8 7\nv7: i8 = and v0, v6\nv8 = const i8 1\nv9: i8 = add v7, v8\nv13 = const i32 poison\n\
         v10: i8, v11: i32, v12: i32, v14: i32 = theta (v20: i8 = v9, v21: i32 = {first}, v22: i32 = {second}, v23: i32 = v1) {{\n\
         v24 = const i8 1\nv25: i8 = sub v20, v24\nv26: i32 = zext v20\nv27: i32 = add v21, v22\n\
         v28: ctl(2) = match i8 v20 [0 -> 0, _ -> 1]\nnext v25, v26, v26, v27 while v28\n}}\n\
         v15: i32 = xor v4, v5\nv16: i32 = xor v11, v14\nv17: i32 = add v15, v16\nv18: i32 = add v17, v12\n\
         yield v18, mem0, io0\n}}\nexport @steer.gaps\n"
    );
    replace(module, &text);
}

/// Lets some functions return a constant, or what is passed to them.
fn return_known(module: &mut Module, entropy: &mut Entropy<'_>) {
    for lambda in module.lambdas() {
        let context = module.context_symbols(lambda).len();
        let Module { symbols, bodies, pool, .. } = &mut *module;
        let data = &mut bodies[lambda.body()];
        let symbol = &symbols[data.symbol];
        let TypeKind::Function { result, params, .. } = pool.type_kind(symbol.value_type) else { continue };
        let (result, count) = (*result, params.len());
        if &*symbol.name == ENTRY || result == Type::VOID || entropy.chance(1, 2) {
            continue;
        }
        let Some(graph) = data.graph_mut() else { continue };
        let root = graph.root();
        let passed: Vec<Origin> = graph.arguments(root)[context..context + count].to_vec();
        let passed: Vec<Origin> = passed.into_iter().filter(|&origin| graph.ty(origin) == result).collect();
        let known = if !passed.is_empty() && entropy.chance(1, 2) {
            entropy.pick(&passed)
        } else if let TypeKind::Int(..=64) = pool.type_kind(result) {
            let constant = pool.int_const(result, entropy.bits(1));
            let node = graph.add_simple(root, Op::Const(constant), &[], &[result]);
            graph.output(node, 0)
        } else {
            continue;
        };
        let user = graph.results(root)[0];
        graph.divert(user, known);
    }
}
