//! The model: spaces as plain vectors of rows, with every rule spelled out the slow way. Failures are
//! lists of codes: where the order of rows decides which of several comes first, any may.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use lycosa_engine::schema::{FieldDefinition, FieldType, KeyPart};
use lycosa_engine::{IndexType, IteratorType};

use crate::value::{Value, encode};

/// A tuple.
pub(crate) type Row = Rc<Vec<Value>>;
/// What a statement gives, or the codes it may fail with.
pub(crate) type Outcome<T> = Result<T, Vec<u32>>;

pub(crate) fn fail<T>(code: u32) -> Outcome<T> {
    Err(vec![code])
}

#[derive(Clone)]
pub(crate) struct ModelIndex {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) index_type: IndexType,
    pub(crate) is_unique: bool,
    pub(crate) parts: Vec<KeyPart>,
    /// Changes when the index is made or truncated.
    pub(crate) incarnation: u64,
}

#[derive(Clone)]
pub(crate) struct ModelSpace {
    pub(crate) name: String,
    pub(crate) fields: Vec<FieldDefinition>,
    pub(crate) field_count: u32,
    /// Ascending by id.
    pub(crate) indexes: Vec<ModelIndex>,
    pub(crate) rows: Vec<Row>,
}

/// Type of each demanded field, and whether it may be null.
pub(crate) type Demands = BTreeMap<u32, (FieldType, bool)>;

pub(crate) type Spaces = BTreeMap<u32, ModelSpace>;

fn field(row: &[Value], number: u32) -> Value {
    row.get(number as usize)
        .cloned()
        .unwrap_or_else(Value::null)
}

fn compare_part(part: &KeyPart, a: &Value, b: &Value) -> Ordering {
    let order = a.compare(b);
    if part.is_descending {
        order.reverse()
    } else {
        order
    }
}

impl ModelIndex {
    /// Orders a row against the leading parts of a key.
    pub(crate) fn compare_with_key(&self, row: &[Value], key: &[Value]) -> Ordering {
        let pairs = self.parts.iter().zip(key);
        pairs.fold(Ordering::Equal, |order, (part, sought)| {
            order.then_with(|| compare_part(part, &field(row, part.field), sought))
        })
    }

    /// Orders two rows by the index's parts, then by those of the primary key.
    pub(crate) fn compare_rows(&self, a: &[Value], b: &[Value], primary: &[KeyPart]) -> Ordering {
        let parts = self.parts.iter().chain(primary);
        parts.fold(Ordering::Equal, |order, part| {
            order.then_with(|| compare_part(part, &field(a, part.field), &field(b, part.field)))
        })
    }

    /// Whether two rows may not be in the index together.
    pub(crate) fn clash(&self, a: &[Value], b: &[Value]) -> bool {
        self.is_unique
            && self.parts.iter().all(|part| {
                let (a, b) = (field(a, part.field), field(b, part.field));
                !a.is_null() && !b.is_null() && a.compare(&b).is_eq()
            })
    }

    /// Whether nulls, or equal keys, make the primary key part of the order.
    pub(crate) fn is_extended(&self) -> bool {
        !self.is_unique || self.parts.iter().any(|part| part.is_nullable)
    }

    /// Checks the types of a key's parts.
    fn check_types(&self, key: &[Value], allow_null: bool) -> Outcome<()> {
        let fits = self.parts.iter().zip(key).all(|(part, value)| {
            value.fits(part.field_type) || value.is_null() && allow_null && part.is_nullable
        });
        if fits { Ok(()) } else { fail(18) }
    }

    pub(crate) fn check_exact(&self, key: &[Value]) -> Outcome<()> {
        if !self.is_unique {
            return fail(41);
        }
        if key.len() != self.parts.len() {
            return fail(19);
        }
        self.check_types(key, false)
    }

    pub(crate) fn check_search(&self, iterator: IteratorType, key: &[Value]) -> Outcome<()> {
        if key.len() > self.parts.len() {
            return fail(31);
        }
        if self.index_type == IndexType::Tree {
            return self.check_types(key, true);
        }
        match (iterator, key.len()) {
            (IteratorType::All | IteratorType::Gt, 0) => Ok(()),
            (_, count) if count < self.parts.len() => fail(136),
            _ => {
                self.check_types(key, true)?;
                if matches!(iterator, IteratorType::Eq | IteratorType::Gt) {
                    Ok(())
                } else {
                    fail(112)
                }
            }
        }
    }
}

