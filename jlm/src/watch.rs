//! What is printed to standard error while passes run.

use rvsdg_core::Module;
use rvsdg_passes::{Execution, Observer};

use crate::remarks::Remarks;
use crate::view::View;

/// Prints what the user asked to see, and keeps remarks.
pub struct Watch<'a> {
    /// `-print-after-all`
    pub print_after_all: bool,
    /// `-debug-pass-manager`
    pub debug_pass_manager: bool,
    /// `-opt-bisect-limit` was given.
    pub bisect: bool,
    /// `-pass-remarks…`
    pub remarks: &'a mut Remarks,
    /// `--emit=html` or `json`
    pub view: Option<&'a mut View>,
}

impl Observer for Watch<'_> {
    fn wants_remarks(&self, pass: &'static str) -> bool {
        self.remarks.wants(pass) || self.view.is_some()
    }

    fn wants_every_stage(&self) -> bool {
        self.print_after_all || self.view.is_some()
    }

    fn executed(&mut self, module: &Module, execution: &Execution<'_>) {
        self.remarks.add(module, execution);
        if let Some(view) = &mut self.view {
            view.executed(module, execution);
        }
        if !self.bisect && !self.debug_pass_manager {
            return;
        }
        let Execution { number, pass, .. } = execution;
        let place = match execution.function {
            Some(symbol) => &module.symbols[symbol].name,
            None => "[module]",
        };
        if self.bisect {
            let not = if execution.change.is_none() { "NOT " } else { "" };
            let rewrites = match (execution.rewrites, execution.last_rewrite) {
                (0, _) | (_, Some(_)) => String::new(),
                (1, None) => ", 1 rewrite".to_owned(),
                (rewrites, None) => format!(", {rewrites} rewrites"),
            };
            eprintln!("BISECT: {not}running pass ({number}) {pass} on {place}{rewrites}");
            if let Some(rewrite) = execution.last_rewrite {
                eprintln!("BISECT: the last rewrite is {rewrite}");
            }
        }
        if self.debug_pass_manager && execution.change.is_some() {
            eprintln!("Running pass: {pass} on {place}");
        }
    }

    fn bodies_done(&mut self) {
        rvsdg_llvm::module_io::release_memory();
    }

    fn stage_done(&mut self, module: &Module, pass: &'static str) {
        if let Some(view) = &mut self.view {
            view.observe(module, pass);
        }
        if self.print_after_all {
            eprintln!("; *** RVSDG after {pass} ***\n{}", rvsdg_core::text::print_module(module));
        }
    }
}
