//! Where pointers lead that small functions load from, by the order of the loads.

use rvsdg_core::Op;

use super::{AddressSpaces, Lead};
use crate::tests::Example;

const LAYOUT: &str = "e-p3:32:32-p4:64:64-ni:4";

/// Where the addresses of the loads of a function lead.
fn leads(triple: &str, layout: &str, convention: &str, body: &str) -> Option<Vec<Lead>> {
    let text = format!(
        "module \"test\"
target datalayout \"{layout}\"
target triple \"{triple}\"
@tile = internal addrspace(3) global [8 x i32] undef
@f = function void (ptr, ptr addrspace(1), ptr addrspace(3), i1, ptr, ptr addrspace(4), ptr addrspace(101)){convention}, #0
delta @tile []
lambda @f [@tile] (v0: ptr, v1: ptr addrspace(1), v2: ptr addrspace(3), v3: i1, v4: ptr, v5: ptr addrspace(4),
  v6: ptr addrspace(101), mem0, io0) {{
  v7: ptr = addrspacecast v1
  v8: ptr = addrspacecast v2
{body}}}
export @f
attributes #0 = params ({{}}, {{}}, {{}}, {{}}, {{ byval: i32 }}, {{}}, {{}})
"
    );
    let example = Example::of(&text);
    let graph = example.graph();
    let spaces = AddressSpaces::of(graph, example.surroundings()?)?;
    let loads = graph.all_nodes().filter(|&node| matches!(graph.op(node), Some(Op::Load(_))));
    Some(loads.filter_map(|node| spaces.lead(graph, graph.input(node, 0))).collect())
}

/// Loads from addresses, and the end of the function.
fn loads(addresses: &[&str]) -> String {
    let loads = addresses.iter().enumerate();
    let load = |(index, at)| format!("  v{}: i32, mem{} = load {at}, mem{index}, align 4\n", 100 + index, index + 1);
    let loads: String = loads.map(load).collect();
    loads + &format!("  yield mem{}, io0\n", addresses.len())
}

/// Where some addresses lead on a machine of NVIDIA.
fn of(convention: &str, computed: &str, addresses: &[&str]) -> Vec<Lead> {
    let body = format!("{computed}{}", loads(addresses));
    leads("nvptx64-nvidia-cuda", "", convention, &body).expect("it is such a machine")
}

#[test]
fn conversions() {
    let computed =
        "  v9: ptr = addrspacecast v6\n  v10: ptr addrspace(3) = addrspacecast v0\n  v11: ptr = addrspacecast v10\n";
    let found = of("", computed, &["v7", "v8", "v9", "v11", "v0", "v1"]);
    assert_eq!(found, [Lead::Into(1), Lead::Into(3), Lead::Anywhere, Lead::Into(3), Lead::Anywhere]);
}

#[test]
fn parameters_of_kernels() {
    assert_eq!(of(", cc 71", "", &["v0", "v4"]), [Lead::Into(1), Lead::Anywhere]);
    assert_eq!(of("", "", &["v0", "v4"]), [Lead::Anywhere; 2]);
}

#[test]
fn other_machines() {
    let body = format!("  v9: ptr = addrspacecast v5\n{}", loads(&["v7", "v8", "v9"]));
    let leads = |triple, layout, convention| leads(triple, layout, convention, &body);
    assert_eq!(leads("x86_64-unknown-linux-gnu", "", ""), None);
    assert_eq!(leads("r600-unknown-unknown", "", ""), None);
    let found = leads("amdgcn-amd-amdhsa", "", "");
    assert_eq!(found, Some(vec![Lead::Into(1), Lead::Into(3), Lead::Into(4)]));
    // Narrower addresses are computed in another way, and unstable ones are numbers of nothing.
    let found = leads("amdgcn-amd-amdhsa", LAYOUT, "");
    assert_eq!(found, Some(vec![Lead::Into(1), Lead::Anywhere, Lead::Anywhere]));
    let found = leads("amdgcn-amd-amdhsa", "e-p1:64:64:64:32-pe3:64:64", "");
    assert_eq!(found, Some(vec![Lead::Anywhere, Lead::Anywhere, Lead::Into(4)]));
}

#[test]
fn addresses_of_elements_and_choices() {
    let computed = "  v9 = const i64 4\n  v10: ptr = getelementptr i32, v8, v9\n  v11: ptr = select v3, v8, v10\n  \
                    v12: ptr = select v3, v7, v10\n  v13 = const ptr null\n  v14: ptr = select v3, v13, v10\n  v15 = const ptr poison\n  \
                    v16: ptr = select v3, v15, v10\n  v17: ptr = freeze v8\n  v18: ptr = getelementptr i32, v15, v9\n";
    let found = of("", computed, &["v10", "v11", "v12", "v14", "v16", "v17", "v18"]);
    use Lead::{Anywhere, Into, Nowhere};
    assert_eq!(found, [Into(3), Into(3), Anywhere, Anywhere, Into(3), Anywhere, Nowhere]);
}

#[test]
fn constants() {
    let computed = "  v9 = const ptr addrspacecast (ptr addrspace(3) ?0), @tile\n  \
                    v10 = const ptr getelementptr (i32, ptr addrspacecast (ptr addrspace(3) ?0), i64 1), @tile\n";
    assert_eq!(of("", computed, &["v9", "v10"]), [Lead::Into(3); 2]);
}

#[test]
fn conditionals() {
    let computed = "  v9: ctl(2) = match i1 v3 [true -> 1, _ -> 0]\n  v10: ptr, v11: ptr, v12: ptr = gamma v9 (v7, v8)\n  \
                    case 0 (v13: ptr, v14: ptr) {\n    yield v13, v14, v14\n  }\n  \
                    case 1 (v15: ptr, v16: ptr) {\n    v17 = const ptr undef\n    yield v16, v16, v17\n  }\n";
    assert_eq!(of("", computed, &["v10", "v11", "v12"]), [Lead::Anywhere, Lead::Into(3), Lead::Into(3)]);
}

#[test]
fn loops() {
    let computed = "  v9: ptr, v10: ptr, v11: ptr, v12: i1 = theta (v13: ptr = v8, v14: ptr = v8, v15: ptr = v7, v16: i1 = v3) {\n    \
                    v17 = const i64 1\n    v18: ptr = getelementptr i32, v13, v17\n    v19: ctl(2) = match i1 v16 [true -> 1, _ -> 0]\n    \
                    next v18, v15, v15, v16 while v19\n  }\n";
    assert_eq!(of("", computed, &["v9", "v10", "v11"]), [Lead::Into(3), Lead::Anywhere, Lead::Into(1)]);
}
