; Control flow: every terminator of plain code and every shape of graph.
source_filename = "control.ll"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @use(...)
declare i32 @next()
declare i1 @condition()
declare void @exit(i32) noreturn

define void @returns_nothing() {
  ret void
}

define i32 @returns_a_constant() {
  ret i32 42
}

define i32 @returns_its_parameter(i32 %a, i32 returned %b) {
  ret i32 %b
}

define void @never_returns() {
  unreachable
}

define void @exits() {
  call void @exit(i32 1)
  unreachable
}

define i32 @diamond(i1 %c, i32 %a) {
entry:
  br i1 %c, label %then, label %else

then:
  %x = add i32 %a, 1
  br label %join

else:
  %y = mul i32 %a, 2
  br label %join

join:
  %z = phi i32 [ %x, %then ], [ %y, %else ]
  ret i32 %z
}

define i32 @triangle(i1 %c, i32 %a) {
entry:
  br i1 %c, label %then, label %join

then:
  %x = call i32 @next()
  br label %join

join:
  %z = phi i32 [ %x, %then ], [ %a, %entry ]
  ret i32 %z
}

define i32 @triangle_on_the_false_side(i1 %c, i32 %a) {
entry:
  br i1 %c, label %join, label %else

else:
  %x = call i32 @next()
  br label %join

join:
  %z = phi i32 [ %x, %else ], [ %a, %entry ]
  ret i32 %z
}

define i32 @several_returns(i32 %a) {
entry:
  switch i32 %a, label %default [
    i32 0, label %zero
    i32 1, label %one
    i32 2, label %two
  ]

zero:
  ret i32 10

one:
  %x = call i32 @next()
  ret i32 %x

two:
  call void @exit(i32 2)
  unreachable

default:
  %small = icmp slt i32 %a, 0
  br i1 %small, label %zero.again, label %last

zero.again:
  ret i32 10

last:
  ret i32 %a
}

define void @condition_is_constant(i32 %a) {
entry:
  br i1 true, label %then, label %else

then:
  call void (...) @use(i32 1)
  br label %join

else:
  call void (...) @use(i32 2)
  br i1 poison, label %join, label %last

last:
  call void (...) @use(i32 3)
  switch i32 7, label %join [
    i32 7, label %same
    i32 8, label %join
  ]

same:
  call void (...) @use(i32 4)
  br i1 undef, label %join, label %then

join:
  ret void
}

define void @condition_is_shared(i1 %c) {
entry:
  br i1 %c, label %then, label %middle

then:
  call void (...) @use(i32 1)
  br label %middle

middle:
  call void (...) @use(i32 2)
  br i1 %c, label %again, label %end

again:
  call void (...) @use(i32 3)
  br label %end

end:
  call void (...) @use(i1 %c)
  ret void
}

define i32 @condition_is_far(i32 %a, i32 %b) {
entry:
  %c = icmp eq i32 %a, %b
  %d = call i32 @next()
  %e = add i32 %d, %a
  br i1 %c, label %then, label %else

then:
  ret i32 %e

else:
  ret i32 %d
}

; Several cases lead to one block.
define i32 @parallel_edges_of_a_switch(i32 %a) {
entry:
  switch i32 %a, label %join [
    i32 1, label %one
    i32 2, label %join
    i32 3, label %one
    i32 4, label %join
  ]

one:
  %x = call i32 @next()
  br label %join

join:
  %z = phi i32 [ %x, %one ], [ 7, %entry ], [ 7, %entry ], [ 7, %entry ]
  ret i32 %z
}

define i32 @switch_of_bits(i1 %a) {
entry:
  switch i1 %a, label %no [
    i1 true, label %yes
  ]

yes:
  ret i32 1

no:
  ret i32 0
}

define i32 @switch_of_bytes(i8 %a) {
entry:
  switch i8 %a, label %default [
    i8 -128, label %one
    i8 127, label %two
    i8 0, label %one
    i8 -1, label %three
  ]

one:
  ret i32 1

two:
  ret i32 2

three:
  ret i32 3

default:
  ret i32 0
}

define i32 @switch_of_long_words(i64 %a) {
entry:
  switch i64 %a, label %default [
    i64 -9223372036854775808, label %one
    i64 9223372036854775807, label %two
    i64 4294967296, label %one
  ]

one:
  ret i32 1

two:
  ret i32 2

default:
  ret i32 0
}

define i32 @switch_of_wide_words(i128 %a, i65 %b) {
entry:
  switch i128 %a, label %default [
    i128 -170141183460469231731687303715884105728, label %one
    i128 18446744073709551616, label %two
    i128 0, label %one
  ]

one:
  ret i32 1

two:
  switch i65 %b, label %default [
    i65 -1, label %one
    i65 18446744073709551616, label %three
  ]

three:
  ret i32 3

default:
  ret i32 0
}

