//! Runs of generated functions have arguments that overlap: the comparisons of addresses that versions of loops rest on are false
//! in a good share of them.

use rvsdg_core::module::Code;
use rvsdg_core::op::{Effects, ExtOp};
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Graph, Node, Op, Origin, Type, TypeKind};
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::modules::program;
use rvsdg_gen::runs::runs;
use rvsdg_gen::weights::{Size, Weights};
use rvsdg_interp::observe::Seen;

mod common;

use common::transform;

/// What a conditional is asked before.
const WATCH: &str = "watch.apart";

/// The bit that decides a conditional, if it follows from comparisons of addresses.
fn comparison(graph: &Graph, gamma: Node) -> Option<Origin> {
    let gamma = Gamma::new(graph, gamma)?;
    let decision = graph.producer(graph.origin(gamma.predicate(graph)))?;
    let bit = graph.inputs(decision).first().map(|&input| graph.origin(input))?;
    let mut pending = vec![bit];
    while let Some(origin) = pending.pop() {
        let Some(node) = graph.producer(origin) else { continue };
        match graph.op(node) {
            Some(Op::ICmp { .. }) if *graph.pool().type_kind(graph.ty(graph.input(node, 0))) == TypeKind::Ptr(0) => {
                return Some(bit);
            }
            Some(Op::IntBinary { .. }) => pending.extend(graph.input_origins(node)),
            _ => {}
        }
    }
    None
}

/// Records the bits that decide about versions of loops; how many there are.
fn watch(graph: &mut Graph) -> usize {
    let versions: Vec<(Node, Origin)> =
        graph.all_nodes().filter_map(|node| Some((node, comparison(graph, node)?))).collect();
    for &(gamma, bit) in &versions {
        let state = graph.inputs(gamma).iter().copied().find(|&input| graph.ty(graph.origin(input)) == Type::MEM);
        let Some(state) = state else { continue };
        let op = Op::Ext(graph.pool().intern_ext(ExtOp {
            name: WATCH.into(),
            inputs: [Type::I1].into(),
            outputs: [].into(),
            effects: Effects::MEM,
            speculatable: false,
            commutative: false,
        }));
        let mem = graph.origin(state);
        let node = graph.add_simple(graph.region_of(gamma), op, &[bit, mem], &[Type::MEM]);
        let after = graph.output(node, 0);
        graph.divert(state, after);
    }
    versions.len()
}

#[test]
fn comparisons_of_addresses_are_false_in_many_runs() {
    let [mut versions, mut apart, mut others] = [0; 3];
    for seed in 0..2_000 {
        let mut module = program(&mut Entropy::seeded(seed), &Weights::defined(false), Size::SMALL);
        let _ = transform(&mut module, "lvr", None);
        let found: usize = module
            .bodies
            .values_mut()
            .map(|body| match &mut body.code {
                Code::Graph(graph) => watch(graph),
                Code::Untouched { .. } | Code::Cfg => 0,
            })
            .sum();
        if found == 0 {
            continue;
        }
        versions += found;
        for event in runs(&module).events().filter(|event| &*event.name == WATCH) {
            match &event.arguments[..] {
                [Seen::Bits(words)] if !words.is_empty() => apart += 1,
                _ => others += 1,
            }
        }
    }
    println!("{versions} versions; places are apart {apart} times, and {others} times they may not be");
    assert!(versions > 100 && apart > 500 && 5 * others > apart + others);
}
