; Control flow that structured programs seldom have: labels that share what they do, values that change places, chains of switches,
; loops with several entries and exits, values that are poison on some ways, results that are used on one way only.
target triple = "x86_64-pc-linux-gnu"

@labels = internal constant [2 x ptr] [ptr blockaddress(@places, %a), ptr blockaddress(@places, %b)]
declare void @note(i32)
declare i32 @ask(i32)
declare i1 @decide(i32)
declare i32 @may_throw(i32)
declare i32 @__gxx_personality_v0(...)

define i32 @swap_in_loop(i32 %x, i32 %y, i32 %n) {
  %m = and i32 %n, 7
  br label %loop
loop:
  %a = phi i32 [ %x, %0 ], [ %b, %loop ]
  %b = phi i32 [ %y, %0 ], [ %a, %loop ]
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %m
  br i1 %c, label %loop, label %end
end:
  %r = sub i32 %a, %b
  ret i32 %r }
define i32 @rotate_in_loop(i32 %x, i32 %y, i32 %z, i32 %n) {
  %m = and i32 %n, 7
  br label %loop
loop:
  %a = phi i32 [ %x, %0 ], [ %b, %loop ]
  %b = phi i32 [ %y, %0 ], [ %d, %loop ]
  %d = phi i32 [ %z, %0 ], [ %a, %loop ]
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  call void @note(i32 %a)
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %m
  br i1 %c, label %loop, label %end
end:
  %s = shl i32 %b, 1
  %r = sub i32 %s, %d
  ret i32 %r }
define i32 @constant_in_loop(i32 %n) {
  %m = and i32 %n, 7
  br label %loop
loop:
  %k = phi i32 [ 5, %0 ], [ 9, %loop ]
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  call void @note(i32 %k)
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %m
  br i1 %c, label %loop, label %end
end:
  %r = add i32 %k, %i
  ret i32 %r }
define i32 @constant_after_loop(i32 %n) {
  %m = and i32 %n, 7
  br label %loop
loop:
  %k = phi i32 [ %n, %0 ], [ 9, %loop ]
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  call void @note(i32 %k)
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %m
  br i1 %c, label %loop, label %end
end:
  %l = phi i32 [ 9, %loop ]
  %r = add i32 %l, %i
  ret i32 %r }
define i32 @poison_in_loop(i32 %n) {
  %m = and i32 %n, 7
  br label %loop
loop:
  %k = phi i32 [ poison, %0 ], [ %i, %loop ]
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %f = icmp eq i32 %i, 0
  %v = select i1 %f, i32 3, i32 %k
  call void @note(i32 %v)
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %m
  br i1 %c, label %loop, label %end
end:
  ret i32 %v }
define i32 @before_value(i32 %n) {
  %m = and i32 %n, 7
  br label %loop
loop:
  %last = phi i32 [ -1, %0 ], [ %v, %loop ]
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %v = call i32 @ask(i32 %last)
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %m
  br i1 %c, label %loop, label %end
end:
  %r = xor i32 %last, %v
  ret i32 %r }
define i32 @same_value_around(i32 %x, i32 %n) {
  %m = and i32 %n, 7
  br label %loop
loop:
  %k = phi i32 [ %x, %0 ], [ %k, %next ]
  %l = phi i32 [ %x, %0 ], [ %x, %next ]
  %i = phi i32 [ 0, %0 ], [ %j, %next ]
  %d = call i1 @decide(i32 %k)
  br i1 %d, label %next, label %out
next:
  call void @note(i32 %l)
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %m
  br i1 %c, label %loop, label %end
out:
  ret i32 %k
end:
  ret i32 %l }
define i32 @two_entries(i32 %n, i1 %c) {
  br i1 %c, label %one, label %two
one:
  %i = phi i32 [ %n, %0 ], [ %k, %two ]
  %j = sub i32 %i, 3
  call void @note(i32 %j)
  %d = icmp slt i32 %j, 0
  br i1 %d, label %end, label %two
two:
  %h = phi i32 [ 20, %0 ], [ %j, %one ]
  %l = and i32 %h, 31
  %k = sub i32 %l, 5
  %e = icmp slt i32 %k, 0
  br i1 %e, label %end, label %one
end:
  %r = phi i32 [ %j, %one ], [ %k, %two ]
  ret i32 %r }
