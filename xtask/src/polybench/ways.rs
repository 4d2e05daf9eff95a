//! The ways from a kernel's source to its machine code, as data.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::kernels;
use crate::tools;

/// A way from the source to an object file.
pub struct Way {
    /// Its name, in messages.
    pub name: &'static str,
    /// The commands, run in this order. Words are separated by blanks. `{clang}` stands for the compiler with the flags that all ways
    /// share, `{exact}` for the flag that prints all digits, `{source}` for the kernel, `{object}` for the result, `{tmp}` for a path without extension that is free for files in
    /// between, `{jlm-opt}` for the optimizer, `{stats}` for its statistics.
    steps: &'static [&'static str],
}

impl Way {
    /// Whether the optimizer is in it, which then writes statistics.
    pub fn optimizes(&self) -> bool {
        self.steps.iter().any(|step| step.contains("{jlm-opt}"))
    }

    /// Runs the commands for a kernel's source; everything that is written begins with `base`.
    ///
    /// # Errors
    /// A command fails.
    pub fn run(&self, source: &Path, dataset: &str, base: &str, optimizer: &Path) -> Result<()> {
        let places = [
            ("{exact}", "-DPOLYBENCH_DUMP_EXACT".to_owned()),
            ("{source}", source.display().to_string()),
            ("{object}", format!("{base}.o")),
            ("{tmp}", base.to_owned()),
            ("{stats}", format!("{base}.json")),
            ("{jlm-opt}", optimizer.display().to_string()),
        ];
        for step in self.steps {
            let mut command = Command::new("timeout");
            command.arg(LIMIT);
            for word in step.split_whitespace() {
                if word == "{clang}" {
                    command.args(CLANG).arg("-I").arg(kernels::folder()).arg(format!("-D{dataset}_DATASET"));
                } else {
                    let place = |word: String, (name, value): &(&str, String)| word.replace(name, value);
                    command.arg(places.iter().fold(word.to_owned(), place));
                }
            }
            tools::output(&mut command)?;
        }
        Ok(())
    }
}

/// Seconds after which a command or a kernel counts as hanging.
pub const LIMIT: &str = "120";

/// The compiler with the flags that all ways share. Without products fused with sums, all of them round alike.
pub const CLANG: &[&str] = &["clang-22", "-ffp-contract=off", "-fPIC", "-DPOLYBENCH_DUMP_ARRAYS"];

const FRONT: &str = "{clang} {exact} -O1 -Xclang -disable-llvm-passes -emit-llvm -c {source} -o {tmp}.front.bc";
const MEM2REG: &str = "opt-22 -passes=mem2reg {tmp}.front.bc -o {tmp}.bc";
const CODE: &str = "llc-22 -O3 -filetype=obj -relocation-model=pic {tmp}.out.bc -o {object}";

/// The plain way, with what dumps usually look like.
pub const PRINTED: Way = Way { name: "printed", steps: &["{clang} -O0 -c {source} -o {object}"] };

/// Every way, with all digits. The first is what the others are compared with.
pub const WAYS: &[Way] = &[
    Way { name: "O0", steps: &["{clang} {exact} -O0 -c {source} -o {object}"] },
    Way { name: "O2", steps: &["{clang} {exact} -O2 -c {source} -o {object}"] },
    Way {
        name: "jlm-opt",
        steps: &[
            FRONT,
            MEM2REG,
            "{jlm-opt} {tmp}.bc -o {tmp}.out.bc -passes=dne,cne,dne,red -verify-each --control-flow=pcfr -stats-json={stats}",
            CODE,
        ],
    },
    Way {
        name: "jlm-opt, structured",
        steps: &[
            FRONT,
            MEM2REG,
            "{jlm-opt} {tmp}.bc -o {tmp}.out.bc -passes=dne,cne,dne,red -verify-each --control-flow=scfr -stats-json={stats}",
            CODE,
        ],
    },
    Way {
        name: "jlm-opt, without mem2reg",
        steps: &[
            FRONT,
            "{jlm-opt} {tmp}.front.bc -o {tmp}.out.bc -passes=dne,cne,dne,red -verify-each -stats-json={stats}",
            CODE,
        ],
    },
];
