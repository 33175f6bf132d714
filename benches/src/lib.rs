//! Criterion benches of the engine's parts; see `benches/benches`.
