//! Lua texts of statements and reads on a space that the generator knows.

use crate::random::Random;
use crate::schema::{Index, Kind, Space};
use crate::values;

/// A tuple for the space: mostly one that fits.
pub(crate) fn tuple(space: &Space, random: &mut Random) -> String {
    if random.percent(2) {
        let odd = [
            "nil",
            "1",
            "'x'",
            "{a = 1}",
            "{}",
            "{{}}",
            "box.tuple.new{}",
            "{[3] = 1}",
        ];
        return random.pick(&odd).to_owned();
    }
    let mut count = space.fields.len();
    if space.has_short_tuples && random.percent(40) {
        count = random.between(space.certain_field_count.clamp(1, count), count);
    }
    let mut parts: Vec<String> = space.fields[..count]
        .iter()
        .enumerate()
        .map(|(number, field)| {
            let (kind, is_nullable) = space.demand(number, field);
            values::for_field(kind, is_nullable, random)
        })
        .collect();
    if count == space.fields.len() && random.percent(10) {
        parts.push(values::any(random));
    }
    let list = format!("{{{}}}", parts.join(", "));
    if random.percent(8) {
        format!("box.tuple.new({list})")
    } else {
        list
    }
}

fn key_values(index: &Index, count: usize, random: &mut Random) -> Vec<String> {
    let parts = index.parts[..count].iter();
    parts
        .map(|part| values::for_field(part.kind, part.is_nullable, random))
        .collect()
}

/// A value as a key of its own. A map is none: see `known`.
fn bare(value: String) -> String {
    if value.starts_with(['{', 's']) {
        format!("{{{value}}}")
    } else {
        value
    }
}

/// A key that names one tuple: all parts, but for now and then.
pub(crate) fn full_key(index: &Index, random: &mut Random) -> String {
    if random.percent(8) {
        return key(index, random);
    }
    let values = key_values(index, index.parts.len(), random);
    match values.as_slice() {
        [value] if random.percent(50) => bare(value.clone()),
        values => format!("{{{}}}", values.join(", ")),
    }
}

/// A key of any length, which may also be too long, or none.
pub(crate) fn key(index: &Index, random: &mut Random) -> String {
    match random.weighted(&[12, 4, 4, 2, 1]) {
        0 => {
            let count = random.between(1, index.parts.len());
            format!("{{{}}}", key_values(index, count, random).join(", "))
        }
        1 => bare(key_values(index, 1, random).remove(0)),
        2 => random.pick(&["nil", "{}", "box.NULL"]).to_owned(),
        3 => {
            let mut values = key_values(index, index.parts.len(), random);
            values.push(values::any(random));
            format!("{{{}}}", values.join(", "))
        }
        _ => random
            .pick(&["{{}}", "{{1}}", "{nil, 'b'}", "{{a = 1}}"])
            .to_owned(),
    }
}

fn is_empty_key(key: &str) -> bool {
    matches!(key, "nil" | "{}" | "box.NULL")
}

/// An iterator as Lua. ALL is left to empty keys: see `known`.
pub(crate) fn iterator(index: &Index, key: &str, random: &mut Random) -> String {
    if random.percent(3) {
        let odd = [
            "'XX'",
            "-1",
            "99",
            "true",
            "{}",
            "box.index.BITS_ALL_SET",
            "'OVERLAPS'",
        ];
        return random.pick(&odd).to_owned();
    }
    if is_empty_key(key) && random.percent(20) {
        return random.pick(&["'ALL'", "box.index.ALL", "2"]).to_owned();
    }
    if index.is_hash && (!is_empty_key(key) || random.percent(85)) {
        let names = [
            "'EQ'",
            "box.index.EQ",
            "'eq'",
            "'EQ'",
            "'REQ'",
            "'GE'",
            "'LT'",
        ];
        return random.pick(&names).to_owned();
    }
    let names = [
        "'EQ'",
        "'REQ'",
        "'LT'",
        "'LE'",
        "'GE'",
        "'GT'",
        "box.index.GE",
        "box.index.LT",
        "box.index.REQ",
        "'req'",
        "'gt'",
        "3",
    ];
    random.pick(&names).to_owned()
}

