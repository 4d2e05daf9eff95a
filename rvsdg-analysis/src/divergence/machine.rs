//! Machines that execute threads in groups, and how the results of their intrinsics differ between the threads of one group.

/// A machine that executes threads in groups, all with the same instruction: NVIDIA's warps, AMD's waves.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Machine {
    /// `nvptx` and `nvptx64`.
    Nvptx,
    /// `amdgcn` and `r600`.
    Amdgpu,
}

/// How the results of a function that the threads of a group call together differ.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Given {
    /// The same for all threads, whatever their arguments.
    Same,
    /// The same for all threads if their arguments are the same.
    SameForSame,
    /// Possibly different for each thread.
    Different,
}

/// How memory is accessed, as far as it decides in which address spaces that is possible.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Accesses {
    /// By loads that are not atomic.
    Reads,
    /// By stores that are not atomic.
    Writes,
    /// By atomic operations.
    Atomics,
}

/// LLVM's numbers of the calling conventions of kernels.
const NVPTX_KERNEL: u32 = 71;
const SPIR_KERNEL: u32 = 76;
const AMDGPU_KERNEL: u32 = 91;

/// The results of NVPTX's intrinsics, by the part of the name after `llvm.nvvm.`; the longest matching prefix counts.
const NVPTX: &[(&str, Given)] = &[
    ("abs.", Given::SameForSame),
    ("add.", Given::SameForSame),
    ("bf", Given::SameForSame),
    ("bitcast.", Given::SameForSame),
    ("bmsk.", Given::SameForSame),
    ("ceil.", Given::SameForSame),
    ("cos.", Given::SameForSame),
    ("d2", Given::SameForSame),
    ("div.", Given::SameForSame),
    ("ex2.", Given::SameForSame),
    ("f2", Given::SameForSame),
    ("fabs.", Given::SameForSame),
    ("floor.", Given::SameForSame),
    ("fma.", Given::SameForSame),
    ("fmax.", Given::SameForSame),
    ("fmin.", Given::SameForSame),
    ("fns", Given::SameForSame),
    ("i2", Given::SameForSame),
    ("idp", Given::SameForSame),
    ("isspacep.", Given::SameForSame),
    ("lg2.", Given::SameForSame),
    ("ll2", Given::SameForSame),
    ("lohi.", Given::SameForSame),
    ("mul", Given::SameForSame),
    ("prmt", Given::SameForSame),
    ("rcp.", Given::SameForSame),
    ("read.ptx.sreg.cluster", Given::Same),
    ("read.ptx.sreg.ctaid.", Given::Same),
    ("read.ptx.sreg.envreg", Given::Same),
    ("read.ptx.sreg.gridid", Given::Same),
    ("read.ptx.sreg.nclusterid.", Given::Same),
    ("read.ptx.sreg.nctaid.", Given::Same),
    ("read.ptx.sreg.nsmid", Given::Same),
    ("read.ptx.sreg.ntid.", Given::Same),
    ("read.ptx.sreg.nwarpid", Given::Same),
    ("read.ptx.sreg.warpsize", Given::Same),
    ("rsqrt.", Given::SameForSame),
    ("sad.", Given::SameForSame),
    ("saturate.", Given::SameForSame),
    ("sin.", Given::SameForSame),
    ("sqrt.", Given::SameForSame),
    ("trunc.", Given::SameForSame),
    ("ui2", Given::SameForSame),
    ("ull2", Given::SameForSame),
];

