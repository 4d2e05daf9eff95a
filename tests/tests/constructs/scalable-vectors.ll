; Scalable vectors
define <vscale x 4 x i32> @f(<vscale x 4 x i32> %a, i32 %b, ptr %p) {
  %i = insertelement <vscale x 4 x i32> poison, i32 %b, i64 0
  %s = shufflevector <vscale x 4 x i32> %i, <vscale x 4 x i32> poison, <vscale x 4 x i32> zeroinitializer
  %c = add nsw <vscale x 4 x i32> %a, %s
  %m = icmp sgt <vscale x 4 x i32> %c, zeroinitializer
  %d = select <vscale x 4 x i1> %m, <vscale x 4 x i32> %c, <vscale x 4 x i32> splat (i32 3)
  store <vscale x 4 x i32> %d, ptr %p, align 16
  %n = call i64 @llvm.vscale.i64()
  %q = getelementptr <vscale x 4 x i32>, ptr %p, i64 %n
  %e = load <vscale x 4 x i32>, ptr %q, align 16
  %h = call <vscale x 2 x i32> @llvm.vector.extract.nxv2i32.nxv4i32(<vscale x 4 x i32> %e, i64 0)
  %r = call <vscale x 4 x i32> @llvm.vector.insert.nxv4i32.nxv2i32(<vscale x 4 x i32> %d, <vscale x 2 x i32> %h, i64 2)
  ret <vscale x 4 x i32> %r
}
declare i64 @llvm.vscale.i64()
declare <vscale x 2 x i32> @llvm.vector.extract.nxv2i32.nxv4i32(<vscale x 4 x i32>, i64)
declare <vscale x 4 x i32> @llvm.vector.insert.nxv4i32.nxv2i32(<vscale x 4 x i32>, <vscale x 2 x i32>, i64)
