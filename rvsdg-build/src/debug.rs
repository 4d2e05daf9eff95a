//! Debug information and other metadata, for modules that are built.

use rvsdg_core::Type;
use rvsdg_core::annotations::{Metadata, MetadataNode, Operand};
use rvsdg_core::module::Linkage;

use crate::function::{FunctionBuilder, Value, Variable};
use crate::module::{Function, Global, ModuleBuilder};

fn text(text: &str) -> Operand {
    Operand::Text(text.into())
}

fn word(word: &str) -> Operand {
    Operand::Word(word.into())
}

fn number(number: u64) -> Operand {
    Operand::Int(number as i64)
}

/// Debug information. Its records are those of LLVM, with the same meaning (LangRef, Source Level Debugging with LLVM): a unit for the
/// module, a record for each function, and for each variable one that names its type.
///
/// ```
/// use rvsdg_build::ModuleBuilder;
/// use rvsdg_core::Type;
///
/// let mut module = ModuleBuilder::new("twice.toy");
/// let file = module.debug_file("twice.toy", "/src");
/// module.debug_unit("DW_LANG_C99", file, "toy compiler");
/// let long = module.debug_basic_type("long", 64, "DW_ATE_signed");
///
/// // 1: fn twice(x) {
/// // 2:     let y = x + x;
/// // 3:     return y; }
/// let twice = module.function("twice", &[Type::I64], Type::I64);
/// let scope = module.debug_function(twice, "twice", file, 1, &[Some(long), Some(long)]);
/// let described = module.debug_variable(scope, "y", file, 2, long, None);
///
/// let mut f = module.body(twice);
/// let y = f.declare("y", Type::I64);
/// f.describe(y, described);
/// f.at(2, 15);
/// let sum = f.add(f.param(0), f.param(0));
/// f.def(y, sum);
/// f.at(3, 5);
/// let result = f.use_(y);
/// f.return_(result);
/// module.define(f)?;
/// module.finish()?;
/// # Ok::<(), rvsdg_build::BuildError>(())
/// ```
impl ModuleBuilder {
    /// Adds a node of metadata of any kind.
    pub fn metadata(&mut self, node: MetadataNode) -> Metadata {
        self.module.annotations.add(node)
    }

