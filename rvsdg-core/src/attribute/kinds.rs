//! LLVM's attributes: their names, their payloads, and where each is allowed.

use super::{Attribute, AttributeList};

/// The position of an attribute.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// On a function or call itself, or on a variable.
    Function = 1,
    /// On a parameter or argument.
    Param = 2,
    /// On a result.
    Result = 4,
}

impl Place {
    /// All places.
    pub const ALL: [Place; 3] = [Place::Function, Place::Param, Place::Result];

    fn text(self) -> &'static str {
        match self {
            Place::Function => "a function",
            Place::Param => "a parameter",
            Place::Result => "a result",
        }
    }
}

const FUNCTION: u8 = Place::Function as u8;
const PARAM: u8 = Place::Param as u8;
const RESULT: u8 = Place::Result as u8;

/// The payload after an attribute's name.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Payload {
    /// Nothing.
    Nothing,
    /// A type, which is not part of the text.
    Type,
    /// ` 8`, a power of two.
    Align,
    /// `(8)`.
    Bytes,
    /// `(0)` or `(0,1)`.
    Positions,
    /// Nothing, `(sync)` or `(async)`.
    Unwind,
    /// `("alloc,zeroed")`.
    AllocKind,
    /// `(read, argmem: readwrite)`.
    Memory,
    /// `(address, ret: provenance)`.
    Captures,
    /// `(nan inf)`.
    FpClasses,
    /// `(i32 0, 10)`.
    Range,
    /// `((0, 4), (8, 12))`.
    Ranges,
}

