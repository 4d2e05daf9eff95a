//! Variables of the source, as debug records.
//!
//! The value of a variable from some position on is an annotation of the instruction after it. A variable is described only if all those
//! instructions still exist, once each and in their places; otherwise it might be shown with a value that it no longer has, and no value
//! is better than a wrong one. A removed value is shown as unknown.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_cfg::cfg::{Cfg, Inst, Value};
use rvsdg_cfg::shape::Block;
use rvsdg_core::SourceId;
use rvsdg_core::annotations::{Binding, Bound, Metadata};
use rvsdg_core::module::Body;

use crate::body::Writing;
use crate::constants::Holes;
use crate::emitter::Emitter;
use crate::error::Result;

/// What can be said of a body's variables.
#[derive(Default)]
pub(crate) struct Variables {
    /// Those that are described.
    shown: FxHashSet<Metadata>,
    /// What has the value of each instruction.
    values: FxHashMap<SourceId, Value>,
}

impl<'a> Emitter<'a> {
    /// Finds which variables of a body can be described, given the number of instructions of these blocks that are written.
    pub(crate) fn variables(&self, cfg: &Cfg, body: Body, blocks: &[(Block, usize)]) -> Variables {
        let mut found = Variables::default();
        let said = &self.module.annotations.instructions;
        let Some(own) = self.module.sources.extents(body).first().filter(|_| !said.is_empty()) else { return found };
        let numbers = || (own.first..own.first + own.count).map(SourceId::from_u32);
        if numbers().all(|number| said.get(&number).is_none_or(|it| it.before.is_empty())) {
            return found;
        }
        // What is no longer one thing at its place is `None`.
        let mut places: FxHashMap<SourceId, Option<Inst>> = FxHashMap::default();
        let mut ends: FxHashMap<SourceId, u32> = FxHashMap::default();
        for &(block, count) in blocks {
            for &inst in &cfg.insts(block)[..count] {
                if let Some(source) = cfg.source(inst) {
                    let same = said.get(&source).is_none_or(|it| it.op.is_none_or(|op| op == cfg.op(inst)));
                    let place = Some(inst).filter(|&inst| cfg.motion(inst).is_none() && same);
                    places.entry(source).and_modify(|known| *known = None).or_insert(place);
                }
            }
            for &param in cfg.block_params(block) {
                if let Some(source) = cfg.value_source(param) {
                    found.values.insert(source, param);
                }
            }
            let terminator = cfg.terminator(block);
            let predicate = terminator.predicate.expand().and_then(|inst| cfg.source(inst));
            if let Some(source) = terminator.source.expand().or(predicate) {
                *ends.entry(source).or_default() += 1;
            }
        }
        for (&source, place) in &places {
            if let Some(inst) = *place
                && let [result] = *cfg.results(inst)
            {
                found.values.insert(source, result);
            }
        }
        let mut lost = FxHashSet::default();
        for number in numbers() {
            let is_there = places.get(&number).is_some_and(Option::is_some) || ends.get(&number) == Some(&1);
            for binding in said.get(&number).iter().flat_map(|it| &it.before) {
                found.shown.insert(binding.variable);
                if !is_there || !cfg.flattened.is_empty() {
                    lost.insert(binding.variable);
                }
            }
        }
        found.shown.retain(|variable| !lost.contains(variable));
        found
    }

    /// Writes what variables have before an instruction.
    pub(crate) fn records(&mut self, body: &Writing<'a>, source: Option<SourceId>) -> Result {
        let Some(said) = source.filter(|_| !body.variables.shown.is_empty()).and_then(|source| self.said_of(source))
        else {
            return Ok(());
        };
        for &Binding { variable, value, location } in &said.before {
            if !body.variables.shown.contains(&variable) {
                continue;
            }
            let (kind, known) = match value {
                Bound::Source(source) => ("value", body.variables.values.get(&source).copied()),
                Bound::Memory(source) => ("declare", body.variables.values.get(&source).copied()),
                Bound::Param(position) => ("value", body.cfg.params().get(position as usize).copied()),
                Bound::Const(_) | Bound::Unknown => ("value", None),
            };
            self.out.push_str("    #dbg_");
            self.out.push_str(kind);
            self.out.push('(');
            match (known, value) {
                (Some(value), _) => self.typed(body, value)?,
                (None, Bound::Const(constant)) => self.typed_constant(constant, Holes::Symbols(&[]))?,
                (None, Bound::Memory(_)) => self.out.push_str("ptr poison"),
                (None, _) => self.out.push_str("i1 poison"),
            }
            let (variable, location) = (self.own_node(variable), self.own_node(location));
            self.out.push_str(&format!(", !{variable}, !DIExpression(), !{location})\n"));
        }
        Ok(())
    }
}
