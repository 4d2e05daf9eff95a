//! Construction of small control flow graphs made by hand. Behaviour on all shapes is tested in `rvsdg-gen`.

mod listing;
mod loops;
mod nests;
mod sources;

use std::sync::Arc;

use expect_test::{Expect, expect};
use rvsdg_core::op::{Effects, ExtOp, MatchTable, Op};
use rvsdg_core::{Pool, SourceId, Type};

use super::build;
use crate::cfg::{Cfg, Value};
use crate::restructure::Options;
use crate::shape::Block;

/// A control flow graph under construction, with operations of a dialect of the tests.
struct Make {
    cfg: Cfg,
    pool: Arc<Pool>,
}

impl Make {
    /// A function that returns values of the given number.
    fn new(returns: usize) -> Self {
        let pool = Arc::new(Pool::new());
        let mut cfg = Cfg::new(pool.clone());
        for _ in 0..returns {
            cfg.add_block_param(cfg.exit(), Type::I32, None);
        }
        Self { cfg, pool }
    }

    fn param(&mut self) -> Value {
        self.cfg.add_param(Type::I32)
    }

    fn block(&mut self) -> Block {
        self.cfg.add_block()
    }

    fn block_param(&mut self, block: Block) -> Value {
        self.cfg.add_block_param(block, Type::I32, None)
    }

    fn int(&mut self, value: u64) -> Value {
        let constant = self.pool.int_const(Type::I32, value);
        self.cfg.add_const(constant, &[])
    }

    fn ext(&self, name: &str, inputs: usize, outputs: usize, effects: Effects) -> Op {
        Op::Ext(self.pool.intern_ext(ExtOp {
            name: name.into(),
            inputs: vec![Type::I32; inputs].into(),
            outputs: vec![Type::I32; outputs].into(),
            effects,
            speculatable: effects == Effects::NONE,
            commutative: false,
        }))
    }

    /// An operation that computes a value.
    fn pure(&mut self, block: Block, name: &str, operands: &[Value]) -> Value {
        let op = self.ext(name, operands.len(), 1, Effects::NONE);
        let inst = self.cfg.add_inst(block, op, operands, &[Type::I32]);
        self.cfg.results(inst)[0]
    }

    /// An operation without results.
    fn act(&mut self, block: Block, name: &str, operands: &[Value], effects: Effects) {
        let op = self.ext(name, operands.len(), 0, effects);
        self.cfg.add_inst(block, op, operands, &[]);
    }

    fn jump(&mut self, from: Block, to: Block, args: &[Value]) {
        self.cfg.add_arc(from, to, args);
    }

    fn ret(&mut self, from: Block, values: &[Value]) {
        self.jump(from, self.cfg.exit(), values);
    }

    /// A switch on 0, 1, …, with the last arc as default.
    fn switch(&mut self, from: Block, on: Value, arcs: &[(Block, &[Value])]) {
        let last = arcs.len() as u32 - 1;
        let cases = (0..last).map(|case| (self.pool.int_const(Type::I32, case.into()), case)).collect();
        let table = self.pool.intern_table(MatchTable { cases, default: last, alternatives: last + 1 });
        let predicate = self.cfg.add_detached(Op::Match(table), &[on], &[]);
        self.cfg.terminator_mut(from).predicate = predicate.into();
        for &(to, args) in arcs {
            self.jump(from, to, args);
        }
    }

    fn check(&self, expected: Expect) {
        self.check_with(Options::default(), expected);
    }

    fn check_with(&self, options: Options, expected: Expect) {
        let cfg = self.cfg.verify().unwrap_or_else(|violations| panic!("{violations}"));
        let graph = build(&cfg, &options);
        expected.assert_eq(&listing::listing(&graph));
    }
}

