//! Unstructured control flow: the smallest acyclic shapes of it.

use std::collections::BTreeSet;

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