/// Whether the iterator gives rows that stand so to the key.
fn gives(iterator: IteratorType, order: Ordering) -> bool {
    match iterator {
        IteratorType::Eq | IteratorType::Req => order.is_eq(),
        IteratorType::All | IteratorType::Ge => order.is_ge(),
        IteratorType::Gt | IteratorType::NextPrefix => order.is_gt(),
        IteratorType::Le => order.is_le(),
        IteratorType::Lt | IteratorType::PreviousPrefix => order.is_lt(),
    }
}

pub(crate) fn is_backward(iterator: IteratorType) -> bool {
    matches!(
        iterator,
        IteratorType::Req | IteratorType::Le | IteratorType::Lt
    )
}

impl ModelSpace {
    pub(crate) fn index(&self, id: u32) -> Outcome<&ModelIndex> {
        match self.indexes.iter().find(|index| index.id == id) {
            Some(index) => Ok(index),
            None => fail(35),
        }
    }

    pub(crate) fn primary(&self) -> Option<&ModelIndex> {
        self.indexes.first().filter(|index| index.id == 0)
    }

    pub(crate) fn primary_parts(&self) -> &[KeyPart] {
        self.primary().map_or(&[], |index| &index.parts)
    }

    /// Bytes of all rows.
    pub(crate) fn data_bytes(&self) -> u64 {
        self.rows.iter().map(|row| encode(row).len() as u64).sum()
    }

    /// Checks a row against format and indexes.
    pub(crate) fn check_row(&self, row: &[Value]) -> Outcome<()> {
        if self.field_count != 0 && row.len() != self.field_count as usize {
            return fail(38);
        }
        let declared = self.fields.iter().enumerate();
        let mut demands: Vec<(usize, FieldType, bool)> = declared
            .map(|(number, field)| (number, field.field_type, field.is_nullable))
            .collect();
        let parts = self.indexes.iter().flat_map(|index| &index.parts);
        demands.extend(parts.map(|part| (part.field as usize, part.field_type, part.is_nullable)));
        let is_missing = |&(number, _, is_nullable): &(usize, FieldType, bool)| {
            number >= row.len() && !is_nullable
        };
        for (number, value) in row.iter().enumerate() {
            let mine = || demands.iter().filter(|demand| demand.0 == number);
            let fits = if value.is_null() {
                mine().all(|demand| demand.2) || mine().all(|demand| demand.1 == FieldType::Any)
            } else {
                mine().all(|demand| value.fits(demand.1))
            };
            if !fits {
                return fail(23);
            }
        }
        if demands.iter().any(is_missing) {
            return fail(39);
        }
        Ok(())
    }

    /// The row with this primary key.
    pub(crate) fn same_primary_key(&self, row: &[Value]) -> Option<usize> {
        let primary = self.primary()?;
        self.rows.iter().position(|known| primary.clash(known, row))
    }

    /// The row with a full key of a unique index.
    pub(crate) fn find(&self, index_id: u32, key: &[Value]) -> Outcome<Option<usize>> {
        let index = self.index(index_id)?;
        index.check_exact(key)?;
        let same = |row: &Row| index.compare_with_key(row, key).is_eq();
        Ok(self.rows.iter().position(same))
    }

    /// Puts a checked row in, over the one at `replaced`.
    pub(crate) fn put(&mut self, row: Row, replaced: Option<usize>) -> Outcome<()> {
        if self.primary().is_none() {
            return fail(35);
        }
        let others = self.rows.iter().enumerate();
        let clashes = others
            .filter(|(position, _)| Some(*position) != replaced)
            .any(|(_, known)| self.indexes.iter().any(|index| index.clash(known, &row)));
        if clashes {
            return fail(3);
        }
        match replaced {
            Some(position) => self.rows[position] = row,
            None => self.rows.push(row),
        }
        Ok(())
    }

    /// All rows in the order of an index.
    pub(crate) fn sorted(&self, index: &ModelIndex) -> Vec<Row> {
        let mut rows = self.rows.clone();
        let primary = self.primary_parts();
        rows.sort_by(|a, b| index.compare_rows(a, b, primary));
        rows
    }

    /// What an iteration gives, in order, behind `after`.
    pub(crate) fn iterate(
        &self,
        index: &ModelIndex,
        iterator: IteratorType,
        key: &[Value],
        after: Option<&Row>,
    ) -> Vec<Row> {
        let mut rows = self.sorted(index);
        if is_backward(iterator) {
            rows.reverse();
        }
        let empty: &[KeyPart] = &[];
        let primary = if index.is_extended() {
            self.primary_parts()
        } else {
            empty
        };
        rows.retain(|row| {
            let is_behind = after.is_none_or(|after| {
                let order = index.compare_rows(row, after, primary);
                if is_backward(iterator) {
                    order.is_lt()
                } else {
                    order.is_gt()
                }
            });
            is_behind && (key.is_empty() || gives(iterator, index.compare_with_key(row, key)))
        });
        rows
    }