/// The results of AMDGPU's intrinsics, by the part of the name after `llvm.amdgcn.`; the longest matching prefix counts.
const AMDGPU: &[(&str, Given)] = &[
    ("alignbyte", Given::SameForSame),
    ("ballot.", Given::Same),
    ("class.", Given::SameForSame),
    ("cluster.id.", Given::Same),
    ("cluster.workgroup.", Given::Same),
    ("cos.", Given::SameForSame),
    ("cvt.", Given::SameForSame),
    ("dispatch.id", Given::Same),
    ("dispatch.ptr", Given::Same),
    ("div.fixup.", Given::SameForSame),
    ("exp2.", Given::SameForSame),
    ("fcmp.", Given::Same),
    ("fma.legacy", Given::SameForSame),
    ("fmed3.", Given::SameForSame),
    ("fmul.legacy", Given::SameForSame),
    ("fract.", Given::SameForSame),
    ("frexp.", Given::SameForSame),
    ("groupstaticsize", Given::Same),
    ("icmp.", Given::Same),
    ("implicitarg.ptr", Given::Same),
    ("kernarg.segment.ptr", Given::Same),
    ("ldexp.", Given::SameForSame),
    ("lerp", Given::SameForSame),
    ("log.", Given::SameForSame),
    ("mul.", Given::SameForSame),
    ("mulhi.", Given::SameForSame),
    ("perm", Given::SameForSame),
    ("permlane", Given::Different),
    ("queue.ptr", Given::Same),
    ("rcp.", Given::SameForSame),
    ("readfirstlane", Given::Same),
    ("readlane", Given::Same),
    ("rsq.", Given::SameForSame),
    ("sad.", Given::SameForSame),
    ("sbfe.", Given::SameForSame),
    ("sdot", Given::SameForSame),
    ("sffbh.", Given::SameForSame),
    ("sin.", Given::SameForSame),
    ("sqrt.", Given::SameForSame),
    ("trig.preop.", Given::SameForSame),
    ("ubfe.", Given::SameForSame),
    ("udot", Given::SameForSame),
    ("wavefrontsize", Given::Same),
    ("workgroup.id.", Given::Same),
];

impl Machine {
    /// The machine of a target triple; `None` if it does not execute threads in groups.
    pub fn of_triple(triple: &str) -> Option<Machine> {
        match triple.split('-').next() {
            Some("nvptx" | "nvptx64") => Some(Machine::Nvptx),
            Some("amdgcn" | "r600") => Some(Machine::Amdgpu),
            _ => None,
        }
    }

    /// Whether a calling convention is that of kernels, whose arguments are the same for all threads.
    pub fn is_kernel(self, convention: u32) -> bool {
        match self {
            Machine::Nvptx => matches!(convention, NVPTX_KERNEL | SPIR_KERNEL),
            Machine::Amdgpu => matches!(convention, AMDGPU_KERNEL | SPIR_KERNEL),
        }
    }

    /// How the results of a function with this name differ. Target-independent intrinsics without states depend on their arguments only,
    /// which the caller must check.
    pub fn given(self, name: &str) -> Given {
        let Some(intrinsic) = name.strip_prefix("llvm.") else { return Given::Different };
        let (own, table) = match self {
            Machine::Nvptx => (intrinsic.strip_prefix("nvvm."), NVPTX),
            Machine::Amdgpu => (intrinsic.strip_prefix("amdgcn."), AMDGPU),
        };
        match own {
            Some(own) => {
                let known = table.iter().filter(|(start, _)| own.starts_with(start));
                known.max_by_key(|(start, _)| start.len()).map_or(Given::Different, |&(_, given)| given)
            }
            None if ["nvvm.", "amdgcn.", "r600.", "spv."].iter().any(|family| intrinsic.starts_with(family)) => {
                Given::Different
            }
            None => Given::SameForSame,
        }
    }

    /// Whether all threads of a group find the same memory at one address of an address space: thread-private memory is also visible in
    /// the generic address space.
    pub fn is_shared(self, address_space: u32) -> bool {
        match self {
            // Global, shared by a block, constant, parameters.
            Machine::Nvptx => matches!(address_space, 1 | 3 | 4 | 101),
            // Global, shared by a group of waves, constant.
            Machine::Amdgpu => matches!(address_space, 1 | 3 | 4 | 6),
        }
    }

