//! The JSON decoder: text to values on the Lua stack, in one pass.
//!
//! It reads JSON as Tarantool does: `nan` and `inf` are numbers when the configuration allows them,
//! null becomes `box.NULL`, and integers from 1e14 up or -1e14 down become 64-bit cdata. Integers
//! past 64 bits become doubles. Strings without escapes are pushed straight from the text.

use std::ffi::c_int;

use mlua::ffi;

use crate::decode::{NUMBER_LIMIT, push_integer};
use crate::serializer::DEEPEST;
use crate::state_boundary::{
    Boundary, push_buffer, push_bytes, push_reference, string_at, throw_text,
};

/// What was found where something else was expected.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// Expected the first, found the token that starts at the position.
    Unexpected(&'static str),
    /// Found something that no token starts or goes on with.
    Invalid(&'static str, &'static str),
    /// Containers inside one another deeper than the limit, which is passed on.
    TooDeep(u32),
}

/// A fault and where in the text it is.
type Failure = (Fault, usize);

const VALUE: &str = "value";
const END_OF_STRING: &str = "unexpected end of string";

struct Parser<'a> {
    state: *mut ffi::lua_State,
    boundary: &'a mut Boundary,
    text: &'a [u8],
    position: usize,
    max_depth: u32,
    invalid_numbers: bool,
    save_metatables: bool,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.text.get(self.position) {
            self.position += 1;
        }
        self.text.get(self.position).copied()
    }

    fn unexpected(&self, expected: &'static str) -> Failure {
        (Fault::Unexpected(expected), self.position)
    }

    fn eat(&mut self, word: &[u8]) -> bool {
        let found = self.text[self.position..].starts_with(word);
        if found {
            self.position += word.len();
        }
        found
    }

    /// Pushes the next value; on a failure the stack may hold parts of it.
    unsafe fn value(&mut self, depth: u32) -> Result<(), Failure> {
        let state = self.state;
        let next = self.peek();
        // SAFETY: each value pushes one; containers ask for room before they go deeper.
        unsafe {
            match next {
                Some(b'{') => return self.object(depth + 1),
                Some(b'[') => return self.array(depth + 1),
                Some(b'"') => return self.string(),
                Some(b't') if self.eat(b"true") => ffi::lua_pushboolean(state, 1),
                Some(b'f') if self.eat(b"false") => ffi::lua_pushboolean(state, 0),
                Some(b'n') if self.eat(b"null") => {
                    push_reference(state, self.boundary.references.null);
                }
                None | Some(b'}' | b']' | b',' | b':') => return Err(self.unexpected(VALUE)),
                Some(_) => return self.number(),
            }
        }
        Ok(())
    }

    unsafe fn enter(&mut self, depth: u32) -> Result<(), Failure> {
        // SAFETY: only asks for room.
        let room = unsafe { ffi::lua_checkstack(self.state, 8) != 0 };
        self.position += 1;
        if depth > self.max_depth || !room {
            return Err((Fault::TooDeep(depth), self.position - 1));
        }
        Ok(())
    }

    unsafe fn finish(&mut self, metatable: c_int) {
        self.position += 1;
        if self.save_metatables {
            // SAFETY: the container is on the top of the stack.
            unsafe {
                push_reference(self.state, metatable);
                ffi::lua_setmetatable(self.state, -2);
            }
        }
    }

    unsafe fn array(&mut self, depth: u32) -> Result<(), Failure> {
        // SAFETY: each element is pushed and stored; the table stays below.
        unsafe {
            self.enter(depth)?;
            ffi::lua_createtable(self.state, 0, 0);
            let mut length = 0;
            if self.peek() != Some(b']') {
                loop {
                    self.value(depth)?;
                    length += 1;
                    ffi::lua_rawseti(self.state, -2, length);
                    match self.peek() {
                        Some(b',') => self.position += 1,
                        Some(b']') => break,
                        _ => return Err(self.unexpected("comma or ']'")),
                    }
                }
            }
            self.finish(self.boundary.references.sequence_metatable);
        }
        Ok(())
    }

    unsafe fn object(&mut self, depth: u32) -> Result<(), Failure> {
        // SAFETY: each pair is pushed and stored; the table stays below.
        unsafe {
            self.enter(depth)?;
            ffi::lua_createtable(self.state, 0, 0);
            if self.peek() != Some(b'}') {
                loop {
                    if self.peek() != Some(b'"') {
                        return Err(self.unexpected("object key string"));
                    }
                    self.string()?;
                    if self.peek() != Some(b':') {
                        return Err(self.unexpected("colon"));
                    }
                    self.position += 1;
                    self.value(depth)?;
                    ffi::lua_rawset(self.state, -3);
                    match self.peek() {
                        Some(b',') => self.position += 1,
                        Some(b'}') => break,
                        _ => return Err(self.unexpected("comma or '}'")),
                    }
                }
            }
            self.finish(self.boundary.references.map_metatable);
        }
        Ok(())
    }

    unsafe fn string(&mut self) -> Result<(), Failure> {
        let start = self.position + 1;
        let rest = &self.text[start..];
        match rest.iter().position(|&byte| byte == b'"' || byte == b'\\') {
            Some(length) if rest[length] == b'"' => {
                self.position = start + length + 1;
                // SAFETY: pushes one value.
                unsafe { push_bytes(self.state, &rest[..length]) };
                Ok(())
            }
            Some(_) => {
                // SAFETY: as above.
                unsafe { self.escaped_string(start) }
            }
            None => Err((Fault::Invalid(VALUE, END_OF_STRING), self.text.len())),
        }
    }

    unsafe fn escaped_string(&mut self, start: usize) -> Result<(), Failure> {
        self.boundary.text.clear();
        let mut position = start;
        loop {
            match self.text.get(position) {
                None => return Err((Fault::Invalid(VALUE, END_OF_STRING), position)),
                Some(b'"') => break,
                Some(b'\\') => position = self.escape(position)?,
                Some(&byte) => {
                    self.boundary.text.push(byte);
                    position += 1;
                }
            }
        }
        self.position = position + 1;
        // SAFETY: pushes one value.
        unsafe { push_buffer(self.state, &mut self.boundary.text) };
        Ok(())
    }

    /// Reads the escape at `position` and answers with the position behind it.
    fn escape(&mut self, position: usize) -> Result<usize, Failure> {
        let byte = match self.text.get(position + 1) {
            Some(&byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'b') => 0x08,
            Some(b'f') => 0x0c,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => return self.unicode_escape(position),
            _ => return Err((Fault::Invalid(VALUE, "invalid escape code"), position)),
        };
        self.boundary.text.push(byte);
        Ok(position + 2)
    }

    fn code_unit(&self, position: usize) -> Option<u32> {
        let digits = self.text.get(position..position + 6)?;
        let digits = digits.strip_prefix(b"\\u")?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }

    fn unicode_escape(&mut self, position: usize) -> Result<usize, Failure> {
        let decode = || {
            let first = self.code_unit(position)?;
            if !(0xd800..0xdc00).contains(&first) {
                return Some((char::from_u32(first)?, position + 6));
            }
            let second = self
                .code_unit(position + 6)
                .filter(|unit| (0xdc00..0xe000).contains(unit))?;
            let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            Some((char::from_u32(code)?, position + 12))
        };
        let Some((character, behind)) = decode() else {
            return Err((
                Fault::Invalid(VALUE, "invalid unicode escape code"),
                position,
            ));
        };
        self.boundary
            .text
            .extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(behind)
    }

    unsafe fn number(&mut self) -> Result<(), Failure> {
        let start = self.position;
        let negative = self.eat(b"-");
        if self.invalid_numbers && (self.eat(b"nan") || self.eat(b"inf")) {
            let nan = self.text[self.position - 1] == b'n';
            let value = if nan { f64::NAN } else { f64::INFINITY };
            // SAFETY: pushes one value.
            unsafe { ffi::lua_pushnumber(self.state, if negative { -value } else { value }) };
            return Ok(());
        }
        let invalid = (Fault::Invalid(VALUE, "invalid token"), start);
        let digits = self.digits();
        if digits == 0 || (digits > 1 && self.text[self.position - digits] == b'0') {
            return Err(invalid);
        }
        let mut integral = true;
        if self.eat(b".") {
            integral = false;
            self.digits();
        }
        if let Some(b'e' | b'E') = self.text.get(self.position) {
            integral = false;
            self.position += 1;
            let _ = self.eat(b"+") || self.eat(b"-");
            if self.digits() == 0 {
                return Err(invalid);
            }
        }
        // Letters right behind a number make a token that is none.
        if self
            .text
            .get(self.position)
            .is_some_and(u8::is_ascii_alphabetic)
        {
            return Err(invalid);
        }
        let token = std::str::from_utf8(&self.text[start..self.position]).map_err(|_| invalid)?;
        // SAFETY: pushes one value.
        unsafe { self.push_number(token, integral).ok_or(invalid) }
    }

    fn digits(&mut self) -> usize {
        let rest = &self.text[self.position..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.position += count;
        count
    }

    unsafe fn push_number(&mut self, token: &str, integral: bool) -> Option<()> {
        let references = self.boundary.references;
        // SAFETY: each branch pushes one value.
        unsafe {
            match (token.parse::<i64>(), token.parse::<u64>()) {
                // The largest signed integer is read as the largest there is, and is unsigned.
                (Ok(value), _)
                    if integral && value < i64::MAX && value.unsigned_abs() >= NUMBER_LIMIT =>
                {
                    push_integer(self.state, references, value as u64, true);
                }
                (_, Ok(value)) if integral && value >= NUMBER_LIMIT => {
                    push_integer(self.state, references, value, false);
                }
                // Lua has no integer zero with a sign.
                (Ok(0), _) if integral => ffi::lua_pushnumber(self.state, 0.0),
                _ => ffi::lua_pushnumber(self.state, token.parse().ok()?),
            }
        }
        Some(())
    }

    /// What stands at `position`, for a message.
    fn describe(&self, position: usize) -> &'static str {
        match self.text.get(position) {
            None => "end",
            Some(b'{') => "'{'",
            Some(b'}') => "'}'",
            Some(b'[') => "'['",
            Some(b']') => "']'",
            Some(b',') => "comma",
            Some(b':') => "colon",
            Some(b'"') => "string",
            Some(b'0'..=b'9' | b'-') => self.describe_number(position),
            _ if self.text[position..].starts_with(b"true") => "boolean",
            _ if self.text[position..].starts_with(b"false") => "boolean",
            _ if self.text[position..].starts_with(b"null") => "null",
            _ => "invalid token",
        }
    }

    /// The kind of number that stands at `position`.
    fn describe_number(&self, position: usize) -> &'static str {
        let token = self.text[position..].iter().copied();
        let token =
            token.take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
        let token: Vec<u8> = token.collect();
        let text = String::from_utf8_lossy(&token);
        if text.parse::<f64>().is_err() {
            "invalid token"
        } else if token.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
            "number"
        } else if text.parse::<i64>().is_ok() {
            "int"
        } else {
            "unsigned int"
        }
    }

    unsafe fn throw(&self, (fault, position): Failure) -> ! {
        let before = &self.text[..position.min(self.text.len())];
        let line = before.split(|&byte| byte == b'\n').count();
        let column = before
            .iter()
            .rev()
            .take_while(|&&byte| byte != b'\n')
            .count()
            + 1;
        // Eight bytes of the line before the place, and eight behind it.
        let line_text = &before[before.len() + 1 - column..];
        let left = &line_text[line_text.len().saturating_sub(8)..];
        let right = self.text[before.len()..].iter().take(8);
        let right = right
            .take_while(|&&byte| byte != b'\n' && byte != 0)
            .count();
        let (left, right) = (Bytes(left), Bytes(&self.text[before.len()..][..right]));
        let (expected, found) = match fault {
            Fault::Unexpected(expected) => (expected, self.describe(position)),
            Fault::Invalid(expected, found) => (expected, found),
            // SAFETY: nothing here has a destructor.
            Fault::TooDeep(depth) => unsafe {
                throw_text(
                    self.state,
                    format_args!(
                        "Found too many nested data structures ({depth}) on line {line} at \
                         character {column} here '{left} >> {right}'"
                    ),
                )
            },
        };
        // SAFETY: as above.
        unsafe {
            throw_text(
                self.state,
                format_args!(
                    "Expected {expected} but found {found} on line {line} at character {column} \
                     here '{left} >> {right}'"
                ),
            )
        }
    }
}

