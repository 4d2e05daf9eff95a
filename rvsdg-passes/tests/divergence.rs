//! Divergence analysis and passes on generated kernels, against the machine that executes threads in warps.

use std::cell::Cell;

use rvsdg_cfg::destruct::Recovery;
use rvsdg_gen::property::{for_all_modules, for_all_modules_shrunk, has_usual_cases};
use rvsdg_interp::observe::Byte;
use rvsdg_interp::simt::{Form, Model, Order};

mod common;

use common::kernels::{any_kernel, nothing_uniform_differs, run, written};
use common::{BYTES, FOLDER, TIMES, shrink, transform};

#[test]
fn nothing_that_is_called_uniform_ever_differs() {
    let [uniform, values, ended, all] = [0; 4].map(Cell::new);
    let add = |to: &Cell<usize>, count: usize| to.set(to.get() + count);
    for_all_modules_shrunk(FOLDER, "divergence", BYTES, TIMES, shrink, any_kernel, |module| {
        let (same, known, is_ended) = nothing_uniform_differs(module);
        add(&uniform, same);
        add(&values, known);
        add(&ended, usize::from(is_ended));
        add(&all, 1);
    });
    let [uniform, values, ended, all] = [uniform, values, ended, all].map(Cell::into_inner);
    println!(
        "\n| kernels | that come to their end | values | called uniform | uniform ones that differ |\n|--:|--:|--:|--:|--:|"
    );
    println!("| {all} | {ended} | {values} | {uniform} | 0 |");
    if has_usual_cases() {
        assert!(4 * ended >= 3 * all, "{ended} of {all} kernels come to their end");
        assert!(4 * uniform >= values && 4 * (values - uniform) >= values, "{uniform} of {values}");
    }
}

/// Before and after, in any order that threads may be executed in.
#[test]
fn kernels_do_what_they_did() {
    let [compared, all] = [0; 2].map(Cell::new);
    for_all_modules(FOLDER, "kernels", BYTES, any_kernel, |module| {
        all.set(all.get() + 1);
        let before = run(module, Form::Graph, Model::Stack, None);
        let Some(expected) = written(&before).filter(|_| !before.chose) else { return };
        compared.set(compared.get() + 1);
        let mut transformed = module.clone();
        transform(&mut transformed, "default<O3>", None);
        for model in [Model::Stack, Model::Independent(Order::LeastPlace), Model::Independent(Order::Any(1))] {
            let after = run(&transformed, Form::ControlFlow(Recovery::Predicative), model, None);
            let (outcome, faults) = (&after.outcome, &after.faults);
            let found = written(&after).unwrap_or_else(|| panic!("{model:?}: {outcome}, {faults:?}"));
            // What was undef may be anything.
            let is_same = |(before, after): (&Byte, &Byte)| before == after || !matches!(before, Byte::Bits(_, 0));
            assert!(expected.iter().zip(found).all(is_same), "{model:?}: {expected:?}\n{found:?}");
        }
    });
    let [compared, all] = [compared, all].map(Cell::into_inner);
    println!("{compared} of {all} kernels are compared");
    assert!(!has_usual_cases() || 2 * compared >= all, "{compared} of {all} kernels are compared");
}