/// One update operation on a field below `field_count` (from 0), or right behind the last.
fn operation(space: &Space, field: usize, is_alone: bool, random: &mut Random) -> String {
    let target = match random.weighted(&[70, 12, 8, 4]) {
        1 if is_alone && !space.has_short_tuples && field < space.fields.len() => {
            // Only a tuple without extra fields is counted from its end like this.
            format!("{}", field as i64 - space.fields.len() as i64)
        }
        2 if space.has_format && field < space.fields.len() => {
            format!("'{}'", space.fields[field].name)
        }
        3 if is_alone => random
            .pick(&["0", "'nothing'", "1.5", "'f2.a'", "'[2][1]'", "'f2['", "{}"])
            .to_owned(),
        _ => (field + 1).to_string(),
    };
    let known = space.fields.get(field);
    let (kind, _) = known.map_or((Kind::Any, true), |known| space.demand(field, known));
    let number = || match kind {
        Kind::Double => Kind::Double,
        Kind::Unsigned | Kind::Integer => Kind::Integer,
        Kind::Decimal => Kind::Decimal,
        _ => Kind::Number,
    };
    match random.weighted(&[30, 15, 10, 10, 12, 4, 2]) {
        0 => {
            let value = values::for_field(kind, field > 0, random);
            format!("{{'=', {target}, {value}}}")
        }
        1 => format!("{{'+', {target}, {}}}", values::finite(number(), random)),
        2 => format!("{{'-', {target}, {}}}", values::finite(number(), random)),
        3 => {
            let operator = random.pick(&["&", "|", "^"]);
            format!(
                "{{'{operator}', {target}, {}}}",
                values::of_kind(Kind::Unsigned, random)
            )
        }
        4 => {
            let position = random.pick(&["1", "2", "-1", "-2", "0", "100", "-100", "1.5"]);
            let length = random.pick(&["0", "1", "2", "100", "-1", "-100"]);
            let text = values::of_kind(Kind::String, random);
            format!("{{':', {target}, {position}, {length}, {text}}}")
        }
        5 => format!(
            "{{'{}', {target}, {}}}",
            random.pick(&["+", "-", "&", "=", ":"]),
            values::any(random)
        ),
        _ => random
            .pick(&[
                "{'%', 1, 1}",
                "{}",
                "{'='}",
                "{'=', 2}",
                "1",
                "'='",
                "{1, 2, 3}",
            ])
            .to_owned(),
    }
}

/// An operation that puts a field in or takes fields out. None is taken out where an integer would
/// come to stand for a double.
fn moving_operation(space: &Space, certain: usize, random: &mut Random) -> String {
    let has_doubles = space.fields.iter().any(|field| field.kind == Kind::Double);
    if space.has_short_tuples && !has_doubles && random.percent(50) {
        let field = random.between(1, certain);
        let count = random.pick(&["1", "2", "100", "0", "-1", "'x'"]);
        format!("{{'#', {field}, {count}}}")
    } else {
        let value = values::any(random);
        format!("{{'!', {}, {value}}}", certain + 1)
    }
}

/// A list of update operations. Each has a field of its own, no field lies behind a gap, and fields
/// are put in or taken out last: see `known`.
pub(crate) fn operations(space: &Space, random: &mut Random) -> String {
    if random.percent(2) {
        return random
            .pick(&["nil", "{}", "1", "'x'", "{1}", "{'=', 2, 1}"])
            .to_owned();
    }
    let certain = space.certain_field_count;
    let count = 1 + random.weighted(&[70, 20, 10]);
    let mut fields: Vec<usize> = Vec::new();
    let mut operations = Vec::new();
    for _ in 0..count {
        // The first field is the primary key's, which may not change.
        let field = if random.percent(10) {
            random.below(certain + 1)
        } else {
            random.between(1.min(certain), certain)
        };
        if !fields.contains(&field) {
            fields.push(field);
            operations.push(operation(space, field, count == 1, random));
        }
    }
    if random.percent(10) {
        operations.truncate(0);
        operations.push(moving_operation(space, certain, random));
    }
    format!("{{{}}}", operations.join(", "))
}

