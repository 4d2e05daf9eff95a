; Funclets in funclets, `catchswitch` and `cleanupret` that unwind to others, phis in them
declare void @throws(i32)
declare void @release(i32) nounwind
declare i32 @__CxxFrameHandler3(...)
define i32 @f(i32 %a, i1 %c) personality ptr @__CxxFrameHandler3 {
entry:
  br i1 %c, label %left, label %right

left:
  invoke void @throws(i32 1)
          to label %right unwind label %cleanup

right:
  invoke void @throws(i32 2)
          to label %fine unwind label %cleanup

cleanup:
  %which = phi i32 [ 1, %left ], [ %a, %right ]
  %u = cleanuppad within none []
  %again = icmp eq i32 %which, 1
  br i1 %again, label %free, label %done

free:
  call void @release(i32 %which) [ "funclet"(token %u) ]
  br label %done

done:
  cleanupret from %u unwind label %dispatch

dispatch:
  %s = catchswitch within none [label %first, label %second] unwind label %outer

first:
  %p = catchpad within %s [ptr null, i32 8, ptr null]
  invoke void @throws(i32 %which) [ "funclet"(token %p) ]
          to label %leave unwind label %inner

inner:
  %t = catchswitch within %p [label %third] unwind label %outer

third:
  %q = catchpad within %t [ptr null, i32 64, ptr null]
  catchret from %q to label %leave

leave:
  catchret from %p to label %fine

second:
  %r = catchpad within %s [ptr null, i32 0, ptr null]
  catchret from %r to label %entry.again

entry.again:
  br label %fine

outer:
  %w = cleanuppad within none []
  call void @release(i32 0) [ "funclet"(token %w) ]
  cleanupret from %w unwind to caller

fine:
  %x = phi i32 [ 0, %right ], [ 1, %leave ], [ 2, %entry.again ]
  ret i32 %x
}
