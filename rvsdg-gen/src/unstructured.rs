//! Unstructured control flow: the smallest acyclic shapes of it, and kernels of these shapes.

use std::collections::BTreeSet;
use std::fmt::Write;

use rvsdg_cfg::shape::Shape;

/// The smallest unstructured acyclic shapes with `size` blocks before the virtual exit, of one or two successors each: no two
/// blocks are one after the other, and merging chains and conditionals with and without alternative does not lead to one
/// block (thesis C1.5). Shapes that differ in the numbers of their blocks alone occur once.
pub fn smallest(size: usize) -> Vec<Shape> {
    let mut seen = BTreeSet::new();
    let mut shapes = Vec::new();
    let mut choices: Vec<Vec<Vec<usize>>> = Vec::new();
    for block in 0..size - 1 {
        let later: Vec<usize> = (block + 1..size).collect();
        let ones = later.iter().map(|&to| vec![to]);
        let pairs = later.iter().flat_map(|&a| later.iter().filter(move |&&b| b > a).map(move |&b| vec![a, b]));
        choices.push(ones.chain(pairs).collect());
    }
    let mut picked = vec![0; size - 1];
    loop {
        let lists: Vec<Vec<usize>> = picked.iter().zip(&choices).map(|(&index, list)| list[index].clone()).collect();
        if is_minimal(&lists) && !contracts(&lists) && seen.insert(canonical(&lists)) {
            let last = [vec![size], Vec::new()];
            shapes.push(Shape::from_successors(&[lists.as_slice(), &last].concat()));
        }
        let Some(next) = (0..size - 1).find(|&block| picked[block] + 1 < choices[block].len()) else { return shapes };
        picked[next] += 1;
        picked[..next].fill(0);
    }
}

/// The head of a module of [kernels](kernel).
pub const KERNELS: &str = "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
";

/// Whose bits decide about the branches of a kernel.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Decides {
    /// Those of each thread's number: threads diverge.
    Thread,
    /// Those of an argument, `%choice`: they do not.
    Argument,
}

/// A kernel of a shape as LLVM IR. Each bit of a number decides one branch, so that the 32 lanes of a warp take all paths through a shape
/// of up to seven blocks; the value that a thread adds to its word of the passed memory identifies its path.
pub fn kernel(name: &str, shape: &Shape, decides: Decides) -> String {
    let (parameter, decides) = match decides {
        Decides::Thread => ("", "%thread"),
        Decides::Argument => (", i32 %choice", "%choice"),
    };
    kernel_of(name, shape, &Plan { parameter, decides, space: 1, memory: "%out", times: 1 })
}

/// A kernel of a shape whose branches the threads' numbers decide, for a GPU's clock: each block adds so often to a word of the thread in
/// memory that a block shares, `%visits`, and the sum goes to the thread's word of `%out` in the end. The time it takes is that of the
/// instructions which warps execute, not that of memory.
pub fn busy_kernel(name: &str, shape: &Shape, times: u32) -> String {
    let parameter = ", ptr addrspace(3) %visits";
    kernel_of(name, shape, &Plan { parameter, decides: "%thread", space: 3, memory: "%visits", times })
}

/// What kernels differ in apart from their shapes.
struct Plan<'a> {
    /// What is passed after `%out`.
    parameter: &'a str,
    /// The number whose bits decide.
    decides: &'a str,
    /// The memory to whose words blocks add, and its address space.
    space: u8,
    memory: &'a str,
    /// How often a block adds.
    times: u32,
}

