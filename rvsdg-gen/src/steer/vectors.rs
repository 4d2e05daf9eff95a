//! Loops that become vectors where generated ones seldom are of the kind: stores of some iterations, variables that conditions
//! replace, the greatest and least of floats, loops that may be left early, loops that keep elements for the
//! next iterations.

use std::fmt::Write;

use rvsdg_core::Module;

use super::replace;
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
    replace(module, &text);
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

/// Adds a loop over an object that ends early at an element, which a store before it makes.
pub(super) fn add_searching(module: &mut Module, entropy: &mut Entropy<'_>) {
    let bits = entropy.pick(&[8, 32, 32, 64]);
    let (first, step) = if entropy.chance(1, 6) { (40, -1) } else { (0, 1) };
    let last = if step < 0 { 2 } else { 33 + entropy.below(15) };
    let last = if entropy.chance(1, 8) { last + 20 } else { last };
    let leaves = entropy.pick(&["ne", "sgt", "ugt"]);
    let (second, at) = (entropy.pick(&["@steer.other", "@steer.other", "@steer.row"]), entropy.below(3));
    let stored = match entropy.below(3) {
        0 => format!("v36: i{bits} = add v33, v32\nmem8 = store v36, v35, mem7, align 1\n"),
        1 => "mem8 = store v33, v35, mem7, align 1\n".into(),
        _ => format!("v36: i{bits}, mem8 = load v35, mem7, align 1\n"),
    };
    let next = entropy.pick(&["v37: iB = add v32, v33\n", "v37: iB = xor v32, v33\n", "v37: iB = add v33, v33\n"]);
    let next = next.replace("iB", &format!("i{bits}"));
    let text = format!(
        "{module}\n@steer.row = global [48 x i{bits}] zeroinitializer\n@steer.other = global [48 x i{bits}] zeroinitializer\n\
         @steer.searching = function i64 (i64, i64)\ndelta @steer.row []\ndelta @steer.other []\n\
         lambda @steer.searching [@steer.row, @steer.other] (v0: i64, v1: i64, mem0, io0) {{\n\
         v2 = const i64 31\nv3: i64 = and v1, v2\nv4: i{bits} = {}\n\
         v5: ptr = getelementptr inbounds i{bits}, @steer.row, v3\nmem1 = store v4, v5, mem0, align 1\nv6 = const i64 {first}\n\
         v7: i64, v8: ptr, v9: ptr, v10: i{bits}, mem2 = theta (v11: i64 = v6, v12: ptr = @steer.row, v13: ptr = {second}, v14: i{bits} = v4, mem3 = mem1) {{\n\
         v15: ptr = getelementptr i{bits}, v12, v11\nv16: i{bits}, mem4 = load v15, mem3, align 1\nv17 = const i{bits} 0\n\
         v18: i1 = icmp {leaves} v16, v17\nv19: ctl(2) = match i1 v18 [true -> 0, _ -> 1]\n\
         v20: i64, v21: ctl(2), v22: i{bits}, mem5 = gamma v19 (v11, v13, v14, v16, mem4)\n\
         case 0 (v23: i64, v24: ptr, v25: i{bits}, v26: i{bits}, mem6) {{\nv27: ctl(2) = ctl 0 of 2\nyield v23, v27, v25, mem6\n}}\n\
         case 1 (v30: i64, v31: ptr, v32: i{bits}, v33: i{bits}, mem7) {{\n\
         v40 = const i64 {at}\nv41: i64 = add v30, v40\nv35: ptr = getelementptr i{bits}, v31, v41\n{stored}{next}\
         v42 = const i64 {step}\nv43: i64 = add nsw v30, v42\nv44 = const i64 {last}\nv45: i1 = icmp {} v43, v44\n\
         v46: ctl(2) = match i1 v45 [true -> 1, _ -> 0]\nyield v43, v46, v37, mem8\n}}\n\
         next v20, v12, v13, v22, mem5 while v21\n}}\n\
         v50: i64 = {}\nv51: i64 = xor v50, v7\nyield v51, mem2, io0\n}}\n\
         export @steer.searching\nexport @steer.row\nexport @steer.other\n",
        if bits == 64 { "add v0, v0" } else { "trunc v0" },
        if step < 0 { "sgt" } else { "slt" },
        if bits == 64 { "add v10, v10" } else { "zext v10" },
    );
    replace(module, &text);
}

