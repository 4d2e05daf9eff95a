//! Loops over memory whose step is not known, and loops that decide by their counter.

use rvsdg_core::Module;
use rvsdg_core::fold::arith;
use rvsdg_core::op::IntPredicate;

use super::replace;
use crate::entropy::Entropy;

/// Adds a loop whose counter moves by a parameter, or whose index is its counter times one.
pub(super) fn add_stepping(module: &mut Module, entropy: &mut Entropy<'_>) {
    let count = 1 + entropy.below(30);
    let (by, times) = entropy.pick(&[("v12", "v13"), ("v13", "v12"), ("v12", "v12")]);
    let (op, flags) = (entropy.pick(&["add", "xor", "mul"]), entropy.pick(&["", " nsw", " nuw"]));
    let text = format!(
        "{module}\n@steer.row = global [128 x i64] zeroinitializer\n@steer.stepping = function i64 (i64, i64)\n\
         delta @steer.row []\nlambda @steer.stepping [@steer.row] (v0: i64, v1: i64, mem0, io0) {{\n\
         v2 = const i64 3\nv3: i64 = and v0, v2\nv4 = const i64 1\nv5: i64 = or v3, v4\nv6 = const i64 0\n\
         v7: i64, v8: i64, v9: i64, v40: i64, v41: ptr, mem1 = theta (v10: i64 = v6, v11: i64 = v1, v12: i64 = v5, v13: i64 = v4, v15: ptr = @steer.row, mem2 = mem0) {{\n\
         v16: i64 = mul v10, {times}\nv17: ptr = getelementptr i64, v15, v16\n\
         v18: i64, mem3 = load v17, mem2, align 8\nv19: i64 = {op} v18, v11\n\
         mem4 = store v19, v17, mem3, align 8\nv20: i64 = add{flags} v10, {by}\n\
         v21 = const i64 {count}\nv22: i1 = icmp slt v20, v21\nv23: ctl(2) = match i1 v22 [true -> 1, _ -> 0]\n\
         next v20, v19, v12, v13, v15, mem4 while v23\n}}\nv42: i64 = add v8, v9\nyield v42, mem1, io0\n}}\n\
         export @steer.row\nexport @steer.stepping\n",
    );
    replace(module, &text);
}

