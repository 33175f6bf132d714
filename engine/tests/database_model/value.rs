//! Values of the model: their bytes, and an order that shares nothing with the engine's. Numbers
//! compare as strings of decimal digits, which is slow and plainly exact.

use std::cmp::Ordering;
use std::str::FromStr;

use lycosa_engine::decimal::Decimal;
use lycosa_engine::msgpack;
use lycosa_engine::schema::FieldType;

/// What a value is, apart from its encoding.
#[derive(Debug, Clone)]
enum Shape {
    Null,
    Boolean(bool),
    Number(Kind, Number),
    String(Vec<u8>),
    Binary(Vec<u8>),
    Uuid(Vec<u8>),
    Array,
    Map,
}

/// How a number is encoded.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Unsigned,
    Negative,
    Double,
    Decimal,
}

/// A number, digit by digit. The variants stand in their order.
#[derive(Debug, Clone)]
enum Number {
    Nan,
    NegativeInfinity,
    Finite {
        is_negative: bool,
        whole: String,
        fraction: String,
    },
    Infinity,
}

impl Number {
    /// Out of a plain decimal text, with no exponent.
    fn from_text(text: &str) -> Self {
        let (is_negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let whole = whole.trim_start_matches('0').to_owned();
        let fraction = fraction.trim_end_matches('0').to_owned();
        Self::Finite {
            is_negative: is_negative && !(whole.is_empty() && fraction.is_empty()),
            whole,
            fraction,
        }
    }

    fn from_double(value: f64) -> Self {
        if value.is_nan() {
            Self::Nan
        } else if value.is_infinite() {
            if value > 0.0 {
                Self::Infinity
            } else {
                Self::NegativeInfinity
            }
        } else {
            // 1074 binary places need as many decimal ones.
            Self::from_text(&format!("{value:.1074}"))
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Nan => 0,
            Self::NegativeInfinity => 1,
            Self::Finite { .. } => 2,
            Self::Infinity => 3,
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        let (
            Self::Finite {
                is_negative: a_negative,
                whole: a_whole,
                fraction: a_fraction,
            },
            Self::Finite {
                is_negative: b_negative,
                whole: b_whole,
                fraction: b_fraction,
            },
        ) = (self, other)
        else {
            return self.rank().cmp(&other.rank());
        };
        if a_negative != b_negative {
            return b_negative.cmp(a_negative);
        }
        let magnitude = a_whole
            .len()
            .cmp(&b_whole.len())
            .then_with(|| a_whole.cmp(b_whole))
            .then_with(|| a_fraction.cmp(b_fraction));
        if *a_negative {
            magnitude.reverse()
        } else {
            magnitude
        }
    }
}

/// One field of a tuple or one part of a key.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) encoded: Vec<u8>,
    shape: Shape,
}

impl Value {
    pub(crate) fn null() -> Self {
        Self {
            encoded: vec![0xc0],
            shape: Shape::Null,
        }
    }

    pub(crate) fn unsigned(value: u64) -> Self {
        let mut encoded = Vec::new();
        msgpack::write_unsigned(&mut encoded, value);
        let number = Number::from_text(&value.to_string());
        Self {
            encoded,
            shape: Shape::Number(Kind::Unsigned, number),
        }
    }

    fn negative(value: i64) -> Self {
        let mut encoded = Vec::new();
        msgpack::write_integer(&mut encoded, value);
        let number = Number::from_text(&value.to_string());
        Self {
            encoded,
            shape: Shape::Number(Kind::Negative, number),
        }
    }

    fn double(value: f64) -> Self {
        let mut encoded = Vec::new();
        msgpack::write_double(&mut encoded, value);
        Self {
            encoded,
            shape: Shape::Number(Kind::Double, Number::from_double(value)),
        }
    }

    fn float(value: f32) -> Self {
        let mut encoded = Vec::new();
        msgpack::write_float(&mut encoded, value);
        Self {
            encoded,
            shape: Shape::Number(Kind::Double, Number::from_double(f64::from(value))),
        }
    }

    fn decimal(text: &str) -> Self {
        let mut encoded = Vec::new();
        Decimal::from_str(text)
            .expect("the pool holds decimals")
            .write(&mut encoded);
        Self {
            encoded,
            shape: Shape::Number(Kind::Decimal, Number::from_text(text)),
        }
    }

    fn boolean(value: bool) -> Self {
        Self {
            encoded: vec![0xc2 + u8::from(value)],
            shape: Shape::Boolean(value),
        }
    }

    pub(crate) fn string(value: &str) -> Self {
        let mut encoded = Vec::new();
        msgpack::write_string(&mut encoded, value.as_bytes());
        Self {
            encoded,
            shape: Shape::String(value.as_bytes().to_vec()),
        }
    }

    fn binary(value: &[u8]) -> Self {
        let mut encoded = Vec::new();
        msgpack::write_binary(&mut encoded, value);
        Self {
            encoded,
            shape: Shape::Binary(value.to_vec()),
        }
    }

    fn uuid(last: u8, first: u8) -> Self {
        let mut body = [7; 16];
        body[0] = first;
        body[15] = last;
        let mut encoded = Vec::new();
        msgpack::write_extension(&mut encoded, msgpack::EXTENSION_UUID, &body);
        Self {
            encoded,
            shape: Shape::Uuid(body.to_vec()),
        }
    }

    fn array() -> Self {
        Self {
            encoded: vec![0x92, 0x01, 0x91, 0xc0],
            shape: Shape::Array,
        }
    }

