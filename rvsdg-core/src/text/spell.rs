//! Spellings that printer and parser share.

use std::borrow::Cow;

use crate::op::FastMath;

/// Sanitizer properties of variables.
pub(crate) const SANITIZERS: &[&str] =
    &["no_sanitize_address", "no_sanitize_hwaddress", "sanitize_memtag", "sanitize_address_dyninit"];

/// Kinds of comdats.
pub(crate) const COMDATS: &[&str] = &["any", "exactmatch", "largest", "nodeduplicate", "samesize"];
/// Code models of variables.
pub(crate) const CODE_MODELS: &[&str] = &["tiny", "small", "kernel", "medium", "large"];

/// Whether text can be a metadata value: it ends where its own parentheses, braces and quotes are closed.
pub(crate) fn is_metadata_value(text: &str) -> bool {
    let mut open: Vec<u8> = Vec::new();
    let mut quoted = false;
    for byte in text.bytes() {
        match byte {
            b'"' => quoted = !quoted,
            _ if byte.is_ascii_control() => return false,
            _ if quoted => {}
            b'(' => open.push(b')'),
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b')' | b'}' | b']' if open.pop() != Some(byte) => return false,
            b',' if open.is_empty() => return false,
            b';' => return false,
            // Every other byte neither opens nor closes nor ends anything.
            _ => {}
        }
    }
    open.is_empty() && !quoted && !text.trim().is_empty()
}

/// All fast-math flags at once.
pub(super) const FAST: &str = "fast";

/// Whether a name needs no quotes after its sigil.
pub(super) fn is_bare_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| is_name_byte(first) && !first.is_ascii_digit()) && bytes.all(is_name_byte)
}

/// Whether a byte can be part of a name without quotes.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'$' | b'.' | b'_')
}

/// A string's bytes between quotes: printable ASCII unchanged, all else as `\xx`.
pub(super) fn escape(bytes: &[u8]) -> Cow<'_, str> {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    if bytes.iter().all(plain) {
        return String::from_utf8_lossy(bytes);
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 2);
    for byte in bytes {
        if plain(byte) {
            text.push(char::from(*byte));
        } else {
            const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
            text.push('\\');
            text.push(char::from(DIGITS[usize::from(byte >> 4)]));
            text.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
    Cow::Owned(text)
}

/// A name with its sigil, quoted where necessary.
pub(crate) fn sigil_name(sigil: char, name: &str) -> String {
    if is_bare_name(name) { format!("{sigil}{name}") } else { format!("{sigil}\"{}\"", escape(name.as_bytes())) }
}

/// The spellings of fast-math flags.
pub(super) fn fast_names(flags: FastMath) -> impl Iterator<Item = &'static str> {
    let all = FastMath::NAMES.iter().all(|(flag, _)| flags.contains(*flag));
    all.then_some(FAST).into_iter().chain(flags.names().filter(move |_| !all))
}

/// Whether an attribute's text is unambiguous in an attribute list: reading up to the comma, brace or colon that ends an attribute yields
/// all of it.
pub(super) fn is_plain_attribute(text: &str) -> bool {
    !text.is_empty()
        && attribute_len(text) == Some(text.len())
        && !text.starts_with(' ')
        && !text.ends_with(' ')
        && text != RAW_ATTRIBUTE
        && !text.starts_with(RAW_ATTRIBUTE_START)
}

/// The keyword before an attribute's text in quotes.
pub(super) const RAW_ATTRIBUTE: &str = "raw";
const RAW_ATTRIBUTE_START: &str = "raw ";

/// The length of the attribute at the start of `text`: up to a comma, brace or colon outside of parentheses and quotes.
/// `None` when a parenthesis or quote is not closed, or a byte is neither printable ASCII nor part of a string.
pub(super) fn attribute_len(text: &str) -> Option<usize> {
    let mut depth = 0u32;
    let mut quoted = false;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' => return None,
            _ if quoted => {}
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            b',' | b'{' | b'}' | b':' if depth == 0 => return Some(index),
            b' '..=b'~' if !matches!(byte, b';' | b'[' | b']') => {}
            _ => return None,
        }
    }
    (depth == 0 && !quoted).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_metadata() {
        for value in ["i32 4", "!\"a, }b\"", "!{i32 1, !\"x\"}", "!DIExpression(DW_OP_deref)", "null"] {
            assert!(is_metadata_value(value), "{value}");
        }
        for other in ["", "i32 4}", "i32 4, i32 5", "!\"", "i32 4\n", "!{(}", "i32 4 ; x"] {
            assert!(!is_metadata_value(other), "{other}");
        }
    }

    #[test]
    fn attributes_that_can_stand_for_themselves() {
        for plain in ["nounwind", "align 8", "range(i32 0, 10)", "\"a\"=\"b,c\"", "memory(argmem: read)"] {
            assert!(is_plain_attribute(plain), "{plain}");
        }
        for quoted in ["", " x", "x ", "a, b", "a(", "a)", "\"", "raw", "raw x", "a\nb", "x;y", "a{", "é"] {
            assert!(!is_plain_attribute(quoted), "{quoted}");
        }
    }
}
