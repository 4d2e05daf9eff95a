//! Linear combinations of values.

use rvsdg_core::Origin;
use rvsdg_core::fold::Int;

/// A sum of values, each times a known integer, and a known integer, modulo 2^width.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linear {
    constant: Int,
    /// By value; no factor is zero.
    terms: Vec<(Origin, Int)>,
}

impl Linear {
    /// A known integer.
    pub fn constant(value: Int) -> Linear {
        Linear { constant: value, terms: Vec::new() }
    }

    /// A value of a width.
    pub fn of(origin: Origin, bits: u32) -> Linear {
        Linear { constant: Int::new(bits, 0), terms: vec![(origin, Int::new(bits, 1))] }
    }

    /// Zero of the same width.
    pub fn zero(&self) -> Linear {
        Linear::constant(self.constant.with(0))
    }

    /// The width.
    pub fn bits(&self) -> u32 {
        self.constant.bits()
    }

    /// The integer, when it is known.
    pub fn known(&self) -> Option<Int> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Whether it is known to be zero.
    pub fn is_zero(&self) -> bool {
        self.known().is_some_and(Int::is_zero)
    }

    /// The known part.
    pub fn offset(&self) -> Int {
        self.constant
    }

    /// The values and their factors.
    pub fn terms(&self) -> &[(Origin, Int)] {
        &self.terms
    }

    /// The sum.
    pub fn plus(&self, other: &Linear) -> Linear {
        let mut terms = self.terms.clone();
        for &(origin, factor) in &other.terms {
            match terms.binary_search_by_key(&origin, |&(origin, _)| origin) {
                Ok(index) => terms[index].1 = terms[index].1.add(factor),
                Err(index) => terms.insert(index, (origin, factor)),
            }
        }
        terms.retain(|&(_, factor)| !factor.is_zero());
        Linear { constant: self.constant.add(other.constant), terms }
    }

    /// The difference.
    pub fn minus(&self, other: &Linear) -> Linear {
        self.plus(&other.scaled(other.constant.with(u128::MAX)))
    }

    /// The product with a known integer.
    pub fn scaled(&self, by: Int) -> Linear {
        let mut terms = self.terms.clone();
        terms.iter_mut().for_each(|(_, factor)| *factor = factor.mul(by));
        terms.retain(|&(_, factor)| !factor.is_zero());
        Linear { constant: self.constant.mul(by), terms }
    }
}
