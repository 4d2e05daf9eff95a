//! What tests of export share: modules through graphs and back.

#![allow(dead_code, reason = "each test uses a part")]

use std::collections::BTreeMap;

use rvsdg_cfg::cfg::Cfg;
use rvsdg_cfg::construct;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::restructure::Options;
use rvsdg_core::graph::Graph;
use rvsdg_core::module::Body;
use rvsdg_llvm::{ExportError, Format, LlvmModule, import};

/// The module after its bodies became graphs, `edit` changed them, and they became bodies again.
pub fn through_graphs(source: &[u8], recovery: Recovery, edit: impl FnMut(&mut Graph)) -> String {
    let mut llvm = exported(source, recovery, true, edit).unwrap_or_else(|error| panic!("{error}"));
    llvm.verify().unwrap_or_else(|error| panic!("{error}"));
    String::from_utf8(llvm.write(Format::Text)).unwrap()
}

/// The module after its bodies became graphs, `edit` changed them, and they became bodies again, of their original
/// instructions or of new ones.
pub fn exported(
    source: &[u8],
    recovery: Recovery,
    originals: bool,
    mut edit: impl FnMut(&mut Graph),
) -> Result<LlvmModule, ExportError> {
    let (module, _) = LlvmModule::parse(source, "module").unwrap_or_else(|error| panic!("{error}"));
    let mut import = import(module);
    let mut recovered: Vec<(Body, Cfg)> = Vec::new();
    for (body, cfg) in import.cfgs.drain(..) {
        let verified = cfg.verify().unwrap_or_else(|violations| panic!("{violations}"));
        let mut graph = construct::build(&verified, &Options::default());
        edit(&mut graph);
        recovered.push((body, destruct(&graph, cfg.contexts().len(), recovery)));
    }
    if !originals {
        import.host.forget_originals();
    }
    let verified = import.module.verify().unwrap_or_else(|violations| panic!("{violations}"));
    import.host.export(verified, |body| {
        let at = recovered.iter().position(|(read, _)| *read == body)?;
        Some(recovered.swap_remove(at).1)
    })
}

/// How often each line occurs in a module's bodies, without the names of values and the numbers of metadata; labels and
/// plain jumps are left out.
pub fn lines(text: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with(' ')) {
        let (mut name, mut number) = (false, false);
        let keep = |c: &char| {
            name = *c == '%' || name && (c.is_alphanumeric() || matches!(c, '_' | '.'));
            let skip = name || number && c.is_ascii_digit();
            number = *c == '!' || number && c.is_ascii_digit();
            !skip
        };
        let line: String = line.trim().chars().filter(keep).collect();
        if !line.starts_with("br label") {
            *found.entry(line).or_default() += 1;
        }
    }
    found
}
