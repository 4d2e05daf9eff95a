//! Modules built by hand, and LLVM as judge of their text.

#![allow(dead_code)]

use std::io::Write;
use std::process::{Command, Stdio};

use expect_test::Expect;
use rvsdg_cfg::cfg::{Cfg, Value};
use rvsdg_core::attribute::{Attribute, AttributeList, Attributes};
use rvsdg_core::constant::Words;
use rvsdg_core::module::{
    Body, BodyData, Code, DllStorage, Header, Linkage, SymbolData, SymbolKind, ThreadLocal, UnnamedAddr, Visibility,
};
use rvsdg_core::op::{CallInfo, Effects, FastMath, MatchTable, Op, TailKind};
use rvsdg_core::structural::Lambda;
use rvsdg_core::{Const, Constant, Graph, Module, NodeKind, Origin, Pool, Symbol, Type, TypeKind};
use rvsdg_emit::{EmitError, emit_module};

/// A module with control flow graphs for its bodies.
pub struct Build {
    pub module: Module,
    pub bodies: Vec<(Body, Cfg)>,
    origins: Vec<(Symbol, Origin)>,
}

impl Build {
    pub fn new() -> Self {
        Build { module: Module::new(Header::default()), bodies: Vec::new(), origins: Vec::new() }
    }

    pub fn pool(&self) -> std::sync::Arc<Pool> {
        self.module.pool.clone()
    }

    /// A symbol with default properties.
    pub fn symbol(&mut self, name: &str, value_type: Type, kind: SymbolKind) -> Symbol {
        self.module.add_symbol(SymbolData {
            name: name.into(),
            value_type,
            address_space: 0,
            linkage: Linkage::External,
            visibility: Visibility::Default,
            dll_storage: DllStorage::Default,
            thread_local: ThreadLocal::None,
            unnamed_addr: UnnamedAddr::None,
            dso_local: false,
            section: None,
            partition: None,
            comdat: None,
            align: None,
            kind,
        })
    }

    /// A function that is not defined yet.
    pub fn function(&mut self, name: &str, result: Type, params: &[Type]) -> Symbol {
        self.function_with(name, result, params, false, AttributeList::default())
    }

    pub fn function_with(
        &mut self,
        name: &str,
        result: Type,
        params: &[Type],
        variadic: bool,
        attributes: AttributeList,
    ) -> Symbol {
        let ty = self.pool().intern_type(TypeKind::Function { result, params: params.into(), variadic });
        let attributes = self.pool().intern_attributes(attributes);
        let kind = SymbolKind::Function {
            convention: 0,
            attributes,
            gc: None,
            personality: None,
            prefix: None,
            prologue: None,
        };
        self.symbol(name, ty, kind)
    }

    pub fn data(&mut self, symbol: Symbol) -> &mut SymbolData {
        &mut self.module.symbols[symbol]
    }

    /// A variable whose initializer mentions `holes`.
    pub fn variable(&mut self, name: &str, ty: Type, initializer: Option<Const>, holes: &[Symbol]) -> Symbol {
        let attributes = self.pool().intern_attributes(AttributeList::default());
        let symbol = self.symbol(
            name,
            ty,
            SymbolKind::Variable {
                constant: false,
                externally_initialized: false,
                unescaped: false,
                owner: false,
                initializer,
                attributes,
                code_model: None,
                sanitizer: [].into(),
            },
        );
        if initializer.is_some() {
            self.delta(symbol, holes);
        }
        symbol
    }

    /// Defines a variable, alias or ifunc.
    pub fn delta(&mut self, symbol: Symbol, holes: &[Symbol]) {
        let inputs: Vec<Origin> = holes.iter().map(|&hole| self.origin(hole)).collect();
        let root = self.module.omega.root();
        let ty = self.address_type(symbol);
        let node = self.module.omega.add_node(root, NodeKind::Delta(symbol), &inputs, &[ty]);
        self.origins.push((symbol, self.module.omega.output(node, 0)));
    }

    /// The address of a symbol, which is imported when nothing defines it yet.
    fn origin(&mut self, symbol: Symbol) -> Origin {
        if let Some(&(_, origin)) = self.origins.iter().find(|(known, _)| *known == symbol) {
            return origin;
        }
        let origin = self.module.add_import(symbol);
        self.origins.push((symbol, origin));
        origin
    }

    /// Defines a function; `build` gets its graph with parameters, and a value for each symbol of `context`.
    pub fn define(&mut self, symbol: Symbol, context: &[Symbol], build: impl FnOnce(&mut Cfg, &[Value])) -> Body {
        let pool = self.pool();
        let inputs: Vec<Origin> = context.iter().map(|&symbol| self.origin(symbol)).collect();
        let code = Code::Graph(self.stub(symbol, &inputs));
        let body = self.module.bodies.insert(BodyData { symbol, code });
        let root = self.module.omega.root();
        let ty = self.address_type(symbol);
        let node = self.module.omega.add_node(root, NodeKind::Lambda(body), &[], &[ty]);
        let lambda = Lambda::new(&self.module.omega, node).expect("the node is a λ");
        for &input in &inputs {
            lambda.add_context(&mut self.module.omega, input);
        }
        self.origins.push((symbol, lambda.output(&self.module.omega)));
        let mut cfg = Cfg::new(pool.clone());
        let values: Vec<Value> = inputs.iter().map(|&input| cfg.add_context(self.module.omega.ty(input))).collect();
        if let TypeKind::Function { params, .. } = pool.type_kind(self.module.symbols[symbol].value_type) {
            for &param in params {
                cfg.add_param(param);
            }
        }
        build(&mut cfg, &values);
        self.bodies.push((body, cfg));
        body
    }

