//! The native half of the module `yaml`: libyaml's emitter and parser, fed with events from Lua.
//!
//! Both speak of a document as a flat list of its events. `emit(events, pretty)` reads
//! three entries for each: its kind, its text or anchor, and whether a collection is in flow style.
//! `parse(text)` lists four: kind, text, tag, anchor. Lua decides what they mean.

use std::panic::{AssertUnwindSafe, catch_unwind};

use libyaml_safer::{
    Emitter, Encoding, Event, EventData, MappingStyle, Parser, ScalarStyle, SequenceStyle,
};
use mlua::{Lua, Table, Value};

use super::yaml_style::{Layout, style_of};

/// Lines of scalars are folded at libyaml's default width.
const INDENT: i32 = 2;

/// Collections inside one another: the time to read them grows with the square of their number.
const MAX_DEPTH: u32 = 1000;

/// The functions for `yaml.lua`.
pub(super) fn native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    native.set("emit", lua.create_function(emit)?)?;
    native.set("parse", lua.create_function(parse)?)?;
    native.set("from_base64", lua.create_function(from_base64)?)?;
    Ok(native)
}

/// `emit(events, pretty)`: the text of one document.
fn emit(lua: &Lua, (events, pretty): (Table, bool)) -> mlua::Result<mlua::LuaString> {
    let mut text = Vec::new();
    emit_document(&mut text, &events, pretty)?;
    lua.create_string(text)
}

fn emit_document(text: &mut Vec<u8>, events: &Table, pretty: bool) -> mlua::Result<()> {
    let mut emitter = Emitter::new();
    emitter.set_unicode(true);
    emitter.set_indent(INDENT);
    emitter.set_output_string(text);
    let mut put = |event| emitter.emit(event).map_err(mlua::Error::external);
    put(Event::stream_start(Encoding::Utf8))?;
    put(Event::document_start(None, &[], false))?;
    let mut layout = Layout {
        flow_depth: 0,
        pretty,
    };
    let mut position = 1;
    while let Some(kind) = events.raw_get::<Option<mlua::LuaString>>(position)? {
        let text: Value = events.raw_get(position + 1)?;
        let detail: bool = events.raw_get(position + 2)?;
        put(event_of(&kind.as_bytes(), &text, detail, &mut layout)?)?;
        position += 3;
    }
    put(Event::document_end(false))?;
    put(Event::stream_end())?;
    emitter.flush().map_err(mlua::Error::external)
}

fn event_of(kind: &[u8], text: &Value, detail: bool, layout: &mut Layout) -> mlua::Result<Event> {
    let text = text.as_string().map(mlua::LuaString::as_bytes);
    let name = text
        .as_deref()
        .and_then(|bytes| std::str::from_utf8(bytes).ok());
    let is_flow = layout.flow_depth > 0 || detail;
    Ok(match kind {
        b"plain" => scalar(name.unwrap_or_default(), ScalarStyle::Plain),
        b"quoted" => scalar(name.unwrap_or_default(), ScalarStyle::SingleQuoted),
        b"string" => string(text.as_deref().unwrap_or_default(), *layout),
        b"binary" => binary(text.as_deref().unwrap_or_default()),
        b"alias" => Event::alias(name.unwrap_or_default()),
        b"[" => {
            layout.flow_depth += u32::from(is_flow);
            let style = if is_flow {
                SequenceStyle::Flow
            } else {
                SequenceStyle::Block
            };
            Event::sequence_start(name, None, true, style)
        }
        b"{" => {
            layout.flow_depth += u32::from(is_flow);
            let style = if is_flow {
                MappingStyle::Flow
            } else {
                MappingStyle::Block
            };
            Event::mapping_start(name, None, true, style)
        }
        b"]" => {
            layout.flow_depth = layout.flow_depth.saturating_sub(1);
            Event::sequence_end()
        }
        b"}" => {
            layout.flow_depth = layout.flow_depth.saturating_sub(1);
            Event::mapping_end()
        }
        _ => return Err(mlua::Error::runtime("unknown YAML event")),
    })
}

fn scalar(text: &str, style: ScalarStyle) -> Event {
    Event::scalar(None, None, text, true, true, style)
}

fn string(bytes: &[u8], layout: Layout) -> Event {
    match std::str::from_utf8(bytes) {
        Ok(text) => scalar(text, style_of(text, layout)),
        Err(_) => binary(bytes),
    }
}

fn binary(bytes: &[u8]) -> Event {
    use base64::Engine as _;
    let text = base64::engine::general_purpose::STANDARD.encode(bytes);
    let tag = Some("tag:yaml.org,2002:binary");
    Event::scalar(None, tag, &text, false, false, ScalarStyle::Plain)
}

