//! Made-up files for the tests of every form.

use lycosa_lua::worker::{Resources, Sample};

use super::{Dataset, Source};
use crate::environment::Translator;
use crate::result::file::Document;
use crate::result::{ArmRecord, Record, Run, Status, testing};
use crate::worker;

/// Twenty sizes, 15 repetitions and a cold one of two arms on one machine; one is void.
pub(crate) fn two_arms() -> Dataset {
    Dataset::new(vec![two_arms_on("m2", 1.0)], Vec::new(), None).unwrap()
}

/// A file of two arms on a machine that takes `factor` times as long as another.
pub(crate) fn two_arms_on(host: &str, factor: f64) -> Source {
    let mut runs = Vec::new();
    for size in 1..=20_u32 {
        for repetition in 0..=15_u32 {
            for (arm, slowdown) in [("native", 1.0), ("rosetta", 1.6)] {
                // Spread that looks random and is the same in every run.
                let noise = f64::from((repetition * 7 + size * 3) % 13) / 13.0 * 0.03;
                let wall_s = 0.11 * factor * slowdown * f64::from(size) * (1.0 + noise);
                let mut run = testing::run(arm, repetition == 0, repetition.max(1), wall_s);
                run.point.records = u64::from(size) * 1_000_000;
                run.ops = run.point.records;
                run.ops_per_s = run.ops as f64 / wall_s;
                if (arm, size, repetition) == ("rosetta", 7, 3) {
                    run.void = Some(String::from("the load rose from 0.5 to 6.0"));
                }
                if arm == "rosetta" {
                    run.translator = Some(Translator::Rosetta);
                }
                runs.push(run);
            }
        }
    }
    source(&format!("{host}.json"), host, runs)
}

/// A file with these runs.
pub(crate) fn source(path: &str, host: &str, runs: Vec<Run>) -> Source {
    let mut context = worker::testing::context();
    context.host_name = host.to_owned();
    context.cpu = String::from("Apple M2");
    context.profile = String::from("release");
    let mut translated = context.clone();
    translated.translator = Translator::Rosetta;
    let arm = |name: &str, context: &crate::environment::Context| ArmRecord {
        name: name.to_owned(),
        command: vec![String::from("lycosa")],
        context: Some(context.clone()),
        program: None,
        binary_digest: None,
    };
    let record = Record {
        arms: vec![arm("native", &context), arm("rosetta", &translated)],
        runs,
    };
    Source {
        path: path.to_owned(),
        document: Document::new(&context, &record, Status::Complete).unwrap(),
    }
}

/// Everything that a file may name has this name.
pub(crate) fn named(name: &str) -> Dataset {
    let mut runs = testing::runs(&[0.1, 0.2, 0.3]);
    for run in &mut runs {
        run.arm = name.to_owned();
        run.point.workload = name.to_owned();
        run.point.settings.insert(name.to_owned(), name.to_owned());
        run.checksum = format!("{name}{}", run.repetition);
    }
    runs[1].void = Some(name.to_owned());
    let mut source = source(name, name, runs);
    source.document.context.cpu = name.to_owned();
    source.document.context.os = name.to_owned();
    Dataset::new(vec![source], vec![name.to_owned()], None).unwrap()
}

/// The same two arms at one size, whose repetitions were told in so many intervals.
pub(crate) fn with_courses(count: u32) -> Dataset {
    let mut source = two_arms_on("m2", 1.0);
    let runs = &mut source.document.runs;
    runs.retain(|run| run.point.records == 2_000_000);
    for run in runs {
        let interval_s = run.wall_s / f64::from(count);
        let ops = run.ops / u64::from(count);
        run.series = (1..=count)
            .map(|number| Sample {
                t_s: interval_s * f64::from(number),
                interval_s,
                ops: ops - u64::from(number % 3) * ops / 10,
                txn_latency_ns: run.txn_latency_ns,
                resources: Some(Resources {
                    cpu_user_s: Some(interval_s * 0.9),
                    cpu_system_s: Some(interval_s * 0.1),
                    resident_bytes: Some(20_000_000 + u64::from(number) * 1_000_000),
                    index_bytes: Some(1_000_000),
                    tuple_bytes: Some(u64::from(number) * 500_000),
                    ..Resources::default()
                }),
            })
            .collect();
    }
    Dataset::new(vec![source], Vec::new(), None).unwrap()
}
