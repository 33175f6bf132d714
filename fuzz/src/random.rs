//! Random choices from a seed: the same seed makes the same choices on every machine.

/// A source of choices.
pub(crate) struct Random {
    generator: fastrand::Rng,
    /// Whether decimals stand among other numbers: in every second seed.
    pub(crate) mixes_decimals: bool,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            generator: fastrand::Rng::with_seed(seed),
            mixes_decimals: seed.is_multiple_of(2),
        }
    }

    /// From 0 to `limit - 1`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.generator.usize(..limit)
    }

    /// From `first` to `last`, both included.
    pub(crate) fn between(&mut self, first: usize, last: usize) -> usize {
        self.generator.usize(first..=last)
    }

    /// True so many times of a hundred.
    pub(crate) fn percent(&mut self, times: usize) -> bool {
        self.below(100) < times
    }

    /// One of the choices. There must be one.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    /// The number of a choice, by weight.
    pub(crate) fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (choice, &weight) in weights.iter().enumerate() {
            if left < weight {
                return choice;
            }
            left -= weight;
        }
        unreachable!("what is left is below the sum of the weights")
    }
}
