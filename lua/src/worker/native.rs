//! The bundled workload `insert` from Rust, without Lua: the same transactions over the same
//! fibers, so that the engine's share of the time can be told from Lua's. The space, the tuples and
//! the checksum are those of `workloads/insert.lua`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use lycosa_engine::fiber::Wake;
use lycosa_engine::schema::{FieldDefinition, FieldType, KeyPart};
use lycosa_engine::tuple::{self, Encoded};
use lycosa_engine::{
    Cursor, DatabaseOptions, Engine, EngineOptions, Error, ErrorKind, IndexOptions, IteratorType,
    SpaceOptions, msgpack,
};

use super::contract::{IndexKind, Measurement, Sample, WorkerError, WorkerOptions, WorkloadSource};
use super::intervals::Intervals;
use super::measure::{Latencies, cpu_s, peak_rss_bytes};
use super::readings::Readings;
use super::resources::Resources;
use super::stopping::{self, Phase};

const DEFAULT_PAYLOAD: &str = "payload";

pub(super) fn run<P, L>(
    options: &WorkerOptions,
    place: P,
    listen: L,
) -> Result<Measurement, WorkerError>
where
    P: FnOnce() -> Result<(), WorkerError> + Send + 'static,
    L: FnMut(&Sample) + Send + 'static,
{
    if options.workload != WorkloadSource::Bundled(String::from("insert")) {
        let message =
            String::from("only the bundled workload `insert` runs from Rust; use --driver lua");
        return Err(WorkerError::Usage {
            message,
            suggestion: None,
        });
    }
    if options.is_by_clock() {
        let message = String::from(
            "from Rust the workload runs over a number of records only; leave --duration and --rate \
             out, or use --driver lua",
        );
        return Err(WorkerError::Usage {
            message,
            suggestion: None,
        });
    }
    let payload = payload_of(options)?;
    let options = options.clone();
    let settings = EngineOptions {
        database: DatabaseOptions {
            memory_limit_bytes: options.memory_bytes as usize,
            ..DatabaseOptions::default()
        },
        ..EngineOptions::default()
    };
    let outcome = Engine::run(settings, move |engine| {
        place()?;
        Repetition {
            engine: engine.clone(),
            options,
            payload,
        }
        .run(Readings::new(Box::new(listen)))
    });
    outcome.unwrap_or_else(|error| Err(failed(&error)))
}

fn payload_of(options: &WorkerOptions) -> Result<String, WorkerError> {
    let mut payload = String::from(DEFAULT_PAYLOAD);
    for (name, value) in &options.settings {
        if name != "payload" {
            let message = format!("workload `insert` has no option `{name}`");
            return Err(WorkerError::Usage {
                message,
                suggestion: Some(String::from("payload")),
            });
        }
        payload.clone_from(value);
    }
    Ok(payload)
}

fn failed(error: &dyn std::error::Error) -> WorkerError {
    WorkerError::Workload {
        message: error.to_string(),
        hook: None,
        fiber: None,
        traceback: Vec::new(),
    }
}

struct Repetition {
    engine: Engine,
    options: WorkerOptions,
    payload: String,
}

/// What the fibers share.
struct Progress {
    next_op: Cell<u64>,
    done_ops: Cell<u64>,
    latencies: RefCell<Vec<Duration>>,
    failure: RefCell<Option<Error>>,
    readings: RefCell<Readings>,
    intervals: RefCell<Option<Intervals>>,
}

impl Progress {
    fn observe(&self, latency: Duration, ops: u64, engine: &Engine) {
        let sample = self
            .intervals
            .borrow_mut()
            .as_mut()
            .and_then(|intervals| intervals.observe(latency, ops, Instant::now()));
        if let Some(sample) = sample {
            self.sample(sample, engine);
        }
    }

    fn sample(&self, sample: Sample, engine: &Engine) {
        self.readings.borrow_mut().sample(sample, &levels(engine));
    }

    fn finish(&self, engine: &Engine) -> (Option<Resources>, Vec<Sample>) {
        let mut readings = self.readings.borrow_mut();
        readings.finish(&levels(engine));
        readings.take()
    }
}

/// What the database takes of its quota.
fn levels(engine: &Engine) -> Resources {
    let database = engine.database();
    let arena = database.arena();
    let spaces = database.spaces();
    let index_bytes = spaces.iter().map(|space| space.index_bytes()).sum();
    Resources {
        quota_used_bytes: Some(arena.arena_bytes() as u64),
        index_bytes: Some(index_bytes),
        tuple_bytes: (arena.used_bytes() as u64).checked_sub(index_bytes),
        ..Resources::default()
    }
}