/// `from_base64(text)`: the bytes, line breaks inside left out.
#[expect(
    clippy::needless_pass_by_value,
    reason = "what Lua's arguments are converted to"
)]
fn from_base64(lua: &Lua, text: mlua::LuaString) -> mlua::Result<mlua::LuaString> {
    use base64::Engine as _;
    let mut digits = text.as_bytes().to_vec();
    digits.retain(|byte| !byte.is_ascii_whitespace());
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(digits)
        .map_err(mlua::Error::external)?;
    lua.create_string(bytes)
}

/// One event as `parse` lists it: kind, text, tag or prefix, anchor.
type Entry = (&'static str, Option<String>, Option<String>, Option<String>);

/// `parse(text)`: the events of all documents; on a fault, those before it and what is wrong.
#[expect(
    clippy::needless_pass_by_value,
    reason = "what Lua's arguments are converted to"
)]
fn parse(lua: &Lua, text: mlua::LuaString) -> mlua::Result<(Table, Option<String>)> {
    let bytes = text.as_bytes();
    let mut input: &[u8] = &bytes;
    let mut parser = Parser::new();
    parser.set_input_string(&mut input);
    let events = lua.create_table()?;
    let mut documents = 0;
    let mut depth = 0_u32;
    loop {
        // libyaml's port asserts what it takes for granted of its input.
        let event = match catch_unwind(AssertUnwindSafe(|| parser.parse())) {
            Ok(Ok(event)) => event.data,
            Ok(Err(error)) => return Ok((events, Some(describe(&error, documents)))),
            Err(_) => {
                return Ok((
                    events,
                    Some(format!("invalid YAML at document: {documents}")),
                ));
            }
        };
        documents += u32::from(matches!(event, EventData::DocumentStart { .. }));
        let Some((kind, text, tag, anchor)) = entry_of(event) else {
            continue;
        };
        match kind {
            "stream end" => return Ok((events, None)),
            "[" | "{" => depth += 1,
            "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Ok((events, Some(String::from("Too high nest level"))));
        }
        events.raw_push(kind)?;
        for detail in [text, tag, anchor] {
            events.raw_push(detail.map_or(Ok(Value::Boolean(false)), |detail| {
                lua.create_string(detail).map(Value::String)
            })?)?;
        }
    }
}

fn entry_of(event: EventData) -> Option<Entry> {
    Some(match event {
        EventData::StreamStart { .. } => return None,
        EventData::StreamEnd => ("stream end", None, None, None),
        EventData::DocumentStart { tag_directives, .. } => {
            let directive = tag_directives.into_iter().next();
            let (handle, prefix) = directive
                .map(|directive| (directive.handle, directive.prefix))
                .unzip();
            ("document", handle, prefix, None)
        }
        EventData::DocumentEnd { .. } => ("end", None, None, None),
        EventData::Alias { anchor } => ("alias", Some(anchor), None, None),
        EventData::SequenceStart { anchor, .. } => ("[", None, None, anchor),
        EventData::MappingStart { anchor, .. } => ("{", None, None, anchor),
        EventData::SequenceEnd => ("]", None, None, None),
        EventData::MappingEnd => ("}", None, None, None),
        EventData::Scalar {
            anchor,
            tag,
            value,
            style,
            ..
        } => {
            let is_plain = style == ScalarStyle::Plain;
            let kind = if is_plain { "plain" } else { "quoted" };
            (kind, Some(value), tag, anchor)
        }
    })
}

/// The fault as Tarantool words it: what is wrong, in which document, and where.
fn describe(error: &libyaml_safer::Error, documents: u32) -> String {
    // The port reads through the standard library, which has its own error for such bytes.
    let problem = match error.kind() {
        libyaml_safer::ErrorKind::Io => "invalid leading UTF-8 octet",
        _ => error.problem(),
    };
    let mut text = format!("{problem} at document: {documents}");
    let place = |mark: libyaml_safer::Mark| {
        format!("line: {}, column: {}\n", mark.line + 1, mark.column + 1)
    };
    match error.problem_mark() {
        Some(mark) if mark.line + mark.column > 0 => {
            text.push_str(", ");
            text.push_str(&place(mark));
        }
        _ => text.push('\n'),
    }
    if let (Some(context), Some(mark)) = (error.context(), error.context_mark()) {
        text.push_str(context);
        text.push_str(" at ");
        text.push_str(&place(mark));
    }
    text
}
