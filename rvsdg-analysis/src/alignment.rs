//! Addresses that powers of two divide.

use rvsdg_core::attribute::Attribute;
use rvsdg_core::fold::Int;
use rvsdg_core::layout::Layouts;
use rvsdg_core::{Constant, Graph, Op, Origin};

use crate::callee::argument_of_root;
use crate::dependence::affine::{Term, terms};
use crate::integers::known_bits::known;
use crate::surroundings::{Context, Surroundings};
use crate::trace::holds_for_sources;

/// How many operations that compute an address from a pointer are summed.
const MAX_STEPS: usize = 6;

/// Whether 2 to the power of `log2` divides an address of address space 0, unless it is poison: that of a variable, of an object on the
/// stack, a parameter or a result with that alignment, selects among such addresses, and what is a multiple of that many bytes away from
/// one, where loops step by multiples, too. `false` if that is not known.
pub fn is_aligned(
    graph: &Graph,
    surroundings: Option<&Surroundings>,
    layouts: &mut Layouts,
    address: Origin,
    log2: u8,
) -> bool {
    let pool = graph.pool();
    let promised =
        |list: &[Attribute]| list.iter().find_map(Attribute::align_log2).is_some_and(|promised| promised >= log2);
    holds_for_sources(graph, address, |origin, pending| {
        let Some(node) = graph.producer(origin) else {
            let Some((argument, around)) = argument_of_root(graph, origin).zip(surroundings) else { return false };
            if let Some(Context::Variable { align, .. }) = around.context(argument) {
                return divides(log2, align);
            }
            let own = around.attributes().map(|list| pool.attributes(list));
            let parameter = around.parameter(argument).zip(own).and_then(|(index, own)| own.params.get(index));
            return parameter.is_some_and(|list| promised(list));
        };
        match graph.op(node) {
            Some(Op::Alloca { align_log2, .. }) => align_log2 >= log2,
            Some(Op::Gep { .. }) => {
                let base = base_at_multiple(graph, layouts, origin, log2);
                pending.extend(base);
                base.is_some()
            }
            Some(Op::Select(_)) => {
                pending.extend([graph.input(node, 1), graph.input(node, 2)]);
                true
            }
            Some(Op::Const(constant)) => match pool.constant(constant) {
                Constant::Poison(_) => true,
                Constant::Expr { op: Op::Gep { source, .. }, operands, .. } => {
                    let &[base, bytes] = &**operands else { return false };
                    pending.extend(graph.input_origins(node));
                    matches!(pool.constant(base), Constant::Hole { .. })
                        && *source == pool.int(8)
                        && Int::of_const(pool, bytes).is_some_and(|bytes| divides(log2, bytes.unsigned() as u64))
                }
                _ => false,
            },
            Some(Op::Call(call)) => promised(&pool.attributes(pool.call(call).attributes).result),
            _ => false,
        }
    })
}

fn divides(log2: u8, number: u64) -> bool {
    number.trailing_zeros() >= log2.into()
}

