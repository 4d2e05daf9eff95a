//! `docs/opt-flags.md`: what each flag of `opt` is here.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use clap::CommandFactory;
use jlm::arguments::{Arguments, refusal};

/// Flags of ours that mean something else than `opt`'s, and what.
const DIFFERENT: &[(&str, &str)] = &[
    ("O0", "our level"),
    ("O1", "our level"),
    ("O2", "our level"),
    ("O3", "our level"),
    ("Os", "our level"),
    ("Oz", "our level"),
    ("debugify-each", "for passes of ours the whole module is checked, whatever they work on"),
    ("disable-verify", "the input is verified all the same, since graphs are made of it"),
    ("discard-value-names", "also for text"),
    ("opt-bisect-limit", "`N.M` stops after `M` rewrites of our pass; executions are counted through both families"),
    ("p", "also our passes; see above"),
    ("pass-remarks-format", "`yaml` only"),
    ("passes", "also our passes; see above"),
    ("print-after", "functions of ours as RVSDG text"),
    ("print-after-all", "functions of ours as RVSDG text"),
    ("print-before", "functions of ours as RVSDG text"),
    ("print-before-all", "functions of ours as RVSDG text"),
    (
        "print-changed",
        "functions of ours as RVSDG text; with `dot-cfg`, where there are passes of ours, `passes.html` is the page of `--emit=html`",
    ),
    ("print-passes", "ours, then LLVM's"),
    ("stats", "counts of ours"),
    ("stats-json", "counts of ours, to a file with `=FILE`"),
    ("threads", "of our passes"),
    ("time-trace", "stages and passes of ours beside LLVM's own events"),
    ("time-passes", "a table of stages and of our passes, and LLVM's own for its passes"),
    ("version", "ours, then LLVM's"),
];

/// The names in an option's line of help: `--print-after=<pass-name>` is `print-after`.
fn name(line: &str) -> Option<&str> {
    let name = line.strip_prefix("  -")?.trim_start_matches('-');
    let end = name.find(|c: char| !c.is_alphanumeric() && !"-_.+".contains(c))?;
    Some(&name[..end]).filter(|name| !name.is_empty())
}

