; Everything that stands outside of bodies: variables, functions, aliases, ifuncs, comdats, and what may be said of them.
source_filename = "globals source.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-P0-G1"
target triple = "x86_64-unknown-linux-gnu"

module asm ".globl from_assembly"
module asm "from_assembly: .quad \22quoted\22, 1"

$comdat_any = comdat any
$comdat_exactmatch = comdat exactmatch
$comdat_largest = comdat largest
$comdat_nodeduplicate = comdat nodeduplicate
$comdat_samesize = comdat samesize
$comdat_function = comdat any
$"a comdat" = comdat any

; Linkages.
@l_external = external global i32
@l_extern_weak = extern_weak global i32
@l_defined = global i32 0
@l_private = private global i32 1
@l_internal = internal global i32 2
@l_available_externally = available_externally global i32 3
@l_linkonce = linkonce global i32 4
@l_linkonce_odr = linkonce_odr global i32 5
@l_weak = weak global i32 6
@l_weak_odr = weak_odr global i32 7
@l_common = common global i32 0
@l_appending = appending global [2 x i32] [i32 1, i32 2]

; Preemption, visibilities, storage classes.
@dso_local = dso_local global i32 8
@dso_preemptable = dso_preemptable global i32 9
@v_default = default global i32 10
@v_hidden = hidden global i32 11
@v_protected = protected global i32 12
@dllimport = external dllimport global i32
@dllexport = dllexport global i32 13

; Thread-local storage.
@t_general = thread_local global i32 14
@t_localdynamic = thread_local(localdynamic) global i32 15
@t_initialexec = thread_local(initialexec) global i32 16
@t_localexec = thread_local(localexec) global i32 17
@t_external = external thread_local(initialexec) global i32

; Addresses and constancy.
@unnamed_addr = unnamed_addr global i32 18
@local_unnamed_addr = local_unnamed_addr global i32 19
@constant = constant i32 20
@addrspace = addrspace(2) global i32 21
@externally_initialized = externally_initialized global i32 22
@all_at_once = internal thread_local(localexec) unnamed_addr addrspace(0) constant i32 23, section "all", align 16

; Properties behind the initializer.
@section = global i32 24, section "a section"
@partition = global i32 25, partition "a partition"
@align = global i32 26, align 64
@code_model_tiny = global i32 27, code_model "tiny"
@code_model_small = global i32 28, code_model "small"
@code_model_kernel = global i32 29, code_model "kernel"
@code_model_medium = global i32 30, code_model "medium"
@code_model_large = global i32 31, code_model "large"
@no_sanitize_address = global i32 32, no_sanitize_address
@no_sanitize_hwaddress = global i32 33, no_sanitize_hwaddress
@sanitize_memtag = global i32 34, sanitize_memtag
@sanitize_address_dyninit = global i32 35, sanitize_address_dyninit
@attributed = global i32 36 #0
@attributed_inline = global i32 37 "allow_direct_access_in_hot_patch_function" "mine"="too"
@"quoted name \22\01" = global i32 38
@0 = global i32 39
@1 = private unnamed_addr constant [4 x i8] c"abc\00", align 1
@empty = global {} zeroinitializer
@uninitialized = global i32 undef
@poisoned = global i32 poison
@self = global ptr @self
@forward = global ptr @backward
@backward = global ptr @forward

; Comdats.
@comdat_any = linkonce_odr global i32 40, comdat
@comdat_exactmatch = linkonce_odr global i32 41, comdat
@comdat_largest = linkonce_odr global i32 42, comdat
@comdat_nodeduplicate = global i32 43, comdat
@comdat_samesize = linkonce_odr global i32 44, comdat
@comdat_other = linkonce_odr global i32 45, comdat($comdat_any)
@comdat_quoted = linkonce_odr global i32 46, section "s", comdat($"a comdat"), align 4

