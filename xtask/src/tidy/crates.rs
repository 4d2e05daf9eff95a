//! Which crate may depend on which: the architecture, read from `cargo metadata`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::readmes;
use crate::tools;

/// Each crate of the workspace, and the others that it may depend on.
const EDGES: &[(&str, &[&str])] = &[
    ("rvsdg-core", &[]),
    ("rvsdg-cfg", &["rvsdg-core"]),
    ("rvsdg-build", &["rvsdg-core", "rvsdg-cfg"]),
    ("rvsdg-analysis", &["rvsdg-core"]),
    ("rvsdg-passes", &["rvsdg-core", "rvsdg-analysis"]),
    ("rvsdg-gen", &["rvsdg-core", "rvsdg-cfg", "rvsdg-interp"]),
    ("rvsdg-emit", &["rvsdg-core", "rvsdg-cfg"]),
    ("rvsdg-reduce", &["rvsdg-core", "rvsdg-passes"]),
    ("rvsdg-interp", &["rvsdg-core", "rvsdg-cfg"]),
    ("rvsdg-llvm", &["rvsdg-core", "rvsdg-cfg", "rvsdg-passes"]),
    ("rvsdg-plugin", &["rvsdg-cfg", "rvsdg-llvm", "rvsdg-passes"]),
    ("jlm", &["rvsdg-core", "rvsdg-cfg", "rvsdg-emit", "rvsdg-passes", "rvsdg-reduce", "rvsdg-interp", "rvsdg-llvm"]),
    ("rvsdg-tests", EVERYTHING),
    ("rvsdg-benches", EVERYTHING),
    ("example-pass", &["jlm", "rvsdg-core", "rvsdg-passes"]),
    ("example-rule", &["jlm", "rvsdg-core", "rvsdg-passes"]),
    ("example-dialect", &["jlm", "rvsdg-core", "rvsdg-passes"]),
    ("example-miscompile", &["jlm", "rvsdg-core", "rvsdg-passes"]),
    ("example-module", &["rvsdg-build", "rvsdg-core", "rvsdg-passes", "rvsdg-emit", "rvsdg-interp"]),
    ("example-toy", &["rvsdg-build", "rvsdg-core", "rvsdg-passes", "rvsdg-emit", "rvsdg-interp"]),
    (
        "example-gpu",
        &["rvsdg-build", "rvsdg-cfg", "rvsdg-core", "rvsdg-passes", "rvsdg-emit", "rvsdg-interp", "rvsdg-llvm"],
    ),
    ("xtask", &[]),
];

const EVERYTHING: &[&str] = &[
    "rvsdg-core",
    "rvsdg-cfg",
    "rvsdg-build",
    "rvsdg-emit",
    "rvsdg-analysis",
    "rvsdg-passes",
    "rvsdg-gen",
    "rvsdg-reduce",
    "rvsdg-interp",
    "rvsdg-llvm",
    "jlm",
];

/// Crates that may be used by a dependency for tests, besides those of [`EDGES`]: (user, used).
const TEST_EDGES: &[(&str, &str)] = &[
    ("rvsdg-cfg", "rvsdg-gen"),
    ("rvsdg-build", "rvsdg-interp"),
    ("rvsdg-emit", "rvsdg-gen"),
    ("rvsdg-passes", "rvsdg-cfg"),
    ("rvsdg-passes", "rvsdg-gen"),
    ("rvsdg-passes", "rvsdg-interp"),
    ("rvsdg-passes", "rvsdg-reduce"),
    ("rvsdg-interp", "rvsdg-gen"),
    ("rvsdg-gen", "rvsdg-interp"),
    ("rvsdg-gen", "rvsdg-passes"),
    ("rvsdg-llvm", "rvsdg-analysis"),
    ("rvsdg-llvm", "rvsdg-gen"),
    ("rvsdg-llvm", "rvsdg-interp"),
];

/// Packages that only some crates may name: (package, crates, reason).
const RESTRICTED: &[(&str, &[&str], &str)] = &[
    ("inkwell", &["rvsdg-llvm"], "one crate links LLVM"),
    ("llvm-sys", &["rvsdg-llvm"], "one crate links LLVM"),
    ("cc", &["rvsdg-llvm", "rvsdg-plugin"], "C++ is compiled for LLVM's sake only"),
    (
        "petgraph",
        &["rvsdg-cfg", "rvsdg-analysis", "rvsdg-gen", "rvsdg-tests", "rvsdg-benches"],
        "graph algorithms belong to control flow and call graphs",
    ),
    (
        "rayon",
        &["rvsdg-passes", "rvsdg-llvm", "jlm", "rvsdg-tests", "rvsdg-benches"],
        "core, cfg and emit know no threads",
    ),
    ("clap", &["jlm", "xtask", "rvsdg-benches"], "libraries have no command line"),
    ("anyhow", &["jlm", "xtask", "rvsdg-tests", "rvsdg-benches"], "libraries have typed errors"),
    (
        "tempfile",
        &["jlm", "rvsdg-llvm", "rvsdg-tests", "rvsdg-benches", "example-pass", "example-rule"],
        "core, cfg, emit and passes know no files",
    ),
];

/// The only crates with `unsafe` code: they talk to LLVM, and an example and a benchmark to the driver of a GPU.
const UNSAFE_CRATES: &[&str] = &["rvsdg-llvm", "rvsdg-plugin", "example-gpu", "rvsdg-benches"];

