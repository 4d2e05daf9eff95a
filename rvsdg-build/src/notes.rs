//! Numbers of instructions, and their annotations.

use rustc_hash::FxHashMap;
use rvsdg_core::SourceId;
use rvsdg_core::annotations::{Annotation, Annotations, Binding, Bound, Metadata, MetadataNode, Operand};

use crate::function::{Block, BlockData, Def, End, FunctionBuilder, SourcePlace};
use crate::ssa::Read;

/// The annotations of a function's instructions, which have consecutive numbers.
pub(crate) struct Notes<'a> {
    annotations: &'a mut Annotations,
    first: u32,
    next: u32,
    insts: FxHashMap<u32, SourceId>,
    phis: FxHashMap<u32, SourceId>,
    ends: FxHashMap<Block, SourceId>,
    /// By block: variables that are phis when it begins.
    bound: Vec<(Block, u32, Metadata, Metadata)>,
    locations: FxHashMap<SourcePlace, Metadata>,
    /// The number of arcs to each block.
    ways: Vec<usize>,
}

impl<'a> Notes<'a> {
    pub(crate) fn new(first: u32, annotations: &'a mut Annotations, ways: Vec<usize>) -> Notes<'a> {
        Notes {
            annotations,
            first,
            next: first,
            insts: FxHashMap::default(),
            phis: FxHashMap::default(),
            ends: FxHashMap::default(),
            bound: Vec::new(),
            locations: FxHashMap::default(),
            ways,
        }
    }

    fn number(&mut self) -> SourceId {
        self.next += 1;
        SourceId::from_u32(self.next - 1)
    }

    /// The number of a phi.
    pub(crate) fn phi(&mut self, phi: u32) -> SourceId {
        let number = self.number();
        self.phis.insert(phi, number);
        number
    }

    /// Says that a variable of the source is a phi when a block begins.
    pub(crate) fn bind_phi(&mut self, block: Block, phi: u32, variable: Metadata, scope: Option<Metadata>) {
        self.bound.extend(scope.map(|scope| (block, phi, variable, scope)));
    }

    /// Whether variables of the source are phis.
    pub(crate) fn binds(&self) -> bool {
        !self.bound.is_empty()
    }

    /// The number of an instruction.
    pub(crate) fn inst(&mut self, inst: u32, function: &FunctionBuilder) -> SourceId {
        let number = self.number();
        self.insts.insert(inst, number);
        let data = &function.insts[inst as usize];
        let attached = function.attached.get(&inst).cloned().unwrap_or_default();
        let annotation = Annotation { op: Some(data.op), location: data.place, attached, before: Vec::new() };
        self.annotations.instructions.insert(number, annotation);
        number
    }

    /// The number of the end of a block.
    pub(crate) fn end(&mut self, block: Block, data: &BlockData) -> SourceId {
        let number = self.number();
        self.ends.insert(block, number);
        let attached = data.attached.clone();
        let annotation = Annotation { op: None, location: data.place, attached, before: Vec::new() };
        self.annotations.instructions.insert(number, annotation);
        number
    }

    /// Says what variables of the source have, when all instructions have numbers. Gives how many numbers there are.
    pub(crate) fn finish(mut self, function: &FunctionBuilder, mut resolve: impl FnMut(u32) -> Read) -> u32 {
        for (block, phi, variable, scope) in std::mem::take(&mut self.bound) {
            let value = self.phis.get(&phi).map_or(Bound::Unknown, |&source| Bound::Source(source));
            self.bind(function, block, 0, variable, value, (0, 0, scope));
        }
        let mut of_result: FxHashMap<u32, SourceId> = FxHashMap::default();
        for (&inst, &source) in &self.insts {
            if let (result, 1) = function.insts[inst as usize].results {
                of_result.insert(result, source);
            }
        }
        for binding in &function.bindings {
            let value = match resolve(binding.value) {
                Read::Undefined => Bound::Unknown,
                Read::Phi(phi) => self.phis.get(&phi).map_or(Bound::Unknown, |&source| Bound::Source(source)),
                Read::Value(value) => match (function.values[value as usize].def, of_result.get(&value)) {
                    (Def::Param, _) => Bound::Param(value),
                    (Def::Const(constant), _) => Bound::Const(constant),
                    (Def::Result, Some(&source)) if binding.is_memory => Bound::Memory(source),
                    (Def::Result, Some(&source)) => Bound::Source(source),
                    (Def::Context | Def::Entry(..) | Def::Result, _) => Bound::Unknown,
                },
            };
            self.bind(function, binding.block, binding.position, binding.variable, value, binding.place);
        }
        self.next - self.first
    }

    fn bind(
        &mut self,
        function: &FunctionBuilder,
        block: Block,
        position: usize,
        variable: Metadata,
        value: Bound,
        place: SourcePlace,
    ) {
        if !self.ends.contains_key(&block) {
            // Control does not get there.
            return;
        }
        let (mut block, mut position) = (block, position);
        // A jump to a block without other predecessors disappears when the two blocks are merged.
        while let End::Jump(next) = function.blocks[block as usize].end
            && position >= function.blocks[block as usize].insts.len()
            && self.ways[next as usize] == 1
        {
            (block, position) = (next, 0);
        }
        let next = function.blocks[block as usize].insts.get(position).and_then(|inst| self.insts.get(inst));
        let Some(&before) = next.or(self.ends.get(&block)) else { return };
        let annotations = &mut *self.annotations;
        let location = *self.locations.entry(place).or_insert_with(|| {
            let (line, column, scope) = place;
            let operands = vec![
                ("line", Operand::Int(line.into())),
                ("column", Operand::Int(column.into())),
                ("scope", Operand::Node(scope)),
            ];
            annotations.add(MetadataNode::record("DILocation", operands))
        });
        if let Some(annotation) = annotations.instructions.get_mut(&before) {
            annotation.before.push(Binding { variable, value, location });
        }
    }
}