    /// The generic address space of a target, whose addresses lead into memory of the others; `None` if it has none.
    pub fn generic_space(self, triple: &str) -> Option<u32> {
        // LLVM's code generator for r600 knows none.
        (self == Machine::Nvptx || triple.starts_with("amdgcn")).then_some(0)
    }

    /// The address space of what the pointer parameters of a kernel lead to that are generic and not passed by value: hosts know
    /// addresses of global memory only. As LLVM's `NVPTXLowerArgs` and `getAssumedAddrSpace` of both targets.
    pub fn space_of_parameters(self, triple: &str, convention: u32) -> Option<u32> {
        let is_assumed = match self {
            Machine::Nvptx => {
                let system = triple.split('-').nth(2).unwrap_or_default();
                convention == NVPTX_KERNEL && system.starts_with("cuda")
            }
            Machine::Amdgpu => convention == AMDGPU_KERNEL && self.generic_space(triple).is_some(),
        };
        is_assumed.then_some(1)
    }

    /// Whether an access through a generic pointer into an address space may be one through a pointer of that address space.
    pub fn may_access(self, address_space: u32, how: Accesses) -> bool {
        match (self, address_space) {
            // Global, and shared by a block or a group of waves.
            (Machine::Nvptx | Machine::Amdgpu, 1 | 3) => true,
            // Constant.
            (Machine::Nvptx | Machine::Amdgpu, 4) => how == Accesses::Reads,
            // Thread-private.
            (Machine::Nvptx | Machine::Amdgpu, 5) => how != Accesses::Atomics,
            (Machine::Nvptx | Machine::Amdgpu, _) => false,
        }
    }

