//! Machine code, and modules that go to other threads.

use rvsdg_llvm::inkwell::context::Context;
use rvsdg_llvm::{
    CodeForm, CodegenError, CodegenOptions, Jit, LlvmModule, OptimizeOptions, optimize_in_place, optimize_module,
};
use rvsdg_passes::{Budget, Manager, Pipeline};

const SUM: &[u8] = b"
define i64 @sum(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %after, %loop ]
  %square = mul i64 %i, %i
  %after = add i64 %sum, %square
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret i64 %after
}
";

fn parsed() -> LlvmModule {
    LlvmModule::parse(SUM, "sum.ll").unwrap().0
}

fn sum(jit: &Jit) -> i64 {
    let sum = jit.address("sum").unwrap();
    // SAFETY: `@sum` has this type, and the code lives on.
    let sum: extern "C" fn(i64) -> i64 = unsafe { std::mem::transmute(sum.get()) };
    sum(10)
}

#[test]
fn functions_can_be_called_in_another_thread() {
    let options = OptimizeOptions { threads: 1, ..OptimizeOptions::default() };
    let llvm = optimize_module(parsed(), &Pipeline::parse("default<O2>").unwrap(), &options).unwrap().write().unwrap();
    let llvm = llvm.into_send().unwrap();
    let jit = std::thread::spawn(|| Jit::new(llvm.into_module(), &CodegenOptions::default()).unwrap()).join().unwrap();
    assert_eq!(sum(&jit), 285);
    assert!(jit.address("none").is_none());
}

#[test]
fn object_files_and_assembly_are_for_the_target() {
    let options = CodegenOptions::default();
    assert!(!parsed().generate(CodeForm::Object, &options).unwrap().is_empty());
    let text = String::from_utf8(parsed().generate(CodeForm::Assembly, &options).unwrap()).unwrap();
    assert!(text.contains("sum:"), "{text}");
    let other = [b"target triple = \"nowhere-unknown-unknown\"\n", SUM].concat();
    let (llvm, _) = LlvmModule::parse(&other, "sum.ll").unwrap();
    let error = llvm.generate(CodeForm::Object, &options).unwrap_err();
    assert!(matches!(error, CodegenError::Target { .. }), "{error}");
}

#[test]
fn borrowed_modules_are_not_taken_over() {
    let context = Context::create();
    let module = context.create_module("m");
    // SAFETY: the module is live and outlives what is borrowed.
    let borrow = || unsafe { LlvmModule::borrow_raw(module.as_mut_ptr(), "m") }.unwrap();
    assert!(borrow().into_send().is_none());
    assert!(matches!(Jit::new(borrow(), &CodegenOptions::default()), Err(CodegenError::Borrowed { .. })));
    assert!(module.verify().is_ok());
}

#[test]
fn a_spent_budget_leaves_a_module_that_is_right() {
    for rewrites in 0..40 {
        let manager = Manager { budget: Budget { rewrites: Some(rewrites), time: None }, ..Manager::default() };
        let options = OptimizeOptions { threads: 1, manager, ..OptimizeOptions::default() };
        let pipeline = Pipeline::parse("default<O3>").unwrap();
        let llvm = optimize_module(parsed(), &pipeline, &options).unwrap().write().unwrap();
        assert_eq!(sum(&Jit::new(llvm, &CodegenOptions::default()).unwrap()), 285);
    }
}

#[test]
fn invalid_modules_are_refused_in_place() {
    let context = Context::create();
    let module = context.create_module("m");
    let f = module.add_function("f", context.void_type().fn_type(&[], false), None);
    context.append_basic_block(f, "entry");
    let pipeline = Pipeline::parse("default<O2>").unwrap();
    assert!(optimize_in_place(&module, &pipeline, &OptimizeOptions::default()).is_err());
}
