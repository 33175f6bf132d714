//! What a machine is made of: cores, caches, memory. None of it changes while it runs.

use serde::{Deserialize, Serialize};

/// The parts. What the system does not tell is `None` or empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Machine {
    /// Logical CPUs that take work.
    pub(crate) cpus_online: Option<u64>,
    /// Cores, each of which may be several CPUs.
    pub(crate) cores: Option<u64>,
    /// Fast cores, where there are two kinds.
    pub(crate) performance_cores: Option<u64>,
    /// Thrifty cores, where there are two kinds.
    pub(crate) efficiency_cores: Option<u64>,
    /// What one core sees, by level; of both kinds of core.
    pub(crate) caches: Vec<Cache>,
    /// All memory.
    pub(crate) memory_bytes: Option<u64>,
    /// Page as this process sees it, which under a translator is not the chip's.
    pub(crate) page_size_bytes: Option<u64>,
    /// Name of the hypervisor below the operating system.
    pub(crate) hypervisor: Option<String>,
    /// Whether addresses are drawn at random for each process.
    pub(crate) aslr: Option<bool>,
}

/// One cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cache {
    /// Distance from the core, from 1.
    pub(crate) level: u8,
    /// What it holds.
    pub(crate) holds: CacheContent,
    /// Size.
    pub(crate) size_bytes: u64,
    /// Kind of core that it belongs to, where there are two.
    #[serde(default)]
    pub(crate) core: Option<CoreKind>,
}

/// What a cache holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CacheContent {
    /// Data.
    Data,
    /// Instructions.
    Instructions,
    /// Both.
    Unified,
}

/// Kinds of core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CoreKind {
    /// Fast.
    Performance,
    /// Thrifty.
    Efficiency,
}
