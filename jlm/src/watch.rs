//! What is printed to standard error while passes run.

use rustc_hash::FxHashMap;
use rvsdg_core::{Module, text};
use rvsdg_passes::{Execution, Observer, Registry};

use crate::arguments::{Arguments, PrintChanged};
use crate::remarks::Remarks;
use crate::trace::Trace;
use crate::view::View;

/// Prints what the user requested, and keeps remarks.
pub struct Watch<'a> {
    arguments: &'a Arguments,
    registry: &'a Registry,
    /// How many executions there were before.
    before: u64,
    remarks: &'a mut Remarks,
    view: Option<&'a mut View>,
    trace: Option<&'a mut Trace>,
    /// For `-print-changed`, the functions as they were.
    known: FxHashMap<String, String>,
}

impl<'a> Watch<'a> {
    /// The output that the arguments request, after a number of executions.
    pub fn new(
        arguments: &'a Arguments,
        registry: &'a Registry,
        before: u64,
        remarks: &'a mut Remarks,
        view: Option<&'a mut View>,
        trace: Option<&'a mut Trace>,
    ) -> Watch<'a> {
        Watch { arguments, registry, before, remarks, view, trace, known: FxHashMap::default() }
    }

    /// How to print what changes. Pictures are a page of their own.
    fn prints_changed(&self) -> Option<PrintChanged> {
        self.arguments.print_changed.filter(|how| *how != PrintChanged::DotCfg)
    }

    /// Prints a module, or the functions that are wanted.
    fn print(&self, module: &Module, when: &str, pass: &str) {
        if self.arguments.print_module_scope || all_wanted(self.arguments) {
            eprintln!("; *** RVSDG {when} {pass} ***\n{}", text::print_module(module));
            return;
        }
        for (name, text) in functions(module, self.arguments) {
            eprintln!("; *** RVSDG {when} {pass} on {name} ***\n{text}");
        }
    }

    /// Prints what a pass changed.
    fn changed(&mut self, module: &Module, pass: &str, how: PrintChanged) {
        for (name, text) in functions(module, self.arguments) {
            let old = self.known.insert(name.clone(), text.clone());
            match old {
                Some(old) if old == text => {
                    if !how.is_quiet() {
                        eprintln!("; *** RVSDG after {pass} on {name} omitted because no change ***");
                    }
                }
                Some(old) if how.is_diff() => {
                    eprint!("; *** RVSDG after {pass} on {name} ***\n{}", lines_changed(&old, &text));
                }
                _ if self.arguments.print_module_scope => {
                    eprintln!("; *** RVSDG after {pass} on {name} ***\n{}", text::print_module(module));
                }
                _ => eprintln!("; *** RVSDG after {pass} on {name} ***\n{text}"),
            }
        }
    }
}

/// Whether a pass is among those that were named, by name or short name.
fn names(list: &[String], pass: &str, registry: &Registry) -> bool {
    let entry = registry.find(pass);
    list.iter().any(|name| name == pass || entry.is_some_and(|entry| entry.is_called(name)))
}

fn all_wanted(arguments: &Arguments) -> bool {
    arguments.filter_print_funcs.is_empty() || arguments.filter_print_funcs.iter().any(|name| name == "*")
}

/// The wanted functions that have a graph, in the order of the module.
fn functions<'m>(module: &'m Module, arguments: &'m Arguments) -> impl Iterator<Item = (String, String)> + 'm {
    module.lambdas().into_iter().filter_map(move |lambda| {
        let data = &module.bodies[lambda.body()];
        let name = module.symbols[data.symbol].name.to_string();
        let graph = data.graph().filter(|_| all_wanted(arguments) || arguments.filter_print_funcs.contains(&name))?;
        Some((name, text::print_graph(graph)))
    })
}

/// The lines that differ, as `diff` marks them.
fn lines_changed(old: &str, new: &str) -> String {
    similar::TextDiff::from_lines(old, new).unified_diff().context_radius(3).to_string()
}

impl Observer for Watch<'_> {
    fn wants_remarks(&self, pass: &'static str) -> bool {
        self.remarks.wants(pass) || self.view.is_some()
    }

    fn wants_every_stage(&self) -> bool {
        let Arguments { print_after_all, print_before_all, print_after, print_before, .. } = self.arguments;
        let prints = *print_after_all || *print_before_all || !print_after.is_empty() || !print_before.is_empty();
        prints || self.prints_changed().is_some() || self.view.is_some()
    }

    fn executed(&mut self, module: &Module, execution: &Execution<'_>) {
        self.remarks.add(module, execution);
        if let Some(view) = &mut self.view {
            view.executed(module, execution);
        }
        if let Some(trace) = &mut self.trace {
            let place = execution.function.map_or("[module]", |symbol| &*module.symbols[symbol].name);
            trace.executed(execution.pass, place, execution.cost);
        }
        let is_bisected = self.arguments.opt_bisect_limit.is_some();
        if !is_bisected && !self.arguments.debug_pass_manager {
            return;
        }
        let Execution { pass, .. } = execution;
        let number = self.before + execution.number;
        let place = match execution.function {
            Some(symbol) => &module.symbols[symbol].name,
            None => "[module]",
        };
        if is_bisected {
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
        if self.arguments.debug_pass_manager && execution.change.is_some() {
            eprintln!("Running pass: {pass} on {place}");
        }
    }

    fn bodies_done(&mut self) {
        rvsdg_llvm::module_io::release_memory();
    }

    fn stage_begins(&mut self, module: &Module, pass: &'static str) {
        if self.prints_changed().is_some() && self.known.is_empty() {
            self.known = functions(module, self.arguments).collect();
        }
        if self.arguments.print_before_all || names(&self.arguments.print_before, pass, self.registry) {
            self.print(module, "before", pass);
        }
    }

    fn stage_done(&mut self, module: &Module, pass: &'static str) {
        if let Some(view) = &mut self.view {
            view.observe(module, pass);
        }
        if self.arguments.print_after_all || names(&self.arguments.print_after, pass, self.registry) {
            self.print(module, "after", pass);
        }
        if let Some(how) = self.prints_changed() {
            self.changed(module, pass, how);
        }
    }
}
