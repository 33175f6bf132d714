//! How this binary was built, as the build program recorded it.

use lycosa_lua::runtime::wants_huge_pages;
use serde::{Deserialize, Serialize};

/// What of a build changes its speed, beside the compiler's version and the profile.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Build {
    /// Target triple.
    pub(crate) target: String,
    /// Chip that was named to the compiler; `None` for the target's baseline.
    pub(crate) target_cpu: Option<String>,
    /// Extensions of the instruction set that the compiler may use.
    pub(crate) target_features: Vec<String>,
    /// Those among them that the target's baseline does not have: a translator may lack them.
    pub(crate) features_beyond_baseline: Vec<String>,
    /// Level of optimization.
    pub(crate) opt_level: String,
    /// Allocator of everything but tuples and indexes, and whether those ask for huge pages.
    pub(crate) allocator: String,
}

/// This binary's build.
pub(crate) fn build() -> Build {
    Build {
        target: env!("LYCOSA_TARGET").to_owned(),
        target_cpu: list(env!("LYCOSA_TARGET_CPU")).pop(),
        target_features: list(env!("LYCOSA_TARGET_FEATURES")),
        features_beyond_baseline: list(env!("LYCOSA_FEATURES_BEYOND_BASELINE")),
        opt_level: env!("LYCOSA_OPT_LEVEL").to_owned(),
        allocator: String::from(if wants_huge_pages() {
            "mimalloc, huge pages for tuples and indexes"
        } else {
            "mimalloc"
        }),
    }
}

/// Names between commas.
fn list(text: &str) -> Vec<String> {
    text.split(',')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_build_of_this_binary_is_known() {
        let build = build();
        assert!(
            build.target.starts_with(std::env::consts::ARCH),
            "{build:?}"
        );
        assert!(!build.target_features.is_empty());
        for feature in &build.features_beyond_baseline {
            assert!(build.target_features.contains(feature), "{build:?}");
        }
    }
}