define i32 @three_exits(i32 %n, i32 %m) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %three ]
  %a = call i32 @ask(i32 %i)
  %c = icmp eq i32 %a, %n
  br i1 %c, label %first, label %two
two:
  %b = add i32 %a, %i
  %d = icmp eq i32 %b, %m
  br i1 %d, label %second, label %three
three:
  %j = add i32 %i, 1
  %e = icmp ult i32 %j, 5
  br i1 %e, label %loop, label %third
first:
  ret i32 %i
second:
  call void @note(i32 %b)
  br label %third
third:
  %r = phi i32 [ %b, %second ], [ %a, %three ]
  ret i32 %r }
define i32 @switch_ladder(i32 %x) {
  switch i32 %x, label %other [ i32 0, label %a
    i32 1, label %b
    i32 2, label %a
    i32 9, label %c ]
a:
  %p = phi i32 [ 10, %0 ], [ 10, %0 ]
  br label %b
b:
  %q = phi i32 [ %p, %a ], [ 20, %0 ]
  br label %c
c:
  %r = phi i32 [ %q, %b ], [ 30, %0 ]
  call void @note(i32 %r)
  br label %end
other:
  %o = call i32 @ask(i32 %x)
  switch i32 %o, label %end [ i32 1, label %a2
    i32 2, label %b2 ]
a2:
  br label %end
b2:
  br label %end
end:
  %s = phi i32 [ %r, %c ], [ %x, %other ], [ 7, %a2 ], [ 7, %b2 ]
  ret i32 %s }
define i32 @switch_same(i32 %x) {
  switch i32 %x, label %a [ i32 0, label %a
    i32 1, label %a
    i32 2, label %b ]
a:
  br label %b
b:
  %r = phi i32 [ 1, %a ], [ 2, %0 ]
  ret i32 %r }
define i32 @switch_constant(i32 %x) {
  switch i32 3, label %a [ i32 0, label %b
    i32 3, label %c ]
a:
  call void @note(i32 1)
  br label %c
b:
  call void @note(i32 2)
  br label %c
c:
  %r = phi i32 [ 1, %a ], [ 2, %b ], [ %x, %0 ]
  ret i32 %r }
define i32 @switch_of_choice(i1 %c, i1 %d) {
  br i1 %c, label %a, label %b
a:
  br i1 %d, label %m, label %n
b:
  br label %m
n:
  call void @note(i32 5)
  br label %m
m:
  %k = phi i32 [ 0, %a ], [ 1, %b ], [ 2, %n ]
  %v = phi i32 [ 7, %a ], [ poison, %b ], [ 9, %n ]
  switch i32 %k, label %z [ i32 0, label %x
    i32 1, label %y ]
x:
  ret i32 %v
y:
  ret i32 3
z:
  %w = add i32 %v, 1
  ret i32 %w }
define i32 @switch_in_loop(i32 %x) {
  br label %loop
loop:
  %state = phi i32 [ 0, %0 ], [ %next, %join ]
  %i = phi i32 [ 0, %0 ], [ %j, %join ]
  %s = phi i32 [ 0, %0 ], [ %t, %join ]
  switch i32 %state, label %end [ i32 0, label %a
    i32 1, label %b
    i32 2, label %c ]
a:
  %p = call i1 @decide(i32 %i)
  %np = select i1 %p, i32 1, i32 0
  br label %join
b:
  %sb = add i32 %s, %i
  br label %join
c:
  %q = icmp ugt i32 %i, 9
  br i1 %q, label %end, label %join
join:
  %next = phi i32 [ %np, %a ], [ 2, %b ], [ 0, %c ]
  %t = phi i32 [ %s, %a ], [ %sb, %b ], [ %s, %c ]
  %j = add i32 %i, 1
  %e = icmp ult i32 %j, 14
  br i1 %e, label %loop, label %end
end:
  %r = phi i32 [ %s, %loop ], [ %i, %c ], [ %t, %join ]
  ret i32 %r }
