//! A model of updates on plain vectors, and the property that the engine does the same.

use proptest::prelude::*;

use crate::msgpack;
use crate::update::Operations;

#[derive(Debug, Clone, PartialEq)]
enum ModelValue {
    Null,
    Integer(i128),
    Text(Vec<u8>),
    Array(Vec<ModelValue>),
}

#[derive(Debug, Clone)]
enum ModelAction {
    Assign(ModelValue),
    Insert(ModelValue),
    Delete(u8),
    Add(i64),
    BitXor(u32),
    Splice(i8, i8, Vec<u8>),
}

/// An action on a field, counted from 1 or from the end, or on an element of a field.
#[derive(Debug, Clone)]
struct ModelOperation {
    field: i8,
    element: Option<u8>,
    action: ModelAction,
}

/// Applies an operation, or returns nothing and changes nothing.
fn apply(tuple: &mut Vec<ModelValue>, operation: &ModelOperation) -> Option<()> {
    let count = tuple.len() as i64;
    let field = i64::from(operation.field);
    let field = if field > 0 { field - 1 } else { field };
    let resolve = |count: i64| {
        let index = if field < 0 { field + count } else { field };
        (0..count).contains(&index).then_some(index as usize)
    };
    if let Some(element) = operation.element {
        let ModelValue::Array(elements) = &mut tuple[resolve(count)?] else {
            return None;
        };
        let index = usize::from(element) - 1;
        return match &operation.action {
            ModelAction::Assign(value) | ModelAction::Insert(value) if index == elements.len() => {
                elements.push(value.clone());
                Some(())
            }
            ModelAction::Insert(value) if index < elements.len() => {
                elements.insert(index, value.clone());
                Some(())
            }
            ModelAction::Delete(deleted) if index < elements.len() => {
                let end = (index + usize::from(*deleted)).min(elements.len());
                elements.drain(index..end);
                Some(())
            }
            action => change(elements.get_mut(index)?, action),
        };
    }
    match &operation.action {
        ModelAction::Assign(value) if field >= count => {
            tuple.resize(field as usize, ModelValue::Null);
            tuple.push(value.clone());
        }
        ModelAction::Insert(value) => {
            if field > count {
                tuple.resize(field as usize, ModelValue::Null);
            }
            let index = resolve(tuple.len() as i64 + 1)?;
            tuple.insert(index, value.clone());
        }
        ModelAction::Delete(_) if field >= count => {}
        ModelAction::Delete(deleted) => {
            let index = resolve(count)?;
            let end = (index + usize::from(*deleted)).min(tuple.len());
            tuple.drain(index..end);
        }
        action => change(&mut tuple[resolve(count)?], action)?,
    }
    Some(())
}

fn change(value: &mut ModelValue, action: &ModelAction) -> Option<()> {
    *value = match (&*value, action) {
        (_, ModelAction::Assign(new)) => new.clone(),
        (ModelValue::Integer(old), ModelAction::Add(by)) => {
            let sum = old + i128::from(*by);
            let fits = sum >= i128::from(i64::MIN) && sum <= i128::from(u64::MAX);
            ModelValue::Integer(fits.then_some(sum)?)
        }
        (ModelValue::Integer(old @ 0..), ModelAction::BitXor(bits)) => {
            ModelValue::Integer(old ^ i128::from(*bits))
        }
        (ModelValue::Text(old), ModelAction::Splice(offset, cut, paste)) => {
            let length = old.len() as i64;
            let start = match i64::from(*offset) {
                offset @ ..0 => offset + length + 1,
                offset => (offset - 1).min(length),
            };
            if start < 0 {
                return None;
            }
            let behind = length - start;
            let cut = match i64::from(*cut) {
                cut if cut < -behind => 0,
                cut @ ..0 => behind + cut,
                cut => cut.min(behind),
            };
            let mut new = old.clone();
            new.splice(
                start as usize..(start + cut) as usize,
                paste.iter().copied(),
            );
            ModelValue::Text(new)
        }
        _ => return None,
    };
    Some(())
}

fn write(out: &mut Vec<u8>, value: &ModelValue) {
    match value {
        ModelValue::Null => msgpack::write_nil(out),
        ModelValue::Integer(number) => match u64::try_from(*number) {
            Ok(number) => msgpack::write_unsigned(out, number),
            Err(_) => msgpack::write_integer(out, *number as i64),
        },
        ModelValue::Text(text) => msgpack::write_string(out, text),
        ModelValue::Array(elements) => write_array(out, elements),
    }
}

fn write_array(out: &mut Vec<u8>, elements: &[ModelValue]) {
    msgpack::write_array_header(out, elements.len() as u32);
    for element in elements {
        write(out, element);
    }
}

