//! Field types and the format of a space: which types stand where, and the check of a new tuple.
//! A check walks the fields up to the last constrained one, once.

use crate::decimal::Decimal;
use crate::error::{ErrorKind, Result};
use crate::msgpack::{
    self, EXTENSION_DATETIME, EXTENSION_DECIMAL, EXTENSION_INTERVAL, EXTENSION_UUID, Value,
};
use crate::tuple::{Encoded, split_array};

use super::collation::Collation;
use super::key_def::KeyPart;

/// Type of a field or key part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldType {
    /// Anything, null included. Not for key parts.
    Any,
    /// 0 to 2^64 - 1.
    Unsigned,
    /// Bytes that are meant as text.
    String,
    /// Any integer, float, double or decimal.
    Number,
    /// A float or double; integers are taken as such.
    Double,
    /// -2^63 to 2^64 - 1.
    Integer,
    /// True or false.
    Boolean,
    /// Bytes.
    Varbinary,
    /// Boolean, number, string, varbinary, UUID or datetime, in that order.
    Scalar,
    /// Up to 38 digits.
    Decimal,
    /// 16 bytes.
    Uuid,
    /// MsgPack array. Not for key parts.
    Array,
    /// MsgPack map. Not for key parts.
    Map,
    /// A point in time.
    Datetime,
    /// A span of time. Not for key parts.
    Interval,
    /// -2^7 to 2^7 - 1.
    Int8,
    /// -2^15 to 2^15 - 1.
    Int16,
    /// -2^31 to 2^31 - 1.
    Int32,
    /// -2^63 to 2^63 - 1.
    Int64,
    /// 0 to 2^8 - 1.
    Uint8,
    /// 0 to 2^16 - 1.
    Uint16,
    /// 0 to 2^32 - 1.
    Uint32,
    /// 0 to 2^64 - 1.
    Uint64,
    /// A number that single precision has room for.
    Float32,
    /// A float or double; integers are taken as such.
    Float64,
    /// Up to 9 digits.
    Decimal32,
    /// Up to 18 digits.
    Decimal64,
    /// Up to 38 digits.
    Decimal128,
    /// Up to 38 digits, which is all that a decimal has.
    Decimal256,
}

/// Types and their names.
const NAMES: &[(FieldType, &str)] = &[
    (FieldType::Any, "any"),
    (FieldType::Unsigned, "unsigned"),
    (FieldType::String, "string"),
    (FieldType::Number, "number"),
    (FieldType::Double, "double"),
    (FieldType::Integer, "integer"),
    (FieldType::Boolean, "boolean"),
    (FieldType::Varbinary, "varbinary"),
    (FieldType::Scalar, "scalar"),
    (FieldType::Decimal, "decimal"),
    (FieldType::Uuid, "uuid"),
    (FieldType::Array, "array"),
    (FieldType::Map, "map"),
    (FieldType::Datetime, "datetime"),
    (FieldType::Interval, "interval"),
    (FieldType::Int8, "int8"),
    (FieldType::Int16, "int16"),
    (FieldType::Int32, "int32"),
    (FieldType::Int64, "int64"),
    (FieldType::Uint8, "uint8"),
    (FieldType::Uint16, "uint16"),
    (FieldType::Uint32, "uint32"),
    (FieldType::Uint64, "uint64"),
    (FieldType::Float32, "float32"),
    (FieldType::Float64, "float64"),
    (FieldType::Decimal32, "decimal32"),
    (FieldType::Decimal64, "decimal64"),
    (FieldType::Decimal128, "decimal128"),
    (FieldType::Decimal256, "decimal256"),
];