define void @switch_with_unreachable_default(i32 %a) {
entry:
  switch i32 %a, label %impossible [
    i32 0, label %zero
    i32 1, label %one
  ]

impossible:
  unreachable

zero:
  call void (...) @use(i32 0)
  br label %end

one:
  call void (...) @use(i32 1)
  br label %end

end:
  ret void
}

define void @switch_that_falls_through(i32 %a) {
entry:
  switch i32 %a, label %three [
    i32 0, label %zero
    i32 1, label %one
    i32 2, label %two
  ]

zero:
  call void (...) @use(i32 0)
  br label %one

one:
  call void (...) @use(i32 1)
  br label %two

two:
  call void (...) @use(i32 2)
  br label %three

three:
  call void (...) @use(i32 3)
  ret void
}

define i32 @unordered_cases(i32 %a) {
entry:
  switch i32 %a, label %default [
    i32 9, label %one
    i32 -3, label %two
    i32 4, label %one
    i32 0, label %two
    i32 -2147483648, label %default
  ]

one:
  ret i32 1

two:
  ret i32 2

default:
  ret i32 3
}

; Loops.

define void @self_loop(i32 %n) {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  call void (...) @use(i32 %i)
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  ret void
}

define void @self_loop_negated(i32 %n) {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %i.next = add i32 %i, 1
  %done = icmp uge i32 %i.next, %n
  br i1 %done, label %end, label %loop

end:
  ret void
}

define i32 @while_loop(i32 %n) {
entry:
  br label %head

head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %body ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %body ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %end

body:
  %x = call i32 @next()
  %sum.next = add i32 %sum, %x
  %i.next = add i32 %i, 1
  br label %head

end:
  ret i32 %sum
}

define void @infinite_loop() {
entry:
  br label %loop

loop:
  call void (...) @use()
  br label %loop
}

define void @empty_infinite_loop() {
entry:
  br label %loop

loop:
  br label %loop
}

define void @infinite_loop_of_two_blocks(i1 %c) {
entry:
  br label %head

head:
  %x = call i32 @next()
  br i1 %c, label %body, label %other

body:
  call void (...) @use(i32 %x)
  br label %head

other:
  call void (...) @use(i32 1)
  br label %head
}

define i32 @infinite_loop_on_one_path(i1 %c) {
entry:
  br i1 %c, label %loop, label %end

loop:
  call void (...) @use()
  br label %loop

end:
  ret i32 1
}

define i32 @two_infinite_loops(i1 %c) {
entry:
  br i1 %c, label %first, label %second

first:
  %i = phi i32 [ 0, %entry ], [ %i.next, %first ]
  %i.next = add i32 %i, 1
  call void (...) @use(i32 %i)
  br label %first

second:
  call void (...) @use(i32 2)
  br label %second
}

define i32 @break_and_continue(i32 %n) {
entry:
  br label %head

head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ], [ %i, %skip ]
  %x = call i32 @next()
  %stop = icmp eq i32 %x, 0
  br i1 %stop, label %end, label %body

body:
  %again = icmp eq i32 %x, 1
  br i1 %again, label %skip, label %latch

skip:
  call void (...) @use(i32 1)
  br label %head

latch:
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %head, label %end

end:
  %result = phi i32 [ %i, %head ], [ %i.next, %latch ]
  ret i32 %result
}

define i32 @several_exits(i32 %n) {
entry:
  br label %head

head:
  %i = phi i32 [ %n, %entry ], [ %i.next, %latch ]
  %a = call i1 @condition()
  br i1 %a, label %one, label %second

second:
  %b = call i1 @condition()
  br i1 %b, label %two, label %third

third:
  %x = call i32 @next()
  switch i32 %x, label %latch [
    i32 0, label %one
    i32 1, label %two
    i32 2, label %three
  ]

latch:
  %i.next = sub i32 %i, 1
  %more = icmp ne i32 %i.next, 0
  br i1 %more, label %head, label %end

one:
  %r = phi i32 [ 1, %head ], [ %x, %third ]
  ret i32 %r

two:
  call void (...) @use(i32 %i)
  br label %end

three:
  unreachable

end:
  %result = phi i32 [ %i, %two ], [ %i.next, %latch ]
  ret i32 %result
}

define i32 @return_from_nested_loops(i32 %n) {
entry:
  br label %outer

outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %inner

inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner.latch ]
  %a = call i1 @condition()
  br i1 %a, label %found, label %inner.latch

inner.latch:
  %j.next = add i32 %j, 1
  %j.more = icmp ult i32 %j.next, %n
  br i1 %j.more, label %inner, label %outer.latch

