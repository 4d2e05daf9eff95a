//! One kernel under two optimizers, and one program of each language, from their sources to the report.

use anyhow::Result;
use clap::Parser;
use rvsdg_benches::cli::Options;
use rvsdg_benches::configs::{BASELINE, CONTROL};
use rvsdg_benches::results::{Cell, Run};
use rvsdg_benches::run::Session;
use rvsdg_benches::{loops, process, report, speed};

#[test]
fn a_kernel_under_two_optimizers() -> Result<()> {
    process::cargo(&["build", "--quiet", "--locked", "--package=jlm", "--bin=jlm-opt"])?;
    let jlm_opt = process::target_folder().join("debug/jlm-opt");
    let folder = tempfile::tempdir()?;
    let words = ["report", "--quick", "--dataset=MINI", "--no-programs", "--kernel=gemm", "--column=opt -O1"];
    let given = [
        "--config=ours={jlm-opt} -passes=dne {in} -o {out}".to_owned(),
        "--config=wrong=false {in} {out}".to_owned(),
        "--config=other=opt-22 -passes=globaldce,internalize,globaldce {in} -o {out}".to_owned(),
        format!("--jlm-opt={}", jlm_opt.display()),
    ];
    let options = Options::try_parse_from(words.map(str::to_owned).into_iter().chain(given))?;
    let run = Session::new(&options, folder.path())?.measure()?;

    let names: Vec<&str> = run.names().collect();
    assert_eq!(names, [BASELINE, CONTROL, "opt -O1", "ours", "other"], "the wrong command was left out");
    for name in [BASELINE, CONTROL, "opt -O1", "ours"] {
        let measured = run.kernels[0].measurement(name).unwrap_or_else(|| panic!("{name}: {:?}", run.kernels[0]));
        assert!(measured.seconds.len() >= 5 && measured.text_bytes > 0, "{name}: {measured:?}");
    }
    assert!(run.kernels[0].measurement("other").is_none(), "a program without main cannot be linked");

    let results = folder.path().join("results.json");
    let read = Run::read(&results)?;
    assert_eq!(report::tables::page(&read, &[]), report::tables::page(&run, &[]));
    let page = report::write(&read, folder.path())?;
    let text = std::fs::read_to_string(page)?;
    assert!(text.contains("| gemm |") && text.contains("left out") && text.contains("| gemm | other |"), "{text}");

    // A run that was complete is resumed without measuring anything again.
    let resumed = Options { resume: true, ..options };
    let again = Session::new(&resumed, folder.path())?.measure()?;
    assert_eq!(
        again.kernels[0].measurement("ours").map(|m| &m.seconds),
        run.kernels[0].measurement("ours").map(|m| &m.seconds)
    );
    Ok(())
}

#[test]
fn a_program_of_each_language_is_built_checked_and_timed() -> Result<()> {
    process::cargo(&["build", "--quiet", "--locked", "--package=jlm", "--bin=jlm-opt"])?;
    let jlm_opt = process::target_folder().join("debug/jlm-opt");
    let folder = tempfile::tempdir()?;
    let words = ["speed", "--quick", "fannkuch", "descent", "iterators"].map(str::to_owned);
    let given = [format!("--jlm-opt={}", jlm_opt.display()), format!("--output={}", folder.path().display())];
    let options = speed::Options::try_parse_from(words.into_iter().chain(given))?;
    let run = speed::measure(&options)?;

    for row in &run.programs {
        for column in speed::COLUMNS {
            let cell = row.cells.get(column).and_then(Cell::measurement);
            let measured = cell.unwrap_or_else(|| panic!("{} {column}: {row:?}", row.name));
            assert!(!measured.seconds.is_empty() && measured.text_bytes > 0, "{} {column}: {measured:?}", row.name);
        }
    }
    let page = speed::tables::page(&run);
    for part in ["| C | 1 |", "| C++ | 1 |", "| Rust | 1 |", "| all | 3 |", "| fannkuch | C |", "Nothing failed"] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }

    // Programs whose code is the same are not timed again.
    let resumed = speed::Options { resume: true, ..options };
    assert_eq!(speed::tables::page(&speed::measure(&resumed)?).lines().nth(4), page.lines().nth(4));

    let unknown = speed::Options { programs: vec!["no-such-program".into()], ..resumed };
    assert!(speed::measure(&unknown).is_err());
    Ok(())
}

#[test]
fn loops_are_built_checked_and_timed() -> Result<()> {
    process::cargo(&["build", "--quiet", "--locked", "--package=jlm", "--bin=jlm-opt"])?;
    let jlm_opt = process::target_folder().join("debug/jlm-opt");
    let folder = tempfile::tempdir()?;
    let given = [format!("--jlm-opt={}", jlm_opt.display()), format!("--output={}", folder.path().display())];
    let options = loops::Options::try_parse_from(["loops", "--quick"].map(str::to_owned).into_iter().chain(given))?;
    let run = loops::measure(&options)?;
    let loops = &run.loops;

    assert!(loops.len() >= 150, "{} loops", loops.len());
    let [theirs, scalar, ours] = std::array::from_fn(|column| loops.iter().filter(|row| row.vectors[column]).count());
    assert!(theirs > 100 && scalar < 10, "{theirs} of {} loops are vectors, {scalar} without", loops.len());
    assert!(ours > 75, "{ours} loops are vectors");
    let said = |name: &str| loops.iter().find(|row| row.name == name).and_then(|row| row.remark.as_deref());
    assert!(said("prefix_sum").is_some_and(|remark| remark.starts_with("`NonReductionValueUsedOutsideLoop`: value")));
    let page = loops::tables::page(&run);
    for part in [
        "| reduction | 27 |",
        "| all | 179 |",
        "| opt -O3 no vec | `opt-22 -O3 -vectorize-loops=false",
        "| recurrence | prefix_sum |",
        "| dependence | copy_scaled |",
    ] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    Ok(())
}