/// The pointer from which an address is computed by one `getelementptr` after the other, if the distance is a multiple.
fn base_at_multiple(graph: &Graph, layouts: &mut Layouts, address: Origin, log2: u8) -> Option<Origin> {
    let (mut at, mut distance) = (address, 0_u128);
    for _ in 0..MAX_STEPS {
        let Some(node) = graph.producer(at).filter(|&node| matches!(graph.op(node), Some(Op::Gep { .. }))) else {
            break;
        };
        for term in terms(graph, layouts, node)? {
            distance = distance.wrapping_add(match term {
                Term::Bytes(bytes) => bytes.unsigned(),
                Term::Index(index, size) => {
                    let needed = u32::from(log2).saturating_sub(size.unsigned().trailing_zeros());
                    let index = known(graph, index)?;
                    if (index.zero | index.one).trailing_ones() < needed {
                        return None;
                    }
                    index.one.wrapping_mul(size.unsigned())
                }
            });
        }
        at = graph.input(node, 0);
    }
    divides(log2, distance as u64).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Example;

    /// The greatest power of two, up to the sixth, that is known to divide the address that `v9` is.
    fn of(operations: &str) -> u8 {
        let example = Example::of(&format!(
            "module \"test\"
             @table = global [10 x i32], align 32
             @plain = global [10 x i32]
             @g = function ptr ()
             @f = function ptr (ptr, ptr, i64, i1), #0
             import @table
             import @plain
             import @g
             lambda @f [@table, @plain, @g] (v0: ptr, v1: ptr, v2: i64, v3: i1, mem0, io0) {{
               v4 = const i64 4
               v5 = const i32 1
               v6: ptr, mem1 = alloca i64, v5, mem0, align 16
               v7: ptr, mem2, io1 = call ptr () @g() #1, mem1, io0
               {operations}
               yield v9, mem2, io1
             }}
             export @f
             attributes #0 = params ({{ align 16 }})
             attributes #1 = result {{ align 8 }}"
        ));
        let graph = example.graph();
        let mut layouts = example.surroundings().and_then(|known| known.layouts()).expect("there is a layout");
        let address = graph.result(graph.root(), 0);
        (0..=6).rev().find(|&log2| is_aligned(graph, example.surroundings(), &mut layouts, address, log2)).unwrap_or(0)
    }

    #[test]
    fn what_divides_addresses() {
        let steps = |by: &str, scale: &str| {
            format!(
                "v20 = const i64 0
                 v9: ptr, v21: i64 = theta (v10: ptr = v6, v11: i64 = v20) {{
                   v12: ptr = getelementptr {scale}, v10, v11
                   v8 = const i64 {by}
                   v13: i64 = add v11, v8
                   v14: i1 = icmp eq v12, v10
                   v15: ctl(2) = match i1 v14 [true -> 1, _ -> 0]
                   next v12, v13 while v15
                 }}"
            )
        };
        for (operations, expected) in [
            ("v9: ptr = getelementptr i8, @table, v20", 2),
            ("v8 = const i64 64\nv9: ptr = getelementptr i8, @table, v8", 5),
            ("v8 = const i64 64\nv9: ptr = getelementptr i8, v0, v8", 4),
            ("v8 = const i64 64\nv9: ptr = getelementptr i8, v7, v8", 3),
            ("v8 = const i64 64\nv9: ptr = getelementptr i8, v6, v8", 4),
            ("v9: ptr = getelementptr i8, @plain, v20", 0),
            ("v9: ptr = getelementptr i32, v0, v4", 4),
            ("v9: ptr = getelementptr i16, v0, v4", 3),
            ("v9: ptr = getelementptr i32, v0, v2", 2),
            ("v9: ptr = getelementptr i8, v1, v4", 0),
            ("v9: ptr = getelementptr i64, v6, v2", 3),
            ("v8: ptr = getelementptr i8, v6, v5\nv30 = const i32 -1\nv9: ptr = getelementptr i8, v8, v30", 4),
            (
                "v8: i64 = shl v2, v4\nv30: i64 = or v8, v4\nv31: ptr = getelementptr i32, v6, v30\n\
              v32 = const i32 -2\nv9: ptr = getelementptr i64, v31, v32",
                4,
            ),
            ("v9: ptr = getelementptr [8 x i64], v6, v2", 4),
            ("v9: ptr = getelementptr { i64, [8 x i64] }, v6, v4, v5, v2", 3),
            ("v9: ptr = getelementptr i64, v7, v2", 3),
            ("v9: ptr = select v3, v0, v7", 3),
            ("v9: ptr = select v3, v0, v1", 0),
            ("v9: ptr = select v3, v6, @table", 4),
            ("v8: i32 = trunc v2\nv9: ptr = getelementptr i64, v6, v8", 0),
            ("v9 = const ptr null", 0),
            ("v9 = const ptr poison", 6),
            ("v9 = const ptr getelementptr (i8, ptr ?0, i64 16), @table", 4),
            ("v9 = const ptr getelementptr (i16, ptr ?0, i64 16), @table", 0),
        ] {
            let operations = format!("v20 = const i64 20\n{operations}");
            assert_eq!(of(&operations), expected, "{operations}");
        }
        for (by, scale, expected) in [("8", "i16", 4), ("2", "i16", 2), ("3", "i32", 2), ("4", "i64", 4)] {
            assert_eq!(of(&steps(by, scale)), expected, "{by} {scale}");
        }
    }
}
