//! The table of attributes in `rvsdg-core` is LLVM's own list: names, what belongs to each, and where each may stand.

use inkwell::attributes::Attribute as LlvmAttribute;
use rvsdg_core::Type;
use rvsdg_core::attribute::{Attribute, AttributeKind, Payload, Place};
use rvsdg_llvm::LlvmModule;

/// What may follow the name of an attribute, first what is right.
fn spellings(payload: Payload) -> (&'static [&'static str], &'static [&'static str]) {
    match payload {
        Payload::Nothing => (&[""], &["(1)", " 8"]),
        Payload::Type => (&["(i32)"], &["(4)"]),
        Payload::Align => (&[" 8", " 4096"], &["", " 3", " x"]),
        Payload::Bytes => (&["(8)"], &["", "(x)", "(-1)"]),
        Payload::Positions => (&["(0)", "(0,1)", "(1, 2)"], &["", "(x)", "(0,1,2)"]),
        Payload::Unwind => (&["", "(sync)", "(async)"], &["(never)", "()"]),
        Payload::AllocKind => (&["(\"alloc,zeroed\")", "(\"free\")"], &["", "(alloc)", "(\"allocs\")"]),
        Payload::Memory => (
            &["(none)", "(read, argmem: readwrite)", "(errnomem: write)", "(target_mem0: read)"],
            &["", "()", "(all)", "(heap: read)", "(argmem)"],
        ),
        Payload::Captures => (
            &["(none)", "(address)", "(ret: address, provenance)", "(address_is_null, ret: read_provenance)"],
            &["", "()", "(all)", "(arg: address)"],
        ),
        Payload::FpClasses => (&["(nan)", "(ninf pinf)", "(all)"], &["", "()", "(nans)"]),
        Payload::Range => (&["(i32 0, 10)", "(i32 -5, 0)"], &["", "(0, 10)", "(i32 0)", "(float 0, 1)"]),
        Payload::Ranges => (&["((0, 4))", "((0, 4), (8, 12))"], &["", "(0, 4)", "((0))"]),
    }
}

/// What LLVM says of a declaration with an attribute; `None` where the text would mean something else.
fn said(text: &str, place: Place) -> Option<String> {
    let source = match place {
        // After a function, that is the alignment of its code.
        Place::Function if text.starts_with("align ") => return None,
        Place::Function => format!("declare void @f() {text}"),
        Place::Param => format!("declare void @f(i32 {text})"),
        Place::Result => format!("declare {text} i32 @f()"),
    };
    Some(LlvmModule::parse(source.as_bytes(), "a").err().map_or_else(String::new, |error| error.to_string()))
}

/// Whether what LLVM says is about the attribute's place or text, and not about the type it stands with.
fn is_syntax(said: &str) -> bool {
    // `builtin` stands at calls only, though LLVM counts it among the attributes of functions.
    said.starts_with("a:1:") && !said.contains("'builtin' attribute not valid on function")
}

#[test]
fn names() {
    // LLVM counts the end of its enumeration too.
    assert_eq!(AttributeKind::ALL.len() + 1, LlvmAttribute::get_last_enum_kind_id() as usize);
    for kind in AttributeKind::ALL {
        assert_ne!(LlvmAttribute::get_named_enum_kind_id(kind.name()), 0, "{kind:?}");
    }
}

#[test]
fn places() {
    for kind in AttributeKind::ALL {
        let (name, payload) = (kind.name(), kind.payload());
        for place in Place::ALL {
            let Some(said) = said(&format!("{name}{}", spellings(payload).0[0]), place) else { continue };
            // LLVM reads these of functions as what they were before `memory(…)`.
            let is_old = place == Place::Function && ["readnone", "readonly", "writeonly"].contains(&name);
            assert_eq!(!is_syntax(&said), kind.may_stand(place) || is_old, "{name} {place:?}: {said}");
        }
    }
}

#[test]
fn what_belongs_to_them() {
    // Of `builtin`, LLVM does not get as far as to what belongs to it.
    for kind in AttributeKind::ALL.iter().filter(|kind| **kind != AttributeKind::BuiltIn) {
        let Some(place) = Place::ALL.into_iter().rev().find(|&place| kind.may_stand(place)) else { continue };
        let (name, payload) = (kind.name(), kind.payload());
        let (right, wrong) = spellings(payload);
        for (texts, is_right) in [(right, true), (wrong, false)] {
            for rest in texts {
                let spelled = format!("{name}{rest}");
                let said = said(&spelled, place).expect("only functions have an alignment of their own");
                assert_eq!(!is_syntax(&said), is_right, "{spelled} {place:?}: {said}");
                let typed = payload == Payload::Type && is_right;
                let (text, ty) = if typed { (name, Some(Type::I32)) } else { (&*spelled, None) };
                assert_eq!(Attribute::new(text, ty).flaw(place).is_none(), is_right, "{spelled}");
            }
        }
    }
}
