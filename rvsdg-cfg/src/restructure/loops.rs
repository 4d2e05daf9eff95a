//! The loop nesting forest that loop restructuring works on (thesis B2.4.1).
//!
//! The paper finds the strongly connected components of the graph, removes from each all arcs to its entry vertices, and repeats inside.
//! Done literally, this costs nesting depth times size. A component with one entry vertex is a natural loop, and its inner components are
//! the loops that one depth-first search finds inside it, so one run of Tarjan's collapsing algorithm in Ramalingam's near-linear form
//! ("Identifying loops in almost linear time", TOPLAS 1999) finds all of them. That algorithm also tells which loops are entered
//! elsewhere than at their header; below the outermost such loop its forest is not the paper's, and the search is restarted inside it
//! without the arcs to its entries. The cost is near-linear in the size of the graph times the nesting depth of irreducible loops only.

use super::ancestors::Ancestors;
use crate::shape::{Block, Predecessors, Shape};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use smallvec::{SmallVec, smallvec};

/// A loop of the forest. The first one represents the whole graph and is not a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LoopId(u32);
entity_impl!(LoopId, "l");

impl LoopId {
    /// The root of the forest: the whole graph.
    pub const ROOT: LoopId = LoopId(0);
}

/// A strongly connected component at some level of the nesting.
pub(crate) struct LoopInfo {
    /// The loop around this one; the root's parent is the root.
    pub parent: LoopId,
    /// The entry vertices, by number.
    pub entries: SmallVec<[Block; 1]>,
}

/// All loops of a shape.
pub(crate) struct LoopForest {
    /// The loops, parents before children.
    pub loops: PrimaryMap<LoopId, LoopInfo>,
    /// The innermost loop that contains each block.
    pub innermost: SecondaryMap<Block, PackedOption<LoopId>>,
    /// The loop that each block is an entry vertex of.
    pub entry_of: SecondaryMap<Block, PackedOption<LoopId>>,
    ancestors: Ancestors,
}

impl LoopForest {
    /// Finds the loops of `shape`.
    pub fn new(shape: &Shape, preds: &Predecessors) -> Self {
        let mut finder = Finder::new(shape, preds);
        let mut work = vec![Part { id: 0, within: LoopId::ROOT, roots: smallvec![shape.entry] }];
        while let Some(part) = work.pop() {
            finder.solve(&part, &mut work);
        }
        let mut forest = finder.forest;
        for (id, info) in forest.loops.iter().skip(1) {
            for &entry in &info.entries {
                forest.entry_of[entry] = id.into();
            }
        }
        forest
    }

    /// The innermost loop around a block.
    #[inline]
    pub fn of(&self, block: Block) -> LoopId {
        self.innermost[block].expand().unwrap_or(LoopId::ROOT)
    }

    /// The number of loops around a loop; 0 for the root.
    pub fn depth(&self, id: LoopId) -> u32 {
        self.ancestors.depth(id.0)
    }

    /// The loop around `id`, or `id` itself, that has this depth.
    pub fn at_depth(&self, id: LoopId, depth: u32) -> LoopId {
        LoopId(self.ancestors.at_depth(id.0, depth))
    }

    /// The innermost loop that contains both.
    pub fn common(&self, a: LoopId, b: LoopId) -> LoopId {
        if a == b { a } else { LoopId(self.ancestors.common(a.0, b.0)) }
    }

    /// Whether `inner` is `outer` or inside of it.
    pub fn contains(&self, outer: LoopId, inner: LoopId) -> bool {
        let depth = self.depth(outer);
        self.depth(inner) >= depth && self.at_depth(inner, depth) == outer
    }

    fn add(&mut self, parent: LoopId, entries: SmallVec<[Block; 1]>) -> LoopId {
        self.ancestors.add(parent.0);
        self.loops.push(LoopInfo { parent, entries })
    }
}

/// Whether all loops of `shape` have one entry.
pub(crate) fn is_reducible(shape: &Shape) -> bool {
    let preds = shape.predecessors();
    let mut work = Vec::new();
    let whole = Part { id: 0, within: LoopId::ROOT, roots: smallvec![shape.entry] };
    Finder::new(shape, &preds).solve(&whole, &mut work);
    work.is_empty()
}

const NONE: u32 = u32::MAX;

/// A set of blocks to search for loops, without the arcs to its roots.
struct Part {
    /// The value of `part_of` for the blocks of the set.
    id: u32,
    /// The loop that the set is the body of.
    within: LoopId,
    /// The entry vertices of the set.
    roots: SmallVec<[Block; 1]>,
}