/// What `cargo metadata` says about the members of the workspace.
pub struct Workspace {
    members: Vec<Member>,
    packages: Vec<Value>,
    default_members: Vec<String>,
}

struct Member {
    name: String,
    manifest: PathBuf,
    /// The other package's name, and whether only tests use it.
    dependencies: Vec<(String, bool)>,
    /// The root files of its library and binaries.
    roots: Vec<PathBuf>,
}

impl Workspace {
    /// Asks cargo; nothing is downloaded.
    pub fn read() -> Result<Self> {
        let mut command = Command::new(tools::cargo());
        command.args(["metadata", "--format-version=1", "--no-deps", "--offline"]).current_dir(tools::root());
        let metadata = tools::json(&mut command)?;
        let packages = list(&metadata, "packages")?.clone();
        let members: Vec<Member> = packages.iter().map(member).collect::<Result<_>>()?;
        let ids = list(&metadata, "workspace_default_members")?;
        let is_default = |manifest: &PathBuf| {
            let folder = format!("path+file://{}#", manifest.parent().unwrap_or(manifest).display());
            ids.iter().any(|id| id.as_str().is_some_and(|id| id.starts_with(&folder)))
        };
        let default_members = members.iter().filter(|m| is_default(&m.manifest)).map(|m| m.name.clone()).collect();
        Ok(Self { members, packages, default_members })
    }

    /// Edges between crates that the tables above do not allow.
    pub fn dependency_violations(&self) -> Vec<String> {
        let mut found = Vec::new();
        for member in &self.members {
            let name = member.name.as_str();
            let Some((_, allowed)) = EDGES.iter().find(|(user, _)| *user == name) else {
                found.push(format!("{name} is new: say in xtask/src/tidy/crates.rs what it may depend on"));
                continue;
            };
            for (used, only_tests) in &member.dependencies {
                let internal = self.members.iter().any(|m| m.name == *used);
                let for_tests = *only_tests && TEST_EDGES.contains(&(name, used.as_str()));
                if internal && !allowed.contains(&used.as_str()) && !for_tests {
                    found.push(format!("{name} must not depend on {used}"));
                }
                if let Some((_, users, reason)) = RESTRICTED.iter().find(|(package, ..)| package == used)
                    && !users.contains(&name)
                {
                    found.push(format!("{name} must not depend on {used}: {reason}"));
                }
            }
        }
        for name in &self.default_members {
            if self.reaches_llvm(name) {
                found.push(format!("{name} is a default member and needs LLVM: the default build must not"));
            }
        }
        found
    }

    /// Whether a crate uses the one that links LLVM, directly or through others, in its tests or without.
    fn reaches_llvm(&self, name: &str) -> bool {
        let mut seen = vec![name];
        let mut next = 0;
        while let Some(&at) = seen.get(next) {
            next += 1;
            for (used, _) in self.members.iter().filter(|m| m.name == at).flat_map(|m| &m.dependencies) {
                if !seen.contains(&used.as_str()) {
                    seen.push(used);
                }
            }
        }
        seen.contains(&"rvsdg-llvm") || seen.contains(&"llvm-sys")
    }

    /// Members that do not take the workspace's lints, or whose unit tests `cargo bench` would run with options they do not know.
    pub fn manifest_violations(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for member in &self.members {
            let text = String::from_utf8(tools::read(&member.manifest)?)?;
            if !text.contains("[lints]\nworkspace = true") {
                found.push(format!("{} does not take the workspace's lints", member.manifest.display()));
            }
            if self.default_members.contains(&member.name) && !text.contains("bench = false") {
                found.push(format!("{}: its library or binary needs `bench = false`", member.manifest.display()));
            }
        }
        Ok(found)
    }

    /// Libraries that could not be published as they are.
    pub fn publication_violations(&self) -> Result<Vec<String>> {
        let found: Vec<Vec<String>> = self.packages.iter().map(readmes::violations).collect::<Result<_>>()?;
        Ok(found.concat())
    }

    /// Root files that do not forbid `unsafe`.
    pub fn root_violations(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for member in self.members.iter().filter(|m| !UNSAFE_CRATES.contains(&m.name.as_str())) {
            for root in &member.roots {
                if !String::from_utf8(tools::read(root)?)?.contains("#![forbid(unsafe_code)]") {
                    found.push(format!("{} lacks #![forbid(unsafe_code)]", root.display()));
                }
            }
        }
        Ok(found)
    }
}

fn member(package: &Value) -> Result<Member> {
    let text =
        |value: &Value| value.as_str().map(str::to_owned).context("cargo metadata holds no text where it should");
    let dependency = |d: &Value| Ok((text(&d["name"])?, d["kind"] == "dev"));
    let is_root =
        |target: &&Value| target["kind"].as_array().is_some_and(|k| k.iter().any(|k| k == "lib" || k == "bin"));
    Ok(Member {
        name: text(&package["name"])?,
        manifest: text(&package["manifest_path"])?.into(),
        dependencies: list(package, "dependencies")?.iter().map(dependency).collect::<Result<_>>()?,
        roots: list(package, "targets")?
            .iter()
            .filter(is_root)
            .map(|target| Ok(text(&target["src_path"])?.into()))
            .collect::<Result<_>>()?,
    })
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>> {
    value[key].as_array().with_context(|| format!("cargo metadata has no list `{key}`"))
}