fn write_operation(out: &mut Vec<u8>, operation: &ModelOperation) {
    let (operator, part_count) = match operation.action {
        ModelAction::Assign(_) => ("=", 3),
        ModelAction::Insert(_) => ("!", 3),
        ModelAction::Delete(_) => ("#", 3),
        ModelAction::Add(_) => ("+", 3),
        ModelAction::BitXor(_) => ("^", 3),
        ModelAction::Splice(..) => (":", 5),
    };
    msgpack::write_array_header(out, part_count);
    msgpack::write_string(out, operator.as_bytes());
    match operation.element {
        Some(element) => {
            let path = format!("[{}][{element}]", operation.field);
            msgpack::write_string(out, path.as_bytes());
        }
        None => msgpack::write_integer(out, operation.field.into()),
    }
    match &operation.action {
        ModelAction::Assign(value) | ModelAction::Insert(value) => write(out, value),
        ModelAction::Delete(count) => msgpack::write_unsigned(out, (*count).into()),
        ModelAction::Add(number) => msgpack::write_integer(out, *number),
        ModelAction::BitXor(bits) => msgpack::write_unsigned(out, (*bits).into()),
        ModelAction::Splice(offset, cut, paste) => {
            msgpack::write_integer(out, (*offset).into());
            msgpack::write_integer(out, (*cut).into());
            msgpack::write_string(out, paste);
        }
    }
}

fn value() -> impl Strategy<Value = ModelValue> {
    let scalar = prop_oneof![
        Just(ModelValue::Null),
        (-200..200_i128).prop_map(ModelValue::Integer),
        Just(ModelValue::Integer(u64::MAX.into())),
        Just(ModelValue::Integer(i64::MIN.into())),
        prop::collection::vec(any::<u8>(), 0..36).prop_map(ModelValue::Text),
    ];
    prop_oneof![
        3 => scalar.clone(),
        1 => prop::collection::vec(scalar, 0..18).prop_map(ModelValue::Array),
    ]
}

fn operation() -> impl Strategy<Value = ModelOperation> {
    let action = prop_oneof![
        value().prop_map(ModelAction::Assign),
        value().prop_map(ModelAction::Insert),
        (1..5_u8).prop_map(ModelAction::Delete),
        prop_oneof![-300..300_i64, any::<i64>()].prop_map(ModelAction::Add),
        any::<u32>().prop_map(ModelAction::BitXor),
        (
            prop_oneof![-40..0_i8, 1..40_i8],
            -40..40_i8,
            prop::collection::vec(any::<u8>(), 0..4)
        )
            .prop_map(|(offset, cut, paste)| ModelAction::Splice(offset, cut, paste)),
    ];
    let at_field = prop_oneof![-20..0_i8, 1..22_i8].prop_map(|field| (field, None));
    let at_element = (1..8_i8, 1..20_u8).prop_map(|(field, element)| (field, Some(element)));
    (prop_oneof![2 => at_field, 1 => at_element], action).prop_map(|((field, element), action)| {
        ModelOperation {
            field,
            element,
            action,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn updates_and_upserts_agree_with_the_model(
        tuple in prop::collection::vec(value(), 1..18),
        operations in prop::collection::vec(operation(), 0..12),
    ) {
        let (mut encoded, mut encoded_tuple) = (Vec::new(), Vec::new());
        msgpack::write_array_header(&mut encoded, operations.len() as u32);
        for operation in &operations {
            write_operation(&mut encoded, operation);
        }
        write_array(&mut encoded_tuple, &tuple);

        let mut model = tuple.clone();
        let failures = operations
            .iter()
            .filter(|operation| apply(&mut model, operation).is_none())
            .count();
        let mut expected = Vec::new();
        write_array(&mut expected, &model);

        let parsed = Operations::parse(&encoded, 1, &|_| None).expect("valid operations");
        let mut out = Vec::new();
        let skipped = parsed.apply_upsert(&encoded_tuple, &mut out).expect("small gaps");
        prop_assert_eq!(skipped.len(), failures);
        prop_assert_eq!(&out, &expected);

        let mask = parsed.column_mask(tuple.len() as u32);
        for field in 0..tuple.len().max(model.len()) {
            if mask >> field.min(63) & 1 == 0 {
                let old = tuple.get(field).unwrap_or(&ModelValue::Null);
                let new = model.get(field).unwrap_or(&ModelValue::Null);
                prop_assert_eq!(old, new, "field {} changed", field);
            }
        }

        out.clear();
        let updated = parsed.apply(&encoded_tuple, &mut out);
        prop_assert_eq!(updated.is_ok(), failures == 0);
        if failures == 0 {
            prop_assert_eq!(&out, &expected);
        }
    }
}
