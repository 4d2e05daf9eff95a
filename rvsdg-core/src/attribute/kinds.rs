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

macro_rules! kinds {
    ($($kind:ident $name:literal $payload:ident $places:expr;)*) => {
        /// An attribute of LLVM's except strings; by name.
        #[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum AttributeKind {
            $(#[doc = concat!("`", $name, "`")] $kind,)*
        }

        impl AttributeKind {
            /// All of them, ordered by name.
            pub const ALL: &[AttributeKind] = &[$(AttributeKind::$kind,)*];

            /// Name, payload, and where it is allowed.
            const fn row(self) -> (&'static str, Payload, u8) {
                match self {
                    $(AttributeKind::$kind => ($name, Payload::$payload, $places),)*
                }
            }
        }
    };
}

kinds! {
    Align "align" Align PARAM | RESULT;
    AlignStack "alignstack" Bytes FUNCTION | PARAM | RESULT;
    AllocAlign "allocalign" Nothing PARAM;
    AllocKind "allockind" AllocKind FUNCTION;
    AllocPtr "allocptr" Nothing PARAM;
    AllocSize "allocsize" Positions FUNCTION;
    AlwaysInline "alwaysinline" Nothing FUNCTION;
    BuiltIn "builtin" Nothing FUNCTION;
    ByRef "byref" Type PARAM;
    ByVal "byval" Type PARAM;
    Captures "captures" Captures PARAM;
    Cold "cold" Nothing FUNCTION;
    Convergent "convergent" Nothing FUNCTION;
    CoroElideSafe "coro_elide_safe" Nothing FUNCTION;
    CoroOnlyDestroyWhenComplete "coro_only_destroy_when_complete" Nothing FUNCTION;
    DeadOnReturn "dead_on_return" Nothing PARAM;
    DeadOnUnwind "dead_on_unwind" Nothing PARAM;
    Dereferenceable "dereferenceable" Bytes PARAM | RESULT;
    DereferenceableOrNull "dereferenceable_or_null" Bytes PARAM | RESULT;
    DisableSanitizerInstrumentation "disable_sanitizer_instrumentation" Nothing FUNCTION;
    ElementType "elementtype" Type PARAM;
    FnRetThunkExtern "fn_ret_thunk_extern" Nothing FUNCTION;
    Hot "hot" Nothing FUNCTION;
    HybridPatchable "hybrid_patchable" Nothing FUNCTION;
    ImmArg "immarg" Nothing PARAM;
    InAlloca "inalloca" Type PARAM;
    Initializes "initializes" Ranges PARAM;
    InlineHint "inlinehint" Nothing FUNCTION;
    InReg "inreg" Nothing PARAM | RESULT;
    JumpTable "jumptable" Nothing FUNCTION;
    Memory "memory" Memory FUNCTION;
    MinSize "minsize" Nothing FUNCTION;
    MustProgress "mustprogress" Nothing FUNCTION;
    Naked "naked" Nothing FUNCTION;
    Nest "nest" Nothing PARAM;
    NoAlias "noalias" Nothing PARAM | RESULT;
    NoBuiltin "nobuiltin" Nothing FUNCTION;
    NoCallback "nocallback" Nothing FUNCTION;
    NoCfCheck "nocf_check" Nothing FUNCTION;
    NoCreateUndefOrPoison "nocreateundeforpoison" Nothing FUNCTION;
    NoDivergenceSource "nodivergencesource" Nothing FUNCTION;
    NoDuplicate "noduplicate" Nothing FUNCTION;
    NoExt "noext" Nothing PARAM | RESULT;
    NoFpClass "nofpclass" FpClasses PARAM | RESULT;
    NoFree "nofree" Nothing FUNCTION | PARAM;
    NoImplicitFloat "noimplicitfloat" Nothing FUNCTION;
    NoInline "noinline" Nothing FUNCTION;
    NoMerge "nomerge" Nothing FUNCTION;
    NonLazyBind "nonlazybind" Nothing FUNCTION;
    NonNull "nonnull" Nothing PARAM | RESULT;
    NoProfile "noprofile" Nothing FUNCTION;
    NoRecurse "norecurse" Nothing FUNCTION;
    NoRedZone "noredzone" Nothing FUNCTION;
    NoReturn "noreturn" Nothing FUNCTION;
    NosanitizeBounds "nosanitize_bounds" Nothing FUNCTION;
    NosanitizeCoverage "nosanitize_coverage" Nothing FUNCTION;
    NoSync "nosync" Nothing FUNCTION;
    NoUndef "noundef" Nothing PARAM | RESULT;
    NoUnwind "nounwind" Nothing FUNCTION;
    NullPointerIsValid "null_pointer_is_valid" Nothing FUNCTION;
    OptDebug "optdebug" Nothing FUNCTION;
    OptForFuzzing "optforfuzzing" Nothing FUNCTION;
    OptNone "optnone" Nothing FUNCTION;
    OptSize "optsize" Nothing FUNCTION;
    Preallocated "preallocated" Type FUNCTION | PARAM;
    PresplitCoroutine "presplitcoroutine" Nothing FUNCTION;
    Range "range" Range PARAM | RESULT;
    ReadNone "readnone" Nothing PARAM;
    ReadOnly "readonly" Nothing PARAM;
    Returned "returned" Nothing PARAM;
    ReturnsTwice "returns_twice" Nothing FUNCTION;
    SafeStack "safestack" Nothing FUNCTION;
    SanitizeAddress "sanitize_address" Nothing FUNCTION;
    SanitizeAllocToken "sanitize_alloc_token" Nothing FUNCTION;
    SanitizeHwaddress "sanitize_hwaddress" Nothing FUNCTION;
    SanitizeMemory "sanitize_memory" Nothing FUNCTION;
    SanitizeMemtag "sanitize_memtag" Nothing FUNCTION;
    SanitizeNumericalStability "sanitize_numerical_stability" Nothing FUNCTION;
    SanitizeRealtime "sanitize_realtime" Nothing FUNCTION;
    SanitizeRealtimeBlocking "sanitize_realtime_blocking" Nothing FUNCTION;
    SanitizeThread "sanitize_thread" Nothing FUNCTION;
    SanitizeType "sanitize_type" Nothing FUNCTION;
    ShadowCallStack "shadowcallstack" Nothing FUNCTION;
    SignExt "signext" Nothing PARAM | RESULT;
    SkipProfile "skipprofile" Nothing FUNCTION;
    Speculatable "speculatable" Nothing FUNCTION;
    SpeculativeLoadHardening "speculative_load_hardening" Nothing FUNCTION;
    SRet "sret" Type PARAM;
    Ssp "ssp" Nothing FUNCTION;
    SspReq "sspreq" Nothing FUNCTION;
    SspStrong "sspstrong" Nothing FUNCTION;
    StrictFp "strictfp" Nothing FUNCTION;
    SwiftAsync "swiftasync" Nothing PARAM;
    SwiftError "swifterror" Nothing PARAM;
    SwiftSelf "swiftself" Nothing PARAM;
    UwTable "uwtable" Unwind FUNCTION;
    VScaleRange "vscale_range" Positions FUNCTION;
    WillReturn "willreturn" Nothing FUNCTION;
    Writable "writable" Nothing PARAM;
    WriteOnly "writeonly" Nothing PARAM;
    ZeroExt "zeroext" Nothing PARAM | RESULT;
}

