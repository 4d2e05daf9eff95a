//! What tests of this crate share: a function from text, with what is known around it.

pub mod runs;

use std::sync::Arc;

use rvsdg_core::text::parse_module;
use rvsdg_core::{Body, Graph, Module, Node, Op};

use crate::Surroundings;

/// A module and the body of its function `@f`.
pub struct Example {
    module: Module,
    body: Body,
    surroundings: Arc<Surroundings>,
}

impl Example {
    /// The module of a text.
    pub fn of(text: &str) -> Example {
        let module = parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        module.verify().unwrap_or_else(|violations| panic!("{violations}\n{text}"));
        let (body, _) = module
            .bodies
            .iter()
            .find(|(_, data)| &*module.symbols[data.symbol].name == "f")
            .expect("there is a function f");
        let surroundings = Surroundings::of_all(&module)[&body].clone();
        Example { module, body, surroundings }
    }

    /// The whole module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The body of `@f`.
    pub fn graph(&self) -> &Graph {
        self.module.bodies[self.body].graph().expect("it is a graph")
    }

    /// What is known around it.
    pub fn surroundings(&self) -> Option<&Surroundings> {
        Some(&self.surroundings)
    }

    /// All nodes but constants and decisions, in the order of the text.
    pub fn nodes(&self) -> Vec<Node> {
        let is_plain = |op: Option<Op>| !matches!(op, Some(Op::Const(_) | Op::CtlConst { .. } | Op::Match(_)));
        self.graph().all_nodes().filter(|&node| is_plain(self.graph().op(node))).collect()
    }
}

/// Numbers that are the same in each run.
pub struct Chance(pub u64);

impl Chance {
    /// One below another.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}
