; Exceptions: landing pads and funclets.
source_filename = "eh.ll"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@type.a = external constant ptr
@type.b = external constant ptr

declare void @use(...)
declare i32 @may_throw(i32)
declare void @void()
declare i32 @__gxx_personality_v0(...)
declare i32 @__CxxFrameHandler3(...)
declare i32 @__C_specific_handler(...)
declare i32 @llvm.eh.typeid.for.p0(ptr)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()

define i32 @cleanup(i32 %a) personality ptr @__gxx_personality_v0 {
entry:
  %x = invoke i32 @may_throw(i32 %a)
          to label %normal unwind label %pad

normal:
  ret i32 %x

pad:
  %exception = landingpad { ptr, i32 }
          cleanup
  call void @void()
  resume { ptr, i32 } %exception
}

define i32 @catches(i32 %a) personality ptr @__gxx_personality_v0 {
entry:
  %x = invoke i32 @may_throw(i32 %a)
          to label %second unwind label %pad

second:
  %y = invoke noundef i32 @may_throw(i32 %x) #0
          to label %end unwind label %pad, !prof !0

pad:
  %live = phi i32 [ %a, %entry ], [ %x, %second ]
  %exception = landingpad { ptr, i32 }
          cleanup
          catch ptr @type.a
          catch ptr null
          filter [1 x ptr] [ptr @type.b]
          filter [0 x ptr] zeroinitializer
  %pointer = extractvalue { ptr, i32 } %exception, 0
  %selector = extractvalue { ptr, i32 } %exception, 1
  %type = call i32 @llvm.eh.typeid.for.p0(ptr @type.a)
  %matches = icmp eq i32 %selector, %type
  br i1 %matches, label %handler, label %rethrow

handler:
  %object = call ptr @__cxa_begin_catch(ptr %pointer)
  call void (...) @use(ptr %object)
  call void @__cxa_end_catch()
  br label %end

rethrow:
  resume { ptr, i32 } %exception

end:
  %result = phi i32 [ %y, %second ], [ %live, %handler ]
  ret i32 %result
}

define void @invoke_in_loop(i32 %n) personality ptr @__gxx_personality_v0 {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %x = invoke i32 @may_throw(i32 %i)
          to label %latch unwind label %pad

latch:
  %next = add i32 %i, %x
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end

pad:
  %exception = landingpad { ptr, i32 }
          catch ptr null
  ret void

end:
  ret void
}

define void @invoke_of_assembly_and_bundles(ptr %f) personality ptr @__gxx_personality_v0 {
entry:
  invoke void asm sideeffect unwind "call f", "~{memory}"()
          to label %second unwind label %pad

second:
  invoke fastcc void %f() [ "deopt"(i32 1) ]
          to label %end unwind label %pad

pad:
  %exception = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %exception

end:
  ret void
}

define void @calls_with_personality() personality ptr @__gxx_personality_v0 {
  call void @void()
  ret void
}

define i32 @funclets(i32 %a) personality ptr @__CxxFrameHandler3 {
entry:
  %slot = alloca i32, align 4
  %x = invoke i32 @may_throw(i32 %a)
          to label %end unwind label %dispatch

dispatch:
  %switch = catchswitch within none [label %first, label %second] unwind label %cleanup

first:
  %catch = catchpad within %switch [ptr @type.a, i32 8, ptr %slot]
  %value = load i32, ptr %slot, align 4
  call void @void() [ "funclet"(token %catch) ]
  catchret from %catch to label %end

second:
  %catch.2 = catchpad within %switch [ptr null, i32 64, ptr null]
  invoke void @void() [ "funclet"(token %catch.2) ]
          to label %second.end unwind label %cleanup

second.end:
  catchret from %catch.2 to label %end

cleanup:
  %pad = cleanuppad within none []
  call void @void() [ "funclet"(token %pad) ]
  cleanupret from %pad unwind to caller

end:
  %result = phi i32 [ %x, %entry ], [ %value, %first ], [ 0, %second.end ]
  ret i32 %result
}

define void @nested_funclets() personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @void()
          to label %end unwind label %cleanup

cleanup:
  %pad = cleanuppad within none [i32 7]
  invoke void @void() [ "funclet"(token %pad) ]
          to label %done unwind label %inner

inner:
  %switch = catchswitch within %pad [label %handler] unwind to caller

handler:
  %catch = catchpad within %switch [ptr null, i32 64, ptr null]
  catchret from %catch to label %done

done:
  cleanupret from %pad unwind label %last

last:
  %last.pad = cleanuppad within none []
  unreachable

end:
  ret void
}

define i32 @structured_exceptions() personality ptr @__C_specific_handler {
entry:
  %x = invoke i32 @may_throw(i32 1)
          to label %end unwind label %dispatch

dispatch:
  %switch = catchswitch within none [label %handler] unwind to caller

handler:
  %catch = catchpad within %switch [ptr null]
  catchret from %catch to label %end

end:
  %result = phi i32 [ %x, %entry ], [ -1, %handler ]
  ret i32 %result
}

attributes #0 = { noinline }

!0 = !{!"branch_weights", i32 1000, i32 1}