define i32 @predicate_of_predicates(i32 %x, i32 %y) {
  %a = icmp slt i32 %x, 3
  %b = icmp slt i32 %y, 3
  br i1 %a, label %p, label %q
p:
  br i1 %b, label %s, label %t
q:
  br i1 %b, label %t, label %s
s:
  %u = phi i1 [ true, %p ], [ %b, %q ]
  br label %m
t:
  %v = phi i1 [ %a, %p ], [ false, %q ]
  call void @note(i32 4)
  br label %m
m:
  %w = phi i1 [ %u, %s ], [ %v, %t ]
  %k = phi i32 [ 1, %s ], [ 2, %t ]
  br i1 %w, label %g, label %h
g:
  ret i32 %k
h:
  %l = add i32 %k, %x
  ret i32 %l }
define i32 @shared_tail(i32 %x, i32 %y) {
  %a = icmp slt i32 %x, 3
  br i1 %a, label %p, label %q
p:
  call void @note(i32 1)
  %b = icmp slt i32 %y, 3
  br i1 %b, label %tail, label %other
q:
  call void @note(i32 2)
  %c = icmp slt i32 %y, 5
  br i1 %c, label %tail, label %other
tail:
  %v = phi i32 [ %x, %p ], [ %y, %q ]
  call void @note(i32 %v)
  br label %end
other:
  %w = phi i32 [ 5, %p ], [ %x, %q ]
  br label %end
end:
  %r = phi i32 [ %v, %tail ], [ %w, %other ]
  ret i32 %r }
define i32 @loop_in_loop_exit(i32 %n) {
  %m = and i32 %n, 3
  br label %outer
outer:
  %i = phi i32 [ 0, %0 ], [ %i1, %next ]
  %s = phi i32 [ 0, %0 ], [ %s2, %next ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %more ]
  %s1 = phi i32 [ %s, %outer ], [ %s2, %more ]
  %c = call i1 @decide(i32 %j)
  br i1 %c, label %end, label %more
more:
  %s2 = add i32 %s1, %j
  %j1 = add i32 %j, 1
  %d = icmp ult i32 %j1, 3
  br i1 %d, label %inner, label %next
next:
  %i1 = add i32 %i, 1
  %e = icmp ult i32 %i1, %m
  br i1 %e, label %outer, label %end
end:
  %r = phi i32 [ %s1, %inner ], [ -1, %next ]
  %k = phi i32 [ %i, %inner ], [ %i1, %next ]
  %o = mul i32 %r, %k
  ret i32 %o }
define i32 @nested_decisions(i32 %x, i32 %n) {
  %m = and i32 %n, 7
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %next ]
  %flag = phi i1 [ false, %0 ], [ %f, %next ]
  br i1 %flag, label %a, label %b
a:
  %p = icmp eq i32 %i, %x
  br i1 %p, label %leave, label %next
b:
  %q = call i1 @decide(i32 %i)
  br i1 %q, label %c, label %next
c:
  call void @note(i32 %i)
  br label %next
next:
  %f = phi i1 [ false, %a ], [ %flag, %b ], [ true, %c ]
  %j = add i32 %i, 1
  %e = icmp ult i32 %j, %m
  br i1 %e, label %loop, label %leave
leave:
  %r = phi i32 [ %i, %a ], [ 99, %next ]
  %g = phi i1 [ %flag, %a ], [ %f, %next ]
  %z = zext i1 %g to i32
  %o = add i32 %r, %z
  ret i32 %o }
define i32 @unreached_parts(i32 %x) {
  br i1 true, label %a, label %b
a:
  %c = icmp eq i32 %x, 77
  br i1 %c, label %d, label %e
b:
  call void @note(i32 1)
  br label %e
d:
  unreachable
e:
  %r = phi i32 [ 3, %a ], [ 4, %b ]
  ret i32 %r }
