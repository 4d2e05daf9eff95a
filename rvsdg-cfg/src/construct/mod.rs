//! Construction of the RVSDG of a function from its control flow graph and control tree (thesis B1.4.2, Algorithms II and
//! III; B2.4, BUILDRVSDG).
//!
//! The tree is walked once in execution order. A branch becomes a γ-node, a loop a θ-node; the regions under construction form a stack of
//! *levels*. Two kinds of things cross the borders of regions:
//!
//! - A *value* has one definition. It is routed when it is used (`values`): out of the closed regions around its
//!   definition, with poison wherever another alternative or no iteration ran, and into the open regions around its use.
//!   Poison is right there because the definition dominates the use: a path on which the definition did not execute
//!   last does not come to the use. In particular no loop repeats between a definition and its use, since all that enters a
//!   loop at the block where it repeats would have to come from the definition too.
//! - A *variable* is assigned in several places (`variables`): the memory state, the io state, the parameters of blocks
//!   and the auxiliary predicates. Parameters are assigned by arcs and read at the beginning of their block, where they become
//!   values; so between an assignment and the reading no block executes. A variable is in scope from there on; at the end
//!   of a region the variables that were assigned in it and are still to be read leave through exit variables or loop variables.
//!
//! The demand annotation of Algorithm II is therefore not a pass of its own: every entry, exit and loop variable is made
//! when it is needed. The cost of construction is linear in the size of the control flow graph, the tree, and the graph made.
//!
//! Nodes are created in the order of the source, γ and θ before their contents, constants in each region where they are first
//! needed.

mod block;
mod copies;
mod gamma;
mod level;
#[cfg(test)]
mod tests;
mod theta;
mod values;
mod variables;

use cranelift_entity::packed_option::ReservedValue;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;
use rvsdg_core::{Graph, Origin, Region, Type};

use crate::cfg::{Cfg, Value};
use crate::restructure::tree::{Item, Tree};
use crate::restructure::{self, restructure};
use crate::shape::Block;
use crate::verify::Verified;

use copies::Copies;
use level::{Level, Structure, Undo};
use values::Place;
use variables::{Var, VarKind, Variable};

/// Builds the graph of a function: restructuring and construction.
///
/// A block from which no path leads to the exit is an infinite loop or leads into one; there the graph has a loop that is
/// repeated for ever.
pub fn build(cfg: &Verified<'_>, options: &restructure::Options) -> Graph {
    construct(cfg, &restructure(cfg.shape(), options))
}

/// Builds the graph of a function from its control flow graph and the control tree of its shape.
///
/// The root region's arguments are the context variables, the parameters, `mem` and `io`; its results the parameters of
/// the exit block, `mem` and `io`.
///
/// # Panics
/// When `tree` is not a tree of `cfg`'s shape.
pub fn construct(cfg: &Verified<'_>, tree: &Tree) -> Graph {
    let mut builder = Builder::new(cfg.cfg(), tree);
    loop {
        builder.clock += 1;
        let level = builder.levels.last_mut().expect("the root level stays until the end");
        match tree.items(level.seq).get(level.next) {
            Some(item) => {
                level.next += 1;
                builder.item(item);
            }
            None => {
                builder.note_end();
                match builder.levels.last().expect("the root level stays until the end").structure {
                    Structure::Root => break,
                    Structure::Gamma(_) => builder.end_alternative(),
                    Structure::Theta(_) => builder.end_loop(),
                }
            }
        }
    }
    builder.finish()
}

