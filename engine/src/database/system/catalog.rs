//! What the system spaces are: numbers, names, fields and indexes, as Tarantool 3 has them.

use crate::schema::FieldType::{self, Any, Array, Boolean, Integer, Map, Scalar, String, Unsigned};

pub(crate) const SCHEMA_ID: u32 = 272;
pub(crate) const COLLATION_ID: u32 = 276;
pub(crate) const SPACE_ID: u32 = 280;
pub(crate) const SEQUENCE_ID: u32 = 284;
pub(crate) const SEQUENCE_DATA_ID: u32 = 285;
pub(crate) const INDEX_ID: u32 = 288;
pub(crate) const FUNC_ID: u32 = 296;
pub(crate) const USER_ID: u32 = 304;
pub(crate) const PRIV_ID: u32 = 312;
pub(crate) const CLUSTER_ID: u32 = 320;
pub(crate) const TRUNCATE_ID: u32 = 330;
pub(crate) const SPACE_SEQUENCE_ID: u32 = 340;
pub(crate) const SESSION_SETTINGS_ID: u32 = 380;

/// A system space.
#[derive(Clone, Copy)]
pub(super) struct SystemSpace {
    pub(super) id: u32,
    pub(super) name: &'static str,
    pub(super) engine: &'static str,
    /// Whether its rows describe what the engine keeps, so that statements may not change them.
    pub(super) is_protected: bool,
    /// Number of the view that shows its rows; the view's name has a `v` behind the underscore.
    pub(super) view: Option<u32>,
    pub(super) fields: &'static [(&'static str, FieldType)],
    /// How many of the last fields may be null.
    pub(super) nullable_count: usize,
    pub(super) indexes: &'static [SystemIndex],
}

/// An index of a system space.
pub(super) struct SystemIndex {
    pub(super) id: u32,
    pub(super) name: &'static str,
    pub(super) is_unique: bool,
    pub(super) is_hash: bool,
    /// Field number (from 0) and type.
    pub(super) parts: &'static [(u32, FieldType)],
}

const fn primary(parts: &'static [(u32, FieldType)]) -> SystemIndex {
    unique(0, "primary", parts)
}

const fn unique(id: u32, name: &'static str, parts: &'static [(u32, FieldType)]) -> SystemIndex {
    SystemIndex {
        id,
        name,
        is_unique: true,
        is_hash: false,
        parts,
    }
}

const fn several(id: u32, name: &'static str, parts: &'static [(u32, FieldType)]) -> SystemIndex {
    SystemIndex {
        is_unique: false,
        ..unique(id, name, parts)
    }
}

const fn memtx(
    id: u32,
    name: &'static str,
    fields: &'static [(&'static str, FieldType)],
    indexes: &'static [SystemIndex],
) -> SystemSpace {
    SystemSpace {
        id,
        name,
        engine: "memtx",
        is_protected: false,
        view: None,
        fields,
        nullable_count: 0,
        indexes,
    }
}

const fn protected(space: SystemSpace) -> SystemSpace {
    SystemSpace {
        is_protected: true,
        ..space
    }
}

const fn viewed(space: SystemSpace) -> SystemSpace {
    SystemSpace {
        view: Some(space.id + 1),
        ..space
    }
}

const fn nullable(space: SystemSpace) -> SystemSpace {
    SystemSpace {
        nullable_count: 1,
        ..space
    }
}

/// Number and owner first, name third: what most system spaces are indexed by.
const OWNED: &[SystemIndex] = &[
    primary(&[(0, Unsigned)]),
    several(1, "owner", &[(1, Unsigned)]),
    unique(2, "name", &[(2, String)]),
];