; Aliases.
@a_global = alias i32, ptr @l_defined
@a_function = alias void (), ptr @f_plain
@a_element = alias i32, getelementptr inbounds (i8, ptr @l_appending_target, i64 4)
@l_appending_target = global [2 x i32] [i32 3, i32 4]
@a_alias = alias i32, ptr @a_global
@a_weak = weak alias i32, ptr @l_defined
@a_weak_odr = weak_odr alias i32, ptr @l_defined
@a_linkonce = linkonce alias i32, ptr @l_defined
@a_linkonce_odr = linkonce_odr alias i32, ptr @l_defined
@a_internal = internal alias i32, ptr @l_defined
@a_private = private alias i32, ptr @l_defined
@a_hidden = hidden alias i32, ptr @l_defined
@a_protected = protected alias i32, ptr @l_defined
@a_dllexport = dllexport alias i32, ptr @l_defined
@a_dso_local = dso_local alias i32, ptr @l_defined
@a_thread_local = thread_local alias i32, ptr @t_general
@a_thread_local_exec = thread_local(localexec) alias i32, ptr @t_localexec
@a_unnamed_addr = unnamed_addr alias i32, ptr @l_defined
@a_local_unnamed_addr = local_unnamed_addr alias i32, ptr @l_defined
@a_addrspace = alias i32, ptr addrspace(2) @addrspace
@a_cast = alias i32, addrspacecast (ptr addrspace(2) @addrspace to ptr)
@a_inttoptr = alias i32, inttoptr (i64 add (i64 ptrtoint (ptr @l_defined to i64), i64 4) to ptr)
@a_partition = alias i32, ptr @l_defined, partition "a partition"
@a_available = available_externally alias i32, ptr @l_available_externally

; Indirect functions.
@i_plain = ifunc void (), ptr @resolver
@i_weak = weak hidden ifunc void (), ptr @resolver
@i_internal = internal ifunc void (), ptr @resolver
@i_partition = dso_local ifunc i32 (i32), ptr @resolver, partition "a partition"

; Functions: linkages, visibilities and properties.
define ptr @resolver() { ret ptr @f_plain }
define void @f_plain() { ret void }
define private void @f_private() { ret void }
define internal void @f_internal() { ret void }
define available_externally void @f_available_externally() { ret void }
define linkonce void @f_linkonce() { ret void }
define linkonce_odr void @f_linkonce_odr() { ret void }
define weak void @f_weak() { ret void }
define weak_odr void @f_weak_odr() { ret void }
declare extern_weak void @f_extern_weak()
define hidden void @f_hidden() { ret void }
define protected void @f_protected() { ret void }
define dso_local void @f_dso_local() { ret void }
define dllexport void @f_dllexport() { ret void }
declare dllimport void @f_dllimport()
define void @f_unnamed_addr() unnamed_addr { ret void }
define void @f_local_unnamed_addr() local_unnamed_addr { ret void }
define void @f_addrspace() addrspace(1) { ret void }
define void @f_section() section "code section" { ret void }
define void @f_partition() partition "a partition" { ret void }
define void @f_align() align 32 { ret void }
define linkonce_odr void @comdat_function() comdat { ret void }
define linkonce_odr void @f_comdat_other() comdat($comdat_any) { ret void }
define void @f_gc() gc "statepoint-example" { ret void }
define void @f_prefix() prefix i32 123 { ret void }
define void @f_prologue() prologue i8 -112 { ret void }
define void @f_personality() personality ptr @__gxx_personality_v0 { ret void }
define void @f_all() unnamed_addr addrspace(0) #1 section "s" partition "p" comdat($"a comdat") align 16 gc "erlang" prefix i64 1 prologue i8 2 personality ptr @__gxx_personality_v0 !mine !0 {
  ret void
}
define void @"quoted function \22\01"() { ret void }
define void @2() { ret void }
define void @f_varargs(i32 %a, ...) { ret void }
define void @f_no_names(i32, ptr, float) { ret void }
declare i32 @__gxx_personality_v0(...)
declare void @f_declared(i32, ptr noalias, ...) #1
declare void @f_declared_all(i32) unnamed_addr #1 section "s" align 8 gc "erlang"