    fn record(&mut self, kind: &'static str, operands: Vec<(&'static str, Operand)>) -> Metadata {
        self.metadata(MetadataNode::record(kind, operands))
    }

    fn tuple(&mut self, operands: Vec<Operand>) -> Metadata {
        self.metadata(MetadataNode::tuple(operands))
    }

    /// A source file.
    pub fn debug_file(&mut self, name: &str, directory: &str) -> Metadata {
        self.record("DIFile", vec![("filename", text(name)), ("directory", text(directory))])
    }

    /// The compilation unit, with DWARF's name of the source language, such as `DW_LANG_C99`. Debug information is DWARF 5.
    pub fn debug_unit(&mut self, language: &str, file: Metadata, producer: &str) -> Metadata {
        let operands = vec![
            ("language", word(language)),
            ("file", Operand::Node(file)),
            ("producer", text(producer)),
            ("isOptimized", Operand::Bool(true)),
            ("runtimeVersion", Operand::Int(0)),
            ("emissionKind", word("FullDebug")),
        ];
        let unit = self.metadata(MetadataNode::record("DICompileUnit", operands).distinct());
        self.module.annotations.named.push(("llvm.dbg.cu", vec![unit]));
        let flags = &mut self.module.header.flags;
        flags.push((7, "Dwarf Version".into(), "i32 5".into()));
        flags.push((2, "Debug Info Version".into(), "i32 3".into()));
        self.unit = Some(unit);
        unit
    }

    /// A type of the language that is none of others, with its size and DWARF's name of its encoding, such as `DW_ATE_signed`.
    pub fn debug_basic_type(&mut self, name: &str, bits: u64, encoding: &str) -> Metadata {
        let operands = vec![("name", text(name)), ("size", number(bits)), ("encoding", word(encoding))];
        self.record("DIBasicType", operands)
    }

    /// Pointers to values of a type, or to something.
    pub fn debug_pointer_type(&mut self, to: Option<Metadata>) -> Metadata {
        let bits = self.layouts.data().pointer(0).bits;
        let base = to.map_or(Operand::Null, Operand::Node);
        let operands = vec![("tag", word("DW_TAG_pointer_type")), ("baseType", base), ("size", number(bits.into()))];
        self.record("DIDerivedType", operands)
    }

    /// An array type with this many elements of this many bits each.
    pub fn debug_array_type(&mut self, element: Metadata, element_bits: u64, len: u64) -> Metadata {
        let range = self.record("DISubrange", vec![("count", number(len))]);
        let elements = self.tuple(vec![Operand::Node(range)]);
        let operands = vec![
            ("tag", word("DW_TAG_array_type")),
            ("baseType", Operand::Node(element)),
            ("size", number(element_bits * len)),
            ("elements", Operand::Node(elements)),
        ];
        self.record("DICompositeType", operands)
    }

    /// A structure type with the names and types of its fields, which have the layout of `ty`.
    #[track_caller]
    pub fn debug_struct_type(
        &mut self,
        ty: Type,
        name: &str,
        file: Metadata,
        line: u32,
        fields: &[(&str, Metadata)],
    ) -> Metadata {
        let pool = self.module.pool.clone();
        let layout = self.layouts.of(&pool, ty).ok();
        let places = layout.as_deref().and_then(|layout| layout.fields()).unwrap_or_default();
        if places.len() != fields.len() {
            self.fail("the module", &format!("{} fields of structure {name}", fields.len()), "those of its type");
        }
        let mut members = Vec::new();
        for ((name, field), (offset, layout)) in fields.iter().zip(places) {
            let operands = vec![
                ("tag", word("DW_TAG_member")),
                ("name", text(name)),
                ("file", Operand::Node(file)),
                ("line", number(line.into())),
                ("baseType", Operand::Node(*field)),
                ("size", number(layout.size * 8)),
                ("offset", number(offset * 8)),
            ];
            members.push(Operand::Node(self.record("DIDerivedType", operands)));
        }
        let elements = self.tuple(members);
        let operands = vec![
            ("tag", word("DW_TAG_structure_type")),
            ("name", text(name)),
            ("file", Operand::Node(file)),
            ("line", number(line.into())),
            ("size", number(layout.map_or(0, |layout| layout.size * 8))),
            ("elements", Operand::Node(elements)),
        ];
        self.record("DICompositeType", operands)
    }

    /// The record of a function that is defined: its name and location, and the types of its result (`None` for nothing) and parameters.
    /// It is the scope of everything in the function. To be called before its [body](Self::body) is begun, and after the
    /// [unit](Self::debug_unit).
    #[track_caller]
    pub fn debug_function(
        &mut self,
        function: Function,
        name: &str,
        file: Metadata,
        line: u32,
        types: &[Option<Metadata>],
    ) -> Metadata {
        let types = types.iter().map(|ty| ty.map_or(Operand::Null, Operand::Node)).collect();
        let types = self.tuple(types);
        let ty = self.record("DISubroutineType", vec![("types", Operand::Node(types))]);
        let Some(unit) = self.unit else {
            self.fail("the module", &format!("debug_function {name}"), "debug_unit before it");
            return ty;
        };
        let linkage = self.module.symbols.get(function.symbol).map_or("", |data| &data.name).to_owned();
        let local = self.module.symbols.get(function.symbol).is_some_and(|data| data.linkage == Linkage::Internal);
        let flags = if local { "DISPFlagLocalToUnit | DISPFlagDefinition" } else { "DISPFlagDefinition" };
        let mut operands = vec![
            ("name", text(name)),
            ("scope", Operand::Node(file)),
            ("file", Operand::Node(file)),
            ("line", number(line.into())),
            ("type", Operand::Node(ty)),
            ("scopeLine", number(line.into())),
            ("spFlags", word(flags)),
            ("unit", Operand::Node(unit)),
        ];
        if linkage != name {
            operands.insert(1, ("linkageName", text(&linkage)));
        }
        let subprogram = self.metadata(MetadataNode::record("DISubprogram", operands).distinct());
        self.module.annotations.symbols.insert(function.symbol, subprogram);
        subprogram
    }

    /// A scope in a function or in another scope, for variables that are known in a part of the function only.
    pub fn debug_scope(&mut self, parent: Metadata, file: Metadata, line: u32, column: u32) -> Metadata {
        let operands = vec![
            ("scope", Operand::Node(parent)),
            ("file", Operand::Node(file)),
            ("line", number(line.into())),
            ("column", number(column.into())),
        ];
        self.metadata(MetadataNode::record("DILexicalBlock", operands).distinct())
    }

    /// A variable of a function, in a scope; a parameter has its position.
    pub fn debug_variable(
        &mut self,
        scope: Metadata,
        name: &str,
        file: Metadata,
        line: u32,
        ty: Metadata,
        parameter: Option<u32>,
    ) -> Metadata {
        let mut operands = vec![
            ("name", text(name)),
            ("scope", Operand::Node(scope)),
            ("file", Operand::Node(file)),
            ("line", number(line.into())),
            ("type", Operand::Node(ty)),
        ];
        if let Some(position) = parameter {
            operands.insert(1, ("arg", number(u64::from(position) + 1)));
        }
        self.record("DILocalVariable", operands)
    }

    /// The record of a global variable.
    #[track_caller]
    pub fn debug_global(&mut self, global: Global, name: &str, file: Metadata, line: u32, ty: Metadata) {
        let Some(unit) = self.unit else {
            return self.fail("the module", &format!("debug_global {name}"), "debug_unit before it");
        };
        let local = self.module.symbols.get(global.symbol).is_some_and(|data| data.linkage == Linkage::Internal);
        let operands = vec![
            ("name", text(name)),
            ("scope", Operand::Node(unit)),
            ("file", Operand::Node(file)),
            ("line", number(line.into())),
            ("type", Operand::Node(ty)),
            ("isLocal", Operand::Bool(local)),
            ("isDefinition", Operand::Bool(true)),
        ];
        let variable = self.metadata(MetadataNode::record("DIGlobalVariable", operands).distinct());
        let expression = self.record("DIExpression", Vec::new());
        let operands = vec![("var", Operand::Node(variable)), ("expr", Operand::Node(expression))];
        let described = self.record("DIGlobalVariableExpression", operands);
        self.module.annotations.symbols.insert(global.symbol, described);
        self.debug_globals.push(Operand::Node(described));
    }

    /// Lists all variables in the unit, where debuggers find them.
    pub(crate) fn finish_debug(&mut self) {
        if let Some(unit) = self.unit.filter(|_| !self.debug_globals.is_empty()) {
            let globals = std::mem::take(&mut self.debug_globals);
            let globals = self.tuple(globals);
            self.module.annotations.nodes[unit].operands.push(("globals", Operand::Node(globals)));
        }
    }

    /// The root of a hierarchy of types for alias analysis (LangRef, `tbaa`): accesses of different hierarchies may alias.
    pub fn tbaa_root(&mut self, name: &str) -> Metadata {
        self.tuple(vec![text(name)])
    }

    /// A scalar type for type-based alias analysis: memory accessed with it is not accessed with another type, unless that is among its
    /// ancestors.
    pub fn tbaa_type(&mut self, name: &str, parent: Metadata) -> Metadata {
        self.tuple(vec![text(name), Operand::Node(parent), Operand::Constant(64, 0)])
    }

    /// What is attached as `tbaa` to loads and stores of a scalar type.
    pub fn tbaa_access(&mut self, ty: Metadata) -> Metadata {
        self.tuple(vec![Operand::Node(ty), Operand::Node(ty), Operand::Constant(64, 0)])
    }

    /// Branch weights, to be attached as `prof`: how often each path is taken, relative to the others. For `if_`, `do_` and `branch`
    /// first the path if the condition holds; for `switch_` first the default, then each integer.
    pub fn branch_weights(&mut self, weights: &[u32]) -> Metadata {
        let weights = weights.iter().map(|&weight| Operand::Constant(32, weight.into()));
        let operands = std::iter::once(text("branch_weights")).chain(weights).collect();
        self.tuple(operands)
    }

    /// A range of integers, to be attached as `range` to loads and calls: the integers of `bits` bits from the first one up to an
    /// excluded end.
    pub fn range(&mut self, bits: u32, first: i64, end: i64) -> Metadata {
        self.tuple(vec![Operand::Constant(bits, first), Operand::Constant(bits, end)])
    }
}

