; Vector predication
define <4 x i32> @f(<4 x i32> %a, <4 x i32> %b, <4 x i1> %m, i32 %n) {
  %s = call <4 x i32> @llvm.vp.add.v4i32(<4 x i32> %a, <4 x i32> %b, <4 x i1> %m, i32 %n)
  ret <4 x i32> %s
}
declare <4 x i32> @llvm.vp.add.v4i32(<4 x i32>, <4 x i32>, <4 x i1>, i32)
