//! Names and strings as LLVM's textual IR spells them.

use std::fmt::Write;

/// Appends a name after its sigil, quoted where it needs quotes.
pub(crate) fn push_name(out: &mut String, name: &str) {
    let plain = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_');
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() || !name.bytes().all(plain) {
        push_quoted(out, name.as_bytes());
    } else {
        out.push_str(name);
    }
}

/// Appends a string in quotes.
pub(crate) fn push_quoted(out: &mut String, bytes: &[u8]) {
    out.push('"');
    push_escaped(out, bytes);
    out.push('"');
}

/// Appends bytes, those that are not printable ASCII as `\` and two hexadecimal digits.
pub(crate) fn push_escaped(out: &mut String, bytes: &[u8]) {
    for &byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b' '..=b'~' if byte != b'"' => out.push(byte.into()),
            _ => {
                let _ = write!(out, "\\{byte:02X}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_needed() {
        let spell = |name: &str| {
            let mut out = String::new();
            push_name(&mut out, name);
            out
        };
        assert_eq!(spell("a.b-c_1"), "a.b-c_1");
        assert_eq!(spell("1a"), "\"1a\"");
        assert_eq!(spell("a$b"), "\"a$b\"");
        assert_eq!(spell("\u{1}_x\"\\é"), r#""\01_x\22\\\C3\A9""#);
    }
}