/// LLVM's attributes except strings, ordered by name.
pub const KINDS: &[(&str, Payload, u8)] = &[
    ("align", Payload::Align, PARAM | RESULT),
    ("alignstack", Payload::Bytes, FUNCTION | PARAM | RESULT),
    ("allocalign", Payload::Nothing, PARAM),
    ("allockind", Payload::AllocKind, FUNCTION),
    ("allocptr", Payload::Nothing, PARAM),
    ("allocsize", Payload::Positions, FUNCTION),
    ("alwaysinline", Payload::Nothing, FUNCTION),
    ("builtin", Payload::Nothing, FUNCTION),
    ("byref", Payload::Type, PARAM),
    ("byval", Payload::Type, PARAM),
    ("captures", Payload::Captures, PARAM),
    ("cold", Payload::Nothing, FUNCTION),
    ("convergent", Payload::Nothing, FUNCTION),
    ("coro_elide_safe", Payload::Nothing, FUNCTION),
    ("coro_only_destroy_when_complete", Payload::Nothing, FUNCTION),
    ("dead_on_return", Payload::Nothing, PARAM),
    ("dead_on_unwind", Payload::Nothing, PARAM),
    ("dereferenceable", Payload::Bytes, PARAM | RESULT),
    ("dereferenceable_or_null", Payload::Bytes, PARAM | RESULT),
    ("disable_sanitizer_instrumentation", Payload::Nothing, FUNCTION),
    ("elementtype", Payload::Type, PARAM),
    ("fn_ret_thunk_extern", Payload::Nothing, FUNCTION),
    ("hot", Payload::Nothing, FUNCTION),
    ("hybrid_patchable", Payload::Nothing, FUNCTION),
    ("immarg", Payload::Nothing, PARAM),
    ("inalloca", Payload::Type, PARAM),
    ("initializes", Payload::Ranges, PARAM),
    ("inlinehint", Payload::Nothing, FUNCTION),
    ("inreg", Payload::Nothing, PARAM | RESULT),
    ("jumptable", Payload::Nothing, FUNCTION),
    ("memory", Payload::Memory, FUNCTION),
    ("minsize", Payload::Nothing, FUNCTION),
    ("mustprogress", Payload::Nothing, FUNCTION),
    ("naked", Payload::Nothing, FUNCTION),
    ("nest", Payload::Nothing, PARAM),
    ("noalias", Payload::Nothing, PARAM | RESULT),
    ("nobuiltin", Payload::Nothing, FUNCTION),
    ("nocallback", Payload::Nothing, FUNCTION),
    ("nocf_check", Payload::Nothing, FUNCTION),
    ("nocreateundeforpoison", Payload::Nothing, FUNCTION),
    ("nodivergencesource", Payload::Nothing, FUNCTION),
    ("noduplicate", Payload::Nothing, FUNCTION),
    ("noext", Payload::Nothing, PARAM | RESULT),
    ("nofpclass", Payload::FpClasses, PARAM | RESULT),
    ("nofree", Payload::Nothing, FUNCTION | PARAM),
    ("noimplicitfloat", Payload::Nothing, FUNCTION),
    ("noinline", Payload::Nothing, FUNCTION),
    ("nomerge", Payload::Nothing, FUNCTION),
    ("nonlazybind", Payload::Nothing, FUNCTION),
    ("nonnull", Payload::Nothing, PARAM | RESULT),
    ("noprofile", Payload::Nothing, FUNCTION),
    ("norecurse", Payload::Nothing, FUNCTION),
    ("noredzone", Payload::Nothing, FUNCTION),
    ("noreturn", Payload::Nothing, FUNCTION),
    ("nosanitize_bounds", Payload::Nothing, FUNCTION),
    ("nosanitize_coverage", Payload::Nothing, FUNCTION),
    ("nosync", Payload::Nothing, FUNCTION),
    ("noundef", Payload::Nothing, PARAM | RESULT),
    ("nounwind", Payload::Nothing, FUNCTION),
    ("null_pointer_is_valid", Payload::Nothing, FUNCTION),
    ("optdebug", Payload::Nothing, FUNCTION),
    ("optforfuzzing", Payload::Nothing, FUNCTION),
    ("optnone", Payload::Nothing, FUNCTION),
    ("optsize", Payload::Nothing, FUNCTION),
    ("preallocated", Payload::Type, FUNCTION | PARAM),
    ("presplitcoroutine", Payload::Nothing, FUNCTION),
    ("range", Payload::Range, PARAM | RESULT),
    ("readnone", Payload::Nothing, PARAM),
    ("readonly", Payload::Nothing, PARAM),
    ("returned", Payload::Nothing, PARAM),
    ("returns_twice", Payload::Nothing, FUNCTION),
    ("safestack", Payload::Nothing, FUNCTION),
    ("sanitize_address", Payload::Nothing, FUNCTION),
    ("sanitize_alloc_token", Payload::Nothing, FUNCTION),
    ("sanitize_hwaddress", Payload::Nothing, FUNCTION),
    ("sanitize_memory", Payload::Nothing, FUNCTION),
    ("sanitize_memtag", Payload::Nothing, FUNCTION),
    ("sanitize_numerical_stability", Payload::Nothing, FUNCTION),
    ("sanitize_realtime", Payload::Nothing, FUNCTION),
    ("sanitize_realtime_blocking", Payload::Nothing, FUNCTION),
    ("sanitize_thread", Payload::Nothing, FUNCTION),
    ("sanitize_type", Payload::Nothing, FUNCTION),
    ("shadowcallstack", Payload::Nothing, FUNCTION),
    ("signext", Payload::Nothing, PARAM | RESULT),
    ("skipprofile", Payload::Nothing, FUNCTION),
    ("speculatable", Payload::Nothing, FUNCTION),
    ("speculative_load_hardening", Payload::Nothing, FUNCTION),
    ("sret", Payload::Type, PARAM),
    ("ssp", Payload::Nothing, FUNCTION),
    ("sspreq", Payload::Nothing, FUNCTION),
    ("sspstrong", Payload::Nothing, FUNCTION),
    ("strictfp", Payload::Nothing, FUNCTION),
    ("swiftasync", Payload::Nothing, PARAM),
    ("swifterror", Payload::Nothing, PARAM),
    ("swiftself", Payload::Nothing, PARAM),
    ("uwtable", Payload::Unwind, FUNCTION),
    ("vscale_range", Payload::Positions, FUNCTION),
    ("willreturn", Payload::Nothing, FUNCTION),
    ("writable", Payload::Nothing, PARAM),
    ("writeonly", Payload::Nothing, PARAM),
    ("zeroext", Payload::Nothing, PARAM | RESULT),
];

/// Whether the attribute `name` of [`KINDS`] is allowed at `place`.
pub fn may_stand(name: &str, place: Place) -> bool {
    kind(name).is_some_and(|(_, places)| places & place as u8 != 0)
}

fn kind(name: &str) -> Option<(Payload, u8)> {
    let at = KINDS.binary_search_by_key(&name, |&(name, ..)| name).ok()?;
    Some((KINDS[at].1, KINDS[at].2))
}

