//! Counters of requests since the start, as `box.stat` shows them.

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the statement of its name")]
pub enum Counter {
    Select,
    Insert,
    Replace,
    Update,
    Delete,
    Upsert,
    Begin,
    Commit,
    Rollback,
}

impl Counter {
    /// All counters.
    pub const ALL: [Self; 9] = [
        Self::Select,
        Self::Insert,
        Self::Replace,
        Self::Update,
        Self::Delete,
        Self::Upsert,
        Self::Begin,
        Self::Commit,
        Self::Rollback,
    ];

    /// Tarantool's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Select => "SELECT",
            Self::Insert => "INSERT",
            Self::Replace => "REPLACE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Upsert => "UPSERT",
            Self::Begin => "BEGIN",
            Self::Commit => "COMMIT",
            Self::Rollback => "ROLLBACK",
        }
    }
}

/// Totals since the start or the last reset.
#[derive(Debug, Clone, Default)]
pub struct Statistics([u64; Counter::ALL.len()]);

impl Statistics {
    #[inline]
    pub(crate) fn count(&mut self, counter: Counter) {
        self.0[counter as usize] += 1;
    }

    /// Total of one counter.
    pub fn total(&self, counter: Counter) -> u64 {
        self.0[counter as usize]
    }
}
