//! Elements of structures and arrays.

use rvsdg_core::op::{Indices, Op, OpCode};
use rvsdg_core::{Origin, TypeKind};

use crate::scalar::node_reduction::cx::Cx;
use crate::scalar::node_reduction::rule::{At, Rule, rule};

/// How many insertions are looked through.
const MAX_INSERTIONS: usize = 8;

/// An aggregate with one element replaced: the old aggregate, the element, and its indices.
fn inserted(c: &Cx<'_>, origin: Origin) -> Option<(Origin, Origin, Indices)> {
    let (node, Op::InsertValue(indices)) = c.op(origin)? else { return None };
    Some((c.operand(node, 0), c.operand(node, 1), indices))
}

/// An element of an aggregate.
fn extracted(c: &Cx<'_>, origin: Origin) -> Option<(Origin, Indices)> {
    let (node, Op::ExtractValue(indices)) = c.op(origin)? else { return None };
    Some((c.operand(node, 0), indices))
}

/// The element that was inserted there.
fn put_there(c: &mut Cx<'_>, n: At) -> Option<Origin> {
    let (whole, wanted) = extracted(c, c.output(n.node))?;
    let start = c.outside(whole);
    let mut at = start;
    for _ in 0..MAX_INSERTIONS {
        let Some((rest, element, indices)) = inserted(c, at) else { break };
        let (path, put) = (c.pool().indices(wanted), c.pool().indices(indices));
        if let Some(inner) = path.strip_prefix(put) {
            if inner.is_empty() {
                return Some(element);
            }
            if start != whole {
                return None;
            }
            let inner = c.pool().intern_indices(inner);
            return Some(c.add(Op::ExtractValue(inner), &[element], n.ty));
        }
        if put.starts_with(path) {
            break;
        }
        at = rest;
    }
    (at != start && start == whole).then(|| c.add(Op::ExtractValue(wanted), &[at], n.ty))
}

/// The aggregate whose elements were all extracted and inserted again.
fn put_together(c: &mut Cx<'_>, n: At) -> Option<Origin> {
    let len = match c.pool().type_kind(n.ty) {
        TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => elements.len(),
        &TypeKind::Array { len, .. } => usize::try_from(len).ok()?,
        _ => return None,
    };
    let (mut at, mut source) = (c.output(n.node), None);
    for left in (0..len).rev().take(MAX_INSERTIONS) {
        let (rest, element, indices) = inserted(c, at)?;
        let (whole, from) = extracted(c, c.outside(element))?;
        let whole = c.outside(whole);
        if from != indices || c.pool().indices(indices) != [left as u32] || source.is_some_and(|source| source != whole)
        {
            return None;
        }
        source = Some(whole);
        if left == 0 {
            return source.filter(|&source| c.ty(source) == n.ty);
        }
        at = rest;
    }
    None
}

/// The rules.
pub const RULES: &[Rule] = &[
    rule(
        "extractvalue-inserted",
        OpCode::ExtractValue,
        "{ i8, i8 } %a, i8 %x -> i8",
        "%s = insertvalue { i8, i8 } %a, i8 %x, 1; %r = extractvalue { i8, i8 } %s, 1",
        "%x",
        put_there,
    ),
    rule(
        "extractvalue-select",
        OpCode::ExtractValue,
        "i1 %c, { i8, i8 } %a, i8 %x, i8 %y -> i8",
        "%s = insertvalue { i8, i8 } %a, i8 %x, 1; %t = insertvalue { i8, i8 } %a, i8 %y, 1; %u = select i1 %c, { i8, i8 } %s, { i8, i8 } %t; %r = extractvalue { i8, i8 } %u, 1",
        "%r = select i1 %c, i8 %x, i8 %y",
        |c, n| {
            let (whole, wanted) = extracted(c, c.output(n.node))?;
            let (condition, then, otherwise) = c.select(whole)?;
            let ((_, x, put), (_, y, other)) = (inserted(c, then)?, inserted(c, otherwise)?);
            if put != wanted || other != wanted || !c.is_int(n.ty) {
                return None;
            }
            Some(c.add_select(condition, x, y))
        },
    ),
    rule(
        "insertvalue-again",
        OpCode::InsertValue,
        "{ i8, i8 } %a, i8 %x, i8 %y -> { i8, i8 }",
        "%s = insertvalue { i8, i8 } %a, i8 %x, 1; %r = insertvalue { i8, i8 } %s, i8 %y, 1",
        "%r = insertvalue { i8, i8 } %a, i8 %y, 1",
        |c, n| {
            let (first, y, indices) = inserted(c, c.output(n.node))?;
            let (a, _, put) = inserted(c, first)?;
            c.pool().indices(put).starts_with(c.pool().indices(indices)).then_some(())?;
            Some(c.add(Op::InsertValue(indices), &[a, y], n.ty))
        },
    ),
    rule(
        "insertvalue-same",
        OpCode::InsertValue,
        "{ i8, i8 } %a -> { i8, i8 }",
        "%x = extractvalue { i8, i8 } %a, 1; %r = insertvalue { i8, i8 } %a, i8 %x, 1",
        "%a",
        |c, n| {
            let (a, x, indices) = inserted(c, c.output(n.node))?;
            (extracted(c, x)? == (a, indices)).then_some(a)
        },
    ),
    rule(
        "insertvalue-poison",
        OpCode::InsertValue,
        "{ i8, i8 } %a -> { i8, i8 }",
        "%r = insertvalue { i8, i8 } %a, i8 poison, 1",
        "%a",
        |c, n| c.is_poison(n.b).then_some(n.a),
    ),
    rule(
        "insertvalue-whole",
        OpCode::InsertValue,
        "{ i8, i8 } %a -> { i8, i8 }",
        "%x = extractvalue { i8, i8 } %a, 0; %y = extractvalue { i8, i8 } %a, 1; %s = insertvalue { i8, i8 } poison, i8 %x, 0; %r = insertvalue { i8, i8 } %s, i8 %y, 1",
        "%a",
        put_together,
    ),
];