impl AttributeList {
    /// What is wrong with the list's attributes.
    pub fn flaw(&self) -> Option<String> {
        let sets = [(&self.function, Place::Function), (&self.result, Place::Result)];
        let params = self.params.iter().map(|set| (set, Place::Param));
        sets.into_iter().chain(params).flat_map(|(set, place)| set.iter().map(move |one| (one, place))).find_map(
            |(attribute, place)| Some(format!("`{}` {}", attribute.text.escape_debug(), attribute.flaw(place)?)),
        )
    }
}

impl Attribute {
    /// What is wrong with the attribute at its position, as the rest of a sentence.
    pub fn flaw(&self, place: Place) -> Option<String> {
        if self.text.starts_with('"') {
            let good = self.ty.is_none() && is_string(&self.text);
            return (!good).then(|| "is not `\"key\"` or `\"key\"=\"value\"`, with `\\22` for a quote".into());
        }
        let end = self.text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.text.len());
        let (name, rest) = self.text.split_at(end);
        let Some((payload, places)) = kind(name) else { return Some("is no attribute of LLVM".into()) };
        if places & place as u8 == 0 {
            return Some(format!("cannot stand at {}", place.text()));
        }
        if self.ty.is_some() != (payload == Payload::Type) {
            return Some(if self.ty.is_some() { "has no type" } else { "has a type" }.into());
        }
        (!payload.is_spelled(rest)).then(|| format!("has another form: {}", payload.form(name)))
    }
}

impl Payload {
    fn form(self, name: &str) -> String {
        let rest = match self {
            Payload::Nothing | Payload::Type => "",
            Payload::Align => " 8",
            Payload::Bytes => "(8)",
            Payload::Positions => "(0,1)",
            Payload::Unwind => "(sync)",
            Payload::AllocKind => "(\"alloc,zeroed\")",
            Payload::Memory => "(read, argmem: readwrite)",
            Payload::Captures => "(address, ret: provenance)",
            Payload::FpClasses => "(nan inf)",
            Payload::Range => "(i32 0, 10)",
            Payload::Ranges => "((0, 4), (8, 12))",
        };
        format!("`{name}{rest}`")
    }

    /// Whether `rest` may follow the name.
    fn is_spelled(self, rest: &str) -> bool {
        let inner = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let words = |separator: &str, known: &[&str]| {
            inner.is_some_and(|inner| inner.split(separator).all(|word| known.contains(&word)))
        };
        // Words after an optional `location: `, which holds for the first word or for all that follow.
        let located = |locations: &[&str], known: &[&str]| {
            let is_known = |word: &str| match word.split_once(": ") {
                Some((location, word)) => locations.contains(&location) && known.contains(&word),
                None => known.contains(&word),
            };
            inner.is_some_and(|inner| inner.split(", ").all(is_known))
        };
        match self {
            Payload::Nothing | Payload::Type => rest.is_empty(),
            Payload::Align => rest.strip_prefix(' ').and_then(number).is_some_and(u64::is_power_of_two),
            Payload::Bytes => inner.and_then(number).is_some(),
            Payload::Positions => inner.is_some_and(|inner| {
                let mut numbers = inner.splitn(2, ',').map(|part| part.trim_start());
                numbers.all(|part| number(part).is_some())
            }),
            Payload::Unwind => rest.is_empty() || words(",", &["sync", "async"]),
            Payload::AllocKind => {
                let inner = inner.and_then(|inner| inner.strip_prefix('"')?.strip_suffix('"'));
                let known = ["alloc", "realloc", "free", "uninitialized", "zeroed", "aligned"];
                inner.is_some_and(|inner| inner.split(',').all(|word| known.contains(&word)))
            }
            Payload::Memory => located(
                &["argmem", "inaccessiblemem", "errnomem", "target_mem0", "target_mem1"],
                &["none", "read", "write", "readwrite"],
            ),
            Payload::Captures => {
                located(&["ret"], &["none", "address_is_null", "address", "read_provenance", "provenance"])
            }
            Payload::FpClasses => words(
                " ",
                &[
                    "all", "nan", "snan", "qnan", "inf", "ninf", "pinf", "norm", "nnorm", "pnorm", "sub", "nsub",
                    "psub", "zero", "nzero", "pzero",
                ],
            ),
            Payload::Range => inner.is_some_and(|inner| {
                let bounds = inner.strip_prefix('i').and_then(|inner| inner.split_once(' '));
                bounds.is_some_and(|(bits, bounds)| number(bits).is_some() && is_pair(bounds))
            }),
            Payload::Ranges => inner
                .and_then(|inner| inner.strip_prefix('(')?.strip_suffix(')'))
                .is_some_and(|inner| inner.split("), (").all(is_pair)),
        }
    }
}

