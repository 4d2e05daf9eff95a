//! Disjoint sets of numbers.

/// Numbers up to a limit, each in one set.
pub(super) struct Sets(Vec<usize>);

impl Sets {
    /// Every number is in a set of its own.
    pub(super) fn new(count: usize) -> Sets {
        Sets((0..count).collect())
    }

    /// The least number in the set of another.
    pub(super) fn first(&mut self, mut number: usize) -> usize {
        while self.0[number] != number {
            self.0[number] = self.0[self.0[number]];
            number = self.0[number];
        }
        number
    }

    /// Makes the sets of two numbers one.
    pub(super) fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }
}
