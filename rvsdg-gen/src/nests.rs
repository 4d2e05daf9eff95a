//! Loops in loops whose trip counts depend on numbers that differ among threads.

use rvsdg_core::Module;
use rvsdg_core::text::parse_module;

use crate::entropy::Entropy;
use crate::steer::replace_for_threads;

/// The words of memory that a nest reads, from an address on.
pub const READ: u64 = 32;
/// The words of memory that it writes, from another.
pub const WRITTEN: u64 = 8;

/// The name of the function of a [kernel's module](kernel).
pub const KERNEL: &str = "nest";

/// A kernel: each thread repeats loops in a loop as often as its number and the words that it reads say, and writes to words of
/// its own. Its parameters are an address to read from, and one of as many words to write as all threads write.
pub fn kernel(entropy: &mut Entropy<'_>) -> Module {
    let pointer = "ptr addrspace(1)";
    let nest = nest(entropy, pointer);
    let text = format!(
        "module \"nest\"\ntarget triple \"nvptx64-nvidia-cuda\"\n\
         @llvm.nvvm.read.ptx.sreg.tid.x = function i32 ()\n@{KERNEL} = function void ({pointer}, {pointer}), cc 71\n\
         import @llvm.nvvm.read.ptx.sreg.tid.x\n\
         lambda @{KERNEL} [@llvm.nvvm.read.ptx.sreg.tid.x] (v3: {pointer}, v6: {pointer}, mem0, io0) {{\n\
         v7: i32 = call i32 () @llvm.nvvm.read.ptx.sreg.tid.x()\nv1: i64 = zext v7\n\
         v8 = const i64 {}\nv2: i64 = mul v1, v8\nv9 = const i64 {WRITTEN}\nv99: i64 = mul v1, v9\n\
         v4: {pointer} = getelementptr i64, v6, v99\n{nest}mem98 = store v91, v4, mem1, align 8\nyield mem98, io0\n}}\n\
         export @{KERNEL}\n",
        1 + entropy.below(9)
    );
    parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Adds a function of such loops.
pub(crate) fn add(module: &mut Module, entropy: &mut Entropy<'_>) {
    let nest = nest(entropy, "ptr");
    let text = format!(
        "{module}\n@steer.row = global [{READ} x i64] zeroinitializer\n@steer.nest = function i64 (i64, i64)\n\
         delta @steer.row []\nlambda @steer.nest [@steer.row] (v1: i64, v2: i64, mem0, io0) {{\n\
         v7 = const i64 {}\nv3: ptr = getelementptr i64, @steer.row, v7\n\
         v8 = const i64 {}\nv4: ptr = getelementptr i64, @steer.row, v8\n\
         {nest}yield v91, mem1, io0\n}}\nexport @steer.row\nexport @steer.nest\n",
        entropy.below(8),
        entropy.below(16),
    );
    replace_for_threads(module, &text);
}

/// A nest of two loops that begins with the numbers `v1` and `v2`, reads from `v3` on, writes from `v4` on, and ends with the
/// number `v91` and the state `mem1`.
fn nest(entropy: &mut Entropy<'_>, pointer: &str) -> String {
    let count = 1 + entropy.below(5);
    let [op, other, third] = [(); 3].map(|()| entropy.pick(&["add", "xor", "sub", "mul"]));
    let loaded = if entropy.chance(2, 3) {
        "v24: i64, mem3 = load v23, mem2, align 8\n".to_owned()
    } else {
        format!("v24: i64 = {third} v22, v12\nmem3 = store v12, v14, mem2, align 8\n")
    };
    let used = entropy.pick(&["v24", "v21", "v10", "v102", "v22"]);
    let stored = if entropy.chance(2, 3) {
        format!("v75: {pointer} = getelementptr i64, v14, v22\nmem5 = store v70, v75, mem4, align 8\n")
    } else {
        format!("v75: i64, mem5 = load {}, mem4, align 8\n", entropy.pick(&["v23", "v14"]))
    };
    let next = entropy.pick(&["v70", "v101", "v24"]);
    let inner = if entropy.chance(1, 2) {
        let (sum, base) = (entropy.pick(&["v24", "v11", "v21"]), entropy.pick(&["v23", "v13"]));
        inner(entropy, pointer, ["v22", sum, base, "v14", "mem3"], "v101: i64, v102: i64, mem4")
    } else {
        guarded(entropy, pointer)
    };
    format!(
        "v5 = const i64 0\n\
         v90: i64, v91: i64, v92: i64, v93: {pointer}, v94: {pointer}, v95: i64, mem1 = theta (v10: i64 = v1, v11: i64 = v2, v12: i64 = v2, v13: {pointer} = v3, v14: {pointer} = v4, v15: i64 = v5, mem2 = mem0) {{\n\
         v20 = const i64 7\nv21: i64 = {op} v10, v12\nv22: i64 = and v21, v20\n\
         v23: {pointer} = getelementptr i64, v13, v22\n{loaded}{inner}\
         v70: i64 = {other} v101, {used}\n{stored}\
         v71 = const i64 1\nv72: i64 = add v10, v71\nv73: i64 = add v15, v71\n\
         v76 = const i64 {count}\nv77: i1 = icmp ult v73, v76\nv78: ctl(2) = match i1 v77 [true -> 1, _ -> 0]\n\
         next v72, {next}, v12, v13, v14, v73, mem5 while v78\n}}\n"
    )
}

/// The inner loop in one alternative of a conditional on its trip count.
fn guarded(entropy: &mut Entropy<'_>, pointer: &str) -> String {
    let sum = entropy.pick(&["v203", "v204", "v206", "v206"]);
    let before = if sum == "v206" { "v206: i64 = add v201, v204\n" } else { "" };
    let inner = inner(entropy, pointer, ["v201", sum, "v202", "v205", "mem20"], "v210: i64, v211: i64, mem21");
    let skipped = if entropy.chance(1, 2) {
        "mem23 = store v303, v305, mem22, align 8\nv310: i64 = xor v303, v304\n"
    } else {
        "v310 = const i64 5\nmem23 = store v304, v305, mem22, align 8\n"
    };
    let result = entropy.pick(&["v210", "v210", "v204"]);
    format!(
        "v200: ctl(2) = match i64 v22 [0 -> 0, _ -> 1]\n\
         v101: i64, v102: i64, mem4 = gamma v200 (v22, v23, v24, v11, v14, mem3)\n\
         case 0 (v301: i64, v302: {pointer}, v303: i64, v304: i64, v305: {pointer}, mem22) {{\n{skipped}yield v310, v301, mem23\n}}\n\
         case 1 (v201: i64, v202: {pointer}, v203: i64, v204: i64, v205: {pointer}, mem20) {{\n\
         {before}{inner}yield {result}, v211, mem21\n}}\n"
    )
}

/// An inner loop over a bound, a start of its sum, an address to read from, one to write to, and a state; with what it returns: its
/// sum, another number and the state.
fn inner(entropy: &mut Entropy<'_>, pointer: &str, from: [&str; 5], to: &str) -> String {
    let [bound, sum, base, out, mem] = from;
    let [op, other] = [(); 2].map(|()| entropy.pick(&["add", "xor", "sub", "mul"]));
    let [first, second, state] = {
        let mut outputs = to.split(", ");
        [(); 3].map(|()| outputs.next().unwrap_or_default())
    };
    let stored = if entropy.chance(1, 3) {
        format!("v56: {pointer} = getelementptr i64, v45, v40\nmem32 = store v54, v56, mem31, align 8\n")
    } else {
        "v56: i64, mem32 = load v45, mem31, align 8\n".to_owned()
    };
    let decided = if entropy.chance(1, 3) {
        format!(
            "v60: ctl(2) = match i1 v59 [true -> 1, _ -> 0]\nv61: ctl(2) = gamma v60 (v54)\n\
             case 0 (v62: i64) {{\nv63: ctl(2) = ctl 0 of 2\nyield v63\n}}\n\
             case 1 (v64: i64) {{\nv65 = const i64 {}\nv66: i64 = and v64, v65\n\
             v67: ctl(2) = match i64 v66 [0 -> 0, _ -> 1]\nyield v67\n}}\n",
            entropy.pick(&[1, 3, 6])
        )
    } else {
        "v61: ctl(2) = match i1 v59 [true -> 1, _ -> 0]\n".to_owned()
    };
    let [one, two] = if entropy.chance(1, 3) { ["v55", "v54"] } else { ["v54", "v55"] };
    format!(
        "v400 = const i64 0\nv401: i64, {first}, {second}, v402: i64, v403: {pointer}, v404: {pointer}, {state} = theta (v40: i64 = v400, v41: i64 = {sum}, v44: i64 = {bound}, v42: i64 = {bound}, v43: {pointer} = {base}, v45: {pointer} = {out}, mem30 = {mem}) {{\n\
         v52: {pointer} = getelementptr i64, v43, v40\nv53: i64, mem31 = load v52, mem30, align 8\n\
         v54: i64 = {op} v41, v53\nv55: i64 = {other} v44, v40\n{stored}\
         v57 = const i64 1\nv58: i64 = add v40, v57\nv59: i1 = icmp ult v58, v42\n{decided}\
         next v58, {one}, {two}, v42, v43, v45, mem32 while v61\n}}\n"
    )
}
