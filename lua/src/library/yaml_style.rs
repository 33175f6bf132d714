//! Which style a string has in YAML: plain where nothing could be mistaken, quoted where it could.

use libyaml_safer::ScalarStyle;

/// What the style depends on besides the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Collections in flow style around the string: in there, strings are always quoted.
    pub(super) flow_depth: u32,
    /// Whether each string of several lines is a block, or only one with an empty line.
    pub(super) pretty: bool,
}

/// Begins a scalar that could be taken for something else.
const LEADING_INDICATORS: &[u8] = b"#,[]{}&*!|>'\"%@`";

/// Plain texts that are values of another type.
const KEYWORDS: [&str; 6] = ["true", "false", "yes", "no", "null", "~"];

/// The style in which libyaml is asked to write `text`.
pub(super) fn style_of(text: &str, layout: Layout) -> ScalarStyle {
    let bytes = text.as_bytes();
    if bytes.is_empty() {
        return ScalarStyle::Plain;
    }
    if KEYWORDS.contains(&text) || text.starts_with("---") || text.starts_with("...") {
        return ScalarStyle::SingleQuoted;
    }
    let is_control = |byte: &u8| *byte < b' ' && *byte != b'\n';
    let is_block = text.contains("\n\n") || layout.pretty && text.contains('\n');
    if is_block && !bytes.iter().any(is_control) {
        return ScalarStyle::Literal;
    }
    if text.contains(" \n") || text.contains("\n ") || bytes.iter().any(is_control) {
        return ScalarStyle::DoubleQuoted;
    }
    let has_margin = |byte: u8| byte == b' ' || byte == b'\n';
    let is_quoted = layout.flow_depth > 0
        || has_margin(bytes[0])
        || has_margin(bytes[bytes.len() - 1])
        || has_indicator(bytes);
    if is_quoted {
        ScalarStyle::SingleQuoted
    } else {
        ScalarStyle::Plain
    }
}

/// Whether something in `bytes` means more than itself outside quotes.
fn has_indicator(bytes: &[u8]) -> bool {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0);
    let is_last_or_before_space = |position: usize| bytes.get(position + 1).is_none_or(is_space);
    bytes
        .iter()
        .enumerate()
        .any(|(position, &byte)| match byte {
            b':' => is_last_or_before_space(position),
            b'?' | b'-' if position == 0 => is_last_or_before_space(position),
            b'#' if position > 0 => is_space(&bytes[position - 1]),
            _ => position == 0 && LEADING_INDICATORS.contains(&byte),
        })
}
