//! What a new database begins with: the system spaces, and the rows that a new Tarantool has.

use std::rc::Rc;

use crate::error::Result;
use crate::index::{Index, IndexOptions, IndexType};
use crate::schema::{Collation, FieldDefinition, Format, KeyPart};
use crate::space::{Space, Special};
use crate::tuple::Fields;

use super::catalog::{
    CLUSTER_ID, COLLATION_ID, FUNC_ID, SCHEMA_ID, SESSION_SETTINGS_ID, SYSTEM_SPACES, SystemIndex,
    SystemSpace, USER_ID,
};
use super::{ADMIN, Database, PRIV_ID, SPACE_ID, SpaceRow, TRUNCATE_ID, VIEWS, view_name};

const GUEST: u32 = 0;
const PUBLIC: u32 = 2;
const REPLICATION: u32 = 3;
const SUPER: u32 = 31;

/// Bits of a privilege, as `_priv` holds them.
const READ: u64 = 1;
const WRITE: u64 = 2;
const EXECUTE: u64 = 4;
const SESSION_AND_USAGE: u64 = 24;
const EVERYTHING: u64 = 0xffff_ffff;

/// Version of the schema that the rows follow.
const SCHEMA_VERSION: [u64; 3] = [3, 3, 0];

/// The digest of the empty password, as `_user` keeps it.
const EMPTY_PASSWORD: &str = "vhvewKp0tNyweZQ+cFKAlsyphfg=";

const SETTINGS: [(&str, Option<bool>); 11] = [
    ("error_marshaling_enabled", Some(false)),
    ("sql_default_engine", None),
    ("sql_defer_foreign_keys", Some(false)),
    ("sql_full_column_names", Some(false)),
    ("sql_full_metadata", Some(false)),
    ("sql_parser_debug", Some(false)),
    ("sql_recursive_triggers", Some(true)),
    ("sql_reverse_unordered_selects", Some(false)),
    ("sql_select_debug", Some(false)),
    ("sql_seq_scan", Some(true)),
    ("sql_vdbe_debug", Some(false)),
];

fn options_of(index: &SystemIndex) -> IndexOptions {
    let parts = index.parts.iter();
    let parts = parts.map(|&(field, field_type)| KeyPart::new(field, field_type));
    IndexOptions {
        index_type: if index.is_hash {
            IndexType::Hash
        } else {
            IndexType::Tree
        },
        is_unique: index.is_unique,
        ..IndexOptions::tree(parts.collect())
    }
}

impl Database {
    /// Makes the system spaces with the rows that a new instance has. It takes about a megabyte of
    /// the quota, even past it. Done once; a second call does nothing.
    pub fn bootstrap(&mut self, instance_uuid: &str, replicaset_uuid: &str) -> Result<()> {
        if self.spaces.contains_key(&SPACE_ID) {
            return Ok(());
        }
        let arena = Rc::clone(self.memory.arena());
        let _held = arena.overdraft();
        self.as_statement(|database| {
            for space in SYSTEM_SPACES {
                database.make_system_space(space)?;
            }
            for space in SYSTEM_SPACES {
                database.write_system_space_rows(space)?;
            }
            database.write_schema_rows(instance_uuid, replicaset_uuid)?;
            database.write_user_rows()?;
            database.write_function_rows()?;
            database.write_setting_rows()?;
            database.write_collation_rows()
        })
    }

