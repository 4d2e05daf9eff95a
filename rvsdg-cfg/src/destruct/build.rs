//! Building the skeleton: structured control flow recovery (thesis B2.3.2) with predicates still symbolic.
//!
//! Each region becomes a chain of blocks. A γ ends a block with a branch and begins a block where its regions join; a θ begins a block to
//! which its end jumps back, and one after the loop. Values that γ and θ route are assignments on arcs, parallel on each arc. A `match`
//! becomes a branch at the end of the block before its user; if it is the result of a region, each of its alternatives jumps on with a
//! constant. Predicates that are joined are variables: structured recovery keeps them, predicative recovery follows the arcs that assign
//! them constants.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, OriginDef, Region, SourceId, Type};

use super::Recovery;
use super::names::{Name, Names};
use super::schedule::Schedule;
use super::skeleton::{Arc, Block, ENTRY, EXIT, NEVER, Skeleton, Span, Term, materialized};

/// Builds the skeleton of a graph.
pub(super) fn build(graph: &Graph, schedule: &Schedule, names: &Names, recovery: Recovery) -> Skeleton {
    let root = graph.root();
    let results: Vec<(Origin, Type)> =
        graph.result_origins(root).map(|origin| (origin, graph.ty(origin))).filter(|(_, ty)| !ty.is_state()).collect();
    let origins = graph.origin_bound();
    let mut spans = vec![Span { def: NEVER, last: 0 }; origins];
    spans.extend(results.iter().map(|_| Span { def: 0, last: NEVER }));
    let mut builder = Builder {
        graph,
        schedule,
        names,
        recovery,
        out: Skeleton {
            blocks: vec![],
            arcs: vec![],
            insts: Vec::with_capacity(graph.node_count()),
            assigns: vec![],
            spans,
            extra: results.iter().map(|&(_, ty)| ty).collect(),
            results: results.len(),
            origins,
            node_times: vec![NEVER; graph.node_bound()],
            region_ends: SecondaryMap::new(),
        },
        time: 0,
        current: ENTRY,
        stack: vec![],
        unnamed: vec![],
    };
    builder.new_block(root);
    builder.new_block(root);
    builder.out.blocks[EXIT as usize].start = NEVER;
    builder.run();
    let list = results
        .iter()
        .enumerate()
        .map(|(index, &(origin, _))| (builder.out.result(index), builder.names.get(origin)))
        .collect();
    builder.jump(EXIT, list, graph.end_source(root).into(), false);
    for (unnamed, like) in std::mem::take(&mut builder.unnamed) {
        builder.out.arcs[unnamed as usize] = builder.out.arcs[like as usize];
    }
    for &region in schedule.regions() {
        // The body of a θ is executed at least once.
        if let Some(parent) = graph.parent(region)
            && graph.kind(parent) == NodeKind::Theta
        {
            builder.out.region_ends[region] = builder.out.region_ends[graph.region_of(parent)];
        }
    }
    builder.out
}

type Assigns = Vec<(Name, Name)>;

/// A region that is being walked.
struct Frame {
    region: Region,
    /// The next place in the schedule, and the end of the region.
    next: u32,
    end: u32,
    /// The node it belongs to.
    owner: Option<Node>,
    /// The next block: after a γ, or the start of a θ.
    join: u32,
    /// The arc to the next γ-region to be walked, and how many there still are.
    arc: u32,
    arms: u32,
}

/// What a predicate is known to be.
enum Predicate {
    Constant(u32),
    Match(Node),
    Variable(Name),
}

struct Builder<'g> {
    graph: &'g Graph,
    schedule: &'g Schedule,
    names: &'g Names,
    recovery: Recovery,
    out: Skeleton,
    time: u32,
    current: u32,
    stack: Vec<Frame>,
    /// Arcs that are never taken, with one that they are to be like.
    unnamed: Vec<(u32, u32)>,
}