/// Bytes in a message; what is not UTF-8 is replaced.
#[derive(Debug, Clone, Copy)]
struct Bytes<'a>(&'a [u8]);

impl std::fmt::Display for Bytes<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use std::fmt::Write as _;
        for chunk in self.0.utf8_chunks() {
            f.write_str(chunk.valid())?;
            if !chunk.invalid().is_empty() {
                f.write_char('?')?;
            }
        }
        Ok(())
    }
}

/// `decode(text, max_depth, invalid_numbers, save_metatables)`: the value.
pub(crate) unsafe extern "C-unwind" fn lua_decode(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: called by json.lua as pushed by push_function, with a string that stays at index 1;
    // nothing here has a destructor.
    unsafe {
        let mut parser = Parser {
            state,
            boundary: Boundary::of_upvalue(state),
            text: string_at(state, 1),
            position: 0,
            max_depth: (ffi::lua_tonumber(state, 2) as u32).min(DEEPEST),
            invalid_numbers: ffi::lua_toboolean(state, 3) != 0,
            save_metatables: ffi::lua_toboolean(state, 4) != 0,
        };
        if let Err(failure) = parser.value(0) {
            parser.throw(failure);
        }
        if parser.peek().is_some() {
            let failure = parser.unexpected("the end");
            parser.throw(failure);
        }
        1
    }
}
