; Attributes of functions, results, parameters and calls, of every form.
source_filename = "attributes.ll"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i32, i32 }

define noundef nonnull align 8 dereferenceable(16) ptr @result(ptr noalias nonnull noundef readonly captures(none) align 16 dereferenceable(32) %a, ptr dereferenceable_or_null(4) writeonly nofree %b, i32 signext range(i32 0, 10) %c, i8 zeroext %d, i32 inreg %e) #0 {
  %r = call noundef nonnull align 8 ptr @other(ptr nonnull %a, i32 range(i32 1, 5) %c) #7
  ret ptr %r
}

define void @types(ptr byval(%pair) align 4 %a, ptr sret(%pair) align 8 %b, ptr byref(i64) align 8 %c, ptr nest %e, ptr swiftself %f) #1 {
  ret void
}

define void @uses(ptr %p, <2 x double> nofpclass(nan inf) %x) #2 {
  %allocated = call noalias ptr @allocate(i64 8) #8
  call void @types(ptr byval({ i32, i32 }) align 4 %p, ptr sret(%pair) align 8 %p, ptr byref(i64) align 8 %p, ptr nest %p, ptr swiftself %p)
  call void @initializes(ptr initializes((0, 4), (8, 12)) %allocated)
  ret void
}

define void @sections() #3 {
  ret void
}

define void @unoptimized() #10 {
  ret void
}

define void @sanitized() #4 {
  ret void
}

define void @optimization() #5 {
  ret void
}

define i32 @target(i32 returned %x) #6 {
  ret i32 %x
}

declare ptr @other(ptr, i32)


declare void @initializes(ptr)

declare ptr @allocate(i64) #9

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: read, inaccessiblemem: write) uwtable "min-legal-vector-width"="0" }
attributes #1 = { alwaysinline cold convergent memory(none) speculatable uwtable(sync) }
attributes #2 = { hot inlinehint nocallback nomerge noprofile nonlazybind noredzone noreturn null_pointer_is_valid returns_twice }
attributes #3 = { alignstack=16 nocf_check shadowcallstack ssp "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #4 = { sanitize_address sanitize_hwaddress sanitize_memory sanitize_memtag sanitize_thread safestack sspstrong disable_sanitizer_instrumentation }
attributes #5 = { minsize optsize strictfp speculative_load_hardening sspreq }
attributes #6 = { mustprogress noimplicitfloat "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" vscale_range(1,16) }
attributes #7 = { nobuiltin nounwind "call-site"="here" }
attributes #8 = { builtin allocsize(0) }
attributes #9 = { allockind("alloc,uninitialized") allocsize(0) "alloc-family"="malloc" }
attributes #10 = { noinline optnone }
