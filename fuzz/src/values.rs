//! Lua texts of values: few small ones, so that keys meet, and many at the borders of encodings.

use crate::random::Random;
use crate::schema::Kind;

const UNSIGNED: &[&str] = &[
    "0",
    "127",
    "128",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993ULL",
    "99999999999999",
    "100000000000000",
    "9223372036854775807ULL",
    "9223372036854775808ULL",
    "18446744073709551614ULL",
    "18446744073709551615ULL",
    "2^53",
    "2^63",
];

const NEGATIVE: &[&str] = &[
    "-1",
    "-2",
    "-32",
    "-33",
    "-128",
    "-129",
    "-32768",
    "-32769",
    "-2147483648",
    "-2147483649",
    "-9007199254740992",
    "-9007199254740993LL",
    "-9223372036854775807LL",
    "-9223372036854775808LL",
    "-2^53",
];

const FRACTIONS: &[&str] = &[
    "0.5",
    "-0.5",
    "1.5",
    "2.5",
    "0.1",
    "-1.25",
    "1e300",
    "-1e300",
    "1e-300",
    "1/0",
    "-1/0",
    "1.0000000000000002",
    "0.30000000000000004",
    "123456.789",
    "4503599627370495.5",
];

const STRINGS: &[&str] = &[
    "''",
    "'A'",
    "'aa'",
    "'ab'",
    "'\\0'",
    "'a\\0'",
    "'a\\0b'",
    "'é'",
    "'\\255'",
    "'1'",
    "'abcdefgh'",
    "'abcdefghi'",
    "'abcdefg\\0'",
    "('x'):rep(31)",
    "('x'):rep(32)",
    "('x'):rep(255)",
    "('x'):rep(256)",
    "('x'):rep(3000)",
];

const ARRAYS: &[&str] = &[
    "{}",
    "{1}",
    "{1, 2, 3}",
    "{1, {2, 'x'}}",
    "{box.NULL}",
    "{{}}",
    "{'a', {b = 1}}",
    "{1, box.NULL, 3}",
];

const MAPS: &[&str] = &[
    "{a = 1}",
    "{b = {c = 1}}",
    "{a = {1, 2}}",
    "{a = box.NULL}",
    "{[10] = 1, x = 2}",
    "setmetatable({}, {__serialize = 'map'})",
];

const DECIMALS: &[&str] = &[
    "decimal.new(0)",
    "decimal.new(1)",
    "decimal.new(2)",
    "decimal.new('-1')",
    "decimal.new('0.5')",
    "decimal.new('1.50')",
    "decimal.new('-0.1')",
    "decimal.new('9007199254740993')",
    "decimal.new('99999999999999999999999999999999999999')",
    "decimal.new('-99999999999999999999999999999999999999')",
    "decimal.new('0.00000000000000000000000000000000000001')",
];

const UUIDS: &[&str] = &[
    "uuid.fromstr('00000000-0000-0000-0000-000000000000')",
    "uuid.fromstr('00000000-0000-0000-0000-000000000001')",
    "uuid.fromstr('01000000-0000-0000-0000-000000000000')",
    "uuid.fromstr('7fffffff-ffff-4fff-8fff-ffffffffffff')",
    "uuid.fromstr('ffffffff-ffff-4fff-bfff-ffffffffffff')",
    "uuid.fromstr('a2d6a0c4-5d0f-4d2e-9b1a-3f6b5c7d8e9f')",
];

const SMALL_STRINGS: &[&str] = &["'a'", "'b'", "'c'", "'d'", "'e'"];

fn small_number(random: &mut Random) -> String {
    random.below(7).to_string()
}

/// Where decimals are about, none that only some decimals can be told from: see `known`.
fn fraction(random: &mut Random) -> String {
    let value = random.pick(FRACTIONS);
    let is_short = value.len() < 12 && !value.ends_with("1/0") && !value.contains('e');
    if random.mixes_decimals && !is_short {
        "2.5".to_owned()
    } else {
        value.to_owned()
    }
}

fn unsigned(random: &mut Random) -> String {
    if random.percent(70) {
        small_number(random)
    } else {
        random.pick(UNSIGNED).to_owned()
    }
}

fn integer(random: &mut Random) -> String {
    if random.percent(75) {
        unsigned(random)
    } else {
        random.pick(NEGATIVE).to_owned()
    }
}

/// A value of a kind, never null.
pub(crate) fn of_kind(kind: Kind, random: &mut Random) -> String {
    match kind {
        Kind::Unsigned => unsigned(random),
        Kind::Integer => integer(random),
        Kind::Decimal => random.pick(DECIMALS).to_owned(),
        Kind::Uuid => random.pick(UUIDS).to_owned(),
        Kind::Number if random.mixes_decimals && random.percent(12) => {
            random.pick(DECIMALS).to_owned()
        }
        Kind::Number => {
            if random.percent(70) {
                integer(random)
            } else {
                fraction(random)
            }
        }
        Kind::Double => fraction(random),
        Kind::String => {
            if random.percent(70) {
                random.pick(SMALL_STRINGS).to_owned()
            } else {
                random.pick(STRINGS).to_owned()
            }
        }
        Kind::Boolean => random.pick(&["true", "false"]).to_owned(),
        Kind::Array => random.pick(ARRAYS).to_owned(),
        Kind::Map => random.pick(MAPS).to_owned(),
        Kind::Scalar => {
            let kinds = [Kind::Number, Kind::Number, Kind::String, Kind::Boolean];
            of_kind(kinds[random.below(kinds.len())], random)
        }
        Kind::Any => {
            let kinds = [Kind::Scalar, Kind::Scalar, Kind::Array, Kind::Map];
            of_kind(kinds[random.below(kinds.len())], random)
        }
    }
}

/// A number to reckon with: infinities would make NaN, which the two sides sort differently.
pub(crate) fn finite(kind: Kind, random: &mut Random) -> String {
    let value = of_kind(kind, random);
    if value.ends_with("1/0") {
        "0.5".to_owned()
    } else {
        value
    }
}

/// A value that need not fit anywhere.
pub(crate) fn any(random: &mut Random) -> String {
    if random.percent(15) {
        "box.NULL".to_owned()
    } else {
        of_kind(Kind::Any, random)
    }
}

/// A value for a field: null where it may be, and now and then one that does not fit. An integer
/// never stands for a double: see `known`.
pub(crate) fn for_field(kind: Kind, is_nullable: bool, random: &mut Random) -> String {
    if random.percent(3) {
        match kind {
            Kind::Double => of_kind(Kind::String, random),
            _ => any(random),
        }
    } else if is_nullable && random.percent(25) {
        "box.NULL".to_owned()
    } else {
        of_kind(kind, random)
    }
}
