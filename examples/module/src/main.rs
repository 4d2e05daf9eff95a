//! A first module: the sum of the squares of the odd numbers below `n`.

#![forbid(unsafe_code)]

use std::error::Error;
use std::io::{stderr, stdout};

use rvsdg_build::{BuildError, ModuleBuilder};
use rvsdg_core::{Module, Type, text};
use rvsdg_interp::{Config, Machine, Value};
use rvsdg_passes::{Manager, Pipeline};

/// ```c
/// long squares(long n) {
///     long sum = 0;
///     for (long i = 0; i < n; i++)
///         if (i & 1) sum += i * i;
///     return sum;
/// }
/// ```
fn squares() -> Result<Module, BuildError> {
    let mut module = ModuleBuilder::new("squares.c");
    let squares = module.function("squares", &[Type::I64], Type::I64);

    let mut f = module.body(squares);
    let (n, zero, one) = (f.param(0), f.int(Type::I64, 0), f.int(Type::I64, 1));
    let sum = f.declare("sum", Type::I64);
    f.def(sum, zero);

    let i = f.for_(zero, n);
    let low = f.and(i, one);
    let is_odd = f.ne(low, zero);
    f.if_(is_odd);
    let (square, before) = (f.mul(i, i), f.use_(sum));
    let after = f.add(before, square);
    f.def(sum, after);
    f.end();
    f.end();

    let result = f.use_(sum);
    f.return_(result);
    module.define(f)?;
    module.finish()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut module = squares()?;
    println!("{}", text::print_module(&module));

    Manager::default().run(&mut module, &Pipeline::parse("default<O2>")?)?;

    let machine = Machine::new(module.verify()?, Config::default(), Box::new(stdout()), Box::new(stderr()));
    let mut machine = machine.map_err(|outcome| outcome.to_string())?;
    println!("under the interpreter: {}", machine.call("squares", &[Value::from_bits(64, 10)]));

    std::fs::write("squares.ll", rvsdg_emit::emit(&module)?)?;
    Ok(())
}
