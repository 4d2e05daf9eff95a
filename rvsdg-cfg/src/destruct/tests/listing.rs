//! Control flow graphs as text.

use std::fmt::Write;

use rvsdg_core::constant::Words;
use rvsdg_core::{Constant, Op, SourceId};

use crate::cfg::{Cfg, Inst, Value};
use crate::shape::ArcRef;

/// One line per block, instruction and arc; sources in parentheses.
pub(super) fn listing(cfg: &Cfg) -> String {
    let mut text = String::new();
    for block in cfg.blocks() {
        if block == cfg.exit() {
            continue;
        }
        let params = cfg.block_params(block).iter().map(|&param| format!("{param}{}", source(cfg.value_source(param))));
        writeln!(text, "{block}({}):", params.collect::<Vec<_>>().join(", ")).unwrap();
        for &inst in cfg.insts(block) {
            writeln!(text, "  {}", instruction(cfg, inst)).unwrap();
        }
        let terminator = cfg.terminator(block);
        match terminator.predicate.expand() {
            Some(predicate) => write!(text, "  {}", instruction(cfg, predicate)),
            None => write!(text, "  jump"),
        }
        .unwrap();
        writeln!(text, "{}", source(terminator.source.expand())).unwrap();
        for (index, arc) in terminator.arcs.iter().enumerate() {
            let to = if arc.target == cfg.exit() { "exit".into() } else { arc.target.to_string() };
            let args = cfg.arc_args(ArcRef { from: block, index: index as u32 });
            writeln!(text, "    {to}({})", names(cfg, args)).unwrap();
        }
    }
    text
}

fn instruction(cfg: &Cfg, inst: Inst) -> String {
    let operands = names(cfg, cfg.operands(inst));
    let name = match cfg.op(inst) {
        Op::Ext(ext) => cfg.pool().ext(ext).name.to_string(),
        Op::Match(table) => {
            let table = cfg.pool().table(table);
            let number = |case| match cfg.pool().constant(case) {
                Constant::Int { words: Words::Small(word), .. } => word.to_string(),
                _ => "?".into(),
            };
            let cases = table.cases.iter().map(|&(case, to)| format!("{} -> {to}", number(case)));
            let cases: Vec<String> = cases.chain([format!("else {}", table.default)]).collect();
            return format!("match {operands} [{}]", cases.join(", "));
        }
        op => op.code().info().mnemonic.into(),
    };
    let guarded = if cfg.op(inst).may_carry_io() && cfg.effects(inst).io { " guarded" } else { "" };
    let results = names(cfg, cfg.results(inst));
    let assign = if results.is_empty() { "" } else { " = " };
    format!("{results}{assign}{name}({operands}){guarded}{}", source(cfg.source(inst)))
}

fn names(cfg: &Cfg, values: &[Value]) -> String {
    let name = |&value: &Value| match cfg.as_const(value) {
        None => value.to_string(),
        Some((constant, holes)) => match cfg.pool().constant(constant) {
            Constant::Int { words: Words::Small(word), .. } => format!("{word}"),
            Constant::Poison(_) => "poison".into(),
            _ => format!("constant({})", names(cfg, holes)),
        },
    };
    values.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn source(source: Option<SourceId>) -> String {
    source.map_or(String::new(), |source| format!(" ({source})"))
}