    fn make_system_space(&mut self, known: &SystemSpace) -> Result<()> {
        let required = known.fields.len() - known.nullable_count;
        let fields = known.fields.iter().enumerate().map(|(number, field)| {
            let definition = FieldDefinition::new(field.0, field.1);
            if number < required {
                definition
            } else {
                definition.nullable()
            }
        });
        let fields: Vec<FieldDefinition> = fields.collect();
        let mut indexes: Vec<Index> = Vec::new();
        let arena = Rc::clone(self.memory.arena());
        for index in known.indexes {
            let options = options_of(index);
            let primary = indexes
                .first()
                .map_or(&[][..], |primary| primary.definition().parts());
            let incarnation = self.next_incarnation();
            indexes.push(Index::new(
                index.id,
                index.name,
                incarnation,
                &options,
                primary,
                &arena,
            ));
        }
        let parts = indexes.iter().flat_map(|index| index.definition().parts());
        let field_count = if known.id == SESSION_SETTINGS_ID {
            2
        } else {
            0
        };
        let format = Format::new(fields, field_count, parts)?;
        let mut space = Space::new(known.id, known.name, format);
        space.indexes = indexes;
        space.special = Some(Box::new(Special {
            is_system: true,
            is_protected: known.is_protected,
            sequence: None,
        }));
        self.names.insert(known.name.to_owned(), known.id);
        self.spaces.insert(known.id, Box::new(space));
        self.changed_spaces.insert(known.id);
        self.schema_version += 1;
        Ok(())
    }

    fn write_system_space_rows(&mut self, known: &SystemSpace) -> Result<()> {
        let mut flags = vec![0x80];
        if known.engine == "blackhole" {
            flags = super::value(|out| {
                crate::msgpack::write_map_header(out, 1);
                crate::msgpack::write_string(out, b"group_id");
                crate::msgpack::write_unsigned(out, 1);
            });
        } else if known.engine == "service" {
            flags = super::value(|out| {
                crate::msgpack::write_map_header(out, 1);
                crate::msgpack::write_string(out, b"temporary");
                crate::msgpack::write_boolean(out, true);
            });
        }
        let row = SpaceRow {
            engine: Some(known.engine),
            flags: Some(&flags),
            ..SpaceRow::default()
        };
        let encoded = row.encode(self.space(known.id)?)?;
        self.write_system_row(SPACE_ID, &encoded)?;
        for index in known.indexes {
            self.write_index_row(known.id, index.id, index.name, &options_of(index))?;
        }
        match known.view {
            Some(view) => self.write_view_rows(known, view),
            None => Ok(()),
        }
    }

    fn write_view_rows(&mut self, known: &SystemSpace, view: u32) -> Result<()> {
        let source = self.space(known.id)?;
        let row = Fields::new()
            .unsigned(u64::from(view))
            .unsigned(u64::from(ADMIN))
            .string(&view_name(known.name))
            .string("sysview")
            .unsigned(0)
            .raw(&[0x80])?
            .raw(&super::format_value(&source.format))?
            .finish();
        self.changed_spaces.insert(view);
        self.write_system_row(SPACE_ID, &row)?;
        for index in known.indexes {
            self.write_index_row(view, index.id, index.name, &options_of(index))?;
        }
        Ok(())
    }

    fn write_schema_rows(&mut self, instance_uuid: &str, replicaset_uuid: &str) -> Result<()> {
        let row = Fields::new()
            .string("replicaset_uuid")
            .string(replicaset_uuid);
        self.write_system_row(SCHEMA_ID, &row.finish())?;
        let [major, minor, patch] = SCHEMA_VERSION;
        let row = Fields::new().string("version").unsigned(major);
        let row = row.unsigned(minor).unsigned(patch);
        self.write_system_row(SCHEMA_ID, &row.finish())?;
        let row = Fields::new().unsigned(1).string(instance_uuid);
        self.write_system_row(CLUSTER_ID, &row.finish())
    }