#[test]
fn straight_line() {
    let mut make = Make::new(1);
    make.cfg.add_context(Type::PTR);
    let (x, entry) = (make.param(), make.cfg.entry());
    let one = make.int(1);
    let sum = make.pure(entry, "add", &[x, one]);
    make.act(entry, "store", &[sum], Effects::MEM);
    make.act(entry, "print", &[sum, one], Effects::IO);
    make.act(entry, "call", &[], Effects::ALL);
    make.ret(entry, &[sum]);
    make.check(expect![[r#"
        (v0, v1, mem2, io3) {
          v4 = 1()
          v5 = add(v1, v4)
          mem6 = store(v5, mem2)
          io7 = print(v5, v4, io3)
          mem8, io9 = call(mem6, io7)
        } (v5, mem8, io9)
    "#]]);
}

/// The context variable that fills the hole of a constant is routed; the constant is not.
#[test]
fn constants_are_made_in_each_region() {
    let mut make = Make::new(0);
    let context = make.cfg.add_context(Type::PTR);
    let (x, entry) = (make.param(), make.cfg.entry());
    let hole = make.pool.intern_const(rvsdg_core::Constant::Hole { ty: Type::PTR, index: 0 });
    let address = make.pool.intern_const(rvsdg_core::Constant::Expr {
        ty: Type::PTR,
        op: Op::Freeze,
        operands: [hole].into(),
        in_range: None,
    });
    let address = make.cfg.add_const(address, &[context]);
    let (then, join) = (make.block(), make.block());
    make.act(entry, "a", &[address, address], Effects::IO);
    make.switch(entry, x, &[(then, &[]), (join, &[])]);
    make.act(then, "b", &[address], Effects::IO);
    make.jump(then, join, &[]);
    make.act(join, "c", &[address], Effects::IO);
    make.ret(join, &[]);
    make.check(expect![[r#"
        (v0, v1, mem2, io3) {
          v4 = constant(v0)
          io5 = a(v4, v4, io3)
          p6 = match [0 -> 0, else 1](v1)
          io7 = gamma(p6, v0, io5)
          (v8, io9) {
            v10 = constant(v8)
            io11 = b(v10, io9)
          } (io11)
          (v12, io13) {
          } (io13)
          io14 = c(v4, io7)
        } (mem2, io14)
    "#]]);
}

#[test]
fn branch_with_join() {
    let mut make = Make::new(1);
    let (x, y, entry) = (make.param(), make.param(), make.cfg.entry());
    let (then, other, join) = (make.block(), make.block(), make.block());
    let phi = make.block_param(join);
    make.switch(entry, x, &[(then, &[]), (other, &[])]);
    let value = make.pure(then, "f", &[y]);
    make.act(then, "store", &[value], Effects::MEM);
    make.jump(then, join, &[value]);
    let seven = make.int(7);
    make.jump(other, join, &[seven]);
    let result = make.pure(join, "g", &[phi, y]);
    make.ret(join, &[result]);
    make.check(expect![[r#"
        (v0, v1, mem2, io3) {
          p4 = match [0 -> 0, else 1](v0)
          v5, mem6 = gamma(p4, v1, mem2)
          (v7, mem8) {
            v9 = f(v7)
            mem10 = store(v9, mem8)
          } (v9, mem10)
          (v11, mem12) {
            v13 = 7()
          } (v13, mem12)
          v14 = g(v5, v1)
        } (v14, mem6, io3)
    "#]]);
}

#[test]
fn branch_without_else() {
    let mut make = Make::new(1);
    let (x, y, entry) = (make.param(), make.param(), make.cfg.entry());
    let (then, join) = (make.block(), make.block());
    let phi = make.block_param(join);
    make.switch(entry, x, &[(join, &[y]), (then, &[])]);
    make.act(then, "print", &[], Effects::IO);
    let value = make.pure(then, "f", &[y]);
    make.jump(then, join, &[value]);
    make.ret(join, &[phi]);
    make.check(expect![[r#"
        (v0, v1, mem2, io3) {
          p4 = match [0 -> 0, else 1](v0)
          v5, io6 = gamma(p4, v1, io3)
          (v7, io8) {
          } (v7, io8)
          (v9, io10) {
            io11 = print(io10)
            v12 = f(v9)
          } (v12, io11)
        } (v5, mem2, io6)
    "#]]);
}

/// Values from outside are routed through both γs; the inner join's parameter leaves the outer one as another's.
#[test]
fn nested_branches() {
    let mut make = Make::new(1);
    let (x, y, z, entry) = (make.param(), make.param(), make.param(), make.cfg.entry());
    let [outer, a, b, inner_join, join] = [(); 5].map(|()| make.block());
    let inner_phi = make.block_param(inner_join);
    let phi = make.block_param(join);
    make.switch(entry, x, &[(outer, &[]), (join, &[z])]);
    make.switch(outer, y, &[(a, &[]), (b, &[])]);
    let f = make.pure(a, "f", &[z]);
    make.jump(a, inner_join, &[f]);
    let g = make.pure(b, "g", &[z]);
    make.jump(b, inner_join, &[g]);
    let h = make.pure(inner_join, "h", &[inner_phi]);
    make.jump(inner_join, join, &[h]);
    make.ret(join, &[phi]);
    make.check(expect![[r#"
        (v0, v1, v2, mem3, io4) {
          p5 = match [0 -> 0, else 1](v0)
          v6 = gamma(p5, v1, v2)
          (v7, v8) {
            p9 = match [0 -> 0, else 1](v7)
            v10 = gamma(p9, v8)
            (v11) {
              v12 = f(v11)
            } (v12)
            (v13) {
              v14 = g(v13)
            } (v14)
            v15 = h(v10)
          } (v15)
          (v16, v17) {
          } (v17)
        } (v6, mem3, io4)
    "#]]);
}

#[test]
fn switch_with_shared_target() {
    let mut make = Make::new(1);
    let (x, entry) = (make.param(), make.cfg.entry());
    let [a, b, join] = [(); 3].map(|()| make.block());
    let (phi_b, phi) = (make.block_param(b), make.block_param(join));
    let [one, two] = [1, 2].map(|value| make.int(value));
    make.switch(entry, x, &[(a, &[]), (b, &[one]), (join, &[x])]);
    make.act(a, "a", &[], Effects::IO);
    make.jump(a, b, &[two]);
    make.act(b, "b", &[phi_b], Effects::IO);
    make.jump(b, join, &[phi_b]);
    make.ret(join, &[phi]);
    make.check(expect![[r#"
        (v0, mem1, io2) {
          p3 = match [0 -> 0, 1 -> 1, else 2](v0)
          v4, p5, v6, io7 = gamma(p3, io2, v0)
          (io8, v9) {
            v10 = poison()
            io11 = a(io8)
            v12 = 2()
            p13 = ctl 0 of 2()
          } (v12, p13, v10, io11)
          (io14, v15) {
            v16 = poison()
            v17 = 1()
            p18 = ctl 0 of 2()
          } (v17, p18, v16, io14)
          (io19, v20) {
            v21 = poison()
            p22 = ctl 1 of 2()
          } (v21, p22, v20, io19)
          v23, io24 = gamma(p5, v4, io7, v6)
          (v25, io26, v27) {
            io28 = b(v25, io26)
          } (v25, io28)
          (v29, io30, v31) {
          } (v31, io30)
        } (v23, mem1, io24)
    "#]]);
}

/// Each return assigns the exit's parameter.
#[test]
fn several_returns() {
    let mut make = Make::new(1);
    let (x, y, entry) = (make.param(), make.param(), make.cfg.entry());
    let [early, rest, a, b] = [(); 4].map(|()| make.block());
    make.switch(entry, x, &[(early, &[]), (rest, &[])]);
    let one = make.int(1);
    make.ret(early, &[one]);
    let value = make.pure(rest, "f", &[y]);
    make.switch(rest, y, &[(a, &[]), (b, &[])]);
    make.act(a, "a", &[value], Effects::IO);
    make.ret(a, &[value]);
    make.ret(b, &[x]);
    make.check(expect![[r#"
        (v0, v1, mem2, io3) {
          p4 = match [0 -> 0, else 1](v0)
          v5, io6 = gamma(p4, v1, io3, v0)
          (v7, io8, v9) {
            v10 = 1()
          } (v10, io8)
          (v11, io12, v13) {
            v14 = f(v11)
            p15 = match [0 -> 0, else 1](v11)
            v16, io17 = gamma(p15, v14, io12, v13)
            (v18, io19, v20) {
              io21 = a(v18, io19)
            } (v18, io21)
            (v22, io23, v24) {
            } (v24, io23)
          } (v16, io17)
        } (v5, mem2, io6)
    "#]]);
}

/// A join inside of an alternative: the value that dominates it goes into the branch on `p`.
#[test]
fn join_in_an_alternative() {
    let mut make = Make::new(0);
    let (x, entry) = (make.param(), make.cfg.entry());
    let [a, b, c, other] = [(); 4].map(|()| make.block());
    make.switch(entry, x, &[(a, &[]), (other, &[])]);
    let value = make.pure(a, "f", &[x]);
    make.switch(a, value, &[(b, &[]), (c, &[]), (other, &[])]);
    make.jump(b, c, &[]);
    make.act(c, "use", &[value], Effects::IO);
    make.jump(c, other, &[]);
    make.ret(other, &[]);
    make.check(expect![[r#"
        (v0, mem1, io2) {
          p3 = match [0 -> 0, else 1](v0)
          io4 = gamma(p3, v0, io2)
          (v5, io6) {
            v7 = f(v5)
            p8 = match [0 -> 0, 1 -> 1, else 2](v7)
            p9 = gamma(p8)
            () {
              p10 = ctl 0 of 2()
            } (p10)
            () {
              p11 = ctl 0 of 2()
            } (p11)
            () {
              p12 = ctl 1 of 2()
            } (p12)
            io13 = gamma(p9, v7, io6)
            (v14, io15) {
              io16 = use(v14, io15)
            } (io16)
            (v17, io18) {
            } (io18)
          } (io13)
          (v19, io20) {
          } (io20)
        } (mem1, io4)
    "#]]);
}

#[test]
fn unreachable_flows_to_the_exit() {
    let mut make = Make::new(1);
    let (x, entry) = (make.param(), make.cfg.entry());
    let [trap, good] = [(); 2].map(|()| make.block());
    make.switch(entry, x, &[(trap, &[]), (good, &[])]);
    make.cfg.add_inst(trap, Op::Unreachable, &[], &[]);
    let poison = make.pool.poison(Type::I32);
    let poison = make.cfg.add_const(poison, &[]);
    make.ret(trap, &[poison]);
    make.ret(good, &[x]);
    make.check(expect![[r#"
        (v0, mem1, io2) {
          p3 = match [0 -> 0, else 1](v0)
          v4, io5 = gamma(p3, io2, v0)
          (io6, v7) {
            io8 = unreachable(io6)
            v9 = poison()
          } (v9, io8)
          (io10, v11) {
          } (v11, io10)
        } (v4, mem1, io5)
    "#]]);
}
