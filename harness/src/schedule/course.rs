//! Carrying a plan out: what is already there is kept, what the machine spoilt is run again.

use lycosa_lua::worker::WorkerError;

use super::{
    Arm, Ending, Executor, Expected, Identity, Observer, Outcome, Plan, Repetition,
    RepetitionError, Slot, Stopped,
};
use crate::interrupt::Interrupt;
use crate::result::{ArmRecord, Place, Point, Record, Run, Surroundings, binary};

/// Runs a plan until its end, its first failure or an interruption. What `record` already holds
/// of it is not run again.
pub(crate) fn run(
    plan: &Plan,
    record: Record,
    executor: &mut dyn Executor,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Outcome {
    let points = plan.points.iter().map(Point::of).collect();
    let mut course = Course {
        plan,
        points,
        kept: record.runs.len(),
        record,
        stopped: None,
    };
    let ending = course.run(executor, interrupt, observer);
    Outcome {
        record: course.record,
        ending,
        stopped: course.stopped,
    }
}

struct Course<'a> {
    plan: &'a Plan,
    /// The plan's points, without what the arms have of their own.
    points: Vec<Point>,
    /// Runs that were there before.
    kept: usize,
    record: Record,
    stopped: Option<Stopped>,
}

impl Course<'_> {
    fn run(
        &mut self,
        executor: &mut dyn Executor,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Ending {
        let plan = self.plan;
        for slot in plan.slots() {
            while !self.is_done(slot) {
                if interrupt.is_raised() {
                    return Ending::Interrupted;
                }
                observer.started(slot);
                match self.repetition(slot, executor, observer) {
                    Ok(()) => observer.finished(slot, &self.record),
                    Err(RepetitionError::Interrupted) => return Ending::Interrupted,
                    Err(RepetitionError::Worker(WorkerError::Stopped {
                        done_ops,
                        is_verified,
                    })) => {
                        self.stopped = Some(Stopped {
                            done_ops,
                            is_verified,
                        });
                        return Ending::Interrupted;
                    }
                    Err(error) => return Ending::Failed(error),
                }
                if let Err(error) = self.check_void(slot) {
                    return Ending::Failed(error);
                }
            }
        }
        Ending::Complete
    }

    fn arm(&self, slot: Slot) -> &Arm {
        &self.plan.arms[slot.arm]
    }

    /// Whether a run is of the slot's arm at its point.
    fn is_beside(&self, slot: Slot, run: &Run) -> bool {
        run.arm == self.arm(slot).name && *run.shared_point() == self.points[slot.point]
    }

    fn is_done(&self, slot: Slot) -> bool {
        self.record.runs.iter().any(|run| {
            run.void.is_none()
                && run.cold == slot.cold
                && run.repetition == slot.repetition
                && self.is_beside(slot, run)
        })
    }

    fn repetition(
        &mut self,
        slot: Slot,
        executor: &mut dyn Executor,
        observer: &mut dyn Observer,
    ) -> Result<(), RepetitionError> {
        let mut surroundings = Surroundings {
            date: crate::environment::now(),
            before: executor.conditions(),
            ..Surroundings::default()
        };
        let options = self.arm(slot).at(&self.plan.points[slot.point]);
        let point = Point::of(&options);
        let repetition = executor.repetition(slot.arm, &options, observer)?;
        surroundings.after = executor.conditions();
        self.check(slot, &point, &repetition)?;
        surroundings.process_s = repetition.process_s;
        surroundings.limited_by = repetition.limited_by;
        surroundings
            .process_resources
            .clone_from(&repetition.process_resources);
        surroundings.translator = repetition
            .context
            .as_ref()
            .map(|context| context.translator);
        let arm = self.arm(slot).name.clone();
        if !self.record.arms.iter().any(|known| known.name == arm) {
            self.record.arms.push(ArmRecord {
                name: arm.clone(),
                binary_digest: binary::digest(&repetition.command),
                command: repetition.command,
                context: repetition.context,
                program: repetition.program,
            });
        }
        let shared = &self.points[slot.point];
        let place = Place {
            arm,
            shared: (point != *shared).then(|| shared.clone()),
            point,
            repetition: slot.repetition,
            cold: slot.cold,
        };
        let mut run = Run::new(place, surroundings, repetition.measurement);
        // A cold repetition is not counted anyway.
        run.void = run.void.filter(|_| !slot.cold);
        self.record.runs.push(run);
        Ok(())
    }

    /// A figure is kept only if its process was what it should be and left the same data as the
    /// repetitions of its point before it, whatever arm they were of. Other programs need not give
    /// a checksum; without one nothing is known of what they left.
    fn check(
        &self,
        slot: Slot,
        point: &Point,
        repetition: &Repetition,
    ) -> Result<(), RepetitionError> {
        let arm = self.arm(slot);
        let Expected {
            binary_arch,
            translator,
        } = &arm.expected;
        let found = Identity {
            binary_arch: Some(repetition.measurement.binary_arch.clone()),
            translator: repetition
                .context
                .as_ref()
                .map(|context| context.translator),
        };
        let is_other_arch = binary_arch.is_some() && found.binary_arch != *binary_arch;
        let is_other_translator = translator.is_some() && found.translator != *translator;
        if is_other_arch || is_other_translator {
            return Err(RepetitionError::WrongIdentity {
                arm: arm.name.clone(),
                found,
                expected: Identity {
                    binary_arch: binary_arch.clone(),
                    translator: *translator,
                },
            });
        }
        let checksum = &repetition.measurement.checksum;
        let other = self
            .record
            .runs
            .iter()
            .filter(|run| !run.checksum.is_empty() && !checksum.is_empty())
            .find(|run| run.point.leaves_the_same_data_as(point) && run.checksum != *checksum);
        match other {
            Some(other) => Err(RepetitionError::Checksum {
                arm: arm.name.clone(),
                found: checksum.clone(),
                other_arm: other.arm.clone(),
                expected: other.checksum.clone(),
            }),
            None => Ok(()),
        }
    }

    /// Void repetitions are run again, at most as many as were asked for. Those that were there
    /// before are not held against a machine that may have settled since.
    fn check_void(&self, slot: Slot) -> Result<(), RepetitionError> {
        let void: Vec<&Run> = self.record.runs[self.kept..]
            .iter()
            .filter(|run| run.void.is_some() && self.is_beside(slot, run))
            .collect();
        let count = u32::try_from(void.len()).unwrap_or(u32::MAX);
        match void.last().and_then(|run| run.void.clone()) {
            Some(reason) if count > self.plan.counted => Err(RepetitionError::Unsteady {
                arm: self.arm(slot).name.clone(),
                count,
                reason,
            }),
            _ => Ok(()),
        }
    }
}