    fn write_user_rows(&mut self) -> Result<()> {
        let users = [
            (GUEST, "guest", "user"),
            (ADMIN, "admin", "user"),
            (PUBLIC, "public", "role"),
            (REPLICATION, "replication", "role"),
            (SUPER, "super", "role"),
        ];
        for (id, name, kind) in users {
            let auth = super::value(|out| {
                crate::msgpack::write_map_header(out, u32::from(id == GUEST));
                if id == GUEST {
                    crate::msgpack::write_string(out, b"chap-sha1");
                    crate::msgpack::write_string(out, EMPTY_PASSWORD.as_bytes());
                }
            });
            let row = Fields::new().unsigned(u64::from(id));
            let row = row.unsigned(u64::from(ADMIN)).string(name).string(kind);
            let row = row.raw(&auth)?.raw(&[0x90])?.unsigned(0);
            self.write_system_row(USER_ID, &row.finish())?;
        }
        self.grant(GUEST, "role", PUBLIC, EXECUTE)?;
        self.grant(GUEST, "universe", 0, SESSION_AND_USAGE)?;
        self.grant(ADMIN, "universe", 0, EVERYTHING)?;
        for view in VIEWS {
            self.grant(PUBLIC, "space", view, READ)?;
        }
        self.grant(PUBLIC, "space", TRUNCATE_ID, WRITE)?;
        self.grant(PUBLIC, "space", SESSION_SETTINGS_ID, READ | WRITE)?;
        self.grant(REPLICATION, "space", CLUSTER_ID, WRITE)?;
        self.grant(REPLICATION, "space", 388, WRITE)?;
        self.grant(REPLICATION, "universe", 0, READ)?;
        self.grant(SUPER, "universe", 0, EVERYTHING)
    }

    fn grant(&mut self, grantee: u32, kind: &str, object: u32, privilege: u64) -> Result<()> {
        let row = Fields::new()
            .unsigned(u64::from(ADMIN))
            .unsigned(u64::from(grantee))
            .string(kind)
            .unsigned(u64::from(object))
            .unsigned(privilege);
        self.write_system_row(PRIV_ID, &row.finish())
    }

    /// The two functions that are there from the start.
    fn write_function_rows(&mut self) -> Result<()> {
        const CREATED: &str = "2024-01-01 00:00:00";
        let evaluate = "function(code) return assert(loadstring(code))() end";
        for (id, name, body, takes_text) in [
            (1, "box.schema.user.info", "", false),
            (65, "LUA", evaluate, true),
        ] {
            let list = |items: &[&str]| {
                super::value(|out| {
                    crate::msgpack::write_array_header(out, items.len() as u32);
                    for item in items {
                        crate::msgpack::write_string(out, item.as_bytes());
                    }
                })
            };
            let parameters: &[&str] = if takes_text { &["string"] } else { &[] };
            let exports: &[&str] = if takes_text {
                &["LUA", "SQL"]
            } else {
                &["LUA"]
            };
            let row = Fields::new().unsigned(id).unsigned(u64::from(ADMIN));
            let row = row.string(name).unsigned(0).string("LUA").string(body);
            let row = row.string("function").raw(&list(parameters))?.string("any");
            let row = row.string("none").string("none");
            let row = row.boolean(false).boolean(false).boolean(true);
            let row = row.raw(&list(exports))?.raw(&[0x80])?.string("");
            let row = row.string(CREATED).string(CREATED).raw(&[0x90])?;
            self.write_system_row(FUNC_ID, &row.finish())?;
        }
        self.grant(PUBLIC, "function", 1, EXECUTE)?;
        self.grant(PUBLIC, "function", 65, READ)
    }

    fn write_setting_rows(&mut self) -> Result<()> {
        for (name, flag) in SETTINGS {
            let row = Fields::new().string(name);
            let row = match flag {
                Some(flag) => row.boolean(flag),
                None => row.string("memtx"),
            };
            self.write_system_row(SESSION_SETTINGS_ID, &row.finish())?;
        }
        Ok(())
    }

    fn write_collation_rows(&mut self) -> Result<()> {
        for collation in Collation::all() {
            let strength = collation.strength();
            let options = super::value(|out| {
                crate::msgpack::write_map_header(out, u32::from(strength.is_some()));
                if let Some(strength) = strength {
                    crate::msgpack::write_string(out, b"strength");
                    crate::msgpack::write_string(out, strength.name().as_bytes());
                }
            });
            let kind = if strength.is_some() { "ICU" } else { "BINARY" };
            let row = Fields::new().unsigned(u64::from(collation.id()));
            let row = row.string(collation.name()).unsigned(u64::from(ADMIN));
            let row = row.string(kind).string(collation.locale());
            self.write_system_row(COLLATION_ID, &row.raw(&options)?.finish())?;
        }
        Ok(())
    }
}