/// Adds a loop that stores where a counter, which may wrap, is in a relation to a number that may be known.
pub(super) fn add_turning(module: &mut Module, entropy: &mut Entropy<'_>) {
    let (count, step) = (1 + entropy.below(12) as i64, entropy.pick(&[1, 1, 1, -1, 2, -3]));
    let (first, last) = if step > 0 { (0, count) } else { (count, 0) };
    let bits = entropy.pick(&[64, 8, 4]);
    let predicate = entropy.pick(&["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]);
    let (second, bound) = (entropy.below(16) as i64 - 4, entropy.below(16) as i64 - 4);
    let bound = match bits {
        _ if entropy.chance(1, 2) => format!("v7 = const i{bits} {bound}\n"),
        64 => "v6 = const i64 7\nv7: i64 = and v1, v6\n".to_owned(),
        _ => format!("v7: i{bits} = trunc v1\n"),
    };
    let start = if entropy.chance(1, 3) {
        format!("v8 = const i64 3\nv9: i64 = and v0, v8\nv10 = const i64 {first}\nv11: i64 = add v9, v10\n")
    } else {
        format!("v11 = const i64 {first}\n")
    };
    let by = entropy.pick(&[1, 1, -1, -1, 3]);
    let (op, other) = (entropy.pick(&["add", "xor", "mul"]), entropy.pick(&["add", "sub", "or"]));
    let [flags, promise] = [(); 2].map(|()| entropy.pick(&["", " nsw", " nsw"]));
    let text = format!(
        "{module}\n@steer.turned = global [32 x i64] zeroinitializer\n@steer.turning = function i64 (i64, i64)\n\
         delta @steer.turned []\nlambda @steer.turning [@steer.turned] (v0: i64, v1: i64, mem0, io0) {{\n\
         {bound}{start}v16 = const i{bits} {second}\n\
         v12: i64, v13: i64, v14: i{bits}, v15: ptr, v17: i{bits}, mem1 = theta (v20: i64 = v11, v21: i64 = v1, v22: i{bits} = v7, v23: ptr = @steer.turned, v30: i{bits} = v16, mem2 = mem0) {{\n\
         v31: i1 = icmp {predicate} v30, v22\nv32: ctl(2) = match i1 v31 [true -> 1, _ -> 0]\n\
         v24 = const i64 15\nv25: i64 = and v20, v24\nv26: ptr = getelementptr i64, v23, v25\n\
         v33: i64, mem3 = gamma v32 (v21, v20, v26, mem2)\n\
         case 0 (v40: i64, v41: i64, v42: ptr, mem5) {{\nv43: i64 = {op} v40, v41\nyield v43, mem5\n}}\n\
         case 1 (v50: i64, v51: i64, v52: ptr, mem6) {{\nv53: i64 = {other} v50, v51\nmem7 = store v53, v52, mem6, align 8\nyield v53, mem7\n}}\n\
         v60 = const i{bits} {by}\nv61: i{bits} = add{promise} v30, v60\n\
         v27 = const i64 {step}\nv28: i64 = add{flags} v20, v27\nv29 = const i64 {last}\n\
         v34: i1 = icmp {} v28, v29\nv35: ctl(2) = match i1 v34 [true -> 1, _ -> 0]\n\
         next v28, v33, v22, v23, v61, mem3 while v35\n}}\nv70: i64 = sub v13, v12\nyield v70, mem1, io0\n}}\n\
         export @steer.turned\nexport @steer.turning\n",
        if step > 0 { "slt" } else { "sgt" },
    );
    replace(module, &text);
}

/// Adds a loop that compares its counter, or the counter's next value, with two bounds.
pub(super) fn add_bounded(module: &mut Module, entropy: &mut Entropy<'_>) {
    let bits = entropy.pick(&[64, 8, 4]);
    let (first, count) = (entropy.below(4) as i64 - 2, 1 + entropy.below(6) as i64);
    let flags = entropy.pick(&["", " nsw", " nuw", " nuw nsw"]);
    let less = entropy.pick(&["slt", "slt", "ult", "sle"]);
    let other = if entropy.chance(1, 8) { "ult" } else { less };
    let [one, two] = [(); 2].map(|()| entropy.pick(&["v20", "v21"]));
    // A known bound, one that is in a range, or any.
    let mut bound = |name: &str, of: &str| match entropy.below(4) {
        0 | 1 => format!("{name} = const i{bits} {count}\n"),
        2 => format!(
            "{name}00 = const i{bits} 7\n{name}01: i{bits} = trunc {of}\n{name}: i{bits} = and {name}01, {name}00\n"
        ),
        _ => format!("{name}: i{bits} = trunc {of}\n"),
    };
    let bounds = format!("{}{}", bound("v3", "v0"), bound("v4", "v1")).replace("i64 = trunc v0", "i64 = add v0, v0");
    let bounds = bounds.replace("i64 = trunc v1", "i64 = add v1, v0");
    let (decision, sense) = entropy
        .pick(&[("v30: i1 = select v26, v27, v28\n", "v28 = const i1 false\n"), ("v30: i1 = and v26, v27\n", "")]);
    let text = format!(
        "{module}\n@steer.bounded = function i64 (i64, i64)\n\
         lambda @steer.bounded [] (v0: i64, v1: i64, mem0, io0) {{\n{bounds}v2 = const i{bits} {first}\n\
         v5: i{bits}, v6: i{bits}, v7: i{bits}, v8: i64 = theta (v20: i{bits} = v2, v22: i{bits} = v3, v23: i{bits} = v4, v24: i64 = v1) {{\n\
         v25 = const i{bits} 1\nv21: i{bits} = add{flags} v20, v25\nv40 = const i64 3\nv41: i64 = mul v24, v40\n\
         v26: i1 = icmp {less} {one}, v22\nv27: i1 = icmp {other} {two}, v23\n{sense}{decision}\
         v31: ctl(2) = match i1 v30 [true -> 1, _ -> 0]\nnext v21, v22, v23, v41 while v31\n}}\n\
         yield v8, mem0, io0\n}}\nexport @steer.bounded\n",
    );
    replace(module, &text);
}

/// Adds a loop behind a comparison of a counter with a bound. Whether it continues depends on the two in each iteration, in those in which
/// it is not left for another reason, or in some.
pub(super) fn add_approaching(module: &mut Module, entropy: &mut Entropy<'_>) {
    let bits = entropy.pick(&[4, 8]);
    let narrow = format!("i{bits}");
    let wide = if entropy.chance(1, 3) { "i16".to_owned() } else { narrow.clone() };
    let relation = entropy.pick(&["slt", "slt", "ult", "ult", "sgt", "ugt", "sle", "uge"]);
    let falls = relation.contains('g');
    let guard = if entropy.chance(1, 2) { entropy.pick(&["slt", "sle", "ult", "ule", "sge", "ne"]) } else { relation };
    let step = match entropy.below(8) {
        0 => 2,
        1 if !falls => -1,
        _ if falls => -1,
        _ => 1,
    };
    // The values that enter the loop: numbers, parameters that may be undef, or others.
    let mut value = |name: &str, of: &str| match entropy.below(4) {
        0 => format!("{name} = const {narrow} {}\n", entropy.below(7) as i64 - 3),
        1 => format!("{name}: {narrow} = trunc {of}\n"),
        _ => format!("{name}00: {narrow} = trunc {of}\n{name}: {narrow} = freeze {name}00\n"),
    };
    let values = format!("{}{}", value("v3", "v0"), value("v4", "v1"));
    let (before, counter) = if wide == narrow {
        (String::new(), "v3")
    } else {
        (format!("v5: {wide} = {} v3\n", entropy.pick(&["sext", "zext"])), "v5")
    };
    let compared = entropy.pick(&["v21", "v25"]);
    let low = if wide == narrow { String::new() } else { format!("v37: {narrow} = trunc v33\n") };
    let operand = if wide == narrow { "v33" } else { "v37" };
    let (holds, otherwise) = if entropy.chance(3, 4) { (1, 0) } else { (0, 1) };
    let compare = if holds == 1 { relation } else { opposite(relation) };
    let (left, right) = if entropy.chance(1, 4) { ("v35", operand) } else { (operand, "v35") };
    let compare = if left == "v35" { swapped(compare) } else { compare };
    // In the other alternative the loop ends, or goes on.
    let other = u32::from(entropy.chance(1, 4));
    let odd = if entropy.chance(1, 2) { "v34: i1 = trunc v26\n" } else { "v34 = const i1 true\n" };
    let text = format!(
        "{module}\n@steer.approaching = function i64 (i64, i64)\n\
         lambda @steer.approaching [] (v0: i64, v1: i64, mem0, io0) {{\n{values}{before}v6: i1 = icmp {guard} v3, v4\n\
         v7: ctl(2) = match i1 v6 [true -> 1, _ -> 0]\nv8: i64 = gamma v7 ({counter}, v4, v0)\n\
         case 0 (v9: {wide}, v10: {narrow}, v11: i64) {{\nyield v11\n}}\n\
         case 1 (v12: {wide}, v13: {narrow}, v14: i64) {{\n\
         v15: {wide}, v16: {narrow}, v17: i64 = theta (v21: {wide} = v12, v22: {narrow} = v13, v23: i64 = v14) {{\n\
         v24 = const {wide} {step}\nv25: {wide} = add v21, v24\nv40 = const i64 3\nv41: i64 = mul v23, v40\n\
         v26: i64 = add v41, v40\n{odd}v27: ctl(2) = match i1 v34 [true -> 1, _ -> 0]\nv28: ctl(2) = gamma v27 ({compared}, v22)\n\
         case 0 (v29: {wide}, v30: {narrow}) {{\nv31: ctl(2) = ctl {other} of 2\nyield v31\n}}\n\
         case 1 (v33: {wide}, v35: {narrow}) {{\n{low}v38: i1 = icmp {compare} {left}, {right}\n\
         v39: ctl(2) = match i1 v38 [true -> {holds}, _ -> {otherwise}]\nyield v39\n}}\n\
         next v25, v22, v26 while v28\n}}\nyield v17\n}}\n\
         yield v8, mem0, io0\n}}\nexport @steer.approaching\n",
    );
    replace(module, &text);
}

/// The relation of integers that holds where another one does not.
fn opposite(relation: &str) -> &'static str {
    let found = IntPredicate::from_name(relation).expect("a relation");
    arith::inverse(found).name()
}

/// The relation of integers in the other order.
fn swapped(relation: &str) -> &'static str {
    let found = IntPredicate::from_name(relation).expect("a relation");
    arith::swapped(found).name()
}

