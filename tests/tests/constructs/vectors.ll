; Fixed vectors: every element and lane operation
define <4 x i32> @f(<4 x i32> %a, <4 x i32> %b, <4 x float> %x, i32 %i, <4 x ptr> %ps, <4 x i1> %m) {
  %e = extractelement <4 x i32> %a, i32 %i
  %c = insertelement <4 x i32> %b, i32 %e, i32 3
  %s = shufflevector <4 x i32> %a, <4 x i32> %c, <4 x i32> <i32 0, i32 poison, i32 5, i32 7>
  %l = icmp ult <4 x i32> %s, <i32 1, i32 2, i32 3, i32 4>
  %d = select <4 x i1> %l, <4 x i32> %a, <4 x i32> %b
  %y = fmul fast <4 x float> %x, splat (float 2.000000e+00)
  %z = fptosi <4 x float> %y to <4 x i32>
  %g = getelementptr i32, <4 x ptr> %ps, i64 1
  %v = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> align 4 %g, <4 x i1> %m, <4 x i32> %z)
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %d, <4 x ptr> align 4 %ps, <4 x i1> %m)
  %t = bitcast <4 x i32> %v to <2 x i64>
  %u = bitcast <2 x i64> %t to <4 x i32>
  %r = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %u)
  %k = freeze <4 x i32> %u
  %o = insertelement <4 x i32> %k, i32 %r, i64 0
  ret <4 x i32> %o
}
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, <4 x i1>, <4 x i32>)
declare void @llvm.masked.scatter.v4i32.v4p0(<4 x i32>, <4 x ptr>, <4 x i1>)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
