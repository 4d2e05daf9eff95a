//! Loops.

use super::*;

/// `while (cond(i)) { body(i); i = next(i) }`, returns `i`.
fn while_loop() -> Make {
    let mut make = Make::new(1);
    let (n, entry) = (make.param(), make.cfg.entry());
    let [head, body, after] = [(); 3].map(|()| make.block());
    let i = make.block_param(head);
    let zero = make.int(0);
    make.jump(entry, head, &[zero]);
    let cond = make.pure(head, "less", &[i, n]);
    make.switch(head, cond, &[(after, &[]), (body, &[])]);
    make.act(body, "print", &[i], Effects::IO);
    let one = make.int(1);
    let next = make.pure(body, "add", &[i, one]);
    make.jump(body, head, &[next]);
    make.ret(after, &[i]);
    make
}

/// `i` is used after the loop, so its value at the beginning of the last iteration leaves it.
#[test]
fn head_controlled() {
    while_loop().check(expect![[r#"
        (v0, mem1, io2) {
          v3 = poison()
          v4 = 0()
          v5, v6, io7, v8 = theta(v4, v0, io2, v3)
          (v9, v10, io11, v12) {
            v13 = less(v9, v10)
            p14 = match [0 -> 0, else 1](v13)
            p15, v16, io17 = gamma(p14, v9, io11)
            (v18, io19) {
              v20 = poison()
              p21 = ctl 0 of 2()
            } (p21, v20, io19)
            (v22, io23) {
              io24 = print(v22, io23)
              v25 = 1()
              v26 = add(v22, v25)
              p27 = ctl 1 of 2()
            } (p27, v26, io24)
          } (p15, v16, v10, io17, v9)
        } (v8, mem1, io7)
    "#]]);
}

/// `i` and the comparison have two definitions; the copy of the condition tests the next `i`.
#[test]
fn head_controlled_inverted() {
    while_loop().check_with(
        Options { invert_head_controlled: true, ..Options::DEFAULT },
        expect![[r#"
        (v0, mem1, io2) {
          v3 = 0()
          v4 = less(v3, v0)
          p5 = match [0 -> 0, else 1](v4)
          v6, io7 = gamma(p5, v3, io2, v0)
          (v8, io9, v10) {
          } (v8, io9)
          (v11, io12, v13) {
            v14, io15, v16 = theta(v11, io12, v13)
            (v17, io18, v19) {
              io20 = print(v17, io18)
              v21 = 1()
              v22 = add(v17, v21)
              v23 = less(v22, v19)
              p24 = match [0 -> 0, else 1](v23)
            } (p24, v22, io20, v19)
          } (v14, io15)
        } (v6, mem1, io7)
    "#]],
    );
}

/// One θ, without auxiliary predicates; the table is turned around because alternative 0 repeats. The value for the
/// next iteration is also the one after the loop, which needs no loop variable of its own.
#[test]
fn tail_controlled() {
    let mut make = Make::new(1);
    let (n, entry) = (make.param(), make.cfg.entry());
    let [body, after] = [(); 2].map(|()| make.block());
    let i = make.block_param(body);
    let last = make.block_param(after);
    let zero = make.int(0);
    make.jump(entry, body, &[zero]);
    make.act(body, "store", &[i], Effects::MEM);
    let next = make.pure(body, "add", &[i, n]);
    let cond = make.pure(body, "less", &[next, n]);
    make.switch(body, cond, &[(body, &[next]), (after, &[next])]);
    let both = make.pure(after, "both", &[last, next]);
    make.ret(after, &[both]);
    make.check(expect![[r#"
        (v0, mem1, io2) {
          v3 = 0()
          v4, mem5, v6, io7 = theta(v3, mem1, v0, io2)
          (v8, mem9, v10, io11) {
            mem12 = store(v8, mem9)
            v13 = add(v8, v10)
            v14 = less(v13, v10)
            p15 = match [0 -> 1, else 0](v14)
          } (p15, v13, mem12, v10, io11)
          v16 = both(v4, v4)
        } (v16, mem5, io7)
    "#]]);
    make.cfg.progress = true;
    make.check(expect![[r#"
        (v0, mem1, io2) {
          v3 = 0()
          v4, mem5, v6 = theta(v3, mem1, v0)
          (v7, mem8, v9) {
            mem10 = store(v7, mem8)
            v11 = add(v7, v9)
            v12 = less(v11, v9)
            p13 = match [0 -> 1, else 0](v12)
          } (p13, v11, mem10, v9)
          v14 = both(v4, v4)
        } (v14, mem5, io2)
    "#]]);
}

/// A value of the last iteration that the next does not need starts as poison.
#[test]
fn value_from_the_last_iteration() {
    let mut make = Make::new(1);
    let (n, entry) = (make.param(), make.cfg.entry());
    let [body, after] = [(); 2].map(|()| make.block());
    make.jump(entry, body, &[]);
    let read = make.ext("read", 1, 1, Effects::IO);
    let read = make.cfg.add_inst(body, read, &[n], &[Type::I32]);
    let read = make.cfg.results(read)[0];
    make.switch(body, read, &[(after, &[]), (body, &[])]);
    make.ret(after, &[read]);
    make.check(expect![[r#"
        (v0, mem1, io2) {
          v3 = poison()
          v4, io5, v6 = theta(v0, io2, v3)
          (v7, io8, v9) {
            v10, io11 = read(v7, io8)
            p12 = match [0 -> 0, else 1](v10)
          } (p12, v7, io11, v10)
        } (v6, mem1, io5)
    "#]]);
}

/// What does not change in the loop leaves it through the loop variable that brought it in.
#[test]
fn invariants_after_the_loop() {
    let mut make = Make::new(1);
    let (x, entry) = (make.param(), make.cfg.entry());
    let [head, end] = [(); 2].map(|()| make.block());
    let (phi, last) = (make.block_param(head), make.block_param(end));
    make.jump(entry, head, &[x]);
    let read = make.ext("read", 1, 1, Effects::IO);
    let read = make.cfg.add_inst(head, read, &[x], &[Type::I32]);
    let read = make.cfg.results(read)[0];
    make.switch(head, read, &[(head, &[phi]), (end, &[x])]);
    let both = make.pure(end, "both", &[last, phi]);
    make.ret(end, &[both]);
    make.check(expect![[r#"
        (v0, mem1, io2) {
          v3, v4, io5 = theta(v0, v0, io2)
          (v6, v7, io8) {
            v9, io10 = read(v7, io8)
            p11 = match [0 -> 1, else 0](v9)
          } (p11, v6, v7, io10)
          v12 = both(v4, v3)
        } (v12, mem1, io5)
    "#]]);
}

/// The value found leaves the γ with poison in the other alternative, which leaves the loop to where it is not used.
#[test]
fn two_exits() {
    let mut make = Make::new(1);
    let (n, entry) = (make.param(), make.cfg.entry());
    let [head, body, found, end] = [(); 4].map(|()| make.block());
    let i = make.block_param(head);
    make.jump(entry, head, &[n]);
    let cond = make.pure(head, "less", &[i, n]);
    make.switch(head, cond, &[(end, &[]), (body, &[])]);
    let hit = make.pure(body, "hit", &[i]);
    make.switch(body, hit, &[(found, &[]), (head, &[hit])]);
    make.ret(found, &[hit]);
    let zero = make.int(0);
    make.act(end, "print", &[n], Effects::IO);
    make.ret(end, &[zero]);
    make.check(expect![[r#"
        (v0, mem1, io2) {
          v3 = poison()
          p4 = ctl 0 of 2()
          v5, v6, io7, p8, v9 = theta(v0, v0, io2, p4, v3)
          (v10, v11, io12, p13, v14) {
            v15 = less(v10, v11)
            p16 = match [0 -> 0, else 1](v15)
            p17, p18, v19, v20 = gamma(p16, v10)
            (v21) {
              v22 = poison()
              p23 = ctl 1 of 2()
              p24 = ctl 0 of 2()
            } (p23, p24, v22, v22)
            (v25) {
              v26 = hit(v25)
              p27 = match [0 -> 0, else 1](v26)
              p28, p29, v30 = gamma(p27, v26)
              (v31) {
                v32 = poison()
                p33 = ctl 0 of 2()
                p34 = ctl 0 of 2()
              } (p33, p34, v32)
              (v35) {
                p36 = ctl 0 of 2()
                p37 = ctl 1 of 2()
              } (p36, p37, v35)
            } (p28, p29, v30, v26)
          } (p18, v19, v11, io12, p17, v20)
          v38, io39 = gamma(p8, v9, v0, io7)
          (v40, v41, io42) {
          } (v40, io42)
          (v43, v44, io45) {
            io46 = print(v44, io45)
            v47 = 0()
          } (v47, io46)
        } (v38, mem1, io39)
    "#]]);
}

/// The arc to `b`, which is an entry of the loop too, repeats it.
#[test]
fn irreducible() {
    let mut make = Make::new(1);
    let (x, entry) = (make.param(), make.cfg.entry());
    let [a, b, after] = [(); 3].map(|()| make.block());
    let (phi_a, phi_b) = (make.block_param(a), make.block_param(b));
    let one = make.int(1);
    make.switch(entry, x, &[(a, &[x]), (b, &[one])]);
    let f = make.pure(a, "f", &[phi_a]);
    make.jump(a, b, &[f]);
    let g = make.pure(b, "g", &[phi_b, x]);
    make.switch(b, g, &[(a, &[g]), (after, &[])]);
    make.ret(after, &[g]);
    make.check(expect![[r#"
        (v0, mem1, io2) {
          v3 = poison()
          p4 = match [0 -> 0, else 1](v0)
          v5, p6, v7 = gamma(p4, v0)
          (v8) {
            v9 = poison()
            p10 = ctl 0 of 2()
          } (v8, p10, v9)
          (v11) {
            v12 = poison()
            v13 = 1()
            p14 = ctl 1 of 2()
          } (v12, p14, v13)
          p15, v16, v17, v18, io19, v20 = theta(p6, v5, v7, v0, io2, v3)
          (p21, v22, v23, v24, io25, v26) {
            v27, p28, p29, v30, v31 = gamma(p21, v22, v23, v24)
            (v32, v33, v34) {
              v35 = poison()
              v36 = f(v32)
              p37 = ctl 1 of 2()
              p38 = ctl 1 of 2()
            } (v36, p37, p38, v35, v35)
            (v39, v40, v41) {
              v42 = poison()
              v43 = g(v40, v41)
              p44 = match [0 -> 0, else 1](v43)
              v45, p46, p47 = gamma(p44, v43)
              (v48) {
                p49 = ctl 0 of 2()
                p50 = ctl 1 of 2()
              } (v48, p49, p50)
              (v51) {
                v52 = poison()
                p53 = ctl 0 of 2()
                p54 = ctl 0 of 2()
              } (v52, p53, p54)
            } (v42, p46, p47, v45, v43)
          } (p29, p28, v30, v27, v24, io25, v31)
        } (v20, mem1, io19)
    "#]]);
}

/// Never left; the value returned is poison. The loop takes io, because it may not be assumed to end.
#[test]
fn infinite() {
    let mut make = Make::new(1);
    let entry = make.cfg.entry();
    let body = make.block();
    make.jump(entry, body, &[]);
    make.jump(body, body, &[]);
    make.check(expect![[r#"
        (mem0, io1) {
          v2 = poison()
          io3 = theta(io1)
          (io4) {
            p5 = ctl 1 of 2()
          } (p5, io4)
        } (v2, mem0, io3)
    "#]]);
}

/// An alternative that never ends joins the one that returns.
#[test]
fn infinite_in_an_alternative() {
    let mut make = Make::new(1);
    let (x, entry) = (make.param(), make.cfg.entry());
    let [forever, good] = [(); 2].map(|()| make.block());
    make.switch(entry, x, &[(forever, &[]), (good, &[])]);
    make.act(forever, "tick", &[], Effects::IO);
    make.jump(forever, forever, &[]);
    make.ret(good, &[x]);
    make.check(expect![[r#"
        (v0, mem1, io2) {
          p3 = match [0 -> 0, else 1](v0)
          v4, io5 = gamma(p3, io2, v0)
          (io6, v7) {
            v8 = poison()
            io9 = theta(io6)
            (io10) {
              io11 = tick(io10)
              p12 = ctl 1 of 2()
            } (p12, io11)
          } (v8, io9)
          (io13, v14) {
          } (v14, io13)
        } (v4, mem1, io5)
    "#]]);
}

/// The outer index is invariant in the inner loop, the inner one starts anew.
#[test]
fn loop_nest() {
    let mut make = Make::new(0);
    let (n, entry) = (make.param(), make.cfg.entry());
    let [outer, inner, latch, after] = [(); 4].map(|()| make.block());
    let (i, j) = (make.block_param(outer), make.block_param(inner));
    let zero = make.int(0);
    make.jump(entry, outer, &[zero]);
    make.jump(outer, inner, &[zero]);
    make.act(inner, "print", &[i, j], Effects::IO);
    let next_j = make.pure(inner, "next", &[j, n]);
    make.switch(inner, next_j, &[(latch, &[]), (inner, &[next_j])]);
    let next_i = make.pure(latch, "next", &[i, n]);
    make.switch(latch, next_i, &[(after, &[]), (outer, &[next_i])]);
    make.ret(after, &[]);
    make.check(expect![[r#"
        (v0, mem1, io2) {
          v3 = 0()
          v4, io5, v6 = theta(v3, io2, v0)
          (v7, io8, v9) {
            v10 = 0()
            v11, v12, io13, v14 = theta(v10, v7, io8, v9)
            (v15, v16, io17, v18) {
              io19 = print(v16, v15, io17)
              v20 = next(v15, v18)
              p21 = match [0 -> 0, else 1](v20)
            } (p21, v20, v16, io19, v18)
            v22 = next(v7, v9)
            p23 = match [0 -> 0, else 1](v22)
          } (p23, v22, io13, v9)
        } (mem1, io5)
    "#]]);
}

/// A predicate that is no match, with results and effects, decides about a loop with alternative 0.
#[test]
fn predicate_with_effects() {
    let mut make = Make::new(1);
    let (x, entry) = (make.param(), make.cfg.entry());
    let [body, after] = [(); 2].map(|()| make.block());
    let phi = make.block_param(body);
    make.jump(entry, body, &[x]);
    let ask = make.ext("ask", 1, 2, Effects::ALL);
    let ask = make.cfg.add_detached(ask, &[phi], &[Type::I32]);
    let answer = make.cfg.results(ask)[0];
    make.cfg.terminator_mut(body).predicate = ask.into();
    make.jump(body, body, &[answer]);
    make.jump(body, after, &[]);
    make.ret(after, &[answer]);
    make.check(expect![[r#"
        (v0, mem1, io2) {
          v3, mem4, io5 = theta(v0, mem1, io2)
          (v6, mem7, io8) {
            v9, p10, mem11, io12 = ask(v6, mem7, io8)
            p13 = gamma(p10)
            () {
              p14 = ctl 1 of 2()
            } (p14)
            () {
              p15 = ctl 0 of 2()
            } (p15)
          } (p13, v9, mem11, io12)
        } (v3, mem4, io5)
    "#]]);
}
