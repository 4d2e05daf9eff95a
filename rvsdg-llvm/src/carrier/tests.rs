use std::ffi::CStr;

use inkwell::llvm_sys::core::{LLVMCountBasicBlocks, LLVMGetNamedFunction};

use super::*;
use crate::import;

/// The blocks of `plain`, `described`, `untouched` and `dead` in LLVM's module.
fn blocks(carrier: &Carrier) -> [u32; 4] {
    let count = |name: &CStr| {
        // SAFETY: the module is live, and the functions are in it.
        unsafe { LLVMCountBasicBlocks(LLVMGetNamedFunction(carrier.module.as_raw(), name.as_ptr())) }
    };
    [c"plain", c"described", c"untouched", c"dead"].map(count)
}

const SOURCE: &str = r#"
    define i32 @plain(i1 %c) {
      br i1 %c, label %then, label %end
    then:
      br label %end
    end:
      %x = phi i32 [ 1, %0 ], [ 2, %then ]
      ret i32 %x
    }
    define void @described() !dbg !3 {
      ret void, !dbg !5
    }
    define ptr @untouched() {
      br label %next
    next:
      ret ptr blockaddress(@untouched, %next)
    }
    define void @dead() {
      ret void
    }
    !llvm.dbg.cu = !{!0}
    !llvm.module.flags = !{!2}
    !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
    !1 = !DIFile(filename: "a.c", directory: "/")
    !2 = !{i32 2, !"Debug Info Version", i32 3}
    !3 = distinct !DISubprogram(name: "described", file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
    !4 = !DISubroutineType(types: !{})
    !5 = !DILocation(line: 1, column: 1, scope: !3)
"#;

#[test]
fn bodies_that_are_graphs_are_not_there_until_they_are_written() {
    let (module, _) = LlvmModule::parse(SOURCE.as_bytes(), "module").unwrap();
    let import = import(module);
    assert_eq!(blocks(&import.host.tables.carrier), [0, 1, 2, 0]);
    let module = import.host.export(import.module.verify().unwrap(), |_| None).unwrap();
    assert_eq!(blocks(&Carrier::new(module)), [3, 1, 2, 1]);
}

#[test]
fn modules_of_others_keep_their_bodies() {
    let (module, _) = LlvmModule::parse(SOURCE.as_bytes(), "module").unwrap();
    // SAFETY: the module lives longer, and is not used meanwhile.
    let borrowed = unsafe { LlvmModule::borrow_raw(module.as_raw(), "module") }.unwrap();
    assert_eq!(blocks(&import(borrowed).host.tables.carrier), [3, 1, 2, 1]);
}