/// A statement that changes the space.
pub(crate) fn write(space: &Space, random: &mut Random) -> String {
    let path = space.path();
    let Some(primary) = space.indexes.first() else {
        return format!("return {path}:insert({})", tuple(space, random));
    };
    let index = &space.indexes[if random.percent(85) {
        0
    } else {
        random.below(space.indexes.len())
    }];
    let target = if std::ptr::eq(index, primary) && random.percent(90) {
        path.clone()
    } else {
        space.index_path(index)
    };
    match random.weighted(&[30, 22, 16, 20, 14, 2]) {
        0 => format!("return {path}:insert({})", tuple(space, random)),
        1 => format!("return {path}:replace({})", tuple(space, random)),
        2 => format!("return {target}:delete({})", full_key(index, random)),
        3 => {
            let key = full_key(index, random);
            format!(
                "return {target}:update({key}, {})",
                operations(space, random)
            )
        }
        4 => format!(
            "return {path}:upsert({}, {})",
            tuple(space, random),
            operations(space, random)
        ),
        _ => format!("return {path}:put({})", tuple(space, random)),
    }
}

fn options(index: &Index, key: &str, random: &mut Random) -> (String, bool) {
    let mut options = Vec::new();
    let mut is_cut = false;
    if random.percent(75) {
        options.push(format!("iterator = {}", iterator(index, key, random)));
    }
    if random.percent(35) {
        let limits = ["0", "1", "2", "3", "1000", "4294967295"];
        options.push(format!("limit = {}", random.pick(&limits)));
        is_cut = true;
    }
    if random.percent(20) {
        options.push(format!(
            "offset = {}",
            random.pick(&["0", "1", "2", "1000"])
        ));
        is_cut = true;
    }
    (format!("{{{}}}", options.join(", ")), is_cut)
}

/// A read of the space. What a HASH index gives has no order, so it is sorted, or only counted.
pub(crate) fn read(space: &Space, random: &mut Random) -> String {
    let Some(_) = space.indexes.first() else {
        return format!("return {}:select()", space.path());
    };
    let index = &space.indexes[random.below(space.indexes.len())];
    let target = space.index_path(index);
    match random.weighted(&[20, 40, 12, 12, 8, 3, 3]) {
        0 => format!("return {target}:get({})", full_key(index, random)),
        1 => {
            let key = key(index, random);
            let (options, is_cut) = options(index, &key, random);
            let call = format!("{target}:select({key}, {options})");
            match (index.is_hash, is_cut) {
                (false, _) => format!("return {call}"),
                (true, false) => format!("return sorted({call})"),
                (true, true) => format!("return #{call}"),
            }
        }
        2 => {
            let key = key(index, random);
            let options = if random.percent(70) {
                format!("{{iterator = {}}}", iterator(index, &key, random))
            } else {
                "nil".to_owned()
            };
            let order = if index.is_hash { "sorted" } else { "" };
            format!("return {order}(walk({target}, {key}, {options}))")
        }
        3 => {
            let key = key(index, random);
            if random.percent(60) {
                let iterator = iterator(index, &key, random);
                format!("return {target}:count({key}, {{iterator = {iterator}}})")
            } else {
                format!("return {target}:count({key})")
            }
        }
        4 => {
            let which = random.pick(&["min", "max"]);
            if random.percent(50) {
                format!("return {target}:{which}({})", key(index, random))
            } else {
                format!("return {target}:{which}()")
            }
        }
        5 => format!(
            "return {}:len(), {target}:len(), {}:bsize()",
            space.path(),
            space.path()
        ),
        _ => format!(
            "return {target}:random({}) ~= nil",
            random.pick(&["0", "1", "7", "4294967295"])
        ),
    }
}
