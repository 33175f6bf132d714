//! Steps that change the schema.

use lycosa_engine::schema::{FieldDefinition, FieldType, KeyPart};
use lycosa_engine::{IndexOptions, IndexType, SpaceOptions};

use crate::model::{ModelIndex, ModelSpace, Outcome, fail};
use crate::program::Program;

const KEY_TYPES: [FieldType; 10] = [
    FieldType::Unsigned,
    FieldType::Integer,
    FieldType::Number,
    FieldType::Scalar,
    FieldType::String,
    FieldType::Double,
    FieldType::Decimal,
    FieldType::Uuid,
    FieldType::Varbinary,
    FieldType::Boolean,
];

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// The type that a space's field mostly has, so that formats, indexes and rows fit each other.
pub(crate) fn usual_type(space_id: u32, field: u32) -> FieldType {
    KEY_TYPES[(space_id * 3 + field * field + field) as usize % KEY_TYPES.len()]
}

impl Program {
    /// A space that is there, or now and then one that is not.
    pub(crate) fn some_space(&mut self) -> u32 {
        let ids: Vec<u32> = self.spaces.keys().copied().collect();
        if ids.is_empty() || self.choices.once_in(30) {
            return 4242;
        }
        *self.choices.pick(&ids)
    }

    pub(crate) fn some_index(&mut self, space_id: u32) -> u32 {
        let ids: Vec<u32> = match self.spaces.get(&space_id) {
            Some(space) => space.indexes.iter().map(|index| index.id).collect(),
            None => Vec::new(),
        };
        if ids.is_empty() || self.choices.once_in(30) {
            return 99;
        }
        *self.choices.pick(&ids)
    }

    pub(crate) fn lookup(&self, space_id: u32) -> Outcome<&ModelSpace> {
        match self.spaces.get(&space_id) {
            Some(space) => Ok(space),
            None => fail(36),
        }
    }

    fn lookup_mut(&mut self, space_id: u32) -> Outcome<&mut ModelSpace> {
        match self.spaces.get_mut(&space_id) {
            Some(space) => Ok(space),
            None => fail(36),
        }
    }

    /// The code for a number or name that is taken: with system spaces, that of a row of the same
    /// key.
    fn code_of_taken(&self, without: u32) -> u32 {
        if self.is_bootstrapped { 3 } else { without }
    }

    fn next_incarnation(&mut self) -> u64 {
        self.incarnations += 1;
        self.incarnations
    }

    fn some_fields(&mut self, space_id: u32) -> Vec<FieldDefinition> {
        let count = self.choices.below(5) as u32;
        (0..count)
            .map(|number| {
                let field_type = match self.choices.below(30) {
                    0 | 1 => FieldType::Any,
                    2 => FieldType::Scalar,
                    3 => *self.choices.pick(&[FieldType::Array, FieldType::Map]),
                    _ => usual_type(space_id, number),
                };
                let repeats = self.choices.once_in(30);
                let name = format!("field {}", if repeats { 0 } else { number });
                FieldDefinition {
                    is_nullable: number > 0 && !self.choices.once_in(3),
                    ..FieldDefinition::new(&name, field_type)
                }
            })
            .collect()
    }

    pub(crate) fn create_space(&mut self) {
        let name = (*self.choices.pick(&NAMES)).to_owned();
        // The engine's rule for new numbers is tested elsewhere; here both sides are told.
        let id = 512 + self.choices.below(5) as u32;
        let field_count = if self.choices.once_in(6) { 5 } else { 0 };
        let fields = self.some_fields(id);
        let before = self.spaces.clone();
        let taken = self.code_of_taken(10);
        let expected = self.touch().and_then(|()| {
            if self.spaces.values().any(|space| space.name == name) {
                return fail(10);
            }
            ModelSpace::demands(&fields, &[])?;
            if self.spaces.contains_key(&id) {
                return fail(taken);
            }
            let space = ModelSpace {
                name: name.clone(),
                fields: fields.clone(),
                field_count,
                indexes: Vec::new(),
                rows: Vec::new(),
            };
            self.spaces.insert(id, space);
            Ok(id)
        });
        let options = SpaceOptions {
            id: Some(id),
            format: fields,
            field_count,
            ..SpaceOptions::default()
        };
        let actual = self.database.create_space(&name, options);
        if let Some((actual, expected)) = self.agree("create_space", before, actual, expected) {
            assert_eq!(actual, expected);
            self.count_change();
        }
    }