impl Repetition {
    fn run(&self, readings: Readings) -> Result<Measurement, WorkerError> {
        let options = &self.options;
        let space = self.prepare().map_err(|error| self.explain(&error, 0))?;
        let used_before = self.engine.database().arena().used_bytes();
        let transactions = options.records.div_ceil(u64::from(options.ops_per_txn));
        let progress = Rc::new(Progress {
            next_op: Cell::new(1),
            done_ops: Cell::new(0),
            latencies: RefCell::new(Vec::with_capacity(transactions as usize)),
            failure: RefCell::new(None),
            readings: RefCell::new(readings),
            intervals: RefCell::new(None),
        });
        stopping::enter(Phase::Transactions);
        progress.readings.borrow_mut().begin();
        let interval = options
            .report_interval_s
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        progress.intervals.replace(interval.map(Intervals::begin));
        let (started, cpu_started) = (Instant::now(), cpu_s());
        self.run_fibers(space, &progress)
            .map_err(|error| failed(&error))?;
        let (wall_s, cpu_s) = (started.elapsed().as_secs_f64(), cpu_s() - cpu_started);
        stopping::enter(Phase::Verification);
        let mut last = progress.intervals.take();
        if let Some(sample) = last
            .as_mut()
            .and_then(|intervals| intervals.finish(Instant::now()))
        {
            progress.sample(sample, &self.engine);
        }
        let (resources, series) = progress.finish(&self.engine);
        if let Some(error) = progress.failure.take() {
            return Err(self.explain(&error, progress.done_ops.get()));
        }
        let peak_rss_bytes = peak_rss_bytes();
        let used_bytes = self.engine.database().arena().used_bytes() - used_before;
        let done_ops = progress.done_ops.get();
        let checksum = self.verify(space, done_ops)?;
        if done_ops < options.records && stopping::is_stopped() {
            return Err(WorkerError::Stopped {
                done_ops,
                is_verified: true,
            });
        }
        let latencies = progress.latencies.take();
        let latencies = Latencies::of(latencies.iter().map(|latency| latency.as_nanos() as u64));
        Ok(Measurement {
            wall_s,
            cpu_s,
            ops: done_ops,
            peak_rss_bytes,
            bytes_per_record: used_bytes as f64 / options.records as f64,
            checksum,
            txn_latency_ns: latencies.percentiles(),
            txn_latency_histogram: latencies.encoded(),
            jit_traces: 0,
            jit_aborts: 0,
            binary_arch: std::env::consts::ARCH.to_owned(),
            jit: false,
            txn_latency_corrected_ns: None,
            txn_latency_corrected_histogram: String::new(),
            backlog_ops: None,
            resources,
            series,
        })
    }

    fn prepare(&self) -> Result<u32, Error> {
        let mut database = self.engine.database();
        let format = vec![
            FieldDefinition::new("id", FieldType::Unsigned),
            FieldDefinition::new("payload", FieldType::String),
        ];
        let space = database.create_space(
            "insert",
            SpaceOptions {
                format,
                ..SpaceOptions::default()
            },
        )?;
        let parts = vec![KeyPart::new(0, FieldType::Unsigned)];
        let index = match self.options.index {
            IndexKind::Tree => IndexOptions::tree(parts),
            IndexKind::Hash => IndexOptions::hash(parts),
        };
        database.create_index(space, "primary", &index)?;
        Ok(space)
    }

    fn run_fibers(
        &self,
        space: u32,
        progress: &Rc<Progress>,
    ) -> Result<(), lycosa_engine::fiber::CreateError> {
        let mut fibers = Vec::new();
        for number in 1..=self.options.fibers {
            let (engine, progress) = (self.engine.clone(), Rc::clone(progress));
            let (payload, options) = (self.payload.clone(), self.options.clone());
            let fiber = self
                .engine
                .scheduler()
                .spawn(format!("worker-{number}"), move || {
                    work(&engine, space, &payload, &options, &progress);
                })?;
            fiber.set_joinable(true);
            fibers.push(fiber);
        }
        for fiber in fibers {
            // A fiber that panicked has said so itself; the ids that it owed are then missing.
            let _ = fiber.join(None);
        }
        Ok(())
    }