struct Finder<'s> {
    shape: &'s Shape,
    preds: &'s Predecessors,
    forest: LoopForest,
    /// The part that each block is in now.
    part_of: SecondaryMap<Block, u32>,
    /// The preorder number of each block in the search of its part.
    number: SecondaryMap<Block, u32>,
    /// Whether a block is a root of its part: arcs to it inside of the part are removed.
    root: SecondaryMap<Block, bool>,
    /// The number of parts made so far.
    parts: u32,
}

/// A depth-first search of one part. Vertices are preorder numbers; 0 is a virtual vertex before the roots.
struct Search {
    blocks: Vec<Block>,
    parent: Vec<u32>,
    /// The greatest number in each vertex's subtree.
    last: Vec<u32>,
}

/// Singly linked lists of numbers, one for each vertex.
#[derive(Default)]
struct Lists {
    heads: Vec<u32>,
    cells: Vec<(u32, u32)>,
}

impl Lists {
    /// Prepends `value` to list number `list` of `len` lists.
    fn push(&mut self, len: usize, list: u32, value: u32) {
        if self.heads.is_empty() {
            self.heads = vec![NONE; len];
        }
        let head = std::mem::replace(&mut self.heads[list as usize], self.cells.len() as u32);
        self.cells.push((value, head));
    }

    fn iter(&self, list: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.heads.get(list as usize).copied().unwrap_or(NONE);
        std::iter::from_fn(move || {
            let &(value, next) = self.cells.get(at as usize)?;
            at = next;
            Some(value)
        })
    }
}

/// Union-find by path halving.
fn find(sets: &mut [u32], mut v: u32) -> u32 {
    while sets[v as usize] != v {
        sets[v as usize] = sets[sets[v as usize] as usize];
        v = sets[v as usize];
    }
    v
}

/// The loops of one part as Tarjan's algorithm collapses them.
struct Collapsed {
    /// The header of the innermost loop around each vertex, not counting the loop that the vertex is the header of.
    header: Vec<u32>,
    is_header: Vec<bool>,
    /// Whether the loop with this header is entered elsewhere too.
    irreducible: Vec<bool>,
}

impl<'s> Finder<'s> {
    fn new(shape: &'s Shape, preds: &'s Predecessors) -> Self {
        let mut forest = LoopForest {
            loops: PrimaryMap::new(),
            innermost: SecondaryMap::with_capacity(shape.len()),
            entry_of: SecondaryMap::with_capacity(shape.len()),
            ancestors: Ancestors::default(),
        };
        forest.loops.push(LoopInfo { parent: LoopId::ROOT, entries: smallvec![shape.entry] });
        forest.ancestors.add_root();
        let mut root = SecondaryMap::with_capacity(shape.len());
        root[shape.entry] = true;
        let part_of = SecondaryMap::with_capacity(shape.len());
        Self { shape, preds, forest, part_of, number: SecondaryMap::with_default(NONE), root, parts: 1 }
    }

    fn solve(&mut self, part: &Part, work: &mut Vec<Part>) {
        let search = self.search(part);
        let loops = self.collapse(&search, part.id);
        self.accept(part, &search, &loops, work);
    }