/// An unsigned decimal number.
fn number(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// `-5, 10`: integers of any width.
fn is_pair(text: &str) -> bool {
    let is_integer = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    text.split_once(", ").is_some_and(|(low, high)| is_integer(low) && is_integer(high))
}

/// `"key"` or `"key"="value"`, of printable characters and escapes.
fn is_string(text: &str) -> bool {
    let mut parts = text.split('"');
    let (key, value) = match (parts.next(), parts.next(), parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(""), Some(key), Some(""), None, None, None) => (key, ""),
        (Some(""), Some(key), Some("="), Some(value), Some(""), None) => (key, value),
        _ => return false,
    };
    is_escaped(key) && is_escaped(value)
}

/// Whether text is allowed between quotes: no control characters, and each `\` begins an escape.
fn is_escaped(text: &str) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let good = match byte {
            b'\\' => match bytes.next() {
                Some(b'\\') => true,
                Some(digit) => digit.is_ascii_hexdigit() && bytes.next().is_some_and(|digit| digit.is_ascii_hexdigit()),
                None => false,
            },
            byte => !byte.is_ascii_control(),
        };
        if !good {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Type;

    fn flaw(text: &str, place: Place) -> Option<String> {
        Attribute { text: text.into(), ty: None }.flaw(place)
    }

    #[test]
    fn kinds_are_in_order() {
        assert!(KINDS.is_sorted_by(|a, b| a.0 < b.0));
    }

    /// Spellings as LLVM prints them.
    #[test]
    fn what_llvm_writes() {
        for text in [
            "nounwind",
            "memory(none)",
            "memory(read, argmem: readwrite, inaccessiblemem: none)",
            "memory(argmem: write, target_mem0: none)",
            "uwtable",
            "uwtable(sync)",
            "alignstack(16)",
            "allocsize(0)",
            "allocsize(0,1)",
            "vscale_range(1,16)",
            "allockind(\"alloc,uninitialized,aligned\")",
            "\"frame-pointer\"=\"all\"",
            "\"thunk\"",
            "\"a\"=\"\"",
            "\"k\\0A\"=\"say \\22hi\\22 \\\\\"",
        ] {
            assert_eq!(flaw(text, Place::Function), None, "{text}");
        }
        for text in [
            "align 16",
            "dereferenceable(8)",
            "captures(none)",
            "captures(address, read_provenance)",
            "captures(address_is_null, ret: address, provenance)",
            "nofpclass(nan inf)",
            "range(i32 -5, 10)",
            "range(i128 0, 170141183460469231731687303715884105728)",
            "initializes((0, 4), (8, 12))",
            "initializes((-8, 4))",
        ] {
            assert_eq!(flaw(text, Place::Param), None, "{text}");
        }
        let typed = Attribute { text: "byval".into(), ty: Some(Type::I32) };
        assert_eq!(typed.flaw(Place::Param), None);
    }

    #[test]
    fn what_llvm_does_not_read() {
        for text in [
            "nounwnd",
            "",
            "nounwind ",
            "nounwind } \n define void @x() {",
            "nounwind(1)",
            "noundef",
            "memory",
            "memory(argmem)",
            "memory(reads)",
            "uwtable()",
            "uwtable(later)",
            "alignstack=16",
            "alignstack(16",
            "alignstack(-1)",
            "allocsize(0,1,2)",
            "allockind(alloc)",
            "\"a",
            "\"a\"=b",
            "\"a\" \"b\"",
            "\"a\"=\"b\" nounwind",
            "\"a\"=\"b\"c\"",
            "\"a\nb\"",
            "\"a\\\"",
            "\"a\\g0\"",
        ] {
            assert!(flaw(text, Place::Function).is_some(), "{text}");
        }
        for text in ["align 3", "align(8)", "range(i32 0)", "range(0, 1)", "initializes(0, 4)", "byval", "nounwind"] {
            assert!(flaw(text, Place::Param).is_some(), "{text}");
        }
        let typed = Attribute { text: "noundef".into(), ty: Some(Type::I32) };
        assert_eq!(typed.flaw(Place::Param).as_deref(), Some("has no type"));
    }

    #[test]
    fn the_list_names_the_attribute() {
        let plain = |text: &str| Attribute { text: text.into(), ty: None };
        let list = AttributeList { result: [plain("nounwind")].into(), ..AttributeList::default() };
        assert_eq!(list.flaw().as_deref(), Some("`nounwind` cannot stand at a result"));
    }
}