/// Debug information and other metadata of a function with [`ModuleBuilder::debug_function`].
impl FunctionBuilder {
    /// Sets the source location of the following code, in the current [scope](Self::set_scope). Ignored in functions without
    /// [`debug_function`](ModuleBuilder::debug_function).
    pub fn at(&mut self, line: u32, column: u32) {
        self.place = self.scope.map(|scope| (line, column, scope));
    }

    /// Sets the scope of the following code: the function's, or one of [`debug_scope`](ModuleBuilder::debug_scope).
    pub fn set_scope(&mut self, scope: Metadata) {
        self.scope = self.scope.map(|_| scope);
        self.place = self.place.map(|(line, column, _)| (line, column, scope));
    }

    /// Connects the variable with that of a [record](ModuleBuilder::debug_variable) for debuggers. To be called before its first
    /// assignment.
    pub fn describe(&mut self, variable: Variable, described: Metadata) {
        if variable.function == self.serial && self.scope.is_some() {
            self.described.insert(variable.index, described);
        }
    }

    /// What is in a [slot](Self::slot) is, to a debugger, the variable of a [record](ModuleBuilder::debug_variable).
    #[track_caller]
    pub fn describe_slot(&mut self, slot: Value, described: Metadata) {
        let slot = self.check(slot);
        if self.scope.is_some() {
            self.note_binding(described, slot, true);
        }
    }

