; `atomicrmw`, each operation and ordering
define void @f(ptr %p, ptr %q, float %x, <2 x half> %v) {
  %a = atomicrmw xchg ptr %p, i32 1 monotonic, align 4
  %b = atomicrmw add ptr %p, i32 1 acquire, align 4
  %c = atomicrmw sub ptr %p, i32 1 release, align 4
  %d = atomicrmw and ptr %p, i32 1 acq_rel, align 4
  %e = atomicrmw nand ptr %p, i32 1 seq_cst, align 4
  %g = atomicrmw or ptr %p, i32 1 syncscope("singlethread") seq_cst, align 4
  %h = atomicrmw volatile xor ptr %p, i32 1 seq_cst, align 4
  %i = atomicrmw max ptr %p, i32 1 seq_cst, align 4
  %j = atomicrmw min ptr %p, i32 1 seq_cst, align 4
  %k = atomicrmw umax ptr %p, i32 1 seq_cst, align 4
  %l = atomicrmw umin ptr %p, i32 1 seq_cst, align 4
  %m = atomicrmw fadd ptr %p, float %x seq_cst, align 4
  %n = atomicrmw fsub ptr %p, float %x seq_cst, align 4
  %o = atomicrmw fmax ptr %p, float %x seq_cst, align 4
  %r = atomicrmw fmin ptr %p, float %x seq_cst, align 4
  %s = atomicrmw fmaximum ptr %p, float %x seq_cst, align 4
  %t = atomicrmw fminimum ptr %p, float %x seq_cst, align 4
  %u = atomicrmw uinc_wrap ptr %p, i32 7 seq_cst, align 4
  %v1 = atomicrmw udec_wrap ptr %p, i32 7 seq_cst, align 4
  %w = atomicrmw usub_cond ptr %p, i32 7 seq_cst, align 4
  %x1 = atomicrmw usub_sat ptr %p, i32 7 seq_cst, align 4
  %y = atomicrmw fadd ptr %p, <2 x half> %v seq_cst, align 4
  %z = atomicrmw xchg ptr %p, ptr %q seq_cst, align 8
  ret void
}