    fn explain(&self, error: &Error, records_done: u64) -> WorkerError {
        match error.kind() {
            ErrorKind::MemoryIssue { .. } => WorkerError::Memory {
                quota_bytes: self.options.memory_bytes,
                records_done,
                records: self.options.records,
            },
            _ => failed(error),
        }
    }

    /// Checks that the space holds exactly the ids from 1 to `records`, each with the payload.
    fn verify(&self, space: u32, records: u64) -> Result<String, WorkerError> {
        let wrong = |message: String| WorkerError::Verification { message };
        let mut database = self.engine.database();
        let length = database
            .space(space)
            .map(lycosa_engine::Space::len)
            .map_err(|error| failed(&error))?;
        if length != records {
            return Err(wrong(format!(
                "the space holds {length} tuples, not {records}"
            )));
        }
        let mut found = Checksum::default();
        let mut cursor: Cursor = database
            .cursor(space, 0, IteratorType::All, Encoded::EMPTY, None, 0)
            .map_err(|error| failed(&error))?;
        while let Some(tuple) = database
            .advance(&mut cursor)
            .map_err(|error| failed(&error))?
        {
            match fields_of(tuple.bytes()) {
                Some((id, payload)) if (1..=records).contains(&id) => {
                    found.add(id, hash_of(payload));
                }
                _ => return Err(wrong(format!("the space holds {tuple:?}"))),
            }
        }
        let mut expected = Checksum::default();
        let hash = hash_of(self.payload.as_bytes());
        (1..=records).for_each(|id| expected.add(id, hash));
        if found != expected {
            return Err(wrong(format!(
                "checksum {}, expected {}",
                found.text(),
                expected.text()
            )));
        }
        Ok(found.text())
    }
}

/// One fiber's work.
fn work(engine: &Engine, space: u32, payload: &str, options: &WorkerOptions, progress: &Progress) {
    let mut tuple = Vec::new();
    loop {
        let first = progress.next_op.get();
        if first > options.records || stopping::is_stopped() || progress.failure.borrow().is_some()
        {
            return;
        }
        let count = u64::from(options.ops_per_txn).min(options.records - first + 1);
        progress.next_op.set(first + count);
        let started = Instant::now();
        let outcome = engine.transaction(|database| {
            for id in first..first + count {
                tuple.clear();
                msgpack::write_array_header(&mut tuple, 2);
                msgpack::write_unsigned(&mut tuple, id);
                msgpack::write_string(&mut tuple, payload.as_bytes());
                database.insert(space, Encoded::trusted(&tuple))?;
            }
            Ok(())
        });
        if let Err(error) = outcome {
            progress.failure.borrow_mut().get_or_insert(error);
            return;
        }
        let latency = started.elapsed();
        progress.latencies.borrow_mut().push(latency);
        progress.done_ops.set(progress.done_ops.get() + count);
        if options.report_interval_s.is_some() {
            progress.observe(latency, count, engine);
        }
        if engine.scheduler().yield_now() == Wake::Cancelled {
            return;
        }
    }
}

fn fields_of(tuple: &[u8]) -> Option<(u64, &[u8])> {
    let (msgpack::Value::Unsigned(id), _) = msgpack::read(tuple::field(tuple, 0)?).ok()? else {
        return None;
    };
    let (msgpack::Value::String(payload), _) = msgpack::read(tuple::field(tuple, 1)?).ok()? else {
        return None;
    };
    Some((id, payload))
}

/// The checksum of `workloads/insert.lua`: sums over tuples, so that their order does not matter.
#[derive(Debug, Default, PartialEq, Eq)]
struct Checksum {
    low: u32,
    high: u32,
}

const SALT_LOW: u32 = 0x0123_4567;
const SALT_HIGH: u32 = 0x02f6_e2b1;

impl Checksum {
    fn add(&mut self, id: u64, payload_hash: u32) {
        let word = id as u32 ^ payload_hash;
        self.low = self.low.wrapping_add(mix(word ^ SALT_LOW));
        self.high = self.high.wrapping_add(mix(word ^ SALT_HIGH));
    }

    fn text(&self) -> String {
        format!("{:08x}{:08x}", self.high, self.low)
    }
}

fn hash_of(text: &[u8]) -> u32 {
    text.iter().fold(0x811c, |hash: u32, &byte| {
        hash.rotate_left(7) ^ u32::from(byte) ^ (hash >> 3)
    })
}

fn mix(mut word: u32) -> u32 {
    word ^= word << 13;
    word ^= word >> 17;
    word ^ (word << 5)
}
