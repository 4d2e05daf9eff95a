//! The plan of `-passes=`: a sequence of our passes and LLVM's.
//!
//! Names in our registry are our passes, wherever they are outside parentheses; everything else is for LLVM's pass builder, including
//! everything in `function(…)`, `module(…)`, `cgscc(…)` or `loop(…)`. In `rvsdg(…)` everything is ours.

use anyhow::{Result, anyhow, bail};
use rvsdg_llvm::LlvmPasses;
use rvsdg_passes::pipeline::{Foreign, Part};
use rvsdg_passes::{Pipeline, PipelineError, Registry};

/// Passes in an order.
#[derive(Clone)]
pub struct Plan {
    steps: Vec<Step>,
}

/// Passes of one family.
#[derive(Clone)]
pub enum Step {
    /// Of the RVSDG.
    Ours(Pipeline),
    /// LLVM's, in its canonical form.
    Llvm(String),
}

impl Plan {
    /// Reads a pipeline; LLVM may have plugins.
    ///
    /// # Errors
    /// When it is wrong.
    pub fn parse(whole: &str, registry: &Registry, plugins: &[String]) -> Result<Plan> {
        if !plugins.is_empty() {
            let loads = LlvmPasses { plugins: plugins.to_vec(), ..LlvmPasses::new("verify") };
            loads.check().map_err(|refusal| anyhow!("{refusal}"))?;
        }
        let mut steps = Vec::new();
        for part in Pipeline::parse_parts(whole, registry)? {
            steps.push(match part {
                Part::Ours(pipeline) => Step::Ours(pipeline),
                Part::Foreign(foreign) => {
                    // LLVM takes no space.
                    let text: String = foreign.text.split_whitespace().collect();
                    let passes = LlvmPasses { plugins: plugins.to_vec(), ..LlvmPasses::new(&text) };
                    match passes.check() {
                        Ok(canonical) => Step::Llvm(canonical),
                        Err(refusal) => bail!(unknown(whole, &foreign, &refusal.0, registry)),
                    }
                }
            });
        }
        if steps.is_empty() {
            steps.push(Step::Ours(Pipeline::default()));
        }
        Ok(Plan { steps })
    }

    /// The steps in their order; there is at least one.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether there are passes of LLVM's.
    pub fn has_llvm(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Llvm(_)))
    }

    /// Whether it has passes of ours.
    pub fn has_ours(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Ours(pipeline) if !pipeline.passes().is_empty()))
    }

    /// The same after a pass of LLVM's.
    pub fn after(mut self, pass: &str) -> Plan {
        match self.steps.first_mut() {
            Some(Step::Llvm(text)) => *text = format!("{pass},{text}"),
            _ => self.steps.insert(0, Step::Llvm(pass.to_owned())),
        }
        self
    }

    /// The same before a pass of LLVM's.
    pub fn before(mut self, pass: &str) -> Plan {
        match self.steps.last_mut() {
            Some(Step::Llvm(text)) => *text = format!("{text},{pass}"),
            _ => self.steps.push(Step::Llvm(pass.to_owned())),
        }
        self
    }

    /// The same plan with each of our passes in a step of its own.
    pub fn one_by_one(self) -> Plan {
        let steps = self.steps.into_iter().flat_map(|step| match step {
            Step::Ours(pipeline) if pipeline.passes().len() > 1 => {
                let each = pipeline.passes().iter().cloned();
                each.map(|pass| Step::Ours(Pipeline::from_iter([pass]))).collect()
            }
            step => vec![step],
        });
        Plan { steps: steps.collect() }
    }
}

impl std::fmt::Display for Plan {
    /// As `-passes=` takes it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { "," })?;
            match step {
                Step::Ours(pipeline) => write!(f, "rvsdg({pipeline})")?,
                Step::Llvm(text) => f.write_str(text)?,
            }
        }
        Ok(())
    }
}

/// What is wrong with passes that LLVM does not take.
fn unknown(text: &str, foreign: &Foreign, refusal: &str, registry: &Registry) -> PipelineError {
    let start = foreign.unknown.column - 1;
    // LLVM says which name it does not know, in quotes.
    let name =
        refusal.strip_prefix("unknown ").and_then(|rest| rest.split('\'').nth(1)).filter(|name| !name.is_empty());
    let Some(name) = name else {
        return PipelineError {
            column: start + 1,
            message: format!("LLVM does not take '{}': {refusal}", foreign.text),
        };
    };
    let place = text.char_indices().nth(start).map_or(0, |(place, _)| place);
    let place = whole_word(&text[place..], name).map_or(place, |found| place + found);
    let column = text[..place].chars().count() + 1;
    let known = LlvmPasses::names();
    let is_ours = registry.find(name).is_some() || name == "rvsdg";
    let message = if is_ours {
        format!(
            "'{name}' is not a pass of LLVM's; passes of the RVSDG stand outside of function(…), module(…), cgscc(…) and loop(…)"
        )
    } else if known.iter().any(|known| plain(known) == plain(name)) {
        format!(
            "LLVM does not take '{name}' here: {refusal}; function(…), module(…), cgscc(…) and loop(…) say what passes work on"
        )
    } else {
        format!("unknown pass '{name}'; {}", hint(name, registry, &known))
    };
    PipelineError { column, message }
}

