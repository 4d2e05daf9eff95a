use super::*;

const PLAIN: &str = r#"; ModuleID = 'x'
%s.a = type { i32 }
%s.b = type { ptr }
@table = global ptr blockaddress(@f, %left), !mine !3
define i32 @f(i1 %c, [2 x float] %"quoted name") #0 !mine !4 {
entry:
  br i1 %c, label %left, label %right, !prof !2

left:                                             ; preds = %entry
  %x = call i32 asm "a ; b [ %x ]", "=r"() #1, !mine !3
    #dbg_value(i32 %x, !5, !DIExpression(), !6)
  br label %join

right:                                            ; preds = %entry
  %y = load %s.a, ptr null, align 4
  switch i32 0, label %join [
    i32 1, label %left
  ], !mine !4

join:
  %p = phi [2 x float] [ [float 1.0, float 2.0], %left ], [ %"quoted name", %right ], !mine !2
  %q = phi fast float [ 1.0, %left ], [ 2.0, %right ]
  ret i32 %x
}
attributes #0 = { nounwind "a;b" }
attributes #1 = { cold }
!named = !{!2}
!2 = !{!"prof", i32 1}
!3 = distinct !{!3, !2}
!4 = !{!"; no comment"}
!5 = !{}
!6 = !{!5}
"#;

/// The same with other names, other orders and other numbers.
const PERMUTED: &str = r#"%s.b = type { ptr }
%s.a = type { i32 }
@table = global ptr blockaddress(@f, %7), !mine !0
define i32 @f(i1 %0, [2 x float] %1) #1 !mine !1 {
  br i1 %0, label %7, label %4, !prof !9

3:
  %p = phi [2 x float] [ %1, %4 ], [ [float 1.0, float 2.0], %7 ], !mine !9
  %q = phi fast float [ 2.0, %4 ], [ 1.0, %7 ]
  ret i32 %8

4:                                                ; preds = %2
  %x = load %s.a, ptr null, align 4
  switch i32 0, label %3 [
    i32 1, label %7
  ], !mine !1

7:
  %8 = call i32 asm "a ; b [ %x ]", "=r"() #0, !mine !0
    #dbg_value(i32 %8, !7, !DIExpression(), !8)
  br label %3
}
attributes #0 = { cold }
attributes #1 = { nounwind "a;b" }
!named = !{!9}
!0 = distinct !{!0, !9}
!1 = !{!"; no comment"}
!7 = !{}
!8 = !{!7}
!9 = !{!"prof", i32 1}
"#;

#[test]
fn names_and_orders_do_not_matter() {
    let (plain, permuted) = (normalize(PLAIN), normalize(PERMUTED));
    assert_eq!(plain.text(), permuted.text());
    assert_eq!(plain.differences(&permuted), None);
    assert!(plain.text().contains(" = phi fast float [ 1.0, %b1 ], [ 2.0, %b3 ]\n"), "{}", plain.text());
}

#[test]
fn everything_else_matters() {
    let changes = [
        ("fast ", ""),
        ("label %left, label %right", "label %right, label %left"),
        ("[ 1.0, %left ]", "[ 3.0, %left ]"),
        ("\"a ; b", "\"a ; c"),
        ("cold", "hot"),
        ("!{!3, !2}", "!{!3, !3}"),
        ("= distinct", "="),
        ("blockaddress(@f, %left)", "blockaddress(@f, %right)"),
        ("#dbg_value(i32 %x", "#dbg_value(i32 1"),
        ("  %q = phi", "  %r = add i32 1, 2\n  %q = phi"),
        ("; no comment", "; a comment"),
        ("i32 1, label %left", "i32 1, label %join"),
        ("%s.b = type { ptr }", "%s.b = type { i8 }"),
    ];
    let plain = normalize(PLAIN);
    for (old, new) in changes {
        let changed = PLAIN.replacen(old, new, 1);
        assert_ne!(changed, PLAIN, "{old}");
        assert!(plain.differences(&normalize(&changed)).is_some(), "{old} -> {new} is not seen");
    }
}

#[test]
fn differences_name_the_function() {
    let changed = PLAIN.replace("fast float", "float");
    let report = normalize(PLAIN).differences(&normalize(&changed)).unwrap();
    assert!(report.starts_with("in @f:\n"), "{report}");
    assert!(report.contains("  - ") && report.contains("  + "), "{report}");
}

#[test]
fn metadata_can_be_left_out() {
    let text = "@g = global i32 0, align 4, !dbg !0, !mine !1\ndefine void @f() #0 !dbg !2 {\n  #dbg_label(!3, !4)\n  \
                call void @g(metadata !5), !dbg !6, !prof !7\n  ], !prof !8\n}\n!llvm.ident = !{!9}\n!5 = !{}\n";
    let expected = "@g = global i32 0, align 4\ndefine void @f() #0 {\n  call void @g(metadata !5)\n  ]\n}\n!5 = !{}\n";
    assert_eq!(without_metadata(text), expected);
}
