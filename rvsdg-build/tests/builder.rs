//! What is built does what was said, and what is said wrongly is reported.

use rvsdg_build::{BuildError, FunctionBuilder, ModuleBuilder, Variable};
use rvsdg_core::attribute::AttributeKind;
use rvsdg_core::module::{Linkage, SymbolKind};
use rvsdg_core::{Module, Type, TypeKind};
use rvsdg_interp::{Config, Machine, Value};

/// What `@f` returns for some integers of 64 bits.
fn returns(module: &Module, arguments: &[i64]) -> String {
    let (stdout, stderr) = (Box::new(std::io::sink()), Box::new(std::io::sink()));
    let mut machine = Machine::new(module.verify().unwrap(), Config::default(), stdout, stderr).ok().unwrap();
    let arguments: Vec<Value> = arguments.iter().map(|&bits| Value::from_bits(64, bits as u64 as u128)).collect();
    machine.call("f", &arguments).to_string()
}

/// The module of a function `@f` of some integers of 64 bits that gives one.
fn module(params: usize, build: impl FnOnce(&mut FunctionBuilder)) -> Result<Module, BuildError> {
    let mut module = ModuleBuilder::new("test");
    let function = module.function("f", &vec![Type::I64; params], Type::I64);
    let mut f = module.body(function);
    build(&mut f);
    module.define(f)?;
    module.finish()
}

fn add_to(f: &mut FunctionBuilder, variable: Variable, number: i64) {
    let (before, number) = (f.use_(variable), f.int(Type::I64, number));
    let after = f.add(before, number);
    f.def(variable, after);
}

#[test]
fn breaks_and_continues_go_where_they_say() {
    // The pairs i < 10, j < 10 before the first with i * j = 42, without those where j is 3.
    let module = module(0, |f| {
        let (zero, three, ten, wanted) =
            (f.int(Type::I64, 0), f.int(Type::I64, 3), f.int(Type::I64, 10), f.int(Type::I64, 42));
        let count = f.declare("count", Type::I64);
        f.def(count, zero);
        let i = f.for_(zero, ten);
        let outer = f.current_loop().unwrap();
        let j = f.for_(zero, ten);
        let is_three = f.eq(j, three);
        f.if_(is_three);
        f.continue_();
        f.end();
        let product = f.mul(i, j);
        let is_found = f.eq(product, wanted);
        f.if_(is_found);
        f.break_from(outer);
        f.end();
        add_to(f, count, 1);
        f.end();
        f.end();
        let count = f.use_(count);
        f.return_(count);
    })
    .unwrap();
    // Six rows of nine, and of the next j = 0, 1, 2, 4, 5, 6.
    assert_eq!(returns(&module, &[]), "returned 60");
}

#[test]
fn switches_choose() {
    let module = module(1, |f| {
        let result = f.declare("result", Type::I64);
        let zero = f.int(Type::I64, 0);
        f.def(result, zero);
        f.switch_(f.param(0));
        f.case_(&[1, 2]);
        add_to(f, result, 10);
        f.case_(&[3]);
        let three = f.int(Type::I64, 333);
        f.return_(three);
        f.default_();
        add_to(f, result, 20);
        f.case_(&[-1]);
        f.end();
        add_to(f, result, 1);
        let result = f.use_(result);
        f.return_(result);
    })
    .unwrap();
    for (argument, expected) in [(1, 11), (2, 11), (3, 333), (4, 21), (-1, 1)] {
        assert_eq!(returns(&module, &[argument]), format!("returned {expected}"));
    }
}

#[test]
fn labels_make_any_control_flow() {
    // A loop with two entries, which counts down from the parameter or from 100.
    let module = module(1, |f| {
        let (zero, hundred) = (f.int(Type::I64, 0), f.int(Type::I64, 100));
        let (left, steps) = (f.declare("left", Type::I64), f.declare("steps", Type::I64));
        let (head, middle, done) = (f.label(), f.label(), f.label());
        f.def(left, f.param(0));
        f.def(steps, zero);
        let is_zero = f.eq(f.param(0), zero);
        f.branch(is_zero, middle, head);
        f.bind(head);
        add_to(f, left, -1);
        add_to(f, steps, 1);
        let now = f.use_(left);
        let more = f.sgt(now, zero);
        f.branch(more, head, done);
        f.bind(middle);
        f.def(left, hundred);
        f.jump(head);
        f.bind(done);
        let steps = f.use_(steps);
        f.return_(steps);
    })
    .unwrap();
    assert_eq!(returns(&module, &[7]), "returned 7");
    assert_eq!(returns(&module, &[0]), "returned 100");
}