/// The page for what `opt --help` prints, and `opt --help-hidden` of flags that are ours, too.
fn page(help: &str, hidden: &str) -> String {
    let command = Arguments::command();
    let is_known = |flag: &&str| {
        let is_ours = command.get_opts().any(|option| option.get_long() == Some(flag));
        is_ours || DIFFERENT.iter().any(|(name, _)| name == flag) || refusal(flag).is_some()
    };
    let flags = help.lines().filter_map(name);
    let flags: BTreeSet<&str> = flags.chain(hidden.lines().filter_map(name).filter(is_known)).collect();
    let (mut same, mut different, mut refused, mut llvm) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for flag in flags {
        let is_ours = command.get_opts().any(|option| {
            option.get_long() == Some(flag) || option.get_short().is_some_and(|short| flag.chars().eq([short]))
        });
        let note = DIFFERENT.iter().find(|(name, _)| *name == flag);
        let is_built_in = ["help", "version"].contains(&flag) || flag.starts_with('O') && flag.len() == 2;
        match (note, refusal(flag)) {
            (Some((_, note)), None) => different.push((flag, *note)),
            (None, Some(reason)) => refused.push((flag, reason)),
            (None, None) if is_ours || is_built_in => same.push(flag),
            (None, None) if rvsdg_llvm::llvm_option(flag).is_some() => llvm.push(flag),
            other => panic!("-{flag} of opt is not decided, or twice: {other:?}"),
        }
    }
    let list = |flags: &[&str]| flags.iter().map(|flag| format!("`-{flag}`")).collect::<Vec<_>>().join(", ");
    let mut page = format!(
        "# The flags of `opt` in `jlm-opt`\n\n\
         Made by the test `opt_flags` from `opt-22 --help`: every flag there is below, and of its hidden \
         ones those that are not just LLVM's. Flags take one dash or two, and `@FILE` stands for those \
         in a file.\n\n\
         ## Pipelines\n\n\
         `-passes=` takes our passes and LLVM's in one pipeline: `mem2reg,rvsdg(cne,dne),loop-vectorize`. A name that is ours is ours, whatever \
         else it is the name of (`inline`, `default<O2>`); every other name is LLVM's. What stands in `function(…)`, `module(…)`, `cgscc(…)` \
         or `loop(…)` is all LLVM's, so `cgscc(inline)` is LLVM's inliner; what stands in `rvsdg(…)` is all ours, and `rvsdg<O2>` is our \
         `default<O2>`. Consecutive passes of LLVM's are one pipeline of its pass builder, in which, as for `opt`, the first says what \
         the others work on. A pipeline of LLVM's passes alone makes no graph. `-print-pipeline-passes` prints which is which, and \
         `-verify-each`, `-print-…`, `-time-passes`, `-pass-remarks…` and `-opt-bisect-limit` go through both.\n\n\
         ## The same\n\n{}\n\n\
         ## Different\n\n| flag | here |\n|---|---|\n",
        list(&same)
    );
    for (flag, note) in different {
        let _ = writeln!(page, "| `-{flag}` | {note} |");
    }
    page.push_str(
        "\n## Of older `opt`\n\n`-debugify` and `-check-debugify` stand for these passes before and after the pipeline, `-dot-cfg` \
         for `dot-cfg` after it.\n",
    );
    page.push_str("\n## Refused, with the reason\n\n| flag | reason |\n|---|---|\n");
    let (polly, refused): (Vec<_>, Vec<_>) = refused.into_iter().partition(|(flag, _)| flag.starts_with("polly"));
    let builds_with_assertions = ["debug", "debug-only"].map(|flag| (flag, refusal(flag).expect("it is refused")));
    for (flag, reason) in builds_with_assertions.into_iter().chain(refused) {
        let _ = writeln!(page, "| `-{flag}` | {reason} |");
    }
    if let Some((_, reason)) = polly.first() {
        let _ = writeln!(page, "| `-polly…` | {reason} |");
    }
    page.push_str("| other names of passes, such as `-mem2reg` | a pass is named in `-passes=` |\n");
    let _ = write!(
        page,
        "\n## For LLVM's passes and targets\n\n\
         These are given to LLVM's libraries; where no pass of LLVM's is in the pipeline, a warning says so of those that do not describe \
         the target. So are those that only `opt-22 --help-hidden` names, such as `-inline-threshold` and `-unroll-count`.\n\n{}\n",
        list(&llvm)
    );
    page
}

#[test]
fn every_flag_of_opt_is_decided() {
    rvsdg_llvm::register_target_options();
    let [help, hidden] = ["--help", "--help-hidden"].map(|flag| {
        let output = Command::new("opt-22").arg(flag).output().expect("opt-22 can be started");
        String::from_utf8_lossy(&output.stdout).into_owned()
    });
    let page = page(&help, &hidden);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/opt-flags.md");
    if std::env::var_os("RVSDG_BLESS").is_some() {
        std::fs::write(&path, &page).expect("it can be written");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(known == page, "docs/opt-flags.md is not what opt-22 --help says; RVSDG_BLESS=1 writes it");
}

#[test]
fn what_is_refused_says_why() {
    let program = env!("CARGO_BIN_EXE_jlm-opt");
    for flag in ["-debug", "-debug-only=x", "-polly", "-load=x", "-save-stats"] {
        let said = Command::new(program).arg(flag).output().expect("jlm-opt can be started").stderr;
        let said = String::from_utf8_lossy(&said);
        let name = flag.trim_start_matches('-').split('=').next().unwrap_or_default();
        assert!(said.contains(refusal(name).expect("it is refused")), "{flag}: {said}");
    }
}