; Uses of all kinds of symbols in bodies.
define void @uses(i1 %c, ptr %p) {
  %a = load i32, ptr @l_external, align 4
  store i32 %a, ptr @l_private, align 4
  %t = call ptr @llvm.threadlocal.address.p0(ptr @t_general)
  %b = load i32, ptr %t, align 4
  store i32 %b, ptr @t_localexec, align 4
  %d = load i32, ptr addrspace(2) @addrspace, align 4
  store i32 %d, ptr @a_element, align 4
  store i32 %d, ptr @a_thread_local, align 4
  call void @i_plain()
  %e = call i32 @i_partition(i32 %d)
  call void @a_function()
  call addrspace(1) void @f_addrspace()
  call void @f_extern_weak()
  call void @2()
  call void @"quoted function \22\01"()
  store i32 %e, ptr @0, align 4
  store ptr @1, ptr @"quoted name \22\01", align 8
  store ptr @uses, ptr @self, align 8
  store ptr @__gxx_personality_v0, ptr %p, align 8
  %f = select i1 %c, ptr @i_plain, ptr @f_dllimport
  call void %f()
  ret void
}
declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull)

; Calling conventions.
define ccc void @c_ccc() { ret void }
define fastcc void @c_fastcc() { ret void }
define coldcc void @c_coldcc() { ret void }
define ghccc void @c_ghccc() { ret void }
define cc 11 void @c_hipe() { ret void }
define anyregcc void @c_anyregcc() { ret void }
define preserve_mostcc void @c_preserve_mostcc() { ret void }
define preserve_allcc void @c_preserve_allcc() { ret void }
define swiftcc void @c_swiftcc() { ret void }
define cxx_fast_tlscc void @c_cxx_fast_tlscc() { ret void }
define tailcc void @c_tailcc() { ret void }
define cfguard_checkcc void @c_cfguard_checkcc() { ret void }
define swifttailcc void @c_swifttailcc() { ret void }
define preserve_nonecc void @c_preserve_nonecc() { ret void }
define x86_stdcallcc void @c_x86_stdcallcc() { ret void }
define x86_fastcallcc void @c_x86_fastcallcc() { ret void }
define arm_apcscc void @c_arm_apcscc() { ret void }
define arm_aapcscc void @c_arm_aapcscc() { ret void }
define arm_aapcs_vfpcc void @c_arm_aapcs_vfpcc() { ret void }
define msp430_intrcc void @c_msp430_intrcc() { ret void }
define x86_thiscallcc void @c_x86_thiscallcc() { ret void }
define ptx_kernel void @c_ptx_kernel() { ret void }
define ptx_device void @c_ptx_device() { ret void }
define spir_func void @c_spir_func() { ret void }
define spir_kernel void @c_spir_kernel() { ret void }
define intel_ocl_bicc void @c_intel_ocl_bicc() { ret void }
define x86_64_sysvcc void @c_x86_64_sysvcc() { ret void }
define win64cc void @c_win64cc() { ret void }
define x86_vectorcallcc void @c_x86_vectorcallcc() { ret void }
define x86_intrcc void @c_x86_intrcc(ptr byval(i64) %frame) { ret void }
define avr_intrcc void @c_avr_intrcc() { ret void }
define avr_signalcc void @c_avr_signalcc() { ret void }
define cc 86 void @c_avr_builtin() { ret void }
define amdgpu_vs void @c_amdgpu_vs() { ret void }
define amdgpu_gs void @c_amdgpu_gs() { ret void }
define amdgpu_ps void @c_amdgpu_ps() { ret void }
define amdgpu_cs void @c_amdgpu_cs() { ret void }
define amdgpu_kernel void @c_amdgpu_kernel() { ret void }
define x86_regcallcc void @c_x86_regcallcc() { ret void }
define amdgpu_hs void @c_amdgpu_hs() { ret void }
define cc 94 void @c_msp430_builtin() { ret void }
define amdgpu_ls void @c_amdgpu_ls() { ret void }
define amdgpu_es void @c_amdgpu_es() { ret void }
define aarch64_vector_pcs void @c_aarch64_vector_pcs() { ret void }
define aarch64_sve_vector_pcs void @c_aarch64_sve_vector_pcs() { ret void }
define cc 99 void @c_wasm_emscripten_invoke() { ret void }
define amdgpu_gfx void @c_amdgpu_gfx() { ret void }
define cc 101 void @c_m68k_intrcc() { ret void }
define aarch64_sme_preservemost_from_x0 void @c_aarch64_sme_x0() { ret void }
define aarch64_sme_preservemost_from_x1 void @c_aarch64_sme_x1() { ret void }
define aarch64_sme_preservemost_from_x2 void @c_aarch64_sme_x2() { ret void }
define amdgpu_cs_chain void @c_amdgpu_cs_chain() { ret void }
define amdgpu_cs_chain_preserve void @c_amdgpu_cs_chain_preserve() { ret void }
define m68k_rtdcc void @c_m68k_rtdcc() { ret void }
define graalcc void @c_graalcc() { ret void }
define cc 108 void @c_arm64ec_thunk_x64() { ret void }
define cc 109 void @c_arm64ec_thunk_native() { ret void }
define riscv_vector_cc void @c_riscv_vector_cc() { ret void }
define riscv_vls_cc(64) void @c_riscv_vls_cc() { ret void }
define amdgpu_gfx_whole_wave i32 @c_amdgpu_gfx_whole_wave(i1 %active) { ret i32 0 }
define cheriot_compartmentcallcc void @c_cheriot_compartmentcall() { ret void }
define cheriot_compartmentcalleecc void @c_cheriot_compartmentcallee() { ret void }
define cheriot_librarycallcc void @c_cheriot_librarycall() { ret void }
define cc 1023 void @c_highest() { ret void }

