//! Block parameters: SSA form for the variables of the skeleton, on the recovered control flow.
//!
//! A variable is read on demand: up single predecessors, through the assignments of arcs, to a φ where several arcs join (Braun et al.,
//! "Simple and Efficient Construction of Static Single Assignment Form"). All blocks are known beforehand. A variable that all arcs to
//! one block assign has its φ there, however far away it is used; so only variables whose joins were skipped cost a walk. Redundant φs
//! are found in `redundant`.

use rustc_hash::FxHashMap;
use rvsdg_core::Graph;

use super::names::Name;
use super::skeleton::{EXIT, Skeleton};
use super::thread::Flow;

/// A join of values.
pub(super) struct Phi {
    /// The block that contains it.
    pub(super) block: u32,
    /// The variable it represents.
    pub(super) variable: Name,
    /// Its range in [`Ssa::operands`], in the order of the block's arcs.
    pub(super) operands: (u32, u32),
    /// What it is equal to: itself, if it is needed.
    pub(super) value: Name,
    /// Whether anything uses it.
    pub(super) live: bool,
}

/// Where a variable is assigned.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Home {
    Nowhere,
    /// Assigned by all arcs on the path to this block; its value there, if known.
    Block(u32, Option<Name>),
    Several,
}

/// The values of all variables at all places where they are used.
pub(super) struct Ssa<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) flow: &'a Flow,
    pub(super) phis: Vec<Phi>,
    pub(super) operands: Vec<Name>,
    /// The block of each arc.
    from: Vec<u32>,
    /// Arcs into each block, in the order of their blocks.
    arcs_in: Vec<u32>,
    starts: Vec<u32>,
    homes: Vec<Home>,
    known: FxHashMap<(u32, Name), Name>,
    /// How many φs have their operands.
    filled: usize,
    path: Vec<(u32, Name)>,
}

impl<'a> Ssa<'a> {
    /// No variable has been read yet, but the function's results at the exit.
    pub(super) fn new(skeleton: &'a Skeleton, flow: &'a Flow) -> Ssa<'a> {
        let mut starts = vec![0u32; skeleton.blocks.len() + 1];
        let mut from = vec![u32::MAX; skeleton.arcs.len()];
        let mut homes = vec![Home::Nowhere; skeleton.name_bound()];
        let mut count = 0;
        for &block in &flow.blocks {
            for arc in skeleton.arc_numbers(block) {
                let target = flow.arc(arc).target;
                from[arc as usize] = block;
                starts[target as usize + 1] += 1;
                count += 1;
                for &(variable, _) in flow.assigns(arc) {
                    let home = &mut homes[variable.as_number().expect("variables have numbers")];
                    *home = match *home {
                        Home::Nowhere => Home::Block(target, None),
                        Home::Block(block, _) if block == target => continue,
                        Home::Block(..) | Home::Several => Home::Several,
                    };
                }
            }
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut arcs_in = vec![0u32; count];
        let mut fill = starts.clone();
        for &block in &flow.blocks {
            for arc in skeleton.arc_numbers(block) {
                let at = &mut fill[flow.arc(arc).target as usize];
                arcs_in[*at as usize] = arc;
                *at += 1;
            }
        }
        let mut ssa = Ssa {
            skeleton,
            flow,
            phis: vec![],
            operands: vec![],
            from,
            arcs_in,
            starts,
            homes,
            known: FxHashMap::default(),
            filled: 0,
            path: vec![],
        };
        if !ssa.arcs_in(EXIT).is_empty() {
            for index in 0..skeleton.results {
                ssa.new_phi(EXIT, skeleton.result(index));
            }
            ssa.fill();
        }
        ssa
    }

    /// The arcs into a block.
    pub(super) fn arcs_in(&self, block: u32) -> &[u32] {
        &self.arcs_in[self.starts[block as usize] as usize..self.starts[block as usize + 1] as usize]
    }

    /// The block that an arc leaves.
    pub(super) fn from(&self, arc: u32) -> u32 {
        self.from[arc as usize]
    }

    /// What a name is in a block. May add φs, whose operands are missing until [`Ssa::fill`].
    #[inline]
    pub(super) fn read(&mut self, block: u32, name: Name) -> Name {
        if self.skeleton.is_variable(name) { self.read_variable(block, name) } else { name }
    }

