//! The ways from a kernel's source to its machine code, as data.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::kernels;
use crate::tools;

/// A way from the source to an object file.
pub struct Way {
    from: From,
    /// What the compiler or the optimizer is told.
    options: &'static [&'static str],
}

/// What a way starts from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    /// The source: the compiler does it all.
    Source,
    /// What the front end makes of it, with variables in memory.
    Front,
    /// The same with variables as values.
    Promoted,
}

/// Every way, with all digits. The first is what the others are compared with.
pub const WAYS: &[Way] = &[
    Way { from: From::Source, options: &[EXACT, "-O0"] },
    Way { from: From::Source, options: &[EXACT, "-O2"] },
    Way { from: From::Promoted, options: &["-O1"] },
    Way { from: From::Promoted, options: &["-O2"] },
    Way { from: From::Promoted, options: &["-O3"] },
    Way { from: From::Promoted, options: &["-Os"] },
    Way { from: From::Promoted, options: &["-Oz"] },
    Way { from: From::Promoted, options: &["-passes=paper"] },
    Way { from: From::Promoted, options: &["-passes=paper", "--control-flow=scfr"] },
    Way { from: From::Promoted, options: &["-O3", "--control-flow=scfr"] },
    Way { from: From::Front, options: &["-O3"] },
];

/// The plain way, with what dumps usually look like.
pub const PRINTED: Way = Way { from: From::Source, options: &["-O0"] };

/// Seconds after which a command or a kernel counts as hanging.
pub const LIMIT: &str = "120";

/// The compiler with the flags that all ways share. Without products fused with sums, all of them round alike.
pub const CLANG: &[&str] = &["clang-22", "-ffp-contract=off", "-fPIC", "-DPOLYBENCH_DUMP_ARRAYS"];

/// The flag that prints all digits.
const EXACT: &str = "-DPOLYBENCH_DUMP_EXACT";

/// A kernel's source on a data set, and where what is made of it begins.
pub struct Place<'a> {
    /// The source.
    pub source: &'a Path,
    /// The data set.
    pub dataset: &'a str,
    /// The beginning of the paths of what all ways share.
    pub shared: &'a str,
}

impl Place<'_> {
    fn clang(&self) -> Command {
        let mut clang = limited(CLANG[0]);
        clang.args(&CLANG[1..]).arg("-I").arg(kernels::folder()).arg(format!("-D{}_DATASET", self.dataset));
        clang
    }

    /// Makes what the optimizer gets.
    ///
    /// # Errors
    /// A command fails.
    pub fn prepare(&self) -> Result<()> {
        let [front, promoted] = [From::Front, From::Promoted].map(|from| self.input(from));
        let mut clang = self.clang();
        // Without `-funroll-loops`, `-O1` says of loops that they are not to be unrolled.
        clang.args([EXACT, "-O1", "-funroll-loops", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"]);
        clang.arg(self.source);
        tools::output(clang.args(["-o", &front]))?;
        tools::output(limited("opt-22").args(["-passes=mem2reg", &front, "-o", &promoted])).map(drop)
    }

    fn input(&self, from: From) -> String {
        format!("{}{}", self.shared, if from == From::Promoted { ".promoted.bc" } else { ".front.bc" })
    }
}

impl Way {
    /// Its name, in messages.
    pub fn name(&self) -> String {
        let tool = if self.from == From::Source { "clang" } else { "jlm-opt" };
        let memory = if self.from == From::Front { " with variables in memory" } else { "" };
        let options: Vec<&str> = self.options.iter().copied().filter(|option| *option != EXACT).collect();
        format!("{tool} {}{memory}", options.join(" "))
    }

    /// Whether the optimizer is in it, which then writes statistics beside the object.
    pub fn optimizes(&self) -> bool {
        self.from != From::Source
    }

    /// Makes `base.o`; everything else that is written begins with `base`, too.
    ///
    /// # Errors
    /// A command fails.
    pub fn run(&self, place: &Place, base: &str, optimizer: &Path) -> Result<()> {
        let object = format!("{base}.o");
        if self.from == From::Source {
            let mut clang = place.clang();
            return tools::output(clang.args(self.options).arg("-c").arg(place.source).args(["-o", &object])).map(drop);
        }
        let output = format!("{base}.bc");
        let mut optimize = limited(optimizer);
        optimize.args([&place.input(self.from), "-o", &output, "-verify-each", &format!("-stats-json={base}.json")]);
        tools::output(optimize.args(self.options))?;
        let code = ["-O3", "-filetype=obj", "-relocation-model=pic"];
        tools::output(limited("llc-22").args(code).args([&output, "-o", &object])).map(drop)
    }
}

fn limited(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new("timeout");
    command.arg(LIMIT).arg(program);
    command
}
