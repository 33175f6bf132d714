//! Samples of known distributions, from fixed seeds, for the tests of how often a method is right.

use fastrand::Rng;

/// Draws one value.
pub(super) type Draw = fn(&mut Rng) -> f64;

/// A standard normal value (Box and Muller 1958).
pub(super) fn normal(random: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}

/// A wall time around 1 with a spread of 2 %, skewed as wall times are.
pub(super) fn wall_time(random: &mut Rng) -> f64 {
    (0.02 * normal(random)).exp()
}

/// A wall time that is never below 1 and now and then far above.
pub(super) fn one_sided(random: &mut Rng) -> f64 {
    1.0 - 0.03 * (1.0 - random.f64()).ln()
}

/// A wall time around 1 with one in seven far off.
pub(super) fn contaminated(random: &mut Rng) -> f64 {
    let spread = if random.u8(..7) == 0 { 0.2 } else { 0.01 };
    (spread * normal(random)).exp()
}

/// A value between 1 and 1.1.
pub(super) fn uniform(random: &mut Rng) -> f64 {
    1.0 + 0.1 * random.f64()
}

/// As many values as asked for.
pub(super) fn sample(random: &mut Rng, draw: Draw, count: usize) -> Vec<f64> {
    (0..count).map(|_| draw(random)).collect()
}

/// Part of the experiments, run from one seed, that come out true.
pub(super) fn share_of(experiments: u32, mut experiment: impl FnMut(&mut Rng) -> bool) -> f64 {
    let mut random = Rng::with_seed(42);
    let hits = (0..experiments).filter(|_| experiment(&mut random)).count();
    hits as f64 / f64::from(experiments)
}
