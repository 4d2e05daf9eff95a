//! One change per invariant that makes a valid module violate it.

use std::sync::Arc;

use rvsdg_core::attribute::{Attribute, AttributeList};
use rvsdg_core::module::SymbolKind;
use rvsdg_core::op::{BinaryFlags, Effects, ExtHooks, ExtOp, Funclet, IntBinary, MatchTable};
use rvsdg_core::structural::{Lambda, Phi, Theta};
use rvsdg_core::verify::Invariant;
use rvsdg_core::{Body, Constant, Graph, Module, Node, NodeKind, Op, Origin, Pool, Region, Symbol, Type, TypeKind};

use crate::entropy::Entropy;

/// Invariants that no sequence of edits violates: the edits keep the lists right. `rvsdg-core`'s own tests, which can write the
/// arenas, break them.
pub const KEPT_BY_EDITS: &[Invariant] = &[Invariant::ParentLinks, Invariant::Positions, Invariant::UserLists];

/// Makes a valid module violate an invariant; `None` where it has nothing that could be changed so.
pub fn violate(module: &mut Module, invariant: Invariant, entropy: &mut Entropy<'_>) -> Option<()> {
    match invariant {
        Invariant::ParentLinks | Invariant::Positions | Invariant::UserLists => None,
        Invariant::Complete
        | Invariant::Scope
        | Invariant::Acyclic
        | Invariant::Level
        | Invariant::Arity
        | Invariant::Types
        | Invariant::Payload
        | Invariant::Dialect
        | Invariant::Constants
        | Invariant::MatchTable
        | Invariant::States
        | Invariant::LinearStates
        | Invariant::Predicates
        | Invariant::Tokens
        | Invariant::Funclets
        | Invariant::GammaShape
        | Invariant::ThetaShape
        | Invariant::TypeForm
        | Invariant::LambdaShape => {
            let bodies: Vec<Body> =
                module.bodies.iter().filter(|(_, data)| data.graph().is_some()).map(|(body, _)| body).collect();
            let body = pick(&bodies, entropy)?;
            violate_body(module.bodies[body].graph_mut()?, invariant, entropy)
        }
        Invariant::PhiShape => {
            let phi = pick_node(&module.omega, entropy, |kind| kind == NodeKind::Phi)?;
            let region = module.omega.subregions(phi)[0];
            match entropy.below(3) {
                0 => _ = module.omega.add_output(phi, Type::PTR),
                1 => _ = module.omega.add_argument(region, Type::PTR),
                _ => {
                    // A recursion variable that nothing defines.
                    let result = module.omega.results(region)[0];
                    let argument = Phi::new(&module.omega, phi)?.fix_vars(&module.omega).next()?.argument;
                    module.omega.divert(result, argument);
                }
            }
            Some(())
        }
        Invariant::DeltaShape => {
            let delta = pick_node(&module.omega, entropy, |kind| matches!(kind, NodeKind::Delta(_)))?;
            let region = module.omega.region_of(delta);
            // Something else at its level, so that the edge is the only thing wrong.
            let other = module.omega.nodes(region).next().filter(|&node| node != delta)?;
            let origin = module.omega.output(other, 0);
            module.omega.add_input(delta, origin);
            Some(())
        }
        Invariant::TypeNames => {
            let pool = module.pool.clone();
            let named = |ty| TypeKind::Named { name: "gen.twice".into(), elements: Some([ty].into()), packed: false };
            let elements = [Type::I32, Type::I64].map(|ty| pool.intern_type(named(ty)));
            let symbol = pick(&module.order, entropy)?;
            let params = elements.into();
            let function = TypeKind::Function { result: Type::VOID, params, variadic: false };
            module.symbols[symbol].value_type = module.pool.intern_type(function);
            Some(())
        }
        Invariant::SymbolReferences => {
            let symbol = pick(&module.order, entropy)?;
            let used = module.imports.contains(&symbol) || module.definition(symbol).is_some();
            module.symbols.remove(symbol);
            used.then_some(())
        }
        Invariant::SymbolNames => {
            let symbol = pick(&module.order, entropy)?;
            module.order.push(symbol);
            Some(())
        }
        Invariant::Attributes => {
            let symbol = pick(&module.order, entropy)?;
            let texts = ["nounwnd", "nounwind }", "noundef", "memory(all)", "\"a\"=\"b\"c\""];
            let text = texts[entropy.below(texts.len())];
            let function = [Attribute::parse(text)].into();
            let list = module.pool.intern_attributes(AttributeList { function, ..AttributeList::default() });
            match &mut module.symbols[symbol].kind {
                SymbolKind::Function { attributes, .. } | SymbolKind::Variable { attributes, .. } => *attributes = list,
                SymbolKind::Alias { .. } | SymbolKind::IFunc { .. } => return None,
            }
            Some(())
        }
        Invariant::SymbolKeywords => {
            let (comdat, flag) = (("c".into(), "any }".into()), (1, "f".into(), "i32 4}".into()));
            match entropy.below(2) {
                0 => module.header.comdats.push(comdat),
                _ => module.header.flags.push(flag),
            }
            Some(())
        }
        Invariant::Definitions => {
            let defined: Vec<Symbol> =
                module.order.iter().copied().filter(|&symbol| module.definition(symbol).is_some()).collect();
            let symbol = pick(&defined, entropy)?;
            module.add_import(symbol);
            Some(())
        }
        Invariant::Imports => {
            let symbol = pick(&module.order, entropy)?;
            module.imports.push(symbol);
            Some(())
        }
        Invariant::Exports => {
            let import = module.omega.arguments(module.omega.root()).first().copied()?;
            module.add_export(import);
            Some(())
        }
        Invariant::Bodies => {
            let lambda = pick(&module.lambdas(), entropy)?;
            if entropy.chance(1, 2) {
                let data = &mut module.bodies[lambda.body()];
                *data.graph_mut()? = Graph::new(Arc::new(Pool::new()));
            } else {
                let root = module.omega.root();
                Lambda::add(&mut module.omega, root, lambda.body());
            }
            Some(())
        }
    }
}

