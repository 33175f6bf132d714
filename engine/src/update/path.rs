//! The JSON paths of update operations: `a.b[1]`, `[2]["key"]`, `field['k']`. One token at a time,
//! nothing allocated.

/// One step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// The element of an array, counted from 1, or the integer key of a map.
    Index(u64),
    /// The string key of a map.
    Key(&'a [u8]),
    /// `[*]`, every element: no place to change.
    Any,
    /// The path is over.
    End,
}

/// A path that is read from the front.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path<'a> {
    source: &'a [u8],
    offset: usize,
    /// Characters read so far: errors are placed in characters, not bytes.
    characters: usize,
}

/// The position of the character, counted from 1, where a path stops being one.
pub(super) type Malformed = usize;

impl<'a> Path<'a> {
    pub(super) fn new(source: &'a [u8]) -> Self {
        Self {
            source,
            offset: 0,
            characters: 0,
        }
    }

    /// Whether all of it was read.
    pub(super) fn is_empty(&self) -> bool {
        self.offset == self.source.len()
    }

    /// Characters read so far.
    pub(super) fn characters(&self) -> usize {
        self.characters
    }

    /// Reads the next step.
    pub(super) fn next(&mut self) -> Result<Token<'a>, Malformed> {
        if self.is_empty() {
            return Ok(Token::End);
        }
        let is_first = self.offset == 0;
        let before = *self;
        match self.character()? {
            '[' => self.bracket(),
            '.' => self.identifier(),
            _ if is_first => {
                *self = before;
                self.identifier()
            }
            _ => Err(self.characters),
        }
    }

    /// What stands between brackets, the opening one being read.
    fn bracket(&mut self) -> Result<Token<'a>, Malformed> {
        let token = match self.source.get(self.offset) {
            None => return Err(self.characters),
            Some(b'*') => {
                self.character()?;
                Token::Any
            }
            Some(&quote @ (b'"' | b'\'')) => self.quoted(char::from(quote))?,
            Some(_) => self.index()?,
        };
        match self.source.get(self.offset) {
            Some(b']') => self.character().map(|_| token),
            _ => Err(self.characters + 1),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<Token<'a>, Malformed> {
        self.character()?;
        let start = self.offset;
        loop {
            let end = self.offset;
            if self.character()? != quote {
                continue;
            }
            if start == end {
                return Err(self.characters);
            }
            return Ok(Token::Key(&self.source[start..end]));
        }
    }

    fn index(&mut self) -> Result<Token<'a>, Malformed> {
        let behind = &self.source[self.offset..];
        let length = behind
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        // More digits than fit are an index that no array has.
        let index = behind[..length].iter().fold(0_u64, |index, digit| {
            index
                .saturating_mul(10)
                .saturating_add(u64::from(digit - b'0'))
        });
        if index == 0 {
            return Err(self.characters + 1);
        }
        self.offset += length;
        self.characters += length;
        Ok(Token::Index(index))
    }

    fn identifier(&mut self) -> Result<Token<'a>, Malformed> {
        let start = self.offset;
        let first = self.character()?;
        if !first.is_alphabetic() && first != '_' {
            return Err(self.characters);
        }
        while !self.is_empty() {
            let before = *self;
            let character = self.character()?;
            if !character.is_alphanumeric() && character != '_' {
                *self = before;
                break;
            }
        }
        Ok(Token::Key(&self.source[start..self.offset]))
    }

    /// Reads one character of UTF-8.
    fn character(&mut self) -> Result<char, Malformed> {
        let behind = &self.source[self.offset..];
        let character = behind[..behind.len().min(4)]
            .utf8_chunks()
            .next()
            .and_then(|chunk| chunk.valid().chars().next())
            .ok_or(self.characters + 1)?;
        self.offset += character.len_utf8();
        self.characters += 1;
        Ok(character)
    }
}