    fn read_variable(&mut self, mut block: u32, mut name: Name) -> Name {
        self.path.clear();
        let found = loop {
            if !self.skeleton.is_variable(name) {
                break name;
            }
            let index = name.as_number().expect("variables have numbers");
            let several = match self.homes[index] {
                // Assigned nowhere: only unreachable code would use it.
                Home::Nowhere => break Name::POISON,
                Home::Block(_, Some(value)) => break value,
                Home::Block(home, None) => {
                    block = home;
                    false
                }
                Home::Several => match self.known.get(&(block, name)) {
                    Some(&value) => break value,
                    None => true,
                },
            };
            match *self.arcs_in(block) {
                [] => break Name::POISON,
                [arc] => {
                    if !several || self.path.len().is_multiple_of(STRIDE) {
                        self.path.push((block, name));
                    }
                    block = self.from(arc);
                    name = self.assigned(arc, name);
                }
                _ => {
                    let phi = self.new_phi(block, name);
                    self.remember(block, name, phi);
                    break phi;
                }
            }
        };
        let mut path = std::mem::take(&mut self.path);
        for (block, name) in path.drain(..) {
            self.remember(block, name, found);
        }
        self.path = path;
        found
    }

    /// The block that all arcs which assign a variable lead to, and what it is there, when it was read.
    pub(super) fn at_home(&self, name: Name) -> Option<(u32, Name)> {
        match self.homes[name.as_number()?] {
            Home::Block(block, Some(value)) => Some((block, self.resolve(value))),
            Home::Block(_, None) | Home::Nowhere | Home::Several => None,
        }
    }

    fn remember(&mut self, block: u32, name: Name, value: Name) {
        match &mut self.homes[name.as_number().expect("variables have numbers")] {
            Home::Block(_, known) => *known = Some(value),
            _ => {
                self.known.insert((block, name), value);
            }
        }
    }

    /// The name of a variable before an arc, if it has the given name after it.
    fn assigned(&self, arc: u32, name: Name) -> Name {
        let list = self.flow.assigns(arc);
        match list.binary_search_by_key(&name, |&(variable, _)| variable) {
            Ok(at) => list[at].1,
            Err(_) => name,
        }
    }

    /// Whether an arc assigns a variable.
    pub(super) fn assigns(&self, arc: u32, variable: Name) -> bool {
        self.flow.assigns(arc).binary_search_by_key(&variable, |&(variable, _)| variable).is_ok()
    }

    fn new_phi(&mut self, block: u32, variable: Name) -> Name {
        let phi = Phi { block, variable, operands: (0, 0), value: Name::POISON, live: false };
        self.phis.push(phi);
        Name::phi(self.phis.len() - 1)
    }

    /// Reads the operands of all φs, and of those that this adds.
    pub(super) fn fill(&mut self) {
        while self.filled < self.phis.len() {
            let Phi { block, variable, .. } = self.phis[self.filled];
            let start = self.operands.len() as u32;
            for at in self.starts[block as usize]..self.starts[block as usize + 1] {
                let arc = self.arcs_in[at as usize];
                let name = self.assigned(arc, variable);
                let value = self.read(self.from(arc), name);
                self.operands.push(value);
            }
            self.phis[self.filled].operands = (start, self.operands.len() as u32);
            self.filled += 1;
        }
    }

    /// What a value is once redundant φs are known.
    #[inline]
    pub(super) fn resolve(&self, mut name: Name) -> Name {
        while let Some(index) = name.as_phi() {
            let value = self.phis[index].value;
            if value == name {
                break;
            }
            name = value;
        }
        name
    }

    /// Whether a value is available on all arcs to a block, and still the latest at its start: what a φ of the block itself was on an
    /// arc is not what it is then.
    pub(super) fn dominates(&self, graph: &Graph, value: Name, block: u32) -> bool {
        if let Some(index) = value.as_phi() {
            let home = self.phis[index].block;
            return home != block && self.skeleton.block_dominates(home, block);
        }
        match value.as_number().and_then(|index| super::names::producer(graph, index)) {
            Some(node) => {
                matches!(graph.op(node), Some(rvsdg_core::Op::Const(_)))
                    || self.skeleton.node_dominates(graph, node, block)
            }
            None => true,
        }
    }
}

/// Every how many blocks of a path the result of a walk is cached.
const STRIDE: usize = 8;