impl FieldType {
    /// The type with Tarantool's name or alias for it, in any case.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let name = match name.as_str() {
            "*" => "any",
            "uint" | "num" => "unsigned",
            "str" => "string",
            "int" => "integer",
            "bool" => "boolean",
            other => other,
        };
        let mut known = NAMES.iter();
        known.find(|entry| entry.1 == name).map(|entry| entry.0)
    }

    /// Tarantool's name.
    pub fn name(self) -> &'static str {
        let mut known = NAMES.iter();
        known
            .find(|entry| entry.0 == self)
            .map_or("any", |entry| entry.1)
    }

    /// The least and the greatest integer of a type that holds integers alone.
    pub(super) fn integer_range(self) -> Option<(i128, i128)> {
        Some(match self {
            Self::Unsigned | Self::Uint64 => (0, u64::MAX.into()),
            Self::Integer => (i64::MIN.into(), u64::MAX.into()),
            Self::Int8 => (i8::MIN.into(), i8::MAX.into()),
            Self::Int16 => (i16::MIN.into(), i16::MAX.into()),
            Self::Int32 => (i32::MIN.into(), i32::MAX.into()),
            Self::Int64 => (i64::MIN.into(), i64::MAX.into()),
            Self::Uint8 => (0, u8::MAX.into()),
            Self::Uint16 => (0, u16::MAX.into()),
            Self::Uint32 => (0, u32::MAX.into()),
            _ => return None,
        })
    }

    /// The digits that a decimal type has room for.
    fn decimal_digits(self) -> Option<i64> {
        Some(match self {
            Self::Decimal32 => 9,
            Self::Decimal64 => 18,
            Self::Decimal128 | Self::Decimal256 | Self::Decimal => 38,
            _ => return None,
        })
    }

    /// Whether a value other than null is of this type.
    #[inline]
    pub fn accepts(self, value: &Value<'_>) -> bool {
        match (self, value) {
            (Self::Any, _)
            | (Self::Unsigned | Self::Integer | Self::Number | Self::Double, Value::Unsigned(_))
            | (Self::Integer | Self::Number | Self::Double, Value::Negative(_))
            | (Self::Number | Self::Double, Value::Float(_) | Value::Double(_))
            | (Self::String, Value::String(_))
            | (Self::Boolean, Value::Boolean(_))
            | (Self::Varbinary, Value::Binary(_))
            | (Self::Array, Value::Array(_))
            | (Self::Map, Value::Map(_))
            | (Self::Number | Self::Decimal, Value::Extension(EXTENSION_DECIMAL, _))
            | (Self::Uuid, Value::Extension(EXTENSION_UUID, _)) => true,
            (Self::Scalar, value) => match value {
                Value::Nil | Value::Array(_) | Value::Map(_) => false,
                Value::Extension(kind, _) => {
                    matches!(
                        *kind,
                        EXTENSION_DECIMAL | EXTENSION_UUID | EXTENSION_DATETIME
                    )
                }
                _ => true,
            },
            (Self::Datetime, Value::Extension(kind, _)) => *kind == EXTENSION_DATETIME,
            (Self::Interval, Value::Extension(kind, _)) => *kind == EXTENSION_INTERVAL,
            _ => self.accepts_sized(value),
        }
    }

    /// [`FieldType::accepts`] for the types that name their size.
    fn accepts_sized(self, value: &Value<'_>) -> bool {
        match (self, value) {
            (Self::Uint64, Value::Unsigned(_)) => true,
            (Self::Float32, Value::Double(double)) => {
                !double.is_finite() || double.abs() <= f64::from(f32::MAX)
            }
            (Self::Float32 | Self::Float64, value) => Self::Double.accepts(value),
            (_, Value::Unsigned(integer)) => self.includes(i128::from(*integer)),
            (_, Value::Negative(integer)) => self.includes(i128::from(*integer)),
            (_, Value::Extension(EXTENSION_DECIMAL, body)) => {
                self.decimal_digits().is_some_and(|digits| {
                    Decimal::from_extension_body(body)
                        .is_ok_and(|decimal| decimal.precision() <= digits)
                })
            }
            _ => false,
        }
    }

    fn includes(self, integer: i128) -> bool {
        self.integer_range()
            .is_some_and(|(least, greatest)| (least..=greatest).contains(&integer))
    }

    /// The type of an encoded value that is not of this one; nothing when it is. Null is of type
    /// any only.
    pub fn mismatch(self, value: &[u8]) -> Option<&'static str> {
        let (value, _) = msgpack::read_trusted(value);
        let fits = match value {
            Value::Nil => self == Self::Any,
            value => self.accepts(&value),
        };
        (!fits).then(|| type_name(&value))
    }

    /// Whether every value of `other` is also of this type.
    pub(crate) fn contains(self, other: Self) -> bool {
        if self == other {
            return true;
        }
        if let (Some((least, greatest)), Some(inner)) =
            (self.integer_range(), other.integer_range())
        {
            return least <= inner.0 && inner.1 <= greatest;
        }
        if let (Some(digits), Some(inner)) = (self.decimal_digits(), other.decimal_digits()) {
            return inner <= digits;
        }
        match self {
            Self::Any => true,
            Self::Scalar => !matches!(other, Self::Any | Self::Array | Self::Map | Self::Interval),
            Self::Number => {
                matches!(other, Self::Double | Self::Float32 | Self::Float64)
                    || other.integer_range().is_some()
                    || other.decimal_digits().is_some()
            }
            Self::Double | Self::Float64 => {
                matches!(other, Self::Double | Self::Float32 | Self::Float64)
            }
            _ => false,
        }
    }
}

fn integer_of(value: &Value<'_>) -> Option<i128> {
    match value {
        Value::Unsigned(integer) => Some(i128::from(*integer)),
        Value::Negative(integer) => Some(i128::from(*integer)),
        _ => None,
    }
}

/// Name of a value's own type, as errors give it.
pub(crate) fn type_name(value: &Value<'_>) -> &'static str {
    match value {
        Value::Nil => "nil",
        Value::Boolean(_) => "boolean",
        Value::Unsigned(_) => "unsigned",
        Value::Negative(_) => "integer",
        Value::Float(_) => "float",
        Value::Double(_) => "double",
        Value::String(_) => "string",
        Value::Binary(_) => "varbinary",
        Value::Array(_) => "array",
        Value::Map(_) => "map",
        Value::Extension(EXTENSION_DECIMAL, _) => "decimal",
        Value::Extension(EXTENSION_UUID, _) => "uuid",
        Value::Extension(EXTENSION_DATETIME, _) => "datetime",
        Value::Extension(EXTENSION_INTERVAL, _) => "interval",
        Value::Extension(..) => "extension",
    }
}

/// One field of a space's format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldDefinition {
    /// Unique in the format.
    pub name: String,
    /// What it holds.
    pub field_type: FieldType,
    /// Whether null, or nothing at all, may stand there.
    pub is_nullable: bool,
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
    is_nullable: bool,
    is_indexed: bool,
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
        let mut constraints: Vec<Constraint> = fields
            .iter()
            .map(|field| Constraint {
                field_type: field.field_type,
                is_nullable: field.is_nullable,
                is_indexed: false,
            })
            .collect();
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
            let free = Constraint {
                field_type: FieldType::Any,
                is_nullable: true,
                is_indexed: false,
            };
            while constraints.len() <= position {
                constraints.push(free);
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
        Ok(Constraint {
            field_type,
            is_nullable,
            is_indexed: true,
        })
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
                new.field_type.contains(old.field_type) && (new.is_nullable || !old.is_nullable)
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
            let (value, after) = msgpack::read_trusted(rest);
            let fits = match value {
                Value::Nil => constraint.is_nullable || constraint.field_type == FieldType::Any,
                value => constraint.field_type.accepts(&value),
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