outer.latch:
  %i.next = add i32 %i, %j
  %i.more = icmp ult i32 %i.next, %n
  br i1 %i.more, label %outer, label %none

found:
  %product = mul i32 %i, %j
  ret i32 %product

none:
  ret i32 -1
}

define void @loops_that_share_a_header(i32 %n) {
entry:
  br label %head

head:
  %i = phi i32 [ 0, %entry ], [ %a, %first ], [ %b, %second ], [ 9, %head ]
  %x = call i32 @next()
  switch i32 %x, label %end [
    i32 0, label %first
    i32 1, label %second
    i32 2, label %head
  ]

first:
  %a = add i32 %i, 1
  br label %head

second:
  %b = add i32 %i, 2
  br label %head

end:
  ret void
}

define i32 @loop_after_loop(i32 %n) {
entry:
  br label %first

first:
  %i = phi i32 [ 0, %entry ], [ %i.next, %first ]
  %i.next = add i32 %i, 1
  %c = call i1 @condition()
  br i1 %c, label %first, label %second

second:
  %j = phi i32 [ %i.next, %first ], [ %j.next, %second ]
  %j.next = mul i32 %j, 3
  %d = call i1 @condition()
  br i1 %d, label %second, label %end

end:
  ret i32 %j
}

define i32 @phis_that_swap(i32 %a, i32 %b, i32 %n) {
entry:
  br label %loop

loop:
  %x = phi i32 [ %a, %entry ], [ %y, %loop ]
  %y = phi i32 [ %b, %entry ], [ %x, %loop ]
  %z = phi i32 [ 0, %entry ], [ %x, %loop ]
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %sum = add i32 %x, %z
  ret i32 %sum
}

define i32 @phi_of_undef(i1 %c, i32 %a) {
entry:
  br i1 %c, label %then, label %join

then:
  call void (...) @use(i32 1)
  br label %join

join:
  %u = phi i32 [ undef, %then ], [ %a, %entry ]
  ret i32 %u
}

; Irreducible: two entries, three entries, and a loop with an entry into its inner loop.

define i32 @irreducible(i1 %c, i32 %n) {
entry:
  br i1 %c, label %left, label %right

left:
  %i = phi i32 [ 0, %entry ], [ %j, %right ]
  call void (...) @use(i32 %i)
  br label %right

right:
  %j = phi i32 [ 1, %entry ], [ %i, %left ]
  %d = call i1 @condition()
  br i1 %d, label %left, label %end

end:
  ret i32 %j
}

define i32 @irreducible_with_three_entries(i32 %n) {
entry:
  switch i32 %n, label %one [
    i32 1, label %two
    i32 2, label %three
  ]

one:
  %a = phi i32 [ 0, %entry ], [ %c, %three ]
  %p = call i1 @condition()
  br i1 %p, label %two, label %end

two:
  %b = phi i32 [ 1, %entry ], [ %a, %one ]
  %q = call i1 @condition()
  br i1 %q, label %three, label %other.end

three:
  %c = phi i32 [ 2, %entry ], [ %b, %two ]
  call void (...) @use(i32 %c)
  br label %one

end:
  ret i32 %a

other.end:
  ret i32 %b
}

define void @jump_into_inner_loop(i1 %c) {
entry:
  br i1 %c, label %outer, label %inner

outer:
  call void (...) @use(i32 1)
  br label %inner

inner:
  call void (...) @use(i32 2)
  %d = call i1 @condition()
  br i1 %d, label %inner, label %latch

latch:
  %e = call i1 @condition()
  br i1 %e, label %outer, label %end

end:
  ret void
}

; Branches that are no hammocks.

define i32 @unstructured(i32 %a) {
entry:
  %c1 = call i1 @condition()
  br i1 %c1, label %left, label %right

left:
  %c2 = call i1 @condition()
  br i1 %c2, label %shared, label %left.only

right:
  %c3 = call i1 @condition()
  br i1 %c3, label %shared, label %right.only

shared:
  %s = phi i32 [ 1, %left ], [ 2, %right ]
  call void (...) @use(i32 %s)
  br label %join

left.only:
  call void (...) @use(i32 3)
  br label %join

right.only:
  call void (...) @use(i32 4)
  br label %join

join:
  %x = phi i32 [ %s, %shared ], [ 30, %left.only ], [ 40, %right.only ]
  ret i32 %x
}

