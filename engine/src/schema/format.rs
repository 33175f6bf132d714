//! The format of a space: which types stand where, and the check of a new tuple. A check walks the
//! fields up to the last constrained one, once; the first byte of most values tells that they fit.

use crate::error::{ErrorKind, Result};
use crate::msgpack::{self, Value};
use crate::tuple::{Encoded, split_array};

use super::collation::Collation;
use super::field_type::{FieldType, Tags, integer_of, type_name};
use super::key_def::KeyPart;

/// One field of a space's format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldDefinition {
    /// Unique in the format.
    pub name: String,
    /// What it holds.
    pub field_type: FieldType,
    /// Whether null, or nothing at all, may stand there.
    pub is_nullable: bool,
    /// Whether a default stands in for null when a tuple is put. An update may then leave null there,
    /// as in Tarantool, unless an index forbids it.
    pub has_default: bool,
    /// What the parts of indexes over this field use if they name no collation of their own. It is
    /// a record for whoever makes the indexes; the format itself compares nothing.
    pub collation: Option<&'static Collation>,
}

impl FieldDefinition {
    /// A field that must be there.
    pub fn new(name: &str, field_type: FieldType) -> Self {
        Self {
            name: name.to_owned(),
            field_type,
            is_nullable: false,
            has_default: false,
            collation: None,
        }
    }

    /// The same, nullable.
    #[must_use]
    pub fn nullable(self) -> Self {
        Self {
            is_nullable: true,
            ..self
        }
    }
}

/// What is demanded of one field by the format and the indexes together.
#[derive(Debug, Clone, Copy)]
struct Constraint {
    field_type: FieldType,
    /// Whether nothing at all may stand there.
    is_nullable: bool,
    takes_null: bool,
    is_indexed: bool,
    /// Of the type and of null, if it may be null.
    tags: Tags,
}

impl Constraint {
    fn new(field_type: FieldType, is_nullable: bool, takes_null: bool, is_indexed: bool) -> Self {
        Self {
            field_type,
            is_nullable,
            takes_null,
            is_indexed,
            tags: Tags::of(field_type, takes_null),
        }
    }

    fn of_field(field: &FieldDefinition) -> Self {
        let takes_null = field.is_nullable || field.has_default;
        Self::new(field.field_type, field.is_nullable, takes_null, false)
    }
}

/// The declared fields, and the constraints that they and the indexes put on a tuple.
#[derive(Debug, Clone, Default)]
pub struct Format {
    fields: Vec<FieldDefinition>,
    exact_field_count: u32,
    constraints: Vec<Constraint>,
    /// Fields up to the last that must be there.
    required_count: u32,
}