    /// Attaches metadata to the operation that was added last, such as a [`tbaa_access`](ModuleBuilder::tbaa_access) to a load.
    ///
    /// ```
    /// # use rvsdg_build::ModuleBuilder;
    /// # use rvsdg_core::Type;
    /// let mut module = ModuleBuilder::new("bool.toy");
    /// let is_bool = module.range(8, 0, 2);
    /// let get = module.function("get", &[Type::PTR], Type::I1);
    /// let mut f = module.body(get);
    /// let byte = f.pool().int(8);
    /// let value = f.load(byte, f.param(0));
    /// f.annotate("range", is_bool);
    /// let value = f.trunc(value, Type::I1);
    /// f.return_(value);
    /// module.define(f)?;
    /// # Ok::<(), rvsdg_build::BuildError>(())
    /// ```
    #[track_caller]
    pub fn annotate(&mut self, kind: &'static str, metadata: Metadata) {
        match self.insts.len().checked_sub(1) {
            Some(last) => self.attached.entry(last as u32).or_default().push((kind, metadata)),
            None => self.fail("annotate before any operation", "an operation before it"),
        }
    }

    /// Attaches metadata to the branch that is added next, such as [weights](ModuleBuilder::branch_weights) as `prof`.
    pub fn annotate_branch(&mut self, kind: &'static str, metadata: Metadata) {
        self.attached_to_branch.push((kind, metadata));
    }
}
