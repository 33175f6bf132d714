//! What repetitions took of the machine, taken together.

use lycosa_lua::worker::Resources;

use super::Run;
use crate::statistics;

/// Medians over what the runs say of their transactions, each over those that say it.
pub(crate) fn medians(runs: &[&Run]) -> Resources {
    let told: Vec<&Resources> = runs
        .iter()
        .filter_map(|run| run.resources.as_ref())
        .collect();
    let real = |value: fn(&Resources) -> Option<f64>| {
        let values: Vec<f64> = told.iter().copied().filter_map(value).collect();
        statistics::median(&values)
    };
    let whole = |value: fn(&Resources) -> Option<u64>| {
        let values = told.iter().copied().filter_map(value);
        let values: Vec<f64> = values.map(|value| value as f64).collect();
        statistics::median(&values).map(|median| median.round() as u64)
    };
    Resources {
        cpu_user_s: real(|told| told.cpu_user_s),
        cpu_system_s: real(|told| told.cpu_system_s),
        transaction_thread_cpu_s: real(|told| told.transaction_thread_cpu_s),
        other_threads_cpu_s: real(|told| told.other_threads_cpu_s),
        minor_faults: whole(|told| told.minor_faults),
        major_faults: whole(|told| told.major_faults),
        voluntary_switches: whole(|told| told.voluntary_switches),
        involuntary_switches: whole(|told| told.involuntary_switches),
        read_bytes: whole(|told| told.read_bytes),
        written_bytes: whole(|told| told.written_bytes),
        energy_j: real(|told| told.energy_j),
        package_energy_j: real(|told| told.package_energy_j),
        resident_bytes: whole(|told| told.resident_bytes),
        resident_peak_bytes: whole(|told| told.resident_peak_bytes),
        swap_bytes: whole(|told| told.swap_bytes),
        lua_heap_bytes: whole(|told| told.lua_heap_bytes),
        quota_used_bytes: whole(|told| told.quota_used_bytes),
        index_bytes: whole(|told| told.index_bytes),
        tuple_bytes: whole(|told| told.tuple_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[test]
    fn each_median_is_over_the_runs_that_tell_it() {
        let mut runs = testing::runs(&[0.1, 0.2, 0.3]);
        for (faults, run) in [Some(10), None, Some(30), Some(31)]
            .into_iter()
            .zip(&mut runs)
        {
            run.resources = Some(Resources {
                minor_faults: faults,
                ..Resources::default()
            });
        }
        runs[3].resources = None;
        let runs: Vec<&Run> = runs.iter().collect();
        let found = medians(&runs);
        assert_eq!(found.minor_faults, Some(20));
        assert_eq!(found.major_faults, None);
        assert_eq!(medians(&[]), Resources::default());
    }

    #[test]
    fn what_is_not_known_is_null_and_older_files_know_nothing() {
        let json = serde_json::to_value(Resources::default()).unwrap();
        let fields = json.as_object().unwrap();
        assert!(fields.len() == 19 && fields.values().all(serde_json::Value::is_null));
        let older: Resources = serde_json::from_str("{\"of_the_future\": 1}").unwrap();
        assert_eq!(older, Resources::default());
        let mut run = serde_json::to_value(testing::run("native", false, 1, 0.1)).unwrap();
        for name in ["resources", "process_resources"] {
            assert!(run.as_object_mut().unwrap().remove(name).is_some());
        }
        let run: Run = serde_json::from_value(run).unwrap();
        assert_eq!((run.resources, run.process_resources), (None, None));
    }
}