impl AttributeKind {
    /// Those of parameters that are the callee's own object or slot rather than what the call passes: a copy of the argument (`byval`),
    /// memory that was set up for the call (`inalloca`, `preallocated`), or a register or slot that LLVM keeps for the callee while it
    /// runs (`swiftasync`, `swifterror`).
    pub const OWN: &[AttributeKind] = &[
        AttributeKind::ByVal,
        AttributeKind::InAlloca,
        AttributeKind::Preallocated,
        AttributeKind::SwiftAsync,
        AttributeKind::SwiftError,
    ];

    /// The attribute of a name.
    pub fn of(name: &str) -> Option<AttributeKind> {
        let at = AttributeKind::ALL.binary_search_by_key(&name, |kind| kind.name()).ok()?;
        Some(AttributeKind::ALL[at])
    }

    /// The name.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// What follows the name.
    pub const fn payload(self) -> Payload {
        self.row().1
    }

    /// Whether the attribute is allowed at a place.
    pub const fn may_stand(self, place: Place) -> bool {
        self.row().2 & place as u8 != 0
    }
}

impl AttributeList {
    /// What is wrong with the list's attributes.
    pub fn flaw(&self) -> Option<String> {
        let sets = [(&self.function, Place::Function), (&self.result, Place::Result)];
        let params = self.params.iter().map(|set| (set, Place::Param));
        sets.into_iter().chain(params).flat_map(|(set, place)| set.iter().map(move |one| (one, place))).find_map(
            |(attribute, place)| Some(format!("`{}` {}", attribute.to_string().escape_debug(), attribute.flaw(place)?)),
        )
    }
}

impl Attribute {
    /// What is wrong with the attribute at its position, as the rest of a sentence.
    pub fn flaw(&self, place: Place) -> Option<String> {
        if let Some(kind) = self.kind() {
            return (!kind.may_stand(place)).then(|| format!("cannot stand at {}", place.text()));
        }
        let Attribute::Other { text, ty } = self else { return None };
        if text.starts_with('"') {
            return Some("is not `\"key\"` or `\"key\"=\"value\"`, with `\\22` for a quote".into());
        }
        let Some(kind) = AttributeKind::of(name(text)) else { return Some("is no attribute of LLVM".into()) };
        let payload = kind.payload();
        if ty.is_some() != (payload == Payload::Type) {
            return Some(if ty.is_some() { "has no type" } else { "has a type" }.into());
        }
        Some(format!("has another form: {}", payload.form(kind.name())))
    }
}

/// The start of a text that can be a name.
pub(super) fn name(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
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
    pub(super) fn is_spelled(self, rest: &str) -> bool {
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

/// The parts of `"key"` or `"key"="value"`, of printable characters and escapes.
pub(super) fn string_parts(text: &str) -> Option<(&str, Option<&str>)> {
    let mut parts = text.split('"');
    let (key, value) = match (parts.next(), parts.next(), parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(""), Some(key), Some(""), None, None, None) => (key, None),
        (Some(""), Some(key), Some("="), Some(value), Some(""), None) => (key, Some(value)),
        _ => return None,
    };
    (is_escaped(key) && value.is_none_or(is_escaped)).then_some((key, value))
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

    /// What is wrong, or another spelling.
    fn flaw(text: &str, place: Place) -> Option<String> {
        let attribute = Attribute::new(text, None);
        attribute.flaw(place).or_else(|| Some(attribute.to_string()).filter(|spelled| spelled != text))
    }

    #[test]
    fn kinds_are_in_order() {
        assert!(AttributeKind::ALL.is_sorted_by(|a, b| a.name() < b.name()));
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
        let typed = Attribute::new("byval", Some(Type::I32));
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
        let typed = Attribute::new("noundef", Some(Type::I32));
        assert_eq!(typed.flaw(Place::Param).as_deref(), Some("has no type"));
    }

    #[test]
    fn the_list_names_the_attribute() {
        let list = AttributeList { result: [AttributeKind::NoUnwind.into()].into(), ..AttributeList::default() };
        assert_eq!(list.flaw().as_deref(), Some("`nounwind` cannot stand at a result"));
    }
}
