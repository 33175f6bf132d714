//! Order, checks and endings, with an executor that starts no process.

use super::testing::{Script, plan, repetition};
use super::*;
use crate::interrupt::Interrupt;
use crate::result::ArmRecord;

#[derive(Default)]
struct Log(Vec<String>);

impl Observer for Log {
    fn started(&mut self, slot: Slot) {
        let kind = if slot.cold { "cold " } else { "" };
        let arm = ["A", "B", "C"][slot.arm];
        self.0
            .push(format!("{kind}{arm}{}.{}", slot.point, slot.repetition));
    }
    fn output(&mut self, _: &str) {}
    fn sample(&mut self, _: &lycosa_lua::worker::Sample) {}
    fn warning(&mut self, _: &str) {}
    fn tick(&mut self) {}
    fn finished(&mut self, _: Slot, record: &Record) {
        if let Some(reason) = record.runs.last().and_then(|run| run.void.as_ref()) {
            self.0.push(format!("void: {reason}"));
        }
    }
}

fn run_script(
    plan: &Plan,
    record: Record,
    interrupt: &Interrupt,
    answer: impl FnMut(u32) -> Result<Repetition, RepetitionError>,
) -> (Outcome, Vec<String>) {
    run_with_loads(plan, record, interrupt, Vec::new(), answer)
}

fn run_with_loads(
    plan: &Plan,
    record: Record,
    interrupt: &Interrupt,
    loads: Vec<f64>,
    answer: impl FnMut(u32) -> Result<Repetition, RepetitionError>,
) -> (Outcome, Vec<String>) {
    let mut log = Log::default();
    let mut executor = Script {
        repetitions: 0,
        loads,
        answer,
    };
    let outcome = run(plan, record, &mut executor, interrupt, &mut log);
    (outcome, log.0)
}

fn simple(plan: &Plan) -> (Outcome, Vec<String>) {
    run_script(plan, Record::default(), &Interrupt::default(), |number| {
        Ok(repetition(f64::from(number)))
    })
}

fn failure(ending: Ending) -> String {
    let Ending::Failed(error) = ending else {
        panic!("it must fail: {ending:?}");
    };
    error.to_string()
}

#[test]
fn cold_repetitions_come_first_and_are_marked() {
    let (outcome, log) = simple(&plan(&["native"], 1, 1, 2));
    assert_eq!(log, ["cold A0.1", "A0.1", "A0.2"]);
    assert!(matches!(outcome.ending, Ending::Complete));
    let cold: Vec<bool> = outcome.record.runs.iter().map(|run| run.cold).collect();
    assert_eq!(cold, [true, false, false]);
    assert_eq!(outcome.record.arms.len(), 1);
}

#[test]
fn two_arms_interleave_forwards_and_backwards_at_every_point() {
    let plan = plan(&["native", "rosetta"], 2, 1, 3);
    let (outcome, log) = simple(&plan);
    let expected = [
        "cold A0.1",
        "cold B0.1",
        "A0.1",
        "B0.1",
        "B0.2",
        "A0.2",
        "A0.3",
        "B0.3",
        "A1.1",
        "B1.1",
        "B1.2",
        "A1.2",
        "A1.3",
        "B1.3",
    ];
    assert_eq!(log, expected);
    assert_eq!(plan.len(), expected.len() as u64);
    let arms: Vec<&str> = outcome
        .record
        .arms
        .iter()
        .map(|arm| arm.name.as_str())
        .collect();
    assert_eq!(arms, ["native", "rosetta"]);
}

#[test]
fn three_arms_interleave_too() {
    let (_, log) = simple(&plan(&["a", "b", "c"], 1, 0, 2));
    assert_eq!(log, ["A0.1", "B0.1", "C0.1", "C0.2", "B0.2", "A0.2"]);
}

#[test]
fn a_failure_ends_the_run_and_keeps_what_was_measured() {
    let plan = plan(&["native"], 1, 1, 2);
    let (outcome, log) =
        run_script(
            &plan,
            Record::default(),
            &Interrupt::default(),
            |number| match number {
                2 => Err(RepetitionError::Died {
                    how: String::from("killed"),
                }),
                _ => Ok(repetition(1.0)),
            },
        );
    assert_eq!(log, ["cold A0.1", "A0.1"]);
    assert_eq!(outcome.record.runs.len(), 1);
    assert!(failure(outcome.ending).contains("killed"));
}

#[test]
fn an_interruption_during_a_repetition_drops_only_that_one() {
    let plan = plan(&["native"], 1, 1, 2);
    let (outcome, _) =
        run_script(
            &plan,
            Record::default(),
            &Interrupt::default(),
            |number| match number {
                3 => Err(RepetitionError::Interrupted),
                _ => Ok(repetition(1.0)),
            },
        );
    assert_eq!(outcome.record.runs.len(), 2);
    assert!(matches!(outcome.ending, Ending::Interrupted));
}

#[test]
fn an_interruption_between_repetitions_starts_no_other() {
    let interrupt = Interrupt::default();
    let raised = interrupt.clone();
    let plan = plan(&["native"], 1, 1, 2);
    let (outcome, log) = run_script(&plan, Record::default(), &interrupt, |_| {
        raised.raise();
        Ok(repetition(1.0))
    });
    assert_eq!(log, ["cold A0.1"]);
    assert!(matches!(outcome.ending, Ending::Interrupted));
}