    /// The successors of `block` over arcs that `part` has.
    fn succs(&self, block: Block, part: u32) -> impl Iterator<Item = Block> + '_ {
        let inside = move |to: &Block| self.part_of[*to] == part && !self.root[*to];
        self.shape.succs(block).iter().copied().filter(inside)
    }

    fn search(&mut self, part: &Part) -> Search {
        let mut search = Search { blocks: vec![self.shape.entry], parent: vec![0], last: vec![0] };
        let mut stack: Vec<(u32, u32)> = Vec::new();
        for &root in &part.roots {
            stack.push((self.visit(&mut search, root, 0), 0));
            while let Some((vertex, next)) = stack.last_mut() {
                let (vertex, index) = (*vertex, *next as usize);
                *next += 1;
                let block = search.blocks[vertex as usize];
                let Some(&to) = self.shape.succs(block).get(index) else {
                    search.last[vertex as usize] = search.blocks.len() as u32 - 1;
                    stack.pop();
                    continue;
                };
                if self.part_of[to] == part.id && !self.root[to] && self.number[to] == NONE {
                    stack.push((self.visit(&mut search, to, vertex), 0));
                }
            }
        }
        search
    }

    fn visit(&mut self, search: &mut Search, block: Block, parent: u32) -> u32 {
        let vertex = search.blocks.len() as u32;
        search.blocks.push(block);
        search.parent.push(parent);
        search.last.push(vertex);
        self.number[block] = vertex;
        vertex
    }

    fn collapse(&self, search: &Search, part: u32) -> Collapsed {
        let len = search.blocks.len();
        let mut loops =
            Collapsed { header: vec![NONE; len], is_header: vec![false; len], irreducible: vec![false; len] };
        let mut back = Lists::default();
        let mut others = Vec::new();
        for from in 1..len as u32 {
            for block in self.succs(search.blocks[from as usize], part) {
                let to = self.number[block];
                if to <= from && from <= search.last[to as usize] {
                    back.push(len, to, from);
                } else if search.parent[to as usize] != from {
                    others.push((from, to));
                }
            }
        }
        if back.cells.is_empty() {
            return loops;
        }
        // Arcs that are neither in the tree nor back arcs, as pairs of numbers, at the nearest common ancestor of both
        // ends: only a loop with a header above it can contain both.
        let mut tree = Ancestors::default();
        tree.add_root();
        for &parent in &search.parent[1..] {
            tree.add(parent);
        }
        let mut across = Lists::default();
        for (from, to) in others {
            let meet = tree.common(from, to);
            across.push(len, meet, from);
            across.push(len, meet, to);
        }
        let mut sets: Vec<u32> = (0..len as u32).collect();
        // Joins a loop known to be irreducible with the loop around it, so that marking skips it.
        let mut marked: Vec<u32> = sets.clone();
        let mut preds = Lists::default();
        let mut in_body = vec![NONE; len];
        let mut body = Vec::new();
        for head in (0..len as u32).rev() {
            let mut arcs = across.iter(head);
            while let (Some(to), Some(from)) = (arcs.next(), arcs.next()) {
                preds.push(len, find(&mut sets, to), find(&mut sets, from));
                let mut entered = loops.header[to as usize];
                while entered != NONE {
                    entered = find(&mut marked, entered);
                    loops.irreducible[entered as usize] = true;
                    let around = loops.header[entered as usize];
                    if around != NONE {
                        marked[entered as usize] = around;
                    }
                    entered = around;
                }
            }
            let mut add = |vertex: u32, sets: &mut [u32], body: &mut Vec<u32>| {
                let vertex = find(sets, vertex);
                if vertex != head && in_body[vertex as usize] != head {
                    in_body[vertex as usize] = head;
                    body.push(vertex);
                }
            };
            for from in back.iter(head) {
                loops.is_header[head as usize] = true;
                add(from, &mut sets, &mut body);
            }
            let mut done = 0;
            while let Some(&vertex) = body.get(done) {
                done += 1;
                add(search.parent[vertex as usize], &mut sets, &mut body);
                for from in preds.iter(vertex) {
                    add(from, &mut sets, &mut body);
                }
            }
            for vertex in body.drain(..) {
                loops.header[vertex as usize] = head;
                sets[vertex as usize] = head;
            }
        }
        loops
    }

    /// Takes over the loops that are the paper's, and makes a part of each irreducible loop.
    fn accept(&mut self, part: &Part, search: &Search, loops: &Collapsed, work: &mut Vec<Part>) {
        #[derive(Clone, Copy)]
        enum Body {
            Loop(LoopId),
            Part(usize),
        }
        let first_part = work.len();
        let mut inner: Vec<Vec<Block>> = Vec::new();
        let mut bodies = vec![Body::Loop(part.within); search.blocks.len()];
        for vertex in 1..search.blocks.len() {
            let block = search.blocks[vertex];
            let mut body = match loops.header[vertex] {
                NONE => Body::Loop(part.within),
                header => bodies[header as usize],
            };
            if let (true, Body::Loop(parent)) = (loops.is_header[vertex], body) {
                if loops.irreducible[vertex] {
                    let within = self.forest.add(parent, SmallVec::new());
                    body = Body::Part(inner.len());
                    inner.push(Vec::new());
                    work.push(Part { id: self.parts, within, roots: SmallVec::new() });
                    self.parts += 1;
                } else {
                    body = Body::Loop(self.forest.add(parent, smallvec![block]));
                }
            }
            bodies[vertex] = body;
            match body {
                Body::Loop(id) => self.forest.innermost[block] = id.into(),
                Body::Part(index) => {
                    inner[index].push(block);
                    self.part_of[block] = work[first_part + index].id;
                    self.number[block] = NONE;
                }
            }
        }
        for (part, blocks) in work[first_part..].iter_mut().zip(inner) {
            let outside = |block: &Block| self.preds.arcs(*block).iter().any(|arc| self.part_of[arc.from] != part.id);
            part.roots = blocks.into_iter().filter(outside).collect();
            part.roots.sort();
            for &root in &part.roots {
                self.root[root] = true;
            }
            self.forest.loops[part.within].entries = part.roots.clone();
        }
    }
}
