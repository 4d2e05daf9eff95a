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