/// The system spaces, ascending by number; views aside.
pub(super) const SYSTEM_SPACES: &[SystemSpace] = &[
    SystemSpace {
        engine: "blackhole",
        ..protected(memtx(
            257,
            "_vinyl_deferred_delete",
            &[("space_id", Unsigned), ("lsn", Unsigned), ("tuple", Array)],
            &[],
        ))
    },
    nullable(memtx(
        SCHEMA_ID,
        "_schema",
        &[("key", String), ("value", Any)],
        &[primary(&[(0, String)])],
    )),
    SystemSpace {
        view: Some(277),
        ..memtx(
            COLLATION_ID,
            "_collation",
            &[
                ("id", Unsigned),
                ("name", String),
                ("owner", Unsigned),
                ("type", String),
                ("locale", String),
                ("opts", Map),
            ],
            &[primary(&[(0, Unsigned)]), unique(1, "name", &[(1, String)])],
        )
    },
    viewed(protected(memtx(
        SPACE_ID,
        "_space",
        &[
            ("id", Unsigned),
            ("owner", Unsigned),
            ("name", String),
            ("engine", String),
            ("field_count", Unsigned),
            ("flags", Map),
            ("format", Array),
        ],
        OWNED,
    ))),
    SystemSpace {
        view: Some(286),
        ..protected(memtx(
            SEQUENCE_ID,
            "_sequence",
            &[
                ("id", Unsigned),
                ("owner", Unsigned),
                ("name", String),
                ("step", Integer),
                ("min", Integer),
                ("max", Integer),
                ("start", Integer),
                ("cache", Integer),
                ("cycle", Boolean),
            ],
            OWNED,
        ))
    },
    protected(memtx(
        SEQUENCE_DATA_ID,
        "_sequence_data",
        &[("id", Unsigned), ("value", Integer)],
        &[SystemIndex {
            is_hash: true,
            ..primary(&[(0, Unsigned)])
        }],
    )),
    viewed(protected(memtx(
        INDEX_ID,
        "_index",
        &[
            ("id", Unsigned),
            ("iid", Unsigned),
            ("name", String),
            ("type", String),
            ("opts", Map),
            ("parts", Array),
        ],
        &[
            primary(&[(0, Unsigned), (1, Unsigned)]),
            unique(2, "name", &[(0, Unsigned), (2, String)]),
        ],
    ))),
    viewed(memtx(
        FUNC_ID,
        "_func",
        &[
            ("id", Unsigned),
            ("owner", Unsigned),
            ("name", String),
            ("setuid", Unsigned),
            ("language", String),
            ("body", String),
            ("routine_type", String),
            ("param_list", Array),
            ("returns", String),
            ("aggregate", String),
            ("sql_data_access", String),
            ("is_deterministic", Boolean),
            ("is_sandboxed", Boolean),
            ("is_null_call", Boolean),
            ("exports", Array),
            ("opts", Map),
            ("comment", String),
            ("created", String),
            ("last_altered", String),
            ("trigger", Array),
        ],
        OWNED,
    )),
    viewed(memtx(
        USER_ID,
        "_user",
        &[
            ("id", Unsigned),
            ("owner", Unsigned),
            ("name", String),
            ("type", String),
            ("auth", Map),
            ("auth_history", Array),
            ("last_modified", Unsigned),
        ],
        OWNED,
    )),
    viewed(memtx(
        PRIV_ID,
        "_priv",
        &[
            ("grantor", Unsigned),
            ("grantee", Unsigned),
            ("object_type", String),
            ("object_id", Scalar),
            ("privilege", Unsigned),
        ],
        &[
            primary(&[(1, Unsigned), (2, String), (3, Scalar)]),
            several(1, "owner", &[(0, Unsigned)]),
            several(2, "object", &[(2, String), (3, Scalar)]),
        ],
    )),
    nullable(memtx(
        CLUSTER_ID,
        "_cluster",
        &[("id", Unsigned), ("uuid", String), ("name", String)],
        &[primary(&[(0, Unsigned)]), unique(1, "uuid", &[(1, String)])],
    )),
    memtx(
        328,
        "_trigger",
        &[("name", String), ("space_id", Unsigned), ("opts", Map)],
        &[
            primary(&[(0, String)]),
            several(1, "space_id", &[(1, Unsigned)]),
        ],
    ),
    protected(memtx(
        TRUNCATE_ID,
        "_truncate",
        &[("id", Unsigned), ("count", Unsigned)],
        &[primary(&[(0, Unsigned)])],
    )),
    viewed(protected(memtx(
        SPACE_SEQUENCE_ID,
        "_space_sequence",
        &[
            ("id", Unsigned),
            ("sequence_id", Unsigned),
            ("is_generated", Boolean),
            ("field", Unsigned),
            ("path", String),
        ],
        &[
            primary(&[(0, Unsigned)]),
            several(1, "sequence", &[(1, Unsigned)]),
        ],
    ))),
    memtx(
        356,
        "_fk_constraint",
        &[
            ("name", String),
            ("child_id", Unsigned),
            ("parent_id", Unsigned),
            ("is_deferred", Boolean),
            ("match", String),
            ("on_delete", String),
            ("on_update", String),
            ("child_cols", Array),
            ("parent_cols", Array),
        ],
        &[
            primary(&[(0, String), (1, Unsigned)]),
            several(1, "child_id", &[(1, Unsigned)]),
        ],
    ),
    memtx(
        364,
        "_ck_constraint",
        &[
            ("space_id", Unsigned),
            ("name", String),
            ("is_deferred", Boolean),
            ("language", String),
            ("code", String),
            ("is_enabled", Boolean),
        ],
        &[primary(&[(0, Unsigned), (1, String)])],
    ),
    memtx(
        372,
        "_func_index",
        &[
            ("space_id", Unsigned),
            ("index_id", Unsigned),
            ("func_id", Unsigned),
        ],
        &[
            primary(&[(0, Unsigned), (1, Unsigned)]),
            several(1, "fid", &[(2, Unsigned)]),
        ],
    ),
    SystemSpace {
        engine: "service",
        ..memtx(
            SESSION_SETTINGS_ID,
            "_session_settings",
            &[("name", String), ("value", Any)],
            &[primary(&[(0, String)])],
        )
    },
    memtx(
        388,
        "_gc_consumers",
        &[("uuid", String), ("vclock", Map), ("opts", Map)],
        &[primary(&[(0, String)])],
    ),
];

/// The space whose rows a view shows.
pub(crate) fn view_source(id: u32) -> Option<u32> {
    Some(match id {
        277 => COLLATION_ID,
        281 => SPACE_ID,
        286 => SEQUENCE_ID,
        289 => INDEX_ID,
        297 => FUNC_ID,
        305 => USER_ID,
        313 => PRIV_ID,
        341 => SPACE_SEQUENCE_ID,
        _ => return None,
    })
}

/// The views, ascending by number.
pub(crate) const VIEWS: [u32; 8] = [277, 281, 286, 289, 297, 305, 313, 341];