fn pick<T: Copy>(list: &[T], entropy: &mut Entropy<'_>) -> Option<T> {
    (!list.is_empty()).then(|| entropy.pick(list))
}

fn pick_node(graph: &Graph, entropy: &mut Entropy<'_>, wanted: impl Fn(NodeKind) -> bool) -> Option<Node> {
    let nodes: Vec<Node> = graph.all_nodes().filter(|&node| wanted(graph.kind(node))).collect();
    pick(&nodes, entropy)
}

fn pick_op(graph: &Graph, entropy: &mut Entropy<'_>, wanted: impl Fn(Op) -> bool) -> Option<Node> {
    pick_node(graph, entropy, |kind| match kind {
        NodeKind::Simple(op) => wanted(op),
        _ => false,
    })
}

/// A region of the graph.
fn pick_region(graph: &Graph, entropy: &mut Entropy<'_>) -> Region {
    let inner = graph.all_nodes().flat_map(|node| graph.subregions(node).to_vec());
    let regions: Vec<Region> = [graph.root()].into_iter().chain(inner).collect();
    entropy.pick(&regions)
}

fn ctl_const(graph: &mut Graph, region: Region) -> Origin {
    let node = graph.add_simple(region, Op::CtlConst { value: 0, of: 2 }, &[], &[Type::CTL2]);
    graph.output(node, 0)
}

fn number(graph: &mut Graph, region: Region) -> Origin {
    let op = Op::Const(graph.pool().int_const(Type::I32, 7));
    let node = graph.add_simple(region, op, &[], &[Type::I32]);
    graph.output(node, 0)
}

