//! Ways out of a loop stay where a call before them may not return.

use rvsdg_core::text::parse_module;
use rvsdg_passes::{Manager, Pipeline};

/// What `red` makes of a loop that is left in two ways, after both of which an unreachable point follows. Before these two ways part, a
/// function with such attributes is called.
fn result(attributes: &str) -> String {
    let text = format!(
        "module \"test\"\n@ends = function void (){}\n@f = function i32 (i32, ptr)\nimport @ends\n\
         lambda @f [@ends] (v0: i32, v1: ptr, mem0, io0) {{\nv2 = const i32 0\nv3: ctl(3) = ctl 0 of 3\n\
         v4: i32, v5: i32, v6: ptr, v7: ptr, v8: ctl(3), mem1, io1 = theta (v9: i32 = v2, v10: i32 = v0, v11: ptr = v1, v12: ptr = @ends, v13: ctl(3) = v3, mem2 = mem0, io2 = io0) {{\n\
         v14: i1 = icmp slt v9, v10\nv15: ctl(2) = match i1 v14 [true -> 1, _ -> 0]\nv16: i32, mem3 = load v11, mem2, align 4\n\
         v17: ctl(2) = match i32 v16 [7 -> 0, _ -> 1]\n\
         v18: ctl(2), v19: ctl(3), mem4, io3 = gamma v17 (v15, v9, v11, v12, mem3, io2)\n\
         case 0 (v20: ctl(2), v21: i32, v22: ptr, v23: ptr, mem5, io4) {{\n\
         mem6, io5 = call void () v23(), mem5, io4\nv24: ctl(2) = match i32 v21 [3 -> 0, _ -> 1]\n\
         v25: ctl(3), mem7 = gamma v24 (v21, v22, mem6)\n\
         case 0 (v26: i32, v27: ptr, mem8) {{\nv28: ctl(3) = ctl 0 of 3\nmem9 = store v26, v27, mem8, align 4\nyield v28, mem9\n}}\n\
         case 1 (v29: i32, v30: ptr, mem10) {{\nv31: ctl(3) = ctl 1 of 3\nyield v31, mem10\n}}\n\
         v32: ctl(2) = ctl 0 of 2\nyield v32, v25, mem7, io5\n}}\n\
         case 1 (v33: ctl(2), v34: i32, v35: ptr, v36: ptr, mem11, io6) {{\nv37: ctl(3) = ctl 2 of 3\nyield v33, v37, mem11, io6\n}}\n\
         v38 = const i32 1\nv39: i32 = add v9, v38\nnext v39, v10, v11, v12, v19, mem4, io3 while v18\n}}\n\
         v40: i32, io7 = gamma v8 (v4, io1)\n\
         case 0 (v41: i32, io8) {{\nio9 = unreachable io8\nyield v41, io9\n}}\n\
         case 1 (v42: i32, io10) {{\nio11 = unreachable io10\nyield v42, io11\n}}\n\
         case 2 (v43: i32, io12) {{\nyield v43, io12\n}}\n\
         yield v40, mem1, io7\n}}\nexport @f\n{}",
        if attributes.is_empty() { "" } else { ", #0" },
        if attributes.is_empty() { String::new() } else { format!("attributes #0 = function {{ {attributes} }}\n") },
    );
    let mut module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let pipeline = Pipeline::parse("red,dne").expect("the passes are known");
    Manager { verify_each: true, ..Manager::default() }.run(&mut module, &pipeline).expect("the result is valid");
    module.to_string()
}

#[test]
fn a_call_that_may_not_return_stays() {
    assert!(result("").contains("call void ()"));
}

#[test]
fn a_call_that_returns_goes() {
    assert!(!result("nounwind, willreturn").contains("call void ()"));
}
