//! Input that is no valid module gives an error that says what is wrong and where.

use rvsdg_llvm::{Error, Format, LlvmModule, Severity};

fn rejected(bytes: &[u8]) -> Error {
    match LlvmModule::parse(bytes, "in.ll") {
        Ok(_) => panic!("accepted"),
        Err(error) => error,
    }
}

#[test]
fn empty() {
    for bytes in [&b""[..], b"\n  \n"] {
        let error = rejected(bytes);
        assert!(matches!(error, Error::Empty { .. }));
        assert_eq!(error.to_string(), "in.ll: the file is empty; expected LLVM IR, as text or bitcode");
    }
}

#[test]
fn syntax_error_has_place_and_line() {
    let error = rejected(b"define i32 @f() {\n  %x = add i32 1, \n}\n");
    assert_eq!(error.to_string(), "in.ll:3:1: error: expected value token\n}\n^");
    let error = rejected(b"define i32 @f() {\n  ret i64 0\n}\n");
    assert!(error.to_string().starts_with("in.ll:2:"), "{error}");
}

#[test]
fn bytes_that_are_no_ir() {
    let error = rejected(b"\x7fELF\x02\x01\x01\0\0\0");
    assert!(error.to_string().starts_with("in.ll:1:1: error: "), "{error}");
    rejected(&[0; 64]);
    rejected(&[0xff; 64]);
}

#[test]
fn truncated_bitcode() {
    let (mut module, _) = LlvmModule::parse(b"define i32 @f(i32 %x) {\n  ret i32 %x\n}\n", "in.ll").unwrap();
    let bitcode = module.write(Format::Bitcode);
    for len in (4..bitcode.len()).step_by(4).chain([5, 9, bitcode.len() - 1]) {
        // A few cuts leave what LLVM takes for a complete module; most must be rejected, none may crash.
        if let Err(error) = LlvmModule::parse(&bitcode[..len], "in.bc") {
            assert!(error.to_string().starts_with("in.bc"), "{error}");
        }
    }
    let error = rejected(&bitcode[..bitcode.len() / 2]);
    assert!(error.to_string().starts_with("in.ll: error: cannot read bitcode: "), "{error}");
}

#[test]
fn invalid_module_names_the_function() {
    let source = "define i32 @good() {\n  ret i32 0\n}\ndefine i32 @bad(i1 %c) {\n  br i1 %c, label %a, label %b\na:\n  %x = add i32 1, 2\n  \
                  br label %b\nb:\n  ret i32 %x\n}\n";
    let error = rejected(source.as_bytes());
    let Error::Invalid { function, message, .. } = &error else { panic!("{error}") };
    assert_eq!(function, "bad");
    assert!(message.contains("Instruction does not dominate all uses!"), "{message}");
}

#[test]
fn broken_debug_info_is_dropped_with_a_warning() {
    let source = "define void @f() !dbg !3 {\n  ret void\n}\n!llvm.module.flags = !{!0}\n!llvm.dbg.cu = !{!1}\n\
                  !0 = !{i32 2, !\"Debug Info Version\", i32 3}\n!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !2)\n\
                  !2 = !DIFile(filename: \"a.c\", directory: \"/\")\n!3 = distinct !DISubprogram(name: \"f\", scope: !2, file: !2, \
                  spFlags: DISPFlagDefinition, unit: !2)\n";
    let (mut module, diagnostics) = LlvmModule::parse(source.as_bytes(), "in.ll").unwrap();
    assert!(diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Warning), "{diagnostics:?}");
    assert!(!String::from_utf8(module.write(Format::Text)).unwrap().contains("DISubprogram"));
}

#[test]
fn missing_data_layout_is_that_of_the_triple() {
    let source = "target triple = \"x86_64-unknown-linux-gnu\"\n";
    let (mut module, _) = LlvmModule::parse(source.as_bytes(), "in.ll").unwrap();
    assert!(String::from_utf8(module.write(Format::Text)).unwrap().contains("target datalayout = \"e-m:e-"));
}