    pub(crate) fn drop_space(&mut self) {
        let id = self.some_space();
        let before = self.spaces.clone();
        let expected = self.touch().and_then(|()| match self.spaces.remove(&id) {
            Some(_) => Ok(()),
            None => fail(36),
        });
        let actual = self.database.drop_space(id);
        if self.agree("drop_space", before, actual, expected).is_some() {
            self.count_change();
        }
    }

    pub(crate) fn rename(&mut self) {
        let id = self.some_space();
        let name = *self.choices.pick(&NAMES);
        let before = self.spaces.clone();
        let mut is_change = true;
        let taken = self.code_of_taken(10);
        let expected = self.touch().and_then(|()| {
            self.lookup_mut(id)?;
            let owner = self.spaces.iter().find(|(_, space)| space.name == name);
            match owner.map(|(owner, _)| *owner) {
                Some(owner) if owner == id => {
                    is_change = false;
                    Ok(())
                }
                Some(_) => fail(taken),
                None => {
                    name.clone_into(&mut self.lookup_mut(id)?.name);
                    Ok(())
                }
            }
        });
        let actual = self.database.rename_space(id, name);
        let agreed = self.agree("rename", before, actual, expected).is_some();
        if agreed && is_change {
            self.count_change();
        }
    }

    pub(crate) fn set_format(&mut self) {
        let id = self.some_space();
        let fields = self.some_fields(id);
        let before = self.spaces.clone();
        let has_statements = self.has_statements();
        let expected = self.touch().and_then(|()| {
            let space = self.lookup_mut(id)?;
            let old = ModelSpace::demands(&space.fields, &space.indexes)?;
            let new = ModelSpace::demands(&fields, &space.indexes)?;
            if has_statements && !space.rows.is_empty() && !ModelSpace::is_wider(&new, &old) {
                return fail(54);
            }
            space.fields.clone_from(&fields);
            check_rows(space)
        });
        let actual = self.database.set_format(id, fields);
        if self.agree("set_format", before, actual, expected).is_some() {
            self.count_change();
        }
    }

    pub(crate) fn truncate(&mut self) {
        let id = self.some_space();
        let before = self.spaces.clone();
        let incarnation = self.next_incarnation();
        let expected = self.touch().and_then(|()| {
            let space = self.lookup_mut(id)?;
            space.rows.clear();
            for index in &mut space.indexes {
                index.incarnation = incarnation;
            }
            Ok(())
        });
        let actual = self.database.truncate(id);
        if let Err(error) = &actual {
            assert_ne!(error.code(), 2, "truncate works at the quota");
        }
        if self.agree("truncate", before, actual, expected).is_some() {
            self.count_change();
        }
    }

    fn some_parts(&mut self, space_id: u32) -> Vec<KeyPart> {
        let count = [1, 1, 1, 2, 2, 3][self.choices.below(6)];
        let start = self.choices.below(4) as u32;
        (0..count)
            .map(|step| {
                let repeats = self.choices.once_in(40);
                let field = (start + if repeats { 0 } else { step }) % 4;
                let field_type = match self.choices.below(20) {
                    0 => *self.choices.pick(&KEY_TYPES),
                    1 => FieldType::Scalar,
                    2 => FieldType::Map,
                    _ => usual_type(space_id, field),
                };
                KeyPart {
                    is_nullable: self.choices.once_in(4),
                    is_descending: self.choices.once_in(4),
                    ..KeyPart::new(field, field_type)
                }
            })
            .collect()
    }

