//! What a misspelt name was most likely meant to be.

/// Similarity (Jaro-Winkler) from which a name is taken for a misspelling of another.
const SIMILARITY_MIN: f64 = 0.8;

/// The name that `name` is most likely a misspelling of.
pub(crate) fn nearest<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    names
        .iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), *candidate))
        .filter(|(similarity, _)| *similarity >= SIMILARITY_MIN)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_a_far_one_is_not() {
        let names = ["native", "rosetta", "qemu"];
        assert_eq!(nearest("roseta", &names), Some("rosetta"));
        assert_eq!(nearest("zzz", &names), None);
        assert_eq!(nearest("native", &[]), None);
    }
}
