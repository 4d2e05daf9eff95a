//! Variables that own what they point to.

use rvsdg_core::Module;
use rvsdg_core::text::parse_module;

use super::library::declared;
use crate::entropy::Entropy;

/// Adds a function that allocates what two variables point to, and accesses it by pointers loaded from them; `mark` says what they are.
pub(super) fn add(module: &mut Module, entropy: &mut Entropy<'_>, mark: &str) {
    let text = declared(&format!("{module}\n"), "malloc", "ptr (i64)");
    let mut pick = || entropy.pick(&["v4", "v5", "v8", "v9"]);
    let (first, second, third) = (pick(), pick(), pick());
    let escapes = if mark.is_empty() && entropy.chance(1, 4) {
        "mem8 = store v4, v9, mem7, align 8"
    } else {
        "mem8 = store v7, v9, mem7, align 4"
    };
    let text = format!(
        "{text}@steer.first = internal {mark}global ptr null\n@steer.second = internal {mark}global ptr null\n\
         @steer.owners = function i32 (i32)\ndelta @steer.first []\ndelta @steer.second []\n\
         lambda @steer.owners [@malloc, @steer.first, @steer.second] (v0: i32, mem0, io0) {{\n\
         v1 = const i64 16\nv2: ptr, mem1, io1 = call ptr (i64) @malloc(v1), mem0, io0\nmem2 = store v2, @steer.first, mem1, align 8\n\
         v3: ptr, mem3, io2 = call ptr (i64) @malloc(v1), mem2, io1\nmem4 = store v3, @steer.second, mem3, align 8\n\
         v20: ctl(2) = match i32 v0 [7 -> 1, _ -> 0]\nmem5 = gamma v20 (@steer.first, @steer.second, v2, v3, mem4)\n\
         case 0 (v21: ptr, v22: ptr, v23: ptr, v24: ptr, mem20) {{\nyield mem20\n}}\n\
         case 1 (v25: ptr, v26: ptr, v27: ptr, v28: ptr, mem21) {{\nmem22 = store v28, v26, mem21, align 8\nyield mem22\n}}\n\
         v4: ptr, mem6 = load @steer.first, mem5, align 8\nv5: ptr, mem7 = load @steer.second, mem6, align 8\n\
         v6 = const i64 4\nv7 = const i32 5\nv8: ptr = getelementptr i8, v4, v6\nv9: ptr = getelementptr i8, v5, v6\n\
         {escapes}\nmem9 = store v0, {first}, mem8, align 4\nv10: i32, mem10 = load {first}, mem9, align 4\n\
         mem11 = store v7, {second}, mem10, align 4\nv11: i32, mem12 = load {first}, mem11, align 4\n\
         mem13 = store v11, {third}, mem12, align 4\nv12: i32, mem14 = load {first}, mem13, align 4\n\
         v13: i32 = add v10, v11\nv14: i32 = xor v13, v12\nyield v14, mem14, io2\n}}\nexport @steer.owners\n"
    );
    *module = parse_module(&text).expect("the function is well-formed");
}
