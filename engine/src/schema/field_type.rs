//! Types of fields and key parts: their names, and which values are of them.

use crate::decimal::Decimal;
use crate::msgpack::{
    self, EXTENSION_DATETIME, EXTENSION_DECIMAL, EXTENSION_INTERVAL, EXTENSION_UUID, Value,
};

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

pub(super) fn integer_of(value: &Value<'_>) -> Option<i128> {
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

/// First bytes of encoded values that tell all about their fitting a type.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tags([u64; 4]);

impl Tags {
    /// Those that a field of this type takes for sure. Values with other first bytes may be of the
    /// type as well.
    pub(super) fn of(field_type: FieldType, is_nullable: bool) -> Self {
        let mut tags = Self::default();
        for tag in 0..=u8::MAX {
            let fits = if tag == 0xc0 {
                is_nullable || field_type == FieldType::Any
            } else {
                field_type.takes_tag(tag)
            };
            if fits {
                tags.0[usize::from(tag >> 6)] |= 1 << (tag & 63);
            }
        }
        tags
    }

    #[inline]
    pub(super) fn contain(&self, tag: u8) -> bool {
        self.0[usize::from(tag >> 6)] >> (tag & 63) & 1 != 0
    }
}

impl FieldType {
    fn takes_tag(self, tag: u8) -> bool {
        let is_unsigned = matches!(tag, 0x00..=0x7f | 0xcc..=0xcf);
        let is_integer = is_unsigned || matches!(tag, 0xd0..=0xd3 | 0xe0..=0xff);
        let is_number = is_integer || matches!(tag, 0xca | 0xcb);
        let is_string = matches!(tag, 0xa0..=0xbf | 0xd9..=0xdb);
        let is_boolean = matches!(tag, 0xc2 | 0xc3);
        let is_binary = matches!(tag, 0xc4..=0xc6);
        match self {
            Self::Any => true,
            Self::Unsigned | Self::Uint64 => is_unsigned,
            Self::Integer => is_integer,
            Self::Number | Self::Double | Self::Float64 => is_number,
            Self::String => is_string,
            Self::Boolean => is_boolean,
            Self::Varbinary => is_binary,
            Self::Scalar => is_number || is_string || is_boolean || is_binary,
            Self::Array => matches!(tag, 0x90..=0x9f | 0xdc | 0xdd),
            Self::Map => matches!(tag, 0x80..=0x8f | 0xde | 0xdf),
            _ => false,
        }
    }
}