/// The state of a construction.
struct Builder<'c> {
    cfg: &'c Cfg,
    tree: &'c Tree,
    graph: Graph,
    /// The regions under construction, outermost first.
    levels: Vec<Level>,
    /// The innermost region under construction.
    region: Region,
    /// The position of each region on the stack of levels, while it is there.
    depths: SecondaryMap<Region, u32>,
    /// Buffers of levels that ended.
    spare: Vec<Vec<Undo>>,
    /// Where each value is, for those in scope or once defined.
    places: SecondaryMap<Value, Place>,
    /// The variables: `mem`, `io`, the auxiliary predicates, the parameters of each block, values with two definitions.
    variables: PrimaryMap<Var, Variable>,
    /// The variable of the first parameter of each block.
    first_param: SecondaryMap<Block, u32>,
    /// The number of the step in the walk of the tree: an item, or the end of a sequence.
    clock: u32,
    /// The number of the structural node that is finished, for marking variables.
    serial: u32,
    /// The level of the innermost loop around each block that was translated.
    loop_of: SecondaryMap<Block, u32>,
    /// The output of a finished θ through which an origin of its body that changes leaves it.
    outputs: FxHashMap<Origin, Origin>,
    /// The poison of each type in each region that has it.
    poisons: FxHashMap<(Region, Type), Origin>,
    copies: Copies,
}

impl<'c> Builder<'c> {
    fn new(cfg: &'c Cfg, tree: &'c Tree) -> Self {
        let mut graph = Graph::new(cfg.pool().clone());
        if cfg.described {
            graph.describe_values();
        }
        let root = graph.root();
        let mut places = SecondaryMap::with_default(Place::none());
        places.resize(cfg.value_count());
        for &value in cfg.contexts().iter().chain(cfg.params()) {
            places[value] = Place { region: root, origin: graph.add_argument(root, cfg.ty(value)) };
        }
        let mem = graph.add_argument(root, Type::MEM);
        let io = graph.add_argument(root, Type::IO);
        let mut variables = PrimaryMap::with_capacity(2 + tree.auxes.len());
        for kind in [VarKind::Mem, VarKind::Io] {
            variables.push(Variable::new(kind));
        }
        for aux in tree.auxes.keys() {
            variables.push(Variable::new(VarKind::Aux(aux)));
        }
        let mut first_param = SecondaryMap::with_capacity(cfg.block_count());
        for block in cfg.blocks() {
            first_param[block] = variables.len() as u32;
            for &param in cfg.block_params(block) {
                variables.push(Variable::new(VarKind::Param(param)));
            }
        }
        let copies = Copies::new(cfg, tree, &mut variables);
        let mut builder = Self {
            cfg,
            tree,
            graph,
            levels: Vec::new(),
            region: Region::reserved_value(),
            depths: SecondaryMap::with_default(0),
            spare: Vec::new(),
            places,
            variables,
            first_param,
            clock: 0,
            serial: 0,
            loop_of: SecondaryMap::with_default(level::NO_LOOP),
            outputs: FxHashMap::default(),
            poisons: FxHashMap::default(),
            copies,
        };
        builder.push_level(root, tree.root, Structure::Root);
        builder.assign(Var::MEM, mem);
        builder.assign(Var::IO, io);
        builder
    }

    fn item(&mut self, item: &'c Item) {
        match item {
            &Item::Block(block) => self.block(block),
            Item::Arc { arc, assigns } => self.arc(*arc, assigns),
            Item::Assign(assigns) => self.assign_auxes(assigns, None),
            &Item::Branch(branch) => self.begin_branch(branch),
            &Item::Loop(id) => self.begin_loop(id),
        }
    }

    /// Remembers the jump or return with which the innermost region ends, when it ends with one.
    fn note_end(&mut self) {
        let level = self.levels.last().expect("a region ends");
        if let Some(&Item::Arc { arc, .. }) = self.tree.items(level.seq).last() {
            let terminator = self.cfg.terminator(arc.from);
            if terminator.arcs.len() == 1 {
                self.graph.set_end_source(self.region, terminator.source.expand());
            }
        }
    }

    /// Adds the results of the root region.
    fn finish(mut self) -> Graph {
        for var in self.params_of(self.cfg.exit()) {
            let origin = self.read(var);
            self.graph.add_result(self.region, origin);
        }
        for state in [Var::MEM, Var::IO] {
            let origin = self.read(state);
            self.graph.add_result(self.region, origin);
        }
        self.graph.arrange();
        self.graph
    }
}
