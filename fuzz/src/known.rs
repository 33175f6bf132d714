//! Where Tarantool 3.9, which Lycosa follows, differs on purpose from the 2.6 that it is compared
//! with. The generator keeps away from most of it:
//!
//! - `ALL` with a key means `GE` since 2.11; 2.6 counts as `EQ`. `ALL` gets empty keys only.
//! - An update past the end of a tuple fills the gap with nulls since 2.9. No operation names a
//!   field behind a gap: spaces whose tuples may lack fields are updated in the fields that all have.
//! - Operations that meet in one field, or come after one that moves fields, work since 2.9.
//!   Operations of one list have fields of their own, and moving ones come alone.
//! - Fields of type double take integers since 3.0. Values for them are never integral.
//! - After a yield has ended a transaction, reads fail too since 2.10. Nothing is read there.
//! - A map as a key is refused (22) since 2.8; 2.6 takes it for no parts. No key is a map.
//! - `GT` with a key on a HASH index gives what lies behind the key in an order of its own.
//! - A UUID is a scalar since 2.10. UUIDs stand in fields of their own type only.
//! - 2.6 takes a decimal and a double that no decimal holds, like infinity, for equal, and rounds
//!   doubles of many digits. A seed has decimals among its numbers, or such doubles.
//! - `space:alter`, descending parts, options of `box.begin`, pagination are younger than 2.6.
//!
//! - 2.6 keeps a HASH index as it is when the type of a part changes, and finds nothing in it then.
//!
//! What is left ends the comparison of a script where it shows: from there on the two sides may
//! hold different rows. [`excuse`] tells why.

/// Why the last of these lines may differ, if there is a reason. `steps` and `tarantool` end with
/// the step and the line that differ.
pub(crate) fn excuse<S: AsRef<str>>(
    steps: &[S],
    tarantool: &[String],
    lycosa: &str,
) -> Option<&'static str> {
    let step = steps.last().map_or("", AsRef::as_ref);
    let expected = tarantool.last().map_or("", |line| result(line));
    let actual = result(lycosa);
    let mentions = |text: &str| steps.iter().any(|step| step.as_ref().contains(text));
    let is_missing_index = |line: &String| result(line) == "ClientError 35";
    if actual == "ClientError 5" {
        Some("Lycosa says that it lacks what the step asks for")
    } else if matches!(expected, "ClientError 18" | "ClientError 23") && mentions("uuid.fromstr") {
        Some("2.6 takes no UUID for a scalar")
    } else if expected.contains("convert to decimal") {
        Some("2.6 cannot show some decimals")
    } else if matches!(expected, "ClientError 18" | "ClientError 23") && mentions("'double'") {
        Some("2.6 takes neither integers nor floats for doubles")
    } else if mentions("decimal.new") && mentions("HASH") {
        Some("2.6 hashes a decimal otherwise than the integer that it equals")
    } else if step.contains(":alter({parts") && actual == "ClientError 3" {
        Some("2.6 does not check that fewer nullable parts are still unique")
    } else if step.contains(":alter({parts") && actual == "ClientError 54" {
        Some("Tarantool leaves an index as it is when only parts of the primary key were added")
    } else if actual == "ClientError 154" && tarantool.iter().any(is_missing_index) {
        Some("a statement on a space without indexes is no step of a transaction in Tarantool")
    } else {
        None
    }
}

/// A line without its label.
fn result(line: &str) -> &str {
    line.split_once(": ").map_or(line, |(_, result)| result)
}
