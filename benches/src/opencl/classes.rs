//! The classes of kernels' control flow (thesis, table C1.1), and what structuring adds (figure C1.8).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use rvsdg_cfg::cfg::Cfg;
use rvsdg_cfg::classify;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::shape::{Block, Shape};
use rvsdg_core::text::parse_module;

use super::code::Compiler;

/// What gives the kernels the control flow of their source: calls and variables in memory are not part of it.
const NEAR_SOURCE: &str = "-passes=always-inline,cgscc(inline),function(sroa,simplifycfg),globaldce";

/// A class that contains those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// One block after the other (Definition 21).
    Linear,
    /// Branches that nest, and loops that test last (Definition 20).
    TailStructured,
    /// Branches and loops that nest (Definition 19): single entry, single exit.
    Sese,
    /// Each loop is entered at one block.
    Reducible,
    /// Anything else.
    Irreducible,
}

impl Class {
    fn of(shape: &Shape) -> Class {
        match classify::classify(shape) {
            classify::Class::Linear => Class::Linear,
            classify::Class::Structured => Class::TailStructured,
            classify::Class::Reducible if contracts(shape) => Class::Sese,
            classify::Class::Reducible => Class::Reducible,
            classify::Class::Irreducible => Class::Irreducible,
        }
    }
}

/// The control flow of a kernel.
pub struct Flow {
    pub class: Class,
    pub has_loop: bool,
    /// Before structuring, and after it.
    pub sizes: [Size; 2],
}

/// What is in a control flow graph.
#[derive(Clone, Copy)]
pub struct Size {
    /// Conditional branches and switches.
    pub branches: usize,
    /// Instructions with branches, without values that are chosen where ways join.
    pub instructions: usize,
}

/// The control flow of some kernels near the source, and after structuring.
pub fn flow(
    compiler: &Compiler,
    input: &Path,
    plain: &Path,
    structured: &Path,
    kernels: &[String],
) -> Result<Vec<Flow>> {
    compiler.opt(&[NEAR_SOURCE], input, plain)?;
    compiler.ours(&["-passes=stz,dne"], plain, structured)?;
    compiler.ours(&["-passes=dne"], plain, plain)?;
    let [before, after] = [plain, structured].map(|file| graphs(compiler, file, kernels));
    let pairs = before?.into_iter().zip(after?);
    Ok(pairs
        .map(|(before, after)| {
            let shape = before.shape();
            Flow { class: Class::of(&shape), has_loop: has_loop(&shape), sizes: [before, after].map(|cfg| size(&cfg)) }
        })
        .collect())
}

/// The control flow graphs of functions of a file.
fn graphs(compiler: &Compiler, file: &Path, names: &[String]) -> Result<Vec<Cfg>> {
    let text = compiler.graph(file)?;
    let module = parse_module(&text).map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
    let lambdas = module.lambdas();
    let of = |name: &String| {
        let mut found = lambdas.iter().filter_map(|lambda| {
            let body = &module.bodies[lambda.body()];
            (*module.symbols[body.symbol].name == **name).then_some((lambda, body.graph()?))
        });
        let (lambda, graph) = found.next().with_context(|| format!("{} has no body of {name}", file.display()))?;
        Ok(destruct(graph, lambda.context(&module.omega).len(), Recovery::Predicative))
    };
    names.iter().map(of).collect()
}

fn size(cfg: &Cfg) -> Size {
    let branches = cfg.blocks().filter(|&block| cfg.terminator(block).predicate.is_some()).count();
    let jumps = cfg.blocks().filter(|&block| block != cfg.exit()).count();
    Size { branches, instructions: cfg.inst_count() + jumps }
}

/// Whether control can come to a block again.
fn has_loop(shape: &Shape) -> bool {
    let predecessors = shape.predecessors();
    let mut missing: Vec<(_, usize)> = shape.blocks().map(|block| (block, predecessors.arcs(block).len())).collect();
    // Blocks all of whose predecessors are done are done; those on a way around never are.
    loop {
        let Some(at) = missing.iter().position(|&(_, count)| count == 0) else { return !missing.is_empty() };
        let (done, _) = missing.swap_remove(at);
        for next in shape.succs(done) {
            missing.iter_mut().filter(|(block, _)| block == next).for_each(|(_, count)| *count -= 1);
        }
    }
}

/// Whether merging chains, branches with their join, and loops that test first or last leads to one block.
fn contracts(shape: &Shape) -> bool {
    let mut graph: BTreeMap<Block, BTreeSet<Block>> =
        shape.blocks().map(|block| (block, shape.succs(block).iter().copied().collect())).collect();
    while let Some((block, absorbed, next)) = step(&graph) {
        absorbed.iter().for_each(|gone| _ = graph.remove(gone));
        graph.insert(block, next);
    }
    graph.len() == 1
}

/// A block, those that it absorbs, and its successors then.
fn step(graph: &BTreeMap<Block, BTreeSet<Block>>) -> Option<(Block, Vec<Block>, BTreeSet<Block>)> {
    let has_one_predecessor = |block: &Block| graph.values().filter(|next| next.contains(block)).count() == 1;
    graph.iter().find_map(|(&block, next)| {
        // A loop that tests last.
        if next.contains(&block) && next.len() == 2 {
            return Some((block, Vec::new(), next.iter().copied().filter(|&to| to != block).collect()));
        }
        // One that tests first.
        let body = next.iter().find(|to| graph[to].iter().eq([&block]) && has_one_predecessor(to) && **to != block);
        if let Some(&body) = body.filter(|_| next.len() == 2) {
            return Some((block, vec![body], next.iter().copied().filter(|&to| to != body).collect()));
        }
        if let Some(&to) = next.first().filter(|to| next.len() == 1 && **to != block && has_one_predecessor(to)) {
            return Some((block, vec![to], graph[&to].clone()));
        }
        // A branch whose alternatives meet at one of its own destinations, or after all of them.
        let joins = next
            .iter()
            .chain(next.first().filter(|first| graph[first].len() == 1).map(|to| &graph[to]).into_iter().flatten());
        joins.filter(|_| next.len() > 1 && !next.contains(&block)).find_map(|&join| {
            let alternatives: Vec<Block> = next.iter().copied().filter(|&to| to != join).collect();
            let is_one = |to: &Block| graph[to].iter().eq([&join]) && has_one_predecessor(to);
            (join != block && alternatives.iter().all(is_one)).then(|| (block, alternatives, BTreeSet::from([join])))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_contain_those_before_them() {
        let of = |successors: &[&[usize]]| Class::of(&Shape::from_successors(successors));
        assert_eq!(of(&[&[1], &[]]), Class::Linear);
        assert_eq!(of(&[&[1, 2], &[2], &[3], &[]]), Class::TailStructured);
        assert_eq!(of(&[&[1], &[1, 2], &[]]), Class::TailStructured);
        assert_eq!(of(&[&[1], &[2, 3], &[1], &[]]), Class::Sese);
        // A loop with two exits, and an alternative that another one jumps into.
        assert_eq!(of(&[&[1], &[2, 4], &[1, 3], &[4], &[]]), Class::Reducible);
        assert_eq!(of(&[&[1, 2], &[2, 3], &[4], &[4], &[]]), Class::Reducible);
        assert_eq!(of(&[&[1, 2], &[2], &[1, 3], &[]]), Class::Irreducible);
    }

    #[test]
    fn ways_around_are_found() {
        assert!(!has_loop(&Shape::from_successors(&[&[1, 2][..], &[2], &[3], &[]])));
        assert!(has_loop(&Shape::from_successors(&[&[1][..], &[2], &[1, 3], &[]])));
    }
}
