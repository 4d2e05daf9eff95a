//! The programs of the corpora, as data: where their sources are, how they are compiled, and what is run.

use super::languages::Language;

/// A program whose sources go through the optimizer one by one.
pub struct Program {
    /// Its name on the command line and under `target/corpus`.
    pub name: &'static str,
    /// The language of its sources.
    pub language: Language,
    /// Where the sources are.
    pub sources: Sources,
    /// Flags for the compiler, besides those of the variant.
    pub flags: &'static [&'static str],
    /// Libraries for the linker.
    pub libs: &'static [&'static str],
    /// What is run.
    pub tests: Tests,
}

/// Where the sources of a program are.
pub enum Sources {
    /// Every source below the named folders (or the named files) of a registry package, and a driver of our own.
    Package {
        /// The package's name on the registry.
        package: &'static str,
        /// Files, or folders of which every source is taken, relative to the package.
        paths: &'static [&'static str],
        /// Include directories, relative to the package; the driver's folder is one more.
        includes: &'static [&'static str],
        /// The file with `main`, relative to the repository.
        driver: &'static str,
    },
    /// Each source of a folder of the repository is a program of its own.
    Each(&'static str),
}

/// What is run to compare two builds of a program.
pub enum Tests {
    /// One run without arguments per executable.
    Plain,
    /// One run per list of arguments.
    Arguments(&'static [&'static [&'static str]]),
    /// One run per file with this extension in a folder of the repository: `prefix… file`.
    Scripts {
        /// The folder, relative to the repository.
        folder: &'static str,
        /// The files' extension.
        extension: &'static str,
        /// The arguments before the file.
        prefix: &'static [&'static str],
    },
}

const LUA: Sources = Sources::Package {
    package: "lua-src",
    paths: &["lua-5.4.9"],
    includes: &["lua-5.4.9"],
    driver: "tests/corpus/lua/driver.c",
};

const LUA_SCRIPTS: Tests = Tests::Scripts { folder: "tests/corpus/lua", extension: "lua", prefix: &[] };

/// The seed decides the order in which tables are walked; by default it is an address and the time.
const LUA_SEED: &str = "-Dluai_makeseed(L)=0x5eedu";

/// Every program of the corpora.
///
/// Lua is there twice. As it is shipped, its interpreter is one function full of indirect branches; without them it is one large
/// switch in a loop.
pub const PROGRAMS: &[Program] = &[
    Program {
        name: "c",
        language: Language::C,
        sources: Sources::Each("tests/corpus/c"),
        flags: &["-std=gnu17"],
        libs: &["-lm"],
        tests: Tests::Plain,
    },
    Program {
        name: "cxx",
        language: Language::Cxx,
        sources: Sources::Each("tests/corpus/cxx"),
        flags: &["-std=c++20", "-pthread"],
        libs: &["-pthread"],
        tests: Tests::Plain,
    },
    Program {
        name: "rust",
        language: Language::Rust,
        sources: Sources::Each("tests/corpus/rust"),
        // As a shared library, because each executable would be 30 times larger otherwise.
        flags: &["--edition=2024", "-Cprefer-dynamic"],
        libs: &[],
        tests: Tests::Plain,
    },
    Program {
        name: "rust-std",
        language: Language::Rust,
        sources: Sources::Each("tests/corpus/rust-std"),
        // The standard library becomes part of the module.
        flags: &["--edition=2024", "-Clto=fat"],
        libs: &[],
        tests: Tests::Plain,
    },
    Program {
        name: "ptx",
        language: Language::Kernels,
        sources: Sources::Each("tests/corpus/ptx"),
        flags: &[],
        libs: &[],
        tests: Tests::Plain,
    },
    Program {
        name: "windows",
        language: Language::Windows,
        sources: Sources::Each("tests/corpus/funclets"),
        flags: &["-std=c++17"],
        libs: &[],
        tests: Tests::Plain,
    },
    Program {
        name: "windows-seh",
        language: Language::Windows,
        sources: Sources::Each("tests/corpus/seh"),
        flags: &["-std=c++17"],
        libs: &[],
        tests: Tests::Plain,
    },
    Program {
        name: "wasm",
        language: Language::Wasm,
        sources: Sources::Each("tests/corpus/funclets"),
        flags: &["-std=c++17"],
        libs: &[],
        tests: Tests::Plain,
    },
    Program {
        name: "zlib",
        language: Language::C,
        sources: Sources::Package {
            package: "libz-sys",
            paths: &["src/zlib"],
            includes: &["src/zlib"],
            driver: "tests/corpus/zlib/driver.c",
        },
        flags: &["-DSTDC", "-DHAVE_UNISTD_H", "-D_LARGEFILE64_SOURCE"],
        libs: &[],
        tests: Tests::Arguments(&[&["checksums"], &["levels"], &["stream"], &["gzip"]]),
    },
    Program {
        name: "lua",
        language: Language::C,
        sources: LUA,
        flags: &["-DLUA_USE_POSIX", LUA_SEED],
        libs: &["-lm"],
        tests: LUA_SCRIPTS,
    },
    Program {
        name: "lua-switch",
        language: Language::C,
        sources: LUA,
        flags: &["-DLUA_USE_POSIX", LUA_SEED, "-DLUA_USE_JUMPTABLE=0"],
        libs: &["-lm"],
        tests: LUA_SCRIPTS,
    },
    Program {
        name: "zstd",
        language: Language::C,
        sources: Sources::Package {
            package: "zstd-sys",
            paths: &[
                "zstd/lib/common",
                "zstd/lib/compress",
                "zstd/lib/decompress",
                "zstd/lib/dictBuilder",
                "zstd/lib/legacy",
            ],
            includes: &["zstd/lib", "zstd/lib/legacy"],
            driver: "tests/corpus/zstd/driver.c",
        },
        // The assembler file has a C equivalent; what is not C would not go through the optimizer.
        flags: &["-DZSTD_DISABLE_ASM", "-DZSTD_LEGACY_SUPPORT=1"],
        libs: &[],
        tests: Tests::Arguments(&[&["levels"], &["streaming"], &["dictionary"], &["frames"]]),
    },
    Program {
        name: "snappy",
        language: Language::Cxx,
        sources: Sources::Package {
            package: "snappy_src",
            paths: &["snappy"],
            includes: &["snappy"],
            driver: "tests/corpus/snappy/driver.cpp",
        },
        flags: &["-std=c++17", "-mssse3"],
        libs: &[],
        tests: Tests::Arguments(&[&["levels"], &["pieces"], &["vectors"], &["broken"]]),
    },
    Program {
        name: "clipper",
        language: Language::Cxx,
        sources: Sources::Package {
            package: "clipper2c-sys",
            paths: &["clipper2c/vendor/Clipper2/CPP/Clipper2Lib/src"],
            includes: &["clipper2c/vendor/Clipper2/CPP/Clipper2Lib/include"],
            driver: "tests/corpus/clipper/driver.cpp",
        },
        flags: &["-std=c++17"],
        libs: &[],
        tests: Tests::Arguments(&[
            &["boolean"],
            &["trees"],
            &["doubles"],
            &["offsets"],
            &["rectangles"],
            &["triangles"],
            &["errors"],
        ]),
    },
    Program {
        name: "harfbuzz",
        language: Language::Cxx,
        sources: Sources::Package {
            package: "harfbuzz-sys",
            paths: &["harfbuzz/src/harfbuzz.cc"],
            includes: &["harfbuzz/src"],
            driver: "tests/corpus/harfbuzz/driver.cpp",
        },
        flags: &["-std=c++17"],
        libs: &["-lm", "-pthread"],
        tests: Tests::Arguments(&[&["shape"], &["characters"], &["sets"], &["names"], &["outlines"], &["tables"]]),
    },
    Program {
        name: "sqlite",
        language: Language::C,
        sources: Sources::Package {
            package: "libsqlite3-sys",
            paths: &["sqlite3/sqlite3.c"],
            includes: &["sqlite3"],
            driver: "tests/corpus/sqlite/driver.c",
        },
        flags: &[
            "-DSQLITE_THREADSAFE=0",
            "-DSQLITE_OMIT_LOAD_EXTENSION",
            "-DSQLITE_ENABLE_FTS5",
            "-DSQLITE_ENABLE_FTS3",
            "-DSQLITE_ENABLE_FTS3_PARENTHESIS",
            "-DSQLITE_ENABLE_RTREE",
            "-DSQLITE_ENABLE_STAT4",
            "-DSQLITE_ENABLE_MATH_FUNCTIONS",
            "-DSQLITE_ENABLE_DBSTAT_VTAB",
            "-DSQLITE_ENABLE_COLUMN_METADATA",
            "-DSQLITE_SOUNDEX",
            "-DHAVE_USLEEP=1",
            "-DHAVE_LOCALTIME_R",
        ],
        libs: &["-lm"],
        tests: Tests::Scripts { folder: "tests/corpus/sqlite", extension: "sql", prefix: &["test.db"] },
    },
];

/// How a source becomes the optimizer's input.
pub struct Variant {
    /// Its name on the command line and under `target/corpus`.
    pub name: &'static str,
    /// Flags of clang; nothing if its languages do not have the variant.
    clang: Option<&'static [&'static str]>,
    /// Flags of rustc; nothing if Rust does not have the variant.
    rustc: Option<&'static [&'static str]>,
    /// Whether `mem2reg` runs over what the compiler gives.
    pub mem2reg: bool,
    /// Whether the IR holds debug information.
    pub has_debug: bool,
}