define i32 @short_circuit(i1 %a, i1 %b, i1 %c) {
entry:
  br i1 %a, label %second, label %no

second:
  call void (...) @use(i32 1)
  br i1 %b, label %third, label %no

third:
  call void (...) @use(i32 2)
  br i1 %c, label %yes, label %no

yes:
  call void (...) @use(i32 3)
  br label %end

no:
  %from = phi i32 [ 0, %entry ], [ 1, %second ], [ 2, %third ]
  call void (...) @use(i32 %from)
  br label %end

end:
  %x = phi i32 [ 1, %yes ], [ 0, %no ]
  ret i32 %x
}

define void @crossing(i1 %a, i1 %b, i1 %c) {
entry:
  br i1 %a, label %one, label %two

one:
  call void (...) @use(i32 1)
  br i1 %b, label %three, label %four

two:
  call void (...) @use(i32 2)
  br i1 %c, label %three, label %four

three:
  call void (...) @use(i32 3)
  br label %end

four:
  call void (...) @use(i32 4)
  br label %end

end:
  ret void
}

define i32 @critical_edges(i32 %a) {
entry:
  %c1 = call i1 @condition()
  br i1 %c1, label %middle, label %end

middle:
  %x = phi i32 [ %a, %entry ], [ %y, %loop ]
  %c2 = call i1 @condition()
  br i1 %c2, label %loop, label %end

loop:
  %y = add i32 %x, 1
  %c3 = call i1 @condition()
  br i1 %c3, label %middle, label %end

end:
  %z = phi i32 [ 0, %entry ], [ %x, %middle ], [ %y, %loop ]
  ret i32 %z
}

define i32 @goto_cleanup(i32 %a) {
entry:
  %c1 = call i1 @condition()
  br i1 %c1, label %second, label %cleanup

second:
  call void (...) @use(i32 1)
  %c2 = call i1 @condition()
  br i1 %c2, label %third, label %cleanup

third:
  call void (...) @use(i32 2)
  %c3 = call i1 @condition()
  br i1 %c3, label %done, label %cleanup

done:
  ret i32 0

cleanup:
  %level = phi i32 [ 1, %entry ], [ 2, %second ], [ 3, %third ]
  call void (...) @use(i32 %level)
  ret i32 -1
}

; Exits to code that never returns.

define i32 @assertions(i32 %a) {
entry:
  %c1 = call i1 @condition()
  br i1 %c1, label %ok, label %fail

ok:
  %c2 = call i1 @condition()
  br i1 %c2, label %fine, label %fail.2

fine:
  ret i32 %a

fail:
  call void @exit(i32 1)
  unreachable

fail.2:
  call void @exit(i32 2)
  unreachable
}

define void @abort_in_loop(i32 %n) {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %ok ]
  %c = call i1 @condition()
  br i1 %c, label %ok, label %fail

ok:
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %loop, label %end

fail:
  call void @exit(i32 %i)
  unreachable

end:
  ret void
}

; Divisions and loads that must not move above what guards them, and calls that may not return before them.
define i32 @guarded_division(i32 %a, i32 %b, ptr %p) {
entry:
  %zero = icmp eq i32 %b, 0
  br i1 %zero, label %end, label %divide

divide:
  %q = sdiv i32 %a, %b
  call void (...) @use(i32 %q)
  %r = urem i32 %a, %b
  %v = load i32, ptr %p, align 4
  %s = add i32 %r, %v
  br label %end

end:
  %x = phi i32 [ 0, %entry ], [ %s, %divide ]
  ret i32 %x
}

; Computations that nothing uses stay where they were.
define void @dead_code(i32 %a, ptr %p) {
entry:
  %x = add i32 %a, 1
  %y = mul i32 %x, %x
  %c = icmp eq i32 %a, 0
  br i1 %c, label %then, label %end

then:
  %z = sub i32 %y, 1
  %w = load i32, ptr %p, align 4
  br label %end

end:
  %v = phi i32 [ %z, %then ], [ %y, %entry ]
  %u = xor i32 %v, 1
  ret void
}
define i32 @empty_blocks(i1 %c) {
entry:
  br i1 %c, label %then, label %else

then:
  br label %join

else:
  br label %join

join:
  %z = phi i32 [ 1, %then ], [ 2, %else ]
  ret i32 %z
}

define i32 @empty_blocks_of_a_switch(i32 %a) {
entry:
  switch i32 %a, label %default [
    i32 1, label %one
    i32 2, label %two
  ]

one:
  br label %join

two:
  br label %join

default:
  br label %join

join:
  %z = phi i32 [ 10, %one ], [ 20, %two ], [ 30, %default ]
  ret i32 %z
}

define i32 @empty_block_on_one_side(i1 %c, i32 %a) {
entry:
  br i1 %c, label %then, label %join

then:
  br label %join

join:
  %z = phi i32 [ 1, %then ], [ %a, %entry ]
  ret i32 %z
}

