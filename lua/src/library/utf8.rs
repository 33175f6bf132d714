//! The native half of the module `utf8`: Unicode's tables from the standard library and from ICU4X.
//!
//! Strings are bytes that need not be well-formed. Where Tarantool counts an ill-formed sequence as one
//! character, so does this, with the same borders: the maximal subparts that Unicode recommends.

use std::cmp::Ordering;
use std::str::Utf8Chunk;

use icu_collator::options::{CollatorOptions, Strength};
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};
use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;
use mlua::{Lua, LuaString, Table};

pub(super) fn native(lua: &Lua) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.set(
        "upper",
        lua.create_function(|lua, text: LuaString| {
            lua.create_string(map_text(&text.as_bytes(), str::to_uppercase))
        })?,
    )?;
    table.set(
        "lower",
        lua.create_function(|lua, text: LuaString| {
            lua.create_string(map_text(&text.as_bytes(), str::to_lowercase))
        })?,
    )?;
    table.set(
        "count",
        lua.create_function(|_, (text, from, to): (LuaString, usize, usize)| {
            Ok(match count(&text.as_bytes(), from, to) {
                Ok(count) => (Some(count), None),
                Err(position) => (None, Some(position)),
            })
        })?,
    )?;
    table.set(
        "sub",
        lua.create_function(|lua, (text, first, last): (LuaString, i64, i64)| {
            lua.create_string(sub(&text.as_bytes(), first, last))
        })?,
    )?;
    table.set(
        "char",
        lua.create_function(|lua, code: u32| lua.create_string(encode(code)))?,
    )?;
    table.set(
        "next",
        lua.create_function(|_, (text, from): (LuaString, usize)| {
            let decoded = first_char(&text.as_bytes(), from);
            Ok(decoded.map_or((None, None), |character| {
                let behind = from + character.len_utf8() + 1;
                (Some(behind), Some(u32::from(character)))
            }))
        })?,
    )?;
    install_comparisons(lua, &table)?;
    install_tests(lua, &table)?;
    Ok(table)
}

fn install_comparisons(lua: &Lua, table: &Table) -> mlua::Result<()> {
    for (name, strength) in [
        ("compare", Strength::Tertiary),
        ("compare_caseless", Strength::Primary),
    ] {
        let collator = collator(strength)?;
        let compare = lua.create_function(move |_, (left, right): (LuaString, LuaString)| {
            Ok(
                match collator.compare_utf8(&left.as_bytes(), &right.as_bytes()) {
                    Ordering::Less => -1,
                    Ordering::Equal => 0,
                    Ordering::Greater => 1,
                },
            )
        })?;
        table.set(name, compare)?;
    }
    Ok(())
}

/// The order of the root locale.
fn collator(strength: Strength) -> mlua::Result<CollatorBorrowed<'static>> {
    let mut options = CollatorOptions::default();
    options.strength = Some(strength);
    Collator::try_new(CollatorPreferences::default(), options).map_err(mlua::Error::external)
}

type Test = fn(GeneralCategory) -> bool;

fn install_tests(lua: &Lua, table: &Table) -> mlua::Result<()> {
    use GeneralCategory as Category;
    let tests: [(&str, Test); 4] = [
        ("isalpha", |category| {
            matches!(
                category,
                Category::UppercaseLetter
                    | Category::LowercaseLetter
                    | Category::TitlecaseLetter
                    | Category::ModifierLetter
                    | Category::OtherLetter
            )
        }),
        ("isdigit", |category| category == Category::DecimalNumber),
        ("islower", |category| category == Category::LowercaseLetter),
        ("isupper", |category| category == Category::UppercaseLetter),
    ];
    let categories = CodePointMapData::<Category>::new();
    for (name, test) in tests {
        table.set(
            name,
            lua.create_function(move |_, code: u32| Ok(test(categories.get32(code))))?,
        )?;
    }
    Ok(())
}

/// Applies `map` to the well-formed parts and keeps the bytes between them.
fn map_text(bytes: &[u8], map: fn(&str) -> String) -> Vec<u8> {
    let mut result = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        result.extend_from_slice(map(chunk.valid()).as_bytes());
        result.extend_from_slice(chunk.invalid());
    }
    result
}

/// The character that begins at byte `from`, if a well-formed one does.
fn first_char(bytes: &[u8], from: usize) -> Option<char> {
    first_chunk(bytes, from)?.valid().chars().next()
}

fn first_chunk(bytes: &[u8], from: usize) -> Option<Utf8Chunk<'_>> {
    let bytes = bytes.get(from..)?;
    bytes[..bytes.len().min(4)].utf8_chunks().next()
}

/// How many characters begin at the bytes from `from` up to `to`, or the 1-based position of the
/// last byte of the first ill-formed sequence.
fn count(bytes: &[u8], from: usize, to: usize) -> Result<usize, usize> {
    let (mut at, mut count) = (from, 0);
    while at < to {
        let Some(chunk) = first_chunk(bytes, at) else {
            break;
        };
        let character = chunk.valid().chars().next();
        at += character.ok_or(at + chunk.invalid().len())?.len_utf8();
        count += 1;
    }
    Ok(count)
}

/// The characters from `first` to `last`, both 1-based; negative ones count from the end.
fn sub(bytes: &[u8], first: i64, last: i64) -> &[u8] {
    let mut borders = Vec::with_capacity(bytes.len() + 1);
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        borders.extend(chunk.valid().char_indices().map(|(offset, _)| at + offset));
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            borders.push(at);
            at += chunk.invalid().len();
        }
    }
    let length = borders.len() as i64;
    borders.push(bytes.len());
    let resolve = |position: i64| {
        if position < 0 {
            position + length + 1
        } else {
            position
        }
    };
    let (first, last) = (resolve(first).max(1), resolve(last).min(length));
    if first > last {
        return &[];
    }
    &bytes[borders[first as usize - 1]..borders[last as usize]]
}

/// The bytes of a code; those of a half of a surrogate pair are written out alike.
fn encode(code: u32) -> Vec<u8> {
    match char::from_u32(code) {
        Some(character) => character.to_string().into_bytes(),
        None => vec![
            0xE0 | (code >> 12) as u8,
            0x80 | (code >> 6 & 0x3F) as u8,
            0x80 | (code & 0x3F) as u8,
        ],
    }
}