#[test]
fn code_after_a_return_is_dead() {
    let module = module(1, |f| {
        let x = f.declare("x", Type::I64);
        f.def(x, f.param(0));
        f.return_(f.param(0));
        assert!(!f.is_reachable());
        let value = f.use_(x);
        let value = f.add(value, value);
        let zero = f.int(Type::I64, 0);
        let is_zero = f.eq(value, zero);
        f.if_(is_zero);
        f.def(x, value);
        f.else_();
        f.loop_();
        f.end();
        f.end();
        let value = f.use_(x);
        f.return_(value);
    })
    .unwrap();
    assert_eq!(returns(&module, &[5]), "returned 5");
    assert!(rvsdg_core::text::print_module(&module).lines().count() < 12);
}

#[test]
fn a_variable_that_changes_in_no_branch_has_no_phi() {
    let module = module(1, |f| {
        let x = f.declare("x", Type::I64);
        f.def(x, f.param(0));
        let zero = f.int(Type::I64, 0);
        f.for_(zero, f.param(0));
        let same = f.use_(x);
        f.def(x, same);
        f.end();
        let x = f.use_(x);
        f.return_(x);
    })
    .unwrap();
    let text = rvsdg_core::text::print_module(&module);
    // The theta has the counter, the bound and the io state.
    assert!(text.contains("theta"), "{text}");
    assert_eq!(returns(&module, &[3]), "returned 3");
}

#[test]
fn initializers_have_addresses() {
    let mut builder = ModuleBuilder::new("test");
    let seven = builder.global("seven", builder.int(Type::I64, 7));
    let pointer = builder.address(seven);
    let pointer = builder.global("pointer", pointer);
    let function = builder.function("f", &[], Type::I64);
    let mut f = builder.body(function);
    let pointer = f.address(pointer);
    let address = f.load(Type::PTR, pointer);
    let value = f.load(Type::I64, address);
    f.return_(value);
    builder.define(f).unwrap();
    assert_eq!(returns(&builder.finish().unwrap(), &[]), "returned 7");
}

#[test]
fn structures_have_fields() {
    let module = module(2, |f| {
        let elements = [Type::I32, Type::I64].into();
        let pair = f.pool().intern_type(TypeKind::Struct { elements, packed: false });
        let slot = f.slot(pair);
        let second = f.field(pair, slot, 1);
        f.store(f.param(1), second);
        let first = f.field(pair, slot, 0);
        let low = f.trunc(f.param(0), Type::I32);
        f.store(low, first);
        let value = f.load(Type::I64, second);
        f.return_(value);
    })
    .unwrap();
    assert_eq!(returns(&module, &[1, 9]), "returned 9");
}

#[test]
fn functions_have_attributes_and_linkage() {
    let mut builder = ModuleBuilder::new("test");
    let function = builder.function("f", &[], Type::VOID);
    builder.attribute(function, "nounwind");
    builder.symbol(function).linkage = Linkage::Internal;
    builder.define(builder.body(function)).unwrap();
    let module = builder.finish().unwrap();
    let SymbolKind::Function { attributes, .. } = module.symbols[function.symbol].kind else { panic!("a function") };
    assert!(module.pool.attributes(attributes).function_has(AttributeKind::NoUnwind));
    assert!(module.imports.is_empty());
}

/// What is said of a wrong function of one integer.
fn error(build: impl FnOnce(&mut FunctionBuilder)) -> String {
    let error = module(1, build).err().expect("something is wrong").to_string();
    error.split_once(": ").expect("a place comes first").1.to_owned()
}