/// Adds a loop that keeps one or two elements for the next iterations, which were loaded before it.
pub(super) fn add_keeping(module: &mut Module, entropy: &mut Entropy<'_>) {
    let element = entropy.pick(&["i32", "i64", "float", "i8"]);
    let count = 1 + entropy.below(30);
    let combine = if element == "float" { "fadd" } else { entropy.pick(&["add", "xor", "sub"]) };
    let (first, second) = (0, if entropy.chance(1, 5) { 0 } else { 1 });
    let to = entropy.pick(&["@steer.other", "@steer.other", "@steer.kept"]);
    let at = entropy.below(8);
    let store = format!(
        "v30 = const i64 {at}\nv31: i64 = add v12, v30\nv32: ptr = getelementptr {element}, v14, v31\nmemB = store v24, v32, memA, align 1\n"
    );
    let load = "v20 = const i64 2\nv21: i64 = add v12, v20\nv22: ptr = getelementptr EL, v13, v21\nv23: EL, memB = load v22, memA, align 1\n";
    let load = load.replace("EL", element);
    let sums = if entropy.chance(1, 4) {
        format!("v24: {element} = {combine} v16, v15\n")
    } else {
        format!(
            "v34: {element} = {combine} v16, v15\nv35: {element} = {combine} v34, v15\nv24: {element} = {combine} v35, v16\n"
        )
    };
    let numbered = |text: &str, a: &str, b: &str| text.replace("memA", a).replace("memB", b);
    let body = if entropy.chance(1, 6) {
        format!("{sums}{}{}", numbered(&store, "mem5", "mem6"), numbered(&load, "mem6", "mem7"))
    } else {
        format!("{}{sums}{}", numbered(&load, "mem5", "mem6"), numbered(&store, "mem6", "mem7"))
    };
    let between = if entropy.chance(1, 5) { "mem4 = store v5, v3, mem3, align 1\n" } else { "" };
    let memory = if between.is_empty() { "mem3" } else { "mem4" };
    let text = format!(
        "{module}\n@steer.kept = global [48 x {element}] zeroinitializer\n@steer.other = global [48 x {element}] zeroinitializer\n\
         @steer.keeping = function i64 (i64, i64)\ndelta @steer.kept []\ndelta @steer.other []\n\
         lambda @steer.keeping [@steer.kept, @steer.other] (v0: i64, v1: i64, mem0, io0) {{\n\
         v2 = const i64 {first}\nv3: ptr = getelementptr {element}, @steer.kept, v2\nv40 = const i64 31\nv41: i64 = and v1, v40\n\
         v42: ptr = getelementptr i8, @steer.kept, v41\nmem1 = store v0, v42, mem0, align 1\n\
         v4 = const i64 {second}\nv6: ptr = getelementptr {element}, @steer.kept, v4\n\
         v5: {element}, mem2 = load v6, mem1, align 1\nv7: {element}, mem3 = load v3, mem2, align 1\n{between}v8 = const i64 0\n\
         v9: i64, v10: ptr, v11: ptr, v17: {element}, v18: {element}, mem8 = theta (v12: i64 = v8, v13: ptr = @steer.kept, v14: ptr = {to}, v15: {element} = v5, v16: {element} = v7, mem5 = {memory}) {{\n\
         {body}v26 = const i64 1\nv27: i64 = add v12, v26\nv28 = const i64 {count}\nv29: i1 = icmp ne v27, v28\n\
         v33: ctl(2) = match i1 v29 [true -> 1, _ -> 0]\nnext v27, v13, v14, v23, v15, mem7 while v33\n}}\nyield v9, mem8, io0\n}}\n\
         export @steer.keeping\nexport @steer.kept\nexport @steer.other\n"
    );
    replace(module, &text);
}

/// The greatest or least of floats, zeros of both signs and ones that are no number among them.
fn extreme(text: &mut String, entropy: &mut Entropy<'_>) -> &'static str {
    let by = entropy.pick(&["1.0", "-1.0", "-0.0", "0.0", "0x7fc00000"]);
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