impl Format {
    /// Puts the format and the parts of all indexes together. `exact_field_count` 0 means any
    /// number. Fails when two of them contradict each other.
    pub(crate) fn new<'a>(
        fields: Vec<FieldDefinition>,
        exact_field_count: u32,
        parts: impl Iterator<Item = &'a KeyPart>,
    ) -> Result<Self> {
        let mut constraints: Vec<Constraint> = fields.iter().map(Constraint::of_field).collect();
        for (position, field) in fields.iter().enumerate() {
            if field.name.is_empty() {
                return Err(ErrorKind::WrongSpaceFormat {
                    field: position as u32 + 1,
                    reason: "field name is not specified".to_owned(),
                }
                .into());
            }
            if fields[..position]
                .iter()
                .any(|other| other.name == field.name)
            {
                return Err(ErrorKind::SpaceFieldIsDuplicate {
                    field: field.name.clone(),
                }
                .into());
            }
        }
        let mut format = Self {
            fields,
            exact_field_count,
            constraints: Vec::new(),
            required_count: 0,
        };
        for part in parts {
            let position = part.field as usize;
            while constraints.len() <= position {
                constraints.push(Constraint::new(FieldType::Any, true, true, false));
            }
            constraints[position] = format.narrow(constraints[position], part)?;
        }
        format.required_count = constraints
            .iter()
            .rposition(|c| !c.is_nullable)
            .map_or(0, |position| position as u32 + 1);
        format.constraints = constraints;
        Ok(format)
    }

    /// A format of fields alone, outside of a space. Fails with `WrongSpaceFormat` for a field without
    /// a name and with `SpaceFieldIsDuplicate`.
    pub fn of_fields(fields: Vec<FieldDefinition>) -> Result<Self> {
        Self::new(fields, 0, std::iter::empty())
    }

    /// Checks a tuple. Fails with `FieldMissing`, `FieldType` or `FieldValueOutOfRange`.
    pub fn validate(&self, tuple: Encoded<'_>) -> Result<()> {
        self.check(tuple.bytes())
    }

    fn narrow(&self, known: Constraint, part: &KeyPart) -> Result<Constraint> {
        let field_type = if known.field_type.contains(part.field_type) {
            part.field_type
        } else if part.field_type.contains(known.field_type) {
            known.field_type
        } else {
            let (field, actual) = (self.field_label(part.field), known.field_type.name());
            let expected = part.field_type.name();
            return Err(if known.is_indexed {
                ErrorKind::IndexPartTypeMismatch {
                    field,
                    actual,
                    expected,
                }
                .into()
            } else {
                ErrorKind::FormatMismatchIndexPart {
                    field,
                    actual,
                    expected,
                }
                .into()
            });
        };
        let is_nullable = known.is_nullable && part.is_nullable;
        let takes_null = known.takes_null && part.is_nullable;
        Ok(Constraint::new(field_type, is_nullable, takes_null, true))
    }

    /// The declared fields.
    pub fn fields(&self) -> &[FieldDefinition] {
        &self.fields
    }

    /// Number of fields that every tuple must have; 0: any.
    pub fn exact_field_count(&self) -> u32 {
        self.exact_field_count
    }

    /// The fields of type double as a set of bits: bit n is field n, and bit 63 stands for every
    /// field from the 64th on.
    pub(crate) fn double_fields(&self) -> u64 {
        let numbered = self.constraints.iter().enumerate();
        numbered
            .filter(|(_, constraint)| {
                matches!(
                    constraint.field_type,
                    FieldType::Double | FieldType::Float64
                )
            })
            .fold(0, |set, (number, _)| set | 1 << number.min(63))
    }

    /// Number (from 0) of the field with this name.
    pub fn field_number(&self, name: &str) -> Option<u32> {
        self.fields
            .iter()
            .position(|field| field.name == name)
            .map(|position| position as u32)
    }

    /// How errors call a field: its number from 1, and its name if it has one.
    pub(crate) fn field_label(&self, number: u32) -> String {
        match self.fields.get(number as usize) {
            Some(field) => format!("{} ({})", number + 1, field.name),
            None => (number + 1).to_string(),
        }
    }

    /// Whether every tuple that `other` takes fits this format too.
    pub(crate) fn takes_all_of(&self, other: &Self) -> bool {
        let is_wider = |(number, new): (usize, &Constraint)| match other.constraints.get(number) {
            Some(old) => {
                new.field_type.contains(old.field_type)
                    && (new.is_nullable || !old.is_nullable)
                    && (new.takes_null || !old.takes_null)
            }
            None => new.field_type == FieldType::Any && new.is_nullable,
        };
        self.exact_field_count == other.exact_field_count
            && self.constraints.iter().enumerate().all(is_wider)
    }

    /// Checks a tuple. Fails with `ExactFieldCount`, `FieldMissing` or `FieldType`.
    #[inline]
    pub(crate) fn check(&self, tuple: &[u8]) -> Result<()> {
        let (count, mut rest) = split_array(tuple);
        if self.exact_field_count != 0 && count != self.exact_field_count {
            return Err(ErrorKind::ExactFieldCount {
                actual: count,
                expected: self.exact_field_count,
            }
            .into());
        }
        for (number, constraint) in self.constraints.iter().take(count as usize).enumerate() {
            if constraint.tags.contain(rest[0]) {
                rest = msgpack::skip_trusted(rest);
                continue;
            }
            let (value, after) = msgpack::read_trusted(rest);
            let fits = match &value {
                Value::Nil => constraint.takes_null || constraint.field_type == FieldType::Any,
                value => constraint.field_type.accepts(value),
            };
            if !fits {
                return Err(self.mismatch(number as u32, &value));
            }
            rest = match value {
                Value::Array(_) | Value::Map(_) => msgpack::skip_trusted(rest),
                _ => after,
            };
        }
        if count < self.required_count {
            return Err(self.missing(count));
        }
        Ok(())
    }

    #[cold]
    fn missing(&self, count: u32) -> crate::Error {
        let absent = (count..self.required_count)
            .find(|&number| !self.constraints[number as usize].is_nullable)
            .unwrap_or(count);
        ErrorKind::FieldMissing {
            field: self.field_label(absent),
        }
        .into()
    }

    #[cold]
    fn mismatch(&self, number: u32, value: &Value<'_>) -> crate::Error {
        let field_type = self.constraints[number as usize].field_type;
        if let Some((least, greatest)) = field_type.integer_range()
            && let Some(integer) = integer_of(value)
            && !(field_type == FieldType::Unsigned || (least == 0 && integer < 0))
        {
            return ErrorKind::FieldValueOutOfRange {
                field: self.field_label(number),
                field_type: field_type.name(),
                reason: format!("expected [{least}..{greatest}], got {integer}"),
            }
            .into();
        }
        ErrorKind::FieldType {
            field: self.field_label(number),
            expected: field_type.name(),
            actual: type_name(value),
        }
        .into()
    }
}