#[test]
fn what_is_already_there_is_not_measured_again_wherever_it_stopped() {
    let plan = plan(&["native", "rosetta"], 2, 1, 3);
    let (whole, _) = simple(&plan);
    for kept in 0..=whole.record.runs.len() {
        let mut record = whole.record.clone();
        record.runs.truncate(kept);
        let (resumed, log) = run_script(&plan, record, &Interrupt::default(), |_| {
            Ok(repetition(7.0))
        });
        assert_eq!(log.len(), whole.record.runs.len() - kept);
        let places = |outcome: &Outcome| -> Vec<(String, u64, bool, u32)> {
            let place = |run: &crate::result::Run| {
                (run.arm.clone(), run.point.records, run.cold, run.repetition)
            };
            outcome.record.runs.iter().map(place).collect()
        };
        assert_eq!(places(&resumed), places(&whole));
        let kept_runs = &resumed.record.runs[..kept];
        assert_eq!(kept_runs, &whole.record.runs[..kept]);
    }
}

#[test]
fn a_repetition_that_the_machine_spoilt_is_kept_as_void_and_run_again() {
    let plan = plan(&["native"], 1, 0, 2);
    // Before and after each: the second repetition sees the load rise.
    let loads = vec![0.0, 0.0, 0.0, 30.0];
    let (outcome, log) = run_with_loads(
        &plan,
        Record::default(),
        &Interrupt::default(),
        loads,
        |number| Ok(repetition(f64::from(number))),
    );
    assert!(matches!(outcome.ending, Ending::Complete));
    assert_eq!((log[0].as_str(), log[1].as_str()), ("A0.1", "A0.2"));
    assert!(log[2].starts_with("void: "), "{log:?}");
    assert_eq!(log[3], "A0.2");
    let counted: Vec<f64> = outcome
        .record
        .runs
        .iter()
        .filter(|run| run.is_counted())
        .map(|run| run.wall_s)
        .collect();
    assert_eq!((outcome.record.runs.len(), counted), (3, vec![1.0, 3.0]));
}

#[test]
fn a_machine_that_never_settles_ends_the_run() {
    let plan = plan(&["native"], 1, 0, 2);
    let (outcome, _) = run_with_loads(
        &plan,
        Record::default(),
        &Interrupt::default(),
        [0.0, 30.0].repeat(10),
        |_| Ok(repetition(1.0)),
    );
    assert_eq!(outcome.record.runs.len(), 3);
    assert!(failure(outcome.ending).contains("arm `native`: 3 repetitions were void"));
}

#[test]
fn a_machine_that_has_settled_since_is_measured_to_the_end() {
    let plan = plan(&["native"], 1, 0, 2);
    let (spoilt, _) = run_with_loads(
        &plan,
        Record::default(),
        &Interrupt::default(),
        [0.0, 30.0].repeat(10),
        |_| Ok(repetition(1.0)),
    );
    assert_eq!(plan.missing(&spoilt.record).len(), 2);
    let (outcome, _) = run_script(&plan, spoilt.record, &Interrupt::default(), |_| {
        Ok(repetition(1.0))
    });
    assert!(matches!(outcome.ending, Ending::Complete));
    assert_eq!(plan.missing(&outcome.record), []);
    assert_eq!(outcome.record.runs.len(), 5);
}

#[test]
fn repetitions_that_leave_different_data_fail_the_run_across_arms_too() {
    let plan = plan(&["native", "rosetta"], 1, 0, 2);
    let (outcome, _) = run_script(&plan, Record::default(), &Interrupt::default(), |number| {
        let mut repetition = repetition(1.0);
        repetition.measurement.checksum = format!("{:016x}", number / 2);
        Ok(repetition)
    });
    assert_eq!(outcome.record.runs.len(), 1);
    let message = failure(outcome.ending);
    assert!(
        message.contains("checksum 0000000000000001 (arm `rosetta`) after"),
        "{message}"
    );
    assert!(
        message.contains("0000000000000000 (arm `native`) before"),
        "{message}"
    );
}

#[test]
fn a_figure_of_another_architecture_or_translator_is_refused() {
    for (change, found) in [
        (
            (|repetition| repetition.context.as_mut().unwrap().translator = Translator::QemuUser)
                as fn(&mut Repetition),
            "x86_64, qemu-user",
        ),
        (
            |repetition| repetition.measurement.binary_arch = String::from("aarch64"),
            "arm64, native",
        ),
        (|repetition| repetition.context = None, "x86_64"),
    ] {
        let plan = plan(&["native"], 1, 1, 2);
        let (outcome, _) = run_script(&plan, Record::default(), &Interrupt::default(), |_| {
            let mut repetition = repetition(1.0);
            change(&mut repetition);
            Ok(repetition)
        });
        assert_eq!(outcome.record.runs, []);
        assert_eq!(outcome.record.arms, Vec::<ArmRecord>::new());
        let message = failure(outcome.ending);
        let expected = format!("arm `native` answered as {found}; it must be x86_64, native");
        assert_eq!(message, expected);
    }
}
