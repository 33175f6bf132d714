//! Resources around the transactions, and the course of a run: readings just before the first
//! transaction, behind each interval and just behind the last, and the differences between them.

use super::contract::Sample;
use super::resources::{self, Host, Resources};

/// Who hears of a sample at once.
pub(super) type Listener = Box<dyn FnMut(&Sample)>;

/// All readings of one repetition.
pub(super) struct Readings {
    begin: Resources,
    last: Resources,
    taken: Option<Resources>,
    series: Vec<Sample>,
    listener: Listener,
}

impl Readings {
    /// None yet.
    pub(super) fn new(listener: Listener) -> Self {
        Self {
            begin: Resources::default(),
            last: Resources::default(),
            taken: None,
            series: Vec::new(),
            listener,
        }
    }

    /// Counting begins.
    pub(super) fn begin(&mut self) {
        self.begin = resources::own(Host);
        self.last = self.begin.clone();
    }

    /// An interval has ended that brought `sample`; `levels` has what the database and Lua take.
    pub(super) fn sample(&mut self, mut sample: Sample, levels: &Resources) {
        let now = resources::own(Host);
        sample.resources = Some(with_levels(now.since(&self.last), levels));
        (self.listener)(&sample);
        self.series.push(sample);
        self.last = now;
    }

    /// The transactions have ended.
    pub(super) fn finish(&mut self, levels: &Resources) {
        let taken = resources::own(Host).since(&self.begin);
        self.taken = Some(with_levels(taken, levels));
    }

    /// What was taken from begin to finish, and the samples between them.
    pub(super) fn take(&mut self) -> (Option<Resources>, Vec<Sample>) {
        (self.taken.take(), std::mem::take(&mut self.series))
    }
}

/// Adds the memory that only the database and Lua know of.
fn with_levels(mut resources: Resources, levels: &Resources) -> Resources {
    resources.lua_heap_bytes = levels.lua_heap_bytes;
    resources.quota_used_bytes = levels.quota_used_bytes;
    resources.index_bytes = levels.index_bytes;
    resources.tuple_bytes = levels.tuple_bytes;
    resources
}