/// Adds a loop that goes through memory with an address and a counter until it finds something or comes to an end.
pub(super) fn add_walking(module: &mut Module, entropy: &mut Entropy<'_>) {
    let bits = entropy.pick(&[8, 32, 64]);
    let (element, other) = (format!("i{bits}"), format!("i{}", entropy.pick(&[8, 32, 64])));
    let end = if entropy.chance(1, 4) { &other } else { &element };
    let start = if entropy.chance(1, 4) { entropy.below(4) } else { 0 };
    let by = if entropy.chance(1, 4) { 2 } else { 1 };
    let more = if entropy.chance(1, 4) { 1u64 << 62 } else { 1 };
    let flags = entropy.pick(&["", " inbounds"]);
    let count = if entropy.chance(1, 3) { "v40 = const i64 6\n" } else { "v40: i64 = add v5, v41\n" };
    let predicate = entropy.pick(&["eq", "ne"]);
    let (holds, otherwise) = if predicate == "eq" { (0, 1) } else { (1, 0) };
    let compared = if entropy.chance(1, 3) { "v19" } else { "v23" };
    let text = format!(
        "{module}\n@steer.cells = global [8 x i64] zeroinitializer\n@steer.walking = function i64 (i64, i64)\ndelta @steer.cells []\n\
         lambda @steer.walking [@steer.cells] (v0: i64, v1: i64, mem0, io0) {{\n\
         v3 = const i64 7\nv4: i64 = and v1, v3\nv5: i64 = and v0, v3\nv41 = const i64 {more}\n{count}\
         v6: ptr = getelementptr inbounds i64, @steer.cells, v4\nmem1 = store v0, v6, mem0, align 8\n\
         v7: ptr = getelementptr{flags} {end}, @steer.cells, v40\nv8 = const i64 {start}\n\
         v9: i64, v10: ptr, v11: ptr, mem2 = theta (v12: i64 = v8, v13: ptr = @steer.cells, v14: ptr = v7, mem3 = mem1) {{\n\
         v15: {element}, mem4 = load v13, mem3, align 1\nv16 = const {element} 0\nv17: i1 = icmp ne v15, v16\n\
         v18: ctl(2) = match i1 v17 [true -> 0, _ -> 1]\nv42 = const i64 1\nv43: ptr = getelementptr inbounds {element}, v13, v42\n\
         v44: i64, v45: ctl(2) = gamma v18 (v12, v13, v43, v14)\n\
         case 0 (v46: i64, v47: ptr, v48: ptr, v49: ptr) {{\nv50: ctl(2) = ctl 0 of 2\nyield v46, v50\n}}\n\
         case 1 (v60: i64, v19: ptr, v23: ptr, v24: ptr) {{\n\
         v25: i1 = trunc v60\nv26: ctl(2) = match i1 v25 [true -> 1, _ -> 0]\nv27: i64 = gamma v26 (v60)\n\
         case 0 (v28: i64) {{\nv29 = const i64 1\nv30: i64 = add v28, v29\nyield v30\n}}\n\
         case 1 (v31: i64) {{\nv32 = const i64 {by}\nv33: i64 = add v31, v32\nyield v33\n}}\n\
         v34: i1 = icmp {predicate} {compared}, v24\nv35: ctl(2) = match i1 v34 [true -> {holds}, _ -> {otherwise}]\n\
         yield v27, v35\n}}\n\
         next v44, v43, v14, mem4 while v45\n}}\n\
         yield v9, mem2, io0\n}}\nexport @steer.walking\nexport @steer.cells\n",
    );
    replace(module, &text);
}