#[test]
fn mistakes_are_reported() {
    let found = [
        error(|_| {}),
        error(|f| f.return_(None)),
        error(|f| {
            f.if_(f.param(0));
        }),
        error(|f| {
            f.loop_();
        }),
        error(|f| f.else_()),
        error(|f| f.end()),
        error(|f| f.break_()),
        error(|f| {
            f.while_();
            f.end();
            f.unreachable();
        }),
        error(|f| {
            let x = f.declare("x", Type::I64);
            let value = f.use_(x);
            f.return_(value);
        }),
        error(|f| {
            let x = f.declare("x", Type::I32);
            f.def(x, f.param(0));
        }),
        error(|f| {
            let label = f.label();
            f.jump(label);
        }),
        error(|f| {
            let condition = f.bool(true);
            f.if_(condition);
            let inner = f.add(f.param(0), f.param(0));
            f.end();
            f.return_(inner);
        }),
        error(|f| {
            let value = f.load(Type::I64, f.param(0));
            f.return_(value);
        }),
        error(|f| {
            f.switch_(f.param(0));
            f.case_(&[1]);
            f.case_(&[2, 1]);
            f.end();
            f.unreachable();
        }),
    ];
    let expected = [
        "@f: the end, which control gets to; expected return_ of a value of type i64, or unreachable",
        "@f: return_ of void; expected i64",
        "@f: a condition of type i64; expected i1",
        "@f: loop without end; expected an end for each construct",
        "@f: else_ in the function; expected if_ without an else_ so far",
        "@f: end in the function; expected something to end",
        "@f: break_ outside of loops; expected a loop around it",
        "@f: while_ without do_; expected do_ with the condition before the end",
        "@f: variable x, which nothing assigns; expected `def` before `use_`",
        "@f: assignment of i64 to variable x; expected a value of type i32",
        "@f: a label without a place; expected `bind` for each label that is jumped to",
    ];
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found, expected);
    }
    assert!(found[11].contains("whose definition does not dominate this use"), "{}", found[11]);
    assert_eq!(found[12], "@f: load with an address of type i64; expected a pointer");
    assert_eq!(found[13], "@f: a second case_ of 1; expected each integer once");
}

#[test]
fn values_stay_in_their_function() {
    let mut builder = ModuleBuilder::new("test");
    let (f, g) = (builder.function("f", &[Type::I64], Type::I64), builder.function("g", &[Type::I64], Type::I64));
    let (first, mut second) = (builder.body(f), builder.body(g));
    second.return_(first.param(0));
    let error = builder.define(second).unwrap_err();
    assert!(error.at.file().ends_with("builder.rs"));
    assert_eq!(error.construct, "return_ of void");
}

#[test]
fn the_place_of_a_mistake_is_in_the_front_end() {
    let line = line!() + 1;
    let error = module(1, |f| f.return_(None)).err().unwrap();
    assert_eq!((error.at.file().rsplit(['/', '\\']).next(), error.at.line()), (Some("builder.rs"), line));
}

#[test]
fn attributes_that_do_not_exist_are_reported() {
    let mut builder = ModuleBuilder::new("test");
    let function = builder.function("f", &[], Type::VOID);
    builder.attribute(function, "nounwnd");
    builder.define(builder.body(function)).unwrap();
    assert!(builder.finish().err().unwrap().to_string().contains("nounwnd"));
}

#[test]
fn long_and_deep_functions_stay_linear() {
    let size = |count: usize| {
        let module = module(1, |f| {
            let x = f.declare("x", Type::I64);
            let zero = f.int(Type::I64, 0);
            f.def(x, f.param(0));
            for depth in 0..count {
                let now = f.use_(x);
                let is_zero = f.eq(now, zero);
                f.if_(is_zero);
                add_to(f, x, depth as i64);
                if depth % 2 == 0 {
                    f.end();
                }
            }
            for _ in 0..count / 2 {
                f.end();
            }
            let x = f.use_(x);
            f.return_(x);
        });
        let module = module.unwrap();
        module.bodies.values().filter_map(|body| body.graph()).map(|graph| graph.node_count()).sum::<usize>()
    };
    let (small, large) = (size(1_000), size(8_000));
    assert!(large < small * 9, "8 times as much is {large} nodes instead of {small}");
}