fn violate_body(graph: &mut Graph, invariant: Invariant, entropy: &mut Entropy<'_>) -> Option<()> {
    match invariant {
        Invariant::Complete => {
            let region = pick_region(graph, entropy);
            Theta::add(graph, region);
        }
        Invariant::Scope => {
            let node = pick_node(graph, entropy, |kind| matches!(kind, NodeKind::Gamma | NodeKind::Theta))?;
            let region = pick(graph.subregions(node), entropy)?;
            let outside = number(graph, graph.region_of(node));
            graph.add_simple(region, Op::Freeze, &[outside], &[Type::I32]);
        }
        Invariant::Acyclic => {
            let node = pick_node(graph, entropy, |_| true)?;
            let input = pick(graph.inputs(node), entropy)?;
            let output = graph.outputs(node).first().copied()?;
            graph.divert(input, output);
        }
        Invariant::Level => {
            let region = pick_region(graph, entropy);
            graph.add_node(region, NodeKind::Phi, &[], &[]);
        }
        Invariant::Arity => {
            let node = pick_op(graph, entropy, |op| {
                matches!(op, Op::ICmp { .. } | Op::FCmp { .. } | Op::Select(_) | Op::Freeze)
            })?;
            let again = graph.input(node, 0);
            graph.add_input(node, again);
        }
        Invariant::Types => {
            let region = pick_region(graph, entropy);
            let value = number(graph, region);
            graph.add_simple(region, Op::Freeze, &[value], &[Type::I64]);
        }
        Invariant::Payload => {
            let region = pick_region(graph, entropy);
            let value = number(graph, region);
            let op = Op::IntBinary { op: IntBinary::Xor, flags: BinaryFlags::NUW };
            graph.add_simple(region, op, &[value, value], &[Type::I32]);
        }
        Invariant::Dialect => {
            let name = "test.wrong";
            let hooks = ExtHooks { verify: |_, _| Err("nothing of it is right".to_owned()), ..ExtHooks::new(name) };
            graph.pool().set_ext_hooks([hooks].into());
            let (inputs, outputs, effects) = ([].into(), [].into(), Effects::NONE);
            let op = ExtOp { name: name.into(), inputs, outputs, effects, speculatable: false, commutative: false };
            let op = Op::Ext(graph.pool().intern_ext(op));
            let region = pick_region(graph, entropy);
            graph.add_simple(region, op, &[], &[]);
        }
        Invariant::Constants => {
            let node = pick_op(graph, entropy, |op| matches!(op, Op::Const(_)))?;
            let ty = if graph.ty(graph.output(node, 0)) == Type::I32 { Type::I64 } else { Type::I32 };
            let wrong = graph.pool().int_const(ty, 1);
            graph.set_op(node, Op::Const(wrong));
        }
        Invariant::MatchTable => {
            let node = pick_op(graph, entropy, |op| matches!(op, Op::Match(_)))?;
            let Some(Op::Match(table)) = graph.op(node) else { return None };
            let old = graph.pool().table(table).clone();
            let table = match entropy.below(2) {
                0 => MatchTable { default: old.alternatives, ..old },
                _ => MatchTable { cases: old.cases.iter().chain(&old.cases).copied().collect(), ..old },
            };
            let table = graph.pool().intern_table(table);
            graph.set_op(node, Op::Match(table));
        }
        Invariant::States => {
            let pool = graph.pool().clone();
            let node = pick_op(graph, entropy, |op| op.effects(&pool).count() > 0)?;
            let last = graph.inputs(node).len() - 1;
            graph.retain_inputs(node, |index| index < last);
        }
        Invariant::LinearStates => {
            // What follows an operation takes the state before it.
            let pool = graph.pool().clone();
            let node = pick_op(graph, entropy, |op| op.effects(&pool).count() > 0)?;
            let before = *graph.inputs(node).last()?;
            let after = *graph.outputs(node).last()?;
            let user = graph.users_of(after).next()?;
            let origin = graph.origin(before);
            graph.divert(user, origin);
        }
        Invariant::Predicates => {
            let region = pick_region(graph, entropy);
            let predicate = ctl_const(graph, region);
            graph.add_simple(region, Op::Freeze, &[predicate], &[Type::CTL2]);
        }
        Invariant::Tokens => {
            let region = pick_region(graph, entropy);
            let pool = graph.pool().clone();
            let token = pool.intern_type(TypeKind::Token);
            let none = Op::Const(pool.intern_const(Constant::None(token)));
            let node = graph.add_simple(region, none, &[], &[token]);
            let theta = Theta::add(graph, region);
            let var = theta.add_loop_var(graph, graph.output(node, 0));
            let inner = graph.add_simple(theta.body(graph), none, &[], &[token]);
            graph.divert(var.post, graph.output(inner, 0));
            let predicate = ctl_const(graph, theta.body(graph));
            graph.divert(theta.predicate(graph), predicate);
        }
        Invariant::Funclets => {
            let node = pick_op(graph, entropy, |op| matches!(op, Op::Funclet(funclet) if funclet.number().is_some()))?;
            let Some(Op::Funclet(funclet)) = graph.op(node) else { return None };
            let root = graph.root();
            let token = graph.pool().intern_type(TypeKind::Token);
            let none = Op::Const(graph.pool().intern_const(Constant::None(token)));
            let none = graph.add_simple(root, none, &[], &[token]);
            let results = [0, 1].map(|index| graph.results(root)[graph.results(root).len() - 2 + index]);
            let [mem, io] = results.map(|result| graph.origin(result));
            let again = Op::Funclet(Funclet::CleanupPad(funclet.number()?));
            let inputs = [graph.output(none, 0), mem, io];
            let pad = graph.add_simple(root, again, &inputs, &[Type::MEM, Type::IO]);
            graph.divert(results[0], graph.output(pad, 0));
            graph.divert(results[1], graph.output(pad, 1));
        }
        Invariant::GammaShape => {
            let node = pick_node(graph, entropy, |kind| kind == NodeKind::Gamma)?;
            match entropy.below(3) {
                0 => _ = graph.add_output(node, Type::I32),
                1 => _ = graph.add_region(node),
                _ => _ = graph.add_argument(graph.subregions(node)[0], Type::I32),
            }
        }
        Invariant::ThetaShape => {
            let node = pick_node(graph, entropy, |kind| kind == NodeKind::Theta)?;
            match entropy.below(2) {
                0 => _ = graph.add_output(node, Type::I32),
                _ => _ = graph.add_argument(graph.subregions(node)[0], Type::I32),
            }
        }
        Invariant::TypeForm => {
            let region = pick_region(graph, entropy);
            let void = graph.pool().intern_type(TypeKind::Array { element: Type::VOID, len: 2 });
            let ext = ExtOp {
                name: "gen.void".into(),
                inputs: [].into(),
                outputs: [void].into(),
                effects: Effects::NONE,
                speculatable: false,
                commutative: false,
            };
            let op = Op::Ext(graph.pool().intern_ext(ext));
            graph.add_simple(region, op, &[], &[void]);
        }
        Invariant::LambdaShape => _ = graph.add_argument(graph.root(), Type::I32),
        _ => return None,
    }
    Some(())
}
