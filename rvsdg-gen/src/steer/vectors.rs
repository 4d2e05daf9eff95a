//! Loops that become vectors where generated ones seldom are of the kind: stores of some iterations, variables that conditions
//! replace, the greatest and least of floats.

use std::fmt::Write;

use rvsdg_core::Module;
use rvsdg_core::text::parse_module;

use crate::entropy::Entropy;

/// Adds a function with such a loop and memory that it stores to.
pub(super) fn add(module: &mut Module, entropy: &mut Entropy<'_>) {
    let mut text = format!(
        "{module}\n@steer.stored = global [80 x i32] zeroinitializer\n@steer.vectors = function i64 (i64, i64)\n"
    );
    text += "delta @steer.stored []\nlambda @steer.vectors [@steer.stored] (v0: i64, v1: i64, mem0, io0) {\n";
    let count = 1 + entropy.below(60);
    let (first, step) = if entropy.chance(1, 4) { (count as i64, -1) } else { (0, 1) };
    let end = if step < 0 { 0 } else { count as i64 };
    let _ = write!(
        text,
        "v2 = const i64 {first}\nv3: i32 = trunc v0\nv4: i32 = trunc v1\nv5: float = sitofp v4\n\
         v6: i64, v7: i32, v8: float, v80: i32, v81: ptr, mem1 = theta (v10: i64 = v2, v11: i32 = v4, v12: float = v5, v13: i32 = v3, v14: ptr = @steer.stored, mem2 = mem0) {{\n\
         v15: i32 = trunc v10\nv16: i32 = mul v15, v13\nv17 = const i32 15\nv18: i32 = and v16, v17\n\
         v19 = const i32 {}\nv20: i1 = icmp {} v18, v19\n",
        entropy.below(16),
        entropy.pick(&["slt", "sgt", "eq", "ne"]),
    );
    let memory = if entropy.chance(2, 3) { stores(&mut text, entropy) } else { "mem2" };
    let replaced = if entropy.chance(1, 2) {
        let by = entropy.pick(&["v15", "v16", "v18"]);
        let _ = writeln!(
            text,
            "v40: i32 = select v20, {}",
            if entropy.chance(1, 2) { format!("{by}, v11") } else { format!("v11, {by}") }
        );
        "v40"
    } else {
        "v11"
    };
    let extreme = if memory == "mem2" { extreme(&mut text, entropy) } else { "v12" };
    let _ = write!(
        text,
        "v60 = const i64 {step}\nv61: i64 = add nsw v10, v60\nv62 = const i64 {end}\nv63: i1 = icmp {} v61, v62\n\
         v64: ctl(2) = match i1 v63 [true -> 1, _ -> 0]\n\
         next v61, {replaced}, {extreme}, v13, v14, {memory} while v64\n}}\n\
         v70: i32 = bitcast v8\nv71: i32 = xor v70, v7\nv72: i64 = zext v71\nyield v72, mem1, io0\n}}\n\
         export @steer.stored\nexport @steer.vectors\n",
        if step < 0 { "sgt" } else { "slt" },
    );
    // A name of the module may be the same.
    if let Ok(steered) = parse_module(&text) {
        *module = steered;
    }
}

/// A store of some iterations, under another condition in some.
fn stores(text: &mut String, entropy: &mut Entropy<'_>) -> &'static str {
    let ways = entropy.pick(&[[0, 1], [1, 0], [1, 0], [1, 1]]);
    let offset = entropy.below(16);
    let _ = write!(
        text,
        "v21: ctl(2) = match i1 v20 [true -> {}, _ -> {}]\nmem3 = gamma v21 (v10, v16, v18, v14, mem2)\n",
        ways[0], ways[1],
    );
    let both = entropy.chance(1, 3);
    for case in 0..2 {
        alternative(text, entropy, case, case == 1 || both, offset);
    }
    "mem3"
}

/// An alternative that may store.
fn alternative(text: &mut String, entropy: &mut Entropy<'_>, case: usize, stores: bool, offset: usize) {
    // The numbers of its values, and of its states.
    let (v, m) = (100 + 100 * case, 10 + 10 * case);
    let [v0, v1, v2, v3] = [v, v + 1, v + 2, v + 3];
    let _ = writeln!(text, "case {case} (v{v0}: i64, v{v1}: i32, v{v2}: i32, v{v3}: ptr, mem{m}) {{");
    let stored = entropy.pick(&[v1, v2]);
    let store = |memory: usize, [index, value, base]: [usize; 3]| {
        format!(
            "v{v}10 = const i64 {offset}\nv{v}11: i64 = add v{index}, v{v}10\nv{v}13 = const i32 0\n\
             v{v}12: ptr = getelementptr [80 x i32], v{base}, v{v}13, v{v}11\n\
             mem{} = store v{value}, v{v}12, mem{memory}, align 4\n",
            m + 9
        )
    };
    if !stores {
        let _ = writeln!(text, "yield mem{m}\n}}");
    } else if entropy.chance(1, 2) {
        let [a, b, c] = [v + 4, v + 5, v + 6];
        let [before, some] = [m + 2, m + 3];
        let _ = write!(
            text,
            "v{v}20: ctl(2) = match i32 v{v2} [{} -> 1, 3 -> 0, 4 -> 1, _ -> {}]\n\
             mem{} = gamma v{v}20 (v{v0}, v{stored}, v{v3}, mem{m})\n\
             case 0 (v{v}21: i64, v{v}22: i32, v{v}23: ptr, mem{before}) {{\nyield mem{before}\n}}\n\
             case 1 (v{a}: i64, v{b}: i32, v{c}: ptr, mem{some}) {{\n{}yield mem{}\n}}\nyield mem{}\n}}\n",
            5 + entropy.below(8),
            entropy.below(2),
            m + 1,
            store(some, [a, b, c]),
            m + 9,
            m + 1,
        );
    } else {
        let _ = write!(text, "{}yield mem{}\n}}\n", store(m, [v0, stored, v3]), m + 9);
    }
}

/// The greatest or least of floats, zeros of both signs and ones that are no number among them.
fn extreme(text: &mut String, entropy: &mut Entropy<'_>) -> &'static str {
    let by = entropy.pick(&["1.0", "-1.0", "-0.0", "0.0", "0x7ff8000000000000"]);
    let relation = entropy.pick(&["ogt", "olt", "oge", "ole", "ugt", "ult", "uge", "ule"]);
    let compared = entropy.pick(&["v54, v12", "v12, v54"]);
    let chosen = entropy.pick(&["v54, v12", "v12, v54"]);
    let _ = write!(
        text,
        "v50 = const i32 8\nv51: i32 = sub v18, v50\nv52: float = sitofp v51\nv53 = const float {by}\nv54: float = fmul v52, v53\n\
         v55: i1 = fcmp {relation} {compared}\nv56: float = select v55, {chosen}\n"
    );
    "v56"
}