    /// Whether pointers of two address spaces never lead to the same memory, as LLVM's `NVPTXAA` and `AMDGPUAA` say.
    pub fn are_disjoint(self, one: u32, other: u32) -> bool {
        let memory = |address_space| match (self, address_space) {
            (Machine::Nvptx, 1 | 3 | 4 | 5) | (Machine::Amdgpu, 1 | 3 | 5) => Some(address_space),
            // Constant memory is global memory.
            (Machine::Amdgpu, 4 | 6) => Some(1),
            (Machine::Nvptx | Machine::Amdgpu, _) => None,
        };
        memory(one).zip(memory(other)).is_some_and(|(one, other)| one != other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_start_counts() {
        assert_eq!(Machine::Amdgpu.given("llvm.amdgcn.perm"), Given::SameForSame);
        assert_eq!(Machine::Amdgpu.given("llvm.amdgcn.permlane16.i32"), Given::Different);
        assert_eq!(Machine::Nvptx.given("llvm.nvvm.read.ptx.sreg.ctaid.x"), Given::Same);
        assert_eq!(Machine::Nvptx.given("llvm.nvvm.read.ptx.sreg.tid.x"), Given::Different);
    }

    #[test]
    fn intrinsics_of_another_machine_are_unknown() {
        assert_eq!(Machine::Nvptx.given("llvm.amdgcn.readfirstlane.i32"), Given::Different);
        assert_eq!(Machine::Nvptx.given("llvm.fma.f32"), Given::SameForSame);
        assert_eq!(Machine::Nvptx.given("sinf"), Given::Different);
    }

    #[test]
    fn families_of_machines_are_not_computed() {
        for name in ["llvm.nvvm.fabs.f", "llvm.amdgcn.cos.f32", "llvm.r600.recipsqrt.ieee.f32", "llvm.spv.saturate"] {
            for machine in [Machine::Nvptx, Machine::Amdgpu] {
                let own = match machine {
                    Machine::Nvptx => name.starts_with("llvm.nvvm."),
                    Machine::Amdgpu => name.starts_with("llvm.amdgcn."),
                };
                assert_eq!(machine.given(name) == Given::SameForSame, own, "{name} {machine:?}");
            }
        }
    }

    #[test]
    fn address_spaces_that_threads_share() {
        let shared = |machine: Machine| -> Vec<u32> { (0..128).filter(|&space| machine.is_shared(space)).collect() };
        assert_eq!(shared(Machine::Nvptx), [1, 3, 4, 101]);
        assert_eq!(shared(Machine::Amdgpu), [1, 3, 4, 6]);
    }

    #[test]
    fn generic_address_spaces() {
        let of = |machine: Machine, triple| machine.generic_space(triple);
        assert_eq!(of(Machine::Nvptx, "nvptx64-nvidia-cuda"), Some(0));
        assert_eq!(of(Machine::Amdgpu, "amdgcn-amd-amdhsa"), Some(0));
        assert_eq!(of(Machine::Amdgpu, "r600-unknown-unknown"), None);
    }

    #[test]
    fn what_hosts_pass_is_global() {
        let of = |machine: Machine, triple: &str| -> Vec<u32> {
            (0..128).filter(|&number| machine.space_of_parameters(triple, number) == Some(1)).collect()
        };
        assert_eq!(of(Machine::Nvptx, "nvptx64-nvidia-cuda"), [71]);
        assert_eq!(of(Machine::Nvptx, "nvptx64-nvidia-nvcl"), [0; 0]);
        assert_eq!(of(Machine::Nvptx, "nvptx64"), [0; 0]);
        assert_eq!(of(Machine::Amdgpu, "amdgcn-amd-amdhsa"), [91]);
        assert_eq!(of(Machine::Amdgpu, "r600-unknown-unknown"), [0; 0]);
    }

    #[test]
    fn accesses_of_address_spaces() {
        for machine in [Machine::Nvptx, Machine::Amdgpu] {
            let of = |how| -> Vec<u32> { (0..128).filter(|&space| machine.may_access(space, how)).collect() };
            assert_eq!(of(Accesses::Reads), [1, 3, 4, 5]);
            assert_eq!(of(Accesses::Writes), [1, 3, 5]);
            assert_eq!(of(Accesses::Atomics), [1, 3]);
        }
    }

    /// Generic pointers lead into all memory. Constant memory is global memory of AMD's machines.
    #[test]
    fn address_spaces_without_common_memory() {
        let of = |machine: Machine| -> Vec<(u32, u32)> {
            let pairs = (0..128).flat_map(|one| (one..128).map(move |other| (one, other)));
            pairs.filter(|&(one, other)| machine.are_disjoint(one, other)).collect()
        };
        assert_eq!(of(Machine::Nvptx), [(1, 3), (1, 4), (1, 5), (3, 4), (3, 5), (4, 5)]);
        assert_eq!(of(Machine::Amdgpu), [(1, 3), (1, 5), (3, 4), (3, 5), (3, 6), (4, 5), (5, 6)]);
    }

    #[test]
    fn conventions_of_functions_that_a_host_starts() {
        let started = |machine: Machine| -> Vec<u32> { (0..128).filter(|&number| machine.is_kernel(number)).collect() };
        assert_eq!(started(Machine::Nvptx), [71, 76]);
        assert_eq!(started(Machine::Amdgpu), [76, 91]);
    }

    #[test]
    fn triples_of_machines() {
        let of = |triple| Machine::of_triple(triple);
        assert_eq!([of("nvptx-nvidia-cuda"), of("nvptx64-nvidia-cuda")], [Some(Machine::Nvptx); 2]);
        assert_eq!([of("amdgcn-amd-amdhsa"), of("r600-unknown-unknown")], [Some(Machine::Amdgpu); 2]);
        assert_eq!([of(""), of("x86_64-pc-linux-gnu"), of("aarch64-apple-darwin")], [None; 3]);
    }

    #[test]
    fn tables_are_sorted() {
        assert!(NVPTX.is_sorted_by_key(|(start, _)| start));
        assert!(AMDGPU.is_sorted_by_key(|(start, _)| start));
    }
}