impl Builder<'_> {
    /// Walks all regions; leaves the block current that ends the root.
    fn run(&mut self) {
        self.push(self.graph.root(), None, EXIT, 0, 0);
        while let Some(frame) = self.stack.last_mut() {
            if frame.next == frame.end {
                self.end_region();
                continue;
            }
            let node = self.schedule.node(frame.next);
            frame.next += 1;
            match self.graph.kind(node) {
                NodeKind::Simple(op) => self.simple(node, op),
                NodeKind::Gamma => self.begin_gamma(node),
                NodeKind::Theta => self.begin_theta(node),
                NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => {
                    unreachable!("λ, φ and δ nodes are on the ω level only")
                }
            }
        }
    }

    fn push(&mut self, region: Region, owner: Option<Node>, join: u32, arc: u32, arms: u32) {
        let (next, end) = self.schedule.range(region);
        self.stack.push(Frame { region, next, end, owner, join, arc, arms });
    }

    fn new_block(&mut self, region: Region) -> u32 {
        let at = self.out.insts.len() as u32;
        self.out.blocks.push(Block {
            start: self.time,
            region,
            insts: (at, at),
            term: Term::Jump,
            arcs: (0, 0),
            source: None.into(),
            header: false,
            arm: false,
            decided: false,
        });
        self.out.blocks.len() as u32 - 1
    }

    /// Begins a block; the one before has ended.
    fn enter(&mut self, block: u32) {
        self.time += 1;
        let at = self.out.insts.len() as u32;
        let data = &mut self.out.blocks[block as usize];
        data.start = self.time;
        data.insts = (at, at);
        self.current = block;
    }

    fn simple(&mut self, node: Node, op: Op) {
        self.time += 1;
        self.out.node_times[node.index()] = self.time;
        for origin in self.graph.input_origins(node) {
            self.touch_value(self.names.get(origin));
        }
        if op.is_branch() {
            return self.branch(node);
        }
        self.out.insts.push(node);
        if op.is_end() {
            self.leave(node, |_| None, None);
        } else if let Op::Call(call) = op
            && self.graph.pool().call(call).tail.ends_function()
        {
            let graph = self.graph;
            let value = |index| graph.outputs(node).get(index).copied().filter(|&output| !graph.ty(output).is_state());
            self.leave(node, value, graph.end_source(graph.region_of(node)));
        }
    }

    /// Ends the current block with a branch that has effects. Its alternatives join at once, with the predicate in a
    /// variable, and a block that only branches on it is passed.
    fn branch(&mut self, node: Node) {
        let predicate = self.graph.branch_predicate(node).expect("a branch has a predicate");
        let alternatives = self.graph.pool().ctl_alternatives(self.graph.ty(predicate)).expect("it is one");
        let join = self.new_block(self.graph.region_of(node));
        self.out.blocks[join as usize].decided = true;
        let first = self.out.arcs.len() as u32;
        let is_assigned = self.is_assigned(predicate);
        for alternative in 0..alternatives {
            let assign = (Name::number(predicate.index()), Name::ctl(alternative));
            self.add_arc(join, if is_assigned { std::slice::from_ref(&assign) } else { &[] }, false);
        }
        self.terminate(Term::Match(node), (first, first + alternatives));
        self.enter(join);
        self.define(predicate);
    }

    /// Ends the function after `node`, whatever the graph has after it; `value` maps results to returned values.
    fn leave(&mut self, node: Node, value: impl Fn(usize) -> Option<Origin>, source: Option<SourceId>) {
        let name = |index| value(index).map_or(Name::POISON, |origin| self.names.get(origin));
        let list: Assigns = (0..self.out.results).map(|index| (self.out.result(index), name(index))).collect();
        list.iter().for_each(|&(_, name)| self.touch_value(name));
        self.jump(EXIT, list, source.into(), false);
        // The code after it has no predecessor.
        let dead = self.new_block(self.graph.region_of(node));
        self.enter(dead);
    }

    /// Notes that a name that is not the output of a `match` is used now.
    #[inline]
    fn touch_value(&mut self, name: Name) {
        let Some(index) = name.as_number() else { return };
        if self.out.spans[index].def != NEVER {
            self.out.spans[index].last = self.out.spans[index].last.max(self.time);
        }
    }

    /// Notes that a name is used now; a `match` needs its operand wherever it is used.
    fn touch(&mut self, name: Name) {
        match self.as_match(name) {
            Some(node) => self.touch_value(self.names.get(self.graph.input(node, 0))),
            None => self.touch_value(name),
        }
    }

    /// The `match` node whose output a name is.
    #[inline]
    fn as_match(&self, name: Name) -> Option<Node> {
        let index = name.as_number().filter(|&index| index < self.out.origins)?;
        let OriginDef::Output(node, _) = self.graph.def(Origin::new(index)) else { return None };
        matches!(self.graph.kind(node), NodeKind::Simple(Op::Match(_))).then_some(node)
    }

    fn predicate(&mut self, origin: Origin) -> Predicate {
        let name = self.names.get(origin);
        self.touch(name);
        match (name.as_ctl(), self.as_match(name)) {
            (Some(value), _) => Predicate::Constant(value),
            (_, Some(node)) => Predicate::Match(node),
            _ if name == Name::POISON => Predicate::Constant(0),
            _ => Predicate::Variable(name),
        }
    }

    /// Whether an origin is a variable that is used at all: it has no other name, and is not a state.
    fn is_assigned(&self, origin: Origin) -> bool {
        self.names.get(origin) == Name::number(origin.index())
            && !self.graph.ty(origin).is_state()
            && self.graph.has_users(origin)
    }

    /// Makes an origin a variable from now on.
    fn define(&mut self, origin: Origin) {
        if self.is_assigned(origin) {
            self.out.spans[origin.index()] = Span { def: self.time, last: 0 };
        }
    }

    fn begin_gamma(&mut self, node: Node) {
        self.time += 1;
        let regions = self.graph.subregions(node);
        let (term, first, arms) = match self.predicate(self.graph.input(node, 0)) {
            // Control never gets to the other regions.
            Predicate::Constant(value) => (Term::Jump, value, 1),
            Predicate::Match(node) => (Term::Match(node), 0, regions.len() as u32),
            Predicate::Variable(name) => (Term::Ctl(name), 0, regions.len() as u32),
        };
        let start = self.out.arcs.len() as u32;
        let arcs = (0..arms).map(|_| Arc { target: EXIT, assigns: (0, 0), repeat: false });
        self.out.arcs.extend(arcs);
        self.terminate(term, (start, start + arms));
        let join = self.new_block(self.graph.region_of(node));
        self.enter_arm(node, regions[first as usize], join, start, arms);
    }

    fn enter_arm(&mut self, gamma: Node, region: Region, join: u32, arc: u32, arms: u32) {
        let block = self.new_block(region);
        self.enter(block);
        self.out.blocks[block as usize].arm = true;
        self.out.arcs[arc as usize].target = block;
        self.push(region, Some(gamma), join, arc + 1, arms - 1);
    }

    fn begin_theta(&mut self, node: Node) {
        let body = self.graph.subregions(node)[0];
        let header = self.new_block(body);
        self.out.blocks[header as usize].header = true;
        let list = self.assigned(self.graph.arguments(body), self.graph.input_origins(node));
        self.jump(header, list, self.graph.source(node).into(), false);
        self.enter(header);
        for &argument in self.graph.arguments(body) {
            self.define(argument);
        }
        self.push(body, Some(node), header, 0, 0);
    }

    /// The assignments of values to those variables that need one.
    fn assigned(&self, variables: &[Origin], values: impl Iterator<Item = Origin>) -> Assigns {
        let pairs = variables.iter().zip(values).filter(|&(&variable, _)| self.is_assigned(variable));
        pairs.map(|(&variable, value)| (Name::number(variable.index()), self.names.get(value))).collect()
    }

    fn end_region(&mut self) {
        let frame = self.stack.pop().expect("a region is ended while it is walked");
        self.time += 1;
        self.out.region_ends[frame.region] = self.time;
        for origin in self.graph.result_origins(frame.region) {
            self.touch(self.names.get(origin));
        }
        let Some(node) = frame.owner else { return };
        if self.graph.kind(node) == NodeKind::Theta {
            self.end_theta(node, &frame);
            return;
        }
        let list = self.assigned(self.graph.outputs(node), self.graph.result_origins(frame.region));
        self.jump(frame.join, list, self.graph.end_source(frame.region).into(), false);
        if frame.arms > 0 {
            let next = self.graph.subregions(node)[self.graph.region_index(frame.region) as usize + 1];
            self.enter_arm(node, next, frame.join, frame.arc, frame.arms);
            return;
        }
        for origin in self.graph.input_origins(node).skip(1) {
            self.touch(self.names.get(origin));
        }
        self.enter(frame.join);
        for &output in self.graph.outputs(node) {
            self.define(output);
        }
    }

    fn end_theta(&mut self, node: Node, frame: &Frame) {
        let (graph, body) = (self.graph, frame.region);
        let source = graph.end_source(body).into();
        let repeat = self.assigned(graph.arguments(body), graph.result_origins(body).skip(1));
        let leave = self.assigned(graph.outputs(node), graph.result_origins(body).skip(1));
        let after = self.new_block(graph.region_of(node));
        match self.predicate(graph.result(body, 0)) {
            Predicate::Constant(0) => self.jump(after, leave, source, false),
            Predicate::Constant(_) => self.jump(frame.join, repeat, source, true),
            Predicate::Match(by) => self.decide(Term::Match(by), after, leave, frame.join, repeat),
            Predicate::Variable(name) => self.decide(Term::Ctl(name), after, leave, frame.join, repeat),
        }
        for origin in graph.input_origins(node) {
            self.touch(self.names.get(origin));
        }
        self.enter(after);
        for &output in graph.outputs(node) {
            self.define(output);
        }
    }

    /// Ends the current block with the choice between leaving and repeating a loop.
    fn decide(&mut self, term: Term, after: u32, leave: Assigns, header: u32, repeat: Assigns) {
        let mut lists = [leave, repeat];
        if let Term::Match(by) = term {
            let output = self.names.get(self.graph.output(by, 0));
            for (alternative, list) in lists.iter_mut().enumerate() {
                replace(list, output, Name::ctl(alternative as u32));
            }
        }
        if self.recovery == Recovery::Structured {
            // A loop is repeated from the block that decides about it.
            while let Some(node) = lists.iter().find_map(|list| self.first_match(list)) {
                self.keep(node, &mut lists);
            }
            match term {
                Term::Ctl(name) => self.touch(name),
                Term::Match(by) => self.touch(self.names.get(self.graph.output(by, 0))),
                Term::Jump => {}
            }
        }
        let mut split = vec![];
        let first = self.out.arcs.len() as u32;
        for ((target, repeats), list) in [(after, false), (header, true)].into_iter().zip(lists) {
            if self.first_match(&list).is_some() {
                let block = self.new_block(self.out.blocks[self.current as usize].region);
                split.push((block, target, list, repeats));
                self.add_arc(block, &[], false);
            } else {
                self.add_arc(target, &list, repeats);
            }
        }
        self.terminate(term, (first, first + 2));
        for (block, target, list, repeats) in split {
            self.enter(block);
            list.iter().for_each(|&(_, value)| self.touch(value));
            self.jump(target, list, None.into(), repeats);
        }
    }

    /// Ends the current block with an arc, after branches for those predicates among the values that are only decided here.
    fn jump(&mut self, target: u32, list: Assigns, source: PackedOption<SourceId>, repeat: bool) {
        let mut lists = [list];
        while let Some(node) = self.first_match(&lists[0]) {
            let output = Name::number(self.graph.output(node, 0).index());
            let is_only = lists[0].iter().all(|&(_, value)| value == output || self.as_match(value).is_none());
            if !is_only || self.recovery == Recovery::Structured {
                self.keep(node, &mut lists);
                continue;
            }
            let first = self.out.arcs.len() as u32;
            for alternative in 0..self.alternatives(node) {
                let mut list = lists[0].clone();
                replace(&mut list, output, Name::ctl(alternative));
                self.add_arc(target, &list, repeat);
            }
            return self.terminate(Term::Match(node), (first, self.out.arcs.len() as u32));
        }
        self.out.blocks[self.current as usize].source = source;
        let first = self.out.arcs.len() as u32;
        self.add_arc(target, &lists[0], repeat);
        self.terminate(Term::Jump, (first, first + 1));
    }

    fn first_match(&self, list: &[(Name, Name)]) -> Option<Node> {
        list.iter().find_map(|&(_, value)| self.as_match(value))
    }

    fn alternatives(&self, node: Node) -> u32 {
        let ty = self.graph.ty(self.graph.output(node, 0));
        self.graph.pool().ctl_alternatives(ty).expect("the output of a match is a predicate")
    }

    /// Puts the predicate that a `match` among the values defines into a variable: a branch, and a block where its
    /// alternatives join, which becomes the current block.
    fn keep(&mut self, node: Node, lists: &mut [Assigns]) {
        let (output, alternatives) = (Name::number(self.graph.output(node, 0).index()), self.alternatives(node));
        let block = self.new_block(self.out.blocks[self.current as usize].region);
        let kept = Name::number(self.out.spans.len());
        let first = self.out.arcs.len() as u32;
        for alternative in 0..alternatives {
            self.add_arc(block, &[(kept, Name::ctl(alternative))], false);
        }
        self.terminate(Term::Match(node), (first, first + alternatives));
        self.enter(block);
        self.out.extra.push(materialized(alternatives));
        self.out.spans.push(Span { def: self.time, last: NEVER - 1 });
        for list in lists {
            list.iter().for_each(|&(_, value)| self.touch(value));
            replace(list, output, kept);
        }
    }

    fn add_arc(&mut self, target: u32, list: &[(Name, Name)], repeat: bool) {
        let start = self.out.assigns.len() as u32;
        self.out.assigns.extend_from_slice(list);
        self.out.arcs.push(Arc { target, assigns: (start, self.out.assigns.len() as u32), repeat });
    }

    fn terminate(&mut self, term: Term, arcs: (u32, u32)) {
        if let Term::Match(node) = term {
            self.note_unnamed(node, arcs);
        }
        let data = &mut self.out.blocks[self.current as usize];
        data.insts.1 = self.out.insts.len() as u32;
        data.term = term;
        data.arcs = arcs;
    }

    /// Arcs of alternatives that a table does not name are never taken: they become equal to that of its default, which does not change.
    fn note_unnamed(&mut self, node: Node, (first, end): (u32, u32)) {
        let Some(Op::Match(table)) = self.graph.op(node) else { return };
        let table = self.graph.pool().table(table);
        let mut named = smallvec::SmallVec::<[bool; 8]>::from_elem(false, (end - first) as usize);
        table.cases.iter().for_each(|&(_, alternative)| named[alternative as usize] = true);
        let unnamed = (first..end).filter(|&arc| !named[(arc - first) as usize]);
        self.unnamed.extend(unnamed.map(|arc| (arc, first + table.default)));
    }
}

fn replace(list: &mut Assigns, old: Name, new: Name) {
    for (_, value) in list.iter_mut().filter(|(_, value)| *value == old) {
        *value = new;
    }
}