    fn map() -> Self {
        Self {
            encoded: vec![0x81, 0xa1, b'k', 0x90],
            shape: Shape::Map,
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self.shape, Shape::Null)
    }

    /// Whether a field of the type may hold the value, which is not null.
    pub(crate) fn fits(&self, field_type: FieldType) -> bool {
        use FieldType as T;
        match (&self.shape, field_type) {
            (Shape::Null, _) => false,
            (_, T::Any) => true,
            (Shape::Array, wanted) => wanted == T::Array,
            (Shape::Map, wanted) => wanted == T::Map,
            (_, T::Scalar) => true,
            (Shape::Boolean(_), wanted) => wanted == T::Boolean,
            (Shape::String(_), wanted) => wanted == T::String,
            (Shape::Binary(_), wanted) => wanted == T::Varbinary,
            (Shape::Uuid(_), wanted) => wanted == T::Uuid,
            (Shape::Number(kind, _), wanted) => match kind {
                Kind::Unsigned => {
                    matches!(wanted, T::Unsigned | T::Integer | T::Number | T::Double)
                }
                Kind::Negative => matches!(wanted, T::Integer | T::Number | T::Double),
                Kind::Double => matches!(wanted, T::Number | T::Double),
                Kind::Decimal => matches!(wanted, T::Number | T::Decimal),
            },
        }
    }

    fn class(&self) -> u8 {
        match self.shape {
            Shape::Null => 0,
            Shape::Boolean(_) => 1,
            Shape::Number(..) => 2,
            Shape::String(_) => 3,
            Shape::Binary(_) => 4,
            Shape::Uuid(_) => 5,
            Shape::Array | Shape::Map => 6,
        }
    }

    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        match (&self.shape, &other.shape) {
            (Shape::Boolean(a), Shape::Boolean(b)) => a.cmp(b),
            (Shape::Number(_, a), Shape::Number(_, b)) => a.compare(b),
            (Shape::String(a), Shape::String(b))
            | (Shape::Binary(a), Shape::Binary(b))
            | (Shape::Uuid(a), Shape::Uuid(b)) => a.cmp(b),
            _ => self.class().cmp(&other.class()),
        }
    }
}

/// A deterministic source of choices.
pub(crate) struct Choices(pub(crate) u64);

impl Choices {
    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    /// True once in `period` times.
    pub(crate) fn once_in(&mut self, period: usize) -> bool {
        self.below(period) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Values that are equal across kinds, next to each other, or alike in their first bytes.
pub(crate) struct Pool(Vec<Value>);

impl Pool {
    pub(crate) fn new() -> Self {
        let two_53 = 9_007_199_254_740_992.0;
        let mut all = Vec::new();
        let small = 0..8;
        let large = [255, 65_536, 1 << 53, (1 << 53) + 1, 1 << 63, u64::MAX];
        all.extend(small.chain(large).map(Value::unsigned));
        let negative = [-1, -2, -33, -(1 << 53) - 1, i64::MIN];
        all.extend(negative.map(Value::negative));
        let doubles = [
            0.0,
            -0.0,
            0.5,
            1.0,
            2.0,
            5.0,
            0.1,
            -1.0,
            -0.5,
            two_53,
            two_53 + 2.0,
        ];
        all.extend(doubles.map(Value::double));
        let extremes = [
            two_53 * 1024.0,
            two_53 * 2048.0,
            -two_53 * 1024.0,
            1e20,
            1e38,
            1e300,
        ];
        all.extend(extremes.map(Value::double));
        let odd = [5e-324, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        all.extend(odd.map(Value::double));
        all.extend([0.5_f32, 0.1].map(Value::float));
        let decimals = [
            "0",
            "1",
            "1.0",
            "0.1",
            "0.5",
            "5",
            "-1",
            "-0.50",
            "2.25",
            "9007199254740993",
            "9007199254740992.1",
            "18446744073709551616",
            "100000000000000000000",
            "99999999999999999999999999999999999999",
        ];
        all.extend(decimals.map(Value::decimal));
        let strings = [
            "",
            "a",
            "b",
            "ab",
            "aaaaaaaa",
            "aaaaaaaab",
            "aaaaaaab",
            "a\0",
        ];
        all.extend(strings.map(Value::string));
        let binaries: [&[u8]; 5] = [
            b"",
            b"a",
            b"\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            b"\0",
            b"ab",
        ];
        all.extend(binaries.map(Value::binary));
        all.extend(
            [(0, 7), (1, 7), (0, 8), (0, 0xff)].map(|(last, first)| Value::uuid(last, first)),
        );
        all.extend([true, false].map(Value::boolean));
        all.extend([Value::array(), Value::map()]);
        Self(all)
    }

    /// A value of the type.
    pub(crate) fn of_type(&self, field_type: FieldType, choices: &mut Choices) -> Value {
        let fitting: Vec<&Value> = self.0.iter().filter(|v| v.fits(field_type)).collect();
        (*choices.pick(&fitting)).clone()
    }

    /// Any value, null included.
    pub(crate) fn any(&self, choices: &mut Choices) -> Value {
        if choices.once_in(4) {
            Value::null()
        } else {
            choices.pick(&self.0).clone()
        }
    }
}

/// The MsgPack array of some values.
pub(crate) fn encode(values: &[Value]) -> Vec<u8> {
    let mut out = Vec::new();
    msgpack::write_array_header(&mut out, values.len() as u32);
    for value in values {
        out.extend_from_slice(&value.encoded);
    }
    out
}