fn kernel_of(name: &str, shape: &Shape, plan: &Plan<'_>) -> String {
    let &Plan { parameter, decides, space, memory, times } = plan;
    let mut text = format!("\ndefine ptx_kernel void @{name}(ptr addrspace(1) %out{parameter}) {{\n");
    let mut branches = 0;
    let end = if memory == "%out" {
        String::new()
    } else {
        format!(
            "  %sum = load i32, ptr addrspace({space}) %place, align 4\n  \
               %result = getelementptr i32, ptr addrspace(1) %out, i32 %thread\n  \
               store i32 %sum, ptr addrspace(1) %result, align 4\n"
        )
    };
    for block in shape.blocks().filter(|&block| block != shape.exit) {
        let number = block.as_u32();
        _ = writeln!(text, "b{number}:");
        if block == shape.entry {
            text += "  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
            _ = writeln!(text, "  %place = getelementptr i32, ptr addrspace({space}) {memory}, i32 %thread");
            if !end.is_empty() {
                _ = writeln!(text, "  store i32 0, ptr addrspace({space}) %place, align 4");
            }
        }
        // Sums of these are different for different sets of blocks.
        let added = 1 << (2 * number % 32);
        for time in 0..times {
            let visit =
                format!("%v{number}.{time} = atomicrmw add ptr addrspace({space}) %place, i32 {added} monotonic");
            _ = writeln!(text, "  {visit}, align 4");
        }
        match *shape.succs(block) {
            [a, b] => {
                _ = writeln!(text, "  %s{number} = lshr i32 {decides}, {}", branches % 32);
                _ = writeln!(text, "  %c{number} = trunc i32 %s{number} to i1");
                let [a, b] = [a, b].map(|to| to.as_u32());
                _ = writeln!(text, "  br i1 %c{number}, label %b{a}, label %b{b}");
                branches += 1;
            }
            [to] if to != shape.exit => _ = writeln!(text, "  br label %b{}", to.as_u32()),
            _ => _ = writeln!(text, "{end}  ret void"),
        }
    }
    if shape.blocks().any(|block| shape.succs(block).len() > 1 && shape.succs(block).contains(&shape.exit)) {
        _ = writeln!(text, "b{}:\n{end}  ret void", shape.exit.as_u32());
    }
    text + "}\n"
}

/// Whether every block is reached and none is the only successor of its only predecessor's.
fn is_minimal(lists: &[Vec<usize>]) -> bool {
    let sources = |to: usize| lists.iter().enumerate().filter(move |(_, list)| list.contains(&to));
    (1..=lists.len()).all(|to| sources(to).count() > 1 || sources(to).any(|(_, list)| list.len() > 1))
}

/// Whether merging chains and conditionals leads to one block.
fn contracts(lists: &[Vec<usize>]) -> bool {
    let mut lists: Vec<Option<Vec<usize>>> = lists.iter().cloned().map(Some).chain([Some(Vec::new())]).collect();
    loop {
        let entries =
            |lists: &[Option<Vec<usize>>], to: usize| lists.iter().flatten().filter(|list| list.contains(&to)).count();
        let only = |lists: &[Option<Vec<usize>>], block: usize| match lists[block].as_deref() {
            Some(&[to]) if entries(lists, block) == 1 => Some(to),
            _ => None,
        };
        let step = (0..lists.len()).find_map(|block| match *lists[block].as_deref()? {
            [next] if entries(&lists, next) == 1 => Some((block, lists[next].clone()?, vec![next])),
            [a, b] if only(&lists, a) == Some(b) => Some((block, vec![b], vec![a])),
            [a, b] if only(&lists, b) == Some(a) => Some((block, vec![a], vec![b])),
            [a, b] if only(&lists, a).is_some() && only(&lists, a) == only(&lists, b) => {
                Some((block, vec![only(&lists, a)?], vec![a, b]))
            }
            _ => None,
        });
        let Some((block, list, merged)) = step else { return lists.iter().flatten().count() == 1 };
        lists[block] = Some(list);
        merged.into_iter().for_each(|block| lists[block] = None);
    }
}

/// The least of the lists that come of numbering the blocks between the first and the last anew.
fn canonical(lists: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let size = lists.len() + 1;
    let mut numbers: Vec<usize> = (0..size).collect();
    let mut least: Option<Vec<Vec<usize>>> = None;
    permute(&mut numbers, 1, &mut |numbers| {
        let mut renumbered = vec![Vec::new(); size - 1];
        for (block, list) in lists.iter().enumerate() {
            let mut list: Vec<usize> = list.iter().map(|&to| numbers[to]).collect();
            list.sort_unstable();
            renumbered[numbers[block]] = list;
        }
        if least.as_ref().is_none_or(|least| renumbered < *least) {
            least = Some(renumbered);
        }
    });
    least.expect("there is one order at least")
}

/// Calls a function with every order of what stands between `from` and the last.
fn permute(numbers: &mut [usize], from: usize, each: &mut impl FnMut(&[usize])) {
    if from + 1 >= numbers.len() {
        return each(numbers);
    }
    for index in from..numbers.len() - 1 {
        numbers.swap(from, index);
        permute(numbers, from + 1, each);
        numbers.swap(from, index);
    }
}
