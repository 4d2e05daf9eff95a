//! What came from where.

use super::*;

fn source(number: u32) -> SourceId {
    SourceId::from_u32(number)
}

impl Make {
    fn phi(&mut self, block: Block, number: u32) -> Value {
        self.cfg.add_block_param(block, Type::I32, Some(source(number)))
    }

    fn end(&mut self, block: Block, number: u32) {
        self.cfg.terminator_mut(block).source = Some(source(number)).into();
    }
}

/// Conditional jumps are known by their predicate, jumps and returns by the region that they end, phis by what carries them.
#[test]
fn branch() {
    let mut make = Make::new(1);
    let (x, entry) = (make.param(), make.cfg.entry());
    let [a, b, join] = [(); 3].map(|()| make.block());
    let phi = make.phi(join, 100);
    make.switch(entry, x, &[(a, &[]), (b, &[])]);
    make.end(entry, 1);
    let value = make.pure(a, "f", &[x]);
    let inst = make.cfg.insts(a)[0];
    make.cfg.set_source(inst, Some(source(50)));
    make.jump(a, join, &[value]);
    make.end(a, 2);
    make.jump(b, join, &[x]);
    make.end(b, 3);
    make.ret(join, &[phi]);
    make.end(join, 4);
    make.check(expect![[r#"
        (v0, mem1, io2) {
          p3 = match [0 -> 0, else 1](v0) ; src1
          v4:src100 = gamma(p3, v0)
          (v5) {
            v6 = f(v5) ; src50
          } (v6) ; src2
          (v7) {
          } (v7) ; src3
        } (v4:src100, mem1, io2) ; src4
    "#]]);
}

/// The jump that sets auxiliary predicates is known by their constants.
#[test]
fn auxiliary_predicates() {
    let mut make = Make::new(0);
    let (x, entry) = (make.param(), make.cfg.entry());
    let [head, body, out] = [(); 3].map(|()| make.block());
    let phi = make.phi(head, 100);
    make.jump(entry, head, &[x]);
    make.end(entry, 1);
    make.switch(head, phi, &[(out, &[]), (body, &[])]);
    make.end(head, 2);
    let next = make.pure(body, "next", &[phi]);
    make.jump(body, head, &[next]);
    make.end(body, 3);
    make.ret(out, &[]);
    make.end(out, 4);
    make.check(expect![[r#"
        (v0, mem1, io2) {
          v3, io4 = theta(v0, io2) ; src1
          (v5:src100, io6) {
            p7 = match [0 -> 0, else 1](v5:src100) ; src2
            p8, v9:src100 = gamma(p7, v5:src100)
            (v10) {
              v11 = poison()
              p12 = ctl 0 of 2()
            } (p12, v11)
            (v13) {
              v14 = next(v13)
              p15 = ctl 1 of 2() ; src3
            } (p15, v14) ; src3
          } (p8, v9:src100, io6)
        } (mem1, io4) ; src4
    "#]]);
    make.cfg.terminator_mut(body).progress = true;
    make.check(expect![[r#"
        (v0, mem1, io2) {
          v3 = theta(v0) ; src1
          (v4:src100) {
            p5 = match [0 -> 0, else 1](v4:src100) ; src2
            p6, v7:src100 = gamma(p5, v4:src100)
            (v8) {
              v9 = poison()
              p10 = ctl 0 of 2()
            } (p10, v9)
            (v11) {
              v12 = next(v11)
              p13 = ctl 1 of 2() ; src3
            } (p13, v12) ; src3
          } (p6, v7:src100)
        } (mem1, io2) ; src4
    "#]]);
}

/// The only jump that repeats an endless loop is known by the loop's predicate.
#[test]
fn endless_loop() {
    let mut make = Make::new(0);
    let entry = make.cfg.entry();
    let [head, tail] = [(); 2].map(|()| make.block());
    make.jump(entry, head, &[]);
    make.end(entry, 1);
    make.act(head, "tick", &[], Effects::IO);
    make.jump(head, tail, &[]);
    make.end(head, 2);
    make.jump(tail, head, &[]);
    make.end(tail, 3);
    make.check(expect![[r#"
        (mem0, io1) {
          io2 = theta(io1) ; src1
          (io3) {
            io4 = tick(io3)
            p5 = ctl 1 of 2() ; src3
          } (p5, io4) ; src3
        } (mem0, io2)
    "#]]);
}

/// A phi after a loop is carried by an output of the loop.
#[test]
fn loop_exit() {
    let mut make = Make::new(0);
    let (x, entry) = (make.param(), make.cfg.entry());
    let [body, after] = [(); 2].map(|()| make.block());
    let (phi, out) = (make.phi(body, 100), make.phi(after, 101));
    make.jump(entry, body, &[x]);
    let f = make.pure(body, "f", &[phi]);
    let g = make.pure(body, "g", &[f]);
    make.switch(body, g, &[(after, &[g]), (body, &[f])]);
    make.end(body, 1);
    make.act(after, "use", &[out], Effects::IO);
    make.ret(after, &[]);
    make.check(expect![[r#"
        (v0, mem1, io2) {
          v3 = poison()
          v4, io5, v6:src101 = theta(v0, io2, v3)
          (v7:src100, io8, v9) {
            v10 = f(v7:src100)
            v11 = g(v10)
            p12 = match [0 -> 0, else 1](v11) ; src1
          } (p12, v10, io8, v11)
          io13 = use(v6:src101, io5)
        } (mem1, io13)
    "#]]);
}