/// Adds a loop that fills or copies elements, how many is not known.
pub(super) fn add_filling(module: &mut Module, entropy: &mut Entropy<'_>) {
    let bits = entropy.pick(&[8, 32, 64]);
    let (to, step) = (entropy.pick(&["v20", "v21"]), entropy.pick(&[1, 1, 1, -1, 2]));
    let (first, last) = if step > 0 { ("v3", "v4") } else { ("v4", "v3") };
    let stored = match entropy.below(5) {
        0 => format!("v30 = const i{bits} {}\nmem3 = store v30, v28, mem2, align 1\n", entropy.pick(&[0, -1, 1])),
        1 => "mem3 = store v24, v28, mem2, align 1\n".to_owned(),
        other => format!(
            "v26 = const i64 {}\nv27: i64 = add v22, v26\nv29: ptr = getelementptr i{bits}, {}, v27\n\
             v30: i{bits}, mem4 = load v29, mem2, align 1\nmem3 = store v30, v28, mem4, align 1\n",
            entropy.below(3),
            if other == 2 { "v20" } else { "v21" },
        ),
    };
    let known = if entropy.chance(1, 4) { "v5 = const i64 9\n" } else { "v5: i64 = add v0, v1\n" };
    let value = if bits == 64 { "v7: i64 = add v1, v1\n".to_owned() } else { format!("v7: i{bits} = trunc v1\n") };
    let text = format!(
        "{module}\n@steer.filled = global [64 x i{bits}] zeroinitializer\n@steer.copied = global [64 x i{bits}] zeroinitializer\n\
         @steer.filling = function i64 (i64, i64)\ndelta @steer.filled []\ndelta @steer.copied []\n\
         lambda @steer.filling [@steer.filled, @steer.copied] (v0: i64, v1: i64, mem0, io0) {{\n\
         v2 = const i64 31\nv3 = const i64 2\n{known}v6: i64 = and v5, v2\nv4: i64 = add v6, v3\n{value}\
         v8: i64, v9: ptr, v10: ptr, v11: i64, v12: i{bits}, mem1 = theta (v22: i64 = {first}, v20: ptr = @steer.filled, v21: ptr = @steer.copied, v23: i64 = {last}, v24: i{bits} = v7, mem2 = mem0) {{\n\
         v28: ptr = getelementptr i{bits}, {to}, v22\n{stored}\
         v31 = const i64 {step}\nv32: i64 = add nsw v22, v31\nv33: i1 = icmp {} v32, v23\n\
         v34: ctl(2) = match i1 v33 [true -> 1, _ -> 0]\nnext v32, v20, v21, v23, v24, mem3 while v34\n}}\n\
         yield v8, mem1, io0\n}}\nexport @steer.filled\nexport @steer.copied\nexport @steer.filling\n",
        if step > 0 { "slt" } else { "sgt" },
    );
    replace(module, &text);
}