impl Variant {
    /// The compiler's flags for a language; nothing if the language does not have the variant.
    pub fn flags(&self, language: Language) -> Option<&'static [&'static str]> {
        match language {
            Language::C | Language::Cxx | Language::Kernels | Language::Windows | Language::Wasm => self.clang,
            Language::Rust => self.rustc,
        }
    }
}

const CLANG_O0: &[&str] = &["-O0", "-Xclang", "-disable-O0-optnone"];
const CLANG_O0_G: &[&str] = &["-O0", "-Xclang", "-disable-O0-optnone", "-g"];
/// Without `-funroll-loops`, `-O1` says of loops that they are not to be unrolled.
const CLANG_O1: &[&str] = &["-O1", "-funroll-loops"];
const CLANG_O1_G: &[&str] = &["-O1", "-funroll-loops", "-g"];
const RUST_O0: &[&str] = &["-Copt-level=0"];
const RUST_O0_G: &[&str] = &["-Copt-level=0", "-Cdebuginfo=2"];
const RUST_O3_G: &[&str] = &["-Copt-level=3", "-Cdebuginfo=2"];

/// All variables are in memory.
const CLANG_RAW_G: &[&str] = &["-O1", "-g", "-Xclang", "-disable-llvm-passes"];

/// Every way in which the programs are compiled.
pub const VARIANTS: &[Variant] = &[
    Variant { name: "O0", clang: Some(CLANG_O0), rustc: Some(RUST_O0), mem2reg: true, has_debug: false },
    Variant { name: "O1", clang: Some(CLANG_O1), rustc: None, mem2reg: false, has_debug: false },
    Variant { name: "O2", clang: Some(&["-O2"]), rustc: None, mem2reg: false, has_debug: false },
    Variant { name: "O3", clang: None, rustc: Some(&["-Copt-level=3"]), mem2reg: false, has_debug: false },
    Variant { name: "O0-g", clang: Some(CLANG_O0_G), rustc: Some(RUST_O0_G), mem2reg: true, has_debug: true },
    Variant { name: "O1-g", clang: Some(CLANG_O1_G), rustc: None, mem2reg: false, has_debug: true },
    Variant { name: "raw-g", clang: Some(CLANG_RAW_G), rustc: None, mem2reg: false, has_debug: true },
    Variant { name: "O2-g", clang: Some(&["-O2", "-g"]), rustc: None, mem2reg: false, has_debug: true },
    Variant { name: "O3-g", clang: None, rustc: Some(RUST_O3_G), mem2reg: false, has_debug: true },
];