define void @call_conventions(ptr %f) {
  call ccc void %f()
  call fastcc void @c_fastcc()
  call coldcc void @c_coldcc()
  call ghccc void @c_ghccc()
  call anyregcc void @c_anyregcc()
  call preserve_mostcc void @c_preserve_mostcc()
  call preserve_allcc void @c_preserve_allcc()
  call swiftcc void @c_swiftcc()
  call cxx_fast_tlscc void @c_cxx_fast_tlscc()
  call tailcc void @c_tailcc()
  call swifttailcc void @c_swifttailcc()
  call preserve_nonecc void @c_preserve_nonecc()
  call x86_stdcallcc void @c_x86_stdcallcc()
  call win64cc void @c_win64cc()
  call x86_regcallcc void @c_x86_regcallcc()
  call amdgpu_gfx void %f()
  call graalcc void %f()
  call cc 1023 void %f()
  ret void
}

; What the linker and the loader read.
@llvm.used = appending global [2 x ptr] [ptr @l_internal, ptr @f_internal], section "llvm.metadata"
@llvm.compiler.used = appending global [1 x ptr] [ptr @l_private], section "llvm.metadata"
@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @f_plain, ptr null }, { i32, ptr, ptr } { i32 1, ptr @f_internal, ptr @l_internal }]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 0, ptr @f_plain, ptr null }]
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @f_plain, ptr @1, ptr @1, i32 1, ptr null }], section "llvm.metadata"

attributes #0 = { "bss-section"="my_bss" "data-section"="my_data" "relro-section"="my_relro" "rodata-section"="my_rodata" }
attributes #1 = { nounwind "frame-pointer"="all" }

!llvm.module.flags = !{!1, !2, !3, !4}
!0 = !{!"function"}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 7, !"PIE Level", i32 2}
!4 = !{i32 1, !"Code Model", i32 3}