/// The position of a name that is not part of a longer one.
fn whole_word(text: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    text.match_indices(name)
        .map(|(place, _)| place)
        .find(|&place| !text[..place].ends_with(is_part) && !text[place + name.len()..].starts_with(is_part))
}

/// The name without parameters.
fn plain(name: &str) -> &str {
    name.split('<').next().unwrap_or(name)
}

/// The name that was likely meant, of either family.
fn hint(name: &str, registry: &Registry, llvm: &[String]) -> String {
    let ours = registry.passes().iter().flat_map(|entry| entry.short.into_iter().chain([entry.name]));
    let ours = ours.chain(registry.pipelines().iter().map(|pipeline| pipeline.name)).map(|known| (known, true));
    let known = ours.chain(llvm.iter().map(|known| (plain(known), false)));
    let lower = name.to_lowercase();
    let near = known
        .map(|(known, is_ours)| {
            let distance =
                strsim::damerau_levenshtein(&lower, known).min(strsim::damerau_levenshtein(plain(&lower), known));
            (distance, known, is_ours)
        })
        .filter(|&(distance, known, _)| distance <= 1 + known.len() / 5)
        .min_by_key(|&(distance, ..)| distance);
    match near {
        Some((_, near, true)) => format!("did you mean '{near}'?"),
        Some((_, near, false)) => format!("did you mean LLVM's '{near}'?"),
        None => {
            let names: Vec<&str> = registry.passes().iter().map(|entry| entry.short_name()).collect();
            format!("the passes of the RVSDG are {}; --print-passes names LLVM's, too", names.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, String> {
        let plan = Plan::parse(text, Registry::builtin(), &[]);
        plan.map(|plan| plan.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn each_family_has_its_steps() {
        let mixed = parse("mem2reg,rvsdg(cne,dne),loop-vectorize").unwrap();
        assert!(
            mixed.starts_with("function(mem2reg),rvsdg(common-node-elimination,dead-node-elimination),"),
            "{mixed}"
        );
        assert!(mixed.contains(",function(loop-vectorize"), "{mixed}");
        assert_eq!(parse("dne,globaldce").unwrap(), "rvsdg(dead-node-elimination),globaldce");
        assert_eq!(parse("cgscc(inline),verify").unwrap().matches("rvsdg").count(), 0);
        assert_eq!(parse("").unwrap(), "rvsdg()");
        for text in ["inline", "iln", "rvsdg(inline)"] {
            assert_eq!(parse(text).unwrap(), "rvsdg(inline)", "a bare name is ours first");
        }
        let again = parse(&mixed).unwrap();
        assert_eq!(again, mixed, "what is printed is read again");
        for level in ["default<O3>", "rvsdg<O3>", "rvsdg(default<O3>)"] {
            assert!(!Plan::parse(level, Registry::builtin(), &[]).unwrap().has_llvm());
        }
        assert_eq!(parse("module(default<O2>)").unwrap().matches("rvsdg").count(), 0);
        assert_eq!(parse("function( mem2reg , sroa )").unwrap(), "function(mem2reg,sroa<modify-cfg>)");
    }

    #[test]
    fn hints_are_of_either_family() {
        let fails = |text, message: &str| {
            let found = parse(text).unwrap_err();
            assert!(found.starts_with(&format!("pass pipeline, column {message}")), "{found}");
        };
        fails("cne,mem2rge", "5: unknown pass 'mem2rge'; did you mean LLVM's 'mem2reg'?");
        fails("function(mem2reg, instcombin)", "19: unknown pass 'instcombin'; did you mean LLVM's 'instcombine'?");
        fails("mem2reg,dnee", "9: unknown pass 'dnee'; did you mean 'dne'?");
        fails("nonsense", "1: unknown pass 'nonsense'; the passes of the RVSDG are ");
        fails("function(dne)", "10: 'dne' is not a pass of LLVM's; passes of the RVSDG stand outside");
        fails("mem2reg,globaldce", "9: LLVM does not take 'globaldce' here: ");
        fails("rvsdg(mem2reg)", "7: unknown pass 'mem2reg'; ");
    }
}