define i32 @waits(i32 %n) {
  %m = and i32 %n, 7
  br label %loop
loop:
  %i = phi i32 [ %m, %0 ], [ %j, %back ]
  %c = icmp eq i32 %i, 0
  br i1 %c, label %end, label %body
body:
  %d = call i1 @decide(i32 %i)
  br i1 %d, label %one, label %two
one:
  %a = sub i32 %i, 1
  br label %back
two:
  %b = lshr i32 %i, 1
  br label %back
back:
  %j = phi i32 [ %a, %one ], [ %b, %two ]
  br label %loop
end:
  ret i32 %m }
define void @empty_ways(i32 %x) {
  %c = icmp eq i32 %x, 0
  br i1 %c, label %a, label %b
a:
  br label %d
b:
  %e = icmp eq i32 %x, 1
  br i1 %e, label %d, label %f
f:
  br label %d
d:
  ret void }
define i64 @wide_switch(i64 %x, i128 %y) {
  switch i128 %y, label %o [ i128 18446744073709551616, label %a
    i128 0, label %b
    i128 -1, label %c ]
a:
  ret i64 1
b:
  switch i64 %x, label %o [ i64 -9223372036854775808, label %a
    i64 9223372036854775807, label %c ]
c:
  ret i64 2
o:
  ret i64 %x }
define i32 @values_of_one_way(i32 %x, i32 %y) {
  %c = icmp sgt i32 %x, %y
  br i1 %c, label %a, label %b
a:
  %p = mul i32 %x, %y
  %q = add i32 %p, 3
  br label %m
b:
  %r = call i32 @ask(i32 %y)
  br label %m
m:
  %u = phi i32 [ %p, %a ], [ poison, %b ]
  %v = phi i32 [ undef, %a ], [ %r, %b ]
  br i1 %c, label %g, label %h
g:
  %s = sub i32 %u, %x
  ret i32 %s
h:
  %t = xor i32 %v, %x
  ret i32 %t }
define i32 @assembly_labels(i32 %x) {
  %c = icmp eq i32 %x, 123456
  br i1 %c, label %t, label %e
t:
  callbr void asm "", "!i,!i"() to label %a [label %b, label %e]
a:
  ret i32 1
b:
  ret i32 2
e:
  ret i32 3 }
define i32 @places(i32 %x) {
  %i = and i32 %x, 1
  %q = getelementptr [2 x ptr], ptr @labels, i64 0, i32 %i
  %p = load ptr, ptr %q
  indirectbr ptr %p, [label %a, label %b]
a:
  call void @note(i32 1)
  br label %b
b:
  %r = phi i32 [ 1, %0 ], [ 2, %a ]
  ret i32 %r }
define i32 @pad_of_two(i32 %x, i32 %y) personality ptr @__gxx_personality_v0 {
  %a = invoke i32 @may_throw(i32 %x) to label %one unwind label %pad
one:
  %b = invoke i32 @may_throw(i32 %a) to label %two unwind label %pad
two:
  ret i32 %b
pad:
  %v = phi i32 [ %y, %0 ], [ %a, %one ]
  %l = landingpad { ptr, i32 } catch ptr null
  %s = extractvalue { ptr, i32 } %l, 1
  %r = add i32 %s, %v
  ret i32 %r }
define i32 @pad_that_goes_on(i32 %x, i32 %n) personality ptr @__gxx_personality_v0 {
  %m = and i32 %n, 3
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %next ]
  %s = phi i32 [ %x, %0 ], [ %t, %next ]
  %a = invoke i32 @may_throw(i32 %s) to label %fine unwind label %pad
fine:
  %c = icmp eq i32 %a, 7
  br i1 %c, label %again, label %next
again:
  %b = invoke i32 @may_throw(i32 %i) to label %next unwind label %pad
pad:
  %v = phi i32 [ 1, %loop ], [ 2, %again ]
  %w = phi i32 [ %s, %loop ], [ %a, %again ]
  %l = landingpad { ptr, i32 } catch ptr null
  %u = add i32 %v, %w
  br label %next
next:
  %t = phi i32 [ %a, %fine ], [ %b, %again ], [ %u, %pad ]
  %j = add i32 %i, 1
  %d = icmp ult i32 %j, %m
  br i1 %d, label %loop, label %end
end:
  ret i32 %t }
