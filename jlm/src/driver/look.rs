//! Pages that show the work of passes.

use anyhow::{Result, bail};
use rvsdg_core::Module;
use rvsdg_llvm::{Constructed, Format, Host, LlvmModule};

use super::{Run, State};
use crate::arguments::Emit;
use crate::view::{View, page};

/// How many nodes a page or its data may have, over all steps: some hundred bytes each.
const MAX_VIEWED: usize = 1 << 20;

impl Run<'_> {
    /// An empty view, if one is requested.
    pub(super) fn wanted_view(&self) -> Option<View> {
        let is_wanted = matches!(self.arguments.emit, Emit::Html | Emit::Json) || self.has_pictures;
        let functions = self.arguments.filter_print_funcs.iter().filter(|name| *name != "*");
        let functions = functions.chain(&self.arguments.function).cloned().collect();
        is_wanted.then(|| View::new(&self.statistics.input, functions))
    }

    /// Keeps the functions that passes of LLVM's changed.
    pub(super) fn observe(&self, llvm: &mut LlvmModule, passes: &str, view: &mut View) -> Result<()> {
        let (module, _host) = self.copied(llvm)?;
        view.observe(&module, passes);
        Ok(())
    }

    /// The page of pictures, of a run that ended in a state.
    pub(super) fn pictures(&mut self, state: &mut State, view: View) -> Result<Vec<u8>> {
        match state {
            State::Graph(graphs) => self.view(view, &graphs.module, graphs.host.as_mut()),
            State::Llvm(llvm) => {
                let (module, mut host) = self.copied(llvm)?;
                self.view(view, &module, Some(&mut host))
            }
        }
    }

    /// The graphs of a module, which stays what it is.
    fn copied(&self, llvm: &mut LlvmModule) -> Result<(Module, Host)> {
        let bytes = llvm.write(Format::Bitcode);
        let (copy, _) = LlvmModule::parse(&bytes, llvm.name())?;
        let Constructed { module, host, .. } = self.optimizer.construct(copy, || ());
        Ok((module, host))
    }

    /// Writes the view.
    pub(super) fn view(&mut self, mut view: View, module: &Module, host: Option<&mut Host>) -> Result<Vec<u8>> {
        let name = &self.statistics.input;
        if let Some(function) = &self.arguments.function
            && !view.found()
        {
            bail!("{name}: no function '{function}' that has a graph");
        }
        if view.nodes() > MAX_VIEWED {
            bail!(
                "{name}: {} nodes in all steps are too many to look at (at most {MAX_VIEWED}); choose a function with \
                 --function=NAME",
                view.nodes()
            );
        }
        view.finish(module, host, &self.passes);
        let text = if self.arguments.emit == Emit::Json { view.json()? } else { page::html(&view)? };
        Ok(text.into_bytes())
    }
}
