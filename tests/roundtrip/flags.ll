; Every flag of every operation that has one.
source_filename = "flags.ll"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @use(...)
declare float @callee(float)
declare <4 x float> @vector_callee(<4 x float>)
declare { float, float } @pair_callee(float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.sqrt.f32(float)

define void @add(i32 %a, i32 %b) {
  %plain = add i32 %a, %b
  %nuw = add nuw i32 %a, %b
  %nsw = add nsw i32 %a, %b
  %both = add nuw nsw i32 %a, %b
  call void (...) @use(i32 %plain, i32 %nuw, i32 %nsw, i32 %both)
  ret void
}

define void @sub(i32 %a, i32 %b) {
  %plain = sub i32 %a, %b
  %nuw = sub nuw i32 %a, %b
  %nsw = sub nsw i32 %a, %b
  %both = sub nuw nsw i32 %a, %b
  call void (...) @use(i32 %plain, i32 %nuw, i32 %nsw, i32 %both)
  ret void
}

define void @mul(i32 %a, i32 %b) {
  %plain = mul i32 %a, %b
  %nuw = mul nuw i32 %a, %b
  %nsw = mul nsw i32 %a, %b
  %both = mul nuw nsw i32 %a, %b
  call void (...) @use(i32 %plain, i32 %nuw, i32 %nsw, i32 %both)
  ret void
}

define void @shl(i32 %a, i32 %b) {
  %plain = shl i32 %a, %b
  %nuw = shl nuw i32 %a, %b
  %nsw = shl nsw i32 %a, %b
  %both = shl nuw nsw i32 %a, %b
  call void (...) @use(i32 %plain, i32 %nuw, i32 %nsw, i32 %both)
  ret void
}

define void @exact(i32 %a, i32 %b) {
  %udiv = udiv i32 %a, %b
  %udiv.exact = udiv exact i32 %a, %b
  %sdiv = sdiv i32 %a, %b
  %sdiv.exact = sdiv exact i32 %a, %b
  %lshr = lshr i32 %a, %b
  %lshr.exact = lshr exact i32 %a, %b
  %ashr = ashr i32 %a, %b
  %ashr.exact = ashr exact i32 %a, %b
  call void (...) @use(i32 %udiv, i32 %udiv.exact, i32 %sdiv, i32 %sdiv.exact)
  call void (...) @use(i32 %lshr, i32 %lshr.exact, i32 %ashr, i32 %ashr.exact)
  ret void
}

define void @unflagged(i32 %a, i32 %b) {
  %urem = urem i32 %a, %b
  %srem = srem i32 %a, %b
  %and = and i32 %a, %b
  %or = or i32 %a, %b
  %disjoint = or disjoint i32 %a, %b
  %xor = xor i32 %a, %b
  %freeze = freeze i32 %a
  call void (...) @use(i32 %urem, i32 %srem, i32 %and, i32 %or, i32 %disjoint, i32 %xor, i32 %freeze)
  ret void
}

define void @division_by_constants(i32 %a) {
  %u = udiv i32 %a, 7
  %s = sdiv i32 %a, -1
  %z = sdiv i32 %a, 0
  %r = urem i32 %a, 8
  %m = srem i32 %a, -8
  call void (...) @use(i32 %u, i32 %s, i32 %z, i32 %r, i32 %m)
  ret void
}

define void @integer_casts(i32 %a, i64 %b) {
  %trunc = trunc i64 %b to i32
  %trunc.nuw = trunc nuw i64 %b to i32
  %trunc.nsw = trunc nsw i64 %b to i32
  %trunc.both = trunc nuw nsw i64 %b to i32
  %zext = zext i32 %a to i64
  %zext.nneg = zext nneg i32 %a to i64
  %sext = sext i32 %a to i64
  call void (...) @use(i32 %trunc, i32 %trunc.nuw, i32 %trunc.nsw, i32 %trunc.both)
  call void (...) @use(i64 %zext, i64 %zext.nneg, i64 %sext)
  ret void
}

define void @other_casts(i32 %a, float %f, double %d, ptr %p, i64 %i) {
  %uitofp = uitofp i32 %a to float
  %uitofp.nneg = uitofp nneg i32 %a to float
  %sitofp = sitofp i32 %a to float
  %fptoui = fptoui float %f to i32
  %fptosi = fptosi float %f to i32
  %fptrunc = fptrunc double %d to float
  %fptrunc.fast = fptrunc fast double %d to float
  %fptrunc.nnan = fptrunc nnan ninf double %d to float
  %fpext = fpext float %f to double
  %fpext.nnan = fpext nnan float %f to double
  %fpext.ninf = fpext ninf float %f to double
  call void (...) @use(float %uitofp, float %uitofp.nneg, float %sitofp, i32 %fptoui, i32 %fptosi)
  call void (...) @use(float %fptrunc, float %fptrunc.fast, float %fptrunc.nnan)
  call void (...) @use(double %fpext, double %fpext.nnan, double %fpext.ninf)
  %ptrtoint = ptrtoint ptr %p to i64
  %ptrtoaddr = ptrtoaddr ptr %p to i64
  %inttoptr = inttoptr i64 %i to ptr
  %bitcast = bitcast i64 %i to double
  %addrspacecast = addrspacecast ptr %p to ptr addrspace(3)
  call void (...) @use(i64 %ptrtoint, i64 %ptrtoaddr, ptr %inttoptr, double %bitcast, ptr addrspace(3) %addrspacecast)
  ret void
}

define void @getelementptr(ptr %p, i64 %i) {
  %plain = getelementptr i8, ptr %p, i64 %i
  %nuw = getelementptr nuw i8, ptr %p, i64 %i
  %nusw = getelementptr nusw i8, ptr %p, i64 %i
  %nusw.nuw = getelementptr nusw nuw i8, ptr %p, i64 %i
  %inbounds = getelementptr inbounds i8, ptr %p, i64 %i
  %inbounds.nuw = getelementptr inbounds nuw i8, ptr %p, i64 %i
  call void (...) @use(ptr %plain, ptr %nuw, ptr %nusw, ptr %nusw.nuw, ptr %inbounds, ptr %inbounds.nuw)
  ret void
}

define void @getelementptr_forms(ptr %p, i64 %i, <4 x ptr> %ps, <4 x i64> %is) {
  %no.index = getelementptr i32, ptr %p
  %struct = getelementptr inbounds { i32, [4 x { i8, i64 }] }, ptr %p, i64 %i, i32 1, i32 2, i32 1
  %narrow = getelementptr i32, ptr %p, i8 3
  %mixed = getelementptr [3 x i32], ptr %p, i64 0, i32 2
  %pointers = getelementptr i32, <4 x ptr> %ps, i64 %i
  %indices = getelementptr inbounds i32, ptr %p, <4 x i64> %is
  %both = getelementptr nuw i32, <4 x ptr> %ps, <4 x i64> %is
  call void (...) @use(ptr %no.index, ptr %struct, ptr %narrow, ptr %mixed)
  call void (...) @use(<4 x ptr> %pointers, <4 x ptr> %indices, <4 x ptr> %both)
  ret void
}

define void @icmp(i32 %a, i32 %b, ptr %p, ptr %q) {
  %eq = icmp eq i32 %a, %b
  %ne = icmp ne i32 %a, %b
  %ugt = icmp ugt i32 %a, %b
  %uge = icmp uge i32 %a, %b
  %ult = icmp ult i32 %a, %b
  %ule = icmp ule i32 %a, %b
  %sgt = icmp sgt i32 %a, %b
  %sge = icmp sge i32 %a, %b
  %slt = icmp slt i32 %a, %b
  %sle = icmp sle i32 %a, %b
  %same.eq = icmp samesign eq i32 %a, %b
  %same.ult = icmp samesign ult i32 %a, %b
  %same.sgt = icmp samesign sgt i32 %a, %b
  %pointer = icmp eq ptr %p, %q
  %null = icmp ne ptr %p, null
  call void (...) @use(i1 %eq, i1 %ne, i1 %ugt, i1 %uge, i1 %ult, i1 %ule, i1 %sgt, i1 %sge, i1 %slt, i1 %sle)
  call void (...) @use(i1 %same.eq, i1 %same.ult, i1 %same.sgt, i1 %pointer, i1 %null)
  ret void
}

define void @fcmp(float %a, float %b) {
  %false = fcmp false float %a, %b
  %oeq = fcmp oeq float %a, %b
  %ogt = fcmp ogt float %a, %b
  %oge = fcmp oge float %a, %b
  %olt = fcmp olt float %a, %b
  %ole = fcmp ole float %a, %b
  %one = fcmp one float %a, %b
  %ord = fcmp ord float %a, %b
  %ueq = fcmp ueq float %a, %b
  %ugt = fcmp ugt float %a, %b
  %uge = fcmp uge float %a, %b
  %ult = fcmp ult float %a, %b
  %ule = fcmp ule float %a, %b
  %une = fcmp une float %a, %b
  %uno = fcmp uno float %a, %b
  %true = fcmp true float %a, %b
  %fast = fcmp fast oeq float %a, %b
  %nnan = fcmp nnan olt float %a, %b
  call void (...) @use(i1 %false, i1 %oeq, i1 %ogt, i1 %oge, i1 %olt, i1 %ole, i1 %one, i1 %ord)
  call void (...) @use(i1 %ueq, i1 %ugt, i1 %uge, i1 %ult, i1 %ule, i1 %une, i1 %uno, i1 %true)
  call void (...) @use(i1 %fast, i1 %nnan)
  ret void
}

define void @fast_math_flags(float %a, float %b) {
  %plain = fadd float %a, %b
  %reassoc = fadd reassoc float %a, %b
  %nnan = fadd nnan float %a, %b
  %ninf = fadd ninf float %a, %b
  %nsz = fadd nsz float %a, %b
  %arcp = fadd arcp float %a, %b
  %contract = fadd contract float %a, %b
  %afn = fadd afn float %a, %b
  %fast = fadd fast float %a, %b
  %some = fadd reassoc nsz contract float %a, %b
  call void (...) @use(float %plain, float %reassoc, float %nnan, float %ninf, float %nsz)
  call void (...) @use(float %arcp, float %contract, float %afn, float %fast, float %some)
  ret void
}

define void @fast_math_operations(float %a, float %b) {
  %fneg = fneg float %a
  %fneg.nsz = fneg nsz float %a
  %fadd = fadd nnan ninf float %a, %b
  %fsub = fsub float %a, %b
  %fsub.fast = fsub fast float %a, %b
  %fmul = fmul float %a, %b
  %fmul.contract = fmul contract float %a, %b
  %fdiv = fdiv float %a, %b
  %fdiv.arcp = fdiv arcp float %a, %b
  %frem = frem float %a, %b
  %frem.nnan = frem nnan float %a, %b
  call void (...) @use(float %fneg, float %fneg.nsz, float %fadd, float %fsub, float %fsub.fast, float %fmul)
  call void (...) @use(float %fmul.contract, float %fdiv, float %fdiv.arcp, float %frem, float %frem.nnan)
  ret void
}

define float @fast_math_phi(i1 %c, float %a, float %b, <2 x float> %v) {
entry:
  br i1 %c, label %then, label %else

then:
  %sum = fadd float %a, %b
  br label %join

else:
  %other = fadd float %a, %a
  br label %join

join:
  %phi.fast = phi fast float [ %sum, %then ], [ %a, %else ]
  %phi.nsz = phi nnan nsz float [ %b, %then ], [ %other, %else ]
  %phi.plain = phi float [ %b, %then ], [ %other, %else ]
  %phi.vector = phi afn <2 x float> [ %v, %then ], [ zeroinitializer, %else ]
  %sum.1 = fadd float %phi.fast, %phi.nsz
  %sum.2 = fadd float %sum.1, %phi.plain
  call void (...) @use(<2 x float> %phi.vector)
  ret float %sum.2
}

define void @fast_math_select(i1 %c, float %a, float %b, i32 %x, i32 %y) {
  %plain = select i1 %c, float %a, float %b
  %fast = select fast i1 %c, float %a, float %b
  %nsz = select nnan nsz i1 %c, float %a, float %b
  %integer = select i1 %c, i32 %x, i32 %y
  call void (...) @use(float %plain, float %fast, float %nsz, i32 %integer)
  ret void
}

define void @fast_math_call(float %a, float %b, <4 x float> %v) {
  %plain = call float @callee(float %a)
  %fast = call fast float @callee(float %a)
  %nnan = call nnan nsz float @callee(float %a)
  %tail = tail call ninf float @callee(float %a)
  %vector = call afn <4 x float> @vector_callee(<4 x float> %v)
  %pair = call nnan { float, float } @pair_callee(float %a)
  %fma = call contract float @llvm.fma.f32(float %a, float %b, float %a)
  %sqrt = call afn float @llvm.sqrt.f32(float %a)
  call void (...) @use(float %plain, float %fast, float %nnan, float %tail, <4 x float> %vector, { float, float } %pair)
  call void (...) @use(float %fma, float %sqrt)
  ret void
}

define void @vector_flags(<4 x i32> %a, <4 x i32> %b, <4 x float> %f, <4 x i1> %c, <4 x i64> %w) {
  %add = add nuw nsw <4 x i32> %a, %b
  %or = or disjoint <4 x i32> %a, %b
  %lshr = lshr exact <4 x i32> %a, %b
  %fmul = fmul reassoc nnan <4 x float> %f, %f
  %select = select nsz <4 x i1> %c, <4 x float> %f, <4 x float> %fmul
  %icmp = icmp samesign slt <4 x i32> %a, %b
  %trunc = trunc nuw <4 x i64> %w to <4 x i32>
  %zext = zext nneg <4 x i32> %a to <4 x i64>
  call void (...) @use(<4 x i32> %add, <4 x i32> %or, <4 x i32> %lshr, <4 x float> %select)
  call void (...) @use(<4 x i1> %icmp, <4 x i32> %trunc, <4 x i64> %zext)
  ret void
}

define i32 @constants_on_either_side(i32 %a) {
  %1 = sub i32 1, %a
  %2 = sub i32 %1, 1
  %3 = shl i32 1, %2
  %4 = add i32 2, 3
  %5 = add i32 poison, %4
  %6 = xor i32 undef, %5
  %7 = add i32 %6, %3
  ret i32 %7
}
