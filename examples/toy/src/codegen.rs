//! Code generation: a module from the functions of a program.

use std::collections::BTreeMap;

use rvsdg_build::{BuildError, Function, FunctionBuilder, Global, ModuleBuilder, Value, Variable};
use rvsdg_core::op::BinaryFlags;
use rvsdg_core::{Module, Type};

use crate::syntax::{self, Expr, Local, Statement};

/// A function being compiled.
struct Body<'p> {
    f: FunctionBuilder,
    /// Numbers, and addresses of arrays.
    variables: BTreeMap<Local, Variable>,
    functions: &'p BTreeMap<&'p str, Function>,
    printf: Function,
    format: Global,
}

/// The module of a program.
pub fn compile(functions: &[syntax::Function]) -> Result<Module, BuildError> {
    let mut module = ModuleBuilder::new("program.toy");
    let printf = module.import_variadic("printf", &[Type::PTR], Type::I32);
    let format = module.string("%ld\n");
    let mut known = BTreeMap::new();
    for syntax::Function { name, params, .. } in functions {
        let types: Vec<Type> = params.iter().map(|&array| if array { Type::PTR } else { Type::I64 }).collect();
        known.insert(name.as_str(), module.function(name, &types, Type::I64));
    }
    for syntax::Function { name, params, body, .. } in functions {
        let (f, variables) = (module.body(known[name.as_str()]), BTreeMap::new());
        let mut compiler = Body { f, variables, functions: &known, printf, format };
        for local in 0..params.len() {
            let param = compiler.f.param(local as u32);
            compiler.assign(local, param);
        }
        compiler.block(body);
        let zero = compiler.f.int(Type::I64, 0);
        compiler.f.return_(zero);
        module.define(compiler.f)?;
    }
    module.finish()
}

impl Body<'_> {
    fn block(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Array(array, len) => {
                    let slot = self.f.array_slot(Type::I64, *len);
                    self.assign(*array, slot);
                    let (zero, len) = (self.f.int(Type::I64, 0), self.f.int(Type::I64, *len as i64));
                    let index = self.f.for_(zero, len);
                    let element = self.f.element(Type::I64, slot, index);
                    self.f.store(zero, element);
                    self.f.end();
                }
                Statement::Assign(variable, value) => {
                    let value = self.value(value);
                    self.assign(*variable, value);
                }
                Statement::AssignElement(array, index, value) => {
                    let (address, value) = (self.element(*array, index), self.value(value));
                    self.f.store(value, address);
                }
                Statement::If(condition, then, otherwise) => {
                    let condition = self.condition(condition);
                    self.f.if_(condition);
                    self.block(then);
                    self.f.else_();
                    self.block(otherwise);
                    self.f.end();
                }
                Statement::While(condition, body) => {
                    self.f.while_();
                    let condition = self.condition(condition);
                    self.f.do_(condition);
                    self.block(body);
                    self.f.end();
                }
                Statement::Continue => self.f.continue_(),
                Statement::Break => self.f.break_(),
                Statement::Return(value) => {
                    let value = self.value(value);
                    self.f.return_(value);
                }
                Statement::Print(value) => {
                    let (format, value) = (self.f.address(self.format), self.value(value));
                    self.f.call(self.printf, &[format, value]);
                }
                Statement::Expr(value) => drop(self.value(value)),
            }
        }
    }

    fn value(&mut self, expr: &Expr) -> Value {
        match expr {
            Expr::Number(number) => self.f.int(Type::I64, *number),
            Expr::Local(local) => self.f.use_(self.variables[local]),
            Expr::Element(array, index) => {
                let address = self.element(*array, index);
                self.f.load(Type::I64, address)
            }
            Expr::Call(name, arguments) => {
                let arguments: Vec<Value> = arguments.iter().map(|argument| self.value(argument)).collect();
                self.f.call(self.functions[name.as_str()], &arguments)
            }
            Expr::Arithmetic(op, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                self.f.binary(*op, BinaryFlags::NONE, left, right)
            }
            Expr::Comparison(..) | Expr::And(..) | Expr::Or(..) => {
                let holds = self.condition(expr);
                self.f.zext(holds, Type::I64)
            }
        }
    }

    fn condition(&mut self, expr: &Expr) -> Value {
        match expr {
            Expr::And(left, right) | Expr::Or(left, right) => {
                let (holds, left) = (self.f.declare("a condition", Type::I1), self.condition(left));
                self.f.def(holds, left);
                let goes_on = if matches!(expr, Expr::And(..)) { left } else { self.f.not(left) };
                self.f.if_(goes_on);
                let right = self.condition(right);
                self.f.def(holds, right);
                self.f.end();
                self.f.use_(holds)
            }
            Expr::Comparison(predicate, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                self.f.icmp(*predicate, left, right)
            }
            _ => {
                let (value, zero) = (self.value(expr), self.f.int(Type::I64, 0));
                self.f.ne(value, zero)
            }
        }
    }

    fn element(&mut self, array: Local, index: &Expr) -> Value {
        let (array, index) = (self.f.use_(self.variables[&array]), self.value(index));
        self.f.element(Type::I64, array, index)
    }

    fn assign(&mut self, variable: Local, value: Value) {
        let ty = self.f.ty(value);
        let declare = || self.f.declare("a variable", ty);
        let variable = *self.variables.entry(variable).or_insert_with(declare);
        self.f.def(variable, value);
    }
}