    fn address_type(&self, symbol: Symbol) -> Type {
        self.pool().intern_type(TypeKind::Ptr(self.module.symbols[symbol].address_space))
    }

    /// A body of the function's type: what is emitted is the control flow graph instead.
    fn stub(&self, symbol: Symbol, context: &[Origin]) -> Graph {
        let pool = self.pool();
        let mut graph = Graph::new(pool.clone());
        let root = graph.root();
        for &input in context {
            graph.add_argument(root, self.module.omega.ty(input));
        }
        let TypeKind::Function { result, params, .. } = pool.type_kind(self.module.symbols[symbol].value_type) else {
            panic!("a function has a function's type")
        };
        for &param in params {
            graph.add_argument(root, param);
        }
        let states = [Type::MEM, Type::IO].map(|ty| graph.add_argument(root, ty));
        if *result != Type::VOID {
            let poison = graph.add_simple(root, Op::Const(pool.poison(*result)), &[], &[*result]);
            graph.add_result(root, graph.output(poison, 0));
        }
        for state in states {
            graph.add_result(root, state);
        }
        graph
    }

    pub fn emit(&mut self) -> Result<String, EmitError> {
        for symbol in self.module.order.clone() {
            self.origin(symbol);
        }
        self.emit_live()
    }

    /// Without what is neither defined nor used so far.
    pub fn emit_live(&self) -> Result<String, EmitError> {
        emit_module(self.module.verify().unwrap(), &|body| {
            self.bodies.iter().find(|(known, _)| *known == body).map(|(_, cfg)| cfg)
        })
    }

    /// The text is as expected, and LLVM accepts it.
    #[track_caller]
    pub fn check(&mut self, expect: Expect) {
        let text = self.emit().unwrap();
        verify(&text);
        expect.assert_eq(&text);
    }

    /// Emission fails as expected.
    #[track_caller]
    pub fn check_error(&mut self, expect: Expect) {
        expect.assert_eq(&self.emit().unwrap_err().to_string());
    }
}

/// What the tests need of a pool.
pub trait PoolExt {
    fn int_of(&self, bits: u32, value: u64) -> Const;
    fn i32_const(&self, value: u64) -> Const;
    fn float_const(&self, kind: TypeKind, bits: u128) -> Const;
    fn hole(&self, index: u32) -> Const;
    fn expr(&self, ty: Type, op: Op, operands: &[Const]) -> Const;
    fn match_op(&self, ty: Type, cases: &[(u64, u32)], default: u32, alternatives: u32) -> Op;
    fn call_op(&self, info: CallInfo) -> Op;
    fn function_type(&self, result: Type, params: &[Type], variadic: bool) -> Type;
}

impl PoolExt for Pool {
    fn int_of(&self, bits: u32, value: u64) -> Const {
        self.int_const(self.int(bits), value)
    }

    fn i32_const(&self, value: u64) -> Const {
        self.int_const(Type::I32, value)
    }

    fn float_const(&self, kind: TypeKind, bits: u128) -> Const {
        let ty = self.intern_type(kind);
        self.intern_const(Constant::Float { ty, bits })
    }

    fn hole(&self, index: u32) -> Const {
        self.intern_const(Constant::Hole { ty: Type::PTR, index })
    }

    fn expr(&self, ty: Type, op: Op, operands: &[Const]) -> Const {
        self.intern_const(Constant::Expr { ty, op, operands: operands.into(), in_range: None })
    }

    fn match_op(&self, ty: Type, cases: &[(u64, u32)], default: u32, alternatives: u32) -> Op {
        let cases = cases.iter().map(|&(value, arc)| (self.int_const(ty, value), arc)).collect();
        Op::Match(self.intern_table(MatchTable { cases, default, alternatives }))
    }

    fn call_op(&self, info: CallInfo) -> Op {
        Op::Call(self.intern_call(info))
    }

    fn function_type(&self, result: Type, params: &[Type], variadic: bool) -> Type {
        self.intern_type(TypeKind::Function { result, params: params.into(), variadic })
    }
}

/// A plain call of a function of the type.
pub fn call_info(pool: &Pool, function_type: Type) -> CallInfo {
    CallInfo {
        function_type,
        convention: 0,
        attributes: no_attributes(pool),
        tail: TailKind::None,
        fast: FastMath::NONE,
        bundles: [].into(),
        metadata: [].into(),
        assembly: None,
        effects: Effects::ALL,
        speculatable: false,
        exits: rvsdg_core::op::CallExits::Return,
    }
}

pub fn no_attributes(pool: &Pool) -> Attributes {
    pool.intern_attributes(AttributeList::default())
}

pub fn attributes(texts: &[&str]) -> Box<[Attribute]> {
    texts.iter().map(|&text| Attribute::parse(text)).collect()
}

pub fn words(words: &[u64]) -> Words {
    Words::Large(words.into())
}

/// LLVM's verifier accepts the text. Without LLVM on PATH this says that it was skipped.
#[track_caller]
pub fn verify(text: &str) {
    let Some(result) = opt(text, &["-passes=verify", "-disable-output"]) else { return };
    assert!(result.is_ok(), "{}\n{text}", result.unwrap_err());
}

/// What `opt-22` makes of a text; `None` when it is not on PATH, which is said.
pub fn opt(text: &str, arguments: &[&str]) -> Option<Result<String, String>> {
    let child = Command::new("opt-22")
        .args(arguments)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        println!("skipped: opt-22 is not on PATH, so the emitted text was not checked by LLVM");
        return None;
    };
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(if output.status.success() { Ok(out) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) })
}
