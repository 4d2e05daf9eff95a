//! Prints instances of every rule of node reduction as a pair of functions `@src` and `@tgt` of textual LLVM IR, with a
//! line `; NAME` before each pair: what a translation validator reads.

fn main() {
    for rule in rvsdg_passes::scalar::node_reduction::rule::all() {
        println!("{}", rule.proof());
        if let Some(proof) = rule.vector_proof() {
            println!("{proof}");
        }
    }
}