    pub(crate) fn create_index(&mut self) {
        let space_id = self.some_space();
        let needs_primary = match self.spaces.get(&space_id) {
            Some(space) => space.primary().is_none(),
            None => false,
        };
        let mut parts = self.some_parts(space_id);
        let index_type = if self.choices.once_in(3) {
            IndexType::Hash
        } else {
            IndexType::Tree
        };
        let is_hash = index_type == IndexType::Hash;
        let mut is_unique = is_hash || !self.choices.once_in(2);
        if (needs_primary || is_hash) && !self.choices.once_in(10) {
            is_unique = true;
            for part in &mut parts {
                part.is_nullable = false;
                part.is_descending &= !is_hash;
            }
        }
        let id = match self.choices.below(20) {
            0 => Some(1),
            1 => Some(128),
            2 => Some(7),
            _ => None,
        };
        let options = IndexOptions {
            index_type,
            is_unique,
            parts,
            id,
            declared: None,
        };
        let name = format!("index {}", self.choices.below(6));
        let before = self.spaces.clone();
        let expected = self.expect_index(space_id, &name, &options);
        let actual = self.database.create_index(space_id, &name, &options);
        if let Some((actual, expected)) = self.agree("create_index", before, actual, expected) {
            assert_eq!(actual, expected);
            self.count_change();
        }
    }

    fn expect_index(&mut self, space_id: u32, name: &str, options: &IndexOptions) -> Outcome<u32> {
        self.touch()?;
        let incarnation = self.next_incarnation();
        let has_statements = self.has_statements();
        let taken = self.code_of_taken(85);
        let space = self.lookup_mut(space_id)?;
        let has = |id: u32| space.indexes.iter().any(|index| index.id == id);
        let next = (0..128).rfind(|id| has(*id)).map_or(0, |last| last + 1);
        let id = options.id.unwrap_or(next);
        if space.indexes.iter().any(|index| index.name == name) {
            return fail(85);
        }
        if id >= 128 {
            return fail(14);
        }
        if has(id) {
            return fail(taken);
        }
        if id != 0 && space.primary().is_none() {
            return fail(12);
        }
        let is_hash = options.index_type == IndexType::Hash;
        if !options.is_unique && id == 0 {
            return fail(14);
        }
        for (position, part) in options.parts.iter().enumerate() {
            let earlier = &options.parts[..position];
            if part.field_type == FieldType::Map
                || earlier.iter().any(|known| known.field == part.field)
            {
                return fail(14);
            }
        }
        for part in &options.parts {
            if part.is_nullable && id == 0 {
                return fail(152);
            }
            if is_hash && part.is_nullable {
                return fail(5);
            }
        }
        if is_hash && !options.is_unique {
            return fail(14);
        }
        if is_hash && options.parts.iter().any(|part| part.is_descending) {
            return fail(5);
        }
        space.indexes.push(ModelIndex {
            id,
            name: name.to_owned(),
            index_type: options.index_type,
            is_unique: options.is_unique,
            parts: options.parts.clone(),
            incarnation,
        });
        ModelSpace::demands(&space.fields, &space.indexes)?;
        if has_statements && !space.rows.is_empty() {
            return fail(54);
        }
        let misfits = check_rows(space);
        let index = &space.indexes[space.indexes.len() - 1];
        let clashes = space.rows.iter().enumerate().any(|(position, row)| {
            let earlier = &space.rows[..position];
            earlier.iter().any(|known| index.clash(known, row))
        });
        // Each row is checked and put in before the next.
        match misfits {
            Err(mut codes) => {
                codes.extend(clashes.then_some(3));
                return Err(codes);
            }
            Ok(()) if clashes => return fail(3),
            Ok(()) => {}
        }
        space.indexes.sort_by_key(|index| index.id);
        Ok(id)
    }

    pub(crate) fn drop_index(&mut self) {
        let space_id = self.some_space();
        let index_id = self.some_index(space_id);
        let before = self.spaces.clone();
        let expected = self.touch().and_then(|()| {
            let space = self.lookup_mut(space_id)?;
            space.index(index_id)?;
            if index_id == 0 {
                if space.indexes.len() > 1 {
                    return fail(17);
                }
                space.rows.clear();
            }
            space.indexes.retain(|index| index.id != index_id);
            Ok(())
        });
        let actual = self.database.drop_index(space_id, index_id);
        if self.agree("drop_index", before, actual, expected).is_some() {
            self.count_change();
        }
    }
}

/// Checks all rows; the first that does not fit decides the code, and which is first depends on the
/// primary index.
fn check_rows(space: &ModelSpace) -> Outcome<()> {
    let failures: Vec<u32> = space
        .rows
        .iter()
        .filter_map(|row| space.check_row(row).err())
        .flatten()
        .collect();
    if failures.is_empty() {
        Ok(())
    } else {
        Err(failures)
    }
}
