//! Which users and origins belong to a node or a region, in order. Most were made one after the other, and then the first and
//! their number say it all.

use std::ops::Range;
use std::sync::OnceLock;

use cranelift_entity::EntityRef;

use super::{Origin, User};

/// Ids in order: the first and how many follow each other, or the number of a list in [`Lists`].
#[derive(Copy, Clone, Default)]
pub(super) struct Ids {
    first: u32,
    /// With [`LISTED`] when they do not follow each other; then `first` is the number of the list.
    count: u32,
}

const LISTED: u32 = 1 << 31;

/// What [`Ids`] are of.
pub(super) trait Id: EntityRef + 'static {
    /// The first ids from 0, at least `bound`. They exist once for all graphs, so that a run of ids is a slice.
    fn all(bound: usize) -> &'static [Self];
}

/// Tables of twice as many ids each.
type Tables<K> = [OnceLock<Box<[K]>>; 33];

fn table<K: EntityRef>(tables: &'static Tables<K>, bound: usize) -> &'static [K] {
    let size = bound.next_power_of_two().max(1 << 10);
    tables[size.trailing_zeros() as usize].get_or_init(|| (0..size).map(K::new).collect())
}

impl Id for User {
    fn all(bound: usize) -> &'static [User] {
        static TABLES: Tables<User> = [const { OnceLock::new() }; 33];
        table(&TABLES, bound)
    }
}

impl Id for Origin {
    fn all(bound: usize) -> &'static [Origin] {
        static TABLES: Tables<Origin> = [const { OnceLock::new() }; 33];
        table(&TABLES, bound)
    }
}

/// Reads and writes [`Ids`] of a graph.
#[derive(Clone)]
pub(super) struct Lists<K: Id> {
    /// Ids from 0, past all that are in runs.
    all: &'static [K],
    lists: Vec<Vec<K>>,
}

impl<K: Id> Lists<K> {
    /// For ids below a bound, which grows when greater ones are pushed.
    pub fn new(bound: usize) -> Lists<K> {
        Lists { all: K::all(bound), lists: Vec::new() }
    }

    /// The ids that follow each other; `None` for a list.
    #[inline]
    pub fn run(&self, ids: Ids) -> Option<Range<usize>> {
        let first = ids.first as usize;
        (ids.count & LISTED == 0).then(|| first..first + ids.count as usize)
    }

    #[inline]
    pub fn get(&self, ids: Ids) -> &[K] {
        match self.run(ids) {
            Some(run) => &self.all[run],
            None => self.list(ids),
        }
    }

    #[inline]
    pub fn at(&self, ids: Ids, index: usize) -> K {
        match ids.count & LISTED {
            0 => {
                assert!(index < ids.count as usize, "there is an id at each position below the count");
                K::new(ids.first as usize + index)
            }
            _ => self.list(ids)[index],
        }
    }

    /// Not inlined, so that reading a run is.
    #[inline(never)]
    fn list(&self, ids: Ids) -> &[K] {
        &self.lists[ids.first as usize]
    }

    pub fn push(&mut self, ids: &mut Ids, id: K) {
        if id.index() >= self.all.len() {
            self.all = K::all(id.index() + 1);
        }
        if ids.count & LISTED != 0 {
            self.lists[ids.first as usize].push(id);
        } else if ids.count == 0 {
            *ids = Ids { first: id.index() as u32, count: 1 };
        } else if ids.first as usize + ids.count as usize == id.index() {
            ids.count += 1;
        } else {
            let mut list = self.get(*ids).to_vec();
            list.push(id);
            *ids = self.listed(list);
        }
    }

    /// Replaces ids by others, none of which is greater than all ids created so far.
    pub fn set(&mut self, ids: &mut Ids, new: &[K]) {
        if ids.count & LISTED == 0 {
            *ids = self.add(new);
            return;
        }
        let list = &mut self.lists[ids.first as usize];
        match as_run(new) {
            Some(run) => {
                *list = Vec::new();
                *ids = run;
            }
            None => {
                list.clear();
                list.extend_from_slice(new);
            }
        }
    }

    /// Ids that belong to nothing yet, below the bound.
    pub fn add(&mut self, new: &[K]) -> Ids {
        as_run(new).unwrap_or_else(|| self.listed(new.to_vec()))
    }

    fn listed(&mut self, list: Vec<K>) -> Ids {
        self.lists.push(list);
        Ids { first: self.lists.len() as u32 - 1, count: LISTED }
    }
}

/// Ids that follow each other.
fn as_run<K: EntityRef>(ids: &[K]) -> Option<Ids> {
    let Some(first) = ids.first() else { return Some(Ids::default()) };
    let is_run = ids.iter().zip(first.index()..).all(|(id, index)| id.index() == index);
    is_run.then(|| Ids { first: first.index() as u32, count: ids.len() as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(numbers: &[u32]) -> Vec<User> {
        numbers.iter().map(|&number| User::from_u32(number)).collect()
    }

    #[test]
    fn a_run_and_a_list_read_alike() {
        let mut lists = Lists::new(0);
        let (mut run, mut list) = (Ids::default(), Ids::default());
        for number in [7, 8, 9, 3000] {
            lists.push(&mut run, User::from_u32(number));
            lists.push(&mut list, User::from_u32(10_000 - number));
        }
        for (all, expected) in [(run, [7, 8, 9, 3000]), (list, [9993, 9992, 9991, 7000])] {
            assert_eq!(lists.get(all), ids(&expected));
            assert_eq!((0..4).map(|index| lists.at(all, index)).collect::<Vec<_>>(), ids(&expected));
        }
        lists.set(&mut run, &ids(&[8, 9]));
        assert_eq!((lists.get(run), run.count & LISTED), (&*ids(&[8, 9]), 0));
        lists.set(&mut list, &ids(&[7000, 9993]));
        assert_eq!((lists.get(list), list.count), (&*ids(&[7000, 9993]), LISTED));
        lists.set(&mut list, &[]);
        assert_eq!((lists.get(list), list.count), (&[][..], 0));
        let short = lists.add(&ids(&[5, 6]));
        assert_eq!((short.first, short.count, lists.get(short)), (5, 2, &*ids(&[5, 6])));
        let mixed = lists.add(&ids(&[6, 5]));
        assert_eq!((mixed.count, lists.get(mixed)), (LISTED, &*ids(&[6, 5])));
    }

    #[test]
    #[should_panic(expected = "at each position below the count")]
    fn there_is_nothing_past_the_end_of_a_run() {
        let mut lists = Lists::new(0);
        let mut run = Ids::default();
        lists.push(&mut run, User::from_u32(1));
        lists.push(&mut Ids::default(), User::from_u32(2));
        lists.at(run, 1);
    }
}
