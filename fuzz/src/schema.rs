//! What the generator believes of the spaces that its script has made. A statement that fails makes
//! the belief wrong; the next ones then name what is not there, which is worth a try as well.

use std::fmt::Write as _;

use crate::random::Random;

/// Type of a field or a key part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Unsigned,
    Integer,
    Number,
    Double,
    String,
    Boolean,
    Decimal,
    Uuid,
    Scalar,
    Any,
    Array,
    Map,
}

impl Kind {
    const INDEXED: [Self; 9] = [
        Self::Unsigned,
        Self::Integer,
        Self::Number,
        Self::Double,
        Self::String,
        Self::Boolean,
        Self::Decimal,
        Self::Uuid,
        Self::Scalar,
    ];
    const ALL: [Self; 12] = [
        Self::Unsigned,
        Self::Integer,
        Self::Number,
        Self::Double,
        Self::String,
        Self::Boolean,
        Self::Decimal,
        Self::Uuid,
        Self::Scalar,
        Self::Any,
        Self::Array,
        Self::Map,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Unsigned => "unsigned",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Double => "double",
            Self::String => "string",
            Self::Boolean => "boolean",
            Self::Decimal => "decimal",
            Self::Uuid => "uuid",
            Self::Scalar => "scalar",
            Self::Any => "any",
            Self::Array => "array",
            Self::Map => "map",
        }
    }

    pub(crate) fn indexed(random: &mut Random) -> Self {
        Self::INDEXED[random.weighted(&[10, 6, 6, 4, 10, 2, 2, 2, 6])]
    }

    /// Another type for a field that may have values already, so never double.
    pub(crate) fn changed(random: &mut Random) -> Self {
        match Self::indexed(random) {
            Self::Double | Self::Uuid => Self::Number,
            kind => kind,
        }
    }

    fn field(random: &mut Random) -> Self {
        Self::ALL[random.weighted(&[10, 6, 6, 4, 10, 2, 2, 2, 6, 4, 2, 2])]
    }

    fn is_indexed(self) -> bool {
        Self::INDEXED.contains(&self)
    }
}

/// A field of a space, whether or not the space has a format.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) is_nullable: bool,
}

/// A part of a key.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// From 0.
    pub(crate) field: usize,
    pub(crate) kind: Kind,
    pub(crate) is_nullable: bool,
}

/// An index.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    pub(crate) name: String,
    pub(crate) is_hash: bool,
    pub(crate) is_unique: bool,
    pub(crate) parts: Vec<Part>,
}

/// A space.
#[derive(Debug, Clone)]
pub(crate) struct Space {
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) has_format: bool,
    /// The number of fields that every tuple has.
    pub(crate) certain_field_count: usize,
    /// Whether tuples may lack fields at their end.
    pub(crate) has_short_tuples: bool,
    pub(crate) indexes: Vec<Index>,
}

impl Space {
    pub(crate) fn random(name: String, random: &mut Random) -> Self {
        let fields: Vec<Field> = (1..=random.between(2, 5))
            .map(|number| Field {
                name: format!("f{number}"),
                kind: if number == 1 {
                    Kind::indexed(random)
                } else {
                    Kind::field(random)
                },
                is_nullable: number > 1 && random.percent(35),
            })
            .collect();
        let (has_format, has_short_tuples) = (random.percent(70), random.percent(20));
        Self {
            name,
            certain_field_count: match (has_short_tuples, has_format) {
                (false, _) => fields.len(),
                (true, true) => Self::demanded_field_count(&fields),
                (true, false) => 1,
            },
            fields,
            has_format,
            has_short_tuples,
            indexes: Vec::new(),
        }
    }

    /// How the script calls it.
    pub(crate) fn path(&self) -> String {
        format!("box.space.{}", self.name)
    }

    /// What values of a field must be: what the indexes demand of it where they say double, or where
    /// there is no format, else what the format does.
    pub(crate) fn demand(&self, number: usize, field: &Field) -> (Kind, bool) {
        let parts = self.indexes.iter().flat_map(|index| &index.parts);
        let mut parts = parts.filter(|part| part.field == number);
        match parts.clone().find(|part| part.kind == Kind::Double) {
            Some(double) => (double.kind, double.is_nullable),
            None => match parts.next_back() {
                Some(part) if !self.has_format => (part.kind, part.is_nullable),
                _ => (field.kind, field.is_nullable),
            },
        }
    }

    /// The number of fields that the format demands.
    fn demanded_field_count(fields: &[Field]) -> usize {
        fields
            .iter()
            .rposition(|field| !field.is_nullable)
            .map_or(1, |field| field + 1)
    }

    /// Takes note of changed fields: tuples may lack what has become nullable, and old ones lack
    /// what has been added.
    pub(crate) fn fields_changed(&mut self) {
        self.has_format = true;
        let demanded = Self::demanded_field_count(&self.fields);
        if self.has_short_tuples {
            self.certain_field_count = self.certain_field_count.min(demanded);
        }
    }

    pub(crate) fn format_text(&self) -> String {
        let mut text = String::from("{");
        for field in &self.fields {
            let nullable = if field.is_nullable {
                ", is_nullable = true"
            } else {
                ""
            };
            let _ = write!(
                text,
                "{{'{}', '{}'{nullable}}}, ",
                field.name,
                field.kind.name()
            );
        }
        text.truncate(text.trim_end_matches(", ").len());
        text + "}"
    }

    /// A new index; the first is the primary one.
    pub(crate) fn random_index(&self, name: String, random: &mut Random) -> Index {
        let is_primary = self.indexes.is_empty();
        let is_hash = random.percent(20);
        let part_count = 1 + random.weighted(&[60, 30, 10]);
        let mut parts: Vec<Part> = Vec::new();
        for position in 0..part_count.min(self.fields.len()) {
            let number = if is_primary && position == 0 {
                0
            } else {
                random.below(self.fields.len())
            };
            let field = &self.fields[number];
            if parts.iter().any(|part| part.field == number) && !random.percent(5) {
                continue;
            }
            let keeps_kind = matches!(field.kind, Kind::Double | Kind::Uuid) || random.percent(92);
            let kind = if field.kind.is_indexed() && keeps_kind {
                field.kind
            } else {
                Kind::changed(random)
            };
            let is_nullable = if is_primary || is_hash {
                false
            } else {
                field.is_nullable && random.percent(85)
            };
            parts.push(Part {
                field: number,
                kind,
                is_nullable,
            });
        }
        Index {
            name,
            is_hash,
            is_unique: is_primary || is_hash || random.percent(40),
            parts,
        }
    }

    pub(crate) fn index_path(&self, index: &Index) -> String {
        format!("{}.index.{}", self.path(), index.name)
    }
}

impl Index {
    /// The parts as Lua.
    pub(crate) fn parts_text(&self) -> String {
        let parts: Vec<String> = self
            .parts
            .iter()
            .map(|part| {
                let nullable = if part.is_nullable {
                    ", is_nullable = true"
                } else {
                    ""
                };
                format!("{{{}, '{}'{nullable}}}", part.field + 1, part.kind.name())
            })
            .collect();
        format!("{{{}}}", parts.join(", "))
    }

    /// The options as Lua.
    pub(crate) fn options_text(&self) -> String {
        let kind = if self.is_hash { "HASH" } else { "TREE" };
        format!(
            "{{type = '{kind}', unique = {}, parts = {}}}",
            self.is_unique,
            self.parts_text()
        )
    }
}
