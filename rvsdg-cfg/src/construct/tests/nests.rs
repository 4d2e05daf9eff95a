//! Nests that are cut, so that what is defined outside of them takes a bounded number of variables to where it is used.

use expect_test::expect;
use rvsdg_core::op::Effects;

use super::{Make, build};
use crate::cfg::{Cfg, Value};
use crate::restructure::Options;

/// Scopes in a row, each with an object that is made at the beginning of the function. What a scope does may fail; then
/// its object is destroyed, and the function is left.
fn scopes(count: usize) -> Cfg {
    scopes_in(count).cfg
}

fn scopes_in(count: usize) -> Make {
    let mut make = Make::new(0);
    let x = make.param();
    let mut at = make.cfg.entry();
    let objects: Vec<Value> = (0..count).map(|_| make.pure(at, "object", &[])).collect();
    let left = make.block();
    make.act(left, "leave", &[], Effects::IO);
    make.ret(left, &[]);
    for object in objects {
        make.act(at, "use", &[object], Effects::ALL);
        let (cleanup, next) = (make.block(), make.block());
        make.switch(at, x, &[(next, &[]), (cleanup, &[])]);
        make.act(cleanup, "destroy", &[object], Effects::ALL);
        make.jump(cleanup, left, &[]);
        at = next;
    }
    make.ret(at, &[]);
    make
}

#[test]
fn cleanups_make_a_graph_in_proportion_to_them() {
    let sizes = [200, 400, 800].map(|count| build(&scopes(count).verify().unwrap(), &Options::DEFAULT).origin_bound());
    for pair in sizes.windows(2) {
        assert!(pair[1] * 10 <= pair[0] * 21, "{sizes:?} origins");
    }
    // Without cuts each object passes through all the branches before its own.
    let whole =
        build(&scopes(800).verify().unwrap(), &Options { max_nesting: u32::MAX, ..Options::DEFAULT }).origin_bound();
    assert!(whole > 10 * sizes[2], "{whole} against {sizes:?} origins");
}

/// Objects that all live to the end of the function. What may fail is next to the making of each; then all objects that are there are
/// destroyed, the last one first.
fn objects(count: usize) -> Cfg {
    let mut make = Make::new(0);
    let x = make.param();
    let mut at = make.cfg.entry();
    let objects: Vec<Value> = (0..count).map(|_| make.pure(at, "object", &[])).collect();
    let left = make.block();
    make.act(left, "leave", &[], Effects::IO);
    make.ret(left, &[]);
    let mut rest = left;
    for object in objects {
        make.act(at, "use", &[object], Effects::ALL);
        let (cleanup, destroys, next) = (make.block(), make.block(), make.block());
        make.switch(at, x, &[(next, &[]), (cleanup, &[])]);
        make.act(cleanup, "caught", &[], Effects::ALL);
        make.jump(cleanup, destroys, &[]);
        make.act(destroys, "destroy", &[object], Effects::ALL);
        make.jump(destroys, rest, &[]);
        (rest, at) = (destroys, next);
    }
    make.ret(at, &[]);
    make.cfg
}

#[test]
fn cleanups_that_follow_each_other_make_a_graph_nearly_in_proportion() {
    let sizes = [200, 400, 800].map(|count| build(&objects(count).verify().unwrap(), &Options::DEFAULT).origin_bound());
    for pair in sizes.windows(2) {
        assert!(pair[1] * 10 <= pair[0] * 23, "{sizes:?} origins");
    }
    let whole =
        build(&objects(800).verify().unwrap(), &Options { max_nesting: u32::MAX, ..Options::DEFAULT }).origin_bound();
    assert!(whole > 4 * sizes[2], "{whole} against {sizes:?} origins");
}

/// Joins of conditionals in each other would be passed on from cut to cut.
#[test]
fn conditionals_in_each_other_stay_so() {
    let mut make = Make::new(0);
    let (x, mut at) = (make.param(), make.cfg.entry());
    let mut joins = Vec::new();
    for _ in 0..500 {
        let (inner, join) = (make.block(), make.block());
        make.switch(at, x, &[(inner, &[]), (join, &[])]);
        joins.push(join);
        at = inner;
    }
    while let Some(join) = joins.pop() {
        make.act(at, "act", &[], Effects::ALL);
        make.jump(at, join, &[]);
        at = join;
    }
    make.ret(at, &[]);
    let [cut, whole] = [32, u32::MAX].map(|max_nesting| {
        let options = Options { max_nesting, ..Options::DEFAULT };
        super::listing::listing(&build(&make.cfg.verify().unwrap(), &options))
    });
    assert!(cut == whole, "the nest is cut");
}

/// The third scope is after the outermost branch: `p9` says whether it is reached.
#[test]
fn the_rest_stands_behind_the_outermost_branch() {
    scopes_in(3).check_with(
        Options { max_nesting: 2, ..Options::DEFAULT },
        expect![[r#"
            (v0, mem1, io2) {
              v3 = object()
              v4 = object()
              v5 = object()
              mem6, io7 = use(v3, mem1, io2)
              p8 = match [0 -> 0, else 1](v0)
              p9, mem10, io11 = gamma(p8, v4, mem6, io7, v0, v3)
              (v12, mem13, io14, v15, v16) {
                mem17, io18 = use(v12, mem13, io14)
                p19 = match [0 -> 0, else 1](v15)
                p20, mem21, io22 = gamma(p19, v12, mem17, io18)
                (v23, mem24, io25) {
                  p26 = ctl 1 of 2()
                } (p26, mem24, io25)
                (v27, mem28, io29) {
                  mem30, io31 = destroy(v27, mem28, io29)
                  p32 = ctl 0 of 2()
                } (p32, mem30, io31)
              } (p20, mem21, io22)
              (v33, mem34, io35, v36, v37) {
                mem38, io39 = destroy(v37, mem34, io35)
                p40 = ctl 0 of 2()
              } (p40, mem38, io39)
              p41, mem42, io43 = gamma(p9, v5, mem10, io11, v0)
              (v44, mem45, io46, v47) {
                p48 = ctl 0 of 2()
              } (p48, mem45, io46)
              (v49, mem50, io51, v52) {
                mem53, io54 = use(v49, mem50, io51)
                p55 = match [0 -> 0, else 1](v52)
                p56, mem57, io58 = gamma(p55, v49, mem53, io54)
                (v59, mem60, io61) {
                  p62 = ctl 1 of 2()
                } (p62, mem60, io61)
                (v63, mem64, io65) {
                  mem66, io67 = destroy(v63, mem64, io65)
                  p68 = ctl 0 of 2()
                } (p68, mem66, io67)
              } (p56, mem57, io58)
              io69 = gamma(p41, io43)
              (io70) {
                io71 = leave(io70)
              } (io71)
              (io72) {
              } (io72)
            } (mem42, io69)
        "#]],
    );
}