    /// Whether an iteration comes by a row.
    pub(crate) fn comes_by(
        index: &ModelIndex,
        iterator: IteratorType,
        key: &[Value],
        row: &[Value],
    ) -> bool {
        key.is_empty() || gives(iterator, index.compare_with_key(row, key))
    }

    /// Puts declared fields and index parts together as the engine must: what each field's type is,
    /// and whether it may be null.
    pub(crate) fn demands(fields: &[FieldDefinition], indexes: &[ModelIndex]) -> Outcome<Demands> {
        for (position, field) in fields.iter().enumerate() {
            if fields[..position]
                .iter()
                .any(|known| known.name == field.name)
            {
                return fail(149);
            }
        }
        let declared = fields.iter().enumerate();
        let mut demands: Demands = declared
            .map(|(number, field)| (number as u32, (field.field_type, field.is_nullable)))
            .collect();
        let mut with_parts: Vec<u32> = Vec::new();
        for part in indexes.iter().flat_map(|index| &index.parts) {
            let (known, is_nullable) = demands
                .get(&part.field)
                .copied()
                .unwrap_or((FieldType::Any, true));
            let narrow = if includes(known, part.field_type) {
                part.field_type
            } else if includes(part.field_type, known) {
                known
            } else {
                return fail(if with_parts.contains(&part.field) {
                    24
                } else {
                    27
                });
            };
            with_parts.push(part.field);
            demands.insert(part.field, (narrow, is_nullable && part.is_nullable));
        }
        Ok(demands)
    }

    /// Whether all that fits `old` fits `new`.
    pub(crate) fn is_wider(new: &Demands, old: &Demands) -> bool {
        new.iter().all(
            |(number, &(field_type, is_nullable))| match old.get(number) {
                Some(&(known, was_nullable)) => {
                    includes(field_type, known) && (is_nullable || !was_nullable)
                }
                None => field_type == FieldType::Any && is_nullable,
            },
        )
    }
}

/// Whether every value of `narrow` is one of `wide`.
fn includes(wide: FieldType, narrow: FieldType) -> bool {
    use FieldType as T;
    if wide == narrow || wide == T::Any {
        return true;
    }
    let narrower: &[FieldType] = match wide {
        T::Integer => &[T::Unsigned],
        T::Number => &[T::Unsigned, T::Integer, T::Double, T::Decimal],
        T::Scalar => &[
            T::Unsigned,
            T::Integer,
            T::Double,
            T::Decimal,
            T::Number,
            T::String,
            T::Boolean,
            T::Varbinary,
            T::Uuid,
        ],
        _ => &[],
    };
    narrower.contains(&narrow)
}

/// A change of one field, numbered from 1.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Assign(usize, Value),
    Insert(usize, Value),
    Delete(usize),
    /// Sets no bits: fits unsigned fields only, and changes nothing.
    OrZero(usize),
}

impl Operation {
    /// The operation as the engine takes it.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let (operator, number, value) = match self {
            Self::Assign(number, value) => ("=", *number, value.clone()),
            Self::Insert(number, value) => ("!", *number, value.clone()),
            Self::Delete(number) => ("#", *number, Value::unsigned(1)),
            Self::OrZero(number) => ("|", *number, Value::unsigned(0)),
        };
        encode(&[
            Value::string(operator),
            Value::unsigned(number as u64),
            value,
        ])
    }

    /// Applies it, or says that it does not fit.
    pub(crate) fn apply(&self, row: &mut Vec<Value>) -> Outcome<()> {
        match self {
            Self::Assign(number, value) => {
                while row.len() < *number {
                    row.push(Value::null());
                }
                row[number - 1] = value.clone();
            }
            Self::Insert(number, value) => {
                while row.len() + 1 < *number {
                    row.push(Value::null());
                }
                row.insert(number - 1, value.clone());
            }
            Self::Delete(number) => {
                if *number <= row.len() {
                    row.remove(number - 1);
                }
            }
            Self::OrZero(number) => match row.get(number - 1) {
                None => return fail(37),
                Some(value) if !value.fits(FieldType::Unsigned) => return fail(26),
                Some(_) => {}
            },
        }
        Ok(())
    }
}