/// Adds a loop with two ways out. After one of them, control gets to an unreachable point.
pub(super) fn add_left_in_vain(module: &mut Module, entropy: &mut Entropy<'_>) {
    let (count, bound) = (1 + entropy.below(12), entropy.below(16));
    let [counted, again, found] = [(); 3].map(|()| entropy.below(2));
    let (op, other) = (entropy.pick(&["add", "xor", "mul"]), entropy.pick(&["add", "sub", "or"]));
    let predicate = entropy.pick(&["eq", "ult", "sgt"]);
    let [(first, after_first), (second, after_second)] = if entropy.chance(1, 2) {
        [("io41 = unreachable io40\n", "io41"), ("", "io50")]
    } else {
        [("", "io40"), ("io51 = unreachable io50\n", "io51")]
    };
    let text = format!(
        "{module}\n@steer.vain = function i64 (i64, i64)\nlambda @steer.vain [] (v0: i64, v1: i64, mem0, io0) {{\n\
         v2 = const i64 0\nv3: ctl(2) = ctl 0 of 2\n\
         v4: i64, v5: i64, v6: i64, v7: ctl(2), io1 = theta (v8: i64 = v2, v9: i64 = v1, v10: i64 = v0, v11: ctl(2) = v3, io2 = io0) {{\n\
         v12 = const i64 {count}\nv13 = const i64 {bound}\nv14: i64 = and v9, v10\nv15: i1 = icmp {predicate} v14, v13\n\
         v16: ctl(2) = match i1 v15 [true -> 1, _ -> 0]\n\
         v17: ctl(2), v18: ctl(2), v19: i64 = gamma v16 (v8, v9, v12)\n\
         case 0 (v20: i64, v21: i64, v22: i64) {{\nv23: i1 = icmp ult v20, v22\nv24: ctl(2) = match i1 v23 [true -> 1, _ -> 0]\n\
         v25: i64 = {op} v21, v20\nv26: ctl(2), v27: ctl(2) = gamma v24 ()\n\
         case 0 () {{\nv28: ctl(2) = ctl 0 of 2\nv29: ctl(2) = ctl {counted} of 2\nyield v28, v29\n}}\n\
         case 1 () {{\nv30: ctl(2) = ctl 1 of 2\nv31: ctl(2) = ctl {again} of 2\nyield v30, v31\n}}\nyield v26, v27, v25\n}}\n\
         case 1 (v32: i64, v33: i64, v34: i64) {{\nv35: ctl(2) = ctl 0 of 2\nv36: ctl(2) = ctl {found} of 2\n\
         v37: i64 = {other} v33, v32\nyield v35, v36, v37\n}}\n\
         v38 = const i64 1\nv39: i64 = add v8, v38\nnext v39, v19, v10, v18, io2 while v17\n}}\n\
         v40: i64, io3 = gamma v7 (v4, v5, io1)\n\
         case 0 (v41: i64, v42: i64, io40) {{\n{first}v43: i64 = add v41, v42\nyield v43, {after_first}\n}}\n\
         case 1 (v44: i64, v45: i64, io50) {{\n{second}v46: i64 = sub v44, v45\nyield v46, {after_second}\n}}\n\
         yield v40, mem0, io3\n}}\nexport @steer.vain\n",
    );
    replace(module, &text);
}
